"""What was tested of each theorem and corollary: how much of it, by which rows, at which sizes, with which verdict.

    python -m theory.reports.main_theorems README.md docs/theorems.md

Without a run the verdicts are those that the blocks expect, the sizes those of their cells, and a row is taken to see
of its bound what its block does not declare that it need not see; the command writes the tables between the marks in
each file. Main definitions: `Form`, a claim with its verdict; `of_rows` and `of_claims`; `Answer` and `by_statement`,
what was tested of each statement of a paper; `main_theorems`; `scopes`, which counts statements by their best scope;
`word` and `counted`, which count theorems for each paper; `compact` and `by_paper`, the tables of the documentation.

The best scope of a statement is that of the best of its rows that pass and end as expected. A row that passes because
the printed form is false speaks for nothing, and a vacuous one says nothing. Where all rows of that scope see no symbol
of their bounds, the statement is marked: they are no evidence for its formula.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from theory.claims import registry
from theory.claims.block import Claim
from theory.core.scope import Scope
from theory.core.statements import ByDefinition, Open, Paper, Statement, Through
from theory.core.verdict import Verdict
from theory.judging.judge import Row
from theory.papers import papers
from theory.reports.hidden_constants import sizes
from theory.reports.rests_on import DEFINITION, NOT_RUN, OPEN, STRENGTH

# What the labels of main theorems begin with.
MAIN = ("Theorem", "Corollary")

# What is said of a statement that nothing passing speaks for, from the most to the least.
REFUTED, VACUOUS = Verdict.REFUTED.value, Verdict.VACUOUS.value
ANSWERS = (*(s.value for s in Scope if s not in (Scope.VACUOUS, Scope.COUNTEREXAMPLE)), DEFINITION)
ANSWERS += (VACUOUS, REFUTED, OPEN, NOT_RUN)

# What stands of a theorem where no row of it passes.
NOTHING = "nothing"

# Beside what passes by rows alone that see no symbol of their bounds.
UNSEEN = "formula unseen"

# Between these lines of a file the compact table stands, and between those the counts by paper.
BEGIN, END = "<!-- main theorems: begin -->", "<!-- main theorems: end -->"
BEGIN_COUNTS, END_COUNTS = "<!-- theorems by paper: begin -->", "<!-- theorems by paper: end -->"

# How many rows a table names of those with the best scope.
NAMED = 2

# The sizes that are told of a cell, the first of them first where cells are compared.
TOLD = ("m", "L", "n")


@dataclass(frozen=True)
class Form:
    """A claim about a statement and how it came out: `ok` where that is as expected; `sizes` in one phrase.

    `unseen` where it passes and sees no symbol of its bound; `most` are the sizes of the largest of its cells.
    """

    claim: Claim
    verdict: Verdict
    ok: bool
    sizes: str
    unseen: bool = False
    most: Mapping[str, int | float] = field(default_factory=dict)

    @property
    def largest(self) -> str:
        """The sizes of the largest cell in a phrase; empty where it has none."""
        return phrase(self.most)

    @property
    def scope(self) -> Scope:
        """How much of the statement it is about, as it came out."""
        return self.claim.scope.found(self.verdict)

    @property
    def of(self) -> str:
        """What of it, as its scope says."""
        return self.claim.scope.of if self.scope is self.claim.scope.scope else ""

    @property
    def speaks(self) -> bool:
        """Whether it speaks for its statement."""
        return self.ok and self.verdict.is_pass and self.scope is not Scope.COUNTEREXAMPLE


@dataclass(frozen=True)
class Answer:
    """What was tested of a statement.

    Attributes
    ----------
    statement : the statement
    printed : the weakest verdict of its printed form; "not run", "open" or "definition", or what it is covered through
    scope : the best scope of a form that speaks for it, or one of the other `ANSWERS`
    best : the forms with that scope
    forms : all of its forms, the best first
    through : the statements that it is covered through
    unseen : whether what it stands on is no evidence for its formula: all of `best`, or one that it is covered through
    """

    statement: Statement
    printed: str
    scope: str
    best: tuple[Form, ...]
    forms: tuple[Form, ...]
    through: tuple[str, ...] = ()
    unseen: bool = False

    @property
    def of(self) -> str:
        """What of it the first of the best forms is about."""
        return self.best[0].of if self.best else ""

    @property
    def text(self) -> str:
        """The scope, with what it is of."""
        return f"{self.scope}: {self.of}" if self.of else self.scope


def of_rows(rows: Sequence[Row]) -> list[Form]:
    """The rows of a run as forms."""
    found = []
    for row in rows:
        judged = [cell for cell in row.evidence.cells if cell.premises is row.premise_status]
        cells = judged or row.evidence.cells
        most = largest([cell.at for cell in cells])
        found.append(Form(row.claim, row.verdict, row.ok, sizes(cells), row.no_evidence, most))
    return found


def of_claims(claims: Sequence[Claim]) -> list[Form]:
    """The claims as forms that come out as they are expected to, without a run: `sizes` are empty."""
    return [Form(claim, claim.expected, True, "", declared_unseen(claim), largest(admitted(claim))) for claim in claims]


def declared_unseen(claim: Claim) -> bool:
    """Whether the block says of all symbols of its bound that it need not see them: by themselves, or at every place.

    A run refuses what is declared and seen all the same, so that such a row is no evidence for its formula.
    """
    if not claim.expected.is_pass or not claim.bound.symbols:
        return False
    places: dict[str, list[bool]] = {}
    for place in claim.bound.variants.places:
        holders = (place.name, *(f"term {term}" for term in place.within))
        places.setdefault(place.symbol, []).append(any(holder in claim.blind for holder in holders))
    return all(name in claim.blind or (name in places and all(places[name])) for name in claim.bound.symbols)


def admitted(claim: Claim) -> list[Mapping[str, object]]:
    """The cells of a claim at quick effort that its premises admit, as far as that is known without a run."""
    cells: list[Mapping[str, object]] = list(claim.regime.select("quick", {}))
    inside = [cell for cell in cells if all(p.holds(cell) for p in claim.premises if cell.keys() >= set(p.symbols))]
    return inside or cells


def largest(cells: Iterable[Mapping[str, object]]) -> dict[str, int | float]:
    """The sizes that are told of the widest cell, of those as wide of the deepest, and so on."""
    told = [{name: size for name in TOLD if isinstance(size := cell.get(name), int | float)} for cell in cells]
    return max(told, key=lambda cell: [cell.get(name, 0) for name in TOLD], default={})


def phrase(cell: Mapping[str, int | float]) -> str:
    """The sizes of a cell in a phrase: `m = 4,096, L = 3`."""
    return ", ".join(f"{name} = {_number(value)}" for name, value in cell.items())


def _number(value: int | float) -> str:
    """A size with all its digits, or where these are many with the first; a whole one may be larger than a float."""
    if isinstance(value, int):
        return f"{value:,}" if abs(value) < 10**12 else f"{Decimal(value):.4g}"
    return f"{value:,.7g}"


def by_statement(paper: Paper, forms: Sequence[Form]) -> dict[str, Answer]:
    """What was tested of every statement of the paper, by its id, in the order of the paper."""
    of_each: dict[str, list[Form]] = {}
    for form in forms:
        of_each.setdefault(form.claim.statement, []).append(form)
    found: dict[str, Answer] = {}
    # What is covered through others comes after them, which are covered by themselves.
    for statement in sorted(paper.statements, key=lambda s: isinstance(s.coverage, Through)):
        own = sorted(of_each.get(statement.id, []), key=_order)
        found[statement.id] = _through(statement, found, own) if not own else _own(statement, own)
    return {statement.id: found[statement.id] for statement in paper.statements}


def _order(form: Form) -> tuple[bool, int, bool, bool, str]:
    return not form.speaks, form.scope.rank, form.unseen, not form.claim.printed, form.claim.id


def _own(statement: Statement, forms: Sequence[Form]) -> Answer:
    """The answer of a statement that claims are about."""
    printed = [form.verdict.value for form in forms if form.claim.printed] or [NOT_RUN]
    speaking = [form for form in forms if form.speaks]
    if speaking:
        scope = speaking[0].scope
        best = tuple(form for form in speaking if form.scope is scope)
        answer = scope.value
    else:
        best = ()
        verdicts = {form.verdict for form in forms if form.ok}
        answer = REFUTED if Verdict.REFUTED in verdicts else VACUOUS if Verdict.VACUOUS in verdicts else NOT_RUN
    unseen = bool(best) and all(form.unseen for form in best)
    return Answer(statement, min(printed, key=STRENGTH.index), answer, best, tuple(forms), unseen=unseen)


def _through(statement: Statement, found: Mapping[str, Answer], forms: Sequence[Form]) -> Answer:
    """The answer of a statement without a claim: as good as the least of what it is covered through."""
    coverage = statement.coverage
    if isinstance(coverage, ByDefinition | Open):
        answer = DEFINITION if isinstance(coverage, ByDefinition) else OPEN
        return Answer(statement, answer, answer, (), tuple(forms))
    if not isinstance(coverage, Through):
        return Answer(statement, NOT_RUN, NOT_RUN, (), tuple(forms))
    # A target in another paper has not been asked here.
    answers = [found[name].scope if name in found else NOT_RUN for name in coverage.ids]
    least = max(answers, key=ANSWERS.index)
    unseen = any(found[name].unseen for name in coverage.ids if name in found)
    return Answer(statement, "covered through others", least, (), tuple(forms), coverage.ids, unseen)


def main_theorems(forms: Sequence[Form]) -> list[Answer]:
    """What was tested of the theorems and corollaries of all papers, in their order."""
    return [
        entry
        for paper in papers().values()
        for entry in by_statement(paper, forms).values()
        if entry.statement.label.startswith(MAIN)
    ]


def scopes(paper: Paper, forms: Sequence[Form]) -> dict[str, int]:
    """How many statements of the paper have which best scope, those of most worth first; none that is 0."""
    counts = Counter(entry.scope for entry in by_statement(paper, forms).values())
    return {answer: counts[answer] for answer in ANSWERS if counts[answer]}


def named(entry: Answer) -> str:
    """By which rows, in a few words, or through which statements: ids without the paper."""
    best = [_tail(form.claim.id) for form in entry.best] or [_tail(name) for name in entry.through]
    if not best:
        best = [_tail(form.claim.id) for form in entry.forms if form.ok and form.verdict.value == entry.scope]
    more = f" and {len(best) - NAMED} more" if len(best) > NAMED else ""
    said = ", ".join(f"`{name}`" for name in best[:NAMED]) + more
    return f"through {said}" if entry.through else said


def _tail(identifier: str) -> str:
    return identifier.split(":", 1)[1]


def compact(forms: Sequence[Form]) -> list[str]:
    """For each theorem its printed form, how much of it stands, by which rows, and how and where the first passes."""
    lines = [
        "| theorem | printed form | what of it passes | by | the first: verdict, largest cell |",
        "|---|---|---|---|---|",
    ]
    for entry in main_theorems(forms):
        paper = entry.statement.id.split(":")[0]
        columns = entry.printed, passing(entry), named(entry) or "-", _first(entry) or "-"
        lines.append(f"| {paper}: {entry.statement.label} | {' | '.join(columns)} |")
    return lines


def _first(entry: Answer) -> str:
    """The verdict of the first of the best forms, and the largest of its cells."""
    if not entry.best:
        return ""
    form = entry.best[0]
    return ", ".join(filter(None, (form.verdict.value, form.largest)))


def passing(entry: Answer) -> str:
    """What of the statement stands by a row that passes, in a word, or `NOTHING`; marked if its formula is unseen."""
    if word(entry.scope) == NOTHING:
        return NOTHING
    return f"{entry.text} ({UNSEEN})" if entry.unseen else entry.text


def word(scope: str) -> str:
    """One of the `ANSWERS` as a table counts it: the scope of what passes, or `NOTHING`."""
    return NOTHING if scope in (REFUTED, VACUOUS, NOT_RUN, OPEN) else scope


def counted(entries: Iterable[tuple[str, str, bool]]) -> dict[str, dict[str, str]]:
    """For each paper how many statements stand in which scope at best, in words, and in brackets how many unseen.

    Of each statement `entries` have its id, its scope and whether it is unseen. All papers have the same scopes, those
    of most worth first; a count of 0 is empty.
    """
    every = [(name.split(":")[0], word(scope), unseen) for name, scope, unseen in entries]
    met = {scope for _, scope, _ in every}
    counts = Counter((key, scope) for key, scope, _ in every)
    unseen = Counter((key, scope) for key, scope, blind in every if blind)
    return {
        key: {
            scope: f"{counts[key, scope] or ''}" + (f" ({unseen[key, scope]} unseen)" if unseen[key, scope] else "")
            for scope in (*ANSWERS, NOTHING)
            if scope in met
        }
        for key in dict.fromkeys(key for key, _, _ in every)
    }


def by_paper(forms: Sequence[Form]) -> list[str]:
    """For each paper how many theorems and corollaries it has, how many of them stand in which scope at best, and how.

    In brackets how many of these stand by rows alone that see no symbol of their bounds. Of the first form of each that
    passes the last columns have the verdicts, and the largest of their cells.
    """
    entries = main_theorems(forms)
    counts = counted((entry.statement.id, entry.scope, entry.unseen) for entry in entries)
    columns = ["paper", "theorems", *next(iter(counts.values()), {}), "verdicts", "largest cell"]
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for key, scoped in counts.items():
        mine = [entry for entry in entries if entry.statement.id.startswith(f"{key}:")]
        first = [entry.best[0] for entry in mine if entry.best]
        verdicts = Counter(form.verdict for form in first)
        said = ", ".join(f"{verdicts[verdict]} {verdict.value}" for verdict in Verdict if verdicts[verdict]) or "-"
        most = phrase(largest(form.most for form in first)) or "-"
        lines.append(f"| `{key}` | {len(mine)} | {' | '.join((*scoped.values(), said, most))} |")
    return lines


def written(text: str, forms: Sequence[Form]) -> str:
    """A file's text with the tables between their marks. Raises ValueError where it has no marks."""
    found = False
    for begin, end, table in ((BEGIN, END, compact), (BEGIN_COUNTS, END_COUNTS, by_paper)):
        pattern = re.compile(rf"(?<={begin}\n).*?(?={end})", re.DOTALL)
        if place := pattern.search(text):
            found, table_lines = True, "\n".join(table(forms))
            text = f"{text[: place.start()]}\n{table_lines}\n\n{text[place.end() :]}"
    if not found:
        raise ValueError(f"there is no place for a table; write the lines {BEGIN} and {END}")
    return text


def main(arguments: Sequence[str]) -> int:
    """Write the tables into the files that are named."""
    if not arguments:
        print("usage: python -m theory.reports.main_theorems FILE...", file=sys.stderr)
        return 2
    forms = of_claims(registry.load_claims())
    for file in map(Path, arguments):
        try:
            file.write_text(written(file.read_text(encoding="utf-8"), forms), encoding="utf-8")
        except (OSError, ValueError) as error:
            print(f"error: {file}: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

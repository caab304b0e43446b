"""The errata of a paper as a page, written from the ledger: what is doubtful, how it was decided, by which claim.

Main definition: `errata_page`. `python -m theory.reports.errata ledger.json` writes `theory/ERRATA.md` from a ledger of
the whole suite at quick effort with seed 0. With `--check` it compares instead, as `make claims` does after every run:
words exactly, measured numbers up to the tolerance of `theory.core.agreement`. Another release of Hypothesis draws
other instances, so that searches come to other numbers: with one, words alone are compared. `--check` also asks whether
README.md and docs/theorems.md say of the run what its ledger does (`theory.reports.quoted`), and whether they, the page
and the lines that replay rows would be the same on other processors (`theory.reports.rounded`).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from theory.core.agreement import RESIDUE, TOLERANCE, near, tied
from theory.core.digits import apart, near_one, read
from theory.core.statements import DECISIONS, Statement, Suspect
from theory.core.values import Json
from theory.core.verdict import NONE_NEEDED, PremiseStatus
from theory.evidence import of_method
from theory.papers import papers
from theory.reports import quoted, rounded
from theory.reports.two_ledgers import is_compared
from theory.reports.words import in_digits, printed_measured, printed_ratio, share_of_itself, worst_ratio

# Digits of a measured number, fewer than differ between processors, where more do not show that it breaks a bound.
DIGITS = 3

# Written in place of digits that may be those of a rounding error, and differ between processors.
TINY_RATIO = "below 1e-12"

# What a row without premises, or with a bound that nothing could break, says of them.
UNDER = {NONE_NEEDED: "no premise needed", PremiseStatus.TRIVIAL: "as nothing could break it"}

# The number that it stands for where pages are compared: another processor may leave no residue at all.
_WRITTEN = {TINY_RATIO: 0.0}

# The numbers that a run measured; other numbers of the page are part of its words.
_NUMBER = r"[-+]?(?:\d[\d.e+-]*|inf|nan)"
MEASURED = re.compile(
    rf"(?<=worst ratio ){TINY_RATIO}|(?<=ratio )1 [+-] {_NUMBER}"
    rf"|(?:(?<=measured )|(?<=ratio )){_NUMBER}|(?<=` = ){_NUMBER}(?= is claimed)"
    r"|(?<=\()\d+(?= failures in)|(?<= failures in )\d+(?= trials\))"
)

# The release of Hypothesis on the page.
DRAWN = re.compile(r"(?<=as Hypothesis )\S+(?= does)")

PAGE = Path(__file__).resolve().parents[1] / "ERRATA.md"

# What else says something of a run of the whole suite.
README = PAGE.parents[1] / "README.md"
THEOREMS = PAGE.parents[1] / "docs" / "theorems.md"


def errata_claims() -> tuple[str, ...]:
    """Ids of all claims that decide a doubt, in the order of the papers, each once."""
    named = [(*s.suspect.refuted, *s.suspect.tested) for s in _doubtful() if s.suspect is not None]
    return tuple(dict.fromkeys(identifier for group in named for identifier in group))


def _doubtful() -> list[Statement]:
    return [s for paper in papers().values() for s in paper.statements if s.suspect is not None]


def errata_page(ledger: Json) -> str:
    """The page, in Markdown, from a ledger that holds at least the claims of `errata_claims`.

    Raises KeyError naming a claim that the ledger lacks, or that has no result in it, and for a ledger whose numbers
    state no rounding errors.
    """
    rounded.refuse_unstated(ledger)
    rows = {row["id"]: row for row in ledger["claims"]}
    lines = [
        "# Errata",
        "",
        "Statements whose printed form or proof is doubtful, and how each doubt was decided. Written by",
        "`python -m theory.reports.errata` from a ledger at quick effort, seed 0; every number is measured again on",
        "every run.",
        f"Searches drew their instances as Hypothesis {ledger['suite']['versions']['hypothesis']} does.",
        "",
        *(f"- **{decision}**: {meaning}." for decision, meaning in DECISIONS.items()),
    ]
    for key, paper in papers().items():
        doubtful = [s for s in paper.statements if s.suspect is not None]
        if not doubtful:
            continue
        lines += ["", f"## {key}: {paper.title} ({paper.year})"]
        for statement in doubtful:
            assert statement.suspect is not None
            lines += ["", *_entry(statement, statement.suspect, rows)]
    return "\n".join(lines) + "\n"


def _entry(statement: Statement, suspect: Suspect, rows: Json) -> list[str]:
    lines = [
        f"### {statement.label}: {statement.title}",
        "",
        f"Doubt: {suspect.what}.",
        "",
        f"**{suspect.decision.capitalize()}.** {suspect.why}",
    ]
    if suspect.refuted or suspect.tested:
        lines.append("")
    lines += [f"- {_refuted(_row(identifier, rows))[0]}" for identifier in suspect.refuted]
    lines += [f"- {_tested(_row(identifier, rows))}" for identifier in suspect.tested]
    return lines


def _row(identifier: str, rows: Json) -> Json:
    if identifier not in rows:
        raise KeyError(f"the ledger has no row {identifier}; run the whole suite, or select that claim too")
    found: Json = rows[identifier]
    if found["verdict"] == "error":
        raise KeyError(f"the row {identifier} has no result: {found['error']}")
    return found


def _elsewhere(row: Json) -> str:
    """What is said of a row that is judged only where packages are installed: the page is the same on every machine."""
    return f"`{row['id']}`: judged where {' and '.join(row['takes'])} can be imported, without numbers here"


def _refuted(row: Json) -> list[str]:
    """What refutes a form, at the first of the worst cells, then at those that rounding could have made the worst."""
    if row.get("takes"):
        return [_sentences(_elsewhere(row), row["evidence"]["note"])]
    refuting = [cell for cell in row["cells"] if cell["verdict"] == "refuted"] or list(row["cells"])
    ratios = [_ratio(cell, row["sense"]) for cell in refuting]
    errors = [share_of_itself(cell) for cell in refuting]
    first, *others = tied(ratios, errors)
    others += [place for place in tied(ratios, errors, TOLERANCE) if place not in (first, *others)]
    return [_refuted_at(row, refuting[place]) for place in (first, *others)]


def _refuted_at(row: Json, cell: Json) -> str:
    at = ", ".join(f"{name} = {in_digits(value, DIGITS)}" for name, value in cell["at"].items())
    where = f" at {at}" if at else ""
    plan = of_method(row["evidence"]["method"])
    if not plan.compares:
        said = f"`{row['id']}`: {row['verdict']}, a step towards `{row['bound']}` fails{where}"
    else:
        said = f"`{row['id']}`: {row['verdict']}, {_measured(row, cell)}{where}"
    if plan.counts_failures:
        said += f" ({cell['failures']} failures in {cell['trials']} trials)"
    return _sentences(said, row["evidence"]["note"])


def _tested(row: Json) -> str:
    if row.get("takes"):
        return _elsewhere(row)
    status = row["premise_status"]
    where = UNDER.get(status, f"{status} the premises")
    said = f"`{row['id']}`: {row['verdict']}, {where}, bound $`{row['bound_latex']}`$"
    if is_compared(row) and of_method(row["evidence"]["method"]).compares and status != PremiseStatus.TRIVIAL:
        ratio = worst_ratio(row)
        said += f", worst ratio {TINY_RATIO if 0.0 < ratio <= 1.0 / RESIDUE else near_one(ratio, DIGITS)}"
    return said


def _measured(row: Json, worst: Json) -> str:
    """What was measured, how much it is, and what is claimed, in digits that show the difference."""
    ratio = _ratio(worst, row["sense"])
    asked = {"<=": "at most", ">=": "at least", "=": "exactly"}[row["sense"]]
    measured, bound = apart(printed_measured(worst, row["sense"]), float(worst["bound"]), DIGITS)
    shown = near_one(ratio, DIGITS)
    claimed = f"`{row['bound']}`" + ("" if bound == row["bound"] else f" = {bound}")
    return f"measured {measured} (ratio {shown}) where {asked} {claimed} is claimed"


def _sentences(*parts: str) -> str:
    return ". ".join(part.rstrip(".") for part in parts if part) + "."


def _ratio(cell: Json, sense: str) -> float:
    return printed_ratio(cell, sense) if cell["ratio"] != "NaN" else 0.0


def _alike(ledger: Json) -> dict[str, list[str]]:
    """For a line on what refutes a form, all lines that say the same of another instance, as far as processors go."""
    rows = {row["id"]: row for row in ledger["claims"]}
    named = {name for s in _doubtful() if s.suspect is not None for name in s.suspect.refuted if name in rows}
    told = [[f"- {line}" for line in _refuted(rows[name])] for name in sorted(named)]
    return {lines[0]: lines for lines in told}


def _first_difference(page: str, old: str, alike: Mapping[str, Sequence[str]]) -> tuple[int, str]:
    """Number and text of the first line of `page` that is not so in `old`; 0 where there is none."""
    for number, (line, other) in enumerate(zip_longest(page.splitlines(), old.splitlines()), start=1):
        if line is None or other is None or not any(_same(said, other) for said in alike.get(line, (line,))):
            return number, line if line is not None else "(the end)"
    return 0, ""


def differs_by_rounding(ledger: Json) -> tuple[int, str]:
    """The first line of the page that would be another if rounding were another; 0 where there is none."""
    page, named = errata_page(ledger), set(errata_claims())
    shown = {**ledger, "claims": [row for row in ledger["claims"] if row["id"] in named]}
    for seed in range(rounded.PERTURBATIONS):
        again = rounded.perturbed(shown, seed)
        if (found := _first_difference(errata_page(again), page, _alike(again)))[0]:
            return found
    return 0, ""


def _same(line: str, other: str) -> bool:
    """Whether two lines have the same words and, as processors go, the same numbers, releases aside."""
    if line == other:  # nearly all of them
        return True
    numbers = ([_WRITTEN[n] if n in _WRITTEN else read(n) for n in MEASURED.findall(text)] for text in (line, other))
    return _words(line) == _words(other) and all(map(near, *numbers))


def _words(text: str) -> str:
    """`text` without what a run measured, and with what."""
    return DRAWN.sub("", MEASURED.sub("", text))


def fault(ledger: Json, name: str) -> str:
    """Why the committed page is not that of the ledger with this file name, or would be another by rounding; or empty.

    Raises KeyError as `errata_page` does.
    """
    page, alike = errata_page(ledger), _alike(ledger)
    old = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if DRAWN.findall(page) != DRAWN.findall(old):
        print(f"{PAGE.name}: written with another release of Hypothesis, numbers are not compared")
        page, old, alike = _words(page), _words(old), {}
    else:
        line, said = differs_by_rounding(ledger)
        if line:
            return (
                f"{PAGE.name}, line {line}, depends on rounding: {said!r}; let what is printed there be the same on "
                f"every processor"
            )
    line, said = _first_difference(page, old, alike)
    if not line:
        return ""
    return (
        f"{PAGE.name}, line {line}, differs from what this run found: {said!r};"
        f" write the page again with python -m theory.reports.errata {name}"
    )


def quoted_fault(ledger: Json) -> str:
    """What README.md or docs/theorems.md says otherwise than the ledger of the whole suite, or empty.

    Numbers are compared where the page of errata was written with the same release of Hypothesis, as this run has them
    and as other processors could have. Raises KeyError naming a claim that the ledger lacks.
    """
    said, theorems = (file.read_text(encoding="utf-8") if file.exists() else "" for file in (README, THEOREMS))
    numbers = DRAWN.findall(PAGE.read_text(encoding="utf-8")) == [ledger["suite"]["versions"]["hypothesis"]]
    found = quoted.excerpt_fault(said, ledger, numbers) or quoted.marks_fault(theorems, ledger)
    return found or (quoted.rounding_fault(said, ledger) if numbers else "")


def main(arguments: Sequence[str]) -> int:
    """Write the page of the ledger that is named, or with --check compare it with the page that is there."""
    names = [argument for argument in arguments if argument != "--check"]
    if len(names) != 1:
        print("error: pass the ledger.json of a run of the whole suite", file=sys.stderr)
        return 2
    try:
        ledger = json.loads(Path(names[0]).read_text(encoding="utf-8"))
        if "--check" not in arguments:
            PAGE.write_text(errata_page(ledger), encoding="utf-8")
            return 0
        found = fault(ledger, names[0]) or quoted_fault(ledger) or rounded.lines_fault(ledger)
    except (OSError, json.JSONDecodeError, KeyError) as error:
        reason = error.args[0] if isinstance(error, KeyError) else error
        print(f"error: {names[0]}: {reason}", file=sys.stderr)
        return 1
    if found:
        print(f"error: {found}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

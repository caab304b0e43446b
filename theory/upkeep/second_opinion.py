"""Decide each step of each proof again, by arithmetic that shares nothing with that of the first judge.

    python -m theory.upkeep.second_opinion [--paper KEY] [--theme NAME] [--claim ID]
                                           [--record FILE [--page FILE]] [--check]

A step that is handed a decision says what was asked (`bounds.decisions.questions`), and `theory.upkeep.second_judge`
answers the same questions, at the same domains. A step is decided by

- `both` judges, if all its questions got the same answers again;
- `one judge`, if the second one does not know, or the step is a truth value without a question: an enumeration, a
  limit, a graph, an argument in words;
- none, if the first judge left it `open`;

and is a `contradiction` if a question got the other answer. Proofs that are to be refuted are asked too.

`--record` puts what was found of the selected claims into FILE (`theory/reports/second_opinion.json`, from which rows
say what one judge alone decided), and `--page` writes the page that is made of it (`docs/second_opinion.md`). `--check`
holds the record in place against what is found. Exit status: 0 no contradiction and, with `--check`, the record as
found; 1 otherwise; 2 for a selection that makes no sense.

Main definitions: `Asked`, a step with what the judges say; `steps_of`, those of a claim; `table`, `page`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bounds.decisions.questions import Implied, IsZero, NotBelowZero, Question
from theory.claims import registry
from theory.claims.block import Claim
from theory.claims.catalogue import Catalogue
from theory.claims.memory import Memory
from theory.claims.selection import SelectionError, select
from theory.core.refusal import ROOT, ClaimError
from theory.core.values import JsonDict
from theory.evidence import Step
from theory.reports.second_opinions import BOTH, CONTRADICTION, FILE, ONE, OPEN, recorded
from theory.running.case import Case
from theory.running.config import RunConfig
from theory.upkeep import solver
from theory.upkeep.second_judge import Answer, answer

PAGE = ROOT / "docs" / "second_opinion.md"

# How much is wrong with a step, for the same step in several cells.
_WORSE = (BOTH, OPEN, ONE, CONTRADICTION)

#: What the page says before its numbers.
WORDS = """# Proofs have two judges

What a row, a proof and a verdict are: [words](glossary.md).

Rows that are `proved`, or refuted by a proof, rest on python-flint's balls, sympy's simplifications and assumptions,
and linear programs in fractions. `make second-opinion` decides each step again, at the same domains, by arithmetic that
shares none of that: mpmath's intervals with bisection and Taylor coefficients, Sturm's sequences and normal forms in
fractions, and z3 for implications between sizes and for polynomials in several variables. It knows nothing of how the
first judge came to its answer, but reads the same formula: what a proof does to a formula before it asks, a derivative
or a substitution, is done once.

A step that is handed a decision says what was asked. One that is a truth value alone (an enumeration in integers, a
limit, the tail of a law, an argument in words) is decided by `one judge`, and its row says so; so is an identity that
the second judge met at places alone. `open` are steps that the first judge leaves open too. A contradiction fails the
command, which runs every night.
"""

NO_QUESTION = "a truth value"
MIXED = "several kinds"


@dataclass(frozen=True)
class Asked:
    """A step, the kind of what it asks, how it is decided, and by what arithmetic again, or why not."""

    step: str
    kind: str
    said: str
    by: str


def kind_of(question: Question) -> str:
    """The kind of a question, in words."""
    if isinstance(question, Implied):
        return "an implication between sizes"
    if isinstance(question, IsZero):
        return "an identity" if question.expr.free_symbols else "an equality of numbers"
    if not question.expr.free_symbols:
        return "an inequality of numbers"
    return "an inequality on a domain"


def ask_again(step: Step) -> Asked:
    """Put the questions of a step to the second judge."""
    if step.holds is None:
        return Asked(step.what, NO_QUESTION if not step.asked else _kind(step.asked), OPEN, "")
    if not step.asked:
        return Asked(step.what, NO_QUESTION, ONE, "it says not what was asked")
    found = [(question, first, answer(question)) for question, first in step.asked if first is not None]
    kind = _kind(step.asked)
    against = [(first, again) for _, first, again in found if again.holds is not None and again.holds is not first]
    if against:
        first, again = against[0]
        return Asked(step.what, kind, CONTRADICTION, f"{first} by the first judge, {again.holds} by {again.by}")
    open_ones = [again for _, _, again in found if again.holds is None]
    if open_ones or len(found) < len(step.asked):
        return Asked(step.what, kind, ONE, _told(open_ones[0]) if open_ones else "a part is open")
    return Asked(step.what, kind, BOTH, ", ".join(sorted({again.by for _, _, again in found})))


def _kind(asked: Sequence[tuple[Question, bool | None]]) -> str:
    kinds = {kind_of(question) for question, _ in asked}
    return kinds.pop() if len(kinds) == 1 else MIXED


def _told(open_one: Answer) -> str:
    places = f", but no contradiction at {open_one.places} places" if open_one.places else ""
    return f"{open_one.by}{places}"


def steps_of(claim: Claim) -> list[Asked]:
    """The steps of a proof in all its cells at quick effort, each once, as it is decided worst.

    A function that raises has no steps.
    """
    case = Case(claim, RunConfig(), 0.0, memory=Memory())
    found: dict[str, Asked] = {}
    for cell in case.cells:
        steps: list[Step] = case.measure(cell, cell, 0)
        for step in steps:
            asked = ask_again(step)
            before = found.get(step.what)
            if before is None or _WORSE.index(asked.said) > _WORSE.index(before.said):
                found[step.what] = asked
    return list(found.values())


def entry_of(steps: Iterable[Asked]) -> list[JsonDict]:
    """What the record has of a claim."""
    return [{"step": one.step, "kind": one.kind, "said": one.said, "by": one.by} for one in steps]


# ------------------------------------------------------------------------------------------------ the table


def table(claims: Mapping[str, Sequence[Mapping[str, str]]]) -> list[str]:
    """How many steps both judges decided, by paper and by kind, as lines of a Markdown table."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for identifier, steps in claims.items():
        for step in steps:
            key = (identifier.partition(":")[0], step["kind"])
            counts.setdefault(key, Counter())[step["said"]] += 1
    columns = (BOTH, ONE, OPEN, CONTRADICTION)
    lines = [f"| paper | what is decided | {' | '.join(columns)} |", f"|---|---|{'---:|' * len(columns)}"]
    for paper, kind in sorted(counts):
        numbers = [str(counts[paper, kind][column]) for column in columns]
        lines.append(f"| {paper} | {kind} | {' | '.join(numbers)} |")
    total = sum(counts.values(), Counter())
    lines.append(f"| all | | {' | '.join(str(total[column]) for column in columns)} |")
    return lines


def page(claims: Mapping[str, Sequence[Mapping[str, str]]]) -> str:
    """The page on proofs with two judges."""
    whole = [steps for steps in claims.values() if all(step["said"] == BOTH for step in steps)]
    some = [steps for steps in claims.values() if any(step["said"] == BOTH for step in steps)]
    by = Counter(step["by"] for steps in claims.values() for step in steps if step["said"] == BOTH)
    return "\n".join(
        [
            WORDS,
            f"Of {len(claims)} proofs {len(whole)} are decided by both judges in all steps, and {len(some)} in some.",
            "",
            *table(claims),
            "",
            "Decided again by:",
            "",
            "| arithmetic | steps |",
            "|---|---:|",
            *(f"| {arithmetic} | {number} |" for arithmetic, number in sorted(by.items())),
            "",
            "This page is made by `make second-opinion`.",
            "",
        ]
    )


# ----------------------------------------------------------------------------------------------- the command


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m theory.upkeep.second_opinion", description=(__doc__ or "").splitlines()[0], allow_abbrev=False
    )
    for name, what in (("paper", "KEY"), ("theme", "NAME"), ("claim", "ID")):
        parser.add_argument(f"--{name}", action="append", default=[], metavar=what, help="as of pytest; repeatable")
    parser.add_argument("--record", type=Path, metavar="FILE", help="put what is found of the selected claims here")
    parser.add_argument("--page", type=Path, metavar="FILE", help="with --record: write the table of all claims here")
    parser.add_argument("--check", action="store_true", help="fail where the record in place says something else")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace, chosen: Sequence[Claim], everything: frozenset[str]) -> int:
    """Ask for the steps of the claims; the exit code is that of the module's docstring."""
    found: dict[str, list[JsonDict]] = {}
    failed = stale = 0
    for claim in chosen:
        started = time.perf_counter()
        try:
            steps = steps_of(claim)
        except Exception as problem:
            failed += 1
            print(f"{claim.id}: no steps: {type(problem).__name__}: {problem}")
            continue
        found[claim.id] = entry_of(steps)
        counts = Counter(step.said for step in steps)
        told = ", ".join(f"{counts[said]} {said}" for said in _WORSE if counts[said])
        print(f"{claim.id}: {told} ({time.perf_counter() - started:.1f} s)", flush=True)
        for step in steps:
            if step.said in (ONE, CONTRADICTION):
                print(f"  {step.said}: {step.step}: {step.by}", flush=True)
                failed += step.said == CONTRADICTION
    if options.check:
        for identifier, entry in found.items():
            if recorded().get(identifier) != entry:
                stale += 1
                print(f"{identifier}: the record says something else; run make second-opinion")
    print("\n".join(["", *table(found)]))
    if options.record is not None:
        kept = {name: steps for name, steps in recorded(options.record).items() if name in everything}
        claims = dict(sorted({**kept, **found}.items()))
        options.record.write_text(json.dumps({"claims": claims}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        if options.page is not None:
            options.page.write_text(page(claims), encoding="utf-8")
    return int(bool(failed or stale))


def main(arguments: Sequence[str]) -> int:
    """As `run`, with options that are words and the proofs of the suite."""
    try:
        options = _options(arguments)
        catalogue = Catalogue(ROOT / ".cache" / "claims.json")
        catalogue.add_suite()
        entries = catalogue.entries
        selected = list(select(entries, options.claim, options.paper, options.theme))
        claims = [registry.found(entry.id, entry.file) for entry in selected]
    except (SelectionError, ClaimError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if not solver.IS_THERE:
        print("z3 is not installed: what it would decide is left to one judge", file=sys.stderr)
    chosen = [claim for claim in claims if claim.evidence.gives_steps]
    return run(options, chosen, frozenset(entry.id for entry in entries))


__all__ = [
    "FILE",
    "PAGE",
    "Asked",
    "NotBelowZero",
    "ask_again",
    "entry_of",
    "kind_of",
    "page",
    "run",
    "steps_of",
    "table",
]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

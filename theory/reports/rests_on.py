"""What a statement rests on: the weakest answer among the statements its proof uses, directly or not.

Main definitions: `Standing` and `standings`, which reads the rows of a run along the `uses` of the papers.

A theorem whose own row is green is still only as good as the lemmas behind it: a proof that passes through a
refuted lemma is no proof, whatever the trials say of its conclusion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

from theory.core.statements import ByClaim, ByDefinition, Open, Paper, Statement, Through
from theory.core.verdict import Verdict
from theory.judging.judge import Row

DEFINITION = "definition"
OPEN = "open"
NOT_RUN = "not run"

# From the weakest answer to the strongest.
STRENGTH = (
    Verdict.REFUTED.value,
    OPEN,
    Verdict.ERROR.value,
    Verdict.UNDECIDED.value,
    NOT_RUN,
    Verdict.VACUOUS.value,
    Verdict.CONSISTENT.value,
    Verdict.SUPPORTED.value,
    Verdict.HOLDS.value,
    Verdict.PROVED.value,
    DEFINITION,
)


@dataclass(frozen=True)
class Standing:
    """A statement's own answer, and the weakest one among all that it rests on.

    `own` is a verdict, or one of `DEFINITION`, `OPEN` and `NOT_RUN`. `corrected` says whether a refuted printed form
    has another form beside it that passed. `weakest` is empty where the statement rests on nothing, and `through`
    lists the statements with that answer, the nearest first.
    """

    id: str
    own: str
    corrected: bool
    weakest: str = ""
    through: tuple[str, ...] = ()
    through_corrected: bool = False

    @property
    def text(self) -> str:
        """One phrase: what it rests on, and how that stands."""
        if not self.weakest:
            return "rests on no other statement"
        names = ", ".join(identifier.split(":", 1)[1] for identifier in self.through)
        phrase = f"rests on {names}, {self.weakest}"
        if self.weakest == Verdict.REFUTED.value:
            phrase += " as printed; corrected forms hold" if self.through_corrected else " as printed"
        return phrase


def standings(paper: Paper, rows: Sequence[Row]) -> dict[str, Standing]:
    """The standing of every statement of the paper after a run, in the order of the paper."""
    verdicts: dict[str, list[Row]] = {}
    for row in rows:
        verdicts.setdefault(row.claim.statement, []).append(row)
    by_id = {statement.id: statement for statement in paper.statements}
    inside = {s.id: [used for used in s.uses if used in by_id] for s in paper.statements}
    order = list(TopologicalSorter(inside).static_order())
    own: dict[str, str] = {}
    for identifier in _covered_last(order, by_id):
        own[identifier] = _own(by_id[identifier], verdicts, own)
    below: dict[str, dict[str, None]] = {}
    for identifier in order:
        # Breadth first, so that the nearest statements come first; a dict keeps that order and drops repetitions.
        reached = dict.fromkeys(inside[identifier])
        for used in inside[identifier]:
            reached.update(below[used])
        below[identifier] = reached
    found = {
        identifier: _standing(identifier, own, below[identifier], {i: _corrected(verdicts.get(i, [])) for i in by_id})
        for identifier in order
    }
    return {statement.id: found[statement.id] for statement in paper.statements}


def _covered_last(order: Sequence[str], by_id: dict[str, Statement]) -> list[str]:
    """Statements covered through others after those that have an answer of their own."""
    return sorted(order, key=lambda identifier: isinstance(by_id[identifier].coverage, Through))


def _own(statement: Statement, verdicts: dict[str, list[Row]], own: dict[str, str]) -> str:
    """A statement's own answer: the weakest of the claims that state its printed form.

    Whatever else is claimed about it, a corrected form or a reader's conjecture, does not answer for the print. What is
    covered through others uses them in the forms that hold, as the argument for it says.
    """
    rows = verdicts.get(statement.id, [])
    if isinstance(statement.coverage, ByDefinition):
        return DEFINITION
    if isinstance(statement.coverage, Open):
        return OPEN
    if isinstance(statement.coverage, Through):
        return _weakest([_usable(own.get(i, NOT_RUN), verdicts.get(i, [])) for i in statement.coverage.ids])
    assert isinstance(statement.coverage, ByClaim)
    return _weakest([str(row.verdict) for row in rows if row.claim.printed] or [NOT_RUN])


def _usable(printed: str, rows: Sequence[Row]) -> str:
    """The answer of the printed form, or where that is refuted the best of the corrected forms."""
    passing = [str(row.verdict) for row in rows if row.verdict.is_pass]
    if printed != Verdict.REFUTED.value or not passing:
        return printed
    return max(passing, key=STRENGTH.index)


def _weakest(answers: Sequence[str]) -> str:
    return min(answers, key=STRENGTH.index)


def _corrected(rows: Sequence[Row]) -> bool:
    """Whether some form of the statement passed."""
    return any(row.verdict.is_pass for row in rows)


def _standing(identifier: str, own: dict[str, str], below: dict[str, None], corrected: dict[str, bool]) -> Standing:
    if not below:
        return Standing(identifier, own[identifier], corrected[identifier])
    weakest = _weakest([own[used] for used in below])
    through = tuple(used for used in below if own[used] == weakest)
    return Standing(
        identifier, own[identifier], corrected[identifier], weakest, through, all(corrected[used] for used in through)
    )

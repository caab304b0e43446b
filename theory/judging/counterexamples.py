"""The counterexamples of a row that a search refuted: the one in the least sizes, and the strongest of all measured.

Main definitions: `Counterexample`; `counterexamples`, which picks them from what a run has kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from theory.claims.memory import Instance
from theory.claims.regime import Cell
from theory.claims.results import CellResult, Evidence
from theory.core.agreement import ROUNDING, is_lost, printed, share_of_itself
from theory.core.measured import Outcome
from theory.core.seeds import canonical
from theory.core.verdict import Verdict
from theory.running.case import Case

SMALLEST, STRONGEST = "smallest", "strongest"


@dataclass(frozen=True)
class Counterexample:
    """An instance that misses its bound: `at` has the sizes and all that was drawn, the trial included.

    `which` is `SMALLEST` or `STRONGEST`; `error` bounds by how much rounding may have moved `measured`.
    """

    which: str
    at: Cell
    measured: float
    bound: float
    ratio: float
    error: float

    @classmethod
    def of(cls, which: str, cell: CellResult) -> Counterexample:
        """The worst instance of a refuted cell."""
        return cls(which, dict(cell.worst), cell.measured, cell.bound, cell.ratio, cell.rounding_error)

    @property
    def share_of_itself(self) -> float:
        """By how much of itself rounding may have moved `measured`."""
        return share_of_itself(self.measured, self.error)

    def printed_ratio(self, sense: str) -> float:
        """The ratio as it is printed on every processor."""
        return printed(self.ratio, sense, self.ratio, is_lost(self.measured, self.error))


def counterexamples(case: Case, evidence: Evidence) -> tuple[Counterexample, ...]:
    """The counterexample in the refuted cell of the least sizes and, where another misses by more, that one.

    None where no search refuted. That a search ends with the simplest instance, and not with the strongest, is why both
    are told. The strongest is measured again, and left out where it then misses nothing.
    """
    refuted = [cell for cell in evidence.cells if cell.verdict is Verdict.REFUTED and cell.worst]
    if not case.claim.evidence.searches or evidence.verdict is not Verdict.REFUTED or not refuted:
        return ()
    least = min(refuted, key=_size)
    smallest = Counterexample.of(SMALLEST, least)
    strongest = _strongest(case, refuted)
    if strongest is None or not strongest.ratio > (1.0 + ROUNDING) * smallest.ratio:
        return (smallest,)
    return (smallest, strongest)


def _size(cell: CellResult) -> float:
    """How large the whole numbers among the sizes of a cell are together, as the logarithm of their product."""
    sizes = (n for n in cell.at.values() if isinstance(n, int | np.integer) and not isinstance(n, bool) and n > 1)
    return math.fsum(math.log(n) for n in sizes)


def _strongest(case: Case, cells: list[CellResult]) -> Counterexample | None:
    """What misses its bound by the largest factor, of all that is kept of these cells."""
    found = max(cells, key=lambda cell: cell.ratio)
    best = Counterexample.of(STRONGEST, found)
    kept = [(cell, instance) for cell in cells for instance in case.memory.kept.get(canonical(cell.at), ())]
    inside = [(cell, instance) for cell, instance in kept if case.standing.has_kept_inside(cell.at, instance)]
    if not inside:
        return best
    cell, instance = max(inside, key=lambda pair: _ratio(pair[1]))
    if not _ratio(instance) > best.ratio:
        return best
    again, _ = case.again(cell.at, instance.values, instance.trial)
    if again.outcome is not Outcome.FAIL or not again.ratio > best.ratio:
        return best
    return Counterexample(STRONGEST, dict(instance.values), again.measured, again.bound, again.ratio, again.error)


def _ratio(instance: Instance) -> float:
    """The largest ratio among the entries of an instance; minus infinity for none."""
    value, limit = np.broadcast_arrays(*(np.asarray(part, float) for part in (instance.value, instance.limit)))
    small, large = (limit, value) if instance.sense == ">=" else (value, limit)
    with np.errstate(all="ignore"):
        ratios = np.asarray(small / large)
    return float(np.max(np.nan_to_num(ratios, nan=-math.inf, posinf=math.inf, neginf=-math.inf), initial=-math.inf))

"""The replicates of a cell beside a bound that a share of them may miss.

Main definition: `MissTest`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from theory.claims.regime import Cell
from theory.claims.results import CellResult, parts
from theory.core.measured import ratios
from theory.core.statistics import SequentialTest
from theory.core.verdict import Verdict
from theory.evidence.replicates import LOOKS, Replicates, Sample

# So many times the declared replicates a cell has at most, where some miss the bound: 20 declared ones become enough
# to support a rate of 0.1 that is reached to a quarter.
MOST_TIMES = 64


@dataclass(frozen=True)
class MissTest:
    """Whether more replicates miss the bound than the share `rate`, decided at the level `alpha` in each cell."""

    replicates: Replicates
    rate: float
    alpha: float

    def result(self, cell: Cell, sample: Sample, bound: float, extends: bool) -> CellResult:
        """What a cell shows; where some replicates miss the bound and this decides nothing, it may get more of them."""
        most = MOST_TIMES * self.replicates.declared(cell)
        found, missed = self._compared(cell, sample, bound, most)
        while extends and missed and found.verdict is Verdict.UNDECIDED and 2 * sample.values.size <= most:
            sample = self.replicates.doubled(cell, sample, 1)
            found, missed = self._compared(cell, sample, bound, most)
        return found

    def _compared(self, cell: Cell, sample: Sample, bound: float, most: int) -> tuple[CellResult, bool]:
        """What the replicates of a cell show beside the bound, and whether some miss it, all being finite and pure."""
        case = self.replicates.case
        limit = np.broadcast_to(bound, sample.values.shape)
        small, large = (sample.values, limit) if case.claim.sense == "<=" else (limit, sample.values)
        met, spared = ((s <= bound if case.claim.sense == "<=" else s >= bound) for s in (sample.far, sample.near))
        missed, failures = int(np.count_nonzero(~met)), int(np.count_nonzero(np.isfinite(sample.near) & ~spared))
        finite = np.isfinite(small) & np.isfinite(large)
        with np.errstate(invalid="ignore"):
            ratio = np.where(finite, ratios(small, large), np.nan)
        # The first bound it is held against is the one in force.
        case.recollection.note_points(cell, (sample.values, limit))
        if not math.isfinite(bound):
            verdict, remark = Verdict.UNDECIDED, "the bound is not a finite number"
        elif missed == 0 and finite.all():
            verdict, remark = Verdict.CONSISTENT, ""
        else:
            verdict, remark = self._decided(missed, failures, sample.values.size, bool(finite.all()))
        if finite.all() or (verdict is Verdict.REFUTED and finite.any()):
            worst = int(np.nanargmax(ratio))
        else:
            worst = int(np.argmin(finite))
        result = CellResult(
            at=cell,
            premises=case.standing.of_cell(cell, bound),
            verdict=verdict,
            measured=float(sample.values[worst]),
            bound=bound,
            ratio=float(ratio[worst]),
            trials=sample.values.size,
            failures=failures,
            seconds=sample.seconds,
            worst={**cell, "trial": sample.first + worst},
            remark=remark,
            parts=parts(enumerate(ratio.tolist())),
            budget=most,
            error=sample.error(worst),
        )
        return result, missed > 0 and bool(finite.all()) and sample.pure and math.isfinite(bound)

    def _decided(self, missed: int, failures: int, trials: int, finite: bool) -> tuple[Verdict, str]:
        """What it says of a cell that some replicates miss its bound, of which `failures` do so for certain.

        A constant that is fitted again on more replicates can only allow more, so that one test refutes at all looks;
        support has its own share at each.
        """
        test = SequentialTest(self.rate, self.alpha)
        if test.decide(failures, trials) == "refute":
            return Verdict.REFUTED, ""
        if not finite:
            return Verdict.UNDECIDED, "a measurement is not a finite number"
        if SequentialTest(self.rate, self.alpha / LOOKS).decide(missed, trials) == "support":
            return Verdict.CONSISTENT, f"{missed} of {trials} replicates miss the bound: fewer than {self.rate:.3g} do"
        if missed > failures:
            told = f"{missed - failures} replicates unsure: the bound lies within what is known of them"
            return Verdict.UNDECIDED, told
        return Verdict.UNDECIDED, f"{missed} of {trials} replicates miss the bound, too few to tell of what share"

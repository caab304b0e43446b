"""Evidence for a bound with a hidden constant: fit the constant on small sizes, test it on larger ones, fit exponents.

The exponents are fitted by least squares on the logarithms of replicates, with heteroscedasticity-consistent (HC3)
intervals, over all sizes and over the lower and the upper half of each variable; the hull of these intervals is what
the claimed exponent is held against, because finite sizes bend a power law.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from theory import progress
from theory.evidence.plan import CellResult, Evidence, Power, summarise
from theory.measured import as_measured
from theory.parallel import run_blocks, sample_block
from theory.regime import Cell
from theory.seeds import canonical
from theory.statistics import SequentialTest, scaling_fit
from theory.verdict import PremiseStatus, Verdict, combine

if TYPE_CHECKING:
    from theory.claim import Claim
    from theory.run import Case

# An interval wider than this on either side cannot tell an exponent from one off by 0.1, and is no evidence.
WIDEST_HALF_WIDTH = 0.1

AGREEMENTS = ("equal", "at most", "at least")


@dataclass(frozen=True)
class Scaling:
    """`replicates` trials in every cell; `exponents` says for each variable how the measured exponent must relate to
    that of the bound: "equal", "at most" or "at least".

    `constant` names the bound's hidden constant; it is fitted as `margin` times the largest ratio seen on the
    calibration cells. Without one, the bound is compared as it stands. On a test cell the claim allows the failure
    rate `rate`, so one unlucky replicate leaves the row undecided instead of refuting it.
    """

    exponents: Mapping[str, str]
    constant: str | None = None
    replicates: int = 20
    margin: float = 2.0
    rate: float = 0.1

    method: ClassVar[str] = "scaling fit"
    pass_verdict: ClassVar[Verdict] = Verdict.CONSISTENT

    def check(self, claim: Claim) -> str:
        """Calibration cells must exist, lie apart from the test cells, and let every exponent be fitted."""
        regime = claim.regime
        if self.constant is not None and self.constant not in claim.bound.constants:
            return f"its hidden constant {self.constant!r} is no constant of the bound"
        if not regime.calibration:
            return "a scaling claim needs calibration cells; add calibration=grid(...) with smaller sizes"
        test = [regime.complete(cell, {}) for cell in regime.cells]
        if any(regime.complete(cell, {}) in test for cell in regime.calibration):
            return "a calibration cell is also a test cell; keep the two apart"
        for name, agreement in self.exponents.items():
            if agreement not in AGREEMENTS:
                return f"exponent of {name}: {agreement!r} is none of {', '.join(AGREEMENTS)}"
            seen = {regime.complete(c, {})[name] for c in [*regime.calibration, *regime.cells]}
            if len(seen) < 3:
                return f"{name} takes {len(seen)} values in the regime; an exponent needs at least 3"
        return ""

    def run(self, case: Case) -> Evidence:
        """Measure all cells, fit the constant and the exponents, and compare."""
        # The constant is fitted where the block says, whatever sizes a what-if asks about.
        calibration = case.claim.regime.select_calibration({})
        test = case.cells
        samples = {canonical(cell): self._sample(case, cell) for cell in [*calibration, *test]}
        finite = all(np.isfinite(values).all() and (values > 0).all() for values, _ in samples.values())
        if not finite:
            cells = [self._cell(case, cell, *samples[canonical(cell)], 1.0) for cell in test]
            nan = Power("exponent", float("nan"))
            return Evidence(
                self.method, Verdict.UNDECIDED, summarise(cells)[1], tuple(cells), nan, alpha=case.alpha
            )
        constant = 1.0
        if self.constant is not None:
            unit = [samples[canonical(c)][0].max() / self._bound(case, c, 1.0) for c in calibration]
            constant = self.margin * max(unit)
        cells = [self._cell(case, cell, *samples[canonical(cell)], constant) for cell in test]
        verdict, status = summarise(cells)
        exponents = self._exponents(case, [*calibration, *test], samples)
        said = [Verdict(entry["verdict"]) for entry in exponents.values()]
        half_widths = [0.5 * (entry["ci"][1] - entry["ci"][0]) for entry in exponents.values()]
        return Evidence(
            self.method,
            combine([verdict, *said]),
            status,
            tuple(cells),
            Power("exponent", max(half_widths, default=float("nan"))),
            alpha=case.alpha,
            exponents=exponents,
            intervals={name: entry["ci"] for name, entry in exponents.items()},
            details={
                "constant": constant if self.constant else None,
                "margin": self.margin,
                "intervals": "HC3",
            },
        )

    def _bound(self, case: Case, cell: Cell, constant: float) -> float:
        values = dict(cell) if self.constant is None else {**cell, self.constant: constant}
        return float(case.bound.evaluate(values))

    def _sample(self, case: Case, cell: Cell) -> tuple[np.ndarray, float]:
        started = time.perf_counter()
        replicates = self.replicates * case.config.factor
        progress.report(f"{case.claim.id} at {canonical(cell)}: {replicates} replicates")
        values: list[Any] = []
        for block in run_blocks(sample_block, case, cell, 0, replicates, size=max(1, replicates // 4)):
            values += block
        sample = np.array([float(np.max(as_measured(value).value)) for value in values])
        return sample, time.perf_counter() - started

    def _cell(
        self, case: Case, cell: Cell, sample: np.ndarray, seconds: float, constant: float
    ) -> CellResult:
        bound = self._bound(case, cell, constant)
        worst = int(np.argmax(sample))
        failures = int(np.count_nonzero(~(sample <= bound)))
        if not np.isfinite(sample).all() or not math.isfinite(bound):
            verdict = Verdict.UNDECIDED
        elif failures == 0:
            verdict = Verdict.CONSISTENT
        else:
            said = SequentialTest(self.rate, case.alpha).decide(failures, sample.size)
            verdict = Verdict.REFUTED if said == "refute" else Verdict.UNDECIDED
        return CellResult(
            at=cell,
            premises=case.cell_status(cell),
            verdict=verdict,
            measured=float(sample[worst]),
            bound=bound,
            ratio=float(sample[worst]) / bound,
            trials=sample.size,
            failures=failures,
            seconds=seconds,
            worst={**cell, "trial": worst},
        )

    def _exponents(
        self, case: Case, cells: list[Cell], samples: Mapping[str, tuple[np.ndarray, float]]
    ) -> dict[str, dict[str, Any]]:
        """Per variable: the claimed exponent, the measured one, the hull of its intervals, and the verdict."""
        inside = [c for c in cells if case.cell_status(c) is PremiseStatus.INSIDE] or cells
        names = [n for n in self.exponents if len({c[n] for c in inside}) > 1]
        rows = [(cell, value) for cell in inside for value in samples[canonical(cell)][0]]
        columns = {name: np.array([float(cell[name]) for cell, _ in rows]) for name in names}
        measured = np.array([value for _, value in rows])
        alpha = case.alpha / (3 * max(1, len(names)))
        whole = scaling_fit(columns, measured, alpha)
        found = {}
        for name in names:
            intervals = [whole.intervals[name]]
            middle = float(np.median(np.unique(columns[name])))
            for half in (columns[name] <= middle, columns[name] >= middle):
                window = {n: column[half] for n, column in columns.items()}
                if all(np.unique(column).size > 1 for column in window.values()):
                    intervals.append(scaling_fit(window, measured[half], alpha).intervals[name])
            low, high = min(i[0] for i in intervals), max(i[1] for i in intervals)
            claimed = float(case.bound.exponent(name))
            found[name] = {
                "claimed": claimed,
                "measured": float(whole.exponents[name]),
                "ci": [float(low), float(high)],
                "agreement": self.exponents[name],
                "windows": [[float(a), float(b)] for a, b in intervals],
                "verdict": str(_agree(self.exponents[name], claimed, low, high)),
            }
        return found


def _agree(agreement: str, claimed: float, low: float, high: float) -> Verdict:
    """Whether an interval [low, high] agrees with the claimed exponent, and is narrow enough to say so."""
    refuted = {
        "equal": claimed < low or claimed > high,
        "at most": low > claimed,
        "at least": high < claimed,
    }[agreement]
    if refuted:
        return Verdict.REFUTED
    one_sided = {"equal": False, "at most": high <= claimed, "at least": low >= claimed}[agreement]
    if one_sided or 0.5 * (high - low) <= WIDEST_HALF_WIDTH:
        return Verdict.CONSISTENT
    return Verdict.UNDECIDED

"""Evidence for equality in law: a sample from the network against the law the theory predicts, exactly.

The Dvoretzky-Kiefer-Wolfowitz inequality with Massart's constant holds for every sample size and every law, so the
largest distance between the empirical and the predicted distribution function is judged without an approximation.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from theory import progress
from theory.evidence.plan import CellResult, Evidence, Power, summarise
from theory.parallel import run_blocks, sample_block
from theory.regime import Cell
from theory.seeds import canonical
from theory.verdict import Verdict

if TYPE_CHECKING:
    from theory.claim import Claim
    from theory.run import Case


def dkw_radius(trials: int, alpha: float) -> float:
    """Distance in law exceeded with probability at most `alpha` (Massart 1990)."""
    return math.sqrt(math.log(2.0 / alpha) / (2.0 * trials))


def distance_in_law(sample: np.ndarray, cdf: Callable[[np.ndarray], np.ndarray]) -> float:
    """Largest distance between the empirical distribution function of `sample` and `cdf`, both sides of each jump."""
    ordered = np.sort(sample)
    predicted = cdf(ordered)
    steps = np.arange(ordered.size + 1) / ordered.size
    return float(max(np.max(steps[1:] - predicted), np.max(predicted - steps[:-1])))


@dataclass(frozen=True)
class Distribution:
    """The function returns one number per trial, or an array of independent ones, in units of the bound.

    `law` builds from symbols of the cell an object with a method `cdf`: the law of measured/bound.
    """

    law: Callable[..., Any]
    trials: int = 4000

    method: ClassVar[str] = "equality in law"
    pass_verdict: ClassVar[Verdict] = Verdict.SUPPORTED

    def check(self, claim: Claim) -> str:
        """The sample must be random and the law built from symbols of the cells."""
        if "rng" not in claim.parameters:
            return "its function takes no rng, so it has no law; add the parameter rng"
        missing = set(inspect.signature(self.law).parameters) - claim.regime.symbols
        return f"its law needs {sorted(missing)}, which the regime does not give" if missing else ""

    def run(self, case: Case) -> Evidence:
        """Sample every cell and compare with the law."""
        chosen = case.cells
        alpha = case.alpha / max(1, len(chosen))
        cells = [self._cell(case, cell, alpha) for cell in chosen]
        verdict, status = summarise(cells)
        sample = min((c.trials for c in cells), default=1)
        reach = dkw_radius(sample, alpha) + math.sqrt(math.log(10.0) / (2.0 * sample))
        return Evidence(
            self.method,
            verdict,
            status,
            tuple(cells),
            Power("distance in law", reach),
            alpha=alpha,
            intervals={
                "distance in law": [0.0, max((c.measured + c.bound for c in cells), default=1.0)],
                "confidence": 1.0 - alpha,
            },
            details={"test": "Dvoretzky-Kiefer-Wolfowitz-Massart"},
        )

    def _cell(self, case: Case, cell: Cell, alpha: float) -> CellResult:
        trials = self.trials * case.config.factor
        progress.report(f"{case.claim.id} at {canonical(cell)}: {trials} trials")
        values: list[Any] = []
        for block in run_blocks(sample_block, case, cell, 0, trials):
            values += block
        sample = np.concatenate([np.atleast_1d(np.asarray(v, float)).ravel() for v in values])
        sample = sample / float(case.bound.evaluate(cell))
        law = self.law(**{name: cell[name] for name in inspect.signature(self.law).parameters})
        radius = dkw_radius(sample.size, alpha)
        remark = ""
        if np.isfinite(sample).all():
            distance = distance_in_law(sample, law.cdf)
            verdict = Verdict.SUPPORTED if distance <= radius else Verdict.REFUTED
            remark = f"mean {sample.mean():.6g}"
        else:
            distance, verdict, remark = (
                float("nan"),
                Verdict.UNDECIDED,
                "a measurement is not a finite number",
            )
        return CellResult(
            at=cell,
            premises=case.cell_status(cell),
            verdict=verdict,
            measured=distance,
            bound=radius,
            ratio=distance / radius,
            trials=int(sample.size),
            failures=int(verdict is Verdict.REFUTED),
            seconds=0.0,
            worst=cell,
            remark=remark,
        )

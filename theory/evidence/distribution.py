"""Evidence for equality in law: a sample from the network against the law the theory predicts, exactly.

The Dvoretzky-Kiefer-Wolfowitz inequality with Massart's constant holds for every sample size and every law,
so the largest distance between the empirical and the predicted distribution function is judged without an
approximation.
"""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from theory.claims.block import Claim, Plan
from theory.claims.regime import Cell
from theory.claims.results import CellResult, Evidence, Power, summarise
from theory.claims.wrong_bounds import Answer, Retrial, WrongBound
from theory.core.digits import near_one
from theory.core.progress import Meter
from theory.core.seeds import canonical
from theory.core.values import Function
from theory.core.verdict import Verdict
from theory.evidence.plan import IMPURE, is_caught, same, unknown_to_cells
from theory.evidence.retrial import judged, of_cells
from theory.running.case import Case
from theory.running.parallel import again, run_blocks, sample_block

# The share of the trials with which a control is tried first: one in so many.
CONTROL_SHARE = 8

# A control that is not refuted is tried with so many times the trials, in turn.
ANEW = (2, 4, 8)


def dkw_radius(trials: int, alpha: float) -> float:
    """Distance in law exceeded with probability at most `alpha` (Massart 1990)."""
    return math.sqrt(math.log(2.0 / alpha) / (2.0 * trials))


def distance_in_law(sample: np.ndarray, cdf: Callable[[np.ndarray], np.ndarray]) -> float:
    """Largest distance between the distribution function of `sample` and `cdf`, on both sides of each jump.

    The law may have atoms: on the left of a jump of the sample stands the limit of `cdf` from the left. NaN
    where `cdf` gives no number, or nothing in the sample is finite. Numbers of the sample that are not finite may be
    anywhere: the distance is the least there is, wherever they are.
    """
    ordered = np.sort(sample[np.isfinite(sample)])
    if ordered.size == 0:
        return math.nan
    at, before = np.asarray(cdf(ordered), float), np.asarray(cdf(np.nextafter(ordered, -np.inf)), float)
    above, below = np.arange(ordered.size + 1), np.arange(sample.size - ordered.size, sample.size + 1)
    return float(np.maximum(np.max(above[1:] / sample.size - at), np.max(before - below[:-1] / sample.size)))


def rounding_of_distance(sample: np.ndarray, error: np.ndarray, cdf: Callable[[np.ndarray], np.ndarray]) -> float:
    """By how much the distance in law may move where each number of `sample` moves by its `error`, both of shape (n,).

    A number at an atom of the law stays there: what is counted is exact.
    """
    known = np.isfinite(sample) & (error > 0.0)
    if not known.any():
        return 0.0
    at, off = sample[known], error[known]
    pairs = (at, at + off), (np.nextafter(at - off, -np.inf), np.nextafter(at, -np.inf))
    return max(float(np.max(np.asarray(cdf(right), float) - np.asarray(cdf(left), float))) for left, right in pairs)


def _key(cell: Cell) -> tuple[str, str]:
    """Under which the sample of a cell is remembered."""
    return "law", canonical(cell)


@dataclass(frozen=True)
class Distribution(Plan):
    """The function returns one number per trial, or an array of independent ones, in units of the bound.

    `law` builds from symbols of the cell an object with a method `cdf`: the law of measured/bound.
    """

    law: Function
    trials: int = 4000

    method: ClassVar[str] = "equality in law"
    pass_verdict: ClassVar[Verdict] = Verdict.SUPPORTED
    bound_is_of_test: ClassVar[bool] = True
    allows_chance: ClassVar[bool] = True
    best_constant: ClassVar[str] = "samples of the law"

    def sketch(self, trials: int) -> Distribution:
        """So many times ten trials: fewer have no law."""
        return replace(self, trials=10 * trials)

    def measurements(self, case: Case) -> list[tuple[Cell, int]]:
        """The trials of every cell."""
        return [(cell, self.trials * case.config.factor) for cell in case.cells]

    def check(self, claim: Claim) -> str:
        """The sample must be random, and the law built from symbols of the cells."""
        if claim.sense != "=":
            return "equality in law is no inequality; state the claim with sense '='"
        if "rng" not in claim.parameters:
            return "its function takes no rng, so it has no law; add the parameter rng"
        missing = sorted(set(inspect.signature(self.law).parameters) - claim.regime.symbols)
        if missing:
            return f"its law needs {', '.join(missing)}, which the regime does not give; add it to the cells"
        return unknown_to_cells(claim)

    def run(self, case: Case) -> Evidence:
        """Sample every cell and compare with the law.

        A control is first tried with a share of the trials, which most often refute it, and with more where none do.
        """
        if case.wants_only_a_refutation:
            early = self._decided(case, share=CONTROL_SHARE)
            if early.verdict is Verdict.REFUTED:
                return early
        found = self._decided(case)
        for times in ANEW if case.wants_only_a_refutation else ():
            if found.verdict is Verdict.REFUTED:
                break
            found = self._decided(case, times)
        return found

    def beside(
        self, control: Case, claim: Case, cell: CellResult
    ) -> tuple[tuple[np.ndarray, float], tuple[np.ndarray, float]]:
        """What one trial gives, in its order, in one unit: the distance in law is no size of what is measured."""
        now, was = (np.ravel(case.measured(cell.at, cell.at, 0).value) for case in (control, claim))
        return (now, 1.0), (was, 1.0)

    def retrial(self, case: Case, evidence: Evidence) -> Retrial | str:
        """On the sample of every cell, in units of the wrong bound."""

        def ask(wrong: WrongBound) -> Answer:
            shares = [0.0]
            for cell in judged(evidence):
                unit = float(np.asarray(wrong.limits(case.with_constants(cell.at), case.limit(cell.at))))
                law = self.law(**{name: cell.at[name] for name in inspect.signature(self.law).parameters})
                if 0.0 < unit < math.inf:
                    sample: np.ndarray = case.memory.samples[_key(cell.at)]
                    shares.append(distance_in_law(sample / unit, law.cdf) / cell.bound)
            worst = float(np.fmax.reduce(shares))
            return Answer(worst > 1.0, worst, f"largest ratio {near_one(worst)}")

        return of_cells(case, [cell.at for cell in judged(evidence)], ask)

    def _decided(self, case: Case, times: int = 1, share: int = 1) -> Evidence:
        """What so many times the trials show, or one in `share` of them."""
        chosen = case.cells
        alpha = case.alpha / max(1, len(chosen))
        trials = max(1, self.trials * case.config.factor * times // share)
        cells: list[CellResult] = []
        for cell in chosen:
            cells.append(self._cell(case, cell, alpha, trials))
            if is_caught(case, cells, chosen[len(cells) :]):
                break
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
                "distance in law": [0.0, float(np.max([c.measured + c.bound for c in cells], initial=0.0))],
                "confidence": 1.0 - alpha,
            },
            details={"test": "Dvoretzky-Kiefer-Wolfowitz-Massart"},
        )

    def _cell(self, case: Case, cell: Cell, alpha: float, trials: int) -> CellResult:
        started = time.perf_counter()
        values, recalled = self._values(case, cell, trials)
        if not case.wants_only_a_refutation:
            case.memory.samples[_key(cell)] = np.concatenate(values, axis=1)[0]
        unit = float(case.limit(cell))
        # Not a finite positive unit: no scaled sample can pass for a law.
        sample, error = np.concatenate(values, axis=1) / (unit if 0.0 < unit < math.inf else math.nan)
        law = self.law(**{name: cell[name] for name in inspect.signature(self.law).parameters})
        radius = dkw_radius(sample.size, alpha)
        distance = distance_in_law(sample, law.cdf)
        if distance <= radius and not np.isfinite(sample).all():
            distance = math.nan  # beyond the radius, the finite numbers alone refute the law
        if not recalled and not self._replays(case, cell, values):
            verdict, remark = Verdict.UNDECIDED, IMPURE
        elif math.isfinite(distance):
            verdict = Verdict.SUPPORTED if distance <= radius else Verdict.REFUTED
            remark = f"mean {sample[np.isfinite(sample)].mean():.6g}"
        else:
            verdict = Verdict.UNDECIDED
            remark = "a measurement, the bound or the law is not a finite number, or is known too coarsely"
        return CellResult(
            at=cell,
            premises=case.standing.of_cell(cell),
            verdict=verdict,
            measured=distance,
            bound=radius,
            ratio=distance / radius,
            trials=int(sample.size),
            failures=int(verdict is Verdict.REFUTED),
            seconds=time.perf_counter() - started,
            worst=cell,
            remark=remark,
            error=None if case.wants_only_a_refutation else rounding_of_distance(sample, error, law.cdf),
        )

    @staticmethod
    def _values(case: Case, cell: Cell, trials: int) -> tuple[list[np.ndarray], bool]:
        """What each trial of a cell gave, with its error, and whether that is recalled: by a control without knobs.

        A control that is tried with more trials keeps those it has.
        """
        key = "trials of a law", canonical(cell)
        known: list[np.ndarray] = case.memory.samples.get(key, []) if case.measures_what_its_claim_did else []
        if trials <= len(known):
            return known[:trials], True
        values: list[np.ndarray] = case.recollection.remember(key, list) if case.wants_only_a_refutation else []
        done = len(values)
        meter = Meter(case.at(cell), trials - done)
        for block in run_blocks(sample_block, case, cell, done, trials, meter=meter):
            values += block
        if not case.wants_only_a_refutation and case.recollection.shares:
            case.memory.samples[key] = values
        return values[:trials], False

    @staticmethod
    def _replays(case: Case, cell: Cell, values: list[np.ndarray]) -> bool:
        """Whether the first trial and the last one give the same numbers again."""
        return all(same(again(sample_block, case, cell, trial)[0], values[trial]) for trial in {0, len(values) - 1})

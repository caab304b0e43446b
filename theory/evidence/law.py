"""Evidence from an exact law: the failure probability is computed, not sampled.

The measuring function gives rigorous brackets of the probability that the claimed quantity exceeds a level.
The row shows the smallest level whose failure probability is within the claim's rate beside the bound.
"""

from __future__ import annotations

import contextlib
import functools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from theory.claims.block import Claim, Plan
from theory.claims.regime import Cell
from theory.claims.results import CellResult, Evidence, Power, all_spent, summarise
from theory.claims.wrong_bounds import Answer, Retrial, WrongBound
from theory.core import progress
from theory.core.digits import near_one
from theory.core.measured import DEFAULT_RELATIVE_ERROR, MeasurementError, ratios, real_numbers
from theory.core.seeds import canonical
from theory.core.verdict import Verdict
from theory.evidence.plan import is_caught, unknown_to_cells
from theory.evidence.retrial import judged, of_cells
from theory.running.case import Case

# Levels are sought within this many doublings of the bound, to a relative accuracy of 2**-LEVEL_BITS.
LEVEL_DOUBLINGS = 64
LEVEL_BITS = 20


@dataclass(frozen=True)
class Tail:
    """Brackets of the probability that the claim fails at a level; equal when the law is known exactly."""

    lower: float
    upper: float

    @property
    def is_probability(self) -> bool:
        """Whether the brackets enclose a probability; an upper one may exceed 1 by its own error bound."""
        return 0.0 <= self.lower <= min(self.upper, 1.0) and math.isfinite(self.upper)


@dataclass(frozen=True)
class ExactLaw(Plan):
    """The function takes `threshold` (the bound's value) and returns the `Tail` probability of exceeding it.

    A number instead of a `Tail` is taken to be known up to rounding. `rate` is the failure rate the claim allows, a
    number or a symbol of the cells.
    """

    rate: float | str = "delta"

    method: ClassVar[str] = "exact law"
    gives_threshold: ClassVar[bool] = True
    pass_verdict: ClassVar[Verdict] = Verdict.SUPPORTED
    is_monotone: ClassVar[bool] = True
    draws: ClassVar[bool] = False
    spends_alpha: ClassVar[bool] = False
    no_factor: ClassVar[str] = "its law is asked for one level, that of its bound"
    best_constant: ClassVar[str] = "exact law: the best value there is at these sizes"

    def check(self, claim: Claim) -> str:
        """The function must ask for the threshold, and the sense must be an upper bound."""
        if "threshold" not in claim.parameters:
            return "its function must take the parameter threshold and return the Tail of exceeding it"
        if claim.sense != "<=":
            return "an exact law judges upper bounds; state the claim with sense '<='"
        if isinstance(self.rate, str) and self.rate not in claim.regime.symbols:
            return f"its rate {self.rate!r} is no symbol of the regime; add it to the cells or give a number"
        if not isinstance(self.rate, str) and not 0.0 <= self.rate < 1.0:
            return f"its rate {self.rate!r} is not between 0 and 1; write what the statement allows"
        if "rng" in claim.parameters:
            return "an exact law draws nothing; remove the parameter rng or use Trials"
        return unknown_to_cells(claim)

    def run(self, case: Case) -> Evidence:
        """Compute the failure probability in every cell."""
        results: list[tuple[CellResult, Tail, float]] = []
        cells: list[CellResult] = []
        chosen = case.cells
        for cell in chosen:
            results.append(self._cell(case, cell))
            cells.append(case.recollection.noted(results[-1][0]))
            if is_caught(case, cells, chosen[len(cells) :]):
                break
        verdict, status = summarise(cells)
        judged = [entry for entry in results if entry[0].premises is status]
        factors = [factor for _, _, factor in judged if factor == factor]
        worst = max(judged, key=lambda entry: entry[0].ratio, default=None)
        tail = worst[1] if worst else Tail(float("nan"), float("nan"))
        return Evidence(
            self.method,
            verdict,
            status,
            tuple(cells),
            Power("bound factor", max(factors, default=float("nan"))),
            intervals={"failure probability": [tail.lower, tail.upper], "confidence": 1.0},
            details={"rate": self.rate},
            spent=all_spent(cells),
        )

    def retrial(self, case: Case, evidence: Evidence) -> Retrial | str:
        """By the levels found: the smallest at which the failure probability is not certainly above the rate."""
        if "bound" in case.claim.parameters:
            return "its function is given the bound, so that every wrong one would be computed anew"

        def ask(wrong: WrongBound) -> Answer:
            shares = [0.0]
            for cell in judged(evidence):
                level = float(case.meetable(np.asarray(wrong.limits(case.with_constants(cell.at), cell.bound), float)))
                refutable = case.memory.levels[canonical(cell.at)] * (1.0 - 2.0**-LEVEL_BITS)
                shares += [ratios(np.asarray(refutable), np.asarray(level)).item()] if refutable > 0.0 else []
            worst = float(np.fmax.reduce(shares))
            return Answer(worst > 1.0, worst, f"largest ratio {near_one(worst)}")

        return of_cells(case, [cell.at for cell in judged(evidence)], ask)

    def beside(self, control: Case, claim: Case, cell: CellResult) -> tuple[tuple[float, float], tuple[float, float]]:
        """The smallest levels at which the failure probability is not certainly above the rate, of one bound."""
        rate = self._rate(cell.at)

        def level(case: Case) -> float:
            return _crossing(self._tail(case, cell.at), lambda found: found.lower <= rate, start)

        known = control.memory.levels.get(canonical(cell.at), math.nan)
        start = known if known > 0.0 else cell.bound if cell.bound > 0.0 else 1.0
        was = known if known == known else level(claim)
        return (level(control), cell.bound), (was, cell.bound)

    def _rate(self, cell: Cell) -> float:
        return float(cell[self.rate]) if isinstance(self.rate, str) else self.rate

    @staticmethod
    def _tail(case: Case, cell: Cell) -> Callable[[float], Tail]:
        """The failure probability by level; both crossings begin with the same levels, each asked for once."""

        @functools.cache
        def tail(level: float) -> Tail:
            found = case.measure(cell, cell, 0, threshold=level)
            brackets = (found.lower, found.upper) if isinstance(found, Tail) else (found, found)
            try:
                lower, upper = (real_numbers(end, "a failure probability").item() for end in brackets)
            except MeasurementError as error:
                raise error.at(canonical(cell)) from None
            # A bare number is known up to rounding; that brackets hold is their author's word.
            lost = 0.0 if isinstance(found, Tail) else DEFAULT_RELATIVE_ERROR
            return Tail(lower * (1.0 - lost), upper * (1.0 + lost))

        return tail

    def _cell(self, case: Case, cell: Cell) -> tuple[CellResult, Tail, float]:
        started = time.perf_counter()
        progress.report(f"{case.at(cell)}: exact tail")
        rate, tail = self._rate(cell), self._tail(case, cell)
        bound = float(case.limit(cell))

        # No tail is asked for at a bound that is no number.
        at_bound = _at(tail, bound, rate) if math.isfinite(bound) else Tail(math.nan, math.nan)
        verdict, remark, quantile, refutable = Verdict.UNDECIDED, "", math.nan, math.nan
        if not at_bound.is_probability:
            remark = (
                "a measurement is not a finite number in [0, 1]"
                if math.isfinite(bound)
                else "the bound is not a finite number"
            )
        elif not 0.0 <= rate < 1.0:
            remark = f"the claim allows the failure rate {rate:.3g} here, which says nothing"
        else:
            if at_bound.upper <= rate:
                verdict = Verdict.SUPPORTED
            elif at_bound.lower > rate:
                verdict = Verdict.REFUTED
            # Where a refutation is all that is wanted, the verdict is.
            # Of a law that keeps below a negative level.
            below = bound < 0.0 and verdict is Verdict.SUPPORTED
            case.memory.signed |= below and not case.wants_only_a_refutation
            if bound <= 0.0 and verdict is Verdict.SUPPORTED:
                quantile = refutable = bound  # no level above it is needed
            elif not case.wants_only_a_refutation:
                start = bound if bound > 0.0 else 1.0
                quantile = _crossing(tail, lambda found: found.upper <= rate, start)
                refutable = _crossing(tail, lambda found: found.lower <= rate, start)
        if not case.wants_only_a_refutation:
            case.memory.levels[canonical(cell)] = refutable
        result = CellResult(
            at=cell,
            premises=case.standing.of_cell(cell),
            verdict=verdict,
            measured=quantile,
            bound=bound,
            ratio=_over(quantile, bound, verdict),
            trials=0,
            failures=0,
            seconds=time.perf_counter() - started,
            worst=cell,
            error=2.0**-LEVEL_BITS * abs(quantile),
            closest=_closest(case, cell, bound) if verdict is Verdict.REFUTED else None,
            # What is known of the law does not decide, or nothing could, as every rate is allowed.
            spent=verdict is Verdict.UNDECIDED and (not remark or rate >= 1.0),
            remark=remark or f"failure probability in [{at_bound.lower:.3g}, {at_bound.upper:.3g}], rate {rate:.3g}",
        )
        return result, at_bound, _over(refutable, bound, verdict)


def _closest(case: Case, cell: Cell, bound: float) -> float | None:
    """The factor on the bound of a control up to which its claim was refutable by the law, where that is the same."""
    if not case.measures_what_its_claim_did or bound <= 0.0:
        return None
    level = case.memory.levels.get(canonical(cell))
    return None if level is None else level * (1.0 - 2.0**-LEVEL_BITS) / bound


def _at(tail: Callable[[float], Tail], bound: float, rate: float) -> Tail:
    """The tail at the bound. Of a size no law may be given at 0 and below, where a tail is what it is above or more."""
    if bound > 0.0:
        return tail(bound)
    with contextlib.suppress(ValueError, ArithmeticError, RuntimeWarning):
        if (found := tail(bound)).is_probability:
            return found
    for halvings in range(LEVEL_DOUBLINGS):
        found = tail(2.0**-halvings)
        if found.is_probability and found.lower > rate:
            return Tail(found.lower, 1.0)
    return Tail(math.nan, math.nan)


def _over(level: float, bound: float, verdict: Verdict) -> float:
    """level/bound; no factor brings a bound that is not positive to a level: 0 where it is met, else infinity."""
    if bound > 0.0:
        # Brackets that never close have no level, and so no ratio.
        return math.nan if verdict is Verdict.UNDECIDED and math.isinf(level) else level / bound
    return {Verdict.SUPPORTED: 0.0, Verdict.REFUTED: math.inf}.get(verdict, math.nan)


class _NoTailError(Exception):
    """The tail at some level is no probability, so no level can be sought."""


def _crossing(tail: Callable[[float], Tail], condition: Callable[[Tail], bool], start: float) -> float:
    """Smallest level, to LEVEL_BITS bits, whose tail meets the monotone condition; NaN if it is not found."""

    def met(level: float) -> bool:
        found = tail(level)
        if not found.is_probability:
            raise _NoTailError
        return condition(found)

    try:
        return _bisect(met, start)
    except _NoTailError:
        return math.nan


def _bisect(met: Callable[[float], bool], start: float) -> float:
    low, high = start, start
    if met(start):
        for _ in range(LEVEL_DOUBLINGS):
            low /= 2.0
            if not met(low):
                break
        else:
            return 0.0
        high = low * 2.0
    else:
        for _ in range(LEVEL_DOUBLINGS):
            high *= 2.0
            if met(high):
                break
        else:
            return math.inf
        low = high / 2.0
    for _ in range(LEVEL_BITS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if met(middle) else (middle, high)
    return high

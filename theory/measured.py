"""A measurement and its comparison with a bound, in which NaN never passes.

Main definitions: `Measured`, what a claim's function returns; `compare`, three-valued; `rounding`, the one
place for rounding-error bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

UNIT_ROUNDOFF = 2.0**-53

# Forward passes here have depth <= 8 and width <= 10^5. Rounding errors of an inner product of length k grow
# like sqrt(k) u for independent signs (Higham and Mary 2019, Theorem 2.4): 8 * sqrt(1e5) * u = 2.8e-13. A
# margin below this relative size is not decided in floating point.
DEFAULT_RELATIVE_ERROR = 1e-12

# Evaluating a formula in float64 takes some tens of operations and library functions, each accurate to about
# a unit in the last place. An exact measurement (error 0) that exceeds a bound by less is no counterexample.
BOUND_RELATIVE_ERROR = 64 * UNIT_ROUNDOFF


def rounding(scale: float, operations: float) -> float:
    """Worst-case absolute error of a sum of `operations` products whose magnitudes sum to at most `scale`.

    This is gamma_k * scale with gamma_k = k u / (1 - k u) (Higham 2002, section 3.1).
    """
    k_u = operations * UNIT_ROUNDOFF
    return scale * k_u / (1.0 - k_u)


@dataclass(frozen=True)
class Measured:
    """A measured quantity: a number or an array, one entry for every index the claim quantifies over.

    `error` bounds the absolute rounding error of `value` (default: `DEFAULT_RELATIVE_ERROR` times its size).
    `symbols` holds the values of symbols that only the measurement knows, such as a sum of loss derivatives;
    they broadcast against `value`. `ball`, when given, encloses a scalar value in ball arithmetic and decides
    a comparison too close for floating point. `scale` is the size of the terms of an equality, against which
    its rounding-error bound is quoted. `low`, when given, makes `value` the upper end of an interval that
    holds the quantity (see `between`).
    """

    value: Any
    error: Any = None
    symbols: dict[str, Any] = field(default_factory=dict)
    ball: Callable[[], Any] | None = None
    scale: float = 1.0
    low: Any = None

    @classmethod
    def between(cls, low: Any, high: Any, symbols: dict[str, Any] | None = None) -> Measured:
        """A quantity of which only an interval is known: numbers, or arrays with one entry for every index.

        The far end must meet a bound for the claim to pass, and the near end break it for the claim to fail;
        a bound inside the interval is borderline. Raises `ValueError` for an interval that ends below its start.
        """
        if np.any(np.asarray(low, float) > np.asarray(high, float)):
            raise ValueError(f"an interval goes from {low} to {high}; give its lower end first")
        return cls(high, symbols=dict(symbols or {}), low=low)

    def __post_init__(self) -> None:
        sizes = [np.size(self.value), *(np.size(entry) for entry in self.symbols.values())]
        if self.ball is not None and max(sizes) > 1:
            raise ValueError(f"a ball decides one comparison, not {max(sizes)}; measure the worst entry alone")

    @property
    def absolute_error(self) -> Any:
        """The rounding-error bound in force."""
        return DEFAULT_RELATIVE_ERROR * np.abs(self.value) if self.error is None else self.error


def as_measured(result: Any) -> Measured:
    """What a claim's function returned, as a `Measured`."""
    if result is None:
        raise TypeError("a claim's function returned nothing; return a number, an array or a Measured")
    return result if isinstance(result, Measured) else Measured(result)


class Outcome(StrEnum):
    """Result of one comparison."""

    PASS = "pass"
    FAIL = "fail"
    BORDERLINE = "borderline"
    NOT_FINITE = "not finite"


@dataclass(frozen=True)
class Comparison:
    """The comparison at its worst index: `ratio` is at most 1 where the claim is met.

    `tolerance` is the largest relative error that the comparison forgives.
    """

    outcome: Outcome
    measured: float
    bound: float
    ratio: float
    tolerance: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether the claim is met here; where that is too close to decide, what the float numbers say."""
        decided = self.outcome is Outcome.PASS
        return decided or (self.outcome is Outcome.BORDERLINE and self.ratio <= 1.0)

    @property
    def unsure(self) -> bool:
        """Whether the numbers miss the bound by less than is known of the quantity: no pass, no failure."""
        return self.outcome is Outcome.BORDERLINE and not self.ok


def ratios(small: np.ndarray, large: np.ndarray) -> np.ndarray:
    """small/large where `large` is positive; elsewhere 0 if small <= large, and infinity if not."""
    positive = large > 0.0
    with np.errstate(over="ignore"):
        quotient = np.maximum(small, 0.0) / np.where(positive, large, 1.0)
    return np.where(positive, quotient, np.where(small <= large, 0.0, np.inf))


def _is_finite(number: Any) -> bool:
    try:
        return bool(np.isfinite(np.asarray(number, float)).all())
    except OverflowError:  # a Python integer beyond float64 is finite
        return True


def finite_values(measured: Measured) -> np.ndarray:
    """The measured numbers, shape (k,), for a plan that draws its own comparison.

    All are NaN if the rounding-error bound or a symbol is not finite, so that such a measurement cannot pass.
    Raises `ValueError` for an interval.
    """
    if measured.low is not None:
        raise ValueError("a law is about numbers, not intervals; return the numbers themselves")
    return finite_ends(measured)[1]


def finite_ends(measured: Measured) -> np.ndarray:
    """The lower and the upper ends of the measured numbers, shape (2, k): equal where no interval is given.

    All are NaN under the conditions of `finite_values`, or if a lower end is not finite.
    """
    low = measured.value if measured.low is None else measured.low
    ends = np.stack([np.atleast_1d(end).ravel() for end in _together(low, measured.value)])
    known = _is_finite(measured.absolute_error) and all(map(_is_finite, measured.symbols.values()))
    return ends if known and (measured.low is None or _is_finite(low)) else np.full(ends.shape, np.nan)


def _together(*numbers: Any) -> tuple[np.ndarray, ...]:
    return tuple(np.broadcast_arrays(*(np.asarray(number, float) for number in numbers)))


def _relative(error: float, scale: float) -> float:
    """error/scale; infinite where an error is forgiven that the scale says nothing of."""
    if error == 0.0:
        return 0.0
    return error / scale if scale > 0.0 else float("inf")


def compare(measured: Measured, bound: Any, sense: str) -> Comparison:
    """Compare `measured` with `bound` in the given sense ("<=", ">=" or "=") at every index.

    For "=" the allowed difference is the rounding-error bound itself, and the ratio is difference/error. Of an
    interval the end that is further from meeting the bound is compared.
    """
    if measured.low is not None and sense == "=":
        raise ValueError("an interval equals nothing; state the claim with sense '<=' or '>='")
    low = measured.value if measured.low is None else measured.low
    value, other, limit, error = _together(
        *((low, measured.value) if sense == ">=" else (measured.value, low)), bound, measured.absolute_error
    )
    if value.size == 0:
        raise ValueError("a measurement is empty: the claim's function must return at least one number")
    finite = np.isfinite(value) & np.isfinite(limit) & np.isfinite(error) & np.isfinite(other)
    finite &= all(map(_is_finite, measured.symbols.values()))
    if not finite.all():
        where = int(np.argmin(finite))
        return Comparison(Outcome.NOT_FINITE, float(value.flat[where]), float(limit.flat[where]), float("nan"))
    with np.errstate(over="ignore"):
        difference = np.abs(value - limit)
    if sense == "=":
        ratio, passed, borderline = (
            ratios(difference, error),
            difference <= error,
            np.zeros(value.shape, bool),
        )
    else:
        small, large = (value, limit) if sense == "<=" else (limit, value)
        ratio = ratios(small, large)
        passed = small <= large
        forgiven = error + BOUND_RELATIVE_ERROR * np.abs(limit)
        borderline = difference <= np.where(passed, forgiven, forgiven + np.abs(value - other))
        # An exact 0 at a bound of 0 is met: it must not take the place of the index with the worst ratio.
        borderline &= ~(passed & (forgiven == 0.0))
    where = int(np.argmax(ratio))
    if not (passed | borderline).all():
        failing = ~(passed | borderline)
        where = int(np.argmax(np.where(failing, ratio, -np.inf)))
        outcome = Outcome.FAIL
    elif borderline.any():
        where = int(np.argmax(np.where(borderline, ratio, -np.inf)))
        outcome = Outcome.BORDERLINE
    else:
        outcome = Outcome.PASS
    return Comparison(
        outcome,
        float(value.flat[where]),
        float(limit.flat[where]),
        float(ratio.flat[where]),
        _relative(float(error.max()), measured.scale),
    )

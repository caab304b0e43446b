"""A measurement and its comparison with a bound, in which neither NaN nor a close call ever passes.

Main definitions: `Measured`, what a claim's function returns; `Walk`, how far a path was followed for it;
`as_measured`, which refuses what is no real number; `compare`, three-valued; `rounding`, the one place for
rounding-error bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

UNIT_ROUNDOFF = 2.0**-53

# What a number that states no error of its own may be off by, relative to itself: a norm, a sum of terms of one sign, a
# count, a formula. Of such numbers a forward pass of depth L and width m loses far less than the worst case L m u, as
# rounding errors have random signs (Higham and Mary 2019, Theorem 2.4). Against numbers of 64 bits, with the same
# weights, states and their norms were off by 8e-16 at L = 8 and m = 10^5, by 4e-16 at L = 50 and m = 10^6, by 5e-15 at
# L = 800 and m = 300 (stored layers), by 1e-14 at L = 800 and m = 10^4, and by 7e-14 at L = 800 and m = 10^5, where the
# errors of the norms have one sign and add up. It covers no cancellation: an output, a sum of m terms of both signs,
# was off by 4e-14 where it had its usual size, and near zero is off by any share of itself. What may cancel states its
# error, from `rounding` or from balls. A margin below this relative size is not decided in floating point.
DEFAULT_RELATIVE_ERROR = 1e-12

# Evaluating a formula in float64 takes some tens of operations and library functions, each accurate to about
# a unit in the last place. An exact measurement (error 0) that exceeds a bound by less is no counterexample.
BOUND_RELATIVE_ERROR = 64 * UNIT_ROUNDOFF

# An entry that meets its bound by less than its stated error is neither pass nor failure. A search may set it aside
# and be decided by other entries if that error is at most this share of the bound: the quantity then exceeds the bound
# by rounding at most, as it does where a bound is attained. A larger error would hide a counterexample of its own size.
CLOSE_CALL = DEFAULT_RELATIVE_ERROR

# An equality forgives its stated error, which is printed as the power of its row. One that forgives more than this
# share of the size of its terms states no equality. Central differences, the coarsest measurement of one here, reach
# 5e-8 of their terms.
EQUALITY_TOLERANCE = 1e-6

# A symbol that the cell gives and the function measures again, as the distance of points that were put at it, is off by
# some roundings of a difference. By so much of itself it is the same.
SAME_SYMBOL = 1e-9


def rounding(scale: float, operations: float) -> float:
    """Worst-case absolute error of a sum of `operations` products whose magnitudes sum to at most `scale`.

    This is gamma_k * scale with gamma_k = k u / (1 - k u) (Higham 2002, section 3.1).
    """
    k_u = operations * UNIT_ROUNDOFF
    return scale * k_u / (1.0 - k_u)


class Walk(NamedTuple):
    """How far a path was followed of which a statement is for all times: the steps, and whether it rests after them."""

    steps: int
    rested: bool


@dataclass(frozen=True)
class Measured:
    """A measured quantity: a number or an array, one entry for every index the claim quantifies over.

    `error` bounds the absolute rounding error of `value` (default: `DEFAULT_RELATIVE_ERROR` times its size); an error
    of 0 says that the value is exact.
    `symbols` holds the values of symbols that only the measurement knows, such as a sum of loss derivatives;
    they broadcast against `value`. `ball`, when given, encloses a scalar value in ball arithmetic and decides
    a comparison too close for floating point. `scale` is the size of the terms of an equality, against which
    its rounding-error bound is quoted. `low`, when given, makes `value` the upper end of an interval that
    holds the quantity (see `between`). `walk` says how far the path was followed, for the row.
    """

    value: Any
    error: Any = None
    symbols: dict[str, Any] = field(default_factory=dict)
    ball: Callable[[], Any] | None = None
    scale: float = 1.0
    low: Any = None
    walk: Walk | None = None

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
        if self.ball is None:
            return
        sizes = [np.size(self.value), *(np.size(entry) for entry in self.symbols.values())]
        if max(sizes) > 1:
            raise ValueError(f"a ball decides one comparison, not {max(sizes)}; measure the worst entry alone")

    @property
    def absolute_error(self) -> Any:
        """The rounding-error bound in force."""
        return DEFAULT_RELATIVE_ERROR * np.abs(self.value) if self.error is None else self.error

    @property
    def enclosure(self) -> Callable[[], Any] | None:
        """What makes the ball that decides a close call: the one given, or of one exact number the number itself."""
        if self.ball is not None:
            return self.ball
        sizes = [np.size(self.value), *(np.size(entry) for entry in self.symbols.values())]
        if self.low is None and max(sizes) == 1 and self.error is not None and not np.any(self.error):
            return self._exact
        return None

    def _exact(self) -> Any:
        import flint  # few measurements need it, and a worker starts faster without

        return flint.arb(real_numbers(self.value).item())


class MeasurementError(ValueError):
    """A claim's function returned what no comparison can be made with; the message is one line."""

    def at(self, place: str) -> MeasurementError:
        """The same error, with the place where it was measured."""
        return MeasurementError(f"{self} (at {place})")


def real_numbers(number: object, what: str = "a measurement") -> np.ndarray:
    """`number` as an array of floats, whatever its shape.

    Raises `MeasurementError` for complex numbers, truth values, texts and other objects, and OverflowError for an
    integer beyond float64.
    """
    array = np.asarray(number)
    if array.dtype.kind in "iuf":
        return array.astype(float, copy=False)
    if array.dtype.kind == "O" and all(isinstance(entry, Real) and not isinstance(entry, bool) for entry in array.flat):
        return array.astype(float)
    kinds = {"c": "complex", "b": "a truth value", "U": "a text", "S": "a text"}
    said = kinds.get(array.dtype.kind, f"of type {type(number).__name__}")
    raise MeasurementError(f"{what} is {said}; return a real number, or an array of real numbers")


def as_measured(result: object) -> Measured:
    """What a claim's function returned, as a `Measured` of real numbers with an error bound that can be one.

    Raises `MeasurementError` for nothing, for what is no real number, and for a stated error that is negative, or not
    finite where the value is.
    """
    if result is None:
        raise MeasurementError("its function returned nothing; return a number, an array or a Measured")
    measured = result if isinstance(result, Measured) else Measured(result)
    value = real_numbers(measured.value)
    if measured.low is not None:
        real_numbers(measured.low, "the lower end of a measurement")
    if not (isinstance(measured.scale, Real) and 0.0 <= measured.scale < np.inf):
        raise MeasurementError(f"the scale of a measurement is {measured.scale}; give the size of its terms")
    for name, symbol in measured.symbols.items():
        try:
            real_numbers(symbol, f"the measured symbol {name}")
        except OverflowError:  # a Python integer beyond float64 is a size like any other
            continue
    if measured.error is not None:
        error = real_numbers(measured.error, "the error of a measurement")
        if (error < 0.0).any():
            raise MeasurementError(f"the error of a measurement is {error.min():.6g}; an error bound is at least 0")
        if bool((np.isfinite(value) & ~np.isfinite(error)).any()):
            raise MeasurementError(
                "the error of a finite measurement is not finite; state a bound of its rounding error, or measure"
                " an interval with Measured.between"
            )
    return measured


def refuse_another_count(measured: Measured, entries: int) -> None:
    """Raise `MeasurementError` where there are not as many numbers as a block says."""
    if np.size(measured.value) != entries:
        raise MeasurementError(
            f"it measures {np.size(measured.value)} numbers, and its block says that there are {entries}; measure each"
            " of them, or refuse sizes that are not built"
        )


def refuse_no_probability(measured: Measured) -> None:
    """Raise `MeasurementError` for a number beyond doubt above 1 or below 0; NaN is for the comparison to refuse."""
    low = measured.value if measured.low is None else measured.low
    least = real_numbers(low) + real_numbers(measured.absolute_error)
    largest = real_numbers(measured.value) - real_numbers(measured.absolute_error)
    for number in (np.min(least, initial=0.0), np.max(largest, initial=0.0)):
        if number < 0.0 or number > 1.0:
            raise MeasurementError(
                f"a probability is measured as {number:.6g}, which is not between 0 and 1; measure the chance itself,"
                " or leave probability=True out"
            )


def is_below_zero(measured: Measured) -> bool:
    """Whether some number is below 0 beyond doubt; NaN is not."""
    value = measured.value
    if isinstance(value, float) and value >= 0.0:
        return False
    with np.errstate(invalid="ignore"):
        return bool(np.any(real_numbers(value) + real_numbers(measured.absolute_error) < 0.0))


def refuse_replaced(measured: Measured, given: Mapping[str, Any], declared: Collection[str]) -> None:
    """Raise `MeasurementError` where a symbol that is `given` is measured too, as another number and undeclared.

    A bound would be judged at another size, or with another constant, than the row says.
    """
    for name in measured.symbols.keys() & given.keys() - set(declared):
        found = measured.symbols[name]
        if not _is_same(found, given[name]):
            shown = _told(np.ravel(found)[0]) if np.size(found) == 1 else f"{np.size(found)} numbers"
            raise MeasurementError(
                f"it measures {name} as {shown}, which the block gives as {_told(given[name])}; measure it under"
                f" another name, or list it in measured=(...) where the measured one counts"
            )


def refuse_contradicted(measured: Measured, ball: Any) -> None:
    """Raise `MeasurementError` where a ball that encloses the quantity is beyond its value by more than the error."""
    from bounds.bound import certainly_le  # few measurements need it, and a worker starts faster without

    value = real_numbers(measured.value)
    # A double next to 0 may be what is left of any number as small.
    error = real_numbers(measured.absolute_error) + np.finfo(float).tiny
    low = value if measured.low is None else real_numbers(measured.low)
    if not all(map(np.isfinite, ends := (low.item() - error.item(), value.item() + error.item()))):
        return
    if certainly_le(ends[0], ball) is False or certainly_le(ball, ends[1]) is False:
        raise MeasurementError(
            f"its ball {ball.str(6)} contradicts its value {value.item():.17g}, which is off by"
            f" {error.item():.2g} at most as it says; state the error that the value has"
        )


def error_beside(value: float, ball: Any, stated: float) -> float:
    """The rounding-error bound of a number beside its ball: how far off it is at most, if less than is stated."""
    shown = float((ball - value).abs_upper())
    return stated if math.isnan(shown) else min(stated, math.nextafter(shown, math.inf))


def _told(value: Any) -> str:
    """A number with as many digits as `SAME_SYMBOL` asks for; a name as it is."""
    return f"{value:.12g}" if isinstance(value, Real) else str(value)


def _is_same(found: Any, given: Any) -> bool:
    """Whether a measured symbol is a given one up to what rounding makes of it on the way."""
    try:
        return bool(np.allclose(real_numbers(found), real_numbers(given), rtol=SAME_SYMBOL, atol=0.0))
    except (MeasurementError, OverflowError):  # a name, or an integer beyond float64
        return bool(np.all(np.asarray(found) == given))


class Outcome(StrEnum):
    """Result of one comparison."""

    PASS = "pass"
    FAIL = "fail"
    BORDERLINE = "borderline"
    NOT_FINITE = "not finite"


@dataclass(frozen=True)
class Comparison:
    """The comparison at its worst index: `ratio` is at most 1 where the claim is met.

    `tolerance` is the largest relative error that the comparison forgives. `decided` says whether some entry meets
    the bound beyond doubt. Of a borderline comparison, `close` says whether every open entry meets the bound as far
    as floats can tell, with an error of at most `CLOSE_CALL` of it. Where every other open entry is lost in rounding,
    its error being at least as large as the number and as its bound, `blank` is the largest such error; else 0.
    `where` is the number of the worst index in arrays of this `shape`, and `error` the rounding-error bound of what is
    measured there.
    """

    outcome: Outcome
    measured: float
    bound: float
    ratio: float
    tolerance: float = 0.0
    decided: bool = False
    close: bool = False
    blank: float = 0.0
    where: int = 0
    shape: tuple[int, ...] = ()
    error: float = math.nan

    def at_worst(self, symbols: Mapping[str, Any]) -> dict[str, Any]:
        """What each of these measured symbols is at the worst index."""
        found = {name: np.asarray(symbol) for name, symbol in symbols.items()}
        return {
            n: (s if s.size == 1 else np.broadcast_to(s, self.shape).flat[self.where]).item() for n, s in found.items()
        }

    @property
    def ok(self) -> bool:
        """Whether the claim is met here beyond doubt."""
        return self.outcome is Outcome.PASS

    @property
    def unsure(self) -> bool:
        """Whether what is known of the quantity does not decide: no pass, no failure."""
        return self.outcome is Outcome.BORDERLINE


def ratios(small: np.ndarray, large: np.ndarray) -> np.ndarray:
    """small/large where `large` is positive; elsewhere 0 if small <= large, and infinity if not."""
    positive = large > 0.0
    with np.errstate(over="ignore"):
        quotient = np.maximum(small, 0.0) / np.where(positive, large, 1.0)
    return np.where(positive, quotient, np.where(small <= large, 0.0, np.inf))


def nearest(value: Any, limit: Any, sense: str) -> tuple[float, float]:
    """The entry of a measurement that is nearest to its bound, or farthest beyond it, and that bound."""
    value, limit = (each.ravel() for each in np.broadcast_arrays(np.asarray(value, float), np.asarray(limit, float)))
    small, large = (limit, value) if sense == ">=" else (value, limit)
    with np.errstate(all="ignore"):
        place = int(np.argmax(np.nan_to_num(small / large, nan=-math.inf)))
    return float(value[place]), float(limit[place])


def _is_finite(number: object) -> bool:
    try:
        return bool(np.isfinite(real_numbers(number)).all())
    except OverflowError:  # a Python integer beyond float64 is finite
        return True


def finite_sample(measured: Measured, unit: float) -> np.ndarray:
    """The measured numbers and their errors, shape (2, k), for a sample of a law that is compared in units of `unit`.

    All are NaN if the rounding-error bound or a symbol is not finite, or an error exceeds `EQUALITY_TOLERANCE` of the
    number and of the unit, so that such a measurement cannot pass. Raises `ValueError` for an interval.
    """
    if measured.low is not None:
        raise ValueError("a law is about numbers, not intervals; return the numbers themselves")
    values = finite_ends(measured)[1]
    error = np.broadcast_to(real_numbers(measured.absolute_error), np.shape(measured.value)).ravel()
    known, found = error <= EQUALITY_TOLERANCE * np.maximum(np.abs(values), unit), np.stack([values, error])
    return found if np.all(known) else np.full(found.shape, np.nan)


def finite_ends(measured: Measured) -> np.ndarray:
    """The lower and the upper ends of the measured numbers, shape (2, k): equal where no interval is given.

    All are NaN if the rounding-error bound, a symbol or a lower end is not finite.
    """
    known = _is_finite(measured.absolute_error) and all(map(_is_finite, measured.symbols.values()))
    if measured.low is None:
        number = real_numbers(measured.value, "a measurement or its bound").ravel()
        return np.array([number, number]) if known else np.full((2, number.size), np.nan)
    ends = np.stack([np.atleast_1d(end).ravel() for end in _together(measured.low, measured.value)])
    return ends if known and _is_finite(measured.low) else np.full(ends.shape, np.nan)


def certain_ends(measured: Measured) -> np.ndarray:
    """As `finite_ends`, moved outward by the stated error: the quantity lies between them beyond doubt."""
    low, high = finite_ends(measured)
    error = np.broadcast_to(real_numbers(measured.absolute_error), np.shape(measured.value)).ravel()
    with np.errstate(invalid="ignore"):
        return np.array([low - error, high + error])


def _together(*numbers: object) -> tuple[np.ndarray, ...]:
    return tuple(np.broadcast_arrays(*(real_numbers(number, "a measurement or its bound") for number in numbers)))


def _finite_symbols(measured: Measured, shape: tuple[int, ...]) -> np.ndarray:
    """At which entries of a measurement of that shape every measured symbol is finite."""
    finite = np.ones(shape, bool)
    for symbol in measured.symbols.values():
        known = _is_finite(symbol)
        if known or np.size(symbol) == 1:
            finite &= known
            continue
        try:
            finite &= np.broadcast_to(np.isfinite(real_numbers(symbol)), shape)
        except (ValueError, OverflowError):  # which entry it belongs to cannot be told
            finite &= False
    return finite


def _relative(error: float, scale: float) -> float:
    """error/scale; infinite where an error is forgiven that the scale says nothing of."""
    if error == 0.0:
        return 0.0
    return error / scale if scale > 0.0 else float("inf")


def _margins(
    value: np.ndarray, other: np.ndarray, limit: np.ndarray, error: np.ndarray, sense: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """At each entry: the ratio, whether the bound is met as far as floats can tell, and whether that is doubtful.

    `other` is the end of what is known of the quantity that is nearer to meeting the bound, and `value` the far one.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        difference = np.abs(value - limit)
    if sense == "=":
        return ratios(difference, error), difference <= error, np.zeros(value.shape, bool)
    small, large = (value, limit) if sense == "<=" else (limit, value)
    ratio, met = ratios(small, large), small <= large
    with np.errstate(over="ignore", invalid="ignore"):
        forgiven = error + BOUND_RELATIVE_ERROR * np.abs(limit)
        borderline = difference <= np.where(met, forgiven, forgiven + np.abs(value - other))
    # An exact 0 at a bound of 0 is met: it must not take the place of the index with the worst ratio.
    return ratio, met, borderline & ~(met & (forgiven == 0.0))


def missed(
    value: np.ndarray, other: np.ndarray, limit: np.ndarray, error: np.ndarray, sense: str
) -> tuple[np.ndarray, np.ndarray]:
    """At which entries a bound is missed beyond doubt, as `compare` decides it, and the ratio at each.

    `value` is the end of what is known of the quantity that is further from meeting the bound, `other` the near one,
    and `error` the rounding-error bound; all have one shape. What is not finite misses nothing and has the ratio NaN.
    """
    finite = np.isfinite(value) & np.isfinite(other) & np.isfinite(limit) & np.isfinite(error)
    with np.errstate(invalid="ignore"):
        ratio, met, borderline = _margins(value, other, limit, error, sense)
    return finite & ~met & ~borderline, np.where(finite, ratio, np.nan)


def _far_apart(measured: Measured, bound: Any, sense: str) -> Comparison | None:
    """The comparison of one number with one bound that differ by more than is forgiven, as most do; None for others.

    As arrays they take ten times as long and more, and come to the same.
    """
    numbers = measured.value, bound, measured.absolute_error
    if sense == "=" or measured.low is not None or not all(isinstance(n, float) and math.isfinite(n) for n in numbers):
        return None
    value, limit, error = map(float, numbers)
    small, large = (value, limit) if sense == "<=" else (limit, value)
    forgiven = error + BOUND_RELATIVE_ERROR * abs(limit)
    apart = large > 0.0 and abs(value - limit) > forgiven
    if not apart or (measured.symbols and not _finite_symbols(measured, ())):
        return None
    met = small <= large
    tolerance = _relative(error, measured.scale)
    return Comparison(
        Outcome.PASS if met else Outcome.FAIL,
        value,
        limit,
        max(small, 0.0) / large,
        tolerance,
        decided=met,
        error=error,
    )


def compare(measured: Measured, bound: Any, sense: str) -> Comparison:
    """Compare `measured` with `bound` in the given sense ("<=", ">=" or "=") at every index.

    For "=" the allowed difference is the rounding-error bound itself, and the ratio is difference/error; where that
    error exceeds `EQUALITY_TOLERANCE` of the terms, what is met is borderline. Of an interval the end that is further
    from meeting the bound is compared. A failure beyond doubt counts, whatever stands at other indices; else a number
    that is not finite is named before a close call.
    """
    if measured.low is not None and sense == "=":
        raise ValueError("an interval equals nothing; state the claim with sense '<=' or '>='")
    if (plain := _far_apart(measured, bound, sense)) is not None:
        return plain
    low = measured.value if measured.low is None else measured.low
    value, other, limit, error = _together(
        *((low, measured.value) if sense == ">=" else (measured.value, low)), bound, measured.absolute_error
    )
    if value.size == 0:
        raise ValueError("a measurement is empty: the claim's function must return at least one number")
    finite = np.isfinite(value) & np.isfinite(limit) & np.isfinite(error) & np.isfinite(other)
    finite &= _finite_symbols(measured, value.shape)
    # Beside numbers that are there to be seen, the terms that cancelled on the way excuse no error of their size.
    seen = float(np.max(np.maximum(np.abs(value), np.abs(limit)))) if sense == "=" and limit.any() else np.inf
    tolerance = _relative(float(error.max()), min(measured.scale, seen))
    ratio, met, borderline = _margins(value, other, limit, error, sense)
    if sense == "=":
        small_error = np.full(value.shape, tolerance <= EQUALITY_TOLERANCE)
        borderline = met & ~small_error
    else:
        small_error = error <= CLOSE_CALL * np.maximum(np.abs(value), np.abs(limit))
    failing = finite & ~met & ~borderline
    passed = finite & met & ~borderline
    open_entries = borderline & ~(met & small_error)
    lost = open_entries & (error >= np.maximum(np.abs(value), np.abs(limit)))
    blank = sense != "=" and bool(lost.any()) and not bool((open_entries & ~lost).any())
    if failing.any():
        outcome, among = Outcome.FAIL, failing
    elif not finite.all():
        where = int(np.argmin(finite))
        nan = float("nan")
        ends = float(value.flat[where]), float(limit.flat[where])
        return Comparison(Outcome.NOT_FINITE, *ends, nan, where=where, shape=value.shape)
    elif borderline.any():
        outcome, among = Outcome.BORDERLINE, open_entries if open_entries.any() else borderline
        if blank and not lost.all():
            among = ~lost
    else:
        outcome, among = Outcome.PASS, passed
    where = int(np.argmax(np.where(among, ratio, -np.inf)))
    return Comparison(
        outcome,
        float(value.flat[where]),
        float(limit.flat[where]),
        float(ratio.flat[where]),
        tolerance,
        decided=bool(passed.any()),
        close=outcome is Outcome.BORDERLINE and not open_entries.any(),
        blank=float(error[lost].max()) if outcome is Outcome.BORDERLINE and blank else 0.0,
        where=where,
        shape=value.shape,
        error=float(error.flat[where]),
    )

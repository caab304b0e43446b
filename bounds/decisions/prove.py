"""Inequalities and identities, decided: in one real variable on a whole interval, and by their symbols' assumptions.

:func:`nonnegative` shows that a formula is nowhere below 0 on an interval, :func:`vanishes` that it is 0
there, :func:`nonnegative_function` the first for a function of balls; :func:`is_identity` has several variables.
:func:`is_zero`, :func:`is_nonnegative`, :func:`is_positive`, :func:`at_least` and :func:`no_negative_coefficient` are
decided by sympy. Each answer is a `Decision`, which holds what was asked.

The interval is cut into boxes until
ball arithmetic decides each of them. Where the formula is 0 at an end, no box next to that end can be decided
by its value; there the first derivative that does not vanish decides, by Taylor's theorem. A zero inside the
interval, or one at an end where the formula has no derivatives, leaves the question open.

Written by hand: `sympy.calculus.util.minimum` raises where it has no critical points in closed form, as for
sin(x) + (pi - x) cos(x) - pi (1 - x/2)^2.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import flint
import sympy

from bounds.arithmetic.balls import BALLS, precision_of
from bounds.arithmetic.tree import UnsupportedFormulaError, compile_tree
from bounds.decisions.questions import Decision, IsZero, NotBelowZero

__all__ = [
    "Decision",
    "at_least",
    "is_identity",
    "is_nonnegative",
    "is_positive",
    "is_zero",
    "no_negative_coefficient",
    "nonnegative",
    "nonnegative_function",
    "vanishes",
]

Ball: TypeAlias = flint.arb
BallFunction: TypeAlias = Callable[[Ball], Ball]

PRECISION = 128
# A box this deep has 2**-DEEPEST of the interval's length; what is still open there is too close to a zero.
DEEPEST = 60
BOXES = 4000
# A formula whose first derivatives all vanish at an end is either 0 or flatter than anything of interest.
HIGHEST_ORDER = 8
# Wrong bounds are put to a proof whose other steps ask what they asked before: so many answers are kept.
KEPT = 4096
# Places, spread over the interval, at which an identity is tried before it is simplified.
PLACES = 16


@dataclass(frozen=True)
class _Interval:
    """Points low + (high - low) s for s in [0, 1]; the ends are exact numbers."""

    low: sympy.Expr
    high: sympy.Expr

    def ball(self, first: Fraction, last: Fraction) -> Ball:
        """An enclosure of the points with s between `first` and `last`."""
        low, high = _number(self.low), _number(self.high)
        middle, radius = (first + last) / 2, (last - first) / 2
        share = flint.arb(BALLS.number(middle), BALLS.number(radius)) if radius else BALLS.number(middle)
        # The ends themselves enter as they are, so that a formula can be exactly 0 there.
        if first == last and first in (0, 1):
            return high if first else low
        return low + (high - low) * share


@lru_cache(maxsize=KEPT)
def nonnegative(
    expr: sympy.Expr, variable: sympy.Symbol, low: sympy.Expr | int, high: sympy.Expr | int, *, boxes: int = BOXES
) -> Decision:
    """Decide whether `expr` >= 0 for all `variable` in [low, high].

    Parameters
    ----------
    expr
        sympy expression in `variable` alone, with the functions of `bounds.arithmetic.tree`.
    variable
        Its symbol.
    low, high
        Exact numbers, as ``0``, ``sympy.pi`` or ``sympy.log(2)``; low < high.
    boxes
        Number of boxes to look at before giving up.

    Raises
    ------
    UnsupportedFormulaError
        `expr` holds another symbol, or something without a form in ball arithmetic.
    """
    expr = sympy.sympify(expr, strict=True)
    _check_symbols(expr, variable)
    interval = _Interval(sympy.sympify(low, strict=True), sympy.sympify(high, strict=True))
    question = NotBelowZero(expr, ((variable, interval.low, interval.high),))
    value, slope = _compiled(expr, variable), _derivative(expr, variable, 1)
    ends: list[BallFunction | None] = []
    with precision_of(PRECISION):
        for end, inward in ((interval.low, 1), (interval.high, -1)):
            order = _order(expr, variable, end)
            if not order:
                ends.append(None)
                continue
            derivative = _derivative(expr, variable, order)
            leading = inward**order * derivative(_number(end)) if derivative else flint.arb.nan()
            if leading < 0:
                return Decision(False, float(end)).of(question)
            ends.append(_signed(derivative, inward**order) if derivative else None)
    return nonnegative_function(
        value, interval.low, interval.high, slope=slope, at_low=ends[0], at_high=ends[1], boxes=boxes
    ).of(question)


def nonnegative_function(
    value: BallFunction,
    low: sympy.Expr | int,
    high: sympy.Expr | int,
    *,
    slope: BallFunction | None = None,
    at_low: BallFunction | None = None,
    at_high: BallFunction | None = None,
    boxes: int = BOXES,
) -> Decision:
    """Decide whether `value` >= 0 on [low, high], for a function that encloses its values on a ball.

    `slope` encloses its derivative. `at_low` and `at_high` are for ends where the function and its first
    k - 1 derivatives vanish: they enclose the k-th one, with its sign turned at the upper end when k is odd,
    so that the function is nowhere negative on a box at that end on which they are not.
    """
    value = _plain(value)
    slope, at_low, at_high = (None if f is None else _plain(f) for f in (slope, at_low, at_high))
    interval = _Interval(sympy.sympify(low, strict=True), sympy.sympify(high, strict=True))
    looked_at = 0
    with precision_of(PRECISION):
        # What is lowest is cut first, so that a violation is found early.
        queue = [(0.0, 0, Fraction(0), Fraction(1))]
        while queue:
            _, depth, first, last = heapq.heappop(queue)
            looked_at += 1
            box = interval.ball(first, last)
            lowest, decided = _lowest(value, slope, interval, first, last)
            if decided or (first == 0 and at_low is not None and at_low(box) >= 0):
                continue
            if last == 1 and at_high is not None and at_high(box) >= 0:
                continue
            for place in (first, (first + last) / 2, last):
                point = interval.ball(place, place)
                if value(point) < 0:
                    return Decision(False, float(point), looked_at)
            if depth == DEEPEST or looked_at >= boxes:
                return Decision(None, float(box.mid()), looked_at)
            middle = (first + last) / 2
            for half in ((first, middle), (middle, last)):
                heapq.heappush(queue, (lowest, depth + 1, *half))
    return Decision(True, None, looked_at)


def _plain(function: BallFunction) -> BallFunction:
    """The function with balls of which a comparison that cannot tell is false: such a box is cut, and no failure."""

    def found(ball: flint.arb) -> flint.arb:
        return flint.arb(function(ball))

    return found


def _lowest(
    value: BallFunction, slope: BallFunction | None, interval: _Interval, first: Fraction, last: Fraction
) -> tuple[float, bool]:
    """A lower bound of the function on a box (minus infinity: none known), and whether it is at least 0."""
    box = interval.ball(first, last)
    found = [value(box)]
    if slope is not None:
        rate = slope(box)
        if rate >= 0 or rate <= 0:
            end = first if rate >= 0 else last
            found.append(value(interval.ball(end, end)))
        middle = interval.ball((first + last) / 2, (first + last) / 2)
        found.append(value(middle) + rate * (box - middle))
    lowest = max((float(f.lower()) for f in found if f.is_finite()), default=-float("inf"))
    return lowest, any(bool(f >= 0) for f in found)


@lru_cache(maxsize=KEPT)
def vanishes(expr: sympy.Expr, variable: sympy.Symbol, low: Any, high: Any) -> Decision:
    """Whether `expr` is 0 for all `variable` in [low, high]; None where that is open.

    True means that it simplifies to 0, which uses no more than the symbol says of the variable; False that
    ball arithmetic found a place where it is not 0.

    Raises :class:`UnsupportedFormulaError` as `nonnegative` does.
    """
    expr = sympy.sympify(expr, strict=True)
    _check_symbols(expr, variable)
    value = _compiled(expr, variable)
    interval = _Interval(sympy.sympify(low, strict=True), sympy.sympify(high, strict=True))
    question = IsZero(expr, ((variable, interval.low, interval.high),))
    with precision_of(PRECISION):
        for k in range(PLACES):
            place = interval.ball(*[Fraction(2 * k + 1, 2 * PLACES)] * 2)
            found = value(place)
            if found > 0 or found < 0:
                return Decision(False, float(place)).of(question)
    return Decision(True if sympy.simplify(expr) == 0 else None).of(question)


@lru_cache(maxsize=KEPT)
def is_identity(expr: sympy.Expr) -> Decision:
    """Whether `expr` is 0 for all positive values of its symbols; None where that is open.

    True means that it simplifies to 0; False that ball arithmetic found a place where it is not 0. The places are
    always the same: `sympy.Expr.equals` draws its own, and leaves open in one run what it decides in the next.

    Raises :class:`UnsupportedFormulaError` for a formula that ball arithmetic does not know.
    """
    expr = sympy.sympify(expr, strict=True)
    question = IsZero(expr)
    if _is_somewhere_not_zero(expr):
        return Decision(False).of(question)
    return Decision(True if sympy.simplify(expr) == 0 else None).of(question)


@lru_cache(maxsize=KEPT)
def is_zero(expr: sympy.Expr, simplified: sympy.Expr | None = None) -> Decision:
    """Whether `expr` is 0 for all values of its symbols.

    True means that it simplifies to 0, or `simplified` is 0, which the caller made of it. Anything else is False, and
    says no more than that sympy does not see it.
    """
    expr = sympy.sympify(expr, strict=True)
    reduced = sympy.simplify(expr) if simplified is None else simplified
    return Decision(bool(reduced == 0)).of(IsZero(expr))


def is_nonnegative(expr: sympy.Expr) -> Decision:
    """Whether `expr` >= 0 by what its symbols are declared to be; None where sympy leaves that open."""
    expr = sympy.sympify(expr, strict=True)
    return Decision(expr.is_nonnegative).of(NotBelowZero(expr))


def is_positive(expr: sympy.Expr) -> Decision:
    """Whether `expr` > 0 by what its symbols are declared to be; None where sympy leaves that open."""
    expr = sympy.sympify(expr, strict=True)
    return Decision(expr.is_positive).of(NotBelowZero(expr, strict=True))


def at_least(larger: Any, smaller: Any, *, strict: bool = False) -> Decision:
    """Whether one real number without symbols is at least another, or above it; None where either is none."""
    gap = sympy.sympify(larger, strict=True) - sympy.sympify(smaller, strict=True)
    if not (gap.is_number and gap.is_extended_real):
        return Decision(None)
    return Decision(bool(gap > 0) if strict else bool(gap >= 0)).of(NotBelowZero(gap, strict=strict))


def no_negative_coefficient(expr: sympy.Expr, *variables: sympy.Symbol) -> Decision:
    """Whether a polynomial has no negative coefficient, so that it is nowhere negative at `variables` >= 0.

    None where a coefficient holds symbols of which that is not known. A negative one says nothing of the polynomial,
    so that no question is asked of it.

    Raises :class:`sympy.PolynomialError` for anything else than a polynomial in these variables.
    """
    signs = [coefficient.is_nonnegative for coefficient in sympy.Poly(expr, *variables).coeffs()]
    if not all(signs):
        return Decision(False if False in signs else None)
    within = tuple((variable, sympy.S.Zero, sympy.oo) for variable in variables)
    return Decision(True).of(NotBelowZero(sympy.sympify(expr, strict=True), within))


def _is_somewhere_not_zero(expr: sympy.Expr) -> bool:
    """Whether ball arithmetic finds a place among positive numbers at which the formula is not 0."""
    names = sorted(free.name for free in expr.free_symbols)
    value = compile_tree(expr, BALLS)
    with precision_of(PRECISION):
        for k in range(PLACES):
            # Different numbers around 1 for all symbols, in another order at each place.
            at = [Fraction(3 + (place * (k + 2) + k) % 17, 8 + place) for place in range(len(names))]
            found = value({name: BALLS.number(number) for name, number in zip(names, at, strict=True)})
            if found > 0 or found < 0:
                return True
    return False


def _check_symbols(expr: sympy.Expr, variable: sympy.Symbol) -> None:
    others = sorted(free.name for free in expr.free_symbols - {variable})
    if others:
        raise UnsupportedFormulaError(
            f"{expr} is to be decided in {variable} alone, but holds {', '.join(others)}: give each a number"
        )


def _number(expr: sympy.Expr) -> Ball:
    ball: Ball = compile_tree(expr, BALLS)({})
    return ball


def _compiled(expr: sympy.Expr, variable: sympy.Symbol) -> BallFunction:
    tree = compile_tree(expr, BALLS)
    return lambda ball: tree({variable.name: ball})


def _signed(function: BallFunction, sign: int) -> BallFunction:
    return function if sign > 0 else lambda ball: -function(ball)


def _derivative(expr: sympy.Expr, variable: sympy.Symbol, order: int) -> BallFunction | None:
    """The derivative of that order; None where it has no form in ball arithmetic (a kink, for one)."""
    try:
        return _compiled(sympy.diff(expr, variable, order), variable)
    except UnsupportedFormulaError:
        return None


def _order(expr: sympy.Expr, variable: sympy.Symbol, end: sympy.Expr) -> int:
    """Order of the first derivative that does not vanish at `end`; 0 where there is no zero or no answer."""
    derivative = expr
    for order in range(HIGHEST_ORDER + 1):
        at_end = derivative.subs(variable, end)
        if at_end.has(sympy.oo, -sympy.oo, sympy.zoo, sympy.nan):
            return 0
        try:
            found = _number(at_end)
        except UnsupportedFormulaError:  # the derivative of a kink, at the kink
            return 0
        if found > 0 or found < 0:
            return order
        if not found.is_finite() or sympy.simplify(at_end) != 0:
            return 0
        derivative = sympy.diff(derivative, variable)
    return 0

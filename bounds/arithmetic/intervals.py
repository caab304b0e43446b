"""Intervals whose ends are kept as sign and logarithm, for sets of parameters that span many magnitudes.

A box of parameters such as 1 <= m <= 2**20000 is far too wide for a midpoint and a radius: the ball would
hold negative numbers and its logarithm would be undefined. Here an interval is a pair of ends, each a sign
and the logarithm of the absolute value as an exact `flint.arb`; every operation rounds the lower end down and
the upper end up. ``None`` stands for an interval about which nothing is known. The precision is that of
`flint.ctx` at the time of the call.

Written by hand: `mpmath.iv` takes as long for the premises of the sheets, but has no asin, acos and atan, and raises
where a function is undefined.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import flint
import sympy

from bounds.arithmetic.balls import BALLS

__all__ = ["INTERVALS", "End", "Interval", "IntervalArithmetic", "between", "is_above_one", "is_below_one"]


class End(NamedTuple):
    """The number sign * exp(log); `log` is exact, and means nothing when `sign` is 0."""

    sign: int
    log: flint.arb

    def before(self, other: "End") -> bool:
        """Whether this number is smaller than the other one."""
        if self.sign != other.sign:
            return self.sign < other.sign
        if self.sign == 0:
            return False
        return bool(self.log < other.log if self.sign > 0 else self.log > other.log)


Interval: TypeAlias = tuple[End, End] | None

_ZERO = End(0, flint.arb(0))


def _end(sign: int, log: flint.arb, up: bool) -> End:
    """Round the ball `log` outwards."""
    return End(sign, log.upper() if (sign > 0) == up else log.lower())


def _to_end(value: flint.arb, up: bool) -> End:
    """A bound of the number enclosed by the ball `value`."""
    bound = value.upper() if up else value.lower()
    if bound.is_zero():
        return _ZERO
    sign = 1 if bound > 0 else -1
    return _end(sign, abs(bound).log(), up)


def _from_end(end: End) -> flint.arb:
    """A ball that encloses the number."""
    return end.sign * end.log.exp() if end.sign else flint.arb(0)


def _sum(a: End, b: End, up: bool) -> End:
    if a.sign == 0 or b.sign == 0:
        return b if a.sign == 0 else a
    big, small = (a, b) if a.log >= b.log else (b, a)
    gap = small.log - big.log
    if a.sign == b.sign:
        return _end(a.sign, big.log + gap.exp().log1p(), up)
    if a.log == b.log:
        return _ZERO
    return _end(big.sign, big.log + (-gap.expm1()).log(), up)


def _product(a: End, b: End, up: bool) -> End:
    sign = a.sign * b.sign
    return _end(sign, a.log + b.log, up) if sign else _ZERO


def _smallest(ends: Sequence[End]) -> End:
    best = ends[0]
    for end in ends[1:]:
        best = end if end.before(best) else best
    return best


def _largest(ends: Sequence[End]) -> End:
    best = ends[0]
    for end in ends[1:]:
        best = end if best.before(end) else best
    return best


def _from_ball(ball: flint.arb) -> Interval:
    return (_to_end(ball, False), _to_end(ball, True)) if ball.is_finite() else None


def _times(a: tuple[End, End], b: tuple[End, End]) -> tuple[End, End]:
    if a[0].sign > 0 and b[0].sign > 0:
        return _product(a[0], b[0], False), _product(a[1], b[1], True)
    pairs = [(x, y) for x in a for y in b]
    return _smallest([_product(x, y, False) for x, y in pairs]), _largest([_product(x, y, True) for x, y in pairs])


class IntervalArithmetic:
    """Arithmetic of :data:`Interval`: the result holds every value the operation takes on the arguments."""

    def number(self, value: Any) -> Interval:
        """The interval of one number."""
        return _from_ball(BALLS.number(value))

    def literal(self, value: sympy.Expr) -> Interval:
        """A rational number, pi or E."""
        return _from_ball(BALLS.literal(value))

    def add(self, terms: Sequence[Interval]) -> Interval:
        """Sum."""
        low, high = _ZERO, _ZERO
        for term in terms:
            if term is None:
                return None
            low, high = _sum(low, term[0], False), _sum(high, term[1], True)
        return low, high

    def multiply(self, factors: Sequence[Interval]) -> Interval:
        """Product."""
        product = factors[0]
        for factor in factors[1:]:
            if product is None or factor is None:
                return None
            product = _times(product, factor)
        return product

    def power(self, base: Interval, exponent: Interval) -> Interval:
        """Power of a positive base, by way of exp(exponent * log(base))."""
        if base is None or exponent is None or base[0].sign <= 0:
            return None
        return self.apply("exp", self.multiply([exponent, self.apply("log", base)]))

    def rational_power(self, base: Interval, exponent: sympy.Rational) -> Interval:
        """Power with a fixed exponent; a base that may be negative needs an integer one."""
        if base is None:
            return None
        p, q = int(exponent.p), int(exponent.q)
        low, high = base
        if low.sign < 0:
            if q != 1:
                return None
            if p % 2 == 0:
                return self.rational_power(self.apply("Abs", base), exponent)
            if high.sign >= 0:
                if p < 0:
                    return None
                return self._raise(low, p, q, False), self._raise(high, p, q, True)
            return self._raise(high if p < 0 else low, p, q, False), self._raise(low if p < 0 else high, p, q, True)
        if p > 0:
            return self._raise(low, p, q, False), self._raise(high, p, q, True)
        if low.sign == 0:
            return None
        return self._raise(high, p, q, False), self._raise(low, p, q, True)

    @staticmethod
    def _raise(end: End, p: int, q: int, up: bool) -> End:
        sign = end.sign if p % 2 else abs(end.sign)
        return _end(sign, end.log * p / q, up) if sign else _ZERO

    def apply(self, function: str, argument: Interval) -> Interval:
        """One function of one argument."""
        if argument is None:
            return None
        low, high = argument
        if function == "log":
            return (_to_end(low.log, False), _to_end(high.log, True)) if low.sign > 0 else None
        if function == "exp":
            return _end(1, _from_end(low), False), _end(1, _from_end(high), True)
        if function == "Abs":
            if low.sign >= 0:
                return argument
            turned = End(1, low.log)
            return (End(-high.sign, high.log), turned) if high.sign < 0 else (_ZERO, _largest([turned, high]))
        # The others are wanted on short intervals only, where one ball encloses the argument well.
        ball = _from_end(low).union(_from_end(high))
        return _from_ball(BALLS.apply(function, ball))

    def select(self, selection: str, arguments: Sequence[Interval]) -> Interval:
        """Smallest or largest."""
        known = [argument for argument in arguments if argument is not None]
        if len(known) < len(arguments):
            return None
        choose: Callable[[Sequence[End]], End] = _smallest if selection == "Min" else _largest
        return choose([low for low, _ in known]), choose([high for _, high in known])


INTERVALS = IntervalArithmetic()


def between(low: Any, high: Any) -> Interval:
    """The interval from `low` to `high` (int, float or Fraction); None when an end is infinite."""
    first, last = INTERVALS.number(low), INTERVALS.number(high)
    return None if first is None or last is None else (first[0], last[1])


def is_above_one(interval: Interval, or_equal: bool) -> bool:
    """Whether every point is > 1 (>= 1 with `or_equal`); False when that is not certain."""
    if interval is None or interval[0].sign <= 0:
        return False
    low = interval[0].log
    return bool(low >= 0 if or_equal else low > 0)


def is_below_one(interval: Interval, or_equal: bool) -> bool:
    """Whether every point is < 1 (<= 1 with `or_equal`); False when that is not certain."""
    if interval is None:
        return False
    high = interval[1]
    return high.sign <= 0 or bool(high.log <= 0 if or_equal else high.log < 0)

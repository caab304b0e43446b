"""Ball arithmetic with python-flint: each number is a midpoint and a radius that encloses the true value.

Doubles and integers enter exactly, rational numbers as an enclosure of 1/q. The working precision is that
of `flint.ctx` at the time of the call. :func:`certainly_le` is the one way to compare two balls: the
operators of `flint.arb` answer False both for "no" and for "cannot tell". Those of :class:`Ball`, which bounds give,
raise :class:`UndecidedError` where they cannot tell.

Written by hand: the list of functions and the comparisons alone; what is computed python-flint computes.
"""

import contextlib
import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import flint
import sympy

from bounds.arithmetic.logfloat import plain_number

__all__ = ["BALLS", "Ball", "BallArithmetic", "UndecidedError", "certainly_le", "precision_of"]


DOUBLE_BITS = 53


def precision_of(bits: int) -> contextlib.AbstractContextManager[Any]:
    """Context in which balls are computed with `bits` bits."""
    context: contextlib.AbstractContextManager[Any] = flint.ctx.workprec(bits)
    return context


class UndecidedError(ArithmeticError):
    """Two balls overlap, so that no comparison of what they enclose is known."""


class Ball(flint.arb):  # type: ignore[misc]
    """A ball whose comparisons raise `UndecidedError` where they cannot tell, as do those of what is computed of it.

    So what a proof could not show is never taken for what it has refuted.
    """

    __hash__ = flint.arb.__hash__

    def __lt__(self, other: Any) -> Any:
        return self._compared("lt", "ge", other)

    def __le__(self, other: Any) -> Any:
        return self._compared("le", "gt", other)

    def __gt__(self, other: Any) -> Any:
        return self._compared("gt", "le", other)

    def __ge__(self, other: Any) -> Any:
        return self._compared("ge", "lt", other)

    def __eq__(self, other: Any) -> Any:
        return self._compared("eq", "ne", other)

    def __ne__(self, other: Any) -> Any:
        return self._compared("ne", "eq", other)

    def _compared(self, name: str, opposite: str, other: Any) -> Any:
        answer, contrary = (getattr(flint.arb, f"__{word}__")(self, other) for word in (name, opposite))
        if answer is NotImplemented or answer or contrary:
            return answer
        raise UndecidedError(
            f"a comparison of {self.str(6)} with {other.str(6) if isinstance(other, flint.arb) else other} is not "
            f"decided; take a higher precision, or certainly_le, which gives None there"
        )


def _kept(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method of balls that gives a `Ball` where it gave a ball."""

    @functools.wraps(function)
    def kept(*arguments: Any) -> Any:
        found = function(*arguments)
        return Ball(found) if type(found) is flint.arb else found

    return kept


_OPERATIONS = ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow", "rpow", "neg", "abs")
_FUNCTIONS = ("sqrt", "root", "exp", "expm1", "log", "log1p", "erf", "erfc", "acos", "cos", "sin", "tanh", "min", "max")
for _name in (*(f"__{word}__" for word in _OPERATIONS), *_FUNCTIONS):
    setattr(Ball, _name, _kept(getattr(flint.arb, _name)))


class BallArithmetic:
    """Arithmetic of `flint.arb`; undefined results are NaN balls."""

    def number(self, value: Any) -> flint.arb:
        """A ball as it is; an int or a double exactly; a Fraction as the tightest enclosure."""
        if isinstance(value, flint.arb):
            return value
        value = plain_number(value)
        if isinstance(value, Fraction):
            return flint.arb(flint.fmpq(value.numerator, value.denominator))
        if isinstance(value, float) and math.isinf(value):
            return flint.arb.pos_inf() if value > 0 else flint.arb.neg_inf()
        return flint.arb(value)

    def literal(self, value: sympy.Expr) -> flint.arb:
        """A rational number, pi or E."""
        if value == sympy.pi:
            return flint.arb.pi()
        return flint.arb.const_e() if value == sympy.E else self.number(value)

    def add(self, terms: Sequence[flint.arb]) -> flint.arb:
        """Sum."""
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        return total

    def multiply(self, factors: Sequence[flint.arb]) -> flint.arb:
        """Product."""
        product = factors[0]
        for factor in factors[1:]:
            product = product * factor
        return product

    def power(self, base: flint.arb, exponent: flint.arb) -> flint.arb:
        """Power with a ball as exponent."""
        return base**exponent

    def rational_power(self, base: flint.arb, exponent: sympy.Rational) -> flint.arb:
        """Power with an exact exponent p/q: integer powers of a root, so that perfect powers stay exact."""
        p, q = int(exponent.p), int(exponent.q)
        if base.is_zero():
            return base if p > 0 else flint.arb.nan()
        root = base if q == 1 else base.sqrt() if q == 2 else base.root(q)
        return root**p

    def apply(self, function: str, argument: flint.arb) -> flint.arb:
        """One function of one argument."""
        return abs(argument) if function == "Abs" else getattr(argument, function)()

    def select(self, selection: str, arguments: Sequence[flint.arb]) -> flint.arb:
        """Smallest or largest."""
        chosen = arguments[0]
        for argument in arguments[1:]:
            chosen = chosen.min(argument) if selection == "Min" else chosen.max(argument)
        return chosen


BALLS = BallArithmetic()


def certainly_le(a: flint.arb | float, b: flint.arb | float) -> bool | None:
    """Whether `a <= b`: True or False when every pair of points in the balls agrees, else None.

    Doubles, integers and Fractions enter exactly. A NaN is None: nothing is certain about it.
    """
    # A Fraction is a ball of this precision: enough to tell it from every double that is not its value.
    with precision_of(2 * DOUBLE_BITS + 64):
        left, right = BALLS.number(a), BALLS.number(b)
    if flint.arb.__le__(left, right):
        return True
    return False if flint.arb.__gt__(left, right) else None

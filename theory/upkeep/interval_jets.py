"""Taylor coefficients of a formula on an interval, and at a point exactly: the second judge's arithmetic.

A jet is the list of the first Taylor coefficients of a formula in one variable. `INTERVALS` computes them with
mpmath's intervals, so that they enclose what they are anywhere on the interval, and `EXACT` in the normal forms of
`theory.upkeep.normal_forms`, so that a coefficient that is 0 is known to be. Nothing is compared by the operators of
mpmath's intervals, which answer None where they cannot tell: `lowest` and `highest` are the ends.

Main definitions: `jet`, `INTERVALS`, `EXACT`, `interval`, `lowest`, `highest`, `UndefinedError`.

Written by hand: `mpmath.iv` has no derivatives, and neither asin, acos nor atan.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Protocol

import mpmath
import sympy
from mpmath import iv, libmp

from theory.upkeep.normal_forms import Form, TooLargeError, called, circular, exponential, logarithm

#: Bits of the intervals.
PRECISION = 160
# So many bits more are computed of a function that mpmath has for numbers alone, and its last bits are widened.
GUARD = 30


class UndefinedError(ArithmeticError):
    """A formula that is not defined everywhere on an interval, or whose derivatives are not."""


def lowest(value: Any) -> Any:
    """The lower end, minus infinity where nothing is known."""
    end = mpmath.mp.make_mpf(value._mpi_[0])
    return -mpmath.inf if mpmath.isnan(end) else end


def highest(value: Any) -> Any:
    """The upper end, infinity where nothing is known."""
    end = mpmath.mp.make_mpf(value._mpi_[1])
    return mpmath.inf if mpmath.isnan(end) else end


def interval(low: Any, high: Any) -> Any:
    """The interval between two intervals, both included."""
    return iv.make_mpf((low._mpi_[0], high._mpi_[1]))


def rational(value: Fraction) -> Any:
    """An enclosure of a fraction."""
    return iv.mpf(value.numerator) / iv.mpf(value.denominator)


class Ring(Protocol):
    """What jets need of their coefficients."""

    def rational(self, value: Fraction) -> Any:
        """A fraction."""

    def divide(self, one: Any, other: Any) -> Any:
        """A quotient; raises where it has none."""

    def call(self, name: str, value: Any) -> Any:
        """exp, log, sin, cos, asin, acos, atan."""

    def root(self, value: Any, exponent: Fraction) -> Any:
        """A power with a fixed exponent that is no integer."""

    def sign(self, value: Any) -> int:
        """1 or -1 where that is certain, else 0."""


class _Intervals:
    """mpmath's intervals."""

    def rational(self, value: Fraction) -> Any:
        return rational(value)

    def divide(self, one: Any, other: Any) -> Any:
        if not self.sign(other):
            raise UndefinedError("a division by what may be 0")
        return one / other

    def call(self, name: str, value: Any) -> Any:
        if name == "exp":
            return iv.exp(value)
        if name == "log":
            if not lowest(value) > 0:
                raise UndefinedError("the logarithm of what may not be positive")
            return iv.log(value)
        if name in ("sin", "cos"):
            if mpmath.isinf(lowest(value)) or mpmath.isinf(highest(value)):
                return iv.mpf([-1, 1])
            return getattr(iv, name)(value)
        low, high = lowest(value), highest(value)
        if name in ("asin", "acos") and not (low >= -1 and high <= 1):
            raise UndefinedError(f"{name} beyond 1")
        ends = [self._widened(name, end) for end in ((high, low) if name == "acos" else (low, high))]
        return interval(*ends)

    @staticmethod
    def _widened(name: str, end: Any) -> Any:
        with mpmath.mp.workprec(PRECISION + GUARD):
            value = getattr(mpmath.mp, name)(end)
            error = (abs(value) + 1) * mpmath.mpf(2) ** -PRECISION
            return iv.mpf([value - error, value + error])

    def root(self, value: Any, exponent: Fraction) -> Any:
        if lowest(value) < 0:
            raise UndefinedError("a root of what may be negative")
        if lowest(value) > 0:
            if exponent.denominator == 2:
                whole = int(exponent - Fraction(1, 2))
                return iv.sqrt(value) * value**whole
            return iv.exp(rational(exponent) * iv.log(value))
        if exponent < 0:
            raise UndefinedError("a negative power of what may be 0")
        if highest(value) == 0:
            return iv.mpf(0)
        top = iv.exp(rational(exponent) * iv.log(iv.make_mpf((value._mpi_[1], value._mpi_[1]))))
        return interval(iv.mpf(0), top)

    def sign(self, value: Any) -> int:
        return 1 if lowest(value) > 0 else -1 if highest(value) < 0 else 0


class _Exact:
    """Normal forms."""

    def rational(self, value: Fraction) -> Form:
        return Form.of(value)

    def divide(self, one: Form, other: Form) -> Form:
        return one * other.inverse()

    def call(self, name: str, value: Form) -> Form:
        if name in ("sin", "cos"):
            return circular(value)[0 if name == "sin" else 1]
        return {"exp": exponential, "log": logarithm}[name](value) if name in ("exp", "log") else called(name, value)

    def root(self, value: Form, exponent: Fraction) -> Form:
        return value.power(exponent)

    def sign(self, value: Form) -> int:
        number = value.number
        return 0 if not number else 1 if number > 0 else -1


INTERVALS, EXACT = _Intervals(), _Exact()


# A coefficient that is 0 whatever the values: intervals without end times 0 would be nothing known.
_NOTHING = None


class _Jets:
    """Taylor coefficients up to an order, over a ring; a coefficient that is 0 by construction is `_NOTHING`."""

    def __init__(self, ring: Ring, order: int) -> None:
        self.ring = ring
        self.order = order

    def constant(self, value: Any) -> list[Any]:
        return [value, *([_NOTHING] * self.order)]

    def variable(self, value: Any) -> list[Any]:
        found = self.constant(value)
        if self.order:
            found[1] = self.ring.rational(Fraction(1))
        return found

    def finished(self, found: list[Any]) -> list[Any]:
        return [self.ring.rational(Fraction(0)) if part is _NOTHING else part for part in found]

    def _number(self, value: Fraction | int) -> Any:
        return self.ring.rational(Fraction(value))

    def _product(self, number: Fraction | int, *factors: Any) -> Any:
        if any(factor is _NOTHING for factor in factors):
            return _NOTHING
        found = factors[0] if number == 1 else self._number(number) * factors[0]
        for factor in factors[1:]:
            found = found * factor
        return found

    def _sum(self, terms: list[Any]) -> Any:
        known = [term for term in terms if term is not _NOTHING]
        if not known:
            return _NOTHING
        total = known[0]
        for term in known[1:]:
            total = total + term
        return total

    def _divide(self, one: Any, other: Any) -> Any:
        return _NOTHING if one is _NOTHING else self.ring.divide(one, other)

    def add(self, one: list[Any], other: list[Any]) -> list[Any]:
        return [self._sum([a, b]) for a, b in zip(one, other, strict=True)]

    def negative(self, one: list[Any]) -> list[Any]:
        return [self._product(-1, part) for part in one]

    def multiply(self, one: list[Any], other: list[Any]) -> list[Any]:
        if one is other:
            return self._square(one)
        return [
            self._sum([self._product(1, one[j], other[k - j]) for j in range(k + 1)]) for k in range(self.order + 1)
        ]

    def _square(self, one: list[Any]) -> list[Any]:
        found = []
        for k in range(self.order + 1):
            terms = [self._product(2, one[j], one[k - j]) for j in range((k + 1) // 2)]
            middle = one[k // 2]
            if k % 2 == 0 and middle is not _NOTHING:
                terms.append(middle**2 if self.ring is INTERVALS else middle * middle)
            found.append(self._sum(terms))
        return found

    def divide(self, one: list[Any], other: list[Any]) -> list[Any]:
        found: list[Any] = []
        for k in range(self.order + 1):
            taken = [self._product(-1, other[j], found[k - j]) for j in range(1, k + 1)]
            found.append(self._divide(self._sum([one[k], *taken]), other[0]))
        return found

    def power(self, base: list[Any], exponent: Fraction) -> list[Any]:
        if exponent.denominator == 1:
            return self._whole_power(base, int(exponent))
        found = [self.ring.root(base[0], exponent)]
        for k in range(1, self.order + 1):
            terms = [self._product(j * (exponent + 1) - k, base[j], found[k - j]) for j in range(1, k + 1)]
            found.append(self._divide(self._sum(terms), self._product(k, base[0])))
        return found

    def _whole_power(self, base: list[Any], exponent: int) -> list[Any]:
        if exponent < 0:
            return self.divide(self.constant(self._number(1)), self._whole_power(base, -exponent))
        if self.ring is INTERVALS and not self.order:
            return [base[0] ** exponent]
        if exponent > 4 and self.ring is INTERVALS and self.ring.sign(base[0]):
            is_negative = self.ring.sign(base[0]) < 0
            logarithm_of_base = self.call("log", self.negative(base) if is_negative else base)
            found = self.call("exp", [self._product(exponent, part) for part in logarithm_of_base])
            return self.negative(found) if is_negative and exponent % 2 else found
        result = self.constant(self._number(1))
        while exponent:
            result = self.multiply(result, base) if exponent % 2 else result
            exponent //= 2
            base = self.multiply(base, base) if exponent else base
        return result

    def call(self, name: str, inner: list[Any]) -> list[Any]:
        """A function, by the differential equation that it solves."""
        if name == "exp":
            found = [self.ring.call("exp", inner[0])]
            for k in range(1, self.order + 1):
                terms = [self._product(Fraction(j, k), inner[j], found[k - j]) for j in range(1, k + 1)]
                found.append(self._sum(terms))
            return found
        if name in ("sin", "cos"):
            sine, cosine = [self.ring.call("sin", inner[0])], [self.ring.call("cos", inner[0])]
            for k in range(1, self.order + 1):
                up = [self._product(Fraction(j, k), inner[j], cosine[k - j]) for j in range(1, k + 1)]
                down = [self._product(Fraction(-j, k), inner[j], sine[k - j]) for j in range(1, k + 1)]
                sine.append(self._sum(up))
                cosine.append(self._sum(down))
            return sine if name == "sin" else cosine
        first = self.ring.call(name, inner[0])
        if not self.order:
            return [first]
        # The derivative is 1/inner, 1/(1 + inner^2) or 1/sqrt(1 - inner^2), times that of `inner`.
        lower = _Jets(self.ring, self.order - 1)
        slope = [self._product(k, inner[k]) for k in range(1, self.order + 1)]
        base, unit = inner[: self.order], lower.constant(self._number(1))
        if name == "log":
            rate = lower.divide(slope, base)
        elif name == "atan":
            rate = lower.divide(slope, lower.add(unit, lower.multiply(base, base)))
        else:
            left = lower.add(unit, lower.negative(lower.multiply(base, base)))
            rate = lower.divide(slope, lower.power(left, Fraction(1, 2)))
            rate = lower.negative(rate) if name == "acos" else rate
        return [first, *(self._product(Fraction(1, k + 1), part) for k, part in enumerate(rate))]

    def absolute(self, inner: list[Any]) -> list[Any]:
        sign = self.ring.sign(inner[0])
        if sign:
            return inner if sign > 0 else self.negative(inner)
        if self.order or self.ring is EXACT:
            raise UndefinedError("an absolute value at what may be 0")
        return [abs(inner[0])]

    def chosen(self, name: str, one: list[Any], other: list[Any]) -> list[Any]:
        sign = self.ring.sign(one[0] - other[0])
        if sign:
            return one if (sign > 0) == (name == "Max") else other
        if self.order or self.ring is EXACT:
            raise UndefinedError("a smallest or largest of what may be equal")
        choose = max if name == "Max" else min
        low = choose(lowest(one[0]), lowest(other[0]))
        high = choose(highest(one[0]), highest(other[0]))
        return [iv.mpf([low, high])]


def jet(
    expr: sympy.Expr, at: Mapping[sympy.Symbol, Any], along: sympy.Symbol | None, order: int, ring: Ring
) -> list[Any]:
    """The Taylor coefficients of `expr` in `along`, up to `order`, where the symbols have the values `at`.

    Raises :class:`UndefinedError` where a part of the formula is not defined for all values, or not known, and
    :class:`theory.upkeep.normal_forms.TooLargeError` for exact ones.
    """
    jets = _Jets(ring, order)
    known: dict[sympy.Expr, list[Any]] = {}

    def walk(part: sympy.Expr) -> list[Any]:
        if part not in known:
            known[part] = made(part)
        return known[part]

    def made(part: sympy.Expr) -> list[Any]:
        if isinstance(part, sympy.Symbol):
            if part not in at:
                raise UndefinedError(f"{part} has no value")
            return jets.variable(at[part]) if part == along else jets.constant(at[part])
        if isinstance(part, sympy.Rational):
            return jets.constant(ring.rational(Fraction(int(part.p), int(part.q))))
        if part == sympy.pi:
            return jets.constant(Form.atom(("pi",)) if ring is EXACT else +iv.pi)
        if part == sympy.E:
            return jets.constant(ring.call("exp", ring.rational(Fraction(1))))
        if isinstance(part, sympy.Pow) and isinstance(part.exp, sympy.Rational):
            return jets.power(walk(part.base), Fraction(int(part.exp.p), int(part.exp.q)))
        inner = [walk(argument) for argument in part.args]
        if isinstance(part, sympy.Add | sympy.Mul):
            total = inner[0]
            for one in inner[1:]:
                total = jets.add(total, one) if isinstance(part, sympy.Add) else jets.multiply(total, one)
            return total
        if isinstance(part, sympy.Pow):
            return jets.call("exp", jets.multiply(inner[1], jets.call("log", inner[0])))
        if isinstance(part, sympy.Min | sympy.Max):
            chosen = inner[0]
            for one in inner[1:]:
                chosen = jets.chosen(part.func.__name__, chosen, one)
            return chosen
        if isinstance(part, sympy.Abs):
            return jets.absolute(inner[0])
        name = part.func.__name__
        if len(inner) == 1 and name in ("exp", "log", "sin", "cos", "asin", "acos", "atan"):
            return jets.call(name, inner[0])
        raise UndefinedError(f"{name} is not known here")

    try:
        return jets.finished(walk(sympy.sympify(expr)))
    except (ZeroDivisionError, OverflowError, ValueError, libmp.ComplexResult) as problem:
        raise UndefinedError(str(problem)) from problem


__all__ = [
    "EXACT",
    "INTERVALS",
    "PRECISION",
    "TooLargeError",
    "UndefinedError",
    "highest",
    "interval",
    "jet",
    "lowest",
    "rational",
]

"""Real numbers as a float together with sign and logarithm, so that nothing over- or underflows.

The bounds of the papers hold n**44, 2**(76 L) and 1/n**(1 + 24 L). A :class:`LogFloat` carries the plain
double beside the sign and the natural logarithm of the absolute value: sums and logarithms near 1 keep the
accuracy of the double wherever it is a normal number, and go through the logarithm elsewhere.

Written by hand: mpmath evaluates the sheets in as much time, but exp(exp(exp(20))), which a user may type, keeps it
busy for longer than 20 seconds; python-flint's balls lose exp(-2**20000).
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy

__all__ = ["LOG_FLOATS", "LogFloat", "LogFloatArithmetic", "plain_number"]

# Doubles within these limits are normal, and so are products of two of their neighbours' roundings.
_SMALLEST, _LARGEST = 1e-300, 1e300


class LogFloat(NamedTuple):
    """`value` as a double (0 or infinite where it does not fit), its sign, and log |value|."""

    value: float
    sign: int
    log: float


_ZERO = LogFloat(0.0, 0, -math.inf)
_ONE = LogFloat(1.0, 1, 0.0)
_NAN = LogFloat(math.nan, 1, math.nan)


def plain_number(value: Any) -> int | float | Fraction:
    """Return a Python number for a Python, numpy or sympy rational one; TypeError for anything else."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"a truth value ({value}) stands where a number is needed")
    if isinstance(value, float):
        return float(value)  # numpy's double is a float too, and would warn where Python raises
    if isinstance(value, (int, Fraction)):
        return value
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.floating):
        return float(value)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return plain_number(value.item())
    if isinstance(value, sympy.Integer):
        return int(value)
    if isinstance(value, sympy.Rational):
        return Fraction(int(value.p), int(value.q))
    raise TypeError(f"{value!r} of type {type(value).__name__} stands where a number is needed")


def _from_log(sign: int, log: float) -> LogFloat:
    if math.isnan(log):
        return _NAN
    if sign == 0 or log == -math.inf:
        return _ZERO
    try:
        return LogFloat(sign * math.exp(log), sign, log)
    except OverflowError:
        return LogFloat(sign * math.inf, sign, log)


def _from_float(value: float) -> LogFloat:
    if value == 0.0:
        return _ZERO
    if math.isnan(value):
        return _NAN
    return LogFloat(value, 1 if value > 0 else -1, math.log(abs(value)))


def _settle(value: float, sign: int, log: float) -> LogFloat:
    """Keep the double where it is accurate, else go by the logarithm."""
    if _SMALLEST < abs(value) < _LARGEST:
        return LogFloat(value, sign, math.log(abs(value)))
    return _from_log(sign, log)


class LogFloatArithmetic:
    """Arithmetic of :class:`LogFloat`; undefined results are NaN, never an exception."""

    def number(self, value: Any) -> LogFloat:
        """An int of any size, a float or a Fraction."""
        value = plain_number(value)
        if isinstance(value, float):
            return _from_float(value)
        if value == 0:
            return _ZERO
        sign, size = (1, value) if value > 0 else (-1, -value)
        try:
            plain = float(size)
        except OverflowError:
            plain = math.inf
        log = math.log(size.numerator) - math.log(size.denominator) if isinstance(size, Fraction) else math.log(size)
        return _settle(sign * plain, sign, log)

    def literal(self, value: sympy.Expr) -> LogFloat:
        """A rational number, pi or E."""
        return self.number(value) if isinstance(value, sympy.Rational) else _from_float(float(value))

    def add(self, terms: Sequence[LogFloat]) -> LogFloat:
        """Sum; in the log domain where a term is no normal double."""
        values = [term.value for term in terms]
        if all(_SMALLEST < abs(value) < _LARGEST or term.sign == 0 for value, term in zip(values, terms, strict=True)):
            return _from_float(math.fsum(values))
        if any(math.isnan(value) for value in values):
            return _NAN
        top = max(term.log for term in terms)
        if top == math.inf:
            signs = {term.sign for term in terms if term.log == math.inf}
            return LogFloat(math.inf * min(signs), min(signs), math.inf) if len(signs) == 1 else _NAN
        total = math.fsum(term.sign * math.exp(term.log - top) for term in terms)
        return _from_log((total > 0) - (total < 0), top + math.log(abs(total))) if total != 0.0 else _ZERO

    def multiply(self, factors: Sequence[LogFloat]) -> LogFloat:
        """Product; zero times infinity is NaN."""
        value, sign, log = 1.0, 1, 0.0
        for factor in factors:
            value *= factor.value
            sign *= factor.sign
            log += factor.log
        return _settle(value, sign, log)

    def power(self, base: LogFloat, exponent: LogFloat) -> LogFloat:
        """Real power; a negative base needs an integer exponent."""
        power = exponent.value
        if power == 0.0:
            return _ONE
        if math.isnan(power) or math.isnan(base.log):
            return _NAN
        if base.sign == 0:
            return _ZERO if power > 0 else LogFloat(math.inf, 1, math.inf)
        if base.sign < 0 and not power.is_integer():
            return _NAN
        if base.log == 0.0 and base.sign > 0:
            return _ONE
        sign = -1 if base.sign < 0 and power % 2.0 == 1.0 else 1
        try:
            value = math.pow(base.value, power) if _SMALLEST < abs(base.value) < _LARGEST else math.nan
        except OverflowError:
            value = math.inf
        return _settle(value, sign, base.log * power)

    def rational_power(self, base: LogFloat, exponent: sympy.Rational) -> LogFloat:
        """Power with a fixed exponent; the square root is taken as such."""
        if exponent == sympy.S.Half and _SMALLEST < base.value < _LARGEST:
            return _from_float(math.sqrt(base.value))
        return self.power(base, _from_float(float(exponent)))

    def apply(self, function: str, argument: LogFloat) -> LogFloat:
        """One function of one argument."""
        if function == "log":
            return _from_float(argument.log) if argument.sign >= 0 else _NAN
        if function == "exp":
            return _from_log(1, argument.value)
        if function == "Abs":
            return LogFloat(abs(argument.value), abs(argument.sign), argument.log)
        try:
            return _from_float(getattr(math, function)(argument.value))
        except ValueError:
            return _NAN

    def select(self, selection: str, arguments: Sequence[LogFloat]) -> LogFloat:
        """Smallest or largest; NaN when any is NaN."""
        if any(math.isnan(argument.log) for argument in arguments):
            return _NAN
        choose = min if selection == "Min" else max
        return choose(arguments, key=lambda number: (number.sign, number.sign * number.log if number.sign else 0.0))


LOG_FLOATS = LogFloatArithmetic()

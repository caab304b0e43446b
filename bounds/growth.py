"""Growth exponents: the limit of d log(formula) / d log(symbol) at an end of the symbol's domain.

:func:`growth` reads the exponent off the formula by rules that are exact for power laws and their sums; a
logarithm grows with exponent 0, an exponential with an infinite one. Where the rules cannot tell (leading
terms that may cancel, say) the slope is measured far out on the logarithmic scale, at sizes up to 2**16384.

Written by hand: `sympy.limit` of the slope takes 350 ms an exponent against 40 ms here, and of 173 exponents of the
sheets it gives 6 up and needs more than two seconds for 15.
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import NoReturn

import sympy

from bounds.arithmetic.logfloat import LOG_FLOATS
from bounds.arithmetic.tree import compile_tree
from bounds.symbols import SYMBOLS

__all__ = ["UnknownGrowthError", "growth"]

# Sizes 2**k at which a slope is measured, up to the last where the formula has a logarithm that is a double.
_SCALES = tuple(2**j for j in range(5, 15))
# A slope this large at 2**32 is that of an exponential.
_INFINITE_SLOPE = 1e4
# Terms in log(size) change the slope by 1/k; extrapolated from k and 2k the rest is of order 1/k^2.
_SLOPE_ERROR = 1e-5
# How many sets of values the other symbols take. A slope that depends on them is no growth exponent.
_CHOICES = 5


class UnknownGrowthError(ValueError):
    """Neither the rules nor the measured slope give a growth exponent."""


class _NoRuleError(Exception):
    """The rules do not cover a formula."""


def growth(expr: sympy.Expr, name: sympy.Symbol, towards: sympy.Expr) -> sympy.Expr:
    """Return the growth exponent of `expr` in `name`, as `name` goes to `towards` (infinity or 0).

    The result is a number, plus or minus infinity, or a formula in the other symbols (n**(44 - 4*p) has the
    exponent 44 - 4*p in n). Raises :class:`UnknownGrowthError` where there is none to be found.
    """
    # Read from the other end, x -> 1/x turns 0 into infinity, and the sign of the exponent with it.
    far = sympy.Dummy(positive=True)
    sign, seen = (-1, expr.subs(name, 1 / far)) if towards == 0 else (1, expr.subs(name, far))
    if seen.has(sympy.zoo, sympy.nan):
        raise UnknownGrowthError(f"{expr} is undefined")
    try:
        return sympy.expand(sign * _exponent(seen, far))
    except _NoRuleError:
        return sign * _measured(seen, far, expr, name)


# ------------------------------------------------------------------------ rules


def _exponent(expr: sympy.Expr, far: sympy.Symbol) -> sympy.Expr:
    if not expr.has(far):
        return sympy.S.Zero
    if expr == far:
        return sympy.S.One
    if isinstance(expr, sympy.Mul):
        return _sum([_exponent(factor, far) for factor in expr.args])
    if isinstance(expr, sympy.exp):
        return _exponential(expr.args[0], far)
    if isinstance(expr, sympy.Pow):
        if expr.exp.has(far):
            return _exponential(expr.exp * sympy.log(expr.base), far)
        return _sum([expr.exp * _exponent(expr.base, far)])
    if isinstance(expr, sympy.log) and _exponent(expr.args[0], far).is_nonzero:
        return sympy.S.Zero
    if isinstance(expr, sympy.Abs):
        return _exponent(expr.args[0], far)
    if isinstance(expr, sympy.Add):
        return _leading([(_exponent(term, far), term) for term in expr.args])
    if isinstance(expr, (sympy.Max, sympy.Min)) and all(part.is_nonnegative for part in expr.args):
        choose = sympy.Max if isinstance(expr, sympy.Max) else sympy.Min
        return choose(*[_exponent(part, far) for part in expr.args])
    raise _NoRuleError


def _sum(exponents: Iterable[sympy.Expr]) -> sympy.Expr:
    total = sympy.Add(*exponents)
    if total is sympy.nan:
        raise _NoRuleError
    return total


def _exponential(argument: sympy.Expr, far: sympy.Symbol) -> sympy.Expr:
    inner = _exponent(argument, far)
    if inner.is_negative:
        return sympy.S.Zero
    if inner.is_positive and (argument.is_positive or argument.is_negative):
        return sympy.oo if argument.is_positive else -sympy.oo
    raise _NoRuleError


def _leading(terms: list[tuple[sympy.Expr, sympy.Expr]]) -> sympy.Expr:
    """The largest exponent of a sum, where the terms that attain it cannot cancel."""
    top = sympy.Max(*[exponent for exponent, _ in terms])
    leaders = [term for exponent, term in terms if exponent == top]
    if all(term.is_nonnegative for _, term in terms) or (len(leaders) == 1 and top.is_number):
        return top
    same_sign = all(term.is_positive for term in leaders) or all(term.is_negative for term in leaders)
    if leaders and same_sign and top.is_finite:
        return top
    raise _NoRuleError


# --------------------------------------------------------------------- measured


def _spread(other: sympy.Symbol, choice: int, place: int) -> Fraction:
    """A value inside the domain of a symbol, different for each `choice` and `place`."""
    share = Fraction((3 * choice + 4 * place) % 12 + 1, 14)
    domain = SYMBOLS[other.name].domain
    if domain.integer:
        return Fraction(round(20 * share))
    return Fraction(domain.high) * share if math.isfinite(domain.high) else 8 * share**2


def _measured(seen: sympy.Expr, far: sympy.Symbol, expr: sympy.Expr, name: sympy.Symbol) -> sympy.Expr:
    """The slope far out, as a fraction with a small denominator."""
    marked = sympy.Symbol("far")
    logarithm = compile_tree(seen.subs(far, marked), LOG_FLOATS)
    others = sorted(seen.free_symbols - {far}, key=lambda free: free.name)

    def refuse() -> NoReturn:
        raise UnknownGrowthError(f"no growth exponent of {expr} in {name} was found")

    def slope(scale: int, choice: int) -> float:
        values = {other.name: LOG_FLOATS.number(_spread(other, choice, place)) for place, other in enumerate(others)}
        below, above = (
            logarithm({**values, "far": LOG_FLOATS.number(2**exponent)}).log for exponent in (scale, scale + 1)
        )
        return (above - below) / math.log(2.0)

    found: set[sympy.Expr] = set()
    for choice in range(_CHOICES):
        slopes = [value for scale in _SCALES if math.isfinite(value := slope(scale, choice))]
        if not slopes:
            refuse()
        if abs(slopes[0]) > _INFINITE_SLOPE:
            found.add(sympy.oo if slopes[0] > 0 else -sympy.oo)
            continue
        if len(slopes) < len(_SCALES):
            refuse()
        limit = 2.0 * slopes[-1] - slopes[-2]
        exact = Fraction(limit).limit_denominator(100)
        if abs(limit - exact) > _SLOPE_ERROR:
            refuse()
        found.add(sympy.Rational(exact.numerator, exact.denominator))
    if len(found) != 1:
        refuse()
    return found.pop()

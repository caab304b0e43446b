"""Signs of polynomials in one variable with rational coefficients, by Sturm's sequence in fractions.

Main definition: `is_nowhere_negative`, for quotients of such polynomials between two ends.

Written by hand: a second judge that asked `sympy.Poly` would ask the first one again.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import sympy

from theory.upkeep.normal_forms import Form, Monomial, Polynomial, TooLargeError, normal_form

# Coefficients, that of the highest power last.
Coefficients = list[Fraction]


def is_nowhere_negative(
    expr: sympy.Expr,
    variable: sympy.Symbol,
    ends: tuple[sympy.Expr, sympy.Expr],
    *,
    open_low: bool = False,
    strict: bool = False,
) -> bool | None:
    """Whether a quotient of polynomials in roots of `variable` is >= 0, or > 0, between the ends.

    None where it is none, an end is neither rational nor infinite, or it has a pole there.
    """
    if not all(isinstance(end, sympy.Rational) or end in (sympy.oo, -sympy.oo) for end in ends):
        return None
    try:
        form = normal_form(expr, lambda free: Form.atom(("symbol", free.name, bool(ends[0] >= 0))))
    except (TooLargeError, ZeroDivisionError, OverflowError, RecursionError):
        return None
    numerator, denominator = (_coefficients(part, variable.name) for part in (form.above, form.below))
    if numerator is None or denominator is None:
        return None
    (above, power, has_pole), (below, other, vanishes) = numerator, denominator
    root = max(power, other)
    above, below = _spread(above, root // power), _spread(below, root // other)
    low, high = (None if end in (sympy.oo, -sympy.oo) else Fraction(int(end.p), int(end.q)) for end in ends)
    if (has_pole or vanishes) and (low is None or low < 0 or (low == 0 and not open_low)):
        return None
    # In the root of the variable, whose ends have to be rational too.
    if root > 1 and (low not in (0, 1) or high not in (None, 1)):
        return None
    if not above:
        return not strict
    product = _product(above, below)
    if _changes(_squarefree(below), low, high, open_low=open_low):
        return None
    return _is_never_negative(product, low, high, open_low=open_low, strict=strict)


def _coefficients(polynomial: Polynomial, name: str) -> tuple[Coefficients, int, bool] | None:
    """The coefficients in the least root of the variable in which it is a polynomial, and which root that is.

    Times an even power of the variable where it has negative exponents, and whether it has.
    """
    exponents: dict[Fraction, Fraction] = {}
    for monomial, factor in polynomial.items():
        exponent = _exponent(monomial, name)
        if exponent is None:
            return None
        exponents[exponent] = factor
    if not exponents:
        return [], 1, False
    root = math.lcm(*(exponent.denominator for exponent in exponents))
    lowest = min(int(exponent * root) for exponent in exponents)
    shift = -2 * (lowest // 2) if lowest < 0 else 0
    found = [Fraction(0)] * (1 + shift + max(int(exponent * root) for exponent in exponents))
    for exponent, factor in exponents.items():
        found[int(exponent * root) + shift] = factor
    return found, root, shift > 0


def _exponent(monomial: Monomial, name: str) -> Fraction | None:
    if not monomial:
        return Fraction(0)
    if len(monomial) == 1 and monomial[0][0][:2] == ("symbol", name):
        return monomial[0][1]
    return None


def _spread(coefficients: Coefficients, times: int) -> Coefficients:
    """The polynomial at the power `times` of its variable."""
    if times == 1 or not coefficients:
        return coefficients
    found = [Fraction(0)] * ((len(coefficients) - 1) * times + 1)
    found[::times] = coefficients
    return found


def _trimmed(coefficients: Coefficients) -> Coefficients:
    found = list(coefficients)
    while found and not found[-1]:
        found.pop()
    return found


def _product(one: Coefficients, other: Coefficients) -> Coefficients:
    found = [Fraction(0)] * (len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            found[i + j] += a * b
    return _trimmed(found)


def _rest(one: Coefficients, other: Coefficients) -> tuple[Coefficients, Coefficients]:
    """Quotient and remainder."""
    rest, quotient = _trimmed(one), [Fraction(0)] * max(0, len(one) - len(other) + 1)
    while len(rest) >= len(other):
        factor, place = rest[-1] / other[-1], len(rest) - len(other)
        quotient[place] = factor
        for k, value in enumerate(other):
            rest[place + k] -= factor * value
        rest = _trimmed(rest[:-1])
    return quotient, rest


def _derivative(coefficients: Coefficients) -> Coefficients:
    return [k * value for k, value in enumerate(coefficients)][1:]


def _common(one: Coefficients, other: Coefficients) -> Coefficients:
    while other:
        one, other = other, _rest(one, other)[1]
    return one


def _squarefree(coefficients: Coefficients) -> Coefficients:
    if len(coefficients) <= 1:
        return coefficients
    return _trimmed(_rest(coefficients, _common(coefficients, _derivative(coefficients)))[0])


def _at(coefficients: Coefficients, place: Fraction) -> Fraction:
    value = Fraction(0)
    for factor in reversed(coefficients):
        value = value * place + factor
    return value


def _sign(coefficients: Coefficients, place: Fraction | None, upper: bool) -> int:
    """The sign at a place, or at infinity."""
    value = coefficients[-1] if place is None else _at(coefficients, place)
    if place is None and not upper and len(coefficients) % 2 == 0:
        value = -value
    return (value > 0) - (value < 0)


def _roots_between(coefficients: Coefficients, low: Fraction | None, high: Fraction | None) -> int:
    """How many roots a polynomial without double ones has above `low` and up to `high`."""
    if len(coefficients) <= 1:
        return 0
    chain = [coefficients, _derivative(coefficients)]
    while len(chain[-1]) > 1:
        rest = [-value for value in _rest(chain[-2], chain[-1])[1]]
        if not rest:
            break
        chain.append(rest)

    def variations(place: Fraction | None, upper: bool) -> int:
        signs = [sign for part in chain if (sign := _sign(part, place, upper))]
        return sum(one != other for one, other in itertools.pairwise(signs))

    return variations(low, False) - variations(high, True)


def _changes(coefficients: Coefficients, low: Fraction | None, high: Fraction | None, *, open_low: bool) -> bool:
    """Whether a polynomial without double roots has any between the ends."""
    at_low = low is not None and not open_low and _at(coefficients, low) == 0
    return at_low or _roots_between(coefficients, low, high) > 0


def _is_never_negative(
    coefficients: Coefficients, low: Fraction | None, high: Fraction | None, *, open_low: bool, strict: bool
) -> bool:
    """Whether it is nowhere negative (nowhere 0 either, if strict): by its sign between each two neighbouring roots."""
    simple = _squarefree(coefficients)
    if strict and _changes(simple, low, high, open_low=open_low):
        return False
    span = 2 + max((abs(value / simple[-1]) for value in simple), default=Fraction(0))
    first = -span if low is None else low
    last = span if high is None else high
    if (low is None and _sign(coefficients, None, False) < 0) or (high is None and _sign(coefficients, None, True) < 0):
        return False
    if first >= last:
        first, last = (last - 1, last) if low is None else (first, first + 1)
    return all(_at(coefficients, place) >= 0 for place in _samples(simple, first, last))


def _samples(simple: Coefficients, first: Fraction, last: Fraction) -> list[Fraction]:
    """The two ends, and a place between each two neighbouring roots that is no root."""
    found = [first, last]
    stack = [(first, last)]
    while stack:
        low, high = stack.pop()
        roots = _roots_between(simple, low, high)
        if roots == 0:
            found.append((low + high) / 2)
            continue
        found += [low, high]
        if roots == 1 and _at(simple, low) and (_at(simple, high) or high == last):
            # If the root is the last end, the sign is the same up to it.
            continue
        if roots == 1 and _at(simple, high) == 0 and _roots_between(simple, low, (low + high) / 2) == 0:
            found.append((low + high) / 2)
            continue
        middle = (low + high) / 2
        stack += [(low, middle), (middle, high)]
    return found

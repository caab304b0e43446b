"""The exponent with which a formula grows in one of its symbols.

Main definition: :func:`exponent`.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy

from bounds.arithmetic.logfloat import plain_number
from bounds.growth import UnknownGrowthError, growth
from bounds.symbols import SYMBOLS, symbol

LARGEST_DENOMINATOR = 1000


def exponent(expr: sympy.Expr, name: str, values: Mapping[str, Any], constants: Mapping[str, float]) -> float:
    """Return the limit of d log(expr) / d log(`name`), at the end where `name` is extreme.

    Other symbols on which it depends are read from `values`, then from `constants`, to six digits. Raises ValueError
    where it is undetermined.
    """

    def exact(given: Mapping[str, Any]) -> dict[sympy.Symbol, sympy.Rational]:
        return {
            symbol(other): sympy.Rational(_short_fraction(plain_number(value)))
            for other, value in given.items()
            if other in SYMBOLS and other != name
        }

    info = SYMBOLS[name]
    found = growth(expr.subs(exact(values)), info.symbol, info.towards).subs(exact(constants))
    if not found.is_number:
        rest = ", ".join(sorted(free.name for free in found.free_symbols))
        raise UnknownGrowthError(f"the exponent of {expr} in {name} is {found}: give a value for {rest}")
    return float(found)


def _short_fraction(value: float | Fraction) -> Fraction:
    """The fraction that a number stands for in an exponent, or its first six digits where it is no short one.

    sympy labours over exponents in 2**52 parts. A small number must not become 0, which changes the growth.
    """
    exact = Fraction(value)
    short = exact.limit_denominator(LARGEST_DENOMINATOR)
    if abs(short - exact) <= abs(exact) / 10**6:
        return short
    return Fraction(f"{float(exact):.5e}")

"""Formulas as products of powers, up to constants and logarithms.

:func:`read_terms` turns a formula into :class:`Terms`: products of powers of the sizes, with exponents affine in
the exponent p of the loss (:class:`Exponent`), of which the largest or the smallest counts. What is set aside
is named: numbers, absolute constants and constants of the loss (`CONSTANTS`), logarithms, and powers of the
depth L, since L is the logarithm of 2^L. A sum of positive terms is their largest.

Written by hand: sympy takes powers apart (`as_powers_dict`), but has no sum that stands for its largest term.
"""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

import sympy

from bounds.symbols import symbol

__all__ = [
    "CONSTANTS",
    "DEPTH",
    "NO_POWER",
    "ChainError",
    "Exponent",
    "Powers",
    "Terms",
    "exponents_of",
    "power_of",
    "product_of",
    "read_terms",
]

#: What counts as a constant: absolute constants, and the constants and the initial size of the loss.
CONSTANTS = frozenset({"C", "C0", "C1", "C2", "Cbar", "c", "c0", "kappa", "rho", "lam", "alpha0", "alpha1", "L0"})

#: The name under which an exponential of the depth enters.
DEPTH = "2**L"

_P, _L = symbol("p"), symbol("L")
_ZERO, _ONE = Fraction(0), Fraction(1)


class ChainError(ValueError):
    """A relation that has no form in the exponents."""


@dataclass(frozen=True)
class Exponent:
    """The exponent `constant` + `slope` p."""

    constant: Fraction
    slope: Fraction = _ZERO

    def at(self, p: Fraction) -> Fraction:
        """Its value at p."""
        return self.constant + self.slope * p

    def __add__(self, other: "Exponent") -> "Exponent":
        return Exponent(self.constant + other.constant, self.slope + other.slope)

    def __neg__(self) -> "Exponent":
        return Exponent(-self.constant, -self.slope)

    def __mul__(self, other: "Exponent") -> "Exponent":
        if self.slope and other.slope:
            raise ChainError(f"the power {other} of a power {self} is not affine in p")
        return Exponent(self.constant * other.constant, self.constant * other.slope + self.slope * other.constant)

    def __bool__(self) -> bool:
        return bool(self.constant or self.slope)

    def __str__(self) -> str:
        return str(_rational(self.constant) + _rational(self.slope) * _P)


def _rational(value: Fraction) -> sympy.Rational:
    return sympy.Rational(value.numerator, value.denominator)


#: The exponent of 1, and of a size that does not occur.
NO_POWER = Exponent(_ZERO)

Powers: TypeAlias = Mapping[str, Exponent]


@dataclass(frozen=True)
class Terms:
    """Products of powers, of which the largest (`choice` 1) or the smallest (-1) counts, or the only one (0)."""

    choice: int
    products: tuple[Powers, ...]


_UNIT = Terms(0, ({},))


def product_of(one: Powers, other: Powers) -> Powers:
    """The product of two products."""
    names = [*one, *(name for name in other if name not in one)]
    total = {name: one.get(name, NO_POWER) + other.get(name, NO_POWER) for name in names}
    return {name: exponent for name, exponent in total.items() if exponent}


def power_of(product: Powers, exponent: Exponent) -> Powers:
    """A power of a product; raises :class:`ChainError` if its exponents are not affine in p."""
    raised = {name: power * exponent for name, power in product.items()}
    return {name: power for name, power in raised.items() if power}


def _terms(choice: int, products: Iterable[Powers]) -> Terms:
    distinct: list[Powers] = []
    for product in products:
        if product not in distinct:
            distinct.append(product)
    return Terms(choice if len(distinct) > 1 else 0, tuple(distinct))


def _affine(expr: sympy.Expr) -> Exponent:
    """An exponent as a number plus a multiple of p."""
    slope, constant = sympy.diff(expr, _P), expr.subs(_P, 0)
    if not (slope.is_Rational and constant.is_Rational):
        raise ChainError(f"the exponent {expr} is not affine in p")
    return Exponent(Fraction(constant.p, constant.q), Fraction(slope.p, slope.q))


def _read(expr: sympy.Expr, dropped: set[str]) -> Terms:
    """The terms of a formula; what they leave out is added to `dropped`."""
    names = {free.name for free in expr.free_symbols}
    if isinstance(expr, sympy.log):
        dropped.add(str(expr))
        return _UNIT
    if names <= CONSTANTS | {"p"}:
        if expr.is_negative or expr.is_zero:
            raise ChainError(f"{expr} is not positive and has no logarithm")
        dropped.update(names - {"p"} or ([str(expr)] if names else []))
        return _UNIT
    if expr == _L:
        dropped.add("L")
        return _UNIT
    if isinstance(expr, sympy.Symbol):
        return Terms(0, ({expr.name: Exponent(_ONE)},))
    if isinstance(expr, sympy.Pow):
        return _read_power(expr, dropped)
    parts = [_read(part, dropped) for part in expr.args]
    choices = {part.choice for part in parts} - {0}
    if isinstance(expr, sympy.Mul) and len(choices) <= 1:
        products: list[Powers] = [{}]
        for part in parts:
            products = [product_of(one, other) for one in products for other in part.products]
        return _terms(sum(choices), products)
    for kinds, choice in (((sympy.Add, sympy.Max), 1), ((sympy.Min,), -1)):
        if isinstance(expr, kinds) and choices <= {choice}:
            return _terms(choice, itertools.chain.from_iterable(part.products for part in parts))
    raise ChainError(f"{expr} is no product, sum, largest or smallest of products of powers")


def _read_power(expr: sympy.Pow, dropped: set[str]) -> Terms:
    base, exponent = expr.as_base_exp()
    if not base.free_symbols:
        rate = sympy.diff(exponent, _L) * sympy.log(base, 2)
        if not rate.is_Rational or exponent.free_symbols - {_L, _P}:
            raise ChainError(f"{expr} is no power of 2**L")
        return Terms(0, ({DEPTH: Exponent(Fraction(rate.p, rate.q))},))
    inner, power = _read(base, dropped), _affine(exponent)
    if inner.choice and power.slope:
        raise ChainError(f"the sum {base} is raised to a power that depends on p: split the range or the sum")
    choice = inner.choice if power.constant > 0 else -inner.choice
    return _terms(choice, [power_of(product, power) for product in inner.products])


@lru_cache(maxsize=4096)
def read_terms(expr: sympy.Expr) -> tuple[Terms, frozenset[str]]:
    """The terms of a formula, and the names of what they leave out.

    Constants, and factors of p alone, are taken to be positive. Raises :class:`ChainError` for what is no
    product, sum, largest or smallest of products of powers.
    """
    dropped: set[str] = set()
    return _read(sympy.sympify(expr, strict=True), dropped), frozenset(dropped)


def exponents_of(expr: sympy.Expr) -> Powers:
    """The exponent of each size in a product of powers, without constants and logarithms.

    Raises :class:`ChainError` for anything else.
    """
    found, _ = read_terms(expr)
    if found.choice:
        raise ChainError(f"{expr} has several terms")
    return found.products[0]

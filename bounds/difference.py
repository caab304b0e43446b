"""In what two formulas differ: the shape of their terms, and the numbers that stand before terms of the same shape.

Main definitions: `difference`, which compares two formulas as sums of terms; `Difference`; `Factor`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy

# Quotients of coefficients nearer to 1 are 1: the coefficients are evaluated in floating point.
EQUAL = 1e-12

# A term without its coefficient: the exponent of every base that holds a symbol.
Shape = frozenset[tuple[sympy.Basic, sympy.Basic]]


@dataclass(frozen=True)
class Factor:
    """A number by which a term of one formula is that of another: its coefficient `was` one number, `now` another.

    `moved` are the symbols whose exponents have changed in that term, each with the amount; then the factor stands
    beside that change.
    """

    was: float
    now: float
    moved: tuple[tuple[str, float], ...] = ()

    @property
    def value(self) -> float:
        """The factor."""
        return self.now / self.was


@dataclass(frozen=True)
class Difference:
    """How a formula differs from another: whether the shape of a term does, and the factors other than 1."""

    shape: bool
    factors: tuple[Factor, ...]


def difference(
    one: sympy.Expr, of_one: Mapping[str, Any], other: sympy.Expr, of_other: Mapping[str, Any]
) -> Difference:
    """How `other` differs from `one`, each with the values of its constants by name.

    Terms of the same symbols with the same exponents have a factor, the quotient of their coefficients. Where
    one term of each is left, or every one is multiplied by the same, their coefficients are compared too, if only
    exponents of symbols differ. Constants count with their values.
    """
    constants = _known_in(one, of_one, other, of_other), _known_in(other, of_other, one, of_one)
    names = [name for name in constants[0] if name in constants[1]]
    same = {name for name in names if constants[0][name] == constants[1][name]}
    before, after = _terms(one, constants[0], same), _terms(other, constants[1], same)
    both = [shape for shape in before if shape in after]
    factors = [Factor(before[shape], after[shape]) for shape in both]
    left = {shape: before[shape] for shape in before if shape not in after}
    new = {shape: after[shape] for shape in after if shape not in before}
    factors += _of_moved(left, new)
    changed = dict.fromkeys(factor for factor in factors if abs(factor.value - 1.0) > EQUAL)
    return Difference(bool(left or new), tuple(changed))


def _known_in(
    expr: sympy.Expr, constants: Mapping[str, Any], other: sympy.Expr, of_other: Mapping[str, Any]
) -> dict[str, float]:
    """The values of the constants of `expr`, but of those that are symbols in the other formula: a fit, or cells."""
    symbols = {free.name for free in other.free_symbols} - set(of_other)
    return {name: float(value) for name, value in constants.items() if name not in symbols}


def _terms(expr: sympy.Expr, values: Mapping[str, float], kept: set[str]) -> dict[Shape, float]:
    """The coefficient of every shape of a sum; one that is not a real number other than 0 is left out."""
    found: dict[Shape, float] = {}
    for term in sympy.Add.make_args(sympy.expand_mul(expr, deep=False)):
        coefficient, shape = 1.0, {}
        for factor in sympy.Mul.make_args(term):
            if {free.name for free in factor.free_symbols} <= set(values):
                coefficient *= _number(factor, values)
                continue
            base, power = factor.as_base_exp()
            shape[_valued(base, values, kept)] = _valued(power, values, kept)
        key = frozenset(shape.items())
        found[key] = found.get(key, 0.0) + coefficient
    return {shape: number for shape, number in found.items() if number != 0.0 and math.isfinite(number)}


def _number(expr: sympy.Expr, values: Mapping[str, float]) -> float:
    """The value of what holds constants alone; NaN where it is no real number."""
    try:
        return float(expr.subs({free: sympy.Float(values[free.name]) for free in expr.free_symbols}))
    except (TypeError, OverflowError):
        return math.nan


def _valued(expr: sympy.Basic, values: Mapping[str, float], kept: set[str]) -> sympy.Basic:
    """`expr` with the values of those constants that are not the same in both formulas."""
    differing = {free: values[free.name] for free in expr.free_symbols if free.name in values and free.name not in kept}
    return expr.subs({free: sympy.Float(value) for free, value in differing.items()}) if differing else expr


def _of_moved(left: Mapping[Shape, float], new: Mapping[Shape, float]) -> list[Factor]:
    """The factors of terms whose exponents have moved, all by the same; none where that is not so."""
    if not left or len(left) != len(new):
        return []
    first = next(iter(left))
    for candidate in new:
        moved = _moved(first, candidate)
        if moved is None:
            continue
        pairs = []
        for shape in left:
            target = next((other for other in new if _moved(shape, other) == moved), None)
            if target is not None:
                pairs.append((shape, target))
        if len({target for _, target in pairs}) == len(left):
            return [Factor(left[shape], new[target], moved) for shape, target in pairs]
    return []


def _moved(one: Shape, other: Shape) -> tuple[tuple[str, float], ...] | None:
    """By how much the exponents of symbols differ; nothing where anything else does."""
    before, after = dict(one), dict(other)
    moved = []
    for base in {**before, **after}:
        change = after.get(base, sympy.S.Zero) - before.get(base, sympy.S.Zero)
        if change == 0:
            continue
        if not isinstance(base, sympy.Symbol) or not change.is_Rational:
            return None
        moved.append((base.name, float(change)))
    return tuple(sorted(moved))

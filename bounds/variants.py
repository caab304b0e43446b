"""Wrong variants of a formula: without its dependence on a symbol, with another exponent of it, without a term.

Main definition: `Variants`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, TypeVar

import sympy

from bounds.numeric import Numbers
from bounds.places import Place, Places
from bounds.symbols import symbol

Made = TypeVar("Made")


class Variants(Generic[Made]):
    """The wrong variants of the formula of `numbers`, each made by `make` of its expression."""

    def __init__(self, numbers: Numbers, make: Callable[[sympy.Expr], Made]) -> None:
        self._expr, self._numbers, self._make = numbers.expr, numbers, make

    def frozen(self, name: str, value: float | Fraction) -> Made:
        """Return the formula with `value` in place of the symbol `name`: without its dependence on it.

        Raises :class:`bounds.bound.UnsupportedFormulaError` where that is undefined.
        """
        return self._make(self._expr.subs(symbol(name), _exact(value)))

    def tilted(self, name: str, at: float | Fraction, power: Fraction) -> Made:
        """Return the formula times (`name`/`at`)**`power`: another exponent of `name`, and the same value at `at`."""
        return self._make(self._expr * (symbol(name) / _exact(at)) ** _exact(power))

    def plus(self, number: int) -> Made:
        """Return the formula moved by a number."""
        return self._make(self._expr + number)

    def power(self, name: str) -> Fraction | None:
        """Return k where the formula is `name`**k times what does not hold `name`; None where it is not so."""
        rest = self._expr.as_independent(symbol(name), as_Add=False)[1]
        base, power = rest.as_base_exp()
        if base != symbol(name) or not power.is_Rational:
            return None
        return Fraction(int(power.p), int(power.q))

    def without_terms(self) -> dict[str, Made]:
        """Return the formulas that lack one term of a sum, by the text of that term.

        A sum is the whole formula, or a factor of it, or what such a factor is a power of. A term without which there
        is no real number is left out: sqrt(L - 1) has no variant without L.
        """
        found = {}
        for factor in sympy.Mul.make_args(self._expr):
            base, power = factor.as_base_exp()
            for term in base.args if base.is_Add else ():
                wrong = self._expr / factor * (base - term) ** power
                if wrong.has(sympy.I):
                    continue
                found[str(term)] = self._make(wrong)
        return found

    @property
    def places(self) -> tuple[Place, ...]:
        """Where its symbols stand: of each that stands in a term of a sum, or in more than one factor, every place.

        A sum is the whole formula, or a factor of it or of a term, or what such a factor is a power of; a minimum and a
        maximum count as sums. What stands inside a function is one place.
        """
        return self._places.all

    def evaluate_at(self, place: Place, values: Mapping[str, Any], at: float | Fraction, power: Fraction | None) -> Any:
        """Return the value of `changed_at` at `values`, as a bound evaluates; nothing is compiled for it again."""
        return self._places.evaluate(place, self._numbers.known(values), at, power)

    def changed_at(self, place: Place, at: float | Fraction, power: Fraction | None) -> Made:
        """Return the formula with another dependence on a symbol at one place, and the same value where it is `at`.

        Without a `power` the symbol is frozen there; with one the factor that holds it is multiplied by
        (symbol/`at`)**`power`. Raises :class:`bounds.bound.UnsupportedFormulaError` where that is undefined.
        """
        return self._make(self._places.changed(place, _exact(at), power))

    @cached_property
    def _places(self) -> Places:
        return Places(self._expr, self._numbers.symbols)


def _exact(value: float | Fraction) -> sympy.Rational:
    """A number as the sympy number it equals."""
    return sympy.Rational(*value.as_integer_ratio())

"""Wrong variants of a bound, one symbol, one place of a symbol or one term of a sum at a time.

Each agrees with the bound at one value of its symbol, the first one judged: the dependence alone is wrong.

Main definitions: `WrongBound`; `of_symbol`, `of_place` and `of_terms`, which list them; `Retrial`, what a plan offers
to decide a claim again with one, and `Answer`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from bounds.bound import Bound
from bounds.places import Place
from theory.claims.memory import Instance
from theory.claims.regime import Cell
from theory.core.values import Values

FROZEN = "frozen"
LEFT_OUT = "left out"

# By how much an exponent is moved, and by how much besides where it is a whole number.
TILTS = (Fraction(-1, 2), Fraction(1, 2))
WHOLE_TILTS = (Fraction(-1), Fraction(1))


@dataclass(frozen=True)
class WrongBound:
    """`bound` with another dependence on `of`, a symbol that has the same value at `at`, or without the term `of`.

    `power` is what the exponent is moved by, and `without` the bound that lacks a term; where there is neither, the
    symbol is frozen at `at`. With `place` that is done at one place of the symbol alone.
    """

    bound: Bound
    of: str
    at: Any = None
    power: Fraction | None = None
    without: Bound | None = None
    place: Place | None = None

    @property
    def name(self) -> str:
        """What is wrong, in a word."""
        if self.without is not None:
            return LEFT_OUT
        return FROZEN if self.power is None else f"{'+' if self.power > 0 else '-'}{abs(self.power)}"

    @property
    def text(self) -> str:
        """What is wrong, where, and at which value it agrees with the bound: `L: frozen at 2`, `L: times (L/2)**(1/2)`.

        Of a place its name stands before the colon, and of a term that is left out `without` and its text.
        """
        if self.without is not None:
            return f"without {self.of}"
        if self.power is None:
            return f"{self.of}: frozen at {_exact(self.at)}"
        symbol = self.of if self.place is None else self.place.symbol
        return f"{self.of}: times ({symbol}/{_exact(self.at)})**({self.power})"

    @cached_property
    def formula(self) -> Bound:
        """The wrong bound as a formula."""
        if self.without is not None:
            return self.without
        if self.place is not None:
            return self.bound.variants.changed_at(self.place, self.at, self.power)
        if self.power is None:
            return self.bound.variants.frozen(self.of, self.at)
        return self.bound.variants.tilted(self.of, self.at, self.power)

    def limits(self, values: Values, right: Any) -> Any:
        """The value of the wrong bound at `values`, where that of the bound is `right`; by the formula or faster."""
        if self.without is not None:
            return self.without.evaluate(values)
        if self.place is not None:
            return self.bound.variants.evaluate_at(self.place, values, self.at, self.power)
        if self.power is None:
            return self.bound.evaluate({**values, self.of: self.at})
        with np.errstate(all="ignore"):
            return right * (np.asarray(values[self.of], float) / float(self.at)) ** float(self.power)


def _exact(value: float) -> str:
    """A number with all its digits, but for integers beyond nine of them, which floats hold nearly."""
    if abs(value) >= 10**9:
        return str(float(value))
    return str(int(value) if value == int(value) else value)


@dataclass(frozen=True)
class Answer:
    """Whether a wrong bound is refuted, and how near that came: 1 is the edge, and `told` says it in words."""

    refuted: bool
    share: float = 0.0
    told: str = ""


@dataclass(frozen=True)
class Retrial:
    """`values` gives what a symbol of the bound was at what was judged, in order, and `ask` answers for a wrong bound.

    `values` gives nothing for a symbol that ranges over its domain. `tightens` says whether a wrong bound asks for more
    than the bound anywhere, as far as is known: one that nowhere does cannot be missed. Where an answer is `dear`, a
    symbol that is seen in one way is not asked about any further, and exponents are moved by 1/2 alone. `kept` are the
    instances inside the premises, each with its cell, where the plan judges instances.
    """

    values: Callable[[str], Sequence[Any]]
    ask: Callable[[WrongBound], Answer]
    tightens: Callable[[WrongBound], bool]
    dear: bool = False
    kept: Sequence[tuple[Cell, Instance]] = ()


def of_symbol(bound: Bound, name: str, values: Sequence[Any], whole: bool = True) -> list[WrongBound]:
    """The bounds with another dependence on the symbol `name`, which takes these values, in the order judged.

    Where `whole` is asked for, the exponent is moved by 1 as well, if it is a whole number.
    """
    scale = next((value for value in values if value != 0), None)
    tilts = _tilts(bound.variants.power(name) if whole else None)
    tilted = [WrongBound(bound, name, scale, tilt) for tilt in tilts] if scale is not None else []
    return [WrongBound(bound, name, values[0]), *tilted]


def of_place(bound: Bound, place: Place, values: Sequence[Any], whole: bool = True) -> list[WrongBound]:
    """The bounds with another dependence on a symbol at one place; `values` and `whole` as in `of_symbol`."""
    scale = next((value for value in values if value != 0), None)
    tilts = _tilts(place.power if whole else None) if place.has_power and scale is not None else ()
    tilted = [WrongBound(bound, place.name, scale, tilt, place=place) for tilt in tilts]
    return [WrongBound(bound, place.name, values[0], place=place), *tilted]


def _tilts(power: Fraction | None) -> tuple[Fraction, ...]:
    """By how much an exponent is moved, which is `power` where that is known."""
    return TILTS + (WHOLE_TILTS if power is not None and power.denominator == 1 else ())


def of_terms(bound: Bound) -> list[WrongBound]:
    """The bounds that lack one term of a sum."""
    return [WrongBound(bound, f"term {term}", without=wrong) for term, wrong in bound.variants.without_terms().items()]

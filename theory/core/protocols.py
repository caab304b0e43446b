"""What is asked of a formula here, so that claims carry one without importing the room that makes them.

Main definitions: `BoundLike`, `PremiseLike`, `DomainLike`, and `Values`, the assignment of numbers to symbols;
`Reading`, which reads what a claim writes as text.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

Values = Mapping[str, Any]

# The module whose `formula` and `premise` read text. It is found by name when the first text is read, so that no room
# depends on another.
READER = "bounds.formula"

# Where a premise stands in its paper, at the end of what is said of it.
_PLACE = re.compile(r"\s*\[([^\[\]]+)\]\s*$")


@runtime_checkable
class BoundLike(Protocol):
    """A bound: one symbolic object and the forms derived from it."""

    @property
    def symbols(self) -> tuple[str, ...]:
        """Names that must be given a value (constants with a default are not among them)."""

    @property
    def constants(self) -> Mapping[str, Any]:
        """Constants with a stated default; a value of the same name overrides it."""

    @property
    def text(self) -> str:
        """The formula as plain text, in the grammar of `--bound`."""

    @property
    def latex(self) -> str:
        """The formula typeset."""

    def meanings(self, paper: str) -> Mapping[str, str]:
        """What each of its symbols and constants stands for in a paper, in words; empty where nobody says it."""

    @property
    def domains(self) -> Mapping[str, DomainLike]:
        """Where each symbol that must be given a value takes it."""

    def evaluate(self, values: Values) -> Any:
        """Float value (or array, by broadcasting) at `values`; names it does not need are ignored."""

    def ball(self, **values: Any) -> Any:
        """Enclosure of the value in ball arithmetic."""

    def exponent(self, name: str, **values: Any) -> float:
        """Limit of d log(bound) / d log(name); other symbols it depends on are read from `values`."""

    def power(self, name: str) -> Fraction | None:
        """k where the bound is name**k times what does not hold `name`, else nothing."""

    def frozen(self, name: str, value: Any) -> BoundLike:
        """The bound with `value` in place of the symbol `name`. Raises `ValueError` where that is undefined."""

    def tilted(self, name: str, at: Any, power: Fraction) -> BoundLike:
        """The bound times (name/at)**power."""

    def without_terms(self) -> Mapping[str, BoundLike]:
        """The bounds that lack one term of a sum, by the text of that term."""

    @property
    def places(self) -> Sequence[PlaceLike]:
        """Where its symbols stand: of each that stands in a term of a sum, or in several factors, every place."""

    def evaluate_at(self, place: Any, values: Values, at: Any, power: Fraction | None) -> Any:
        """The value of `changed_at` at `values`."""

    def changed_at(self, place: Any, at: Any, power: Fraction | None) -> BoundLike:
        """The bound with `at` for the symbol at one place alone, or times (symbol/at)**power there.

        Raises `ValueError` where that is undefined.
        """

    def difference(self, other: Any, free: Sequence[str] = ()) -> DifferenceLike:
        """In what `other`, a bound of the same kind, differs: in the shape of its terms and by which numbers.

        Constants count with their values, but those that are `free` as symbols.
        """


class PlaceLike(Protocol):
    """One place of a symbol in a bound."""

    @property
    def symbol(self) -> str:
        """The symbol."""

    @property
    def name(self) -> str:
        """Where it stands, as in `a in a*jump**2`."""

    @property
    def within(self) -> Sequence[str]:
        """The terms of sums that hold the place, from outside in."""

    @property
    def has_power(self) -> bool:
        """Whether its exponent can be moved there."""

    @property
    def power(self) -> Fraction | None:
        """The exponent of the symbol there, else nothing."""


class FactorLike(Protocol):
    """A number by which a term of one bound is that of another."""

    @property
    def now(self) -> float:
        """The number before the term of the other bound."""

    @property
    def value(self) -> float:
        """By what the number before the term is multiplied; never 0, 1 or NaN."""


class DifferenceLike(Protocol):
    """In what a bound differs from another."""

    @property
    def shape(self) -> bool:
        """Whether a term is there in one of them alone, symbols and exponents compared."""

    @property
    def factors(self) -> Sequence[FactorLike]:
        """The factors of terms of the same shape, or of terms whose exponents have moved."""


class DomainLike(Protocol):
    """Where a symbol takes its values."""

    @property
    def text(self) -> str:
        """The domain in words."""

    @property
    def integer(self) -> bool:
        """Whether it holds integers alone."""

    def contains(self, value: float) -> bool:
        """Whether the symbol may have this value."""


@runtime_checkable
class PremiseLike(Protocol):
    """A premise: an inequality between formulas."""

    @property
    def symbols(self) -> tuple[str, ...]:
        """Names that must be given a value."""

    @property
    def constants(self) -> Mapping[str, Any]:
        """Constants with a stated value and the reason for it."""

    @property
    def text(self) -> str:
        """The inequality as plain text."""

    @property
    def latex(self) -> str:
        """The inequality typeset."""

    @property
    def note(self) -> str:
        """What it says in words, where that is not plain; else empty."""

    @property
    def source(self) -> str:
        """Paper and locator, where they are known; else empty."""

    def meanings(self, paper: str) -> Mapping[str, str]:
        """What each of its symbols and constants stands for in a paper, in words; empty where nobody says it."""

    def holds(self, values: Values) -> bool:
        """Whether the inequality is true at `values`; false when it cannot be evaluated."""

    def slack(self, values: Values) -> float:
        """Logarithm of the larger side over the smaller one: at least 0 where the inequality is true."""


@dataclass
class Reading:
    """Reads the formulas of one claim that are written as text, all with the same `constants`.

    `constants` has the value of each constant and the reason for it, as a pair; `shared` has further ones, of formulas
    that are no text, which need not be used. `paper` and `label` say where what a premise asks for stands.
    """

    constants: Mapping[str, Any]
    shared: Mapping[str, Any] = field(default_factory=dict)
    paper: str = ""
    label: str = ""
    used: set[str] = field(default_factory=set)

    def bound(self, written: Any) -> BoundLike:
        """The bound that is written; what is no text must be one already.

        Raises `ValueError` for text that is no formula, and for anything else.
        """
        return self._read(written, "formula", "evaluate", "2*sqrt(n/m)")

    def premise(self, written: Any) -> PremiseLike:
        """The premise that is written, likewise: its words and a colon may stand before the inequality.

        It stands where the statement does, unless its words end in another place, in brackets: "width against depth
        [eq. (3)]: m >= 4*L**2".
        """
        said, place = "", self.label
        if isinstance(written, str):
            said, _, inequality = written.rpartition(":")
            written = inequality.strip()
            if found := _PLACE.search(said):
                said, place = said[: found.start()], found[1]
        source = f"{self.paper}, {place}" if self.paper and place else ""
        return self._read(written, "premise", "holds", "m >= 4*n", source, said.strip())

    @property
    def unused(self) -> list[str]:
        """The constants that no text read so far has."""
        return sorted(set(self.constants) - self.used)

    def _read(self, written: Any, kind: str, method: str, example: str, *described: str) -> Any:
        if not isinstance(written, str):
            if not hasattr(written, method):
                raise ValueError(f"{written!r} is no {kind}; write it as text, as in {example!r}")
            return written
        known = {**self.shared, **self.constants}
        made = getattr(importlib.import_module(READER), kind)(written, known, *described)
        self.used |= set(made.constants)
        return made

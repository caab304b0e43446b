"""What is asked of a formula here, so that claims carry one without importing the room that makes them.

Main definitions: `BoundLike`, `PremiseLike`, and `Values`, the assignment of numbers to symbols.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

Values = Mapping[str, Any]


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

    def evaluate(self, values: Values) -> Any:
        """Float value (or array, by broadcasting) at `values`; names it does not need are ignored."""

    def ball(self, **values: Any) -> Any:
        """Enclosure of the value in ball arithmetic."""

    def exponent(self, name: str, **values: Any) -> float:
        """Limit of d log(bound) / d log(name); other symbols it depends on are read from `values`."""


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

    def holds(self, values: Values) -> bool:
        """Whether the inequality is true at `values`; false when it cannot be evaluated."""

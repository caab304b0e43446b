"""One false-alarm budget for the whole suite.

The probability that a run refutes some true claim is at most `FALSE_ALARM_BUDGET`. Each claim's share is
fixed by its weight among all claims of the suite, selected or not, so a selection never exceeds the budget
and a claim is judged in the same way alone as in company.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class Weighted(Protocol):
    """A claim, or what is known of one that is not loaded."""

    @property
    def id(self) -> str:
        """Paper and name."""

    @property
    def weight(self) -> float:
        """Its weight among all claims."""


FALSE_ALARM_BUDGET = 1e-6


def shares(all_claims: Iterable[Weighted]) -> dict[str, float]:
    """Share of the budget of every claim of the suite, by id."""
    weights = {declared.id: declared.weight for declared in all_claims}
    total = sum(weights.values())
    return {identifier: FALSE_ALARM_BUDGET * weight / total for identifier, weight in weights.items()}

"""One false-alarm budget for the whole suite.

The probability that a run refutes some true claim is at most `FALSE_ALARM_BUDGET`. Each claim of the suite, selected or
not, has the same share of it, so a selection never exceeds the budget and a claim is judged in the same way alone as in
company.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class Named(Protocol):
    """A claim, or what is known of one that is not loaded."""

    @property
    def id(self) -> str:
        """Paper and name."""


FALSE_ALARM_BUDGET = 1e-6


def shares(all_claims: Iterable[Named]) -> dict[str, float]:
    """Share of the budget of every claim of the suite, by id."""
    ids = [declared.id for declared in all_claims]
    return {identifier: FALSE_ALARM_BUDGET / len(ids) for identifier in ids}

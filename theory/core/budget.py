"""One false-alarm budget for the whole suite, and one for the claims of a reader.

The probability that a run refutes some true claim of the suite is at most `FALSE_ALARM_BUDGET`. Each claim of it,
selected or not, has the same share, so a selection never exceeds the budget and a claim is judged in the same way alone
as in company. The suite is taken to have the next multiple of `ROOM` claims: one more takes nothing from the others,
whose verdicts stay known. Claims of a reader share a budget of their own: what the suite has does not depend on them,
nor theirs on a suite of which nothing is run.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import Protocol


class Named(Protocol):
    """A claim, or what is known of one that is not loaded."""

    @property
    def id(self) -> str:
        """Paper and name."""


FALSE_ALARM_BUDGET = 1e-6

# Shares are made for a multiple of so many claims.
ROOM = 250

# That of a reader's claims, where --budget says nothing else.
OWN_BUDGET = 1e-3


def shares(all_claims: Iterable[Named], own: Collection[str] = (), budget: float = OWN_BUDGET) -> dict[str, float]:
    """Share of its budget of every claim, by id; those in `own` are a reader's and share `budget`."""
    ids = [declared.id for declared in all_claims]
    theirs = [identifier for identifier in ids if identifier in own]
    counted = ROOM * math.ceil((len(ids) - len(theirs)) / ROOM)
    return {name: budget / len(theirs) if name in own else FALSE_ALARM_BUDGET / counted for name in ids}

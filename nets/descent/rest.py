"""Where a path of descent comes to rest: the one place that says so.

Main definition: `UntilRest`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

# A path whose loss has grown by this factor does not come back, and is left there.
LOST = 1e6


class HasLoss(Protocol):
    """An iterate, as far as coming to rest is about it."""

    @property
    def loss(self) -> float:
        """The loss there."""
        ...


Point = TypeVar("Point", bound=HasLoss)


@dataclass
class UntilRest(Generic[Point]):
    """The iterates of a path, the start included, up to where it rests: `most` steps at most.

    It rests with the first step that changes the loss by no more than the loss is known to, `error` of it: where the
    loss is at rounding, and where the gradient is. What a path rests after is known once it has been gone along.

    Attributes
    ----------
    taken : the steps taken so far
    rested : whether the path rests with the last of them
    """

    path: Iterable[Point]
    most: int
    error: Callable[[float], float]
    taken: int = 0
    rested: bool = False

    def __iter__(self) -> Iterator[Point]:
        first = before = math.nan
        for k, at in enumerate(self.path):
            self.taken, self.rested = k, k > 0 and bool(abs(before - at.loss) <= self.error(before))
            yield at
            first, before = (at.loss if k == 0 else first), at.loss
            if self.rested or k == self.most or not before <= LOST * first:
                return

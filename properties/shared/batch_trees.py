"""Trees of stochastic descent: every batch at every step, so that means over the batches are exact.

Main definitions: `Batch`; `IterateTree`, all iterates after each number of steps, and `tree_levels`, which finds them.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array

# The numbers of the samples of a batch.
Batch: TypeAlias = npt.NDArray[np.intp]


class _WithLoss(Protocol):
    @property
    def loss(self) -> float:
        """The loss of all samples."""


_Iterate = TypeVar("_Iterate", bound=_WithLoss)


@dataclass(frozen=True, eq=False)
class IterateTree(Generic[_Iterate]):
    """All that stochastic descent may meet in so many steps, every batch at every step: `levels[k]` after k steps."""

    levels: tuple[tuple[_Iterate, ...], ...]

    @property
    def mean_losses(self) -> Array:
        """The exact means over the batches of the loss after 0, 1, ... steps."""
        return np.array([np.mean([at.loss for at in level]) for level in self.levels])


def tree_levels(
    root: _Iterate, batches: Batch, steps: int, after: Callable[[_Iterate, Batch], _Iterate]
) -> tuple[tuple[_Iterate, ...], ...]:
    """The levels of the tree of all sequences of `batches` (count, B); `after` gives the iterate that follows."""
    levels: list[tuple[_Iterate, ...]] = [(root,)]
    for _ in range(steps):
        levels.append(tuple(after(at, batch) for at, batch in itertools.product(levels[-1], batches)))
    return tuple(levels)

"""Functions of independent bits, with their laws and their changes by one bit, by all 2^N values.

Main definitions: `BitFunction`, and `CUBE_FUNCTIONS`, those that inequalities for bounded differences are held against.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nets import Array, DataError


@dataclass(frozen=True)
class BitFunction:
    """A function of N independent bits that are 1 with the given chance, as a table of shape (2,)*N."""

    table: Array
    chance: float

    @property
    def weights(self) -> Array:
        """The probability of each point: shape (2,)*N."""
        found = np.ones(())
        for _ in range(self.table.ndim):
            found = np.multiply.outer(found, np.array([1.0 - self.chance, self.chance]))
        return found

    @property
    def mean(self) -> float:
        """Its expectation."""
        return float(np.sum(self.weights * self.table))

    def probability(self, event: npt.NDArray[np.bool_]) -> float:
        """The probability of a set of points, given as truth values: shape (2,)*N. Rounding makes it 1 at most."""
        return min(1.0, float(np.sum(self.weights[event])))

    def point_changes(self) -> Array:
        """The largest change at each point by another value of one bit: shape (2,)*N."""
        by_bit = [np.abs(self.table - np.flip(self.table, axis=k)) for k in range(self.table.ndim)]
        return np.asarray(np.max(by_bit, axis=0))

    def changes(self) -> Array:
        """The largest change anywhere by each bit: (N,)."""
        by_bit = [np.abs(np.diff(self.table, axis=k)).max() for k in range(self.table.ndim)]
        return np.array(by_bit)


# A table of more bits than this takes memory of the order of gigabytes.
MOST_BITS = 20


def _bits(variables: int) -> Array:
    """The bits of all points: shape (N,) + (2,)*N. Raises `DataError` for more than `MOST_BITS` of them."""
    if variables > MOST_BITS:
        raise DataError(f"a table of the values of {variables} bits asked for: take {MOST_BITS} at most")
    return np.indices((2,) * variables).astype(float)


def _share(variables: int) -> Array:
    return np.asarray(_bits(variables).mean(axis=0))


# Values between 0 and 1. "spike" is 0 where all bits are 1 and 1 elsewhere, so that one bit matters at few points.
CUBE_FUNCTIONS: Mapping[str, Callable[[int], Array]] = {
    "share": _share,
    "weighted": lambda N: np.tensordot(2.0 ** -np.arange(1.0, N + 1.0), _bits(N), 1),
    "maximum": lambda N: _bits(N).max(axis=0),
    "majority": lambda N: (2.0 * _share(N) > 1.0).astype(float),
    "parity": lambda N: _bits(N).sum(axis=0) % 2.0,
    "spike": lambda N: 1.0 - _bits(N).min(axis=0),
}

"""Where training points come from, as far as it is asked here: what measures stands in a room that is not imported.

Main definitions: `Source`, which draws points, and `UserData`, those that the user brings.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np


class Source(Protocol):
    """What draws training points."""

    def draw(self, n: int, d: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Unit rows X (n, d) and labels y (n,), -1 or +1."""


class UserData(Source, Protocol):
    """A data set, which draws rows of its own."""

    @property
    def X(self) -> np.ndarray:
        """All rows, (n, d)."""

    @property
    def y(self) -> np.ndarray:
        """Their labels, (n,)."""

    @property
    def n(self) -> int:
        """How many rows there are."""

    @property
    def d(self) -> int:
        """Their dimension."""

    @property
    def separation(self) -> float:
        """The least distance of two rows."""

    @property
    def name(self) -> str:
        """Where the rows come from."""

    @property
    def spec(self) -> str:
        """What `--data` was given."""

"""Operator norms of the layers of a network and products of them, and the norms of all layers that searches span.

Main definitions: `operator_norms`; `Products`, tables of products of norms without some layers, and sums of them;
`least_norm` and `norm_of_largest_output`. Layers are numbered from 0 here.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bounds.papers import chatterji2021 as sheet
from nets.core.arrays import Array

# Relative errors of norms, of products of at most 14 of them and of a loss are some hundreds of roundings at most. What
# a bound is made of is rounded up by this, so that a bound that is attained is not missed by rounding.
UPWARD_FACTOR = 1.0 + 1e-12


def operator_norms(weights: Sequence[Array]) -> Array:
    """Operator norms of all layers, not below the true ones: (L + 1,)."""
    hidden, output = weights[:-1], weights[-1]
    if len({V.shape for V in hidden}) == 1:
        norms = np.linalg.norm(np.stack(hidden), 2, axis=(1, 2))
    else:
        norms = np.array([np.linalg.norm(V, 2) for V in hidden])
    return np.append(norms, np.linalg.norm(output)) * UPWARD_FACTOR


@dataclass(frozen=True)
class Products:
    """Products of the norms v (L + 1,) of the layers of a network, without divisions, and sums of them.

    Attributes
    ----------
    norms : (L + 1,), operator norms
    """

    norms: Array

    @cached_property
    def _kept(self) -> npt.NDArray[np.bool_]:
        return ~np.eye(self.norms.size, dtype=bool)

    @cached_property
    def without_one(self) -> Array:
        """(L + 1,): over all layers but one."""
        return np.where(self._kept, self.norms, 1.0).prod(axis=1)

    @cached_property
    def without_two(self) -> Array:
        """(L + 1, L + 1): over all layers but two; 0 on the diagonal."""
        kept = self._kept[:, None, :] & self._kept[None, :, :]
        return np.where(self._kept, np.where(kept, self.norms, 1.0).prod(axis=2), 0.0)

    @cached_property
    def up_to(self) -> Array:
        """(L + 1, L + 1): [j, l] over the layers up to j but l; 0 where l is above j."""
        layers = np.arange(self.norms.size)
        kept = (layers[None, None, :] <= layers[:, None, None]) & self._kept[None, :, :]
        return np.where(layers[:, None] >= layers[None, :], np.where(kept, self.norms, 1.0).prod(axis=2), 0.0)

    @cached_property
    def slopes(self) -> Array:
        """(L + 1, L + 1): [k, l] sums over hidden j >= k, l of `up_to`[j, l], times `without_one`[k]; 0 if k, l = L."""
        hidden = self.norms.size - 1
        above = np.cumsum(self.up_to[hidden - 1 :: -1], axis=0)[::-1]
        table = np.zeros_like(self.up_to)
        for k in range(hidden):
            table[k, :hidden] = [above[max(k, level), level] for level in range(hidden)]
        return table * self.without_one[:, None]

    # --- sums that bound the curvature of the loss

    @cached_property
    def squares(self) -> float:
        """Sum of the squares of `without_one`: bounds the squared slope of the output."""
        return float(self.without_one @ self.without_one)

    @cached_property
    def pairs(self) -> float:
        """Largest eigenvalue of `without_two`: bounds the second derivative of the output where phi is a line."""
        return float(np.linalg.eigvalsh(self.without_two)[-1])

    @cached_property
    def bends(self) -> float:
        """Sum over hidden l of the product above l times the sum of the squares of `up_to`[l, :].

        Over h it bounds what the bends of phi add to the second derivative of the output.
        """
        from_each = np.cumprod(self.norms[:0:-1])[::-1]
        return float(from_each @ np.sum(self.up_to[:-1] ** 2, axis=1))

    def sums(self) -> dict[str, float]:
        """The three sums by name."""
        return {"squares": self.squares, "pairs": self.pairs, "bends": self.bends}

    def curvature(self, h: float) -> float:
        """Bound on the local Lipschitz constant of the gradient of the loss over the mean weight of the samples."""
        return self.squares + self.pairs + self.bends / h


def least_norm(L: int) -> float:
    """A hair above sqrt(L + 1/2), which the lemmas on perturbations ask of ||V|| and ||W||."""
    return float(sheet.lemma_4_2_large.smaller.evaluate({"L": L})) * (1.0 + 1e-8)


def norm_of_largest_output(L: int) -> float:
    """With it the output is at most 10^8: beyond, rounding of the output outdoes a step that doubles a small loss."""
    return math.sqrt(L + 1.0) * 10.0 ** (8.0 / (L + 1))

"""Risk as guo2024 has it in Section 2 and Appendix B.8, and a class of functions of which all of it is known.

Main definitions: `population_risk`; `SignedGroups` and `UpperHalf`, classes whose risk, error on a sample and
complexity are exact.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from nets.core.arrays import Array
from properties.shared.rademacher import mean_size


def population_risk(outputs: npt.ArrayLike, targets: npt.ArrayLike, chances: npt.ArrayLike) -> float:
    """R = E ||F(x) - N(x)||^2 for outputs and targets (points, outputs) and the chances (points,) of the points."""
    gaps = np.asarray(outputs) - np.asarray(targets)
    return float(np.asarray(chances) @ np.sum(np.reshape(gaps, (len(gaps), -1)) ** 2, axis=1))


@dataclass(frozen=True)
class SignedGroups:
    """Points in equally likely groups, with targets 1 and -1 by a fair coin, and a class of functions bounded by 1.

    Functions are constant on each group, any number of [-1, 1]; `groups` of 0 stands for the one function -1. So
    |f - y| is at most 2.
    """

    groups: int

    def counts(self, rng: Generator, n: int) -> tuple[Array, Array]:
        """How many of n points fall in each group, and how many of these have the target 1: (groups,) each."""
        sizes = rng.multinomial(n, np.full(max(self.groups, 1), 1.0 / max(self.groups, 1)))
        return sizes.astype(np.float64), rng.binomial(sizes, 0.5).astype(np.float64)

    def largest_gap(self, sizes: Array, ones: Array) -> float:
        """The supremum over the class of the risk less the mean loss on the sample: (f - y)^2 = f^2 + 1 - 2 f y."""
        sums = 2.0 * ones - sizes
        n = float(np.sum(sizes))
        if self.groups == 0:
            return float(-2.0 * sums[0] / n)
        # f^2 has one mean over the points and another over the sample, and counts where f is chosen below 1 in size.
        share = sizes / n - 1.0 / self.groups
        slopes, bends = 2.0 * np.abs(sums) / n, -share
        inside = np.divide(-slopes, 2.0 * bends, out=np.ones_like(slopes), where=bends < 0.0)
        best = np.clip(inside, 0.0, 1.0)
        return float(np.sum(slopes * best + bends * best**2))

    def complexity(self, sizes: Array) -> float:
        """The Rademacher complexity on the sample: (1/n) sum over the groups of the mean size of a sum of signs."""
        if self.groups == 0:
            return 0.0
        return float(np.sum(mean_size(sizes))) / float(np.sum(sizes))


@dataclass(frozen=True)
class UpperHalf:
    """Points in equally likely `groups`, with targets 0, and the class of functions constant on each, from 1/2 to 1."""

    groups: int

    def counts(self, rng: Generator, n: int) -> Array:
        """How many of n points fall in each group: (groups,)."""
        return np.bincount(rng.integers(self.groups, size=n), minlength=self.groups).astype(np.float64)

    def largest_gap(self, sizes: Array) -> float:
        """The supremum over the class of the risk less the mean loss: f = 1 where a group has less than its share."""
        lacks = 1.0 / self.groups - sizes / float(np.sum(sizes))
        return float(np.sum(np.where(lacks > 0.0, lacks, lacks / 4.0)))

    def complexity(self, sizes: Array) -> float:
        """The Rademacher complexity on the sample: half of the range, 1/4, times the mean sizes of sums of signs."""
        counts = np.bincount(sizes.astype(np.int64))
        return 0.25 * float(counts @ mean_size(np.arange(len(counts), dtype=np.float64))) / float(np.sum(sizes))

"""Risk and Rademacher complexity as guo2024 has them in Section 2 and Appendix B.8, exact where the class allows it.

Main definitions: `population_risk`; `class_values`, the functions f_k of a class of networks; `rademacher`, of finitely
many functions; `linear_complexity`, of all functions linear in the weights on a ball, for every sign; `SignedGroups`, a
class whose risk, error on a sample and complexity are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from nets.arrays import Array
from nets.forward import forward
from nets.lowrank import triangle
from nets.network import Network
from nets.tangent import TangentFeatures

# The balls on which a supremum is known: of the operator norm or of the Frobenius norm in every layer.
Ball = Literal["spectral", "Frobenius"]

# Samples up to which all signs are tried.
ENUMERATED = 10


def population_risk(outputs: npt.ArrayLike, targets: npt.ArrayLike, chances: npt.ArrayLike) -> float:
    """R = E ||F(x) - N(x)||^2 for outputs and targets (points, outputs) and the chances (points,) of the points."""
    gaps = np.asarray(outputs) - np.asarray(targets)
    return float(np.asarray(chances) @ np.sum(np.reshape(gaps, (len(gaps), -1)) ** 2, axis=1))


def class_values(networks: Sequence[Network], X: Array, k: int = 0) -> Array:
    """f_k(x_i; W), the k-th output, counted from 0, of every network at the points X (n, d): (networks, n)."""
    return np.array([forward(net, X).output.reshape(len(X), -1)[:, k] for net in networks], dtype=np.float64)


def all_signs(n: int) -> Array:
    """The sign vectors (2^n, n). Raises ValueError for more than ten samples."""
    if not 1 <= n <= ENUMERATED:
        raise ValueError(f"all signs of {n} samples: take 1 to {ENUMERATED}")
    return np.asarray(1.0 - 2.0 * ((np.arange(2**n)[:, np.newaxis] >> np.arange(n)) & 1), dtype=np.float64)


def rademacher(values: Array) -> float:
    """The empirical Rademacher complexity of functions with values (functions, n): mean over all signs, with 1/n.

    Printed without 1/n, and used with it.
    """
    return float(np.mean(np.max(all_signs(values.shape[1]) @ values.T, axis=1))) / values.shape[1]


def linear_suprema(features: TangentFeatures, signs: Array, ball: Ball) -> Array:
    """sup (1/n) sum_i sigma_i <grad f(x_i), V> over V of norm 1 in every layer, for signs (k, n): (k,).

    It is the sum over the layers of the dual norm of sum_i sigma_i grad f(x_i): the nuclear norm for a spectral ball,
    and the Frobenius norm for a Frobenius ball.
    """
    total = np.zeros(len(signs))
    for left, right in features.pairs:
        cores = (triangle(left) * signs[:, np.newaxis, :]) @ triangle(right).T
        sizes = np.linalg.svd(cores, compute_uv=False)
        total += sizes.sum(axis=1) if ball == "spectral" else np.linalg.norm(sizes, axis=1)
    return total / signs.shape[1]


def linear_complexity(features: TangentFeatures, ball: Ball) -> float:
    """The Rademacher complexity of the functions linear in the weights on the ball of radius 1: mean over all signs."""
    return float(np.mean(linear_suprema(features, all_signs(features.count), ball)))


@dataclass(frozen=True)
class SignedGroups:
    """Points in equally likely groups, with targets 1 and -1 by a fair coin, and a class of functions bounded by 1.

    Functions are constant on each group, any number of [-1, 1]; `groups` of 0 stands for the one function -1. So
    |f - y| is at most 2.
    """

    groups: int

    def counts(self, rng: np.random.Generator, n: int) -> tuple[Array, Array]:
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


def mean_size(n: Array) -> Array:
    """E |sum of n signs| for counts n, by de Moivre's formula for the mean deviation of a binomial count."""
    return np.asarray(n * binom.pmf(n // 2, n - n % 2, 0.5))

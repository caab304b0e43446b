"""Products of layers at the start, on all vectors and on sparse ones, and heavy entries of a Gaussian vector.

Main definitions: `sparse_operator_norm`, an interval for the largest stretch of sparse vectors; `layer_products`,
`leaky_back_products` and `feature_products` of a leaky network at a point; `HeavyEntries`, the law of the mass of
large entries; `SmallEntries`, that of how many entries are small.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy
from scipy.special import erf, erfc

from nets import Array, Forward, Network
from theory.evidence.law import Tail

# Shares of the largest admitted tilt at which the exponential moments are tried.
TILTS = np.linspace(0.02, 0.98, 49)


def sparse_operator_norm(A: Array, s: int) -> tuple[float, float]:
    """From below and above: sup ||A v|| over unit v (columns,) with at most s entries.

    From below by adding columns one after the other, each the one with the largest inner products with those taken.
    From above by Gershgorin's circles: a Gram matrix of s columns has no eigenvalue above the largest sum of a diagonal
    entry and the s - 1 largest others of its row; nor is it above the s largest diagonal entries together.
    """
    gram = A.T @ A
    squares = np.diag(gram).copy()
    sizes = np.abs(gram)
    np.fill_diagonal(sizes, 0.0)
    others = np.partition(sizes, sizes.shape[1] - s + 1, axis=1)[:, sizes.shape[1] - s + 1 :] if s > 1 else sizes[:, :0]
    high = math.sqrt(min(float(np.max(squares + others.sum(axis=1))), float(np.sort(squares)[-s:].sum())))
    taken = [int(np.argmax(squares))]
    while len(taken) < s:
        scores = sizes[taken].sum(axis=0)
        scores[taken] = -1.0
        taken.append(int(np.argmax(scores)))
    low = math.sqrt(float(np.linalg.eigvalsh(gram[np.ix_(taken, taken)])[-1]))
    return min(low, high), high


def layer_products(net: Network, fwd: Forward) -> list[Array]:
    """The matrices W_L D_{L-1} W_{L-1} ... D_a of a leaky network at one point, a = L - 1, ..., 0: arrays (m, m)."""
    products = feature_products(net, fwd, gated=False)
    return [A * fwd.masks[layer][0] for layer, A in zip(range(len(products) - 1, -1, -1), products, strict=True)]


def feature_products(net: Network, fwd: Forward, *, gated: bool) -> list[Array]:
    """The matrices W_L D_{L-1} ... D_a W_a, or D_L W_L ... D_a W_a where `gated`, for a = L, ..., 1: arrays (m, m)."""
    last = net.weights[-1].T
    product = fwd.masks[-1][0][:, np.newaxis] * last if gated else last
    products = [product]
    for layer in range(len(net.weights) - 1, 0, -1):
        product = (product * fwd.masks[layer][0]) @ net.weights[layer - 1].T
        products.append(product)
    return products


def leaky_back_products(net: Network, fwd: Forward) -> list[Array]:
    """Back_a = B D_L W_L ... D_a W_a for a = L, ..., 1: arrays (outputs, m)."""
    product, products = net.v.T, []
    for layer in range(len(net.weights), 0, -1):
        product = (product * fwd.masks[layer][0]) @ net.weights[layer - 1].T
        products.append(product)
    return products


@dataclass(frozen=True)
class SmallEntries:
    """The number of entries of size below `level` among m independent ones of N(0, gain r^2/m)."""

    m: int
    r: float
    level: float
    gain: float = 2.0

    def exceeds(self, threshold: float) -> float:
        """The chance of more than `threshold` of them."""
        chance = erf(self.level * math.sqrt(self.m / (2.0 * self.gain)) / self.r)
        return float(scipy.stats.binom.sf(math.floor(threshold), self.m, chance))


@dataclass(frozen=True)
class HeavyEntries:
    """sum of y_j^2 over |y_j| >= b, for y (m,) from N(0, (2/m) I) and b = level sqrt(log(m)/m)."""

    m: int
    level: float

    @property
    def deviations(self) -> float:
        """The threshold b in standard deviations."""
        return self.level * math.sqrt(math.log(self.m) / 2.0)

    def exceeds(self, mass: float) -> Tail:
        """The chance that the sum is more than `mass`, from both sides.

        From below by so many entries at the threshold as make that mass, or by one of that size alone; from above by
        Chernoff's bound, as the exponential moment of one entry is known.
        """
        t, total = self.deviations, mass * self.m / 2.0
        heavy = float(erfc(t / math.sqrt(2.0)))
        one = float(erfc(math.sqrt(max(total, t**2)) / math.sqrt(2.0)))
        enough = float(scipy.stats.binom.sf(math.floor(total / t**2), self.m, heavy))
        lower = max(enough, -math.expm1(self.m * math.log1p(-one)))
        tilts = 0.5 * TILTS
        moments = erfc(t * np.sqrt((1.0 - 2.0 * tilts) / 2.0)) / np.sqrt(1.0 - 2.0 * tilts) - heavy
        logs = self.m * np.log1p(moments) - tilts * total
        return Tail(lower, max(lower, math.exp(min(0.0, float(logs.min())))))

"""Two opposite clusters on the sphere and the direction that separates their tangent features (two layers).

Main definitions: `two_clusters` and `largest_spread`, the radius up to which the statement speaks; `Clusters`, with
what the event of chatterji2021, Appendix C, is about, and `random_clusters`; `share` and `moved_tail`, the laws of its
parts.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy
from numpy.random import Generator

from bounds.papers import chatterji2021 as sheet
from nets import Array, Network
from properties.chatterji2021.tangent_features import Tangent, tangent, wide_network

Mask = npt.NDArray[np.bool_]

# Coordinates of the points. Only their inner products matter to a Gaussian layer.
DIMENSION = 8
CLUSTER_RADIUS = sheet.prop_C_1_smoothed_spread
LARGEST_SPREAD = float(sheet.prop_C_1_spread.larger.evaluate({}))


def largest_h_of_two_layers(m: int) -> float:
    """sqrt(pi)/(2 m), up to which the statement speaks."""
    return math.sqrt(math.pi) / (2.0 * m)


def largest_spread(m: int, n: int, h: float, delta: float) -> float:
    """The radius of the clusters up to which the statement speaks, a rounding short of it."""
    values = {"m": m, "n": n, "h": h, "delta": delta}
    return min(LARGEST_SPREAD, float(CLUSTER_RADIUS.larger.evaluate(values)) * (1.0 - 1e-12))


# Derived symbols of a cell: both as large as the statement allows.
AT_THE_LIMITS: Mapping[str, Callable[..., Any]] = {"h": largest_h_of_two_layers, "spread": largest_spread}

# Premises of Proposition C.1 that a row need not see, and why.
BLIND_TO_SPREAD = {f"premise {sheet.prop_C_1_spread.text}": "the others imply it where m*log(3*m*n/delta) >= 64*pi"}
BLIND_TO_POINTS = dict.fromkeys(
    (f"premise {premise.text}" for premise in (sheet.prop_C_1_spread, sheet.prop_C_1_smoothed_spread)),
    "it is about neurons and the two centres: no other point enters",
)
BLIND_TO_BOTH_SPREADS = {
    **BLIND_TO_SPREAD,
    f"premise {sheet.prop_C_1_smoothed_spread.text}": "not needed: at 1/16 from its centre a point has nearly all "
    "gates in common with it, and at width 4300 a margin as large to a hundredth",
}


def two_clusters(n: int, spread: float, rng: Generator) -> tuple[Array, Array]:
    """n unit points at distance `spread` from y mu, mu the first axis, in random directions: X (n, d) and labels y."""
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    aside = rng.normal(size=(n, DIMENSION))
    aside[:, 0] = 0.0
    aside /= np.linalg.norm(aside, axis=1, keepdims=True)
    half = spread / 2.0
    X = 2.0 * half * math.sqrt(1.0 - half**2) * aside
    X[:, 0] = 1.0 - 2.0 * half**2
    return y[:, None] * X, y


@dataclass(frozen=True, eq=False)
class Clusters:
    """Points X (n, d) of two clusters about the first axis mu and its antipode, labels y (n,), and a network.

    `plus` and `minus` are the neurons of output weight `least` to 2 in size that mu or -mu puts at 4 h or more.
    """

    net: Network
    X: Array
    y: Array
    h: float
    least: float = 0.5

    @cached_property
    def start(self) -> Tangent:
        """The tangent features."""
        return tangent(self.net, self.X, self.y, self.h)

    @cached_property
    def moderate(self) -> Mask:
        """Neurons of moderate output weight."""
        sizes = np.abs(self.net.weights[1][:, 0])
        return np.asarray((sizes >= self.least) & (sizes <= 2.0))

    @property
    def plus(self) -> Mask:
        """The set S_+."""
        return np.asarray(self.moderate & (self.net.weights[0][0] >= 4.0 * self.h))

    @property
    def minus(self) -> Mask:
        """The set S_-."""
        return np.asarray(self.moderate & (-self.net.weights[0][0] >= 4.0 * self.h))

    @property
    def counts(self) -> tuple[int, int]:
        """|S_+| and |S_-|."""
        return int(self.plus.sum()), int(self.minus.sum())

    @property
    def moved(self) -> float:
        """max |V_{1,i} (x_s - y_s mu)|."""
        away = self.X.copy()
        away[:, 0] -= self.y
        return float(np.abs(away @ self.net.weights[0]).max())

    def margins(self, signed: bool = True, root: bool = True) -> Array:
        """y_s <grad f(x_s), W*> for the direction of the proof: sign(V_2) mu on both sets of neurons, of norm 1."""
        V1, V2 = self.net.weights
        chosen = self.plus | self.minus
        size = math.sqrt(chosen.sum()) if root else float(chosen.sum())
        W1 = np.zeros_like(V1)
        W1[0, chosen] = (np.sign(V2[chosen, 0]) if signed else 1.0) / size
        return self.y * self.start.features.along((W1, np.zeros_like(V2)))


def random_clusters(m: int, n: int, h: float, spread: float, rng: Generator) -> Clusters:
    """Two clusters of `two_clusters` and a random network of width m."""
    X, y = two_clusters(n, spread, rng)
    return Clusters(wide_network(DIMENSION, m, 1, rng), X, y, h)


def share(m: int, h: float, least: float = 0.5) -> float:
    """Probability that a neuron counts on one side: either count is Binomial(m, share)."""
    return float(
        2.0
        * (scipy.stats.norm.cdf(2.0) - scipy.stats.norm.cdf(least))
        * scipy.stats.norm.sf(4.0 * h * math.sqrt(m / 2.0))
    )


def moved_tail(m: int, n: int, level: float, spread: float) -> tuple[float, float]:
    """Brackets of P(max |V_{1,i} (x_s - y_s mu)| > level): from one point for all neurons, and from a union of points.

    The neurons are independent, the points of one neuron are not.
    """
    one = 2.0 * float(scipy.stats.norm.sf(level * math.sqrt(m / 2.0) / spread))
    return -math.expm1(m * math.log1p(-one)), -math.expm1(m * math.log1p(-min(n * one, 1.0 - 1e-16)))

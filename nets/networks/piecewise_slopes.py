"""Activations whose slope is linear between knots, from the knots and the slopes there.

Main definitions: `piecewise_quadratic`, and its rule, `PiecewiseRule`.
"""

from dataclasses import dataclass

import numpy as np

from nets.core.arrays import Array
from nets.networks.activations import Activation


@dataclass(frozen=True)
class PiecewiseRule:
    """phi and phi' where phi' is linear between `knots` and constant beyond them; phi(0) = 0.

    Attributes
    ----------
    knots : increasing, at least one
    slopes : phi' at the knots
    """

    knots: tuple[float, ...]
    slopes: tuple[float, ...]

    def __call__(self, pre: Array) -> tuple[Array, Array]:
        """phi and phi' of pre-activations (n, m): two arrays (n, m)."""
        return self._primitive(pre) - self._primitive(np.zeros(1)), np.interp(pre, self.knots, self.slopes)

    def _primitive(self, z: Array) -> Array:
        """The integral of phi' from the first knot on."""
        knots, slopes = np.array(self.knots), np.array(self.slopes)
        total = slopes[0] * np.minimum(z - knots[0], 0.0)
        for k in range(knots.size - 1):
            inside = np.clip(z, knots[k], knots[k + 1]) - knots[k]
            bend = (slopes[k + 1] - slopes[k]) / (knots[k + 1] - knots[k])
            total = total + inside * (slopes[k] + 0.5 * bend * inside)
        return np.asarray(total + slopes[-1] * np.maximum(z - knots[-1], 0.0))


def piecewise_quadratic(name: str, h: float, knots: tuple[float, ...], slopes: tuple[float, ...]) -> Activation:
    """The activation with phi(0) = 0 whose slope is linear between the knots and constant beyond them.

    `h` is that of chatterji2021, Definition 2.1. It has no second derivative for Hessian-vector products.
    """
    if len(knots) != len(slopes) or not knots or not all(np.diff(knots) > 0.0):
        raise ValueError(f"{name} has knots {knots} and slopes {slopes}: pass increasing knots, one slope for each")
    knots, slopes = tuple(map(float, knots)), tuple(map(float, slopes))
    smoothness = float(np.max(np.abs(np.diff(slopes) / np.diff(knots)), initial=0.0))
    bends = knots if len(knots) > 1 else ()
    return Activation(name, PiecewiseRule(knots, slopes), bends=bends, smoothness=smoothness, def_2_1_h=float(h))

"""Functions that activations of one's own are made of."""

from collections.abc import Callable
from typing import Any

import numpy as np

from nets.core.arrays import Array


def elu_rules(alpha: float) -> tuple[Callable[[Array], Any], Callable[[Array], Any], Callable[[Array, Array], Any]]:
    """ELU, z above 0 and alpha (exp(z) - 1) below, with both derivatives; at 0 the slope of the left side."""

    def value(z: Array) -> Array:
        return np.where(z > 0.0, z, alpha * np.expm1(np.minimum(z, 0.0)))

    def slope(z: Array) -> Array:
        return np.where(z > 0.0, 1.0, alpha * np.exp(np.minimum(z, 0.0)))

    def curvature(z: Array, side: Array) -> Array:
        below = (z < 0.0) | ((z == 0.0) & (side < 0.0))
        return np.where(below, alpha * np.exp(np.minimum(z, 0.0)), 0.0)

    return value, slope, curvature

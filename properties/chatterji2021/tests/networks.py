"""What the unit tests of this paper's helpers build: small networks, points, and twins of phi and of a pass.

Main definitions: `network` and `random_network`, the one place that makes networks; `smooth_pass`, which runs them;
`output_of`, one sample at a time in plain numpy; `phi_of`, the activations by their formulas in numbers of mpmath.
"""

from collections.abc import Sequence
from typing import Any

import mpmath
import numpy as np

from nets.core.arrays import Array
from nets.networks.activations import RELU, Activation
from nets.networks.forward import Forward, forward
from nets.networks.network import Network, gaussian_smooth_network, smooth_network

DIGITS = 60


def network(*layers: Any) -> Network:
    """A network of these layers, the last of shape (p, 1), with ReLU."""
    return smooth_network([np.ascontiguousarray(V, dtype=np.float64) for V in layers], RELU)


def random_network(seed: Any, *widths: int, gain: float = 2.0) -> Network:
    """A Gaussian network of widths (p_0, ..., p_L), with ReLU."""
    return gaussian_smooth_network(widths, RELU, np.random.default_rng(seed), gain)


def smooth_pass(net: Network, X: Array, activation: Activation) -> Forward:
    """The pass of the points X (n, p_0)."""
    return forward(net.with_activation(activation), X)


def unit_points(seed: Any, n: int, p: int) -> Array:
    """n points (n, p) on the sphere."""
    X = np.random.default_rng(seed).standard_normal((n, p))
    return np.asarray(X / np.linalg.norm(X, axis=1, keepdims=True))


def output_of(layers: Sequence[Array], x: Array, activation: Activation) -> float:
    """f(x) for one point (p_0,)."""
    for V in layers[:-1]:
        x = activation.value(V.T @ x)
    return float((layers[-1].T @ x)[0])


def losses_of(layers: Sequence[Array], X: Array, y: Array, activation: Activation) -> Array:
    """log(1 + exp(-y f)) of each sample: (n,)."""
    margins = np.array([label * output_of(layers, x, activation) for x, label in zip(X, y, strict=True)])
    return np.logaddexp(0.0, -margins)


def numeric_gradient(layers: Sequence[Array], x: Array, activation: Activation, step: float = 1e-6) -> list[Array]:
    """The gradient of f(x) in each layer by central differences."""
    found = []
    for at, V in enumerate(layers):
        G = np.zeros_like(V)
        for place in np.ndindex(*V.shape):
            ends = []
            for sign in (1.0, -1.0):
                moved = [W.copy() for W in layers]
                moved[at][place] += sign * step
                ends.append(output_of(moved, x, activation))
            G[place] = (ends[0] - ends[1]) / (2.0 * step)
        found.append(G)
    return found


def phi_of(name: str, z: Any, h: Any) -> Any:
    """phi(z), by the formula that a reader would write down, in the precision in force."""
    z, h = mpmath.mpf(z), mpmath.mpf(h)
    if name == "identity":
        return z
    if name == "scaled_swish":
        return z / (mpmath.mpf(11) / 10) / (1 + mpmath.exp(-2 * z / h))
    if name == "huberised_relu":
        return mpmath.mpf(0) if z <= 0 else z**2 / (2 * h) if z <= h else z - h / 2
    if name == "odd and flat at zero":
        return mpmath.sign(z) * phi_of("huberised_relu", abs(z), h)
    begin, end = (mpmath.mpf(0), h) if name == "saturating" else (3 * h / 4, 5 * h / 4)
    if z <= begin:
        return z
    bent = min(z, end)
    return bent - (bent - begin) ** 2 / (2 * h) + (0 if name == "saturating" else (z - bent) / 2)


def slope_of(name: str, z: Any, h: Any) -> Any:
    """phi'(z), likewise."""
    z, h = mpmath.mpf(z), mpmath.mpf(h)
    if name == "identity":
        return mpmath.mpf(1)
    if name == "scaled_swish":
        share = 1 / (1 + mpmath.exp(-2 * z / h))
        return (share + 2 * z / h * share * (1 - share)) / (mpmath.mpf(11) / 10)
    if name == "huberised_relu":
        return min(max(z / h, mpmath.mpf(0)), mpmath.mpf(1))
    if name == "odd and flat at zero":
        return min(abs(z) / h, mpmath.mpf(1))
    begin, least = (mpmath.mpf(0), mpmath.mpf(0)) if name == "saturating" else (3 * h / 4, mpmath.mpf("0.5"))
    return max(min(1 - (z - begin) / h, mpmath.mpf(1)), least)

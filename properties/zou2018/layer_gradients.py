"""What the claims on gradients measure: exact difference quotients, and weights of large gradient.

Main definitions: `Line`, a segment of weights on which the network is affine, and `drawn_lines`, Gaussian weights with
one in each layer; `output_scale`, the size of what an output sums; `saturating_network`, where no norm of the chain
rule is lost.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from nets import SQUARED_HINGE, Array, Forward, Network, balanced_signs, empirical_risk, forward, he_network, perturbed
from nets.worst_cases.worst_networks import factored_layer
from theory.claims import rounding

# Steps are halved at most so often; where a gate still changes, the weights are at a kink.
_HALVINGS = 40

# Between the ends of a line as short as this, rounding leaves a difference quotient at least 6 digits.
SHORTEST = 2.0**-12
_DRAWS = 50


def output_scale(weights: Sequence[Array], v: Array, X: Array, masks: Sequence[Array] | None = None) -> Array:
    """Sum of the sizes of all products that make up f(x_i), with these gates or with all open: X (n, d) -> (n,)."""
    sizes = np.abs(X)
    for layer, W in enumerate(weights):
        sizes = sizes @ np.abs(W)
        if masks is not None:
            sizes = sizes * masks[layer]
    return np.asarray(sizes @ np.abs(v))


def output_operations(net: Network) -> float:
    """Length of the inner products on the way to an output, with one more rounding of each weight."""
    return float(sum(net.widths) + len(net.widths))


@dataclass(frozen=True)
class Line:
    """The network at W - h E and at W + h E, a step in one layer that changes no gate.

    In the weights of one layer the output is affine between the two, and its squared hinge is quadratic if no
    margin passes 1. So central difference quotients have no truncation error.

    Attributes
    ----------
    low, high : the passes at the two ends
    step : h
    error : (n,) bounds on the rounding errors of the outputs
    """

    low: Forward
    high: Forward
    step: float
    error: Array

    @classmethod
    def through(cls, net: Network, X: Array, y: Array, layer: int, direction: Array) -> Line:
        """The longest such line, h = 2^-k, along `direction` (m_{l-1}, m_l) at the points X (n, d).

        Raises ValueError at a kink.
        """
        for k in range(_HALVINGS):
            change = [np.zeros_like(W) for W in net.weights]
            change[layer - 1] = 0.5**k * direction
            low = forward(perturbed(net, [-step for step in change]), X)
            high = forward(perturbed(net, change), X)
            gates = all(np.array_equal(a, b) for a, b in zip(low.masks, high.masks, strict=True))
            if gates and np.array_equal(y * low.output < 1.0, y * high.output < 1.0):
                # Behind a gate that is closed at both ends nothing is rounded.
                sizes = [np.abs(W) + np.abs(step) for W, step in zip(net.weights, change, strict=True)]
                scale = output_scale(sizes, net.v, X, low.masks)
                return cls(low, high, 0.5**k, rounding(1.0, output_operations(net)) * scale)
        raise ValueError("a gate changes however short the step: the output has no derivative at these weights")

    @property
    def output_slopes(self) -> Array:
        """Difference quotients of f(x_i): (n,)."""
        return (self.high.output - self.low.output) / (2.0 * self.step)

    @property
    def output_error(self) -> Array:
        """Bounds on the rounding errors of `output_slopes`: (n,)."""
        return self.error / self.step

    def risk_slope(self, y: Array) -> float:
        """Difference quotient of the empirical risk of the squared hinge."""
        ends = [empirical_risk(SQUARED_HINGE, y, end.output) for end in (self.low, self.high)]
        return (ends[1] - ends[0]) / (2.0 * self.step)

    @property
    def risk_error(self) -> float:
        """Bound on the rounding error of `risk_slope`."""
        gap = 1.0 + np.maximum(np.abs(self.low.output), np.abs(self.high.output))
        # From the output, and of the loss and its mean themselves.
        total = (2.0 * gap + self.error) * self.error + rounding(1.0, gap.size + 8) * gap**2
        return float(total.mean()) / self.step


def drawn_lines(rng: Generator, X: Array, y: Array, widths: Sequence[int]) -> tuple[Network, list[tuple[Array, Line]]]:
    """He weights of these widths, and a random direction in each layer with its line through them.

    Where a kink is so near that a line is shorter than `SHORTEST`, weights are drawn again, `_DRAWS` times at most; not
    where some neuron of so many is always as near.
    """
    always_near = len(X) * sum(widths[1:]) * SHORTEST > 1.0
    for _ in range(1 if always_near else _DRAWS):
        net = he_network(widths, rng)
        directions = [rng.standard_normal(W.shape) for W in net.weights]
        lines = [Line.through(net, X, y, layer, E) for layer, E in enumerate(directions, start=1)]
        if min(line.step for line in lines) >= SHORTEST:
            break
    return net, list(zip(directions, lines, strict=True))


def saturating_network(x: Array, m: int, L: int, norm: float) -> Network:
    """L layers of width m and norm `norm` that lose nothing of x (d,) on the way up, or of v on the way down.

    W_l = norm (u_{l-1} u_l^T + p_{l-1} p_l^T) with u_0 = x, orthonormal u_l and p_l, and u_l positive: so the
    signal of x opens all gates and v returns along the p_l. In the last layer one neuron of each sign is left
    silent, which keeps the gradient below its bound by sqrt(1 - 2/m). Its output at x is 0. Raises `ValueError` where
    no neuron is left by that, or nothing is at right angles to x.
    """
    if m < 4 or x.size < 2:
        raise ValueError(f"layers of {m} at points of dimension {x.size} are asked for: take m >= 4 and d >= 2")
    signs = balanced_signs(m)
    kept = (np.arange(m) > 0) & (np.arange(m) < m - 1)
    across = np.zeros_like(x)
    across[int(np.argmin(np.abs(x)))] = 1.0
    across -= (across @ x) * x
    ups, backs = [x], [across / np.linalg.norm(across)]
    for layer in range(1, L + 1):
        neurons = kept if layer == L else np.ones(m, bool)
        ups.append(neurons / np.sqrt(neurons.sum()))
        backs.append(signs * ups[-1])
    weights = [
        factored_layer(norm * np.array([u, p]), np.array([u_next, p_next]))
        for (u, u_next), (p, p_next) in zip(itertools.pairwise(ups), itertools.pairwise(backs), strict=True)
    ]
    return Network(tuple(weights), signs)

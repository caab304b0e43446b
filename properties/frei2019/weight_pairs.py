"""Two weight tuples of one residual network and what lies between them: hat and tilde of Lemma 4.2.

Main definitions: `weighted_distance`, the h of the paper; `WeightPair`, with the terms (T1), (T2) and (T3) of eq. (16)
layer by layer, their linear parts and what is left; `draw_pair`, pairs of several kinds; `absolute_size`, what rounding
errors of all these are proportional to.

Rows are samples, so that W^T x of the paper is x W here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator

from nets.core.arrays import Array
from nets.networks.forward import Forward, forward
from nets.networks.gradients import backward
from nets.networks.network import Network, perturbed, residual_network
from nets.networks.operators import operator_norm
from nets.worst_cases.adversaries import WeightStep, no_step, random_perturbation


def layer_scales(layers: int, theta: float, power: float = 1.0) -> Array:
    """theta^power in the residual layers 2..L and 1 in the first and the last of L + 1 layers: (layers,)."""
    scales = np.full(layers, theta**power)
    scales[[0, -1]] = 1.0
    return scales


def weighted_distance(steps: Sequence[WeightStep], theta: float, power: float = 1.0) -> float:
    """h, the sum of the operator norms of the steps of all layers, residual ones times theta^power."""
    return float(layer_scales(len(steps), theta, power) @ [operator_norm(step) for step in steps])


@dataclass(frozen=True, eq=False)
class WeightPair:
    """A network at the weights tilde, and at the weights hat = tilde + steps, with both passes of the samples."""

    tilde: Network
    steps: tuple[WeightStep, ...]
    theta: float
    before: Forward
    after: Forward

    @classmethod
    def of(cls, tilde: Network, steps: Sequence[WeightStep], theta: float, X: Array) -> WeightPair:
        """The pair at samples X (n, d), for one step a layer."""
        return cls(tilde, tuple(steps), theta, forward(tilde, X), forward(perturbed(tilde, steps), X))

    @property
    def layers(self) -> int:
        """L + 1, the number of trained layers."""
        return len(self.steps)

    @cached_property
    def arriving(self) -> tuple[Array, ...]:
        """v^T H_{l+1}^{L+1} of the weights tilde, for l = 1..L + 1: arrays (n, m_l), the last one v."""
        return self._arriving(self.tilde, self.before)

    @cached_property
    def arriving_after(self) -> tuple[Array, ...]:
        """The same of the weights hat."""
        return self._arriving(perturbed(self.tilde, self.steps), self.after)

    def _arriving(self, net: Network, fwd: Forward) -> tuple[Array, ...]:
        last = np.broadcast_to(net.v, fwd.masks[-1].shape)
        return (
            *(np.broadcast_to(q, x.shape) for q, x in zip(backward(net, fwd).later_q, fwd.post[1:-1], strict=True)),
            last,
        )

    def moved(self, layer: int) -> Array:
        """(W_hat - W_tilde)^T applied to the states tilde that enter a layer: (n, m_l)."""
        return np.asarray(self.before.post[layer - 1] @ self.steps[layer - 1])

    def moved_by_the_states(self, layer: int) -> Array:
        """The same, applied to the change of these states: (n, m_l)."""
        change = self.after.post[layer - 1] - self.before.post[layer - 1]
        return np.asarray(change @ self.steps[layer - 1])

    def flipped(self, layer: int) -> Array:
        """(Sigma_hat - Sigma_tilde) W_hat^T x_hat of a layer: (n, m_l)."""
        return np.asarray((self.after.masks[layer - 1] - self.before.masks[layer - 1]) * self.after.pre[layer - 1])

    def excess(self, layer: int) -> Array:
        """What a layer adds to (16) beyond its linear part: I_1 and I_2 of (17) and (22) with all factors, (n,)."""
        own = self.flipped(layer)
        if layer > 1:
            own = own + self.before.masks[layer - 1] * self.moved_by_the_states(layer)
        scale = layer_scales(self.layers, self.theta)[layer - 1]
        return np.asarray(scale * np.sum(self.arriving[layer - 1] * own, axis=1))

    @property
    def remainder(self) -> Array:
        """f_hat - f_tilde less all linear parts, without the cancellation: (n,)."""
        return np.sum([self.excess(layer) for layer in range(1, self.layers + 1)], axis=0)

    @cached_property
    def norms(self) -> Array:
        """||W_hat - W_tilde||_2 of all layers: (L + 1,)."""
        return np.array([operator_norm(step) for step in self.steps])

    def distance(self, power: float = 1.0) -> float:
        """h of the two weight tuples."""
        return weighted_distance(self.steps, self.theta, power)


PAIRS = ("integer weights", "unrelated", "rank-one step", "step of all entries")


def draw_pair(
    rng: Generator, X: Array, m: int, L: int, theta: float, kind: str, size: float
) -> tuple[WeightPair, bool]:
    """A pair of one of the kinds `PAIRS` at points X (n, d), steps of norm `size`; and whether its numbers are exact.

    Whole numbers take the power of 2 next to theta, and points of entries -1, 0 and 1.
    """
    widths = (X.shape[1], *[m] * L, m + 2)
    if kind == "integer weights":
        theta = 2.0 ** round(np.log2(theta))
        X = rng.integers(-1, 2, X.shape).astype(np.float64)
        net = residual_network(widths, theta, rng)
        first, second = ([rng.integers(-2, 3, W.shape).astype(np.float64) for W in net.weights] for _ in range(2))
        return WeightPair.of(
            net.with_weights(first), [b - a for a, b in zip(first, second, strict=True)], theta, X
        ), True
    net = residual_network(widths, theta, rng)
    if kind == "unrelated":
        other = residual_network(widths, theta, rng)
        steps = [b - a for a, b in zip(net.weights, other.weights, strict=True)]
    else:
        steps = [
            random_perturbation(W, size, rng, "rank_one" if kind == "rank-one step" else "gaussian")
            for W in net.weights
        ]
    return WeightPair.of(net, steps, theta, X), False


def absolute_size(pair: WeightPair) -> float:
    """The largest sum of absolute values of the products in an output, at both weights together, gates left out."""
    weights = [np.abs(W) + np.abs(step) for W, step in zip(pair.tilde.stored_weights(), pair.steps, strict=True)]
    sizes = np.abs(pair.before.post[0]) @ weights[0]
    for W in weights[1:-1]:
        sizes = sizes + pair.theta * sizes @ W
    return float((sizes @ weights[-1]).sum(axis=1).max())


def at_layer(net: Network, layer: int, step: WeightStep) -> list[WeightStep]:
    """One step a layer, of which all but that of `layer` are zero."""
    return [step if k == layer else no_step(W) for k, W in enumerate(net.weights, 1)]

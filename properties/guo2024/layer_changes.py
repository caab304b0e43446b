"""What a step does to the layers of a leaky network at one point, in the notation of guo2024, Appendix B.3.

Main definitions: `SLOPES`; `jump` and `derivative` of the activation; `StepEffect`, a network before and after a step,
with `weight_part` and `gate_parts`, the sums (50) and (51); `attacked_layer`, steps that flip, shift or overshoot;
`affordable_flips`, how many neurons a change of given norm can flip.

Rows are samples in `nets`, so that g_l = W_l h_{l-1} of the paper is a row h_{l-1} W_l here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator

from nets.core.arrays import Array
from nets.data.points import sphere
from nets.linear_algebra.lowrank import outer
from nets.networks.activations import leaky_relu
from nets.networks.forward import Forward, forward
from nets.networks.network import STORED_ENTRIES, Layer, Network, Step, leaky_network, perturbed
from nets.worst_cases.adversaries import (
    WeightStep,
    flip_layer,
    flip_smallest,
    forward_shift,
    no_step,
    random_perturbation,
    step_radius,
)
from theory.claims import rounding

# What `attacked_layer` knows.
LAYER_ATTACKS = ("flips", "shift", "overshoot", "random")


def derivative(pre: Array, slope: float) -> Array:
    """The derivative of the rescaled leaky ReLU at pre-activations (m,): the diagonal of D."""
    return np.asarray(leaky_relu(slope).value_and_slope(np.atleast_2d(pre))[1][0])


def affordable_flips(pre: Array, change: float) -> int:
    """max{s: the s smallest squares of the pre-activations (m,) sum to at most change^2}."""
    return int(np.searchsorted(np.cumsum(np.sort(pre**2)), change**2 * (1.0 + 1e-12), side="right"))


@dataclass(frozen=True)
class StepEffect:
    """A leaky network at one point before and after a step of its trained layers.

    Layers are numbered 0..L as in the paper: g_0 = h_0 = A x, D_0 = I, and the trained weights are W_1..W_L.
    """

    net: Network
    moved: Network
    start: Forward
    end: Forward

    @classmethod
    def of(cls, net: Network, steps: Sequence[WeightStep], x: Array) -> StepEffect:
        """The effect of `steps`, one for each of W_1..W_L, at the point x (1, d)."""
        moved = perturbed(net, steps)
        return cls(net, moved, forward(net, x), forward(moved, x))

    @property
    def layers(self) -> int:
        """L, the number of trained layers."""
        return len(self.net.weights)

    def step(self, layer: int) -> Array:
        """W'_l as it was added, (m, m)."""
        return np.asarray(self.moved.weights[layer - 1] - self.net.weights[layer - 1])

    def change(self, layer: int) -> Array:
        """g'_l: (m,)."""
        return np.asarray(self.end.pre[layer][0] - self.start.pre[layer][0])

    def feature_change(self, layer: int) -> Array:
        """h'_l: (m,)."""
        return np.asarray(self.end.post[layer + 1][0] - self.start.post[layer + 1][0])

    def jumps(self, layer: int) -> Array:
        """The diagonal of D'_l: (m,)."""
        return np.asarray(self.end.masks[layer][0] - self.start.masks[layer][0])

    def flipped_part(self, layer: int) -> Array:
        """D'_l g_l: (m,)."""
        return np.asarray(self.jumps(layer) * self.end.pre[layer][0])

    def flips(self, layer: int) -> int:
        """||D'_l||_0."""
        return int(np.count_nonzero(self.jumps(layer)))

    def carried(self, row: Array, source: int, target: int) -> Array:
        """A row (m,) that leaves W_source, through D^(0) W^(0) of the layers up to W_target: (m,)."""
        for layer in range(source, target):
            row = (row * self.start.masks[layer][0]) @ self.net.weights[layer]
        return row

    def weight_part(self, layer: int) -> Array:
        """The sum (50): what the steps W'_1..W'_l do, carried to `layer` by the weights before the step: (m,)."""
        return self._sum(layer, [self.end.post[k][0] @ self.step(k) for k in range(1, layer + 1)])

    def gate_parts(self, layer: int) -> list[Array]:
        """The terms y_k of the sum (51), that of the last layer first: what the flips do, arrays (m,)."""
        terms = [self.flipped_part(k - 1) @ self.net.weights[k - 1] for k in range(1, layer + 1)]
        return [self.carried(term, k, layer) for k, term in enumerate(terms, start=1)][::-1]

    def _sum(self, layer: int, terms: list[Array]) -> Array:
        return np.sum([self.carried(term, k, layer) for k, term in enumerate(terms, start=1)], axis=0)

    @cached_property
    def sizes(self) -> tuple[Array, ...]:
        """More than the terms of each entry of g_l can add up to, l = 0..L: L + 1 arrays (m,)."""
        sizes = [np.abs(self.start.pre[0][0])]
        for before, after in zip(self.net.weights, self.moved.weights, strict=True):
            sizes.append(sizes[-1] @ np.maximum(np.abs(before), np.abs(after)))
        return tuple(sizes)

    def error(self, layer: int) -> Array:
        """A bound on the rounding errors of any of the above at a layer, sums of products along paths: (m,)."""
        share = rounding(1.0, (layer + 1) * (self.net.widths[-1] + 4))
        return np.asarray(8.0 * (layer + 1) * share * self.sizes[layer])


def leaky_start(
    rng: Generator, m: int, depth: int, slope: float, outputs: int = 1, *, stored: float = STORED_ENTRIES
) -> tuple[Network, Array]:
    """A leaky network by Algorithm 1, and a unit point (1, 4); layers of more than `stored` entries are revealed."""
    return leaky_network(4, m, depth, outputs, slope, rng, stored=stored), sphere(1, 4, rng)


def trained_layers(net: Network, x: Array) -> tuple[Network, Array]:
    """The trained layers of a leaky network alone, and what the frozen first one makes of x (1, d): h_0 (m,)."""
    steps = [Step(k, step.activation) for k, step in enumerate(net.steps[1:])]
    return Network(net.weights, net.readout, steps), (x @ net.frozen[0])[0]


def overshoot(W: Layer, arriving: Array, omega: float) -> WeightStep:
    """The step of norm omega that moves only the neuron nearest to its kink, across it, at an input (m,).

    At the input 0, as a dead layer gives it, no step moves anything.
    """
    if not arriving.any():
        return no_step(W)
    pre = arriving @ W
    nearest = int(np.argmin(np.abs(pre)))
    size = step_radius(W, omega) / float(np.linalg.norm(arriving))
    across = np.zeros((1, pre.size))
    across[0, nearest] = -size if pre[nearest] > 0.0 else size
    return outer(W, arriving[np.newaxis], across)


def attacked_layer(
    rng: Generator, net: Network, x: Array, omega: float, attack: str, layer: int | None = None
) -> StepEffect:
    """A leaky network under one of the `LAYER_ATTACKS` on a layer, by default the last, steps of norm omega at most.

    "flips" moves the input of the layer and then flips its smallest pre-activations, "shift" moves its outputs far,
    "overshoot" spends the step of the layer on one neuron, behind a shift, and "random" is of rank one.
    """
    inner, arriving = trained_layers(net, x)
    target = inner.depth if layer is None else layer
    still = tuple(no_step(W) for W in inner.weights)
    if attack == "flips":
        steps = flip_layer(inner, arriving, omega, target, sweeps=2)
    elif attack == "shift":
        steps = forward_shift(inner, arriving, omega, target, sweeps=3)
    elif attack == "overshoot":
        before = forward_shift(inner, arriving, omega, target - 1, sweeps=3)[: target - 1] if target > 1 else ()
        reached = forward(perturbed(inner, (*before, *still[target - 1 :])), arriving[np.newaxis]).post[target - 1][0]
        steps = (*before, overshoot(inner.weights[target - 1], reached, omega), *still[target:])
    elif attack == "random":
        steps = tuple(random_perturbation(W, omega, rng, "rank_one") for W in inner.weights)
    else:
        raise ValueError(f"the attack {attack!r} is none of {', '.join(LAYER_ATTACKS)}")
    return StepEffect.of(net, steps, x)


def first_layer_flips(net: Network, x: Array, omega: float) -> StepEffect:
    """The step of norm omega in the first trained layer that flips the most neurons there: none flips more."""
    inner, arriving = trained_layers(net, x)
    own = flip_smallest(inner.weights[0], arriving, omega)
    return StepEffect.of(net, (own, *(no_step(W) for W in inner.weights[1:])), x)

"""Leaky networks before and after a step, at several points with targets, and the sums of guo2024, B.5 and B.8.

Main definitions: `SLOPES`; `Expansion`, the two networks, with `carried`, what the layers above make of a row, and
`size`, on which rounding errors depend; `DrawnNetworks`, which networks and which step a search draws;
`mirrored_flips`, the step that bends one layer most.

Rows are samples in `nets`, so that W_l h_{l-1} of the paper is a row h_{l-1} W_l here.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from nets.core.arrays import Array
from nets.data.distances import normalise_rows
from nets.data.labelled import DataSource
from nets.data.points import arranged
from nets.linear_algebra.lowrank import outer
from nets.networks.forward import Forward, forward
from nets.networks.gradients import backward, loss_gradient
from nets.networks.losses import SQUARE
from nets.networks.network import Layer, Network, leaky_network, perturbed, shifted
from nets.worst_cases.adversaries import WeightStep, no_step, random_perturbation, step_radius
from properties.guo2024.slopes import SLOPES
from theory.claims import rounding

# How the second network comes from the first.
MOVES = ("unrelated", "rank one", "gradient", "flips")
POINT_FAMILIES = ("drawn", "near duplicates", "antipodes")

# How far the points of an attacked network are from their first one, about, where nothing is said.
CLUSTER = 0.02

# A step that carries a neuron across its kink, to where its pre-activation has the other sign and the same size, goes
# beyond it by so much, relatively.
PAST_KINK = 1e-9


@dataclass(frozen=True, eq=False)
class Expansion:
    """A leaky network W* and a second one, W = W* + W', at the same points (n, d) with targets (n, outputs).

    Trained layers are numbered 1..L as in the paper, and layer 0 is x A.
    """

    net: Network
    moved: Network
    start: Forward
    end: Forward
    targets: Array

    @classmethod
    def of(cls, net: Network, moved: Network, X: Array, targets: Array) -> Expansion:
        """The passes of both networks at the points X (n, d)."""
        return cls(net, moved, forward(net, X), forward(moved, X), targets)

    @property
    def layers(self) -> range:
        """1..L."""
        return range(1, len(self.net.weights) + 1)

    @property
    def B(self) -> Array:
        """The read-out: (m, outputs)."""
        return self.net.v.reshape(len(self.net.v), -1)

    @property
    def residuals(self) -> Array:
        """e*: (n, outputs)."""
        return self._outputs(self.start) - self.targets

    @property
    def output_change(self) -> Array:
        """f(x; W) - f(x; W*): (n, outputs)."""
        return self._outputs(self.end) - self._outputs(self.start)

    def _outputs(self, fwd: Forward) -> Array:
        return np.asarray(fwd.output.reshape(len(fwd.output), -1))

    def feature_change(self, layer: int) -> Array:
        """h_l - h*_l: (n, m)."""
        return np.asarray(self.end.post[layer + 1] - self.start.post[layer + 1])

    def step(self, layer: int) -> WeightStep:
        """W'_l: (m, m), an array for a stored layer."""
        return self.moved.weights[layer - 1] - self.net.weights[layer - 1]

    def gates(self, layer: int) -> Array:
        """The diagonals of D*_l: (n, m)."""
        return self.start.masks[layer]

    def gate_change(self, layer: int) -> Array:
        """The diagonals of D_l - D*_l: (n, m)."""
        return np.asarray(self.end.masks[layer] - self.start.masks[layer])

    def mean_gates(self, layer: int) -> Array:
        """The diagonals of D*_l + D''_l, (h_l - h*_l)/(g_l - g*_l) and D*_l where no sign changes: (n, m)."""
        before, after = self.start.pre[layer], self.end.pre[layer]
        crossed = (before > 0.0) != (after > 0.0)
        moves = np.where(crossed, after - before, 1.0)
        return np.where(crossed, self.feature_change(layer) / np.where(moves == 0.0, 1.0, moves), self.gates(layer))

    def flip_terms(self, layer: int) -> Array:
        """(D_l - D*_l) g_l, as it arrives at layer L through D* and W* of the layers above: (n, m)."""
        flipped = self.gate_change(layer) * self.end.pre[layer]
        return self.carried(flipped, layer, len(self.layers), self.all_gates)

    def crossing_terms(self, layer: int) -> Array:
        """W'_l (h_{l-1} - h*_{l-1}), as it arrives at layer L through D* and W* of the layers above: (n, m)."""
        return self.linear_terms(layer, end=True) - self.linear_terms(layer)

    def carried(self, rows: Array, first: int, last: int, gates: Sequence[Array]) -> Array:
        """Moves (n, m) of the features of layer `first`, as they arrive at layer `last`: through W* and `gates`."""
        for layer in range(first + 1, last + 1):
            rows = (rows @ self.net.weights[layer - 1]) * gates[layer - 1]
        return rows

    def read_back(self, gates: Sequence[Array], layer: int, point: int) -> Array:
        """B D_L W_L .. W_{l+1} D_l at a point, with W* and `gates` (n, m) of each layer: (outputs, m)."""
        rows = self.B.T * gates[-1][point]
        for above in range(len(self.layers), layer, -1):
            rows = (rows @ self.net.weights[above - 1].T) * gates[above - 2][point]
        return np.asarray(rows)

    def linear_terms(self, layer: int, *, end: bool = False) -> Array:
        """W'_l h*_{l-1}, or with `end` W'_l h_{l-1}, as it arrives at layer L through D* and W*: (n, m)."""
        inputs = (self.end if end else self.start).post[layer]
        return self.carried((inputs @ self.step(layer)) * self.gates(layer), layer, len(self.layers), self.all_gates)

    @property
    def all_gates(self) -> list[Array]:
        """D*_1..D*_L."""
        return [self.gates(layer) for layer in self.layers]

    @cached_property
    def feature_size(self) -> tuple[Array, ...]:
        """More than the terms of h_0..h_L, of either network and of any mix of the two, add up to: (n, m) each."""
        sizes = [np.abs(self.start.post[0]) @ np.abs(self.net.frozen[0])]
        for before, after in zip(self.net.weights, self.moved.weights, strict=True):
            sizes.append(sizes[-1] @ (np.abs(before) + np.abs(after)))
        return tuple(sizes)

    @property
    def size(self) -> Array:
        """The same for the outputs: (n, outputs)."""
        return self.feature_size[-1] @ np.abs(self.B)

    @property
    def share(self) -> float:
        """The share of these sizes by which a sum over all layers of products along them may be off."""
        return rounding(1.0, 8.0 * (len(self.layers) + 2) * (sum(self.net.widths) + 8))


def mirrored_flips(W: Layer, arriving: Array, omega: float, favour: Array | None = None) -> WeightStep:
    """The step of norm omega at most that gives the smallest pre-activations g_j of an input (m,) the values -g_j.

    With `favour` (m,) it moves only neurons where that is positive, and of those the most that the norm allows. The
    output of a layer then differs from its linearisation by kappa times the sum of the |g_j|, each with the sign of
    `favour`: of all ways to spend what a flip costs none bends the layer more.
    """
    pre, length = arriving @ W, float(np.linalg.norm(arriving))
    reach = step_radius(W, omega) * length
    open_to = np.flatnonzero(pre != 0.0 if favour is None else (pre != 0.0) & (favour > 0.0))
    order = open_to[np.argsort(np.abs(pre[open_to]))]
    moves = -(2.0 + PAST_KINK) * pre[order]
    chosen = order[: np.searchsorted(np.cumsum(moves**2), reach**2, side="right")]
    change = np.zeros((1, pre.size))
    change[0, chosen] = -(2.0 + PAST_KINK) * pre[chosen]
    return outer(W, (arriving / length**2)[np.newaxis], change) if chosen.size else no_step(W)


def flips_of_all_layers(net: Network, x: Array, omega: float, coefficients: Array | None = None) -> list[WeightStep]:
    """`mirrored_flips` of one layer after the other at the point x (1, d), each at what then arrives.

    With `coefficients` (outputs,) only of neurons that raise the output with these coefficients.
    """
    fwd = forward(net, x)
    favour = None if coefficients is None else later_vectors(net, fwd, coefficients)
    steps = [no_step(W) for W in net.weights]
    for layer, W in enumerate(net.weights):
        arriving = forward(perturbed(net, steps), x).post[layer + 1][0]
        steps[layer] = mirrored_flips(W, arriving, omega, None if favour is None else favour[layer][0])
    return steps


def later_vectors(net: Network, fwd: Forward, coefficients: Array) -> list[Array]:
    """The derivatives of the output with these coefficients (outputs,) in the features of the layers 1..L: (n, m)."""
    rows = np.broadcast_to(coefficients, (len(fwd.output), coefficients.size))
    below = backward(net, fwd, coefficients=rows.reshape(fwd.output.shape)).later_q[1:]
    return [*below, rows @ net.v.reshape(len(net.v), -1).T]


def along_gradient(net: Network, x: Array, coefficients: Array, omega: float) -> list[WeightStep]:
    """The steps of norm omega each that move the output with these coefficients (outputs,) most, to first order."""
    fwd = forward(net, x)
    back = backward(net, fwd, coefficients=coefficients.reshape(fwd.output.shape)).b
    steps = []
    for layer, W in enumerate(net.weights):
        left, right = fwd.post[layer + 1], back[layer + 1]
        length = float(np.linalg.norm(left) * np.linalg.norm(right))
        steps.append(outer(W, left, right * (step_radius(W, omega) / length)) if length else no_step(W))
    return steps


def crossing_steps(net: Network, x: Array, coefficients: Array, omega: float) -> list[WeightStep]:
    """Steps of norm omega each whose products of two move the output with these coefficients (outputs,) much.

    The first layer is scaled up, so that none of its neurons crosses 0; each layer above sends the change of the
    features that arrives there into its backward vector. Nothing of this needs a kink: it is left at slope 1.
    """
    fwd = forward(net, x)
    later = later_vectors(net, fwd, coefficients)
    steps = [no_step(W) for W in net.weights]
    for layer, W in enumerate(net.weights):
        left, right = fwd.post[1], fwd.pre[1]
        if layer:
            left = forward(perturbed(net, steps), x).post[layer + 1] - fwd.post[layer + 1]
            right = later[layer] * fwd.masks[layer + 1]
        length = float(np.linalg.norm(left) * np.linalg.norm(right))
        steps[layer] = outer(W, left, right * (step_radius(W, omega) / length)) if length else no_step(W)
    return steps


class DrawnNetworks(NamedTuple):
    """Two networks as a search draws them: how the second one comes about, by what norm, and at which points."""

    move: str
    size: float
    points: str

    def of(self, rng: Generator, data: DataSource, sizes: tuple[int, int, int, int, int], slope: float) -> Expansion:
        """The two networks of sizes (d, m, L, outputs, n), with targets of norm 1."""
        d, m, L, outputs, n = sizes
        X = arranged(data.draw(n, d, rng)[0], self.points, rng)
        targets = rng.standard_normal((n, outputs))
        targets /= np.linalg.norm(targets, axis=1, keepdims=True)
        net = leaky_network(X.shape[1], m, L, outputs, slope, rng)
        return Expansion.of(net, self._moved(rng, net, X, targets), X, targets)

    def _moved(self, rng: Generator, net: Network, X: Array, targets: Array) -> Network:
        if self.move == "unrelated":
            return net.with_weights([rng.standard_normal(W.shape) * self.size / len(W) ** 0.5 for W in net.weights])
        if self.move == "rank one":
            return perturbed(net, [random_perturbation(W, self.size, rng, "rank_one") for W in net.weights])
        if self.move == "flips":
            return perturbed(net, flips_of_all_layers(net, X[:1], self.size))
        fwd = forward(net, X)
        gradient = loss_gradient(net, fwd, targets.reshape(fwd.output.shape), SQUARE)
        longest = max(float(np.linalg.norm(G, 2)) for G in gradient)
        # At slope 0 all neurons of a narrow layer may be dead at all points.
        return shifted(net, gradient, -self.size / longest) if longest else net


EACH_MOVE = [DrawnNetworks(move, size=0.5, points="drawn")._asdict() for move in MOVES] + [
    DrawnNetworks("rank one", size=0.5, points=points)._asdict() for points in POINT_FAMILIES[1:]
]


class Attacked(NamedTuple):
    """A network by Algorithm 1 at points close to each other, and an attack on the first of them.

    `step` is "flips", "favoured flips", "gradient" or "crossing", of norm omega in every layer; layers are revealed.
    The other points are about `apart` from the first one.
    """

    m: int
    L: int
    outputs: int
    n: int
    slope: float
    omega: float
    apart: float = CLUSTER

    def by(self, step: str, rng: Generator, data: DataSource, d: int) -> tuple[Expansion, Array]:
        """The networks, with residuals of norm 1 in one direction at all points, and that direction (outputs,)."""
        X = data.draw(self.n, d, rng)[0]
        X = normalise_rows(X[:1] + self.apart * X)
        net = leaky_network(X.shape[1], self.m, self.L, self.outputs, self.slope, rng, stored=0)
        unit = np.eye(self.outputs)[0]
        steps = {
            "flips": lambda: flips_of_all_layers(net, X[:1], self.omega),
            "favoured flips": lambda: flips_of_all_layers(net, X[:1], self.omega, unit),
            "gradient": lambda: along_gradient(net, X[:1], unit, self.omega),
            "crossing": lambda: crossing_steps(net, X[:1], unit, self.omega),
        }[step]()
        start = forward(net, X).output.reshape(self.n, -1)
        return Expansion.of(net, perturbed(net, steps), X, start - unit), unit


def cells_of_slopes(widths: Sequence[int], depths: Sequence[int], **sizes: float) -> list[dict[str, float]]:
    """A cell for each of the `SLOPES`, with widths and depths by turns."""
    turns = zip(SLOPES, itertools.cycle(widths), itertools.cycle(depths), strict=False)
    return [{"slope": slope, "m": m, "L": L, **sizes} for slope, m, L in turns]

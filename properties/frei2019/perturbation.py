"""Residual networks moved in the ball of radius tau around their weights: attacks of Lemma B.4, and what they do.

Main definitions: `radius`, the largest Frobenius norm of a step, by which the ball is defined; `Moved`, samples run
through W, W^ and W~; `opposed_flips` of a layer by both W^ and W~, `flips_anywhere` of a layer at any of the samples;
the naive `random_steps` and `steps_against_gradient`. One W^ alone flips most by
`nets.worst_cases.adversaries.flip_layer` and moves outputs farthest by `nets.worst_cases.adversaries.forward_shift`,
which take steps of rank one.

Rows are samples, so that W^T x of the paper is x W here. All steps have Frobenius norm tau at most in every layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from nets.core.arrays import Array
from nets.linear_algebra.lowrank import outer
from nets.networks.forward import Forward, forward
from nets.networks.gradients import loss_gradient
from nets.networks.losses import LOGISTIC
from nets.networks.network import Network, perturbed
from nets.networks.operators import flip_counts, flipped_anywhere, frobenius_norm
from nets.worst_cases.adversaries import WeightStep, flip_layer, flip_smallest, no_step, step_radius

# A flipped pre-activation lies beyond its kink by this share of what it was, and of the radius shared among neurons.
PAST_KINK = 1e-9


def radius(net: Network, moved: Network) -> float:
    """max_l ||W~_l - W_l||_F: the radius of the smallest ball around `net` in which `moved` lies."""
    return max(frobenius_norm(after - before) for before, after in zip(net.weights, moved.weights, strict=True))


@dataclass(frozen=True, eq=False)
class Moved:
    """Samples X (n, d) run through the weights W and through two choices of moved ones, W^ (hat) and W~ (tilde)."""

    start: Network
    hat: Network
    tilde: Network
    at_hat: Forward
    at_tilde: Forward

    @classmethod
    def of(
        cls, net: Network, steps: Sequence[WeightStep], others: Sequence[WeightStep] | None, X: npt.ArrayLike
    ) -> Moved:
        """The weights net + steps against net + others, or against net where there are no others."""
        X = np.atleast_2d(np.asarray(X, dtype=np.float64))
        hat = perturbed(net, steps)
        tilde = net if others is None else perturbed(net, others)
        return cls(net, hat, tilde, forward(hat, X), forward(tilde, X))

    @cached_property
    def before(self) -> Forward:
        """The samples at the weights W."""
        return self.at_tilde if self.tilde is self.start else forward(self.start, self.at_tilde.post[0])

    @property
    def radius(self) -> float:
        """The radius of the smallest ball around W in which both W^ and W~ lie."""
        return max(radius(self.start, self.hat), radius(self.start, self.tilde))

    @property
    def outputs(self) -> Array:
        """||x^_l - x~_l|| of the layers 1..L + 1: (n, L + 1)."""
        pairs = zip(self.at_hat.post[1:], self.at_tilde.post[1:], strict=True)
        return np.stack([np.linalg.norm(after - before, axis=1) for after, before in pairs], axis=1)

    @property
    def pre_activations(self) -> Array:
        """||W^_l^T x^_{l-1} - W~_l^T x~_{l-1}|| of the layers 1..L + 1: (n, L + 1)."""
        pairs = zip(self.at_hat.pre, self.at_tilde.pre, strict=True)
        return np.stack([np.linalg.norm(after - before, axis=1) for after, before in pairs], axis=1)

    @property
    def flips(self) -> Array:
        """||Sigma^_l - Sigma~_l||_0: (n, L + 1)."""
        return np.asarray(flip_counts(self.at_hat, self.at_tilde))

    @property
    def flips_of_any(self) -> Array:
        """Neurons of each layer whose gates differ at one of the samples or more: (L + 1,)."""
        return np.asarray(flipped_anywhere(self.at_hat, self.at_tilde))


def opposed_flips(
    net: Network, x: Array, tau: float, layer: int, *, alone: bool = False
) -> tuple[tuple[WeightStep, ...], tuple[WeightStep, ...]]:
    """Steps of W^ and of W~ after which most gates of `layer` (1..L + 1) differ at a sample x (d,).

    W^ flips what it can, with `alone` by a step of that layer alone; W~ by such a step the smallest pre-activations of
    the others. Of steps of the layer alone no two make more gates differ, but for the neuron at which a budget ends.
    """
    W, arriving = net.weights[layer - 1], forward(net, x[np.newaxis]).post[layer - 1]
    hat = _alone(net, layer, flip_smallest(W, arriving, tau)) if alone else flip_layer(net, x, tau, layer)
    gates = forward(perturbed(net, hat), x[np.newaxis]).masks[layer - 1]
    return hat, _alone(net, layer, flip_smallest(W, arriving, tau, masks=gates))


def flips_anywhere(net: Network, X: Array, tau: float, layer: int | None = None) -> tuple[WeightStep, ...]:
    """Steps of one layer, by default the last, that flip most of its neurons, each at one of the samples X (n, d).

    What enters the layer stays as it is. A neuron costs the least |w_j^T x_i|/||x_i|| over the samples, its own column
    moved along that x_i, and columns add up in squares: no step of that layer alone with that Frobenius norm makes more
    neurons differ somewhere. Where nothing enters for a sample, no step of the layer opens or closes a gate.
    """
    layer = len(net.weights) if layer is None else layer
    W = net.weights[layer - 1]
    fwd = forward(net, X)
    arriving = fwd.post[layer - 1]
    met = arriving.any(axis=1)
    if not met.any():
        return tuple(no_step(V) for V in net.weights)
    arriving = arriving[met]
    lengths = np.linalg.norm(arriving, axis=1, keepdims=True)
    reach = step_radius(W, tau)
    moves = _beyond(fwd.pre[layer - 1][met] / lengths, reach)
    nearest = np.argmin(np.abs(moves), axis=0)
    own = moves[nearest, np.arange(nearest.size)]
    order = np.argsort(np.abs(own), kind="stable")
    chosen = order[: np.searchsorted(np.cumsum(own[order] ** 2), reach**2, side="right")]
    changes = np.zeros_like(moves)
    changes[nearest[chosen], chosen] = own[chosen]
    return _alone(net, layer, outer(W, arriving / lengths, changes))


def random_steps(net: Network, tau: float, rng: Generator) -> tuple[Array, ...]:
    """Steps of all entries in random directions, of Frobenius norm tau: next to nothing in the operator norm."""
    return tuple(_scaled(rng.standard_normal(W.shape), step_radius(W, tau)) for W in net.weights)


def steps_against_gradient(net: Network, X: Array, y: Array, tau: float) -> tuple[Array, ...]:
    """Steps of Frobenius norm tau against the gradient of the logistic risk in each layer, as descent begins."""
    gradients = loss_gradient(net, forward(net, X), y, LOGISTIC)
    return tuple(_scaled(-G, step_radius(W, tau)) for W, G in zip(net.weights, gradients, strict=True))


def _beyond(pre: Array, budget: float) -> Array:
    """The changes that take each pre-activation across its kink, and a little on."""
    past = np.abs(pre) * (1.0 + PAST_KINK) + PAST_KINK * budget / pre.shape[-1]
    return np.asarray(np.where(pre > 0.0, -past, past))


def _alone(net: Network, layer: int, step: WeightStep) -> tuple[WeightStep, ...]:
    """One step a layer, of which all but that of `layer` are zero."""
    return tuple(step if k == layer else no_step(W) for k, W in enumerate(net.weights, 1))


def _scaled(step: Array, size: float) -> Array:
    length = float(np.linalg.norm(step))
    return step * (size / length) if length > 0.0 else step

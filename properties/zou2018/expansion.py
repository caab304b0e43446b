"""What the claims on the first-order expansion of an output measure.

Main definitions: `linear_terms`, the first-order part of a step layer by layer; `arriving`, the backward
vectors before the gates; `forward_size` and `linear_size`, the sizes of the terms on which rounding errors
depend, with `output_error`; `output_remainder`, `flip_terms` and `second_order_norms`, the remainder and parts of its
bound; what a search draws of all these: `draw_start`, `draw_step`, `draw_outputs`, `TwoNetworks`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from nets.core.arrays import Array
from nets.data.labelled import DataSource
from nets.networks.forward import Forward, forward
from nets.networks.gradients import backward
from nets.networks.losses import Loss
from nets.networks.network import Network, he_network, perturbed
from nets.networks.operators import layer_norms, operator_norm
from nets.worst_cases.adversaries import random_perturbation
from properties.zou2018.gradient_step import STEP_LOSSES, FreeStep, GradientStep, longest_step, same_points, widths
from properties.zou2018.worst_networks import (
    aligned_network,
    integer_network,
    lower_kink,
    own_kink,
    two_channels,
    uneven_widths,
)
from theory.claims import rounding


def arriving(net: Network, fwd: Forward) -> tuple[Array, ...]:
    """W_{l+1} Sigma_{l+1} ... W_L Sigma_L v at the outputs of the layers l = 1..L: L arrays (n, m_l)."""
    return (*backward(net, fwd).q[1:], np.tile(net.v, (fwd.output.size, 1)))


def linear_terms(net: Network, fwd: Forward, gradients: Sequence[Array], eta: float, *, own_gate: bool = True) -> Array:
    """v^T u_{l,i} of zou2018, Lemma C.3, for l = 1..L: (n, L).

    The move -eta G_l^T x_{l-1} of the pre-activations of layer l is passed on through the gates and the
    layers above, all as they are before the step. `own_gate` is the gate of layer l itself.
    """
    moves = [-eta * (x @ gradient) for x, gradient in zip(fwd.post, gradients, strict=False)]
    return np.stack([end @ net.v for end in passed_on(net, fwd, moves, own_gate=own_gate)], axis=1)


def passed_on(net: Network, fwd: Forward, moves: Sequence[Array], *, own_gate: bool = True) -> tuple[Array, ...]:
    """Moves (n, m_l) of the pre-activations of the layers l = 1..L, as they arrive at the last layer: (n, m_L) each.

    The gates and the layers above are those of `net` and `fwd`; `own_gate` is the gate of layer l itself.
    """
    ends = []
    for layer, move in enumerate(moves):
        end = move * fwd.masks[layer] if own_gate else move
        for W, mask in zip(net.weights[layer + 1 :], fwd.masks[layer + 1 :], strict=True):
            end = (end @ W) * mask
        ends.append(end)
    return tuple(ends)


def absolute(net: Network) -> Network:
    """The network of the absolute values: what it computes bounds the terms that a network sums."""
    return Network(tuple(np.abs(W) for W in net.weights), np.abs(net.v))


def forward_size(net: Network, fwd: Forward) -> tuple[Array, ...]:
    """Sums of the absolute values of the products in x_l, by the gates of `fwd`: L + 1 arrays (n, m_l)."""
    sizes = [np.abs(fwd.post[0])]
    for W, mask in zip(net.weights, fwd.masks, strict=True):
        sizes.append((sizes[-1] @ np.abs(W)) * mask)
    return tuple(sizes)


def gradient_size(net: Network, fwd: Forward, coefficients: Array) -> tuple[Array, ...]:
    """The same for the gradients of sum_i coefficients_i f(x_i): L arrays (m_{l-1}, m_l)."""
    weighted = np.abs(coefficients)[:, np.newaxis]
    backs = backward(absolute(net), fwd).b
    return tuple(left.T @ (weighted * b) for left, b in zip(forward_size(net, fwd), backs, strict=False))


def linear_size(net: Network, fwd: Forward, gradients: Sequence[Array], eta: float) -> Array:
    """The same for `linear_terms`, given the sizes of the terms in the gradients: (n, L)."""
    through = replace(fwd, post=forward_size(net, fwd))
    return np.abs(linear_terms(absolute(net), through, gradients, eta))


def two_pass_operations(net: Network) -> int:
    """How many roundings a product along all layers goes through, once forward and once backward."""
    return 2 * (sum(net.widths) + 4 * net.depth)


def draw_start(
    rng: Generator, data: DataSource, L: int, m: int, n: int, d: int, drawn: FreeStep
) -> tuple[Array, Array, Network]:
    """Points, labels and weights of the kind that is drawn: "Gaussian", "two channels", or one of the `KINKED_WEIGHTS`.

    With one layer there is only one kind of kink, the layer's own.
    """
    X, y = data.draw(n, d, rng)
    sizes = widths(X.shape[1], m, L)
    if drawn.weights == "Gaussian":
        return X, y, he_network(sizes, rng, gain=drawn.norm**2 / 4.0)
    X, y = same_points(X, y)
    if drawn.weights == "two channels":
        return X, y, two_channels(X[0], sizes[1:], 1.0, drawn.norm)
    if drawn.weights == "own kink" or L == 1:
        return X, y, own_kink(X[0], sizes[1:], drawn.norm, drawn.size * drawn.norm)
    return X, y, (lower_kink if drawn.weights == "lower kink" else aligned_network)(X[0], sizes[1:], drawn.norm)


def draw_step(
    rng: Generator, data: DataSource, L: int, m: int, n: int, d: int, drawn: FreeStep
) -> tuple[Array, GradientStep]:
    """The labels (n,), and the step of all samples that is drawn."""
    X, y, net = draw_start(rng, data, L, m, n, d, drawn)
    return y, longest_step(net, X, y, STEP_LOSSES[drawn.loss], drawn.size * drawn.norm)


# The signal at which 16 neurons, the last four of them dead, put out a little less than 1, where the hinge loss kinks.
BEFORE_KINK = 0.999 * 12.0**0.5 / 4.0


def draw_outputs(
    rng: Generator, data: DataSource, L: int, m: int, n: int, d: int, drawn: FreeStep, *, before_kink: bool = False
) -> tuple[Array, Array, Array]:
    """Labels, and the outputs before and after the step that is drawn: (n,) each.

    Where the weights are "unrelated" the outputs are those of two Gaussian networks. With `before_kink` two channels in
    layers of 16 neurons put out a little less than 1.
    """
    if drawn.weights == "unrelated":
        X, y, net = draw_start(rng, data, L, m, n, d, drawn._replace(weights="Gaussian"))
        other = he_network(net.widths, rng, gain=drawn.norm**2 / 4.0)
        return y, forward(net, X).output, forward(other, X).output
    X, y, net = draw_start(rng, data, L, m, n, d, drawn)
    if before_kink and drawn.weights == "two channels":
        net = two_channels(X[0], net.widths[1:], BEFORE_KINK, drawn.norm, dead=range(-4, 0))
    step = longest_step(net, X, y, STEP_LOSSES[drawn.loss], drawn.size * drawn.norm)
    return y, step.start.output, step.end.output


# Two networks whose outputs are compared: unrelated ones, and the same weights before and after a step.
NETWORK_PAIRS = ("integer weights", "unrelated", "gradient step", "rank-one step")


class TwoNetworks(NamedTuple):
    """Two networks whose outputs are compared, as a search draws them.

    They are one of the pairs `NETWORK_PAIRS`; a step between them is as long as `size`, a gradient step one of `loss`.
    """

    pair: str
    loss: str
    size: float

    def of(self, rng: Generator, data: DataSource, L: int, m: int, n: int, d: int) -> tuple[Array, Network, Network]:
        """Points (n, d) and the two; with integer weights the points have integer entries as well."""
        X, y = data.draw(n, d, rng)
        sizes = uneven_widths(X.shape[1], m, L)
        if self.pair == "integer weights":
            X = rng.integers(-1, 2, X.shape).astype(np.float64)
            return X, integer_network(sizes, rng), integer_network(sizes, rng)
        net = he_network(sizes, rng)
        if self.pair == "unrelated":
            return X, net, he_network(sizes, rng, gain=2.0 * self.size)
        if self.pair == "gradient step":
            return X, net, longest_step(net, X, y, STEP_LOSSES[self.loss], self.size).after
        return X, net, perturbed(net, [random_perturbation(W, self.size, rng, "rank_one") for W in net.weights])


def telescoping_size(net: Network, other: Network, start: Forward, end: Forward) -> Array:
    """Sums of the absolute values of the products in both outputs and in the sum over the layers of (D.2): (n,)."""
    right, left = forward_size(other, end), arriving(absolute(net), start)
    total = (right[-1] + forward_size(net, start)[-1]) @ np.abs(net.v)
    for layer, (W, V) in enumerate(zip(net.weights, other.weights, strict=True)):
        total = total + np.sum(left[layer] * (right[layer] @ (2.0 * np.abs(W) + np.abs(V - W))), axis=1)
    return np.asarray(total)


def loss_size(step: GradientStep, y: Array, loss: Loss) -> float:
    """What the rounding errors of both mean losses are proportional to."""
    start, end = loss.value(y * step.start.output), loss.value(y * step.end.output)
    passes = ((step.before, step.start), (step.after, step.end))
    terms = [forward_size(net, fwd)[-1].sum(axis=1) for net, fwd in passes]
    slopes = [np.abs(loss.derivative(y * fwd.output)) for _, fwd in passes]
    moved = sum(float(np.mean(slope * term)) for slope, term in zip(slopes, terms, strict=True))
    return moved + float(np.mean(start + end))


def output_error(step: GradientStep) -> Array:
    """Rounding-error bound of the difference of the outputs: (n,).

    It is 0 where the loss is flat, as both passes are then the same.
    """
    if not step.derivatives.any():
        return np.zeros_like(step.start.output)
    sizes = [forward_size(step.before, step.start)[-1], forward_size(step.after, step.end)[-1]]
    return rounding(1.0, two_pass_operations(step.before)) * (sizes[0] + sizes[1]) @ np.abs(step.before.v)


def beyond_first_order(step: GradientStep, layers: slice) -> Array:
    """The change of the outputs less the linear terms of the given layers: (n,)."""
    terms = linear_terms(step.before, step.start, step.gradients, step.eta)
    return np.asarray(step.end.output - step.start.output - terms[:, layers].sum(axis=1))


def output_remainder(step: GradientStep, coefficients: Array, layers: slice) -> Array:
    """How far the outputs move beyond first order, less what rounding explains: (n,).

    The gradients of the step are those of sum_i coefficients_i f(x_i).
    """
    gradients = gradient_size(step.before, step.start, coefficients)
    linear = linear_size(step.before, step.start, gradients, step.eta).sum(axis=1)
    error = 2.0 * output_error(step) + rounding(1.0, 3 * two_pass_operations(step.before)) * linear
    return np.maximum(np.abs(beyond_first_order(step, layers)) - error, 0.0)


def remainder_symbols(step: GradientStep, lower: bool) -> dict[str, float | Array]:
    """What bounds the remainder, but for the derivatives of the loss; without `lower`, flips by own weights alone."""
    return {"eta": step.eta, "SumGam": flip_terms(step, lower).sum(axis=1), "prodW": second_order_norms(step).sum()}


def flip_terms(step: GradientStep, lower: bool = True, order: float = 2) -> Array:
    """The backward vector on the flipped neurons, in the norm of that order, times the right side of (D.3): (n, L)."""
    terms = []
    for layer, back in enumerate(arriving(step.before, step.start)):
        flipped = step.end.masks[layer] - step.start.masks[layer]
        own = step.eta * operator_norm(step.gradients[layer]) * np.linalg.norm(step.end.post[layer], axis=1)
        below = step.norms_before[layer] * step.outputs[:, layer] if lower else 0.0
        terms.append(np.linalg.norm(back * flipped, order, axis=1) * (own + below))
    return np.stack(terms, axis=1)


def second_order_norms(step: GradientStep) -> Array:
    """What layer l adds to the prodW of the bound, for l = 1..L: (L,)."""
    below = np.concatenate([[0.0], step.stretched(step.own_moves)[:-1]])
    return step.downstream**2 * layer_norms(step.start).max(axis=0)[:-1] * below

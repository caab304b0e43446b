"""What the claims on norm preservation measure: norm ratios of the layers of a random network.

Main definitions: `layer_ratios` and `layer_deviations`; `draw_network` and `weightless_pass`, a network or its forward
pass alone, with the outputs or the inputs of a layer in the variance; `network_of_kind`, a network drawn in one of
three ways.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from nets import Array, Forward, Network, fresh_forward, gaussian_network, he_network, layer_norms, revealed_network

# What draws networks of one law: all layers stored; revealed at what meets them; stored up to a size.
DRAWS = {"stored": he_network, "revealed": revealed_network, "by size": gaussian_network}
KINDS = list(DRAWS)


def network_of_kind(kind: str, widths: Sequence[int], rng: Generator, gain: float = 2.0) -> Network:
    """A network of weight variance gain/(outputs of the layer), drawn as the kind says."""
    return DRAWS[kind](widths, rng, gain)


def draw_network(widths: Sequence[int], rng: Generator, gain: float = 2.0, fan_in: bool = False) -> Network:
    """A network whose weights have variance gain/(outputs of the layer), or gain/(inputs) with `fan_in`."""
    net = he_network(widths, rng, gain)
    if not fan_in:
        return net
    return Network(tuple(W * math.sqrt(W.shape[1] / W.shape[0]) for W in net.weights), net.v)


def weightless_pass(
    X: Array, widths: Sequence[int], rng: Generator, gain: float = 2.0, fan_in: bool = False
) -> Forward:
    """The forward pass of such a network of widths (d, *widths), without its weights: it runs at any width."""
    if not fan_in:
        return fresh_forward(X, widths, rng, gain)
    inputs = (X.shape[1], *widths[:-1])
    return fresh_forward(X, widths, rng, [gain * m / k for k, m in zip(inputs, widths, strict=True)])


def layer_ratios(fwd: Forward) -> Array:
    """||x_{l,i}||^2 / ||x_{l-1,i}||^2 of the layers 1..L: (n, L).

    Raises `ValueError` where a layer is silent at a sample, so that the next has no ratio to it.
    """
    squares = layer_norms(fwd) ** 2
    if not squares[:, :-1].all():
        fewest = min(mask.shape[1] for mask in fwd.masks)
        raise ValueError(f"no neuron of a layer is active, of layers of {fewest} and more: ask for wider layers")
    return np.asarray(squares[:, 1:] / squares[:, :-1])


def layer_deviations(fwd: Forward) -> Array:
    """| ||x_{l,i}||^2 - ||x_{l-1,i}||^2 | over ||x_{l-1,i}||^2 of the layers 1..L: (n, L).

    It is 0 behind a layer that is silent at the sample, whose norm, being 0, the next one keeps.
    """
    squares = layer_norms(fwd) ** 2
    before = squares[:, :-1]
    return np.asarray(np.abs(np.diff(squares, axis=1)) / np.where(before > 0.0, before, 1.0))

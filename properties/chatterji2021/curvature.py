"""Smooth networks that curve as much as their norms allow, with points, and what the norms of the layers allow.

Main definitions: `Instance`, from `bent_instance`, `chain_instance` and `drawn_instance`; `lipschitz_bound`, a bound
on the curvature of the loss along a segment.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from nets import Activation, Array, Network, gaussian_smooth_network, logistic_terms
from nets.worst_cases.worst_networks import bent_network, neuron_chain
from properties.chatterji2021.norm_products import Products, operator_norms
from properties.chatterji2021.smooth_members import MEMBERS

MEMBER_NAMES = tuple(MEMBERS)
LABELS = {"negative": -1.0, "positive": 1.0}

# Where in multiples of h each activation is curved, and the sign of the arguments at which its slope is one.
BENDS = {
    "huberised_relu": (0.5, 1.0),
    "scaled_swish": (0.0, 1.0),
    "identity": (0.5, 1.0),
    "odd and flat at zero": (0.5, 1.0),
    "saturating": (0.5, -1.0),
    "bent down at 3/4": (1.0, -1.0),
}


# --- networks -------------------------------------------------------------------------------------


class Instance(NamedTuple):
    """A network, points (n, p) and labels (n,)."""

    net: Network
    X: Array
    y: Array


def bent_instance(
    depth: int, p: int, n: int, phi: Activation, size: float, top: float, margin: float = 0.0
) -> Instance:
    """`bent_network` at one point n times, all labels 1."""
    place, sign = BENDS[phi.name]
    net = bent_network(depth, p, phi, place * phi.h, sign, size, top, margin)
    return Instance(net, np.repeat(np.eye(1, p), n, axis=0), np.ones(n))


def chain_instance(p: int, n: int, phi: Activation, norms: Array, label: float) -> Instance:
    """`neuron_chain` at one point n times; the output has the sign +, the label says whether that is right."""
    net = neuron_chain(p, phi, BENDS[phi.name][1], norms)
    return Instance(net, np.repeat(np.eye(1, p), n, axis=0), np.full(n, label))


WEIGHT_KINDS = ("Gaussian", "equal", "layer of zeros", "in the bend")


def drawn_instance(rng: Generator, depth: int, p: int, n: int, phi: Activation, size: float) -> Instance:
    """Weights of norm `size`, Gaussian with unequal layers or of another of the `WEIGHT_KINDS`; any unit points."""
    kind = WEIGHT_KINDS[int(rng.integers(len(WEIGHT_KINDS)))]
    net = gaussian_smooth_network([p] * (depth + 1), phi, rng)
    layers = [V * 10.0 ** rng.uniform(-1.0, 1.0) for V in net.stored_weights()]
    if kind == "equal":
        layers = [np.ones(V.shape) for V in layers]
    if kind == "layer of zeros":
        layers[int(rng.integers(depth + 1))] *= 0.0
    if kind == "in the bend":
        # One neuron of the first layer, and with it one pre-activation, is small enough for the bend.
        layers[0][:, 0] *= phi.h / size
    X = rng.standard_normal((n, p))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return Instance(scaled(net.with_weights(layers), size), X, rng.choice([-1.0, 1.0], n))


def scaled(net: Network, size: float) -> Network:
    """The network of that norm with weights in the same proportions; the norm is no smaller than asked for."""
    factor = size / net.norm * (1.0 + 4.0 * float(np.finfo(np.float64).eps)) if net.norm > 0.0 else 1.0
    return net.with_weights([factor * V for V in net.weights])


# --- curvature between two networks ------------------------------------------------------------------

# Where no weight of a sample is a double any more, curvature is bounded by this.
LEAST_CURVATURE_BOUND = 1e-250


def lipschitz_bound(start: Network, end: Network, margins: Array, h: float) -> float:
    """Bound on the local Lipschitz constants of grad J between two networks; `margins` (n,) are those of the first.

    Norms are convex, so the larger of the two at each layer bounds all between; outputs move by no more than the
    distance times the largest slope, and log g by no more than the output.
    """
    products = Products(np.maximum(operator_norms(start.weights), operator_norms(end.weights)))
    distance = math.sqrt(sum(float(np.sum((A - B) ** 2)) for A, B in zip(start.weights, end.weights, strict=True)))
    weights = np.minimum(1.0, logistic_terms(margins).weight * math.exp(min(distance * products.squares**0.5, 700.0)))
    return max(LEAST_CURVATURE_BOUND, float(np.mean(weights)) * products.curvature(h))

"""Smooth networks that curve as much as their norms allow, and what the norms of the layers allow.

Main definitions: `bent_network`, `chain_network` and `drawn_network`; `lipschitz_bound`, a bound on the curvature of
the loss along a segment.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from nets.activations import Activation
from nets.arrays import Array
from nets.log_loss import logistic_terms
from nets.network import Network, gaussian_smooth_network, smooth_network
from properties.chatterji2021.norm_products import Products, operator_norms
from properties.chatterji2021.smooth_members import MEMBERS

NAMES = tuple(MEMBERS)

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
    """A network with its activation, points (n, p) and labels (n,)."""

    net: Network
    X: Array
    y: Array
    phi: Activation


def bent_network(depth: int, p: int, n: int, phi: Activation, size: float, top: float, margin: float = 0.0) -> Instance:
    """The last hidden layer has one neuron in the bend of phi, all others pass their input on with slope one.

    From width 2 on V_L has a row at right angles to its input, so that it may be long: every matrix of the second
    derivative of the output then attains the product of the norms. A second row carries outputs of size `margin`,
    where `size` allows it. `top` is the share of V_{L+1} in size^2, which is ||V||^2 but for the weights of order h
    that lead into the bend; the loss curves upwards.
    """
    bend, sign = BENDS[phi.name]
    bend *= phi.h
    curved = float(phi.curvature(bend))
    x = np.eye(1, p)
    wide = p >= 2
    carried, share = 0.0, size**2
    # Layers, counted by the squared norms they need: V_1, ..., V_{L-1} and, if wide, V_L.
    counts = [1.0, *[2.0 if wide else 1.0] * max(0, depth - 2)][: depth - 1] + [1.0] * wide
    for _ in range(40):
        each = math.sqrt(max((1.0 - top) * share, 0.0) / sum(counts)) if depth > 1 else 0.0
        arriving, layers = x, []
        for layer in range(1, depth):
            V = np.zeros((p, p))
            if layer == 1:
                V[0, : 1 + wide] = sign * each / math.sqrt(1 + wide)
            else:
                V[range(1 + wide), range(1 + wide)] = each
            layers.append(V)
            arriving = phi.value(arriving @ V)
        reach = float(np.linalg.norm(arriving))
        carried = math.sqrt(margin / reach) if reach > 0.0 else 0.0
        if not wide or 2.0 * carried**2 > 0.5 * size**2:
            carried = 0.0
        share = size**2 - 2.0 * carried**2
    across = math.sqrt(top * share if depth > 1 else share)
    last, output = np.zeros((p, p)), np.zeros((p, 1))
    if reach > 0.0:
        # Where next to nothing arrives, the bend is out of reach.
        last[:, 0] = min(bend / reach, size) / reach * arriving[0]
        if wide and depth > 1:
            last[0, 0] += each / math.sqrt(2.0)
            last[1, 0] -= each / math.sqrt(2.0)
        if wide:
            last[:, 1] = sign * carried / reach * arriving[0]
    output[0, 0] = -math.copysign(across, curved)
    if wide:
        output[1, 0] = sign * carried
    return Instance(smooth_network((*layers, last, output), phi), np.repeat(x, n, axis=0), np.ones(n), phi)


def chain_network(p: int, n: int, phi: Activation, norms: Array, label: int) -> Instance:
    """One neuron per layer, joined by weights of the given sizes, where phi has slope one; all samples alike.

    The output has the sign +; the label says whether that is right.
    """
    _, sign = BENDS[phi.name]
    layers = [np.zeros((p, p)) for _ in norms[:-1]] + [np.zeros((p, 1))]
    for V, norm in zip(layers, norms, strict=True):
        V[0, 0] = norm
    layers[0][0, 0] *= sign
    layers[-1][0, 0] *= sign
    return Instance(smooth_network(layers, phi), np.repeat(np.eye(1, p), n, axis=0), np.full(n, float(label)), phi)


def drawn_network(rng: np.random.Generator, depth: int, p: int, n: int, phi: Activation, size: float) -> Instance:
    """Weights of norm `size`: Gaussian with unequal layers, all equal, or with a layer of zeros; any unit points."""
    kind = int(rng.integers(4))
    net = gaussian_smooth_network([p] * (depth + 1), phi, rng)
    layers = [np.asarray(V) * 10.0 ** rng.uniform(-1.0, 1.0) for V in net.weights]
    if kind == 1:
        layers = [np.ones(V.shape) for V in layers]
    if kind == 2:
        layers[int(rng.integers(depth + 1))] *= 0.0
    if kind == 3:
        # One row of the first layer, and with it one pre-activation, is small enough for the bend.
        layers[0][:, 0] *= phi.h / size
    X = rng.standard_normal((n, p))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return Instance(scaled(net.with_weights(layers), size), X, rng.choice([-1.0, 1.0], n), phi)


def scaled(net: Network, size: float) -> Network:
    """The network of that norm with weights in the same proportions; the norm is no smaller than asked for."""
    factor = size / net.norm * (1.0 + 4.0 * float(np.finfo(np.float64).eps)) if net.norm > 0.0 else 1.0
    return net.with_weights([factor * V for V in net.weights])


# --- curvature between two networks ------------------------------------------------------------------

# Where no weight of a sample is a double any more, curvature is bounded by this.
LEAST = 1e-250


def lipschitz_bound(start: Network, end: Network, margins: Array, h: float) -> float:
    """Bound on the local Lipschitz constants of grad J between two networks; `margins` (n,) are those of the first.

    Norms are convex, so the larger of the two at each layer bounds all between; outputs move by no more than the
    distance times the largest slope, and log g by no more than the output.
    """
    products = Products(np.maximum(operator_norms(start.weights), operator_norms(end.weights)))
    distance = math.sqrt(sum(float(np.sum((A - B) ** 2)) for A, B in zip(start.weights, end.weights, strict=True)))
    weights = np.minimum(1.0, logistic_terms(margins).weight * math.exp(min(distance * products.squares**0.5, 700.0)))
    return max(LEAST, float(np.mean(weights)) * products.curvature(h))

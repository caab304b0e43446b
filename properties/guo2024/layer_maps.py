"""What the claims on gradients measure: the back-propagation operator by its definition, and extreme eigenvalues.

Main definitions: `back_propagation` and `summed_map`, products of matrices as the paper writes them, which know nothing
of `nets.networks.gradients`; `least_in_layers`, `least_of_sum`, `largest_in_layers`, what a residual of norm 1 makes of
the gradient at least and at most; `signed_pairs`, points in pairs that are near each other, or near antipodes, and
points on an `arc`; `opposed_gradient`, that of a point less that of its antipode; `alike`, weights in a ball that take
two points for one.

Matrices are those of the code: W_l is (width below, width), the transpose of the paper's.
"""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from bounds.papers import guo2024 as sheet
from nets.core.arrays import Array
from nets.data.distances import normalise_rows
from nets.data.points import near_antipodal, sphere
from nets.linear_algebra.lowrank import outer
from nets.networks.forward import Forward, forward
from nets.networks.gradients import output_gradient
from nets.networks.network import Layer, Network
from nets.tangent.linearised import tangent_features
from nets.worst_cases.adversaries import WeightStep
from properties.guo2024.seen_networks import seen_network
from properties.guo2024.slopes import SLOPES
from theory.claims import Cell, grid

# A point and its antipode at slope -1, from one neuron on.
EVEN_CELLS = grid(slope=-1.0, n=2, m=[16, 64], L=[1, 2], outputs=[1, 2], phi=0.5)

# Layers with more entries than this are sampled where they are looked at: quicker for a few points.
STORED = 2**15


def random_network(d: int, m: int, L: int, outputs: int, slope: float, rng: Generator) -> Network:
    """`leaky_network`, of whose first layer what inputs meet is drawn; others are revealed from `STORED` entries on."""
    return seen_network(d, m, L, outputs, slope, rng, stored=STORED)


def back_propagation(net: Network, fwd: Forward, i: int, layer: int) -> Array:
    """Back_{i,l} = B D_L W_L ... D_l W_l for l = layer, and B for l = L + 1: (outputs, width)."""
    product = net.v.T
    for step in range(net.depth - 1, layer - 1, -1):
        product = (product * fwd.masks[step][i]) @ net.weights[step - 1].T
    return np.asarray(product)


def summed_map(net: Network, fwd: Forward, layer: int, v: Array, after: int = 1, gated: bool = True) -> Array:
    """sum_i G_{i,l}(v_i), in the shape of W_l, for rows v (n, outputs); Back_{i, l + after} takes the place of Back.

    Without `gated` the gates of the layer itself are left out.
    """
    total = np.zeros(net.weights[layer - 1].shape)
    for i, row in enumerate(v):
        back = row @ back_propagation(net, fwd, i, layer + after)
        total += np.outer(fwd.post[layer][i], back * fwd.masks[layer][i] if gated else back)
    return total


def grams(net: Network, X: Array) -> Array:
    """Gram matrices of the gradients of all outputs at X in each layer: (L, n outputs, n outputs)."""
    return tangent_features(net, forward(net, X)).grams


def least_in_layers(kernels: Array) -> Array:
    """The least ||sum_i G_{i,l}(v_i)||_F^2 over rows v of norm 1 in all, in each layer: (L,)."""
    return np.asarray(np.linalg.eigvalsh(kernels)[:, 0])


def largest_in_layers(kernels: Array) -> Array:
    """The largest ||sum_i G_{i,l}(v_i)||_F^2 over rows v of norm 1 in all, in each layer: (L,)."""
    return np.asarray(np.linalg.eigvalsh(kernels)[:, -1])


def least_of_sum(kernels: Array) -> float:
    """The least of that summed over the layers, for the same rows in all."""
    return float(np.linalg.eigvalsh(kernels.sum(axis=0))[0])


def bottom_rows(kernels: Array, outputs: int) -> Array:
    """Rows (n, outputs) of norm 1 in all that attain `least_of_sum`."""
    return np.ascontiguousarray(np.linalg.eigh(kernels.sum(axis=0))[1][:, 0].reshape(-1, outputs))


def signed_pairs(n: int, d: int, phi_pm: float, family: str, rng: Generator) -> Array:
    """Unit rows (n, d) of signed separation phi_pm: partners are near antipodes, or near duplicates by that name.

    By the name "arc" they follow each other at that distance on a great circle, less than half of it in all. Of n there
    the least eigenvalue of the kernel is 1/(1 + cos(pi/n)) times that of two, nearly, where they are close.
    """
    if family == "arc":
        plane = np.linalg.qr(rng.standard_normal((d, 2)))[0]
        return arc(n, phi_pm) @ plane.T
    X = near_antipodal(n, phi_pm, rng, d)
    if family == "near duplicates":
        X[1::2] *= -1.0
    return X


def arc(n: int, distance: float) -> Array:
    """Unit rows (n, 2) that follow each other at that distance on a circle."""
    angles = 2.0 * np.arcsin(0.5 * distance) * np.arange(n)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def antipodes(moved: float, d: int, rng: Generator) -> Array:
    """A unit row and its antipode (2, d), the latter moved at random by about so much: exact negatives at 0."""
    x, y = rng.standard_normal((2, d))
    x /= np.linalg.norm(x)
    y = moved * y - x
    return np.stack([x, y / np.linalg.norm(y) if moved else y])


def opposed_gradient(net: Network, X: Array) -> Array:
    """||G_{1,l}(v) - G_{2,l}(v)||_F^2 in each layer at two points, for equal rows of norm 1/sqrt(2): (L,)."""
    fwd, outputs = forward(net, X), net.v.reshape(len(net.v), -1).shape[1]
    v = np.outer([1.0, -1.0], np.full(outputs, 1.0 / np.sqrt(2.0 * outputs)))
    return np.array([np.sum(G**2) for G in output_gradient(net, fwd, v.reshape(fwd.output.shape))])


def alike(net: Network, X: Array, omega: float) -> Network:
    """The network after steps of operator norm omega at most in each layer that make the first two points alike.

    In each layer gates that differ between the two are turned at the point that is nearer to the kink, by one step
    along the mean of the states: in the last layer those first that have most squared read-out weight for their cost,
    below it those that cost least. States near antipodes enter with opposite signs, as a network of slope -1 takes
    these for one.
    """
    weights = list(net.weights)
    states = X[:2]
    readout = np.sum(np.asarray(net.v).reshape(len(net.v), -1) ** 2, axis=1)
    for number, step in enumerate(net.steps):
        if number:
            W = weights[step.weight]
            gains = readout if number == len(net.steps) - 1 else np.ones(W.shape[1])
            weights[step.weight] = W + _towards_each_other(W, states, gains, omega)
        states = step.activation.value(states @ (weights[step.weight] if number else net.parameters[step.weight]))
    return net.with_weights(weights)


def _towards_each_other(W: Layer, states: Array, gains: Array, omega: float) -> WeightStep:
    """The step of norm omega at most, along the mean of two states, that turns gates in which they differ."""
    pair = states * np.array([[1.0], [np.sign(float(states[0] @ states[1])) or 1.0]])
    mean = pair.mean(axis=0)
    size = float(mean @ mean)
    pre, shares = pair @ W, pair @ mean / size
    # What the mean has to move by, so that one of the two comes to the side of the other.
    moves = -(1.0 + 1e-9) * pre / shares[:, np.newaxis]
    least = np.where(np.abs(moves[0]) < np.abs(moves[1]), moves[0], moves[1])
    apart = np.flatnonzero(((pre[0] > 0.0) != (pre[1] > 0.0)) & (least != 0.0))
    change, left = np.zeros((1, pre.shape[1])), omega**2 * size
    for neuron in apart[np.argsort(-gains[apart] / least[apart] ** 2)]:
        if least[neuron] ** 2 <= left:
            change[0, neuron] = least[neuron]
            left -= least[neuron] ** 2
    return outer(W, mean[np.newaxis] / size, change)


def cluster(n: int, rng: Generator, width: float = 0.05) -> Array:
    """Unit rows (n, 3) within about `width` of a random one."""
    return normalise_rows(sphere(1, 3, rng) + width * rng.standard_normal((n, 3)) / np.sqrt(3.0))


def pair_cells(slopes: Sequence[float] = SLOPES, **sizes: float) -> list[Cell]:
    """A cell of near duplicates for each slope, and one of near antipodes at slope -1, which takes them for one."""
    cells: list[Cell] = [{"slope": slope, "family": "near duplicates", **sizes} for slope in slopes]
    return [*cells, {"slope": -1.0, "family": "near antipodes", **sizes}]


def cluster_cells() -> list[Cell]:
    """Six points of a cluster at each slope, one and many at two of them, and two with eight outputs."""
    few = grid(slope=list(SLOPES), n=6, m=256, L=2, outputs=2, delta=0.4)
    others = grid(slope=[-1.0, 0.0], n=[1, 24], m=1024, L=1, outputs=1, delta=0.4)
    wide = grid(slope=0.5, n=2, m=1024, L=1, outputs=8, delta=0.4)
    return [*few, *others, *wide]


def radius_of_lemma_4_2(n: int, L: int, m: int, phi_pm: float, times: float = 1.0) -> float:
    """A multiple of the radius that Lemma 4.2 allows, less one part in a thousand."""
    return 0.999 * times * float(sheet.lemma_4_2_radius.larger.evaluate({"n": n, "L": L, "m": m, "phi_pm": phi_pm}))


def simplex(n: int, phi: float) -> Array:
    """Unit rows (n, n + 1) all at the distance phi, in (0, sqrt(2)], from each other."""
    X = np.zeros((n, n + 1))
    X[:, 0], X[:, 1:] = np.sqrt(max(0.0, 1.0 - 0.5 * phi**2)), phi / np.sqrt(2.0) * np.eye(n)
    return X

"""The outputs of a random network, or of many, at a few points, without weight matrices.

The points meet the weights of a layer only in X W. Given X its columns are independent N(0, gain/m X X^T), so
they can be drawn as such: exact in law, and linear in the width where a dense layer is quadratic. With
X X^T = R^T R they are sqrt(gain/m) R^T G, G of independent standard Gaussian entries; R comes from the points by
orthogonalisation, which keeps the digits of those close to each other, and not from X X^T. What is drawn is used up by
these points; for one weight matrix applied again, draw the network.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh_tridiagonal

from nets.core.arrays import Array, matrix
from nets.core.jit import kernel
from nets.core.memory import require
from nets.core.normals import standard_normal
from nets.linear_algebra.lowrank import triangle
from nets.networks.activations import RELU, Activation
from nets.networks.forward import Forward
from nets.networks.network import balanced_signs

# Entries (samples times neurons times networks) of the largest array of a block of `sample_ensemble`, 256 KiB: it stays
# in a core's own cache; and the least networks of a block.
BLOCK_ENTRIES = 2**15
LEAST_BLOCK = 8


def fresh_layer(X: npt.ArrayLike, m: int, rng: np.random.Generator, gain: float = 2.0) -> Array:
    """Return the pre-activations (n, m) of a new layer with entries N(0, gain/m) at the points X (n, k).

    Raises `NotEnoughMemoryError` where they would not fit in memory.
    """
    X = matrix(X, "the point array X")
    if m < 1:
        raise ValueError(f"a layer of {m} neurons was asked for: pass a positive width")
    require(2 * m * min(X.shape), lambda: f"the pre-activations of {m} neurons at {X.shape[0]} points")
    R = triangle(X)
    pre: Array = R.T @ standard_normal(rng, (len(R), m))
    pre *= np.sqrt(gain / m)
    return pre


@kernel
def correlated_relu(points: Array, normals: Array, scale: float) -> Array:
    """max(scale R^T G, 0) for each network, R^T R = X X^T: points (n, k, b), normals (n, m, b) -> (n, m, b).

    Row after row of R by modified Gram-Schmidt: it belongs to points changed by rounding alone, however dependent they
    are (A. Bjoerck, "Solving linear least squares problems by Gram-Schmidt orthogonalization", BIT 7 (1967)). Networks
    come last, so that the processor works on several at once while each sum keeps its order.
    """
    rest, out = points.copy(), np.zeros_like(normals)
    product, square, share = np.empty((3, points.shape[2]))
    for i in range(len(rest)):
        for j in range(i, len(rest)):
            product[:] = 0.0
            for k in range(rest.shape[1]):
                for r in range(product.size):
                    product[r] += rest[i, k, r] * rest[j, k, r]
            if j == i:
                square[:] = product
            for r in range(product.size):
                # A zero row has zero products with all others; NaN stays NaN.
                share[r] = 0.0 if product[r] == 0.0 else product[r] / square[r]
                product[r] = scale * share[r] * np.sqrt(square[r])
            for a in range(out.shape[1]):
                for r in range(product.size):
                    out[j, a, r] += product[r] * normals[i, a, r]
            if j > i:
                for k in range(rest.shape[1]):
                    for r in range(product.size):
                        rest[j, k, r] -= share[r] * rest[i, k, r]
    return np.maximum(out, 0.0, out)


def fresh_outputs(
    X: npt.ArrayLike, widths: Sequence[int], rng: np.random.Generator, gain: float = 2.0
) -> tuple[Array, ...]:
    """Return the outputs of the layers 0..L at the points X (n, d), layer 0 being X: arrays (n, m_l).

    The joint law is that of `forward(he_network((d, *widths), rng, gain), X).post`; the draws differ.
    """
    post = [matrix(X, "the point array X")]
    for m in widths:
        post.append(RELU.value(fresh_layer(post[-1], m, rng, gain)))
    return tuple(post)


def fresh_forward(
    X: npt.ArrayLike,
    widths: Sequence[int],
    rng: np.random.Generator,
    gain: float | Sequence[float] = 2.0,
    activation: Activation = RELU,
    output_variance: float | None = None,
) -> Forward:
    """Return the forward pass of a new network of hidden widths (m_1, ..., m_L) at the points X (n, d).

    The joint law of all its arrays is that of `forward(he_network((d, *widths), rng, gain), X)`, m_L even, and with an
    `output_variance` that of `forward(gaussian_smooth_network((d, *widths), activation, rng, gain, output_variance),
    X)`; the draws differ. `gain` is one number, or one for each layer.
    """
    # Refused before anything is drawn.
    signs = balanced_signs(widths[-1]) if output_variance is None else np.empty(0)
    first = state = matrix(X, "the point array X")
    layers = []
    for m, layer_gain in zip(widths, np.broadcast_to(gain, len(widths)), strict=True):
        z = fresh_layer(state, m, rng, float(layer_gain))
        state, slope = activation.value_and_slope(z)
        layers.append((z, state, slope))
    output = state @ signs if output_variance is None else fresh_layer(state, 1, rng, output_variance)[:, 0]
    pre, post, slopes = zip(*layers, strict=True)
    return Forward(pre, (first, *post), slopes, np.asarray(output))


class Ensemble(NamedTuple):
    """Of independent networks r at the same points ||x_{l,i}|| as norms[r, i, l - 1] and f(x_i) as outputs[r, i]."""

    norms: Array
    outputs: Array


def sample_ensemble(X: npt.ArrayLike, widths: Sequence[int], networks: int, rng: np.random.Generator) -> Ensemble:
    """Draw independent networks of hidden widths (m_1, ..., m_L) and run the points X (n, d) through each.

    The joint law over all points, layers and networks is that of `forward(he_network((d, *widths), rng), X)`.
    The networks are taken in blocks, of a number that depends on the shapes alone. Memory: a few arrays of
    n * max(widths) * block entries beside the result. NaN in a point makes NaN of everything at that point, and may do
    so at others.

    Raises ValueError for widths that are not positive, an odd last one, and networks below 1, and
    `NotEnoughMemoryError` where a block or the result would not fit in memory.
    """
    X = matrix(X, "the point array X")
    n, depth = X.shape[0], len(widths)
    if not depth or min(widths) < 1:
        raise ValueError(f"hidden widths are {tuple(widths)}: pass (m_1, ..., m_L), all positive, with L >= 1")
    if networks < 1:
        raise ValueError(f"{networks} networks were asked for: pass a positive number")
    block = max(LEAST_BLOCK, BLOCK_ENTRIES // (max(n, 1) * max(widths)))
    needed = networks * n * (depth + 1) + 3 * n * max(widths) * block
    require(needed, lambda: f"{networks} networks of widths up to {max(widths)} at {n} points, in blocks of {block},")
    signs, norms, outputs = balanced_signs(widths[-1]), np.empty((networks, n, depth)), np.empty((networks, n))
    for start in range(0, networks, block):
        taken = slice(start, min(start + block, networks))
        post = np.repeat(X[..., np.newaxis], taken.stop - start, axis=2)
        for layer, m in enumerate(widths):
            normals = standard_normal(rng, (n, m, post.shape[2]))
            post = correlated_relu(post, normals, np.sqrt(2.0 / m))
            norms[taken, :, layer] = np.sqrt(np.einsum("iar,iar->ri", post, post))
        outputs[taken] = (signs @ post).T
    return Ensemble(norms, outputs)


def fresh_operator_norm(k: int, m: int, rng: np.random.Generator, gain: float = 2.0) -> float:
    """Return the largest singular value of a new layer (k, m) with entries N(0, gain/m), linear in its sides.

    Householder reflections from both sides, independent of what they have not met, leave a bidiagonal matrix of
    independent chi variables: M, M - 1, ..., M - s + 1 degrees of freedom on the diagonal, s - 1, ..., 1 beside it,
    for sides s <= M (J. W. Silverstein, "The smallest eigenvalue of a large dimensional Wishart matrix", Annals of
    Probability 13 (1985)). Bisection finds the largest eigenvalue of its square to a few units in the last place.
    """
    if min(k, m) < 1:
        raise ValueError(f"a layer of shape ({k}, {m}) was asked for: pass positive sides")
    short, long = sorted((k, m))
    diagonal = rng.chisquare(long - np.arange(short))
    beside = rng.chisquare(short - np.arange(1, short))
    square = diagonal + np.concatenate([[0.0], beside])
    coupling = np.sqrt(diagonal[:-1] * beside)
    largest = eigh_tridiagonal(square, coupling, eigvals_only=True, select="i", select_range=(short - 1, short - 1))[0]
    return float(np.sqrt(gain / m * largest))

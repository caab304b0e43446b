"""Many independent random networks at the same few points: layer norms and outputs, without a weight matrix.

Given the inputs X (n, k) of a layer, its pre-activations X W are m independent N(0, gain/m X X^T) columns
(`nets.fresh`): with X X^T = R^T R they are R^T G sqrt(gain/m), G of independent standard Gaussian entries. A network
then costs n normals per neuron instead of one per weight. Networks are taken in blocks whose number is the last axis
of all arrays, so that the processor works on several at once while each sum keeps its order.

R comes from the points themselves, by modified Gram-Schmidt, and not from a Cholesky factor of X X^T: the Gram matrix
of points at distance phi holds that distance only as phi^2, which rounding hides below phi = 1e-8, and its Cholesky
factor may need the root of a negative number. The R of modified Gram-Schmidt belongs to an exactly orthonormal basis
and to points changed by rounding alone, however dependent they are (A. Bjoerck, "Solving linear least squares problems
by Gram-Schmidt orthogonalization", BIT 7 (1967)), although the basis computed on the way is then far from orthonormal.
That basis is not used. A residual that is rounding noise therefore does no harm, and one that is zero gives zeros.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nets.arrays import Array, matrix
from nets.jit import kernel
from nets.memory import require
from nets.network import balanced_signs

# Entries (samples times neurons times networks) of the largest array of a block, 256 KiB: it stays in a core's own
# cache while a layer is drawn, orthogonalised and multiplied. At least as many networks as fill a vector register.
BLOCK_ENTRIES = 2**15
LEAST_BLOCK = 8


class Ensemble(NamedTuple):
    """Independent networks at the same points.

    Attributes
    ----------
    norms : (networks, n, L); norms[r, i, l - 1] holds ||x_{l,i}|| in network r
    outputs : (networks, n), f(x_i)
    """

    norms: Array
    outputs: Array


@kernel
def gram_triangles(points: Array) -> Array:
    """R upper triangular with R^T R = X X^T for each network: points (n, k, b) -> (n, n, b), diagonal >= 0."""
    n, size, count = points.shape
    rest = points.copy()
    out = np.zeros((n, n, count))
    total = np.empty(count)
    for i in range(n):
        total[:] = 0.0
        for k in range(size):
            for r in range(count):
                total[r] += rest[i, k, r] * rest[i, k, r]
        for r in range(count):
            out[i, i, r] = np.sqrt(total[r])
            # A zero row has zero products with all others; NaN stays NaN.
            total[r] = 0.0 if out[i, i, r] == 0.0 else 1.0 / out[i, i, r]
        for k in range(size):
            for r in range(count):
                rest[i, k, r] *= total[r]
        for j in range(i + 1, n):
            total[:] = 0.0
            for k in range(size):
                for r in range(count):
                    total[r] += rest[i, k, r] * rest[j, k, r]
            for r in range(count):
                out[i, j, r] = total[r]
            for k in range(size):
                for r in range(count):
                    rest[j, k, r] -= total[r] * rest[i, k, r]
    return out


@kernel
def correlated_relu(triangles: Array, normals: Array, scale: float) -> Array:
    """max(scale R^T G, 0) for each network: triangles (n, n, b), normals (n, m, b) -> (n, m, b)."""
    n, m, count = normals.shape
    out = np.empty((n, m, count))
    scaled = triangles * scale
    for i in range(n):
        for a in range(m):
            for r in range(count):
                out[i, a, r] = scaled[0, i, r] * normals[0, a, r]
            for j in range(1, i + 1):
                for r in range(count):
                    out[i, a, r] += scaled[j, i, r] * normals[j, a, r]
            for r in range(count):
                z = out[i, a, r]
                out[i, a, r] = 0.0 if z <= 0.0 else z
    return out


def sample_ensemble(
    X: npt.ArrayLike,
    widths: Sequence[int],
    networks: int,
    rng: np.random.Generator,
    gain: float = 2.0,
    block: int | None = None,
) -> Ensemble:
    """Draw independent networks of hidden widths (m_1, ..., m_L) and run the points X (n, d) through each.

    The joint law over all points, layers and networks is that of `forward(he_network((d, *widths), rng, gain), X)`;
    the draws differ. They are fixed by `rng` together with `block`, the number of networks taken at a time; its
    default depends on the shapes alone. Memory: a few arrays of n * max(widths) * block entries beside the result. NaN
    in a point makes NaN of everything at that point, and may do so at others.

    Raises ValueError for widths that are not positive, an odd last one, and networks or block below 1, and
    `NotEnoughMemoryError` where a block or the result would not fit in memory.
    """
    X = matrix(X, "the point array X")
    n, depth = X.shape[0], len(widths)
    if not depth or min(widths) < 1:
        raise ValueError(f"hidden widths are {tuple(widths)}: pass (m_1, ..., m_L), all positive, with L >= 1")
    signs = balanced_signs(widths[-1])
    if block is None:
        block = max(LEAST_BLOCK, BLOCK_ENTRIES // (max(n, 1) * max(widths)))
    if networks < 1 or block < 1:
        raise ValueError(f"{networks} networks in blocks of {block} were asked for: pass positive numbers")
    needed = networks * n * (depth + 1) + 3 * n * max(widths) * block
    require(needed, lambda: f"{networks} networks of widths up to {max(widths)} at {n} points, in blocks of {block},")
    norms, outputs = np.empty((networks, n, depth)), np.empty((networks, n))
    first = gram_triangles(X[:, :, np.newaxis].copy())
    for start in range(0, networks, block):
        count = min(block, networks - start)
        triangles = np.repeat(first, count, axis=2)
        for layer, m in enumerate(widths):
            post = correlated_relu(triangles, rng.standard_normal((n, m, count)), np.sqrt(gain / m))
            norms[start : start + count, :, layer] = np.linalg.norm(post, axis=1).T
            if layer < depth - 1:
                triangles = gram_triangles(post)
        outputs[start : start + count] = (signs @ post).T
    return Ensemble(norms, outputs)

"""Operators, norms and counts that the statements speak of.

Counts are float64, exact up to 2^53, because a count has to be NaN when a number it depends on is: an
integer count would pass a NaN over in silence and come out too small.
"""

import math

import numpy as np
import numpy.typing as npt
from scipy.sparse.linalg import LinearOperator

from nets.core.arrays import Array, matrix, vector
from nets.core.jit import kernel
from nets.linear_algebra.lanczos import NORM_FAILURE, NormInterval, operator_norm_interval
from nets.linear_algebra.lowrank import LowRank
from nets.linear_algebra.products import times, times_transposed
from nets.networks.forward import Forward
from nets.networks.network import Layer, Network

# Smaller dimension up to which `norm_interval` leaves a stored matrix to LAPACK: some 20 ms.
DENSE_NORM = 256

# How far `_ceiling` lies above what it computes, which is off by some m roundings; and the least trace that it trusts:
# terms that vanish below the least float are nothing beside it.
ROOM = 1e-9
TINY = 1e-200


def operator_norm(A: Array | LowRank) -> float:
    """Largest singular value of a stored or factored matrix, by LAPACK; NaN if an entry is not finite.

    Of a stored one it is the root of the largest eigenvalue of A^T A or A A^T, whichever is smaller: half the time of
    all singular values, and for the largest of them as exact, to some roundings per row.
    """
    if isinstance(A, LowRank):
        return A.norms()[0]
    if not np.isfinite(A).all():
        return float("nan")
    # A power of two, which rounds nothing, and with which no square overflows or vanishes.
    scale = 2.0 ** (int(np.frexp(np.abs(A).max(initial=0.0))[1]) - 1)
    B = A / scale
    gram = B.T @ B if B.shape[0] > B.shape[1] else B @ B.T
    return scale * math.sqrt(max(float(np.linalg.eigvalsh(gram)[-1]), 0.0))


def frobenius_norm(A: Array | LowRank) -> float:
    """Root of the sum of the squared entries of a stored or factored matrix."""
    return A.frobenius() if isinstance(A, LowRank) else float(np.linalg.norm(A))


@kernel
def norms_of_columns(A: Array) -> Array:
    """Norms of the columns of a matrix (k, m), row by row as it is stored: (m,)."""
    out = np.zeros(A.shape[1])
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            out[j] += A[i, j] * A[i, j]
    return np.sqrt(out)


def column_norms(A: Array | LowRank) -> Array:
    """Norms of the columns of a stored or factored matrix (k, m), as of the weights into each of m neurons: (m,)."""
    return A.column_norms() if isinstance(A, LowRank) else norms_of_columns(matrix(A, "the matrix"))


def norm_interval(
    A: Array | LowRank | LinearOperator, rng: np.random.Generator, steps: int = 12, failure: float = NORM_FAILURE
) -> NormInterval:
    """An interval for the largest singular value of any matrix, up to the size of 10^6 and more.

    Of factored and small stored matrices both ends are LAPACK's answer; for all others see `operator_norm_interval`.
    """
    if isinstance(A, LowRank) or (isinstance(A, np.ndarray) and min(A.shape) <= DENSE_NORM):
        norm = operator_norm(A)
        return NormInterval(norm, norm, 0, 0)
    return operator_norm_interval(A, rng, steps, failure)


def layer_norms(fwd: Forward) -> Array:
    """||x_{l,i}|| for l = 0..L: (n, L + 1)."""
    return np.stack([np.linalg.norm(x, axis=1) for x in fwd.post], axis=1)


def masked_product(net: Network, fwd: Forward, i: int, l1: int, l2: int) -> Array:
    """W_{l2}^T prod_{r=l1}^{l2-1} Sigma_{r,i} W_r^T of sample i, 1 <= l1 <= l2 <= L: (m_{l2}, m_{l1-1}).

    The masks are those of `fwd`, in sample order (zou2018, Lemma A.8). For l1 = l2 it is W_{l2}^T. The factor of a step
    is carry I + scale Sigma W^T in general: the product is the derivative of `pre[l2 - 1]` in `post[l1 - 1]`.
    """
    _check_layers(net, l1, l2)
    product, moved = None, _weight(net, l1)
    for layer in range(l1, l2):
        product = _masked(net, fwd, i, layer, product, moved)
        moved = times(product, _weight(net, layer + 1))
    whole: Array = moved
    return whole.T


def _weight(net: Network, layer: int) -> Layer:
    return net.parameters[net.steps[layer - 1].weight]


def _masked(net: Network, fwd: Forward, i: int, layer: int, rows: Array | None, moved: Layer) -> Array:
    """The product behind the step `layer`, transposed, from that before it, None for the identity, and it times W."""
    step, masked = net.steps[layer - 1], moved * fwd.masks[layer - 1][i]
    return step.combined(np.eye(len(masked)) if rows is None and step.carry else rows, masked)


def largest_masked_product_norm(net: Network, fwd: Forward, apart: int = 0) -> float:
    """The largest operator norm of the masked products of all samples with l2 >= l1 + apart; 0 without any.

    NaN if an entry of a product is not finite. A singular value decomposition costs ten products: only what `_ceiling`
    does not show to be smaller than another gets one.
    """
    # Without a mask in between the product is the same for all samples.
    single = range(1, net.depth + 1) if apart < 1 else ()
    ceilings = {(0, layer, layer): _ceiling(_weight(net, layer)) for layer in single}
    for i in range(len(fwd.masks[0])):
        for first in range(1, net.depth):
            product, moved = None, _weight(net, first)
            for last in range(first + 1, net.depth + 1):
                product = _masked(net, fwd, i, last - 1, product, moved)
                # What enters the next mask is the product up to here.
                moved = times(product, _weight(net, last))
                if last >= first + apart:
                    ceilings[i, first, last] = _ceiling(moved)
    largest = 0.0
    for place in sorted(ceilings, key=ceilings.__getitem__, reverse=True):
        if ceilings[place] < largest:
            break
        # Transposed back, into the order of the entries in which it was made.
        norm = operator_norm(masked_product(net, fwd, *place).T)
        if np.isnan(norm):
            return norm
        largest = max(largest, norm)
    return largest


def _ceiling(A: Array) -> float:
    """A number above the operator norm of A, also as computed: the eighth root of the trace of (A^T A)^4, and a little.

    Infinite where the trace is out of the range of a float or close to its ends, or NaN.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        gram = A.T @ A if A.shape[0] >= A.shape[1] else A @ A.T
        eighth = float(np.linalg.norm(gram @ gram)) ** 2
    return eighth**0.125 * (1.0 + ROOM) if TINY < eighth < np.inf else np.inf


def masked_product_operator(net: Network, fwd: Forward, i: int, l1: int, l2: int) -> LinearOperator:
    """`masked_product` as a linear operator: step by step, on stored and revealed layers alike."""
    _check_layers(net, l1, l2)
    steps, last = net.steps[l1 - 1 : l2 - 1], _weight(net, l2)
    weights = [_weight(net, layer) for layer in range(l1, l2)]
    # Copies, so that the operator does not keep the masks of all samples alive.
    masks = [fwd.masks[layer - 1][i].copy() for layer in range(l1, l2)]
    inputs, outputs = net.widths[l1 - 1], last.shape[1]

    def multiply(X: Array) -> Array:
        rows = np.ascontiguousarray(np.asarray(X, dtype=np.float64).reshape(inputs, -1).T)
        for step, W, mask in zip(steps, weights, masks, strict=True):
            moved = times(rows, W)
            moved *= mask
            rows = step.combined(rows, moved)
        product: Array = times(rows, last).T
        return product

    def multiply_transposed(Y: Array) -> Array:
        columns = np.ascontiguousarray(np.asarray(Y, dtype=np.float64).reshape(outputs, -1).T)
        rows: Array = times_transposed(columns, last)
        for step, W, mask in zip(reversed(steps), reversed(weights), reversed(masks), strict=True):
            # Without a skip connection nothing else needs the rows.
            moved = rows * mask if step.carry else np.multiply(rows, mask, out=rows)
            rows = step.combined(rows, times_transposed(moved, W))
        return rows.T

    return LinearOperator(
        (outputs, inputs),
        matvec=lambda x: multiply(x)[:, 0],
        rmatvec=lambda y: multiply_transposed(y)[:, 0],
        matmat=multiply,
        rmatmat=multiply_transposed,
        dtype=np.float64,
    )


def _check_layers(net: Network, l1: int, l2: int) -> None:
    if not 1 <= l1 <= l2 <= net.depth:
        raise ValueError(f"layers l1={l1}, l2={l2} of a network of depth {net.depth}: choose 1 <= l1 <= l2 <= L")


def sparse_supremum(q: npt.ArrayLike, s: int) -> Array:
    """sup of <q, a> over ||a|| = 1, ||a||_0 <= s: the 2-norm of the s largest |q_j|; q (..., k) -> (...).

    Exact, by a partial sort; NaN sorts last, hence counts as largest.
    """
    sizes = np.abs(np.asarray(q, dtype=np.float64))
    if s < 1:
        raise ValueError(f"s={s} non-zero entries: choose s >= 1")
    if s < sizes.shape[-1]:
        sizes = np.partition(sizes, sizes.shape[-1] - s, axis=-1)[..., -s:]
    return np.asarray(np.linalg.norm(sizes, axis=-1))


@kernel
def count_below(pre: Array, betas: Array) -> Array:
    """Entries of |pre| at most beta in each row, for each beta: (n, m), (k,) -> (n, k)."""
    out = np.zeros((pre.shape[0], betas.size))
    for i in range(pre.shape[0]):
        for k in range(betas.size):
            count = 0.0
            for j in range(pre.shape[1]):
                z = abs(pre[i, j])
                count += 1.0 if z <= betas[k] else (0.0 if z > betas[k] else np.nan)
            out[i, k] = count
    return out


@kernel
def count_flips(mask: Array, other: Array) -> Array:
    """Entries in which two masks (n, m) differ, in each row: (n,)."""
    out = np.zeros(mask.shape[0])
    for i in range(mask.shape[0]):
        for j in range(mask.shape[1]):
            out[i] += abs(mask[i, j] - other[i, j])
    return out


def threshold_counts(pre: npt.ArrayLike, betas: npt.ArrayLike) -> Array:
    """|S(beta)| = #{j : |pre_j| <= beta} of each sample, for each beta: pre (n, m), betas (k,) -> (n, k)."""
    return count_below(matrix(pre, "the pre-activation array"), vector(np.atleast_1d(betas), "the thresholds"))


def flip_counts(fwd: Forward, other: Forward) -> Array:
    """||Sigma~_{l,i} - Sigma_{l,i}||_0 for two passes of the same samples: (n, L)."""
    return np.stack([count_flips(a, b) for a, b in zip(fwd.masks, other.masks, strict=True)], axis=1)


def flipped_anywhere(fwd: Forward, other: Forward) -> Array:
    """Neurons of each layer whose activation differs at one sample or more (zou2018, Lemma B.4): (L,)."""
    gaps = [np.abs(a - b).max(axis=0) for a, b in zip(fwd.masks, other.masks, strict=True)]
    return np.array([gap.sum() for gap in gaps])


@kernel
def row_distances(H: Array) -> Array:
    """||h_i - h_j|| of the rows of H (n, k): (n, n)."""
    n = H.shape[0]
    out = np.empty((n, n))
    for i in range(n):
        for j in range(i, n):
            total = 0.0
            for k in range(H.shape[1]):
                # The difference first: from inner products, near rows would lose half the digits.
                gap = H[i, k] - H[j, k]
                total += gap * gap
            out[i, j] = out[j, i] = np.sqrt(total)
    return out


def pairwise_distances(H: npt.ArrayLike) -> Array:
    """Distances ||h_i - h_j|| of all pairs of rows: H (n, k) -> (n, n)."""
    return row_distances(matrix(H, "the layer output H"))


def gated_gram(fwd: Forward) -> Array:
    """G_{ij} = <x_{L-1,i}, x_{L-1,j}> * #{neurons of layer L active at both}/m_L: (n, n).

    With b_i = y_i ell'_i, ||grad_{W_L} L_S||_F^2 = (m_L/n^2) b^T G b (zou2018, proof of Lemma B.5).
    """
    H, mask = fwd.post[-2], fwd.masks[-1]
    gram: Array = (H @ H.T) * (mask @ mask.T) / mask.shape[1]
    return gram

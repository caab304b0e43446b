"""Sparse vectors, and bilinear forms on them: the largest block of k rows and k columns, from below and from above.

Main definitions: `doubly_sparse`, attained values; `doubly_sparse_bound`, above all of them; `truncated`, the sparse
unit vector nearest in direction; `soft_threshold`, what is left of a vector beyond entries of a given size.
"""

import math

import numpy as np

from nets.core.arrays import Array

# By how much, relatively, rounding may move a norm that is the root of an eigenvalue of a Gram matrix.
SPREAD = 1e-12


def doubly_sparse(A: Array, k: int, starts: int = 4, sweeps: int = 6) -> float:
    """The largest |a^T A b| found over unit vectors with at most k entries each: attained, hence a lower bound.

    Alternating truncated power iteration from the entries of largest size; for k = 1 the exact supremum.
    """
    flat = np.abs(A).ravel()
    if k == 1:
        return float(flat.max())
    best = 0.0
    starts = min(starts, flat.size)
    for place in np.argpartition(flat, -starts)[-starts:]:
        b = np.zeros(A.shape[1])
        b[place % A.shape[1]] = 1.0
        for _ in range(sweeps):
            a = truncated(A @ b, k)
            b = truncated(a @ A, k)
        best = max(best, float(abs(a @ A @ b)))
    return best


def truncated(values: Array, k: int) -> Array:
    """The vector without all but its k entries of largest size, at norm 1; 0 of 0."""
    kept, k = np.zeros_like(values), min(k, values.size)
    places = np.argpartition(np.abs(values), -k)[-k:]
    kept[places] = values[places]
    size = float(np.linalg.norm(kept))
    return kept / size if size else kept


def soft_threshold(values: Array, level: float) -> Array:
    """The least part without which no entry is larger than `level`: each entry is brought nearer to 0 by it."""
    return np.asarray(np.sign(values) * np.maximum(np.abs(values) - level, 0.0))


def doubly_sparse_bound(A: Array, k: int) -> float:
    """Above |a^T A b| for unit vectors with at most k entries: the root of largest row sum times column sum of a block.

    A row of a block sums up to no more than the k largest absolute entries of the row.
    """
    sums = [largest_sum(B, k) for B in (np.abs(A), np.abs(A.T))]
    return math.sqrt(sums[0] * sums[1]) * (1.0 + SPREAD)


def largest_sum(sizes: Array, k: int) -> float:
    """The largest sum of k entries of a row, none of them negative."""
    if k == 1:
        return float(sizes.max())
    k = min(k, sizes.shape[1])
    return float(np.partition(sizes, sizes.shape[1] - k, axis=1)[:, sizes.shape[1] - k :].sum(axis=1).max())

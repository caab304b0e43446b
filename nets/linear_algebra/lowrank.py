"""Matrices of low rank kept as their two factors: gradients and steps of layers too wide to store.

A gradient over n samples has rank n at most, so a layer of 10^6 neurons can be trained
while no matrix of its shape ever exists.

Written by hand: a scipy `LinearOperator` multiplies, but is added to no stored matrix and knows no norms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import svdvals

from nets.core.arrays import Array, matrix

# Entries worked on at a time. BLAS clears its result before it adds to it: two passes over memory for a whole matrix,
# one where the part in work stays in the cache.
PART = 2**16


@dataclass(frozen=True, eq=False)
class LowRank:
    """The matrix left^T right of shape (rows, cols): a sum of p rank-one terms, one per row of the factors.

    Adding it to a stored matrix gives a stored matrix; adding it to a `RevealedGaussian` gives another one that
    shares all that is revealed.

    left, (p, rows), and right, (p, cols), are float64; ValueError where they have not equally many rows.
    """

    left: Array
    right: Array

    # Without this numpy would take `W + step` apart entry by entry.
    __array_ufunc__ = None

    def __post_init__(self) -> None:
        for name in ("left", "right"):
            object.__setattr__(self, name, matrix(getattr(self, name), f"the {name} factor"))
        if self.left.shape[0] != self.right.shape[0]:
            raise ValueError(
                f"the factors have {self.left.shape[0]} and {self.right.shape[0]} rows:"
                " pass (p, rows) and (p, cols), one row per rank-one term"
            )

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, cols)."""
        return self.left.shape[1], self.right.shape[1]

    def dense(self) -> Array:
        """The matrix itself, stored: (rows, cols)."""
        return self.left.T @ self.right

    def norms(self) -> tuple[float, float]:
        """Operator and Frobenius norm, from the factors; NaN where an entry is not finite."""
        if not self.left.shape[0]:
            return 0.0, 0.0
        if not (np.isfinite(self.left).all() and np.isfinite(self.right).all()):
            return float("nan"), float("nan")
        sizes = svdvals(triangle(self.left) @ triangle(self.right).T, check_finite=False)
        return float(sizes[0]), float(np.linalg.norm(sizes))

    def frobenius(self) -> float:
        """Frobenius norm, from the Gram matrices of the factors: cheaper than `norms`.

        Its relative error is that of a float64 sum of terms which may cancel: a few units in the last place for
        steps that point one way, sqrt(eps) for a drift that has come back.
        """
        square = float(np.sum((self.left @ self.left.T) * (self.right @ self.right.T)))
        return float(np.sqrt(max(square, 0.0))) if square == square else square

    def column_norms(self) -> Array:
        """Norms of the columns, (cols,), from the Gram matrix of the left factor; with the errors of `frobenius`."""
        gram, norms = self.left @ self.left.T, np.empty(self.right.shape[1])
        columns = max(1, PART // max(1, self.left.shape[0]))
        for start in range(0, norms.size, columns):
            part = self.right[:, start : start + columns]
            norms[start : start + columns] = np.sqrt(np.maximum(np.sum(part * (gram @ part), axis=0), 0.0))
        return norms

    def any(self) -> bool:
        """Whether an entry may differ from zero."""
        return bool(self.left.any() and self.right.any())

    def __neg__(self) -> LowRank:
        return LowRank(self.left, -self.right)

    def __mul__(self, factor: float) -> LowRank:
        return LowRank(self.left, factor * self.right)

    __rmul__ = __mul__

    def __radd__(self, W: Array) -> Array:
        return np.asarray(W + self.dense())

    def __rsub__(self, W: Array) -> Array:
        return np.asarray(W - self.dense())

    def __rmatmul__(self, X: Array) -> Array:
        return np.asarray((X @ self.left.T) @ self.right)

    @cached_property
    def T(self) -> LowRank:
        """The transpose, of the same factors: made once, as every product with a transposed matrix asks for it."""
        return LowRank(self.right, self.left)


def frobenius_norms(matrices: Sequence[Array | LowRank]) -> Array:
    """Frobenius norms of stored or factored matrices, without overflow or underflow of the squares of stored ones."""
    return np.array([M.norms()[1] if isinstance(M, LowRank) else _frobenius(M) for M in matrices])


def _frobenius(M: Array) -> float:
    largest = float(np.max(np.abs(M), initial=0.0))
    return largest * float(np.linalg.norm(M / largest)) if 0.0 < largest < math.inf else largest


def triangle(rows: Array) -> Array:
    """R of the QR decomposition of rows^T, by Householder reflections: (min(p, k), p) for rows (p, k)."""
    return np.asarray(np.linalg.qr(rows.T, mode="r"))


def sum_of(terms: Sequence[LowRank], shape: tuple[int, int]) -> LowRank:
    """The sum of matrices of one shape, one alone as it is; else its factors are those of the terms, in their order."""
    if len(terms) == 1:
        return terms[0]
    left, right = np.empty((0, shape[0])), np.empty((0, shape[1]))
    return LowRank(np.vstack([left, *(t.left for t in terms)]), np.vstack([right, *(t.right for t in terms)]))


def _written(left: Array, right: Array) -> Array:
    """left^T right, part by part; of one sample its products alone, which BLAS would add to zeros."""
    if len(left) == 1:
        products: Array = np.einsum("i,j->ij", left[0], right[0])
        return products
    if left.shape[1] * right.shape[1] <= PART:
        whole: Array = np.dot(left.T, right)
        return whole
    step = np.empty((left.shape[1], right.shape[1]))
    rows = max(1, PART // right.shape[1])
    for start in range(0, step.shape[0], rows):
        np.dot(left[:, start : start + rows].T, right, out=step[start : start + rows])
    return step


def outer(W: object, left: Array, right: Array) -> Array | LowRank:
    """sum_i left_i right_i^T as a step for the layer W: stored where W is, as its factors where W is not.

    Terms of which the right factor is zero, such as those of samples outside a batch, are left out of the factors.
    """
    if isinstance(W, np.ndarray):
        return _written(left, right)
    kept = right.any(axis=1)
    return LowRank(left[kept], right[kept])

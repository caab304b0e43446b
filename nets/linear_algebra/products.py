"""Products of a few rows with a layer, in few readings of the matrix.

Main definitions: `times`, X @ W; `times_transposed`, B @ W.T. Of a layer that is not stored they ask what it answers.

For a few samples a product should take one reading of the matrix. BLAS packs a large matrix into another order first,
which reads it, writes it and reads it again; small ones OpenBLAS multiplies as they lie, on processors with AVX-512 for
up to 10^6 multiplications, and of a transposed matrix for up to 1200 entries of the result. So a matrix is multiplied
piece by piece, each small enough, and short enough to stay in the cache for all samples. Measured against copying the
matrix in the same run, one thread, AMD with AVX-512, in copies before and after:

    samples x width     4 x 512     8 x 512     2 x 1024    4 x 1024    8 x 1024    4 x 2048    4 x 4096
    X @ W               2.2   1.2   2.9   2.2   1.6   1.5   1.9   2.1   2.1   2.5
    B @ W.T             4.5   1.0   5.3   2.3   2.4   1.0   2.6   1.2   2.8   1.8   1.1   0.5   1.3   0.6

With kernels for AVX2, which always pack, it costs or saves up to a tenth (at 2048 it saves half of B @ W.T), but for
more than eight samples it costs more. Of X @ W the results of the pieces are added up, which is dear where the rows of
the matrix are long: beyond 2^19 entries it is left whole. One sample is no matter of packing, and for many the
arithmetic is the limit, not the memory.

The rule depends on shapes and on the kind of processor alone, so that results are the same bit by bit whatever the
number of workers; a sum in another order has the same bound on its rounding.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding
import numpy as np

from nets.core.arrays import Array

# Multiplications of a piece, and entries of its result where the matrix is transposed.
PIECE, ENTRIES = 2**19, 2**10
# Samples up to which pieces pay; for a transposed matrix, with AVX-512, twice as many.
FEW = 8
FEW_TRANSPOSED = 2 * FEW if llvmlite.binding.get_host_cpu_features().get("avx512f", False) else FEW
# Entries of a matrix beyond which its rows are too long for results to be added up.
LARGE = 2**19


def times(X: Array, W: Any) -> Any:
    """X @ W for X (n, rows) and a layer W (rows, columns): (n, columns)."""
    if not (_in_pieces(X, W, FEW) and W.size <= LARGE):
        return X @ W
    rows = max(1, PIECE // (len(X) * W.shape[1]))
    product = X[:, :rows] @ W[:rows]
    for start in range(rows, W.shape[0], rows):
        product += X[:, start : start + rows] @ W[start : start + rows]
    return product


def times_transposed(B: Array, W: Any) -> Any:
    """B @ W.T for B (n, columns) and a layer W (rows, columns): (n, rows)."""
    if not _in_pieces(B, W, FEW_TRANSPOSED):
        return B @ W.T
    product = np.empty((len(B), W.shape[0]))
    rows = max(1, min(PIECE // (len(B) * W.shape[1]), ENTRIES // len(B)))
    for start in range(0, W.shape[0], rows):
        np.matmul(B, W[start : start + rows].T, out=product[:, start : start + rows])
    return product


def _in_pieces(X: Array, W: Any, few: int) -> bool:
    """Whether a product with a stored matrix is one for which pieces pay."""
    stored = isinstance(W, np.ndarray) and W.flags.c_contiguous
    return stored and X.ndim == 2 and 1 < len(X) <= few and len(X) * W.size > PIECE

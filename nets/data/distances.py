"""Rows on the unit sphere: normalising them, and the distances between them.

Written by hand: scikit-learn's distances lose near rows (1.5e-8 for two that are 1e-9 apart), and for 5,000 rows of 64
entries scipy's `pdist` takes twice, its `cKDTree` ten times as long.
"""

import math
from collections.abc import Iterator
from contextlib import nullcontext

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from nets.core.arrays import Array

EPS = float(np.finfo(np.float64).eps)

# How far the norm of a normalised row may be from 1. The sum of squares costs at most about 30 half EPS
# (numpy adds blocks of 128 in eight strands, then in pairs: d up to 2**18), its root halves that, the
# division adds one, and measuring the norm costs as much again: 16.5 EPS together.
UNIT_TOLERANCE = 16 * EPS

# Two multiples of one row end at most this far apart after normalisation: each may be off by UNIT_TOLERANCE
# and, when it was nearly unit and is kept as it is, by as much again. Nearer rows count as one.
DUPLICATE_TOLERANCE = 4 * UNIT_TOLERANCE

# Rows on either side of a tile of pairwise distances: 2 MiB, which stay in the processor's cache.
_TILE = 512

# Entries of the differences computed at a time: 32 MiB.
_CHUNK_ENTRIES = 2**22


class DataError(ValueError):
    """Data that cannot be used: the message is one line that says what was found, where, and what to do."""


def normalise_rows(X: npt.ArrayLike) -> Array:
    """Return the rows of X (n, d) divided by their Euclidean norms, as a new float64 C-contiguous array.

    Each row is first scaled by a power of two, which is exact, so entries near the largest and the smallest
    float64 neither overflow nor vanish. Rows that are unit within `UNIT_TOLERANCE` stay as they are:
    normalising twice changes nothing, and exact antipodes stay exact. Raises `DataError` for a zero row, NaN
    or inf.
    """
    X = np.array(X, dtype=np.float64, order="C")
    if X.ndim != 2 or 0 in X.shape:
        raise DataError(f"rows to normalise have shape {X.shape}: a matrix (n, d) is needed")
    if not np.isfinite(X).all():
        raise DataError("rows to normalise hold NaN or inf: remove or replace those entries")
    largest = np.abs(X).max(axis=1)
    if not largest.all():
        raise DataError(f"row {np.argmin(largest) + 1} is zero and has no direction: remove it")
    scaled = np.ldexp(X, -np.frexp(largest)[1][:, None])
    normalised: Array = scaled / np.linalg.norm(scaled, axis=1)[:, None]
    with np.errstate(over="ignore"):
        unit = np.abs(np.linalg.norm(X, axis=1) - 1.0) <= UNIT_TOLERANCE
    normalised[unit] = X[unit]
    return normalised


def separation(X: Array) -> float:
    """phi = min over i != j of ||x_i - x_j|| for the rows of X (n, d); inf when n = 1 (zou2018, Assumption 3.6).

    Computed from the difference of the two rows, hence accurate for nearly equal rows too. Memory stays at
    a few copies of X and 100 MiB, and 10^5 rows of 64 entries take about a minute.
    """
    return _smallest_distance(X, sign=1.0)


def antipodal_separation(X: Array, phi: float | None = None) -> float:
    """phi_pm = min over i != j of min(||x_i - x_j||, ||x_i + x_j||) for the rows of X; inf when n = 1.

    `phi` is their separation where that is known already.
    """
    return min(separation(X) if phi is None else phi, _smallest_distance(X, sign=-1.0))


def first_of_equals(X: Array) -> npt.NDArray[np.intp]:
    """Return for each row of X (n, d) the index of the kept row it equals; for a kept row that is its own.

    Going down the rows, one is kept when no kept row before it is within `DUPLICATE_TOLERANCE`.
    """
    leader = np.arange(len(X))
    for row, column, squared, slack in _pair_tiles(X, sign=1.0):
        near = squared <= DUPLICATE_TOLERANCE**2 + slack
        # Rows before the tile's have had their turn, and those of the tile in the first of its tiles.
        for at in np.flatnonzero(near.any(axis=1)):
            i = row + at
            if leader[i] != i:
                continue
            others = column + np.flatnonzero(near[at])
            others = others[leader[others] == others]
            distances = np.linalg.norm(X[i] - X[others], axis=1)
            leader[others[distances <= DUPLICATE_TOLERANCE]] = i
    return leader


def _smallest_distance(X: Array, sign: float) -> float:
    smallest = math.inf
    for row, column, squared, slack in _pair_tiles(X, sign):
        cut = min(float(squared.min()), smallest**2) + slack
        if cut == math.inf:  # a tile of no pair
            continue
        rows, columns = np.nonzero(squared <= cut)
        step = max(1, _CHUNK_ENTRIES // X.shape[1])
        for k in range(0, len(rows), step):
            difference = X[row + rows[k : k + step]] - sign * X[column + columns[k : k + step]]
            smallest = min(smallest, float(np.linalg.norm(difference, axis=1).min()))
    return smallest


def _pair_tiles(X: Array, sign: float) -> Iterator[tuple[int, int, Array, float]]:
    """Yield (row, column, squared, slack): squared[i - row, j - column] is about ||x_i - sign x_j||^2.

    The tiles cover all pairs i < j, row by row, and each is overwritten by the next; entries with j <= i are inf.
    The squares come from scalar products, which are fast but cancel for near rows: the order of two entries, or of an
    entry and an exact square, is certain once they differ by `slack`.
    """
    n, d = X.shape
    if not np.isfinite(X).all():
        raise DataError("rows to measure hold NaN or inf: remove or replace those entries")
    squares, ones = np.einsum("ij,ij->i", X, X), np.ones(n)
    left = np.column_stack([X, squares, ones])
    right = np.ascontiguousarray(np.column_stack([-2.0 * sign * X, ones, squares]).T)
    # A square of length d is off by at most d/2 EPS times itself, and the scalar product of length d + 2 by d/2 + 1
    # EPS times the sum of its terms' sizes, which is at most four squares; together (3d + 4) EPS, and comparing two
    # such entries doubles that.
    slack = 8 * (d + 1) * EPS * float(squares.max())
    tile = np.empty(min(n, _TILE) ** 2)
    # Several threads would wait for one another at every tile.
    with threadpool_limits(limits=1) if n > _TILE else nullcontext():
        for row in range(0, n, _TILE):
            height = min(_TILE, n - row)
            for column in range(row, n, _TILE):
                width = min(_TILE, n - column)
                squared = tile[: height * width].reshape(height, width)
                np.matmul(left[row : row + height], right[:, column : column + width], out=squared)
                if row == column:
                    squared[np.tril_indices(height)] = np.inf
                yield row, column, squared, slack

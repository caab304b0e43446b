"""Rows on the unit sphere: normalising them, and the distances between them.

Main definitions: `normalise_rows`, `separation` (phi), `antipodal_separation` (phi_pm), `first_of_equals`,
the tolerances that say when a row is unit and when two rows are one, and `DataError`.
"""

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

EPS = float(np.finfo(np.float64).eps)

# How far the norm of a normalised row may be from 1. The sum of squares costs at most about 30 half EPS
# (numpy adds blocks of 128 in eight strands, then in pairs: d up to 2**18), its root halves that, the
# division adds one, and measuring the norm costs as much again: 16.5 EPS together, seldom above 2 in
# practice.
UNIT_TOLERANCE = 16 * EPS

# Two multiples of one row end at most this far apart after normalisation: each may be off by UNIT_TOLERANCE
# and, when it was nearly unit and is kept as it is, by as much again. Nearer rows count as one.
DUPLICATE_TOLERANCE = 4 * UNIT_TOLERANCE

# Entries of one block of pairwise distances: 32 MiB.
_BLOCK_ENTRIES = 2**22


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
    normalised = scaled / np.linalg.norm(scaled, axis=1)[:, None]
    with np.errstate(over="ignore"):
        unit = np.abs(np.linalg.norm(X, axis=1) - 1.0) <= UNIT_TOLERANCE
    normalised[unit] = X[unit]
    return normalised


def separation(X: Array) -> float:
    """Return phi = min over i != j of ||x_i - x_j|| for the rows of X (n, d); inf when n = 1.

    Computed from the difference of the two rows, hence accurate for nearly equal rows too. Memory stays at a
    few blocks of 32 MiB. Source: zou2018, Assumption 3.6.
    """
    return _smallest_distance(X, sign=1.0)


def antipodal_separation(X: Array) -> float:
    """Return phi_pm = min over i != j of min(||x_i - x_j||, ||x_i + x_j||) for the rows of X; inf when n = 1.

    It vanishes for antipodal rows, which Assumption 3.6 of zou2018 lets pass.
    """
    return min(separation(X), _smallest_distance(X, sign=-1.0))


def first_of_equals(X: Array, sign: float = 1.0) -> npt.NDArray[np.intp]:
    """Return for each row of X (n, d) the index of the kept row it equals; for a kept row that is its own.

    Going down the rows, one is kept when no kept row x before it has ||x_i - sign x|| at most
    `DUPLICATE_TOLERANCE`; sign = -1 looks for antipodes.
    """
    leader = np.arange(len(X))
    for start, squared, slack in _pair_blocks(X, sign):
        near = squared <= DUPLICATE_TOLERANCE**2 + slack
        for row in np.flatnonzero(near.any(axis=1)):
            i = start + row
            if leader[i] != i:
                continue
            others = start + np.flatnonzero(near[row])
            others = others[leader[others] == others]
            distances = np.linalg.norm(X[i] - sign * X[others], axis=1)
            leader[others[distances <= DUPLICATE_TOLERANCE]] = i
    return leader


def _smallest_distance(X: Array, sign: float) -> float:
    smallest = math.inf
    if len(X) < 2:
        return smallest
    for start, squared, slack in _pair_blocks(X, sign):
        cut = min(float(squared.min()), smallest**2) + slack
        rows, columns = np.nonzero(squared <= cut)
        step = max(1, _BLOCK_ENTRIES // X.shape[1])
        for k in range(0, len(rows), step):
            difference = X[start + rows[k : k + step]] - sign * X[start + columns[k : k + step]]
            smallest = min(smallest, float(np.linalg.norm(difference, axis=1).min()))
    return smallest


def _pair_blocks(X: Array, sign: float) -> Iterator[tuple[int, Array, float]]:
    """Yield (start, squared, slack): squared[i - start, j - start] is about ||x_i - sign x_j||^2.

    Entries with j <= i are inf. The squares come from scalar products, which are fast but cancel for near
    rows: the order of two entries, or of an entry and an exact square, is certain once they differ by
    `slack`.
    """
    n, d = X.shape
    if not np.isfinite(X).all():
        raise DataError("rows to measure hold NaN or inf: remove or replace those entries")
    squares = np.einsum("ij,ij->i", X, X)
    # A scalar product of length d is off by at most d/2 EPS times the two norms; four of them and two
    # additions make (2d + 4) EPS, and comparing two such entries doubles that.
    slack = 4 * (d + 4) * EPS * float(squares.max())
    step = max(1, _BLOCK_ENTRIES // n)
    for start in range(0, n, step):
        block = X[start : start + step]
        squared = squares[start : start + step, None] + squares[None, start:]
        squared -= 2.0 * sign * (block @ X[start:].T)
        squared[np.tril_indices(len(block), m=n - start)] = np.inf
        yield start, squared, slack

"""What products of masked layers make of sparse vectors, beyond entries of a given size.

Main definitions: `largest_excess`, an attack over all sparse unit vectors; `excess`.
"""

from __future__ import annotations

import numpy as np

from nets.core.arrays import Array


def excess(y: Array, level: float) -> Array:
    """The least part of y (m,) without which no entry is larger than `level`: each entry is brought nearer to 0."""
    return np.asarray(np.sign(y) * np.maximum(np.abs(y) - level, 0.0))


def _kept(x: Array, s: int) -> Array:
    """The unit vector along the s largest entries of x (m,)."""
    kept = np.zeros_like(x)
    places = np.argpartition(-np.abs(x), s - 1)[:s]
    kept[places] = x[places]
    return np.asarray(kept / np.linalg.norm(kept))


def largest_excess(M: Array, s: int, level: float, *, starts: int = 4, sweeps: int = 8) -> float:
    """A large ||excess(M x, level)|| over unit vectors x with at most s entries, M (m, m): a lower bound.

    Climbs start from the x that make single entries largest, exactly so. As the square is convex in x, going on with
    the s largest entries of its gradient never makes it less.
    """
    rows = np.partition(M**2, -s, axis=1)[:, -s:].sum(axis=1)
    best = 0.0
    for start in np.argsort(-rows)[:starts]:
        x = _kept(M[start], s)
        for _ in range(sweeps):
            beyond = excess(M @ x, level)
            best = max(best, float(np.linalg.norm(beyond)))
            if not beyond.any():
                break
            x = _kept(beyond @ M, s)
    return best

"""What products of masked layers make of sparse vectors, beyond entries of a given size.

Main definition: `largest_excess`, an attack over all sparse unit vectors.
"""

import numpy as np

from nets.core.arrays import Array
from properties.shared.sparse_blocks import soft_threshold, truncated


def largest_excess(M: Array, s: int, level: float, *, starts: int = 4, sweeps: int = 8) -> float:
    """A large ||soft_threshold(M x, level)|| over unit vectors x with at most s entries, M (m, m): a lower bound.

    Climbs start from the x that make single entries largest, exactly so. As the square is convex in x, going on with
    the s largest entries of its gradient never makes it less.
    """
    rows = np.partition(M**2, -s, axis=1)[:, -s:].sum(axis=1)
    best = 0.0
    for start in np.argsort(-rows)[:starts]:
        x = truncated(M[start], s)
        for _ in range(sweeps):
            beyond = soft_threshold(M @ x, level)
            best = max(best, float(np.linalg.norm(beyond)))
            if not beyond.any():
                break
            x = truncated(beyond @ M, s)
    return best

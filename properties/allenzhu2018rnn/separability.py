"""How much of one vector is orthogonal to another, at the start and in what is fresh at each time (Appendix B.3).

Main definitions: `separability`, of vectors (Definition B.8); `fresh_separabilities`, of what no earlier state spans;
`sequences_apart`, sequences whose first inputs have a given separability.
"""

import math

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from nets.core.arrays import Array, matrix
from nets.networks.forward import Forward
from properties.allenzhu2018rnn.frames import StateFrames
from properties.allenzhu2018rnn.sequences import sequences


def separability(vectors: npt.ArrayLike) -> float:
    """The largest delta for which the rows of `vectors` (k, m) are delta-separable (Definition B.8); 0 with a zero row.

    Of two rows it is the norm of the smaller one times the sine of their angle. It is computed from their difference,
    so that near duplicates at distance 1e-12 keep their digits. Raises ValueError for fewer than two rows.
    """
    rows = matrix(vectors, "the vectors")
    if len(rows) < 2:
        raise ValueError(f"the separability of {len(rows)} vectors asked for: pass at least two")
    norms = np.linalg.norm(rows, axis=1)
    if not norms.all():
        return 0.0
    least = math.inf
    for i, unit in enumerate(rows / norms[:, np.newaxis]):
        rest = np.delete(rows, i, axis=0) - rows[i]
        # Twice, because one projection leaves parts along the vector as large as the roundings of the difference.
        for _ in range(2):
            rest = rest - np.outer(rest @ unit, unit)
        least = float(np.minimum(least, np.linalg.norm(rest, axis=1).min()))
    return least


def fresh_separabilities(fwd: Forward) -> Array:
    """The separability of (I - U_{l-1} U_{l-1}^T) h_{i,l} over the sequences, for l = 1..L: (L,).

    A time at which some state has nothing fresh, up to rounding, has 0.
    """
    frames = StateFrames(fwd)
    found = np.zeros(len(fwd.post) - 1)
    for time, norms in enumerate(frames.leftover.T, start=1):
        if norms.all():
            found[time - 1] = separability(frames.fresh(time) * norms[:, np.newaxis])
    return found


def sequences_apart(
    n: int, times: int, d: int, apart: float, rng: Generator, later: str = "drawn", *, copies: bool = False
) -> Array:
    """Return sequences (n, times, d) whose first inputs have the separability `apart` in (0, 1].

    A pair at distance t = sqrt(2 (1 - sqrt(1 - apart^2))) attains it. With `copies` the second first input is half
    of the first: as far away as any, not of norm 1, and not separable.
    """
    # The difference of near numbers, without cancellation.
    phi = math.sqrt(2.0 / (1.0 + math.sqrt(1.0 - apart * apart))) * apart
    X = sequences(n, times, d, rng, later, phi=phi)
    if copies:
        X[1, 0] = 0.5 * X[0, 0]
    return X

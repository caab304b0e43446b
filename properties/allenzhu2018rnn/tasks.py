"""Regression tasks on sequences: the label of the first input asked at later times, and digits read row by row.

Main definitions: `memory_task` and `digit_rows`; each gives sequences as `sequences.is_normalised` asks, and targets
(n, times, 1), the same at every time.
"""

import math

import numpy as np
from numpy.random import Generator

from nets.core.arrays import Array
from nets.data.files import read
from properties.allenzhu2018rnn.sequences import BIAS, sequences

# Rows and columns of a digit of scikit-learn.
SIDE = 8


def memory_task(
    n: int, times: int, d: int, rng: Generator, later: str = "drawn", phi: float | None = None
) -> tuple[Array, Array]:
    """Sequences (n, times, d) and targets that alternate in sign from one first input to the next: +1, -1, +1, ..."""
    labels = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    return sequences(n, times, d, rng, later, phi), _at_all_times(labels, times)


def digit_rows(n: int, rng: Generator) -> tuple[Array, Array]:
    """n of the handwritten threes (-1) and eights (+1), each row an input: (n, 8, 9), and targets.

    All rows are divided by the longest norm of a row, and the first is brought to norm 1/sqrt(2), with the bias behind;
    digits whose first row is empty are left out. Rows of zeros behind the first stay.
    """
    table = read("digits:3,8")
    images = table.X.reshape(-1, SIDE, SIDE)
    labels = np.where(table.labels == 1, 1.0, -1.0)
    norms = np.linalg.norm(images, axis=2)
    full = norms[:, 0] > 0.0
    chosen = rng.choice(np.flatnonzero(full), n, replace=False)
    X = np.zeros((n, SIDE, SIDE + 1))
    # A little inside, as for `sequences`.
    X[:, :, :SIDE] = images[chosen] / (norms.max() * (1.0 + 1e-15))
    X[:, 0, :SIDE] = images[chosen, 0] * (math.sqrt(0.5) / norms[chosen, 0])[:, np.newaxis]
    X[:, 0, SIDE] = BIAS
    return X, _at_all_times(labels[chosen], SIDE)


def _at_all_times(labels: Array, times: int) -> Array:
    return np.repeat(labels[:, np.newaxis, np.newaxis], times, axis=1)

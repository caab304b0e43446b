"""Standard normal numbers of a generator: those of numpy, and where they are many in a third of its time.

numpy asks its generator for the bits of each number by a call; numba has the same algorithm with the call compiled in.
So nothing depends on which of the two draws, and a generator may serve both in turn.
"""

import math
from collections.abc import Sequence

import numpy as np

from nets.core.arrays import Array
from nets.core.jit import kernel

# Below, numpy has drawn them before compiled code is handed the generator.
FEW = 1000


def standard_normal(rng: np.random.Generator, shape: int | Sequence[int]) -> Array:
    """The numbers of `rng.standard_normal(shape)`, bit by bit, as a new float64 C-contiguous array."""
    numbers = np.empty(shape)
    write_standard_normal(rng, numbers)
    return numbers


def write_standard_normal(rng: np.random.Generator, numbers: Array) -> None:
    """Fill a float64 C-contiguous array of any shape with the numbers of `rng.standard_normal`, bit by bit."""
    if math.prod(numbers.shape) < FEW:
        rng.standard_normal(out=numbers)
    else:
        drawn_normals(rng, numbers.reshape(-1))


@kernel
def drawn_normals(rng: np.random.Generator, numbers: Array) -> Array:
    """The same array (k,), filled with the next numbers of `rng`."""
    for k in range(len(numbers)):
        numbers[k] = rng.standard_normal()
    return numbers

"""Standard normal numbers of a generator: those of numpy, and where they are many in a third of its time.

numpy asks its generator for the bits of each number by a call; numba has the same algorithm with the call compiled in.
So nothing depends on which of the two draws, and a generator may serve both in turn.

A kernel is handed addresses and not the generator. Numba would look for the same addresses, by functions that are
written in Python and without asking whether they came to their end: where a signal ends one, as of a time limit or of
Ctrl-C, the process would crash.
"""

import ctypes
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nets.core.arrays import Array
from nets.core.jit import bit_generator, kernel, random_standard_normal

# Below, numpy has drawn them before compiled code is called.
FEW = 1000


class Bits(NamedTuple):
    """The addresses of the state of a generator, and of the functions that draw words and doubles from it.

    They are good as long as the generator is there.
    """

    state: int
    next_uint64: int
    next_double: int


# Functions of a kind of generator are the same for all of them.
_FUNCTIONS: dict[type, tuple[int, int]] = {}


def bits_of(rng: np.random.Generator) -> Bits:
    """The addresses in `rng`. Raises `ValueError` for one whose functions have none."""
    interface = rng.bit_generator.ctypes
    kind = type(rng.bit_generator)
    if kind not in _FUNCTIONS:
        _FUNCTIONS[kind] = _address(interface.next_uint64), _address(interface.next_double)
    return Bits(interface.state_address, *_FUNCTIONS[kind])


def _address(function: Any) -> int:
    address = ctypes.cast(function, ctypes.c_void_p).value
    if address is None:
        raise ValueError(f"{function} stands nowhere: pass a generator of numpy")
    return address


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
        drawn_normals(*bits_of(rng), numbers.reshape(-1))


@kernel
def drawn_normals(state: int, next_uint64: int, next_double: int, numbers: Array) -> None:
    """Fill the array (k,) with the next numbers of the generator at the addresses of `Bits`."""
    generator = bit_generator(state, next_uint64, next_double)
    for k in range(len(numbers)):
        numbers[k] = random_standard_normal(generator)

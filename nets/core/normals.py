"""Standard normal numbers of a generator: those of numpy, and where they are many in a third of its time.

numpy asks its generator for the bits of each number by a call; here the same algorithm has the step of the generator
compiled in. So nothing depends on which of the two draws, and a generator may serve both in turn.

A kernel is handed an address and not the generator. Numba would look for addresses by functions that are written in
Python and without asking whether they came to their end: where a signal ends one, as of a time limit or of Ctrl-C,
the process would crash.
"""

import math
from collections.abc import Sequence

import numpy as np

from nets.core.arrays import Array
from nets.core.jit import fi_double, kernel, ki_double, wi_double, ziggurat_nor_inv_r, ziggurat_nor_r
from nets.core.pcg64 import double_of_word, next_state, word_at, word_of_state, words_of, write_word

# Below, numpy has drawn them before compiled code is called.
FEW = 300

# Of a word, 8 bits choose the strip, the next is the sign and the 52 after it are the place in the strip.
_STRIP = np.uint64(0xFF)
_PLACE = np.uint64(0x000FFFFFFFFFFFFF)


def standard_normal(rng: np.random.Generator, shape: int | Sequence[int]) -> Array:
    """The numbers of `rng.standard_normal(shape)`, bit by bit, as a new float64 C-contiguous array."""
    numbers = np.empty(shape)
    write_standard_normal(rng, numbers)
    return numbers


def write_standard_normal(rng: np.random.Generator, numbers: Array) -> None:
    """Fill a float64 C-contiguous array of any shape with the numbers of `rng.standard_normal`, bit by bit."""
    words = words_of(rng) if math.prod(numbers.shape) >= FEW else 0
    if words:
        drawn_normals(words, numbers.reshape(-1))
    else:
        rng.standard_normal(out=numbers)


@kernel
def drawn_normals(words: int, numbers: Array) -> None:
    """Fill the array (k,) with the next numbers of the generator whose state and increment stand at the address.

    The ziggurat of Marsaglia and Tsang, with the tables of numpy: a point of a strip below the density is taken, a
    strip's corner by comparison with it, and beyond the last strip by Marsaglia's method for the tail.
    """
    low, high = word_at(words), word_at(words + 8)
    inc_low, inc_high = word_at(words + 16), word_at(words + 24)
    for k in range(len(numbers)):
        while True:
            low, high = next_state(low, high, inc_low, inc_high)
            word = word_of_state(low, high)
            strip, place = word & _STRIP, (word >> np.uint64(9)) & _PLACE
            # A sign by a branch is guessed wrong every other time.
            sign = 1.0 - 2.0 * np.float64((word >> np.uint64(8)) & np.uint64(1))
            x = sign * (np.float64(place) * wi_double[strip])
            if place < ki_double[strip]:
                break
            if strip == 0:
                while True:
                    low, high = next_state(low, high, inc_low, inc_high)
                    beyond = -ziggurat_nor_inv_r * np.log1p(-double_of_word(word_of_state(low, high)))
                    low, high = next_state(low, high, inc_low, inc_high)
                    twice = -2.0 * np.log1p(-double_of_word(word_of_state(low, high)))
                    if twice > beyond * beyond:
                        break
                x = ziggurat_nor_r + beyond
                if (place >> np.uint64(8)) & np.uint64(1):
                    x = -x
                break
            low, high = next_state(low, high, inc_low, inc_high)
            height = double_of_word(word_of_state(low, high))
            if (fi_double[strip - 1] - fi_double[strip]) * height + fi_double[strip] < np.exp(-0.5 * x * x):
                break
        numbers[k] = x
    write_word(words, low)
    write_word(words + 8, high)

"""The next words of numpy's default generator, PCG64, drawn inside a kernel from the words that its state is.

Main definitions: `words_of`, where they stand; `word_at`, `write_word`, `next_state`, `word_of_state` and
`double_of_word`, what kernels are put together from.

numpy draws each word by a call, which takes as long as a normal number that is made of it. Here the step is compiled
in, and only the last state is written back. Where the words stand is asked of numpy and compared with the state that
it shows, so that a build of numpy that keeps them otherwise, or another generator, is left to numpy.

Written by hand: numba has the same calls, and no generator of its own whose numbers are those of numpy.
"""

import ctypes
from functools import lru_cache
from typing import Any

import numpy as np
from llvmlite import ir

from nets.core.jit import COMPILED, intrinsic, part, types

# Of 128 bits, by which a step multiplies the state: PCG_DEFAULT_MULTIPLIER_128 of numpy's pcg64.h.
MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645

_WORD = ir.IntType(64)
_TWO_WORDS = ir.IntType(128)


def words_of(rng: np.random.Generator) -> int:
    """The address of four words, lower and upper one of the state and of the increment of a generator; 0 if not known.

    It is good as long as the generator is there.
    """
    bits = rng.bit_generator
    return _address(bits) if COMPILED and type(bits) is np.random.PCG64 and _readable() else 0


def _address(bits: np.random.PCG64) -> int:
    # The first member of numpy's pcg64_state is a pointer to them.
    return ctypes.c_uint64.from_address(bits.ctypes.state_address).value


@lru_cache(maxsize=1)
def _readable() -> bool:
    """Whether this build of numpy keeps the words as a kernel reads them, which is the same for all generators."""
    bits = np.random.PCG64(0)
    shown = bits.state["state"]
    wanted = [shown[name] >> shift & (2**64 - 1) for name in ("state", "inc") for shift in (0, 64)]
    return list((ctypes.c_uint64 * 4).from_address(_address(bits))) == wanted


@intrinsic  # type: ignore[untyped-decorator]
def word_at(context: Any, address: Any) -> Any:
    """Inside a kernel: the word at an address."""

    def built(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(builder.inttoptr(arguments[0], _WORD.as_pointer()))

    return types.uint64(types.intp), built


@intrinsic  # type: ignore[untyped-decorator]
def write_word(context: Any, address: Any, word: Any) -> Any:
    """Inside a kernel: put a word at an address."""

    def built(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[1], builder.inttoptr(arguments[0], _WORD.as_pointer()))
        return context.get_dummy_value()

    return types.void(types.intp, types.uint64), built


@intrinsic  # type: ignore[untyped-decorator]
def next_state(context: Any, low: Any, high: Any, low_increment: Any, high_increment: Any) -> Any:
    """Inside a kernel: the state after a step, its lower and its upper word, modulo 2^128."""
    pair = types.UniTuple(types.uint64, 2)  # type: ignore[attr-defined, unused-ignore]

    def built(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words = [builder.zext(word, _TWO_WORDS) for word in arguments]
        up = ir.Constant(_TWO_WORDS, 64)
        state, increment = (builder.or_(words[k], builder.shl(words[k + 1], up)) for k in (0, 2))
        after = builder.add(builder.mul(state, ir.Constant(_TWO_WORDS, MULTIPLIER)), increment)
        halves = (builder.trunc(after, _WORD), builder.trunc(builder.lshr(after, up), _WORD))
        return context.make_tuple(builder, pair, halves)

    return pair(*[types.uint64] * 4), built


@part
def word_of_state(low: np.uint64, high: np.uint64) -> np.uint64:
    """What a state gives: its words combined by an exclusive or, turned by its 6 highest bits."""
    mixed, turn = low ^ high, high >> np.uint64(58)
    return (mixed >> turn) | (mixed << ((np.uint64(64) - turn) & np.uint64(63)))


@part
def double_of_word(word: np.uint64) -> float:
    """A number of [0, 1) with the 53 highest bits of a word."""
    return np.float64(word >> np.uint64(11)) * 2.0**-53

"""Plain doubles side by side in numpy arrays: fast, and wrong where something on the way leaves the doubles.

Main definitions: `ARRAYS`; `doubtful`, which says where to compute again in another arithmetic, and `is_extreme`.

Written by hand: the list of functions alone, which numpy computes; sympy's own `lambdify` writes and compiles a source
for every formula, which takes longer than all that a row asks of it.
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np
import sympy

__all__ = ["ARRAYS", "EXTREME", "SMALL_RESULT", "ArrayArithmetic", "doubtful", "is_extreme"]

# Beyond this, or its inverse, a value may make a product on the way subnormal, which loses digits in silence; so may
# anything on the way to a result as small as the other number.
EXTREME = 1e30
SMALL_RESULT = 1e-290

_NAMES = {"Abs": "abs", "asin": "arcsin", "acos": "arccos", "atan": "arctan"}


class ArrayArithmetic:
    """Doubles, or arrays of them that broadcast; what is undefined is NaN or infinite."""

    def number(self, value: Any) -> Any:
        """A number or an array as doubles."""
        return np.asarray(value, np.float64)

    def literal(self, value: sympy.Expr) -> Any:
        """The double nearest to a Rational, pi or E."""
        return float(value)

    def add(self, terms: Sequence[Any]) -> Any:
        """The sum, from left to right."""
        return reduce(np.add, terms)

    def multiply(self, factors: Sequence[Any]) -> Any:
        """The product, from left to right."""
        return reduce(np.multiply, factors)

    def power(self, base: Any, exponent: Any) -> Any:
        """`base` to an exponent that depends on symbols."""
        return np.power(base, exponent)

    def rational_power(self, base: Any, exponent: sympy.Rational) -> Any:
        """`base` to a fixed rational exponent."""
        if exponent == sympy.S.Half:
            return np.sqrt(base)
        return np.power(base, float(exponent))

    def apply(self, function: str, argument: Any) -> Any:
        """A function of one argument."""
        return getattr(np, _NAMES.get(function, function))(argument)

    def select(self, selection: str, arguments: Sequence[Any]) -> Any:
        """The smallest or the largest; NaN where one is."""
        return reduce(np.minimum if selection == "Min" else np.maximum, arguments)


ARRAYS = ArrayArithmetic()


def doubtful(result: np.ndarray, arguments: Sequence[np.ndarray]) -> np.ndarray:
    """Where a result of these arguments, all of one shape, may have lost digits on the way."""
    found: np.ndarray = ~np.isfinite(result) | (np.abs(result) < SMALL_RESULT)
    for argument in arguments:
        found |= is_extreme(argument)
    return found


def alike(chosen: np.ndarray, arguments: Sequence[np.ndarray]) -> Iterator[tuple[tuple[np.ndarray, ...], list[float]]]:
    """The chosen entries of arguments of one shape: the places of those that are equal bit by bit, and what they are.

    All instances of a cell share its symbols, so that there are few.
    """
    places = np.nonzero(chosen)
    rows = np.stack([argument[places] for argument in arguments], axis=-1)
    known: dict[bytes, list[int]] = {}
    for number, row in enumerate(rows):
        known.setdefault(row.tobytes(), []).append(number)
    for numbers in known.values():
        yield tuple(place[numbers] for place in places), rows[numbers[0]].tolist()


def is_extreme(value: Any) -> Any:
    """Whether a number, or each of an array, is so large or so small that a product of a few may leave the doubles."""
    size = abs(value)
    return (size > EXTREME) | ((size < 1.0 / EXTREME) & (size > 0.0))

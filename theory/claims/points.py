"""Symbols that are functions of the training points of a cell, measured on the points at hand.

Main definitions: `OfPoints`, a number that was measured on points; `measure`, which makes it; `POINTS`, the names of
the points and their labels.
"""

from __future__ import annotations

import inspect

import numpy as np

from theory.core.measured import MeasurementError, real_numbers
from theory.core.values import Function, Values

# The points, shape (n, d), and their labels, shape (n,), as parameters of what measures something on them.
POINTS = ("X", "y")

# What the points are drawn with.
SIZES = ("n", "d")

# The last digits of an eigenvalue are others on another processor; so many are the same.
DIGITS = 6


class OfPoints(float):
    """A number measured on points: it counts with all its digits, and is printed with those that are reliable."""

    def __repr__(self) -> str:
        """The reliable digits, as they stand in every text that names a cell."""
        return f"{float(self):.{DIGITS}g}"

    __str__ = __repr__

    @property
    def short(self) -> float:
        """The number that is printed."""
        return float(repr(self))


def asked(function: Function) -> tuple[str, ...]:
    """The points, labels and symbols that a function takes, by name."""
    return tuple(inspect.signature(function).parameters)


def measure(name: str, function: Function, values: Values) -> int | OfPoints:
    """The symbol `name`: what the function gives at `values`, which have the points; whole numbers stay exact.

    Raises `MeasurementError` for what is no finite real number.
    """
    what = f"the symbol {name} of the points"
    number = real_numbers(found := function(**{parameter: values[parameter] for parameter in asked(function)}), what)
    if number.size != 1 or not np.isfinite(number).all():
        raise MeasurementError(f"{what} is {found!r}; let its function return one finite number")
    if np.asarray(found).dtype.kind in "iu":
        return int(np.asarray(found).item())
    return OfPoints(number.item())

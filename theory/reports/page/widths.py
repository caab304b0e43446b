"""The least width that the own premises of each theorem ask for, from a table over a grid of sizes.

`theorem_widths.json` beside this module is written by `python -m theory.upkeep.theorem_widths`: a page is written in
seconds, and a plan takes longer.

Main definitions: `GRID`; `known`, what the table has; `between`, a width between the points of the grid.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("theorem_widths.json")

# Exponents of a premise are linear in the depth, and its logarithm in those of the others: few points are enough. Some
# claims look at the kernel of n points, so that n ends where such a matrix is quickly decomposed.
GRID: dict[str, tuple[float, ...]] = {
    "n": (10, 100, 1000),
    "phi": (0.5, 0.05, 0.005),
    "L": (2, 4, 8),
    "delta": (0.1, 0.001),
}


@cache
def known() -> dict[str, list[float | None]]:
    """For each theorem the powers of ten of its widths over the grid, of which the last size runs fastest.

    There is nothing in place of a width that the premises do not have, or that was not found.
    """
    found: dict[str, list[float | None]] = json.loads(FILE.read_text(encoding="utf-8"))["powers"]
    return found


def between(powers: Sequence[float | None], at: Mapping[str, float]) -> float | None:
    """The power of ten of a width between the points of the grid: linear in the depth and the logarithms of the rest.

    Beyond the grid the line through its last two points goes on. There is none where one of the corners has none.
    """
    total = 0.0
    shares = [_shares(name, at[name]) for name in GRID]
    for corner in itertools.product(*shares):
        weight, place = 1.0, 0
        for (index, share), values in zip(corner, GRID.values(), strict=True):
            weight, place = weight * share, place * len(values) + index
        if weight != 0.0:
            power = powers[place]
            if power is None:
                return None
            total += weight * power
    return total


def _shares(name: str, value: float) -> list[tuple[int, float]]:
    """The two points of the grid around a value, and how much each of them counts."""
    scale = [point if name == "L" else math.log(point) for point in GRID[name]]
    here = value if name == "L" else math.log(value)
    last = len(scale) - 1
    place = next((k for k in range(1, last) if (here - scale[k]) * (scale[k] - scale[0]) <= 0.0), last)
    share = (here - scale[place - 1]) / (scale[place] - scale[place - 1])
    return [(place - 1, 1.0 - share), (place, share)]

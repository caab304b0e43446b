"""The least width that the own premises of each theorem ask for, from a table over a grid of sizes.

`theorem_widths.json` beside this module is written by `python -m theory.upkeep.theorem_widths`: a page is written in
seconds, and a plan takes longer.

Main definitions: `GRID`; `Table` and `known`, what the table has of a theorem; `between`, a width between the points of
the grid, and `standing`, whether one is at a point, between points or beyond them.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("theorem_widths.json")

# How a width was found, in words.
COMPUTED, BETWEEN, BEYOND = "computed", "interpolated", "beyond the table"

# Exponents of a premise are linear in the depth, and its logarithm in those of the others: few points are enough.
GRID: dict[str, tuple[float, ...]] = {
    "n": (10, 100, 1000, 10_000, 1_000_000),
    "phi": (0.5, 0.05, 0.005),
    "L": (2, 4, 8),
    "delta": (0.1, 0.001),
    "outputs": (1, 10),
    "d": (10, 10_000),
}


@dataclass(frozen=True)
class Table:
    """Of a theorem the sizes that its width depends on, and the powers of ten over their grid, the last size fastest.

    There is nothing in place of a width that the premises do not have, or that was not found; `fails` says which of
    them fail there whatever the width, and at which sizes they would hold.
    """

    sizes: tuple[str, ...]
    powers: tuple[float | None, ...]
    fails: tuple[str, ...] = ()


@cache
def known() -> dict[str, Table]:
    """What the table has of each theorem."""
    found = json.loads(FILE.read_text(encoding="utf-8"))["theorems"]
    return {
        name: Table(tuple(entry["sizes"]), tuple(entry["powers"]), tuple(entry["fails"]))
        for name, entry in found.items()
    }


def condensed(powers: Sequence[float | None]) -> Table:
    """The table of powers over the whole grid without the sizes along which none of them changes."""
    values = dict(zip(itertools.product(*(range(len(points)) for points in GRID.values())), powers, strict=True))
    sizes = [
        name
        for k, name in enumerate(GRID)
        if any(power != values[(*place[:k], 0, *place[k + 1 :])] for place, power in values.items())
    ]
    kept = [
        power
        for place, power in values.items()
        if all(name in sizes or not at for name, at in zip(GRID, place, strict=True))
    ]
    return Table(tuple(sizes), tuple(kept))


def between(table: Table, at: Mapping[str, float]) -> float | None:
    """The power of ten of a width between the points of the grid: linear in the depth and the logarithms of the rest.

    Beyond the grid the line through its last two points goes on. There is none where no point around has one, and NaN
    where some have one and others do not: there the end of where the premises can be met lies between.
    """
    total, lacking, found = 0.0, False, False
    shares = [_shares(name, at[name]) for name in table.sizes]
    for corner in itertools.product(*shares):
        weight, place = 1.0, 0
        for (index, share), name in zip(corner, table.sizes, strict=True):
            weight, place = weight * share, place * len(GRID[name]) + index
        if weight != 0.0:
            power = table.powers[place]
            lacking, found = lacking or power is None, found or power is not None
            total += 0.0 if power is None else weight * power
    return total if not lacking else math.nan if found else None


def standing(table: Table, at: Mapping[str, float]) -> str:
    """Whether a width is one of the table, stands between its points, or beyond them, in the words of the page.

    Beyond the ends of the grid a width may change with a size along which it does not change between them.
    """
    if any(not min(points) <= at[name] <= max(points) for name, points in GRID.items()):
        return BEYOND
    return COMPUTED if all(at[name] in GRID[name] for name in table.sizes) else BETWEEN


def _shares(name: str, value: float) -> list[tuple[int, float]]:
    """The two points of the grid around a value, and how much each of them counts."""
    scale = [point if name == "L" else math.log(point) for point in GRID[name]]
    here = value if name == "L" else math.log(value)
    last = len(scale) - 1
    place = next((k for k in range(1, last) if (here - scale[k]) * (scale[k] - scale[0]) <= 0.0), last)
    share = (here - scale[place - 1]) / (scale[place] - scale[place - 1])
    return [(place - 1, 1.0 - share), (place, share)]

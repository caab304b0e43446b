"""How the worst ratio of a row grows with each size: a bound that is met at the sizes judged may fail beyond them.

Main definitions: `Trend`; `trends`, which reads the cells of a row.

The slope is that of a least-squares line through the logarithms of ratio and size, one line for every group of cells
that differ in this size alone, all with the same slope. The interval is the HC3 one of `theory.statistics`, at 95 %:
with three or four sizes it says how straight the line is, and no more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from theory.digits import near_one
from theory.results import CellResult
from theory.seeds import canonical
from theory.statistics import scaling_fit

METHOD = "least squares on logarithms, HC3, 95 %; few points"
LEVEL = 0.05

# So many sizes a group needs, and from this slope on a ratio is said to rise: below it doubles in 2**20 at most.
FEWEST = 3
LEAST_SLOPE = 0.05

# Beyond so many times the largest size judged, nobody asks where the ratio would cross 1.
FARTHEST = 1e6


@dataclass(frozen=True)
class Trend:
    """The slope of the worst ratio in a size, with its interval.

    `crosses` is where the ratio would pass 1 if it went on as at the end of the group that passes first, infinite where
    it rises in none. `sizes` and `ratios` are those of this group, or else of the one that ends highest.
    """

    slope: float
    interval: tuple[float, float]
    sizes: tuple[float, ...]
    ratios: tuple[float, ...]
    crosses: float

    @property
    def rises(self) -> bool:
        """Whether the ratio rises towards 1 over all sizes of a group, whatever it does in others."""
        return math.isfinite(self.crosses)

    def remark(self, name: str) -> str:
        """One sentence where the ratio rises, else empty."""
        if not self.rises:
            return ""
        shown = ", ".join(near_one(ratio, 3) for ratio in self.ratios)
        near = f"near {name} = {self.crosses:.2g}" if self.crosses <= FARTHEST * max(self.sizes) else "far beyond"
        return f"the ratio rises with {name} ({shown}); it would cross 1 {near}"


def trends(cells: Sequence[CellResult], derived: Mapping[str, Any]) -> dict[str, Trend]:
    """The trend in each size that takes three values or more in cells that agree in all others.

    `derived` are the symbols that are computed from others, and move with them.
    """
    found = {}
    for name in cells[0].at if cells else ():
        groups = _groups(cells, name, derived) if name not in derived else []
        if groups:
            found[name] = _trend(groups)
    return found


def _groups(cells: Sequence[CellResult], name: str, derived: Mapping[str, Any]) -> list[list[tuple[float, float]]]:
    """The pairs of size and ratio, by groups that differ in the size `name` alone, each in the order of sizes."""
    groups: dict[str, dict[float, float]] = {}
    for cell in cells:
        size = cell.at[name]
        if isinstance(size, str | bool) or not (0 < size < math.inf and 0.0 < cell.ratio < math.inf):
            continue
        rest = canonical({n: value for n, value in cell.at.items() if n != name and n not in derived})
        group = groups.setdefault(rest, {})
        group[float(size)] = max(cell.ratio, group.get(float(size), 0.0))
    return [sorted(group.items()) for group in groups.values() if len(group) >= FEWEST]


def _trend(groups: list[list[tuple[float, float]]]) -> Trend:
    sizes, ratios = np.array([pair for group in groups for pair in group]).T
    # An indicator of each group but the first, as a logarithm: every group has a line of its own.
    number = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    own = {f"group {k}": np.where(number == k, math.e, 1.0) for k in range(1, len(groups))}
    fit = scaling_fit({"size": sizes, **own}, ratios, LEVEL)
    told, crosses = max(groups, key=lambda group: group[-1][1]), math.inf
    for group in groups:
        if (crossing := _crossing(group)) < crosses:
            told, crosses = group, crossing
    return Trend(
        slope=fit.exponents["size"],
        interval=fit.intervals["size"],
        sizes=tuple(size for size, _ in told),
        ratios=tuple(ratio for _, ratio in told),
        crosses=crosses,
    )


def _crossing(group: list[tuple[float, float]]) -> float:
    """Where the ratio of one group would pass 1 if it went on as at its end; infinite where it does not rise."""
    sizes, ratios = np.log(group).T
    off = sizes - sizes.mean()
    slope = float(np.sum(off * ratios) / np.sum(off**2))
    if not all(first <= second for first, second in pairwise(ratios)) or slope < LEAST_SLOPE or ratios[-1] > 0.0:
        return math.inf
    end = max(slope, float((ratios[-1] - ratios[-2]) / (sizes[-1] - sizes[-2])))
    return group[-1][0] * math.exp(min(-float(ratios[-1]) / end, 600.0))

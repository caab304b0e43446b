"""What a row measured, as a figure: a dot for each measurement, beside its bound, and a histogram of the ratios.

Main definitions: `picture`; `write`, a file for each row that has one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from theory import figures
from theory.dots import Dot
from theory.figures import Curve, Figure, Panel
from theory.guard import SessionError
from theory.judge import Row
from theory.results import CellResult

# So many sizes are shown, those of the bound first.
MOST_SIZES = 3

# The bound is drawn, and premises are asked, at so many places, and so far beyond what was measured.
PLACES = 25
BEYOND = 2.0

BINS = 12

# A size beyond this one has no place on an axis of floats.
LARGEST = 1e300


def picture(row: Row) -> Figure | None:
    """The figure of a row, or nothing where it has measured nothing that can be drawn, as a proof has not.

    Each panel but the last is about one size that takes several values: what was measured, the bound beside every
    measurement, the bound along the size at the worst case, dashed, and where the premises hold, shaded. Where
    exponents were fitted, two lines have the claimed slope and the fitted one. The last panel is a histogram of the
    ratios.
    """
    cells = row.evidence.cells
    shown = [dot for dot in row.finding.dots if math.isfinite(dot.measured) and math.isfinite(dot.bound)]
    if not shown:
        return None
    panels = [_panel(row, name, shown) for name in _sizes(row, shown)[:MOST_SIZES]]
    panels += _histogram(row, shown)
    if not panels:
        return None
    inside = sum(cell.trials for cell in cells) or len(cells)
    caption = f"{row.claim.label}, {row.claim.paper}: {row.claim.title}. {row.verdict}, {inside} measurements"
    return Figure(caption, panels)


def _x(dot: Dot, cells: Sequence[CellResult], name: str) -> float | None:
    """The size of that name at a dot, if it is a positive number there."""
    return _size(dot.drawn.get(name, cells[dot.cell].at.get(name)))


class PlotError(SessionError):
    """Pictures that cannot be written; the message is one line."""


def write(directory: Path, rows: Sequence[Row]) -> int:
    """Write the picture of every row that has one to the folder, as PNG and as numbers, and say how many there are.

    Raises `PlotError` where the folder cannot be written.
    """
    drawn = {row.claim.id: picture(row) for row in rows}
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for identifier, figure in drawn.items():
            if figure is not None:
                file = directory / identifier.replace(":", "-").replace("/", "-")
                Path(f"{file}.png").write_bytes(figures.png(figure))
                Path(f"{file}.json").write_text(figures.numbers(figure), encoding="utf-8")
    except OSError as error:
        reason = error.strerror or error
        raise PlotError(f"--plot: {str(directory)!r}: {reason}; name a folder that can be written") from error
    return sum(figure is not None for figure in drawn.values())


def _size(value: Any) -> float | None:
    """The value as a number, if it is a positive one that a picture can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0.0 < value < LARGEST:
        return None
    return float(value)


def _sizes(row: Row, dots: Sequence[Dot]) -> list[str]:
    """The names of sizes that take several values, those of the bound first; derived ones last."""
    cells, bound = row.evidence.cells, row.bound.symbols
    names = dict.fromkeys(name for dot in dots for name in (*cells[dot.cell].at, *dot.drawn))
    several = [name for name in names if len({_x(dot, cells, name) for dot in dots} - {None}) > 1]
    return sorted(several, key=lambda name: (name in row.claim.regime.derived, name not in bound))


def _panel(row: Row, name: str, dots: Sequence[Dot]) -> Panel:
    cells = row.evidence.cells
    placed = [(x, dot) for dot in dots if (x := _x(dot, cells, name)) is not None]
    xs = [x for x, _ in placed]
    curves = [
        Curve("measured", xs, [dot.measured for _, dot in placed], dots=True),
        Curve("bound", xs, [dot.bound for _, dot in placed], dots=True, mark="_"),
    ]
    worst = row.worst
    at = None if worst is None else _size({**worst.at, **worst.worst}.get(name))
    if worst is not None and at is not None and math.isfinite(worst.measured):
        curves.append(Curve("worst case", [at], [worst.measured], dots=True, mark="x"))
    grid = _grid(row, name, xs)
    along, inside = _along(row, name, grid)
    if sum(map(math.isfinite, along)) > 1:
        curves.append(Curve("bound at the worst case", grid, along, dashed=True))
    curves += _slopes(row, name, placed)
    drawn = [y for curve in curves[:2] for y in curve.y]
    title = _title(row, name)
    return Panel(name, "measured", curves, title, True, min(drawn) > 0.0, _ranges(grid, inside))


def _grid(row: Row, name: str, xs: Sequence[float]) -> np.ndarray:
    """Places from half the smallest size to twice the largest; whole numbers where the size is one."""
    grid = np.geomspace(min(xs) / BEYOND, max(xs) * BEYOND, PLACES)
    domain = row.bound.domains.get(name)
    whole = domain.integer if domain is not None else all(x == round(x) for x in xs)
    return np.unique(np.maximum(1.0, grid.round())) if whole else grid


def _along(row: Row, name: str, grid: np.ndarray) -> tuple[list[float], list[bool]]:
    """The bound along a size at the worst case, NaN where it is not known, and whether the premises hold there."""
    worst = row.worst
    if worst is None:
        return [], []
    limits, inside = [], []
    for x in grid.tolist():
        values = _moved(row, worst, name, int(x) if x == round(x) else x)
        limits.append(_limit(row, values))
        decided = [p for p in row.claim.premises if name in p.symbols and set(p.symbols) <= set(values)]
        inside.append(bool(decided) and all(p.holds(values) for p in decided))
    return limits, inside


def _moved(row: Row, worst: CellResult, name: str, value: float) -> dict[str, Any]:
    """The worst case with another value of one size, and the derived symbols that follow."""
    regime = row.claim.regime
    drawn = {n: v for n, v in worst.worst.items() if n in regime.draw}
    given = {n: v for n, v in worst.at.items() if n not in regime.derived or n == name}
    try:
        cell = regime.complete(given, {name: value})
    except (ArithmeticError, ValueError, TypeError, KeyError):  # a cell that cannot be built
        return {}
    return {**drawn, **cell, name: value}


def _limit(row: Row, values: Mapping[str, Any]) -> float:
    known = {**row.evidence.details.get("constants", {}), **values}
    fitted, hidden = row.evidence.details.get("constant"), getattr(row.claim.evidence, "constant", None)
    known |= {hidden: fitted} if hidden is not None and fitted is not None else {}
    if not set(row.bound.symbols) <= set(known):
        return math.nan
    try:
        limit = np.asarray(row.bound.evaluate(known), float)
    except (ArithmeticError, ValueError, TypeError):  # outside the domain of the formula
        return math.nan
    return float(limit) if limit.ndim == 0 and np.isfinite(limit) else math.nan


def _ranges(grid: np.ndarray, inside: Sequence[bool]) -> list[tuple[float, float]]:
    """The ranges of the grid on which the premises hold."""
    found = []
    for holds, places in groupby(range(len(inside)), key=lambda k: inside[k]):
        if holds:
            numbers = list(places)
            found.append((float(grid[numbers[0]]), float(grid[numbers[-1]])))
    return found


def _slopes(row: Row, name: str, placed: Sequence[tuple[float, Dot]]) -> list[Curve]:
    """Lines with the claimed and the fitted exponent through the middle of what was measured."""
    entry = row.evidence.exponents.get(name)
    positive = [(x, dot.measured) for x, dot in placed if dot.measured > 0.0]
    if entry is None or not positive:
        return []
    xs, ys = np.log(np.array(positive).T)
    ends = np.array([xs.min(), xs.max()])
    lines = {"fitted": (entry["measured"], False), "claimed": (entry["claimed"], True)}
    return [
        Curve(f"{word} exponent", np.exp(ends), np.exp(ys.mean() + slope * (ends - xs.mean())), dashed=dashed)
        for word, (slope, dashed) in lines.items()
        if isinstance(slope, int | float) and math.isfinite(slope)
    ]


def _title(row: Row, name: str) -> str:
    """The exponent with its interval, or how the ratio moves."""
    if entry := row.evidence.exponents.get(name):
        low, high = entry["ci"]
        return f"{name}: exponent {entry['measured']:.3g} in [{low:.3g}, {high:.3g}], claimed {entry['claimed']:.3g}"
    if (trend := row.trends.get(name)) is not None and math.isfinite(trend.slope):
        return f"ratio like {name}^{trend.slope:.2g}"
    return ""


def _histogram(row: Row, dots: Sequence[Dot]) -> list[Panel]:
    """How many measurements came to each ratio, as an outline; 1 is the bound."""
    small = [(dot.bound, dot.measured) if row.claim.sense == ">=" else (dot.measured, dot.bound) for dot in dots]
    ratios = np.array([a / b for a, b in small if b > 0.0 and a > 0.0])
    if row.claim.sense == "=" or len(ratios) < 2:
        return []
    low, high = float(ratios.min()), max(float(ratios.max()), float(ratios.min()) * 1.01)
    counts, edges = np.histogram(ratios, bins=np.geomspace(low * 0.999, high * 1.001, BINS + 1))
    outline = Curve("measurements", np.repeat(edges, 2), [0, *np.repeat(counts, 2).tolist(), 0])
    bound = Curve("bound", [1.0, 1.0], [0.0, float(counts.max())], dashed=True)
    return [Panel("ratio to the bound", "measurements", [outline, bound], log_x=True)]

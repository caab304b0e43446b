"""What a row measured, as a figure: a dot for each measurement, beside its bound, and a histogram of the ratios.

Main definitions: `along`, what is known of a bound beyond what was measured, for the ledger; `picture`, the figure of a
row as the ledger has it; `quantity`, what it measured in a few words; `write`, a file for each row that has a figure.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

import numpy as np

from theory.claims.regime import Cell
from theory.claims.results import CellResult
from theory.core.guard import Failure, SessionError
from theory.core.values import Json, Values
from theory.core.verdict import PremiseStatus
from theory.judging.judge import Row
from theory.reports import figures
from theory.reports.figures import LARGEST, Curve, Figure, Panel

# So many sizes are shown, those of the bound first.
MOST_SIZES = 3

# The bound is followed, and premises are asked first, at so many places, and so far beyond what was measured.
PLACES = 13
BEYOND = 2.0

# An end of where the premises hold is known up to this share of itself.
EDGE = 1e-4

# The premises of a cell hold, whatever is said of its bound.
MET = (PremiseStatus.INSIDE, PremiseStatus.TRIVIAL, PremiseStatus.IDLE)

BINS = 10

# Letters of what stands along the upward axis, and where a sentence on it may end, but for a single word.
NAMED, LEAST = 56, 12
_CLAUSE = re.compile(r"[,;:] |\.(?= |$)")
_ARTICLE = re.compile(r"(?:The|A|An) ")


class PlotError(SessionError):
    """Pictures that cannot be written; the message is one line."""


@dataclass(frozen=True)
class Along:
    """The bound along one size at the worst case, NaN where it is not known, and where the premises hold.

    `inside` has closed intervals of the size, all else being as at the worst case. It is empty where the claim has no
    premise, and where one is about something that is not known there.
    """

    places: tuple[float, ...]
    bound: tuple[float, ...]
    inside: tuple[tuple[float, float], ...]


def along(row: Row) -> dict[str, Along]:
    """For each size to be shown: the bound along it.

    These are the positive numbers that take several values in what was measured, those of the bound first.
    """
    cells, bound = row.evidence.cells, row.bound.symbols
    known = [{**cells[dot.cell].at, **dot.drawn} for dot in row.finding.dots]
    names = dict.fromkeys(name for values in known for name in values)
    sizes = {name: sorted({x for v in known if (x := _size(v.get(name))) is not None}) for name in names}
    several = sorted(
        (name for name in names if len(sizes[name]) > 1),
        key=lambda name: (name in row.claim.regime.derived, name not in bound),
    )
    return {name: _along(row, name, sizes[name]) for name in several[:MOST_SIZES]}


def _size(value: object) -> float | None:
    """The value as a number, if it is a positive one that a picture can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        return None
    return float(value) if 1.0 / LARGEST < value < LARGEST else None


def _whole(row: Row, name: str, sizes: Sequence[float]) -> bool:
    """Whether the size takes whole numbers alone."""
    domain = row.bound.domains.get(name)
    return domain.integer if domain is not None else all(x == round(x) for x in sizes)


def _along(row: Row, name: str, sizes: Sequence[float]) -> Along:
    """The bound at places from half the smallest size to twice the largest."""
    worst = row.worst
    if worst is None:
        return Along((), (), ())
    places, whole = np.geomspace(sizes[0] / BEYOND, sizes[-1] * BEYOND, PLACES), _whole(row, name, sizes)
    grid: list[float] = (np.unique(np.maximum(1.0, places.round())) if whole else places).tolist()
    limits = [_limit(row, _moved(row, worst, name, x)) for x in grid]
    return Along(tuple(grid), tuple(limits), _inside(row, worst, name, grid, whole))


def _inside(
    row: Row, worst: CellResult, name: str, grid: Sequence[float], whole: bool
) -> tuple[tuple[float, float], ...]:
    """Where the premises hold along a size: its ends are found by bisection, so that none lies between two places."""
    premises = row.claim.premises
    known = {**worst.at, **worst.reported, **worst.worst}
    own = _size(known.get(name))
    if not premises or own is None or not all(set(p.symbols) <= known.keys() for p in premises):
        return ()

    @cache
    def holds(size: float) -> bool:
        if size == own:  # as it was judged, where a derived symbol may have been drawn
            return worst.premises in MET
        values = {**worst.reported, **_moved(row, worst, name, size)}
        try:
            return all(set(p.symbols) <= values.keys() and p.holds(values) for p in premises)
        except (ArithmeticError, ValueError):  # outside the domain of a premise
            return False

    places = sorted({*grid, own})
    runs = [list(group) for inside, group in groupby(places, key=holds) if inside]
    found = []
    for run in runs:
        low, high = places.index(run[0]), places.index(run[-1])
        start = _edge(holds, run[0], places[low - 1], whole) if low > 0 else run[0]
        end = _edge(holds, run[-1], places[high + 1], whole) if high + 1 < len(places) else run[-1]
        found.append((start, end))
    return tuple(found)


def _edge(holds: Callable[[float], bool], inside: float, outside: float, whole: bool) -> float:
    """The last size on the way from one at which the premises hold to one at which they do not."""
    while abs(outside - inside) > 1.0 if whole else not 1.0 - EDGE < outside / inside < 1.0 + EDGE:
        middle = float(round((inside + outside) / 2.0)) if whole else math.sqrt(inside) * math.sqrt(outside)
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside


def _moved(row: Row, worst: CellResult, name: str, value: float) -> Cell:
    """The worst case with another value of one size, and the derived symbols that follow; nothing if there is none."""
    regime = row.claim.regime
    value = int(value) if value == round(value) else value
    drawn = {n: v for n, v in worst.worst.items() if n in regime.draw}
    given = {n: v for n, v in worst.at.items() if n not in regime.derived or n == name}
    try:
        cell = regime.complete(given, {name: value})
    except (ArithmeticError, ValueError, TypeError, KeyError):  # a cell that cannot be built
        return {}
    return {**drawn, **cell, name: value}


def _limit(row: Row, values: Values) -> float:
    fitted, hidden = row.evidence.details.get("constant"), row.claim.evidence.constant
    known = {**values, **({hidden: fitted} if hidden is not None and fitted is not None else {})}
    if not set(row.bound.symbols) <= set(known):
        return math.nan
    try:
        limit = np.asarray(row.bound.evaluate(known), float)
    except (ArithmeticError, ValueError, TypeError):  # outside the domain of the formula
        return math.nan
    return float(limit) if limit.ndim == 0 and np.isfinite(limit) else math.nan


@dataclass(frozen=True)
class _Dot:
    """A measurement with its bound, all sizes that are known there, and whether it is the worst of its row."""

    measured: float
    bound: float
    sizes: Mapping[str, float]
    worst: bool


def picture(entry: Json) -> Figure | None:
    """The figure of a claim, from its entry in a ledger; nothing where no number was measured, as in a proof.

    Each panel but the last is about one size that takes several values: what was measured, the bound beside every
    measurement, the bound along the size at the worst case, dashed, and where the premises hold, shaded. Where
    exponents were fitted, two lines have the claimed slope and the fitted one. The last panel is a histogram of the
    ratios.
    """
    dots = _dots(entry)
    panels = [_panel(entry, name, dots) for name in entry["along"]] if dots else []
    panels += _histogram(entry, dots)
    if not panels:
        return None
    count = entry["evidence"]["trials"] or len(entry["cells"])
    head = f"{entry['label']}, {entry['paper']}: {entry['title']}"
    return Figure(f"{head}. {entry['verdict']}, {count} measurements", panels)


def _dots(entry: Json) -> list[_Dot]:
    """The dots whose numbers are finite."""
    found = []
    worst = next((k for k, cell in enumerate(entry["cells"]) if cell["ratio"] == entry["worst_ratio"]), None)
    for dot in entry["dots"]:
        measured, bound = float(dot["measured"]), float(dot["bound"])
        known = {**entry["cells"][dot["cell"]]["at"], **dot["drawn"]}
        sizes = {name: size for name, value in known.items() if (size := _size(value)) is not None}
        if math.isfinite(measured) and math.isfinite(bound):
            found.append(_Dot(measured, bound, sizes, dot["worst"] and dot["cell"] == worst))
    return found


def _panel(entry: Json, name: str, dots: Sequence[_Dot]) -> Panel:
    placed = [dot for dot in dots if name in dot.sizes]
    xs = [dot.sizes[name] for dot in placed]
    curves = [
        Curve("measured", xs, [dot.measured for dot in placed], dots=True),
        Curve("bound", xs, [dot.bound for dot in placed], dots=True, mark="_"),
    ]
    if worst := [dot for dot in placed if dot.worst]:
        curves.append(Curve("worst case", [worst[0].sizes[name]], [worst[0].measured], dots=True, mark="x"))
    line = entry["along"][name]
    limits = [float(limit) for limit in line["bound"]]
    if sum(map(math.isfinite, limits)) > 1:
        curves.append(Curve("bound at the worst case", line["places"], limits, dashed=True))
    curves += _slopes(entry, name, placed)
    positive = all(dot.measured > 0.0 and dot.bound > 0.0 for dot in placed)
    shaded = [(float(low), float(high)) for low, high in line["inside"]]
    return Panel(name, quantity(entry), curves, _title(entry, name), True, positive, shaded)


def quantity(entry: Json) -> str:
    """What a claim measured, for an axis: the first words of what its block says of it."""
    said = _ARTICLE.sub("", entry["measures"].strip().split("\n")[0], count=1)
    ends = [found.start() for found in _CLAUSE.finditer(said) if LEAST <= found.start() <= NAMED]
    if len(said) <= NAMED:
        return said.removesuffix(".") or "measured"
    return said[: ends[-1]] if ends else textwrap.shorten(said, NAMED, placeholder="\N{HORIZONTAL ELLIPSIS}")


def _ratio(entry: Json, dot: _Dot) -> float:
    """The measurement against its bound: 1 where it is attained, more where it is missed."""
    small, large = (dot.bound, dot.measured) if entry["sense"] == ">=" else (dot.measured, dot.bound)
    return small / large if large > 0.0 else math.inf if small > large else 0.0


def _slopes(entry: Json, name: str, placed: Sequence[_Dot]) -> list[Curve]:
    """Lines with the claimed and the fitted exponent through the middle of what was measured."""
    fitted = entry["evidence"]["exponents"].get(name)
    positive = [(dot.sizes[name], dot.measured) for dot in placed if dot.measured > 0.0]
    if fitted is None or not positive:
        return []
    xs, ys = np.log(np.array(positive).T)
    ends = np.array([xs.min(), xs.max()])
    slopes = {"fitted": (float(fitted["measured"]), False), "claimed": (float(fitted["claimed"]), True)}
    return [
        Curve(f"{word} exponent", np.exp(ends), np.exp(ys.mean() + slope * (ends - xs.mean())), dashed=dashed)
        for word, (slope, dashed) in slopes.items()
        if math.isfinite(slope)
    ]


def _title(entry: Json, name: str) -> str:
    """The exponent with its interval, or how the ratio moves."""
    if fitted := entry["evidence"]["exponents"].get(name):
        (low, high), measured, claimed = map(float, fitted["ci"]), float(fitted["measured"]), float(fitted["claimed"])
        return f"{name}^{measured:.3g} [{low:.2g}, {high:.2g}], claimed {claimed:.3g}"
    trend = entry["trend"].get(name)
    slope = float(trend["slope"]) if trend else math.nan
    return f"ratio like {name}^{slope:.2g}" if math.isfinite(slope) else ""


def _histogram(entry: Json, dots: Sequence[_Dot]) -> list[Panel]:
    """How many measurements came to each ratio, as an outline; 1 is the bound."""
    ratios = np.array([ratio for dot in dots if 0.0 < (ratio := _ratio(entry, dot)) < math.inf])
    if entry["sense"] == "=" or len(ratios) < 2:
        return []
    low, high = float(ratios.min()), max(float(ratios.max()), float(ratios.min()) * 1.01)
    counts, edges = np.histogram(ratios, bins=np.geomspace(low * 0.999, high * 1.001, BINS + 1))
    outline = Curve("measurements", np.repeat(edges, 2), [0, *np.repeat(counts, 2).tolist(), 0])
    bound = Curve("bound", [1.0, 1.0], [0.0, float(counts.max())], dashed=True)
    return [Panel("ratio to the bound", "measurements", [outline, bound], log_x=True)]


def write(directory: Path, entries: Sequence[Json]) -> tuple[int, list[str]]:
    """Write the picture of every entry of a ledger that has one, as PNG and as numbers.

    Returns how many there are, and a word on each that cannot be drawn. Raises `PlotError` where the folder cannot be
    written.
    """
    drawn, lost = 0, []
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for entry in entries:
            file = directory / entry["id"].replace(":", "-").replace("/", "-")
            try:
                figure = picture(entry)
                made = None if figure is None else (figures.png(figure), figures.numbers(figure))
            except Exception as error:
                lost.append(f"no picture of {entry['id']}: {Failure.of(error).reason}")
                continue
            if made is not None:
                Path(f"{file}.png").write_bytes(made[0])
                Path(f"{file}.json").write_text(made[1], encoding="utf-8")
                drawn += 1
    except OSError as error:
        reason = error.strerror or error
        raise PlotError(f"--plot: {str(directory)!r}: {reason}; name a folder that can be written") from error
    return drawn, lost

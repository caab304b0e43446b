"""Figures as vector graphics in a few hundred bytes each, so that a page holds a thousand of them.

matplotlib writes some 50 kB for such a figure, and a tenth of a second passes: `theory.reports.figures` has it for
files. Ticks are placed by matplotlib here as well.

Main definitions: `svg`.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from functools import cache
from itertools import groupby, pairwise

import numpy as np
from markupsafe import Markup

from theory.reports.figures import LARGEST, Curve, Figure, Panel

# Units of a panel, and what its axes leave for labels: left, right, top, bottom.
WIDTH, HEIGHT = 240, 150

# Points of the page that a panel is wide.
SHOWN = 294
LEFT, RIGHT, TOP, BOTTOM = 58, 8, 16, 30

# How much nearer to the one before it a panel stands that shares its upward axis.
SHARED = LEFT - 4

# A line may pass so many units beside a point that it leaves out.
BESIDE = 0.6

# What is shaded has a width, also where it is a single size.
THIN = 2

# Names at the ends of curves: units of a letter and between two lines, letters at most; and how many colours there are.
LETTER, LINE, LETTERS, COLOURS = 5, 10, 24, 6

# What a line along the upward axis may take, and how many letters it has at most.
TALL, ALONG = 140, 30

# So many ticks an axis has at most.
TICKS = 3

_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")

Place = Callable[[float], int]


def svg(figure: Figure, label: str = "", named: bool = False) -> Markup:
    """The figure for a page: axes, curves and marks have classes, and colours and places of labels come from its style.

    `label` is what a reader of the screen says of it, by default the caption. Where curves are `named`, each has a
    colour of its own, and its name stands at its end. Of panels in a row with one upward axis the first has its numbers
    and its name.
    """
    room = max((_room(panel) for panel in figure.panels), default=0) if named else 0
    rows, columns = figure.shape
    drawn, wide = Markup(""), 0
    for row in range(rows):
        right, before = 0, None
        for panel in figure.panels[columns * row : columns * (row + 1)]:
            axis = _upward(panel)
            shared = not named and axis is not None and axis == before
            right, before = right - SHARED * shared, axis
            drawn += _moved(_panel(panel, room, named, shared), right, HEIGHT * row)
            right += WIDTH + room
        wide = max(wide, right)
    whole = Markup('<svg viewBox="0 0 {} {}" width={} role=img aria-label="{}">{}</svg>')
    return whole.format(wide, HEIGHT * rows, round(SHOWN * wide / WIDTH), label or figure.caption, drawn)


def _moved(drawn: Markup, right: int, down: int) -> Markup:
    """A panel at its place in the figure."""
    if not (right or down):
        return drawn
    return Markup('<g transform="translate({})">{}</g>').format(f"{right} {down}" if down else right, drawn)


def _room(panel: Panel) -> int:
    """What the names at the ends of curves take."""
    return LETTER * min(LETTERS, max((len(curve.name) for curve in panel.curves), default=0))


def _upward(panel: Panel) -> tuple[object, ...] | None:
    """What the upward axis of a panel is; nothing where nothing stands at it."""
    if not any(_fits(x, panel.log_x) for curve in panel.curves for x in curve.x):
        return None
    ys = [y for curve in panel.curves for y in curve.y if _fits(y, panel.log_y)]
    return (panel.y_label, panel.log_y, *_ends(ys, panel.log_y)) if ys else None


def _panel(panel: Panel, room: int, named: bool, shared: bool) -> Markup:
    """A panel in units of its own: style sheets put what has one coordinate, or a class of its own, to its axis."""
    xs = [x for curve in panel.curves for x in curve.x if _fits(x, panel.log_x)]
    ys = [y for curve in panel.curves for y in curve.y if _fits(y, panel.log_y)]
    if not xs or not ys:
        return Markup("")
    x_ends, y_ends = _ends(xs, panel.log_x), _ends(ys, panel.log_y)
    right, low = WIDTH - RIGHT, HEIGHT - BOTTOM
    across = _place(x_ends, (LEFT, right), panel.log_x)
    up = _place(y_ends, (low, TOP), panel.log_y)
    parts = [
        Markup('<path class=in d="M{} {}V{}H{}V{}"/>').format(a, low, TOP, max(b, a + THIN), low)
        for a, b in ((across(max(a, x_ends[0])), across(min(b, x_ends[1]))) for a, b in panel.shaded)
    ]
    x_ticks, y_ticks = ticks(*x_ends, panel.log_x), ticks(*y_ends, panel.log_y)
    places = [across(tick) for tick, _ in x_ticks]
    marks = "".join(
        f"m{_pair(place - last, -3 * (k > 0))}v3" for k, (last, place) in enumerate(pairwise([right, *places]))
    )
    parts.append(Markup('<path class=ax d="M{} {}V{}H{}{}"/>').format(LEFT, TOP, low, right, marks))
    parts += [
        Markup("<text x={}>{}</text>").format(place, text) for place, (_, text) in zip(places, x_ticks, strict=True)
    ]
    parts.append(Markup("<text class=b>{}</text>").format(panel.x_label))
    if not shared:
        parts += [Markup("<text y={}>{}</text>").format(up(t) + 3, text) for t, text in y_ticks]
        parts += _along(panel.y_label)
    if panel.title:
        parts.append(Markup("<text class=t>{}</text>").format(panel.title))
    numbers = _colours(panel, named)
    parts += [_curve(curve, across, up, panel, of) for curve, of in zip(panel.curves, numbers, strict=True)]
    return Markup("").join([*parts, *(_names(panel, across, up, right, numbers) if room else [])])


def _along(label: str) -> list[Markup]:
    """What stands along the upward axis, in two lines where it is long."""
    lines = textwrap.wrap(label, max(ALONG, len(label) // 2 + LETTER))[:2] or [""]
    tight = Markup(" textLength={} lengthAdjust=spacingAndGlyphs").format(TALL)
    classes = ["y"] if len(lines) < 2 else ['"y u"', "y"]
    text = Markup("<text class={}{}>{}</text>")
    return [
        text.format(Markup(name), tight if len(line) > ALONG else "", line)
        for name, line in zip(classes, lines, strict=True)
    ]


def _colours(panel: Panel, named: bool) -> list[str]:
    """A class for each curve with a colour of its own: all where they are named, else bounds if there are several."""
    if named:
        return [f" c{k % COLOURS}" if len(panel.curves) > 1 else "" for k in range(len(panel.curves))]
    bounds = [k for k, curve in enumerate(panel.curves) if curve.dots and curve.mark == "_"]
    return [f" k{bounds.index(k)}" if k in bounds and len(bounds) > 1 else "" for k in range(len(panel.curves))]


def _names(panel: Panel, across: Place, up: Place, right: int, numbers: Sequence[str]) -> list[Markup]:
    """The name of every curve beside its last point, moved up or down where two would meet."""
    ends: list[tuple[int, str, str]] = []
    for curve, number in zip(panel.curves, numbers, strict=True):
        known = [
            (across(x), up(y))
            for x, y in zip(curve.x, curve.y, strict=True)
            if _fits(x, panel.log_x) and _fits(y, panel.log_y)
        ]
        if known:
            ends.append((max(known)[1], curve.name, number))
    ends.sort()
    heights = [float(height) for height, *_ in ends]
    for k in range(1, len(heights)):
        heights[k] = max(heights[k], heights[k - 1] + LINE)
    for k in reversed(range(len(heights))):
        heights[k] = min(heights[k], (heights[k + 1] if k + 1 < len(heights) else HEIGHT - BOTTOM + LINE) - LINE)
    text = Markup('<text class="l{}" x={} y={}>{}</text>')
    return [
        text.format(number, right + 5, round(height) + 3, name if len(name) <= LETTERS else name[: LETTERS - 1] + "…")
        for (_, name, number), height in zip(ends, heights, strict=True)
    ]


def _fits(value: float, log: bool) -> bool:
    """Whether a number has a place on an axis: a double with room on either side."""
    return abs(value) < LARGEST and (not log or value > 1.0 / LARGEST)


def _ends(values: Sequence[float], log: bool) -> tuple[float, float]:
    """The range of an axis: a little more than that of the values."""
    low, high = min(values), max(values)
    if log:
        room = max(math.exp(0.04 * (math.log(high) - math.log(low))), 1.02)
        return low / room, high * room
    room = 0.04 * (high - low) or 0.02 * abs(high) or 1.0
    return low - room, high + room


def _place(ends: tuple[float, float], units: tuple[int, int], log: bool) -> Place:
    low, high = map(math.log, ends) if log else ends

    def place(value: float) -> int:
        share = ((math.log(value) if log else value) - low) / (high - low)
        return round(units[0] + share * (units[1] - units[0]))

    return place


def _curve(curve: Curve, across: Place, up: Place, panel: Panel, number: str = "") -> Markup:
    """A line as one path, with a gap where it is not finite; dots as one path of marks, each place once."""
    drawn = [
        (across(x), up(y)) if _fits(x, panel.log_x) and _fits(y, panel.log_y) else None
        for x, y in zip(curve.x, curve.y, strict=True)
    ]
    if curve.dots:
        # In the order of places, so that the way from one to the next is short.
        known = sorted({point for point in drawn if point is not None})
        mark, back = {"o": ("z", (0, 0)), "_": ("h8", (-4, 0)), "x": ("l6 6m0-6l-6 6", (-3, -3))}[curve.mark]
        kind = {"o": "dots", "_": "lim", "x": "worst"}[curve.mark]
        end = {"o": (0, 0), "_": (8, 0), "x": (0, 6)}[curve.mark]
        path, pen = "", (0, 0)
        for x, y in known:
            start = (x + back[0], y + back[1])
            path += f"m{_pair(start[0] - pen[0], start[1] - pen[1])}{mark}"
            pen = (start[0] + end[0], start[1] + end[1])
    else:
        kind = "said" if curve.dashed else "line"
        path = _line(drawn)
    shown = Markup('"{}{}"').format(kind, number) if number else Markup(kind)
    return Markup('<path class={} d="{}"/>').format(shown, path) if path else Markup("")


def _line(drawn: Sequence[tuple[int, int] | None]) -> str:
    """A path through places, with a gap where there is none; a place on the way between two others adds nothing."""
    path = ""
    for known, run in groupby(drawn, key=lambda place: place is not None):
        if known:
            first, *others = _turns([place for place in run if place is not None])
            path += f"M{_pair(*first)}" + "".join(_step(*step) for step in pairwise([first, *others]))
    return path


def _turns(places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ends of a line and the places between at which it turns, by the method of Douglas and Peucker."""
    if len(places) < 3:
        return list(places)
    beside = [_beside(place, places[0], places[-1]) for place in places]
    farthest = max(range(len(places)), key=beside.__getitem__)
    if beside[farthest] <= BESIDE:
        return [places[0], places[-1]]
    return [*_turns(places[: farthest + 1])[:-1], *_turns(places[farthest:])]


def _beside(place: tuple[int, int], start: tuple[int, int], end: tuple[int, int]) -> float:
    """How far a place is from the straight way between two others."""
    (x, y), (a, b) = (place[0] - start[0], place[1] - start[1]), (end[0] - start[0], end[1] - start[1])
    along = min(1.0, max(0.0, (x * a + y * b) / (a * a + b * b))) if a or b else 0.0
    return math.hypot(x - along * a, y - along * b)


def _step(start: tuple[int, int], end: tuple[int, int]) -> str:
    x, y = end[0] - start[0], end[1] - start[1]
    return f"v{y}" if not x else f"h{x}" if not y else f"l{_pair(x, y)}"


def _pair(x: int, y: int) -> str:
    """Two numbers of a path; a sign parts them as well as a blank."""
    return f"{x}{y}" if y < 0 else f"{x} {y}"


@cache
def ticks(low: float, high: float, log: bool) -> list[tuple[float, str]]:
    """At most `TICKS` places on an axis and what is written there: powers of ten on a logarithmic one if two fit."""
    from matplotlib.ticker import MaxNLocator

    if log:
        first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
        if last > first:
            step = -(-(last - first + 1) // TICKS)
            return [(10.0**k, f"10{str(k).translate(_RAISED)}") for k in range(first, last + 1, step)]
        finer = [m * 10.0**k for k in range(first - 2, last + 2) for m in range(1, 10) if low <= m * 10.0**k <= high]
        if len(finer) > 1:
            return [(value, f"{value:.4g}") for value in finer[:: -(-len(finer) // TICKS)]]
    places = np.asarray(MaxNLocator(TICKS - 1).tick_values(low, high)).tolist()
    return [(value, f"{value:.4g}") for value in places if low <= value <= high and (value > 0.0 or not log)][:TICKS]

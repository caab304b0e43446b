"""Figures as vector graphics in a few hundred bytes each, so that a page holds a thousand of them.

matplotlib writes some 50 kB for such a figure, and a tenth of a second passes: `theory.reports.figures` has it for
files. Ticks are placed by matplotlib here as well.

Main definitions: `svg`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from markupsafe import Markup

from theory.reports.figures import LARGEST, Curve, Figure, Panel

# Units of a panel, and what its axes leave for labels: left, right, top, bottom.
WIDTH, HEIGHT = 230, 150

# Points of the page that a panel is wide.
SHOWN = 282
LEFT, RIGHT, TOP, BOTTOM = 48, 8, 16, 30

# What is shaded has a width, also where it is a single size.
THIN = 2

# Names at the ends of curves: units of a letter and between two lines, letters at most; and how many colours there are.
LETTER, LINE, LETTERS, COLOURS = 5, 10, 24, 6

# What a label along the upward axis may take.
TALL = 130

# So many ticks an axis has at most.
TICKS = 3

_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")

Place = Callable[[float], int]


def svg(figure: Figure, label: str = "", named: bool = False) -> Markup:
    """The figure for a page: axes, curves and marks have classes, and colours come from the style of the page.

    `label` is what a reader of the screen says of it, by default the caption. Where curves are `named`, each has a
    colour of its own, and its name stands at its end.
    """
    room = max((_room(panel) for panel in figure.panels), default=0) if named else 0
    wide, (rows, columns) = WIDTH + room, figure.shape
    panels = [_panel(panel, wide * (k % columns), room, named) for k, panel in enumerate(figure.panels)]
    lower = Markup('<g transform="translate(0 {})">{}</g>')
    lines = [Markup("").join(panels[columns * row : columns * (row + 1)]) for row in range(rows)]
    drawn = Markup("").join([*lines[:1], *(lower.format(HEIGHT * row, line) for row, line in enumerate(lines) if row)])
    box, shown = f"0 0 {wide * columns} {HEIGHT * rows}", round(SHOWN * wide * columns / WIDTH)
    whole = Markup('<svg viewBox="{}" width={} role=img aria-label="{}">{}</svg>')
    return whole.format(box, shown, label or figure.caption, drawn)


def _room(panel: Panel) -> int:
    """What the names at the ends of curves take."""
    return LETTER * min(LETTERS, max((len(curve.name) for curve in panel.curves), default=0))


def _panel(panel: Panel, left: int, room: int, named: bool) -> Markup:
    xs = [x for curve in panel.curves for x in curve.x if _fits(x, panel.log_x)]
    ys = [y for curve in panel.curves for y in curve.y if _fits(y, panel.log_y)]
    if not xs or not ys:
        return Markup("")
    x_ends, y_ends = _ends(xs, panel.log_x), _ends(ys, panel.log_y)
    across = _place(x_ends, (left + LEFT, left + WIDTH - RIGHT), panel.log_x)
    up = _place(y_ends, (HEIGHT - BOTTOM, TOP), panel.log_y)
    right, low = left + WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = [
        Markup('<path class=in d="M{} {}V{}H{}V{}"/>').format(a, low, TOP, max(b, a + THIN), low)
        for a, b in ((across(max(a, x_ends[0])), across(min(b, x_ends[1]))) for a, b in panel.shaded)
    ]
    x_ticks, y_ticks = ticks(*x_ends, panel.log_x), ticks(*y_ends, panel.log_y)
    frame = f"M{left + LEFT} {TOP}V{low}H{right}" + "".join(f"M{across(t)} {low}v3" for t, _ in x_ticks)
    parts.append(Markup('<path class=ax d="{}"/>').format(frame))
    parts += [Markup("<text x={} y={}>{}</text>").format(across(t), low + 12, text) for t, text in x_ticks]
    parts += [
        Markup("<text class=r x={} y={}>{}</text>").format(left + LEFT - 5, up(t) + 3, text) for t, text in y_ticks
    ]
    middle = (left + LEFT + right) // 2
    parts.append(Markup("<text x={} y={}>{}</text>").format(middle, HEIGHT - 5, panel.x_label))
    beside = Markup('<text transform="translate({} {})rotate(-90)"{}>{}</text>')
    tight = Markup(" textLength={} lengthAdjust=spacingAndGlyphs").format(TALL)
    squeezed = tight if len(panel.y_label) > TALL // LETTER else ""
    parts.append(beside.format(left + 9, (TOP + low) // 2, squeezed, panel.y_label))
    if panel.title:
        parts.append(Markup("<text x={} y={}>{}</text>").format(middle, 10, panel.title))
    numbers = _colours(panel, named)
    parts += [_curve(curve, across, up, panel, of) for curve, of in zip(panel.curves, numbers, strict=True)]
    return Markup("").join([*parts, *(_names(panel, across, up, right, numbers) if room else [])])


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
        mark, back = {"o": ("h0", (0, 0)), "_": ("h8", (-4, 0)), "x": ("l6 6m0-6l-6 6", (-3, -3))}[curve.mark]
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
    """A path through places, with a gap where there is none; a place on a level way between two adds nothing."""
    path, last = "", None
    for point, following in zip(drawn, [*drawn[1:], None], strict=True):
        if point is None:
            last = None
        elif last is None:
            path, last = path + f"M{_pair(*point)}", point
        elif following is None or not (
            last[1] == point[1] == following[1] and min(last[0], following[0]) <= point[0] <= max(last[0], following[0])
        ):
            path, last = path + f"l{_pair(point[0] - last[0], point[1] - last[1])}", point
    return path


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

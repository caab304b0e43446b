"""Figures of claims: curves with what their axes say, as numbers and as a picture.

Main definitions: `Curve`, `Panel` and `Figure`, which a claim's `figure` returns; `made`, which asks it for one; `png`,
`pdf` and `numbers`, the files of a figure. Nothing in them depends on time, place or the user's settings of matplotlib.
"""

from __future__ import annotations

import io
import json
import math
import textwrap
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy.typing as npt

from theory.claims.block import Claim
from theory.core import seeds
from theory.core.guard import Allowance, Failure
from theory.running.config import RunConfig
from theory.running.parallel import one_thread

# Inches of a panel, and letters of the caption that stand above one.
PANEL = (5.0, 3.8)
LETTERS = 62

# Letters along the upward axis of a panel.
UPWARD = 48


# Numbers beyond this one, or below its inverse on a logarithmic axis, have no place in a picture: there must be room
# beside them in doubles.
LARGEST = 1e250

# A round dot, a bar at a height, and a cross at what is to be looked at first.
MARKS = ("o", "_", "x")

# What a curve is given as; it keeps tuples of floats.
Numbers = Sequence[float] | npt.NDArray[Any]


class FigureError(ValueError):
    """A figure that cannot be drawn; the message names the curve or panel and what to change."""


@dataclass(frozen=True)
class Curve:
    """Points (x, y), joined by a line in their order, or dots; an entry that is not finite leaves a gap.

    `mark` is what a dot looks like, one of `MARKS`; a line that is `dashed` says what is claimed, not what is seen.
    Raises `FigureError` unless x and y are equally many numbers, and for another mark.
    """

    name: str
    x: Numbers
    y: Numbers
    dots: bool = False
    mark: str = "o"
    dashed: bool = False

    def __post_init__(self) -> None:
        for axis in ("x", "y"):
            try:
                object.__setattr__(self, axis, tuple(float(number) for number in getattr(self, axis)))
            except (TypeError, ValueError):
                raise FigureError(f"curve {self.name!r}: its {axis} are no numbers; give a sequence of them") from None
        if len(self.x) != len(self.y):
            raise FigureError(f"curve {self.name!r} has {len(self.x)} x and {len(self.y)} y; give as many of each")
        if self.mark not in MARKS:
            raise FigureError(f"curve {self.name!r}: its mark {self.mark!r} is none of {', '.join(MARKS)}")


@dataclass(frozen=True)
class Panel:
    """Axes with their labels and scales, the curves in them, and the ranges of x that are `shaded`."""

    x_label: str
    y_label: str
    curves: Sequence[Curve]
    title: str = ""
    log_x: bool = False
    log_y: bool = False
    shaded: Sequence[tuple[float, float]] = ()

    def __post_init__(self) -> None:
        if not self.curves:
            raise FigureError(f"the panel of {self.y_label!r} has no curve; give one")


@dataclass(frozen=True)
class Figure:
    """Panels, so many side by side as there are columns, by default all, and what they show."""

    caption: str
    panels: Sequence[Panel]
    columns: int = 0

    def __post_init__(self) -> None:
        if not self.panels or not self.caption.strip():
            raise FigureError("a figure has no panel or no caption; give both")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of panels."""
        columns = min(self.columns, len(self.panels)) if self.columns > 0 else len(self.panels)
        return -(-len(self.panels) // columns), columns


def made(claim: Claim, config: RunConfig) -> Figure | Failure | None:
    """The figure of the claim under these conditions, why there is none, or nothing where it declares none.

    Its generator is named by seed and claim, so that it is the same whatever else is run.
    """
    draw = claim.figure
    if draw is None:
        return None

    def work() -> Figure:
        found = draw(rng=seeds.generator(config.seed, claim.id, {}, 0), effort=config.effort)
        if not isinstance(found, Figure):
            raise FigureError(f"its figure is a {type(found).__name__}; return a lemmata.Figure")
        return found

    with one_thread():
        return Allowance(config.time_limit).attempt(work, draw)


def numbers(figure: Figure) -> str:
    """The figure as JSON: NaN and infinities, which JSON lacks, are null."""

    def plain(value: object) -> object:
        if isinstance(value, dict):
            return {name: plain(entry) for name, entry in value.items()}
        if isinstance(value, list | tuple):
            return [plain(entry) for entry in value]
        return None if isinstance(value, float) and not math.isfinite(value) else value

    return json.dumps(plain(asdict(figure)), indent=1, allow_nan=False) + "\n"


def png(figure: Figure) -> bytes:
    """The figure as a picture, the same for the same numbers and version of matplotlib."""
    return _drawn(figure, "png", {"Software": None})


def pdf(figure: Figure) -> bytes:
    """The figure as a page for a paper, the same for the same numbers and version of matplotlib."""
    return _drawn(figure, "pdf", {"Creator": None, "Producer": None, "CreationDate": None})


def _drawn(figure: Figure, kind: str, unsaid: dict[str, None]) -> bytes:
    """The figure as a file of that kind, without what would be noted beside the picture: program and time."""
    # Imported here: it takes a second, and few runs draw.
    from matplotlib import style
    from matplotlib.figure import Figure as Canvas

    # A letter that the font lacks is a box in the picture, and no error.
    with style.context("default"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows, columns = figure.shape
        canvas = Canvas(figsize=(PANEL[0] * columns, PANEL[1] * rows), layout="constrained")
        canvas.suptitle(textwrap.fill(figure.caption, LETTERS * columns), fontsize="small", parse_math=False)
        for place, panel in enumerate(figure.panels, start=1):
            axes = canvas.add_subplot(rows, columns, place)
            for curve in panel.curves:
                drawn_as = curve.mark if curve.dots else "--" if curve.dashed else "-"
                axes.plot(curve.x, curve.y, drawn_as, label=curve.name, markersize=4)
            for low, high in panel.shaded:
                axes.axvspan(low, high, color="0.92", zorder=0)
            axes.set_xscale("log" if panel.log_x else "linear")
            axes.set_yscale("log" if panel.log_y else "linear")
            axes.set_xlabel(panel.x_label, parse_math=False)
            axes.set_ylabel(textwrap.fill(panel.y_label, UPWARD), parse_math=False)
            axes.set_title(panel.title, fontsize="medium", parse_math=False)
            axes.legend(fontsize="small")
        drawn = io.BytesIO()
        canvas.savefig(drawn, format=kind, dpi=110, metadata=unsaid)
    return drawn.getvalue()

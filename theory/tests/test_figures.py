"""Figures of claims: what is refused, that their files depend on nothing but the numbers, and when they are drawn."""

from __future__ import annotations

import json
import math
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

from theory.core.guard import Failure
from theory.reports.figures import Curve, Figure, FigureError, Panel, made, numbers, png
from theory.running.config import RunConfig
from theory.tests.fakes import declared
from theory.tests.test_plugin import PLUGIN, environment
from theory.tests.test_registry import HEAD
from theory.tests.test_surface import IN_ONE_PROCESS

CURVE = Curve("slope $-1$", [1, 2, 3], np.array([1.0, 0.1, math.nan]))
FIGURE = Figure("Errors, 100 % of them", [Panel("step", "error", [CURVE, Curve("0", [1, 2], [1.0, 2.0], dots=True)])])


def size(picture: bytes) -> tuple[int, int]:
    """Width and height of a PNG file."""
    assert picture.startswith(b"\x89PNG")
    return struct.unpack(">II", picture[16:24])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Curve("c", [1.0, 2.0], [1.0]), "curve 'c' has 2 x and 1 y; give as many of each"),
        (lambda: Curve("c", np.array(["a"]), [1.0]), "curve 'c': its x are no numbers; give a sequence of them"),
        (lambda: Panel("x", "y", []), "the panel of 'y' has no curve; give one"),
        (lambda: Figure("", FIGURE.panels), "a figure has no panel or no caption; give both"),
        (lambda: Figure("c", []), "a figure has no panel or no caption; give both"),
    ],
)
def test_a_figure_that_shows_nothing_is_refused(make: Any, said: str) -> None:
    with pytest.raises(FigureError) as caught:
        make()
    assert str(caught.value) == said


def test_a_picture_depends_on_the_numbers_alone() -> None:
    picture = png(FIGURE)
    with mpl.rc_context({"lines.linewidth": 9.0, "font.size": 30.0, "savefig.dpi": 30}):
        assert png(FIGURE) == picture
    assert b"matplotlib" not in picture.lower()
    other = Figure(FIGURE.caption, [Panel("step", "error", [CURVE], log_y=True)])
    assert png(other) != picture
    wide, high = size(picture)
    assert size(png(Figure("two", [*FIGURE.panels] * 2))) == (2 * wide, high)
    assert size(png(Figure("three in two rows", [*FIGURE.panels] * 3, columns=2))) == (2 * wide, 2 * high)
    assert size(png(Figure("fewer than columns", FIGURE.panels, columns=2))) == (wide, high)


def test_numbers_are_json_with_null_for_what_json_lacks() -> None:
    found = json.loads(numbers(FIGURE))
    assert found["caption"] == FIGURE.caption
    (panel,) = found["panels"]
    assert (panel["x_label"], panel["log_y"]) == ("step", False)
    drawn = {"dots": False, "mark": "o", "dashed": False}
    assert panel["curves"][0] == {"name": "slope $-1$", "x": [1.0, 2.0, 3.0], "y": [1.0, 0.1, None], **drawn}


def drawn(rng: np.random.Generator, effort: str) -> Figure:
    count = 3 if effort == "quick" else 30
    return Figure("random", [Panel("x", "y", [Curve("c", range(count), rng.random(count))])])


def test_a_figure_is_made_by_seed_claim_and_effort() -> None:
    with declared(lambda m: 0.5, figure=drawn) as claim:
        first = made(claim, RunConfig(seed=1))
        assert first == made(claim, RunConfig(seed=1))
        assert first != made(claim, RunConfig(seed=2))
        thorough = made(claim, RunConfig(seed=1, effort="thorough"))
        assert isinstance(thorough, Figure)
        assert len(thorough.panels[0].curves[0].x) == 30
    with declared(lambda m: 0.5) as claim:
        assert made(claim, RunConfig()) is None


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        (lambda rng, effort: 1.0, "its figure is a float; return a lemmata.Figure"),
        (lambda rng, effort: 1 / 0, "division by zero"),
    ],
)
def test_a_figure_that_is_none_is_a_failure(figure: Any, said: str) -> None:
    with declared(lambda m: 0.5, figure=figure) as claim:
        found = made(claim, RunConfig())
    assert isinstance(found, Failure)
    assert said in found.reason


CLAIMS = (
    HEAD
    + """
from theory.reports.figures import Curve, Figure, Panel


def picture(rng, effort):
    with open("asked", "a") as file:
        file.write(effort + " ")
    return Figure("one curve", [Panel("x", "y", [Curve("c", [0, 1], rng.random(2))])])


def broken(rng, effort):
    return 1 / 0


@claim("toy:drawn", figure=picture, **COMMON)
def measured(m):
    return 0.5


@claim("toy:undrawn", figure=broken, **COMMON)
def measured_too(m):
    return 0.5
"""
)


def test_figures_are_drawn_once_with_a_ledger_and_not_without(tmp_path: Path) -> None:
    (tmp_path / "test_toy.py").write_text(CLAIMS)
    alone = ["test_toy.py", "--claim", "toy:drawn"]
    runs = [["test_toy.py"], [*alone, "--ledger=one"], [*alone, "--ledger=two"], ["test_toy.py", "--ledger=all"]]
    done = subprocess.run(
        [sys.executable, "-c", IN_ONE_PROCESS, json.dumps([[*PLUGIN, *run] for run in runs])],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    codes, outputs = zip(*json.loads(done.stdout.splitlines()[-1]), strict=True)
    assert codes == (0, 0, 0, 1)
    assert "toy:undrawn: its figure: ZeroDivisionError: division by zero" in outputs[3]
    assert (tmp_path / "asked").read_text() == "quick quick quick "
    for name in ("toy-drawn.png", "toy-drawn.json"):
        files = [(tmp_path / folder / "figures" / name).read_bytes() for folder in ("one", "two", "all")]
        assert files[0] == files[1] == files[2]
    assert len(list((tmp_path / "all" / "figures").iterdir())) == 2

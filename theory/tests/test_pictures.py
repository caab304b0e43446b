"""Pictures of rows: a panel for each size, the bound beside every measurement, and where the premises hold."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from theory.claims.regime import Regime, grid
from theory.evidence import Proof, Scaling, Search, Step
from theory.judging.judge import Row
from theory.reports import pictures
from theory.reports.figures import Curve, Figure, Panel
from theory.reports.ledger import Suite, to_json
from theory.reports.page.drawing import svg
from theory.reports.pictures import NAMED, PlotError, quantity, write
from theory.tests.fakes import FakeBound, FakePremise, chosen, formula, row

OF_M = formula(lambda m: 2.0 * m, "2*m")


def entry(found: Row) -> dict[str, Any]:
    claims: list[dict[str, Any]] = json.loads(json.dumps(to_json([found], Suite("0", "abc", "quick", 0))))["claims"]
    return claims[0]


def picture(found: Row) -> Figure | None:
    return pictures.picture(entry(found))


def curves(panel: Panel) -> dict[str, Curve]:
    return {curve.name: curve for curve in panel.curves}


def test_each_size_has_a_panel_with_the_bound_along_it() -> None:
    drawn = picture(row(lambda m, n: float(m), regime=Regime(cells=grid(m=[4, 8], n=[1, 3])), bound=OF_M))
    assert drawn is not None
    assert [panel.x_label for panel in drawn.panels] == ["m", "n", "ratio to the bound"]
    found = curves(drawn.panels[0])
    assert sorted(zip(found["measured"].x, found["measured"].y, strict=True)) == [(4, 4), (4, 4), (8, 8), (8, 8)]
    assert found["bound"].y == tuple(2.0 * x for x in found["bound"].x)
    line = found["bound at the worst case"]
    assert line.y == pytest.approx([2.0 * x for x in line.x], rel=1e-4)
    assert (min(line.x), max(line.x)) == (2, 16)
    assert drawn.panels[0].log_x
    assert drawn.panels[0].log_y


def test_where_the_premises_hold_is_shaded() -> None:
    regime, wide = Regime(cells=grid(m=[4, 8, 64])), FakePremise(lambda m: m >= 8, "m >= 8")
    drawn = picture(row(lambda m: float(m), regime=regime, bound=OF_M, premises=[wide]))
    assert drawn is not None
    assert drawn.panels[0].shaded == [(8.0, 128.0)]


def inside(found: Row, name: str) -> list[list[float]]:
    """Where the ledger says that the premises hold along a size."""
    shaded: list[list[float]] = entry(found)["along"][name]["inside"]
    return shaded


def test_ends_of_what_is_shaded_are_solved_for_and_the_worst_case_lies_between() -> None:
    narrow = [FakePremise(lambda x: x >= 0.3, "x >= 0.3"), FakePremise(lambda x: x <= 0.7, "x <= 0.7")]
    sampled = Regime(cells=[{}], draw={"x": st.floats(0.3, 0.7)}, pinned=[{"x": 0.3}, {"x": 0.7}])
    found = row(lambda x: x, regime=sampled, bound=formula(lambda x: 2.0, "2"), premises=narrow)
    ((low, high),) = inside(found, "x")
    assert (low, high) == (pytest.approx(0.3, rel=2e-4), pytest.approx(0.7, rel=2e-4))
    assert found.worst is not None
    assert low * (1.0 - 1e-4) <= float(found.worst.worst["x"]) <= high * (1.0 + 1e-4)


def test_a_single_size_between_the_places_is_shaded_and_so_is_each_of_two_ranges() -> None:
    alone = FakePremise(lambda m: m == 37, "m = 37")
    found = row(lambda m: float(m), regime=Regime(cells=grid(m=[37, 8, 1000])), bound=OF_M, premises=[alone])
    assert inside(found, "m") == [[37.0, 37.0]]
    apart = FakePremise(lambda m: m <= 10 or m >= 300, "m <= 10 or m >= 300")
    found = row(lambda m: float(m), regime=Regime(cells=grid(m=[8, 500])), bound=OF_M, premises=[apart])
    (first, second) = inside(found, "m")
    assert first == [4.0, pytest.approx(10.0, rel=2e-4)]
    assert second == [pytest.approx(300.0, rel=2e-4), 1000.0]


def test_premises_about_other_sizes_hold_all_along_and_without_any_nothing_is_shaded() -> None:
    regime = Regime(cells=grid(m=[4, 8], n=[2, 3]))
    deep = FakePremise(lambda n: n >= 3, "n >= 3")
    found = row(lambda m, n: float(m) * n, regime=regime, bound=formula(lambda m: 9.0 * m, "9*m"), premises=[deep])
    assert inside(found, "m") == [[2.0, 16.0]]
    assert inside(found, "n") == [[3.0, 6.0]]
    free = row(lambda m, n: float(m), regime=regime, bound=OF_M)
    assert inside(free, "m") == []


def test_a_size_that_takes_one_value_has_no_panel_and_a_proof_no_picture() -> None:
    drawn = picture(row(lambda m: 0.5, evidence=Search(examples=5)))
    assert drawn is None

    def steps(bound: Any, m: int) -> list[Step]:
        return [Step("first", True)]

    assert picture(row(steps, evidence=Proof())) is None


def test_fitted_and_claimed_exponents_are_lines_with_these_slopes() -> None:
    def width(rng: np.random.Generator, m: int) -> float:
        return m * math.exp(0.01 * float(rng.standard_normal()))

    bound = FakeBound(lambda m, C: C * m, "C*m", {"C": chosen(1.0)}, {"m": 1.0})
    regime = Regime(cells=grid(m=[64, 256]), calibration=grid(m=[4, 16]))
    drawn = picture(row(width, evidence=Scaling({"m": "equal"}, constant="C"), bound=bound, regime=regime))
    assert drawn is not None
    assert "claimed 1" in drawn.panels[0].title
    found = curves(drawn.panels[0])
    for name, slope in (("claimed exponent", 1.0), ("fitted exponent", 1.0)):
        (x, other), (y, last) = found[name].x, found[name].y
        assert math.log(last / y) / math.log(other / x) == pytest.approx(slope, abs=0.02)


def test_the_histogram_counts_every_measurement() -> None:
    drawn = picture(row(lambda m: float(m) ** 2, regime=Regime(cells=grid(m=[1, 2, 3, 4])), bound=OF_M))
    assert drawn is not None
    outline = curves(drawn.panels[-1])["measurements"]
    assert sum(outline.y) == 2 * 4


def test_a_bound_that_cannot_be_evaluated_along_a_size_leaves_a_gap() -> None:
    def pole(m: int) -> float:
        if m > 8:
            raise ValueError("undefined")
        return 2.0 * m

    drawn = picture(row(lambda m: float(m), regime=Regime(cells=grid(m=[2, 4, 8])), bound=formula(pole, "pole")))
    assert drawn is not None
    line = curves(drawn.panels[0])["bound at the worst case"]
    assert any(math.isnan(y) for y in line.y)
    assert any(math.isfinite(y) for y in line.y)


def test_files_are_written_for_rows_that_have_a_picture(tmp_path: Path) -> None:
    drawn = row(lambda m: float(m), regime=Regime(cells=grid(m=[4, 8])), bound=OF_M)
    assert write(tmp_path / "new", [entry(drawn), entry(row(lambda m: 0.5, statement="toy:other"))]) == (1, [])
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["toy-statement.json", "toy-statement.png"]
    (tmp_path / "file").touch()
    with pytest.raises(PlotError, match=r"^--plot: .*file.*: [^\n]+; name a folder that can be written$"):
        write(tmp_path / "file", [entry(drawn)])


def test_sizes_at_the_ends_of_floats_are_left_out() -> None:
    tiny = Regime(cells=grid(m=[4, 8]), draw={"x": st.sampled_from([5e-324, 0.5, 1.0])}, pinned=[{"x": 5e-324}])
    drawn = picture(row(lambda m, x: float(m) * x, regime=tiny, bound=OF_M))
    assert drawn is not None
    assert all(x > 1e-9 for panel in drawn.panels for curve in panel.curves for x in curve.x)
    huge = Regime(cells=[{"m": 10**300}, {"m": 4}, {"m": 8}])
    assert picture(row(lambda m: 1.0, regime=huge, bound=formula(lambda m: 2.0, "2"))) is not None


def test_a_picture_that_cannot_be_drawn_costs_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def of(statement: str) -> dict[str, Any]:
        regime = Regime(cells=grid(m=[4, 8]))
        return entry(row(lambda m: float(m), regime=regime, bound=OF_M, statement=statement))

    good, bad = of("toy:good"), {**of("toy:bad"), "along": None}
    drawn, lost = write(tmp_path, [bad, good])
    assert (drawn, len(lost)) == (1, 1)
    assert lost[0].startswith("no picture of toy:bad: ")
    assert (tmp_path / "toy-good.png").exists()


@pytest.mark.parametrize(
    ("measures", "said"),
    [
        ("The operator norm of W at its initialisation.", "operator norm of W at its initialisation"),
        (
            "A norm, the largest over all layers that were drawn in this trial.\nMore.",
            "norm, the largest over all layers that were drawn in…",
        ),
        (
            "The size of the step of all layers, which moves no gate of any sample here.",
            "size of the step of all layers",
        ),
        ("", "measured"),
    ],
)
def test_the_upward_axis_says_what_was_measured_in_few_words(measures: str, said: str) -> None:
    assert quantity({"measures": measures}) == said
    assert len(said) <= NAMED


def test_every_picture_names_its_quantity_in_one_line_or_two() -> None:
    for label, lines in (("a short one", 1), ("word " * 11, 2), ("W" * 40, 2)):
        drawn = svg(Figure("one", [Panel("m", label.strip(), [Curve("measured", [1.0, 2.0], [1.0, 2.0])])]))
        assert len(re.findall(r'<text class="?y', drawn)) == lines

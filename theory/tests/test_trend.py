"""The slope of the worst ratio in each size, and the remark where it rises towards 1."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from theory.case import RunConfig
from theory.claim import control
from theory.evidence import Search
from theory.regime import Regime, grid
from theory.report import story, summary
from theory.results import CellResult
from theory.tests.fakes import row
from theory.trend import trends
from theory.verdict import PremiseStatus, Verdict


def cell(ratio: float, **at: Any) -> CellResult:
    return CellResult(at, PremiseStatus.INSIDE, Verdict.HOLDS, ratio, 1.0, ratio, 1, 0, 0.0)


def test_the_slope_of_a_power_law_is_its_exponent() -> None:
    found = trends([cell(0.01 * n**0.5, n=n, m=8) for n in (4, 16, 64)], {})
    assert list(found) == ["n"]
    assert found["n"].slope == pytest.approx(0.5)
    assert found["n"].interval == pytest.approx((0.5, 0.5), abs=1e-6)
    assert (found["n"].sizes, found["n"].rises) == ((4.0, 16.0, 64.0), True)
    assert found["n"].crosses == pytest.approx(1e4)
    assert found["n"].remark("n") == "the ratio rises with n (0.02, 0.04, 0.08); it would cross 1 near n = 1e+04"


def test_the_end_of_a_curve_decides_where_it_would_cross() -> None:
    found = trends([cell(ratio, n=n) for n, ratio in ((2, 0.27), (3, 0.29), (4, 0.35))], {})["n"]
    assert found.rises
    assert 12.0 < found.crosses < 25.0
    assert found.interval[0] < found.slope < found.interval[1]


def test_groups_have_lines_of_their_own() -> None:
    cells = [cell(level * n**0.25, n=n, L=L) for L, level in ((1, 0.1), (2, 0.3)) for n in (2, 4, 8)]
    found = trends(cells, {})
    assert list(found) == ["n"]
    assert found["n"].slope == pytest.approx(0.25)
    assert found["n"].ratios[0] == pytest.approx(0.3 * 2**0.25)


def test_a_group_that_falls_does_not_hide_one_that_rises() -> None:
    falling = [cell(0.9 / n, n=n, L=2) for n in (1, 4, 16)]
    rising = [cell(0.02 * n**0.5, n=n, L=1) for n in (1, 4, 16)]
    found = trends([*falling, *rising], {})["n"]
    assert found.ratios == pytest.approx((0.02, 0.04, 0.08))
    assert found.remark("n") == "the ratio rises with n (0.02, 0.04, 0.08); it would cross 1 near n = 2.5e+03"
    assert not trends(falling, {})["n"].rises


def test_of_groups_that_rise_the_one_that_would_cross_first_is_told() -> None:
    slow = [cell(0.8 * n**0.06, n=n, L=1) for n in (2, 4, 8)]
    fast = [cell(0.05 * n, n=n, L=2) for n in (2, 4, 8)]
    found = trends([*slow, *fast], {})["n"]
    assert (found.ratios, found.crosses) == ((0.1, 0.2, 0.4), pytest.approx(20.0))


@pytest.mark.parametrize(
    "cells",
    [
        [cell(0.1, n=2), cell(0.2, n=4)],
        [cell(0.1 * n, n=n, m=n) for n in (2, 4, 8)],
        [cell(0.0, n=n) for n in (2, 4, 8)],
        [cell(0.1, n=2), cell(0.2, n=4), cell(math.nan, n=8)],
        [cell(0.1 * k, kind=name) for k, name in enumerate(("a", "b", "c"), 1)],
        [],
    ],
    ids=["two sizes", "two symbols move", "no ratio", "NaN", "names", "no cells"],
)
def test_where_there_is_no_trend(cells: list[CellResult]) -> None:
    assert trends(cells, {}) == {}


def test_a_derived_symbol_moves_with_its_size_and_has_no_trend() -> None:
    assert list(trends([cell(0.1 * n, n=n, N=n**2) for n in (2, 4, 8)], {"N": None})) == ["n"]


@pytest.mark.parametrize("ratios", [(0.3, 0.3, 0.3), (0.3, 0.2, 0.1), (0.2, 0.3, 0.25), (0.9, 0.905, 0.91)])
def test_what_does_not_rise_is_not_remarked(ratios: tuple[float, ...]) -> None:
    found = trends([cell(ratio, n=n) for ratio, n in zip(ratios, (2, 4, 8), strict=True)], {})["n"]
    assert (found.rises, found.remark("n")) == (False, "")


def least_squared_distance(n: int) -> float:
    """Of n points that are spread over half a circle: near (pi/n)**2."""
    angles = math.pi * np.arange(n) / n
    points = np.column_stack([np.cos(angles), np.sin(angles)])
    return float(np.sum((points[0] - points[1]) ** 2))


def test_a_bound_that_is_false_beyond_the_sizes_judged_is_remarked() -> None:
    """3/(5*n) is met at 2, 3 and 4 points, more and more closely, and false from 17 on."""
    block: dict[str, Any] = {
        "bound": "3/(5*n)",
        "sense": ">=",
        "evidence": Search(1),
        "controls": [control("ten times", bound="6/n")],
    }
    found = row(least_squared_distance, regime=Regime(cells=grid(n=[2, 3, 4])), **block)
    assert found.ok
    (remark,) = [text for text in found.remarks if "rises" in text]
    assert remark.startswith("the ratio rises with n (0.15, 0.2, 0.256); it would cross 1 near n = ")
    assert 12.0 < found.trends["n"].crosses < 24.0
    for n, verdict in ((16, Verdict.HOLDS), (17, Verdict.REFUTED)):
        assert (
            row(least_squared_distance, RunConfig(at={"n": n}), regime=Regime(cells=grid(n=2)), **block).verdict
            is verdict
        )
    assert f"remark     {remark}" in story(found)
    assert "the worst ratio rises with a size in 1 rows" in summary([found])

"""The slope of the worst ratio in each size, and the remark where it rises towards 1."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest

from theory.claims import control
from theory.claims.regime import Regime, grid
from theory.claims.results import NO_PART, PARTS, CellResult, parts
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence import Search
from theory.judging.trend import Point, _crossing, trends
from theory.reports.report import story, summary
from theory.running.config import RunConfig
from theory.tests.fakes import FakePremise, row


def cell(ratio: float, **at: Any) -> CellResult:
    return CellResult(at, PremiseStatus.INSIDE, Verdict.HOLDS, ratio, 1.0, ratio, 1, 0, 0.0)


def test_the_slope_of_a_power_law_is_its_exponent() -> None:
    found = trends([cell(0.04 * n**0.5, n=n, m=8) for n in (4, 16, 64)], {})
    assert list(found) == ["n"]
    assert found["n"].slope == pytest.approx(0.5)
    assert found["n"].interval == pytest.approx((0.5, 0.5), abs=1e-6)
    assert (found["n"].sizes, found["n"].rises) == ((4.0, 16.0, 64.0), True)
    assert found["n"].crosses == pytest.approx(625.0)
    assert (
        found["n"].remark("n")
        == "the ratio rises with n (0.08, 0.16, 0.32), up to n = 64; it would cross 1 near n = 6.2e+02"
    )


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
    rising = [cell(0.05 * n**0.5, n=n, L=1) for n in (1, 4, 16)]
    found = trends([*falling, *rising], {})["n"]
    assert found.ratios == pytest.approx((0.05, 0.1, 0.2))
    assert found.remark("n") == "the ratio rises with n (0.05, 0.1, 0.2), up to n = 16; it would cross 1 near n = 4e+02"
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
        [cell(0.1, n=2, m=8), cell(0.2, n=4, m=2)],
        [cell(0.0, n=n) for n in (2, 4, 8)],
        [cell(0.1, n=2), cell(0.2, n=4), cell(math.nan, n=8)],
        [cell(0.1 * k, kind=name) for k, name in enumerate(("a", "b", "c"), 1)],
        [],
    ],
    ids=["two sizes", "two symbols move to two sizes", "no ratio", "NaN", "names", "no cells"],
)
def test_where_there_is_no_trend(cells: list[CellResult]) -> None:
    assert trends(cells, {}) == {}


def test_a_derived_symbol_moves_with_its_size_and_has_no_trend() -> None:
    assert list(trends([cell(0.1 * n, n=n, N=n**2) for n in (2, 4, 8)], {"N": None})) == ["n"]


@pytest.mark.parametrize("ratios", [(0.3, 0.3, 0.3), (0.3, 0.2, 0.1), (0.2, 0.3, 0.25), (0.9, 0.905, 0.91)])
def test_what_does_not_rise_is_not_remarked(ratios: tuple[float, ...]) -> None:
    found = trends([cell(ratio, n=n) for ratio, n in zip(ratios, (2, 4, 8), strict=True)], {})["n"]
    assert (found.rises, found.remark("n")) == (False, "")


def test_sizes_that_move_together_are_told_once_by_all_their_names() -> None:
    """The first of them has the trend; where it would cross 1 if it moved alone, nobody has seen."""
    found = trends([cell(0.05 * n, n=n, m=n**2, L=3) for n in (2, 4, 8)], {})
    assert list(found) == ["n"]
    assert (found["n"].along, found["n"].slope) == (("m",), pytest.approx(1.0))
    assert (found["n"].rises, found["n"].crossing) == (True, math.inf)
    assert found["n"].remark("n") == "the ratio rises with n, along which m moves (0.1, 0.2, 0.4), up to n = 8"


def test_a_path_takes_the_worst_cell_at_each_size() -> None:
    cells = [cell(0.7, m=1, L=1), cell(0.72, m=1, L=2), cell(0.85, m=2, L=6), cell(0.5, m=2, L=3), cell(0.95, m=3, L=1)]
    found = trends(cells, {})
    assert found["m"].ratios == (0.72, 0.85, 0.95)
    assert found["m"].remark("m").startswith("the ratio rises with m, along which L moves (0.72, 0.85, 0.95)")
    assert not any(trend.rises for name, trend in found.items() if name != "m")


def test_a_path_stays_with_one_name_and_leaves_out_what_is_derived() -> None:
    names = [cell(0.1 * n, n=n, m=n, loss=loss) for n, loss in ((2, "a"), (4, "b"), (8, "c"))]
    assert trends(names, {}) == {}
    (trend,) = trends([cell(0.1 * n, n=n, m=n, N=n**2, loss="a") for n in (2, 4, 8)], {"N": None}).values()
    assert trend.along == ("m",)


def test_a_path_along_which_a_depth_falls_to_one_layer_ends_there() -> None:
    """A bound with too high a power of the depth: what falls makes the ratio rise, and one layer is the least."""
    cells = [
        cell(0.6 * L**-0.7, omega=omega, L=L, m=m) for omega, L, m in ((0.03, 1, 64), (0.01, 2, 32), (0.002, 4, 32))
    ]
    found = trends(cells, {})["omega"]
    assert found.slope > 0.3
    assert (found.along, found.rises, found.remark("omega")) == (("L", "m"), False, "")
    deeper = [replace(c, at={**c.at, "L": 2 * c.at["L"]}) for c in cells]
    assert trends(deeper, {})["omega"].rises


def test_a_size_that_moves_alone_somewhere_needs_no_path() -> None:
    alone = [cell(0.9 / n, n=n, m=4) for n in (2, 4, 8)]
    assert not trends([*alone, cell(0.95, n=16, m=8)], {})["n"].along


def test_a_slope_that_falls_is_taken_to_fall_on() -> None:
    """exp(-30/n) rises by ever less and has a limit below 1, which a power of n passes soon."""
    sizes = (4, 6, 10)
    found = trends([cell(0.2 * math.exp(-30.0 / n), n=n) for n in sizes], {})["n"]
    assert (found.rises, found.crosses < 100.0, found.crossing) == (True, True, math.inf)
    assert found.remark("n").endswith(", up to n = 10")
    steep = trends([cell(0.002 * n**2 * (1.0 - 0.01 * math.log(n)), n=n) for n in sizes], {})["n"]
    assert steep.crossing == steep.crosses < 40.0


def drawn(ratios: tuple[float, ...], **at: Any) -> CellResult:
    """A cell whose ratio is the worst of draws, with the worst of every part."""
    return replace(cell(max(ratios), **at), parts=ratios)


@pytest.mark.parametrize("beside", [{}, {"m": 1}], ids=["alone", "on a path"])
@pytest.mark.parametrize(
    ("middle", "rises"),
    [((0.2, 0.19, 0.21), True), ((0.2, 0.05, 0.21), False), ((0.2, NO_PART, 0.21), False)],
    ids=["all parts rise", "one part does not", "one part is empty"],
)
def test_a_ratio_of_draws_rises_only_where_all_its_parts_do(
    middle: tuple[float, ...], rises: bool, beside: dict[str, int]
) -> None:
    cells = [drawn((0.1, 0.08, 0.09), n=2), drawn(middle, n=4), drawn((0.4, 0.39, 0.41), n=8)]
    cells = [replace(c, at={**c.at, **{name: k * c.at["n"] for name, k in beside.items()}}) for c in cells]
    assert trends(cells, {})["n"].rises is rises


def test_noise_is_not_remarked() -> None:
    """Worst ratios of one law at all sizes: of 10**4 rows one in 1680 rises in all parts, and at most that crosses."""
    rng = np.random.default_rng(0)
    rows = 10**4

    def rises() -> bool:
        draws = rng.uniform(0.05, 0.9, (3, PARTS, 4)).max(axis=2)
        points = [Point(n, p.max(), p.min(), p.max()) for n, p in zip((2.0, 4.0, 8.0), draws, strict=True)]
        return math.isfinite(_crossing(points))

    found = sum(rises() for _ in range(rows))
    assert found <= 20  # more than 20 where 5.95 are expected come once in 10**5 times
    sorted_by_chance = sum(bool((np.diff(rng.uniform(size=3)) > 0).all()) for _ in range(600))
    assert sorted_by_chance > 60


def test_the_last_bits_of_a_ratio_make_no_remark_come_or_go() -> None:
    for bit in (-1e-15, 0.0, 1e-15):
        assert trends([cell(r, n=n) for n, r in ((2, 0.2), (4, 0.4), (8, 0.4 + bit))], {})["n"].rises
        assert not trends([cell(r, n=n) for n, r in ((2, 0.4), (4, 0.4), (8, 0.4 + bit))], {})["n"].rises


def test_of_a_size_that_alone_determines_the_slope_no_interval_is_known() -> None:
    found = trends([cell(0.1, n=1.0), cell(0.1, n=1.0 + 1e-9), cell(0.2, n=1e6)], {})["n"]
    assert math.isnan(found.slope)
    assert found.interval == (-math.inf, math.inf)


def test_parts_are_thirds_by_number() -> None:
    assert parts([(0, 0.1), (1, 0.2), (3, 0.4), (4, math.nan), (6, 0.3)]) == (0.4, 0.2, NO_PART)


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
    assert remark.startswith(
        "the ratio rises with n to 0.493 at n = 8, as far as it was followed; it would cross 1 near n"
    )
    assert 12.0 < found.trends["n"].crosses < 24.0
    for n, verdict in ((16, Verdict.HOLDS), (17, Verdict.REFUTED)):
        assert (
            row(least_squared_distance, RunConfig(at={"n": n}), regime=Regime(cells=grid(n=2)), **block).verdict
            is verdict
        )
    assert f"remark     {remark}" in story(found)
    said = "the worst ratio rises with a size and may pass 1 in 1 rows; 0 trends saturate, 1 were followed"
    assert f"{said} beyond the sizes of the row" in summary([found])


def least_eigenvalue(phi: float, n: int, m: int) -> float:
    """What shrinks as 1/n**2, whatever the width."""
    return 4.0 * phi / n**2


FALSE_BEYOND_16: dict[str, Any] = {
    "bound": "phi/(4*n)",
    "sense": ">=",
    "controls": [control("a hundred times", bound="25*phi/n")],
}


def test_a_bound_that_is_false_beyond_the_sizes_judged_is_remarked_where_the_width_moves_too() -> None:
    cells = [{"n": n, "m": m, "phi": 1.0} for n, m in ((2, 64), (3, 256), (4, 128))]
    found = row(least_eigenvalue, evidence=Search(1), regime=Regime(cells=cells), **FALSE_BEYOND_16)
    assert found.ok
    (remark,) = [text for text in found.remarks if "rises" in text]
    told = "the ratio rises with n, along which m moves to 0.5 at n = 8, as far as it was followed"
    assert remark == f"{told}; it would cross 1 near n = 16"


def test_a_bound_that_is_false_beyond_the_numbers_drawn_is_remarked() -> None:
    regime = Regime(cells=grid(m=[64, 128], phi=[1.0]), draw={"n": st.integers(2, 5)})
    found = row(least_eigenvalue, evidence=Search(60), regime=regime, **FALSE_BEYOND_16)
    assert found.ok
    (remark,) = [text for text in found.remarks if "rises" in text]
    assert remark.startswith(
        "the ratio rises with the drawn n (0.125, 0.188, 0.25, 0.312), up to n = 5; it would cross 1 near n = "
    )
    assert 14.0 < found.trends["n"].crosses < 18.0
    assert found.trends["n"].drawn


def test_many_drawn_numbers_are_taken_in_ranges_of_as_many_draws() -> None:
    regime = Regime(cells=grid(m=[64], n=[2]), draw={"phi": st.floats(0.01, 1.0)})

    def falling(phi: float, n: int, m: int) -> float:
        return 0.9 / phi**0.5

    found = row(falling, evidence=Search(200), regime=regime, bound="1/phi", controls=[control("a", bound="0.01/phi")])
    trend = found.trends["phi"]
    assert len(trend.sizes) == 4
    assert trend.slope == pytest.approx(0.5, abs=0.1)


def test_a_crossing_that_the_statement_excludes_is_not_remarked() -> None:
    def half(alpha: int, n: int) -> float:
        return 0.05 * alpha

    block: dict[str, Any] = {"evidence": Search(60), "bound": "1", "controls": [control("a tenth", bound="1/100")]}
    regime = Regime(cells=grid(n=[2]), draw={"alpha": st.integers(3, 8)})
    free = row(half, regime=regime, **block)
    assert free.trends["alpha"].crosses == pytest.approx(20.0, rel=0.2)
    premise = FakePremise(lambda alpha: alpha <= 10, "alpha <= 10")
    kept = row(half, regime=regime, premises=[premise], **block)
    assert kept.trends["alpha"].slope == free.trends["alpha"].slope
    assert not kept.trends["alpha"].rises


def test_a_real_number_does_not_cross_beyond_the_range_that_it_is_drawn_from() -> None:
    def half(alpha: float, n: int) -> float:
        return 0.5 * alpha

    regime = Regime(cells=grid(n=[2]), draw={"alpha": st.floats(0.25, 1.0)})
    found = row(half, regime=regime, evidence=Search(60), bound="1", controls=[control("a tenth", bound="1/10")])
    assert found.trends["alpha"].slope == pytest.approx(1.0)
    assert (found.trends["alpha"].rises, found.remarks) == (False, [])


@pytest.mark.parametrize("sizes", [(1, 2, 3), (2, 4, 8), (12, 16, 20), (1, 4, 16, 64)])
def test_a_ratio_that_approaches_1_saturates_and_crosses_nowhere(sizes: tuple[int, ...]) -> None:
    found = trends([cell(n / (n + 1), n=n) for n in sizes], {})["n"]
    assert found.saturation is not None
    assert found.saturation.gap == pytest.approx(0.0, abs=0.01)
    assert 0.5 < found.saturation.power < 1.5
    assert (found.crosses, found.rises, found.remark("n")) == (math.inf, False, "")


def test_a_limit_below_1_is_found_on_four_sizes() -> None:
    """On three it cannot be told from a power; up to 64 none of these ratios comes near 1."""
    found = trends([cell(0.6 - 0.4 / n, n=n) for n in (1, 4, 16, 64)], {})["n"]
    assert found.saturation is not None
    assert found.saturation.gap == pytest.approx(0.4, abs=0.01)
    assert found.saturation.power == pytest.approx(1.0, abs=0.1)
    assert found.crosses == math.inf


@pytest.mark.parametrize("power", [0.1, 0.5, 2.0])
@pytest.mark.parametrize("last", [0.1, 0.6, 0.99])
def test_a_power_law_does_not_saturate(power: float, last: float) -> None:
    found = trends([cell(last * (n / 16) ** power, n=n) for n in (2, 4, 8, 16)], {})["n"]
    assert found.saturation is None
    expected = 16.0 * last ** (-1.0 / power)
    assert found.crosses == pytest.approx(expected if expected <= 1600.0 else math.inf)


def test_beyond_a_hundred_times_the_largest_size_there_is_no_crossing() -> None:
    crosses = [trends([cell(low * n, n=n) for n in (2, 4, 8)], {})["n"].crosses for low in (1 / 790, 1 / 810)]
    assert crosses == [pytest.approx(790.0), math.inf]


def test_a_drawn_number_that_makes_no_difference_has_no_remark() -> None:
    def noise(rng: np.random.Generator, phi: float, n: int) -> float:
        return float(rng.uniform(0.0, 0.9))

    regime = Regime(cells=grid(m=[64, 128]), draw={"n": st.integers(1, 1000), "phi": st.floats(0.01, 1.0)})
    found = row(noise, evidence=Search(60), regime=regime, bound="1", controls=[control("half", bound="1/2")])
    assert {trend.drawn for trend in found.trends.values()} == {True}
    assert not [text for text in found.remarks if "rises" in text]

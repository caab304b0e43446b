"""Bets on means: false alarms at the edge, draws until a wrong bound falls, and budgets that suffice."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy

from theory.core.means import (
    Above,
    BelowCeiling,
    BelowRatio,
    Bet,
    FloatArray,
    Law,
    Wealth,
    largest_wealth,
    lower_mean,
    upper_mean,
)

# So many runs at the edge, each looked at after every draw.
RUNS, DRAWS, ALPHA = 20_000, 128, 0.01

Draw = Callable[[np.random.Generator, tuple[int, int]], Any]

# Laws with the mean 1, the largest number and the second moment of each.
LAWS: dict[str, tuple[Draw, float, float]] = {
    "exponential": (lambda rng, shape: rng.exponential(size=shape), math.inf, 2.0),
    "0 or 10": (lambda rng, shape: 10.0 * (rng.random(shape) < 0.1), 10.0, 10.0),
    "between 0 and 2": (lambda rng, shape: 2.0 * rng.random(shape), 2.0, 4.0 / 3.0),
    "heavy, like 32 layers of 64": (
        lambda rng, shape: np.exp(1.5 * rng.standard_normal(shape) - 1.125),
        math.inf,
        math.exp(2.25),
    ),
}


def ones(number: int, value: float = 1.0) -> FloatArray:
    return np.full(number, value)


def bets() -> list[tuple[str, Draw, Bet]]:
    """Every law at its edge with every bet that there is for it."""
    found: list[tuple[str, Draw, Bet]] = []
    for name, (draw, ceiling, ratio) in LAWS.items():
        found.append((f"{name}, above", draw, Above(ones(RUNS))))
        found.append((f"{name}, second moment", draw, BelowRatio(ones(RUNS), ones(RUNS, ratio))))
        if math.isfinite(ceiling):
            found.append((f"{name}, ceiling", draw, BelowCeiling(ones(RUNS), ones(RUNS, ceiling))))
    return found


@pytest.mark.parametrize(("draw", "bet"), [case[1:] for case in bets()], ids=[case[0] for case in bets()])
def test_a_mean_at_its_bound_is_refuted_no_more_often_than_its_share(draw: Draw, bet: Bet) -> None:
    wealth, rng = Wealth(bet, -math.log(ALPHA)), np.random.default_rng(1)
    for _ in range(0, DRAWS, 32):
        wealth.take(draw(rng, (32, RUNS)))
    alarms = int(np.isfinite(wealth.reached).sum())
    assert alarms <= int(scipy.stats.binom.isf(1e-6, RUNS, ALPHA))
    # Where little is known of a law, as of a heavy tail, there may be none.
    assert alarms > 0 or isinstance(bet, BelowRatio)


class TestPower:
    """Medians over many runs of the draws until a bound falls that is this share of the mean, at a level of 1e-9."""

    @pytest.mark.parametrize(("share", "most"), [(0.95, 20_000), (0.9, 5_000), (0.8, 1_100), (0.5, 110)])
    def test_of_an_exponential_law(self, share: float, most: int) -> None:
        assert self.median(LAWS["exponential"][0], Above(ones(15, share)), most) <= most

    @pytest.mark.parametrize(("share", "most"), [(0.95, 20_000), (0.9, 5_000), (0.8, 1_100), (0.5, 200)])
    def test_of_bounds_from_below(self, share: float, most: int) -> None:
        bounds = ones(15, 1.0 / share)
        assert self.median(LAWS["between 0 and 2"][0], BelowCeiling(bounds, ones(15, 2.0)), most) <= most
        assert self.median(LAWS["exponential"][0], BelowRatio(bounds, ones(15, 2.0)), 2 * most) <= 2 * most

    def test_a_heavy_tail_takes_longer(self) -> None:
        heavy = self.median(LAWS["heavy, like 32 layers of 64"][0], Above(ones(15, 0.5)), 4_000)
        assert 110 < heavy <= 4_000

    @staticmethod
    def median(draw: Draw, bet: Bet, most: int) -> float:
        wealth = Wealth(bet, -math.log(1e-9))
        wealth.take(draw(np.random.default_rng(2), (2 * most, bet.bounds.size)))
        return float(np.median(wealth.reached))


class TestBudget:
    @pytest.mark.parametrize("reserve", [0.5, 0.8])
    def test_it_suffices_at_the_worst_law(self, reserve: float) -> None:
        """0 or the largest number; the wealth is 1/alpha in nine runs of ten long before."""
        alpha, runs, ceiling = 1e-3, 400, 4.0
        rng = np.random.default_rng(3)
        for law, bet in (
            (Law(share=1.0 / ceiling), BelowCeiling(ones(runs), ones(runs, ceiling))),
            (Law(ratio=ceiling / reserve), BelowRatio(ones(runs), ones(runs, ceiling / reserve))),
        ):
            draws = law.draws_to_show_below(reserve, alpha, 1e-3)
            assert draws is not None
            wealth = Wealth(bet, -math.log(alpha))
            wealth.take(np.asarray(ceiling * (rng.random((draws, runs)) < reserve / ceiling), float))
            late = int(np.isinf(wealth.reached).sum())
            assert late <= int(scipy.stats.binom.isf(1e-6, runs, 1e-3))
            assert law.missed_below(reserve, alpha, draws) <= 1e-3 < law.missed_below(reserve, alpha, draws // 2)

    @pytest.mark.parametrize("reserve", [0.5, 0.8])
    def test_from_below_too(self, reserve: float) -> None:
        alpha, runs, ratio = 1e-3, 400, 4.0
        draws = Law(ratio=ratio).draws_to_show_above(reserve, alpha, 1e-3)
        assert draws is not None
        wealth = Wealth(Above(ones(runs, reserve)), -math.log(alpha))
        wealth.take(np.asarray(ratio * (np.random.default_rng(4).random((draws, runs)) < 1.0 / ratio), float))
        assert int(np.isinf(wealth.reached).sum()) <= int(scipy.stats.binom.isf(1e-6, runs, 1e-3))
        assert Law(ratio=ratio).missed_above(reserve, alpha, draws) <= 1e-3

    def test_what_is_seen_is_what_the_budget_tells(self) -> None:
        law, alpha, draws = Law(ratio=2.0), 1e-6, 1000
        above, below = law.seen_above(alpha, draws), law.seen_below(alpha, draws)
        assert below < 1.0 < above
        assert law.missed_above(1.0 / above, alpha, draws) == pytest.approx(0.1, rel=1e-3)
        assert law.missed_below(below, alpha, draws) == pytest.approx(0.1, rel=1e-3)

    def test_nothing_is_known_of_any_law(self) -> None:
        law = Law()
        assert not law.is_known
        assert law.draws_to_show_below(0.5, 0.01, 0.01) is None
        assert law.draws_to_show_above(0.5, 0.01, 0.01) is None
        assert (law.missed_below(0.5, 0.01, 10**6), law.seen_above(0.01, 10**6)) == (1.0, math.inf)

    def test_too_many_draws_are_none(self) -> None:
        assert Law(ratio=2.0).draws_to_show_below(0.999, 1e-9, 1e-6) is None


class TestIntervals:
    def test_they_are_the_bounds_that_the_bets_leave(self) -> None:
        draws: FloatArray = 2.0 * np.random.default_rng(5).random(500)
        low, high = lower_mean(draws, 1e-3), upper_mean(draws, 1e-3, ceiling=2.0)
        by_ratio = upper_mean(draws, 1e-3, ratio=4.0 / 3.0)
        assert low < draws.mean() < high < 1.2
        assert draws.mean() < by_ratio < 1.2
        assert upper_mean(draws, 1e-3, ceiling=2.0, ratio=4.0 / 3.0) == min(high, by_ratio)
        threshold = -math.log(1e-3)
        for bet, end in (
            (Above(ones(1, low)), 1.0),
            (BelowCeiling(ones(1, high), ones(1, 2.0)), 1.0),
            (BelowRatio(ones(1, by_ratio), ones(1, 4.0 / 3.0)), 1.0),
        ):
            assert float(largest_wealth(bet, draws[:, None])[0]) == pytest.approx(threshold * end, rel=1e-4)

    def test_they_hold_the_mean_at_all_times_at_once(self) -> None:
        draws = np.random.default_rng(6).exponential(size=(100, 128))
        ends = [(lower_mean(d, 0.05), upper_mean(d, 0.05, ratio=2.0)) for d in draws]
        missed = sum(not low <= 1.0 <= high for low, high in ends)
        assert missed <= int(scipy.stats.binom.isf(1e-6, 100, 0.1))

    def test_without_a_ceiling_or_a_moment_there_is_no_upper_end(self) -> None:
        assert upper_mean(np.ones(100), 0.05) == math.inf

    @pytest.mark.parametrize("draws", [np.zeros(4), np.ones(2)])
    def test_few_draws_exclude_little(self, draws: FloatArray) -> None:
        assert lower_mean(draws, 1e-6) < 1e-3
        assert upper_mean(draws, 1e-6, ceiling=3.0) > 2.9

    def test_many_zeros_are_a_small_mean(self) -> None:
        assert lower_mean(np.zeros(1000), 0.05) == 0.0
        assert upper_mean(np.zeros(1000), 0.05, ceiling=2.0) < 0.1


class TestEdges:
    def test_the_order_and_the_parts_of_draws_do_not_matter_to_what_is_reached(self) -> None:
        draws: FloatArray = np.asarray(np.random.default_rng(7).exponential(size=(300, 3)))
        whole = Wealth(Above(ones(3, 0.5)), 5.0)
        whole.take(draws)
        parts = Wealth(Above(ones(3, 0.5)), 5.0)
        for start in range(0, 300, 7):
            parts.take(draws[start : start + 7])
        assert (whole.reached == parts.reached).all()
        assert np.allclose(whole.largest, parts.largest, rtol=1e-12)

    @pytest.mark.parametrize(("bound", "draw", "wealth"), [(0.0, 1e-300, np.inf), (0.0, 0.0, 0.0), (-1.0, 0.0, np.inf)])
    def test_bounds_that_are_not_positive(self, bound: float, draw: float, wealth: float) -> None:
        assert largest_wealth(Above(ones(1, bound)), np.array([[draw]]))[0] == wealth

    def test_a_bound_that_is_no_number_is_never_reached(self) -> None:
        for bet in (Above(ones(1, math.nan)), BelowRatio(ones(1, math.nan), ones(1, 2.0))):
            assert not largest_wealth(bet, np.ones((100, 1)))[0] > 0.0

    def test_no_large_draw_speaks_for_a_small_mean(self) -> None:
        bet = BelowRatio(ones(1), ones(1, 2.0))
        grown = bet.log_factors(np.linspace(0.0, 1e3, 4001)[:, None])[:, :, 0]
        assert (np.diff(grown, axis=1) <= 0.0).all()

    def test_a_draw_of_any_size_is_a_number(self) -> None:
        assert np.isfinite(BelowRatio(ones(1), ones(1, 2.0)).log_factors(np.array([[np.inf]]))).all()
        assert np.isfinite(BelowCeiling(ones(1), ones(1, 2.0)).log_factors(np.array([[np.inf]]))).all()

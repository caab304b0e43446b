"""Figures of the experiments: their panels and curves, and that they are means over the seeds."""

import numpy as np
import pytest

from properties.guo2024.experiment_figures import (
    FIGURE_SLOPES,
    FINE_FIGURE_SLOPES,
    errors_by_size,
    errors_by_step,
    mean_error,
    rates_by_slope,
    seeds,
)
from properties.guo2024.slope_runs import Recipe, errors

SMALL = Recipe("diabetes", n=6, m=8, L=2, steps=6, pace=1.0, every=3)


def test_seeds_are_three_at_quick_effort_and_ten_beyond() -> None:
    quick, more = (seeds(np.random.default_rng(1), effort) for effort in ("quick", "thorough"))
    assert (len(quick), len(more)) == (3, 10)
    assert more[:3] == quick


def test_the_mean_of_errors_is_geometric() -> None:
    np.testing.assert_allclose(mean_error([np.array([1.0, 4.0]), np.array([4.0, 9.0])]), [2.0, 6.0], rtol=1e-12)


def test_errors_stand_against_steps_for_every_slope() -> None:
    figure = errors_by_step("what it shows", {"a table": SMALL})(np.random.default_rng(2), "quick")
    training, test = figure.panels
    assert [curve.name for curve in training.curves] == [f"slope {slope:g}" for slope in FIGURE_SLOPES]
    assert training.curves[0].x == tuple(range(7))
    assert test.curves[0].x == (0.0, 3.0, 6.0)
    assert (training.log_y, training.title, figure.caption) == (True, "a table", "what it shows")
    chosen = seeds(np.random.default_rng(2), "quick")
    expected = mean_error([errors(SMALL, -2.0, seed).training for seed in chosen])
    np.testing.assert_allclose(training.curves[0].y, expected, rtol=1e-12)


def test_the_predicted_rate_meets_that_at_slope_0_with_factor_1() -> None:
    figure = rates_by_slope("rates", {"1": (SMALL, 1.0), "1/2": (SMALL, 0.5)})(np.random.default_rng(3), "quick")
    at = FINE_FIGURE_SLOPES.index(0.0)
    (met, line), (_, half) = (panel.curves for panel in figure.panels)
    assert met.dots
    assert met.y[at] == pytest.approx(line.y[at], rel=1e-12)
    assert 1.0 - half.y[at] == pytest.approx((1.0 - line.y[at]) / 2, rel=1e-9)


def test_errors_by_size_have_one_step_size_for_all_widths_and_one_for_all_depths() -> None:
    figure = errors_by_size("sizes", SMALL, (4, 8), (1, 2))(np.random.default_rng(4), "quick")
    left, right = figure.panels
    assert left.curves[0].x == (4.0, 8.0)
    assert right.curves[0].x == (1.0, 2.0)
    chosen = seeds(np.random.default_rng(4), "quick")
    widest = [errors(SMALL, -2.0, seed) for seed in chosen]
    assert left.curves[0].y[-1] == pytest.approx(mean_error([run.training[-1:] for run in widest])[0], rel=1e-12)
    assert right.curves[0].y[-1] == pytest.approx(mean_error([run.test[-1:] for run in widest])[0], rel=1e-12)

"""The least mean logistic loss over unit balls: known minima, also below the least double, and the bound by duality."""

import math

import numpy as np
import pytest

from nets.networks.log_loss import log_mean_loss, logistic_terms
from nets.tangent.unit_balls import LAST_GAP, least_in_unit_balls

# What the last centre is found to, as a share of what the barrier leaves.
GAP = 1.1 * LAST_GAP


def _reached(features: list[np.ndarray], margins: np.ndarray) -> np.ndarray:
    points = least_in_unit_balls(features, margins)
    assert all(np.linalg.norm(u) < 1.0 for u in points)
    return margins + np.sum([F @ u for F, u in zip(features, points, strict=True)], axis=0)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3, 1e5])
def test_one_sample_goes_as_far_as_its_features_allow(size: float) -> None:
    features = [size * np.array([[3.0, 4.0]]), size * np.array([[12.0]])]
    furthest = log_mean_loss([-2.0 + 17.0 * size])
    assert furthest <= log_mean_loss(_reached(features, np.array([-2.0]))) <= furthest + GAP


def test_where_features_cancel_the_least_loss_is_inside_of_the_ball() -> None:
    features = [1e3 * np.array([[1.0, 2.0], [-1.0, -2.0]])]
    least = log_mean_loss([1.0, 1.0])
    assert least <= log_mean_loss(_reached(features, np.array([0.3, 1.7]))) <= least + GAP


def test_margins_that_nothing_moves_stay_as_they_are() -> None:
    margins = np.array([-1.0, 3.0])
    np.testing.assert_array_equal(_reached([np.zeros((2, 3)), np.zeros((2, 0))], margins), margins)


@pytest.mark.parametrize("size", [0.1, 10.0, 1e3])
def test_no_convex_bound_leaves_more_to_gain_than_promised(size: float) -> None:
    """The least of the linear function that touches the loss: the infimum is no lower."""
    for seed in range(15):
        rng = np.random.default_rng(seed)
        features = [size * rng.normal(size=(4, k)) for k in (1, 3, 5)]
        margins = 3.0 * rng.normal(size=4)
        points = least_in_unit_balls(features, margins)
        reached = margins + np.sum([F @ u for F, u in zip(features, points, strict=True)], axis=0)
        shares = np.exp(logistic_terms(reached).log_weight - log_mean_loss(reached)) / 4
        slopes = [F.T @ shares for F in features]
        gain = sum(float(np.linalg.norm(s) - s @ u) for s, u in zip(slopes, points, strict=True))
        assert gain <= GAP + 1e-12 * size


def test_a_loss_far_below_the_least_double_is_still_the_least() -> None:
    """Two orthogonal samples of equal features: both margins grow by size/sqrt(2)."""
    reached = _reached([1e4 * np.eye(2)], np.zeros(2))
    assert math.exp(log_mean_loss(reached)) == 0.0
    assert log_mean_loss(reached) == pytest.approx(-1e4 / math.sqrt(2.0), abs=GAP)

"""Two clusters: points at the distance asked for, margins from gradients by differences, laws that bracket draws."""

import math

import numpy as np
import pytest
import scipy

from nets.networks.activations import huberised_relu
from properties.chatterji2021.clusters import (
    AT_THE_LIMITS,
    DIMENSION,
    Clusters,
    largest_h_of_two_layers,
    largest_spread,
    moved_tail,
    random_clusters,
    share,
    two_clusters,
)
from properties.chatterji2021.tests.networks import network, numeric_gradient

DRAWS = 4000


def _by_hand() -> Clusters:
    """Five neurons: first weights, then output weights; h = 1/4, so that 4 h = 1."""
    first = np.zeros((DIMENSION, 5))
    first[0] = [1.5, -2.0, 0.5, 1.0, -3.0]
    first[1, 0] = 2.0
    output = np.array([[1.0], [-0.75], [1.0], [2.5], [0.5]])
    X, y = two_clusters(4, 0.05, np.random.default_rng(0))
    return Clusters(network(first, output), X, y, 0.25)


@pytest.mark.parametrize("spread", [0.0, 0.05, 0.9])
def test_points_are_unit_vectors_at_the_distance_asked_for_from_the_axis_of_their_class(spread: float) -> None:
    X, y = two_clusters(7, spread, np.random.default_rng(0))
    axis = np.zeros(DIMENSION)
    axis[0] = 1.0
    assert np.linalg.norm(X, axis=1) == pytest.approx([1.0] * 7, rel=1e-14)
    assert np.linalg.norm(X - y[:, np.newaxis] * axis, axis=1) == pytest.approx([spread] * 7, abs=1e-12)
    assert y.tolist() == [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0]


def test_the_limits_of_h_and_of_the_spread_are_positive_and_fall_with_the_width() -> None:
    assert largest_h_of_two_layers(50) == pytest.approx(math.sqrt(math.pi) / 100.0, rel=1e-14)
    narrow, wide = (largest_spread(m, 4, largest_h_of_two_layers(m), 0.1) for m in (100, 10_000))
    assert 0.0 < wide <= narrow <= 1.0 / 16.0
    assert set(AT_THE_LIMITS) == {"h", "spread"}


def test_the_sets_of_neurons_by_hand() -> None:
    found = _by_hand()
    # The third looks too little along the axis, the fourth has an output weight above 2.
    assert found.plus.tolist() == [True, False, False, False, False]
    assert found.minus.tolist() == [False, True, False, False, True]
    assert found.counts == (1, 2)
    assert Clusters(found.net, found.X, found.y, 0.25, least=0.6).counts == (1, 1)


def test_what_moves_is_the_largest_change_of_a_pre_activation_between_a_point_and_its_axis() -> None:
    found = _by_hand()
    axis = np.eye(1, DIMENSION)[0]
    moves = [
        abs(float(found.net.weights[0][:, j] @ (x - label * axis)))
        for x, label in zip(found.X, found.y, strict=True)
        for j in range(5)
    ]
    assert found.moved == pytest.approx(max(moves), rel=1e-12)


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("root", [True, False])
def test_margins_are_inner_products_with_gradients_by_differences(signed: bool, root: bool) -> None:
    found = _by_hand()
    direction = np.zeros((DIMENSION, 5))
    # sign(V_2) on the three neurons of both sets, of norm 1.
    direction[0, [0, 1, 4]] = np.array([1.0, -1.0, 1.0] if signed else [1.0] * 3) / (math.sqrt(3.0) if root else 3.0)
    margins = found.margins(signed, root)
    for s, (x, label) in enumerate(zip(found.X, found.y, strict=True)):
        gradient = numeric_gradient(found.net.weights, x, huberised_relu(0.25))[0]
        assert margins[s] == pytest.approx(label * float(np.sum(gradient * direction)), abs=1e-7)


def test_clusters_drawn_have_a_network_of_the_width_asked_for() -> None:
    found = random_clusters(300, 6, largest_h_of_two_layers(300), 0.01, np.random.default_rng(1))
    assert found.net.widths == (DIMENSION, 300)
    assert found.X.shape == (6, DIMENSION)
    # Either count is binomial with the share as its chance: six standard deviations.
    chance = share(300, largest_h_of_two_layers(300))
    for count in found.counts:
        assert abs(count - 300 * chance) <= 6.0 * math.sqrt(300 * chance * (1.0 - chance))


@pytest.mark.parametrize("h", [0.0, 0.02])
@pytest.mark.parametrize("least", [0.5, 1.0])
def test_the_share_is_that_of_neurons_drawn(h: float, least: float) -> None:
    m, rng = 50, np.random.default_rng(2)
    first, output = rng.normal(0.0, math.sqrt(2.0 / m), DRAWS), rng.standard_normal(DRAWS)
    counted = (first >= 4.0 * h) & (np.abs(output) >= least) & (np.abs(output) <= 2.0)
    chance = share(m, h, least)
    assert float(counted.mean()) == pytest.approx(chance, abs=5.0 * math.sqrt(chance / DRAWS))


@pytest.mark.parametrize("level", [0.025, 0.04])
def test_brackets_of_the_largest_move_enclose_the_share_of_draws_beyond(level: float) -> None:
    m, n, spread, draws = 20, 3, 0.04, 2000
    low, high = moved_tail(m, n, level, spread)
    assert 0.0 <= low <= high <= 1.0
    rng = np.random.default_rng(3)
    count = sum(random_clusters(m, n, 0.01, spread, rng).moved > level for _ in range(draws))
    room = 5.0 * math.sqrt(0.25 / draws)
    assert low - room <= count / draws <= high + room


def test_one_point_has_brackets_that_meet_and_far_levels_keep_their_digits() -> None:
    m, spread = 30, 0.1
    low, high = moved_tail(m, 1, 0.05, spread)
    one = 2.0 * float(scipy.stats.norm.sf(0.05 * math.sqrt(m / 2.0) / spread))
    assert low == pytest.approx(high, rel=1e-14)
    assert low == pytest.approx(1.0 - (1.0 - one) ** m, rel=1e-12)
    low, high = moved_tail(m, 4, 1.0, 0.03)
    tiny = 2.0 * m * float(scipy.stats.norm.sf(math.sqrt(m / 2.0) / 0.03))
    assert (low, high) == pytest.approx((tiny, 4.0 * tiny), rel=1e-9, abs=0.0)

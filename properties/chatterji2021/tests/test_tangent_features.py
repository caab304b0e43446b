"""Tangent features: Gram matrices from gradients by differences, margins solved by hand, the law of wide networks."""

import math

import numpy as np
import pytest

from nets.data.points import SphereSource
from nets.networks.activations import huberised_relu
from properties.chatterji2021.tangent_features import limit_margin, tangent, two_stage_smoothing, wide_network
from properties.chatterji2021.tests.networks import network, numeric_gradient, random_network, unit_points


def test_gram_matrices_are_inner_products_of_gradients() -> None:
    net, X, y = random_network(0, 3, 5, 4), unit_points(1, 4, 3), np.array([1.0, -1.0, 1.0, 1.0])
    found = tangent(net, X, y, 0.3)
    gradients = [numeric_gradient(net.weights, x, huberised_relu(0.3)) for x in X]
    for layer in range(3):
        features = np.array([gradient[layer].ravel() for gradient in gradients])
        assert found.features.grams[layer] == pytest.approx(features @ features.T, abs=1e-6)
    assert found.margins == pytest.approx(y * found.fwd.output, rel=1e-14)
    assert found.net.activation.h == 0.3


def test_the_largest_margin_of_one_point_is_the_norm_of_its_gradient() -> None:
    """f = v (w x - h/2) at w = 2, v = 3, x = 1: the gradient is (3, 2 - h/2)."""
    found = tangent(network([[2.0]], [[3.0]]), np.ones((1, 1)), np.ones(1), 0.5).largest_margin()
    assert found.low <= math.hypot(3.0, 1.75) <= found.high
    assert found.high - found.low <= 1e-9


def test_no_direction_has_a_larger_margin_than_the_upper_end_and_one_reaches_the_lower() -> None:
    net, X, y = random_network(3, 3, 6, 5), unit_points(4, 3, 3), np.array([1.0, -1.0, 1.0])
    start = tangent(net, X, y, 0.3)
    margin = start.largest_margin()
    features = np.array(
        [
            label * np.concatenate([G.ravel() for G in numeric_gradient(net.weights, x, huberised_relu(0.3))])
            for x, label in zip(X, y, strict=True)
        ]
    )
    for direction in np.random.default_rng(5).standard_normal((500, features.shape[1])):
        assert float((features @ direction).min()) / float(np.linalg.norm(direction)) <= margin.high + 1e-6
    best = margin.weights @ features
    assert float((features @ best).min()) / float(np.linalg.norm(best)) >= margin.low - 1e-6
    assert margin.high - margin.low <= 1e-6


def test_features_of_equal_points_with_opposite_labels_have_no_margin() -> None:
    net, X = random_network(0, 3, 5), unit_points(1, 1, 3)
    found = tangent(net, np.repeat(X, 2, axis=0), np.array([1.0, -1.0]), 0.3).largest_margin()
    assert found.low <= 0.0
    assert found.high <= 1e-5


def test_wide_networks_have_entries_of_variance_2_over_m_and_outputs_of_the_variance_asked_for() -> None:
    m = 400
    net = wide_network(5, m, 2, np.random.default_rng(0), 3.0)
    assert net.widths == (5, m, m)
    first, last = np.asarray(net.weights[0]), net.weights[-1]
    # Five standard deviations of a mean of so many squares.
    assert float(np.mean(first**2)) * m / 2.0 == pytest.approx(1.0, abs=5.0 * math.sqrt(2.0 / first.size))
    assert float(np.mean(last**2)) / 3.0 == pytest.approx(1.0, abs=5.0 * math.sqrt(2.0 / last.size))
    # A revealed layer, asked in one direction.
    image = np.eye(1, m) @ net.weights[1]
    assert float(np.sum(image**2)) / 2.0 == pytest.approx(1.0, abs=5.0 * math.sqrt(2.0 / m))


def test_the_smoothing_is_that_of_the_corrected_definition() -> None:
    m, n, L = 50, 4, 3
    assert two_stage_smoothing(m, n, L) == pytest.approx(73.0 * math.log(4.0) / (10.0 * 300.0**2 * 27.0), rel=1e-12)


def test_the_margin_at_infinite_width_is_approached_and_known_for_one_point() -> None:
    """Of one point: each hidden layer adds m/2 to the squared gradient, the output layer 1 alone."""
    X = unit_points(0, 1, 4)
    for L in (1, 3):
        assert limit_margin(X, np.ones(1), L) == pytest.approx(math.sqrt(L / 2.0), rel=1e-6)
    points, labels = SphereSource().draw(3, 6, np.random.default_rng(1))
    m = 20_000
    net = wide_network(6, m, 1, np.random.default_rng(2))
    found = tangent(net, points, labels, 1e-6).largest_margin()
    assert found.low / math.sqrt(m) == pytest.approx(limit_margin(points, labels, 1), rel=0.05)


def test_the_margin_of_two_orthogonal_points_at_infinite_width_by_hand() -> None:
    """One layer: features of squared norm 1/2 m v^2 with inner product <x, x'> = 0, so 1/sqrt(2) of that of one."""
    one = limit_margin(np.eye(1, 4), np.ones(1), 1)
    assert limit_margin(np.eye(2, 4), np.ones(2), 1) == pytest.approx(one / math.sqrt(2.0), rel=1e-6)

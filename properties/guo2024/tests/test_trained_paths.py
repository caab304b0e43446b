"""Tests of `properties.guo2024.trained_paths`."""

import numpy as np
import pytest

from nets.data.distances import DataError, antipodal_separation
from nets.networks.forward import forward
from properties.guo2024.descent import gradients_of_squares, sum_of_squares
from properties.guo2024.seen_networks import seen_network
from properties.guo2024.trained_paths import equidistant_up_to_signs, labels_felt_least, losses_to_rest


def test_points_are_at_one_distance_up_to_signs() -> None:
    X = equidistant_up_to_signs(4, 0.7, np.random.default_rng(0))
    products = np.abs(X @ X.T)[np.triu_indices(4, 1)]
    np.testing.assert_allclose(np.sqrt(2.0 - 2.0 * products), 0.7)
    assert abs(antipodal_separation(X) - 0.7) < 1e-12


def test_points_farther_apart_than_at_right_angles_are_refused() -> None:
    with pytest.raises(DataError, match="no point is further from another than sqrt"):
        equidistant_up_to_signs(2, 1.5, np.random.default_rng(0))


def test_labels_have_norm_one_at_most_and_are_felt_least() -> None:
    rng = np.random.default_rng(1)
    X = equidistant_up_to_signs(3, 0.5, rng)
    net = seen_network(3, 200, 1, 2, 0.0, rng)
    labels = labels_felt_least(net, X)
    passed = forward(net, X)
    assert labels.shape == passed.output.shape
    assert abs(np.linalg.norm(labels.reshape(3, -1), axis=1).max() - 1.0) < 1e-12
    assert float(np.sum(labels * passed.output)) <= 0.0

    def felt(residuals: np.ndarray) -> float:
        down = gradients_of_squares(net, passed, passed.output - residuals)
        return sum(float(np.sum(G**2)) for G in down) / float(np.sum(residuals**2))

    assert all(felt(labels) <= felt(rng.standard_normal(labels.shape)) for _ in range(20))


def test_losses_start_where_they_are_asked_for_and_end_at_rest() -> None:
    rng = np.random.default_rng(2)
    X = equidistant_up_to_signs(2, 2**0.5, rng)
    net = seen_network(2, 2000, 1, 1, -1.0, rng)
    whole = losses_to_rest(net, X, 0.25 / 1000, 500)
    late = losses_to_rest(net, X, 0.25 / 1000, 500, first=10)
    passed = forward(net, X)
    assert whole.symbols["L0"] == sum_of_squares(passed.output, labels_felt_least(net, X))
    np.testing.assert_array_equal(late.value, whole.value[9:])
    np.testing.assert_array_equal(late.symbols["clock"], whole.symbols["clock"][9:])
    assert whole.walk is not None
    assert whole.walk.rested
    assert whole.value[-1] < 1e-20
    left = losses_to_rest(net, X, 0.25 / 1000, 12, first=10)
    np.testing.assert_array_equal(left.value[:-1], whole.value[9:12])
    assert np.isnan(left.value[-1])
    assert list(left.symbols["clock"]) == [10, 11, 12, 13]
    idle = losses_to_rest(net, X, 0.0, 500, first=10)
    batches = [np.array([k % 5 // 4]) for k in range(501)]
    parted = losses_to_rest(net, X, 0.25 / 1000, 500, batches)
    assert parted.walk is not None
    assert parted.walk.rested
    assert parted.value[-1] <= 1e-20 * parted.symbols["L0"] < parted.value[-3]
    early = losses_to_rest(net, X, 0.25 / 1000, 500, batches, first=400)
    assert list(early.symbols["clock"]) == [400]
    assert early.value[0] == early.error[0] == parted.value[-1] / 2
    one = losses_to_rest(net, X, 0.25 / 1000, 100, [np.array([0])] * 101)
    assert one.walk is not None
    assert not one.walk.rested
    # What it comes to stand at, of which nothing is fitted, is its loss at the last of the steps too.
    assert list(idle.symbols["clock"]) == [10, 500]
    np.testing.assert_allclose(idle.value, idle.symbols["L0"], rtol=1e-14)

"""The largest margin of tangent features: closed forms, duality, its interval, and the direction that attains it."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from nets.linear_algebra.lowrank import frobenius_norms
from nets.networks.activations import huberised_relu
from nets.networks.curvature import flatten
from nets.networks.forward import forward
from nets.networks.gradients import output_gradient
from nets.networks.network import gaussian_smooth_network
from nets.tangent.linearised import tangent_features
from nets.tangent.margin import Margin, _ends, largest_margin, margin_direction
from nets.tests.draws import seeds


def _gram(features: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(features @ features.T)


def _contains(found: Margin, exact: float) -> bool:
    return found.low <= exact <= found.high


def test_of_one_feature_the_margin_is_its_norm() -> None:
    assert _contains(largest_margin(np.array([[9.0]])), 3.0)


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (3.0, 4.0), (1e-3, 1e3)])
def test_of_two_features_at_a_right_angle_it_is_the_height_of_the_triangle(a: float, b: float) -> None:
    found = largest_margin(np.diag([a * a, b * b]))
    assert _contains(found, a * b / math.hypot(a, b))
    # Products of features are known to some units of the larger of the two.
    assert found.high - found.low < 1e-14 * max(a, b) ** 2 / min(a, b) ** 2 * found.high


def test_it_is_that_of_the_features_needed() -> None:
    """The nearest point of the triangle (1, -1), (1, 1), (5, 0) is (1, 0)."""
    found = largest_margin(_gram(np.array([[1.0, -1.0], [1.0, 1.0], [5.0, 0.0]])))
    assert _contains(found, 1.0)
    assert found.weights == pytest.approx([0.5, 0.5, 0.0], abs=1e-12)


def test_one_feature_in_both_classes_leaves_none() -> None:
    feature = np.array([[0.3, -2.0, 1.7]])
    found = largest_margin(_gram(np.vstack([feature, feature])), [1.0, -1.0])
    assert found.low == 0.0
    assert found.high < 1e-6 * np.linalg.norm(feature)
    assert largest_margin(np.zeros((2, 2))).high == 0.0


def test_sizes_near_the_ends_of_the_range_keep_their_digits() -> None:
    for scale in (1e-140, 1e140):
        found = largest_margin(scale**2 * np.array([[1.0, 0.5], [0.5, 1.0]]))
        assert _contains(found, scale * math.sqrt(0.75))


@given(seeds, st.integers(1, 12), st.integers(1, 8))
@settings(max_examples=40, deadline=None)
def test_both_ends_meet_and_agree_with_another_solver(seed: int, n: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    K = _gram(rng.normal(size=(n, d)) + rng.normal(size=d))
    found = largest_margin(K)
    assert 0.0 <= found.low <= found.high
    assert found.weights.min() >= 0.0
    assert found.weights.sum() == pytest.approx(1.0)
    other = minimize(
        lambda q: q @ K @ q,
        np.full(n, 1.0 / n),
        jac=lambda q: 2.0 * K @ q,
        bounds=[(0.0, 1.0)] * n,
        constraints={"type": "eq", "fun": lambda q: q.sum() - 1.0, "jac": lambda q: np.ones(n)},
        method="SLSQP",
        options={"ftol": 1e-14},
    )
    assert found.high**2 <= other.fun + 1e-9
    if found.low > 1e-3:
        assert found.high - found.low < 1e-9 * found.high


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_any_weights_give_an_interval_round_the_margin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(5, 4)) + 1.0
    K = _gram(features)
    best = largest_margin(K)
    low, high = _ends(K, rng.dirichlet(np.ones(5)), np.sqrt(K.diagonal()), 1e-15)
    assert low <= best.high
    assert best.low <= high


def test_an_error_of_the_products_widens_the_interval() -> None:
    K = np.array([[1.0, 0.2], [0.2, 1.0]])
    sharp, wide = largest_margin(K), largest_margin(K, error=1e-3)
    assert wide.low < sharp.low < sharp.high < wide.high
    for sign in (-1.0, 1.0):
        moved = K + sign * 1e-3 * np.array([[0.0, 1.0], [1.0, 0.0]])
        assert wide.low <= largest_margin(moved).low
        assert largest_margin(moved).high <= wide.high


def test_what_is_no_matrix_of_inner_products_is_refused() -> None:
    with pytest.raises(ValueError, match="square"):
        largest_margin(np.ones((2, 3)))
    with pytest.raises(ValueError, match="not symmetric"):
        largest_margin(np.array([[1.0, 0.5], [-0.5, 1.0]]))
    with pytest.raises(ValueError, match="finite"):
        largest_margin(np.array([[np.nan]]))


@given(seeds, st.integers(1, 3))
@example(27, 1)
@settings(max_examples=10, deadline=None)
def test_products_by_layers_are_those_of_the_gradients(seed: int, L: int) -> None:
    rng = np.random.default_rng(seed)
    net = gaussian_smooth_network((5,) + (7,) * L, huberised_relu(0.1), rng)
    X, y = rng.normal(size=(4, 5)), np.array([1.0, -1.0, 1.0, 1.0])
    fwd = forward(net, X)
    features = tangent_features(net, fwd)
    gradients = [flatten(output_gradient(net, fwd, unit)) for unit in np.eye(4)]
    grams = features.grams
    assert grams.shape == (L + 1, 4, 4)
    np.testing.assert_allclose(grams.sum(axis=0), np.array(gradients) @ np.array(gradients).T, rtol=1e-12, atol=1e-12)
    found = largest_margin(grams.sum(axis=0), y, features.gram_error)
    if not found.high > 0.0:
        # A sample at which all neurons are closed is moved by no direction.
        assert grams.sum(axis=0).diagonal().min() == 0.0
        return
    direction = margin_direction(net, fwd, y, found)
    assert frobenius_norms([frobenius_norms(direction)])[0] <= 1.0 + 1e-12
    reached = y * np.array([gradient @ flatten(direction) for gradient in gradients])
    assert reached.min() >= found.low * (1.0 - 1e-12) - 1e-12


def test_no_direction_is_given_where_there_is_no_margin() -> None:
    rng = np.random.default_rng(0)
    net = gaussian_smooth_network((3, 4), huberised_relu(0.1), rng)
    fwd = forward(net, np.zeros((2, 3)))
    with pytest.raises(ValueError, match="no direction"):
        margin_direction(net, fwd, [1.0, -1.0], Margin(0.0, 0.0, np.array([0.5, 0.5])))

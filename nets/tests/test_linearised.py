"""Networks near their start: the ball, linearised outputs, their least loss, errors of linearisation and gradients."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nets.linear_algebra.lowrank import LowRank, frobenius_norms
from nets.linear_algebra.revealed import RevealedGaussian
from nets.networks.activations import huberised_relu, scaled_swish
from nets.networks.forward import forward
from nets.networks.function_network import FunctionNetwork
from nets.networks.gradients import output_gradient
from nets.networks.log_loss import logistic_terms
from nets.networks.network import Network, Step, gaussian_smooth_network, shifted, smooth_network
from nets.tangent.linearised import (
    BestLinearised,
    TangentFeatures,
    best_linearised_loss,
    difference,
    in_ball,
    layer_distances,
    linearisation_error,
    linearised,
    tangent_features,
    tangent_kernel,
)
from nets.tests.draws import seeds

PHI = huberised_relu(0.2)
Y = np.array([1.0, -1.0, 1.0])


def _instance(seed: int, L: int = 2) -> tuple[Network, np.ndarray, np.random.Generator]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3, 4))
    return gaussian_smooth_network((4,) + (6,) * L, PHI, rng), X / np.linalg.norm(X, axis=1)[:, None], rng


def _random_direction(net: Network, rng: np.random.Generator) -> list[np.ndarray]:
    return [rng.normal(size=V.shape) for V in net.weights]


def _features(net: Network, X: np.ndarray) -> TangentFeatures:
    return tangent_features(net, forward(net, X))


def _steepest_in_ball(start: Network, radius: float) -> float:
    """What no gradient of a layer exceeds: slopes are at most 1, and so are inputs, so norms of layers remain."""
    norms = np.array([np.linalg.norm(V, 2) + radius for V in start.weights])
    return float(max(np.prod(np.delete(norms, layer)) for layer in range(len(norms))))


def test_the_tangent_kernel_is_that_of_a_function_network_with_the_same_gradient() -> None:
    rng = np.random.default_rng(0)
    X, signs = rng.standard_normal((5, 3)), rng.choice([-1.0, 1.0], 40) / math.sqrt(40)

    def output(parameters: Sequence[np.ndarray], X: np.ndarray) -> np.ndarray:
        return np.asarray(np.maximum(X @ parameters[0], 0.0) @ signs)

    def gradient(parameters: Sequence[np.ndarray], X: np.ndarray, c: np.ndarray) -> list[np.ndarray]:
        return [X.T @ (c[:, None] * (X @ parameters[0] > 0.0) * signs)]

    W = rng.standard_normal((3, 40))
    known = FunctionNetwork(output, gradient, (W,), X).tangent_kernel(X)
    assert tangent_kernel(Network((W,), signs, [Step(0)]), X) == pytest.approx(known, rel=1e-12)


# --- Definitions D.1 and D.2 ----------------------------------------------------------------------


@pytest.mark.parametrize("L", [1, 2, 5])
def test_the_ball_limits_each_layer_and_the_total_may_be_larger_by_a_root_of_the_depth(L: int) -> None:
    net, _, rng = _instance(0, L)
    direction = [D / np.linalg.norm(D) for D in _random_direction(net, rng)]
    moved = shifted(net, direction, 0.3)
    assert layer_distances(moved, net) == pytest.approx(np.full(L + 1, 0.3))
    assert in_ball(moved, net, 0.3 + 1e-12)
    assert not in_ball(moved, net, 0.299)
    assert frobenius_norms([layer_distances(moved, net)])[0] == pytest.approx(0.3 * math.sqrt(L + 1))


@given(seeds, st.floats(-3.0, 3.0))
@settings(max_examples=20, deadline=None)
def test_linearised_outputs_are_affine_and_exact_at_the_start(seed: int, t: float) -> None:
    net, X, rng = _instance(seed)
    fwd, direction = forward(net, X), _random_direction(net, rng)
    slope = linearised(net, fwd, shifted(net, direction)) - fwd.output
    np.testing.assert_array_equal(linearised(net, fwd, net), fwd.output)
    np.testing.assert_allclose(linearised(net, fwd, shifted(net, direction, t)), fwd.output + t * slope, atol=1e-10)


def test_their_slope_is_the_derivative_of_the_output() -> None:
    net, X, rng = _instance(3)
    fwd, direction = forward(net, X), _random_direction(net, rng)
    slope = _features(net, X).along(direction)
    step = 1e-6
    ahead, behind = (forward(shifted(net, direction, t), X).output for t in (step, -step))
    np.testing.assert_allclose((ahead - behind) / (2 * step), slope, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(linearised(net, fwd, shifted(net, direction, 0.1)), fwd.output + 0.1 * slope, rtol=1e-10)


def test_revealed_layers_serve_as_stored_ones() -> None:
    """A network with a revealed layer and low-rank moves, against the same with that layer written out."""
    rng = np.random.default_rng(5)
    revealed = RevealedGaussian(6, 6, 0.5, rng)
    stored = np.ascontiguousarray(np.eye(6) @ revealed)
    first, last = rng.normal(size=(4, 6)), rng.normal(size=(6, 1))
    X = rng.normal(size=(3, 4))
    step = LowRank(rng.normal(size=(2, 6)), rng.normal(size=(2, 6)))
    nets = [smooth_network((first, V, last), PHI) for V in (revealed, stored)]
    steps = [(np.ones((4, 6)), D, np.ones((6, 1))) for D in (step, step.dense())]
    moved = [shifted(net, D, 0.5) for net, D in zip(nets, steps, strict=True)]
    distances = [layer_distances(V, W) for V, W in zip(moved, nets, strict=True)]
    np.testing.assert_allclose(distances[0], distances[1], rtol=1e-10)
    outputs = [linearised(W, forward(W, X), V) for V, W in zip(moved, nets, strict=True)]
    np.testing.assert_allclose(outputs[0], outputs[1], rtol=1e-9)
    errors = [linearisation_error(V, W, X) for V, W in zip(moved, nets, strict=True)]
    np.testing.assert_allclose(errors[0], errors[1], rtol=1e-8)


# --- Definition D.3 -------------------------------------------------------------------------------


def _enclosed(net: Network, X: np.ndarray, y: np.ndarray, radius: float) -> tuple[BestLinearised, bool]:
    """The least loss as promised, and whether the gradients of a layer cancel, by what is summed in the weights."""
    fwd, features = forward(net, X), _features(net, X)
    best = best_linearised_loss(features.grams, fwd.margins(y), y, radius)
    point = best.point(net, fwd, y)
    assert in_ball(point, net, radius * (1 + 1e-9))
    terms = logistic_terms(y * linearised(net, fwd, point))
    shares = np.exp(terms.log_weight - terms.log_weight.max())
    sums = frobenius_norms(output_gradient(net, fwd, y * shares))
    cancelled = bool(np.any(sums < 1e-3 * (features.layer_norms @ shares)))
    furthest = radius * float(features.layer_norms.sum(axis=0).max())
    doubt = 1e-7 * len(y) * furthest if cancelled else 0.0
    assert best.low <= best.high
    assert best.high - best.low <= (1e-6 + doubt) * best.high + 1e-300
    reached = float(np.mean(terms.loss))
    assert best.high * (1 - doubt - 1e-9 * (1 + radius)) <= reached <= best.high * (1 + 1e-9 * (1 + radius)) + 1e-300
    return best, cancelled


@example(238, 300.0, 1)
@example(155, 300.0, 1)
@example(1074, 3000.0, 3)
@given(seeds, st.sampled_from([0.01, 0.5, 3.0, 30.0, 300.0, 3000.0]), st.integers(1, 3))
@settings(max_examples=15, deadline=None)
def test_the_least_linearised_loss_is_enclosed_and_attained_in_the_ball(seed: int, radius: float, L: int) -> None:
    net, X, rng = _instance(seed, L)
    best, _ = _enclosed(net, X, Y, radius)
    fwd = forward(net, X)
    for _ in range(5):
        direction = [radius * D / np.linalg.norm(D) for D in _random_direction(net, rng)]
        other = Y * linearised(net, fwd, shifted(net, direction))
        assert float(np.mean(logistic_terms(other).loss)) >= best.low


@pytest.mark.parametrize("L", [1, 2, 3])
def test_the_interval_is_closed_but_where_gradients_cancel_which_they_rarely_do(L: int) -> None:
    cancelled = 0
    for seed in range(100):
        net, X, _ = _instance(seed, L)
        cancelled += _enclosed(net, X, Y, 3.0 * 10.0 ** (seed % 4))[1]
    assert cancelled <= 3


def test_of_one_sample_the_least_loss_is_that_of_the_sum_of_the_layer_gradients() -> None:
    net, X, _ = _instance(1)
    features, fwd = _features(net, X[:1]), forward(net, X[:1])
    for radius in (0.1, 50.0):
        best = best_linearised_loss(features.grams, fwd.output, np.ones(1), radius)
        exact = float(logistic_terms(fwd.output + radius * features.layer_norms.sum()).loss[0])
        assert best.low <= exact * (1 + 1e-12)
        assert exact * (1 - 1e-12) <= best.high
        assert best.high == pytest.approx(exact, rel=1e-10)


def test_where_a_point_is_in_both_classes_the_least_loss_is_log_2() -> None:
    net, X, _ = _instance(2)
    X = np.ascontiguousarray(X[[0, 0]])
    fwd, y = forward(net, X), np.array([1.0, -1.0])
    best = best_linearised_loss(_features(net, X).grams, fwd.margins(y), y, 1e3)
    assert best.low <= math.log(2.0) <= best.high
    # What cancels is known to 1e-8 of its terms, and counts a thousandfold.
    assert best.high - best.low < 1e-4


@pytest.mark.parametrize("apart", [1e-10, 1e-9, 1e-8, 1e-7, 1e-5])
def test_what_nearly_cancels_leaves_no_more_to_gain_than_the_interval_allows(apart: float) -> None:
    """Almost the same point in both classes: the step along the difference of its gradients, taken in the weights."""
    y, radius = np.array([1.0, -1.0]), 1e5
    for seed in range(8):
        net, X, rng = _instance(seed)
        X = np.array([X[0], X[0] + apart * rng.normal(size=4)])
        fwd, features = forward(net, X), _features(net, X)
        best = best_linearised_loss(features.grams, fwd.margins(y), y, radius)
        furthest = radius * float(features.layer_norms.sum(axis=0).max())
        assert best.high - best.low <= (1e-6 + 2e-7 * furthest) * best.high
        direction = [D * (radius / max(float(np.linalg.norm(D)), 1e-300)) for D in output_gradient(net, fwd, y)]
        margins = y * linearised(net, fwd, shifted(net, direction))
        assert best.low <= float(np.mean(logistic_terms(margins).loss))


def test_a_radius_that_is_none_is_refused() -> None:
    net, X, _ = _instance(2)
    for radius in (0.0, math.inf):
        with pytest.raises(ValueError, match="positive, finite"):
            best_linearised_loss(_features(net, X).grams, np.zeros(3), Y, radius)


# --- Definitions D.4 and D.5 ----------------------------------------------------------------------


def test_the_error_vanishes_at_the_base_and_where_only_the_output_layer_moves() -> None:
    net, X, rng = _instance(4)
    np.testing.assert_allclose(linearisation_error(net, net, X), 0.0, atol=1e-15)
    only_last = [np.zeros_like(V) for V in net.weights[:-1]] + [rng.normal(size=(6, 1))]
    np.testing.assert_allclose(linearisation_error(shifted(net, only_last), net, X), 0.0, atol=1e-14)


def test_the_error_is_of_second_order() -> None:
    net, X, rng = _instance(6)
    net, direction = net.with_activation(scaled_swish(0.5)), _random_direction(net, rng)
    errors = [linearisation_error(shifted(net, direction, t), net, X).max() for t in (1e-3, 1e-4)]
    assert math.log10(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)


@given(seeds, st.integers(1, 4))
@settings(max_examples=20, deadline=None)
def test_layer_gradients_have_the_norms_of_the_stored_ones_below_the_limit_of_the_ball(seed: int, L: int) -> None:
    net, X, rng = _instance(seed, L)
    norms = _features(net, X).layer_norms
    fwd = forward(net, X)
    for s in range(3):
        stored = frobenius_norms(output_gradient(net, fwd, np.eye(3)[s]))
        np.testing.assert_allclose(norms[:, s], stored, rtol=1e-12, atol=1e-300)
    direction = [0.4 * D / np.linalg.norm(D) for D in _random_direction(net, rng)]
    assert _features(shifted(net, direction), X).layer_norms.max() <= _steepest_in_ball(net, 0.4)


def test_the_limit_of_the_gradients_is_attained_by_scalars() -> None:
    net = smooth_network((np.array([[2.0]]), np.array([[3.0]]), np.array([[5.0]])), huberised_relu(1e-12))
    moved = shifted(net, [np.array([[0.5]])] * 3)
    assert _features(moved, np.ones((1, 1))).layer_norms.max() == pytest.approx(3.5 * 5.5, rel=1e-9)
    assert _steepest_in_ball(net, 0.5) == pytest.approx(3.5 * 5.5)


def test_differences_of_stored_networks_are_arrays() -> None:
    net, _, rng = _instance(8)
    direction = _random_direction(net, rng)
    for D, E in zip(difference(shifted(net, direction, 2.0), net), direction, strict=True):
        np.testing.assert_allclose(D, 2.0 * E, atol=1e-14)

"""Descent and its comparison point: against a loop in plain numpy, a best point on an edge, and a case by hand."""

import math

import numpy as np
import pytest

from nets.core.arrays import Array
from nets.networks.activations import huberised_relu
from nets.networks.forward import forward
from nets.networks.network import Network
from properties.chatterji2021 import linearised_descent
from properties.chatterji2021.linearised_descent import compare_with_best, descent_with_comparator, linearisation_error
from properties.chatterji2021.tangent_features import Tangent, tangent, wide_network
from properties.chatterji2021.tests.networks import (
    losses_of,
    network,
    numeric_gradient,
    output_of,
    random_network,
    unit_points,
)
from theory.claims import UNIT_ROUNDOFF

H = 0.5
PHI = huberised_relu(H)


def _start(turned: bool = False) -> Tangent:
    """Turned, the samples are in the other order and the output layer is larger, and with it gradients below it."""
    net, X = random_network(0, 3, 4, 4), unit_points(1, 3, 3)
    if turned:
        net, X = net.with_weights((*net.weights[:-1], 4.0 * net.weights[-1])), np.ascontiguousarray(X[::-1])
    return tangent(net, X, np.array([1.0, -1.0, 1.0]), H)


def _linear(start: Network, net: Network, X: Array) -> Array:
    """The outputs of the function that is linear in the weights at `start`, taken at `net`."""
    found = []
    for x in X:
        gradient = numeric_gradient(start.weights, x, PHI)
        step = sum(float(np.sum(G * (W - V))) for G, V, W in zip(gradient, start.weights, net.weights, strict=True))
        found.append(output_of(start.weights, x, PHI) + step)
    return np.array(found)


def test_the_best_point_lies_in_the_ball_and_its_linearised_loss_in_the_interval() -> None:
    start, radius = _start(), 0.3
    best = compare_with_best(start, radius)
    sizes = [float(np.linalg.norm(W - V)) for V, W in zip(start.net.weights, best.net.weights, strict=True)]
    assert max(sizes) <= radius * (1.0 + 1e-12)
    loss = float(np.mean(np.logaddexp(0.0, -start.y * _linear(start.net, best.net, start.X))))
    assert best.low - 1e-7 <= loss <= best.high + 1e-7
    assert best.high - best.low <= 1e-9
    assert best.output == pytest.approx([output_of(best.net.weights, x, PHI) for x in start.X], rel=1e-12)
    rng = np.random.default_rng(2)
    for _ in range(100):
        steps = [rng.standard_normal(V.shape) for V in start.net.weights]
        rival = network(*(V + radius / np.linalg.norm(D) * D for V, D in zip(start.net.weights, steps, strict=True)))
        rival_loss = float(np.mean(np.logaddexp(0.0, -start.y * _linear(start.net, rival, start.X))))
        assert rival_loss >= best.low - 1e-7


def test_the_best_point_of_one_sample_is_a_step_along_its_gradient() -> None:
    """f = v (w - h/2) at w = 2, v = 3: both layers move by the radius, the linearised output by 3 r + (2 - h/2) r."""
    start = tangent(network([[2.0]], [[3.0]]), np.ones((1, 1)), np.ones(1), H)
    best = compare_with_best(start, 0.1)
    assert [float(V[0, 0]) for V in best.net.weights] == pytest.approx([2.1, 3.1], rel=1e-9)
    assert best.high == pytest.approx(math.log1p(math.exp(-(5.25 + 0.1 * 4.75))), rel=1e-9)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("upwards", [False, True])
def test_a_descent_meets_what_a_loop_of_numpy_meets(upwards: bool, turned: bool) -> None:
    start, eta, steps = _start(turned), 0.01 if turned else 0.1, 5
    best = compare_with_best(start, 0.3)
    found = descent_with_comparator(start, best, eta, steps, upwards, followed=True)
    layers = [V.copy() for V in start.net.weights]
    losses, steepest, error, furthest = [], 0.0, 0.0, 0.0
    for _ in range(steps):
        losses.append(float(np.mean(losses_of(layers, start.X, start.y, PHI))))
        furthest = max(
            furthest, *(float(np.linalg.norm(V - W)) for V, W in zip(layers, start.net.weights, strict=True))
        )
        total = [np.zeros_like(V) for V in layers]
        for x, label in zip(start.X, start.y, strict=True):
            gradient = numeric_gradient(layers, x, PHI)
            steepest = max(steepest, *(float(np.linalg.norm(G)) for G in gradient))
            g = 1.0 / (1.0 + math.exp(label * output_of(layers, x, PHI)))
            for k, G in enumerate(gradient):
                total[k] -= label * g / 3.0 * G
        linear = _linear(network(*layers), best.net, start.X)
        error = max(error, float(np.abs(best.output - linear).max()))
        layers = [V - (-eta if upwards else eta) * G for V, G in zip(layers, total, strict=True)]
    last = math.sqrt(sum(float(np.sum((V - W) ** 2)) for V, W in zip(layers, best.net.weights, strict=True)))
    away = math.sqrt(sum(float(np.sum((V - W) ** 2)) for V, W in zip(start.net.weights, best.net.weights, strict=True)))
    assert found.losses == pytest.approx(losses, rel=1e-7)
    assert (found.losses[-1] > found.losses[0]) == upwards
    measured = (found.steepest, found.error, found.furthest, found.last, found.away)
    assert measured == pytest.approx((steepest, error, furthest, last, away), rel=1e-5, abs=1e-8)


def test_packing_the_drift_of_revealed_layers_changes_a_run_by_rounding_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def run() -> tuple[Array, float]:
        rng = np.random.default_rng(3)
        X = np.vstack([np.eye(4)[0], np.ones(4) / 2.0])
        start = tangent(wide_network(4, 12, 2, rng), X, np.array([1.0, -1.0]), 0.01)
        found = descent_with_comparator(start, compare_with_best(start, 0.3), 0.01, 40, followed=True)
        return found.losses, found.furthest

    losses, furthest = run()
    monkeypatch.setattr(linearised_descent, "PACKED", 1000)
    unpacked = run()
    assert losses == pytest.approx(unpacked[0], rel=1e-11)
    assert furthest == pytest.approx(unpacked[1], rel=1e-11)


def test_the_error_of_linearisation_is_the_largest_difference_from_the_linear_function() -> None:
    start = _start()
    best = compare_with_best(start, 0.3)
    linear = _linear(start.net, best.net, start.X)
    found = linearisation_error(start.net, start.fwd, start.features, best)
    assert found == pytest.approx(np.abs(best.output - linear).max(), rel=1e-4)


def test_the_distances_of_a_run_are_no_numbers_unless_it_is_followed() -> None:
    start = _start()
    best = compare_with_best(start, 0.3)
    followed, alone = (descent_with_comparator(start, best, 0.1, 3, followed=kept) for kept in (True, False))
    assert math.isnan(alone.furthest)
    assert followed.furthest > 0.0
    np.testing.assert_array_equal(alone.losses, followed.losses)


@pytest.mark.parametrize(("depth", "m"), [(1, 2000), (2, 500)])
def test_a_descent_multiplies_its_roundings_less_than_lemma_D_8_says(depth: int, m: int) -> None:
    """Stored layers, as a perturbed input would ask a revealed one for other directions, and so for other draws.

    A pass is that of inputs off by sqrt(m) roundings or so.
    """
    rng, steps, size = np.random.default_rng(depth), 100, 2.0**-40
    layers = [rng.normal(0.0, math.sqrt(2.0 / m), shape) for shape in [(8, m), *[(m, m)] * (depth - 1)]]
    net = network(*layers, rng.standard_normal((m, 1)))
    X = unit_points(4, 1, 8)
    y = -np.sign(forward(net, X).output)
    least = []
    for points in (X, X * (1.0 + size * rng.choice([-1.0, 1.0], X.shape))):
        start = tangent(net, points, y, H / m)
        eta = 0.9 / (2.0 * (depth + 1) * float(start.features.layer_norms.max()) ** 2)
        run = descent_with_comparator(start, compare_with_best(start, 3.0 / math.sqrt(m)), eta, steps)
        least.append(float(run.losses.min()))
    # Eight standard deviations of errors of random signs, made anew in each step (Higham and Mary 2019).
    derived = 8.0 * math.sqrt(m * steps) * UNIT_ROUNDOFF * abs(least[1] / least[0] - 1.0) / size
    assert least[0] < 0.5
    assert derived < 1e-9 / 3.0

"""Networks of the field: each is the function that its docstring says, with the variances that it says."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
import pytest

from nets.descent.training import train
from nets.networks.activations import IDENTITY, RELU, huberised_relu
from nets.networks.constructors import (
    Biases,
    ntk_network,
    patch_network,
    plain_network,
    sliding_patches,
    two_layer_network,
)
from nets.networks.forward import forward
from nets.networks.gradients import loss_gradient
from nets.networks.losses import LOGISTIC, SQUARE, empirical_risk
from nets.networks.network import Network, Step, shifted
from nets.tangent.linearised import tangent_features

D, M = 3, 8


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.fixture
def X(rng: np.random.Generator) -> np.ndarray:
    return rng.standard_normal((5, D))


def relu(z: np.ndarray) -> np.ndarray:
    return np.maximum(z, 0.0)


def test_two_layers_are_a_sum_over_neurons_with_fixed_signs(rng: np.random.Generator, X: np.ndarray) -> None:
    net = two_layer_network(D, M, rng, kappa=0.5)
    (W,), v = net.weights, net.v
    np.testing.assert_allclose(np.abs(v), 1.0 / math.sqrt(M))
    np.testing.assert_allclose(forward(net, X).output, relu(X @ W) @ v, rtol=1e-12)
    wide = two_layer_network(D, 4000, rng, kappa=0.5)
    assert np.std(wide.weights[0]) == pytest.approx(0.5, rel=0.05)
    assert abs(np.sum(np.sign(wide.v))) < 400


@pytest.mark.parametrize("biases", ["none", "trained", "frozen"])
def test_plain_networks_have_the_biases_that_they_are_asked_for(
    rng: np.random.Generator, X: np.ndarray, biases: Biases
) -> None:
    net = plain_network((D, M, 4, 2), rng, biases=biases, bias_variance=0.3)
    W_1, W_2, *rest = net.weights
    b_1, b_2 = {"none": (0.0, 0.0), "trained": rest[:2], "frozen": net.frozen}[biases]
    wanted = relu(relu(X @ W_1 + b_1) @ W_2 + b_2) @ net.v
    np.testing.assert_allclose(forward(net, X).output[:, 0], wanted, rtol=1e-12, atol=1e-13)
    assert len(net.weights) == (5 if biases == "trained" else 3)
    if biases != "none":
        wide = plain_network((D, 4000, 1), rng, biases=biases, bias_variance=0.3)
        (row,) = [W for W in wide.parameters if W.shape == (1, 4000)]
        assert np.var(row) == pytest.approx(0.3, rel=0.1)


@pytest.mark.parametrize(("fan", "rows"), [("in", 0), ("out", 1)])
def test_the_variance_counts_the_fan(rng: np.random.Generator, fan: str, rows: int) -> None:
    net = plain_network((100, 400, 50), rng, fan=cast(Any, fan))
    W, V = net.weights
    assert np.var(W) == pytest.approx(2.0 / W.shape[rows], rel=0.05)
    assert np.var(V) == pytest.approx(1.0 / V.shape[rows], rel=0.05)


def test_the_factors_of_the_ntk_parametrisation_are_no_part_of_the_weights(
    rng: np.random.Generator, X: np.ndarray
) -> None:
    net = ntk_network((D, M, 4, 1), rng, weight_scale=1.3, bias_scale=0.2, activation=huberised_relu(0.5))
    W_1, W_2, b_1, b_2, V = net.weights
    phi = net.activation

    def at(weights: tuple[np.ndarray, ...]) -> np.ndarray:
        first = phi.value_and_slope(1.3 / math.sqrt(D) * X @ weights[0] + 0.2 * weights[2])[0]
        second = phi.value_and_slope(1.3 / math.sqrt(M) * first @ weights[1] + 0.2 * weights[3])[0]
        return np.asarray(second @ weights[4] / math.sqrt(4))[:, 0]

    wide = ntk_network((400, 4000, 1), rng, bias_scale=0.2)
    assert [np.std(W) for W in wide.weights] == pytest.approx([1.0] * 3, rel=0.05)
    assert [W.shape for W in (W_1, W_2, b_1, b_2, V)] == [(D, M), (M, 4), (1, M), (1, 4), (4, 1)]
    np.testing.assert_allclose(forward(net, X).output, at(net.weights), rtol=1e-12, atol=1e-13)
    y = np.array([1.0, -1.0, 1.0, 1.0, -1.0])
    gradients = loss_gradient(net, forward(net, X), y, LOGISTIC)
    for k, G in enumerate(gradients):
        move = rng.standard_normal(G.shape)
        ends = []
        for sign in (1.0, -1.0):
            weights = tuple(W + sign * 1e-6 * move if at == k else W for at, W in enumerate(net.weights))
            ends.append(empirical_risk(LOGISTIC, y, at(weights)))
        assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(float(np.sum(G * move)), rel=1e-5, abs=1e-9)


def test_the_tangent_kernel_of_the_ntk_parametrisation_has_a_limit(rng: np.random.Generator) -> None:
    """Of two layers at one unit vector it is 2/d: E phi'^2 and E phi^2 are a half, each times weight_scale^2 = 2."""
    X = np.array([[1.0, 0.0, 0.0]])
    for m, rel in ((200, 0.5), (20_000, 0.05)):
        net = ntk_network((D, m, 1), rng)
        kernel = tangent_features(net, forward(net, X)).grams.sum()
        assert kernel == pytest.approx(2.0 / D, rel=rel)


def test_patches_are_added_up(rng: np.random.Generator) -> None:
    X = sliding_patches(rng.standard_normal((5, 9)), 3, 2)
    assert X.shape == (5, 4, 3)
    net = patch_network(4, 3, M, rng)
    wanted = sum(relu(X[:, p] @ net.weights[0]) for p in range(4)) @ net.v
    np.testing.assert_allclose(forward(net, X).output, wanted, rtol=1e-12, atol=1e-13)
    path = train(net, X, np.array([1.0, -1.0, 1.0, 1.0, -1.0]), LOGISTIC, 0.1, 20)
    assert path.loss[-1] < path.loss[0]
    wide = patch_network(2, 300, 400, rng)
    assert np.var(wide.weights[0]) == pytest.approx(2.0 / 300, rel=0.03)
    assert (wide.v.sum(), wide.v @ wide.v) == pytest.approx((0.0, 1.0), abs=1e-12)


def test_patches_lie_where_they_say() -> None:
    X = np.arange(12.0).reshape(2, 6)
    np.testing.assert_array_equal(sliding_patches(X, 2, 3), [[[0, 1], [3, 4]], [[6, 7], [9, 10]]])
    np.testing.assert_array_equal(sliding_patches(X, 6), X[:, np.newaxis])


def test_a_bias_moves_along_its_gradient_and_a_frozen_one_stays(rng: np.random.Generator, X: np.ndarray) -> None:
    targets = rng.standard_normal((5, 1, 2))
    for biases, moves in (("trained", True), ("frozen", False)):
        net = plain_network((D, M, 2), rng, biases=cast(Any, biases), bias_variance=0.3)
        path = train(net, X, targets, SQUARE, 0.05, 10)
        before, after = ((n.weights[1] if moves else n.frozen[0]) for n in (net, path.network))
        assert np.any(before != after) == moves
        assert path.loss[-1] < path.loss[0]
        assert empirical_risk(SQUARE, targets, forward(path.network, X).output) == pytest.approx(path.loss[-1])


def test_a_constant_coordinate_and_a_bias_are_one_network(rng: np.random.Generator, X: np.ndarray) -> None:
    W, b, v = rng.standard_normal((D, M)), rng.standard_normal((1, M)), rng.standard_normal(M)
    y = np.array([1.0, -1.0, 1.0, 1.0, -1.0])
    biased = Network((W, b), v, [Step(0, bias=1, bias_scale=0.7)])
    beside = Network((np.vstack([W, b]),), v)
    padded = np.column_stack([X, np.full(5, 0.7)])
    np.testing.assert_allclose(forward(biased, X).output, forward(beside, padded).output, rtol=1e-12)
    G_W, G_b = loss_gradient(biased, forward(biased, X), y, LOGISTIC)
    (G,) = loss_gradient(beside, forward(beside, padded), y, LOGISTIC)
    np.testing.assert_allclose(np.vstack([G_W, G_b]), G, rtol=1e-12, atol=1e-15)
    assert shifted(biased, (G_W, G_b), -0.1).weights[1].shape == (1, M)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda rng: plain_network((3, 2), rng), r"pass \(d, m_1, ..., m_L, outputs\), all positive, with L >= 1"),
        (lambda rng: plain_network((3, 2, 1), rng, fan=cast(Any, "both")), "counts the fan 'both': choose in or out"),
        (lambda rng: plain_network((3, 2, 1), rng, biases=cast(Any, "some")), "choose none, trained or frozen"),
        (lambda rng: patch_network(4, 3, 7, rng), "an even number of filters"),
        (lambda rng: sliding_patches(np.ones((2, 3)), 4), "patches of 4 of an array of shape"),
        (
            lambda rng: Network((np.ones((3, 4)), np.ones((4, 1))), np.ones(4), [Step(0, bias=1)]),
            r"W_2 has shape \(4, 1\) as the bias of step 1: pass \(1, 4\)",
        ),
        (lambda rng: Network((np.ones((3, 4)),), np.ones(4), [Step(0, RELU), Step(0, IDENTITY)]), "it needs 4 rows"),
    ],
)
def test_what_is_none_is_refused(rng: np.random.Generator, make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(rng)

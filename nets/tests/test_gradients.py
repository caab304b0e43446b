"""Gradients: against differences, by Euler's identity, and the norms computed from their factors."""

import dataclasses

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nets.core.arrays import Array
from nets.networks.forward import forward
from nets.networks.gradients import (
    backward,
    batch_mean,
    gradient_norms,
    loss_coefficients,
    loss_gradient,
    output_gradient,
    pair_frobenius,
    rank_one_pairs,
    weighted_pairs,
)
from nets.networks.losses import HUBERISED_HINGE, LOGISTIC, SQUARED_HINGE, Loss, empirical_risk
from nets.networks.network import Network, he_network, recurrent_network
from nets.tests.draws import cases, seeds

STEP = 1e-5


def _signs(n: int) -> Array:
    return np.resize([1.0, -1.0], n)


def _away_from_kinks(net: Network, X: Array) -> bool:
    """Whether no entry of a weight matrix, moved by STEP, can change an activation."""
    fwd = forward(net, X)
    largest = max(1.0, *(float(np.abs(x).max(initial=0.0)) for x in fwd.post))
    reach = STEP * largest * float(np.prod([1.0 + np.abs(W).sum() for W in net.weights]))
    return all(float(np.abs(z).min()) > reach for z in fwd.pre)


def _differences(net: Network, X: Array, layer: int, value) -> Array:  # type: ignore[no-untyped-def]
    """Central differences of value(outputs) in all entries of one layer."""
    W = net.weights[layer]
    slopes = np.empty_like(W)
    for index in np.ndindex(W.shape):
        ends = []
        for sign in (1.0, -1.0):
            moved = W.copy()
            moved[index] += sign * STEP
            weights = (*net.weights[:layer], moved, *net.weights[layer + 1 :])
            ends.append(value(forward(Network(weights, net.v), X).output))
        slopes[index] = (ends[0] - ends[1]) / (2.0 * STEP)
    return slopes


@given(cases(depths=(1, 3), samples=3), seeds)
def test_output_gradient_is_the_limit_of_differences(case: tuple[Network, Array], seed: int) -> None:
    net, X = case
    assume(_away_from_kinks(net, X))
    coefficients = np.random.default_rng(seed).standard_normal(X.shape[:1])
    gradients = output_gradient(net, forward(net, X), coefficients)
    for layer, gradient in enumerate(gradients):
        differences = _differences(net, X, layer, lambda output: output @ coefficients)
        # f is linear in each entry between kinks, so only rounding is left: eps |f|/STEP, about 1e-9.
        np.testing.assert_allclose(gradient, differences, rtol=1e-7, atol=1e-7)


@given(cases(depths=(1, 3), samples=3), st.sampled_from([LOGISTIC, SQUARED_HINGE]))
def test_loss_gradient_is_the_limit_of_differences(case: tuple[Network, Array], loss: Loss) -> None:
    net, X = case
    assume(_away_from_kinks(net, X))
    y = _signs(X.shape[0])
    fwd = forward(net, X)
    # The second derivative of the squared hinge jumps where the margin is 1.
    assume(np.abs(1.0 - y * fwd.output).min() > 1e-2)
    for layer, gradient in enumerate(loss_gradient(net, fwd, y, loss)):
        differences = _differences(net, X, layer, lambda output: empirical_risk(loss, y, output))
        # Rounding as above, and STEP^2/6 times a third derivative of at most the cube of a layer output.
        np.testing.assert_allclose(gradient, differences, rtol=1e-5, atol=1e-5)


@given(cases(samples=4))
def test_a_backward_pass_serves_the_gradients_of_all_batches(case: tuple[Network, Array]) -> None:
    net, X = case
    y, fwd = _signs(X.shape[0]), forward(net, X)
    bwd, slopes = backward(net, fwd), y * LOGISTIC.derivative(y * fwd.output)
    for batch in (np.arange(1), np.arange(X.shape[0])):
        shared = output_gradient(net, fwd, batch_mean(slopes, batch), bwd)
        alone = loss_gradient(net, fwd, y, LOGISTIC, batch)
        assert all(np.array_equal(one, other) for one, other in zip(shared, alone, strict=True))


@given(cases())
def test_euler_identity_in_every_layer(case: tuple[Network, Array]) -> None:
    net, X = case
    fwd = forward(net, X)
    scale = 1e-11 * (1.0 + np.abs(fwd.post[-1]).sum())
    for i, f in enumerate(fwd.output):
        for W, gradient in zip(net.weights, output_gradient(net, fwd, np.eye(X.shape[0])[i]), strict=True):
            assert abs(np.sum(W * gradient) - f) <= scale


@given(cases())
def test_backward_vectors_follow_the_definition(case: tuple[Network, Array]) -> None:
    net, X = case
    fwd = forward(net, X)
    bwd = backward(net, fwd)
    for i in range(X.shape[0]):
        arriving = net.v
        for layer in reversed(range(net.depth)):
            b = np.diag(fwd.masks[layer][i]) @ arriving
            arriving = net.weights[layer] @ b
            np.testing.assert_allclose(bwd.b[layer][i], b, rtol=1e-11, atol=1e-11)
            np.testing.assert_allclose(bwd.q[layer][i], arriving, rtol=1e-11, atol=1e-11)


@given(cases())
def test_last_q_reproduces_the_output(case: tuple[Network, Array]) -> None:
    net, X = case
    fwd = forward(net, X)
    products = np.sum(backward(net, fwd).q[0] * X, axis=1)
    np.testing.assert_allclose(products, fwd.output, atol=1e-11 * (1.0 + np.abs(fwd.post[-1]).sum()))


@given(cases(), seeds)
def test_pairs_add_up_to_the_gradient(case: tuple[Network, Array], seed: int) -> None:
    net, X = case
    fwd = forward(net, X)
    c = np.random.default_rng(seed).standard_normal(X.shape[:1])
    gradients = output_gradient(net, fwd, c)
    for (left, right), gradient in zip(rank_one_pairs(fwd, backward(net, fwd)), gradients, strict=True):
        total = sum(c[i] * np.outer(left[i], right[i]) for i in range(X.shape[0]))
        np.testing.assert_allclose(gradient, total, rtol=1e-11, atol=1e-11)


@given(cases(), seeds)
def test_norms_from_factors_are_those_of_the_gradients(case: tuple[Network, Array], seed: int) -> None:
    net, X = case
    fwd = forward(net, X)
    c = np.random.default_rng(seed).standard_normal(X.shape[:1])
    spectral, frobenius = gradient_norms(fwd, backward(net, fwd), c)
    np.testing.assert_array_equal(pair_frobenius(weighted_pairs(net, fwd, c)), frobenius)
    gradients = output_gradient(net, fwd, c)
    np.testing.assert_allclose(spectral, [np.linalg.norm(G, 2) for G in gradients], rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(frobenius, [np.linalg.norm(G) for G in gradients], rtol=1e-11, atol=1e-13)


def test_another_direction_takes_the_place_of_v() -> None:
    net = he_network((3, 5, 4), np.random.default_rng(0))
    fwd = forward(net, np.ones((2, 3)))
    direction = np.arange(4.0)
    replaced = backward(Network(net.weights, direction), fwd)
    found = backward(net, fwd, np.tile(direction, (2, 1)))
    assert all(np.array_equal(a, b) for a, b in zip(found.q, replaced.q, strict=True))


def test_foreign_masks_are_used() -> None:
    net = he_network((3, 5, 4), np.random.default_rng(0))
    fwd = forward(net, np.ones((1, 3)))
    closed = dataclasses.replace(fwd, masks=tuple(np.zeros_like(mask) for mask in fwd.masks))
    assert not any(q.any() for q in backward(net, closed).q)


def test_batch_counts_only_its_samples() -> None:
    net = he_network((3, 5, 4), np.random.default_rng(0))
    X, y = np.random.default_rng(1).standard_normal((4, 3)), _signs(4)
    batch = np.array([0, 2])
    whole = loss_gradient(net, forward(net, X[batch]), y[batch], HUBERISED_HINGE)
    part = loss_gradient(net, forward(net, X), y, HUBERISED_HINGE, batch)
    for a, b in zip(part, whole, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def test_coefficients_of_other_length_are_refused() -> None:
    net = he_network((3, 4), np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"the coefficients have shape \(1,\): pass \(2,\), one per sample"):
        output_gradient(net, forward(net, np.ones((2, 3))), [1.0])


def test_nan_sample_makes_gradients_and_norms_nan() -> None:
    net = he_network((3, 6, 4), np.random.default_rng(0))
    fwd = forward(net, np.full((1, 3), np.nan))
    assert all(np.isnan(G).all() for G in output_gradient(net, fwd, [1.0]))
    assert np.isnan(gradient_norms(fwd, backward(net, fwd), [1.0])).all()
    assert np.isnan(pair_frobenius(weighted_pairs(net, fwd, [1.0]))).all()
    assert np.isnan(loss_coefficients(fwd, [1.0], LOGISTIC)).all()


@pytest.mark.parametrize("stored", [np.inf, 0])
def test_of_a_recurrent_network_no_step_from_zero_is_asked(stored: float) -> None:
    rng = np.random.default_rng(6)
    net, X = recurrent_network(3, 7, 2, 3, rng, stored=stored), rng.standard_normal((4, 3, 3))
    fwd, coefficients = forward(net, X), rng.standard_normal((4, 3, 2))
    whole, part = (backward(net, fwd, coefficients=coefficients, first=first).b for first in (0, 1))
    assert part[0].size == 0
    for one, other in zip(whole[1:], part[1:], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    expected = sum(x.T @ b for x, b in zip(fwd.post[:-1], whole, strict=True))
    ((left, right),) = weighted_pairs(net, fwd, coefficients)
    assert len(left) == 2 * len(X)
    np.testing.assert_allclose(left.T @ right, expected, rtol=1e-10, atol=1e-12)

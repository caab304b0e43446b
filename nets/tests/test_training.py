"""Training: the two steps, unbiased batches, and the record of a run against the run itself."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, chisquare

from nets.core.arrays import Array
from nets.descent.training import all_batches, descent_step, draw_batch, draw_batches, gradient_step, sgd_step, train
from nets.networks.forward import forward
from nets.networks.gradients import backward, loss_gradient
from nets.networks.losses import HUBERISED_HINGE, LOGISTIC, SQUARED_HINGE, empirical_risk
from nets.networks.network import Network, he_network
from nets.networks.operators import flip_counts, operator_norm
from nets.tests.draws import cases, seeds


def _signs(n: int) -> Array:
    return np.resize([1.0, -1.0], n)


def _problem() -> tuple[Network, Array, Array]:
    rng = np.random.default_rng(11)
    return he_network((4, 12, 10), rng), rng.standard_normal((5, 4)), _signs(5)


@given(cases())
def test_all_layers_move_along_the_old_gradients(case: tuple[Network, Array]) -> None:
    net, X = case
    y = _signs(X.shape[0])
    old = loss_gradient(net, forward(net, X), y, LOGISTIC)
    moved = gradient_step(net, X, y, LOGISTIC, 0.1)
    for W, V, G in zip(net.weights, moved.weights, old, strict=True):
        np.testing.assert_array_equal(V, W - 0.1 * G)


def test_a_step_gives_the_gradients_it_went_along_of_all_samples_or_of_a_batch() -> None:
    net, X, y = _problem()
    fwd, batch = forward(net, X), np.array([0, 3])
    for chosen in (None, batch):
        after, gradients = descent_step(net, fwd, y, LOGISTIC, 0.5, chosen, backward(net, fwd))
        for W, V, G, wanted in zip(
            net.weights, after.weights, gradients, loss_gradient(net, fwd, y, LOGISTIC, chosen), strict=True
        ):
            np.testing.assert_array_equal(G, wanted)
            np.testing.assert_array_equal(V, W - 0.5 * G)


def test_layer_by_layer_descent_is_another_thing() -> None:
    net, X, y = _problem()
    together, one_by_one = gradient_step(net, X, y, SQUARED_HINGE, 0.1), net
    for layer in range(net.depth):
        G = loss_gradient(one_by_one, forward(one_by_one, X), y, SQUARED_HINGE)[layer]
        weights = list(one_by_one.weights)
        weights[layer] = weights[layer] - 0.1 * G
        one_by_one = Network(tuple(weights), net.v)
    assert operator_norm(together.weights[-1] - one_by_one.weights[-1]) > 1e-3


@pytest.mark.parametrize(("n", "size"), [(1, 1), (4, 2), (5, 1), (6, 3), (6, 6)])
def test_batch_gradient_is_unbiased(n: int, size: int) -> None:
    rng = np.random.default_rng(n)
    net, X, y = he_network((3, 6, 4), rng), rng.standard_normal((n, 3)), _signs(n)
    fwd = forward(net, X)
    batches = all_batches(n, size)
    assert batches.shape == (math.comb(n, size), size)
    drawn = [loss_gradient(net, fwd, y, LOGISTIC, batch) for batch in batches]
    for layer, whole in enumerate(loss_gradient(net, fwd, y, LOGISTIC)):
        np.testing.assert_allclose(np.mean([G[layer] for G in drawn], axis=0), whole, rtol=0, atol=1e-12)


@settings(max_examples=5)
@given(seeds)
def test_batches_are_drawn_without_replacement_and_alike(seed: int) -> None:
    rng, draws = np.random.default_rng(seed), 3000
    counts = Counter(tuple(draw_batch(4, 2, rng)) for _ in range(draws))
    subsets = {tuple(batch) for batch in all_batches(4, 2)}
    assert set(counts) <= subsets
    for subset in subsets:
        assert binom.cdf(counts[subset], draws, 1 / 6) > 1e-10
        assert binom.sf(counts[subset] - 1, draws, 1 / 6) > 1e-10


def test_many_batches_are_drawn_as_one_is() -> None:
    found = draw_batches(5, 3, 4000, np.random.default_rng(3))
    assert found.shape == (4000, 3)
    kinds, counts = np.unique(found, axis=0, return_counts=True)
    np.testing.assert_array_equal(kinds, all_batches(5, 3))
    assert chisquare(counts).pvalue > 1e-6
    with pytest.raises(ValueError, match="choose 1 <= size <= n"):
        draw_batches(2, 3, 1, np.random.default_rng(3))


@pytest.mark.parametrize("size", [0, 5])
def test_batch_of_impossible_size_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"a batch of {size} out of 4 samples: choose 1 <= size <= n"):
        draw_batch(4, size, np.random.default_rng(0))


def test_sgd_step_uses_the_drawn_batch() -> None:
    net, X, y = _problem()
    moved = sgd_step(net, X, y, LOGISTIC, 0.1, 2, np.random.default_rng(3))
    batch = draw_batch(5, 2, np.random.default_rng(3))
    expected = gradient_step(net, X[batch], y[batch], LOGISTIC, 0.1)
    for V, W in zip(moved.weights, expected.weights, strict=True):
        np.testing.assert_allclose(V, W, rtol=1e-12, atol=1e-14)


def test_record_agrees_with_the_steps_taken() -> None:
    net, X, y = _problem()
    run = train(net, X, y, HUBERISED_HINGE, 0.05, 4)
    first, current = forward(net, X), net
    for k in range(5):
        fwd = forward(current, X)
        slopes = HUBERISED_HINGE.derivative(y * fwd.output)
        assert run.loss[k] == pytest.approx(empirical_risk(HUBERISED_HINGE, y, fwd.output), rel=1e-12)
        assert run.derivative_sum[k] == pytest.approx(slopes.sum(), rel=1e-12)
        gradients = loss_gradient(current, fwd, y, HUBERISED_HINGE)
        np.testing.assert_allclose(run.gradient_norms[k], [np.linalg.norm(G) for G in gradients], rtol=1e-12)
        np.testing.assert_array_equal(run.flips[k], flip_counts(first, fwd).max(axis=0))
        drifts = [V - W for V, W in zip(current.weights, net.weights, strict=True)]
        np.testing.assert_allclose(run.drift_frobenius[k], [np.linalg.norm(D) for D in drifts], rtol=1e-12)
        furthest = [max(np.linalg.norm(D[:, r]) for r in range(D.shape[1])) for D in drifts]
        np.testing.assert_allclose(run.drift_neurons[k], furthest, rtol=1e-12)
        np.testing.assert_allclose(run.drift_operator[k], [operator_norm(D) for D in drifts], rtol=1e-12)
        if k < 4:
            current = gradient_step(current, X, y, HUBERISED_HINGE, 0.05)
    for V, W in zip(run.network.weights, current.weights, strict=True):
        np.testing.assert_allclose(V, W, rtol=1e-12, atol=1e-14)


@given(st.integers(0, 7), st.integers(1, 9))
def test_operator_norms_are_taken_now_and_then_and_at_the_end(steps: int, every: int) -> None:
    net, X, y = _problem()
    sparse = train(net, X, y, LOGISTIC, 0.05, steps, drift_every=every)
    dense = train(net, X, y, LOGISTIC, 0.05, steps)
    assert sparse.drift_steps[0] == 0
    assert sparse.drift_steps[-1] == steps
    assert np.all(np.diff(sparse.drift_steps) <= every)
    np.testing.assert_allclose(sparse.drift_operator, dense.drift_operator[sparse.drift_steps], rtol=1e-12)
    assert sparse.loss.shape == (steps + 1,)
    assert sparse.drift_frobenius.shape == (steps + 1, 2)


def test_small_steps_lower_the_loss() -> None:
    net, X, y = _problem()
    assert np.all(np.diff(train(net, X, y, LOGISTIC, 1e-3, 10).loss) < 0.0)


def test_full_batches_are_gradient_descent() -> None:
    net, X, y = _problem()
    whole = train(net, X, y, LOGISTIC, 0.05, 3)
    batched = train(net, X, y, LOGISTIC, 0.05, 3, batch_size=5, rng=np.random.default_rng(0))
    np.testing.assert_allclose(batched.loss, whole.loss, rtol=1e-12)


def test_small_batches_are_not() -> None:
    net, X, y = _problem()
    whole = train(net, X, y, LOGISTIC, 0.05, 3)
    batched = train(net, X, y, LOGISTIC, 0.05, 3, batch_size=1, rng=np.random.default_rng(0))
    assert not np.allclose(batched.loss, whole.loss, rtol=1e-6)


def test_batches_without_generator_are_refused() -> None:
    net, X, y = _problem()
    with pytest.raises(ValueError, match="batches of 2 need a generator: pass rng"):
        train(net, X, y, LOGISTIC, 0.05, 3, batch_size=2)


def test_no_neuron_moves_further_than_all_together_and_the_furthest_at_least_as_far_as_on_average() -> None:
    net, X, y = _problem()
    run = train(net, X, y, LOGISTIC, 0.5, 6)
    assert np.all(run.drift_neurons[0] == 0.0)
    assert np.all(run.drift_neurons <= run.drift_operator * (1.0 + 1e-12))
    widths = np.array([W.shape[1] for W in net.weights])
    assert np.all(run.drift_neurons[1:] >= run.drift_frobenius[1:] / np.sqrt(widths) * (1.0 - 1e-12))


def test_nan_sample_shows_in_the_record() -> None:
    net, X, y = _problem()
    X[0, 0] = np.nan
    run = train(net, X, y, LOGISTIC, 0.05, 1)
    assert np.isnan(run.loss).all()
    assert np.isnan(run.derivative_sum).all()
    assert np.isnan(run.drift_operator[1]).all()
    assert np.isnan(run.drift_neurons[1]).all()

"""What is written for stored layers gives the same numbers on revealed layers with the same entries."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nets.core.arrays import Array
from nets.descent.training import sgd_step, train
from nets.linear_algebra.lanczos import NormInterval
from nets.linear_algebra.lowrank import LowRank, outer, sum_of
from nets.linear_algebra.revealed import RevealedGaussian
from nets.networks.forward import Forward, forward
from nets.networks.gradients import backward, gradient_norms, loss_gradient, output_gradient
from nets.networks.losses import LOGISTIC, SQUARED_HINGE
from nets.networks.network import STORED_ENTRIES, Network, gaussian_network, he_network, perturbed, revealed_network
from nets.networks.operators import (
    flip_counts,
    frobenius_norm,
    masked_product,
    masked_product_operator,
    norm_interval,
    operator_norm,
)
from nets.tests.draws import seeds, widths


def _stored(net: Network) -> Network:
    """The same network with every layer written out, once it has been used."""
    return Network(tuple(np.ascontiguousarray(np.eye(W.shape[0]) @ W) for W in net.weights), net.v)


def _case(seed: int, sizes: tuple[int, ...], n: int) -> tuple[Network, Array, Array]:
    rng = np.random.default_rng(seed)
    return revealed_network(sizes, rng), rng.standard_normal((n, sizes[0])), np.resize([1.0, -1.0], n)


def _close(found: Any, wanted: Any) -> None:
    """Equal up to rounding, matrix by matrix; factored ones are written out."""
    for a, b in zip(found, wanted, strict=True):
        stored = a.dense() if isinstance(a, LowRank) else a
        np.testing.assert_allclose(stored, b, rtol=1e-9, atol=1e-10)


@settings(max_examples=40)
@given(seeds, widths(), st.integers(1, 5))
def test_passes_and_gradients_agree(seed: int, sizes: tuple[int, ...], n: int) -> None:
    net, X, y = _case(seed, sizes, n)
    fwd = forward(net, X)
    bwd = backward(net, fwd)
    gradients, risk = output_gradient(net, fwd, y), loss_gradient(net, fwd, y, LOGISTIC)
    stored = _stored(net)
    wanted = forward(stored, X)
    _close((*fwd.pre, *fwd.post, fwd.output), (*wanted.pre, *wanted.post, wanted.output))
    _close((*bwd.b, *bwd.q), (*backward(stored, wanted).b, *backward(stored, wanted).q))
    _close(gradients, output_gradient(stored, wanted, y))
    _close(risk, loss_gradient(stored, wanted, y, LOGISTIC))
    assert all(isinstance(G, LowRank) for G in gradients)
    for kind in (0, 1):
        found = gradient_norms(fwd, bwd, y)[kind]
        np.testing.assert_allclose(found, gradient_norms(wanted, backward(stored, wanted), y)[kind], rtol=1e-8)


@settings(max_examples=20)
@given(seeds, widths(), st.integers(1, 4), st.booleans())
def test_training_agrees(seed: int, sizes: tuple[int, ...], n: int, batches: bool) -> None:
    net, X, y = _case(seed, sizes, n)
    how: dict[str, Any] = {"batch_size": 1} if batches else {}
    run = train(net, X, y, SQUARED_HINGE, 0.02, 5, **how, rng=np.random.default_rng(1))
    wanted = train(_stored(net), X, y, SQUARED_HINGE, 0.02, 5, **how, rng=np.random.default_rng(1))
    for name in ("loss", "derivative_sum", "gradient_norms", "flips", "drift_frobenius", "drift_neurons"):
        np.testing.assert_allclose(getattr(run, name), getattr(wanted, name), rtol=1e-7, atol=1e-9, err_msg=name)
    np.testing.assert_allclose(run.drift_operator, wanted.drift_operator, rtol=1e-7, atol=1e-9)
    _close(_stored(run.network).weights, wanted.network.weights)
    # The start is untouched: training shares what is revealed and keeps its steps to itself.
    assert all(not W.update.any() for W in net.weights)


def test_stochastic_step_keeps_the_terms_of_its_batch_alone() -> None:
    net, X, y = _case(0, (4, 8, 6), 5)
    moved = sgd_step(net, X, y, LOGISTIC, 0.1, 2, np.random.default_rng(0))
    assert all(W.update.left.shape[0] <= 2 for W in moved.weights)


@settings(max_examples=30)
@given(seeds, widths(depths=(2, 4)), st.integers(1, 3))
def test_masked_products_agree(seed: int, sizes: tuple[int, ...], n: int) -> None:
    net, X, _ = _case(seed, sizes, n)
    fwd, depth = forward(net, X), net.depth
    stored, rng = _stored(net), np.random.default_rng(seed)
    for l1, l2 in [(1, depth), (2, depth), (1, 1)]:
        product = masked_product(stored, fwd, n - 1, l1, l2)
        for kind in (net, stored):
            operator = masked_product_operator(kind, fwd, n - 1, l1, l2)
            V, U = rng.standard_normal((product.shape[1], 2)), rng.standard_normal((product.shape[0], 3))
            np.testing.assert_allclose(operator @ V, product @ V, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(operator.T @ U, product.T @ U, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(operator.matvec(V[:, 0]), product @ V[:, 0], rtol=1e-9, atol=1e-9)
            interval = norm_interval(operator, rng, steps=40)
            assert interval.low <= operator_norm(product) * (1 + 1e-9)
            assert operator_norm(product) <= interval.high * (1 + 1e-9)


def test_masked_product_of_impossible_layers_is_refused() -> None:
    net, X, _ = _case(0, (3, 4, 4), 1)
    with pytest.raises(ValueError, match="layers l1=2, l2=1 of a network of depth 2"):
        masked_product_operator(net, forward(net, X), 0, 2, 1)


@given(seeds, widths())
def test_steps_move_both_kinds_alike(seed: int, sizes: tuple[int, ...]) -> None:
    net, X, _ = _case(seed, sizes, 2)
    rng, before = np.random.default_rng(seed), forward(net, X)
    stored = _stored(net)
    factors = [(rng.standard_normal((2, W.shape[0])), rng.standard_normal((2, W.shape[1]))) for W in net.weights]
    moved = perturbed(net, [outer(W, *pair) for W, pair in zip(net.weights, factors, strict=True)])
    wanted = perturbed(stored, [outer(W, *pair) for W, pair in zip(stored.weights, factors, strict=True)])
    after = forward(moved, X)
    _close(after.pre, forward(wanted, X).pre)
    np.testing.assert_array_equal(flip_counts(before, after), flip_counts(forward(stored, X), forward(wanted, X)))
    # A second look at the start: the step did not touch it.
    _close(forward(net, X).pre, before.pre)
    for W, V, A, B in zip(net.weights, moved.weights, stored.weights, wanted.weights, strict=True):
        assert operator_norm(V - W) == pytest.approx(operator_norm(B - A), rel=1e-8)
        assert frobenius_norm(V - W) == pytest.approx(frobenius_norm(B - A), rel=1e-7)


def test_layers_are_stored_up_to_a_size_and_revealed_beyond() -> None:
    net = gaussian_network((4, 1024, 8192, 2), np.random.default_rng(0))
    assert [isinstance(W, RevealedGaussian) for W in net.weights] == [
        W.shape[0] * W.shape[1] > STORED_ENTRIES for W in net.weights
    ]
    assert [isinstance(W, RevealedGaussian) for W in net.weights] == [False, True, False]
    assert net.widths == (4, 1024, 8192, 2)


@pytest.mark.parametrize("make", [he_network, revealed_network, gaussian_network])
@pytest.mark.parametrize("sizes", [(3,), (3, 0), ()])
def test_impossible_widths_are_refused(make: Any, sizes: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="widths are"):
        make(sizes, np.random.default_rng(0))


@given(seeds, st.integers(1, 5), st.integers(1, 6), st.integers(0, 7))
def test_norms_from_factors_are_those_of_the_matrix(seed: int, rows: int, cols: int, p: int) -> None:
    rng = np.random.default_rng(seed)
    step = LowRank(rng.standard_normal((p, rows)), rng.standard_normal((p, cols)))
    dense = step.dense()
    assert step.norms() == pytest.approx((np.linalg.norm(dense, 2), np.linalg.norm(dense)), rel=1e-9, abs=1e-12)
    assert step.frobenius() == pytest.approx(np.linalg.norm(dense), rel=1e-7, abs=1e-7)
    X = rng.standard_normal((2, rows))
    np.testing.assert_allclose(X @ (0.5 * -step), -0.5 * (X @ dense), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose((step.T).dense(), dense.T)
    np.testing.assert_allclose(sum_of([step, step], step.shape).dense(), 2.0 * dense, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(dense - step, 0.0, atol=1e-12)
    np.testing.assert_allclose(dense + step, 2.0 * dense, rtol=1e-12)


def test_nan_in_a_factor_shows_in_the_norms() -> None:
    step = LowRank(np.array([[1.0, np.nan]]), np.ones((1, 3)))
    assert np.isnan([*step.norms(), step.frobenius()]).all()


def test_factors_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="the factors have 2 and 3 rows"):
        LowRank(np.ones((2, 4)), np.ones((3, 5)))


def test_norm_interval_leaves_small_matrices_to_the_singular_values() -> None:
    rng = np.random.default_rng(3)
    small, step = rng.standard_normal((40, 500)), LowRank(rng.standard_normal((2, 900)), rng.standard_normal((2, 800)))
    for A in (small, step):
        assert norm_interval(A, rng) == NormInterval(operator_norm(A), operator_norm(A), 0, 0)
    large = rng.standard_normal((300, 400))
    found = norm_interval(large, rng)
    assert found.steps == 12
    assert found.low < operator_norm(large) < found.high


def test_wide_layers_train_without_being_stored() -> None:
    rng = np.random.default_rng(0)
    net = gaussian_network((8, 20_000, 20_000), rng)
    X = rng.standard_normal((3, 8))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    run = train(net, X, np.array([1.0, -1.0, 1.0]), LOGISTIC, 1e-5, 4)
    assert np.all(np.diff(run.loss) < 0.0)
    assert np.all(run.drift_operator[1:] > 0.0)
    assert np.all(run.drift_operator <= run.drift_frobenius * (1.0 + 1e-9))


def test_pass_of_a_revealed_network_has_canonical_arrays() -> None:
    net, X, _ = _case(1, (3, 6, 4), 2)
    fwd: Forward = forward(net, X)
    for array in (*fwd.pre, *fwd.post, *fwd.masks, *backward(net, fwd).b):
        assert array.dtype == np.float64
        assert array.flags.c_contiguous

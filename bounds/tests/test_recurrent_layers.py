"""The limits of products of hidden states, against integrals known in closed form and against wide networks."""

import math

import numpy as np
import pytest

from bounds.laws.recurrent_layers import leftover_limits, recurrent_kernel, state_products

INPUTS = np.random.default_rng(0).standard_normal((2, 3, 4))


def test_one_time_is_one_layer() -> None:
    X = np.array([[[1.0, 0.0]], [[0.0, 2.0]], [[-1.0, 0.0]]])
    expected = np.array([[1.0, 2.0 / math.pi, 0.0], [2.0 / math.pi, 4.0, 2.0 / math.pi], [0.0, 2.0 / math.pi, 1.0]])
    np.testing.assert_allclose(state_products(X)[0, :, 0], expected, atol=1e-15)


def test_zero_inputs_keep_the_norm_and_times_are_correlated() -> None:
    X = np.zeros((1, 3, 2))
    X[0, 0, 0] = 1.0
    products = state_products(X)[:, 0, :, 0]
    np.testing.assert_allclose(np.diag(products), 1.0)
    # The first two pre-activations are independent; the next two are as much correlated as the first states.
    angle = math.acos(1.0 / math.pi)
    assert products[1, 0] == pytest.approx(1.0 / math.pi)
    assert products[2, 1] == pytest.approx((math.sin(angle) + (math.pi - angle) / math.pi) / math.pi)


def test_norms_add_up_the_inputs() -> None:
    norms = np.einsum("lili->il", state_products(INPUTS))
    np.testing.assert_allclose(norms, np.cumsum(np.sum(INPUTS**2, axis=2), axis=1))


def test_products_are_those_of_a_wide_network() -> None:
    m, rng = 4000, np.random.default_rng(1)
    W, A = rng.normal(0.0, math.sqrt(2.0 / m), (m, m)), rng.normal(0.0, math.sqrt(2.0 / m), (4, m))
    state, states = np.zeros((2, m)), []
    for time in range(3):
        state = np.maximum(state @ W + INPUTS[:, time] @ A, 0.0)
        states.append(state)
    rows = np.concatenate(states)
    np.testing.assert_allclose(state_products(INPUTS).reshape(6, 6), rows @ rows.T, atol=0.8)
    last = np.linalg.lstsq(rows[:4].T, rows[4], rcond=None)
    assert leftover_limits(INPUTS)[0, 2] == pytest.approx(math.sqrt(last[1].item()), rel=0.1)


def test_equal_sequences_have_the_leftovers_of_one() -> None:
    alone = leftover_limits(INPUTS[:1])
    np.testing.assert_allclose(leftover_limits(INPUTS[[0, 0]]), alone[[0, 0]], rtol=1e-9)


def test_inputs_of_other_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="2 axes"):
        state_products(np.ones((2, 3)))


def test_the_kernel_of_two_times_is_a_product_of_states_and_gates() -> None:
    kernel = recurrent_kernel(INPUTS[:, :2])
    assert not kernel[0].any()
    assert not kernel[:, :, 0].any()
    states = state_products(INPUTS)[0, :, 0]
    covariance = states + INPUTS[:, 1] @ INPUTS[:, 1].T
    cosine = covariance[0, 1] / math.sqrt(covariance[0, 0] * covariance[1, 1])
    np.testing.assert_allclose(np.diag(kernel[1, :, 1]), 0.5 * np.diag(states))
    assert kernel[1, 0, 1, 1] == pytest.approx(0.5 * states[0, 1] * (1.0 - math.acos(cosine) / math.pi))


def test_the_kernel_is_that_of_a_wide_network() -> None:
    m, rng, X = 1000, np.random.default_rng(2), INPUTS[:, [0, 1, 2, 0]]
    found = np.zeros((8, 8))
    for _ in range(12):
        W, A = rng.normal(0.0, math.sqrt(2.0 / m), (m, m)), rng.normal(0.0, math.sqrt(2.0 / m), (4, m))
        states, gates = [np.zeros((2, m))], []
        for time in range(4):
            gates.append(states[-1] @ W + X[:, time] @ A > 0.0)
            states.append(np.where(gates[-1], states[-1] @ W + X[:, time] @ A, 0.0))
        read = rng.standard_normal(m)
        # Gradients as lists of outer products: of the state before a time and what comes back to it.
        pairs = []
        for last in range(4):
            back = np.where(gates[last], read, 0.0)
            for time in range(last, -1, -1):
                pairs += [(2 * last + i, states[time][i], back[i]) for i in range(2)]
                back = np.where(gates[time - 1], back @ W.T, 0.0)
        owner = np.array([row for row, _, _ in pairs])
        before, after = (np.array([pair[part] for pair in pairs]) for part in (1, 2))
        inner = (before @ before.T) * (after @ after.T) / m
        choose = (owner == np.arange(8)[:, np.newaxis]).astype(float)
        found += choose @ inner @ choose.T / 12
    limit = recurrent_kernel(X).reshape(8, 8)
    assert np.abs(found - limit).max() < 0.1 * limit.max()

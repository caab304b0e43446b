"""Passes are of the gain asked for, and norms along time are those of their formulas."""

import numpy as np

from nets.networks.forward import forward
from properties.allenzhu2018rnn.forward_norms import (
    arriving_norms,
    ends_multiplied,
    fresh_answers,
    fresh_pass,
    input_energy,
    preactivation_norms,
    recurrent_pass,
    state_norms,
)
from properties.allenzhu2018rnn.sequences import sequences

X = sequences(2, 4, 3, np.random.default_rng(0))


def by_hand(W: np.ndarray, A: np.ndarray) -> list[np.ndarray]:
    state, states = np.zeros((2, len(W))), []
    for time in range(4):
        state = np.maximum(state @ W + X[:, time] @ A, 0.0)
        states.append(state)
    return states


def test_a_gain_multiplies_the_weights() -> None:
    net, fwd = recurrent_pass(X, 7, np.random.default_rng(1), gain=3.0)
    factor = np.sqrt(1.5)
    states = by_hand(factor * net.weights[0], factor * net.frozen[0])
    np.testing.assert_allclose(fwd.post[-1], states[-1], rtol=1e-12)
    net, fwd = recurrent_pass(X, 7, np.random.default_rng(1))
    np.testing.assert_allclose(fwd.post[-1], by_hand(net.weights[0], net.frozen[0])[-1], rtol=1e-12)


def test_a_fresh_pass_has_a_matrix_for_every_time() -> None:
    fwd = fresh_pass(X, 400, np.random.default_rng(2))
    assert state_norms(fwd).shape == (2, 4)
    np.testing.assert_allclose(state_norms(fwd), input_energy(X), rtol=0.3)


def test_the_last_state_of_the_last_sequence_alone_is_multiplied() -> None:
    fwd = recurrent_pass(X, 9, np.random.default_rng(5))[1]
    spoilt = ends_multiplied(fwd, 3.0)
    factors = np.ones((2, 4))
    factors[-1, -1] = 3.0
    np.testing.assert_allclose(state_norms(spoilt), factors * state_norms(fwd), rtol=1e-15)
    np.testing.assert_allclose(preactivation_norms(spoilt), factors * preactivation_norms(fwd), rtol=1e-15)
    assert ends_multiplied(fwd, 1.0) is fwd
    first = np.ones((2, 4))
    first[-1, 0] = 0.5
    both = ends_multiplied(fwd, 3.0, 0.5)
    np.testing.assert_allclose(state_norms(both), first * factors * state_norms(fwd), rtol=1e-15)
    np.testing.assert_allclose(preactivation_norms(both), first * factors * preactivation_norms(fwd), rtol=1e-15)


def test_norms_by_hand() -> None:
    net, fwd = recurrent_pass(X, 9, np.random.default_rng(3))
    states = by_hand(net.weights[0], net.frozen[0])
    np.testing.assert_allclose(state_norms(fwd)[1, 2], np.linalg.norm(states[2][1]), rtol=1e-13)
    g = states[1] @ net.weights[0] + X[:, 2] @ net.frozen[0]
    np.testing.assert_allclose(preactivation_norms(fwd)[:, 2], np.linalg.norm(g, axis=1), rtol=1e-13)
    expected = np.sqrt(np.sum(states[1][0] ** 2) + np.sum(X[0, 2] ** 2))
    np.testing.assert_allclose(arriving_norms(fwd, X)[0, 2], expected, rtol=1e-13)
    np.testing.assert_allclose(arriving_norms(fwd, X)[:, 0], 1.0, rtol=1e-13)
    np.testing.assert_allclose(input_energy(X)[1, 1] ** 2, 1.0 + np.sum(X[1, 1] ** 2), rtol=1e-13)


def test_fresh_answers_are_those_of_the_frame() -> None:
    net, fwd = recurrent_pass(X, 32, np.random.default_rng(4))
    answers = fresh_answers(net, fwd)
    assert answers.shape == (8, 32)
    first = fwd.post[1][0] / np.linalg.norm(fwd.post[1][0])
    np.testing.assert_allclose(answers[0], first @ net.weights[0], rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(forward(net, X).post[-1], fwd.post[-1])

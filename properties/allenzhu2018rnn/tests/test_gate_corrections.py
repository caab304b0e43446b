"""Gate corrections: the exact diagonal at kinks, the three networks as defined, and steps from kinks."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.random import Generator

from nets.networks.network import recurrent_network
from nets.networks.operators import operator_norm
from properties.allenzhu2018rnn.descent import gradient, objective
from properties.allenzhu2018rnn.gate_corrections import ThreeNetworks, gate_correction, kinked
from properties.allenzhu2018rnn.sequences import sequences


def three_networks(seed: int = 0) -> tuple[Generator, ThreeNetworks, np.ndarray]:
    rng = np.random.default_rng(seed)
    net, X = recurrent_network(3, 8, 2, 3, rng), sequences(2, 3, 3, rng)
    away, step = 0.3 * rng.standard_normal((8, 8)), 0.3 * rng.standard_normal((8, 8))
    return rng, ThreeNetworks.of(net, away, step, X), X


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [(3, -1, Fraction(-1, 4)), (-3, 1, Fraction(1, 4)), (0, -2, -1), (-2, 0, 0), (1, 2, 0), (-1, -2, 0), (0, 0, 0)],
)
def test_the_correction_is_that_of_the_four_cases(a: int, b: int, expected: Fraction) -> None:
    exact = gate_correction(Fraction(a), Fraction(b))
    assert exact == expected
    assert gate_correction(np.array([float(a)]), np.array([float(b)])) == pytest.approx(float(expected))
    assert max(a, 0) - max(b, 0) == (int(a >= 0) + exact) * (a - b)


def test_the_passes_are_at_the_start_at_the_current_and_at_the_next_weights() -> None:
    _, three, X = three_networks()
    W, A = three.shift.net.stored_weights()[0], three.shift.net.frozen[0]
    state = np.zeros((2, 8))
    for time in range(3):
        pre = state @ W + X[:, time] @ A
        assert np.allclose(three.shift.before.pre[time], pre)
        assert np.array_equal(three.gates[time], pre >= 0.0)
        state = np.maximum(pre, 0.0)
    assert np.allclose(three.shift.after.pre[0], three.initial.pre[0])
    assert not np.allclose(three.shift.before.pre[1], three.initial.pre[1])


def test_gates_that_differ_from_those_of_the_start_are_counted() -> None:
    _, three, _ = three_networks()
    for which, passed in (("before", three.shift.before), ("after", three.shift.after)):
        gates = [(pre >= 0.0) != (old >= 0.0) for pre, old in zip(passed.pre, three.initial.pre, strict=True)]
        assert np.array_equal(three.turned(which), np.stack([turned.sum(axis=1) for turned in gates], axis=1))


def test_the_first_order_change_is_the_derivative() -> None:
    rng = np.random.default_rng(1)
    net, X = recurrent_network(3, 8, 2, 3, rng), sequences(2, 3, 3, rng)
    step = 1e-7 * rng.standard_normal((8, 8))
    three = ThreeNetworks.of(net, np.zeros((8, 8)), step, X)
    assert np.allclose(three.first_order(3), three.shift.feature_change(3), rtol=1e-5, atol=1e-12)


def test_the_remainder_is_that_of_the_objective() -> None:
    rng, three, _ = three_networks()
    shift, targets = three.shift, rng.standard_normal((2, 3, 2))
    along = float(np.sum(gradient(shift.net, shift.before, targets)[0] * shift.step))
    gain = objective(shift.after.output, targets) - objective(shift.before.output, targets) - along
    assert three.remainder(shift.before.output - targets) == pytest.approx(gain)


def test_a_step_from_kinks_stays_in_its_radius_and_gains_more_than_other_steps() -> None:
    rng = np.random.default_rng(2)
    net, X = recurrent_network(3, 60, 2, 2, rng), sequences(1, 2, 3, rng)
    residuals, size = np.zeros((1, 2, 2)), 1e-5
    residuals[0, 1] = (1.0, 0.0)
    three = kinked(net, X, residuals[0, 1], 0.5, size)
    away = three.shift.net.stored_weights()[0] - net.stored_weights()[0]
    assert operator_norm(away) <= 0.5 / math.sqrt(60.0) * (1.0 + 1e-9)
    assert operator_norm(three.shift.step) == pytest.approx(size)
    assert np.count_nonzero(three.corrections[1]) > 1
    other = size * rng.standard_normal((60, 60)) / math.sqrt(240.0)
    at_random = ThreeNetworks.of(three.shift.net, np.zeros((60, 60)), other, X)
    assert three.remainder(residuals) > 3.0 * abs(at_random.remainder(residuals))

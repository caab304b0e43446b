"""The network written out, beside the compiled code and difference quotients."""

import numpy as np
import pytest

from nets.networks.forward import forward
from nets.networks.network import recurrent_network
from properties.allenzhu2018rnn.descent import RecurrentIterate, departure, gradient
from properties.allenzhu2018rnn.sequences import sequences
from properties.allenzhu2018rnn.written_out import WrittenOut

RNG = np.random.default_rng(3)
X = sequences(3, 4, 3, RNG)
NET = recurrent_network(3, 20, 2, 4, RNG)


def test_it_has_the_outputs_and_the_kernel_of_the_compiled_code() -> None:
    plain, at = WrittenOut.of(NET, X), RecurrentIterate.of(NET, X, np.zeros((3, 4, 2)))
    np.testing.assert_allclose(plain.outputs, at.outputs, rtol=0, atol=1e-13)
    np.testing.assert_allclose(plain.kernel, at.kernel, rtol=1e-11, atol=1e-11)


def test_its_slopes_are_difference_quotients_and_make_the_gradient() -> None:
    plain, direction = WrittenOut.of(NET, X), RNG.standard_normal((20, 20))
    sides = [WrittenOut(plain.W + s * direction, plain.A, plain.B, X).outputs for s in (1e-6, -1e-6)]
    np.testing.assert_allclose(plain.slopes @ direction.ravel(), (sides[0] - sides[1]) / 2e-6, rtol=1e-5, atol=1e-6)
    errors = np.zeros((3, 4, 2))
    errors[:, 1:] = plain.outputs.reshape(3, 3, 2)
    (down,) = gradient(NET, forward(NET, X), np.zeros((3, 4, 2)))
    np.testing.assert_allclose((plain.outputs @ plain.slopes).reshape(20, 20), np.asarray(down), rtol=1e-9, atol=1e-11)


def test_the_departure_is_that_of_a_step_on_a_batch() -> None:
    targets = forward(NET, X).output - 1.0
    before, batch, eta = RecurrentIterate.of(NET, X, targets), np.array([0, 2]), 1e-3
    (down,) = gradient(NET, before.passed, targets, batch)
    after = RecurrentIterate.of(NET.with_weights([NET.weights[0] - eta * np.asarray(down)]), X, targets)
    felt = np.repeat([1.5, 0.0, 1.5], 6)
    expected = departure(before.kernel, before, after, eta, batch) * np.sqrt(18)
    assert WrittenOut.of(NET, X).departure(felt, eta) == pytest.approx(expected, rel=1e-6)

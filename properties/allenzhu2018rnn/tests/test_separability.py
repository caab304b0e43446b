"""The separability of vectors, of what is fresh in hidden states, and of first inputs."""

import math

import numpy as np
import pytest

from nets.networks.forward import forward
from nets.networks.network import recurrent_network
from properties.allenzhu2018rnn.separability import fresh_separabilities, separability, sequences_apart
from properties.allenzhu2018rnn.sequences import is_normalised


def test_separability_is_the_smaller_norm_times_the_sine_of_the_angle() -> None:
    x, y = np.array([2.0, 0.0, 0.0]), np.array([3.0 * math.cos(0.4), 3.0 * math.sin(0.4), 0.0])
    assert separability(np.array([x, y])) == pytest.approx(2.0 * math.sin(0.4), rel=1e-14)
    assert separability(np.array([x, y, np.array([0.0, 0.0, 5.0])])) == pytest.approx(2.0 * math.sin(0.4), rel=1e-14)


def test_scaled_copies_antipodes_and_zero_are_not_separable() -> None:
    x = np.random.default_rng(0).standard_normal(7)
    assert separability(np.array([x, 2.0 * x])) == pytest.approx(0.0, abs=1e-15)
    assert separability(np.array([x, -x])) == pytest.approx(0.0, abs=1e-15)
    assert separability(np.array([x, np.zeros(7)])) == 0.0


def test_near_duplicates_keep_their_digits() -> None:
    assert separability([[1.0, 0.0], [1.0, 1e-12]]) == pytest.approx(1e-12, rel=1e-9)


def test_one_vector_is_refused_and_nan_stays() -> None:
    with pytest.raises(ValueError, match="at least two"):
        separability([[1.0, 0.0]])
    assert not separability([[1.0, 0.0], [np.nan, 1.0]]) > 0.0


@pytest.mark.parametrize("apart", [0.8, 0.3, 1e-6, 1e-11])
def test_first_inputs_have_the_separability_asked_for(apart: float) -> None:
    X = sequences_apart(3, 2, 5, apart, np.random.default_rng(1))
    assert is_normalised(X)
    assert separability(X[:, 0]) == pytest.approx(apart, rel=1e-4)
    assert separability(sequences_apart(2, 2, 5, apart, np.random.default_rng(1), copies=True)[:, 0]) < 1e-15


def test_what_is_fresh_is_separable_as_by_a_projection_on_all_earlier_states() -> None:
    rng = np.random.default_rng(2)
    fwd = forward(recurrent_network(4, 60, 1, 3, rng), sequences_apart(3, 3, 4, 0.4, rng))
    found = fresh_separabilities(fwd)
    assert found[0] == pytest.approx(separability(fwd.post[1]), rel=1e-10)
    basis = np.linalg.qr(np.concatenate(fwd.post[1:3]).T)[0]
    assert found[2] == pytest.approx(separability(fwd.post[3] - fwd.post[3] @ basis @ basis.T), rel=1e-9)


def test_equal_sequences_have_nothing_fresh_apart() -> None:
    rng = np.random.default_rng(3)
    X = sequences_apart(2, 3, 4, 0.4, rng)
    X[1] = X[0]
    assert fresh_separabilities(forward(recurrent_network(4, 40, 1, 3, rng), X)).max() < 1e-14

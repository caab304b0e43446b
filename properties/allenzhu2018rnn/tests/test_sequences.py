"""Input sequences are as Section 2.1 asks, in every family, with the separation that was asked for."""

import math

import numpy as np
import pytest

from nets.data.distances import DataError, separation
from properties.allenzhu2018rnn.sequences import (
    BIAS,
    LATER,
    crowd,
    first_inputs,
    is_normalised,
    nearest_first,
    sequences,
)


def test_first_inputs_are_unit_rows_with_the_bias() -> None:
    X = first_inputs(7, 5, np.random.default_rng(0))
    assert X.shape == (7, 5)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0, rtol=1e-15)
    np.testing.assert_array_equal(X[:, -1], BIAS)


@pytest.mark.parametrize("phi", [1.0, 0.3, 1e-6, 1e-12])
def test_first_inputs_have_the_separation_asked_for(phi: float) -> None:
    assert separation(first_inputs(4, 6, np.random.default_rng(1), phi)) == pytest.approx(phi, abs=1e-15, rel=1e-12)


def test_separation_zero_makes_them_equal_and_one_needs_none() -> None:
    X = first_inputs(3, 4, np.random.default_rng(2), 0.0)
    np.testing.assert_array_equal(X, X[[0, 0, 0]])
    assert first_inputs(1, 2, np.random.default_rng(3), 0.5).shape == (1, 2)


def test_impossible_first_inputs_are_refused() -> None:
    with pytest.raises(DataError, match="d >= 2"):
        first_inputs(2, 1, np.random.default_rng(0))
    with pytest.raises(DataError, match="separation"):
        first_inputs(8, 3, np.random.default_rng(0), 1.4)


@pytest.mark.parametrize("later", LATER)
def test_every_family_is_normalised(later: str) -> None:
    X = sequences(5, 9, 4, np.random.default_rng(4), later, 0.2)
    assert X.shape == (5, 9, 4)
    assert is_normalised(X)
    assert separation(X[:, 0]) == pytest.approx(0.2, rel=1e-12)


def test_the_nearest_two_come_first_and_none_is_lost() -> None:
    X = sequences(5, 2, 4, np.random.default_rng(7), "drawn", phi=0.01)
    ordered = nearest_first(X)
    assert np.linalg.norm(ordered[0, 0] - ordered[1, 0]) == pytest.approx(0.01, rel=1e-9)
    assert {row.tobytes() for row in ordered} == {row.tobytes() for row in X}


def test_a_crowd_is_as_near_to_one_as_it_may_be() -> None:
    X = sequences(6, 3, 5, np.random.default_rng(8), "unit", 0.2, crowded=True)
    assert is_normalised(X)
    np.testing.assert_allclose(np.linalg.norm(X[1:, 0] - X[0, 0], axis=1), 0.2, rtol=1e-12)
    assert separation(X[:, 0]) == pytest.approx(0.2, rel=1e-12)
    with pytest.raises(DataError, match="take d >= 6"):
        crowd(8, 5, np.random.default_rng(8), 0.2)
    with pytest.raises(DataError, match=r"distance 1.5 asked for: take sqrt\(2\)"):
        crowd(2, 5, np.random.default_rng(8), 1.5)


def test_what_is_not_normalised_is_told() -> None:
    X = sequences(2, 3, 4, np.random.default_rng(5), "unit")
    assert not is_normalised(1.001 * X)
    assert not is_normalised(X[:, :, ::-1])
    X[1, 2] *= 1.001
    assert not is_normalised(X)


def test_families_of_later_inputs_are_what_they_say() -> None:
    rng = np.random.default_rng(6)
    assert not sequences(2, 4, 3, rng, "zero")[:, 1:].any()
    X = sequences(2, 4, 3, rng, "repeated")
    np.testing.assert_array_equal(X, np.repeat(X[:, :1], 4, axis=1))
    X = sequences(2, 4, 3, rng, "opposed")
    np.testing.assert_array_equal(X[:, 1:3], np.stack([-X[:, 0], X[:, 0]], axis=1))
    X = sequences(3, 4, 3, rng, "alike")
    np.testing.assert_array_equal(X[:, 1:], X[[0, 0, 0], 1:])
    norms = np.linalg.norm(sequences(50, 20, 3, rng, "drawn")[:, 1:], axis=2)
    assert norms.max() <= 1.0
    assert abs(norms.mean() - 0.5) < 0.05
    np.testing.assert_allclose(np.linalg.norm(sequences(2, 4, 3, rng, "unit"), axis=2), 1.0, rtol=1e-14)


def test_prefixes_are_shared_and_the_rest_is_not() -> None:
    X = sequences(3, 5, 4, np.random.default_rng(7), "unit", shared=2)
    np.testing.assert_array_equal(X[:, :2], X[[0, 0, 0], :2])
    assert separation(X[:, 2]) > 0.0
    assert is_normalised(X)


def test_unknown_families_and_no_times_are_refused() -> None:
    with pytest.raises(ValueError, match="choose among"):
        sequences(2, 3, 4, np.random.default_rng(0), "loud")
    with pytest.raises(ValueError, match="at least one"):
        sequences(2, 0, 4, np.random.default_rng(0))


def test_one_input_is_the_first() -> None:
    X = sequences(2, 1, 4, np.random.default_rng(0))
    assert X.shape == (2, 1, 4)
    assert math.isclose(np.linalg.norm(X[0, 0]), 1.0)

"""Splitting Gaussians: the parts add up, are uncorrelated, and the rest along a direction is of rank one."""

import math

import numpy as np
import pytest

from properties.allenzhu2018rnn.randomness import redrawn, small_part, split

THETAS = [1e-6, 0.3, 0.999]


@pytest.mark.parametrize("theta", THETAS)
def test_the_parts_add_up(theta: float) -> None:
    g, xi = np.random.default_rng(0).standard_normal((2, 20))
    first, second = split(g, xi, theta)
    np.testing.assert_allclose(math.sqrt(1.0 - theta**2) * first + theta * second, g, atol=1e-14)
    np.testing.assert_allclose(first + small_part(first, second, theta), g, atol=1e-14)


@pytest.mark.parametrize("theta", THETAS)
def test_the_parts_are_a_rotation_of_what_is_known_and_drawn(theta: float) -> None:
    rotation = np.stack(split(np.array([1.0, 0.0]), np.array([0.0, 1.0]), theta))
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(2), atol=1e-15)


def test_only_the_rows_asked_for_are_drawn_again_along_the_direction() -> None:
    rng = np.random.default_rng(1)
    W, drawn = rng.standard_normal((6, 6)), rng.standard_normal(6)
    v = np.linalg.qr(rng.standard_normal((6, 1)))[0][:, 0]
    whole, _ = redrawn(W, v, drawn, 0.6)
    np.testing.assert_allclose(v @ whole, 0.8 * (v @ W) + 0.6 * drawn, atol=1e-14)
    part, u = redrawn(W, v, drawn, 0.6, np.array([1, 4]))
    np.testing.assert_array_equal(np.flatnonzero(u), [1, 4])
    np.testing.assert_allclose(part, np.where(u != 0.0, whole, W), atol=1e-14)
    np.testing.assert_allclose(part + np.outer(v, u), W, atol=1e-14)

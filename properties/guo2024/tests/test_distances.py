"""Distances of points and of outputs, and what a layer leaves of them, against integrals and wide layers."""

import mpmath
import numpy as np
import pytest
import sympy
from numpy.random import Generator

from nets.data.distances import antipodal_separation
from properties.guo2024.distances import (
    ANGLE,
    FACTOR,
    SIGN_CHANGE,
    SLOPE,
    distance_path,
    largest_square_cosine,
    layer_states,
    leaky_mean_product,
    least_distance,
    next_distance,
    path_rounding,
    signed_points,
)


@pytest.fixture
def rng() -> Generator:
    """One generator for each test."""
    return np.random.default_rng(17)


def leaky(z: mpmath.mpf, slope: float) -> mpmath.mpf:
    """The rescaled leaky ReLU, by its definition."""
    return (z if z > 0 else slope * z) / mpmath.sqrt(1 + slope**2)


@pytest.mark.parametrize(("slope", "angle"), [(-2.0, 0.4), (-1.0, 3.0), (0.0, 1.5), (0.9, 2.2)])
def test_the_mean_product_is_its_integral_over_the_plane(slope: float, angle: float) -> None:
    def along(turn: mpmath.mpf) -> mpmath.mpf:
        # The radius integrates r^3 exp(-r^2/2) to 2.
        return 2 * leaky(mpmath.cos(turn), slope) * leaky(mpmath.cos(turn - angle), slope) / (2 * mpmath.pi)

    cuts = [angle - mpmath.pi / 2, angle + mpmath.pi / 2, mpmath.pi / 2, -mpmath.pi / 2]
    inside = sorted(cut if cut <= mpmath.pi else cut - 2 * mpmath.pi for cut in cuts)
    expected = mpmath.quad(along, [-mpmath.pi, *inside, mpmath.pi])
    found = float(leaky_mean_product().subs({ANGLE: angle, SLOPE: slope}))
    assert found == pytest.approx(float(expected), abs=1e-4)
    parts = sympy.cos(ANGLE) / 2 + FACTOR * SIGN_CHANGE
    assert found == pytest.approx(float(parts.subs({ANGLE: angle, SLOPE: slope})))


def test_a_mean_given_the_signs_and_one_that_is_not_rescaled_differ() -> None:
    at = {ANGLE: 0.9, SLOPE: -1}
    assert float(leaky_mean_product(rescaled=False).subs(at)) == pytest.approx(
        2.0 * float(leaky_mean_product().subs(at))
    )
    # Each restricted mean over the chance of its sector: half of it for two signs alike, and for two unlike ones.
    alike = float((sympy.sin(0.9) + (sympy.pi - 0.9) * sympy.cos(0.9)) / (2 * sympy.pi)) / (0.5 - 0.9 / (2.0 * np.pi))
    apart = -float(SIGN_CHANGE.subs(at)) / (0.9 / (2.0 * np.pi))
    assert float(leaky_mean_product(conditional=True).subs(at)) == pytest.approx(alike - apart)


@pytest.mark.parametrize("slope", [-1.0, 0.0, 0.5])
def test_a_wide_layer_leaves_the_distance_of_the_limit(slope: float, rng: Generator) -> None:
    X = signed_points(2, 3, 0.8, rng)
    states = layer_states(X, 1500, 1, slope, rng)
    before = float(np.linalg.norm(X[0] - X[1]))
    assert least_distance(states[1]) == pytest.approx(float(next_distance(before, slope)), rel=0.1)
    assert distance_path(before, slope, 2)[:2] == pytest.approx([before, float(next_distance(before, slope))])


def test_at_slope_minus_one_antipodes_coincide_after_a_layer(rng: Generator) -> None:
    assert next_distance(2.0, -1.0) == pytest.approx(0.0, abs=1e-7)
    states = layer_states(np.array([[1.0, 0.0], [-1.0, 0.0]]), 5, 2, -1.0, rng)
    assert [least_distance(h) == 0.0 for h in states] == [False, True, True]
    assert [largest_square_cosine(h) for h in states] == pytest.approx([1.0, 1.0, 1.0])


def test_signed_points_have_the_signed_separation_and_both_kinds_of_pairs(rng: Generator) -> None:
    X = signed_points(8, 5, 0.2, rng)
    assert antipodal_separation(X) == pytest.approx(0.2)
    products = np.sum(X[0::2] * X[1::2], axis=1)
    assert np.abs(products) == pytest.approx(np.full(4, 1.0 - 0.02))


def test_the_variance_of_the_weights_is_as_asked(rng: Generator) -> None:
    X = signed_points(2, 3, 0.5, rng)
    half = layer_states(X, 2000, 1, 0.0, rng, gain=1.0)
    assert float(np.sum(half[1][0] ** 2)) == pytest.approx(0.5, rel=0.2)


@pytest.mark.parametrize("slope", [-3.0, -1.0, -0.5, 0.0, 0.9])
@pytest.mark.parametrize("start", [0.01, 1.4, (4.0 - 1e-4) ** 0.5])
def test_a_path_is_as_near_as_its_rounding_says_to_one_of_fifty_digits(start: float, slope: float) -> None:
    path = distance_path(start, slope, 64)
    with mpmath.workdps(50):
        exact = [mpmath.mpf(start)]
        factor = (1 - mpmath.mpf(slope)) ** 2 / (1 + mpmath.mpf(slope) ** 2)
        for _ in range(64):
            t = 2 * mpmath.asin(exact[-1] / 2)
            exact.append(mpmath.sqrt(exact[-1] ** 2 - 2 * factor * (mpmath.sin(t) - t * mpmath.cos(t)) / mpmath.pi))
        off = np.array([float(abs(far - found)) for far, found in zip(exact, path.tolist(), strict=True)])
    errors = path_rounding(path, slope)
    assert np.all(off <= errors)
    assert errors.max() < 1e-10

"""Distances of points and of directions, and what one layer leaves of them, against integrals in many digits."""

import math

import flint
import mpmath
import numpy as np
import pytest
import sympy
from numpy.random import Generator

from nets.data.labelled import from_arrays
from nets.data.points import SphereSource, sphere
from nets.networks.forward import forward
from nets.networks.network import he_network
from nets.networks.operators import pairwise_distances
from properties.zou2018 import distances
from properties.zou2018.distances import (
    ANGLE,
    DISTANCE_AT_ANGLE,
    closest_pair,
    direction_distances,
    distance_left,
    layer_is_monotone,
    layer_outputs,
    mean_product_ball,
    next_square,
    points_apart,
    relu_mean_product,
)


@pytest.fixture
def rng() -> Generator:
    """One generator for each test."""
    return np.random.default_rng(31)


def relu_product(alpha: float) -> mpmath.mpf:
    """E[relu(Z1) relu(Z2)] at correlation alpha, from the closed form (Cho and Saul 2009)."""
    angle = mpmath.acos(alpha)
    return (mpmath.sin(angle) + (mpmath.pi - angle) * mpmath.cos(angle)) / (2 * mpmath.pi)


@pytest.mark.parametrize(("n", "d", "phi"), [(2, 2, 0.3), (4, 6, 1.0), (5, 5, 0.01)])
def test_synthetic_points_are_all_at_the_distance_asked(n: int, d: int, phi: float, rng: Generator) -> None:
    X = points_apart(SphereSource(), n, d, phi, rng)
    assert np.linalg.norm(X, axis=1) == pytest.approx(np.ones(n), rel=1e-12)
    apart = pairwise_distances(X)[np.triu_indices(n, 1)]
    assert apart == pytest.approx(np.full(apart.size, phi), rel=1e-12)


@pytest.mark.parametrize(("n", "d", "phi"), [(6, 3, 0.5), (2, 3, 1.99), (3, 3, 1.74)])
def test_where_no_points_are_equidistant_two_are_at_the_distance_and_the_others_no_closer(
    n: int, d: int, phi: float, rng: Generator
) -> None:
    if (n, phi) == (3, 1.74):
        # Three points are never so far apart: sqrt(3) is the most.
        with pytest.raises(ValueError, match="phi"):
            points_apart(SphereSource(), n, d, phi, rng)
        return
    X = points_apart(SphereSource(), n, d, phi, rng)
    assert pairwise_distances(X)[np.triu_indices(n, 1)].min() == pytest.approx(phi, rel=1e-12)


@pytest.mark.parametrize("block", [1, 7, 1024])
def test_the_closest_pair_of_data_is_always_drawn(block: int, rng: Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distances, "BLOCK_ROWS", block)
    data = from_arrays(sphere(20, 3, rng), np.where(np.arange(20) % 2, 1.0, -1.0), name=f"block {block}")
    products = data.X @ data.X.T - 2.0 * np.eye(20)
    pair = np.unravel_index(int(products.argmax()), products.shape)
    assert set(closest_pair(data)) == set(pair)
    rows = points_apart(data, 5, 3, 0.1, rng)
    assert len(np.unique(rows, axis=0)) == 5
    assert all(np.any(np.all(rows == data.X[i], axis=1)) for i in pair)
    assert all(np.any(np.all(row == data.X, axis=1)) for row in rows)


def test_layers_are_drawn_whole_or_at_the_points_with_the_same_mean_norms(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(37)
    X, found = sphere(2, 4, rng), []
    for weights in (distances.DENSE_WEIGHTS, 1):
        monkeypatch.setattr(distances, "DENSE_WEIGHTS", weights)
        outputs = [layer_outputs(X, (24, 16), rng) for _ in range(400)]
        assert [x.shape for x in outputs[0]] == [(2, 24), (2, 16)]
        found.append(np.array([[np.sum(x[0] ** 2), np.sum(x[0] * x[1])] for _, x in outputs]))
    for column in range(2):
        first, second = found[0][:, column], found[1][:, column]
        error = math.hypot(first.std(), second.std()) / math.sqrt(400.0)
        assert first.mean() == pytest.approx(second.mean(), abs=6.0 * error)


def test_distances_of_directions_by_hand() -> None:
    """Right angles give sqrt(2), parallels 0, opposites 2, and a dead point counts as no distance."""
    one = np.array([[3.0, 0.0], [0.0, 5.0], [7.0, 0.0]])
    other = np.array([[1.0, 0.0], [-2.0, 0.0], [0.0, 0.0]])
    found = direction_distances([one, other])
    assert found == pytest.approx(np.array([[math.sqrt(2.0), 0.0, math.sqrt(2.0)], [2.0, 0.0, 0.0]]), rel=1e-12)


def test_the_mean_product_is_the_integral() -> None:
    for alpha in (-0.9, 0.0, 0.4, 0.99):
        angle = math.acos(alpha)
        value = float(relu_mean_product().subs(ANGLE, angle).evalf(20))
        # The angle is rounded, which moves the product by less than itself.
        assert value == pytest.approx(float(relu_product(alpha)), rel=1e-12)


@pytest.mark.parametrize("alpha", [-0.9, 0.0, 0.4, 0.99])
def test_the_enclosure_by_quadrature_holds_the_mean_product(alpha: float) -> None:
    ball = mean_product_ball(flint.arb(alpha))
    with mpmath.workdps(40):
        closed = relu_product(mpmath.mpf(alpha))
        assert flint.arb(mpmath.nstr(closed, 35)).overlaps(ball)
    assert float(ball.rad()) < 1e-10


def test_a_sampled_layer_leaves_what_the_mean_product_says(rng: Generator) -> None:
    """A layer of 2 10^5 neurons, whose product deviates by some 1/sqrt(m)."""
    alpha, m = 0.6, 200_000
    X = np.array([[1.0, 0.0], [alpha, math.sqrt(1.0 - alpha**2)]])
    x = forward(he_network((2, m), rng), X).post[1]
    # A layer of variance 2/m doubles E[relu relu].
    assert float(x[0] @ x[1]) == pytest.approx(2.0 * float(relu_product(alpha)), abs=6.0 * 2.5 / math.sqrt(m))


def test_the_distance_after_a_layer_at_its_ends() -> None:
    assert sympy.simplify(next_square().subs(ANGLE, 0)) == 0
    assert sympy.simplify(next_square().subs(ANGLE, sympy.pi)) == 2
    assert sympy.simplify(DISTANCE_AT_ANGLE.subs(ANGLE, sympy.pi)) == 2
    assert sympy.simplify(DISTANCE_AT_ANGLE.subs(ANGLE, sympy.pi / 2)) == sympy.sqrt(2)


def test_a_layer_is_monotone_and_its_share_falls_as_samples_of_the_closed_form_do() -> None:
    assert [found.holds for found in layer_is_monotone()] == [True, True]
    angles = np.linspace(0.01, math.pi, 300)
    after = np.sqrt([2.0 - 4.0 * float(relu_product(math.cos(angle))) for angle in angles])
    assert np.all(np.diff(after) > 0.0)
    assert np.all(np.diff(after / (2.0 * np.sin(angles / 2.0))) < 0.0)


@pytest.mark.parametrize(("phi", "layers"), [(2.0, 1), (0.7, 3), (1e-6, 10)])
def test_the_share_left_is_the_iterated_closed_form(phi: float, layers: int) -> None:
    with mpmath.workdps(50):
        square = mpmath.mpf(phi) ** 2
        for _ in range(layers):
            square = 2 - 4 * relu_product(1 - square / 2)
        wanted = mpmath.sqrt(square) / mpmath.mpf(phi)
        found = distance_left(flint.arb(phi), layers)
        assert flint.arb(mpmath.nstr(wanted, 35)).overlaps(found)
    assert float(found.rad()) < 1e-6
    assert distance_left(flint.arb(phi), 0) == 1

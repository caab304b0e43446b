"""The back-propagation operator against differences of outputs, eigenvalues against sums, and signed separations."""

import numpy as np
import pytest
from numpy.random import Generator

from nets.data.distances import antipodal_separation, separation
from nets.data.points import sphere
from nets.networks.forward import forward
from nets.networks.gradients import output_gradient
from nets.networks.network import leaky_network
from nets.networks.operators import operator_norm
from properties.guo2024.layer_maps import (
    EVEN_CELLS,
    STORED,
    alike,
    antipodes,
    arc,
    back_propagation,
    bottom_rows,
    cluster,
    cluster_cells,
    grams,
    largest_in_layers,
    least_in_layers,
    least_of_sum,
    opposed_gradient,
    pair_cells,
    radius_of_lemma_4_2,
    random_network,
    signed_pairs,
    simplex,
    summed_map,
)
from properties.guo2024.slopes import SLOPES


@pytest.fixture
def rng() -> Generator:
    """One generator for each test."""
    return np.random.default_rng(23)


@pytest.mark.parametrize("slope", SLOPES)
def test_back_propagation_of_the_first_layer_is_the_derivative_of_the_outputs(slope: float, rng: Generator) -> None:
    """The outputs are piecewise linear and 0 at 0, so that Back_1 A x is the output at x."""
    net, X = leaky_network(3, 6, 2, 2, slope, rng), sphere(2, 3, rng)
    fwd = forward(net, X)
    for i in range(2):
        assert back_propagation(net, fwd, i, 1) @ fwd.post[1][i] == pytest.approx(fwd.output[i].ravel())
    assert np.array_equal(back_propagation(net, fwd, 0, 3), net.v.T)


@pytest.mark.parametrize("slope", [-1.0, 0.0, 0.5])
def test_the_map_with_the_next_operator_is_the_gradient(slope: float, rng: Generator) -> None:
    net, X = leaky_network(3, 6, 2, 2, slope, rng), sphere(3, 3, rng)
    fwd, v = forward(net, X), rng.standard_normal((3, 2))
    for layer, gradient in enumerate(output_gradient(net, fwd, v.reshape(fwd.output.shape)), start=1):
        assert summed_map(net, fwd, layer, v) == pytest.approx(gradient)
        assert summed_map(net, fwd, layer, v, gated=False) != pytest.approx(gradient)
        assert summed_map(net, fwd, layer, v, after=0) != pytest.approx(gradient)


def test_eigenvalues_are_the_extremes_over_all_rows(rng: Generator) -> None:
    net, X = leaky_network(4, 12, 2, 2, -0.5, rng), sphere(3, 4, rng)
    K, fwd = grams(net, X), forward(net, X)
    for v in (*rng.standard_normal((5, 3, 2)), bottom_rows(K, 2)):
        v = v / np.linalg.norm(v)
        found = np.array([np.sum(summed_map(net, fwd, layer, v) ** 2) for layer in (1, 2)])
        assert (found >= least_in_layers(K) * (1 - 1e-9)).all()
        assert (found <= largest_in_layers(K) * (1 + 1e-9)).all()
        assert found.sum() >= least_of_sum(K) * (1 - 1e-9)
    assert found.sum() == pytest.approx(least_of_sum(K))


@pytest.mark.parametrize("family", ["near antipodes", "near duplicates"])
def test_partners_are_as_near_as_asked(family: str, rng: Generator) -> None:
    X = signed_pairs(4, 3, 0.1, family, rng)
    assert antipodal_separation(X) == pytest.approx(0.1)
    assert (separation(X) > 0.2) == (family == "near antipodes")


def test_points_on_an_arc_have_the_kernel_that_is_told_of_them(rng: Generator) -> None:
    """The mean kernel of one layer at slope -1, per neuron: (1 - 2 t/pi) cos(t)/2 at the angle t below a right one."""
    for n in (2, 3, 6):
        X = signed_pairs(n, 3, 1e-3, "arc", rng)
        assert antipodal_separation(X) == pytest.approx(1e-3)
        assert np.allclose(X @ X.T, arc(n, 1e-3) @ arc(n, 1e-3).T, rtol=0.0, atol=1e-12)
        angles = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) * 2.0 * np.arcsin(5e-4)
        assert np.allclose(X @ X.T, np.cos(angles), rtol=0.0, atol=1e-12)
        least = np.linalg.eigvalsh(0.5 * np.cos(angles) * (1.0 - 2.0 * angles / np.pi))[0]
        assert least == pytest.approx(1e-3 / np.pi / (1.0 + np.cos(np.pi / n)), rel=2e-3)


def test_wide_layers_are_revealed(rng: Generator) -> None:
    wide = random_network(3, 2 * int(STORED**0.5), 2, 1, 0.0, rng)
    assert not isinstance(wide.weights[1], np.ndarray)
    assert isinstance(random_network(3, 8, 2, 1, 0.0, rng).weights[1], np.ndarray)


def test_points_of_a_dimension_above_the_width_meet_the_whole_first_layer(rng: Generator) -> None:
    assert [random_network(d, 8, 2, 1, 0.0, rng).weights[0].shape for d in (9, 8, 3)] == [(8, 8), (8, 8), (3, 8)]


@pytest.mark.parametrize("outputs", [1, 3])
def test_opposed_rows_cancel_at_antipodes_and_slope_minus_one_alone(outputs: int, rng: Generator) -> None:
    for slope in SLOPES:
        found = opposed_gradient(leaky_network(2, 5, 2, outputs, slope, rng), antipodes(0.0, 2, rng))
        assert found.shape == (2,)
        assert (found.max() < 1e-25) == (slope == -1.0)


def test_antipodes_are_moved_by_as_much_as_asked(rng: Generator) -> None:
    assert np.array_equal(*(antipodes(0.0, 3, rng) * [[1.0], [-1.0]]))
    X = antipodes(1e-6, 3, rng)
    assert 1e-8 < np.linalg.norm(X[0] + X[1]) < 1e-5
    assert np.linalg.norm(X, axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("stored", [0.0, np.inf])
@pytest.mark.parametrize(
    ("slope", "family"), [(-1.0, "near antipodes"), (-1.0, "near duplicates"), (0.0, "near duplicates")]
)
def test_steps_in_the_ball_make_points_alike(slope: float, family: str, stored: float, rng: Generator) -> None:
    """The longer the steps, the smaller the least eigenvalue; none is longer than allowed."""
    net, X = leaky_network(3, 200, 2, 1, slope, rng, stored=stored), signed_pairs(2, 3, 0.3, family, rng)
    found = [least_of_sum(grams(alike(net, X, omega), X)) for omega in (1e-9, 0.01, 0.1)]
    assert found[2] < 0.9 * found[1] < 0.9 * found[0]
    moved = alike(net, X, 0.05)
    assert all(operator_norm(W - V) <= 0.05 * (1 + 1e-9) for W, V in zip(moved.weights, net.weights, strict=True))


def test_points_of_a_cluster_are_near_each_other(rng: Generator) -> None:
    X = cluster(10, rng, 0.01)
    assert X @ X[0] == pytest.approx(1.0, abs=1e-3)
    assert np.linalg.norm(X, axis=1) == pytest.approx(1.0)


def test_cells_have_every_slope() -> None:
    assert {cell["slope"] for cell in pair_cells(m=8)} == {cell["slope"] for cell in cluster_cells()} == set(SLOPES)
    assert [cell["slope"] for cell in pair_cells() if cell["family"] == "near antipodes"] == [-1.0]
    assert {cell["slope"] for cell in EVEN_CELLS} == {-1.0}


def test_the_radius_of_the_ball_falls_with_samples_and_depth() -> None:
    base = radius_of_lemma_4_2(2, 1, 100, 0.1)
    assert radius_of_lemma_4_2(2, 1, 100, 0.1, times=3.0) == pytest.approx(3.0 * base)
    assert radius_of_lemma_4_2(8, 1, 100, 0.1) == pytest.approx(base / 8.0)
    assert radius_of_lemma_4_2(2, 2, 100, 0.1) == pytest.approx(base / 2.0**7.5)


@pytest.mark.parametrize("phi", [1e-6, 0.4, np.sqrt(2.0)])
def test_points_of_a_simplex_are_all_as_far_from_each_other(phi: float) -> None:
    X = simplex(4, phi)
    assert np.linalg.norm(X, axis=1) == pytest.approx(1.0)
    assert [np.linalg.norm(X[i] - X[j]) for i in range(4) for j in range(i)] == pytest.approx([phi] * 6)

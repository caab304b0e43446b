"""The limiting tangent kernel: its diagonal, one hidden layer in closed form, integrals over Gaussian pairs."""

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from bounds.laws.layers import correlation_map
from bounds.laws.tangent_kernel import (
    angle,
    gate_agreement,
    layer_kernels,
    least_of_close_pair,
    limit_kernel,
    next_cosine,
    squared_jump,
)

SLOPES = [-2.0, -1.0, -0.5, 0.0, 0.05, 0.5, 0.9]


def leaky(z: np.ndarray, slope: float) -> tuple[np.ndarray, np.ndarray]:
    """The rescaled leaky ReLU and its derivative, written out."""
    gate = np.where(z > 0, 1.0, slope) / np.sqrt(1 + slope**2)
    return gate * z, gate


def mean_of_products(c: float, slope: float) -> tuple[float, float]:
    """Means of the products of two values and of two derivatives, by integrals over the sectors of one sign each.

    In polar coordinates the radius of a standard Gaussian pair has mean square 2, whatever its direction.
    """
    t = np.arccos(c)
    cuts = np.sort(np.mod([np.pi / 2, -np.pi / 2, t + np.pi / 2, t - np.pi / 2], 2 * np.pi))
    ends = [*cuts, cuts[0] + 2 * np.pi]

    def at(a: float, part: int) -> float:
        return float(np.prod([leaky(np.array(np.cos(a - b)), slope)[part] for b in (0.0, t)]))

    values, slopes = (
        sum(quad(at, low, high, args=(part,))[0] for low, high in itertools.pairwise(ends)) / (2 * np.pi)
        for part in (0, 1)
    )
    return 2.0 * values, slopes


@pytest.mark.parametrize("L", [1, 2, 5])
def test_equal_inputs_give_half_the_depth(L: int) -> None:
    assert limit_kernel(np.array([[1.0]]), L) == pytest.approx(L / 2)


def test_opposite_inputs_share_no_gate() -> None:
    assert limit_kernel(np.array([[-1.0]]), 1) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("c", [-0.9, -0.2, 0.0, 0.5, 0.99])
def test_one_hidden_layer_in_closed_form(c: float) -> None:
    assert limit_kernel(np.array([[c]]), 1)[0, 0] == pytest.approx(c * (1 - np.arccos(c) / np.pi) / 2)


@pytest.mark.parametrize("c", [-0.6, 0.3, 0.8])
def test_gates_agree_with_the_probability_of_a_quadrant(c: float) -> None:
    """P(Z > 0, Z' > 0)/P(Z > 0), the second Gaussian of mean c z and variance 1 - c^2 given the first."""
    both, _ = quad(lambda z: norm.pdf(z) * norm.cdf(c * z / np.sqrt(1 - c * c)), 0, np.inf)
    assert gate_agreement(c) == pytest.approx(2 * both)


def test_two_hidden_layers_by_hand() -> None:
    """At a right angle the cosine after one layer is 1/pi."""
    second = 1 / np.pi
    agreement = 1 - np.arccos(second) / np.pi
    assert limit_kernel(np.array([[0.0]]), 2)[0, 0] == pytest.approx(second * agreement / 2)


def test_it_is_a_kernel() -> None:
    points = np.random.default_rng(0).normal(size=(12, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    for L in (1, 3):
        assert np.linalg.eigvalsh(limit_kernel(np.clip(points @ points.T, -1, 1), L)).min() > -1e-12


@pytest.mark.parametrize("slope", SLOPES)
@pytest.mark.parametrize("c", [-0.95, -0.3, 0.2, 0.9])
def test_products_of_leaky_neurons_by_integrals(slope: float, c: float) -> None:
    values, slopes = mean_of_products(c, slope)
    assert next_cosine(c, slope) == pytest.approx(2 * values, abs=1e-9)
    assert gate_agreement(c, slope) == pytest.approx(2 * slopes, abs=1e-9)


def test_with_slope_zero_it_is_the_relu() -> None:
    c = np.linspace(-1.0, 1.0, 41)
    assert next_cosine(c) == pytest.approx(correlation_map(c), abs=1e-15)
    assert squared_jump(0.0) == 1.0
    assert angle(np.cos(1e-9)) == pytest.approx(0.0, abs=2e-8)


@pytest.mark.parametrize("L", [1, 2, 4])
def test_a_slope_and_its_inverse_have_one_kernel(L: int) -> None:
    c = np.linspace(-1.0, 1.0, 21)
    assert limit_kernel(c, L, -2.0) == pytest.approx(limit_kernel(c, L, -0.5), abs=1e-14)


@pytest.mark.parametrize("L", [1, 3])
@pytest.mark.parametrize("slope", SLOPES)
def test_opposite_inputs_have_one_feature_at_slope_minus_one_alone(L: int, slope: float) -> None:
    """At slope -1 the network is even: x and -x have the kernel of equal points."""
    equal, opposite = limit_kernel([1.0, -1.0], L, slope)
    assert equal == pytest.approx(L / 2)
    assert bool(equal - opposite < 1e-12) == (slope == -1.0)


def test_without_a_jump_it_is_that_of_linear_layers() -> None:
    c = np.linspace(-1.0, 1.0, 5)
    assert layer_kernels(c, 3, 1.0) == pytest.approx(np.tile(c / 2, (3, 1)))


@pytest.mark.parametrize("slope", SLOPES)
def test_kernels_of_the_layers_add_up(slope: float) -> None:
    c = np.array([[1.0, 0.3], [0.3, 1.0]])
    assert layer_kernels(c, 4, slope).shape == (4, 2, 2)
    assert layer_kernels(c, 4, slope).sum(axis=0) == pytest.approx(limit_kernel(c, 4, slope))


@pytest.mark.parametrize("slope", SLOPES)
@pytest.mark.parametrize("t", [0.01, 0.4, 1.5])
def test_close_pairs_have_the_eigenvalues_of_their_kernels(slope: float, t: float) -> None:
    c = np.array([[1.0, np.cos(t)], [np.cos(t), 1.0]])
    assert least_of_close_pair(t, 3, slope) == pytest.approx(
        np.linalg.eigvalsh(layer_kernels(c, 3, slope))[:, 0], abs=1e-12
    )


def test_eigenvalues_of_very_close_pairs_keep_their_digits() -> None:
    """(f t/pi + t^2/2)/2 to second order in one layer."""
    assert least_of_close_pair(1e-9, 1, -1.0)[0] == pytest.approx(1e-9 / np.pi, rel=1e-8)
    assert least_of_close_pair(1e-9, 1, 1.0)[0] == pytest.approx(0.25e-18, rel=1e-6)
    with pytest.raises(ValueError, match="right angle"):
        least_of_close_pair(2.0, 1)

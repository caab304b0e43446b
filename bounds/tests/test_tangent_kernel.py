"""The limiting tangent kernel: its diagonal, one hidden layer in closed form, and an integral over Gaussian pairs."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from bounds.laws.tangent_kernel import gate_agreement, limit_kernel


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

"""The law of a balanced output against samples, its second moment and its limit; narrow networks from below."""

import math

import mpmath
import numpy as np
import pytest
from scipy.special import wofz

from properties.zou2018 import balanced_tail as module
from properties.zou2018.balanced_tail import balanced_tail, narrow_output_chance

VARIANCE = 1.0 - 1.0 / math.pi


@pytest.mark.parametrize("u", [0.0, 0.3, 1.7, 6.0])
def test_a_rectified_gaussian_has_the_characteristic_function_of_the_docstring(u: float) -> None:
    """From its definition: the atom at zero and an integral over the positive values."""
    density = mpmath.npdf
    integral = mpmath.quad(lambda z: mpmath.exp(1j * u * z) * density(z), np.linspace(0.0, 12.0, 13).tolist())
    assert complex(0.5 + integral) == pytest.approx(complex(0.5 + 0.5 * wofz(u / math.sqrt(2.0))), abs=1e-12)


@pytest.mark.parametrize("level", [0.2, 1.0, 2.0])
def test_the_tail_is_that_of_sampled_outputs(level: float) -> None:
    samples, m = 40_000, 64
    rectified = np.maximum(np.random.default_rng(8).standard_normal((samples, m)), 0.0)
    outputs = math.sqrt(2.0 / m) * (rectified[:, : m // 2].sum(axis=1) - rectified[:, m // 2 :].sum(axis=1))
    share = float(np.mean(np.abs(outputs) > level))
    tail = balanced_tail(m, level)
    assert share == pytest.approx(tail.upper, abs=6.0 * math.sqrt(share * (1.0 - share) / samples))
    assert 0.0 <= tail.upper - tail.lower < 1e-11


@pytest.mark.parametrize("m", [64, 1000])
def test_the_law_has_the_second_moment_of_the_output_at_every_width(m: int) -> None:
    """E f^2 is the integral of 2 t P(|f| > t), and twice the variance of a rectified Gaussian."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    levels = 4.5 * (nodes + 1.0)
    moment = 4.5 * sum(w * 2.0 * t * balanced_tail(m, float(t)).upper for t, w in zip(levels, weights, strict=True))
    assert moment == pytest.approx(VARIANCE, rel=1e-9)


def test_wide_layers_have_gaussian_outputs() -> None:
    """The fourth cumulant, of order 1/m, is all that is left of the difference."""
    for level in (0.5, 1.0, 3.0):
        gaussian = math.erfc(level / math.sqrt(2.0 * VARIANCE))
        assert balanced_tail(10**7, level).upper == pytest.approx(gaussian, rel=1e-5)


def test_far_out_the_brackets_hold_a_probability_that_floats_cannot_resolve() -> None:
    tail = balanced_tail(64, 12.0)
    assert tail.lower == 0.0
    assert 0.0 < tail.upper < 1e-12


def test_widths_at_which_the_sum_is_not_valid_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="width 63"):
        balanced_tail(63, 1.0)
    monkeypatch.setattr(module, "NEGLIGIBLE", 0.0)
    with pytest.raises(ValueError, match="the characteristic function is still"):
        balanced_tail(64, 1.0)


@pytest.mark.parametrize(("depth", "level"), [(2, 1.0), (3, 2.0), (5, 4.0)])
def test_narrow_networks_have_large_outputs_at_least_as_often_as_said(depth: int, level: float) -> None:
    samples, rng = 40_000, np.random.default_rng(9)
    norms = np.ones(samples)
    for _ in range(depth - 1):
        norms = norms * np.linalg.norm(np.maximum(rng.standard_normal((samples, 2)), 0.0), axis=1)
    last = np.maximum(rng.standard_normal((samples, 2)), 0.0)
    share = float(np.mean(np.abs(norms * (last[:, 0] - last[:, 1])) > level))
    chance = narrow_output_chance(depth, level)
    assert 0.25 * share < chance < share + 6.0 * math.sqrt(share / samples)

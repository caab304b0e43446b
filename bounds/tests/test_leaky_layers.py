import math

import numpy as np
import pytest
import scipy
from scipy import special

from bounds.laws.layers import MaskedChiSquare, layer_product_tail
from bounds.laws.leaky_layers import LeakyChiSquare, log_norm_law, mean_log_ratio, path_leaves

SLOPES = (-2.0, -1.0, -0.5, 0.0, 0.05, 0.5, 0.9)


def _mixture(m: int, slope: float, t: float) -> float:
    """P(X > t) as a sum over K and, for the chi-squares of the larger share, over a negative binomial number of more
    degrees of freedom (Ruben 1962), term by term."""
    square = min(slope**2, slope**-2)
    more = np.arange(4000)
    total = 0.0
    for k in range(m + 1):
        log_weight = special.gammaln(k / 2 + more) - special.gammaln(more + 1.0) if k else np.where(more, -np.inf, 0.0)
        if k:
            log_weight = log_weight - special.gammaln(k / 2) + k / 2 * math.log(square) + more * math.log1p(-square)
        tails = scipy.stats.chi2.sf(t * m * (1.0 + square) / (2.0 * square), m + 2 * more)
        total += math.comb(m, k) / 2.0**m * float(np.exp(log_weight) @ tails)
    return total


@pytest.mark.parametrize("m", [1, 2, 16, 1000, 10**5])
def test_the_law_is_chi_square_at_slope_minus_one_and_that_of_relu_at_zero(m: int) -> None:
    t = np.exp(np.linspace(-8.0, 8.0, 33) * math.sqrt(2.0 / m))
    cdf, sf = LeakyChiSquare(m, -1.0).tails(t)
    np.testing.assert_allclose(cdf[:16], scipy.stats.chi2.cdf(m * t[:16], m), rtol=1e-9)
    np.testing.assert_allclose(sf[17:], scipy.stats.chi2.sf(m * t[17:], m), rtol=1e-9)
    cdf, sf = LeakyChiSquare(m, 0.0).tails(t)
    np.testing.assert_allclose(cdf[:16], MaskedChiSquare(m).cdf(t[:16]), rtol=1e-9)
    np.testing.assert_allclose(sf[17:], MaskedChiSquare(m).sf(t[17:]), rtol=1e-9)


@pytest.mark.parametrize(("m", "slope"), [(m, slope) for m in (1, 3, 12) for slope in (-2.0, 0.3, 0.9)])
def test_tails_agree_with_the_mixture_of_chi_squares(m: int, slope: float) -> None:
    law = LeakyChiSquare(m, slope)
    for t in (0.05, 0.7, 1.0, 2.0, 6.0):
        assert law.sf(t) == pytest.approx(_mixture(m, slope, t), rel=1e-9)
        assert law.cdf(t) == pytest.approx(1.0 - _mixture(m, slope, t), rel=1e-9)


@pytest.mark.parametrize("slope", SLOPES)
def test_moments_are_those_of_a_sample(slope: float) -> None:
    law = LeakyChiSquare(20, slope, gain=2.5)
    sample = law.sample(np.random.default_rng(0), 40000)
    assert abs(sample.mean() - law.mean()) < 5.0 * math.sqrt(law.var() / sample.size)
    assert sample.var() == pytest.approx(law.var(), rel=0.05)
    np.testing.assert_allclose((sample > 1.5).mean(), law.sf(1.5), atol=0.012)


def test_the_law_is_the_same_at_a_slope_its_inverse_and_with_the_other_sign() -> None:
    t = np.array([0.3, 0.9, 1.1, 2.5])
    tails = [LeakyChiSquare(7, slope).tails(t) for slope in (0.4, -0.4, 2.5, -2.5)]
    for other in tails[1:]:
        np.testing.assert_allclose(other, tails[0], rtol=1e-11)


def test_the_law_refuses_what_is_no_width_no_slope_and_no_level() -> None:
    with pytest.raises(ValueError, match="whole number"):
        LeakyChiSquare(0, 0.5)
    with pytest.raises(ValueError, match="finite"):
        LeakyChiSquare(3, math.nan)
    with pytest.raises(ValueError, match="not positive and finite"):
        LeakyChiSquare(3, 0.5).tails(np.array([0.0]))


@pytest.mark.parametrize("m", [1, 8, 500])
def test_the_mean_logarithm_is_a_digamma_function_at_slope_minus_one(m: int) -> None:
    assert mean_log_ratio(m, -1.0) == pytest.approx(special.digamma(m / 2) - math.log(m / 2), abs=1e-12)


@pytest.mark.parametrize("slope", [-2.0, 0.0, 0.05])
def test_the_mean_logarithm_is_that_of_a_sample(slope: float) -> None:
    rng = np.random.default_rng(1)
    k = rng.binomial(10, 0.5, 10**5)
    k = k[(k >= 4) & (k <= 6)]
    share = 1.0 / (1.0 + slope**2)
    sample = np.log(0.4 * (share * rng.standard_gamma(k / 2) + slope**2 * share * rng.standard_gamma((10 - k) / 2)))
    error = 5.0 * sample.std() / math.sqrt(sample.size)
    assert abs(sample.mean() - mean_log_ratio(10, slope, 4, 6)) < error


def test_without_its_window_the_mean_logarithm_of_relu_is_infinite() -> None:
    assert mean_log_ratio(5, 0.0) == -math.inf
    assert mean_log_ratio(5, 0.0, 1) == pytest.approx(
        np.average(special.digamma(np.arange(1, 6) / 2) + math.log(0.8), weights=[5, 10, 10, 5, 1])
    )


@pytest.mark.parametrize(("m", "L", "slope"), [(64, 4, -2.0), (64, 4, 0.0), (1000, 8, 0.05)])
def test_the_chance_that_a_path_leaves_a_band_is_that_of_drawn_paths(m: int, L: int, slope: float) -> None:
    rng = np.random.default_rng(2)
    first = np.log(LeakyChiSquare(m, -1.0).sample(rng, (20000, 1)))
    paths = np.cumsum(np.hstack([first, np.log(LeakyChiSquare(m, slope).sample(rng, (20000, L)))]), axis=1)
    seen = (np.abs(np.exp(0.5 * paths) - 1.0) > 0.25).any(axis=1).mean()
    limits = np.ones(L + 1)
    bracket = path_leaves(m, slope, 2.0 * math.log(0.75) * limits, 2.0 * math.log(1.25) * limits)
    assert bracket.lower - 0.02 < seen < bracket.upper + 0.02
    assert bracket.upper < 1.5 * bracket.lower


def test_the_law_of_the_last_norm_has_silent_networks_at_zero() -> None:
    """At slope 0 a layer of m neurons is silent with the chance 2^-m, and so is what is behind it."""
    for m, L in ((2, 4), (8, 3)):
        silent = 1.0 - (1.0 - 2.0**-m) ** L
        np.testing.assert_allclose(log_norm_law(m, L, 0.0).cdf([0.0, -1e-15]), [silent, 0.0], rtol=1e-2)
    assert np.isnan(log_norm_law(8, 3, 0.0).cdf(np.nan))
    rng = np.random.default_rng(6)
    squares = LeakyChiSquare(2, -1.0).sample(rng, 20000) * LeakyChiSquare(2, 0.0).sample(rng, (20000, 4)).prod(axis=1)
    at = np.quantile(squares, [0.75, 0.9, 0.98])
    np.testing.assert_allclose(log_norm_law(2, 4, 0.0).cdf(at), [0.75, 0.9, 0.98], atol=0.015)


@pytest.mark.parametrize("t", [0.25, 0.64])
def test_the_last_layer_alone_agrees_with_the_inversion_for_relu(t: float) -> None:
    free = np.full(5, np.inf)
    exact = layer_product_tail(640, 4, t).below
    found = path_leaves(640, 0.0, [*-free[1:], math.log(t)], free, from_input=False, points=4000)
    assert found.lower <= exact.lower <= exact.upper <= found.upper < 1.2 * found.lower


def test_a_band_narrower_than_the_lattice_leaves_the_chance_open() -> None:
    bracket = path_leaves(64, 0.0, [-0.1] * 9, [0.1] * 9, points=8)
    assert bracket == (0.0, 1.0)


def test_the_law_of_the_last_norm_is_that_of_drawn_paths() -> None:
    rng = np.random.default_rng(3)
    law = LeakyChiSquare(30, 0.5)
    squares = LeakyChiSquare(30, -1.0).sample(rng, 20000) * law.sample(rng, (20000, 3)).prod(axis=1)
    at = np.quantile(squares, [0.05, 0.5, 0.95])
    np.testing.assert_allclose(log_norm_law(30, 3, 0.5).cdf(at), [0.05, 0.5, 0.95], atol=0.015)
    assert log_norm_law(30, 3, 0.5).cdf(-1e-15) == 0.0
    one = log_norm_law(30, 1, 0.5, from_input=False)
    np.testing.assert_allclose(one.cdf(at), law.cdf(at), atol=2e-3)


def test_at_zero_stands_the_chance_that_no_neuron_is_above_it() -> None:
    assert LeakyChiSquare(3, 0.0).cdf([-1.0, 0.0]).tolist() == [0.0, 0.125]
    assert LeakyChiSquare(3, 0.5).sf(0.0) == 1.0


def test_tails_below_the_least_float_are_zero() -> None:
    assert LeakyChiSquare(1, -1.0).sf(1e9) == 0.0
    assert LeakyChiSquare(1000, 0.5).cdf(1e-9) == 0.0

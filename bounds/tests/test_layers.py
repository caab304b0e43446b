"""The exact laws agree with 40-digit sums, with closed forms and with simulated layers."""

from __future__ import annotations

import itertools
import math

import flint
import mpmath
import numpy as np
import pytest
from scipy import integrate, special, stats

from bounds.laws.layers import (
    Bracket,
    MaskedChiSquare,
    SmallPreactivations,
    chernoff_rate,
    correlation_map,
    correlation_path,
    explicit_constant_A1,
    layer_product_tail,
    relu_covariance,
    sample_norm_path,
    separation_map,
    separation_path,
    sine_excess,
)

# Level of the simulated comparisons below: a right law fails one of them with this probability.
LEVEL = 1e-6


def exact_log_tail(m: int, t: float, gain: float, upper: bool) -> float:
    """Log of P(X > t) or P(X <= t) as the sum over K in 40 digits."""
    with mpmath.workdps(40):
        x = mpmath.mpf(t) * m / (2 * mpmath.mpf(gain))
        total = mpmath.mpf(0) if upper else mpmath.mpf(1)
        for k in range(1, m + 1):
            limits = (x, mpmath.inf) if upper else (0, x)
            total += mpmath.binomial(m, k) * mpmath.gammainc(mpmath.mpf(k) / 2, *limits, regularized=True)
        return float(mpmath.log(total / mpmath.mpf(2) ** m))


def holds(bracket: Bracket, value: float) -> bool:
    """Whether a value known to about 1e-13 lies in the bracket."""
    slack = 1e-13 * value
    return bracket.lower - slack <= value <= bracket.upper + slack


class TestMaskedChiSquare:
    @pytest.mark.parametrize("t", [1e-12, 1e-3, 0.1, 0.9, 1.0, 1.7, 8.0, 30.0, 300.0, 3000.0])
    @pytest.mark.parametrize(("m", "gain"), [(1, 2.0), (2, 2.0), (7, 1.0), (50, 2.0), (120, 4.0)])
    def test_both_log_tails_agree_with_the_sum_in_40_digits(self, m: int, gain: float, t: float) -> None:
        law = MaskedChiSquare(m, gain)
        # 1e-12 of the logarithm, or of the tail where that is near 1: sums of scipy's gamma functions.
        assert law.logsf(t) == pytest.approx(exact_log_tail(m, t, gain, True), rel=1e-12, abs=1e-12)
        assert law.logcdf(t) == pytest.approx(exact_log_tail(m, t, gain, False), rel=1e-12, abs=1e-12)

    @pytest.mark.parametrize("t", [0.02, 0.7, 1.3, 20.0])
    def test_the_terms_left_out_do_not_count(self, t: float) -> None:
        m = 3000
        k = np.arange(1, m + 1)
        weights = stats.binom.pmf(k, m, 0.5)
        x = 0.25 * m * t
        with np.errstate(divide="ignore"):
            log_upper = float(special.logsumexp(np.log(special.gammaincc(0.5 * k, x)) + np.log(weights)))
            log_lower = float(special.logsumexp(np.log(special.gammainc(0.5 * k, x)) + np.log(weights)))
        law = MaskedChiSquare(m)
        if log_upper > -600.0:
            assert law.logsf(t) == pytest.approx(log_upper, rel=1e-11, abs=1e-12)
        if log_lower > -600.0:
            assert law.logcdf(t) == pytest.approx(log_lower, rel=1e-11, abs=1e-12)

    @pytest.mark.parametrize("m", [1, 3, 64, 1000, 10**6])
    def test_tails_sum_to_one(self, m: int) -> None:
        law = MaskedChiSquare(m)
        t = law.mean() + law.std() * np.array([-2.0, -0.5, 0.0, 1.0, 3.0])
        np.testing.assert_allclose(law.sf(t) + law.cdf(t), 1.0, rtol=0, atol=1e-12)

    @pytest.mark.parametrize(("m", "gain"), [(1, 2.0), (5, 2.0), (40, 1.0), (300, 2.0)])
    def test_mean_and_variance_are_the_integrals_of_the_tail(self, m: int, gain: float) -> None:
        law = MaskedChiSquare(m, gain)
        nodes, weights = np.polynomial.legendre.leggauss(400)
        # In the square root of t the tail is smooth down to 0, for a single output too.
        half = 0.5 * math.sqrt(law.isf(1e-30))
        root = half * (nodes + 1.0)
        tail = law.sf(root**2)

        def integral(power: float) -> float:
            return float(half * np.sum(weights * 2.0 * power * root ** (2.0 * power - 1.0) * tail))

        assert integral(1.0) == pytest.approx(law.mean(), rel=1e-11)
        assert integral(2.0) - integral(1.0) ** 2 == pytest.approx(law.var(), rel=1e-9)
        assert law.moment(1.0) == pytest.approx(law.mean(), rel=1e-12)
        assert law.moment(2.0) - law.mean() ** 2 == pytest.approx(law.var(), rel=1e-10)

    @pytest.mark.parametrize("m", [4, 25])
    def test_inverse_moment_of_three_active_outputs_or_more(self, m: int) -> None:
        # E[1/chi2_k] = 1/(k - 2)
        exact = sum(math.comb(m, k) * 0.5**m * m / (2.0 * (k - 2)) for k in range(3, m + 1))
        law = MaskedChiSquare(m)
        assert law.log_moment(-1.0, least_active=3) == pytest.approx(math.log(exact), abs=1e-12)
        assert law.log_moment(-1.5, least_active=3) == math.inf

    def test_he_initialisation_has_mean_one_and_variance_five_over_m(self) -> None:
        assert MaskedChiSquare(80).mean() == 1.0
        assert MaskedChiSquare(80).var() == pytest.approx(5.0 / 80.0)

    @pytest.mark.parametrize("m", [1, 4, 30])
    def test_atom_at_zero(self, m: int) -> None:
        law = MaskedChiSquare(m)
        assert law.atom() == 2.0**-m
        assert law.cdf(0.0) == pytest.approx(2.0**-m, rel=1e-14)
        assert law.sf(0.0) == pytest.approx(1.0 - 2.0**-m, rel=1e-15)
        assert law.cdf(-1e-300) == 0.0
        assert law.sf(-1.0) == 1.0
        assert law.ppf(0.5 * law.atom()) == 0.0
        assert (law.sf(math.inf), law.cdf(math.inf)) == (0.0, 1.0)

    @pytest.mark.parametrize("m", [2, 100, 10_000])
    @pytest.mark.parametrize("p", [0.3, 1e-9, 1e-300])
    def test_quantiles_invert_the_tails(self, m: int, p: float) -> None:
        law = MaskedChiSquare(m)
        # The slope of log sf in log t reaches a few hundred at 1e-300, which magnifies rounding of t.
        assert law.logsf(law.isf(p)) == pytest.approx(math.log(p), rel=1e-11)
        if p > law.atom():
            assert law.logcdf(law.ppf(p)) == pytest.approx(math.log(p), rel=1e-11)

    def test_far_tails_stay_below_the_exact_exponential_rate(self) -> None:
        for m in (1, 10, 1000, 10**6):
            law = MaskedChiSquare(m)
            for e in (1e-3, 0.1, 1.0, 40.0):
                # Cramer's theorem: the gap is of the order of log m only.
                assert -m * chernoff_rate(e) - 10.0 - math.log(m) < law.logsf(1.0 + e) <= -m * chernoff_rate(e)
            for e in (1e-3, 0.1, 0.9):
                assert law.logcdf(1.0 - e) <= -m * chernoff_rate(-e)

    @pytest.mark.parametrize("direction", ["input", "orthogonal", "generic"])
    def test_a_simulated_layer_has_this_law_for_any_fixed_vector(self, direction: str) -> None:
        m, width_in, size = 12, 6, 20_000
        rng = np.random.default_rng([2018, 20])
        x = np.array([1.0, 2.0, 0.0, -1.0, 0.5, 3.0])
        orthogonal = np.array([2.0, -1.0, 5.0, 0.0, 0.0, 0.0])
        a = {"input": x, "orthogonal": orthogonal, "generic": x + 0.7 * orthogonal}[direction]
        weights = rng.normal(0.0, math.sqrt(2.0 / m), (size, width_in, m))
        active = np.einsum("d,sdm->sm", x, weights) > 0.0
        response = np.einsum("d,sdm->sm", a, weights) * active
        ratios = (response**2).sum(axis=1) / (a @ a)
        assert stats.kstest(ratios, MaskedChiSquare(m).cdf).pvalue > LEVEL
        for wrong in (MaskedChiSquare(m, 1.8), MaskedChiSquare(m - 1, 2.0 * (m - 1) / m)):
            assert stats.kstest(ratios, wrong.cdf).pvalue < LEVEL

    def test_samples_have_this_law(self) -> None:
        law = MaskedChiSquare(9, 1.5)
        draws = law.sample(np.random.default_rng([2018, 21]), 20_000)
        assert stats.kstest(draws, law.cdf).pvalue > LEVEL
        assert stats.kstest(draws, MaskedChiSquare(9, 1.6).cdf).pvalue < LEVEL

    def test_a_million_outputs_are_nearly_gaussian(self) -> None:
        law = MaskedChiSquare(10**6)
        # The skewness, of order 1/sqrt(m), moves the log of the normal tail at six sigma by under 5 percent.
        assert law.logsf(1.0 + 6.0 * law.std()) == pytest.approx(stats.norm.logsf(6.0), rel=0.05)

    def test_bad_arguments_are_refused(self) -> None:
        with pytest.raises(ValueError, match="width must be a whole number of at least 1: found m=0"):
            MaskedChiSquare(0)
        with pytest.raises(ValueError, match="gain must be positive"):
            MaskedChiSquare(3, math.nan)
        with pytest.raises(ValueError, match="at NaN"):
            MaskedChiSquare(3).sf([1.0, math.nan])
        with pytest.raises(ValueError, match=r"outside \[0, 1\]"):
            MaskedChiSquare(3).isf(math.nan)


class TestNormPaths:
    def test_plain_paths_are_independent_layers(self) -> None:
        log_ratios, log_weights = sample_norm_path(20, 3, np.random.default_rng([2018, 22]), 10_000)
        assert log_ratios.shape == (10_000, 3)
        assert not log_weights.any()
        for layer in range(3):
            assert stats.kstest(np.exp(log_ratios[:, layer]), MaskedChiSquare(20).cdf).pvalue > LEVEL
        assert stats.pearsonr(log_ratios[:, 0], log_ratios[:, 1]).pvalue > LEVEL

    def test_tilt_one_is_the_size_biased_law(self) -> None:
        m, size = 15, 20_000
        rng = np.random.default_rng([2018, 23])
        log_ratios, log_weights = sample_norm_path(m, 1, rng, size, tilt=1.0)
        by_hand = 2.0 / m * rng.chisquare(3 + rng.binomial(m - 1, 0.5, size))
        assert stats.ks_2samp(np.exp(log_ratios[:, 0]), by_hand).pvalue > LEVEL
        np.testing.assert_allclose(log_weights, -log_ratios[:, 0], atol=1e-12)

    @pytest.mark.parametrize("tilt", [0.5, 1.0, 2.5])
    def test_weighted_paths_give_plain_expectations(self, tilt: float) -> None:
        m, depth, size = 40, 5, 40_000
        log_ratios, log_weights = sample_norm_path(m, depth, np.random.default_rng([2018, 24]), size, tilt=tilt)
        product = np.exp(log_ratios.sum(axis=1))
        for power, expected in ((0.0, 1.0), (1.0, 1.0), (1.5, MaskedChiSquare(m).moment(1.5) ** depth)):
            values = np.exp(log_weights) * product**power
            assert abs(values.mean() - expected) < 6.0 * values.std() / math.sqrt(size)

    def test_tilted_paths_see_a_tail_that_plain_ones_miss(self) -> None:
        m, depth, size, t = 30, 20, 20_000, 300.0
        log_ratios, log_weights = sample_norm_path(m, depth, np.random.default_rng([2018, 25]), size, tilt=1.8)
        values = np.exp(log_weights) * (log_ratios.sum(axis=1) > math.log(t))
        error = values.std() / math.sqrt(size)
        exact = layer_product_tail(m, depth, t).above
        assert exact.upper < 1.0 / size
        assert error < 0.05 * values.mean()
        assert abs(values.mean() - exact.lower) < 6.0 * error

    def test_negative_tilt_is_refused(self) -> None:
        with pytest.raises(ValueError, match="tilt must be a number of at least 0"):
            sample_norm_path(5, 2, np.random.default_rng(0), 3, tilt=-0.1)


class TestLayerProductTail:
    @pytest.mark.parametrize("t", [0.01, 0.3, 0.8, 0.97, 1.0, 1.05, 1.4, 4.0, 30.0])
    @pytest.mark.parametrize("m", [1, 2, 10, 100, 1000, 4096])
    def test_one_layer_is_the_exact_law(self, m: int, t: float) -> None:
        law = MaskedChiSquare(m)
        found = layer_product_tail(m, 1, t)
        assert holds(found.below, law.cdf(t))
        assert holds(found.above, law.sf(t))

    @pytest.mark.parametrize("t", [0.05, 0.6, 1.0, 2.0, 15.0])
    @pytest.mark.parametrize("m", [1, 3, 25])
    def test_two_layers_are_a_quadrature_over_the_first(self, m: int, t: float) -> None:
        law = MaskedChiSquare(m)
        # The density of the log of the first ratio on a grid; the trapezoidal rule converges geometrically.
        grid = np.linspace(-14.0, 6.0, 4001)
        g = 0.25 * m * np.exp(grid)
        density = sum(
            stats.binom.pmf(k, m, 0.5) * np.exp(0.5 * k * np.log(g) - g - special.gammaln(0.5 * k))
            for k in range(1, m + 1)
        )
        total = float(np.trapezoid(density * law.sf(t * np.exp(-grid)), grid))
        above = layer_product_tail(m, 2, t).above
        assert 0.5 * (above.lower + above.upper) == pytest.approx(total, rel=1e-9)

    @pytest.mark.parametrize(("m", "depth"), [(8, 3), (30, 10), (200, 40)])
    def test_simulated_products_have_these_tails(self, m: int, depth: int) -> None:
        size = 40_000
        log_ratios, _ = sample_norm_path(m, depth, np.random.default_rng([2018, 26]), size)
        products = np.exp(log_ratios.sum(axis=1))
        for t in np.quantile(products, [0.02, 0.3, 0.6, 0.98]):
            found = layer_product_tail(m, depth, float(t))
            above = int(np.count_nonzero(products > t))
            interval = stats.binomtest(above, size).proportion_ci(1.0 - LEVEL, method="exact")
            assert interval.low <= found.above.lower <= found.above.upper <= interval.high

    @pytest.mark.parametrize(
        ("m", "depth", "t"),
        [(10**6, 8, 0.98), (10**6, 8, 1.02), (512, 64, 4.0), (512, 64, 0.05), (100, 1000, 1e6), (5, 4, 1e-300)],
    )
    def test_brackets_are_narrow_and_consistent(self, m: int, depth: int, t: float) -> None:
        found = layer_product_tail(m, depth, t)
        for bracket in (found.below, found.above):
            assert 0.0 <= bracket.lower <= bracket.upper <= 1.0
            assert bracket.upper - bracket.lower <= 1e-6 * bracket.upper
        assert found.below.lower + found.above.lower <= 1.0 <= found.below.upper + found.above.upper

    def test_is_monotone_in_the_threshold(self) -> None:
        brackets = [layer_product_tail(50, 6, float(t)).above for t in np.geomspace(1e-3, 50.0, 25)]
        assert all(later.lower <= earlier.upper for earlier, later in itertools.pairwise(brackets))
        assert brackets[0].lower > 0.999
        assert brackets[-1].upper < 1e-6

    def test_dead_networks_count_as_below(self) -> None:
        dead = 1.0 - (1.0 - 2.0**-3) ** 5
        found = layer_product_tail(3, 5, 1e-200).below
        assert found.lower <= dead + 1e-15
        assert dead <= found.upper <= dead + 1e-10

    def test_markov_and_the_mean_agree(self) -> None:
        # E[product] = 1 for the gain 2, so P(product > t) < 1/t; for the gain 1 the mean is 2^-l.
        assert layer_product_tail(20, 10, 50.0).above.upper < 1.0 / 50.0
        assert layer_product_tail(20, 10, 50.0, gain=1.0).above.upper < 2.0**-10 / 50.0

    @pytest.mark.parametrize(("l", "t"), [(0, 1.0), (2, 0.0), (2, math.nan), (2, math.inf), (1.5, 1.0)])
    def test_bad_arguments_are_refused(self, l: float, t: float) -> None:  # noqa: E741
        with pytest.raises(ValueError, match=r"number of layers|threshold must be positive"):
            layer_product_tail(5, l, t)  # type: ignore[arg-type]


class TestSmallPreactivations:
    def test_probability_is_that_of_a_narrow_gaussian_strip(self) -> None:
        law = SmallPreactivations(200, 0.01, 0.5)
        assert law.probability == pytest.approx(2.0 * stats.norm.cdf(0.01 * math.sqrt(100.0) / 0.5) - 1.0)
        # Near zero the difference above would lose every digit.
        tiny = SmallPreactivations(200, 1e-30, 0.5).probability
        assert tiny == pytest.approx(2e-30 * math.sqrt(100.0) / 0.5 / math.sqrt(2.0 * math.pi), rel=1e-12)

    def test_mean_grows_as_stated_in_the_lemma(self) -> None:
        m, beta = 10_000, 1e-6
        assert SmallPreactivations(m, beta, 1.0).mean() == pytest.approx(m**1.5 * beta / math.sqrt(math.pi), rel=1e-4)

    def test_simulated_counts_have_this_law(self) -> None:
        m, size = 30, 20_000
        rng = np.random.default_rng([2018, 27])
        x = np.array([0.3, -0.4, 1.2])
        weights = rng.normal(0.0, math.sqrt(2.0 / m), (size, 3, m))
        counts = np.count_nonzero(np.abs(np.einsum("d,sdm->sm", x, weights)) <= 0.1, axis=1)

        def fits(law: SmallPreactivations) -> bool:
            # Counts from 0 to 15, and all above; every one of these 17 classes is expected a few times.
            expected = size * np.append(np.diff(law.cdf(np.arange(-1, 16))), law.sf(15))
            observed = np.bincount(np.minimum(counts, 16), minlength=17)
            return bool(stats.chisquare(observed, expected).pvalue > LEVEL)

        norm = float(np.linalg.norm(x))
        assert fits(SmallPreactivations(m, 0.1, norm))
        assert not fits(SmallPreactivations(m, 0.1, 1.1 * norm))
        assert not fits(SmallPreactivations(m, 0.1, norm, gain=1.6))

    @pytest.mark.parametrize("k", [-1, 0, 10, 400, 900, 999, 1000])
    def test_log_tail_agrees_with_high_precision(self, k: int) -> None:
        law = SmallPreactivations(1000, 1e-4, 1.0)
        with mpmath.workdps(40):
            p = mpmath.mpf(law.probability)
            terms = [mpmath.binomial(1000, j) * p**j * (1 - p) ** (1000 - j) for j in range(k + 1, 1001)]
            exact = float(mpmath.log(mpmath.fsum(terms))) if terms else -math.inf
        assert law.logsf(k) == pytest.approx(exact, rel=1e-9, abs=1e-12)

    def test_zero_input_makes_every_preactivation_small(self) -> None:
        law = SmallPreactivations(7, 0.0, 0.0)
        assert (law.mean(), law.var(), law.sf(6), law.isf(0.5)) == (7.0, 0.0, 1.0, 7.0)

    def test_nan_is_refused(self) -> None:
        with pytest.raises(ValueError, match="beta and norm must be at least 0"):
            SmallPreactivations(7, math.nan, 1.0)


class TestAngles:
    @pytest.mark.parametrize("t", [1e-150, 1e-9, 1e-3, 0.3, 0.499, 0.501, 1.0, 2.0, 3.0, 3.1415])
    def test_full_accuracy_at_every_angle(self, t: float) -> None:
        with mpmath.workdps(400):
            x = mpmath.mpf(t)
            excess = float(mpmath.sin(x) - x * mpmath.cos(x))
            covariance = float((mpmath.sin(x) + (mpmath.pi - x) * mpmath.cos(x)) / (2 * mpmath.pi))
        assert sine_excess(t) == pytest.approx(excess, rel=1e-14, abs=0.0)
        # The angle pi - t is rounded to 2e-16 before its cube is taken.
        assert relu_covariance(t) == pytest.approx(covariance, rel=1e-15 + 1e-15 / (math.pi - t), abs=0.0)

    @pytest.mark.parametrize("t", [0.2, 1.0, 2.5])
    def test_covariance_is_the_gaussian_integral(self, t: float) -> None:
        # relu(Z1) relu(Z2) in polar coordinates: the radius gives E R^2 = 2, the direction an arc of pi - t.
        arc, _ = integrate.quad(lambda s: math.cos(s) * math.cos(s - t), t - math.pi / 2.0, math.pi / 2.0)
        assert relu_covariance(t) == pytest.approx(arc / math.pi, rel=1e-12)

    def test_covariance_at_the_ends(self) -> None:
        assert relu_covariance(0.0) == pytest.approx(0.5, rel=1e-15)
        assert relu_covariance(math.pi) == 0.0
        assert relu_covariance(math.pi / 2.0) == pytest.approx(1.0 / (2.0 * math.pi), rel=1e-15)

    @pytest.mark.parametrize("phi", [1e-12, 1e-5, 0.01, 0.5, 1.4, 2.0])
    def test_maps_of_correlation_and_distance_agree(self, phi: float) -> None:
        with mpmath.workdps(60):
            c = 1 - mpmath.mpf(phi) ** 2 / 2
            t = mpmath.acos(c)
            image = (mpmath.sin(t) + (mpmath.pi - t) * c) / mpmath.pi
            distance = float(mpmath.sqrt(2 - 2 * image))
        assert separation_map(phi) == pytest.approx(distance, rel=1e-14)
        assert correlation_map(float(c)) == pytest.approx(float(image), rel=1e-15)

    def test_small_distances_shrink_by_the_published_factor(self) -> None:
        for phi in (1e-2, 1e-4, 1e-6):
            shrink = (separation_map(phi) / phi) ** 2
            # 4e-16/phi: rounding of the quotient, divided by the first-order term.
            assert (1.0 - shrink) / phi == pytest.approx(2.0 / (3.0 * math.pi), rel=phi**2 + 4e-15 / phi)

    def test_paths_iterate_the_maps(self) -> None:
        distances, cosines = separation_path(0.3, 50), correlation_path(1.0 - 0.045, 50)
        assert distances.shape == (51,)
        np.testing.assert_allclose(1.0 - distances**2 / 2.0, cosines, rtol=1e-12)
        assert (np.diff(distances) < 0.0).all()
        assert distances[50] == pytest.approx(0.3 / (1.0 + 50 * 0.3 / (3.0 * math.pi)), rel=0.05)

    def test_values_outside_the_domain_are_refused(self) -> None:
        for bad in (1.1, math.nan):
            with pytest.raises(ValueError, match=r"correlation must lie in \[-1, 1\]"):
                correlation_map(bad)
        with pytest.raises(ValueError, match=r"distance of unit vectors must lie in \[0, 2\]"):
            separation_map(2.5)


class TestChernoffRate:
    @pytest.mark.parametrize("e", [-1.0 + 1e-9, -0.9, -0.3, -1e-3, 1e-3, 0.2, 1.0, 7.0, 1e6])
    def test_is_the_supremum_over_the_tilt(self, e: float) -> None:
        with mpmath.workdps(40):

            def exponent(s: mpmath.mpf) -> mpmath.mpf:
                return s * (1 + mpmath.mpf(e)) - mpmath.log(0.5 + (1 - 4 * s) ** -0.5 / 2)

            # The exponent is concave in s: ternary search in r = (1 - 4 s)^(-1/2), on a logarithmic scale.
            low, high = mpmath.mpf(-30), mpmath.mpf(30)
            for _ in range(400):
                a, b = low + (high - low) / 3, high - (high - low) / 3
                values = [exponent((1 - mpmath.exp(-2 * r)) / 4) for r in (a, b)]
                low, high = (a, high) if values[0] < values[1] else (low, b)
            best = float(exponent((1 - mpmath.exp(-(low + high))) / 4))
        assert chernoff_rate(e) == pytest.approx(best, rel=1e-12)

    def test_ends_and_small_deviations(self) -> None:
        assert chernoff_rate(0.0) == 0.0
        assert chernoff_rate(-1.0) == math.log(2.0)
        assert chernoff_rate(-1.1) == chernoff_rate(math.inf) == math.inf
        for e in (1e-20, -1e-20, 1e-9, -1e-9):
            assert chernoff_rate(e) == pytest.approx(e * e / 10.0, rel=1e-8)
        with pytest.raises(ValueError, match="deviation is NaN"):
            chernoff_rate(math.nan)


class TestExplicitConstant:
    def test_value(self) -> None:
        assert 1.0 / math.sqrt(chernoff_rate(1.0)) == pytest.approx(3.9336, abs=5e-5)
        assert 5.5629 < explicit_constant_A1() < 5.5630 < 5.57
        assert explicit_constant_A1(least=100.0) < explicit_constant_A1() < explicit_constant_A1(largest=2.0)

    def test_supremum_stands_at_the_end_decided_in_ball_arithmetic(self) -> None:
        # In h, with e^2/h^2 = ((5 + 12 h + 8 h^2)/(1 + h))^2 and I/h^2 = 2 + (h - log(1 + h))/h^2: on every
        # cell the numerator is at most its value at the right end, the denominator at least its own there.
        limit = flint.arb("3.9336") ** 2
        for right in range(-499, 1000):
            h = flint.arb(right) / 1000
            if right == 0:
                quotient = flint.arb(10)
            else:
                numerator = (5 + 12 * h + 8 * h**2) / (1 + h)
                quotient = numerator**2 / (2 + (h - (1 + h).log()) / h**2)
            e = h * (5 + 12 * h + 8 * h**2) / (1 + h)
            if (e > 1) is True:
                break
            assert (quotient <= limit) is True
        assert 0.16 < right / 1000 < 0.17

    @pytest.mark.parametrize(
        ("m", "union"), [(40, 2.0), (400, 2.0), (20_000, 2.0), (400, 10.0), (20_000, 10.0), (400, 1e5), (20_000, 1e100)]
    )
    def test_lemma_holds_with_it_by_the_exact_law(self, m: int, union: float) -> None:
        e = 5.57 * math.sqrt(math.log(union) / m)
        assert e <= 1.0  # the lemma's premise, m >= C^2 log(nL/delta)
        law = MaskedChiSquare(m)
        assert law.sf(1.0 + e) + law.cdf(1.0 - e) <= 1.0 / union

    def test_half_of_it_fails(self) -> None:
        e = 0.5 * math.sqrt(10.0) * math.sqrt(math.log(2.0) / 10**5)
        law = MaskedChiSquare(10**5)
        assert law.sf(1.0 + e) + law.cdf(1.0 - e) > 0.5

    def test_bad_arguments_are_refused(self) -> None:
        with pytest.raises(ValueError, match="least must exceed 1"):
            explicit_constant_A1(least=1.0)

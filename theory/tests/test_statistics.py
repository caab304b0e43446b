"""The tests that decide claims keep their levels, have the power they print, and match other formulas."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import stats

from theory.core.statistics import (
    SequentialTest,
    binomial_survival,
    clopper_pearson_interval,
    clopper_pearson_lower,
    clopper_pearson_upper,
    detectable_rate,
    detectable_rate_fixed,
    failures_to_refute,
    log_e_refute,
    log_e_support,
    row_to_refute,
    scaling_fit,
    time_uniform_interval,
    trials_to_support,
    undecided_chance,
)

# Probability with which a simulated frequency may stray before a test here fails.
STRAY = 1e-6

RATES = (1e-300, 1e-12, 1e-5, 0.01, 0.05, 0.5, 0.9, 1.0 - 1e-9, 1.0 - 2.0**-50)


def exact_log_e_refute(failures: int, trials: int, rate: float) -> float:
    """The same e-value as a finite sum in 40 digits: sum_i prod_{j<i} (k-j) q / ((n+2-k+j) p) / (n+1-k)."""
    with mpmath.workdps(40):
        p = mpmath.mpf(rate)
        odds, term, total = (1 - p) / p, mpmath.mpf(1), mpmath.mpf(0)
        for i in range(failures + 1):
            total += term
            term *= odds * (failures - i) / (trials + 2 - failures + i)
            if term < total * mpmath.mpf(10) ** -35 and odds * (failures - i) < trials + 2 - failures + i:
                break
        return float(mpmath.log(total / (trials + 1 - failures)))


def exact_log_e_support(failures: int, trials: int, rate: float) -> float:
    """Half of the mirror image, with the rate complemented in 40 digits, and half of the rate 0 against it."""
    with mpmath.workdps(40):
        left = 1 - mpmath.mpf(rate)
        spread = mpmath.exp(mpmath.mpf(exact_log_e_refute(trials - failures, trials, left)))
        return float(mpmath.log((spread + (left**-trials if failures == 0 else 0)) / 2))


@pytest.mark.parametrize("trials", [1, 7, 500, 10**6])
@pytest.mark.parametrize("rate", [1e-6, 0.05, 0.4, 0.9])
def test_a_binomial_tail_is_that_of_scipy(trials: int, rate: float) -> None:
    failures = np.unique(np.linspace(0, trials, 50).astype(np.int64))
    expected = stats.binom.sf(failures, trials, rate)
    # 1e-10: two versions of one library's incomplete beta function, far out in a tail.
    assert binomial_survival(failures, trials, rate) == pytest.approx(expected, rel=1e-10, abs=0.0)


class TestEValues:
    @pytest.mark.parametrize("rate", RATES)
    @pytest.mark.parametrize("trials", [0, 1, 2, 100, 3000])
    def test_agrees_with_high_precision_in_every_corner(self, trials: int, rate: float) -> None:
        for failures in sorted({0, min(1, trials), trials // 20, trials // 2, max(trials - 1, 0), trials}):
            # 1e-12: scipy's tails and probabilities are good to a few hundred units in the last place.
            for ours, exact in ((log_e_refute, exact_log_e_refute), (log_e_support, exact_log_e_support)):
                expected = exact(failures, trials, rate)
                assert ours(failures, trials, rate) == pytest.approx(expected, rel=1e-12, abs=1e-12)

    @pytest.mark.parametrize(
        ("failures", "rate"), [(0, 1e-12), (10, 1e-12), (0, 0.05), (1000, 0.05), (495_000, 0.05), (505_000, 0.05)]
    )
    def test_agrees_with_high_precision_at_ten_million_trials(self, failures: int, rate: float) -> None:
        expected = exact_log_e_refute(failures, 10**7, rate)
        assert log_e_refute(failures, 10**7, rate) == pytest.approx(expected, rel=1e-11, abs=1e-11)

    def test_is_the_mean_likelihood_ratio_over_the_alternative(self) -> None:
        with mpmath.workdps(30):
            mean = mpmath.quad(lambda u: (u / 0.3) ** 4 * ((1 - u) / 0.7) ** 5 / 0.7, [0.3, 1])
        assert log_e_refute(4, 9, 0.3) == pytest.approx(float(mpmath.log(mean)), rel=1e-12)

    def test_support_costs_a_factor_of_two_where_trials_fail_and_is_nearly_the_likelihood_where_none_does(self) -> None:
        for trials in (100, 400, 3000):
            mirrored = log_e_refute(trials - 2, trials, 0.95)
            assert log_e_support(2, trials, 0.05) == pytest.approx(mirrored - math.log(2.0), rel=1e-10)
            none = -trials * math.log1p(-0.05)
            assert none - math.log(2.0) < log_e_support(0, trials, 0.05) < none

    @pytest.mark.parametrize("rate", [0.05, 0.3, 0.9])
    @pytest.mark.parametrize("trials", [1, 7, 60])
    def test_expectation_at_the_boundary_is_one_and_below_one_inside_the_null(self, trials: int, rate: float) -> None:
        k = np.arange(trials + 1)

        def expectation(log_e: Callable[..., Any], truth: float) -> float:
            return float(np.sum(np.exp(log_e(k, trials, rate)) * stats.binom.pmf(k, trials, truth)))

        assert expectation(log_e_refute, rate) == pytest.approx(1.0, rel=1e-10)
        assert expectation(log_e_support, rate) == pytest.approx(1.0, rel=1e-10)
        assert expectation(log_e_refute, 0.9 * rate) < 1.0
        assert expectation(log_e_support, 1.05 * rate) < 1.0

    def test_rates_outside_the_unit_interval(self) -> None:
        for rate in (1.0, 1.5, math.inf):
            assert log_e_refute(7, 7, rate) == 0.0
            assert log_e_support(6, 7, rate) == math.inf
        for rate in (0.0, -0.5, -math.inf):
            assert log_e_refute(1, 7, rate) == math.inf
            assert log_e_refute(0, 7, rate) < 0.0
            assert log_e_support(0, 7, rate) == 0.0

    def test_arrays_broadcast(self) -> None:
        found = log_e_refute(np.array([[0], [3]]), np.array([5, 10, 20]), 0.05)
        assert found.shape == (2, 3)
        assert found[1, 2] == log_e_refute(3, 20, 0.05)

    @pytest.mark.parametrize(("failures", "trials"), [(4, 3), (-1, 3), (0.5, 3), (math.nan, 3), (1, math.inf)])
    def test_impossible_counts_are_refused(self, failures: float, trials: float) -> None:
        with pytest.raises(ValueError, match="whole numbers with 0 <= failures <= trials"):
            log_e_refute(failures, trials, 0.05)

    def test_nan_rate_is_refused(self) -> None:
        with pytest.raises(ValueError, match="rate is NaN"):
            log_e_support(0, 5, math.nan)


class TestSequentialTest:
    def test_decides_exactly_at_its_boundaries(self) -> None:
        test = SequentialTest(0.05, 0.01)
        trials = np.array([1, 5, 50, 500, 2000])
        refuting, supporting = test.refutation_boundary(trials), test.support_boundary(trials)
        for n, high, low in zip(trials.tolist(), refuting.tolist(), supporting.tolist(), strict=True):
            assert low < high
            decisions = [test.decide(k, n) for k in range(n + 1)]
            expected = ["support" if k <= low else "refute" if k >= high else None for k in range(n + 1)]
            assert decisions == expected

    def test_no_boundary_where_nothing_refutes(self) -> None:
        assert SequentialTest(0.5, 1e-9).refutation_boundary([5]).tolist() == [6]
        assert SequentialTest(1.0, 1e-2).refutation_boundary([500]).tolist() == [501]
        assert SequentialTest(0.01, 1e-2).support_boundary([50]).tolist() == [-1]

    @pytest.mark.parametrize(("failures", "trials"), [(0, 0), (3, 9), (1, 40), (30, 30)])
    def test_a_row_of_failures_refutes_as_soon_as_the_test_does(self, failures: int, trials: int) -> None:
        test, row = SequentialTest(0.3, 1e-6), row_to_refute(0.3, 1e-6, failures, trials)
        assert row is not None
        assert test.decide(failures + row, trials + row) == "refute"
        assert row == 0 or test.decide(failures + row - 1, trials + row - 1) != "refute"

    def test_a_rate_of_one_is_refuted_by_no_row(self) -> None:
        assert row_to_refute(1.0, 1e-6) is None

    def test_false_alarms_at_the_boundary_stay_below_the_level_under_two_thousand_looks(self) -> None:
        runs, looks, rate, alpha = 20_000, 2000, 0.05, 0.01
        rng = np.random.default_rng([2018, 1])
        test = SequentialTest(rate, alpha)
        n = np.arange(1, looks + 1)
        refuting, supporting = test.refutation_boundary(n), test.support_boundary(n)
        # The exact test for a sample size fixed beforehand, consulted at every look all the same.
        naive = stats.binom.isf(alpha, n, rate) + 1
        alarms = {"refute": 0, "support": 0, "naive": 0}
        for _ in range(runs // 1000):
            failures = np.cumsum(rng.random((1000, looks), np.float32) < rate, axis=1, dtype=np.int16)
            alarms["refute"] += int(np.count_nonzero((failures >= refuting).any(axis=1)))
            alarms["support"] += int(np.count_nonzero((failures <= supporting).any(axis=1)))
            alarms["naive"] += int(np.count_nonzero((failures >= naive).any(axis=1)))
        print("false alarms:", {name: count / runs for name, count in alarms.items()})
        for side in ("refute", "support"):
            # Above alpha only if the level is really exceeded; above zero, or the test has no power at all.
            assert clopper_pearson_lower(alarms[side], runs, 1.0 - STRAY) <= alpha
            assert alarms[side] > 0
        assert clopper_pearson_lower(alarms["naive"], runs, 1.0 - STRAY) > 5.0 * alpha

    def test_the_cost_of_peeking_without_a_failure(self) -> None:
        assert [trials_to_support(rate, 0.01) for rate in (0.05, 0.01, 0.001)] == [100, 510, 5119]

    @pytest.mark.parametrize("fixed", [False, True])
    def test_a_budget_is_undecided_at_most_as_often_as_counts_do_not_decide(self, fixed: bool) -> None:
        rate, alpha, budget, truth = 0.4, 1e-6, 200, 0.2
        rng, runs = np.random.default_rng(0), 20_000
        counts = rng.binomial(budget, truth, runs)

        def decided(count: int) -> bool:
            if fixed:
                return bool(clopper_pearson_upper(count, budget, 1.0 - alpha) <= rate)
            return SequentialTest(rate, alpha).decide(count, budget) == "support"

        missed = sum(number for count, number in Counter(counts.tolist()).items() if not decided(count))
        chance = undecided_chance(rate, alpha, budget, truth, fixed=fixed)
        assert 0.05 < chance < 0.95
        assert missed / runs == pytest.approx(chance, abs=5.0 * math.sqrt(chance * (1.0 - chance) / runs))
        assert undecided_chance(rate, alpha, 4 * budget, truth, fixed=fixed) < 0.01 * chance
        assert undecided_chance(rate, alpha, 10, 0.0, fixed=fixed) == 1.0  # ten trials support nothing at this level

    @pytest.mark.parametrize("fixed", [False, True])
    def test_a_refutation_needs_the_smallest_count_that_decides_so(self, fixed: bool) -> None:
        rate, alpha, trials = 0.1, 1e-6, 100
        least = failures_to_refute(rate, alpha, trials, fixed)

        def refutes(count: int) -> bool:
            if fixed:
                return bool(clopper_pearson_lower(count, trials, 1.0 - alpha) > rate)
            return SequentialTest(rate, alpha).decide(count, trials) == "refute"

        assert [refutes(count) for count in (least - 1, least)] == [False, True]
        assert failures_to_refute(rate, alpha, 2, fixed) == 3
        assert undecided_chance(rate, alpha, trials, 1.0, "refute", fixed) == 0.0
        assert undecided_chance(rate, alpha, trials, rate, "refute", fixed) > 1.0 - alpha
        found = stats.binom.cdf(least - 1, trials, 0.3)
        assert undecided_chance(rate, alpha, trials, 0.3, "refute", fixed) == pytest.approx(found)

    @pytest.mark.parametrize("failures", [0, 3])
    def test_trials_for_one_fixed_look_are_the_fewest_too(self, failures: int) -> None:
        needed = trials_to_support(0.2, 1e-6, failures, fixed=True)
        assert needed is not None
        met = [clopper_pearson_upper(failures, trials, 1.0 - 1e-6) <= 0.2 for trials in (needed - 1, needed)]
        assert met == [False, True]

    @pytest.mark.parametrize("rate", [0.5, 0.05, 1e-12])
    def test_trials_to_support_is_the_smallest_number(self, rate: float) -> None:
        needed = trials_to_support(rate, 1e-6)
        assert needed is not None
        test = SequentialTest(rate, 1e-6)
        assert test.decide(0, needed) == "support"
        assert test.decide(0, needed - 1) is None

    def test_rates_beyond_counting_are_never_supported(self) -> None:
        assert trials_to_support(1e-300, 0.01) is None
        assert trials_to_support(0.0, 0.01) is None

    @pytest.mark.parametrize("alpha", [0.0, 1.0, math.nan])
    def test_level_outside_the_unit_interval_is_refused(self, alpha: float) -> None:
        with pytest.raises(ValueError, match="alpha must lie strictly between 0 and 1"):
            SequentialTest(0.05, alpha)


class TestTimeUniformInterval:
    @pytest.mark.parametrize(("failures", "trials"), [(0, 3000), (3, 3000), (40, 300), (3000, 3000), (50, 10**7)])
    def test_its_ends_are_where_the_tests_change_their_mind(self, failures: int, trials: int) -> None:
        low, high = time_uniform_interval(failures, trials, 1e-3)
        assert low <= failures / trials <= high
        if low > 0.0:
            assert SequentialTest(low * (1 - 1e-9), 1e-3).decide(failures, trials) == "refute"
            assert SequentialTest(low * (1 + 1e-9), 1e-3).decide(failures, trials) is None
        if high < 1.0:
            assert SequentialTest(high * (1 + 1e-9), 1e-3).decide(failures, trials) == "support"
            assert SequentialTest(high * (1 - 1e-9), 1e-3).decide(failures, trials) is None

    def test_without_trials_nothing_is_excluded(self) -> None:
        assert time_uniform_interval(0, 0, 0.01) == (0.0, 1.0)

    def test_is_wider_than_the_interval_for_a_fixed_number_of_trials(self) -> None:
        low, high = time_uniform_interval(30, 400, 0.01)
        fixed_low, fixed_high = clopper_pearson_interval(30, 400, 0.98)
        assert low < fixed_low < fixed_high < high

    def test_covers_the_truth_at_all_times_at_once(self) -> None:
        runs, looks, truth, alpha = 400, 40, 0.2, 0.05
        rng = np.random.default_rng([2018, 2])
        counts = np.cumsum(rng.binomial(5, truth, (runs, looks)), axis=1)
        trials = 5 * np.arange(1, looks + 1)
        # The truth is outside an interval exactly where its own e-value has crossed; checked above.
        missed = np.maximum(log_e_refute(counts, trials, truth), log_e_support(counts, trials, truth)) >= -math.log(
            alpha
        )
        ever = int(np.count_nonzero(missed.any(axis=1)))
        assert clopper_pearson_lower(ever, runs, 1.0 - STRAY) <= 2.0 * alpha


class TestClopperPearson:
    @pytest.mark.parametrize(("failures", "trials"), [(0, 3000), (1, 1), (0, 1), (7, 40), (40, 40), (3, 10**6)])
    @pytest.mark.parametrize("confidence", [0.9, 0.999, 1.0 - 1e-9])
    def test_agrees_with_scipy(self, failures: int, trials: int, confidence: float) -> None:
        def scipy_interval(alternative: str) -> Any:
            return stats.binomtest(failures, trials, alternative=alternative).proportion_ci(confidence, method="exact")

        def near(value: float) -> Any:
            # scipy solves for the ends numerically, to about 1e-9.
            return pytest.approx(value, rel=1e-7, abs=1e-12)

        two_sided = scipy_interval("two-sided")
        assert clopper_pearson_upper(failures, trials, confidence) == near(scipy_interval("less").high)
        assert clopper_pearson_lower(failures, trials, confidence) == near(scipy_interval("greater").low)
        low, high = clopper_pearson_interval(failures, trials, confidence)
        assert (low, high) == (near(two_sided.low), near(two_sided.high))

    def test_no_failures_in_three_thousand(self) -> None:
        assert clopper_pearson_upper(0, 3000, 0.999) == pytest.approx(-math.expm1(math.log(1e-3) / 3000), rel=1e-9)

    def test_arrays(self) -> None:
        assert clopper_pearson_upper([0, 5], 5, 0.9).tolist() == [clopper_pearson_upper(0, 5, 0.9), 1.0]


class TestPower:
    def test_sequential_run_has_the_power_printed(self) -> None:
        rate, alpha, trials, runs = 0.05, 1e-3, 1000, 4000
        truth = detectable_rate(rate, alpha, trials)
        looks = np.arange(50, trials + 1, 50)
        rng = np.random.default_rng([2018, 3])
        failures = np.cumsum(rng.binomial(50, truth, (runs, looks.size)), axis=1)
        refuted = (failures >= SequentialTest(rate, alpha).refutation_boundary(looks)).any(axis=1)
        caught = int(np.count_nonzero(refuted))
        assert clopper_pearson_upper(caught, runs, 1.0 - STRAY) >= 0.9
        # Not far above 0.9 either: the figure is conservative only by the early looks.
        assert clopper_pearson_lower(caught, runs, 1.0 - STRAY) <= 0.97

    def test_fixed_run_has_exactly_the_power_printed(self) -> None:
        rate, alpha, trials = 0.05, 1e-3, 1000
        truth = detectable_rate_fixed(rate, alpha, trials)
        k = np.arange(trials + 1)
        refuting = clopper_pearson_lower(k, trials, 1.0 - alpha) > rate
        assert float(stats.binom.pmf(k[refuting], trials, truth).sum()) == pytest.approx(0.9, abs=1e-9)
        assert float(stats.binom.pmf(k[refuting], trials, rate).sum()) <= alpha

    def test_more_trials_detect_smaller_rates_and_peeking_costs(self) -> None:
        found = [detectable_rate(0.05, 1e-3, trials) for trials in (100, 1000, 10_000)]
        assert found == sorted(found, reverse=True)
        assert all(rate > 0.05 for rate in found)
        assert detectable_rate_fixed(0.05, 1e-3, 1000) < detectable_rate(0.05, 1e-3, 1000)

    def test_nothing_is_detectable_when_no_outcome_refutes(self) -> None:
        assert detectable_rate(0.5, 1e-9, 5) == math.inf
        assert detectable_rate(1.0, 0.01, 5000) == math.inf
        assert detectable_rate_fixed(1.0, 0.01, 5000) == math.inf

    def test_a_rate_of_zero_is_refuted_by_one_failure(self) -> None:
        assert detectable_rate(0.0, 1e-9, 100) == pytest.approx(1.0 - 0.1 ** (1 / 100), rel=1e-9)


def planted(
    rng: np.random.Generator, widths: Sequence[int], replicates: int, exponent: float, spread: float = 0.1
) -> tuple[np.ndarray, np.ndarray]:
    """Replicates of 3 * width^exponent with log-normal noise that shrinks with the width."""
    m = np.repeat(np.array(widths, float), replicates)
    noise = spread * (m / widths[0]) ** -0.5 * rng.standard_normal(m.size)
    return m, 3.0 * m**exponent * np.exp(noise)


class TestScalingFit:
    def test_noise_free_power_law_is_recovered_exactly(self) -> None:
        m, depth = (axis.ravel() for axis in np.meshgrid([64.0, 128.0, 512.0], [2.0, 3.0, 5.0]))
        fit = scaling_fit({"m": m, "L": depth}, 2.0 * m**-0.5 * depth**1.5, 0.05)
        assert fit.exponents == {"m": pytest.approx(-0.5, abs=1e-12), "L": pytest.approx(1.5, abs=1e-12)}
        assert fit.intercept == pytest.approx(math.log(2.0), abs=1e-11)
        assert fit.degrees_of_freedom == 6

    def test_an_exact_power_law_whose_intercept_has_no_variance_but_rounding_is_fitted(self) -> None:
        tau = np.repeat([1e-3, 5e-3, 0.05, 1e-5, 1e-3, 0.03, 1.5e-6], [4] * 6 + [2])
        depth, m = np.repeat([1.0, 2.0], [24, 2]), np.repeat([1000.0, 8996.0], [12, 14])
        for seed in range(20):
            rounding = 1e-15 * np.random.default_rng(seed).integers(-2, 3, size=26)
            rounding[-2:] = [0.0036, -0.0036]
            fit = scaling_fit({"tau": tau, "L": depth, "m": m}, 2.0 * tau * np.exp(rounding), 1e-9)
            assert fit.exponents["tau"] == pytest.approx(1.0, abs=1e-9)

    def test_covariance_is_the_direct_hc3_formula(self) -> None:
        rng = np.random.default_rng([2018, 4])
        m, y = planted(rng, [64, 128, 256], 5, -0.5)
        depth = np.tile([1.0, 2.0, 4.0, 8.0, 16.0], 3)
        fit = scaling_fit({"m": m, "L": depth}, y, 0.05)
        x = np.column_stack([np.ones_like(m), np.log(m), np.log(depth)])
        inverse = np.linalg.inv(x.T @ x)
        beta = inverse @ x.T @ np.log(y)
        hat = np.diag(x @ inverse @ x.T)
        meat = x.T @ np.diag(((np.log(y) - x @ beta) / (1.0 - hat)) ** 2) @ x
        # 1e-9: the direct formula squares the condition number of the design, about 1e3.
        np.testing.assert_allclose(fit.covariance, inverse @ meat @ inverse, rtol=1e-9, atol=1e-14)
        half = stats.t.ppf(0.975, 12) * math.sqrt((inverse @ meat @ inverse)[1, 1])
        assert fit.intervals["m"] == (pytest.approx(beta[1] - half, rel=1e-9), pytest.approx(beta[1] + half, rel=1e-9))

    def test_covers_the_planted_exponent_and_rejects_one_off_by_a_tenth(self) -> None:
        rng = np.random.default_rng([2018, 5])
        runs, alpha = 1000, 0.05
        fits = [
            scaling_fit({"m": m}, y, alpha)
            for m, y in (planted(rng, [64, 128, 256, 512, 1024], 20, -0.5) for _ in range(runs))
        ]
        missed = sum(not fit.agrees("m", -0.5) for fit in fits)
        fooled = sum(fit.agrees("m", wrong) for fit in fits for wrong in (-0.6, -0.4))
        # HC3 intervals are conservative in samples of this size, so the nominal level is a fair upper limit.
        assert clopper_pearson_lower(missed, runs, 1.0 - STRAY) <= alpha
        assert clopper_pearson_upper(missed, runs, 1.0 - STRAY) >= 0.5 * alpha
        assert fooled == 0

    @pytest.mark.parametrize("bad", [math.nan, math.inf, 0.0, -1.0])
    @pytest.mark.parametrize("where", ["m", "measured"])
    def test_values_without_a_logarithm_are_refused(self, bad: float, where: str) -> None:
        columns = {"m": [1.0, 2.0, 3.0, 4.0], "measured": [1.0, 2.0, 3.0, 4.0]}
        columns[where][2] = bad
        with pytest.raises(ValueError, match=f"positive finite numbers for '{where}': found"):
            scaling_fit({"m": columns["m"]}, columns["measured"], 0.05)

    def test_designs_that_determine_nothing_are_refused(self) -> None:
        with pytest.raises(ValueError, match="do not determine 1 exponents"):
            scaling_fit({"m": [1.0, 2.0]}, [1.0, 2.0], 0.05)
        with pytest.raises(ValueError, match="do not tell the exponents of m, L apart"):
            scaling_fit({"m": [1.0, 2.0, 4.0, 8.0], "L": [1.0, 4.0, 16.0, 64.0]}, [1.0, 2.0, 3.0, 4.0], 0.05)
        with pytest.raises(ValueError, match="measurement 3 alone determines an exponent"):
            scaling_fit({"m": [1.0, 1.0, 1.0, 8.0]}, [1.0, 2.0, 3.0, 4.0], 0.05)
        with pytest.raises(ValueError, match="one value of each variable per measurement"):
            scaling_fit({"m": [1.0, 2.0, 4.0]}, [1.0, 2.0], 0.05)

"""Tails of norms along the depth, held against the law of one layer, sampled paths and moments in many digits."""

import math

import mpmath
import numpy as np
import pytest
import scipy
from numpy.random import Generator

from nets.core.arrays import Array
from properties.shared.path_tails import ever_above, path_tail, sometimes

SAMPLES = 100_000


def sampled_squares(m: int, depth: int, rng: Generator, gain: float = 2.0) -> Array:
    """||x_l||^2 for l = 1..depth in many networks: each layer multiplies by (gain/m) chi^2 of its active neurons."""
    active = rng.binomial(m, 0.5, (SAMPLES, depth))
    ratios = np.where(active > 0, rng.chisquare(np.maximum(active, 1)), 0.0) * (gain / m)
    return np.asarray(np.cumprod(ratios, axis=1), dtype=np.float64)


def allowed(p: float) -> float:
    """Six standard errors of a frequency, and three events."""
    return 6.0 * math.sqrt(p * (1.0 - p) / SAMPLES) + 3.0 / SAMPLES


def test_an_event_in_one_of_several_trials_by_hand() -> None:
    assert sometimes(0.25, 2) == pytest.approx(7 / 16, rel=1e-15)
    assert sometimes(1.0, 3) == 1.0
    assert sometimes(0.0, 3) == 0.0
    # Where 1 - (1 - p)^k is lost in rounding.
    assert sometimes(1e-20, 10) == pytest.approx(1e-19, rel=1e-12)


@pytest.mark.parametrize(("deviation", "gain"), [(0.3, 2.0), (0.7, 2.0), (1.2, 2.0), (0.4, 1.0)])
def test_one_layer_at_one_sample_has_its_exact_law(deviation: float, gain: float) -> None:
    """The sum over the numbers of active neurons, of the chances of chi^2 to be far out."""
    m = 12
    active = np.arange(1, m + 1)
    weights = scipy.stats.binom.pmf(active, m, 0.5)
    exact = weights @ scipy.stats.chi2.sf((1.0 + deviation) ** 2 * m / gain, active)
    if deviation < 1.0:
        exact += weights @ scipy.stats.chi2.cdf((1.0 - deviation) ** 2 * m / gain, active) + 0.5**m
    tail = path_tail(m, 1, np.array([deviation]), gain)
    assert tail.lower == pytest.approx(exact, rel=1e-9)
    assert tail.upper == pytest.approx(exact, rel=1e-9)
    # A union over samples multiplies the upper end alone.
    assert path_tail(m, 3, np.array([deviation]), gain).upper == pytest.approx(min(1.0, 3.0 * exact), rel=1e-9)


@pytest.mark.parametrize("deviations", [[0.5, 0.6, 0.7], [0.4, 0.8, 1.5], [2.0, 2.0, 2.0]])
def test_a_path_leaves_its_bracket_as_often_as_the_tail_says(deviations: list[float]) -> None:
    m = 64
    squares = sampled_squares(m, 3, np.random.default_rng(3))
    share = float(np.mean(np.any(np.abs(np.sqrt(squares) - 1.0) > deviations, axis=1)))
    tail = path_tail(m, 1, np.array(deviations))
    assert tail.is_probability
    assert tail.lower - allowed(share) <= share <= tail.upper + allowed(share)


def test_narrower_deviations_and_more_samples_are_met_more_often() -> None:
    tails = [path_tail(256, n, np.array([level, level])) for n in (1, 4) for level in (0.3, 0.2)]
    assert tails[0].upper < tails[1].upper
    assert tails[0].upper < tails[2].upper <= 4.0 * tails[0].upper * (1.0 + 1e-12)
    assert tails[0].lower == tails[2].lower


@pytest.mark.parametrize("level", [3.0, 6.0])
def test_the_norm_rises_above_a_level_no_more_often_than_the_martingale_allows(level: float) -> None:
    m, depth = 32, 4
    share = float(np.mean(sampled_squares(m, depth, np.random.default_rng(4)).max(axis=1) >= level))
    assert share - allowed(share) <= ever_above(m, depth, level) < 1.0


def naive_ever_above(m: int, depth: int, level: float) -> float:
    """The least of level^-theta max(1, E[X^theta])^depth over a grid of powers, from the gamma function."""

    def moment(theta: mpmath.mpf) -> mpmath.mpf:
        terms = (
            mpmath.binomial(m, k) * mpmath.gamma(mpmath.mpf(k) / 2 + theta) / mpmath.gamma(mpmath.mpf(k) / 2)
            for k in range(1, m + 1)
        )
        return (mpmath.mpf(4) / m) ** theta / mpmath.mpf(2) ** m * mpmath.fsum(terms)

    powers = [mpmath.mpf(10) ** (mpmath.mpf(k) / 20 - 1) for k in range(46)]
    return float(min(level**-theta * max(mpmath.mpf(1), moment(theta)) ** depth for theta in powers))


@pytest.mark.parametrize(("depth", "level"), [(1, 3.0), (4, 3.0), (4, 20.0)])
def test_the_martingale_bound_is_the_best_over_the_powers(depth: int, level: float) -> None:
    """Neighbouring powers differ by a third, which loses a tenth of the exponent at most."""
    best = naive_ever_above(16, depth, level)
    found = ever_above(16, depth, level)
    assert best * (1.0 - 0.02) <= found <= best**0.9


def test_a_level_of_one_is_met_at_once_and_no_gain_is_needed_for_that() -> None:
    assert ever_above(16, 2, 1.0) == 1.0
    assert ever_above(16, 2, 0.5) == 1.0
    # With half the variance norms shrink, and a level is met less often.
    assert ever_above(16, 3, 4.0, gain=1.0) < ever_above(16, 3, 4.0)


def test_the_second_layer_adds_its_best_chernoff_bound() -> None:
    """Where the first layer all but surely stays, and norms cannot fall by more than 1: level^-theta E[X^theta]^2.

    From the moments in many digits, which exceed 1 at the best power.
    """
    tail = path_tail(16, 1, np.array([9.0, 1.5]))
    best = naive_ever_above(16, 2, 2.5**2)
    assert tail.lower < 1e-12
    assert best * (1.0 - 0.02) <= tail.upper <= best**0.9

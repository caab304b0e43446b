"""The constants at initialisation in the formula sheet of chatterji2021, by hand or from one another."""

import math

import pytest
from scipy import stats

from bounds.arithmetic.balls import precision_of
from bounds.laws.huberised_moments import mean_square
from bounds.papers import chatterji2021 as sheet


def test_width_for_the_norms() -> None:
    at = {"m": 1080, "n": 1, "L": 1, "delta": 0.8}
    assert sheet.lemma_E_2_width.slack(at) == pytest.approx(math.log(1080 / (360 * math.log(20))))
    assert sheet.lemma_E_2_width.holds(at)
    assert not sheet.lemma_E_2_width.holds({**at, "m": 1078})
    assert not sheet.lemma_E_2_width.holds({**at, "L": 2})


def test_line_before_49_against_the_exact_mean() -> None:
    """h = 1/100 at m = 1, r = 1: the mean lies between the two readings of the line, and (49) below both."""
    at = {"h": 0.01, "r": 1.0, "m": 1}
    with precision_of(128):
        exact = float(2 * mean_square(0.01 / math.sqrt(2)))
    assert exact == pytest.approx(0.99437, abs=1e-5)
    assert sheet.ineq_49.evaluate(at) < sheet.ineq_49_corrected.evaluate(at) < exact
    assert exact < sheet.ineq_49_printed.evaluate(at) < sheet.ineq_49_upper.evaluate(at)
    assert sheet.ineq_49_smoothing.holds(at)
    assert not sheet.ineq_49_smoothing.holds({**at, "r": 0.004})


def test_norm_of_a_layer_leaves_the_share_of_its_part() -> None:
    """At the least width, exp(-t^2/2) at 3 = 2 sqrt(2) + t sqrt(2/m), and chi2_m at 2 m, stay below delta/16 each."""
    for L, delta in ((1, 0.8), (3, 0.1), (6, 1e-9)):
        m = math.ceil(136 * math.log(16 * L / delta))
        assert sheet.lemma_E_3_width.holds({"m": m, "L": L, "delta": delta})
        t = (sheet.lemma_E_3() - 2 * math.sqrt(2)) * math.sqrt(m / 2)
        assert L * math.exp(-(t**2) / 2) <= delta / 16
        assert stats.chi2.sf(sheet.lemma_E_3_output(m=m) ** 2, m) <= delta / 16
        assert sheet.lemma_E_3_sharp(m=m, L=L, delta=delta) <= sheet.lemma_E_3()


def test_threshold_at_the_least_radius() -> None:
    """m^(3/2) beta is log(n L/delta)^(4/3), whatever the depth and the width."""
    for m, n, L, delta in ((1000, 1, 1, 0.5), (10**5, 4, 7, 1e-3)):
        tau = sheet.lemma_E_9_radius(m=m, n=n, L=L, delta=delta)
        beta = sheet.lemma_E_9_threshold(m=m, L=L, tau=tau)
        assert sheet.lemma_E_9(m=m, beta_=beta) == pytest.approx(3 * math.log(n * L / delta) ** (4 / 3))


def test_sharp_norm_of_all_weights_is_below_the_printed_one_at_the_least_width() -> None:
    for L, delta in ((1, 0.9), (1, math.exp(-1)), (1, 1e-30), (2, 1e-6), (12, 0.1)):
        m = math.ceil(4 * max(1.0, math.log(1 / delta)))
        assert sheet.lemma_E_12_width.holds({"m": m, "delta": delta})
        assert sheet.lemma_E_12_sharp(m=m, L=L, delta=delta) <= sheet.lemma_E_12(m=m, L=L)


def test_sharp_products_are_below_two() -> None:
    assert sheet.lemma_E_10_sharp() == pytest.approx(1.52904, abs=1e-5)
    assert sheet.lemma_E_11(n=1, delta=2 * math.exp(-2)) == pytest.approx(1.1 * 2)

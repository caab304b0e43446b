"""Logistic terms against 60 digits, from margins of -10^6 to 10^6, and means in the log domain."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nets.core.arrays import Array
from nets.networks.log_loss import UNIT_LOSS, UNIT_LOSS_REST, UNIT_SLOPE, log_mean, log_mean_loss, logistic_terms
from nets.networks.losses import LOGISTIC

# The worst met on 8000 margins is 3.2; elementary functions err by up to one unit, and up to three are composed.
ULPS = 6.0
LEAST = 5e-324


def _exact(m: float) -> tuple[mpmath.mpf, ...]:
    """J_s, log J_s, g_s, log g_s."""
    x = mpmath.mpf(m)
    rest = mpmath.log1p(mpmath.exp(-abs(x)))
    loss = rest - min(x, mpmath.mpf(0))
    return loss, mpmath.log(loss), 1 / (1 + mpmath.exp(x)), -rest - max(x, mpmath.mpf(0))


def _off(found: float, exact: mpmath.mpf) -> float:
    """Distance in units in the last place of the exact number."""
    return float(abs(mpmath.mpf(float(found)) - exact) / max(LEAST, float(np.spacing(abs(float(exact))))))


def _check(margins: Array) -> None:
    with mpmath.workdps(60):
        found = zip(*logistic_terms(margins), strict=True)
        for m, terms in zip(margins, found, strict=True):
            assert all(_off(a, b) <= ULPS for a, b in zip(terms, _exact(float(m)), strict=True)), m


SIZES = np.concatenate([[0.0], np.geomspace(1e-300, 1e-3, 12), np.geomspace(1e-2, 1e6, 90), [40.0, 709.0, 746.0]])


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_all_terms_are_accurate_at_all_sizes(sign: float) -> None:
    _check(sign * SIZES)


def test_all_terms_are_accurate_where_the_loss_is_one() -> None:
    gaps = np.concatenate([[0.0], np.geomspace(1e-16, 1.5, 60)])
    _check(np.concatenate([UNIT_LOSS + gaps, UNIT_LOSS - gaps]))


@given(st.floats(-1e6, 1e6))
def test_all_terms_are_accurate_at_any_margin(m: float) -> None:
    _check(np.array([m]))


def test_a_plain_logarithm_is_not_accurate_where_the_loss_is_one() -> None:
    m = UNIT_LOSS + 1e-10
    with mpmath.workdps(60):
        assert _off(math.log(float(LOGISTIC.value(m))), _exact(m)[1]) > 1000.0


def test_constants_have_all_digits() -> None:
    with mpmath.workdps(60):
        exact = -mpmath.log(mpmath.e - 1)
        assert float(exact) == UNIT_LOSS
        assert float(exact - mpmath.mpf(UNIT_LOSS)) == UNIT_LOSS_REST
        assert float(1 - 1 / mpmath.e) == UNIT_SLOPE


def test_nothing_rounds_to_zero_in_the_log_domain() -> None:
    terms = logistic_terms([690.0, 1e5])
    assert terms.loss[1] == terms.weight[1] == 0.0
    np.testing.assert_array_equal(terms.log_loss, [-690.0, -1e5])
    np.testing.assert_array_equal(terms.log_weight, [-690.0, -1e5])
    assert terms.loss[0] == pytest.approx(math.exp(-690.0), rel=1e-15)


def test_infinite_margins_give_limits_and_nan_stays() -> None:
    terms = logistic_terms([-np.inf, np.inf, np.nan])
    np.testing.assert_array_equal(terms.loss, [np.inf, 0.0, np.nan])
    np.testing.assert_array_equal(terms.log_loss, [np.inf, -np.inf, np.nan])
    np.testing.assert_array_equal(terms.weight, [1.0, 0.0, np.nan])
    np.testing.assert_array_equal(terms.log_weight, [0.0, -np.inf, np.nan])


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_shape_is_kept(shape: tuple[int, ...]) -> None:
    assert {term.shape for term in logistic_terms(np.ones(shape))} == {shape}


@given(st.floats(-40.0, 1e3))
def test_weight_is_one_minus_exp_of_minus_loss_and_below_the_loss(m: float) -> None:
    terms = logistic_terms(m)
    assert float(terms.weight) == pytest.approx(-math.expm1(-float(terms.loss)), rel=1e-14, abs=1e-300)
    assert terms.weight <= terms.loss
    assert terms.log_weight <= terms.log_loss


@given(st.lists(st.floats(-1e5, 1e5), min_size=1, max_size=20))
def test_log_of_the_mean_loss_is_accurate(margins: list[float]) -> None:
    found = log_mean_loss(np.array(margins))
    with mpmath.workdps(60):
        exact = mpmath.log(mpmath.fsum(_exact(m)[0] for m in margins) / len(margins))
        assert abs(mpmath.mpf(found) - exact) <= 8 * np.finfo(np.float64).eps * max(4.0, abs(float(exact)))


def test_equal_numbers_are_their_own_mean() -> None:
    assert log_mean([-1e5] * 7) == -1e5
    assert log_mean_loss([1e6, 1e6, 1e6]) == -1e6


def test_means_of_infinities_and_nan() -> None:
    assert log_mean([-np.inf, -np.inf]) == -np.inf
    assert log_mean([np.inf, 0.0]) == np.inf
    assert log_mean([-np.inf, 3.0]) == pytest.approx(3.0 - math.log(2.0))
    assert math.isnan(log_mean([np.nan, 0.0]))


def test_a_mean_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="there are no logarithms: pass one per sample"):
        log_mean([])

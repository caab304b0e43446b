"""Good vectors, and the chance that a Gaussian vector is none."""

import itertools

import mpmath
import numpy as np
import pytest

from properties.allenzhu2018rnn.percentiles import chance_of_lack, lack, least_number, measured_lack


def naive_chance(m: int, alpha: float, threshold: float) -> mpmath.mpf:
    """The chance that at most one of the two halves is large, of all 3^m outcomes one by one, to 40 digits."""
    with mpmath.workdps(40):
        tail = mpmath.erfc(mpmath.mpf(threshold) / mpmath.sqrt(2)) / 2
        chances = {1: tail, -1: tail, 0: 1 - 2 * tail}
        return mpmath.fsum(
            mpmath.fprod(chances[sign] for sign in outcome)
            for outcome in itertools.product(chances, repeat=m)
            if min(outcome.count(1), outcome.count(-1)) < (1.0 - alpha) * m / 2.0
        )


def test_a_vector_is_good_where_both_halves_are_large() -> None:
    w = np.array([[3.0, -3.0, 3.0, -3.0, 0.1], [3.0, 3.0, 3.0, -3.0, -3.0], [3.0, 3.0, 3.0, 3.0, -3.0]])
    assert lack(w, 1.0) == pytest.approx([0.2, 0.2, 0.6])
    assert lack(w[0], 0.05) == pytest.approx(0.2)
    assert lack(w[0], 3.2) == 1.0


def test_the_least_number_is_rounded_up() -> None:
    assert [least_number(m, 0.25) for m in (1, 8, 9)] == [1, 3, 4]


@pytest.mark.parametrize(("m", "alpha", "threshold"), [(1, 0.3, 0.1), (4, 0.4, 0.2), (7, 0.3, 0.4)])
def test_the_chance_is_that_of_all_outcomes_one_by_one(m: int, alpha: float, threshold: float) -> None:
    assert chance_of_lack(m, alpha, threshold) == pytest.approx(float(naive_chance(m, alpha, threshold)), rel=1e-12)


@pytest.mark.parametrize(("m", "alpha", "threshold"), [(4, 0.4, 0.5), (7, 0.3, 1.5)])
def test_the_measured_chance_has_the_threshold_as_a_multiple_of_alpha_and_an_error_that_covers_its_rounding(
    m: int, alpha: float, threshold: float
) -> None:
    found, expected = measured_lack(m, alpha, threshold), naive_chance(m, alpha, threshold * alpha)
    assert abs(expected - found.value) <= found.error < 1e-9 * expected


def test_one_gaussian_certainly_lacks_one_of_the_halves_and_a_chance_that_underflows_keeps_an_error() -> None:
    one, many = measured_lack(1, 0.3, 0.5), measured_lack(4000, 0.99, 0.0)
    assert (one.value, one.error) == (1.0, 0.0)
    assert many.value == 0.0 < many.error < 1e-300

"""Good vectors, and the chance that a Gaussian vector is none."""

import itertools
import math

import numpy as np
import pytest

from properties.allenzhu2018rnn.percentiles import chance_of_lack, lack, least_number, measured_lack


def test_a_vector_is_good_where_both_halves_are_large() -> None:
    w = np.array([[3.0, -3.0, 3.0, -3.0, 0.1], [3.0, 3.0, 3.0, -3.0, -3.0], [3.0, 3.0, 3.0, 3.0, -3.0]])
    assert lack(w, 1.0) == pytest.approx([0.2, 0.2, 0.6])
    assert lack(w[0], 0.05) == pytest.approx(0.2)
    assert lack(w[0], 3.2) == 1.0


def test_the_least_number_is_rounded_up() -> None:
    assert [least_number(m, 0.25) for m in (1, 8, 9)] == [1, 3, 4]


@pytest.mark.parametrize(("m", "alpha", "threshold"), [(1, 0.3, 0.1), (4, 0.4, 0.2), (7, 0.3, 0.4)])
def test_the_chance_is_that_of_all_outcomes_one_by_one(m: int, alpha: float, threshold: float) -> None:
    tail = 0.5 * math.erfc(threshold / math.sqrt(2.0))
    chances = {1: tail, -1: tail, 0: 1.0 - 2.0 * tail}
    outcomes = itertools.product(chances, repeat=m)
    expected = sum(
        math.prod(chances[sign] for sign in outcome)
        for outcome in outcomes
        if min(outcome.count(1), outcome.count(-1)) < (1.0 - alpha) * m / 2.0
    )
    assert chance_of_lack(m, alpha, threshold) == pytest.approx(expected, rel=1e-12)


def test_what_claims_measure_is_the_chance_at_a_multiple_of_alpha_with_its_rounding() -> None:
    found = measured_lack(7, 0.3, 0.5)
    assert found.value == chance_of_lack(7, 0.3, 0.15)
    assert found.error == pytest.approx(1e-11 * float(found.value))
    assert measured_lack(1, 0.3, 0.5).error == 0.0

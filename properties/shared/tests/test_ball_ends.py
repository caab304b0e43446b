"""Numbers that stand for balls: on the right side of them, and next to them."""

import math
from fractions import Fraction

import flint
import numpy as np
import pytest

from bounds.arithmetic.balls import precision_of
from properties.shared.ball_ends import LEAST_EXPONENT, double_above, enclosed_measure, fraction_above, largest_ball

BITS = 320


@pytest.mark.parametrize("middle", ["1.5", "-3", "1e-300", "1e-916", "7e200"])
@pytest.mark.parametrize("radius", [0.0, 1e-20])
def test_fractions_and_doubles_above_a_ball_are_no_smaller_and_hardly_larger(middle: str, radius: float) -> None:
    with precision_of(BITS):
        ball = flint.arb(middle) * flint.arb(1, radius)
        exact = fraction_above(ball)
        bound = flint.arb(flint.fmpq(exact.numerator, exact.denominator))
        assert bound >= ball
        assert abs(bound / ball.upper() - 1) < 1e-25
    if abs(float(middle)) >= 1e-300:
        found = double_above(ball)
        assert Fraction(found) >= exact
        assert Fraction(math.nextafter(found, -math.inf)) < exact


def test_a_ball_far_below_every_fraction_worth_making_is_rounded_up_to_the_least() -> None:
    with precision_of(BITS):
        assert fraction_above((-(flint.arb(10) ** 14)).exp()) == Fraction(1, 2**LEAST_EXPONENT)


def test_a_measured_ball_hands_on_itself_and_doubles_that_enclose_it() -> None:
    with precision_of(BITS):
        ball = flint.arb("0.1", 1e-18)
    found = enclosed_measure(ball, {"L": 3})
    assert found.symbols == {"L": 3}
    assert found.ball is not None
    assert found.ball() is ball
    assert abs(ball - float(found.value)) <= found.error
    assert 0.0 < float(np.max(found.error)) < 1e-16


def test_the_largest_of_a_few_balls_by_hand() -> None:
    assert largest_ball([flint.arb(1), flint.arb(5), flint.arb(3)]) == flint.arb(5)

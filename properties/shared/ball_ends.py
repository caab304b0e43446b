"""Numbers that stand for a ball where claims are compared: fractions and doubles no smaller, and ends that enclose it.

Main definitions: `fraction_above` and `double_above`; `enclosed_measure`, what a claim hands on; `largest_ball`.
"""

import functools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from bounds.arithmetic.balls import precision_of
from properties.shared.ball_activations import Ball
from theory.claims import Measured

# Fractions and doubles that stand for a ball: far more digits than a comparison in floating point sees.
HANDED_ON = 96
LEAST_EXPONENT = 10**6


def fraction_above(ball: Ball) -> Fraction:
    """A number no smaller than any in the ball: one of `HANDED_ON` bits, or 2^-LEAST_EXPONENT where that is larger."""
    with precision_of(HANDED_ON):
        mantissa, exponent = map(int, ball.upper().man_exp())
    # A swish far below zero is exp(-1e14), of which no fraction need be made.
    return (
        Fraction(2) ** -LEAST_EXPONENT if exponent < -LEAST_EXPONENT else Fraction(mantissa) * Fraction(2) ** exponent
    )


def double_above(ball: Ball) -> float:
    """The same as a double, for a ball of ordinary size."""
    exact = fraction_above(ball)
    value = float(exact)
    return math.nextafter(value, math.inf) if Fraction(value) < exact else value


def enclosed_measure(ball: Ball, symbols: dict[str, Any]) -> Measured:
    """A measured quantity of which a ball is known, as doubles and for a comparison that these cannot decide."""
    middle = float(ball.mid())
    return Measured(middle, error=float(ball.rad()) + 2.0**-52 * abs(middle), symbols=symbols, ball=lambda: ball)


def largest_ball(balls: Sequence[Ball]) -> Ball:
    """The largest of some balls."""
    return functools.reduce(Ball.max, balls)

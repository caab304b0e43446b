"""Activations of `nets` in balls: enclosures of 50 digits, across kinks too, and NaN at NaN."""

import math

import flint
import mpmath
import numpy as np
import pytest

from bounds.arithmetic.balls import precision_of
from nets.tests.naive_network import DIGITS, phi, slope
from nets.tests.test_architectures import ACTIVATIONS
from properties.shared.ball_activations import Ball, Piece, ball_form, of_pieces, piecewise, swish
from properties.shared.tests.enclosures import encloses

OF_NETS = [name for name in ACTIVATIONS if name not in ("custom", "elu")]
PLACES = (-30.0, -1.0, -0.4, -1e-3, 0.0, 0.2, 0.5, 0.7, 3.0)
activations = pytest.mark.parametrize("name", OF_NETS)
precisions = pytest.mark.parametrize("bits", [53, 500])


@activations
@precisions
def test_single_numbers_have_the_value_and_the_slope_of_50_digits(name: str, bits: int) -> None:
    form = ball_form(ACTIVATIONS[name])
    for place in PLACES:
        with precision_of(bits):
            value, derivative = form.pieces(Ball(place))
        with mpmath.workdps(DIGITS):
            z = mpmath.mpf(place)
            assert encloses(value, phi(ACTIVATIONS[name], z), "1e-45")
            # A difference over 1e-16 that is one-sided where the slope is 0.
            assert encloses(derivative, slope(ACTIVATIONS[name], z), "1e-14")
        assert value.rad() <= 2.0 ** (8 - bits)
        assert derivative.rad() <= 2.0 ** (8 - bits)
        assert ACTIVATIONS[name].slope(place) == pytest.approx(float(derivative), abs=1e-14)


@activations
@precisions
def test_wide_balls_hold_the_values_and_slopes_at_all_numbers_in_them(name: str, bits: int) -> None:
    form = ball_form(ACTIVATIONS[name])
    for middle in PLACES:
        with precision_of(bits):
            value, derivative = form.pieces(flint.arb(middle, 0.6))
        for z in np.linspace(middle - 0.6, middle + 0.6, 13):
            assert abs(value - float(ACTIVATIONS[name].value(z))).lower() <= 1e-14
            assert abs(derivative - float(ACTIVATIONS[name].slope(z))).lower() <= 1e-14


@activations
def test_balls_as_wide_as_the_line_have_a_slope(name: str) -> None:
    form = ball_form(ACTIVATIONS[name])
    for radius in (50.0, 1e300):
        value, derivative = form.pieces(flint.arb(0, radius))
        for z in (-40.0, 0.3, 40.0):
            assert value.contains(flint.arb(float(ACTIVATIONS[name].value(z))))
            assert derivative.contains(flint.arb(float(ACTIVATIONS[name].slope(z))))


@activations
def test_what_is_no_number_has_neither_value_nor_slope(name: str) -> None:
    assert all(found.is_nan() for found in ball_form(ACTIVATIONS[name]).pieces(Ball.nan()))


@pytest.mark.parametrize("h", [1.0, 0.3, 1e-60])
def test_pieces_are_scaled_by_h_exactly(h: float) -> None:
    """For h = 1: -z - 1 up to -2, z^2/2 - 1 up to 1, and 3 z/2 - 2 from there on."""
    rows = (Piece(-2.0, -1.0, -1.0, 0.0), Piece(1.0, -1.0, 0.0, 0.5), Piece(math.inf, -2.0, 1.5, 0.0))
    form = of_pieces(rows, h)
    assert form.h == h
    with precision_of(300):
        for place, value, derivative in ((-3.0, 2.0, -1.0), (0.5, -0.875, 0.5), (4.0, 4.0, 1.5)):
            found = form.pieces(Ball(h) * place)
            assert abs(found[0] - Ball(h) * value) <= h * 1e-80
            assert abs(found[1] - derivative) <= 1e-80
        # Where two pieces meet both slopes are held.
        assert all(form.pieces(Ball(h))[1].contains(Ball(one)) for one in (1.0, 1.5))


@pytest.mark.parametrize("h", [1.0, 1e-60])
def test_swish_by_hand(h: float) -> None:
    """z = h log(3)/2 has the sigmoid 3/4, and the slope 3/4 + log(3) 3/16 over 11/10."""
    with precision_of(300):
        log3 = Ball(3).log()
        value, derivative = swish(h).pieces(Ball(h) * log3 / 2)
        assert abs(value / Ball(h) - log3 * 15 / 44) <= 1e-80
        assert abs(derivative - (Ball(3) / 4 + log3 * 3 / 16) * 10 / 11) <= 1e-80


def test_pieces_of_constant_slope_have_none_at_what_is_no_number() -> None:
    branches = [lambda z: (Ball(0), Ball(0)), lambda z: (z, Ball(1))]
    assert [found.is_nan() for found in piecewise(Ball.nan(), [Ball(0)], branches)] == [True, True]


def test_an_activation_of_a_reader_is_refused_unless_its_form_is_given() -> None:
    with pytest.raises(ValueError, match="the activation 'tanh' has no form in balls: pass one under its name"):
        ball_form(ACTIVATIONS["custom"])

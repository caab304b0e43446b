"""Members of Definition 2.1: floats against formulas in 60 digits, exact values in fractions, kinks from both sides."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from properties.chatterji2021.smooth_members import MEMBER_PIECES, MEMBERS, exact_member, knots
from properties.chatterji2021.tests.networks import DIGITS, phi_of, slope_of

EPS = float(np.finfo(np.float64).eps)
names = pytest.mark.parametrize("name", MEMBERS)
pieced = pytest.mark.parametrize("name", MEMBER_PIECES)
# Dyadic, so that no kink is off by a rounding; then any.
smoothings = pytest.mark.parametrize("h", [0.25, 1.0, 0.3, 1e-7])


def _places(h: float) -> list[float]:
    """Around every kink there is, at the kinks of a dyadic h, and far away."""
    near = [h * place for place in (-1.0, 0.0, 0.75, 1.0, 1.25)]
    random = (h * np.random.default_rng(0).uniform(-3.0, 3.0, 60)).tolist()
    return [*(near if h in (0.25, 1.0) else []), *random, 50.0 * h, -50.0 * h]


@names
@smoothings
def test_values_and_slopes_in_floats_agree_with_60_digits(name: str, h: float) -> None:
    z = np.array(_places(h))
    value, slope = MEMBERS[name](h).value_and_slope(z)
    with mpmath.workdps(DIGITS):
        for u, found, steep in zip(z, value, slope, strict=True):
            assert abs(found - phi_of(name, u, h)) <= 8.0 * EPS * (abs(u) + h)
            assert abs(steep - slope_of(name, u, h)) <= 16.0 * EPS * max(1.0, abs(u) / h)


@names
@smoothings
def test_exact_members_are_the_formulas(name: str, h: float) -> None:
    with mpmath.workdps(DIGITS):
        for u in _places(h):
            value, slope = exact_member(name, mpmath.mpf(h), mpmath.mpf(u))
            assert abs(value - phi_of(name, u, h)) <= mpmath.mpf(10) ** -50 * (abs(u) + h)
            assert abs(slope - slope_of(name, u, h)) <= mpmath.mpf(10) ** -50 * (1 + abs(u) / h)


@pieced
def test_fractions_stay_fractions_and_pieces_meet(name: str) -> None:
    h, tiny = Fraction(2, 7), Fraction(1, 10**30)
    for place in knots(name)[0]:
        at = h * Fraction(place)
        left, right = exact_member(name, h, at), exact_member(name, h, at + tiny)
        assert isinstance(left[0], Fraction)
        assert isinstance(left[1], Fraction)
        assert abs(right[0] - left[0]) <= 2 * tiny
        assert abs(right[1] - left[1]) <= tiny / h
    assert exact_member(name, h, Fraction(0))[0] == 0


@pieced
def test_slopes_are_linear_between_knots_and_constant_beyond(name: str) -> None:
    places, slopes = knots(name)
    z = np.linspace(-2.0, 3.0, 101)
    assert MEMBERS[name](1.0).slope(z) == pytest.approx(np.interp(z, places, slopes), abs=1e-14)


@names
@pytest.mark.parametrize("h", [0.25, 0.3])
def test_curvatures_are_derivatives_of_slopes_from_either_side(name: str, h: float) -> None:
    phi = MEMBERS[name](h)
    places = np.array([*phi.bends, -0.37 * h, 0.61 * h, 0.8 * h, 1.9 * h])
    for side in (-1.0, 1.0):
        found = phi.curvature(places, side)
        with mpmath.workdps(DIGITS):
            # A kink is the float nearest to its place: the step is far longer than that, and short beside h.
            step = mpmath.mpf(h) * mpmath.mpf(10) ** -8 * int(side)
            for z, bend in zip(places, found, strict=True):
                true = (slope_of(name, z + step, h) - slope_of(name, z, h)) / step
                assert abs(bend - true) <= 1e-6 / h


def test_another_divisor_scales_swish() -> None:
    with mpmath.workdps(DIGITS):
        h, z = mpmath.mpf("0.5"), mpmath.mpf("0.3")
        printed, plain = exact_member("scaled_swish", h, z), exact_member("scaled_swish", h, z, mpmath.mpf(1))
        assert all(abs(a * 11 / 10 - b) < mpmath.mpf(10) ** -50 for a, b in zip(printed, plain, strict=True))


def test_swish_far_from_zero_neither_overflows_nor_loses_its_tail() -> None:
    with mpmath.workdps(DIGITS):
        value, slope = exact_member("scaled_swish", mpmath.mpf(1), mpmath.mpf(-1000))
        assert value < 0
        assert abs(value / (-1000 * mpmath.exp(-2000) * 10 / 11) - 1) < mpmath.mpf(10) ** -50
        assert slope < 0

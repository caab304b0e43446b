"""Members in balls: they enclose the values in 100 digits, also across kinks, and hardly more than these."""

import flint
import mpmath
import pytest

from bounds.arithmetic.balls import precision_of
from properties.chatterji2021.ball_members import MEMBER_BITS, activation
from properties.chatterji2021.smooth_members import MEMBER_PIECES
from properties.chatterji2021.tests.networks import phi_of, slope_of
from properties.shared.tests.enclosures import encloses

names = pytest.mark.parametrize("name", [*MEMBER_PIECES, "scaled_swish"])
PLACES = (-30.0, -1.0, -0.3, 0.0, 0.2, 0.75, 0.9, 1.0, 1.25, 1.6, 40.0)


@names
@pytest.mark.parametrize("h", [1.0, 0.25, 1e-60])
def test_balls_of_single_numbers_enclose_value_and_slope_and_are_narrow(name: str, h: float) -> None:
    phi = activation(name, h)
    for place in PLACES:
        with precision_of(MEMBER_BITS):
            value, slope = phi.pieces(flint.arb(place) * flint.arb(h))
        with mpmath.workdps(100):
            z = mpmath.mpf(place) * mpmath.mpf(h)
            assert encloses(value, phi_of(name, z, h))
            assert encloses(slope, slope_of(name, z, h))
        assert value.rad() <= h * 1e-80
        assert slope.rad() <= 1e-80


@names
def test_wide_balls_enclose_every_value_in_them(name: str) -> None:
    phi = activation(name, 1.0)
    for middle in PLACES:
        with precision_of(MEMBER_BITS):
            value, slope = phi.pieces(flint.arb(middle, 0.6))
        with mpmath.workdps(100):
            for part in range(-5, 6):
                z = mpmath.mpf(middle) + mpmath.mpf("0.6") * part / 5
                assert encloses(value, phi_of(name, z, 1.0))
                assert encloses(slope, slope_of(name, z, 1.0))


@pytest.mark.parametrize(("kink", "twin"), [(0.0, "saturating"), (0.75, "bent down at 3/4")])
def test_bent_at_two_places_is_the_member_of_that_name(kink: float, twin: str) -> None:
    bent, other = activation("bent", 1.0, kink), activation(twin, 1.0)
    for place in PLACES:
        with precision_of(MEMBER_BITS):
            pairs = zip(bent.pieces(flint.arb(place)), other.pieces(flint.arb(place)), strict=True)
            assert all(abs(a - b) < 1e-80 for a, b in pairs)


@pytest.mark.parametrize("h", [0.3, 1e-20])
def test_bent_anywhere_falls_short_of_its_tangents_by_half_of_h_beyond_its_end(h: float) -> None:
    phi = activation("bent", h, 2.0)
    with precision_of(MEMBER_BITS):
        begin, size = flint.arb(2.0), flint.arb(h)
        end = (begin * begin + size * size).sqrt()
        for z in (end * (1 + flint.arb("1e-30")), flint.arb(7)):
            value, slope = phi.pieces(z)
            assert abs((slope * z - value) / size + flint.arb(1) / 2) < 1e-30
            # Slope lost at the rate 1/h on the way.
            assert abs((1 - slope) * size / (end - begin) - 1) < 1e-30
        value, slope = phi.pieces(flint.arb(1.5))
        assert value == flint.arb(1.5)
        assert slope == flint.arb(1)


def test_a_ball_across_all_kinks_has_the_union_of_all_pieces() -> None:
    value, slope = activation("huberised_relu", 0.5).pieces(flint.arb(0, 10))
    assert slope.contains(flint.arb(0))
    assert slope.contains(flint.arb(1))
    assert value.contains(flint.arb(9.75))


def test_another_name_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ValueError, match=r"there is no activation 'relu': choose one of huberised_relu, .*bent"):
        activation("relu", 1.0)

"""Moments of the Huberised ReLU against quadrature and limits."""

import flint
import pytest

from bounds.arithmetic.balls import precision_of
from bounds.laws.huberised_moments import mean_square


def by_quadrature(a: float) -> flint.arb:
    """The integral piece by piece, by rigorous quadrature; the tail beyond 40 is below 1e-300."""
    end = max(a, 1.0) + 40.0

    def density(z: flint.acb) -> flint.acb:
        return (-(z**2) / 2).exp() / (2 * flint.acb.pi()).sqrt()

    bent = flint.acb.integral(lambda z, _: (z**2 / (2 * a)) ** 2 * density(z), 0, a)
    straight = flint.acb.integral(lambda z, _: (z - a / 2) ** 2 * density(z), a, end)
    found: flint.arb = (bent + straight).real
    return found


@pytest.mark.parametrize("a", [0.0078125, 0.5, 1.0, 2.75, 12.0])
def test_closed_form_is_the_integral(a: float) -> None:
    with precision_of(128):
        found, wanted = mean_square(a), by_quadrature(a)
        assert found.overlaps(wanted + flint.arb(0, 1e-30))
        assert found.rad() < 1e-30


def test_order_at_small_and_large_smoothing() -> None:
    # 1/2 - a/sqrt(2 pi) to first order, and E Z^4/(8 a^2) once nearly all of the line is bent.
    for a in (1e-3, 1e-9, 1e-20):
        first = 0.5 - a * 0.3989422804014327
        assert abs(float(mean_square(a)) - first) < a**2
    assert float(mean_square(1e3)) == pytest.approx(3.0 / 8e6, rel=1e-12)


def test_bounds_for_very_small_smoothing_meet_the_closed_form() -> None:
    above, below = mean_square(2.0**-59.9), mean_square(2.0**-60.1)
    assert below > above
    assert below.rad() < 1e-38

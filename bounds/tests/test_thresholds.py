"""The thresholds (3a) to (3c) of chatterji2021 against 60 digits, and what one of them says of another."""

import random
from typing import Any

import mpmath
import pytest

from bounds.arithmetic.balls import certainly_le
from bounds.papers import chatterji2021 as sheet


def _cases() -> list[dict[str, float]]:
    """Depths to 12, widths to 10^6, losses from 1e-300 to near 1, norms either side of where h_max is 1."""
    rng = random.Random(0)
    return [
        {
            "L": rng.randint(1, 12),
            "m": 10 ** rng.randint(0, 6),
            "J1": 10.0 ** -rng.choice([0.01, 1.0, 12.0, 100.0, 300.0]),
            "normV1": 10.0 ** rng.uniform(-1.0, 1.5),
            "h": 10.0 ** rng.uniform(-6.0, 0.0),
            "eta": 10.0 ** rng.uniform(-10.0, 5.0),
        }
        for _ in range(60)
    ]


@pytest.mark.parametrize("at", _cases(), ids=str)
def test_thresholds_in_sixty_digits(at: dict[str, float]) -> None:
    with mpmath.workdps(60):
        L, m, J1, norm, h, eta = (mpmath.mpf(at[name]) for name in ("L", "m", "J1", "normV1", "h", "eta"))
        ell = -mpmath.log(J1)
        h_max = min(L ** (L / 2 - 3) * ell / (24 * mpmath.sqrt(m) * norm**L), mpmath.mpf(1))
        first = h / (1024 * (L + 1) ** 2 * m * J1 * norm ** (3 * L + 5))
        factor = L * (L + mpmath.mpf(3) / 4) ** 2 * ell ** (2 / L) / ((L + mpmath.mpf(1) / 2) * norm**2)
        second = 1 / (2 * factor * J1)
        wanted = {
            sheet.eq_3a: h_max,
            sheet.eq_3b_first: first,
            sheet.eq_3b_second: second,
            sheet.eq_3b: min(first, second),
            sheet.eq_3c: eta * J1 * factor,
        }
        for bound, exact in wanted.items():
            assert float(mpmath.log(exact)) == pytest.approx(bound.signed_log(at)[1], rel=1e-12, abs=1e-11)
            if 1e-300 < exact < 1e300:
                assert float(bound.evaluate(at)) == pytest.approx(float(exact), rel=1e-11)


@pytest.mark.parametrize("at", _cases()[:20], ids=str)
def test_the_rate_is_at_most_one_half_at_every_step_allowed(at: dict[str, float]) -> None:
    longest = sheet.eq_3b.ball(precision=128, **{name: at[name] for name in sheet.eq_3b.symbols})
    given: dict[str, Any] = {**at, "eta": longest * 0.999}
    rate = sheet.eq_3c.ball(precision=128, **{name: given[name] for name in sheet.eq_3c.symbols})
    assert certainly_le(rate, sheet.eq_3_rate_max.ball()) is True

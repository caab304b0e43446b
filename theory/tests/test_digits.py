"""Two numbers in print differ where they differ, and a ratio shows on which side of 1 it is."""

from __future__ import annotations

import math

import pytest

from theory.core.digits import apart, near_one, read


@pytest.mark.parametrize(
    ("pair", "shown"),
    [
        ((2.0, 1.0), ("2", "1")),
        ((700.7123874336623, 700.75), ("700.71", "700.75")),
        ((9.999435822916358e-05, 9.999601082719599e-05), ("9.9994e-05", "9.9996e-05")),
        ((1.0, 1.0), ("1", "1")),
        ((0.0, math.inf), ("0", "inf")),
        ((math.nan, 1.0), ("nan", "1")),
    ],
)
def test_two_numbers_have_one_digit_more_than_tells_them_apart(
    pair: tuple[float, float], shown: tuple[str, str]
) -> None:
    assert apart(*pair, least=3) == shown


def test_neighbouring_doubles_are_told_apart() -> None:
    first, second = apart(1.0, math.nextafter(1.0, 2.0))
    assert first != second
    assert float(second) == math.nextafter(1.0, 2.0)


@pytest.mark.parametrize(
    ("ratio", "shown"),
    [
        (1.0, "1"),
        (0.5, "0.5"),
        (1.0337, "1.034"),
        (1.000053677610118, "1 + 5.4e-5"),
        (1.0 - 2.1e-6, "1 - 2.1e-6"),
        (math.inf, "inf"),
        (math.nan, "nan"),
        (1.543e18, "1.543e+18"),
    ],
)
def test_a_ratio_shows_its_distance_from_one(ratio: float, shown: str) -> None:
    assert near_one(ratio) == shown
    assert read(shown) == pytest.approx(ratio, rel=1e-3, nan_ok=True)


def test_what_is_no_number_is_read_as_nan() -> None:
    assert math.isnan(read("-"))

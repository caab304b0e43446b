"""Numbers in print: with as many digits as it takes to see that two of them differ, or that one is not 1.

Main definitions: `apart`, two numbers side by side; `near_one`, a ratio; `read`, the number that a ratio in print says.
"""

from __future__ import annotations

import math

# Digits that tell any double from all others.
MOST = 17


def apart(first: float, second: float, least: int = 4) -> tuple[str, str]:
    """Both numbers with `least` digits, or with one digit more than it takes to tell them apart."""
    for digits in range(least, MOST):
        shown = f"{first:.{digits}g}", f"{second:.{digits}g}"
        if shown[0] != shown[1] or first == second:
            break
    more = digits + (digits > least)
    return f"{first:.{more}g}", f"{second:.{more}g}"


def near_one(ratio: float, digits: int = 4) -> str:
    """A ratio with so many digits, its distance from 1 where these would show none: `1 + 2.1e-6`."""
    shown = f"{ratio:.{digits}g}"
    if shown != "1" or ratio == 1.0:
        return shown
    mantissa, _, power = f"{abs(ratio - 1.0):.1e}".partition("e")
    return f"1 {'+' if ratio > 1.0 else '-'} {mantissa}e{int(power)}"


def read(shown: str) -> float:
    """The number that `near_one` shows; NaN for what is no number."""
    try:
        return math.fsum(float(part) for part in shown.replace(" - ", " + -").split(" + "))
    except ValueError:
        return math.nan


def two_digits(number: int) -> int:
    """A number rounded up to its first two digits."""
    unit: int = 10 ** max(0, len(str(number)) - 2)
    return -(-number // unit) * unit

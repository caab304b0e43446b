"""The numbers that the name of a control states, and the factors of its bound that it does not.

A control differs from its claim in one thing. Where its bound has another shape as well as another number before it,
the number is a second thing: its name must say so, or nobody knows which of the two the row has seen. So it is where a
keyword of its measuring function is another, or a premise is dropped.

Main definitions: `unstated`, which finds such a factor; `stated`, the numbers in a name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from bounds.bound import Bound
from bounds.difference import Factor

# Factors nearer to a stated number are that number: both are evaluated in floating point.
NEAR = 1e-9

_PARTS = (
    "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth"
)
_NUMBERS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"

# Parts of one and whole numbers in words.
_PART = {"half": 2.0, "halves": 2.0, "halved": 2.0, "quarter": 4.0}
_PART |= {word: float(number) for number, word in enumerate(_PARTS.split(), 3)}
_PART |= {f"{word.removesuffix('y')}ieth": 10.0 * number for number, word in enumerate(_TENS.split(), 2)}
_PART |= {"hundredth": 1e2, "thousandth": 1e3, "millionth": 1e6}
_PART |= {f"{word}s": number for word, number in _PART.items()}
_WHOLE = {word: float(number) for number, word in enumerate(_NUMBERS.split(), 1)}
_WHOLE |= {word: 10.0 * number for number, word in enumerate(_TENS.split(), 2)}
_WHOLE |= {"hundred": 1e2, "thousand": 1e3, "million": 1e6}
_WHOLE |= {f"{word}fold": number for word, number in _WHOLE.items()}
_WHOLE |= {
    "single": 1.0,
    "once": 1.0,
    "twice": 2.0,
    "thrice": 3.0,
    "double": 2.0,
    "doubled": 2.0,
    "triple": 3.0,
    "whole": 1.0,
}

# What stands for an exponent is no factor: `m^(1/4)`, `exponent 3/2 of`, `to the power 5/2`.
_EXPONENT = re.compile(r"(?<!\d)\^(\([^)]*\)|-?[\w./]+)|\b(?:exponents?|powers?)\s+-?\d[\d./]*")
_POWER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\^\(?(-?\d+)\)?")
_DIGITS = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?(?:e-?\d+)?)(?:\s*/\s*(\d+(?:\.\d+)?))?(?![\w.]*[A-Za-z(])(\s*(?:%|percent))?"
)
_WORDS = re.compile(r"[a-z]+")


def stated(name: str) -> set[float]:
    """The numbers that a name states, in digits or in words, exponents left out."""
    text = name.lower()
    found = {float(base) ** int(power) for base, power in _POWER.findall(text)}
    text = _EXPONENT.sub(" ", _POWER.sub(" ", text))
    for number, divisor, percent in _DIGITS.findall(text):
        value = float(number) / (float(divisor) if divisor and float(divisor) else 1.0)
        found.add(value / 100.0 if percent else value)
    words = _WORDS.findall(text)
    for before, word in zip(["", *words], words, strict=False):
        if word in _PART:
            found.add(_WHOLE.get(before, 1.0) / _PART[word])
        elif word in _WHOLE:
            found.add(_WHOLE[word])
    if "pi" in words:
        found |= {math.pi, 1.0 / math.pi}
    if "log" in words:
        found |= {number * math.log(2.0) for number in found}
    roots = {math.sqrt(number) for number in found} if {"root", "sqrt"} & set(words) else set()
    return found | roots


def unstated(name: str, bound: Bound, wrong: Bound, fitted: str | None = None, beside: bool = False) -> Factor | None:
    """The first factor that the name of a control with the bound `wrong` hides; none where it hides nothing.

    A change of the number alone is one thing, and shown by the row as such; several different numbers, or one beside
    another change, of the bound or `beside` it, are stated. A constant that is `fitted` has no number before the run:
    where it stands in both it is no factor, and a bound without it cannot be held against one that has it.
    """
    if fitted is not None and (fitted in bound.constants) != (fitted in wrong.constants):
        return None
    found = bound.difference(wrong, () if fitted is None else (fitted,))
    factors = found.factors
    if not factors or not (found.shape or beside or _differ(factors)):
        return None
    said = stated(name)
    return next((factor for factor in factors if not any(_states(number, factor) for number in said)), None)


def _differ(factors: Sequence[Factor]) -> bool:
    return any(not _is_near(factor.value, factors[0].value) for factor in factors)


def _states(number: float, factor: Factor) -> bool:
    """Whether a number is the factor, its inverse, what it leaves or adds, or what now stands in the place."""
    wanted = [factor.value, factor.now, -factor.now]
    if factor.value != 0.0:
        wanted.append(1.0 / factor.value)
    return any(_is_near(given, one) for one in wanted for given in (number, 1.0 - number, 1.0 + number))


def _is_near(one: float, other: float) -> bool:
    return abs(one - other) <= NEAR * max(abs(one), abs(other))

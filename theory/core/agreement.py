"""When two measured numbers are one but for the processor: as near as processors and libraries leave them.

Main definitions: `near` and `same_ratio`, the one tolerance for measured numbers; `tied`, the instances among which
rounding alone chooses the worst; `is_lost` and `printed`, what is 0 but for rounding as 0. Two ledgers are held against
each other in `theory.reports.two_ledgers`.

Each kernel of a linear algebra library adds up in an order of its own, so that two processors differ in the last bits.
Most numbers of a ledger then differ by 1e-12 and less. A search that climbs on the last bits may end at another
instance, and a difference of nearly equal losses may have kept few digits: such ratios were met 0.37 % apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

# What may lie between the same number on two processors, relatively: nearly three times the largest difference met
# (0.37 %), and room for numbers that are printed to three digits.
TOLERANCE = 0.01

# A ratio from here on, or below its inverse, has a rounding residue on one side: its digits mean nothing, and where
# another order of summation leaves no residue it is infinite, or 0.
RESIDUE = 1e12

# What rounding leaves between one number measured in two orders of summation, relatively: of most it is 1e-12.
ROUNDING = 1e-9


def relative_difference(first: float, second: float) -> float:
    """|a - b|/max(|a|, |b|): 0 for equal numbers, two NaN among them, and infinite where only one is finite."""
    if first == second or (math.isnan(first) and math.isnan(second)):
        return 0.0
    if not (math.isfinite(first) and math.isfinite(second)):
        return math.inf
    return abs(first - second) / max(abs(first), abs(second))


def near(first: float, second: float) -> bool:
    """Whether two measured numbers are one but for the processor."""
    return relative_difference(first, second) <= TOLERANCE


def is_residue(ratio: float) -> bool:
    """Whether one side of a ratio, which is not negative, is no more than rounding; never for NaN."""
    return ratio >= RESIDUE or ratio <= 1.0 / RESIDUE


def share_of_itself(measured: float, error: float) -> float:
    """By how much of itself rounding may have moved a number; infinite for 0 that is not exact, and where it is NaN."""
    if error == 0.0:
        return 0.0
    return error / abs(measured) if measured and math.isfinite(measured) and error == error else math.inf


def is_lost(measured: float, error: float) -> bool:
    """Whether a number may be 0 but for its rounding error, here or where another processor has an error as large."""
    return abs(measured) <= 2.0 * error


def is_blank(measured: float, bound: float, error: float) -> bool:
    """Whether a number and its bound are both lost in a rounding error: their ratio is then any number."""
    return error > 0.0 and is_lost(measured, error) and is_lost(bound, error)


def settled(ratio: float, error: float) -> float:
    """A ratio whose distance from 1 is no more than rounding, by which it may be off by this share, as 1."""
    return 1.0 if abs(ratio - 1.0) <= max(ROUNDING, min(TOLERANCE, 2.0 * error)) else ratio


def is_zero_in_print(sense: str, ratio: float, lost: bool = False) -> bool:
    """Whether what was measured against a lower bound is 0 but for rounding; another processor leaves other digits.

    So it is where it breaks the bound and is `lost` in the error that it states, and where its ratio shows that it is
    no more than a residue.
    """
    return sense == ">=" and (ratio >= RESIDUE or (lost and ratio > 1.0))


def printed(number: float, sense: str, ratio: float, lost: bool = False) -> float:
    """A measured number, or the ratio itself, of an instance with this ratio, as it is printed on every processor."""
    if not is_zero_in_print(sense, ratio, lost):
        return number
    return math.inf if number == ratio else 0.0


def same_ratio(first: float, second: float) -> bool:
    """Whether two ratios are one but for the processor, residues all alike."""
    large = first >= RESIDUE and second >= RESIDUE
    small = first <= 1.0 / RESIDUE and second <= 1.0 / RESIDUE
    return large or small or near(first, second)


def tied(ratios: Sequence[float], errors: Sequence[float], tolerance: float = ROUNDING) -> list[int]:
    """The places of the ratios, as printed, that are the largest but for rounding, in their order; NaN is none.

    `errors` are the shares of themselves by which rounding may have moved them. Here and on another processor two of
    them then differ by twice both, and by `tolerance` at least; what may be more than `TOLERANCE` is not taken for one.
    """
    numbers = [(ratio, place) for place, ratio in enumerate(ratios) if ratio == ratio]
    if not numbers:
        return []
    largest, where = max(numbers, key=lambda pair: pair[0])
    known = [error if math.isfinite(error) else TOLERANCE for error in errors]
    apart = [max(tolerance, min(TOLERANCE, 2.0 * (error + known[where]))) for error in known]
    return [place for ratio, place in numbers if ratio >= (1.0 - apart[place]) * largest]

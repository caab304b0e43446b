"""When two measured numbers are one but for the processor: as near as processors and libraries leave them.

Main definitions: `near` and `same_ratio`, the one tolerance for measured numbers; `tied`, the instances among which
rounding alone chooses the worst; `printed`, what is 0 but for rounding as 0. Two ledgers are held against each other in
`theory.reports.two_ledgers`.

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


def is_zero_in_print(sense: str, ratio: float) -> bool:
    """Whether what was measured against a lower bound is 0 but for rounding; another processor leaves other digits."""
    return sense == ">=" and ratio >= RESIDUE


def printed(number: float, sense: str, ratio: float) -> float:
    """A measured number, or the ratio itself, of an instance with this ratio, as it is printed on every processor."""
    if not is_zero_in_print(sense, ratio):
        return number
    return math.inf if number == ratio else 0.0


def same_ratio(first: float, second: float) -> bool:
    """Whether two ratios are one but for the processor, residues all alike."""
    large = first >= RESIDUE and second >= RESIDUE
    small = first <= 1.0 / RESIDUE and second <= 1.0 / RESIDUE
    return large or small or near(first, second)


def tied(ratios: Sequence[float], sense: str, tolerance: float = ROUNDING) -> list[int]:
    """The places of the ratios, NaN aside, that are the largest but for rounding, in their order; none of no number."""
    largest = max((ratio for ratio in ratios if ratio == ratio), default=math.nan)
    least = RESIDUE if is_zero_in_print(sense, largest) else (1.0 - tolerance) * largest
    return [place for place, ratio in enumerate(ratios) if ratio >= least]

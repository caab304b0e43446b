"""Whether two ledgers agree: the same verdicts everywhere, and numbers as near as processors and libraries leave them.

Main definitions: `near` and `same_ratio`, the one tolerance for measured numbers; `tied`, the instances among which
rounding alone chooses the worst; `printed`, what is 0 but for rounding as 0; `disagreements`, what differs, one line
each; `unequal`, what differs at all; `largest_difference`, how far the ratios that are compared lie apart.

Each kernel of a linear algebra library adds up in an order of its own, so that two processors differ in the last bits.
Most numbers of a ledger then differ by 1e-12 and less. A search that climbs on the last bits may end at another
instance, and a difference of nearly equal losses may have kept few digits: such ratios were met 0.37 % apart. Exact
identities (sense "=") are judged by the rounding error they leave, which is another one in every order: of them only
the verdicts are compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from theory.core.values import Json

# What may lie between the same number on two processors, relatively: nearly three times the largest difference met
# (0.37 %), and room for numbers that are printed to three digits.
TOLERANCE = 0.01

# A ratio from here on, or below its inverse, has a rounding residue on one side: its digits mean nothing, and where
# another order of summation leaves no residue it is infinite, or 0.
RESIDUE = 1e12

# What rounding leaves between one number measured in two orders of summation, relatively: of most it is 1e-12.
ROUNDING = 1e-9

# Entries of a ledger that say when it was made, how fast and by how many workers.
OF_TIME = frozenset({"started", "seconds", "seconds_controls", "threads"})

# By these methods an equality is judged within what chance leaves, and not within rounding.
OF_CHANCE = frozenset({"equality in law", "mean by betting"})

# What two runs must have in common: entries of a row, and of a cell.
OF_ROWS = ("verdict", "expected_verdict", "premise_status")
OF_CELLS = ("at", "verdict", "premises")


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


def disagreements(first: Json, second: Json) -> list[str]:
    """What is in one ledger and not in the other, one line for each; empty where both agree."""
    rows, others = ({row["id"]: row for row in ledger["claims"]} for ledger in (first, second))
    said = [f"{name}: only in the {where} ledger" for name, where in _alone(rows, others)]
    for name in sorted(rows.keys() & others.keys()):
        said += [f"{name}: {line}" for line in _of_row(rows[name], others[name])]
    return said


def largest_difference(first: Json, second: Json) -> tuple[float, str]:
    """The largest relative difference of two compared ratios that are no residues, and its claim; (0, "") for none."""
    others = {row["id"]: row for row in second["claims"]}
    found = [(0.0, "")]
    for row in first["claims"]:
        other = others.get(row["id"], {"cells": [], "sense": row["sense"]})
        found += [(relative_difference(a, b), row["id"]) for a, b in _ratios(row, other) if not is_residue(a)]
    return max(found, key=lambda pair: pair[0])


def _alone(rows: Json, others: Json) -> Iterator[tuple[str, str]]:
    yield from ((name, "first") for name in sorted(rows.keys() - others.keys()))
    yield from ((name, "second") for name in sorted(others.keys() - rows.keys()))


def is_compared(row: Json) -> bool:
    """Whether the ratios of a row say more than how large its rounding errors are: all but those of identities."""
    return bool(row["sense"] != "=" or row["evidence"]["method"] in OF_CHANCE)


def _ratios(row: Json, other: Json) -> Iterator[tuple[float, float]]:
    """The ratios of the cells side by side, where they are compared."""
    if is_compared(row):
        for cell, twin in zip(row["cells"], other["cells"], strict=False):
            yield float(cell["ratio"]), float(twin["ratio"])


def _of_row(row: Json, other: Json) -> Iterator[str]:
    for name in OF_ROWS:
        if row[name] != other[name]:
            yield f"{name.replace('_', ' ')} {row[name]} and {other[name]}"
    controls, twins = ({c["name"]: c["verdict"] for c in entry["controls"]} for entry in (row, other))
    for name in sorted(controls.keys() | twins.keys()):
        if controls.get(name) != twins.get(name):
            yield f"control {name!r} {controls.get(name, 'missing')} and {twins.get(name, 'missing')}"
    if len(row["cells"]) != len(other["cells"]):
        yield f"{len(row['cells'])} cells and {len(other['cells'])}"
        return
    for cell, twin in zip(row["cells"], other["cells"], strict=True):
        for name in OF_CELLS:
            if cell[name] != twin[name]:
                yield f"{name} of a cell {cell[name]} and {twin[name]}"
    yield from (f"ratio {a:.6g} and {b:.6g}" for a, b in _ratios(row, other) if not same_ratio(a, b))


def unequal(first: object, second: object, place: str = "") -> Iterator[str]:
    """Where two ledgers of one machine are not the same, times and workers aside: a line for each place."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        for name in dict.fromkeys([*first, *second]):
            if name in OF_TIME:
                continue
            if name in first and name in second:
                yield from unequal(first[name], second[name], f"{place}/{name}")
            else:
                yield f"{place}/{name}: only in the {'first' if name in first else 'second'} ledger"
        if list(first) != list(second) and set(first) == set(second):
            yield f"{place}: the same entries in another order"
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for index, pair in enumerate(zip(first, second, strict=True)):
            yield from unequal(*pair, f"{place}/{index}")
    elif first != second or type(first) is not type(second):
        yield f"{place}: {first!r} and {second!r}"

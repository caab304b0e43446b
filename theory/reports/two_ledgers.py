"""Whether two ledgers agree: the same verdicts everywhere, and numbers as near as processors and libraries leave them.

Main definitions: `disagreements`, what differs, one line each; `unequal`, what differs at all; `largest_difference`,
how far the ratios that are compared lie apart; `is_compared`, whether those of a row are.

Exact identities (sense "=") are judged by the rounding error they leave, which is another one in every order of a sum:
of them only the verdicts are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from theory.core.agreement import is_residue, relative_difference, same_ratio
from theory.core.values import Json
from theory.evidence import of_method

# Entries of a ledger that say when it was made, how fast and by how many workers.
OF_TIME = frozenset({"started", "seconds", "seconds_controls", "threads"})

# What two runs must have in common: entries of a row, and of a cell.
OF_ROWS = ("verdict", "expected_verdict", "premise_status")
OF_CELLS = ("at", "verdict", "premises")


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
    return bool(row["sense"] != "=" or of_method(row["evidence"]["method"]).allows_chance)


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

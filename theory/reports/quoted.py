"""What README.md and docs/theorems.md say of a run, held against the ledger of one.

Main definitions: `excerpt_fault`, for the rows that the README shows; `rounding_fault`, whether another processor would
find them accurate; `marks_fault`, for the theorems whose formula is unseen. Words are compared exactly, numbers up to
the tolerance of `theory.core.agreement` and the digits printed.
`python -m theory.reports.errata --check LEDGER` asks both.
"""

from __future__ import annotations

import math
import re

from theory.claims.results import Power
from theory.core.agreement import TOLERANCE, same_ratio
from theory.core.digits import near_one, read
from theory.core.values import Json
from theory.reports import rounded
from theory.reports.main_theorems import NOTHING, UNSEEN
from theory.reports.words import worst_ratio

# Between these lines the README has rows of a ledger.
BEGIN, END = "<!-- ledger excerpt: begin -->", "<!-- ledger excerpt: end -->"

# The columns that are compared: the others are the title and the time.
COMPARED = ("verdict", "premises", "ratio", "power", "controls")

# A number at the end of what is said of the power.
_NUMBER = re.compile(r"(?:\d[\d.]*(?:e[-+]?\d+)?|inf|nan)$")


def excerpt_fault(text: str, ledger: Json, numbers: bool = True) -> str:
    """Which line of the README shows a row otherwise than the ledger has it, and what to do; empty for none.

    Without `numbers`, ratios and powers are not compared. A README without rows has no fault. Raises KeyError naming a
    claim that the ledger lacks.
    """
    rows = {row["id"]: row for row in ledger["claims"]}
    for number, line in _lines(text):
        name, _, *shown = re.split(r"  +", line)
        if name not in rows:
            raise KeyError(f"the ledger has no row {name}, which README.md shows")
        for column, said, found in zip(COMPARED, shown, _columns(rows[name]), strict=False):
            if column in ("ratio", "power"):
                same = not numbers or _same(column, said, found, rows[name])
            else:
                same = said == found
            if not same:
                return (
                    f"README.md, line {number}: the {column} of {name} is {said!r} there, and {found!r} in this run; "
                    f"copy the row anew from what pytest --claim {name} prints"
                )
    return ""


def rounding_fault(text: str, ledger: Json) -> str:
    """Which line of the README another processor would not find accurate, as far as rounding errors go; empty for none.

    Raises KeyError naming a claim that the ledger lacks, and for a ledger whose numbers state no rounding errors.
    """
    shown = {re.split(r"  +", line)[0] for _, line in _lines(text)}
    rows = [row for row in ledger["claims"] if row["id"] in shown]
    found = rounded.unlike({**ledger, "claims": rows}, lambda other: excerpt_fault(text, other))
    return f"{found}; that depends on rounding, so let it be the same on every processor" if found else ""


def _lines(text: str) -> list[tuple[int, str]]:
    """The rows of the README, with the numbers of their lines."""
    if BEGIN not in text:
        return []
    before, _, rest = text.partition(BEGIN)
    first = before.count("\n") + 1
    lines = enumerate(rest.split(END)[0].splitlines(), start=first)
    return [(number, line) for number, line in lines if re.match(r"\w+:\S+  ", line)]


def _columns(row: Json) -> tuple[str, ...]:
    """What the table of a run has in the columns that are compared."""
    verdict = row["verdict"] + ", weakly" * row["weak"] + " unseen" * row["no_evidence"]
    power = Power(row["power"]["kind"], float(row["power"]["value"])).short
    caught = sum(control["refuted"] for control in row["controls"])
    own = len(row["own_variants"]["refuted"])
    controls = f"{caught}/{len(row['controls'])}" + (f"+{own}" if own else "")
    return verdict, row["premise_status"], near_one(worst_ratio(row)), power, controls


def _same(column: str, said: str, found: str, row: Json) -> bool:
    """Whether the ratio or the power in print is the number that the row has, but for rounding."""
    if column == "ratio":
        shown, value = read(said.removesuffix(" loose")), worst_ratio(row)
        return same_ratio(shown, value) or _in_print(said, value)
    if said == found:
        return True
    place = _NUMBER.search(said)
    if place is None or said[: place.start()] != _NUMBER.sub("", found):
        return False
    return _in_print(place.group(), float(row["power"]["value"]))


def _in_print(said: str, value: float) -> bool:
    """Whether a number in print is near `value`, its last digit aside, which another processor may round otherwise."""
    shown = read(said)
    mantissa, _, power = said.partition("e")
    if not re.fullmatch(r"\d+(\.\d+)?", mantissa) or not math.isfinite(value):
        return shown == value
    half = 0.5 * 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))
    return abs(shown - value) <= TOLERANCE * max(abs(shown), abs(value)) + half


def marks_fault(text: str, ledger: Json) -> str:
    """Which line of docs/theorems.md is marked as unseen, or is not, otherwise than in the ledger; empty for none."""
    unseen = {f"{t['id'].split(':')[0]}: {t['label']}": t["unseen"] for t in ledger["main_theorems"]}
    for number, line in enumerate(text.splitlines(), start=1):
        columns = [column.strip() for column in line.split("|")]
        if len(columns) < 4 or columns[1] not in unseen or columns[3] == NOTHING:
            continue
        if columns[3].endswith(f"({UNSEEN})") != unseen[columns[1]]:
            word = "see no symbol of their bounds" if unseen[columns[1]] else "see a symbol of their bounds"
            return (
                f"docs/theorems.md, line {number}: in this run the best rows of {columns[1]} {word}; let `blind=` of "
                f"their blocks say so, and run python -m theory.reports.main_theorems README.md docs/theorems.md"
            )
    return ""

"""A ledger as another processor could have left it: each number moved by the rounding error that it states.

Main definitions: `perturbed`, such a ledger; `unlike`, the first of several for which something is said; `lines_fault`,
which row would be replayed by another line; `refuse_unstated`, for ledgers without errors.

What is measured moves by its own error, a bound by that of evaluating a formula, and all that is made of both follows:
ratios, the worst cell, the power, whether a control is still caught. What is 0 but for rounding and states no error
becomes another residue, or exactly 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.random import Generator

from theory.claims.results import deciding, judged_status
from theory.core.agreement import is_blank, is_lost, is_zero_in_print, tied
from theory.core.measured import BOUND_RELATIVE_ERROR
from theory.core.values import Json, JsonDict
from theory.evidence import of_method
from theory.reports import expected
from theory.reports.ledger import plain
from theory.reports.two_ledgers import is_compared
from theory.reports.words import printed_ratio, share_of_itself

# So many ledgers of other processors are made of one.
PERTURBATIONS = 8

UNSTATED = "its numbers state no rounding errors, as those of ledgers before schema 10: judge the suite again"


def refuse_unstated(ledger: Json) -> None:
    """Raise KeyError, with a sentence, for a ledger of an earlier schema, whose cells state no errors."""
    if any("error" not in cell for row in ledger["claims"] for cell in row["cells"]):
        raise KeyError(UNSTATED)


def perturbed(ledger: Json, seed: int) -> JsonDict:
    """The ledger as another processor could have left it, an own one for each seed.

    Raises KeyError as `refuse_unstated` does.
    """
    refuse_unstated(ledger)
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    return {**ledger, "claims": [_row(row, rng) for row in ledger["claims"]]}


def unlike(ledger: Json, said: Callable[[Json], str]) -> str:
    """What is said of the first of the perturbed ledgers of which anything is; empty for none."""
    found: Iterable[str] = (said(perturbed(ledger, seed)) for seed in range(PERTURBATIONS))
    return next(filter(None, found), "")


def worst_place(row: Json) -> int | None:
    """The number of the cell that a row is replayed at; None where it has none."""
    cells = row["cells"]
    standings = [(cell["premises"], cell["verdict"]) for cell in cells]
    places = deciding(standings, judged_status([standing for standing, _ in standings]))
    errors = [share_of_itself(cells[place]) for place in places]
    first = tied([printed_ratio(cells[place], row["sense"]) for place in places], errors) or range(len(places))
    return next((places[place] for place in first), None)


def lines_fault(ledger: Json) -> str:
    """Which row would get a line on another processor that replays something else, or asks for more; empty for none.

    Of an identity the number is a rounding error, and its line asks for the verdict alone; so it does where rounding
    hides both a number and its bound. Raises KeyError as
    `refuse_unstated` does.
    """
    rows = [row for row in ledger["claims"] if row["expect"] and is_compared(row)]
    return unlike({**ledger, "claims": rows}, lambda other: _other_line(rows, other["claims"]))


def _other_line(rows: Sequence[Json], others: Sequence[Json]) -> str:
    for row, other in zip(rows, others, strict=True):
        here, there = worst_place(row), worst_place(other)
        if here is not None and _is_blank(row["cells"][here]):
            continue
        if here != there and not _is_alike(row, here, there):
            at = ("no cell" if place is None else f"the cell {row['cells'][place]['at']}" for place in (here, there))
            return f"{row['id']}: its line depends on rounding, which replays {' or '.join(at)}"
        pairs = [(row["expect"], expected.of_entry(other, there))]
        examples = zip(row.get("counterexamples", []), other.get("counterexamples", []), strict=True)
        pairs += [(one["expect"], expected.of_example(other, two)) for one, two in examples]
        for asked, found in pairs:
            if not expected.parse(asked).is_near(expected.parse(found)):
                return f"{row['id']}: its line depends on rounding, which asks for {asked!r} or for {found!r}"
    return ""


def _is_alike(row: Json, *places: int | None) -> bool:
    """Whether the ratios of these cells are tied by twice their errors: wherever ties end, rounding moves some across.

    Either line then holds on either processor.
    """
    cells = [row["cells"][place] for place in places if place is not None]
    ratios, errors = [printed_ratio(cell, row["sense"]) for cell in cells], [share_of_itself(cell) for cell in cells]
    return len(tied(ratios, [2.0 * error for error in errors])) == len(places)


def _is_blank(cell: Json) -> bool:
    return is_blank(float(cell["measured"]), float(cell["bound"]), float(cell["error"]))


def _row(row: Json, rng: Generator) -> JsonDict:
    plan = of_method(row["evidence"]["method"])
    sense = "<=" if plan.bound_is_of_test else row["sense"]
    again = {**row, "cells": [_cell(cell, sense, rng) for cell in row["cells"]]}
    place = worst_place(again)
    if place is not None:
        again["worst_ratio"] = again["cells"][place]["ratio"]
    if "power" in row:
        again["power"] = _power(row, again, rng)
    if "controls" in row:
        again["controls"] = [_control(control, rng) for control in row["controls"]]
    again["counterexamples"] = [_cell(example, sense, rng) for example in row.get("counterexamples", [])]
    return again


def _cell(cell: Json, sense: str, rng: Generator) -> JsonDict:
    measured, error, bound, ratio = (float(cell[name]) for name in ("measured", "error", "bound", "ratio"))
    if not all(map(math.isfinite, (measured, error, bound))):
        return {**cell}
    if is_zero_in_print(sense, ratio) and not is_lost(measured, error):
        moved, ratio = rng.choice([(0.0, math.inf), (1e-30 * measured, 1e30), (measured, 10.0 * ratio)]).tolist()
        return {**cell, "measured": plain(moved), "ratio": plain(ratio)}
    of_number, of_bound = _shares(rng, 2)
    moved, limit = measured + error * of_number, bound * (1.0 + BOUND_RELATIVE_ERROR * of_bound)
    was, now = _quotient(measured, bound, error, sense), _quotient(moved, limit, error, sense)
    # Where balls or a law decided, the ratio is none of these two numbers, and moves as theirs does.
    shown = ratio * now / was if math.isfinite(ratio) and 0.0 < was < math.inf and ratio != was else now
    return {**cell, "measured": plain(moved), "bound": plain(limit), "ratio": plain(shown if ratio == ratio else ratio)}


def _shares(rng: Generator, number: int = 1) -> list[float]:
    """So many shares of errors: as often all of it, either way, as any part of it."""
    return [max(-1.0, min(1.0, share)) for share in rng.uniform(-2.0, 2.0, number).tolist()]


def _quotient(measured: float, bound: float, error: float, sense: str) -> float:
    """The ratio as `theory.core.measured.compare` has it."""
    if sense == "=":
        small, large = abs(measured - bound), error
    else:
        small, large = (bound, measured) if sense == ">=" else (measured, bound)
    if large > 0.0:
        return max(small, 0.0) / large
    return 0.0 if small <= large else math.inf


def _power(row: Json, again: Json, rng: Generator) -> JsonDict:
    """The power of a search is its worst ratio; another is moved by the largest error among the cells."""
    power = row["power"]
    if of_method(row["evidence"]["method"]).searches and power["kind"] == "bound factor":
        status = judged_status([cell["premises"] for cell in again["cells"]])
        found = [printed_ratio(cell, row["sense"]) for cell in again["cells"] if cell["premises"] == status]
        return {**power, "value": plain(max((ratio for ratio in found if ratio == ratio), default=math.nan))}
    largest = max(filter(math.isfinite, map(share_of_itself, row["cells"])), default=0.0)
    return {**power, "value": plain(float(power["value"]) * (1.0 + (largest + BOUND_RELATIVE_ERROR) * _shares(rng)[0]))}


def _control(control: Json, rng: Generator) -> JsonDict:
    """A control as it was, but for one that was caught so narrowly that another processor would not tell.

    What is 0 but for rounding misses a bound by any factor, so that it stays caught.
    """
    if not control["refuted"] or control["closest"] is None or control["error"] is None or control["error"] >= 1.0:
        return {**control}
    closest = control["closest"] * (1.0 + control["error"] * _shares(rng)[0])
    return {**control, "refuted": closest > 1.0 + control["error"]}

"""Hidden constants: the value each claim states, and the best one with which it would still have passed.

Main definitions: `ConstantEntry` and `constants_table`.

The constant of a premise says where a statement begins. Its best value is the least demanding one with which a cell
that passed is inside the premise, and every cell that failed outside.

A statement "up to a constant" is only as good as its constant. Where the bound is proportional to it, the worst
ratio of a row turns the stated value into the best one on the sizes that were judged: the smallest for an upper
bound, the largest for a lower one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bounds.premise import Premise
from theory.claims.results import CellResult
from theory.core.values import Values
from theory.core.verdict import PremiseStatus, Verdict
from theory.judging.judge import Row

NO_BEST = "a premise that is no power of it, or no cell passed that has all of its symbols"


@dataclass(frozen=True)
class ConstantEntry:
    """A constant of a claim's bound or of one of its premises.

    `value` is the one stated (or fitted), `best` the best one on the sizes of `at`, NaN where the bound is not
    proportional to it, or the premise to a power of it; `how` says where `best` comes from, or why there is none.
    `reserve` says how many times beyond the attacks of many seeds a constant of the suite's own is set.
    """

    claim: str
    name: str
    where: str
    value: float
    reason: str
    best: float
    at: str
    how: str
    reserve: float | None = None


def constants_table(rows: Sequence[Row]) -> list[ConstantEntry]:
    """All constants of all rows, in the order of the claims' ids; a constant shared by two premises once."""
    entries: list[ConstantEntry] = []
    for row in sorted(rows, key=lambda row: row.claim.id):
        entries += _of_bound(row)
        entries += _of_premises(row)
    return entries


def _of_bound(row: Row) -> list[ConstantEntry]:
    bound, fitted = row.claim.bound, row.evidence.details.get("constant")
    hidden = row.claim.evidence.constant
    entries = []
    for name, constant in bound.constants.items():
        value, reason = float(constant), str(constant.reason)
        if name == hidden and fitted is not None:
            value, reason = float(fitted), "fitted on the calibration cells"
        best = _best(row, name, value)
        how = row.claim.evidence.best_constant or row.evidence.method
        if math.isnan(best):
            how = "the bound is not proportional to it, or no ratio was measured"
        at, reserve = sizes(_judged(row)), constant.reserve
        entries.append(ConstantEntry(row.claim.id, name, "bound", value, reason, best, at, how, reserve))
    return entries


def _of_premises(row: Row) -> list[ConstantEntry]:
    found: dict[str, ConstantEntry] = {}
    for premise in row.claim.premises:
        for name, constant in premise.constants.items():
            best = _best_of_premise(row, premise, name, float(constant))
            how = "premise: the least demanding value that a cell which passed meets" if best == best else NO_BEST
            entry = ConstantEntry(
                row.claim.id,
                name,
                f"premise {premise.text}",
                float(constant),
                str(constant.reason),
                best,
                sizes(_tried(row)),
                how,
                constant.reserve,
            )
            found.setdefault(f"{name} {premise.text}", entry)
    return list(found.values())


def _tried(row: Row) -> list[CellResult]:
    """The cells at which a claim could have failed, inside its premises or not."""
    return [cell for cell in row.evidence.cells if cell.premises in (PremiseStatus.INSIDE, PremiseStatus.EXTRAPOLATED)]


def _best_of_premise(row: Row, premise: Premise, name: str, value: float) -> float:
    """The least demanding value with which a cell that passed is inside, and none that failed; NaN where none is."""
    passed, failed, rising = [], [], set()
    for cell in _tried(row):
        limit, demands_more = _limit(premise, name, value, {**cell.at, **cell.worst})
        if math.isnan(limit):
            return math.nan
        rising.add(demands_more)
        if cell.verdict.is_pass:
            passed.append(limit)
        elif cell.verdict is Verdict.REFUTED:
            failed.append(limit)
    if not passed or len(rising) > 1:
        return math.nan
    # A larger constant that demands more leaves a cell outside from its limit on.
    if rising == {True}:
        return min((limit for limit in passed if limit > max(failed, default=0.0)), default=math.nan)
    return max((limit for limit in passed if limit < min(failed, default=math.inf)), default=math.nan)


def _limit(premise: Premise, name: str, value: float, values: Values) -> tuple[float, bool]:
    """The value of a constant at which a cell is at the edge of a premise, and whether a larger one demands more.

    NaN where a symbol is none of the cell's, or the quotient of the sides is no power of the constant.
    """
    if not all(isinstance(values.get(symbol), int | float) for symbol in premise.symbols):
        return math.nan, False
    once, twice, again = (premise.slack({**values, name: factor * value}) for factor in (1.0, 2.0, 4.0))
    power = (twice - once) / math.log(2.0)
    if not math.isfinite(power) or abs(power) < 1e-9 or not math.isclose(again - twice, twice - once, rel_tol=1e-6):
        return math.nan, False
    exponent = math.log(value) - once / power
    return (math.exp(exponent) if abs(exponent) < 700.0 else math.nan), power < 0.0


def _judged(row: Row) -> list[CellResult]:
    return [cell for cell in row.evidence.cells if cell.premises is row.premise_status] or list(row.evidence.cells)


def _best(row: Row, name: str, value: float) -> float:
    """The value at which the worst ratio of the judged cells would be exactly 1."""
    ratios = [cell.ratio for cell in _judged(row)]
    if not ratios or not all(math.isfinite(ratio) and ratio > 0.0 for ratio in ratios) or row.claim.sense == "=":
        return math.nan
    if not _is_proportional(row, name, value):
        return math.nan
    return value * max(ratios) if row.claim.sense == "<=" else value / max(ratios)


def _is_proportional(row: Row, name: str, value: float) -> bool:
    """Whether the bound doubles with the constant, at the worst case and with what only a trial knows set to 1."""
    known: Values = {**row.worst.at, **row.worst.worst} if row.worst is not None else {}
    values = dict.fromkeys(row.claim.bound.symbols, 1.0) | dict(known)
    once, twice = (float(row.claim.bound.evaluate({**values, name: factor * value})) for factor in (1.0, 2.0))
    return math.isfinite(once) and once != 0.0 and math.isclose(twice, 2.0 * once, rel_tol=1e-9)


def sizes(cells: Sequence[CellResult]) -> str:
    """The sizes of the cells in one phrase: `m = 256..4096, L = 3`."""
    names = list(dict.fromkeys(name for cell in cells for name in cell.at))
    phrases = []
    for name in names:
        seen = sorted({cell.at[name] for cell in cells if name in cell.at}, key=_in_order)
        phrases.append(f"{name} = {_text(seen[0])}" + (f"..{_text(seen[-1])}" if len(seen) > 1 else ""))
    return ", ".join(phrases)


def _in_order(value: object) -> tuple[float, str]:
    """Numbers by size, then names by their letters: a set has no order of its own."""
    return (value, "") if isinstance(value, int | float) else (math.inf, str(value))


def _text(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)

"""Nothing done, nothing shown: a cell whose claim is met as well by doing nothing is no evidence for it.

A claim about a step, a perturbation or a training run says which keywords of its measuring function leave that out. Its
idle form is measured at the tightest instances of every cell; where it meets the bound at all of them, and at one with
nine tenths of the cell's ratio or more, the cell is set aside. Main definition: `set_aside`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from theory.claims.block import Control
from theory.claims.memory import Instance
from theory.claims.results import CellResult, Evidence, summarise
from theory.core.measured import Outcome
from theory.core.seeds import canonical
from theory.core.values import Values
from theory.core.verdict import PremiseStatus
from theory.running.case import Case

# An idle form that reaches this share of the ratio shows that the ratio is not the doing of what it leaves out.
SHARE = 0.9

# One in so many of the instances that a search kept, the tightest and two at least; so many of the first trials.
ONE_IN, LEAST, FIRST_TRIALS = 4, 2, 4


def set_aside(case: Case, evidence: Evidence) -> Evidence:
    """The evidence with its idle cells marked, and the verdict of those that are left.

    Where the claim declares no idle form, it is returned as it is.
    """
    if not case.claim.idle:
        return evidence
    idle = replace(case, control=Control("nothing done", knobs=case.claim.idle))
    cells = tuple(_marked(case, idle, cell) for cell in evidence.cells)
    verdict, status = summarise(list(cells))
    power = evidence.power
    if power.kind == "bound factor":
        power = replace(power, value=max((c.ratio for c in cells if c.premises is status), default=float("nan")))
    return replace(evidence, cells=cells, verdict=verdict, premises=status, power=power)


def _marked(case: Case, idle: Case, cell: CellResult) -> CellResult:
    """The cell with the largest ratio of the idle form, and set aside where that is as good as its own."""
    if cell.premises is not PremiseStatus.INSIDE or not cell.verdict.is_pass:
        return cell
    largest = 0.0
    for values in (cell.worst, *_others(case, cell)):
        _, found = idle.judge(cell.at, values, int(values.get("trial", 0)))
        if found.outcome not in (Outcome.PASS, Outcome.BORDERLINE):
            return replace(cell, idle=found.ratio)
        largest = max(largest, found.ratio)
        if largest == 0.0:
            break  # nothing changes where nothing is done, at any instance
    status = PremiseStatus.IDLE if largest >= SHARE * cell.ratio else cell.premises
    return replace(cell, idle=largest, premises=status)


def _others(case: Case, cell: CellResult) -> Iterable[Values]:
    """The instances beside the worst at which the idle form is measured, the tightest of a search first.

    Of trials they are the first ones: which of the others are tight only the workers know that ran them.
    """
    if case.claim.evidence.counts_failures:
        return ({**cell.worst, "trial": trial} for trial in range(min(cell.trials, FIRST_TRIALS)))
    inside: dict[str, Instance] = {}
    for kept in case.memory.kept.get(canonical(cell.at), ()):
        symbols = {**kept.values, **kept.symbols}
        if case.standing.has_kept_inside(cell.at, kept) and not case.standing.is_trivial(symbols, kept.limit):
            inside.setdefault(canonical(kept.values), kept)
    inside.pop(canonical(cell.worst), None)
    sense = case.claim.sense
    tightest = sorted(inside.values(), key=lambda kept: _tightness(kept, sense), reverse=True)
    number = max(LEAST, math.ceil((1 + len(tightest)) / ONE_IN)) - 1
    return (kept.values for kept in tightest[:number])


def _tightness(kept: Instance, sense: str) -> float:
    """The largest ratio of an instance as it is kept, by which instances are put in order."""
    small, large = (kept.limit, kept.value) if sense == ">=" else (kept.value, kept.limit)
    with np.errstate(all="ignore"):
        ratios = np.asarray(small, float) / np.asarray(large, float)
    return float(np.max(np.where(np.isnan(ratios), -np.inf, ratios)))

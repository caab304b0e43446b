"""Nothing done, nothing shown: a cell whose claim is met as well by doing nothing is no evidence for it.

A claim about a step, a perturbation or a training run says which keywords of its measuring function leave that out. Its
idle form is measured at the worst instance of every cell; where it passes with nine tenths of the ratio or more, the
cell is set aside. Main definition: `set_aside`.
"""

from __future__ import annotations

from dataclasses import replace

from theory.block import Control
from theory.case import Case
from theory.measured import Outcome
from theory.results import CellResult, Evidence, summarise
from theory.verdict import PremiseStatus

# An idle form that reaches this share of the ratio shows that the ratio is not the doing of what it leaves out.
SHARE = 0.9


def set_aside(case: Case, evidence: Evidence) -> Evidence:
    """The evidence with its idle cells marked, and the verdict of those that are left.

    Where the claim declares no idle form, it is returned as it is.
    """
    if not case.claim.idle:
        return evidence
    idle = replace(case, control=Control("nothing done", knobs=case.claim.idle))
    cells = tuple(_marked(idle, cell) for cell in evidence.cells)
    verdict, status = summarise(list(cells))
    power = evidence.power
    if power.kind == "bound factor":
        power = replace(power, value=max((c.ratio for c in cells if c.premises is status), default=float("nan")))
    return replace(evidence, cells=cells, verdict=verdict, premises=status, power=power)


def _marked(idle: Case, cell: CellResult) -> CellResult:
    """The cell with the ratio of the idle form at its worst instance, and set aside where that is as good."""
    if cell.premises is not PremiseStatus.INSIDE or not cell.verdict.is_pass:
        return cell
    _, found = idle.judge(cell.at, cell.worst, int(cell.worst.get("trial", 0)))
    passes = found.outcome in (Outcome.PASS, Outcome.BORDERLINE)
    status = PremiseStatus.IDLE if passes and found.ratio >= SHARE * cell.ratio else cell.premises
    return replace(cell, idle=found.ratio, premises=status)

"""A ratio that rises towards its bound is followed: the row is judged at larger sizes until it turns, or to an end.

Main definitions: `follow`, which goes along the trends of a row; `followed_alpha`, the share of its error budget that
is kept for that; `with_refutation`, the evidence of a row that was refuted on the way.

From the last cell of the group that rises the size grows by a factor of 2, or by a smaller one where the premises end
before or nothing can be measured; all else stays as it is there. Each further cell is judged by the row's own plan of
evidence, with its own numbers. How far it goes follows from the sizes and the effort alone, so that ledgers agree
whatever the speed of a machine; only a limit of time, which is told, ends it earlier.

The claim's share of the error budget holds for all of it. Plans that spend none, as a search, are followed at
every effort. Others are followed from thorough effort on, where `FOLLOWED_SHARE` of the claim's share is set apart
beforehand and divided among all cells that following may judge.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from theory.claims.block import Plan
from theory.claims.regime import Cell
from theory.claims.results import CellResult, Evidence
from theory.core.agreement import TOLERANCE
from theory.core.guard import Allowance
from theory.core.values import Values
from theory.core.verdict import PremiseStatus, Verdict
from theory.judging.trend import End, Followed, Trend, of_row
from theory.running.case import Case
from theory.running.config import RunConfig

# Of the share of a claim in the error budget this much is kept for following, where its plan spends any.
FOLLOWED_SHARE = 1.0 / 16.0

# How many times the last size is gone to, and how many further cells are tried for that at most. The largest of the
# factors is taken at which the premises hold and the plan decides.
REACH = {"quick": 2.0, "thorough": 16.0, "nightly": 64.0}
MOST_CELLS = {"quick": 3, "thorough": 10, "nightly": 12}
FACTORS = (2.0, 1.5, 1.25)

# A square matrix of so many rows takes 2 GiB, and this is the end where one may be needed: from `NO_MATRIX` rows on no
# claim can hold one, and what is judged there grows with the size at most.
LARGEST, NO_MATRIX = 2**14, 2**16

# At quick effort a search goes on where its instances, times the entries of such a matrix, or times those of so many
# directions of the size where there is none, are at most so many: most often that takes milliseconds.
QUICK_COST, DIRECTIONS = 2**20, 8

# What rises by less than this does not rise: two processors may differ by it, and no ratio is told to so many digits.
LEVEL = 1e-6

# A curve that saturates is believed where so many further sizes lie on it.
FEWEST_FURTHER = 2

# Seconds for following a row, where the claim has as many.
SECONDS = 300.0


def followed_alpha(claim_share: float, config: RunConfig, plan: Plan) -> tuple[float, float]:
    """How a claim's share of the error budget is divided: for the cells of the block, and for those further along."""
    if config.effort == "quick" or not plan.spends_alpha:
        return claim_share, 0.0
    return (1.0 - FOLLOWED_SHARE) * claim_share, FOLLOWED_SHARE * claim_share


@dataclass(frozen=True)
class Findings:
    """The trends of a row with what was found further along them, and the cell that refutes the claim, if one does."""

    trends: Mapping[str, Trend] = field(default_factory=dict)
    refuted: CellResult | None = None


def follow(case: Case, evidence: Evidence, alpha: float, seconds: float) -> Findings:
    """Read the trends of the evidence and go along each that rises, for so many `seconds` in all, or `SECONDS`.

    `alpha` is the share of the error budget for all of it. At quick effort a trend that saturates is taken at its word.
    Nothing is followed where sizes or data are the user's own: those are what was asked about.
    """
    effort, trends = case.config.effort, of_row(case, evidence)
    free = not case.claim.evidence.spends_alpha
    if seconds <= 0.0 or case.config.asks_elsewhere or (effort == "quick" and not free):
        return Findings(trends)
    rising = {
        name: trend
        for name, trend in trends.items()
        if (trend.rises or (trend.saturation is not None and effort != "quick"))
        and (effort != "quick" or _is_cheap(evidence, name, trend))
    }
    for name, trend in rising.items():
        allowance = Allowance(min(SECONDS, seconds) / len(rising))
        path = _Path(case, name, trend, alpha / (len(rising) * MOST_CELLS[effort]))
        path.go(allowance)
        trends[name] = trend.further(path.followed)
        if path.refuted is not None:
            return Findings(trends, path.refuted)
    return Findings(trends)


def with_refutation(evidence: Evidence, found: Findings) -> Evidence:
    """The evidence of a row with the cell that refutes it, or as it was where none was found."""
    if found.refuted is None:
        return evidence
    return replace(evidence, verdict=Verdict.REFUTED, cells=(*evidence.cells, found.refuted))


def _is_cheap(evidence: Evidence, name: str, trend: Trend) -> bool:
    """Whether a further cell costs little, by the instances of the last one and a matrix of its size."""
    last = next(cell for cell in evidence.cells if cell.at == trend.last)
    size = float(last.at[name])
    return last.trials * size * (DIRECTIONS if size >= NO_MATRIX else size) <= QUICK_COST


def _reach(size: float, effort: str) -> float:
    """The largest size to which a trend is followed that was judged up to `size`."""
    far = REACH[effort] * size
    return far if size >= NO_MATRIX else max(FACTORS[0] * size, min(far, LARGEST))


@dataclass
class _Path:
    """What was seen along one trend so far, and the further cells by the size that grows."""

    case: Case
    name: str
    trend: Trend
    alpha: float
    sizes: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)
    end: End = End.REACH
    beyond: float = math.nan
    why: str = ""
    refuted: CellResult | None = None

    @property
    def followed(self) -> Followed:
        """What is said of it."""
        return Followed(tuple(self.sizes), tuple(self.ratios), self.end, self.beyond, self.why)

    def go(self, allowance: Allowance) -> None:
        """Judge further cells until the ratio turns, or there is an end to it."""
        effort, function = self.case.config.effort, self.case.claim.function
        reach, left = _reach(float(self.trend.last[self.name]), effort), MOST_CELLS[effort]
        steps = self._steps(self.trend.last, reach)
        while steps and left:
            cell, *steps = steps
            left -= 1
            self.beyond, self.why = float(cell[self.name]), ""
            found = allowance.attempt(functools.partial(self._judged, cell), function)
            if isinstance(found, CellResult):
                self._note(found)
                if self.end is not End.REACH:
                    return
                steps = self._steps(found.at, reach)
            elif isinstance(found, End):
                self.end = found
            elif allowance.left <= 0.0:
                self.end = End.TIME
                return
            else:
                self.end, self.why = End.FAILED, found.reason
        if self.end is End.REACH:
            self._settle()

    def _steps(self, cell: Values, reach: float) -> list[Cell]:
        """The cells that may come next, the farthest first."""
        size = cell[self.name]
        integer = isinstance(size, int | np.integer)
        sizes = [int(size * factor) if integer else float(size * factor) for factor in FACTORS]
        return [{**cell, self.name: further} for further in sizes if size < further <= reach]

    def _made(self, cell: Cell) -> tuple[PremiseStatus, Cell]:
        """A further cell with what is derived or measured on its points, and where it stands."""
        case, regime = self.case, self.case.claim.regime
        domain = case.bound.domains.get(self.name)
        if regime.lacks(cell) or (domain is not None and not domain.contains(float(cell[self.name]))):
            return PremiseStatus.EXTRAPOLATED, cell
        made = case.sizes.on_points(regime.complete(cell, {}), {})
        return case.standing.of_cell(made), made

    def _judged(self, cell: Cell) -> CellResult | End:
        """What the claim's own plan finds at a further cell, or why that does not count."""
        status, made = self._made(cell)
        if status is not PremiseStatus.INSIDE:
            return End.TRIVIAL if status is PremiseStatus.TRIVIAL else End.OUTSIDE
        claim = self.case.claim
        alone = replace(claim.regime, cells=(made,), thorough=(), nightly=())
        (found,) = claim.evidence.run(replace(self.case, claim=replace(claim, regime=alone), alpha=self.alpha)).cells
        if found.premises is PremiseStatus.INSIDE and (found.verdict.is_pass or found.verdict is Verdict.REFUTED):
            return found
        self.why = found.remark
        return End.UNDECIDED

    def _note(self, found: CellResult) -> None:
        """Note the ratio of a further cell, and how it ended if that is an end."""
        before = (*self.trend.ratios, *self.ratios)[-1]
        self.sizes.append(float(found.at[self.name]))
        self.ratios.append(found.ratio)
        self.end, self.beyond = End.REACH, math.nan
        if found.verdict is Verdict.REFUTED:
            said = f"found where the ratio was followed as it rises with {self.name}"
            self.refuted = replace(found, remark="; ".join(filter(None, [found.remark, said])))
            self.end = End.REFUTED
        elif found.ratio < (1.0 - TOLERANCE) * before:
            self.end = End.FALLS
        elif found.ratio <= (1.0 + LEVEL) * before:
            self.end = End.LEVEL
        elif len(self.sizes) >= FEWEST_FURTHER:
            self._settle()

    def _settle(self) -> None:
        """Say that it saturates where a curve that does describes all its sizes."""
        if self.sizes and self.trend.further(self.followed).saturation is not None:
            self.end = End.SATURATES

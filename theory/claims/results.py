"""What running a plan hands to the ledger: a result for each cell, and the evidence as a whole.

Main definitions: `CellResult`, `Power`, `Evidence`; `summarise`, the verdict of cells; `told` and `all_spent`, of what
is left open; `parts`, which show how far a worst ratio is one of chance; `walked`, how far paths were followed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from theory.claims.regime import Cell
from theory.core.agreement import is_blank, is_lost, printed, share_of_itself, tied
from theory.core.measured import DEFAULT_RELATIVE_ERROR, Walk
from theory.core.verdict import PremiseStatus, Verdict, combine

# What is drawn in a cell is divided into so many parts, by number. Where a size makes no difference, all parts of three
# sizes come in the order of the sizes once in 9!/3!**3 = 1680 times.
PARTS = 3

# So many measurements of a row are kept to be shown, shared by its cells; of trials those with the first numbers.
MOST_DOTS = 36

# Among the details of evidence: what was measured speaks against something that the block declares and it rests on.
DOUBT = "in doubt"

# Under which they say what would decide what is left open.
REMEDY = "remedy"

# Under which those of a first look have the constant that is easiest to meet among those that a whole run may fit.
LOOSEST = "loosest constant"

# Under which those of a passing row say that another seed may not pass it.
ANOTHER_SEED = "another seed"

# The worst ratio of a part in which nothing was drawn.
NO_PART = -1.0


def parts(drawn: Iterable[tuple[int, float]]) -> tuple[float, ...]:
    """The worst ratio of every part, from the number and the ratio of each draw; NaN is none."""
    worst = [NO_PART] * PARTS
    for number, ratio in drawn:
        if ratio > worst[number % PARTS]:
            worst[number % PARTS] = ratio
    return tuple(worst)


def walked(walks: Sequence[Walk]) -> str:
    """How many of the paths rest and after how many steps, and after how many the others were left; empty for none."""
    if not walks:
        return ""
    rested, left = ([w.steps for w in walks if w.rested is at_rest] for at_rest in (True, False))
    said = [f"{len(rested)} of {len(walks)} paths rest, after {_between(rested)} steps"] if rested else []
    others = "the others were" if rested else "the path was" if len(walks) == 1 else f"{len(walks)} paths were"
    return "; ".join([*said, *([f"{others} left after {_between(left)} steps"] if left else [])])


def moved(at: Cell, reported: Cell) -> str:
    """At which symbols an instance was judged that are measured otherwise than they are given; empty for none."""
    told = [f"{name}={value:.6g}" for name, value in reported.items() if name in at and at[name] != value]
    return f"judged at {', '.join(told)}, as measured" if told else ""


def _between(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return f"{least}" if least == most else f"{least} to {most}"


@dataclass(frozen=True)
class CellResult:
    """What was seen in one cell: the worst comparison, and how often the claim failed there.

    `worst` assigns every symbol of the worst instance, the trial number included, so that it can be replayed.
    `trivial` counts the instances set aside because their bound could not have been missed. `idle` is the
    largest ratio of the claim's idle form at the tightest instances, where it has one. `parts` are the worst ratios of
    what was drawn, part by part; none where nothing is drawn. `spent`: sound measurements did not suffice to decide.
    `budget` is how many trials there would have been at most; 0 where the plan has none.
    `reported` has the symbols that the measurement gave at the worst instance, and `error` bounds by how much rounding
    may have moved `measured`; none where nothing is stated of it (see `rounding_error`).
    Of a control that is refuted here, `closest` is the factor by which its bound could be easier to meet and would
    still be refuted; none where its refutation is no matter of a factor.
    """

    at: Cell
    premises: PremiseStatus
    verdict: Verdict
    measured: float
    bound: float
    ratio: float
    trials: int
    failures: int
    seconds: float
    worst: Cell = field(default_factory=dict)
    remark: str = ""
    tolerance: float = 0.0
    trivial: int = 0
    idle: float | None = None
    parts: tuple[float, ...] = ()
    spent: bool = False
    budget: int = 0
    closest: float | None = None
    reported: Cell = field(default_factory=dict)
    error: float | None = None

    @property
    def rounding_error(self) -> float:
        """By how much rounding may have moved `measured`: as stated, or as of a number that states no error."""
        return DEFAULT_RELATIVE_ERROR * abs(self.measured) if self.error is None else self.error

    @property
    def share_of_itself(self) -> float:
        """By how much of itself rounding may have moved `measured`."""
        return share_of_itself(self.measured, self.rounding_error)

    @property
    def is_blank(self) -> bool:
        """Whether nothing is known of the ratio, as rounding hides both `measured` and the bound."""
        return is_blank(self.measured, self.bound, self.rounding_error)

    def printed_ratio(self, sense: str) -> float:
        """The ratio as it is printed on every processor."""
        return printed(self.ratio, sense, self.ratio, is_lost(self.measured, self.rounding_error))

    def printed_measured(self, sense: str) -> float:
        """What was measured as it is printed on every processor."""
        return printed(self.measured, sense, self.ratio, is_lost(self.measured, self.rounding_error))


@dataclass(frozen=True)
class Power:
    """What the run would have caught with probability 0.9.

    `kind` says in which unit: "failure rate" (the smallest true rate), "bound factor" (the largest factor
    below 1 on the bound), "exponent" (the smallest error of an exponent), "relative error", "distance in
    law", "exact"; "nothing" where there is no result. `best` is the value of the judged cell that sees most, where
    each has its own.
    """

    kind: str
    value: float
    best: float | None = None

    @property
    def text(self) -> str:
        """One phrase for the story."""
        if self.kind == "nothing":
            return self.kind
        if self.kind == "exact":
            return "every wrong step"
        lead = {"failure rate": "rate >=", "bound factor": "bound x", "exponent": "exponent +-"}
        return f"{lead.get(self.kind, self.kind)} {self.value:.3g}"

    @property
    def short(self) -> str:
        """One word for the table."""
        if self.kind == "nothing":
            return "-"
        lead = {"failure rate": "rate ", "bound factor": "x", "exponent": "exp+-", "distance in law": "law "}
        return self.kind if self.kind == "exact" else f"{lead.get(self.kind, 'rel ')}{self.value:.2g}"


@dataclass(frozen=True)
class Evidence:
    """The result of running a plan. `verdict` is what the cells say before the premises gate it.

    `spent` says that measurements with which nothing is wrong did not suffice to decide.
    """

    method: str
    verdict: Verdict
    premises: PremiseStatus
    cells: tuple[CellResult, ...]
    power: Power
    alpha: float | None = None
    intervals: dict[str, Any] = field(default_factory=dict)
    exponents: dict[str, dict[str, Any]] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)
    spent: bool = False

    @property
    def deciding(self) -> list[CellResult]:
        """The cells that decide the verdict."""
        return [self.cells[place] for place in deciding([(c.premises, c.verdict) for c in self.cells], self.premises)]

    @property
    def worst(self) -> CellResult | None:
        """The worst cell, whatever the sense of the claim; see `worst_in`."""
        return self.worst_in("")

    def worst_in(self, sense: str) -> CellResult | None:
        """The deciding cell with the largest ratio, the first of them where rounding alone says which."""
        cells = self.deciding
        places = tied([c.printed_ratio(sense) for c in cells], [c.share_of_itself for c in cells]) or range(len(cells))
        return next((cells[place] for place in places), None)


def deciding(cells: Sequence[tuple[str, str]], status: str) -> list[int]:
    """The places of the cells, each given by its standing and its verdict, that decide the verdict of a row.

    Those are the ones that fail, else those that are open, else all that are judged, with the standing `status`.
    """
    judged = [place for place, (standing, _) in enumerate(cells) if standing == status] or list(range(len(cells)))
    refuted, undecided = ([p for p in judged if cells[p][1] == found] for found in (Verdict.REFUTED, Verdict.UNDECIDED))
    return refuted or undecided or judged


def told(evidence: Evidence) -> Evidence:
    """The evidence with a remark on every cell that is undecided, where the plan leaves none."""
    cells = [replace(c, remark=_why_open(c)) if not c.remark and _is_open(c) else c for c in evidence.cells]
    return replace(evidence, cells=tuple(cells)) if any(map(_is_open, cells)) else evidence


def _is_open(cell: CellResult) -> bool:
    return cell.verdict is Verdict.UNDECIDED


def _why_open(cell: CellResult) -> str:
    if not (math.isfinite(cell.measured) and math.isfinite(cell.bound)):
        return "a measurement or the bound is not a finite number"
    if math.isclose(cell.ratio, 1.0, rel_tol=DEFAULT_RELATIVE_ERROR):
        return "the bound is attained up to rounding, which is too close to decide"
    return "its plan of evidence does not say why"


def all_spent(cells: Iterable[CellResult]) -> bool:
    """Whether cells are undecided, and all of these because sound measurements did not suffice."""
    undecided = [cell for cell in cells if cell.verdict is Verdict.UNDECIDED]
    return bool(undecided) and all(cell.spent for cell in undecided)


def summarise(cells: list[CellResult]) -> tuple[Verdict, PremiseStatus]:
    """The verdict of the judged cells: those inside the premises, else those outside, the trivial, or the idle ones."""
    status = judged_status([cell.premises for cell in cells])
    judged = [cell.verdict for cell in cells if cell.premises is status]
    return (combine(judged), status) if status is not PremiseStatus.EMPTY else (Verdict.UNDECIDED, status)


def judged_status(standings: Sequence[str]) -> PremiseStatus:
    """The standing of the cells that are judged, among those of all: inside the premises where any is."""
    order = (PremiseStatus.INSIDE, PremiseStatus.EXTRAPOLATED, PremiseStatus.TRIVIAL, PremiseStatus.IDLE)
    return next((status for status in order if status in standings), PremiseStatus.EMPTY)

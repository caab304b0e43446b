"""What every kind of evidence offers, and the results it hands to the ledger.

Main definitions: `Plan`, `CellResult`, `Evidence`, `Number`, `summarise`; `same` and `IMPURE`, for measuring again.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from theory.measured import Comparison
from theory.regime import Cell
from theory.verdict import PremiseStatus, Verdict, combine

if TYPE_CHECKING:
    from theory.case import Case
    from theory.claim import Claim


IMPURE = "an instance came out differently when measured again: the measurement is not pure"

# Trials measured elsewhere and here may differ in the last bits where the processors differ. What depends on more than
# its generator differs by more than this.
REPLAY_RELATIVE_ERROR = 1e-9

# Where cells differ in what they cost: a function of their symbols, which it asks for by name.
Number = int | Callable[..., int]


@dataclass(frozen=True)
class CellResult:
    """What was seen in one cell: the worst comparison, and how often the claim failed there.

    `worst` assigns every symbol of the worst instance, the trial number included, so that it can be replayed.
    `trivial` counts the instances set aside because their bound could not have been missed.
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


@dataclass(frozen=True)
class Power:
    """What the run would have caught with probability 0.9.

    `kind` says in which unit: "failure rate" (the smallest true rate), "bound factor" (the largest factor
    below 1 on the bound), "exponent" (the smallest error of an exponent), "relative error", "distance in
    law", "exact"; "nothing" where there is no result.
    """

    kind: str
    value: float

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
    """The result of running a plan. `verdict` is what the cells say before the premises gate it."""

    method: str
    verdict: Verdict
    premises: PremiseStatus
    cells: tuple[CellResult, ...]
    power: Power
    alpha: float | None = None
    intervals: dict[str, Any] = field(default_factory=dict)
    exponents: dict[str, dict[str, Any]] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def worst(self) -> CellResult | None:
        """The cell with the largest ratio among those that decide the verdict."""
        judged = [c for c in self.cells if c.premises is self.premises] or list(self.cells)
        refuted = [c for c in judged if c.verdict is Verdict.REFUTED]
        undecided = [c for c in judged if c.verdict is Verdict.UNDECIDED]
        return max(refuted or undecided or judged, key=lambda c: (c.ratio == c.ratio, c.ratio), default=None)


class Plan(Protocol):
    """A way of deciding a claim."""

    method: ClassVar[str]
    pass_verdict: ClassVar[Verdict]

    def check(self, claim: Claim) -> str:
        """What is missing in the block for this plan, or an empty string."""

    def run(self, case: Case) -> Evidence:
        """Decide the case."""


def number_at(number: Number, cell: Cell) -> int:
    """A number of trials or examples at a cell."""
    return number if isinstance(number, int) else int(number(**{name: cell[name] for name in _asked(number)}))


def unknown_to_number(number: Number, claim: Claim) -> str:
    """What the cells of a claim lack that a number of trials or examples depends on, or an empty string."""
    missing = sorted(set(_asked(number)) - claim.regime.symbols)
    return f"its numbers depend on {', '.join(missing)}, which the cells do not give; add it to them" if missing else ""


def _asked(number: Number) -> list[str]:
    return [] if isinstance(number, int) else list(inspect.signature(number).parameters)


def undecided_by_cells(claim: Claim) -> str:
    """What keeps the cells of a claim from deciding its premises, or an empty string.

    Every plan but a search and a proof judges whole cells, so no premise may depend on what a trial measures.
    """
    if claim.regime.draw:
        return "only a Search draws symbols; move draw= into the cells"
    for premise in claim.premises:
        if not set(premise.symbols) <= claim.regime.symbols:
            return f"premise {premise.text} is not decided by the cell; condition on it in a Search claim"
    return ""


def unknown_to_cells(claim: Claim, *but: str | None) -> str:
    """As `undecided_by_cells`, and for the bound's symbols (except `but`), where no trial reports them."""
    missing = sorted(set(claim.bound.symbols) - claim.regime.symbols - set(but))
    if missing:
        return f"its bound needs {', '.join(missing)}, which the cells do not give; add it to them or use Search"
    return undecided_by_cells(claim)


def is_caught(case: Case, done: list[CellResult], left: list[Cell]) -> bool:
    """Whether a control is refuted by the cells done, whatever the cells left would show."""
    if case.control is None or not done:
        return False
    verdict, status = summarise(done)
    if verdict is not Verdict.REFUTED:
        return False
    decisive = status is PremiseStatus.INSIDE
    return decisive or not any(case.cell_status(cell) is PremiseStatus.INSIDE for cell in left)


def same(again: Any, noted: Any) -> bool:
    """Whether numbers measured again, in whatever shape, are those that were noted; NaN equals NaN."""
    shapes = np.shape(again) == np.shape(noted)
    return shapes and bool(np.allclose(again, noted, rtol=REPLAY_RELATIVE_ERROR, atol=0.0, equal_nan=True))


def not_finite(comparison: Comparison) -> str:
    """Which side of a comparison is no finite number, for a remark."""
    side = (
        "the bound" if math.isfinite(comparison.measured) and not math.isfinite(comparison.bound) else "a measurement"
    )
    return f"{side} is not a finite number"


def summarise(cells: list[CellResult]) -> tuple[Verdict, PremiseStatus]:
    """The verdict of the judged cells: those inside the premises, else those outside, else the trivial ones."""
    for status in (PremiseStatus.INSIDE, PremiseStatus.EXTRAPOLATED, PremiseStatus.TRIVIAL):
        judged = [c.verdict for c in cells if c.premises is status]
        if judged:
            return combine(judged), status
    return Verdict.UNDECIDED, PremiseStatus.EMPTY

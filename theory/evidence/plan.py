"""What the kinds of evidence share: numbers that depend on the cell, what the cells must give, measuring again.

Main definitions: `Number`, `number_at`; `undecided_by_cells`, `unknown_to_cells`; `is_caught`; `same` and `IMPURE`.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from theory.claims.block import Claim
from theory.claims.regime import Cell
from theory.claims.results import CellResult, summarise
from theory.core.measured import Comparison
from theory.core.verdict import PremiseStatus, Verdict
from theory.running.case import Case

IMPURE = "an instance came out differently when measured again: the measurement is not pure"

# Trials measured elsewhere and here may differ in the last bits where the processors differ. What depends on more than
# its generator differs by more than this.
REPLAY_RELATIVE_ERROR = 1e-9

# Where cells differ in what they cost: a function of their symbols, which it asks for by name.
Number = int | Callable[..., int]


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
    if not case.wants_only_a_refutation or not done:
        return False
    verdict, status = summarise(done)
    if verdict is not Verdict.REFUTED:
        return False
    decisive = status is PremiseStatus.INSIDE
    return decisive or not any(case.standing.of_cell(cell) is PremiseStatus.INSIDE for cell in left)


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

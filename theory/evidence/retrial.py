"""A claim decided again with a wrong bound, on what was measured already.

Main definitions: `Entries`, the kept measurements of a claim as arrays, so that a wrong bound is evaluated once for all
of them; `of_cells`, for plans that judge whole cells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from theory.claims.memory import Instance
from theory.claims.regime import Cell
from theory.claims.results import CellResult, Evidence
from theory.claims.wrong_bounds import Answer, Retrial, WrongBound
from theory.core.measured import missed
from theory.core.values import Values
from theory.core.verdict import PremiseStatus
from theory.running.case import Case

# Why nothing can be asked again, as where every cell is set aside as trivial.
NOTHING_KEPT = "no measurement of it is kept"


def judged(evidence: Evidence) -> list[CellResult]:
    """The cells that speak for the claim."""
    return [cell for cell in evidence.cells if cell.premises is PremiseStatus.INSIDE]


def of_cells(case: Case, cells: Sequence[Cell], ask: Callable[[WrongBound], Answer], dear: bool = False) -> Retrial:
    """The retrial of a plan that judges whole cells."""
    bound, sense = case.bound, case.claim.sense

    def tightens(wrong: WrongBound) -> bool:
        known = [case.with_constants(cell) for cell in cells]
        if not all(set(bound.symbols) <= set(values) for values in known):
            return True
        return any(
            bool(np.any(_is_tighter(wrong.limits(at, right), right, sense)))
            for at, right in ((at, bound.evaluate(at)) for at in known)
        )

    return Retrial(lambda name: [cell[name] for cell in cells if name in cell], ask, tightens, dear)


def _is_tighter(moved: Any, limit: Any, sense: str) -> Any:
    """Where a bound asks for more when it has moved."""
    return {"<=": np.less, ">=": np.greater, "=": np.not_equal}[sense](moved, limit)


@dataclass(frozen=True)
class Entries:
    """Kept instances, each with the cell it belongs to, and their entries side by side in arrays.

    Raises OverflowError where a number is beyond float64.
    """

    case: Case
    instances: Sequence[Instance]
    cells: Sequence[Cell]
    # The wrong bound that was asked about last, with its limits: first whether it tightens, then what misses it.
    _asked: list[tuple[WrongBound, np.ndarray]] = field(default_factory=list, repr=False, compare=False)

    @cached_property
    def _sizes(self) -> np.ndarray:
        return np.array([instance.size for instance in self.instances], int)

    @cached_property
    def _starts(self) -> np.ndarray:
        return np.concatenate([[0], np.cumsum(self._sizes)[:-1]]).astype(int)

    def _column(self, parts: Sequence[Any]) -> np.ndarray:
        """One number for every entry, from a number or an array for every instance."""
        if self._sizes.max(initial=1) == 1:
            return np.array(
                [part if isinstance(part, int | float) else np.asarray(part).item() for part in parts], float
            )
        sized = zip(parts, self._sizes, strict=True)
        return np.concatenate([np.broadcast_to(np.asarray(part, float).ravel(), (size,)) for part, size in sized])

    @cached_property
    def _compared(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        parts = [(i.value, i.other, i.error, i.limit) for i in self.instances]
        value, other, error, limit = (self._column([part[k] for part in parts]) for k in range(4))
        return value, other, error, limit

    @cached_property
    def values(self) -> Values:
        """What each symbol of the bound is at every entry, and each constant that is assigned, drawn or measured."""
        found: Cell = dict(self.case.with_constants({}))
        known = [{**instance.values, **instance.symbols} for instance in self.instances]
        given = [name for name in self.case.bound.constants if all(name in values for values in known)]
        for name in (*self.case.bound.symbols, *given):
            if name not in found or name in given:
                found[name] = self._column([values[name] for values in known])
        return found

    @cached_property
    def inside(self) -> np.ndarray:
        """Which instances meet the premises that drawn or measured symbols decide."""
        inside = self.case.standing.has_kept_inside
        return np.array([inside(*pair) for pair in zip(self.cells, self.instances, strict=True)], bool)

    @cached_property
    def _inside_entries(self) -> np.ndarray:
        return np.repeat(self.inside, self._sizes)

    @property
    def judged(self) -> list[tuple[Cell, Instance]]:
        """The instances inside the premises, each with its cell."""
        pairs = zip(self.cells, self.instances, self.inside, strict=True)
        return [(cell, instance) for cell, instance, inside in pairs if inside]

    def of(self, name: str) -> list[float]:
        """What a symbol of the bound was at the entries of instances inside the premises."""
        values = np.broadcast_to(self.values[name], self._inside_entries.shape)
        return list(values[self._inside_entries].tolist())

    def _limits(self, wrong: WrongBound) -> np.ndarray:
        """A wrong bound at every entry."""
        if not self._asked or self._asked[0][0] is not wrong:
            limit = self._compared[3]
            moved = self.case.meetable(np.asarray(wrong.limits(self.values, limit), float))
            moved = np.broadcast_to(moved, limit.shape)
            self._asked[:] = [(wrong, moved)]
        return self._asked[0][1]

    def missed(self, wrong: WrongBound | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Which instances miss the wrong bound beyond doubt, or the bound itself, and the worst ratio of each."""
        value, other, error, limit = self._compared
        if wrong is not None:
            limit = self._limits(wrong)
        missing, ratio = missed(value, other, limit, error, self.case.claim.sense)
        worst = np.fmax.reduceat(ratio, self._starts)
        return np.logical_or.reduceat(missing, self._starts), worst

    def tightens(self, wrong: WrongBound) -> bool:
        """Whether a wrong bound asks for more than the bound anywhere; one that nowhere does cannot be missed."""
        limit = self._compared[3]
        return bool((_is_tighter(self._limits(wrong), limit, self.case.claim.sense) & self._inside_entries).any())


def entries(case: Case, evidence: Evidence, kept: Callable[[Cell], Sequence[Instance]]) -> Entries | str:
    """The entries of all judged cells, or why there are none."""
    if "bound" in case.claim.parameters:
        return "its function is given the bound, so that every wrong one would be measured anew"
    pairs = [(instance, cell.at) for cell in judged(evidence) for instance in kept(cell.at)]
    if not pairs:
        return NOTHING_KEPT
    found = Entries(case, [instance for instance, _ in pairs], [cell for _, cell in pairs])
    try:
        found.values, found.missed()
    except OverflowError:
        return "a size is beyond what floats hold"
    return found if found.inside.any() else NOTHING_KEPT

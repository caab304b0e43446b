"""What a control changed, in numbers: its bound and its measurement beside those of its claim, at the same instances.

Nothing is measured for this. Formulas are evaluated where the claim came closest to its bound in every judged cell, or
at the cells of the control where it has its own; measurements are those that were kept. Where the two cannot be held
against each other, as of a proof, there is no number.

Main definitions: `Change`; `Changes`, which finds the change of every control of a claim.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bounds.bound import Bound
from theory.claims.memory import Instance
from theory.claims.regime import Cell
from theory.claims.results import CellResult, Evidence
from theory.core.seeds import canonical
from theory.core.values import Values
from theory.core.verdict import Verdict
from theory.running.case import Case

# The least and the largest of some quotients; none where there is no quotient.
Range = tuple[float, float] | None

# A control that leaves a formula, or a measurement, as it is.
SAME: Range = (1.0, 1.0)


@dataclass(frozen=True)
class Change:
    """What a control changed.

    `ratio` is its worst ratio. `bound` and `measured` are the least and the largest quotient of its bound, and of its
    measurement, and those of the claim. A bound that is easier to meet by any factor less than `closest` would still
    have been refuted, and rounding may have moved what was measured there by the share `error` of itself. None stands
    where there is no such number.
    """

    ratio: float | None = None
    bound: Range = None
    measured: Range = None
    closest: float | None = None
    error: float | None = None


@dataclass
class Changes:
    """The changes of the controls of a claim, which was decided with this evidence."""

    case: Case
    evidence: Evidence
    _known: dict[str, dict[tuple[str, int], Instance]] = field(default_factory=dict)

    def of(self, control: Case, found: Evidence) -> Change:
        """The change of one control, decided with the evidence `found`."""
        worst = found.worst
        caught = [cell for cell in found.cells if cell.verdict is Verdict.REFUTED]
        pairs = [(cell.closest, cell.share_of_itself) for cell in caught if cell.closest is not None]
        closest, error = max(pairs, default=(math.nan, math.nan))
        return Change(
            ratio=None if worst is None else _finite(worst.ratio),
            bound=self._of_bound(control, found),
            measured=self._of_measurement(control, found),
            closest=_finite(closest),
            error=_finite(error),
        )

    def _of_bound(self, control: Case, found: Evidence) -> Range:
        assert control.control is not None
        if not self.case.claim.evidence.compares:
            return None
        if control.control.bound is None:
            return SAME
        own = control.control.cells is not None or self.case.config.asks_elsewhere
        # A fitted constant makes the bound of another size than its formula says.
        fitted = self.case.claim.evidence.constant is not None
        quotients: list[np.ndarray] = []
        for cell in _judged(found if own else self.evidence):
            pairs = [] if own else self._pairs(control, cell)
            values = None if fitted else self._values(control, cell)
            if values is not None:
                quotients.append(_quotient(control.bound, self.case.claim.bound, values))
            elif pairs:
                quotients += [_over(now, was) for (_, now), (_, was) in pairs]
        return _range(quotients)

    def _of_measurement(self, control: Case, found: Evidence) -> Range:
        assert control.control is not None
        if not self.case.claim.evidence.compares:
            return None
        if not control.control.knobs:
            return SAME if control.control.cells is None else None
        quotients: list[np.ndarray] = []
        for cell in _judged(found):
            if pairs := self._pairs(control, cell):
                quotients += [_over(now, was) for (now, _), (was, _) in pairs]
            elif (kept := self._kept(self.case, cell)) is not None:
                quotients.append(_over(cell.measured, _telling(kept, self.case.claim.sense)))
        return _range(quotients)

    def _pairs(self, control: Case, cell: CellResult) -> list[tuple[tuple[float, float], tuple[float, float]]]:
        """What the first trials of a cell measured and their bounds, of the control and of the claim."""
        memory, key = self.case.memory, canonical(cell.at)
        return list(zip(memory.points_of(control.control, key), memory.points_of(None, key), strict=False))

    def _values(self, control: Case, cell: CellResult) -> Values | None:
        """The symbols of both bounds at the worst instance of a cell; nothing where only a measurement knew them."""
        values = {**cell.at, **cell.worst}
        needed = {*control.bound.symbols, *self.case.claim.bound.symbols}
        if needed <= set(values):
            return values
        kept = self._kept(self.case, cell)
        if kept is None:
            kept = self.case.memory.of_control(control.control, canonical(cell.at))
        known = {**values, **(kept.symbols if kept is not None else {})}
        return known if needed <= set(known) else None

    def _kept(self, case: Case, cell: CellResult) -> Instance | None:
        """What the claim measured at the worst instance of a cell, as far as it is kept."""
        key = canonical(cell.at)
        if key not in self._known:
            kept = case.memory.kept.get(key, ())
            self._known[key] = {(canonical(_drawn(one.values)), one.trial): one for one in kept}
        return self._known[key].get((canonical(_drawn(cell.worst)), int(cell.worst.get("trial", 0))))


def _judged(evidence: Evidence) -> Sequence[CellResult]:
    """The cells that decide the verdict."""
    return [cell for cell in evidence.cells if cell.premises is evidence.premises]


def _drawn(values: Values) -> Cell:
    """The symbols of an instance without its trial number."""
    return {name: value for name, value in values.items() if name != "trial"}


def _telling(kept: Instance, sense: str) -> float:
    """The entry of a measurement that is nearest to its bound."""
    value, limit = np.broadcast_arrays(np.asarray(kept.value, float).ravel(), np.asarray(kept.limit, float).ravel())
    small, large = (limit, value) if sense == ">=" else (value, limit)
    with np.errstate(all="ignore"):
        return float(value[int(np.argmax(np.nan_to_num(small / large, nan=-math.inf)))])


def _quotient(wrong: Bound, right: Bound, values: Values) -> np.ndarray:
    try:
        return _over(wrong.evaluate(values), right.evaluate(values))
    except (ArithmeticError, ValueError, TypeError):
        return np.array([np.nan])


def _over(now: Any, was: Any) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.atleast_1d(np.asarray(now, float) / np.asarray(was, float)).ravel()


def _range(quotients: Iterable[np.ndarray]) -> Range:
    found = np.concatenate([np.empty(0), *quotients])
    found = found[np.isfinite(found)]
    return (float(found.min()), float(found.max())) if found.size else None


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None

"""What a control changed, in numbers: its bound and its measurement beside those of its claim, at the same instances.

Formulas are evaluated where the claim came closest to its bound in every judged cell, or at the cells of the control
where it has its own. A control that turns no knob measures what its claim does, wherever it does. Of one that turns
some, the measurements that were kept are held against each other; where the claim has none, as at cells of the
control's own, it is measured at the worst instance of the control, once. Where there is no number, the reason is told.

Main definitions: `Change`; `Changes`, which finds the change of every control of a claim.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bounds.bound import Bound
from theory.claims.memory import Instance
from theory.claims.regime import Cell
from theory.claims.results import CellResult, Evidence
from theory.core.guard import Failure
from theory.core.measured import nearest
from theory.core.seeds import canonical
from theory.core.values import Values
from theory.core.verdict import Verdict
from theory.running.case import Case

# The least and the largest of some quotients; none where there is no quotient.
Range = tuple[float, float] | None

# A control that leaves a formula, or a measurement, as it is.
SAME: Range = (1.0, 1.0)

# The claim is not measured for a quotient alone where one measurement of the control took more seconds than this.
DEAR = 2.0

# A quotient that is a formula is told up to so many characters.
LONGEST = 60

# Why there is no number.
NO_RESULT = "it has no result"
NOT_REFUTED = "it is not refuted"
NO_SIDE = "an equality is not easier to meet with any factor"
NO_FACTOR = "no factor would be enough"
NOT_FINITE = "the quotient is no finite number"
OF_ALL_VALUES = "a proof for all values of its symbols"
OF_STEPS = "the steps of a proof measure nothing"
IS_DEAR = "one measurement takes seconds there"


@dataclass(frozen=True)
class Change:
    """What a control changed.

    `ratio` is its worst ratio. `bound` and `measured` are the least and the largest quotient of its bound, and of its
    measurement, and those of the claim. A bound that is easier to meet by any factor less than `closest` would still
    have been refuted, and rounding may have moved what was measured there by the share `error` of itself. Where one of
    the first three is none, `why` says so, under its name.
    """

    ratio: float | None = None
    bound: Range = None
    measured: Range = None
    closest: float | None = None
    error: float | None = None
    why: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def unknown(cls) -> Change:
        """That of a control which has no result."""
        return cls(why=dict.fromkeys(("bound", "measured", "closest"), NO_RESULT))


@dataclass
class Changes:
    """The changes of the controls of a claim, which was decided with this evidence."""

    case: Case
    evidence: Evidence
    _known: dict[str, dict[tuple[str, int], Instance]] = field(default_factory=dict)

    def of(self, control: Case, found: Evidence) -> Change:
        """The change of one control, decided with the evidence `found`, as far as it follows from what was measured."""
        worst = found.worst
        bound, of_bound = self._of_bound(control, found)
        measured, of_measured = self._of_measurement(control, found)
        closest, error, of_closest = self._closest(found)
        why = {"bound": of_bound, "measured": of_measured, "closest": of_closest}
        return Change(
            ratio=None if worst is None else _finite(worst.ratio),
            bound=bound,
            measured=measured,
            closest=closest,
            error=error,
            why={name: said for name, said in why.items() if said},
        )

    @staticmethod
    def to_measure(change: Change) -> tuple[str, ...]:
        """The quotients for which the claim has to be measured where the control was, as `measuring` does."""
        return tuple(name for name in ("bound", "measured") if getattr(change, name) is None and name not in change.why)

    @staticmethod
    def measuring(control: Case, found: Evidence) -> dict[str, tuple[Range, str]]:
        """Both quotients at the worst instance of the control, each with the reason if there is none."""
        worst = found.worst
        if worst is None or worst.seconds > DEAR * max(1, worst.trials):
            return dict.fromkeys(("bound", "measured"), (None, NO_RESULT if worst is None else IS_DEAR))
        (now, limit), (was, of_claim) = control.claim.evidence.beside(control, control.of_its_claim(), worst)
        return {"bound": _told([_over(limit, of_claim)]), "measured": _beside(now, was)}

    @staticmethod
    def with_measured(change: Change, told: Mapping[str, tuple[Range, str]] | Failure) -> Change:
        """The change with what `measuring` told, or with the failure that it was."""
        if isinstance(told, Failure):
            reason = f"the claim has no result there: {told.reason}"
            told = dict.fromkeys(("bound", "measured"), (None, reason))
        asked = Changes.to_measure(change)
        why = {name: told[name][1] for name in asked if told[name][1]}
        bound, measured = (told[n][0] if n in asked else getattr(change, n) for n in ("bound", "measured"))
        return replace(change, bound=bound, measured=measured, why={**change.why, **why})

    def _of_bound(self, control: Case, found: Evidence) -> tuple[Range, str]:
        assert control.control is not None
        if control.control.bound is None:
            if not self._measures_its_bound(control):
                return SAME, ""
            return _range([_over(now, was) for (_, now), (_, was) in self._sides(control, found)]), ""
        if not self.case.claim.evidence.compares:
            return self._of_steps(control, found)
        own = control.control.cells is not None or self.case.config.asks_elsewhere
        quotients: list[np.ndarray] = []
        for cell in _judged(found if own else self.evidence):
            pairs = [] if own else self._pairs(control, cell)
            # A fitted constant makes the bound of another size than its formula says.
            fitted = self.case.claim.evidence.constant if pairs else None
            values = self._values(control, cell) if fitted is None else None
            if values is not None:
                quotients.append(self._quotient(control, found, values))
            elif pairs:
                quotients += [_over(now, was) for (_, now), (_, was) in pairs]
        return _told(quotients)

    def _of_steps(self, control: Case, found: Evidence) -> tuple[Range, str]:
        """Of the bound of a proof, which may be about all values of its symbols."""
        wrong, right = control.bound, self.case.claim.bound
        known = [cell.at for cell in _judged(found) if {*wrong.symbols, *right.symbols} <= set(cell.at)]
        if known:
            return _told([_quotient(wrong, right, values, values) for values in known])
        factor = wrong.over(right)
        if not factor.free_symbols:
            return _told([np.array([float(factor)])])
        return None, f"{OF_ALL_VALUES}{f': times {factor}' if len(str(factor)) <= LONGEST else ''}"

    def _of_measurement(self, control: Case, found: Evidence) -> tuple[Range, str]:
        assert control.control is not None
        if not self.case.claim.evidence.compares:
            return None, OF_STEPS
        if control.measures_what_its_claim_did and not self._knows_the_bound(control):
            return SAME, ""
        return _range([_over(now, was) for (now, _), (was, _) in self._sides(control, found)]), ""

    def _sides(self, control: Case, found: Evidence) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
        """What the control and the claim measured at the same instances, each with its bound, as far as it is kept."""
        for cell in _judged(found):
            if pairs := self._pairs(control, cell):
                yield from pairs
            elif (kept := self._kept(self.case, cell)) is not None:
                yield (cell.measured, cell.bound), nearest(kept.value, kept.limit, self.case.claim.sense)

    def _measures_its_bound(self, control: Case) -> bool:
        """Whether a knob of a control may change symbols of the bound, which its measurement reports."""
        claim = self.case.claim
        return (
            claim.evidence.by_instance
            and not control.measures_what_its_claim_did
            and not set(claim.measured).isdisjoint(claim.bound.symbols)
        )

    def _knows_the_bound(self, control: Case) -> bool:
        """Whether the measuring function of a control computes with another bound than that of its claim."""
        assert control.control is not None
        return control.control.bound is not None and "bound" in self.case.claim.parameters

    def _closest(self, found: Evidence) -> tuple[float | None, float | None, str]:
        """The largest factor of a refuted cell, the share by which rounding may move it, and why there is none."""
        plan, refuted = self.case.claim.evidence, [c for c in found.cells if c.verdict is Verdict.REFUTED]
        known = [(cell.closest, cell.share_of_itself) for cell in refuted if cell.closest is not None]
        if known:
            closest, error = map(_finite, max(known))
            return closest, error, "" if closest is not None else NO_FACTOR
        if found.verdict is not Verdict.REFUTED:
            return None, None, NOT_REFUTED
        return None, None, plan.no_factor or (NO_SIDE if self.case.claim.sense == "=" else NO_FACTOR)

    def _pairs(self, control: Case, cell: CellResult) -> list[tuple[tuple[float, float], tuple[float, float]]]:
        """What the first trials of a cell measured and their bounds, of the control and of the claim."""
        memory, key = self.case.memory, canonical(cell.at)
        return list(zip(memory.points_of(control.control, key), memory.points_of(None, key), strict=False))

    def _quotient(self, control: Case, found: Evidence, values: Values) -> np.ndarray:
        """The bound of a control over that of its claim at one instance, each with the constant that was fitted."""
        constant = self.case.claim.evidence.constant
        fitted = [e.details.get("constant", math.nan) if constant else math.nan for e in (found, self.evidence)]
        now, was = ({**values, **({constant: number} if constant else {})} for number in fitted)
        return _quotient(control.bound, self.case.claim.bound, now, was)

    def _values(self, control: Case, cell: CellResult) -> Values | None:
        """The symbols of both bounds at the worst instance of a cell; nothing where only a measurement knew them."""
        values = {**cell.at, **cell.worst}
        needed = {*control.bound.symbols, *self.case.claim.bound.symbols} - {self.case.claim.evidence.constant}
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


def _quotient(wrong: Bound, right: Bound, now: Values, was: Values) -> np.ndarray:
    """The wrong bound at `now` over the right one at `was`; by logarithms where floats do not hold them."""
    try:
        found = _over(wrong.evaluate(now), right.evaluate(was))
        if found.size == 1 and not np.isfinite(found).all():
            (sign, log), (other, of_other) = wrong.signed_log(now), right.signed_log(was)
            found = np.array([sign * other * math.exp(log - of_other)]) if sign * other else found
    except (ArithmeticError, ValueError, TypeError):
        return np.array([np.nan])
    return found


def _over(now: Any, was: Any) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.atleast_1d(np.asarray(now, float) / np.asarray(was, float)).ravel()


def _told(quotients: Iterable[np.ndarray]) -> tuple[Range, str]:
    """The least and the largest of quotients, or why there is none."""
    found = _range(quotients)
    return found, "" if found else NOT_FINITE


def _beside(now: Any, was: Any) -> tuple[Range, str]:
    """The quotients of what a control and its claim measure at one instance, or why there are none."""
    if np.shape(now) != np.shape(was):
        return None, f"it measures {np.size(now)} numbers there, and the claim {np.size(was)}"
    return _told([_over(now, was)]) if np.any(was) else (None, "the claim measures 0 there")


def _range(quotients: Iterable[np.ndarray]) -> Range:
    found = np.concatenate([np.empty(0), *quotients])
    found = found[np.isfinite(found)]
    return (float(found.min()), float(found.max())) if found.size else None


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None

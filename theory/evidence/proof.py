"""Evidence by proof: every step decided symbolically or in ball arithmetic, over the whole stated domain."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bounds.bound import UndecidedError
from bounds.decisions.questions import Decision, Question
from theory.claims.block import Claim, Plan
from theory.claims.regime import Cell
from theory.claims.results import CellResult, Evidence, Power, all_spent, summarise
from theory.claims.wrong_bounds import Answer, Retrial, WrongBound
from theory.core.measured import MeasurementError
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence.plan import is_caught
from theory.evidence.retrial import judged, of_cells
from theory.running.case import Case

NO_STEP = "no step is given"


@dataclass(frozen=True)
class Step:
    """One step of a proof: what was decided, and how it came out (`None`: it could not be decided).

    Anything but a Boolean, NaN and a symbolic relation included, counts as not decided, and so does a comparison with
    the ball of a bound that this does not decide. Of other balls a bare comparison is false where it cannot tell:
    `certainly_le` gives `None` there.
    A step that is given a `Decision` knows what was asked, so that it can be asked again
    (`theory.upkeep.second_opinion`).
    """

    what: str
    found: bool | Decision | None

    @property
    def holds(self) -> bool | None:
        """How it came out."""
        found = self.found.holds if isinstance(self.found, Decision) else self.found
        return bool(found) if isinstance(found, bool | np.bool_) else None

    @property
    def asked(self) -> tuple[tuple[Question, bool | None], ...]:
        """What was asked, with the answers; empty where the step is a truth value alone."""
        return self.found.asked if isinstance(self.found, Decision) else ()


@dataclass(frozen=True)
class Proof(Plan):
    """The function returns a list of `Step`; each is decided without sampling.

    `margin` in words is the part of the domain or the constant that the proof leaves unused. `unasked` says why wrong
    bounds are not put to the steps to find out what the row sees: that they would take too long.
    """

    margin: str = ""
    unasked: str = ""

    method: ClassVar[str] = "proof"
    pass_verdict: ClassVar[Verdict] = Verdict.PROVED
    is_monotone: ClassVar[bool] = True
    draws: ClassVar[bool] = False
    spends_alpha: ClassVar[bool] = False
    compares: ClassVar[bool] = False
    no_factor: ClassVar[str] = "a step of a proof holds or does not, and no number says how nearly"
    gives_steps: ClassVar[bool] = True
    best_constant: ClassVar[str] = "proof over the whole domain: no better value than this was tried"

    def check(self, claim: Claim) -> str:
        """A proof has to be about the bound in force, so that a what-if formula is judged too."""
        if "bound" not in claim.parameters:
            return "its function must take the parameter bound, so that the steps are about the formula in force"
        if "rng" in claim.parameters:
            return "a proof draws nothing; remove the parameter rng or use Search"
        return ""

    def retrial(self, case: Case, evidence: Evidence) -> Retrial | str:
        """By the same steps, asked of the wrong bound: one that fails refutes it, one that raises does not."""
        if self.unasked:
            return self.unasked

        def ask(wrong: WrongBound) -> Answer:
            try:
                # It ends at the first cell that refutes it.
                found = self.run(case.against(wrong.name, wrong.formula))
            except Exception:
                return Answer(False, told="a step raises")
            refuted = found.verdict is Verdict.REFUTED and found.premises is PremiseStatus.INSIDE
            # A wrong bound that is not decided came nearer to a refutation than one that is proved as well.
            return Answer(refuted, 1.0 if found.verdict is Verdict.UNDECIDED else 0.5, f"at most {found.verdict}")

        return of_cells(case, [cell.at for cell in judged(evidence)], ask, dear=True)

    def unmoved(self, case: Case) -> str:
        """Why the steps prove nothing of the bound: they come out the same with one moved by 1 either way."""
        for number in (1, -1):
            try:
                found = self.run(case.against(f"the bound plus {number}", case.bound.variants.plus(number)))
            except Exception:
                return ""
            if found.verdict is not Verdict.PROVED:
                return ""
        return "its steps come out the same with every wrong bound that was tried, so that they are not about the bound"

    @staticmethod
    def _steps(case: Case, cell: Cell) -> list[Step]:
        """The steps of a cell; one that is not decided where two balls or symbolic numbers could not be compared.

        Raises `MeasurementError` for what are no steps.
        """
        try:
            found = case.measure(cell, cell, 0)
        except UndecidedError as error:
            return [Step(str(error), None)]
        except TypeError as error:
            # So sympy says that a relation is neither true nor false.
            if not str(error).startswith("cannot determine truth value"):
                raise
            return [Step(f"a comparison is not decided: {str(error).rpartition(': ')[2]}", None)]
        if not isinstance(found, list | tuple) or not all(
            isinstance(s, Step) and isinstance(s.what, str) for s in found
        ):
            raise MeasurementError(
                "a proof returns a list of steps; write [Step('what is shown', whether it holds), ...]"
            )
        return list(found)

    def run(self, case: Case) -> Evidence:
        """Decide all steps in every cell."""
        cells: list[CellResult] = []
        steps: list[dict[str, object]] = []
        chosen = case.cells
        for cell in chosen:
            if is_caught(case, cells, chosen[len(cells) :]):
                break
            started = time.perf_counter()
            found = self._steps(case, cell)
            said = [step.holds for step in found]
            steps += [{"step": step.what, "holds": holds} for step, holds in zip(found, said, strict=True)]
            failed = said.count(False)
            if failed:
                verdict = Verdict.REFUTED
            elif found and all(said):
                verdict = Verdict.PROVED
            else:
                verdict = Verdict.UNDECIDED
            result = CellResult(
                at=cell,
                premises=case.standing.of_cell(cell),
                verdict=verdict,
                measured=float(failed),
                bound=0.0,
                ratio=float("inf") if failed else 0.0,
                trials=len(found),
                failures=failed,
                seconds=time.perf_counter() - started,
                worst=cell,
                error=0.0,
                remark="; ".join(s.what for s, holds in zip(found, said, strict=True) if not holds)
                or NO_STEP * (not found),
                spent=bool(found) and verdict is Verdict.UNDECIDED,
            )
            cells.append(case.recollection.noted(result))
        verdict, status = summarise(cells)
        details: dict[str, object] = {"steps": steps}
        if self.margin:
            details["margin"] = self.margin
        spent = all_spent(cells)
        return Evidence(self.method, verdict, status, tuple(cells), Power("exact", 0.0), details=details, spent=spent)

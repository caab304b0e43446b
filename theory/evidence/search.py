"""Evidence for "for all": an adversarial search for a counterexample, steered towards measured/bound = 1.

A search gives a lower bound of a supremum. It can refute; what it cannot find it does not exclude, so its
pass is `holds`, with the worst ratio seen, which is also its power: a bound smaller by that factor would have
been refuted.

An instance that is too close to decide is no evidence either way. It is set aside and counted if it meets the bound up
to rounding (see `theory.core.measured.CLOSE_CALL`), and the rest must carry the verdict. So is one of which nothing was
measured, its error being as large as the number and its bound, where that is rounding beside what the others measure
and at most `MOST_BLANK` of them are so. Any other leaves the cell open.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from theory.claims.block import Claim, Plan
from theory.claims.regime import Cell
from theory.claims.results import PARTS, CellResult, Evidence, Power, all_spent, moved, parts, summarise, walked
from theory.claims.wrong_bounds import Answer, Retrial, WrongBound
from theory.core import progress
from theory.core.digits import near_one
from theory.core.guard import signalled, surfacing
from theory.core.measured import Comparison, Outcome, Walk
from theory.core.seeds import canonical, stable_key
from theory.core.values import Values
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence.plan import IMPURE, Number, is_caught, not_finite, number_at, unknown_to_number
from theory.evidence.retrial import entries
from theory.running.case import Case

# A search that has to find a counterexample, that of a control or of an erratum, begins anew with so many times as many
# examples where it found none: what the first search finds every second time, all together miss once in 2**31.
ANEW = (2, 4, 8, 16)

# A search most of whose examples miss the premises, or are too close to decide, has tested little, and is not called a
# pass.
LEAST_ACCEPTED_SHARE = 0.1

# A search that lost more of its examples in rounding has to measure otherwise. An error above this share of the median
# of the numbers that are known is none of rounding, and might hide a failure.
MOST_BLANK, ROUNDING = 0.5, 1e-6


class _CounterexampleError(Exception):
    """An instance that violates the bound; raised so that Hypothesis shrinks it."""


@dataclass
class _Findings:
    """What a search has seen so far in one cell."""

    evaluated: int = 0
    outside: int = 0
    trivial: int = 0
    close: int = 0
    blank: int = 0
    decided: int = 0
    tolerance: float = 0.0
    failures: int = 0
    worst: Comparison | None = None
    worst_at: Cell = field(default_factory=dict)
    counterexample: Comparison | None = None
    counterexample_at: Cell = field(default_factory=dict)
    too_close: Comparison | None = None
    too_close_at: Cell = field(default_factory=dict)
    # The largest error in which an instance is lost, with that instance, and how large the known numbers are.
    lost: float = 0.0
    lost_in: tuple[Comparison, Cell] | None = None
    sizes: list[float] = field(default_factory=list)
    broken: Comparison | None = None
    broken_at: Cell = field(default_factory=dict)
    flaky: bool = False
    walks: list[Walk] = field(default_factory=list)
    # Numbers and ratios of all instances; one that is not drawn counts in every part.
    ratios: list[tuple[int, float]] = field(default_factory=list)


@dataclass(frozen=True)
class Search(Plan):
    """Search every cell with `examples` instances at quick effort, more at higher effort.

    Where cells differ much in cost, `examples` is a function of symbols that the cells give, by parameter name; at
    a cell where it is 0 the pinned instances are all there is.
    Hypothesis chooses the symbols of the regime's `draw` and the trial number (hence the weights) and climbs
    the ratio. `adversary` says in words what perturbation or weights the measuring function itself
    constructs. A function that depends on neither is evaluated once.
    """

    examples: Number = 60
    adversary: str = ""

    method: ClassVar[str] = "adversarial search"
    by_instance: ClassVar[bool] = True
    pass_verdict: ClassVar[Verdict] = Verdict.HOLDS
    is_monotone: ClassVar[bool] = True
    searches: ClassVar[bool] = True
    spends_alpha: ClassVar[bool] = False
    best_constant: ClassVar[str] = "search: no better value serves, as an instance was found that needs this one"

    def sketch(self, trials: int) -> Search:
        """So many examples in every cell."""
        return replace(self, examples=trials)

    def measurements(self, case: Case) -> list[tuple[Cell, int]]:
        """The examples of every cell."""
        return [(cell, number_at(self.examples, cell) * case.config.factor) for cell in case.cells]

    def check(self, claim: Claim) -> str:
        """A search needs nothing that the block does not give, but the symbols its number of examples depends on."""
        if isinstance(self.examples, int) and (isinstance(self.examples, bool) or self.examples < 0):
            return f"its examples={self.examples} is no number of examples; write one from 0 up"
        return unknown_to_number(self.examples, claim)

    def run(self, case: Case) -> Evidence:
        """Search all cells, and again with more examples where there is a counterexample that was not found."""
        found = self._searched(case, 1)
        for times in ANEW if self._has_to_find(case) else ():
            if found.verdict is Verdict.REFUTED:
                break
            found = self._searched(case, times)
        return found

    @staticmethod
    def _has_to_find(case: Case) -> bool:
        """Whether a counterexample is there, and is drawn, so that luck alone may have missed it."""
        drawn = bool(case.claim.regime.draw) or "rng" in case.claim.parameters
        if case.wants_only_a_refutation:
            return drawn
        return drawn and case.claim.expected is Verdict.REFUTED and not case.config.asks_elsewhere

    def _searched(self, case: Case, times: int) -> Evidence:
        """What a search with `times` as many examples finds in all cells."""
        cells: list[CellResult] = []
        chosen = case.cells
        for index, cell in enumerate(chosen):
            cells.append(case.recollection.noted(self._cell(case, cell, times)))
            if is_caught(case, cells, chosen[index + 1 :]):
                break
        verdict, status = summarise(cells)
        sense = case.claim.sense
        ratios = [c.printed_ratio(sense) for c in cells if c.premises is status and c.ratio == c.ratio]
        if sense == "=":
            power = Power("relative error", max((c.tolerance for c in cells), default=float("nan")))
        else:
            power = Power("bound factor", max(ratios, default=float("nan")))
        details: dict[str, Any] = {"examples": sum(c.trials for c in cells)}
        if self.adversary:
            details["adversary"] = self.adversary
        return Evidence(self.method, verdict, status, tuple(cells), power, details=details, spent=all_spent(cells))

    def retrial(self, case: Case, evidence: Evidence) -> Retrial | str:
        """On the instances that were searched: one that misses the wrong bound refutes it."""
        found = entries(case, evidence, lambda cell: case.memory.kept.get(canonical(cell), ()))
        if isinstance(found, str):
            return found

        def ask(wrong: WrongBound) -> Answer:
            missed, ratio = found.missed(wrong)
            worst = float(np.fmax.reduce(ratio[found.inside]))
            return Answer(bool((missed & found.inside).any()), worst, f"largest ratio {near_one(worst)}")

        return Retrial(found.of, ask, found.tightens, kept=found.judged)

    def _cell(self, case: Case, cell: Cell, times: int) -> CellResult:
        # Not at the head of the file: it takes a while, and a claim that is proved does without.
        import hypothesis
        from hypothesis import strategies as st

        started = time.perf_counter()
        found = _Findings()
        draws = case.claim.regime.strategies

        at = case.at(cell)
        # Fewer examples do once a counterexample is found.
        wanted = number_at(self.examples, cell) * case.config.factor * times
        meter = progress.Meter(at, wanted, unit="examples", may_stop=True)

        def example(**drawn: Any) -> None:
            meter.advance(1)
            with surfacing(case.claim.function):
                comparison = self._evaluate(case, cell, drawn, found)
            if comparison is None:
                return
            if comparison.outcome is Outcome.FAIL:
                raise _CounterexampleError
            hypothesis.target(min(comparison.ratio, 1e6), label="measured/bound")

        fixed = {name: case.config.at[name] for name in (*draws, "trial") if name in case.config.at}
        free = {name: strategy for name, strategy in draws.items() if name not in fixed}
        if "trial" not in fixed and "rng" in case.claim.parameters:
            free["trial"] = st.integers(0, 2**31 - 1)
        progress.report(f"{at}: searching")
        for drawn in self._known(case, cell, fixed, times) if free else ():
            self._evaluate(case, cell, drawn, found)
            if case.wants_only_a_refutation and found.failures:
                break
        if not free:
            self._evaluate(case, cell, fixed, found)
        elif wanted and found.failures == 0:
            given = {name: st.just(value) for name, value in fixed.items()}
            found.flaky = self._climb(case, wanted, times, cell, example, {**free, **given})
        return self._result(case, cell, found, time.perf_counter() - started)

    @staticmethod
    def _known(case: Case, cell: Cell, fixed: Cell, times: int) -> list[Values]:
        """Instances to start with: the pinned ones, and for a control those at which its claim has been measured.

        A search that begins anew tries the pinned ones in draws that no earlier one has tried.
        """
        pinned = case.claim.regime.pinned
        if "rng" not in case.claim.parameters:
            return [*({**instance, **fixed} for instance in pinned), *case.recollection.seen(cell)]
        if times > 1:
            return [{**instance, "trial": trial, **fixed} for trial in range(times, 2 * times) for instance in pinned]
        return [*({"trial": 0, **instance, **fixed} for instance in pinned), *case.recollection.seen(cell)]

    def _climb(self, case: Case, wanted: int, times: int, cell: Cell, example: Any, strategies: Values) -> bool:
        """Let Hypothesis search, and say whether an instance came out differently when it was tried again.

        A control's counterexample is not shrunk, since finding it is all it is for.
        """
        import hypothesis
        from hypothesis import HealthCheck, Phase
        from hypothesis.errors import Flaky

        from theory.core.profile import PROFILE

        phases = [Phase.generate, Phase.target]
        if not case.wants_only_a_refutation:
            phases.append(Phase.shrink)
        settings = hypothesis.settings(
            PROFILE,
            max_examples=wanted,
            phases=phases,
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
            print_blob=False,
        )
        # The seed names the block and the cell, so a search does not depend on what else is selected.
        named = f"{case.config.seed}/{case.claim.block}/{canonical(case.claim.regime.unusual(cell))}"
        key = stable_key(named if times == 1 else f"{named}/{times}")
        run = hypothesis.seed(key)(settings(hypothesis.given(**strategies)(example)))
        try:
            run()
        except _CounterexampleError:
            return False
        except Flaky as error:
            # A signal may have come between two of its own steps.
            signal_met = signalled(error)
            if signal_met is not None:
                raise signal_met from None
            return True
        return False

    def _evaluate(self, case: Case, cell: Cell, drawn: Values, found: _Findings) -> Comparison | None:
        """Judge one instance and note it; `None` when it is outside the premises or not a number."""
        values = {**cell, **drawn}
        measured, comparison = case.recall(cell, values, int(drawn.get("trial", 0)))
        found.evaluated += 1
        if comparison.outcome is Outcome.NOT_FINITE:
            everything = {**cell, **values, **measured.symbols}
            if np.isfinite(measured.value).all() and case.standing.is_trivial(everything):
                found.trivial += 1  # a bound too large for a float, of a quantity that has a ceiling
            else:
                found.broken, found.broken_at = comparison, values
            return None
        if not case.standing.has_inside(cell, {**values, **measured.symbols}):
            found.outside += 1
            return None
        if comparison.outcome is not Outcome.FAIL and case.standing.is_trivial({**cell, **values, **measured.symbols}):
            found.trivial += 1
            return None
        if measured.walk is not None:
            found.walks.append(measured.walk)
        if comparison.outcome is Outcome.FAIL:
            found.failures += 1
            found.counterexample, found.counterexample_at = comparison, values
        if comparison.blank:
            found.blank += 1
            if comparison.blank > found.lost:
                found.lost, found.lost_in = comparison.blank, (comparison, values)
            if not comparison.decided:
                return None  # its ratio is one of rounding errors
        elif math.isfinite(comparison.tolerance):  # an instance whose terms are all zero has no relative error
            found.tolerance = max(found.tolerance, comparison.tolerance)
        found.decided += comparison.decided
        found.close += comparison.close
        if comparison.unsure and not comparison.close and not comparison.blank:
            found.too_close, found.too_close_at = comparison, values
        if comparison.decided:
            found.sizes.append(max(abs(comparison.measured), abs(comparison.bound)))
        if found.worst is None or comparison.ratio > found.worst.ratio:
            found.worst, found.worst_at = comparison, values
        # Without a generator, what was not chosen by Hypothesis is the same in every cell. With one, a climb keeps a
        # trial and moves the rest: the same weights stay in one part.
        given = "trial" not in drawn and (not case.claim.regime.draw or drawn in case.claim.regime.pinned)
        numbers = range(PARTS) if given else (int(drawn.get("trial", found.evaluated)),)
        found.ratios += [(number, comparison.ratio) for number in numbers]
        return comparison

    def _result(self, case: Case, cell: Cell, found: _Findings, seconds: float) -> CellResult:
        worst, worst_at = found.worst, found.worst_at
        if found.lost_in is not None and found.lost > ROUNDING * float(np.median(found.sizes or [0.0])):
            found.too_close, found.too_close_at = found.lost_in
        accepted = found.evaluated - found.outside - found.trivial
        # An instance whose bound cannot be missed is no evidence, nor does it miss the premises.
        least = LEAST_ACCEPTED_SHARE * (found.evaluated - found.trivial)
        remark = ""
        if found.flaky:
            verdict, remark = Verdict.UNDECIDED, IMPURE
        elif found.counterexample is not None:
            verdict, worst, worst_at = Verdict.REFUTED, found.counterexample, found.counterexample_at
        elif found.broken is not None:
            verdict, remark = Verdict.UNDECIDED, not_finite(found.broken)
            worst, worst_at = found.broken, found.broken_at
        elif not accepted and found.trivial:
            verdict, remark = Verdict.HOLDS, "the bound cannot be missed here"
        elif found.too_close is not None:
            verdict, remark = Verdict.UNDECIDED, "an instance meets or misses the bound by less than is known of it"
            worst, worst_at = found.too_close, found.too_close_at
        elif worst is None or accepted < least:
            verdict = Verdict.UNDECIDED
            remark = f"only {accepted} of {found.evaluated} instances met the premises"
            remark += " at a bound that can be missed" if found.trivial else ""
        elif found.blank > MOST_BLANK * accepted:
            verdict, remark = Verdict.UNDECIDED, f"{found.blank} of {accepted} instances are lost in rounding"
        elif found.decided < least:
            verdict, remark = Verdict.UNDECIDED, f"{found.close} of {accepted} instances are too close to decide"
        else:
            verdict = Verdict.HOLDS
            said = [f"{found.close} close calls set aside: they meet the bound up to rounding"] * bool(found.close)
            said += [f"{found.blank} set aside: lost in rounding"] * bool(found.blank)
            remark = "; ".join(said)
        remark = "; ".join(filter(None, (remark, walked(found.walks))))
        # Too few met the premises, or doubles do not tell.
        spent = verdict is Verdict.UNDECIDED and not found.flaky and found.broken is None
        pure, reported, error = True, Cell(), None
        if worst is not None and worst is not found.broken:
            again, reported = case.again(cell, worst_at, int(worst_at.get("trial", 0)))
            pure, error = (again.measured, again.ratio) == (worst.measured, worst.ratio), again.error
        if not pure:
            verdict, remark, spent = Verdict.UNDECIDED, IMPURE, False
        elif found.worst is not None and found.broken is None:
            case.recollection.note_worst(cell, found.worst_at)
        remark = "; ".join(filter(None, (remark, moved(worst_at, reported))))
        nan = float("nan")
        return CellResult(
            at=cell,
            premises=self._status(case, cell, accepted, found),
            verdict=verdict,
            measured=worst.measured if worst else nan,
            bound=worst.bound if worst else nan,
            ratio=worst.ratio if worst else nan,
            trials=accepted,
            failures=found.failures,
            seconds=seconds,
            worst=worst_at,
            remark=remark,
            tolerance=found.tolerance,
            trivial=found.trivial,
            parts=parts(found.ratios),
            spent=spent,
            reported=reported,
            error=error,
            closest=worst.ratio if worst and verdict is Verdict.REFUTED and case.claim.sense != "=" else None,
        )

    @staticmethod
    def _status(case: Case, cell: Cell, accepted: int, found: _Findings) -> PremiseStatus:
        if accepted:
            return case.standing.of_cell(cell)
        return PremiseStatus.TRIVIAL if found.trivial else PremiseStatus.EMPTY

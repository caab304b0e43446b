"""From a claim to a row of the ledger: run its evidence, run its controls, say the verdict.

Main definitions: `Finding`, what was found out; `Row`, a claim with the finding on it; `judge`.
"""

from __future__ import annotations

import functools
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, Context
from pathlib import Path
from typing import Any

import numpy as np

from bounds.bound import Bound
from bounds.constant import Constant
from bounds.premise import Premise
from theory.claims.block import Claim, Control
from theory.claims.memory import Memory, OfBlock
from theory.claims.registry import claims, is_claim_file
from theory.claims.results import ANOTHER_SEED, DOUBT, REMEDY, CellResult, Evidence, Power, told
from theory.claims.scoping import CHOSEN
from theory.core.digits import apart, near_one
from theory.core.guard import Allowance, Failure
from theory.core.refusal import ROOT
from theory.core.seeds import canonical, said
from theory.core.values import Values
from theory.core.verdict import NONE_NEEDED, PremiseStatus, Verdict, gate
from theory.judging.changed import Change, Changes
from theory.judging.counterexamples import Counterexample, counterexamples
from theory.judging.dots import Dot, dots
from theory.judging.following import Findings, follow, followed_alpha, with_refutation
from theory.judging.idle import set_aside
from theory.judging.sight import Sight, look
from theory.judging.trend import Trend, drawn_trends
from theory.running.case import Case
from theory.running.config import RunConfig
from theory.running.parallel import end_what_is_left, one_thread

# A probability row that would not have caught, in any judged cell, a statement that fails once in four draws says
# little: it is about failures that are rare.
WEAK = 0.25

# A bound that is met by so much is told to who has to be shown why nothing wrong with it is noticed.
LOOSE_FROM = 0.5

# What a row says of a cell that no width would bring inside the premises.
NO_WIDTH = "no width m suffices"

# How the call begins that judges a claim of a script or a notebook again.
IN_PYTHON = "lemmata.check("

# What judges claims of the checkout.
PYTEST = ["pytest"]

# Of the time that is left to a claim, following its trends may take so much; its controls need the rest.
SHARE_FOLLOWING = 0.5


@dataclass(frozen=True)
class ControlResult:
    """How a wrong variant came out, and what it changed."""

    name: str
    verdict: Verdict
    failure: Failure | None = None
    change: Change = field(default_factory=Change.unknown)

    @property
    def refuted(self) -> bool:
        """Whether the machinery caught it."""
        return self.verdict is Verdict.REFUTED

    @property
    def unmeetable(self) -> str:
        """For a complaint: that nothing measured could have met it, so that missing it shows nothing."""
        below = self.change.bound is not None and self.change.bound[0] < 0.0
        return "; its bound is below 0, where nothing measured is: choose one that could be met" if below else ""


@dataclass(frozen=True)
class Finding:
    """What was found out about a claim: plain data, so that a worker can send it.

    `failure` says why there is no result, of the claim or of one of its controls; `unjudged` which package kept it from
    being judged.
    """

    verdict: Verdict
    evidence: Evidence
    controls: tuple[ControlResult, ...]
    needs: tuple[str, ...]
    seconds: float
    seconds_controls: float = 0.0
    failure: Failure | None = None
    sight: Sight = field(default_factory=Sight)
    unjudged: str = ""
    trends: Mapping[str, Trend] = field(default_factory=dict)
    dots: tuple[Dot, ...] = ()
    counterexamples: tuple[Counterexample, ...] = ()


@dataclass(frozen=True)
class Row:
    """One claim, judged."""

    claim: Claim
    config: RunConfig
    finding: Finding
    # The day on which the finding was made, where it was known and not made in this run.
    known: str = ""

    @property
    def verdict(self) -> Verdict:
        """What the run says of the claim."""
        return self.finding.verdict

    @property
    def evidence(self) -> Evidence:
        """What its plan of evidence gave."""
        return self.finding.evidence

    @property
    def weak(self) -> bool:
        """Whether the rate it supports says little: in every judged cell it might have missed a rate above `WEAK`."""
        seen = self.evidence.power.best
        return self.verdict is Verdict.SUPPORTED and seen is not None and not seen <= WEAK

    @property
    def said(self) -> str:
        """The verdict in words for a reader: what is supported `weakly`, or is `doubtful`, is told from the rest."""
        marks = ["weakly"] * self.weak + ["doubtful"] * bool(self.doubt)
        return ", ".join([str(self.verdict), *marks])

    @property
    def doubt(self) -> str:
        """What was measured against something that its block declares and that its pass rests on; empty if nothing."""
        return str(self.evidence.details.get(DOUBT, "")) if self.verdict.is_pass else ""

    @property
    def controls(self) -> tuple[ControlResult, ...]:
        """How its wrong variants came out."""
        return self.finding.controls

    @property
    def controls_said(self) -> str:
        """Controls by hand that are refuted, of how many, and how many of its own wrong variants are: `3/3+5`."""
        own = len(self.sight.refuted)
        return f"{sum(c.refuted for c in self.controls)}/{len(self.controls)}" + (f"+{own}" if own else "")

    @property
    def toothless(self) -> bool:
        """Whether it refutes no wrong variant of its claim: no control by hand, and none of its own.

        Of a run at other sizes, or with another bound, or where nothing was judged, that is not asked.
        """
        elsewhere = self.config.asks_elsewhere or self.config.bound is not None or bool(self.unjudged)
        return not elsewhere and not any(c.refuted for c in self.controls) and not self.sight.refuted

    @property
    def needs(self) -> tuple[str, ...]:
        """For each cell outside the premises: the width that would enter them."""
        return self.finding.needs

    @property
    def seconds(self) -> float:
        """Wall time of the claim."""
        return self.finding.seconds

    @property
    def seconds_controls(self) -> float:
        """Wall time of its controls."""
        return self.finding.seconds_controls

    @property
    def bound(self) -> Bound:
        """The bound in force: what if, or as declared."""
        return self.config.bound if self.config.bound is not None else self.claim.bound

    @property
    def meanings(self) -> dict[str, str]:
        """What each symbol of the bound in force and of the premises stands for, and which the points give."""
        formulas: tuple[Bound | Premise, ...] = (self.bound, *self.claim.premises)
        measured = self.claim.regime.from_data
        return {
            name: f"{meaning}; measured on the points of a cell" if name in measured else meaning
            for formula in formulas
            for name, meaning in formula.meanings(self.claim.paper).items()
            if meaning
        }

    @property
    def error(self) -> str:
        """Why the claim, or the control that is named, has no result: one line, empty where all have one."""
        return self.finding.failure.reason if self.finding.failure is not None else ""

    @property
    def premise_status(self) -> PremiseStatus:
        """Where the judged cells stand relative to the premises."""
        return self.evidence.premises

    @property
    def premises_said(self) -> str:
        """`premise_status`, in words that do not speak of premises where the claim has none."""
        has_none = self.premise_status is PremiseStatus.INSIDE and not self.claim.premises
        return NONE_NEEDED if has_none else str(self.premise_status)

    @property
    def chosen(self) -> dict[str, Constant]:
        """The constants of its premises whose value the author of the claim chose: with another, it may be outside."""
        constants = {name: constant for p in self.claim.premises for name, constant in p.constants.items()}
        return {name: constant for name, constant in constants.items() if constant.reason == CHOSEN}

    @property
    def premises_marked(self) -> str:
        """`premises_said`, with the constants in them that were chosen: `inside, C1 chosen`."""
        return ", ".join([self.premises_said, *([f"{' '.join(self.chosen)} chosen"] if self.chosen else [])])

    @property
    def unexplained(self) -> tuple[str, ...]:
        """The symbols of the bound and the premises of which nobody says what they stand for."""
        formulas: tuple[Bound | Premise, ...] = (self.bound, *self.claim.premises)
        said = {name: text for formula in formulas for name, text in formula.meanings(self.claim.paper).items()}
        return tuple(name for name, text in said.items() if not text)

    @property
    def sight(self) -> Sight:
        """Which wrong variants of the statement it would have refuted."""
        return self.finding.sight

    @property
    def unseen(self) -> tuple[str, ...]:
        """The symbols of the bound, and their places, that it is blind to without a reason why it need not see them."""
        names = (*self.bound.symbols, *self.sight.within)
        return tuple(name for name in names if name in self.sight.blind and name not in self.excused)

    @property
    def excused(self) -> dict[str, str]:
        """Why the row need not see what it is blind to; a reason for a term of a sum is one for the places in it."""
        found = {}
        for name in self.sight.blind:
            holders = (name, *self.sight.within.get(name, ()))
            reason = next((self.claim.blind[holder] for holder in holders if holder in self.claim.blind), None)
            if reason is not None:
                found[name] = reason
        return found

    @property
    def no_evidence(self) -> bool:
        """Whether it passes and sees no symbol of its bound anywhere: it is no evidence for the formula.

        A symbol that is seen in the bound as a whole and at none of its places, where it was asked about there, is not
        seen. Not so of a bound without symbols, nor where nothing was asked, of which nothing is known.
        """
        if not self.verdict.is_pass or not self.bound.symbols or self.sight.unasked:
            return False
        return not any(map(self.sight.is_seen, self.bound.symbols))

    @property
    def stale(self) -> tuple[str, ...]:
        """What the claim says it need not see, and sees in a run as the block declares it, at quick effort."""
        config = self.config
        asked = config.asks_elsewhere or config.bound is not None or config.effort != "quick" or config.seed != 0
        return () if asked else tuple(name for name in self.claim.blind if name in self.sight.sees)

    @property
    def trends(self) -> dict[str, Trend]:
        """How the worst ratio grows with each size, where the claim passes and its ratio compares with a bound."""
        return dict(self.finding.trends) if self.verdict.is_pass else {}

    @property
    def remarks(self) -> list[str]:
        """What a reader of the verdict should know: dependences without evidence, and ratios that rise."""
        said = [f"not judged: {self.unjudged}"] if self.unjudged else []
        said += self._not_seen
        said += [f"what it rests on is in doubt: {self.doubt}"] if self.doubt else []
        said += self._at_another_seed
        said += [
            f"its premises hold with {name} = {constant.value}, {CHOSEN}: with another value they may not"
            for name, constant in self.chosen.items()
        ]
        said += [f"nobody says what {name} stands for; add meanings={{{name!r}: ...}}" for name in self.unexplained]
        return said + [text for name, trend in self.trends.items() if (text := trend.remark(name))]

    @property
    def gaps(self) -> list[str]:
        """What a pass leaves open: dependences that it does not see and ratios that rise, each without a reason."""
        if not self.verdict.is_pass:
            return []
        rising = {name: trend for name, trend in self.trends.items() if trend.rises}
        given = self.claim.rising
        return (
            self._not_seen
            + [self.doubt] * bool(self.doubt)
            + [trend.remark(name) for name, trend in rising.items() if not {name, *trend.along} & set(given)]
        )

    @property
    def _at_another_seed(self) -> list[str]:
        """That another seed may not pass it, in a list; empty where that is not known."""
        told = self.evidence.details.get(ANOTHER_SEED, "") if self.verdict.is_pass else ""
        return [f"another seed may not pass it: {told}"] if told else []

    @property
    def _not_seen(self) -> list[str]:
        """The dependences without evidence and without a reason."""
        said = ["no evidence for the formula: it sees no symbol of its bound"] if self.no_evidence else []
        return said + [f"no evidence for its dependence on {name}: {self.sight.blind[name]}" for name in self.unseen]

    @property
    def unjudged(self) -> str:
        """Why the claim was not judged: a package that it takes is not installed; empty where it was."""
        return self.finding.unjudged

    @property
    def ok(self) -> bool:
        """Whether the claim met its expected verdict, all wrong variants were refuted, and no declaration is stale.

        Those are its controls by hand, and where it has none one of its own at least.
        """
        met = self.verdict is self.expected and all(c.refuted for c in self.controls)
        return not self.error and met and not self.stale and not self.toothless

    @property
    def expected(self) -> Verdict:
        """The claim's expected verdict; where the user went outside the premises, none can be earned.

        A failure there leaves the claim open, and so do, at other sizes or data, sound measurements that were too few.
        What is false as printed need not fail there, nor need what is vacuous at the declared sizes be so.
        """
        if self.unjudged:
            return Verdict.VACUOUS
        moved_out = self.config.asks_elsewhere and self.premise_status is not PremiseStatus.INSIDE
        if "trial" in self.config.at and self.verdict is Verdict.UNDECIDED:
            return self.verdict  # one trial decides no rate
        if self.config.asks_elsewhere and (
            self.verdict.is_pass or (self.evidence.spent and self.verdict is Verdict.UNDECIDED)
        ):
            return self.verdict
        if not moved_out:
            return self.claim.expected
        return Verdict.UNDECIDED if self.evidence.verdict is Verdict.REFUTED else Verdict.VACUOUS

    @property
    def worst(self) -> CellResult | None:
        """The cell with the worst ratio, the first of them where rounding alone says which."""
        return self.evidence.worst_in(self.claim.sense)

    @property
    def counted(self) -> tuple[int, int] | None:
        """Failures and trials of all cells, where trials are counted and some may fail.

        So may those of a fit that passes: it allows a failure rate, by which a ratio above 1 is no contradiction.
        """
        cells, plan = self.evidence.cells, self.claim.evidence
        if not cells or not (plan.counts_failures or (plan.fits and self.verdict.is_pass)):
            return None
        return sum(cell.failures for cell in cells), sum(cell.trials for cell in cells)

    @property
    def reproduce(self) -> str:
        """The command that measures the worst case again, or of a claim without a result all, quoted for the shell."""
        worst = {} if self.worst is None or self.error else self.worst.worst
        return self.measuring(worst) if worst else self._written({})

    def measuring(self, instance: Values) -> str:
        """The command that measures this instance and no other, quoted for the shell."""
        given = self.claim.regime.symbols | frozenset({"trial"})
        computed = {*self.claim.regime.derived, *self.claim.regime.from_data}
        plain = {
            name: value
            for name, value in instance.items()
            if name in given and name not in computed and _can_be_said(value)
        }
        plain |= {n: v for n, v in self._asked.items() if n not in plain}
        return self._written(plain)

    @property
    def again(self) -> str:
        """The command that shows why the row is not as expected, quoted for the shell.

        It measures the worst case where that refutes, and judges the claim as it was judged where no instance shows it:
        trials or intervals that did not decide, a control that was not caught, an error.
        """
        if self.verdict is Verdict.REFUTED is not self.expected:
            return self.reproduce
        return self._written(self._asked, self.config.effort)

    def _written(self, at: Values, effort: str = "quick") -> str:
        """The command that judges the claim at these sizes; the call in Python where no run collects its file."""
        if is_collected(self.claim):
            efforts = ["--effort", effort] if effort != "quick" else []
            return shlex.join([*self._command, *efforts, *(["--at", said(at)] if at else [])])
        bound, brought = self.config.bound, self.config.data.brought
        asked = {"at": said(at), "bound": bound.text if bound is not None else "", "effort": effort}
        asked["data"] = brought.spec if brought is not None else ""
        given = [f"{name}={value!r}" for name, value in asked.items() if value and (name, value) != ("effort", "quick")]
        return f"{IN_PYTHON}{', '.join([self.claim.function.__name__, *given, f'seed={self.config.seed}'])})"

    @property
    def _command(self) -> list[str]:
        """The words that select the claim and what it was judged under, sizes and effort aside."""
        parts = [*judging(self.claim), "--claim", self.claim.id, "--seed", str(self.config.seed)]
        brought = self.config.data.brought
        if brought is not None:
            # The equals sign, or pytest takes the name of a file for a place to look for tests in.
            parts.append(f"--data={brought.spec}")
        if self.config.bound is not None:
            parts.append(f"--bound={self.config.bound.text}")
        return parts

    @property
    def _asked(self) -> dict[str, Any]:
        """The assignments of `--at` that are about this claim."""
        return {name: value for name, value in self.config.at.items() if name in self.claim.names}

    @property
    def refused(self) -> str:
        """Why the claim cannot be judged as the user asked, in one line; empty where it can, or nothing was asked."""
        failure = self.finding.failure
        if failure is None or not failure.raised or self.evidence.verdict is not Verdict.ERROR:
            return ""
        if self.config.bound is not None and "bound" in self.claim.parameters:
            asked, published = self.config.bound.text, self.claim.bound.text
            return (
                f"claim {self.claim.id} cannot be asked of the bound {asked}, as its function computes with the "
                f"formula ({self.error}); give one like the published {published}, in its symbols"
            )
        data = self.config.data.brought if self.claim.takes_data else None
        if self._asked:
            return (
                f"claim {self.claim.id} cannot be built at {canonical(self._asked)}: {self.error}; choose other sizes"
            )
        if data is not None:
            return f"claim {self.claim.id} cannot be built on {data.name}: {self.error}; choose other data"
        return ""

    @property
    def _exponents_against(self) -> str:
        """The exponents that came out as the row did, each beside the claimed one, where these say so."""
        found = self.evidence.exponents.items()
        said = [
            f"the exponent of {name} is {entry['measured']:.3g} in [{entry['ci'][0]:.3g}, {entry['ci'][1]:.3g}], where "
            f"{entry['claimed']:.3g} is claimed ({entry['agreement']})"
            for name, entry in found
            if entry["agreement"] != "free" and entry["verdict"] == self.verdict
        ]
        remedy = self.evidence.details.get(REMEDY, "") if self.verdict is Verdict.UNDECIDED else ""
        return "; ".join([*said, *([remedy] if remedy else [])])

    @property
    def complaint(self) -> str:
        """Why the row is not as it should be, in one line; empty when it is."""
        if self.error:
            return self.refused or f"{self.claim.id}: error: {self.error}"
        if self.verdict is not self.expected:
            said = f"verdict {self.verdict}, expected {self.expected}"
            worst = self.worst
            if worst is None:
                return f"{self.claim.id}: {said}: no cell was judged"
            of_exponents = self._exponents_against
            if of_exponents and self.verdict is not worst.verdict:
                return f"{self.claim.id}: {said}: {of_exponents}"
            at = canonical(worst.worst or worst.at)
            measured, bound = apart(worst.measured, worst.bound, least=6)
            seen = f"measured {measured}, bound {bound}, ratio {near_one(worst.ratio, 6)} at {at}"
            return (
                f"{self.claim.id}: {said}: {seen}"
                + (f" ({worst.remark})" if worst.remark else "")
                + (f"; {of_exponents}" if of_exponents else "")
            )
        compares = self.claim.evidence.compares
        alive = [f"{c.name!r} ({c.verdict}{c.unmeetable if compares else ''})" for c in self.controls if not c.refuted]
        if alive:
            return f"{self.claim.id}: control not refuted: {', '.join(alive)}"
        if self.toothless:
            loose = ""
            if self.worst is not None and self.worst.ratio < LOOSE_FROM and self.claim.sense != "=":
                loose = f", or state a sharper bound: at its worst the ratio to this one is {self.worst.ratio:.3g}"
            return f"{self.claim.id}: it refutes no wrong variant; add controls=[control('what is wrong', ...)]{loose}"
        stale = [f"{name} ({', '.join(self.sight.sees[name])})" for name in self.stale]
        return (
            f"{self.claim.id}: it sees what it says it need not: {', '.join(stale)}; leave it out of blind"
            if stale
            else ""
        )


@dataclass
class InTurn:
    """Claims judged one after the other under one configuration: those of a block measure an instance once."""

    block: str = ""
    measured: OfBlock = field(default_factory=OfBlock)

    def memory(self, claim: Claim) -> Memory:
        """The memory with which `claim` is judged after those before it."""
        if claim.block != self.block:
            self.block, self.measured = claim.block, OfBlock()
        # What nobody recalls is not kept.
        shared = any(
            other.block == claim.block and other.regime is claim.regime and other.id != claim.id for other in claims()
        )
        return Memory(of_block=self.measured if shared else None)


def judge(claim: Claim, config: RunConfig, alpha: float, turn: InTurn | None = None) -> Row:
    """The row of `claim`; see `decide`."""
    return Row(claim, config, decide(claim, config, alpha, turn))


def decide(claim: Claim, config: RunConfig, alpha: float, turn: InTurn | None = None) -> Finding:
    """Decide `claim` under `config` with the share `alpha` of the error budget, and all its controls.

    In its `turn` after other forms of its block it recalls what they measured, times aside with the same result.

    Controls are judged at the declared sizes and the published bound, whatever is asked by way of what-if.
    Whatever the claim raises is a finding too, of the verdict `error`; if it is a control that raises, the others are
    judged all the same. Raises `SessionError` where the run itself cannot go on.
    """
    if claim.absent:
        nothing = no_result(claim, Failure(claim.absent), 0.0)
        evidence = replace(nothing.evidence, verdict=Verdict.VACUOUS)
        return Finding(Verdict.VACUOUS, evidence, (), (), 0.0, unjudged=claim.absent)
    end_what_is_left()
    allowance = Allowance(config.time_limit)
    memory = Memory() if turn is None else turn.memory(claim)

    of_block, of_following = followed_alpha(alpha, config, claim.evidence)
    case = Case(claim, config, of_block, memory=memory)

    def of_control(control: Control, changes: Changes) -> ControlResult:
        wrong = Case(claim, _for_control(config), alpha, control, memory)

        def decided() -> tuple[Evidence, Change]:
            found = claim.evidence.run(wrong)
            return found, changes.of(wrong, found)

        caught = allowance.attempt(decided, claim.function)
        if isinstance(caught, Failure):
            named = replace(caught, reason=f"control {control.name!r}: {caught.reason}")
            return ControlResult(control.name, Verdict.ERROR, named)
        found, change = caught
        if changes.to_measure(change):
            # What is measured beside a verdict never costs it.
            beside = allowance.attempt(functools.partial(changes.measuring, wrong, found), claim.function)
            change = changes.with_measured(change, beside)
        return ControlResult(control.name, found.verdict, change=change)

    with one_thread():
        found = _of_claim(case, of_following, allowance)
        if isinstance(found, Failure):
            # What raised may have spoilt what was measured before.
            finished = () if found.raised else tuple(memory.finished.values())
            return no_result(claim, found, allowance.elapsed, finished)
        evidence, further, needs = found
        seconds = allowance.elapsed
        changes = Changes(case, evidence)
        controls = [of_control(control, changes) for control in claim.controls]
        wrong = [c for c, result in zip(claim.controls, controls, strict=True) if result.refuted]

        def of_what_is_kept() -> tuple[Sight, dict[str, Trend], tuple[Dot, ...], tuple[Counterexample, ...]]:
            sight, drawn = look(case, evidence, wrong), drawn_trends(case, evidence)
            # Last, as it may measure one instance again.
            return sight, drawn, dots(case, evidence), counterexamples(case, evidence)

        seen = allowance.attempt(of_what_is_kept, claim.function)
        if not _has_met_a_wrong_bound(case, evidence, wrong, seen):
            why = allowance.attempt(functools.partial(claim.evidence.unmoved, case), claim.function)
            evidence = evidence if isinstance(why, Failure) else _without(evidence, why)
    sight, drawn, shown, missed = (Sight(unasked=seen.reason), {}, (), ()) if isinstance(seen, Failure) else seen
    failure = next((c.failure for c in controls if c.failure is not None), None)
    return Finding(
        verdict=gate(evidence.verdict, evidence.premises) if failure is None else Verdict.ERROR,
        evidence=evidence,
        controls=tuple(controls),
        needs=needs,
        seconds=seconds,
        seconds_controls=allowance.elapsed - seconds,
        failure=failure,
        sight=sight,
        trends={**further.trends, **drawn},
        dots=shown,
        counterexamples=missed,
    )


def decide_alone(claim: Claim, config: RunConfig, alpha: float) -> Finding:
    """Decide `claim` as `decide` does, without its controls and what its row shows beside its verdict.

    For judging a claim at many seeds, at which only its verdict is asked for.
    """
    if claim.absent:
        return replace(no_result(claim, Failure(claim.absent), 0.0), unjudged=claim.absent)
    allowance = Allowance(config.time_limit)
    of_block, of_following = followed_alpha(alpha, config, claim.evidence)
    with one_thread():
        found = _of_claim(Case(claim, config, of_block, memory=Memory()), of_following, allowance)
    if isinstance(found, Failure):
        return no_result(claim, found, allowance.elapsed)
    evidence, _, needs = found
    return Finding(gate(evidence.verdict, evidence.premises), evidence, (), needs, allowance.elapsed)


def _of_claim(
    case: Case, of_following: float, allowance: Allowance
) -> tuple[Evidence, Findings, tuple[str, ...]] | Failure:
    """The evidence on a claim, what its trends came to, and which widths would enter its premises; or why not."""
    claim, config = case.claim, case.config

    def of_block() -> tuple[Evidence, tuple[str, ...]]:
        evidence = told(claim.evidence.run(case))
        return evidence, _needs(claim.premises, evidence, config)

    found = allowance.attempt(of_block, claim.function)
    if isinstance(found, Failure):
        return found
    evidence, needs = found
    if claim.idle:
        left = allowance.attempt(functools.partial(set_aside, case, evidence), claim.function)
        if isinstance(left, Failure):
            return replace(left, reason=f"with nothing done: {left.reason}")
        evidence = left
    going = functools.partial(follow, case, evidence, of_following, SHARE_FOLLOWING * allowance.left)
    gone = allowance.attempt(going, claim.function)
    # What is drawn beside a verdict never costs it.
    further = Findings() if isinstance(gone, Failure) else gone
    return with_refutation(evidence, further), further, needs


def _has_met_a_wrong_bound(case: Case, evidence: Evidence, caught: Sequence[Control], seen: Any) -> bool:
    """Whether a passing row refuted a wrong bound, by hand or of its own; a bound of the user is held against none."""
    if case.config.bound is not None or not gate(evidence.verdict, evidence.premises).is_pass:
        return True
    by_hand = any(control.bound is not None and not control.knobs for control in caught)
    return by_hand or (not isinstance(seen, Failure) and bool(seen[0].refuted))


def _without(evidence: Evidence, why: str) -> Evidence:
    """The evidence, which is none for a reason; as it is where there is no reason."""
    if not why:
        return evidence
    cells = tuple(replace(cell, verdict=Verdict.UNDECIDED, remark=why) for cell in evidence.cells)
    return replace(evidence, verdict=Verdict.UNDECIDED, cells=cells)


def no_result(claim: Claim, failure: Failure, seconds: float, finished: tuple[CellResult, ...] = ()) -> Finding:
    """The finding on a claim that has no result, after so many seconds; its controls were not run.

    The cells that were `finished` are shown, and decide nothing.
    """
    nothing = Power("nothing", float("nan"))
    if finished:
        failure = replace(
            failure, reason=f"{failure.reason}; cells judged before, which decide nothing: {len(finished)}"
        )
    return Finding(
        verdict=Verdict.ERROR,
        evidence=Evidence(claim.evidence.method, Verdict.ERROR, PremiseStatus.EMPTY, finished, nothing),
        controls=tuple(ControlResult(c.name, Verdict.ERROR) for c in claim.controls),
        needs=(),
        seconds=seconds,
        failure=failure,
        sight=Sight(unasked="the row has no result"),
    )


def _for_control(config: RunConfig) -> RunConfig:
    """Controls are run at quick effort: they need to be caught, not measured."""
    return replace(config.declared, effort="quick")


def _needs(premises: tuple[Premise, ...], evidence: Evidence, config: RunConfig) -> tuple[str, ...]:
    """For each cell outside the premises: the smallest width that would enter them.

    A cell whose bound cannot be missed is inside them, and asks for nothing.
    """
    if config.smallest is None:
        return ()
    needs = []
    for cell in evidence.cells:
        decided = [p for p in premises if set(p.symbols) <= set(cell.at)]
        outside = cell.premises in (PremiseStatus.EXTRAPOLATED, PremiseStatus.EMPTY)
        if not outside or not any("m" in p.symbols for p in decided):
            continue
        try:
            width = config.smallest(decided, "m", cell.at)
        except ArithmeticError:  # the solver gave up, so there is nothing to say
            continue
        rest: Values = {name: value for name, value in cell.at.items() if name != "m"}
        size = NO_WIDTH if width is None else f"m >= {_large(width)}"
        needs.append(f"{size} at {canonical(rest)}" if rest else size)
    return tuple(dict.fromkeys(needs))


def _large(number: int) -> str:
    """An integer of any size, readable; three digits of a long one, rounded up so that it still suffices."""
    if number < 10**9:
        return str(number)
    return f"{Context(prec=3, rounding=ROUND_CEILING).create_decimal(number):.2e}".replace("e+", "e")


def is_collected(claim: Claim) -> bool:
    """Whether a run from the command line comes by its file; not by a script, nor what stands in none."""
    file = (ROOT / claim.file).resolve()
    return judging(claim) == PYTEST or is_claim_file(file, file.parent)


def judging(claim: Claim) -> list[str]:
    """What judges a claim: pytest finds those of the suite by itself, those of a reader's own stand in a file."""
    if Path(claim.file).parts[0] in ("properties", "theory"):
        return PYTEST
    file = (ROOT / claim.file).resolve()
    below = file.is_relative_to(Path.cwd())
    return ["lemmata", "check", str(file.relative_to(Path.cwd()) if below else file)]


def _can_be_said(value: object) -> bool:
    """Whether it is a number or a name, which `--at` can say."""
    return isinstance(value, int | float | str | np.integer | np.floating) and not isinstance(value, bool)

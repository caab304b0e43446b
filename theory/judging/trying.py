"""A first look at a claim: a few measurements of every cell and one cell beyond, in seconds and without its controls.

It decides nothing: it shows measured and bound side by side, the best value of the constant, which wrong variants of
the bound so few measurements would miss already, and how long the whole run will take.

Main definitions: `attempt`, which gives a `Glance`; `Ahead`, what was seen beyond the largest size.
"""

from __future__ import annotations

import functools
import itertools
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bounds.bound import Bound
from bounds.symbols import domain_of
from theory.claims.block import Claim
from theory.claims.memory import Memory
from theory.claims.regime import Cell
from theory.claims.results import CellResult, Evidence, Power, summarise
from theory.core.guard import Allowance, Failure
from theory.core.seeds import canonical
from theory.core.values import Values
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence.foretelling import is_unlikely
from theory.judging.sight import ONE_VALUE, Sight, look
from theory.running.case import Case
from theory.running.config import RunConfig
from theory.running.parallel import one_thread

# Measurements of every cell.
TRIALS = 8

# What so few measurements miss at this level, those of a whole run most often miss at its own.
LEVEL = 0.05

# Seconds that the cells of the claim may take, what is told of what they measured, and the cell beyond them, and what
# that cell should take by what the dearest one took, if it took as long as the product of the squares of its sizes.
SECONDS, SECONDS_AFTER, SECONDS_AHEAD, AIM = 20.0, 5.0, 5.0, 2.0

# With how many measurements of a cell where all would be dear: where those of all cells took the processor so many
# seconds together.
FEWER, DEAR = 2, 1.5

# A mean is looked at by so many times as many draws, where these take the processor at most so many seconds.
MORE_DRAWS, DEAR_DRAWS = 8, 3.0

# Seconds that a run takes before the first measurement, beyond those of a first look.
START = 1.0

# By how much the sizes grow for a look ahead, the most first.
FACTORS = (4, 3, 2)

# A ratio that is so many times that of the largest cell, and beyond all seen, is a warning: so few sizes of a curve
# that is level differ by less.
JUMP = 1.5

# So many cells that fail are told one by one.
MOST_TOLD = 3

# A bound that is met by so much, of which no wrong variant is noticed, most often refutes none in a whole run either.
LOOSE_FROM = 0.5

# A wrong bound that is a number is missed for sure where it is so many times below the largest number measured.
FAR = 4.0

# A run of so many seconds is told with what takes most of it.
LONG = 30.0

# A control is judged at its cells by so many measurements, most often.
OF_CONTROL = 16


@dataclass(frozen=True)
class Ahead:
    """What was seen at a cell beyond the largest one, of which the ratio was `before`; `why` says why nothing was."""

    result: CellResult | None = None
    before: float = math.nan
    why: str = ""


@dataclass(frozen=True)
class Dearest:
    """The cell that takes most of a run: which `share` of it, and how many `seconds` for a measurement."""

    at: Cell
    share: float
    seconds: float


@dataclass(frozen=True)
class Glance:
    """What a first look at a claim shows; `failure` says why it shows nothing.

    `constant` names the constant that the bound is proportional to, with its value in force and the `best` one, with
    which what was measured just meets the bound. `expected` is how many seconds the whole run will take, 0 where that
    is not known; at least so many, where the time was over before `unmeasured` of the cells. `dearest` names the cell
    that takes most of a long run, and `foreseen` says why that run may not decide, and
    `missed_by_none` names controls that no measurement misses. `trials` says how often a cell was
    measured where the plan takes none that are its own, and `fitted` has the cells on which a constant is fitted.
    """

    claim: Claim
    evidence: Evidence | None = None
    sight: Sight = field(default_factory=Sight)
    ahead: Ahead = field(default_factory=Ahead)
    constant: str = ""
    value: float = math.nan
    best: float = math.nan
    expected: float = 0.0
    seconds: float = 0.0
    dearest: Dearest | None = None
    foreseen: tuple[str, ...] = ()
    missed_by_none: tuple[str, ...] = ()
    unmeasured: int = 0
    trials: int = TRIALS
    fitted: tuple[CellResult, ...] = ()
    failure: Failure | None = None

    @property
    def measurements(self) -> int:
        """How often a cell was measured at least."""
        cells = self.evidence.cells if self.evidence is not None else ()
        return min((cell.trials for cell in cells if cell.trials), default=self.trials)

    @property
    def warnings(self) -> list[str]:
        """What speaks against the claim already, or may do so at larger sizes."""
        if self.evidence is None:
            return []
        missed = [cell for cell in self._judged if self.is_missed(cell)]
        said = [f"it fails at {canonical(cell.at)}: {_missed(cell)}" for cell in missed[:MOST_TOLD]]
        said += [f"it fails at {len(missed) - MOST_TOLD} further cells"] if len(missed) > MOST_TOLD else []
        found = self.ahead.result
        if found is not None and self.is_missed(found):
            said.append(f"it fails beyond its sizes, at {canonical(found.at)}: {_missed(found)}")
        elif found is not None and self._jumps(found.ratio):
            said.append(
                f"its ratio rises beyond its sizes, to {found.ratio:.3g} from {self.ahead.before:.3g} at the largest; "
                f"look at sizes in between"
            )
        said += self._without_verdict
        if not self._judged:
            said.append("no cell is inside the premises, so that a pass would be vacuous")
        if not self._without_verdict:
            said += filter(None, [self._asks_nothing or self._notices_nothing])
        said += [
            f"control {name!r} is missed by none of {self.measurements} measurements at any size, and has to be refuted"
            for name in self.missed_by_none
        ]
        if self.claim.expected is self.claim.evidence.pass_verdict:
            said += filter(None, [self.claim.evidence.never_passes(self.claim), *self.foreseen])
        return said

    @property
    def _without_verdict(self) -> list[str]:
        """Why cells have no verdict, where more measurements would not help, each reason at its first cell."""
        cells = self.evidence.cells if self.evidence is not None else ()
        open_ones = [c for c in cells if c.verdict is Verdict.UNDECIDED and not c.spent and c.remark]
        first: dict[str, CellResult] = {}
        for cell in open_ones:
            first.setdefault(cell.remark.partition("; ")[0], cell)
        return [f"it has no verdict at {canonical(cell.at)}: {cell.remark}" for cell in first.values()]

    @property
    def _asks_nothing(self) -> str:
        """That the bound has no wrong variants of its own, as none of its symbols moves, and no control; else empty."""
        moves = self.sight.own or self.sight.unasked or self.unmeasured or not self._judged
        if moves or self.claim.controls:
            return ""
        worst = max((cell.ratio for cell in self._judged if cell.ratio > 0.0), default=1.0)
        part = math.ceil(FAR / min(worst, FAR)) + 1
        held = [f"{name} is {why}" for name, why in self.sight.blind.items() if why.startswith(ONE_VALUE)]
        return (
            f"its bound is the same number in all cells{f' ({held[0]})' if held else ''}, so that it has no wrong "
            f"variant of its own, and a row that refutes none is not as expected: write a control, as in "
            f'controls=[control("divided by {part}", bound="({self.claim.bound.text})/{part}")] with control from '
            f"lemmata, or let the bound depend on a size"
        )

    @property
    def unsure(self) -> list[str]:
        """Where so few measurements do not tell whether the whole run will find too many that miss the bound."""
        if not self.claim.evidence.fits:
            return []
        return [
            f"at {canonical(cell.at)} {cell.failures} of {cell.trials} miss it, by a constant that these few tell "
            f"too roughly"
            for cell in self._judged
            if cell.verdict is not Verdict.REFUTED and is_unlikely(cell.failures, cell.trials, self._rate_at(cell))
        ]

    @property
    def _notices_nothing(self) -> str:
        """That the bound is too loose for any of its wrong variants to be noticed; empty where it may not be.

        A constant that is fitted follows what is measured, and its wrong variants take more to be noticed.
        """
        ratio = max((cell.ratio for cell in self._judged), default=math.nan)
        asked = self.sight.own and not self.sight.refuted and not self.claim.controls
        if not asked or self.claim.evidence.fits or self.claim.sense == "=" or not ratio < LOOSE_FROM:
            return ""
        remedy = "a sharper bound" if self.claim.evidence.averages else 'a sharper bound, C="fit"'
        return (
            f"no wrong variant of its bound is noticed, as the ratio is at most {ratio:.3g}; a row that refutes none "
            f"is not as expected: write {remedy}, or a control"
        )

    @property
    def _judged(self) -> list[CellResult]:
        cells = self.evidence.cells if self.evidence is not None else ()
        return [cell for cell in cells if cell.premises is PremiseStatus.INSIDE]

    def _jumps(self, ratio: float) -> bool:
        if self.claim.evidence.bound_is_of_test or self.claim.evidence.averages:
            return False  # the mean of few draws is off by more
        seen = max((cell.ratio for cell in self._judged if math.isfinite(cell.ratio)), default=math.nan)
        return ratio > JUMP * self.ahead.before and ratio > seen

    def is_missed(self, cell: CellResult) -> bool:
        """Whether more measurements of a cell miss the bound than chance would have where the claim is true."""
        if self.claim.evidence.averages:
            return cell.verdict is Verdict.REFUTED
        if self.claim.evidence.fits:
            return cell.verdict is Verdict.REFUTED
        if not self.claim.evidence.counts_failures:
            return cell.failures > 0
        return is_unlikely(cell.failures, cell.trials, self._rate_at(cell))

    def _rate_at(self, cell: CellResult) -> float:
        """The failure rate that is allowed in a cell."""
        rate = self.claim.evidence.rate
        return float(cell.at.get(rate, 0.0) if isinstance(rate, str) else rate or 0.0)


def attempt(claim: Claim, config: RunConfig, alpha: float, seconds: float = SECONDS) -> Glance:
    """A first look at `claim` under `config`, with the share `alpha` of the error budget that it will have.

    Its cells are measured for `seconds`, without end where that is 0. Of those measured by then all else is told. They
    are measured a few times first, and `TRIALS` times where that was quick; a mean more often where that was quick too.
    """
    if claim.absent:
        return Glance(claim, failure=Failure(claim.absent))
    allowance, trials, unmeasured = Allowance(seconds), FEWER, 0
    case = _sketched(claim, config, alpha, FEWER)
    with one_thread():
        warm = allowance.attempt(functools.partial(_warmed, case), claim.function)
        started = time.process_time()
        evidence = warm if isinstance(warm, Failure) else _measured(case, allowance)
        further = [(TRIALS, DEAR)]
        further += [(MORE_DRAWS * TRIALS, DEAR_DRAWS / MORE_DRAWS)] if claim.evidence.averages else []
        for number, most in further:
            if not isinstance(evidence, Evidence) or time.process_time() - started > most:
                break
            more, started = _sketched(claim, config, alpha, number), time.process_time()
            found = _measured(more, allowance)
            # What is raised by a later measurement is told; where the time is over the few stay.
            if isinstance(found, Evidence) or found.raised:
                case, evidence, trials = more, found, number
        if isinstance(evidence, Failure) and not evidence.raised and case.memory.finished:
            evidence = _of_cells(case, tuple(case.memory.finished.values()))
            unmeasured = len(case.cells) - len(evidence.cells)
        if isinstance(evidence, Failure):
            partly = Allowance(SECONDS_AFTER).attempt(lambda: case.claim.evidence.partly(case), claim.function)
            cells = () if evidence.raised or isinstance(partly, Failure) else partly
            reason = evidence.reason + ("" if evidence.raised else _how_far(case))
            failure = replace(evidence, reason=reason)
            return Glance(claim, _of_cells(case, cells), seconds=allowance.elapsed, failure=failure)
        fitted = case.claim.evidence.of_fit(case)
        passing = replace(evidence, verdict=claim.evidence.pass_verdict)
        after = Allowance(SECONDS_AFTER)
        seen = after.attempt(lambda: look(replace(case, alpha=LEVEL), passing, ()), claim.function)
        ahead = Ahead(why="the time was over") if unmeasured else _ahead(case, evidence)
        expected = Allowance(SECONDS_AFTER).attempt(
            lambda: _expected(replace(case, claim=claim, config=config, alpha=alpha), evidence, fitted), claim.function
        )
        foreseen = Allowance(SECONDS_AFTER).attempt(
            lambda: _foreseen(replace(case, claim=claim, config=config, alpha=alpha), evidence), claim.function
        )
        unmissed = Allowance(SECONDS_AFTER).attempt(lambda: _missed_by_none(case), claim.function)
    constant, value = _constant(case, evidence)
    worst = max((c.ratio for c in evidence.cells if math.isfinite(c.ratio)), default=math.nan)
    return Glance(
        claim,
        evidence,
        Sight(unasked=seen.reason) if isinstance(seen, Failure) else seen,
        ahead,
        constant,
        value,
        value * worst if claim.sense == "<=" else value / worst if worst > 0.0 else math.inf,
        0.0 if isinstance(expected, Failure) else expected[0],
        allowance.elapsed,
        None if isinstance(expected, Failure) else expected[1],
        () if isinstance(foreseen, Failure) else foreseen,
        () if isinstance(unmissed, Failure) else unmissed,
        unmeasured,
        trials,
        fitted,
    )


def _sketched(claim: Claim, config: RunConfig, alpha: float, trials: int) -> Case:
    """The claim with so many measurements of a cell, of which nothing is known yet."""
    return Case(replace(claim, evidence=claim.evidence.sketch(trials)), config, alpha, memory=Memory())


def _measured(case: Case, allowance: Allowance) -> Evidence | Failure:
    return allowance.attempt(lambda: case.claim.evidence.run(case), case.claim.function)


def _of_cells(case: Case, cells: tuple[CellResult, ...]) -> Evidence:
    """What the cells show that were judged, or measured, before the time was over."""
    return Evidence(case.claim.evidence.method, *summarise(list(cells)), cells, Power("nothing", math.nan))


def _how_far(case: Case) -> str:
    """How far a fit came, which says nothing before all its cells are measured."""
    if not (took := case.memory.took):
        return ""
    cells = {canonical(cell) for cell in (*case.sizes.calibration, *case.cells)}
    at = max(took, key=lambda cell: took[cell])
    return f"; {len(took)} of {len(cells)} cells were measured, one measurement took {took[at]:.2g} s at {at}"


def _warmed(case: Case) -> None:
    """Measure once, so that what is compiled or loaded at first is not taken for what a measurement takes."""
    plan = case.claim.evidence
    if case.cells and (plan.by_instance or plan.fits or plan.averages) and not case.claim.regime.draw:
        first = [*case.sizes.calibration, *case.cells][0] if plan.fits else case.cells[0]
        case.measured(first, first, 0)


def _constant(case: Case, evidence: Evidence) -> tuple[str, float]:
    """The constant that is a factor of the bound, and its value in force; no name and 1 where there is none."""
    fitted = case.claim.evidence.constant
    if fitted is not None:
        return fitted, float(evidence.details.get("constant", math.nan))
    for name, constant in case.bound.constants.items():
        if _is_factor(case.bound, name, evidence.cells):
            return name, float(constant)
    return "", 1.0


def _is_factor(bound: Bound, name: str, cells: Sequence[CellResult]) -> bool:
    known: Values = {**cells[0].at, **cells[0].reported, **cells[0].worst} if cells else {}
    if not set(bound.symbols) <= set(known):
        return False
    one, other = (np.asarray(bound.evaluate({**known, name: value}), float) for value in (1.0, 3.0))
    return bool(np.allclose(3.0 * one, other, rtol=1e-9, atol=0.0))


# ------------------------------------------------------------------------ ahead


def _ahead(case: Case, evidence: Evidence) -> Ahead:
    """One cell beyond the largest, as far as its cost allows and the premises hold."""
    cells = case.claim.regime.select("quick", {})
    growing = _growing(cells)
    if not growing:
        return Ahead(why="it has no size to be larger")
    largest = max(cells, key=lambda cell: sum(math.log(cell[name]) for name in growing))
    before = {canonical(found.at): found.ratio for found in evidence.cells}
    ratio = before.get(canonical(case.sizes.on_points(largest, {})), math.nan)
    # Cells on which a constant is fitted are measured more often than others.
    usual = min((max(1, cell.trials) for cell in evidence.cells), default=1)
    took = max((cell.seconds / max(1, cell.trials) * usual for cell in evidence.cells), default=math.inf)
    allowance, why = Allowance(SECONDS_AHEAD), "no larger size is inside its premises"
    together = [growing, *([name] for name in growing if len(growing) > 1)]
    for trials, names, factor in itertools.product((TRIALS, FEWER), together, FACTORS):
        if took * trials / TRIALS * factor ** (2 * len(names)) > AIM:
            why = f"it would take long where its dearest cell takes {took / usual:.2g} s for a measurement"
            continue
        made = allowance.attempt(functools.partial(_made, case, largest, names, factor), case.claim.function)
        if isinstance(made, Failure):
            return Ahead(why=made.reason)
        if made is not None:
            found = allowance.attempt(functools.partial(_judged, case, made, trials), case.claim.function)
            if isinstance(found, Failure):
                return Ahead(why=found.reason if found.raised else f"no result within {SECONDS_AHEAD:g} s")
            return Ahead(found, ratio)
    return Ahead(why=why)


def _growing(cells: Sequence[Cell]) -> list[str]:
    """The sizes that grow: those that count something and differ between cells, else others that differ or count."""
    last = cells[-1]
    numbers = [n for n, v in last.items() if isinstance(v, int | float) and all(cell[n] > 0 for cell in cells)]
    domains = {name: domain_of(name) for name in numbers}
    free = [name for name, domain in domains.items() if domain is None or domain.high == math.inf]
    moving = [name for name in free if any(cell[name] != last[name] for cell in cells)]
    counting = [name for name in free if isinstance(last[name], int)]
    both = [name for name in moving if name in counting]
    return both or moving or [name for name in counting if last[name] > 1]


def _made(case: Case, last: Cell, names: Sequence[str], factor: int) -> Cell | None:
    """The cell with these sizes larger; nothing where it is outside the premises."""
    grown = {name: last[name] * factor for name in names}
    given = {name: value for name, value in last.items() if name not in case.claim.regime.derived}
    if case.claim.regime.lacks({**given, **grown}):
        return None
    cell = case.sizes.on_points(case.claim.regime.complete({**given, **grown}, {}), {})
    return cell if case.standing.of_cell(cell) is PremiseStatus.INSIDE else None


def _judged(case: Case, cell: Cell, trials: int) -> CellResult:
    """What so many measurements of one further cell show."""
    claim = case.claim
    regime = replace(claim.regime, cells=(cell,), thorough=(), nightly=())
    alone = replace(claim, regime=regime, evidence=claim.evidence.sketch(trials))
    return alone.evidence.run(replace(case, claim=alone)).cells[0]


# --------------------------------------------------------------------- duration


def _expected(case: Case, evidence: Evidence, fitted: Sequence[CellResult] = ()) -> tuple[float, Dearest | None]:
    """Seconds that the whole run will take, with its controls, at what each measurement took; what takes most of it.

    `fitted` are the cells on which a constant is fitted. A cell that was not measured, as that of a rare failure, is
    taken for the one that it shares most with.
    """
    claim, cells = case.claim, [*fitted, *evidence.cells]
    took = {canonical(c.at): c.seconds / max(1, c.trials) for c in cells} | case.memory.took
    controls = sum(bool(control.knobs or control.cells) for control in claim.controls)
    spent: dict[str, float] = {}
    for cell, number in claim.evidence.measurements(case):
        nearest = max(cells, key=lambda c: sum(cell.get(name) == value for name, value in c.at.items()), default=None)
        if nearest is None:
            continue
        own = canonical(nearest.at) == canonical(cell) and nearest not in fitted
        likely = claim.evidence.likely(case, evidence, nearest, number) if own else number
        at = canonical(nearest.at)
        spent[at] = spent.get(at, 0.0) + took[at] * (likely + controls * min(number, OF_CONTROL))
    whole = sum(spent.values())
    if whole < LONG:
        return whole + START, None
    most = max(spent, key=lambda at: spent[at])
    dear = next(cell.at for cell in cells if canonical(cell.at) == most)
    return whole + START, Dearest(dear, spent[most] / whole, took[most])


def _foreseen(case: Case, evidence: Evidence) -> tuple[str, ...]:
    """Why the whole run may leave it undecided, by what was measured."""
    said = case.claim.evidence.foreseen(case, evidence)
    return (said,) if said else ()


def _missed_by_none(case: Case) -> tuple[str, ...]:
    """The controls whose bound, or network, none of so few measurements misses: they will hardly be refuted."""
    plan = case.claim.evidence
    if not (plan.counts_failures or plan.fits):
        return ()
    found = ((control.name, plan.run(replace(case, control=control))) for control in case.claim.controls)
    return tuple(name for name, seen in found if seen.cells and not any(cell.failures for cell in seen.cells))


def _missed(cell: CellResult) -> str:
    return f"{cell.failures} of {cell.trials} miss the bound, by a ratio of {cell.ratio:.3g}"

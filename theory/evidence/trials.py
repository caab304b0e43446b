"""Evidence for "with probability at least 1 - delta": independent trials and an anytime-valid test.

Every trial has its own generator. A one-sided e-process decides for or against "P(the claim fails) <= rate", each at
the claim's share of the error budget. Stopping early costs nothing, so that it is asked as soon as it can decide for
what is expected: a claim after so many trials as support it and see wrong bounds, a control and a claim that is
expected to be false after so many as refute it. How many trials there may be follows from the rate and a declared
reserve (`theory.evidence.enough_trials`), so that no seed decides. A trial that is too close to decide, or gave no
finite number, counts as a failure for support, as none for refutation. Two trials of every cell are measured again,
so that a function that is no function of its generator is found out.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from theory.claims.block import Claim, Plan
from theory.claims.memory import MOST_KEPT, Instance
from theory.claims.regime import Cell
from theory.claims.results import CellResult, Evidence, Power, all_spent, moved, summarise
from theory.claims.wrong_bounds import Answer, Retrial, WrongBound
from theory.core.progress import Meter
from theory.core.seeds import canonical
from theory.core.statistics import (
    SequentialTest,
    clopper_pearson_interval,
    clopper_pearson_lower,
    clopper_pearson_upper,
    detectable_rate,
    detectable_rate_fixed,
    row_to_refute,
    time_uniform_interval,
    trials_to_support,
)
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence.enough_trials import MOST_TRIALS, NOMINAL_ALPHA, RESERVE, UNDECIDED, trials_to_decide, undecided
from theory.evidence.plan import IMPURE, is_caught, not_finite, same, undecided_by_cells
from theory.evidence.retrial import entries, judged
from theory.running.case import Case
from theory.running.parallel import BLOCK, Counts, count_block, kept_block, rounds, run_blocks

# Trials of a control after which it is looked at whether enough of them fail.
CONTROL_BLOCK = 4

# A control gets so many trials in all its cells before it gets more in any: one cell may be near its edge and another
# refute at once. So many times those that refute where all of them fail.
CONTROL_ROUNDS = (1.25, 2.0, 4.0, 8.0)

# A claim is not looked at before a wrong bound that fails in this share of its trials is refuted by them, where that
# does not take so many.
SEEN, MOST_SEEING = 0.9, 2 * BLOCK

# Beyond the trials that a row runs at least, it looks again after a quarter more, but not after fewer than these.
LEAST_STEP = 16

# A statement about small probabilities is judged at one as small as this: at 0.4, a lemma that fails for a third of all
# networks would pass. Some 450 trials without a failure support it.
RARE = 0.05

SAY_WHY = "draw with rng, or say in Trials(one_number=...) why there is one number"

# The budget of a cell whose rate no number of trials would support, such as 0, unless the plan names one.
FALLBACK = 2000


@dataclass(frozen=True)
class Trials(Plan):
    """Trials of a claim that allows the failure rate `rate`, a number or the name of a symbol of the cells.

    The plan runs as many trials as it needs at most to decide a cell that fails `reserve` times as often as it may,
    whatever the seed (`theory.evidence.enough_trials.trials_to_decide`), and at least `budget` where it is not decided
    before: both at quick effort. An e-process is consulted after every round. With `fixed=True` exactly `budget` trials
    are run and one Clopper-Pearson bound decides; a block is refused where these would often not decide.

    Trials that all measure one number, or numbers of one ratio to their bounds, are one trial, unless `one_number` says
    why they do.

    Where no cell has a rate of at most `rare`, the smallest that is inside the premises with this rate is judged so as
    well; where trials are `dear`, from thorough effort on.
    """

    rate: float | str = "delta"
    budget: int = 0
    fixed: bool = False
    reserve: float = RESERVE
    rare: float = RARE
    dear: bool = False
    one_number: str = ""

    method: ClassVar[str] = "independent trials"
    by_instance: ClassVar[bool] = True
    pass_verdict: ClassVar[Verdict] = Verdict.SUPPORTED
    is_monotone: ClassVar[bool] = True
    counts_failures: ClassVar[bool] = True
    best_constant: ClassVar[str] = "largest ratio over all trials, those included that the failure rate allows for"

    def of_one_cell(self) -> Trials:
        """Without the cell that is judged at a rare rate besides."""
        return replace(self, rare=0.0)

    def sketch(self, trials: int) -> Trials:
        """So many trials, which decide by one exact test."""
        return replace(self, budget=trials, fixed=True, rare=0.0)

    def measurements(self, case: Case) -> list[tuple[Cell, int]]:
        """The trials of every cell that none of them fails."""
        chosen = [*case.cells, *self._rare_cells(case)]
        alpha, found = case.alpha / max(1, len(chosen)), []
        for cell in chosen:
            rate, budget = self._rate(cell), self._budget(case, cell, case.alpha / max(1, len(chosen)), len(chosen))
            enough = trials_to_support(rate, alpha, 0) if 0.0 < rate < 1.0 and not self.fixed else None
            found.append((cell, budget if enough is None else min(enough, budget)))
        return found

    def check(self, claim: Claim) -> str:
        """The rate must be known, and every premise must be decided by the cell, not by the trial."""
        if isinstance(self.rate, str) and self.rate not in claim.regime.symbols:
            return f"its rate {self.rate!r} is no symbol of the regime; add it to the cells or give a number"
        if not isinstance(self.rate, str) and not 0.0 < self.rate < 1.0:
            return f"its rate {self.rate!r} is not between 0 and 1; a claim that never fails is for Search"
        if "rng" not in claim.parameters:
            return "its function takes no rng, so trials would all be the same; add the parameter rng"
        if isinstance(self.budget, bool) or not isinstance(self.budget, int) or self.budget < 0:
            return f"its budget {self.budget!r} is no number of trials; write one, or 0 for as many as it takes"
        if not 0.0 < self.reserve < 1.0:
            return f"its reserve {self.reserve!r} is not between 0 and 1; write which share of the rate may be reached"
        if not 0.0 <= self.rare < 1.0:
            return f"its rare rate {self.rare!r} is not between 0 and 1; write one, or 0 for none"
        return undecided_by_cells(claim) or self._check_budget(claim)

    def _check_budget(self, claim: Claim) -> str:
        """Why the budget would leave a true claim undecided too often, at a nominal share of the error budget.

        A rate that is computed at a run, from other symbols or from points, is not known here.
        """
        alpha, cells = NOMINAL_ALPHA / len(claim.regime.cells), len(claim.regime.cells)
        for cell in claim.regime.cells:
            rate = cell.get(self.rate) if isinstance(self.rate, str) else self.rate
            if rate is None or not 0.0 < rate < 1.0 or claim.expected is not self.pass_verdict:
                continue
            needed = trials_to_decide(rate, alpha, self.reserve, UNDECIDED / cells, self.fixed)
            said = f"at rate {rate:.3g}, reserve {self.reserve:.3g} and level {alpha:.0e} at {canonical(cell)}"
            if needed is None:
                return f"it takes more than {MOST_TRIALS} trials to decide {said}; declare a smaller reserve"
            if self.fixed and self.budget < needed:
                missed = undecided(rate, alpha, self.reserve, self.budget, fixed=True)
                return (
                    f"{self.budget} trials leave it undecided with probability {missed:.2g} {said}, and {needed} with "
                    f"{UNDECIDED / cells:.0e}; run so many, or leave out fixed, which stops as soon as it knows"
                )
        return ""

    def run(self, case: Case) -> Evidence:
        """Run trials in every cell until the test decides or the budget is spent; of a control in several rounds."""
        if not case.wants_only_a_refutation or self.fixed:
            return self._decided(case)
        known: dict[str, Counts] = {}
        for times in CONTROL_ROUNDS:
            early = self._decided(case, known, times)
            if early.verdict is Verdict.REFUTED:
                return early
        return self._decided(case, known)

    def _decided(self, case: Case, known: dict[str, Counts] | None = None, times: float | None = None) -> Evidence:
        """What the trials show: all that the budget has, or so many `times` those that refute where all fail.

        With those that are `known` from a round before, which gets the others.
        """
        chosen = [*case.cells, *self._rare_cells(case)]
        alpha = case.alpha / max(1, len(chosen))
        known = {} if known is None else known
        if case.wants_only_a_refutation:
            chosen.sort(key=functools.partial(self._cost, alpha))
        counts: list[Counts] = []
        cells: list[CellResult] = []
        for cell in chosen:
            budget = self._budget(case, cell, alpha, len(chosen))
            if times is not None:
                budget = min(budget, math.ceil(times * (_row_to_refute(self._rate(cell), alpha) or budget)))
            counts.append(self._count(case, cell, alpha, budget, known.get(canonical(cell), Counts())))
            known[canonical(cell)] = counts[-1]
            cells.append(case.recollection.noted(self._result(case, cell, counts[-1], alpha, budget)))
            if is_caught(case, cells, chosen[len(cells) :]):
                break
        verdict, status = summarise(cells)
        if times is None or verdict is Verdict.REFUTED:
            for cell, count in zip(chosen, counts, strict=False):
                measured, bounds = np.array(count.shown, float).reshape(-1, 2).T
                case.recollection.note_points(cell, (measured, bounds))
        judged = [(result, count) for count, result in zip(counts, cells, strict=True) if result.premises is status]
        asked = [] if case.wants_only_a_refutation else judged
        powers = [self._detectable(self._rate(result.at), alpha, result.budget) for result, _ in asked]
        missed = [undecided(self._rate(r.at), alpha, self.reserve, r.budget, self.fixed) for r, _ in asked]
        fewest, count = min(judged, key=lambda pair: pair[1].trials, default=(None, Counts()))
        intervals = {"failure rate": self._interval(count, alpha)} if not case.wants_only_a_refutation else {}
        return Evidence(
            self.method,
            verdict,
            status,
            tuple(cells),
            Power("failure rate", max(powers, default=float("nan")), min(powers, default=None)),
            alpha=alpha,
            intervals={**intervals, "confidence": 1.0 - 2.0 * alpha},
            details={
                "test": "Clopper-Pearson, fixed n" if self.fixed else "beta-mixture e-process, anytime valid",
                "rate": self._rate(fewest.at) if fewest is not None else None,
                "rate symbol": self.rate if isinstance(self.rate, str) else "",
                "reserve": self.reserve,
                # By any of the judged cells, if the statement is true with the reserve.
                "undecided": min(1.0, sum(missed)),
                # Of the first trials of the judged cells, as far as they are kept to be shown.
                "repeated": sum(count.repeated for _, count in judged) or None,
            },
            spent=all_spent(cells),
        )

    def retrial(self, case: Case, evidence: Evidence) -> Retrial | str:
        """On the first trials of every cell, with the same test and share of the error budget."""
        if case.is_replay:
            return "one trial decides no rate"
        alpha = case.alpha / max(1, len(evidence.cells))
        first = {canonical(cell.at): min(cell.trials, MOST_KEPT) for cell in evidence.cells}

        def kept(cell: Cell) -> list[Instance]:
            blocks = run_blocks(kept_block, case, cell, 0, first[canonical(cell)], in_journal=False)
            return [instance for block in blocks for instance in block]

        found = entries(case, evidence, kept)
        if isinstance(found, str):
            return found
        cells = [canonical(cell) for cell in found.cells]

        def ask(wrong: WrongBound) -> Answer:
            failures = Counter(cell for cell, missed in zip(cells, found.missed(wrong)[0], strict=True) if missed)
            verdicts, shares = [Verdict.UNDECIDED], [(0.0, "no trial fails")]
            for cell in judged(evidence):
                trials, failed = first[canonical(cell.at)], failures[canonical(cell.at)]
                rate = self._rate(cell.at)
                verdicts.append(self._decide(Counts(trials=trials, failures=failed), rate, alpha, cell.budget))
                shares.append((failed / trials, f"at most {failed} of {trials} trials fail"))
            return Answer(Verdict.REFUTED in verdicts, *max(shares))

        return Retrial(found.of, ask, found.tightens, kept=found.judged)

    def _cost(self, alpha: float, cell: Cell) -> float:
        """By what a cell where all trials of a control fail refutes it sooner than another: their number and sizes."""
        return (_row_to_refute(self._rate(cell), alpha) or math.inf) * _sizes(cell)

    def _rare_cells(self, case: Case) -> list[Cell]:
        """The cell that is judged at a rare rate besides, if any: not where a control or the user has other sizes."""
        regime, rate = case.claim.regime, self.rate
        if case.config.asks_elsewhere or (self.dear and case.config.effort == "quick"):
            return []
        if case.has_cells_of_its_own:
            return []
        if not self.rare or self.fixed or case.claim.expected is not self.pass_verdict:
            return []
        if not isinstance(rate, str) or rate in {*regime.derived, *regime.from_data}:
            return []
        if any(self._rate(cell) <= self.rare for cell in case.cells):
            return []
        given = {rate: self.rare}
        cells = sorted(case.cells, key=_sizes)
        rarer = (case.sizes.on_points(regime.complete(cell, given), given) for cell in cells)
        return [cell for cell in rarer if case.standing.of_cell(cell) is PremiseStatus.INSIDE][:1]

    def _rate(self, cell: Cell) -> float:
        return float(cell[self.rate]) if isinstance(self.rate, str) else self.rate

    def _detectable(self, rate: float, alpha: float, budget: int) -> float:
        if not 0.0 <= rate < 1.0:
            return float("inf")
        return (detectable_rate_fixed if self.fixed else detectable_rate)(rate, alpha, budget)

    def _interval(self, count: Counts, alpha: float) -> list[float]:
        if count.trials == 0:
            return [0.0, 1.0]
        fewest, most = count.failures, count.doubtful
        if self.fixed:
            low, high = (clopper_pearson_interval(k, count.trials, 1.0 - 2.0 * alpha) for k in (fewest, most))
        else:
            low, high = (time_uniform_interval(k, count.trials, alpha) for k in (fewest, most))
        return [float(low[0]), float(high[1])]

    def _budget(self, case: Case, cell: Cell, alpha: float, cells: int) -> int:
        """The most trials in a cell of so many."""
        rate = self._rate(cell)
        needed = None if self.fixed else trials_to_decide(rate, alpha, self.reserve, UNDECIDED / cells)
        return max(needed or 0, self.budget or (0 if needed else FALLBACK)) * case.config.factor

    def _count(self, case: Case, cell: Cell, alpha: float, budget: int, counts: Counts) -> Counts:
        """The `counts` of a cell and of the trials after them, until they decide or there were as many as the budget.

        Of a control until no refutation can come out of the budget.
        """
        if case.is_replay:
            trial = int(case.config.at["trial"])
            alone: Counts = run_blocks(count_block, case, cell, trial, trial + 1)[0]
            return alone
        meter = Meter(case.at(cell), budget, may_stop=not self.fixed)
        meter.done, rate = counts.trials, self._rate(cell)
        while (stop := self._until(case, counts, rate, alpha, budget)) > counts.trials:
            # A quarter of the first round: trials may be long, and a kill loses the block it hits.
            for block in run_blocks(count_block, case, cell, counts.trials, stop, size=BLOCK // 4, meter=meter):
                counts = counts.merge(block)
        case.memory.signed |= counts.signed
        return counts

    def _until(self, case: Case, counts: Counts, rate: float, alpha: float, budget: int) -> int:
        """The number of trials after which to look again; that which there is where nothing is left to find out."""
        done = counts.trials
        if done and not 0.0 <= rate < 1.0:
            return done
        # A number that is not finite excludes support; failures that come after it can still refute, if soon.
        hopeless = counts.not_finite and done >= (self.budget or budget) * case.config.factor
        said = self._decide(counts, rate, alpha, budget) if done else Verdict.UNDECIDED
        if said is Verdict.SUPPORTED and counts.is_one_number and not self.one_number:
            # A count that is seldom another has until the next look to be one.
            return next((stop for _, stop in self._looks(case, budget) if stop >= done), done)
        if done and (hopeless or said is not Verdict.UNDECIDED):
            return done
        if case.wants_only_a_refutation:
            return min(budget, done + _step(done)) if self.fixed else _until_refuted(counts, rate, alpha, budget)
        stop = next((stop for _, stop in self._looks(case, budget) if stop > done), done)
        if self.fixed or counts.not_finite or not 0.0 <= rate < 1.0:
            return stop
        if case.claim.expected is Verdict.REFUTED:
            row = _row_to_refute(rate, alpha, counts.failures, done)
            return stop if row is None else min(stop, done + max(row, _step(done)))
        if case.claim.expected is not self.pass_verdict:
            return stop
        enough = _enough(rate, alpha, counts.doubtful)
        return enough if done < enough < stop else stop

    def _looks(self, case: Case, budget: int) -> Iterable[tuple[int, int]]:
        """Trial ranges of a claim after which to look at the latest."""
        least = min(budget, (self.budget or budget) * case.config.factor)
        return [(0, budget)] if self.fixed else itertools.chain(rounds(least), _further(least, budget))

    def _decide(self, counts: Counts, rate: float, alpha: float, budget: int) -> Verdict:
        """What the counts show; of a fixed number of trials, those not run are taken to come out either way."""
        if not 0.0 <= rate < 1.0:
            return Verdict.UNDECIDED
        fewest, most = counts.failures, counts.doubtful
        if self.fixed:
            total = max(budget, counts.trials)
            refuted = clopper_pearson_lower(fewest, total, 1.0 - alpha) > rate
            supported = clopper_pearson_upper(most + total - counts.trials, total, 1.0 - alpha) <= rate
        else:
            test = SequentialTest(rate, alpha)
            refuted = test.decide(fewest, counts.trials) == "refute"
            supported = test.decide(most, counts.trials) == "support"
        if refuted:
            return Verdict.REFUTED
        return Verdict.SUPPORTED if supported and not counts.not_finite else Verdict.UNDECIDED

    def _result(self, case: Case, cell: Cell, counts: Counts, alpha: float, budget: int) -> CellResult:
        rate = self._rate(cell)
        verdict, remark, spent = self._decide(counts, rate, alpha, budget), "", False
        measured, bound, ratio, worst = counts.measured, counts.bound, counts.ratio, counts.worst
        # A control is asked for nothing but a refutation.
        open_control = case.wants_only_a_refutation and verdict is not Verdict.REFUTED
        pure, reported, error = (True, {}, None) if open_control else self._again(case, cell, counts)
        if not pure:
            verdict, remark = Verdict.UNDECIDED, IMPURE
        elif counts.not_finite and verdict is not Verdict.REFUTED:
            remark = not_finite(case.judge(cell, cell, counts.broken)[1])
            measured, ratio, worst = float("nan"), float("nan"), counts.broken
        elif not 0.0 <= rate < 1.0:
            remark = f"the claim allows the failure rate {rate:.3g} here, which says nothing"
            spent = rate >= 1.0  # no number of trials could decide
        elif case.is_replay:
            remark = f"trial {worst} alone"
        elif verdict is Verdict.UNDECIDED:
            remark, spent = f"{counts.trials} trials were not enough", True
            needed = None if self.fixed else trials_to_support(rate, alpha, counts.doubtful)
            remark += f", {needed} without a further failure would be" if needed is not None else ""
        elif verdict is Verdict.SUPPORTED and counts.is_one_number and not self.one_number:
            verdict = Verdict.UNDECIDED
            told = f"measured {measured:.6g}" if counts.measured_one_number else f"have the ratio {ratio:.6g}"
            remark = f"all {counts.trials} trials {told}, as one trial drawn once would; {SAY_WHY}"
        if counts.unsure:
            told = f"{counts.unsure} of {counts.trials} trials unsure: the bound lies within what is known of them"
            remark = f"{remark}; {told}" if remark else told
        remark = "; ".join(filter(None, (remark, moved(cell, reported))))
        return CellResult(
            at=cell,
            premises=case.standing.of_cell(cell),
            verdict=verdict,
            measured=measured,
            bound=bound,
            ratio=ratio,
            trials=counts.trials,
            failures=counts.failures,
            seconds=counts.seconds,
            worst={**cell, "trial": worst},
            remark=remark,
            parts=counts.parts,
            spent=spent,
            budget=budget,
            reported=reported,
            error=error,
            closest=self._closest(case, counts, rate, alpha, budget) if verdict is Verdict.REFUTED else None,
        )

    def _closest(self, case: Case, counts: Counts, rate: float, alpha: float, budget: int) -> float | None:
        """The factor on the bound of a control up to which enough of its trials fail to refute it."""
        if not case.wants_only_a_refutation or case.claim.sense == "=":
            return None
        least = (
            failed
            for failed in range(1, counts.failures + 1)
            if self._decide(Counts(trials=counts.trials, failures=failed), rate, alpha, budget) is Verdict.REFUTED
        )
        return float(np.sort(counts.ratios)[-next(least)])

    @staticmethod
    def _again(case: Case, cell: Cell, counts: Counts) -> tuple[bool, Cell, float | None]:
        """Whether the first and the worst trial give the same numbers again, and symbols and error of the worst one.

        A control that turns no knob measures what its claim did, which is measured again there.
        """
        if case.measures_what_its_claim_did:
            return True, {}, None
        noted = {counts.first: counts.opening}
        if counts.worst >= 0:
            noted[counts.worst] = counts.measured
        again = {trial: case.again(cell, cell, trial) for trial in noted}
        pure = all(same(again[trial][0].measured, number) for trial, number in noted.items())
        if counts.worst < 0:
            return pure, {}, None
        comparison, reported = again[counts.worst]
        return pure, reported, comparison.error


def _sizes(cell: Cell) -> float:
    """The product of the whole numbers of a cell: what a trial costs, roughly."""
    return float(math.prod(value for value in cell.values() if isinstance(value, int) and value > 0))


@functools.cache
def _enough(rate: float, alpha: float, failures: int) -> int:
    """Trials, with no failure beyond these, that support the rate and see wrong bounds; `MOST_SEEING` where none do."""
    enough = trials_to_support(rate, alpha, failures)
    return MOST_SEEING if enough is None else max(enough, _seeing(rate, alpha))


@functools.cache
def _seeing(rate: float, alpha: float) -> int:
    """The least number of trials that refutes what fails in the share `SEEN` of them, or `MOST_SEEING`."""
    trials = np.arange(1, MOST_SEEING)
    refuted = np.flatnonzero(np.floor(SEEN * trials) >= SequentialTest(rate, alpha).refutation_boundary(trials))
    return int(trials[refuted[0]]) if refuted.size else MOST_SEEING


@functools.cache
def _row_to_refute(rate: float, alpha: float, failures: int = 0, trials: int = 0) -> int | None:
    """Further trials that refute the rate if all of them fail; None where none do."""
    return row_to_refute(rate, alpha, failures, trials) if 0.0 <= rate < 1.0 else None


def _until_refuted(counts: Counts, rate: float, alpha: float, budget: int) -> int:
    """The trials of a control after which to look again; those that there are where no refutation is left in budget."""
    done = counts.trials
    row = _row_to_refute(rate, alpha, counts.failures, done)
    if done and (row is None or done + row > budget):
        return done
    return min(budget, done + min(row or CONTROL_BLOCK, _step(done)))


def _step(done: int) -> int:
    """Trials of a control after so many, until it is looked at again at the latest."""
    return max(CONTROL_BLOCK, done // CONTROL_BLOCK**2)


def _further(start: int, budget: int) -> Iterator[tuple[int, int]]:
    """Trial ranges from `start` to `budget`, each a quarter of the trials before it."""
    while start < budget:
        stop = min(start + max(LEAST_STEP, start // 4), budget)
        yield start, stop
        start = stop

"""Evidence for "with probability at least 1 - delta": independent trials and an anytime-valid test.

Every trial has its own generator. After each round of trials a one-sided e-process decides for or against
"P(the claim fails) <= rate", each at the claim's share of the error budget; stopping early costs nothing. How many
trials there may be follows from the rate and a declared reserve (`theory.evidence.enough_trials`), so that no seed
decides. A trial that is too close to decide, or gave no finite number, counts as a failure for support, as none for
refutation. Two trials of every cell are measured again, so that a function that is no function of its generator is
found out.
"""

from __future__ import annotations

import itertools
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
from theory.core.measured import ratios
from theory.core.progress import Meter
from theory.core.seeds import canonical
from theory.core.statistics import (
    SequentialTest,
    clopper_pearson_interval,
    clopper_pearson_lower,
    clopper_pearson_upper,
    detectable_rate,
    detectable_rate_fixed,
    time_uniform_interval,
    trials_to_support,
)
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence.enough_trials import MOST_TRIALS, NOMINAL_ALPHA, RESERVE, UNDECIDED, trials_to_decide, undecided
from theory.evidence.plan import IMPURE, is_caught, not_finite, same, undecided_by_cells
from theory.evidence.retrial import entries, judged
from theory.running.case import Case
from theory.running.parallel import BLOCK, Counts, count_block, kept_block, rounds, run_blocks

# Trials after which a control is looked at, in its first two rounds.
CONTROL_BLOCK = 4

# So many trials of every cell a control gets at first: one cell may be near its edge and another refute at once.
CONTROL_FIRST = 2 * BLOCK

# Beyond the trials that a row runs at least, it looks again after a quarter more, but not after fewer than these.
LEAST_STEP = 16

# A statement about small probabilities is judged at one as small as this: at 0.4, a lemma that fails for a third of all
# networks would pass. Some 500 trials without a failure support it.
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

    Trials that all measure one number are one trial, unless `one_number` says why they do.

    Where no cell has a rate of at most `rare`, the first that is inside the premises with this rate is judged so as
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
            looks = [stop for _, stop in self._looks(case, budget)]
            found.append((cell, budget if enough is None else next((s for s in looks if s >= enough), budget)))
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
        """Run trials in every cell until the test decides or the budget is spent; of a control in two rounds."""
        if case.wants_only_a_refutation and not self.fixed:
            early = self._decided(case, CONTROL_FIRST)
            if early.verdict is Verdict.REFUTED:
                return early
        return self._decided(case)

    def _decided(self, case: Case, most: int | None = None) -> Evidence:
        """What the trials show, at most so many in every cell."""
        chosen = [*case.cells, *self._rare_cells(case)]
        alpha = case.alpha / max(1, len(chosen))
        counts: list[Counts] = []
        cells: list[CellResult] = []
        for cell in chosen:
            needed = self._budget(case, cell, alpha, len(chosen))
            budget = needed if most is None else min(most, needed)
            counts.append(self._count(case, cell, alpha, budget))
            cells.append(case.noted(self._result(case, cell, counts[-1], alpha, budget)))
            measured, bounds = np.array(counts[-1].shown, float).reshape(-1, 2).T
            case.note_points(cell, (measured, bounds))
            if is_caught(case, cells, chosen[len(cells) :]):
                break
        chosen = chosen[: len(cells)]
        verdict, status = summarise(cells)
        judged = [(result, count) for count, result in zip(counts, cells, strict=True) if result.premises is status]
        powers = [self._detectable(self._rate(result.at), alpha, result.budget) for result, _ in judged]
        missed = [undecided(self._rate(r.at), alpha, self.reserve, r.budget, self.fixed) for r, _ in judged]
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

    def _rare_cells(self, case: Case) -> list[Cell]:
        """The cell that is judged at a rare rate besides, if any: not of a control, nor where sizes are asked."""
        regime, rate = case.claim.regime, self.rate
        if case.wants_only_a_refutation or case.config.asks_elsewhere or (self.dear and case.config.effort == "quick"):
            return []
        if not self.rare or self.fixed or case.claim.expected is not self.pass_verdict:
            return []
        if not isinstance(rate, str) or rate in {*regime.derived, *regime.from_data}:
            return []
        if any(self._rate(cell) <= self.rare for cell in case.cells):
            return []
        given = {rate: self.rare}
        rarer = (case.sizes.on_points(regime.complete(cell, given), given) for cell in case.cells)
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

    def _count(self, case: Case, cell: Cell, alpha: float, budget: int) -> Counts:
        if case.is_replay:
            trial = int(case.config.at["trial"])
            alone: Counts = run_blocks(count_block, case, cell, trial, trial + 1)[0]
            return alone
        meter = Meter(case.at(cell), budget, may_stop=not self.fixed)
        counts = Counts()
        rate = self._rate(cell)
        for start, stop in self._looks(case, budget):
            # A quarter of the first round: trials may be long, and a kill loses the block it hits.
            for block in run_blocks(count_block, case, cell, start, stop, size=BLOCK // 4, meter=meter):
                counts = counts.merge(block)
            if not 0.0 <= rate < 1.0:
                break
            # A number that is not finite excludes support; failures that come after it can still refute, if soon.
            decided = self._decide(counts, rate, alpha, budget) is not Verdict.UNDECIDED
            if decided or (counts.not_finite and stop >= (self.budget or budget) * case.config.factor):
                break
        return counts

    def _looks(self, case: Case, budget: int) -> Iterable[tuple[int, int]]:
        """Trial ranges after which to look; a control, soon caught, is looked at more often at first."""
        if not case.wants_only_a_refutation:
            least = min(budget, (self.budget or budget) * case.config.factor)
            return [(0, budget)] if self.fixed else itertools.chain(rounds(least), _further(least, budget))
        often = min(budget, 2 * BLOCK)
        early = [(at, min(at + CONTROL_BLOCK, often)) for at in range(0, often, CONTROL_BLOCK)]
        return [*early, *((start, stop) for start, stop in rounds(budget) if start >= often)]

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
        pure, reported = self._again(case, cell, counts)
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
            remark = f"all {counts.trials} trials measured {measured:.6g}, as one trial drawn once would; {SAY_WHY}"
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
            closest=self._closest(case, counts, rate, alpha, budget) if verdict is Verdict.REFUTED else None,
        )

    def _closest(self, case: Case, counts: Counts, rate: float, alpha: float, budget: int) -> float | None:
        """The factor on the bound of a control up to which enough trials fail to refute it, if all are shown."""
        if not case.wants_only_a_refutation or case.claim.sense == "=" or len(counts.shown) != 2 * counts.trials:
            return None
        least = (
            failed
            for failed in range(1, counts.failures + 1)
            if self._decide(Counts(trials=counts.trials, failures=failed), rate, alpha, budget) is Verdict.REFUTED
        )
        shown = np.array(counts.shown).reshape(-1, 2)
        small, large = shown.T if case.claim.sense == "<=" else shown.T[::-1]
        return float(np.sort(ratios(small, large))[-next(least)])

    @staticmethod
    def _again(case: Case, cell: Cell, counts: Counts) -> tuple[bool, Cell]:
        """Whether the first trial and the worst one give the same numbers again, and the symbols of the worst one.

        A control that turns no knob measures what its claim did, which is measured again there.
        """
        if case.measures_what_its_claim_did:
            return True, {}
        noted = {counts.first: counts.opening}
        if counts.worst >= 0:
            noted[counts.worst] = counts.measured
        again = {trial: case.again(cell, cell, trial) for trial in noted}
        pure = all(same(again[trial][0].measured, number) for trial, number in noted.items())
        return pure, again[counts.worst][1] if counts.worst >= 0 else {}


def _further(start: int, budget: int) -> Iterator[tuple[int, int]]:
    """Trial ranges from `start` to `budget`, each a quarter of the trials before it."""
    while start < budget:
        stop = min(start + max(LEAST_STEP, start // 4), budget)
        yield start, stop
        start = stop

"""Independent trials: planted rates are told apart, budgets kept, trials replayed, workers irrelevant."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from theory.claims import control
from theory.claims.regime import Regime, grid
from theory.claims.results import MOST_DOTS
from theory.core.measured import Measured
from theory.core.refusal import ClaimError
from theory.core.statistics import SequentialTest, detectable_rate, row_to_refute, trials_to_support
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence import Trials
from theory.evidence.enough_trials import UNDECIDED, trials_to_decide, undecided
from theory.evidence.trials import CONTROL_BLOCK, RARE, SEEN
from theory.running.case import Case
from theory.running.config import RunConfig
from theory.running.parallel import BLOCK, Block, Counts, count_block, rounds, run_blocks
from theory.tests.fakes import ALPHA, FakePremise, decide, declared, formula, row

# So many trials decide a rate of 0.2 for a share of the error budget as small as in a suite.
ENOUGH = 1500


def failing(rate: float) -> Any:
    """A function that exceeds the bound 1 in the given share of trials."""

    def measure(rng: np.random.Generator, m: int) -> float:
        drawn = rng.random()
        return 2.0 if drawn < rate else 0.5 - 1e-6 * drawn

    return measure


class TestDecisions:
    @pytest.mark.parametrize("fixed", [False, True])
    @pytest.mark.parametrize(
        ("true", "verdict"),
        [
            (0.0, Verdict.SUPPORTED),
            (0.05, Verdict.SUPPORTED),
            (0.19, Verdict.UNDECIDED),
            (0.21, Verdict.UNDECIDED),
            (0.5, Verdict.REFUTED),
            (1.0, Verdict.REFUTED),
        ],
    )
    def test_a_planted_rate_is_told_from_the_allowed_one(self, true: float, verdict: Verdict, fixed: bool) -> None:
        found = decide(failing(true), evidence=Trials(rate=0.2, budget=ENOUGH, fixed=fixed))
        assert found.verdict is verdict
        low, high = found.intervals["failure rate"]
        assert low <= true <= high

    def test_the_sequential_test_stops_as_soon_as_it_knows(self) -> None:
        cell = decide(failing(0.0), evidence=Trials(rate=0.2, budget=10**6)).cells[0]
        assert (cell.verdict, cell.trials) == (Verdict.SUPPORTED, trials_to_support(0.2, ALPHA))
        assert decide(failing(1.0), evidence=Trials(rate=0.2, budget=10**6)).cells[0].trials == cell.trials

    @pytest.mark.parametrize("true", [0.05, 0.1])
    def test_after_a_failure_it_looks_when_no_further_one_would_decide(self, true: float) -> None:
        cell = decide(failing(true), evidence=Trials(rate=0.2)).cells[0]
        assert cell.verdict is Verdict.SUPPORTED
        assert cell.failures > 0
        assert cell.trials == trials_to_support(0.2, ALPHA, cell.failures)

    @pytest.mark.parametrize("rate", [0.3, 0.4, 0.45])
    def test_it_does_not_look_before_wrong_bounds_are_seen(self, rate: float) -> None:
        trials = decide(failing(0.0), evidence=Trials(rate=rate)).cells[0].trials
        assert SequentialTest(rate, ALPHA).decide(math.floor(SEEN * trials), trials) == "refute"

    def test_an_erratum_ends_with_the_trial_that_refutes_it(self) -> None:
        cell = decide(failing(1.0), evidence=Trials(rate=0.2), expected=Verdict.REFUTED).cells[0]
        assert (cell.verdict, cell.trials) == (Verdict.REFUTED, row_to_refute(0.2, ALPHA))
        assert cell.trials < BLOCK

    def test_an_erratum_that_is_none_is_supported_after_the_rounds(self) -> None:
        cell = decide(failing(0.0), evidence=Trials(rate=0.2), expected=Verdict.REFUTED).cells[0]
        assert cell.verdict is Verdict.SUPPORTED

    @pytest.mark.parametrize("fixed", [False, True])
    def test_an_undecided_cell_has_spent_its_budget(self, fixed: bool) -> None:
        cell = decide(failing(0.2), evidence=Trials(rate=0.2, budget=ENOUGH, fixed=fixed)).cells[0]
        assert (cell.verdict, cell.trials, cell.budget) == (Verdict.UNDECIDED, ENOUGH, ENOUGH)
        told = re.fullmatch(r"1500 trials were not enough(?:, (\d+) without a further failure would be)?", cell.remark)
        assert told is not None
        # How much more it would take is told where one may go on.
        assert told[1] is None if fixed else int(told[1]) > ENOUGH

    def test_a_fixed_number_of_trials_is_never_cut_short(self) -> None:
        cell = decide(failing(1.0), evidence=Trials(rate=0.2, budget=ENOUGH, fixed=True)).cells[0]
        assert (cell.verdict, cell.trials, cell.failures) == (Verdict.REFUTED, ENOUGH, ENOUGH)

    def test_effort_scales_the_budget(self) -> None:
        plan = Trials(rate=0.5, budget=50, fixed=True, reserve=1e-4)
        assert decide(failing(0.0), RunConfig(effort="thorough"), evidence=plan).cells[0].trials == 500

    def test_the_rate_may_be_a_symbol_of_the_cell(self) -> None:
        regime = Regime(cells=grid(m=4, delta=[0.01, 0.8]))
        found = decide(failing(0.3), regime=regime, evidence=Trials(budget=500))
        assert [c.verdict for c in found.cells] == [Verdict.REFUTED, Verdict.SUPPORTED]
        assert found.verdict is Verdict.REFUTED

    @pytest.mark.parametrize("rate", [1.0, 1.5, math.inf, math.nan, -0.1])
    @pytest.mark.parametrize("fixed", [False, True])
    def test_a_rate_that_says_nothing_is_not_supported(self, rate: float, fixed: bool) -> None:
        """As when a union bound exceeds 1 at a small width."""
        regime = Regime(cells=[{"m": 4}], derived={"delta": lambda m: rate})
        found = decide(failing(0.0), regime=regime, evidence=Trials(budget=100, fixed=fixed))
        assert found.verdict is Verdict.UNDECIDED
        assert found.cells[0].remark.endswith("here, which says nothing")
        assert found.power.value == math.inf

    def test_a_rate_of_zero_is_refuted_by_one_failure_and_never_supported(self) -> None:
        """As when a tail bound underflows."""
        regime = Regime(cells=[{"m": 4}], derived={"delta": lambda m: 0.0})
        assert decide(failing(0.0), regime=regime, evidence=Trials(budget=100)).verdict is Verdict.UNDECIDED
        assert decide(failing(0.5), regime=regime, evidence=Trials(budget=100)).verdict is Verdict.REFUTED

    def test_the_worst_of_all_entries_counts_once_per_trial(self) -> None:
        """The claim is about the joint event: five bad entries are one failure."""

        def joint(rng: np.random.Generator, m: int) -> np.ndarray:
            return np.where(rng.random() < 0.5, 2.0, 0.5) * np.ones(5)

        cell = decide(joint, evidence=Trials(rate=0.5, budget=430, fixed=True)).cells[0]
        assert (cell.trials, cell.ratio) == (430, 2.0)
        assert 150 < cell.failures < 280

    def test_a_lower_bound_fails_below(self) -> None:
        cell = decide(failing(0.5), sense=">=", evidence=Trials(rate=0.2, budget=200)).cells[0]
        assert cell.verdict is Verdict.REFUTED
        assert (cell.measured, cell.ratio) == (pytest.approx(0.5, rel=1e-5), pytest.approx(2.0, rel=1e-5))

    def test_symbols_of_the_trial_enter_the_bound(self) -> None:
        def scaled(rng: np.random.Generator, m: int) -> Measured:
            r = float(rng.random())
            return Measured((0.8 + 0.1 * rng.random()) * r, symbols={"r": r})

        block: dict[str, Any] = {
            "measured": ["r"],
            "bound": formula(lambda r: r),
            "evidence": Trials(rate=0.2, budget=200),
        }
        assert decide(scaled, **block).verdict is Verdict.SUPPORTED


class TestIntervals:
    """Of the quantity only an interval is known, and in some trials the bound 1 lies in it."""

    @staticmethod
    def partly(unsure: float, failing: float = 0.0) -> Any:
        def measure(rng: np.random.Generator, m: int) -> Measured:
            u = rng.random()
            if u < failing:
                return Measured.between(1.2, 1.5)
            return Measured.between(0.5, 1.5 if u < failing + unsure else 0.9 - 0.01 * u)

        return measure

    @pytest.mark.parametrize("fixed", [False, True])
    @pytest.mark.parametrize(
        ("unsure", "failing", "verdict"),
        [
            (0.0, 0.0, Verdict.SUPPORTED),
            (0.05, 0.0, Verdict.SUPPORTED),
            (1.0, 0.0, Verdict.UNDECIDED),
            (0.5, 0.05, Verdict.UNDECIDED),
            (0.3, 0.6, Verdict.REFUTED),
        ],
    )
    def test_an_open_trial_neither_supports_nor_refutes(
        self, unsure: float, failing: float, verdict: Verdict, fixed: bool
    ) -> None:
        found = decide(self.partly(unsure, failing), evidence=Trials(rate=0.2, budget=ENOUGH, fixed=fixed))
        cell = found.cells[0]
        assert found.verdict is verdict
        low, high = found.intervals["failure rate"]
        assert low <= failing <= failing + unsure <= high
        told = re.search(r"(\d+) of (\d+) trials unsure", cell.remark)
        assert (told is not None) is (unsure > 0.0)
        if told is not None:
            assert int(told[2]) == cell.trials
            assert cell.failures + int(told[1]) <= cell.trials


class TestErrorBudget:
    def test_it_is_shared_among_the_cells(self) -> None:
        regime = Regime(cells=grid(m=[1, 2, 3, 4]))
        found = decide(failing(0.0), regime=regime, alpha=1e-3, evidence=Trials(rate=0.2, budget=200))
        assert found.alpha == 2.5e-4
        assert found.intervals["confidence"] == 1.0 - 5e-4

    def test_a_claim_at_its_rate_is_seldom_refuted(self) -> None:
        """20 runs exactly at the allowed rate, each at level 0.2: about 4 if the level were fully spent."""
        plan = Trials(rate=0.3, budget=BLOCK)
        runs = [decide(failing(0.3), RunConfig(seed=s), alpha=0.2, evidence=plan).verdict for s in range(20)]
        # The binomial tail beyond 12 of 20 at 0.2 is 2e-5.
        assert runs.count(Verdict.REFUTED) <= 12

    def test_the_power_is_that_of_the_whole_budget(self) -> None:
        plan = Trials(rate=0.2, reserve=0.1)
        budget = trials_to_decide(0.2, ALPHA, 0.1)
        assert budget is not None
        power = decide(failing(0.0), evidence=plan).power
        assert (power.kind, power.value) == ("failure rate", detectable_rate(0.2, ALPHA, budget))
        runs = [decide(failing(power.value), RunConfig(seed=s), evidence=plan).verdict for s in range(15)]
        # At least 0.9 is claimed; fewer than 9 of 15 have probability 3e-4 at 0.9.
        assert runs.count(Verdict.REFUTED) >= 9


class TestReserve:
    """How many trials there may be follows from the rate and the reserve, and not from a seed."""

    @pytest.mark.parametrize("seed", range(5))
    def test_half_the_rate_is_supported_at_every_seed(self, seed: int) -> None:
        cell = decide(failing(0.1), RunConfig(seed=seed), evidence=Trials(rate=0.2)).cells[0]
        assert cell.verdict is Verdict.SUPPORTED
        assert cell.trials <= cell.budget == trials_to_decide(0.2, ALPHA, 0.5)

    def test_a_budget_is_a_floor(self) -> None:
        small = decide(failing(0.1), evidence=Trials(rate=0.2, budget=20)).cells[0]
        assert small.budget == trials_to_decide(0.2, ALPHA, 0.5)
        assert small.verdict is Verdict.SUPPORTED
        assert decide(failing(0.1), evidence=Trials(rate=0.2, budget=10**5)).cells[0].budget == 10**5

    def test_what_the_floor_decides_costs_no_more(self) -> None:
        cell = decide(failing(0.0), evidence=Trials(rate=0.4, budget=40)).cells[0]
        assert (cell.verdict, cell.trials) == (Verdict.SUPPORTED, 20)

    def test_the_reserve_and_the_probability_of_no_decision_are_told(self) -> None:
        regime = Regime(cells=grid(m=[1, 2]))
        found = decide(failing(0.0), regime=regime, evidence=Trials(rate=0.2, reserve=0.25))
        assert found.details["reserve"] == 0.25
        budget = found.cells[0].budget
        assert found.details["undecided"] == 2.0 * undecided(0.2, 0.5 * ALPHA, 0.25, budget) <= UNDECIDED

    def test_a_rate_that_no_trials_support_has_a_budget_all_the_same(self) -> None:
        regime = Regime(cells=[{"m": 4}], derived={"delta": lambda m: 1e-9})
        cell = decide(failing(0.0), regime=regime, evidence=Trials()).cells[0]
        assert (cell.verdict, cell.trials, cell.budget) == (Verdict.UNDECIDED, 2000, 2000)

    @pytest.mark.parametrize(
        ("plan", "said"),
        [
            (Trials(rate=1e-5), r"it takes more than 1000000 trials to decide at rate 1e-05, reserve 0.5"),
            (Trials(rate=0.2, budget=150, fixed=True), "150 trials leave it undecided with probability 1 .*, and 1451"),
            (Trials(rate=0.2, reserve=1.0), r"its reserve 1.0 is not between 0 and 1"),
        ],
    )
    def test_a_plan_that_would_often_not_decide_is_refused(self, plan: Trials, said: str) -> None:
        with pytest.raises(ClaimError, match=said), declared(failing(0.0), evidence=plan):
            pass

    def test_a_form_that_is_to_be_refuted_may_have_few_trials(self) -> None:
        plan = Trials(rate=0.2, budget=20, fixed=True)
        assert decide(failing(1.0), evidence=plan, expected=Verdict.REFUTED).verdict is Verdict.REFUTED


class TestPremises:
    PREMISE = FakePremise(lambda m: m <= 4, "m <= 4")

    @pytest.mark.parametrize(
        ("true", "width", "verdict", "status"),
        [
            (0.0, 4, Verdict.SUPPORTED, PremiseStatus.INSIDE),
            (1.0, 4, Verdict.REFUTED, PremiseStatus.INSIDE),
            (0.0, 8, Verdict.VACUOUS, PremiseStatus.EXTRAPOLATED),
            (1.0, 8, Verdict.UNDECIDED, PremiseStatus.EXTRAPOLATED),
        ],
    )
    def test_outside_a_pass_is_vacuous_and_a_failure_undecided(
        self, true: float, width: int, verdict: Verdict, status: PremiseStatus
    ) -> None:
        judged = row(
            failing(true),
            premises=[self.PREMISE],
            regime=Regime(cells=grid(m=width)),
            evidence=Trials(rate=0.2, budget=200),
        )
        assert (judged.verdict, judged.premise_status) == (verdict, status)

    def test_cells_outside_do_not_speak_for_those_inside(self) -> None:
        def wide_fails(rng: np.random.Generator, m: int) -> float:
            return (2.0 if m > 4 else 0.5) + 0.01 * rng.random()

        judged = row(
            wide_fails,
            premises=[self.PREMISE],
            regime=Regime(cells=grid(m=[4, 8])),
            evidence=Trials(rate=0.2, budget=200),
        )
        assert (judged.verdict, judged.premise_status) == (Verdict.SUPPORTED, PremiseStatus.INSIDE)
        assert [c.verdict for c in judged.evidence.cells] == [Verdict.SUPPORTED, Verdict.REFUTED]
        assert judged.worst is judged.evidence.cells[0]


class TestReplay:
    @staticmethod
    def measure(rng: np.random.Generator, m: int) -> float:
        return float(rng.standard_exponential()) / m

    def test_the_worst_trial_comes_back_alone(self) -> None:
        block: dict[str, Any] = {"regime": Regime(cells=grid(m=[2, 4])), "evidence": Trials(rate=0.2, budget=200)}
        judged = row(self.measure, **block)
        worst = judged.worst
        assert worst is not None
        at = f"m={worst.at['m']},trial={worst.worst['trial']}"
        assert judged.reproduce == f"pytest --claim toy:statement --seed 0 --at {at}"
        (again,) = decide(self.measure, RunConfig(at=worst.worst), **block).cells
        assert (again.measured, again.bound, again.ratio) == (worst.measured, worst.bound, worst.ratio)
        assert (again.trials, again.worst) == (1, worst.worst)
        assert again.remark == f"trial {worst.worst['trial']} alone"

    def test_one_trial_decides_nothing(self) -> None:
        found = decide(failing(0.0), RunConfig(at={"trial": 3}), evidence=Trials(rate=0.2, budget=200))
        assert (found.verdict, found.cells[0].trials) == (Verdict.UNDECIDED, 1)

    def test_a_trial_does_not_depend_on_how_many_are_run(self) -> None:
        with declared(self.measure, evidence=Trials(rate=0.2)) as made:
            case = Case(made, RunConfig(), ALPHA)
            values = [case.judge({"m": 4}, {"m": 4}, trial)[1].measured for trial in range(70)]
            first, second = (run_blocks(count_block, case, {"m": 4}, *span)[0] for span in ((0, 64), (64, 70)))
        assert first.measured == max(values[:64])
        assert first.worst == int(np.argmax(values[:64]))
        assert second.measured == max(values[64:])
        assert second.worst == 64 + int(np.argmax(values[64:]))


class TestBlocks:
    @pytest.mark.parametrize("budget", [1, 63, 64, 65, 128, 1000, 5000])
    def test_rounds_cover_the_budget_once(self, budget: int) -> None:
        spans = list(rounds(budget))
        assert [i for start, stop in spans for i in range(start, stop)] == list(range(budget))
        assert all(start % BLOCK == 0 for start, _ in spans)

    def test_rounds_double_up_to_a_limit(self) -> None:
        assert [stop - start for start, stop in rounds(5000)] == [64, 64, 128, 256, 512, 1024, 1024, 1024, 904]

    def test_merged_counts_do_not_depend_on_how_they_were_split(self) -> None:
        with declared(TestReplay.measure, evidence=Trials(rate=0.2)) as made:
            case = Case(made, RunConfig(), ALPHA)

            def total(size: int) -> Counts:
                merged = Counts()
                for block in run_blocks(count_block, case, {"m": 4}, 0, 200, size=size):
                    merged = merged.merge(block)
                return merged

            whole, split = total(200), total(7)
        assert (whole.trials, whole.failures) == (split.trials, split.failures) == (200, split.failures)
        assert (whole.worst, whole.ratio, whole.measured) == (split.worst, split.ratio, split.measured)
        assert whole.parts == split.parts
        assert max(whole.parts) == whole.ratio

    def test_of_equal_ratios_the_first_trial_is_kept(self) -> None:
        one, two = Counts(1, 0, 0, 0.5, 0.5, 1.0, 3), Counts(1, 0, 0, 0.5, 0.5, 1.0, 9)
        assert one.merge(two).worst == 3
        assert two.merge(one).worst == 9
        assert Counts().merge(one).worst == 3

    def test_a_block_knows_its_control(self) -> None:
        wrong = control("doubled", times=2.0)

        def scaled(rng: np.random.Generator, m: int, *, times: float = 1.0) -> float:
            return 0.6 * times

        with declared(scaled, evidence=Trials(rate=0.2), controls=[wrong]) as made:
            blocks = [Block(made.id, made.file, name, RunConfig(), ALPHA, {"m": 4}, 0, 5) for name in (None, "doubled")]
            assert [count_block(block).failures for block in blocks] == [0, 5]
            with pytest.raises(KeyError):
                count_block(Block(made.id, made.file, "no such control", RunConfig(), ALPHA, {"m": 4}, 0, 5))

    def test_the_decision_is_that_of_the_sequential_test_on_the_counts(self) -> None:
        cell = decide(failing(0.4), evidence=Trials(rate=0.2, budget=2000)).cells[0]
        test = SequentialTest(0.2, ALPHA)
        assert cell.verdict is Verdict.REFUTED
        assert test.decide(cell.failures, cell.trials) == "refute"


class TestRareRates:
    """A statement about small probabilities is judged at a small one besides."""

    @staticmethod
    def often(rng: np.random.Generator, m: int, delta: float) -> float:
        """Fails in a tenth of the trials, whatever rate is allowed."""
        return 2.0 if rng.random() < 0.1 else 0.5

    @staticmethod
    def seldom(rng: np.random.Generator, m: int, delta: float) -> float:
        """Fails as often as is allowed, halved."""
        return 2.0 if rng.random() < delta / 2.0 else 0.5

    regime = Regime(cells=grid(m=[4, 8], delta=0.4))

    def test_what_holds_at_a_large_rate_alone_is_refuted(self) -> None:
        found = decide(self.often, evidence=Trials(), regime=self.regime)
        assert [(cell.at["delta"], cell.verdict) for cell in found.cells] == [
            (0.4, Verdict.SUPPORTED),
            (0.4, Verdict.SUPPORTED),
            (RARE, Verdict.REFUTED),
        ]
        assert found.verdict is Verdict.REFUTED
        assert decide(self.often, evidence=Trials(rare=0.0), regime=self.regime).verdict is Verdict.SUPPORTED

    def test_what_holds_is_seen_to_fail_seldom(self) -> None:
        judged = row(self.seldom, evidence=Trials(), regime=self.regime)
        assert (judged.verdict, judged.weak, judged.evidence.cells[-1].at) == (
            Verdict.SUPPORTED,
            False,
            {"m": 4, "delta": RARE},
        )

    def test_the_smallest_cell_is_taken_wherever_it_stands(self) -> None:
        judged = row(self.seldom, evidence=Trials(), regime=Regime(cells=grid(m=[64, 4, 16], delta=0.4)))
        assert judged.evidence.cells[-1].at == {"m": 4, "delta": RARE}

    def test_the_smallest_cell_that_is_inside_with_the_small_rate_is_taken(self) -> None:
        wide = FakePremise(lambda m, delta: m * delta >= 0.4)
        found = decide(self.seldom, evidence=Trials(), regime=self.regime, premises=[wide])
        assert found.cells[-1].at == {"m": 8, "delta": RARE}
        wider = FakePremise(lambda m, delta: m * delta >= 1.0)
        assert len(decide(self.seldom, evidence=Trials(), regime=self.regime, premises=[wider]).cells) == 2

    @pytest.mark.parametrize(
        ("evidence", "config", "regime"),
        [
            (Trials(dear=True), RunConfig(), regime),
            (Trials(), RunConfig(at={"delta": 0.3}), regime),
            (Trials(), RunConfig(), Regime(cells=grid(m=4, delta=[0.4, 0.05]))),
            (Trials(), RunConfig(), Regime(cells=grid(m=[4, 8]), derived={"delta": lambda m: 1.6 / m})),
        ],
        ids=["dear", "asked elsewhere", "declared", "derived"],
    )
    def test_nothing_is_added_where(self, evidence: Trials, config: RunConfig, regime: Regime) -> None:
        found = decide(self.seldom, config, evidence=evidence, regime=regime)
        assert len(found.cells) <= len(regime.cells)

    def test_from_thorough_effort_on_what_is_dear_is_judged_too(self) -> None:
        found = decide(self.seldom, RunConfig(effort="thorough"), evidence=Trials(dear=True), regime=self.regime)
        assert found.cells[-1].at["delta"] == RARE

    def test_a_control_is_not_asked(self) -> None:
        wrong = control("at another width", cells=[{"m": 4, "delta": 0.4}])
        found = decide(
            self.seldom, evidence=Trials(), regime=self.regime, controls=[wrong], of_control="at another width"
        )
        assert [cell.at["delta"] for cell in found.cells] == [0.4]

    def test_a_control_is_refuted_there_where_fewer_trials_do(self) -> None:
        wrong = control("a tenth of the bound", bound=formula(lambda: 0.1))
        found = decide(
            self.seldom, evidence=Trials(), regime=self.regime, controls=[wrong], of_control="a tenth of the bound"
        )
        (cell,) = found.cells
        assert (cell.at["delta"], cell.trials) == (RARE, row_to_refute(RARE, ALPHA / 3))

    def test_the_rare_rate_is_one(self) -> None:
        with pytest.raises(ClaimError, match=r"its rare rate 2\.0 is not between 0 and 1"):
            decide(self.seldom, evidence=Trials(rare=2.0), regime=self.regime)


class TestControls:
    """A control is asked for a refutation alone, where it comes soonest."""

    def tried(self, share: Any, cells: Any, **block: Any) -> tuple[Any, dict[int, int]]:
        """What a control finds that fails in the share of the trials of a width, and how often each was measured."""
        measured: dict[int, int] = {}

        def function(rng: np.random.Generator, m: int, *, wrong: bool = False) -> float:
            drawn = rng.random()
            measured[m] = measured.get(m, 0) + wrong
            return 2.0 if wrong and drawn < share(m) else 0.5 - 1e-6 * drawn

        block = {"regime": Regime(cells=cells), "evidence": Trials(rate=0.2), **block}
        return decide(function, controls=[control("wrong", wrong=True)], of_control="wrong", **block), measured

    def test_it_ends_with_the_trial_that_refutes(self) -> None:
        found, measured = self.tried(lambda m: 1.0, grid(m=4))
        assert found.verdict is Verdict.REFUTED
        assert found.cells[0].trials == row_to_refute(0.2, ALPHA)
        # Those that are measured again are the first and the worst.
        assert measured[4] <= found.cells[0].trials + 2

    def test_a_cell_where_nothing_fails_is_left_after_a_few_trials(self) -> None:
        found, measured = self.tried(lambda m: float(m == 8), grid(m=[4, 8]))
        assert [cell.verdict for cell in found.cells] == [Verdict.UNDECIDED, Verdict.REFUTED]
        assert measured[4] == CONTROL_BLOCK

    def test_no_trial_is_measured_in_two_rounds(self) -> None:
        found, measured = self.tried(lambda m: 0.35, grid(m=4), evidence=Trials(rate=0.2, budget=2000))
        assert found.verdict is Verdict.REFUTED
        assert found.cells[0].trials > 4 * (row_to_refute(0.2, ALPHA) or 0)
        assert measured[4] <= found.cells[0].trials + 2

    def test_one_that_is_true_is_never_refuted(self) -> None:
        found, _ = self.tried(lambda m: 0.1, grid(m=[4, 8]))
        assert found.verdict is not Verdict.REFUTED
        assert all(cell.trials >= trials_to_support(0.2, 0.5 * ALPHA) for cell in found.cells)


def cached(rng: np.random.Generator, m: int, delta: float) -> float:
    """The same number in every trial, as a draw that is kept at module level gives it."""
    return float(np.random.default_rng(0).random())


ONE_NUMBER: dict[str, Any] = {"regime": Regime(cells=[{"m": 4, "delta": 0.1}])}


def test_trials_that_all_measure_one_number_are_one_trial() -> None:
    found = decide(cached, evidence=Trials(), **ONE_NUMBER)
    assert found.verdict is Verdict.UNDECIDED
    assert "as one trial drawn once would" in found.cells[0].remark
    assert found.details["repeated"] == len(found.cells) * (MOST_DOTS - 1)
    said = Trials(one_number="a law with one atom")
    assert decide(cached, evidence=said, **ONE_NUMBER).verdict is Verdict.SUPPORTED


def test_one_number_beside_bounds_that_vary_is_many_trials() -> None:
    def measured(rng: np.random.Generator, m: int, delta: float) -> Measured:
        return Measured(1.0, symbols={"n": 2.0 + rng.random()})

    block = {**ONE_NUMBER, "bound": formula(lambda n: n, "n"), "measured": ["n"]}
    assert decide(measured, evidence=Trials(), **block).verdict is Verdict.SUPPORTED


def in_units_of_its_own(rng: np.random.Generator, m: int, delta: float) -> Measured:
    """The same number in every trial times a size that is drawn, as its bound is."""
    size = 1.0 + rng.random()
    return Measured(size * cached(rng, m, delta), symbols={"n": size})


IN_UNITS: dict[str, Any] = {**ONE_NUMBER, "bound": formula(lambda n: n, "n"), "measured": ["n"]}


def test_trials_of_one_ratio_to_their_bounds_are_one_trial() -> None:
    found = decide(in_units_of_its_own, evidence=Trials(), **IN_UNITS)
    assert found.verdict is Verdict.UNDECIDED
    assert "have the ratio 0.636962, as one trial drawn once would" in found.cells[0].remark
    said = Trials(one_number="a law with one atom, in units")
    assert decide(in_units_of_its_own, evidence=said, **IN_UNITS).verdict is Verdict.SUPPORTED


def test_trials_of_several_ratios_to_their_bounds_are_many() -> None:
    def several(rng: np.random.Generator, m: int, delta: float) -> Measured:
        alone = in_units_of_its_own(rng, m, delta)
        return Measured(float(alone.value) * (1.0 + 1e-9 * rng.random()), symbols=alone.symbols)

    assert decide(several, evidence=Trials(), **IN_UNITS).verdict is Verdict.SUPPORTED


def test_one_number_above_the_bound_refutes() -> None:
    never = decide(cached, evidence=Trials(), bound=formula(lambda: 0.1, "1/10"), **ONE_NUMBER)
    assert never.verdict is Verdict.REFUTED

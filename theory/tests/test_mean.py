"""A mean by betting: what refutes, what supports, what neither does, and in which words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from theory.claims import control, registry
from theory.claims.regime import Regime, grid
from theory.core.measured import Measured
from theory.core.refusal import ClaimError
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence import Mean
from theory.evidence.lemma import lemma
from theory.judging.judge import judge
from theory.reports import ledger, report
from theory.running.config import RunConfig
from theory.tests.fakes import NEVER, decide, declared, formula, row
from theory.upkeep import reserves

EXPONENTIAL = Mean(ratio=2.0, why="the law is exponential")
TWO, HALF = formula(lambda: 2.0, "2"), formula(lambda: 0.5, "1/2")


def exponential(rng: np.random.Generator, m: int, *, times: float = 1.0) -> float:
    """A number with the mean 1."""
    return float(times * rng.exponential())


def uniform(rng: np.random.Generator, m: int, *, times: float = 1.0) -> float:
    """A number between 0 and 1."""
    return float(times * rng.random())


class TestVerdicts:
    @pytest.mark.parametrize(
        ("bound", "sense", "plan", "verdict"),
        [
            (TWO, "<=", EXPONENTIAL, Verdict.SUPPORTED),
            (HALF, "<=", EXPONENTIAL, Verdict.REFUTED),
            (HALF, "<=", Mean(), Verdict.REFUTED),
            (TWO, "<=", Mean(budget=256), Verdict.UNDECIDED),
            (HALF, ">=", EXPONENTIAL, Verdict.SUPPORTED),
            (TWO, ">=", EXPONENTIAL, Verdict.REFUTED),
            (HALF, "=", EXPONENTIAL, Verdict.REFUTED),
            (TWO, "=", EXPONENTIAL, Verdict.REFUTED),
            (HALF, "=", Mean(), Verdict.REFUTED),
            (TWO, "=", Mean(budget=256), Verdict.UNDECIDED),
        ],
    )
    def test_of_an_exponential_law(self, bound: Any, sense: str, plan: Mean, verdict: Verdict) -> None:
        assert decide(exponential, bound=bound, sense=sense, evidence=plan).verdict is verdict

    @pytest.mark.parametrize(
        ("bound", "sense", "verdict"),
        [
            (formula(lambda: 0.8), "<=", Verdict.SUPPORTED),
            (formula(lambda: 0.3), "<=", Verdict.REFUTED),
            (formula(lambda: 0.2), ">=", Verdict.SUPPORTED),
            (formula(lambda: 0.9), ">=", Verdict.REFUTED),
            (HALF, "=", Verdict.SUPPORTED),
            (formula(lambda: 0.7), "=", Verdict.REFUTED),
            (formula(lambda: 1.5), "=", Verdict.REFUTED),
            (formula(lambda: 1.5), ">=", Verdict.REFUTED),
        ],
    )
    def test_with_a_ceiling(self, bound: Any, sense: str, verdict: Verdict) -> None:
        assert decide(uniform, bound=bound, sense=sense, evidence=Mean(ceiling=1.0)).verdict is verdict

    def test_a_probability_has_the_ceiling_1(self) -> None:
        found = decide(uniform, bound=formula(lambda: 0.8), probability=True, evidence=Mean())
        assert (found.verdict, found.details["known"]) == (Verdict.SUPPORTED, "no draw exceeds 1")

    def test_a_bound_at_the_ceiling_is_trivial(self) -> None:
        found = decide(uniform, bound=TWO, evidence=Mean(ceiling=1.0))
        assert found.premises is PremiseStatus.TRIVIAL

    def test_without_a_ceiling_or_a_moment_it_says_why_nothing_supports_it(self) -> None:
        found = row(exponential, bound="2", evidence=Mean(budget=128), controls=[control("a half", bound="1/2")])
        assert found.verdict is Verdict.UNDECIDED
        assert "nothing keeps the mean from lying in values too rare to be seen; declare a ceiling" in found.complaint

    @pytest.mark.parametrize("sense", ["<=", ">=", "="])
    def test_the_draws_that_would_do_are_told_and_do(self, sense: str) -> None:
        bound = {"<=": 1.2, ">=": 0.85, "=": 1.0}[sense]
        plan = Mean(ratio=2.0, why="the law is exponential", most=256)
        (cell,) = decide(exponential, bound=formula(lambda: bound), sense=sense, evidence=plan).cells
        assert cell.verdict is Verdict.UNDECIDED
        told = re.search(r"256 draws were not enough: .*about (\d+) draws would do, so write budget=(\d+)", cell.remark)
        assert told is not None, cell.remark
        enough = replace(plan, most=0, budget=int(told[2]))
        assert (
            decide(exponential, bound=formula(lambda: bound), sense=sense, evidence=enough).verdict is Verdict.SUPPORTED
        )

    def test_a_mean_too_near_to_its_bound_is_told_to_be_so(self) -> None:
        (cell,) = decide(exponential, bound=formula(lambda: 0.95), evidence=replace(EXPONENTIAL, most=256)).cells
        assert "too near for what is known of the law; write a larger bound, or a sharper ratio= or" in cell.remark

    def test_what_is_declared_may_be_a_formula(self) -> None:
        plan = Mean(ratio="2 + 0*m", why="the law is exponential")
        assert decide(exponential, bound=TWO, evidence=plan).verdict is Verdict.SUPPORTED
        for text, said in (
            ("2*K", "its ratio needs K, which the regime"),
            ("2*)", "its ratio is no formula: this is no"),
        ):
            with pytest.raises(ClaimError, match=re.escape(said)):
                row(exponential, bound="2", evidence=Mean(ratio=text, why="wrong"))
        try:
            made = lemma("toymean Lemma 1", "2/k", mean={"ratio": "2 + 0*k", "why": "exponential"}, k=[1, 2])
            assert (
                judge(made(lambda rng, k: float(rng.exponential()) / k), RunConfig(), 1e-3).verdict is Verdict.SUPPORTED
            )
        finally:
            registry.remove("toymean:lemma-1")

    def test_a_row_whose_draws_speak_against_the_declared_moment_is_marked(self) -> None:
        found = row(
            exponential, bound="4", evidence=Mean(ratio=1.05, why="wrong"), controls=[control("a half", bound="1/2")]
        )
        assert (found.verdict, found.said) == (Verdict.SUPPORTED, "supported, doubtful")
        assert any("where 1.05 is declared" in gap for gap in found.gaps)
        assert any(remark.startswith("what it rests on is in doubt: at m=") for remark in found.remarks)
        right = row(exponential, bound="4", evidence=EXPONENTIAL, controls=[control("a half", bound="1/2")])
        assert (right.said, right.doubt) == ("supported", "")

    def test_every_mean_of_an_array_is_judged_against_its_own_bound(self) -> None:
        def products(rng: np.random.Generator, L: int, *, gain: float = 1.0) -> Measured:
            """Products of exponential numbers, each with the mean 2."""
            return Measured(np.cumprod(gain * rng.exponential(2.0, size=L)), symbols={"l": np.arange(1, L + 1)})

        plan = Mean(ratio=lambda L: 2.0**L, why="the second moment of each factor is 2")
        block: dict[str, Any] = {"regime": Regime(cells=grid(L=3)), "evidence": plan, "measured": ["l"]}
        found = row(products, bound="2*2**l", controls=[control("does not grow", bound="2")], **block)
        assert (found.verdict, found.complaint) == (Verdict.SUPPORTED, "")
        assert found.worst is not None
        assert found.worst.reported["l"] in (1.0, 2.0, 3.0)
        assert "l" in found.sight.sees

    def test_one_number_alone_is_no_mean(self) -> None:
        found = decide(lambda rng, m: 0.5, bound=TWO, evidence=EXPONENTIAL)
        assert found.verdict is Verdict.UNDECIDED
        assert found.cells[0].remark.startswith("all 128 draws measured 0.5, as one would")

    @pytest.mark.parametrize("bound", [0.0, -1.0])
    def test_a_bound_that_is_not_positive_falls_by_one_draw(self, bound: float) -> None:
        assert decide(exponential, bound=formula(lambda: bound), evidence=Mean()).verdict is Verdict.REFUTED

    def test_nothing_but_zeros_says_nothing_of_a_bound_of_zero(self) -> None:
        found = decide(lambda rng, m: 0.0, bound=formula(lambda: 0.0), evidence=Mean(ceiling=1.0, budget=64))
        assert found.verdict is Verdict.UNDECIDED

    @pytest.mark.parametrize("sense", ["<=", ">=", "="])
    def test_draws_that_are_no_numbers_support_nothing(self, sense: str) -> None:
        def broken(rng: np.random.Generator, m: int) -> float:
            return math.nan if rng.random() < 0.1 else rng.random()

        bound = {"<=": 0.9, ">=": 0.2, "=": 0.5}[sense]
        plan = Mean(ceiling=1.0, budget=256, resolution=0.3)
        (cell,) = decide(broken, bound=formula(lambda: bound), sense=sense, evidence=plan).cells
        assert (cell.verdict, math.isnan(cell.measured)) == (Verdict.UNDECIDED, True)
        assert "is no finite number" in cell.remark

    def test_they_do_not_hide_a_refutation(self) -> None:
        def broken(rng: np.random.Generator, m: int) -> float:
            return math.nan if rng.random() < 0.02 else 4.0 * rng.random()

        assert decide(broken, evidence=Mean()).verdict is Verdict.REFUTED

    def test_a_second_moment_far_beyond_the_declared_one_is_told(self) -> None:
        wrong = Mean(ratio=1.1, why="wrong")
        (cell,) = decide(exponential, bound=HALF, evidence=wrong).cells
        assert "times the squared mean, where 1.1 is declared" in cell.remark
        (right,) = decide(exponential, bound=TWO, evidence=EXPONENTIAL).cells
        assert "declared" not in right.remark

    def test_a_heavy_tail_is_told(self) -> None:
        def heavy(rng: np.random.Generator, m: int) -> float:
            return float(rng.pareto(0.6))

        (cell,) = decide(heavy, bound=formula(lambda: 1e6), evidence=Mean(budget=512)).cells
        assert "a heavy tail: one draw of 512 makes up" in cell.remark
        (light,) = decide(exponential, bound=TWO, evidence=EXPONENTIAL).cells
        assert "heavy" not in light.remark


class TestErrors:
    @pytest.mark.parametrize(
        ("function", "block", "message"),
        [
            (lambda rng, m: -0.3, {}, r"it measures -0.3, and a mean is judged by draws that are never negative"),
            (
                lambda rng, m: 1.5 + rng.random(),
                {"evidence": Mean(ceiling=1.0)},
                r"above the ceiling 1 that its plan declares \(at m=4,trial=0\)",
            ),
            (
                lambda rng, m: Measured(rng.random(), symbols={"x": rng.random()}),
                {"measured": ["x"], "bound": formula(lambda x: x)},
                r"it measures x as another number than in the first draw, and a mean is held against one bound",
            ),
            (
                lambda rng, m: rng.random(size=1 + int(rng.random() < 0.3)),
                {},
                r"a mean is one of numbers that every draw has",
            ),
            (
                lambda rng, m: rng.random(),
                {"measured": ["x"], "bound": formula(lambda x: x)},
                r"it lists x among what it measures",
            ),
        ],
    )
    def test_what_is_no_draw_of_a_mean_is_said_in_a_sentence(
        self, function: Callable[..., Any], block: dict[str, Any], message: str
    ) -> None:
        found = row(function, **{"bound": TWO, "evidence": Mean(), "controls": [NEVER], **block})
        assert found.verdict is Verdict.ERROR
        with pytest.raises(ClaimError, match=message):
            raise ClaimError(found.error)

    def test_rounding_below_zero_is_zero(self) -> None:
        def rounded(rng: np.random.Generator, m: int) -> Measured:
            return Measured(-1e-18 if rng.random() < 0.5 else rng.random(), error=1e-15)

        assert decide(rounded, bound=HALF, evidence=Mean(ceiling=1.1)).verdict is Verdict.SUPPORTED


class TestBudget:
    def test_it_is_known_before_the_run_and_suffices_at_every_seed(self) -> None:
        """At the reserve itself, and at the worst law of its kind: 0 or the largest number."""

        def two_values(rng: np.random.Generator, m: int) -> float:
            return 4.0 * (rng.random() < 0.25)

        plan = Mean(ratio=4.0, why="two values")
        cells = [decide(two_values, RunConfig(seed=s), bound=TWO, evidence=plan).cells[0] for s in range(20)]
        assert {cell.verdict for cell in cells} == {Verdict.SUPPORTED}
        (budget,) = {cell.budget for cell in cells}
        assert max(cell.trials for cell in cells) < budget <= 4096

    def test_the_row_says_what_it_would_have_told_from_the_bound(self) -> None:
        found = decide(exponential, bound=TWO, evidence=EXPONENTIAL)
        assert found.power.kind == "bound factor"
        assert 0.3 < found.power.value < 0.5
        assert found.details["caught"].startswith("a mean of 1.")
        low, high = found.intervals["mean"]
        assert low < 1.0 < high < 2.0
        assert 0.0 < found.details["undecided"] <= 1e-6

    def test_a_cell_alone_comes_out_as_in_company(self) -> None:
        block: dict[str, Any] = {"bound": "2", "regime": Regime(cells=grid(m=[4, 8])), "evidence": EXPONENTIAL}
        block["controls"] = [control("a half", bound="1/2")]
        together = decide(exponential, **block).cells[1]
        (alone,) = decide(exponential, RunConfig(at={"m": 8}), **block).cells
        assert (alone.measured, alone.trials) == (together.measured, together.trials)

    def test_a_draw_is_replayed_and_decides_nothing(self) -> None:
        (cell,) = decide(exponential, RunConfig(at={"trial": 3}), bound=HALF, evidence=Mean()).cells
        assert (cell.verdict, cell.trials, cell.remark) == (Verdict.UNDECIDED, 1, "draw 3 alone")

    @pytest.mark.parametrize(
        ("plan", "block", "message"),
        [
            (Mean(ratio=2.0), {}, "it declares a second moment without a reason"),
            (Mean(ratio=0.5, why="no"), {}, "its ratio is 0.5 at m=4; write 1 or more"),
            (Mean(ceiling=-1.0), {}, "its ceiling is -1 at m=4; write a positive number"),
            (Mean(ceiling=lambda q: q), {}, "its ceiling needs q, which the regime does not give"),
            (Mean(), {"sense": ">="}, "nothing would refute that a mean is at least its bound"),
            (Mean(reserve=1.0), {}, "its reserve 1.0 is not between 0 and 1"),
            (Mean(resolution=0.0), {"sense": "="}, "its resolution 0.0 is not between 0 and 1"),
            (Mean(budget=-1), {}, "its budget -1 is no number of draws"),
            (Mean(ratio=2.0, why="w", reserve=0.9999), {}, "it takes more than 1000000 draws to decide at m=4"),
        ],
    )
    def test_what_cannot_be_decided_is_refused_with_the_block(
        self, plan: Mean, block: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(ClaimError) as raised, declared(exponential, evidence=plan, **block):
            pass
        assert message in str(raised.value)


def test_what_seeds_leave_of_the_draws_is_told() -> None:
    suite = [ledger.Suite("0", "0", "quick", seed) for seed in range(2)]
    rows = [
        row(
            exponential,
            RunConfig(seed=s.seed),
            bound="2",
            evidence=EXPONENTIAL,
            controls=[control("a half", bound="1/2")],
        )
        for s in suite
    ]
    (standing,) = reserves.standings([ledger.to_json([one], s) for one, s in zip(rows, suite, strict=True)])
    assert standing.reserve is not None
    assert standing.reserve.of == "the draws"
    assert 0.0 < standing.reserve.share < 1.0
    assert standing.reserve.said.startswith("decided after ")


class TestControls:
    def test_they_are_refuted_by_the_draws_of_their_claim_and_beyond(self) -> None:
        """Two tenths beyond the bound take more draws than the claim did."""
        controls = [control("near", bound="4/5"), control("a half", bound="1/2"), control("larger", times=3.0)]
        found = row(exponential, bound="2", evidence=EXPONENTIAL, controls=controls)
        assert [c.refuted for c in found.controls] == [True, True, True]
        near, half, larger = (c.change for c in found.controls)
        assert near.closest is not None
        assert half.closest is not None
        assert 1.0 <= near.closest < half.closest < 2.0
        assert larger.measured is not None
        assert larger.measured[0] == pytest.approx(3.0, rel=0.5)

    def test_a_story_says_what_is_known_and_where_the_mean_lies(self) -> None:
        found = row(exponential, bound="2", evidence=EXPONENTIAL, controls=[control("a half", bound="1/2")])
        story = "\n".join(report.story(found))
        assert "known: second moment at most 2 times the squared mean: the law is exponential" in story
        assert "the mean is in [" in story
        assert "failures" not in story


def two_layers(rng: np.random.Generator, width: int, depth: int, gain: float) -> np.ndarray:
    """The squared norm of a unit vector behind every layer of rectified Gaussian weights of variance gain/width."""
    state, found = np.zeros(width), []
    state[0] = 1.0
    for _ in range(depth):
        state = np.maximum(rng.standard_normal((width, width)) @ state * math.sqrt(gain / width), 0.0)
        found.append(float(state @ state))
    return np.array(found)


class TestExamples:
    """Two statements of the field, whose averages would be judged by trials of averages without this plan."""

    def test_a_mean_of_products_over_layers(self) -> None:
        """E ||x_l||^2 = 1 behind each of L rectified layers of m neurons; its second moment is (1 + 5/m)^l.

        Of a neuron of a layer, (2/m) max(g, 0)^2, the mean is 1/m and the second moment 6/m^2, so that the square of a
        sum of m independent ones has the mean m (6/m^2) + m (m - 1)/m^2 = 1 + 5/m.
        """

        def products(rng: np.random.Generator, m: int, L: int, *, gain: float = 2.0) -> Measured:
            """The squared norm behind every layer."""
            return Measured(two_layers(rng, m, L, gain), symbols={"l": np.arange(1, L + 1)})

        found = row(
            products,
            kind="expectation",
            bound="1 + 0*l",
            sense="=",
            measured=["l"],
            regime=Regime(cells=grid(m=16, L=3)),
            evidence=Mean(ratio=lambda m, L: (1.0 + 5.0 / m) ** L, why="fourth moments of Gaussian weights"),
            controls=[control("weight variance 1/m", gain=1.0), control("weight variance 2.2/m", gain=2.2)],
        )
        assert (found.verdict, found.complaint) == (Verdict.SUPPORTED, "")

    def test_the_variance_of_lengths(self) -> None:
        """Hanin and Rolnick, How to start training, 2018: the variance between L layers of the squared norms M_l.

        Its mean is at most that of the squared distances from 1, (1 + 5/m)^l - 1 of each layer. A draw of it is rarely
        near its mean: the second moment that is declared is 52 times the square of the mean at most, by Minkowski's
        inequality and the moments of a chi-squared law.
        """

        def between_layers(rng: np.random.Generator, m: int, L: int, *, gain: float = 2.0) -> float:
            """The variance of the squared norms, drawn by their law: a layer multiplies it by a chi-squared sum."""
            active = rng.binomial(m, 0.5, size=L)
            return float(np.var(np.cumprod(gain / m * rng.chisquare(active))))

        def ratio(m: int, L: int) -> float:
            layers = np.arange(1, L + 1)
            second, third, fourth = (moment_of_a_layer(m, power) ** layers for power in (2, 3, 4))
            squares = np.mean(np.sqrt(fourth - 4.0 * third + 6.0 * second - 3.0)) ** 2
            pairs = np.minimum.outer(layers, layers)
            return float(squares / (np.mean(second) - np.mean(moment_of_a_layer(m, 2) ** pairs)) ** 2)

        block: dict[str, Any] = {
            "kind": "expectation",
            "bound": formula(
                lambda m, L: np.mean((1.0 + 5.0 / m) ** np.arange(1, L + 1)) - 1.0, "mean (1 + 5/m)^l - 1"
            ),
            "regime": Regime(cells=grid(m=256, L=8)),
            "controls": [
                control("as for one layer", bound=formula(lambda m: 5.0 / m, "5/m")),
                control("weight variance 2.2/m", gain=2.2),
            ],
        }
        found = row(between_layers, evidence=Mean(ratio=ratio, why="moments of a chi-squared law"), **block)
        assert (found.verdict, found.complaint) == (Verdict.SUPPORTED, "")
        unknown = row(between_layers, evidence=Mean(budget=512), **block)
        assert (unknown.verdict, [c.refuted for c in unknown.controls]) == (Verdict.UNDECIDED, [True, True])


def moment_of_a_layer(m: int, power: int) -> float:
    """E[Y^power] of what a layer of m rectified neurons multiplies a squared norm by: (2/m) chi2 with Bin(m, 1/2)."""
    degrees = np.arange(m + 1)
    of_chi2 = np.prod([degrees + 2.0 * k for k in range(power)], axis=0)
    return float((2.0 / m) ** power * np.sum(of_chi2 * binom.pmf(degrees, m, 0.5)))


def test_moments_of_a_layer() -> None:
    assert moment_of_a_layer(16, 1) == pytest.approx(1.0)
    assert moment_of_a_layer(16, 2) == pytest.approx(1.0 + 5.0 / 16.0)

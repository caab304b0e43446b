"""Exact tails: brackets decide, the quantile is found, the power is a factor on the bound."""

from __future__ import annotations

import math
from typing import Any

import pytest
from scipy import stats

from theory.claims import control
from theory.claims.regime import Regime, grid
from theory.claims.results import Evidence
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence import ExactLaw, Tail
from theory.running.config import RunConfig
from theory.tests.fakes import FakeBound, FakePremise, chosen, decide, formula, row


def exponential(threshold: float, m: int) -> float:
    """P(X > threshold) of an exponential variable with mean m."""
    return math.exp(-max(threshold, 0.0) / m)


def bracketed(threshold: float, m: int, *, slack: float = 2.0) -> Tail:
    """The same known to a factor only."""
    exact = math.exp(-threshold / m)
    return Tail(exact / slack, min(exact * slack, 1.0))


def judged(function: Any, level: float, rate: float = 0.01, **block: Any) -> Evidence:
    return decide(function, bound=formula(lambda: level), evidence=ExactLaw(rate=rate), **block)


QUANTILE = 4 * math.log(100)  # of the exponential of mean 4 at rate 0.01


@pytest.mark.parametrize(
    ("function", "level", "verdict"),
    [
        (exponential, QUANTILE * 1.001, Verdict.SUPPORTED),
        (exponential, QUANTILE * 0.999, Verdict.REFUTED),
        (bracketed, QUANTILE + 4 * math.log(2) + 1e-9, Verdict.SUPPORTED),
        (bracketed, QUANTILE + 1.0, Verdict.UNDECIDED),
        (bracketed, QUANTILE - 1.0, Verdict.UNDECIDED),
        (bracketed, QUANTILE - 4 * math.log(2) - 1e-9, Verdict.REFUTED),
    ],
)
def test_brackets_on_one_side_of_the_rate_decide(function: Any, level: float, verdict: Verdict) -> None:
    assert judged(function, level).verdict is verdict


def test_a_probability_equal_to_the_rate_is_allowed() -> None:
    """The claim is "at most delta"."""
    assert judged(lambda threshold, m: Tail(0.01, 0.01), 1.0).verdict is Verdict.SUPPORTED


def test_a_bare_number_is_known_up_to_rounding() -> None:
    """So at the rate itself it is on neither side, and 0 is exact."""
    (cell,) = judged(lambda threshold, m: 0.01, 1.0).cells
    assert (cell.verdict, cell.remark) == (Verdict.UNDECIDED, "failure probability in [0.01, 0.01], rate 0.01")
    for share, verdict in ((1.0 - 1e-11, Verdict.SUPPORTED), (1.0 + 1e-11, Verdict.REFUTED)):
        assert judged(lambda threshold, m, *, share=share: 0.01 * share, 1.0).verdict is verdict
    assert judged(lambda threshold, m: 0.0, 1.0, rate=0.0).verdict is Verdict.SUPPORTED


@pytest.mark.parametrize("level", [0.01, 1.0, QUANTILE, 40.0, 1e6])
def test_the_measured_number_is_the_quantile(level: float) -> None:
    """To 20 bits, from wherever the bound stands."""
    cell = judged(exponential, level).cells[0]
    assert cell.measured == pytest.approx(QUANTILE, rel=2e-6)
    assert cell.ratio == pytest.approx(QUANTILE / level, rel=2e-6)
    assert cell.trials == cell.failures == 0


def test_the_quantile_of_brackets_is_the_level_they_guarantee() -> None:
    found = judged(bracketed, 30.0)
    assert found.cells[0].measured == pytest.approx(QUANTILE + 4 * math.log(2), rel=2e-6)
    # A smaller bound than this factor times the stated one would be refuted for certain.
    assert found.power.kind == "bound factor"
    assert found.power.value == pytest.approx((QUANTILE - 4 * math.log(2)) / 30.0, rel=2e-6)
    assert judged(bracketed, 30.0 * found.power.value * 0.999).verdict is Verdict.REFUTED
    assert judged(bracketed, 30.0 * found.power.value * 1.001).verdict is not Verdict.REFUTED


def test_the_power_of_a_row_is_that_of_its_tightest_cell() -> None:
    """One refuted cell refutes the row."""
    block: dict[str, Any] = {"regime": Regime(cells=grid(m=[1, 4])), "evidence": ExactLaw(rate=0.01)}
    found = decide(exponential, bound=formula(lambda: 40.0), **block)
    assert found.power.value == pytest.approx(QUANTILE / 40.0, rel=2e-6)
    tighter = decide(exponential, bound=formula(lambda: 40.0 * found.power.value * 0.999), **block)
    assert tighter.verdict is Verdict.REFUTED


def test_a_discrete_law_has_its_jump_as_quantile() -> None:
    """Binomial(20, 1/2) exceeds 15 with probability 0.0059 and 14 with probability 0.0207."""
    found = judged(lambda threshold, m: float(stats.binom.sf(threshold, 20, 0.5)), 17.0)
    assert found.verdict is Verdict.SUPPORTED
    assert found.cells[0].measured == pytest.approx(15.0, rel=2e-6)


@pytest.mark.parametrize(("tail", "quantile"), [(0.0, 0.0), (1.0, math.inf)])
def test_a_law_without_a_crossing_has_an_end_as_quantile(tail: float, quantile: float) -> None:
    assert judged(lambda threshold, m: tail, 3.0).cells[0].measured == quantile


@pytest.mark.parametrize(
    "tail",
    [Tail(0.3, 0.2), Tail(-0.1, 0.2), Tail(1.5, 2.0), Tail(0.0, math.inf), Tail(math.nan, math.nan)],
    ids=["crossed", "negative", "above 1", "infinite", "NaN"],
)
def test_what_is_no_probability_decides_nothing(tail: Tail) -> None:
    for level in (1e-3, 1e3):
        found = judged(lambda threshold, m: tail, level)
        assert found.verdict is Verdict.UNDECIDED
        assert math.isnan(found.cells[0].ratio)


def test_an_upper_bracket_may_exceed_1_by_its_own_error() -> None:
    assert judged(lambda threshold, m: Tail(0.5, 1.0 + 1e-12), 1.0).verdict is Verdict.REFUTED


def test_a_tail_that_breaks_down_elsewhere_leaves_the_verdict_and_drops_the_quantile() -> None:
    """A power computed past a NaN would be invented."""

    def fragile(threshold: float, m: int) -> float:
        return math.nan if threshold < 20.0 else math.exp(-threshold / m)

    found = judged(fragile, 30.0)
    assert found.verdict is Verdict.SUPPORTED
    assert math.isnan(found.cells[0].measured)
    assert math.isnan(found.power.value)


@pytest.mark.parametrize("level", [0.0, -1.0])
def test_a_bound_that_is_not_positive_is_missed_by_any_factor_or_met(level: float) -> None:
    missed, met = judged(exponential, level), judged(lambda threshold, m: 0.0, level)
    assert (missed.verdict, met.verdict) == (Verdict.REFUTED, Verdict.SUPPORTED)
    assert missed.cells[0].measured == pytest.approx(QUANTILE, rel=2e-6)
    assert (missed.cells[0].ratio, missed.power.value) == (math.inf, math.inf)
    assert (met.cells[0].measured, met.cells[0].ratio, met.power.value) == (level, 0.0, 0.0)


@pytest.mark.parametrize("level", [0.0, -1.0])
def test_below_the_levels_of_a_law_the_tail_is_at_least_what_it_is_above(level: float) -> None:
    """What the levels above do not show stays undecided."""
    raising, beyond_1 = lambda threshold, m: -math.log(threshold) / 100.0, lambda threshold, m: math.erfc(threshold)
    for tail in (raising, beyond_1):
        found = judged(tail, level)
        assert (found.verdict, found.cells[0].ratio) == (Verdict.REFUTED, math.inf)
    for fragile in (lambda threshold, m: -1.0, lambda threshold, m: 0.001 if threshold > 0.0 else 2.0):
        found = judged(fragile, level)
        assert found.verdict is Verdict.UNDECIDED
        assert math.isnan(found.cells[0].ratio)


@pytest.mark.parametrize("rate", [1.0, 2.0, math.nan, math.inf, -0.5])
def test_a_rate_that_says_nothing_is_not_supported(rate: float) -> None:
    regime = Regime(cells=[{"m": 4}], derived={"delta": lambda m: rate})
    found = decide(exponential, bound=formula(lambda: 50.0), regime=regime, evidence=ExactLaw())
    assert found.verdict is Verdict.UNDECIDED
    assert found.cells[0].remark.endswith("here, which says nothing")


def test_premises_gate_the_cells() -> None:
    block: dict[str, Any] = {
        "bound": formula(lambda: 20.0),
        "premises": [FakePremise(lambda m: m <= 4)],
        "evidence": ExactLaw(rate=0.01),
    }
    mixed = row(exponential, regime=Regime(cells=grid(m=[4, 100])), **block)
    assert (mixed.verdict, mixed.premise_status) == (Verdict.SUPPORTED, PremiseStatus.INSIDE)
    outside = row(exponential, regime=Regime(cells=grid(m=100)), **block)
    assert (outside.verdict, outside.premise_status) == (Verdict.UNDECIDED, PremiseStatus.EXTRAPOLATED)
    # Neither the interval nor the power speaks of the cell outside.
    assert mixed.evidence.intervals["failure probability"] == pytest.approx([math.exp(-5.0)] * 2, rel=1e-11)
    assert mixed.evidence.power.value == pytest.approx(QUANTILE / 20.0, rel=2e-6)


def test_a_control_changes_the_law_or_the_bound() -> None:
    def scaled(threshold: float, m: int, *, mean: float = 1.0) -> float:
        return math.exp(-threshold / (m * mean))

    wrong = [control("mean doubled", mean=2.0), control("bound halved", bound=formula(lambda: 10.0))]
    judged_row = row(scaled, bound=formula(lambda: 20.0), evidence=ExactLaw(rate=0.01), controls=wrong)
    assert judged_row.ok
    assert [c.refuted for c in judged_row.controls] == [True, True]


def test_a_constant_can_be_asked_about() -> None:
    bound = FakeBound(lambda C: C, constants={"C": chosen(20.0)})
    block: dict[str, Any] = {"bound": bound, "evidence": ExactLaw(rate=0.01)}
    assert decide(exponential, **block).verdict is Verdict.SUPPORTED
    what_if = decide(exponential, RunConfig(at={"C": 18.0}), **block)
    assert (what_if.verdict, what_if.cells[0].bound) == (Verdict.REFUTED, 18.0)

"""Rows whose ratio rises are judged at larger sizes, and say what was found there."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jsonschema
import numpy as np
import pytest

from theory.claims import control
from theory.claims.regime import Regime, grid
from theory.claims.results import Evidence
from theory.core.verdict import Verdict
from theory.evidence import ExactLaw, Scaling, Search, Trials
from theory.judging.following import FOLLOWED_SHARE, LARGEST, MOST_CELLS, NO_MATRIX, _reach, followed_alpha
from theory.judging.judge import Row, judge
from theory.judging.trend import End, Followed
from theory.reports import ledger
from theory.reports.ledger import to_json
from theory.reports.report import story
from theory.running.case import Case
from theory.running.config import RunConfig
from theory.tests.fakes import ALPHA, FakePremise, declared, row
from theory.tests.test_ledger import SUITE

THOROUGH = RunConfig(effort="thorough")
ANYTHING = control("a hundredth", bound="1/100")


def toy(function: Callable[..., float], config: RunConfig = THOROUGH, **block: Any) -> Row:
    """A search of one instance at n = 2, 4 and 8, whose bound is 1."""
    defaults: dict[str, Any] = {
        "bound": "1",
        "evidence": Search(1),
        "regime": Regime(cells=grid(n=[2, 4, 8])),
        "controls": [ANYTHING],
    }
    return row(function, config, **{**defaults, **block})


def further(found: Row, name: str = "n") -> Followed:
    """What was found along the trend."""
    followed = found.trends[name].followed
    assert followed is not None
    return followed


def linear(n: int) -> float:
    return n / 24.5


def test_a_bound_that_fails_at_three_times_the_largest_size_is_refuted_at_thorough_effort() -> None:
    found = toy(linear)
    assert found.verdict is Verdict.REFUTED
    assert not found.ok
    worst = found.worst
    assert worst is not None
    assert (worst.at, worst.verdict, worst.remark) == (
        {"n": 32},
        Verdict.REFUTED,
        "found where the ratio was followed as it rises with n",
    )
    assert "n=32" in found.reproduce
    assert "verdict refuted, expected holds" in found.complaint
    assert (
        row(
            linear,
            RunConfig(at={"n": 32}),
            bound="1",
            evidence=Search(1),
            regime=Regime(cells=grid(n=2)),
            controls=[ANYTHING],
        ).verdict
        is Verdict.REFUTED
    )


def test_at_quick_effort_one_doubling_is_followed_and_the_crossing_is_told() -> None:
    found = toy(linear, RunConfig())
    assert found.ok
    assert (further(found).sizes, further(found).end) == ((16.0,), End.REACH)
    assert found.remarks == [
        "the ratio rises with n to 0.653 at n = 16, as far as it was followed; it would cross 1 near n = 25"
    ]


def test_a_ratio_that_turns_is_told_and_crosses_nowhere() -> None:
    found = toy(lambda n: min(n, 40 - n) / 32)
    assert found.ok
    assert (further(found).sizes, further(found).end) == ((16.0, 32.0), End.FALLS)
    assert not found.trends["n"].rises
    assert found.remarks == ["the ratio rises with n to 0.5 at n = 16; at n = 32 it falls to 0.25"]
    assert f"remark     {found.remarks[0]}" in story(found)


def test_a_ratio_that_stays_where_it_was_rises_no_more() -> None:
    found = toy(lambda n: min(n, 16) / 32)
    assert (further(found).end, found.remarks) == (
        End.LEVEL,
        ["the ratio rises with n to 0.5 at n = 16 and rises no more at n = 32"],
    )


def test_a_ratio_that_seems_to_saturate_is_followed_at_thorough_effort_alone() -> None:
    def saturating(n: int) -> float:
        return n / (n + 1)

    assert toy(saturating, RunConfig()).trends["n"].followed is None
    found = toy(saturating)
    assert (further(found).sizes, further(found).end) == ((16.0, 32.0), End.SATURATES)
    assert found.remarks == ["the ratio rises with n to 0.97 at n = 32 and saturates"]


def test_what_seems_to_saturate_and_does_not_is_refuted() -> None:
    assert toy(lambda n: n / (n + 1) if n < 30 else 1.5).verdict is Verdict.REFUTED


def test_where_the_premises_end_the_largest_step_inside_is_taken() -> None:
    premise = FakePremise(lambda n, m: n <= m, "n <= m")
    found = toy(linear, premises=[premise], regime=Regime(cells=grid(n=[2, 4, 8], m=13)))
    assert (further(found).sizes, further(found).end, further(found).beyond) == ((12.0,), End.OUTSIDE, 15.0)
    assert found.verdict is Verdict.HOLDS
    assert not found.trends["n"].rises


def test_a_size_that_cannot_be_measured_is_told_with_the_reason() -> None:
    found = toy(lambda n: {2: 0.1, 4: 0.2, 8: 0.4}[n])
    assert found.ok
    assert (further(found).sizes, further(found).end, further(found).beyond) == ((), End.FAILED, 10.0)
    assert further(found).why.startswith("KeyError: 10")
    assert found.remarks == ["the ratio rises with n to 0.4 at n = 8; at n = 10 nothing can be measured (KeyError)"]


def test_where_a_doubling_cannot_be_measured_a_smaller_step_is_taken() -> None:
    def narrow(n: int) -> float:
        if n > 20:
            raise ArithmeticError("no start")
        return n / 100

    found = toy(narrow)
    assert (further(found).sizes, further(found).end, further(found).beyond) == ((16.0, 20.0), End.FAILED, 25.0)


def test_what_the_plan_does_not_decide_further_along_leaves_the_row_as_it_is() -> None:
    found = toy(lambda n: n / 24.5 if n < 10 else math.nan)
    assert found.verdict is Verdict.HOLDS
    assert (further(found).end, further(found).why) == (End.UNDECIDED, "a measurement is not a finite number")


def test_other_sizes_stay_as_at_the_last_cell_and_derived_ones_follow() -> None:
    seen: list[tuple[int, int, int]] = []

    def noting(n: int, m: int, N: int) -> float:
        seen.append((n, m, N))
        return n / 200

    cells = [{"n": 2, "m": 5}, {"n": 4, "m": 7}, {"n": 8, "m": 6}]
    found = toy(noting, regime=Regime(cells=cells, derived={"N": lambda n: n**2}))
    assert further(found).sizes == (16.0, 32.0, 64.0, 128.0)
    assert {(16, 6, 256), (128, 6, 128**2)} < set(seen)


def test_sizes_of_the_user_are_not_left() -> None:
    found = toy(linear, RunConfig(effort="thorough", at={"m": 3}), regime=Regime(cells=grid(n=[2, 4, 8], m=1)))
    assert found.trends["n"].rises
    assert found.trends["n"].followed is None


def test_trials_are_followed_from_thorough_effort_on_with_a_share_kept_for_that() -> None:
    def sample(rng: np.random.Generator, n: int) -> float:
        return n / 24.5 + 1e-3 * float(rng.uniform())

    block: dict[str, Any] = {"evidence": Trials(rate=0.1, budget=400)}
    quick = toy(sample, RunConfig(), **block)
    assert quick.trends["n"].rises
    assert quick.trends["n"].followed is None
    assert quick.evidence.alpha == pytest.approx(ALPHA / 3)
    thorough = toy(sample, **block)
    assert thorough.verdict is Verdict.REFUTED
    assert thorough.evidence.alpha == pytest.approx((1 - FOLLOWED_SHARE) * ALPHA / 3)


def test_the_shares_of_the_error_budget_add_up() -> None:
    for effort, plan in (("quick", Trials()), ("thorough", Trials()), ("nightly", Scaling({})), ("thorough", Search())):
        assert sum(followed_alpha(ALPHA, RunConfig(effort=effort), plan)) == pytest.approx(ALPHA)
    assert followed_alpha(ALPHA, RunConfig(), Trials()) == (ALPHA, 0.0)
    assert followed_alpha(ALPHA, THOROUGH, ExactLaw()) == (ALPHA, 0.0)


@dataclass(frozen=True)
class Noting(Trials):
    """Trials that note the share of the error budget of every run that is no control's."""

    shares: list[float] = field(default_factory=list, compare=False)

    def run(self, case: Case) -> Evidence:
        """As trials do."""
        self.shares.extend([case.alpha] if case.control is None else [])
        return super().run(case)


def test_the_block_and_all_further_cells_together_spend_the_share_of_the_claim_at_most() -> None:
    plan = Noting(rate=0.1, budget=40)
    found = toy(lambda rng, n: n / 200 + 1e-6 * float(rng.uniform()), evidence=plan)
    assert found.verdict is Verdict.SUPPORTED
    of_block, *of_further = plan.shares
    assert len(of_further) == len(further(found).sizes) == 4
    assert of_block + sum(of_further) <= ALPHA
    assert of_further == [FOLLOWED_SHARE * ALPHA / MOST_CELLS["thorough"]] * 4


@pytest.mark.parametrize("effort", ["quick", "thorough", "nightly"])
def test_a_width_is_doubled_and_no_matrix_grows_beyond_memory(effort: str) -> None:
    assert _reach(LARGEST / 2, effort) == LARGEST
    assert _reach(LARGEST, effort) == 2 * LARGEST
    assert _reach(NO_MATRIX, effort) >= 2 * NO_MATRIX


def test_a_dear_search_is_not_followed_at_quick_effort() -> None:
    regime = Regime(cells=grid(n=[1000, 2000, 4000]))
    assert toy(lambda n: n / 9000, RunConfig(), regime=regime).trends["n"].followed is None
    assert toy(lambda n: n / 9000, regime=regime).verdict is Verdict.REFUTED


def test_a_limit_of_time_ends_it_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(n: int) -> float:
        while n > 16:
            pass
        return n / 100

    monkeypatch.setattr("theory.judging.following.SECONDS", 0.3)
    found = toy(slow)
    assert found.verdict is Verdict.HOLDS
    assert (further(found).sizes, further(found).end, further(found).beyond) == ((16.0,), End.TIME, 32.0)
    assert found.remarks == [
        "the ratio rises with n to 0.16 at n = 16; at n = 32 the time for following it was over; "
        "it would cross 1 near n = 1e+02"
    ]


def test_the_ledger_has_what_was_found_and_meets_its_schema() -> None:
    block: dict[str, Any] = {"bound": "1", "evidence": Search(1), "regime": Regime(cells=grid(n=[2, 4, 8]))}
    with declared(lambda n: n / (n + 1), controls=[ANYTHING], **block) as made:
        written = to_json([judge(made, THOROUGH, ALPHA)], SUITE)
    jsonschema.validate(written, json.loads(ledger.SCHEMA_FILE.read_text(encoding="utf-8")))
    trend = written["claims"][0]["trend"]["n"]
    assert trend["followed"]["sizes"] == [16.0, 32.0]
    assert (trend["followed"]["end"], trend["crosses"]) == ("saturates", "Infinity")
    assert trend["saturates"]["gap"] == pytest.approx(0.0, abs=0.01)

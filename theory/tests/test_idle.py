"""A cell whose bound is met as well by doing nothing is no evidence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from theory.claims import control
from theory.claims.block import Plan
from theory.claims.regime import Regime, choices, grid, reals
from theory.core.refusal import ClaimError
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence import Proof, Search, Step, Trials
from theory.reports import ledger
from theory.reports.report import story, summary
from theory.running.config import RunConfig
from theory.tests.fakes import row

SUITE = ledger.Suite(version="0", commit="0", effort="quick", seed=0)


def descent(rng: np.random.Generator, m: int, *, step: float = 0.5) -> float:
    """What a step leaves of a loss, which is small from the start where m = 2."""
    loss = 0.3 if m == 2 else 3.0
    return loss - step * (0.01 if m == 2 else 5.0) + 0.001 * float(rng.random())


BLOCK: dict[str, Any] = {"bound": "1/2 + 1/m", "idle": {"step": 0.0}, "controls": [control("uphill", step=-1000.0)]}

# Of functions that take no step.
ONE: dict[str, Any] = {**BLOCK, "bound": "1", "controls": [control("a thousandth", bound="1/1000")]}


@pytest.mark.parametrize("plan", [Search(10), Trials(0.2)])
def test_a_cell_where_nothing_done_does_as_well_is_set_aside(plan: Plan) -> None:
    both = row(descent, regime=Regime(cells=grid(m=[2, 4])), evidence=plan, **BLOCK)
    first, second = both.evidence.cells
    assert (first.premises, second.premises) == (PremiseStatus.IDLE, PremiseStatus.INSIDE)
    assert first.idle is not None
    assert first.idle >= 0.9 * first.ratio
    assert second.idle == pytest.approx(3.0 / 0.75, rel=1e-2)
    assert (both.verdict, both.worst) == (plan.pass_verdict, second)
    alone = row(descent, regime=Regime(cells=grid(m=[2])), evidence=plan, expected=Verdict.VACUOUS, **BLOCK)
    assert (alone.verdict, alone.premise_status, alone.ok) == (Verdict.VACUOUS, PremiseStatus.IDLE, True)
    assert alone.sight.unasked == "the row is vacuous"


@pytest.mark.parametrize(
    ("least", "most", "status"),
    [
        pytest.param(0.1, 0.78, PremiseStatus.IDLE, id="as good at the second"),
        pytest.param(0.79, 2.0, PremiseStatus.INSIDE, id="missed at the second"),
        pytest.param(0.1, 0.2, PremiseStatus.INSIDE, id="worse at both"),
    ],
)
def test_the_idle_form_is_asked_at_the_tightest_instances(least: float, most: float, status: PremiseStatus) -> None:
    def drawn(m: int, kind: str, *, done: bool = True) -> float:
        return ({"first": 0.8, "second": 0.79} if done else {"first": least, "second": most})[kind]

    block = {**ONE, "idle": {"done": False}, "expected": None}
    regime = Regime(cells=[{"m": 4}], draw={"kind": choices("first", "second")})
    (cell,) = row(drawn, regime=regime, evidence=Search(10), **block).evidence.cells
    assert (cell.premises, cell.idle) == (status, most)


def test_the_idle_form_is_asked_at_the_first_trials_too() -> None:
    def drawn(rng: np.random.Generator, m: int, *, done: bool = True) -> float:
        drawn = float(rng.random())
        return 0.55 + (-1e-9 if done else 1.0) * drawn

    block = {**ONE, "idle": {"done": False}}
    (cell,) = row(drawn, regime=Regime(cells=[{"m": 4}]), evidence=Trials(0.2), **block).evidence.cells
    assert cell.premises is PremiseStatus.INSIDE
    assert cell.idle is not None
    assert cell.idle > 1.0


def test_a_form_in_which_nothing_is_left_is_asked_once() -> None:
    asked: list[bool] = []

    def drawn(m: int, x: float, *, done: bool = True) -> float:
        asked.append(done)
        return x if done else 0.0

    block = {**ONE, "idle": {"done": False}}
    (cell,) = row(drawn, regime=Regime(cells=[{"m": 4}], draw={"x": reals(0.1, 0.9)}), **block).evidence.cells
    assert (cell.idle, asked.count(False)) == (0.0, 1)


def test_it_is_told_in_story_table_and_ledger() -> None:
    found = row(descent, regime=Regime(cells=grid(m=[2, 4])), evidence=Search(10), **BLOCK)
    assert any("ratio with nothing done" in line and "idle" in line for line in story(found))
    assert "1 cells set aside as idle: what the claim is about is not needed there" in summary([found])
    (entry,) = ledger.to_json([found], SUITE)["claims"]
    assert [(cell["premises"], cell["idle"] > 1.0) for cell in entry["cells"]] == [("idle", False), ("inside", True)]


def test_the_power_of_a_search_is_that_of_the_cells_left() -> None:
    found = row(descent, regime=Regime(cells=grid(m=[2, 4])), evidence=Search(10), **BLOCK)
    assert found.evidence.power.value == found.evidence.cells[1].ratio


def test_without_a_declaration_nothing_is_measured_for_it() -> None:
    found = row(descent, regime=Regime(cells=grid(m=[2, 4])), **{**BLOCK, "idle": None})
    assert [cell.idle for cell in found.evidence.cells] == [None, None]
    assert found.premise_status is PremiseStatus.INSIDE


def test_an_idle_form_that_raises_is_an_error_of_the_claim_that_names_it() -> None:
    def divided(m: int, *, step: float = 0.5) -> float:
        return 0.3 * m / step / m

    found = row(divided, regime=Regime(cells=grid(m=[4])), **ONE)
    assert found.verdict is Verdict.ERROR
    assert "error: with nothing done: ZeroDivisionError: float division by zero" in found.complaint


def test_a_refuted_cell_stays_refuted() -> None:
    found = row(descent, RunConfig(at={"m": 2}), regime=Regime(cells=grid(m=[4])), **{**BLOCK, "bound": "m/100"})
    assert found.evidence.verdict is Verdict.REFUTED


def test_sizes_of_the_user_meet_it_too() -> None:
    found = row(descent, RunConfig(at={"m": 2}), regime=Regime(cells=grid(m=[4])), **BLOCK)
    assert found.premise_status is PremiseStatus.IDLE


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"idle": {"leap": 0.0}}, "its idle form sets 'leap', which is no keyword-only parameter"),
        ({"idle": {"m": 0}}, "its idle form sets 'm', which is no keyword-only parameter"),
        ({"sense": "="}, "an equality may hold of nothing done"),
    ],
)
def test_what_is_refused(change: dict[str, Any], told: str) -> None:
    with pytest.raises(ClaimError, match=told):
        row(descent, regime=Regime(cells=grid(m=[2, 4])), **{**BLOCK, **change})


def test_a_plan_without_instances_is_refused() -> None:
    def steps(bound: Any, *, step: float = 0.5) -> list[Step]:
        return [Step("a step", True)]

    with pytest.raises(ClaimError, match="for Search and Trials alone"):
        row(steps, regime=Regime(cells=grid()), evidence=Proof(), **ONE)

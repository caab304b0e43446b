"""What a case leaves in the memory of its claim, and what it takes from there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theory.claims import control
from theory.claims.block import Claim, Control
from theory.claims.regime import Regime
from theory.core.measured import Measured
from theory.running.case import Case
from theory.running.config import RunConfig
from theory.running.recollection import Recollection
from theory.tests.fakes import declared, formula

CELL = {"m": 4}
HALF = control("half the bound", bound=formula(lambda: 0.5, "0.5"))
DOUBLED = control("doubled", gain=2.0)


def half(m: int, *, gain: float = 1.0) -> float:
    return 0.5 * gain


@pytest.fixture
def case() -> Case:
    with declared(half, regime=Regime(cells=[CELL]), controls=[HALF, DOUBLED]) as made:
        claim: Claim = made
    return Case(claim, RunConfig(), 1e-9)


def of(case: Case, wrong: Control | None) -> Recollection:
    """That of the case with a control, and the same memory."""
    return replace(case, control=wrong).recollection


def test_a_control_takes_what_its_claim_measured_unless_it_turns_a_knob(case: Case) -> None:
    case.judge(CELL, CELL, 0)
    known = of(case, HALF).find(CELL, CELL, 0)
    assert known is not None
    assert known.value == 0.5
    assert of(case, DOUBLED).find(CELL, CELL, 0) is None
    assert case.recollection.find(CELL, CELL, 0) is None


def test_nothing_is_shared_where_the_user_moved_the_sizes(case: Case) -> None:
    moved = replace(case, config=RunConfig(at={"m": 8}))
    moved.judge({"m": 8}, {"m": 8}, 0)
    assert not moved.recollection.shares
    assert of(moved, HALF).find({"m": 8}, {"m": 8}, 0) is None
    moved.recollection.note_worst({"m": 8}, {"m": 8})
    assert of(moved, HALF).seen({"m": 8}) == []


def test_a_control_sees_the_worst_instance_first_and_then_the_known_ones(case: Case) -> None:
    case.judge(CELL, {**CELL, "x": 1.0}, 0)
    case.recollection.note_worst(CELL, {**CELL, "x": 2.0})
    assert of(case, HALF).seen(CELL) == [{"m": 4, "x": 2.0}, {"m": 4, "x": 1.0}]
    assert of(case, DOUBLED).seen(CELL) == [{"m": 4, "x": 2.0}]
    assert case.recollection.seen(CELL) == []


def test_what_is_remembered_is_apart_for_each_knob(case: Case) -> None:
    own, wrong = case.recollection, of(case, DOUBLED)
    assert own.remember("sums", lambda: 1.0) == 1.0
    assert wrong.remember("sums", lambda: 2.0) == 2.0
    assert of(case, HALF).remember("sums", lambda: 3.0) == own.remember("sums", lambda: 4.0) == 1.0


def test_of_a_control_that_is_kept_which_has_a_bound_and_cells_of_its_own(case: Case) -> None:
    elsewhere = replace(HALF, cells=({"m": 8},))
    for wrong in (HALF, elsewhere):
        of(case, wrong).keep(CELL, CELL, 0, Measured(0.5), 0.5, 1.0)
    assert [name for name, _ in case.memory.of_controls] == [elsewhere.name]
    assert case.memory.kept == {}

"""A close call in floats is decided in ball arithmetic, where the measurement can be enclosed."""

from __future__ import annotations

from typing import Any

import flint
import pytest

from bounds.formula import formula
from theory.core.measured import Measured, Outcome, as_measured
from theory.running.comparing import compared

BOUND = formula("m/2")


def measured(value: float, ball: Any) -> Measured:
    """A value of which floats know little, with an enclosure."""
    return as_measured(Measured(value, error=0.5, ball=lambda: ball))


@pytest.mark.parametrize(
    ("value", "sense", "outcome"),
    [(2.5, "<=", Outcome.FAIL), (1.5, "<=", Outcome.PASS), (2.5, ">=", Outcome.PASS), (1.5, ">=", Outcome.FAIL)],
)
def test_what_floats_leave_open_balls_decide(value: float, sense: str, outcome: Outcome) -> None:
    for number in (1.9, 2.1):
        found = compared(measured(number, flint.arb(value)), BOUND, {"m": 4}, 2.0, sense)
        assert found.outcome is outcome
        assert found.decided is (outcome is Outcome.PASS)


def test_a_ball_around_the_bound_decides_nothing() -> None:
    found = compared(measured(2.0, flint.arb(2.0, 0.25)), BOUND, {"m": 4}, 2.0, "<=")
    assert (found.outcome, found.decided) == (Outcome.BORDERLINE, False)


def test_what_is_met_for_certain_has_no_larger_ratio_than_one() -> None:
    found = compared(measured(2.1, flint.arb(1.5)), BOUND, {"m": 4}, 2.0, "<=")
    assert found.ratio == 1.0


def test_where_floats_decide_nothing_is_enclosed() -> None:
    never = as_measured(Measured(1.0, ball=lambda: pytest.fail("nobody asks")))
    assert compared(never, BOUND, {"m": 4}, 2.0, "<=").outcome is Outcome.PASS

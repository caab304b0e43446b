"""A close call in floats is decided in ball arithmetic, where the measurement can be enclosed."""

from __future__ import annotations

from typing import Any

import flint
import numpy as np
import pytest

from bounds.formula import formula
from theory.core.measured import Measured, MeasurementError, Outcome, as_measured
from theory.core.verdict import Verdict
from theory.running.comparing import compared
from theory.tests.fakes import row

BOUND = formula("m/2")


def measured(value: float, ball: Any) -> Measured:
    """A value of which floats know little, with an enclosure."""
    return as_measured(Measured(value, error=0.75, ball=lambda: ball))


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


def test_what_is_missed_for_certain_has_the_ratio_of_balls_where_that_of_floats_is_met() -> None:
    found = compared(measured(1.9, flint.arb(2.5)), BOUND, {"m": 4}, 2.0, "<=")
    assert (found.outcome, found.ratio) == (Outcome.FAIL, 1.25)
    lost = Measured(0.0, ball=lambda: flint.arb(-799).exp())
    assert compared(lost, formula("exp(-m)"), {"m": 800}, 0.0, "<=").ratio == pytest.approx(np.e)


def test_where_floats_decide_nothing_is_enclosed() -> None:
    never = as_measured(Measured(1.0, ball=lambda: pytest.fail("nobody asks")))
    assert compared(never, BOUND, {"m": 4}, 2.0, "<=").outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("value", "error", "outcome"),
    [(0.0, None, Outcome.BORDERLINE), (0.0, 0.0, Outcome.FAIL), (0, None, Outcome.FAIL), (5e-324, None, Outcome.PASS)],
)
@pytest.mark.parametrize("as_array", [False, True])
def test_a_bound_that_is_zero_as_a_double_alone_is_not_met_by_zero(
    value: float, error: float | None, outcome: Outcome, as_array: bool
) -> None:
    bound, given = formula("exp(-m)"), np.array([1, 800]) if as_array else 800
    number = np.array([type(value)(1), value]) if as_array else value
    values = {"m": given}
    assert compared(Measured(number, error), bound, values, bound.evaluate(values), ">=").outcome is outcome


def test_zero_meets_what_is_zero_and_an_upper_bound_that_is_hardly_more() -> None:
    assert compared(Measured(0.0), formula("0"), {"m": 800}, 0.0, ">=").ok
    for text, sense in (("exp(-m)", "<="), ("-exp(-m)", ">=")):
        assert compared(Measured(0.0, error=0.0), formula(text), {"m": 800}, 0.0, sense).ok
        # A bare 0 may be what is left of a larger number.
        assert not compared(Measured(0.0), formula(text), {"m": 800}, 0.0, sense).ok
    assert not compared(Measured(0.0), formula("-exp(-m)"), {"m": 800}, -0.0, "<=").ok


def test_a_ball_decides_beside_a_bound_that_is_lost() -> None:
    def tiny(power: int) -> Measured:
        return Measured(0.0, ball=lambda: flint.arb(-power).exp())

    found = [compared(tiny(power), formula("exp(-m)"), {"m": 800}, 0.0, ">=").outcome for power in (799, 801)]
    assert found == [Outcome.PASS, Outcome.FAIL]


@pytest.mark.parametrize("ball", [100.0, 0.5])
def test_a_ball_that_contradicts_what_floats_found_is_refused(ball: float) -> None:
    close = Measured(2.0 + 1e-13, ball=lambda: flint.arb(ball))
    with pytest.raises(MeasurementError, match="contradicts its value"):
        compared(close, BOUND, {"m": 4}, 2.0, "<=")


@pytest.mark.parametrize(("error", "passes"), [(1e-9, True), (1e-16, False)])
def test_a_stated_error_is_held_against_the_ball_where_the_bound_is_far(error: float, passes: bool) -> None:
    found = row(lambda m: Measured(0.5, error=error, ball=lambda: flint.arb(0.5) + 1e-10), bound="m")
    assert (found.verdict is Verdict.HOLDS) is passes
    assert ("contradicts" in found.error) is not passes


@pytest.mark.parametrize("scale", [float("inf"), float("nan"), -1.0])
def test_a_scale_is_a_finite_size(scale: float) -> None:
    with pytest.raises(MeasurementError, match="the scale of a measurement"):
        as_measured(Measured(1.0, scale=scale))


def test_a_large_scale_excuses_no_error_of_the_size_of_what_is_compared() -> None:
    boasting = compared(Measured(5.5, error=1.0, scale=1e12), formula("m+1"), {"m": 4}, 5.0, "=")
    assert (boasting.outcome, boasting.tolerance) == (Outcome.BORDERLINE, pytest.approx(1.0 / 5.5))
    # What is left of terms that cancel has no size of its own.
    assert compared(Measured(1e-9, error=1e-8, scale=100.0), formula("0"), {}, 0.0, "=").ok

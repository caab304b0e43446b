"""A close call that ball arithmetic decides: the ratio agrees with the decision."""

from functools import partial

import flint
import pytest

from theory.core.measured import Measured
from theory.core.verdict import Verdict
from theory.tests.fakes import FakeBound, decide


def test_what_is_known_to_be_met_has_a_ratio_of_at_most_one() -> None:
    """The float bound has cancelled to zero, so that its ratio would be infinite."""

    def tiny(m: int) -> Measured:
        return Measured(1e-20, error=1e-12, ball=partial(flint.arb, 1e-20))

    found = decide(tiny, bound=FakeBound(lambda: 0.0, enclosure=lambda: flint.arb(2e-20)))
    assert found.cells[0].ratio == 1.0


def test_a_ratio_below_one_stays() -> None:
    def below(m: int) -> Measured:
        return Measured(0.5, error=1.0, ball=partial(flint.arb, 0.5))

    found = decide(below, bound=FakeBound(lambda: 1.0, enclosure=lambda: flint.arb(1)))
    assert found.cells[0].ratio == 0.5


@pytest.mark.parametrize("error", [1e-12, 1.0, 1e300])
def test_what_a_ball_decided_is_neither_lost_in_rounding_nor_a_close_call(error: float) -> None:
    def near(m: int) -> Measured:
        return Measured(1.0 - 2.0**-50, error=error, ball=partial(flint.arb, 1.0 - 2.0**-50))

    found = decide(near, bound=FakeBound(lambda: 1.0, enclosure=lambda: flint.arb(1)))
    assert (found.verdict, found.cells[0].remark) == (Verdict.HOLDS, "")

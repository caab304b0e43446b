"""Instances that are measured again with sums in another order: which differences an error covers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from theory.claims.regime import Regime, grid
from theory.core.measured import Measured
from theory.judging.judge import judge
from theory.reports.ledger import Suite, to_json
from theory.running.config import RunConfig
from theory.tests.fakes import declared
from theory.upkeep.other_sums import Beyond, Ends, beyond, instances, measure, settings
from theory.upkeep.portability import NUMPY, OPENBLAS, Machine, PortabilityError


def number(value: float, error: float, bound: float = 1.0) -> Ends:
    return Ends.of(Measured(value, error=error), bound)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (number(1.0 + 1.5e-9, 1e-9), ""),
        (number(1.0 + 4e-9, 1e-9), "an error too small"),
        (number(1.5, 1e-9), "another path"),
        (number(math.nan, 1e-9), "another path"),
        (number(1.0 + 4e-9, 1e-9, bound=1.0 + 5e-9), ""),
    ],
)
def test_two_numbers_may_differ_by_both_of_their_errors_and_by_as_much_as_their_bounds(other: Ends, said: str) -> None:
    told = beyond(number(1.0, 1e-9), other).told
    assert told.startswith(said)
    assert bool(told) is bool(said)


def test_an_exact_number_is_forgiven_what_a_judge_forgives() -> None:
    assert beyond(number(1.0, 0.0), number(1.0 + 1e-15, 0.0)).told == ""
    assert beyond(number(1.0, 0.0), number(1.0 + 1e-13, 0.0)).told.startswith("an error too small")


def test_intervals_that_hold_one_quantity_overlap() -> None:
    one, other = (Ends.of(Measured.between(low, low + 0.5)) for low in (1.0, 1.4))
    assert beyond(one, other) == Beyond(0.0, 0.0, moved=True)
    assert beyond(one, one) == Beyond(0.0, 0.0, moved=False)
    assert beyond(one, Ends.of(Measured.between(2.0, 3.0))).told.startswith("another path")
    assert beyond(one, Ends.of(Measured(np.ones(2)))).told.startswith("another path")


def test_the_worst_case_of_a_search_is_measured_again_and_at_other_trials() -> None:
    def measured(rng: np.random.Generator, m: int) -> Any:
        return rng.random(3) / m

    with declared(measured, regime=Regime(cells=grid(m=[4, 8]))) as claim:
        row = to_json([judge(claim, RunConfig(), 1e-4)], Suite("0", "", "quick", 0))["claims"][0]
        found = instances([row], {claim.id: claim})
        ends = [measure(claim, one) for one in found]
    assert len({one.at for one in found}) == 3
    assert all(isinstance(one, Ends) and len(one.low) == 3 and one.bound == row["cells"][0]["bound"] for one in ends)
    assert max(ends[0].low) == pytest.approx(row["worst_ratio"] * row["cells"][0]["bound"])  # type: ignore[union-attr]


def test_what_cannot_be_measured_is_told() -> None:
    def measured(m: int) -> float:
        raise ArithmeticError("no number")

    with declared(lambda m: 0.5, regime=Regime(cells=grid(m=4))) as sound:
        row = to_json([judge(sound, RunConfig(), 1e-4)], Suite("0", "", "quick", 0))["claims"][0]
        (one,) = instances([row], {sound.id: sound})
    with declared(measured, regime=Regime(cells=grid(m=4))) as claim:
        assert "ArithmeticError: no number" in str(measure(claim, one))


def test_the_order_of_sums_is_that_of_other_kernels_or_there_is_none() -> None:
    kernels = {"": ("Zen",), "Nehalem": ("Nehalem",), "Zen": ("Zen",)}
    found = settings(Machine(frozenset(), ("AVX2", "FMA3"), kernels))
    assert found == {OPENBLAS: "Nehalem", NUMPY: "AVX2 FMA3"}
    with pytest.raises(PortabilityError, match="no other kernels"):
        settings(Machine(frozenset(), (), {"": ("Zen",), "Zen": ("Zen",)}))

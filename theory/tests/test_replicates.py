"""Replicates of cells: how many, measured once, doubled without measuring the first again; and the test of misses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from theory.claims import control
from theory.claims.block import Claim
from theory.claims.regime import Regime, grid
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence.exponents import Exponents
from theory.evidence.misses import MOST_TIMES, MissTest
from theory.evidence.replicates import Look, Replicates, Sample
from theory.running.case import Case
from theory.running.config import RunConfig
from theory.tests.fakes import ALPHA, FakeBound, declared

CELL = {"m": 4}


@pytest.fixture
def made() -> Iterator[Claim]:
    def measure(rng: np.random.Generator, m: int, *, times: float = 1.0) -> float:
        return times * m * (1.0 + 0.01 * float(rng.random()))

    bound = FakeBound(lambda m: 2.0 * m, slopes={"m": 1.0})
    controls = [control("ten times as much", times=10.0)]
    with declared(measure, regime=Regime(cells=grid(m=[4, 8, 16])), bound=bound, controls=controls) as claim:
        yield claim


@pytest.fixture
def replicates(made: Claim) -> Replicates:
    return Replicates(Case(made, RunConfig(), ALPHA), 20)


def sample(*values: float, pure: bool = True) -> Sample:
    numbers = np.array(values)
    return Sample(numbers, numbers, numbers, 0, pure, 0.0)


class TestReplicates:
    def test_a_look_has_the_declared_ones_a_share_of_them_or_twice_as_many(self, replicates: Replicates) -> None:
        sizes = [replicates.sample(CELL, look).values.size for look in (Look(), Look(share=4), Look(2))]
        assert sizes == [20, 5, 80]
        thorough = Replicates(replace(replicates.case, config=RunConfig(effort="thorough")), 20)
        assert thorough.declared(CELL) > 20

    def test_a_later_look_begins_with_the_replicates_of_the_first(self, replicates: Replicates) -> None:
        first, later = (replicates.sample(CELL, look).values for look in (Look(), Look(1)))
        np.testing.assert_array_equal(later[:20], first)
        assert np.unique(later).size == 40

    def test_they_are_measured_once_for_all_controls_without_knobs(self, replicates: Replicates) -> None:
        case = replicates.case
        assert replicates.sample(CELL, Look()) is Replicates(replace(case, alpha=0.5), 20).sample(CELL, Look())
        (louder,) = case.claim.controls
        wrong = Replicates(replace(case, control=louder), 20).sample(CELL, Look())
        np.testing.assert_allclose(wrong.values, 10.0 * replicates.sample(CELL, Look()).values)

    def test_a_replay_has_the_one_that_is_asked_for(self, replicates: Replicates) -> None:
        asked = replace(replicates.case, config=RunConfig(at={"trial": 7}))
        one = Replicates(asked, 20).sample(CELL, Look(), replay=True)
        assert (one.first, one.values.tolist()) == (7, [replicates.sample(CELL, Look()).values[7]])

    def test_a_number_without_a_logarithm_is_trouble(self) -> None:
        assert sample(1.0, 2.0).trouble("m=4") == ""
        assert sample(1.0, -2.0).trouble("m=4") == "a measurement is not a finite positive number: -2 at m=4,trial=1"
        assert sample(1.0, pure=False).trouble("m=4")


class TestMisses:
    def test_where_none_misses_the_bound_is_met(self, replicates: Replicates) -> None:
        found = MissTest(replicates, 0.1, ALPHA).result(CELL, sample(*[4.0] * 20), 8.0, extends=False)
        assert (found.verdict, found.ratio, found.premises) == (Verdict.CONSISTENT, 0.5, PremiseStatus.INSIDE)

    def test_where_all_miss_it_is_refuted(self, replicates: Replicates) -> None:
        found = MissTest(replicates, 0.1, ALPHA).result(CELL, sample(*[4.0] * 40), 2.0, extends=False)
        assert (found.verdict, found.failures) == (Verdict.REFUTED, 40)

    def test_one_unlucky_replicate_has_the_cell_measured_more_often(self, replicates: Replicates) -> None:
        drawn = replicates.sample(CELL, Look())
        bound = float(np.max(drawn.values)) * (1.0 - 1e-9)
        test = MissTest(replicates, 0.5, ALPHA)
        assert test.result(CELL, drawn, bound, extends=False).verdict is Verdict.UNDECIDED
        extended = test.result(CELL, drawn, bound, extends=True)
        assert extended.verdict is Verdict.CONSISTENT
        assert 20 < extended.trials <= 20 * MOST_TIMES == extended.budget


def test_an_exponent_is_measured_over_the_cells(replicates: Replicates) -> None:
    cells = [{"m": m} for m in (4, 8, 16)]
    samples = {f"m={cell['m']}": replicates.sample(cell, Look()) for cell in cells}
    found = Exponents({"m": "equal"}).measured(replicates.case, cells, samples, ALPHA)
    assert found["m"]["claimed"] == 1.0
    assert found["m"]["measured"] == pytest.approx(1.0, abs=0.01)
    assert found["m"]["verdict"] == Verdict.CONSISTENT

"""Where cells and instances stand: premises they decide themselves, bounds beyond what can be missed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from theory.claims import control
from theory.claims.block import Claim
from theory.claims.memory import instance
from theory.claims.regime import Regime, grid
from theory.core.measured import Measured
from theory.core.verdict import PremiseStatus
from theory.running.case import Case
from theory.running.config import RunConfig
from theory.tests.fakes import ALPHA, FakeBound, FakePremise, chosen, declared, formula

WIDE = FakePremise(lambda m: m >= 4, "m >= 4")
SHORT = FakePremise(lambda r: r <= 1, "r <= 1")


@pytest.fixture
def made() -> Iterator[Claim]:
    block: dict[str, Any] = {
        "bound": FakeBound(lambda m, C: C * m, constants={"C": chosen(1.0)}),
        "ceiling": formula(lambda m: 8),
        "premises": [WIDE, SHORT],
        "measured": ["r"],
        "regime": Regime(cells=grid(m=[2, 4, 16])),
        "controls": [control("narrow", cells=grid(m=2), without=WIDE)],
    }
    with declared(lambda m: 0.5, **block) as claim:
        yield claim


def test_a_cell_is_inside_outside_or_trivial(made: Claim) -> None:
    standing = Case(made, RunConfig(), ALPHA).standing
    found = [standing.of_cell({"m": m}) for m in (2, 4, 16)]
    assert found == [PremiseStatus.EXTRAPOLATED, PremiseStatus.INSIDE, PremiseStatus.TRIVIAL]
    assert standing.of_cell({"m": 16}, limit=7.0) is PremiseStatus.INSIDE


def test_a_control_stands_by_the_premises_that_it_keeps(made: Claim) -> None:
    (narrow,) = made.controls
    assert Case(made, RunConfig(), ALPHA, narrow).standing.of_cell({"m": 2}) is PremiseStatus.INSIDE


def test_constants_that_are_assigned_count(made: Claim) -> None:
    standing = Case(made, RunConfig(at={"C": 4.0}), ALPHA).standing
    assert standing.constants == {"C": 4.0}
    assert standing.of_cell({"m": 4}) is PremiseStatus.TRIVIAL


def test_an_instance_decides_what_its_cell_does_not(made: Claim) -> None:
    standing = Case(made, RunConfig(), ALPHA).standing
    assert standing.has_inside({"m": 4}, {"m": 4, "r": 1.0})
    assert not standing.has_inside({"m": 4}, {"m": 4, "r": 2.0})
    # What the cell fails is told of the cell.
    assert standing.has_inside({"m": 2}, {"m": 2, "r": 1.0})


def test_what_is_kept_of_an_instance_is_asked_once(made: Claim) -> None:
    case = Case(made, RunConfig(), ALPHA)
    kept = instance({"m": 4}, 0, Measured(0.5, symbols={"r": 2.0}), 4.0, "<=")
    assert not case.standing.has_kept_inside({"m": 4}, kept)
    assert case.memory.inside == {kept: False}
    case.memory.inside[kept] = True
    assert case.standing.has_kept_inside({"m": 4}, kept)


def test_a_chance_is_trivial_where_any_number_would_do() -> None:
    with declared(lambda m: 0.5, probability=True, bound=formula(lambda m: m / 4)) as claim:
        standing = Case(claim, RunConfig(), ALPHA).standing
        assert [standing.is_trivial({"m": m}) for m in (2, 4)] == [False, True]
        # Nothing is said of a bound whose symbols are not all there.
        assert not standing.is_trivial({})

"""Where a case is judged: the cells of its block, moved by what the user asks, with points that are drawn once."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from theory.claims import control
from theory.claims.block import Claim
from theory.claims.regime import Regime, grid
from theory.core.data import Data
from theory.running.case import Case
from theory.running.config import RunConfig
from theory.tests.fakes import ALPHA, declared, formula


class Source:
    """Points that say which source they are of; `draw` counts its calls."""

    n, d, separation = 3, 5, 0.25

    def __init__(self, name: float) -> None:
        self.name, self.calls = name, 0

    def draw(self, n: int, d: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        self.calls += 1
        return np.full((n, d), self.name), np.ones(n)


def spread(X: np.ndarray) -> float:
    """A symbol that is measured on the points."""
    return float(X.max())


def of_points(data: Any, m: int, n: int, d: int, a: float) -> float:
    return 0.5


@pytest.fixture
def made() -> Iterator[Claim]:
    regime = Regime(cells=grid(m=[4, 8], n=[2, 9], d=2), calibration=grid(m=[1, 2], n=9, d=2), from_data={"a": spread})
    block: dict[str, Any] = {
        "bound": formula(lambda m: m),
        "regime": regime,
        "controls": [control("elsewhere", cells=grid(m=3, n=2, d=2), bound=formula(lambda m: -m))],
    }
    with declared(of_points, **block) as claim:
        yield claim


def case(claim: Claim, **asked: Any) -> Case:
    return Case(claim, RunConfig(**{"data": Data(Source(1.0)), **asked}), ALPHA)


def test_the_cells_are_those_of_the_block_with_what_is_measured_on_their_points(made: Claim) -> None:
    assert case(made).cells == [{"m": m, "n": n, "d": 2, "a": 1.0} for m in (4, 8) for n in (2, 9)]


def test_a_control_has_cells_of_its_own(made: Claim) -> None:
    (elsewhere,) = made.controls
    wrong = Case(made, RunConfig(data=Data(Source(1.0))), ALPHA, elsewhere)
    assert wrong.cells == [{"m": 3, "n": 2, "d": 2, "a": 1.0}]


def test_the_data_of_the_user_fix_dimension_and_the_most_points(made: Claim) -> None:
    file: Any = Source(2.0)
    theirs = case(made, data=Data(Source(1.0), file))
    assert theirs.cells == [{"m": m, "n": n, "d": 5, "a": 2.0} for m in (4, 8) for n in (2, 3)]
    assert {(cell["n"], cell["d"]) for cell in theirs.sizes.calibration} == {(3, 5)}


def test_a_constant_is_fitted_where_the_block_says_but_for_what_the_bound_does_not_name(made: Claim) -> None:
    assert [cell["m"] for cell in case(made, at={"m": 16}).sizes.calibration] == [1, 2]
    assert {cell["d"] for cell in case(made, at={"d": 7}).sizes.calibration} == {7}


def test_points_are_drawn_once_for_a_cell_and_may_not_be_changed(made: Claim) -> None:
    source = Source(1.0)
    asked = case(made, data=Data(source))
    (X, y), (again, _) = (asked.sizes.points({"m": 4, "n": 2, "d": 2}) for _ in range(2))
    assert (X is again, source.calls, X.shape, y.shape) == (True, 1, (2, 2), (2,))
    with pytest.raises(ValueError, match="read-only"):
        X[0, 0] = 0.0


def test_a_claim_that_is_not_about_data_is_judged_where_its_block_says() -> None:
    with declared(lambda m, d: 0.5, regime=Regime(cells=grid(m=4, d=2))) as claim:
        brought = Data(brought=SimpleNamespace(n=1, d=9, separation=0.1))
        assert Case(claim, RunConfig(data=brought), ALPHA).cells == [{"m": 4, "d": 2}]

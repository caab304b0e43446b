"""Dots: of every cell its worst measurement, and of all others an even choice."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from theory.claims.regime import Regime, grid
from theory.claims.results import MOST_DOTS
from theory.evidence import Scaling, Search, Trials
from theory.running.config import RunConfig
from theory.tests.fakes import FakeBound, FakePremise, chosen, formula, row

OF_M = formula(lambda m: 2.0 * m, "2*m")


def uniform(rng: np.random.Generator, m: int) -> float:
    return m * float(rng.random())


def test_of_trials_so_many_are_kept_and_the_worst_of_every_cell() -> None:
    found = row(uniform, evidence=Trials(rate=0.2, budget=200), regime=Regime(cells=grid(m=[4, 8])), bound=OF_M)
    dots = found.finding.dots
    assert len(dots) == MOST_DOTS
    for number, cell in enumerate(found.evidence.cells):
        mine = [dot for dot in dots if dot.cell == number]
        (worst,) = [dot for dot in mine if dot.worst]
        assert (worst.measured, worst.bound) == (cell.measured, cell.bound)
        assert len({dot.measured for dot in mine}) == len(mine) > 1
        assert all(dot.measured <= worst.measured and dot.bound == 2.0 * cell.at["m"] for dot in mine)


def test_of_a_search_they_know_what_was_drawn_and_met_the_premises() -> None:
    regime = Regime(cells=grid(m=[4]), draw={"x": st.floats(0.01, 1.0)})
    inside = FakePremise(lambda x: x <= 0.5, "x <= 1/2")
    found = row(lambda m, x: x, regime=regime, evidence=Search(examples=60), premises=[inside])
    dots = found.finding.dots
    assert len(dots) > 5
    assert all(dot.drawn["x"] == dot.measured <= 0.5 for dot in dots)


def test_of_a_lower_bound_on_several_entries_the_nearest_one_is_the_dot() -> None:
    found = row(lambda m: np.array([3.0, 1.5, 2.0]), sense=">=")
    assert [(dot.measured, dot.bound, dot.worst) for dot in found.finding.dots] == [(1.5, 1.0, True)]


def test_of_exponents_they_are_the_replicates_at_the_fitted_constant() -> None:
    def width(rng: np.random.Generator, m: int) -> float:
        return m * math.exp(0.01 * float(rng.standard_normal()))

    bound = FakeBound(lambda m, C: C * m, "C*m", {"C": chosen(1.0)}, {"m": 1.0})
    regime = Regime(cells=grid(m=[64, 256]), calibration=grid(m=[4, 16]))
    found = row(width, evidence=Scaling({"m": "equal"}, constant="C"), bound=bound, regime=regime)
    constant = found.evidence.details["constant"]
    dots = found.finding.dots
    assert len(dots) > 10
    assert all(dot.bound == pytest.approx(constant * found.evidence.cells[dot.cell].at["m"]) for dot in dots)


def test_they_are_the_same_in_every_run() -> None:
    block: dict[str, Any] = {"evidence": Trials(rate=0.2, budget=200), "bound": OF_M}
    assert row(uniform, **block).finding.dots == row(uniform, RunConfig(), **block).finding.dots

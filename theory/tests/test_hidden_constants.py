"""The table of constants: the best value is the one at which the row would just have passed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from theory.claims import control
from theory.claims.reading import Reading
from theory.claims.regime import Regime, grid
from theory.evidence import ExactLaw, Scaling, Tail
from theory.reports.hidden_constants import constants_table
from theory.running.config import RunConfig
from theory.tests.fakes import NEVER, FakeBound, FakePremise, chosen, decide, row

LINEAR = FakeBound(lambda m, C: C * m, "C*m", {"C": chosen(3.0, "from the proof")}, {"m": 1.0})
SHIFTED = FakeBound(lambda m, C: C + m, "C + m", {"C": chosen(3.0)}, {"m": 1.0})
CELLS = Regime(cells=grid(m=[4, 16], L=2))


def test_a_search_tells_the_smallest_constant_its_instances_allow() -> None:
    (entry,) = constants_table([row(lambda m: 1.5 * m, bound=LINEAR, regime=CELLS)])
    assert (entry.name, entry.where, entry.value, entry.reason) == ("C", "bound", 3.0, "from the proof")
    assert entry.best == pytest.approx(1.5)
    assert entry.at == "m = 4..16, L = 2"
    assert "search" in entry.how


def test_a_constant_set_beyond_attacks_tells_its_reserve() -> None:
    (entry,) = constants_table([row(lambda m: 1.5 * m, bound=LINEAR, regime=CELLS)])
    assert entry.reserve is None
    attacked = FakeBound(lambda m, C: C * m, "C*m", {"C": chosen(3.0, reserve=1.2)}, {"m": 1.0})
    premise = FakePremise(lambda m: m > 1, constants={"c": chosen(1.0, reserve=1.5)})
    entries = constants_table([row(lambda m: 1.5 * m, bound=attacked, premises=[premise], regime=CELLS)])
    assert [entry.reserve for entry in entries] == [1.2, 1.5]


def test_a_lower_bound_gets_its_largest_constant() -> None:
    low = FakeBound(lambda m, C: C / m, "C/m", {"C": chosen(0.5)})
    high = control("too much", bound=FakeBound(lambda m: 10.0, "10"))
    (entry,) = constants_table([row(lambda m: 2.0 / m, bound=low, regime=CELLS, sense=">=", controls=[high])])
    assert entry.best == pytest.approx(2.0)


def test_with_the_best_constant_the_claim_passes_and_with_less_it_does_not() -> None:
    (entry,) = constants_table([row(lambda m: 1.5 * m, bound=LINEAR, regime=CELLS)])
    for factor, verdict in [(1.0 + 1e-9, "holds"), (1.0 - 1e-9, "refuted")]:
        found = decide(lambda m: 1.5 * m, RunConfig(at={"C": factor * entry.best}), bound=LINEAR, regime=CELLS)
        assert found.verdict == verdict


def test_an_exact_law_tells_its_quantile() -> None:
    def tail(threshold: float, m: int) -> Tail:
        exact = min(1.0, math.exp(-threshold / m))
        return Tail(exact, exact)

    regime = Regime(cells=grid(m=[2, 8], delta=0.1))
    (entry,) = constants_table([row(tail, bound=LINEAR, regime=regime, evidence=ExactLaw(), controls=[NEVER])])
    assert entry.best == pytest.approx(math.log(10.0), rel=1e-6)
    assert "exact law" in entry.how


def test_a_fitted_constant_is_shown_as_fitted() -> None:
    def width(rng: np.random.Generator, m: int) -> float:
        return 2.0 * m * math.exp(0.01 * float(rng.standard_normal()))

    regime = Regime(cells=grid(m=[64, 256, 1024]), calibration=grid(m=[4, 16, 32]))
    evidence = Scaling({"m": "equal"}, constant="C", replicates=20)
    (entry,) = constants_table([row(width, bound=LINEAR, regime=regime, evidence=evidence, controls=[NEVER])])
    assert entry.reason == "fitted on the calibration cells"
    assert entry.value == pytest.approx(4.0, rel=0.1)
    assert entry.best == pytest.approx(2.0, rel=0.1)


def test_a_constant_that_is_no_factor_has_no_best_value() -> None:
    (entry,) = constants_table([row(lambda m: 1.0, bound=SHIFTED, regime=CELLS)])
    assert math.isnan(entry.best)
    assert "not proportional" in entry.how


def test_constants_of_premises_are_listed_once_each() -> None:
    def least(m: int) -> bool:
        return m >= 4

    wide: Any = FakePremise(least, "m >= Cbar", {"Cbar": chosen(4.0, "by the edge law")})
    entries = constants_table([row(lambda m: 1.5, bound=LINEAR, regime=CELLS, premises=[wide, wide])])
    assert [(entry.name, entry.where, entry.value) for entry in entries] == [
        ("C", "bound", 3.0),
        ("Cbar", "premise m >= Cbar", 4.0),
    ]


def test_the_best_constant_of_a_premise_is_the_least_demanding_with_which_a_cell_passed() -> None:
    read = Reading({"C": (2, "of a test"), "c": (5, "of a test")}).premise

    def best(written: str) -> float:
        judged = row(lambda m: 1.0, bound=LINEAR, regime=CELLS, premises=[read(written)])
        (found,) = [entry.best for entry in constants_table([judged]) if entry.where.startswith("premise")]
        return found

    # The cells have m = 4 and 16, with L = 2: the first lies outside of m >= 2*L**2 and passes all the same.
    assert best("m >= C*L**2") == pytest.approx(1.0)
    assert best("L**3 <= c*m") == pytest.approx(2.0)
    # Nothing is said where the constant does not scale a side.
    assert math.isnan(best("m >= C + L"))


def test_a_cell_that_fails_stays_outside_of_a_premise_with_its_best_constant() -> None:
    narrow = Reading({"C": (3, "of a test")}).premise("m >= C*L")
    failing = row(lambda m: 1.0 if m >= 16 else 99.0, bound=LINEAR, regime=CELLS, premises=[narrow])
    (entry,) = [entry for entry in constants_table([failing]) if entry.where.startswith("premise")]
    assert entry.best == pytest.approx(8.0)

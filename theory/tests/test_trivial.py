"""A bound beyond what the measured quantity can reach is no evidence, whichever plan meets it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from theory.claims import control
from theory.claims.block import Plan
from theory.claims.regime import Regime, grid
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence import ExactLaw, Scaling, Search, Trials
from theory.running.config import RunConfig
from theory.tests.fakes import NEVER, FakeBound, FakePremise, chosen, formula, row

WIDTH = formula(lambda m: m, "m")
DOUBLE = formula(lambda m, x: x * m, "x*m")


def count(rng: np.random.Generator, m: int, x: float) -> float:
    """A count of neurons: at most m, whatever is claimed."""
    return float(rng.integers(0, m // 4))


@pytest.mark.parametrize("plan", [Search(examples=20), Trials(rate=0.1, budget=300)])
def test_cells_with_a_trivial_bound_earn_nothing(plan: Plan) -> None:
    block: dict[str, Any] = {"bound": DOUBLE, "ceiling": WIDTH, "evidence": plan, "controls": [NEVER]}
    trivial = row(count, regime=Regime(cells=grid(m=100, x=1.0)), **block)
    assert (trivial.premise_status, trivial.verdict) == (PremiseStatus.TRIVIAL, Verdict.VACUOUS)
    telling = row(count, regime=Regime(cells=grid(m=100, x=0.5)), **block)
    assert (telling.premise_status, telling.verdict.is_pass) == (PremiseStatus.INSIDE, True)
    both = row(count, regime=Regime(cells=grid(m=100, x=[0.5, 1.0])), **block)
    assert [cell.premises for cell in both.evidence.cells] == [PremiseStatus.INSIDE, PremiseStatus.TRIVIAL]
    assert both.verdict.is_pass


def test_trivial_instances_of_a_search_are_set_aside_and_counted() -> None:
    regime = Regime(cells=grid(m=100), draw={"x": st.sampled_from([0.5, 1.0, 2.0])})
    found = row(count, bound=DOUBLE, ceiling=WIDTH, regime=regime, evidence=Search(examples=40))
    (cell,) = found.evidence.cells
    assert cell.trivial > 0
    assert cell.trials > 0
    assert found.verdict is Verdict.HOLDS
    assert cell.worst["x"] == 0.5


def test_a_search_that_meets_trivial_instances_alone_is_vacuous() -> None:
    regime = Regime(cells=grid(m=100), draw={"x": st.sampled_from([1.0, 2.0])})
    found = row(count, bound=DOUBLE, ceiling=WIDTH, regime=regime, evidence=Search(examples=10))
    assert (found.premise_status, found.evidence.cells[0].trials) == (PremiseStatus.TRIVIAL, 0)
    assert not found.verdict.is_pass


def test_a_failure_is_a_failure_even_where_the_bound_was_called_trivial() -> None:
    regime = Regime(cells=grid(m=100), draw={"x": st.sampled_from([1.0, 2.0])})
    found = row(
        lambda m, x: 3.0 * m, bound=DOUBLE, ceiling=WIDTH, regime=regime, evidence=Search(examples=10), controls=[NEVER]
    )
    assert found.evidence.verdict is Verdict.REFUTED


def test_a_lower_bound_is_trivial_at_the_floor() -> None:
    low = formula(lambda z: z, "z")
    zero = formula(lambda: 0.0, "0")
    too_high = formula(lambda: 9.0, "9")
    controls = [control("nine", bound=too_high)]
    for z, status in [(0.0, PremiseStatus.TRIVIAL), (-1.0, PremiseStatus.TRIVIAL), (0.5, PremiseStatus.INSIDE)]:
        found = row(
            lambda z: 1.0,
            bound=low,
            ceiling=zero,
            sense=">=",
            regime=Regime(cells=grid(z=z)),
            evidence=Search(examples=5),
            controls=controls,
        )
        assert found.premise_status is status


def test_a_fitted_constant_can_make_a_cell_trivial() -> None:
    power = FakeBound(lambda m, C: C * m**1.5, "C*m**(3/2)", {"C": chosen(1.0)}, {"m": 1.5})

    def size(rng: np.random.Generator, m: int) -> float:
        return float(m**1.5 * (1.0 + 0.01 * rng.random()))

    regime = Regime(cells=grid(m=[64, 256, 1024]), calibration=grid(m=[4, 8, 16]))
    block: dict[str, Any] = {
        "bound": power,
        "regime": regime,
        "evidence": Scaling({"m": "equal"}, constant="C", replicates=10),
    }
    free = row(size, **block)
    assert free.premise_status is PremiseStatus.INSIDE
    capped = row(size, ceiling=formula(lambda m: m**1.5, "m**1.5"), **block)
    assert capped.premise_status is PremiseStatus.TRIVIAL


def test_a_ceiling_with_an_unknown_symbol_is_refused() -> None:
    with pytest.raises(Exception, match="unknown symbol 'q' in its ceiling"):
        row(lambda m: 0.5, RunConfig(), ceiling=formula(lambda q: q, "q"))


@pytest.mark.parametrize("plan", [Search(examples=20), Trials(rate=0.1, budget=300), ExactLaw(rate=0.1)])
def test_a_bound_too_large_for_a_float_is_trivial_too(plan: Plan) -> None:
    """Not outside of the premises, and nothing a width would mend."""
    huge = formula(lambda m: math.inf, "exp(exp(m))")
    measure: Any = count if not isinstance(plan, ExactLaw) else (lambda threshold, m, x: 0.0)
    block: dict[str, Any] = {"ceiling": WIDTH, "evidence": plan, "regime": Regime(cells=grid(m=100, x=0.5))}
    config = RunConfig(bound=huge, smallest=lambda *asked: 5)
    found = row(measure, config, premises=[FakePremise(lambda m: True)], bound=DOUBLE, **block)
    assert (found.premise_status, found.verdict, found.needs) == (PremiseStatus.TRIVIAL, Verdict.VACUOUS, ())
    without = row(measure, config, bound=DOUBLE, **{**block, "ceiling": None})
    assert without.verdict is Verdict.UNDECIDED
    assert without.evidence.cells[0].remark == "the bound is not a finite number"


def test_a_number_that_is_none_is_not_hidden_by_a_trivial_bound_of_a_search() -> None:
    found = row(lambda m: math.nan, RunConfig(bound=formula(lambda m: math.inf)), ceiling=WIDTH)
    assert found.evidence.cells[0].remark == "a measurement is not a finite number"

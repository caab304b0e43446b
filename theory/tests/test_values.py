"""Cells, draws and budgets that nothing can be judged at are refused when the block loads, in one line."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest

from theory.claims import Regime, control, reals
from theory.core.refusal import ClaimError
from theory.evidence import Search, Trials
from theory.tests.fakes import declared


@pytest.mark.parametrize("where", ["cells", "thorough", "nightly", "calibration", "control"])
@pytest.mark.parametrize(
    ("value", "why"),
    [
        (math.nan, "not finite"),
        (math.inf, "not finite"),
        (-4, "outside the domain of m, integer >= 1"),
        (4.5, "outside the domain of m"),
        ("a", "no number"),
        (True, "no number"),
        (None, "no number"),
        ([1, 2], "no number"),
    ],
)
def test_a_cell_gives_each_symbol_a_value_of_its_domain(where: str, value: Any, why: str) -> None:
    cells: dict[str, Any] = {"cells": [{"m": 4}]}
    controls = [control("half", bound="m/8", cells=[{"m": value}] if where == "control" else None)]
    if where != "control":
        cells[where] = [{"m": value}]
    with (
        pytest.raises(ClaimError, match=f"m=.* is {why}"),
        declared(lambda m: 0.5, bound="m", regime=Regime(**cells), controls=controls),
    ):
        pass


def test_a_symbol_of_no_formula_may_be_a_name_and_no_object() -> None:
    for value, valid in (("relu", True), ((4, 8), True), (0.5, True), ([1], False), (None, False)):
        cells = Regime(cells=[{"m": 4, "activation": value}])
        if valid:
            with declared(lambda m: 0.5, bound="m", regime=cells):
                continue
        with (
            pytest.raises(ClaimError, match="neither a number nor a name"),
            declared(lambda m: 0.5, bound="m", regime=cells),
        ):
            pass


@pytest.mark.parametrize("name", ["E", "pi", "sqrt", "Max"])
@pytest.mark.parametrize("measured", [False, True])
def test_a_name_that_formulas_read_otherwise_is_no_symbol(name: str, measured: bool) -> None:
    block: dict[str, Any] = {"measured": [name]} if measured else {"regime": Regime(cells=[{"m": 4, name: 9}])}
    with pytest.raises(ClaimError, match=f"a symbol '{name}', which"), declared(lambda m: 0.5, bound="m", **block):
        pass


def test_no_cell_stands_twice() -> None:
    twice = Regime(cells=[{"m": 4}, {"m": 8}, {"m": 4}])
    with pytest.raises(ClaimError, match="two cells of its regime are m=4"), declared(lambda m: 0.5, regime=twice):
        pass


@pytest.mark.parametrize(
    ("low", "high", "logarithmic"),
    [(2, 1, False), (1, 1, False), (math.nan, 1, False), (0, math.inf, False), (0, 1, True), (-1, 1, True)],
)
def test_reals_lie_between_two_finite_numbers(low: float, high: float, logarithmic: bool) -> None:
    with pytest.raises(ValueError, match="reals"):
        reals(low, high, logarithmic=logarithmic)


@pytest.mark.parametrize("plan", [Trials(rate=0.1, budget=-5), Trials(rate=0.1, budget=True), Search(examples=-1)])
def test_a_budget_is_a_number_from_zero_up(plan: Any) -> None:
    def measured(rng: np.random.Generator, m: int) -> float:
        return float(rng.random())

    with pytest.raises(ClaimError, match="is no number of"), declared(measured, evidence=plan):
        pass


class TestArraysThatAreUsedAgain:
    """A function may hand out one array again and again: what was measured is kept as it was."""

    @pytest.mark.parametrize("size", [1, 3])
    def test_what_is_kept_does_not_change(self, size: int) -> None:
        from theory.claims.memory import Memory, instance
        from theory.core.measured import Measured

        used = np.ones(size)
        kept = instance({}, 0, Measured(used, error=used, symbols={"a": used}, low=used), 1.0, "<=")
        memory = Memory()
        memory.recalled.note({}, {}, 0, Measured(used))
        used[:] = 7.0
        assert np.all(kept.value == 1.0)
        assert np.all(kept.other == 1.0)
        assert np.all(kept.error == 1.0)
        assert np.all(kept.symbols["a"] == 1.0)
        recalled = memory.recalled.find({}, {}, 0)
        assert recalled is not None
        assert np.all(recalled.value == 1.0)


@pytest.mark.parametrize("thing", [functools.partial(lambda m: 0.5), dict], ids=["partial", "class"])
def test_what_measures_is_a_function(thing: Any) -> None:
    with pytest.raises(ClaimError, match="is no function but a"), declared(thing):
        pass

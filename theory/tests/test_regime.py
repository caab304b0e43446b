"""Cells: combinations, efforts, assignments and derived symbols; they name the seeds."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, find, given, seed, settings
from hypothesis import strategies as st

from theory.claims import control
from theory.claims.block import Plan
from theory.claims.regime import Cell, Regime, choices, grid, reals
from theory.core.seeds import canonical, generator, said, stable_key
from theory.evidence import Search, Trials
from theory.tests.fakes import row

REGIME = Regime(
    cells=grid(m=[4, 8], L=2),
    thorough=grid(m=16, L=2),
    nightly=grid(m=32, L=2),
    calibration=grid(m=[1, 2], L=2),
    derived={"half": lambda m: m / 2, "both": lambda half, L: half + L},
    draw={"x": st.floats(0.0, 1.0)},
)


def test_a_grid_is_every_combination_first_axis_slowest() -> None:
    assert grid(m=[1, 2], L=(3, 4)) == [{"m": 1, "L": 3}, {"m": 1, "L": 4}, {"m": 2, "L": 3}, {"m": 2, "L": 4}]
    assert grid(m=range(2), eps=0.5) == [{"m": 0, "eps": 0.5}, {"m": 1, "eps": 0.5}]
    assert grid() == [{}]


def test_a_grid_of_an_array_has_python_numbers() -> None:
    """A numpy scalar prints as np.int64(4), which no one can hand back to --at."""
    cells = grid(m=np.array([4, 8]), eps=np.array([0.5]))
    assert cells == [{"m": 4, "eps": 0.5}, {"m": 8, "eps": 0.5}]
    assert {type(value) for cell in cells for value in cell.values()} == {int, float}


@pytest.mark.parametrize(("low", "high", "logarithmic"), [(0.0, 1.0, False), (1e-6, 0.5, True), (-3.0, 3.0, False)])
def test_reals_cover_their_range_with_both_ends(low: float, high: float, logarithmic: bool) -> None:
    seen: list[float] = []

    @settings(max_examples=120, database=None, phases=[Phase.generate])
    @seed(0)
    @given(reals(low, high, logarithmic))
    def draw(x: float) -> None:
        seen.append(x)

    draw()
    assert {low, high} <= set(seen)
    assert low <= min(seen) <= max(seen) <= high
    middle = math.sqrt(low * high) if logarithmic else 0.5 * (low + high)
    assert 0.2 < np.mean([x <= middle for x in seen]) < 0.8


def test_a_cell_below_the_least_sizes_is_refused_and_its_lack_told() -> None:
    regime = Regime(cells=grid(L=[2, 3], layer=2), least={"L": "layer", "layer": 1})
    assert regime.lacks({"L": 1, "layer": 2}) == "L >= layer"
    assert regime.lacks({"L": 1, "layer": 0}) == "layer >= 1"
    assert regime.lacks({"L": 2, "layer": 2}) == regime.lacks({"m": 4}) == ""
    fewer, more = (Regime(cells=grid(L=3, layer=2), least={"L": f"layer {sign} 1"}) for sign in "-+")
    assert (fewer.lacks({"L": 1, "layer": 2}), fewer.lacks({"L": 1, "layer": 3})) == ("", "L >= layer - 1")
    assert (more.lacks({"L": 3, "layer": 2}), more.lacks({"L": 2, "layer": 2})) == ("", "L >= layer + 1")
    with pytest.raises(ValueError, match=r"there is nothing to measure at .*: it takes L >= layer"):
        Regime(cells=[], nightly=grid(L=1, layer=2), least={"L": "layer"})


def test_a_symbol_is_fixed_if_all_cells_have_one_value_of_it() -> None:
    assert REGIME.is_fixed("L")
    assert not any(map(REGIME.is_fixed, ("m", "half", "x", "none")))
    assert not Regime(cells=[{"m": 1}, {}]).is_fixed("m")
    assert not Regime(cells=[]).is_fixed("m")


def test_each_effort_adds_cells() -> None:
    widths = {effort: [c["m"] for c in REGIME.select(effort, {})] for effort in ("quick", "thorough", "nightly")}
    assert widths == {"quick": [4, 8], "thorough": [4, 8, 16], "nightly": [4, 8, 16, 32]}
    assert [c["m"] for c in REGIME.select_calibration({})] == [1, 2]


def test_derived_symbols_follow_what_is_assigned() -> None:
    assert REGIME.complete({"m": 4, "L": 2}, {}) == {"m": 4, "L": 2, "half": 2.0, "both": 4.0}
    assert REGIME.complete({"m": 4, "L": 2}, {"m": 10}) == {"m": 10, "L": 2, "half": 5.0, "both": 7.0}
    assert REGIME.complete({"m": 4, "L": 2}, {"half": 1.0}) == {"m": 4, "L": 2, "half": 1.0, "both": 3.0}


def test_only_symbols_of_the_cell_are_assigned() -> None:
    """A trial, a constant or a symbol of another claim would rename the cell, and with it all generators."""
    plain = REGIME.complete({"m": 4, "L": 2}, {})
    assert REGIME.complete({"m": 4, "L": 2}, {"trial": 7, "C": 3.0, "beta_": 0.1, "x": 0.5}) == plain


def test_cells_that_an_assignment_makes_equal_are_run_once() -> None:
    assert [c["m"] for c in REGIME.select("nightly", {"m": 5})] == [5]
    assert [(c["m"], c["L"]) for c in REGIME.select("quick", {"L": 9})] == [(4, 9), (8, 9)]


def test_symbols_are_those_of_all_cells_derived_and_drawn() -> None:
    assert frozenset({"m", "L", "half", "both", "x"}) == REGIME.symbols


def test_a_cell_may_leave_out_what_has_a_usual_value() -> None:
    regime = Regime(cells=[{"m": 4}, {"m": 4, "points": "arc"}], usual={"points": "drawn"})
    assert regime.select("quick", {}) == [{"m": 4, "points": "drawn"}, {"m": 4, "points": "arc"}]
    assert regime.select("quick", {"points": "arc"}) == [{"m": 4, "points": "arc"}]
    assert regime.symbols == {"m", "points"}
    assert regime.names("points") == ("drawn", "arc")
    assert not regime.is_fixed("points")


def test_a_usual_value_names_no_generator() -> None:
    """A claim that learns of a new symbol measures the same where that has its usual value."""
    regime = Regime(cells=[{"m": 4}, {"m": 4, "points": "arc"}], usual={"points": "drawn"})
    plain, other = (regime.unusual(cell) for cell in regime.select("quick", {}))
    assert (plain, other) == ({"m": 4}, {"m": 4, "points": "arc"})


@pytest.mark.parametrize("plan", [Search(10), Trials(0.2, budget=100, fixed=True, reserve=1e-9)])
def test_cells_measure_what_they_did_before_they_could_leave_it_out(plan: Plan) -> None:
    def drawn(rng: np.random.Generator, m: int) -> float:
        return float(rng.random())

    def arranged(rng: np.random.Generator, m: int, points: str) -> float:
        return float(rng.random())

    block: dict[str, Any] = {"bound": "m", "evidence": plan, "controls": [control("none", bound="m/1000")]}
    before = row(drawn, regime=Regime(cells=[{"m": 4}]), **block).evidence.cells
    cells: list[Cell] = [{"m": 4}, {"m": 4, "points": "arc"}]
    after = row(arranged, regime=Regime(cells=cells, usual={"points": "drawn"}), **block).evidence.cells
    assert [cell.measured == before[0].measured for cell in after] == [True, False]


def test_choices_are_drawn_and_told_by_name() -> None:
    regime = Regime(
        cells=[{"m": 4, "loss": "hinge"}, {"m": 8, "loss": "logistic"}], draw={"kind": choices("zero", "equal")}
    )
    assert regime.names("kind") == ("zero", "equal")
    assert regime.names("loss") == ("hinge", "logistic")
    assert regime.names("m") == regime.names("q") == ()
    drawn = regime.strategies["kind"]
    assert [find(drawn, lambda name: True), find(drawn, lambda name: name != "zero")] == ["zero", "equal"]


@pytest.mark.parametrize("name", ["", "a,b", " a", "a  b", "1", "-1e3", "nan"])
def test_a_name_that_at_could_not_say_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is no name that --at could say"):
        choices("zero", name)


def test_arguments_are_built_from_drawn_symbols() -> None:
    regime = Regime(cells=[{"m": 4}], draw={"a": reals(0, 1), "b": reals(0, 1)}, built={"pair": (dict, ("b", "a"))})
    assert regime.build({"m": 4, "a": 1, "b": 2, "trial": 0}) == {"pair": {"b": 2, "a": 1}}


def test_an_instance_is_said_without_quotes() -> None:
    assert said({"m": np.int64(4), "loss": "p < 1/2", "eps": 1e-5}) == "eps=1e-05,loss=p < 1/2,m=4"


def test_a_key_is_the_same_in_every_process() -> None:
    # The first four bytes of the published SHA-256 of these texts.
    assert [stable_key(text) for text in ("", "abc")] == [0xE3B0C442, 0xBA7816BF]


def test_a_cell_is_written_in_the_grammar_of_at() -> None:
    assert canonical({"m": 4096, "L": 3, "eps": 1e-5}) == "L=3,eps=1e-05,m=4096"
    assert canonical({"m": np.int64(4), "eps": np.float64(0.1)}) == canonical({"m": 4, "eps": 0.1})
    assert float(canonical({"eps": 0.1 + 0.2}).partition("=")[2]) == 0.1 + 0.2


def first(root: int = 0, claim: str = "toy:a", at: dict[str, int] | None = None, trial: int = 0) -> float:
    return float(generator(root, claim, at or {"m": 4}, trial).random())


def test_a_generator_is_named_by_root_claim_cell_and_trial() -> None:
    assert first() == first()
    others = [first(root=1), first(claim="toy:b"), first(at={"m": 5}), first(trial=1)]
    assert len({first(), *others}) == 5


def test_the_order_of_symbols_does_not_matter() -> None:
    assert first(at={"m": 4, "L": 2}) == first(at={"L": 2, "m": 4})


def test_trials_are_uncorrelated() -> None:
    draws = np.array([generator(0, "toy:a", {"m": 4}, trial).random() for trial in range(4000)])
    # Standard error of mean and lag-one correlation is 1/sqrt(4000), times sqrt(1/12) for the mean.
    assert abs(draws.mean() - 0.5) < 5 * np.sqrt(1 / 12 / 4000)
    assert abs(np.corrcoef(draws[1:], draws[:-1])[0, 1]) < 5 / np.sqrt(4000)


@pytest.mark.parametrize("trial", [0, 2**31, 2**40])
def test_any_trial_number_has_a_generator(trial: int) -> None:
    assert 0.0 <= first(trial=trial) < 1.0


def test_a_regime_says_the_most_as_well_and_relations_among_symbols() -> None:
    regime = Regime(cells=grid(B=2, n=4, d=2), least={"n": 2, "d": "B - 1"}, most={"B": "n", "n": "2*d"})
    assert regime.limits == "n >= 2; d >= B - 1; B <= n; n <= 2*d"
    assert Regime(cells=grid(m=4)).limits == ""
    assert regime.lacks({"B": 5, "n": 4, "d": 4}) == "B <= n"
    assert regime.lacks({"B": 1, "n": 5, "d": 2}) == "n <= 2*d"
    assert regime.lacks({"B": 4, "n": 4, "d": 2}) == "d >= B - 1"
    assert regime.lacks({"B": 4, "n": 4, "d": 3}) == regime.lacks({"n": 4}) == ""
    with pytest.raises(ValueError, match="it takes B <= n"):
        Regime(cells=grid(B=5, n=4), most={"B": "n"})


def test_a_limit_may_be_a_product_of_two_sizes() -> None:
    regime = Regime(cells=grid(m=8, n=2, L=4), least={"m": "n*L"})
    assert regime.limits == "m >= n*L"
    assert regime.lacks({"m": 7, "n": 2, "L": 4}) == "m >= n*L"
    assert regime.lacks({"m": 8, "n": 2, "L": 4}) == regime.lacks({"m": 1, "n": 2}) == ""
    with pytest.raises(ValueError, match=r"it takes m >= n\*L"):
        Regime(cells=grid(m=7, n=2, L=4), least={"m": "n*L"})
    with pytest.raises(ValueError, match="give L there"):
        Regime(cells=grid(m=8, n=2), least={"m": "n*L"})


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"cells": [3]}, "3 is no cell"),
        ({"cells": "ab"}, "'a' is no cell"),
        ({"cells": [{4: 4}]}, "is no cell"),
        ({"cells": grid(m=4), "draw": {"phi": 3}}, "phi=3 cannot be drawn"),
        ({"cells": grid(m=4), "least": {"m": "q"}}, "give q there"),
        ({"cells": grid(m=4), "most": {"m": "m*2"}}, "'m*2' is no limit"),
    ],
)
def test_what_no_regime_can_have_is_told_in_a_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        Regime(**wrong)

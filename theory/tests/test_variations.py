"""Sizes beside those that a claim declares: where they lie, what they keep of those, and that they repeat."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from theory.claims.block import Claim
from theory.claims.regime import Cell, Regime, choices, grid
from theory.evidence import Scaling, Trials
from theory.running.config import RunConfig
from theory.tests.fakes import ALPHA, ONE, FakeBound, FakePremise, chosen, declared, formula
from theory.upkeep.variations import Variation, movable, variations


def half(m: int) -> float:
    return 0.5


def drawn(claim: Claim, count: int = 20, seed: int = 0, smaller: bool = False) -> list[Variation]:
    """Variations that were found."""
    found = variations(claim, count, RunConfig(seed=seed), ALPHA, smaller)
    return [one for one in found if isinstance(one, Variation)]


def cells_of(function: Any, regime: Regime, count: int = 20, **options: Any) -> list[Cell]:
    """The cells of the variations of a claim with this regime."""
    block = {name: options.pop(name) for name in ("premises", "bound", "evidence", "controls") if name in options}
    with declared(function, regime=regime, **block) as claim:
        return [cell for one in drawn(claim, count, **options) for cell in one.cells]


def test_a_size_moves_by_a_factor_of_two_at_most_and_a_small_one_by_one_to_three() -> None:
    def measure(m: int, L: int) -> float:
        return 0.5

    found = cells_of(measure, Regime(cells=[{"m": 101, "L": 4}]))
    assert all(50 <= cell["m"] <= 202 and 1 <= cell["L"] <= 7 for cell in found)
    assert all(type(cell["m"]) is int and type(cell["L"]) is int for cell in found)
    assert {cell["L"] for cell in found} >= {3, 4, 5}
    assert len({cell["m"] for cell in found}) > 10


def test_no_variation_is_a_declared_cell_or_comes_twice() -> None:
    found = cells_of(half, Regime(cells=[{"m": 2}], thorough=[{"m": 3}]))
    # One to three beside 2, in the domain, and not the two declared ones.
    assert sorted(cell["m"] for cell in found) == [1, 4, 5]


def test_what_a_premise_fences_in_is_never_left() -> None:
    premise = FakePremise(lambda m: 64 <= m <= 80)
    found = cells_of(half, Regime(cells=[{"m": 64}]), premises=[premise])
    assert found
    assert all(64 <= cell["m"] <= 80 for cell in found)


def test_where_one_size_alone_meets_the_premises_there_is_no_variation_and_that_is_said() -> None:
    with declared(half, regime=Regime(cells=[{"m": 64}]), premises=[FakePremise(lambda m: m == 64)]) as claim:
        assert drawn(claim) == []
        (said,) = variations(claim, 1, RunConfig(), ALPHA)
    assert said == "a size nearby that is inside the premises, with a bound that could be missed, is not found"


def test_a_bound_that_nothing_could_miss_is_no_variation() -> None:
    with declared(half, regime=Regime(cells=[{"m": 64}]), bound=formula(lambda m: 64.0 / m), ceiling=ONE) as claim:
        found = [cell["m"] for one in drawn(claim) for cell in one.cells]
    assert found
    assert min(found) > 64


def test_the_least_sizes_of_a_regime_and_derived_symbols_are_kept() -> None:
    def measure(L: int, layer: int, twice: int) -> float:
        return 0.5

    regime = Regime(cells=[{"L": 3, "layer": 2}], derived={"twice": lambda L: 2 * L}, least={"L": 2, "layer": 1})
    found = cells_of(measure, regime)
    assert {cell["L"] for cell in found} == {2, 4, 5, 6}
    assert all(cell["twice"] == 2 * cell["L"] for cell in found)


def test_equal_sizes_stay_equal_widths_multiples_of_four_and_a_part_is_no_larger_than_the_whole() -> None:
    def measure(m: int, M: int, d: int, s: int, n: int) -> float:
        return 0.5

    cells = [{"m": 64, "M": 64, "d": 64, "s": 40, "n": 5}, {"m": 256, "M": 256, "d": 256, "s": 256, "n": 7}]
    found = cells_of(measure, Regime(cells=cells))
    assert len(found) == 20
    assert all(cell["m"] == cell["M"] == cell["d"] and cell["m"] % 4 == 0 and cell["s"] <= cell["m"] for cell in found)
    assert {cell["n"] % 2 for cell in found} == {0, 1}


def test_a_name_becomes_another_that_cells_or_draws_know_and_a_usual_one_too() -> None:
    def measure(m: int, loss: str, points: str) -> float:
        return 0.5

    regime = Regime(
        cells=[{"m": 4, "loss": "square"}, {"m": 4, "loss": "cosh", "points": "near"}], usual={"points": "drawn"}
    )
    found = cells_of(measure, regime)
    assert {(cell["loss"], cell["points"]) for cell in found} == {
        (loss, points) for loss in ("square", "cosh") for points in ("drawn", "near")
    }


def test_the_first_variation_has_a_smaller_rate_and_none_exceeds_one_half() -> None:
    def measure(rng: np.random.Generator, m: int, delta: float) -> float:
        return 0.5

    with declared(measure, regime=Regime(cells=grid(m=64, delta=0.3)), evidence=Trials(rate="delta")) as claim:
        found = drawn(claim)
    rates = [one.cells[0]["delta"] for one in found]
    assert rates[0] < 0.3
    assert any(rate > 0.3 for rate in rates)
    assert all(0.075 <= rate <= 0.5 for rate in rates)


@pytest.mark.parametrize("name", ["K", "steps"])
def test_the_second_variation_has_twice_the_steps_and_nothing_else(name: str) -> None:
    regime = Regime(cells=[{"m": 64, name: 20}])
    with declared(half, regime=regime) as claim:
        found = drawn(claim)
        shorter = drawn(claim, smaller=True)
    assert [(one.cells, one.longer) for one in found if one.longer] == [(({"m": 64, name: 40},), True)]
    assert found[1].longer
    assert {one.cells[0][name] for one in found} == {20, 40}
    assert {one.cells[0][name] for one in shorter} == {20}


def test_once_larger_sizes_are_too_dear_none_grows_and_no_rate_shrinks() -> None:
    def measure(m: int, L: int, delta: float) -> float:
        return 0.5

    found = cells_of(measure, Regime(cells=grid(m=64, L=4, delta=0.1)), smaller=True)
    assert found
    assert all(cell["m"] <= 64 and cell["L"] <= 4 and cell["delta"] >= 0.1 for cell in found)


def test_a_real_number_stays_between_its_declared_values_or_moves_by_two_where_the_statement_names_it() -> None:
    def measure(slope: float, tau: float, share: float) -> float:
        return 0.5

    cells = grid(slope=[-2.0, 0.5], tau=0.1, share=0.3)
    found = cells_of(measure, Regime(cells=cells), bound=formula(lambda tau: 1.0))
    assert all(-2.0 <= cell["slope"] <= 0.5 and 0.05 <= cell["tau"] <= 0.2 for cell in found)
    assert len({cell["slope"] for cell in found}) > 5
    assert len({cell["tau"] for cell in found}) > 5
    assert {cell["share"] for cell in found} == {0.3}


def test_constants_of_what_the_function_does_not_take_stay_as_they_are() -> None:
    found = cells_of(half, Regime(cells=[{"m": 64, "rho": 1.0}]), bound=formula(lambda m, rho: 1.0))
    assert {cell["rho"] for cell in found} == {1.0}


def test_symbols_of_which_each_tells_the_other_move_together() -> None:
    def measure(m: int, p: float) -> float:
        return 0.5

    cells = [{"m": 64, "p": 0.5, "rho": 1.0}, {"m": 64, "p": 1.0, "rho": 0.1}, {"m": 64, "p": 0.0, "rho": 3.0}]
    found = cells_of(measure, Regime(cells=cells))
    assert {(cell["p"], cell["rho"]) for cell in found} == {(0.5, 1.0), (1.0, 0.1), (0.0, 3.0)}


def test_a_fit_moves_by_one_factor_and_what_is_fixed_moves_where_the_constant_is_fitted_too() -> None:
    def measure(rng: np.random.Generator, m: int, n: int) -> float:
        return float(m * (1.0 + 0.1 * rng.random()))

    regime = Regime(calibration=grid(m=[64, 128, 256], n=4), cells=grid(m=[512, 1024], n=4))
    bound = FakeBound(lambda m, C: C * m, constants={"C": chosen(1.0)}, slopes={"m": 1.0})
    with declared(
        measure, regime=regime, evidence=Scaling({"m": "equal"}, constant="C"), bound=bound, kind="asymptotic"
    ) as claim:
        found = drawn(claim)
    assert {one.cells[0]["n"] for one in found} > {4}
    for one in found:
        fitted = one.claim.regime.calibration
        assert [cell["m"] for cell in fitted] == [64, 128, 256]
        assert {cell["n"] for cell in (*fitted, *one.cells)} == {one.cells[0]["n"]}
        assert one.cells[1]["m"] == pytest.approx(2 * one.cells[0]["m"], abs=8)


def test_a_value_among_those_that_a_constant_is_fitted_on_stays_among_them() -> None:
    """What holds from the smaller sizes on is not said of sizes that are smaller still."""

    def measure(rng: np.random.Generator, m: int, n: int) -> float:
        return float(m * n * (1.0 + 0.1 * rng.random()))

    fitted = [{"m": 64, "n": 4}, {"m": 128, "n": 4}, {"m": 64, "n": 8}]
    regime = Regime(calibration=fitted, cells=[{"m": 512, "n": 4}, {"m": 64, "n": 64}])
    bound = FakeBound(lambda m, n, C: C * m * n, constants={"C": chosen(1.0)}, slopes={"m": 1.0, "n": 1.0})
    with declared(measure, regime=regime, evidence=Scaling({}, constant="C"), bound=bound, kind="asymptotic") as claim:
        found = drawn(claim)
    assert all(4 <= one.cells[0]["n"] <= 8 and 64 <= one.cells[1]["m"] <= 128 for one in found)
    assert {one.cells[0]["m"] for one in found} > {512}


def test_a_size_at_which_a_symbol_has_no_value_is_passed_over_and_told_where_there_is_no_other() -> None:
    def root(m: int) -> float:
        if m > 64:
            raise ArithmeticError("no root")
        return float(m)

    def never(m: int) -> float:
        if m != 64:
            raise ArithmeticError("no root")
        return float(m)

    cells = [{"m": 64}]
    assert all(cell["m"] < 64 for cell in cells_of(half, Regime(cells=cells, derived={"h": root})))
    with declared(half, regime=Regime(cells=cells, derived={"h": never})) as claim:
        assert variations(claim, 1, RunConfig(), ALPHA) == ["ArithmeticError: no root"]


def test_variations_depend_on_the_seed_and_nothing_else() -> None:
    regime = Regime(cells=grid(m=[64, 128], L=[2, 3]), draw={"size": choices("one", "two")})

    def measured(m: int, L: int, size: str) -> float:
        return 0.5

    first, again, other = (cells_of(measured, regime, 5, seed=seed) for seed in (0, 0, 1))
    assert first == again
    assert first != other


def test_cells_that_hold_nothing_cannot_be_moved() -> None:
    with declared(lambda: 0.5, regime=Regime(cells=grid())) as claim:
        assert movable(claim) == []
        assert drawn(claim) == []

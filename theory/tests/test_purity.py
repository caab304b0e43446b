"""A function that depends on more than its generator and its symbols decides nothing, whichever plan meets it.

It may keep a count, draw from a generator of its own, or remember what it saw: the same trial then comes out otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from theory.claims import control
from theory.claims.regime import Regime, grid
from theory.core.verdict import Verdict
from theory.evidence import Distribution, Mean, Scaling, Search, Trials
from theory.evidence.plan import IMPURE, same
from theory.tests.fakes import FakeBound, chosen, decide, formula

Measure = Callable[[np.random.Generator, int], float]


def power_law() -> dict[str, Any]:
    bound = FakeBound(lambda m, C: C * m, constants={"C": chosen(1.0)}, slopes={"m": 1.0})
    regime = Regime(cells=grid(m=[16, 64, 256]), calibration=grid(m=[1, 4]))
    return {"bound": bound, "regime": regime, "evidence": Scaling({"m": "equal"}, constant="C", replicates=6)}


BLOCKS: dict[str, dict[str, Any]] = {
    "search": {"evidence": Search(examples=10), "bound": formula(lambda: 2.0)},
    "trials": {"evidence": Trials(rate=0.3, budget=100), "bound": formula(lambda: 2.0)},
    "fixed trials": {"evidence": Trials(rate=0.3, budget=100, fixed=True, reserve=0.01), "bound": formula(lambda: 2.0)},
    "distribution": {"evidence": Distribution(law=lambda: stats.uniform(), trials=60), "sense": "="},
    "mean": {"evidence": Mean(ceiling=1.0), "bound": formula(lambda: 0.8)},
    "scaling": power_law(),
}


def in_units(name: str, m: int, uniform: float) -> float:
    """A number in (0, 1), as the block of that name wants it."""
    return m * math.exp(0.01 * uniform) if name == "scaling" else uniform


def drawing(name: str) -> Measure:
    return lambda rng, m: in_units(name, m, rng.random())


def with_a_generator_of_its_own(name: str) -> Measure:
    own = np.random.default_rng(5)
    return lambda rng, m: in_units(name, m, own.random())


def counting(name: str) -> Measure:
    calls: list[None] = []

    def measure(rng: np.random.Generator, m: int) -> float:
        calls.append(None)
        return in_units(name, m, rng.random()) * (1.0 + 1e-6 * len(calls))

    return measure


@pytest.mark.parametrize("name", BLOCKS)
def test_a_function_of_its_generator_passes(name: str) -> None:
    assert decide(drawing(name), **BLOCKS[name]).verdict.is_pass


@pytest.mark.parametrize("impure", [with_a_generator_of_its_own, counting])
@pytest.mark.parametrize("name", BLOCKS)
def test_any_other_is_undecided(name: str, impure: Callable[[str], Measure]) -> None:
    found = decide(impure(name), **BLOCKS[name])
    assert found.verdict is Verdict.UNDECIDED
    assert {cell.remark for cell in found.cells} == {IMPURE}


def test_failures_that_do_not_come_back_refute_nothing() -> None:
    own = np.random.default_rng(5)
    found = decide(lambda rng, m: 1.0 + own.random(), evidence=Trials(rate=0.1, budget=200))
    assert (found.verdict, found.cells[0].remark) == (Verdict.UNDECIDED, IMPURE)


def test_a_knob_that_makes_a_control_impure_does_not_catch_it() -> None:
    own = np.random.default_rng(5)

    def measure(rng: np.random.Generator, m: int, *, shift: float = 0.0) -> float:
        return shift * (1.0 + own.random()) + rng.random()

    wrong = control("shifted", shift=1.0)
    found = decide(measure, evidence=Trials(rate=0.1, budget=200), controls=[wrong], of_control="shifted")
    assert found.verdict is Verdict.UNDECIDED


def test_what_is_the_same_is_so_up_to_the_last_bits() -> None:
    numbers = np.array([[1.0, math.nan], [1e-300, 2.0]])
    assert same(numbers * (1.0 + 1e-13), numbers)
    assert not same(numbers * (1.0 + 1e-8), numbers)
    assert not same(numbers[0], numbers)
    assert not same([1e-300], [2e-300])

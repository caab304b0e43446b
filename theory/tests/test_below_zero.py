"""An upper bound below 0 of what is never negative is met by nothing, so that missing it refutes no wrong variant."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

from theory.claims import control
from theory.claims.block import Plan
from theory.claims.memory import Memory
from theory.claims.regime import Regime, grid
from theory.core.measured import Measured, is_below_zero
from theory.core.verdict import Verdict
from theory.evidence import ExactLaw, Mean, Scaling, Search, Tail, Trials
from theory.running.config import RunConfig
from theory.running.parallel import Block
from theory.tests.fakes import row

WIDTHS = Regime(cells=grid(m=[4, 9]))


def distance(rng: np.random.Generator, m: int) -> float:
    """A distance, which is never negative."""
    return float(rng.uniform(0.5, 1.0)) / m


def tail(threshold: float, m: int) -> Tail:
    """The tail of a number that is uniform in [0, 1/m]."""
    found = min(1.0, max(0.0, 1.0 - m * threshold))
    return Tail(found, found)


PLANS: dict[str, tuple[Plan, Any]] = {
    "search": (Search(examples=20), distance),
    "trials": (Trials(rate=0.2), distance),
    "law": (ExactLaw(rate=0.05), tail),
    "mean": (Mean(ceiling=1.0), lambda rng, m: distance(rng, m) / 2.0),
}


@pytest.mark.parametrize("kind", PLANS)
def test_a_control_below_zero_is_not_refuted(kind: str) -> None:
    plan, function = PLANS[kind]
    controls = [control("less than nothing", bound="1/m - 1"), control("a quarter", bound="1/(4*m)")]
    found = row(function, bound="1/m", regime=WIDTHS, evidence=plan, controls=controls)
    below, quarter = found.controls
    assert found.verdict.is_pass
    assert (below.refuted, quarter.refuted, found.ok) == (False, True, False)
    assert "'less than nothing' (undecided; its bound is below 0" in found.complaint


@pytest.mark.parametrize("plan", [Search(examples=30), Trials(rate=0.2)])
def test_a_control_that_is_below_zero_in_places_is_refuted_where_it_could_be_met(plan: Plan) -> None:
    """The first is negative at m = 4 and at most 1/9 at m = 9; of the second a quarter is asked for there."""
    controls = [control("met at nine", bound="(m - 5)/36"), control("missed at nine", bound="(m - 5)/144")]
    met, missed = row(distance, bound="1/m", regime=WIDTHS, evidence=plan, controls=controls).controls
    assert (met.refuted, missed.refuted) == (False, True)


def test_entries_below_zero_do_not_hide_one_that_is_missed() -> None:
    def two(rng: np.random.Generator, m: int) -> Measured:
        return Measured(np.full(2, distance(rng, m)), symbols={"l": np.array([1, 2])})

    controls = [
        control("only below zero", bound="(l - 1)/m - (2 - l)"),
        control("less by 3/4", bound="(l - 1)/m - 3/4/m"),
    ]
    found = row(two, bound="1/m + 0*l", regime=WIDTHS, evidence=Search(examples=20), measured=["l"], controls=controls)
    assert [wrong.refuted for wrong in found.controls] == [False, True]


@pytest.mark.parametrize("plan", [Search(examples=20), Trials(rate=0.2)])
def test_what_may_be_negative_is_refuted_by_a_bound_below_zero(plan: Plan) -> None:
    def change(rng: np.random.Generator, m: int) -> float:
        return float(rng.uniform(-1.0, 1.0)) / m

    found = row(change, bound="1/m", regime=WIDTHS, evidence=plan, controls=[control("it falls", bound="-1/m")])
    assert found.ok


def test_a_printed_bound_below_zero_is_false() -> None:
    found = row(
        distance,
        bound="1/m - 1",
        regime=WIDTHS,
        evidence=Search(examples=5),
        expected=Verdict.REFUTED,
        controls=[control("another below zero", bound="1/m - 2"), control("a quarter", bound="1/(4*m)")],
    )
    assert found.verdict is Verdict.REFUTED
    assert [wrong.refuted for wrong in found.controls] == [False, True]


def test_a_bound_of_zero_says_that_there_is_nothing_and_is_refuted() -> None:
    found = row(
        distance, bound="1/m", regime=WIDTHS, evidence=Search(examples=5), controls=[control("none", bound="0")]
    )
    assert found.ok


def test_own_wrong_variants_below_zero_are_not_seen() -> None:
    """Without its first term the bound is negative, and less than it was nowhere else."""
    found = row(distance, bound="1 - 1/(4*m)", regime=WIDTHS, evidence=Search(examples=5), controls=[])
    assert found.verdict is Verdict.HOLDS
    assert not [name for name in (*found.sight.sees, *found.sight.blind) if name.startswith("term")]
    assert found.toothless


def test_a_chance_above_one_is_nothing_that_a_lower_bound_could_ask_for() -> None:
    controls = [control("more than certain, 3/2", bound="3/2"), control("certain", bound="1")]
    found = row(
        lambda m: 1.0 - 1.0 / m,
        bound="1 - 2/m",
        sense=">=",
        regime=WIDTHS,
        evidence=Search(),
        probability=True,
        controls=controls,
    )
    assert [wrong.refuted for wrong in found.controls] == [False, True]


def test_a_number_within_its_error_of_zero_is_not_negative() -> None:
    assert not is_below_zero(Measured(-1e-17, error=1e-16))
    assert not is_below_zero(Measured(math.nan))
    assert is_below_zero(Measured(np.array([1.0, -1e-3])))
    assert is_below_zero(Measured(-1e-3))


def test_workers_know_whether_the_claim_was_negative() -> None:
    block = Block("toy:claim", "", None, RunConfig(), 0.1, {}, 0, 1, Memory(signed=True))
    assert pickle.loads(pickle.dumps(block)).memory.signed


def test_a_wrong_step_is_refuted_by_what_the_bound_of_the_claim_makes_of_it() -> None:
    def of_a_fall(m: int, *, taken: float = 1.0) -> Measured:
        return Measured(0.5 / m, symbols={"l": taken})

    found = row(
        of_a_fall,
        bound="l/m",
        regime=WIDTHS,
        evidence=Search(examples=5),
        measured=["l"],
        controls=[control("ascent", taken=-1.0)],
    )
    assert (found.verdict.is_pass, found.controls[0].refuted) == (True, True)


FITTED: dict[str, Any] = {
    "constants": {"C": (1, "fitted")},
    "regime": Regime(calibration=grid(m=[4, 9]), cells=grid(m=144)),
    "evidence": Scaling({}, constant="C", replicates=40),
}


@pytest.mark.parametrize("signed", [False, True])
def test_a_fit_sees_no_place_by_a_wrong_variant_below_zero(signed: bool) -> None:
    """With m^(3/2)/2 for m the bound is -1.16 C at m = 144, which refutes it where some number measured is negative."""

    def falling(rng: np.random.Generator, m: int) -> float:
        return float(rng.uniform(-0.1 if signed else 0.9, 1.0)) * (1.0 - m / 400.0)

    found = row(falling, bound="C*(1 - m/400)", controls=[], **FITTED)
    assert "-1/2" in found.sight.sees["m"]
    assert ("m in -m/400" in found.sight.sees) == signed


@pytest.mark.parametrize("signed", [False, True])
def test_a_control_of_a_fit_is_refuted_below_zero_where_its_claim_is_negative(signed: bool) -> None:
    def change(rng: np.random.Generator, m: int) -> float:
        return float(rng.uniform(-1.0 if signed else 0.5, 1.0)) / m

    found = row(change, bound="C/m", controls=[control("below zero from eleven on", bound="C/m*(1 - m/10)")], **FITTED)
    assert found.controls[0].refuted == signed

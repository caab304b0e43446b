"""Proofs: every step true proves, one false step refutes, one open step leaves it open."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from theory.claims import control
from theory.claims.regime import Regime, grid
from theory.claims.results import Evidence
from theory.claims.selection import SelectionError
from theory.claims.what_if import asked_bound
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence import Proof, Step
from theory.running.config import RunConfig
from theory.tests.fakes import FakePremise, decide, declared, formula, row


def proof(*said: Any, **block: Any) -> Evidence:
    """The evidence of a proof whose steps come out as `said`."""

    def steps(bound: Any, m: int) -> list[Step]:
        return [Step(f"step {i}", holds) for i, holds in enumerate(said)]

    return decide(steps, evidence=Proof(), **block)


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ((True,), Verdict.PROVED),
        ((True, True), Verdict.PROVED),
        ((True, None), Verdict.UNDECIDED),
        ((None, None), Verdict.UNDECIDED),
        ((True, False), Verdict.REFUTED),
        ((None, False), Verdict.REFUTED),
        ((), Verdict.UNDECIDED),
    ],
)
def test_steps_combine(said: tuple[bool | None, ...], verdict: Verdict) -> None:
    found = proof(*said)
    assert found.verdict is verdict
    (cell,) = found.cells
    assert (cell.trials, cell.failures) == (len(said), said.count(False))
    assert cell.ratio == (math.inf if verdict is Verdict.REFUTED else 0.0)


def test_booleans_of_numpy_are_booleans() -> None:
    assert proof(np.bool_(True)).verdict is Verdict.PROVED
    assert proof(True, np.bool_(False)).verdict is Verdict.REFUTED


@pytest.mark.parametrize("said", [1, 1.0, math.nan, "True", np.array([True, True]), object()])
def test_anything_else_decides_nothing(said: Any) -> None:
    """A truthy object is no proof: NaN is one, and so is a relation that no one has decided."""
    assert proof(True, said).verdict is Verdict.UNDECIDED


def test_the_row_lists_steps_and_names_those_that_are_open() -> None:
    found = proof(True, None, True)
    assert found.details["steps"] == [
        {"step": "step 0", "holds": True},
        {"step": "step 1", "holds": None},
        {"step": "step 2", "holds": True},
    ]
    assert found.cells[0].remark == "step 1"


def test_every_cell_must_be_proved() -> None:
    def small(bound: Any, m: int) -> list[Step]:
        return [Step("m is small", True if m < 10 else None)]

    found = decide(small, regime=Regime(cells=grid(m=[4, 16])), evidence=Proof())
    assert [c.verdict for c in found.cells] == [Verdict.PROVED, Verdict.UNDECIDED]
    assert found.verdict is Verdict.UNDECIDED


def below(bound: Any, m: int, *, shift: float = 0.0) -> list[Step]:
    """That m + shift is at most the bound."""
    return [Step("at most the bound", bool(m + shift <= bound.evaluate({"m": m})))]


def test_a_proof_is_about_the_bound_in_force() -> None:
    wrong = [control("bound halved", bound=formula(lambda m: m / 2)), control("shifted", shift=1.0)]
    block: dict[str, Any] = {"bound": formula(lambda m: m), "evidence": Proof(margin="none"), "controls": wrong}
    judged = row(below, **block)
    assert judged.ok
    assert judged.verdict is Verdict.PROVED
    assert [c.refuted for c in judged.controls] == [True, True]
    assert judged.evidence.details["margin"] == "none"
    what_if = row(below, RunConfig(bound=formula(lambda m: m - 1)), **block)
    assert what_if.verdict is Verdict.REFUTED
    # What the user asks about does not change what the controls are held against.
    assert [c.refuted for c in what_if.controls] == [True, True]


def two_widths(bound: Any, m: int, L: int) -> list[Step]:
    """That m is at most the bound, which the steps evaluate at m alone."""
    return [Step("at most the bound", bool(m <= bound.evaluate({"m": m})))]


@pytest.mark.parametrize(("text", "verdict"), [("m*L", Verdict.PROVED), ("m/L", Verdict.REFUTED)])
def test_a_what_if_may_use_the_symbols_of_the_cell_that_the_steps_do_not_evaluate(text: str, verdict: Verdict) -> None:
    block: dict[str, Any] = {"bound": "m", "evidence": Proof(), "regime": Regime(cells=grid(m=[4, 16], L=3))}
    with declared(two_widths, **block) as claim:
        assert decide(two_widths, RunConfig(bound=asked_bound(claim, text)), **block).verdict is verdict


def test_a_what_if_of_a_symbol_that_is_measured_later_is_refused_with_what_may_be_used() -> None:
    cells = Regime(cells=grid(m=4, L=3))
    with (
        declared(two_widths, bound="m", evidence=Proof(), regime=cells, measured=["phi"]) as claim,
        pytest.raises(SelectionError, match="phi is measured only after that; use L, m"),
    ):
        asked_bound(claim, "phi*m")


def test_outside_the_premises_nothing_is_proved() -> None:
    judged = row(below, bound=formula(lambda m: m), evidence=Proof(), premises=[FakePremise(lambda m: m > 9)])
    assert (judged.verdict, judged.premise_status) == (Verdict.VACUOUS, PremiseStatus.EXTRAPOLATED)


@pytest.mark.parametrize("bound", ["m", "0"])
def test_steps_that_no_wrong_bound_changes_are_no_proof(bound: str) -> None:
    def constant(bound: Any, m: int, *, shown: bool = True) -> list[Step]:
        return [Step("it is so", shown)]

    found = row(constant, bound=bound, evidence=Proof(), controls=[control("not so", shown=False)])
    assert (found.verdict, found.ok) == (Verdict.UNDECIDED, False)
    assert "not about the bound" in found.complaint


def test_steps_about_a_number_are_a_proof() -> None:
    def about(bound: Any, m: int, *, shift: int = 0) -> list[Step]:
        return [Step("it is 0", bool(bound.expr + shift == 0))]

    assert row(about, bound="0", evidence=Proof(), controls=[control("moved by 1", shift=1)]).ok

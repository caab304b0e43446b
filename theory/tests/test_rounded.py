"""Each number moves by the error that it states, and the line that replays a row stays the same on other processors."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from theory.claims import control
from theory.claims.regime import Regime, grid
from theory.core.agreement import tied
from theory.core.measured import BOUND_RELATIVE_ERROR, Measured
from theory.evidence import Distribution, ExactLaw, Proof, Scaling, Search, Step, Trials
from theory.judging.judge import Row, judge
from theory.reports import expected, rounded
from theory.reports.ledger import Suite, to_json
from theory.reports.rounded import lines_fault, perturbed, worst_place
from theory.running.config import RunConfig
from theory.tests.fakes import FakeBound, chosen, decide, declared, formula

TWO_CELLS = Regime(cells=grid(m=[4, 8]))

# A block whose constant is fitted.
FITTED: dict[str, Any] = {
    "regime": Regime(cells=grid(m=[256, 1024, 4096, 16384]), calibration=grid(m=[16, 64])),
    "evidence": Scaling({"m": "equal"}, constant="C", replicates=20),
    "bound": FakeBound(lambda m, C: C * m, "power", {"C": chosen(1.0)}, {"m": 1.0}),
}


def judged(function: Callable[..., Any], **block: Any) -> Row:
    """The row of a claim that exists for this alone."""
    with declared(function, **{"regime": TWO_CELLS, **block}) as made:
        return judge(made, RunConfig(seed=3), 1e-4)


def width(sign: float = 0.0) -> Callable[..., Measured]:
    """Nearly the width, with an error of 1e-10 of it; `sign` is what a processor makes of it."""

    def with_noise(rng: np.random.Generator, m: int) -> Measured:
        value = m * float(np.exp(0.05 * rng.standard_normal()))
        return Measured(value * (1.0 + sign * 1e-10), error=1e-10 * value)

    return with_noise


def ledger(*rows: Row) -> dict[str, Any]:
    return to_json(rows, Suite("0", "", "quick", 3))


def share(error: float, sign: float = 0.0) -> Callable[..., Measured]:
    """A random share of 1 that states this error; `sign` is what a processor makes of it."""

    def of_one(rng: np.random.Generator, m: int) -> Measured:
        return Measured(float(rng.random()) + sign * error, error=error)

    return of_one


def test_each_number_moves_by_its_own_error_and_what_is_exact_stays() -> None:
    before = ledger(judged(share(1e-3), evidence=Search(examples=20)), judged(share(0.0), evidence=Search(examples=20)))
    moved = [perturbed(before, seed) for seed in range(20)]
    loose, exact = ([other["claims"][k]["cells"] for other in moved] for k in (0, 1))
    for cells, error in ((loose, 1e-3), (exact, 0.0)):
        was = before["claims"][0 if error else 1]["cells"][0]
        off = [abs(one[0]["measured"] - was["measured"]) for one in cells]
        assert was["error"] == error
        assert max(off) == pytest.approx(error)
        assert max(abs(one[0]["bound"] - was["bound"]) for one in cells) <= BOUND_RELATIVE_ERROR * was["bound"]
    for other in moved:
        for row in other["claims"]:
            assert row["worst_ratio"] == max(cell["ratio"] for cell in row["cells"]) == row["power"]["value"]


def exponential(threshold: float, m: int) -> float:
    return float(np.exp(-max(threshold, 0.0)))


def normal(rng: np.random.Generator, m: int) -> Measured:
    return Measured(float(rng.standard_normal()), error=1e-7)


def test_every_plan_says_how_far_rounding_may_have_moved_its_numbers() -> None:
    """A count of steps is exact, a level known to twenty bits, a distance in law off by what its sample may be."""
    trials = decide(share(1e-3), evidence=Trials(rate=0.2), bound=formula(lambda: 2.0))
    law = decide(exponential, evidence=ExactLaw(rate=0.01), bound=formula(lambda: 5.0))
    sample = decide(normal, evidence=Distribution(lambda: stats.norm()), bound=formula(lambda: 1.0), sense="=")
    proof = decide(lambda bound, m: [Step("it is so", True)], evidence=Proof())
    fit = decide(width(), **FITTED)
    assert trials.cells[0].error == 1e-3
    assert [cell.error for cell in fit.cells] == pytest.approx([1e-10 * cell.measured for cell in fit.cells], rel=1e-3)
    assert law.cells[0].error == pytest.approx(2.0**-20 * law.cells[0].measured)
    assert sample.cells[0].error == pytest.approx(2e-7 * stats.norm.pdf(0.0), rel=0.51)
    assert proof.cells[0].error == 0.0


def test_a_number_that_states_no_error_may_be_off_by_what_such_a_number_may() -> None:
    (cell,) = decide(lambda m: 0.5, evidence=Search(examples=1)).cells
    assert cell.rounding_error == pytest.approx(5e-13)


def test_a_ball_shows_a_smaller_error_than_is_stated() -> None:
    from flint import arb

    def guessed(m: int) -> Measured:
        return Measured(0.5, error=0.05, ball=lambda: arb(0.5001, 1e-6))

    (cell,) = decide(guessed, evidence=Search(examples=1)).cells
    assert cell.error == pytest.approx(1.01e-4)


# Sizes at which nothing but rounding says which cell is the worst.
def nearly_alike(m: int) -> Measured:
    return Measured(0.5 + (1e-5 if m == 8 else 0.0), error=1e-5)


def test_of_cells_that_their_errors_cannot_tell_apart_the_first_is_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    row = judged(nearly_alike, evidence=Search(examples=1))
    found = ledger(row)
    assert "--at m=4 " in f"{row.reproduce} "
    assert worst_place(found["claims"][0]) == 0
    assert lines_fault(found) == ""
    monkeypatch.setattr(rounded, "tied", lambda ratios, errors: tied(ratios, [0.0] * len(ratios)))
    assert "depends on rounding, which replays the cell {'m': 8} or the cell {'m': 4}" in lines_fault(found)


def test_where_ties_end_either_cell_may_be_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    def at_the_edge(m: int) -> Measured:
        return Measured(0.5 + (3.5e-5 if m == 8 else 0.0), error=1e-5)

    found = ledger(judged(at_the_edge, evidence=Search(examples=1)))
    assert lines_fault(found) == ""
    monkeypatch.setattr(rounded, "_is_alike", lambda row, *places: False)
    assert "depends on rounding, which replays the cell {'m': 4} or the cell {'m': 8}" in lines_fault(found)


def test_a_line_that_asks_for_more_than_rounding_leaves_is_told() -> None:
    found = ledger(judged(share(1e-4), evidence=Trials(rate=0.2), bound=formula(lambda: 2.0)))
    assert lines_fault(found) == ""
    for cell in found["claims"][0]["cells"]:
        cell["error"] = 0.1
    assert "its line depends on rounding, which asks for 'ratio 0.4" in lines_fault(found)


def test_the_line_of_a_counterexample_is_asked_about_too() -> None:
    found = ledger(judged(share(1e-4), evidence=Search(examples=20), bound=formula(lambda: 0.1)))
    assert found["claims"][0]["counterexamples"]
    assert lines_fault(found) == ""
    for example in found["claims"][0]["counterexamples"]:
        assert example["error"] == 1e-4
        example["error"] = 0.3
    assert "its line depends on rounding, which asks for" in lines_fault(found)


def test_a_control_that_was_caught_by_no_more_than_rounding_may_be_missed_elsewhere() -> None:
    row = ledger(judged(share(1e-3), evidence=Search(examples=5), bound=formula(lambda: 2.0)))["claims"][0]
    narrow = {"name": "narrow", "refuted": True, "closest": 1.001, "error": 1e-3}
    row["controls"] = [narrow, {**narrow, "closest": 1.1}, {**narrow, "closest": None, "error": None}]
    caught = [[c["refuted"] for c in perturbed({"claims": [row]}, k)["claims"][0]["controls"]] for k in range(8)]
    assert [all(each) for each in zip(*caught, strict=True)] == [False, True, True]


def test_a_residue_becomes_another_one_or_none() -> None:
    row = ledger(judged(share(0.0), evidence=Search(examples=5)))["claims"][0]
    row |= {"sense": ">=", "cells": [{**row["cells"][0], "measured": 1e-30, "error": 1e-42, "ratio": 1e30}]}
    ratios = {perturbed({"claims": [row]}, seed)["claims"][0]["worst_ratio"] for seed in range(20)}
    assert ratios == {"Infinity", 1e30, 1e31}


def lost(sign: float) -> Callable[..., Measured]:
    """What is 0 but for an error of 1e-9, of which a processor leaves some share."""

    def residue(rng: np.random.Generator, m: int) -> Measured:
        return Measured(sign * 1e-10 * float(rng.random()), error=1e-9)

    return residue


ROUNDED: dict[str, tuple[Callable[[float], Callable[..., Measured]], dict[str, Any]]] = {
    "trials": (lambda sign: share(1e-4, sign), {"evidence": Trials(rate=0.2), "bound": formula(lambda: 2.0)}),
    "a search": (lambda sign: share(1e-6, sign), {"evidence": Search(examples=30), "bound": formula(lambda: 2.0)}),
    "a search that refutes": (
        lambda sign: share(1e-6, sign),
        {"evidence": Search(examples=30), "bound": formula(lambda: 1e-3)},
    ),
    "nothing but rounding": (
        lost,
        {
            "evidence": Search(examples=30),
            "bound": formula(lambda: 1e-3),
            "sense": ">=",
            "controls": [control("twice as much", bound=formula(lambda: 2e-3))],
        },
    ),
    "a fit": (width, FITTED),
}


@pytest.mark.parametrize("kind", ROUNDED)
def test_a_row_that_is_measured_with_another_rounding_has_the_same_line(kind: str) -> None:
    """The same cell and trial, and what either asks for the other comes to."""
    function, block = ROUNDED[kind]
    here, there = (judged(function(sign), **block) for sign in (0.5, -1.0))
    assert here.reproduce == there.reproduce
    for one, other in ((here, there), (there, here)):
        asked = expected.parse(expected.of_row(one))
        assert asked.said_of(other)[0], asked
        assert lines_fault(ledger(one)) == ""
    assert (expected.of_row(here) == "ratio inf, refuted") is (kind == "nothing but rounding")


@pytest.mark.parametrize(
    ("error", "text"),
    [(0.0, "0.123457"), (1e-13, "0.123457"), (1e-7, "0.1235"), (1e-4, "0.123"), (1e-2, "0.123"), (1e-9, "0.123457")],
)
def test_a_line_asks_for_digits_that_rounding_leaves(error: float, text: str) -> None:
    row = judged(lambda m: Measured(0.12345678, error=error), evidence=Search(examples=1))
    assert expected.of_row(row) == f"ratio {text}, holds"


def next_to_one(off: float, error: float) -> Callable[..., Measured]:
    """A number so far from 1 that states this error."""

    def number(m: int) -> Measured:
        return Measured(1.0 + off, error=error)

    return number


def test_a_bound_that_is_attained_up_to_rounding_is_attained_in_its_line() -> None:
    for off, error in ((0.0, 1e-12), (-1e-13, 1e-12), (-3e-7, 2e-7)):
        row = judged(next_to_one(off, error), evidence=Search(examples=1))
        assert expected.of_row(row).startswith("ratio 1, ")


def test_of_a_number_that_rounding_hides_with_its_bound_the_verdict_alone_is_asked_for() -> None:
    def hidden(m: int) -> Measured:
        return Measured(0.0, error=1e-9)

    row = judged(hidden, evidence=Search(examples=1), bound=formula(lambda m: 1e-12 / m), sense=">=")
    found, other = ledger(row), expected.parse(f"ratio 1e-05, {row.verdict}")
    assert row.verdict == "undecided"
    assert lines_fault(found) == ""
    assert other.said_of(row)[0]
    assert not expected.parse("ratio 1e-05, holds").said_of(row)[0]


def test_the_line_of_an_entry_is_that_of_its_row() -> None:
    row = judged(share(1e-4), evidence=Search(examples=20), bound=formula(lambda: 0.1))
    entry = ledger(row)["claims"][0]
    assert expected.of_entry(entry, worst_place(entry)) == entry["expect"] == expected.of_row(row)
    assert [expected.of_example(entry, one) for one in entry["counterexamples"]] == [
        one["expect"] for one in entry["counterexamples"]
    ]


def test_a_ledger_of_an_earlier_schema_is_refused_in_a_sentence() -> None:
    old = copy.deepcopy(ledger(judged(share(0.0), evidence=Search(examples=5))))
    del old["claims"][0]["cells"][1]["error"]
    for asked in (lines_fault, lambda found: perturbed(found, 0)):
        with pytest.raises(KeyError, match="state no rounding errors, as those of ledgers before schema 10"):
            asked(old)

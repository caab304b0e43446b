"""Two ledgers agree in every verdict, and in numbers up to what processors leave; every other difference is named."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import pytest

from theory.core.agreement import RESIDUE, TOLERANCE, is_residue, near, relative_difference
from theory.reports.two_ledgers import disagreements, largest_difference

Ledger = dict[str, Any]


def row(name: str, *ratios: float | str, sense: str = "<=", method: str = "adversarial search") -> Ledger:
    """A row of a ledger with a cell for each ratio, and one control."""
    return {
        "id": name,
        "sense": sense,
        "verdict": "holds",
        "expected_verdict": "holds",
        "premise_status": "inside",
        "evidence": {"method": method},
        "controls": [{"name": "wrong", "verdict": "refuted"}],
        "cells": [
            {"at": {"m": 2**k}, "ratio": ratio, "verdict": "holds", "premises": "inside"}
            for k, ratio in enumerate(ratios)
        ],
    }


def ledger(*rows: Ledger) -> Ledger:
    return {"claims": list(rows)}


FIRST = ledger(row("toy:a", 0.5, 0.25), row("toy:b", 0.125))


def changed(change: Callable[[Ledger], Any]) -> Ledger:
    """`FIRST` with a change to its row toy:a."""
    other = copy.deepcopy(FIRST)
    change(other["claims"][0])
    return other


def test_a_ledger_agrees_with_itself_and_in_any_order_of_the_rows() -> None:
    assert disagreements(FIRST, FIRST) == []
    assert disagreements(FIRST, ledger(*reversed(FIRST["claims"]))) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda row: row.update(verdict="refuted"), "toy:a: verdict holds and refuted"),
        (lambda row: row.update(expected_verdict="proved"), "toy:a: expected verdict holds and proved"),
        (lambda row: row.update(premise_status="empty"), "toy:a: premise status inside and empty"),
        (lambda row: row["controls"][0].update(verdict="holds"), "toy:a: control 'wrong' refuted and holds"),
        (lambda row: row["controls"].clear(), "toy:a: control 'wrong' refuted and missing"),
        (lambda row: row["cells"].pop(), "toy:a: 2 cells and 1"),
        (lambda row: row["cells"][1].update(verdict="undecided"), "toy:a: verdict of a cell holds and undecided"),
        (lambda row: row["cells"][1].update(premises="empty"), "toy:a: premises of a cell inside and empty"),
        (lambda row: row["cells"][1].update(at={"m": 3}), "toy:a: at of a cell {'m': 2} and {'m': 3}"),
        (lambda row: row["cells"][0].update(ratio=0.52), "toy:a: ratio 0.5 and 0.52"),
        (lambda row: row["cells"][0].update(ratio="NaN"), "toy:a: ratio 0.5 and nan"),
        (lambda row: row["cells"][0].update(ratio="Infinity"), "toy:a: ratio 0.5 and inf"),
    ],
)
def test_one_difference_is_said_in_one_line_whichever_comes_first(change: Callable[[Ledger], Any], said: str) -> None:
    other = changed(change)
    assert disagreements(FIRST, other) == [said]
    assert len(disagreements(other, FIRST)) == 1


def test_a_missing_row_is_named_with_the_ledger_that_has_it() -> None:
    less = ledger(FIRST["claims"][0])
    assert disagreements(FIRST, less) == ["toy:b: only in the first ledger"]
    assert disagreements(less, FIRST) == ["toy:b: only in the second ledger"]


def test_numbers_may_differ_by_the_tolerance_and_no_more() -> None:
    assert disagreements(FIRST, changed(lambda row: row["cells"][0].update(ratio=0.5 * (1.0 - 0.9 * TOLERANCE)))) == []
    assert disagreements(FIRST, changed(lambda row: row["cells"][0].update(ratio=0.5 * (1.0 - 1.1 * TOLERANCE)))) != []
    assert near(100.0, 100.9)
    assert not near(100.0, 101.1)
    assert not near(1e-3, -1e-3)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("Infinity", 1e18, True),
        (3e17, 1e18, True),
        (0.0, 1e-18, True),
        (3e-17, 1e-18, True),
        (1e11, 1e18, False),
        (1e-11, 1e-18, False),
        (1e18, 1e-18, False),
        ("NaN", "NaN", True),
        ("NaN", 1e18, False),
        ("NaN", 0.0, False),
    ],
)
def test_of_a_ratio_to_a_rounding_residue_only_its_side_counts(first: Any, second: Any, same: bool) -> None:
    ledgers = ledger(row("toy:a", first)), ledger(row("toy:a", second))
    assert (disagreements(*ledgers) == []) is same
    assert (disagreements(*ledgers[::-1]) == []) is same


def test_of_exact_identities_the_verdicts_are_compared_and_of_laws_the_numbers_too() -> None:
    left = [row("toy:a", 0.01, sense="="), row("toy:b", 0.4, sense="=", method="equality in law")]
    right = [row("toy:a", 0.03, sense="="), row("toy:b", 0.5, sense="=", method="equality in law")]
    assert disagreements(ledger(*left), ledger(*right)) == ["toy:b: ratio 0.4 and 0.5"]
    right[0]["cells"][0]["verdict"] = "refuted"
    assert len(disagreements(ledger(*left), ledger(*right))) == 2


def test_the_largest_difference_is_found_with_its_claim_residues_and_identities_aside() -> None:
    first = ledger(row("toy:a", 0.5), row("toy:b", 0.25, 0.5), row("toy:c", 1e18), row("toy:d", 0.1, sense="="))
    second = ledger(row("toy:a", 0.499), row("toy:b", 0.25, 0.4), row("toy:c", 2e18), row("toy:d", 0.2, sense="="))
    size, name = largest_difference(first, second)
    assert name == "toy:b"
    assert size == pytest.approx(0.2)
    assert largest_difference(first, first) == (0.0, "")
    assert largest_difference(first, ledger()) == (0.0, "")


def test_relative_differences_are_symmetric_and_know_what_is_no_number() -> None:
    assert relative_difference(1.0, 0.75) == relative_difference(0.75, 1.0) == 0.25
    assert relative_difference(math.inf, math.inf) == relative_difference(math.nan, math.nan) == 0.0
    assert relative_difference(math.inf, 1.0) == relative_difference(1.0, math.nan) == math.inf
    assert is_residue(RESIDUE)
    assert is_residue(0.0)
    assert not is_residue(1.0)
    assert not is_residue(math.nan)

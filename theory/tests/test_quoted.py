"""What the documentation says of a run, held against a ledger: words exactly, numbers up to rounding and print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from theory.reports.quoted import BEGIN, END, excerpt_fault, marks_fault, rounding_fault

ROOT = Path(__file__).resolve().parents[2]

LINE = "toy:lemma-1  a title of it  supported   inside        0.6247  x0.49       5/5+4     0.6+0.3s"
README = f"# Toys\n\n{BEGIN}\n```\nclaim        title          verdict\n{LINE}\n```\n{END}\n"


def ledger(**changes: Any) -> dict[str, Any]:
    """A ledger with the row that the line shows, or with another."""
    measured = changes.get("worst_ratio", 0.6246590614318849)
    cell = {"premises": "inside", "verdict": "supported", "measured": measured, "error": 1e-12, "bound": 1.0}
    row = {
        "id": "toy:lemma-1",
        "sense": "<=",
        "evidence": {"method": "independent trials"},
        "verdict": "supported",
        "weak": False,
        "no_evidence": False,
        "premise_status": "inside",
        "worst_ratio": 0.6246590614318849,
        "power": {"kind": "bound factor", "value": 0.4861814975738525, "best": None},
        "controls": [{"refuted": True, "closest": None, "error": None}] * 5,
        "cells": [{**cell, "ratio": measured}],
        "own_variants": {"asked": 8, "refuted": ["a", "b", "c", "d"], "others": 4},
    }
    return {"claims": [{**row, **changes}], "main_theorems": []}


def power(value: Any, kind: str = "bound factor") -> dict[str, Any]:
    """A change of the power."""
    return {"power": {"kind": kind, "value": value, "best": None}}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"worst_ratio": 0.6246590614318849 * (1.0 + 1e-9)},
        {"worst_ratio": 0.6247 * 1.0037},
        power(0.4861814975738525 * 1.0037),
        power(0.4949),
        power(0.4811),
    ],
)
def test_what_differs_by_rounding_alone_agrees(changes: dict[str, Any]) -> None:
    assert excerpt_fault(README, ledger(**changes)) == ""


@pytest.mark.parametrize(
    ("changes", "column", "said", "found"),
    [
        ({"worst_ratio": 0.64}, "ratio", "0.6247", "0.64"),
        ({"worst_ratio": "Infinity"}, "ratio", "0.6247", "inf"),
        ({"worst_ratio": "NaN"}, "ratio", "0.6247", "nan"),
        (power(0.51), "power", "x0.49", "x0.51"),
        (power(0.49, "failure rate"), "power", "x0.49", "rate 0.49"),
        (power(0.0, "exact"), "power", "x0.49", "exact"),
        ({"controls": [{"refuted": True}] * 4 + [{"refuted": False}]}, "controls", "5/5+4", "4/5+4"),
        ({"own_variants": {"asked": 8, "refuted": [], "others": 8}}, "controls", "5/5+4", "5/5"),
        ({"verdict": "holds"}, "verdict", "supported", "holds"),
        ({"weak": True}, "verdict", "supported", "supported, weakly"),
        ({"no_evidence": True}, "verdict", "supported", "supported unseen"),
        ({"premise_status": "extrapolated"}, "premises", "inside", "extrapolated"),
    ],
)
def test_what_differs_by_more_is_told_with_its_line(
    changes: dict[str, Any], column: str, said: str, found: str
) -> None:
    told = excerpt_fault(README, ledger(**changes))
    assert told.startswith(
        f"README.md, line 6: the {column} of toy:lemma-1 is {said!r} there, and {found!r} in this run"
    )
    assert told.endswith("copy the row anew from what pytest --claim toy:lemma-1 prints")
    assert README.splitlines()[5] == LINE


def with_cell(**changes: Any) -> dict[str, Any]:
    """The ledger with changes to the one cell of its row."""
    found = ledger()
    (cell,) = found["claims"][0]["cells"]
    cell.update(changes)
    return found


@pytest.mark.parametrize(("error", "fault"), [(1e-12, ""), (1e-3, ""), (0.05, "the ratio"), (0.6, "the ratio")])
def test_the_excerpt_is_accurate_whatever_rounding_makes_of_the_numbers(error: float, fault: str) -> None:
    told = rounding_fault(README, with_cell(error=error))
    assert fault in told
    assert told.endswith("that depends on rounding, so let it be the same on every processor") is bool(fault)


def test_a_power_that_rounding_moves_beyond_what_is_printed_is_told() -> None:
    found = with_cell(error=0.1)
    found["claims"][0]["cells"] += [{**found["claims"][0]["cells"][0], "measured": 0.1, "ratio": 0.1, "error": 0.05}]
    found["claims"][0]["cells"][0]["error"] = 1e-12
    assert "README.md, line 6: the power of toy:lemma-1" in rounding_fault(README, found)


def test_a_control_that_is_caught_by_no_more_than_rounding_is_told() -> None:
    found = ledger()
    found["claims"][0]["controls"][2] = {"refuted": True, "closest": 1.0 + 1.5e-6, "error": 1e-6}
    assert excerpt_fault(README, found) == ""
    assert "the controls of toy:lemma-1 is '5/5+4' there, and '4/5+4'" in rounding_fault(README, found)


def test_what_is_lost_in_rounding_is_infinite_in_the_excerpt_on_every_processor() -> None:
    whole = README.replace("0.6247", "inf   ").replace("x0.49", "xinf ")
    found = ledger(worst_ratio=1e10, sense=">=", evidence={"method": "adversarial search"}, **power("Infinity"))
    found["claims"][0]["cells"][0].update(measured=1e-13, error=1e-12, bound=1e-3)
    assert excerpt_fault(whole, found) == ""
    assert rounding_fault(whole, found) == ""


def test_without_numbers_words_and_counts_are_compared() -> None:
    assert excerpt_fault(README, ledger(worst_ratio=3.0, **power(0.1)), numbers=False) == ""
    assert excerpt_fault(README, ledger(verdict="holds"), numbers=False) != ""


def test_numbers_in_print_that_are_no_plain_ones() -> None:
    whole = README.replace("0.6247", "inf   ").replace("x0.49", "xinf ")
    assert excerpt_fault(whole, ledger(worst_ratio="Infinity", **power("Infinity"))) == ""
    assert excerpt_fault(whole, ledger(worst_ratio=2.0, **power("Infinity"))) != ""
    assert excerpt_fault(whole, ledger(worst_ratio="Infinity", **power(0.5))) != ""
    small = README.replace("0.6247", "1 + 2.1e-6").replace("x0.49 ", "exact ")
    assert excerpt_fault(small, ledger(worst_ratio=1.0 + 2.1e-6, **power(0.0, "exact"))) == ""


def test_a_row_that_the_ledger_lacks_is_named_and_a_page_without_rows_has_no_fault() -> None:
    with pytest.raises(KeyError, match="the ledger has no row toy:lemma-1, which README"):
        excerpt_fault(README, {"claims": []})
    assert excerpt_fault("nothing", {"claims": []}) == ""


def test_the_rows_of_the_readme_are_all_read() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    names = [line.split()[0] for line in text.split(BEGIN)[1].split(END)[0].splitlines() if ":" in line.split(" ")[0]]
    assert len(names) == 6
    for name in names:
        with pytest.raises(KeyError, match=f"no row {name}"):
            excerpt_fault(text.replace(names[0], name), {"claims": []})


@pytest.mark.parametrize(
    ("mark", "unseen", "fault"),
    [
        ("", False, ""),
        (" (formula unseen)", True, ""),
        ("", True, "see no symbol of their bounds"),
        (" (formula unseen)", False, "see a symbol of their bounds"),
    ],
)
def test_marks_of_theorems_are_those_of_the_run(mark: str, unseen: bool, fault: str) -> None:
    text = f"# Theorems\n| theorem | printed | what |\n| toy: Theorem 1 | refuted | repaired{mark} | `one` | holds |\n"
    found = marks_fault(text, {"main_theorems": [{"id": "toy:one", "label": "Theorem 1", "unseen": unseen}]})
    assert (f"docs/theorems.md, line 3: in this run the best rows of toy: Theorem 1 {fault}" in found) is bool(fault)
    assert bool(found) is bool(fault)

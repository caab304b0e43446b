"""A claim judged from Python: by its function, its id or its file, without pytest."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import theory.lemmata as lemmata
from theory.claims import registry
from theory.claims.selection import SelectionError

BLOCK = '''
from lemmata import Regime, Search, claim, control, grid, reals


@claim("asked:one", title="a part of it", kind="deterministic", theme="activation", source="page 1", bound="t*m",
       premises="none needed: it holds everywhere", evidence=Search(examples=10),
       regime=Regime(cells=grid(m=[4, 16]), draw={"t": reals(0.5, 1.0)}), controls=[control("half", bound="t*m/2")])
def part(rng, m, t):
    """Most of t*m."""
    return t * rng.uniform(0.9, 0.99) * m
'''


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    yield
    registry.remove("asked:one")


def test_a_file_and_the_id_of_its_claim_give_the_row_which_prints_as_its_story(tmp_path: Path) -> None:
    file = tmp_path / "test_asked_one.py"
    file.write_text(BLOCK)
    row = lemmata.check(file)
    assert (str(row.verdict), row.ok) == ("holds", True)
    assert list(row.cells["m"]) == [4, 16]
    assert str(row).startswith("asked:one: a part of it")
    assert str(lemmata.check(f"{file}::part").verdict) == "holds"
    with pytest.raises(SelectionError, match="no claim is called 'prat'; nearest: part"):
        lemmata.check(f"{file}::prat")
    wrong = lemmata.check("asked:one", at={"m": 8}, bound="t*m/3", seed=3)
    assert str(wrong.verdict) == "refuted"
    assert list(wrong.cells["m"]) == [8]
    with pytest.raises(SelectionError, match="no level 'quik'; nearest: quick"):
        lemmata.check("asked:one", effort="quik")
    (tmp_path / "test_asked_none.py").write_text("")
    with pytest.raises(SelectionError, match="no claim stands there"):
        lemmata.check(tmp_path / "test_asked_none.py")


def test_a_file_that_was_imported_before_is_judged_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "test_asked_import.py").write_text(BLOCK)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.import_module("test_asked_import")
    assert str(lemmata.check(tmp_path / "test_asked_import.py").verdict) == "holds"


def test_a_function_stays_one_and_the_cell_of_a_notebook_may_be_run_again() -> None:
    for cell in (1, 2):
        names: dict[str, Any] = {}
        exec(compile(BLOCK, f"<ipython-input-{cell}>", "exec"), names)
        row = lemmata.check(names["part"])
        assert str(row.verdict) == "holds"
        assert names["part"](np.random.default_rng(0), 4, 1.0) < 4.0


@pytest.mark.reads_claims_of("zou2018/test_separation.py")
def test_claims_of_the_suite_are_found_by_paper_and_theme() -> None:
    found = lemmata.claims(paper="zou2018", theme="separation")
    assert found
    assert {(claim.paper, claim.theme) for claim in found} == {("zou2018", "separation")}

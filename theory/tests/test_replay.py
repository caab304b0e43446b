"""A row is replayed alone, and one that comes out otherwise is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from theory.claims.block import Claim
from theory.claims.regime import Regime, choices, grid
from theory.evidence import Search, Trials
from theory.judging.judge import judge
from theory.reports.ledger import Suite, to_json
from theory.running.config import RunConfig
from theory.tests.fakes import declared
from theory.upkeep import replay
from theory.upkeep.replay import main, unlike


def _product(rng: np.random.Generator, m: int, kind: str, pair: tuple[float, float]) -> float:
    """A random share of the product of a pair."""
    return pair[0] * pair[1] * float(rng.random()) / m if kind == "full" else 0.0


_PAIRS = {
    "regime": Regime(
        cells=grid(m=[4, 8]),
        draw={"x": st.floats(0.0, 1.0), "y": st.floats(0.0, 1.0), "kind": choices("empty", "full")},
        built={"pair": (lambda x, y: (x, y), ("x", "y"))},
    ),
    "evidence": Search(examples=30),
}


@contextmanager
def _judged(function: Any = _product, **block: Any) -> Iterator[tuple[Claim, dict[str, Any]]]:
    """A claim and its row in a ledger."""
    with declared(function, **block) as made:
        ledger = to_json([judge(made, RunConfig(seed=3), 1e-4)], Suite("0", "", "quick", 3))
        yield made, ledger["claims"][0]


def test_a_row_with_choices_and_built_arguments_is_replayed_alone() -> None:
    with _judged(**_PAIRS) as (made, row):
        assert "kind=full" in row["reproduce"]
        assert unlike(row, made) == ""


def test_a_single_trial_is_replayed() -> None:
    def uniform(rng: np.random.Generator, m: int) -> float:
        return float(rng.random())

    with _judged(uniform, evidence=Trials(rate=0.2, budget=64)) as (made, row):
        assert unlike(row, made) == ""


def test_a_row_that_comes_out_otherwise_is_told() -> None:
    with _judged(**_PAIRS) as (made, row):
        for changes, said in (
            ({"worst_ratio": 0.5}, "is measured, where [] was"),
            ({"reproduce": f"pytest --claim {made.id} --seed 3 --at m=4"}, "30 instances were measured for one"),
            (
                {"reproduce": f"pytest --claim {made.id} --seed 3 --at q=4"},
                "SelectionError: --at: no selected claim has",
            ),
        ):
            assert said in unlike({**row, **changes}, made)


def test_what_cannot_be_replayed_may_only_become_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ledger.json"
    assert main([]) == 2
    with _judged(**_PAIRS) as (made, row):
        for held, changes, code, said in (
            (frozenset[str](), {}, 0, "1 of 1 rows replayed; 0 left out"),
            (frozenset[str](), {"error": "it raised"}, 0, "0 of 0 rows replayed; 1 left out"),
            (frozenset[str](), {"seconds": 3.0}, 0, "1 of 1 rows replayed; 0 left out"),
            (
                frozenset[str](),
                {"seconds": 3.0, "evidence": {"method": "proof"}},
                0,
                "0 of 0 rows replayed; 1 left out",
            ),
            (frozenset[str](), {"worst_ratio": 0.5}, 1, "error: toy:statement is not replayed alone: "),
            (frozenset({made.id}), {"worst_ratio": 0.5}, 0, "1 of 1 rows replayed"),
            (frozenset({made.id}), {}, 1, "error: toy:statement is replayed: leave it out of NOT_ALONE"),
        ):
            monkeypatch.setattr(replay, "NOT_ALONE", held)
            path.write_text(json.dumps({"claims": [{**row, **changes}]}))
            assert main([str(path)]) == code
            assert said in "".join(capsys.readouterr())


def test_parts_replay_every_row_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ledger.json"
    with _judged(**_PAIRS) as (_, row):
        path.write_text(json.dumps({"claims": [row, {**row, "worst_ratio": 0.5}, row]}))
        assert main([str(path), "1/2"]) == 0
        assert "2 of 2 rows replayed" in capsys.readouterr().out
        assert main([str(path), "2/2"]) == 1
        assert "0 of 1 rows replayed" in capsys.readouterr().out
    for wrong in ("3/2", "0/2", "2", "1/0", ""):
        assert main([str(path), wrong]) == 2


def test_a_row_of_another_processor_is_replayed_as_near_as_processors_leave_it() -> None:
    with _judged(**_PAIRS) as (made, row):
        other = {
            **row,
            "expect": f"ratio {0.999 * row['worst_ratio']}, holds",
            "worst_ratio": 0.999 * row["worst_ratio"],
        }
        assert unlike(other, made, is_near=True) == ""
        assert "is measured, where" in unlike(other, made)
        far = {**row, "expect": f"ratio {0.9 * row['worst_ratio']}, holds"}
        assert "is measured but for the verdict, where 'ratio" in unlike(far, made, is_near=True)


def test_a_sample_has_some_of_each_kind_of_evidence_and_verdict_and_is_the_same_every_time() -> None:
    kinds = {("proof", "proved"): 50, ("adversarial search", "holds"): 40, ("adversarial search", "refuted"): 2}
    rows: list[Any] = [
        {"id": f"{verdict} {number}", "evidence": {"method": method}, "verdict": verdict}
        for (method, verdict), count in kinds.items()
        for number in range(count)
    ]
    chosen = replay.sampled(rows, 12)
    assert [sum((r["evidence"]["method"], r["verdict"]) == kind for r in chosen) for kind in kinds] == [5, 5, 2]
    assert chosen == [row for row in rows if row in chosen] == replay.sampled(rows, 12)
    assert replay.sampled(rows, 1000) == rows


def test_so_many_rows_are_replayed_as_are_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ledger.json"
    with _judged(**_PAIRS) as (_, row):
        path.write_text(json.dumps({"claims": [row, row, row]}))
        assert main([str(path), "--sample", "2", "--near"]) == 0
        assert "1 left out" in capsys.readouterr().out
    for wrong in (["--sample"], ["--sample", "some"], ["--sample", "0"]):
        assert main([str(path), *wrong]) == 2


def test_every_row_is_replayed() -> None:
    assert frozenset() == replay.NOT_ALONE

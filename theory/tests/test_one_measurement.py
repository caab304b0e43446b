"""The claims of one block draw the same, and judged one after the other they measure an instance once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from theory.claims import registry
from theory.claims.block import Claim
from theory.claims.memory import Measurements, OfBlock
from theory.claims.registry import load_file
from theory.core.measured import Measured
from theory.judging import claim_workers
from theory.judging.claim_workers import Ahead
from theory.judging.judge import InTurn, Row, judge
from theory.running.config import RunConfig
from theory.tests.fakes import ALPHA

BLOCKS = '''
from theory.claims import Regime, Verdict, claim, control, form
from theory.evidence import {kinds}

CALLS = []


@claim(
    "toy:lemma-1",
    title="a uniform draw",
    kind="probability",
    theme="activation",
    source="Lemma 1",
    bound="m",
    regime=Regime(cells=[{{"m": 4, "delta": 0.5}}]),
    evidence={evidence},
    controls=[control("a thousandth", bound="m/1000"), control("another function", scale=1e6)],
)
@form("sharp", bound="m/2", controls=[control("a thousandth", bound="m/1000")])
@form("wide", bound="2*m", regime=Regime(cells=[{{"m": 4, "delta": 0.5}}, {{"m": 8, "delta": 0.5}}]))
def drawn(rng, m, *, scale=1.0):
    """A number between 0 and 1."""
    if scale == 1.0:
        CALLS.append(m)
    return scale * rng.random()


@claim("toy:lemma-2", title="killing", kind="probability", theme="activation", source="Lemma 2", bound="m",
       regime=Regime(cells=[{{"m": 4, "delta": 0.5}}]), evidence={evidence},
       controls=[control("a thousandth", bound="m/1000")])
@form("other", bound="2*m")
def killing(rng, m):
    """A number, or the end."""
    return rng.random()
'''

TRIALS = BLOCKS.format(kinds="Trials", evidence="Trials(budget=8)")
SEARCH = BLOCKS.format(kinds="Search", evidence="Search(examples=20)")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder of claims, forgotten afterwards."""
    monkeypatch.setattr(registry, "_claims", {})
    monkeypatch.setattr(registry, "_loaded", {})
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    sys.modules.pop("test_drawn", None)


def loaded(place: Path, text: str) -> tuple[list[Claim], list[int]]:
    """The claims of these blocks, and the list of what was measured."""
    (place / "test_drawn.py").write_text(text)
    made = load_file(place / "test_drawn.py")
    return made, made[0].function.__globals__["CALLS"]


def told(row: Row) -> Any:
    """A row, times aside."""
    cells = [(dict(c.at), c.trials, c.ratio, c.measured, c.bound) for c in row.evidence.cells]
    return row.verdict, cells, [(c.name, c.verdict) for c in row.controls], row.sight


@pytest.mark.parametrize("text", [TRIALS, SEARCH], ids=["trials", "search"])
def test_a_form_draws_what_its_block_draws(place: Path, text: str) -> None:
    (first, sharp, wide, *_), _ = loaded(place, text)
    assert (first.block, sharp.block, wide.block) == ("toy:lemma-1",) * 3
    rows = [judge(claim, RunConfig(), ALPHA) for claim in (first, sharp, wide)]
    assert len({row.evidence.cells[0].measured for row in rows[:2]}) == 1


@pytest.mark.parametrize("text", [TRIALS, SEARCH], ids=["trials", "search"])
def test_in_turn_an_instance_is_measured_once_and_rows_are_as_alone(place: Path, text: str) -> None:
    (first, sharp, *_), calls = loaded(place, text)
    alone = [told(judge(claim, RunConfig(), ALPHA)) for claim in (first, sharp)]
    calls.clear()
    judge(sharp, RunConfig(), ALPHA)
    wanted = len(calls)
    turn = InTurn()
    rows = [told(judge(first, RunConfig(), ALPHA, turn))]
    calls.clear()
    rows.append(told(judge(sharp, RunConfig(), ALPHA, turn)))
    assert rows == alone
    assert 0 < len(calls) < wanted / 2, "what is measured again to see whether it is the same is measured"


def test_another_regime_and_another_block_recall_nothing(place: Path) -> None:
    (first, _, wide, other, _), calls = loaded(place, TRIALS)
    turn = InTurn()
    judge(first, RunConfig(), ALPHA, turn)
    kept = turn.measured
    calls.clear()
    judge(wide, RunConfig(), ALPHA, turn)
    assert len(calls) >= 2 * 8
    assert turn.measured is kept
    judge(other, RunConfig(), ALPHA, turn)
    assert turn.measured is not kept


def test_a_claim_is_never_told_what_it_measured_itself() -> None:
    block, regime = OfBlock(), object()
    block.note("toy:a", regime, {"m": 4}, {"m": 4}, 0, Measured(np.arange(3.0)))
    assert block.find("toy:a", regime, {"m": 4}, {"m": 4}, 0) is None
    assert block.find("toy:b", object(), {"m": 4}, {"m": 4}, 0) is None
    found = block.find("toy:b", regime, {"m": 4}, {"m": 4}, 0)
    assert found is not None
    assert found.value.tolist() == [0.0, 1.0, 2.0]


def test_so_many_measurements_are_kept() -> None:
    few = Measurements(most=2)
    kept = [few.note({}, {}, trial, Measured(1.0)) is not None for trial in range(3)]
    assert kept == [True, True, False]


class TestWorkers:
    """The claims of a block go to one worker; where it is lost, each is judged by itself."""

    @pytest.fixture
    def given(self, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
        """What was handed to a worker, at a time; a worker of toy:lemma-2 is lost."""
        handed: list[tuple[str, ...]] = []

        class Pool:
            def __init__(self, jobs: int) -> None:
                pass

            def submit(self, work: Any, ids: tuple[str, ...], *rest: Any) -> Future[Any]:
                handed.append(tuple(ids))
                future: Future[Any] = Future()
                if "toy:lemma-2" in ids:
                    future.set_exception(BrokenProcessPool("killed"))
                else:
                    future.set_result(work(ids, *rest))
                return future

        monkeypatch.setattr(claim_workers, "Pool", Pool)
        return handed

    def test_a_block_is_one_task(self, place: Path, given: list[tuple[str, ...]]) -> None:
        claims, calls = loaded(place, TRIALS)
        rows = Ahead(claims, RunConfig(jobs=1), dict.fromkeys([c.id for c in claims], ALPHA))
        found = [rows.row(claim) for claim in claims]
        assert given == [
            ("toy:lemma-1", "toy:lemma-1-sharp", "toy:lemma-1-wide"),
            ("toy:lemma-2", "toy:lemma-2-other"),
            ("toy:lemma-2",),
            ("toy:lemma-2-other",),
        ]
        assert [bool(row.error) for row in found] == [False, False, False, True, False]
        assert told(found[1]) == told(judge(claims[1], RunConfig(), ALPHA))
        assert calls

    def test_of_a_block_out_of_time_each_claim_is_judged_alone(
        self, place: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        handed: list[tuple[str, ...]] = []

        class Pool:
            def __init__(self, jobs: int) -> None:
                pass

            def submit(self, work: Any, ids: tuple[str, ...], *rest: Any) -> Future[Any]:
                handed.append(tuple(ids))
                future: Future[Any] = Future()
                if "toy:lemma-2-other" not in ids:
                    future.set_result(work(ids, *rest))
                return future

            def kill(self) -> None:
                pass

        monkeypatch.setattr(claim_workers, "Pool", Pool)
        monkeypatch.setattr(claim_workers, "GRACE", -1.0)
        monkeypatch.setattr(claim_workers, "WATCH", 0.01)
        claims, _ = loaded(place, TRIALS)
        both = claims[3:]
        rows = Ahead(both, RunConfig(jobs=1, time_limit=0.5), dict.fromkeys([c.id for c in both], ALPHA))
        assert rows.row(both[0]).ok
        assert "no result within 0.5 s" in rows.row(both[1]).error
        assert handed == [("toy:lemma-2", "toy:lemma-2-other"), ("toy:lemma-2",), ("toy:lemma-2-other",)]

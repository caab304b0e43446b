"""Claims judged by workers: every row arrives, in whatever order it is asked for, and a lost worker costs one claim."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from theory.claims.block import Claim
from theory.core import progress
from theory.core.guard import SessionError
from theory.judging import claim_workers
from theory.judging.claim_workers import Ahead
from theory.judging.judge import judge
from theory.running.config import RunConfig
from theory.tests.fakes import ALPHA, declared

KILLED = "A worker process was unexpectedly terminated.\nThe exit codes of the workers are {SIGKILL(-9)}\n"
TWO = {"toy:a": ALPHA, "toy:b": ALPHA}


class Here:
    """A pool in this process, which knows the claims that exist for one test only; `deadly` ones end their worker.

    Work is done when the futures are waited for, so that several claims are running at a time.
    """

    deadly: tuple[str, ...] = ()
    endless: tuple[str, ...] = ()

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.open: dict[Future[Any], tuple[tuple[str, ...], Callable[[], Any]]] = {}
        self.kills = 0

    def submit(self, work: Callable[..., Any], ids: tuple[str, ...], *rest: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.open[future] = (ids, lambda: work(ids, *rest))
        assert len(self.open) <= self.jobs
        return future

    def wait(self, futures: Any, **options: Any) -> Any:
        """Do the work of all that is open, or break everything."""
        work, self.open = self.open, {}
        if {name for names, _ in work.values() for name in names} & set(self.deadly):
            for future in work:
                future.set_exception(BrokenProcessPool(KILLED))
        for future, (names, do) in work.items():
            if future.done() or set(names) & set(self.endless):
                continue
            try:
                future.set_result(do())
            except Exception as error:
                future.set_exception(error)

        class Ended:
            done = {future for future in futures if future.done()}  # noqa: RUF012

        return Ended

    def kill(self) -> None:
        self.kills += 1
        self.open.clear()


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> type[Here]:
    """Judge in this process."""

    class Pool(Here):
        last: Here

        def __init__(self, jobs: int) -> None:
            super().__init__(jobs)
            Pool.last = self

    monkeypatch.setattr(claim_workers, "Pool", Pool)
    monkeypatch.setattr(claim_workers, "wait", lambda futures, **options: Pool.last.wait(futures, **options))
    return Pool


def _failing(m: int) -> float:
    raise ArithmeticError("no number\nand more")


def test_rows_are_those_of_this_process_in_any_order(pool: type[Here]) -> None:
    with declared(lambda m: 0.5, statement="toy:a") as one, declared(lambda m: 2.0, statement="toy:b") as two:
        rows = Ahead([one, two], RunConfig(jobs=2), TWO)
        for claim in (two, one, two):
            found, wanted = rows.row(claim), judge(claim, RunConfig(jobs=2), ALPHA)
            assert (found.claim, found.config) == (wanted.claim, wanted.config)
            assert (found.verdict, found.evidence.power) == (wanted.verdict, wanted.evidence.power)


def test_a_claim_that_raises_has_a_row(pool: type[Here]) -> None:
    with declared(_failing, statement="toy:a") as one, declared(lambda m: 0.5, statement="toy:b") as two:
        rows = Ahead([one, two], RunConfig(jobs=2), TWO)
        assert rows.row(two).ok
        assert rows.row(one).error == judge(one, RunConfig(), ALPHA).error
        assert rows.row(one).error.startswith("ArithmeticError: no number (line ")


def test_a_claim_that_workers_do_not_know_is_named(pool: type[Here], tmp_path: Path) -> None:
    (tmp_path / "toy_claims.py").touch()
    with declared(lambda m: 0.5, statement="toy:a") as made:
        unknown: Claim = replace(made, file=str(tmp_path / "toy_claims.py"))
    row = Ahead([unknown], RunConfig(jobs=2), {"toy:a": ALPHA}).row(unknown)
    assert "toy_claims.py: claim toy:a is not there in this worker" in row.error


def test_what_ends_the_run_is_raised(pool: type[Here], monkeypatch: pytest.MonkeyPatch) -> None:
    def ending(*arguments: Any) -> None:
        raise SessionError("the journal is full")

    monkeypatch.setattr(claim_workers, "judge_in_worker", ending)
    with declared(lambda m: 0.5, statement="toy:a") as made, pytest.raises(SessionError, match="the journal is full"):
        Ahead([made], RunConfig(jobs=2), {"toy:a": ALPHA}).row(made)


@pytest.mark.parametrize("deadly", [("toy:b",), ("toy:a", "toy:c"), ("toy:a", "toy:b", "toy:c")])
def test_of_several_running_claims_the_one_that_kills_its_worker_has_no_result(
    pool: type[Here], monkeypatch: pytest.MonkeyPatch, deadly: tuple[str, ...]
) -> None:
    monkeypatch.setattr(pool, "deadly", deadly)
    names = ("toy:a", "toy:b", "toy:c")
    with (
        declared(lambda m: 0.5, statement="toy:a") as one,
        declared(lambda m: 0.5, statement="toy:b") as two,
        declared(lambda m: 0.5, statement="toy:c") as three,
    ):
        rows = Ahead([one, two, three], RunConfig(jobs=2), dict.fromkeys(names, ALPHA))
        found = {claim.id: rows.row(claim) for claim in (one, two, three)}
    for name, row in found.items():
        assert row.ok == (name not in deadly)
        if name in deadly:
            assert row.error == "its worker was killed (signal 9), perhaps for want of memory"
            assert [c.refuted for c in row.controls] == [False]


def test_a_worker_that_does_not_keep_the_time_limit_is_ended_and_the_others_start_again(
    pool: type[Here], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "endless", ("toy:a",))
    monkeypatch.setattr(claim_workers, "GRACE", -1.0)
    with declared(lambda m: 0.5, statement="toy:a") as one, declared(lambda m: 0.5, statement="toy:b") as two:
        rows = Ahead([one, two], RunConfig(jobs=2, time_limit=0.5), TWO)
        told = "no result within 0.5 s; give --timeout more seconds, or 0 for no limit"
        assert rows.row(one).error == told
        assert rows.row(two).ok
        assert pool.last.kills == 1  # type: ignore[attr-defined]


def test_what_is_running_is_told_and_what_nobody_waits_for_is_ended(pool: type[Here]) -> None:
    told: list[progress.Progress] = []
    progress.listen(told.append)
    try:
        with declared(lambda m: 0.5, statement="toy:a") as one, declared(lambda m: 0.5, statement="toy:b") as two:
            rows = Ahead([one, two], RunConfig(jobs=2), TWO)
            rows.close()
            assert pool.last.kills == 1  # type: ignore[attr-defined]
            rows = Ahead([one, two], RunConfig(jobs=2), TWO)
            rows.row(one)
            rows.close()
            assert pool.last.kills == 0  # type: ignore[attr-defined]
    finally:
        progress.listen(None)
    assert told[0] == progress.Progress("now toy:a, toy:b", "0/2 claims", 0.0)

"""Where trials run makes no difference: workers, backends and a journal give the same ledger, bit by bit."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from theory.claims.block import Claim
from theory.core import progress
from theory.core.data import Data
from theory.core.journal import Journal
from theory.judging.judge import judge
from theory.reports import ledger
from theory.running import parallel
from theory.running.case import Case
from theory.running.config import RunConfig
from theory.running.parallel import (
    BackendError,
    Block,
    Counts,
    count_block,
    ends_block,
    journaled,
    run_blocks,
    sample_block,
    workers,
)
from theory.surface import rooms
from theory.tests.fakes import ALPHA, for_workers, without_times

MODULE = """
from theory.claims import claim, control
from theory.evidence import Distribution, Mean, Scaling, Trials
from theory.claims.regime import Regime, grid
from theory.tests.fakes import ONE, formula


class Exponential:
    def __init__(self, m):
        self.m = m

    def cdf(self, x):
        return 1.0 - 2.718281828459045 ** (-self.m * x)


WRONG = control("twenty times as large", times=20.0)
COMMON = dict(
    title="t",
    kind="probability",
    theme="activation",
    source="s",
    bound=ONE,
    controls=[WRONG],
    regime=Regime(cells=grid(m=[2, 4])),
)


@claim("toy:rate", evidence=Trials(rate=0.3, budget=200, fixed=True, reserve=0.1), **COMMON)
def rate(rng, m, *, times=1.0):
    return times * rng.standard_exponential() / m


@claim("toy:law", sense="=", evidence=Distribution(Exponential, 200), **COMMON)
def law(rng, m, *, times=1.0):
    return times * rng.standard_exponential(3) / m


@claim("toy:mean", evidence=Mean(ratio=2.0, why="exponential"), **COMMON)
def mean(rng, m, *, times=1.0):
    return times * rng.standard_exponential(3) / m


@claim(
    "toy:power",
    evidence=Scaling({"m": "equal"}, replicates=16),
    **{
        **COMMON,
        "bound": formula(lambda m: 10.0 / m, m=-1.0),
        "regime": Regime(cells=grid(m=[8, 16]), calibration=grid(m=[2, 4])),
    },
)
def power(rng, m, *, times=1.0):
    return times * (1.0 + 0.01 * rng.random()) / m


SHARED = Regime(cells=grid(m=4, n=[2, 3], d=6), from_data={"phi": lambda X: X.max()})


@claim("toy:spread", evidence=Trials(rate=0.3, budget=200), premises="phi <= 1", **{**COMMON, "regime": SHARED})
def spread(rng, X, m, *, times=1.0):
    return times * X.max() * rng.random() / m
"""


@pytest.fixture
def claims_of_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Claim]]:
    """A claim of each plan that runs in blocks, and one on points that its trials share."""
    with for_workers(tmp_path, monkeypatch, MODULE) as claims:
        yield claims


SUITE = ledger.Suite(version="0", commit="0", effort="quick", seed=0)


def written(claims: list[Claim], jobs: int) -> list[str]:
    """The rows of the claims and their controls, without times; floats are written so that they round-trip."""
    rows = [judge(made, RunConfig(jobs=jobs, data=Data(rooms.sphere())), ALPHA) for made in claims]
    assert all(row.ok for row in rows), [row.complaint for row in rows]
    return [json.dumps(without_times(row)) for row in ledger.to_json(rows, SUITE)["claims"]]


class TestBackends:
    def test_processes_of_this_machine_change_nothing(self, claims_of_workers: list[Claim]) -> None:
        assert [made.id for made in claims_of_workers] == ["toy:law", "toy:mean", "toy:power", "toy:rate", "toy:spread"]
        with workers("loky", 2):
            many = written(claims_of_workers, 2)
        assert many == written(claims_of_workers, 1)

    def test_a_cluster_changes_nothing(self, claims_of_workers: list[Claim]) -> None:
        """Once with a cluster of two processes made for it, then with that cluster's scheduler by its address."""
        pytest.importorskip("distributed", reason="dask is not installed: pip install -e '.[cluster]'")
        alone = written(claims_of_workers, 1)
        with workers("dask", 2):
            client = parallel._session.options["client"]
            assert len(client.scheduler_info()["workers"]) == 2
            assert written(claims_of_workers, 2) == alone
            with workers("dask", 1, scheduler=client.scheduler.address):
                assert parallel._session.options["client"] is not client
                assert written(claims_of_workers[3:], 1) == alone[3:]
                parallel._session.expected = {**parallel._checkout(), "numpy": "1.0", "sources of nets": "0"}
                with pytest.raises(BackendError, match="has other sources of nets, numpy than this session"):
                    written(claims_of_workers[3:], 1)
            assert parallel._session.options["client"] is client
        assert (parallel._session.backend, parallel._session.options) == ("loky", {})

    def test_ray_changes_nothing(
        self, claims_of_workers: list[Claim], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pytest.importorskip("ray", reason="ray is not installed: pip install ray")
        # Its workers start with the path of this environment, but in this folder, whose claims are others.
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(Path(parallel.__file__).parents[2])]))
        monkeypatch.chdir(tmp_path)
        with workers("ray", 2):
            many = written(claims_of_workers, 2)
        assert many == written(claims_of_workers, 1)

    @pytest.mark.parametrize(
        ("backend", "module", "told"),
        [("dask", "distributed", "pip install -e '.[cluster]'"), ("ray", "ray", "pip install ray")],
    )
    def test_one_that_is_not_installed_is_told_in_one_line(
        self, backend: str, module: str, told: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(BackendError) as caught, workers(backend, 2):
            pass
        assert str(caught.value) == f"--backend: {backend} is not installed; run {told}"
        assert parallel._session.backend == "loky"

    def test_a_cluster_that_does_not_start_is_told_in_one_line(self, monkeypatch: pytest.MonkeyPatch) -> None:
        distributed = pytest.importorskip("distributed", reason="dask is not installed: pip install -e '.[cluster]'")

        def failing(*given: Any, **options: Any) -> None:
            raise RuntimeError("Cluster failed to start: no room\nand more")

        monkeypatch.setattr(distributed, "LocalCluster", failing)
        with pytest.raises(BackendError) as caught, workers("dask", 2):
            pass
        told = "no cluster can be started here (Cluster failed to start: no room); use --backend loky"
        assert str(caught.value) == f"--backend dask: {told}"

    @pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nowhere"])
    def test_a_scheduler_that_does_not_answer_is_named(self, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("distributed", reason="dask is not installed: pip install -e '.[cluster]'")
        monkeypatch.setattr(parallel, "SCHEDULER_TIMEOUT", 0.2)
        with pytest.raises(BackendError, match=f"no scheduler answers at {address} "), workers("dask", 2, address):
            pass


class TestJournal:
    def test_what_it_holds_is_not_run_again_whoever_ran_it(
        self, claims_of_workers: list[Claim], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = tmp_path / "journal.jsonl"
        first = Journal(file, {})
        first.begin()
        with journaled(first), workers("loky", 2):
            expected = written(claims_of_workers, 2)
        first.close()
        again = Journal(file, {}, resume=True)
        again.begin()

        def nothing_to_do(work: Any, pending: dict[int, Block], jobs: int) -> Generator[Any, None, None]:
            assert not pending
            yield from ()

        monkeypatch.setattr(parallel, "_finished", nothing_to_do)
        with journaled(again):
            assert written(claims_of_workers, 1) == expected
        assert (again.taken_up, again.added) == (first.added, 0)
        again.close()

    def test_results_come_back_bit_by_bit(self) -> None:
        rng = np.random.default_rng(5)
        numbers = np.concatenate([rng.standard_normal(200) * 10.0 ** rng.integers(-300, 300, 200), [-0.0, 5e-324]])
        broken = np.array([[math.nan, math.inf, 0.1], [-math.inf, 1.0, 2.0]])
        counts = Counts(64, 3, 1, 0.1 + 0.2, math.nan, math.inf, 17, -1, 1e-3, 2, parts=(0.1 + 0.2, math.inf, -1.0))

        def noted(result: Any) -> Any:
            return parallel._from_plain(json.loads(json.dumps(parallel._to_plain(result), allow_nan=False)))

        first, second = noted([numbers, broken])
        assert first.tobytes() == numbers.tobytes()
        assert second.tobytes() == broken.tobytes()
        assert repr(noted(counts)) == repr(counts)

    def test_two_blocks_have_two_names(self, claims_of_workers: list[Claim]) -> None:
        made = claims_of_workers[3]
        block = Block(made.id, made.file, None, RunConfig(), ALPHA, {"m": 2}, 0, 64)
        others = [
            replace(block, claim="toy:law"),
            replace(block, control="twenty times as large"),
            replace(block, cell={"m": 4}),
            replace(block, start=32),
            replace(block, stop=65),
        ]
        keys = {parallel._key(count_block, one) for one in [block, *others]}
        assert len(keys | {parallel._key(sample_block, block), parallel._key(ends_block, block)}) == 8


class TestProgress:
    def test_every_block_is_told_and_what_a_journal_holds_says_nothing_of_the_rate(
        self, claims_of_workers: list[Claim], tmp_path: Path
    ) -> None:
        case = Case(claims_of_workers[3], RunConfig(), ALPHA)
        told: list[progress.Progress] = []
        progress.listen(told.append)
        journal = Journal(tmp_path / "journal.jsonl", {})
        journal.begin()
        try:
            with journaled(journal):
                run_blocks(count_block, case, {"m": 2}, 0, 128)
                assert told == []
        finally:
            progress.listen(None)
            journal.close()
        again = Journal(tmp_path / "journal.jsonl", {}, resume=True)
        again.begin()
        progress.listen(told.append)
        meter = progress.Meter("toy:rate", 256)
        try:
            with journaled(again):
                run_blocks(count_block, case, {"m": 2}, 0, 256, meter=meter)
        finally:
            progress.listen(None)
            again.close()
        assert [message.share for message in told] == [0.5, 0.75, 1.0]
        assert told[0].numbers == "128/256 trials"
        assert told[2].numbers.startswith("256/256 trials, ")
        assert (meter.done, meter.measured) == (256, 128)

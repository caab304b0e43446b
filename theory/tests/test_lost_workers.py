"""Workers that are killed, hang or are not there: one line for the claim or for the run, and nothing waits for ever."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from theory.claims.block import Claim
from theory.core.verdict import Verdict
from theory.judging import claim_workers
from theory.judging.claim_workers import Ahead
from theory.judging.judge import judge
from theory.running import parallel
from theory.running.config import RunConfig
from theory.running.parallel import BackendError, Pool, workers
from theory.tests.fakes import ALPHA, for_workers

MODULE = '''
import os
import signal
import time

from theory.claims import claim, control
from theory.evidence import Trials
from theory.claims.regime import Regime
from theory.tests.fakes import ONE, formula

SHARED = dict(
    title="t",
    kind="probability",
    theme="activation",
    source="s",
    bound=ONE,
    regime=Regime(cells=[{"m": 4}]),
    controls=[control("a bound nothing meets", bound=formula(lambda: 1e-9, "1e-9"))],
    evidence=Trials(rate=0.3, budget=200),
)


def killing():
    os.kill(os.getpid(), signal.SIGKILL)


def hanging():
    while True:
        time.sleep(0.01)


def stuck():
    """As compiled code: no signal gets through."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    time.sleep(600.0)


def declare(name, way):
    def measure(rng, m):
        if rng.random() < 0.1:
            way()
        return 0.5 * rng.random()

    claim(f"toy:{name}", **SHARED)(measure)


for way in (killing, hanging, stuck):
    declare(way.__name__, way)
for name in ("first", "second"):
    declare(name, lambda: None)
'''

KILLED = "its worker was killed (signal 9), perhaps for want of memory"
# Enough for a claim that does not hang, with what a fresh worker loads first, on a machine that is busy.
LIMIT = 3.0
LATE = "no result within 3 s; give --timeout more seconds, or 0 for no limit"


@pytest.fixture(scope="module")
def claims(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Claim]]:
    """The claims by the last part of their ids."""
    with pytest.MonkeyPatch.context() as patch, for_workers(tmp_path_factory.mktemp("lost"), patch, MODULE) as found:
        yield {made.id.removeprefix("toy:"): made for made in found}


def alive() -> list[Any]:
    """The processes of the pool."""
    return list(Pool(2)._executor()._processes.values())


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ("terminated.\nThe exit codes of the workers are {SIGKILL(-9)}\n", KILLED),
        (
            "terminated.\nThe exit codes of the workers are {UNKNOWN(3), SIGTERM(-15)}\n",
            "its worker ended (exit code 3)",
        ),
        ("A task has failed to un-serialize.\nMore", "its worker was lost: A task has failed to un-serialize."),
    ],
)
def test_what_is_known_of_a_lost_worker_is_told(told: str, reason: str) -> None:
    assert parallel.lost_worker(told).reason == reason


def test_whole_claims_whose_worker_is_lost_or_hangs_have_rows_and_the_others_too(
    claims: dict[str, Claim], monkeypatch: pytest.MonkeyPatch
) -> None:
    alphas = {c.id: ALPHA for c in claims.values()}
    first = {name: claim for name, claim in claims.items() if name != "stuck"}
    rows = Ahead(list(first.values()), RunConfig(jobs=2, time_limit=LIMIT), alphas)
    found = {name: rows.row(claim) for name, claim in first.items()}
    errors = {"killing": KILLED, "hanging": LATE}
    assert {name: row.error for name, row in found.items() if not row.ok} == errors
    assert {row.verdict for row in found.values()} == {Verdict.ERROR, Verdict.SUPPORTED}
    # The workers are there, so that what is over the time limit is over it for no other reason.
    monkeypatch.setattr(claim_workers, "GRACE", 2.0)
    rows = Ahead([claims["stuck"], claims["first"]], RunConfig(jobs=2, time_limit=LIMIT), alphas)
    assert rows.row(claims["stuck"]).error == LATE
    assert rows.row(claims["first"]).ok


def test_in_blocks_too_and_the_next_claim_has_workers_again(claims: dict[str, Claim]) -> None:
    config = RunConfig(jobs=2, time_limit=LIMIT)
    with workers("loky", 2):
        assert judge(claims["killing"], RunConfig(jobs=2), ALPHA).error == KILLED
        assert judge(claims["first"], RunConfig(jobs=2), ALPHA).ok
        before = alive()
        assert judge(claims["stuck"], config, ALPHA).error == LATE
        assert not any(process.is_alive() for process in before)
        assert judge(claims["second"], RunConfig(jobs=2), ALPHA).ok


def test_without_workers_the_time_limit_holds_too(claims: dict[str, Claim]) -> None:
    started = time.monotonic()
    row = judge(claims["hanging"], RunConfig(time_limit=LIMIT), ALPHA)
    assert row.error == LATE
    assert "in hanging" in row.finding.failure.trace  # type: ignore[union-attr]
    assert time.monotonic() - started < 4.0 * LIMIT


class TestCluster:
    @pytest.fixture
    def distributed(self) -> Any:
        return pytest.importorskip("distributed", reason="dask is not installed: pip install -e '.[cluster]'")

    @pytest.mark.at_night
    def test_a_claim_that_kills_or_hangs_has_a_row(self, claims: dict[str, Claim], distributed: Any) -> None:
        dask = pytest.importorskip("dask")
        with dask.config.set({"distributed.scheduler.allowed-failures": 0}), workers("dask", 2):
            assert judge(claims["killing"], RunConfig(jobs=2), ALPHA).error == (
                "its worker was killed several times, perhaps for want of memory"
            )
            assert judge(claims["hanging"], RunConfig(jobs=2, time_limit=LIMIT), ALPHA).error == LATE
            assert judge(claims["first"], RunConfig(jobs=2), ALPHA).ok

    def test_a_scheduler_without_workers_is_told_at_once(
        self, distributed: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(parallel, "SCHEDULER_TIMEOUT", 0.5)
        with distributed.LocalCluster(n_workers=0, dashboard_address=":0") as cluster:
            address = cluster.scheduler_address
            with pytest.raises(BackendError) as caught, workers("dask", 2, address):
                pass
        told = f"the scheduler at {address} has no workers; start some with dask worker {address}"
        assert str(caught.value) == f"--backend dask: {told}"

    @pytest.mark.at_night
    @pytest.mark.parametrize(("gone", "told"), [("workers", "has no workers"), ("scheduler", "no longer answers")])
    def test_workers_or_a_scheduler_that_leave_end_the_run(
        self, gone: str, told: str, claims: dict[str, Claim], distributed: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        dask = pytest.importorskip("dask")
        monkeypatch.setattr(parallel, "SCHEDULER_TIMEOUT", 1.0)
        cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0")
        patience = dask.config.set({"distributed.comm.timeouts.connect": "2s"})
        end = {"workers": lambda: cluster.scale(0), "scheduler": lambda: cluster.sync(cluster.scheduler.close)}
        leave = threading.Timer(1.0, end[gone])
        with patience, cluster, workers("dask", 1, cluster.scheduler_address):
            parallel._session.expected = None
            leave.start()
            with pytest.raises(BackendError, match=told):
                judge(claims["hanging"], RunConfig(jobs=2, time_limit=60.0), ALPHA)
            leave.join()

"""Trials in blocks, on one or more workers, with results that do not depend on how many there are.

A block is named by plain data; a worker finds the claim by its id. Blocks are merged in their own order, and
the rounds after which a decision is taken have sizes fixed beforehand. Finished blocks are noted in the journal,
if there is one, and those it holds are not run again.

What a claim raises in a worker comes back as data, and so does the loss of its worker. Workers leave Ctrl-C to the
process that started them, which ends them.

Main definitions: `Block`; `Counts`; `run_blocks`; `workers` and `journaled`, contexts that say where the blocks of a
session run and where they are noted; `Pool`, processes of this machine for work of another kind.
"""

from __future__ import annotations

import functools
import math
import os
import queue
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController

from theory.claims import registry
from theory.claims.block import Control
from theory.claims.memory import Instance, Memory
from theory.claims.regime import Cell
from theory.claims.results import MOST_DOTS, NO_PART, PARTS, parts
from theory.core.guard import Allowance, Failure, MeasuringError, SessionError, TimeLimitError, unwatched
from theory.core.journal import OWN, Journal, Key, fingerprint
from theory.core.measured import (
    DEFAULT_RELATIVE_ERROR,
    MeasurementError,
    Outcome,
    certain_ends,
    finite_ends,
    finite_sample,
    real_numbers,
)
from theory.core.progress import Meter
from theory.core.seeds import canonical
from theory.core.values import Function
from theory.running.case import Case
from theory.running.config import RunConfig

# What a block of trials gives.
T = TypeVar("T")

BLOCK = 64

# Seconds after which a scheduler that does not answer is taken not to be there.
SCHEDULER_TIMEOUT = 10
# The same for processes of our own that have been ended and start again, on a machine that is busy.
RESTART_TIMEOUT = 30

# Seconds for which idle processes are kept, and the variables by which numerical libraries are told their threads.
IDLE_TIMEOUT = 300
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

# How often, in seconds, a worker looks whether the process that started it is there.
WATCH = 1.0


@dataclass(frozen=True)
class Block:
    """Trials `start` to `stop` of one cell of one claim, which stands in `file`, or of one of its controls."""

    claim: str
    file: str
    control: str | None
    config: RunConfig
    alpha: float
    cell: Cell
    start: int
    stop: int
    memory: Memory = field(default_factory=Memory, compare=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """What a worker gets: a memory stays where it is, but for what a control has to know of its claim."""
        return {**self.__dict__, "memory": Memory(signed=self.memory.signed)}

    def case(self) -> Case:
        """The case this block belongs to, found in this process."""
        claim = registry.found(self.claim, self.file)
        controls: dict[str | None, Control | None] = {None: None, **{c.name: c for c in claim.controls}}
        return Case(claim, self.config, self.alpha, controls[self.control], self.memory)


@dataclass(frozen=True)
class Counts:
    """What a number of trials showed.

    `failures` are certain; `unsure` are the trials that meet or miss the bound by less than is known of the quantity,
    `not_finite` those that gave no finite number. `worst` numbers the trial with the largest ratio, `broken` the first
    that was no finite number (-1: none); `first` numbers the first trial of all, which measured `opening`. `parts` are
    the largest ratios part by part (`theory.claims.results.parts`). `shown` has what each of the first `MOST_DOTS`
    trials measured, followed by its bound. `lowest` and `highest` bound what all measured, and `least` their ratios.
    `signed`: the claim has measured a number below 0. `ratios` are those of all trials of a control, of one that is no
    certain failure at most 1.
    """

    trials: int = 0
    failures: int = 0
    not_finite: int = 0
    ratio: float = -1.0
    measured: float = float("nan")
    bound: float = float("nan")
    worst: int = -1
    broken: int = -1
    seconds: float = 0.0
    unsure: int = 0
    first: int = -1
    opening: float = float("nan")
    parts: tuple[float, ...] = (NO_PART,) * PARTS
    shown: tuple[float, ...] = ()
    lowest: float = float("inf")
    highest: float = float("-inf")
    least: float = float("inf")
    signed: bool = False
    ratios: tuple[float, ...] = ()

    @property
    def is_one_number(self) -> bool:
        """Whether several trials all came to one ratio of measured and bound, up to rounding, as one drawn once would.

        One draw in units of its own, other ones in each trial, measures many numbers, of one ratio to their bounds.
        """
        return self.trials > 1 and self.ratio - self.least <= DEFAULT_RELATIVE_ERROR * self.ratio

    @property
    def measured_one_number(self) -> bool:
        """Whether all trials measured one number up to its rounding."""
        return self.highest - self.lowest <= DEFAULT_RELATIVE_ERROR * max(abs(self.highest), abs(self.lowest))

    @property
    def repeated(self) -> int:
        """How many of the first trials measured a number that one before them had measured."""
        measured = [number for number in self.shown[::2] if number == number]
        return len(measured) - len(set(measured))

    @property
    def doubtful(self) -> int:
        """The trials that may have failed: those that did, and those that showed nothing."""
        return self.failures + self.unsure + self.not_finite

    def merge(self, later: Counts) -> Counts:
        """Both together; of equal ratios the earlier trial is kept."""
        top = later if later.ratio > self.ratio else self
        opened = self if self.first >= 0 else later
        return Counts(
            self.trials + later.trials,
            self.failures + later.failures,
            self.not_finite + later.not_finite,
            top.ratio,
            top.measured,
            top.bound,
            top.worst,
            self.broken if self.broken >= 0 else later.broken,
            self.seconds + later.seconds,
            self.unsure + later.unsure,
            opened.first,
            opened.opening,
            tuple(map(max, self.parts, later.parts)),
            self.shown + later.shown,
            min(self.lowest, later.lowest),
            max(self.highest, later.highest),
            min(self.least, later.least),
            self.signed or later.signed,
            self.ratios + later.ratios,
        )


def count_block(block: Block) -> Counts:
    """Run the trials of one block and count those in which the claim fails, and those that show nothing."""
    case, started, counts = block.case(), time.perf_counter(), Counts()
    ratios: list[float] = []
    for trial in range(block.start, block.stop):
        _, comparison = case.recall(block.cell, block.cell, trial)
        broken, failed = (comparison.outcome is outcome for outcome in (Outcome.NOT_FINITE, Outcome.FAIL))
        if case.wants_only_a_refutation:
            ratios.append(-1.0 if broken else comparison.ratio if failed else min(comparison.ratio, 1.0))
        counts = counts.merge(
            Counts(
                trials=1,
                failures=int(failed),
                unsure=int(comparison.unsure),
                not_finite=int(broken),
                ratio=-1.0 if broken else comparison.ratio,
                measured=comparison.measured,
                bound=comparison.bound,
                worst=-1 if broken else trial,
                broken=trial if broken else -1,
                first=trial,
                opening=comparison.measured,
                parts=parts([(trial, NO_PART if broken else comparison.ratio)]),
                shown=(comparison.measured, comparison.bound) if trial < MOST_DOTS else (),
                lowest=comparison.measured,
                highest=comparison.measured,
                least=comparison.ratio,
            )
        )
    seconds = time.perf_counter() - started
    return counts.merge(Counts(seconds=seconds, signed=case.memory.signed, ratios=tuple(ratios)))


def sample_block(block: Block) -> list[np.ndarray]:
    """Run the trials of one block and return the numbers measured in each and their errors, shape (2, k).

    Both are NaN where they are no evidence. Raises `ValueError` where a trial gives an interval, which has no place in
    a sample.
    """
    case = block.case()
    unit = float(case.limit(block.cell))
    results = (case.measured(block.cell, block.cell, trial) for trial in range(block.start, block.stop))
    return [finite_sample(result, unit) for result in results]


def ends_block(block: Block) -> list[np.ndarray]:
    """Run the trials of one block and return the ends of what is known of each number, shape (4, k).

    First the lower and the upper ends, then these two moved outward by the stated error.
    """
    case = block.case()
    results = (case.measured(block.cell, block.cell, trial) for trial in range(block.start, block.stop))
    return [np.concatenate([finite_ends(result), certain_ends(result)]) for result in results]


def means_block(block: Block) -> list[np.ndarray]:
    """Run the trials of one block and return what is known of the numbers measured in each, shape (2 + s, k).

    First the ends between which each lies beyond doubt, then the s symbols that the claim measures, in its order.
    Raises `MeasurementError` for a number that is negative beyond doubt.
    """
    case, found = block.case(), []
    for trial in range(block.start, block.stop):
        result = case.measured(block.cell, block.cell, trial)
        low, high = certain_ends(result)
        if (negative := high[np.isfinite(high) & (high < 0.0)]).size:
            at = canonical({**block.cell, "trial": trial})
            raise MeasurementError(
                f"it measures {negative.min():.6g}, and a mean is judged by draws that are never negative; measure a"
                " size or a square, or add to both sides what makes it so"
            ).at(at)
        for name in case.claim.measured:
            if name not in result.symbols:
                raise MeasurementError(f"it lists {name} among what it measures, and does not report it")
        symbols = [
            np.broadcast_to(real_numbers(result.symbols[n]), np.shape(result.value)) for n in case.claim.measured
        ]
        found.append(np.stack([low, high, *(symbol.ravel() for symbol in symbols)]))
    return found


def kept_block(block: Block) -> list[Instance]:
    """What is kept of the trials of one block beside their bounds."""
    return block.case().kept(block.cell, range(block.start, block.stop))


class BackendError(SessionError):
    """Workers that cannot be had; the message is one line."""


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Keep Ctrl-C from processes started meanwhile; one that comes for this process waits until the context ends."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        # Another thread, such as one of BLAS, may be given what is blocked here: the handler of the main one runs then.
        with _interrupts_noted():
            yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _interrupts_noted() -> Iterator[None]:
    """Let the handler of Ctrl-C wait until the context ends; only that of the main thread's code is ever run."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or handler is None:
        yield
        return
    met: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: met.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if met:
            signal.raise_signal(signal.SIGINT)


class Pool:
    """`jobs` processes on this machine, kept between uses and started anew after a loss."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs

    def _executor(self) -> Any:
        # Loaded where it is needed: it takes as long as a short claim.
        from joblib.executor import get_memmapping_executor

        # Large arrays, such as those of the user's data, are handed over once, by way of a file.
        return get_memmapping_executor(
            self._jobs,
            timeout=IDLE_TIMEOUT,
            initializer=_end_with,
            initargs=(os.getpid(),),
            env=dict.fromkeys(THREADS, "1"),
        )

    def submit(self, work: Function, *arguments: object) -> Future[Any]:
        """Start `work(*arguments)` in a process that is free, or later."""
        with interrupts_held():
            try:
                future: Future[Any] = self._executor().submit(work, *arguments)
            except BrokenProcessPool:  # an idle process was lost, so that there is nothing to tell
                future = self._executor().submit(work, *arguments)
            return future

    def kill(self) -> None:
        """End the processes at once, whatever they are doing."""
        self._executor().terminate(kill_workers=True)


def _end_with(parent: int) -> None:
    """Let this process end soon after the one that started it, which may be killed and then ends nothing itself."""

    def watch() -> None:
        # Where a process keeps the number of a parent that is gone, an idle worker ends after `IDLE_TIMEOUT`.
        while os.getppid() == parent:
            time.sleep(WATCH)
        os._exit(1)

    threading.Thread(target=watch, name="ends with its parent", daemon=True).start()


def lost_worker(told: str) -> Failure:
    """The failure of a claim whose worker is gone, from what loky tells of it."""
    code = re.search(r"\((-?\d+)\)", told)
    if code is None:
        return Failure(f"its worker was lost: {told.splitlines()[0]}")
    number = int(code.group(1))
    if number < 0:
        why = ", perhaps for want of memory" if -number == signal.SIGKILL else ""
        return Failure(f"its worker was killed (signal {-number}){why}")
    return Failure(f"its worker ended (exit code {number})")


@dataclass
class _Session:
    """Where blocks run and are noted.

    `options` are what a backend needs besides its name; `expected` is what workers that this session did not start
    must have, of sources and versions.
    """

    backend: str = "loky"
    options: dict[str, Any] = field(default_factory=dict)
    expected: dict[str, str] | None = None
    journal: Journal | None = None


_session = _Session()


@contextmanager
def workers(backend: str, jobs: int, scheduler: str | None = None) -> Iterator[None]:
    """Run blocks on the joblib backend named, one of `theory.core.choices.BACKENDS`, until the context ends.

    For dask that is the cluster of `scheduler`, or of the one that dask's own configuration names
    (DASK_SCHEDULER_ADDRESS), or one of `jobs` processes on this machine. Raises `BackendError` where the backend is
    not installed, the scheduler not reached, or no worker connected to it.
    """
    with ExitStack() as stack:
        before = (_session.backend, _session.options, _session.expected)
        options: dict[str, Any] = {}
        expected = None
        if backend == "dask":
            distributed, address = _dask(scheduler)
            if address is None:
                options = _own_cluster(distributed, jobs, stack)
            else:
                expected = _checkout()
                # A cluster is as large as it is, whatever number of jobs is asked for here.
                client = stack.enter_context(_client(distributed, address))
                options = {"client": client, "address": address}
                _await_workers(client, address)
        elif backend == "ray":
            stack.enter_context(_ray(jobs))
        _session.backend, _session.options, _session.expected = backend, options, expected
        try:
            yield
        except KeyboardInterrupt:
            if backend == "loky" and jobs > 1:
                Pool(jobs).kill()
            raise
        finally:
            _session.backend, _session.options, _session.expected = before


def _own_cluster(distributed: Any, jobs: int, stack: ExitStack) -> dict[str, Any]:
    """The options of a cluster made for this session, which `stack` closes; `anew` ends what its processes are doing.

    Its processes have loaded what claims need, which is no claim's time.
    """
    cluster = stack.enter_context(_local_cluster(distributed, jobs))
    client = stack.enter_context(_client(distributed, cluster.scheduler_address))
    _await_workers(client, cluster.scheduler_address)

    def anew() -> dict[str, Any]:
        try:
            client.restart(timeout=RESTART_TIMEOUT)
            client.run(_loaded)
        except (OSError, TimeoutError, RuntimeError, ValueError):  # one that does not come back, such as a stuck fork
            client.close(timeout=SCHEDULER_TIMEOUT)
            cluster.close(timeout=SCHEDULER_TIMEOUT)
            return _own_cluster(distributed, jobs, stack)
        return {"client": client, "address": cluster.scheduler_address, "anew": anew}

    client.run(_loaded)
    return {"client": client, "address": cluster.scheduler_address, "anew": anew}


def _loaded() -> None:
    """Nothing: what a process asks for it brings this module, and with it those that claims need."""


def end_what_is_left() -> None:
    """Have workers again that are free, where a claim before was out of time while they worked: nobody's time but ours.

    Raises `BackendError` where none can be had.
    """
    if _session.options.pop("busy", False):
        _session.options = _session.options["anew"]()


def _dask(scheduler: str | None) -> tuple[Any, str | None]:
    """The module `distributed`, and the address of the scheduler to use, if the user has one."""
    try:
        import dask
        import distributed
    except ImportError:
        raise BackendError("--backend: dask is not installed; run pip install -e '.[cluster]'") from None
    return distributed, scheduler or dask.config.get("scheduler-address", None)


def _local_cluster(distributed: Any, jobs: int) -> Any:
    # The dashboard takes any free port: another cluster may have the usual one, of which dask warns.
    try:
        with interrupts_held():
            return distributed.LocalCluster(
                n_workers=jobs, threads_per_worker=1, processes=True, dashboard_address=":0"
            )
    except (OSError, RuntimeError, TimeoutError) as error:
        first = str(error).strip().splitlines()[0]
        raise BackendError(f"--backend dask: no cluster can be started here ({first}); use --backend loky") from None


def _client(distributed: Any, address: str) -> Any:
    try:
        return distributed.Client(address, timeout=SCHEDULER_TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise BackendError(
            f"--scheduler: no scheduler answers at {address} ({type(error).__name__}); "
            f"give the address that `dask scheduler` prints, as in tcp://host:8786"
        ) from None


def _no_scheduler(address: str) -> str:
    return f"--backend dask: the scheduler at {address} no longer answers; start it and its workers again"


def _await_workers(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=SCHEDULER_TIMEOUT)
    except TimeoutError:
        raise BackendError(_no_workers(address)) from None


def _no_workers(address: str) -> str:
    return f"--backend dask: the scheduler at {address} has no workers; start some with dask worker {address}"


@contextmanager
def _ray(jobs: int) -> Iterator[None]:
    try:
        import ray
        from ray.util.joblib import register_ray
    except ImportError:
        raise BackendError("--backend: ray is not installed; run pip install ray") from None
    register_ray()
    if "RAY_ADDRESS" in os.environ:
        ray.init(log_to_driver=False)
    else:
        ray.init(num_cpus=jobs, include_dashboard=False, log_to_driver=False)
    try:
        yield
    finally:
        ray.shutdown()


@contextmanager
def journaled(journal: Journal) -> Iterator[None]:
    """Note every finished block in `journal`, and take from it those it holds, until the context ends."""
    _session.journal = journal
    try:
        yield
    finally:
        _session.journal = None


def run_blocks(
    work: Callable[[Block], T],
    case: Case,
    cell: Cell,
    start: int,
    stop: int,
    size: int = BLOCK,
    meter: Meter | None = None,
    in_journal: bool = True,
) -> list[T]:
    """Results of `work` on the blocks that cover trials `start` to `stop`, in their order.

    The journal takes no part unless the results are to be `in_journal`. Raises what the first block raised that has no
    result, or `MeasuringError` where that was in a worker.
    """
    blocks = [_block(case, cell, at, min(at + size, stop)) for at in range(start, stop, size)]
    journal = _session.journal if in_journal else None
    results: dict[int, T] = {}
    if journal is not None:
        noted = {index: journal.find(_key(work, block)) for index, block in enumerate(blocks)}
        results = {index: _from_plain(entry) for index, entry in noted.items() if entry is not None}
    pending = {index: block for index, block in enumerate(blocks) if index not in results}
    if meter is not None and results:
        meter.advance(sum(blocks[index].stop - blocks[index].start for index in results), measured=False)
    failed: dict[int, Failure] = {}
    with closing(_finished(work, pending, case.config.jobs)) as finished:
        for index, result in finished:
            if isinstance(result, Failure):
                failed[index] = result
            else:
                results[index] = result
                if journal is not None:
                    journal.append(_key(work, blocks[index]), _to_plain(result))
                if meter is not None:
                    meter.advance(blocks[index].stop - blocks[index].start)
            # Of several failures the first in order is told, as without workers.
            if failed and all(before in results for before in range(min(failed))):
                raise MeasuringError(failed[min(failed)])
    return [results[index] for index in range(len(blocks))]


def again(work: Callable[[Block], T], case: Case, cell: Cell, trial: int) -> T:
    """The result of `work` on one trial, measured here and now, whatever a journal holds."""
    return work(replace(_block(case, cell, trial, trial + 1), memory=Memory()))


def _block(case: Case, cell: Cell, start: int, stop: int) -> Block:
    claim, control = case.claim, case.control.name if case.control is not None else None
    return Block(claim.id, claim.file, control, case.config, case.alpha, cell, start, stop, case.memory)


def _finished(
    work: Callable[[Block], T], pending: dict[int, Block], jobs: int
) -> Generator[tuple[int, T | Failure], None, None]:
    """The number and the result, or the failure, of each block as it finishes, in whatever order."""
    here = _session.backend == "loky" and jobs == 1
    if here or len(pending) < 2:
        for index, block in pending.items():
            yield index, work(block)
        return
    # The threads by which workers are reached are no claim's.
    with unwatched():
        if _session.backend == "dask":
            yield from _on_cluster(work, pending)
        elif _session.backend == "ray":
            yield from _on_ray(work, pending, jobs)
        else:
            yield from _on_this_machine(work, pending, jobs)


def _on_ray(work: Callable[[Block], T], pending: dict[int, Block], jobs: int) -> Sequence[tuple[int, T | Failure]]:
    """As `_finished`, in processes of ray, which hands results back at the end alone."""
    import joblib
    from ray.exceptions import RayActorError

    tasks = (joblib.delayed(_in_worker)(work, *task, _session.expected) for task in pending.items())
    try:
        with joblib.parallel_config(backend="ray", n_jobs=jobs):
            found: Sequence[tuple[int, T | Failure]] = joblib.Parallel()(tasks)
    except RayActorError:
        # Of the two ray says no more than that.
        raise MeasuringError(Failure("its worker was killed, perhaps for want of memory, or ended by itself")) from None
    return found


def _on_this_machine(
    work: Callable[[Block], T], pending: dict[int, Block], jobs: int
) -> Generator[tuple[int, T | Failure], None, None]:
    """As `_finished`, in processes of this machine."""
    pool = Pool(jobs)
    futures = [pool.submit(_in_worker, work, *task, _session.expected) for task in pending.items()]
    try:
        for future in as_completed(futures):
            yield future.result()
    except BrokenProcessPool as error:
        raise MeasuringError(lost_worker(str(error))) from None
    except TimeLimitError:
        pool.kill()
        raise
    finally:
        for future in futures:
            future.cancel()


def _on_cluster(
    work: Callable[[Block], T], pending: dict[int, Block]
) -> Generator[tuple[int, T | Failure], None, None]:
    """As `_finished`, on the session's dask cluster; raises `BackendError` when nobody is left to do the work."""
    client = _session.options["client"]
    arrived: queue.Queue[Any] = queue.Queue()
    futures = [client.submit(_in_worker, work, *task, _session.expected, pure=False) for task in pending.items()]
    try:
        for future in futures:
            future.add_done_callback(arrived.put)
        for _ in futures:
            yield _result(_next(arrived))
    except TimeLimitError:
        # A process that is busy with the claim would be missing from now on; those of others are not ours to end. Not
        # here, where what ends a claim that is late may come once more.
        _session.options["busy"] = "anew" in _session.options
        raise
    finally:
        if any(not future.done() for future in futures) and client.status == "running":
            client.cancel(futures)


def _next(arrived: queue.Queue[Any]) -> Any:
    """The next future that is done; while there is none, somebody must be at work."""
    idle_since = None
    while True:
        try:
            return arrived.get(timeout=1.0)
        except queue.Empty:
            now = time.monotonic()
            idle_since = None if _at_work() else idle_since or now
            if idle_since is not None and now - idle_since > SCHEDULER_TIMEOUT:
                raise BackendError(_no_workers(_session.options["address"])) from None


def _at_work() -> bool:
    """Whether the cluster has workers. Raises `BackendError` where its scheduler is gone."""
    try:
        return bool(_session.options["client"].nthreads())
    except (OSError, TimeoutError, RuntimeError, ValueError):
        raise BackendError(_no_scheduler(_session.options["address"])) from None


def _result(future: Any) -> Any:
    """What a worker gave, or the loss of it."""
    from distributed import CancelledError, KilledWorker

    try:
        return future.result()
    except KilledWorker:
        # Other processes may be in blocks of this claim still, and be lost with what comes next.
        _session.options["busy"] = "anew" in _session.options
        lost = Failure("its worker was killed several times, perhaps for want of memory")
        raise MeasuringError(lost) from None
    except CancelledError:
        raise BackendError(_no_scheduler(_session.options["address"])) from None


def one_thread() -> Any:
    """Context in which BLAS uses one thread, so that sums keep their order whatever the number of cores."""
    return _thread_pools(len(sys.modules)).limit(limits=1)


@functools.lru_cache(maxsize=1)
def _thread_pools(modules: int) -> ThreadpoolController:
    """The libraries with threads of their own in a process of so many modules: the search takes milliseconds.

    It is made again when a module has been imported, which may have brought another library. An interrupt waits for it,
    which would leave a file open.
    """
    with interrupts_held():
        return ThreadpoolController()


def _in_worker(
    work: Callable[[Block], T], index: int, block: Block, expected: dict[str, str] | None
) -> tuple[int, T | Failure]:
    if expected is not None and expected != _checkout():
        other = ", ".join(name for name, here in _checkout().items() if here != expected.get(name))
        raise BackendError(
            f"--scheduler: a worker has other {other} than this session; start the workers in a copy of this checkout"
        )
    case = block.case()
    # Not a context: the limit is the process's, and a worker with several threads may be in another block here.
    one_thread()
    return index, Allowance().attempt(functools.partial(work, block), case.claim.function)


@functools.cache
def _checkout() -> dict[str, str]:
    """The sources and versions in this process."""
    found = fingerprint(Path(__file__).resolve().parents[2])
    return {name: value for name, value in found.items() if name not in OWN}


def _key(work: Callable[[Block], T], block: Block) -> Key:
    """The name of a block in a journal, whose first line says what else a result depends on."""
    return (work.__name__, block.claim, block.control, canonical(block.cell), block.start, block.stop)


def _to_plain(result: Any) -> object:
    """A result in JSON's terms. Python writes floats so that they come back bit by bit."""
    if isinstance(result, Counts):
        return {name: _json_numbers(value) for name, value in asdict(result).items()}
    return [_json_numbers(array.tolist()) for array in result]


def _from_plain(entry: Any) -> Any:
    """What `_to_plain` was given."""
    if isinstance(entry, dict):
        numbers: dict[str, Any] = {n: float(v) if isinstance(v, str) else v for n, v in entry.items()}
        listed = {name: tuple(map(float, numbers[name])) for name in ("parts", "shown", "ratios")}
        return Counts(**{**numbers, **listed})
    return [np.array(numbers, float) for numbers in entry]


def _json_numbers(numbers: Any) -> object:
    return [_json_numbers(entry) for entry in numbers] if isinstance(numbers, list | tuple) else _json_number(numbers)


def _json_number(number: float) -> float | str:
    """A number, or the word for one that JSON does not have."""
    return number if math.isfinite(number) else repr(float(number))


def rounds(budget: int) -> Iterator[tuple[int, int]]:
    """Trial ranges after which a sequential test looks: 64, 64, then doubling up to 1024, until `budget`."""
    start, size = 0, BLOCK
    while start < budget:
        stop = min(start + size, budget)
        yield start, stop
        size = size if start == 0 else min(2 * size, 16 * BLOCK)
        start = stop

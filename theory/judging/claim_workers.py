"""Claims judged ahead of their turn, on several workers: at quick effort most of them are too short to be split.

Main definition: `Ahead`, which keeps all workers busy and hands out rows in whatever order they are asked for. A row
does not depend on where it was judged, because nothing but the seed, the block and the cell decides what is drawn. The
claims of a block go to one worker, which measures an instance once for all of them.

A worker that is killed takes the others with it, so those claims that were running are judged again one at a time: the
one whose worker is lost again is to blame, and has no result.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace

from theory.claims import registry
from theory.claims.block import Claim
from theory.core import progress
from theory.core.guard import Failure, SessionError, strict
from theory.judging.judge import Finding, InTurn, Row, decide, no_result
from theory.running.config import RunConfig
from theory.running.parallel import Pool, lost_worker

# A worker keeps the time limit itself, unless it is in compiled code: so many seconds later it is ended.
GRACE = 30.0

# How often, in seconds, what is running is looked at and told.
WATCH = 1.0


@dataclass(frozen=True)
class _Running:
    """Claims of one block that a worker has, and since when."""

    ids: tuple[str, ...]
    since: float


class Ahead:
    """The rows of `claims` under `config`, judged by `config.jobs` processes on this machine."""

    def __init__(self, claims: Sequence[Claim], config: RunConfig, alphas: Mapping[str, float]) -> None:
        self._config = config
        self._alphas = alphas
        self._claims = {claim.id: claim for claim in claims}
        self._pool = Pool(config.jobs)
        blocks: dict[tuple[str, str], list[str]] = {}
        for claim in claims:
            blocks.setdefault((claim.file, claim.block), []).append(claim.id)
        self._waiting = deque(tuple(ids) for ids in blocks.values())
        self._suspects: deque[str] = deque()
        self._running: dict[Future[list[Finding]], _Running] = {}
        self._findings: dict[str, Finding] = {}
        self._fill()

    def row(self, claim: Claim) -> Row:
        """The row of a claim, as soon as it is there. Raises `SessionError` where the run cannot go on."""
        with strict():
            while claim.id not in self._findings:
                self._step()
        return Row(claim, self._config, self._findings[claim.id])

    def close(self) -> None:
        """End the workers, if there is a claim that nobody will ask for any more; idle ones stay for the next run."""
        if self._running:
            self._pool.kill()
            self._running.clear()

    def _fill(self) -> None:
        """Give every idle worker the claims of a block, or one worker a suspect."""
        if self._suspects:
            if not self._running:
                self._submit((self._suspects[0],))
            return
        while self._waiting and len(self._running) < self._config.jobs:
            self._submit(self._waiting.popleft())

    def _submit(self, ids: tuple[str, ...]) -> None:
        alone = replace(self._config, jobs=1)
        alphas = {identifier: self._alphas[identifier] for identifier in ids}
        future = self._pool.submit(judge_in_worker, ids, self._claims[ids[0]].file, alone, alphas)
        self._running[future] = _Running(ids, time.monotonic())

    def _step(self) -> None:
        """Wait for a claim to end, note what was found, and go on with others."""
        self._fill()
        names = ", ".join(identifier for running in self._running.values() for identifier in running.ids)
        done = len(self._findings)
        progress.report(f"now {names}", f"{done}/{len(self._claims)} claims", done / len(self._claims))
        ended = wait(self._running, timeout=WATCH, return_when=FIRST_COMPLETED).done
        lost = [future for future in ended if isinstance(future.exception(), BrokenProcessPool)]
        for future in ended.difference(lost):
            self._note(future)
        if lost:
            self._blame(str(lost[0].exception()))
        self._stop_overdue()

    def _note(self, future: Future[list[Finding]]) -> None:
        running = self._running.pop(future)
        error = future.exception()
        if error is None:
            for identifier, finding in zip(running.ids, future.result(), strict=True):
                self._found(identifier, finding)
        elif isinstance(error, SessionError):
            raise error
        else:
            # What a claim raises is a finding, so this is about the way to the worker or back.
            self._fail(running, Failure.of(error))

    def _found(self, identifier: str, finding: Finding) -> None:
        self._findings[identifier] = finding
        if identifier in self._suspects:
            self._suspects.remove(identifier)

    def _fail(self, running: _Running, failure: Failure) -> None:
        """None of the claims that a worker had has a result."""
        for identifier in running.ids:
            self._found(identifier, no_result(self._claims[identifier], failure, time.monotonic() - running.since))

    def _blame(self, told: str) -> None:
        """After the loss of a worker: the only claim that was running is the cause; of several each is a suspect."""
        # All futures of a broken pool end together; one may have had its result before.
        wait(self._running)
        for future in [f for f in self._running if not isinstance(f.exception(), BrokenProcessPool)]:
            self._note(future)
        running = list(self._running.values())
        self._running.clear()
        if len(running) == 1 and len(running[0].ids) == 1:
            self._fail(running[0], lost_worker(told))
        else:
            self._suspects.extend(identifier for one in running for identifier in one.ids)

    def _stop_overdue(self) -> None:
        """End all workers where one does not keep the time limit; the claims of the others start again."""
        limit, now = self._config.time_limit, time.monotonic()
        overdue = [r for r in self._running.values() if limit and now - r.since > len(r.ids) * limit + GRACE]
        if not overdue:
            return
        others = [r.ids for r in self._running.values() if r not in overdue and r.ids[0] not in self._suspects]
        self._running.clear()
        self._pool.kill()
        self._waiting.extendleft(reversed(others))
        for one in overdue:
            if len(one.ids) == 1:
                self._fail(one, Failure.out_of_time(limit))
            else:  # one of them does not end: each has a worker for itself
                self._waiting.extendleft((identifier,) for identifier in reversed(one.ids))


def judge_in_worker(ids: Sequence[str], file: str, config: RunConfig, alphas: Mapping[str, float]) -> list[Finding]:
    """The findings on claims of one block, which this process finds by their file and ids."""
    turn = InTurn()
    return [decide(registry.found(identifier, file), config, alphas[identifier], turn) for identifier in ids]

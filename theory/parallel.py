"""Trials in blocks, on one or more workers, with results that do not depend on how many there are.

A block is named by plain data; a worker finds the claim by its id. Blocks are merged in their own order, and
the rounds after which a decision is taken have sizes fixed beforehand.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
from threadpoolctl import threadpool_limits

from theory import registry
from theory.measured import Outcome, as_measured, finite_ends, finite_values
from theory.regime import Cell
from theory.run import Case, RunConfig

if TYPE_CHECKING:
    from theory.claim import Control

BLOCK = 64


@dataclass(frozen=True)
class Block:
    """Trials `start` to `stop` of one cell of one claim or control."""

    claim: str
    control: str | None
    config: RunConfig
    alpha: float
    cell: Cell
    start: int
    stop: int

    def case(self) -> Case:
        """The case this block belongs to, found in this process."""
        claim = registry.find(self.claim)
        if claim is None:
            registry.load_claims()
            claim = registry.find(self.claim)
        if claim is None:
            raise LookupError(f"no claim {self.claim} is loaded in this worker")
        controls: dict[str | None, Control | None] = {None: None, **{c.name: c for c in claim.controls}}
        return Case(claim, self.config, self.alpha, controls[self.control])


@dataclass(frozen=True)
class Counts:
    """What a number of trials showed.

    `failures` are certain; `unsure` are the trials that miss the bound by less than is known of the quantity.
    `worst` numbers the trial with the largest ratio, `broken` the first that was no finite number (-1: none).
    """

    trials: int = 0
    failures: int = 0
    unsure: int = 0
    not_finite: int = 0
    ratio: float = -1.0
    measured: float = float("nan")
    bound: float = float("nan")
    worst: int = -1
    broken: int = -1
    seconds: float = 0.0

    def merge(self, later: Counts) -> Counts:
        """Both together; of equal ratios the earlier trial is kept."""
        top = later if later.ratio > self.ratio else self
        return Counts(
            self.trials + later.trials,
            self.failures + later.failures,
            self.unsure + later.unsure,
            self.not_finite + later.not_finite,
            top.ratio,
            top.measured,
            top.bound,
            top.worst,
            self.broken if self.broken >= 0 else later.broken,
            self.seconds + later.seconds,
        )


def count_block(block: Block) -> Counts:
    """Run the trials of one block and count those in which the claim fails; NaN counts as a failure."""
    case, started, counts = block.case(), time.perf_counter(), Counts()
    for trial in range(block.start, block.stop):
        _, comparison = case.judge(block.cell, block.cell, trial)
        broken = comparison.outcome is Outcome.NOT_FINITE
        counts = counts.merge(
            Counts(
                trials=1,
                failures=int(not comparison.ok and not comparison.unsure),
                unsure=int(comparison.unsure),
                not_finite=int(broken),
                ratio=-1.0 if broken else comparison.ratio,
                measured=comparison.measured,
                bound=comparison.bound,
                worst=-1 if broken else trial,
                broken=trial if broken else -1,
            )
        )
    return counts.merge(Counts(seconds=time.perf_counter() - started))


def sample_block(block: Block) -> list[np.ndarray]:
    """Run the trials of one block and return the numbers measured in each, NaN where they are no evidence."""
    case = block.case()
    results = (case.measure(block.cell, block.cell, trial) for trial in range(block.start, block.stop))
    return [finite_values(as_measured(result)) for result in results]


def ends_block(block: Block) -> list[np.ndarray]:
    """As `sample_block`, with the lower and the upper ends of what is known of each number, shape (2, k)."""
    case = block.case()
    results = (case.measure(block.cell, block.cell, trial) for trial in range(block.start, block.stop))
    return [finite_ends(as_measured(result)) for result in results]


def run_blocks(
    work: Callable[[Block], Any], case: Case, cell: Cell, start: int, stop: int, size: int = BLOCK
) -> list[Any]:
    """Results of `work` on the blocks that cover trials `start` to `stop`, in their order."""
    control = case.control.name if case.control is not None else None
    blocks = [
        Block(case.claim.id, control, case.config, case.alpha, cell, at, min(at + size, stop))
        for at in range(start, stop, size)
    ]
    if case.config.jobs == 1 or len(blocks) == 1:
        return [work(block) for block in blocks]
    tasks = (joblib.delayed(_in_worker)(work, block) for block in blocks)
    return list(joblib.Parallel(n_jobs=case.config.jobs)(tasks))


def one_thread() -> Any:
    """Context in which BLAS uses one thread, so that sums keep their order whatever the number of cores."""
    return threadpool_limits(limits=1)


def _in_worker(work: Callable[[Block], Any], block: Block) -> Any:
    block.case()
    with one_thread():
        return work(block)


def rounds(budget: int) -> Iterator[tuple[int, int]]:
    """Trial ranges after which a sequential test looks: 64, 64, then doubling up to 1024, until `budget`."""
    start, size = 0, BLOCK
    while start < budget:
        stop = min(start + size, budget)
        yield start, stop
        size = size if start == 0 else min(2 * size, 16 * BLOCK)
        start = stop

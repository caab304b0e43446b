"""What stands beside a time: size, operations and their rate, quality of the result, and the targets.

Main definitions: `note`, `Target`, `interleaved`.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from nets.core.arrays import Array


@dataclass(frozen=True)
class Target:
    """A number to reach: `measured` of `what`, at most or at least `wanted`."""

    what: str
    measured: float
    wanted: float
    unit: str = ""
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether it was reached; NaN does not reach anything."""
        return self.measured >= self.wanted if self.at_least else self.measured <= self.wanted


TARGETS = pytest.StashKey[list[Target]]()


def target_lines(targets: list[Target]) -> list[str]:
    """One line per target."""
    return [
        f"{'met' if t.met else 'MISSED':6}  {t.what}: {t.measured:.3g}{t.unit}"
        f" (wanted: {'at least' if t.at_least else 'at most'} {t.wanted:g}{t.unit})"
        for t in targets
    ]


def note(benchmark: Any, operations: int | None = None, **facts: Any) -> None:
    """Put facts beside the time just measured, and the operations per second of the fastest round."""
    benchmark.extra_info.update(facts)
    if operations is not None:
        benchmark.extra_info["operations"] = operations
        if benchmark.stats is not None:
            benchmark.extra_info["operations_per_second"] = operations / benchmark.stats.stats.min


def relative_error(found: Any, wanted: Any) -> float:
    """Largest difference of arrays, or of tuples of arrays, relative to the largest entry wanted."""
    if not isinstance(wanted, tuple):
        found, wanted = (found,), (wanted,)
    return max(_relative_error(np.asarray(a), np.asarray(b)) for a, b in zip(found, wanted, strict=True))


def _relative_error(found: Array, wanted: Array) -> float:
    return float(np.abs(found - wanted).max() / max(float(np.abs(wanted).max()), np.finfo(np.float64).tiny))


@dataclass(frozen=True)
class Times:
    """Seconds of the calls of one function."""

    seconds: tuple[float, ...]

    @property
    def least(self) -> float:
        """The fastest call: what is left when nothing else disturbs."""
        return min(self.seconds)

    @property
    def median(self) -> float:
        """The middle call."""
        return statistics.median(self.seconds)


def interleaved(rounds: int, *functions: Callable[[], Any], warm: bool = True) -> tuple[Times, ...]:
    """Call the functions in turn, to and fro, after one call each that is not timed (`warm`).

    What slows the machine for a while then slows all of them. Results are dropped outside the clock.
    """
    if warm:
        for function in functions:
            function()
    seconds: list[list[float]] = [[] for _ in functions]
    order = list(range(len(functions)))
    for _ in range(rounds):
        for index in order:
            start = time.perf_counter()
            result = functions[index]()
            seconds[index].append(time.perf_counter() - start)
            del result
        order.reverse()
    return tuple(Times(tuple(taken)) for taken in seconds)

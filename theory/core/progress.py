"""Where long work says how far it has come; silent until the terminal surface installs a listener.

Main definitions: `Progress`, one message; `Meter`, which counts trials and tells their rate and the time left.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

BAR = 24


@dataclass(frozen=True)
class Progress:
    """What is being done, how far it is in numbers, and which share of it is done, where that is known."""

    what: str
    numbers: str = ""
    share: float | None = None

    @property
    def line(self) -> str:
        """For a log."""
        return f"{self.what}: {self.numbers}" if self.numbers else self.what

    def drawn(self, columns: int) -> str:
        """For a terminal: a bar first, then as much of the rest as there is room for."""
        if self.share is None:
            return self.line[:columns]
        full = int(BAR * min(self.share, 1.0))
        return f"[{'#' * full}{'.' * (BAR - full)}] {self.numbers}  {self.what}"[:columns]


_listeners: list[Callable[[Progress], None]] = []


def listen(listener: Callable[[Progress], None] | None) -> None:
    """Send progress to `listener`, or to nobody."""
    _listeners.clear()
    if listener is not None:
        _listeners.append(listener)


def is_heard() -> bool:
    """Whether somebody listens."""
    return bool(_listeners)


def report(what: str, numbers: str = "", share: float | None = None) -> None:
    """Say how far the work has come."""
    for listener in _listeners:
        listener(Progress(what, numbers, share))


@dataclass
class Meter:
    """Counts the trials done of `total`, of which fewer may be needed where `may_stop` is set."""

    what: str
    total: int
    unit: str = "trials"
    may_stop: bool = False
    clock: Callable[[], float] = time.perf_counter
    done: int = 0
    measured: int = 0
    started: float = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.clock()

    def advance(self, count: int, measured: bool = True) -> None:
        """Note `count` more; those taken from a journal, not `measured`, say nothing of the rate."""
        self.done += count
        self.measured += count if measured else 0
        self.report()

    def report(self) -> None:
        """Say how far the work has come."""
        report(self.what, self.numbers, self.done / self.total)

    @property
    def numbers(self) -> str:
        """As in `12,300/50,000 trials, 850/s, at most 44 s left`."""
        told = f"{self.done:,}/{self.total:,} {self.unit}"
        elapsed = self.clock() - self.started
        if self.measured == 0 or elapsed <= 0.0:
            return told
        rate = self.measured / elapsed
        left = _duration(max(0, self.total - self.done) / rate)
        return f"{told}, {_rounded(rate)}/s, {'at most ' if self.may_stop else ''}{left} left"


def _rounded(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10.0 else f"{rate:.2g}"


def _duration(seconds: float) -> str:
    for unit, length in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 2.0 * length:
            return f"{seconds / length:.1f} {unit}" if unit == "h" else f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"

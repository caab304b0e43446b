"""What stands between the code of a claim and the run: warnings are errors, time is short, what is raised is data.

Main definitions: `strict`, the one place that says which warnings stop a claim; `time_limit`; `Allowance`, which gives
a result or a `Failure`; `SessionError`, which ends the run and no claim.

The same holds in this process and in every worker, whatever options pytest or Python were given.
"""

from __future__ import annotations

import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")

# The one warning that is none: loky gives it, in a thread of its own, when it replaces a worker that has grown large.
# As an error it would end that thread, and the run would wait for ever. setup.cfg repeats it for pytest.
HARMLESS = "A worker stopped while some jobs"

# An exception raised by a signal is lost where it strikes inside a callback from C, so it is raised again.
AGAIN = 60.0


class SessionError(ValueError):
    """What ends the whole run; the message is one line that says what to do."""


@dataclass(frozen=True)
class Failure:
    """Why a claim has no result: one line, the traceback where there is one, and whether its own code raised."""

    reason: str
    trace: str = ""
    raised: bool = False

    @classmethod
    def of(cls, error: BaseException, function: Callable[..., Any] | None = None) -> Failure:
        """The failure that `error` stands for, with the last line run in the file of `function`, if there is one."""
        if isinstance(error, MeasuringError):
            return error.failure
        first = _printable(next(iter(_text(error).strip().splitlines()), ""))
        trace = "".join(traceback.format_exception(error))
        if isinstance(error, TimeLimitError):
            return cls(first, trace)
        reason = f"{type(error).__name__}: {first}" if first else type(error).__name__
        file = getattr(getattr(function, "__code__", None), "co_filename", None)
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
        return cls(reason + (f" (line {lines[-1]})" if lines else ""), trace, raised=True)

    @classmethod
    def out_of_time(cls, limit: float) -> Failure:
        """The failure of a claim that was stopped after `limit` seconds."""
        return cls(f"no result within {limit:g} s; give --timeout more seconds, or 0 for no limit")


def _usual_floats() -> AbstractContextManager[Any]:
    """numpy's own settings for overflow and the like, whatever an earlier claim has set."""
    import numpy as np

    return np.errstate(divide="warn", over="warn", under="ignore", invalid="warn")


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return "its message cannot be written"


def _printable(text: str) -> str:
    """`text` with its control characters spelled out, so that no terminal obeys them."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class MeasuringError(BaseException):
    """A failure on its way up. No `Exception`, so that nothing in between takes it for a counterexample or retries."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


class TimeLimitError(BaseException):
    """A claim has had its time."""


class TerminatedError(KeyboardInterrupt):
    """Somebody asked this process to end (SIGTERM)."""


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM raise `TerminatedError`, as Ctrl-C raises `KeyboardInterrupt`, so that workers are ended too."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        raise TerminatedError

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


_entering = threading.Lock()
_inside: list[warnings.catch_warnings[Any]] = []
_depth = 0


@contextmanager
def strict() -> Iterator[None]:
    """Turn every warning into an error, in all threads of this process, until the last such context ends."""
    global _depth
    with _entering:
        if _depth == 0:
            # Filters belong to the process: the first thread in sets them, and the last one out puts them back.
            filters = warnings.catch_warnings()
            filters.__enter__()
            _inside.append(filters)
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", message=HARMLESS, category=UserWarning)
        _depth += 1
    try:
        yield
    finally:
        with _entering:
            _depth -= 1
            if _depth == 0:
                _inside.pop().__exit__(None, None, None)


@contextmanager
def time_limit(seconds: float, told: str = "the time is over") -> Iterator[None]:
    """Raise `TimeLimitError(told)` in this thread after `seconds`; 0 is no limit.

    Only the main thread of a process can be interrupted, and only between two steps of the interpreter: compiled code
    goes on until it returns. Elsewhere nothing happens, and a process that waits for this one has to keep the time.
    """
    if seconds == 0.0 or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def expired(number: int, frame: FrameType | None) -> None:
        raise TimeLimitError(told)

    handler = signal.signal(signal.SIGALRM, expired)
    started = time.monotonic()
    remaining, interval = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, handler)
        if remaining:  # a timer of someone else goes on
            left = remaining - (time.monotonic() - started)
            signal.setitimer(signal.ITIMER_REAL, max(left, 1e-3), interval)


@contextmanager
def surfacing(function: Callable[..., Any]) -> Iterator[None]:
    """Let whatever is raised inside pass through code that would catch it, skip it or try it again.

    `function` is the one that measures.
    """
    try:
        yield
    except (KeyboardInterrupt, SessionError, MeasuringError, TimeLimitError):
        raise
    except BaseException as error:
        raise MeasuringError(Failure.of(error, function)) from error


class Allowance:
    """The time that a claim and its controls have together: `limit` seconds from now on, or without end if it is 0."""

    def __init__(self, limit: float = 0.0) -> None:
        self._limit = limit
        self._started = time.perf_counter()

    @property
    def elapsed(self) -> float:
        """Seconds since then."""
        return time.perf_counter() - self._started

    def attempt(self, work: Callable[[], T], function: Callable[..., Any]) -> T | Failure:
        """The result of `work`, or why there is none, whatever was raised: an error, a skip, an exit.

        `function` is the one that measures. An interrupt by the user and a `SessionError` are raised.
        """
        over = Failure.out_of_time(self._limit)
        left = self._limit - self.elapsed if self._limit else 0.0
        if self._limit and left <= 0.0:
            return over
        try:
            # What a claim does to numpy's own settings ends with it.
            with strict(), _usual_floats(), time_limit(left, over.reason):
                return work()
        except (KeyboardInterrupt, SessionError):
            raise
        except BaseException as error:
            return Failure.of(error, function)

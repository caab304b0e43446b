"""What stands between the code of a claim and the run: warnings are errors, time is short, what is raised is data.

Main definitions: `strict`, the one place that says which warnings stop a claim; `time_limit`; `watched`, which sees
what no code can catch; `Allowance`, which gives a result or a `Failure`; `interruptible`, which tells an interrupt by
the user from an exception of that name; `SessionError`, which ends the run and no claim.

The same holds in this process and in every worker, whatever options pytest or Python were given.

What is left: without workers a claim can end the run from compiled code, by a signal, or by a function of `os` that it
took by name when it was loaded. C's `exit(0)` then gives exit code 0 without a summary, which no Python code can
prevent; with workers it is the error of that claim. A `KeyboardInterrupt` is the user's where a signal raised it,
whoever sent that.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import math
import os
import signal
import sys
import threading
import time
import traceback
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any, TypeVar

from theory.core.refusal import printable
from theory.core.values import Function

T = TypeVar("T")

# The one warning that is none: loky gives it, in a thread of its own, when it replaces a worker that has grown large.
# As an error it would end that thread, and the run would wait for ever. setup.cfg repeats it for pytest.
HARMLESS = "A worker stopped while some jobs"

# Seconds that the threads of a claim have to end once its function has returned.
SETTLE = 5.0

# Functions of `os` that would end this process, or put another program in its place.
ENDING = ("_exit", "abort", "execv", "execve")

# An exception raised by a signal is lost where it strikes inside a callback from C, so it is raised again.
AGAIN = 60.0

# An alarm that comes when so much of the time is left is not that of the time limit.
EARLY = 0.01

# Seconds beyond its limit that a claim has before it is stopped otherwise than by an alarm, and between two such ways.
LATE = 3.0

# Where Hypothesis counts who has raised the limit on calls, in a process as a whole. Cut short there it refuses all
# later searches; it is there for microseconds, and so many seconds later what ends a claim comes again.
COUNTING = ("StackframeLimiter.", "ensure_free_stackframes.")
PUT_OFF = 1e-3


class SessionError(ValueError):
    """What ends the whole run; the message is one line that says what to do."""


@dataclass(frozen=True)
class Failure:
    """Why a claim has no result: one line, the traceback where there is one, and whether its own code is at fault.

    What was measured before code that `raised`, or that went on in a thread, may be spoilt by it.
    """

    reason: str
    trace: str = ""
    raised: bool = False

    @classmethod
    def of(cls, error: BaseException, function: Function | None = None) -> Failure:
        """The failure that `error` stands for, with the last line run in the file of `function`, if there is one."""
        if isinstance(error, MeasuringError):
            return error.failure
        first = printable(next(iter(_text(error).strip().splitlines()), ""))
        trace = "".join(traceback.format_exception(error))
        signal_met = signalled(error)
        if isinstance(signal_met, TimeLimitError):
            return cls(printable(_text(signal_met)), trace)
        reason = f"{type(error).__name__}: {first}" if first else type(error).__name__
        file = getattr(getattr(function, "__code__", None), "co_filename", None)
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
        return cls(reason + (f" (line {lines[-1]})" if lines else ""), trace, raised=True)

    @classmethod
    def out_of_time(cls, limit: float) -> Failure:
        """The failure of a claim that was stopped after `limit` seconds."""
        return cls(f"no result within {limit:g} s; give --timeout more seconds, or 0 for no limit")


def _usual_floats() -> AbstractContextManager[object]:
    """numpy's own settings for overflow and the like, whatever an earlier claim has set."""
    import numpy as np

    return np.errstate(divide="warn", over="warn", under="ignore", invalid="warn")


@contextmanager
def _of_this_process() -> Iterator[None]:
    """Restore what the run needs of this process: depth of calls, folder, environment, modules' path, blocked signals.

    A child that was forked inside ends here, or it would go on with the run.
    """
    process, deep, folder = os.getpid(), sys.getrecursionlimit(), _folder()
    environment, path = dict(os.environ), list(sys.path)
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ()) if hasattr(signal, "pthread_sigmask") else None
    try:
        yield
    finally:
        if os.getpid() != process:
            os._exit(1)
        if blocked is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        sys.setrecursionlimit(deep)
        if folder and _folder() != folder:
            os.chdir(folder)
        if dict(os.environ) != environment:
            os.environ.clear()
            os.environ.update(environment)
        if not set(path) <= set(sys.path):
            sys.path[:] = path


@contextmanager
def _open_streams() -> Iterator[None]:
    """Keep the streams of this process from being closed, or put others in their places: what captures them needs them.

    They flush where they were to be closed.
    """
    streams = {name: getattr(sys, name) for name in ("stdout", "stderr")}
    kept = []
    for stream in streams.values():
        with suppress(AttributeError):
            stream.close = stream.flush
            kept.append(stream)
    try:
        yield
    finally:
        for name, stream in streams.items():
            setattr(sys, name, stream)
        for stream in kept:
            with suppress(AttributeError):  # of another thread, which took it back before
                del stream.close


def _folder() -> str:
    """The working folder; empty where it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return "its message cannot be written"


class MeasuringError(BaseException):
    """A failure on its way up. No `Exception`, so that nothing in between takes it for a counterexample or retries."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


class TimeLimitError(BaseException):
    """A claim has had its time."""


class ProcessExitError(BaseException):
    """A claim called one of `ENDING`."""


class InterruptError(KeyboardInterrupt):
    """The user asked this process to end, by Ctrl-C or, as a `TerminatedError`, by SIGTERM.

    A `KeyboardInterrupt` that is none was raised by some code, as any other exception.
    """


class TerminatedError(InterruptError):
    """Somebody asked this process to end by SIGTERM."""


@dataclass
class Interrupts:
    """The signals that asked a run to end, by name, and whether one of them was raised or it is too late for that."""

    met: list[str] = field(default_factory=list)
    too_late: bool = False


@contextmanager
def interruptible(terminable: bool = False, told: Callable[[], str] = str) -> Iterator[Interrupts]:
    """Let Ctrl-C raise `InterruptError` and, with `terminable`, SIGTERM raise `TerminatedError`.

    Their message names the signal and ends with what `told` returns. Who has a handler of Ctrl-C keeps it. Only the
    main thread receives signals; elsewhere nothing changes. With `terminable`, SIGHUP does as SIGTERM, and what comes
    after the first signal lets the run write what it has; the third ends the process at once. Who writes already says
    so by `too_late`: then the first is no more than noted, and the second ends the process.
    """
    interrupts = Interrupts()
    if threading.current_thread() is not threading.main_thread():
        yield interrupts
        return

    noted = 0

    def ended_by(name: str, kind: type[InterruptError], number: int, frame: FrameType | None) -> None:
        nonlocal noted
        again = " again" if interrupts.met else ""
        interrupts.met.append(name)
        if terminable and interrupts.too_late:
            noted += 1
            said = "ended at once" if noted > 1 else "what was judged is being written; once more ends at once"
            os.write(2, f"\n{name}{again}: {said}\n".encode())
            if noted > 1:
                os._exit(2)
            return
        interrupts.too_late = True
        raise kind(f"interrupted by {name}{told()}")

    before: dict[signal.Signals, Any] = {}
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        before[signal.SIGINT] = signal.default_int_handler
        signal.signal(signal.SIGINT, functools.partial(ended_by, "Ctrl-C", InterruptError))
    if terminable:
        before[signal.SIGTERM] = signal.signal(signal.SIGTERM, functools.partial(ended_by, "SIGTERM", TerminatedError))
        # Under nohup it is ignored, and stays so.
        if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
            hung_up = functools.partial(ended_by, "SIGHUP", TerminatedError)
            before[signal.SIGHUP] = signal.signal(signal.SIGHUP, hung_up)
    try:
        yield interrupts
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _OfProcess:
    """A setting that belongs to the process: the first thread in makes it, and the last one out takes it back."""

    def __init__(self, make: Callable[[], AbstractContextManager[object]]) -> None:
        self._make = make
        self._entering = threading.Lock()
        self._depth = 0
        self._made = ExitStack()

    @contextmanager
    def held(self) -> Iterator[None]:
        """The setting, until the last such context ends."""
        with self._entering:
            if self._depth == 0:
                self._made.enter_context(self._make())
            self._depth += 1
        try:
            yield
        finally:
            with self._entering:
                self._depth -= 1
                if self._depth == 0:
                    self._made.close()


@contextmanager
def _warnings_are_errors() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=HARMLESS, category=UserWarning)
        yield


_strictness = _OfProcess(_warnings_are_errors)


def strict() -> AbstractContextManager[None]:
    """Turn every warning into an error, in all threads of this process, until the last such context ends."""
    return _strictness.held()


@contextmanager
def time_limit(seconds: float, told: str = "the time is over") -> Iterator[None]:
    """Raise `TimeLimitError(told)` in this thread after `seconds`; 0 is no limit.

    Only the main thread of a process can be interrupted, and only between two steps of the interpreter: compiled code
    goes on until it returns. Elsewhere nothing happens, and a process that waits for this one has to keep the time.
    What takes the alarm away, blocks it or does not heed it is stopped by a thread, `LATE` seconds later.
    """
    if seconds == 0.0 or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    limit = _Limit(seconds, told)
    with _alarm(limit), _watchdog(limit):
        # Not before the thread stands: an alarm that strikes while it begins leaves its locks as they should not be.
        limit.started = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, limit.seconds, AGAIN)
        yield


@dataclass
class _Limit:
    """A time limit, until it is `over`: from then on nothing is raised for it, by whatever came late.

    `over` is set in one step of the interpreter, which no signal divides; `ended` wakes the thread that waits.
    """

    seconds: float
    told: str
    started: float = 0.0
    over: bool = False
    ended: threading.Event = field(default_factory=threading.Event)


def _is_counting(frame: FrameType | None) -> bool:
    """Whether a function of `COUNTING` is being called, by whatever stands above it."""
    while frame is not None:
        if frame.f_code.co_qualname.startswith(COUNTING) and "hypothesis" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


def _discard(number: signal.Signals, handler: Any) -> None:
    """Give a signal back to its handler; one that waits behind a block is nobody's any more, and would end us."""
    signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    signal.signal(number, handler)


@contextmanager
def _alarm(limit: _Limit) -> Iterator[None]:
    """As `time_limit`, by the timer of this process, which is set inside."""
    before = time.monotonic()
    handler, (remaining, interval) = signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)

    def expired(number: int, frame: FrameType | None) -> None:
        if limit.over:
            return
        left = limit.seconds - (time.monotonic() - limit.started)
        if left > EARLY * limit.seconds:
            # A process has one timer: from now on it is the limit's again.
            signal.setitimer(signal.ITIMER_REAL, left, AGAIN)
            raise RuntimeError("a claim set an alarm of its own, which takes the place of its time limit; set none")
        if _is_counting(frame):
            signal.setitimer(signal.ITIMER_REAL, PUT_OFF, AGAIN)
            return
        raise TimeLimitError(limit.told)

    try:
        signal.signal(signal.SIGALRM, expired)
        yield
    finally:
        limit.over = True
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        _discard(signal.SIGALRM, handler)
        if remaining:  # a timer of someone else goes on
            left = remaining - (time.monotonic() - before)
            signal.setitimer(signal.ITIMER_REAL, max(left, 1e-3), interval)


@contextmanager
def _watchdog(limit: _Limit) -> Iterator[None]:
    """As `time_limit`, by another thread: it interrupts a call that waits by `SIGVTALRM`, else raises in between."""

    def expired(number: int, frame: FrameType | None) -> None:
        # Looked at again here, as this thread may have gone on; then the other way comes next.
        if not (limit.over or _is_counting(frame)):
            raise TimeLimitError(limit.told)

    class LateError(TimeLimitError):
        """A class, as the interpreter asks for one to be raised in another thread, and makes the object itself."""

        def __str__(self) -> str:
            return limit.told

    deciding, main, asked = threading.Lock(), threading.get_ident(), threading.Event()

    def ask() -> None:
        asked.set()
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(main), ctypes.py_object(LateError))

    def keep() -> None:
        left, by_signal = limit.seconds + LATE, True
        while not limit.ended.wait(left):
            with deciding:
                if limit.over:
                    return
                if _is_counting(sys._current_frames().get(main)):
                    left = PUT_OFF
                    continue
                if by_signal:
                    signal.pthread_kill(main, signal.SIGVTALRM)
                else:
                    ask()
            left, by_signal = LATE if by_signal else AGAIN, not by_signal

    handler = signal.getsignal(signal.SIGVTALRM)
    try:
        signal.signal(signal.SIGVTALRM, expired)
        # Here too, as a signal may strike while this waits for the thread to begin: it would be left, and raise in
        # whatever is done later.
        with unwatched():
            threading.Thread(target=keep, name="time limit", daemon=True).start()
        yield
    finally:
        limit.over = True
        try:
            # What was asked for and has not been raised is too late, and is met here. Not taken back by asking for
            # nothing: that leaves the interpreter looking for it before every step, without end while it is traced.
            with suppress(LateError), deciding:
                limit.ended.set()
                if asked.is_set():
                    ask()
                    while True:
                        time.sleep(0.0)
        finally:
            limit.ended.set()
            _discard(signal.SIGVTALRM, handler)


@dataclass(eq=False)
class Watch:
    """What the code of a claim does where nothing can catch it: in a finaliser, in a callback, in a thread.

    `function` is the one that measures. `interrupt` is what a signal of the user raised there.
    """

    function: Function
    interrupt: InterruptError | None = None
    _noted: list[Failure | ProcessExitError] = field(default_factory=list)

    @property
    def first(self) -> Failure | None:
        """The first failure that was noted."""
        noted = next(iter(self._noted), None)
        # The lines that an exit has passed are known once it was caught.
        return Failure.of(noted, self.function) if isinstance(noted, ProcessExitError) else noted

    def note(self, error: BaseException, where: str) -> None:
        """Note what was raised where it is lost, as `in a thread`."""
        if isinstance(error, InterruptError):
            self.interrupt = error
        else:
            failure = Failure.of(error, self.function)
            told = isinstance(error, TimeLimitError | MeasuringError)
            self._noted.append(failure if told else replace(failure, reason=f"{failure.reason}, {where}"))

    def refuse(self, call: str) -> None:
        """Raise `ProcessExitError`, and note it, for it may be caught."""
        error = ProcessExitError(call)
        self._noted.append(error)
        raise error

    def settle(self) -> None:
        """Wait for the threads that were started, and note it where one goes on: what it does is told nowhere."""
        end = time.monotonic() + SETTLE
        while running := [thread for thread in threading.enumerate() if thread.is_alive() and self._started(thread)]:
            running[0].join(max(0.0, end - time.monotonic()))
            if time.monotonic() > end:
                why = "its function left a thread running; join it before the function returns"
                self._noted.append(Failure(why, raised=True))
                return

    def _started(self, thread: threading.Thread) -> bool:
        return _watches.get(thread) is self and thread is not threading.current_thread()


# By thread: the watch of an attempt on the thread that makes it and on those started from there.
_watches: weakref.WeakKeyDictionary[threading.Thread, Watch] = weakref.WeakKeyDictionary()
# Those of all attempts that are being made.
_open: list[Watch] = []


def _concerned() -> list[Watch]:
    """The watches on this thread; one that Python did not start may be anybody's."""
    thread = threading.current_thread()
    watch = _watches.get(thread)
    if watch is None:
        return list(_open) if isinstance(thread, threading._DummyThread) else []
    return [watch]


@contextmanager
def _hooks() -> Iterator[None]:
    """Hooks that note what the code of claims does where nothing can catch it; all else goes where it went before."""
    unraisable, excepthook, start = sys.unraisablehook, threading.excepthook, threading.Thread.start
    ending = {name: getattr(os, name) for name in ENDING if hasattr(os, name)}
    process = os.getpid()

    def on_unraisable(lost: sys.UnraisableHookArgs) -> None:
        concerned = _concerned()
        for watch in concerned:
            watch.note(lost.exc_type() if lost.exc_value is None else lost.exc_value, "in a finaliser or callback")
        if not concerned:
            unraisable(lost)

    def on_thread(lost: threading.ExceptHookArgs) -> None:
        concerned = _concerned()
        for watch in concerned:
            # By this exception a thread ends without a word, as Python has it.
            if not issubclass(lost.exc_type, SystemExit):
                watch.note(lost.exc_type() if lost.exc_value is None else lost.exc_value, "in a thread")
        if not concerned:
            excepthook(lost)

    def started(thread: threading.Thread) -> None:
        watch = _watches.get(threading.current_thread())
        if watch is not None:
            _watches[thread] = watch
        start(thread)

    def refused(name: str, *arguments: Any, **named: Any) -> Any:
        concerned = _concerned()
        # A child that was forked may end itself, and so may a thread that no claim started.
        if not concerned or os.getpid() != process:
            return ending[name](*arguments, **named)
        return concerned[0].refuse(f"os.{name}({', '.join(map(repr, (*arguments, *named.values())))})")

    sys.unraisablehook, threading.excepthook = on_unraisable, on_thread
    threading.Thread.start = started  # type: ignore[method-assign, assignment]
    for name in ending:
        setattr(os, name, functools.partial(refused, name))
    # What there was before is nobody's garbage while a claim is measured, and looking for it takes a while.
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        for name, call in ending.items():
            setattr(os, name, call)
        threading.Thread.start = start  # type: ignore[method-assign]
        sys.unraisablehook, threading.excepthook = unraisable, excepthook


_watching = _OfProcess(_hooks)


@contextmanager
def watched(function: Function) -> Iterator[Watch]:
    """See what is raised where nothing can catch it, by this thread and those that it starts, until the context ends.

    So that objects die where they were made, cycles of garbage are looked for at the end. What lives on, and what is
    raised in threads that were there before, is not seen. `function` is the one that measures.
    """
    watch, thread = Watch(function), threading.current_thread()
    with _watching.held():
        before = _watches.get(thread)
        _watches[thread] = watch
        _open.append(watch)
        try:
            yield watch
        finally:
            gc.collect()
            _open.remove(watch)
            _restore(thread, before)


@contextmanager
def unwatched() -> Iterator[None]:
    """Leave this thread, and those that it starts, unwatched until the context ends: no claim is measured here."""
    thread = threading.current_thread()
    before = _watches.pop(thread, None)
    try:
        yield
    finally:
        _restore(thread, before)


def _restore(thread: threading.Thread, before: Watch | None) -> None:
    if before is None:
        _watches.pop(thread, None)
    else:
        _watches[thread] = before


# What passes through the code of a claim as it is.
SURFACING = (InterruptError, SessionError, MeasuringError, TimeLimitError)


def signalled(error: BaseException) -> BaseException | None:
    """What the handler of a signal raised, where `error` was made of it by code that met it; else None."""
    seen, waiting = set[int](), [error]
    while waiting:
        this = waiting.pop()
        if isinstance(this, TimeLimitError | InterruptError):
            return this
        seen.add(id(this))
        parts = this.exceptions if isinstance(this, BaseExceptionGroup) else ()
        behind = (*parts, this.__cause__, this.__context__)
        waiting += [other for other in behind if other is not None and id(other) not in seen]
    return None


@contextmanager
def surfacing(function: Function) -> Iterator[None]:
    """Let whatever is raised inside pass through code that would catch it, skip it or try it again.

    `function` is the one that measures.
    """
    try:
        yield
    except SURFACING:
        raise
    except BaseException as error:
        # A signal that comes while compiled code hands back its result is wrapped by the interpreter.
        signal_met = signalled(error)
        if signal_met is not None:
            raise signal_met from None
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

    @property
    def left(self) -> float:
        """Seconds that are left; without end where there is no limit."""
        return self._limit - self.elapsed if self._limit else math.inf

    def attempt(self, work: Callable[[], T], function: Function) -> T | Failure:
        """The result of `work`, or why there is none, whatever was raised: an error, a skip, an exit.

        What was raised first counts, also where nothing could catch it (see `watched`), and so does a thread that is
        left running. `function` is the one that measures. An interrupt by the user and a `SessionError` are raised.
        """
        over = Failure.out_of_time(self._limit)
        left = self.left if self._limit else 0.0
        if self._limit and left <= 0.0:
            return over
        # What a claim does to the interpreter's and to numpy's own settings ends with it, and so does a child it made.
        with _of_this_process(), _open_streams(), strict(), _usual_floats(), watched(function) as watch:
            try:
                with interruptible(), time_limit(left, over.reason):
                    found: T | Failure = work()
                    watch.settle()
            except (InterruptError, SessionError):
                raise
            except BaseException as error:
                found = Failure.of(error, function)
        if watch.interrupt is not None:
            raise watch.interrupt
        return watch.first or found

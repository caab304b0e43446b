"""What a claim does to the process ends with it, what nothing can catch is told, and what it says is printable."""

from __future__ import annotations

import _thread
import gc
import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis.internal.conjecture import junkdrawer

from theory.core import guard
from theory.core.guard import (
    Allowance,
    Failure,
    InterruptError,
    MeasuringError,
    TerminatedError,
    TimeLimitError,
    interruptible,
    signalled,
    surfacing,
    unwatched,
)
from theory.core.refusal import ROOT


def test_settings_of_numpy_end_with_the_claim_that_made_them() -> None:
    before = np.geterr()
    huge = np.array([1e300])
    assert Allowance().attempt(lambda: np.seterr(all="ignore"), len) == before
    assert np.geterr() == before
    found = Allowance().attempt(lambda: huge * huge, len)
    assert isinstance(found, Failure)
    assert found.reason.startswith("RuntimeWarning: overflow")


def test_control_characters_of_a_message_are_spelled_out() -> None:
    assert Failure.of(ValueError("\x1b[31mred\nsecond line")).reason == r"ValueError: \x1b[31mred"


def test_an_error_that_cannot_be_written_is_told() -> None:
    class SilentError(Exception):
        def __str__(self) -> str:
            raise ArithmeticError

    assert Failure.of(SilentError()).reason == "SilentError: its message cannot be written"


def test_a_signal_is_found_in_groups_and_behind_other_errors() -> None:
    signal_met = TimeLimitError("the time is over")
    behind = ValueError("while handling it")
    behind.__context__ = signal_met
    assert signalled(ExceptionGroup("flaky", [KeyError(1), behind])) is signal_met
    assert signalled(ExceptionGroup("flaky", [KeyError(1)])) is None
    round_about = ValueError("of itself")
    other = KeyError("of the other")
    round_about.__context__, other.__context__ = other, round_about
    assert signalled(round_about) is None


@pytest.mark.parametrize("raised", [TimeLimitError("the time is over"), TerminatedError("asked to end")])
def test_a_signal_that_compiled_code_met_is_told_from_its_own_error(raised: BaseException) -> None:
    """Its handler's error comes out of a compiled function wrapped in a SystemError."""
    wrapped = SystemError("a kernel returned a result with an exception set")
    wrapped.__cause__ = raised
    with pytest.raises(type(raised)), surfacing(len):
        raise wrapped
    with pytest.raises(MeasuringError), surfacing(len):
        raise SystemError("of its own")


class Leaving:
    """An object whose end calls a function."""

    def __init__(self, end: Callable[[], Any]) -> None:
        self.end = end

    def __del__(self) -> None:
        self.end()


def fail() -> None:
    raise ArithmeticError("no number")


def reason(work: Callable[[], Any], limit: float = 0.0) -> str:
    """Why there is no result."""
    found = Allowance(limit).attempt(work, work)
    assert isinstance(found, Failure), found
    return found.reason


def settings() -> list[Any]:
    """What an attempt sets in this process."""
    return [sys.unraisablehook, threading.excepthook, threading.Thread.start, os._exit, os.abort, os.execv, os.execve]


def test_hooks_are_there_for_the_length_of_an_attempt() -> None:
    before, frozen = settings(), gc.get_freeze_count()
    during = Allowance().attempt(lambda: (settings(), gc.get_freeze_count()), fail)
    assert not isinstance(during, Failure)
    assert not any(one is other for one, other in zip(before, during[0], strict=True))
    assert during[1] > frozen
    assert reason(fail).startswith("ArithmeticError: no number")
    assert settings() == before
    assert gc.get_freeze_count() == 0


def test_what_was_raised_first_is_told() -> None:
    def both() -> None:
        Leaving(fail)
        raise ValueError("later")

    assert reason(both).startswith("ArithmeticError: no number")
    assert reason(both).endswith(", in a finaliser or callback")


def test_garbage_from_before_is_no_finding_on_a_claim_and_its_own_is() -> None:
    class Circle:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            fail()

    quiet: list[Any] = []
    before, sys.unraisablehook = sys.unraisablehook, quiet.append
    gc.disable()
    try:
        Circle()
        assert Allowance().attempt(gc.collect, fail) == 0
        assert quiet == []
        gc.collect()
        assert len(quiet) == 1
        assert reason(lambda: Circle() and None).startswith("ArithmeticError")
        assert len(quiet) == 1
    finally:
        gc.enable()
        sys.unraisablehook = before


def test_of_two_claims_measured_at_once_each_is_told_its_own() -> None:
    before, meeting = settings(), threading.Barrier(2, timeout=60.0)

    def measure(end: Callable[[], Any]) -> None:
        meeting.wait()
        Leaving(end)
        thread = threading.Thread(target=end)
        thread.start()
        thread.join()
        meeting.wait()

    def end_with(error: type[Exception]) -> Callable[[], Any]:
        def end() -> None:
            raise error

        return end

    found: dict[str, Any] = {}
    ends = {"one": end_with(KeyError), "other": end_with(ValueError), "healthy": lambda: None}
    for names in (("one", "other"), ("one", "healthy")):

        def attempt(name: str) -> None:
            found[name] = Allowance().attempt(lambda: measure(ends[name]), measure)

        threads = [threading.Thread(target=attempt, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found["one"].reason.startswith("KeyError (line ")
    assert found["other"].reason.startswith("ValueError (line ")
    assert found["healthy"] is None
    assert settings() == before


def test_a_thread_that_was_there_before_is_no_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", told.append)
    go = threading.Event()

    def later() -> None:
        go.wait(60.0)
        fail()

    thread = threading.Thread(target=later)
    thread.start()

    def measure() -> float:
        go.set()
        thread.join()
        return 0.5

    assert Allowance().attempt(measure, measure) == 0.5
    assert [lost.exc_type for lost in told] == [ArithmeticError]


def test_a_thread_started_to_reach_workers_is_no_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "SETTLE", 0.05)
    done = threading.Event()
    thread = threading.Thread(target=done.wait, args=(60.0,))

    def measure() -> float:
        with unwatched():
            thread.start()
        return 0.5

    assert Allowance().attempt(measure, measure) == 0.5
    done.set()
    thread.join()


def test_a_thread_that_is_left_running_is_told_and_one_that_ends_soon_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    done = threading.Event()

    def soon() -> float:
        # Of a thread of a thread nobody but the attempt knows.
        threading.Thread(target=lambda: threading.Thread(target=time.sleep, args=(0.1,)).start()).start()
        return 0.5

    assert Allowance().attempt(soon, soon) == 0.5
    monkeypatch.setattr(guard, "SETTLE", 0.05)
    thread = threading.Thread(target=done.wait, args=(60.0,))
    assert reason(lambda: thread.start()) == "its function left a thread running; join it before the function returns"
    done.set()
    thread.join()


def test_a_thread_that_python_does_not_know_is_any_claims() -> None:
    def measure() -> None:
        _thread.start_new_thread(fail, ())
        end = time.monotonic() + 60.0
        while not guard._open[0]._noted and time.monotonic() < end:
            time.sleep(0.001)

    assert reason(measure).startswith("ArithmeticError: no number")


def test_an_interrupt_by_the_user_is_raised_wherever_it_strikes_and_one_of_that_name_is_not() -> None:
    def interrupt() -> None:
        signal.raise_signal(signal.SIGINT)

    def named() -> None:
        raise KeyboardInterrupt

    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for work in (interrupt, lambda: Leaving(interrupt) and None):
            with pytest.raises(InterruptError, match=r"^interrupted by Ctrl-C$"):
                Allowance().attempt(work, fail)
        assert reason(named).startswith("KeyboardInterrupt (line ")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, handler)


def test_a_signal_is_told_with_how_far_things_are() -> None:
    handler = signal.getsignal(signal.SIGTERM)
    with (
        pytest.raises(TerminatedError, match=r"^interrupted by SIGTERM: 2 of 3$"),
        interruptible(terminable=True, told=lambda: ": 2 of 3"),
    ):
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is handler


def test_a_finaliser_that_hangs_keeps_the_time_limit() -> None:
    def hang() -> None:
        while True:
            time.sleep(0.001)

    assert reason(lambda: Leaving(hang) and None, limit=0.05).startswith("no result within 0.05 s")


def test_only_the_code_of_claims_is_kept_from_ending_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    go = threading.Event()

    def of_the_run() -> None:
        go.wait(60.0)
        os._exit(3)

    thread = threading.Thread(target=of_the_run)
    thread.start()

    def measure() -> None:
        go.set()
        thread.join()
        os._exit(status=0)

    assert reason(measure).startswith("ProcessExitError: os._exit(0) (line ")
    assert ended == [3]


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_only_the_first_signal_raises_and_the_third_ends_the_process(
    name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    # Under nohup it is ignored.
    hung_up = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        with guard.interruptible(terminable=True):
            with pytest.raises(guard.InterruptError, match="interrupted by"):
                signal.raise_signal(signal.Signals[name])
            signal.raise_signal(signal.Signals[name])
            assert not ended
            signal.raise_signal(signal.Signals[name])
    finally:
        signal.signal(signal.SIGINT, before)
        signal.signal(signal.SIGHUP, hung_up)
    assert ended == [2]
    assert len(capfd.readouterr().err.split()) < 30


def test_a_signal_that_comes_while_all_is_being_written_is_noted_and_the_second_ends_the_process(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    with guard.interruptible(terminable=True) as interrupts:
        interrupts.too_late = True
        signal.raise_signal(signal.SIGTERM)
        assert (interrupts.met, ended) == (["SIGTERM"], [])
        signal.raise_signal(signal.SIGTERM)
    assert ended == [2]
    assert capfd.readouterr().err.split("\n") == [
        "",
        "SIGTERM: what was judged is being written; once more ends at once",
        "",
        "SIGTERM again: ended at once",
        "",
    ]


def test_a_limit_on_calls_ends_with_the_claim() -> None:
    deep = sys.getrecursionlimit()

    def lowering() -> int:
        sys.setrecursionlimit(deep - 100)
        return 1

    assert guard.Allowance().attempt(lowering, lowering) == 1
    assert sys.getrecursionlimit() == deep


def test_signals_that_a_claim_blocks_come_through_after_it() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    asked = {signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGVTALRM}

    def blocking() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, asked)

    assert guard.Allowance(60.0).attempt(blocking, blocking) is None
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before


def test_streams_that_a_claim_closes_or_replaces_are_there_after_it(capfd: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout, sys.stderr

    def closing() -> None:
        sys.stdout.close()
        sys.stderr.close()
        sys.stdout = sys.stderr = io.StringIO()

    assert guard.Allowance().attempt(closing, closing) is None
    assert (sys.stdout, sys.stderr) == before
    print("still there")
    assert not sys.stdout.closed
    assert "close" not in vars(sys.stdout)


def test_an_alarm_of_its_own_is_told_and_the_limit_stays() -> None:
    def alarmed() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        time.sleep(2.0)

    found = guard.Allowance(60.0).attempt(alarmed, alarmed)
    assert isinstance(found, guard.Failure)
    assert "an alarm of its own" in found.reason


def slow_counting(monkeypatch: pytest.MonkeyPatch, over: float, during: Callable[[], Any] = int) -> None:
    """Let Hypothesis count who raised the limit on calls until the time `over`, and do something meanwhile."""

    class Slow(set[int]):
        def add(self, limit: int) -> None:
            during()
            while time.monotonic() < over:
                pass
            super().add(limit)

    limiter = junkdrawer.StackframeLimiter()
    limiter._known_limits = Slow()
    monkeypatch.setattr(junkdrawer, "_stackframe_limiter", limiter)


def search() -> None:
    while True:
        with junkdrawer.ensure_free_stackframes():
            pass


def test_an_alarm_waits_while_hypothesis_counts_who_raised_the_limit_on_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    over = time.monotonic() + 0.2
    slow_counting(monkeypatch, over)
    with pytest.raises(TimeLimitError), guard.time_limit(0.05):
        search()
    with junkdrawer.ensure_free_stackframes():  # which asserts that nobody was counted by half
        assert time.monotonic() >= over


@pytest.mark.parametrize("blocked", [{signal.SIGALRM}, {signal.SIGALRM, signal.SIGVTALRM}], ids=["signal", "between"])
def test_what_comes_after_an_alarm_that_was_not_heeded_waits_there_too(
    blocked: set[signal.Signals], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a signal and, where that is blocked too, between two steps: both are due while Hypothesis counts."""
    monkeypatch.setattr(guard, "LATE", 0.05)
    over = time.monotonic() + 0.4
    slow_counting(monkeypatch, over)
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
    try:
        with pytest.raises(TimeLimitError), guard.time_limit(0.05):
            search()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, masked)
    with junkdrawer.ensure_free_stackframes():
        assert time.monotonic() >= over


def test_a_signal_that_meets_hypothesis_counting_after_all_raises_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    struck: list[int] = []

    def strike() -> None:
        if not struck:
            struck.append(1)
            signal.raise_signal(signal.SIGVTALRM)

    slow_counting(monkeypatch, 0.0, strike)
    with guard.time_limit(60.0):
        with junkdrawer.ensure_free_stackframes():
            assert struck
        with pytest.raises(TimeLimitError):
            signal.raise_signal(signal.SIGVTALRM)


def test_an_interrupt_while_the_thread_begins_leaves_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """As an alarm did on a loaded machine: what the thread raised seconds later met whatever was done next."""
    start, handlers = threading.Thread.start, [signal.getsignal(n) for n in (signal.SIGALRM, signal.SIGVTALRM)]

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        raise InterruptError

    monkeypatch.setattr(guard, "LATE", 0.1)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", interrupted)
        with pytest.raises(InterruptError), guard.time_limit(0.05):
            raise AssertionError
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        pass
    assert "time limit" not in [thread.name for thread in threading.enumerate()]
    assert [signal.getsignal(n) for n in (signal.SIGALRM, signal.SIGVTALRM)] == handlers


def test_a_short_limit_begins_when_its_thread_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    start = threading.Thread.start

    def slowly(thread: threading.Thread) -> None:
        start(thread)
        time.sleep(0.2)

    def waiting() -> None:
        begun.append(1)
        time.sleep(5.0)

    begun: list[int] = []
    monkeypatch.setattr(threading.Thread, "start", slowly)
    with pytest.raises(TimeLimitError), guard.time_limit(0.05):
        waiting()
    assert begun


def test_limits_that_end_as_they_strike_raise_nothing_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signals and what a thread asks for come in any order while limits begin and end; each is met inside its limit."""
    monkeypatch.setattr(guard, "LATE", 1e-4)
    handlers = [signal.getsignal(n) for n in (signal.SIGALRM, signal.SIGVTALRM)]
    met = 0
    for number in range(400):
        try:
            with guard.time_limit(1e-4 * (1 + number % 20)):
                end = time.monotonic() + 1e-4 * (number % 23)
                while time.monotonic() < end:
                    try:
                        time.sleep(0.0)
                    except TimeLimitError:  # here, so that the next way comes
                        met += 1
        except TimeLimitError:
            met += 1
        sum(range(200))
    assert met
    assert [signal.getsignal(n) for n in (signal.SIGALRM, signal.SIGVTALRM)] == handlers


# What has been measured within a time limit, also one that a thread had to keep; then all calls are looked at.
TRACED = """
import signal, sys, time
from theory.core import guard

def busy():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM, signal.SIGVTALRM})
    end = time.monotonic() + 20.0
    while time.monotonic() < end:
        pass

guard.LATE = 0.1
assert guard.Allowance(60.0).attempt(lambda: 3, len) == 3
assert "no result within" in guard.Allowance(0.1).attempt(busy, busy).reason
for see in (sys.settrace, sys.setprofile):
    see(lambda *seen: None)
    (lambda: 1)()
    see(None)
"""


def test_calls_can_be_traced_after_a_time_limit() -> None:
    done = subprocess.run([sys.executable, "-c", TRACED], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr

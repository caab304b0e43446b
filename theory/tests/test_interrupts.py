"""The command line when things go wrong: broken claims, a time limit, Ctrl-C, SIGTERM; and runs that judge nothing."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from theory.tests.conftest import AT_NIGHT
from theory.tests.fakes import UNCATCHABLE, without_times
from theory.tests.test_plugin import PLUGIN, environment
from theory.tests.test_registry import HEAD
from theory.tests.test_surface import IN_ONE_PROCESS

CLAIMS = (
    HEAD
    + """
import os
import threading
import time
import warnings
from pathlib import Path

import pytest

from theory.evidence import Trials

SEVERAL = {**COMMON, "evidence": Trials(rate=0.3, budget=200)}


@claim("toy:healthy", **COMMON)
def healthy(m):
    return 0.5


@claim("toy:skipping", **COMMON)
def skipping(m):
    pytest.skip("not today")


@claim("toy:warning", **COMMON)
def warning(m):
    warnings.warn("take care", RuntimeWarning)
    return 0.5


"""
    + UNCATCHABLE
    + """

@claim("toy:keyboard", **COMMON)
def keyboard(m):
    raise KeyboardInterrupt


@claim("toy:hanging", **COMMON)
def hanging(m):
    wait()


@claim("toy:sleeping", **COMMON)
def sleeping(m):
    wait()


@claim("toy:blocks", **SEVERAL)
def in_blocks(rng, m):
    wait()


def wait():
    Path("started").touch()
    while True:
        time.sleep(0.01)
"""
)
ERRORS = {
    "skipping": "Skipped: not today (line ",
    "warning": "RuntimeWarning: take care (line ",
    "leaving": "ArithmeticError: left (line ",
    "thread": "ZeroDivisionError: division by zero (line ",
    "exit": "ProcessExitError: os._exit(0) (line ",
    "keyboard": "KeyboardInterrupt (line ",
}
BROKEN = [arg for name in ("healthy", *ERRORS) for arg in ("--claim", f"toy:{name}")]
# By these pytest tells of its own what no code can catch.
NO_HOOKS = ["-p", "no:unraisableexception", "-p", "no:threadexception"]
RUNS: dict[str, list[str]] = {
    "one job": [*BROKEN, "--ledger=one"],
    "warnings ignored": [*BROKEN, "-W", "ignore", "--ledger=ignored"],
    "no warnings plugin": [*BROKEN, "-p", "no:warnings", *NO_HOOKS, "--ledger=none"],
    "two jobs": [*BROKEN, "-W", "ignore", "--jobs", "2", "--ledger=two"],
    "in time": ["--claim", "toy:hanging", "--claim", "toy:healthy", "--timeout", "0.5"],
    "story": ["--claim", "toy:skipping", "-vv"],
    "setup plan": [*BROKEN, "--setup-plan", "--ledger=plan"],
    "setup only": [*BROKEN, "--setup-only", "--jobs", "2", "--ledger=plan"],
    "collect only": [*BROKEN, "--collect-only", "--ledger=plan"],
    "no number": ["--timeout", "soon"],
    "negative": ["--timeout=-1"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with these claims."""
    place = tmp_path_factory.mktemp("trouble")
    (place / "pytest.ini").touch()
    (place / "claims").mkdir()
    (place / "claims" / "test_toy.py").write_text(CLAIMS)
    return place


@pytest.fixture(scope="module")
def outcomes(folder: Path) -> dict[str, tuple[int, str]]:
    """Exit code and output of each of `RUNS`."""
    runs = json.dumps([[*PLUGIN, "claims", *arguments] for arguments in RUNS.values()])
    command = [sys.executable, "-c", IN_ONE_PROCESS, runs]
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    return {name: (code, output) for name, (code, output) in zip(RUNS, found, strict=True)}


def test_a_broken_claim_is_an_error_with_exit_code_1_and_no_traceback(outcomes: dict[str, tuple[int, str]]) -> None:
    code, output = outcomes["one job"]
    assert code == 1
    assert "Traceback" not in output
    for name, reason in ERRORS.items():
        assert f"toy:{name}: error: {reason}" in output
        assert f"toy:{name} has no result: {reason}" in output
    assert f"{len(ERRORS)} failed, 1 passed" in output
    code, output = outcomes["story"]
    assert code == 1
    assert "error      Skipped: not today" in output
    assert "in skipping" in output


def test_warnings_are_errors_whatever_the_options_and_the_workers(
    outcomes: dict[str, tuple[int, str]], folder: Path
) -> None:
    ledgers = [
        without_times(json.loads((folder / name / "ledger.json").read_text())["claims"])
        for name in ("one", "ignored", "none", "two")
    ]
    assert {row["id"]: row["verdict"] for row in ledgers[0]} == {
        "toy:healthy": "holds",
        **{f"toy:{name}": "error" for name in ERRORS},
    }
    assert all(other == ledgers[0] for other in ledgers[1:])
    assert {outcomes[name][0] for name in ("one job", "warnings ignored", "no warnings plugin", "two jobs")} == {1}


def test_a_claim_that_hangs_is_told_and_the_next_one_judged(outcomes: dict[str, tuple[int, str]]) -> None:
    code, output = outcomes["in time"]
    assert code == 1
    assert "toy:hanging: error: no result within 0.5 s; give --timeout more seconds, or 0 for no limit" in output
    assert "1 failed, 1 passed" in output


@pytest.mark.parametrize("name", ["setup plan", "setup only", "collect only"])
def test_a_run_that_judges_nothing_says_nothing_of_verdicts(
    name: str, outcomes: dict[str, tuple[int, str]], folder: Path
) -> None:
    code, output = outcomes[name]
    assert code == 0
    assert "toy:skipping" in output
    assert not any(word in output for word in ("passed", "ledger", "holds", "PASSED", "verdict"))
    assert not (folder / "plan").exists()


def test_a_time_limit_that_is_none_is_refused(outcomes: dict[str, tuple[int, str]]) -> None:
    for name, given in {"no number": "soon", "negative": "-1"}.items():
        code, output = outcomes[name]
        assert code == 4
        assert f"--timeout: '{given}' is no number of seconds; write one, or 0 for no limit" in output


# As pytest-timeout has it: the option, and a hook by which another plugin keeps the time of an item.
PEER = """
import pytest


class Hooks:
    @pytest.hookspec(firstresult=True)
    def pytest_timeout_set_timer(item, settings):
        pass


def pytest_addhooks(pluginmanager):
    pluginmanager.add_hookspecs(Hooks)


def pytest_addoption(parser):
    parser.getgroup("timeout").addoption("--timeout", type=float)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    if not item.config.hook.pytest_timeout_set_timer(item=item, settings=None):
        print(f"a timer for {item.name}")
    return (yield)
"""


def test_beside_pytest_timeout_there_is_one_option_and_one_timer(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "pytest_timeout.py").write_text(PEER)
    (tmp_path / "test_plain.py").write_text("def test_plain():\n    pass\n")
    arguments = ["claims", str(tmp_path), "-k", "hanging or plain", "--timeout", "0.5", "-p", "pytest_timeout"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-s", *PLUGIN, *arguments],
        cwd=folder,
        env=environment(PYTHONPATH=os.pathsep.join([str(tmp_path), environment()["PYTHONPATH"]])),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "toy:hanging: error: no result within 0.5 s" in done.stdout
    assert "a timer for test_plain" in done.stdout
    assert "a timer for toy:hanging" not in done.stdout


@dataclass
class Stopped:
    """How a run ended that got a signal while a claim was being judged, or loaded."""

    code: int
    output: str
    left: bool


TWO = ["--claim", "toy:hanging", "--claim", "toy:sleeping"]
# A claim file that takes its time to load.
LOADING = CLAIMS + "\n\nwait()\n"
KILLED = "two jobs, killed"
# By day one of the signals comes while files are loaded, to a claim in this process, and to workers of either kind.
STOPS: dict[str, tuple[list[str], signal.Signals]] = {
    "loading, Ctrl-C": (TWO, signal.SIGINT),
    "one job, SIGTERM": (TWO, signal.SIGTERM),
    "two jobs, Ctrl-C": ([*TWO, "--jobs", "2"], signal.SIGINT),
    "blocks, SIGTERM": (["--claim", "toy:blocks", "--jobs", "2"], signal.SIGTERM),
    KILLED: ([*TWO, "--jobs", "2"], signal.SIGKILL),
}
if AT_NIGHT:
    STOPS |= {
        "loading, SIGTERM": (TWO, signal.SIGTERM),
        "loading without an option, SIGTERM": ([], signal.SIGTERM),
        "one job, Ctrl-C": (TWO, signal.SIGINT),
        "loading without an option, Ctrl-C": ([], signal.SIGINT),
        "two jobs, SIGTERM": ([*TWO, "--jobs", "2"], signal.SIGTERM),
        "blocks, Ctrl-C": (["--claim", "toy:blocks", "--jobs", "2"], signal.SIGINT),
    }
if importlib.util.find_spec("distributed") is not None:
    STOPS["cluster, Ctrl-C"] = (["--claim", "toy:blocks", "--jobs", "2", "--backend", "dask"], signal.SIGINT)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Stopped]:
    """All of `STOPS`, side by side: each in a process group of its own, which Ctrl-C reaches as a whole."""
    started: dict[str, tuple[Path, subprocess.Popen[str]]] = {}
    for name, (arguments, _) in STOPS.items():
        place = tmp_path_factory.mktemp("stopped")
        (place / "pytest.ini").touch()
        (place / "test_toy.py").write_text(LOADING if name.startswith("loading") else CLAIMS)
        command = [sys.executable, "-m", "pytest", "-q", *PLUGIN, *arguments]
        with (place / "output").open("w") as output:
            started[name] = (
                place,
                subprocess.Popen(
                    command,
                    cwd=place,
                    env=environment(),
                    text=True,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                ),
            )
    try:
        return {name: _stop(*started[name], STOPS[name][1]) for name in STOPS}
    finally:
        for _, process in started.values():
            if _is_there(process.pid):
                os.killpg(process.pid, signal.SIGKILL)


def _stop(place: Path, process: subprocess.Popen[str], sent: signal.Signals) -> Stopped:
    _until(lambda: (place / "started").exists() or process.poll() is not None, 120.0)
    if sent is signal.SIGINT:
        os.killpg(process.pid, sent)
    else:
        process.send_signal(sent)
    code = process.wait(timeout=60.0)
    # A helper of the pool ends by itself as soon as it sees that nobody is left.
    left = not _until(lambda: not _is_there(process.pid), 10.0)
    return Stopped(code, (place / "output").read_text(), left)


def _is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _until(condition: object, seconds: float) -> bool:
    """Wait for a condition, at most so long, and say whether it came true."""
    assert callable(condition)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("name", [name for name in STOPS if name != KILLED])
def test_a_signal_ends_the_run_with_one_line_and_leaves_no_process(name: str, stopped: dict[str, Stopped]) -> None:
    run = stopped[name]
    assert run.code == 2, run.output
    by = "Ctrl-C" if "Ctrl-C" in name else "SIGTERM"
    total = STOPS[name][0].count("--claim")
    so_far = " before a claim was judged" if name.startswith("loading") else f": 0 of {total} claims were judged"
    (told,) = [line for line in run.output.splitlines() if "nterrupt" in line]
    assert f"interrupted by {by}{so_far}" in told
    assert "Traceback" not in run.output
    assert not any(line.startswith("  File") for line in run.output.splitlines())
    assert not run.left


# A ledger that takes its time to be written.
WRITING = """
import time
from pathlib import Path

from theory.reports import ledger

plain = ledger.write


def write(*arguments):
    Path("started").touch()
    while not Path("told").exists():
        time.sleep(0.01)
    return plain(*arguments)


ledger.write = write
"""


def test_a_signal_that_comes_while_the_ledger_is_written_ends_the_run_when_it_is(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").touch()
    (tmp_path / "test_toy.py").write_text(CLAIMS)
    (tmp_path / "conftest.py").write_text(WRITING)
    command = [sys.executable, "-m", "pytest", "-q", *PLUGIN, "--claim", "toy:healthy", "--ledger=written"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        try:
            assert _until((tmp_path / "started").exists, 120.0)
            process.send_signal(signal.SIGTERM)
            lines = [process.stderr.readline(), process.stderr.readline()]
            (tmp_path / "told").touch()
            output, rest = process.communicate(timeout=60.0)
        finally:
            process.kill()
    assert lines == ["\n", "SIGTERM: what was judged is being written; once more ends at once\n"]
    assert process.returncode == 2, output
    assert rest == ""
    assert "Traceback" not in output
    assert "1 passed" in output
    (row,) = json.loads((tmp_path / "written" / "ledger.json").read_text())["claims"]
    assert row["verdict"] == "holds"


def test_workers_end_with_a_run_that_was_killed(stopped: dict[str, Stopped]) -> None:
    run = stopped[KILLED]
    assert run.code == -signal.SIGKILL
    assert not run.left

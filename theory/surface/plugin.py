"""The hooks of the claims. Everything heavy is imported where it is needed: a refusal must not wait for it."""

from __future__ import annotations

import configparser
import dataclasses
import gc
import importlib.metadata
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pytest

from theory.claims.registry import SUITE, is_of_the_suite, may_be_read
from theory.claims.selection import SelectionError, nearest
from theory.claims.sites import may_hold_blocks
from theory.core.budget import FALSE_ALARM_BUDGET, OWN_BUDGET
from theory.core.guard import Interrupts, SessionError, interruptible
from theory.core.refusal import ROOT, ClaimError
from theory.surface import rooms
from theory.surface.items import ClaimFile, ClaimItem, defines_tests
from theory.surface.run import Run
from theory.surface.session import Session, is_a_readers, places_of, session_of

if TYPE_CHECKING:
    from theory.core.progress import Progress
    from theory.reports.ledger import Suite
    from theory.reports.needs import Plan

REPORTED_VERSIONS = ("numpy", "scipy", "sympy", "numba", "hypothesis", "pytest", "joblib", "python-flint")

_INTERRUPTS = pytest.StashKey[Interrupts]()

# Rooms whose tests are unit tests, which may declare claims of their own.
UNIT_TESTED = ("theory", "bounds", "nets", "benchmarks")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse what would start workers of another kind, before it does; tell from now on what an interrupt ended."""
    if sys.flags.optimize and config.rootpath == ROOT:
        raise pytest.UsageError("Python runs without assertions (-O, PYTHONOPTIMIZE), on which tests rest; unset that")
    with _refusals():
        session_of(config).refuse_distribution(places_of(config))
    if not hasattr(config, "workerinput"):
        stack = ExitStack()
        config.add_cleanup(stack.close)
        config.stash[_INTERRUPTS] = stack.enter_context(interruptible(terminable=True, told=lambda: _how_far(config)))


def _how_far(config: pytest.Config) -> str:
    """How far the claims have come, for the end of a sentence."""
    run = session_of(config).run
    if run is None:
        return " before a claim was judged"
    return f": {len(run.rows)} of {len(run.claims)} claims were judged"


def pytest_report_header(config: pytest.Config) -> list[str]:
    """The effort and the budgets of what may be judged: where nothing but a reader's claims is, the suite's is none."""
    theirs = {is_a_readers(place) for place in places_of(config)}
    own = config.getoption("budget")
    budgets = [f"of yours {OWN_BUDGET if own is None else own}"] if True in theirs else []
    budgets += [f"of the suite {FALSE_ALARM_BUDGET:g}"] if theirs != {True} else []
    return [f"lemmata: effort {config.getoption('effort')}, false-alarm budget {', '.join(budgets)}"]


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """In the process of a unit test that may not read a claim file, the suite has no such file."""
    return True if is_of_the_suite(collection_path) and not may_be_read(collection_path) else None


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A file with claim blocks is a file of claims."""
    if module_path.is_relative_to(ROOT) and module_path.relative_to(ROOT).parts[0] in UNIT_TESTED:
        return None
    if not _holds_claims(module_path, parent.config):
        return None
    # Of a file elsewhere, as the suite's in a reader's repository, pytest would keep no name.
    nodeid = None if module_path.is_relative_to(parent.config.rootpath) else str(module_path)
    return ClaimFile.from_parent(parent, path=module_path, nodeid=nodeid)


def _holds_claims(path: Path, config: pytest.Config) -> bool:
    """Whether there are claims in a file that pytest collects; a refusal waits until all is collected."""
    # Of a folder on the way to a file that was asked for, pytest looks at the other files as well.
    found = path.parent.resolve() / path.name
    if not any(found.is_relative_to(place) for place in places_of(config)) or not may_hold_blocks(path.read_bytes()):
        return False
    claims = session_of(config)
    try:
        claims.catalogue.add_place(path.parent)
    except ClaimError as error:
        claims.refusal = claims.refusal or error
        return True
    return bool(claims.catalogue.of_file(path)) or path.resolve() in claims.catalogue.slips


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Check the options that can be checked at once, and find the files in which the selected claims stand."""
    claims = session_of(session.config)
    with _refusals():
        claims.options.check()
        if claims.options.selects:
            _narrow(session.config, claims)
    session.config.args[:] = [word for given in session.config.args for word in _by_function(claims, given)]


def _narrow(config: pytest.Config, claims: Session) -> None:
    """Add the files of the selected claims to what is collected; in place of all the suite, where nobody asked for it.

    That is the suite by `testpaths`, all whose claims are known without being collected; they keep their order.
    """
    places = places_of(config)
    of_itself = config.args_source is config.ArgsSource.TESTPATHS and places == [SUITE]
    if found := claims.places_of_selected([] if of_itself else places):
        config.args[:] = sorted(found) if of_itself else [*config.args, *found]


def _by_function(claims: Session, argument: str) -> list[str]:
    """An argument `file::function`, as an editor writes it, with the ids of that function's claims in its place."""
    file, _, name = argument.partition("::")
    path = Path(claims.config.invocation_params.dir, file)
    if not name or not path.is_file() or not may_hold_blocks(path.read_bytes()):
        return [argument]
    with _refusals():
        claims.catalogue.add_place(path.parent)
        there = claims.catalogue.of_file(path)
        named = [f"{file}::{entry.id}" for entry in there if entry.function == name]
        known = {word for entry in there for word in (entry.id, entry.function)}
        if there and name not in known and not defines_tests(path, known):
            raise SelectionError(f"{file}: no claim is called {name!r}; {nearest(name, known)}")
    return named or [argument]


class _refusals:  # noqa: N801 - used as a context
    """Context in which what cannot be accepted ends the session with one line and exit code 4."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None or not isinstance(error, Exception):
            return
        if isinstance(error, ClaimError | SelectionError | SessionError):
            raise pytest.UsageError(str(error)) from None
        if isinstance(error, rooms.data_error()):
            raise pytest.UsageError(f"--data: {error}") from None
        # Not at the head of the file: every session of pytest loads it, most of them without a formula.
        from bounds.parse import FormulaError

        if isinstance(error, FormulaError):
            raise pytest.UsageError(str(error)) from None


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Note the claims that an option of pytest keeps out, such as -k."""
    for item in items:
        if isinstance(item, ClaimItem):
            session_of(item.config).deselected.add(item.entry.id)


def refuse_unjudged(config: pytest.Config, items: Sequence[pytest.Item]) -> set[str]:
    """End the session if a claim that is there was not collected, and return the ids of those that were."""
    claims = session_of(config)
    collected = {item.entry.id for item in items if isinstance(item, ClaimItem)}
    with _refusals():
        if claims.refusal is not None:
            raise claims.refusal
        claims.refuse_unjudged(collected, places_of(config, whole=True))
    return collected


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Before all others, see that every claim was collected; after them, keep the selected ones and load them."""
    claims = session_of(config)
    collected = refuse_unjudged(config, items)
    yield
    with _refusals():
        found = [item for item in items if isinstance(item, ClaimItem)]
        claims.refuse_dropped(collected, {item.entry.id for item in found})
        if not found:
            if not items and not collected and not config.getoption("needs") and claims.records:
                claims.begin([])
            return
        wanted = {entry.id for entry in claims.selected([item.entry for item in found])}
        gone = [item for item in found if item.entry.id not in wanted]
        if gone:
            config.hook.pytest_deselected(items=gone)
            dropped = set(gone)
            items[:] = [item for item in items if item not in dropped]
        kept = [item.entry for item in found if item.entry.id in wanted]
        if not kept:
            why = "no claim is of that paper, theme and id at once"
            if config.getoption("lf", False):
                why = "of the claims that failed last, none is of that paper, theme and id; leave out --lf"
            raise SelectionError(f"the selection is empty: {why}")
        # Whoever wants to see what would be run is shown no verdict.
        judges = not config.getoption("collectonly") and not config.getoption("setuponly")
        if judges and not any("benchmark" in getattr(item, "fixturenames", ()) for item in items):
            claims.options.refuse_benchmarks_alone()
        if judges and claims.begin(kept).plan is not None:
            items[:] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Iterator[Any]:
    """Have workers and the journal at hand as long as claims run; note in it that the run came to its end."""
    run = session_of(session.config).run
    items = [item for item in session.items if isinstance(item, ClaimItem)]
    if run is None or not items:
        return (yield)
    from theory.judging.claim_workers import Ahead
    from theory.running import parallel

    option = session.config.getoption
    with ExitStack() as stack:
        try:
            stack.enter_context(parallel.workers(option("backend"), run.config.jobs, option("scheduler")))
            if run.journal is not None and not session.testsfailed:
                run.journal.begin()
                stack.enter_context(parallel.journaled(run.journal))
        except SessionError as error:
            raise pytest.UsageError(str(error)) from None
        collected = {item.entry.id for item in items}
        unknown = [claim for claim in run.unknown if claim.id in collected]
        if _whole_claims_to_workers(session.config, run, len(unknown)):
            run.ahead = Ahead(unknown, run.config, run.alphas)
            stack.callback(run.ahead.close)
        result = yield
        if run.journal is not None and len(run.rows) == len(items):
            run.journal.finish()
    return result


def _whole_claims_to_workers(config: pytest.Config, run: Run, claims: int) -> bool:
    """Whether workers get whole claims: many short ones. Few or long ones are split into blocks of trials instead."""
    return claims > 1 and run.config.jobs > 1 and run.config.effort == "quick" and config.getoption("backend") == "loky"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[Any]:
    """Show how far a claim has come: in place on a terminal, else a line every half minute."""
    if not isinstance(item, ClaimItem):
        return (yield)
    from theory.core import progress

    # Output is captured while an item runs; progress has to get past that.
    capture = item.config.pluginmanager.getplugin("capturemanager")
    uncaptured = capture.global_and_fixture_disabled if capture is not None else nullcontext
    with uncaptured():
        live = sys.stderr.isatty()
    columns = shutil.get_terminal_size().columns - 1
    last = [time.perf_counter()]

    def show(text: str) -> None:
        with uncaptured():
            sys.stderr.write(text)
            sys.stderr.flush()

    def listener(now_at: Progress) -> None:
        now = time.perf_counter()
        if now - last[0] > (0.2 if live else 30.0):
            last[0] = now
            show(f"\r\x1b[K{now_at.drawn(columns)}" if live else f"\n[{now_at.line}]")

    progress.listen(listener)
    try:
        return (yield)
    finally:
        progress.listen(None)
        if live:
            show("\r\x1b[K")


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_timeout_set_timer(item: pytest.Item) -> bool | None:
    """Where pytest-timeout is installed it keeps the time of tests; claims keep their own."""
    return True if isinstance(item, ClaimItem) else None


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_timeout_cancel_timer(item: pytest.Item) -> bool | None:
    """As above."""
    return pytest_timeout_set_timer(item)


def _suite(run: Run) -> Suite:
    """What is known of the run as a whole."""
    from theory.reports.ledger import Suite

    # Installed files stand in an environment, perhaps inside a repository that has nothing to do with them. Claims of a
    # reader's own alone are those of the reader's commit.
    git = ["git", "--git-dir", str(ROOT / ".git"), "--work-tree", str(ROOT)]
    files = [ROOT / claim.file for claim in run.claims.values()]
    if files and not any(file.is_relative_to(ROOT) for file in files):
        git = ["git", "-C", str(files[0].parent)]
    found, moved = (
        subprocess.run([*git, *asked], capture_output=True, text=True, check=False)
        for asked in (("rev-parse", "HEAD"), ("status", "--porcelain", "--untracked-files=no"))
    )
    versions = {name: importlib.metadata.version(name) for name in REPORTED_VERSIONS}
    return Suite(
        version=_version(),
        commit=found.stdout.strip() or "unknown",
        effort=run.config.effort,
        seed=run.config.seed,
        versions={"python": platform.python_version(), **versions},
        threads=run.config.jobs,
        started=run.started.isoformat(timespec="seconds"),
        seconds=time.perf_counter() - run.clock,
        missing=tuple(sorted(set(run.claims) - {row.claim.id for row in run.rows})),
        figures=run.figures,
        dirty=bool(moved.stdout.strip()),
        data=run.config.data.said,
        what_if=_what_if(run),
        selected=run.selected,
        budget=run.chance,
    )


def _what_if(run: Run) -> str:
    """Which formula or sizes the user put in place of the declared ones."""
    from theory.core.seeds import said

    asked = [f"--bound={run.config.bound.text}"] if run.config.bound is not None else []
    return " ".join(asked + ([f"--at {said(run.config.at)}"] if run.config.at else []))


def _version() -> str:
    """The version that the checkout states, or that of the installed package."""
    settings = configparser.ConfigParser()
    if settings.read(ROOT / "setup.cfg"):
        return settings["metadata"]["version"]
    return importlib.metadata.version("lemmata")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the ledger, also of a run that ended early, and say by the exit code that something asked was refused."""
    interrupts = session.config.stash.get(_INTERRUPTS, Interrupts())
    # From here on a signal lets the run write what it has, and end.
    interrupts.too_late = True
    run = session_of(session.config).run
    if run is not None:
        _finish(session, run)
    if interrupts.met and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        session.exitstatus = pytest.ExitCode.INTERRUPTED


def _finish(session: pytest.Session, run: Run) -> None:
    """Write what is known, and set the exit code where something asked was refused or is not as expected."""
    # pytest looks for garbage once more, and the claims are none.
    gc.freeze()
    if run.plan is not None:
        _write_plan(session, run)
    # Where no claim is written yet the ledger lists what is open.
    if not run.rows and run.claims:
        return
    refused = any(row.refused for row in run.rows)
    directory = session.config.getoption("ledger")
    if directory is not None:
        from theory.reports import ledger

        try:
            complete, lost = len(run.rows) == len(run.claims), list[str]()
            paged = not session.config.getoption("no_page")
            plan = _planned(run, lost) if complete and paged else None
            suite = dataclasses.replace(_suite(run), paged=paged)
            written, text = ledger.write(Path(directory), run.rows, suite, run.compared, plan, lost)
            also = ", index.html and needs.html" if complete and paged and not lost else ""
            run.ledger = "; ".join([f"ledger written to {written}, {text.name}{also}", *lost])
        except ledger.LedgerError as error:
            refused, run.ledger = True, f"ERROR: {error}"
    plots = session.config.getoption("plot")
    if plots is not None:
        from theory.reports import ledger, pictures

        entries = ledger.to_json(run.rows, _suite(run))["claims"]
        try:
            drawn, undrawn = pictures.write(Path(plots), entries)
            run.plots = "; ".join([f"{drawn} pictures written to {plots}", *undrawn])
        except pictures.PlotError as error:
            refused, run.plots = True, f"ERROR: {error}"
    if (expected := session.config.getoption("expect")) is not None and run.rows:
        from theory.reports.expected import parse

        as_expected, run.replayed = parse(expected).said_of(run.rows[0])
        if not as_expected and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
    if refused and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        session.exitstatus = pytest.ExitCode.USAGE_ERROR


def _planned(run: Run, lost: list[str]) -> Plan | None:
    """What the premises ask for; nothing, and a word on it in `lost`, where that cannot be told."""
    from theory.core.guard import Failure

    try:
        return run.planned()
    except Exception as error:
        lost.append(f"what the premises ask for is not told: {Failure.of(error).reason}")
        return None


def _write_plan(session: pytest.Session, run: Run) -> None:
    """Write what the premises ask for where a ledger is asked for; a session that judged nothing ended well."""
    from theory.reports import needs_shown
    from theory.reports.ledger import LedgerError

    assert run.plan is not None
    if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK
    directory = session.config.getoption("ledger")
    if directory is not None:
        try:
            run.ledger = f"written to {', '.join(map(str, needs_shown.write(Path(directory), run.plan)))}"
        except OSError as error:
            raise LedgerError(f"--ledger: nothing can be written to {directory}: {error.strerror}") from None


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, exitstatus: pytest.ExitCode, config: pytest.Config
) -> None:
    """The ledger: a table, the story when one claim is looked into, and the files."""
    run = session_of(config).run
    write = terminalreporter.write_line
    if run is None and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and not terminalreporter.stats:
        write("no claim stands there; write @lemma(...) or @claim(...) above a function in a file test_....py")
    if run is not None and run.journal is not None and run.journal.begun:
        write(run.journal.summary)
    if run is not None and run.plan is not None:
        from theory.reports import needs_shown

        terminalreporter.section("needs")
        for line in [*run.config.data.report, *needs_shown.table(run.plan), run.ledger]:
            write(line)
    if run is None or (not run.rows and run.claims):
        return
    from theory.reports import report

    uncaptured = config.getoption("verbose") > 0 or config.getoption("capture", "no") == "no"
    if config.getoption("story") or (config.getoption("claim") and uncaptured):
        for row in run.rows:
            terminalreporter.section(row.claim.id)
            for line in report.story(row):
                write(line)
    terminalreporter.section("ledger")
    if run.rows:
        told = [*report.table(run.rows, terminalreporter._tw.fullwidth), *report.summary(run.rows)]
        told.append(f"the false-alarm budget of {run.budget}")
    else:
        told = [line for paper in session_of(config).records for line in report.listed(paper)]
    for line in [*run.config.data.report, *told]:
        write(line)
    for line in session_of(config).set_aside:
        write(f"nothing is asked of a file that cannot be accepted: {line}")
    for line in (run.replayed, run.ledger, run.plots):
        if line:
            write(line)

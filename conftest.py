"""The pytest surface: options, the Hypothesis profile, one test item per claim, the ledger at the end."""

from __future__ import annotations

import configparser
import datetime
import hashlib
import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from theory import ledger, parallel, profile, progress, registry, report
from theory.ahead import Ahead
from theory.budget import FALSE_ALARM_BUDGET, shares
from theory.claim import Claim, ClaimError
from theory.journal import Journal, JournalError, fingerprint, recorded_run
from theory.judge import Row, judge
from theory.regime import EFFORTS
from theory.run import RunConfig
from theory.seeds import canonical
from theory.selection import SelectionError, nearest, parse_at, select

ROOT = Path(__file__).parent
JOURNAL = ROOT / ".lemmata" / "journal.jsonl"
REPORTED_VERSIONS = ("numpy", "scipy", "sympy", "numba", "hypothesis", "pytest", "joblib", "python-flint")

hypothesis.settings.load_profile(profile.NAME)


@dataclass
class ClaimRun:
    """State of the claims in one pytest session."""

    config: RunConfig = field(default_factory=RunConfig)
    selected: dict[str, Claim] = field(default_factory=dict)
    alphas: dict[str, float] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    data_report: list[str] = field(default_factory=list)
    journal: Journal | None = None
    ahead: Ahead | None = None
    started: datetime.datetime = field(default_factory=lambda: datetime.datetime.now(datetime.UTC))
    clock: float = field(default_factory=time.perf_counter)


RUN = pytest.StashKey[ClaimRun]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the claims."""
    group = parser.getgroup("lemmata", "claims")
    group.addoption("--paper", action="append", default=[], metavar="KEY", help="only claims of this paper")
    group.addoption("--theme", action="append", default=[], metavar="NAME", help="only claims on this theme")
    group.addoption("--claim", action="append", default=[], metavar="ID", help="only this claim; patterns allowed")
    group.addoption("--effort", default="quick", metavar="LEVEL", help="quick (default), thorough or nightly")
    group.addoption("--bound", default=None, metavar="FORMULA", help="what if the bound of --claim were this?")
    group.addoption("--at", default="", metavar="M=V,...", help="fix symbols, as in m=4096,L=3")
    group.addoption("--data", default=None, metavar="SET", help="digits, iris, wine, breast_cancer, FILE.npz, FILE.csv")
    group.addoption("--seed", default="0", metavar="N", help="root of all randomness, or 'fresh' (default 0)")
    group.addoption("--ledger", default=None, metavar="DIR", help="write ledger.json and ledger.md there")
    group.addoption("--jobs", default="1", metavar="N", help="worker processes (default 1)")
    group.addoption("--backend", default="loky", metavar="NAME", help="where trials run: loky (default), dask or ray")
    group.addoption("--scheduler", default=None, metavar="ADDRESS", help="dask scheduler, instead of a local cluster")
    group.addoption("--journal", default=None, metavar="FILE", help="where thorough and nightly runs note their blocks")
    group.addoption("--resume", action="store_true", help="go on with the run of the journal")


def _runs_claims(config: pytest.Config) -> bool:
    """Whether this session is about the claims, not only about unit tests or benchmarks."""
    places = [Path(str(argument).split("::")[0]).resolve() for argument in config.args]
    claims = ROOT / "properties"
    return any(claims.is_relative_to(place) or place.is_relative_to(claims) for place in places)


def _count(name: str, text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        raise pytest.UsageError(f"--{name}: {text!r} is no integer; write a number from {least} up") from None
    if number < least:
        raise pytest.UsageError(f"--{name}: {number} is too small; write a number from {least} up")
    return number


def _configure_run(config: pytest.Config) -> ClaimRun:
    """Load all claims and read the options, refusing with one line what makes no sense."""
    from bounds.parse import FormulaError
    from bounds.premise import smallest
    from nets.data import describe
    from nets.points import SphereSource

    option = config.getoption
    if option("effort") not in EFFORTS:
        raise pytest.UsageError(f"--effort: no level {option('effort')!r}; {nearest(option('effort'), EFFORTS)}")
    if option("backend") not in parallel.BACKENDS:
        raise pytest.UsageError(f"--backend: no {option('backend')!r}; {nearest(option('backend'), parallel.BACKENDS)}")
    if option("scheduler") and option("backend") != "dask":
        raise pytest.UsageError("--scheduler: only dask has one; add --backend dask")
    journal = _journal_file(config)
    jobs = _count("jobs", option("jobs"), 1)
    run = ClaimRun()
    try:
        seed = _seed(option("seed"), journal if option("resume") else None)
        # The user's data are read first: a bad file is told at once, before the claims and their kernels load.
        user = _user_data(option("data"))
        everything = registry.load_claims()
        selected = select(everything, option("claim"), option("paper"), option("theme"))
        if option("data") and not option("claim"):
            selected = [claim for claim in selected if claim.takes_data]
        if user is not None and not any(claim.takes_data for claim in selected):
            raise SelectionError("--data: no selected claim is about training points; leave --data or --claim out")
        at = parse_at(option("at"), selected)
        bound = _what_if(option("bound"), selected)
    except (ClaimError, SelectionError, FormulaError, JournalError) as error:
        raise pytest.UsageError(str(error)) from None
    run.config = RunConfig(
        effort=option("effort"),
        seed=seed,
        jobs=jobs,
        at=at,
        bound=bound,
        data=SphereSource(),
        user_data=user,
        user_symbols={"d": user.d, "phi": user.separation} if user is not None else {},
        user_rows=user.n if user is not None else 0,
        smallest=smallest,
    )
    run.data_report = describe(user) if user is not None else []
    run.selected = {claim.id: claim for claim in selected}
    run.alphas = shares(everything)
    if journal is not None and not option("collectonly"):
        try:
            run.journal = Journal(journal, _what_results_depend_on(run, option("bound")), option("resume"))
        except JournalError as error:
            raise pytest.UsageError(str(error)) from None
        config.add_cleanup(run.journal.close)
    return run


def _journal_file(config: pytest.Config) -> Path | None:
    """Where the journal of this run stands, if it keeps one."""
    effort, given = config.getoption("effort"), config.getoption("journal")
    if effort != "quick":
        return JOURNAL if given is None else Path(given)
    for name in ("resume", "journal"):
        if config.getoption(name):
            raise pytest.UsageError(
                f"--{name}: a run at quick effort keeps no journal; add --effort thorough or nightly"
            )
    return None


def _seed(text: str, resumed: Path | None) -> int:
    """The seed of --seed; a run that goes on with a fresh one has that of its journal."""
    if text != "fresh":
        return _count("seed", text, 0)
    if resumed is not None and resumed.exists():
        return int(recorded_run(resumed)["seed"])
    return int.from_bytes(os.urandom(4), "big")


def _what_results_depend_on(run: ClaimRun, bound: str | None) -> dict[str, Any]:
    """The first line of the journal: a run that differs in any of this cannot go on with it."""
    config, data = run.config, run.config.user_data
    ids = " ".join(sorted(run.selected))
    return {
        "effort": config.effort,
        "seed": config.seed,
        "at": canonical(config.at),
        "bound": bound or "",
        "data": "" if data is None else _digest(data.X.tobytes() + data.y.tobytes()),
        "claims": f"{len(run.selected)} with digest {_digest(ids.encode())}",
        **fingerprint(ROOT),
    }


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _user_data(spec: str | None) -> Any:
    """The data set of --data, or nothing."""
    from nets.data import load
    from nets.sphere import DataError

    if spec is None:
        return None
    try:
        return load(spec)
    except DataError as error:
        raise pytest.UsageError(f"--data: {error}") from None


def _what_if(text: str | None, selected: list[Claim]) -> Any:
    """The formula of --bound, which is about exactly one claim."""
    from bounds.bound import Bound
    from bounds.parse import parse_formula

    if text is None:
        return None
    if len(selected) != 1:
        raise SelectionError(f"--bound: {len(selected)} claims are selected; name one with --claim ID")
    (claim,) = selected
    return Bound(parse_formula(text, claim.names), constants=dict(claim.bound.constants))


def pytest_collection(session: pytest.Session) -> None:
    """Prepare the claims before anything is collected."""
    if _runs_claims(session.config):
        session.config.stash[RUN] = _configure_run(session.config)


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Iterator[Any]:
    """Have workers and the journal at hand as long as claims run; note in it that the run came to its end."""
    run = session.config.stash.get(RUN, None)
    items = [item.claim for item in session.items if isinstance(item, ClaimItem)]
    claims = len(items)
    if run is None or claims == 0 or session.config.getoption("collectonly"):
        return (yield)
    option = session.config.getoption
    with ExitStack() as stack:
        try:
            stack.enter_context(parallel.workers(option("backend"), run.config.jobs, option("scheduler")))
            if run.journal is not None and not session.testsfailed:
                run.journal.begin()
                stack.enter_context(parallel.journaled(run.journal))
        except (parallel.BackendError, JournalError) as error:
            raise pytest.UsageError(str(error)) from None
        if _whole_claims_to_workers(session.config, run, claims):
            run.ahead = Ahead(items, run.config, run.alphas)
        result = yield
        if run.journal is not None and len(run.rows) == claims:
            run.journal.finish()
    return result


def _whole_claims_to_workers(config: pytest.Config, run: ClaimRun, claims: int) -> bool:
    """Whether workers get whole claims: many short ones. Few or long ones are split into blocks of trials instead."""
    return claims > 1 and run.config.jobs > 1 and run.config.effort == "quick" and config.getoption("backend") == "loky"


class ClaimItem(pytest.Item):
    """One claim with its controls."""

    claim: Claim

    def runtest(self) -> None:
        """Judge the claim; fail when it misses its expected verdict or a control survives."""
        run = self.config.stash[RUN]
        try:
            if run.ahead is None:
                row = judge(self.claim, run.config, run.alphas[self.claim.id])
            else:
                row = run.ahead.row(self.claim)
        except (JournalError, parallel.BackendError) as error:
            pytest.exit(str(error), returncode=pytest.ExitCode.USAGE_ERROR)
        run.rows.append(row)
        if not row.ok:
            raise ClaimFailure(row.complaint)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """One line for a verdict; a traceback for anything else."""
        if isinstance(excinfo.value, ClaimFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the claim stands, and its id."""
        return self.path, self.claim.line, self.claim.id


class ClaimFailure(Exception):  # noqa: N818 - it is an outcome, as pytest calls it
    """A claim did not meet its expected verdict."""


def pytest_pycollect_makeitem(collector: pytest.Module, name: str, obj: object) -> pytest.Item | None:
    """Turn a claim block into a test item."""
    if not isinstance(obj, Claim) or obj.function.__module__ != collector.obj.__name__:
        return None
    item: ClaimItem = ClaimItem.from_parent(collector, name=obj.id)
    item.claim = obj
    return item


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the selected claims."""
    run = config.stash.get(RUN, None)
    if run is None:
        return
    gone = [item for item in items if isinstance(item, ClaimItem) and item.claim.id not in run.selected]
    if gone:
        config.hook.pytest_deselected(items=gone)
        items[:] = [item for item in items if item not in gone]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[Any]:
    """Show how far a claim has come: in place on a terminal, else a line every half minute."""
    if not isinstance(item, ClaimItem):
        return (yield)
    # Output is captured while an item runs; progress has to get past that.
    uncaptured = item.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled
    with uncaptured():
        live = sys.stderr.isatty()
    columns = shutil.get_terminal_size().columns - 1
    last = [time.perf_counter()]

    def show(text: str) -> None:
        with uncaptured():
            sys.stderr.write(text)
            sys.stderr.flush()

    def listener(now_at: progress.Progress) -> None:
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


def pytest_report_header(config: pytest.Config) -> list[str]:
    """The budget and the conditions of the run."""
    return [f"lemmata: effort {config.getoption('effort')}, false-alarm budget {FALSE_ALARM_BUDGET:g}"]


def _suite(run: ClaimRun) -> ledger.Suite:
    """What is known of the run as a whole."""
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg")
    found = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    versions = {name: importlib.metadata.version(name) for name in REPORTED_VERSIONS}
    return ledger.Suite(
        version=settings["metadata"]["version"],
        commit=found.stdout.strip() or "unknown",
        effort=run.config.effort,
        seed=run.config.seed,
        versions={"python": platform.python_version(), **versions},
        threads=run.config.jobs,
        started=run.started.isoformat(timespec="seconds"),
        seconds=time.perf_counter() - run.clock,
    )


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The ledger: a table, the story when one claim is looked into, and the files."""
    run = config.stash.get(RUN, None)
    write = terminalreporter.write_line
    if run is not None and run.journal is not None and run.journal.begun:
        write(run.journal.summary)
    if run is None or not run.rows:
        return
    if config.getoption("claim") and (config.getoption("verbose") > 0 or config.getoption("capture") == "no"):
        for row in run.rows:
            terminalreporter.section(row.claim.id)
            for line in report.story(row):
                write(line)
    terminalreporter.section("ledger")
    for line in [
        *run.data_report,
        *report.table(run.rows, terminalreporter._tw.fullwidth),
        *report.summary(run.rows),
    ]:
        write(line)
    directory = config.getoption("ledger")
    if directory is not None:
        ledger.write(Path(directory), run.rows, _suite(run))
        write(f"ledger written to {Path(directory) / 'ledger.json'} and ledger.md")

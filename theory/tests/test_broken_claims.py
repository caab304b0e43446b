"""Claims whose code is broken, in every way: each has a row that says so, the same row wherever it is judged."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from theory.claims.block import Claim
from theory.core import guard
from theory.core.verdict import Verdict
from theory.judging.claim_workers import Ahead
from theory.judging.judge import Row, judge
from theory.reports import ledger, report
from theory.running.config import RunConfig
from theory.running.parallel import workers
from theory.tests.fakes import ALPHA, for_workers, without_times

MODULE = """
import itertools
import math
import os
import sys
import threading
import time
import warnings

import numpy as np
import pytest

from theory.core import guard
from theory.claims import claim, control
from theory.evidence import Search, Trials
from theory.core.measured import Measured
from theory.claims.regime import Regime
from theory.tests.fakes import ONE, formula

guard.SETTLE = 0.1
COUNTER = itertools.count()
SHARED = dict(title="t", kind="probability", theme="activation", source="s", regime=Regime(cells=[{"m": 4}]))
PLANS = {"search": Search(examples=20), "trials": Trials(rate=0.3, budget=200)}
NEVER = control("a bound nothing meets", bound=formula(lambda: 1e-9, "1e-9"))


def exiting():
    sys.exit(3)


def overflowing():
    return float(np.exp(np.float64(1000.0)))


def warning():
    warnings.warn("take care", UserWarning)
    return 0.5


def raising():
    raise ArithmeticError("no number\\nand more")


class Own(BaseException):
    pass


def raising_its_own():
    raise Own("mine")


class Leaving:
    def __del__(self):
        raising()


def finalised():
    Leaving()
    return 0.5


def finalised_in_a_cycle():
    leaving = Leaving()
    leaving.itself = leaving
    return 0.5


def unclosed():
    open(os.devnull)
    return 0.5


def in_thread(target, wait=True):
    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    if wait:
        thread.join()
    return 0.5


def interrupting():
    raise KeyboardInterrupt


def exiting_unless_caught():
    try:
        os._exit(0)
    except BaseException:
        return 0.5


def forking():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return 0.5


WAYS = {
    "none": lambda: None,
    "complex": lambda: 0.5 + 0.1j,
    "string": lambda: "a half",
    "nan": lambda: math.nan,
    "infinite": lambda: math.inf,
    "empty": lambda: np.array([]),
    "object": lambda: Measured(object()),
    "negative-error": lambda: Measured(0.5, error=-1.0),
    "exception": raising,
    "base-exception": raising_its_own,
    "warning": warning,
    "overflow": overflowing,
    "skip": lambda: pytest.skip("not today"),
    "xfail": lambda: pytest.xfail("it is known"),
    "importorskip": lambda: pytest.importorskip("no_such_module"),
    "exit": exiting,
    "assume": lambda: __import__("hypothesis").assume(False),
    "finaliser": finalised,
    "cycle": finalised_in_a_cycle,
    "unclosed": unclosed,
    "thread": lambda: in_thread(raising),
    "warning-thread": lambda: in_thread(warning),
    "exit-thread": lambda: in_thread(lambda: os._exit(0)),
    "thread-left": lambda: in_thread(lambda: time.sleep(5.0), wait=False),
    "interrupt": interrupting,
    "process-exit": lambda: os._exit(0),
    "process-exit-caught": exiting_unless_caught,
    "abort": lambda: os.abort(),
    "other-program": lambda: os.execl("/bin/true", "true"),
    "healthy": lambda: 0.5,
    "healthy-thread": lambda: in_thread(sys.exit),
    "healthy-child": forking,
}


def declare(name, kind):
    def measure(rng, m, *, way=name):
        # Not in the first trial, so that several blocks fail and the first of them is told.
        return WAYS[way]() if kind == "search" or rng.random() < 0.1 else 0.5 * rng.random()

    claim(f"toy:{name}", variant=kind, bound=ONE, evidence=PLANS[kind], controls=[NEVER], **SHARED)(measure)


for name in WAYS:
    for kind in PLANS:
        declare(name, kind)


@claim("toy:impure", bound=formula(lambda: 10.0**9), evidence=PLANS["search"], controls=[NEVER], **SHARED)
def impure(rng, m):
    return float(next(COUNTER))


BROKEN = [control(name, way=name) for name in ("exception", "skip", "warning")]
WRONG = [NEVER, *BROKEN, control("again", bound=NEVER.bound)]


@claim("toy:control", bound=ONE, evidence=PLANS["search"], controls=WRONG, **SHARED)
def healthy_but_for_its_controls(rng, m, *, way="healthy"):
    return WAYS[way]()
"""

SUITE = ledger.Suite(version="0", commit="0", effort="quick", seed=0)

# Ways of which a row says more than `error`.
TOLD = {
    "none": "MeasurementError: its function returned nothing",
    "complex": "MeasurementError: a measurement is complex",
    "string": "MeasurementError: a measurement is a text",
    "negative-error": "MeasurementError: the error of a measurement is -1",
    "empty": "ValueError: a measurement is empty",
    "object": "MeasurementError: a measurement is of type object",
    "exception": "ArithmeticError: no number (line ",
    "base-exception": "Own: mine (line ",
    "warning": "UserWarning: take care (line ",
    "overflow": "RuntimeWarning: overflow encountered in exp (line ",
    "skip": "Skipped: not today (line ",
    "xfail": "XFailed: it is known (line ",
    "importorskip": "Skipped: could not import 'no_such_module'",
    "exit": "SystemExit: 3 (line ",
    "assume": "",
    "finaliser": "ArithmeticError: no number (line ",
    "cycle": "ArithmeticError: no number (line ",
    "unclosed": "ResourceWarning: unclosed file <_io.TextIOWrapper name='/dev/null'",
    "thread": "ArithmeticError: no number (line ",
    "warning-thread": "UserWarning: take care (line ",
    "exit-thread": "ProcessExitError: os._exit(0) (line ",
    "thread-left": "its function left a thread running; join it before the function returns",
    "interrupt": "KeyboardInterrupt (line ",
    "process-exit": "ProcessExitError: os._exit(0) (line ",
    "process-exit-caught": "ProcessExitError: os._exit(0) (line ",
    "abort": "ProcessExitError: os.abort()",
    "other-program": "ProcessExitError: os.execv('/bin/true', ('true',)) (line ",
}
# Where it was raised, of those that no code could catch.
NOWHERE = {
    "finaliser": "in a finaliser or callback",
    "cycle": "in a finaliser or callback",
    "unclosed": "in a finaliser or callback",
    "thread": "in a thread",
    "warning-thread": "in a thread",
}
HEALTHY = {
    f"toy:{way}-{kind}" for way in ("healthy", "healthy-thread", "healthy-child") for kind in ("search", "trials")
}


@pytest.fixture(scope="module")
def claims(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Claim]]:
    """The broken claims, where workers find them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(guard, "SETTLE", guard.SETTLE)
        with for_workers(tmp_path_factory.mktemp("broken"), patch, MODULE) as found:
            yield found


@pytest.fixture(scope="module")
def rows(claims: list[Claim]) -> dict[str, Row]:
    """Their rows, judged in this process while every warning is ignored."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {made.id: judge(made, RunConfig(), ALPHA) for made in claims}


def written(rows: Any) -> dict[str, str]:
    """The rows as the ledger has them, without times."""
    return {row.claim.id: json.dumps(without_times(ledger.to_json([row], SUITE)["claims"])) for row in rows}


def test_only_the_healthy_claims_pass(rows: dict[str, Row]) -> None:
    assert {name for name, row in rows.items() if row.ok} == HEALTHY
    assert {name for name, row in rows.items() if row.evidence.verdict.is_pass} == HEALTHY | {"toy:control"}


@pytest.mark.parametrize("way", TOLD)
def test_what_was_raised_is_told_in_one_line(way: str, rows: dict[str, Row]) -> None:
    for kind in ("search", "trials"):
        row = rows[f"toy:{way}-{kind}"]
        assert row.verdict is Verdict.ERROR
        assert row.error.startswith(TOLD[way]), row.error
        assert row.error.endswith(NOWHERE.get(way, "")), row.error
        assert len(row.error.splitlines()) == 1
        assert row.complaint == f"{row.claim.id}: error: {row.error}"
        assert [c.refuted for c in row.controls] == [False]
        assert row.expected is row.claim.expected


def test_numbers_that_are_none_and_an_impure_function_are_undecided(rows: dict[str, Row]) -> None:
    for way in ("nan", "infinite"):
        assert {rows[f"toy:{way}-{kind}"].verdict for kind in ("search", "trials")} == {Verdict.UNDECIDED}
    assert rows["toy:impure"].verdict is Verdict.UNDECIDED


def test_a_control_that_raises_is_named_and_not_refuted_and_the_others_are_judged(rows: dict[str, Row]) -> None:
    row = rows["toy:control"]
    assert row.verdict is Verdict.ERROR
    assert row.error.startswith("control 'exception': ArithmeticError: no number (line ")
    assert [c.refuted for c in row.controls] == [True, False, False, False, True]
    reasons = [c.failure.reason for c in row.controls if c.failure is not None]
    assert [reason.split("'")[1] for reason in reasons] == ["exception", "skip", "warning"]


def test_the_rows_are_the_same_in_workers(claims: list[Claim], rows: dict[str, Row]) -> None:
    """Whole claims in workers, and then trials in blocks, where several blocks of a claim fail."""
    ahead = Ahead(claims, RunConfig(jobs=2), dict.fromkeys(rows, ALPHA))
    assert written(ahead.row(made) for made in claims) == written(rows.values())
    in_blocks = [made for made in claims if made.id.endswith("-trials")]
    with workers("loky", 2):
        found = written(judge(made, RunConfig(jobs=2), ALPHA) for made in in_blocks)
    assert found == {name: text for name, text in written(rows.values()).items() if name.endswith("-trials")}


@pytest.mark.at_night
def test_the_rows_are_the_same_on_a_cluster(claims: list[Claim], rows: dict[str, Row]) -> None:
    pytest.importorskip("distributed", reason="dask is not installed: pip install -e '.[cluster]'")
    in_blocks = [made for made in claims if made.id.endswith("-trials")]
    with workers("dask", 2):
        found = written(judge(made, RunConfig(jobs=2), ALPHA) for made in in_blocks)
    assert found == {name: text for name, text in written(rows.values()).items() if name.endswith("-trials")}


def test_ledger_and_terminal_tell_the_errors(rows: dict[str, Row]) -> None:
    found = ledger.to_json(list(rows.values()), SUITE)
    jsonschema.validate(found, json.loads(ledger.SCHEMA_FILE.read_text()))
    (entry,) = [entry for entry in found["claims"] if entry["id"] == "toy:skip-search"]
    assert (entry["verdict"], entry["ok"], entry["cells"]) == ("error", False, [])
    assert entry["error"].startswith("Skipped: not today")
    page = ledger.to_markdown(list(rows.values()), SUITE)
    line, *_ = [line for line in page.splitlines() if line.startswith("| `toy:skip-search` |")]
    assert re.search(r"\| error \*\*\(unexpected\)\*\* \| empty .* \| nothing \| 0/1 \|$", line)
    assert re.search(r"^- `toy:skip-search`: Skipped: not today", page, re.M)
    lines = report.table(list(rows.values()), 120)
    assert any(re.match(r"toy:skip-search .* error !  .* 0/1 +\d+\.\ds?\+", line) for line in lines)
    told = report.summary(list(rows.values()))
    assert re.search(r"\d+ error", told[0])
    assert any(line.startswith("toy:skip-search has no result: Skipped: not today") for line in told)
    story = "\n".join(report.story(rows["toy:exception-search"]))
    assert "error      ArithmeticError: no number (line " in story
    assert "in raising" in story

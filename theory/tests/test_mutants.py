"""Wrong variants put in the place of code that claims run: who notices, and what no claim runs."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from theory import mutants, registry
from theory.block import Claim
from theory.mutants import NOBODY, UNIT_TESTS, MutantError, count, find, in_children, replaced, table, try_out, unrun
from theory.tests.fakes import ALPHA, FakePremise, declared


class Wrong(NamedTuple):
    """A declared variant."""

    function: str
    name: str
    wrong: Callable[[Any], Any]


@dataclass(frozen=True)
class Rod:
    """A length, its half and its double."""

    length: float

    @property
    def half(self) -> float:
        """Half of it."""
        return self.length / 2.0

    def double(self) -> float:
        """Twice it."""
        return 2.0 * self.length

    @functools.cached_property
    def square(self) -> float:
        """The square of it."""
        return self.length**2


def _half(x: float) -> float:
    return x / 2.0


def _unused(x: float) -> float:
    return x


SHORT = FakePremise(lambda m: m < 10, "m < 10")


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module with functions and a class, and a second one that has one of them by another name."""
    module, other = ModuleType("toy_kernels"), ModuleType("toy_user")
    module.__dict__.update(half=_half, unused=_unused, Rod=Rod, SHORT=(SHORT,))
    other.__dict__.update(divided=_half)
    monkeypatch.setitem(sys.modules, "toy_kernels", module)
    monkeypatch.setitem(sys.modules, "toy_user", other)
    return module


@pytest.fixture
def claims(kernels: ModuleType) -> Iterator[dict[str, Claim]]:
    """One that judges what the function gives, one that runs it and does not look, one that runs none."""

    def judging(m: int) -> float:
        return float(sys.modules["toy_user"].divided(2.0))

    def blind(m: int) -> float:
        return min(float(kernels.half(1.0)), 0.75)

    def apart(m: int) -> float:
        return 0.5

    with ExitStack() as stack:
        made = [
            stack.enter_context(declared(function, variant=function.__name__, premises=[SHORT] if at == 2 else []))
            for at, function in enumerate((judging, blind, apart))
        ]
        yield {claim.id: claim for claim in made}


PATHS = ("toy_kernels.half", "toy_kernels.unused", "toy_kernels.SHORT")
ALPHAS = dict.fromkeys(("toy:statement-judging", "toy:statement-blind", "toy:statement-apart"), ALPHA)
QUADRUPLE = Wrong("toy_kernels.half", "doubled", lambda true: lambda x: 2.0 * x)


def test_a_path_leads_to_functions_methods_properties_fields_and_to_how_a_class_is_made(kernels: ModuleType) -> None:
    rod = Rod(3.0)
    assert find("toy_kernels.half")[2] is _half
    assert [find(f"toy_kernels.Rod.{name}")[2](rod) for name in ("half", "double", "square", "length")] == [
        1.5,
        6,
        9,
        3,
    ]
    assert find("toy_kernels.Rod") == (Rod, "__init__", Rod.__init__)
    for path in ("toy_kernels.none", "nowhere.at.all", "toy_kernels.Rod.width"):
        with pytest.raises(MutantError, match=f"{path} names nothing that can be replaced"):
            find(path)


def test_a_variant_stands_wherever_the_true_one_stood_and_no_longer(kernels: ModuleType) -> None:
    with replaced("toy_kernels.half", lambda true: lambda x: 7.0 * true(x)):
        assert (kernels.half(2.0), sys.modules["toy_user"].divided(2.0)) == (7.0, 7.0)
    assert kernels.half is sys.modules["toy_user"].divided is _half


@pytest.mark.parametrize(("name", "true"), [("half", 1.5), ("length", 3.0), ("square", 9.0)])
def test_what_is_read_off_an_instance_is_replaced_for_old_and_new_ones(
    kernels: ModuleType, name: str, true: float
) -> None:
    old = Rod(3.0)
    with replaced(f"toy_kernels.Rod.{name}", lambda read: lambda rod: 10.0 * read(rod)):
        assert getattr(old, name) == getattr(Rod(3.0), name) == 10.0 * true
    assert getattr(old, name) == getattr(Rod(3.0), name) == true


def test_calls_are_counted_for_each_claim_and_premises_for_those_that_have_them(claims: dict[str, Claim]) -> None:
    met = {call.claim: call.counts for call in count(list(claims.values()), PATHS, ALPHAS)}
    assert met["toy:statement-judging"].keys() == met["toy:statement-blind"].keys() == {"toy_kernels.half"}
    assert met["toy:statement-apart"] == {"toy_kernels.SHORT": 1}


def test_a_definition_that_no_claim_runs_is_listed(claims: dict[str, Claim]) -> None:
    calls = count(list(claims.values()), PATHS, ALPHAS)
    named = {path: [f"toy:{path}"] for path in PATHS}
    assert unrun(calls, named) == {"toy_kernels.unused": ["toy:toy_kernels.unused"]}
    assert "no claim runs toy_kernels.unused, which covers toy:toy_kernels.unused" in table([], calls, named)


def test_the_claim_that_looks_notices_and_the_one_that_does_not_is_passed_over(claims: dict[str, Claim]) -> None:
    calls = count(list(claims.values()), PATHS, ALPHAS)
    found = try_out(QUADRUPLE, claims, calls, ALPHAS, every=True)
    assert found.noticed == {"toy:statement-judging": "refuted"}
    assert (found.judged, found.running, found.failed, found.otherwise) == (2, 2, (), "")
    assert try_out(QUADRUPLE, claims, calls, ALPHAS).by == "toy:statement-judging (refuted)"


def test_a_claim_that_raises_has_no_verdict_and_does_not_notice(claims: dict[str, Claim]) -> None:
    calls = [call for call in count(list(claims.values()), PATHS, ALPHAS) if call.claim.endswith("blind")]
    found = try_out(Wrong("toy_kernels.half", "none", lambda true: lambda x: None), claims, calls, ALPHAS)
    assert (found.noticed, found.failed, found.by) == ({}, ("toy:statement-blind",), NOBODY)


def test_what_unit_tests_alone_notice_is_told_apart_from_what_nobody_does(
    claims: dict[str, Claim], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = [call for call in count(list(claims.values()), PATHS, ALPHAS) if call.claim.endswith("blind")]
    monkeypatch.setattr(mutants, "_pass", lambda tests: False)
    seen = try_out(QUADRUPLE, claims, calls, ALPHAS, tests=[Path("test_half.py")])
    missed = try_out(QUADRUPLE._replace(wrong=lambda true: lambda x: true(x)), claims, calls, ALPHAS)
    assert (seen.by, missed.by) == (UNIT_TESTS, NOBODY)
    lines = table([seen, missed], calls, {})
    assert "toy_kernels.half                                  1       2  100%" in lines
    assert lines[-1] == "0 of 2 mutants noticed by claims, 1 by unit tests alone"


def test_tasks_end_in_children_that_leave_nothing_behind() -> None:
    kept: list[int] = []

    def task(number: int) -> int:
        kept.append(number)
        return 10 * number + len(kept)

    assert dict(in_children([functools.partial(task, number) for number in range(3)], 2)) == {0: 1, 1: 11, 2: 21}
    assert kept == []


def test_a_run_counts_judges_and_writes_its_report(
    claims: dict[str, Claim], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    declaring = ModuleType("toy_mutants")
    declaring.__dict__.update(MUTANTS=(QUADRUPLE,))
    monkeypatch.setitem(sys.modules, "toy_mutants", declaring)
    monkeypatch.setattr(mutants, "DECLARED", "toy_mutants")
    monkeypatch.setattr(mutants, "definitions", lambda: {"toy_kernels.half": ["toy:half"]})
    monkeypatch.setattr(registry, "load_claims", lambda: list(claims.values()))
    assert mutants.main(["--output", str(tmp_path), "--jobs", "1"]) == 0
    report = json.loads((tmp_path / "mutants.json").read_text())
    assert report["mutants"][0]["noticed"] == {"toy:statement-judging": "refuted"}
    assert report["not run"] == {}
    assert "1 of 1 mutants noticed by claims, 0 by unit tests alone" in capsys.readouterr().out
    monkeypatch.setattr(mutants, "definitions", lambda: {"toy_kernels.unused": ["toy:unused"]})
    assert mutants.main(["--output", str(tmp_path)]) == 1
    assert mutants.main(["--only", "toy_kernels.unused"]) == mutants.main(["--jobs", "0"]) == 2
    said = capsys.readouterr().err
    assert "error: toy_kernels.unused has no mutants; choose among toy_kernels.half" in said
    assert "error: --jobs 0; give one or more" in said


def test_unit_tests_are_those_that_say_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "room" / "tests"
    folder.mkdir(parents=True)
    (folder / "test_thing.py").write_text("from room.thing import make\n")
    (folder / "test_other.py").write_text("from room.thing import makes\n")
    (folder / "test_mutants.py").write_text("from room.thing import make\n")
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    assert mutants.tests_of("room.thing.make") == [folder / "test_thing.py"]

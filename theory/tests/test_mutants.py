"""Wrong variants put in the place of code that claims run: who notices, and what no claim runs."""

from __future__ import annotations

import functools
import json
import multiprocessing
import os
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from theory.claims import registry
from theory.claims.block import Claim
from theory.tests.fakes import ALPHA, FakePremise, declared
from theory.upkeep import mutants
from theory.upkeep.mutants import (
    NOBODY,
    UNIT_TESTS,
    Calls,
    MutantError,
    Outcome,
    count,
    find,
    forget,
    in_workers,
    replaced,
    table,
    try_out,
    unrun,
)


class Wrong(NamedTuple):
    """A declared variant."""

    function: str
    name: str
    wrong: Callable[[Any], Any]
    signal: bool = True


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


def test_code_that_covers_a_definition_is_such_as_claims_can_be_seen_to_run() -> None:
    """A formula is not: claims hold what was built from it while they were loaded."""
    sheets = {path: ids for path, ids in mutants.definitions().items() if path.startswith("bounds.papers.")}
    for path, ids in sheets.items():
        assert not hasattr(pkgutil.resolve_name(path), "expr"), (path, ids)


def test_the_claim_that_looks_notices_and_the_one_that_does_not_is_passed_over(claims: dict[str, Claim]) -> None:
    calls = count(list(claims.values()), PATHS, ALPHAS)
    found = try_out(QUADRUPLE, claims, calls, ALPHAS)
    assert found.noticed == {"toy:statement-judging": "refuted"}
    assert (found.judged, found.running, found.failed, found.otherwise) == (2, 2, (), "")
    assert (found.number, found.by, found.by_one_alone) == ("1", "toy:statement-judging (refuted)", True)


def test_a_mutant_is_left_once_enough_claims_have_noticed_and_the_table_says_at_least(claims: dict[str, Claim]) -> None:
    # The claim that looks is the quicker one.
    calls = [Calls(id, {"toy_kernels.half": 1}, float(id.endswith("blind")), "") for id in sorted(claims)[1:]]
    found = try_out(QUADRUPLE, claims, calls, ALPHAS, enough=1)
    assert (list(found.noticed), found.judged, found.running) == (["toy:statement-judging"], 1, 2)
    assert (found.number, found.by_one_alone) == (">= 1", False)
    lines = table([found], calls, {})
    assert lines[1].split()[-7:] == ["2", "1", "0", ">=", "1", "toy:statement-judging", "(refuted)"]
    assert not any(line.startswith("by one claim") for line in lines)
    assert lines[-1].endswith("by 1 claims at least, by >= 1 in the median")


def test_as_many_of_each_paper_may_be_asked_for_and_the_table_names_those_with_fewer(claims: dict[str, Claim]) -> None:
    other = {name: replace(claims[name], paper="other") for name in ("toy:statement-blind", "toy:statement-apart")}
    both = {"toy:statement-judging": claims["toy:statement-judging"], **other}
    calls = [Calls(name, {"toy_kernels.half": 1}, 0.0, "") for name in both]
    found = try_out(QUADRUPLE, both, calls, ALPHAS, enough=1, in_each_paper=True)
    assert (list(found.noticed), found.judged, found.scarce) == (["toy:statement-judging"], 3, ("other",))
    assert "by too few claims of other: toy_kernels.half: doubled" in table([found], calls, {})
    assert try_out(QUADRUPLE, both, calls, ALPHAS, enough=1).scarce == ()


def test_the_table_counts_those_who_notice_and_names_what_one_claim_alone_notices() -> None:
    def noticed(number: int) -> Outcome:
        ids = {f"toy:{at}": "refuted" for at in range(number)}
        return Outcome("toy_kernels.half", f"slip {number}", ids, 6, 6, (), "", 1.0, 1.0)

    lines = table([noticed(number) for number in (1, 2, 5)], [], {})
    assert [line.split()[3:7] for line in lines[1:4]] == [
        ["6", "6", "0", "1"],
        ["6", "6", "0", "2"],
        ["6", "6", "0", "5"],
    ]
    assert lines[3].endswith("toy:0 (refuted), toy:1 (refuted), 3 more")
    assert [line for line in lines if line.startswith("by one claim")] == [
        "by one claim of 6: toy_kernels.half: slip 1: toy:0 (refuted)"
    ]
    assert lines[-1].endswith("; by 1 claims at least, by 2 in the median")


def test_a_claim_has_ten_times_as_long_as_with_the_true_code_and_then_no_verdict(
    claims: dict[str, Claim], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mutants, "LEAST", 0.0)

    def endless(true: Callable[[float], float]) -> Callable[[float], float]:
        def called(x: float) -> float:
            while True:
                x = true(x)

        return called

    calls = [Calls("toy:statement-judging", {"toy_kernels.half": 1}, 0.02, "")]
    found = try_out(Wrong("toy_kernels.half", "endless", endless), claims, calls, ALPHAS)
    assert (found.noticed, found.failed, found.number) == ({}, ("toy:statement-judging",), "0")
    assert 0.2 <= found.seconds < 5.0


def test_a_result_that_a_cache_keeps_hides_no_call_and_no_mutant(
    claims: dict[str, Claim], kernels: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = sys.modules["toy_user"]
    keeping = functools.cache(lambda x: kernels.half(x))
    user.__dict__.update(divided=keeping)
    monkeypatch.setattr(mutants, "MEASURING", ("toy_user",))
    assert keeping(2.0) == 1.0
    calls = count([claims["toy:statement-judging"]] * 2, PATHS, ALPHAS)
    assert [call.counts.keys() for call in calls] == [{"toy_kernels.half"}] * 2
    assert try_out(QUADRUPLE, claims, calls[:1], ALPHAS).noticed == {"toy:statement-judging": "refuted"}
    forget()
    assert keeping.cache_info().currsize == 0


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
    # Of a function that no claim calls, unit tests are all there is.
    uncalled = try_out(QUADRUPLE, claims, [], ALPHAS, tests=[Path("test_half.py")])
    assert [outcome.is_seen for outcome in (seen, missed, uncalled)] == [False, False, True]
    lines = table([seen, missed], calls, {})
    assert "toy_kernels.half                                  1       2  100%" in lines
    assert lines[-1].startswith("0 of 2 mutants noticed by claims, 1 by unit tests alone; by 0 claims")


def test_tasks_find_what_their_worker_has_done_and_leave_nothing_behind() -> None:
    kept: list[int] = []
    told: list[int] = []

    def part(number: int) -> int:
        kept.append(number)
        return number

    def task(number: int, total: int) -> tuple[int, int, int]:
        kept.append(number)
        return number, total, len(kept)

    parts = [functools.partial(part, number) for number in (3, 4)]
    found = in_workers(parts, lambda sums: [functools.partial(task, at, sum(sums)) for at in range(5)], told.append)
    assert dict(found) == {at: (at, 7, 2) for at in range(5)}
    assert kept == []
    assert sorted(told) == [3, 4]


def test_a_lost_process_is_told_and_the_others_end() -> None:
    def none() -> int:
        return 0

    def lost() -> int:
        os._exit(3)

    with pytest.raises(MutantError, match="the process of task 1 was lost; run it alone"):
        list(in_workers([none, none], lambda _: [lost], lambda _: None))
    with pytest.raises(MutantError, match="the process that counts was lost"):
        list(in_workers([none, lost], lambda _: [none], lambda _: None))
    assert multiprocessing.active_children() == []


def toy_mutants(monkeypatch: pytest.MonkeyPatch, *wrong: Any) -> ModuleType:
    """A module that declares these mutants and no others, in place of those of the project."""
    declaring = ModuleType("toy_mutants")
    declaring.__dict__.update(MUTANTS=wrong)
    monkeypatch.setitem(sys.modules, "toy_mutants", declaring)
    monkeypatch.setattr(mutants, "DECLARED", "toy_mutants")
    return declaring


def test_a_run_counts_judges_and_writes_its_report(
    claims: dict[str, Claim], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    declaring = toy_mutants(monkeypatch, QUADRUPLE)
    monkeypatch.setattr(mutants, "definitions", lambda: {"toy_kernels.half": ["toy:half"]})
    monkeypatch.setattr(registry, "load_claims", lambda: list(claims.values()))
    assert mutants.main(["--output", str(tmp_path), "--jobs", "1"]) == 0
    report = json.loads((tmp_path / "mutants.json").read_text())
    assert report["mutants"][0]["noticed"] == {"toy:statement-judging": "refuted"}
    assert report["not run"] == {}
    said = capsys.readouterr().out
    assert "1 of 1 mutants noticed by claims, 0 by unit tests alone; by 1 claims at least, by 1 in the median" in said
    assert "by one claim of 2: toy_kernels.half: doubled: toy:statement-judging (refuted)" in said
    monkeypatch.setattr(mutants, "definitions", lambda: {"toy_kernels.unused": ["toy:unused"]})
    no_number = Wrong("toy_kernels.half", "no number", lambda true: lambda x: float("nan"))  # both notice it
    declaring.__dict__.update(MUTANTS=(no_number,))
    assert mutants.main(["--output", str(tmp_path), "--enough", "1"]) == 1
    assert json.loads((tmp_path / "mutants.json").read_text())["mutants"][0]["judged"] == 1
    assert mutants.main(["--only", "toy_kernels.unused"]) == mutants.main(["--jobs", "0"]) == 2
    assert mutants.main(["--enough", "-1"]) == 2
    said = capsys.readouterr().err
    assert "error: toy_kernels.unused has no mutants; choose among toy_kernels.half" in said
    assert "error: --jobs 0; give one or more" in said
    assert "error: --enough -1; give 0 or more" in said


def test_unit_tests_are_those_that_say_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "room" / "tests"
    folder.mkdir(parents=True)
    (folder / "test_thing.py").write_text("from room.thing import make\n")
    (folder / "test_other.py").write_text("from room.thing import makes\n")
    (folder / "test_mutants.py").write_text("from room.thing import make\n")
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    assert mutants.tests_of("room.thing.make") == [folder / "test_thing.py"]


def test_a_claim_that_passes_with_every_wrong_gate_that_it_meets_is_told_apart(claims: dict[str, Claim]) -> None:
    calls = count(list(claims.values()), PATHS, ALPHAS)
    beside = Wrong("toy_kernels.half", "no gate", lambda true: lambda x: 9.0 * x, signal=False)
    both = [QUADRUPLE, beside]
    outcomes = [try_out(mutant, claims, calls, ALPHAS) for mutant in both]
    found = mutants.heard(both, outcomes, calls)
    assert {name: dict(counts) for name, counts in found.items()} == {
        "toy:statement-judging": {"met": 1, "tried": 1, "noticed": 1},
        "toy:statement-blind": {"met": 1, "tried": 1, "noticed": 0},
        "toy:statement-apart": {"met": 0, "tried": 0, "noticed": 0},
    }
    assert mutants.silent_lines(found) == [
        "toy:statement-blind passes with each of 1 wrong gradients and gates",
        "1 of 2 claims notice no wrong gradient and no wrong gate that they meet",
    ]


def test_what_a_claim_was_not_shown_because_enough_had_noticed_it_is_asked_by_itself(
    claims: dict[str, Claim], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Both notice the second, of which the blind one, asked last, is not shown any.
    toy_mutants(monkeypatch, QUADRUPLE, Wrong("toy_kernels.half", "far", lambda true: lambda x: float("nan")))
    monkeypatch.setattr(mutants, "definitions", lambda: {"toy_kernels.half": ["toy:half"]})
    monkeypatch.setattr(registry, "load_claims", lambda: list(claims.values()))
    monkeypatch.setattr(mutants, "digests", lambda those, _: {claim.id: "now" for claim in those})
    record = tmp_path / "noticed.json"
    options = ["--output", str(tmp_path), "--jobs", "1", "--enough", "1", "--record", str(record)]
    assert mutants.main(options) == 0
    told = json.loads(record.read_text())["claims"]
    assert {name: entry["met"] for name, entry in told.items()} == {
        "toy:statement-apart": 0,
        "toy:statement-blind": 2,
        "toy:statement-judging": 2,
    }
    assert min(told[name]["noticed"] for name in ("toy:statement-blind", "toy:statement-judging")) >= 1
    assert mutants.main([*options, "--only", "toy_kernels.half"]) == 2


def test_what_a_record_lacks_or_has_of_other_code_is_asked_alone_and_the_rest_stays(
    claims: dict[str, Claim], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    toy_mutants(monkeypatch, QUADRUPLE)
    monkeypatch.setattr(registry, "load_claims", lambda: list(claims.values()))
    monkeypatch.setattr(mutants, "digests", lambda those, _: {claim.id: "now" for claim in those})
    apart, blind, judging = sorted(claims)
    record = tmp_path / "noticed.json"
    before = {apart: {"met": 7, "noticed": 3, "of": "now"}, blind: {"met": 7, "noticed": 3, "of": "before"}, "gone": {}}
    record.write_text(json.dumps({"claims": before}))
    assert mutants.main(["--missing", "--claim", judging, "--jobs", "1", "--record", str(record)]) == 0
    assert json.loads(record.read_text())["claims"] == {
        apart: before[apart],
        blind: before[blind],
        judging: {"met": 1, "noticed": 1, "of": "now"},
    }
    record.write_text(json.dumps({"claims": before}))
    assert mutants.main(["--missing", "--jobs", "1", "--record", str(record)]) == 0
    assert json.loads(record.read_text())["claims"] == {
        apart: {"met": 7, "noticed": 3, "of": "now"},
        blind: {"met": 1, "noticed": 0, "of": "now"},
        judging: {"met": 1, "noticed": 1, "of": "now"},
    }
    assert mutants.main(["--missing", "--record", str(record)]) == 0
    assert "0 claims asked" in capsys.readouterr().out
    assert mutants.main(["--missing"]) == 2
    assert mutants.main(["--claim", judging]) == 2
    assert mutants.main(["--missing", "--claim", "toy:nothing", "--record", str(record)]) == 2
    assert "no claim 'toy:nothing'" in capsys.readouterr().err


BLOCK = """
from theory.claims import lemma
from nets.toy import half


@lemma("toy2020 Lemma 1", "1", m=4)
def measured(m):
    '''Half of a number.'''
    return half(m) / m
"""


def test_a_digest_is_of_the_block_what_it_reaches_and_the_wrong_variants(tmp_path: Path) -> None:
    (tmp_path / "properties").mkdir()
    (tmp_path / "nets").mkdir()
    (tmp_path / "properties" / "test_toy.py").write_text(BLOCK)
    (tmp_path / "nets" / "toy.py").write_text("def half(m):\n    return m / 2\n")
    line = BLOCK.splitlines().index("def measured(m):") + 1
    with declared(lambda m: 0.5) as made:
        block = replace(made, file=str(tmp_path / "properties" / "test_toy.py"), line=line)

    def digest(*wrong: Wrong) -> str:
        return mutants.digests([block], wrong, tmp_path)[block.id]

    plain = digest(QUADRUPLE)
    assert plain
    assert plain == digest(QUADRUPLE)
    assert plain != digest(QUADRUPLE._replace(name="another"))
    assert plain == digest(QUADRUPLE, QUADRUPLE._replace(signal=False))
    (tmp_path / "nets" / "toy.py").write_text("def half(m):\n    return m / 3\n")
    assert plain != digest(QUADRUPLE)


def test_asking_ends_with_the_first_that_is_noticed(claims: dict[str, Claim]) -> None:
    less = Wrong("toy_kernels.half", "less", lambda true: lambda x: 0.5 * true(x))
    judging = claims["toy:statement-judging"]
    assert mutants.ask(judging, [less, QUADRUPLE, QUADRUPLE], ALPHA, 0.1) == (2, True)
    assert mutants.ask(judging, [less], ALPHA, 0.1) == (1, False)

"""Which configurations run on a machine and why others do not, and that a difference in any of them is red."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from theory.reports import errata, rounded
from theory.tests.test_agreement import ledger, row
from theory.upkeep import portability
from theory.upkeep.portability import (
    KERNELS,
    NUMBA,
    NUMPY,
    OPENBLAS,
    REFERENCE,
    SAME_MACHINE,
    Configuration,
    Machine,
    Outcome,
    PortabilityError,
    configurations,
    inspect_machine,
    main,
    unit_results,
)

LEDGER = ledger({**row("toy:a", 0.5), "ok": True}, {**row("toy:b", 0.25), "ok": True})

# Two copies of OpenBLAS, of which the second knows no Zen, on a processor of the Haswell generation.
HASWELL = Machine(
    frozenset({"SSE42", "AVX2"}),
    ("AVX2", "FMA3"),
    {
        "": ("Haswell", "Haswell"),
        "Nehalem": ("Nehalem", "Nehalem"),
        "Haswell": ("Haswell", "Haswell"),
        "Zen": ("Zen", "Haswell"),
        "SkylakeX": (),
    },
)


def reasons(machine: Machine) -> dict[str, str]:
    return {configuration.name: configuration.why_not for configuration in configurations(machine)}


def test_what_is_not_run_is_listed_with_the_reason() -> None:
    assert reasons(HASWELL) == {
        REFERENCE: "",
        "Nehalem": "",
        "Haswell": "OpenBLAS then runs as under the reference",
        "Zen": "",
        "SkylakeX": "this processor lacks AVX512_SKX",
        "plain numpy": "",
        "generic numba": "",
        SAME_MACHINE: "",
    }


def test_another_library_and_a_processor_without_features_leave_the_reference_and_numba() -> None:
    bare = Machine(frozenset(), (), dict.fromkeys(("", *KERNELS), ()))
    found = reasons(bare)
    assert [name for name, why_not in found.items() if not why_not] == [REFERENCE, "generic numba", SAME_MACHINE]
    assert found["Zen"] == "numpy and scipy do not use OpenBLAS"
    assert found["plain numpy"] == "numpy dispatches on no feature of this processor"


def test_a_kernel_that_ends_the_process_is_not_run() -> None:
    broken = Machine(HASWELL.features, (), {**HASWELL.kernels, "Zen": ()})
    assert reasons(broken)["Zen"] == "a product of matrices ends the process"


def test_each_configuration_changes_one_setting() -> None:
    settings = {c.name: dict(c.environment) for c in configurations(HASWELL)}
    assert settings[REFERENCE] == {}
    assert settings["Zen"] == {OPENBLAS: "Zen"}
    assert settings["plain numpy"] == {NUMPY: "AVX2 FMA3"}
    assert settings["generic numba"] == {NUMBA: "generic"}


def test_settings_of_the_caller_do_not_reach_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (OPENBLAS, NUMPY, NUMBA):
        monkeypatch.setenv(name, "of the caller")
    found = portability.environment({NUMBA: "generic"})
    assert (found.get(OPENBLAS), found.get(NUMPY), found[NUMBA]) == (None, None, "generic")


def test_this_machine_is_asked_and_numpy_accepts_the_answer() -> None:
    machine = inspect_machine()
    assert set(machine.kernels) == {"", *KERNELS}
    assert set(machine.dispatched) <= machine.features
    plain = next(c for c in configurations(machine) if c.name == "plain numpy")
    if not plain.why_not:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", portability.PROBE],
            env={**os.environ, **plain.environment},
            capture_output=True,
            text=True,
            check=True,
        )
        assert not set(json.loads(done.stdout)["features"]) & set(machine.dispatched)


def test_a_machine_that_cannot_be_asked_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portability, "PROBE", "raise SystemExit(1)")
    with pytest.raises(PortabilityError, match="install the suite first"):
        inspect_machine()


REPORT = """<testsuites><testsuite>
<testcase classname="a.test_b" name="good"/>
<testcase classname="a.test_b" name="bad"><failure message="no"/></testcase>
<testcase classname="a.test_b" name="worse"><error message="no"/></testcase>
<testcase classname="a.test_b" name="left_out"><skipped message="no"/></testcase>
</testsuite></testsuites>"""


def test_failures_and_errors_of_unit_tests_are_named(tmp_path: Path) -> None:
    path = tmp_path / "unit.xml"
    assert unit_results(path) == (0, ("pytest left no unit.xml",))
    path.write_text(REPORT)
    assert unit_results(path) == (1, ("a.test_b::bad", "a.test_b::worse"))


class Runs:
    """Stands in for the real runs: all pass, but for what is said of one configuration."""

    def __init__(self, where: str = "", **changes: Any) -> None:
        self.where, self.changes = where, changes
        self.ran: list[str] = []

    def __call__(self, configuration: Configuration, output: Path, jobs: int) -> Outcome:
        self.ran.append(configuration.name)
        outcome: dict[str, Any] = {"passed": 9, "failed": (), "ledger": LEDGER, "minutes": 2.0}
        if configuration.name == self.where:
            outcome |= self.changes
        return Outcome(configuration.name, **outcome)


def test_all_that_runs_here_is_run_the_reference_first(capsys: pytest.CaptureFixture[str]) -> None:
    runs = Runs()
    assert main([], lambda: HASWELL, runs) == 0
    assert runs.ran == [REFERENCE, "Nehalem", "Zen", "plain numpy", "generic numba", SAME_MACHINE]
    said = capsys.readouterr().out
    assert "SkylakeX: not run: this processor lacks AVX512_SKX\n" in said
    assert "the same verdicts under all configurations" in said


def test_some_can_be_chosen_and_others_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    runs = Runs()
    assert main(["--only", "Zen"], lambda: HASWELL, runs) == 0
    assert runs.ran == [REFERENCE, "Zen"]
    assert main(["--only", "zen"], lambda: HASWELL, runs) == 2
    assert main(["--jobs", "0"], lambda: HASWELL, runs) == 2
    assert "--only: no configuration 'zen'; choose among no setting, Nehalem" in capsys.readouterr().err


def other_ledger(**changes: Any) -> dict[str, Any]:
    """The ledger with changes to its first row."""
    other = copy.deepcopy(LEDGER)
    other["claims"][0].update(changes)
    return other


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"failed": ("a::b",)}, "Zen: unit test failed: a::b"),
        ({"passed": 0}, "Zen: no unit test passed"),
        ({"ledger": None}, "Zen: the claims left no ledger"),
        ({"ledger": other_ledger(ok=False)}, "Zen: toy:a: not as expected"),
        ({"ledger": other_ledger(verdict="refuted")}, "Zen: toy:a: verdict holds and refuted"),
        ({"ledger": other_ledger(cells=row("toy:a", 0.6)["cells"])}, "Zen: toy:a: ratio 0.5 and 0.6"),
        ({"ledger": ledger(LEDGER["claims"][1])}, "Zen: toy:a: only in the first ledger"),
        ({"page": "ERRATA.md, line 7, depends on rounding"}, "Zen: ERRATA.md, line 7, depends on rounding"),
        ({"replays": ("error: toy:a is not replayed alone: 2",)}, "Zen: error: toy:a is not replayed alone: 2"),
    ],
)
def test_a_difference_in_one_configuration_is_red_and_said(
    changes: dict[str, Any], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([], lambda: HASWELL, Runs("Zen", **changes)) == 1
    lines = capsys.readouterr().out.splitlines()
    assert said in lines
    assert next(line for line in lines if line.startswith("Zen  ")).split("failed")[1].split()[0] == "no"
    assert next(line for line in lines if line.startswith("Nehalem  ")).split("failed")[1].split()[0] == "yes"


def test_another_hash_seed_leaves_everything_equal_but_times(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], lambda: HASWELL, Runs(SAME_MACHINE, ledger=other_ledger(seconds=9.0))) == 0
    assert main([], lambda: HASWELL, Runs("Zen", ledger=other_ledger(title="other"))) == 0
    assert main([], lambda: HASWELL, Runs(SAME_MACHINE, ledger=other_ledger(title="other"))) == 1
    assert f"{SAME_MACHINE}: /claims/0/title: only in the second ledger" in capsys.readouterr().out


def test_a_reference_without_ledger_is_no_pass() -> None:
    assert main([], lambda: HASWELL, Runs(REFERENCE, ledger=None)) == 1


CONFTEST = """
import json, os, pathlib

def pytest_addoption(parser):
    parser.addoption("--ledger")
    parser.addoption("--jobs")

def pytest_sessionfinish(session):
    if session.config.option.ledger:
        found = {"claims": [], "numba": os.environ.get("NUMBA_CPU_NAME"), "jobs": session.config.option.jobs}
        pathlib.Path(session.config.option.ledger, "ledger.json").write_text(json.dumps(found))
"""


def test_rows_are_replayed_bit_by_bit_and_those_of_the_reference_as_near_as_processors_leave_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def replayed(command: list[str], **given: Any) -> subprocess.CompletedProcess[str]:
        asked.append(command[3:])
        assert given["env"] == {"of": "it"}
        return subprocess.CompletedProcess(command, 1, "", "error: toy:a" if "--near" in command else "")

    monkeypatch.setattr(subprocess, "run", replayed)
    ledgers = [portability.folder(tmp_path, name) / "ledger.json" for name in (REFERENCE, "Zen")]
    for file in ledgers:
        file.parent.mkdir()
        file.write_text("{}")
    said = [portability._replays(file, {"of": "it"}, file.parent) for file in ledgers]
    ended = [f"error: the replays of {file} ended with 1" for file in ledgers]
    assert said == [(ended[0],), (ended[1], "error: toy:a")]
    first, second = ([str(file), "--sample", str(portability.SAMPLE)] for file in ledgers)
    assert asked == [first, second, [*first, "--near"]]


def test_the_rows_of_the_readme_and_the_lines_are_asked_about_under_each_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = (errata, "fault"), (errata, "quoted_fault"), (rounded, "lines_fault")
    for told in range(3):
        for place, (module, name) in enumerate(asked):
            monkeypatch.setattr(module, name, lambda *given, said="wrong" * (place == told): said)
        assert portability._page({}, tmp_path) == "wrong"


def test_a_run_takes_the_results_of_its_own_processes_and_keeps_their_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, output = tmp_path / "checkout", tmp_path / "output"
    monkeypatch.setattr(portability, "ROOT", root)
    monkeypatch.setattr(portability, "UNIT_TESTS", ("unit",))
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:lemmata")  # the conftest below stands for it
    (root / "unit").mkdir(parents=True)
    (root / "setup.cfg").write_text("[tool:pytest]\n")
    (root / "conftest.py").write_text(CONFTEST)
    (root / "unit" / "test_one.py").write_text("def test_good(): pass\ndef test_bad(): assert 1 == 2\n")
    output.mkdir()
    (output / "ledger.json").write_text("of an earlier run")
    outcome = portability.run(Configuration("generic", {NUMBA: "generic"}), output, 3)
    assert outcome.ledger == {"claims": [], "numba": "generic", "jobs": "3"}
    assert (outcome.passed, outcome.failed) == (1, ("unit.test_one::test_bad",))
    assert "assert 1 == 2" in (output / "unit.log").read_text()
    assert (output / "claims.log").exists()

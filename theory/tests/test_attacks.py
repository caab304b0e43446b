"""A corpus of careless and hostile blocks, and what must come out of each: with one worker, with two, from the wheel.

Each file of `attacks` has one block. Those that load are judged together, so that one that loses the run loses all. By
day the two workers are those of the wheel, which differ from those of the checkout in their imports alone.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from theory.claims import registry
from theory.core.refusal import ClaimError
from theory.tests.conftest import AT_NIGHT, Installed
from theory.tests.test_plugin import PLUGIN, environment
from theory.tests.test_plugin import run as run_in_one_process

ATTACKS = Path(__file__).parent / "attacks"

# By file: the verdict, and a part of what the row says; what is sound has no word, and of `FALSE` the verdict says all.
JUDGED = {
    "boasting_scale": ("undecided", "less than is known"),
    "cached_draw": ("undecided", "as one trial drawn once would"),
    "closing_streams": ("holds", ""),
    "complex_number": ("error", "a measurement is complex"),
    "constant_steps": ("undecided", "not about the bound"),
    "counting": ("undecided", "the measurement is not pure"),
    "deep_calls": ("error", "RecursionError"),
    "emoji_title": ("holds", ""),
    "emptying": ("holds", ""),
    "exiting": ("error", "os._exit(0)"),
    "false_claim": ("refuted", ""),
    "false_trials": ("refuted", ""),
    "forking": ("holds", ""),
    "huge_sizes": ("holds", ""),
    "interrupting": ("error", "KeyboardInterrupt"),
    "jittered_trial": ("undecided", "as one trial drawn once would"),
    "lost_bound": ("undecided", "less than is known"),
    "lost_number": ("undecided", "less than is known"),
    "mixed": ("holds", ""),
    "no_numbers": ("error", "a measurement is empty"),
    "no_steps": ("error", "a proof returns a list of steps"),
    "not_a_number": ("undecided", "not a finite number"),
    "nothing": ("error", "its function returned nothing"),
    "one_trial": ("undecided", "as one trial drawn once would"),
    "open_relation": ("undecided", "a comparison is not decided"),
    "other_count": ("error", "it measures 3 numbers"),
    "overlapping_balls": ("undecided", "certainly_le"),
    "own_alarm": ("error", "a claim set an alarm of its own"),
    "recursion_limit": ("holds", ""),
    "replaced_constant": ("error", "it measures C as 100"),
    "replaced_derived": ("error", "it measures k as 1000"),
    "replaced_symbol": ("error", "it measures m as 1000"),
    "reused_array": ("supported", ""),
    "seeding": ("holds", ""),
    "skipping": ("error", "not now"),
    "survivor": ("holds", ""),
    "threading_on": ("error", "left a thread running"),
    "warning": ("error", "beware"),
    "wrong_ball": ("error", "contradicts its value"),
    "yielding": ("error", "of type generator"),
}
SOUND = {name for name, (verdict, _) in JUDGED.items() if verdict in ("holds", "supported")} - {"survivor"}
REFUSED = {
    "a_class": "no function but a type",
    "beyond_limit": "it takes m <= n",
    "empty_range": "write the smaller of two finite numbers first",
    "escaped_control": "its control 1 has the character '\\x9b'",
    "escaped_note": "its note has the character '\\x1b'",
    "half_a_letter": "its title has the character '\\ud800'",
    "half_size": "outside the domain of m",
    "idle_control": "changes nothing",
    "listed_size": "is no number",
    "named_e": "it has a symbol 'E'",
    "named_pi": "it has a symbol 'pi'",
    "negative_budget": "is no number of trials",
    "negative_examples": "is no number of examples",
    "negative_size": "outside the domain of m",
    "no_cell": "4 is no cell",
    "no_formula": "only named functions have a place in a formula",
    "no_rate": "is not between 0 and 1",
    "no_regime": "its regime is of kind dict",
    "no_size": "is not finite",
    "no_strategy": "phi=3 cannot be drawn",
    "nul_name": "its id has the character '\\x00'",
    "other_limit": "give k there",
    "size_twice": "two cells of its regime are",
    "terminal": "its title has the character '\\x1b'",
    "true_size": "m=True in a cell",
    "turned_title": "its title has the character '\\u202e'",
    "undefined_derived": "have no value at m=4",
    "weighty": "it has a keyword 'weight'",
    "word_size": "is no number",
}


# Those that run out of time whatever they do to their alarm, and the numbers of workers with which they are stopped:
# compiled code that does not return is ended with its worker, `GRACE` seconds later, and what it had measured is gone.
OVERDUE = {"blocked_alarm": (1, 2), "waiting": (1, 2), "endless_in_c": (2,)}
# Their limit, of which a cell takes a hundredth where what it needs is loaded with the file, and seconds of grace here:
# enough for a worker to load that, and then to be stopped by the other ways, which are `LATE` behind the limit.
SECONDS_OVERDUE = 1
LOADED = "\nfrom theory.core import profile  # and with it Hypothesis\n"
GRACE_HERE = "from theory.judging import claim_workers\n\nclaim_workers.GRACE = 12.0\n"


# What comes out of trials in the processes of a cluster: of those above, and of blocks about these processes alone.
ON_A_CLUSTER = {
    **{name: JUDGED[name] for name in ("false_claim", "one_trial", "skipping")},
    "killed_trials": ("error", "its worker was killed"),
    "leaving_trials": ("error", "SystemExit: 0"),
    "seeding_trials": ("supported", ""),
    "unsent_error": ("error", "UnsentError: 4 with a lock"),
    "unsent_number": ("error", "of type function"),
    "unsent_scalar": ("supported", ""),
    "unwoven_trials": ("error", "left a thread running"),
    "worker_trials": ("supported", ""),
}
# Those that may take all the time that there is, which is these seconds each: at night.
SECONDS_OF_A_LONG_ONE = 15
LONG_ON_A_CLUSTER = {
    "alarmed_trials": ("error", ""),
    "ended_trials": ("error", ""),
    "exiting_trials": ("error", ""),
    "hanging_trials": ("error", "no result within"),
    "stuck_trials": ("error", "no result within"),
}
# A fork of a process with threads may hang or not, and comes out as it comes out; it loses no other.
OPEN_ON_A_CLUSTER = {"forking_trials"}


@dataclass(frozen=True)
class Place:
    """Where claims are judged: the options that bring them, the process, and how a file imports."""

    plugin: list[str]
    variables: dict[str, str]
    installed: bool

    def copied(self, name: str, folder: Path) -> Path:
        """The file of an attack, with the imports of a reader where the suite is installed."""
        text = (ATTACKS / f"{name}.py").read_text(encoding="utf-8")
        if self.installed:
            text = re.sub("from (theory.claims|theory.evidence|bounds.bound|bounds.symbols) ", "from lemmata ", text)
        file = folder / f"test_{name}.py"
        file.write_text(text, encoding="utf-8")
        return file

    def run(self, folder: Path, *asked: str) -> subprocess.CompletedProcess[str]:
        """A run of pytest there."""
        command = [sys.executable, "-m", "pytest", *self.plugin, *asked]
        # Into files, as a child that an attack leaves behind would keep a pipe open.
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            done = subprocess.run(
                command, cwd=folder, env=self.variables, stdout=out, stderr=err, text=True, timeout=500, check=False
            )
            said = [(stream.seek(0), stream.read())[1] for stream in (out, err)]
        return subprocess.CompletedProcess(command, done.returncode, *said)


def test_every_attack_has_its_outcome() -> None:
    on_a_cluster = {*ON_A_CLUSTER, *LONG_ON_A_CLUSTER, *OPEN_ON_A_CLUSTER}
    found = {file.stem for file in ATTACKS.glob("*.py")} - {"__init__"}
    assert found == {*JUDGED, *REFUSED, *OVERDUE, *on_a_cluster}


def place(request: pytest.FixtureRequest, kind: str) -> Place:
    if kind == "checkout":
        return Place(PLUGIN, environment(), installed=False)
    wheel: Installed = request.getfixturevalue("installed")
    kept = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    return Place(["-p", "lemmata"], kept | {"PYTHONPATH": str(wheel.site)}, installed=True)


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(("checkout", "1"), id="one worker"),
        pytest.param(
            ("checkout", "2"),
            id="two workers",
            marks=pytest.mark.skipif(not AT_NIGHT, reason="two workers are those of the wheel: at night"),
        ),
        pytest.param(("wheel", "2"), id="the wheel"),
    ],
)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The rows by file, the exit code and the last words of a run of all that load, and one more of one of them."""
    kind, jobs = request.param
    folder, where = tmp_path_factory.mktemp("attacks"), place(request, kind)
    for name in JUDGED:
        where.copied(name, folder)
    # By day pictures are drawn where the suite is installed, of rows that are the same: half of the time of a run.
    drawn = ["--plot=pictures"] if AT_NIGHT or where.installed else []
    done = where.run(folder, "-q", "--timeout=60", "--ledger=out", *drawn, f"--jobs={jobs}", "-W", "error", ".")
    # A file with a test beside its claim is known from now on without being loaded.
    again = where.run(folder, "-q", f"--jobs={jobs}", "test_mixed.py")
    assert (folder / "out" / "ledger.json").exists(), done.stdout + done.stderr
    ledger = json.loads((folder / "out" / "ledger.json").read_text())
    rows = {row["id"].removeprefix("toy:").replace("-", "_"): row for row in ledger["claims"]}
    ran = {"rc": done.returncode, "said": done.stdout, "err": done.stderr, "again": again, "drawn": bool(drawn)}
    return {"rows": rows, "at": folder, **ran}


def test_each_comes_out_as_it_must_and_none_loses_the_others(run: dict[str, Any]) -> None:
    assert {name: row["verdict"] for name, row in run["rows"].items()} == {name: v for name, (v, _) in JUDGED.items()}
    for name, (_, word) in JUDGED.items():
        row = run["rows"][name]
        assert word in " ".join([row["error"], *(cell["remark"] for cell in row["cells"])])
        assert row["ok"] is (name in SOUND), row
    assert run["rc"] == 1
    assert "Traceback" not in run["said"] + run["err"]
    assert f"{len(JUDGED)} claims: " in run["said"]


def test_pages_and_pictures_are_there(run: dict[str, Any]) -> None:
    assert (run["at"] / "out" / "index.html").exists()
    assert (run["at"] / "pictures" / "toy-emoji-title.png").exists() is run["drawn"]


def test_a_file_with_a_test_beside_its_claim_is_judged_again(run: dict[str, Any]) -> None:
    assert run["again"].returncode == 0, run["again"].stdout
    assert "2 passed" in run["again"].stdout


@pytest.fixture(scope="module")
def overdue(tmp_path_factory: pytest.TempPathFactory) -> dict[int, tuple[Path, subprocess.CompletedProcess[str]]]:
    """The folder and the run of `OVERDUE` by the number of workers, side by side, as both wait most of the time."""
    where = Place(PLUGIN, environment(), installed=False)
    folders = {jobs: tmp_path_factory.mktemp("overdue") for jobs in (1, 2)}
    for jobs, folder in folders.items():
        for name in ("false_claim", *(name for name, workers in OVERDUE.items() if jobs in workers)):
            with where.copied(name, folder).open("a", encoding="utf-8") as file:
                file.write(LOADED)
        (folder / "conftest.py").write_text(GRACE_HERE, encoding="utf-8")

    def judged(jobs: int) -> subprocess.CompletedProcess[str]:
        return where.run(folders[jobs], "-q", f"--timeout={SECONDS_OVERDUE}", "--ledger=out", f"--jobs={jobs}", ".")

    with ThreadPoolExecutor() as threads:
        return {jobs: (folders[jobs], done) for jobs, done in zip(folders, threads.map(judged, folders), strict=True)}


@pytest.mark.at_night
@pytest.mark.parametrize("jobs", [1, 2])
def test_time_is_kept_whatever_a_claim_does_to_its_alarm(
    jobs: int, overdue: dict[int, tuple[Path, subprocess.CompletedProcess[str]]]
) -> None:
    folder, done = overdue[jobs]
    asked = [name for name, workers in OVERDUE.items() if jobs in workers]
    rows = {row["id"].removeprefix("toy:").replace("-", "_"): row for row in _rows(folder)}
    assert rows.pop("false_claim")["verdict"] == "refuted"
    assert {name: row["verdict"] for name, row in rows.items()} == dict.fromkeys(asked, "error")
    for name, row in rows.items():
        assert row["error"].startswith(f"no result within {SECONDS_OVERDUE} s")
        assert len(row["cells"]) == (name != "endless_in_c")
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr


def on_a_cluster(backend: str, folder: Path, asked: dict[str, tuple[str, str]], seconds: int, *others: str) -> None:
    """Judge those asked for, and others that come out as they come out, and hold each against what must come out."""
    pytest.importorskip({"dask": "distributed", "ray": "ray"}[backend], reason=f"{backend} is not installed")
    # One loss is enough to be told, and takes a fourth of the time of four.
    where = Place(PLUGIN, environment(DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0"), installed=False)
    for name in (*asked, *others):
        where.copied(name, folder)
    done = where.run(folder, "-q", f"--timeout={seconds}", "--ledger=out", "--jobs=2", f"--backend={backend}", ".")
    assert (folder / "out" / "ledger.json").exists(), done.stdout + done.stderr
    rows = {row["id"].removeprefix("toy:").replace("-", "_"): row for row in _rows(folder)}
    rows = {name: row for name, row in rows.items() if name not in others}
    assert {name: row["verdict"] for name, row in rows.items()} == {name: v for name, (v, _) in asked.items()}
    for name, (_, word) in asked.items():
        assert word in " ".join([rows[name]["error"], *(cell["remark"] for cell in rows[name]["cells"])])
    assert done.returncode == 1


@pytest.mark.at_night
@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_trials_in_the_processes_of_a_cluster_come_out_as_they_must(backend: str, tmp_path: Path) -> None:
    on_a_cluster(backend, tmp_path, ON_A_CLUSTER, 60)


@pytest.mark.skipif(not AT_NIGHT, reason="it waits for processes that do not come back: at night")
@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_processes_of_a_cluster_that_do_not_come_back_lose_no_other_claim(backend: str, tmp_path: Path) -> None:
    asked = LONG_ON_A_CLUSTER | {"false_claim": JUDGED["false_claim"]}
    on_a_cluster(backend, tmp_path, asked, SECONDS_OF_A_LONG_ONE, *OPEN_ON_A_CLUSTER)


def _rows(folder: Path) -> list[Any]:
    return list(json.loads((folder / "out" / "ledger.json").read_text())["claims"])


def test_claims_are_not_passed_over_where_benchmarks_alone_are_asked_for(tmp_path: Path) -> None:
    where = Place(PLUGIN, environment(), installed=False)
    file = where.copied("false_claim", tmp_path)
    (tmp_path / "test_speed.py").write_text("def test_speed(benchmark):\n    benchmark(int)\n", encoding="utf-8")
    alone, beside = run_in_one_process(tmp_path, [["--benchmark-only", name] for name in (file.name, ".")])
    assert (alone[0], "a claim is no benchmark" in alone[1]) == (4, True)
    assert beside[0] == 0, beside[1]
    command = [sys.executable, "-m", "theory.lemmata", "check", "--benchmark-only", "."]
    asked = subprocess.run(command, cwd=tmp_path, env=where.variables, capture_output=True, text=True, check=False)
    assert (asked.returncode, "a claim is no benchmark" in asked.stderr) == (4, True)


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_meant_is_refused_when_it_loads(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / f"test_{name}.py"
    file.write_bytes((ATTACKS / f"{name}.py").read_bytes())
    monkeypatch.setattr(sys, "path", [*sys.path])
    with pytest.raises(ClaimError) as refused:
        registry.load_file(file)
    assert REFUSED[name] in str(refused.value)
    assert all(line.isprintable() for line in str(refused.value).split("\n"))


def test_a_session_refuses_in_one_line_each_that_does_not_load(tmp_path: Path) -> None:
    """One of each kind; what is asked for beside it is another session's."""
    names = ("nul_name", "weighty", "no_cell")
    for name in names:
        (tmp_path / name).mkdir()
        Place(PLUGIN, environment(), installed=False).copied(name, tmp_path / name)
    for name, (code, said) in zip(names, run_in_one_process(tmp_path, [[name] for name in names]), strict=True):
        assert code == 4
        (line,) = (line for line in said.splitlines() if line and not line.startswith("no tests ran in "))
        assert REFUSED[name] in line

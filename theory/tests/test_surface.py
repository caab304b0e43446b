"""The command line as a user meets it: exit codes, one-line refusals, what-if, a reproducible ledger."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from theory.tests.fakes import without_times

ROOT = Path(__file__).resolve().parents[2]
CLAIM = "zou2018:lemma-A.7"
# One claim of each kind of evidence that runs in blocks, so that workers have something to disagree on.
IN_BLOCKS = ("zou2018:lemma-A.10-plane", "zou2018:lemma-B.4-exponent")
A_SEARCH = "zou2018:lemma-C.1"


def _pytest(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


# Runs pytest once for each list of arguments, in one process: loading all claims takes longer than most answers.
IN_ONE_PROCESS = """
import contextlib, gc, io, json, sys
import pytest

outcomes = []
for arguments in json.loads(sys.argv[1]):
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        code = pytest.main(["-q", *arguments])
    outcomes.append([int(code), stream.getvalue()])
    # pytest collects garbage at every end, and the claims are none.
    gc.freeze()
print(json.dumps(outcomes))
"""


def _in_one_process(*runs: tuple[str, ...]) -> list[tuple[int, str]]:
    """Exit code and output of pytest for each of these lists of arguments."""
    done = subprocess.run(
        [sys.executable, "-c", IN_ONE_PROCESS, json.dumps(runs)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [(code, output) for code, output in json.loads(done.stdout.splitlines()[-1])]


def _error(code: int, output: str) -> str:
    """The text after `ERROR:`; the run must have ended with exit code 4."""
    assert code == 4, output
    assert "Traceback" not in output
    assert "INTERNALERROR" not in output
    return output.split("ERROR: ", 1)[1].strip()


# A claim about given training points and their separation.
DATA_CLAIM = "zou2018:lemma-A.4"

NONSENSE = [
    (("--claim", "zou2018:lemma-A7"), "nearest: zou2018:lemma-A.7"),
    (("--paper", "zou2019"), "nearest: zou2018"),
    (("--theme", "seperation"), "nearest: separation"),
    (("--effort", "quik"), "nearest: quick"),
    (("--claim", CLAIM, "--at", "bta=1"), "nearest: beta_"),
    (("--claim", CLAIM, "--at", "m=many"), "m=many is no number"),
    (("--jobs", "0"), "--jobs: 0 is too small"),
    (("--seed", "x"), "--seed: 'x' is no integer"),
    (("--bound", "m"), "name one with --claim ID"),
    (("--data", "digit"), "digits"),
    (("--data", "iris", "--claim", DATA_CLAIM, "--at", "phi=0.9"), "but the points of --data have phi=0.0019"),
    (("--data", "iris", "--claim", DATA_CLAIM, "--at", "d=5"), "but the points of --data have d=4"),
    (("--backend", "dusk"), "nearest: dask"),
    (("--scheduler", "tcp://here:8786"), "add --backend dask"),
    (("--resume",), "a run at quick effort keeps no journal"),
    (("--journal", "file"), "a run at quick effort keeps no journal"),
    (("--effort", "thorough", "--journal", "nowhere", "--resume"), "there is no journal nowhere"),
]
NO_FORMULAS = ["__import__('os')", "m.real", "2*m*bet", "9**9**9**9"]


WHAT_IF = {"m**(3/2)*beta_/2": "refuted", "2*m**(3/2)*beta_": "supported", "2*m*beta_": "refuted"}
JOBS_APART = ("--seed", "5", *(argument for claim in (*IN_BLOCKS, A_SEARCH) for argument in ("--claim", claim)))


@dataclass(frozen=True)
class Runs:
    """Exit codes and outputs of pytest, and the folder of the data files and of the ledgers."""

    folder: Path
    data: list[Path]
    outcomes: dict[str, list[tuple[int, str]]]

    def refusals(self, name: str) -> list[str]:
        """What is said, after `ERROR:`, in each run of that name."""
        return [_error(code, output) for code, output in self.outcomes[name]]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """All runs that need no process of their own."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "data").mkdir()
    data = list(_bad_files(folder / "data").values())
    arguments: dict[str, list[tuple[str, ...]]] = {
        "nonsense": [given for given, _ in NONSENSE],
        "no formula": [("--claim", CLAIM, "--bound", text) for text in NO_FORMULAS],
        "bad data": [(f"--data={path}", f"--ledger={folder / 'none'}") for path in data],
        "what if": [
            ("--claim", CLAIM, "--bound", text, f"--ledger={folder / str(at)}") for at, text in enumerate(WHAT_IF)
        ],
        "once": [("--claim", IN_BLOCKS[0], f"--ledger={folder / 'once'}")],
        "story": [("--claim", CLAIM, "-s")],
        "one job": [(*JOBS_APART, f"--ledger={folder / 'one job'}")],
    }
    found = iter(_in_one_process(*(given for group in arguments.values() for given in group)))
    return Runs(folder, data, {name: [next(found) for _ in group] for name, group in arguments.items()})


def test_nonsense_gets_one_line_with_the_nearest_valid_names(runs: Runs) -> None:
    for message, (arguments, expected) in zip(runs.refusals("nonsense"), NONSENSE, strict=True):
        assert expected in message, arguments
        assert len(message.splitlines()) == 1, arguments


def test_a_formula_that_is_none_is_refused_with_the_piece_underlined(runs: Runs) -> None:
    for message in runs.refusals("no formula"):
        lines = message.splitlines()
        assert len(lines) == 3
        assert set(lines[2].strip()) == {"^"}


def _bad_files(folder: Path) -> dict[str, Path]:
    (folder / "empty.csv").write_text("")
    (folder / "nan.csv").write_text("1,2,0\n3,nan,1\n")
    (folder / "one.csv").write_text("1,2,0\n")
    (folder / "zero.csv").write_text("1,2,0\n0,0,1\n2,1,1\n")
    (folder / "three.csv").write_text("1,2,0\n2,1,1\n1,1,2\n")
    np.savez(folder / "pickled.npz", X=np.array([[object()]]), y=np.array([1]))
    np.savez(folder / "shape.npz", X=np.zeros(3), y=np.array([1, 2, 1]))
    return {path.stem: path for path in folder.iterdir()} | {"missing": folder / "missing.csv"}


def test_a_bad_data_file_gets_one_line_and_nothing_is_written(runs: Runs) -> None:
    for message, path in zip(runs.refusals("bad data"), runs.data, strict=True):
        assert len(message.splitlines()) == 1, path.name
        assert path.name in message
    assert not (runs.folder / "none").exists()


def test_what_if_is_answered_by_the_same_machinery(runs: Runs) -> None:
    for at, (verdict, (code, _)) in enumerate(zip(WHAT_IF.values(), runs.outcomes["what if"], strict=True)):
        (row,) = json.loads((runs.folder / str(at) / "ledger.json").read_text())["claims"]
        assert row["verdict"] == verdict
        assert code == (0 if verdict == "supported" else 1)
        assert all(control["refuted"] for control in row["controls"])


def test_the_story_of_a_claim_has_statement_premises_numbers_and_the_line_that_reproduces_it(runs: Runs) -> None:
    ((code, output),) = runs.outcomes["story"]
    assert code == 0
    for lead in (
        "source",
        "claim",
        "premise",
        "verdict",
        "numbers",
        "power",
        "worst",
        "control",
        "reproduce",
    ):
        assert any(line.startswith(lead) for line in output.splitlines()), lead


def test_one_seed_gives_one_ledger_whatever_the_number_of_jobs(runs: Runs, tmp_path: Path) -> None:
    # Several claims go to workers as a whole, a search among them; one alone goes in blocks (test_parallel).
    _pytest(*JOBS_APART, "--jobs", "2", f"--ledger={tmp_path}")
    ledgers = [
        without_times(json.loads((folder / "ledger.json").read_text()))
        for folder in (runs.folder / "one job", tmp_path)
    ]
    assert ledgers[0] == ledgers[1]
    assert all(row["evidence"]["trials"] > 8 for row in ledgers[0]["claims"])
    assert json.dumps(ledgers[0]) == json.dumps(ledgers[1])


def test_a_replayed_worst_case_measures_the_same_number(runs: Runs, tmp_path: Path) -> None:
    (row,) = json.loads((runs.folder / "once" / "ledger.json").read_text())["claims"]
    worst = max(row["cells"], key=lambda cell: cell["ratio"])
    _pytest("--claim", IN_BLOCKS[0], f"--ledger={tmp_path}", "--at", row["reproduce"].split('"')[1])
    (again,) = json.loads((tmp_path / "ledger.json").read_text())["claims"]
    (cell,) = again["cells"]
    assert (cell["measured"], cell["ratio"], cell["trials"]) == (worst["measured"], worst["ratio"], 1)

"""The command line as a user meets it: exit codes, one-line refusals, what-if, a reproducible ledger."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from theory.claims.sites import block_sites
from theory.reports.ledger import COMPLETE, PARTIAL, PLANNER
from theory.tests.fakes import without_times

pytestmark = pytest.mark.reads_claims_of(
    "chatterji2021/test_initialisation_nets.py",
    "chatterji2021/test_scalar_inequalities.py",
    "zou2018/test_forward_stability_flips.py",
    "zou2018/test_gradient_lower_bound_features.py",
    "zou2018/test_gradient_upper_bound.py",
    "zou2018/test_initialisation.py",
    "zou2018/test_scalar_inequalities.py",
    "zou2018/test_separation.py",
    "zou2018/test_sparse_spectral.py",
)

ROOT = Path(__file__).resolve().parents[2]
CLAIM = "zou2018:lemma-A.7"
# One claim of each kind of evidence that runs in blocks, so that workers have something to disagree on.
IN_BLOCKS = ("zou2018:lemma-A.10-plane", "zou2018:lemma-B.4-exponent")
A_SEARCH = "zou2018:lemma-C.1"
# Its cells name layers.
DEEP = "zou2018:lemma-B.3"
# Its layers are stored.
STORED = "zou2018:fact-gradient"


def _pytest(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
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
    (("--effort", "thorough", "--claim", CLAIM, "--journal", "nowhere", "--resume"), "there is no journal nowhere"),
    (("--effort", "thorough", "--claim", CLAIM, "--journal=/dev/zero"), "--journal: /dev/zero: is no regular file"),
    (
        ("--effort", "thorough", "--seed=fresh", "--resume", "--claim", CLAIM, "--journal=/dev/zero"),
        "is no regular file",
    ),
    (("--claim", CLAIM, "--ledger=/dev/full"), "--ledger: /dev/full is no folder"),
    (("--claim", CLAIM, "--at", "m=0"), "m=0 is no value of m, which is an integer >= 1"),
    (("--claim", CLAIM, "--at", "m=-1"), "m=-1 is no value of m"),
    (("--claim", CLAIM, "--at", "m=64.5"), "m=64.5 is no value of m"),
    (("--claim", CLAIM, "--at", "m=1e30"), "m=1e30 is larger than what is built"),
    (
        ("--claim", DEEP, "--at", "L=1000000000"),
        "L=1000000000 is larger than what is built; write a number up to 1000000",
    ),
    (("--claim", "zou2018:lemma-A.8-orders", "--at", "n=0"), "n=0 is no value of n"),
    (("--claim", DEEP, "--at", "d=0"), "d=0 is no value of d"),
    (("--claim", DEEP, "--at", "L=1"), f"--at: claim {DEEP} takes L >= layer; choose other sizes than L=1"),
    (("--claim", "zou2018:lemma-A.8*", "--at", "L=1"), "takes L >= 2; choose other sizes than L=1"),
    (("--needs", "--compare", "old"), "--compare: --needs judges nothing, so that there are no verdicts to compare"),
    (("--needs", "--plot", "here"), "--plot: --needs judges nothing, so that nothing is measured that could be drawn"),
    (("--needs", "--bound", "m", "--claim", CLAIM), "--bound: --needs judges nothing, so that no bound is compared"),
    (("--needs", "--journal", "file"), "--journal: --needs judges nothing, so that there is nothing to note"),
    (("--needs", "--resume"), "--resume: --needs judges nothing, so that there is no run to go on with"),
    (("--needs", "--jobs", "2"), "--jobs: --needs judges nothing, so that there is no work for processes"),
    (("--needs", "--effort", "thorough"), "--effort: --needs judges nothing, so that no effort is made"),
]
NO_FORMULAS = ["__import__('os')", "m.real", "2*m*bet", "9**9**9**9"]


# A claim that holds, one that fails by what is asked of it, and pytest's own ways of running failures again.
QUICK, FAILED = "chatterji2021:ineq-binomial-exponential", "chatterji2021:lemma-F.10"
BOTH = ("--claim", QUICK, "--claim", FAILED)
AGAIN: dict[str, tuple[str, ...]] = {
    "fails": ("--claim", FAILED, "--bound", "0"),
    "last failed, and fails again": ("--lf", "--bound", "0"),
    "failed first": (*BOTH, "--ff", "-vv"),
    "fails once more": ("--claim", FAILED, "--bound", "0"),
    "last failed": ("--lf",),
    "stops": (*BOTH, "--sw", "--sw-skip", "--timeout", "1e-9"),
    "goes on": (*BOTH, "--sw"),
}


def check_again(outcomes: dict[str, tuple[int, str]]) -> None:
    """What each run of `AGAIN` has to come to, here and with the suite installed."""
    told = {
        "fails": (1, "1 claim: 1 refuted"),
        "last failed, and fails again": (1, "1 claim: 1 refuted"),
        "failed first": (0, "2 claims: 1 holds, 1 proved"),
        "last failed": (0, "1 claim: 1 holds"),
        "stops": (2, "Interrupted: Test failed, continuing from this test next run"),
        "goes on": (0, "1 claim: 1 "),
    }
    for name, (code, said) in told.items():
        assert outcomes[name][0] == code, (name, outcomes[name][1])
        assert said in outcomes[name][1], name
    in_turn = outcomes["failed first"][1]
    assert in_turn.index(f"{FAILED} PASSED") < in_turn.index(f"{QUICK} PASSED")
    assert "2 failed" in outcomes["stops"][1]


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
        "not to be built": [
            ("--claim", STORED, "--at", "L=3,m=1000000", f"--ledger={folder / 'too wide'}"),
            ("--claim", STORED, "--at", "L=3,m=1000000", "--jobs", "2", "--claim", QUICK),
        ],
        "cut short": [
            ("--claim", CLAIM, f"--ledger={folder / 'cut'}"),
            ("--claim", CLAIM, "--claim", STORED, "--at", "L=3,m=1000000", "-x", f"--ledger={folder / 'cut'}"),
        ],
        "foreign": [("--claim", CLAIM, f"--ledger={_foreign(folder / 'foreign')}")],
        "again": [(*given, "-o", f"cache_dir={folder / 'pytest'}") for given in AGAIN.values()],
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


def _foreign(folder: Path) -> Path:
    """A folder with a file that is called as a ledger is."""
    folder.mkdir()
    (folder / "ledger.json").write_text('{"accounts": []}')
    return folder


def test_a_folder_with_someone_elses_ledger_is_refused_and_left_alone(runs: Runs) -> None:
    (message,) = runs.refusals("foreign")
    assert message == (
        f"--ledger: {runs.folder / 'foreign' / 'ledger.json'} is no ledger and would be overwritten; "
        "move it or name another folder"
    )
    assert (runs.folder / "foreign" / "ledger.json").read_text() == '{"accounts": []}'
    assert len(list((runs.folder / "foreign").iterdir())) == 1


def test_sizes_at_which_a_claim_cannot_be_built_are_told_in_one_line(runs: Runs) -> None:
    message = f"claim {STORED} cannot be built at L=3,m=1000000: NotEnoughMemoryError: a network of "
    for code, output in runs.outcomes["not to be built"]:
        assert code == 4, output
        assert "Traceback" not in output
        (line,) = [line for line in output.splitlines() if line.startswith("claim zou2018:")]
        assert line.startswith(message)
        assert line.endswith("; choose other sizes")
    (row,) = json.loads((runs.folder / "too wide" / "ledger.json").read_text())["claims"]
    assert (row["verdict"], row["ok"]) == ("error", False)


def test_a_run_that_ends_early_marks_its_ledger_and_keeps_the_complete_one(runs: Runs) -> None:
    (first, _), (second, output) = runs.outcomes["cut short"]
    assert (first, second) == (0, 4), output
    files = {path.name for path in (runs.folder / "cut").iterdir()}
    assert files == {*COMPLETE, *PLANNER, *PARTIAL}
    complete, partial = (
        json.loads((runs.folder / "cut" / name).read_text()) for name in ("ledger.json", "ledger.partial.json")
    )
    assert (complete["suite"]["complete"], [row["id"] for row in complete["claims"]]) == (True, [CLAIM])
    assert (partial["suite"]["complete"], partial["suite"]["missing"]) == (False, [CLAIM])
    assert "ledger written to" in output
    assert "ledger.partial.json" in output


def test_failed_claims_are_judged_again_first_or_alone_or_from_there_on(runs: Runs) -> None:
    check_again(dict(zip(AGAIN, runs.outcomes["again"], strict=True)))


def test_an_interrupted_run_writes_a_partial_ledger(tmp_path: Path) -> None:
    """Ctrl-C while the second of two claims is judged."""
    arguments = ("--claim", A_SEARCH, "--claim", "zou2018:lemma-A.8-orders", f"--ledger={tmp_path}", "-v")
    command = [sys.executable, "-m", "pytest", *arguments]
    output = ""
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as run:
        for line in run.stdout or ():
            output += line
            if "PASSED" in line:
                # Between two claims pytest itself would be struck; the second one is judged for seconds.
                time.sleep(0.5)
                run.send_signal(signal.SIGINT)
    assert run.returncode == 2, output
    assert {path.name for path in tmp_path.iterdir()} == {"ledger.partial.json", "ledger.partial.md"}
    partial = json.loads((tmp_path / "ledger.partial.json").read_text())
    assert len(partial["claims"]) == len(partial["suite"]["missing"]) == 1


def test_claims_are_not_run_by_xdist() -> None:
    pytest.importorskip("xdist")
    done = _pytest("-n", "2", "--claim", CLAIM)
    assert done.returncode == 4
    assert (done.stdout + done.stderr).strip() == (
        "ERROR: -n: claims are not run by pytest-xdist, they have workers of their own; use --jobs"
    )


def test_what_if_is_answered_by_the_same_machinery(runs: Runs) -> None:
    for at, (verdict, (code, _)) in enumerate(zip(WHAT_IF.values(), runs.outcomes["what if"], strict=True)):
        (row,) = json.loads((runs.folder / str(at) / "ledger.json").read_text())["claims"]
        assert row["verdict"] == verdict
        assert code == (0 if verdict == "supported" else 1)
        assert all(control["refuted"] for control in row["controls"])


def test_the_story_of_a_claim_has_statement_premises_numbers_and_the_line_that_reproduces_it(runs: Runs) -> None:
    ((code, output),) = runs.outcomes["story"]
    assert code == 0
    for lead in ("source", "claim", "premise", "verdict", "numbers", "power", "worst", "control", "reproduce"):
        assert any(line.startswith(lead) for line in output.splitlines()), lead


@pytest.mark.at_night
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


def test_for_one_claim_nothing_is_collected_but_its_file(runs: Runs) -> None:
    ((_, output),) = runs.outcomes["once"]
    blocks = block_sites((ROOT / "properties" / "zou2018" / "test_gradient_lower_bound_features.py").read_bytes())
    assert f"{len(blocks) - 1} deselected" in output


def test_a_replayed_worst_case_measures_the_same_number(runs: Runs, tmp_path: Path) -> None:
    (row,) = json.loads((runs.folder / "once" / "ledger.json").read_text())["claims"]
    worst = max(row["cells"], key=lambda cell: cell["ratio"])
    words = shlex.split(row["reproduce"])
    _pytest("--claim", IN_BLOCKS[0], f"--ledger={tmp_path}", "--at", words[words.index("--at") + 1])
    (again,) = json.loads((tmp_path / "ledger.json").read_text())["claims"]
    (cell,) = again["cells"]
    assert (cell["measured"], cell["ratio"], cell["trials"]) == (worst["measured"], worst["ratio"], 1)


def test_unit_tests_of_helpers_run_where_they_are_named_and_not_among_the_claims() -> None:
    """No claim stands in properties/shared, so that without its unit tests nothing is left there (exit code 5)."""
    (without, _), (named, said), (blank, collected) = _in_one_process(
        ("--collect-only", "properties/shared"),
        ("--collect-only", "properties/shared/tests/test_implications.py"),
        ("--collect-only", "--claim", CLAIM, "--data", "README.md"),
    )
    assert without == 5
    assert named == 0
    assert "properties/shared/tests/test_implications.py::" in said
    # A file of the checkout after a blank is the value of the option, installed or not.
    assert (blank, collected.count("::")) == (0, 1), collected

"""Every line that reproduces a row runs as it stands, whatever the names of files, and measures the number again."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from theory.tests.conftest import AT_NIGHT
from theory.tests.test_surface import ROOT, _in_one_process

pytestmark = pytest.mark.reads_claims_of(
    "guo2024/test_gradient_lower_bound_kernel.py",
    "zou2018/test_forward_stability.py",
    "zou2018/test_forward_stability_flips.py",
    "zou2018/test_initialisation.py",
    "zou2018/test_scalar_inequalities.py",
    "zou2018/test_sparse_spectral.py",
)

# Claims asked in every way that a line has to repeat.
ASKED: dict[str, tuple[str, ...]] = {
    "trials": ("--claim", "zou2018:theorem-5.1-vi", "--seed", "5"),
    "at": ("--claim", "zou2018:lemma-B.2", "--at", "L=2, m=128"),
    "what if": ("--claim", "zou2018:lemma-A.7", "--bound", "m**(3/2)*beta_ / 2"),
    "what if it were negative": ("--claim", "zou2018:lemma-A.7", "--bound=-m*beta_"),
    "bundled data": ("--claim", "zou2018:fact-layer-output", "--data", "iris"),
    "a file": ("--claim", "zou2018:fact-layer-output", "--data={absolute}"),
    "points of a file": ("--claim", "guo2024:lemma-4.2-kernel", "--data={absolute}"),
    "a file beside": ("--claim", "zou2018:fact-layer-output", "--data={relative}"),
}
# By day every row of the suite is replayed by its line (theory/upkeep/replay.py), those of each kind of evidence too.
if AT_NIGHT:
    ASKED |= {
        "search": ("--claim", "zou2018:lemma-C.1"),
        "exact law": ("--claim", "zou2018:lemma-A.7"),
        "exponents": ("--claim", "zou2018:lemma-B.4-exponent", "--seed", "3"),
    }


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """For each way of asking: the row of the ledger, and that of its own line."""
    folder = tmp_path_factory.mktemp("it's a folder; of $HOME")
    rng = np.random.default_rng(0)
    points = folder / 'my "points".npz'
    np.savez(points, X=rng.standard_normal((40, 6)), y=np.arange(40) % 2)
    paths = {"absolute": str(points), "relative": os.path.relpath(points, ROOT)}
    asked = {name: [word.format(**paths) for word in words] for name, words in ASKED.items()}
    first = _ledgers(folder / "first", asked)
    return {name: (first[name], row) for name, row in _again(folder / "again", first).items()}


def _again(folder: Path, rows: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The rows of the lines that reproduce these rows, each read by a shell."""
    return _ledgers(folder, {name: _words(row["reproduce"]) for name, row in rows.items()})


def _ledgers(folder: Path, asked: dict[str, list[str]]) -> dict[str, dict[str, Any]]:
    """The one row of the ledger of each run of pytest."""
    runs = [(*words, f"--ledger={folder / name}") for name, words in asked.items()]
    for code, output in _in_one_process(*runs):
        assert code in (0, 1), output
    found = {}
    for name in asked:
        (found[name],) = json.loads((folder / name / "ledger.json").read_text())["claims"]
    return found


def _words(line: str) -> list[str]:
    """What `pytest` is given when a shell runs the line."""
    script = f'pytest() {{ printf "%s\\0" "$@"; }}; {line}'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.split("\0")[:-1]


@pytest.mark.parametrize("name", ASKED)
def test_the_line_measures_the_worst_number_again(
    rows: dict[str, tuple[dict[str, Any], dict[str, Any]]], name: str
) -> None:
    row, again = rows[name]
    assert (again["id"], again["bound"]) == (row["id"], row["bound"])
    cells = [(cell["measured"], cell["bound"], cell["ratio"]) for cell in row["cells"]]
    (cell,) = again["cells"]
    assert (cell["measured"], cell["bound"], cell["ratio"]) in cells
    assert cell["ratio"] == row["worst_ratio"]


def test_the_line_of_a_line_is_the_line(rows: dict[str, tuple[dict[str, Any], dict[str, Any]]]) -> None:
    assert [again["reproduce"] for _, again in rows.values()] == [row["reproduce"] for row, _ in rows.values()]

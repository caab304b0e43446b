"""The same machine twice: the same ledger, whatever the hash seed of Python, how many workers and what runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from theory.core.refusal import ROOT
from theory.reports.two_ledgers import unequal

# Claims of each kind of evidence, those among them whose cells and controls have names.
CLAIMS = (
    "zou2018:lemma-A.7",
    "zou2018:lemma-B.4-exponent",
    "zou2018:theorem-5.1-vi",
    "zou2018:lemma-C.1",
    "allenzhu2018rnn:claim-G.2-start",
    "guo2024:def-norms",
    "guo2024:corollary-3.3",
)

CLAIM_FILES = (
    "allenzhu2018rnn/test_semi_smoothness.py",
    "guo2024/test_initialisation.py",
    "guo2024/test_scalar_inequalities.py",
    "zou2018/test_forward_stability_flips.py",
    "zou2018/test_initialisation.py",
    "zou2018/test_scalar_inequalities.py",
    "zou2018/test_sparse_spectral.py",
)

JOBS, CLUSTER = "two processes, another hash seed", "dask, a third hash seed"
# Hash seeds that order the set {"zero", "alike"} in both ways.
WAYS = {"one process": ("1", "--jobs=1"), JOBS: ("2", "--jobs=2"), CLUSTER: ("3", "--jobs=2", "--backend=dask")}


def _ledger(folder: Path, hash_seed: str, *options: str) -> dict[str, Any]:
    asked = [f"--claim={name}" for name in CLAIMS]
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", f"--ledger={folder}", *options, *asked],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        check=True,
        capture_output=True,
    )
    ledger: dict[str, Any] = json.loads((folder / "ledger.json").read_text(encoding="utf-8"))
    return ledger


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The ledger of one process."""
    return _ledger(tmp_path_factory.mktemp("reference"), *WAYS["one process"])


@pytest.mark.reads_claims_of(*CLAIM_FILES)
@pytest.mark.parametrize("way", [JOBS, pytest.param(CLUSTER, marks=pytest.mark.at_night)])
def test_the_ledger_is_the_same_times_aside(way: str, reference: dict[str, Any], tmp_path: Path) -> None:
    if "dask" in way:
        pytest.importorskip("distributed", reason="dask is an extra: pip install 'lemmata[cluster]'")
    assert len(reference["claims"]) == len(CLAIMS)
    # What is said of the checkout is left out: somebody may work in it.
    first, second = ({**ledger, "suite": {}} for ledger in (reference, _ledger(tmp_path, *WAYS[way])))
    assert list(unequal(first, second)) == []


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ({"a": [1, {"b": 2.0}], "seconds": 9.0}, []),
        ({"a": [1, {"b": 2}], "seconds": 1.0}, ["/a/1/b: 2.0 and 2"]),
        (
            {"a": [1, {"c": 2.0}], "seconds": 1.0},
            ["/a/1/b: only in the first ledger", "/a/1/c: only in the second ledger"],
        ),
        ({"a": [1], "seconds": 1.0}, ["/a: [1, {'b': 2.0}] and [1]"]),
    ],
)
def test_what_differs_is_told_by_its_place(second: dict[str, Any], said: list[str]) -> None:
    assert list(unequal({"a": [1, {"b": 2.0}], "seconds": 1.0}, second)) == said


def test_another_order_of_the_entries_is_a_difference() -> None:
    assert list(unequal({"a": 1, "b": 2}, {"b": 2, "a": 1})) == [": the same entries in another order"]

"""The same machine twice: the same files, whatever the hash seed of Python, how many workers and what runs them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from theory.core.refusal import ROOT
from theory.core.verdict import Verdict
from theory.evidence import Distribution, ExactLaw, Proof, Scaling, Search, Trials
from theory.reports.ledger import COMPLETE
from theory.reports.two_ledgers import unequal

# Quick claims of each kind of evidence, met and refuted, and with each verdict; among them are some whose cells and
# controls have names.
CLAIMS = (
    "zou2018:lemma-A.7",
    "frei2019:a2-i1-sharp",
    "allenzhu2018rnn:lemma-A.17-drawn",
    "zou2018:lemma-C.1",
    "allenzhu2018rnn:claim-G.2-start",
    "guo2024:def-norms",
    "guo2024:corollary-3.3",
    "guo2024:eq-160-corrected",
    "guo2024:eq-79",
    "guo2024:eq-81",
    "guo2024:ext-hoeffding",
    "zou2018:lemma-B.5",
    "zou2018:theorem-5.3-iv",
    "allenzhu2018rnn:theorem-3-restated",
    "zou2018:lemma-5.6-rate-half",
    "chatterji2021:thm-3.1-plain-floats",
)

CLAIM_FILES = (
    "allenzhu2018rnn/test_gradient_lower_bound.py",
    "allenzhu2018rnn/test_semi_smoothness.py",
    "allenzhu2018rnn/test_sparse_spectral_sphere.py",
    "chatterji2021/test_convergence.py",
    "frei2019/test_semi_smoothness_orders.py",
    "guo2024/test_gradient_lower_bound_strips.py",
    "guo2024/test_initialisation.py",
    "guo2024/test_norm_preservation_backward.py",
    "guo2024/test_scalar_inequalities.py",
    "zou2018/test_convergence_rates.py",
    "zou2018/test_gradient_lower_bound_gradients.py",
    "zou2018/test_initialisation.py",
    "zou2018/test_scalar_inequalities.py",
    "zou2018/test_sparse_spectral.py",
)

JOBS, CLUSTER = "two processes, another hash seed", "dask, a third hash seed"
# Hash seeds that order the set {"zero", "alike"} in both ways.
WAYS = {"one process": ("1", "--jobs=1"), JOBS: ("2", "--jobs=2"), CLUSTER: ("3", "--jobs=2", "--backend=dask")}

# What a run says of itself alone: when it was, how long it took, with how many workers. Somebody may work in the
# checkout meanwhile, so that what is said of that is masked too.
OF_THE_RUN = "started", "seconds", "seconds_controls", "threads", "commit", "dirty"
IN_JSON = [rf'(?<="{name}": )[^,\n]*' for name in OF_THE_RUN]
IN_TEXT = [
    r"\b\d+(?= s[.;])",
    r"\b[0-9a-f]{12}(?:[0-9a-f]{28})?\b",
    r"\b20\d\d-\d\d-\d\d(?:T[0-9:+]+)?",
    r"\b\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December) 20\d\d\b",
    r"(?: <strong>)?(?: ?with changes)(?: that are not committed)?(?:</strong>)?",
]


def masked(name: str, text: str) -> str:
    """The text of a file of a ledger with 0 for each thing that a run says of itself."""
    return re.sub("|".join(IN_JSON if name.endswith(".json") else IN_TEXT), "0", text)


def _files(folder: Path, hash_seed: str, *options: str) -> dict[str, str]:
    """The files of a run, masked."""
    asked = [f"--claim={name}" for name in CLAIMS]
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", f"--ledger={folder}", *options, *asked],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        check=True,
        capture_output=True,
    )
    return {name: masked(name, (folder / name).read_text(encoding="utf-8")) for name in COMPLETE}


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The files of one process."""
    return _files(tmp_path_factory.mktemp("reference"), *WAYS["one process"])


def first_difference(first: str, second: str) -> str:
    """The first line of two texts that is not the same in both, from where it differs; empty where there is none."""
    if first == second:
        return ""
    lines = zip_longest(first.split("\n"), second.split("\n"), fillvalue="")
    number, (one, other) = next((n, pair) for n, pair in enumerate(lines, start=1) if pair[0] != pair[1])
    where = next(
        (n for n, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other))
    )
    return f"line {number}: {one[where : where + 80]!r} and {other[where : where + 80]!r}"


def differences(first: Mapping[str, str], second: Mapping[str, str]) -> dict[str, str]:
    """For each file the first difference, where there is one."""
    found = {name: first_difference(first[name], second[name]) for name in COMPLETE}
    return {name: said for name, said in found.items() if said}


@pytest.mark.reads_claims_of(*CLAIM_FILES)
@pytest.mark.parametrize("way", [JOBS, pytest.param(CLUSTER, marks=pytest.mark.at_night)])
def test_the_files_are_the_same_byte_by_byte_times_aside(way: str, reference: dict[str, str], tmp_path: Path) -> None:
    if "dask" in way:
        pytest.importorskip("distributed", reason="dask is an extra: pip install 'lemmata[cluster]'")
    assert differences(reference, _files(tmp_path, *WAYS[way])) == {}


@pytest.mark.reads_claims_of(*CLAIM_FILES)
def test_each_kind_of_evidence_and_each_verdict_is_among_them(reference: dict[str, str]) -> None:
    """The suite has no mean that is judged by bets, and no row with an error."""
    rows = json.loads(reference["ledger.json"])["claims"]
    assert len(rows) == len(CLAIMS)
    assert {row["verdict"] for row in rows} == set(Verdict) - {Verdict.ERROR}
    plans = (Distribution, ExactLaw, Proof, Scaling, Search, Trials)
    found = {(row["evidence"]["method"], row["verdict"]) for row in rows}
    assert found >= {(plan.method, verdict) for plan in plans for verdict in (plan.pass_verdict, Verdict.REFUTED)}
    assert found >= {(plan.method, Verdict.VACUOUS) for plan in (Scaling, Search)}


@pytest.mark.parametrize(
    ("name", "text", "left"),
    [
        (
            "ledger.json",
            '"seconds": 0.12,\n"trials": 12,\n"dirty": true\n',
            '"seconds": 0,\n"trials": 12,\n"dirty": 0\n',
        ),
        ("ledger.md", f"seed 0, commit {'0a' * 20}, 12 s. Of 12 rows", "seed 0, commit 0, 0 s. Of 12 rows"),
        (
            "index.html",
            "<small>3 May 2026, commit <code>0123456789ab</code>, 7 s;",
            "<small>0, commit <code>0</code>, 0 s;",
        ),
        ("index.html", "commit 0123456789ab with changes, 2026-05-03.", "commit 00, 0."),
        ("index.html", "at 2026-05-03T10:11:12+00:00</small>", "at 0</small>"),
    ],
)
def test_what_a_run_says_of_itself_is_masked_and_nothing_else(name: str, text: str, left: str) -> None:
    assert masked(name, text) == left


def test_the_first_difference_of_two_texts_is_told_from_where_it_begins() -> None:
    assert first_difference("a\nb", "a\nb") == ""
    assert first_difference("a\nbcd\n", "a\nbed\n") == "line 2: 'cd' and 'ed'"
    assert first_difference("a", "a\nb") == "line 2: '' and 'b'"
    both = dict.fromkeys(COMPLETE, "a")
    assert differences(both, both) == {}
    assert differences(both, {**both, "ledger.md": "b"}) == {"ledger.md": "line 1: 'a' and 'b'"}


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

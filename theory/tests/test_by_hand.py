"""Counterexamples by hand: a few lines of numpy that print the two numbers which a report to authors states."""

from __future__ import annotations

import ast
import re
import runpy
from pathlib import Path

import pytest

from theory import lemmata
from theory.reports.to_authors import BY_HAND, by_hand

FILES = sorted(BY_HAND.glob("[!_]*.py"))

# Where the claims of these files stand.
CLAIM_FILES = (
    "allenzhu2018rnn/test_scalar_inequalities_differences.py",
    "allenzhu2018rnn/test_scalar_inequalities_tails.py",
    "chatterji2021/test_convergence_step.py",
    "chatterji2021/test_scalar_inequalities_products.py",
    "frei2019/test_scalar_inequalities.py",
    "guo2024/test_gradient_lower_bound_strips.py",
    "guo2024/test_initialisation.py",
    "zou2018/test_gradient_lower_bound_features.py",
    "zou2018/test_scalar_inequalities.py",
)


def claim_of(file: Path) -> str:
    return file.stem.replace(".", ":", 1)


@pytest.mark.reads_claims_of(*CLAIM_FILES)
@pytest.mark.parametrize("file", FILES, ids=claim_of)
def test_it_prints_what_the_claim_measures_at_the_sizes_that_it_names_and_what_is_claimed(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runpy.run_path(str(file))
    measured, bound = map(float, capsys.readouterr().out.split())
    sizes = re.findall(r"(\w+)=([\d.-]+\d|\d)", file.read_text().splitlines()[0])
    row = lemmata.check(claim_of(file), at=",".join(f"{name}={value}" for name, value in sizes))
    assert row.verdict == "refuted"
    assert row.cells["measured"] == [pytest.approx(measured, rel=1e-12)]
    assert row.cells["bound"] == [pytest.approx(bound, rel=1e-12)]


@pytest.mark.parametrize("file", FILES, ids=claim_of)
def test_it_is_short_and_needs_nothing_of_this_project(file: Path) -> None:
    text = by_hand(claim_of(file))
    about, *lines = text.splitlines()
    assert about.startswith("# At ")
    assert max(map(len, text.splitlines())) <= 92
    assert len([line for line in lines if line and not line.startswith("#")]) <= 10
    modules = {name.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import) for name in node.names}
    assert modules <= {"numpy", "math"}
    assert not any(isinstance(node, ast.ImportFrom) for node in ast.walk(ast.parse(text)))


def test_a_claim_without_such_lines_has_none() -> None:
    assert by_hand("zou2018:lemma-A.1") == ""
    assert len(FILES) >= 12

"""Tests that are not marked can read no claim of the suite: not in their process, and not in another."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from theory.claims import registry
from theory.claims.catalogue import Catalogue
from theory.core.refusal import ROOT, ClaimError

FILE = next(registry.SUITE.glob("*/test_*.py"))
SAID = r"test_claims_refused.py::test_\w+.* reads claims of the suite, in properties.*: mark it with reads_claims"
NAMED = "zou2018/test_separation.py"


@pytest.mark.parametrize(
    "reads",
    [
        FILE.read_text,
        lambda: open(os.path.relpath(FILE)).close(),
        registry.load_claims,
        lambda: registry.load_claims(FILE.parent),
        lambda: registry.load_file(FILE),
    ],
)
def test_whoever_opens_a_claim_file_is_refused_in_one_sentence(reads: Callable[[], object]) -> None:
    with pytest.raises(ClaimError, match=SAID):
        reads()


def test_to_its_processes_the_suite_has_no_claims_and_loads_none(tmp_path: Path) -> None:
    known = Catalogue(tmp_path / "index.json")
    known.add_suite()
    assert known.entries == []
    loads = f"from pathlib import Path; from theory.claims import registry; registry.load_file(Path({str(FILE)!r}))"
    done = subprocess.run([sys.executable, "-c", loads], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode
    assert "reads claims of the suite, in properties/" in done.stderr


@pytest.mark.reads_claims_of("zou2018/test_separation.py")
def test_to_one_that_names_a_claim_file_the_suite_has_its_claims_and_no_others(tmp_path: Path) -> None:
    known = Catalogue(tmp_path / "index.json")
    known.add_suite()
    assert {entry.file for entry in known.entries} == {f"properties/{NAMED}"}
    assert {claim.file for claim in registry.load_file(registry.SUITE / NAMED)} == {f"properties/{NAMED}"}
    other = registry.SUITE / "zou2018" / "test_initialisation.py"
    for reads in (other.read_text, lambda: registry.load_file(other), registry.load_claims):
        with pytest.raises(ClaimError, match=SAID):
            reads()


def test_what_an_earlier_test_loaded_is_forgotten() -> None:
    assert [claim.file for claim in registry.claims() if claim.file.startswith("properties/")] == []
    assert "properties." + NAMED[:-3].replace("/", ".") not in sys.modules


@pytest.mark.reads_claims
def test_one_that_is_marked_may_read_them() -> None:
    assert FILE.read_text()
    assert registry.REFUSED not in os.environ


HELPER_TESTS = [
    path
    for path in sorted(registry.SUITE.glob("*/tests/*.py"))
    if "mark.reads_claims" not in path.read_text(encoding="utf-8")
]
CLAIM_FILES = {path.stem for path in registry.SUITE.glob("*/test_*.py")}


@pytest.mark.parametrize("path", HELPER_TESTS, ids=lambda path: f"{path.parts[-3]}/{path.stem}")
def test_tests_of_what_claims_measure_with_name_no_claim_file_and_look_for_none(path: Path) -> None:
    """They are not run again after a change in a claim file, and the registry refuses claims to their processes."""
    words = set(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    assert words & {*CLAIM_FILES, "glob", "rglob", "iterdir", "subprocess", "import_module"} == set()


def test_helpers_and_files_of_other_folders_are_open_to_all(tmp_path: Path) -> None:
    assert (registry.SUITE / "__init__.py").read_text() is not None
    (tmp_path / "properties").mkdir()
    (tmp_path / "properties" / "test_own.py").write_text("")
    assert (tmp_path / "properties" / "test_own.py").read_text() == ""

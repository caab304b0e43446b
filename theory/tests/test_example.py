"""The reader's repository under `examples/`, judged where it would stand: beside an installed lemmata."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from theory.tests.conftest import ROOT, Installed

EXAMPLE = ROOT / "examples" / "arora2019"
REFUTED = "arora2019:theorem-6.1-cubes"

# As many lines as a lemma in short form may have, with its function.
LINES = 15


@pytest.mark.at_night
def test_the_workflow_of_the_example_passes_strictly_beside_the_wheel(tmp_path: Path, installed: Installed) -> None:
    """Passes of three kinds, none blind without a reason, and a conjecture that is refuted, in the paper's own list."""
    folder = tmp_path / "arora2019"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns(".*", "__pycache__"))
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTEST_ADDOPTS")}
    environment = kept | {
        "PYTHONPATH": str(installed.site),
        "LEMMATA_CACHE_DIR": str(installed.site.parent / "cache"),
        "OPENBLAS_NUM_THREADS": "1",
        # Of glibc: memory of an array is kept for the next one, or each step of descent asks the system for it anew.
        "MALLOC_MMAP_THRESHOLD_": "1000000000",
        "MALLOC_TRIM_THRESHOLD_": "1000000000",
    }
    (command,) = re.findall(r"- run: lemmata (.*)", (EXAMPLE / "ci.yml").read_text())
    assert command.split() == ["check", ".", "--strict"]
    done = subprocess.run(
        [sys.executable, "-m", "lemmata", *command.split(), "--ledger=ledger"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    claims = json.loads((folder / "ledger" / "ledger.json").read_text())["claims"]
    verdicts = {claim["id"]: claim["verdict"] for claim in claims}
    assert len(verdicts) == 13
    assert verdicts.pop(REFUTED) == "refuted"
    assert set(verdicts.values()) == {"holds", "supported", "consistent"}
    assert "no evidence for their formula" not in done.stdout
    weights = next(claim for claim in claims if claim["id"] == "arora2019:lemma-5.3-narrow")
    assert {"m", "n", "lam0"} <= set(weights["sees"])
    excess = next(claim for claim in claims if claim["id"] == "arora2019:eq-5.2-from-start")
    assert {"m", "n", "kappa", "lam0"} <= set(excess["sees"])


def test_its_notebook_shows_what_its_cells_give(tmp_path: Path) -> None:
    folder = tmp_path / "arora2019"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns(".*", "__pycache__"))
    run = [sys.executable, "-m", "theory.upkeep.notebook", "notebook.ipynb"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(run, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    kept, found = (
        [
            output["data"]
            for cell in json.loads((place / "notebook.ipynb").read_text())["cells"]
            for output in cell.get("outputs", ())
        ]
        for place in (EXAMPLE, folder)
    )
    assert [data["text/plain"] for data in found] == [data["text/plain"] for data in kept]
    assert [set(data) for data in found] == [set(data) for data in kept]
    assert {"text/html", "image/png"} <= {form for data in found for form in data}


def test_its_files_import_what_a_reader_may_and_its_lemmas_are_short() -> None:
    for path in EXAMPLE.glob("*.py"):
        body = ast.parse(path.read_text()).body
        imported = {node.module for node in body if isinstance(node, ast.ImportFrom) and not node.level}
        assert imported <= {"itertools", "lemmata", "lemmata.nets"}, path
        for function in (node for node in body if isinstance(node, ast.FunctionDef) and node.decorator_list):
            assert function.end_lineno is not None
            assert function.end_lineno - function.decorator_list[0].lineno < LINES, function.name


@pytest.mark.reads_claims_of("zou2018/test_separation.py")
def test_an_id_of_the_example_is_found_from_the_top_of_the_checkout() -> None:
    asked = ["-m", "pytest", "-q", str(EXAMPLE), "--claim", "arora2019:lemma-C.1", "--collect-only"]
    done = subprocess.run([sys.executable, *asked], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, "test_gram.py::arora2019:lemma-C.1" in done.stdout) == (0, True), done.stdout

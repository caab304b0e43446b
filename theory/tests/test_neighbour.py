"""Somebody else's tests, beside an installed lemmata: the same report, byte by byte, as where it is not installed."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from theory.core.names import ROOMS
from theory.lemmata.plugin import FLAGS, TIMEOUT, VALUES
from theory.tests.conftest import Installed

OPTIONS = [name for name, *_ in (*VALUES, *FLAGS) if name != TIMEOUT]

FILES = {
    "conftest.py": f"""
def pytest_addoption(parser):
    for name in {OPTIONS}:
        parser.addoption(f"--{{name}}", default=name)
""",
    "pyproject.toml": """
[tool.pytest.ini_options]
pythonpath = "."
filterwarnings = ["error"]
""",
    # The bytes of a claim file, in one that is none.
    "test_theirs.py": f'''
"""from theory.claims import claim; from lemmata import claim"""
import multiprocessing, signal, sys, time
{"; ".join(f"import {room}.thing" for room in ROOMS)}

def test_rooms():
    assert [m.thing.mine for m in ({", ".join(ROOMS)})] == {list(ROOMS)}

def test_options(request):
    assert request.config.getoption("--seed") == "seed"

def test_signals():
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
    child.start()
    child.terminate()
    child.join()
    assert child.exitcode == -15

def test_that_fails():
    assert 1 == 2, "theory"

def test_nothing_is_loaded_of_what_nobody_asked_for():
    assert [name for name in sys.modules if name.split(".")[0] == "lemmata"] == []
''',
    # A source that no parser takes.
    "deep.py": f"x = {'-' * 20000}1  # theory, claim, lemmata",
    **{f"{room}/thing.py": f"mine = {room!r}" for room in ROOMS},
}


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """Folders of the names of rooms, options of the names of ours, and a pipe."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    os.mkfifo(tmp_path / "x.py")
    return tmp_path


def report(folder: Path, site: Path, *options: str) -> str:
    """What pytest says there, with the plugins of this environment, a home that is none, and no time of the clock."""
    kept = {name: value for name, value in os.environ.items() if name not in ("HOME", "PYTEST_ADDOPTS")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", "-v", "-p", "no:cacheprovider", *options],
        cwd=folder,
        env=kept | {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return re.sub(r"in [0-9.]+s", "in _", f"{done.returncode}\n{done.stdout}{done.stderr}")


def test_the_report_of_a_foreign_suite_is_the_same_with_and_without_lemmata(theirs: Path, installed: Installed) -> None:
    """Beside pytest-xdist, -randomly, -timeout, -cov and -rerunfailures, as far as these are there."""
    seeded = ["--randomly-seed=1"] if importlib.util.find_spec("pytest_randomly") else []
    without = report(theirs, theirs / "nowhere", *seeded)
    assert "1 failed, 4 passed in _" in without
    assert report(theirs, installed.site, *seeded) == without


def test_where_claims_are_asked_for_a_plugin_with_such_an_option_gets_one_sentence(
    tmp_path: Path, installed: Installed
) -> None:
    (tmp_path / "theirs.py").write_text('def pytest_addoption(parser):\n    parser.addoption("--seed")\n')
    said = report(tmp_path, Path(f"{installed.site}{os.pathsep}{tmp_path}"), "-p", "theirs", "-p", "lemmata")
    assert said.startswith("4\nERROR: --seed: another plugin of this session has an option of that name"), said

"""Somebody else's tests, beside an installed lemmata: the same report, byte by byte, as where it is not installed.

And no later: it makes as many calls, up to those that read one more package's metadata.
"""

from __future__ import annotations

import importlib.metadata
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

# The share of its calls by which a session may be longer: for one more package's metadata to be read.
START = 0.02

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
    """What a session of pytest there says, with this environment's plugins and a home that is none, without times."""
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


# A session counts the calls that it makes: a machine that others use changes a time, and no count.
COUNTED = """
import sys
import pytest

calls = 0

def count(frame, event, argument):
    global calls
    calls += event in ("call", "c_call")

sys.setprofile(count)
code = pytest.main(sys.argv[1:])
sys.setprofile(None)
sys.exit(f"{code:d} {calls}")
"""


def calls(folder: Path, site: Path) -> int:
    """How often a session there calls anything, without the plugins of this environment, some of which are slow."""
    others = [
        word for entry in importlib.metadata.entry_points(group="pytest11") for word in ("-p", f"no:{entry.name}")
    ]
    done = subprocess.run(
        [sys.executable, "-c", COUNTED, "-p", "no:cacheprovider", *others],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    code, number = done.stderr.split()[-2:]
    assert code == "0", done.stdout
    return int(number)


def longer(folder: Path, site: Path) -> float:
    """By which share of its calls a session with that site is longer than one without it."""
    without = calls(folder, folder / "nowhere")
    return calls(folder, site) / without - 1.0


def test_the_report_of_a_foreign_suite_is_the_same_with_and_without_lemmata(theirs: Path, installed: Installed) -> None:
    """Beside pytest-xdist, -randomly, -timeout, -cov and -rerunfailures, as far as these are there."""
    seeded = ["--randomly-seed=1"] if importlib.util.find_spec("pytest_randomly") else []
    without = report(theirs, theirs / "nowhere", *seeded)
    assert "1 failed, 4 passed in _" in without
    assert report(theirs, installed.site, *seeded) == without


@pytest.fixture
def alone(tmp_path: Path) -> Path:
    """A folder with one test, of which a session is little more than its start."""
    folder = tmp_path / "alone"
    folder.mkdir()
    (folder / "test_one.py").write_text("def test_that_passes():\n    pass\n")
    return folder


def test_a_foreign_session_takes_no_longer_and_nothing_could_make_it(alone: Path, installed: Installed) -> None:
    (found,) = importlib.metadata.distributions(path=[str(installed.site)])
    assert {entry.group for entry in found.entry_points} == {"console_scripts"}
    # What Python runs or pytest looks for when it starts.
    tops = {str(file).split("/")[0] for file in found.files or ()}
    assert tops - {".."} == {"lemmata", f"lemmata-{found.version}.dist-info"}
    # Some installers note the command there.
    assert {str(file) for file in found.files or () if str(file).startswith("..")} <= {"../../bin/lemmata"}
    assert not [file for file in installed.site.iterdir() if file.suffix == ".pth" or file.stem.endswith("customize")]
    assert longer(alone, installed.site) <= START


def test_a_plugin_that_does_no_more_than_be_imported_and_build_a_table_is_seen_by_that_count(
    alone: Path, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    (site / "slow-1.0.dist-info").mkdir(parents=True)
    (site / "slow-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: slow\nVersion: 1.0\n")
    (site / "slow-1.0.dist-info" / "entry_points.txt").write_text("[pytest11]\nslow = slow\n")
    (site / "slow.py").write_text("table = [hash(k) for k in range(5_000)]\n")
    assert longer(alone, site) > START


def test_where_claims_are_asked_for_a_plugin_with_such_an_option_gets_one_sentence(
    tmp_path: Path, installed: Installed
) -> None:
    (tmp_path / "theirs.py").write_text('def pytest_addoption(parser):\n    parser.addoption("--seed")\n')
    said = report(tmp_path, Path(f"{installed.site}{os.pathsep}{tmp_path}"), "-p", "theirs", "-p", "lemmata")
    assert said.startswith("4\nERROR: --seed: another plugin of this session has an option of that name"), said

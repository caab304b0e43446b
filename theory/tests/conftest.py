"""What the tests of runs need of the process they are started in, and which of them may read the claims of the suite.

Most tests are about the machinery and judge claims of their own. They are not run again after a change in a claim file
alone, so they must not read one: whatever opens such a file in the process of an unmarked test is refused, and so are
processes that it starts as soon as they ask for the claims of the suite. `@pytest.mark.reads_claims` lets a test.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from theory.claims import registry


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark."""
    config.addinivalue_line("markers", "reads_claims: run again whenever a claim of the suite has changed")


def _refuse_claim_files(event: str, arguments: tuple[object, ...]) -> None:
    if event != "open" or registry.REFUSED not in os.environ or not isinstance(arguments[0], str | os.PathLike):
        return
    name = os.fspath(arguments[0])
    if isinstance(name, str) and "properties" in name and registry.is_of_the_suite(Path(name)):
        registry.refuse_claims_where_they_must_not_be_read()


sys.addaudithook(_refuse_claim_files)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before any fixture of the test: note that it must not read claim files, unless it is marked."""
    if item.get_closest_marker("reads_claims") is None:
        os.environ[registry.REFUSED] = item.nodeid
        if "installed_suite" in getattr(item, "fixturenames", ()):
            pytest.fail("the whole suite installed has its claims: mark this test with reads_claims")


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Between tests nothing is refused."""
    os.environ.pop(registry.REFUSED, None)


@pytest.fixture(autouse=True, scope="session")
def interruptible() -> Iterator[None]:
    """Let Ctrl-C reach the runs that tests start: shells start jobs in the background with it ignored."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("theory", "bounds", "nets", "properties", "benchmarks")


@dataclass(frozen=True)
class Installed:
    """A wheel of the sources as they stand, and the folder in which it is installed."""

    wheel: Path
    site: Path


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The suite installed without its claim files, beside the dependencies of this environment and not in it."""
    return _installed(tmp_path_factory.mktemp("installed"), "test_*.py")


@pytest.fixture(scope="session")
def installed_suite(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The whole suite installed, for tests that may read its claims."""
    return _installed(tmp_path_factory.mktemp("installed"))


def _installed(folder: Path, *left_out: str) -> Installed:
    pytest.importorskip("setuptools", minversion="77", reason="building the wheel takes the setuptools it asks for")
    sources = folder / "sources"
    sources.mkdir()
    for room in ROOMS:
        ignored = shutil.ignore_patterns("__pycache__", "results", *(left_out if room == "properties" else ()))
        shutil.copytree(ROOT / room, sources / room, ignore=ignored)
    for name in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, sources)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-deps", "--no-index"]
    build = [*pip, "wheel", *offline, "--no-build-isolation", "--wheel-dir", str(folder), str(sources)]
    subprocess.run(build, check=True, capture_output=True, text=True)
    (wheel,) = folder.glob("*.whl")
    install = [*pip, "install", *offline, "--target", str(folder / "site"), str(wheel)]
    subprocess.run(install, check=True, capture_output=True, text=True)
    return Installed(wheel, folder / "site")

"""What the tests of runs need of the process they are started in."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest


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
    """The suite installed, beside the dependencies of this environment and not in it."""
    pytest.importorskip("setuptools", minversion="77", reason="building the wheel takes the setuptools it asks for")
    folder = tmp_path_factory.mktemp("installed")
    sources = folder / "sources"
    sources.mkdir()
    for room in ROOMS:
        shutil.copytree(ROOT / room, sources / room, ignore=shutil.ignore_patterns("__pycache__", "results"))
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

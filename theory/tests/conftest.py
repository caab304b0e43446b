"""What the tests of runs need of the process they are started in, and which of them may read the claims of the suite.

Most tests are about the machinery and judge claims of their own. They are not run again after a change in a claim file
alone, so they must not read one: whatever opens such a file in the process of an unmarked test is refused, and so are
processes that it starts as soon as they ask for the claims of the suite. `@pytest.mark.reads_claims` lets a test, and
`@pytest.mark.reads_claims_of("zou2018/test_separation.py")` lets it read the claim files that are named: to such a
test, and to its processes, the suite has no others. A file of tests is run again when a claim file has changed whose
name stands in it (theory/upkeep/passed.py). Those with `@pytest.mark.at_night` are run by `make fuzz` alone.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from theory.claims import registry
from theory.core import journal
from theory.upkeep.passed import claim_files_named

AT_NIGHT = "LEMMATA_BLOCKS" in os.environ


def _refuse_claim_files(event: str, arguments: tuple[object, ...]) -> None:
    if event != "open" or registry.REFUSED not in os.environ or not isinstance(arguments[0], str | os.PathLike):
        return
    name = os.fspath(arguments[0])
    if isinstance(name, str) and "properties" in name and registry.is_of_the_suite(Path(name)):
        registry.refuse_where_it_must_not_be_read(Path(name))


sys.addaudithook(_refuse_claim_files)

_digest_of_sources = journal._digest_of_sources


def _digest_of_sources_in_tests(root: Path, room: str) -> str:
    """The digest by which workers and journals know sources, whatever it is: this reads no claim."""
    test = os.environ.pop(registry.REFUSED, None)
    try:
        return _digest_of_sources(root, room)
    finally:
        if test is not None:
            os.environ[registry.REFUSED] = test


journal._digest_of_sources = _digest_of_sources_in_tests


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before any fixture of the test: note that it must not read claim files, or which, as it is marked."""
    if item.get_closest_marker("at_night") is not None and not AT_NIGHT:
        pytest.skip("slow: at night, by make fuzz")
    if item.get_closest_marker("reads_claims") is not None:
        return
    os.environ[registry.REFUSED] = item.nodeid
    if (mark := item.get_closest_marker("reads_claims_of")) is not None:
        unsaid = {*mark.args} - {*claim_files_named(item.path.read_text(encoding="utf-8"))}
        if unsaid or not mark.args:
            pytest.fail(f"reads_claims_of takes the names of claim files, as they stand in {item.path.name}: {unsaid}")
        os.environ[registry.OPEN] = " ".join(mark.args)
    registry.forget_what_must_not_be_read()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Between tests nothing is refused."""
    os.environ.pop(registry.REFUSED, None)
    os.environ.pop(registry.OPEN, None)


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
LEFT_BEHIND = ("__pycache__", "results")


@dataclass(frozen=True)
class Installed:
    """A wheel of the sources as they stand, and the folder in which it is installed."""

    wheel: Path
    site: Path


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The suite installed without its claim files, beside the dependencies of this environment and not in it."""
    return install_with((), tmp_path_factory.mktemp("installed"))


def install_with(claim_files: Sequence[str], folder: Path) -> Installed:
    """The suite installed below a folder with these of its claim files, which a test that is marked may read."""
    pytest.importorskip("setuptools", minversion="77", reason="building the wheel takes the setuptools it asks for")
    sources = folder / "sources"
    sources.mkdir()
    for room in ROOMS:
        ignored = _all_but(claim_files) if room == "properties" else shutil.ignore_patterns(*LEFT_BEHIND)
        shutil.copytree(ROOT / room, sources / room, ignore=ignored)
    for name in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, sources)
    # What every installer calls, without what pip asks of it before that; and of what is installed little is run.
    build = [sys.executable, "-c", "from setuptools import build_meta; build_meta.build_wheel('..')"]
    subprocess.run(build, cwd=sources, check=True, capture_output=True, text=True)
    (wheel,) = folder.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    install = [*pip, "install", "--no-deps", "--no-index", "--no-compile", "--target", str(folder / "site"), str(wheel)]
    subprocess.run(install, check=True, capture_output=True, text=True)
    return Installed(wheel, folder / "site")


def _all_but(claim_files: Sequence[str]) -> Callable[[str, list[str]], set[str]]:
    """What is left out when claims are copied: the claim files but these, and what runs leave behind."""

    def ignored(folder: str, names: list[str]) -> set[str]:
        here = Path(folder).relative_to(ROOT / "properties")
        claims = {name for name in names if name.startswith("test_") and (here / name).as_posix() not in claim_files}
        return claims | shutil.ignore_patterns(*LEFT_BEHIND)(folder, names)

    return ignored

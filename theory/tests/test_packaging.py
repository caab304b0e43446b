"""What is installed is what stands in the checkout, under one name."""

from __future__ import annotations

import configparser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("theory", "bounds", "nets", "properties", "benchmarks")
# The package `lemmata` itself, which is mapped from a folder of one of the rooms.
ITSELF = ROOT / "theory" / "lemmata"


def settings() -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg")
    return parser


def test_every_folder_with_sources_but_unit_tests_is_a_package_that_is_installed() -> None:
    listed = settings()["options"]["packages"].split()
    folders = {path.parent for room in ROOMS for path in (ROOT / room).rglob("*.py")} - {ITSELF}
    packages = {
        f"lemmata.{'.'.join(folder.relative_to(ROOT).parts)}" for folder in folders if "tests" not in folder.parts
    }
    assert set(listed) == packages | {"lemmata"}
    assert len(listed) == len(set(listed))


def test_every_package_has_an_init_file() -> None:
    folders = {path.parent for room in ROOMS for path in (ROOT / room).rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


def test_every_file_that_is_read_at_run_time_is_installed() -> None:
    patterns = settings()["options.package_data"]["lemmata.theory"].split(", ")
    others = [path for path in (ROOT / "theory").iterdir() if path.is_file() and path.suffix != ".py"]
    assert {path.name for path in others} == {
        path.name for pattern in patterns for path in (ROOT / "theory").glob(pattern)
    }

"""What is installed is what stands in the checkout, under one name."""

from __future__ import annotations

import configparser
import re
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

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


def test_the_package_says_that_it_is_typed() -> None:
    assert (ITSELF / "py.typed").read_bytes() == b""
    assert "py.typed" in settings()["options.package_data"]["lemmata"].split(", ")


# What setup.cfg asks for to run the suite and its tests.
REQUIRED = ("install_requires", "dev", "cluster")


def required() -> list[Requirement]:
    options = {**settings()["options"], **settings()["options.extras_require"]}
    lines = [line for name in REQUIRED for line in options[name].strip().splitlines()]
    return [Requirement(line) for line in lines if not line.startswith("#")]


def test_the_constraints_are_versions_and_nothing_else() -> None:
    """No path, no address of a registry, no option of pip."""
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][0-9a-z.]*", line)] == []
    names = [canonicalize_name(line.split("==")[0]) for line in lines]
    assert len(set(names)) == len(names)
    assert "lemmata" not in names


def test_the_constraints_have_a_version_of_every_requirement_that_meets_it() -> None:
    lines = [line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line]
    versions = {canonicalize_name(name): version for name, version in lines}
    unmet = {
        str(wanted): versions.get(canonicalize_name(wanted.name))
        for wanted in required()
        if not wanted.specifier.contains(versions.get(canonicalize_name(wanted.name), "0"))
    }
    assert unmet == {}

"""What is installed is what stands in the checkout, under one name."""

from __future__ import annotations

import ast
import configparser
import importlib
import inspect
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from theory.lemmata.wheel import packages, renamed
from theory.tests.conftest import Installed

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("theory", "bounds", "nets", "properties", "benchmarks")


def settings() -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg")
    return parser


def test_the_folders_of_a_checkout_are_the_packages_that_are_installed(tmp_path: Path) -> None:
    """A paper is there by the presence of its folder, and what names no folder are the rooms in setup.cfg."""
    for folder in ("bounds", "bounds/tests", "properties/new1999", "theory/lemmata", "theory/upkeep/a", "benchmarks"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "__init__.py").touch()
    assert packages(tmp_path) == ["lemmata", "lemmata.bounds", "lemmata.properties.new1999"]
    assert set(settings()["options"]["packages"].split()) == set(settings()["options"]["package_dir"].split()[::3])
    assert set(settings()["options"]["packages"].split()) < set(packages(ROOT))


# Claims are left out of this wheel, which is built for unit tests.
def test_the_wheel_has_the_modules_of_every_folder_but_of_unit_tests_and_upkeep(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as wheel:
        modules = {name.removeprefix("lemmata/") for name in wheel.namelist() if name.endswith(".py")}
    files = {str(path.relative_to(ROOT)) for room in ROOMS[:-1] for path in (ROOT / room).rglob("*.py")}
    left_out = re.compile(r"(.*/)?tests/|theory/upkeep/|theory/lemmata/|properties/\w+/test_")
    assert {name for name in modules if "/" in name} == {name for name in files if not left_out.match(name)}


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
    assert (ROOT / "theory" / "lemmata" / "py.typed").read_bytes() == b""
    assert "py.typed" in settings()["options.package_data"]["lemmata"].split(", ")


def test_no_plugin_of_pytest_is_installed() -> None:
    assert list(settings()["options.entry_points"]) == ["console_scripts"]


@pytest.mark.parametrize("name", ["theory.lemmata", "nets", "bounds"])
def test_what_is_loaded_when_it_is_asked_for_is_what_type_checkers_are_told(name: str) -> None:
    package = importlib.import_module(name)
    tree = ast.parse(Path(str(package.__file__)).read_bytes())
    told = {
        alias.asname: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname is not None
    }
    assert told == package._MODULES
    assert package.__all__ == sorted(told)
    for word, module in told.items():
        assert getattr(package, str(word)) is getattr(importlib.import_module(str(module)), str(word))
    with pytest.raises(AttributeError, match="nothing"):
        package.nothing  # noqa: B018


@pytest.mark.parametrize("name", ["lemmata", "lemmata.nets"])
def test_no_signature_and_no_value_that_readers_import_prints_an_address(name: str) -> None:
    package = importlib.import_module(name)
    for word in package.__all__:
        found = getattr(package, word)
        methods = vars(found).values() if inspect.isclass(found) else ()
        told = [_signature(entry) for entry in (found, *methods) if callable(entry)]
        told += [] if callable(found) else [repr(found)]
        assert not any(" at 0x" in text for text in told), word


def _signature(function: Callable[..., Any]) -> str:
    try:
        return str(inspect.signature(function))
    except ValueError:  # a builtin, which has none
        return ""


def test_lemmata_and_its_parts_are_further_names_of_what_stands_in_a_checkout() -> None:
    further = {"lemmata": "theory.lemmata", "lemmata.nets": "nets", "lemmata.nets.data.points": "nets.data.points"}
    for name, own in further.items():
        module = importlib.import_module(name)
        assert module is importlib.import_module(own)
        assert module.__spec__ is not None
        assert module.__spec__.name == module.__name__ == own


SOURCE = '''"""theory.claims in a docstring."""
import numpy, nets.networks.forward as f
import bounds.papers.zou2018
from theory import claims
from theory.claims import claim; from . import theory
from theories import theory
def g(name):
    from  nets.data import points
    return f"nets.{name}", "nets.networks.x", "theory/ERRATA.md", "a theory.b", r"properties.zou2018"
'''
RENAMED = '''"""theory.claims in a docstring."""
import numpy, lemmata.nets.networks.forward as f
import lemmata.bounds.papers.zou2018
from lemmata.theory import claims
from lemmata.theory.claims import claim; from . import theory
from theories import theory
def g(name):
    from  lemmata.nets.data import points
    return f"nets.{name}", "lemmata.nets.networks.x", "theory/ERRATA.md", "a theory.b", r"lemmata.properties.zou2018"
'''


def test_rooms_are_renamed_where_they_are_imported_and_named_and_once() -> None:
    assert renamed(SOURCE.encode(), "x.py").decode() == RENAMED
    assert renamed(RENAMED.encode(), "x.py").decode() == RENAMED
    with pytest.raises(ValueError, match=r"x.py:1: write `import nets.data as ...`"):
        renamed(b"import nets.data\nnets.data.points", "x.py")


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

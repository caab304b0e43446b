"""General mathematics is written by hand where no library does it as well, and each such module says why."""

import ast
from pathlib import Path

import pytest

ROOM = Path(__file__).resolve().parents[1]
FOLDERS = ("arithmetic", "decisions", "laws")
MODULES = sorted(path for folder in FOLDERS for path in (ROOM / folder).glob("*.py") if path.name != "__init__.py")


@pytest.mark.parametrize("path", MODULES, ids=[path.stem for path in MODULES])
def test_a_module_of_general_mathematics_says_why_it_is_written_by_hand(path: Path) -> None:
    said = ast.get_docstring(ast.parse(path.read_text())) or ""
    assert "Written by hand: " in said


def test_there_are_such_modules() -> None:
    assert {path.parent.name for path in MODULES} == set(FOLDERS)

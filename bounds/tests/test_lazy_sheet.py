"""A sheet gives the same formulas whatever is asked for first, and builds no other."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from bounds.lazy_sheet import SheetFinder, load_all

SHEET = '''"""A sheet of tests."""

import math

BUILT = []


def _at(number):
    BUILT.append(number)
    return number + _OFFSET


_OFFSET = 10
first = _at(1)
second, third = (_at(x) for x in (2, 3))
later: int = first + third
'''


@pytest.fixture
def sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The sheet `toy2026` of a package of this test."""
    package = tmp_path / "package_of_sheets"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "toy2026.py").write_text(SHEET)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", [SheetFinder(package.name, package), *sys.meta_path])
    yield importlib.import_module(f"{package.name}.toy2026")
    for name in [name for name in sys.modules if name.startswith(package.name)]:
        del sys.modules[name]


def test_a_formula_is_built_when_asked_for_with_those_it_needs(sheet: ModuleType) -> None:
    assert sheet.__doc__ == "A sheet of tests."
    assert sheet.third == 13
    assert sheet.BUILT == [2, 3]
    assert sheet.later == 24
    assert sheet.BUILT == [2, 3, 1]


def test_all_formulas_can_be_built(sheet: ModuleType) -> None:
    assert {"first", "second", "later", "math"} <= set(dir(sheet))
    load_all(sheet)
    assert {"first", "second", "later"} <= set(vars(sheet))
    assert sheet.BUILT == [1, 2, 3]


def test_a_name_that_is_not_there_is_told_as_of_any_module(sheet: ModuleType) -> None:
    with pytest.raises(AttributeError, match=r"module 'package_of_sheets\.toy2026' has no attribute 'fourth'"):
        _ = sheet.fourth


def test_a_name_with_two_definitions_is_refused(sheet: ModuleType) -> None:
    file = Path(str(sheet.__file__))
    file.write_text(SHEET + "first = 5\n")
    del sys.modules[sheet.__name__]
    with pytest.raises(ImportError, match=r"toy2026\.py:17: first is defined a second time"):
        importlib.import_module(sheet.__name__)


def test_an_error_in_a_formula_names_its_line(sheet: ModuleType) -> None:
    file = Path(str(sheet.__file__))
    file.write_text(SHEET + "wrong = 1 / 0\n")
    del sys.modules[sheet.__name__]
    again = importlib.import_module(sheet.__name__)
    with pytest.raises(ZeroDivisionError) as caught:
        _ = again.wrong
    assert caught.traceback[-1].lineno + 1 == 17


def test_other_modules_are_left_to_python(tmp_path: Path) -> None:
    finder = SheetFinder("bounds", tmp_path)
    assert finder.find_spec("bounds.parse") is None
    assert finder.find_spec("bounds.toy2026") is None
    assert finder.find_spec("other.toy2026") is None

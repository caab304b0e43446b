"""What the surface needs of the other rooms, found by name at run time, so that `theory` depends on none of them.

A formula is parsed and a data file read here and nowhere else in this room. Each function loads its room when called:
a run that asks for neither does without both.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any


def what_if_bound(text: str, names: Iterable[str], constants: Any) -> Any:
    """The bound that the user writes. Raises an error of `refusals` for a text that is no formula in these names."""
    parsed = importlib.import_module("bounds.parse").parse_formula(text, names)
    return importlib.import_module("bounds.bound").Bound(parsed, constants=constants)


def formula_error() -> type[Exception]:
    """What is raised for a text that is no formula."""
    error: type[Exception] = importlib.import_module("bounds.parse").FormulaError
    return error


def domains() -> dict[str, Any]:
    """Where each symbol takes its values."""
    return {name: info.domain for name, info in importlib.import_module("bounds.symbols").SYMBOLS.items()}


def refuse_beyond_memory() -> Callable[[], None]:
    """Let allocations beyond the memory there is fail, in workers too; what is returned takes that back."""
    undo: Callable[[], None] = importlib.import_module("nets.core.memory").refuse_beyond_limit()
    return undo


def smallest() -> Any:
    """The function that solves premises for a size."""
    return importlib.import_module("bounds.decisions.region").smallest


def largest() -> Any:
    """The function that solves premises for the largest value of a symbol."""
    return importlib.import_module("bounds.decisions.region").largest


def sphere() -> Any:
    """The source of synthetic training points."""
    return importlib.import_module("nets.data.points").SphereSource()


def load_data(spec: str) -> Any:
    """The data set of that name or file. Raises `data_error()`."""
    return importlib.import_module("nets.data.labelled").load(spec)


def data_error() -> type[Exception]:
    """What is raised for data that cannot be used."""
    error: type[Exception] = importlib.import_module("nets.data.distances").DataError
    return error


def describe_data(data: Any) -> Sequence[str]:
    """What is to be said of a data set."""
    lines: list[str] = importlib.import_module("nets.data.labelled").describe(data)
    return lines

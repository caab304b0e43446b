"""What the surface brings together from `nets`, found by name at run time: no module of this room imports that one.

Data, memory and their errors are handed in as objects from here. Nothing of `nets` is loaded before it is asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from theory.core.names import PREFIX
from theory.core.sources import Source, UserData


def _of_nets(module: str, name: str) -> Any:
    """What stands under a name in a module of `nets`."""
    return getattr(importlib.import_module(f"{PREFIX}nets.{module}"), name)


def refuse_beyond_memory() -> Callable[[], None]:
    """Let allocations beyond the memory there is fail, in workers too; what is returned takes that back."""
    undo: Callable[[], None] = _of_nets("core.memory", "refuse_beyond_limit")()
    return undo


def sphere() -> Source:
    """The source of synthetic training points."""
    source: Source = _of_nets("data.points", "SphereSource")()
    return source


def load_data(spec: str) -> UserData:
    """The data set of that name or file. Raises `data_error()`."""
    data: UserData = _of_nets("data.labelled", "load")(spec)
    return data


def data_error() -> type[Exception]:
    """What is raised for data that cannot be used."""
    error: type[Exception] = _of_nets("data.distances", "DataError")
    return error


def describe_data(data: UserData) -> Sequence[str]:
    """What is to be said of a data set."""
    lines: list[str] = _of_nets("data.labelled", "describe")(data)
    return lines

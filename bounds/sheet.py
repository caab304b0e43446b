"""What a formula sheet holds: discovery of the bounds and premises of a paper's module.

A sheet is a module of `bounds.papers` named after a paper (``zou2018``): each public :class:`Bound` in it, each
:class:`Premise` is part of the sheet. There is no list to keep. Each premise says in its note what it asks for in the
words of the field. A block that takes a bound or a premise from a sheet shows the formula, as in
``bound=sheet.lemma_2.reads("C*sqrt(n/m)")``.
"""

import importlib
import pkgutil
from types import ModuleType

from bounds import papers
from bounds.bound import Bound
from bounds.lazy_sheet import PAPER_KEY, load_all
from bounds.premise import Premise

__all__ = ["bounds_of", "premises_of", "sheets"]


def sheets() -> dict[str, ModuleType]:
    """Return the formula sheets by paper key."""
    found = [module.name for module in pkgutil.iter_modules(papers.__path__)]
    return {name: importlib.import_module(f"{papers.__name__}.{name}") for name in found if PAPER_KEY.fullmatch(name)}


def bounds_of(module: ModuleType) -> dict[str, Bound]:
    """Return the bounds of a sheet by name."""
    load_all(module)
    return {
        name: value for name, value in vars(module).items() if isinstance(value, Bound) and not name.startswith("_")
    }


def premises_of(module: ModuleType) -> dict[str, Premise]:
    """Return the premises of a sheet by name; what a statement asks for is a tuple of these."""
    load_all(module)
    return {
        name: value for name, value in vars(module).items() if isinstance(value, Premise) and not name.startswith("_")
    }

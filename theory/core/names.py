"""The one name in an environment, `lemmata`, under which the rooms stand.

In a wheel the rooms are `lemmata.theory`, `lemmata.nets` and so on, and every import in it says so: the files are
renamed when the wheel is built (`theory.lemmata.wheel`). In a checkout they have their plain names, and `lemmata.nets`
is a further name of the same module, so that what is written for readers runs there as well.

Main definitions: `PREFIX`, what stands before the name of a room; `answer_to_lemmata`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import InspectLoader, Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import CodeType, ModuleType

ROOMS = ("theory", "bounds", "nets", "properties", "benchmarks")

# "lemmata." in a wheel, and nothing in a checkout.
PREFIX = __name__.partition("theory.")[0]


def answer_to_lemmata() -> None:
    """In a checkout, let `import lemmata` and the imports of its parts give the modules there."""
    if not PREFIX and not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module of the checkout that has `name` as a further name; None for any other."""
        first, _, rest = name.partition(".")
        if first != "lemmata":
            return None
        return ModuleSpec(name, _Further(rest if rest.split(".")[0] in ROOMS else f"theory.{name}"))


class _Further(Loader):
    """Gives a module that bears another name already."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module, loaded under its own name."""
        module = importlib.import_module(self._name)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is run a second time; the module goes on bearing its own name."""
        module.__spec__ = self._spec

    def get_code(self, name: str) -> CodeType | None:
        """The code of the module, which `python -m lemmata` runs."""
        spec = find_spec(self._name)
        loader = None if spec is None else spec.loader
        return loader.get_code(self._name) if isinstance(loader, InspectLoader) else None

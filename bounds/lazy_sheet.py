"""Formula sheets whose formulas are built when asked for.

A sheet is an ordinary module: a list of names with a formula each. sympy takes a quarter of a second for all of one,
and a claim needs a handful. So a sheet is run one statement at a time: asking for a name runs the statement that
defines it, after those it needs itself. Imports and definitions of more than a name run at once, in their order.

Main definitions: `SheetFinder`, which Python asks for the modules of this package, and `load_all`.
"""

import ast
import re
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

# author(s), year, and perhaps a word more: zou2018, allenzhu2018rnn
PAPER_KEY = re.compile(r"[a-z]+[0-9]{4}[a-z]*")


class _Sheet(ModuleType):
    """A module that runs the statement behind a name when the name is first asked for."""

    def __getattr__(self, name: str) -> object:
        pending: _Pending | None = self.__dict__.get("__pending__")
        if pending is None or name not in pending.statement_of:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        pending.run(name)
        return self.__dict__[name]

    def __dir__(self) -> list[str]:
        return sorted({*self.__dict__, *self.__dict__["__pending__"].statement_of})


class _Pending:
    """The statements of a sheet that have not run, by the names they define."""

    def __init__(self, module: ModuleType, file: str) -> None:
        self.module = module
        self.file = file
        self.statement_of: dict[str, ast.stmt] = {}

    def add(self, statement: ast.stmt) -> None:
        """Put a statement off, if it defines names and nothing else; run it now if not."""
        names = _defined(statement)
        if not names or isinstance(statement, ast.Import | ast.ImportFrom):
            self._execute(statement)
        for name in names:
            if name in self.statement_of:
                raise ImportError(f"{self.file}:{statement.lineno}: {name} is defined a second time; rename it")
            self.statement_of[name] = statement

    def run(self, name: str) -> None:
        """Run the statement that defines `name`, and before it those that define what it uses."""
        statement = self.statement_of.pop(name)
        for other in _defined(statement):
            self.statement_of.pop(other, None)
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and node.id in self.statement_of:
                self.run(node.id)
        self._execute(statement)

    def _execute(self, statement: ast.stmt) -> None:
        exec(compile(ast.Module([statement], []), self.file, "exec"), self.module.__dict__)


def _defined(statement: ast.stmt) -> list[str]:
    """The names that an assignment, a function or a class defines."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    targets: Sequence[ast.expr] = ()
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets = [statement.target]
    return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]


class _SheetLoader(SourceFileLoader):
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Sheet(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        tree = ast.parse(Path(self.path).read_bytes(), self.path)
        module.__doc__ = ast.get_docstring(tree, clean=False)
        pending = _Pending(module, self.path)
        module.__dict__["__pending__"] = pending
        for statement in tree.body:
            pending.add(statement)


class SheetFinder:
    """Finds the sheets of a package: its modules that bear the key of a paper."""

    def __init__(self, package: str, folder: Path) -> None:
        self._package = package
        self._folder = folder

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The place of a sheet; None for any other module."""
        package, _, key = name.rpartition(".")
        file = self._folder / f"{key}.py"
        if package != self._package or not PAPER_KEY.fullmatch(key) or not file.is_file():
            return None
        return spec_from_file_location(name, file, loader=_SheetLoader(name, str(file)))


def install(package: str, folder: Path) -> None:
    """Have the sheets of `package`, which stand in `folder`, loaded so."""
    sys.meta_path.insert(0, SheetFinder(package, folder))


def load_all(sheet: ModuleType) -> None:
    """Build every formula of a sheet."""
    pending: _Pending = sheet.__dict__["__pending__"]
    while pending.statement_of:
        pending.run(next(iter(pending.statement_of)))

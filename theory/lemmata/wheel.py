"""How a wheel is built: the rooms are renamed to parts of `lemmata`, in every file and on no line but its own.

Imports of rooms, and dotted names of what stands in them, get `lemmata.` before them, so that an installed file says
the true name of what it imports. So nothing is put on anybody's path, no name but `lemmata` is taken, and a type
checker or an editor finds what Python finds.

Main definitions: `BuildPy`, which setup.cfg names; `packages`, what is installed; `renamed`, the text of a file in the
wheel.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from setuptools.command.build_py import build_py

NAME = b"lemmata."
ROOMS = ("theory", "bounds", "nets", "properties", "benchmarks")
# The package `lemmata` itself, which is mapped from a folder of one of the rooms.
ITSELF = "theory.lemmata"
# What is of use in a checkout alone: what times the kernels, and what looks after the suite itself.
NOT_INSTALLED = ("benchmarks", "theory.upkeep")

# A dotted name as a text, perhaps to be gone on with.
_DOTTED = re.compile(rf"({'|'.join(ROOMS)})\.\w[\w.]*")
_FROM = re.compile(rb"from\s+")
_QUOTES = re.compile(rb"[A-Za-z]*(\"\"\"|'''|\"|')")


class BuildPy(build_py):  # type: ignore[misc]
    """Copies the modules of the packages that stand in the rooms, each as `renamed` has it."""

    def finalize_options(self) -> None:
        """Add to the packages that setup.cfg names those within them."""
        super().finalize_options()
        self.packages = self.distribution.packages = packages(Path())

    def build_module(self, module: str, module_file: str, package: str) -> Any:
        """Copy one module."""
        outfile, copied = super().build_module(module, module_file, package)
        file = Path(outfile)
        file.write_bytes(renamed(file.read_bytes(), module_file))
        return outfile, copied


def packages(root: Path) -> list[str]:
    """The packages of a wheel from the checkout at `root`: each folder of a room, but for its unit tests.

    So what a new paper brings is installed because it is there.
    """
    folders = {file.parent.relative_to(root) for room in ROOMS for file in (root / room).rglob("__init__.py")}
    names = {".".join(folder.parts) for folder in folders if "tests" not in folder.parts}
    kept = {name for name in names if not any(f"{name}.".startswith(f"{left}.") for left in NOT_INSTALLED)}
    return ["lemmata", *sorted(f"lemmata.{name}" for name in kept - {ITSELF})]


def renamed(source: bytes, file: str) -> bytes:
    """`source` with the rooms as parts of `lemmata`. Lines keep their numbers, and nothing is renamed twice.

    Raises `ValueError` where a module is imported without another name and used by the whole of its own.
    """
    tree = ast.parse(source)
    lines = source.splitlines(keepends=True)
    for line, column in sorted(set(_places(tree, lines, file)), reverse=True):
        text = lines[line - 1]
        lines[line - 1] = text[:column] + NAME + text[column:]
    return b"".join(lines)


def _places(tree: ast.Module, lines: list[bytes], file: str) -> Iterator[tuple[int, int]]:
    """Line and column of each name of a room that stands alone."""
    nodes = list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and not node.level and _of_a_room(node.module or ""):
            yield _after(_FROM, node, lines)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if _of_a_room(alias.name):
                    if alias.asname is None and _uses(nodes, alias.name.split(".")[0]):
                        raise ValueError(f"{file}:{node.lineno}: write `import {alias.name} as ...`")
                    yield alias.lineno, alias.col_offset
        elif isinstance(node, ast.JoinedStr | ast.Constant):
            first = node.values[0] if isinstance(node, ast.JoinedStr) and node.values else node
            if isinstance(first, ast.Constant) and isinstance(first.value, str) and _DOTTED.fullmatch(first.value):
                yield _after(_QUOTES, node, lines)


def _uses(nodes: list[ast.AST], name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in nodes)


def _of_a_room(name: str) -> bool:
    return name.split(".")[0] in ROOMS


def _after(pattern: re.Pattern[bytes], node: ast.stmt | ast.expr, lines: list[bytes]) -> tuple[int, int]:
    """The place behind what `pattern` finds where a node begins."""
    found = pattern.match(lines[node.lineno - 1], node.col_offset)
    return node.lineno, node.col_offset if found is None else found.end()

"""Where claim blocks stand, read from the text of a file without running it.

Main definitions: `block_sites`, the lines that call `claim`, `lemma` or `form`; `papers_named`, the papers that they
name; `python_files`, the files below a folder; `asks_for_a_checkout`, for files that an installed suite does not load.

A block that is never run is never judged, and nothing would show that it is missing. So what looks like a block is
found in the text, and held against what registers when the file is loaded.
"""

from __future__ import annotations

import ast
import functools
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

# Folders that hold no claims of anybody: caches, environments, version control.
SKIPPED = ("__pycache__", "node_modules", "build", "dist")

# The decorators that declare a claim, and all that a block may call.
DECLARING = ("claim", "lemma")
DECORATORS = (*DECLARING, "form")

# The modules that have the decorators.
VOCABULARY = ("lemmata", "theory.claims")
# As files name the second one that were written in a checkout.
OF_A_CHECKOUT = ".".join(("theory", "claims"))
# The name of the short form, which the name of the package holds as well.
_SHORT = re.compile(rb"\blemma\b")
_KEY = re.compile(r"([^\s:]*)[:\s]")


def python_files(place: Path, skipped: Sequence[str] = SKIPPED) -> list[Path]:
    """Every Python file below `place` in order of its path, but for hidden folders, environments and those skipped."""
    return sorted(_walk(place, skipped))


def _walk(place: Path, skipped: Sequence[str]) -> Iterator[Path]:
    for folder, names, files in os.walk(place):
        names[:] = [
            name
            for name in names
            if not name.startswith(".") and name not in skipped and not os.path.exists(f"{folder}/{name}/pyvenv.cfg")
        ]
        # Not links that lead nowhere, as editors leave them, not what nobody may read, and no pipes.
        yield from (
            Path(folder, file)
            for file in files
            if file.endswith(".py") and os.path.isfile(f"{folder}/{file}") and os.access(f"{folder}/{file}", os.R_OK)
        )


def may_hold_blocks(content: bytes) -> bool:
    """Whether `content` has the words without which no claim can be declared."""
    return (b"lemmata" in content or b"theory" in content) and (
        b"claim" in content or _SHORT.search(content) is not None
    )


# Each file is asked several times: when it is listed, when it is loaded, and when what registered is checked.
@functools.lru_cache(maxsize=1024)
def block_sites(content: bytes) -> tuple[int, ...]:
    """The lines of `content` that call `claim`, `lemma` or `form`, in order, but for those in functions named `test_*`.

    Unit tests declare claims inside their functions, and those are no claims of a suite. A file that is no Python
    has none here; loading it says what is wrong.
    """
    if not may_hold_blocks(content):
        return ()
    tree = _parsed(content)
    if tree is None:
        return ()
    return tuple(sorted({call.lineno for call in _calls(tree, DECORATORS)}))


def papers_named(content: bytes) -> frozenset[str] | None:
    """The papers (keys) whose claims the blocks of `content` declare; `None` where an id is not written out there.

    A form is of the paper of its block.
    """
    tree = _parsed(content)
    if tree is None or (OF_A_CHECKOUT not in VOCABULARY and asks_for_a_checkout(content)):
        return None
    found = set()
    for call in _calls(tree, DECLARING):
        identifier = call.args[0] if call.args else None
        if isinstance(identifier, ast.JoinedStr) and identifier.values:
            identifier = identifier.values[0]
        text = identifier.value if isinstance(identifier, ast.Constant) else None
        # In short form a blank stands after the key: "arora2019 Lemma C.1".
        key = _KEY.match(text) if isinstance(text, str) else None
        if key is None:
            return None
        found.add(key[1])
    return frozenset(found)


def is_broken(content: bytes) -> bool:
    """Whether `content` is meant to declare claims and is no Python."""
    if b"lemmata" not in content and b"theory.claims" not in content:
        return False
    try:
        ast.parse(content)
    except (RecursionError, MemoryError):  # nested too deep for the parser: no claim file is
        return False
    except (SyntaxError, ValueError):
        return True
    return False


def asks_for_a_checkout(content: bytes) -> int:
    """The line on which a file imports decorators as in a checkout, 0 where none does."""
    tree = _parsed(content) if OF_A_CHECKOUT.encode() in content else None
    lines = (
        node.lineno
        for node in ast.walk(tree or ast.Module([], []))
        if (isinstance(node, ast.ImportFrom) and node.module == OF_A_CHECKOUT)
        or (isinstance(node, ast.Import) and any(alias.name == OF_A_CHECKOUT for alias in node.names))
    )
    return next(lines, 0)


def _parsed(content: bytes) -> ast.Module | None:
    try:
        return ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last ones of sources that are nested too deep
        return None


def _calls(tree: ast.Module, decorators: Sequence[str]) -> Iterator[ast.Call]:
    """The calls of these decorators, under the names that the file knows them by."""
    names, modules = _imported(tree, decorators)
    return _calls_below(tree, names, {f"{module}.{name}" for module in modules for name in decorators})


def _imported(tree: ast.Module, decorators: Sequence[str]) -> tuple[set[str], set[str]]:
    """The names under which a file knows the decorators, and those under which it knows their module."""
    names: set[str] = set()
    modules: set[str] = set()
    parents = dict(module.rsplit(".", 1) for module in VOCABULARY if "." in module)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in VOCABULARY:
            names |= {alias.asname or alias.name for alias in node.names if alias.name in decorators}
        elif isinstance(node, ast.ImportFrom) and node.module in parents:
            modules |= {alias.asname or alias.name for alias in node.names if alias.name == parents[node.module]}
        elif isinstance(node, ast.Import):
            modules |= {alias.asname or alias.name for alias in node.names if alias.name in VOCABULARY}
    return names, modules


def _calls_below(tree: ast.AST, names: set[str], attributes: set[str]) -> Iterator[ast.Call]:
    left = [tree] if names or attributes else []
    while left:
        for child in ast.iter_child_nodes(left.pop()):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and child.name.startswith("test_"):
                continue
            if isinstance(child, ast.Call) and _is_one(child.func, names, attributes):
                yield child
            left.append(child)


def _is_one(called: ast.expr, names: set[str], attributes: set[str]) -> bool:
    if isinstance(called, ast.Name):
        return called.id in names
    words = []
    while isinstance(called, ast.Attribute):
        words.append(called.attr)
        called = called.value
    return isinstance(called, ast.Name) and ".".join([called.id, *reversed(words)]) in attributes

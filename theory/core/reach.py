"""What a definition can reach by names: the parts of the sources that a result of it depends on.

A definition is a function, a class or an assigned name at the head of a module, with all that its statement says,
decorators and defaults included. It reaches what the names in it stand for, in its own module or by an import, and so
on; `module.name` reaches that name, and a module that is passed on as it is reaches all of it. Methods belong to their
class. Nothing is run, so that what is reached may be too much: every import of a module counts wherever it stands, and
a name that a function has for itself counts as the module's. Comments, docstrings and lines do not count.

Too little is reached where a name is looked up by its text. A word of a string that is the name of a definition of the
`sheets` counts for that reason, so that a formula in text reaches the constants that it names; of `getattr` and
`import_module` a test asks that they take names of the project nowhere else.

Main definitions: `Sources`, the modules of some folders; `Sources.reached`, the digests of what is reached.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from theory.core.values import Json, JsonDict

# What was read before counts as long as this file reads in the same way.
READER = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()

# A module and a name in it; the empty name stands for what a module does when it is imported.
Place = tuple[str, str]
EFFECTS = ""

_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass
class Definition:
    """The statements behind a name: `chains` are the dotted names in them, `words` those in their strings."""

    digest: str = ""
    chains: set[tuple[str, ...]] = field(default_factory=set)
    words: set[str] = field(default_factory=set)

    def add(self, statement: ast.stmt) -> None:
        """One statement more."""
        bare = _without_docstrings(statement)
        self.digest = hashlib.sha256((self.digest + ast.dump(bare)).encode()).hexdigest()
        waiting: list[ast.AST] = [bare]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                self.words.update(_WORD.findall(node.value))
            chain = _chain(node) if isinstance(node, ast.expr) else ()
            if chain:
                self.chains.add(chain)
            else:
                waiting += ast.iter_child_nodes(node)


@dataclass
class Module:
    """The definitions of a module by name, and what each imported name stands for: a module, or a name in one."""

    name: str
    definitions: dict[str, Definition] = field(default_factory=dict)
    imports: dict[str, list[tuple[str, str | None]]] = field(default_factory=dict)
    lines: list[tuple[int, int, tuple[str, ...]]] = field(default_factory=list)

    @classmethod
    def read(cls, name: str, text: str) -> Module:
        """The module of a text."""
        found, tree = cls(name), ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    bound = alias.asname or alias.name.partition(".")[0]
                    found.imports.setdefault(bound, []).append((alias.name if alias.asname else bound, None))
            elif isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
                for alias in node.names:
                    found.imports.setdefault(alias.asname or alias.name, []).append((node.module, alias.name))
        for statement in tree.body:
            if isinstance(statement, ast.Import | ast.ImportFrom) or _is_docstring(statement):
                continue
            names = tuple(_defined(statement)) or (EFFECTS,)
            for defined in names:
                found.definitions.setdefault(defined, Definition()).add(statement)
            first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
            found.lines.append((first, statement.end_lineno or first, names))
        return found

    def to_json(self) -> JsonDict:
        """Plain data, of which `from_json` makes the module again."""
        definitions = {
            name: [one.digest, sorted(one.chains), sorted(one.words)] for name, one in self.definitions.items()
        }
        return {"definitions": definitions, "imports": self.imports, "lines": self.lines}

    @classmethod
    def from_json(cls, name: str, said: Json) -> Module:
        """The module of what `to_json` gave."""
        definitions = {
            defined: Definition(digest, set(map(tuple, chains)), set(words))
            for defined, (digest, chains, words) in said["definitions"].items()
        }
        imports = {bound: [(target, part) for target, part in targets] for bound, targets in said["imports"].items()}
        lines = [(first, last, tuple(names)) for first, last, names in said["lines"]]
        return cls(name, definitions, imports, lines)

    def at(self, line: int) -> tuple[str, ...]:
        """What the statement on a line defines; empty where none stands there."""
        return next((names for first, last, names in self.lines if first <= line <= last), ())


class Sources:
    """The modules of some sources below `root`, by their names.

    `sheets` is the package whose names count where a string says them.
    """

    def __init__(self, root: Path, modules: Mapping[str, Module], sheets: str = "") -> None:
        self.root = root
        self.modules = dict(modules)
        self._sheets = sheets

    @classmethod
    def read(cls, root: Path, rooms: Sequence[str], sheets: str = "", kept: Path | None = None) -> Sources:
        """The sources in the folders `rooms`, those in `tests` left out.

        In the file `kept` stands what was read before, so that a file which has not changed is not read again; without
        it, or where it cannot be used, all are.
        """
        before, now = _before(kept), dict[str, JsonDict]()
        modules: dict[str, Module] = {}
        for path in sorted(path for room in rooms for path in (root / room).rglob("*.py")):
            inside = path.relative_to(root)
            if "tests" in inside.parts:
                continue
            parts = inside.with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            content = path.read_bytes()
            digest = hashlib.sha256(f"{READER} {sys.version} {name}\n".encode() + content).hexdigest()
            known = before.get(name)
            if known is None or known["digest"] != digest:
                known = {"digest": digest, "module": Module.read(name, content.decode("utf-8")).to_json()}
            now[name] = known
            modules[name] = Module.from_json(name, known["module"])
        if kept is not None and now != before:
            with contextlib.suppress(OSError):
                file, temporary = tempfile.mkstemp(dir=kept.parent)
                with os.fdopen(file, "w", encoding="utf-8") as writing:
                    json.dump(now, writing)
                os.replace(temporary, kept)
        return cls(root, modules, sheets)

    def module_of(self, file: Path) -> Module | None:
        """The module in a file; None for one that is not of these sources."""
        try:
            parts = file.resolve().relative_to(self.root.resolve()).with_suffix("").parts
        except ValueError:
            return None
        return self.modules.get(".".join(parts))

    def reached(self, places: Iterable[Place]) -> dict[Place, str]:
        """The digest of everything that is reached from these places, and of themselves; unknown ones are left out."""
        mask = 0
        for place in places:
            mask |= self._masks.get(place, 0)
        # The lowest bit is the last character.
        numbers = (match.start() for match in re.finditer("1", bin(mask)[:1:-1]))
        found = (self._places[number] for number in numbers)
        return {place: self.modules[place[0]].definitions[place[1]].digest for place in found}

    @cached_property
    def _places(self) -> list[Place]:
        return [(module.name, name) for module in self.modules.values() for name in module.definitions]

    @cached_property
    def _masks(self) -> dict[Place, int]:
        """What each definition reaches, as a set of their numbers: the bits of an integer."""
        masks = {place: 1 << number for number, place in enumerate(self._places)}
        following = {place: [other for other in self._next(place) if other in masks] for place in masks}
        moved = True
        while moved:
            moved = False
            for place in self._places:
                mask = masks[place]
                for other in following[place]:
                    mask |= masks[other]
                if mask != masks[place]:
                    masks[place], moved = mask, True
        return masks

    def _next(self, place: Place) -> set[Place]:
        """What a definition names, and what its module does when it is imported."""
        module = self.modules[place[0]]
        definition = module.definitions[place[1]]
        named = {(module.name, EFFECTS)}
        for chain in definition.chains:
            named.update(self._resolved(module, chain))
        named.update(spot for word in definition.words for spot in self._by_word.get(word, ()))
        return named

    @cached_property
    def _by_word(self) -> dict[str, list[Place]]:
        """The definitions of the sheets by name."""
        found: dict[str, list[Place]] = {}
        for module in self.modules.values():
            if self._sheets and module.name.startswith(f"{self._sheets}."):
                for name in filter(None, module.definitions):
                    found.setdefault(name, []).append((module.name, name))
        return found

    def _resolved(
        self, module: Module, chain: tuple[str, ...], seen: frozenset[Place] = frozenset()
    ) -> Iterator[Place]:
        """The definitions that a dotted name may stand for in a module."""
        first, rest = chain[0], chain[1:]
        if first in module.definitions:
            yield module.name, first
        if (module.name, first) in seen:
            return
        seen |= {(module.name, first)}
        for target, name in module.imports.get(first, ()):
            yield from self._of_import(target, name, rest, seen)

    def _of_import(
        self, target: str, name: str | None, rest: tuple[str, ...], seen: frozenset[Place]
    ) -> Iterator[Place]:
        whole = f"{target}.{name}" if name is not None else target
        if name is not None and target in self.modules and whole not in self.modules:
            yield from self._resolved(self.modules[target], (name, *rest), seen)
            return
        # As many of the further names as are still those of modules.
        while rest and f"{whole}.{rest[0]}" in self.modules:
            whole, rest = f"{whole}.{rest[0]}", rest[1:]
        if whole not in self.modules:
            return
        if rest:
            yield from self._resolved(self.modules[whole], rest, seen)
        else:
            yield from ((whole, defined) for defined in self.modules[whole].definitions)


def _before(kept: Path | None) -> dict[str, JsonDict]:
    """What a file says was read before; nothing where it is missing or broken."""
    if kept is not None:
        with contextlib.suppress(OSError, ValueError):
            return dict(json.loads(kept.read_text(encoding="utf-8")))
    return {}


def _chain(node: ast.expr) -> tuple[str, ...]:
    """The names of `a.b.c`; none of anything else."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return (node.id, *reversed(names)) if isinstance(node, ast.Name) else ()


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _without_docstrings(statement: ast.stmt) -> ast.stmt:
    """The statement without the docstrings in it; it is changed, as nobody else has it."""
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and _is_docstring(node.body[0]):
            node.body = node.body[1:] or [ast.Pass()]
    return statement


def _defined(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement defines or changes; none where it does something else."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
        for decorator in statement.decorator_list:
            # Of a function with a form for each type, one of these.
            if isinstance(decorator, ast.Attribute) and decorator.attr == "register":
                yield from _chain(decorator)[:1]
        return
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
        targets = [statement.target]
    else:
        return
    for target in targets:
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                yield node.id

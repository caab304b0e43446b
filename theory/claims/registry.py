"""The claims of this process, by presence: a block in a claim file registers when the file is loaded.

Main definitions: `load_file`, `load_claims`, `found`, `claims`, `find`, `is_claim_file`.

A claim file is one whose name pytest takes for tests, below `properties/` or in a folder of the reader's own. What
looks like a block there and does not register is refused, as is what registers from elsewhere.
"""

from __future__ import annotations

import fnmatch
import functools
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from theory.claims.sites import block_sites, python_files
from theory.core.names import PREFIX
from theory.core.refusal import ROOT, ClaimError, TakenError, does_not_load, relative
from theory.papers import beside

if TYPE_CHECKING:
    from theory.claims.block import Claim

SUITE = ROOT / "properties"

# Variables of the environment: which unit test runs, if it must not read all claims of the suite, and of which files it
# may, as in "zou2018/test_separation.py".
REFUSED = "LEMMATA_TEST_WITHOUT_CLAIMS"
OPEN = "LEMMATA_TEST_WITH_CLAIMS_OF"

# What pytest collects where nothing else is said.
PATTERNS = ("test_*.py", "*_test.py")

# Folders of unit tests, which hold no claims to be judged.
UNIT_TESTS = "tests"

_claims: dict[str, Claim] = {}
_loaded: dict[Path, tuple[str, ...]] = {}
# The places (file, line) at which `claim` was called while a file was loaded, and those at which it got a function.
_called: list[tuple[str, int]] = []
_registered: list[tuple[str, int]] = []
# Claims that registered while no file was loaded here: somebody else imported the module they stand in.
_strays: list[Claim] = []
# For each file that is being loaded, the innermost last: the refusals of its blocks so far.
_refusals: list[list[ClaimError]] = []

# The folders that claim files of a checkout import from. A folder of that name elsewhere would be taken for them.
ROOMS = ("theory", "bounds", "nets", "properties")


def call(file: str, line: int) -> None:
    """Note that a block at this place began; called by the decorator."""
    if _refusals:
        _called.append((file, line))


def waits(refusal: ClaimError) -> bool:
    """Whether the refusal of a block waits until the whole file is loaded, so that all of them are said at once."""
    if not _refusals or isinstance(refusal, TakenError):
        return False
    _refusals[-1].append(refusal)
    return True


def add(declared: Claim, site: tuple[str, int]) -> None:
    """Register a claim; called by the decorator with the place of the call.

    Raises `TakenError` if the id is taken. Outside of a file that is being loaded, a block run a second time takes the
    place of its former self.
    """
    other = _claims.get(declared.id)
    # A cell of a notebook has another name each time it is run, and no file.
    same_block = other is not None and (_of_block(other) == _of_block(declared) or not _resolved(other.file).exists())
    if other is not None and (_refusals or not same_block):
        where = "by an earlier turn of this same block" if same_block else f"by {other.file}:{other.line}"
        raise TakenError(
            f"{declared.file}:{declared.line}: claim {declared.id}: its id is taken {where}; "
            f"rename it or give it a variant"
        )
    _claims[declared.id] = declared
    _registered.append(site)
    if not _refusals:
        _strays.append(declared)


def _of_block(declared: Claim) -> tuple[str, int, int | None]:
    code = getattr(declared.function, "__code__", None)
    return declared.file, declared.line, getattr(code, "co_firstlineno", None)


def strays() -> list[Claim]:
    """The claims that registered while no claim file was being loaded, in their order."""
    return list(_strays)


def remove(identifier: str) -> None:
    """Forget a claim (for tests that declare claims of their own)."""
    _claims.pop(identifier, None)


def find(identifier: str) -> Claim | None:
    """The claim of that id, if one is loaded."""
    return _claims.get(identifier)


def found(identifier: str, file: str) -> Claim:
    """The claim of that id, from its file if it is not loaded yet: how a worker comes by a claim.

    Raises `ClaimError` if the file has no such claim.
    """
    if identifier not in _claims:
        load_file(ROOT / file)
    if identifier not in _claims:
        raise ClaimError(f"{file}: claim {identifier} is not there in this worker; start it in a copy of this checkout")
    return _claims[identifier]


def claims() -> list[Claim]:
    """Every loaded claim, in the order of their ids."""
    return [_claims[identifier] for identifier in sorted(_claims)]


def is_of_the_suite(path: Path) -> bool:
    """Whether it is a claim file of the suite."""
    whole = path.absolute()
    return whole.is_relative_to(SUITE) and is_claim_file(whole, SUITE)


def may_be_read(path: Path) -> bool:
    """Whether the unit test that runs, if one does, may read a claim file of the suite."""
    if not os.environ.get(REFUSED):
        return True
    return path.absolute().is_relative_to(SUITE) and path.absolute().relative_to(SUITE).as_posix() in opened()


def opened() -> list[str]:
    """The claim files that the unit test that runs may read, below the folder of the suite."""
    return os.environ.get(OPEN, "").split()


def refuse_where_it_must_not_be_read(path: Path) -> None:
    """Raise `ClaimError` in a unit test, and in processes of one, that may not read this file or folder of claims."""
    if not may_be_read(path):
        raise ClaimError(
            f"{os.environ[REFUSED]} reads claims of the suite, in {relative(path)}: mark it with reads_claims, or with "
            f"reads_claims_of and the name of the file, or let it judge claims of its own"
        )


def forget_what_must_not_be_read() -> None:
    """Forget the claims of the suite that an earlier unit test loaded and the one that runs may not read."""
    for path in [path for path in _loaded if path.is_relative_to(SUITE) and not may_be_read(path)]:
        for identifier in _loaded.pop(path):
            _claims.pop(identifier, None)
        sys.modules.pop(module_of(path)[0], None)


def load_claims(place: Path = SUITE, patterns: Sequence[str] = PATTERNS) -> list[Claim]:
    """Load every claim file below `place` and return all claims loaded so far."""
    if place.absolute().is_relative_to(SUITE):
        refuse_where_it_must_not_be_read(place)
    for path in python_files(place):
        sites = block_sites(path.read_bytes())
        if sites:
            refuse_misplaced(path, sites, place, patterns)
            load_file(path)
    return claims()


def is_claim_file(path: Path, place: Path, patterns: Sequence[str] = PATTERNS) -> bool:
    """Whether claims below `place` may stand in `path`, by its name and folder."""
    named = any(fnmatch.fnmatchcase(path.name, pattern) for pattern in patterns)
    return named and UNIT_TESTS not in path.relative_to(place).parts[:-1]


def refuse_misplaced(path: Path, sites: Sequence[int], place: Path, patterns: Sequence[str]) -> None:
    """Raise `ClaimError` if a file with blocks is none from which claims are collected."""
    if not is_claim_file(path, place, patterns):
        where = f"{relative(path)}:{sites[0]}: a claim block stands in a file that no run collects"
        raise ClaimError(f"{where}; move it to a file named {' or '.join(patterns)}, not below tests/")


def load_file(file: Path) -> list[Claim]:
    """Load a claim file and return its claims, in their order there.

    Raises `ClaimError` where the file does not load, where blocks of it are refused, with a line for each of them,
    where something that looks like a block registers nothing, and where a block registers from another file.
    """
    path = file.resolve()
    if path.is_relative_to(SUITE):
        refuse_where_it_must_not_be_read(path)
    if path not in _loaded:
        before, noted, name = set(_claims), len(_registered), module_of(path)[0]
        was_there = name in sys.modules
        try:
            with _loading():
                _import(path)
            _check(path, _registered[noted:])
        except BaseException:
            for identifier in set(_claims) - before:
                del _claims[identifier]
            if not was_there:
                sys.modules.pop(name, None)
            raise
        here = [name for name, declared in _claims.items() if _resolved(declared.file) == path]
        _loaded[path] = tuple(here)
    return [_claims[identifier] for identifier in _loaded[path] if identifier in _claims]


@functools.cache
def _resolved(file: str) -> Path:
    """The file that a name leads to; asked for every block at every file, and each answer is a look at the disk."""
    return (ROOT / file).resolve()


@contextmanager
def _loading() -> Iterator[None]:
    """While a file is loaded; raises `ClaimError` with what was refused in it, and with what it raised after that."""
    refused: list[ClaimError] = []
    _refusals.append(refused)
    try:
        yield
    except ClaimError as error:
        if not refused:
            raise
        refused.append(error)
    finally:
        _refusals.pop()
    if len(refused) == 1:
        raise refused[0]
    if refused:
        raise ClaimError("\n".join(map(str, refused)))


def _check(path: Path, new: Sequence[tuple[str, int]]) -> None:
    """Refuse blocks of `path` that did not register, and those among the `new` ones that stand in no claim file."""
    for file, line in new:
        if not any(fnmatch.fnmatchcase(Path(file).name, pattern) for pattern in (path.name, *PATTERNS)):
            raise ClaimError(
                f"{relative(Path(file))}:{line}: a claim block of this file registered while {relative(path)} was "
                f"loaded, and no run collects it; write the block in the claim file"
            )
    registered = {line for file, line in _registered if _resolved(file) == path}
    called = {line for file, line in _called if _resolved(file) == path}
    for line in block_sites(path.read_bytes()):
        if line in registered:
            continue
        if line in called:
            what = (
                "calls claim(...), lemma(...) or form(...) and decorates no function with it; put @ before it and a "
                "function below, each form between the claim and its function"
            )
        else:
            what = "looks like a claim block and never runs, so it would never be judged; run it or remove it"
        raise ClaimError(f"{relative(path)}:{line}: {what}")


def module_of(path: Path) -> tuple[str, Path]:
    """The name under which a claim file is imported, and the folder that has to be on the path for it.

    As pytest has it: a file in a package is a module of that package, any other a module of its own.
    """
    if path.is_relative_to(ROOT):
        return PREFIX + ".".join(path.relative_to(ROOT).with_suffix("").parts), ROOT.parent if PREFIX else ROOT
    base = path.parent
    while (base / "__init__.py").exists():
        base = base.parent
    return ".".join(path.relative_to(base).with_suffix("").parts), base


def _import(path: Path) -> None:
    """Import a claim file, whose own mistakes get one line as those of a block do."""
    name, base = module_of(path)
    if str(base) not in sys.path:
        sys.path.insert(0, str(base))
    if not PREFIX:
        refuse_shadowed_rooms()
    beside(path.parent)
    try:
        module = _module(name)
    except (ClaimError, KeyboardInterrupt):
        raise
    except BaseException as error:
        if not path.exists():
            raise ClaimError(f"{relative(path)}: there is no such file") from None
        raise does_not_load(path, error) from error
    there = Path(getattr(module, "__file__", None) or "").resolve()
    if there != path:
        raise ClaimError(
            f"{relative(path)}: another file of that name is loaded, {relative(there)}; rename one, or put an empty "
            f"__init__.py beside each"
        )


def _module(name: str) -> ModuleType:
    """Import a module of claims as it is written: pytest would change its assertions here and not in a worker."""
    if name in sys.modules:
        return sys.modules[name]
    with _without_rewriting():
        spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)
    return module


@contextmanager
def _without_rewriting() -> Iterator[None]:
    rewriting = [finder for finder in sys.meta_path if type(finder).__name__ == "AssertionRewritingHook"]
    sys.meta_path[:] = [finder for finder in sys.meta_path if finder not in rewriting]
    try:
        yield
    finally:
        sys.meta_path[:0] = rewriting


def refuse_shadowed_rooms() -> None:
    """Raise `ClaimError` if one of `ROOMS` would be imported from somebody else's folder."""
    for room in ROOMS:
        spec = importlib.util.find_spec(room)
        places = [] if spec is None else [spec.origin or "", *(spec.submodule_search_locations or ())]
        if not any(place and Path(place).resolve().is_relative_to(ROOT) for place in places):
            other = next(filter(None, places), "nothing")
            raise ClaimError(
                f"`import {room}` gives {other}, not the room of that name in {ROOT}; rename that folder or run "
                f"pytest from elsewhere"
            )

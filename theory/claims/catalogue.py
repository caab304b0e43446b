"""Every claim by id and paper, known without loading the files that have not changed.

Main definitions: `Entry`, what is known of a claim that is not loaded; `Catalogue`; `in_a_room`.

Loading all claims takes seconds, and asking for one needs the ids of all. So what each file registered
is kept in an index, under a digest of that file and of all that it can import: an entry is used only where both are
as they were. The index is a convenience; without one the files are loaded.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from theory.claims import registry
from theory.claims.registry import PATTERNS, SUITE, UNIT_TESTS
from theory.claims.sites import (
    OF_A_CHECKOUT,
    asks_for_a_checkout,
    block_sites,
    is_broken,
    may_hold_blocks,
    python_files,
)
from theory.core.names import PREFIX
from theory.core.refusal import ROOT, ClaimError, TakenError

if TYPE_CHECKING:
    from theory.claims.block import Claim

FORMAT = 2
# The rooms a claim file can import from, besides files of its own folder.
ROOMS = ("theory", "bounds", "nets", "properties")
# What ids may depend on besides sources.
PACKAGES = ("numpy", "scipy", "sympy", "hypothesis")
WORD = re.compile(rb"\w+")


@dataclass(frozen=True)
class Entry:
    """A claim that need not be loaded: what selecting it and sharing the error budget take."""

    id: str
    statement: str
    paper: str
    theme: str
    takes_data: bool
    function: str
    file: str
    line: int
    # The file it stands in, which is asked for so often that it is found out once.
    path: Path

    @classmethod
    def of(cls, claim: Claim) -> Entry:
        """The entry of a loaded claim."""
        return cls(
            claim.id,
            claim.statement,
            claim.paper,
            claim.theme,
            claim.takes_data,
            claim.function.__name__,
            claim.file,
            claim.line,
            (ROOT / claim.file).resolve(),
        )

    @property
    def kept(self) -> dict[str, object]:
        """What an index keeps of it, where it stands under the name of the file."""
        return {name: value for name, value in vars(self).items() if name != "path"}


class Catalogue:
    """The claims of the suite and of further folders of claims.

    `index` is the file that keeps what is known between runs. `patterns` are the names of claim files in the folders
    that are added; those of the suite have names of their own. A file that cannot be accepted is refused at once, or
    set aside in `slips` with its refusal if `may_wait` says so of it. So is one whose ids are taken, if it is only
    beside what was asked for, as `is_beside` says.
    """

    def __init__(
        self,
        index: Path,
        patterns: Sequence[str] = PATTERNS,
        may_wait: Callable[[Path], bool] = lambda path: False,
        is_beside: Callable[[Path], bool] = lambda path: False,
    ) -> None:
        self._index = index
        self._is_beside = is_beside
        self._patterns = tuple(patterns)
        self._may_wait = may_wait
        self.slips: dict[Path, ClaimError] = {}
        self._known: dict[str, object] = _read(index)
        self._fresh: dict[str, object] = {}
        self._entries: dict[Path, list[Entry]] = {}
        self._places: set[Path] = set()
        self._changed = False

    def add_suite(self) -> None:
        """Take in the claims of the suite. Raises `ClaimError` for files that cannot be accepted."""
        # To a unit test that names claim files, and to its processes, the suite has the claims of these and no others.
        if not os.environ.get(registry.REFUSED) or registry.opened():
            self._add(SUITE, PATTERNS, self._surroundings)

    def add_place(self, place: Path) -> None:
        """Take in the claims of a folder and those below it. Raises `ClaimError` as `add_suite` does."""
        if not place.resolve().is_relative_to(SUITE):
            self._add(place.resolve(), self._patterns, self._surroundings + _digest(_beside(place.resolve())))
        else:
            self.add_suite()

    @property
    def sources_outside(self) -> list[Path]:
        """The files of the folders that were added, those of the suite aside, in order."""
        return [path for place in sorted(self._places) if place != SUITE for path in python_files(place)]

    @property
    def entries(self) -> list[Entry]:
        """Every claim, in the order of the ids."""
        return sorted((entry for entries in self._entries.values() for entry in entries), key=lambda entry: entry.id)

    def of_file(self, path: Path) -> list[Entry]:
        """The claims of one file, in their order there; none for a file without."""
        return self._entries.get(path.resolve(), [])

    def save(self) -> None:
        """Keep what was learnt; in silence where it cannot be kept, since it can be learnt again."""
        if not self._changed:
            return
        kept = {file: known for file, known in self._known.items() if os.path.exists(file)}
        text = json.dumps({"claims": FORMAT, "files": kept | self._fresh})
        with contextlib.suppress(OSError):
            # Open to nobody else, whatever the umask: compiled kernels are kept in this folder too, and run.
            self._index.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=self._index.parent, prefix=f".{self._index.name}.")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(temporary, self._index)
        self._changed = False

    def _add(self, place: Path, patterns: Sequence[str], surroundings: str) -> None:
        if place in self._places:
            return
        # In the suite no folder is somebody else's build; elsewhere the rooms are no folder of the reader's.
        if place == SUITE:
            paths = [path for path in python_files(place, ()) if registry.may_be_read(path)]
        else:
            paths = [path for path in python_files(place) if not in_a_room(path)]
        # First what was asked for, so that its ids are not taken by what is beside it.
        paths = sorted(paths, key=lambda path: self._is_beside(path.resolve()))
        contents = {path: path.read_bytes() for path in paths}
        claims = _by_word({path for path in contents if registry.is_claim_file(path, place, patterns)})
        for path, content in contents.items():
            if may_hold_blocks(content):
                # A claim file that names another one may import from it.
                named = {other for word in set(WORD.findall(content)) for other in claims.get(word, ())} - {path}
                self._add_file(path, content, place, patterns, surroundings + _digest(sorted(named)))
        self._places.add(place)
        self._refuse_taken_ids()
        self.save()

    def _add_file(self, path: Path, content: bytes, place: Path, patterns: Sequence[str], surroundings: str) -> None:
        place_of_file = path.resolve()
        if place_of_file in self._entries or place_of_file in self.slips:
            return
        key = hashlib.sha256(surroundings.encode() + content).hexdigest()
        known = self._known.get(str(path))
        entries = _entries(known, key, place_of_file)
        if entries is None:
            try:
                entries = _loaded_entries(path, content, place, patterns)
            except ClaimError as error:
                waits = self._is_beside if isinstance(error, TakenError) else self._may_wait
                if not waits(place_of_file):
                    raise
                self.slips[place_of_file] = error
                return
            self._fresh[str(path)] = {"key": key, "claims": [entry.kept for entry in entries]}
            self._changed = True
        self._entries[place_of_file] = entries

    def _refuse_taken_ids(self) -> None:
        first: dict[str, Entry] = {}
        for entry in sorted(self.entries, key=lambda entry: self._is_beside(entry.path)):
            other = first.setdefault(entry.id, entry)
            if other is entry or entry.path not in self._entries:
                continue
            error = TakenError(
                f"{entry.file}:{entry.line}: claim {entry.id}: its id is taken by {other.file}:{other.line}; "
                f"rename it or give it a variant, or keep one of the two files in a folder of its own"
            )
            if not self._is_beside(entry.path):
                raise error
            self.slips[entry.path] = error
            for gone in self._entries.pop(entry.path):
                loaded = registry.find(gone.id)
                if loaded is not None and (ROOT / loaded.file).resolve() == entry.path:
                    registry.remove(gone.id)

    @cached_property
    def _surroundings(self) -> str:
        """Digest of whatever the claim files of the suite can import, and of the versions in force."""
        sources = (path for room in ROOMS for path in _beside(ROOT / room))
        versions = [sys.version, *(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)]
        return hashlib.sha256("\n".join([_digest(sources), *versions]).encode()).hexdigest()


def _by_word(paths: Iterable[Path]) -> dict[bytes, list[Path]]:
    """The files by the words of their names: a file that names one of them has these words."""
    found: dict[bytes, list[Path]] = {}
    for path in paths:
        for word in set(WORD.findall(path.stem.encode())):
            found.setdefault(word, []).append(path)
    return found


def _loaded_entries(path: Path, content: bytes, place: Path, patterns: Sequence[str]) -> list[Entry]:
    """The entries of a file that is loaded for them. Raises `ClaimError` for one that cannot be accepted."""
    if line := 0 if not PREFIX or _is_there(OF_A_CHECKOUT) else asks_for_a_checkout(content):
        raise ClaimError(
            f"{path}:{line}: claim files import from `lemmata` alone: write `from lemmata import claim, control, grid` "
            f"for what stood in theory and bounds, and `from lemmata.nets import forward`"
        )
    sites = block_sites(content)
    if sites:
        registry.refuse_misplaced(path, sites, place, patterns)
    # A file that is no Python is loaded as well: that says where.
    claims = registry.load_file(path) if sites or is_broken(content) else []
    return [Entry.of(claim) for claim in claims]


def _is_there(module: str) -> bool:
    """Whether a module can be imported."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def in_a_room(path: Path) -> bool:
    """Whether it lies in a room of this copy of lemmata, where no reader has claims."""
    return path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[:1] in [
        (room,) for room in (*ROOMS, "benchmarks")
    ]


def _beside(place: Path) -> list[Path]:
    """The files below `place` from which claim files may import: all but claim files and unit tests."""
    return [
        path
        for path in python_files(place)
        if UNIT_TESTS not in path.relative_to(place).parts and not registry.is_claim_file(path, place)
    ]


def _digest(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        content = path.read_bytes()
        digest.update(f"{path} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _read(index: Path) -> dict[str, object]:
    """The files of an index; none where there is no index, or one that is not understood."""
    try:
        found = json.loads(index.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict) or found.get("claims") != FORMAT or not isinstance(found.get("files"), dict):
        return {}
    return dict(found["files"])


def _entries(known: object, key: str, path: Path) -> list[Entry] | None:
    """The entries that an index holds for a file in its present state, or `None`."""
    if not isinstance(known, dict) or known.get("key") != key:
        return None
    try:
        return [Entry(**entry, path=path) for entry in known["claims"]]
    except (KeyError, TypeError):
        return None

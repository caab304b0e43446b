"""The claims of one pytest session: which are known, which are selected, under which conditions they are judged.

Main definitions: `Session`, of which each session has one (`session_of`), and which has a `theory.surface.run.Run` once
all items are collected and the options are understood; `places_of`, what pytest was asked to collect.
"""

from __future__ import annotations

import fnmatch
import functools
import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from theory.claims import registry
from theory.claims.catalogue import Catalogue, Entry, in_a_room
from theory.claims.registry import SUITE
from theory.claims.selection import SelectionError, chosen, select
from theory.claims.sites import papers_named, python_files
from theory.core.refusal import ROOT, ClaimError
from theory.papers import RECORD, beside
from theory.surface.options import Options
from theory.surface.run import Beginning, Run

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

    from theory.core.statements import Paper


# So many files that are set aside are told of one by one.
MOST_TOLD = 4


def places_of(config: pytest.Config, whole: bool = False) -> list[Path]:
    """The files and folders that pytest was asked to collect; with `whole`, not those of which a part is named."""
    arguments = tuple(str(argument) for argument in config.args)
    return list(_places(arguments, config.invocation_params.dir, bool(config.option.pyargs), whole))


# Every file that pytest meets is compared with them, and paths are slow to resolve.
@functools.lru_cache(maxsize=8)
def _places(arguments: tuple[str, ...], folder: Path, pyargs: bool, whole: bool) -> tuple[Path, ...]:
    found = []
    for argument in arguments:
        if whole and "::" in argument:
            continue
        name = argument.split("::")[0]
        if pyargs and not os.path.exists(name):
            spec = _spec(name)
            if spec is not None:
                places: Sequence[str | None] = spec.submodule_search_locations or [spec.origin]
                found += [Path(place) for place in places if place is not None]
        else:
            found.append(Path(folder, name).resolve())
    return tuple(found)


def _spec(name: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None


def _may_match(pattern: str, paper: str) -> bool:
    """Whether some id of a paper may match the pattern."""
    head, colon, _ = pattern.partition(":")
    return not colon or "[" in head or fnmatch.fnmatchcase(paper, head)


class Session:
    """What is known of the claims before they are judged."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.options = Options(config)
        cache = os.environ.get("LEMMATA_CACHE_DIR")
        index = (Path(cache) if cache else ROOT / ".cache") / "claims.json"
        self.catalogue = Catalogue(index, config.getini("python_files"), self._is_not_asked, self._is_beside)
        self.run: Run | None = None
        # Claims that register from now on without being loaded from a claim file would be judged by nobody.
        self._strays = len(registry.strays())
        # What the user keeps out by name need not be judged.
        self.deselected: set[str] = set()
        # A refusal met while collecting, where pytest would only note it.
        self.refusal: ClaimError | None = None

    def _is_not_asked(self, file: Path) -> bool:
        """Whether no claim of a file that cannot be accepted is asked for, so that it need not end the session.

        Where ids are asked for, and no patterns, `places_of_selected` sees whether they stand elsewhere.
        """
        ids, papers = self.config.getoption("claim"), self.config.getoption("paper")
        if ids and not any(set("*?[") & set(word) for word in ids):
            return True
        below = any(file.is_relative_to(place) for place in places_of(self.config))
        if not below and not (file.is_relative_to(SUITE) and (ids or papers)):
            return True
        named = papers_named(file.read_bytes())
        return named is not None and not any(
            (not papers or paper in papers) and (not ids or any(_may_match(word, paper) for word in ids))
            for paper in named
        )

    def _is_beside(self, file: Path) -> bool:
        """Whether a file of the reader's is read only as it stands beside the places that were asked for."""
        return not file.is_relative_to(SUITE) and not any(file.is_relative_to(p) for p in places_of(self.config))

    @property
    def set_aside(self) -> list[str]:
        """A line for each file that cannot be accepted and of which nothing is asked, and how many more there are."""
        said = [str(error).splitlines()[0] for error in self.catalogue.slips.values()]
        return said if len(said) <= MOST_TOLD else [*said[:MOST_TOLD], f"{len(said) - MOST_TOLD} further files"]

    def refuse_distribution(self, places: Sequence[Path]) -> None:
        """Refuse to have claims run by pytest-xdist: each of its workers would end with a ledger of its own.

        `places` are the files and folders to collect. Raises `SelectionError`.
        """
        if self.config.getoption("dist", "no") == "no" or hasattr(self.config, "workerinput"):
            return
        for place in places:
            if is_a_readers(place):
                self.catalogue.add_place(place if place.is_dir() else place.parent)
        known = [SUITE, *(entry.path for entry in self.catalogue.entries)]
        if self.options.selects or any(a.is_relative_to(b) or b.is_relative_to(a) for a in places for b in known):
            raise SelectionError("-n: claims are not run by pytest-xdist, they have workers of their own; use --jobs")

    def selected(self, entries: Sequence[Entry]) -> list[Entry]:
        """Those of `entries` that the options select; without --claim, data select the claims about them."""
        option = self.config.getoption
        wanted = chosen(entries, option("claim"), option("paper"), option("theme"))
        if option("data") and not option("claim") and not option("needs"):
            wanted = [entry for entry in wanted if entry.takes_data]
        return wanted

    def places_of_selected(self, below: Sequence[Path]) -> list[str]:
        """The files of the suite that hold selected claims and lie below none of the places given."""
        self.catalogue.add_suite()
        for place in below:
            if is_a_readers(place):
                self.catalogue.add_place(place if place.is_dir() else place.parent)
        option = self.config.getoption
        if self.catalogue.slips and set(option("claim")) - {entry.id for entry in self.catalogue.entries}:
            raise next(iter(self.catalogue.slips.values()))  # what is missing may stand there
        wanted = select(self.catalogue.entries, option("claim"), option("paper"), option("theme"))
        if not option("claim") and not option("paper"):
            return []  # a theme is sought where the user is
        paths = dict.fromkeys(entry.path for entry in wanted if entry.path.is_relative_to(SUITE))
        return [str(path) for path in paths if not any(path.is_relative_to(place) for place in below)]

    def refuse_unjudged(self, collected: set[str], places: Sequence[Path]) -> None:
        """Raise `ClaimError` for a claim that is there and that nobody collects: it would be missing without a word.

        `collected` are the ids of the items, `places` the files and folders that were asked for as a whole.
        """
        known = {entry.id for entry in self.catalogue.entries}
        for claim in registry.strays()[self._strays :]:
            inside = (ROOT / claim.file).resolve()
            unit_test = inside.is_relative_to(ROOT) and not inside.is_relative_to(SUITE)
            if claim.id not in known and not unit_test:
                raise ClaimError(
                    f"{claim.file}:{claim.line}: claim {claim.id} registers, and no run collects it; write the block "
                    f"in a file test_*.py, with `from lemmata import claim` and @claim(...)"
                )
        option = self.config.getoption
        if option("lf", False) or any(option(name, None) for name in ("ignore", "ignore_glob", "deselect")):
            return
        for place in places:
            # Of a folder of the reader's every block is known, also where pytest looks for no tests.
            if place.is_dir() and not in_a_room(place):
                self.catalogue.add_place(place)
        for entry in self.catalogue.entries:
            if entry.id not in collected and any(entry.path.is_relative_to(place) for place in places):
                raise ClaimError(
                    f"{entry.file}:{entry.line}: claim {entry.id} is there and was not collected: a conftest, or "
                    f"norecursedirs, keeps its file out; move it, or leave it out with --ignore"
                )

    def refuse_dropped(self, collected: set[str], kept: set[str]) -> None:
        """Raise `ClaimError` for a claim that was collected and then dropped without pytest being told."""
        for identifier in sorted(collected - kept - self.deselected):
            raise ClaimError(
                f"claim {identifier} was collected and then dropped by a plugin or a conftest; let that call "
                f"pytest_deselected, or leave the claim out with -k or --deselect"
            )

    @property
    def records(self) -> list[Paper]:
        """The papers recorded below the folders that were asked for, as where no claim is written yet.

        Raises `ClaimError` for a record that does not load.
        """
        folders = [place if place.is_dir() else place.parent for place in places_of(self.config)]
        files = [path for folder in folders for path in python_files(folder) if path.name == RECORD]
        # A script of that name that has nothing to do with claims is not run.
        found = [beside(path.parent) for path in files if b"lemmata" in path.read_bytes() and not in_a_room(path)]
        return [paper for paper in found if paper is not None]

    def begin(self, entries: Sequence[Entry]) -> Run:
        """The run of these claims, of which all are loaded; what cannot be accepted is raised as by `Beginning`."""
        self.run = Beginning(self.options, self.catalogue, entries).run
        return self.run


_SESSION = pytest.StashKey[Session]()


def session_of(config: pytest.Config) -> Session:
    """The claims' part of a pytest session."""
    if _SESSION not in config.stash:
        config.stash[_SESSION] = Session(config)
    return config.stash[_SESSION]


def is_a_readers(place: Path) -> bool:
    """Whether a place that is there may hold claims of a reader: anywhere but in the checkout's own folders."""
    inside = place.is_relative_to(ROOT) and (place == ROOT or in_a_room(place))
    return place.exists() and not inside

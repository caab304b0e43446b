"""The claims of one pytest session: which are known, which are selected, under which conditions they are judged.

Main definitions: `Session`, of which each session has one (`session_of`), and `Run`, what it becomes once all items are
collected and the options are understood; `places_of`, what pytest was asked to collect.
"""

from __future__ import annotations

import datetime
import fnmatch
import gc
import hashlib
import importlib.util
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from theory.claims import registry
from theory.claims.catalogue import Catalogue, Entry, in_a_room
from theory.claims.registry import SUITE, find, load_file
from theory.claims.selection import SelectionError, chosen, nearest, select
from theory.claims.sites import papers_named
from theory.core.budget import shares
from theory.core.choices import BACKENDS, EFFORTS, TIME_LIMIT
from theory.core.refusal import ROOT, ClaimError
from theory.surface import rooms

# Options that say how claims are judged, and what there is not where none is.
WITHOUT_TRIALS = {
    "bound": "no bound is compared with anything",
    "compare": "there are no verdicts to compare",
    "plot": "nothing is measured that could be drawn",
    "journal": "there is nothing to note",
    "resume": "there is no run to go on with",
    "jobs": "there is no work for processes",
    "backend": "no trials run anywhere",
    "scheduler": "no trials run anywhere",
    "effort": "no effort is made",
    "seed": "nothing is drawn",
    "timeout": "no claim takes any time",
}
NOTHING_SAID = {"jobs": "1", "backend": "loky", "effort": "quick", "seed": "0"}

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

    from bounds.bound import Bound
    from theory.claims.block import Claim
    from theory.core.journal import Journal
    from theory.judging.claim_workers import Ahead
    from theory.judging.judge import Row
    from theory.reports.figures import Figure
    from theory.reports.needs import Plan
    from theory.running.case import RunConfig


def places_of(config: pytest.Config, whole: bool = False) -> list[Path]:
    """The files and folders that pytest was asked to collect; with `whole`, not those of which a part is named."""
    found = []
    for argument in config.args:
        if whole and "::" in str(argument):
            continue
        name = str(argument).split("::")[0]
        if config.option.pyargs and not os.path.exists(name):
            spec = _spec(name)
            if spec is not None:
                places: Sequence[str | None] = spec.submodule_search_locations or [spec.origin]
                found += [Path(place) for place in places if place is not None]
        else:
            found.append(Path(config.invocation_params.dir, name).resolve())
    return found


def _spec(name: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None


def _may_match(pattern: str, paper: str) -> bool:
    """Whether some id of a paper may match the pattern."""
    head, colon, _ = pattern.partition(":")
    return not colon or "[" in head or fnmatch.fnmatchcase(paper, head)


def claim_of(entry: Entry) -> Claim:
    """The claim of an entry, loaded if it is not."""
    load_file(entry.path)
    claim = find(entry.id)
    if claim is None:
        raise ClaimError(
            f"{entry.file}: claim {entry.id} registered before and does not now, from the same sources; "
            f"let the ids of a file depend on nothing outside of it"
        )
    return claim


@dataclass
class Run:
    """Conditions and results of the claims of one session."""

    config: RunConfig
    claims: dict[str, Claim]
    alphas: dict[str, float]
    budget: str
    data_report: Sequence[str] = ()
    journal: Journal | None = None
    ahead: Ahead | None = None
    rows: list[Row] = field(default_factory=list)
    figures: dict[str, Figure] = field(default_factory=dict)
    ledger: str = ""
    plots: str = ""
    compared: Mapping[str, Any] | None = None
    plan: Plan | None = None
    selected: bool = False
    started: datetime.datetime = field(default_factory=lambda: datetime.datetime.now(datetime.UTC))
    clock: float = field(default_factory=time.perf_counter)

    def planned(self, constants: Sequence[Mapping[str, Any]] = ()) -> Plan:
        """What the premises of the claims ask for; `constants` is the table of a ledger, for their best values."""
        from theory.papers import papers
        from theory.reports.needs import Solvers, plan, with_best

        solvers = Solvers()
        data = "; ".join(self.data_report)
        return with_best(plan(list(self.claims.values()), self.config, papers(), solvers, data), constants)


class Session:
    """What is known of the claims before they are judged."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        cache = os.environ.get("LEMMATA_CACHE_DIR")
        index = (Path(cache) if cache else ROOT / ".cache") / "claims.json"
        self.catalogue = Catalogue(index, config.getini("python_files"), self._is_not_asked)
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

    @property
    def set_aside(self) -> list[str]:
        """A line for each file that cannot be accepted and of which nothing is asked."""
        return [str(error).splitlines()[0] for error in self.catalogue.slips.values()]

    def check_words(self) -> None:
        """Refuse options whose words are off; cheap, and before anything is loaded.

        Raises `SelectionError`, and `LedgerError` where no ledger could be written.
        """
        option = self.config.getoption
        for name in ("ledger", "data", "journal", "compare", "plot"):
            if option(name) == "":
                raise SelectionError(
                    f"--{name}: it is empty, as an unset variable of the shell is; give a name or none"
                )
        if option("needs"):
            self._refuse_with_needs()
        for name, valid in (("effort", EFFORTS), ("backend", BACKENDS)):
            if option(name) not in valid:
                what = "level " if name == "effort" else ""
                raise SelectionError(f"--{name}: no {what}{option(name)!r}; {nearest(option(name), valid)}")
        if option("scheduler") and option("backend") != "dask":
            raise SelectionError("--scheduler: only dask has one; add --backend dask")
        count("jobs", option("jobs"), 1)
        self.time_limit()
        if option("seed") != "fresh":
            count("seed", option("seed"), 0)
        self.journal_file()
        if option("compare") is not None and option("ledger") is None:
            raise SelectionError("--compare: the changes stand on the page of a ledger; add --ledger DIR")
        if option("ledger") is not None:
            from theory.reports.ledger import try_folder

            try_folder(Path(option("ledger")))

    def _refuse_with_needs(self) -> None:
        """Refuse what has no meaning where nothing is judged. Raises `SelectionError`."""
        for name, lacking in WITHOUT_TRIALS.items():
            if self.config.getoption(name, None) not in (None, False, NOTHING_SAID.get(name)):
                raise SelectionError(f"--{name}: --needs judges nothing, so that {lacking}; leave one of both out")

    def refuse_distribution(self, places: Sequence[Path]) -> None:
        """Refuse to have claims run by pytest-xdist: each of its workers would end with a ledger of its own.

        `places` are the files and folders to collect. Raises `SelectionError`.
        """
        if self.config.getoption("dist", "no") == "no" or hasattr(self.config, "workerinput"):
            return
        for place in places:
            if not place.is_relative_to(ROOT) and place.exists():
                self.catalogue.add_place(place if place.is_dir() else place.parent)
        known = [SUITE, *(entry.path for entry in self.catalogue.entries)]
        if self.selects or any(a.is_relative_to(b) or b.is_relative_to(a) for a in places for b in known):
            raise SelectionError("-n: claims are not run by pytest-xdist, they have workers of their own; use --jobs")

    def journal_file(self) -> Path | None:
        """Where the journal of this run stands, if it keeps one. Raises `SelectionError`."""
        option = self.config.getoption
        if option("effort") != "quick":
            given = option("journal")
            return self.config.rootpath / ".lemmata" / "journal.jsonl" if given is None else Path(given)
        for name in ("resume", "journal"):
            if option(name):
                raise SelectionError(
                    f"--{name}: a run at quick effort keeps no journal; add --effort thorough or nightly"
                )
        return None

    def time_limit(self) -> float:
        """The seconds that a claim has, 0 for no limit. Raises `SelectionError`."""
        given = self.config.getoption("timeout", None)
        if given is None:
            return TIME_LIMIT[self.config.getoption("effort")]
        try:
            seconds = float(given)
        except ValueError:
            seconds = -1.0
        if not 0.0 <= seconds < float("inf"):
            raise SelectionError(f"--timeout: {given!r} is no number of seconds; write one, or 0 for no limit")
        return seconds

    @property
    def selects(self) -> bool:
        """Whether an option says which claims are wanted."""
        return any(self.config.getoption(name) for name in ("claim", "paper", "theme"))

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
            if not place.is_relative_to(ROOT) and place.exists():
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
                    f"in a file test_*.py, with `from theory.claims import claim` and @claim(...)"
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

    def begin(self, entries: Sequence[Entry]) -> Run:
        """The run of these claims, of which all are loaded.

        Raises `ClaimError`, `SelectionError` or an error of another room for what cannot be accepted.
        """
        from bounds.decisions.region import smallest
        from theory.claims.selection import parse_at
        from theory.core.seeds import canonical
        from theory.papers import check_records
        from theory.running.case import Case, RunConfig

        option = self.config.getoption
        # The user's data are read first: a bad file is told at once, before the claims and their kernels load.
        user = None if option("data") is None else rooms.load_data(option("data"))
        if user is not None and not option("needs") and not any(entry.takes_data for entry in entries):
            raise SelectionError("--data: no selected claim is about training points; leave --data or --claim out")
        self.catalogue.add_suite()
        self._refuse_many_bounds(entries)
        with _without_garbage():
            claims = [claim_of(entry) for entry in entries]
        everything = self.catalogue.entries
        check_records(None if self.catalogue.slips else {entry.statement for entry in everything})
        others = sum(not entry.path.is_relative_to(SUITE) for entry in everything)
        budget = f"{len(everything) - others} claims of the suite" + (f" and {others} of yours" if others else "")
        of_data = {"d": user.d, "phi": user.separation} if user is not None else {}
        rows = user.n if user is not None else 0
        at = parse_at(option("at"), claims, of_data, rows, planned=option("needs"))
        if at and not option("needs"):
            self.config.add_cleanup(rooms.refuse_beyond_memory())
        config = RunConfig(
            effort=option("effort"),
            seed=self._seed(),
            jobs=count("jobs", option("jobs"), 1),
            at=at,
            bound=self._what_if(claims),
            data=rooms.sphere() if any(entry.takes_data for entry in entries) else None,
            user_data=user,
            user_symbols=of_data,
            user_rows=rows,
            forms=_forms(everything),
            smallest=smallest,
            time_limit=self.time_limit(),
        )
        for claim in claims:
            if lacking := Case(claim, config, alpha=0.0).lacking:
                asked = canonical({name: value for name, value in at.items() if name in claim.names})
                raise SelectionError(f"--at: claim {claim.id} takes {lacking}; choose other sizes than {asked}")
        report = rooms.describe_data(user) if user is not None else ()
        self.run = Run(config, {claim.id: claim for claim in claims}, shares(everything), budget, report)
        if option("needs"):
            self.run.plan = self.run.planned(self._constants())
            return self.run
        self.run.compared, self.run.selected = self._compared(), len(claims) < len(everything)
        self._open_journal(self.run)
        return self.run

    def _constants(self) -> Sequence[Mapping[str, Any]]:
        """The table of constants in the ledger that stands where --needs writes, if one does. Raises `LedgerError`."""
        from theory.reports.page.changes import read

        folder = self.config.getoption("ledger")
        if folder is None or not (Path(folder) / "ledger.json").exists():
            return ()
        constants: Sequence[Mapping[str, Any]] = read(Path(folder), "--ledger").get("constants", ())
        return constants

    def _compared(self) -> Mapping[str, Any] | None:
        """The ledger of --compare. Raises `LedgerMissingError`."""
        if self.config.getoption("compare") is None:
            return None
        from theory.reports.page.changes import read

        return read(Path(self.config.getoption("compare")), "--compare")

    def _seed(self) -> int:
        """The seed of --seed; a run that goes on with a fresh one has that of its journal."""
        text, journal = self.config.getoption("seed"), self.journal_file()
        if text != "fresh":
            return count("seed", text, 0)
        if self.config.getoption("resume") and journal is not None and journal.exists():
            from theory.core.journal import recorded_run

            return int(recorded_run(journal)["seed"])
        return int.from_bytes(os.urandom(4), "big")

    def _refuse_many_bounds(self, entries: Sequence[Entry]) -> None:
        """Refuse --bound for anything but one claim, before all of them are loaded. Raises `SelectionError`."""
        if self.config.getoption("bound") is not None and len(entries) != 1:
            raise SelectionError(f"--bound: {len(entries)} claims are selected; name one with --claim ID")

    def _what_if(self, claims: Sequence[Claim]) -> Bound | None:
        """The formula of --bound, which is about exactly one claim."""
        text = self.config.getoption("bound")
        if text is None:
            return None
        (claim,) = claims
        from bounds.bound import Bound
        from bounds.parse import parse_formula

        return Bound(parse_formula(text, claim.names), claim.bound.constants)

    def _open_journal(self, run: Run) -> None:
        file = self.journal_file()
        if file is None:
            return
        from theory.core.journal import Journal

        run.journal = Journal(file, self._what_results_depend_on(run), self.config.getoption("resume"))
        self.config.add_cleanup(run.journal.close)

    def _what_results_depend_on(self, run: Run) -> dict[str, Any]:
        """The first line of the journal: a run that differs in any of this cannot go on with it."""
        from theory.core.journal import fingerprint
        from theory.core.seeds import canonical

        config, data = run.config, run.config.user_data
        ids = " ".join(sorted(run.claims))
        outside = [path.read_bytes() for path in self.catalogue.sources_outside]
        return {
            "effort": config.effort,
            "seed": config.seed,
            "at": canonical(config.at),
            "bound": self.config.getoption("bound") or "",
            "data": "" if data is None else _digest(data.X.tobytes() + data.y.tobytes()),
            "claims": f"{len(run.claims)} with digest {_digest(ids.encode())}",
            **({"sources beside the claims": _digest(b"".join(outside))} if outside else {}),
            **fingerprint(ROOT),
        }


@contextmanager
def _without_garbage() -> Iterator[None]:
    """While claims load: what they make lives as long as the process, and looking for garbage in it takes a while."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _forms(entries: Sequence[Entry]) -> dict[str, tuple[str, ...]]:
    """The ids of all claims on each statement."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        found[entry.statement] = (*found.get(entry.statement, ()), entry.id)
    return found


def count(name: str, text: str, least: int) -> int:
    """The number that an option gives. Raises `SelectionError` for anything else, or a number below `least`."""
    try:
        number = int(text)
    except ValueError:
        raise SelectionError(f"--{name}: {text!r} is no integer; write a number from {least} up") from None
    if number < least:
        raise SelectionError(f"--{name}: {number} is too small; write a number from {least} up")
    return number


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


_SESSION = pytest.StashKey[Session]()


def session_of(config: pytest.Config) -> Session:
    """The claims' part of a pytest session."""
    if _SESSION not in config.stash:
        config.stash[_SESSION] = Session(config)
    return config.stash[_SESSION]

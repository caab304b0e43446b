"""One run of claims: its conditions, which the options and the catalogue give, and its results.

Main definitions: `Run`; `Beginning`, which makes one of the claims that are to be judged.
"""

from __future__ import annotations

import datetime
import gc
import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from theory.claims.catalogue import Catalogue, Entry
from theory.claims.registry import SUITE, find, load_file
from theory.claims.selection import SelectionError
from theory.claims.what_if import asked_bound
from theory.core.budget import FALSE_ALARM_BUDGET, shares
from theory.core.data import Data
from theory.core.refusal import ROOT, ClaimError
from theory.core.sources import UserData
from theory.core.values import Json
from theory.surface import rooms
from theory.surface.options import Options, count

if TYPE_CHECKING:
    from bounds.bound import Bound
    from theory.claims.block import Claim
    from theory.core.journal import Journal
    from theory.judging.claim_workers import Ahead
    from theory.judging.judge import InTurn, Row
    from theory.judging.known import Judged, Known
    from theory.reports.figures import Figure
    from theory.reports.needs import Plan
    from theory.running.config import RunConfig


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


def _in_turn() -> InTurn:
    from theory.judging.judge import InTurn

    return InTurn()


@dataclass
class Run:
    """Conditions and results of the claims of one session."""

    config: RunConfig
    claims: dict[str, Claim]
    alphas: dict[str, float]
    budget: str
    chance: float
    journal: Journal | None = None
    ahead: Ahead | None = None
    turn: InTurn = field(default_factory=_in_turn)
    known: Known | None = None
    found: dict[str, Judged] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    figures: dict[str, Figure] = field(default_factory=dict)
    ledger: str = ""
    plots: str = ""
    replayed: str = ""
    compared: Json | None = None
    plan: Plan | None = None
    selected: bool = False
    started: datetime.datetime = field(default_factory=lambda: datetime.datetime.now(datetime.UTC))
    clock: float = field(default_factory=time.perf_counter)

    @property
    def unknown(self) -> list[Claim]:
        """The claims of which nothing is known from an earlier run, and which are to be judged."""
        return [claim for name, claim in self.claims.items() if name not in self.found]

    def row(self, claim: Claim) -> Row:
        """The row of a claim: as it is known, as a worker has it, or judged now."""
        from theory.judging.judge import Row, judge

        if (before := self.found.get(claim.id)) is not None:
            return Row(claim, self.config, before.finding, before.day)
        if self.ahead is not None:
            row = self.ahead.row(claim)
        else:
            row = judge(claim, self.config, self.alphas[claim.id], self.turn)
        if self.known is not None:
            self.known.keep(row)
        return row

    def planned(self, ledger: Json | None = None) -> Plan:
        """What the premises of the claims ask for; a `ledger` gives verdicts and the best values of constants."""
        from theory.papers import papers
        from theory.reports.needs import plan, with_best
        from theory.reports.solving import Solvers

        solvers = Solvers()
        known = ledger or {}
        verdicts = {entry["id"]: entry["verdict"] for entry in known.get("claims", ())}
        verdicts |= {row.claim.id: str(row.verdict) for row in self.rows}
        found = plan(list(self.claims.values()), self.config, papers(), solvers, self.config.data.said, verdicts)
        return with_best(found, known.get("constants", ()))


@dataclass(frozen=True)
class Beginning:
    """The options and the catalogue of a session, and the entries of the claims that are to be judged."""

    options: Options
    catalogue: Catalogue
    entries: Sequence[Entry]

    @property
    def run(self) -> Run:
        """The run of these claims, of which all are loaded.

        Raises `ClaimError`, `SelectionError` or an error of another room for what cannot be accepted.
        """
        option = self.options.config.getoption
        # A bad file is told at once, before the claims and their kernels load.
        self._refuse_useless_data()
        if self._takes_the_suite:
            self.catalogue.add_suite()
        self._refuse_many_bounds()
        with _without_garbage():
            claims = [claim_of(entry) for entry in self.entries]
        self._check_records()
        config = self._conditions(claims)
        if config.at and not option("needs"):
            self.options.config.add_cleanup(rooms.refuse_beyond_memory())
        _refuse_sizes(claims, config)
        everything = self.catalogue.entries
        alphas = shares(everything, self._own, self.options.budget())
        made = Run(config, {claim.id: claim for claim in claims}, alphas, *self._budget)
        if option("needs"):
            made.plan = made.planned(self._ledger())
            return made
        made.compared, made.selected = self._compared(), len(claims) < len(everything)
        self._open_journal(made)
        self._recall(made)
        return made

    @cached_property
    def _brought(self) -> UserData | None:
        """The data set of the user, if there is one."""
        spec = self.options.config.getoption("data")
        return None if spec is None else rooms.load_data(spec)

    def _refuse_useless_data(self) -> None:
        """Refuse data where no claim takes any. Raises `SelectionError`, and what bad data raise."""
        needed = self.options.config.getoption("needs") or any(entry.takes_data for entry in self.entries)
        if self._brought is not None and not needed:
            raise SelectionError("--data: no selected claim is about training points; leave --data or --claim out")

    def _check_records(self) -> None:
        """Hold the lists of papers against all claims, where all of these are known. Raises `ClaimError`."""
        from theory.papers import check_records

        check_records(None if self.catalogue.slips else {entry.statement for entry in self.catalogue.entries})

    @property
    def _own(self) -> set[str]:
        """The ids of the reader's claims, selected or not."""
        return {entry.id for entry in self.catalogue.entries if not entry.path.is_relative_to(SUITE)}

    @property
    def _takes_the_suite(self) -> bool:
        """Whether claims of the suite are judged, or some of the reader's that are about its papers."""
        records = ROOT / "theory" / "papers"
        return any(e.path.is_relative_to(SUITE) or (records / f"{e.paper}.py").exists() for e in self.entries)

    @property
    def _budget(self) -> tuple[str, float]:
        """Which budgets are shared among which claims, in words, and the chance of a false alarm in this run."""
        own, known = self._own, len(self.catalogue.entries)
        judged = [entry.id in own for entry in self.entries]
        parts = [] if all(judged) else [(FALSE_ALARM_BUDGET, known - len(own), "claims of the suite")]
        beside = ", those in the files beside included" if sum(judged) < len(own) else ""
        parts += [(self.options.budget(), len(own), f"of yours{beside}")] if any(judged) else []
        said = " and ".join(f"{chance:g} is shared among {count} {whose}" for chance, count, whose in parts)
        return said, sum(chance for chance, *_ in parts)

    def _data(self) -> Data:
        """Where training points come from; synthetic ones where some claim takes any."""
        synthetic = rooms.sphere() if any(entry.takes_data for entry in self.entries) else None
        report = rooms.describe_data(self._brought) if self._brought is not None else ()
        return Data(synthetic, self._brought, report)

    def _conditions(self, claims: Sequence[Claim]) -> RunConfig:
        """What the options ask of these claims. Raises `SelectionError`, and what a text that is no formula raises."""
        from bounds.decisions.region import smallest
        from theory.claims.selection import parse_at
        from theory.running.config import RunConfig

        option, data = self.options.config.getoption, self._data()
        return RunConfig(
            effort=option("effort"),
            seed=self.options.seed(),
            jobs=count("jobs", option("jobs"), 1),
            at=parse_at(option("at"), claims, data, planned=option("needs")),
            bound=self._what_if(claims),
            data=data,
            forms=_forms(self.catalogue.entries),
            smallest=partial(smallest, exact=False),
            time_limit=self.options.time_limit(),
        )

    def _ledger(self) -> Json | None:
        """The ledger that stands where --needs writes, if one does. Raises `LedgerError`."""
        from theory.reports.page.changes import read

        folder = self.options.config.getoption("ledger")
        if folder is None or not (Path(folder) / "ledger.json").exists():
            return None
        return read(Path(folder), "--ledger")

    def _compared(self) -> Json | None:
        """The ledger of --compare. Raises `LedgerMissingError`."""
        if self.options.config.getoption("compare") is None:
            return None
        from theory.reports.page.changes import read

        return read(Path(self.options.config.getoption("compare")), "--compare")

    def _refuse_many_bounds(self) -> None:
        """Refuse --bound and --expect for anything but one claim, before all are loaded. Raises `SelectionError`."""
        for name in ("bound", "expect"):
            if self.options.config.getoption(name) is not None and len(self.entries) != 1:
                raise SelectionError(f"--{name}: {len(self.entries)} claims are selected; name one with --claim ID")

    def _what_if(self, claims: Sequence[Claim]) -> Bound | None:
        """The formula of --bound, which is about exactly one claim."""
        text = self.options.config.getoption("bound")
        if text is None:
            return None
        (claim,) = claims
        return asked_bound(claim, text)

    def _open_journal(self, run: Run) -> None:
        file = self.options.journal_file()
        if file is None:
            return
        from theory.core.journal import Journal

        run.journal = Journal(file, self._what_results_depend_on(run), self.options.config.getoption("resume"))
        self.options.config.add_cleanup(run.journal.close)

    def _recall(self, run: Run) -> None:
        """Find out what is known of the claims, where that is asked for. Other sizes are judged anew."""
        folder = self.options.known_folder
        if folder is None:
            return
        from theory.judging.known import Known

        run.known = Known(folder, run.config, run.alphas)
        run.found = {name: found for name, claim in run.claims.items() if (found := run.known.find(claim)) is not None}

    def _what_results_depend_on(self, run: Run) -> dict[str, Any]:
        """The first line of the journal: a run that differs in any of this cannot go on with it."""
        from theory.core.journal import fingerprint
        from theory.core.seeds import canonical

        config, data = run.config, run.config.data.brought
        ids = " ".join(sorted(run.claims))
        outside = [path.read_bytes() for path in self.catalogue.sources_outside]
        return {
            "effort": config.effort,
            "seed": config.seed,
            "at": canonical(config.at),
            "bound": self.options.config.getoption("bound") or "",
            "data": "" if data is None else _digest(data.X.tobytes() + data.y.tobytes()),
            "claims": f"{len(run.claims)} with digest {_digest(ids.encode())}",
            **({"sources beside the claims": _digest(b"".join(outside))} if outside else {}),
            **fingerprint(ROOT),
        }


def _refuse_sizes(claims: Sequence[Claim], config: RunConfig) -> None:
    """Refuse sizes at which a cell of a claim cannot be built. Raises `SelectionError`."""
    from theory.core.seeds import canonical
    from theory.running.case import Case

    for claim in claims:
        asked = canonical({name: value for name, value in config.at.items() if name in claim.names})
        try:
            lacking = Case(claim, config, alpha=0.0).sizes.lacking
        except Exception as error:  # a derived symbol without a value there
            why = f"{type(error).__name__}: {error}"
            raise SelectionError(f"--at: claim {claim.id} cannot be built at {asked} ({why}); choose others") from None
        if lacking:
            raise SelectionError(f"--at: claim {claim.id} takes {lacking}; choose other sizes than {asked}")


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


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]

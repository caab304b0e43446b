"""What the user wrote on the command line about claims, checked before anything is loaded.

Main definitions: `Options`; `count`, for an option that is a number.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from theory.claims.selection import SelectionError, nearest
from theory.core.budget import OWN_BUDGET
from theory.core.choices import BACKENDS, EFFORTS, TIME_LIMIT
from theory.core.refusal import ROOT

# Options that say how claims are judged, and what there is not where none is.
WITHOUT_TRIALS = {
    "bound": "no bound is compared with anything",
    "compare": "there are no verdicts to compare",
    "expect": "nothing is measured that could be expected",
    "plot": "nothing is measured that could be drawn",
    "journal": "there is nothing to note",
    "resume": "there is no run to go on with",
    "jobs": "there is no work for processes",
    "backend": "no trials run anywhere",
    "scheduler": "no trials run anywhere",
    "effort": "no effort is made",
    "budget": "no verdict could be wrong",
    "strict-claims": "there are no rows",
    "story": "there is none to tell",
    "known": "no row would be made anew",
    "no-page": "the page of what the premises ask for is all that is written",
    "seed": "nothing is drawn",
    "timeout": "no claim takes any time",
}
# Beyond this a refutation would say little.
MOST_BUDGET = 0.1
NOTHING_SAID = {"jobs": "1", "backend": "loky", "effort": "quick", "seed": "0"}


@dataclass(frozen=True)
class Options:
    """The options of one pytest session that are about claims."""

    config: pytest.Config

    def check(self) -> None:
        """Refuse options whose words are off; cheap, and before anything is loaded.

        Raises `SelectionError`, and `LedgerError` where no ledger could be written.
        """
        option = self.config.getoption
        for name in ("ledger", "data", "journal", "compare", "plot"):
            # After an equals sign no shell does this.
            if (option(name) or "").startswith("~"):
                setattr(self.config.option, name, os.path.expanduser(option(name)))
            if option(name) == "":
                raise SelectionError(
                    f"--{name}: it is empty, as an unset variable of the shell is; give a name or none"
                )
        if option("needs"):
            self._refuse_with_needs()
        if self.selects:
            self.refuse_benchmarks_alone()
        for name, valid in (("effort", EFFORTS), ("backend", BACKENDS)):
            if option(name) not in valid:
                what = "level " if name == "effort" else ""
                raise SelectionError(f"--{name}: no {what}{option(name)!r}; {nearest(option(name), valid)}")
        if option("scheduler") and option("backend") != "dask":
            raise SelectionError("--scheduler: only dask has one; add --backend dask")
        count("jobs", option("jobs"), 1)
        self.time_limit()
        self.budget()
        if option("seed") != "fresh":
            count("seed", option("seed"), 0)
        self.journal_file()
        if option("compare") is not None and option("ledger") is None:
            raise SelectionError("--compare: the changes stand on the page of a ledger; add --ledger DIR")
        if option("expect") is not None:
            from theory.reports.expected import parse

            parse(option("expect"))
        if option("ledger") is not None:
            from theory.reports.ledger import try_folder

            try_folder(Path(option("ledger")))

    def _refuse_with_needs(self) -> None:
        """Refuse what has no meaning where nothing is judged. Raises `SelectionError`."""
        for name, lacking in WITHOUT_TRIALS.items():
            if self.config.getoption(name, None) not in (None, False, NOTHING_SAID.get(name)):
                raise SelectionError(f"--{name}: --needs judges nothing, so that {lacking}; leave one of both out")

    @property
    def known_folder(self) -> Path | None:
        """Where findings are kept from run to run; None where --known does not ask for them."""
        if not self.config.getoption("known"):
            return None
        cache = os.environ.get("LEMMATA_CACHE_DIR")
        return (Path(cache) if cache else ROOT / ".cache") / "known"

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

    def budget(self) -> float:
        """The chance that a run may refute some true claim of the reader's. Raises `SelectionError`."""
        given = self.config.getoption("budget")
        try:
            chance = OWN_BUDGET if given is None else float(given)
        except ValueError:
            chance = math.nan
        if not 0.0 < chance <= MOST_BUDGET:
            raise SelectionError(f"--budget: {given!r} is no chance; write one above 0 and up to {MOST_BUDGET:g}")
        return chance

    def refuse_benchmarks_alone(self) -> None:
        """Refuse to leave claims that are asked for without a verdict. Raises `SelectionError`."""
        if self.config.getoption("benchmark_only", False):
            raise SelectionError("--benchmark-only: a claim is no benchmark, and would get no verdict; leave it out")

    @property
    def selects(self) -> bool:
        """Whether an option says which claims are wanted."""
        return any(self.config.getoption(name) for name in ("claim", "paper", "theme"))

    def seed(self) -> int:
        """The seed of --seed; a run that goes on with a fresh one has that of its journal."""
        text, journal = self.config.getoption("seed"), self.journal_file()
        if text != "fresh":
            return count("seed", text, 0)
        if self.config.getoption("resume") and journal is not None and journal.exists():
            from theory.core.journal import recorded_run

            return int(recorded_run(journal)["seed"])
        return int.from_bytes(os.urandom(4), "big")


def count(name: str, text: str, least: int) -> int:
    """The number that an option gives. Raises `SelectionError` for anything else, or a number below `least`."""
    try:
        number = int(text)
    except ValueError:
        raise SelectionError(f"--{name}: {text!r} is no integer; write a number from {least} up") from None
    if number < least:
        raise SelectionError(f"--{name}: {number} is too small; write a number from {least} up")
    return number

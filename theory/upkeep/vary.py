"""Whether every row is the same beside its own sizes: each claim judged again at cells moved inside its premises.

    python -m theory.upkeep.vary [FOLDER] [--paper KEY] [--theme NAME] [--claim ID] [--variations 5] [--seed 0]
                                 [--timeout SECONDS] [--jobs N] [--output DIR] [--resume]
                                 [--variation K [--smaller]] [--ends]

With FOLDER the claims are those of a reader's folder, with their own error budget, instead of the suite's.

A claim is judged at its own cells first, which says what is the same and how long it takes; then at each variation
(`theory.upkeep.variations`), with generators of its own, as cells name them. Controls are not judged. The variations of
a row have `--timeout` seconds together, by default four times what the row took for each and no less than 2.5, and as
much once more. Each has an equal part of what is left. Where one takes longer it is drawn again, and so are those after
it, so that no size grows: what they take is about what the row takes, and only what takes longer even so is too dear.

`vary.json` and `vary.md` are left in DIR, with the rows as they were done in `rows.jsonl`, so that `--resume` goes on.
`--variation K` judges that one alone and writes nothing. With `--ends` a row is judged as `--at` has it at two small
and two large sizes of each of its symbols, one at a time, inside its premises or not: what it does not build it has to
refuse in its own words, by the limits of its regime or by a `DataError`. Exit status: 0 no row turned; 1 one did, or
with `--ends` cannot be built and does not say so; 2 an option was refused. Main definitions: `Outcome`, `vary_row`,
`summary`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

from theory.claims import registry
from theory.claims.block import Claim
from theory.claims.catalogue import Catalogue, Entry
from theory.claims.regime import Cell
from theory.claims.selection import SelectionError, parse_at, select
from theory.core import seeds
from theory.core.budget import shares
from theory.core.choices import TIME_LIMIT
from theory.core.data import Data
from theory.core.guard import SessionError
from theory.core.journal import fingerprint
from theory.core.measured import EQUALITY_TOLERANCE
from theory.core.refusal import ROOT, ClaimError
from theory.core.values import Json, Values
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence.scaling import OF_CALIBRATION
from theory.evidence.trials import SAY_WHY
from theory.judging.judge import Finding, Row, decide_alone, judging
from theory.reports.ledger import plain
from theory.running.case import Case
from theory.running.config import RunConfig
from theory.running.parallel import Pool, lost_worker
from theory.surface import rooms
from theory.upkeep.variations import Variation, ends, movable, variations, vary

OUTPUT = ROOT / ".cache" / "vary"
VARIATIONS = 5

# Without --timeout a variation has so many times the seconds that the row took, and no less than `LEAST`; and so much
# more there is for the first one that takes longer, which is drawn again.
TIMES_AS_LONG, LEAST = 4.0, 2.5

# All ends of a row together have so many times the seconds that it took, and no less than `LEAST_OF_ENDS`. One of them
# may take `SHARE` of what is left, so that one that is too dear leaves something to the others.
TIMES_FOR_ENDS, LEAST_OF_ENDS, SHARE = 3.0, 5.0, 0.5

# An error of this name says in its message that data as asked for do not exist: that many points at such a distance.
NO_DATA = "DataError:"

# What a fit says of a measured 0, such as no flip by so short a step: it has no logarithm, and is sound.
NOTHING_TO_FIT = "a measurement is not a finite positive number: 0 at"

# How what measures refuses a size that it does not build: what was found, and after a colon what to do. So does numpy
# say that shapes do not fit.
_REFUSED = re.compile(r"(Data|Value)Error: (?!matmul)[^:]+: ")


class Outcome(StrEnum):
    """What became of a variation, and of a row: the first of these that one of its variations has."""

    TURNED = "turned"
    UNBUILT = "cannot be built"
    NOT_FOUND = "not found"
    UNDECIDED = "undecided"
    EDGE = "at the edge"
    DECIDED = "decided"
    SAME = "same"
    TOO_DEAR = "too dear"
    PREMISES = "premises"
    UNJUDGED = "not judged"
    NO_SIZES = "no sizes"


MEANING = {
    Outcome.TURNED: "refuted or failing beside its own cells, inside its premises",
    Outcome.UNBUILT: "a size that the block does not honour: it raised, or took a worker with it",
    Outcome.NOT_FOUND: "false as printed, and not refuted beside its own cells: a counterexample may take other sizes, "
    "and that it holds at these is no weakness",
    Outcome.UNDECIDED: "sound measurements were too few there, or of one number",
    Outcome.EDGE: "the measurement equals the bound there, within its rounding error, so that doubles do not tell",
    Outcome.DECIDED: "open or vacuous at its own cells, and passing beside them",
    Outcome.SAME: "the verdict of its own cells",
    Outcome.TOO_DEAR: "no result within its time",
    Outcome.PREMISES: "nothing nearby is inside its premises, with a bound that could be missed",
    Outcome.UNJUDGED: "not judged at its own cells: a package that is not installed, or the time",
    Outcome.NO_SIZES: "its cells hold nothing that could be moved",
}

# What a row of these outcomes has stands in the report with its variations.
TOLD = (
    Outcome.TURNED,
    Outcome.UNBUILT,
    Outcome.NOT_FOUND,
    Outcome.UNDECIDED,
    Outcome.EDGE,
    Outcome.DECIDED,
    Outcome.TOO_DEAR,
)


@dataclass(frozen=True)
class Asked:
    """What depends on the user: how many variations, the seed, and the seconds for a row (None: by what it took).

    With `ends` it is judged at the ends of its sizes, however many there are.
    """

    variations: int = VARIATIONS
    seed: int = 0
    timeout: float | None = None
    ends: bool = False


@dataclass(frozen=True)
class Judged:
    """One variation of a row.

    Attributes
    ----------
    number : counted from 0
    outcome, verdict : what became of it; no verdict where it was not judged
    why : what is to be said of it, or empty
    cells : where it was judged, as `--at` says them
    replay : the command that judges it again, or empty
    replays : whether that command came to the same; of turned ones alone, else None
    longer : whether nothing but the number of steps was another
    """

    number: int
    outcome: Outcome
    verdict: str = ""
    why: str = ""
    cells: tuple[str, ...] = ()
    replay: str = ""
    replays: bool | None = None
    longer: bool = False

    @property
    def has_no_data(self) -> bool:
        """Whether it asked for data that do not exist."""
        return self.outcome is Outcome.PREMISES and self.why.startswith(NO_DATA)


@dataclass(frozen=True)
class VariedRow:
    """A claim and its variations; `own` is the verdict at its own cells, `why` what kept them from being judged."""

    id: str
    own: str
    outcome: Outcome
    why: str = ""
    variations: tuple[Judged, ...] = ()

    @classmethod
    def of(cls, entry: Json) -> VariedRow:
        """The row that `asdict` made plain."""
        judged = [
            Judged(**{**one, "outcome": Outcome(one["outcome"]), "cells": tuple(one["cells"])})
            for one in entry["variations"]
        ]
        return cls(**{**entry, "outcome": Outcome(entry["outcome"]), "variations": tuple(judged)})


def vary_row(claim: Claim, asked: Asked, alpha: float) -> VariedRow:
    """Judge a claim at its own cells and at its variations, in this process."""
    if not (ends(claim) if asked.ends else movable(claim)):
        return VariedRow(claim.id, "", Outcome.NO_SIZES)
    config = RunConfig(seed=asked.seed, data=Data(rooms.sphere()), time_limit=TIME_LIMIT["quick"])
    own = decide_alone(claim, config, alpha)
    if own.failure is not None or own.unjudged:
        why = own.unjudged or (own.failure.reason if own.failure is not None else "")
        outcome = Outcome.UNBUILT if own.failure is not None and own.failure.raised else Outcome.UNJUDGED
        return VariedRow(claim.id, str(own.verdict), outcome, f"at its own cells: {why}")
    if asked.ends:
        allowed = max(LEAST_OF_ENDS, TIMES_FOR_ENDS * own.seconds) if asked.timeout is None else asked.timeout
        return _row(claim, own, _judged_at_ends(claim, own, config, alpha, allowed))
    together = asked.timeout
    if together is None:
        together = (asked.variations + 1) * max(LEAST, TIMES_AS_LONG * own.seconds)
    return _row(claim, own, _judged_nearby(claim, own, config, alpha, asked.variations, together))


def _row(claim: Claim, own: Finding, judged: Sequence[Judged]) -> VariedRow:
    outcomes = [one.outcome for one in judged]
    return VariedRow(claim.id, str(own.verdict), min(outcomes, key=list(Outcome).index), "", tuple(judged))


def _judged_nearby(
    claim: Claim, own: Finding, config: RunConfig, alpha: float, count: int, allowed: float
) -> list[Judged]:
    """What became of so many variations, in about `allowed` seconds together."""
    left, smaller, judged = allowed, False, list[Judged]()
    drawn = variations(claim, count, config, alpha)
    # One whose data do not exist is made up for by another, as long as half of them do.
    while (number := len(judged)) < (wanted := count + min(count, sum(one.has_no_data for one in judged))):
        if left <= 0.01 * allowed:
            judged.append(Judged(number, Outcome.TOO_DEAR, why=f"the {allowed:.3g} s of the row are over"))
            continue
        if number == len(drawn):
            drawn.append(vary(claim, number, config, alpha, smaller, drawn))
        found = drawn[number]
        if isinstance(found, str):
            judged.append(Judged(number, Outcome.PREMISES, why=found))
            continue
        # Until sizes no longer grow one may have to be judged again.
        share = left / (wanted - number + (not smaller))
        started = time.perf_counter()
        one = _judged(claim, found, number, smaller, own, replace(config, time_limit=share), alpha)
        left -= time.perf_counter() - started
        if one.outcome is Outcome.TOO_DEAR and not smaller:
            smaller, drawn = True, variations(claim, len(drawn), config, alpha, smaller=True)
        else:
            judged.append(one)
    return judged


def _judged_at_ends(claim: Claim, own: Finding, config: RunConfig, alpha: float, left: float) -> list[Judged]:
    """What became of each of its ends, in `left` seconds together."""
    judged = []
    for number, at in enumerate(ends(claim)):
        started = time.perf_counter()
        judged.append(_judged_at(claim, at, number, own, replace(config, time_limit=max(SHARE * left, 0.05)), alpha))
        left -= time.perf_counter() - started
    return judged


def _judged_at(claim: Claim, at: Cell, number: int, own: Finding, config: RunConfig, alpha: float) -> Judged:
    """A claim where `--at` puts one size, refused as a run would refuse it."""
    said = seeds.said(at)
    replay = shlex.join([*judging(claim), "--claim", claim.id, "--seed", str(config.seed), "--at", said])
    try:
        there = replace(config, at=parse_at(said, [claim]))
        lacking = Case(claim, there, alpha).sizes.lacking
    except SelectionError as error:
        return Judged(number, Outcome.PREMISES, why=str(error), cells=(said,), replay=replay)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        refused = Outcome.PREMISES if _REFUSED.match(why) else Outcome.UNBUILT
        return Judged(number, refused, why=why, cells=(said,), replay=replay)
    if lacking:
        return Judged(number, Outcome.PREMISES, why=f"it takes {lacking}", cells=(said,), replay=replay)
    found = decide_alone(claim, there, alpha)
    outcome, why = _outcome(claim, own.verdict, found)
    if outcome is Outcome.UNBUILT and _REFUSED.match(why):
        outcome = Outcome.PREMISES
    elif outcome in (Outcome.TURNED, Outcome.UNDECIDED) and found.evidence.premises is not PremiseStatus.INSIDE:
        outcome = Outcome.PREMISES  # measured where nothing is claimed
    elif outcome is Outcome.TURNED and Row(claim, there, found).expected is found.verdict:
        # A run at a size of the reader's does not fail over it: outside the premises, or for want of measurements.
        outcome = Outcome.UNDECIDED if found.verdict is Verdict.UNDECIDED else Outcome.PREMISES
    verdict = "" if found.failure is not None else str(found.verdict)
    return Judged(number, outcome, verdict, f"{said}: {why}", (said,), replay)


def judge_alone(claim: Claim, asked: Asked, alpha: float, number: int, smaller: bool) -> Judged:
    """One variation of a claim, with all the time that a claim has."""
    config = RunConfig(seed=asked.seed, data=Data(rooms.sphere()), time_limit=TIME_LIMIT["quick"])
    found = variations(claim, number + 1, config, alpha, smaller)[number]
    if isinstance(found, str):
        return Judged(number, Outcome.PREMISES, why=found)
    own = decide_alone(claim, config, alpha)
    return _judged(claim, found, number, smaller, own, config, alpha)


def _judged(
    claim: Claim, found: Variation, number: int, smaller: bool, own: Finding, config: RunConfig, alpha: float
) -> Judged:
    """A variation, judged and compared with what the claim's own cells gave; one that turned is replayed."""
    there = decide_alone(found.claim, config, alpha)
    outcome, why = _outcome(claim, own.verdict, there)
    cells = tuple(seeds.said(_given(claim, cell)) for cell in found.cells)
    replay = replay_line(claim, found, number, smaller, config.seed)
    replays = None
    if outcome is Outcome.TURNED and not claim.evidence.fits:
        replays = _replays(claim, replay, there, replace(config, time_limit=TIME_LIMIT["quick"]), alpha)
    verdict = "" if there.failure is not None else str(there.verdict)
    return Judged(number, outcome, verdict, why, cells, replay, replays, found.longer)


def _given(claim: Claim, cell: Values) -> Cell:
    """The symbols of a complete cell that are given, not computed."""
    return {n: v for n, v in cell.items() if n not in claim.regime.derived and n not in claim.regime.from_data}


def _outcome(claim: Claim, own: Verdict, there: Finding) -> tuple[Outcome, str]:
    """What the finding at a variation says beside the verdict at the claim's own cells, and what there is to tell."""
    if there.failure is not None:
        reason = there.failure.reason
        if not there.failure.raised or reason.startswith("MemoryError"):
            return Outcome.TOO_DEAR, reason
        return (Outcome.PREMISES if reason.startswith(NO_DATA) else Outcome.UNBUILT), reason
    worst = there.evidence.worst
    told = "" if worst is None else f"ratio {worst.ratio:.6g}" + (f", {worst.remark}" if worst.remark else "")
    if there.verdict is own:
        return Outcome.SAME, told
    if there.verdict is Verdict.VACUOUS:
        return (
            Outcome.PREMISES,
            "nothing of what was measured is inside the premises, with a bound that could be missed",
        )
    finite = worst is None or math.isfinite(worst.ratio)
    if there.verdict is Verdict.UNDECIDED and own is Verdict.REFUTED and finite:
        # What is false as printed need not be found to be so, by a proof or a search.
        return Outcome.NOT_FOUND, told
    if there.verdict is Verdict.UNDECIDED and _is_at_the_edge(claim, there):
        return Outcome.EDGE, told
    few = worst is not None and (
        worst.remark.startswith((NOTHING_TO_FIT, OF_CALIBRATION)) or worst.remark.endswith(SAY_WHY)
    )
    if there.verdict is Verdict.UNDECIDED and (there.evidence.spent or few):
        return Outcome.UNDECIDED, told
    if not there.verdict.is_pass:
        return Outcome.TURNED, told
    return (Outcome.NOT_FOUND if own is Verdict.REFUTED else Outcome.DECIDED), told


def _is_at_the_edge(claim: Claim, there: Finding) -> bool:
    """Whether what a search leaves open is an instance that attains its bound, by all that is known of it."""
    worst = there.evidence.worst
    if worst is None or claim.sense == "=" or not (claim.evidence.searches and there.evidence.spent):
        return False
    return math.isclose(worst.ratio, 1.0, rel_tol=EQUALITY_TOLERANCE)


def replay_line(claim: Claim, found: Variation, number: int, smaller: bool, seed: int) -> str:
    """The command that judges a variation again, quoted for the shell.

    One cell is what `--at` says of all cells; several of them, to which exponents are fitted, are drawn again.
    """
    if claim.evidence.fits:
        parts = [
            "python",
            "-m",
            "theory.upkeep.vary",
            *(str(Path(file).parent) for file in judging(claim)[2:]),
            "--claim",
            claim.id,
            "--seed",
            str(seed),
            "--variation",
            str(number),
        ]
        return shlex.join(parts + (["--smaller"] if smaller else []))
    at = seeds.said(_given(claim, found.cells[0]))
    return shlex.join([*judging(claim), "--claim", claim.id, "--seed", str(seed), "--at", at])


def _replays(claim: Claim, line: str, there: Finding, config: RunConfig, alpha: float) -> bool:
    """Whether a line of pytest comes to the same verdict and the same worst case."""
    words = shlex.split(line)
    options = dict(zip(words[1::2], words[2::2], strict=True))
    try:
        at = parse_at(options["--at"], [claim])
    except SelectionError:
        return False
    again = decide_alone(claim, replace(config, at=at), alpha)
    worst = [None if found.evidence.worst is None else repr(found.evidence.worst.ratio) for found in (there, again)]
    return again.verdict is there.verdict and worst[0] == worst[1]


# ------------------------------------------------------------------------------------------- the run


def vary_in_worker(identifier: str, file: str, asked: Asked, alpha: float) -> VariedRow:
    """The row of a claim that this process finds by its file and id."""
    return vary_row(registry.found(identifier, file), asked, alpha)


def vary_all(entries: Sequence[Entry], asked: Asked, alphas: Mapping[str, float], jobs: int) -> Iterator[VariedRow]:
    """The rows of these claims as they end. A claim whose worker is lost when it is alone cannot be built."""
    if jobs == 1:
        for entry in entries:
            yield vary_in_worker(entry.id, entry.file, asked, alphas[entry.id])
        return
    pool, suspects = Pool(jobs), list[Entry]()
    running = {pool.submit(vary_in_worker, e.id, e.file, asked, alphas[e.id]): e for e in entries}
    try:
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                entry = running.pop(future)
                if isinstance(future.exception(), BrokenProcessPool):
                    suspects.append(entry)
                else:
                    yield future.result()
        for entry in suspects:
            future = pool.submit(vary_in_worker, entry.id, entry.file, asked, alphas[entry.id])
            lost = future.exception()
            if isinstance(lost, BrokenProcessPool):
                yield VariedRow(entry.id, "", Outcome.UNBUILT, lost_worker(str(lost)).reason)
            else:
                yield future.result()
    finally:
        if running:
            pool.kill()


def summary(rows: Sequence[VariedRow]) -> list[str]:
    """The lines of the report: how many rows came to what, then those that there is something to say of."""
    counted = Counter(row.outcome for row in rows)
    judged = sum(bool(one.verdict) for row in rows for one in row.variations)
    longer = sum(bool(one.verdict) and one.longer for row in rows for one in row.variations)
    lines = [f"{len(rows)} rows, {judged} variations judged, of them {longer} with twice the steps and nothing else"]
    lines += [f"{counted[outcome]:>6} {outcome}: {MEANING[outcome]}" for outcome in Outcome if counted[outcome]]
    for outcome in TOLD:
        for row in rows:
            if row.outcome is outcome:
                lines += ["", f"{row.id}: {outcome}{f': {row.why}' if row.why else ''}", *_told(row)]
    return lines


def _told(row: VariedRow) -> list[str]:
    """A line for each variation of a row that had its outcome, and the replay of it."""
    lines = []
    for one in row.variations:
        if one.outcome is row.outcome:
            said = ", ".join(filter(None, (f"{row.own} -> {one.verdict}" if one.verdict else "", one.why)))
            again = "" if one.replays is not False else "  (comes out otherwise)"
            lines += [f"  variation {one.number}: {said}", f"    {one.replay}{again}"] if one.replay else [f"  {said}"]
    return lines


def markdown(rows: Sequence[VariedRow], asked: Asked) -> str:
    """The report as a page: a table of all rows, and what the summary tells."""
    lines = ["# Rows beside their own sizes", "", f"{asked.variations} variations a row, seed {asked.seed}.", ""]
    lines += ["| claim | at its own cells | beside them | variations |", "|---|---|---|---|"]
    for row in rows:
        counted = Counter(one.outcome for one in row.variations)
        each = ", ".join(f"{counted[outcome]} {outcome}" for outcome in Outcome if counted[outcome])
        lines.append(f"| `{row.id}` | {row.own or '-'} | {row.outcome} | {each or '-'} |")
    return "\n".join([*lines, "", "```", *summary(rows), "```", ""])


@dataclass(frozen=True)
class _Done:
    """The rows that are done, in a file: a first line with what they depend on, then one line a row."""

    path: Path
    depends: Json

    def begin(self, resume: bool) -> list[VariedRow]:
        """The rows that are there, or a new file. Raises `SelectionError` where they are those of another run."""
        if not resume:
            self.path.write_text(json.dumps(self.depends) + "\n", encoding="utf-8")
            return []
        if not self.path.exists():
            raise SelectionError(f"--resume: there is no {self.path}; leave --resume out")
        # A line that a killed process left unfinished has no end.
        first, *rest = self.path.read_text(encoding="utf-8").rpartition("\n")[0].split("\n")
        noted = json.loads(first) if first else {}
        if other := sorted(name for name in {*noted, *self.depends} if noted.get(name) != self.depends.get(name)):
            raise SelectionError(f"--resume: {self.path} is of a run with other {', '.join(other)}; leave --resume out")
        self.path.write_text("\n".join([first, *rest]) + "\n", encoding="utf-8")
        return [VariedRow.of(json.loads(line)) for line in rest]

    def append(self, row: VariedRow) -> None:
        """Note a row."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(plain(asdict(row))) + "\n")


def write(directory: Path, rows: Sequence[VariedRow], asked: Asked) -> list[Path]:
    """Write `vary.json` and `vary.md`, which hold no times."""
    counted = Counter(row.outcome for row in rows)
    report = {
        "seed": asked.seed,
        "variations": asked.variations,
        "timeout": asked.timeout,
        "counts": {str(outcome): counted[outcome] for outcome in Outcome},
        "rows": [plain(asdict(row)) for row in rows],
    }
    files = {"vary.json": json.dumps(report, indent=1) + "\n", "vary.md": markdown(rows, asked)}
    for name, text in files.items():
        (directory / name).write_text(text, encoding="utf-8")
    return [directory / name for name in files]


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m theory.upkeep.vary", description=(__doc__ or "").splitlines()[0], allow_abbrev=False
    )
    parser.add_argument("place", nargs="?", type=Path, metavar="FOLDER", help="claims of a folder, not the suite's")
    for name, what in (("paper", "KEY"), ("theme", "NAME"), ("claim", "ID")):
        parser.add_argument(f"--{name}", action="append", default=[], metavar=what, help="as of pytest; repeatable")
    parser.add_argument("--variations", type=int, default=VARIATIONS, metavar="N", help=f"for a row ({VARIATIONS})")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the variations and their trials (0)")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="for the variations of a row")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="rows at a time (1)")
    parser.add_argument("--output", type=Path, default=OUTPUT, metavar="DIR", help="folder of the report")
    parser.add_argument("--resume", action="store_true", help="go on with the rows that are done in DIR")
    parser.add_argument("--variation", type=int, metavar="K", help="judge this one of one claim, and write nothing")
    parser.add_argument("--smaller", action="store_true", help="with --variation: as drawn once one was too dear")
    parser.add_argument("--ends", action="store_true", help="at two small and two large sizes of each symbol instead")
    options = parser.parse_args(arguments)
    for name, least in (("variations", 1), ("seed", 0), ("jobs", 1), ("variation", 0)):
        value = getattr(options, name)
        if value is not None and value < least:
            raise SelectionError(f"--{name}: {value} is too small; write a number from {least} up")
    if options.timeout is not None and not 0.0 < options.timeout < float("inf"):
        raise SelectionError(f"--timeout: {options.timeout:g} is no time; write a number of seconds above 0")
    if options.ends and options.variation is not None:
        raise SelectionError("--ends: it is about all ends of a row; leave out --variation")
    if options.smaller and options.variation is None:
        raise SelectionError("--smaller: it is about one variation; add --variation K")
    return options


def _catalogue(place: Path | None = None) -> Catalogue:
    cache = os.environ.get("LEMMATA_CACHE_DIR")
    catalogue = Catalogue((Path(cache) if cache else ROOT / ".cache") / "claims.json")
    if place is None:
        catalogue.add_suite()
    elif place.is_dir():
        catalogue.add_place(place)
    else:
        raise SelectionError(f"{place}: there is no such folder; write one that holds claims, or none for the suite's")
    return catalogue


def run(options: argparse.Namespace, everything: Sequence[Entry]) -> int:
    """Vary the rows that are asked for and write the report; the exit code is that of the module's docstring.

    Raises `SelectionError` for a selection or a folder that makes no sense.
    """
    chosen = select(everything, options.claim, options.paper, options.theme)
    alphas = shares(everything, () if options.place is None else {entry.id for entry in everything})
    asked = Asked(options.variations, options.seed, options.timeout, options.ends)
    if options.variation is not None:
        if len(chosen) != 1:
            raise SelectionError(f"--variation: {len(chosen)} claims are selected; name one with --claim ID")
        claim = registry.found(chosen[0].id, chosen[0].file)
        one = judge_alone(claim, asked, alphas[claim.id], options.variation, options.smaller)
        print(f"{claim.id}: variation {one.number}: {one.outcome} {one.verdict} {one.why}".rstrip())
        print("\n".join(f"  {cell}" for cell in one.cells))
        return int(one.outcome is Outcome.TURNED)
    try:
        options.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SelectionError(f"--output: nothing can be written to {options.output}: {error.strerror}") from None
    done = _Done(options.output / "rows.jsonl", {**asdict(asked), **fingerprint(ROOT)})
    known = {row.id: row for row in done.begin(options.resume)}
    waiting = [entry for entry in chosen if entry.id not in known]
    for row in vary_all(waiting, asked, alphas, options.jobs):
        done.append(row)
        known[row.id] = row
        print(f"{len(known)}: {row.id}: {row.outcome}", file=sys.stderr, flush=True)
    rows = [known[entry.id] for entry in chosen]
    print("\n".join(summary(rows)))
    print(f"written to {', '.join(map(str, write(options.output, rows, asked)))}")
    failing = (Outcome.TURNED, Outcome.UNBUILT) if asked.ends else (Outcome.TURNED,)
    return int(any(row.outcome in failing for row in rows))


def main(arguments: Sequence[str]) -> int:
    """As `run`, with options that are words and the claims of the suite."""
    undo = rooms.refuse_beyond_memory()
    try:
        options = _options(arguments)
        return run(options, _catalogue(options.place).entries)
    except (SelectionError, ClaimError, SessionError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    finally:
        undo()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Whether a row with a constant of the project's own is refuted at one of many seeds: the verdicts of claims alone.

    python -m theory.upkeep.verdicts [--seeds 0-99] [--jobs N] [--paper KEY] [--theme NAME] [--claim ID]
                                     [--output DIR] [--resume]

A constant that was set just above what the attacks of a few seeds reach is passed at another. Judged are all claims
that have a constant of the project's own (`theory.upkeep.reserves`), draw something, and are expected to pass: at the
sizes, with the trials and with the share of the error budget that they have at quick effort, seed by seed. Controls and
what a row shows beside its verdict are left out, which `theory.upkeep.over_seeds` judges at fewer seeds.

Verdicts are noted in DIR/journal.jsonl as they are reached, so that `--resume` goes on. DIR/verdicts.json has of every
claim the verdicts that are no pass, the largest ratio and its seed. Exit status: 0 every claim passes at every seed, 1
not so, 2 an option was refused or the run was interrupted. Main definitions: `Verdicts`, `drawing`, `verdict_of`,
`summary`.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from theory.claims import registry
from theory.claims.block import Claim
from theory.claims.selection import SelectionError, select
from theory.core.budget import shares
from theory.core.choices import TIME_LIMIT
from theory.core.data import Data
from theory.core.guard import SessionError
from theory.core.journal import Journal, fingerprint
from theory.core.refusal import ROOT, ClaimError
from theory.core.values import JsonDict
from theory.core.verdict import Verdict
from theory.judging.judge import decide_alone
from theory.reports.ledger import plain
from theory.running.config import RunConfig
from theory.running.parallel import Pool, lost_worker
from theory.surface import rooms
from theory.upkeep.over_seeds import own_constants, seeds_of

OUTPUT = ROOT / ".cache" / "verdicts"
JOURNAL, TABLE = "journal.jsonl", "verdicts.json"

# So many tasks are handed out at a time, that a journal which is begun anew has whole seeds.
AHEAD = 4

Task = tuple[str, str, int]


@dataclass(frozen=True)
class Verdicts:
    """One claim over the seeds at which it was judged.

    `other` has the seeds at which it did not pass, with the verdict and what was said of it; `ratio` is the largest of
    all seeds (0 where none has one), `seed` where it is. A ratio above 1 is a failed trial of those that may fail.
    """

    id: str
    method: str
    seeds: int
    other: Mapping[int, str]
    ratio: float
    seed: int

    @property
    def refuted(self) -> int:
        """At how many seeds it was refuted."""
        return sum(said.startswith(Verdict.REFUTED) for said in self.other.values())


def drawing(claims: Sequence[Claim]) -> list[Claim]:
    """Those that have a constant of the project's own, draw something, and are expected to pass."""
    return [c for c in claims if c.expected.is_pass and c.evidence.draws and not c.absent and own_constants(c)]


def verdict_of(identifier: str, file: str, seed: int, alpha: float) -> JsonDict:
    """The verdict on a claim, found by its file and id in this process, at a seed: plain data, for a journal."""
    config = RunConfig(seed=seed, data=Data(rooms.sphere()), time_limit=TIME_LIMIT["quick"])
    found = decide_alone(registry.found(identifier, file), config, alpha)
    worst = found.evidence.worst
    why = found.failure.reason if found.failure is not None else "" if worst is None else worst.remark
    ratio = worst.ratio if worst is not None and math.isfinite(worst.ratio) else None
    return {"verdict": str(found.verdict), "passed": found.verdict.is_pass, "ratio": ratio, "why": why}


def judged(tasks: Sequence[Task], alphas: Mapping[str, float], jobs: int) -> Iterator[tuple[Task, JsonDict]]:
    """The verdicts as they are reached. A claim whose worker is lost has the verdict `error` at that seed."""
    if jobs == 1:
        for task in tasks:
            yield task, verdict_of(*task, alphas[task[0]])
        return
    pool, left = Pool(jobs), list(reversed(tasks))
    running: dict[Future[Any], Task] = {}
    try:
        while running or left:
            while left and len(running) < AHEAD * jobs:
                task = left.pop()
                running[pool.submit(verdict_of, *task, alphas[task[0]])] = task
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                task, lost = running.pop(future), future.exception()
                if isinstance(lost, BrokenProcessPool):
                    why = lost_worker(str(lost)).reason
                    yield task, {"verdict": str(Verdict.ERROR), "passed": False, "ratio": None, "why": why}
                else:
                    yield task, future.result()
    finally:
        if running:
            pool.kill()


def together(claim: Claim, found: Mapping[int, JsonDict]) -> Verdicts:
    """What the verdicts at several seeds say of a claim."""
    other = {s: ": ".join(filter(None, (one["verdict"], one["why"]))) for s, one in found.items() if not one["passed"]}
    ratio, seed = max(((one["ratio"] or 0.0, -s) for s, one in found.items()), default=(0.0, 0))
    return Verdicts(claim.id, claim.evidence.method, len(found), other, ratio, -seed)


def summary(rows: Sequence[Verdicts]) -> list[str]:
    """How many verdicts there are, and a line for each that is no pass."""
    count = sum(row.seeds for row in rows)
    refuted, other = sum(row.refuted for row in rows), sum(len(row.other) for row in rows)
    lines = [f"{count} verdicts on {len(rows)} claims: {refuted} refuted, {other - refuted} neither that nor a pass"]
    for row in rows:
        for seed, said in row.other.items():
            lines += [f"{row.id}: seed {seed}: {said}", f"  pytest --claim {row.id} --seed {seed}"]
    return lines


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m theory.upkeep.verdicts", description=(__doc__ or "").splitlines()[0], allow_abbrev=False
    )
    parser.add_argument("--seeds", default="0-99", metavar="SEEDS", help="0-99 (default), 3, or 0,2,5-9")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="claims at a time (1)")
    for name, what in (("paper", "KEY"), ("theme", "NAME"), ("claim", "ID")):
        parser.add_argument(f"--{name}", action="append", default=[], metavar=what, help="as of pytest; repeatable")
    parser.add_argument("--output", type=Path, default=OUTPUT, metavar="DIR", help="folder of journal and table")
    parser.add_argument("--resume", action="store_true", help="go on with the verdicts that are in DIR")
    options = parser.parse_args(arguments)
    if options.jobs < 1:
        raise SelectionError(f"--jobs: {options.jobs} is too small; write a number from 1 up")
    return options


def run(options: argparse.Namespace, everything: Sequence[Claim]) -> int:
    """Judge what is asked for and left to judge, and write the table; the exit code is that of the module's docstring.

    Raises `SessionError` for seeds, a folder or a journal, `SelectionError` for a selection that makes no sense.
    """
    seeds = seeds_of(options.seeds)
    chosen = drawing(select(everything, options.claim, options.paper, options.theme))
    if not chosen:
        raise SelectionError("no selected claim has a constant of the project's own and draws something")
    alphas = shares(everything)
    journal = Journal(options.output / JOURNAL, {"effort": "quick", **fingerprint(ROOT)}, options.resume)
    journal.begin()
    try:
        tasks: list[Task] = [(claim.id, claim.file, seed) for seed in seeds for claim in chosen]
        known = {task: journal.find((task[0], task[2])) for task in tasks}
        left = [task for task in tasks if known[task] is None]
        for number, (task, found) in enumerate(judged(left, alphas, options.jobs), 1):
            journal.append((task[0], task[2]), found)
            known[task] = found
            if not found["passed"]:
                print(f"{task[0]}: seed {task[2]}: {found['verdict']}: {found['why']}", file=sys.stderr, flush=True)
            if number % len(chosen) == 0:
                print(f"{number} of {len(left)} verdicts", file=sys.stderr, flush=True)
        journal.finish()
        rows = [together(claim, {seed: known[claim.id, claim.file, seed] for seed in seeds}) for claim in chosen]
    finally:
        journal.close()
    rows.sort(key=lambda row: -row.ratio)
    table = options.output / TABLE
    table.write_text(json.dumps([plain(asdict(row)) for row in rows], indent=1) + "\n", encoding="utf-8")
    print("\n".join([*summary(rows), f"written to {table}"]))
    return int(any(row.other for row in rows))


def main(arguments: Sequence[str] | None = None) -> int:
    """As `run`, with options that are words and the claims of the suite."""
    undo = rooms.refuse_beyond_memory()
    try:
        return run(_options(sys.argv[1:] if arguments is None else arguments), registry.load_claims())
    except (SelectionError, ClaimError, SessionError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("error: interrupted; the same command with --resume goes on", file=sys.stderr)
        return 2
    finally:
        undo()


if __name__ == "__main__":
    sys.exit(main())

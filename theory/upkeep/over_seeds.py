"""The quick suite at many seeds, and what the ledgers say together.

    python -m theory.upkeep.over_seeds [--seeds 0-19] [--jobs N] [--backend NAME] [--paper KEY] [--theme NAME] [--claim
    ID]
                                [--constants] [--output DIR]
    python -m theory.upkeep.over_seeds --read DIR... [--output DIR]

A row is as expected because of its statement, not because of the seed. Each seed is a run of pytest in a process of its
own, one after the other, with its ledger in DIR/seed-S. A seed is not run again where its complete ledger is there and
was made from the same sources (by their contents, so that it makes no difference whether they are committed), with the
same versions and settings and the same selection; a campaign that was interrupted goes on with the same command.
`--constants` selects the claims with a named constant in the bound or in a premise, which is one of the project's own
(`theory.upkeep.reserves`). `--read` runs nothing: DIR has a ledger, or folders with ledgers.

Left in the output are `seeds.json` and `seeds.md`: rows not as expected by seed and in which way, and the reserve of
each row. Exit status: 0 all rows are as expected at all seeds, 1 not so, or a run left no complete ledger, 2 nothing
could be run or read, or the campaign was interrupted. Main definitions: `Campaign`, `seeds_of`, `read`, `main`.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bounds.bound import Bound
from bounds.premise import Premise
from theory.claims import registry
from theory.claims.block import Claim
from theory.claims.selection import SelectionError, nearest, select
from theory.core.choices import BACKENDS
from theory.core.guard import SessionError
from theory.core.journal import fingerprint
from theory.core.refusal import ROOT, ClaimError
from theory.core.values import Json, JsonDict
from theory.reports.ledger import SCHEMA
from theory.upkeep.reserves import Standing, standings, summary, to_json, to_markdown

OUTPUT = ROOT / ".cache" / "seeds"
LEDGER, STAMP, LOG = "ledger.json", "made-of.json", "claims.log"

# A campaign of more takes days, and is rather a slip in the range.
MOST_SEEDS = 10_000

Ledger = JsonDict


class SeedsError(SessionError):
    """Nothing could be run or read; the message is one sentence for the user."""


def seeds_of(text: str) -> list[int]:
    """The seeds of `0-19`, `3` or `0,2,5-9`, in order and each once. Raises SeedsError for anything else."""
    found: set[int] = set()
    for part in text.split(","):
        ends = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part)
        if ends is None:
            raise SeedsError(f"--seeds: {part!r} is no seed and no range; write them as in 0-19 or 0,2,5-9")
        first, last = int(ends[1]), int(ends[2] or ends[1])
        if last < first:
            raise SeedsError(f"--seeds: the range {part!r} ends before it begins; write {last}-{first}")
        if last - first >= MOST_SEEDS:
            raise SeedsError(f"--seeds: the range {part!r} has {last - first + 1} seeds; ask for {MOST_SEEDS} at most")
        found |= set(range(first, last + 1))
    return sorted(found)


def own_constants(claim: Claim) -> list[str]:
    """The constants of the project's own in the bound and the premises of a claim: all that have a name."""
    formulas: tuple[Bound | Premise, ...] = (claim.bound, *claim.premises)
    return sorted({name for formula in formulas for name in formula.constants})


@dataclass(frozen=True)
class Campaign:
    """How the runs are made: `selected` are options of pytest, `output` the folder of their folders."""

    output: Path
    selected: tuple[str, ...] = ()
    jobs: int = 1
    backend: str = "loky"

    def folder(self, seed: int) -> Path:
        """Where the ledger of a seed is left."""
        return self.output / f"seed-{seed}"

    def made_of(self, seed: int) -> JsonDict:
        """All that the ledger of a seed depends on."""
        versions = {"hypothesis": importlib.metadata.version("hypothesis"), "schema": SCHEMA}
        return {**fingerprint(ROOT), **versions, "seed": seed, "selected": list(self.selected)}

    def finished(self, seed: int) -> Ledger | None:
        """The complete ledger of a seed, where it is that of these very sources and this selection."""
        folder = self.folder(seed)
        try:
            stamp = json.loads((folder / STAMP).read_text(encoding="utf-8"))
            same = stamp == {"run": self.made_of(seed), "ledger": _digest(folder / LEDGER)}
        except (OSError, ValueError):
            return None
        return read(folder) if same else None

    def run(self, seed: int) -> Ledger:
        """Run a seed, with its log kept. Raises SeedsError where it leaves no complete ledger."""
        folder = self.folder(seed).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for old in (folder / STAMP, folder / LEDGER):
            old.unlink(missing_ok=True)
        before = self.made_of(seed)
        options = [f"--seed={seed}", f"--ledger={folder}", f"--jobs={self.jobs}", f"--backend={self.backend}"]
        _pytest([*options, *self.selected], folder / LOG)
        if not (folder / LEDGER).exists():
            raise SeedsError(f"its run left no complete ledger; {self.folder(seed) / LOG} says why")
        found = read(folder)
        # A ledger of sources that changed meanwhile is of neither version.
        if self.made_of(seed) == before:
            stamp = {"run": before, "ledger": _digest(folder / LEDGER)}
            (folder / STAMP).write_text(json.dumps(stamp, indent=1), encoding="utf-8")
        return found


def _pytest(options: Sequence[str], log: Path) -> None:
    """Run pytest in a process of its own, with all that it says in `log`."""
    with log.open("w", encoding="utf-8") as file:
        command = [sys.executable, "-m", "pytest", "-q", *options]
        subprocess.run(command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT, check=False)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read(place: Path) -> Ledger:
    """The complete ledger in a file or folder, of a run that asked nothing but for a seed and a selection.

    Raises SeedsError where there is none.
    """
    file = place / LEDGER if place.is_dir() else place
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        suite = found["suite"]
        asked, complete, _ = suite["what_if"] or suite["data"], suite["complete"], (found["claims"], found["constants"])
    except OSError as error:
        raise SeedsError(f"{file}: {error.strerror or error}; name a folder that --ledger wrote") from None
    except (ValueError, KeyError, TypeError):
        raise SeedsError(f"{file} is no ledger, or a broken one; judge its seed again") from None
    if not complete:
        raise SeedsError(f"{file}: {len(suite['missing'])} claims have no row; judge its seed again")
    if asked:
        raise SeedsError(f"{file} is about {asked}; name ledgers of the claims as declared")
    return dict(found)


def read_all(places: Sequence[Path]) -> list[Ledger]:
    """The ledgers at these places, or in the folders there, by seed. Raises SeedsError, also for one seed twice."""
    by_seed: dict[int, tuple[Path, Ledger]] = {}
    for place in places:
        below = sorted(place.glob(f"*/{LEDGER}")) if place.is_dir() and not (place / LEDGER).exists() else []
        for file in below or [place]:
            ledger = read(file)
            seed = ledger["suite"]["seed"]
            if seed in by_seed:
                raise SeedsError(f"{by_seed[seed][0]} and {file} are both of seed {seed}; leave one of them out")
            by_seed[seed] = file, ledger
    return [by_seed[seed][1] for seed in sorted(by_seed)]


def selection(options: argparse.Namespace, claims: Callable[[], Sequence[Claim]]) -> tuple[str, ...]:
    """The options of pytest that select what was asked for; `claims` loads all of them where constants are.

    Raises SelectionError where nothing is selected.
    """
    if not options.constants:
        named = (("paper", options.paper), ("theme", options.theme), ("claim", options.claim))
        return tuple(f"--{name}={value}" for name, values in named for value in values)
    wanted = select(claims(), options.claim, options.paper, options.theme)
    found = sorted(claim.id for claim in wanted if own_constants(claim))
    if not found:
        raise SelectionError("--constants: no selected claim has a named constant in its bound or a premise")
    return tuple(f"--claim={name}" for name in found)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the seeds that are not there yet, or read ledgers, and write and print the tables."""
    options = _parser().parse_args(arguments)
    unfinished: list[str] = []
    try:
        if options.read:
            ledgers = read_all(options.read)
        else:
            seeds = seeds_of(options.seeds)
            if options.jobs < 1:
                raise SeedsError(f"--jobs: {options.jobs} is too small; write a number from 1 up")
            if options.backend not in BACKENDS:
                raise SeedsError(f"--backend: no {options.backend!r}; {nearest(options.backend, BACKENDS)}")
            selected = selection(options, registry.load_claims)
            ledgers, unfinished = _judged(Campaign(options.output, selected, options.jobs, options.backend), seeds)
    except (SessionError, SelectionError, ClaimError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("error: interrupted; the same command goes on with the seeds that are left", file=sys.stderr)
        return 2
    found = standings(ledgers)
    written = _write(options.output, found, ledgers)
    print("\n".join([*summary(found, ledgers), *unfinished, f"written to {', '.join(map(str, written))}"]))
    return 1 if unfinished or any(row.unexpected for row in found) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m theory.upkeep.over_seeds", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--seeds", default="0-19", metavar="SEEDS", help="0-19 (default), 3, or 0,2,5-9")
    parser.add_argument("--read", type=Path, nargs="+", metavar="DIR", help="read these ledgers and run nothing")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="worker processes of each run (default 1)")
    parser.add_argument(
        "--backend", default="loky", metavar="NAME", help="where trials run: loky (default), dask or ray"
    )
    for name, placeholder in (("paper", "KEY"), ("theme", "NAME"), ("claim", "ID")):
        told = f"only claims of this {name}; may be repeated" if name != "claim" else "only this; patterns allowed"
        parser.add_argument(f"--{name}", action="append", default=[], metavar=placeholder, help=told)
    parser.add_argument("--constants", action="store_true", help="only claims with a constant of the project's own")
    parser.add_argument("--output", type=Path, default=OUTPUT, metavar="DIR", help="where ledgers and tables are left")
    return parser


def _judged(campaign: Campaign, seeds: Sequence[int]) -> tuple[list[Ledger], list[str]]:
    """The ledgers of these seeds, and a line for each that has none."""
    ledgers: list[Ledger] = []
    unfinished: list[str] = []
    for seed in seeds:
        started = time.perf_counter()
        try:
            ledger = campaign.finished(seed)
            said = "is there"
            if ledger is None:
                ledger, said = campaign.run(seed), "is judged"
                said += f" in {(time.perf_counter() - started) / 60.0:.1f} minutes"
        except SeedsError as error:
            unfinished.append(f"seed {seed}: {error}")
            print(unfinished[-1], flush=True)
            continue
        ledgers.append(ledger)
        print(f"seed {seed} {said}: {sum(not row['ok'] for row in ledger['claims'])} rows not as expected", flush=True)
    return ledgers, unfinished


def _write(output: Path, found: Sequence[Standing], ledgers: Sequence[Json]) -> tuple[Path, Path]:
    output.mkdir(parents=True, exist_ok=True)
    tables, page = output / "seeds.json", output / "seeds.md"
    tables.write_text(json.dumps(to_json(found, ledgers), indent=1) + "\n", encoding="utf-8")
    page.write_text(to_markdown(found, ledgers), encoding="utf-8")
    return tables, page


if __name__ == "__main__":
    sys.exit(main())

"""Whether every row of a ledger is measured again, bit by bit and alone, by the line that it gives for that.

Main definition: `unlike`, which says what a replay found otherwise. `python -m theory.upkeep.replay ledger.json`
replays the rows of a ledger of the whole suite in this process: those that are about one instance, and of the others
those that took no more than `LONGEST` seconds. With 1/2 behind it replays every other row, beginning with the first;
`make claims` replays both halves after every run. With `--known` rows that the run knew are left out, which were
replayed after the run that judged them: of what is replayed alike a note is kept in `.cache/known`. With `--sample N`
no more than N rows are replayed, of each kind of evidence and verdict some; with `--near` numbers may be as near as
those of another processor, of which the ledger is.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from theory.claims import registry
from theory.claims.block import Claim
from theory.claims.results import Evidence
from theory.claims.selection import parse_at
from theory.core.budget import shares
from theory.core.data import Data
from theory.core.refusal import ROOT
from theory.core.values import Json
from theory.evidence import of_method
from theory.reports import expected
from theory.reports.ledger import plain
from theory.reports.two_ledgers import is_compared
from theory.running.case import Case
from theory.running.config import RunConfig
from theory.running.parallel import one_thread
from theory.surface import rooms

# Rows whose claim took longer are left out, unless one instance or trial is measured again and no more.
LONGEST = 2.0

# Where it is noted which rows were replayed, by the part.
NOTES = ROOT / ".cache" / "known" / "replayed"

# What must be the same again.
NUMBERS = ("measured", "bound", "ratio")

# Rows that no line replays alone, by id. May lose entries and get none.
NOT_ALONE: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Listed:
    """A claim that need not be loaded."""

    id: str


def unlike(row: Json, claim: Claim, alpha: float = 1e-9, is_near: bool = False) -> str:
    """What is otherwise when the worst case of a row of a ledger, without what-if or data, is measured again; or empty.

    With `is_near` the ledger is of another processor, and numbers are held against each other as those of two. Whatever
    the claim raises is told too.
    """
    words = shlex.split(row["reproduce"])
    options = dict(zip(words[1::2], words[2::2], strict=True))
    try:
        at = parse_at(options.get("--at", ""), [claim])
        data = Data(rooms.sphere() if claim.takes_data else None)
        with one_thread():
            found = claim.evidence.run(Case(claim, RunConfig(seed=int(options["--seed"]), at=at, data=data), alpha))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    measured = sum(cell.trials for cell in found.cells)
    if claim.evidence.by_instance and measured > 1:
        return f"{measured} instances were measured for one"
    if is_near:
        return _far(row, claim, found)
    # How far a sample may be from its law depends on how many cells share the claim's part of the error budget.
    return _otherwise(row, found, ("measured",) if claim.evidence.bound_is_of_test else NUMBERS)


def _otherwise(row: Json, found: Evidence, names: Sequence[str]) -> str:
    """The numbers of the worst case, where no cell of the row with the worst ratio has them."""
    if found.worst is None:
        return "nothing was measured"
    again = {name: plain(getattr(found.worst, name)) for name in names}
    worst = [{name: c[name] for name in names} for c in row["cells"] if c["ratio"] == row["worst_ratio"]]
    return "" if again in worst else f"{again} is measured, where {worst} was"


def _far(row: Json, claim: Claim, found: Evidence) -> str:
    """What the line asks for and the worst case does not come to; of an identity the number is a rounding error."""
    worst, asked = found.worst_in(claim.sense), expected.parse(row["expect"])
    if worst is None:
        return "nothing was measured"
    if not is_compared(row) or worst.is_blank:
        return ""
    number = worst.measured if asked.what == "measured" else worst.printed_ratio(claim.sense)
    again = replace(asked, number=number)
    return "" if asked.is_near(again) else f"{again.text!r} is measured but for the verdict, where {asked.text!r} was"


def sampled(rows: Sequence[Json], number: int) -> list[Json]:
    """No more than so many rows, in their order: of each kind of evidence and verdict one, then another, by lot."""
    rng, kinds = random.Random(0), dict[tuple[str, str], list[int]]()
    for place, row in enumerate(rows):
        kinds.setdefault((row["evidence"]["method"], row["verdict"]), []).append(place)
    for places in kinds.values():
        rng.shuffle(places)
    turns = zip_longest(*(kinds[kind] for kind in sorted(kinds)))
    chosen = [place for turn in turns for place in turn if place is not None][:number]
    return [rows[place] for place in sorted(chosen)]


def main(arguments: Sequence[str]) -> int:
    """Replay the rows of the ledger that is named, or a part; the exit code is 1 where one comes out otherwise."""
    knows, is_near = "--known" in arguments, "--near" in arguments
    arguments = [word for word in arguments if word not in ("--known", "--near")]
    most = sys.maxsize
    if "--sample" in arguments:
        place = arguments.index("--sample")
        number, arguments = arguments[place + 1 : place + 2], arguments[:place] + arguments[place + 2 :]
        most = int(number[0]) if number and number[0].isdecimal() else 0
        if not most:
            print("error: --sample: write how many rows to replay behind it", file=sys.stderr)
            return 2
    ledger, written = (*arguments, "1/1")[:2] if len(arguments) in (1, 2) else ("", "")
    part = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", written)
    if part is None or int(part[1]) > int(part[2]):
        print("error: pass the ledger.json of a run of the whole suite, and perhaps a part as 1/2", file=sys.stderr)
        return 2
    first, parts = int(part[1]) - 1, int(part[2])
    every = json.loads(Path(ledger).read_text(encoding="utf-8"))["claims"]
    rows = every[first::parts]
    alphas = shares(_Listed(row["id"]) for row in every)
    finished = [row for row in rows if not row["error"] and row["cells"]]
    short = [r for r in finished if r["seconds"] <= LONGEST or of_method(r["evidence"]["method"]).by_instance]
    notes = NOTES.with_suffix(f".{first}-{parts}.json")
    before = _noted(notes) if knows else {}
    known = [row["id"] for row in short if row["known"] and before.get(row["id"]) == _digest(row)]
    short = sampled([row for row in short if row["id"] not in known], most)
    # Files of which no row is replayed need not be loaded.
    claims = {row["id"]: registry.found(row["id"], row["declared"].rpartition(":")[0]) for row in short}
    said = {row["id"]: unlike(row, claims[row["id"]], alphas[row["id"]], is_near) for row in short}
    wrong = [f"{name} is not replayed alone: {why}" for name, why in said.items() if why and name not in NOT_ALONE]
    wrong += [f"{name} is replayed: leave it out of NOT_ALONE" for name in NOT_ALONE if said.get(name) == ""]
    for line in wrong:
        print(f"error: {line}", file=sys.stderr)
    if knows:
        alike = {row["id"]: _digest(row) for row in short if not said[row["id"]]}
        _note(notes, {**{name: before[name] for name in known}, **alike})
    told = f"; {len(known)} known" if known else ""
    left_out = len(rows) - len(short) - len(known)
    print(f"{len(short) - len(wrong)} of {len(short)} rows replayed{told}; {left_out} left out")
    return 1 if wrong else 0


def _digest(row: Json) -> str:
    """The digest of a row, whenever it was judged and wherever it stands."""
    same = {name: value for name, value in row.items() if name not in ("known", "declared")}
    return hashlib.sha256(json.dumps(same, sort_keys=True).encode()).hexdigest()


def _noted(file: Path) -> dict[str, str]:
    """The rows that were replayed before, by the digests of what they were; none where no note can be read."""
    with contextlib.suppress(OSError, ValueError):
        return dict(json.loads(file.read_text(encoding="utf-8")))
    return {}


def _note(file: Path, replayed: Mapping[str, str]) -> None:
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(replayed), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

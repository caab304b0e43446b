"""Whether the rounding errors of rows are those of their numbers: measured again, with sums in another order.

    python -m theory.upkeep.other_sums LEDGER [--claim ID] [--instances N] [--output FILE]

The order is that of another processor: the kernels that OpenBLAS takes for it, and numpy without the features on which
it dispatches. This is settled before a process begins, so that no code which judges knows of it. What is drawn is the
same; products of matrices, norms and whatever LAPACK does round otherwise. Loops that numba compiles add up in the
order in which they are written, and so do balls: of these nothing is seen.

Measured is the worst case of each row that a search found, and the same with other trials, once in each order. Two
numbers that differ by more than both of their errors together, by more than their bounds do, and by more than a judge
forgives of a number that is said to be exact, show that an error is too small. What differs by more than
`APART` of its size took another path, as an ascent or a choice between ties may: it is told, and fails nothing, as each
number may be right for where it was measured. Exit status: 0 no error was too small; 1 one was, or a row could not be
measured; 2 nothing could be run. Main definitions: `instances`, `measure`, `beyond`.
"""

from __future__ import annotations

import argparse
import fnmatch
import functools
import json
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from theory.claims import registry
from theory.claims.block import Claim
from theory.claims.catalogue import Catalogue
from theory.claims.selection import parse_at
from theory.core import seeds
from theory.core.data import Data
from theory.core.measured import BOUND_RELATIVE_ERROR, Measured, as_measured, real_numbers
from theory.core.refusal import ROOT
from theory.core.values import Json
from theory.evidence import of_method
from theory.running.case import Case
from theory.running.config import RunConfig
from theory.running.parallel import one_thread
from theory.surface import rooms
from theory.upkeep.portability import NUMPY, OPENBLAS, Machine, PortabilityError, environment, inspect_machine

OUTPUT = ROOT / ".cache" / "other_sums.json"

# How many trials of the worst case are measured, where it draws.
INSTANCES = 3

# What differs by more than this share of its size, is no rounding: the measurement took another path.
APART = 1e-6

# The share of the error budget of a case, none of which an instance that is measured alone spends.
ALPHA = 1e-9


class Instance(NamedTuple):
    """A claim and where it is measured: the seed, and symbols as `--at` says them."""

    id: str
    file: str
    seed: int
    at: str


class Ends(NamedTuple):
    """What was measured, by entries: both ends of an interval, or twice a number; its error; and the bound there."""

    low: list[float]
    high: list[float]
    error: list[float]
    bound: float = 0.0

    @classmethod
    def of(cls, measured: Measured, bound: float = 0.0) -> Ends:
        """That of a measurement, with the bound that stands beside it where it is worst."""
        high = real_numbers(measured.value)
        low = high if measured.low is None else real_numbers(measured.low)
        error = np.broadcast_to(real_numbers(measured.absolute_error), np.broadcast_shapes(high.shape, low.shape))
        ends = [np.broadcast_to(part, error.shape).ravel().tolist() for part in (low, high, error)]
        return cls(ends[0], ends[1], ends[2], bound)


class Beyond(NamedTuple):
    """How far two measurements of an instance are apart: in units of both errors, and as a share of their size.

    `moved` says whether they are apart at all: where no sum is rounded otherwise nothing is seen.
    """

    errors: float
    share: float
    moved: bool

    @property
    def told(self) -> str:
        """What it shows; empty where the errors cover it."""
        if self.errors <= 1.0:
            return ""
        what = "another path" if self.share > APART else "an error too small"
        return f"{what}: {self.errors:.3g} times both errors, {self.share:.2g} of its size"


def instances(rows: Iterable[Json], claims: Mapping[str, Claim], trials: int = INSTANCES) -> list[Instance]:
    """The worst case of each row of a ledger that a search found, and the same at the next trials where it draws."""
    found = []
    for row in rows:
        claim = claims.get(row["id"])
        if claim is None or row["error"] or not row["cells"] or not of_method(row["evidence"]["method"]).searches:
            continue
        words = shlex.split(row["reproduce"])
        options = dict(zip(words[1::2], words[2::2], strict=True))
        at = parse_at(options.get("--at", ""), [claim])
        many = trials if "rng" in claim.parameters and "trial" in at else 1
        for more in range(many):
            there = {**at, "trial": at["trial"] + more} if "trial" in at else at
            found.append(Instance(claim.id, claim.file, int(options["--seed"]), seeds.said(there)))
    return found


def measure(claim: Claim, instance: Instance) -> Ends | str:
    """What is measured there, or why nothing is."""
    noted: list[Measured] = []

    @functools.wraps(claim.function)
    def noting(*values: Any, **named: Any) -> Any:
        found = claim.function(*values, **named)
        noted.append(as_measured(found))
        return found

    try:
        data = Data(rooms.sphere() if claim.takes_data else None)
        config = RunConfig(seed=instance.seed, at=parse_at(instance.at, [claim]), data=data)
        with one_thread():
            worst = claim.evidence.run(Case(replace(claim, function=noting), config, ALPHA)).worst
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return Ends.of(noted[0], worst.bound) if noted and worst is not None else "nothing was measured"


def beyond(one: Ends, other: Ends) -> Beyond:
    """How far the two are apart at the entry where that is most."""
    if len(one.low) != len(other.low):
        return Beyond(np.inf, np.inf, moved=True)
    (low, high, error), (low2, high2, error2) = np.array(one[:3]), np.array(other[:3])
    # Intervals that hold one quantity overlap; of a number both ends are the same.
    gap = np.maximum(low - high2, low2 - high)
    gap = np.where(np.isnan(gap), np.where(np.isnan(low) == np.isnan(low2), 0.0, np.inf), gap)
    size, sides = np.fmax(np.abs(high), np.abs(high2)), max(abs(one.bound), abs(other.bound))
    # A step whose length is rounded otherwise has another effect, and another bound.
    along = abs(one.bound - other.bound) / sides if 0.0 < sides < np.inf else 0.0
    allowed = np.fmax(error, 0.0) + np.fmax(error2, 0.0) + (BOUND_RELATIVE_ERROR + along) * size
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.where(gap > 0.0, gap / allowed, 0.0)
        share = np.where(gap > 0.0, gap / size, 0.0)
    place = int(np.argmax(errors))
    return Beyond(float(errors[place]), float(share[place]), one != other)


def settings(machine: Machine) -> dict[str, str]:
    """The environment in which sums have another order than without it.

    Raises `PortabilityError` where this processor has none.
    """
    usual = machine.kernels[""]
    others = [name for name, found in machine.kernels.items() if name and found and found != usual]
    if not others:
        raise PortabilityError("OpenBLAS has no other kernels for this processor: run it on another one")
    return {OPENBLAS: others[0]} | ({NUMPY: " ".join(machine.dispatched)} if machine.dispatched else {})


def measured_under(chosen: Sequence[Instance], variables: Mapping[str, str]) -> list[Ends | str]:
    """What is measured at these instances by a process with these settings.

    Raises `PortabilityError` where it comes to no end.
    """
    command = [sys.executable, "-m", __spec__.name if __name__ != "__main__" else "theory.upkeep.other_sums", "-"]
    told = json.dumps([one._asdict() for one in chosen])
    done = subprocess.run(
        command, input=told, env=environment(variables), cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise PortabilityError(f"a process came to no end ({done.returncode}): {done.stderr.strip()[-500:]}")
    found = json.loads(done.stdout.splitlines()[-1])
    return [entry if isinstance(entry, str) else Ends(*entry) for entry in found]


def compared(chosen: Sequence[Instance], variables: Mapping[str, str]) -> tuple[dict[str, str], int]:
    """What there is to say of claims, by id, at the instance where most is; and how many instances moved at all."""
    said, moved = dict[str, tuple[float, str]](), 0
    for instance, one, other in zip(chosen, measured_under(chosen, {}), measured_under(chosen, variables), strict=True):
        if isinstance(one, str) or isinstance(other, str):
            size, told = np.inf, f"not measured: {one if isinstance(one, str) else other}"
        else:
            found = beyond(one, other)
            size, told, moved = found.errors, found.told, moved + found.moved
        if told and size >= said.get(instance.id, (0.0, ""))[0]:
            said[instance.id] = (size, f"{told} (--seed {instance.seed} --at {shlex.quote(instance.at)})")
    return {identifier: told for identifier, (_, told) in said.items()}, moved


def _measure_here(told: str) -> str:
    """As `measured_under`, of a text of instances and in this process."""
    chosen = [Instance(**entry) for entry in json.loads(told)]
    return json.dumps([measure(registry.found(instance.id, instance.file), instance) for instance in chosen])


def main(arguments: Sequence[str]) -> int:
    """Compare the rows of the ledger that is named; the exit code is that of the docstring of the module."""
    if list(arguments) == ["-"]:
        print(_measure_here(sys.stdin.read()))
        return 0
    parser = argparse.ArgumentParser(prog="python -m theory.upkeep.other_sums", allow_abbrev=False)
    parser.add_argument("ledger", type=Path, help="ledger.json of a run of the suite")
    parser.add_argument("--claim", action="append", default=[], metavar="ID", help="as of pytest; repeatable")
    parser.add_argument("--instances", type=int, default=INSTANCES, metavar="N", help=f"of a row ({INSTANCES})")
    parser.add_argument("--output", type=Path, default=OUTPUT, metavar="FILE", help="what is said, by claim")
    options = parser.parse_args(arguments)
    rows = json.loads(options.ledger.read_text(encoding="utf-8"))["claims"]
    asked = [row for row in rows if not options.claim or any(fnmatch.fnmatch(row["id"], one) for one in options.claim)]
    catalogue = Catalogue(ROOT / ".cache" / "claims.json")
    catalogue.add_suite()
    named = {row["id"] for row in asked}
    claims = {entry.id: registry.found(entry.id, entry.file) for entry in catalogue.entries if entry.id in named}
    chosen = instances(asked, claims, max(1, options.instances))
    try:
        said, moved = compared(chosen, settings(inspect_machine()))
    except PortabilityError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for identifier, told in said.items():
        print(f"{identifier}: {told}")
    judged = len({instance.id for instance in chosen})
    wrong = sum(not told.startswith("another path") for told in said.values())
    print(f"{judged} rows, {len(chosen)} instances, of which {moved} are rounded otherwise")
    print(f"{wrong} with an error too small, {len(said) - wrong} on another path")
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

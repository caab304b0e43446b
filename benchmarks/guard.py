"""Compare the speed of two checkouts so that only a real loss fails.

    python -m benchmarks.guard BASE CANDIDATE [--rounds 5] [--only WORDS]

Runs the benchmarks of both in turn, to and fro, in fresh processes. A benchmark fails when the fastest run of the
candidate is slower than the slowest run of the base by a quarter; noise alone hardly does that, as it would have to
meet all runs of the one and none of the other. What only one checkout has is named and does not fail. A benchmark that
one of its own checks stops is an error, not a verdict.

Exit status: 0 nothing slower, 1 something slower, 2 no comparison possible. Main definitions: `compare`, `Comparison`,
`run_in_turn`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ALLOWED = 1.25

# What is compared: comparisons with other libraries and full-size problems take minutes.
SELECTION = ("-m", "not peer and not headline and not slow")

Timings = dict[str, float]


class GuardError(RuntimeError):
    """No comparison is possible; the message is one sentence for the user."""


@dataclass(frozen=True)
class Comparison:
    """One benchmark in all runs; seconds of the fastest round of each run."""

    name: str
    base: tuple[float, ...]
    candidate: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """Fastest run of the candidate over slowest run of the base."""
        slowest = max(self.base)
        return min(self.candidate) / slowest if slowest > 0.0 else math.nan

    @property
    def ok(self) -> bool:
        """Whether the candidate is not slower by more than allowed; NaN fails."""
        return all(math.isfinite(time) for time in (*self.base, *self.candidate)) and self.ratio <= ALLOWED


@dataclass(frozen=True)
class Report:
    """All benchmarks of both checkouts, and the names that only one of them has."""

    comparisons: tuple[Comparison, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def slower(self) -> tuple[str, ...]:
        """Names of what fails."""
        return tuple(found.name for found in self.comparisons if not found.ok)

    def lines(self) -> list[str]:
        """The table, what is new or gone, and the verdict."""
        width = max([len("benchmark"), *(len(found.name) for found in self.comparisons)])
        table = [f"{'benchmark':{width}}  {'base, slowest':>14}  {'candidate, fastest':>18}  {'ratio':>6}"]
        for found in self.comparisons:
            times = f"{max(found.base) * 1e6:11.1f} us  {min(found.candidate) * 1e6:15.1f} us  {found.ratio:6.2f}"
            table.append(f"{found.name:{width}}  {times}{'' if found.ok else '  SLOWER'}")
        table += [f"new: {name}" for name in self.added] + [f"gone: {name}" for name in self.removed]
        count = len(self.slower)
        table.append(
            f"{count} of {len(self.comparisons)} benchmarks slower by more than {ALLOWED - 1.0:.0%}"
            if count
            else f"no benchmark of {len(self.comparisons)} is slower by more than {ALLOWED - 1.0:.0%}"
        )
        return table


def compare(base: Sequence[Timings], candidate: Sequence[Timings]) -> Report:
    """Compare runs of two checkouts; a benchmark must be in every run of a checkout to count as its own."""
    names = [set.intersection(*(set(run) for run in runs)) for runs in (base, candidate)]
    both = sorted(names[0] & names[1])
    return Report(
        tuple(Comparison(n, tuple(run[n] for run in base), tuple(run[n] for run in candidate)) for n in both),
        tuple(sorted(names[1] - names[0])),
        tuple(sorted(names[0] - names[1])),
    )


def run_in_turn(
    base: Path, candidate: Path, rounds: int, run: Callable[[Path], Timings]
) -> tuple[list[Timings], list[Timings]]:
    """Timings of both checkouts, `rounds` runs each, in the order A B B A A B ..."""
    found: tuple[list[Timings], list[Timings]] = ([], [])
    order = [(base, found[0]), (candidate, found[1])]
    for index in range(rounds):
        for checkout, timings in order:
            timings.append(run(checkout))
            print(f"round {index + 1} of {rounds}: {checkout} done", file=sys.stderr, flush=True)
        order.reverse()
    return found


def run_benchmarks(checkout: Path, selection: Sequence[str] = SELECTION) -> Timings:
    """Run the benchmarks of a checkout in a new process: name -> seconds of the fastest round."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    with tempfile.TemporaryDirectory() as directory:
        result = Path(directory, "result.json")
        command = [sys.executable, "-m", "pytest", "benchmarks", "-q", "--benchmark-only", f"--benchmark-json={result}"]
        done = subprocess.run(
            [*command, *selection], cwd=checkout, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode or not result.exists():
            said = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
            telling = [line for line in said if line.startswith(("FAILED", "ERROR"))] or said[-1:] or ["no message"]
            raise GuardError(f"the benchmarks of {checkout} failed: {telling[0]}")
        entries = json.loads(result.read_text())["benchmarks"]
    return {entry["fullname"]: float(entry["stats"]["min"]) for entry in entries}


def main(arguments: list[str] | None = None, run: Callable[[Path], Timings] | None = None) -> int:
    """Compare two checkouts and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.guard", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("base", type=Path, help="checkout to compare with")
    parser.add_argument("candidate", type=Path, help="checkout that must not be slower")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each (default 5)")
    parser.add_argument("--only", metavar="WORDS", help="only benchmarks whose names match, as with pytest -k")
    options = parser.parse_args(arguments)
    selection = (*SELECTION, "-k", options.only) if options.only else SELECTION
    try:
        if options.rounds < 1:
            raise GuardError(f"--rounds {options.rounds}: choose a number from 1 up")
        for checkout in (options.base, options.candidate):
            if not (checkout / "benchmarks").is_dir():
                raise GuardError(f"{checkout} holds no folder benchmarks: pass the root of a checkout")
        runs = run_in_turn(
            options.base,
            options.candidate,
            options.rounds,
            run or (lambda checkout: run_benchmarks(checkout, selection)),
        )
        report = compare(*runs)
    except GuardError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print("\n".join(report.lines()))
    return 1 if report.slower else 0


if __name__ == "__main__":
    sys.exit(main())

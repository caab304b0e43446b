"""All unit tests and every claim under other processors' kernels, and whether the verdicts stay the same.

    python -m theory.upkeep.portability [--only NAME] [--jobs N] [--output DIR]

The reference is the machine without any of these settings, those of the caller included. Each configuration then
makes one: the kernels that OpenBLAS takes (`OPENBLAS_CORETYPE`, for the copy in numpy and the copy in scipy), the
processor features that numpy dispatches on (`NPY_DISABLE_CPU_FEATURES`), or the processor that numba compiles for
(`NUMBA_CPU_NAME`). The last one changes the hash seed of Python alone, and leaves everything equal but times. Each
ledger is held against the committed page of errata and the rows of the README. `SAMPLE` of its rows, of each kind of
evidence and verdict some, are replayed by their lines, bit by bit, and as many of the reference's, as near as
processors leave them; that takes a minute and a half of a processor for each configuration. What cannot run here, or
would only repeat another configuration, is named with the reason. Ledgers and logs are left in DIR, one folder each.

Exit status: 0 all tests pass and all ledgers agree (`theory.reports.two_ledgers`), 1 not so, 2 nothing could be run.
Main definitions: `configurations`, `Outcome`, `run`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from theory.core.values import Json
from theory.reports import errata, rounded
from theory.reports.two_ledgers import disagreements, largest_difference, unequal

ROOT = Path(__file__).resolve().parents[2]
OUTPUT = ROOT / ".cache" / "portability"
# A run of the claims leaves the last ones out, so that each of these folders is named.
OF_HELPERS = tuple(path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("properties/*/tests")))
UNIT_TESTS = ("theory", "bounds", "nets", "benchmarks/tests", *OF_HELPERS)
REFERENCE = "no setting"
# Rows that are replayed by their lines under each configuration.
SAMPLE = 120
# The reference's own kernels, so that all but times must be equal.
SAME_MACHINE = "another hash seed"

OPENBLAS, NUMPY, NUMBA = "OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "NUMBA_CPU_NAME"
HASHING = "PYTHONHASHSEED"

# The kernels asked of OpenBLAS, and the feature, as numpy calls it, without which they are illegal instructions.
KERNELS = {"Nehalem": "SSE42", "Haswell": "AVX2", "Zen": "AVX2", "SkylakeX": "AVX512_SKX"}

# Run in a process of its own, as a library reads its settings once, and a kernel the processor lacks ends the process.
PROBE = """
import json
import numpy, scipy.linalg, threadpoolctl
from numpy._core import _multiarray_umath
scipy.linalg.svdvals(numpy.random.default_rng(0).standard_normal((100, 100)))
libraries = [library for library in threadpoolctl.threadpool_info() if library["internal_api"] == "openblas"]
print(json.dumps({
    "features": [name for name, there in _multiarray_umath.__cpu_features__.items() if there],
    "dispatched": numpy.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", []),
    "kernels": [library["architecture"] for library in sorted(libraries, key=lambda library: library["filepath"])],
}))
"""


class PortabilityError(RuntimeError):
    """Nothing could be run; the message is one sentence for the user."""


@dataclass(frozen=True)
class Machine:
    """What the processor has and the libraries make of it.

    Attributes
    ----------
    features : features of the processor, as numpy names them
    dispatched : features that numpy has code for and the processor has, beyond those that numpy always needs
    kernels : setting of OpenBLAS -> kernels that its copies then take, () where it cannot run; "" is no setting
    """

    features: frozenset[str]
    dispatched: tuple[str, ...]
    kernels: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Configuration:
    """Settings to run everything under, or the reason why not."""

    name: str
    environment: Mapping[str, str] = field(default_factory=dict)
    why_not: str = ""


@dataclass(frozen=True)
class Outcome:
    """What a configuration came to.

    Attributes
    ----------
    passed, failed : unit tests; `failed` names those that did not pass, or did not run to the end
    ledger : of the claims at quick effort; nothing where the run left none
    minutes : wall time of all
    page : why the committed page of errata or the rows of the README are not those of the ledger, or would be others by
        rounding; empty if they are
    replays : what was not replayed by its line, of this ledger and of the reference
    """

    name: str
    passed: int
    failed: tuple[str, ...]
    ledger: Json | None
    minutes: float
    page: str = ""
    replays: tuple[str, ...] = ()


def inspect_machine() -> Machine:
    """Ask numpy and OpenBLAS what there is.

    Raises PortabilityError where they cannot be asked.
    """
    plain = _probe({})
    if plain is None:
        raise PortabilityError("numpy, scipy and threadpoolctl cannot be imported here: install the suite first")
    kernels = {"": tuple(plain["kernels"])}
    for kernel, needs in KERNELS.items():
        found = _probe({OPENBLAS: kernel}) if needs in plain["features"] else None
        kernels[kernel] = tuple(found["kernels"]) if found else ()
    return Machine(frozenset(plain["features"]), tuple(plain["dispatched"]), kernels)


def _probe(settings: Mapping[str, str]) -> Any:
    """What the probe found under these settings; nothing where it came to no end."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE], env=environment(settings), capture_output=True, text=True, check=False
    )
    return json.loads(done.stdout) if done.returncode == 0 else None


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """The environment of this process with these settings alone."""
    kept = {name: value for name, value in os.environ.items() if name not in (OPENBLAS, NUMPY, NUMBA, HASHING)}
    return {**kept, **settings}


def configurations(machine: Machine) -> list[Configuration]:
    """The reference first, then every other setting, each with the reason where it is not to be run."""
    usual = machine.kernels[""]
    listed, taken = [Configuration(REFERENCE)], {usual: "the reference"}
    for kernel, needs in KERNELS.items():
        found, why_not = machine.kernels[kernel], ""
        if not usual:
            why_not = "numpy and scipy do not use OpenBLAS"
        elif needs not in machine.features:
            why_not = f"this processor lacks {needs}"
        elif not found:
            why_not = "a product of matrices ends the process"
        elif found in taken:
            why_not = f"OpenBLAS then runs as under {taken[found]}"
        else:
            taken[found] = kernel
        listed.append(Configuration(kernel, {OPENBLAS: kernel}, why_not))
    plain = "" if machine.dispatched else "numpy dispatches on no feature of this processor"
    listed.append(Configuration("plain numpy", {NUMPY: " ".join(machine.dispatched)}, plain))
    listed.append(Configuration("generic numba", {NUMBA: "generic"}))
    listed.append(Configuration(SAME_MACHINE, {HASHING: "1"}))
    return listed


def run(configuration: Configuration, output: Path, jobs: int) -> Outcome:
    """Run all unit tests and then every claim at quick effort in new processes, their logs kept in `output`."""
    started = time.perf_counter()
    output = output.resolve()
    output.mkdir(parents=True, exist_ok=True)
    results, ledger, replayed = output / "unit.xml", output / "ledger.json", output / "replays.log"
    for old in (results, ledger, replayed):
        old.unlink(missing_ok=True)
    variables = environment(configuration.environment)
    _pytest([*UNIT_TESTS, f"--junit-xml={results}"], variables, output / "unit.log")
    _pytest([f"--ledger={output}", f"--jobs={jobs}"], variables, output / "claims.log")
    passed, failed = unit_results(results)
    read = json.loads(ledger.read_text(encoding="utf-8")) if ledger.exists() else None
    page = "" if read is None else _page(read, ledger)
    replays = () if read is None else _replays(ledger, variables, output)
    return Outcome(configuration.name, passed, failed, read, (time.perf_counter() - started) / 60.0, page, replays)


def _page(read: Json, ledger: Path) -> str:
    try:
        return errata.fault(read, str(ledger)) or errata.quoted_fault(read) or rounded.lines_fault(read)
    except KeyError as error:
        return str(error.args[0])


def _replays(ledger: Path, variables: Mapping[str, str], output: Path) -> tuple[str, ...]:
    """What is not replayed of this ledger, and of the one of the reference, which lies beside it."""
    reference, said = folder(output.parent, REFERENCE) / ledger.name, list[str]()
    asked = [(ledger, ["--sample", str(SAMPLE)])]
    if reference.exists() and reference != ledger:
        asked.append((reference, ["--sample", str(SAMPLE), "--near"]))
    for file, options in asked:
        command = [sys.executable, "-m", "theory.upkeep.replay", str(file), *options]
        done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
        with (output / "replays.log").open("a", encoding="utf-8") as log:
            log.write(done.stdout + done.stderr)
        lines = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
        said += lines or ([f"error: the replays of {file} ended with {done.returncode}"] if done.returncode else [])
    return tuple(said)


def folder(output: Path, name: str) -> Path:
    """Where the ledger and the logs of a configuration are left."""
    return output / name.replace(" ", "-")


def _pytest(arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
    with log.open("w", encoding="utf-8") as file:
        command = [sys.executable, "-m", "pytest", "-q", *arguments]
        subprocess.run(command, cwd=ROOT, env=environment, stdout=file, stderr=subprocess.STDOUT, check=False)


def unit_results(path: Path) -> tuple[int, tuple[str, ...]]:
    """Number of tests that passed and the names of those that failed, from pytest's report; skipped ones are neither.

    Without a report, one failure says so.
    """
    if not path.exists():
        return 0, (f"pytest left no {path.name}",)
    passed, failed = 0, []
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(f"{case.get('classname')}::{case.get('name')}")
        elif case.find("skipped") is None:
            passed += 1
    return passed, tuple(failed)


def differences(reference: Outcome, other: Outcome) -> list[str]:
    """Why a configuration is no pass, one line for each reason: unit tests, claims, ledgers that do not agree."""
    said = [f"unit test failed: {name}" for name in other.failed]
    if not other.passed:
        said.append("no unit test passed")
    if other.ledger is None:
        return [*said, "the claims left no ledger"]
    said += [f"{row['id']}: not as expected" for row in other.ledger["claims"] if not row["ok"]]
    if reference.ledger is None:
        return [*said, "there is no ledger of the reference"]
    said += [other.page] if other.page else []
    said += other.replays
    if other.name == SAME_MACHINE:
        return said + list(unequal(reference.ledger, other.ledger))
    return said + disagreements(reference.ledger, other.ledger)


def table(outcomes: Sequence[Outcome]) -> list[str]:
    """One line a configuration, the first being the reference."""
    lines = [f"{'configuration':16}{'unit tests':>20}  {'agrees':7}{'largest difference of a ratio':44}{'minutes':>8}"]
    for outcome in outcomes:
        tests = f"{outcome.passed} passed, {len(outcome.failed)} failed"
        farthest = ""
        if outcome.ledger is not None and outcomes[0].ledger is not None:
            size, claim = largest_difference(outcomes[0].ledger, outcome.ledger)
            farthest = f"{size:.1e} {claim}" if claim else "none"
        agrees = "no" if differences(outcomes[0], outcome) else "yes"
        lines.append(f"{outcome.name:16}{tests:>20}  {agrees:7}{farthest:44}{outcome.minutes:8.1f}")
    return lines


Runner = Callable[[Configuration, Path, int], Outcome]


def main(
    arguments: Sequence[str] | None = None, machine: Callable[[], Machine] = inspect_machine, runner: Runner = run
) -> int:
    """Run all configurations one after the other and print what they came to."""
    parser = argparse.ArgumentParser(
        prog="python -m theory.upkeep.portability", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--only", action="append", metavar="NAME", help="run the reference and this; may be repeated")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="worker processes for the claims (default 1)")
    parser.add_argument("--output", type=Path, default=OUTPUT, metavar="DIR", help="where ledgers and logs are left")
    options = parser.parse_args(arguments)
    try:
        if options.jobs < 1:
            raise PortabilityError(f"--jobs: {options.jobs} is too small; write a number from 1 up")
        chosen = _chosen(configurations(machine()), options.only)
    except PortabilityError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    outcomes: list[Outcome] = []
    complaints: list[str] = []
    for configuration in chosen:
        if configuration.why_not:
            print(f"{configuration.name}: not run: {configuration.why_not}", flush=True)
            continue
        settings = " ".join(f"{name}={value!r}" for name, value in configuration.environment.items())
        print(f"{configuration.name}: unit tests and claims {settings}".rstrip(), flush=True)
        outcomes.append(runner(configuration, folder(options.output, configuration.name), options.jobs))
        found = [f"{configuration.name}: {line}" for line in differences(outcomes[0], outcomes[-1])]
        print("\n".join(found), end="\n" if found else "", flush=True)
        complaints += found
    print("\n".join(table(outcomes)))
    print(f"{len(complaints)} differences" if complaints else "the same verdicts under all configurations")
    return 1 if complaints else 0


def _chosen(listed: Sequence[Configuration], names: Sequence[str] | None) -> list[Configuration]:
    """The reference and the configurations of these names, all of them where none is given."""
    known = [configuration.name for configuration in listed]
    for name in names or ():
        if name not in known:
            raise PortabilityError(f"--only: no configuration {name!r}; choose among {', '.join(known)}")
    return [c for c in listed if names is None or c.name in (REFERENCE, *names)]


if __name__ == "__main__":
    sys.exit(main())

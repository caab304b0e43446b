"""Whether the claims notice a slip in the code they run: each declared wrong variant of a function, put in its place.

    python -m theory.mutants [--only FUNCTION ...] [--jobs N] [--every] [--output DIR]

A first run of all claims counts which of them call which function: those that a statement is covered by
(`ByDefinition`) and those that have wrong variants, the mutants. Then each mutant takes the place of its function in
every module that holds it, and the claims that call it are judged, the quickest first, until one notices. A claim
notices by a verdict that is not the expected one; where it raises or takes too long, it has no verdict, and that does
not count. A mutant that no claim notices is shown to the unit tests of the function as well: what they alone see is the
gap between a function that is run and one that is judged.

The table and `mutants.json` are left in DIR. Exit status: 0 every mutant is noticed by a claim, and claims run all that
statements are covered by; 1 not so; 2 an option was refused. Main definitions: `Calls` and `count`, `Outcome` and
`try_out`, `replaced`.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import importlib
import inspect
import io
import json
import multiprocessing
import multiprocessing.connection
import re
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from theory import papers, registry
from theory.block import Claim
from theory.budget import shares
from theory.case import RunConfig
from theory.judge import decide
from theory.statements import ByDefinition
from theory.surface import rooms

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / ".cache" / "mutants"

# The module that declares the wrong variants as `MUTANTS`.
DECLARED = "nets.mutants"

# Seconds that a claim has under a mutant: no loop goes on for ever, and none of them takes as long by itself.
LIMIT = 60.0

UNIT_TESTS, NOBODY = "unit tests alone", "nobody"

T = TypeVar("T")


class MutantError(ValueError):
    """A path that names nothing, or an option that cannot be met; the message is one sentence."""


class Mutant(Protocol):
    """A wrong variant: `wrong` makes it of the true function, whose dotted path is `function`."""

    @property
    def function(self) -> str:
        """The dotted path of what it takes the place of."""

    @property
    def name(self) -> str:
        """What is wrong about it."""

    @property
    def wrong(self) -> Callable[[Any], Any]:
        """The true function -> the wrong one."""


class Calls(NamedTuple):
    """What a claim called, by path, and the seconds it took; `failure` says why it came to no verdict, or is empty."""

    claim: str
    counts: Mapping[str, int]
    seconds: float
    failure: str


class Outcome(NamedTuple):
    """What became of a mutant.

    Attributes
    ----------
    function, mutant : its path and its name
    noticed : ids of the claims that noticed, with their verdicts
    judged : how many claims were judged, of the `running` that call the function
    failed : ids of those among them that came to no verdict
    otherwise : where no claim noticed, whether unit tests did: `UNIT_TESTS` or `NOBODY`; else empty
    seconds : wall time
    """

    function: str
    mutant: str
    noticed: Mapping[str, str]
    judged: int
    running: int
    failed: tuple[str, ...]
    otherwise: str
    seconds: float

    @property
    def by(self) -> str:
        """Who noticed, in a few words."""
        return ", ".join(f"{name} ({verdict})" for name, verdict in self.noticed.items()) or self.otherwise


# ------------------------------------------------------------------------------------------- putting in place


class _Field:
    """Stands for a field of a dataclass: read by `read`, written as before."""

    def __init__(self, name: str, read: Callable[[Any], Any]) -> None:
        self._name, self._read = name, read

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else self._read(instance)

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self._name] = value


def find(path: str) -> tuple[Any, str, Any]:
    """Where a dotted path leads: the module or class that has it, its name there, and the object itself.

    Of a class that is its `__init__`; of a property or a field of a dataclass the function that reads it. Raises
    MutantError where the path names nothing.
    """
    parts = path.split(".")
    for count in range(len(parts) - 1, 0, -1):
        try:
            holder: Any = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        names = parts[count:]
        for name in names[:-1]:
            holder = getattr(holder, name, None)
        found = _member(holder, names[-1])
        if found is None:
            break
        if inspect.isclass(found):
            return found, "__init__", found.__init__
        return holder, names[-1], found
    raise MutantError(f"{path} names nothing that can be replaced; correct the path")


def _member(holder: Any, name: str) -> Any:
    found = inspect.getattr_static(holder, name, None)
    if inspect.isclass(holder):
        if isinstance(found, property):
            return found.fget
        if isinstance(found, functools.cached_property):
            return found.func
        if found is None and name in {field.name for field in getattr(holder, "__dataclass_fields__", {}).values()}:
            return lambda instance: instance.__dict__[name]
    return found


@contextlib.contextmanager
def replaced(path: str, make: Callable[[Any], Any]) -> Iterator[None]:
    """`make(true)` in place of what a path leads to, wherever a loaded module has it by any name; then the true one."""
    holder, name, true = find(path)
    new = make(true)
    with contextlib.ExitStack() as stack:
        if inspect.isclass(holder):
            present = name in vars(holder)
            before = vars(holder).get(name)
            if isinstance(before, property | functools.cached_property):
                new = property(new)
            elif not present and name != "__init__":
                new = _Field(name, new)
            stack.callback(functools.partial(setattr, holder, name, before) if present else _remover(holder, name))
            setattr(holder, name, new)
        else:
            for module in list(sys.modules.values()):
                for here in [at for at, value in list(vars(module).items()) if value is true]:
                    stack.callback(setattr, module, here, true)
                    setattr(module, here, new)
        yield


def _remover(holder: Any, name: str) -> Callable[[], None]:
    return lambda: delattr(holder, name)


# ------------------------------------------------------------------------------------------- judging


def _judged(claim: Claim, alpha: float, data: Any) -> tuple[str, str, float]:
    """The verdict on a claim at quick effort, without its controls; why there is none; the seconds it took."""
    config = RunConfig(data=data, time_limit=LIMIT)
    found = decide(dataclasses.replace(claim, controls=()), config, alpha)
    return found.verdict.value, "" if found.failure is None else found.failure.reason, found.seconds


def count(claims: Sequence[Claim], paths: Iterable[str], alphas: Mapping[str, float], data: Any = None) -> list[Calls]:
    """What each claim calls of what the paths lead to, in this process.

    A tuple of premises is called by the claims that have one of them.
    """
    counter: Counter[str] = Counter()

    def counting(path: str, true: Any) -> Callable[..., Any]:
        @functools.wraps(true)
        def counted(*arguments: Any, **named: Any) -> Any:
            counter[path] += 1
            return true(*arguments, **named)

        return counted

    met, premises = [], {}
    with contextlib.ExitStack() as stack:
        for path in dict.fromkeys(paths):
            true = find(path)[2]
            if callable(true):
                stack.enter_context(replaced(path, functools.partial(counting, path)))
            else:
                premises[path] = true if isinstance(true, tuple) else (true,)
        for claim in claims:
            counter.clear()
            _, failure, seconds = _judged(claim, alphas[claim.id], data)
            named = {path: sum(p is q for p in claim.premises for q in those) for path, those in premises.items()}
            met.append(Calls(claim.id, dict(counter + Counter(named)), seconds, failure))
    return met


def try_out(
    mutant: Mutant,
    claims: Mapping[str, Claim],
    calls: Sequence[Calls],
    alphas: Mapping[str, float],
    *,
    data: Any = None,
    every: bool = False,
    tests: Sequence[Path] = (),
) -> Outcome:
    """Judge the claims that call the function with the mutant in its place, the quickest first, in this process.

    It ends with the first that notices, or with `every` goes on through all. Where none does, the unit tests are run.
    """
    started = time.perf_counter()
    running = sorted((c for c in calls if c.counts.get(mutant.function)), key=lambda c: (c.seconds, c.claim))
    noticed: dict[str, str] = {}
    failed, judged, otherwise = [], 0, ""
    with replaced(mutant.function, mutant.wrong):
        for call in running:
            claim, judged = claims[call.claim], judged + 1
            verdict, failure, _ = _judged(claim, alphas[claim.id], data)
            if failure:
                failed.append(claim.id)
            elif verdict != claim.expected.value:
                noticed[claim.id] = verdict
                if not every:
                    break
        if not noticed:
            otherwise = UNIT_TESTS if tests and not _pass(tests) else NOBODY
    seconds = time.perf_counter() - started
    return Outcome(
        mutant.function, mutant.name, noticed, judged, len(running), tuple(failed), otherwise, round(seconds, 2)
    )


def _pass(tests: Sequence[Path]) -> bool:
    """Whether unit tests pass in this process."""
    import pytest

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return pytest.main(["-qx", "--assert=plain", "-p", "no:cacheprovider", *map(str, tests)]) == pytest.ExitCode.OK


def in_children(tasks: Sequence[Callable[[], T]], jobs: int) -> Iterator[tuple[int, T]]:
    """Number and result of each task as it ends, `jobs` at a time, each in a child of this process.

    A child starts with what is loaded here and takes with it whatever its task leaves behind in caches. Raises
    MutantError where a child is lost.
    """
    context = multiprocessing.get_context("fork")
    waiting = deque(enumerate(tasks))
    running: dict[Any, tuple[int, Any]] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            at, task = waiting.popleft()
            pipe, theirs = context.Pipe(duplex=False)
            child = context.Process(target=_answer, args=(theirs, task))
            child.start()
            theirs.close()
            running[pipe] = at, child
        ended: list[Any] = multiprocessing.connection.wait(list(running))
        for ours in ended:
            at, child = running.pop(ours)
            try:
                found = ours.recv()
            except EOFError:
                raise MutantError(f"the process of task {at + 1} of {len(tasks)} was lost; run it alone") from None
            child.join()
            yield at, found


def _answer(pipe: Any, task: Callable[[], Any]) -> None:
    pipe.send(task())
    pipe.close()


# ------------------------------------------------------------------------------------------- the run


def definitions() -> dict[str, list[str]]:
    """The statements that are covered by what a path leads to, by path."""
    found: dict[str, list[str]] = {}
    for paper in papers.papers().values():
        for statement in paper.statements:
            if isinstance(statement.coverage, ByDefinition):
                found.setdefault(statement.coverage.where, []).append(statement.id)
    return found


def tests_of(path: str) -> list[Path]:
    """The unit tests of what a path leads to: of its room, those that say its name and are not about the mutants."""
    room, name, own = path.split(".")[0], re.compile(rf"\b{path.rsplit('.', 1)[-1]}\b"), DECLARED.rsplit(".", 1)[-1]
    tests = sorted((ROOT / room / "tests").glob("test_*.py"))
    return [test for test in tests if name.search(test.read_text(encoding="utf-8")) and test.stem != f"test_{own}"]


def run(mutants: Sequence[Mutant], jobs: int, every: bool) -> tuple[list[Outcome], list[Calls]]:
    """Count the calls of all claims and try out the mutants, `jobs` processes at a time, and tell how far it is."""
    claims = {claim.id: claim for claim in registry.load_claims()}
    alphas, data = shares(claims.values()), rooms.sphere()
    paths = [*definitions(), *(mutant.function for mutant in mutants)]
    for path in paths:
        find(path)
    # Neighbours take as long as each other: every part gets some of each.
    parts = [list(claims.values())[start :: 4 * jobs] for start in range(4 * jobs)]
    calls: list[Calls] = []
    for _, found in in_children([functools.partial(count, part, paths, alphas, data) for part in parts], jobs):
        calls += found
        print(f"{len(calls)} of {len(claims)} claims counted", file=sys.stderr)
    tasks = [
        functools.partial(try_out, m, claims, calls, alphas, data=data, every=every, tests=tests_of(m.function))
        for m in mutants
    ]
    outcomes: dict[int, Outcome] = {}
    for at, outcome in in_children(tasks, jobs):
        outcomes[at] = outcome
        print(f"{outcome.function}: {outcome.mutant}: {outcome.by}", file=sys.stderr)
    return [outcomes[at] for at in sorted(outcomes)], sorted(calls)


def table(outcomes: Sequence[Outcome], calls: Sequence[Calls], named: Mapping[str, Sequence[str]]) -> list[str]:
    """The lines of the report: each mutant, then per function the gap, then what no claim runs."""
    lines = [f"{'function':<44} {'mutant':<44} {'run by':>6} {'judged':>6}  noticed by"]
    lines += [f"{o.function:<44} {o.mutant:<44} {o.running:>6} {o.judged:>6}  {o.by}" for o in outcomes]
    lines += ["", f"{'function':<44} {'run by':>6} {'mutants':>7} {'gap':>5}"]
    for path in sorted({*named, *(o.function for o in outcomes)}):
        of_path = [o for o in outcomes if o.function == path]
        gap = f"{sum(not o.noticed for o in of_path) / len(of_path):.0%}" if of_path else "-"
        lines.append(f"{path:<44} {sum(path in c.counts for c in calls):>6} {len(of_path):>7} {gap:>5}")
    lines += [
        "",
        *(f"no claim runs {path}, which covers {', '.join(ids)}" for path, ids in unrun(calls, named).items()),
    ]
    noticed = sum(bool(o.noticed) for o in outcomes)
    alone = sum(o.otherwise == UNIT_TESTS for o in outcomes)
    lines.append(f"{noticed} of {len(outcomes)} mutants noticed by claims, {alone} by unit tests alone")
    return lines


def unrun(calls: Sequence[Calls], named: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """The paths that statements are covered by and no claim calls, with the statements."""
    return {path: ids for path, ids in named.items() if not any(call.counts.get(path) for call in calls)}


def main(arguments: Sequence[str]) -> int:
    """Try out the mutants that are asked for and write the report; the exit code is that of the module's docstring."""
    parser = argparse.ArgumentParser(prog="python -m theory.mutants", description="Whether claims notice wrong code.")
    parser.add_argument(
        "--only", action="append", default=[], metavar="FUNCTION", help="mutants of this function alone"
    )
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes at a time (2)")
    parser.add_argument("--every", action="store_true", help="judge every claim that calls a function")
    parser.add_argument("--output", type=Path, default=OUTPUT, metavar="DIR", help="folder of the report")
    asked = parser.parse_args(arguments)
    mutants: Sequence[Mutant] = importlib.import_module(DECLARED).MUTANTS
    known = {mutant.function for mutant in mutants}
    if strange := [path for path in asked.only if path not in known]:
        print(f"error: {strange[0]} has no mutants; choose among {', '.join(sorted(known))}", file=sys.stderr)
        return 2
    if asked.jobs < 1:
        print(f"error: --jobs {asked.jobs}; give one or more", file=sys.stderr)
        return 2
    started = time.perf_counter()
    chosen = [mutant for mutant in mutants if not asked.only or mutant.function in asked.only]
    try:
        outcomes, calls = run(chosen, asked.jobs, asked.every)
    except MutantError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    named = definitions()
    lines = [*table(outcomes, calls, named), f"{(time.perf_counter() - started) / 60.0:.1f} minutes"]
    print("\n".join(lines))
    asked.output.mkdir(parents=True, exist_ok=True)
    report = {
        "mutants": [outcome._asdict() for outcome in outcomes],
        "calls": {call.claim: dict(call.counts) for call in calls},
        "not run": unrun(calls, named),
    }
    (asked.output / "mutants.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    (asked.output / "mutants.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0 if all(outcome.noticed for outcome in outcomes) and not report["not run"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

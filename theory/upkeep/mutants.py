"""Whether the claims notice a slip in the code they run: each declared wrong variant of a function, put in its place.

    python -m theory.upkeep.mutants [--only FUNCTION ...] [--jobs N] [--enough K [--in-each-paper]] [--output DIR]
                                    [--record FILE]
    python -m theory.upkeep.mutants --missing --record FILE [--claim ID ...] [--jobs N]

A first run of all claims counts which of them call which function: those that a statement is covered by
(`ByDefinition`) and those that have wrong variants, the mutants. Then each mutant takes the place of its function in
every module that holds it, and the claims that call it are judged, the quickest first, until K have noticed, or K of
each paper; with 0 all of them. A claim notices by a verdict that is not the expected one; where it raises or takes too
long, it has no verdict, and that does not count. A mutant that no claim notices is shown to the unit tests of the
function as well: what they alone see is the gap between a function that is run and one that is judged.

A claim that has noticed none of the wrong gradients and gates that its code meets is then shown the rest of them,
until it notices one. `--record` writes to FILE how many each claim met and noticed: `theory/reports/noticed.json`, from
which rows say that they notice none (`theory.reports.noticed`), with a digest of what was asked (`digests`). With
`--missing` only those claims are asked of which FILE has another digest or none (of those of `--claim`, where that is
given), each by itself, and FILE is written after every answer; the others stay.

The table and `mutants.json` are left in DIR. Exit status: 0 every mutant is noticed by a claim, or by unit tests where
no claim calls its function, and with `--in-each-paper` by K of each paper that has as many, and claims run all that
statements are covered by; 1 not so; 2 an option was refused. Main definitions: `Calls` and `count`, `Outcome` and
`try_out`, `heard` and `ask`, `ask_missing`, `replaced`, `in_workers`.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import importlib
import inspect
import io
import itertools
import json
import multiprocessing
import multiprocessing.connection
import os
import re
import statistics
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from theory import papers
from theory.claims import registry
from theory.claims.block import Claim
from theory.claims.selection import SelectionError, select
from theory.core.budget import shares
from theory.core.data import NO_DATA, Data
from theory.core.reach import Sources
from theory.core.statements import ByDefinition
from theory.core.values import Function
from theory.judging.judge import decide_alone
from theory.running.config import RunConfig
from theory.surface import rooms

ROOT = Path(__file__).resolve().parents[2]
OUTPUT = ROOT / ".cache" / "mutants"

# The module that declares the wrong variants as `MUTANTS`.
DECLARED = "nets.mutants"

# The packages whose code is replaced, or keeps what replaced code has given.
MEASURING = ("nets", "properties")

# The packages on which it depends what a claim notices.
MEASURED = ("bounds", *MEASURING)

# Seconds that a claim has, with the true code; with a mutant it has so many times as long as it took, and no less than
# `LEAST` seconds, so that no loop goes on for ever.
LIMIT = 60.0
TIMES_AS_LONG, LEAST = 10.0, 5.0

UNIT_TESTS, NOBODY = "unit tests alone", "nobody"

# How many claims that notice are enough to leave a mutant, and how many of them the table names.
ENOUGH, NAMED = 10, 2

S = TypeVar("S")
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

    @property
    def signal(self) -> bool:
        """Whether it is a wrong gradient or a wrong gate."""


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
    seconds, processor_seconds : wall time, and time of the processor
    tried : ids of the claims that were judged
    scarce : papers with fewer claims that noticed than were asked of each, but with as many that call the function
    """

    function: str
    mutant: str
    noticed: Mapping[str, str]
    judged: int
    running: int
    failed: tuple[str, ...]
    otherwise: str
    seconds: float
    processor_seconds: float
    tried: tuple[str, ...] = ()
    scarce: tuple[str, ...] = ()

    @property
    def is_seen(self) -> bool:
        """Whether claims notice it; of a function for readers, which no claim calls, whether unit tests do."""
        return bool(self.noticed) or (not self.running and self.otherwise == UNIT_TESTS)

    @property
    def number(self) -> str:
        """How many claims noticed, as `>= 10` where not all that call the function were judged."""
        return f"{'' if self.judged == self.running else '>= '}{len(self.noticed)}"

    @property
    def by(self) -> str:
        """Who noticed, in a few words: the quickest claims by name."""
        first = [f"{name} ({verdict})" for name, verdict in itertools.islice(self.noticed.items(), NAMED)]
        more = [f"{len(self.noticed) - NAMED} more"] if len(self.noticed) > NAMED else []
        return ", ".join(first + more) or self.otherwise

    @property
    def by_one_alone(self) -> bool:
        """Whether of all claims that call the function one noticed, and no other."""
        return len(self.noticed) == 1 and self.judged == self.running


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


def forget() -> None:
    """Empty the caches of functions of `MEASURING`: a result of the true code may stand there, or hide a call."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in MEASURING:
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def _judged(claim: Claim, alpha: float, data: Data, limit: float) -> tuple[str, str, float]:
    """The verdict on a claim at quick effort, without its controls; why there is none; the seconds it took."""
    config = RunConfig(data=data, time_limit=limit)
    found = decide_alone(claim, config, alpha)
    return found.verdict.value, "" if found.failure is None else found.failure.reason, found.seconds


def count(
    claims: Sequence[Claim], paths: Iterable[str], alphas: Mapping[str, float], data: Data = NO_DATA
) -> list[Calls]:
    """What each claim calls of what the paths lead to, in this process, whatever was run here before.

    A tuple of premises is called by the claims that have one of them.
    """
    counter: Counter[str] = Counter()

    def counting(path: str, true: Any) -> Function:
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
            forget()
            counter.clear()
            _, failure, seconds = _judged(claim, alphas[claim.id], data, LIMIT)
            named = {path: sum(p is q for p in claim.premises for q in those) for path, those in premises.items()}
            met.append(Calls(claim.id, dict(counter + Counter(named)), seconds, failure))
    return met


def try_out(
    mutant: Mutant,
    claims: Mapping[str, Claim],
    calls: Sequence[Calls],
    alphas: Mapping[str, float],
    *,
    data: Data = NO_DATA,
    enough: int = 0,
    in_each_paper: bool = False,
    tests: Sequence[Path] = (),
) -> Outcome:
    """Judge the claims that call the function with the mutant in its place, the quickest first, in this process.

    It ends once `enough` of them have noticed, `in_each_paper` or in all, or with 0 goes through all. Where none does,
    the unit tests are run.
    """
    started, worked = time.perf_counter(), time.process_time()
    running = sorted(_calling(mutant, calls), key=lambda call: (call.seconds, call.claim))
    noticed: dict[str, str] = {}
    failed, tried, otherwise = [], [], ""
    callers, of = Counter(claims[call.claim].paper for call in running), Counter[str]()
    forget()
    with replaced(mutant.function, mutant.wrong):
        for call in running:
            claim = claims[call.claim]
            if enough and (of[claim.paper] if in_each_paper else of.total()) >= enough:
                continue
            tried.append(claim.id)
            limit = max(LEAST, TIMES_AS_LONG * call.seconds)
            verdict, failure, _ = _judged(claim, alphas[claim.id], data, limit)
            if failure:
                failed.append(claim.id)
            elif verdict != claim.expected.value:
                noticed[claim.id] = verdict
                of[claim.paper] += 1
        if not noticed:
            otherwise = UNIT_TESTS if tests and not _pass(tests) else NOBODY
    return Outcome(
        mutant.function,
        mutant.name,
        noticed,
        len(tried),
        len(running),
        tuple(failed),
        otherwise,
        round(time.perf_counter() - started, 2),
        round(time.process_time() - worked, 2),
        tuple(tried),
        tuple(sorted(paper for paper in callers if in_each_paper and of[paper] < min(enough, callers[paper]))),
    )


def heard(mutants: Sequence[Mutant], outcomes: Sequence[Outcome], calls: Sequence[Calls]) -> dict[str, Counter[str]]:
    """For each claim how many wrong gradients and gates its code met, tried so far, and did not pass with.

    A claim that came to no verdict with one of them did not pass with it. One that came to none with the true code is
    left out.
    """
    found: dict[str, Counter[str]] = {}
    for call in calls:
        met = [o for m, o in zip(mutants, outcomes, strict=True) if m.signal and call.counts.get(m.function)]
        if not call.failure:
            tried = [outcome for outcome in met if call.claim in outcome.tried]
            noticed = sum(call.claim in (*outcome.noticed, *outcome.failed) for outcome in tried)
            found[call.claim] = Counter(met=len(met), tried=len(tried), noticed=noticed)
    return found


def ask(
    claim: Claim, mutants: Sequence[Mutant], alpha: float, seconds: float, data: Data = NO_DATA
) -> tuple[int, bool]:
    """How many of the mutants the claim was shown, one after the other, until it passed no longer; whether it did.

    With the true code it takes so many `seconds`.
    """
    limit = max(LEAST, TIMES_AS_LONG * seconds)
    for number, mutant in enumerate(mutants, start=1):
        forget()
        with replaced(mutant.function, mutant.wrong):
            verdict, failure, _ = _judged(claim, alpha, data, limit)
        if failure or verdict != claim.expected.value:
            return number, True
    return len(mutants), False


def _calling(mutant: Mutant, calls: Iterable[Calls]) -> list[Calls]:
    return [call for call in calls if call.counts.get(mutant.function)]


def _pass(tests: Sequence[Path]) -> bool:
    """Whether unit tests pass in this process."""
    import pytest

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return pytest.main(["-qx", "--assert=plain", "-p", "no:cacheprovider", *map(str, tests)]) == pytest.ExitCode.OK


def in_workers(
    parts: Sequence[Callable[[], S]],
    tasks_of: Callable[[list[S]], Sequence[Callable[[], T]]],
    told: Callable[[S], None],
) -> Iterator[tuple[int, T]]:
    """Do each part in a process of its own, and then the tasks that follow from the results of all of them.

    Each task is done in a child of a worker: it starts with what the worker loaded and compiled for its part, and takes
    with it whatever it leaves behind in caches. The first tasks are begun first. `told` is given the result of each
    part, and what is returned are number and result of each task, as they end. Raises MutantError where a process is
    lost.
    """
    context = multiprocessing.get_context("fork")
    workers: dict[Connection, ForkProcess] = {}
    try:
        for part in parts:
            ours, theirs = context.Pipe()
            worker = context.Process(target=_work, args=(theirs, part, tasks_of))
            worker.start()
            theirs.close()
            workers[ours] = worker
        results: dict[Connection, S] = {}
        while len(results) < len(workers):
            for pipe in _ready([pipe for pipe in workers if pipe not in results]):
                results[pipe] = _received(pipe, "that counts")
                told(results[pipe])
        found = [results[pipe] for pipe in workers]
        waiting = deque(range(len(tasks_of(found))))
        at_work: dict[Connection, int] = {}
        for pipe in workers:
            pipe.send(found)
        idle = list(workers)
        while waiting or at_work:
            while waiting and idle:
                pipe = idle.pop()
                at_work[pipe] = waiting.popleft()
                pipe.send(at_work[pipe])
            for pipe in _ready(list(at_work)):
                at = at_work.pop(pipe)
                yield at, _received(pipe, f"of task {at + 1}")
                idle.append(pipe)
    finally:
        for pipe in workers:
            with contextlib.suppress(OSError):  # it has ended
                pipe.send(None)
        for worker in workers.values():
            worker.join()


def _ready(pipes: Sequence[Connection]) -> list[Any]:
    return multiprocessing.connection.wait(pipes)


def _received(pipe: Connection, which: str) -> Any:
    try:
        return pipe.recv()
    except EOFError:
        raise MutantError(f"the process {which} was lost; run it alone") from None


def _work(pipe: Connection, part: Callable[[], S], tasks_of: Callable[[list[S]], Sequence[Callable[[], Any]]]) -> None:
    """Send the result of the part, take those of all, and then send that of each task whose number comes.

    It ends where None comes, or with a child that is lost: then the other end of the pipe tells so.
    """
    pipe.send(part())
    found = pipe.recv()
    tasks = tasks_of(found) if found is not None else []
    while tasks and (at := pipe.recv()) is not None:
        child = multiprocessing.get_context("fork").Process(target=_answer, args=(pipe, tasks[at]))
        child.start()
        child.join()
        if child.exitcode:
            return


def _answer(pipe: Connection, task: Callable[[], object]) -> None:
    pipe.send(task())


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


def run(
    mutants: Sequence[Mutant], jobs: int, enough: int, in_each_paper: bool = False
) -> tuple[list[Outcome], list[Calls], dict[str, Counter[str]]]:
    """Count the calls of all claims and try out the mutants, `jobs` processes at a time, and tell how far it is.

    Claims that noticed no wrong gradient and no wrong gate by then are asked once more, by themselves. Returns what
    became of the mutants, the calls, and what the claims noticed, as `heard` does.
    """
    claims = {claim.id: claim for claim in registry.load_claims()}
    alphas, data = shares(claims.values()), Data(rooms.sphere())
    paths = [*definitions(), *(mutant.function for mutant in mutants)]
    for path in paths:
        find(path)
    calls: list[Calls] = []

    def counted(found: list[Calls]) -> None:
        calls.extend(found)
        print(f"{len(calls)} of {len(claims)} claims counted", file=sys.stderr)

    def dearest_first(found: list[list[Calls]]) -> list[Callable[[], tuple[int, Outcome]]]:
        every = [call for part in found for call in part]
        cost = {at: sum(call.seconds for call in _calling(mutant, every)) for at, mutant in enumerate(mutants)}
        return [functools.partial(tried_out, at, every) for at in sorted(cost, key=lambda at: (-cost[at], at))]

    def tried_out(at: int, every: Sequence[Calls]) -> tuple[int, Outcome]:
        mutant = mutants[at]
        tests = tests_of(mutant.function)
        found = try_out(
            mutant, claims, every, alphas, data=data, enough=enough, in_each_paper=in_each_paper, tests=tests
        )
        return at, found

    # Neighbours take as long as each other: every part gets some of each.
    parts = [functools.partial(count, list(claims.values())[at::jobs], paths, alphas, data) for at in range(jobs)]
    outcomes: dict[int, Outcome] = {}
    for _, (at, outcome) in in_workers(parts, dearest_first, counted):
        outcomes[at] = outcome
        done = f"{len(outcomes)} of {len(mutants)}"
        noticed = f"{outcome.number} of {outcome.judged} judged: {outcome.by}"
        print(f"{done}: {outcome.function}: {outcome.mutant}: {noticed}", file=sys.stderr)
    ordered = [outcomes[at] for at in sorted(outcomes)]
    found = heard(mutants, ordered, sorted(calls))
    seconds = {call.claim: call.seconds for call in calls}
    called = {call.claim: call.counts for call in calls}
    silent = [name for name, count in found.items() if count["tried"] < count["met"] and not count["noticed"]]

    def asked(name: str) -> tuple[str, int, bool]:
        left = [
            mutant
            for mutant, outcome in zip(mutants, ordered, strict=True)
            if mutant.signal and called[name].get(mutant.function) and name not in outcome.tried
        ]
        return name, *ask(claims[name], left, alphas[name], seconds[name], data)

    def warmed(names: Sequence[str]) -> int:
        """Judge these claims with the true code, so that the children of this process start with it compiled."""
        for name in names:
            _judged(claims[name], alphas[name], data, max(LEAST, TIMES_AS_LONG * seconds[name]))
        return len(names)

    again = [functools.partial(asked, name) for name in silent]
    # Every worker judges all: a child may be asked any of them.
    answers = in_workers([functools.partial(warmed, silent)] * jobs, lambda _: again, lambda _: None) if again else ()
    for number, (_, (name, shown, hears)) in enumerate(answers, start=1):
        found[name].update(tried=shown, noticed=int(hears))
        said = "notices one" if hears else "notices none"
        print(f"{number} of {len(again)} asked again: {name} {said} of {found[name]['met']} met", file=sys.stderr)
    return ordered, sorted(calls), found


def digests(claims: Iterable[Claim], mutants: Sequence[Mutant], root: Path = ROOT) -> dict[str, str]:
    """For each claim a digest: of its block, what that reaches in `MEASURED`, and which wrong gradients and gates are.

    Empty where the block does not stand in `MEASURED` below `root`.
    """
    sources = Sources.read(root, MEASURED, "bounds.papers")
    signals = sorted((mutant.function, mutant.name) for mutant in mutants if mutant.signal)
    found = {}
    for claim in claims:
        module = sources.module_of(ROOT / claim.file)
        places = [] if module is None else [(module.name, name) for name in module.at(claim.line) or module.definitions]
        said = json.dumps([sorted(sources.reached(places).items()), signals])
        found[claim.id] = hashlib.sha256(said.encode()).hexdigest()[:16] if places else ""
    return found


def ask_missing(mutants: Sequence[Mutant], jobs: int, file: Path, wanted: Sequence[str] = ()) -> int:
    """Ask each claim that the record in a file lacks, or has of other code, and note the answers; says how many.

    Of the `wanted` ones alone, where ids or patterns of them are given. Raises `SelectionError` for one of no claim.
    """
    claims = {claim.id: claim for claim in registry.load_claims()}
    among = {claim.id for claim in select(list(claims.values()), ids=wanted)}
    alphas, data = shares(claims.values()), Data(rooms.sphere())
    now = digests(claims.values(), mutants)
    signals = [mutant for mutant in mutants if mutant.signal]
    told = json.loads(file.read_text(encoding="utf-8"))["claims"] if file.is_file() else {}
    kept = {name: entry for name, entry in told.items() if name in claims}
    # Those of which nothing is known come first.
    first = sorted(among, key=lambda name: (name in kept, name))
    waiting = [name for name in first if not _is_as_asked(kept.get(name), now[name])]
    paths = [mutant.function for mutant in signals]

    def asked(name: str) -> tuple[str, int, bool, str]:
        (call,) = count([claims[name]], paths, alphas, data)
        met = [mutant for mutant in signals if call.counts.get(mutant.function)]
        hears = not call.failure and ask(claims[name], met, alphas[name], call.seconds, data)[1]
        return name, len(met), hears, call.failure

    tasks = [functools.partial(asked, name) for name in waiting]
    answers = in_workers([lambda: None] * jobs, lambda _: tasks, lambda _: None) if tasks else ()
    for number, (_, (name, met, hears, failure)) in enumerate(answers, start=1):
        said = failure or f"{'notices one' if hears else 'notices none'} of {met} met"
        print(f"{number} of {len(waiting)} asked: {name}: {said}", file=sys.stderr)
        if failure:
            kept.pop(name, None)
        else:
            kept[name] = {"met": met, "noticed": int(hears), "of": now[name]}
        write_record(file, kept)
    write_record(file, kept)
    return len(waiting)


def _is_as_asked(entry: Mapping[str, Any] | None, digest: str) -> bool:
    return entry is not None and digest != "" and entry.get("of") == digest


def write_record(file: Path, told: Mapping[str, Mapping[str, Any]]) -> None:
    """Write what claims met and noticed, by their ids."""
    file.write_text(json.dumps({"claims": dict(sorted(told.items()))}, indent=1) + "\n", encoding="utf-8")


def table(outcomes: Sequence[Outcome], calls: Sequence[Calls], named: Mapping[str, Sequence[str]]) -> list[str]:
    """The lines of the report: each mutant, then per function the gap, then what no claim runs and the weak spots."""
    lines = [f"{'function':<44} {'mutant':<44} {'run by':>6} {'judged':>6} {'no verdict':>10} {'noticed':>7}  by"]
    lines += [
        f"{o.function:<44} {o.mutant:<44} {o.running:>6} {o.judged:>6} {len(o.failed):>10} {o.number:>7}  {o.by}"
        for o in outcomes
    ]
    lines += ["", f"{'function':<44} {'run by':>6} {'mutants':>7} {'gap':>5}"]
    for path in sorted({*named, *(o.function for o in outcomes)}):
        of_path = [o for o in outcomes if o.function == path]
        gap = f"{sum(not o.noticed for o in of_path) / len(of_path):.0%}" if of_path else "-"
        lines.append(f"{path:<44} {sum(path in c.counts for c in calls):>6} {len(of_path):>7} {gap:>5}")
    lines += [
        "",
        *(f"no claim runs {path}, which covers {', '.join(ids)}" for path, ids in unrun(calls, named).items()),
        *(f"by one claim of {o.running}: {o.function}: {o.mutant}: {o.by}" for o in outcomes if o.by_one_alone),
        *(f"by too few claims of {', '.join(o.scarce)}: {o.function}: {o.mutant}" for o in outcomes if o.scarce),
    ]
    noticed = [len(outcome.noticed) for outcome in outcomes]
    middle = statistics.median(noticed or [0])
    # What was left early may be noticed by more, which moves the median unless it lies below.
    left = any(o.judged < o.running and len(o.noticed) <= middle for o in outcomes)
    alone = sum(o.otherwise == UNIT_TESTS for o in outcomes)
    lines.append(
        f"{sum(map(bool, noticed))} of {len(outcomes)} mutants noticed by claims, {alone} by unit tests alone; "
        f"by {min(noticed, default=0)} claims at least, by {'>= ' if left else ''}{middle:g} in the median"
    )
    return lines


def unrun(calls: Sequence[Calls], named: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """The paths that statements are covered by and no claim calls, with the statements."""
    return {path: ids for path, ids in named.items() if not any(call.counts.get(path) for call in calls)}


def silent_lines(noticed: Mapping[str, Counter[str]]) -> list[str]:
    """The claims that pass with every wrong gradient and gate that their code meets, and how many meet any."""
    met = {name: count for name, count in noticed.items() if count["met"]}
    silent = {name: count for name, count in met.items() if not count["noticed"]}
    lines = [f"{name} passes with each of {count['met']} wrong gradients and gates" for name, count in silent.items()]
    return [*lines, f"{len(silent)} of {len(met)} claims notice no wrong gradient and no wrong gate that they meet"]


def main(arguments: Sequence[str]) -> int:
    """Try out the mutants that are asked for and write the report; the exit code is that of the module's docstring."""
    parser = argparse.ArgumentParser(
        prog="python -m theory.upkeep.mutants", description="Whether claims notice wrong code."
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="FUNCTION", help="mutants of this function alone"
    )
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes at a time (2)")
    parser.add_argument(
        "--enough",
        type=int,
        default=ENOUGH,
        metavar="K",
        help=f"leave a mutant that K claims notice ({ENOUGH}; 0: never)",
    )
    parser.add_argument("--in-each-paper", action="store_true", help="K of each paper, not of all")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write what each claim noticed to FILE")
    parser.add_argument("--missing", action="store_true", help="ask claims that FILE lacks, or has of other code")
    parser.add_argument("--claim", action="append", default=[], metavar="ID", help="of --missing: only this; patterns")
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
    if asked.enough < 0:
        print(f"error: --enough {asked.enough}; give 0 or more", file=sys.stderr)
        return 2
    if asked.in_each_paper and not asked.enough:
        print("error: --in-each-paper asks for a number of claims; add --enough 3", file=sys.stderr)
        return 2
    if asked.record and asked.only:
        print("error: --record is of all mutants; leave out --only", file=sys.stderr)
        return 2
    if asked.missing and not asked.record:
        print("error: --missing asks what a record lacks; add --record FILE", file=sys.stderr)
        return 2
    if asked.claim and not asked.missing:
        print("error: --claim is of --missing; add --missing, or leave it out", file=sys.stderr)
        return 2
    if asked.missing:
        try:
            number = ask_missing(mutants, asked.jobs, asked.record, asked.claim)
        except SelectionError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        print(f"{number} claims asked, written to {asked.record}")
        return 0
    started = time.perf_counter()
    chosen = [mutant for mutant in mutants if not asked.only or mutant.function in asked.only]
    try:
        outcomes, calls, noticed = run(chosen, asked.jobs, asked.enough, asked.in_each_paper)
    except MutantError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    named = definitions()
    wall, worked = time.perf_counter() - started, sum(os.times()[:4])
    lines = [
        *table(outcomes, calls, named),
        *silent_lines(noticed),
        f"{wall / 60.0:.1f} minutes, {worked / 60.0:.1f} of the processor, {asked.jobs} at a time",
    ]
    print("\n".join(lines))
    asked.output.mkdir(parents=True, exist_ok=True)
    report = {
        "mutants": [outcome._asdict() for outcome in outcomes],
        "calls": {call.claim: dict(call.counts) for call in calls},
        "not run": unrun(calls, named),
        "noticed": {name: dict(count) for name, count in sorted(noticed.items())},
    }
    (asked.output / "mutants.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if asked.record:
        of = digests(registry.load_claims(), mutants)
        told = {name: {"met": c["met"], "noticed": c["noticed"], "of": of[name]} for name, c in noticed.items()}
        write_record(asked.record, told)
    (asked.output / "mutants.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    seen = all(outcome.is_seen and not outcome.scarce for outcome in outcomes)
    return 0 if seen and not report["not run"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

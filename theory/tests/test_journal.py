"""A journal survives a kill at any byte, and is refused, never overwritten, when it is anything else than that."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from theory.claims import registry
from theory.core.journal import Journal, JournalError, fingerprint, recorded_run
from theory.tests.fakes import without_times

ROOT = Path(__file__).resolve().parents[2]
RUN = {"effort": "thorough", "seed": 3, "numpy": "2.0"}
BLOCKS = [
    ("count_block", "toy:rate", None if i < 3 else "a control", "m=4,x=0.1", 64 * i, 64 * i + 64) for i in range(6)
]
RESULTS: list[Any] = [[0.1 + i, -0.0, "nan", 5e-324, 10**20, None, "ü"] for i in range(6)]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where to put a journal; the disk is not waited for."""
    monkeypatch.setattr(os, "fsync", lambda file: None)
    return tmp_path / "folder" / "journal.jsonl"


def write(path: Path, finish: bool = False, first: int = 0, resume: bool = False) -> None:
    """Note the blocks from number `first` on."""
    journal = Journal(path, RUN, resume)
    journal.begin()
    for key, result in zip(BLOCKS[first:], RESULTS[first:], strict=True):
        if journal.find(key) is None:
            journal.append(key, result)
    if finish:
        journal.finish()
    journal.close()


def held(path: Path) -> list[Any]:
    """What a run that goes on finds for each block."""
    journal = Journal(path, RUN, resume=True)
    journal.close()
    return [journal.find(key) for key in BLOCKS]


class TestResume:
    def test_finished_blocks_are_found_with_the_very_numbers(self, path: Path) -> None:
        write(path)
        assert [json.dumps(result) for result in held(path)] == [json.dumps(result) for result in RESULTS]
        journal = Journal(path, RUN, resume=True)
        assert journal.find(("count_block", "toy:rate", None, "m=4,x=0.1", 0, 65)) is None
        assert (journal.taken_up, journal.added) == (6, 0)
        assert recorded_run(path) == RUN

    def test_a_file_cut_at_any_byte_goes_on_and_loses_no_whole_line(self, path: Path, tmp_path: Path) -> None:
        write(path, finish=True)
        content = path.read_bytes()
        for cut in range(len(content) + 1):
            part = tmp_path / f"{cut}.jsonl"
            part.write_bytes(content[:cut])
            whole = content[:cut].count(b"\n")
            before = held(part)
            # A line that lacks nothing but its line break is whole.
            assert sum(result is not None for result in before) in {max(0, min(6, whole - 1 + i)) for i in (0, 1)}
            assert part.read_bytes() == content[:cut], "looking must not write"
            write(part, finish=True, resume=True)
            assert held(part) == RESULTS
            assert part.read_bytes().startswith(content[:cut]), "nothing may be cut off"

    def test_it_may_be_cut_again_where_a_cut_was_mended(self, path: Path, tmp_path: Path) -> None:
        write(path)
        content = path.read_bytes()[:-40]
        path.write_bytes(content)
        write(path, resume=True)
        mended = path.read_bytes()
        assert b'{"torn":' in mended
        for cut in range(len(content), len(mended)):
            part = tmp_path / f"{cut}.jsonl"
            part.write_bytes(mended[:cut])
            write(part, finish=True, resume=True)
            assert held(part) == RESULTS

    def test_one_run_at_a_time(self, path: Path) -> None:
        write(path)
        first = Journal(path, RUN, resume=True)
        with pytest.raises(JournalError, match="is in use by another run"):
            Journal(path, RUN, resume=True)
        first.close()
        Journal(path, RUN, resume=True).close()

    def test_a_run_that_fails_to_write_does_not_go_on(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        journal = Journal(path, RUN)
        journal.begin()
        journal.append(BLOCKS[0], RESULTS[0])
        write_out = os.write

        def full(file: int, data: bytes) -> int:
            write_out(file, data[:10])
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr(os, "write", full)
            with pytest.raises(JournalError, match="No space left on device; make room and go on with --resume"):
                journal.append(BLOCKS[1], RESULTS[1])
        with pytest.raises(JournalError, match="an earlier line could not be written"):
            journal.append(BLOCKS[2], RESULTS[2])
        assert held(path)[:2] == [RESULTS[0], None]


class TestRefusals:
    """In all of them the file stays as it is."""

    @pytest.fixture(autouse=True)
    def unchanged(self, path: Path) -> Iterator[None]:
        write(path)
        self.content = path.read_bytes()
        yield
        assert path.read_bytes() == self.content

    def put(self, path: Path, content: bytes) -> None:
        self.content = content
        path.write_bytes(content)

    def refused(self, path: Path, run: dict[str, Any] | None = None, resume: bool = True) -> str:
        with pytest.raises(JournalError) as caught:
            Journal(path, run or RUN, resume)
        assert str(path) in str(caught.value)
        assert len(str(caught.value).splitlines()) == 1
        return str(caught.value)

    @pytest.mark.parametrize("number", range(2, 7))
    def test_a_line_removed(self, path: Path, number: int) -> None:
        lines = self.content.splitlines(keepends=True)
        self.put(path, b"".join(lines[: number - 1] + lines[number:]))
        assert f"line {number}: does not follow from the line before it" in self.refused(path)

    @pytest.mark.parametrize("number", range(2, 8))
    def test_a_line_changed(self, path: Path, number: int) -> None:
        lines = self.content.splitlines(keepends=True)
        lines[number - 1] = lines[number - 1].replace(b"0.1", b"0.2", 1)
        self.put(path, b"".join(lines))
        assert f"line {number}: does not follow" in self.refused(path)

    def test_two_lines_swapped(self, path: Path) -> None:
        lines = self.content.splitlines(keepends=True)
        lines[2], lines[3] = lines[3], lines[2]
        self.put(path, b"".join(lines))
        assert "line 3: does not follow" in self.refused(path)

    def test_half_a_line_inside(self, path: Path) -> None:
        lines = self.content.splitlines(keepends=True)
        lines[3] = lines[3][:20] + b"\n"
        self.put(path, b"".join(lines))
        assert "line 4: does not follow" in self.refused(path)

    def test_the_first_line_missing(self, path: Path) -> None:
        self.put(path, self.content.split(b"\n", 1)[1])
        assert "line 1: is not the first line of a journal" in self.refused(path)

    @pytest.mark.parametrize("content", [b"hello\n", b"hello", b"[1]\n", b"\xff\xfe\n", b'{"run": {}}\n'])
    def test_a_foreign_file(self, path: Path, content: bytes) -> None:
        self.put(path, content)
        assert "is not the first line of a journal" in self.refused(path)
        assert "exists and its run is not finished" in self.refused(path, resume=False)

    def test_another_format(self, path: Path) -> None:
        self.put(path, self.content.replace(b'"lemmata journal":1', b'"lemmata journal":2', 1))
        assert "has format 2, not 1" in self.refused(path)

    def test_a_first_line_changed(self, path: Path) -> None:
        self.put(path, self.content.replace(b'"sum":"', b'"sum":"f0', 1))
        assert "line 1: its checksum is wrong" in self.refused(path)

    def test_another_run(self, path: Path) -> None:
        message = self.refused(path, {**RUN, "seed": 4, "numpy": "2.1", "scipy": "1"})
        assert "seed was 3 and is 4; numpy was '2.0' and is '2.1'; scipy was absent and is '1'" in message
        assert "effort" not in message

    def test_a_run_that_does_not_ask_to_go_on(self, path: Path) -> None:
        assert "add --resume to go on with it" in self.refused(path, resume=False)


def test_without_a_journal_there_is_nothing_to_go_on_with(path: Path) -> None:
    with pytest.raises(JournalError, match="nothing was finished; leave --resume out"):
        Journal(path, RUN, resume=True)
    assert not path.parent.exists()


@pytest.mark.parametrize("resume", [False, True])
def test_a_place_that_is_no_file_is_told(tmp_path: Path, resume: bool) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path, tmp_path / "file" / "journal"):
        with pytest.raises(JournalError, match="name a file that can be read and written") as caught:
            Journal(path, RUN, resume).begin()
        assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("resume", [False, True])
def test_what_is_no_regular_file_is_refused_unread(tmp_path: Path, resume: bool) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (Path("/dev/zero"), Path("/dev/full"), Path("/dev/null"), tmp_path / "pipe", tmp_path):
        with pytest.raises(JournalError, match="is no regular file; name a file that can be read and written"):
            Journal(path, RUN, resume).begin()
        with pytest.raises(JournalError, match="is no regular file"):
            recorded_run(path)


def test_a_path_of_control_characters_is_told_in_one_line(tmp_path: Path) -> None:
    for name in ("two\nlines", "nul\0", "clear\x1b[2J"):
        for resume in (False, True):
            with pytest.raises(JournalError) as caught:
                Journal(tmp_path / name / "journal", RUN, resume)._set_aside()
            assert str(caught.value).isprintable()


def test_of_a_foreign_file_no_more_than_the_beginning_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(2**40)
    for resume, message in ((True, "is not the first line of a journal"), (False, "its run is not finished")):
        with pytest.raises(JournalError, match=message):
            Journal(path, RUN, resume)


DEEP = b"[" * 10**5
HEADERS = {
    "no seed": b'{"lemmata journal":1,"run":{}}\n',
    "a seed that is text": b'{"lemmata journal":1,"run":{"seed":"3"}}\n',
    "a seed that is true": b'{"lemmata journal":1,"run":{"seed":true}}\n',
    "a negative seed": b'{"lemmata journal":1,"run":{"seed":-1}}\n',
    "a run that is a list": b'{"lemmata journal":1,"run":[["seed",1]]}\n',
    "a run of lists": b'{"lemmata journal":1,"run":{"seed":[[[1]]]}}\n',
    "a format that is true": b'{"lemmata journal":true,"run":{"seed":1}}\n',
    "a format that is a list": b'{"lemmata journal":[1],"run":{"seed":1}}\n',
    "deep nesting": b'{"lemmata journal":' + DEEP + b"\n",
    "an integer without end": b'{"lemmata journal":' + b"1" * 10**5 + b"}\n",
}


@pytest.mark.parametrize("name", HEADERS)
def test_a_first_line_of_other_types_is_refused_in_one_line(path: Path, name: str) -> None:
    path.parent.mkdir()
    path.write_bytes(HEADERS[name])
    for use in (recorded_run, lambda path: Journal(path, RUN, resume=True), lambda path: Journal(path, RUN)):
        with pytest.raises(JournalError) as caught:
            use(path)
        assert str(path) in str(caught.value)
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 500
    assert path.read_bytes() == HEADERS[name]


@pytest.mark.parametrize("last", [DEEP, b'"finished"', b'["finished"]', b"finished"])
def test_a_last_line_that_is_no_end_finishes_nothing(path: Path, last: bytes) -> None:
    write(path)
    content = path.read_bytes() + last
    path.write_bytes(content)
    with pytest.raises(JournalError, match="its run is not finished"):
        Journal(path, RUN)
    assert path.read_bytes() == content


def test_a_line_with_the_right_checksum_and_the_wrong_types_is_refused(path: Path) -> None:
    journal = Journal(path, RUN)
    journal.begin()
    journal._append({"block": 3})
    journal.close()
    with pytest.raises(JournalError, match="line 2: does not follow"):
        Journal(path, RUN, resume=True)


class TestTwoRunsOnOneFinishedJournal:
    """Both have seen that its run is finished; one of them goes on, and no block of either is lost."""

    def test_the_second_does_not_set_aside_the_journal_of_the_first(self, path: Path) -> None:
        write(path, finish=True)
        finished = path.read_bytes()
        first, second = Journal(path, RUN), Journal(path, RUN)
        first.begin()
        first.append(BLOCKS[0], RESULTS[0])
        with pytest.raises(JournalError, match="in use by another run"):
            second.begin()
        first.finish()
        first.close()
        assert sorted(file.name for file in path.parent.iterdir()) == ["journal-1.jsonl", "journal.jsonl"]
        assert path.with_name("journal-1.jsonl").read_bytes() == finished
        assert held(path)[0] == RESULTS[0]

    def test_nor_where_the_first_was_killed_meanwhile(self, path: Path) -> None:
        write(path, finish=True)
        first, second = Journal(path, RUN), Journal(path, RUN)
        first.begin()
        first.append(BLOCKS[0], RESULTS[0])
        first.close()
        with pytest.raises(JournalError, match="its run is not finished"):
            second.begin()
        assert held(path)[0] == RESULTS[0]

    def test_at_the_same_time_one_of_many_wins(self, path: Path) -> None:
        write(path, finish=True)
        for attempt in range(1, 11):
            runs = [Journal(path, RUN) for _ in range(8)]
            with ThreadPoolExecutor(8) as pool:
                told = list(pool.map(_begin, runs))
            assert told.count(None) == 1, told
            winner = runs[told.index(None)]
            winner.append(BLOCKS[0], [attempt])
            winner.finish()
            for run in runs:
                run.close()
            kept = [path.with_name(f"journal-{number}.jsonl") for number in range(1, attempt + 1)]
            assert sorted(path.parent.iterdir()) == sorted([*kept, path])
            assert all(b'"finished":true' in file.read_bytes().splitlines()[-1] for file in (*kept, path))


def _begin(journal: Journal) -> str | None:
    try:
        journal.begin()
    except JournalError as error:
        return str(error)
    return None


def test_a_finished_run_keeps_its_journal_under_another_name(path: Path) -> None:
    contents = []
    for _ in range(3):
        write(path, finish=True)
        contents.append(path.read_bytes())
    kept = [path.with_name(name).read_bytes() for name in ("journal-1.jsonl", "journal-2.jsonl", "journal.jsonl")]
    assert kept == contents


def test_going_on_with_a_finished_run_adds_nothing(path: Path) -> None:
    write(path, finish=True)
    content = path.read_bytes()
    write(path, finish=True, resume=True)
    assert path.read_bytes() == content


def test_the_fingerprint_sees_every_source_but_tests(tmp_path: Path) -> None:
    for file in ("theory/a.py", "nets/b.py", "nets/tests/test_b.py", "bounds/c.py", "properties/x/test_y.py"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("1")
    before = fingerprint(tmp_path)

    def changed(file: str) -> list[str]:
        (tmp_path / file).write_text("2")
        after = fingerprint(tmp_path)
        (tmp_path / file).write_text("1")
        return [name for name in before if after[name] != before[name]]

    assert changed("nets/tests/test_b.py") == []
    assert changed("nets/b.py") == ["sources of nets"]
    assert changed("properties/x/test_y.py") == ["sources of properties"]
    assert "numpy" in before


# In place of a room that takes seconds to import: whatever is asked for is there.
STAND_IN = """
def __getattr__(name):
    return type(name, (ValueError,), {})
"""

TOY = """
import time

import numpy as np

from theory.claims import claim, control
from theory.evidence import Distribution, Mean, Scaling, Search, Trials
from theory.claims.regime import Regime, grid
from theory.tests.fakes import ONE, formula


class Exponential:
    def __init__(self, m):
        self.m = m

    def cdf(self, x):
        return -np.expm1(-self.m * np.maximum(x, 0.0))


COMMON = dict(
    title="t",
    kind="probability",
    theme="activation",
    source="s",
    bound=ONE,
    controls=[control("twenty times as large", times=20.0)],
    regime=Regime(cells=grid(m=[2, 4])),
)


def exponential(rng, size=None):
    time.sleep(0.0003)
    return rng.standard_exponential(size)


@claim("toy:rate", evidence=Trials(rate=0.31, budget=60, fixed=True, reserve=1e-9), **COMMON)
def rate(rng, m, *, times=1.0):
    return times * exponential(rng) / m


@claim("toy:rate", variant="sequential", evidence=Trials(rate=0.2, budget=100), **COMMON)
def sequential(rng, m, *, times=1.0):
    return times * exponential(rng) / m


@claim("toy:law", sense="=", evidence=Distribution(Exponential, 40), **COMMON)
def law(rng, m, *, times=1.0):
    return times * exponential(rng, 3) / m


@claim("toy:mean", evidence=Mean(ratio=2.0, why="exponential"), **COMMON)
def mean(rng, m, *, times=1.0):
    return times * exponential(rng) / m


@claim(
    "toy:power",
    evidence=Scaling({"m": "equal"}, replicates=16),
    **{
        **COMMON,
        "bound": formula(lambda m: 10.0 / m, m=-1.0),
        "regime": Regime(cells=grid(m=[8, 16]), calibration=grid(m=[2, 4])),
    },
)
def power(rng, m, *, times=1.0):
    return times * (1.0 + 0.01 * exponential(rng)) / m


@claim("toy:search", evidence=Search(examples=5), **COMMON)
def search(rng, m, *, times=1.0):
    return 0.4 * times * rng.random()
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with six toy claims, of which five run in blocks."""
    copy = tmp_path / "checkout"
    for room in ("theory", "bounds"):
        shutil.copytree(ROOT / room, copy / room)
    for file in ("conftest.py", "setup.cfg"):
        shutil.copy(ROOT / file, copy)
    files = {"properties/activation/test_toy.py": TOY, "properties/activation/__init__.py": ""}
    rooms = (ROOT / "theory" / "surface" / "rooms.py").read_text()
    asked = re.findall(r'_of_nets\("([\w.]+)"', rooms)
    files |= {f"nets/{module.replace('.', '/')}.py": STAND_IN for module in asked}
    files |= {f"{Path(file).parent}/__init__.py": "" for file in files}
    files |= {f"{room}/__init__.py": "" for room in ("nets", "properties")}
    for name, text in files.items():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(text)
    return copy


def start(checkout: Path, *arguments: str) -> subprocess.Popen[str]:
    """A run at thorough effort."""
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", "--effort", "thorough", *arguments],
        cwd=checkout,
        # The suite of this checkout is its own.
        env={name: value for name, value in os.environ.items() if name != registry.REFUSED},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.at_night
def test_a_run_killed_several_times_ends_with_the_ledger_of_an_undisturbed_one(checkout: Path) -> None:
    journal = checkout / ".lemmata" / "journal.jsonl"
    undisturbed = start(checkout, "--journal", "other.jsonl", "--ledger", "undisturbed")
    moments, lines = random.Random(), 0
    for _ in range(3):
        run = start(checkout, *(["--resume"] if journal.exists() else []))
        # At any moment after some more blocks, in the middle of a line too if it so happens.
        wanted = lines + moments.randint(1, 30)
        while run.poll() is None and (not journal.exists() or journal.read_bytes().count(b"\n") < wanted):
            time.sleep(0.002)
        time.sleep(moments.uniform(0.0, 0.05))
        run.kill()
        output = run.communicate()[0]
        assert run.returncode == -signal.SIGKILL, output
        lines = journal.read_bytes().count(b"\n")
    last = start(checkout, "--resume", "--ledger", "resumed")
    output = last.communicate()[0]
    assert last.returncode == 0, output
    assert f"{lines - 1} blocks taken up" in output or "torn" in journal.read_text(), output
    assert undisturbed.communicate()[0]
    assert undisturbed.returncode == 0
    ledgers = [json.loads((checkout / name / "ledger.json").read_text()) for name in ("undisturbed", "resumed")]
    assert without_times(ledgers[0]) == without_times(ledgers[1])
    assert len(ledgers[0]["claims"]) == 6
    # The journals hold the same blocks, and both say that their run is finished.
    blocks = [
        sorted(line.split(',"result"')[0] for line in file.read_text().splitlines() if line.startswith('{"block"'))
        for file in (journal, checkout / "other.jsonl")
    ]
    assert blocks[0] == blocks[1]
    assert '"finished":true' in journal.read_text().splitlines()[-1]

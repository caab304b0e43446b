"""The journal of a long run: every finished block of trials, so that a run that was killed can go on.

A journal is a file of lines, each a JSON object whose last entry `sum` is a checksum over the line before it and
its own text, so that a line that was changed, moved or removed is noticed. The first line says what the results
depend on; every other holds a finished block and its result, or closes the run:

    {"lemmata journal": 1, "run": {"effort": "thorough", "seed": 0, ...}, "sum": "..."}
    {"block": ["count_block", "zou2018:lemma-A.6", null, "L=2,d=16,m=64", 0, 64], "result": ..., "sum": "..."}
    {"finished": true, "sum": "..."}

Lines are appended in one write and forced to the disk; nothing is ever overwritten or cut off. A kill can leave one
incomplete line, the last. The run that goes on closes it with a line break and a record of its length, `torn`, which
is the only way in which an incomplete line may stand inside a journal.

Main definitions: `Journal`, `JournalError`, `fingerprint`, `recorded_run`.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import platform
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

from theory.core.guard import SessionError
from theory.core.values import Json, JsonDict

FORMAT = 1
MARK = "lemmata journal"
_BEGINNING = f'{{"{MARK}":'.encode()

# What a measured number depends on besides the sources: a new version may round a sum in another order.
PACKAGES = ("numpy", "scipy", "numba", "llvmlite", "sympy", "python-flint", "scikit-learn")
ROOMS = ("theory", "bounds", "nets", "properties")

# Entries of a fingerprint that belong to the machine and its user, not to the checkout.
OWN = {"machine", "numba settings"}

# Settings of numba that leave its results as they are.
HARMLESS = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS"}

_SUM_DIGITS = 32

# Names of one block: the work, the claim, the control or null, the cell, its first trial and the one after its last.
Key = Sequence[str | int | None]


class JournalError(SessionError):
    """A journal that cannot be used; the message is one line."""


def fingerprint(root: Path) -> dict[str, str]:
    """What results depend on besides the options of the run: sources, versions, the processor's arithmetic."""
    return {f"sources of {room}": _digest_of_sources(root, room) for room in ROOMS} | conditions()


def conditions() -> dict[str, str]:
    """What results depend on besides options and sources: versions, and the processor's arithmetic."""
    found = {"python": platform.python_version()}
    found |= {name: importlib.metadata.version(name) for name in PACKAGES}
    kernels = {
        f"{library.get('internal_api')} {library.get('architecture', '')}"
        for library in threadpool_info()
        if library["user_api"] == "blas"
    }
    found["machine"] = ", ".join([platform.machine(), *sorted(name.strip() for name in kernels)])
    settings = sorted(name for name in os.environ if name.startswith("NUMBA_") and name not in HARMLESS)
    found["numba settings"] = " ".join(f"{name}={os.environ[name]}" for name in settings)
    return found


def _digest_of_sources(root: Path, room: str) -> str:
    digest = hashlib.sha256()
    for path in sorted((root / room).rglob("*.py")):
        if "tests" not in path.relative_to(root).parts:
            content = path.read_bytes()
            digest.update(f"{path.relative_to(root).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


class Journal:
    """The journal in the file `path` of a run that depends on `run`, a mapping to JSON scalars.

    With `resume` the journal must exist and be that of the same run, and its blocks are taken up; without, it must not
    exist, unless it holds a finished run: that one keeps its file under a numbered name. All this is checked here and
    nothing is written before `begin`.

    Raises `JournalError` for a file that cannot be used so.
    """

    def __init__(self, path: Path, run: Json, resume: bool = False) -> None:
        self.path = path
        self.taken_up = 0
        self.added = 0
        self.begun = False
        self.finished = False
        self._header = _line({MARK: FORMAT, "run": dict(run)}, "")
        self._results: JsonDict = {}
        self._last = _sum_of(self._header)
        self._missing = self._header
        self._file: int | None = None
        if resume:
            self._take_up()
        elif path.exists():
            self._refuse_unless_finished()

    def _take_up(self) -> None:
        self._file = self._open(os.O_RDWR | os.O_APPEND)
        try:
            content = _content(self.path)
            if self._header.startswith(content):  # killed while the first line was written
                self._missing = self._header[len(content) :]
            else:
                self._check_header(content)
                self._missing = self._read(content)
        except JournalError:
            self.close()
            raise
        self.taken_up = len(self._results)

    def _check_header(self, content: bytes) -> None:
        """Refuse a file whose first line is not this run's."""
        first = content[: content.find(b"\n") + 1]
        run = _run_of(self.path, first)
        if first == self._header:
            return
        here = json.loads(self._header)["run"]
        names = [name for name in dict.fromkeys([*run, *here]) if run.get(name) != here.get(name)]
        if not names:
            raise JournalError(f"--resume: {_named(self.path)}, line 1: its checksum is wrong; {_NO_WAY_ON}")
        other = "; ".join(f"{name} was {_shown(run.get(name))} and is {_shown(here.get(name))}" for name in names)
        raise JournalError(
            f"--resume: {_named(self.path)} is of another run: {other}; "
            f"run it as it was, or start another with --journal FILE"
        )

    def _read(self, content: bytes) -> bytes:
        """Take up all blocks, and return what is missing at the end of the file: nothing unless a kill cut it off."""
        at, number = len(self._header), 1
        while at < len(content):
            number += 1
            line = content[at : content.find(b"\n", at) + 1 or None]
            whole = line if line.endswith(b"\n") else line + b"\n"
            entry = _entry(whole, self._last)
            if entry is not None:
                self._last = _sum_of(whole)
                self.finished = "finished" in entry
                if "block" in entry:
                    self._results[json.dumps(entry["block"])] = entry["result"]
                at += len(line)
                if line != whole:
                    return b"\n"
                continue
            # Only the beginning of a line may stand here, and what closes it, or the beginning of that.
            closing, rest = self._closing(whole[:-1]), content[at + len(whole) - 1 :]
            if _looks_complete(whole) or not (rest.startswith(closing) or closing.startswith(rest)):
                raise JournalError(
                    f"--resume: {_named(self.path)}, line {number}: does not follow from the line before it, "
                    f"so a line was changed or removed; {_NO_WAY_ON}"
                )
            self._last = _sum_of(closing)
            at, number = at + len(whole) - 1 + len(closing), number + 1
            if len(rest) < len(closing):
                return closing[len(rest) :]
        return b""

    def _closing(self, torn: bytes) -> bytes:
        """What closes an incomplete line."""
        return b"\n" + _line({"torn": len(torn)}, self._last)

    def _refuse_unless_finished(self) -> None:
        """Refuse a file, of whatever run, that is no journal or does not end as a finished one does."""
        lines = _content(self.path).splitlines()
        try:
            first, last = json.loads(lines[0]), json.loads(lines[-1])
        except (ValueError, RecursionError, IndexError):
            first = last = None
        if not (isinstance(first, dict) and MARK in first and isinstance(last, dict) and "finished" in last):
            raise JournalError(
                f"--journal: {_named(self.path)} exists and its run is not finished; add --resume to go on with it, "
                f"name another file, or remove this one"
            )

    def begin(self) -> None:
        """Open the file for appending: created now, or completed where a kill cut its last line."""
        if self._file is None:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            except (OSError, ValueError) as error:
                raise _unusable(self.path.parent, error) from None
            if self.path.exists():
                self._set_aside()
            self._file = self._open(os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL)
        if self._missing:
            self._write(self._missing)
        self.begun = True

    def _set_aside(self) -> None:
        """Rename the journal of a finished run.

        It is locked meanwhile and looked at again: another run may have set it aside since this one looked, and the
        file that has its name now be that run's own.
        """
        file = self._open(os.O_RDONLY)
        try:
            if not self.path.exists() or not os.path.samestat(os.fstat(file), os.stat(self.path)):
                raise JournalError(f"--journal: {_named(self.path)} is in use by another run; wait for it or end it")
            self._refuse_unless_finished()
            number = 1
            while not _created(aside := self.path.with_name(f"{self.path.stem}-{number}{self.path.suffix}")):
                number += 1
            os.replace(self.path, aside)
        except OSError as error:
            raise _unusable(self.path, error) from None
        finally:
            os.close(file)

    def _open(self, flags: int) -> int:
        import fcntl  # not on every system, and needed for journals alone

        _refuse_irregular(self.path)
        try:
            file = os.open(self.path, flags, 0o644)
        except FileNotFoundError:
            raise JournalError(
                f"--resume: there is no journal {_named(self.path)}, so nothing was finished; leave --resume out"
            ) from None
        except FileExistsError:
            raise JournalError(
                f"--journal: {_named(self.path)} was just made by another run; name another file"
            ) from None
        except (OSError, ValueError) as error:
            raise _unusable(self.path, error) from None
        try:
            # A file just made is this run's; another may hold it for the moment of looking at it.
            fcntl.flock(file, fcntl.LOCK_EX if flags & os.O_EXCL else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            raise JournalError(
                f"--journal: {_named(self.path)} is in use by another run; wait for it or end it"
            ) from None
        except OSError:
            pass  # a file system without locks
        return file

    @property
    def summary(self) -> str:
        """What this run did with the journal, in one line."""
        end = "finished" if self.finished else "add --resume to go on"
        return f"journal {_named(self.path)}: {self.taken_up} blocks taken up, {self.added} added; {end}"

    def find(self, key: Key) -> Any:
        """The result of a block that was finished before, or `None`."""
        return self._results.get(json.dumps(list(key)))

    def append(self, key: Key, result: object) -> None:
        """Note a finished block; `result` consists of lists, strings, numbers and nulls."""
        self._append({"block": list(key), "result": result})
        self.added += 1
        self.finished = False

    def finish(self) -> None:
        """Note that the run has come to its end."""
        if not self.finished:
            self._append({"finished": True})
            self.finished = True

    def _append(self, body: Json) -> None:
        line = _line(body, self._last)
        self._write(line)
        self._last = _sum_of(line)

    def _write(self, data: bytes) -> None:
        if self._file is None:
            raise JournalError(f"--journal: {_named(self.path)} is not open, as an earlier line could not be written")
        try:
            while data:
                data = data[os.write(self._file, data) :]
            os.fsync(self._file)
        except OSError as error:
            # What follows half a line would be lost with it.
            self.close()
            raise JournalError(
                f"--journal: {_named(self.path)}: {error.strerror}; make room and go on with --resume"
            ) from error

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


_NO_WAY_ON = "it cannot be relied on: start another with --journal FILE"


def _content(path: Path) -> bytes:
    """The bytes of a file; of one that does not begin as a journal does, its beginning alone, however long it is."""
    _refuse_irregular(path)
    try:
        with path.open("rb") as file:
            beginning = file.read(len(_BEGINNING))
            return beginning + file.read() if beginning == _BEGINNING else beginning
    except (OSError, ValueError) as error:
        raise _unusable(path, error) from None


def _created(path: Path) -> bool:
    """Whether an empty file could be made there, so that none is overwritten by what takes its place."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
    except FileExistsError:
        return False
    return True


def _refuse_irregular(path: Path) -> None:
    """Refuse what is there and no file, such as a pipe or a device, which may have no end."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise _unusable(path, error) from None
    if not stat.S_ISREG(mode):
        raise JournalError(f"--journal: {_named(path)}: is no regular file; name a file that can be read and written")


def _unusable(path: Path, error: Exception) -> JournalError:
    reason = getattr(error, "strerror", None) or str(error)
    return JournalError(f"--journal: {_named(path)}: {reason}; name a file that can be read and written")


def _named(path: Path) -> str:
    """A path in one line, as it stands where it is printable."""
    return str(path) if str(path).isprintable() else repr(str(path))


def recorded_run(path: Path) -> JsonDict:
    """What the run of the journal in `path` depended on, from its first line; `JournalError` if it has no seed."""
    content = _content(path)
    run = _run_of(path, content[: content.find(b"\n") + 1])
    seed = run.get("seed")
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        raise JournalError(f"--resume: {_named(path)}, line 1: holds no seed; start another with --journal FILE")
    return run


def _run_of(path: Path, first: bytes) -> JsonDict:
    """The description of the run in a first line; `JournalError` if it is none, or of another format."""
    try:
        found = json.loads(first)
        version, run = found[MARK], found["run"]
    except (ValueError, TypeError, KeyError, RecursionError):
        version = run = None
    if not isinstance(run, dict) or any(isinstance(value, dict | list) for value in run.values()):
        raise JournalError(
            f"--resume: {_named(path)}, line 1: is not the first line of a journal; "
            f"name the journal with --journal FILE"
        )
    if version != FORMAT or isinstance(version, bool):
        raise JournalError(
            f"--resume: {_named(path)}, line 1: has format {version!r}, not {FORMAT}; "
            f"go on with the version that wrote it"
        )
    return run


def _line(body: Json, previous: str) -> bytes:
    """One line: `body` with its checksum as last entry."""
    text = json.dumps(body, separators=(",", ":"), allow_nan=False)
    return f'{text[:-1]},"sum":"{_checksum(previous, text)}"}}\n'.encode()


def _checksum(previous: str, text: str) -> str:
    return hashlib.sha256((previous + text).encode()).hexdigest()[:_SUM_DIGITS]


_TAIL = len(',"sum":""}\n') + _SUM_DIGITS


def _sum_of(line: bytes) -> str:
    """The checksum at the end of a line."""
    return line[-3 - _SUM_DIGITS : -3].decode("ascii", "replace")


def _entry(line: bytes, previous: str) -> JsonDict | None:
    """What a line holds, or nothing if it is not one that follows the line with checksum `previous`."""
    text = line[:-_TAIL].decode("utf-8", "replace") + "}"
    if not line.endswith(f',"sum":"{_checksum(previous, text)}"}}\n'.encode()):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    whole = isinstance(found, dict) and (
        "block" not in found or (isinstance(found["block"], list) and "result" in found)
    )
    return found if whole else None


def _looks_complete(line: bytes) -> bool:
    """Whether a line ends as a complete one does, so that no kill cut it off."""
    return re.search(rb',"sum":"[0-9a-f]{%d}"\}\n$' % _SUM_DIGITS, line) is not None


def _shown(value: object) -> str:
    return "absent" if value is None else repr(value)

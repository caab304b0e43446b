"""Run tests, unless they passed before and nothing that they can read has changed since.

    python -m theory.upkeep.passed --of PLACE... [--but PLACE...] [--each TEST...] -- COMMAND

With `--each` the command gets the names of those of these test files that have to be run: of each of them the claim
files that stand in its text count as well. For all count the files below the places that are named with `--of`, those
below `--but` left out, every installed package by its version, Python, and the kind of processor and BLAS. The digest
is noted in `.cache/passed` when the command ends with 0, beside those of the last times, so that a change that is taken
back asks nothing again. With the variable CI the command is always run. The exit
status is that of the command, 0 where it is known, 2 for words that make no sense. Main definitions: `digest`,
`claim_files_named`, `main`.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib.metadata
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from theory.core.journal import conditions
from theory.core.refusal import ROOT

FOLDER = ROOT / ".cache" / "passed"
SUITE = ROOT / "properties"

# How a test says which claim files it reads (theory/tests/conftest.py).
_CLAIM_FILE = re.compile(r"\"(\w+/test_\w+\.py)\"")

# So many digests of a command are kept.
KEPT = 20

# Folders with what runs leave behind.
MADE = {"__pycache__", ".cache", ".git", ".venv", "ledger"}


def _files(places: Sequence[Path], but: Sequence[Path]) -> Iterator[Path]:
    """The files at and below places, in order. Raises FileNotFoundError for a place that is not there."""
    for place in places:
        if not place.exists():
            raise FileNotFoundError(place)
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            inside = path.relative_to(place.parent).parts
            if path.is_file() and not MADE & {*inside} and not any(path.is_relative_to(other) for other in but):
                yield path


def digest(places: Sequence[Path], but: Sequence[Path] = ()) -> str:
    """The digest of the files at and below `places`, without those below `but`, and of what runs them.

    Raises FileNotFoundError for a place that is not there.
    """
    packages = sorted(f"{one.name} {one.version}" for one in importlib.metadata.distributions())
    runs = json.dumps([packages, sys.version, conditions()])
    return hashlib.sha256(f"{_digest_of(_files(places, but))} {runs}".encode()).hexdigest()


def _digest_of(files: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for path in files:
        content = path.read_bytes()
        found.update(f"{path} {len(content)}\n".encode() + content)
    return found.hexdigest()


def claim_files_named(text: str) -> list[str]:
    """The claim files that the text of a test names, as "zou2018/test_separation.py", in order."""
    return sorted(set(_CLAIM_FILE.findall(text)))


def _digest_with_claims(common: str, test: Path) -> str:
    """The digest of a test file: what counts for all, and the claim files that it names in folders of the suite."""
    named = [name for name in claim_files_named(test.read_text(encoding="utf-8")) if (SUITE / name).parent.is_dir()]
    return hashlib.sha256(f"{common} {_digest_of(SUITE / name for name in named)}".encode()).hexdigest()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that is named, or say that it is known to pass."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog="python -m theory.upkeep.passed", description=(__doc__ or "").splitlines()[0], allow_abbrev=False
    )
    parser.add_argument("--of", type=Path, nargs="+", required=True, metavar="PLACE", help="what the tests can read")
    parser.add_argument("--but", type=Path, nargs="+", default=[], metavar="PLACE", help="and what of it not")
    parser.add_argument("--each", nargs="+", default=[], metavar="TEST", help="test files that are known one by one")
    if "--" not in words or words[-1] == "--":
        parser.error("write the command behind --")
    options = parser.parse_args(words[: words.index("--")])
    command = words[words.index("--") + 1 :]
    try:
        now = digest([place.resolve() for place in options.of], [place.resolve() for place in options.but])
        each = {name: _digest_with_claims(now, Path(name)) for name in options.each}
    except FileNotFoundError as error:
        print(f"error: {error} is not there; name what the tests can read", file=sys.stderr)
        return 2
    asked = {_note(command, name): then for name, then in each.items()} or {_note(command): now}
    known = {note for note, then in asked.items() if "CI" not in os.environ and then in _noted(note)}
    if len(known) == len(asked):
        print(f"passed before, and nothing has changed since: {' '.join([*command, *each])}")
        return 0
    unknown = [name for name in each if _note(command, name) not in known]
    status = subprocess.run([*command, *unknown], check=False).returncode
    if status == 0:
        with contextlib.suppress(OSError):
            FOLDER.mkdir(parents=True, exist_ok=True)
            for note, then in asked.items():
                note.write_text("\n".join(list(dict.fromkeys([then, *_noted(note)]))[:KEPT]), encoding="utf-8")
    return status


def _note(command: Sequence[str], *of: str) -> Path:
    """The file in which it is noted that a command passed, and for which of the test files it was given."""
    return FOLDER / hashlib.sha256(json.dumps([*command, *of]).encode()).hexdigest()[:16]


def _noted(note: Path) -> list[str]:
    """The digests with which the command passed, the last one first."""
    return note.read_text(encoding="utf-8").splitlines() if note.is_file() else []


if __name__ == "__main__":
    sys.exit(main())

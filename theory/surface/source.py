"""The record of a paper from its LaTeX source: `lemmata read main.tex [PLACE] --key KEY`.

Main definitions: `main`, the command; `write`, which reads a source and writes a file `paper.py`.
"""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from theory.latex.document import read
from theory.latex.record import Record, python, recorded
from theory.latex.stream import SourceError
from theory.papers import RECORD

REFUSED = 4
KEY = re.compile("[a-z0-9]+")


def write(source: Path, place: Path, key: str | None = None, replace: bool = False) -> tuple[Path, Record]:
    """Write the record of the paper `source` into the folder `place`, or as the file `place`; the file, and the record.

    Raises `SourceError` for a source that says nothing, a key that is none, and a file that is there already, unless it
    is to be replaced, or that cannot be written.
    """
    if key is not None and not KEY.fullmatch(key):
        raise SourceError(f"--key: {key!r} is no key of a paper; write small letters and digits, as in du2018")
    if source.is_dir():
        raise SourceError(f"{source}: this is a folder; name the main file of the paper in it")
    file = place / RECORD if place.is_dir() else place
    if not file.parent.is_dir():
        raise SourceError(f"{file.parent}: there is no such folder; make it first")
    if file.suffix != ".py":
        raise SourceError(f"{file}: a record is a file of Python; name a folder, or a file that ends in .py")
    if file.exists() and not replace:
        raise SourceError(f"{file}: there is such a file already; name another place, or say --replace")
    record = recorded(read(source), key, datetime.date.today().year)
    try:
        file.write_text(python(record, source.name), encoding="utf-8")
    except OSError as error:
        raise SourceError(f"{file}: cannot be written: {error.strerror}") from None
    return file, record


def told(file: Path, record: Record) -> list[str]:
    """What is said of a record that was written: how much is in it, and what is not."""
    statements = record.paper.statements
    displays = sum(statement.label.startswith(("(", "display")) for statement in statements)
    uses = sum(len(statement.uses) for statement in statements)
    counts = ((len(statements) - displays, "statement"), (displays, "display"), (uses, "use"))
    said = [f"{count} {word}{'s' if count != 1 else ''}" for count, word in counts]
    lines = [f"{file}: {', '.join(said[:-1])} and {said[-1]} of one by another, all of them open"]
    if record.unread:
        lines += ["not read, or left out, as the file says too:", *(f"  {sentence}" for sentence in record.unread)]
    return [*lines, f"kinds and themes are guessed from words; `lemmata check {file.parent}` lists what is open"]


class _Parser(argparse.ArgumentParser):
    """One whose refusals are one line, with the exit code of refused options."""

    def error(self, message: str) -> NoReturn:
        self.exit(REFUSED, f"lemmata read: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the source that the command line names; return the exit code, 4 where that is refused."""
    parser = _Parser(prog="lemmata read", description="Write the record of a paper from its LaTeX source.")
    parser.add_argument("source", metavar="main.tex")
    parser.add_argument("place", metavar="PLACE", nargs="?", default=".")
    parser.add_argument("--key")
    parser.add_argument("--replace", action="store_true")
    given = parser.parse_intermixed_args(arguments)
    try:
        file, record = write(Path(given.source), Path(given.place), given.key, given.replace)
    except SourceError as error:
        print(f"lemmata read: {error}", file=sys.stderr)
        return REFUSED
    print("\n".join(told(file, record)))
    return 0

"""Run tests, unless they passed before and nothing that they can read has changed since.

    python -m theory.upkeep.passed --of PLACE... [--but PLACE...] -- COMMAND

What counts are the files below the places that are named with `--of`, those below `--but` left out, every installed
package by its version, Python, and the kind of processor and BLAS. Their digest is noted in `.cache/passed` when the
command ends with 0. With the variable CI the command is always run. The exit status is that of the command, 0 where it
is known, 2 for words that make no sense. Main definitions: `digest`, `main`.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib.metadata
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from theory.core.journal import conditions
from theory.core.refusal import ROOT

FOLDER = ROOT / ".cache" / "passed"

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
    found = hashlib.sha256()
    for path in _files(places, but):
        content = path.read_bytes()
        found.update(f"{path} {len(content)}\n".encode() + content)
    packages = sorted(f"{one.name} {one.version}" for one in importlib.metadata.distributions())
    found.update(json.dumps([packages, sys.version, conditions()]).encode())
    return found.hexdigest()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that is named, or say that it is known to pass."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog="python -m theory.upkeep.passed", description=(__doc__ or "").splitlines()[0], allow_abbrev=False
    )
    parser.add_argument("--of", type=Path, nargs="+", required=True, metavar="PLACE", help="what the tests can read")
    parser.add_argument("--but", type=Path, nargs="+", default=[], metavar="PLACE", help="and what of it not")
    if "--" not in words or words[-1] == "--":
        parser.error("write the command behind --")
    options = parser.parse_args(words[: words.index("--")])
    command = words[words.index("--") + 1 :]
    try:
        now = digest([place.resolve() for place in options.of], [place.resolve() for place in options.but])
    except FileNotFoundError as error:
        print(f"error: {error} is not there; name what the tests can read", file=sys.stderr)
        return 2
    note = FOLDER / hashlib.sha256(json.dumps(command).encode()).hexdigest()[:16]
    if "CI" not in os.environ and note.is_file() and note.read_text(encoding="utf-8") == now:
        print(f"passed before, and nothing has changed since: {' '.join(command)}")
        return 0
    status = subprocess.run(command, check=False).returncode
    if status == 0:
        with contextlib.suppress(OSError):
            FOLDER.mkdir(parents=True, exist_ok=True)
            note.write_text(now, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())

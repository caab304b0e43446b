"""How a claim or a file of claims is refused: in one line that names the file.

Main definitions: `ClaimError`, `TakenError`; `does_not_load`, for a file that raises; `relative`, its short name;
`printable`, a text that no terminal obeys.
"""

from __future__ import annotations

import difflib
import re
import sys
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def printable(text: str) -> str:
    """`text` with its control characters spelled out, so that no terminal obeys them."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class ClaimError(Exception):
    """A claim cannot be accepted; the message names the file, the claim and what to write."""

    def __init__(self, message: str) -> None:
        super().__init__("\n".join(map(printable, message.split("\n"))))


class TakenError(ClaimError):
    """Two claims have one id, so that it says of neither which it is."""


def relative(file: Path) -> str:
    """`file` as a user would type it: below the checkout without the checkout's own path."""
    path = file.resolve()
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def _nearest(error: BaseException) -> str:
    """What a name that a module does not have may be a slip of: the nearest of those that the module lists."""
    name = re.match(r"cannot import name '(\w+)'", str(error)) if isinstance(error, ImportError) else None
    known = getattr(sys.modules.get(getattr(error, "name", None) or ""), "__all__", ())
    close = difflib.get_close_matches(name[1], known) if name else []
    return f"; nearest: {', '.join(close)}" if close else ""


def does_not_load(path: Path, error: BaseException) -> ClaimError:
    """The refusal of a file that raises `error` when it is run, with its own line, or that of what it imports."""
    told = f"does not load: {type(error).__name__}: {(str(error).splitlines() or [''])[0]}{_nearest(error)}"
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename) == path:
        return ClaimError(f"{relative(path)}:{error.lineno}: {told}")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).is_file()]
    mine = [frame for frame in frames if Path(frame.filename) == path]
    if mine or not frames:
        return ClaimError(f"{relative(path)}{f':{mine[-1].lineno}' if mine else ''}: {told}")
    # The package around it does not load, and no line of the file was run.
    place = f"{relative(Path(frames[-1].filename))}:{frames[-1].lineno}"
    return ClaimError(f"{place}: {told}, so the claims of {relative(path)} are missing")

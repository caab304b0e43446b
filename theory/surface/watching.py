"""How far a claim has come, for who judges it from Python: in place in a terminal, below the cell of a notebook.

Main definition: `shown`, a context; elsewhere, as in a script whose output is kept, nothing is said.
"""

from __future__ import annotations

import html
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from theory.core import progress
from theory.core.progress import Progress

# Seconds between what is shown, and before anything is: what is quick needs no bar.
EVERY = 0.3

# Characters that a notebook has room for.
COLUMNS = 110


@contextmanager
def shown() -> Iterator[None]:
    """Show progress where somebody watches; who listens already goes on listening."""
    show = _in_notebook() or _in_terminal()
    if show is None or progress.is_heard():
        yield
        return
    last = [time.perf_counter()]

    def listener(now_at: Progress) -> None:
        now = time.perf_counter()
        if now - last[0] > EVERY:
            last[0] = now
            show(now_at)

    progress.listen(listener)
    try:
        yield
    finally:
        progress.listen(None)
        show(None)


def _in_terminal() -> Callable[[Progress | None], None] | None:
    """What draws a bar on the terminal, and takes it away; nothing where there is none."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    columns = shutil.get_terminal_size().columns - 1

    def show(now_at: Progress | None) -> None:
        print(f"\r\x1b[K{now_at.drawn(columns) if now_at else ''}", end="", file=sys.stderr, flush=True)

    return show


def _in_notebook() -> Callable[[Progress | None], None] | None:
    """What draws a bar below the cell that is running; nothing where no notebook runs."""
    shell: Any = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    if running is None or getattr(running, "kernel", None) is None:
        return None
    display: Any = shell.display
    place: list[Any] = []

    def show(now_at: Progress | None) -> None:
        made = display.HTML(f"<pre>{html.escape(now_at.drawn(COLUMNS))}</pre>" if now_at else "")
        if place:
            place[0].update(made)
        elif now_at is not None:
            place.append(display.display(made, display_id=True))

    return show

"""Where long work says how far it has come; silent until the terminal surface installs a listener."""

from __future__ import annotations

from collections.abc import Callable

_listeners: list[Callable[[str], None]] = []


def listen(listener: Callable[[str], None] | None) -> None:
    """Send progress to `listener`, or to nobody."""
    _listeners.clear()
    if listener is not None:
        _listeners.append(listener)


def report(text: str) -> None:
    """Say how far the work has come."""
    for listener in _listeners:
        listener(text)

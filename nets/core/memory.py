"""The memory that arrays may take, asked before they are allocated.

An operating system that promises more than it has ends a process in the midst of filling an array, without a word.
"""

import functools
import math
import os
import sys
from collections.abc import Callable
from pathlib import Path

# Where a control group of this process states its limit: the controller's name in /proc/self/cgroup (empty for
# version 2), the folder in which the groups stand, and the file.
_GROUPS = {"": ("", "memory.max"), "memory": ("memory", "memory.limit_in_bytes")}


class NotEnoughMemoryError(MemoryError):
    """Arrays that would not fit in memory; the message is one line that says what they would take."""


@functools.cache
def memory_limit() -> float:
    """Bytes that this process may take: those of the machine or of its control group, infinite if neither is known."""
    limits = [*_limits_of_groups(Path("/proc/self/cgroup"), Path("/sys/fs/cgroup"))]
    if hasattr(os, "sysconf") and {"SC_PAGE_SIZE", "SC_PHYS_PAGES"} <= set(os.sysconf_names):
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    return min((limit for limit in limits if limit > 0), default=math.inf)


def _limits_of_groups(listed: Path, root: Path) -> list[int]:
    """The limits of the control groups listed in a file, and of all groups above them, in bytes."""
    found = []
    try:
        lines = listed.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    for line in lines:
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        for controller in set(controllers.split(",")) & set(_GROUPS):
            folder, file = _GROUPS[controller]
            group = Path(path.lstrip("/"))
            # In a container the group may be listed by its path outside, and stand at the root inside.
            for place in (group, *group.parents):
                try:
                    found.append(int((root / folder / place / file).read_text(encoding="ascii")))
                except (OSError, ValueError):  # no such group, or "max"
                    continue
    return found


def require(entries: float, what: Callable[[], str]) -> None:
    """Raise `NotEnoughMemoryError` if so many float64 entries would not fit; `what()` names the arrays."""
    needed, limit = 8 * entries, memory_limit()
    if not needed <= limit:
        raise NotEnoughMemoryError(
            f"{what()} would take {_size(needed)}, and there are {_size(limit)} of memory: take smaller sizes"
        )


def _size(count: float) -> str:
    """A number of bytes, readable."""
    unit, scale = next((pair for pair in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)) if count >= pair[1]), ("bytes", 1.0))
    return f"{count / scale:.3g} {unit}"


def refuse_beyond_limit() -> Callable[[], None]:
    """Let every allocation that takes this process or one it starts beyond `memory_limit` fail with MemoryError.

    Returns what takes that back. On systems other than Linux nothing is done.
    """
    limit = memory_limit()
    if sys.platform != "linux" or math.isinf(limit):
        return lambda: None
    import resource

    before, most = resource.getrlimit(resource.RLIMIT_DATA)
    lower = int(limit) if before == resource.RLIM_INFINITY else min(before, int(limit))
    resource.setrlimit(resource.RLIMIT_DATA, (lower, most))
    return lambda: resource.setrlimit(resource.RLIMIT_DATA, (before, most))

"""Numbers that are known as intervals.

Main definition: `Ends`.
"""

from typing import NamedTuple

from nets.core.arrays import Array


class Ends(NamedTuple):
    """Bounds on numbers that are known as intervals, equal where they are known exactly: (k,) each."""

    low: Array
    high: Array

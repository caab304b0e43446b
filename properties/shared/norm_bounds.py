"""Operator norms of many products, enclosed.

Main definition: `Norms`.
"""

from __future__ import annotations

from typing import NamedTuple

from nets.arrays import Array


class Norms(NamedTuple):
    """Bounds on the operator norms of the products of at least two layers, over samples and l1 < l2: (k,) each."""

    low: Array
    high: Array

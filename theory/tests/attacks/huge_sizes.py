"""Sizes beyond the doubles, along which a trend would be read."""

from __future__ import annotations

import math

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:huge-sizes",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="2*log(m)",
    regime=Regime(cells=[{"m": 4}, {"m": 10**400}, {"m": 10**500}]),
    evidence=Search(examples=5),
    controls=[control("a third", bound="log(m)/3")],
)
def measured(m: int) -> float:
    """The size of its number."""
    return math.log(m)

"""A function that does not come back from compiled code."""

from __future__ import annotations

import itertools

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:endless-in-c",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[{"m": 4}, {"m": 8}]),
    evidence=Search(examples=5),
    controls=[control("a tenth", bound="m/10")],
)
def measured(m: int) -> float:
    """A half, of the smaller size."""
    if m > 4:
        sum(itertools.repeat(1))
    return 0.5

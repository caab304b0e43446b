"""A size that is no number."""

from __future__ import annotations

import math

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:no-size",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[{"m": math.nan}]),
    evidence=Search(examples=5),
    controls=[control("a tenth", bound="m/10")],
)
def measured(m: float) -> float:
    """A half."""
    return 0.5

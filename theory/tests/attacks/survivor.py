"""A control that no one can refute."""

from __future__ import annotations

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:survivor",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[{"m": 4}]),
    evidence=Search(examples=5),
    controls=[control("ten times", bound="10*m")],
)
def measured(m: int) -> float:
    """A half of the size."""
    return m / 2

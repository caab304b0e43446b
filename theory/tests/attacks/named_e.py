"""A symbol that formulas read as a number."""

from __future__ import annotations

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:named-e",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="E*m",
    regime=Regime(cells=[{"m": 4, "E": 100}]),
    evidence=Search(examples=5),
    controls=[control("a tenth", bound="m/10")],
)
def measured(m: int) -> float:
    """A half."""
    return 0.5

"""A size between two."""

from __future__ import annotations

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:half-size",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[{"m": 4.5}]),
    evidence=Search(examples=5),
    controls=[control("a tenth", bound="m/10")],
)
def measured(m: int) -> float:
    """A half of the size."""
    return m / 2

"""A number for a cell."""

from __future__ import annotations

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:no-cell",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[4]),  # type: ignore[list-item]
    evidence=Search(examples=5),
    controls=[control("a tenth", bound="m/10")],
)
def measured(m: int) -> float:
    """A half of the size."""
    return m / 2

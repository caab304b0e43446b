"""The size of the cell is measured anew, and the bound would be judged at that."""

from __future__ import annotations

from theory.claims import Measured, Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:replaced-symbol",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[{"m": 4}]),
    evidence=Search(examples=5),
    controls=[control("a tenth", bound="m/10")],
)
def measured(m: int) -> Measured:
    """A number above the size."""
    return Measured(99.0, symbols={"m": 1000})

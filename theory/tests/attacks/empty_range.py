"""A range that ends before it begins."""

from __future__ import annotations

from theory.claims import Regime, claim, control, reals
from theory.evidence import Search


@claim(
    "toy:empty-range",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[{"m": 4}], draw={"phi": reals(2, 1)}),
    evidence=Search(examples=5),
    controls=[control("a tenth", bound="m/10")],
)
def measured(m: int) -> float:
    """A half of the size."""
    return m / 2

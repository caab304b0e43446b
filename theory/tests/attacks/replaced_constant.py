"""A constant of the block is measured."""

from __future__ import annotations

from theory.claims import Measured, Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:replaced-constant",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="C*m",
    regime=Regime(cells=[{"m": 4}]),
    evidence=Search(examples=5),
    controls=[control("a tenth", bound="m/5")],
    constants={"C": (2, "chosen")},
)
def measured(m: int) -> Measured:
    """A number above the bound."""
    return Measured(99.0, symbols={"C": 100})

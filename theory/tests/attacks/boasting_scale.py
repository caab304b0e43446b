"""An equality that is off by a tenth, of terms that are said to be large."""

from __future__ import annotations

from theory.claims import Measured, Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:boasting-scale",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[{"m": 4}]),
    evidence=Search(examples=5),
    controls=[control("twice", bound="2*m")],
    sense="=",
)
def measured(m: int) -> Measured:
    """A number beside the size."""
    return Measured(4.4, error=1.0, scale=1e12)

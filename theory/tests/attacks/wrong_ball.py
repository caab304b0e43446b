"""A ball beside a number that is none of its points."""

from __future__ import annotations

import flint

from theory.claims import Measured, Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:wrong-ball",
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
    """A half, said to be a hundred."""
    return Measured(0.5, ball=lambda: flint.arb(100))

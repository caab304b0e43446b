"""A claim that is false, with a control that is caught."""

from __future__ import annotations

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:false-claim",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[{"m": 4}]),
    evidence=Search(examples=5),
    controls=[control("a tenth", bound="m/10")],
)
def measured(m: int) -> float:
    """Twice the size."""
    return 2.0 * m

"""A lower bound that is 0 as a double, and nothing measured."""

from __future__ import annotations

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:lost-bound",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="exp(-m)",
    regime=Regime(cells=[{"m": 800}]),
    evidence=Search(examples=5),
    controls=[control("one", bound="1 + exp(-m)")],
    sense=">=",
)
def measured(m: int) -> float:
    """Nothing."""
    return 0.0

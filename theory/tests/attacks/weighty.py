"""A claim that asks for all of the budget."""

from __future__ import annotations

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(  # type: ignore[call-arg]
    "toy:weighty",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[{"m": 4}]),
    evidence=Search(examples=5),
    controls=[control("a tenth", bound="m/10")],
    weight=1e308,
)
def measured(m: int) -> float:
    """A half of the size."""
    return m / 2

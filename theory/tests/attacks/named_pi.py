"""A measured symbol with the name of a number."""

from __future__ import annotations

from theory.claims import Measured, Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:named-pi",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="pi",
    regime=Regime(cells=[{"m": 4}]),
    evidence=Search(examples=5),
    controls=[control("a tenth", bound="pi/10")],
    measured=["pi"],
)
def measured(m: int) -> Measured:
    """A size."""
    return Measured(3.0, symbols={"pi": 1})

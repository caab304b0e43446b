"""A derived symbol that is measured otherwise."""

from __future__ import annotations

from theory.claims import Measured, Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:replaced-derived",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="k",
    regime=Regime(cells=[{"m": 4}], derived={"k": lambda m: 2 * m}),
    evidence=Search(examples=5),
    controls=[control("a tenth", bound="k/10")],
)
def measured(m: int) -> Measured:
    """A size."""
    return Measured(99.0, symbols={"k": 1000})

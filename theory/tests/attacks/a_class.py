"""A class for a function."""

from __future__ import annotations

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:a-class",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[{"m": 4}]),
    evidence=Search(examples=5),
    controls=[control("a tenth", bound="m/10")],
)
class Measures:
    """A half of the size."""

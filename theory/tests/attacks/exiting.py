"""A function that ends the process."""

from __future__ import annotations

import os

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:exiting",
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
    """Nothing."""
    os._exit(0)

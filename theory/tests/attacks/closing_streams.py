"""A function that closes the streams of its process."""

from __future__ import annotations

import sys

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:closing-streams",
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
    """A half, in silence."""
    sys.stdout.close()
    sys.stderr.close()
    return 0.5

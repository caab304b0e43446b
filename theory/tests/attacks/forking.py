"""A function whose child goes on as if it were the run."""

from __future__ import annotations

import os

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:forking",
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
    """A half, in both processes."""
    if os.fork():
        os.wait()
    return 0.5

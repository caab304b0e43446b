"""A function that empties what the run needs of the process."""

from __future__ import annotations

import os
import sys

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:emptying",
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
    """A half."""
    os.environ.clear()
    sys.path.clear()
    os.chdir("/")
    return 0.5

"""Another count of numbers than the block says."""

from __future__ import annotations

import numpy as np

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:other-count",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[{"m": 4}]),
    evidence=Search(examples=5),
    controls=[control("a tenth", bound="m/10")],
    entries="m",
)
def measured(m: int) -> np.ndarray:
    """A size."""
    return np.full(3, 0.5)

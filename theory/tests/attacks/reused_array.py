"""One array for all numbers."""

from __future__ import annotations

import numpy as np

from theory.claims import Regime, claim, control
from theory.evidence import Trials

ONE = np.zeros(1)


@claim(
    "toy:reused-array",
    title="a size",
    kind="probability",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[{"m": 4}, {"m": 64}]),
    evidence=Trials(rate=0.1),
    controls=[control("a tenth", bound="m/10")],
)
def measured(rng: np.random.Generator, m: int) -> np.ndarray:
    """A share of the size."""
    ONE[0] = m * rng.random()
    return ONE

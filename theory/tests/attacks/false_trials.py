"""A claim that fails in half of all trials."""

from __future__ import annotations

import numpy as np

from theory.claims import Regime, claim, control
from theory.evidence import Trials


@claim(
    "toy:false-trials",
    title="a size",
    kind="probability",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[{"m": 4}]),
    evidence=Trials(rate=0.1),
    controls=[control("a tenth", bound="m/10")],
)
def measured(rng: np.random.Generator, m: int) -> float:
    """Up to twice the size."""
    return 2.0 * m * float(rng.random())

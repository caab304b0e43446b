"""A rate that is no number."""

from __future__ import annotations

import math

import numpy as np

from theory.claims import Regime, claim, control
from theory.evidence import Trials


@claim(
    "toy:no-rate",
    title="a size",
    kind="probability",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[{"m": 4}]),
    evidence=Trials(rate=math.nan),
    controls=[control("a tenth", bound="m/10")],
)
def measured(rng: np.random.Generator, m: int) -> float:
    """A size."""
    return float(rng.random())

"""Trials that seed the global generators of their worker, and draw with their own."""

from __future__ import annotations

import random

import numpy as np

from theory.claims import Regime, claim, control
from theory.evidence import Trials


@claim(
    "toy:seeding-trials",
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
    """Up to the size."""
    random.seed(0)
    np.random.seed(0)
    return m * float(rng.random())

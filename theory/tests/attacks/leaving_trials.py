"""Trials that ask the interpreter to end."""

from __future__ import annotations

import sys

import numpy as np

from theory.claims import Regime, claim, control
from theory.evidence import Trials


@claim(
    "toy:leaving-trials",
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
    """Nothing."""
    sys.exit(0)

"""Trials one of which ends the process."""

from __future__ import annotations

import os

import numpy as np

from theory.claims import Regime, claim, control
from theory.evidence import Trials


@claim(
    "toy:exiting-trials",
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
    """Up to the size, but for one."""
    drawn = float(rng.random())
    if drawn < 0.2:
        os._exit(0)
    return m * drawn

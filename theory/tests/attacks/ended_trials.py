"""Trials one of which ends its process by the C library, which no hook of Python sees."""

from __future__ import annotations

import ctypes

import numpy as np

from theory.claims import Regime, claim, control
from theory.evidence import Trials


@claim(
    "toy:ended-trials",
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
        ctypes.CDLL(None)._exit(3)
    return m * drawn

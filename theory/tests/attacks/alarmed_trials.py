"""Trials that set an alarm, which nobody waits for in a worker."""

from __future__ import annotations

import signal
import time

import numpy as np

from theory.claims import Regime, claim, control
from theory.evidence import Trials


@claim(
    "toy:alarmed-trials",
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
    """Up to the size, after the alarm."""
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    time.sleep(1.0)
    return m * float(rng.random())

"""A function that sets an alarm."""

from __future__ import annotations

import signal
import time

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:own-alarm",
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
    """A half, after the alarm."""
    signal.alarm(1)
    time.sleep(3.0)
    return 0.5

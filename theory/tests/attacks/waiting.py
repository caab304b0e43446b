"""A function that does not heed the alarm of its time limit, and waits."""

from __future__ import annotations

import signal
import time

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:waiting",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[{"m": 4}, {"m": 8}]),
    evidence=Search(examples=5),
    controls=[control("a tenth", bound="m/10")],
)
def measured(m: int) -> float:
    """A half, of the smaller size."""
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    while m > 4:
        time.sleep(10_000.0)
    return 0.5

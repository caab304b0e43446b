"""A function that blocks the alarm of its time limit, and goes on."""

from __future__ import annotations

import signal

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:blocked-alarm",
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
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    while m > 4:
        pass
    return 0.5

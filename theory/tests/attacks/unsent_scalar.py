"""Trials that return a number which no other process can read."""

from __future__ import annotations

import threading

import numpy as np

from theory.claims import Regime, claim, control
from theory.evidence import Trials


class Locked(float):
    """A number with a lock."""

    def __init__(self, number: float) -> None:
        self.lock = threading.Lock()


@claim(
    "toy:unsent-scalar",
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
    return Locked(m * rng.random())

"""Trials that raise what no other process can read."""

from __future__ import annotations

import threading

import numpy as np

from theory.claims import Regime, claim, control
from theory.evidence import Trials


class UnsentError(Exception):
    """It is made of two things, of which one stays in its process."""

    def __init__(self, number: float, lock: object) -> None:
        super().__init__(f"{number:g} with a lock")
        self.lock = lock


@claim(
    "toy:unsent-error",
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
    raise UnsentError(m, threading.Lock())

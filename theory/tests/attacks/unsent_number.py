"""Trials that return what no other process can read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from theory.claims import Regime, claim, control
from theory.evidence import Trials


@claim(
    "toy:unsent-number",
    title="a size",
    kind="probability",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[{"m": 4}]),
    evidence=Trials(rate=0.1),
    controls=[control("a tenth", bound="m/10")],
)
def measured(rng: np.random.Generator, m: int) -> Callable[[], float]:
    """A function for a number."""
    return lambda: m * float(rng.random())

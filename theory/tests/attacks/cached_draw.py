"""A draw that is kept."""

from __future__ import annotations

import numpy as np

from theory.claims import Regime, claim, control
from theory.evidence import Trials

KEPT: list[float] = []


@claim(
    "toy:cached-draw",
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
    """The first draw of all."""
    if not KEPT:
        KEPT.append(float(rng.random()))
    return KEPT[0]

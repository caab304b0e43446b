"""A function that sets seeds and settings of numpy."""

from __future__ import annotations

import numpy as np

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:seeding",
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
    """A half."""
    np.random.seed(0)
    np.seterr(all="raise")
    return 0.5

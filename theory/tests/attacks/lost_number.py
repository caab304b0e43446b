"""A number above its bound, both of which doubles lose."""

from __future__ import annotations

import numpy as np

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:lost-number",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="exp(-m)",
    regime=Regime(cells=[{"m": 800}]),
    evidence=Search(examples=5),
    controls=[control("minus one", bound="exp(-m) - 1")],
)
def measured(m: int) -> float:
    """A size."""
    return float(np.exp(1.0 - m))

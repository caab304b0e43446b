"""One draw in all trials, whose last digit moves."""

from __future__ import annotations

import numpy as np

from theory.claims import Regime, claim, control
from theory.evidence import Trials


@claim(
    "toy:jittered-trial",
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
    """A size."""
    return float(np.random.default_rng(0).random()) + 1e-15 * float(rng.random())

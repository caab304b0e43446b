"""Trials that leave a thread running in their worker."""

from __future__ import annotations

import threading
import time

import numpy as np

from theory.claims import Regime, claim, control
from theory.evidence import Trials


@claim(
    "toy:unwoven-trials",
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
    """Up to the size, and a thread."""
    threading.Thread(target=time.sleep, args=(60.0,), daemon=True).start()
    return m * float(rng.random())

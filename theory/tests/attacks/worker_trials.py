"""Trials that change what their worker needs: its depth of calls, folder, environment and path of modules."""

from __future__ import annotations

import os
import sys

import numpy as np

from theory.claims import Regime, claim, control
from theory.evidence import Trials


@claim(
    "toy:worker-trials",
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
    sys.setrecursionlimit(150)
    os.chdir("/")
    os.environ.clear()
    sys.path.clear()
    return m * float(rng.random())

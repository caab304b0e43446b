"""Trials whose children go on as if they were the worker."""

from __future__ import annotations

import os
import warnings

import numpy as np

from theory.claims import Regime, claim, control
from theory.evidence import Trials


@claim(
    "toy:forking-trials",
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
    """Up to the size, in both processes."""
    with warnings.catch_warnings():
        # From Python 3.12 on: a process with threads that forks.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child:
        os.waitpid(child, 0)
    return m * float(rng.random())

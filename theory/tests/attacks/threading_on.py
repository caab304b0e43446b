"""A function that leaves a thread running."""

from __future__ import annotations

import threading
import time

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:threading-on",
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
    threading.Thread(target=time.sleep, args=(8.0,), daemon=True).start()
    return 0.5

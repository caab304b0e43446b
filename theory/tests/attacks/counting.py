"""A function that is none: it counts its calls."""

from __future__ import annotations

from theory.claims import Regime, claim, control
from theory.evidence import Search

CALLS: list[int] = []


@claim(
    "toy:counting",
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
    """How often it was called."""
    CALLS.append(m)
    return 1.0 + 0.01 * len(CALLS)

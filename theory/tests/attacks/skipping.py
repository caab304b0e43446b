"""A function that skips itself."""

from __future__ import annotations

import pytest

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:skipping",
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
    """Nothing."""
    pytest.skip("not now")

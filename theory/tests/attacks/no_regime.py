"""A dictionary for a regime."""

from __future__ import annotations

from theory.claims import claim, control
from theory.evidence import Search


@claim(
    "toy:no-regime",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="m",
    regime={"m": 4},  # type: ignore[arg-type]
    evidence=Search(examples=5),
    controls=[control("a tenth", bound="m/10")],
)
def measured(m: int) -> float:
    """A half of the size."""
    return m / 2

"""A title with letters that the font of a picture lacks."""

from __future__ import annotations

from theory.claims import Regime, claim, control
from theory.evidence import Search


@claim(
    "toy:emoji-title",
    title="宽度 😀",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[{"m": m, "phi": 0.5} for m in (4, 8, 16)]),
    evidence=Search(examples=5),
    controls=[control("a tenth", bound="m/10")],
)
def measured(m: int, phi: float) -> float:
    """A share of the size."""
    return phi * m

"""A proof without steps."""

from __future__ import annotations

from theory.claims import Regime, claim, control
from theory.evidence import Proof, Step


@claim(
    "toy:no-steps",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[{"m": 4}]),
    evidence=Proof(),
    controls=[control("a tenth", bound="m/10")],
)
def steps(bound: object, m: int) -> list[Step]:
    """Words."""
    return ["it is so", m]  # type: ignore[list-item]

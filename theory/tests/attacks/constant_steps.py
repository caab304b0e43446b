"""Steps that look at no bound."""

from __future__ import annotations

from theory.claims import Regime, claim, control
from theory.evidence import Proof, Step


@claim(
    "toy:constant-steps",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[{"m": 4}]),
    evidence=Proof(),
    controls=[control("not so", shown=False)],
)
def steps(bound: object, m: int, *, shown: bool = True) -> list[Step]:
    """What is said to be so."""
    return [Step("it is so", shown)]

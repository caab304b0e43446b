"""A comparison of two balls that overlap, taken for an answer."""

from __future__ import annotations

import flint

from bounds.bound import Bound
from theory.claims import Regime, claim, control
from theory.evidence import Proof, Step


@claim(
    "toy:overlapping-balls",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="sqrt(m)**2",
    regime=Regime(cells=[{"m": 2}]),
    evidence=Proof(),
    controls=[control("a tenth", bound="m/10")],
)
def steps(bound: Bound, m: int) -> list[Step]:
    """The size against itself, in balls."""
    return [Step("no more than the bound", bool(flint.arb(m).sqrt() ** 2 <= bound.ball(m=m)))]

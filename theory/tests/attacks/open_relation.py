"""A relation between symbols, taken for an answer."""

from __future__ import annotations

from bounds.bound import Bound
from bounds.symbols import symbol
from theory.claims import Regime, claim, control
from theory.evidence import Proof, Step


@claim(
    "toy:open-relation",
    title="a size",
    kind="deterministic",
    theme="activation",
    source="Section 1",
    bound="m",
    regime=Regime(cells=[{"m": 4}]),
    evidence=Proof(),
    controls=[control("a tenth", bound="m/10")],
)
def steps(bound: Bound, m: int) -> list[Step]:
    """The size against another one."""
    return [Step("no more than the bound", bool(symbol("n") <= bound.expr))]

"""The vocabulary of claim blocks: what a claim file imports to state a lemma and where it is tested."""

from theory.claims.block import Control, Plan
from theory.claims.declaration import claim, control, form
from theory.claims.regime import Cell, Regime, choices, grid, reals
from theory.core.measured import UNIT_ROUNDOFF, Measured, Walk, rounding
from theory.core.verdict import Verdict

__all__ = [
    "UNIT_ROUNDOFF",
    "Cell",
    "Control",
    "Measured",
    "Plan",
    "Regime",
    "Verdict",
    "Walk",
    "choices",
    "claim",
    "control",
    "form",
    "grid",
    "reals",
    "rounding",
]

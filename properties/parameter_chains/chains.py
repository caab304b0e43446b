"""Parameter chains of zou2018 as steps of a proof: radius, step size and total step, and what they imply.

Main definitions: `RADIUS`, `STEP`, `WIDTHS`, `SMALL`; `stays`, the condition that the weights stay in the region;
`implies` and `equivalent`, decided by `bounds.chain`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from bounds import zou2018 as sheet
from bounds.bound import Bound
from bounds.chain import ABOVE_HALF, AT_HALF, BELOW_HALF, Range, Relation, decide
from bounds.symbols import symbol
from theory.evidence import Step

#: The radius and the step size that the proofs set, with all factors but absolute constants.
RADIUS: sp.Expr = sheet.eq_C_7_premises[0].larger.expr
STEP: sp.Expr = sheet.eq_C_7_premises[1].larger.expr
STOCHASTIC_STEP: sp.Expr = STEP * symbol("B") / symbol("n")

WIDTHS = sheet.assumption_3_7
SMALL = symbol("eps") <= 1
BELOW_ONE_IN_N = symbol("n") * symbol("eps") <= 1

#: The cases that the theorems tell apart.
LOSSES: Mapping[str, Range] = {"p < 1/2": BELOW_HALF, "p = 1/2": AT_HALF, "p > 1/2": ABOVE_HALF}


def stays(total: Bound) -> sp.Rel:
    """K eta <= T = tau/(4^L sqrt(M) rho) of Lemma 5.5, for a total step K eta of this order."""
    return sheet.lemma_5_5_premises[0].relation.subs(symbol("eta"), total.expr / symbol("k"))


def implies(what: str, given: Sequence[Relation], target: Relation, **setting: Any) -> Step:
    """The step that the conditions imply the target, up to constants and logarithms."""
    result = decide(target, given=given, what=what, **setting)
    return Step(str(result), result.holds)


def equivalent(
    names: tuple[str, str], one: Relation, other: Relation, given: Sequence[Relation] = (), **setting: Any
) -> list[Step]:
    """The two steps that relations called `names` imply each other: the exponents are sharp."""
    return [
        implies(f"{names[0]} gives {names[1]}", [*given, one], other, **setting),
        implies(f"{names[1]} asks for {names[0]}", [*given, other], one, **setting),
    ]

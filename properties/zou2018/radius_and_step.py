"""The radius, the step sizes and the widths that the proofs of zou2018 set, and the condition that weights stay near.

Main definitions: `PROOF_RADIUS`, `PROOF_STEP`, `STOCHASTIC_PROOF_STEP`, `PROOF_WIDTH`, `EPS_AT_MOST_ONE`,
`LOSS_EXPONENTS`; `stays`.
"""

from collections.abc import Mapping

import sympy as sp

from bounds import Bound, symbol
from bounds.decisions.chain import ABOVE_HALF, AT_HALF, BELOW_HALF, Range
from bounds.papers import zou2018 as sheet

#: The radius and the step size that the proofs set, with all factors but absolute constants.
PROOF_RADIUS: sp.Expr = sheet.eq_C_7_radius.larger.expr
PROOF_STEP: sp.Expr = sheet.eq_C_7_step.larger.expr
STOCHASTIC_PROOF_STEP: sp.Expr = PROOF_STEP * symbol("B") / symbol("n")

PROOF_WIDTH = sheet.assumption_3_7
EPS_AT_MOST_ONE = symbol("eps") <= 1
BELOW_ONE_IN_N = symbol("n") * symbol("eps") <= 1

#: The cases that the theorems tell apart.
LOSS_EXPONENTS: Mapping[str, Range] = {"p < 1/2": BELOW_HALF, "p = 1/2": AT_HALF, "p > 1/2": ABOVE_HALF}


def stays(total: Bound) -> sp.Rel:
    """K eta <= T = tau/(4^L sqrt(M) rho) of Lemma 5.5, for a total step K eta of this order."""
    return sheet.lemma_5_5_radius.relation.subs(symbol("eta"), total.expr / symbol("k"))

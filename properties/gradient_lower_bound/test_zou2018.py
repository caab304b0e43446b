"""zou2018, Lemmas A.11 and B.5: gated sums of separated points are not small, and so neither is the gradient.

Main claims: `printed_probability` (Lemma A.11, an erratum) with `hexagon_vanishes`, its exact counterexample, and
`corrected_probability`; `last_layer_gradient` (Lemma B.5) with `one_hidden_layer`, where that one fails as printed.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import sympy
from hypothesis import strategies as st

from bounds import zou2018 as sheet
from bounds.bound import Bound, certainly_le
from bounds.formula import formula
from bounds.symbols import symbol
from nets.data import DataSource
from nets.forward import forward
from nets.gradients import loss_gradient, output_gradient
from nets.losses import HUBERISED_HINGE, LOGISTIC
from nets.network import he_network, perturbed
from nets.operators import gated_gram
from nets.points import hexagon_alternating
from nets.sphere import normalise_rows
from properties.gradient_lower_bound.measurements import (
    Array,
    agree,
    exceedance,
    fan,
    gate_cells,
    signed_separation,
    training_points,
    with_antipodes,
)
from theory.claim import claim, control
from theory.evidence import Proof, Scaling, Search, Step, Trials
from theory.measured import Measured, rounding
from theory.regime import Regime, grid
from theory.verdict import Verdict

# --- Lemma A.11: gated sums ------------------------------------------------------------------------------------------

SHAPES = {
    "tilt": st.floats(0.02, 1.2),
    "share": st.floats(0.0, 2.0),
    "gap": st.floats(0.01, 1.0),
    "noise": st.floats(0.0, 0.5),
    "paired": st.integers(0, 1),
}
HEXAGON = {"tilt": math.pi / 3.0, "share": 2.0, "gap": 0.0, "noise": 0.0, "paired": 1, "trial": 0}
NEAR_ANTIPODAL = {"tilt": 0.2, "share": 0.95, "gap": 0.01, "noise": 0.0, "paired": 1, "trial": 0}
HALVES = {"tilt": 0.1, "share": 1.0, "gap": 0.01, "noise": 0.0, "paired": 0, "trial": 0}
SHAPES_ADVERSARY = (
    "a fan of points, with or without near antipodes, whose coefficients cancel but for one gate; all probabilities "
    "are exact measures of cells"
)


def _weighted_points(
    rng: np.random.Generator, n: int, d: int, tilt: float, share: float, gap: float, noise: float, paired: int
) -> tuple[Array, Array]:
    """Points (n, d) and coefficients (n,): 1 at the middle of a fan, and -share in all, evenly, at the others.

    With `paired` each has a partner at distance `gap` from its antipode, of the opposite coefficient: the two together
    contribute the same to the gated sum, but for weights between them.
    """
    k = (n + 1) // 2 if paired else n
    Z = fan(k, d, tilt, rng)
    a = np.concatenate([[1.0], np.full(k - 1, -share / max(1, k - 1))])
    if paired:
        Z, a = with_antipodes(Z, gap, rng)[:n], np.concatenate([a, -a])[:n]
    if noise > 0.0:
        Z = normalise_rows(Z + noise * rng.standard_normal(Z.shape))
        a = a * (1.0 + noise * rng.standard_normal(n))
    return Z, a


def _printed(
    rng: np.random.Generator, n: int, tilt: float, share: float, gap: float, noise: float, paired: int
) -> Measured:
    """P(||h|| >= max|a_i| phi/n) in the plane."""
    Z, a = _weighted_points(rng, n, 2, tilt, share, gap, noise, paired)
    found = exceedance(Z, a, 0.0, gate_cells(Z))
    level = sheet.lemma_A_11_threshold.evaluate({**found.symbols, "n": n})
    return exceedance(Z, a, float(level), gate_cells(Z))


@claim(
    "zou2018:lemma-A.11",
    bound=sheet.lemma_A_11,
    sense=">=",
    regime=Regime(cells=grid(n=6), draw=SHAPES, pinned=[HEXAGON]),
    measured=["phi", "phi_pm", "a"],
    evidence=Search(examples=40, adversary=SHAPES_ADVERSARY),
    controls=[
        control("constant a million times smaller", bound=formula("phi/n/10**6")),
        control("threshold a million times smaller", part=1e-6),
    ],
    expected=Verdict.REFUTED,
    note=(
        "erratum: at the corners of a regular hexagon with coefficients 1, -1, 1, ... round it (n = 6, d = 2, phi = 1) "
        "the gated sum is 0 for almost every w, so no constants help. No fewer points do this in any dimension: crossing "
        "the hyperplane of z adds or removes a_z z, so a sum that is almost everywhere 0 pairs every z of coefficient "
        "a_z with -z of coefficient -a_z, each pair contributes the constant a_z z, and for these to cancel three of "
        "them must be dependent, as two would be one line"
    ),
)
def printed_probability(
    rng: np.random.Generator,
    n: int,
    tilt: float,
    share: float,
    gap: float,
    noise: float,
    paired: int,
    *,
    part: float = 1.0,
) -> Measured:
    """P(||h|| >= part * max|a_i| phi/n) in the plane, the exact measure of the arcs on which the gated sum is long."""
    Z, a = _weighted_points(rng, n, 2, tilt, share, gap, noise, paired)
    return _exceeds_printed_level(Z, a, part)


def _exceeds_printed_level(Z: Array, a: Array, part: float) -> Measured:
    cells = gate_cells(Z)
    known = exceedance(Z, a, 0.0, cells).symbols
    return exceedance(Z, a, part * float(sheet.lemma_A_11_threshold.evaluate({**known, "n": len(Z)})), cells)

"""The numbers that the statements of zou2018 set for networks, from its sheet: what a claim builds is built up to them.

Main definitions: `LAYER_NORM`, `PERTURBED_NORM`, `OUTPUT_NORM`; `LEAST_OF_EQ_5_1`; `ONE_WIDTH`;
`region_radius`, `flip_threshold`, `small_count`.
"""

import math
from collections.abc import Callable, Mapping

from bounds.papers import zou2018 as sheet

#: Theorem 5.1(i): what the norm of a layer, and that of a layer's output, is at most at initialisation.
LAYER_NORM = float(sheet.theorem_5_1_i.evaluate({}))
OUTPUT_NORM = float(sheet.theorem_5_1_i_norm.evaluate({}))

#: Theorem 5.3(i): what the norm of a layer is at most after a perturbation.
PERTURBED_NORM = float(sheet.theorem_5_3_i.evaluate({}))


#: What (5.1) asks for at least, for `derived`: the threshold, one part in a thousand more, and the sparsity.
LEAST_OF_EQ_5_1: Mapping[str, Callable[..., float]] = {
    "beta_": lambda m, n, L, delta: 1.001 * math.log(n * L / delta) / m**1.5,
    "s": lambda n, L, delta: math.ceil(math.log(n * L**2 / delta)),
}


#: Of networks with layers of one width, for `least` and `most`: the largest width M is that width.
ONE_WIDTH: Mapping[str, str] = {"M": "m"}


def region_radius(L: int) -> float:
    """The largest radius of Lemmas C.2 to C.4, for L layers."""
    return float(sheet.lemma_C_2_radius.larger.evaluate({"L": L}))


def flip_threshold(m: int, L: int, tau: float) -> float:
    """The beta that the proof of Lemma B.3 takes at this radius."""
    return float(sheet.lemma_B_3_threshold.evaluate({"m": m, "L": L, "tau": tau}))


def small_count(m: int, beta_: float) -> float:
    """How many of m pre-activations may lie within `beta_` of zero, by Lemma A.7."""
    return float(sheet.lemma_A_7.evaluate({"m": m, "beta_": beta_}))

"""guo2024, Appendix B.3, proof of Lemma B.4: by how much the derivative of the activation changes where a gate flips.

Main claim: `size_of_the_jumps`.
"""

import numpy as np
from numpy.random import Generator

from properties.guo2024.layer_changes import attacked_layer, leaky_start
from properties.guo2024.slopes import SLOPES
from theory.claims import Measured, Regime, claim, control, grid, reals, rounding
from theory.evidence import Search


@claim(
    "guo2024:claim-Dprime-magnitude",
    bound="= (1 - slope)/sqrt(1 + slope**2)",
    premises="none needed: two values of the derivative, whatever made a gate flip",
    regime=Regime(
        cells=grid(m=32, L=2, slope=SLOPES), thorough=grid(m=128, L=3, slope=SLOPES), draw={"omega": reals(0.1, 1.0)}
    ),
    evidence=Search(examples=2, adversary="steps that flip the smallest pre-activations"),
    controls=[
        control("slope with the wrong sign", bound="(1 + slope)/sqrt(1 + slope**2)"),
        control("the jump of ReLU", bound="1"),
        control("divided by 1 + |slope|", bound="(1 - slope)/(1 + Abs(slope))"),
    ],
    note="that this number, kappa, is at most sqrt(2) is claim-derivative-gap",
)
def size_of_the_jumps(rng: Generator, m: int, L: int, slope: float, omega: float) -> Measured:
    """The sizes |D'_jj| that are not 0, D' = D - D^(0) of the last layer, for a step that flips some of its neurons."""
    net, x = leaky_start(rng, m, L, slope)
    jumps = np.abs(attacked_layer(rng, net, x, omega, "flips").jumps(L))
    return Measured(jumps[jumps > 0.0], error=rounding(2.0, 8))

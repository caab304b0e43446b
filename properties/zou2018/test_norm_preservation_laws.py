"""zou2018, Lemma A.1 in law: the squared norms of the layers of a network whose layers are stored or revealed.

Main claim: `squared_norms_of_the_layers`.
"""

import numpy as np
from numpy.random import Generator

from bounds.laws.layers import MaskedChiSquare
from nets import Array, forward, sphere
from properties.zou2018.initial_norms import KINDS, layer_ratios, network_of_kind
from theory.claims import Regime, claim, control, grid
from theory.evidence import Distribution


@claim(
    "zou2018:lemma-A.1-law",
    title="law of the squared norm that a layer makes of what enters it",
    bound="= 1",
    premises="none needed: given an output before it that is not zero, a layer has the exact law at every width",
    regime=Regime(cells=grid(m=256, d=8, L=3, kind=KINDS[:2])),
    evidence=Distribution(law=lambda m: MaskedChiSquare(m), trials=500),
    controls=[
        control("weight variance 2.2/m", gain=2.2),
        control("the norm itself", power=0.5),
        control(
            "ratio to the norm of the input of the network", entering=False, cells=grid(m=64, d=8, L=8, kind="stored")
        ),
    ],
    note="each layer of a network counts, as they are independent; stored, or revealed: drawn where they are looked at",
)
def squared_norms_of_the_layers(
    rng: Generator, m: int, d: int, L: int, kind: str, *, gain: float = 2.0, power: float = 1.0, entering: bool = True
) -> Array:
    """The ratio ||x_l||^2/||x_{l-1}||^2 of all layers at one input: (2/m) chi2_K in law, K ~ Binomial(m, 1/2)."""
    fwd = forward(network_of_kind(kind, (d, *[m] * L), rng, gain), sphere(1, d, rng))
    ratios = layer_ratios(fwd)[0]
    return np.asarray((ratios if entering else np.cumprod(ratios)) ** power)

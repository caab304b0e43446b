"""allenzhu2018rnn: the law of a Gaussian vector behind gates that another direction sets (Appendix A.3).

Main claim: `gated_norm` (Fact A.11), false where the direction of the gates is 0.
"""

import numpy as np
from numpy.random import Generator

from bounds.laws.layers import MaskedChiSquare
from nets.core.arrays import Array
from nets.networks.fresh import fresh_layer
from theory.claims import Measured, Regime, Verdict, claim, control, form, grid
from theory.evidence import Distribution

# Independent vectors in one trial.
REPEATS = 64

# What is added to h = e_1 to give the direction of the gates.
ADDED = {
    "nothing": (0.0, 0.0),
    "another": (0.3, -2.0),
    "reversed": (-2.0, 0.0),
    "orthogonal": (-1.0, 0.5),
    "almost its negative": (-1.0 - 1e-9, 0.0),
    "its negative": (-1.0, 0.0),
}


def _squared_norms(rng: Generator, m: int, added: str, gain: float) -> Array:
    """||v||^2/||h||^2 for v_i = 1[<W_i, h + q> >= 0] <W_i, h>, of independent W: (REPEATS,)."""
    h = np.array([1.0, 0.0])
    pre = fresh_layer(np.stack([h, h + ADDED[added]]), m * REPEATS, rng, gain * REPEATS)
    v = np.where(pre[1] >= 0.0, pre[0], 0.0).reshape(REPEATS, m)
    return np.asarray(np.sum(v**2, axis=1))


@claim(
    "allenzhu2018rnn:fact-A.11",
    bound="1",
    sense="=",
    premises="none needed: the printed form asks nothing of q",
    regime=Regime(cells=grid(m=[1, 6], added="its negative")),
    evidence=Distribution(law=lambda m: MaskedChiSquare(m), trials=40),
    expected=Verdict.REFUTED,
    controls=[control("weight variance 4/m", gain=4.0), control("twice the vector", times=2.0)],
    note="for q = -h all gates are open, as <W_i, 0> >= 0: m ||v||^2/(2 ||h||^2) is chi2_m, and v_i = 0 has the "
    "chance 0, not 1/2, from m = 1 on",
)
@form(
    "corrected",
    title="law of a gated Gaussian, for gates of a direction that is not 0",
    premises="none needed: every h other than 0 and every q other than -h",
    regime=Regime(cells=grid(m=[1, 6, 40], added=[name for name in ADDED if name != "its negative"])),
    controls=[
        control("weight variance 1/m", gain=1.0),
        control("weight variance 2.5/m", gain=2.5),
        control("the gates of -h, which are all open", cells=grid(m=6, added="its negative")),
        control("twice the vector", times=2.0),
    ],
    note="|<W_i, h>| is independent of the sign of <W_i, h + q>; h = e_1, five q; at m = 1 the law of |v_1|",
)
def gated_norm(rng: Generator, m: int, added: str, *, gain: float = 2.0, times: float = 1.0) -> Measured:
    """The ||v||^2/||h||^2, v_i = 1[<W_i, h + q> >= 0] <W_i, h>, W of N(0, 2/m): law (2/m) chi2_K, K bin(m, 1/2)."""
    return Measured(times**2 * _squared_norms(rng, m, added, gain))

"""allenzhu2018rnn, Claims B.12 and B.13: what products of layers do to a vector that does not look at W.

Main claims: `gated_image_with_inputs` and `gated_image_in_a_network` (Claim B.13, its exact law),
`fixed_vector_along_time` (Claim B.12).

Claim B.13 is false as printed where both vectors of its gate are zero: the gate is open then. A vector that looks at W
is no fixed vector, and grows at the first layer.
"""

import math

import numpy as np
from numpy.random import Generator
from scipy import special

from bounds.laws.layers import MaskedChiSquare
from bounds.papers import allenzhu2018rnn as sheet
from nets.networks.forward import forward
from properties.allenzhu2018rnn.products import VECTORS, drawn_network, fixed_vector, gates_multiplied, response
from properties.allenzhu2018rnn.sequences import sequences
from theory.claims import Measured, Regime, Verdict, claim, control, grid
from theory.evidence import Distribution, ExactLaw, Trials

LONG = grid(m=10**5, L=64)


def _least_delta(m: int, L: int) -> float:
    """The smallest failure probability that the width of Claim B.13 admits, rounded up."""
    return 1.0001 * math.exp(-m / (float(sheet.claim_B_13_width.constants["C"]) * L**2))


@claim(
    "allenzhu2018rnn:claim-B.13",
    bound=sheet.claim_B_13.reads("1 + 1/(2*L)"),
    premises=sheet.claim_B_13_width.reads("m >= C*L**2*log(1/delta)"),
    regime=Regime(cells=[*grid(m=500, L=[2, 8]), *LONG], derived={"delta": _least_delta}),
    evidence=ExactLaw(rate="delta"),
    expected=Verdict.REFUTED,
    controls=[
        control("1/(3 L)", bound="1 + 1/(3*L)", cells=grid(m=500, L=2)),
        control("variance 3/m", gain=3.0, cells=grid(m=500, L=2)),
    ],
    note="C = 11; x = 0 and y = 0 are admitted: the gate 1[0 >= 0] is open, and the norm is near sqrt(2)",
)
def gated_image_without_inputs(threshold: float, m: int, *, gain: float = 2.0) -> float:
    """The probability that ||1[M y + A x >= 0] M z|| > `threshold`, x = 0, y = 0, ||z|| = 1, M, A of N(0, 2/m)."""
    return float(special.gammaincc(0.5 * m, 0.5 * m * threshold**2 / gain))


@claim(
    "allenzhu2018rnn:claim-B.13-corrected",
    title="norm of a gated Gaussian image, where the gate has an input",
    bound=sheet.claim_B_13.reads("1 + 1/(2*L)"),
    premises=sheet.claim_B_13_width.reads("m >= C*L**2*log(1/delta)"),
    regime=Regime(
        cells=[*grid(m=[12, 500], L=1), *grid(m=[500, 10**4], L=8), *LONG, *grid(m=10**6, L=64)],
        derived={"delta": _least_delta},
    ),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("1/(3 L)", bound="1 + 1/(3*L)", cells=grid(m=10**4, L=8)),
        control("1/(2 L^2)", bound="1 + 1/(2*L**2)", cells=grid(m=10**4, L=8)),
        control("variance 2.2/m", gain=2.2, cells=LONG),
        control(
            "the chance exp(-m/(8 L^2))", cells=grid(m=4000, L=1, delta=math.exp(-500)), without=sheet.claim_B_13_width
        ),
    ],
    note="C = 11; M, A of N(0, 2/m), (x, y) not 0, y along z too: gates are fair coins, K binomial(m, 1/2)",
)
def gated_image_with_inputs(threshold: float, m: int, *, gain: float = 2.0) -> float:
    """The chance that ||1[M y + A x >= 0] M z||, the root of (2/m) chi2_K, is above `threshold`; ||z|| = 1."""
    return float(MaskedChiSquare(m, gain).sf(threshold**2))


@claim(
    "allenzhu2018rnn:claim-B.13-law",
    title="law of the norm of a gated Gaussian image",
    bound="= 1",
    premises="none needed: exact at every width, for inputs not all 0 and vectors that are not 0 and do not look at W",
    regime=Regime(cells=[{**grid(m=24, d=3)[0], "vector": name} for name in VECTORS], usual={"vector": "dense"}),
    evidence=Distribution(law=lambda m: MaskedChiSquare(m), trials=600),
    controls=[
        control("variance 1/m", gain=1.0),
        control("gate open, as for x = 0 and y = 0", opened=True),
        control("a vector that looks at W", looking=True),
    ],
)
def gated_image_in_a_network(
    rng: Generator, m: int, d: int, vector: str, *, gain: float = 2.0, opened: bool = False, looking: bool = False
) -> float:
    """The ratio ||D_2 W z||^2/||z||^2, by (2/m) chi2_K, K binomial(m, 1/2), z an axis, Gaussian, sparse or h_1."""
    z = np.zeros(m)
    # A first state of 0, which a few neurons may make, is no vector with an image.
    while not z.any():
        net = drawn_network(d, m, 2, rng, gain=gain)
        fwd = forward(net, sequences(1, 2, d, rng))
        z = np.linalg.svd(net.weights[0])[0][:, 0] if looking else fixed_vector(vector, fwd, 0, rng)
    if opened:
        return float(np.sum((z @ net.weights[0]) ** 2) / np.sum(z**2))
    return float(response(net, fwd, 0, 2, z)[0] ** 2)


SHORT = grid(m=75, L=2, n=2, delta=0.1)
# So rare a failure tells the exponents of the chance apart.
RARELY = grid(m=150, L=2, n=1, delta=4e-4)


@claim(
    "allenzhu2018rnn:claim-B.12",
    bound="(1 + 1/L)**factors",
    premises=(
        "width against horizon; the printed chance exp(-Omega(m/L^2)), for all samples, first and last times: "
        "m >= C*L**2*log(n*L**2/delta)"
    ),
    constants={
        "C": (4, "hidden in the paper; 2.82 by the rate function of one factor at L = 1, 2.5 for long horizons")
    },
    measured=["factors"],
    regime=Regime(
        cells=[
            {**SHORT[0], "vector": "state", "later": "zero"},
            {**grid(m=82, L=2, n=2, delta=0.05)[0], "vector": "axis", "later": "unit"},
            {**grid(m=400, L=4, n=2, delta=0.1)[0], "vector": "sparse", "later": "repeated"},
            {**grid(m=1400, L=8, n=1, delta=0.4)[0], "vector": "dense", "later": "opposed"},
        ],
        thorough=[
            {**grid(m=8000, L=16, n=2, delta=0.4)[0], "vector": "dense"},
            {**grid(m=10**5, L=4, n=2, delta=0.4)[0], "vector": "state", "later": "alike"},
        ],
        usual={"vector": "dense", "later": "drawn"},
        least={"L": 2},
    ),
    evidence=Trials(rate="delta", budget=600),
    controls=[
        control("one factor fewer", bound="(1 + 1/L)**(factors - 1)", cells=SHORT),
        control("a third of the factors", bound="(1 + 1/L)**(factors/3)", cells=RARELY),
        control("1/(8 L)", bound="(1 + 1/(8*L))**factors", cells=SHORT),
        control("variance 4/m", gain=4.0, cells=SHORT),
        control("a vector that looks at W", looking=True, cells=SHORT),
        control("few neurons", cells=grid(m=4, L=4, n=2, delta=0.1), without="m >= C*L**2*log(n*L**2/delta)"),
        control("gates of the last sequence at the last time 20 for 1", wide=20.0, cells=SHORT),
    ],
    note="all i, b and l at once; z is h_{1,1}, an axis, sparse or Gaussian: without W, on which the gates depend. "
    "That 2/(3 L) is too small no trials tell, only chances of 10^-4 and less",
)
def fixed_vector_along_time(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    vector: str,
    later: str,
    *,
    gain: float = 2.0,
    looking: bool = False,
    wide: float = 1.0,
) -> Measured:
    """The ratios ||D_{i,l} W ... D_{i,b} W z||/||z||, fixed z, for 1 <= b <= l <= L and all i; factors is l - b + 1."""
    net = drawn_network(4, m, L, rng, gain=gain, stored=2**14)
    fwd = gates_multiplied(forward(net, sequences(n, L, 4, rng, later)), L, wide)
    z = np.linalg.svd(net.weights[0])[0][:, 0] if looking else fixed_vector(vector, fwd, 0, rng)
    norms = [np.concatenate([response(net, fwd, i, b, z) for b in range(1, L + 1)]) for i in range(n)]
    factors = np.concatenate([np.arange(1.0, L - b + 2.0) for b in range(1, L + 1)])
    return Measured(np.stack(norms), symbols={"factors": factors})

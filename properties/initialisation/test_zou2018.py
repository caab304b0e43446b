"""zou2018 at initialisation: the size of the output, and how many pre-activations are small.

Main claims: `few_small_pre_activations` (Lemma A.7), `output_bound` (Lemma A.6).
"""

import functools
import math

import numpy as np

from bounds import zou2018 as sheet
from bounds.formula import formula
from bounds.laws import SmallPreactivations, layer_product_tail
from nets.data import DataSource
from nets.forward import forward
from nets.network import he_network
from nets.operators import threshold_counts
from theory.claim import claim, control
from theory.evidence import ExactLaw, Tail, Trials
from theory.measured import Measured
from theory.regime import Regime, grid


def _threshold(m: int, n: int, L: int, delta: float) -> float:
    """The smallest threshold that the premise of Lemma A.7 allows, rounded up by one part in a thousand."""
    return 1.001 * 3.78**1.5 * math.log(n * L / delta) / m**1.5


@functools.cache
def _shrinks_by_half(m: int, layers: int, gain: float) -> float:
    """Upper bound on the probability that `layers` layers of width m shrink a norm below 1/2."""
    return layer_product_tail(m, layers, 0.25, gain).below.upper


SMALL = Regime(
    cells=grid(m=[1024, 4096, 16384], L=3, n=4, d=8, delta=0.1),
    derived={"beta_": _threshold},
    thorough=grid(m=[16384], L=[2, 5], n=16, d=8, delta=[0.1, 0.001]),
)


@claim(
    "zou2018:lemma-A.7",
    bound=sheet.lemma_A_7,
    premises=sheet.lemma_A_7_premises,
    regime=SMALL,
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("weight variance 1/(8m)", gain=0.125),
        control("a quarter of the bound", bound=formula("m**(3/2)*beta_/2")),
        control("exponent 1 of the width", bound=formula("2*m*beta_")),
    ],
    note="|S(beta)| given the incoming norm r is Binomial(m, P(|N(0, 2 r^2/m)| <= beta)); r = 1 at the first layer",
)
def few_small_pre_activations(threshold: float, m: int, n: int, L: int, beta_: float, *, gain: float = 2.0) -> Tail:
    """The probability that some layer and sample has more than `threshold` pre-activations below beta.

    From below by the first layer, where the incoming norm is 1; from above by a union bound over layers and samples, in
    which a deeper layer has an incoming norm of at least 1/2 unless a product of layer norms falls below it.
    """
    first = float(SmallPreactivations(m, beta_, 1.0, gain).sf(threshold))
    upper = n * first
    for layer in range(2, L + 1):
        shrunk = _shrinks_by_half(m, layer - 1, gain)
        upper += n * (shrunk + float(SmallPreactivations(m, beta_, 0.5, gain).sf(threshold)))
    return Tail(first, min(upper, 1.0))


@claim(
    "zou2018:lemma-A.7",
    variant="network",
    bound=sheet.lemma_A_7,
    premises=sheet.lemma_A_7_premises,
    regime=Regime(
        cells=[*grid(m=256, L=1, n=4, d=8, delta=0.1), *grid(m=512, L=2, n=4, d=8, delta=0.1)],
        derived={"beta_": _threshold},
    ),
    evidence=Trials(rate="delta", budget=800),
    controls=[
        control("a quarter of the bound", bound=formula("m**(3/2)*beta_/2")),
        control("exponent 1 of the width", bound=formula("2*m*beta_")),
    ],
    note="the joint event over all layers and samples of one network, whose counts are dependent",
)
def few_small_pre_activations_in_a_network(
    rng: np.random.Generator, data: DataSource, m: int, n: int, d: int, L: int, beta_: float
) -> Measured:
    """Counts of small pre-activations of every layer and sample."""
    X, _ = data.draw(n, d, rng)
    fwd = forward(he_network((X.shape[1], *[m] * L), rng), X)
    return Measured(np.stack([threshold_counts(pre, np.array([beta_]))[:, 0] for pre in fwd.pre]))


@claim(
    "zou2018:lemma-A.6",
    bound=sheet.lemma_A_6,
    premises=sheet.lemma_A_6_premises,
    regime=Regime(
        cells=grid(m=[256, 512], L=[1, 3], n=4, d=8, delta=0.1),
        thorough=grid(m=512, L=3, n=16, d=8, delta=0.02),
    ),
    evidence=Trials(rate="delta", budget=800),
    controls=[
        control("output weights not balanced", balanced=False),
        control("constant at the mean size of the output", bound=formula("sqrt(log(2*n/delta))/3")),
    ],
    note="the premise on the width is not printed; without it the output of a deep narrow network has heavier tails",
)
def output_bound(
    rng: np.random.Generator, data: DataSource, m: int, n: int, d: int, L: int, *, balanced: bool = True
) -> Measured:
    """|f(x_i)| of every sample at initialisation."""
    X, _ = data.draw(n, d, rng)
    net = he_network((X.shape[1], *[m] * L), rng)
    fwd = forward(net, X)
    output = fwd.output if balanced else fwd.post[-1].sum(axis=1)
    return Measured(np.abs(output))

"""zou2018 on masked weight products at initialisation: on all vectors (Lemma A.8) and on sparse ones (Lemma A.9).

Main claims: `masked_product_norm`, with an erratum, `stretched_input`; `sparse_backward_norm`.
"""

import numpy as np

from bounds import zou2018 as sheet
from bounds.bound import Bound
from bounds.formula import formula
from nets.data import DataSource
from nets.forward import forward
from nets.gradients import backward
from nets.network import gaussian_network
from nets.operators import sparse_supremum
from nets.points import sphere
from properties.sparse_spectral.measurements import least_chance, product_norms
from theory.claim import claim, control
from theory.evidence import Proof, Scaling, Step, Trials
from theory.measured import Measured
from theory.regime import Regime, grid
from theory.verdict import Verdict


def _replicates(m: int) -> int:
    """Many where they are cheap, and scatter most: an operator norm takes eight seconds at width 10^6."""
    if m <= 256:
        return 24
    return 2 if m <= 10**4 else 1


@claim(
    "zou2018:lemma-A.8",
    bound=sheet.lemma_A_8,
    premises=sheet.lemma_A_8_premises,
    regime=Regime(
        calibration=grid(m=48, L=[2, 4, 8], n=1, delta=0.1),
        cells=grid(m=96, L=[2, 4, 8], n=1, delta=0.1)
        + grid(m=10**4, L=[2, 4], n=1, delta=0.1)
        + grid(m=10**5, L=2, n=1, delta=0.1),
        thorough=grid(m=128, L=6, n=1, delta=0.1)
        + grid(m=10**5, L=3, n=1, delta=0.1)
        + grid(m=10**6, L=2, n=1, delta=0.1),
        derived={"d": lambda m: m},
    ),
    evidence=Scaling({"L": "at most", "m": "free"}, constant="C", replicates=_replicates),
    controls=[
        control("no growth with the depth", bound=formula("C", sheet.lemma_A_8.constants)),
        control(
            "weight variance 4/m, a gain of sqrt 2 in every layer",
            gain=4.0,
            cells=grid(m=96, L=[2, 4, 8], n=1, delta=0.1),
        ),
    ],
    note="the growth seen is close to sqrt(L): for equal widths free probability gives the limit "
    "min over w > 0 of ((1 + w)^(L-1) (2 + w)^2/w)^(1/2), which is 4.20, 5.30 and 6.21 for L = 2, 3 and 4; "
    "the union bound of the printed proof does not give a bound linear in L",
)
def masked_product_norm(rng: np.random.Generator, m: int, L: int, n: int, d: int, *, gain: float = 2.0) -> Measured:
    """The operator norms of W_l2^T prod Sigma W^T for all samples and 1 <= l1 < l2 <= L, or intervals for them."""
    net = gaussian_network((d, *[m] * L), rng, gain)
    norms = product_norms(net, forward(net, sphere(n, d, rng)), rng)
    return Measured.between(norms.low, norms.high)


@claim(
    "zou2018:lemma-A.8",
    variant="explicit",
    title="operator norm of masked weight products, with a stated constant",
    bound=sheet.lemma_A_8,
    premises=sheet.lemma_A_8_explicit_premises,
    regime=Regime(
        cells=grid(m=64, L=4, n=2, delta=0.1),
        thorough=grid(m=64, L=8, n=2, delta=0.1) + grid(m=[10**4, 10**5], L=2, n=1, delta=0.5),
        derived={"d": lambda m: m},
    ),
    evidence=Trials(rate="delta", budget=600),
    controls=[
        control("square root of the depth with constant 3", bound=formula("3*sqrt(L)")),
        control("weight variance 6/m", gain=6.0),
    ],
    note="with a width that grows with the depth. Wide cells have delta = 1/2, which fewer trials decide; they are "
    "judged by upper ends of intervals, 1.7 times the norm at width 10^5",
)
def masked_product_norm_within_a_stated_constant(
    rng: np.random.Generator, m: int, L: int, n: int, d: int, *, gain: float = 2.0
) -> Measured:
    """The same norms, by fewer Lanczos steps: the bound leaves room for a factor of 1.9."""
    net = gaussian_network((d, *[m] * L), rng, gain)
    norms = product_norms(net, forward(net, sphere(n, d, rng)), rng, steps=12)
    return Measured.between(norms.low, norms.high)


@claim(
    "zou2018:lemma-A.8",
    variant="narrow",
    title="operator norm of masked weight products at a width that grows with the logarithm of the depth alone",
    bound=sheet.lemma_A_8,
    premises=sheet.lemma_A_8_premises,
    regime=Regime(cells=[{"L": 512, "m": 46, "n": 1, "delta": 1e-14}]),
    evidence=Proof(margin="chance at least 2.6 times the one allowed"),
    expected=Verdict.REFUTED,
    controls=[
        control(
            "constants 5 and 10",
            bound=formula("10*L"),
            cells=[{"L": 2**14, "m": 316, "n": 1, "delta": 1e-19}],
        ),
        control(
            "constants 50 and 100",
            bound=formula("100*L"),
            cells=[{"L": 2**20, "m": 4380, "n": 1, "delta": 1e-26}],
        ),
    ],
    note="erratum: the norm is at least ||x_l||/||x_0||, whose square is a product of independent ratios of mean 1, "
    "with a tail like 1/t once l is of order m log L. At m = C log(n L^2/delta) this exceeds every delta that is small "
    "beside 1/(C' L)^2, so no constants C and C' will do. A width of order L log(n L^2/delta), as in Theorem 5.1, is "
    "enough: see explicit",
)
def stretched_input(bound: Bound, L: int, m: int, n: int, delta: float) -> list[Step]:
    """Whether a single vector, the input, is stretched beyond the bound more often than allowed."""
    chance = least_chance(m, L, float(bound.evaluate({"L": L})))
    said = "some layer norm is above the bound with a chance of delta at most"
    return [Step(said, False if chance > delta else None)]


@claim(
    "zou2018:lemma-A.9",
    bound=sheet.lemma_A_9,
    premises=sheet.lemma_A_9_premises,
    regime=Regime(
        calibration=grid(m=128, L=[2, 4, 8], s=[8, 16, 32], n=2, d=64, delta=0.1),
        cells=grid(m=256, L=[2, 4, 8], s=[8, 32, 64], n=2, d=64, delta=0.1)
        + grid(m=10**4, L=[2, 8], s=[8, 64, 512], n=2, d=64, delta=0.1)
        + grid(m=10**5, L=4, s=[8, 64, 512], n=2, d=64, delta=0.1),
        thorough=grid(m=10**5, L=8, s=4096, n=2, d=64, delta=0.1)
        + grid(m=10**6, L=[2, 8], s=[64, 4096], n=2, d=64, delta=0.1),
        derived={"M": lambda m: m},
    ),
    evidence=Scaling({"s": "at most", "L": "at most", "m": "free"}, constant="C", replicates=_replicates),
    controls=[
        control(
            "fifth root of the sparsity",
            bound=formula("C*L*s**(1/5)*sqrt(log(M))", sheet.lemma_A_9.constants),
        ),
        control("no growth with the sparsity", bound=formula("C*L*sqrt(log(M))", sheet.lemma_A_9.constants)),
    ],
    note="over s-sparse unit vectors the supremum is the norm of the s largest entries of the backward vector",
)
def sparse_backward_norm(rng: np.random.Generator, data: DataSource, m: int, L: int, n: int, d: int, s: int) -> float:
    """The largest sparse supremum of the backward vectors q_{l,i} over layers and samples."""
    return _sparse_supremum(rng, data, m, L, n, d, s)


def _sparse_supremum(
    rng: np.random.Generator, data: DataSource, m: int, L: int, n: int, d: int, s: int, gain: float = 2.0
) -> float:
    X, _ = data.draw(n, d, rng)
    net = gaussian_network((X.shape[1], *[m] * L), rng, gain)
    return max(float(sparse_supremum(q, s).max()) for q in backward(net, forward(net, X)).q)


SMALL = grid(m=512, L=2, s=8, n=2, d=64, delta=0.5)


@claim(
    "zou2018:lemma-A.9",
    variant="sharp",
    title="largest response of the backward vector to a sparse direction, whatever the depth",
    bound=sheet.lemma_A_9_sharp,
    premises=sheet.lemma_A_9_sharp_premises,
    regime=Regime(
        cells=grid(m=512, L=2, s=8, n=2, d=64, delta=0.1) + grid(m=10**4, L=2, s=8, n=2, d=64, delta=0.5),
        thorough=grid(m=10**4, L=4, s=512, n=2, d=64, delta=0.5)
        + grid(m=[10**5, 10**6], L=2, s=8, n=2, d=64, delta=0.5),
        derived={"M": lambda m: m},
    ),
    evidence=Trials(rate="delta", budget=600),
    controls=[
        control("constant 1", bound=formula("sqrt(s*log(M))"), cells=SMALL),
        control("no logarithm of the width", bound=formula("2*sqrt(s)"), cells=SMALL),
        control("weight variance 8/m", gain=8.0, cells=SMALL),
    ],
    note="given the layers above, the entries of a backward vector are nearly standard Gaussian at every depth, so "
    "the s largest of M make about sqrt(2 s log(M/s)): the factor L is not needed once the width carries the depth",
)
def sparse_backward_norm_whatever_the_depth(
    rng: np.random.Generator, data: DataSource, m: int, L: int, n: int, d: int, s: int, *, gain: float = 2.0
) -> float:
    """The same supremum against a stated constant."""
    return _sparse_supremum(rng, data, m, L, n, d, s, gain)

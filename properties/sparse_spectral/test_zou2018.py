"""zou2018 on masked weight products at initialisation: on all vectors (Lemma A.8) and on sparse ones (Lemma A.9)."""

import numpy as np

from bounds import zou2018 as sheet
from bounds.formula import formula
from nets.data import DataSource
from nets.forward import forward
from nets.gradients import backward
from nets.network import he_network
from nets.operators import masked_product_norms, sparse_supremum
from nets.points import sphere
from theory.claim import claim, control
from theory.evidence import Scaling
from theory.regime import Regime, grid


@claim(
    "zou2018:lemma-A.8",
    bound=sheet.lemma_A_8,
    premises=sheet.lemma_A_8_premises,
    regime=Regime(
        calibration=grid(m=48, L=[2, 3, 4], n=2, delta=0.1),
        cells=grid(m=96, L=[3, 5, 8], n=2, delta=0.1),
        thorough=grid(m=128, L=[4, 6], n=2, delta=0.1),
        derived={"d": lambda m: m},
    ),
    evidence=Scaling({"L": "at most", "m": "free"}, constant="C", replicates=40),
    controls=[
        control("no growth with the depth", bound=formula("C", sheet.lemma_A_8.constants)),
        control("weight variance 4/m, a gain of sqrt 2 in every layer", gain=4.0),
    ],
    note="the growth seen is close to sqrt(L), the free-probability limit being ((L+1)^(L+1)/L^L)^(1/2) without masks; "
    "the union bound of the printed proof does not give a bound linear in L",
)
def masked_product_norm(rng: np.random.Generator, m: int, L: int, n: int, d: int, *, gain: float = 2.0) -> float:
    """The largest operator norm of W_l2^T prod Sigma W^T over samples and 1 <= l1 < l2 <= L, by dense SVD."""
    net = he_network((d, *[m] * L), rng, gain=gain)
    norms = masked_product_norms(net, forward(net, sphere(n, d, rng)))
    return float(norms[:, *np.triu_indices(L, 1)].max())


@claim(
    "zou2018:lemma-A.9",
    bound=sheet.lemma_A_9,
    premises=sheet.lemma_A_9_premises,
    regime=Regime(
        calibration=grid(m=128, L=[2, 3], s=[8, 16, 32], n=2, d=64, delta=0.1),
        cells=grid(m=256, L=[4, 8], s=[8, 16, 32], n=2, d=64, delta=0.1),
        thorough=grid(m=512, L=[4, 8], s=[16, 32], n=2, d=64, delta=0.1),
        derived={"M": lambda m: m},
    ),
    evidence=Scaling({"s": "at most", "L": "at most", "m": "free"}, constant="C", replicates=30),
    controls=[
        control(
            "eighth root of the sparsity",
            bound=formula("C*L*s**(1/8)*sqrt(log(M))", sheet.lemma_A_9.constants),
        ),
        control("no growth with the sparsity", bound=formula("C*L*sqrt(log(M))", sheet.lemma_A_9.constants)),
    ],
    note="over s-sparse unit vectors the supremum is the norm of the s largest entries of the backward vector",
)
def sparse_backward_norm(rng: np.random.Generator, data: DataSource, m: int, L: int, n: int, d: int, s: int) -> float:
    """The largest sparse supremum of the backward vectors q_{l,i} over layers and samples."""
    X, _ = data.draw(n, d, rng)
    net = he_network((X.shape[1], *[m] * L), rng)
    return max(float(sparse_supremum(q, s).max()) for q in backward(net, forward(net, X)).q)

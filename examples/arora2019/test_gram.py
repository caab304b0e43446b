"""The Gram matrix of the network at the start, and its limit."""

import numpy as np
from lemmata import lemma

from .two_layers import gram, least, limit, start


@lemma("arora2019 (3.2)", "= c*(pi - acos(c))/(2*pi)", mean={"ceiling": lambda c: c}, c=[0.2, 0.9])
def entry(rng, c):
    """One neuron's part of an entry of the Gram matrix, at two inputs with the inner product c."""
    first, second = rng.standard_normal(2)
    return c * (first >= 0.0 and c * first + np.sqrt(1.0 - c**2) * second >= 0.0)


@lemma(
    "arora2019 Lemma C.1",
    "C*n*sqrt(log(n/delta))/sqrt(m)",
    whp="delta",
    m=[64, 4096],
    n=[2, 32],
    C="fit",
    blind={"delta": "one failure rate, as C is fitted", "n in sqrt(log(n/delta))": "a logarithm beside the factor n"},
)
def at_start(rng, X, m, d):
    """Frobenius distance of the Gram matrix at the start from its limit."""
    weights, _ = start(rng, m, d, kappa=1.0)
    return np.linalg.norm(gram(X, weights) - limit(X))


@lemma(
    "arora2019 Lemma C.1",
    ">= 3*lam0/4",
    variant="eigenvalue",
    whp="delta",
    premises=["width: m >= C1*n*log(n/delta)/lam0**2"],
    C1=1,
    lam0=least,
    m=4096,
    n=[4, 16],
)
def least_at_start(rng, X, m, d):
    """The least eigenvalue of the Gram matrix at the start is at least three quarters of that of the limit."""
    return np.linalg.eigvalsh(gram(X, start(rng, m, d, kappa=1.0)[0]))[0]

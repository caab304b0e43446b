"""Gradient descent from a random start."""

import numpy as np
from lemmata import Measured, control, lemma

from .two_layers import complexity, descend, gram, least, limit, start

TRAINED = {"whp": "delta", "lam0": least, "d": 8, "n": 2}
MEANINGS = {"kappa": "standard deviation of the weights at the start", "comp": "complexity of the error at the start"}


@lemma(
    "arora2019 (3.3)",
    "1 - eta*lam0/2",
    variant="narrow",
    **TRAINED | {"n": [2, 4], "m": [512, 1024], "d": 16, "eta": [0.0001, 0.01]},
    premises=["width: m >= C1*n**2/lam0**2", "step: eta <= C2*lam0/n**2"],
    C1=1,
    C2=1,
    controls=[control("ten times the rate", bound="1 - 5*eta*lam0")],
)
def slowest_step(rng, X, y, m, d, eta):
    """The largest factor by which one of 40 steps multiplies the loss, at less width than is printed."""
    losses = np.array([np.sum((y - u) ** 2) for _, u in descend(X, y, *start(rng, m, d, kappa=1.0), eta, 40)])
    return (losses[1:] / losses[:-1]).max()


@lemma("arora2019 Theorem 4.1", "C*n/sqrt(m)", variant="from-start", **TRAINED, C="fit", m=[64, 16384], eta="lam0/n")
def off_the_rates(rng, X, y, m, d, eta):
    """How far the error after 20 steps is from what the eigenvectors make of the error at the start."""
    errors = [y - u for _, u in descend(X, y, *start(rng, m, d, kappa=1.0), eta, 20)]
    values, vectors = np.linalg.eigh(limit(X))
    return np.linalg.norm(errors[-1] - vectors @ ((1.0 - eta * values) ** 20 * (vectors.T @ errors[0])))


@lemma(
    "arora2019 (5.2)",
    "comp + C1/(m**(1/4)*sqrt(kappa))",
    variant="from-start",
    **TRAINED | {"m": [1024, 4096], "kappa": 1.0, "eta": "lam0/n"},
    C1=1,
    meanings=MEANINGS,
)
def change_of_weights(rng, X, y, m, d, eta, kappa):
    """The distance of all weights from their start after 40 steps, which fit the error at the start."""
    path = list(descend(X, y, *start(rng, m, d, kappa), eta, 40))
    moved = np.linalg.norm(path[-1][0] - path[0][0])
    return Measured(moved, symbols={"comp": complexity(X, y - path[0][1])})


@lemma("arora2019 Lemma C.2", "C*n**3/(sqrt(m)*lam0*kappa*delta**(3/2))", **TRAINED, C="fit", m=[64, 16384], kappa=1.0)
def on_the_way(rng, X, y, m, d, lam0, kappa):
    """The Frobenius distance of the Gram matrix after 20 steps from that at the start."""
    path = [W for W, _ in descend(X, y, *start(rng, m, d, kappa), lam0, 20)]
    return np.linalg.norm(gram(X, path[-1]) - gram(X, path[0]))

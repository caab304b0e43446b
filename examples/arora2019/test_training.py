"""Gradient descent from a random start."""

import numpy as np
from lemmata import control, lemma
from lemmata.nets import SQUARE, train, two_layer_network

from .two_layers import LAM0, complexity, descend, fan, gram, limit, start

FITTED = {"whp": "delta", "C": "fit"}
ONE_RATE = {"blind": {"delta": "one failure rate, as C is fitted"}}
MEANINGS = {
    "c": "inner product of any two inputs",
    "kappa": "standard deviation of the weights at the start",
    "lam0": "least eigenvalue of the limiting Gram matrix",
}
SMALL = {"least": {"c": 0.8}, "most": {"c": 0.99}}
SIZES = {"m": 2048, "n": [2, 3], "c": [0.1, 0.95], "lam0": LAM0, "eta": "9*lam0/(10*n**2)", "C1": 1, "C2": 1}


@lemma(
    "arora2019 (3.3)",
    "1 - eta*lam0/2",
    variant="narrow",
    whp="delta",
    **SIZES,
    premises=["width: m >= C1*n**2/lam0**2", "step: eta <= C2*lam0/n**2"],
    controls=[control("ten times the rate", bound="1 - 5*eta*lam0")],
)
def slowest_step(rng, m, n, c, eta):
    """The largest factor by which a step multiplies the loss, at less width than is printed."""
    X, y = fan(n, c)
    losses = [np.sum((y - u) ** 2) for _, u in descend(X, y, *start(rng, m, n + 1, kappa=1.0), eta, int(2 / eta))]
    return np.max(np.divide(losses[1:], losses[:-1]))


@lemma("arora2019 Theorem 4.1", "C*n/sqrt(m)", variant="from-start", **FITTED, m=[64, 1024], n=[2, 20], kappa=0.25)
def off_the_rates(rng, X, y, m, n, d, kappa):
    """The furthest that the error is, at any step, from what the eigenvectors make of the error at the start."""
    errors = np.array([y - u for _, u in descend(X, y, *start(rng, m, d, kappa), 1.0 / n, 6 * n)])
    values, vectors = np.linalg.eigh(limit(X))
    rates = (1.0 - values / n) ** np.arange(len(errors))[:, np.newaxis]
    return np.linalg.norm(errors @ vectors - rates * (errors[0] @ vectors), axis=1).max()


@lemma(
    "arora2019 Lemma 5.3",
    "C*n/(sqrt(m)*lam0*sqrt(delta))",
    variant="narrow",
    **FITTED | ONE_RATE | {"m": [256, 4096], "n": [2, 12], "c": [0.3, 0.85], "lam0": LAM0, "kappa": 0.5},
    meanings=MEANINGS,
)
def furthest_neuron(rng, m, n, c, lam0, kappa):
    """The furthest that a neuron moves until the error is small, at less width than is printed."""
    steps = int(n / lam0)
    network = two_layer_network(n + 1, m, rng, kappa)
    return train(network, *fan(n, c), SQUARE, eta=2.0, steps=steps, drift_every=steps).drift_neurons.max()


@lemma(
    "arora2019 (5.2)",
    "C*sqrt(n)/(m**(1/4)*sqrt(kappa)*lam0**(3/2))",
    variant="from-start",
    **FITTED | SMALL | {"m": [512, 2048], "n": [2, 12], "c": [0.8, 0.97], "kappa": [0.04, 0.24], "lam0": LAM0},
    meanings=MEANINGS,
    rising={"kappa": "to where most gates flip; a larger start belongs to the second term of (5.2)"},
)
def change_of_weights(rng, m, n, c, kappa, lam0):
    """By how much the distance of all weights from their start exceeds the complexity of the error at the start."""
    X, y = fan(n, c)
    eta = 1.8 / (n / 2 - (n - 1) * lam0)
    (W, u), *_, (fitted, _) = descend(X, y, *start(rng, m, n + 1, kappa), eta, int(4 / (eta * lam0)))
    return np.linalg.norm(fitted - W) - complexity(X, y - u)


@lemma(
    "arora2019 Lemma C.2",
    "C*n**3/(sqrt(m)*lam0*kappa*delta**(3/2))",
    **FITTED | ONE_RATE | {"n": [2, 18], "c": [0.5, 0.97], "kappa": [1.0, 0.125], "lam0": LAM0},
    w=[2048, 65536],
    m="w/n",
    meanings=MEANINGS | {"w": "neurons times samples"},
    most={"c": 0.99},
    rising={"kappa": "at most 1 in the paper, where C is fitted"},
)
def on_the_way(rng, m, n, c, lam0, kappa):
    """The Frobenius distance of the Gram matrix from that at the start, after n/(2 lam0) steps of size 2/n."""
    X, y = fan(n, c)
    (W, _), *_, (fitted, _) = descend(X, y, *start(rng, m, n + 1, kappa), 2.0 / n, int(n / (2.0 * lam0)))
    return np.linalg.norm(gram(X, fitted) - gram(X, W))

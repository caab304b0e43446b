"""Which labels can be learned, and the complexity of what is learned."""

from itertools import product

import numpy as np
from lemmata import Measured, Verdict, control, lemma, reals
from lemmata.nets import sphere

from .two_layers import complexity, outputs, start


@lemma(
    "arora2019 (6.1)",
    "3*p*alpha*b**p",
    p=[1, 2, 32],
    n=[2, 64],
    d=2,
    least={"d": 2},
    alpha=reals(0.1, 2.0),
    b=reals(0.5, 2.0),
)
def one_power(rng, n, d, p, alpha, b):
    """sqrt(y^T (H^infinity)^-1 y) for y = alpha (beta^T x)^p, where beta has the norm b."""
    points = sphere(n, d, rng)
    return complexity(points, alpha * (b * points @ sphere(1, d, rng)[0]) ** p)


@lemma(
    "arora2019 Corollary 6.2",
    "3*(a1*b1 + 2*a2*b2**2)",
    n=[2, 32],
    d=2,
    least={"d": 2},
    **dict.fromkeys(["a1", "a2"], reals(0.0, 2.0)),
    **dict.fromkeys(["b1", "b2"], reals(0.5, 4.0)),
)
def two_powers(rng, n, d, a1, a2, b1, b2):
    """sqrt(y^T (H^infinity)^-1 y) for the sum of a linear and of a quadratic function."""
    points, (first, second) = sphere(n, d, rng), sphere(2, d, rng)
    return complexity(points, a1 * b1 * points @ first + a2 * (b2 * points @ second) ** 2)


@lemma(
    "arora2019 Theorem 6.1",
    "9*b**3",
    variant="cubes",
    pairs=[4, 16],
    n="2*pairs + 1",
    b=reals(0.5, 2.0),
    meanings={"pairs": "points of either sign of the second coordinate"},
    expected=Verdict.REFUTED,
    controls=[control("half of it", bound="9*b**3/2")],
)
def cubes(n, b):
    """Theorem 6.1 at p = 3: sqrt(y^T (H^infinity)^-1 y) for an odd number of points all around the circle."""
    angles = 2.0 * np.pi * np.arange(n) / n
    return complexity(np.stack([np.cos(angles), np.sin(angles)], axis=1), (b * np.cos(angles)) ** 3)


BALL = "2*R**2*sqrt(m)/kappa + R*sqrt(2*log(2/delta))"
SIZES = {"B_": [0.1, 1.0], "m": [8192, 512], "n": [2, 4], "d": 8, "kappa": 1.0}
UNUSED = "what the bound allows for flips and for rare starts is not used by the moves that are tried"
BLIND = ["kappa", "term 2*R**2*sqrt(m)/kappa", "term sqrt(2)*R*sqrt(log(2/delta))"]
FIRST = "sqrt(2)*B_*(1 + 2**(1/4)*log(2/delta)**(1/4)/m**(1/4))/(2*sqrt(n))"
BLIND += [f"m in {FIRST}", "delta"]
MEANINGS = {
    "kappa": "standard deviation of the weights at the start",
    "R": "largest move of a neuron",
    "B_": "move of all together",
}


@lemma(
    "arora2019 (5.3)",
    f"B_/sqrt(2*n)*(1 + (2*log(2/delta)/m)**(1/4)) + {BALL}",
    **SIZES | {"whp": "delta", "meanings": MEANINGS, "blind": dict.fromkeys(BLIND, UNUSED)},
)
def rademacher(rng, X, m, n, d, B_, kappa):
    """A lower bound of the complexity: how well moves of the norm B_ along the gradient fit signs, on average."""
    W, a = start(rng, m, d, kappa)
    signs = np.array(list(product([-1.0, 1.0], repeat=n)))
    gates = (W @ X.T >= 0.0) * a[:, None]
    moves = np.array([(gates * one) @ X for one in signs])
    moves *= B_ / np.linalg.norm(moves, axis=(1, 2), keepdims=True)
    means = [one @ outputs(X, W + move, a) / n for one, move in zip(signs, moves, strict=True)]
    return Measured(np.mean(means), symbols={"R": np.linalg.norm(moves, axis=2).max()})

"""Which labels can be learned, and the complexity of what is learned."""

from itertools import product

import numpy as np
from lemmata import Measured, Verdict, control, lemma, reals
from lemmata.nets import sphere

from .two_layers import complexity, outputs, start


@lemma(
    "arora2019 (6.1)", "3*power*alpha*b**power", power=[1, 2, 4], n=[2, 32], d=2, alpha=reals(0.1, 2), b=reals(0.5, 2)
)
def one_power(rng, n, d, power, alpha, b):
    """sqrt(y^T (H^infinity)^-1 y) for y = alpha (beta^T x)^power, where beta has the norm b."""
    points = sphere(n, d, rng)
    return complexity(points, alpha * (b * points @ sphere(1, d, rng)[0]) ** power)


@lemma(
    "arora2019 Corollary 6.2",
    "3*(a1*b1 + 2*a2*b2**2)",
    n=[2, 32],
    d=2,
    **dict.fromkeys(["a1", "a2"], reals(0.0, 2.0)),
    **dict.fromkeys(["b1", "b2"], reals(0.5, 2.0)),
)
def two_powers(rng, n, d, a1, a2, b1, b2):
    """sqrt(y^T (H^infinity)^-1 y) for the sum of a linear and of a quadratic function."""
    points, (first, second) = sphere(n, d, rng), sphere(2, d, rng)
    return complexity(points, a1 * b1 * points @ first + a2 * (b2 * points @ second) ** 2)


@lemma(
    "arora2019 Theorem 6.1",
    "9*b**3",
    variant="cubes",
    n=[9, 33],
    b=reals(0.5, 2.0),
    expected=Verdict.REFUTED,
    controls=[control("half of it", bound="9*b**3/2")],
)
def cubes(n, b):
    """Theorem 6.1 at p = 3: sqrt(y^T (H^infinity)^-1 y) for an odd number of points all around the circle."""
    angles = 2.0 * np.pi * np.arange(n) / n
    return complexity(np.stack([np.cos(angles), np.sin(angles)], axis=1), (b * np.cos(angles)) ** 3)


@lemma(
    "arora2019 (5.3)",
    "move/sqrt(2*n)*(1 + (2*log(2/delta)/m)**(1/4)) + 2*R**2*sqrt(m)/kappa + R*sqrt(2*log(2/delta))",
    whp="delta",
    move=[0.1, 1.0],
    m=[256, 1024],
    n=[2, 4],
    kappa=1.0,
    meanings={
        "kappa": "standard deviation of the weights at the start",
        "R": "largest move of a neuron",
        "move": "largest move of all together",
    },
)
def rademacher(rng, X, m, n, d, move, kappa):
    """The mean over all signs of what the move of that norm along the gradient correlates with them."""
    W, a = start(rng, m, d, kappa)
    means, moves = [], []
    for signs in np.array(list(product([-1.0, 1.0], repeat=n))):
        slope = ((X @ W.T >= 0.0) * signs[:, None] * a).T @ X
        moves.append(move * slope / np.linalg.norm(slope))
        means.append(signs @ outputs(X, W + moves[-1], a) / n)
    return Measured(np.mean(means), symbols={"R": np.linalg.norm(moves, axis=2).max()})

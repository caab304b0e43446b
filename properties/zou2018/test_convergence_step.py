"""zou2018, Section 3.3: the steps of gradient descent, along a path on which gates turn.

Main claim: `changes_of_the_weights`.
"""

import itertools

import numpy as np
from numpy.random import Generator

from nets import LOGISTIC, DataSource, he_network
from properties.zou2018.chain_rule import derivatives
from properties.zou2018.descent import risk_iterates
from theory.claims import Measured, Regime, claim, control, grid, reals
from theory.evidence import Search

STEPS = 3


@claim(
    "zou2018:def-gd",
    bound="= -eta*z",
    premises="none needed: a definition, for all weights, points and step sizes",
    measured=["eta", "z"],
    regime=Regime(cells=grid(L=[1, 3], m=16, n=4, d=4), draw={"eta": reals(1.0, 4.0)}),
    evidence=Search(examples=8),
    controls=[
        control("ascent", ascent=True),
        control("the sum over the samples for their mean", bound="-n*eta*z"),
        control("gates of the start along the path", kept="gates"),
        control("derivatives at the start along the path", kept="weights"),
    ],
    note="from Gaussian weights, logistic loss; the derivatives are put together from the matrices sample by sample, "
    "apart from the code that takes the steps",
)
def changes_of_the_weights(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    eta: float,
    *,
    ascent: bool = False,
    kept: str = "",
) -> Measured:
    """The changes of every entry of all W_l in each of three steps, z the derivative of L_S there before the step."""
    X, y = data.draw(n, d, rng)
    start = he_network((X.shape[1], *[m] * L), rng)
    path = risk_iterates(start, X, y, LOGISTIC, -eta if ascent else eta)
    moved, slopes, size = [], [], 0.0
    for here, after in itertools.pairwise(itertools.islice(path, STEPS + 1)):
        gated = start if kept else here.net
        slopes.append(derivatives(start if kept == "weights" else here.net, X, y, gated))
        moved += [np.ravel(V - W) for V, W in zip(after.net.weights, here.net.weights, strict=True)]
        size = max(size, *(float(np.abs(W).max()) for W in (*here.net.weights, *after.net.weights)))
    z = np.concatenate(slopes)
    largest = eta * float(np.abs(z).max())
    # A change is the difference of two weights: each is rounded.
    return Measured(
        np.concatenate(moved), error=4e-16 * size + 1e-12 * largest, scale=largest, symbols={"eta": eta, "z": z}
    )

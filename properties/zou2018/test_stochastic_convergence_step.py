"""zou2018, Section 3.3: the step of stochastic gradient descent, and the batch that it is taken on.

Main claim: `number_of_the_batch`.
"""

import math

import numpy as np
import scipy
from numpy.random import Generator

from nets import LOGISTIC, Array, Network, all_batches, backward, forward, he_network, random_labels, sgd_step, sphere
from properties.zou2018.risk_slopes import loss_slopes
from theory.claims import Measured, Regime, claim, control, grid
from theory.evidence import Distribution

ETA = 0.5

# A step is taken for that of a batch if they are so far apart at most, relative to its length.
ALIKE = 1e-9


def _steps_of_samples(net: Network, X: Array, y: Array) -> Array:
    """-eta times the gradients of the losses of the samples, those of all layers in one row: (n, entries)."""
    fwd = forward(net, X)
    slopes = y * loss_slopes(LOGISTIC, y * fwd.output)
    layers = zip(fwd.post, backward(net, fwd).b, strict=False)
    gradients = [(x[:, :, np.newaxis] * b[:, np.newaxis]).reshape(len(y), -1) for x, b in layers]
    return -ETA * slopes[:, np.newaxis] * np.concatenate(gradients, axis=1)


@claim(
    "zou2018:def-sgd",
    # The unit in which the number of a batch among all of its size is given; all are alike.
    bound="= 1",
    premises="none needed: a definition, for all weights and batches of at most n samples",
    regime=Regime(cells=grid(L=2, m=8, n=4, B=2, d=4), thorough=grid(L=3, m=8, n=5, B=[1, 3], d=4)),
    evidence=Distribution(law=lambda n, B: scipy.stats.randint(0, math.comb(n, B)), trials=1000),
    controls=[
        control("step of all samples", batch=4),
        control("batch divided by n", share=0.5),
        control("ascent", share=-1.0),
        control("one sample too few in a batch", batch=1),
    ],
    note="at Gaussian weights, logistic loss, eta = 1/2; the steps looked for are put together sample by sample, apart "
    "from the code that takes the step",
)
def number_of_the_batch(
    rng: Generator, L: int, m: int, n: int, B: int, d: int, *, batch: int = 0, share: float = 1.0
) -> Measured:
    """The number of the batch, of all with B samples, whose -(eta/B) sum of gradients is the step: uniform; or -1."""
    X, y = sphere(n, d, rng), random_labels(n, rng)
    net = he_network((d, *[m] * L), rng)
    after = sgd_step(net, X, y, LOGISTIC, share * ETA, batch or B, rng)
    moved = np.concatenate([(V - W).ravel() for V, W in zip(after.weights, net.weights, strict=True)])
    steps = _steps_of_samples(net, X, y)[all_batches(n, B)].mean(axis=1)
    apart = np.linalg.norm(steps - moved, axis=1)
    found = np.flatnonzero(apart <= ALIKE * np.linalg.norm(steps, axis=1))
    # Samples at which the last layers are silent have no gradient: batches that are alike by it are told apart by lot.
    return Measured(float(rng.choice(found) if len(found) > 1 else found[0] if len(found) else -1))

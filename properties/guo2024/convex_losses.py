"""Convex losses of the outputs, their minimisers, and a step down the sum of them.

Main definitions: `convex_loss`, by one of the names in `CONVEX_LOSSES`, with `multiple_of_squares`, `DISTANCE` and
`PSEUDO_HUBER`; `ConvexStep` and `convex_step`, one step with what its analysis is about.
"""

import functools
import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from nets import CROSS_ENTROPY, Array, Network, OutputLoss, forward, output_gradient, shifted, tangent_features
from nets.networks.losses import exponential_of_square

# The factor in the exponent of the exponential of the squared distance.
EXPONENT = 0.1
# The share of the other outputs in a target of the cross entropy, so that it has a minimiser.
SMOOTHED = 0.1


def _gaps(outputs: Array, targets: Array) -> tuple[Array, Array]:
    gaps = outputs - np.broadcast_to(targets, outputs.shape)
    return gaps, np.linalg.norm(gaps.reshape(len(gaps), -1), axis=1)


def _squares(outputs: Array, targets: Array, factor: float) -> tuple[Array, Array]:
    gaps, lengths = _gaps(outputs, targets)
    return factor * lengths**2, 2.0 * factor * gaps


def multiple_of_squares(factor: float) -> OutputLoss:
    """factor ||z - y||^2; the paper's loss for the factor 1."""
    return OutputLoss(f"{factor:g} r^2", functools.partial(_squares, factor=factor))


def _distances(outputs: Array, targets: Array) -> tuple[Array, Array]:
    gaps, lengths = _gaps(outputs, targets)
    return lengths, gaps / lengths.reshape(-1, *[1] * (gaps.ndim - 1))


def _pseudo_huber(outputs: Array, targets: Array) -> tuple[Array, Array]:
    gaps, lengths = _gaps(outputs, targets)
    roots = np.sqrt(1.0 + lengths**2)
    return lengths**2 / (1.0 + roots), gaps / roots.reshape(-1, *[1] * (gaps.ndim - 1))


SQUARES = multiple_of_squares(1.0)
# ||z - y||: convex, with a slope of 1 however near the target is.
DISTANCE = OutputLoss("distance", _distances)
# sqrt(1 + ||z - y||^2) - 1: convex, of curvature at most 1 and slope below 1.
PSEUDO_HUBER = OutputLoss("pseudo-Huber", _pseudo_huber)

CONVEX_LOSSES = ("squares", "pseudo-Huber", "cross entropy", "exponential")


def convex_loss(name: str) -> OutputLoss:
    """The loss of one of the names of `CONVEX_LOSSES`."""
    if name == "exponential":
        return exponential_of_square(EXPONENT)
    return {"squares": SQUARES, "pseudo-Huber": PSEUDO_HUBER, "cross entropy": CROSS_ENTROPY}[name]


def drawn_targets(name: str, outputs: Array, far: float, rng: Generator) -> Array:
    """Targets for the loss of that name: shares for the cross entropy, else points at the distance `far`."""
    if name == "cross entropy":
        hot = np.arange(outputs.shape[-1]) == rng.integers(outputs.shape[-1], size=(*outputs.shape[:-1], 1))
        return np.where(hot, 1.0 - SMOOTHED * (outputs.shape[-1] - 1), SMOOTHED)
    away = rng.standard_normal(outputs.shape)
    return outputs + far * away / np.linalg.norm(away, axis=-1, keepdims=True)


def minimisers(name: str, outputs: Array, targets: Array) -> Array:
    """Where the loss of that name is least in each sample; of a line of such points the one next to the outputs."""
    if name != "cross entropy":
        return targets
    least = np.log(targets)
    return np.asarray(least + (outputs - least).mean(axis=-1, keepdims=True))


def curvature(name: str, outputs: Array, targets: Array) -> float:
    """The largest second derivative of the loss of that name between the outputs and the targets."""
    if name == "exponential":
        square = float(np.max(_gaps(outputs, targets)[1]) ** 2)
        return EXPONENT * (1.0 + 2.0 * EXPONENT * square) * math.exp(EXPONENT * square)
    return {"squares": 2.0, "pseudo-Huber": 1.0, "cross entropy": 0.5}[name]


class ConvexStep(NamedTuple):
    """The excess of the summed loss before and after a step, and what bounds it.

    `eta` is the size, `least` the least eigenvalue of the tangent kernel before it, `slopes` the norm of the
    derivatives in all outputs, `away` the distance of all outputs from the minimisers, and `rest` what the outputs
    change by beyond first order, over `slopes`. `most` is the largest eigenvalue, and `curvature` the largest second
    derivative of a loss between the outputs, before the step or after it, and the targets: what is between the two of
    them is no further from the targets.
    """

    before: float
    after: float
    eta: float
    least: float
    slopes: float
    away: float
    rest: float
    most: float
    curvature: float

    @property
    def symbols(self) -> dict[str, float]:
        """What the bounds and premises on a step speak of."""
        known = {"eta": self.eta, "Q": self.least, "dist": self.away, "rest": self.rest}
        return {**known, "a": self.curvature, "kerhigh": self.most}


def convex_step(
    net: Network, X: Array, name: str, targets: Array, share: float, *, taken: float = 1.0
) -> tuple[ConvexStep, Network]:
    """A step of that share of the largest one that the curvature of the loss allows the linearised network.

    A network whose kernel is zero, all gates closed at all points, stays where it is.
    """
    loss, passed = convex_loss(name), forward(net, X)
    best = minimisers(name, passed.output, targets)
    values, slopes = loss.at_outputs(passed.output, targets)
    kernel = tangent_features(net, passed).grams.sum(axis=0)
    eigenvalues = np.linalg.eigvalsh(kernel)
    most, bent = float(eigenvalues[-1]), curvature(name, passed.output, targets)
    steepest = bent * most
    eta = share / steepest if steepest > 0.0 else 0.0
    moved = shifted(net, output_gradient(net, passed, slopes), -taken * eta)
    outputs = forward(moved, X).output
    after = loss.at_outputs(outputs, targets)[0]
    steepness = float(np.linalg.norm(slopes))
    rest = np.ravel(outputs - passed.output) + taken * eta * kernel @ np.ravel(slopes)
    least = loss.at_outputs(best, targets)[0].sum()
    step = ConvexStep(
        float(values.sum() - least),
        float(after.sum() - least),
        eta,
        float(eigenvalues[0]),
        steepness,
        float(np.linalg.norm(passed.output - best)),
        float(np.linalg.norm(rest)) / steepness,
        most,
        max(bent, curvature(name, outputs, targets)),
    )
    return step, moved

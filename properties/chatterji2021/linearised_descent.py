"""Gradient descent in a ball round the start, with what the argument by linearisation needs of every iterate.

Main definitions: `Comparator`, the best point of the tangent ball and its loss; `compare_with_best`;
`LinearisedDescent`, what a run of gradient descent has met, and `descent_with_comparator`.
"""

import math
from dataclasses import dataclass

import numpy as np

from nets.core.arrays import Array
from nets.linear_algebra.lowrank import LowRank, frobenius_norms
from nets.linear_algebra.revealed import RevealedGaussian
from nets.networks.forward import Forward, forward
from nets.networks.gradients import output_gradient
from nets.networks.log_loss import logistic_terms
from nets.networks.network import Network, shifted
from nets.tangent.linearised import TangentFeatures, best_linearised_loss, difference, layer_distances, tangent_features
from properties.chatterji2021.tangent_features import Tangent

# Steps after which the drift of a revealed layer is written with as few factors as it has rank: every product takes
# as long as there are factors.
PACKED = 16
# Relative error of a distance by Gram matrices, whose square loses half of the digits where steps cancel.
GRAM_ERROR = 1e-7


@dataclass(frozen=True, eq=False)
class Comparator:
    """The point V* of the ball of `radius` with the least linearised loss, enclosed by [low, high]; outputs f_{V*}."""

    net: Network
    radius: float
    low: float
    high: float
    output: Array


def compare_with_best(start: Tangent, radius: float) -> Comparator:
    """`Comparator` at the start."""
    best = best_linearised_loss(start.features.grams, start.margins, start.y, radius)
    net = best.point(start.net, start.fwd, start.y)
    return Comparator(net, radius, best.low, best.high, forward(net, start.X).output)


@dataclass(frozen=True)
class LinearisedDescent:
    """What K steps of gradient descent have met.

    `losses` (K,) of the iterates stepped from; `steepest`, the largest layer gradient of an output there; `error`, the
    largest error of linearisation of V* about an iterate or the start; `away` and `last`, distances of the first and
    of the last iterate from V*, over all layers; `furthest`, the largest distance of a layer from its start at an
    iterate stepped from, of a run that was `followed`, and NaN of others.
    """

    losses: Array
    steepest: float
    error: float
    away: float
    last: float
    furthest: float


def _distance(net: Network, other: Network) -> float:
    return float(frobenius_norms([layer_distances(net, other)])[0])


def _drift(net: Network, start: Network) -> float:
    """The largest distance of a layer from its start, by Gram matrices: after k steps a layer's has rank k n."""
    layers = difference(net, start)
    return max(D.frobenius() if isinstance(D, LowRank) else float(np.linalg.norm(D)) for D in layers)


def linearisation_error(net: Network, fwd: Forward, features: TangentFeatures, best: Comparator) -> float:
    """The largest |f_{V*} - f_V - <grad f_V, V* - V>| over the samples, V being the weights of `net`."""
    linear = fwd.output + features.along(difference(best.net, net))
    return float(np.abs(best.output - linear).max())


def _packed(net: Network) -> Network:
    return net.with_weights([V.compress() if isinstance(V, RevealedGaussian) else V for V in net.weights])


def descent_with_comparator(
    start: Tangent, best: Comparator, eta: float, steps: int, upwards: bool = False, followed: bool = False
) -> LinearisedDescent:
    """`steps` steps of length eta on the logistic loss; `upwards` turns them round."""
    net = start.net
    losses, steepest, error, furthest = [], 0.0, 0.0, 0.0 if followed else math.nan
    for k in range(steps):
        fwd = forward(net, start.X)
        features = tangent_features(net, fwd)
        terms = logistic_terms(fwd.margins(start.y))
        losses.append(float(np.mean(terms.loss)))
        steepest = max(steepest, float(features.layer_norms.max()))
        if followed:
            furthest = max(furthest, _drift(net, start.net))
        error = max(error, linearisation_error(net, fwd, features, best))
        sign = -1.0 if upwards else 1.0
        step = output_gradient(net, fwd, start.y * terms.weight * (sign * eta / start.y.size))
        net = shifted(net, step)
        if k % PACKED == PACKED - 1:
            net = _packed(net)
    return LinearisedDescent(
        np.array(losses), steepest, error, _distance(best.net, start.net), _distance(best.net, net), furthest
    )

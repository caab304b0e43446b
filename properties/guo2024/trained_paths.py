"""What the claims on whole runs train: points, labels as bad as the theorems allow, and the losses until they rest.

Main definitions: `equidistant_up_to_signs`; `labels_felt_least`; `losses_to_rest`.
"""

import math
from collections.abc import Iterable

import numpy as np
from numpy.random import Generator

from nets import Array, DataError, Network, forward, tangent_features
from nets.descent.rest import UntilRest
from properties.guo2024.descent import (
    FITTED,
    leaky_path_to_rest,
    moving_iterates,
    rounding_of_squares,
    stands,
    sum_of_squares,
)
from properties.shared.batch_trees import Batch
from theory.claims import Measured, Walk


def equidistant_up_to_signs(n: int, distance: float, rng: Generator) -> Array:
    """Unit points (n, n), all at that distance from each other or from being antipodes, whichever is less.

    Raises `DataError` for a distance above the root of two, which is nearer to being antipodes.
    """
    if distance > math.sqrt(2.0):
        raise DataError(f"the distance is {distance}: up to its sign no point is further from another than sqrt(2)")
    product = 1.0 - 0.5 * distance**2
    rows = np.linalg.cholesky((1.0 - product) * np.eye(n) + product * np.ones((n, n)))
    return np.asarray(rows * rng.choice([-1.0, 1.0], (n, 1)), np.float64)


def labels_felt_least(net: Network, X: Array) -> Array:
    """Labels of the shape of the outputs, of norm 1 at most, along the least eigenvector of the tangent kernel.

    Of the two signs it is the one that is farther from the outputs.
    """
    passed = forward(net, X)
    kernel = tangent_features(net, passed).grams.sum(axis=0)
    labels = np.linalg.eigh(kernel)[1][:, 0].reshape(passed.output.shape)
    labels /= np.linalg.norm(labels.reshape(len(X), -1), axis=1).max()
    return np.asarray(-labels if float(np.sum(labels * passed.output)) >= 0.0 else labels)


def losses_to_rest(
    net: Network, X: Array, eta: float, most: int, batches: Iterable[Batch] | None = None, *, first: int = 1
) -> Measured:
    """The losses from step `first` on until the path rests, or `most` steps, for the labels `labels_felt_least`.

    With the symbols `L0`, the loss before any step, and `clock`, the numbers of the steps. A path that does not rest
    ends in a loss that is no number: what was met may miss a bound, and does not show that all of it meets one. One
    that comes to stand at a loss that is not fitted is judged at step `most` too. On `batches`, of which one may leave
    the others where they are, a path goes on until its samples are fitted; if that is before step `first`, the loss
    there lies between 0 and the last one met, and no better is known of it.
    """
    aims = labels_felt_least(net, X)
    if batches is None:
        path = leaky_path_to_rest(moving_iterates(net, X, aims, eta), aims.size, most)
    else:
        fitted = FITTED * sum_of_squares(forward(net, X).output, aims)
        steps = moving_iterates(net, X, aims, eta, batches)
        path = UntilRest(steps, most, lambda loss: loss if loss <= fitted else -1.0)
    losses = np.array([at.loss for at in path])
    early = batches is not None and path.rested and len(losses) <= first
    judged = losses[-1:] / 2.0 if early else losses[first:] if len(losses) > first else losses[-1:]
    clock = np.arange(first, first + len(judged))
    if not path.rested:
        judged, clock = np.append(judged, math.nan), np.append(clock, clock[-1] + 1)
    elif batches is None and stands(losses[0], losses[-1]):
        judged, clock = np.append(judged, losses[-1]), np.append(clock, max(most, clock[-1]))
    error = rounding_of_squares(judged, aims.size)
    return Measured(
        judged,
        error=np.maximum(error, judged) if early else error,
        symbols={"L0": losses[0], "clock": clock},
        walk=Walk(path.taken, path.rested),
    )

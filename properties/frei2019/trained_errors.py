"""Errors of networks that gradient descent takes to the edge of a ball, where all points that can be drawn are known.

Main definitions: `trained_network`, the last iterate in the ball; `steered`, with outputs of one's choice;
`WeightedRun`, all iterates where points count by shares; `Trained`, errors on the sample and on all points, or on those
held out, with the two parts of the complexity of the ball: what the outputs are off from linear, and the linear part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nets import LOGISTIC, Array, Network, forward, output_gradient, shifted, tangent_features
from nets.descent.training import gradient_step
from nets.tangent.linearised import difference, in_ball, layer_distances
from properties.frei2019.training_path import surrogate_error


def linear_part(layer_norms: Array, tau: float, n: int) -> float:
    """(tau/sqrt(n)) sum_l (mean of the squares over points)^(1/2) for gradient norms (weights, points).

    The complexity of the linear part on n of these points is below it: in the mean, or for the very n points.
    """
    return float(tau / np.sqrt(n) * np.sqrt(np.mean(layer_norms**2, axis=1)).sum())


def trained_network(net: Network, X: Array, y: Array, tau: float, eta: float, steps: int) -> Network:
    """The last of so many iterates of gradient descent on the logistic risk before one leaves the ball."""
    last = net
    for _ in range(steps):
        reached = gradient_step(last, X, y, LOGISTIC, eta)
        if not in_ball(reached, net, tau):
            break
        last = reached
    return last


def steered(net: Network, X: Array, outputs: Array, steps: int = 8) -> Network:
    """A network near `net` that has these outputs at the points, by Newton steps along their gradients."""
    for _ in range(steps):
        fwd = forward(net, X)
        kernel = tangent_features(net, fwd).grams.sum(axis=0)
        net = shifted(net, output_gradient(net, fwd, np.linalg.solve(kernel, outputs - fwd.output)))
    return net


@dataclass(frozen=True, eq=False)
class WeightedRun:
    """Gradient descent on the logistic risk of points that count by shares, as a sample with repetitions has them.

    Attributes
    ----------
    best : the iterate of least surrogate error
    losses, errors : risks and surrogate errors of the iterates 0..K
    far : the largest distance of a layer from its start at an iterate
    """

    best: Network
    losses: Array
    errors: Array
    far: float

    @classmethod
    def of(cls, net: Network, points: tuple[Array, Array], shares: Array, eta: float, K: int) -> WeightedRun:
        """K steps of size eta on the points X (N, d), y (N,) with shares (N,) that sum to 1."""
        X, y = points
        start, best, losses, errors, far = net, net, list[float](), list[float](), 0.0
        for k in range(K + 1):
            fwd = forward(net, X)
            slopes = LOGISTIC.derivative(y * fwd.output)
            losses.append(float(shares @ LOGISTIC.value(y * fwd.output)))
            errors.append(float(-shares @ slopes))
            far = max(far, float(layer_distances(net, start).max()))
            best = net if errors[-1] <= min(errors) else best
            if k < K:
                net = shifted(net, output_gradient(net, fwd, shares * y * slopes), -eta)
        return cls(best, np.array(losses), np.array(errors), far)


@dataclass(frozen=True, eq=False)
class Trained:
    """A network trained on a sample, among N equally likely points of which the sample was drawn.

    Attributes
    ----------
    wrong : share of all points whose margin is negative
    sample_error, population_error : E_S and E_D, means of -l'(y f)
    deviation : mean of |f - F| over all points and over the sample, halved and added; F is linear in the weights
    complexity : a bound on the mean Rademacher complexity of the linear parts over samples of that size

    Where points are held out, "all points" are these.
    """

    wrong: float
    sample_error: float
    population_error: float
    deviation: float
    complexity: float

    @classmethod
    def of(
        cls, net: Network, points: tuple[Array, Array], sample: npt.NDArray[np.intp], tau: float, eta: float, steps: int
    ) -> Trained:
        """The network after gradient descent on the sample (n,), numbers of the points X (N, d), y (N,)."""
        X, y = points
        return cls.at(net, trained_network(net, X[sample], y[sample], tau, eta, steps), points, sample, tau)

    @classmethod
    def at(
        cls,
        net: Network,
        end: Network,
        points: tuple[Array, Array],
        sample: npt.NDArray[np.intp],
        tau: float,
        held_out: npt.NDArray[np.intp] | None = None,
        shares: Array | None = None,
    ) -> Trained:
        """The network `end` within tau of `net`; `held_out` numbers points that the sample does not hold.

        Points of the sample count by their `shares` (n,), which sum to 1, and else alike.
        """
        X, y = points
        others = np.arange(len(X)) if held_out is None else held_out
        start, outputs = forward(net, X), forward(end, X).output
        features = tangent_features(net, start)
        off = np.abs(outputs - (start.output + features.along(difference(end, net))))
        return cls(
            float(np.mean(y[others] * outputs[others] < 0.0)),
            float(-np.average(LOGISTIC.derivative(y[sample] * outputs[sample]), weights=shares)),
            surrogate_error(outputs[others], y[others]),
            float(off[others].mean() + np.average(off[sample], weights=shares)) / 2.0,
            linear_part(features.layer_norms[:, others], tau, len(sample)),
        )

"""How far the states of a residual network point along one vector, at the worst points of a law, and what drifts.

Main definitions: `head`, the network up to a layer; `least_alignments`, by descent over the support;
`largest_drift`, the most that the pre-activations of a layer sum to over the sphere; `against`, steps of the weights
that lower the margin and turn gates, and `silencing`, one that closes them.
"""

import numpy as np

from nets import Array, Forward, Network, WeightStep, backward, forward, no_step, outer, step_radius
from properties.frei2019.perturbation import flips_anywhere
from properties.frei2019.random_feature_margin import MarginSource


def head(net: Network, layer: int) -> Network:
    """The network up to that layer, read by nothing."""
    return Network(net.weights[:layer], np.zeros(net.widths[layer]), net.steps[:layer])


def least_alignments(
    net: Network, source: MarginSource, alpha: Array, X: Array, y: Array, sweeps: int = 2
) -> tuple[Array, Array]:
    """The least y <alpha, x_l> of the layers 1..L, (L,), over points that descent finds, and these points.

    From the points X (n, d) with labels y (n,), on the support of `source`: by turns for the first layer and for the
    last one, each sweep goes to the least of the linear part at the points of the sweep before.
    """
    last = len(net.weights) - 1
    least, tried = np.full(last, np.inf), [X]
    for layer in dict.fromkeys((1, last)):
        part, points = head(net, layer), X
        for _ in range(sweeps):
            fwd = forward(part, points)
            if layer == last:
                least = np.minimum(least, _alignments(fwd, alpha, y))
            directions = y[:, np.newaxis] * backward(part, fwd, np.broadcast_to(alpha, fwd.post[-1].shape)).q[0]
            points = source.worst(directions, y)
            tried.append(points)
    # The descent for the last layer began at X and has passed all of its points but the one where it ended.
    for points in [*tried[1 : len(tried) - sweeps], tried[-1]]:
        least = np.minimum(least, _alignments(forward(head(net, last), points), alpha, y))
    return least, np.concatenate(tried)


def _alignments(fwd: Forward, alpha: Array, y: Array) -> list[float]:
    """The least y <alpha, x_l> over the samples of a pass, for each of its layers."""
    return [float((y * (x @ alpha)).min()) for x in fwd.post[1:]]


def largest_drift(net: Network, X: Array, sweeps: int = 4) -> Array:
    """The largest sum_k |w_k^T x_{l-1}|/sqrt(m) of the layers 2..L, (L - 1,), over points of the sphere.

    From the rows of X (n, d): at fixed signs the sum is a linear form of the state, whose gradient in the input is the
    next point.
    """
    last = len(net.weights) - 1
    largest = np.zeros(last - 1)
    for layer in range(2, last + 1):
        part, W, points = head(net, layer - 1), net.weights[layer - 1], X
        for _ in range(sweeps):
            fwd = forward(part, points)
            pre = fwd.post[-1] @ W
            sums = np.abs(pre).sum(axis=1) / np.sqrt(pre.shape[1])
            largest[layer - 2] = max(largest[layer - 2], float(sums.max()))
            directions = backward(part, fwd, np.sign(pre) @ W.T).q[0]
            lengths = np.linalg.norm(directions, axis=1, keepdims=True)
            points = np.where(lengths > 0.0, directions / np.where(lengths > 0.0, lengths, 1.0), points)
    return largest


def against(net: Network, alpha: Array, X: Array, y: Array, tau: float) -> tuple[WeightStep, ...]:
    """Steps of Frobenius norm tau: of the first layer against the margins along alpha, of the last one to turn gates.

    The first goes down along the mean of y_i x_i, in the neurons as alpha does; of the last layer no step turns more.
    """
    mean = y @ X
    size = step_radius(net.weights[0], tau) / float(np.linalg.norm(mean) * np.linalg.norm(alpha))
    first = outer(net.weights[0], mean[np.newaxis], -size * alpha[np.newaxis])
    return first, *map(no_step, net.weights[1:-1]), flips_anywhere(net, X, tau)[-1]


def silencing(net: Network, X: Array, size: float) -> tuple[WeightStep, ...]:
    """A step of the last layer of this Frobenius norm against the mean of what arrives, the same for all neurons."""
    mean = forward(net, X).post[-2].mean(axis=0)
    W = net.weights[-1]
    down = np.full(W.shape[1], -size / (float(np.linalg.norm(mean)) * np.sqrt(W.shape[1])))
    return *map(no_step, net.weights[:-1]), outer(W, mean[np.newaxis], down[np.newaxis])

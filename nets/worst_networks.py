"""Hand-made weights that leave a proof no slack: the networks under which a perturbation does most.

Main definitions: `factored_layer`, a layer of any width from its factors; `channel_network`, which stretches what is
added and keeps what is there; `plant`, which gives a layer the pre-activations wanted; `two_levels`, pre-activations
at which few flips are free and the next ones cost all.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from nets.arrays import Array
from nets.forward import forward
from nets.lowrank import LowRank, outer
from nets.network import STORED_ENTRIES, Layer, Network, balanced_signs
from nets.revealed import RevealedGaussian

# What the second channel of `channel_network` carries at rest. It has to be positive, so that the neurons are
# active and the backward pass sees them; grown by 4 a layer for five layers its square is lost in rounding.
LEAK = 1e-12

# How near to zero, and how far beyond the threshold, `two_levels` puts a pre-activation, as a share of the
# threshold: above the rounding errors of a pass, below anything that changes a count.
NUDGE = 1e-9


def factored_layer(left: Array, right: Array) -> Layer:
    """left^T right as a layer, for factors (p, m_{l-1}) and (p, m_l): a step away from zero where it is too wide."""
    shape = left.shape[1], right.shape[1]
    if math.prod(shape) <= STORED_ENTRIES:
        return left.T @ right
    # With the standard deviation 0 what the generator draws does not matter.
    return RevealedGaussian(*shape, 0.0, np.random.default_rng(0)) + LowRank(left, right)


def channel_network(x: Array, widths: Sequence[int], norm: float) -> Network:
    """Layers (m_1, ..., m_L) that carry x (d,) at norm 3/2 and stretch what a perturbation adds by `norm`.

    Each layer has two channels, unit vectors with positive entries on either half of its neurons. The signal
    of x stays in the first; the second is multiplied by `norm` in every layer after the first, and all but
    empty. What feeds it meets both norms of zou2018, Lemma B.2, with equality.
    """
    if min(widths) < 2:
        raise ValueError(f"the widths are {tuple(widths)}: two channels need two neurons in every layer")
    ends = [_channels(m) for m in widths]
    # Together with what leaks, the signal has norm 3/2 at most.
    signal = math.sqrt(1.5**2 - (LEAK * norm ** (len(widths) - 1)) ** 2) * (1.0 - 1e-12)
    weights = [factored_layer(x[np.newaxis] / (x @ x), (signal * ends[0][0] + LEAK * ends[0][1])[np.newaxis])]
    for (carrier, amplifier), (to_carrier, to_amplifier) in itertools.pairwise(ends):
        weights.append(factored_layer(np.stack([carrier, amplifier]), np.stack([to_carrier, norm * to_amplifier])))
    return Network(tuple(weights), balanced_signs(widths[-1]))


def _channels(m: int) -> tuple[Array, Array]:
    """Unit vectors (m,) with equal entries on the first half of the neurons, and on the rest."""
    first = np.arange(m) < m // 2
    return first / math.sqrt(m // 2), ~first / math.sqrt(m - m // 2)


def plant(net: Network, X: Array, layer: int, wanted: Array) -> Network:
    """The network whose pre-activations of `layer` at the points X (n, d) are `wanted` (n, m_layer).

    The weights change along the layer's inputs only, which have to be independent: by as little as they can.
    """
    fwd = forward(net, X)
    W = net.weights[layer - 1]
    inverse: Array = np.linalg.pinv(fwd.post[layer - 1]).astype(np.float64, copy=False)
    change = outer(W, inverse.T, wanted - fwd.pre[layer - 1])
    return Network((*net.weights[: layer - 1], W + change, *net.weights[layer:]), net.v)


def two_levels(pre: Array, beta: float, inside: int, outside: int) -> Array:
    """Pre-activations (n, m) pulled to where the split of zou2018, Lemma B.3, at the threshold beta is sharp.

    Each neuron belongs to the point at which it is nearest to its kink. At every point the `inside` smallest of its
    own go next to zero, where a flip costs nothing, the `outside` next ones just beyond beta, where one costs
    beta^2; no others stay below. Signs stay. With `inside` zero nothing moves.
    """
    if not inside:
        return pre
    size, beyond = np.abs(pre), (1.0 + NUDGE) * beta
    nearest = np.argmin(size, axis=0)
    pulled = np.maximum(size, beyond)
    for i, sizes in enumerate(size):
        (own,) = np.nonzero(nearest == i)
        own = own[np.argsort(sizes[own])]
        pulled[i, own[:inside]] = NUDGE * beta
        pulled[i, own[inside : inside + outside]] = beyond
    return np.where(pre > 0.0, pulled, -pulled)

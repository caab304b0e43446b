"""Hand-made weights that leave a proof no slack: the networks under which a perturbation does most.

Main definitions: `factored_layer`, a layer of any width from its factors; `channel_network`, `bent_network`
and `neuron_chain`; `plant` and `two_levels`, which place pre-activations.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from nets.core.arrays import Array
from nets.data.distances import DataError
from nets.linear_algebra.lowrank import LowRank, outer
from nets.linear_algebra.revealed import RevealedGaussian
from nets.networks.activations import Activation
from nets.networks.forward import forward
from nets.networks.network import STORED_ENTRIES, Layer, Network, balanced_signs, smooth_network

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
    empty. What feeds it meets both norms of zou2018, Lemma B.2, with equality. Raises `ValueError` for one neuron in a
    layer, and for so many layers that what leaks into the second channel outgrows the norm 3/2.
    """
    if min(widths) < 2:
        raise ValueError(f"the widths are {tuple(widths)}: two channels need two neurons in every layer")
    # Unit vectors with equal entries on the first half of the neurons, and on the rest.
    first = [np.arange(m) < m // 2 for m in widths]
    ends = [(half / math.sqrt(half.sum()), ~half / math.sqrt((~half).sum())) for half in first]
    # Together with what leaks, the signal has norm 3/2 at most.
    leaked = LEAK * norm ** (len(widths) - 1)
    if leaked >= 1.5:
        raise ValueError(
            f"a leak grows to {leaked:.3g} over {len(widths)} layers of norm {norm:g}: ask for fewer layers"
        )
    signal = math.sqrt(1.5**2 - leaked**2) * (1.0 - 1e-12)
    weights = [factored_layer(x[np.newaxis] / (x @ x), (signal * ends[0][0] + LEAK * ends[0][1])[np.newaxis])]
    for (carrier, amplifier), (to_carrier, to_amplifier) in itertools.pairwise(ends):
        weights.append(factored_layer(np.stack([carrier, amplifier]), np.stack([to_carrier, norm * to_amplifier])))
    return Network(tuple(weights), balanced_signs(widths[-1]))


def bent_network(
    depth: int, p: int, phi: Activation, bend: float, sign: float, size: float, top: float, margin: float = 0.0
) -> Network:
    """One neuron of the last hidden layer lies at `bend`, where phi is curved, at the input e_1 of p coordinates.

    All others pass their input on where phi has slope one: at arguments of the sign `sign`. From width 2 on V_L has a
    row at right angles to its input, so that it may be long: every matrix of the second derivative of the output then
    attains the product of the norms. A second row carries outputs of size `margin`, where `size` allows it. `top` is
    the share of V_{L+1} in size^2, which is ||V||^2 but for the weights that lead into the bend; a loss that falls
    with the output curves upwards. Raises `DataError` for a margin at width 1, which has no second row.
    """
    if margin and p < 2:
        raise DataError(f"a margin of {margin:g} is asked for at width {p}, which has no neuron for it: ask for p >= 2")
    curved = float(phi.curvature(bend))
    wide = p >= 2
    carried, share = 0.0, size**2
    # Layers, counted by the squared norms they need: V_1, ..., V_{L-1} and, if wide, V_L.
    counts = [1.0, *[2.0 if wide else 1.0] * max(0, depth - 2)][: depth - 1] + [1.0] * wide
    for _ in range(40):
        each = math.sqrt(max((1.0 - top) * share, 0.0) / sum(counts)) if depth > 1 else 0.0
        arriving, layers = np.eye(1, p), []
        for layer in range(1, depth):
            V = np.zeros((p, p))
            if layer == 1:
                V[0, : 1 + wide] = sign * each / math.sqrt(1 + wide)
            else:
                V[range(1 + wide), range(1 + wide)] = each
            layers.append(V)
            arriving = phi.value(arriving @ V)
        reach = float(np.linalg.norm(arriving))
        carried = math.sqrt(margin / reach) if reach > 0.0 else 0.0
        if not wide or 2.0 * carried**2 > 0.5 * size**2:
            carried = 0.0
        share = size**2 - 2.0 * carried**2
    across = math.sqrt(top * share if depth > 1 else share)
    last, output = np.zeros((p, p)), np.zeros((p, 1))
    if reach > 0.0:
        # Where next to nothing arrives, the bend is out of reach.
        last[:, 0] = min(bend / reach, size) / reach * arriving[0]
        if wide and depth > 1:
            last[0, 0] += each / math.sqrt(2.0)
            last[1, 0] -= each / math.sqrt(2.0)
        if wide:
            last[:, 1] = sign * carried / reach * arriving[0]
    output[0, 0] = -math.copysign(across, curved)
    if wide:
        output[1, 0] = sign * carried
    return smooth_network((*layers, last, output), phi)


def neuron_chain(p: int, phi: Activation, sign: float, norms: Array) -> Network:
    """One neuron of each layer, joined by weights of the given sizes; the others, up to width p, are zero.

    With `sign` that of the arguments at which phi has slope one, the output at e_1 is positive, of the size of the
    product, and its gradient in a layer has the norm of the product of the others.
    """
    layers = [np.zeros((p, p)) for _ in norms[:-1]] + [np.zeros((p, 1))]
    for V, norm in zip(layers, norms, strict=True):
        V[0, 0] = norm
    layers[0][0, 0] *= sign
    layers[-1][0, 0] *= sign
    return smooth_network(layers, phi)


def plant(net: Network, X: Array, layer: int, wanted: Array) -> Network:
    """The network whose pre-activations of `layer` at the points X (n, d) are `wanted` (n, m_layer).

    The weights change along the layer's inputs only, which have to be independent: by as little as they can.
    """
    fwd = forward(net, X)
    W = net.weights[layer - 1]
    inverse: Array = np.linalg.pinv(fwd.post[layer - 1]).astype(np.float64, copy=False)
    change = outer(W, inverse.T, wanted - fwd.pre[layer - 1])
    return net.with_weights((*net.weights[: layer - 1], W + change, *net.weights[layer:]))


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

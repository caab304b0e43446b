"""The constants of a start and of the region around it, and the weights for which bounds with them have least slack.

Main definitions: `region_constants`, what holds of every network of a region by the weights at its centre, and what it
returns, `RegionConstants`; `paired`, the weights whose last layer alone has a gradient.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nets.adversaries import worst_derivatives
from nets.arrays import Array
from nets.forward import forward
from nets.network import Network
from nets.operators import layer_norms, operator_norm

# What is computed at the centre is known to this share: some thousand roundings.
KNOWN = 1e-12


@dataclass(frozen=True)
class RegionConstants:
    """What holds of all networks whose layers are within tau of those of the centre, in operator norm.

    Attributes
    ----------
    gradient : at most ||grad_{W_L} L_S||_F^2/S1^2, for all labels and losses, S1 being the sum of the derivatives
    margin : at most the margin of any sample
    """

    gradient: float
    margin: float


def region_constants(net: Network, X: Array, y: Array, tau: float) -> RegionConstants:
    """The constants of the region of radius tau around `net`, at samples X (n, d) with labels y (n,).

    With D_l the most by which pre-activations move, D_l <= tau ||x~_{l-1}|| + ||W_l|| D_{l-1} as the ReLU is
    1-Lipschitz, the gates of a neuron with |u| > D_L stay. The gradient of such a neuron is a sum over samples, each
    term of which moves by D_{L-1} at most, and the others only add to the whole.
    """
    fwd, norms = forward(net, X), layer_norms(forward(net, X)).max(axis=0)
    below = moved = 0.0
    for W, size in zip(net.weights, norms, strict=False):
        below, norm = moved, operator_norm(W)
        moved = tau * (float(size) + below) + norm * (below + KNOWN * float(size))
    gates = fwd.masks[-1][:, np.abs(fwd.pre[-1]).min(axis=0) > moved]
    gram = (fwd.post[-2] @ fwd.post[-2].T) * (gates @ gates.T)
    least = math.sqrt(max(0.0, (1.0 - KNOWN) * worst_derivatives(gram).value))
    lost = below * math.sqrt(float(gates.sum(axis=1).max(initial=0.0)))
    margin = float((y * fwd.output).min()) - float(np.linalg.norm(net.v)) * moved
    return RegionConstants((max(0.0, least - lost) / len(X)) ** 2, margin)


def paired(net: Network) -> Network:
    """The network with the last neurons of sign +1 in the place of those of sign -1 as well.

    All outputs are 0, and so are the gradients of the layers below the last.
    """
    last = net.weights[-1][:, : net.v.size // 2]
    return net.with_weights([*net.weights[:-1], np.concatenate([last, last], axis=1)])

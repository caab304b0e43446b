"""The derivatives of the training loss of zou2018 by the chain rule, apart from the code that trains.

Main definition: `derivatives`.
"""

import numpy as np
from scipy.special import expit

from nets.core.arrays import Array
from nets.networks.network import Network


def derivatives(net: Network, X: Array, y: Array, gated: Network) -> Array:
    """The derivatives of the mean logistic loss in all entries of all W_l, by the chain rule, sample by sample.

    Open are the neurons that have a pre-activation above 0 in the network `gated`. From matrices alone: (entries,).
    """
    total = [np.zeros(W.shape) for W in net.weights]
    for x, label in zip(X, y, strict=True):
        states, gates, met = [x], [], x
        for W, V in zip(net.weights, gated.weights, strict=True):
            gates.append(V.T @ met > 0.0)
            met = gates[-1] * (V.T @ met)
            states.append(gates[-1] * (W.T @ states[-1]))
        margin = float(label * (net.v @ states[-1]))
        back = -label * expit(-margin) / len(y) * net.v
        for layer in reversed(range(net.depth)):
            back = gates[layer] * back
            total[layer] += np.outer(states[layer], back)
            back = net.weights[layer] @ back
    return np.concatenate([G.ravel() for G in total])

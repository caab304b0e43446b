"""Points of the sphere chosen against a residual network, for statements about all of them.

Main definitions: `longest`, a point that climbs the norm of the last state; `steepest`, one that climbs the norm of the
Jacobian. Both are power iterations with gates of the point before, and give the best of all points met.
"""

import numpy as np

from nets import Array, Network, forward, masked_product, masked_product_operator


def longest(net: Network, x: Array, sweeps: int = 3) -> Array:
    """A unit row (1, d) at which ||x_{L+1}|| is no less than at the unit row x."""
    best, most = x, -np.inf
    for sweep in range(sweeps + 1):
        fwd = forward(net, x)
        length = float(np.linalg.norm(fwd.post[-1]))
        if length > most:
            best, most = x, length
        if sweep < sweeps and length > 0.0:
            ascent = masked_product_operator(net, fwd, 0, 1, net.depth).rmatvec(fwd.post[-1][0])
            x = (ascent / np.linalg.norm(ascent))[np.newaxis]
    return best


def jacobian(net: Network, x: Array) -> Array:
    """The derivative (m, d) of the last state in the point, at a unit row x (1, d) that is at no kink."""
    fwd = forward(net, x)
    return np.asarray(fwd.masks[-1][0][:, np.newaxis] * masked_product(net, fwd, 0, 1, net.depth))


def steepest(net: Network, x: Array, sweeps: int = 3) -> tuple[Array, Array]:
    """A unit row (1, d) at which the norm of `jacobian` is no less than at x, and the unit vector that it grows most.

    The next point is that vector or its negative, whichever has the longer state: its own gates are open there.
    """
    best, towards, most = x, x[0], -np.inf
    for _ in range(sweeps + 1):
        _, sizes, right = np.linalg.svd(jacobian(net, x), full_matrices=False)
        if sizes[0] > most:
            best, towards, most = x, right[0], float(sizes[0])
        both = np.stack([right[0], -right[0]])
        x = both[[np.argmax(np.linalg.norm(forward(net, both).post[-1], axis=1))]]
    return best, towards

"""Wide leaky networks of which only what inputs of small dimension meet is drawn.

Main definition: `seen_network`.
"""

import math

import numpy as np
from numpy.random import Generator

from nets import IDENTITY, Network, Step, leaky_network, leaky_relu
from nets.core.normals import standard_normal


def seen_network(
    d: int, m: int, depth: int, outputs: int, slope: float, rng: Generator, *, stored: float = 2**15
) -> Network:
    """The law of `leaky_network`, for d <= m with a first trained layer (d, m) in the place of (m, m).

    With A = R Q, where Q has orthonormal rows, the first layer acts through Q W alone, and a step changes nothing else:
    R (d, d), drawn by Bartlett's decomposition, takes the place of A, and Q W that of W. Outputs, gates, tangent
    kernels and the norms of steps stay what they are. Other layers are revealed from `stored` entries on.
    """
    if d > m:
        return leaky_network(d, m, depth, outputs, slope, rng, stored=stored)
    R = np.diag(np.sqrt(rng.chisquare(m - np.arange(d, dtype=np.float64))))
    below = np.tril_indices(d, -1)
    R[below] = rng.standard_normal(len(below[0]))
    weights = [standard_normal(rng, (d, m)) * math.sqrt(2.0 / m)]
    if depth > 1:
        others = leaky_network(1, m, depth - 1, outputs, slope, rng, stored=stored)
        weights, v = [*weights, *others.weights], others.v
    else:
        v = rng.standard_normal((m, outputs)) / math.sqrt(outputs)
    steps = (Step(depth, IDENTITY), *(Step(k, leaky_relu(slope)) for k in range(depth)))
    return Network(tuple(weights), v, steps, (R / math.sqrt(m),))

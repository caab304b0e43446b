"""Points in a row on an arc, in the limit of infinite width.

Main definition: `chain_kernel`.
"""

import math

import numpy as np

from bounds.laws.tangent_kernel import limit_kernel
from nets.core.arrays import Array

# Why no row of exponents sees how far its points go round.
CLOSED = "near half a circle ends are all but opposite: at slope -1 their rate is 0, and no power of a distance"


def chain_kernel(slope: float, phi: float, n: int) -> Array:
    """The tangent kernel (n, n) of one infinitely wide layer, per neuron, at n points each at distance phi of the next.

    They lie on less than a half circle where n phi is at most 3, and no two are then nearer than phi up to signs.
    """
    angle = 2.0 * math.asin(0.5 * phi)
    return limit_kernel(np.cos(angle * np.subtract.outer(np.arange(n), np.arange(n))), 1, slope)

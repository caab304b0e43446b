"""The tangent kernel of infinitely wide ReLU networks with a trained output layer, per neuron.

Main definition: `limit_kernel`. As the width p grows the inner products of the gradients of the outputs, divided by
p, tend to it, for hidden entries N(0, 2/p), output entries N(0, 1) and unit inputs (the setting of chatterji2021,
Section 3.2). A Huberised ReLU whose h is small against 1/sqrt(p) has the same limit.

Written by hand: neural-tangents has such kernels, and asks for jax, where these are ten lines of numpy.
"""

import numpy as np
import numpy.typing as npt

from bounds.laws.layers import FloatArray, correlation_map


def gate_agreement(c: npt.ArrayLike) -> FloatArray:
    """Probability that two neurons' gates agree in being open, given that one is: 1 - arccos(c)/pi."""
    cosine = np.asarray(c, np.float64)
    # As in `correlation_map`: half the chord keeps small angles.
    return 1.0 - 2.0 * np.arcsin(np.sqrt(0.5 * (1.0 - cosine))) / np.pi


def limit_kernel(cosines: npt.ArrayLike, L: int) -> FloatArray:
    """(1/2) sum over l of c_{l-1} k(c_{l-1}) k(c_l) ... k(c_{L-1}), elementwise in the cosines c_0 of the inputs.

    c_l is the cosine after l layers and k the agreement of gates. Gradients in layer l are outer products: features of
    the layer below, of cosine c_{l-1}, times backward vectors, whose inner product is p/2 at layer L and falls by k of
    each layer it passes. The output layer's own gradient, of norm near 1, is none of this: it vanishes against p.
    """
    # Rounding puts cosines of equal and of opposite points beyond the ends.
    below = [np.clip(np.asarray(cosines, np.float64), -1.0, 1.0)]
    for _ in range(L - 1):
        below.append(np.clip(np.asarray(correlation_map(below[-1]), np.float64), -1.0, 1.0))
    total, backward = np.zeros_like(below[0]), np.full_like(below[0], 0.5)
    for c in reversed(below):
        backward = backward * gate_agreement(c)
        total = total + c * backward
    return total

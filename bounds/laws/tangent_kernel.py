"""The tangent kernel of infinitely wide networks with rescaled leaky ReLUs, ReLUs among them, per neuron.

Main definition: `limit_kernel`. As the width p grows the inner products of the gradients of the outputs, divided by
p, tend to it, for hidden entries N(0, 2/p), output entries N(0, 1) and unit inputs (the setting of chatterji2021,
Section 3.2). A Huberised ReLU whose h is small against 1/sqrt(p) has the same limit. So has a network between a frozen
first layer of entries N(0, 1/p) and a frozen read-out (guo2024, Algorithm 1): its L trained layers see the cosines of
the inputs, and with read-out entries N(0, 1/k) all is divided by k, and zero between different outputs.

Written by hand: neural-tangents has such kernels, and asks for jax, where these are ten lines of numpy.
"""

import numpy as np
import numpy.typing as npt

from bounds.laws.layers import FloatArray, sine_excess


def squared_jump(slope: float) -> float:
    """(1 - slope)^2/(1 + slope^2), the square of the jump at 0 of the rescaled leaky ReLU's derivative."""
    return (1.0 - slope) ** 2 / (1.0 + slope**2)


def angle(c: npt.ArrayLike) -> FloatArray:
    """The angle arccos(c); half the chord keeps the digits of small ones."""
    cosine = np.asarray(c, np.float64)
    return np.asarray(2.0 * np.arcsin(np.sqrt(0.5 * (1.0 - cosine))))


def gate_agreement(c: npt.ArrayLike, slope: float = 0.0) -> FloatArray:
    """Twice the mean product of the derivatives of two neurons whose pre-activations have the correlation c.

    1 - f arccos(c)/pi with f the squared jump: of ReLU the chance that one gate is open, given that the other is.
    """
    return 1.0 - squared_jump(slope) * angle(c) / np.pi


def next_cosine(c: npt.ArrayLike, slope: float = 0.0) -> FloatArray:
    """Cosine of two inputs after one infinitely wide layer, c before: c + f (sin t - t cos t)/pi, cos t = c."""
    cosine = np.asarray(c, np.float64)
    # Rounding puts the sum beyond the ends.
    return np.clip(cosine + squared_jump(slope) / np.pi * np.asarray(sine_excess(angle(cosine))), -1.0, 1.0)


def layer_kernels(cosines: npt.ArrayLike, L: int, slope: float = 0.0) -> FloatArray:
    """The limits in each of the L layers, of shape (L, *shape of the cosines), whose sum is `limit_kernel`."""
    # Rounding puts cosines of equal and of opposite points beyond the ends.
    below = [np.clip(np.asarray(cosines, np.float64), -1.0, 1.0)]
    for _ in range(L - 1):
        below.append(next_cosine(below[-1], slope))
    kernels, backward = [], np.full_like(below[0], 0.5)
    for c in reversed(below):
        backward = backward * gate_agreement(c, slope)
        kernels.append(c * backward)
    return np.array(kernels[::-1])


def limit_kernel(cosines: npt.ArrayLike, L: int, slope: float = 0.0) -> FloatArray:
    """(1/2) sum over l of c_{l-1} k(c_{l-1}) k(c_l) ... k(c_{L-1}), elementwise in the cosines c_0 of the inputs.

    c_l is the cosine after l layers and k the agreement of gates. Gradients in layer l are outer products: features of
    the layer below, of cosine c_{l-1}, times backward vectors, whose inner product is p/2 at layer L and falls by k of
    each layer it passes. The output layer's own gradient, of norm near 1, is none of this: it vanishes against p.
    """
    return np.asarray(layer_kernels(cosines, L, slope).sum(axis=0))


def least_of_close_pair(t: float, L: int, slope: float = 0.0) -> FloatArray:
    """Least eigenvalues (L,) of `layer_kernels` of two points at an angle t below a right one, to full accuracy.

    (1 - c_{l-1} k(c_{l-1}) ... k(c_{L-1}))/2, with angles in place of cosines: sin^2(t'/2) = sin^2(t/2) - f (sin t - t
    cos t)/(2 pi).
    """
    if not 0.0 <= t < 0.5 * np.pi:
        raise ValueError(f"an angle of {t} between two points: take one below a right angle")
    jump, angles = squared_jump(slope), [t]
    for _ in range(L - 1):
        before = angles[-1]
        half = np.sin(0.5 * before) ** 2 - 0.5 * jump / np.pi * float(sine_excess(before))
        angles.append(2.0 * float(np.arcsin(np.sqrt(half))))
    path = np.array(angles)
    agreements = np.cumsum(np.log1p(-jump / np.pi * path)[::-1])[::-1]
    return np.asarray(-0.5 * np.expm1(np.log(np.cos(path)) + agreements))

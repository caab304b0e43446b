"""Activations and their derivative gates.

Main definitions: `relu_with_gate` and the kernel `leaky_with_gate`, which give both in one pass, and the
plain functions `relu`, `relu_gate`, `leaky` and `leaky_gate`, elementwise on arrays of any shape.

A neuron is active where its pre-activation is strictly positive, so the derivative at 0 is that of the left
side (zou2018, Section 3.2). The gate of NaN is NaN: a mask of zeros would hide it from whatever is computed
next.
"""

import numpy as np
import numpy.typing as npt

from nets.arrays import Array, matrix
from nets.jit import kernel


def relu_with_gate(pre: Array) -> tuple[Array, Array]:
    """max(z, 0) and 1{z > 0} of pre-activations (n, m): two arrays (n, m).

    numpy allocates: it asks for large pages where the arrays are large, which compiled code does not.
    """
    post, gate = np.empty_like(pre), np.empty_like(pre)
    write_relu(pre, post, gate)
    return post, gate


@kernel
def write_relu(pre: Array, post: Array, gate: Array) -> tuple[Array, Array]:
    """max(z, 0) and 1{z > 0} of pre-activations (n, m), written into and returned as two arrays (n, m)."""
    for i in range(pre.shape[0]):
        for j in range(pre.shape[1]):
            z = pre[i, j]
            post[i, j] = 0.0 if z <= 0.0 else z
            gate[i, j] = 1.0 if z > 0.0 else (0.0 if z <= 0.0 else z)
    return post, gate


@kernel
def leaky_with_gate(pre: Array, slope: float) -> tuple[Array, Array]:
    """z where z > 0, slope*z elsewhere, and the derivative, of pre-activations (n, m): two arrays (n, m)."""
    post = np.empty_like(pre)
    gate = np.empty_like(pre)
    for i in range(pre.shape[0]):
        for j in range(pre.shape[1]):
            z = pre[i, j]
            post[i, j] = slope * z if z <= 0.0 else z
            gate[i, j] = 1.0 if z > 0.0 else (slope if z <= 0.0 else z)
    return post, gate


def relu(pre: npt.ArrayLike) -> Array:
    """max(z, 0), elementwise."""
    return relu_with_gate(_row(pre))[0].reshape(np.shape(pre))


def relu_gate(pre: npt.ArrayLike) -> Array:
    """1.0 where z > 0, 0.0 elsewhere."""
    return relu_with_gate(_row(pre))[1].reshape(np.shape(pre))


def leaky(pre: npt.ArrayLike, slope: float) -> Array:
    """z where z > 0, slope*z elsewhere (guo2024, Section 2, without the rescaling)."""
    return leaky_with_gate(_row(pre), float(slope))[0].reshape(np.shape(pre))


def leaky_gate(pre: npt.ArrayLike, slope: float) -> Array:
    """1.0 where z > 0, slope elsewhere."""
    return leaky_with_gate(_row(pre), float(slope))[1].reshape(np.shape(pre))


def _row(pre: npt.ArrayLike) -> Array:
    return matrix(np.reshape(pre, (1, -1)), "the pre-activation")

"""The inner products of the hidden states and gradients of an infinitely wide recurrent ReLU network at initialisation.

Main definition: `state_products`, the limit of <h_{i,l}, h_{j,k}> for h_l = relu(h_{l-1} W + x_l A), h_0 = 0, where the
entries of W and A are N(0, 2/m); `leftover_limits`, what then remains of a state beyond the span of earlier ones;
`recurrent_kernel`, the limit of the kernel of gradients by W.

Written by hand: libraries of limiting kernels have layers with weights of their own, and not one matrix at all times.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bounds.laws.layers import correlation_map
from bounds.laws.tangent_kernel import gate_agreement

FloatArray = NDArray[np.float64]


def state_products(X: ArrayLike) -> FloatArray:
    """The limits of <h_{i,l}, h_{j,k}> for inputs X (n, L, d): (L, n, L, n), at [l - 1, i, k - 1, j].

    Given the states, pre-activations are Gaussian of covariance (2/m)(<h_{i,l-1}, h_{j,k-1}> + <x_{i,l}, x_{j,k}>), one
    for each neuron, also where l and k differ: W is the same. So the products of the next states are those of the norms
    and `correlation_map` of the cosine. A state of norm 0 has products 0. Raises ValueError unless X has three axes.
    """
    inputs = np.asarray(X, np.float64)
    if inputs.ndim != 3:
        raise ValueError(f"the inputs have {inputs.ndim} axes: pass an array (n, times, d)")
    n, L, _ = inputs.shape
    products = np.zeros((L, n, L, n))
    fed = np.einsum("ild,jkd->likj", inputs, inputs)
    sizes = np.zeros((L, n))
    for time in range(L):
        before = products[time - 1, :, :time, :] if time else np.zeros((n, 0, n))
        # Of the pre-activations at this time and at those up to it: at the first there is no state before.
        covariance = fed[time, :, : time + 1].copy()
        covariance[:, 1:] += before
        sizes[time] = np.sqrt(np.einsum("ii->i", covariance[:, time]))
        scale = sizes[time][:, np.newaxis, np.newaxis] * sizes[: time + 1]
        cosine = np.clip(np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > 0.0), -1.0, 1.0)
        products[time, :, : time + 1] = scale * correlation_map(cosine)
        products[: time + 1, :, time] = np.moveaxis(products[time, :, : time + 1], 0, -1)
    return products


def leftover_limits(X: ArrayLike) -> FloatArray:
    """The limits of ||(I - U_{l-1} U_{l-1}^T) h_{i,l}||, U_{l-1} a frame of all states before time l: (n, L)."""
    products = state_products(X)
    L, n = products.shape[:2]
    gram = products.reshape(L * n, L * n)
    left = np.empty((n, L))
    for time in range(L):
        before, own = slice(0, n * time), slice(n * time, n * (time + 1))
        across = gram[before, own]
        # Equal states make the matrix singular; what they span stays the same.
        known = across.T @ np.linalg.lstsq(gram[before, before], across, rcond=1e-13)[0] if time else 0.0
        left[:, time] = np.sqrt(np.maximum(np.diag(gram[own, own] - known), 0.0))
    return left


def recurrent_kernel(X: ArrayLike) -> FloatArray:
    """The limits of (p/m) <grad y_{i,l}, grad y_{j,k}> by W, of one output y_l = h_l B of p, B from N(0, 1/p).

    For inputs X (n, L, d): (L, n, L, n), at [l - 1, i, k - 1, j]; between different outputs the limit is 0. A gradient
    is the sum over the times t of outer products of h_{t-1} and of what comes back from l to t. What comes back over
    different numbers of steps is orthogonal in the limit, and over as many its product takes the `gate_agreement` of
    each time it passes. Raises ValueError unless X has three axes.
    """
    inputs = np.asarray(X, np.float64)
    products = state_products(inputs)
    covariance = np.einsum("ild,jkd->likj", inputs, inputs)
    covariance[1:, :, 1:] += products[:-1, :, :-1]
    sizes = np.sqrt(np.einsum("lili->li", covariance))
    scale = sizes[:, :, np.newaxis, np.newaxis] * sizes
    cosine = np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > 0.0)
    agreement = gate_agreement(np.clip(cosine, -1.0, 1.0))
    kernel = np.zeros_like(products)
    for time in range(1, len(kernel)):
        arriving = 0.5 * products[time - 1, :, :-1] + kernel[time - 1, :, :-1]
        kernel[time, :, 1:] = agreement[time, :, 1:] * arriving
    return kernel

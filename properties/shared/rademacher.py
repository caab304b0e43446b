"""Rademacher complexities of finitely many functions, and of all that are linear in the weights on a ball.

Main definitions: `class_values`, one output of some networks; `rademacher`, for every sign; `linear_complexity`,
the same of the linear functions; `mean_size`, of a sum of signs.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from scipy.stats import binom

from nets import Array, Network, forward
from nets.linear_algebra.lowrank import triangle
from nets.tangent.linearised import TangentFeatures

# The balls on which a supremum is known: of the operator norm or of the Frobenius norm in every layer.
BallNorm = Literal["spectral", "Frobenius"]

# Samples up to which all signs are tried.
ENUMERATED = 10


def class_values(networks: Sequence[Network], X: Array, k: int = 0) -> Array:
    """f_k(x_i; W), the k-th output, counted from 0, of every network at the points X (n, d): (networks, n)."""
    return np.array([forward(net, X).output.reshape(len(X), -1)[:, k] for net in networks], dtype=np.float64)


def all_signs(n: int) -> Array:
    """The sign vectors (2^n, n). Raises ValueError for more than ten samples."""
    if not 1 <= n <= ENUMERATED:
        raise ValueError(f"all signs of {n} samples: take 1 to {ENUMERATED}")
    return np.asarray(1.0 - 2.0 * ((np.arange(2**n)[:, np.newaxis] >> np.arange(n)) & 1), dtype=np.float64)


def rademacher(values: Array) -> float:
    """The empirical Rademacher complexity of functions with values (functions, n): mean over all signs, with 1/n."""
    return float(np.mean(np.max(all_signs(values.shape[1]) @ values.T, axis=1))) / values.shape[1]


def linear_suprema(features: TangentFeatures, signs: Array, ball: BallNorm) -> Array:
    """sup (1/n) sum_i sigma_i <grad f(x_i), V> over V of norm 1 in every layer, for signs (k, n): (k,).

    It is the sum over the layers of the dual norm of sum_i sigma_i grad f(x_i): the nuclear norm for a spectral ball,
    and the Frobenius norm for a Frobenius ball.
    """
    total = np.zeros(len(signs))
    for left, right in features.pairs:
        cores = (triangle(left) * signs[:, np.newaxis, :]) @ triangle(right).T
        sizes = np.linalg.svd(cores, compute_uv=False)
        total += sizes.sum(axis=1) if ball == "spectral" else np.linalg.norm(sizes, axis=1)
    return total / signs.shape[1]


def gram_suprema(grams: Array, signs: Array) -> Array:
    """The same on the Frobenius ball, from the inner products of the gradients (layers, n, n): (k,).

    For large n or depth; norms much below those of the gradients are lost to rounding.
    """
    squares = np.sum((signs @ grams) * signs, axis=-1)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)).sum(axis=0) / signs.shape[1])


def linear_complexity(features: TangentFeatures, ball: BallNorm) -> float:
    """The Rademacher complexity of the functions linear in the weights on the ball of radius 1: mean over all signs."""
    return float(np.mean(linear_suprema(features, all_signs(features.count), ball)))


def mean_size(n: Array) -> Array:
    """E |sum of n signs| for counts n, by de Moivre's formula for the mean deviation of a binomial count."""
    return np.asarray(n * binom.pmf(n // 2, n - n % 2, 0.5))

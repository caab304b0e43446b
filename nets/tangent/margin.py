"""The largest margin of the tangent features of a network, enclosed in an interval.

With features g_s = y_s grad f(x_s) and K_st = <g_s, g_t> duality says (chatterji2021, Assumption 3.2)

    max over ||W|| <= 1 of min_s <g_s, W>  =  min over q in the simplex of ||sum_s q_s g_s||.

Any q in the simplex gives both an upper bound, sqrt(q^T K q), and by W = sum_s q_s g_s/sqrt(q^T K q) a lower one,
min_s (K q)_s/sqrt(q^T K q). So the interval is right whatever the solver returns.

Written by hand: the interval alone; the weights come from `scipy.optimize.nnls`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from nets.core.arrays import Array, matrix, vector
from nets.networks.curvature import EPS
from nets.networks.forward import Forward
from nets.networks.gradients import output_gradient
from nets.networks.losses import check_labels
from nets.networks.network import Network


@dataclass(frozen=True)
class Margin:
    """The interval [low, high] that holds the largest margin over ||W|| <= 1, and the weights q (n,) that give both."""

    low: float
    high: float
    weights: Array


def largest_margin(gram: npt.ArrayLike, labels: npt.ArrayLike | None = None, error: float = 4.0 * EPS) -> Margin:
    """The largest margin of features with inner products `gram` (n, n), signed by `labels` (n,) if given.

    The problem min q^T K q over the simplex is one of non-negative least squares: of u >= 0 the one that makes
    u^T K u + (1 - sum u)^2 least is a multiple of the best q.

    `error` bounds |K_st - exact|/sqrt(K_ss K_tt) and widens the interval; the low end is at least 0, which W = 0 gives.
    Raises ValueError for a matrix that is not square and symmetric, with a negative diagonal, or not finite.
    """
    K = matrix(gram, "the matrix of inner products")
    if not K.size or K.shape[0] != K.shape[1] or not np.isfinite(K).all() or (K.diagonal() < 0.0).any():
        raise ValueError(f"inner products of shape {K.shape}: pass a finite square matrix of some features' products")
    sizes = np.sqrt(K.diagonal())
    if not np.allclose(K, K.T, rtol=0.0, atol=(1e-10 + error) * float(sizes.max()) ** 2):
        raise ValueError("the inner products are not symmetric: pass <g_s, g_t>, features with themselves")
    if labels is not None:
        signs = check_labels(labels, len(K))
        K = K * np.outer(signs, signs)
    scale = float(sizes.max())
    if scale == 0.0:
        return Margin(0.0, 0.0, np.full(len(K), 1.0 / len(K)))
    K = 0.5 * (K + K.T) / scale**2
    values, vectors = np.linalg.eigh(K)
    root = np.sqrt(np.maximum(values, 0.0))[:, np.newaxis] * vectors.T
    solution, _ = scipy.optimize.nnls(np.vstack([root, np.ones(len(K))]), np.append(np.zeros(len(K)), 1.0))
    q = solution / solution.sum()
    low, high = _ends(K, q, sizes / scale, error + (len(K) + 2) * EPS)
    return Margin(scale * low, scale * high, q)


def _ends(K: Array, q: Array, sizes: Array, error: float) -> tuple[float, float]:
    """Lower and upper end that q gives, K being off by `error` times the sizes of the two features."""
    products = K @ q
    spread = error * float(sizes @ q)
    square = max(float(q @ products), 0.0)
    # |q^T (K - exact) q| <= error (sum_s q_s sizes_s)^2
    high = math.sqrt(square + spread * float(sizes @ q))
    least = float(np.min(products - spread * sizes))
    # A NaN must not turn into 0.
    low = 0.0 if least <= 0.0 else least / high
    # Both ends are roundings of numbers that may be equal.
    return low * (1.0 - 4.0 * EPS), high * (1.0 + 4.0 * EPS)


def margin_direction(net: Network, fwd: Forward, labels: npt.ArrayLike, margin: Margin) -> tuple[Any, ...]:
    """W of norm at most 1 over all layers whose margins are at least margin.low: L + 1 matrices or `LowRank`.

    It is sum_s q_s y_s grad f(x_s)/margin.high; ValueError where the features cannot be separated.
    """
    if not margin.high > 0.0:
        raise ValueError("the largest margin is 0: no direction separates the samples")
    signs = check_labels(labels, fwd.output.size)
    weights = vector(margin.weights, "the weights")
    return output_gradient(net, fwd, signs * weights / margin.high)

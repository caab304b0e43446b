"""What the claims on masked products measure: their operator norms, exactly or as intervals.

Main definitions: `product_norms`; `least_chance`, a lower bound of the chance that a network stretches its input.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import digamma, polygamma
from scipy.stats import binom

from nets.forward import Forward
from nets.network import Network
from nets.operators import DENSE_NORM, masked_product_norms, masked_product_operator, norm_interval

Array = npt.NDArray[np.float64]

# The upper end is then 21, 24 and 26 % above the lower one at widths 10^4, 10^5 and 10^6. Each step reveals two more
# directions of every layer.
STEPS = 20


class Norms(NamedTuple):
    """Bounds on the operator norms of the products of at least two layers, over samples and l1 < l2: (k,) each."""

    low: Array
    high: Array


def product_norms(net: Network, fwd: Forward, rng: np.random.Generator, steps: int = STEPS) -> Norms:
    """Norms of W_l2^T prod Sigma W^T for all samples and 1 <= l1 < l2 <= L, L >= 2.

    By LAPACK, both ends alike, up to the width `DENSE_NORM`; beyond, by so many Lanczos steps for the whole
    product and three quarters of them for the others. Each upper end is then wrong with probability 1e-9 at most.
    """
    depth = net.depth
    if max(net.widths) <= DENSE_NORM:
        exact = masked_product_norms(net, fwd)[:, *np.triu_indices(depth, 1)].ravel()
        return Norms(exact, exact)
    ends = []
    for i in range(fwd.output.size):
        for l1 in range(1, depth):
            for l2 in range(l1 + 1, depth + 1):
                # Shorter products are smaller, by more than fewer steps widen their intervals.
                taken = steps if l2 - l1 == depth - 1 else 3 * steps // 4
                ends.append(norm_interval(masked_product_operator(net, fwd, i, l1, l2), rng, taken)[:2])
    low, high = np.array(ends).T
    return Norms(low, high)


def least_chance(m: int, depth: int, size: float) -> float:
    """A lower bound of P(some ||x_l|| > size ||x_0||, l <= depth) for layers of width m; 0 where it finds none.

    ||x_l||^2/||x_0||^2 is a product of l independent ratios R = (2/m) chi2_K, K ~ Binomial(m, 1/2), of mean 1. Let Q
    have the density R in each: then K - 1 ~ Binomial(m - 1, 1/2) and R ~ (2/m) chi2_(K+2). With S = sum log R,
    P(S > t) >= E_Q[exp(-S); |S - mu| < a] >= exp(-(mu + a)) (1 - v/a^2) by Chebyshev, where mu and v are the mean
    and the variance of S under Q, t = 2 log(size) and a = mu - t.
    """
    active = np.arange(1, m + 1)
    weights, half = binom.pmf(active - 1, m - 1, 0.5), 0.5 * active + 1.0
    logs = digamma(half) + np.log(4.0 / m)
    mean = float(weights @ logs)
    variance = float(weights @ (polygamma(1, half) + logs**2)) - mean**2
    layers = np.arange(1, depth + 1)
    room = layers * mean - 2.0 * np.log(size)
    share = 1.0 - layers * variance / np.where(room > 0.0, room, np.nan) ** 2
    return float(np.nan_to_num(np.exp(-(layers * mean + room)) * share).max(initial=0.0))

"""Products of layers of a recurrent network on sparse vectors, and chances that a few large weights break a bound.

Main definitions: `started`, a network and sequences at the start; `inner_products`, W D_l ... D_b W;
`recurrent_back_products` and `back_product_stacks`, B D_l W ... D_b W; `doubly_sparse_norm` and `response_norm`,
intervals for suprema over sparse vectors; `log_chance_of_a_loop` and `log_chance_of_a_response`, lower bounds of
chances.
"""

import itertools
import math
from collections.abc import Iterator

import numpy as np
from numpy.random import Generator
from scipy.special import log_ndtr

from nets import Array, Forward, Network, forward, operator_norm, recurrent_network, sparse_supremum
from nets.linear_algebra.products import times_transposed
from properties.allenzhu2018rnn.sequences import LATER, sequences
from properties.shared.sparse_blocks import SPREAD, doubly_sparse, doubly_sparse_bound


def started(
    rng: Generator, m: int, L: int, n: int, outputs: int = 1, *, d: int = 4, gain: float = 2.0, stored: float = math.inf
) -> tuple[Network, Forward]:
    """A network at its start on n sequences of one of the families `LATER`; W is scaled to a variance of gain/m.

    A gain other than 2 needs a stored W.
    """
    net = recurrent_network(d, m, outputs, L, rng, stored=stored)
    if gain != 2.0:
        net = net.with_weights([W * math.sqrt(gain / 2.0) for W in net.stored_weights()])
    return net, forward(net, sequences(n, L, d, rng, str(rng.choice(LATER))))


def inner_products(net: Network, fwd: Forward) -> Iterator[Array]:
    """The transposes of W D_l W ... D_b W for all samples and 1 <= b <= l < L: arrays (m, m)."""
    W = net.weights[0]
    for i in range(len(fwd.masks[0])):
        for first in range(1, net.depth):
            product = W
            for time in range(first, net.depth):
                product = (product * fwd.masks[time - 1][i]) @ W
                yield product


def recurrent_back_products(net: Network, fwd: Forward) -> Iterator[Array]:
    """B D_l W ... D_b W for all samples and 1 <= b <= l <= L, b by b from L down: arrays (outputs, m)."""
    return itertools.chain.from_iterable(back_product_stacks(net, fwd))


def back_product_stacks(net: Network, fwd: Forward) -> Iterator[Array]:
    """B D_l W ... D_b W for l = b, ..., L, for all samples and b = L, ..., 1: arrays (L - b + 1, outputs, m).

    All l go through W at once, which is read once for each b.
    """
    rows_of_B = np.ascontiguousarray(net.v.T)
    for i in range(len(fwd.masks[0])):
        rows = rows_of_B[:0]
        for mask in fwd.masks[::-1]:
            rows = times_transposed(np.vstack([rows_of_B, rows]) * mask[i], net.weights[0])
            yield rows.reshape(-1, *rows_of_B.shape)


def doubly_sparse_norm(A: Array, s: int) -> tuple[float, float]:
    """An interval for the largest |y^T A z| over unit vectors y and z with at most s entries each.

    Above by sums of absolute entries, or by the squares of s entries in each of s rows. One entry is exact.
    """
    low = doubly_sparse(A, s)
    if s == 1:
        return low, low
    rows = np.sort(sparse_supremum(A, s))[-s:]
    high = min(doubly_sparse_bound(A, s), float(np.linalg.norm(rows)) * (1.0 + SPREAD))
    return min(low, high), high


def response_norm(A: Array, s: int) -> tuple[float, float]:
    """An interval for the largest |a^T A y| over unit a (outputs,) and unit y (m,) with at most s entries.

    Below by the s entries that matter most to the best a found; above by the s longest columns. One output is exact,
    and so is one entry.
    """
    if len(A) == 1:
        norm = float(sparse_supremum(A[0], s))
        return norm, norm
    lengths = np.linalg.norm(A, axis=0)
    chosen = np.argpartition(lengths, -s)[-s:]
    high = float(np.linalg.norm(lengths[chosen]))
    low = operator_norm(A[:, chosen])
    for _ in range(4):
        a = np.linalg.svd(A[:, chosen], full_matrices=False)[0][:, 0]
        chosen = np.argpartition(np.abs(a @ A), -s)[-s:]
        low = max(low, operator_norm(A[:, chosen]))
    return (high, high) if s == 1 else (min(low, high), high)


def _log_two_sided(x: float) -> float:
    """log P(|N(0, 1)| > x)."""
    return math.log(2.0) + float(log_ndtr(-x))


def log_chance_of_a_loop(m: int, level: float) -> float:
    """A lower bound of log P(|(W D_1 W)_kk| > level) at one neuron k, L >= 2.

    D_1 does not depend on W. With the gate of k open, a chance of 1/2, the entry is W_kk^2 and a sum that is symmetric
    and independent of W_kk: it is above the level with at least half the chance that W_kk^2, of N(0, 2/m)^2, is.
    """
    return _log_two_sided(math.sqrt(level * m / 2.0)) - math.log(4.0)


def log_chance_of_a_response(m: int, level: float) -> float:
    """A lower bound of log P(||B D_1 W|| > level) with one output, L >= 1.

    Given B and D_1 it is sqrt(2/m) ||B D_1|| times the norm of m independent standard Gaussians. Both factors are at
    least one entry, that of an open gate, with a chance of 1/2, and any; each is to be the root of level sqrt(m/2).
    """
    return 2.0 * _log_two_sided(math.sqrt(level * math.sqrt(m / 2.0))) - math.log(2.0)

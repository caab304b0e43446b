"""What the claims on products of smoothly gated Gaussian layers measure: norms, and suprema over sparse vectors.

Main definitions: `initial_pass`, the networks and points of chatterji2021, Appendix E; `chain_norms`, `chains` and
`output_functionals`; suprema over sparse vectors: `sparse_norm`, an interval with both ends certain.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from bounds.papers import chatterji2021 as sheet
from nets.core.arrays import Array
from nets.data.labelled import DataSource
from nets.data.points import arranged
from nets.networks.activations import huberised_relu
from nets.networks.forward import Forward, forward
from nets.networks.gradients import backward
from nets.networks.network import STORED_ENTRIES, Network, gaussian_smooth_network
from nets.networks.operators import (
    DENSE_NORM,
    largest_masked_product_norm,
    masked_product,
    masked_product_operator,
    norm_interval,
)
from properties.shared.interval_ends import Ends
from properties.shared.sparse_blocks import SPREAD


def half_of_largest_smoothing(m: int, L: int) -> float:
    """Half of the smoothing that chatterji2021, Lemma E.2, allows."""
    return 0.5 * float(sheet.lemma_E_2_bend.evaluate({"m": m, "L": L}))


def initial_pass(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    h: float,
    gain: float = 2.0,
    points: str = "drawn",
    stored: float = STORED_ENTRIES,
    steep: float = 1.0,
) -> tuple[Network, Forward]:
    """A network at initialisation, layers of width m, and the slopes of n points of a family.

    Layers of more than `stored` entries are revealed: 0 where the samples alone meet them. For wrong variants the
    slopes of the last point are `steep` times what they are, so that what looks at others alone misses them.
    """
    X = arranged(data.draw(n, d, rng)[0], points, rng)
    net = gaussian_smooth_network((X.shape[1], *[m] * L), huberised_relu(h), rng, gain, stored=stored)
    fwd = forward(net, X)
    if steep != 1.0:
        for slopes in fwd.masks:
            slopes[-1] *= steep
    return net, fwd


# --- all vectors ----------------------------------------------------------------------------------


def chain_norms(net: Network, fwd: Forward, rng: Generator, steps: int, whole: bool = False) -> Ends:
    """Norms of V_l2 Sigma ... Sigma V_l1 for all samples and 1 <= l1 <= l2 <= L: low and high ends, (k,) each.

    The largest alone, by LAPACK, up to the width `DENSE_NORM`; beyond, each by so many Lanczos steps, and each upper
    end is then wrong with probability 1e-9 at most. Single layers are the same for all samples. The `whole` product of
    all layers may be asked for alone.
    """
    depth = net.depth
    if max(net.widths) <= DENSE_NORM and not whole:
        exact = np.array([largest_masked_product_norm(net, fwd)])
        return Ends(exact, exact)
    ends = [
        norm_interval(masked_product_operator(net, fwd, i, l1, l2), rng, steps)[:2]
        for l1 in range(1, 2 if whole else depth + 1)
        for l2 in range(depth if whole else l1, depth + 1)
        for i in range(fwd.output.size if l2 > l1 else 1)
    ]
    low, high = np.array(ends).T
    return Ends(low, high)


def output_functionals(net: Network, fwd: Forward) -> tuple[Array, ...]:
    """The rows V_{L+1} Sigma_L ... Sigma_l V_l of all samples, for l = 1..L: L arrays (n, m_{l-1})."""
    return backward(net, fwd).q[: net.depth]


def chains(net: Network, fwd: Forward) -> Iterator[Array]:
    """The products V_l2 Sigma ... Sigma V_l1 of layers, for all samples and l1 <= l2: (m_l2, m_{l1-1}).

    Raises ValueError where a layer is not stored.
    """
    net.stored_weights()
    for l1 in range(1, net.depth + 1):
        for l2 in range(l1, net.depth + 1):
            for i in range(fwd.output.size if l2 > l1 else 1):
                yield masked_product(net, fwd, i, l1, l2)


# --- sparse vectors -------------------------------------------------------------------------------


def sparse_norm(A: Array, k: int, sweeps: int = 4) -> tuple[float, float]:
    """An interval for sup ||A a|| over unit vectors a with at most k entries, A (rows, cols).

    Above, by the rows of G = A^T A: the norm of a block of k rows and columns is at most its largest absolute row
    sum, hence at most the diagonal entry and the k - 1 largest others of some row. Below, by truncated power
    iteration from the row that gives this bound and from the longest column, with the block's norm taken exactly.
    """
    k = min(k, A.shape[1])
    if k == 1:
        longest = float(np.linalg.norm(A, axis=0).max())
        return longest * (1.0 - SPREAD), longest * (1.0 + SPREAD)
    G = A.T @ A
    sizes = np.abs(G)
    diagonal = np.diagonal(G).copy()
    np.fill_diagonal(sizes, 0.0)
    others = np.partition(sizes, sizes.shape[1] - k, axis=1)[:, sizes.shape[1] - k :]
    sums = diagonal + others.sum(axis=1) - others.min(axis=1)
    best = 0.0
    for start in {int(np.argmax(sums)), int(np.argmax(diagonal))}:
        row = sizes[start].copy()
        row[start] = np.inf
        support = np.argpartition(row, -k)[-k:]
        for _ in range(sweeps):
            values, vectors = np.linalg.eigh(G[np.ix_(support, support)])
            best = max(best, float(values[-1]))
            image = np.abs(G[:, support] @ vectors[:, -1])
            support = np.argpartition(image, -k)[-k:]
    return math.sqrt(best) * (1.0 - SPREAD), math.sqrt(float(sums.max())) * (1.0 + SPREAD)

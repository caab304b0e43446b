"""What the output does with sparse vectors put into a layer, and inputs and steps that make it large.

Main definitions: `response_rows`, v^T S W H for all layers at a sample; `mapped`, H a; `worst_input`, an input whose
gates serve one entry; `step_along`, a step of the last layer that adds to one entry; `log_sparse_net`, points in a net
of sparse vectors; `some_row_above` and `log_gated_sum_tail`, chances; `input_near_kinks`.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.random import Generator
from scipy.special import erfc, expit, gammaln

from nets import Array, Forward, Network, forward, masked_product, masked_product_operator, sphere, threshold_counts


def response_rows(net: Network, fwd: Forward, i: int = 0) -> Iterator[Array]:
    """The rows v^T S_{L+1} W_{L+1}^T H_l^L (m,) of sample i, for l = L + 1 down to 2."""
    gated = net.v * fwd.masks[-1][i]
    for layer in range(net.depth, 1, -1):
        yield np.asarray(masked_product_operator(net, fwd, i, layer, net.depth).rmatvec(gated))


def mapped(net: Network, fwd: Forward, i: int, first: int, a: Array) -> Array:
    """H_first^L a (m,) at the gates of sample i: what a becomes on its way to the last layer; a may be rows (k, m)."""
    for layer in range(first, net.depth):
        step = net.steps[layer - 1]
        a = step.combined(a, (a @ net.parameters[step.weight]) * fwd.masks[layer - 1][i])
    return a


def worst_input(net: Network, entry: int, rng: Generator, sweeps: int = 20) -> Array:
    """A unit row (1, d) that climbs sum_j v_j W_{L+1}[entry, j] over the active neurons j of the last layer.

    Gates are replaced by logistic ones, as steep as half of the typical pre-activation; the best row met is returned.
    """
    wanted = net.v * net.weights[-1][entry]
    x, best, row = sphere(1, net.inputs, rng), -math.inf, np.empty((1, net.inputs))
    for sweep in range(sweeps):
        fwd = forward(net, x)
        value = float(wanted @ fwd.masks[-1][0])
        if value > best:
            best, row = value, x
        pre = fwd.pre[-1][0]
        gate = expit(2.0 * pre / np.linalg.norm(pre) * math.sqrt(len(pre)))
        ascent = masked_product_operator(net, fwd, 0, 1, net.depth).rmatvec(wanted * gate * (1.0 - gate))
        x = x + ascent / np.linalg.norm(ascent) * 1.9 / math.sqrt(1.0 + sweep)
        x /= np.linalg.norm(x)
    return row


def step_along(net: Network, fwd: Forward, entry: int, size: float) -> Array:
    """A step of the last layer of this norm that adds most to the response at `entry`, gates held: (m, m)."""
    gated = net.v * fwd.masks[-1][0]
    step = np.zeros_like(net.weights[-1])
    response = float(net.weights[-1][entry] @ gated)
    step[entry] = math.copysign(size, response) * gated / np.linalg.norm(gated)
    return step


def log_sparse_net(m: int, s: int, points: int) -> float:
    """The logarithm of binom(m, s) points^s, which count in a net of the unit vectors with s of m entries.

    With points 9 it is a 1/4-net, with 5 a 1/2-net. Of a single entry its two signs are enough, and one of them where
    absolute values are asked for.
    """
    subsets = gammaln(m + 1.0) - gammaln(s + 1.0) - gammaln(m - s + 1.0)
    return float(subsets) + (s * math.log(points) if s > 1 else 0.0)


def some_row_above(level: float, m: int, s: int, rows: int, variance: float) -> float:
    """From below, the chance that of so many rows of m Gaussians one has a sum of squares of s entries above level^2.

    It is enough that each of s parts of a row has an entry above level/sqrt(s).
    """
    single = float(erfc(level / math.sqrt(2.0 * s * variance)))
    part = -math.expm1((m // s) * math.log1p(-single)) if single < 1.0 else 1.0
    whole = part**s
    return -math.expm1(rows * math.log1p(-whole)) if whole < 1.0 else 1.0


def log_gated_sum_tail(level: float, m: int, norm: float) -> float:
    """Above log P(sum_j v_j 1{<w_j, x> > 0} <w_j, a> > level), w_j from N(0, 2/m I), ||a|| = norm, v balanced.

    A pair of terms of opposite signs has the moments (1/2 + e^h p)(1/2 + e^h (1 - p)) at h = norm^2 lam^2/m, and p =
    1/2, of a orthogonal to x, is the worst. Chernoff's bound is taken at a few lam.
    """
    lams = level / norm**2 * np.linspace(0.3, 1.0, 29)
    rates = m * (np.logaddexp(0.0, norm**2 * lams**2 / m) - math.log(2.0)) - lams * level
    return float(rates.min())


def input_near_kinks(net: Network, layer: int, beta: float, rng: Generator, sweeps: int = 5) -> Array:
    """A unit row (1, d) at which many neurons of a layer have pre-activations of size `beta` at most.

    From the best of 16 drawn inputs: the neurons below the threshold and d more are taken, or by turns the nearest
    d - 1, the input turned to where the sum of their squares is least, the gates before held; of all met, the best.
    """
    d = net.inputs
    starts = sphere(16, d, rng)
    x = starts[[np.argmax(threshold_counts(forward(net, starts).pre[layer - 1], beta))]]
    best, most = x, -1
    for sweep in range(sweeps):
        fwd = forward(net, x)
        sizes = np.abs(fwd.pre[layer - 1][0])
        count = int(np.count_nonzero(sizes <= beta))
        if count > most:
            best, most = x, count
        taken = d - 1 if sweep % 2 else count + d
        rows = masked_product(net, fwd, 0, 1, layer)[np.argsort(sizes)[:taken]]
        x = np.ascontiguousarray(np.linalg.eigh(rows.T @ rows)[1][:, :1].T)
    return best

"""What the claims on masked products measure: operator norms, sparse suprema under attack, and chances from below.

Main definitions: `product_norms`; `sparse_suprema`, also `suprema_written_out`, and what raises them,
`attacked_supremum` with masks of its own and `attacked_within_the_region` with those of the weights;
`sparse_channels`, a network on which the telescoped sum of zou2018, Lemma B.1, loses little; `least_chance`,
`least_output_chance` and `coherent_flips_chance`, lower bounds of the chance that a random network breaks a bound.
"""

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import scipy
from numpy.random import Generator
from scipy.special import digamma, gammainc, polygamma

from nets.core.arrays import Array
from nets.linear_algebra.lowrank import LowRank, outer
from nets.networks.forward import Forward, forward
from nets.networks.gradients import backward
from nets.networks.network import Network, balanced_signs, perturbed
from nets.networks.operators import (
    DENSE_NORM,
    largest_masked_product_norm,
    masked_product_operator,
    norm_interval,
    operator_norm,
    sparse_supremum,
)
from nets.worst_cases.adversaries import influential_flips, no_step, step_radius
from properties.shared.interval_ends import Ends
from properties.shared.sparse_blocks import truncated
from properties.zou2018.limits import LAYER_NORM, PERTURBED_NORM

Steps = tuple[Array | LowRank, ...]

# The upper end is then 21, 24 and 26 % above the lower one at widths 10^4, 10^5 and 10^6. Each step reveals two more
# directions of every layer.
LANCZOS_STEPS = 20

# How far below zero `sparse_channels` holds the neurons that are to be opened: above the rounding errors of a pass,
# and next to nothing for a step that opens them.
CLOSED = 1e-10


def product_norms(net: Network, fwd: Forward, rng: Generator, steps: int = LANCZOS_STEPS) -> Ends:
    """Norms of W_l2^T prod Sigma W^T for all samples and 1 <= l1 < l2 <= L, L >= 2, or the largest of them.

    The largest by LAPACK, both ends alike, up to the width `DENSE_NORM`; beyond, each by so many Lanczos steps for the
    whole product and three quarters of them for the others. Each upper end is then wrong with probability 1e-9 at most.
    """
    depth = net.depth
    if max(net.widths) <= DENSE_NORM:
        exact = np.array([largest_masked_product_norm(net, fwd, apart=1)])
        return Ends(exact, exact)
    ends = []
    for i in range(fwd.output.size):
        for l1 in range(1, depth):
            for l2 in range(l1 + 1, depth + 1):
                # Shorter products are smaller, by more than fewer steps widen their intervals.
                taken = steps if l2 - l1 == depth - 1 else 3 * steps // 4
                ends.append(norm_interval(masked_product_operator(net, fwd, i, l1, l2), rng, taken)[:2])
    low, high = np.array(ends).T
    return Ends(low, high)


# --- attacks on the sparse suprema -----------------------------------------------------------------


def sparse_suprema(net: Network, fwd: Forward, s: int) -> Array:
    """Gamma_l = sup <q_l, a> over s-sparse unit vectors a at one sample, for l = 1..L: (L,)."""
    return np.array([float(sparse_supremum(q, s)[0]) for q in backward(net, fwd).q])


def suprema_written_out(net: Network, fwd: Forward, s: int) -> Array:
    """The same, from the entries in order of size, for the bound that is to judge `sparse_suprema`: (L,)."""
    return np.array([math.sqrt(sum(sorted((q[0] ** 2).tolist())[-s:])) for q in backward(net, fwd).q])


def telescoped_sums(suprema: Array, last: float) -> Array:
    """Sums over t = l..L of (7/2) 4^(t-l) Gamma_{t+1}, what flips add in zou2018, Lemma B.1: (L,).

    `suprema` are Gamma_1, ..., Gamma_L, and `last` is Gamma_{L+1}, the square root of the number of flips.
    """
    above = np.append(suprema[1:], last)
    depth = suprema.size
    return np.array(
        [LAYER_NORM * sum(PERTURBED_NORM ** (t - k) * above[t] for t in range(k, depth)) for k in range(depth)]
    )


def attacked_supremum(net: Network, fwd: Forward, s: int, flips: int, tau: float, layer: int, sweeps: int = 2) -> float:
    """The sparse supremum at `layer` under the best attack found on masks and weights of all layers together.

    The masks, with `flips` changes in each layer at most (`influential_flips`), and the weights, moved by tau along
    the path of the best sparse vector and along the backward vector at these masks, take turns.
    """
    current, best = net, 0.0
    for _ in range(sweeps):
        gates = replace(fwd, masks=influential_flips(current, fwd, flips, layer, 2, 2)) if flips else fwd
        q = backward(current, gates).q[layer - 1]
        best = max(best, float(sparse_supremum(q, s)[0]))
        current = perturbed(net, _aligned(net, current, gates, truncated(q[0], s)[np.newaxis], tau, layer))
        best = max(best, float(sparse_supremum(backward(current, gates).q[layer - 1], s)[0]))
    return best


def attacked_within_the_region(
    net: Network, x: Array, s: int, tau: float, opening: Steps = (), sweeps: int = 2
) -> tuple[Network, Forward]:
    """The weights moved by tau, and a pass of the point (1, d), with a large sparse supremum at the first layer.

    The masks are those of the moved weights. `opening` are steps, small beside tau, that open gates; without them half
    of tau goes into flips that raise the response, those with the largest ratio of gain and cost first.
    """
    start = opening or _coherent_flips(net, x, s, 0.5 * tau)
    share = 0.999 if opening else 0.5
    current = perturbed(net, start)
    for _ in range(sweeps):
        fwd = forward(current, x)
        a = truncated(backward(current, fwd).q[0][0], s)[np.newaxis]
        more = _aligned(net, current, fwd, a, share * tau, 1)
        current = perturbed(perturbed(net, start), more)
    return current, forward(current, x)


def _aligned(net: Network, current: Network, fwd: Forward, a: Array, tau: float, layer: int) -> Steps:
    """Steps from `net`, of norm tau each, that raise the response to a (1, m_{layer-1}) at the masks of `fwd`.

    Each goes along the path that a takes through `current` and along the backward vector: the best to first order.
    """
    steps: list[Array | LowRank] = [no_step(W) for W in net.weights]
    path, arriving = a, backward(current, fwd).b
    for k in range(layer - 1, net.depth):
        W, scale = net.weights[k], float(np.linalg.norm(path) * np.linalg.norm(arriving[k]))
        if scale > 0.0:
            steps[k] = outer(W, path, arriving[k] * (step_radius(W, tau) / scale))
        path = (path @ current.weights[k]) * fwd.masks[k]
    return tuple(steps)


def _coherent_flips(net: Network, x: Array, s: int, tau: float) -> Steps:
    """Steps of norm tau along the inputs of the layers: they flip neurons whose flips raise a sparse response."""
    before = forward(net, x)
    bwd = backward(net, before)
    path, arrived, steps = truncated(bwd.q[0][0], s)[np.newaxis], x, []
    for k, W in enumerate(net.weights):
        pre, pushed = arrived @ W, path @ W
        mask = (pre > 0.0).astype(np.float64)
        above = bwd.q[k + 1] if k + 1 < net.depth else net.v
        gain, cost = ((1.0 - 2.0 * mask) * pushed * above)[0], pre[0] ** 2
        order = np.flatnonzero(gain > 0.0)
        order = order[np.argsort(cost[order] / gain[order])]
        room = (step_radius(W, tau) * float(np.linalg.norm(arrived))) ** 2
        chosen = order[: np.searchsorted(np.cumsum(cost[order]) * (1.0 + 1e-6), room)]
        change = np.zeros_like(pre)
        change[0, chosen] = -(1.0 + 1e-7) * pre[0, chosen]
        steps.append(outer(W, arrived / float(np.sum(arrived**2)), change))
        pre = pre + change
        mask = (pre > 0.0).astype(np.float64)
        arrived, path = mask * pre, mask * pushed
    return tuple(steps)


# --- a network on which the telescoped sum loses little --------------------------------------------


def sparse_channels(
    m: int, depth: int, s: int, most: float, norm: float, closed: int = 0
) -> tuple[Network, Array, Steps]:
    """Layers of norm at most `norm` with two channels, the gates between them closed; a point; steps that open these.

    In each layer s neurons, or `closed`, are just closed at the point. Backwards one channel, of gain `norm` or less,
    spreads over all neurons alike, so that Gamma_l/sqrt(s) grows to `most` and not beyond. Forwards the other, of gain
    `norm`, goes from s inputs over the closed neurons of every layer. With these open, what arrives on them leaves the
    layer both ways: a path for each term of zou2018, Lemma B.1. The point has norm 1 in all layers and keeps clear of
    both channels. Raises `ValueError` where the neurons that are closed leave none of either sign.
    """
    if max(closed, s) > m - 2:
        raise ValueError(f"{max(closed, s)} of {m} neurons are asked to be closed: ask for at most {m - 2}")
    signs = balanced_signs(m)
    spread = signs[np.newaxis] / math.sqrt(m)
    shut = _first_of_both_signs(m, closed or s)
    carrier, rest = _open_ends(signs, shut)
    gains = np.diff(np.log(np.minimum(norm ** np.arange(depth + 1.0), most)))[::-1]
    weights, before = [], _first_of_both_signs(m, s)
    for gain in np.exp(gains):
        entering, leaving = _unit(signs * before), _unit(signs * shut)
        A = np.array([[gain, gain * float((spread @ entering.T)[0, 0])], [0.0, norm]])
        # Without the room the two channels, not quite orthogonal, would stretch more than `norm` together.
        scale = min(1.0, norm * (1.0 - 1e-6) / operator_norm(A))
        weights.append(scale * (gain * spread.T @ rest + norm * entering.T @ leaving))
        weights[-1] += _open_ends(signs, before)[0].T @ (carrier - CLOSED * _unit(shut))
        before = shut
    inputs = [_open_ends(signs, _first_of_both_signs(m, s))[0], *[carrier] * (depth - 1)]
    opening = tuple(outer(W, c, 2.0 * CLOSED * _unit(shut)) for W, c in zip(weights, inputs, strict=True))
    return Network(tuple(weights), signs), inputs[0], opening


def _first_of_both_signs(m: int, count: int) -> npt.NDArray[np.bool_]:
    """Marks `count` of m neurons, as many as may be of either sign of v."""
    place = np.arange(m)
    return np.where(place < m // 2, place < (count + 1) // 2, place - m // 2 < count // 2)


def _unit(vector: npt.NDArray[np.float64 | np.bool_]) -> Array:
    """The vector (m,) at norm 1, as a row (1, m)."""
    row = vector.astype(np.float64)[np.newaxis]
    return np.asarray(row / np.linalg.norm(row))


def _open_ends(signs: Array, shut: npt.NDArray[np.bool_]) -> tuple[Array, Array]:
    """Unit rows (1, m) on the other neurons: one positive and orthogonal to the signs, and the signs themselves."""
    counts = np.where(signs > 0.0, np.sum(~shut & (signs > 0.0)), np.sum(~shut & (signs < 0.0)))
    return _unit(np.where(shut, 0.0, 1.0 / counts)), _unit(np.where(shut, 0.0, signs))


# --- chances from below ----------------------------------------------------------------------------


def least_chance(m: int, depth: int, size: float) -> float:
    """A lower bound of P(some ||x_l|| > size ||x_0||, l <= depth) for layers of width m; 0 where it finds none.

    ||x_l||^2/||x_0||^2 is a product of l independent ratios R = (2/m) chi2_K, K ~ Binomial(m, 1/2), of mean 1. Let Q
    have the density R in each: then K - 1 ~ Binomial(m - 1, 1/2) and R ~ (2/m) chi2_(K+2). With S = sum log R,
    P(S > t) >= E_Q[exp(-S); |S - mu| < a] >= exp(-(mu + a)) (1 - v/a^2) by Chebyshev, where mu and v are the mean
    and the variance of S under Q, t = 2 log(size) and a = mu - t.
    """
    active = np.arange(1, m + 1)
    weights, half = scipy.stats.binom.pmf(active - 1, m - 1, 0.5), 0.5 * active + 1.0
    logs = digamma(half) + np.log(4.0 / m)
    mean = float(weights @ logs)
    variance = float(weights @ (polygamma(1, half) + logs**2)) - mean**2
    layers = np.arange(1, depth + 1)
    room = layers * mean - 2.0 * np.log(size)
    share = 1.0 - layers * variance / np.where(room > 0.0, room, np.nan) ** 2
    return float(np.nan_to_num(np.exp(-(layers * mean + room)) * share).max(initial=0.0))


def least_output_chance(m: int, depth: int, size: float) -> float:
    """A lower bound of P(some |f(x)| > size ||x_{l-1}||, 2 <= l <= depth) for layers of even width m.

    |f(x)| = |D| ||x_{L-1}||, where D is independent of all layers below: N^(-1/2) times the sum of N = m/2 differences
    of two rectified standard Gaussians, of second moment 1 - 1/pi and fourth moment 9/2 - 8/pi. By Paley and
    Zygmund, D^2 exceeds a share theta of its mean with probability (1 - theta)^2 E[D^2]^2/E[D^4] at least. Raises
    `ValueError` for an odd width, which has no pairs.
    """
    if m < 2 or m % 2:
        raise ValueError(f"a width of {m} is asked for, of which half has either sign: ask for an even number")
    pairs, second = m // 2, 1.0 - 1.0 / math.pi
    fourth = (4.5 - 8.0 / math.pi) / pairs + 3.0 * (1.0 - 1.0 / pairs) * second**2
    shares = np.linspace(0.05, 0.95, 19)
    return max(
        float((1.0 - theta) ** 2 * second**2 / fourth * least_chance(m, depth - 2, size / math.sqrt(theta * second)))
        for theta in shares
    )


def coherent_flips_chance(m: int, tau: float, level: float) -> float:
    """A lower bound of P(a step of norm tau raises the response to one coordinate above `level`), one layer of width m.

    The coordinate is orthogonal to the point x, so its weights g_j and the pre-activations h_j are independent and
    N(0, 2/m). Flipped are the neurons with |h_j| <= b of which the flip raises the response sum_j v_j 1{h_j > 0} g_j:
    half of them, each by |g_j|. This costs the sum of their h_j^2, which is to stay below tau^2. Means and variances
    are known, so that Cantelli's inequality bounds the chance of either sum to miss; b takes 99 % of the budget.
    """

    def moment(power: int, reach: float) -> float:
        # E[|z|^power; |z| <= reach] for a standard Gaussian z.
        half = 0.5 * (power + 1)
        return float(2.0 ** (0.5 * power) * math.gamma(half) / math.sqrt(math.pi) * gammainc(half, 0.5 * reach**2))

    if not tau < 0.9:
        raise ValueError(f"tau={tau}: the budget flips every neuron, choose a radius below 0.9")
    reach = scipy.optimize.brentq(lambda b: moment(2, b) - 0.99 * tau**2, 0.0, 8.0, xtol=1e-15)
    over = _cantelli(tau**2 - moment(2, reach), 2.0 / m * moment(4, reach))
    short = _cantelli(math.sqrt(m / math.pi) * moment(0, reach) - level, 2.0)
    return max(0.0, 1.0 - over - short)


def _cantelli(gap: float, variance: float) -> float:
    """At least the chance that a sum with that variance lies `gap` or more to one side of its mean."""
    return variance / (variance + gap**2) if gap > 0.0 else 1.0

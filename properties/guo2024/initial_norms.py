"""What the claims on norms at initialisation measure and compute: passes of drawn networks, and tails of their norms.

Main definitions: `draw`, a network with its pass, in the right or a wrong scaling; `trained_layer_ratios`, the squared
norm ratios of its layers; `norms_leave`, the chance that a norm on its way through the layers leaves a band about 1,
`log_norm_leaves`, of the last alone, and `backward_norms_fall`, of norms on their way back; `window`, the usual numbers
of neurons above 0, and `given_the_window`, a chance given them.
"""

import functools
import math

import numpy as np
import scipy
from numpy.random import Generator

from bounds.laws.layers import Bracket
from bounds.laws.leaky_layers import path_leaves
from nets import Array, DataError, Forward, Network, forward, leaky_network, leaky_relu
from theory.evidence import Tail

# Levels at which the tails are computed, to an octave: the search for a level asks for many that hardly differ. The
# tail from above is taken at the level below, and the one from below at the level above.
LEVELS_PER_OCTAVE = 16

# Lattice points across a band, enough for the margins of the claims.
LATTICE_POINTS = 160


def draw(
    X: Array, m: int, L: int, outputs: int, slope: float, rng: Generator, *, gain: float = 2.0, rescaled: bool = True
) -> tuple[Network, Forward]:
    """A network of Algorithm 1 with its pass of the points X (n, d); its weights may have variance gain/m instead."""
    net = leaky_network(X.shape[1], m, L, outputs, slope, rng)
    if gain != 2.0:
        net = net.with_weights([math.sqrt(gain / 2.0) * W for W in net.weights])
    if not rescaled:
        net = net.with_activation(leaky_relu(slope, rescaled=False))
    return net, forward(net, X)


def trained_layer_ratios(fwd: Forward) -> Array:
    """||h_l||^2/||h_{l-1}||^2 of the layers 1..L: (n, L). Raises `DataError` where one before the last is silent."""
    squares = np.stack([np.sum(h**2, axis=1) for h in fwd.post[1:]], axis=1)
    if not squares[:, :-1].all():
        raise DataError("an input silences a whole layer, after which there is no ratio: ask for wider layers")
    return np.asarray(squares[:, 1:] / squares[:, :-1])


def norms_leave(level: float, m: int, L: int, slope: float, gain: float = 2.0) -> Tail:
    """Bracket the probability that some | ||h_l|| - 1 |, l = 0..L, exceeds `level` for an input of norm 1."""
    place = LEVELS_PER_OCTAVE * math.log2(level)
    above = _leave(math.floor(place), m, L, slope, gain).upper
    return Tail(_leave(math.ceil(place), m, L, slope, gain).lower, above)


@functools.lru_cache(maxsize=256)
def _leave(place: int, m: int, L: int, slope: float, gain: float) -> Bracket:
    level = 2.0 ** (place / LEVELS_PER_OCTAVE)
    low = 2.0 * math.log1p(-level) if level < 1.0 else -math.inf
    return path_leaves(m, slope, [low] * (L + 1), [2.0 * math.log1p(level)] * (L + 1), gain, points=LATTICE_POINTS)


def log_norm_leaves(level: float, centre: float, m: int, L: int, slope: float, gain: float = 2.0) -> Tail:
    """Bracket the probability that the sum of L independent log ratios is off `centre` by more than `level`."""
    place = LEVELS_PER_OCTAVE * math.log2(level)
    above = _last_leaves(math.floor(place), centre, m, L, slope, gain).upper
    return Tail(_last_leaves(math.ceil(place), centre, m, L, slope, gain).lower, above)


@functools.lru_cache(maxsize=256)
def _last_leaves(place: int, centre: float, m: int, L: int, slope: float, gain: float) -> Bracket:
    level = 2.0 ** (place / LEVELS_PER_OCTAVE)
    free = np.full(L, np.inf)
    limits = [*-free, centre - level], [*free, centre + level]
    return path_leaves(m, slope, *limits, gain, from_input=False, points=6 * LATTICE_POINTS)


def window(m: int) -> tuple[int, int]:
    """The least and the largest whole number from 0.4 m to 0.6 m; `DataError` where there is none, for m = 1 and 3."""
    if m in (1, 3):
        raise DataError(f"no number of neurons is between 0.4 m and 0.6 m for m = {m}: take m = 2 or m >= 4")
    return -(-4 * m // 10), 6 * m // 10


def given_the_window(chance: Tail, m: int, L: int, slope: float) -> Tail:
    """Bracket what a chance becomes given the window in each of L layers."""
    if abs(slope) == 1.0:  # the ratios do not depend on which neurons are above 0
        return chance
    low, high = window(m)
    outside = float(scipy.stats.binom.cdf(low - 1, m, 0.5) + scipy.stats.binom.sf(high, m, 0.5))
    inside = math.exp(L * math.log1p(-outside))
    return Tail(max(0.0, chance.lower - (1.0 - inside)), min(1.0, chance.upper / inside))


def backward_norms_fall(level: float, m: int, L: int, slope: float, gain: float = 2.0) -> Tail:
    """Bracket the probability that some product of the first l of L independent ratios is below 1 - `level`.

    The first ratio, of the read-out, has the gain 2 whatever that of the weights.
    """
    if level >= 1.0:
        return Tail(0.0, 0.0)
    place = LEVELS_PER_OCTAVE * math.log2(level)
    above = _fall(math.floor(place), m, L, slope, gain).upper
    return Tail(_fall(math.ceil(place), m, L, slope, gain).lower, above)


@functools.lru_cache(maxsize=256)
def _fall(place: int, m: int, L: int, slope: float, gain: float) -> Bracket:
    level = min(2.0 ** (place / LEVELS_PER_OCTAVE), 1.0 - 1e-12)
    lows = np.array([-math.inf, *np.full(L, math.log1p(-level))])
    return path_leaves(m, slope, lows, np.full(L + 1, np.inf), gain, from_input=False, points=2 * LATTICE_POINTS)

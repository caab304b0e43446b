"""Tails of the norms along the depth of a random ReLU network, bracketed from the exact law of one layer.

Main definitions: `path_tail`, for all layers and samples together; `ever_above`, without a union over the layers;
`sometimes`, an event in independent trials.
"""

import functools
import math
from collections.abc import Callable

import numpy as np
import scipy

from bounds.laws.layers import MaskedChiSquare
from nets.core.arrays import Array
from theory.evidence import Tail

# Powers at which a Chernoff bound is minimised. Each gives a valid bound; neighbours differ by a quarter, so
# that the best of them is close to the best of all.
CHERNOFF_POINTS = 40

# Inverse moments are taken over at least m/4 or m/16 active neurons, and the probability of fewer is added:
# the smaller the share, the smaller the tails that are resolved, and the fewer the powers.
ACTIVE_SHARES = (4, 16)

# Moments are accurate to about 1e-10 of their size, which the upper bounds made of them allow for.
MOMENT_ERROR = 1e-9


def sometimes(p: float, times: int) -> float:
    """Probability that an event of probability p happens in one of `times` independent trials."""
    return -math.expm1(times * math.log1p(-p)) if p < 1.0 else 1.0


def path_tail(m: int, n: int, deviations: Array, gain: float = 2.0) -> Tail:
    """Bracket the probability that some ||x_{l,i}|| is off 1 by more than deviations[l - 1], at n samples.

    All layers have width m, and the inputs norm 1. From below by the first layer at one sample, whose law is
    known. From above by a union over samples and layers, with the exact law at the first layer and Chernoff
    bounds at the others, from the exact moments of the independent ratios.
    """
    law, first, rest = MaskedChiSquare(m, gain), float(deviations[0]), deviations[1:]
    lower = float(law.sf((1.0 + first) ** 2))
    lower += float(law.cdf((1.0 - first) ** 2)) if first < 1.0 else 0.0
    layers, inner = np.arange(2.0, deviations.size + 1.0), rest < 1.0
    upper = lower + _above(m, gain, layers, (1.0 + rest) ** 2).sum()
    upper += _below(m, gain, layers[inner], (1.0 - rest[inner]) ** 2).sum()
    return Tail(lower, min(1.0, n * float(upper)))


def ever_above(m: int, L: int, level: float, gain: float = 2.0) -> float:
    """Upper bound of P(||x_l||^2 >= level for some l <= L), ||x_0|| = 1, without a union over the layers.

    ||x_l||^(2 theta) divided by its mean is a martingale, so Ville's inequality gives
    level^(-theta) max(1, E[X^theta])^L for every theta > 0, X the squared norm ratio of a layer.
    """
    powers, log_level = _powers(m, 1.0, 1), math.log(level)

    def exponent(j: int) -> float:
        return L * max(_log_moment(m, gain, 1, powers[j]), 0.0) - powers[j] * log_level

    _, least = _downhill(exponent, CHERNOFF_POINTS // 2)
    return min(1.0, math.exp(min(0.0, least)) * (1.0 + MOMENT_ERROR))


@functools.cache
def _powers(m: int, side: float, least_active: int) -> tuple[float, ...]:
    """Powers theta of the given sign."""
    largest = float(m) if side > 0.0 else 0.49 * least_active
    return tuple(float(theta) for theta in side * np.geomspace(1e-4 * largest, largest, CHERNOFF_POINTS))


@functools.cache
def _log_moment(m: int, gain: float, least_active: int, theta: float) -> float:
    """log E[X^theta; K >= least_active] of the ratio X of a layer."""
    return MaskedChiSquare(m, gain).log_moment(theta, least_active)


def _downhill(exponent: Callable[[int], float], start: int) -> tuple[int, float]:
    """The power at which the exponent is least, and its value there: it is convex, so that it has one valley.

    At large widths a moment is the costly part, and few are needed: neighbouring layers start where the last ended.
    """
    at, value = start, exponent(start)
    for step in (1, -1):
        while 0 <= at + step < CHERNOFF_POINTS and (lower := exponent(at + step)) < value:
            at, value = at + step, lower
    return at, value


def _above(m: int, gain: float, layers: Array, levels: Array) -> Array:
    """Chernoff bounds of P(||x_l||^2 >= level) for pairs of a layer l and a level."""
    return _chernoff(m, gain, 1.0, 1, layers, levels)


def _below(m: int, gain: float, layers: Array, levels: Array) -> Array:
    """Chernoff bounds of P(||x_l||^2 <= level), dead layers included."""
    best = np.ones(layers.shape)
    for share in ACTIVE_SHARES:
        least = max(1, m // share)
        too_few = float(scipy.stats.binom.cdf(least - 1, m, 0.5))
        best = np.minimum(best, layers * too_few + _chernoff(m, gain, -1.0, least, layers, levels))
        if too_few == 0.0:  # a smaller share has nothing to add
            break
    return best


def _chernoff(m: int, gain: float, side: float, least: int, layers: Array, levels: Array) -> Array:
    powers, at = _powers(m, side, least), CHERNOFF_POINTS // 2
    exponents = np.zeros(layers.shape)
    for index, (layer, log_level) in enumerate(zip(layers, np.log(levels), strict=True)):

        def exponent(j: int, layer: float = layer, log_level: float = log_level) -> float:
            return float(layer * _log_moment(m, gain, least, powers[j]) - powers[j] * log_level)

        at, exponents[index] = _downhill(exponent, at)
    return np.asarray(np.exp(np.minimum(exponents, 0.0)) * (1.0 + MOMENT_ERROR))

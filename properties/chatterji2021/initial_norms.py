"""What the claims of chatterji2021 on smoothed networks at initialisation measure, and the tails they are judged by.

Main definitions: `norm_tail`, a bracket for the norms of all layers, and `norms_off`, its upper end; `gated_norms`, the
gated products on a vector of Lemma E.10, and `gated_norms_of_chosen`, those on a vector that has seen the weights;
`weight_norm_tail` and `WeightNorm`, the law of the norm of all weights; `with_last_of_length`, for wrong variants.

The norm ratio of a layer of the Huberised ReLU lies between two numbers whose law is known: phi lies between relu -
h/2 and relu, so with R the ratio of the squared norms of a ReLU layer, (2/m) chi2_K with K ~ Binomial(m, 1/2),

    sqrt(R) ||x_{l-1}|| - h sqrt(m)/2 <= ||x_l|| <= sqrt(R) ||x_{l-1}||,

and R is independent of what enters the layer. With P_l the product of l such ratios, ||x_l|| is at most sqrt(P_l), and
at least sqrt(P_l) - (h sqrt(m)/2) (sqrt(P_l/P_1) + ... + sqrt(P_l/P_l)).
"""

import functools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy
from numpy.random import Generator
from scipy import special

from bounds.laws.layers import MaskedChiSquare, layer_product_tail
from bounds.papers import chatterji2021 as sheet
from nets import Activation, Array, Network, forward
from nets.networks.fresh import fresh_layer
from properties.shared.path_tails import path_tail
from theory.evidence import Tail

# Levels at which tails are computed, per unit: the search for a level asks for many that hardly differ. The tail from
# above is taken at the level below, and the one from below at the level above.
LEVELS_PER_UNIT = 1000

# The two chi-square variables of `weight_norm_tail` are cut up in pieces of 2 REACH/PIECES standard deviations.
LATTICE_PIECES = 1500
REACH = 30.0


def largest_smoothing(m: int, L: int) -> float:
    """An h just below what Lemma E.2 admits."""
    return 0.999 / float(sheet.lemma_E_2_smoothing.smaller(m=m, L=L, h=1.0))


def share_of_a_part(delta: float) -> float:
    """The failure probability of one of the eight parts of Lemma E.1."""
    return delta / 8.0


def with_last_of_length(X: Array, length: float) -> Array:
    """Points (n, d), the last of which is so many times as long: a wrong pass of it alone."""
    return X if length == 1.0 else np.concatenate([X[:-1], length * X[-1:]])


# ------------------------------------------------------------------------------------- norms of all layers


def norm_tail(level: float, m: int, n: int, L: int, h: float, gain: float = 2.0, growing: bool = False) -> Tail:
    """Bracket the probability that some ||x_{l,s}|| is off 1 by more than `level`, at n samples of norm 1.

    `growing`: by more than l times `level`.
    """
    place = level * LEVELS_PER_UNIT
    # The bound is one of these levels up to rounding.
    place = round(place) if abs(place - round(place)) < 1e-6 else place
    below, above = math.floor(place) / LEVELS_PER_UNIT, math.ceil(place) / LEVELS_PER_UNIT
    lower = _shorter(above * (L if growing else 1), m, L, gain)
    return Tail(lower, norms_off(below, m, n, L, h, gain, growing))


@functools.cache
def _shorter(deviation: float, m: int, L: int, gain: float) -> float:
    """The probability that L ReLU layers make a unit vector shorter than 1 - `deviation`, from below.

    The smoothing only makes it shorter still.
    """
    if deviation >= 1.0:
        return 0.0
    if L == 1:
        return float(MaskedChiSquare(m, gain).cdf((1.0 - deviation) ** 2))
    return layer_product_tail(m, L, (1.0 - deviation) ** 2, gain).below.lower


@functools.cache
def norms_off(level: float, m: int, n: int, L: int, h: float, gain: float, growing: bool) -> float:
    """The probability of `norm_tail`, from above alone.

    The ReLU network is judged at deviations a_l that do not fall with l and leave l h sqrt(m)/2 for the smoothing:
    while P_j >= (1 - a_j)^2 for all j, P_l/P_j is at most P_l/(1 - a_l)^2, so that ||x_l|| >= 1 - a_l - l h sqrt(m)/2.
    """
    layers = np.arange(1.0, L + 1.0)
    room = (layers if growing else 1.0) * level - layers * h * math.sqrt(m) / 2.0
    room = np.minimum.accumulate(room[::-1])[::-1]
    return path_tail(m, n, room, gain).upper if room[0] > 0.0 else 1.0


# ------------------------------------------------------------------------------------- products on a vector


def gated_norms(
    X: Array,
    z: Array,
    m: int,
    L: int,
    activation: Activation | None,
    rng: Generator,
    gain: float = 2.0,
    last_open: bool = False,
) -> tuple[Array, Array]:
    """Norms of the gated products on the unit vector z (d,) from every layer on, at the samples X (n, d).

    Both (k, n), one row for each pair of layers l1 <= l2: || Sigma_{l2-1} ... V_{l1} z || and || V_{l2} Sigma_{l2-1}
    ... V_{l1} z ||. Without an activation there are no gates, and with `last_open` none at the last sample. The layers
    are drawn at the vectors that meet them. z enters layer l1 as a vector of the width of that layer, on its first
    coordinates. Little depends on where it points: when the weights of a neuron change sign, its gate changes between 0
    and 1 and its squared response to z does not, so that gate and squared response are independent, and a gated layer's
    norm has the same law at every angle between z and the features.
    """
    n = X.shape[0]
    features, moving = X, np.empty((0, X.shape[1]))
    before: list[Array] = []
    after: list[Array] = []
    for layer in range(L):
        entering = np.zeros((1, features.shape[1]))
        entering[0, : z.size] = z
        moving = np.concatenate([moving, np.repeat(entering, n, axis=0)])
        # The n copies of z are one vector for the layer.
        distinct = np.concatenate([features, moving[: layer * n], entering])
        responses = fresh_layer(distinct, m, rng, gain)
        features, slopes = responses[:n], np.ones((n, m))
        if activation is not None:
            features, slopes = activation.value_and_slope(features)
        if last_open:
            slopes[-1] = 1.0
        out = np.concatenate([responses[n:-1], np.repeat(responses[-1:], n, axis=0)])
        before.append(np.linalg.norm(moving, axis=1).reshape(-1, n))
        after.append(np.linalg.norm(out, axis=1).reshape(-1, n))
        moving = out * np.tile(slopes, (layer + 1, 1))
    return np.concatenate(before), np.concatenate(after)


def gated_norms_of_chosen(net: Network, X: Array, z: Array) -> tuple[Array, Array]:
    """As `gated_norms`, of a stored network whose layers are square, for a vector z (m,) chosen by any rule."""
    slopes = forward(net, X).masks
    before, after = [], []
    for last in range(net.depth):
        for first in range(last + 1):
            moving = np.repeat(z[np.newaxis], X.shape[0], axis=0)
            for layer in range(first, last):
                moving = slopes[layer] * (moving @ net.weights[layer])
            before.append(np.linalg.norm(moving, axis=1))
            after.append(np.linalg.norm(moving @ net.weights[last], axis=1))
    return np.array(before), np.array(after)


# ------------------------------------------------------------------------------------- norm of all weights


def weight_norm_tail(norm: float, m: int, L: int, gain: float = 2.0, outputs: float = 1.0) -> Tail:
    """Bracket the probability that ||V|| exceeds `norm`: L square layers of width m and the output weights.

    ||V||^2 is (gain/m) chi2_{L m^2} + outputs chi2_m. The second variable is cut up in pieces; on each the first has
    to exceed what the ends of the piece leave.
    """
    ends, chances, outside = _pieces(m)
    exceeds = special.gammaincc(0.5 * L * float(m) ** 2, np.maximum(0.0, norm**2 - outputs * ends) * (m / gain / 2.0))
    return Tail(float(chances @ exceeds[:-1]), min(1.0, float(chances @ exceeds[1:]) + outside))


@dataclass(frozen=True)
class WeightNorm:
    """The law of ||V|| at L square layers of width m and the output layer, by the middle of `weight_norm_tail`."""

    m: int
    L: int

    def cdf(self, norms: npt.ArrayLike) -> Array:
        """The probability of at most each of the norms."""
        tails = [weight_norm_tail(float(norm), self.m, self.L) for norm in np.ravel(norms)]
        return np.reshape([1.0 - 0.5 * (tail.lower + tail.upper) for tail in tails], np.shape(norms))


@functools.cache
def _pieces(m: int) -> tuple[Array, Array, float]:
    """Ends of pieces of the range of chi2_m, their probabilities, and that of what lies outside."""
    law, spread = scipy.stats.chi2(m), math.sqrt(2.0 * m)
    ends = np.linspace(max(0.0, m - REACH * spread), m + REACH * spread, LATTICE_PIECES + 1)
    above = np.asarray(law.sf(ends))
    return ends, above[:-1] - above[1:], float(law.cdf(ends[0])) + float(above[-1])

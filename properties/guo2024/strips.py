"""What the claims on the proof of Lemma B.7 measure: strips about the zeros of neurons, and weights between them.

A strip of a unit vector h among others: weights w with |<w, h>| < g and |<w', h_j>| > factor g for all others, w' the
part of w that is orthogonal to h. Main definitions: `overlapping`, the weights that lie in two strips for the largest
factor; `inside`, membership; `drawn_inside`, weights of one strip; `chance_in_strip`, its exact probability;
`log_chance_below_half`, of a row sum.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from scipy.special import erf, erfc, logsumexp
from scipy.stats import binom

from nets.core.arrays import Array


def unit_states(points: Array) -> Array:
    """The rows divided by their norms, without those of points at which the network is silent: they have no strip."""
    felt = points[points.any(axis=1)]
    return np.asarray(felt / np.linalg.norm(felt, axis=1, keepdims=True))


def inside(w: Array, units: Array, i: int, factor: float = 2.0, g: float = 1.0) -> bool:
    """Whether w lies in the strip of row i of the unit rows (n, d)."""
    along = float(w @ units[i])
    others = np.delete(units @ (w - along * units[i]), i)
    return bool(abs(along) < g and (np.abs(others) > factor * g).all())


def overlapping(first: Array, second: Array, share: float = 1.0) -> Array:
    """w in the span of two unit vectors with <w, h_1> = share and <w, h_2> = -share, or equal signs if c < 0.

    With s and t for these products and c = <h_1, h_2>, |t - s c| and |s - t c| are share (1 + |c|), the most there is.
    """
    c = float(first @ second)
    wanted = share * np.array([1.0, -1.0 if c >= 0.0 else 1.0])
    gram = np.array([[1.0, c], [c, 1.0]])
    return np.asarray(np.linalg.solve(gram, wanted) @ np.stack([first, second]))


def drawn_inside(units: Array, i: int, rng: Generator, least: float, side: float = 1.0) -> Array:
    """Weights in the strip of row i with g = 1, at its edge: <w, h_i> = side, and the others at `least` or beyond.

    Raises ValueError where another row is parallel to row i.
    """
    rest = rng.standard_normal(units.shape[1])
    rest -= (rest @ units[i]) * units[i]
    sizes = np.delete(np.abs(units @ rest), i)
    if sizes.size and not sizes.min() > 1e-9:
        raise ValueError("no weights tell the strip of a row from that of a parallel one")
    return np.asarray(side * units[i] + (least / sizes.min() if sizes.size else 1.0) * rest)


def chance_in_strip(sine: float, others: int, width: float) -> float:
    """P(w in the strip) for w of variance 2/m, g = width/sqrt(m), and others whose rests are orthogonal to each other.

    Each makes the angle of this sine with the line of h, and its product with w' has the variance 2 sine^2/m.
    """
    return float(erf(0.5 * width) * erfc(width / sine) ** others)


def log_chance_below_half(m: int, chance: float, weights: Sequence[float]) -> float:
    """log P(sum_k Z_k < m E[Z]/2) for m copies of Z, which is weights[i] with this chance each, and else 0.

    Two weights at most differ: the first from all the others, which are equal.
    """
    top, rest, others = weights[0], weights[-1], len(weights) - 1
    level = 0.5 * m * chance * (top + others * rest)
    if others == 0 or rest == 0.0:
        return float(binom.logcdf(math.ceil(level / top) - 1, m, chance))
    hits = np.arange(math.ceil(level / top))
    # Given the hits of the first, those of the others are binomial in what is left.
    share = others * chance / (1.0 - chance)
    below = np.ceil((level - top * hits) / rest) - 1.0
    terms = binom.logpmf(hits, m, chance) + binom.logcdf(below, m - hits, share)
    return float(logsumexp(terms))

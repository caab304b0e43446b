"""Vectors of which nearly half of the coordinates are large with either sign.

Main definitions: `lack`, by which Definition A.14 says what vectors are good, and `chance_of_lack`, the exact
probability that a Gaussian vector is not, with `measured_lack`, what claims make of it.
"""

import math
from fractions import Fraction

import numpy as np
from scipy import special, stats

from nets.core.arrays import Array
from theory.claims import Measured


def lack(w: Array, threshold: float) -> Array:
    """1 - 2 k/m for the vectors w (..., m): k of the coordinates are at least the threshold, or at most minus it.

    The smaller of the two numbers counts. A vector is (alpha, sigma)-good where its lack at
    alpha sigma is at most alpha.
    """
    fewest = np.minimum(np.count_nonzero(w >= threshold, axis=-1), np.count_nonzero(w <= -threshold, axis=-1))
    return np.asarray(1.0 - 2.0 * fewest / w.shape[-1])


def least_number(m: int, alpha: float) -> int:
    """The least whole number of coordinates that is a share of (1 - alpha)/2 of m."""
    return math.ceil((1 - Fraction(alpha)) * m / 2)


def chance_of_lack(m: int, alpha: float, threshold: float) -> float:
    """The probability that m standard Gaussians have fewer than a share of (1 - alpha)/2 beyond one of +-threshold.

    Of the three numbers, above, below and between, the first and the second are judged: each is binomial, and given
    the first the second is too. More than half of the coordinates are never on both sides.
    """
    needed = least_number(m, alpha)
    if 2 * needed > m:
        return 1.0
    tail = 0.5 * float(special.erfc(threshold / math.sqrt(2.0)))
    above = np.arange(needed)
    one = stats.binom.cdf(needed - 1, m, tail)
    both = stats.binom.pmf(above, m, tail) @ stats.binom.cdf(needed - 1, m - above, tail / (1.0 - tail))
    return min(1.0, float(2.0 * one - both))


def measured_lack(m: int, alpha: float, threshold: float) -> Measured:
    """`chance_of_lack` at `threshold` times alpha, with its rounding error; of one Gaussian it has none."""
    value = chance_of_lack(m, alpha, threshold * alpha)
    return Measured(value, error=0.0 if m == 1 else 1e-11 * max(value, 1e-300))

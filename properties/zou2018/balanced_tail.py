"""The law of the output with balanced signs: of one random layer, and of deep networks of width 2 from below.

Main definitions: `balanced_tail` and `narrow_output_chance`.
"""

import math

import numpy as np
from scipy.special import wofz
from scipy.stats import norm

from bounds.laws.layers import layer_product_tail
from theory.evidence import Tail

# A characteristic function below this adds less than its size times the logarithm of the number of terms.
NEGLIGIBLE = 1e-18
# What the sum of some hundred terms of size one, each divided by a growing number, may be off by.
SUM_ERROR = 1e-13


def balanced_tail(m: int, level: float) -> Tail:
    """P(|f| > level) for f = sqrt(2/m) sum of m/2 independent differences of two rectified standard Gaussians, m >= 64.

    A rectified Gaussian has the characteristic function 1/2 + w(u/sqrt(2))/2, w the Faddeeva function. The midpoint
    rule of step h for the inversion integral is off by at most P(|f| > 2 pi/h - level) (Davies, Biometrika 60 (1973),
    415-417), below 2 exp(-(2 pi/h - level)^2/2) as f is 1-sub-Gaussian. The atom at 0 has mass 2^(-m) at most.
    """
    if m < 64:
        raise ValueError(f"width {m}: the law is summed for widths from 64 on, where the atom at 0 does not count")
    reach = 12.0
    step = 2.0 * math.pi / (level + reach)
    u = (np.arange(int(40.0 / step) + 1) + 0.5) * step
    size = np.abs(0.5 + 0.5 * wofz(u / math.sqrt(m))) ** m
    if size[-1] > NEGLIGIBLE:
        raise ValueError(f"width {m}: the characteristic function is still {size[-1]:.3g} where the sum ends")
    above = 0.5 - float(np.sum(np.sin(u * level) / u * size)) * step / math.pi
    error = SUM_ERROR + 2.0 * math.exp(-0.5 * reach**2)
    return Tail(max(0.0, 2.0 * above - error), min(1.0, max(0.0, 2.0 * above) + error))


def narrow_output_chance(depth: int, level: float) -> float:
    """A lower bound of P(|f(x)| > level) for `depth` >= 2 layers of width 2 and a unit vector x.

    f(x) = r D with the norm r of the last hidden vector and D = max(g, 0) - max(h, 0) for standard Gaussians g and h,
    all independent. Where g and h differ in sign |D| is the size of the positive one, so that P(|D| > u) is at least
    Q(u), the tail of a Gaussian. E[Q(level/r)] is summed over steps of r from below, by P(r > a) from below.
    """
    norms = np.geomspace(level / 10.0, level, 24)
    rises = np.diff(norm.sf(level / norms), prepend=0.0)
    beyond = [layer_product_tail(2, depth - 1, a**2).above.lower for a in norms]
    return float(np.maximum(beyond, 0.0) @ rises)

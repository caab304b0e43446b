"""Tails of the outputs B h_L of a random network, with B independent of h_L.

Main definitions: `norm_off`, on the norm of h_L; `output_exceeds` and `output_below`, brackets for ||B h_L||^2;
`antipode_exceeds`, for the difference of two squares.

Given h_L, d ||B h_L||^2/||h_L||^2 is chi2_d. The laws of the layers are those of the slope 0 at worst: in convex order,
hence in every exponential moment.
"""

import functools
import itertools
import math

import scipy

from bounds.laws.layers import chernoff_rate
from theory.evidence import Tail

# Relative deviations of ||h_L||^2 that are tried: each gives a bracket, and the best counts.
DEVIATIONS = (0.003, 0.01, 0.03, 0.06, 0.1, 0.15, 0.3, 0.6, 0.9)


@functools.lru_cache(maxsize=256)
def norm_off(m: int, L: int, deviation: float) -> tuple[float, float]:
    """Bounds of the probabilities that ||h_L||^2 is below 1 - deviation, and above 1 + deviation, at every slope.

    In one of the L + 1 factors, one of them chi2_m/m, the root of the limit has to be passed.
    """
    factors = L + 1
    below = -math.expm1(math.log1p(-deviation) / factors) if deviation < 1.0 else 1.0
    above = math.expm1(math.log1p(deviation) / factors)
    return (
        min(1.0, factors * math.exp(-m * chernoff_rate(-below))) if deviation < 1.0 else 0.0,
        min(1.0, factors * math.exp(-m * chernoff_rate(above))),
    )


def output_exceeds(level: float, m: int, L: int, outputs: int) -> Tail:
    """Bracket P(||B h_L||^2 > level)."""
    law, lower, upper = scipy.stats.chi2(outputs), 0.0, 1.0
    for t in (*DEVIATIONS, 1.25):
        short, long = norm_off(m, L, t)
        upper = min(upper, long + float(law.sf(outputs * level / (1.0 + t))))
        if t < 1.0:
            lower = max(lower, (1.0 - short) * float(law.sf(outputs * level / (1.0 - t))))
    return Tail(lower, upper)


def output_below(level: float, m: int, L: int, outputs: int) -> Tail:
    """Bracket P(||B h_L||^2 < level)."""
    law, lower, upper = scipy.stats.chi2(outputs), 0.0, 1.0
    for t in DEVIATIONS:
        short, long = norm_off(m, L, t)
        upper = min(upper, short + float(law.cdf(outputs * level / (1.0 - t))))
        lower = max(lower, (1.0 - long) * float(law.cdf(outputs * level / (1.0 + t))))
    return Tail(lower, upper)


def antipode_exceeds(level: float, m: int) -> Tail:
    """Bracket P((B h(-x))^2 - (B h(x))^2 > level) for one layer of ReLUs and one output.

    The neurons that pass x on are silent at -x, so that given the layer the two outputs are independent.
    """
    law, lower = scipy.stats.chi2(1), 0.0
    for t, part in itertools.product(DEVIATIONS, (0.1, 0.3, 0.5, 1.0)):
        off = sum(norm_off(m, 1, t))
        beyond = float(law.sf((level + (1.0 + t) * part) / (1.0 - t)))
        lower = max(lower, (1.0 - off) * beyond * float(law.cdf(part)))
    return Tail(lower, max(lower, output_exceeds(level, m, 1, 1).upper))

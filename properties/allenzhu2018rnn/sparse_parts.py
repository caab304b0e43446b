"""How rarely the image of a sphere under a Gaussian matrix has a long sparse part.

Main definitions: `log_chances`, minus the logarithm of that chance as an interval, and `longest_sparse_part`, an ascent
over the sphere. The sparse part of W x is what exceeds log(m)/sqrt(m) in size: W (m, d) of variance 2/m, ||x|| = 1.
"""

import math

import numpy as np
from scipy import special, stats

from nets.core.arrays import Array
from properties.shared.sparse_blocks import soft_threshold

# Steps of the ascent; it settles after a few.
ASCENT_STEPS = 20


def log_chances(m: int, d: int, length: float, gain: float = 2.0, entry: float = 1.0) -> tuple[float, float]:
    """Ends of minus the logarithm of the chance that some sparse part is longer than `length`.

    Where k rows exceed the threshold tau, the squared norm of their part is at most that of their image less k tau^2.
    So the norm of these rows is at least (length^2 + k tau^2)^(1/2), and with entries of variance 1 a norm of
    sqrt(k) + sqrt(d) + t has at most the chance exp(-t^2/2); union over all sets of k rows and all k. From above by
    the norm of the first row alone. The threshold is log(m)^entry/sqrt(m).
    """
    k, threshold = np.arange(1.0, m + 1.0), math.log(m) ** entry / math.sqrt(m)
    norms = np.sqrt(m / gain * (length**2 + k * threshold**2))
    beyond = np.maximum(norms - np.sqrt(k) - math.sqrt(d), 0.0)
    sets = special.gammaln(m + 1.0) - special.gammaln(k + 1.0) - special.gammaln(m - k + 1.0)
    low = -float(special.logsumexp(sets - 0.5 * beyond**2))
    # One entry of the row is enough, and its tail is known where that of the row underflows.
    reach = math.sqrt(m / gain) * (length + threshold)
    row, entry = float(stats.chi2.logsf(reach**2, d)), math.log(2.0) + float(special.log_ndtr(-reach))
    return max(0.0, low), -max(row, entry)


def longest_sparse_part(W: Array, starts: Array) -> float:
    """The largest norm of the sparse part of W x that an ascent from the rows of `starts` finds, ||x|| = 1.

    The norm is convex in x, so that a step to the direction of its gradient never makes it smaller.
    """
    threshold, best = math.log(len(W)) / math.sqrt(len(W)), 0.0
    for x in starts / np.linalg.norm(starts, axis=1, keepdims=True):
        for _ in range(ASCENT_STEPS):
            image = W @ x
            part = soft_threshold(image, threshold)
            length = float(np.linalg.norm(part))
            if length <= best:
                break
            best, x = length, part @ W
            x = x / np.linalg.norm(x)
    return best

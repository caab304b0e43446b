"""Neurons near the kink for one sequence and time and away from it for all others (Appendix D.1).

Main definitions: `near_kink`, `others_away` and `later_away`, the three conditions of Lemma D.2; `revealed_part`, what
is known of pre-activations before their fresh part is drawn; `minus_log_chance`, of binomial counts.

The time l is that of the state: conditions are on W h_{i,l} + A x_{i,l+1}, so that l + 1 is a time of the pass.
Thresholds are in units of 1/sqrt(m).
"""

import math

import numpy as np
import numpy.typing as npt
import scipy.stats
from scipy import special

from nets import Array, Forward, Network
from theory.claims import Measured, rounding

Neurons = npt.NDArray[np.bool_]


def near_kink(fwd: Forward, i: int, time: int, threshold: float) -> Neurons:
    """Whether the pre-activation of sequence i after `time` is at most the threshold in size: (m,)."""
    pre = fwd.pre[time][i]
    return np.asarray(np.abs(pre) <= threshold / math.sqrt(pre.size))


def others_away(fwd: Forward, i: int, time: int, threshold: float) -> Neurons:
    """Whether those of all other sequences after `time` are at least the threshold in size: (m,)."""
    pre = np.delete(fwd.pre[time], i, axis=0)
    return np.asarray(np.all(np.abs(pre) >= threshold / math.sqrt(pre.shape[1]), axis=0))


def later_away(fwd: Forward, time: int, threshold: float) -> Neurons:
    """Whether those of all sequences after all later times than `time` are at least the threshold in size: (m,)."""
    away = np.ones(fwd.pre[0].shape[1], dtype=bool)
    for pre in fwd.pre[time + 1 :]:
        away &= np.all(np.abs(pre) >= threshold / math.sqrt(pre.shape[1]), axis=0)
    return away


def revealed_part(net: Network, fwd: Forward, frame: Array, i: int, time: int) -> Array:
    """The pre-activation of sequence i after `time` less what W makes of the part of its state outside the frame: (m,).

    The rows of `frame` are orthonormal.
    """
    state = fwd.post[time][i]
    fresh = state - (frame @ state) @ frame
    return np.asarray(fwd.pre[time][i] - (fresh[np.newaxis] @ net.weights[0])[0])


def minus_log_chance(counts: npt.NDArray[np.intp], trials: int, chance: float) -> Measured:
    """Minus the logarithm of the chance of these `counts` of successes, of one below 1 in each trial.

    Tails as small as these are 0 as doubles, even in scipy.
    """
    value = -float(special.logsumexp(scipy.stats.binom.logpmf(counts, trials, chance)))
    # Each term is a difference of logarithms of factorials, two of which are at most the first, and a multiple of those
    # of the chances: functions that err by a few roundings. A chance that does so moves it by the expected counts.
    powers = float(-(special.xlogy(counts, chance) + special.xlog1py(trials - counts, -chance)).min())
    counted = float(counts.max()) + trials * chance / (1.0 - chance)
    lost = rounding(2.0 * float(special.gammaln(trials + 1.0)) + powers + counted, 8)
    return Measured(max(value, 0.0), error=lost + rounding(1.0, counts.size + 8) + rounding(abs(value), 1))

"""The logistic loss and its slope in the log domain, at margins where the loss itself is far below 1e-308.

Of margins m = y f(x), the loss is J_s = log(1 + exp(-m)), g_s = 1/(1 + exp(m)) = 1 - exp(-J_s), and J = (1/n) sum_s J_s
(chatterji2021, Section 2.2 and Definition B.1). Main definitions: `logistic_terms`, `log_mean_loss`.

At m = 10^5 the loss exp(-10^5) is no double, while its logarithm is one like any other: -10^5. Relative errors are a
few units in the last place for all four terms and all margins, also where log J_s passes through zero.

Written by hand: scipy has log g_s (`log_expit`), and not log J_s.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array, vector
from nets.core.jit import kernel

# The margin at which J_s = 1, that is -log(e - 1), as the sum of two doubles, and 1 - 1/e. With d = m - UNIT_LOSS
#     J_s = 1 + log(exp(-1) (1 + exp(-m))) = 1 + log1p((1 - 1/e) expm1(-d)),
# which keeps the digits of log J_s where J_s is near 1.
UNIT_LOSS = -0.5413248546129181
UNIT_LOSS_REST = 1.8138570925507326e-17
UNIT_SLOPE = 0.6321205588285577

# From here on log J_s + m = -exp(-m)/2 is below half a unit in the last place of m.
FAR = 40.0


@kernel
def logistic_logs(margins: Array) -> Array:
    """J_s, log J_s, g_s and log g_s of margins (k,): an array (4, k)."""
    out = np.empty((4, margins.size))
    for i in range(margins.size):
        m = margins[i]
        e = np.exp(-abs(m))
        rest = np.log1p(e)
        loss = rest - min(m, 0.0)
        if m >= FAR:
            log_loss = -m
        elif abs(m - UNIT_LOSS) <= 1.0:
            log_loss = np.log1p(np.log1p(UNIT_SLOPE * np.expm1(UNIT_LOSS_REST - (m - UNIT_LOSS))))
        else:
            log_loss = np.log(loss)
        out[0, i] = loss
        out[1, i] = log_loss
        out[2, i] = e / (1.0 + e) if m >= 0.0 else 1.0 / (1.0 + e)
        out[3, i] = -rest - max(m, 0.0)
    return out


class LogisticTerms(NamedTuple):
    """Per margin, in arrays of the shape of the margins: J_s, log J_s, g_s, log g_s. log(1 - g_s) is -J_s."""

    loss: Array
    log_loss: Array
    weight: Array
    log_weight: Array


def logistic_terms(margins: npt.ArrayLike) -> LogisticTerms:
    """All four terms at margins of any shape. J_s and g_s vanish above 745; their logarithms never do."""
    array = np.asarray(margins, dtype=np.float64)
    terms = logistic_logs(vector(array.reshape(-1), "the margins"))
    return LogisticTerms(*terms.reshape(4, *array.shape))


def log_mean(logs: npt.ArrayLike) -> float:
    """log((1/n) sum_s exp(logs_s)) for logs (n,), exp of none of which need be a double.

    Numbers all alike are returned as they are. Elsewhere the error is that of the largest entry, plus 3 + log2(n)
    roundings of numbers of size at most 1 + log(n); where entries above and below 0 make the result small, that is
    an absolute error. NaN gives NaN.
    """
    logs = vector(logs, "the logarithms")
    if not logs.size:
        raise ValueError("there are no logarithms: pass one per sample")
    largest = float(logs.max())
    if not math.isfinite(largest):
        return largest
    return largest + math.log(float(np.mean(np.exp(logs - largest))))


def log_mean_loss(margins: npt.ArrayLike) -> float:
    """log J, J = (1/n) sum_s log(1 + exp(-m_s)), for margins (n,); see `log_mean` for its error."""
    return log_mean(logistic_terms(vector(margins, "the margins")).log_loss)

"""The law of the output of one random layer with balanced signs.

Main definition: `balanced_tail`.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import wofz

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

"""What the claims on scalar inequalities measure: the law of a balanced sum, tails of single variables, recursions.

Main definitions: `balanced_tail`, the output of one layer; `Witness`, laws that a general tail bound must respect;
`descend`, a loss that falls by exactly what is asked.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import flint
import numpy as np
from scipy.special import wofz

from bounds.balls import certainly_le, precision_of
from bounds.bound import Bound
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


@dataclass(frozen=True)
class Witness:
    """Sums of `terms` copies of one variable with weights 1, of psi norm at most `norm`, and their exact tail."""

    terms: int
    norm: Callable[[], flint.arb]
    tail: Callable[[flint.arb], flint.arb]

    def violates(self, bound: Bound, level: int) -> bool:
        """Whether its tail at the level certainly exceeds the bound."""
        with precision_of(128):
            values: dict[str, Any] = {
                "normX": self.norm(),
                "norma": flint.arb(self.terms).sqrt(),
                "maxa": flint.arb(1),
                "t": flint.arb(level),
            }
            given = {name: values[name] for name in bound.symbols}
            return certainly_le(self.tail(flint.arb(level)), bound.ball(**given)) is False


# Levels at which a tail bound is held against these laws.
LEVELS = (1, 10, 100, 1000)

# An exponential variable less its mean: E[|X|^q]^(1/q)/q is largest at q = 1, where it is 2/e < 3/4.
EXPONENTIAL = Witness(1, lambda: flint.arb(3) / 4, lambda t: (-1 - t).exp())


def gaussians(terms: int) -> Witness:
    """Standard Gaussians: their psi_1 and psi_2 norms are E|X| = sqrt(2/pi), as q = 1 is the worst moment of both."""
    return Witness(terms, lambda: (2 / flint.arb.pi()).sqrt(), lambda t: (t / flint.arb(2 * terms).sqrt()).erfc())


def descend(loss: float, decrease: Callable[[float], float], steps: int) -> tuple[float, int]:
    """The loss after so many steps of the given decrease, or after fewer where the next one would end it."""
    for k in range(steps):
        lower = loss - decrease(loss)
        if not lower > 0.0:
            return loss, k
        loss = lower
    return loss, steps

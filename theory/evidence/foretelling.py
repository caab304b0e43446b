"""What many replicates would show, by a few of them: the constant that they would give, and how many miss a bound.

By normal tails of the logarithms, or of the numbers themselves where one is not positive. It decides nothing and is for
a first look, which has to agree with the run that comes after it.

Main definitions: `foretold`, a fitted constant; `share_beyond`, of replicates a bound; `is_unlikely`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from theory.core.means import FloatArray
from theory.core.statistics import binomial_survival

# What is told to be at most, or too many, is so with this chance of an error.
UNLIKELY = 0.05


@dataclass(frozen=True)
class Foretold:
    """The constant that a fit of many replicates most likely gives, and the one that is easiest to meet among those
    that it may give."""

    likely: float
    loosest: float


def foretold(
    found: Sequence[FloatArray], numbers: Sequence[int], spared: float, margin: float, upper: bool
) -> Foretold:
    """The constant by the ratios `found` to the bound without it in each cell, of which `numbers` will be measured.

    The share `spared` of these may be beyond it, and it has the `margin`. It is no nearer to the bound than what was
    measured already, but for those that are spared. The cells are taken to be spread alike.
    """
    sign = 1.0 if upper else -1.0
    if not all(np.isfinite(ratios).all() for ratios in found):
        return Foretold(math.nan, math.nan)
    logarithms = all((ratios > 0.0).all() for ratios in found)
    scaled = [sign * (np.log(ratios) if logarithms else ratios) for ratios in found]
    freedom = sum(one.size - 1 for one in scaled)
    variance = sum(float(np.sum((one - one.mean()) ** 2)) for one in scaled) / max(1, freedom)
    spread = math.sqrt(variance)
    widest = spread * math.sqrt(freedom / scipy.special.chdtri(freedom, 1.0 - UNLIKELY)) if freedom else spread
    likely, loosest = -math.inf, -math.inf
    for one, number in zip(scaled, numbers, strict=True):
        left_out = int(spared * number)
        beyond = scipy.special.ndtri((number - left_out - 0.375) / (number + 0.25))
        known = float(np.sort(one)[one.size - 1 - int(spared * one.size)])
        likely = max(likely, known, one.mean() + beyond * spread)
        off = scipy.special.ndtri(1.0 - UNLIKELY) * widest / math.sqrt(one.size)
        loosest = max(loosest, known, one.mean() + off + beyond * widest)
    ends = [math.exp(sign * end) if logarithms else sign * end for end in (likely, loosest)]
    return Foretold(*(end * margin if upper else end / margin for end in ends))


def share_beyond(ratios: FloatArray, sense: str) -> float:
    """The share of measurements that miss their bound, by their ratios to it."""
    if ratios.size < 2 or not np.isfinite(ratios).all():
        return 0.0
    logarithms = bool((ratios > 0.0).all())
    scaled = np.log(ratios) if logarithms else ratios - 1.0
    spread = float(scaled.std(ddof=1))
    if spread == 0.0:
        return 0.0
    low = sense == ">="
    return float(scipy.special.ndtr((-scaled.mean() if low else scaled.mean()) / spread))


def spread_within(cells: Sequence[FloatArray]) -> float:
    """The factor within which positive measurements of a cell lie around their middle, a standard deviation; else 1."""
    logs = [np.log(one) for one in cells if one.size > 1 and np.isfinite(one).all() and (one > 0.0).all()]
    freedom = sum(one.size - 1 for one in logs)
    return (
        math.exp(math.sqrt(sum(float(np.sum((one - one.mean()) ** 2)) for one in logs) / freedom)) if freedom else 1.0
    )


def is_unlikely(missed: int, trials: int, rate: float) -> bool:
    """Whether so many of the trials miss a bound by chance hardly ever, where the share `rate` of them does."""
    return bool(missed and binomial_survival(missed - 1, trials, rate) < UNLIKELY)

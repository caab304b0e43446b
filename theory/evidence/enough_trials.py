"""How many trials a row may run: so many that the seed does not matter, by its rate and a declared reserve.

A row with the reserve r is to be decided although the true failure rate is r times the one that the claim allows. Its
budget is the least number of trials after which the test has supported such a row but with the probability
`UNDECIDED`, shared by its cells. A true failure rate below that leaves it undecided more seldom still. The test stops
as soon as it knows, so that a large budget costs nothing where failures are few.

Main definitions: `trials_to_decide`, the budget; `undecided`, the probability that a budget is not enough.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from theory.core.budget import FALSE_ALARM_BUDGET
from theory.core.statistics import (
    binomial_survival,
    clopper_pearson_upper,
    log_e_support,
    smallest_count,
    undecided_chance,
)

# The probability that a row is undecided although the statement is true, with the reserve that it declares.
UNDECIDED = 1e-6

# Half: a test at the levels of a suite needs 15 times the trials that it needs where nothing fails. At 3/4 it is 60
# times, and at 1/4 it is 5 times.
RESERVE = 0.5

# More trials than this in a cell nobody waits for: a rate below 1/2500 asks for them at a reserve of 1/2.
MOST_TRIALS = 10**6

# Before a run nobody knows how many claims share the error budget: a block is checked at the share of one in so many.
NOMINAL_ALPHA = FALSE_ALARM_BUDGET / 1000

# How many numbers of trials are tried at once, the first ones within so many doublings of the least.
TRIED = 64
DOUBLINGS = 16


@cache
def undecided(rate: float, alpha: float, reserve: float, trials: int, fixed: bool = False) -> float:
    """The probability that `trials` trials do not support `rate`, each failing with probability `reserve * rate`.

    Of a sequential test it is a bound: support at an earlier look is not counted. With `fixed` one Clopper-Pearson
    bound decides after all trials. 1 where the rate is none of a trial that can fail and can pass.
    """
    if not 0.0 < rate < 1.0:
        return 1.0
    return undecided_chance(rate, alpha, trials, reserve * rate, fixed=fixed)


@cache
def trials_to_decide(
    rate: float, alpha: float, reserve: float, missed: float = UNDECIDED, fixed: bool = False
) -> int | None:
    """The least number of trials for which `undecided` is at most `missed`; None where `MOST_TRIALS` are too few.

    The least up to the steps of whole numbers: some smaller numbers may do as well.
    """
    if not 0.0 < rate < 1.0:
        return None
    # Without a failure this many are needed at least, by the likelihood alone.
    least = max(1, math.ceil(math.log(alpha) / math.log1p(-rate)))
    if least > MOST_TRIALS:
        return None
    tried = np.unique(np.ceil(least * 2.0 ** np.linspace(0.0, DOUBLINGS, TRIED)).astype(np.int64))
    below = least - 1
    while True:
        enough = np.flatnonzero(_suffice(rate, alpha, reserve, missed, fixed, tried))
        if enough.size == 0:
            return None
        found = int(tried[enough[0]])
        below = int(tried[enough[0] - 1]) if enough[0] > 0 else below
        if found - below <= 1:
            break
        tried = np.unique(np.linspace(below + 1, found, TRIED).astype(np.int64))
    return found if found <= MOST_TRIALS else None


def _suffice(
    rate: float, alpha: float, reserve: float, missed: float, fixed: bool, trials: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which of the numbers of trials support even with the most failures that are not too improbable."""
    failures = smallest_count(lambda k, n: binomial_survival(k, n, reserve * rate) <= missed, trials)
    if fixed:
        return np.asarray(clopper_pearson_upper(failures, trials, 1.0 - alpha) <= rate)
    return np.asarray(log_e_support(failures, trials, rate) >= -math.log(alpha))

"""Numbers of trials that follow from a rate and a reserve: by exact binomial tails and by simulated tests."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
import scipy

from theory.core.refusal import ROOT
from theory.core.statistics import SequentialTest, clopper_pearson_upper
from theory.evidence.enough_trials import MOST_TRIALS, trials_to_decide, undecided


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("rate", [0.9, 0.5, 0.1, 0.01])
@pytest.mark.parametrize("reserve", [0.25, 0.5])
def test_the_number_is_the_least_that_decides(rate: float, reserve: float, fixed: bool) -> None:
    found = trials_to_decide(rate, 1e-9, reserve, 1e-6, fixed)
    assert found is not None
    assert undecided(rate, 1e-9, reserve, found, fixed) <= 1e-6
    # One less may do by a step of whole numbers, a tenth less may not.
    assert undecided(rate, 1e-9, reserve, int(0.9 * found), fixed) > 1e-6


@pytest.mark.parametrize("fixed", [False, True])
def test_the_probability_is_the_binomial_tail_above_what_supports(fixed: bool) -> None:
    trials, rate, alpha = 60, 0.4, 1e-3
    test = SequentialTest(rate, alpha)

    def supports(failures: int) -> bool:
        if fixed:
            return bool(clopper_pearson_upper(failures, trials, 1.0 - alpha) <= rate)
        return test.decide(failures, trials) == "support"

    missed = sum(scipy.stats.binom.pmf(k, trials, 0.2) for k in range(trials + 1) if not supports(k))
    assert undecided(rate, alpha, 0.5, trials, fixed) == pytest.approx(missed, rel=1e-9)
    assert 0.01 < missed < 0.99


def test_runs_of_the_sequential_test_are_undecided_no_more_often() -> None:
    """10 000 runs with half the rate: the share that no look decides is below the bound, which is 1 % here."""
    rate, alpha = 0.4, 1e-3
    budget = trials_to_decide(rate, alpha, 0.5, 0.01)
    assert budget is not None
    test = SequentialTest(rate, alpha)
    looks = np.unique(np.linspace(1, budget, 30).astype(int))
    failures = np.cumsum(np.random.default_rng(5).random((10_000, budget)) < 0.5 * rate, axis=1)[:, looks - 1]
    undecided_share = float(np.mean((failures > test.support_boundary(looks)).all(axis=1)))
    # The binomial tail of 10 000 at 1 % beyond 1.5 % is 2e-6.
    assert undecided_share <= 0.015


@pytest.mark.parametrize("rate", [0.0, 1.0, -0.5, 1.5, math.nan, math.inf])
def test_a_rate_that_says_nothing_has_no_number(rate: float) -> None:
    assert trials_to_decide(rate, 1e-9, 0.5) is None
    assert undecided(rate, 1e-9, 0.5, 100) == 1.0


def test_what_takes_too_many_trials_has_no_number() -> None:
    assert trials_to_decide(1e-5, 1e-9, 0.5) is None
    within = trials_to_decide(5e-4, 1e-9, 0.5)
    assert within is not None
    assert within <= MOST_TRIALS


def test_a_smaller_rate_and_a_larger_reserve_take_more() -> None:
    found = [trials_to_decide(rate, 1e-9, 0.5) or 0 for rate in (0.8, 0.4, 0.2, 0.1)]
    assert found == sorted(found)
    found = [trials_to_decide(0.4, 1e-9, reserve) or 0 for reserve in (0.1, 0.3, 0.5, 0.7)]
    assert found == sorted(found)


def test_a_budget_is_found_without_what_takes_long_to_load() -> None:
    """Every start of a claim finds budgets: scipy.stats takes half a second to load, joblib a tenth.

    And scipy.special a quarter, which waits for the first budget.
    """
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, theory.evidence as evidence; from theory.evidence.enough_trials import trials_to_decide; "
            "assert 'scipy.special' not in sys.modules; "
            "print(trials_to_decide(0.1, 1e-9, 0.5), {'scipy.stats', 'joblib'} & {*sys.modules})",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.split() == [str(trials_to_decide(0.1, 1e-9, 0.5)), "set()"]

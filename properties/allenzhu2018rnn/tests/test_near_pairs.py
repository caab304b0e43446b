"""Pairs are at the distance asked for, with errors a step feels least, and wide networks are near the limit."""

import numpy as np
import pytest

from properties.allenzhu2018rnn.descent import RecurrentIterate
from properties.allenzhu2018rnn.near_pairs import ERROR_NORM, hard_pair, limit_eigenvalue


def test_a_pair_is_at_its_distance_and_off_its_targets_by_small_errors() -> None:
    X, targets, net = hard_pair(np.random.default_rng(0), 64, 0.25)
    assert np.linalg.norm(X[0, 0] - X[1, 0]) == pytest.approx(0.25)
    at = RecurrentIterate.of(net, X, targets)
    assert np.linalg.norm(at.errors) == pytest.approx(ERROR_NORM)
    assert at.errors @ at.kernel @ at.errors == pytest.approx(ERROR_NORM**2 * at.eigenvalues[0], rel=1e-6)


def test_the_limit_is_that_of_wide_networks() -> None:
    found = []
    for seed in range(4):
        X, targets, net = hard_pair(np.random.default_rng(seed), 30_000, 0.5)
        found.append(RecurrentIterate.of(net, X, targets).eigenvalues[0] / 30_000)
    assert np.mean(found) == pytest.approx(limit_eigenvalue(0.5), rel=0.05)

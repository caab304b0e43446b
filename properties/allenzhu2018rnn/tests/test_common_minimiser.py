"""Exact second moments of stochastic descent are those of drawn paths, and the unkind functions are what they say."""

import numpy as np
import pytest

from properties.allenzhu2018rnn.common_minimiser import least_squares


@pytest.mark.parametrize("apart", [0.0, 0.5])
def test_mean_squared_distances_are_those_of_drawn_paths(apart: float) -> None:
    rng = np.random.default_rng(0)
    problem = least_squares(3, 2, 1.0, "drawn", 0.5, rng, apart)
    x = np.repeat(problem.first[np.newaxis], 40_000, axis=0)
    for _ in range(3):
        i = rng.integers(3, size=len(x))
        x = x - 0.4 * np.einsum("kij,kj->ki", problem.matrices[i], x - problem.centres[i])
    found = np.mean(np.sum((x - problem.minimiser) ** 2, axis=1)) / np.sum((problem.first - problem.minimiser) ** 2)
    assert problem.distances(0.4, 3)[3] == pytest.approx(found, rel=0.02)
    assert (problem.spread == 0.0) == (apart == 0.0)


def test_functions_are_flat_or_steep_in_the_share_asked_for() -> None:
    problem = least_squares(4, 3, 2.0, "flat or steep", 0.5, np.random.default_rng(0))
    assert problem.lip == 2.0
    assert problem.lam == pytest.approx(1.0, abs=2e-3)
    with pytest.raises(ValueError, match="choose"):
        least_squares(2, 1, 1.0, "soft", 0.5, np.random.default_rng(0))


def test_steps_are_counted_to_the_accuracy_or_given_up() -> None:
    problem = least_squares(2, 1, 1.0, "flat or steep", 0.9, np.random.default_rng(0))
    assert problem.steps(1.0, 0.5, 10) == 1
    assert problem.steps(-1.0, 0.5, 10_000) == 10_000
    assert problem.steps(1e-6, 0.5, 10) == 10

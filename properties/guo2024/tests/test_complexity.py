"""Risks and complexities of a class against direct calculations."""

import itertools

import numpy as np
import pytest
from numpy.random import Generator

from properties.guo2024.complexity import SignedGroups, UpperHalf, population_risk
from properties.shared.rademacher import rademacher


@pytest.fixture
def rng() -> Generator:
    return np.random.default_rng(8)


def test_the_risk_is_the_mean_squared_distance_and_the_sum_of_that_of_the_outputs(rng: Generator) -> None:
    outputs, targets = rng.standard_normal((2, 5, 3))
    chances = rng.dirichlet(np.ones(5))
    parts = [population_risk(outputs[:, k], targets[:, k], chances) for k in range(3)]
    assert population_risk(outputs, targets, chances) == pytest.approx(sum(parts))
    assert population_risk([[1.0], [3.0]], [[0.0], [0.0]], [0.75, 0.25]) == 3.0


@pytest.mark.parametrize("groups", [0, 1, 3])
def test_the_largest_gap_of_signed_groups_is_found_by_trying(rng: Generator, groups: int) -> None:
    family = SignedGroups(groups)
    sizes, ones = family.counts(rng, 7)
    assert sizes.sum() == 7
    levels = np.linspace(-1.0, 1.0, 201)
    gaps = []
    for value in itertools.product(levels if groups == 1 else levels[::20], repeat=max(groups, 1)):
        f = np.array(value if groups else (-1.0,))
        training = np.sum(ones * (f - 1.0) ** 2 + (sizes - ones) * (f + 1.0) ** 2) / 7.0
        gaps.append(np.mean(f**2 + 1.0) - training)
    assert max(gaps) <= family.largest_gap(sizes, ones) + 1e-12
    assert max(gaps) == pytest.approx(family.largest_gap(sizes, ones), abs=0.02)


def test_the_complexity_of_signed_groups_is_that_of_their_corners(rng: Generator) -> None:
    sizes = np.array([3, 2])
    groups = np.repeat([0, 1], sizes)
    corners = np.array(list(itertools.product((-1.0, 1.0), repeat=2)))[:, groups]
    assert SignedGroups(2).complexity(sizes) == pytest.approx(rademacher(corners))
    assert SignedGroups(0).complexity(sizes[:1]) == 0.0


def test_the_largest_gap_and_the_complexity_of_the_upper_half_are_those_of_its_corners(rng: Generator) -> None:
    family = UpperHalf(3)
    sizes = family.counts(rng, 7)
    assert sizes.sum() == 7
    corners = np.array(list(itertools.product((0.5, 1.0), repeat=3)))
    gaps = np.mean(corners**2, axis=1) - corners**2 @ sizes / 7.0
    assert family.largest_gap(sizes) == pytest.approx(gaps.max())
    groups = np.repeat(np.arange(3), sizes.astype(int))
    assert family.complexity(sizes) == pytest.approx(rademacher(corners[:, groups]))

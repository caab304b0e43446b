"""Strips by their definition, their probability against samples, and the tail of a row sum against enumeration."""

import itertools
import math

import numpy as np
import pytest
from numpy.random import Generator

from nets.data.points import sphere
from properties.guo2024.strips import (
    chance_in_strip,
    drawn_inside,
    inside,
    log_chance_below_half,
    overlapping,
    unit_states,
)


@pytest.fixture
def rng() -> Generator:
    """One generator for each test."""
    return np.random.default_rng(29)


def test_overlapping_weights_lie_in_both_strips_up_to_the_factor(rng: Generator) -> None:
    for units in (sphere(2, 3, rng) for _ in range(10)):
        c = abs(float(units[0] @ units[1]))
        w = overlapping(units[0], units[1], 1.0 - 1e-9)
        assert all(inside(w, units, i, (1.0 + c) * (1.0 - 1e-6)) for i in (0, 1))
        assert not any(inside(w, units, i, 1.0 + c) for i in (0, 1))


def test_weights_drawn_inside_are_at_the_edge(rng: Generator) -> None:
    units = unit_states(rng.standard_normal((4, 5)))
    w = drawn_inside(units, 2, rng, 2.1, side=-0.999)
    assert w @ units[2] == pytest.approx(-0.999)
    assert inside(w, units, 2)
    assert not inside(w, units, 2, 2.2)
    silent = np.array([[0.0, 0.0], [3.0, 4.0]])
    np.testing.assert_allclose(unit_states(silent), [[0.6, 0.8]], rtol=1e-15)
    with pytest.raises(ValueError, match="parallel"):
        drawn_inside(np.ones((2, 1)), 0, rng, 2.1)


def test_the_probability_of_a_strip_by_samples(rng: Generator) -> None:
    """h = e_1, two others with orthogonal rests; weights of variance 2, so that m = 1."""
    sine, width = 0.6, 0.2
    units = np.array([[1.0, 0.0, 0.0], [0.8, sine, 0.0], [-0.8, 0.0, sine]])
    found = np.mean([inside(w, units, 0, 2.0, width) for w in math.sqrt(2.0) * rng.standard_normal((40000, 3))])
    assert found == pytest.approx(chance_in_strip(sine, 2, width), abs=0.004)


@pytest.mark.parametrize("weights", [[1.0], [1.0, 0.3, 0.3], [1.0, 1.0], [1.0, 0.0]])
def test_the_tail_of_a_row_sum_by_enumeration(weights: list[float]) -> None:
    m, chance = 4, 0.2
    outcomes = [(w, chance) for w in weights] + [(0.0, 1.0 - chance * len(weights))]
    level, total = 0.5 * m * chance * sum(weights), 0.0
    for rows in itertools.product(outcomes, repeat=m):
        if sum(value for value, _ in rows) < level - 1e-12:
            total += math.prod(p for _, p in rows)
    assert math.exp(log_chance_below_half(m, chance, weights)) == pytest.approx(total)

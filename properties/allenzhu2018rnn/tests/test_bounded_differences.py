"""Tables of functions of bits."""

import itertools

import numpy as np
import pytest

from properties.allenzhu2018rnn.bounded_differences import CUBE_FUNCTIONS, BitFunction


@pytest.mark.parametrize("family", CUBE_FUNCTIONS)
def test_law_and_changes_are_those_of_all_points_one_by_one(family: str) -> None:
    found = BitFunction(CUBE_FUNCTIONS[family](3), 0.2)
    assert found.table.min() >= 0.0
    assert found.table.max() <= 1.0
    mean, largest = 0.0, np.zeros(3)
    for point in itertools.product((0, 1), repeat=3):
        weight = 0.2 ** sum(point) * 0.8 ** (3 - sum(point))
        assert found.weights[point] == pytest.approx(weight)
        mean += weight * found.table[point]
        others = [tuple(1 - bit if i == k else bit for i, bit in enumerate(point)) for k in range(3)]
        changes = [abs(found.table[other] - found.table[point]) for other in others]
        largest = np.maximum(largest, changes)
        assert found.point_changes()[point] == max(changes)
    assert found.mean == pytest.approx(mean)
    assert found.changes() == pytest.approx(largest)


def test_a_spike_matters_at_few_points() -> None:
    found = BitFunction(CUBE_FUNCTIONS["spike"](3), 0.1)
    assert found.probability(found.point_changes() > 0.0) == pytest.approx(0.1**3 + 3 * 0.1**2 * 0.9)
    assert found.probability(found.table < 0.5) == pytest.approx(0.1**3)


def test_no_probability_is_above_one() -> None:
    chances = np.linspace(0.01, 0.99, 50)
    found = [BitFunction(CUBE_FUNCTIONS["share"](6), chance) for chance in chances]
    assert max(function.weights.sum() for function in found) > 1.0
    assert max(function.probability(function.table >= 0.0) for function in found) == 1.0


def test_values_of_three_families_at_one_point() -> None:
    at = (1, 0, 1)
    assert CUBE_FUNCTIONS["share"](3)[at] == pytest.approx(2.0 / 3.0)
    assert CUBE_FUNCTIONS["weighted"](3)[at] == 0.625
    assert CUBE_FUNCTIONS["majority"](3)[at] == 1.0
    assert CUBE_FUNCTIONS["parity"](3)[at] == 0.0

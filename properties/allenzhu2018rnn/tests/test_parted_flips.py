"""Worst changes in two parts: the suprema are attained, and nothing that is tried passes them."""

import numpy as np
import pytest

from properties.allenzhu2018rnn import parted_flips
from properties.allenzhu2018rnn.parted_flips import aimed_mass, good_pre_activations, largest_mass, most_flips

# Nothing is moved by more than its budget; kinks are passed by this share of it.
PASSED = 1e-9


def worst_change(pre: np.ndarray, budget: float, level: float, what: str) -> np.ndarray:
    """The change g'_1 + g'_2 (m,) of g~ (m,) that attains `most_flips`, or `largest_mass`: "flips" or "mass"."""
    against = np.where(pre > 0.0, -1.0, 1.0)
    left = np.maximum(np.abs(pre) - level, 0.0)
    first = np.zeros_like(pre)
    if what == "flips":
        turned = np.argsort(left, kind="stable")[: most_flips(pre, (1.0 - 1e-6) * budget, level)]
        first[turned] = left[turned] + PASSED * budget / pre.size
    else:
        reach = np.maximum(level - np.abs(pre), 0.0)
        along = reach if reach.any() else (np.arange(pre.size) == np.argmin(np.abs(pre))).astype(np.float64)
        first = budget * along / float(np.linalg.norm(along))
    return np.asarray(against * (first + level))


def turned(pre: np.ndarray, change: np.ndarray) -> np.ndarray:
    return np.asarray((pre > 0.0) != (pre + change > 0.0))


@pytest.mark.parametrize(("budget", "level"), [(0.3, 0.0), (0.3, 0.05), (2.0, 0.2)])
def test_the_worst_change_turns_as_many_gates_as_any_and_no_other_more(budget: float, level: float) -> None:
    rng = np.random.default_rng(0)
    pre = rng.standard_normal(40)
    most = most_flips(pre, budget, level)
    change = worst_change(pre, budget, level, "flips")
    assert np.count_nonzero(turned(pre, change)) == most
    first = np.abs(change) - level
    assert np.linalg.norm(first) <= budget * (1.0 + 1e-9)
    for _ in range(200):
        random = rng.standard_normal(40) * (rng.random(40) < rng.random())
        random *= budget / max(float(np.linalg.norm(random)), 1e-300)
        assert np.count_nonzero(turned(pre, random - level * np.sign(pre))) <= most


@pytest.mark.parametrize(("budget", "level"), [(0.3, 0.2), (0.5, 0.0), (0.1, 0.5)])
def test_the_largest_mass_is_attained_and_not_passed(budget: float, level: float) -> None:
    rng = np.random.default_rng(1)
    pre = rng.standard_normal(30)
    change = worst_change(pre, budget, level, "mass")
    mass = largest_mass(pre, budget, level)
    assert np.linalg.norm((pre + change)[turned(pre, change)]) == pytest.approx(mass)
    for _ in range(200):
        random = rng.standard_normal(30) * (rng.random(30) < rng.random())
        random *= budget / max(float(np.linalg.norm(random)), 1e-300)
        tried = random - level * np.sign(pre)
        assert np.linalg.norm((pre + tried)[turned(pre, tried)]) <= mass * (1.0 + 1e-12)


def test_without_an_entry_in_reach_nothing_passes() -> None:
    assert largest_mass(np.array([1.0, -2.0]), 0.3, 0.5) == 0.0
    assert most_flips(np.array([1.0, -2.0]), 0.3, 0.5) == 0


def test_what_is_aimed_passes_turned_gates_and_more_along_its_aim_than_the_worst_change() -> None:
    rng = np.random.default_rng(2)
    pre, along = rng.standard_normal((2, 200))
    mass = aimed_mass(pre, 2.0, 0.01, along)
    turning = mass > 0.0
    assert turning.any()
    assert (along[turning] > 0.0).all()
    first = mass[turning] + np.abs(pre[turning]) - 0.01
    assert np.linalg.norm(first) == pytest.approx(2.0)
    unaimed = np.abs(pre + worst_change(pre, 2.0, 0.01, "flips")) * turned(pre, worst_change(pre, 2.0, 0.01, "flips"))
    assert along @ mass > 5.0 * abs(along @ unaimed)
    assert not aimed_mass(pre, 2.0, 0.01, -np.abs(along)).any()
    assert not aimed_mass(np.array([5.0, -5.0]), 1.0, 0.0, np.ones(2)).any()


def test_good_vectors_have_the_entries_asked_for() -> None:
    sizes = good_pre_activations(10, 0.5, 3, 2)
    assert np.count_nonzero(sizes <= 1.0) == 3
    assert np.count_nonzero(sizes <= 1.0 + 1e-6) == 5
    assert np.count_nonzero(sizes == 2.0) == 5


@pytest.mark.parametrize("budget", [0.01, 1.0, 30.0, 1e4])
@pytest.mark.parametrize("level", [0.0, 0.02, 1.0])
def test_what_is_spared_a_sort_turns_nothing(budget: float, level: float, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    pre, along = rng.standard_normal(5000), rng.standard_normal(5000)
    found = aimed_mass(pre, budget, level, along)
    monkeypatch.setattr(parted_flips, "_beyond", lambda *_: np.inf)
    np.testing.assert_array_equal(found, aimed_mass(pre, budget, level, along))

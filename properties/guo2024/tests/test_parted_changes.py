"""Changes in two parts oppose the signs of the neurons they move, at the levels asked."""

import numpy as np
import pytest

from properties.guo2024.parted_changes import PartedChange, parted, pinned_draw, sizes_of, squares


def test_the_parts_oppose_and_their_levels_are_those_asked() -> None:
    (levels,) = pinned_draw(low=0.5, inside=0.3, outside=2.0, sup=0.4)
    change = parted(np.random.default_rng(0), 6, 0.5, **{**levels, "beta_": 2.0})
    assert np.abs(change.before) == pytest.approx([2.0] * 3 + [1.0] * 3)
    assert np.all(change.before * change.first < 0.0)
    assert np.all(change.before * change.second < 0.0)
    assert sizes_of(change) == {"drift1": pytest.approx(np.sqrt(3 * 16.0 + 3 * 0.36)), "drift2": pytest.approx(0.8)}


def test_what_flips_counts_and_what_does_not_is_left_out() -> None:
    change = PartedChange(0.0, np.array([1.0, -1.0, 1.0]), np.array([-3.0, 0.5, 0.0]), np.array([0.0, 2.0, 0.0]))
    assert change.jumps == pytest.approx([-1.0, 1.0, 0.0])
    assert change.flipped_part == pytest.approx([2.0, 1.5, 0.0])
    assert squares(change, np.array([True, False, True])) == (pytest.approx(4.0), 1)
    assert squares(change, np.ones(3, dtype=bool)) == (pytest.approx(6.25), 2)

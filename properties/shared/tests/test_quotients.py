"""Shares of a whole that may be 0."""

import numpy as np

from properties.shared.quotients import quotients


def test_a_part_of_nothing_is_infinite_and_nothing_of_nothing_is_0() -> None:
    np.testing.assert_array_equal(quotients([0.0, 2.0, -2.0, 3.0], [0.0, 0.0, 0.0, 2.0]), [0.0, np.inf, -np.inf, 1.5])


def test_a_vector_of_norm_0_has_no_direction_and_any_other_has_norm_1() -> None:
    still, moved = np.zeros(3), np.array([3.0, 0.0, -4.0])
    assert not quotients(still, np.linalg.norm(still)).any()
    np.testing.assert_allclose(quotients(moved, np.linalg.norm(moved)), [0.6, 0.0, -0.8])

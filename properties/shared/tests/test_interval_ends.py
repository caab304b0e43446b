"""Ends of intervals go together and keep their places."""

import numpy as np
import pytest

from properties.shared.interval_ends import Ends


def test_ends_are_a_pair_low_end_first() -> None:
    ends = Ends(np.array([1.0, 2.0]), np.array([1.5, 2.0]))
    low, high = ends
    assert low is ends.low
    assert high is ends.high
    assert np.all(low <= high)
    with pytest.raises(TypeError):
        Ends(np.array([1.0]))  # type: ignore[call-arg]

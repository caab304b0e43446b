"""What is beyond a level: found exactly for one entry, never less than where the climb starts."""

import numpy as np
import pytest

from properties.allenzhu2018rnn.sparse_excess import largest_excess
from properties.shared.sparse_blocks import soft_threshold


def test_of_one_entry_it_is_that_of_a_column() -> None:
    M = np.random.default_rng(0).standard_normal((12, 12))
    columns = [float(np.linalg.norm(soft_threshold(M[:, k], 1.5))) for k in range(12)]
    assert largest_excess(M, 1, 1.5, starts=12) == pytest.approx(max(columns))


def test_it_is_above_that_of_random_sparse_vectors_and_zero_beyond_all_entries() -> None:
    rng = np.random.default_rng(1)
    M = rng.standard_normal((20, 20))
    found = largest_excess(M, 3, 1.0)
    for _ in range(100):
        x = np.zeros(20)
        x[rng.choice(20, 3, replace=False)] = rng.standard_normal(3)
        assert np.linalg.norm(soft_threshold(M @ (x / np.linalg.norm(x)), 1.0)) <= found
    assert largest_excess(M, 3, 100.0) == 0.0

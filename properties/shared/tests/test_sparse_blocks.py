"""Blocks of sparse vectors: against all supports, random ones and planted ones."""

import itertools
import math

import numpy as np
import pytest

from nets.core.arrays import Array
from properties.shared.sparse_blocks import doubly_sparse, doubly_sparse_bound, largest_sum, soft_threshold, truncated


def _largest_block(A: Array, k: int) -> float:
    """The largest norm of a block of k rows and k columns, all of them tried."""
    rows, columns = (list(itertools.combinations(range(size), k)) for size in A.shape)
    return max(float(np.linalg.norm(A[np.ix_(some, others)], 2)) for some in rows for others in columns)


@pytest.mark.parametrize("seed", range(6))
def test_doubly_sparse_values_are_attained_and_no_larger_than_the_supremum(seed: int) -> None:
    A = np.random.default_rng(seed).standard_normal((6, 7))
    assert doubly_sparse(A, 1) == pytest.approx(float(np.abs(A).max()), rel=1e-13)
    for k in (2, 3):
        true = _largest_block(A, k)
        found = doubly_sparse(A, k)
        assert 0.9 * true <= found <= true * (1.0 + 1e-12)
    assert doubly_sparse(A, 7) == pytest.approx(float(np.linalg.norm(A, 2)), rel=0.05)


def test_doubly_sparse_beats_random_sparse_vectors_and_finds_a_planted_block() -> None:
    rng = np.random.default_rng(5)
    A, k = rng.standard_normal((40, 50)), 4
    found = doubly_sparse(A, k)
    for _ in range(1000):
        rows, cols = rng.choice(40, k, replace=False), rng.choice(50, k, replace=False)
        assert float(np.linalg.norm(A[np.ix_(rows, cols)], 2)) <= found
    A *= 0.1
    A[np.ix_([1, 8, 30, 31], [0, 4, 17, 44])] += 1.0
    assert doubly_sparse(A, k) >= 4.0 * 0.95


def test_the_bound_of_doubly_sparse_blocks_lies_above_them_and_is_reached_by_equal_entries() -> None:
    A = np.random.default_rng(1).standard_normal((5, 7))
    for k in (1, 2, 3):
        assert _largest_block(A, k) <= doubly_sparse_bound(A, k)
    assert doubly_sparse_bound(np.full((4, 4), -2.0), 3) == pytest.approx(6.0)
    assert largest_sum(np.array([[1.0, 5.0, 2.0], [3.0, 3.0, 3.0]]), 2) == 7.0
    assert largest_sum(np.array([[1.0, 5.0]]), 9) == 6.0
    assert math.isclose(doubly_sparse_bound(A, 1), np.abs(A).max(), rel_tol=1e-9)


def test_a_soft_threshold_leaves_entries_of_the_level_at_most() -> None:
    y = np.array([3.0, -2.0, 0.5])
    assert np.array_equal(soft_threshold(y, 1.0), [2.0, -1.0, 0.0])
    assert np.abs(y - soft_threshold(y, 1.0)).max() == 1.0


def test_a_truncated_vector_keeps_its_largest_entries_at_norm_one() -> None:
    assert truncated(np.array([3.0, -1.0, -4.0, 0.5]), 2) == pytest.approx([0.6, 0.0, -0.8, 0.0])
    assert truncated(np.array([3.0, -4.0]), 9) == pytest.approx([0.6, -0.8])

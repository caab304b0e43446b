"""Sparse parts of images of a sphere."""

import math

import numpy as np
import pytest

from properties.allenzhu2018rnn.sparse_parts import log_chances, longest_sparse_part


def test_one_column_has_the_sparse_part_of_that_column() -> None:
    W = np.random.default_rng(0).standard_normal((100, 1))
    part = np.maximum(np.abs(W[:, 0]) - 0.1 * math.log(100), 0.0)
    assert longest_sparse_part(W, np.array([[-2.0]])) == pytest.approx(np.linalg.norm(part))


def test_the_ascent_is_no_worse_than_its_start_and_any_point_tried() -> None:
    rng = np.random.default_rng(1)
    W, starts = 0.2 * rng.standard_normal((60, 3)), rng.standard_normal((500, 3))
    directions = starts / np.linalg.norm(starts, axis=1, keepdims=True)
    parts = np.maximum(np.abs(directions @ W.T) - math.log(60) / math.sqrt(60), 0.0)
    tried = float(np.linalg.norm(parts, axis=1).max())
    assert longest_sparse_part(W, W[np.argsort(-np.linalg.norm(W, axis=1))[:8]]) >= tried


def test_no_part_is_as_long_as_that_of_a_short_image() -> None:
    assert longest_sparse_part(np.full((50, 2), 0.01), np.eye(2)) == 0.0


def test_the_interval_holds_the_rate_of_one_column() -> None:
    m, length, rng = 60, 0.35, np.random.default_rng(2)
    columns = math.sqrt(2.0 / m) * np.abs(rng.standard_normal((20000, m)))
    parts = np.linalg.norm(np.maximum(columns - math.log(m) / math.sqrt(m), 0.0), axis=1)
    low, high = log_chances(m, 1, length)
    assert low <= -math.log(np.mean(parts > length)) <= high

"""Matrices in the frame of those before them: the projections of Gram and Schmidt, and the norm of a copy."""

import numpy as np
import pytest

from properties.shared.layer_frames import entries_beside


def test_the_entries_are_the_projections_of_gram_and_schmidt() -> None:
    A, B, C = np.random.default_rng(0).standard_normal((3, 2, 3))
    first = A / np.linalg.norm(A)
    rest = B - np.vdot(first, B) * first
    second = rest / np.linalg.norm(rest)
    expected = [np.vdot(first, B), np.vdot(first, C), np.vdot(second, C)]
    assert entries_beside([A, B, C]) == pytest.approx(expected)


def test_a_copy_has_its_norm_there() -> None:
    A = np.random.default_rng(1).standard_normal((3, 3))
    assert entries_beside([A, A]) == pytest.approx([np.linalg.norm(A)])


def test_a_single_matrix_has_nothing_beside_it() -> None:
    assert entries_beside([np.eye(2)]).shape == (0,)

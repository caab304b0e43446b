"""Products in pieces are the plain ones, whatever the shapes, and are made where they pay."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from nets.linear_algebra import products
from nets.linear_algebra.lowrank import LowRank
from nets.linear_algebra.products import FEW, FEW_TRANSPOSED, LARGE, PIECE, times, times_transposed
from nets.linear_algebra.revealed import RevealedGaussian

EPS = float(np.finfo(np.float64).eps)
SHAPES = [(2, 1024, 1024), (3, 700, 1001), (8, 513, 300), (4, 1, 300_000), (4, 300_000, 1), (16, 601, 257)]


def drawn(n: int, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng((n, rows, columns))
    shapes = (n, rows), (n, columns), (rows, columns)
    X, B, W = (rng.standard_normal(shape) for shape in shapes)
    return X, B, W


@pytest.mark.parametrize("shape", SHAPES)
def test_no_entry_is_off_by_more_than_a_sum_in_any_order_may_be(shape: tuple[int, int, int]) -> None:
    X, B, W = drawn(*shape)
    for found, left, right in ((times(X, W), X, W), (times_transposed(B, W), B, W.T)):
        assert found.flags.c_contiguous
        wanted = [math.fsum(row * column) for row in left for column in right.T[:7]]
        allowed = (left.shape[1] + 2) * EPS * (np.abs(left) @ np.abs(right[:, :7]))
        assert np.all(np.abs(found[:, :7] - np.reshape(wanted, (len(left), -1))) <= allowed)
        assert np.allclose(found, left @ right, rtol=0, atol=float(1e2 * allowed.max()))


@pytest.mark.parametrize("shape", SHAPES)
def test_the_same_product_twice_is_the_same_bit_by_bit(shape: tuple[int, int, int]) -> None:
    X, B, W = drawn(*shape)
    # Another copy begins at another address.
    again = np.concatenate([np.zeros(1), W.ravel()])[1:].reshape(W.shape)
    assert np.array_equal(times(X, W), times(X, again))
    assert np.array_equal(times_transposed(B, W), times_transposed(B, again))


def test_a_number_that_is_none_spoils_its_own_row_and_all_of_it() -> None:
    X, B, W = drawn(2, 1024, 1024)
    X[1, 1000] = B[1, 1000] = np.nan
    for found in (times(X, W), times_transposed(B, W)):
        assert np.isnan(found[1]).all()
        assert np.isfinite(found[0]).all()


@pytest.mark.parametrize(
    ("n", "rows", "columns", "forward", "back"),
    [
        (1, 1024, 1024, False, False),
        (2, 512, 1024, True, True),
        (FEW, 512, 1024, True, True),
        (2, 1024, 1024, False, True),
        (FEW + 1, 1024, 1024, False, FEW_TRANSPOSED > FEW),
        (FEW_TRANSPOSED + 1, 1024, 1024, False, False),
        (4, 2048, 2048, False, True),
        (4, 64, 64, False, False),
        (2, 512, PIECE // 1024, False, False),
        (2, 512, PIECE // 1024 + 1, True, True),
    ],
)
def test_pieces_are_made_for_few_samples_of_layers_that_are_neither_small_nor_too_large(
    monkeypatch: pytest.MonkeyPatch, n: int, rows: int, columns: int, forward: bool, back: bool
) -> None:
    asked: list[bool] = []
    rule = products._in_pieces

    def seen(X: Any, W: Any, few: int) -> bool:
        asked.append(rule(X, W, few))
        return asked[-1]

    monkeypatch.setattr(products, "_in_pieces", seen)
    X, B, W = drawn(n, rows, columns)
    times(X, W)
    times_transposed(B, W)
    assert asked == [forward or (1 < n <= FEW and W.size > LARGE), back]


@pytest.mark.parametrize("few", [1, 3])
def test_other_kinds_of_layers_answer_for_themselves(few: int) -> None:
    rng = np.random.default_rng(0)
    factors = LowRank(*rng.standard_normal((2, 5, 900)))
    revealed = RevealedGaussian(900, 900, 1.0, rng)
    X = rng.standard_normal((few, 900))
    assert np.array_equal(times(X, factors), X @ factors)
    assert np.array_equal(times_transposed(X, factors), X @ factors.T)
    # Asked again, a revealed matrix answers from what it knows.
    assert np.allclose(times(X, revealed), X @ revealed, rtol=1e-9)
    assert np.allclose(times_transposed(X, revealed), X @ revealed.T, rtol=1e-9)


def test_a_vector_and_a_matrix_that_lies_the_other_way_are_multiplied_as_ever() -> None:
    X, B, W = drawn(4, 1024, 1024)
    assert np.array_equal(times(X[0], W), X[0] @ W)
    assert np.array_equal(times_transposed(B[0], W), B[0] @ W.T)
    assert np.array_equal(times(B, W.T), B @ W.T)

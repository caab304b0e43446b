"""A list of long vectors keeps what is put into it, and its projections are those of a plain array."""

import numpy as np
import pytest

from nets.core.arrays import Array
from nets.linear_algebra.vector_store import FIRST_ROWS, SHORT, SHORTEST_PIECE, Rows, largest_entries

# Sums of some thousand products, each rounded once.
RELATIVE = 1e-12


def filled(vectors: Array, at_once: int = 1) -> Rows:
    rows = Rows(vectors.shape[1])
    for start in range(0, vectors.shape[0], at_once):
        part = vectors[start : start + at_once]
        rows.make_room(part.shape[0])
        rows.room(part.shape[0])[:] = part
        rows.keep(part.shape[0])
    return rows


def vectors(count: int, length: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal((count, length))


@pytest.mark.parametrize("at_once", [1, 3, 5, 40])
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 40])
@pytest.mark.parametrize("length", [6, SHORT + 1])
def test_products_are_those_of_an_array(length: int, count: int, at_once: int) -> None:
    V = vectors(count, length)
    rows = filled(V, at_once)
    assert rows.count == count
    np.testing.assert_array_equal(rows.array(), V)
    for j in (1, 3):
        X, C = vectors(j, length, 1), vectors(j, count, 2)
        np.testing.assert_allclose(rows.inner(X), X @ V.T, atol=RELATIVE * length)
        np.testing.assert_allclose(rows.combine(C), C @ V, atol=RELATIVE)
        wanted = X + C @ V
        rows.accumulate(C, X)
        np.testing.assert_allclose(X, wanted, atol=RELATIVE)


@pytest.mark.parametrize("count", [0, 1, 9, 70])
@pytest.mark.parametrize("length", [1, SHORTEST_PIECE, SHORTEST_PIECE + 1, 5 * SHORTEST_PIECE - 1])
def test_subtracting_by_pieces_is_subtracting(count: int, length: int) -> None:
    V, x, c = vectors(count, length), vectors(1, length, 1)[0], vectors(1, count, 2)[0]
    wanted = x - c @ V
    inner = filled(V).subtract(c, x)
    np.testing.assert_allclose(x, wanted, atol=RELATIVE * np.abs(wanted).max())
    np.testing.assert_allclose(inner, V @ wanted, atol=RELATIVE * length * np.abs(wanted).max())


@pytest.mark.parametrize("length", [3000, SHORT + 1])
def test_splitting_leaves_what_is_orthogonal(length: int) -> None:
    basis = np.linalg.qr(vectors(length, 12))[0].T.copy()
    rest = vectors(1, length, 3)[0]
    rest -= (rest @ basis.T) @ basis
    c = vectors(1, 12, 4)[0]
    x = c @ basis + 1e-9 * rest
    known, size = filled(basis).split(x)
    np.testing.assert_allclose(known, c, atol=RELATIVE)
    assert size == pytest.approx(1e-9 * np.linalg.norm(rest), rel=1e-5)
    assert np.abs(basis @ x).max() <= 1e-13 * size


def test_a_list_of_short_vectors_is_one_block_and_one_of_long_ones_copies_nothing() -> None:
    for length, blocks in ((SHORT, 1), (SHORT + 1, 3)):
        rows = filled(vectors(4 * FIRST_ROWS - 1, length))
        assert len(rows._blocks) == blocks
        first = rows._blocks[0]
        rows.make_room(FIRST_ROWS)
        assert (rows._blocks[0] is first) == (blocks > 1)
    assert filled(vectors(3, SHORT)).block.shape == (FIRST_ROWS, SHORT)
    assert Rows(5).block.shape == (0, 5)


@pytest.mark.parametrize("length", [3, SHORT + 1])
def test_rows_made_room_for_are_one_array_in_place(length: int) -> None:
    rows = Rows(length)
    assert rows.make_room(FIRST_ROWS - 1)
    rows.room(FIRST_ROWS - 1)[:] = 1.0
    rows.keep(FIRST_ROWS - 1)
    assert not rows.make_room(1)
    assert rows.make_room(2)
    place = rows.room(2)
    place[:] = [[2.0] * length, [3.0] * length]
    assert rows.count == FIRST_ROWS - 1
    rows.keep(2)
    assert np.shares_memory(rows.last(2), place)
    np.testing.assert_array_equal(rows.last(1), [[3.0] * length])
    rows.cut(FIRST_ROWS)
    np.testing.assert_array_equal(rows.array()[:, 0], [*[1.0] * (FIRST_ROWS - 1), 2.0])
    rows.cut(FIRST_ROWS + 5)
    assert rows.count == FIRST_ROWS


def test_largest_entries_see_what_is_not_finite() -> None:
    X = np.array([[1.0, -3.0], [0.0, 0.0], [2.0, np.nan], [-np.inf, 1.0], [np.inf, np.nan]])
    np.testing.assert_array_equal(largest_entries(X), [3.0, 0.0, np.nan, np.inf, np.nan])

"""Normalisation and distances against brute force, also where floating point is at its limits."""

import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nets.core.arrays import Array
from nets.data import distances
from nets.data.distances import (
    DUPLICATE_TOLERANCE,
    EPS,
    UNIT_TOLERANCE,
    DataError,
    antipodal_separation,
    first_of_equals,
    normalise_rows,
    separation,
)

SHAPES = hnp.array_shapes(min_dims=2, max_dims=2, max_side=6)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
MATRICES = hnp.arrays(np.float64, SHAPES, elements=FINITE).filter(lambda X: X.any(axis=1).all())
ROWS = hnp.arrays(np.float64, st.tuples(st.just(1), st.integers(1, 6)), elements=FINITE).filter(np.any)
# Coarse coordinates, so that equal and opposite rows are common.
COARSE = hnp.arrays(np.float64, SHAPES, elements=st.integers(-2, 2).map(float))
MODERATE = hnp.arrays(np.float64, SHAPES, elements=st.floats(-10, 10))


def smallest_distance(X: Array, sign: float) -> float:
    """The naive twin."""
    distances = [math.dist(x, sign * z) for i, x in enumerate(X) for z in X[:i]]
    return min(distances, default=math.inf)


@given(MATRICES)
def test_normalised_rows_agree_with_exact_arithmetic(X: Array) -> None:
    U = normalise_rows(X)
    assert U.dtype == np.float64
    assert U.flags.c_contiguous
    assert np.abs(np.linalg.norm(U, axis=1) - 1.0).max() <= UNIT_TOLERANCE
    for x, u in zip(X, U, strict=True):
        squares = [Fraction(value) ** 2 for value in x]
        expected = np.sqrt([float(square / sum(squares)) for square in squares])
        np.testing.assert_allclose(np.abs(u), expected, rtol=0, atol=UNIT_TOLERANCE)
        assert np.all(u * np.sign(x) >= 0)


@given(MATRICES)
def test_normalising_twice_changes_nothing(X: Array) -> None:
    U = normalise_rows(X)
    assert np.array_equal(normalise_rows(U), U)


@given(MATRICES, st.integers(-200, 200))
def test_powers_of_two_do_not_change_the_normalised_row(X: Array, power: int) -> None:
    with np.errstate(over="ignore", under="ignore"):
        scaled = np.ldexp(X, power)
        assume(np.array_equal(np.ldexp(scaled, -power), X))
    # A row that is unit to begin with stays as it is, its multiple is divided: equal up to rounding only.
    np.testing.assert_allclose(normalise_rows(scaled), normalise_rows(X), rtol=0, atol=DUPLICATE_TOLERANCE)


def test_the_largest_and_the_smallest_floats_are_normalised() -> None:
    X = np.array([[1e308, 1e308, 1e308, 1e308], [5e-324, 0.0, 5e-324, 0.0], [1e308, 5e-324, 0.0, 0.0]])
    expected = [[0.5] * 4, [math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0], [1.0, 0.0, 0.0, 0.0]]
    np.testing.assert_allclose(normalise_rows(X), expected, rtol=2 * EPS)


def test_the_argument_is_not_changed() -> None:
    X = np.array([[3.0, 4.0]])
    normalise_rows(X)[0, 0] = 7.0
    assert X.tolist() == [[3.0, 4.0]]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, 2.0], [0.0, -0.0]], "row 2 is zero and has no direction: remove it"),
        ([[1.0, math.nan]], "rows to normalise hold NaN or inf"),
        ([[1.0, math.inf]], "rows to normalise hold NaN or inf"),
        ([1.0, 2.0], r"rows to normalise have shape \(2,\): a matrix"),
        (np.empty((0, 3)), r"rows to normalise have shape \(0, 3\): a matrix"),
    ],
)
def test_rows_without_direction_are_refused(X: Array, message: str) -> None:
    with pytest.raises(DataError, match=message):
        normalise_rows(X)


@given(MODERATE | COARSE)
def test_separations_agree_with_brute_force(X: Array) -> None:
    near, opposite = smallest_distance(X, 1.0), smallest_distance(X, -1.0)
    # Squares of differences below 1e-154 underflow.
    assert separation(X) == pytest.approx(near, rel=4 * EPS, abs=1e-150)
    assert antipodal_separation(X) == pytest.approx(min(near, opposite), rel=4 * EPS, abs=1e-150)


@given(MODERATE)
def test_tiles_of_any_size_give_the_same_separation(X: Array) -> None:
    whole = separation(X), antipodal_separation(X)
    with pytest.MonkeyPatch.context() as patch:
        for side in (1, 3, 20):
            patch.setattr(distances, "_TILE", side)
            patch.setattr(distances, "_CHUNK_ENTRIES", side)
            assert (separation(X), antipodal_separation(X)) == pytest.approx(whole, rel=4 * EPS)


def test_small_distances_do_not_drown_in_cancellation() -> None:
    rng = np.random.default_rng(1)
    X = normalise_rows(rng.standard_normal((300, 20)))
    # Near pairs, all nearer than scalar products can tell apart (1e-8); the nearest is in the middle.
    gaps = 1e-9 * (1.0 + np.abs(np.arange(100) - 50.0))
    X[200:] = X[100:200]
    X[200:, 0] += gaps
    assert separation(X) == smallest_distance(X, 1.0) == pytest.approx(1e-9, rel=1e-6)
    X[200:] *= -1.0
    assert separation(X) > 0.1
    assert antipodal_separation(X) == smallest_distance(X, -1.0) == pytest.approx(1e-9, rel=1e-6)


def test_memory_is_bounded_by_tiles_however_many_rows_there_are() -> None:
    X = normalise_rows(np.random.default_rng(2).standard_normal((6000, 8)))
    X[5000] = X[1000]
    tracemalloc.start()
    assert (separation(X), first_of_equals(X)[5000]) == (0.0, 1000)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # All pairs at a time would take 288 MB.
    assert most < 20e6


def test_one_row_is_separated_from_nothing() -> None:
    assert separation(np.array([[1.0, 0.0]])) == math.inf
    assert antipodal_separation(np.array([[1.0, 0.0]])) == math.inf


@pytest.mark.parametrize("measure", [separation, antipodal_separation, first_of_equals])
def test_distances_of_nan_are_refused(measure) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DataError, match="rows to measure hold NaN or inf"):
        measure(np.array([[1.0, 0.0], [math.nan, 0.0]]))


@pytest.mark.parametrize("side", [1, 3, 512])
@given(X=COARSE)
def test_first_of_equals_agrees_with_brute_force(side: int, X: Array) -> None:
    expected: list[int] = []
    for i, x in enumerate(X):
        equal = [j for j in range(i) if expected[j] == j and np.array_equal(x, X[j])]
        expected.append(equal[0] if equal else i)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distances, "_TILE", side)
        assert first_of_equals(X).tolist() == expected


@given(ROWS, st.floats(1e-3, 1e3))
def test_multiples_of_a_row_are_found_equal_after_normalisation(X: Array, factor: float) -> None:
    # Outside this range the multiple is not one: it overflows, or loses digits below the normal floats.
    assume(np.all((X == 0) | ((np.abs(X) > 1e-300) & (np.abs(X) < 1e300))))
    multiple = X * factor
    assert first_of_equals(normalise_rows(np.vstack([X, multiple]))).tolist() == [0, 0]
    assert antipodal_separation(normalise_rows(np.vstack([X, -multiple]))) <= DUPLICATE_TOLERANCE


def test_rows_beyond_the_tolerance_are_kept() -> None:
    X = np.array([[1.0, 0.0], [1.0, 0.9 * DUPLICATE_TOLERANCE], [1.0, 1.8 * DUPLICATE_TOLERANCE]])
    # The last is near the second, which is not kept, and far enough from the first, which is.
    assert first_of_equals(X).tolist() == [0, 0, 2]


def test_a_row_near_two_kept_ones_goes_to_the_first() -> None:
    X = np.array([[1.0, 0.0], [1.0, 1.8 * DUPLICATE_TOLERANCE], [1.0, 0.9 * DUPLICATE_TOLERANCE]])
    assert first_of_equals(X).tolist() == [0, 1, 0]

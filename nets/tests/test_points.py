"""Each generator yields the geometry it promises, and says so when it cannot."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nets.core.arrays import Array
from nets.data.distances import EPS, UNIT_TOLERANCE, DataError, antipodal_separation, separation
from nets.data.labelled import DataSource
from nets.data.points import (
    ARRANGEMENTS,
    SphereSource,
    arranged,
    hexagon_alternating,
    near_antipodal,
    pair_at_distance,
    polygon,
    random_labels,
    separated,
    sphere,
)

# The rounding of the entries of two unit vectors and of their norms.
ROUNDING = 8 * EPS

SEEDS = st.integers(0, 2**32 - 1)


def assert_unit(X: Array, shape: tuple[int, int]) -> None:
    assert X.shape == shape
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    assert np.abs(np.linalg.norm(X, axis=1) - 1.0).max() <= UNIT_TOLERANCE


@given(st.integers(1, 20), st.integers(1, 20), SEEDS)
def test_sphere_points_are_unit_and_reproducible(n: int, d: int, seed: int) -> None:
    X = sphere(n, d, np.random.default_rng(seed))
    assert_unit(X, (n, d))
    assert np.array_equal(X, sphere(n, d, np.random.default_rng(seed)))


def test_a_coordinate_of_a_uniform_point_of_the_two_sphere_is_uniform() -> None:
    # Archimedes; the Kolmogorov distance of 10^5 draws exceeds 0.01 with probability below 2 exp(-20).
    heights = np.sort(sphere(100_000, 3, np.random.default_rng(2))[:, 0])
    grid = np.arange(1, len(heights) + 1) / len(heights)
    assert np.abs(grid - (heights + 1.0) / 2.0).max() <= 0.01


@given(st.floats(0.0, 2.0), st.integers(2, 12), SEEDS)
def test_pair_is_at_the_distance_asked_for(phi: float, d: int, seed: int) -> None:
    X = pair_at_distance(phi, d, np.random.default_rng(seed))
    assert_unit(X, (2, d))
    assert abs(math.dist(*X) - phi) <= ROUNDING


@pytest.mark.parametrize("d", [1, 2, 7])
def test_equal_and_antipodal_pairs_are_exact(d: int) -> None:
    rng = np.random.default_rng(3)
    x, same = pair_at_distance(0.0, d, rng)
    assert np.array_equal(x, same)
    x, antipode = pair_at_distance(2.0, d, rng)
    assert np.array_equal(x, -antipode)


@given(st.integers(2, 12), st.integers(3, 10), st.floats(1e-6, 0.5), SEEDS)
def test_separation_is_attained_and_not_undercut(n: int, d: int, phi: float, seed: int) -> None:
    X = separated(n, d, phi, np.random.default_rng(seed))
    assert_unit(X, (n, d))
    assert abs(separation(X) - phi) <= ROUNDING


def test_the_nearest_pair_of_separated_points_may_stand_anywhere() -> None:
    rng = np.random.default_rng(4)
    rows = set()
    for _ in range(60):
        X = separated(4, 3, 0.1, rng)
        distances = np.linalg.norm(X[:, None] - X[None, :], axis=2) + 3.0 * np.eye(4)
        rows.add(int(np.argmin(distances.min(axis=1))))
    assert rows == {0, 1, 2}  # the smaller index of the pair


@pytest.mark.parametrize(
    ("n", "d", "phi", "limit"),
    [
        (2, 5, 2.1, "2"),
        (2, 5, math.nan, "2"),
        (2, 5, 0.0, "2"),
        (2, 5, -0.5, "2"),
        (3, 5, 1.74, "1.73205"),
        (7, 5, 1.42, "1.41421"),
        (6, 2, 1.01, "1"),
        (3, 1, 0.5, "0"),
        (1, 5, 0.5, "0"),
    ],
)
def test_impossible_separations_are_refused_with_the_bound(n: int, d: int, phi: float, limit: str) -> None:
    with pytest.raises(DataError, match=rf"n = {n} unit .* d = {d} .* phi = {phi} asked.*phi <= {limit}, a bound"):
        separated(n, d, phi, np.random.default_rng(5))


def test_too_many_points_are_refused_after_a_bounded_search() -> None:
    message = r"no place for point \d+ of 12 in d = 3 at distance 1.2 .* in 10000 attempts: take fewer"
    with pytest.raises(DataError, match=message):
        separated(12, 3, 1.2, np.random.default_rng(6))


def test_separation_within_one_dimension_is_the_antipodal_pair() -> None:
    assert sorted(separated(2, 1, 2.0, np.random.default_rng(7)).ravel()) == [-1.0, 1.0]


@given(st.integers(2, 9), st.floats(1e-9, 0.15), st.integers(3, 6), SEEDS)
def test_near_antipodal_points_have_the_gap_as_antipodal_separation(n: int, gap: float, d: int, seed: int) -> None:
    X = near_antipodal(n, gap, np.random.default_rng(seed), d=d)
    assert_unit(X, (n, d))
    assert abs(antipodal_separation(X) - gap) <= ROUNDING
    assert separation(X) >= gap
    pairs = X[: n - n % 2]
    np.testing.assert_allclose(np.linalg.norm(pairs[0::2] + pairs[1::2], axis=1), gap, rtol=0, atol=ROUNDING)


def test_no_other_pair_undercuts_a_wide_gap() -> None:
    # Four independent points come nearer than this to the antipodes of one another in one of twenty draws.
    for seed in range(200):
        X = near_antipodal(8, 0.15, np.random.default_rng(seed))
        assert abs(antipodal_separation(X) - 0.15) <= ROUNDING


def test_gap_zero_gives_exact_antipodes() -> None:
    X = near_antipodal(6, 0.0, np.random.default_rng(8))
    assert X.shape == (6, 3)
    assert np.array_equal(X[0::2], -X[1::2])
    assert separation(X) > 0.0


@pytest.mark.parametrize(
    ("n", "gap", "d", "message"),
    [
        (1, 0.1, 3, "n = 1, d = 3, gap = 0.1 asked for"),
        (4, 0.1, 1, "n = 4, d = 1, gap = 0.1 asked for"),
        (4, -0.1, 3, "take n >= 2, d >= 2 and a gap in"),
        (4, math.nan, 3, "take n >= 2, d >= 2 and a gap in"),
        (40, 0.5, 2, "no place for point"),
    ],
)
def test_impossible_gaps_are_refused(n: int, gap: float, d: int, message: str) -> None:
    with pytest.raises(DataError, match=message):
        near_antipodal(n, gap, np.random.default_rng(9), d=d)


@given(st.integers(2, 200))
def test_polygon_is_regular(k: int) -> None:
    X = polygon(k)
    assert_unit(X, (k, 2))
    angles = 2.0 * np.pi * np.arange(k) / k
    np.testing.assert_allclose(X, np.column_stack([np.cos(angles), np.sin(angles)]), rtol=0, atol=ROUNDING)
    assert abs(separation(X) - 2.0 * math.sin(math.pi / k)) <= ROUNDING


@given(st.integers(1, 100))
def test_antipodes_of_an_even_polygon_are_exact_negatives(half: int) -> None:
    X = polygon(2 * half)
    assert np.array_equal(X[:half], -X[half:])
    assert antipodal_separation(X) == 0.0


@given(st.integers(2, 100))
def test_mirror_images_of_a_polygon_are_exact(k: int) -> None:
    X = polygon(k)
    mirrored = X[(-np.arange(k)) % k]
    assert np.array_equal(mirrored, X * [1.0, -1.0])


def test_a_polygon_needs_two_corners() -> None:
    with pytest.raises(DataError, match="a polygon with 1 corners asked for: take k >= 2"):
        polygon(1)


def test_hexagon_has_alternating_labels_and_opposite_antipodes() -> None:
    hexagon = hexagon_alternating()
    assert hexagon.y.tolist() == [1.0, -1.0, 1.0, -1.0, 1.0, -1.0]
    assert np.array_equal(hexagon.X[:3], -hexagon.X[3:])
    assert np.array_equal(hexagon.y[:3], -hexagon.y[3:])
    assert abs(hexagon.separation - 1.0) <= ROUNDING
    assert hexagon.antipodal_separation == 0.0
    # The obstruction: the corner at 60 degrees is the sum of its neighbours, its label differs from both.
    np.testing.assert_allclose(hexagon.X[1], hexagon.X[0] + hexagon.X[2], rtol=0, atol=ROUNDING)


@given(st.integers(1, 30), SEEDS)
def test_random_labels_hold_both_signs(n: int, seed: int) -> None:
    y = random_labels(n, np.random.default_rng(seed))
    assert y.shape == (n,)
    assert y.dtype == np.float64
    assert set(y) == {-1.0, 1.0} if n > 1 else set(y) < {-1.0, 1.0}


def test_random_labels_are_uniform_over_mixed_vectors() -> None:
    rng = np.random.default_rng(13)
    counts: dict[tuple[float, ...], int] = {}
    for _ in range(6000):
        labels = tuple(random_labels(3, rng).tolist())
        counts[labels] = counts.get(labels, 0) + 1
    assert len(counts) == 6
    # Binomial(6000, 1/6) has standard deviation 29: six of them.
    assert all(abs(count - 1000) <= 175 for count in counts.values())


def test_sphere_source_draws_points_and_labels() -> None:
    source: DataSource = SphereSource()
    X, y = source.draw(5, 3, np.random.default_rng(14))
    assert_unit(X, (5, 3))
    assert set(y) == {-1.0, 1.0}
    assert np.array_equal(X, sphere(5, 3, np.random.default_rng(14)))


@pytest.mark.parametrize(("n", "d"), [(0, 3), (3, 0), (-1, 3)])
def test_empty_requests_are_refused(n: int, d: int) -> None:
    rng = np.random.default_rng(15)
    with pytest.raises(DataError, match=f"n = {n} points in d = {d} dimensions asked for"):
        sphere(n, d, rng)
    with pytest.raises(DataError, match="dimensions asked for"):
        separated(n, d, 0.5, rng)
    if n < 1:
        with pytest.raises(DataError, match="dimensions asked for"):
            random_labels(n, rng)


@pytest.mark.parametrize("phi", [-0.1, 2.1, math.nan, math.inf])
def test_distances_beyond_the_diameter_are_refused(phi: float) -> None:
    with pytest.raises(DataError, match=r"unit points have distances in \[0, 2\]"):
        pair_at_distance(phi, 3, np.random.default_rng(16))


def test_one_dimension_has_no_distances_in_between() -> None:
    with pytest.raises(DataError, match="only 0 and 2 exist there, take d >= 2"):
        pair_at_distance(1.0, 1, np.random.default_rng(17))


@pytest.mark.parametrize("family", ARRANGEMENTS)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_arranged_points_are_unit_and_as_many_as_before(family: str, n: int) -> None:
    rng = np.random.default_rng(3)
    assert_unit(arranged(sphere(n, 4, rng), family, rng), (n, 4))


def test_arranged_points_are_what_their_family_says() -> None:
    rng = np.random.default_rng(4)
    X = sphere(6, 5, rng)
    assert arranged(X, "drawn", rng) is X
    assert 0.0 < np.linalg.norm(np.diff(arranged(X, "near duplicates", rng).reshape(2, 3, 5), axis=0)) < 0.01
    assert 0.0 < np.linalg.norm(np.sum(arranged(X, "antipodes", rng).reshape(2, 3, 5), axis=0)) < 0.01
    assert np.ptp(arranged(X, "clusters", rng).reshape(3, 2, 5), axis=0).max() < 0.3
    assert np.linalg.matrix_rank(arranged(X, "arc", rng), tol=1e-9) == 2
    with pytest.raises(ValueError, match="an arrangement 'ring': choose among drawn"):
        arranged(X, "ring", rng)


@pytest.mark.parametrize("family", ARRANGEMENTS)
def test_points_of_one_coordinate_cannot_be_arranged_and_stay(family: str) -> None:
    X = np.array([[1.0], [-1.0], [1.0]])
    assert arranged(X, family, np.random.default_rng(5)) is X

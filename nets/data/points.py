"""Synthetic points on the unit sphere, with the geometry that the lemmas and their counterexamples need.

Points are the rows of a float64 C-contiguous matrix; all randomness comes from the generator passed in. Impossible
requests raise `DataError`.
"""

import math
from dataclasses import dataclass

import numpy as np

from nets.core.arrays import Array
from nets.core.memory import require
from nets.data.distances import DUPLICATE_TOLERANCE, EPS, DataError, normalise_rows
from nets.data.labelled import Dataset, from_arrays

# Random points tried for one place before `separated` and `near_antipodal` give up: under 0.2 s.
_ATTEMPTS = 10_000


def sphere(n: int, d: int, rng: np.random.Generator) -> Array:
    """Return n independent uniform points of the unit sphere of R^d, as rows (n, d)."""
    _check_size(n, d)
    require(n * d, lambda: f"{n} points of dimension {d}")
    return normalise_rows(rng.standard_normal((n, d)))


def pair_at_distance(phi: float, d: int, rng: np.random.Generator) -> Array:
    """Return two unit rows (2, d) at distance phi in [0, 2], uniform over such pairs.

    The distance is met within a few EPS (absolute); phi = 0 and phi = 2 are met exactly. For d = 1 these two
    are all there is.
    """
    _check_size(2, d)
    if not 0.0 <= phi <= 2.0:
        raise DataError(f"distance phi = {phi} asked for: unit points have distances in [0, 2]")
    if d == 1 and 0.0 < phi < 2.0:
        raise DataError(f"distance phi = {phi} asked for d = 1: only 0 and 2 exist there, take d >= 2")
    x = sphere(1, d, rng)[0]
    return np.stack([x, _at_distance(x, phi, rng)])


def separated(n: int, d: int, phi: float, rng: np.random.Generator) -> Array:
    """Return n >= 2 unit rows (n, d) whose smallest distance is phi.

    It is attained by a pair made by `pair_at_distance`, as exactly as there. The other points are added one
    by one, each uniform over what is left of the sphere; the order is shuffled. Raises `DataError` when no
    such points exist by a packing bound, and, well before that, when none was found in 10,000 attempts.
    """
    _check_size(n, d)
    limit = _largest_separation(n, d)
    if n < 2 or not DUPLICATE_TOLERANCE < phi <= limit * (1 + 4 * EPS):
        raise DataError(
            f"n = {n} unit points in d = {d} with separation phi = {phi} asked for: "
            f"take n >= 2 and {DUPLICATE_TOLERANCE:.0e} < phi <= {limit:.6g}, a bound for these n and d"
        )
    points = pair_at_distance(min(phi, 2.0), d, rng)
    return rng.permutation(_fill(points, n, phi, rng, antipodes_too=False))


def near_antipodal(n: int, gap: float, rng: np.random.Generator, d: int = 3) -> Array:
    """Return n unit rows (n, d): pairs x, x' with ||x + x'|| = gap, and one single point when n is odd.

    Different pairs keep ||x +- z|| >= gap, so phi_pm = gap (met within a few EPS; exactly 0 for gap = 0),
    while the separation phi is that of a few random points. Rows 2k and 2k + 1 are a pair. Raises `DataError`
    when there is no room.
    """
    _check_size(n, d)
    if n < 2 or d < 2 or not 0.0 <= gap <= 1.0:
        raise DataError(f"n = {n}, d = {d}, gap = {gap} asked for: take n >= 2, d >= 2 and a gap in [0, 1]")
    # Partners may each be nearer to another pair by gap: three gaps between the first points leave one.
    spacing = max(3.0 * gap, DUPLICATE_TOLERANCE)
    first = _fill(sphere(1, d, rng), (n + 1) // 2, spacing, rng, antipodes_too=True)
    points = np.empty((2 * len(first), d))
    points[0::2] = first
    points[1::2] = [-_at_distance(x, gap, rng) for x in first]
    return points[:n]


#: What `arranged` makes of points: as they are, and four families that are hard to tell apart or to fit.
ARRANGEMENTS = ("drawn", "near duplicates", "clusters", "antipodes", "arc")

# How far, about, a row is from the one that it nearly repeats or opposes, and from the middle of its cluster.
_APART, _CLUSTER = 1e-3, 0.05


def arranged(X: Array, family: str, rng: np.random.Generator) -> Array:
    """Return unit rows (n, d) of the named family of `ARRANGEMENTS`, made from the unit rows X (n, d).

    The first half of X and rows near it (near duplicates) or near its negative (antipodes); rows near the first two of
    X by turns (clusters); rows between these two on a great circle (arc). A single row stays as it is, and so do rows
    of one coordinate, which are 1 and -1.
    """
    n, d = X.shape
    if family not in ARRANGEMENTS:
        raise ValueError(f"an arrangement {family!r}: choose among {', '.join(ARRANGEMENTS)}")
    if 1 in (n, d) or family == "drawn":
        return X
    noise = rng.standard_normal((n, d)) / math.sqrt(d)
    half = (n + 1) // 2
    if family == "clusters":
        return normalise_rows(X[np.arange(n) % 2] + _CLUSTER * noise)
    if family == "arc":
        share = np.linspace(0.0, 1.0, n)[:, np.newaxis]
        return normalise_rows((1.0 - share) * X[0] + share * X[1])
    partners = X[: n - half] if family == "near duplicates" else -X[: n - half]
    return normalise_rows(np.concatenate([X[:half], partners + _APART * noise[half:]]))


def polygon(k: int) -> Array:
    """Return the corners (k, 2) of the regular k-gon on the unit circle, at angles 2 pi i / k, k >= 2.

    Angles are reduced to the first eighth of the circle in integers, so mirror images in the axes and the
    diagonals are exact, and for even k the antipode of every corner is its exact negative.
    """
    if k < 2:
        raise DataError(f"a polygon with {k} corners asked for: take k >= 2")
    return np.array([_corner(i, k) for i in range(k)]) + 0.0  # no -0.0


def hexagon_alternating() -> Dataset:
    """Return the regular hexagon with labels +1, -1, +1, ... round the circle: antipodes differ in label.

    Its separation is 1, yet no ReLU network f with one hidden layer and without biases fits the labels, since
    f(x) - f(-x) is linear in x: it would have to be positive at 0 and at 120 degrees and negative at
    60 degrees, which is their sum. So zou2018's Assumption 3.6 is too weak for Theorem 4.1 when L = 1.
    """
    return from_arrays(polygon(6), np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0]), name="hexagon")


def random_labels(n: int, rng: np.random.Generator) -> Array:
    """Return n labels -1 or +1 (n,), uniform over the vectors that hold both signs (n = 1: over both)."""
    _check_size(n, 1)
    while True:
        labels = rng.choice((-1.0, 1.0), size=n)
        if n == 1 or abs(labels.sum()) < n:
            return labels


@dataclass(frozen=True)
class SphereSource:
    """A `nets.data.labelled.DataSource` of uniform points with random labels of both signs."""

    def draw(self, n: int, d: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Return `sphere(n, d, rng)` and `random_labels(n, rng)`."""
        return sphere(n, d, rng), random_labels(n, rng)


def _check_size(n: int, d: int) -> None:
    if n < 1 or d < 1:
        raise DataError(f"n = {n} points in d = {d} dimensions asked for: both must be at least 1")


def _at_distance(x: Array, distance: float, rng: np.random.Generator) -> Array:
    """Return a unit point at the given distance in [0, 2] from x (d,), in a uniform direction."""
    half = distance / 2.0
    towards = rng.standard_normal(x.size)
    # Twice, because one projection leaves a part along x when the vector was nearly parallel to it.
    for _ in range(2):
        towards -= (towards @ x) * x
    length = float(np.linalg.norm(towards))
    if length > 0.0:  # zero in d = 1, where the factor below is zero too
        towards /= length
    # At angle theta with sin(theta / 2) = half: cos(theta) = 1 - 2 half^2, sin(theta) =
    # 2 half sqrt(1 - half^2), without the cancellation of 1 - cos^2 near half = 1.
    sine = 2.0 * half * math.sqrt((1.0 - half) * (1.0 + half))
    neighbour: Array = normalise_rows([(1.0 - 2.0 * half * half) * x + sine * towards])[0]
    return neighbour


def _largest_separation(n: int, d: int) -> float:
    """An upper bound for the separation of n unit points in R^d, attained for n <= 2d and for d = 2.

    The squared distances of n unit vectors sum to at most n^2, hence sqrt(2n/(n-1)); more than d + 1 points
    have two at a right angle or less (Rankin 1955); on the circle the polygon is best.
    """
    if n < 2:
        return 0.0
    if d == 1:
        return 2.0 if n == 2 else 0.0
    if d == 2:
        return 2.0 * math.sin(math.pi / n)
    return math.sqrt(2.0 * n / (n - 1)) if n <= d + 1 else math.sqrt(2.0)


def _fill(points: Array, n: int, least: float, rng: np.random.Generator, *, antipodes_too: bool) -> Array:
    """Add uniform points to points (k, d) until there are n, each at least that far from those before it."""
    d = points.shape[1]
    while len(points) < n:
        for _ in range(_ATTEMPTS):
            x = sphere(1, d, rng)
            nearest = np.linalg.norm(points - x, axis=1).min()
            if antipodes_too:
                nearest = min(nearest, np.linalg.norm(points + x, axis=1).min())
            if nearest >= least:
                points = np.concatenate([points, x])
                break
        else:
            raise DataError(
                f"no place for point {len(points) + 1} of {n} in d = {d} at distance {least:.6g} from the "
                f"others found in {_ATTEMPTS} attempts: take fewer points, a smaller distance or a larger d"
            )
    return points


def _corner(i: int, k: int) -> tuple[float, float]:
    """The point at i/k of a full turn."""
    octant, rest = divmod(8 * i, k)
    eighths = (k - rest if octant % 2 else rest) / k
    c = math.cos(eighths * math.pi / 4)
    # On the diagonal the two must be equal, which the library's cosine and sine of pi/4 need not be.
    s = math.sin(eighths * math.pi / 4) if eighths < 1 else c
    return ((c, s), (s, c), (-s, c), (-c, s), (-c, -s), (-s, -c), (s, -c), (c, -s))[octant]

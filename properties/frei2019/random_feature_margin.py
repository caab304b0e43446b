"""Laws of points and labels whose random-feature margin is known exactly, and the margin of any points in the plane.

The margin of frei2019, Assumption 3.2, is the largest gamma for which some |c| <= 1 has
y E[c(u) relu(<u, x>)] >= gamma on the whole support, u standard Gaussian. By duality it is the least mean of
|sum_i q_i y_i relu(<u, x_i>)| over all weights q of sum 1.

Main definitions: `MarginSource`, of which points are drawn; `LAWS` and `ONE_LABEL`, what there is;
`witness_direction`, the vector that separates the states; `circle_feature` and `circle_dual`, the two sides of the
duality for points of a plane, as exact integrals; `enclosed_margin`, of any points.

Why the margins are exact: the support of `caps` and of `rings` holds (-x, -y) with (x, y), and relu(t) - relu(-t) = t,
so the sum is linear for weights that are equal on such pairs, and its mean modulus is sqrt(2/pi) times half the
distance of 0 from the hull of all y x, which is the gap. On `wedges` equal weights on the eight ends give a sum with
the sign of |u_1| - |u_2|. Of `offset` the margin is that of its witness, and may be less than the largest: what counts
there is that the mean of c is not 0.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.random import Generator
from scipy.special import betaincc, betainccinv

from bounds.laws.tangent_kernel import next_cosine
from nets import Array, DataError, normalise_rows, sphere
from nets.tangent.margin import largest_margin

# E relu(g): no margin of unit points is larger.
LARGEST_MARGIN = 1.0 / math.sqrt(2.0 * math.pi)

#: The laws, each with its largest margin and what it looks like.
LAWS = {
    "caps": (LARGEST_MARGIN, "uniform on the sphere where |x_1| is at least the gap, labelled by the sign of x_1"),
    "rings": (LARGEST_MARGIN, "uniform where |x_1| is the gap, labelled by its sign: no point is beyond the margin"),
    "wedges": ((math.sqrt(2.0) - 1.0) * LARGEST_MARGIN, "near the first two axes, labelled by which: not linear"),
    "offset": (LARGEST_MARGIN / 3.0, "+1 uniform where x_1 is the gap, -1 at the first axis: c with a mean"),
}

#: A law of its own: uniform on the sphere and all labels +1, c a constant. Points that are far apart have no linear
#: margin here, and all they share is the mean of their states, of which gates of a neuron let half through.
ONE_LABEL = "one label"


@dataclass(frozen=True)
class MarginSource:
    """A `nets.data.labelled.DataSource` of labelled unit points, independent and of one law, with margin `gamma`.

    `law` is one of `LAWS`, the first coordinates being those that decide the label, or `ONE_LABEL`. Raises ValueError
    for another law, and `DataError` for a margin that the law cannot have.
    """

    gamma: float
    law: str = "caps"

    def __post_init__(self) -> None:
        if self.law not in (*LAWS, ONE_LABEL):
            raise ValueError(f"there is no law {self.law!r}: choose one of {', '.join([*LAWS, ONE_LABEL])}")
        largest = LARGEST_MARGIN if self.law == ONE_LABEL else LAWS[self.law][0]
        if not 0.0 < self.gamma <= largest * (1.0 + 1e-12):
            raise DataError(
                f"a margin of {self.gamma} of the law {self.law}: take one above 0, of {largest:.6g} at most"
            )

    @property
    def gap(self) -> float:
        """The least |x_1| of `caps` and `rings`, and x_1 of the positive points of `offset`."""
        share = min(1.0, self.gamma / LARGEST_MARGIN)
        return max(0.0, (1.0 - 3.0 * share) / (1.0 + share)) if self.law == "offset" else share

    @property
    def opening(self) -> float:
        """The largest angle between a point of `wedges` and the nearest half axis."""
        return math.acos(min(1.0, (1.0 + self.gamma / LARGEST_MARGIN) / math.sqrt(2.0)))

    def draw(self, n: int, d: int, rng: Generator) -> tuple[Array, Array]:
        """Return n unit rows (n, d) and labels (n,) of -1 and +1, each as likely as the other but for `ONE_LABEL`.

        Raises `DataError` for d = 1, where all points have the same margin.
        """
        _check_dimension(d)
        if self.law == ONE_LABEL:
            return sphere(n, d, rng), np.ones(n)
        labels = rng.choice([-1.0, 1.0], n)
        if self.law == "wedges":
            angles = rng.uniform(-self.opening, self.opening, n) + math.pi * rng.integers(0, 2, n)
            angles += np.where(labels > 0.0, 0.0, math.pi / 2.0)
            return self.placed(angles, d), labels
        along = np.full(n, self.gap)
        if self.law == "offset":
            along[labels < 0.0] = -1.0
        if self.law == "caps" and self.gap < 1.0:
            # x_1^2 of a uniform point is Beta(1/2, (d - 1)/2), here given that it is at least the squared gap.
            law = 0.5, 0.5 * (d - 1)
            square = betainccinv(*law, rng.uniform(0.0, 1.0, n) * betaincc(*law, self.gap**2))
            along = np.sqrt(np.maximum(square, self.gap**2))
        aside = sphere(n, d - 1, rng) * np.sqrt(1.0 - along**2)[:, np.newaxis]
        return np.ascontiguousarray(np.column_stack([labels * along, aside])), labels

    def edge(self, n: int, d: int) -> tuple[Array, Array]:
        """Return n points (n, d) where the margin is least, and labels (n,), half of each sign, or one more of +1.

        Spread evenly on the rings, of which there are two points each in the plane; the ends of wedges, repeated. Of
        `ONE_LABEL` the axes and their antipodes, all +1. Raises `DataError` for d = 1, where all points have the same
        margin.
        """
        _check_dimension(d)
        if self.law == ONE_LABEL:
            return np.resize(np.stack([np.eye(d), -np.eye(d)], axis=1).reshape(2 * d, d), (n, d)), np.ones(n)
        halves = (n - n // 2, n // 2)
        labels = np.repeat([1.0, -1.0], halves)
        if self.law == "wedges":
            ends = [-self.opening, self.opening, math.pi - self.opening, math.pi + self.opening]
            first, second = (np.resize(ends, half) for half in halves)
            return self.placed(np.concatenate([first, second + math.pi / 2.0]), d), labels
        turns = math.pi * np.arange(n)
        if d > 2:
            turns = np.concatenate([2.0 * math.pi * np.arange(half) / max(half, 1) for half in halves])
        along = labels * self.gap
        if self.law == "offset":
            along[labels < 0.0] = 1.0
        points, aside = np.zeros((n, d)), np.sqrt(1.0 - along**2)
        points[:, 0], points[:, 1] = along, aside * np.cos(turns)
        if d > 2:
            points[:, 2] = aside * np.sin(turns)
        return points, labels

    @staticmethod
    def placed(angles: npt.ArrayLike, d: int) -> Array:
        """The points (n, d) at these angles (n,) of the plane of the first two axes."""
        phi = np.asarray(angles, np.float64)
        points = np.zeros((phi.size, d))
        points[:, 0], points[:, 1] = np.cos(phi), np.sin(phi)
        return points

    @property
    def _values(self) -> tuple[float, float]:
        """What c is where x_1 is positive, or the larger of both on `wedges`, and elsewhere."""
        if self.law == ONE_LABEL:
            return (self.gamma / LARGEST_MARGIN,) * 2
        return ((self.gap - 1.0) / (self.gap + 3.0), 1.0) if self.law == "offset" else (1.0, -1.0)

    def witness(self, directions: npt.ArrayLike) -> Array:
        """c(u) in [-1, 1] of rows u (k, d): the function that has the margin."""
        u = np.asarray(directions, np.float64)
        return np.where((u[:, 0] if self.law != "wedges" else np.abs(u[:, 0]) - np.abs(u[:, 1])) > 0.0, *self._values)

    def witness_edges(self) -> tuple[Array, Array]:
        """The same in the plane of the first two axes: ends (k + 1,) of arcs, and c (k,) on each."""
        if self.law == "wedges":
            return np.pi / 4.0 * np.array([-1.0, 1.0, 3.0, 5.0, 7.0]), np.resize(self._values, 4)
        return np.pi / 2.0 * np.array([-1.0, 1.0, 3.0]), np.array(self._values)

    def worst(self, gradients: npt.ArrayLike, labels: npt.ArrayLike) -> Array:
        """The points (n, d) of the support with these labels (n,) at which <g, x> is least, for rows g (n, d)."""
        g, y = np.asarray(gradients, np.float64), np.asarray(labels, np.float64)
        if self.law == ONE_LABEL:
            return normalise_rows(-g)
        if self.law == "wedges":
            base = np.where(y > 0.0, 0.0, math.pi / 2.0)[:, np.newaxis]
            against = np.arctan2(-g[:, 1], -g[:, 0])[:, np.newaxis] - base
            turns = math.pi * np.round(against / math.pi)
            inside = np.clip(against - turns, -self.opening, self.opening) + turns
            angles = base + np.column_stack([inside, np.resize([-self.opening, self.opening], (len(y), 2))])
            angles = np.column_stack([angles, angles + math.pi])
            values = g[:, :1] * np.cos(angles) + g[:, 1:2] * np.sin(angles)
            return self.placed(angles[np.arange(len(y)), np.argmin(values, axis=1)], g.shape[1])
        lengths = np.linalg.norm(g[:, 1:], axis=1)
        along = y * self.gap if self.law != "offset" else np.where(y > 0.0, self.gap, 1.0)
        if self.law == "caps":
            steepest = -g[:, 0] / np.maximum(np.hypot(g[:, 0], lengths), np.finfo(float).tiny)
            along = y * np.maximum(y * steepest, self.gap)
        aside = -g[:, 1:] / np.maximum(lengths, np.finfo(float).tiny)[:, np.newaxis]
        aside[lengths == 0.0, 0] = 1.0
        return np.column_stack([along, aside * np.sqrt(1.0 - along**2)[:, np.newaxis]])

    def tight(self) -> tuple[Array, Array, Array]:
        """Angles, labels and weights of points of the support in the plane for which no c has a larger margin.

        ValueError for `offset` and `ONE_LABEL`, of which none are known.
        """
        if self.law in ("offset", ONE_LABEL):
            raise ValueError(f"no weights are known for which the margin of the law {self.law} is the largest")
        if self.law == "wedges":
            axes = math.pi / 2.0 * np.repeat(np.arange(4), 2)
            return axes + np.resize([-self.opening, self.opening], 8), np.resize([1.0, 1.0, -1.0, -1.0], 8), _equal(8)
        far = math.acos(self.gap)
        return np.array([far, -far, math.pi - far, math.pi + far]), np.array([1.0, 1.0, -1.0, -1.0]), _equal(4)


def _check_dimension(d: int) -> None:
    if d < 2:
        raise DataError(f"points in d = {d} with a margin of choice asked for: 1 and -1 have one margin, take d >= 2")


def _equal(k: int) -> Array:
    return np.full(k, 1.0 / k)


def witness_direction(source: MarginSource, W: npt.ArrayLike) -> Array:
    """The unit vector alpha (m,) of frei2019, Proposition C.5: c of the columns of the first layer W (d, m)."""
    c = source.witness(np.asarray(W, np.float64).T)
    return np.asarray(c / np.linalg.norm(c))


# E ||u|| of a Gaussian u of the plane, by the length of the circle.
_RADIAL = 1.0 / math.sqrt(8.0 * math.pi)


def circle_feature(edges: npt.ArrayLike, values: npt.ArrayLike, angles: npt.ArrayLike) -> Array:
    """E[c(u) relu(<u, x>)] for points x (n,) of a plane, c being `values` (k,) on the arcs between `edges` (k + 1,).

    All by their angles, the edges in rising order and once round; c depends on what u is in the plane alone.
    """
    places = np.asarray(edges, np.float64)[:, np.newaxis] - np.asarray(angles, np.float64)
    return np.asarray(_RADIAL * (np.asarray(values, np.float64) @ np.diff(_arc(places), axis=0)))


def _arc(t: Array) -> Array:
    """The integral of max(cos, 0) from -pi/2 to t."""
    turns = np.floor((t + np.pi / 2.0) / (2.0 * np.pi))
    rest = np.minimum(t - 2.0 * np.pi * turns, np.pi / 2.0)
    return np.asarray(2.0 * turns + np.sin(rest) + 1.0)


def circle_dual(angles: npt.ArrayLike, labels: npt.ArrayLike, weights: npt.ArrayLike) -> float:
    """E|sum_i q_i y_i relu(<u, x_i>)| for points of a plane by their angles (n,): no margin is larger."""
    phi = np.asarray(angles, np.float64)
    signed = np.asarray(weights, np.float64) * np.asarray(labels, np.float64)
    edges = np.unique(np.concatenate([phi - np.pi / 2.0, phi + np.pi / 2.0]) % (2.0 * np.pi))
    edges = np.append(edges, edges[0] + 2.0 * np.pi)
    middles = 0.5 * (edges[1:] + edges[:-1])
    # On each arc the sum is a cos + b sin, of the points whose gate is open there.
    gates = np.cos(middles[:, np.newaxis] - phi) > 0.0
    a, b = gates @ (signed * np.cos(phi)), gates @ (signed * np.sin(phi))
    size, turn = np.hypot(a, b), np.arctan2(b, a)
    return float(_RADIAL * np.sum(size * np.diff(_modulus(edges[np.newaxis] - turn[:, np.newaxis]))[_own(len(turn))]))


def _own(k: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    return np.arange(k), np.arange(k)


def _modulus(t: Array) -> Array:
    """The integral of |cos| from -pi/2 to t."""
    turns = np.floor((t + np.pi / 2.0) / np.pi)
    return np.asarray(2.0 * turns + np.sin(t - np.pi * turns) + 1.0)


def enclosed_margin(X: npt.ArrayLike, y: npt.ArrayLike) -> tuple[float, float]:
    """An interval that holds the largest margin of unit points X (n, d) with labels y (n,).

    From below by c = sign(<w, u>), whose f(x) is <w, x>/sqrt(2 pi), w the direction of the largest linear margin; from
    above by all c of mean square 1 at most, whose margin is that of the kernel E relu(<u, x>) relu(<u, x'>). Both are
    convex problems whose solutions are enclosed in turn.
    """
    points = np.asarray(X, np.float64)
    cosines = np.clip(points @ points.T, -1.0, 1.0)
    np.fill_diagonal(cosines, 1.0)
    kernel = 0.5 * np.asarray(next_cosine(cosines))
    return largest_margin(cosines, y).low * LARGEST_MARGIN, largest_margin(kernel, y).high

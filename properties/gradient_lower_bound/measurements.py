"""What the claims on gradient lower bounds measure: gate patterns of points, and the gated Gram matrix.

Main definitions: `gate_cells`, the exact measures of all gate patterns in the plane and in space;
`exceedance`, the probability that a gated sum is long; `fan`, points that make it short; `training_points`;
`agree`, the perturbation that makes the gates of the two nearest points alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nets.adversaries import flip_smallest
from nets.data import Dataset, DataSource
from nets.forward import forward
from nets.network import Network, perturbed
from nets.operators import operator_norm, pairwise_distances
from nets.points import separated
from nets.sphere import antipodal_separation, normalise_rows, separation
from theory.measured import UNIT_ROUNDOFF, Measured

Array = npt.NDArray[np.float64]

# A sum or a share below is off by a few roundings of each of its terms; this many a term are allowed for.
_OPERATIONS = 16.0


@dataclass(frozen=True)
class GateCells:
    """All gate patterns 1{<w, z_i> > 0} that a random direction w meets, with their probabilities.

    Attributes
    ----------
    gates : (k, n) of 0.0 and 1.0, one row a pattern
    shares : (k,) probabilities, of sum 1
    error : bound on the rounding error of a sum of shares
    """

    gates: Array
    shares: Array
    error: float


def gate_cells(Z: Array) -> GateCells:
    """The cells into which the hyperplanes orthogonal to the points Z (n, d), d = 2 or 3, cut the sphere.

    In space no two points may be equal or antipodal and no three on a great circle; where rounding makes the
    cells inconsistent, the error is NaN.
    """
    if Z.shape[1] not in (2, 3):
        raise ValueError(f"the points have dimension {Z.shape[1]}: cells are measured exactly in dimensions 2 and 3")
    return _sectors(Z) if Z.shape[1] == 2 else _spherical_polygons(Z)


def _sectors(Z: Array) -> GateCells:
    """Between neighbouring critical directions of the circle the gates do not change: one at the middle
    tells."""
    angles = np.arctan2(Z[:, 1], Z[:, 0])
    critical = np.sort(np.concatenate([angles + 0.5 * math.pi, angles - 0.5 * math.pi]) % (2.0 * math.pi))
    following = np.append(critical[1:], critical[0] + 2.0 * math.pi)
    middle = 0.5 * (critical + following)
    directions = np.column_stack([np.cos(middle), np.sin(middle)])
    error = _OPERATIONS * critical.size * UNIT_ROUNDOFF
    return GateCells((directions @ Z.T > 0.0).astype(float), (following - critical) / (2.0 * math.pi), error)


def _spherical_polygons(Z: Array) -> GateCells:
    """A spherical polygon has area 2 pi minus its outer angles (Gauss and Bonnet).

    Each crossing point of two great circles is a corner of four cells, whose outer angles there are the
    angles between the two inward normals.
    """
    n = len(Z)
    areas: dict[tuple[bool, ...], float] = {}
    least = 1.0
    for i in range(n):
        for j in range(i + 1, n):
            corner = np.cross(Z[i], Z[j])
            sine = float(np.linalg.norm(corner))
            least = min(least, sine)
            angle = math.atan2(sine, float(Z[i] @ Z[j]))
            for sign in (1.0, -1.0):
                pattern = sign * (Z @ corner) > 0.0
                for pattern[i], pattern[j] in ((False, False), (False, True), (True, False), (True, True)):
                    outer = angle if pattern[i] == pattern[j] else math.pi - angle
                    key = tuple(pattern.tolist())
                    areas[key] = areas.get(key, 2.0 * math.pi) - outer
    shares = np.array(list(areas.values())) / (4.0 * math.pi)
    error = _OPERATIONS * n**2 * UNIT_ROUNDOFF / max(least, UNIT_ROUNDOFF)
    whole = len(areas) == n * n - n + 2 and abs(shares.sum() - 1.0) <= error and shares.min() >= -error
    return GateCells(np.array(list(areas), dtype=float), shares, error if whole else math.nan)


def exceedance(Z: Array, a: Array, level: float) -> Measured:
    """P(||sum_i a_i 1{<w, z_i> > 0} z_i|| >= level) for a random direction w, points Z (n, d), coefficients a
    (n,).

    The points are unit vectors up to rounding only, so a cell whose norm falls short of the level by rounding
    counts.
    """
    cells = gate_cells(Z)
    norms = np.linalg.norm((cells.gates * a) @ Z, axis=1)
    close = _OPERATIONS * len(Z) * UNIT_ROUNDOFF * float(np.abs(a).sum())
    probability = float(cells.shares[norms >= level - close].sum())
    return Measured(probability, error=cells.error, symbols=described(Z, a))


def described(Z: Array, a: Array) -> dict[str, float]:
    """The separations phi and phi_pm of the points Z (n, d), and the largest |a_i|."""
    phi = separation(Z)
    return {
        "phi": phi,
        "phi_pm": min(phi, antipodal_separation(Z)),
        "a": float(np.abs(a).max()),
    }


def fan(n: int, d: int, tilt: float, rng: np.random.Generator) -> Array:
    """Unit rows (n, d): e, and then two each at angles tilt, 2 tilt, ... from e, which has equal coordinates.

    The two lie opposite each other in the plane and in random directions in space.
    """
    e = np.full(d, d**-0.5)
    rows = [e]
    for k in range(n - 1):
        away = np.array([e[1], -e[0]]) if d == 2 else rng.standard_normal(d)
        away -= (away @ e) * e
        angle = tilt * (1 + k // 2) * (1.0 if k % 2 else -1.0)
        rows.append(math.cos(angle) * e + math.sin(angle) * away / np.linalg.norm(away))
    return normalise_rows(rows)


def with_antipodes(Z: Array, gap: float, rng: np.random.Generator) -> Array:
    """Z (k, d) and then for each row a unit vector at distance `gap` from its negative, turned at random:
    (2k, d)."""
    away = rng.standard_normal(Z.shape)
    away -= np.sum(away * Z, axis=1, keepdims=True) * Z
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    angle = 2.0 * math.asin(0.5 * gap)
    return np.concatenate([Z, -math.cos(angle) * Z - math.sin(angle) * away])


def training_points(data: DataSource, n: int, d: int, phi: float, rng: np.random.Generator) -> Array:
    """n points whose nearest two are at distance phi, or n of the user's own points."""
    if isinstance(data, Dataset):
        return np.ascontiguousarray(data.draw(n, d, rng)[0])
    return separated(n, d, phi, rng)


def agree(net: Network, X: Array, tau: float) -> Network:
    """The network after steps of operator norm at most tau a layer that bring the two nearest points
    together.

    The first layer (of a deep network) shrinks their difference along its image; the last turns those gates
    in which they differ, from the smallest pre-activations on. Points X (n, d).
    """
    distances = pairwise_distances(X) + np.diag(np.full(len(X), np.inf))
    i, j = np.unravel_index(int(np.argmin(distances)), distances.shape)
    steps = [np.zeros_like(W) for W in net.weights]
    if net.depth > 1:
        apart = (X[i] - X[j]) / distances[i, j]
        image = apart @ net.weights[0]
        pull = np.outer(apart, image)
        steps[0] = pull * (-tau * (1.0 - 1e-9) / operator_norm(pull))
    fwd = forward(perturbed(net, steps), X)
    gates = fwd.masks[-1] > 0.0
    stronger = np.abs(fwd.pre[-1][i]) >= np.abs(fwd.pre[-1][j])
    wanted = gates.copy()
    wanted[i] = wanted[j] = np.where(stronger, gates[i], gates[j])
    steps[-1] = flip_smallest(net.weights[-1], fwd.post[-2], tau, masks=(~wanted).astype(float))
    return perturbed(net, steps)

"""What the claims on the initialisation measure: spread points of a sphere, and all parts of Theorem 5.1 at once.

Main definitions: `spread`, points as close as allowed that leave no room for another, and `covering_radius`;
`parts_over_bounds`, each quantity of Theorem 5.1(i) to (vi) over its bound.
"""

import math

import numpy as np
import scipy
from numpy.random import Generator

from bounds.papers import zou2018 as sheet
from nets.core.arrays import Array
from nets.data.distances import DataError
from nets.networks.forward import forward
from nets.networks.gradients import backward
from nets.networks.network import Network
from nets.networks.operators import layer_norms, norm_interval, pairwise_distances, sparse_supremum, threshold_counts
from properties.shared.interval_ends import Ends
from properties.zou2018.masked_products import product_norms

# Distances are met up to some units in the last place.
CLOSENESS = 1e-9


def spread(eps: float, d: int) -> Array:
    """Unit vectors (k, d), d = 2 or 3, that are eps apart and leave no place for another one, eps in (0, 1].

    Each new point is at distance eps from two of the others, as near to the first point as can be, so that they lie
    densely. The part of the sphere within eps of no point has corners, if any, where two such circles meet. Raises
    `DataError` for another d.
    """
    if d not in (2, 3):
        raise DataError(f"points are spread on the circle and the sphere, not in d = {d}: ask for d = 2 or 3")
    angle = 2.0 * math.asin(0.5 * eps)
    if d == 2:
        steps = np.arange(int(2.0 * math.pi / angle * (1.0 + CLOSENESS)))
        return np.column_stack([np.cos(steps * angle), np.sin(steps * angle)])
    angle *= 1.0 + CLOSENESS
    points = np.array([[0.0, 0.0, 1.0], [math.sin(angle), 0.0, math.cos(angle)]])
    places = _corners(points[:1], points[1], angle)
    while places.size:
        new = places[int(np.argmax(places @ points[0]))]
        places = np.concatenate([places, _corners(points, new, angle)])
        points = np.concatenate([points, new[np.newaxis]])
        places = places[(places @ points.T).max(axis=1) <= math.cos(angle * (1.0 - 0.5 * CLOSENESS))]
    return points


def _corners(points: Array, new: Array, angle: float) -> Array:
    """The places at this angle from the new point and from one of the others (k, 3): up to (2 k, 3)."""
    cosines = points @ new
    near = cosines > math.cos(2.0 * angle)
    middle = (points[near] + new) * (math.cos(angle) / (1.0 + cosines[near]))[:, np.newaxis]
    across = np.cross(points[near], new)
    height = np.sqrt(np.maximum(0.0, 1.0 - np.sum(middle**2, axis=1)))
    across *= (height / np.linalg.norm(across, axis=1))[:, np.newaxis]
    return np.concatenate([middle + across, middle - across])


def covering_radius(points: Array) -> float:
    """The largest distance from a point of the sphere to the nearest of these unit vectors (k, d), d = 2 or 3.

    In space it is attained where the sphere lies furthest beyond a face of the convex hull.
    """
    if points.shape[1] == 2:
        angles = np.sort(np.arctan2(points[:, 1], points[:, 0]))
        widest = float(np.diff(angles, append=angles[0] + 2.0 * math.pi).max())
        return 2.0 * math.sin(min(0.25 * widest, 0.5 * math.pi))
    heights = -scipy.spatial.ConvexHull(points).equations[:, -1]
    return math.sqrt(max(0.0, 2.0 - 2.0 * float(heights.min())))


def parts_over_bounds(
    net: Network,
    X: Array,
    phi: float,
    beta: float,
    s: int,
    delta: float,
    rng: Generator,
    layers: int | None = None,
    entries: int | None = None,
) -> Ends:
    """Each quantity of Theorem 5.1(i) to (vi) over its bound, at the points X (n, d); (ii) is turned over.

    `layers` is the depth that the bound on products is taken for, by default that of the network, and `entries` how
    many entries the directions of (vi) have, by default s. Operator norms of wide layers are intervals.
    """
    n, depth = len(X), net.depth
    fwd = forward(net, X)
    least = min(float(pairwise_distances(x)[np.triu_indices(n, 1)].min()) for x in fwd.post[1:])
    counts = [
        threshold_counts(pre, np.array([beta]))[:, 0] / sheet.lemma_A_7(m=pre.shape[1], beta_=beta) for pre in fwd.pre
    ]
    sparse = [sparse_supremum(q, entries or s) for q in backward(net, fwd).q]
    largest = max(net.widths[1:])
    known = np.concatenate(
        [
            layer_norms(fwd)[:, 1:].ravel() / sheet.theorem_5_1_i_norm(),
            [sheet.corollary_A_5(phi=phi) / least if least > 0.0 else math.inf],
            np.abs(fwd.output) / sheet.lemma_A_6(n=n, delta=delta),
            *counts,
            *(supremum / sheet.lemma_A_9(L=depth, s=s, M=largest) for supremum in sparse),
        ]
    )
    weights = np.array([norm_interval(W, rng, steps=20)[:2] for W in net.weights]).T / sheet.theorem_5_1_i()
    low, high = [known, weights[0]], [known, weights[1]]
    if depth > 1:
        products = product_norms(net, fwd, rng)
        bound = sheet.lemma_A_8(L=layers or depth)
        low.append(products.low / bound)
        high.append(products.high / bound)
    return Ends(np.concatenate(low), np.concatenate(high))

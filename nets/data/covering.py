"""Finite sets that come close to every point of another set (chatterji2021, Definition F.8).

Written by hand: the points alone; `scipy.spatial.distance.directed_hausdorff` says how far they are from others.
"""

import itertools
import math

import numpy as np
from scipy.spatial.distance import directed_hausdorff

from nets.core.arrays import Array

# Distances between unit vectors are good to this much; squares of the distances, before the root, to 2e-15.
DISTANCE_ERROR = 1e-7


def is_net(net: Array, points: Array, eps: float) -> bool:
    """Whether every row of `points` is within `eps` of a row of `net` (chatterji2021, Definition F.8)."""
    return bool(directed_hausdorff(points, net)[0] <= eps)


def sphere_grid(d: int, cells: int) -> tuple[Array, float]:
    """Points (k, d) on the unit sphere of R^d, and a distance within which each unit vector has one of them.

    They are a grid with so many cells per edge on the faces of the cube, pushed onto the sphere: outside the unit ball
    that map stretches no distance, so that half the diagonal of a cell is enough. For d = 1 they are the two points.
    """
    if d == 1:
        return np.array([[-1.0], [1.0]]), 0.0
    steps = np.linspace(-1.0, 1.0, cells + 1)
    face = np.array(list(itertools.product(steps, repeat=d - 1)))
    sides = [np.insert(face, place, sign, axis=1) for place in range(d) for sign in (-1.0, 1.0)]
    points = np.unique(np.concatenate(sides), axis=0)
    return points / np.linalg.norm(points, axis=1, keepdims=True), math.sqrt(d - 1.0) / cells


def maximal_separated(points: Array, eps: float) -> Array:
    """A maximal subset of the rows, in their order, with distances above `eps`: no further row can be added."""
    chosen, left = [], points
    while len(left):
        chosen.append(left[0])
        left = left[np.sqrt(((left - left[0]) ** 2).sum(axis=1)) > eps]
    return np.array(chosen)


def sphere_net(d: int, eps: float, cells: int) -> Array:
    """An `eps`-net (r, d) of the unit sphere of R^d that is itself separated by a little less than `eps`.

    Raises ValueError where the grid is too coarse for a net of that distance.
    """
    points, reach = sphere_grid(d, cells)
    if reach + DISTANCE_ERROR >= eps:
        raise ValueError(f"a grid of {cells} cells per edge leaves gaps of {reach:.3g}; take more for a {eps:.3g}-net")
    return maximal_separated(points, eps - reach - DISTANCE_ERROR)

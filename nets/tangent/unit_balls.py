"""The least mean logistic loss where the margins are linear in points of unit balls, by the method of barriers.

Main definition: `least_in_unit_balls`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import scipy
from scipy.special import expit

from nets.core.arrays import Array
from nets.networks.curvature import EPS
from nets.networks.log_loss import log_mean_loss, logistic_terms

# The share of the loss that the barrier leaves to gain in the end, and how much one weight of it is of the one before.
LAST_GAP = 1e-7
RATIO = 0.1

# Steps of Newton's method for each weight, of which it needs fewer than ten; what the last of them has to promise, as a
# share of the weight; and how much of the promise a step has to keep.
STEPS = 100
CENTRED = 1e-4
KEPT = 0.1

# A step of Newton's method that is halved to less is lost in rounding.
SHORTEST = 1e-9


def least_in_unit_balls(features: Sequence[Array], margins: Array) -> list[Array]:
    """Points u_l (k_l,) inside the unit balls, for features F_l (n, k_l) and margins m (n,).

    They minimise log J - mu sum_l log(1 - |u_l|^2), with J the mean logistic loss of m + sum_l F_l u_l, for weights mu
    that fall to `LAST_GAP` over the number of balls. There J is above its infimum by a share `LAST_GAP` at most: with p
    the negative slopes of log J in the margins, F_l^T p = 2 mu u_l/(1 - |u_l|^2), so that the lower bound by duality is

        J - J sum_l (|F_l^T p| - <F_l^T p, u_l>) = J - J mu sum_l 2 |u_l|/(1 + |u_l|),

    whatever sums of features cancel. As it is the logarithm that is minimised, J may be below the least double.
    """
    matrix = np.concatenate(features, axis=1)
    sizes = [part.shape[1] for part in features]
    owner = np.repeat(np.arange(len(sizes)), sizes)
    same = owner[:, np.newaxis] == owner
    starts = np.cumsum(sizes)[:-1]

    def room(u: Array) -> Array:
        return np.asarray(1.0 - np.bincount(owner, u * u, len(sizes)))

    def objective(u: Array, weight: float) -> float:
        left = room(u)
        if left.min() <= 0.0:
            return math.inf
        return log_mean_loss(margins + matrix @ u) - weight * float(np.log(left).sum())

    def newton(u: Array, weight: float) -> tuple[Array, float]:
        """The step and what it promises to gain."""
        reached = margins + matrix @ u
        terms = logistic_terms(reached)
        shares = np.exp(terms.log_weight - log_mean_loss(reached)) / margins.size
        slope, left = matrix.T @ shares, room(u)[owner]
        pull = 2.0 * u / left
        hessian = matrix.T @ ((shares * expit(reached))[:, np.newaxis] * matrix)
        hessian += weight * (np.diag(2.0 / left) + same * np.outer(pull, pull))
        gradient = weight * pull - slope
        # What rounding may take from it: the features of more directions than samples leave it to the barrier.
        hessian[np.diag_indices(len(u))] *= 1.0 + 4.0 * len(u) * EPS
        try:
            factor = scipy.linalg.cho_factor(hessian - np.outer(slope, slope))
        except np.linalg.LinAlgError:
            # The logarithm is not convex here; J is, and has the same slopes but for a factor.
            factor = scipy.linalg.cho_factor(hessian)
        step = scipy.linalg.cho_solve(factor, gradient)
        return step, float(gradient @ step)

    def centre(u: Array, weight: float) -> Array:
        value = objective(u, weight)
        for _ in range(STEPS):
            step, promise = newton(u, weight)
            if promise <= CENTRED * weight:
                break
            size = 1.0
            while not (moved := objective(u - size * step, weight)) <= value - KEPT * size * promise:
                size *= 0.5
                if size < SHORTEST:
                    return u
            u, value = u - size * step, moved
        return u

    # So heavy a barrier keeps the points near the centres.
    last = LAST_GAP / len(sizes)
    weight = max(1.0, float(np.linalg.norm(matrix, axis=1).max(initial=0.0)))
    u = centre(np.zeros(len(owner)), weight)
    while weight > last:
        weight = max(last, RATIO * weight)
        u = centre(u, weight)
    return np.split(u, starts)

"""Projected ascent: what the adversaries are measured against where no best step is known."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import svd

from nets.linear_algebra.lowrank import LowRank, sum_of
from nets.networks.operators import operator_norm
from nets.worst_cases.adversaries import WeightStep, _along, no_step

Objective = Callable[[tuple[WeightStep, ...]], float]
Gradient = Callable[[tuple[WeightStep, ...]], tuple[WeightStep, ...]]


class Ascent(NamedTuple):
    """What `projected_ascent` found: the best steps and their value."""

    best: tuple[WeightStep, ...]
    value: float


def projected_ascent(
    objective: Objective,
    start_steps: Sequence[WeightStep],
    radii: Sequence[float],
    rng: np.random.Generator,
    starts: int = 4,
    steps: int = 50,
    gradient: Gradient | None = None,
) -> Ascent:
    """Climb `objective` over steps dW_l of operator norm at most radii[l - 1] (see `step_radius`).

    The first start is `start_steps`, the others are random, of rank one and full norm. A climb goes along `gradient`,
    of which only the direction in each layer counts, or, without one, along random steps of rank one; what leaves a
    ball is brought back by cutting its singular values. A proposal is kept unless it is worse (on the plateaus that
    counts have, the climb wanders), and the next goes twice as far; otherwise the next is shorter by 2^(1/4), so
    that lengths settle where one proposal in five is kept. The objective is evaluated starts (steps + 1) times; on
    revealed layers most evaluations reveal new directions.
    """
    if starts < 1 or len(start_steps) != len(radii):
        raise ValueError(
            f"starts={starts}, with {len(start_steps)} steps and {len(radii)} radii: choose starts >= 1,"
            " and one radius per step"
        )
    norms = [operator_norm(step) for step in start_steps]
    if not all(norm <= radius * (1.0 + 1e-12) for norm, radius in zip(norms, radii, strict=True)):
        raise ValueError(f"the steps to start from have norms {norms} for radii {list(radii)}: start inside the balls")

    def moved(origin: Sequence[WeightStep], directions: Sequence[WeightStep], length: float) -> tuple[WeightStep, ...]:
        return tuple(map(_moved, origin, directions, (length * radius for radius in radii), radii))

    best, value = tuple(start_steps), -math.inf
    still = tuple(no_step(step) for step in start_steps)
    for number in range(starts):
        current = moved(still, _random_directions(still, rng), 1.0) if number else tuple(start_steps)
        reached, length = objective(current), 1.0
        for _ in range(steps):
            directions = _random_directions(still, rng) if gradient is None else gradient(current)
            proposal = moved(current, directions, length)
            found = objective(proposal)
            if found >= reached:
                current, reached, length = proposal, found, min(2.0 * length, 2.0)
            else:
                length *= 2.0**-0.25
        if reached > value:
            best, value = current, reached
    return Ascent(best, value)


def _random_directions(like: tuple[WeightStep, ...], rng: np.random.Generator) -> tuple[WeightStep, ...]:
    """A random step of rank one and norm 1 for each layer, of the kind and shape of the steps given."""
    return tuple(_along(S, rng.standard_normal(S.shape[0]), rng.standard_normal(S.shape[1]), 1.0) for S in like)


def _moved(step: WeightStep, direction: WeightStep, length: float, radius: float) -> WeightStep:
    """The step moved by so much in a direction of any norm, and back into the ball by cutting singular values."""
    norm = operator_norm(direction)
    change: WeightStep = (length / norm if norm > 0.0 else 0.0) * direction
    if isinstance(step, LowRank):
        total = sum_of([step, change], step.shape)
        left, A = np.linalg.qr(total.left.T)
        right, B = np.linalg.qr(total.right.T)
        P, sizes, Qt = svd(A @ B.T, full_matrices=False)
        return LowRank((P * np.minimum(sizes, radius)).T @ left.T, Qt @ right.T)
    left, sizes, right = svd(step + change, full_matrices=False)
    return np.asarray((left * np.minimum(sizes, radius)) @ right)

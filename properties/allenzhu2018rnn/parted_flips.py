"""The worst changes of pre-activations in two parts, one bounded in norm and one entry by entry, exactly.

Main definitions: `most_flips` and `largest_mass`, suprema over all such changes; `aimed_mass`, what passes turned gates
for the best change towards an aim; `good_pre_activations`, vectors as unkind as Definition A.14 allows.

Both are claims of Claim C.4 of allenzhu2018rnn: g~ is moved by g'_1 with ||g'_1|| <= `budget` and g'_2 with entries up
to `level`.
"""

import math

import numpy as np

from nets.core.arrays import Array


def most_flips(pre: Array, budget: float, level: float) -> int:
    """The most signs of g~ (m,) that a change in two parts turns.

    The second part brings each entry nearer to 0 by the level; of what is left the smallest squares that sum to at most
    budget^2 are paid by the first.
    """
    left = np.sort(np.maximum(np.abs(pre) - level, 0.0))
    return int(np.searchsorted(np.cumsum(left**2), budget**2, side="right"))


def largest_mass(pre: Array, budget: float, level: float) -> float:
    """sup ||D' g|| over the changes of g~ (m,) in two parts.

    An entry that turns ends at |g'_1j| + level - |g~_j|. With c the entries level - |g~_j| that are positive, the norm
    is largest for g'_1 along c, where it is budget + ||c||; without any, the first part goes to the smallest entry.
    """
    reach = level - np.abs(pre)
    if reach.max() > 0.0:
        return budget + float(np.linalg.norm(np.maximum(reach, 0.0)))
    return max(0.0, budget + float(reach.max()))


def aimed_mass(pre: Array, budget: float, level: float, along: Array) -> Array:
    """The entries (m,) of D' g, none below 0, that make <along, D' g> largest, for a change of g~ (m,) in two parts.

    An entry that turns is |g'_1j| + level - |g~_j|. The first part is c times the positive entries of `along`, where c
    of them is twice |g~_j| - level and more: another neuron would cost more of the norm than it adds.
    """
    left = np.abs(pre) - level
    open_ = np.flatnonzero(along > 0.0)
    costs = left[open_] / along[open_]
    first = np.flatnonzero(costs <= _beyond(costs, along[open_], budget))
    open_ = open_[first[np.argsort(costs[first], kind="stable")]]
    norms = np.sqrt(np.cumsum(along[open_] ** 2))
    enough = np.flatnonzero(2.0 * np.maximum(left[open_], 0.0) * norms <= budget * along[open_])
    passed = np.zeros_like(pre)
    if enough.size:
        turned = open_[: enough[-1] + 1]
        passed[turned] = budget * along[turned] / norms[enough[-1]] - left[turned]
    return passed


def _beyond(costs: Array, along: Array, budget: float) -> float:
    """A cost beyond which no neuron turns, as those up to it are too many: what spares a sort of all others."""
    few = len(costs) // 64
    while 16 < few < len(costs):
        level = float(np.partition(costs, few)[few])
        if 2.0 * level * float(np.linalg.norm(along[costs <= level])) > (1.0 + 1e-9) * budget:
            return level
        few *= 4
    return math.inf


def good_pre_activations(m: int, xi: float, near: int, beyond: int) -> Array:
    """Entries (m,): `near` of them next to 0, `beyond` just above 2 xi, the others at 4 xi."""
    sizes = np.full(m, 4.0 * xi)
    sizes[:near] = 1e-9 * xi
    sizes[near : near + beyond] = 2.0 * xi * (1.0 + 1e-9)
    return sizes

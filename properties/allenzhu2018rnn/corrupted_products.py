"""Products of masked layers of a recurrent network whose gates an adversary has changed.

Main definitions: `diagonal_product_norm` and `largest_span_norm`, of all spans of times; `largest_corrupted_norm`, the
adversary over sparse changes of the gates; `stretched`, one over steps in W along singular vectors, with `response`.
"""

import itertools
from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from nets import Array, Network, operator_norm
from nets.worst_cases.adversaries import step_radius
from properties.allenzhu2018rnn.perturbation import RecurrentShift, opposed
from properties.shared.quotients import quotients

# By how much, relatively, a bound on a norm exceeds what is computed of it, so that rounding does not bring it below.
ROOM = 1.0 + 1e-6


def _product(W: Array, gates: Sequence[Array]) -> Array:
    """The matrix of h -> h W D_1 W D_2 ... W D_k for diagonals (m,): (m, m)."""
    moved = W * gates[0]
    for gate in gates[1:]:
        moved = (moved @ W) * gate
    return moved


def diagonal_product_norm(W: Array, gates: Sequence[Array]) -> float:
    """||D_k W ... D_1 W|| of the paper, in the order of the times."""
    return operator_norm(_product(W, gates))


def largest_span_norm(W: Array, gates: Sequence[Array], least: float = 0.0) -> float:
    """The largest ||D_l W ... D_b W|| over all 1 <= b <= l <= k, or `least` where that is larger.

    Decomposed are only products of which a cheap bound does not say that they are smaller than one before.
    """
    spans = []
    for first in range(len(gates)):
        moved = W * gates[first]
        spans.append((_norm_bound(moved), moved))
        for gate in gates[first + 1 :]:
            moved = (moved @ W) * gate
            spans.append((_norm_bound(moved), moved))
    for bound, moved in sorted(spans, key=itemgetter(0), reverse=True):
        if bound < least:
            break
        least = max(least, operator_norm(moved))
    return least


def _top_pair(A: Array) -> tuple[Array, float, Array]:
    """The largest singular value of A, from the top of A^T A alone, with its vectors on the left and on the right."""
    last = len(A) - 1
    right = eigh(A.T @ A, subset_by_index=(last, last), check_finite=False)[1][:, 0]
    left = A @ right
    size = float(np.linalg.norm(left))
    return quotients(left, size), size, right


def _norm_bound(A: Array) -> float:
    """More than the operator norm of A, by the sum of the 16th powers of the singular values."""
    size = float(np.linalg.norm(A))
    if not 0.0 < size < np.inf:
        return np.inf
    power = A / size
    power = power.T @ power
    for _ in range(2):
        power = power @ power
    return size * ROOM * float(np.linalg.norm(power)) ** (1.0 / 8.0)


def largest_corrupted_norm(W: Array, gates: Sequence[Array], s: int, *, sweeps: int = 3) -> float:
    """A large norm of the product with s entries of each diagonal changed by 1, up or down: a lower bound.

    Each sweep goes through the diagonals at the top singular pair of the product. As it is linear in one diagonal, the
    s entries of largest effect are the best there are for that pair.
    """
    changed, best = [gate.copy() for gate in gates], 0.0
    for _ in range(sweeps):
        row, size, above = _top_pair(_product(W, changed))
        best = max(best, size)
        backs = [above]
        for gate in changed[:0:-1]:
            above = (above * gate) @ W.T
            backs.append(above)
        for number, gate in enumerate(gates):
            row = row @ W
            effect = row * backs[len(gates) - 1 - number]
            places = np.argpartition(-np.abs(effect), s - 1)[:s]
            changed[number] = gate.copy()
            changed[number][places] += np.sign(effect[places])
            row = row * changed[number]
    return max(best, diagonal_product_norm(W, changed))


class Response(NamedTuple):
    """||D_k W ... D_1 W z|| for a unit z, less than the operator norm, and the rows (k, m) before and behind each W.

    The first row before is z; those behind are what the top of the product is led back to, by gates and W.
    """

    size: float
    before: Array
    behind: Array


def response(W: Array, gates: Sequence[Array], z: Array, steps: int) -> Response:
    """The response to the vector that so many power steps make of z (m,), for gates (m,) of 0 and 1."""
    opened = [np.flatnonzero(gate) for gate in gates]
    parts = [W[:, opened[0]], *(W[np.ix_(one, other)] for one, other in itertools.pairwise(opened))]
    for _ in range(steps):
        rows = [quotients(z, np.linalg.norm(z))]
        for part in parts:
            rows.append(rows[-1] @ part)
        size = float(np.linalg.norm(rows[-1]))
        backs = [quotients(rows[-1], size)]
        for part in parts[:0:-1]:
            backs.append(part @ backs[-1])
        z = parts[0] @ backs[-1]
    before, behind = np.zeros((2, len(gates), len(W)))
    before[0] = rows[0]
    for time, (places, back) in enumerate(zip(opened, backs[::-1], strict=True)):
        behind[time, places] = back
        if time:
            before[time, opened[time - 1]] = rows[time]
    return Response(size, before, behind)


def stretched(net: Network, X: Array, radius: float, start: Array, *, sweeps: int = 2, steps: int = 5) -> float:
    """A large norm of D_L (W + W') ... D_1 (W + W') over ||W'|| <= radius, D the gates of W + W' at one sequence.

    Each sweep takes the W' that enlarges the response of the product most, to first order, and goes on from there. W is
    stored; `start` (m,) is what power steps begin with.
    """
    shift, largest, size = RecurrentShift.still(net, X), 0.0, step_radius(net.weights[0], radius)
    for sweep in range(sweeps + 1):
        gates = [mask[0] for mask in shift.after.masks]
        found = response(shift.moved.stored_weights()[0], gates, start, steps)
        largest, start = max(largest, found.size), found.before[0]
        if sweep < sweeps:
            shift = shift.by(opposed(net.weights[0], found.before, found.behind, size), X)
    return largest

"""Perturbations W' = y z^T of rank one with few rows, and what they change (Appendix C.4 of allenzhu2018rnn).

Main definitions: `rank_one_shift`, a recurrent network under one of the `AIMS`; `largest_entry` of (W~ + W') h', and
`backward_changes`, what gates and weights change in the backward matrices.

Rows are samples, so that W' of the paper is here z^T y.
"""

import math

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from nets import Array, Layer, Network, outer
from properties.allenzhu2018rnn.perturbation import RecurrentShift
from properties.allenzhu2018rnn.sparse_norms import back_product_stacks
from properties.shared.quotients import quotients

#: What y and z are made for. "entry": one entry of W~ h'_2. "loop": the same, and W' meets its own change. "sum": one
#: of W~ h'_3, by what both times add to it, of three times at least and a stored W. "flips": gates turned at time 2,
#: nearest first. "column": gates turned where one column of W~ is large. "axis": z is one axis. "outputs": the same,
#: and y is along what the first output reads of open gates, which looks at B. "again": z along an axis and y, which
#: opens gates, so that W' meets itself backward. "random": nothing.
AIMS = ("entry", "loop", "sum", "flips", "column", "axis", "outputs", "again", "random")


def _chosen(aim: str, W: Layer, pre: Array, reach: float, N: int, rng: Generator) -> tuple[npt.NDArray[np.intp], Array]:
    """The N rows of y and their signs, for pre-activations (m,) at time 2 that may move by `reach`."""
    if aim in ("entry", "loop"):
        weights = _strongest(W.T, (pre > 0.0).astype(float), N)
        rows = np.argsort(-np.abs(weights))[:N]
        return rows, np.sign(weights[rows])
    if aim == "column":
        rows = np.argsort(-np.abs(_strongest(W, (np.abs(pre) < reach).astype(float), N)))[:N]
    elif aim == "flips":
        rows = np.argsort(np.abs(pre))[:N]
    else:
        rows = rng.choice(len(pre), N, replace=False)
    return rows, np.where(pre[rows] > 0.0, -1.0, 1.0)


def _both_times(start: RecurrentShift, N: int) -> tuple[npt.NDArray[np.intp], Array, Array]:
    """The N rows of y, their signs, and z for the entry of W~ h'_3 that y moves most, by times 2 and 3, to first order.

    z is the direction in which the states of the times 1 and 2 have the largest sum of squares.
    """
    W, states = start.net.stored_weights()[0], np.stack([start.before.post[t][0] for t in (1, 2)])
    z = np.linalg.svd(states, full_matrices=False)[2][0]
    late = start.before.masks[2][0][:, np.newaxis] * W
    early = start.before.masks[1][0][:, np.newaxis] * (W @ late)
    moved = np.ascontiguousarray(((states[0] @ z) * early + (states[1] @ z) * late).T)
    weights = _strongest(moved, np.ones(len(z)), N)
    rows = np.argsort(-np.abs(weights))[:N]
    return rows, np.sign(weights[rows]), z


def _strongest(W: Layer, kept: Array, N: int) -> Array:
    """The row of W, on the entries that are kept, of which N add up to most; of a revealed W the first row."""
    if not isinstance(W, np.ndarray):
        return np.asarray((np.eye(1, len(kept)) @ W)[0] * kept)
    masked = W * kept
    sizes = np.abs(masked)
    # N entries add up to no more than N times a level and what all are above it, for any level: most rows need no sort.
    level = np.partition(sizes[0], -N)[-N]
    bounds = N * level + np.maximum(sizes - level, 0.0).sum(axis=1)
    rows = np.flatnonzero(bounds >= (1.0 - 1e-9) * _largest_sums(sizes[[np.argmax(bounds)]], N))
    return np.asarray(masked[rows[np.argmax(_largest_sums(sizes[rows], N))]])


def _largest_sums(sizes: Array, N: int) -> Array:
    """The sum of the N largest entries of each row."""
    return np.asarray(np.partition(sizes, -N, axis=1)[:, -N:].sum(axis=1))


def rank_one_shift(net: Network, X: Array, N: int, tau: float, aim: str, rng: Generator) -> RecurrentShift:
    """Sequences X (n, L, d), L >= 2, under W' = y z^T, ||z|| = 1, y of N entries of size tau/sqrt(m).

    It aims at the first sequence and looks at W~ and A alone, but for "outputs". An aim along a first state of 0, on
    which no W' acts, has z = 0. Raises ValueError for another aim.
    """
    if aim not in AIMS:
        raise ValueError(f"the aim {aim!r} of a perturbation: choose one of {', '.join(AIMS)}")
    W, m = net.weights[0], net.widths[-1]
    start = RecurrentShift.still(net, X)
    h, size = start.before.post[1][0], tau / math.sqrt(m)
    norm = float(np.linalg.norm(h))
    if aim == "sum":
        rows, signs, z = _both_times(start, N)
    else:
        (rows, signs), z = _chosen(aim, W, start.before.pre[1][0], size * norm, N, rng), quotients(h, norm)
    y = np.zeros(m)
    y[rows] = size * signs
    if aim == "outputs":
        read = net.v.reshape(m, -1)[:, 0] * (start.before.pre[1][0] > 0.0)
        rows = np.argsort(-np.abs(read))[:N]
        y = np.zeros(m)
        y[rows] = size * np.sign(read[rows])
    if aim == "again":
        y = np.abs(y)
    if aim in ("axis", "outputs", "again"):
        z = np.eye(1, m)[0]
    if aim in ("loop", "again"):
        z = z + quotients(y, np.linalg.norm(y))
        z = quotients(z, np.linalg.norm(z))
    elif aim == "random":
        z = rng.standard_normal(m)
        z /= np.linalg.norm(z)
    return start.by(outer(W, z[np.newaxis], y[np.newaxis]), X)


def largest_entry(shift: RecurrentShift) -> float:
    """The largest |((W~ + W') h'_l)_k| over samples, times l = 1..L and k."""
    W = shift.moved.weights[0]
    return max(float(np.abs(shift.feature_change(time) @ W).max()) for time in range(1, shift.horizon + 1))


def backward_changes(shift: RecurrentShift) -> tuple[float, float]:
    """The longest columns, over samples and times, of what gates and what weights change in B D_l W ... D_b W.

    The first between D~ W~ and D W~, the second between D W~ and D W.
    """
    start, gates, both = (
        back_product_stacks(net, fwd)
        for net, fwd in ((shift.net, shift.before), (shift.net, shift.after), (shift.moved, shift.after))
    )
    by_gates, by_weights = 0.0, 0.0
    for a, b, c in zip(start, gates, both, strict=True):
        by_gates = max(by_gates, float(np.linalg.norm(b - a, axis=1).max()))
        by_weights = max(by_weights, float(np.linalg.norm(c - b, axis=1).max()))
    return by_gates, by_weights

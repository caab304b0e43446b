"""A recurrent network before and after a perturbation of W, in the notation of allenzhu2018rnn, Definition C.1.

Main definitions: `RecurrentShift`, with the terms of (C.2) and what carries them on; `attacked_sequences`,
perturbations of given operator norm that flip gates, move the last pre-activations, or push one neuron across its kink;
`flips_at_all_times`, which turns gates at each time in other neurons; `cheapest`, `cheapest_flips` and `opposed`, which
they are made of.

Rows are samples in `nets`, so that W h of the paper is h W here. g_t is `pre[t - 1]`, h_t is `post[t]`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from nets.core.arrays import Array
from nets.linear_algebra.lowrank import outer
from nets.networks.forward import Forward, forward
from nets.networks.network import Layer, Network, perturbed
from nets.networks.operators import flip_counts
from nets.worst_cases.adversaries import WeightStep, no_step, random_perturbation, step_radius
from theory.claims import rounding

#: What `attacked_sequences` knows.
SEQUENCE_ATTACKS = ("flips", "drift", "overshoot", "random")

# A flipped gate lies beyond its kink by this share of what was moved, so that rounding does not bring it back.
PAST_KINK = 1e-9

# Entries up to which a sort takes no longer than finding out which of them need one.
SORTED = 2**10


@dataclass(frozen=True, eq=False)
class RecurrentShift:
    """Sequences run through W and through W + W'; times are numbered 1..L, rows are samples."""

    net: Network
    moved: Network
    before: Forward
    after: Forward

    @classmethod
    def of(cls, net: Network, step: WeightStep, X: Array) -> RecurrentShift:
        """The effect of adding `step` to W at sequences X (n, times, d)."""
        return cls.still(net, X).by(step, X)

    @classmethod
    def still(cls, net: Network, X: Array) -> RecurrentShift:
        """Without a perturbation."""
        before = forward(net, X)
        return cls(net, net, before, before)

    def by(self, step: WeightStep, X: Array) -> RecurrentShift:
        """The effect of another step on the same sequences, which go through W once for all steps."""
        moved = perturbed(self.net, (step,))
        return replace(self, moved=moved, after=forward(moved, X))

    @property
    def W(self) -> Layer:
        """The matrix before."""
        return self.net.weights[0]

    @cached_property
    def step(self) -> WeightStep:
        """W' as it was added."""
        return self.moved.weights[0] - self.net.weights[0]

    @property
    def horizon(self) -> int:
        """L, the number of times."""
        return self.net.depth

    def change(self, time: int) -> Array:
        """g'_t: (n, m)."""
        return np.asarray(self.after.pre[time - 1] - self.before.pre[time - 1])

    def feature_change(self, time: int) -> Array:
        """h'_t: (n, m)."""
        return np.asarray(self.after.post[time] - self.before.post[time])

    def jumps(self, time: int) -> Array:
        """The diagonal of D'_t: (n, m)."""
        return np.asarray(self.after.masks[time - 1] - self.before.masks[time - 1])

    def flipped_part(self, time: int) -> Array:
        """D'_t g_t: (n, m)."""
        return np.asarray(self.jumps(time) * self.after.pre[time - 1])

    @property
    def flips(self) -> Array:
        """||D'_t||_0: (n, L)."""
        return np.asarray(flip_counts(self.before, self.after))

    def direct(self, time: int) -> Array:
        """z_{t,1} = W' D_t g_t, what W' itself adds to g_{t+1}: (n, m)."""
        return np.asarray(self.after.post[time] @ self.step)

    def turned(self, time: int) -> Array:
        """z_{t,2} = W D'_t g_t, what the flips of time t add to g_{t+1}: (n, m)."""
        return np.asarray(self.flipped_part(time) @ self.W)

    def carried(self, rows: Array, source: int, target: int) -> Array:
        """A part (n, m) of g'_source, through the gates before and W, as a part of g'_target: (n, m)."""
        for time in range(source, target):
            rows = (rows * self.before.masks[time - 1]) @ self.W
        return rows

    @cached_property
    def sizes(self) -> tuple[Array, ...]:
        """More than the terms of each entry of g_t add up to, t = 1..L: arrays (n, m). Needs a stored W."""
        largest = np.maximum(np.abs(self.net.stored_weights()[0]), np.abs(self.moved.stored_weights()[0]))
        fed = [np.abs(x) @ np.abs(self.net.frozen[0]) for x in self.before.inputs]
        sizes = [fed[0]]
        for own in fed[1:]:
            sizes.append(sizes[-1] @ largest + own)
        return tuple(sizes)

    def error(self, time: int) -> Array:
        """A bound on the rounding errors of any of the above at a time, sums of products along paths: (n, m)."""
        length = self.net.widths[-1] + self.net.inputs + 4
        return np.asarray(8.0 * (time + 1) * rounding(1.0, (time + 1) * length) * self.sizes[time - 1])


def _radius(net: Network, tau: float) -> float:
    """The operator norm tau/sqrt(m) that a perturbation may have, less what rounding needs."""
    return step_radius(net.weights[0], tau / math.sqrt(net.widths[-1]))


def _planted(W: Layer, arriving: Array, change: Array) -> WeightStep:
    """The least W' with h W' = `change` (m,) at one h (m,) that is not 0: of rank one, ||W'|| = ||change||/||h||."""
    return outer(W, arriving[np.newaxis] / float(arriving @ arriving), change[np.newaxis])


def cheapest(cost: Array, budget: float) -> npt.NDArray[np.intp]:
    """The numbers of the smallest entries, none negative, as many as have a norm of `budget` at most, in order."""
    among, few = np.arange(cost.size), cost.size // 32
    # Of many entries few are chosen as a rule: the others need no order.
    while SORTED // 32 < few < cost.size:
        below = np.flatnonzero(cost <= np.partition(cost, few)[few])
        if np.linalg.norm(cost[below]) > (1.0 + 1e-9) * budget:
            among = below
            break
        few *= 4
    order = among[np.argsort(cost[among], kind="stable")]
    return order[: np.searchsorted(np.cumsum(cost[order] ** 2), budget**2, side="right")]


def cheapest_flips(pre: Array, gates: Array, budget: float) -> Array:
    """The change (m,) of pre-activations of norm `budget` at most that makes most of them differ from the gates (m,).

    Those that differ already stay; of the others the smallest come first, which nothing beats.
    """
    cost = np.where((pre > 0.0) == (gates > 0.0), np.abs(pre) + PAST_KINK * budget / pre.size, 0.0)
    chosen = cheapest(cost, budget)
    change = np.zeros_like(pre)
    change[chosen] = (np.where(pre > 0.0, -1.0, 1.0) * cost)[chosen]
    return change


def _one_neuron(pre: Array, gates: Array, budget: float) -> Array:
    """The change (m,) of norm `budget` that takes the neuron nearest to its kink across it."""
    nearest = int(np.argmin(np.abs(pre)))
    change = np.zeros_like(pre)
    change[nearest] = -budget if gates[nearest] > 0.0 else budget
    return change


def opposed(W: Layer, arriving: Array, leaving: Array, size: float) -> WeightStep:
    """The W' of operator norm `size` that makes sum_t <h_t W', b_t> largest, for rows h_t and b_t (k, m).

    That is `size` times the polar factor of sum_t h_t^T b_t, of rank k at most.
    """
    left, P = np.linalg.qr(arriving.T)
    right, Q = np.linalg.qr(leaving.T)
    U, values, V = np.linalg.svd(P @ Q.T)
    if not values[0] > 0.0:
        return no_step(W)
    kept = values > 1e-12 * values[0]
    return outer(W, size * (left @ U[:, kept]).T, (right @ V[kept].T).T)


def _random_step(net: Network, tau: float, rng: Generator) -> WeightStep:
    """A perturbation of norm tau/sqrt(m) without an aim: of all ranks where W is stored, else of rank one."""
    W = net.weights[0]
    size = tau / math.sqrt(net.widths[-1])
    return random_perturbation(W, size, rng, "gaussian" if isinstance(W, np.ndarray) else "rank_one")


def _towards(shift: RecurrentShift, direction: Array, size: float) -> WeightStep:
    """The W' of norm `size` that moves g_L of the first sample most in a direction (m,), to first order."""
    arriving, leaving, row = [], [], direction
    for time in range(shift.horizon - 1, 0, -1):
        arriving.append(shift.after.post[time][0])
        leaving.append(row)
        row = (row @ shift.W.T) * shift.before.masks[time - 1][0]
    return opposed(shift.W, np.array(arriving), np.array(leaving), size)


def _aimed(net: Network, X: Array, size: float, attack: str, sweeps: int) -> Iterator[RecurrentShift]:
    """The shifts that an attack tries, one after the other."""
    W, still = net.weights[0], RecurrentShift.still(net, X)
    shift = still
    yield still
    if attack == "drift":
        # Of all features of the last time at once, in the direction in which they are.
        direction = still.before.post[-1][0] @ W
        for _ in range(sweeps):
            shift = still.by(_towards(shift, direction, size), X)
            yield shift
            direction = shift.change(net.depth)[0]
        return
    gates = still.before.masks[-1][0]
    spend = cheapest_flips if attack == "flips" else _one_neuron
    for _ in range(sweeps):
        arriving = shift.after.post[net.depth - 1][0]
        if not arriving.any():
            return  # no W' moves what follows a state of 0
        pre = arriving @ W + shift.before.pre[-1][0] - still.before.post[net.depth - 1][0] @ W
        change = spend(pre, gates, size * float(np.linalg.norm(arriving)))
        shift = still.by(_planted(W, arriving, change), X)
        yield shift


def attacked_sequences(
    rng: Generator, net: Network, X: Array, tau: float, attack: str, sweeps: int = 3
) -> RecurrentShift:
    """Sequences X (n, L, d), L >= 2, under one of the `SEQUENCE_ATTACKS`, with ||W'|| <= tau/sqrt(m).

    All aim at the first sequence at the last time. "flips" flips gates, smallest pre-activations first: at L = 2 as
    many as any W' can. "drift" moves g_L far, by polar factors. "overshoot" takes one neuron far across its kink.
    "random" has no aim. As W' acts at all times, each sweep starts from what the last one has changed; the best is
    returned. Raises ValueError for another attack or fewer than two times.
    """
    if attack not in SEQUENCE_ATTACKS or net.depth < 2:
        raise ValueError(
            f"the attack {attack!r} on {net.depth} times: choose one of {', '.join(SEQUENCE_ATTACKS)}, "
            "and two times at least"
        )
    if attack == "random":
        return RecurrentShift.of(net, _random_step(net, tau, rng), X)
    aim = {
        "flips": lambda shift: float(shift.flips[0, -1]),
        "drift": lambda shift: float(np.linalg.norm(shift.change(net.depth)[0])),
        "overshoot": lambda shift: float(np.linalg.norm(shift.flipped_part(net.depth)[0])),
    }[attack]
    return max(_aimed(net, X, _radius(net, tau), attack, sweeps), key=aim)


def flips_at_all_times(net: Network, X: Array, tau: float) -> RecurrentShift:
    """The first sequence under a W' of norm tau/sqrt(m) at most that flips gates at every time from the second on.

    Each time has what its state adds to those before, and neurons of its own, smallest pre-activations first: so W' is
    a sum of parts that are orthogonal on either side, and each of them has the whole norm.
    """
    still, W, size = RecurrentShift.still(net, X), net.weights[0], _radius(net, tau)
    m = net.widths[-1]
    frame, changes, used = np.zeros((0, m)), np.zeros((0, m)), np.zeros(m, dtype=bool)
    state = still.before.post[1][0]
    for time in range(1, net.depth):
        gates = still.before.masks[time][0]
        pre = state @ W + still.before.pre[time][0] - still.before.post[time][0] @ W + (frame @ state) @ changes
        fresh = state - (frame @ state) @ frame
        fresh -= (frame @ fresh) @ frame
        norm = float(np.linalg.norm(fresh))
        if norm > 1e-9 * float(np.linalg.norm(state)):
            # What is turned already costs nothing and stays.
            change = cheapest_flips(pre, np.where(used, pre <= 0.0, gates), size * norm)
            frame = np.vstack([frame, fresh / norm])
            changes, used = np.vstack([changes, change / norm]), used | (change != 0.0)
            pre = pre + change
        state = np.maximum(pre, 0.0)
    return still.by(outer(W, frame, changes) if len(frame) else no_step(W), X)

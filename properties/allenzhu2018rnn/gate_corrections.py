"""A recurrent network at two weights, W^v and W = W^v + W', and the gates between them (Definition G.1, Appendix G).

Main definitions: `gate_correction`, the diagonal D'' of Proposition G.3; `ThreeNetworks` of Definition G.1, with the
sums (G.1) and (7.2); `kinked`, weights W^v in a ball around the start that have many neurons at their kinks, and the
steps W' from which the objective gains most there.

Rows are samples in `nets`, so that W h of the paper is h W here. Gates are open at 0, as in the paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from nets import Array, Forward, Network, WeightStep, forward, outer, perturbed
from properties.allenzhu2018rnn.perturbation import RecurrentShift, cheapest
from properties.shared.quotients import quotients

# What stands beyond a kink does so by this share of the step that takes it across.
BESIDE = 1e-3


def gate_correction(a: Any, b: Any) -> Any:
    """D'' of Proposition G.3 for pre-activations a and b: b/|a - b| where one is negative and the other not, else 0.

    An array for arrays of floats, of their shape; a `Fraction`, exact, for two numbers of that type.
    """
    if isinstance(a, Fraction):
        return b / abs(a - b) if (a >= 0) != (b >= 0) else Fraction(0)
    a, b = np.asarray(a), np.asarray(b)
    differ = (a >= 0.0) != (b >= 0.0)
    return np.where(differ, b / np.where(differ, np.abs(a - b), 1.0), 0.0)


@dataclass(frozen=True, eq=False)
class ThreeNetworks:
    """Sequences at the start W~, at W^v and at W = W^v + W' (Definition G.1); times are numbered 1..L.

    `shift` holds W^v and W; `initial` is the pass at W~. Quantities without a name of their own are those of `shift`.
    """

    initial: Forward
    shift: RecurrentShift

    @classmethod
    def of(cls, net: Network, away: WeightStep, step: WeightStep, X: Array) -> ThreeNetworks:
        """W^v = W~ + `away` and W' = `step` for the W~ of `net`, at sequences X (n, times, d)."""
        return cls.beside(forward(net, X), net, away, step, X)

    @classmethod
    def beside(cls, initial: Forward, net: Network, away: WeightStep, step: WeightStep, X: Array) -> ThreeNetworks:
        """As `of`, where the pass at W~ is known."""
        return cls(initial, RecurrentShift.of(perturbed(net, (away,)), step, X))

    @cached_property
    def gates(self) -> tuple[Array, ...]:
        """The diagonals of D^v_t, t = 1..L: arrays (n, m)."""
        return tuple((pre >= 0.0).astype(np.float64) for pre in self.shift.before.pre)

    @cached_property
    def corrections(self) -> tuple[Array, ...]:
        """The diagonals of D''_t, t = 1..L, from g^v_t to g_t: arrays (n, m)."""
        return tuple(gate_correction(*pair) for pair in zip(self.shift.before.pre, self.shift.after.pre, strict=True))

    def turned(self, which: str) -> Array:
        """How many gates of W^v ("before") or of W ("after") differ from those of W~: (n, L)."""
        passed = self.shift.before if which == "before" else self.shift.after
        pairs = zip(passed.pre, self.initial.pre, strict=True)
        return np.stack([np.count_nonzero((g >= 0.0) != (start >= 0.0), axis=1) for g, start in pairs], axis=1)

    def carried(
        self, gates: tuple[Array, ...], fed: tuple[Array, ...], target: int, *, first: int = 1, last: int = 1
    ) -> Array:
        """sum_a D_t W^v .. W^v D_{a+1} W' fed_a over a = `first`..t - `last`, at t = `target`: (n, m).

        `gates` are the diagonals of D_1..D_L, and `fed` the states 0..L.
        """
        total = np.zeros_like(gates[0])
        for time in range(first + 1, target + 1):
            total = total @ self.shift.W
            if time - 1 <= target - last:
                total = total + fed[time - 1] @ self.shift.step
            total = gates[time - 1] * total
        return total

    def first_order(self, target: int) -> Array:
        """What h_t changes by to first order, the gates D^v held: (n, m)."""
        return self.carried(self.gates, self.shift.before.post, target)

    def remainder(self, residuals: Array, *, square: float = 0.5) -> float:
        """The right-hand side of (7.2): f(W^v + W') - f(W^v) - <grad f(W^v), W'>, without its cancellations.

        `residuals` (n, L, outputs) are loss_{i,l} at W^v, and `square` is the factor of the squared changes.
        """
        read, found = self.shift.net.v, 0.0
        for time in range(2, self.shift.horizon + 1):
            change = self.shift.feature_change(time)
            found += float(np.sum(residuals[:, time - 1] * ((change - self.first_order(time)) @ read)))
            found += square * float(np.sum((change @ read) ** 2))
        return found


def kinked(net: Network, X: Array, residual: Array, tau: float, size: float) -> ThreeNetworks:
    """W^v with ||W^v - W~|| <= tau/sqrt(m) and neurons at kinks, and W' of norm `size`; X (n, L, d), L >= 2.

    The kinks are those of the first sequence at time 2, of the neurons that count with the sign of gain for loss_{1,2}
    at W^v, `residual` (outputs,). The nearest are taken next to them, as many as the radius pays for. W' takes them
    across, each in proportion to what it counts: no W' of that norm gains more from them at that time.
    """
    passed = forward(net, X)
    state, pre, W = passed.post[1][0], passed.pre[1][0], net.weights[0]
    gain = np.asarray(net.v) @ residual
    length = float(np.linalg.norm(state))
    target = np.where(pre >= 0.0, BESIDE, -BESIDE) * size * length / math.sqrt(pre.size)
    chosen = cheapest(np.where(gain > 0.0, np.abs(pre - target), np.inf), tau / math.sqrt(pre.size) * length)
    away, across = np.zeros_like(pre), np.zeros_like(pre)
    away[chosen] = (target - pre)[chosen]
    across[chosen] = -np.sign(target[chosen]) * gain[chosen]
    across *= size * length / max(float(np.linalg.norm(across)), np.finfo(float).tiny)
    # No W' moves what follows a state of 0.
    unit = quotients(state, length**2)[np.newaxis]
    return ThreeNetworks.beside(passed, net, outer(W, unit, away[np.newaxis]), outer(W, unit, across[np.newaxis]), X)

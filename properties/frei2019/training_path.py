"""Gradient descent on the logistic loss as frei2019, Appendix A.1, follows it: errors, gradients and distances.

Main definitions: `surrogate_error`; `gradient_scales`, theta in the residual layers; `unkind`, points of a known margin
that are hard to tell apart; `Path`, a run with the constants that the proof leaves open; `Downhill`, a network of which
steps of several sizes are made, and `OneStep`, one of them and what it adds beyond first order; `stretching_steps`,
weights in the ball at which gradients are long.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from nets.core.arrays import Array
from nets.data.distances import normalise_rows
from nets.descent.training import Trajectory, train
from nets.linear_algebra.lowrank import outer
from nets.networks.forward import Forward, forward
from nets.networks.gradients import (
    Backward,
    backward,
    loss_coefficients,
    pair_norms,
    pair_products,
    rank_one_pairs,
    weighted_pairs,
)
from nets.networks.losses import LOGISTIC
from nets.networks.network import Network, shifted
from nets.tangent.linearised import TangentFeatures, difference
from nets.worst_cases.adversaries import WeightStep, step_radius

#: What `unkind` makes of points.
POINT_FAMILIES = ("drawn", "near duplicates", "antipodes", "clusters")
_APART, _CLUSTER = 1e-3, 0.05


def surrogate_error(outputs: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """E(W), the mean of -l'(y f) over samples with outputs and labels (n,): empirical on a sample, else an estimate."""
    return float(-np.mean(LOGISTIC.derivative(np.asarray(y, np.float64) * np.asarray(outputs, np.float64))))


def gradient_scales(L: int, theta: float) -> Array:
    """What the gradient of each of the L + 1 layers has for a factor: theta in the residual ones, else 1."""
    return np.array([1.0, *[theta] * (L - 1), 1.0])


def unkind(X: Array, y: Array, family: str, rng: Generator) -> tuple[Array, Array]:
    """Points (n, d) and labels (n,) of one of `POINT_FAMILIES`, made of those given; the first coordinates y x_1 stay.

    The second half nearly repeats the first one (near duplicates) or its negative with the other labels (antipodes); or
    all but the first coordinate is near that of the first two rows by turns (clusters).
    """
    if family not in POINT_FAMILIES:
        raise ValueError(f"there is no family {family!r} of points: choose one of {', '.join(POINT_FAMILIES)}")
    n, d = X.shape
    half = (n + 1) // 2
    if family == "drawn" or n == 1:
        return X, y
    rest, labels, near = X[:, 1:].copy(), y.copy(), _CLUSTER if family == "clusters" else _APART
    along = np.abs(X[:, 0])
    numbers = np.arange(n)
    source = numbers % 2 if family == "clusters" else np.where(numbers < half, numbers, numbers - half)
    rest = rest[source]
    if family != "clusters":
        along, labels = along[source], labels[source]
    if family == "antipodes":
        labels[half:], rest[half:] = -labels[half:], -rest[half:]
    moved = rest + near * (numbers >= (2 if family == "clusters" else half))[:, np.newaxis] * (
        rng.standard_normal((n, d - 1)) / np.sqrt(d)
    )
    aside = normalise_rows(moved) * np.sqrt(np.maximum(1.0 - along**2, 0.0))[:, np.newaxis]
    return np.ascontiguousarray(np.column_stack([labels * along, aside])), labels


def risk_gradient_norms(net: Network, X: Array, y: Array) -> tuple[Array, Array]:
    """Operator and Frobenius norms of the gradients of L_S in all layers: (L + 1,) each."""
    return Downhill.of(net, X, y).norms


def stretching_steps(net: Network, x: Array, tau: float) -> tuple[WeightStep, ...]:
    """Steps of Frobenius norm tau in every layer that lengthen the states and gradients at a sample x (d,).

    Below the last layer each is of rank one, from what enters the layer to what leaves it; in the last it opens closed
    gates, those nearest to their kink first. A layer that nothing enters is not moved.
    """
    steps: list[WeightStep] = []
    state = x[np.newaxis]
    for k, (W, step) in enumerate(zip(net.weights, net.steps, strict=True)):
        reach, length = step_radius(W, tau), float(np.linalg.norm(state))
        pre = state @ W
        if k < len(net.weights) - 1:
            after = np.maximum(pre, 0.0)
            moved = after * (reach * length / max(float(np.linalg.norm(after)), 1e-300))
        else:
            needed = np.where(pre < 0.0, -pre * (1.0 + 1e-9), 0.0)[0]
            order = np.argsort(np.where(needed > 0.0, needed, np.inf), kind="stable")
            within = order[np.cumsum(needed[order] ** 2) <= (reach * length) ** 2]
            moved = np.zeros_like(pre)
            moved[0, within] = needed[within]
        # A state that vanishes, as where a layer has closed all gates, cannot be lengthened: no step.
        steps.append(outer(W, state / length**2 if length > 0.0 else state, moved))
        state = step.combined(state, np.maximum(pre + moved, 0.0))
    return tuple(steps)


@dataclass(frozen=True, eq=False)
class Path:
    """The iterates 0..K of gradient descent: losses, errors, gradient norms and distances, with sizes of the run."""

    trajectory: Trajectory
    errors: Array
    scales: Array
    eta: float
    m: int
    gamma: float

    @classmethod
    def of(
        cls, net: Network, X: Array, y: Array, eta: float, K: int, theta: float, gamma: float, drift_every: int = 10**9
    ) -> Path:
        """K steps of size eta from the network, whose residual layers have the scale theta."""
        met = train(net, X, y, LOGISTIC, eta, K, drift_every=drift_every)
        scales = gradient_scales(len(net.weights) - 1, theta)
        return cls(met, -met.derivative_sum / len(X), scales, eta, net.v.size, gamma)

    @property
    def falls(self) -> Array:
        """L_S(W^(k)) - L_S(W^(k + 1)) of the steps: (K,)."""
        return -np.diff(self.trajectory.loss)

    @property
    def gradient_constants(self) -> Array:
        """Of each layer, the least C1 with ||grad_{W_l} L_S||_F <= C1 theta sqrt(m) E_S before each step: (L + 1,).

        theta is in the residual layers.
        """
        norms = self.trajectory.gradient_norms[:-1] / (self.scales * np.sqrt(self.m) * self.errors[:-1, np.newaxis])
        return norms.max(axis=0)

    @property
    def decrease_constant(self) -> float:
        """The largest C with L_S(W^(k)) - L_S(W^(k + 1)) >= C eta m gamma^4 E_S^2 at each step, as in (6)."""
        return float((self.falls / (self.eta * self.m * self.gamma**4 * self.errors[:-1] ** 2)).min())


@dataclass(frozen=True, eq=False)
class OneStep:
    """One step of gradient descent: its end, and how losses and outputs move, to first order and beyond it.

    Attributes
    ----------
    end, after : the network after the step, and its pass
    fall : the loss before less the loss after
    moved : the root of the mean of all (f^ - f~)^2
    """

    downhill: Downhill
    end: Network
    after: Forward
    fall: float
    moved: float

    @classmethod
    def of(cls, net: Network, X: Array, y: Array, eta: float) -> OneStep:
        """The step of size eta from the network."""
        return Downhill.of(net, X, y).step(eta)

    @property
    def error(self) -> float:
        """E_S before the step."""
        return self.downhill.error

    @property
    def operator_norms(self) -> Array:
        """||grad_{W_l} L_S||_2 before the step: (L + 1,)."""
        return self.downhill.norms[0]

    @property
    def frobenius_norms(self) -> Array:
        """||grad_{W_l} L_S||_F before the step: (L + 1,)."""
        return self.downhill.norms[1]

    @cached_property
    def beyond(self) -> float:
        """The largest |f^ - f~ - <W^ - W~, grad f~>| over the samples."""
        before = self.downhill.fwd.output
        linear = self.downhill.features.along(difference(self.end, self.downhill.net))
        return float(np.abs(self.after.output - (before + linear)).max())

    @property
    def reached(self) -> Downhill:
        """Where the step has led, to go on from there."""
        return Downhill(self.end, self.downhill.y, self.after)


@dataclass(frozen=True, eq=False)
class Downhill:
    """A network at samples with labels y (n,), and the gradient of L_S there, along which steps of any size begin."""

    net: Network
    y: Array
    fwd: Forward

    @classmethod
    def of(cls, net: Network, X: Array, y: Array) -> Downhill:
        """The network at the samples X (n, d)."""
        return cls(net, y, forward(net, X))

    @cached_property
    def error(self) -> float:
        """E_S."""
        return surrogate_error(self.fwd.output, self.y)

    @cached_property
    def features(self) -> TangentFeatures:
        """The gradients of the outputs."""
        return TangentFeatures(rank_one_pairs(self.fwd, self._bwd), self.fwd.output.shape)

    @cached_property
    def norms(self) -> tuple[Array, Array]:
        """Operator and Frobenius norms of the gradients of L_S in all layers: (L + 1,) each."""
        return pair_norms(self._pairs)

    def step(self, eta: float) -> OneStep:
        """The step of size eta."""
        end = shifted(self.net, self._gradients, -eta)
        before, after = self.fwd, forward(end, self.fwd.post[0])
        return OneStep(
            self,
            end,
            after,
            float(np.mean(LOGISTIC.value(self.y * before.output) - LOGISTIC.value(self.y * after.output))),
            float(np.sqrt(np.mean((after.output - before.output) ** 2))),
        )

    @cached_property
    def _bwd(self) -> Backward:
        return backward(self.net, self.fwd)

    @cached_property
    def _pairs(self) -> list[tuple[Array, Array]]:
        return weighted_pairs(self.net, self.fwd, loss_coefficients(self.fwd, self.y, LOGISTIC), self._bwd)

    @cached_property
    def _gradients(self) -> tuple[Any, ...]:
        return pair_products(self.net, self._pairs)

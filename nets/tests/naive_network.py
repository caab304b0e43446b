"""The slow and obvious form of a network of any architecture: lists of numbers of 50 digits, one sample at a time.

Main definitions: `Twin`, a network as such lists, with its `states`, `outputs` and `product`; `derivative`, a central
difference of any function of the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np

from nets.core.arrays import Array
from nets.networks.activations import Activation
from nets.networks.network import Network

DIGITS = 50
# Central differences err by the square of the step; half of the digits are left for rounding.
STEP = mpmath.mpf(10) ** -16


def phi(activation: Activation, z: Any) -> Any:
    """The activation at one number."""
    if activation.name == "identity":
        return z
    if activation.name == "relu":
        return max(z, mpmath.mpf(0))
    if activation.name == "leaky_relu":
        slope, scale = map(mpmath.mpf, activation.parameters)
        return scale * (z if z > 0 else slope * z)
    if activation.name == "tanh":
        return mpmath.tanh(z)
    if activation.name == "elu":
        return z if z > 0 else mpmath.expm1(z)
    h = mpmath.mpf(activation.h)
    if activation.name == "scaled_swish":
        return z * 10 / 11 / (1 + mpmath.exp(-2 * z / h))
    if activation.name == "huberised_relu":
        return mpmath.mpf(0) if z <= 0 else z * z / (2 * h) if z <= h else z - h / 2
    raise ValueError(f"no exact form of {activation.name}")


def slope(activation: Activation, z: Any) -> Any:
    """phi', by a difference of its own: from the left at 0, where that of ReLU is meant so."""
    if z == 0:
        return (phi(activation, z) - phi(activation, z - STEP)) / STEP
    return (phi(activation, z + STEP) - phi(activation, z - STEP)) / (2 * STEP)


def stored(layer: Any) -> Array:
    """A layer as an array; of a revealed one all is asked, so that later answers agree with it."""
    return layer if isinstance(layer, np.ndarray) else np.asarray(np.eye(layer.shape[0]) @ layer)


class Twin:
    """A network with numbers of mpmath for entries; `weights` may be altered."""

    def __init__(self, net: Network) -> None:
        self.net = net
        self.weights = [exact(stored(W)) for W in net.weights]
        self.frozen = [exact(stored(W)) for W in net.frozen]
        self.fixed = None if net.readout is None else exact(net.v.reshape(len(net.v), -1))

    def states(self, x: Array, move: Any = 0) -> tuple[list[Any], list[Any]]:
        """Pre-activations and states 0..L of one sample x, (d,) or (times, d), with `move` added to state 0."""
        parameters = [*self.weights, *self.frozen]
        width = parameters[self.net.steps[0].weight].rows
        starts_from_zero = self.net.steps[0].input is not None
        state = (mpmath.zeros(1, width) if starts_from_zero else exact(x[np.newaxis])) + move
        pres, states, met = [], [state], 0
        for step in self.net.steps:
            pre = state * parameters[step.weight]
            if step.input is not None:
                pre += exact((x if x.ndim == 1 else x[met])[np.newaxis]) * parameters[step.input]
                met += 1
            if step.bias is not None:
                pre += mpmath.mpf(step.bias_scale) * parameters[step.bias]
            bent = pre.apply(lambda z, step=step: phi(step.activation, z))
            new = mpmath.mpf(step.scale) * bent
            state = mpmath.mpf(step.carry) * state + new if step.carry else new
            pres.append(pre)
            states.append(state)
        return pres, states

    def outputs(self, x: Array, move: Any = 0) -> list[Any]:
        """All outputs of one sample, time after time."""
        _, states = self.states(x, move)
        v = self.weights[-1] if self.fixed is None else self.fixed
        return [entry for state in (states[1:] if self.net.every_step else states[-1:]) for entry in state * v]

    def product(self, x: Array, l1: int, l2: int) -> Array:
        """prod (carry I + scale W D) W from state l1 - 1 to the pre-activation l2, transposed: (m_l2, m_{l1 - 1})."""
        parameters = [*self.weights, *self.frozen]
        pres, states = self.states(x)
        total = mpmath.eye(states[l1 - 1].cols)
        for layer in range(l1, l2):
            step = self.net.steps[layer - 1]
            gates = mpmath.diag([slope(step.activation, z) for z in pres[layer - 1]])
            factor = step.scale * parameters[step.weight] * gates
            if step.carry:
                factor += step.carry * mpmath.eye(factor.rows)
            total *= factor
        return numbers(total * parameters[self.net.steps[l2 - 1].weight]).T

    def derivative(self, value: Callable[[Twin], Any]) -> list[Array]:
        """The derivative of a function of the weights in each of them."""
        found = []
        for W in self.weights:
            G = np.empty((W.rows, W.cols))
            for i, j in np.ndindex(G.shape):
                before, ends = W[i, j], []
                for sign in (1, -1):
                    W[i, j] = before + sign * STEP
                    ends.append(value(self))
                W[i, j] = before
                G[i, j] = float((ends[0] - ends[1]) / (2 * STEP))
            found.append(G)
        return found

    def shift(self, direction: Sequence[Array], factor: Any) -> None:
        """Move the weights by factor * direction."""
        for W, D in zip(self.weights, direction, strict=True):
            for i, j in np.ndindex(D.shape):
                W[i, j] += factor * D[i, j]


def exact(M: Array) -> Any:
    """An array as a matrix of mpmath."""
    return mpmath.matrix(M.tolist())


def numbers(M: Any) -> Array:
    """A matrix of mpmath as an array."""
    return np.array([[float(M[i, j]) for j in range(M.cols)] for i in range(M.rows)])

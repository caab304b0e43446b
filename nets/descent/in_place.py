"""Descent that moves the weights of a plain stored network in place: long paths of small networks.

Main definition: `InPlaceDescent`.

A step by `output_gradient` and `shifted` makes a new network, which can be kept and compared. Where a path is followed
for its outputs alone, making it takes longer than its products: in place a step takes a quarter to a half of the time.
"""

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array, matrix
from nets.linear_algebra.products import times, times_transposed
from nets.networks.network import Network


class InPlaceDescent:
    """A network on its way: the samples X (n, d) pass through weights that `descend` moves.

    It starts at a copy of the weights of `net`, which may have frozen layers before its trained ones and a frozen
    read-out: layer after layer, each with a stored weight of its own, no bias, no skip connection, no scale.

    Attributes
    ----------
    output : the outputs at the weights now, of the shape that `forward` gives them: (n,) or (n, 1, outputs)
    weights : the trained weights now; they are overwritten by the next step

    Raises ValueError for another network, and for samples of another dimension.
    """

    def __init__(self, net: Network, X: npt.ArrayLike) -> None:
        self._check(net)
        state = matrix(X, "the sample array X")
        if state.shape[1] != net.widths[0]:
            raise ValueError(f"X has {state.shape[1]} columns: the network takes inputs of dimension {net.widths[0]}")
        frozen = next(k for k, step in enumerate(net.steps) if step.weight < len(net.weights))
        for step in net.steps[:frozen]:
            state = step.activation.value(times(state, net.parameters[step.weight]))
        self.weights = tuple(W.copy() for W in net.stored_weights())
        self._net, self._first = net, state
        self._layers = [(step.weight, step.activation) for step in net.steps[frozen:]]
        self._gradients = tuple(np.empty_like(W) for W in self.weights)
        self._read_out = net.v.reshape(len(net.v), -1)
        self._pass()

    @staticmethod
    def _check(net: Network) -> None:
        trained = [step.weight < len(net.weights) for step in net.steps]
        plain = all(
            step.input is None and step.bias is None and not step.carry and step.scale == 1.0 for step in net.steps
        )
        if not plain or net.readout is None or net.every_step:
            raise ValueError("descent in place needs a plain network with a frozen read-out: use output_gradient")
        if len({step.weight for step in net.steps}) < len(net.steps) or trained != sorted(trained) or not any(trained):
            raise ValueError(
                "descent in place needs a weight for each layer, and all trained ones after the frozen: "
                "use output_gradient"
            )
        net.stored_parameters()

    def _pass(self) -> None:
        states, gates = [self._first], []
        for weight, activation in self._layers:
            state, gate = activation.value_and_slope(times(states[-1], self.weights[weight]))
            states.append(state)
            gates.append(gate)
        output = states.pop() @ self._read_out
        self._states, self._gates = states, gates
        self.output: Array = output[:, 0] if self._net.scalar else output[:, np.newaxis]

    def descend(self, coefficients: Array, eta: float) -> None:
        """Move all weights by -eta times the gradient of the sum of the outputs with these coefficients.

        Coefficients have the shape of the outputs; ValueError if not. All layers move at once, by gradients at the old
        weights.
        """
        if coefficients.shape != self.output.shape:
            raise ValueError(f"the coefficients have shape {coefficients.shape}: pass {self.output.shape}")
        back = coefficients.reshape(len(coefficients), -1) @ self._read_out.T
        for number in range(len(self._layers) - 1, -1, -1):
            weight, _ = self._layers[number]
            W, gradient, right = self.weights[weight], self._gradients[weight], self._gates[number] * back
            if number:
                back = times_transposed(right, W)
            np.matmul(self._states[number].T, right, out=gradient)
            gradient *= eta
            W -= gradient
        self._pass()

    @property
    def network(self) -> Network:
        """The network with the weights now, which the next step leaves as they are."""
        return self._net.with_weights([W.copy() for W in self.weights])

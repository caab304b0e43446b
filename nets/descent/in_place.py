"""Descent that moves the weights of a plain stored network in place: long paths of small networks.

Main definition: `InPlaceDescent`.

A step by `output_gradient` and `shifted` makes a new network, which can be kept and compared. Where a path is followed
for its outputs alone, making it takes longer than its products: in place a step takes a quarter to a half of the time,
and a third of that where one leaky layer of few inputs is trained, which `step_of_leaky_layer` reads once.
"""

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array, matrix
from nets.core.jit import kernel, part
from nets.linear_algebra.products import times, times_transposed
from nets.networks.activations import leaky_with_gate
from nets.networks.network import Network

# Inputs of a layer up to which its step is compiled: of more, BLAS multiplies in less time.
FEW_INPUTS = 8

# Neurons that a step takes at a time, so that what it knows of them stays in a core's own cache.
PIECE = 2**10


@part
def add_multiple(out: Array, factor: float, row: Array, fresh: bool) -> None:
    """Add a multiple of a row to another (k,), or to zeros where that is `fresh`."""
    if fresh:
        for j in range(out.size):
            out[j] = factor * row[j]
    else:
        for j in range(out.size):
            out[j] += factor * row[j]


@kernel
def step_of_leaky_layer(
    X: Array, c: Array, B: Array, W: Array, move: Array, gates: Array, states: Array, slope: float, scale: float
) -> None:
    """A step of the layer W (d, m) between inputs X (n, d) and a read-out B (outputs, m), and the pass behind it.

    `move` is written, the sum over the samples of X_i^T (gates_i (c_i B)), c (n, outputs), and W moves by it; `gates`
    and `states` (n, m) are then those of the leaky ReLU of `slope`, times `scale`, at the new weights.
    """
    for start in range(0, W.shape[1], PIECE):
        # Rows by themselves, which the processor takes several numbers at a time of.
        stop = min(start + PIECE, W.shape[1])
        for i in range(X.shape[0]):
            back, gate = states[i, start:stop], gates[i, start:stop]
            for k in range(B.shape[0]):
                add_multiple(back, c[i, k], B[k, start:stop], k == 0)
            for j in range(back.size):
                back[j] *= gate[j]
        for k in range(X.shape[1]):
            moved, w = move[k, start:stop], W[k, start:stop]
            for i in range(X.shape[0]):
                add_multiple(moved, X[i, k], states[i, start:stop], i == 0)
            for j in range(w.size):
                w[j] += moved[j]
        for i in range(X.shape[0]):
            state, gate = states[i, start:stop], gates[i, start:stop]
            for k in range(X.shape[1]):
                add_multiple(state, X[i, k], W[k, start:stop], k == 0)
            for j in range(state.size):
                z = state[j]
                state[j] = scale * (slope * z if z <= 0.0 else z)
                gate[j] = scale * (1.0 if z > 0.0 else (slope if z <= 0.0 else z))


class InPlaceDescent:
    """A network on its way: the samples X (n, d) pass through weights that `descend` moves.

    It starts at a copy of the weights of `net`, which may have frozen layers before its trained ones and a frozen
    read-out: layer after layer, each with a stored weight of its own, no bias, no skip connection, no scale.

    Attributes
    ----------
    output : the outputs at the weights now, of the shape that `forward` gives them: (n,) or (n, 1, outputs)
    weights : the trained weights now; they are overwritten by the next step
    moves : what the last step added to each of them, overwritten likewise

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
        self.moves = tuple(np.zeros_like(W) for W in self.weights)
        self._read_out = net.v.reshape(len(net.v), -1)
        last = self._layers[-1][1]
        compiled = len(self._layers) == 1 and last.rule is leaky_with_gate and 0 < state.shape[1] <= FEW_INPUTS
        self._leaky = last.parameters if compiled and len(state) else ()
        self._rows = np.ascontiguousarray(self._read_out.T)
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
        self._read(states.pop())
        self._states, self._gates = states, gates

    def _read(self, state: Array) -> None:
        self._last = state
        output = state @ self._read_out
        self.output: Array = output[:, 0] if self._net.scalar else output[:, np.newaxis]

    def descend(self, coefficients: Array, eta: float) -> None:
        """Move all weights by -eta times the gradient of the sum of the outputs with these coefficients.

        Coefficients have the shape of the outputs; ValueError if not. All layers move at once, by gradients at the old
        weights.
        """
        if coefficients.shape != self.output.shape:
            raise ValueError(f"the coefficients have shape {coefficients.shape}: pass {self.output.shape}")
        # The few coefficients are scaled, and not the gradients.
        scaled = -eta * coefficients.reshape(len(coefficients), -1)
        if self._leaky:
            step_of_leaky_layer(
                self._first,
                scaled,
                self._rows,
                self.weights[0],
                self.moves[0],
                self._gates[0],
                self._last,
                *self._leaky,
            )
            self._read(self._last)
            return
        # Of one output the products alone, which BLAS would add to zeros.
        back = scaled * self._rows if len(self._rows) == 1 else scaled @ self._rows
        for number in range(len(self._layers) - 1, -1, -1):
            weight, _ = self._layers[number]
            W, move, right = self.weights[weight], self.moves[weight], self._gates[number] * back
            if number:
                back = times_transposed(right, W)
            np.matmul(self._states[number].T, right, out=move)
            W += move
        self._pass()

    @property
    def network(self) -> Network:
        """The network with the weights now, which the next step leaves as they are."""
        return self._net.with_weights([W.copy() for W in self.weights])

"""The recurrent network written out in plain matrices, which calls no pass and no gradient of `nets`.

Main definitions: `WrittenOut`, with its `outputs`, their `slopes` in W and the `departure` of a step. What a step of
the compiled code does is held against it where the kernel of that code would share its slips.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nets.core.arrays import Array
from nets.networks.network import Network


@dataclass(frozen=True, eq=False)
class WrittenOut:
    """g_t = h_{t-1} W + x_t A, h_t = max(g_t, 0) and y_t = h_t B for sequences X (n, L, d)."""

    W: Array
    A: Array
    B: Array
    X: Array

    @classmethod
    def of(cls, net: Network, X: Array) -> "WrittenOut":
        """With the weights of a network whose W is stored."""
        return cls(net.stored_weights()[0], np.asarray(net.frozen[0]), net.v.reshape(len(net.v), -1), X)

    @cached_property
    def states(self) -> tuple[Array, ...]:
        """h_0 = 0, h_1, ..., h_L, each (n, m)."""
        states = [np.zeros((len(self.X), len(self.W)))]
        for time in range(self.X.shape[1]):
            states.append(np.maximum(states[-1] @ self.W + self.X[:, time] @ self.A, 0.0))
        return tuple(states)

    @cached_property
    def outputs(self) -> Array:
        """The outputs at the times from 2 on, in one vector (F,), sample after sample."""
        return np.ravel(np.stack([h @ self.B for h in self.states[2:]], axis=1))

    @cached_property
    def slopes(self) -> Array:
        """The gradients of `outputs` in W, as rows: sum_t h_{t-1} (D_t W ... D_a B e_j)^T, 2 <= t <= a: (F, m m)."""
        found = []
        for i in range(len(self.X)):
            for last in range(2, self.X.shape[1] + 1):
                for row in self.B.T:
                    slope, back = np.zeros_like(self.W), row
                    for time in range(last, 1, -1):
                        back = back * (self.states[time][i] > 0.0)
                        slope += np.outer(self.states[time - 1][i], back)
                        back = self.W @ back
                    found.append(slope.ravel())
        return np.array(found)

    @cached_property
    def kernel(self) -> Array:
        """The inner products of the `slopes`: (F, F)."""
        return np.asarray(self.slopes @ self.slopes.T)

    def departure(self, errors: Array, eta: float) -> float:
        """How far -eta times the gradient leaves outputs from where the kernel sends them, over eta.

        Of the gradient that `errors` (F,) give, as they are felt: 0 outside a batch, and n/|S| as large in it.
        """
        W = self.W - eta * (errors @ self.slopes).reshape(self.W.shape)
        moved = WrittenOut(W, self.A, self.B, self.X).outputs - self.outputs
        return float(np.linalg.norm(moved / eta + self.kernel @ errors))

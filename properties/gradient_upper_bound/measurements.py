"""What the claims on gradients measure: difference quotients free of truncation, and weights of largest gradient.

Main definitions: `Line`, a segment of weights on which the network is affine, with exact difference quotients;
`output_scale`, the size of what the output sums; `saturating_network`, where every norm in the chain rule multiplies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nets.forward import Forward, forward
from nets.losses import SQUARED_HINGE, empirical_risk
from nets.network import Network, balanced_signs, perturbed
from theory.measured import rounding

Array = npt.NDArray[np.float64]

# Steps are halved until no gate differs between the two ends; beyond this the point is on a kink.
_HALVINGS = 40


@dataclass(frozen=True)
class Line:
    """The networks at W - h E and W + h E, for a step in one layer that changes no gate.

    In the weights of one layer the output is then affine between the two, and a squared hinge of it quadratic as long
    as no margin passes 1. So central difference quotients are exact but for rounding.
    """

    low: Forward
    high: Forward
    step: float
    error: Array

    @classmethod
    def through(cls, net: Network, X: Array, y: Array, layer: int, direction: Array) -> Line:
        """The longest such line of length 2^-k that `direction` (m_{l-1}, m_l) allows at the points X (n, d).

        Raises ValueError at a kink, where there is none.
        """
        still = [np.zeros_like(W) for W in net.weights]
        for k in range(_HALVINGS):
            step = 0.5**k
            ends = []
            for sign in (-1.0, 1.0):
                steps = list(still)
                steps[layer - 1] = sign * step * direction
                ends.append(forward(perturbed(net, steps), X))
            low, high = ends
            gates = all(np.array_equal(a, b) for a, b in zip(low.masks, high.masks, strict=True))
            if gates and np.array_equal(y * low.output < 1.0, y * high.output < 1.0):
                scale = output_scale(
                    perturbed(net, [np.abs(s) for s in _only(still, layer, step * direction)]), X
                )
                return cls(low, high, step, rounding(1.0, _operations(net)) * scale)
        raise ValueError(
            f"a gate changes within {step:.1e} of these weights: the output has no derivative there"
        )

    @property
    def output_slopes(self) -> Array:
        """d f(x_i)/dh: (n,)."""
        return (self.high.output - self.low.output) / (2.0 * self.step)

    @property
    def output_error(self) -> Array:
        """Bound on the rounding error of `output_slopes`: (n,)."""
        return self.error / self.step

    def risk_slope(self, y: Array) -> float:
        """d L_S/dh for the squared hinge."""
        high, low = (empirical_risk(SQUARED_HINGE, y, end.output) for end in (self.high, self.low))
        return (high - low) / (2.0 * self.step)

    def risk_error(self) -> float:
        """Bound on the rounding error of `risk_slope`."""
        size = 1.0 + np.maximum(np.abs(self.high.output), np.abs(self.low.output))
        each = 2.0 * size * self.error + rounding(1.0, 8) * size**2
        return float(each.mean() + rounding(1.0, each.size) * (size**2).mean()) / self.step

"""The constants of a start and of the region around it, and the weights for which bounds with them have least slack.

Main definitions: `Region`, the networks near a start, and `RegionConstants`, what holds of all those within a radius;
`near_kinks`, how many gates small steps may turn; the weights `paired`, whose last layer alone has a gradient, and
`one_sided`, where it ends once neurons turn off.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nets import Array, Forward, Network, balanced_signs, forward, layer_norms, operator_norm
from nets.worst_cases.adversaries import worst_derivatives
from properties.zou2018.expansion import arriving

# What is computed at the centre is known to this share: some thousand roundings.
KNOWN = 1e-12


@dataclass(frozen=True)
class RegionConstants:
    """What holds of all networks whose layers are within tau of those of the centre, in operator norm.

    Attributes
    ----------
    gradient : at most ||grad_{W_L} L_S||_F^2/S1^2, for all labels and losses, S1 being the sum of the derivatives
    margin : at most the margin of any sample
    output, backward : at least ||x_l|| for l < L, and the norm of what arrives at a layer from the output
    flips : neurons of each layer that differ from the centre for one sample, at most
    flip_term, second_order, move : of a step of size 1 for slopes of 1, at least the flip terms and the second-order
        terms of zou2018, (D.2), in an output, each with all layers, and the change of an output
    """

    gradient: float
    margin: float
    output: float
    backward: float
    flips: tuple[int, ...]
    flip_term: float
    second_order: float
    move: float

    def step_symbols(self, eta: float, rho: float, m: int) -> dict[str, float]:
        """What `eq_C_6_certified` of the sheet speaks of, for a step of size eta where all slopes are rho."""
        return {
            "SumGam": rho * eta * self.flip_term,
            "prodW": self.second_order / m**1.5,
            "dout": rho * eta * self.move,
        }


@dataclass(frozen=True, eq=False)
class Region:
    """The networks near `net`, at samples X (n, d) with labels y (n,)."""

    net: Network
    X: Array
    y: Array

    @cached_property
    def passed(self) -> Forward:
        """The pass of the samples at the centre."""
        return forward(self.net, self.X)

    @cached_property
    def norms(self) -> list[float]:
        """||W_l|| at the centre."""
        return [operator_norm(W) for W in self.net.weights]

    @cached_property
    def outputs(self) -> Array:
        """The largest ||x_l|| at the centre, for l = 0..L."""
        return np.asarray(layer_norms(self.passed).max(axis=0))

    @cached_property
    def _arriving(self) -> tuple[Array, ...]:
        return arriving(self.net, self.passed)

    def moves(self, tau: float) -> list[float]:
        """D_l, by how much ||W_l^T x_{l-1}|| may move, and ||x_l||, for l = 0..L: D_0 = 0.

        D_l <= tau ||x~_{l-1}|| + ||W_l|| D_{l-1}, as the ReLU is 1-Lipschitz; rounding at the centre counts as a move.
        """
        found = [0.0]
        for norm, size in zip(self.norms, self.outputs.tolist(), strict=False):
            found.append(tau * (size + found[-1]) + norm * (found[-1] + KNOWN * size))
        return found

    def constants(self, tau: float) -> RegionConstants:
        """The constants of the networks within tau."""
        moves = self.moves(tau)
        margin = float((self.y * self.passed.output).min()) - float(np.linalg.norm(self.net.v)) * moves[-1]
        flips = tuple(
            int((np.cumsum(np.sort(pre**2, axis=1), axis=1) <= move**2).sum(axis=1).max())
            for pre, move in zip(self.passed.pre, moves[1:], strict=True)
        )
        output, backward = self.outputs + np.array(moves), self._backward(tau, flips)
        terms = self._step_terms(tau, flips, output, backward)
        return RegionConstants(
            self._gradient(moves), margin, float(output[:-1].max()), float(backward.max()), flips, *terms
        )

    def _gradient(self, moves: Sequence[float]) -> float:
        """The gates of a neuron with |u| > D_L stay. Its gradient is a sum over samples, each term of which moves by
        D_{L-1} at most, and the other neurons only add to the whole."""
        gates = self.passed.masks[-1][:, np.abs(self.passed.pre[-1]).min(axis=0) > moves[-1]]
        gram = (self.passed.post[-2] @ self.passed.post[-2].T) * (gates @ gates.T)
        least = math.sqrt(max(0.0, (1.0 - KNOWN) * worst_derivatives(gram).value))
        lost = moves[-2] * math.sqrt(float(gates.sum(axis=1).max(initial=0.0)))
        return (max(0.0, least - lost) / len(self.X)) ** 2

    def _backward(self, tau: float, flips: Sequence[int]) -> Array:
        """At least the norm of q_l = W_{l+1} Sigma_{l+1} q_{l+1}, q_L = v, for l = 1..L: (L,).

        As W~ Sigma~ q~ - W Sigma q = (W~ - W) Sigma~ q~ + W (Sigma~ (q~ - q) + (Sigma~ - Sigma) q), the last term being
        at most the norm of the largest entries of q, as many as flip.
        """
        sizes = [_largest(q, q.shape[1]) for q in self._arriving]
        lost = [0.0] * len(sizes)
        for layer in range(len(sizes) - 2, -1, -1):
            above = lost[layer + 1]
            on_flips = _largest(self._arriving[layer + 1], flips[layer + 1])
            lost[layer] = tau * (sizes[layer + 1] + above) + self.norms[layer + 1] * (on_flips + above)
        return np.array(sizes) + np.array(lost)

    def _step_terms(
        self, tau: float, flips: Sequence[int], output: Array, backward: Array
    ) -> tuple[float, float, float]:
        """The flip terms, the second-order terms and the change of an output, in a step between networks within tau.

        The gradient of layer l is at most ||x_{l-1}|| ||q_l||, and two networks differ in at most twice the flips.
        """
        flipped = second = linear = moved = 0.0
        for layer, (q, back) in enumerate(zip(self._arriving, backward.tolist(), strict=True)):
            gradient = float(output[layer]) * back
            second += back * gradient * moved
            linear += back * gradient * float(output[layer])
            moved = gradient * float(output[layer]) + (self.norms[layer] + tau) * moved
            on_flips = _largest(q, 2 * flips[layer]) + back - _largest(q, q.shape[1])
            flipped += on_flips * moved if flips[layer] else 0.0
        return flipped, second, linear + flipped


def _largest(q: Array, count: int) -> float:
    """The largest norm of `count` entries of a row of q (n, m)."""
    kept = min(count, q.shape[1])
    return float(np.sqrt(np.sort(q**2, axis=1)[:, q.shape[1] - kept :].sum(axis=1)).max())


def near_kinks(net: Network, passed: Forward, reach: float) -> int:
    """How many pre-activations, at all samples and layers, are within `reach` of 0, those of neurons without weights
    left out."""
    weighted = [np.any(W, axis=0) for W in net.weights]
    return sum(
        int(np.count_nonzero(used & (np.abs(pre) <= reach))) for used, pre in zip(weighted, passed.pre, strict=True)
    )


def paired(net: Network) -> Network:
    """The network with the last neurons of sign +1 in the place of those of sign -1 as well.

    All outputs are 0, and so are the gradients of the layers below the last.
    """
    last = net.weights[-1][:, : net.v.size // 2]
    return net.with_weights([*net.weights[:-1], np.concatenate([last, last], axis=1)])


def one_sided(x: Array, sizes: Sequence[int], signal: float, depth: float) -> Network:
    """Layers of rank one that carry x (d,) at norm `signal` to neurons of sign -1, whose output is -depth together.

    Those of sign +1 are far from being active; once all of sign -1 are off as well, nothing has a gradient. There are
    two layers or more, of the given widths.
    """
    signs = balanced_signs(sizes[-1])
    last = np.where(signs < 0.0, 2.0 * depth / sizes[-1], -signal / math.sqrt(sizes[-1]))
    units = [x, *(np.full(m, m**-0.5) for m in sizes[:-1])]
    layers = [np.outer(u, w) for u, w in itertools.pairwise(units)]
    return Network((signal * layers[0], *layers[1:], np.outer(units[-1], last / signal)), signs)

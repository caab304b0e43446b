"""What the claims on forward stability measure, and the weights under which a perturbation does most.

Main definitions: `Shift`, one point before and after a perturbation; `channel_network`, `plant` and
`two_levels`, which make weights that leave a proof no slack; `masked_factors` and `product`, the masked
weights and the products of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nets.forward import Forward, forward
from nets.network import Network, balanced_signs, perturbed
from nets.operators import flip_counts, layer_norms, operator_norm
from theory.measured import rounding

Array = npt.NDArray[np.float64]

# What the second channel of `channel_network` carries at rest. It has to be positive, so that the neurons are
# active and the backward pass sees them; grown by 4 a layer for five layers its square is lost in rounding.
LEAK = 1e-12

# How near to zero, and how far beyond the threshold, `two_levels` puts a pre-activation, as a share of the
# threshold: above the rounding errors of a pass, below anything that changes a count.
NUDGE = 1e-9


@dataclass(frozen=True)
class Shift:
    """One point x of shape (1, d), run through the weights and through the perturbed weights."""

    net: Network
    moved: Network
    before: Forward
    after: Forward

    @classmethod
    def of(cls, net: Network, steps: Sequence[Array], x: Array) -> Shift:
        """What adding `steps` to the weights does at x (d,)."""
        moved, row = perturbed(net, steps), x[np.newaxis]
        return cls(net, moved, forward(net, row), forward(moved, row))

    @property
    def outputs(self) -> Array:
        """||x~_l - x_l|| of the layers 1..L: (L,)."""
        pairs = zip(self.before.post[1:], self.after.post[1:], strict=True)
        return np.array([np.linalg.norm(after - before) for before, after in pairs])

    @property
    def output_errors(self) -> Array:
        """Bounds on the rounding errors of `outputs`, carried through both passes: (L,)."""
        totals = np.zeros(self.net.depth)
        for net, fwd in ((self.net, self.before), (self.moved, self.after)):
            error = np.zeros_like(fwd.post[0])
            for layer, (W, arriving) in enumerate(zip(net.weights, fwd.post[:-1], strict=True)):
                # Each pre-activation is an inner product of length m_{l-1} of arriving outputs with an error.
                error = (error + rounding(1.0, W.shape[0]) * (np.abs(arriving) + error)) @ np.abs(W)
                totals[layer] += np.linalg.norm(error)
        return totals + rounding(1.0, max(self.net.widths) + 2) * self.outputs

    @property
    def pre_activations(self) -> Array:
        """||W~_l^T x~_{l-1} - W_l^T x_{l-1}|| of the layers 1..L: (L,)."""
        pairs = zip(self.before.pre, self.after.pre, strict=True)
        return np.array([np.linalg.norm(after - before) for before, after in pairs])

    @property
    def flips(self) -> Array:
        """Neurons of each layer whose activation differs: (L,)."""
        return np.asarray(flip_counts(self.before, self.after)[0])

    @property
    def weight_norm(self) -> float:
        """The largest ||W~_l|| of all layers."""
        return max(operator_norm(W) for W in self.moved.weights)

    @property
    def output_norm(self) -> float:
        """The largest ||x_l|| of all layers, the input included, before the perturbation."""
        return float(layer_norms(self.before).max())


def channel_network(x: Array, widths: Sequence[int], norm: float) -> Network:
    """Layers (m_1, ..., m_L) that carry x (d,) at norm 3/2 and stretch what a perturbation adds by `norm`.

    Each layer has two channels, unit vectors with positive entries on either half of its neurons. The signal
    of x stays in the first; the second is multiplied by `norm` in every layer after the first, and all but
    empty. What feeds it meets both norms of zou2018, Lemma B.2, with equality.
    """
    if min(widths) < 2:
        raise ValueError(f"the widths are {tuple(widths)}: two channels need two neurons in every layer")
    ends = [_channels(m) for m in widths]
    # Together with what leaks, the signal has norm 3/2 at most.
    signal = math.sqrt(1.5**2 - (LEAK * norm ** (len(widths) - 1)) ** 2) * (1.0 - 1e-12)
    weights = [np.outer(x / (x @ x), signal * ends[0][0] + LEAK * ends[0][1])]
    for (carrier, amplifier), (to_carrier, to_amplifier) in itertools.pairwise(ends):
        weights.append(np.outer(carrier, to_carrier) + norm * np.outer(amplifier, to_amplifier))
    return Network(tuple(weights), balanced_signs(widths[-1]))


def _channels(m: int) -> tuple[Array, Array]:
    """Unit vectors (m,) with equal entries on the first half of the neurons, and on the rest."""
    first = np.arange(m) < m // 2
    return first / math.sqrt(m // 2), ~first / math.sqrt(m - m // 2)


def plant(net: Network, x: Array, layer: int, wanted: Array) -> Network:
    """The network whose pre-activations of `layer` at x (d,) are `wanted` (m_layer,).

    The weights change along the layer's input only: by as little as they can.
    """
    fwd = forward(net, x[np.newaxis])
    arriving, pre = fwd.post[layer - 1][0], fwd.pre[layer - 1][0]
    change = np.outer(arriving / (arriving @ arriving), wanted - pre)
    return Network((*net.weights[: layer - 1], net.weights[layer - 1] + change, *net.weights[layer:]), net.v)


def two_levels(pre: Array, beta: float, inside: int, outside: int) -> Array:
    """Pre-activations (m,) pulled to where the split of zou2018, Lemma B.3, at the threshold beta is sharp.

    The `inside` smallest go next to zero, where a flip costs nothing, the `outside` next ones just beyond
    beta, where one costs beta^2. Signs, and all other pre-activations, stay.
    """
    order = np.argsort(np.abs(pre))
    size = np.abs(pre)
    size[order[:inside]] = NUDGE * beta
    size[order[inside : inside + outside]] = (1.0 + NUDGE) * beta
    return np.where(pre > 0.0, size, -size)


def random_layers(widths: Sequence[int], rng: np.random.Generator) -> tuple[list[Array], list[Array]]:
    """Gaussian weights (m_{r-1}, m_r) and masks (m_r,) of fair coins, unrelated, for widths m_0, ..., m_L."""
    weights = [rng.standard_normal(shape) for shape in itertools.pairwise(widths)]
    masks = [(rng.random(m) < 0.5).astype(np.float64) for m in widths[1:]]
    return weights, masks


def masked_factors(weights: Sequence[Array], masks: Sequence[Array]) -> list[Array]:
    """A_r = Sigma_r W_r^T of all layers, (m_r, m_{r-1}) each, for masks (m_r,)."""
    return [mask[:, np.newaxis] * W.T for W, mask in zip(weights, masks, strict=True)]


def product(factors: Sequence[Array], size: int) -> Array:
    """The factors multiplied, later ones to the left; of none, the identity of that size (zou2018, (3.1))."""
    result = np.eye(size)
    for factor in factors:
        result = factor @ result
    return result

"""What the claims on forward stability measure, and the weights under which a perturbation does most.

Main definitions: `Shift`, points before and after a perturbation; `norm_above`, for layers of any width;
`factored_layer`, `channel_network`, `plant` and `two_levels`, which make weights that leave a proof no slack;
`masked_factors` and `product`, the masked weights and the products of them.

Layers are stored where they are small and revealed where they are not (`nets.network.gaussian_network`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bounds.zou2018 import fact_vershynin_5_35
from nets.forward import Forward, forward
from nets.lanczos import NORM_FAILURE
from nets.lowrank import LowRank, outer
from nets.network import STORED_ENTRIES, Layer, Network, balanced_signs, perturbed
from nets.operators import flip_counts, layer_norms, operator_norm
from nets.revealed import NOISE, RevealedGaussian
from theory.measured import rounding

Array = npt.NDArray[np.float64]

# What the second channel of `channel_network` carries at rest. It has to be positive, so that the neurons are
# active and the backward pass sees them; grown by 4 a layer for five layers its square is lost in rounding.
LEAK = 1e-12

# How near to zero, and how far beyond the threshold, `two_levels` puts a pre-activation, as a share of the
# threshold: above the rounding errors of a pass, below anything that changes a count.
NUDGE = 1e-9


# The share used of a norm that a premise allows: a bound that is attained is then met by more than rounding.
USED = 1.0 - 1e-9

# From the first of these widths on layers are revealed, and an instance takes tenths of a second; at the second, up
# to a minute.
WIDE, WIDEST = 10**4, 10**6


def instances(m: int, otherwise: int) -> int:
    """How many instances a search tries at the width m, beside the pinned ones."""
    return 0 if m >= WIDEST else 1 if m >= WIDE else otherwise


@dataclass(frozen=True)
class Shift:
    """Points (n, d), run through the weights and through the perturbed weights. Norms and flips are those of one."""

    net: Network
    moved: Network
    before: Forward
    after: Forward

    @classmethod
    def of(cls, net: Network, steps: Sequence[Array | LowRank], x: Array) -> Shift:
        """What adding `steps` to the weights does at a point x (d,), or at points (n, d)."""
        moved, rows = perturbed(net, steps), np.atleast_2d(x)
        return cls(net, moved, forward(net, rows), forward(moved, rows))

    @property
    def outputs(self) -> Array:
        """||x~_l - x_l|| of the layers 1..L: (L,)."""
        pairs = zip(self.before.post[1:], self.after.post[1:], strict=True)
        return np.array([np.linalg.norm(after - before) for before, after in pairs])

    def errors(self, norms: Array) -> Array:
        """Bounds on the rounding errors of `outputs` or `pre_activations`, carried through both passes: (L,)."""
        totals = np.zeros(self.net.depth)
        for net, fwd in ((self.net, self.before), (self.moved, self.after)):
            error = 0.0
            for layer, (W, arriving) in enumerate(zip(net.weights, fwd.post[:-1], strict=True)):
                if isinstance(W, np.ndarray):
                    # Each entry is an inner product of length m_{l-1}; together they err by that times ||W||_F.
                    size, relative = float(np.linalg.norm(W)), rounding(1.0, W.shape[0])
                else:
                    size, relative = norm_above(W), NOISE
                error = size * (error + relative * (float(np.linalg.norm(arriving)) + error))
                totals[layer] += error
        return totals + rounding(1.0, max(self.net.widths) + 2) * norms

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
        """The largest ||W~_l|| of all layers, or more where layers are revealed (`norm_above`)."""
        return max(norm_above(W) for W in self.moved.weights)

    @property
    def output_norm(self) -> float:
        """The largest ||x_l|| of all layers and points, the input included, before the perturbation."""
        return float(layer_norms(self.before).max())


def norm_above(W: Layer) -> float:
    """||W|| of a stored layer; of a revealed one, what it exceeds with probability `NORM_FAILURE` at most.

    A norm asked of a revealed layer costs it dozens of directions. Whatever has been asked, its Gaussian part has
    the law of a stored matrix, of which the norm is known by concentration; to this comes the norm of its update.
    """
    if isinstance(W, np.ndarray):
        return operator_norm(W)
    inputs, m = W.shape
    t = math.sqrt(2.0 * math.log(2.0 / NORM_FAILURE))
    # The formula is for the standard deviation sqrt(2/m).
    gaussian = W.std / math.sqrt(2.0 / m) * float(fact_vershynin_5_35.evaluate({"m": m, "d": inputs, "t": t}))
    return gaussian + operator_norm(W.update)


def factored_layer(left: Array, right: Array) -> Layer:
    """left^T right as a layer, for factors (p, m_{l-1}) and (p, m_l): a step away from zero where it is too wide."""
    shape = left.shape[1], right.shape[1]
    if math.prod(shape) <= STORED_ENTRIES:
        return left.T @ right
    # With the standard deviation 0 what the generator draws does not matter.
    return RevealedGaussian(*shape, 0.0, np.random.default_rng(0)) + LowRank(left, right)


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
    weights = [factored_layer(x[np.newaxis] / (x @ x), (signal * ends[0][0] + LEAK * ends[0][1])[np.newaxis])]
    for (carrier, amplifier), (to_carrier, to_amplifier) in itertools.pairwise(ends):
        weights.append(factored_layer(np.stack([carrier, amplifier]), np.stack([to_carrier, norm * to_amplifier])))
    return Network(tuple(weights), balanced_signs(widths[-1]))


def _channels(m: int) -> tuple[Array, Array]:
    """Unit vectors (m,) with equal entries on the first half of the neurons, and on the rest."""
    first = np.arange(m) < m // 2
    return first / math.sqrt(m // 2), ~first / math.sqrt(m - m // 2)


def plant(net: Network, X: Array, layer: int, wanted: Array) -> Network:
    """The network whose pre-activations of `layer` at the points X (n, d) are `wanted` (n, m_layer).

    The weights change along the layer's inputs only, which have to be independent: by as little as they can.
    """
    fwd = forward(net, X)
    W = net.weights[layer - 1]
    inverse: Array = np.linalg.pinv(fwd.post[layer - 1]).astype(np.float64, copy=False)
    change = outer(W, inverse.T, wanted - fwd.pre[layer - 1])
    return Network((*net.weights[: layer - 1], W + change, *net.weights[layer:]), net.v)


def two_levels(pre: Array, beta: float, inside: int, outside: int) -> Array:
    """Pre-activations (n, m) pulled to where the split of zou2018, Lemma B.3, at the threshold beta is sharp.

    Each neuron belongs to the point at which it is nearest to its kink. At every point the `inside` smallest of its
    own go next to zero, where a flip costs nothing, the `outside` next ones just beyond beta, where one costs
    beta^2; no others stay below. Signs stay. With `inside` zero nothing moves.
    """
    if not inside:
        return pre
    size, beyond = np.abs(pre), (1.0 + NUDGE) * beta
    nearest = np.argmin(size, axis=0)
    pulled = np.maximum(size, beyond)
    for i, sizes in enumerate(size):
        (own,) = np.nonzero(nearest == i)
        own = own[np.argsort(sizes[own])]
        pulled[i, own[:inside]] = NUDGE * beta
        pulled[i, own[inside : inside + outside]] = beyond
    return np.where(pre > 0.0, pulled, -pulled)


def orthogonal_rows(X: Array) -> Array:
    """Orthonormal rows (n, d) that span what the rows of X (n, d), n <= d, do."""
    return np.ascontiguousarray(np.linalg.qr(X.T)[0].T)


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

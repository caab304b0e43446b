"""What the claims on forward stability measure.

Main definitions: `Shift`, points before and after a perturbation; `norm_above`, for layers of any width, and
`largest_layer_norm`; `masked_factors`, `product` and `telescoped`, the masked weights, products of them, and how these
change.

Layers are stored where they are small and revealed where they are not (`nets.networks.network.gaussian_network`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from bounds.papers.zou2018 import fact_vershynin_5_35
from nets import Array, Forward, Layer, LowRank, Network, flip_counts, forward, layer_norms, operator_norm, perturbed
from nets.linear_algebra.lanczos import NORM_FAILURE
from nets.linear_algebra.revealed import NOISE
from theory.claims import rounding

# The share used of a norm that a premise allows: a bound that is attained is then met by more than rounding.
ALLOWED_SHARE = 1.0 - 1e-9

# From the first of these widths on layers are revealed, and an instance takes from tenths of a second up to seconds;
# at the second, up to a minute.
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
        return largest_layer_norm(self.moved)

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


def largest_layer_norm(net: Network) -> float:
    """The largest ||W_l|| of all layers, or more where layers are revealed (`norm_above`)."""
    return max(norm_above(W) for W in net.weights)


def orthogonal_rows(X: Array) -> Array:
    """Orthonormal rows (n, d) that span what the rows of X (n, d), n <= d, do."""
    return np.ascontiguousarray(np.linalg.qr(X.T)[0].T)


def random_layers(widths: Sequence[int], rng: Generator) -> tuple[list[Array], list[Array]]:
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


def telescoped(
    left: Sequence[Array], changes: Sequence[Array], right: Sequence[Array], *, reverse: bool = False
) -> Array:
    """The sum over the changes t, of the first factors on, of ... left[t+1] changes[t] right[t-1] ... right[0].

    There may be fewer changes than factors: the last terms are then left out. With `reverse` the parts of each term are
    multiplied in the other order, which takes square factors.
    """
    start = right[0].shape[1]
    total = np.zeros((right[-1].shape[0], start))
    for t, change in enumerate(changes):
        parts = [product(right[:t], start), change, product(left[t + 1 :], change.shape[0])]
        total += product(parts[::-1] if reverse else parts, start)
    return total

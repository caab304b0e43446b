"""Products of layers whose gates and weights are both changed, each as badly as may be.

Main definitions: `chain`, the factors of W_b D_{b-1} ... as a list; `chain_product`; `worst_chain`, the factors after
flips of s gates a layer and steps of the weights, both along the top singular pair of the product.
"""

from collections.abc import Sequence

import numpy as np
import scipy.linalg

from nets import Array, Forward, Network
from properties.shared.quotients import quotients

# Matrices and diagonals of gates in turn; the first is applied first.
Chain = list[Array]


def chain(net: Network, fwd: Forward, *, start_gated: bool, read_out: bool, layers: int | None = None) -> Chain:
    """D_a, W_{a+1}, D_{a+1}, ..., as `chain_product` multiplies them, for the last `layers` of the weights.

    It starts with a gate where `start_gated`, and with a weight otherwise. It ends with D_L and B where `read_out`, and
    with W_L otherwise.
    """
    count = len(net.weights) if layers is None else layers
    numbers = range(len(net.weights) - count + 1, len(net.weights) + 1)
    factors: Chain = []
    for layer in numbers:
        factors += [fwd.masks[layer - 1][0], net.weights[layer - 1].T]
    factors = factors if start_gated else factors[1:]
    return [*factors, fwd.masks[-1][0], net.v.T] if read_out else factors


def chain_product(factors: Sequence[Array]) -> Array:
    """The product of the factors, later ones to the left."""
    first, *rest = factors
    if first.ndim == 1:
        # Gates apart from what follows are a diagonal matrix, and before a matrix factors of its columns.
        product, rest = (rest[0] * first, rest[1:]) if rest and rest[0].ndim == 2 else (np.diag(first), rest)
    else:
        product = first
    for factor in rest:
        product = factor[:, np.newaxis] * product if factor.ndim == 1 else factor @ product
    return np.asarray(product)


def _top_pair(product: Array) -> tuple[Array, Array]:
    """The left and right unit vectors of the largest singular value, which need not be that of a matrix of full rank.

    By the Gram matrix of the shorter side: where most singular values vanish, decompositions may not converge.
    """
    wide = product.shape[0] < product.shape[1]
    short = product if wide else product.T
    last = len(short) - 1
    own = scipy.linalg.eigh(short @ short.T, subset_by_index=[last, last])[1][:, 0]
    other = quotients(own @ short, float(np.linalg.norm(own @ short)))
    return (own, other) if wide else (other, own)


def worst_chain(factors: Chain, s: int, both: float, omega: float, *, last: bool) -> Chain:
    """The factors with up to s gates of each diagonal flipped and each matrix moved by a step of norm omega.

    `both` is the sum of the two values of a gate, which a flip turns into each other. The changes are those
    that stretch the top singular pair of the product most, each alone to first order. The last factor is left as it is
    unless `last`.
    """
    left, right = _top_pair(chain_product(factors))
    before, after = [right], [left]
    for factor in factors:
        before.append(factor * before[-1] if factor.ndim == 1 else factor @ before[-1])
    for factor in reversed(factors):
        after.append(factor * after[-1] if factor.ndim == 1 else factor.T @ after[-1])
    changed: Chain = []
    for number, factor in enumerate(factors):
        arriving, leaving = before[number], after[len(factors) - 1 - number]
        if (number == len(factors) - 1 and not last) or (factor.ndim == 2 and not omega):
            changed.append(factor)
        elif factor.ndim == 1:
            gains = arriving * leaving * (both - 2.0 * factor)
            flipped = np.argsort(-gains)[:s]
            flipped = flipped[gains[flipped] > 0.0]
            moved = factor.copy()
            moved[flipped] = both - factor[flipped]
            changed.append(moved)
        else:
            # Of a product of 0 no step is better than another.
            lengths = float(np.linalg.norm(arriving) * np.linalg.norm(leaving))
            changed.append(factor + omega * quotients(np.outer(leaving, arriving), lengths))
    return changed

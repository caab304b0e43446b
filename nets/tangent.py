"""Networks close to their start, and the functions that are linear in the weights there.

Main definitions, with V the weights and V1 those at the start (chatterji2021, Definitions D.1 to D.5):
`tangent_features`, the gradients of all outputs as `TangentFeatures`, with their inner products and norms;
`layer_distances` and `in_ball`, the ball that limits each layer by itself; `linearised`, the function F_{V1,V};
`best_linearised_loss`, the least logistic loss of such functions over the ball, enclosed, with the `BestLinearised`
that attains it; `linearisation_error` for a pair of weights.

Weights may be stored or revealed: differences are then `LowRank`, and what is asked of either is `X @ D` and its norm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy
from scipy.special import expit, log_expit

from nets.arrays import Array
from nets.curvature import EPS
from nets.forward import Forward, forward
from nets.gradients import backward, output_gradient, rank_one_pairs
from nets.log_loss import logistic_terms
from nets.losses import check_labels
from nets.lowrank import frobenius_norms
from nets.network import Network, shifted

Direction = Sequence[Any]

# Columns longer than this are summed by numpy and BLAS in blocks: their errors grow with the root of the length at
# most, and 8 EPS times the root covers the five operations per term.
SUMMATION = 8.0 * EPS

# Newton's method needs some ten steps, a few more for each power of ten that the loss is below 1.
NEWTON_STEPS = 200

# Features that cancel to less than this share of the largest one are taken to leave as much.
LEAST_NORM = 1e-10


def difference(net: Network, other: Network) -> tuple[Any, ...]:
    """V - W of two networks, layer by layer: arrays, or `LowRank` where a layer is revealed."""
    return tuple(V - W for V, W in zip(net.weights, other.weights, strict=True))


def layer_distances(net: Network, start: Network) -> Array:
    """||V_l - V1_l||, Frobenius: (L + 1,). The ball B(V1, rho) limits the largest (Definition D.1)."""
    return frobenius_norms(difference(net, start))


def in_ball(net: Network, start: Network, radius: float) -> bool:
    """Whether V lies in B(V1, radius); the norm over all layers may be larger by a factor sqrt(L + 1)."""
    return bool(layer_distances(net, start).max() <= radius)


@dataclass(frozen=True, eq=False)
class TangentFeatures:
    """The gradients of the outputs of a network in its weights: F features, F the number of all outputs.

    A feature in a weight is the sum of left_i right_i^T over the uses of the weight, rows i = feature + F * use.

    Attributes
    ----------
    pairs : per weight left (uses F, rows) and right (uses F, columns)
    shape : that of the outputs: (n,), or (n, times, outputs)
    """

    pairs: tuple[tuple[Array, Array], ...]
    shape: tuple[int, ...]

    @property
    def count(self) -> int:
        """F."""
        return math.prod(self.shape)

    @cached_property
    def grams(self) -> Array:
        """Inner products in each weight: (weights, F, F)."""
        count, found = self.count, []
        for left, right in self.pairs:
            gram = (left @ left.T) * (right @ right.T)
            uses = len(gram) // count
            found.append(gram if uses == 1 else gram.reshape(uses, count, uses, count).sum(axis=(0, 2)))
        return np.array(found)

    @property
    def gram_error(self) -> float:
        """Relative error of the sum of `grams`: |K_st - exact| <= error sqrt(K_ss K_tt), for these very factors."""
        error, count = SUMMATION * math.sqrt(max(side.shape[1] for pair in self.pairs for side in pair)), self.count
        if all(len(left) == count for left, _ in self.pairs):
            return error
        # Uses of one weight may cancel: what is added up is larger than K.
        terms = [np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1) for left, right in self.pairs]
        sizes = np.sum([term.reshape(-1, count).sum(axis=0) ** 2 for term in terms], axis=0)
        K = self.grams.sum(axis=0).diagonal()
        return error * float(np.max(np.divide(sizes, K, out=np.where(sizes > 0.0, np.inf, 1.0), where=K > 0.0)))

    @property
    def layer_norms(self) -> Array:
        """||grad_l f(x_s)|| in each weight: (weights, *shape). Gamma is their supremum (Definition D.5)."""
        return np.array([_factored_norms(*pair, self.count).reshape(self.shape) for pair in self.pairs])

    def along(self, direction: Direction) -> Array:
        """<grad f(x_s), D> over all weights: of the shape of the outputs."""
        terms = [np.sum((left @ D) * right, axis=1) for (left, right), D in zip(self.pairs, direction, strict=True)]
        features = [term.reshape(-1, self.count) for term in terms]
        return np.asarray(np.sum([term.sum(axis=0) for term in features], axis=0)).reshape(self.shape)


def _factored_norms(left: Array, right: Array, count: int) -> Array:
    """Frobenius norms of the sums over the uses of rank-one terms: (count,)."""
    if len(left) == count:
        return np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    # Triangles, as in `gradient_norms`, so that terms that cancel do no harm.
    one, other = (
        np.asarray(np.linalg.qr(side.reshape(-1, count, side.shape[1]).transpose(1, 2, 0), mode="r"))
        for side in (left, right)
    )
    return np.asarray(np.linalg.norm(one @ other.swapaxes(1, 2), axis=(1, 2)))


def tangent_features(net: Network, fwd: Forward) -> TangentFeatures:
    """The tangent features of a network of any architecture at the samples of `fwd`."""
    if net.scalar:
        return TangentFeatures(rank_one_pairs(fwd, backward(net, fwd)), fwd.output.shape)
    # Each sample once for each of its outputs.
    each = fwd.output[0].size
    parts = (tuple(np.repeat(x, each, axis=0) for x in part) for part in (fwd.pre, fwd.post, fwd.masks, fwd.inputs))
    pre, post, masks, inputs = parts
    repeated = Forward(pre, post, masks, np.repeat(fwd.output, each, axis=0), inputs)
    units = np.tile(np.eye(each), (len(fwd.output), 1)).reshape(repeated.output.shape)
    return TangentFeatures(rank_one_pairs(repeated, backward(net, repeated, coefficients=units)), fwd.output.shape)


def linearised(start: Network, fwd: Forward, net: Network) -> Array:
    """F_{V1,V}(x_s) = f_{V1}(x_s) + <grad f_{V1}(x_s), V - V1>, `fwd` the pass of V1: (n,) (Definition D.2).

    Of a network with several outputs, of their shape.
    """
    return fwd.output + tangent_features(start, fwd).along(difference(net, start))


# --- the best linearised function -----------------------------------------------------------------


@dataclass(frozen=True)
class BestLinearised:
    """The interval [low, high] of the least loss over the ball; `high` is that of the point found.

    `coefficients` (L + 1, n): the point is V1_l + sum_s coefficients_{l,s} y_s grad_l f(x_s).
    """

    low: float
    high: float
    coefficients: Array

    def point(self, start: Network, fwd: Forward, labels: npt.ArrayLike) -> Network:
        """The weights that attain `high`."""
        signs = check_labels(labels, fwd.output.size)
        directions = [output_gradient(start, fwd, signs * row)[at] for at, row in enumerate(self.coefficients)]
        return shifted(start, directions)


def best_linearised_loss(grams: Array, margins: Array, labels: npt.ArrayLike, radius: float) -> BestLinearised:
    """eps_NT(V1, radius) for `grams` (weights, n, n), y_s f_{V1}(x_s) (n,) and labels (n,) (Definition D.3).

    With H the entropy of a coin and g in [0, 1]^n, log(1 + exp(-z)) >= H(g) - g z makes every g a lower bound,

        eps_NT >= (1/n) sum_s (H(g_s) - g_s y_s f(x_s)) - (radius/n) sum_l ||sum_s g_s y_s grad_l f(x_s)||,

    and a step of length `radius` in each layer along these sums an upper one. They meet at the best g, found by
    Newton's method in a = log(1/g - 1), which at the best g are the margins after that step. Both allow for rounding.

    Raises ValueError unless the radius is positive and finite.
    """
    if not 0.0 < radius < math.inf:
        raise ValueError(f"a ball of radius {radius}: choose a positive, finite radius")
    signs = check_labels(labels, margins.size)
    K = grams * np.outer(signs, signs)
    dual = _Dual(K, margins, radius)
    a = dual.descend(np.maximum(margins, 0.0))
    low, high, coefficients = -math.inf, _loss(margins), np.zeros((len(K), margins.size))
    # The margins after the step make a better lower bound than the a it came from, as long as that is rough.
    for _ in range(3):
        step, weights = dual.step(a)
        part = _best_part(margins, step)
        reached = margins + part * step
        low, loss = max(low, -dual.value(a)), _loss(reached)
        if loss < high:
            high, coefficients = loss, part * weights
        a = reached
    # Margins are off by some roundings of the terms they are the sum of, and so are losses, relatively.
    error = (len(K) + margins.size + 8) * EPS * (1.0 + float(np.abs(margins).max()) + dual.longest)
    return BestLinearised(low - error * high, high * (1.0 + error), coefficients)


def _loss(margins: Array) -> float:
    return float(np.mean(logistic_terms(margins).loss))


def _best_part(margins: Array, step: Array) -> float:
    """The t in [0, 1] at which margins + t step have the least loss; 1 but where features cancel."""
    if logistic_terms(margins + step).weight @ step >= 0.0:
        return 1.0
    return float(
        scipy.optimize.minimize_scalar(
            lambda t: _loss(margins + t * step), bounds=(0.0, 1.0), options={"xatol": 1e-12}
        ).x
    )


def _shares(a: Array) -> Array:
    """g / max g of g = 1/(1 + exp(a)), also where all of g is below the least double."""
    logs = log_expit(-a)
    return np.asarray(np.exp(logs - logs.max()))


@dataclass(frozen=True, eq=False)
class _Dual:
    """The concave dual problem of `best_linearised_loss`, with its sign turned."""

    K: Array
    margins: Array
    radius: float

    @property
    def longest(self) -> float:
        """What a step of length `radius` in each layer adds to a margin at most."""
        return self.radius * float(np.sqrt(self.K.diagonal(axis1=1, axis2=2)).sum(axis=0).max())

    def _sums(self, g: Array) -> tuple[Array, Array]:
        """K_l g and the norms sqrt(g^T K_l g), never 0: larger ones weaken both bounds, as they stay bounds."""
        products = self.K @ g
        least = LEAST_NORM**2 * self.K.diagonal(axis1=1, axis2=2).max(axis=1) + np.finfo(float).tiny
        return products, np.sqrt(np.maximum(products @ g, least))

    def step(self, a: Array) -> tuple[Array, Array]:
        """What the step that g = 1/(1 + exp(a)) gives adds to the margins, and its coefficients (L + 1, n)."""
        shares = _shares(a)
        products, norms = self._sums(shares)
        step = self.radius / norms[:, np.newaxis]
        return np.asarray(np.sum(step * products, axis=0)), step * shares

    def value(self, a: Array) -> float:
        """The negative dual function."""
        g = expit(-a)
        _, norms = self._sums(_shares(a))
        # Not by log(1 - g), which is 0 where g is below 1e-16.
        entropy = g * np.logaddexp(0.0, a) + expit(a) * np.logaddexp(0.0, -a)
        return -float(np.sum(entropy) - g @ self.margins - self.radius * g.max() * norms.sum()) / g.size

    def descend(self, a: Array) -> Array:
        """Newton's method with halved steps, from a."""
        value = self.value(a)
        for _ in range(NEWTON_STEPS):
            shares = _shares(a)
            products, norms = self._sums(shares)
            residual = a - self.margins - self.radius * np.sum(products / norms[:, np.newaxis], axis=0)
            units = products / norms[:, np.newaxis]
            curvature = np.sum(self.K / norms[:, np.newaxis, np.newaxis], axis=0)
            curvature -= np.einsum("ls,lt,l->st", units, units, 1.0 / norms)
            # (1 + radius M D) with M the second derivatives of the norms and D = g (1 - g)
            slopes = shares * expit(a)
            step = np.linalg.solve(np.eye(a.size) + self.radius * curvature * slopes, residual)
            size = 1.0
            while not (moved := self.value(a - size * step)) <= value and size > 1e-9:
                size *= 0.5
            if size <= 1e-9:
                break
            gained, a, value = value - moved, a - size * step, moved
            if gained <= EPS * abs(value):
                break
        return a


# --- how far from linear --------------------------------------------------------------------------


def linearisation_error(net: Network, base: Network, X: npt.ArrayLike) -> Array:
    """|f_V(x_s) - f_W(x_s) - <grad f_W(x_s), V - W>|, W the `base`: (n,) (Definition D.4, for one pair).

    Of a network with several outputs, of their shape.
    """
    return np.abs(forward(net, X).output - linearised(base, forward(base, X), net))

"""Networks close to their start, and the functions that are linear in the weights there.

V are the weights, V1 those at the start (chatterji2021, Definitions D.1 to D.5). Main definitions: `tangent_features`;
`tangent_kernel`; `in_ball`; `linearised`, the function F_{V1,V}; `best_linearised_loss`; `linearisation_error`.

Weights may be stored or revealed: differences are then `LowRank`, and what is asked of either is `X @ D` and its norm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy
from scipy.special import expit, log_expit

from nets.core.arrays import Array
from nets.linear_algebra.lowrank import frobenius_norms
from nets.networks.curvature import EPS
from nets.networks.forward import Forward, forward
from nets.networks.gradients import Backward, backward, output_gradient, rank_one_pairs
from nets.networks.log_loss import logistic_terms
from nets.networks.losses import check_labels
from nets.networks.network import Network, shifted
from nets.tangent.unit_balls import least_in_unit_balls

Direction = Sequence[Any]

# Columns longer than this are summed by numpy and BLAS in blocks: their errors grow with the root of the length at
# most, and 8 EPS times the root covers the five operations per term.
SUMMATION = 8.0 * EPS

# Newton's method needs some ten steps, a few more for each power of ten that the loss is below 1.
NEWTON_STEPS = 200

# Features that cancel to less than this share of the largest term are taken to leave as much.
LEAST_NORM = 1e-10

# What a point may leave the ball by, as a share of the radius, where the length of its steps is uncertain.
OUTSIDE = 1e-11

# The interval of the least loss is closed where it is below this share of its upper end, or below this loss.
CLOSED = 1e-6
LEAST_LOSS = 1e-300


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
    """The gradients of the outputs, whose shape is `shape`, in all weights: F features, F the number of all outputs.

    Per weight `pairs` holds left (uses F, rows) and right (uses F, columns): a feature in the weight is the sum of
    left_i right_i^T over the uses of the weight, rows i = feature + F * use.
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
        norms: Array = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
        return norms
    # Triangles, as in `gradient_norms`, so that terms that cancel do no harm.
    one, other = (
        np.asarray(np.linalg.qr(side.reshape(-1, count, side.shape[1]).transpose(1, 2, 0), mode="r"))
        for side in (left, right)
    )
    return np.asarray(np.linalg.norm(one @ other.swapaxes(1, 2), axis=(1, 2)))


def tangent_features(net: Network, fwd: Forward, bwd: Backward | None = None) -> TangentFeatures:
    """The tangent features of a network of any architecture at the samples of `fwd`.

    `bwd` saves the backward pass of a network with one output.
    """
    if net.scalar:
        return TangentFeatures(rank_one_pairs(fwd, backward(net, fwd) if bwd is None else bwd), fwd.output.shape)
    # Each sample once for each of its outputs.
    each = fwd.output[0].size
    parts = (tuple(np.repeat(x, each, axis=0) for x in part) for part in (fwd.pre, fwd.post, fwd.masks, fwd.inputs))
    pre, post, masks, inputs = parts
    repeated = Forward(pre, post, masks, np.repeat(fwd.output, each, axis=0), inputs)
    units = np.tile(np.eye(each), (len(fwd.output), 1)).reshape(repeated.output.shape)
    return TangentFeatures(rank_one_pairs(repeated, backward(net, repeated, coefficients=units)), fwd.output.shape)


def tangent_kernel(net: Network, X: npt.ArrayLike) -> Array:
    """Inner products of the gradients of all outputs in all weights that are trained: (outputs, outputs)."""
    return np.asarray(tangent_features(net, forward(net, X)).grams.sum(axis=0))


def linearised(start: Network, fwd: Forward, net: Network) -> Array:
    """F_{V1,V}(x_s) = f_{V1}(x_s) + <grad f_{V1}(x_s), V - V1>, `fwd` the pass of V1, of the shape of its outputs."""
    return fwd.output + tangent_features(start, fwd).along(difference(net, start))


@dataclass(frozen=True)
class BestLinearised:
    """The interval [low, high] of the least loss over the ball, and the point of loss `high`.

    It is V1_l + sum_s coefficients_{l,s} y_s grad_l f(x_s), for coefficients (L + 1, n).
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
    Newton's method in a = log(1/g - 1), which at the best g are the margins after that step. Where they do not meet,
    the best point of the ball is found by the method of barriers, `least_in_unit_balls`, and g from its margins.

    Both ends allow for rounding, that of `grams` by some EPS too. The interval is at most 1e-6 `high` or 1e-300 long,
    unless the gradients of a layer cancel at the best g: inner products known to some EPS give the square of the norm
    of their sum, and so the norm only to some sqrt(EPS) of those of its terms. Then the length may be 1e-7 n R `high`
    more, with R = radius max_s sum_l ||grad_l f(x_s)||, the most that a margin can grow by.

    Raises ValueError unless the radius is positive and finite.
    """
    if not 0.0 < radius < math.inf:
        raise ValueError(f"a ball of radius {radius}: choose a positive, finite radius")
    signs = check_labels(labels, margins.size)
    ball = _Ball(grams * np.outer(signs, signs), margins, radius)
    ball.refine(ball.descend(np.maximum(margins, 0.0)))
    if not ball.closed:
        a, step = ball.best_in_ball()
        ball.attain(step)
        ball.refine(a)
    return BestLinearised(ball.low, ball.high * (1.0 + ball.error), ball.coefficients)


class _Step(NamedTuple):
    """A step in the ball: what it adds to the margins (n,), its coefficients (L + 1, n), the error of a loss after it.

    The error is relative, and 0 unless it is more than `_Ball.error`.
    """

    added: Array
    coefficients: Array
    doubt: float


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


class _Ball:
    """The concave dual problem of `best_linearised_loss`, with its sign turned, and what is known of the least loss.

    `norms` are those of the features in each layer, (L + 1, n); `longest` is what a step of length `radius` in each
    layer adds to a margin at most. Margins are off by some roundings of the terms they are the sum of, and so are
    losses, relatively: by `error`. `coefficients` attain the upper end `high`.
    """

    def __init__(self, K: Array, margins: Array, radius: float) -> None:
        self.K, self.margins, self.radius = K, margins, radius
        self.norms: Array = np.sqrt(K.diagonal(axis1=1, axis2=2))
        self.longest = radius * float(self.norms.sum(axis=0).max())
        roundings = (len(K) + margins.size + 8) * EPS
        self.error = roundings * (1.0 + float(np.abs(margins).max()) + self.longest)
        self.bounds: list[tuple[float, float]] = []
        self.high, self.coefficients = _loss(margins), np.zeros(K.shape[:2])

    @property
    def low(self) -> float:
        """The best of the lower bounds; each is off by some roundings of terms that weigh as much as its g."""
        least = max(self.high, LEAST_LOSS)
        return float(max(bound - self.error * max(least, weight) for bound, weight in self.bounds))

    @property
    def closed(self) -> bool:
        return self.high * (1.0 + self.error) - self.low <= CLOSED * self.high + LEAST_LOSS

    def attain(self, step: _Step) -> Array:
        """Try the best part of a step; returns the margins after it."""
        part = _best_part(self.margins, step.added)
        reached = np.asarray(self.margins + part * step.added)
        high = _loss(reached) * (1.0 + step.doubt)
        if high < self.high:
            self.high, self.coefficients = high, part * step.coefficients
        return reached

    def refine(self, a: Array) -> None:
        """Try g = 1/(1 + exp(a)) and the step it gives.

        The margins after the step make a better lower bound than the a it came from, as long as that is rough.
        """
        for _ in range(3):
            self.bounds.append((self.bound(a), float(np.mean(expit(-a)))))
            a = self.attain(self.step(a))

    def _square_errors(self, g: Array) -> Array:
        """What the g^T K_l g are off by, for g of either sign: (L + 1,)."""
        errors: Array = (g.shape[-1] + 4) * EPS * np.sum(self.norms * np.abs(g), axis=-1) ** 2
        return errors

    def _sums(self, g: Array) -> tuple[Array, Array]:
        """K_l g and the norms sqrt(g^T K_l g), never 0: larger ones weaken both bounds, as they stay bounds."""
        products = self.K @ g
        least = np.square(LEAST_NORM * (self.norms * g).max(axis=1)) + np.finfo(float).tiny
        return products, np.sqrt(np.maximum(products @ g, least))

    def step(self, a: Array) -> _Step:
        """The step that g = 1/(1 + exp(a)) gives."""
        shares = _shares(a)
        products, norms = self._sums(shares)
        step = self.radius / norms[:, np.newaxis]
        return self.inside(step * products, step * shares)

    def inside(self, terms: Array, coefficients: Array) -> _Step:
        """The step that adds sum_l terms_l to the margins, shortened in layers where it might leave the ball."""
        squares = np.sum(terms * coefficients, axis=1) + self._square_errors(coefficients)
        lengths = np.sqrt(np.maximum(squares, 0.0)) / self.radius
        part = np.minimum((1.0 + OUTSIDE) / np.maximum(lengths, 1.0), 1.0)
        coefficients = part[:, np.newaxis] * coefficients
        added = np.sum(np.abs(self.K) @ np.abs(coefficients)[..., np.newaxis], axis=0).max()
        doubt = 0.5 * (len(self.K) + self.margins.size + 4) * EPS * (float(np.abs(self.margins).max()) + float(added))
        doubt += (max(float(np.max(part * lengths)), 1.0) - 1.0) * self.longest
        step = np.asarray(np.sum(part[:, np.newaxis] * terms, axis=0))
        return _Step(step, coefficients, doubt if doubt > self.error else 0.0)

    def bound(self, a: Array) -> float:
        """The dual function, less what the norms are off by if that is more than `error`."""
        g, shares = expit(-a), _shares(a)
        _, norms = self._sums(shares)
        doubt = float(np.sum(np.hypot(norms, np.sqrt(self._square_errors(shares))) - norms))
        doubt *= self.radius * g.max() / g.size
        return -self.value(a) - (doubt if doubt > self.error * g.mean() else 0.0)

    def best_in_ball(self) -> tuple[Array, _Step]:
        """The margins after the best step in the ball, and that step."""
        size = self.margins.size
        # No g^T K_l g is off by more than this share of sum_s g_s^2 K_l,ss: inside of the ball whatever the rounding.
        share = size * (size + 4) * EPS
        features, inverses = [], []
        for K, norms in zip(self.K, self.norms, strict=True):
            squares, vectors = np.linalg.eigh(np.divide(K, np.outer(norms, norms), out=np.eye(size), where=K != 0.0))
            squares = np.maximum(squares, 0.0)
            inverses.append(self.radius * vectors / np.sqrt(squares + share))
            features.append(norms[:, np.newaxis] * inverses[-1] * squares)
        points = least_in_unit_balls(features, self.margins)
        terms = np.array([F @ u for F, u in zip(features, points, strict=True)])
        coefficients = np.array([inverse @ u for inverse, u in zip(inverses, points, strict=True)])
        coefficients = np.divide(coefficients, self.norms, out=np.zeros_like(coefficients), where=self.norms > 0.0)
        return self.margins + np.sum(terms, axis=0), self.inside(terms, coefficients)

    def value(self, a: Array) -> float:
        """The negative dual function."""
        g = expit(-a)
        _, norms = self._sums(_shares(a))
        # Not by log(1 - g), which is 0 where g is below 1e-16.
        entropy = g * np.logaddexp(0.0, a) + expit(a) * np.logaddexp(0.0, -a)
        return -float(np.sum(entropy) - g @ self.margins - self.radius * g.max() * norms.sum()) / int(g.size)

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
            try:
                step = np.linalg.solve(np.eye(a.size) + self.radius * curvature * slopes, residual)
            except np.linalg.LinAlgError:
                # Features cancel to rounding, and 1 is lost beside the second derivatives of their norm.
                break
            size = 1.0
            while not (moved := self.value(a - size * step)) <= value and size > 1e-9:
                size *= 0.5
            if size <= 1e-9:
                break
            gained, a, value = value - moved, a - size * step, moved
            if gained <= EPS * abs(value):
                break
        return a


def linearisation_error(net: Network, base: Network, X: npt.ArrayLike) -> Array:
    """|f_V(x_s) - f_W(x_s) - <grad f_W(x_s), V - W>|, W the `base`, of the shape of the outputs (Definition D.4)."""
    return np.abs(forward(net, X).output - linearised(base, forward(base, X), net))

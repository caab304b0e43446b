"""Smooth networks with losses far below the smallest double: margins and gradients with enclosures.

Main definitions: `BallInstance`, a network with a loss below a threshold, from `small_network`, which takes a
`NearRankOne`, and from `two_block_chain`; `gradient_alignment`, what Lemmas 4.5 and B.18 are about; `gradient_step`.

A loss of n^-(1 + 24 L) is 1e-13 for one hidden layer and three samples and 1e-916 for eighty layers: losses are balls
here, and handed on as fractions. The network is f(x) = phi(... phi(x V_1) ...) V_{L+1}.
"""

import itertools
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.optimize import brentq

from bounds.arithmetic.balls import precision_of
from nets import Array, DataError
from properties.chatterji2021.ball_members import MEMBER_BITS, MEMBERS_IN_BALLS, activation
from properties.shared import ball_pass
from properties.shared.ball_activations import Ball, Phi
from properties.shared.ball_ends import double_above, fraction_above
from properties.shared.ball_pass import norm
from theory.claims import choices, reals

# Scaling a network to a loss needs no more than doubles do, and converges as fast as outputs are near homogeneous.
SCALING = 64
SCALINGS = 8
LARGEST_SCALE = 4.0
SETTLED = 1e-3
# Relative error of an operator norm of a few rows in doubles, with room.
NORM_ERROR = 1e-14
# Logarithm of how much a bent activation may take off the output of a chain.
LARGEST_LIFT = 50.0
# A loss this much below the threshold, in its logarithm and relative to it.
JUST_BELOW = 1e-6


# ------------------------------------------------------------------------- instances


@dataclass(frozen=True, eq=False)
class BallInstance:
    """Weights in doubles, samples X (n, p) of norm one up to rounding, labels y, and the activation."""

    weights: tuple[Array, ...]
    X: Array
    y: Array
    phi: Phi

    @property
    def net(self) -> ball_pass.BallNetwork:
        """The network of these weights, exactly."""
        return ball_pass.layered([ball_pass.Matrix(V.tolist()) for V in self.weights], self.phi)


def log_threshold(L: int, n: int) -> float:
    """log(1/J) at the loss that the lemmas ask to undercut."""
    return (1 + 24 * L) * math.log(n)


def largest_h(L: int, m: int, log_loss: float, total: float) -> float:
    """h_max of (3a) at the loss exp(-log_loss), which may be below every double, and the norm `total`."""
    log_h = (L / 2 - 3) * math.log(L) + math.log(log_loss) - math.log(24.0 * math.sqrt(m)) - L * math.log(total)
    return math.exp(min(log_h, 0.0))


class NearRankOne(NamedTuple):
    """What a search chooses of a network near one of rank one in every layer.

    `name` says which activation, `share` is h over h_max, but for h at most 1, and `excess` how far log(1/J) is above
    its threshold, relative to it. `noise` is how far the weights are off rank one, `tilt` the imbalance of the layers,
    and `bend` where the activation "bent" begins to bend, as a share of the least pre-activation. `turn` is how far two
    samples are off the direction in which the network looks, on opposite sides and as a share of a right angle: their
    gradients still add up to that direction, while all other samples, less far off, count among the n and add nothing
    to the gradient.
    """

    name: str
    share: float
    excess: float
    noise: float
    turn: float
    tilt: float
    bend: float


# Of rank one, and the layers alike: an assignment to what a `NearRankOne` has beside its activation and h.
RANK_ONE = {"excess": JUST_BELOW, "noise": 0.0, "turn": 0.0, "tilt": 0.0, "bend": 0.5}


def near_rank_one(shares: Any, names: Sequence[str] = MEMBERS_IN_BALLS) -> dict[str, Any]:
    """What a regime needs to hand a `NearRankOne` to a claim as `drawn`; `shares` are those of h_max."""
    return {
        "draw": {
            "name": choices(*names),
            "share": shares,
            "excess": reals(JUST_BELOW, 1.0, logarithmic=True),
            "noise": reals(0.0, 1.0),
            "turn": reals(0.0, 0.99),
            "tilt": reals(-1.0, 1.0),
            "bend": reals(0.01, 0.8, logarithmic=True),
        },
        "built": {"drawn": (NearRankOne, NearRankOne._fields)},
    }


def small_network(rng: Generator, L: int, m: int, n: int, drawn: NearRankOne) -> BallInstance:
    """The network of width m drawn, scaled so that log(1/J) is its threshold and the excess.

    Raises `DataError` for a single sample, which has none on the other side.
    """
    if n < 2:
        raise DataError(f"{n} sample is asked for, and none beside it: ask for two at least")
    name, share, excess, noise, turn, tilt, bend = drawn
    directions = [_unit(np.ones(m) + noise * rng.standard_normal(m)) for _ in range(L + 1)]
    weights = [np.outer(a, b) for a, b in itertools.pairwise(directions)] + [directions[-1][:, np.newaxis]]
    weights = [
        math.exp(tilt * (2 * layer / L - 1)) * (V + noise * rng.standard_normal(V.shape) / m)
        for layer, V in enumerate(weights)
    ]
    aside = [_unit(row - (row @ directions[0]) * directions[0]) for row in rng.standard_normal((n, m))]
    aside[1] = -aside[0]
    angles = 0.5 * math.pi * turn * np.array([1.0, 1.0] + [noise] * (n - 2))
    X = np.array([math.cos(a) * directions[0] + math.sin(a) * row for a, row in zip(angles, aside, strict=True)])
    # Not above 1 by rounding, where a norm of exactly 1 is no double: Lemma B.5 is attained.
    X = X / np.linalg.norm(X, axis=1, keepdims=True) * (1.0 if m == 1 else 1.0 - 2.0**-50)
    # Where the activation answers to negative arguments. "bent" does not bend there: at noise 0 all samples do.
    if name == "identity" or (name == "bent" and noise > 0.0):
        X = X * rng.choice([-1.0, 1.0], (n, 1))
    weights[-1] = weights[-1] * rng.choice([-1.0, 1.0])
    target = (1.0 + excess) * log_threshold(L, n)
    phi, y, scale = activation("identity", 1.0), np.ones(n), math.inf
    with precision_of(SCALING):
        for _ in range(SCALINGS):
            net = BallInstance(tuple(weights), X, y, phi).net
            least = min(abs(float(z.mid())) for pre in ball_pass.forward(net, X).pre for z in pre.entries())
            h = min(1.0, share * largest_h(L, m, target, float(norm(net.weights).mid())))
            phi = activation(name, h, bend * least)
            found = ball_pass.forward(ball_pass.layered(net.weights, phi), X)
            y = np.array([1.0 if f > 0 else -1.0 for f in found.output])
            log_loss = -float(ball_pass.mean(ball_pass.logistic_losses(found, y)).log().mid())
            scale = min(LARGEST_SCALE, (target / log_loss) ** (1.0 / (L + 1)))
            weights = [scale * V for V in weights]
    if abs(scale - 1.0) > SETTLED:
        # A sample that no neuron sees keeps the loss up for ever. With a total norm of 1 it is near log(2), which the
        # premises leave out.
        total = math.hypot(*(float(np.linalg.norm(V)) for V in weights))
        weights = [V / total for V in weights]
    return BallInstance(tuple(weights), X, y, phi)


def _unit(row: Array) -> Array:
    size = float(np.linalg.norm(row))
    return row / size if size > 0.0 else row


def two_block_chain(
    L: int, n: int, lower: float, weak: float, share: float, excess: float, bend: float, large: float = 0.0
) -> BallInstance:
    """One neuron per layer and one sample, at 1: equal weights below some layer, and larger ones from there on.

    A share `lower` of the layers has the weight `weak`, the others one that makes log(1/J) (1 + excess) times its
    threshold. With `large` it is these that are given: 1 + `large` times what makes the total norm sqrt(e L), and the
    weaker ones follow. The activation bends down at the share `bend` of the least pre-activation that linear layers
    would have. All samples being alike, the loss and its gradient are those of n copies. Raises `DataError` where the
    largest h, or where the activation bends, is no double.
    """
    block = min(L - 1, max(1, round(lower * L)))
    target = (1.0 + excess) * log_threshold(L, n)
    strong = (1.0 + large) * math.sqrt(math.e * L / (L + 1 - block))

    def chain(lift: float) -> tuple[float, float, float, float]:
        """Weights for which linear layers put out exp(lift) target, and the h and kink that go with them."""
        log_output = math.log(target) + lift
        if large:
            low, high = math.exp((log_output - (L + 1 - block) * math.log(strong)) / block), strong
        else:
            low, high = weak, math.exp((log_output - block * math.log(weak)) / (L + 1 - block))
        total = math.hypot(low * math.sqrt(block), high * math.sqrt(L + 1 - block))
        h, kink = share * largest_h(L, 1, target, total), bend * low**block
        if min(h, kink if bend else h) < sys.float_info.min:
            raise DataError(f"chains of {L} layers have an h or a bend that no double is: ask for fewer layers")
        return low, high, h, kink

    def excess_output(lift: float) -> float:
        low, high, h, kink = chain(lift)
        end = math.hypot(kink, h)
        last = 1.0 - h / (kink + end)
        output = 1.0
        for layer in range(L):
            z = (low if layer < block else high) * output
            output = last * z + 0.5 * h if z > end else z - max(z - kink, 0.0) ** 2 / (2.0 * h)
        return math.log(output * high / target)

    # phi(z) <= z, so that the output is no larger than that of linear layers; where none of these reaches the target
    # the loss is left too large, and the premises say so.
    reached = excess_output(LARGEST_LIFT) > 0.0 > excess_output(0.0)
    lift = brentq(excess_output, 0.0, LARGEST_LIFT, rtol=1e-12) if reached else 0.0
    low, high, h, kink = chain(lift)
    weights = [low] * block + [high] * (L + 1 - block)
    return BallInstance(
        tuple(np.array([[weight]]) for weight in weights), np.ones((1, 1)), np.ones(1), activation("bent", h, kink)
    )


# ------------------------------------------------------------------------- what is measured


def one_sample_chain(L: int, first: float, rest: float, h: float, name: str = "identity") -> BallInstance:
    """Scalar layers, the first with one weight and the others with another, on one sample; linear unless named else."""
    weights = tuple(np.array([[weight]]) for weight in [first] + [rest] * L)
    return BallInstance(weights, np.ones((1, 1)), np.ones(1), activation(name, h))


@dataclass(frozen=True, eq=False)
class DescentStep:
    """A gradient step of one network: what it takes off the loss, ||grad J||, ||V||, J and the step size."""

    decrease: Ball
    gradient: Ball
    norm: Ball
    loss: Ball
    size: float


def gradient_step(
    instance: BallInstance, size: Callable[[float, float], float], sign: int = 1, hidden: bool = False
) -> DescentStep:
    """A step of length `size(J, ||V||)` against the gradient, or along it; with `hidden` in the hidden layers alone.

    The loss after the step is that of the exact new weights: nothing is lost in a difference of 1e-50 of it.
    """
    with precision_of(MEMBER_BITS):
        net, y = instance.net, instance.y
        found = ball_pass.forward(net, instance.X)
        loss, total = ball_pass.mean(ball_pass.logistic_losses(found, y)), norm(net.weights)
        slopes = ball_pass.gradients(
            net, found, ball_pass.backward(net, found), ball_pass.logistic_coefficients(found, y)
        )
        length = size(float(fraction_above(loss)), double_above(total))
        moved = net.descended(slopes, sign * length)
        if hidden:
            moved = net.with_weights((*moved.weights[:-1], net.v))
        after = ball_pass.mean(ball_pass.logistic_losses(ball_pass.forward(moved, instance.X), y))
        return DescentStep(loss - after, norm(slopes), total, loss, length)


@dataclass(frozen=True, eq=False)
class Alignment:
    """Gradient and weights of an instance, all balls.

    Attributes
    ----------
    constant : ||grad J|| ||V||/(J log(1/J)), at least L + 3/4 by Lemma 4.5
    shortfalls : per hidden layer the mean of the margins less <grad_l f, V_l> of a label, weighted by g: by Lemma B.18
        at most its error term
    symbols : h, J, ||V||, and J_1, ||V^(1)|| of the same values
    """

    constant: Ball
    shortfalls: tuple[Ball, ...]
    symbols: dict[str, Any]


def gradient_alignment(instance: BallInstance, hidden: bool = False) -> Alignment:
    """The quantities of Lemmas 4.5 and B.18 at the first iterate, where the last premise of both is an equality.

    That premise says log(1/J_1)/||V^(1)||^L <= log(1/J_t)/||V^(t)||^L, so that later iterates allow no larger h.
    J and ||V|| are rounded upwards, which makes h_max smaller and an admissible loss inadmissible, if anything. With
    `hidden` the gradient is that in the hidden layers alone.
    """
    with precision_of(MEMBER_BITS):
        net, y = instance.net, instance.y
        found = ball_pass.forward(net, instance.X)
        loss = ball_pass.mean(ball_pass.logistic_losses(found, y))
        total = norm(net.weights)
        weights = ball_pass.logistic_weights(found, y)
        b = ball_pass.backward(net, found)
        slopes = ball_pass.gradients(net, found, b, ball_pass.logistic_coefficients(found, y))
        constant = norm(slopes[: -1 if hidden else None]) * total / (loss * (1 / loss).log())
        share = [int(label) * g / sum(weights, Ball(0)) for label, g in zip(y, weights, strict=True)]
        margin = _dot(share, found.output)
        shortfalls = []
        for z, gradient in zip(found.pre, b, strict=False):
            rows = zip(_rows(z), _rows(gradient), strict=True)
            shortfalls.append(margin - _dot(share, [_dot(*pair) for pair in rows]))
        small, size = fraction_above(loss), double_above(total)
    symbols = {"h": instance.phi.h, "J": small, "J1": small, "normV": size, "normV1": size}
    return Alignment(constant, tuple(shortfalls), symbols)


def _dot(one: Sequence[Ball], other: Sequence[Ball]) -> Ball:
    return sum((a * b for a, b in zip(one, other, strict=True)), Ball(0))


def _rows(M: ball_pass.Matrix) -> list[list[Ball]]:
    return list(M.tolist())


def suffix_sums(weights: Sequence[Array]) -> Array:
    """Per hidden layer l the sum over k >= l of the products of the operator norms above layer k, rounded upwards."""
    norms = [float(np.linalg.norm(V, 2)) for V in weights[:0:-1]]
    sums: Array = np.cumsum(np.cumprod(norms))[::-1]
    return sums * (1.0 + NORM_ERROR * len(weights))

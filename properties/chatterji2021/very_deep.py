"""Scalar networks so deep that weights below one shrink the features: where the second invariant fails.

Main definition: `Deep`, a first iterate with hundreds of layers of width one that meets every hypothesis of the theorem
on descent from a small loss, with one gradient step in ball arithmetic.

All points are alike, so there is one feature per layer. The first layers shrink it, the later ones let it grow to the
output that the loss asks for. The activation is the identity up to a knee below the smallest pre-activation, and bends
downwards there as fast and as far as Definition 2.1 allows: every layer takes h/2 off its feature, of which the many
layers above make the most they can. Their norms being near one, that is more than Lemma B.6 says.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bounds.arithmetic.balls import certainly_le, precision_of
from nets.data.distances import DataError
from properties.chatterji2021.carried_paths import AGREEMENT
from properties.shared.ball_activations import Ball, Phi, ValueAndSlope
from properties.shared.ball_pass import (
    Matrix,
    backward,
    forward,
    gradients,
    layered,
    logistic_coefficients,
    logistic_losses,
    norm,
)

# At 800 layers the longest step allowed changes the weights in their 3600th digit.
DEEPEST_BITS = 13_000

# The output over the least one that the loss allows, and h over h_max.
EXCESS, BEND = 1.0005, 0.999
ROUNDS = 60
# The one sample, and in its row the label.
UNIT_SAMPLE = np.ones((1, 1))
# Of what the definition of an activation allows, kept for the rounding of knots and slopes.
ROUNDING_RESERVE = 1.0 - 1e-6


class FirstStep(NamedTuple):
    """||V|| and log J before and after a step, and Q tilde without its power of the logarithm."""

    norm: Ball
    log_loss: Ball
    norm_after: Ball
    log_after: Ball
    factor: Ball


@dataclass(frozen=True)
class Deep:
    """Weights `small` in the first `shrinking` of L + 1 layers and `large` in the others; n samples.

    The activation has slope 1 up to `knee` and `slope` from `end` on.
    """

    L: int
    n: int
    shrinking: int
    small: float
    large: float
    h: float
    knee: float
    end: float
    slope: float

    @classmethod
    def find(cls, L: int, n: int, share: float, least: float) -> Deep:
        """A share of all layers makes the feature as small as `least`, up to what the knee takes.

        The scale of the later layers, h and the knee are iterated until output and h are as wanted. Raises ValueError
        unless some hidden layer shrinks the feature, `DataError` where h is no double or the rounds do not suffice.
        """
        shrinking = round(share * L)
        if not 0 < shrinking <= L:
            raise ValueError(f"{shrinking} of {L} layers shrink the feature: choose a share from one to all")
        small = least ** (1.0 / shrinking)
        wanted = EXCESS * (1 + 24 * L) * math.log(n)
        growing = L + 1 - shrinking
        large = math.exp((math.log(wanted) - shrinking * math.log(small)) / growing)
        found = cls(L, n, shrinking, small, large, 0.0, 0.0, 0.0, 1.0)
        for _ in range(ROUNDS):
            pre, output = found.forward()
            if abs(output / wanted - 1.0) < AGREEMENT and abs(found.widest * BEND / (found.h or 1.0) - 1.0) < AGREEMENT:
                return found
            large *= math.exp(math.log(wanted / output) / growing)
            h, knee = BEND * found.widest, 0.99 * min(pre)
            if h == 0.0:
                break
            end = knee + h * h / (knee + math.hypot(knee, h))
            drop = ROUNDING_RESERVE * min((end - knee) / h, h / (knee + end))
            found = cls(L, n, shrinking, small, large, h, knee, end, 1.0 - drop)
        raise DataError(
            f"no network of {L} layers was found for the share {share} and features of {least}: take fewer layers"
        )

    @property
    def weights(self) -> list[float]:
        """Of all L + 1 layers."""
        return [self.small] * self.shrinking + [self.large] * (self.L + 1 - self.shrinking)

    def forward(self) -> tuple[list[float], float]:
        """Pre-activations, all taken to be above the knee, and the output."""
        pre, feature, middle = [], 1.0, 0.5 * (self.knee + self.end)
        for v in self.weights[:-1]:
            pre.append(feature * v)
            feature = pre[-1] - (1.0 - self.slope) * (pre[-1] - middle)
        return pre, feature * self.large

    @property
    def widest(self) -> float:
        """h_max; log(1/J_1) is the output here, to more digits than there are."""
        norm = math.sqrt(sum(v * v for v in self.weights))
        size = (self.L / 2 - 3) * math.log(self.L) + math.log(self.forward()[1] / 24) - self.L * math.log(norm)
        return min(1.0, math.exp(size))

    @cached_property
    def slopes(self) -> list[float]:
        """Derivatives of the output in all weights."""
        pre, _ = self.forward()
        middle, back = 0.5 * (self.knee + self.end), [1.0]
        for v in self.weights[:0:-1]:
            back.append(back[-1] * v * self.slope)
        features = [1.0, *(u - (1.0 - self.slope) * (u - middle) for u in pre)]
        return [x * b for x, b in zip(features, reversed(back), strict=True)]

    @cached_property
    def squares(self) -> tuple[float, float]:
        """Of the norms of the weights and of those derivatives."""
        return sum(v * v for v in self.weights), sum(g * g for g in self.slopes)

    def quotient(self) -> float:
        """Growth of log ||V|| over that of log log(1/J), in a short step: <-G, V> J log(1/J)/(||V|| ||G||)^2.

        G is the gradient of J.
        """
        along = sum(g * v for g, v in zip(self.slopes, self.weights, strict=True))
        return along * self.forward()[1] / math.prod(self.squares)

    def rate_share(self, power: float) -> float:
        """Q tilde over J_1/J_2 - 1, in a short step, with that power of log(1/J_1) in Q tilde for 2/L."""
        factor = self.L * (self.L + 0.75) ** 2 / (self.L + 0.5)
        return factor * self.forward()[1] ** power / math.prod(self.squares)

    @cached_property
    def first_step(self) -> FirstStep | None:
        """One step half as long as allowed, in balls; None unless every hypothesis certainly holds."""
        with precision_of(DEEPEST_BITS):
            end, h, drop = Ball(self.end), Ball(self.h), 1 - Ball(self.slope)
            middle = (Ball(self.knee) + end) / 2

            def pieces(u: Ball) -> ValueAndSlope:
                """NaN where a pre-activation may be below the end of the knee."""
                return (u - drop * (u - middle), 1 - drop) if u > end else (Ball.nan(), Ball.nan())

            net = layered([Matrix([[v]]) for v in self.weights], Phi(self.h, pieces))
            found = forward(net, UNIT_SAMPLE)
            (loss,) = logistic_losses(found, UNIT_SAMPLE[0])
            total, log_loss, depth = norm(net.weights), loss.log(), Ball(self.L)
            allowed = h / (1024 * (depth + 1) ** 2 * loss * total ** (3 * self.L + 5))
            step = Ball((allowed / 2).mid())
            factor = depth * (depth + 0.75) ** 2 * step * loss / ((depth + 0.5) * total**2)
            hypotheses = (
                certainly_le(log_loss, -(1 + 24 * depth) * Ball(self.n).log()),
                certainly_le(24 * h * total**self.L, depth ** (depth / 2 - 3) * -log_loss),
                certainly_le(h, Ball(1)),
                # Slopes fall by at most 1/h per unit, and phi'(z) z - phi(z) is -drop times the middle of the knots.
                certainly_le(drop * h, end - self.knee),
                certainly_le(2 * drop * middle, h),
                certainly_le(Ball(0), drop),
                certainly_le(step, allowed),
                certainly_le(2 * factor * (-log_loss) ** (2 / depth), Ball(1)),
            )
            if not all(hypotheses):
                return None
            slopes = gradients(net, found, backward(net, found), logistic_coefficients(found, UNIT_SAMPLE[0]))
            after = net.descended(slopes, step)
            (loss_after,) = logistic_losses(forward(after, UNIT_SAMPLE), UNIT_SAMPLE[0])
            return FirstStep(total, log_loss, norm(after.weights), loss_after.log(), factor)

    def quotient_ball(self) -> Ball:
        """What `quotient` is in the true step; NaN without one."""
        with precision_of(DEEPEST_BITS):
            s = self.first_step
            return (s.norm_after / s.norm).log() / (s.log_after / s.log_loss).log() if s else Ball.nan()

    def rate_share_ball(self, power: float) -> Ball:
        """What `rate_share` is in the true step; NaN without one."""
        with precision_of(DEEPEST_BITS):
            s = self.first_step
            if s is None:
                return Ball.nan()
            return s.factor * (-s.log_loss) ** Ball(power) / (s.log_loss - s.log_after).expm1()

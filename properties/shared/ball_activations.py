"""Activations in ball arithmetic: value and slope at all numbers of a ball.

Main definitions: `Phi`; `ball_form`, that of an activation of `nets`; `of_pieces`, of linear and quadratic pieces
(`Piece`), and `piecewise`, of any.

A ball that reaches into several pieces gets the union of all of them, so that a kink whose side is not known widens
what follows and never alters it. What is no number stays none.
"""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import flint

from bounds.arithmetic.balls import DOUBLE_BITS, precision_of
from nets.networks.activations import Activation

Ball: TypeAlias = flint.arb
ValueAndSlope: TypeAlias = tuple[Ball, Ball]


@dataclass(frozen=True)
class Phi:
    """An activation, its h of Definition 2.1 or 0; `pieces(z)` gives phi(z) and phi'(z), z a ball."""

    h: float
    pieces: Callable[[Ball], ValueAndSlope]


class Piece(NamedTuple):
    """constant + slope z + bend z^2 from the end of the piece before up to `end`, for h = 1; dyadic numbers."""

    end: float
    constant: float
    slope: float
    bend: float


ZERO, ONE = Ball(0), Ball(1)
HUBERISED_RELU = (Piece(0.0, 0.0, 0.0, 0.0), Piece(1.0, 0.0, 0.0, 0.5), Piece(math.inf, -0.5, 1.0, 0.0))


def ball_form(activation: Activation) -> Phi:
    """An activation of `nets` by its name, its parameters taken as the numbers they are; Swish over 11/10 exactly.

    Raises ValueError for one that is not of `nets`, whose functions of arrays say nothing of balls.
    """
    if activation.name == "relu":
        return Phi(0.0, _relu)
    if activation.name == "identity":
        return Phi(0.0, _identity)
    if activation.name == "leaky_relu":
        slope, scale = map(Ball, activation.parameters)
        return Phi(0.0, functools.partial(_leaky, slope, scale))
    if activation.name == "huberised_relu":
        return of_pieces(HUBERISED_RELU, activation.h)
    if activation.name == "scaled_swish":
        return swish(activation.h)
    raise ValueError(f"the activation {activation.name!r} has no form in balls: pass one under its name in `forms`")


def of_pieces(pieces: Sequence[Piece], h: float) -> Phi:
    """The activation h phi(z/h), phi being given by its pieces."""
    size = Ball(h)
    rows = [tuple(map(Ball, piece[1:])) for piece in pieces]
    with precision_of(2 * DOUBLE_BITS):
        ends = [size * piece.end for piece in pieces[:-1]]

    def branch(row: tuple[Ball, ...], z: Ball) -> ValueAndSlope:
        constant, slope, bend = row
        return size * constant + z * (slope + bend * z / size), slope + 2 * bend * z / size

    branches = [functools.partial(branch, row) for row in rows]
    return Phi(h, lambda z: piecewise(z, ends, branches))


def swish(h: float) -> Phi:
    """z/(1.1 (1 + exp(-2z/h)))."""
    return Phi(h, functools.partial(_swish, Ball(h)))


def piecewise(z: Ball, ends: Sequence[Ball], branches: Sequence[Callable[[Ball], ValueAndSlope]]) -> ValueAndSlope:
    """Branches that meet at some points, or the union of those that the ball reaches into; NaN at NaN."""
    if z.is_nan():
        return z, z
    last = len(ends)
    reached = [
        branch(z)
        for k, branch in enumerate(branches)
        if not ((k > 0 and z < ends[k - 1]) or (k < last and z > ends[k]))
    ]
    value, slope = reached[0]
    for other, other_slope in reached[1:]:
        value, slope = value.union(other), slope.union(other_slope)
    return value, slope


def _relu(z: Ball) -> ValueAndSlope:
    """At 0 the slope from the left, as in `nets`."""
    if z > ZERO:
        return z, ONE
    if z <= ZERO:
        return ZERO, ZERO
    return (z, z) if z.is_nan() else (z.union(ZERO), ZERO.union(ONE))


def _leaky(slope: Ball, scale: Ball, z: Ball) -> ValueAndSlope:
    """scale * (relu(z) - slope * relu(-z)): one of the two is 0 where the sign is known."""
    above, gate = _relu(z)
    below, _ = _relu(-z)
    return scale * (above - slope * below), scale * (gate + slope * (1 - gate))


def _identity(z: Ball) -> ValueAndSlope:
    return z, z if z.is_nan() else ONE


def _swish(h: Ball, z: Ball) -> ValueAndSlope:
    share = _sigmoid(2 * z / h)
    if share.is_nan():
        # Of a wide ball the sum may reach 0; from the ends, as a sigmoid is monotone.
        share = _sigmoid((2 * z / h).lower()).union(_sigmoid((2 * z / h).upper()))
    return z * share * 10 / 11, (share + 2 * z / h * share * (1 - share)) * 10 / 11


def _sigmoid(t: Ball) -> Ball:
    return 1 / (1 + (-t).exp())

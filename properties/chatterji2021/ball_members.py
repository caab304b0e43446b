"""The members of Definition 2.1 of chatterji2021 in ball arithmetic.

Main definitions: `activation`, which gives a `Phi` by name. Beside members of `smooth_members` there is "bent", which
begins to bend downwards wherever one likes; with that place at 0 it is the saturating one, and at 3/4 h the one that is
bent down there. That it is a member for every place, and that all values are those of their definitions in exact
algebra, is part of the claim on Definition 2.1.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import flint

from bounds.arithmetic.balls import precision_of
from properties.chatterji2021.smooth_members import PIECES

Ball: TypeAlias = flint.arb
ValueAndSlope: TypeAlias = tuple[Ball, Ball]

# Chains of some hundred layers lose that many bits at most; the margins then still have more than a double.
PRECISION = 320

NAMES = ("identity", "huberised_relu", "scaled_swish", "bent")


@dataclass(frozen=True)
class Phi:
    """A member of Definition 2.1 for this h; `pieces(z)` gives phi(z) and phi'(z), z a ball."""

    h: float
    pieces: Callable[[Ball], ValueAndSlope]


def activation(name: str, h: float, kink: float = 0.0) -> Phi:
    """A member by name; `kink` is where the one called "bent" begins to bend downwards.

    "bent" is z up to `kink` = a, loses slope at rate 1/h up to the root of a^2 + h^2, and goes on with the slope it
    then has: from there on phi'(z) z - phi(z) is -h/2, the least that the definition allows.
    """
    if name in PIECES:
        return Phi(h, _of_pieces(name, Ball(h)))
    if name == "scaled_swish":
        return Phi(h, functools.partial(_swish, Ball(h)))
    if name == "bent":
        return Phi(h, _bent(Ball(h), Ball(kink)))
    raise ValueError(f"there is no activation {name!r}: choose one of {', '.join([*PIECES, *NAMES[2:]])}")


def _of_pieces(name: str, h: Ball) -> Callable[[Ball], ValueAndSlope]:
    rows = [tuple(map(Ball, piece[1:])) for piece in PIECES[name]]
    with precision_of(PRECISION):
        ends = [h * piece.end for piece in PIECES[name][:-1]]

    def branch(row: tuple[Ball, ...], z: Ball) -> ValueAndSlope:
        constant, slope, bend = row
        return h * constant + z * (slope + bend * z / h), slope + 2 * bend * z / h

    branches = [functools.partial(branch, row) for row in rows]
    return lambda z: _piecewise(z, ends, branches)


def _swish(h: Ball, z: Ball) -> ValueAndSlope:
    share = 1 / (1 + (-2 * z / h).exp())
    return z * share * 10 / 11, (share + 2 * z / h * share * (1 - share)) * 10 / 11


def _bent(h: Ball, begin: Ball) -> Callable[[Ball], ValueAndSlope]:
    """Not of pieces: a h of 1e-90 would be lost in differences of powers of `begin`."""
    with precision_of(PRECISION):
        loss_of_slope = h / (begin + (begin * begin + h * h).sqrt())
        end, last = begin + loss_of_slope * h, 1 - loss_of_slope
    branches = (
        lambda z: (z, Ball(1)),
        lambda z: (z - (z - begin) ** 2 / (2 * h), 1 - (z - begin) / h),
        lambda z: (last * z + h / 2, last),
    )
    return lambda z: _piecewise(z, (begin, end), branches)


def _piecewise(z: Ball, ends: Sequence[Ball], branches: Sequence[Callable[[Ball], ValueAndSlope]]) -> ValueAndSlope:
    """Branches that meet at some points, or the union of those that the ball reaches into."""
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

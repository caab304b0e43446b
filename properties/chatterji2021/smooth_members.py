"""Activations that meet Definition 2.1 of chatterji2021, in float64 for networks and in exact arithmetic.

Main definitions: `MEMBER_PIECES`, the one definition of all members but Swish; `MEMBERS`, whose makers take h;
`exact_member`, their values and slopes at numbers of any kind; `knots`, where their slopes bend.

Beside the two of the paper there are the identity and some that no rectifier resembles: one odd and flat at zero, one
that bends downwards to a constant, and one that bends downwards to the slope 1/2. The claim on Definition 2.1 decides
that they belong to it, and that their values in floats and in balls are those of `MEMBER_PIECES`.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import mpmath
import numpy as np
import numpy.typing as npt

from nets import Activation, Array, custom_activation, huberised_relu, scaled_swish
from properties.shared.ball_activations import HUBERISED_RELU, Piece

_END = math.inf

MEMBER_PIECES: dict[str, tuple[Piece, ...]] = {
    "huberised_relu": HUBERISED_RELU,
    "identity": (Piece(_END, 0.0, 1.0, 0.0),),
    "odd and flat at zero": (
        Piece(-1.0, 0.5, 1.0, 0.0),
        Piece(0.0, 0.0, 0.0, -0.5),
        Piece(1.0, 0.0, 0.0, 0.5),
        Piece(_END, -0.5, 1.0, 0.0),
    ),
    "saturating": (Piece(0.0, 0.0, 1.0, 0.0), Piece(1.0, 0.0, 1.0, -0.5), Piece(_END, 0.5, 0.0, 0.0)),
    "bent down at 3/4": (Piece(0.75, 0.0, 1.0, 0.0), Piece(1.25, -0.28125, 1.75, -0.5), Piece(_END, 0.5, 0.5, 0.0)),
}


def _places(pieces: tuple[Piece, ...], z: Array, side: npt.ArrayLike = -1.0) -> Array:
    """The piece each entry lies in, at a kink the left one where side < 0."""
    ends = np.array([piece.end for piece in pieces[:-1]])
    left, right = np.searchsorted(ends, z, side="left"), np.searchsorted(ends, z, side="right")
    return np.where(np.asarray(side) < 0.0, left, right)


def _value(name: str, h: float, pre: Array) -> Array:
    rows, z = np.array(MEMBER_PIECES[name]), pre / h
    _, constant, slope, bend = rows[_places(MEMBER_PIECES[name], z)].transpose(2, 0, 1)
    # The part that is linear in z must not pass through z/h, which would cost a rounding.
    return h * constant + slope * pre + bend * z * pre


def _slope(name: str, h: float, pre: Array) -> Array:
    rows, z = np.array(MEMBER_PIECES[name]), pre / h
    _, _, slope, bend = rows[_places(MEMBER_PIECES[name], z)].transpose(2, 0, 1)
    return slope + 2.0 * bend * z


def _curvature(name: str, h: float, pre: Array, side: Array) -> Array:
    rows = np.array(MEMBER_PIECES[name])
    return 2.0 * rows[_places(MEMBER_PIECES[name], pre / h, side)][:, :, 3] / h


def _by_rules(name: str, h: float) -> Activation:
    """The member of that name by rules of numpy, with the curvature on either side of its bends."""
    rules = (partial(_value, name, h), partial(_slope, name, h), partial(_curvature, name, h))
    return custom_activation(name, *rules, h=h, bends=(h * piece.end for piece in MEMBER_PIECES[name][:-1]))


MEMBERS: dict[str, Callable[[float], Activation]] = {
    "huberised_relu": huberised_relu,
    "scaled_swish": scaled_swish,
    **{name: partial(_by_rules, name) for name in MEMBER_PIECES if name != "huberised_relu"},
}


def knots(name: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """For h = 1, points between which the slope is linear, and the slopes there; beyond them it is constant."""
    pieces = MEMBER_PIECES[name]
    ends = tuple(piece.end for piece in pieces[:-1]) or (0.0,)
    return ends, tuple(piece.slope + 2.0 * piece.bend * end for piece, end in zip(pieces, ends, strict=False))


def exact_member(name: str, h: Any, z: Any, divisor: Any = None) -> tuple[Any, Any]:
    """phi(z) and phi'(z) in the arithmetic of h and z: fractions, or numbers of mpmath, which Swish asks for.

    `divisor` replaces the 11/10 of the scaled Swish.
    """
    if name == "scaled_swish":
        scale = mpmath.mpf(11) / 10 if divisor is None else divisor
        e = mpmath.exp(-abs(2 * z / h))
        near, far = 1 / (1 + e), e / (1 + e)
        share = near if z >= 0 else far
        return z * share / scale, (share + 2 * z / h * near * far) / scale
    piece = next(piece for piece in MEMBER_PIECES[name] if piece.end == _END or z <= h * _as(z, piece.end))
    constant, slope, bend = (_as(z, number) for number in piece[1:])
    return h * constant + slope * z + bend * z * z / h, slope + 2 * bend * z / h


def _as(z: Any, number: float) -> Any:
    """A dyadic number in the arithmetic of z."""
    return type(z)(number)

"""The members of Definition 2.1 of chatterji2021 in ball arithmetic.

Main definitions: `activation`, which gives a `Phi` by name. Beside members of `smooth_members` there is "bent", which
begins to bend downwards wherever one likes; with that place at 0 it is the saturating one, and at 3/4 h the one that is
bent down there. That it is a member for every place, and that all values are those of their definitions in exact
algebra, is part of the claim on Definition 2.1.
"""

from bounds.arithmetic.balls import precision_of
from properties.chatterji2021.smooth_members import MEMBER_PIECES
from properties.shared.ball_activations import Ball, Phi, of_pieces, piecewise, swish

# Chains of some hundred layers lose that many bits at most; the margins then still have more than a double.
MEMBER_BITS = 320

MEMBERS_IN_BALLS = ("identity", "huberised_relu", "scaled_swish", "bent")


def activation(name: str, h: float, kink: float = 0.0) -> Phi:
    """A member by name; `kink` is where the one called "bent" begins to bend downwards.

    "bent" is z up to `kink` = a, loses slope at rate 1/h up to the root of a^2 + h^2, and goes on with the slope it
    then has: from there on phi'(z) z - phi(z) is -h/2, the least that the definition allows.
    """
    if name in MEMBER_PIECES:
        return of_pieces(MEMBER_PIECES[name], h)
    if name == "scaled_swish":
        return swish(h)
    if name == "bent":
        return _bent(h, Ball(kink))
    raise ValueError(
        f"there is no activation {name!r}: choose one of {', '.join([*MEMBER_PIECES, *MEMBERS_IN_BALLS[2:]])}"
    )


def _bent(size: float, begin: Ball) -> Phi:
    """Not of pieces: a h of 1e-90 would be lost in differences of powers of `begin`."""
    h = Ball(size)
    with precision_of(MEMBER_BITS):
        loss_of_slope = h / (begin + (begin * begin + h * h).sqrt())
        end, last = begin + loss_of_slope * h, 1 - loss_of_slope
    branches = (
        lambda z: (z, Ball(1)),
        lambda z: (z - (z - begin) ** 2 / (2 * h), 1 - (z - begin) / h),
        lambda z: (last * z + h / 2, last),
    )
    return Phi(size, lambda z: piecewise(z, (begin, end), branches))

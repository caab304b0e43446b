"""chatterji2021 on activations: Definition 2.1, what it admits, and the two examples.

Main claims: `members` (Definition 2.1), `huberised` (equation (1)) and `swish` (the second example). All is decided on
the whole line, in exact algebra and ball arithmetic. The members are those that the claims on networks draw from.
"""

import functools
import math
from collections.abc import Sequence

import flint
import numpy as np
import sympy
from sympy import Piecewise, Rational

from bounds import Bound, Decision, all_of, at_least, is_nonnegative, is_positive, is_zero, precision_of, symbol
from bounds.papers import chatterji2021 as sheet
from nets.networks.piecewise_slopes import piecewise_quadratic
from properties.chatterji2021.ball_members import MEMBER_BITS, activation
from properties.chatterji2021.ball_members import MEMBERS_IN_BALLS as BALL_NAMES
from properties.chatterji2021.definition_2_1 import (
    Supremum,
    check_activation,
    huberised_relu,
    scaled_swish,
    smallest_h,
    supremum,
)
from properties.chatterji2021.smooth_members import MEMBER_PIECES, knots
from properties.chatterji2021.smooth_members import MEMBERS as FLOATS
from properties.shared.places import nowhere_violated
from theory.claims import Regime, claim, control, grid
from theory.evidence import Proof, Step

h = symbol("h")
Z = sympy.Symbol("z", real=True)
SMOOTHINGS = (Rational(1, 3), sympy.Integer(7))

DIVISOR = Rational(11, 10)


def _symbolic(name: str) -> sympy.Expr:
    """A member of `MEMBER_PIECES` for h = 1, in exact algebra: all its numbers are dyadic."""
    rows = []
    for piece in MEMBER_PIECES[name]:
        constant, slope, bend = map(Rational, piece[1:])
        rows.append((constant + slope * Z + bend * Z**2, True if piece.end == math.inf else Rational(piece.end) >= Z))
    return Piecewise(*rows)


# Members for h = 1, but for Swish. Two bend downwards, so that phi'(z) z - phi(z) is -1/2.
MEMBERS: dict[str, sympy.Expr] = {
    "zero": sympy.S.Zero,
    "negation": -Z,
    **{name: _symbolic(name) for name in MEMBER_PIECES},
}

# The place where "bent" begins to bend downwards. At 0 it is the saturating member.
A = sympy.Symbol("a", positive=True)
BEND_ENDS = sympy.sqrt(A**2 + h**2)


@functools.lru_cache(maxsize=64)
def _fits(phi: sympy.Expr, smoothing: sympy.Expr) -> bool | None:
    """Whether phi meets Definition 2.1 with this h."""
    return check_activation(phi, smoothing).holds


@functools.lru_cache(maxsize=64)
def _largest(expression: sympy.Expr) -> Supremum:
    """The supremum of an absolute value, found once for a claim and its controls."""
    return supremum(expression)


def _at(bound: Bound, smoothing: sympy.Expr) -> sympy.Expr:
    return bound.expr.subs(h, smoothing)


def _gap(phi: sympy.Expr) -> sympy.Expr:
    """phi'(z) z - phi(z), piece by piece."""
    return sympy.piecewise_fold(sympy.diff(phi, Z) * Z - phi)


@claim(
    "chatterji2021:def-2.1",
    bound="h/2",
    premises="none needed: only h > 0 is asked, and h scales out of all five conditions",
    measured=["h"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: members that bend up or down attain all three bounds"),
    controls=[
        control("gap at most 2h/5", bound="2*h/5"),
        control("ReLU itself, with a kink", added=[Piecewise((0, Z < 0), (Z, True))]),
        control("slope 1.001", added=[Rational(1001, 1000) * Z]),
        control("not zero at zero", added=[Z + Rational(1, 1000)]),
        control("bend of length 0.999", added=[huberised_relu(Rational(999, 1000), Z)]),
        control("bend downwards until the slope is zero", bend_ends=A + h),
        control("floats with a bend of length 0.999", shrunk=0.999),
    ],
    note="not asked is that it rectifies. The seven at h = 1: 0, z, -z, (1), z|z|/2 to |z| = 1 then straight, and z "
    "less (z - a)^2/2 beyond a: a = 0 to slope 0, a = 3/4 to slope 1/2",
    scope="part: seven activations that meet it",
)
def members(
    bound: Bound, *, added: Sequence[sympy.Expr] = (), bend_ends: sympy.Expr = BEND_ENDS, shrunk: float = 1.0
) -> list[Step]:
    """Seven phi, at h = 1: differentiable, phi(0) = 0, |phi'| <= 1, phi' 1/h-Lipschitz, gap within the bound.

    The gap is sup |phi'(z) z - phi(z)|. They are 0, z, -z and four that bend up or down; one bent at any a > 0 too, for
    any h, by hand. Then the members in floats and in balls against those in exact algebra.
    """
    extra = {f"added: {phi}": phi for phi in added}
    steps = []
    for name, phi in (MEMBERS | extra).items():
        steps.append(Step(f"{name} is 1-smoothly approximately ReLU", _fits(phi, sympy.S.One)))
        if name in MEMBERS:
            steps.append(Step(f"{name}: gap within the bound", _largest(_gap(phi)).at_most(_at(bound, sympy.S.One))))
    # Beyond its bend the Huberised ReLU is z - h/2.
    steps.append(nowhere_violated(Bound(bound.expr - h / 2), [{"h": 1e-3}, {"h": 1e3}]))
    steps += _bent_anywhere(bound, bend_ends)
    steps += [Step(f"{name}: floats are these values", _floats_agree(name, shrunk)) for name in FLOATS]
    in_balls = dict.fromkeys([*MEMBER_PIECES, *BALL_NAMES])
    steps += [Step(f"{name}: balls are these values", _balls_agree(name)) for name in in_balls]
    return steps


def _bent(ends: sympy.Expr = BEND_ENDS) -> tuple[sympy.Expr, sympy.Expr]:
    """Inside the bend from a to `ends`, where z loses slope at the rate 1/h, and beyond, with the slope left then."""
    inside = Z - (Z - A) ** 2 / (2 * h)
    return inside, inside.subs(Z, ends) + (1 - (ends - A) / h) * (Z - ends)


def _bent_anywhere(bound: Bound, ends: sympy.Expr) -> list[Step]:
    """The conditions, for any h and a > 0, for z up to a, bent from there to `ends`; at zero it is zero."""
    inside, beyond = _bent(ends)
    slope, last = sympy.diff(inside, Z), sympy.diff(beyond, Z)
    gap, far = slope * Z - inside, last * Z - beyond
    joined = [inside.subs(Z, A) - A, slope.subs(Z, A) - 1, (beyond - inside).subs(Z, ends), last - slope.subs(Z, ends)]
    closed = [gap + (Z**2 - A**2) / (2 * h), far - gap.subs(Z, ends)]
    reach, rate = sympy.expand(ends**2 - A**2), sheet.def_2_1_lipschitz.expr
    return [
        Step("bent at a: values and slopes meet at both ends", _zero(*joined)),
        Step("bent at a: the slope falls from 1 at the rate 1/h", _zero(sympy.diff(slope, Z) + rate)),
        Step("bent at a: the bend ends after it begins", is_positive(reach)),
        Step("bent at a: and no later than at a + h, where the slope is zero", _nonnegative((A + h) ** 2 - ends**2)),
        Step("bent at a: the gap is -(z^2 - a^2)/(2h), and beyond as at the end", _zero(*closed)),
        Step("bent at a: gap within the bound", _nonnegative(2 * h * bound.expr - reach)),
    ]


@functools.lru_cache(maxsize=64)
def _zero(*differences: sympy.Expr) -> Decision | None:
    return all_of(is_zero(difference) for difference in differences) or None


def _nonnegative(expression: sympy.Expr) -> Decision:
    return is_nonnegative(sympy.expand(expression))


# In multiples of h: in and between all bends, at their ends, and far away.
PLACES = (-37.0, -3.0, -1.0, -0.625, 0.0, 0.25, 0.75, 0.875, 1.0, 1.125, 1.25, 3.0, 37.0)
# The h of floats, and for bends anywhere h and a for which all is rational: 3, 4, 5; 8, 15, 17 and 5, 12, 13.
FLOAT_SMOOTHINGS = (1.0, 2.0**-20)
TRIPLES = ((4.0, 3.0), (1.0, 0.75), (8.0, 15.0), (5.0, 12.0), (0.5, 0.0))
# Of values for h = 1: some roundings of the largest, and far less than any rounding of a double.
FLOAT_ERROR, BALL_ERROR = 1e-14, 1e-60


@functools.lru_cache(maxsize=64)
def _derivative(name: str, order: int) -> sympy.Expr:
    return sympy.diff(scaled_swish(1, Z) if name == "scaled_swish" else MEMBERS[name], Z, order)


@functools.lru_cache(maxsize=256)
def _true(name: str, place: float, order: int) -> flint.arb:
    """A member, or a derivative of it, for h = 1: to 80 digits."""
    return _digits(_derivative(name, order).subs(Z, Rational(place)))


def _digits(number: sympy.Expr) -> flint.arb:
    with precision_of(MEMBER_BITS):
        return flint.arb(str(sympy.N(number, 80)))


def _near(found: float | flint.arb, true: flint.arb, error: float) -> bool:
    with precision_of(MEMBER_BITS):
        return bool(abs(flint.arb(found) - true) <= error)


@functools.lru_cache(maxsize=64)
def _floats_agree(name: str, shrunk: float) -> bool:
    """Values, slopes and, on both sides, second derivatives; and the rule that descent takes, of knots and slopes."""
    agree = True
    for smoothing in FLOAT_SMOOTHINGS:
        phi = FLOATS[name](shrunk * smoothing)
        forms = [phi]
        if name in MEMBER_PIECES:
            places, slopes = knots(name)
            forms.append(piecewise_quadratic("knots", smoothing, tuple(smoothing * place for place in places), slopes))
        z = smoothing * np.array(PLACES)
        found = [
            (PLACES, k, scale * each)
            for form in forms
            for k, (scale, each) in enumerate(zip((1.0 / smoothing, 1.0), form.value_and_slope(z), strict=True))
        ]
        for side in (-1.0, 1.0):
            # A kink has no second derivative: it is taken next to it.
            beside = tuple(np.array(PLACES) + side * 2.0**-10 * np.isin(z, phi.bends))
            found.append((beside, 2, smoothing * phi.curvature(z, side)))
        for where, order, numbers in found:
            pairs = zip(where, numbers, strict=True)
            agree &= all(_near(float(number), _true(name, float(at), order), FLOAT_ERROR) for at, number in pairs)
    return agree


@functools.lru_cache(maxsize=64)
def _balls_agree(name: str) -> bool:
    """Values and slopes; for "bent" with bends at several places."""
    cases = TRIPLES if name == "bent" else ((1.0, 0.0),)
    for smoothing, kink in cases:
        at = {A: Rational(kink), h: Rational(smoothing)}
        phi = activation(name, smoothing, kink)
        for place in PLACES:
            z = kink + smoothing * place
            if name == "bent":
                inside, beyond = (part.subs(at) for part in _bent())
                form = Z if z <= kink else inside if Rational(z) <= BEND_ENDS.subs(at) else beyond
                true = [_digits(sympy.diff(form, Z, k).subs(Z, Rational(z))) for k in (0, 1)]
            else:
                true = [_true(name, place, k) for k in (0, 1)]
            with precision_of(MEMBER_BITS):
                found = phi.pieces(flint.arb(z))
            if not all(_near(*pair, BALL_ERROR) for pair in zip(found, true, strict=True)):
                return False
    return True


@claim(
    "chatterji2021:ex-huber",
    bound="h/2",
    premises="none needed: only h > 0 is asked, and what holds for one h holds for all",
    measured=["h"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: the definition holds for this h and for no other"),
    controls=[
        control("gap at most 2h/5", bound="2*h/5"),
        control("bend twice as long", stretch=sympy.Integer(2)),
        control("bend half as long", stretch=Rational(1, 2)),
        control("z^2/h inside the bend", factor=sympy.Integer(2)),
    ],
)
def huberised(bound: Bound, *, stretch: sympy.Expr = sympy.S.One, factor: sympy.Expr = sympy.S.One) -> list[Step]:
    """With phi 0 up to 0, z^2/(2h) to h, z - h/2 beyond: phi' z - phi and max(0, z) - phi are in [0, h/2] at every z.

    For h = 1/3 and 7; Definition 2.1 holds with this h and no other.
    """
    steps = []
    for smoothing in SMOOTHINGS:
        bend, limit = stretch * smoothing, _at(bound, smoothing)
        below, inside, above = 0, factor * Z**2 / (2 * bend), Z - bend / 2
        phi = Piecewise((below, Z < 0), (inside, bend >= Z), (above, True))
        lag = Piecewise((0, Z < 0), (Z - inside, bend >= Z), (bend / 2, True))
        reported = smallest_h(phi)
        only = (reported.smallest.exact, reported.largest.exact) == (smoothing, smoothing)
        steps += [
            Step(f"Definition 2.1 holds for h = {smoothing}", _fits(phi, smoothing)),
            Step("and for no other h", only or None),
            Step("phi'(z) z - phi(z) within the bound", _largest(_gap(phi)).at_most(limit)),
            Step("max(0, z) - phi(z) within the bound", _largest(lag).at_most(limit)),
            Step(
                "and neither is negative, phi being convex",
                all_of([at_least(bend, inside.subs(Z, bend)), at_least(sympy.diff(inside, Z, 2), 0, strict=True)]),
            ),
        ]
    return steps


@claim(
    "chatterji2021:ex-swish",
    # z s'(z) + s(z) for the sigmoid s is largest at 2.39936, where it is 1.09984.
    bound="99986/100000",
    premises="none needed: only h > 0 is asked, and Swish for h is Swish for 1 scaled",
    regime=Regime(cells=grid()),
    evidence=Proof(margin="0.00014 of the slope, 1/11 of the Lipschitz constant, 0.6 of the gap"),
    controls=[
        control("slope at most 0.99985", bound="99985/100000"),
        control("scaled down by 1.09", divisor=Rational(109, 100)),
        control("sigmoid of 4z/h", steepness=4),
    ],
)
def swish(bound: Bound, *, divisor: sympy.Expr = DIVISOR, steepness: int = 2) -> list[Step]:
    """The largest |phi'| of z/(1.1 (1 + exp(-2 z/h))), h = 1, 1 asked; |phi''| <= 10/11, |phi' z - phi| <= 1/5."""
    phi = Z / (1 + sympy.exp(-steepness * Z)) / divisor
    slope = sympy.diff(phi, Z)
    largest, curvature, gap = _largest(slope), _largest(sympy.diff(slope, Z)), _largest(_gap(phi))
    same = bool(phi == scaled_swish(1, Z))
    return [
        Step("it is the activation of the paper", same or None),
        Step("phi(0) = 0", is_zero(phi.subs(Z, 0))),
        Step("|phi'| at most 1", largest.at_most(sympy.S.One)),
        Step("|phi'| within the bound", largest.at_most(bound.expr)),
        Step("|phi''| at most 10/(11 h)", curvature.at_most(Rational(10, 11))),
        Step("|phi'(z) z - phi(z)| at most 0.2 h", gap.at_most(Rational(1, 5))),
    ]

"""chatterji2021 on activations: Definition 2.1, what it admits, and the two examples.

Main claims: `members` (Definition 2.1), `huberised` (equation (1)) and `swish` (the second example). All is decided on
the whole line, in exact algebra and ball arithmetic. The definition scales: what holds for one h holds for all.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import sympy
from sympy import Piecewise, Rational

from bounds import chatterji2021 as sheet
from bounds.activation import Supremum, check_activation, huberised_relu, scaled_swish, smallest_h, supremum
from bounds.bound import Bound
from bounds.formula import formula
from bounds.symbols import symbol
from theory.claim import claim, control
from theory.evidence import Proof, Step
from theory.regime import Regime, grid

h = symbol("h")
Z = sympy.Symbol("z", real=True)
SMOOTHINGS = (Rational(1, 3), sympy.Integer(7))

DIVISOR = Rational(11, 10)
BEND_BEGINS, BEND_ENDS = Rational(3, 4), Rational(5, 4)

# Members for h = 1 that no rectifier resembles. The last two bend downwards, so that phi'(z) z - phi(z) is -1/2.
MEMBERS: dict[str, sympy.Expr] = {
    "zero": sympy.S.Zero,
    "identity": Z,
    "negation": -Z,
    "huberised ReLU": huberised_relu(1, Z),
    "odd, flat at zero": Piecewise(
        (Z + Rational(1, 2), Z < -1), (-(Z**2) / 2, Z < 0), (Z**2 / 2, Z <= 1), (Z - Rational(1, 2), True)
    ),
    "saturating": Piecewise((Z, Z < 0), (Z - Z**2 / 2, Z <= 1), (Rational(1, 2), True)),
    "bent down at 3/4": Piecewise(
        (Z, BEND_BEGINS > Z),
        (Z - (Z - BEND_BEGINS) ** 2 / 2, BEND_ENDS >= Z),
        (Z / 2 + Rational(1, 2), True),
    ),
}


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
    bound=sheet.def_2_1_gap,
    measured=["h"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: members that bend up or down attain all three bounds"),
    controls=[
        control("gap at most 2h/5", bound=formula("2*h/5")),
        control("ReLU itself, with a kink", added=[Piecewise((0, Z < 0), (Z, True))]),
        control("slope 1.001", added=[Rational(1001, 1000) * Z]),
        control("not zero at zero", added=[Z + Rational(1, 1000)]),
        control("bend of length 0.999", added=[huberised_relu(Rational(999, 1000), Z)]),
    ],
    note="the definition says how fast slopes change and how far from homogeneous phi may be, not that it rectifies",
)
def members(bound: Bound, *, added: Sequence[sympy.Expr] = ()) -> list[Step]:
    """Each member against all five conditions, and its gap against the bound, for h = 1."""
    extra = {f"added: {phi}": phi for phi in added}
    steps = []
    for name, phi in (MEMBERS | extra).items():
        steps.append(Step(f"{name} is 1-smoothly approximately ReLU", _fits(phi, sympy.S.One)))
        if name in MEMBERS:
            steps.append(Step(f"{name}: gap within the bound", _largest(_gap(phi)).at_most(_at(bound, sympy.S.One))))
    return steps


@claim(
    "chatterji2021:ex-huber",
    bound=sheet.ex_huber_gap,
    measured=["h"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: the definition holds for this h and for no other"),
    controls=[
        control("gap at most 2h/5", bound=formula("2*h/5")),
        control("bend twice as long", stretch=sympy.Integer(2)),
        control("bend half as long", stretch=Rational(1, 2)),
        control("z^2/h inside the bend", factor=sympy.Integer(2)),
    ],
)
def huberised(bound: Bound, *, stretch: sympy.Expr = sympy.S.One, factor: sympy.Expr = sympy.S.One) -> list[Step]:
    """The definition for two h, its one h, the gap, and max(0, z) - h/2 <= phi(z) <= max(0, z)."""
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
                bool(inside.subs(Z, bend) <= bend) and bool(sympy.diff(inside, Z, 2) > 0),
            ),
        ]
    return steps


@claim(
    "chatterji2021:ex-swish",
    bound=sheet.ex_swish_slope,
    regime=Regime(cells=grid()),
    evidence=Proof(margin="0.00014 of the slope, 1/11 of the Lipschitz constant, 0.6 of the gap"),
    controls=[
        control("slope at most 0.99985", bound=formula("99985/100000")),
        control("scaled down by 1.09", divisor=Rational(109, 100)),
        control("sigmoid of 4z/h", steepness=4),
    ],
)
def swish(bound: Bound, *, divisor: sympy.Expr = DIVISOR, steepness: int = 2) -> list[Step]:
    """The conditions of the definition for h = 1: the slope in balls, the Lipschitz constant exactly, at zero."""
    phi = Z / (1 + sympy.exp(-steepness * Z)) / divisor
    slope = sympy.diff(phi, Z)
    largest, curvature, gap = _largest(slope), _largest(sympy.diff(slope, Z)), _largest(_gap(phi))
    same = bool(phi == scaled_swish(1, Z))
    return [
        Step("it is the activation of the paper", same or None),
        Step("phi(0) = 0", phi.subs(Z, 0) == 0),
        Step("|phi'| at most 1", largest.at_most(_at(sheet.def_2_1_slope, sympy.S.One))),
        Step("|phi'| within the bound", largest.at_most(bound.expr)),
        Step("|phi''| at most 10/(11 h)", curvature.at_most(_at(sheet.ex_swish_lipschitz, sympy.S.One))),
        Step("|phi'(z) z - phi(z)| at most 0.2 h", gap.at_most(_at(sheet.ex_swish_gap, sympy.S.One))),
    ]

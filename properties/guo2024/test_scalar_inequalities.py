"""guo2024: inequalities between numbers, among them what the rate bound says of the slope.

Main claims: `jump_of_the_slope` (Section 4.1) and `best_slope_of_the_rate_bound` (Corollary 3.3). Both are about the
bound alone: which slope trains fastest is a question of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Rational

from bounds.bound import Bound
from bounds.formula import formula
from bounds.papers import guo2024 as sheet
from bounds.symbols import symbol
from properties.shared.places import nowhere_violated
from theory.claim import claim, control
from theory.evidence import Proof, Step
from theory.regime import Regime, grid

slope = symbol("slope")
JUMP = (1 - slope) / sympy.sqrt(1 + slope**2)

# Slopes below 1: those of the experiments, beyond -1, close to -1 from both sides, and towards both ends.
SLOPES = tuple(
    map(Rational, ("-100", "-10", "-2", "-1.01", "-1", "-0.99", "-1/2", "0", "1/20", "1/2", "9/10", "0.999"))
)


@claim(
    "guo2024:claim-derivative-gap",
    bound=sheet.claim_derivative_gap.reads("sqrt(2)"),
    premises=[sheet.slope_below_one],
    measured=["slope"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: attained at -1"),
    controls=[
        control("a hundredth less", bound=formula("sqrt(2) - 1/100")),
        control("divided by 1 + |slope|, not by the root", jump=2 * (1 - slope) / (1 + sympy.Abs(slope))),
        control("not rescaled", jump=1 - slope),
    ],
    blind={f"premise {sheet.slope_below_one.text}": "the inequality is true of every slope; at -1 it is attained"},
)
def jump_of_the_slope(bound: Bound, *, jump: sympy.Expr = JUMP) -> list[Step]:
    """The jump of the rescaled derivative at 0 against the bound, and that it equals the bound at -1 alone."""
    gap = Bound(bound.expr - jump)
    # Both sides are nonnegative below 1, so that their squares may be compared.
    rest = sympy.factor(sympy.simplify((bound.expr**2 - jump**2) * (1 + slope**2)))
    return [
        nowhere_violated(gap, [{"slope": value} for value in SLOPES]),
        Step("the difference of the squares, times 1 + slope^2, is (1 + slope)^2", rest == (1 + slope) ** 2 or None),
        Step("it is attained at -1", bool(sympy.simplify(bound.expr - jump.subs(slope, -1)) == 0) or None),
    ]


def _signs(derivative: sympy.Expr, minimiser: Rational, places: Sequence[Rational]) -> bool:
    """Whether the derivative is negative at the places below the minimiser and positive at those above."""
    values = [(place, derivative.subs(slope, place)) for place in places if place != minimiser]
    return all(bool(value < 0) if place < minimiser else bool(value > 0) for place, value in values)


@claim(
    "guo2024:corollary-3.3",
    bound=sheet.corollary_3_3.reads("(1 - slope)**2/(1 + slope**2)"),
    premises=[sheet.slope_below_one],
    measured=["slope"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: equalities and signs"),
    controls=[
        control("not squared", bound=formula("(1 - slope)/(1 + slope**2)")),
        control("the sign of the slope turned", bound=formula("(1 + slope)**2/(1 + slope**2)")),
        control("not rescaled", bound=formula("(1 - slope)**2")),
        control(
            "slopes above 1, where it rises again", beyond=(Rational(3), Rational(10)), without=sheet.slope_below_one
        ),
    ],
    note="a statement about the bound on the rate: it is least where this factor is largest",
)
def best_slope_of_the_rate_bound(bound: Bound, *, beyond: tuple[Rational, ...] = ()) -> list[Step]:
    """The factor f(slope) by which the rate bound falls below 1: it is largest at -1, with the values of the paper."""
    factor = bound.expr
    derivative = sympy.diff(factor, slope)
    values = {value: factor.subs(slope, value) for value in (-1, 0, 1)}
    closed = sympy.simplify(derivative - 2 * (slope**2 - 1) / (1 + slope**2) ** 2)
    inverse = sympy.simplify(factor - factor.subs(slope, 1 / slope))
    ends = [sympy.limit(factor, slope, end) for end in (sympy.oo, -sympy.oo)]
    return [
        Step(
            "falls up to -1's right and rises to its left, at each place",
            _signs(-derivative, Rational(-1), [*SLOPES, *beyond]),
        ),
        Step("2, 1 and 0 at -1, 0 and 1", list(values.values()) == [2, 1, 0]),
        Step("tends to 1 at both ends", ends == [1, 1]),
        Step(
            "the derivative is 2 (slope^2 - 1)/(1 + slope^2)^2, of one sign on either side of -1", closed == 0 or None
        ),
        Step("the same at a slope and at its inverse", inverse == 0 or None),
    ]

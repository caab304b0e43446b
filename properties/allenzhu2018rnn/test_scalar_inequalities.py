"""allenzhu2018rnn: inequalities between numbers.

Main claim: `drift_against_fluctuation` (Appendix I).
"""

from __future__ import annotations

import sympy
from sympy import Rational

from bounds.bound import Bound
from bounds.formula import formula
from bounds.papers import allenzhu2018rnn as sheet
from bounds.symbols import symbol
from theory.claim import claim, control
from theory.evidence import Proof, Step
from theory.regime import Regime, grid

a, b, t = map(symbol, ("a", "b", "t"))


@claim(
    "allenzhu2018rnn:scalar-I",
    bound=sheet.scalar_I.reads("a**2/b**2"),
    premises="none needed: a and b are any positive numbers and t any that is not negative",
    measured=["a", "b", "t"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: attained at t = (a/b^2)^2"),
    controls=[
        control("a hundredth less", bound=formula("99/100*a**2/b**2")),
        control("b, and not its square", bound=formula("a**2/b")),
        control("twice the fluctuation", fluctuation=4),
        control("half of the drift", drift=Rational(1, 2)),
    ],
)
def drift_against_fluctuation(bound: Bound, *, fluctuation: sympy.Expr = 2, drift: sympy.Expr = 1) -> list[Step]:
    """The number 2 a sqrt(t) - b^2 t, a fluctuation less a drift, against the bound for every t."""
    root = sympy.Symbol("root", nonnegative=True)
    value = fluctuation * a * root - drift * b**2 * root**2
    gap = sympy.expand(bound.expr - value)
    # A parabola in the root of t: it is nowhere negative where its discriminant is not positive.
    rest = sympy.discriminant(gap, root)
    places = [(p, q, r) for p in (Rational(1, 2), 1, 3) for q in (Rational(1, 3), 1, 2) for r in (0, 1, p / q**2)]
    known = all(bool(gap.subs({a: p, b: q, root: r}) >= 0) for p, q, r in places)
    return [
        Step(f"true in exact arithmetic at {len(places)} places, the maximisers among them", known),
        Step("its discriminant in the root of t is zero", sympy.simplify(rest) == 0 or None),
    ]

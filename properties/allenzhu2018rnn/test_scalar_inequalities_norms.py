"""allenzhu2018rnn: inequalities between numbers on which the norms along time lean.

Main claims: `closed_form_of_the_recursion` (end of the proof of Lemma B.3), `constants_of_the_induction` (Lemma B.6).
"""

import sympy as sp
from sympy import Rational

from bounds import Bound, all_of, at_least, is_positive, no_negative_coefficient, nonnegative, symbol
from theory.claims import Regime, claim, control, grid
from theory.evidence import Proof, Step

L, l, m = map(symbol, ("L", "l", "m"))  # noqa: E741


@claim(
    "allenzhu2018rnn:scalar-B.3",
    bound="2*l + 4",
    premises="none needed: l is any integer from 0 to L, and L any integer from 1 on",
    measured=["l"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="2 at the least, for l = L = 1 and l = L = 2"),
    controls=[
        control("slope 1", bound="l + 4"),
        control("2 l + 1", bound="2*l + 1"),
        control("growth by 1 + 2/L", growth=2),
        control("a second input at each time", inputs=2),
    ],
    note="the display starts from ||h_0||, which is 0, and puts 1: one of the inputs is counted twice",
)
def closed_form_of_the_recursion(bound: Bound, *, growth: int = 1, inputs: int = 1) -> list[Step]:
    """The power (1 + 1/L)^l plus the sum of (1 + 1/L)^i for i = 1..l against the bound, for all l <= L."""
    q, power = 1 + growth / L, sp.Symbol("power", positive=True)
    value = power + inputs * q * (power - 1) / (q - 1)
    gap = bound.expr - value
    known = [gap.subs(power, q**l).subs({L: p, l: k}) for p in (1, 2, 3, 10, 200) for k in {0, 1, p // 2, p}]
    # The power q^l is convex in l, and its factor is negative: the gap is concave in l, least at 0 or at L. There q^L
    # is at most e to the growth.
    factor = sp.simplify(-sp.diff(gap, power))
    s = sp.Symbol("s", nonnegative=True)
    end = sp.Poly(sp.expand(sp.simplify(gap.subs(power, sp.E**growth).subs(l, L)).subs(L, 2 + s)), s)
    return [
        Step(f"true in exact arithmetic at {len(known)} places", all_of(at_least(value, 0) for value in known)),
        Step("what multiplies the power is positive", is_positive(factor.subs(L, 1 + s))),
        Step("at l = 0", at_least(gap.subs({power: 1, l: 0}), 0)),
        Step("at l = L = 1", at_least(gap.subs(power, q).subs({l: 1, L: 1}), 0)),
        Step("at l = L from 2 on, with e in place of (1 + 1/L)^L", no_negative_coefficient(end.as_expr(), s)),
    ]


@claim(
    "allenzhu2018rnn:scalar-B.6",
    bound=">= 1/(2*10**6*L**2*log(m)**3)",
    premises="none needed: L is any number from 1 on and m any width from 2 on",
    measured=["L", "m"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="a third: xi_L is at least 3/4 less 2 alpha L of xi_0"),
    controls=[
        control("xi_L within a fifth of xi_0", bound="4/(5*10**6*L**2*log(m)**3)"),
        control("L in place of its square", bound="1/(2*10**6*L*log(m)**3)"),
        control("twice it, the log squared", bound="1/(10**6*L**2*log(m)**2)"),
        control("alpha ten times as large", times=10),
        control("error alpha^(3/2) with the factor 3", error=Rational(3, 1)),
    ],
    note="alpha^(3/2)/2, which the proof of Lemma B.7 leaves, fits as well as the alpha^(3/2)/4 of its statement",
)
def constants_of_the_induction(bound: Bound, *, times: sp.Expr = 1, error: sp.Expr = sp.S.Half) -> list[Step]:
    """The number xi_L, xi_l = xi_0 (1 - 2 alpha - 1/(4 L))^l; and xi_l <= c_5 alpha, alpha^(3/2)/2 <= xi_(l-1)/(4 L).

    xi_0 is 1/(10^6 L^2 log(m)^3), alpha 1/(2 10^4 L^2 log(m)^2), c_5 1/(16 log m), for all L >= 1 and widths m >= 2.
    """
    x = sp.Symbol("x", positive=True)
    start = 1 / (10**6 * L**2 * x**3)
    level = times / (2 * 10**4 * L**2 * x**2)
    c5 = 1 / (16 * x)
    # Bernoulli: (1 - 2 alpha - 1/(4L))^L >= 1 - L (2 alpha + 1/(4L)), least at L = 1 and m = 2.
    least = Rational(3, 4) - 2 * (L * level).subs(L, 1)
    y = sp.Symbol("y", positive=True)
    share = least.subs(x, 1 / y)
    widest = Rational(10, 6)  # above 1/log(2), where m = 2
    claimed = bound.expr.subs(sp.log(m), x).subs(m, sp.exp(x))
    ratio = sp.simplify(claimed / start)
    powers = [sp.simplify(v * sp.diff(ratio, v) / ratio) for v in (L, x)]
    most = ratio.subs({L: 1, x: sp.log(2)}) if all(p.is_number and p <= 0 for p in powers) else None
    kept = start * (1 - 2 * level - 1 / (4 * L)) ** L - claimed
    places = [{L: k, x: sp.log(width)} for k in (1, 10, 1000) for width in (2, 10**3, 10**9)]
    return [
        Step(
            "Bernoulli applies: 2 alpha + 1/(4L) <= 1", at_least(Rational(3, 4), 2 * level.subs({L: 1, x: 1 / widest}))
        ),
        Step(f"true at {len(places)} places", all_of(at_least(kept.subs(place), 0) for place in places)),
        Step("the share of xi_0 that is claimed is largest at L = 1 and width 2", True if most is not None else None),
        Step("xi_L is at least that", None if most is None else nonnegative(share - most, y, 0, widest)),
        Step("xi_l <= c_5 alpha", at_least(1, start / (c5 * level))),
        Step(
            "the error is at most xi_(l-1)/(4L)",
            nonnegative(share / 4 - error * sp.simplify(level ** Rational(3, 2) * L / start), y, 0, widest),
        ),
    ]

"""zou2018: inequalities between numbers that its proofs lean on.

Main claims: `chord_above_exponential` (proof of Corollary A.5) and `difference_quotient` (Lemma C.1).
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import flint
import sympy
from hypothesis import strategies as st
from sympy import Rational, exp, log

from bounds import zou2018 as sheet
from bounds.balls import certainly_le, precision_of
from bounds.bound import Bound
from bounds.formula import formula
from bounds.prove import nonnegative
from bounds.symbols import symbol
from theory.claim import claim, control
from theory.evidence import Proof, Search, Step
from theory.measured import Measured, rounding
from theory.regime import Regime, grid

DOMAIN_END, HALF = log(2), Rational(1, 2)

# u = 1/L, and u = log(b/a)
SHARE = sympy.Symbol("u", nonnegative=True)
LOG_RATIO = sympy.Symbol("u", nonnegative=True)

# a/b, b and p at which a symbolic proof is cross-checked in ball arithmetic.
PLACES = list(
    itertools.product(
        [Fraction(1, 1000), Fraction(1, 2), 1 - Fraction(1, 10**7)],
        [Fraction(1, 4), Fraction(8)],
        [
            Fraction(1, 100),
            Fraction(1, 4),
            Fraction(499, 1000),
            Fraction(501, 1000),
            Fraction(3, 4),
            Fraction(1),
        ],
    )
)


@claim(
    "zou2018:fact-A.5-scalar",
    bound=sheet.fact_A_5_scalar,
    sense=">=",
    premises=sheet.fact_A_5_scalar_premises,
    regime=Regime(cells=grid()),
    measured=["x"],
    evidence=Proof(margin="true up to x = 1.59362; (1 - log(2)/(2L))^L is at least 0.653"),
    controls=[
        control("up to x = 1.594, where it just fails", end=Rational(1594, 1000)),
        control("exp(-0.61 x); any rate from 0.614 up would do", bound=formula("exp(-0.61*x)")),
        control("exp(-x/2), the tangent turned round", bound=formula("exp(-x/2)")),
        control("1 - x on the left", slope=sympy.Integer(1)),
    ],
)
def chord_above_exponential(bound: Bound, *, end: sympy.Expr = DOMAIN_END, slope: sympy.Expr = HALF) -> list[Step]:
    """1 - x/2 against the bound on [0, log 2], and what follows for the shares of Lemma A.4 at every depth.

    With u = 1/L the L-th power of 1 - log(2)/(2L) is at least 1/2 where log(1 - u log(2)/2) + u log(2) >= 0.
    """
    x = symbol("x")
    chord = nonnegative(1 - slope * x - bound.expr, x, 0, end)
    power = nonnegative(log(1 - slope * log(2) * SHARE) + log(2) * SHARE, SHARE, 0, 1)
    return [
        Step(f"1 - x/2 is at least the bound{chord.where}", chord.holds),
        Step(f"(1 - log(2)/(2L))^L is at least 1/2 for every L >= 1{power.where}", power.holds),
    ]


# Near p = 1/2, p = 0 and a = b the two sides nearly agree or the bound cancels; nearer than this the ball
# arithmetic of a comparison, 128 bits, would not tell them apart.
EXPONENTS = st.one_of(
    st.floats(0.0, 1.0),
    st.floats(-6.0, -1.0).map(lambda k: 10.0**k),
    st.floats(-9.0, -1.0).map(lambda k: 0.5 - 10.0**k),
    st.floats(-9.0, -1.0).map(lambda k: 0.5 + 10.0**k),
    st.just(0.0),
).filter(lambda p: abs(p - 0.5) > 1e-10 and (p == 0.0 or p > 1e-7))
LOG_RATIOS = st.one_of(st.floats(-8.0, 1.5).map(lambda k: 10.0**k), st.just(0.0))


ONE_PART_LESS = formula("999999*(b**(1 - 2*p) - a**(1 - 2*p))/(1000000*(1 - 2*p))")


@claim(
    "zou2018:lemma-C.1",
    bound=sheet.lemma_C_1,
    premises=sheet.lemma_C_1_premises,
    regime=Regime(
        cells=grid(),
        draw={"p": EXPONENTS, "log_b": st.floats(-30.0, 30.0), "log_ratio": LOG_RATIOS},
        pinned=[
            {"p": 0.0, "log_b": 0.0, "log_ratio": 1.0},
            {"p": 0.25, "log_b": 0.0, "log_ratio": 0.0},
            {"p": 0.5 - 1e-9, "log_b": 1.0, "log_ratio": 1e-8},
            {"p": 0.5 + 1e-9, "log_b": -1.0, "log_ratio": 1e-8},
            {"p": 0.75, "log_b": 0.0, "log_ratio": 1e-3},
            {"p": 1.0, "log_b": 0.0, "log_ratio": 30.0},
        ],
    ),
    measured=["a", "b"],
    evidence=Search(examples=200, adversary="a close to b, p close to 0 and to 1/2"),
    controls=[
        control("divided by the power of a, the smaller one", by_smaller=True),
        control("exponent p for 2p on the left", factor=1.0),
        control("negative p", sign=-1.0),
        control("one part in a million less", bound=ONE_PART_LESS),
    ],
    note="true for every p >= 0, and without a <= b",
)
def difference_quotient(
    p: float,
    log_b: float,
    log_ratio: float,
    *,
    factor: float = 2.0,
    by_smaller: bool = False,
    sign: float = 1.0,
) -> Measured:
    """(b - a)/b^(2p) with b = exp(log_b), a = b exp(-log_ratio): equal to the bound at p = 0 and at a = b."""
    b, p = math.exp(log_b), sign * p
    a = b * math.exp(-log_ratio)
    below = a if by_smaller else b
    power = 1.0 - 2.0 * p
    # The bound cancels: each of its two powers is good to some units in the last place, or to |power log b|
    # of them where 1 - 2p was rounded.
    error = rounding((a**power + b**power) / abs(power), 16.0 + 4.0 * abs(log_b) + 4.0 * log_ratio)
    return Measured(
        (b - a) / below ** (factor * p),
        error=error,
        symbols={"a": a, "b": b, "p": p},
        ball=lambda: _quotient_ball(a, b, below, factor * p),
    )


def _quotient_ball(a: float, b: float, below: float, exponent: float) -> flint.arb:
    with precision_of(128):
        return (flint.arb(b) - flint.arb(a)) / flint.arb(below) ** flint.arb(exponent)


@claim(
    "zou2018:lemma-C.1",
    variant="proof",
    bound=sheet.lemma_C_1,
    premises=sheet.lemma_C_1_premises,
    regime=Regime(cells=grid()),
    measured=["a", "b", "p"],
    evidence=Proof(),
    controls=[
        control("divided by the power of a, the smaller one", by_smaller=True),
        control("negative p", sign=-1),
        control("one part in a million less", bound=ONE_PART_LESS),
    ],
    note="a larger bound than the printed one is not proved here, only searched by the claim without variant",
)
def gap_grows_with_the_ratio(bound: Bound, *, by_smaller: bool = False, sign: int = 1) -> list[Step]:
    """The bound less (b - a)/b^(2p), over b^(1 - 2p), as a function of u = log(b/a): it is 0 at 0 and grows.

    For p < 1/2 the chain in print breaks, this one does not: the derivative is exp(-u) (exp(2pu) - 1).
    """
    a, b, p = symbol("a"), symbol("b"), symbol("p")
    gap = (bound.expr - (b - a) / (a if by_smaller else b) ** (2 * p)).subs(p, sign * p)
    formula_of_gap, exponent = Bound(gap), 2 * sign * p * LOG_RATIO
    scaled = sympy.simplify(gap.subs(a, b * exp(-LOG_RATIO)) / b ** (1 - 2 * sign * p))
    slope = sympy.diff(scaled, LOG_RATIO) - exp(-LOG_RATIO) * (exp(exponent) - 1)
    return [
        Step(
            "not violated in ball arithmetic at some places",
            not any(_violated(formula_of_gap, *at) for at in PLACES),
        ),
        Step("the gap depends on b/a alone, up to scale", b not in scaled.free_symbols or None),
        Step("it is 0 at a = b", sympy.simplify(scaled.subs(LOG_RATIO, 0)) == 0 or None),
        Step("its derivative in u is exp(-u) (exp(2pu) - 1)", sympy.simplify(slope) == 0 or None),
        Step("2pu >= 0, hence exp(2pu) >= 1", exponent.is_nonnegative),
    ]


def _violated(gap: Bound, ratio: Fraction, b: Fraction, p: Fraction) -> bool:
    """Whether the gap is certainly negative there."""
    return certainly_le(0, gap.ball(a=ratio * b, b=b, p=p)) is False

"""allenzhu2018rnn: inequalities between numbers.

Main claims: `drift_against_fluctuation` (Appendix I), `one_open_gate` (Appendix E.2), `squared_triangle` (Appendix F),
`sum_over_sets_of_gates` (Appendices C.2 to C.4 and G).
"""

import math
from collections.abc import Callable
from fractions import Fraction

import sympy
from sympy import Rational

from bounds import Bound, Decision, all_of, at_least, is_zero, symbol
from bounds.decisions.questions import NotBelowZero
from theory.claims import Measured, Regime, claim, control, grid, reals
from theory.evidence import Proof, Search, Step

a, b, t, p = map(symbol, ("a", "b", "t", "p"))


@claim(
    "allenzhu2018rnn:scalar-I",
    bound="a**2/b**2",
    premises="none needed: a and b are any positive numbers and t any that is not negative",
    measured=["a", "b", "t"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: attained at t = (a/b^2)^2"),
    controls=[
        control("a hundredth less", bound="99/100*a**2/b**2"),
        control("b, and not its square", bound="a**2/b"),
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
    known = all_of(at_least(gap.subs({a: p, b: q, root: r}), 0) for p, q, r in places)
    return [
        Step(f"true in exact arithmetic at {len(places)} places, the maximisers among them", known),
        Step("its discriminant in the root of t is zero", is_zero(rest) or None),
    ]


@claim(
    "allenzhu2018rnn:scalar-E.6",
    bound=">= a*p",
    premises="none needed: a gate of any probability, vectors of any length, b fixed before the gate",
    measured=["a", "p"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: attained at b = 0 and at b = -a"),
    controls=[
        control("1 - p, the larger probability", bound="a*(1 - p)"),
        control("a fifth more", bound="6/5*a*p"),
        control("the square of the length", bound="a**2*p"),
        control("vectors for which |a + b| + |b| is half of |a|", slack=-Rational(1, 2)),
    ],
    note="p is the smaller of the probabilities of an open and of a closed gate; a in the bound is the length |a|",
)
def one_open_gate(bound: Bound, *, slack: sympy.Expr = 0) -> list[Step]:
    """The mean of |xi a + b|, xi = 1 with one of two probabilities and else 0, against the bound.

    a and b are vectors, of which |a + b| + |b| >= |a| alone is used, and 1 - p >= p.
    """
    both, alone, rest, more = sympy.symbols("both alone rest more", nonnegative=True)
    length = (both + alone - rest) / (1 + slack)
    # The probabilities are p and p + more, in either order, and add up to 1.
    half = (1 - more) / 2
    return [
        Step(
            f"no coefficient is negative where {what} is the likelier",
            _no_negative(one * both + other * alone - bound.expr.subs({a: length, p: half}), more, (both, alone, rest)),
        )
        for what, one, other in (("an open gate", half + more, half), ("a closed gate", half, half + more))
    ]


def _no_negative(difference: sympy.Expr, share: sympy.Symbol, numbers: tuple[sympy.Symbol, ...]) -> Decision:
    """Whether no coefficient of a polynomial in nonnegative numbers is negative, for shares from 0 to 1."""
    expanded = sympy.expand(difference)
    within = (*((number, sympy.S.Zero, sympy.oo) for number in numbers), (share, sympy.S.Zero, sympy.S.One))
    found = all(_linear_on_the_unit(coefficient, share) for coefficient in expanded.as_poly(*numbers).coeffs())
    return Decision(True).of(NotBelowZero(expanded, within)) if found else Decision(False)


def _linear_on_the_unit(coefficient: sympy.Expr, share: sympy.Symbol) -> bool:
    """Whether a coefficient that is linear in the share is nonnegative at both ends, hence between them."""
    linear = sympy.degree(sympy.expand(coefficient), share) <= 1
    return bool(linear) and all(bool(coefficient.subs(share, end) >= 0) for end in (0, 1))


@claim(
    "allenzhu2018rnn:scalar-F",
    bound=">= a**2/2 - b**2",
    premises="none needed: true of all real a and b",
    measured=["a", "b"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: attained at a = 2 b"),
    controls=[
        control("a hundredth more", bound="51/100*a**2 - b**2"),
        control("without the square of b", bound="a**2/2"),
        control("half of the square of b", bound="a**2/2 - b**2/2"),
        control("an upper bound with 3/2", upper=Rational(3, 2)),
    ],
    blind={"term a**2/2": "a lower bound without it asks for less"},
)
def squared_triangle(bound: Bound, *, upper: sympy.Expr = 2) -> list[Step]:
    """The square of a - b against the bound, and that of a + b against 2 a^2 + 2 b^2, for all real numbers."""
    one, other = sympy.symbols("one other", real=True)
    lower = (one - other) ** 2 - bound.expr.subs({a: one, b: other})
    above = upper * (one**2 + other**2) - (one + other) ** 2
    return [
        Step("the first difference has no negative direction", _is_nonnegative(lower, one, other)),
        Step("nor has the second", _is_nonnegative(above, one, other)),
    ]


def _is_nonnegative(form: sympy.Expr, one: sympy.Symbol, other: sympy.Symbol) -> Decision | bool:
    """Whether a quadratic form in two real numbers is nowhere negative: neither its trace nor its determinant is.

    False for what is no quadratic form: lower terms would be lost in the second derivatives.
    """
    expanded = sympy.expand(form)
    if not (expanded.is_polynomial(one, other) and expanded.subs({one: 0, other: 0}) == 0):
        return False
    if not expanded.as_poly(one, other).is_homogeneous or expanded.as_poly(one, other).total_degree() != 2:
        return False
    matrix = sympy.hessian(expanded, (one, other))
    return Decision(bool(matrix.trace() >= 0) and bool(matrix.det() >= 0)).of(NotBelowZero(expanded))


@claim(
    "allenzhu2018rnn:scalar-binomial",
    bound="L*exp(x*(L - 1))",
    premises="none needed: true of all horizons, with equality at 1, and of all x that are not negative",
    regime=Regime(
        cells=grid(L=[2, 3, 5, 16, 64]), draw={"size": reals(-6.0, 0.5)}, pinned=[{"size": -6.0}, {"size": 0.5}]
    ),
    measured=["x"],
    evidence=Search(),
    controls=[
        control("half of the exponent", bound="L*exp(x*(L - 1)/4)"),
        control("sets counted with their order", count=math.perm),
    ],
    note="tends to equality as x tends to 0",
    scope="own constants: the factor exp((L - 1) x) for the order that is printed",
)
def sum_over_sets_of_gates(L: int, size: float, *, count: Callable[[int, int], int] = math.comb) -> Measured:
    """The sum over the sizes j = 1..L of sets of gates of binom(L, j) x^(j - 1), in exact fractions, x = 10^size."""
    x = Fraction(10.0**size)
    total = Fraction(sum(count(L, j) * x ** (j - 1) for j in range(1, L + 1)))
    return Measured(float(total), error=float(abs(Fraction(float(total)) - total)), symbols={"x": float(x)})


@claim(
    "allenzhu2018rnn:scalar-binomial-short",
    title="sum over sets of gates that each add little",
    bound="2*L",
    premises="rare events: x is far below 1/L [Appendix C.2, proof of Claim C.8]: (L - 1)*x <= log(2)",
    regime=Regime(cells=grid(L=[2, 3, 5, 16, 64]), draw={"share": reals(0.0, 1.0)}, pinned=[{"share": 1.0}]),
    measured=["x"],
    evidence=Search(),
    controls=[control("x twice as large", longest=2.0 * math.log(2.0), without="(L - 1)*x <= log(2)")],
    note="the O(L) of the paper with its constant; x is at most 1/L only beyond any width one can hold",
)
def short_sum_over_sets_of_gates(L: int, share: float, *, longest: float = math.log(2.0) * (1 - 1e-12)) -> Measured:
    """The sum over j = 1..L of binom(L, j) x^(j - 1), in exact fractions, for (L - 1) x up to log 2."""
    x = Fraction(share * longest / max(L - 1, 1))
    total = sum(math.comb(L, j) * x ** (j - 1) for j in range(1, L + 1))
    return Measured(float(total), symbols={"x": float(x)})

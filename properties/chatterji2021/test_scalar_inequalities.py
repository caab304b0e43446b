"""chatterji2021: inequalities between numbers, and the tails of sums with every constant explicit.

Main claims: `powers_of_norms`, `top_layer_power`, `segment_power`, `exponential_above` and `exponential_below` (powers
and exponentials against first-order forms), `concentrated_loss` with `alignment_constants`, `curvature_of_the_weight`,
`weight_below_loss` (Lemma B.3), `secant_against_slopes` (proof of Lemma E.14), and the tools of Appendix F:
`square_of_a_variable`, `function_of_a_gaussian`, `hoeffding`, `bernstein` and `gaussian_norm`.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import replace

import flint
import numpy as np
import sympy
from numpy.random import Generator
from scipy.optimize import brentq
from scipy.stats import binom, chi2, gamma
from sympy import Rational, exp, log

from bounds.arithmetic.balls import certainly_le, precision_of
from bounds.bound import Bound
from bounds.decisions.prove import at_least, is_positive, is_zero, nonnegative
from bounds.decisions.questions import Decision, NotBelowZero, all_of
from bounds.laws.orlicz import DiscreteLaw, sub_exponential_norm, sub_gaussian_norm
from bounds.papers import chatterji2021 as sheet
from bounds.symbols import symbol
from properties.shared.places import at_most, constant_values, nowhere_violated
from properties.shared.tail_witnesses import EXPONENTIAL_WITNESS, TAIL_LEVELS, Witness, gaussians, violated_by
from theory.claims import Measured, Regime, claim, control, grid, reals
from theory.evidence import ExactLaw, Proof, Search, Step, Tail

x, L, n, J, Js = map(symbol, ("x", "L", "n", "J", "Js"))
# 1/L, or one over an exponent; n J; a positive real argument
U = sympy.Symbol("u", nonnegative=True)
X = sympy.Symbol("x", nonnegative=True)

DEPTHS = (1, 2, 3, 5, 20, 200)
# Where in its range an inequality is tried in exact arithmetic; 1 is the right end.
SHARES = (Rational(1, 1000), Rational(1, 2), Rational(999, 1000), Rational(1))


def _holds_exactly(bound: Bound, power: sympy.Expr, end: sympy.Expr, depths: tuple[int, ...]) -> Decision:
    """Whether (1 + x)^power is at most the bound at the shares of each range, in rational arithmetic."""
    found = []
    for depth, share in itertools.product(depths, SHARES):
        at = share * end.subs(L, depth)
        limit = bound.expr.subs({L: depth, x: at})
        if limit.is_finite:
            found.append(at_least(limit, (1 + at) ** power.subs(L, depth)))
            if not found[-1]:
                break
    return all_of(found)


@claim(
    "chatterji2021:ineq-binomial",
    bound=sheet.ineq_binomial_a.reads("1 + L*x/(1 - (L - 1)*x)"),
    premises="small argument against depth [proof of Lemma 4.7]: (L - 1)*x < 1",
    measured=["x", "L"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="half of (L - 1) x in the denominator would do"),
    controls=[
        control("no denominator", bound="1 + L*x"),
        control("half of L - 2 in the denominator", bound="1 + L*x/(1 - (L - 2)*x/2)"),
        control("power L + 1, as many factors as matrices", power=L + 1),
        control("x up to 2/(L - 1)", end=2 / (L - 1), without="(L - 1)*x < 1"),
    ],
    scope="part: the power L; the others, and exponentials, have claims of their own",
)
def powers_of_norms(bound: Bound, *, power: sympy.Expr = L, end: sympy.Expr = 1 / (L - 1)) -> list[Step]:
    """The power (1 + x)^L, L >= 2, x > 0, at most the bound: as (1 + x)^(L-1) (1 - (L-1) x) <= exp(0)."""
    rest = bound.expr * (1 - (power - 1) * x) - (1 + x)
    above = nonnegative(exp(X) - 1 - X, X, 0, 1)
    below = nonnegative(exp(-X) - 1 + X, X, 0, 1)
    return [
        Step("true in exact arithmetic up to L = 200", _holds_exactly(bound, power, end, DEPTHS[1:])),
        Step("the bound times its denominator is 1 + x", is_zero(rest) or None),
        Step(f"1 + x <= exp(x){above.where}", above),
        Step(f"1 - u <= exp(-u), that is log(1 - u) <= -u, for u = (L - 1) x{below.where}", below),
    ]


def _ends_decide(bound: Bound, power: sympy.Expr, end: sympy.Expr, depth: sympy.Expr, last: sympy.Expr) -> list[Step]:
    """That (1 + x)^power is at most a bound linear in x up to `end`: it is convex, so that two ends are enough.

    `end` is u where L is `depth`, an expression in u with values up to `last`.
    """
    at_end = sympy.simplify(bound.expr.subs({L: depth, x: end.subs(L, depth)}))
    exponent = sympy.simplify(power.subs(L, depth) * U)
    gap = nonnegative(U * log(at_end) - exponent * log(1 + sympy.simplify(end.subs(L, depth))), U, 0, last)
    return [
        Step("true in exact arithmetic up to L = 200", _holds_exactly(bound, power, end, DEPTHS)),
        Step(
            "the bound is linear and 1 at 0",
            all_of(map(is_zero, (sympy.diff(bound.expr, x, 2), bound.expr.subs(x, 0) - 1))),
        ),
        Step(f"true at the right end for every L{gap.where}", gap),
    ]


@claim(
    "chatterji2021:ineq-binomial-top-layer",
    title="the power L + 1 against twice its first-order term",
    bound="1 + 2*(L + 1)*x",
    premises="small argument against depth [proof of Lemma B.16]: x < 1/L",
    measured=["x", "L"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="at x = 1/L: e against 3 for large L, 4 against 5 for L = 1"),
    controls=[
        control("1.7 times the first-order term", bound="1 + 17*(L + 1)*x/10"),
        control("x up to 3/(2 L)", end=3 / (2 * L), without="x < 1/L"),
        control("power L + 2", power=L + 2),
    ],
)
def top_layer_power(bound: Bound, *, power: sympy.Expr = L + 1, end: sympy.Expr = 1 / L) -> list[Step]:
    """The power (1 + x)^(L+1) for 0 < x <= 1/L and every L >= 1."""
    return _ends_decide(bound, power, end, 1 / U, sympy.S.One)


@claim(
    "chatterji2021:ineq-binomial-segment",
    title="the power 3 L + 5 against twice its first-order term",
    bound="1 + (6*L + 10)*x",
    premises="small argument against depth [proof of Lemma B.17]: x < 1/(3*L + 5)",
    measured=["x", "L"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="at the right end: e against 3"),
    controls=[
        control("1.7 times the first-order term", bound="1 + 17*(3*L + 5)*x/10"),
        control("x up to 3/2 of the range", end=3 / (2 * (3 * L + 5)), without="x < 1/(3*L + 5)"),
        control("first-order term once", bound="1 + (3*L + 5)*x"),
    ],
)
def segment_power(bound: Bound, *, end: sympy.Expr = 1 / (3 * L + 5)) -> list[Step]:
    """The power (1 + x)^(3L+5) for 0 <= x <= 1/(3L+5) and every L >= 1, as a function of u = 1/(3L+5) <= 1/8."""
    return _ends_decide(bound, 3 * L + 5, end, (1 / U - 5) / 3, Rational(1, 8))


@claim(
    "chatterji2021:ineq-binomial-exponential",
    title="the exponential from above by a line",
    bound="1 + 2*x",
    premises="argument of at most 1 [proof of Lemma 4.5]: x <= 1",
    measured=["x"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="true up to x = 1.2564"),
    controls=[
        control("slope 1.7", bound="1 + 17*x/10"),
        control("up to x = 1.26", end=Rational(126, 100), without="x <= 1"),
    ],
)
def exponential_above(bound: Bound, *, end: sympy.Expr = sympy.S.One) -> list[Step]:
    """The function exp(x) on [0, 1], against the bound."""
    found = nonnegative(bound.expr.subs(x, X) - exp(X), X, 0, end)
    return [Step(f"exp(x) is at most the bound{found.where}", found)]


@claim(
    "chatterji2021:ineq-binomial-decay",
    title="the decaying exponential from above by a parabola",
    bound="1 - x + x**2",
    premises="none needed: decided on all of [0, 1], where the proofs use it",
    measured=["x"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="half of the square would do"),
    controls=[
        control("0.49 of the square", bound="1 - x + 49*x**2/100"),
        control("no square", bound="1 - x"),
        control("growing exponential", sign=1),
    ],
    blind={"term -x": "left out, it leaves a larger bound, which is true as well"},
)
def exponential_below(bound: Bound, *, sign: int = -1) -> list[Step]:
    """The function exp(-x) on [0, 1], against a parabola above it."""
    found = nonnegative(bound.expr.subs(x, X) - exp(sign * X), X, 0, 1)
    return [Step(f"exp(-x) is at most the bound{found.where}", found)]


def _alignment_violated(bound: Bound, samples: int, depth: int, share: float, sampled: bool) -> bool:
    """Whether the weight times the margin of one concentrated loss is certainly below the bound."""
    with precision_of(512):
        loss = flint.arb(share) * flint.arb(samples) ** -(1 + 24 * depth)
        total = samples * loss
        weight = 1 - (-(total if sampled else loss)).exp()
        found = weight / samples * (1 / (total.exp() - 1)).log()
        return certainly_le(bound.ball(n=samples, J=loss, precision=512), found) is False


@claim(
    "chatterji2021:ineq-psi",
    bound=sheet.ineq_psi.reads("(J - n*J**2)*log(1/(2*n*J))"),
    sense=">=",
    premises=[sheet.theorem_3_1_samples.reads("n >= 3"), sheet.ineq_psi_small_loss.reads("n**(-24*L - 1) > J")],
    measured=["J", "n", "L"],
    scope="part: from (33) to (34), without its last factor; the constants of that are ineq-psi-constants",
    regime=Regime(cells=grid()),
    evidence=Proof(margin="n J log(2), from exp(z) - 1 <= 2 z where z (1 + z) would do"),
    controls=[
        control("nothing taken off for the weight or the margin", bound="J*log(1/(n*J))"),
        control("logarithm of 2/(n J)", bound="(J - n*J**2)*log(2/(n*J))"),
        control("weight of the loss J for that of n J", sampled=False),
        control("one sample with a loss of 9/10", beyond=1, without=sheet.theorem_3_1_samples),
        control("three samples with losses that sum to 9/10", beyond=3, without=sheet.ineq_psi_small_loss),
    ],
    blind={
        "term J": "left out, it leaves a negative bound, which is true as well",
        "term -J**2*n": "not needed: the factor 2 in the logarithm has room for it",
    },
)
def concentrated_loss(bound: Bound, *, sampled: bool = True, beyond: int = 0) -> list[Step]:
    """The product (1 - exp(-nJ))/n times log(1/(exp(nJ) - 1)) where all loss sits in one sample.

    The number z = nJ is below 3^-24; for wrong variants also 9/10, for `beyond` samples.
    """
    small = bound.expr.subs(J, X / n) * n
    form = (X - X**2) * log(1 / (2 * X))
    weight = nonnegative(1 - exp(-X) - X + X**2, X, 0, 1)
    margin = nonnegative(2 * X + 1 - exp(X), X, 0, 1)
    places = [*itertools.product((3, 10, 10**4), (1, 2), (1e-6, 0.5, 1.0))]
    if beyond:
        places.append((beyond, 1, 0.9 * beyond**24))
    same = is_zero(small - form, sympy.simplify(sympy.expand_log(small - form, force=True)))
    return [
        Step("not violated in ball arithmetic", not any(_alignment_violated(bound, *at, sampled) for at in places)),
        Step("n times the bound is (z - z^2) log(1/(2z))", same or None),
        Step(f"1 - exp(-z) >= z - z^2{weight.where}", weight),
        Step(f"exp(z) - 1 <= 2z{margin.where}", margin),
        Step("2z < 1, so that the logarithm is positive", at_least(1, 2 * Rational(1, 3**24), strict=True)),
    ]


@claim(
    "chatterji2021:ineq-psi-constants",
    title="the constants of the alignment bound multiply to at least one",
    bound=sheet.ineq_psi_total.reads("(1 - 1/(8*L))*(1 + 1/(4*L + 3))"),
    sense=">=",
    premises=[sheet.theorem_3_1_samples.reads("n >= 3"), sheet.ineq_psi_small_loss.reads("n**(-24*L - 1) > J")],
    measured=["L", "n", "J"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none at L = 1, where the product is exactly 1"),
    controls=[
        control("1/(7 L) taken off", bound="(1 + 1/(4*L + 3))*(1 - 1/(7*L))"),
        control("L + 1 for L + 3/4", bound="(1 + 1/(4*L + 4))*(1 - 1/(8*L))"),
        control("loss below n^-(1 + 19 L) only", rate=19, without=sheet.ineq_psi_small_loss),
        control("one sample", samples=1, without=sheet.theorem_3_1_samples),
    ],
    blind={"term -1/(8*L)": "it is what the proof loses: left out, it leaves a larger product"},
    note="(34); a bound is what the last step of the proof needs to be at least 1. The third share, of h, is 1/(48L) "
    "at most by h <= h_max, which is taken as given",
)
def alignment_constants(bound: Bound, *, rate: int = 24, samples: int = 3) -> list[Step]:
    """The bound itself is at least 1 for every L >= 1; 1/(8L) is 1/(12L) + 1/(48L) + 1/(48L), two of them by the loss.

    log(2n)/log(1/J) <= 1/(12L) and n J <= 1/(48L), at the largest loss.
    The first falls in n, so that it is largest at the least n; with u = 1/L it is (log(2n)/log(n)) u/(u + rate).
    """
    whole = sympy.together(bound.expr.subs(L, 1 / U) - 1)
    product = nonnegative(sympy.cancel(whole), U, 0, 1)
    by_log = 1 / (12 * L)
    allowed = log(samples) * (U + rate) * by_log.subs(L, 1)
    logarithm = nonnegative(allowed - log(2 * samples), U, 0, 1)
    shares = by_log + 2 * sheet.ineq_psi_loss.expr
    first, rise = sheet.ineq_psi_loss.expr, samples**rate
    return [
        Step(f"the product is at least 1{product.where}", product),
        Step(f"log(2n)/log(1/J) <= 1/(12L){logarithm.where}", logarithm),
        Step("n^-24L <= 1/(48L) at L = 1", at_least(first.subs(L, 1), Rational(1, rise))),
        Step("and from L to L + 1 the left side falls n^24-fold, the right one twofold at most", at_least(rise, 2)),
        Step("the shares add up to 1/(8L)", is_zero(shares - 1 / (8 * L))),
    ]


@claim(
    "chatterji2021:ineq-logistic-second",
    bound="Js",
    premises="none needed: the margin may be any real number: both signs are decided",
    measured=["Js"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none at large margins, where both sides tend to exp(-z)"),
    controls=[
        control("one part in a thousand less", bound="999*Js/1000"),
        control("half of the loss, as Taylor's factor suggests", bound="Js/2"),
        control("square of the loss", bound="Js**2"),
        control("3 in place of 2 in front of the first term", first=3),
    ],
    note="the left side is at most 1/(6 sqrt(3)) = 0.0962",
)
def curvature_of_the_weight(bound: Bound, *, first: int = 2) -> list[Step]:
    """Size |g''(z)| of g(z) = 1/(1 + exp(z)), Js = log(1 + exp(-z)), for all real z, in exp(-z) or exp(z)."""
    loss = log(1 + X)
    second = first * X / (1 + X) ** 3 - X / (1 + X) ** 2
    mirrored = sympy.cancel(second.subs(X, 1 / X))
    steps = [Step("it is g (1 - g) (1 - 2g)", is_zero(second - X * (1 - X) / (1 + X) ** 3) or None)]
    for sign in (1, -1):
        positive = nonnegative(bound.expr.subs(Js, loss) - sign * second, X, 0, 1)
        negative = nonnegative(bound.expr.subs(Js, log(2)) - sign * mirrored, X, 0, 1)
        name = "g''" if sign == 1 else "-g''"
        steps += [
            Step(f"{name} at most the bound for z >= 0{positive.where}", positive),
            Step(f"{name} at most the bound at z = 0, hence below it for z <= 0{negative.where}", negative),
        ]
    return steps


@claim(
    "chatterji2021:lemma-B.3",
    bound="Js",
    premises="none needed: the margin may be any real number: all losses above zero are decided",
    measured=["Js"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none for small losses, of which the weight is J - J^2/2"),
    controls=[
        control("one part in a thousand less", bound="999*Js/1000"),
        control("loss less its square", bound="Js - Js**2"),
        control("weight of the other label", other=True),
    ],
)
def weight_below_loss(bound: Bound, *, other: bool = False) -> list[Step]:
    """That g = 1/(1 + exp(z)) <= Js = log(1 + exp(-z)) for all real z (1); g (1 - g) = exp(z)/(1 + exp(z))^2 <= g."""
    weight = exp(-X) if other else 1 - exp(-X)
    small = nonnegative(bound.expr.subs(Js, X) - weight, X, 0, 1)
    growing = sympy.diff(bound.expr, Js)
    g = symbol("g")
    slope = sympy.expand(sheet.lemma_B_3_slope.expr - g * (1 - g))
    return [
        Step(f"the weight is at most the bound up to J = 1{small.where}", small),
        Step(
            "and beyond, where the bound is at least 1",
            all_of([is_positive(growing), at_least(bound.expr.subs(Js, 1), 1)]) or None,
        ),
        Step("g less g (1 - g) is a square", is_zero(slope - g**2)),
    ]


@claim(
    "chatterji2021:lemma-B.3-slope",
    title="slope of the weight of an example below the weight",
    bound=sheet.lemma_B_3_slope.reads("g"),
    premises="none needed: a weight lies between 0 and 1, and there it is decided",
    measured=["g"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="the square of the weight; none for small weights"),
    controls=[
        control("one part in a thousand less", bound="999*g/1000"),
        control("square of the weight", bound="g**2"),
        control("plus for minus: g (1 + g)", sign=1),
    ],
)
def slope_below_weight(bound: Bound, *, sign: int = -1) -> list[Step]:
    """The slope exp(z)/(1 + exp(z))^2 = g (1 - g) against g."""
    found = nonnegative(bound.expr.subs(symbol("g"), X) - X * (1 + sign * X), X, 0, 1)
    return [Step(f"g (1 - g) is at most the bound{found.where}", found)]


# A point left of the bend, inside it or right of it, in units of h, from a number w >= 0.
PIECES: tuple[Callable[[sympy.Expr], sympy.Expr], ...] = (lambda w: -w, lambda w: w / (1 + w), lambda w: 1 + w)
ARGUMENTS = (Rational(0), Rational(1, 3), Rational(1), Rational(10), Rational(10**4))


def _is_sum_of_positive_terms(expr: sympy.Expr) -> Decision:
    """Whether both polynomials of a rational function have coefficients of one sign."""
    parts = sympy.fraction(sympy.cancel(sympy.together(expr)))
    signs = [{sympy.sign(c) for c in sympy.Poly(part, X, U).coeffs()} - {0} for part in parts]
    found = len(signs[0]) == 0 or (len(signs[0]) == 1 and signs[0] == signs[1])
    within = tuple((free, sympy.S.Zero, sympy.oo) for free in (X, U))
    return Decision(True).of(NotBelowZero(expr, within)) if found else Decision(False)


@claim(
    "chatterji2021:ineq-check-sigma",
    bound="1",
    premises="none needed: both arguments are any real numbers, in nine pairs of pieces; h scales out",
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: both arguments at the right end of the bend, or one far left"),
    controls=[
        control("one part in a thousand less", bound="999/1000"),
        control("slope quadratic inside the bend", power=2),
        control("both arguments in the numerator", both=True),
    ],
    scope="part: the bound by one; eq. (100) is ineq-check-sigma-features",
    note="the case of both arguments inside the bend, left out in the proof, is a/h <= 1",
)
def secant_against_slopes(bound: Bound, *, power: int = 1, both: bool = False) -> list[Step]:
    """Size |(phi'(b) - phi'(a)) a/(b - a)| for real a != b (print: 0/0 = 0), phi the Huberised ReLU, h = 1.

    What is left of the bound is a rational function whose coefficients have one sign, in numbers w >= 0.
    """
    steps = []
    for i, j in itertools.product(range(3), repeat=2):
        a, b = PIECES[i](X), PIECES[j](U)
        slopes = [(sympy.S.Zero, point**power, sympy.S.One)[place] for place, point in ((i, a), (j, b))]
        secant = sympy.cancel((slopes[1] - slopes[0]) / (b - a))
        size = (-a if i == 0 else a) + ((-b if j == 0 else b) if both else 0)
        left = sympy.cancel(bound.expr - secant * size)
        places = [left.subs({X: x, U: u}) for x, u in itertools.product(ARGUMENTS, repeat=2)]
        violated = any(value.is_finite and value < 0 for value in places)
        where = f"a on piece {i}, b on piece {j}"
        steps.append(Step(where, False if violated else _is_sum_of_positive_terms(left) or None))
    return steps


@claim(
    "chatterji2021:ineq-check-sigma-features",
    title="what is left of a feature beside slope times pre-activation, at two arguments",
    bound="h/2",
    premises="none needed: the arguments are any real numbers: every piece is compared with every other",
    measured=["h"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none for h/2; the paper has h, from twice the bound on each term"),
    controls=[control("2h/5", bound="2*h/5"), control("activation z^2/h inside the bend", factor=2)],
)
def features_beside_slopes(bound: Bound, *, factor: int = 1) -> list[Step]:
    """Size |phi(b) - phi'(b) b - phi(a) + phi'(a) a| for all real a, b: at most h/2, where (100) has h.

    phi'(z) z - phi(z) is 0, z^2/(2h) and h/2 on the three pieces of the Huberised ReLU.
    """
    h, z = symbol("h"), sympy.Symbol("z", nonnegative=True)
    inside = factor * z**2 / (2 * h)
    gaps = (sympy.S.Zero, sympy.expand(sympy.diff(inside, z) * z - inside), h / 2)
    ends = (*gaps, gaps[1].subs(z, h))
    spread = [sympy.simplify((bound.expr - (one - other).subs(z, h)) / h) for one in ends for other in ends]
    found = [at_most(sympy.S.Zero, s) for s in spread]
    return [
        Step(
            "the gap inside the bend is convex and 0 at 0",
            all_of([is_zero(gaps[1].subs(z, 0)), is_positive(gaps[1].coeff(z, 2))]),
        ),
        nowhere_violated(Bound(bound.expr - h / 2), [{"h": 1e-3}, {"h": 1e3}]),
        Step("no two values, at the ends of the pieces, differ by more than the bound", all_of(found)),
    ]


@claim(
    "chatterji2021:lemma-F.3",
    bound="= 0",
    premises="none needed: the laws drawn have finitely many values, so that they are sub-Gaussian",
    regime=Regime(cells=grid()),
    evidence=Search(examples=25, adversary="laws of one to six values over several magnitudes"),
    controls=[
        control("square centred", centred=True),
        control("square of the psi_1 norm", order=1),
        control("norm not squared", power=1),
    ],
    note="||X||_psik is the least s with E exp(|X/s|^k) <= 2",
)
def square_of_a_variable(rng: Generator, *, centred: bool = False, order: int = 2, power: int = 2) -> Measured:
    """The difference ||X^2||_psi1 - ||X||_psi2^2 over the latter, for a random discrete law, by bisection in balls."""
    size = int(rng.integers(1, 7))
    values = rng.normal(size=size) * 10.0 ** rng.uniform(-3.0, 3.0, size)
    law = DiscreteLaw(values.tolist(), rng.integers(1, 1000, size).tolist())
    square = law.squared()
    left = sub_exponential_norm(square.shifted(-square.mean) if centred else square)
    own = sub_gaussian_norm(law) if order == 2 else sub_exponential_norm(law)
    with precision_of(128):
        difference = left - own**power
        scale = float(own**power)
        return Measured(float(difference.mid()) / scale, error=float(difference.rad()) / scale, scale=1.0)


# The kinks of the functions searched; between two of them they are lines, integrated with 40 Gauss-Legendre nodes.
KINKS = np.array([-40.0, -20.0, -8.0, -4.0, -2.0, -1.0, -0.4, 0.0, 0.4, 1.0, 2.0, 4.0, 8.0, 20.0, 40.0])
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)
PLACES = (KINKS[:-1, None] + np.diff(KINKS)[:, None] * (_NODES + 1.0) / 2.0).ravel()
_LINES = (np.diff(KINKS)[:, None] * _WEIGHTS / 2.0).ravel() / math.sqrt(2.0 * math.pi)
MASS = _LINES * np.exp(-0.5 * PLACES**2)
# Slopes a hair below 1: the identity attains the bound, which no quadrature could decide.
SLOPES = {f"slope{i}": reals(-0.999, 0.999) for i in range(len(KINKS) - 1)}


def _slopes(*slopes: float) -> dict[str, float]:
    return dict(zip(SLOPES, slopes, strict=True))


@claim(
    "chatterji2021:lemma-F.4",
    bound=sheet.fact_F_4.reads("sqrt(8/3)"),
    premises="none needed: slopes are drawn within [-1, 1], so that every function is 1-Lipschitz",
    regime=Regime(
        cells=grid(),
        draw=SLOPES,
        built={"slopes": (lambda **slopes: list(slopes.values()), SLOPES)},
        pinned=[_slopes(*[left] * 7, *[0.999] * 7) for left in (0.999, 0.0, -0.999)],
    ),
    evidence=Search(examples=60, adversary="lines with 13 kinks, climbed in all slopes; the rectifier and |t| pinned"),
    controls=[
        control("slopes up to 1.05", stretch=1.05),
        control("constant 1.63", bound="163/100"),
        control("mean not taken off", shift=1.0),
    ],
    note="||X||_psi2 is the least s with E exp(X^2/s^2) <= 2. sqrt(8/3) is best: lemma-F.4-constant proves it",
    scope="own constants: sqrt(8/3), where the print has a constant that it does not give",
)
def function_of_a_gaussian(slopes: list[float], *, stretch: float = 1.0, shift: float = 0.0) -> Measured:
    """Norm ||g(t) - E g(t)||_psi2 of a 1-Lipschitz g, here piecewise linear, t standard Gaussian, by quadrature."""
    ends = np.concatenate([[0.0], np.cumsum(np.diff(KINKS) * np.asarray(slopes) * stretch)])
    values = np.interp(PLACES, KINKS, ends)
    square = (values - MASS @ values + shift) ** 2
    if not square.max() > 0.0:
        return Measured(0.0)

    def excess(scale: float) -> float:
        with np.errstate(over="ignore"):
            return min(float(_LINES @ np.exp(square / scale**2 - 0.5 * PLACES**2)), 1e6) - 2.0

    low = math.sqrt(float(MASS @ square))  # E exp(X^2/t^2) >= 1 + E X^2/t^2
    return Measured(brentq(excess, low, 20.0 * low, xtol=1e-14 * low, rtol=1e-14), error=1e-11)


@claim(
    "chatterji2021:lemma-F.4-constant",
    title="Lipschitz functions of one Gaussian are sub-Gaussian, with the best constant",
    bound=sheet.fact_F_4.reads("sqrt(8/3)"),
    premises="none needed: 1-Lipschitz is used as an equality, which the identity attains",
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: the identity attains it"),
    controls=[
        control("constant 1.63", bound="163/100"),
        control("standard deviation of the identity", bound="1"),
        control("Lipschitz with the constant 1.001", lipschitz=Rational(1001, 1000)),
    ],
    note="rests on E exp(y (g - E g)) <= exp(y^2/2) for 1-Lipschitz g, by Tsirelson, Ibragimov and Sudakov",
)
def best_gaussian_constant(bound: Bound, *, lipschitz: sympy.Expr = sympy.S.One) -> list[Step]:
    """Psi_2 norm of X = g(t) - E g(t), t, xi iid N(0, 1): least c with E exp(X^2/c^2) = E exp(sqrt(2) xi X/c) <= 2."""
    y, xi, c = sympy.Symbol("y", positive=True), sympy.Symbol("xi", real=True), bound.expr
    density = exp(-(xi**2) / 2) / sympy.sqrt(2 * sympy.pi)
    mixed = sympy.integrate(exp(y * xi) * density, (xi, -sympy.oo, sympy.oo))
    moment = 1 - 2 * lipschitz**2 / c**2
    reached = at_least(moment, Rational(1, 4))
    return [
        Step("E exp(y xi) = exp(y^2/2)", is_zero(mixed - exp(y**2 / 2))),
        Step("(1 - 2/c^2)^(-1/2), what the identity has exactly, is at most 2", reached),
    ]


def _sparse_signs(m: int, share: float, level: float) -> float:
    """P(|sum| >= level) for m independent variables: a sign with probability `share`, else 0."""
    counts = np.array([m]) if share == 1.0 else np.arange(m + 1)
    weights = binom.pmf(counts, m, share)
    least = np.ceil((counts + level) / 2.0) - 1.0
    return float(min(1.0, weights @ (2.0 * binom.sf(least, counts, 0.5))))


# For norm 1 E exp(y X) <= 2^(y^2) when |y| <= 1, and at most 2 exp(y^2/4) in any case: exp(y^2) bounds both.
HOEFFDING = {"C": (Rational(1, 4), "E exp(y X) <= exp(y^2) for psi_2 norm 1; 1/(2 log 2) fails for signs")}


@claim(
    "chatterji2021:thm-F.5",
    bound="normX*norma*sqrt(log(2/delta)/C)",
    constants=HOEFFDING,
    premises="none needed: terms are independent sparse signs, centred, whose norm is known in closed form",
    regime=Regime(
        cells=[
            *grid(m=[16, 10**6], share=1.0, delta=[0.1, 1e-3]),
            *grid(m=10**6, share=1.0, delta=1e-60),
            *grid(m=64, share=[0.5, 0.01], delta=[0.1, 1e-6]),
            *grid(m=1, share=1e-6, delta=9e-7),
        ],
        derived={"normX": lambda share: math.log1p(1.0 / share) ** -0.5, "norma": lambda m: math.sqrt(m)},
    ),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control(
            "constant 3/4; signs leave 1/(2 log 2) = 0.7213",
            bound="normX*norma*sqrt(4*log(2/delta)/3)",
            cells=grid(m=10**6, share=1.0, delta=1e-60),
        ),
        control(
            "an eighth of the standard deviation for the norm, sparse signs",
            bound="sqrt(m*log(2/delta))/8",
            cells=grid(m=64, share=0.01, delta=1e-6),
        ),
        control("signs of mean 1/2", mean=0.5, cells=grid(m=10**6, share=1.0, delta=0.1)),
    ],
    note="a term, a sign with chance `share`, else 0, has psi_2 norm normX = log(1 + 1/share)^(-1/2); C 1/4",
    scope="part: sums of such terms; thm-F.5-constant proves it for all",
)
def hoeffding(threshold: float, m: int, share: float, *, mean: float = 0.0) -> Tail:
    """P(|sum of m terms| >= bound), at most delta, norma = sqrt(m); of a mean that is not 0, half at least."""
    if mean:
        return Tail(0.5 if threshold < m * mean else 0.0, 1.0)
    exact = _sparse_signs(m, share, threshold)
    return Tail(exact, exact)


def _sign() -> Witness:
    """A single sign: it reaches 1 surely, and more never."""
    return Witness(1, lambda: 1 / flint.arb(2).log().sqrt(), lambda t: flint.arb(1) if t <= 1 else flint.arb(0))


def _gaussian_sum(terms: int) -> Witness:
    """Standard Gaussians, of psi_2 norm sqrt(8/3)."""
    return replace(gaussians(terms), norm=lambda: (flint.arb(8) / 3).sqrt())


# The upper tail of an exponential variable less its mean, whose psi_1 norm is below 1.54.
CENTRED_EXPONENTIAL = replace(EXPONENTIAL_WITNESS, norm=lambda: flint.arb("1.54"))


@claim(
    "chatterji2021:thm-F.5-constant",
    title="Hoeffding bound for sums, with its constant derived",
    bound="2*exp(-C*t**2/(normX*norma)**2)",
    constants=HOEFFDING,
    premises="none needed: proved for independent centred sub-Gaussian terms, of norm one by scaling",
    measured=["t", "normX", "norma"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="1/4 is proved; sums of signs allow no more than 1/(2 log 2) = 0.7213"),
    controls=[
        control("constant 3/2", bound="2*exp(-3*t**2/(2*normX**2*norma**2))"),
        control("largest weight for the Euclidean norm", bound="2*exp(-t**2/(4*normX**2))"),
        control("terms that are only sub-exponential", heavy=True),
    ],
    scope="own constants: the printed inequality, where the a_i are the norms, with a value for its constant",
)
def hoeffding_constant(bound: Bound, *, heavy: bool = False) -> list[Step]:
    """P(|sum a_i X_i| >= t), normX = max ||X_i||_psi2, norma = ||a||, by E exp(y X) <= exp(y^2) for norm 1."""
    t, norm, root = map(symbol, ("t", "normX", "norma"))
    shown = bound.expr.subs(constant_values(bound))
    claimed = sympy.simplify(sympy.expand_log(log(2 / shown), force=True) * (norm * root) ** 2 / t**2)
    laws = [_sign(), _gaussian_sum(1), _gaussian_sum(10**4), *([CENTRED_EXPONENTIAL] if heavy else [])]
    chord = [nonnegative(exp(X**2) + sign * X - exp(sign * X), X, 0, 1) for sign in (1, -1)]
    far = nonnegative(Rational(3, 4) * X**2 - log(2), X, 1, 2)
    return [
        Step("not violated by sums", not violated_by(bound, laws, TAIL_LEVELS)),
        Step("exp(x) <= x + exp(x^2) on [-1, 1], and x <= x^2 beyond", all_of(chord)),
        Step("2^(y^2) <= exp(y^2)", at_least(1, log(2))),
        Step(f"2 exp(y^2/4) <= exp(y^2) from |y| = 1 on{far.where}", far),
        Step("exponent a multiple of t^2/(||X|| ||a||)^2", not claimed.free_symbols or None),
        Step("within Chernoff's 1/4", at_least(Rational(1, 4), claimed) or None),
    ]


def _exponential_norm() -> float:
    """The psi_1 norm of an exponential variable less its mean: the root of an equation in closed form."""

    def excess(a: float) -> float:
        return math.exp(a) * -math.expm1(-a - 1.0) / (a + 1.0) + math.exp(-1.0) / (1.0 - a) - 2.0

    return 1.0 / float(brentq(excess, 0.1, 0.9, xtol=1e-15))


CENTRED_NORM = _exponential_norm()
UNIT_TERMS = {"size": 1.0, "weight": 1.0}
# x^2 exp(x/2) <= (9/4)(exp(x) - 1) makes E exp(y X) <= exp(9 y^2/8) for psi_1 norm 1 and |y| <= 1/2.
BERNSTEIN = {"C": (Rational(2, 9), "E exp(y X) <= exp(9 y^2/8) for psi_1 norm 1 and |y| <= 1/2")}


SMALL_WEIGHT = grid(m=1, delta=1e-200, size=1.0, weight=0.01)


@claim(
    "chatterji2021:thm-F.6",
    bound="normX*Max(norma*sqrt(log(2/delta)/C), maxa*log(2/delta)/C)",
    constants=BERNSTEIN,
    premises="none needed: terms are independent centred exponential variables, whose norm is computed",
    regime=Regime(
        cells=[
            *grid(m=[1, 100], delta=[0.1, 1e-6, 1e-200], **UNIT_TERMS),
            *grid(m=10**6, delta=[0.1, 1e-60], **UNIT_TERMS),
            *grid(m=1, delta=1e-200, size=100.0, weight=1.0),
            *grid(m=1, delta=1e-200, size=1.0, weight=100.0),
            *SMALL_WEIGHT,
        ],
        derived={
            "normX": lambda size: size * CENTRED_NORM,
            "norma": lambda m, weight: weight * math.sqrt(m),
            "maxa": lambda weight: weight,
        },
    ),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control(
            "no linear branch", bound="normX*norma*sqrt(9*log(2/delta)/2)", cells=grid(m=1, delta=1e-200, **UNIT_TERMS)
        ),
        control(
            "linear branch alone", bound="9*normX*maxa*log(2/delta)/2", cells=grid(m=10**6, delta=0.1, **UNIT_TERMS)
        ),
        control(
            "constant 3/2",
            bound="normX*Max(norma*sqrt(2*log(2/delta)/3), 2*maxa*log(2/delta)/3)",
            cells=grid(m=10**6, delta=1e-60, **UNIT_TERMS),
        ),
        control(
            "square of the largest weight",
            bound="normX*Max(norma*sqrt(9*log(2/delta)/2), 9*maxa**2*log(2/delta)/2)",
            cells=SMALL_WEIGHT,
        ),
        control("terms not centred", centre=0.0, cells=grid(m=10**6, delta=0.1, **UNIT_TERMS)),
    ],
    note="normX, least s with E exp(|X|/s) <= 2, is the psi_1 norm of a term, norma ||a||, maxa max |a_i|; C is 2/9",
    scope="part: centred exponential terms of equal weights; thm-F.6-constant proves it for all",
)
def bernstein(threshold: float, m: int, size: float, weight: float, *, centre: float = 1.0) -> Tail:
    """P(|sum a_i X_i| >= bound), at most delta, of m centred exponential X_i of one size, with equal weights a_i."""
    threshold = threshold / (size * weight)
    above = float(gamma.sf(m * centre + threshold, m))
    below = float(gamma.cdf(m * centre - threshold, m)) if threshold < m * centre else 0.0
    return Tail(above + below, above + below)


@claim(
    "chatterji2021:thm-F.6-constant",
    title="Bernstein bound for sums, with its constant derived",
    bound="2*exp(-C*Min(t**2/(normX*norma)**2, t/(normX*maxa)))",
    constants=BERNSTEIN,
    premises="none needed: proved for independent centred sub-exponential terms, of norm one by scaling",
    measured=["t", "normX", "norma", "maxa"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="2/9 is proved; Gaussian limits of exponential sums allow no more than 1.17"),
    controls=[
        control("no linear branch", bound="2*exp(-2*t**2/(9*normX**2*norma**2))"),
        control("constant 2", bound="2*exp(-2*Min(t**2/(normX**2*norma**2), t/(normX*maxa)))"),
        control("largest weight for the Euclidean norm", bound="2*exp(-2*Min(t**2/maxa**2/normX**2, t/normX)/9)"),
    ],
    scope="own constants: the printed inequality, where the a_i are the norms, with a value for its constant",
)
def bernstein_constant(bound: Bound) -> list[Step]:
    """P(|sum a_i X_i| >= t), normX = max ||X_i||_psi1, norma = ||a||, maxa = max |a_i|, by Chernoff's bound.

    As x^2 exp(x/2) <= 9/4 (exp(x) - 1), E exp(y X) <= exp(9 y^2/8) for norm 1 and |y| <= 1/2.
    """
    t, norm, root, largest = map(symbol, ("t", "normX", "norma", "maxa"))
    factor = Rational(9, 4)
    shown = bound.expr.subs(constant_values(bound))
    rate = sympy.simplify(sympy.expand_log(log(2 / shown), force=True).subs({t: 1, norm: 1, root: 1, largest: 1}))
    form = 2 * exp(-rate * sympy.Min(t**2 / (norm * root) ** 2, t / (norm * largest)))
    wide = Witness(10**6, lambda: flint.arb("1.54"), lambda t: (t / flint.arb(2 * 10**6).sqrt()).erfc() / 2)
    found = violated_by(bound, (CENTRED_EXPONENTIAL, wide), (*TAIL_LEVELS, 10**4))
    near = nonnegative(factor * (exp(X) - 1) - X**2 * exp(X / 2), X, 0, 20)
    # exp(x/2) >= (x/2)^4/24 is at least x^2/2 from x^2 = 192 on; and exp(x) - 1 >= (8/9) exp(x).
    far = all_of([at_least(20**2, 192), at_least(1 - exp(-20), Rational(8, 9))])
    least = min(1 / (2 * factor), Rational(1, 4))
    return [
        Step("not violated by an exponential variable and a wide sum", not found),
        Step(f"x^2 exp(x/2) <= 9/4 (exp(x) - 1) up to 20{near.where}", near),
        Step("and beyond", far),
        Step("one rate for two branches", is_zero(shown - form) or None),
        Step("within Chernoff's exponents", at_least(least, rate) or None),
    ]


@claim(
    "chatterji2021:thm-F.7",
    bound=sheet.fact_F_7_level.reads("m*(1 + sqrt(log(1/delta)/(C*m)))**2"),
    premises="none needed: entries are independent standard Gaussians: the law is exact in every dimension",
    regime=Regime(cells=grid(m=[1, 50, 500, 10**6], delta=[0.5, 1e-3, 1e-60])),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("constant 1", bound="m*(1 + sqrt(log(1/delta)/m))**2", cells=grid(m=500, delta=1e-60)),
        control("constant 5/9", bound="m*(1 + sqrt(9*log(1/delta)/(5*m)))**2", cells=grid(m=1, delta=1e-300)),
        control("1 + t^2 for (1 + t)^2", bound="m + 2*log(1/delta)"),
        control("twice the variance", variance=2.0),
    ],
    note="C is 1/2, the best: a single Gaussian leaves no more far out",
)
def gaussian_norm(threshold: float, m: int, *, variance: float = 1.0) -> Tail:
    """P(sum of m squares of N(0, 1) >= bound), at most delta: sigma = 1, by scaling, eta = sqrt(log(1/delta)/(C m))."""
    exact = float(chi2.sf(threshold / variance, m))
    return Tail(exact, exact)

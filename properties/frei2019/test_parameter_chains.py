"""frei2019: parameter chains of Corollary 3.7, conditions that imply one another up to constants and logarithms.

Each is an inequality between powers and needs no network: the radius (11), and the width, samples and steps at which
the terms of the error are as small as eps. gamma is the margin, at most 1.
"""

import sympy
from sympy import Rational, sqrt

from bounds import Bound, symbol
from bounds.papers import frei2019 as sheet
from properties.shared.implications import equivalent, implies
from theory.claims import Regime, Verdict, claim, control, grid
from theory.evidence import Proof, Step

m, n, d, K, eta, eps, tau, gamma = map(symbol, ("m", "n", "d", "K", "eta", "eps", "tau", "gamma"))

EQUAL = "none: the exponents are equal"
# Of the radius, in what flips: Lemma B.4.
FLIPS = Rational(4, 3)
RADIUS = sheet.eq_11_order.expr
# K eta of Theorem 3.5, by the radius.
TIME = gamma**4 * tau**2


@claim(
    "frei2019:eq-11",
    bound=sheet.eq_11_order.reads("1/(gamma**4*eps*sqrt(m))"),
    premises="none needed: powers alone, no constants or logarithms, of gamma, eps below and m, n, d, K above 1",
    sense=">=",
    measured=["gamma", "eps", "m"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("gamma^(-2), as in the display before", bound="1/(gamma**2*eps*sqrt(m))"),
        control("1/eps^2", bound="1/(gamma**4*eps**2*sqrt(m))"),
        control("1/m", bound="1/(gamma**4*eps*m)"),
        control("a time without the margin", time=tau**2),
    ],
)
def radius_of_the_error(bound: Bound, *, time: sympy.Expr = TIME) -> list[Step]:
    """The radii tau for which (K eta m)^(-1/2)/gamma^2, with K eta = gamma^4 tau^2, is at most eps."""
    error = 1 / (sqrt(time * m) * gamma**2)
    return equivalent(("the radius", "the error is small"), tau >= bound.expr, error <= eps)


@claim(
    "frei2019:a3-rates",
    bound=">= 1/(gamma**32*eps**14)",
    premises="none needed: powers alone, no constants or logarithms, of gamma, eps below and m, n, d, K above 1",
    measured=["gamma", "eps"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("eps^(-13)", bound="1/(gamma**32*eps**13)"),
        control("gamma^(-28)", bound="1/(gamma**28*eps**14)"),
        control("eps^(-2), as for the radius", bound=sheet.a3_rates_radius_order),
        control("the term with tau, and not its power 4/3", power=1),
    ],
    scope="chain: the width of the linearisation; radius, samples and steps are variants",
)
def width_of_the_linearisation(bound: Bound, *, power: sympy.Expr = FLIPS) -> list[Step]:
    """The widths m for which tau^(4/3) sqrt(m) is at most eps, at the radius tau = 1/(gamma^4 eps sqrt(m))."""
    return equivalent(("the width", "the term is small"), m >= bound.expr, RADIUS**power * sqrt(m) <= eps)


@claim(
    "frei2019:a3-rates-radius",
    title="width at which the radius is one that Theorem 3.5 admits",
    bound=sheet.a3_rates_radius_order.reads("1/(gamma**32*eps**2)"),
    premises="none needed: powers alone, no constants or logarithms, of gamma, eps below and m, n, d, K above 1",
    sense=">=",
    measured=["gamma", "eps"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("gamma^(-24)", bound="1/(gamma**24*eps**2)"),
        control("1/eps", bound="1/(gamma**32*eps)"),
        control("radii up to gamma^3, as in Lemma 4.3", largest=gamma**3),
    ],
)
def width_of_the_radius(bound: Bound, *, largest: sympy.Expr = gamma**12) -> list[Step]:
    """The widths m for which the radius tau = 1/(gamma^4 eps sqrt(m)) is at most gamma^12."""
    return equivalent(("the width", "the radius is admitted"), m >= bound.expr, largest >= RADIUS)


# How complexities of classes that are linear fall with the samples.
FALLS = 1 / sqrt(n)


@claim(
    "frei2019:a3-rates-samples",
    title="samples at which the linear part of the complexity is small",
    bound=">= 1/(gamma**8*eps**4)",
    premises="none needed: powers alone, no constants or logarithms, of gamma, eps below and m, n, d, K above 1",
    measured=["gamma", "eps"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("eps^(-2), as for the last term", bound="1/(gamma**8*eps**2)"),
        control("gamma^(-4)", bound="1/(gamma**4*eps**4)"),
        control("1/n, and not its root", falls=1 / n),
    ],
)
def samples_of_the_linear_part(bound: Bound, *, falls: sympy.Expr = FALLS) -> list[Step]:
    """The sample sizes n for which tau sqrt(m/n) is at most eps, at the radius tau = 1/(gamma^4 eps sqrt(m))."""
    return equivalent(("the samples", "the term is small"), n >= bound.expr, RADIUS * sqrt(m) * falls <= eps)


@claim(
    "frei2019:a3-rates-steps",
    title="number of steps of Corollary 3.7 in order",
    bound=">= 1/(gamma**8*eps**2)",
    premises="none needed: powers alone, no constants or logarithms, of gamma, eps below and m, n, d, K above 1",
    measured=["gamma", "eps"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("gamma^(-4), as printed", bound="1/(gamma**4*eps**2)"),
        control("1/eps", bound="1/(gamma**8*eps)"),
        control("steps of 1/m without the margin", step=1 / m),
    ],
    note="the corollary hides the power of the margin in a polynomial",
)
def steps_of_the_corollary(bound: Bound, *, step: sympy.Expr = gamma**4 / m) -> list[Step]:
    """The order of K if K eta = gamma^4 tau^2, at tau = 1/(gamma^4 eps sqrt(m)) and the largest step, gamma^4/m."""
    asked = sympy.powsimp(TIME.subs(tau, RADIUS) / step, force=True)
    return equivalent(("the steps", "time over step"), bound.expr <= K, asked <= K)


# What Lemma B.4 asks of the width at the radius (11).
FLIPPED = RADIUS ** (-FLIPS) * d


@claim(
    "frei2019:a3-width",
    bound=">= d + eps**(-14)",
    premises="none needed: powers alone, no constants or logarithms, of gamma, eps below and m, n, d, K above 1",
    measured=["d", "eps"],
    regime=Regime(cells=grid()),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[
        control("eps^(-2), as before the second term", bound="d + eps**(-2)"),
        control("without the dimension", bound="eps**(-14)"),
    ],
    note="max(d, eps^-14) in print, the factor d of Lemma B.4 dropped: at d = eps^(-7) a width of eps^(-17) is needed",
)
def width_in_print(bound: Bound) -> list[Step]:
    """Whether widths m from the bound on are at least tau^(-4/3) d, with tau = 1/(eps sqrt(m)), the margin fixed."""
    return [implies("the width", [m >= bound.expr], FLIPPED.subs(gamma, 1) <= m)]


@claim(
    "frei2019:a3-width-corrected",
    title="width at which few gates flip within the radius (11)",
    bound=">= gamma**16*d**3*eps**4",
    premises="none needed: powers alone, no constants or logarithms, of gamma, eps below and m, n, d, K above 1",
    measured=["gamma", "d", "eps"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("d^2", bound="gamma**16*d**2*eps**4"),
        control("gamma^20", bound="gamma**20*d**3*eps**4"),
        control("without the factor d", asked=FLIPPED / d),
    ],
    note="beside those of the other lemmas",
)
def width_of_few_flips(bound: Bound, *, asked: sympy.Expr = FLIPPED) -> list[Step]:
    """The widths m that are at least tau^(-4/3) d, at the radius tau = 1/(gamma^4 eps sqrt(m))."""
    return equivalent(("the width", "Lemma B.4"), m >= bound.expr, asked <= m)


@claim(
    "frei2019:corollary-3.7",
    bound=">= 1/(gamma**32*eps**14) + gamma**16*d**3*eps**4",
    premises="none needed: powers alone, no constants or logarithms, of gamma, eps below and m, n, d, K above 1",
    measured=["gamma", "eps", "d"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("without the dimension's cube", bound="1/(gamma**32*eps**14) + d/gamma**2"),
        control("as printed, up to powers of the margin", bound="d/gamma**32 + 1/(gamma**32*eps**14)"),
        control("eps^(-13)", bound="1/(gamma**32*eps**13) + gamma**16*d**3*eps**4"),
        control("gamma^(-28)", bound="1/(gamma**28*eps**14) + gamma**16*d**3*eps**4"),
        control("fewer samples than the linear part needs", samples=1 / (gamma**8 * eps**3)),
        control("fewer steps, with gamma^(-4)", steps=1 / (gamma**4 * eps**2)),
    ],
    note="tau is (11), with gamma^(-8) eps^(-4) samples and gamma^(-8) eps^(-2) steps of gamma^4/m; the sum exceeds "
    "d/gamma^2",
    scope="chain: the orders of width, samples and steps",
)
def width_of_the_corollary(
    bound: Bound, *, samples: sympy.Expr = 1 / (gamma**8 * eps**4), steps: sympy.Expr = 1 / (gamma**8 * eps**2)
) -> list[Step]:
    """Whether all widths from the bound on have tau <= gamma^12, m >= tau^(-4/3) d, m >= d/gamma^2, errors <= eps."""
    wide = [eps <= 1, *[m >= term for term in sympy.Add.make_args(bound.expr)]]
    return [
        implies("the radius of Theorem 3.5", wide, gamma**12 >= RADIUS),
        implies("few flips, Lemma B.4", wide, m >= FLIPPED),
        implies("aligned states, Proposition C.5", wide, d / gamma**2 <= m),
        implies("the linearisation", wide, RADIUS**FLIPS * sqrt(m) <= eps),
        implies("the linear part", [*wide, n >= samples], RADIUS * sqrt(m) * FALLS <= eps),
        implies("the last term", [*wide, n >= samples], eps >= FALLS),
        implies("the steps", [steps <= K], sympy.powsimp(TIME.subs(tau, RADIUS) * m / gamma**4, force=True) <= K),
    ]

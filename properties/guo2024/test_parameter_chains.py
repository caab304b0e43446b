"""guo2024: parameter chains, conditions on the sizes that imply one another up to constants and logarithms.

Each is an inequality between powers and needs no network: the radius that the proofs need, the widths and step sizes of
Theorems 3.1, 3.2, 3.4, B.12, B.14 and B.15, numbers of steps, and the terms of the risk bounds. The slope enters by
`jump`, whose square is f(alpha) and which tends to 0 as alpha tends to 1. They stand here whatever their theme.
"""

import math
from fractions import Fraction

import sympy
from sympy import Rational, sqrt

from bounds import Bound, symbol
from bounds.decisions.chain import Range
from bounds.papers import guo2024 as sheet
from properties.shared.implications import equivalent, implies, one_product
from theory.claims import Regime, Verdict, claim, control, form, grid, reals
from theory.evidence import Proof, Search, Step

m, n, depth, outputs, phi, jump, omega = map(symbol, ("m", "n", "depth", "outputs", "phi", "jump", "omega"))
eta, K, B, clock, p = map(symbol, ("eta", "K", "B", "clock", "p"))

EQUAL = "none: the exponents are equal"
RADIUS = sheet.lemma_4_2_radius_order.expr
# Slack in the exponents of a width is positive and as small as one likes; how early or late one stops is any share.
SLACK = Range(Fraction(0), Fraction(1), open_low=True)

TERM = omega ** Rational(1, 3) * n * depth**2 / sqrt(phi)


@claim(
    "guo2024:eq-15",
    bound=sheet.lemma_4_2_radius_order.reads("phi**(3/2)/(n**(3/2)*depth**(15/2))"),
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["n", "phi", "depth"],
    regime=Regime(cells=grid()),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[
        control("twice the power of n in the term", term=TERM * n),
        control("a larger radius", bound="phi**(3/2)/(n*depth**6)"),
    ],
    note="the bound is the radius of Lemma 4.2; at one layer and n = t samples the term is sqrt(t) there",
)
def absorption_at_the_radius_of_the_lemma(bound: Bound, *, term: sympy.Expr = TERM) -> list[Step]:
    """Whether (15)/(eta ||grad L||_F^2) = omega^(1/3) n L^2/sqrt(phi) is bounded for all omega up to the bound."""
    return [implies("the term with kinks is absorbed", [omega <= bound.expr], term <= 1)]


@claim(
    "guo2024:eq-15-corrected",
    bound=sheet.eq_15_radius_order.reads("phi**(3/2)/(n**3*depth**6)"),
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["n", "phi", "depth"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("n^(-3/2), as Lemma 4.2 asks", bound="phi**(3/2)/(n**(3/2)*depth**6)"),
        control("phi^2, more than is needed", bound="phi**2/(n**3*depth**6)"),
        control("the root of omega for its cube root", term=sqrt(omega) * n * depth**2 / sqrt(phi)),
        control("one power of L less in the term", term=TERM / depth),
    ],
)
def radius_that_absorbs(bound: Bound, *, term: sympy.Expr = TERM) -> list[Step]:
    """The omega with (15)/(eta ||grad L||_F^2) = omega^(1/3) n L^2/sqrt(phi) bounded: up to the bound, no others."""
    return equivalent(("the radius", "the term is absorbed"), omega <= bound.expr, term <= 1)


CHANGE = omega ** Rational(2, 3) * depth**4 * m / outputs


@claim(
    "guo2024:eq-92",
    bound=sheet.lemma_4_2_radius_order.reads("phi**(3/2)/(n**(3/2)*depth**(15/2))"),
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["n", "phi", "depth"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("n^(-1)", bound="phi**(3/2)/(n*depth**(15/2))"),
        control("L^(-8), more than is needed", bound="phi**(3/2)/(n**(3/2)*depth**8)"),
        control("phi, not its power", bound="phi/(n**(3/2)*depth**(15/2))"),
        control("the change grows with one power of L more", change=CHANGE * depth),
    ],
    note="as printed: without the slope and without the factor n that (85) leads to",
)
def change_below_the_bound(bound: Bound, *, change: sympy.Expr = CHANGE) -> list[Step]:
    """The omega with omega^(2/3) L^4 m/d <= phi m/(n d L), in both directions; it is then below m n/d as well."""
    below = change <= phi * m / (n * outputs * depth)
    upper = implies("and below the upper bound", [omega <= bound.expr], change <= m * n / outputs)
    return [*equivalent(("the radius", "the change is smaller"), omega <= bound.expr, below), upper]


@claim(
    "guo2024:eq-92-corrected",
    bound="jump**3*phi**(3/2)/(n**3*depth**(15/2))",
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["n", "phi", "depth", "jump"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("the radius of Lemma 4.2", bound=sheet.lemma_4_2_radius_order),
        control("without the factor n of the triangle inequality", change=CHANGE),
        control("jump^4, more than is needed", bound="jump**4*phi**(3/2)/(n**3*depth**(15/2))"),
    ],
    note="print lacks f(alpha) and the factor n of (85); the second inequality, below m n/d, is in eq-92. d: outputs",
)
def change_below_the_bound_with_slope(bound: Bound, *, change: sympy.Expr = CHANGE * n) -> list[Step]:
    """The omega with n omega^(2/3) L^4 m/d <= f(alpha) phi m/(n d L), f(alpha) = jump^2, in both directions."""
    below = change <= jump**2 * phi * m / (n * outputs * depth)
    return equivalent(("the radius", "the change is smaller"), omega <= bound.expr, below)


# The largest entry of the part of a pre-activation's change that is spread over all neurons.
UNIFORM = omega * depth ** Rational(5, 2) / sqrt(m)


@claim(
    "guo2024:claim-xi-optimal-radius",
    title="radius at which the best threshold exceeds the uniform part",
    kind="implication",
    bound=sheet.lemma_B_4_radius_order.reads("depth**(-9/2)"),
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["depth"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("L^(-4)", bound="depth**(-4)"),
        control("L^(-5), more than is needed", bound="depth**(-5)"),
        control("a uniform part without L^(5/2)", uniform=omega / sqrt(m)),
    ],
    note="in both directions; g_1 and g_2 are the parts that Lemma B.4 has of the change g'",
)
def threshold_above_the_uniform_part(bound: Bound, *, uniform: sympy.Expr = UNIFORM) -> list[Step]:
    """The omega with ||g_1||^(2/3)/sqrt(m) >= max |g_2|, ||g_1|| = omega L^(3/2), max |g_2| = omega L^(5/2)/sqrt(m)."""
    least = (omega * depth ** Rational(3, 2)) ** Rational(2, 3) / sqrt(m)
    return equivalent(("the radius", "the threshold is larger"), omega <= bound.expr, least >= uniform)


@claim(
    "guo2024:eq-121",
    bound=sheet.eq_121.reads("n**5*depth**2/(jump**4*phi**2*B)"),
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    sense=">=",
    measured=["n", "depth", "jump", "phi", "B"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("n^4", bound="n**4*depth**2/(jump**4*phi**2*B)"),
        control("f(alpha) for its square", bound="n**5*depth**2/(jump**2*phi**2*B)"),
        control("growth not rooted in n B", growth=eta * m * depth * n * B / outputs),
    ],
    note="k steps are clock; beta of (117), gamma of Theorem 3.2, f(alpha) = jump^2; m, d and eta cancel",
)
def steps_before_the_rate(bound: Bound, *, growth: sympy.Expr = sheet.eq_117_order.expr) -> list[Step]:
    """The k >= ((beta - 1)/(1 - gamma))^2; beta - 1 = eta m L sqrt(n b)/d, 1 - gamma = f(alpha) eta b phi m/(n^2 d)."""
    asked = (growth / sheet.theorem_3_2_rate_order.expr) ** 2
    return equivalent(("the steps", "the quotient"), clock >= bound.expr, clock >= asked)


def _steps_to(bound: Bound, rate: sympy.Expr, define: dict[str, sympy.Expr] | None = None) -> list[Step]:
    """That the bound is the order of 1/(1 - gamma), in both directions."""
    asked = sympy.powsimp(1 / rate, force=True)
    return equivalent(("the steps", "1/(1 - gamma)"), bound.expr <= K, asked <= K, define=define or {})


@claim(
    "guo2024:theorem-3.1-T",
    bound=sheet.theorem_3_1_T_printed.reads("n*outputs/(eta*phi*m)"),
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    sense=">=",
    measured=["n", "outputs", "eta", "phi", "m"],
    regime=Regime(cells=grid()),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[
        control("without the separation too", bound="n*outputs/(eta*m)"),
        control("the root", bound="sqrt(n*outputs/(eta*phi*m))"),
    ],
    note="slopes 1 - 1/t make it short by t^2; f(alpha) is of the order jump^2",
)
def steps_of_descent_in_print(bound: Bound) -> list[Step]:
    """Whether 1/(1 - gamma), T but for logarithms, 1 - gamma = f(alpha) eta phi m/(n d), is of the bound's order."""
    return _steps_to(bound, sheet.theorem_3_1_rate_order.expr)


@claim(
    "guo2024:theorem-3.1-T-corrected",
    bound=">= n*outputs/(jump**2*eta*phi*m)",
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["n", "outputs", "jump", "eta", "phi", "m"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("as printed, without the slope", bound=sheet.theorem_3_1_T_printed),
        control("the square of f(alpha)", bound="n*outputs/(jump**4*eta*phi*m)"),
        control("a rate with the depth", rate=sheet.theorem_3_1_rate_order.expr / depth),
    ],
)
def steps_of_descent(bound: Bound, *, rate: sympy.Expr = sheet.theorem_3_1_rate_order.expr) -> list[Step]:
    """The order of 1/(1 - gamma), T but for logarithms, 1 - gamma = jump^2 eta phi m/(n d), in both directions."""
    return _steps_to(bound, rate)


@claim(
    "guo2024:theorem-3.1-T-exact",
    title="number of steps to an accuracy against the gap of the rate",
    kind="deterministic",
    bound="log(L0/eps)/(1 - gamma)",
    premises="none needed: any rate in (0, 1), and accuracies in (0, L0), as drawn",
    regime=Regime(cells=grid(L0=[1.0, 50.0]), draw={"gamma": reals(0.01, 0.9999), "eps": reals(1e-6, 0.9)}),
    evidence=Search(),
    controls=[
        control("the rate in the numerator", bound="gamma*log(L0/eps)/(1 - gamma)"),
        control("the gap of its square", bound="log(L0/eps)/(1 - gamma**2)"),
        control("without the loss at the start", bound="log(1/eps)/(1 - gamma)"),
    ],
    note="with equality as the rate tends to 1; no order is hidden",
)
def steps_to_an_accuracy(L0: float, gamma: float, eps: float) -> float:
    """The number T = log(eps/L0)/log(gamma) of steps after which gamma^T L0 is eps, L0 the loss at the start."""
    return math.log(eps / L0) / math.log(gamma)


@claim(
    "guo2024:theorem-3.2-T",
    bound=sheet.theorem_3_2_T_printed.reads("jump**2*eta*B*phi*m/(n**2*outputs)"),
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    sense=">=",
    measured=["n", "outputs", "jump", "eta", "phi", "m", "B"],
    regime=Regime(cells=grid()),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[
        control("without the slope, as it is printed there", bound="eta*B*phi*m/(n**2*outputs)"),
        control("squared", bound="(jump**2*eta*B*phi*m/(n**2*outputs))**2"),
    ],
    note="the fraction stands upside down; in print it lacks jump^2 as well, see the control",
)
def steps_of_stochastic_descent_in_print(bound: Bound) -> list[Step]:
    """Whether 1/(1 - gamma), T but for logarithms, 1 - gamma = jump^2 eta b phi m/(n^2 d), is of the bound's order."""
    return _steps_to(bound, sheet.theorem_3_2_rate_order.expr)


@claim(
    "guo2024:theorem-3.2-T-corrected",
    bound=">= n**2*outputs/(jump**2*eta*B*phi*m)",
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["n", "outputs", "jump", "eta", "phi", "m", "B"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("as printed, upside down", bound=sheet.theorem_3_2_T_printed),
        control("n, as without batches", bound="n*outputs/(jump**2*eta*B*phi*m)"),
        control("the rate of gradient descent", rate=sheet.theorem_3_1_rate_order.expr),
    ],
)
def steps_of_stochastic_descent(bound: Bound, *, rate: sympy.Expr = sheet.theorem_3_2_rate_order.expr) -> list[Step]:
    """The order of 1/(1 - gamma), T but for logarithms, 1 - gamma = jump^2 eta b phi m/(n^2 d), in both directions."""
    return _steps_to(bound, rate)


@claim(
    "guo2024:appA-T-order",
    bound=sheet.appA_T_order_printed.reads("depth**2*n**2"),
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    sense=">=",
    measured=["n", "depth"],
    regime=Regime(cells=grid()),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[control("one power of n less", bound="depth**2*n"), control("without the depth", bound="n**2")],
    note="close points, phi = 1/t, make it short by t",
)
def last_step_in_print(bound: Bound) -> list[Step]:
    """Whether 1/(1 - gamma), 1 - gamma = jump^2 eta phi m/(n d), eta = d/(n L^2 m), is of the order of (n L)^2."""
    return _steps_to(bound, sheet.theorem_3_1_rate_order.expr, {"eta": sheet.theorem_3_1_step_order.expr})


@claim(
    "guo2024:appA-T-order-corrected",
    bound=sheet.appA_T_order.reads("depth**2*n**2/(jump**2*phi)"),
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    sense=">=",
    measured=["n", "depth", "jump", "phi"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("as printed", bound=sheet.appA_T_order_printed),
        control("the step size of Theorem 3.2", step=sheet.theorem_3_2_step_order.expr),
    ],
)
def last_step(bound: Bound, *, step: sympy.Expr = sheet.theorem_3_1_step_order.expr) -> list[Step]:
    """The order of 1/(1 - gamma), 1 - gamma = jump^2 eta phi m/(n d), at eta = d/(n L^2 m), in both directions."""
    return _steps_to(bound, sheet.theorem_3_1_rate_order.expr, {"eta": step})


@claim(
    "guo2024:claim-B15-improvement",
    bound=sheet.claim_B15_improvement_printed.reads("1/depth"),
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["depth"],
    regime=Regime(cells=grid()),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[control("better still", bound="1/depth**2"), control("by the root", bound="1/sqrt(depth)")],
    note="p in (0, 1] is tau; the term of the class is larger by sqrt(L)/phi^tau. The other two are in corrected",
)
def improvement_in_print(bound: Bound) -> list[Step]:
    """Whether d^(3/2+p) n^(1/2+p) L^p of B.15 is at most the bound times d^(3/2+p) phi^p n^(1/2+p)/L^(1/2-p) of 3.4."""
    return [_improved(bound)]


def _improved(bound: Bound) -> Step:
    """That the class's term from kinks is at most the bound times that of Theorem 3.4."""
    return implies(
        "the first term", [], sheet.theorem_B_15_bent.expr <= sheet.theorem_3_4_bent.expr * bound.expr, p=SLACK
    )


@claim(
    "guo2024:claim-B15-improvement-corrected",
    bound="sqrt(depth)*phi**(-p)",
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["depth", "phi", "p"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("as printed", bound=sheet.claim_B15_improvement_printed),
        control("the rate better by n alone", rate=n),
    ],
    note="of the other improvements that of the rate is as printed, n/(phi d); sqrt(d^3 phi)/(L sqrt(n)), of the "
    "printed linear term, lacks phi^(-tau)",
)
def improvement(bound: Bound, *, rate: sympy.Expr = n / (phi * outputs)) -> list[Step]:
    """The order of d^(3/2+p) n^(1/2+p) L^p of B.15 over d^(3/2+p) phi^p n^(1/2+p)/L^(1/2-p) of 3.4, p, tau in print,
    in (0, 1], and of 1 - gamma of B.14 over that of 3.1, both ways; the linear term of B.15 over 3.4's, from above."""
    special = jump**2 * eta * m / outputs**2
    linear = sqrt(outputs**3 * phi) / (depth * sqrt(n)) * sheet.theorem_3_4_linear_printed.expr
    least = sheet.theorem_B_15_bent.expr >= sheet.theorem_3_4_bent.expr * bound.expr
    return [
        _improved(bound),
        implies("and not less", [], least, p=SLACK),
        *equivalent(("the rate", "of the class"), special >= K, sheet.theorem_3_1_rate_order.expr * rate >= K),
        implies("the linear term", [], sheet.theorem_B_15_linear.expr <= linear * phi ** (-p), p=SLACK),
    ]


@claim(
    "guo2024:claim-omega-small-t",
    bound=sheet.claim_omega_small_t_printed.reads("eta*clock*sqrt(m*n/outputs)"),
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["eta", "clock", "m", "n", "outputs"],
    regime=Regime(cells=grid()),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[
        control("one root of n less", bound="eta*clock*sqrt(m/outputs)"),
        control("without the steps", bound="eta*sqrt(m*n/outputs)"),
    ],
    note="the loss at the start is of order n, whose root is lost; the second bound there, for all t, is (111) "
    "without its slope",
)
def early_distance_in_print(bound: Bound) -> list[Step]:
    """Whether t = clock steps of length eta sqrt(m n/d) sqrt(L_0), the loss L_0 of order n, stay within the bound."""
    return [implies("the distance", [], _early(n) <= bound.expr)]


def _early(loss: sympy.Expr) -> sympy.Expr:
    """The length of t steps of length eta sqrt(m n/d) times the root of the loss."""
    return eta * clock * sqrt(m * n / outputs) * sqrt(loss)


@claim(
    "guo2024:claim-omega-small-t-corrected",
    bound="eta*clock*n*sqrt(m/outputs)",
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["eta", "clock", "m", "n", "outputs"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("as printed", bound=sheet.claim_omega_small_t_printed),
        control("a loss of order n^2", loss=n**2),
    ],
)
def early_distance(bound: Bound, *, loss: sympy.Expr = n) -> list[Step]:
    """The order of t = clock steps of length eta sqrt(m n/d) sqrt(L_0), L_0 of order n, in both directions."""
    return equivalent(("the bound", "the distance"), omega <= bound.expr, omega <= _early(loss))


@claim(
    "guo2024:claim-sgd-omega",
    bound=sheet.claim_sgd_omega_printed.reads("outputs*n/(phi*sqrt(B*m))"),
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["outputs", "n", "phi", "m", "B"],
    regime=Regime(cells=grid()),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[
        control("without the separation", bound="outputs*n/sqrt(B*m)"),
        control("the root of n", bound="outputs*sqrt(n)/(phi*sqrt(B*m))"),
    ],
    note="the second bound there, for all t: n = t samples make it short by t^(3/2), slopes 1 - 1/t by t^4",
)
def stochastic_distance_in_print(bound: Bound) -> list[Step]:
    """Whether n^2 sqrt(d L_0)/(jump^4 phi L sqrt(m b)), L_0 of order n, is at most the bound.

    It is the distance of Lemma B.10 at the step size of Theorem 3.2, with L^3; without L as printed there, with L^2."""
    return [implies("the distance", [], sheet.lemma_B_10_order.expr <= bound.expr)]


@claim(
    "guo2024:claim-sgd-omega-corrected",
    bound=sheet.lemma_B_10_order.reads("n**(5/2)*sqrt(outputs)/(depth*jump**4*phi*sqrt(B*m))"),
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["outputs", "n", "phi", "m", "B", "jump", "depth"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("as printed", bound=sheet.claim_sgd_omega_printed),
        control("steps of gradient descent", step=sheet.theorem_3_1_step_order.expr),
    ],
    note="the second bound there, for all t, printed n d/(phi sqrt(m b)); 1/L is from the step size of Theorem 3.2",
)
def stochastic_distance(bound: Bound, *, step: sympy.Expr = sheet.theorem_3_2_step_order.expr) -> list[Step]:
    """The order of n^5 L^2/(jump^4 phi^2 b) steps, by (121), each eta sqrt(m b/d) sqrt(n), eta = d phi/(m n^3 L^3)."""
    most = step * sqrt(m * B / outputs) * sheet.eq_121.expr * sqrt(n)
    return equivalent(("the bound", "the distance"), omega <= bound.expr, omega <= most)


FOUR_THIRDS = Rational(4, 3)


@claim(
    "guo2024:appA-early",
    bound="jump*outputs**(1/6)*phi**(2/3)*n**(-4*p/3 - 1)*depth**(-4*p/3 - 11/6)",
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["jump", "outputs", "phi", "n", "depth", "p"],
    regime=Regime(cells=grid()),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[
        control("L^(-2)", bound="jump*outputs**(1/6)*phi**(2/3)*n**(-4*p/3-1)*depth**(-4*p/3-2)"),
        control("n^(-2)", bound="jump*outputs**(1/6)*phi**(2/3)*n**(-4*p/3-2)*depth**(-4*p/3-11/6)"),
    ],
    note="what the term from kinks of (7) as printed gives there; with the loss at the start of order n and the factor "
    "d of Lemma 4.3 the term is larger by d^(4/3) n^(2/3)",
)
@form(
    "corrected",
    bound="jump*outputs**(3/2)*phi**(2/3)*n**(-4*p/3 - 1/3)*depth**(-4*p/3 - 11/6)",
    expected=Verdict.PROVED,
    evidence=Proof(margin=EQUAL),
    controls=[
        control("the width of Theorem 3.1", width=sheet.theorem_3_1_width_order.expr * jump**2),
        control("t to the first power", power=1),
        control("the term of (7) as printed", term=sheet.theorem_3_4_early.expr),
    ],
)
def early_term(
    bound: Bound,
    *,
    width: sympy.Expr = n**10 * depth**15 * outputs / phi**4,
    power: sympy.Expr = FOUR_THIRDS,
    term: sympy.Expr = sheet.theorem_3_4_early_corrected.expr,
) -> list[Step]:
    """The order of jump d^(5/3) t^(4/3)/(m^(1/6) L^(2/3)), the term from kinks by Lemma 4.3, in both directions.
    At t = (nL)^(1 - kappa), kappa = p in [0, 1], m = n^10 L^15 d/phi^4, loss of order n at the start; no other term."""
    value = term / clock**FOUR_THIRDS * clock**power
    value = one_product(value.subs(m, width).subs(clock, (n * depth) ** (1 - p)))
    slack = Range(Fraction(0), Fraction(1))
    return equivalent(("the bound", "the term"), bound.expr >= omega, value >= omega, p=slack)


@claim(
    "guo2024:appA-late",
    bound="depth*sqrt(n)",
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["depth", "n"],
    regime=Regime(cells=grid()),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[control("one root less", bound="sqrt(depth)*sqrt(n)"), control("without the depth", bound="sqrt(n)")],
    note="kappa = 1 and the linear terms alone: at n = L = s the minimum is s^2, the bound s^(3/2). tau is 0 here, and "
    "above 0 in print, where the bound is s^(3/2 + tau): too small for every tau below 1/2",
)
def late_terms_in_print(bound: Bound) -> list[Step]:
    """Whether min(t/(n L), n^(1/2) L^2), the linear terms of (7) for d = phi = 1, at t = (nL)^2, is at most it."""
    return [implies("the terms", [clock <= n * depth, clock <= sqrt(n) * depth**2], clock <= bound.expr)]


def _final(term: sympy.Expr, steps: sympy.Expr) -> sympy.Expr:
    """A term that grows with t at so many steps."""
    return one_product(term.subs(clock, steps))


# The least of the widths of Theorem 3.4, as printed, for tau of at most 1/2.
LEAST_WIDTH = n**10 * depth**15 * outputs / phi**3


@claim(
    "guo2024:appA-late-corrected",
    bound="outputs**(3/2)*n**(1/2 + p)*depth**p",
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["depth", "n", "outputs", "p"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("(n L)^kappa, as printed", bound="outputs**(3/2)*(n*depth)**p"),
        control("the term of (7) as printed", term=sheet.theorem_3_4_early_linear.expr),
        control("t = (n L)^2, whatever kappa is", power=2),
        control("twice kappa in the power of the depth", bound="outputs**(3/2)*n**(1/2 + p)*depth**(2*p)"),
    ],
    note="so of (7) by Lemma 4.3 all terms of complexity together have this order: of each pair the lesser counts",
)
def late_terms(
    bound: Bound, *, term: sympy.Expr = sheet.theorem_3_4_early_linear_corrected.expr, power: sympy.Expr = 1 + p
) -> list[Step]:
    """The order of d^(3/2) t/(sqrt(n) L), the linear term by Lemma 4.3, at t = (nL)^(1 + kappa), both ways.

    kappa = p in (0, 1]. At the printed width, for tau of at most 1/2, the term from kinks is nowhere above it, and the
    linear one that does not grow with t nowhere below.
    """
    steps = (n * depth) ** power
    kinks = _final(sheet.theorem_3_4_early_corrected.expr.subs(m, LEAST_WIDTH), steps)
    grown = one_product(sheet.lemma_4_3_linear_order.expr.subs(m, LEAST_WIDTH).subs(omega, RADIUS))
    return [
        *equivalent(("the bound", "the term"), bound.expr >= omega, _final(term, steps) >= omega, p=SLACK),
        implies("the term from kinks", [], kinks <= bound.expr, p=SLACK),
        implies("what does not grow with t", [], grown >= bound.expr, p=SLACK),
    ]


@claim(
    "guo2024:appA-final",
    bound=sheet.appA_final_printed.reads("jump**(11/3)*outputs**(1/3)*phi**(4/3)/(m**(1/6)*(n*depth)**(10/3))"),
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["jump", "outputs", "phi", "m", "n", "depth"],
    regime=Regime(cells=grid()),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[
        control("smaller still", bound="jump**(11/3)*outputs**(1/3)*phi**(4/3)/(m**(1/6)*(n*depth)**4)"),
        control("without the outputs", bound="jump**(11/3)*phi**(4/3)/(m**(1/6)*(n*depth)**(10/3))"),
    ],
    note="what 1/T for T gives, largest at alpha = -1 where the term itself is least; the linear one is in corrected",
)
def last_term_in_print(bound: Bound) -> list[Step]:
    """Whether jump d^(1/3) T^(4/3)/(m^(1/6) (nL)^(2/3)) of (7), at T = (nL)^2/(jump^2 phi), is at most the bound."""
    return [implies("the term", [], _final(sheet.theorem_3_4_early.expr, sheet.appA_T_order.expr) <= bound.expr)]


@claim(
    "guo2024:appA-final-corrected",
    bound="outputs**(5/3)*n**(8/3)*depth**2/(jump**(5/3)*phi**(4/3)*m**(1/6))",
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["jump", "outputs", "phi", "m", "n", "depth"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("as printed", bound=sheet.appA_final_printed),
        control("1/T for T", steps=1 / sheet.appA_T_order.expr),
        control("the term of (7) as printed", term=sheet.theorem_3_4_early.expr),
    ],
    scope="part: the two terms that grow with t, without their minima with what does not",
    note="in both directions; (ii) is of the order d^(3/2) n^(3/2) L/(jump^2 phi)",
)
def last_term(
    bound: Bound,
    *,
    steps: sympy.Expr = sheet.appA_T_order.expr,
    term: sympy.Expr = sheet.theorem_3_4_early_corrected.expr,
) -> list[Step]:
    """The orders of (i) jump d^(5/3) T^(4/3)/(m^(1/6) L^(2/3)), the bound, and (ii) d^(3/2) T/(sqrt(n) L).

    T = (nL)^2/(jump^2 phi); no other term of (7).
    """
    linear = _final(sheet.theorem_3_4_early_linear_corrected.expr, steps)
    named = (outputs * n) ** Rational(3, 2) * depth / (jump**2 * phi)
    return [
        *equivalent(("the bound", "the term"), bound.expr >= omega, _final(term, steps) >= omega),
        *equivalent(("the linear order", "the linear term"), named >= omega, linear >= omega),
    ]

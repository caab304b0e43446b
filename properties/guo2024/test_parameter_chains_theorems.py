"""guo2024: parameter chains of its theorems and lemmas: widths, step sizes, and the terms of the risk bounds.

Main claims: `radius_suits_the_lemmas` (Lemma 4.2), `width_for_gradient_descent` and `width_that_absorbs` (Theorem 3.1),
`width_for_stochastic_descent`, `width_that_contracts` and `exponent_of_the_constant` (Theorem 3.2), `term_from_kinks`
and `linear_term` (Theorem 3.4), and the like for Theorems B.12, B.14 and B.15. The slope enters by `jump`, whose square
is f(alpha). Up to constants and logarithms.
"""

from fractions import Fraction

import sympy
from sympy import Rational, sqrt

from bounds import Bound, symbol
from bounds.decisions.chain import Range
from bounds.papers import guo2024 as sheet
from properties.shared.implications import equivalent, implies, one_product
from theory.claims import Regime, claim, control, grid
from theory.evidence import Proof, Step

m, n, depth, outputs, jump, omega, phi = map(symbol, ("m", "n", "depth", "outputs", "jump", "omega", "phi"))
eta, clock, B, p = map(symbol, ("eta", "clock", "B", "p"))

EQUAL = "none: the exponents are equal"
RADIUS = sheet.lemma_4_2_radius_order.expr
# Slack in the exponents of a width is positive and as small as one likes.
SLACK = Range(Fraction(0), Fraction(1), open_low=True)


def _term(bound: Bound, order: Bound, width: sympy.Expr, radius: sympy.Expr) -> list[Step]:
    """That a term of Lemma 4.3, at this width and radius, is of the order of the bound, for every slack."""
    value = one_product(order.expr.subs(omega, radius).subs(m, width))
    return equivalent(("the bound", "the term"), clock <= bound.expr, clock <= value, p=SLACK)


@claim(
    "guo2024:lemma-4.2-radius",
    title="radius of the gradient bounds below those of the lemmas used",
    kind="implication",
    bound=sheet.lemma_4_2_radius_order.reads("phi**(3/2)/(n**(3/2)*depth**(15/2))"),
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["n", "phi", "depth"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="phi^(3/2), n^(-3/2) and L^(-3)"),
    controls=[
        control("L^(-4)", bound="phi**(3/2)/(n**(3/2)*depth**4)"),
        control("the square root of the depth", bound="phi**(3/2)/(n**(3/2)*sqrt(depth))"),
        control("a sparsity of m/L^3", sparsity=m / depth**3),
    ],
    blind={"n": "any negative power does", "phi": "any positive power does"},
    note="Lemmas 4.1, B.4 and B.5 ask for L^(-9/2), Lemma B.3 for supports of at most m/L entries",
)
def radius_suits_the_lemmas(bound: Bound, *, sparsity: sympy.Expr = m / depth) -> list[Step]:
    """That all omega up to the bound are L^(-9/2) at most, and that m omega^(2/3) L flips then are m/L at most."""
    given = [omega <= bound.expr]
    flips = m * omega ** Rational(2, 3) * depth
    ends = [implies("Lemmas 4.1, B.4, B.5", given, omega <= sheet.lemma_B_4_radius_order.expr)]
    return [*ends, implies("Lemma B.3", [omega <= sheet.lemma_B_4_radius_order.expr], flips <= sparsity)]


@claim(
    "guo2024:theorem-3.1-width-exponents",
    title="exponents of the width that keeps gradient descent in the ball",
    kind="implication",
    bound=sheet.theorem_3_1_width_order.reads("n**5*depth**15*outputs/(jump**2*phi**4)"),
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    sense=">=",
    measured=["n", "depth", "outputs", "jump", "phi"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("n^4", bound="n**4*depth**15*outputs/(jump**2*phi**4)"),
        control("radius that absorbs (15)", radius=sheet.eq_15_radius_order.expr),
    ],
    note="from the distance (111) with a loss of order n, and the radius of Lemma 4.2",
)
def width_for_gradient_descent(bound: Bound, *, radius: sympy.Expr = RADIUS) -> list[Step]:
    """The m with n sqrt(d/(phi m))/jump, as of (111), <= phi^(3/2)/(n^(3/2) L^(15/2)), in both directions."""
    stays = sheet.eq_111_order.expr <= radius
    return equivalent(("the width", "the distance below the radius"), m >= bound.expr, stays)


@claim(
    "guo2024:theorem-3.1-width-absorbed",
    title="exponents of the width that keeps gradient descent where (15) holds",
    kind="implication",
    bound=">= n**8*depth**12*outputs/(jump**2*phi**4)",
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["n", "depth", "outputs", "jump", "phi"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("the width of Theorem 3.1", bound=sheet.theorem_3_1_width_order),
        control("n^7", bound="n**7*depth**12*outputs/(jump**2*phi**4)"),
        control("the radius of Lemma 4.2", radius=RADIUS),
    ],
    note="n^8 L^12 where Theorem 3.1 prints n^5 L^15: what the repair of (15), whose radius this is, costs",
)
def width_that_absorbs(bound: Bound, *, radius: sympy.Expr = sheet.eq_15_radius_order.expr) -> list[Step]:
    """The m with n sqrt(d/(phi m))/jump, the distance (111), <= phi^(3/2)/(n^3 L^6), in both directions."""
    stays = sheet.eq_111_order.expr <= radius
    return equivalent(("the width", "the distance below the radius"), m >= bound.expr, stays)


@claim(
    "guo2024:lemma-B.9-step",
    title="width from which the step size of Theorem 3.1 suits the lemma on the distance",
    kind="implication",
    bound=">= depth**11*n**4*outputs/phi**3",
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["n", "depth", "outputs", "phi"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("n^3", bound="depth**11*n**3*outputs/phi**3"),
        control("L^12, more than is needed", bound="depth**12*n**4*outputs/phi**3"),
        control("steps without 1/L^2", step=outputs / (n * m)),
    ],
    note="the width of Theorem 3.1, n^5 L^15 d/(jump^2 phi^4), is shown to be that large",
)
def width_for_the_step(bound: Bound, *, step: sympy.Expr = sheet.theorem_3_1_step_order.expr) -> list[Step]:
    """The m with d/(n L^2 m), of Theorem 3.1, <= phi^(3/2) sqrt(d)/(n^3 L^(15/2) sqrt(m)), of B.9, both ways."""
    small = phi ** Rational(3, 2) * sqrt(outputs) / (n**3 * depth ** Rational(15, 2) * sqrt(m)) >= step
    given = [m >= sheet.theorem_3_1_width_order.expr]
    return [
        *equivalent(("the width", "the step is small enough"), m >= bound.expr, small),
        implies("the width of Theorem 3.1 is that large", given, m >= bound.expr),
    ]


@claim(
    "guo2024:theorem-3.2-width-exponents",
    title="exponents of the width that keeps stochastic descent in the ball",
    kind="implication",
    bound=">= n**8*depth**13*outputs/(jump**8*phi**5*B)",
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["n", "depth", "outputs", "jump", "phi", "B"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="L^15 is printed, L^13 does"),
    controls=[
        control("n^7", bound="n**7*depth**13*outputs/(jump**8*phi**5*B)"),
        control("(1 - alpha)^(-4) for its square", bound="n**8*depth**13*outputs/(jump**4*phi**5*B)"),
        control("radius that absorbs (15)", radius=sheet.eq_15_radius_order.expr),
    ],
    note="the distance is that of Lemma B.10 with a loss of order n, at the step size of Theorem 3.2, with L^3; the "
    "proof there has L^2, with which L^15 is right. The radius is that of Lemma 4.2",
)
def width_for_stochastic_descent(bound: Bound, *, radius: sympy.Expr = RADIUS) -> list[Step]:
    """The m with n^(5/2) sqrt(d)/(jump^4 phi L sqrt(m b)) <= phi^(3/2)/(n^(3/2) L^(15/2)), in both directions."""
    stays = sheet.lemma_B_10_order.expr <= radius
    return equivalent(("the width", "the distance below the radius"), m >= bound.expr, stays)


@claim(
    "guo2024:theorem-3.2-width-absorbed",
    title="exponents of the width that keeps stochastic descent where its mean step contracts",
    kind="implication",
    bound=">= n**11*depth**10*outputs/(jump**8*phi**5*B)",
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["n", "depth", "outputs", "jump", "phi", "B"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("the width of Theorem 3.2", bound="n**8*depth**15*outputs/(jump**8*phi**5*B)"),
        control("n^10", bound="n**10*depth**10*outputs/(jump**8*phi**5*B)"),
        control("the radius of Lemma 4.2", radius=RADIUS),
    ],
    note="the distance is that of Lemma B.10 at the step size of Theorem 3.2, and (113) needs this radius: n^11 L^10 "
    "where n^8 L^15 is printed",
)
def width_that_contracts(bound: Bound, *, radius: sympy.Expr = sheet.eq_15_radius_order.expr) -> list[Step]:
    """The m with n^(5/2) sqrt(d)/(jump^4 phi L sqrt(m b)) <= phi^(3/2)/(n^3 L^6), in both directions."""
    stays = sheet.lemma_B_10_order.expr <= radius
    return equivalent(("the width", "the distance below the radius"), m >= bound.expr, stays)


@claim(
    "guo2024:theorem-3.2-excess",
    title="exponent of the constant in front of the stochastic rate",
    kind="implication",
    bound="1/(depth*jump**2)",
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["depth", "jump"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("without the slope, as printed", bound="1/depth"),
        control("step size without 1/L^3", step=outputs * phi / (m * n**3)),
    ],
    note="beta - 1 = eta m L sqrt(n b)/d, 1 - gamma = jump^2 eta b phi m/(n^2 d); the C_0 of the proof grows without "
    "limit as alpha tends to 1, where the paper has a constant",
)
def exponent_of_the_constant(bound: Bound, *, step: sympy.Expr = sheet.theorem_3_2_step_order.expr) -> list[Step]:
    """The order of (beta - 1)^2/(1 - gamma), log C_0, at the largest step d phi/(m n^3 L^3), in both directions."""
    order = (sheet.eq_117_order.expr**2 / sheet.theorem_3_2_rate_order.expr).subs(eta, step)
    return equivalent(("the exponent", "the quotient"), clock <= bound.expr, clock <= order)


# The order of a term, of either sign of its logarithm.
TERM = symbol("risk")


def _order_of(term: Bound, radius: sympy.Expr, width: sympy.Expr = m) -> sympy.Expr:
    """The order of a term of Lemma 4.3 at this radius and width, one power of each size."""
    return one_product(term.expr.subs(omega, radius).subs(m, width))


@claim(
    "guo2024:theorem-3.4-bent-term",
    title="exponents of the risk bound's term from kinks, at the largest radius and the printed width",
    kind="implication",
    bound="outputs**(p + 3/2)*phi**p*n**(p + 3)*depth**(p - 1/2)",
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["n", "depth", "outputs", "phi", "p"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("n^(1/2 + tau), as printed", bound=sheet.theorem_3_4_bent),
        control("a width n^(5 + 2 tau)", width=sheet.theorem_3_4_width.expr),
        control("a radius that absorbs (15)", radius=sheet.eq_15_radius_order.expr),
    ],
    note="n^(3 + tau) where n^(1/2 + tau) is printed: the term of a width n^(5 + 2 tau), as in Theorem 3.1, while "
    "the theorem has n^(10 + 2 tau)",
)
def term_from_kinks(
    bound: Bound, *, width: sympy.Expr = sheet.theorem_3_4_width_printed.expr, radius: sympy.Expr = RADIUS
) -> list[Step]:
    """The order of d sqrt(m) L^2 omega^(4/3), Lemma 4.3's term from kinks but for jump; p in (0, 1] is tau; both ways.
    At omega = phi^(3/2)/(n^(3/2) L^(15/2)), m = n^(10+2p) L^(15+2p) d^(1+2p)/phi^(4-2p); as printed at n^(5+2p)."""
    order = Bound(sheet.lemma_4_3_bent_order.expr / jump)
    return [
        *_term(bound, order, width, radius),
        *_term(sheet.theorem_3_4_bent, order, sheet.theorem_3_4_width.expr, RADIUS),
    ]


@claim(
    "guo2024:theorem-3.4-linear-term",
    title="exponents of the risk bound's linear term, at the largest radius and the printed width",
    kind="implication",
    bound="n**(p + 3)*depth**(p + 1)*outputs**(p + 3/2)*phi**(p - 1/2)",
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["n", "depth", "outputs", "phi", "p"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("as printed", bound=sheet.theorem_3_4_linear_printed),
        control("L^(2 + tau) d^(1/2 + tau)", bound="n**(p+3)*depth**(p+2)*outputs**(p+1/2)*phi**(p-1/2)"),
        control("a width n^(5 + 2 tau)", width=sheet.theorem_3_4_width.expr),
    ],
    note="n^(3 + tau) L^(1 + tau) d^(3/2 + tau), where n^(1/2 + tau) L^(2 + tau) d^(1/2 + tau) is printed; a width "
    "n^(5 + 2 tau) would mend the power of n alone",
)
def linear_term(bound: Bound, *, width: sympy.Expr = sheet.theorem_3_4_width_printed.expr) -> list[Step]:
    """The order of d sqrt(m/n) L omega, the linear term of Lemma 4.3, in both directions; p in (0, 1] is tau.
    At omega = phi^(3/2)/(n^(3/2) L^(15/2)) and m = n^(10+2p) L^(15+2p) d^(1+2p)/phi^(4-2p)."""
    return _term(bound, sheet.lemma_4_3_linear_order, width, RADIUS)


# Distance from the start after so many steps, of gradients of a loss of order n (Appendix A, small t).
EARLY_DISTANCE = eta * clock * n * sqrt(m / outputs)


@claim(
    "guo2024:theorem-3.4-early-terms",
    title="exponents of the risk bound's two terms that grow with the steps",
    kind="implication",
    bound=sheet.theorem_3_4_early_corrected.reads("jump*outputs**(5/3)*clock**(4/3)/(m**(1/6)*depth**(2/3))"),
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["jump", "outputs", "clock", "m", "depth", "n"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("as printed", bound=sheet.theorem_3_4_early),
        control("a loss of order 1 at the start", radius=sheet.claim_omega_small_t_printed.expr),
        control("steps of mini-batches", step=sheet.theorem_3_2_step_order.expr),
        control("the linear term as printed", linear=sheet.theorem_3_4_early_linear.expr),
    ],
    note="the printed d^(1/3) t^(4/3)/(m^(1/6) (n L)^(2/3)) is short by d^(4/3) n^(2/3), and sqrt(d) t/(n L) by "
    "d sqrt(n): the loss at the start is of order n, and Lemma 4.3 has the factor d",
)
def early_terms(
    bound: Bound,
    *,
    radius: sympy.Expr = EARLY_DISTANCE,
    step: sympy.Expr = sheet.theorem_3_1_step_order.expr,
    linear: sympy.Expr = sheet.theorem_3_4_early_linear_corrected.expr,
) -> list[Step]:
    """The order of the first term of Lemma 4.3, jump d sqrt(m) L^2 omega^(4/3), at omega = eta t n sqrt(m/d).
    t = clock, eta = d/(n L^2 m). The second, d sqrt(m/n) L omega, is held against d^(3/2) t/(sqrt(n) L)."""
    far = radius.subs(eta, step)
    bent, flat = _order_of(sheet.lemma_4_3_bent_order, far), _order_of(sheet.lemma_4_3_linear_order, far)
    return [
        *equivalent(("the bound", "the term from kinks"), bound.expr >= TERM, bent >= TERM),
        *equivalent(("its order", "the linear term"), linear >= TERM, flat >= TERM),
    ]


@claim(
    "guo2024:theorem-B.12-bent-term",
    title="exponents of the stochastic risk bound's term from kinks, at the printed width",
    kind="implication",
    bound="outputs**(p + 3/2)*n**(p + 9/2)*phi**(p - 1/2)*depth**(p - 1/2)/sqrt(B)",
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["n", "depth", "outputs", "phi", "p", "B"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("n^(2 + eps), as printed", bound="outputs**(p + 3/2)*n**(p + 2)*(phi*depth)**(p - 1/2)/sqrt(B)"),
        control("a width n^(8 + 2 eps)", width=sheet.theorem_B_12_width.expr),
    ],
    note="n^(9/2 + eps) where n^(2 + eps) is printed: the term of a width n^(8 + 2 eps), as in Theorem 3.2, while "
    "the theorem has n^(13 + 2 eps)",
)
def stochastic_term_from_kinks(
    bound: Bound, *, width: sympy.Expr = sheet.theorem_B_12_width_printed.expr
) -> list[Step]:
    """The order of d sqrt(m) L^2 omega^(4/3), Lemma 4.3's term from kinks but for jump; p in (0, 1] is eps; both ways.
    At omega = phi^(3/2)/(n^(3/2) L^(15/2)), m = n^(13+2p) L^(15+2p) d^(1+2p)/(b phi^(5-2p)); as printed at n^(8+2p)."""
    order = Bound(sheet.lemma_4_3_bent_order.expr / jump)
    printed = Bound(outputs ** (p + Rational(3, 2)) * n ** (p + 2) * (phi * depth) ** (p - Rational(1, 2)) / sqrt(B))
    return [*_term(bound, order, width, RADIUS), *_term(printed, order, sheet.theorem_B_12_width.expr, RADIUS)]


@claim(
    "guo2024:theorem-B.12-linear-term",
    title="exponents of the stochastic risk bound's linear term, at the printed width",
    kind="implication",
    bound="outputs**(p + 3/2)*n**(p + 9/2)*phi**(p - 1)*depth**(p + 1)/sqrt(B)",
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["n", "depth", "outputs", "phi", "p", "B"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("as printed", bound="outputs**(p+1/2)*n**(p+2)*phi**(p-1)*depth**(p+2)/sqrt(B)"),
        control("L^(2 + eps) d^(1/2 + eps)", bound="outputs**(p+1/2)*n**(p+9/2)*phi**(p-1)*depth**(p+2)/sqrt(B)"),
        control("a width n^(8 + 2 eps)", width=sheet.theorem_B_12_width.expr),
    ],
    note="n^(9/2 + eps) L^(1 + eps) d^(3/2 + eps), where n^(2 + eps) L^(2 + eps) d^(1/2 + eps) is printed",
)
def stochastic_linear_term(bound: Bound, *, width: sympy.Expr = sheet.theorem_B_12_width_printed.expr) -> list[Step]:
    """The order of d sqrt(m/n) L omega, the linear term of Lemma 4.3, in both directions; p in (0, 1] is eps.
    At omega = phi^(3/2)/(n^(3/2) L^(15/2)) and m = n^(13+2p) L^(15+2p) d^(1+2p)/(b phi^(5-2p))."""
    return _term(bound, sheet.lemma_4_3_linear_order, width, RADIUS)


EARLY_LINEAR_TERM = outputs ** Rational(3, 2) * phi * clock * sqrt(B) / (n**3 * depth**2)


@claim(
    "guo2024:theorem-B.12-early-terms",
    title="exponents of the stochastic risk bound's two terms that grow with the steps",
    kind="implication",
    bound="jump*(outputs**5*phi**4*clock**4*B**2/(n**10*depth**6))**(1/3)/m**(1/6)",
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["jump", "outputs", "phi", "clock", "B", "n", "m", "depth"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("as printed", bound="jump*(outputs*clock**4/(n**10*depth**6))**(1/3)/m**(1/6)"),
        control("the linear term as printed", linear=sqrt(outputs) * clock / (n**3 * depth**2)),
        control("steps of gradient descent", step=sheet.theorem_3_1_step_order.expr),
        control("the loss at the start of order 1", loss=sympy.Integer(1)),
    ],
    note="steps as long as (115) allows: the printed d^(1/3) t^(4/3)/(m^(1/6) n^(10/3) L^2) and sqrt(d) t/(n^3 L^2) "
    "lack d^(4/3) phi^(4/3) b^(2/3) and d phi sqrt(b); a factor d is that of Lemma 4.3",
)
def stochastic_early_terms(
    bound: Bound,
    *,
    step: sympy.Expr = sheet.theorem_3_2_step_order.expr,
    loss: sympy.Expr = n,
    linear: sympy.Expr = EARLY_LINEAR_TERM,
) -> list[Step]:
    """The order of the first term of Lemma 4.3, jump d sqrt(m) L^2 omega^(4/3), at omega = eta t sqrt(m b n/d).
    t = clock, eta = d phi/(m n^3 L^3). The second, d sqrt(m/n) L omega, against d^(3/2) phi t sqrt(b)/(n^3 L^2)."""
    far = step * clock * sqrt(m * symbol("B") * loss / outputs)
    bent, flat = _order_of(sheet.lemma_4_3_bent_order, far), _order_of(sheet.lemma_4_3_linear_order, far)
    return [
        *equivalent(("the bound", "the term from kinks"), bound.expr >= TERM, bent >= TERM),
        *equivalent(("its order", "the linear term"), linear >= TERM, flat >= TERM),
    ]


@claim(
    "guo2024:theorem-B.15-bent-term",
    title="exponents of the special class's term from kinks",
    kind="implication",
    bound=sheet.theorem_B_15_bent.reads("outputs**(p + 3/2)*n**(p + 1/2)*depth**p"),
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["n", "depth", "outputs", "p"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("n^(1 + tau)", bound="outputs**(p+3/2)*n**(p+1)*depth**p"),
        control("L^(1 + tau)", bound="outputs**(p+3/2)*n**(p+1/2)*depth**(p+1)"),
        control("the radius of Lemma 4.2", radius=RADIUS),
    ],
)
def term_from_kinks_on_the_class(
    bound: Bound, *, radius: sympy.Expr = sheet.theorem_B_14_radius_order.expr
) -> list[Step]:
    """The order of d sqrt(m) L^2 omega^(4/3), Lemma 4.3's term from kinks but for jump; p in (0, 1] is tau; both ways.
    At omega = d^(-3/2) L^(-6), of (166), and m = n^(1+2p) L^(12+2p) d^(5+2p)."""
    return _term(bound, Bound(sheet.lemma_4_3_bent_order.expr / jump), sheet.theorem_B_15_width.expr, radius)


@claim(
    "guo2024:theorem-B.15-linear-term",
    title="exponents of the special class's linear term",
    kind="implication",
    bound=sheet.theorem_B_15_linear.reads("n**p*depth**(p + 1)*outputs**(p + 2)"),
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["n", "depth", "outputs", "p"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("d^(1 + tau)", bound="n**p*depth**(p+1)*outputs**(p+1)"),
        control("a width linear in the outputs", width=sheet.theorem_B_15_width.expr / outputs**4),
    ],
)
def linear_term_on_the_class(bound: Bound, *, width: sympy.Expr = sheet.theorem_B_15_width.expr) -> list[Step]:
    """The order of d sqrt(m/n) L omega, the linear term of Lemma 4.3, in both directions; p in (0, 1] is tau.
    At omega = d^(-3/2) L^(-6), of (166), and m = n^(1+2p) L^(12+2p) d^(5+2p)."""
    return _term(bound, sheet.lemma_4_3_linear_order, width, sheet.theorem_B_14_radius_order.expr)


# Distance from the start on the special class, (165).
DISTANCE_ON_THE_CLASS = outputs * sqrt(n / m) / jump


@claim(
    "guo2024:theorem-B.14-width-exponents",
    title="exponents of the width that keeps gradient descent near on the special class",
    kind="implication",
    bound=">= depth**12*n*outputs**5/jump**2",
    premises="none needed: any n, m, L = depth, d = outputs, b = B >= 1, phi, jump <= 2; up to constants, logarithms",
    measured=["depth", "n", "outputs", "jump"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("as printed, without the slope", bound="depth**12*n*outputs**5"),
        control("d^4", bound="depth**12*n*outputs**4/jump**2"),
        control("the distance (111)", distance=sheet.eq_111_order.expr),
        control("a root of n", bound="depth**12*sqrt(n)*outputs**5/jump**2"),
    ],
    note="from (165) with a loss of order n, and the radius (166); the theorem, not its proof, leaves 1/f(alpha) out",
)
def width_on_the_class(bound: Bound, *, distance: sympy.Expr = DISTANCE_ON_THE_CLASS) -> list[Step]:
    """The m with d sqrt(n/m)/jump, the distance (165), <= d^(-3/2) L^(-6), the radius (166), in both directions."""
    stays = distance <= sheet.theorem_B_14_radius_order.expr
    return equivalent(("the width", "the distance below the radius"), m >= bound.expr, stays)

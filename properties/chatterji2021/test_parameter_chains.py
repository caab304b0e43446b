"""chatterji2021: parameter chains, what the sizes of Theorems 3.1 and 3.3 are chosen for.

Where powers of the depth count beside those of the width, the depth is a size of its own (`DEPTH_COUNTS`); what is set
aside are constants and logarithms. Where the paper gives constants, the steps are exact.
"""

import sympy
from sympy import Rational, log, sqrt

from bounds import Bound, certainly_le, is_nonnegative, is_positive, is_zero, symbol
from bounds.decisions.chain import smallest_exponents
from bounds.decisions.powers import exponents_of
from bounds.papers import chatterji2021 as sheet
from properties.shared.implications import equivalent, implies
from properties.shared.places import away_from, nowhere_violated
from theory.claims import Regime, claim, control, grid
from theory.evidence import Proof, Step

m, n, L, J, h, tau, eta, delta = map(symbol, ("m", "n", "L", "J", "h", "tau", "eta", "delta"))
DEPTH_COUNTS = {"L": symbol("depth")}
RADIUS = {"tau": sheet.theorem_3_3_radius.expr, **DEPTH_COUNTS}


def _same(what: str, one: sympy.Expr, other: sympy.Expr) -> Step:
    return Step(what, is_zero(sympy.powsimp(one / other, force=True) - 1))


def _none_negative(values: list[sympy.Expr]) -> bool | None:
    """Whether all are at least 0; None where the sign of one is open."""
    signs = [value.is_nonnegative for value in values]
    return False if False in signs else None if None in signs else True


@claim(
    "chatterji2021:thm-3.3-width",
    title="a width of L^46/gamma^8 makes the radius as small as Lemma D.8 asks, and no smaller exponents do",
    kind="implication",
    bound=">= L**46/gamma**8",
    premises="none needed: decided in orders for all depths and margins at once, constants set aside",
    measured=["L", "gamma"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: the exponents are the least"),
    controls=[
        control("gamma^(-2), as printed", bound="L**46/gamma**2"),
        control("gamma^(-2), with a larger polynomial", bound="L**1000/gamma**2"),
        control("L^45", bound="L**45/gamma**8"),
        control("gamma^(-9), more than is needed", bound="L**46/gamma**9"),
    ],
    note="up to logarithms: tau = 3 L rho is of order L^2/(sqrt(m) gamma) and has to be below m^(-3/8) L^(-15/4), so "
    "that m^(1/8) has to exceed L^(23/4)/gamma",
)
def width_and_the_radius(bound: Bound) -> list[Step]:
    """Widths m above the bound put tau = 3 L rho within the limits of Lemma D.8; no smaller powers of L, 1/gamma do."""
    given, form = [m >= bound.expr], bound.expr.subs(L, DEPTH_COUNTS["L"])
    smallest = sheet.lemma_E_9_radius
    found = [
        implies("tau small enough for Lemma D.8", given, sheet.lemma_D_8_radius, define=RADIUS),
        implies("tau large enough for Lemma D.8", given, smallest.expr.subs(symbol("C"), 1) <= tau, define=RADIUS),
    ]
    if all(step.holds for step in found):
        least = smallest_exponents(sheet.lemma_D_8_radius, "m", form, define=RADIUS)
        said = ", ".join(f"{name} {power}" for name, power in least.items())
        found.append(Step(f"least exponents: {said}", least == exponents_of(form)))
    return found


@claim(
    "chatterji2021:eq-4-5-bend",
    title="the bend of the two-stage result is short against the radius",
    kind="implication",
    bound="3*L*(2 + 24*L)*log(n)/(m*gamma)",
    premises="margin of at most 1 [Theorem 3.3]: gamma <= 1",
    measured=["m", "n", "L", "gamma"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="of the bracket in the radius the last logarithm is enough, more than 108 times"),
    controls=[
        control("a root of the width more", bound="3*L*(2 + 24*L)*log(n)/(m**(3/2)*gamma)"),
        control("a gamma of 1000", largest=1000, without="gamma <= 1"),
    ],
    blind=dict.fromkeys(("term 2", "term 24*L"), "either alone is above h_NT; both are in the logarithm of the radius"),
    note="h_NT <= tau/sqrt(m) at every width, where print asks for a large one, and every delta of at most n; "
    "at L = 1 both are of the order 1/m",
)
def bend_below_the_radius(bound: Bound, *, largest: int = 1) -> list[Step]:
    """The inequalities h_NT <= bound <= tau/sqrt(m), h_NT of (5), tau = 3 L rho, rho of (4) with c_1 = 1."""
    u, root = sympy.Symbol("u", nonnegative=True), sympy.Symbol("r", nonnegative=True)
    radius = sheet.theorem_3_3_radius.expr.subs({symbol("C"): 1, sqrt(log(n / delta)): root})
    # The width enters with the power (L + 1)/2 >= 1 of 6 m >= 1, the depth with L^3 >= 1: equalities at L = 1.
    larger = sheet.eq_5.expr * (6 * m) ** ((L + 1) / 2) * L**3 / (6 * m)
    short = sympy.together((bound.expr / larger).subs(symbol("gamma"), largest).subs(L, 1 + u) - 1)
    parts = [sympy.Poly(sympy.expand(part), u) for part in sympy.fraction(short)]
    rest = sympy.expand(sympy.simplify((radius / sqrt(m) - bound.expr) * m * symbol("gamma")))
    above = Bound((radius / sqrt(m) - bound.expr).subs(root, 1))
    return [
        nowhere_violated(above, away_from({"m": 10, "n": 3, "L": 1, "gamma": 1}, {"gamma": [1e-6]})),
        *(implies(f"orders at L = {k}", [], sheet.eq_5.expr.subs(L, k) <= bound.expr.subs(L, k)) for k in (1, 2)),
        Step("h_NT is below the bound", _none_negative([value for part in parts for value in part.coeffs()])),
        Step("the bound is below tau/sqrt(m)", is_positive(rest)),
    ]


@claim(
    "chatterji2021:lemma-D.8-width",
    title="a width of L^22 brings the radius of Lemma D.8 into the range of Lemma D.7, and no smaller power does",
    kind="implication",
    bound=">= L**22",
    premises="none needed: decided in orders for all widths and depths at once, constants and logarithms set aside",
    measured=["L"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: the exponent is the least"),
    controls=[
        control("L^21", bound="L**21"),
        control("L^23, more than is needed", bound="L**23"),
        control("radius of Lemma D.8 with a power 1/4 of the width", power=Rational(2, 3)),
    ],
    note="up to logarithms; at that radius the bound of Lemma D.7 on the error of linearisation is C c^(4/3), exactly",
)
def width_for_the_linear_range(bound: Bound, *, power: Rational = sympy.S.One) -> list[Step]:
    """The limit tau L^12 log(m)^(3/2) <= c (Lemma D.7) from tau (m log(m))^(3/8) L^(15/4) <= c (D.8), and the error."""
    given, target = [sheet.lemma_D_8_radius, m >= bound.expr], sheet.lemma_E_14_largest_radius
    largest = (m * log(m)) ** (-Rational(3, 8) * power) * L ** -Rational(15, 4)
    error = (sheet.lemma_D_7.expr / symbol("C")).subs(tau, largest)
    found = [
        implies("tau small enough for Lemma D.7", given, target, define=DEPTH_COUNTS),
        _same("the error of linearisation is a constant at the largest radius", error, sympy.S.One),
    ]
    if found[0].holds:
        form = bound.expr.subs(L, DEPTH_COUNTS["L"])
        least = smallest_exponents(target, "m", form, given=given[:1], define=DEPTH_COUNTS)
        found.append(Step(f"least exponent: depth {least['depth']}", least == exponents_of(form)))
    return found


@claim(
    "chatterji2021:thm-3.3-step",
    title="the step size of the first stage is of the order that Lemma D.6 allows",
    kind="implication",
    bound="1/(m*L**5)",
    premises="none needed: decided in orders for all widths and depths at once, constants set aside",
    measured=["m", "L"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: the orders are equal"),
    controls=[
        control("L^(-4)", bound="1/(m*L**4)"),
        control("a root of the width", bound="1/(sqrt(m)*L**5)"),
        control("L^(-6), less than is allowed", bound="1/(m*L**6)"),
    ],
    note="1/(2 (L + 1) Gamma^2) with Gamma of the order sqrt(m) L^2 of Lemma D.7",
)
def step_of_the_first_stage(bound: Bound) -> list[Step]:
    """Step alpha_NT, the bound, against 1/(2 (L + 1) Gamma^2), Gamma = sqrt(m) L^2: one order, in both directions."""
    allowed = sheet.lemma_D_6_step
    define = {"Gmax": sheet.lemma_D_7_gradient.expr, **DEPTH_COUNTS}
    return equivalent(("the step size", "Lemma D.6"), eta <= bound.expr, allowed, define=define)


@claim(
    "chatterji2021:lemma-E.14-sparsity",
    title="slopes that differ are as sparse as Lemma E.13 asks, exactly for the radii of Lemma E.14",
    kind="implication",
    bound=sheet.lemma_E_14_radius.reads("1/(L**12*log(m)**(3/2))"),
    premises="none needed: decided in orders for all widths and depths at once, constants set aside",
    measured=["m", "L"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: at the largest radius both sides are equal up to a constant"),
    controls=[
        control("L^(-11)", bound="1/(L**11*log(m)**(3/2))"),
        control("L^(-13), less than is allowed", bound="1/(L**13*log(m)**(3/2))"),
        control("a logarithm less", bound="1/(L**12*sqrt(log(m)))"),
    ],
)
def sparsity_of_the_slopes_that_differ(bound: Bound) -> list[Step]:
    """That sqrt(s log(m)/m) <= c/L^3 for s = m L^2 tau^(2/3) exactly where tau is at most the bound, all in orders.

    The logarithms are those at the largest radius.
    """
    asked = sheet.lemma_E_13_sparsity
    flips = (sheet.lemma_E_14_flips.expr / symbol("C")).subs(tau, bound.expr)
    at_most = asked.relation.lts.subs(symbol("s"), flips) * L**3
    define = {"s": sheet.lemma_E_14_flips.expr, **DEPTH_COUNTS}
    return [
        *equivalent(("the radius", "the sparsity of Lemma E.13"), tau <= bound.expr, asked, define=define),
        _same("both sides at the largest radius, logarithms included", at_most, sympy.S.One),
    ]


@claim(
    "chatterji2021:lemma-E.9-expected",
    title="at the least radius the band holds log^(4/3)(n L/delta) neurons, the order that a chance delta asks for",
    kind="implication",
    bound=">= log(n*L/delta)**(4/3)",
    premises="none needed: the threshold at the least radius is put in: an identity in all sizes with n L > delta",
    measured=["n", "L", "delta"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: both sides are equal"),
    controls=[
        control("one logarithm more", bound="log(n*L/delta)**(7/3)"),
        control("one logarithm less", bound="log(n*L/delta)**(1/3)"),
    ],
    note="m L^2 tau^(2/3) = log^(4/3)(n L/delta) at tau = log^2/(m^(3/2) L^3), and it grows with tau",
)
def neurons_expected_in_the_band(bound: Bound) -> list[Step]:
    """Order m^(3/2) beta of the neurons in the band, at the least tau, for beta = L^2 tau^(2/3)/sqrt(m)."""
    band = m ** Rational(3, 2) * sheet.lemma_E_9_threshold.expr.subs(symbol("C"), 1)
    least = sheet.lemma_E_9_radius.expr.subs(symbol("C"), 1)
    power = sympy.simplify(tau * sympy.diff(band, tau) / band)
    # The logarithm is positive, which its argument does not say.
    logarithm = {log(n * L / delta): sympy.Symbol("u", positive=True)}
    return [
        _same("at the least radius", band.subs(tau, least).subs(logarithm), bound.expr.subs(logarithm)),
        Step("the band grows with the radius", power == Rational(2, 3)),
    ]


@claim(
    "chatterji2021:lemma-4.4-first-step",
    title="the largest step size of Theorem 3.1 is short enough for Lemma 4.4 at the first step",
    kind="implication",
    bound=sheet.ih_3.reads("h/(1024*(L + 1)**2*m*normV**(3*L + 5))"),
    premises="none needed: one limit over the other is the root of the width, whatever the weights",
    measured=["h", "L", "m", "normV"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="a root of the width"),
    controls=[control("a power of the norm less", bound="h/(1024*(L + 1)**2*m*normV**(3*L + 4))")],
    note="the first term of alpha_max times J_1 is the limit of (I3) at the start, with m where Lemma 4.4 has sqrt(m)",
)
def first_step_is_short(bound: Bound) -> list[Step]:
    """That alpha_max J_1 <= the bound of (I3) <= h/(1024 (L+1)^2 sqrt(m) ||V||^(3L+5)) of Lemma 4.4, at V = V^(1)."""
    start = (sheet.eq_3b_first.expr * symbol("J1")).subs(symbol("normV1"), symbol("normV"))
    allowed = sheet.lemma_4_4_step.relation.gts
    spare = sympy.simplify(allowed / bound.expr)
    return [
        _same("the first term of alpha_max times the loss is the invariant", start, bound.expr),
        Step("alpha_max is at most its first term", sheet.eq_3b_first.expr in sheet.eq_3b.expr.args),
        Step("the invariant is at most what Lemma 4.4 allows", is_zero(spare - sqrt(m)) or is_nonnegative(spare - 1)),
    ]


@claim(
    "chatterji2021:lemma-4.4-step-length",
    title="the step of Lemma 4.4 is short enough for Lemma 4.1, by the curvature of Lemma 4.2",
    kind="implication",
    bound="h/(1024*(L + 1)**2*sqrt(m)*normV**(3*L + 5))",
    premises="none needed: on the segment J and, by (27), ||V||^(3L+5) at most double, as the proof has it",
    measured=["h", "L", "m", "normV"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="(L + 1)/(L + 1/2), which is 4/3 at one hidden layer"),
    controls=[
        control("512 for 1024", bound="h/(512*(L + 1)**2*sqrt(m)*normV**(3*L + 5))"),
        control("L + 1 for its square", bound="h/(1024*(L + 1)*sqrt(m)*normV**(3*L + 5))"),
        control("a loss that grows threefold", grown=3),
    ],
    note="where the 1024 of (3b) and (I3) comes from: 256 of Lemma 4.2, twice for the loss and twice for the norm",
)
def step_is_short(bound: Bound, *, grown: int = 2) -> list[Step]:
    """The bound is at most J/((L + 1/2) M), the M of Lemma 4.2 doubled twice: 1024 (L+1) sqrt(m) ||V||^(3L+5) J/h."""
    curvature = 2 * sheet.lemma_4_2.expr.subs(J, grown * J)
    longest = J * sheet.lemma_4_1_step.relation.gts.subs(symbol("lip"), curvature)
    gap = Bound(sympy.factor(sympy.powsimp(longest - bound.expr, force=True)))
    others = {"L": [2, 30], "m": [10**6], "normV": [50], "h": [Rational(1, 10**6)]}
    return [
        nowhere_violated(gap, away_from({"L": 1, "m": 4, "normV": 2, "h": 1}, others)),
        Step("Lemma 4.4 allows the bound", is_zero(sheet.lemma_4_4_step.relation.gts - bound.expr) or None),
        Step("the longest step is nowhere below", is_nonnegative(gap.expr)),
    ]


@claim(
    "chatterji2021:lemma-4.5-bend",
    title="the longest bend of Theorem 3.1 costs a share 1/(48 L) of the alignment",
    kind="implication",
    bound=sheet.ineq_psi_loss.reads("1/(48*L)"),
    premises="none needed: (I2) and h <= h_max enter as equalities, which is their worst case",
    measured=["L"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: equality at the longest bend"),
    controls=[control("a square of the depth", bound="1/(48*L**2)"), control("half of it", bound="1/(96*L)")],
    note="the loss enters by (I2): log(1/J)/||V||^L is never below its value at V^(1)",
)
def bend_costs_a_share(bound: Bound) -> list[Step]:
    """Share sqrt(m) h ||V||^L/(2 L^(L/2-2) log(1/J)) on a path, h = L^(L/2-3) log(1/J_1)/(24 sqrt(m) ||V^(1)||^L)."""
    norm, loss, ratio = symbol("normV1"), symbol("J1"), sympy.Symbol("q", positive=True)
    longest = min(sheet.eq_3a.expr.args, key=lambda term: term.is_number)
    factor = sqrt(m) * longest / (2 * L ** (L / 2 - 2))
    # (I2) says that log(1/J)/||V||^L is q times its value at the start, with q >= 1.
    later = factor / (log(1 / loss) / norm**L * ratio)
    return [
        _same("at the first iterate", factor * norm**L / log(1 / loss), bound.expr),
        _same("at a later one 1/q of it, for the q of (I2)", later, bound.expr / ratio),
    ]


@claim(
    "chatterji2021:lemma-B.6-loss",
    title="for up to eleven layers the loss of Theorem 3.1 makes ||V|| large enough for Lemma B.6",
    kind="implication",
    bound=">= sqrt(E*L)",
    premises=[
        sheet.theorem_3_1_samples.reads("n >= 3"),
        "at most eleven layers [Lemma B.6 in Theorem 3.1, at three samples]: L <= 11",
    ],
    measured=["L", "normV", "n"],
    regime=Regime(cells=grid(L=range(1, 12))),
    evidence=Proof(margin="1.016 at eleven layers"),
    controls=[
        control("twelve layers", cells=grid(L=12), without="L <= 11"),
        control("twice the depth", bound="sqrt(2*E*L)"),
        control("two samples", samples=2, cells=grid(L=11), without=sheet.theorem_3_1_samples),
    ],
    note="for every n >= 3, the least norm of Lemma B.5 growing with n; for three samples and twelve layers a premise "
    "of Theorem 3.1 is missing if its proof is to stand. Where Lemma B.6 fails without it, its own row says",
)
def loss_makes_the_norm_large(bound: Bound, L: int, *, samples: int = 3) -> list[Step]:
    """The norm sqrt(L + 1) log((n^(1+24L) - 1)/2)^(1/(L+1)) against the bound, in balls at the least n."""
    least = sheet.lemma_B_5_scale.ball(n=samples, L=L, precision=256)
    (logarithm,) = sheet.lemma_B_5_scale.expr.atoms(log)
    return [
        Step(f"L = {L}, n = {samples}", certainly_le(bound.ball(L=L, precision=256), least)),
        Step("growing with n", is_positive(sympy.diff(logarithm.args[0], n))),
    ]

"""allenzhu2018rnn: parameter chains, conditions on the sizes that imply one another up to constants and logarithms.

Each is an inequality between powers and needs no network: thresholds and the size of the set of neurons in Appendix E,
widths that absorb a term, step sizes, numbers of steps and radii of Theorems 1 and 2. rho stands for n L d and varrho
for n L d/delta, both without their logarithms, where a chain sets them beside powers of n, L or d alone.
"""

import sympy
from sympy import Rational, sqrt

from bounds import Bound, symbol
from bounds.papers import allenzhu2018rnn as sheet
from properties.shared.implications import equivalent, implies
from theory.claims import Regime, claim, control, grid
from theory.evidence import Proof, Step

m, n, L, outputs, phi, rho, varrho = map(symbol, ("m", "n", "depth", "outputs", "phi", "rho_", "varrho"))
eta, tau, theta, rows, K, t = map(symbol, ("eta", "tau", "theta", "rows", "K", "t"))

EQUAL = "none: the exponents are equal"
SIZES = {"rho_": n * L * outputs, "varrho": n * L * outputs / phi}
AT_LEAST_ONE = [sheet.rho_at_least_one]
# Thresholds of Definition D.1.
ABOVE, BELOW = phi / rho**2, phi / rho**10


def _below(what: str, number: sympy.Expr, bound: Bound) -> list[Step]:
    """The step that everything up to the number is up to the bound, in order; rho and varrho written out."""
    return [implies(what, [t <= number], t <= bound.expr, define=SIZES)]


def _order_of_the_inverse_rate(bound: Bound, step: sympy.Expr) -> list[Step]:
    """That the bound is of the order of rho^15/(eta delta m) at the step, in both directions."""
    asked = (rho**15 / (eta * phi * m)).subs(eta, step)
    return equivalent(("the steps", "the inverse rate"), bound.expr <= K, asked <= K)


# ------------------------------------------------------------------ thresholds and the set of neurons (D, E)


@claim(
    "allenzhu2018rnn:definition-E.3",
    bound="phi/rho_**5",
    premises=[sheet.rho_at_least_one.reads("rho_ >= 1"), "separation in (0, 1], as in Assumption 2.1: phi <= 1"],
    measured=["phi", "rho_"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("phi/rho^7, below the lower end", bound="phi/rho_**7"),
        control("phi/rho^4, above the upper end", bound="phi/rho_**4"),
        control("thresholds turned", below=ABOVE, above=BELOW),
        control("rho below 1", without=sheet.rho_at_least_one, given=()),
    ],
    note="beta_+ = phi/rho^2 and beta_- = phi/rho^10, phi is delta in print; up to constants and logarithms",
)
def interval_of_the_scale(
    bound: Bound,
    *,
    below: sympy.Expr = BELOW,
    above: sympy.Expr = ABOVE,
    given: tuple[sympy.Expr, ...] = tuple(AT_LEAST_ONE),
) -> list[Step]:
    """The upper end rho^(-3) beta_+ of the interval of theta: at least rho^4 beta_-, at most delta/rho and 1/rho."""
    return [
        *equivalent(("theta below it", "theta below the end"), theta <= bound.expr, theta <= above / rho**3),
        implies("the interval is not empty", given, rho**4 * below <= bound.expr),
        implies("theta is at most delta/rho", [*given, theta <= bound.expr], theta <= phi / rho),
        implies("and at most 1/rho, as Lemma E.4 asks", [*given, theta <= bound.expr], theta <= 1 / rho),
    ]


@claim(
    "allenzhu2018rnn:eq-E.12-E.13",
    bound=sheet.eq_E_12_order.reads("rho_**42/phi**2"),
    premises="none needed: n, L, d (outputs), m from 1 on, delta (phi) up to 1, no constants or logarithms",
    sense=">=",
    measured=["rho_", "phi"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("rho^40", bound="rho_**40/phi**2"),
        control("1/delta", bound="rho_**42/phi"),
        control("beta_- without its powers of rho", bound="rho_**22/phi**2"),
        control("a larger threshold", below=ABOVE),
        control("differences of order rho^6, not rho^8", change=rho**6),
    ],
)
def neurons_drawn_again(bound: Bound, *, below: sympy.Expr = BELOW, change: sympy.Expr = rho**8) -> list[Step]:
    """Sizes N for which (q/p)^2/N of (E.12), q = beta_- N/rho^2, p = rho^8, is rho^2 or more; beta_- = delta/rho^10."""
    mean = below * rows / rho**2
    return equivalent(
        ("the size", "the exponent is large enough"), rows >= bound.expr, (mean / change) ** 2 / rows >= rho**2
    )


@claim(
    "allenzhu2018rnn:eq-E.12-E.13-range",
    title="size of the set of neurons against what lemmas ask of it, beta_- = delta/rho^10",
    kind="implication",
    bound=sheet.eq_E_12_order.reads("rho_**42/phi**2"),
    premises="none needed: n, L, d (outputs), m from 1 on, delta (phi) up to 1, no constants or logarithms",
    measured=["rho_", "phi"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="16 powers of rho below, 58 above"),
    controls=[
        control("rho^16, too few neurons", bound="rho_**15/phi**2"),
        control("rho^102, more than varrho^100", bound="rho_**102/phi**2"),
        control("delta^(-102)", bound="rho_**42/phi**102"),
        control("without the separation", bound="rho_**15"),
    ],
)
def neurons_within_the_range(bound: Bound) -> list[Step]:
    """N of (E.13): at least rho^6, n^2 L^2 and rho^4 L over beta_- (Lemmas E.6, D.2, D.7), at most varrho^100."""
    return [
        implies("at least rho^6/beta_- (Lemma E.6)", [], bound.expr >= rho**6 / BELOW, define=SIZES),
        implies("at least n^2 L^2/beta_- (Lemma D.2)", [], bound.expr >= n**2 * L**2 / BELOW, define=SIZES),
        implies("beta_-/L of it at least rho^4 (Lemma D.7)", [], bound.expr * BELOW / L >= rho**4, define=SIZES),
        implies("at most varrho^100", [], bound.expr <= varrho**100, define=SIZES),
    ]


# What the gradient of a neuron of Lemma E.6 keeps of the squared loss, times the share of such neurons, less beta_-.
KEPT = n**2 * L**3 * outputs


@claim(
    "allenzhu2018rnn:lemma-E.7-order",
    title="power of rho that Lemma E.6 does leave to Core Lemma A",
    kind="implication",
    bound="rho_**3",
    premises="none needed: n, L, d (outputs), m from 1 on, delta (phi) up to 1, no constants or logarithms",
    measured=["rho_"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("rho^2, as printed", bound="rho_**2"),
        control("rho^(5/2)", bound="rho_**(5/2)"),
        control("a share with one power of L more", kept=KEPT * L),
    ],
)
def power_left_to_the_core_lemma(bound: Bound, *, kept: sympy.Expr = KEPT) -> list[Step]:
    """The number n^2 L^3 d, from the squared 1/(n L sqrt(d)) and the share beta_-/(100 L), against the bound."""
    return _below("what is lost", kept, bound)


# The square of a neuron's gradient (Lemma E.2): over samples and pairs of times, an entry of rho and a state of norm L.
CHANGED = n**2 * rho**2 * L**6


@claim(
    "allenzhu2018rnn:claim-E.9-order",
    title="power of rho that does bound the squared change of any neuron's gradient, one neuron being resampled",
    kind="implication",
    bound="rho_**8",
    premises="none needed: n, L, d (outputs), m from 1 on, delta (phi) up to 1, no constants or logarithms",
    measured=["rho_"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("rho^6, as printed", bound="rho_**6"),
        control("rho^(15/2)", bound="rho_**(15/2)"),
        control("a change with one power of L more", changed=CHANGED * L),
    ],
)
def power_of_the_change(bound: Bound, *, changed: sympy.Expr = CHANGED) -> list[Step]:
    """The number n^2 rho^2 L^6 against the bound: it limits the square of the change of grad_k for every neuron k.

    One neuron j is drawn anew; the change of grad_k is a sum over samples and pairs of times of at most rho L each.
    """
    return _below("the change", changed, bound)


CHANGE = rho**8 * (tau * m) ** Rational(1, 3)


@claim(
    "allenzhu2018rnn:lemma-F.1-width",
    title="width from which a perturbation leaves the lower bound on the gradient",
    kind="implication",
    bound=">= rho_**90*tau**2/phi**3",
    premises="none needed: n, L, d (outputs), m from 1 on, delta (phi) up to 1, no constants or logarithms",
    measured=["rho_", "tau", "phi"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("rho^84", bound="rho_**84*tau**2/phi**3"),
        control("tau for its square", bound="rho_**90*tau/phi**3"),
        control("1/delta^2", bound="rho_**90*tau**2/phi**2"),
        control("a change without rho^8", change=CHANGE / rho**8),
    ],
)
def width_that_absorbs_the_change(bound: Bound, *, change: sympy.Expr = CHANGE) -> list[Step]:
    """The widths at which the square of the change rho^8 tau^(1/3) m^(1/3) is at most delta m/rho^14."""
    return equivalent(("the width", "the change is absorbed"), m >= bound.expr, change**2 <= phi * m / rho**14)


# ------------------------------------------------------------------ semi-smoothness (Appendix G)

# Half of the squared changes L^9 sqrt(m) of the outputs, summed over samples and times.
QUADRATIC = n * L * L**18 * m
# The terms of (G.5), each of L^(5/3 + 7 + 1) and two more from the products, summed over samples and pairs of times.
KINKS = n * L**3 * L ** Rational(5, 3) * L**8


@claim(
    "allenzhu2018rnn:theorem-4-restated-quadratic-order",
    title="power of the horizon before the squared step",
    kind="implication",
    bound="depth**19*n*m",
    premises="none needed: n, L, d (outputs), m from 1 on, delta (phi) up to 1, no constants or logarithms",
    measured=["depth", "n", "m"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("as printed", bound="depth**18*m*n"),
        control("the root of n", bound="depth**19*sqrt(n)*m"),
        control("the root of m", bound="depth**19*n*sqrt(m)"),
        control("outputs that change by L^10 sqrt(m)", term=QUADRATIC * L**2),
    ],
)
def quadratic_term(bound: Bound, *, term: sympy.Expr = QUADRATIC) -> list[Step]:
    """The sum over samples and times of the squares of L^9 sqrt(m) against the bound, `depth` the horizon L."""
    return _below("the sum", term, bound)


@claim(
    "allenzhu2018rnn:theorem-4-restated-kink-order",
    title="power of rho before the term with kinks",
    kind="implication",
    bound="rho_**13",
    premises="none needed: n, L, d (outputs), m from 1 on, delta (phi) up to 1, no constants or logarithms",
    measured=["rho_"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="a third of a power of L"),
    controls=[
        control("rho^12", bound="rho_**12"),
        control("rho^11, as printed", bound="rho_**11"),
        control("one power of L more", term=KINKS * L),
    ],
)
def kink_term(bound: Bound, *, term: sympy.Expr = KINKS) -> list[Step]:
    """The sum of the n L^3 terms of (G.5), L^(5/3 + 8) each: samples, pairs of times and places, against the bound."""
    return _below("the sum", term, bound)


# ------------------------------------------------------------------ gradient descent (Appendix H)

FALL = eta * phi * m / rho**14
RISE = rho**30 * eta**2 * m**2


@claim(
    "allenzhu2018rnn:theorem-1-restated-step",
    title="step size at which the fall of the loss exceeds the quadratic term",
    kind="implication",
    bound=sheet.theorem_1_step_order.reads("phi/(rho_**44*m)"),
    premises="none needed: n, L, d (outputs), m from 1 on, delta (phi) up to 1, no constants or logarithms",
    measured=["phi", "rho_", "m"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: the orders are equal, so a small factor is needed"),
    controls=[
        control("phi/(rho^42 m)", bound="phi/(rho_**42*m)"),
        control("1/m^2, more than is needed", bound="phi/(rho_**44*m**2)"),
        control("a quadratic term of order rho^29", rise=RISE / rho),
    ],
)
def step_of_descent(bound: Bound, *, rise: sympy.Expr = RISE) -> list[Step]:
    """The steps eta for which rho^30 eta^2 m^2 is at most eta delta m/rho^14: those up to the bound."""
    return equivalent(("the step", "the loss falls"), eta <= bound.expr, rise <= FALL)


@claim(
    "allenzhu2018rnn:theorem-1-restated-iterations",
    title="number of steps of gradient descent in order",
    kind="implication",
    bound=sheet.theorem_1_iterations_order.reads("rho_**59/phi**2"),
    premises="none needed: n, L, d (outputs), m from 1 on, delta (phi) up to 1, no constants or logarithms",
    sense=">=",
    measured=["rho_", "phi"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("rho^57, of Theorem 2", bound=sheet.theorem_2_iterations_order),
        control("1/delta", bound="rho_**59/phi"),
        control("a step of rho^(-42)", step=sheet.theorem_2_step_order_proof.expr),
    ],
)
def iterations_of_descent(bound: Bound, *, step: sympy.Expr = sheet.theorem_1_step_order.expr) -> list[Step]:
    """The order of rho^15/(eta delta m), the inverse of the rate, at the theorem's step eta = delta/(rho^44 m)."""
    asked = rho**15 / (eta * phi * m)
    return equivalent(("the steps", "the inverse rate"), bound.expr <= K, asked <= K, define={"eta": step})


# The power of the width in the term with kinks: a third from the kinks, a half from the gradient.
OF_THE_KINKS = Rational(5, 6)


@claim(
    "allenzhu2018rnn:theorem-1-restated-width",
    title="width from which the term with kinks is below the quadratic one",
    kind="implication",
    bound=">= rho_**186*varrho**100/phi**6",
    premises="none needed: n, L, d (outputs), m from 1 on, delta (phi) up to 1, no constants or logarithms",
    measured=["rho_", "varrho", "phi"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("rho^180", bound="rho_**180*varrho**100/phi**6"),
        control("varrho^50, the radius itself", bound="rho_**186*varrho**50/phi**6"),
        control("1/delta^3", bound="rho_**186*varrho**100/phi**3"),
        control("a term of order m^(2/3)", power=Rational(2, 3)),
    ],
)
def width_of_descent(bound: Bound, *, power: sympy.Expr = OF_THE_KINKS) -> list[Step]:
    """Widths at which rho^17 tau^(1/3) m^(5/6) eta <= rho^30 eta^2 m^2, tau = varrho^50, eta = delta/(rho^44 m)."""
    term = rho**17 * varrho ** Rational(50, 3) * m**power * eta
    setting = {"eta": sheet.theorem_1_step_order.expr}
    return equivalent(("the width", "the term is absorbed"), m >= bound.expr, term <= RISE, define=setting)


LAST = sheet.theorem_1_iterations_order.expr * varrho**28
PATH = sheet.theorem_1_step_order.expr * LAST * rho ** Rational(17, 2) * m


@claim(
    "allenzhu2018rnn:theorem-1-restated-radius",
    title="radius that holds the path of descent",
    kind="implication",
    bound="varrho**(103/2)",
    premises="none needed: n, L, d (outputs), m from 1 on, delta (phi) up to 1, no constants or logarithms",
    measured=["varrho"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none in n, L and d"),
    controls=[
        control("varrho^51", bound="varrho**51"),
        control("varrho^50, as printed", bound="varrho**50"),
        control("a path with rho^9", path=PATH * sqrt(rho)),
    ],
    note="within the varrho^100 of Theorem 4 (Theorem 3 prints rho^100); a longer radius asks for a larger width",
)
def path_within_a_radius(bound: Bound, *, path: sympy.Expr = PATH) -> list[Step]:
    """The path times sqrt(m), eta T rho^(17/2) m, eta = delta/(rho^44 m), T = rho^59 varrho^28/delta^2."""
    return _below("the path", path, bound)


# ------------------------------------------------------------------ stochastic descent (Appendix I)


@claim(
    "allenzhu2018rnn:theorem-2-restated-step",
    title="step size at which the mean loss falls and its logarithm fluctuates by a constant",
    kind="implication",
    bound=sheet.theorem_1_step_order.reads("phi/(rho_**44*m)"),
    premises=sheet.rho_at_least_one.reads("rho_ >= 1"),
    measured=["phi", "rho_", "m"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none for the fall; 3 powers of rho for the fluctuation"),
    controls=[
        control("rho^12, as printed", bound=sheet.theorem_2_step_order),
        control("rho^42, of the end of the proof", bound=sheet.theorem_2_step_order_proof),
        control("rho below 1", without=sheet.rho_at_least_one, given=()),
    ],
    note="as in Theorem 1; the mean falls where rho^30 eta^2 m^2 <= eta delta m/rho^14; delta is phi",
)
def step_of_stochastic_descent(bound: Bound, *, given: tuple[sympy.Expr, ...] = tuple(AT_LEAST_ONE)) -> list[Step]:
    """Steps up to the bound: the mean loss falls, and (rho^13 eta m)^2 rho^15/(eta delta m) is at most a constant."""
    fluctuation = (rho**13 * eta * m) ** 2 * rho**15 / (eta * phi * m)
    return [
        *equivalent(("the step", "the mean loss falls"), eta <= bound.expr, RISE <= FALL),
        implies("the fluctuation is bounded", [*given, eta <= bound.expr], fluctuation <= 1),
    ]


@claim(
    "allenzhu2018rnn:theorem-2-restated-drift",
    title="step size at which drift outweighs fluctuation",
    kind="implication",
    bound="phi/(rho_**41*m)",
    premises="none needed: n, L, d (outputs), m from 1 on, delta (phi) up to 1, no constants or logarithms",
    measured=["phi", "rho_", "m"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("rho^12, as printed", bound=sheet.theorem_2_step_order),
        control("rho^42, more than is needed", bound=sheet.theorem_2_step_order_proof),
        control("fluctuations of order rho^12", fluctuation=rho**12 * eta * m),
        control("a drift without the separation", drift=eta * m / rho**15),
    ],
)
def drift_outweighs(
    bound: Bound, *, fluctuation: sympy.Expr = rho**13 * eta * m, drift: sympy.Expr = eta * phi * m / rho**15
) -> list[Step]:
    """The steps eta at which (rho^13 eta m)^2, fluctuation, over eta delta m/rho^15, drift, is at most a constant."""
    return equivalent(("the step", "the quotient is bounded"), eta <= bound.expr, fluctuation**2 / drift <= 1)


@claim(
    "allenzhu2018rnn:theorem-2-restated-iterations",
    title="number of steps of stochastic descent in order",
    kind="implication",
    bound=sheet.theorem_1_iterations_order.reads("rho_**59/phi**2"),
    premises="none needed: n, L, d (outputs), m from 1 on, delta (phi) up to 1, no constants or logarithms",
    sense=">=",
    measured=["rho_", "phi"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin=EQUAL),
    controls=[
        control("rho^57, as printed", bound=sheet.theorem_2_iterations_order),
        control("1/delta", bound="rho_**59/phi"),
        control("the printed step", step=sheet.theorem_2_step_order.expr),
    ],
)
def iterations_of_stochastic_descent(bound: Bound, *, step: sympy.Expr = sheet.theorem_1_step_order.expr) -> list[Step]:
    """The order of rho^15/(eta delta m), the inverse of the rate, at the step delta/(rho^44 m)."""
    return _order_of_the_inverse_rate(bound, step)

"""zou2018: parameter chains, conditions on the sizes that imply one another up to constants and logarithms.

Each is an inequality between powers and needs no network: the widths and numbers of steps of Theorems 4.1 and 4.5
and their corollaries, Remarks 4.2, 4.6, 5.2 and 5.4, the radius and the coefficients of (C.7), and the loss exponents
that smoothness leaves. They stand here whatever the theme of their statement.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy
from sympy import Rational, log

from bounds import Bound, is_positive, is_zero, symbol
from bounds.decisions.chain import BELOW_HALF, EVERY_P, Range, Relation, decide, smallest_exponents
from bounds.decisions.powers import Exponent
from bounds.papers import zou2018 as sheet
from bounds.premise import Premise
from properties.shared.implications import equivalent, implies
from properties.shared.places import at_most, away_from, nowhere_violated
from properties.zou2018.radius_and_step import (
    BELOW_ONE_IN_N,
    EPS_AT_MOST_ONE,
    LOSS_EXPONENTS,
    PROOF_RADIUS,
    PROOF_STEP,
    PROOF_WIDTH,
    STOCHASTIC_PROOF_STEP,
    stays,
)
from theory.claims import Regime, Verdict, claim, control, grid
from theory.evidence import Proof, Step

m, n, B, M, K, p, eps, tau, eta, phi = map(symbol, ("m", "n", "B", "M", "K", "p", "eps", "tau", "eta", "phi"))
ONE = Fraction(1)
ENOUGH = {"n": Exponent(10 * ONE), "phi": Exponent(-6 * ONE), "2**L": Exponent(22 * ONE)}

# What the steps assume, besides that m is the least width and M the largest.
ALIKE, WIDEST = sheet.assumption_3_7_narrowest, sheet.assumption_3_7_widest
ACCURATE = Premise(BELOW_ONE_IN_N, note="accuracy below one in n samples")
SMALL = Premise(EPS_AT_MOST_ONE, note="accuracy of at most one")

ONE_WIDE_LAYER = control("one layer much wider than the others", widths=PROOF_WIDTH[:1], without=ALIKE)


def _width(bound: Bound, total: Bound, setting: Mapping[str, Any], widths: tuple[Premise, ...]) -> list[Step]:
    """That m of the order of the bound keeps K eta within T, and that no smaller order does."""
    return equivalent(("the width", "K eta <= T"), m >= bound.expr, stays(total), widths, **setting)


def _iterations(
    bound: Bound, total: Bound, step: sympy.Expr, widths: tuple[Premise, ...], range_of_p: Range
) -> list[Step]:
    """That K of the order of the bound makes K eta as large as the rate asks, and that no smaller order does."""
    names = ("the number of steps", "the total step K eta")
    return equivalent(names, bound.expr <= K, K * eta >= total.expr, widths, define={"eta": step}, p=range_of_p)


@claim(
    "zou2018:theorem-4.1-width-exponents",
    title="exponents of the width for gradient descent, for a loss with a knee",
    kind="implication",
    bound=sheet.theorem_4_1_width_order.reads("2**(76*L)*(eps**(2 - 4*p)*n**(44 - 4*p) + n**44)/phi**24"),
    premises=sheet.assumption_3_7_narrowest.reads("2*m >= M"),
    sense=">=",
    measured=["m", "M", "n", "p", "eps", "phi", "L"],
    regime=Regime(cells=grid(loss=list(LOSS_EXPONENTS))),
    evidence=Proof(margin="none: the exponents are equal"),
    controls=[
        control("43 for 44 in n", bound="(n**43 + n**(43-4*p)*eps**(2-4*p))*2**(76*L)/phi**24"),
        control("2^(75 L)", bound="(n**44 + n**(44-4*p)*eps**(2-4*p))*2**(75*L)/phi**24"),
        control("radius not cubed", power=Rational(1, 3)),
        ONE_WIDE_LAYER,
    ],
    note="up to constants and logarithms: K eta is that of Lemma 5.6, T that of Lemma 5.5 and tau^(1/3) = m phi^3/"
    "(2^(12 L) n^5 M) that before (C.7), with m_L for m in print. p < 1/2 is empty: no smooth loss has it; "
    "2^(76 L) is print's e^O(L)",
)
def width_for_gradient_descent(
    bound: Bound, loss: str, *, power: sympy.Expr = sympy.S.One, widths: tuple[Premise, ...] = PROOF_WIDTH
) -> list[Step]:
    """That K eta = (n^7 + n^(7-2p) eps^(1-2p))/(m phi^3) <= T = tau/(4^L sqrt(M)) holds for m of the bound, no less."""
    return _width(
        bound, sheet.lemma_5_6_order, {"p": LOSS_EXPONENTS[loss], "define": {"tau": PROOF_RADIUS**power}}, widths
    )


@claim(
    "zou2018:theorem-4.1-width-exponents-no-knee",
    title="exponents of the width for gradient descent, for a loss without knee",
    kind="implication",
    bound=sheet.theorem_4_1_width_order_no_knee.reads("2**(76*L)*n**(44 - 4*p)*(eps**(2 - 4*p) + 1)/phi**24"),
    premises=sheet.assumption_3_7_narrowest.reads("2*m >= M"),
    sense=">=",
    measured=["m", "M", "n", "p", "eps", "phi", "L"],
    regime=Regime(cells=grid(loss=list(LOSS_EXPONENTS))),
    evidence=Proof(margin="none: the exponents are equal"),
    controls=[
        control("one power of n less", bound="n**(43-4*p)*(1 + eps**(2-4*p))*2**(76*L)/phi**24"),
        control("the exponents with a knee", bound=sheet.theorem_4_1_width_order),
        control("no power of eps", bound="n**(44-4*p)*2**(76*L)/phi**24"),
        ONE_WIDE_LAYER,
    ],
    note="up to constants and logarithms, with tau^(1/3) = m phi^3/(2^(12 L) n^5 M). No loss that is Lipschitz and "
    "smooth is without knee: all three cases are empty",
)
def width_for_gradient_descent_without_knee(
    bound: Bound, loss: str, *, widths: tuple[Premise, ...] = PROOF_WIDTH
) -> list[Step]:
    """That K eta = n^(7-2p) (1 + eps^(1-2p))/(m phi^3) <= T = tau/(4^L sqrt(M)) holds for m of the bound, no less."""
    return _width(
        bound, sheet.lemma_5_6_order_no_knee, {"p": LOSS_EXPONENTS[loss], "define": {"tau": PROOF_RADIUS}}, widths
    )


@claim(
    "zou2018:theorem-4.1-iteration-exponents",
    title="exponents of the number of steps of gradient descent, for a loss with a knee",
    kind="implication",
    bound=sheet.theorem_4_1_steps_order.reads("(n**12 + n**(12 - 2*p)*eps**(1 - 2*p))*2**(10*L)/phi**6"),
    premises=sheet.assumption_3_7_narrowest.reads("2*m >= M"),
    sense=">=",
    measured=["m", "M", "n", "p", "eps", "phi", "L"],
    regime=Regime(cells=grid(loss=list(LOSS_EXPONENTS))),
    evidence=Proof(margin="none: the exponents are equal"),
    controls=[
        control("one power of n less", bound="(n**11 + n**(11-2*p)*eps**(1-2*p))*2**(10*L)/phi**6"),
        control("step size without phi^3", step=PROOF_STEP / phi**3),
        control("step size not divided by the width", step=PROOF_STEP * M),
        ONE_WIDE_LAYER,
    ],
    note="up to constants and logarithms; the step size is that before (C.7), m phi^3/(2^(10 L) n^5 M^2), and the "
    "width cancels. Without a knee n^(7-2p) stands for n^7, n^(12-2p) for n^12",
)
def steps_of_gradient_descent(
    bound: Bound, loss: str, *, step: sympy.Expr = PROOF_STEP, widths: tuple[Premise, ...] = PROOF_WIDTH
) -> list[Step]:
    """That K eta >= (n^7 + n^(7-2p) eps^(1-2p))/(m phi^3) for K of the bound and no less; without a knee as well."""
    without = sheet.theorem_4_1_steps_order_no_knee
    return [
        *_iterations(bound, sheet.lemma_5_6_order, step, widths, LOSS_EXPONENTS[loss]),
        *_iterations(without, sheet.lemma_5_6_order_no_knee, step, widths, LOSS_EXPONENTS[loss]),
    ]


@claim(
    "zou2018:theorem-4.5-width-exponents",
    title="exponents of the width for mini-batches, for a loss with a knee",
    kind="implication",
    bound=sheet.theorem_4_5_width_order.reads("2**(76*L)*n**(44 - 4*p)/(eps**(4*p)*phi**24)"),
    premises=[sheet.assumption_3_7_narrowest.reads("2*m >= M"), ACCURATE.reads("eps*n <= 1")],
    sense=">=",
    measured=["m", "M", "n", "p", "eps", "phi", "L"],
    regime=Regime(cells=grid(loss=list(LOSS_EXPONENTS))),
    evidence=Proof(margin="none: the exponents are equal"),
    controls=[
        control("one power of n less", bound="n**(43-4*p)*eps**(-4*p)*2**(76*L)/phi**24"),
        control("exp(-O(L)), as the proof prints it", bound="n**(44-4*p)*eps**(-4*p)*2**(-76*L)/phi**24"),
        control("accuracies above 1/n, where a term of the proof counts", small=EPS_AT_MOST_ONE, without=ACCURATE),
        ONE_WIDE_LAYER,
    ],
    note="up to constants and logarithms, with tau^(1/3) = m phi^3/(2^(12 L) n^5 M), and under eps <= 1/n, not "
    "printed, which lets n^7 be dropped from K eta; for p < 1/2 a loss without knee leads to the same",
)
def width_for_mini_batches(
    bound: Bound, loss: str, *, small: Relation = BELOW_ONE_IN_N, widths: tuple[Premise, ...] = PROOF_WIDTH
) -> list[Step]:
    """That K eta = (n^7 + n^(7-2p) eps^(-2p))/(m phi^3) <= T = tau/(4^L sqrt(M)) holds for m of the bound, no less."""
    setting = {"p": LOSS_EXPONENTS[loss], "define": {"tau": PROOF_RADIUS}}
    return _width(bound, sheet.lemma_5_8_order_derived, setting, (*widths, small))


@claim(
    "zou2018:theorem-4.5-width-exponents-no-knee",
    title="exponents of the width for mini-batches, for a loss without knee",
    kind="implication",
    bound=sheet.theorem_4_5_width_order_no_knee.reads("2**(76*L)*eps**(2 - 4*p)*n**(44 - 4*p)/phi**24"),
    premises=sheet.assumption_3_7_narrowest.reads("2*m >= M"),
    sense=">=",
    measured=["m", "M", "n", "p", "eps", "phi", "L"],
    regime=Regime(cells=grid(loss=["p = 1/2", "p > 1/2"])),
    evidence=Proof(margin="none: the exponents are equal"),
    controls=[
        control("one power of n less", bound="n**(43-4*p)*eps**(2-4*p)*2**(76*L)/phi**24"),
        control("the exponents with a knee", bound=sheet.theorem_4_5_width_order),
        control("the case p < 1/2 with these exponents", cells=grid(loss="p < 1/2")),
        ONE_WIDE_LAYER,
    ],
    note="up to constants and logarithms, with tau^(1/3) = m phi^3/(2^(12 L) n^5 M), for p from 1/2 on. No loss that "
    "is Lipschitz and smooth is without knee, so that the case is empty",
)
def width_for_mini_batches_without_knee(
    bound: Bound, loss: str, *, widths: tuple[Premise, ...] = PROOF_WIDTH
) -> list[Step]:
    """That K eta = n^(7-2p) eps^(1-2p)/(m phi^3) <= T = tau/(4^L sqrt(M)) holds for m of the bound, no less. Below
    p = 1/2 its K eta is the one with a knee."""
    total = sheet.lemma_5_8_order if loss == "p < 1/2" else sheet.lemma_5_8_order_no_knee
    return _width(bound, total, {"p": LOSS_EXPONENTS[loss], "define": {"tau": PROOF_RADIUS}}, widths)


@claim(
    "zou2018:theorem-4.5-iteration-exponents",
    title="exponents of the number of steps with mini-batches, for a loss with a knee",
    kind="implication",
    bound=sheet.theorem_4_5_steps_order.reads("n**(13 - 2*p)*eps**(-2*p)*2**(10*L)/(B*phi**6)"),
    premises=sheet.assumption_3_7_narrowest.reads("2*m >= M"),
    sense=">=",
    measured=["m", "M", "n", "p", "eps", "phi", "L", "B"],
    regime=Regime(cells=grid(loss=list(LOSS_EXPONENTS))),
    evidence=Proof(margin="none: the exponents are equal"),
    controls=[
        control("12 for 13 in n", bound="n**(12-2*p)*eps**(-2*p)*2**(10*L)/(B*phi**6)"),
        control("step size without the batch size, as Theorem 4.5 prints it", step=PROOF_STEP / n),
        control("step size of gradient descent", step=PROOF_STEP),
        control("step size without phi^3", step=STOCHASTIC_PROOF_STEP / phi**3),
        ONE_WIDE_LAYER,
    ],
    note="up to constants and logarithms, at the step size m phi^3 B/(2^(10 L) n^6 M^2) of the proof of Lemma 5.8; "
    "Theorem 4.5 leaves B out of eta, and 1/B needs it",
)
def steps_with_mini_batches(
    bound: Bound, loss: str, *, step: sympy.Expr = STOCHASTIC_PROOF_STEP, widths: tuple[Premise, ...] = PROOF_WIDTH
) -> list[Step]:
    """That K eta >= n^(7-2p) eps^(-2p)/(m phi^3) for K of the bound, no less; no knee, p >= 1/2: eps^(1-2p) in both."""
    without = sheet.theorem_4_5_steps_order_no_knee
    return [
        *_iterations(bound, sheet.lemma_5_8_order, step, widths, LOSS_EXPONENTS[loss]),
        *_iterations(without, sheet.lemma_5_8_order_no_knee, step, widths, LOSS_EXPONENTS[loss]),
    ]


@claim(
    "zou2018:lemma-5.8-dropped-term",
    title="total step of mini-batches without the term that accuracies below 1/n outweigh",
    kind="implication",
    bound=sheet.lemma_5_8_order.reads("n**(7 - 2*p)*eps**(-2*p)/(m*phi**3)"),
    premises=ACCURATE.reads("eps*n <= 1"),
    sense=">=",
    measured=["m", "n", "p", "eps", "phi"],
    regime=Regime(cells=grid(loss=list(LOSS_EXPONENTS))),
    evidence=Proof(margin="none: equality at eps = 1/n"),
    controls=[
        control("accuracies above 1/n, as the lemma allows", condition=EPS_AT_MOST_ONE, without=ACCURATE),
        control("accuracies up to n^(-1/2)", condition=n * eps**2 <= 1, without=ACCURATE),
        control("eps^(-p)", bound="n**(7-2*p)*eps**(-p)/(m*phi**3)"),
    ],
    blind={"p": "at 1, the largest exponent, the time is the longest, and suffices for all the others as well"},
    note="the proof ends with n^7 + n^(7-2p) eps^(-2p), the lemma prints the second term; without eps <= 1/n "
    "the first is larger: n = t, eps = 1, p = 1 makes the print short by t^2",
)
def dropped_term(bound: Bound, loss: str, *, condition: Relation = BELOW_ONE_IN_N) -> list[Step]:
    """Whether K eta of the bound's order is of the order (n^7 + n^(7-2p) eps^(-2p))/(m phi^3) that the proof has."""
    target = K * eta >= sheet.lemma_5_8_order_derived.expr
    return [implies("K eta as the proof asks", [K * eta >= bound.expr, condition], target, p=LOSS_EXPONENTS[loss])]


@claim(
    "zou2018:corollary-4.4-width-exponents",
    title="exponents of the width for zero training error by gradient descent",
    kind="implication",
    bound=sheet.corollary_4_4_width_order.reads("2**(76*L)*n**44/phi**24"),
    premises="none needed: its steps put in the accuracy ell(0)/n and cover all exponents p",
    sense=">=",
    measured=["n", "phi", "L"],
    regime=Regime(cells=grid(loss=list(LOSS_EXPONENTS))),
    evidence=Proof(margin="two powers of n for a loss without knee and p from 1/2 on"),
    controls=[
        control("n^42, from the second term alone", bound="n**42*2**(76*L)/phi**24"),
        control("accuracy 1/n^3", accuracy=1 / n**3),
    ],
    note="up to constants: eps = ell(0)/n makes n^(44-4p) eps^(2-4p) into n^42 for every p; n^44 remains for a loss "
    "with a knee, and is enough for accuracies down to 1/n^2",
)
def width_for_zero_error(bound: Bound, loss: str, *, accuracy: sympy.Expr = 1 / n) -> list[Step]:
    """That the bound is the order of (n^44 + n^(44-4p) eps^(2-4p)) 2^(76 L)/phi^24, of Theorem 4.1, at eps = 1/n."""
    setting: dict[str, Any] = {"define": {"eps": accuracy}, "p": LOSS_EXPONENTS[loss]}
    names = ("the width", "the width of Theorem 4.1")
    without = m >= sheet.theorem_4_1_width_order_no_knee.expr
    return [
        *equivalent(names, m >= bound.expr, m >= sheet.theorem_4_1_width_order.expr, **setting),
        implies("enough without knee", [m >= bound.expr], without, **setting),
    ]


@claim(
    "zou2018:corollary-4.7-width-exponents",
    title="exponents of the width for zero training error with mini-batches",
    kind="implication",
    bound=sheet.corollary_4_4_width_order.reads("2**(76*L)*n**44/phi**24"),
    premises="none needed: its steps put in the accuracy ell(0)/n and cover all exponents p",
    sense=">=",
    measured=["n", "phi", "L"],
    regime=Regime(cells=grid(loss=list(LOSS_EXPONENTS))),
    evidence=Proof(margin="two powers of n for a loss without knee and p from 1/2 on"),
    controls=[
        control("n^42, as for a loss without knee", bound="n**42*2**(76*L)/phi**24"),
        control("accuracy 1/n^3", accuracy=1 / n**3),
    ],
    note="up to constants: eps = ell(0)/n makes n^(44-4p) eps^(-4p) into n^44 for every p, no more than descent needs",
)
def width_for_zero_error_with_mini_batches(bound: Bound, loss: str, *, accuracy: sympy.Expr = 1 / n) -> list[Step]:
    """That the bound is the order of Theorem 4.5's width, n^(44-4p) eps^(-4p) 2^(76 L)/phi^24, at eps = 1/n."""
    setting: dict[str, Any] = {"define": {"eps": accuracy}, "p": LOSS_EXPONENTS[loss]}
    names = ("the width", "the width of Theorem 4.5")
    without = m >= sheet.theorem_4_5_width_order_no_knee.expr
    steps = equivalent(names, m >= bound.expr, m >= sheet.theorem_4_5_width_order.expr, **setting)
    return (
        steps if loss == "p < 1/2" else [*steps, implies("enough without knee", [m >= bound.expr], without, **setting)]
    )


@claim(
    "zou2018:remark-4.2",
    kind="implication",
    bound="eps**(-2)",
    premises=SMALL.reads("eps <= 1"),
    measured=["eps"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="the number of steps grows at most as 1/eps"),
    controls=[
        control("eps^(-3/2)", bound="eps**(-3/2)"),
        control("eps^(-4), a range that no loss reaches", bound="eps**(-4)"),
        control("width without a power of 2^L", depth=0),
        control("accuracies above 1", accuracy=eps >= 1, without=SMALL),
    ],
    note="that K is exponential in L too, and both polynomial in n and 1/phi, stands in the formulas; only m is judged",
)
def accuracy_in_width_and_steps(bound: Bound, *, depth: int = 76, accuracy: Relation = EPS_AT_MOST_ONE) -> list[Step]:
    """The factor of eps in the order of m: 1 for p < 1/2, the bound at p = 1, no more in K; m asks for 2^(76 L)."""
    power, given = 2 ** (76 * symbol("L")), [accuracy]
    rest, most = 2 ** (depth * symbol("L")) / phi**24, n**12 * 2 ** (10 * symbol("L")) / phi**6
    widths = {"with": sheet.theorem_4_1_width_order.expr, "without": sheet.theorem_4_1_width_order_no_knee.expr}
    steps = {"with": sheet.theorem_4_1_steps_order.expr, "without": sheet.theorem_4_1_steps_order_no_knee.expr}
    found = []
    for knee, width in widths.items():
        largest, least = n**44 * rest * bound.expr, n**40 * rest
        found += [
            implies(f"width {knee} knee at most n^44 times the bound", given, width <= largest),
            implies(f"width {knee} knee at least n^40", given, width >= least),
            implies(f"the bound reached {knee} knee", given, width >= least * bound.expr, p=Range(ONE, ONE)),
            implies(f"no eps {knee} knee below p = 1/2", given, width <= n**44 * rest, p=BELOW_HALF),
            implies(f"steps {knee} knee at most n^12 times the bound", given, steps[knee] <= most * bound.expr),
        ]
    asked = stays(sheet.lemma_5_6_order)
    return [
        *found,
        implies("K eta <= T asks for 2^(76 L)", [asked, WIDEST], m >= power, define={"tau": PROOF_RADIUS}),
        implies("the stated width is that large", [m >= n**44 * rest], m >= power),
    ]


def _price(bound: Bound, accuracy: Relation) -> list[Step]:
    """How many times more steps and width mini-batches take: between n/B and the bound, and 1 and eps^(-2)."""
    found = []
    plain = (sheet.theorem_4_1_steps_order, sheet.theorem_4_1_width_order)
    smooth = (sheet.theorem_4_1_steps_order_no_knee, sheet.theorem_4_1_width_order_no_knee)
    batch = (sheet.theorem_4_5_steps_order, sheet.theorem_4_5_width_order)
    batch_smooth = (sheet.theorem_4_5_steps_order_no_knee, sheet.theorem_4_5_width_order_no_knee)
    from_half = Range(ONE / 2, ONE)
    cases = [("with knee", plain, batch, EVERY_P), ("p < 1/2", smooth, batch, BELOW_HALF)]
    cases.append(("without knee", smooth, batch_smooth, from_half))
    for where, full, small, range_of_p in cases:
        ends = [("steps", 0, n / B, bound.expr), ("width", 1, sympy.S.One, eps ** (-2))]
        for what, place, least, most in ends:
            over, under = small[place].expr, full[place].expr
            found += [
                implies(
                    f"{what} {where}: at most {most}", [EPS_AT_MOST_ONE, n >= B], over <= under * most, p=range_of_p
                ),
                implies(f"{what} {where}: at least {least}", [accuracy, n >= B], over >= under * least, p=range_of_p),
            ]
    # With a knee and p = 1, in the accuracies where the second term of gradient descent is the larger one.
    given, last = [n**2 * eps <= 1], Range(ONE, ONE)
    reached = batch[0].expr >= plain[0].expr * bound.expr
    found.append(implies(f"steps: {bound.text} is reached", given, reached, p=last))
    reached = batch[1].expr >= plain[1].expr * eps ** (-2)
    found.append(implies("width: eps^(-2) is reached", given, reached, p=last))
    found.append(
        implies("steps: n/B is reached", [EPS_AT_MOST_ONE], batch_smooth[0].expr <= smooth[0].expr * n / B, p=from_half)
    )
    return found


@claim(
    "zou2018:remark-4.6",
    kind="implication",
    bound=sheet.remark_4_6_printed.reads("n/(B*eps**2)"),
    premises=[ACCURATE.reads("eps*n <= 1"), "batch no larger than the sample: B <= n"],
    measured=["n", "B", "eps"],
    regime=Regime(cells=grid()),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[control("eps^(-1/2)", bound="n/(B*sqrt(eps))"), control("without n/B", bound="eps**(-2)")],
    note="only the upper end of K is not reached: with a knee, at p = 1 and fixed n, eps = 1/t makes it t where "
    "t^2 is printed, in order; the corrected form bounds it for every p",
)
def price_of_mini_batches_in_print(bound: Bound) -> list[Step]:
    """Whether the orders of K of Theorem 4.5 over those of Theorem 4.1 range from n/B to the bound, and those of m from
    1 to eps^(-2), over p in [0, 1], with knee and without, all ends reached."""
    return _price(bound, BELOW_ONE_IN_N)


@claim(
    "zou2018:remark-4.6-corrected",
    kind="implication",
    bound="n/(B*eps)",
    premises=[ACCURATE.reads("eps*n <= 1"), "batch no larger than the sample: B <= n"],
    measured=["n", "B", "eps"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: both ends are reached"),
    controls=[
        control("eps^(-2), as printed", bound=sheet.remark_4_6_printed),
        control("eps^(-1/2)", bound="n/(B*sqrt(eps))"),
        control("without n/B", bound="1/eps"),
        control("accuracies above 1/n, where mini-batches would cost less", accuracy=EPS_AT_MOST_ONE, without=ACCURATE),
    ],
    note="also without knee; lower ends n/B and 1 for eps <= 1/n: above, orders of Theorem 4.5 may be below 4.1's",
    blind={"premise B <= n": "no batch has more samples than there are"},
)
def price_of_mini_batches(bound: Bound, *, accuracy: Relation = BELOW_ONE_IN_N) -> list[Step]:
    """The order of K of Theorem 4.5, n^(13-2p) eps^(-2p)/B, over that of 4.1, n^12 + n^(12-2p) eps^(1-2p): from n/B to
    the bound, over p in [0, 1], both reached; that of m from 1 to eps^(-2)."""
    return _price(bound, accuracy)


@claim(
    "zou2018:remark-5.2",
    kind="implication",
    # Order below the widths of Theorems 4.1 and 4.5 in every case.
    bound=">= 2**(76*L)*n**40/phi**24",
    premises=SMALL.reads("eps <= 1"),
    measured=["n", "phi", "L", "eps"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="n^10, phi^(-6) and 2^(22 L) would do"),
    controls=[
        control("n^9", bound="n**9*2**(76*L)/phi**24"),
        control("phi^(-5)", bound="n**40*2**(76*L)/phi**5"),
        control("2^(21 L)", bound="n**40*2**(21*L)/phi**24"),
        control("any smaller radius as well", exact=False),
        control("accuracies above 1", accuracy=eps >= 1, without=SMALL),
    ],
    note="up to constants and logarithms, for tau of the order phi^9/(n^15 2^(36 L)): at fixed width (5.1) bounds it "
    "from below, and not every smaller one will do. Theorem 5.1 also asks for phi <= C/L, which nothing supplies",
)
def threshold_suits_the_radius(bound: Bound, *, exact: bool = True, accuracy: Relation = EPS_AT_MOST_ONE) -> list[Step]:
    """That the widths of Theorems 4.1 and 4.5 are at least the bound, and m >= the bound gives the width of Lemma B.5
    and (5.1), at beta = 4^L tau^(2/3)/sqrt(m) and s = 3 4^L m tau^(2/3)."""
    orders = {
        "Theorem 4.1": sheet.theorem_4_1_width_order,
        "Theorem 4.1 without knee": sheet.theorem_4_1_width_order_no_knee,
        "Theorem 4.5": sheet.theorem_4_5_width_order,
    }
    found = [implies(f"width of {name}", [m >= o.expr, accuracy], m >= bound.expr) for name, o in orders.items()]
    last, upper = sheet.theorem_4_5_width_order_no_knee.expr, Range(ONE / 2, ONE)
    found.append(implies("width of Theorem 4.5 without knee", [m >= last, accuracy], m >= bound.expr, p=upper))
    define = {"beta_": sheet.lemma_B_3_threshold.expr, "s": sheet.lemma_B_3.expr}
    radius = sheet.eq_C_7_radius_order.expr
    given = [m >= bound.expr, tau <= radius, *([tau >= radius] if exact else [])]
    conditions = [sheet.premise_5_1_width, sheet.premise_5_1_sparsity, sheet.remark_5_2_width, sheet.lemma_A_10_width]
    found += [implies(premise.source, given, premise, define=define) for premise in conditions]
    if all(step.holds for step in found):
        least = smallest_exponents(sheet.premise_5_1_width, "m", bound.expr, given=given[1:], define=define)
        found.append(Step("powers that would do: " + ", ".join(f"{k} {v}" for k, v in least.items()), least == ENOUGH))
    return found


@claim(
    "zou2018:remark-5.4",
    kind="implication",
    bound="8**(-L)",
    premises="none needed: it compares formulas in radius and depth, at any widths",
    measured=["L"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: every bound asks for 8^(-L); the radius of the theorems has 2^(-36 L)"),
    controls=[
        control("4^(-L)", bound="4**(-L)"),
        control("16^(-L), more than is needed", bound="16**(-L)"),
        control("a power of the depth", bound="L**(-24)"),
    ],
    note="about the bounds of Theorem 5.3, which is what the remark speaks of; the largest perturbations found "
    "grow far more slowly with the depth",
)
def radius_falls_with_the_depth(bound: Bound) -> list[Step]:
    """That 8^L tau/7 <= 1 and 3 4^L tau^(2/3) < 1 hold for tau of the order of the bound, and for no larger order."""
    threshold = sheet.lemma_B_3_nontrivial.smaller.expr.subs(tau, Rational(1, 3) ** Rational(3, 2) * bound.expr)
    return [
        *equivalent(("the radius", "8^L tau/7 <= 1"), tau <= bound.expr, sheet.lemma_B_2.expr <= 1),
        *equivalent(("the radius", "fewer flips than neurons"), tau <= bound.expr, sheet.lemma_B_3_nontrivial),
        implies("radius of Lemmas C.2 to C.4", [tau <= bound.expr], sheet.lemma_C_2_radius),
        implies("the radius of the theorems", [WIDEST], bound.expr >= PROOF_RADIUS),
        Step("3 4^L tau^(2/3) = 1 at 3^(-3/2) times the bound", is_zero(threshold - 1)),
    ]


@claim(
    "zou2018:lemma-B.5-radius",
    title="radius that the gradient lower bound asks for",
    kind="implication",
    bound="phi**(3/2)/(n**3*8**L)",
    premises="none needed: it compares formulas in n, phi and L, at any widths",
    measured=["n", "phi", "L"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="the radius of the theorems has n^(-15) phi^9 2^(-36 L)"),
    controls=[
        control("without phi^(3/2), as Theorem 5.3(v) prints it", bound="1/(n**3*8**L)"),
        control("n^(-2) phi, the second condition alone", bound="phi/(n**2*8**L)"),
        control("phi^2, more than is needed", bound="phi**2/(n**3*8**L)"),
    ],
)
def radius_of_the_gradient_bound(bound: Bound) -> list[Step]:
    """The order of Min(phi^(3/2)/(8^L n^3), phi/(8^L n^2)), the proof's radii up to constants; the theorems' below."""
    premise = sheet.lemma_B_5_radius
    return [
        *equivalent(("the radius", "the conditions of the proof"), tau <= bound.expr, premise),
        implies("the radius of the theorems", [WIDEST], bound.expr >= PROOF_RADIUS),
    ]


@claim(
    "zou2018:eq-C.7-radius",
    title="order of the radius, and the lemmas for which it is small enough",
    kind="implication",
    bound=sheet.eq_C_7_radius_order.reads("phi**9/(n**15*2**(36*L))"),
    premises=sheet.assumption_3_7_narrowest.reads("2*m >= M"),
    measured=["m", "M", "n", "phi", "L"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none in the order; 2^(-36 L) where 8^(-L) is asked for, n^(-15) for n^(-3)"),
    controls=[
        control("n^(-14)", bound="phi**9/(n**14*2**(36*L))"),
        control("2^(-12 L)", bound="phi**9/(n**15*2**(12*L))"),
        control("radius not cubed", power=Rational(1, 3)),
        ONE_WIDE_LAYER,
    ],
)
def radius_suits_every_lemma(
    bound: Bound, *, power: sympy.Expr = sympy.S.One, widths: tuple[Premise, ...] = PROOF_WIDTH
) -> list[Step]:
    """Whether (m phi^3/(2^(12 L) n^5 M))^3, before (C.7), is of the bound's order, up to constants and logarithms, and
    that order at most those of 1/2 and of what Lemmas B.3, B.5 and C.2 to C.4 ask for."""
    asked = {
        "Theorem 5.3(i)": sheet.theorem_5_3_radius,
        "Lemmas C.2 to C.4": sheet.lemma_C_2_radius,
        "Lemma B.5": sheet.lemma_B_5_radius,
        "fewer flips than neurons": sheet.lemma_B_3_nontrivial,
    }
    return [
        implies("at most this order", [*widths], PROOF_RADIUS**power <= bound.expr),
        implies("at least this order", [*widths], PROOF_RADIUS**power >= bound.expr),
        *(implies(name, [tau <= bound.expr], premise) for name, premise in asked.items()),
    ]


# Where the decrease that (C.7) leaves is compared, with each size far from the others.
PLACES_OF_A_STEP = away_from(
    {"m": 1, "n": 1, "phi": 1, "eta": 1, "S1": 1},
    {"m": [10**6], "n": [10**6], "phi": [1e-6], "eta": [1e-6, 1e6], "S1": [1e-6, 1e6]},
)


@claim(
    "zou2018:eq-C.7",
    kind="implication",
    bound=sheet.eq_C_7.reads("eta*c0*m*phi**3/(2*n**7)*S1**2"),
    premises="widest layer of three neurons at least: M >= 3",
    sense=">=",
    measured=["eta", "m", "phi", "n", "S1"],
    regime=Regime(cells=grid(M=3), least={"M": 2}),
    evidence=Proof(margin="1 - 1/(4 sqrt(log M)) - 1/4 in place of 1/2: 0.511 at M = 3, 3/4 for large widths"),
    controls=[
        control("two nodes in the widest layer", cells=grid(M=2), without="M >= 3"),
        control("0.52 for 1/2", bound="13*eta*c0*m*phi**3/(25*n**7)*S1**2"),
        control("radius without its logarithm", radius=PROOF_RADIUS * sympy.log(symbol("M")) ** 3),
        control("step size twice as large", step=2 * PROOF_STEP),
    ],
    note="from (C.6) and Lemma B.5, for every M >= 3, which is ours: at M = 2 the two errors take 0.55 of the "
    "gradient. (C.18), for mini-batches, has the same coefficients",
)
def errors_take_half_of_the_gradient(
    bound: Bound, M: int, *, radius: sympy.Expr = PROOF_RADIUS, step: sympy.Expr = PROOF_STEP
) -> list[Step]:
    """What the two error terms of (C.6) leave of eta c0 m phi^3/n^7 S1^2, m = m_L, at the largest tau and eta. Those
    are (c0 m phi^3/(2^(12L+2) C0 n^5 M log M))^3 and c0 m phi^3/(2^(10L+2) n^5 M^2 (lam + rho)); S1 sums ell'_i."""
    L, S1, C0, rho, lam, width = map(symbol, ("L", "S1", "C0", "rho", "lam", "M"))
    gradient = eta * sheet.lemma_B_5.expr
    flips = 2 ** (12 * L) * C0 * radius ** Rational(1, 3) * width * sympy.sqrt(log(width)) * eta * S1**2 / n**2
    curvature = 2 ** (10 * L) * width**2 * eta * (rho + lam) * eta * S1**2 / n**2
    shares = [
        sympy.simplify(sympy.powdenest((term / gradient).subs(eta, step), force=True)) for term in (flips, curvature)
    ]
    batches = (curvature / gradient * n / B).subs(eta, step * B / n)
    # d share / d M <= 0 wherever log M > 0, so that the least width decides.
    slope = sympy.simplify(sympy.diff(shares[0], width) * width * log(width) ** Rational(3, 2))
    left = 1 - sum(share.subs(width, M) for share in shares)
    return [
        Step(f"the flips take {shares[0]}", shares[0].free_symbols <= {width}),
        Step("a share that falls with the width", is_positive(-slope)),
        Step(f"the second order takes {shares[1]}", shares[1].is_number),
        Step("and as much with mini-batches", is_zero(batches - shares[1])),
        Step(f"left of the gradient at M = {M}: {float(left):.4f}", at_most(bound.expr / gradient, left)),
        nowhere_violated(Bound(left * gradient - bound.expr, sheet.eq_C_7.constants), PLACES_OF_A_STEP),
    ]


@claim(
    "zou2018:fact-self-bounding",
    bound="sqrt(2*lam*eps)",
    premises="none needed: its steps start from a smooth loss that is never negative",
    measured=["lam", "eps"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: equality for the square of the positive part"),
    controls=[
        control("without the factor 2", bound="sqrt(lam*eps)"),
        control("eps^(2/3), which would leave p from 2/3 on", bound="sqrt(2*lam)*eps**(2/3)"),
        control("exponents from 1/4 on admitted", least=Fraction(1, 4)),
    ],
    note="a loss, not 0 everywhere, that tends to 0 with slope at least loss^p needs p >= 1/2, and a Lipschitz one has "
    "a knee: of the cases of Theorems 4.1 and 4.5 those with a knee and p >= 1/2 are left",
)
def slope_of_a_smooth_loss(bound: Bound, *, least: Fraction = ONE / 2) -> list[Step]:
    """The size of ell' where the loss is eps, as its quadratic upper bound is nowhere negative; what p that leaves."""
    value, lam, slope, move = eps, symbol("lam"), sympy.Symbol("g", real=True), sympy.Symbol("u", real=True)
    upper = value + slope * move + lam * move**2 / 2
    lowest = upper.subs(move, sympy.solve(sympy.diff(upper, move), move)[0])
    largest = sympy.solve(lowest.subs(slope, sympy.Symbol("g", positive=True)), sympy.Symbol("g", positive=True))
    half_square = lam * sympy.Symbol("u", positive=True) ** 2 / 2
    slope_of_it = sympy.diff(half_square, sympy.Symbol("u", positive=True))
    admitted, below = Range(least, ONE), Range(0 * ONE, least, open_high=True)
    steep = decide(eps**p >= bound.expr, given=[EPS_AT_MOST_ONE], p=below, what="loss^p above the bound for smaller p")
    growing = decide(eps**p >= 1, given=[eps >= 1], p=Range(0 * ONE, ONE, open_low=True), what="loss^p without end")
    return [
        Step("the quadratic is lowest at value - slope^2/(2 lam)", is_zero(lowest - value + slope**2 / (2 * lam))),
        Step("which is 0 at the bound", is_zero(largest[0] - bound.expr) if len(largest) == 1 else False),
        Step("attained by lam u^2/2", is_zero(bound.expr.subs(value, half_square) - slope_of_it)),
        implies("loss^p below the bound as the loss falls", [EPS_AT_MOST_ONE], eps**p <= bound.expr, p=admitted),
        Step(str(steep), False if steep.ties else steep.decision),
        Step(str(growing), False if growing.ties else growing.decision),
    ]

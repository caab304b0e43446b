"""zou2018: inequalities between numbers that its proofs lean on.

Main claims: `chord_above_exponential` (proof of Corollary A.5), `difference_quotient` (Lemma C.1), the inequalities of
Bernstein and Hoeffding with explicit constants (`bernstein_for_a_layer`, `hoeffding_for_the_output`),
`slopes_against_the_mean_loss` (C.8), and the recursions `geometric_decrease` (C.10) and `two_regimes`.
"""

import math
from fractions import Fraction

import flint
import numpy as np
import sympy
from hypothesis import strategies as st
from sympy import Rational, exp, log

from bounds.arithmetic.balls import precision_of
from bounds.bound import Bound
from bounds.decisions.prove import at_least, is_nonnegative, is_zero, nonnegative
from bounds.decisions.questions import Decision, all_of
from bounds.laws.layers import MaskedChiSquare, SmallPreactivations
from bounds.papers import zou2018 as sheet
from bounds.symbols import symbol
from nets.networks.losses import LOSSES, Loss, power_loss
from properties.shared.places import at_most, constant_values, nowhere_violated
from properties.shared.tail_witnesses import EXPONENTIAL_WITNESS, gaussians, violated_by
from properties.zou2018.balanced_tail import balanced_tail
from properties.zou2018.recursions import loss_after
from theory.claims import Measured, Regime, Verdict, claim, control, grid, reals, rounding
from theory.evidence import ExactLaw, Proof, Search, Step, Tail

DOMAIN_END, HALF = log(2), Rational(1, 2)

# Second coefficient of arccos(1 - x) in powers of sqrt(x).
SECOND = sympy.sqrt(2) / 12

# u = 1/L, and u = log(b/a)
SHARE = sympy.Symbol("u", nonnegative=True)
LOG_RATIO = sympy.Symbol("u", nonnegative=True)

# Where a symbolic proof is cross-checked in ball arithmetic.
PLACES = [
    {"a": ratio * b, "b": b, "p": p}
    for ratio in (Fraction(1, 1000), Fraction(1, 2), 1 - Fraction(1, 10**7))
    for b in (Fraction(1, 4), Fraction(8))
    for p in map(Fraction, ("1/100", "1/4", "499/1000", "501/1000", "3/4", "1"))
]


@claim(
    "zou2018:fact-A.5-scalar",
    bound=sheet.fact_A_5_scalar.reads("exp(-x)"),
    sense=">=",
    premises="small argument: x <= log(2)",
    regime=Regime(cells=grid()),
    measured=["x"],
    evidence=Proof(margin="true up to x = 1.59362; (1 - log(2)/(2L))^L is at least 0.653"),
    controls=[
        control("up to x = 1.594, where it just fails", end=Rational(1594, 1000), without="x <= log(2)"),
        control("exp(-0.61 x); any rate from 0.614 up would do", bound="exp(-0.61*x)"),
        control("exp(-x/2), the tangent turned round", bound="exp(-x/2)"),
        control("1 - x on the left", slope=sympy.Integer(1)),
    ],
)
def chord_above_exponential(bound: Bound, *, end: sympy.Expr = DOMAIN_END, slope: sympy.Expr = HALF) -> list[Step]:
    """The chord 1 - x/2 against the bound on [0, log 2], and what follows for the shares of Lemma A.4 at every depth.

    With u = 1/L the L-th power of 1 - log(2)/(2L) is at least 1/2 where log(1 - u log(2)/2) + u log(2) >= 0.
    """
    x = symbol("x")
    chord = nonnegative(1 - slope * x - bound.expr, x, 0, end)
    power = nonnegative(log(1 - slope * log(2) * SHARE) + log(2) * SHARE, SHARE, 0, 1)
    return [
        Step(f"1 - x/2 is at least the bound{chord.where}", chord),
        Step(f"(1 - log(2)/(2L))^L is at least 1/2 for every L >= 1{power.where}", power),
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

ONE_PART_LESS = "999999*(b**(1 - 2*p) - a**(1 - 2*p))/(1000000*(1 - 2*p))"

ALSO_TURNED_ROUND = {
    "premise a <= b": "x**(1 - 2*p)/(1 - 2*p) is concave, so on both sides of b below its tangent there"
}


@claim(
    "zou2018:lemma-C.1",
    bound=sheet.lemma_C_1.reads("(b**(1 - 2*p) - a**(1 - 2*p))/(1 - 2*p)"),
    premises=sheet.lemma_C_1_order.reads("a <= b"),
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
    note="printed with both signs turned; p in [0, 1] without 1/2; true for every p >= 0, and without a <= b",
    blind=ALSO_TURNED_ROUND,
)
def difference_quotient(
    p: float, log_b: float, log_ratio: float, *, factor: float = 2.0, by_smaller: bool = False, sign: float = 1.0
) -> Measured:
    """The quotient (b - a)/b^(2p) with b = exp(log_b), a = b exp(-log_ratio), equal to the bound at p = 0 and a = b."""
    b, p = math.exp(log_b), sign * p
    a = b * math.exp(-log_ratio)
    below = a if by_smaller else b
    power = 1.0 - 2.0 * p
    # The bound cancels: each of its two powers is good to some units in the last place, or to |power log b|
    # of them where 1 - 2p was rounded.
    error = rounding((a**power + b**power) / abs(power), 16.0 + 4.0 * abs(log_b) + 4.0 * log_ratio)
    if power == 1.0 or a == b:
        # Both sides are the same difference, of a and b themselves, or nothing.
        error = rounding(b - a, 4.0)
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
    "zou2018:lemma-C.1-proof",
    bound=sheet.lemma_C_1.reads("(b**(1 - 2*p) - a**(1 - 2*p))/(1 - 2*p)"),
    premises=sheet.lemma_C_1_order.reads("a <= b"),
    regime=Regime(cells=grid()),
    measured=["a", "b", "p"],
    evidence=Proof(unasked="each wrong bound would be simplified, which takes long"),
    controls=[
        control("divided by the power of a, the smaller one", by_smaller=True),
        control("negative p", sign=-1),
        control("one part in a million less", bound=ONE_PART_LESS),
    ],
    note="printed with both signs turned; p in [0, 1] without 1/2, true for every p >= 0",
    blind=ALSO_TURNED_ROUND,
)
def gap_grows_with_the_ratio(bound: Bound, *, by_smaller: bool = False, sign: int = 1) -> list[Step]:
    """The bound less (b - a)/b^(2p), over b^(1 - 2p), as a function of u = log(b/a): it is 0 at 0 and grows.

    For p < 1/2 the chain in print breaks, this one does not: the derivative is exp(-u) (exp(2pu) - 1).
    """
    a, b, p = symbol("a"), symbol("b"), symbol("p")
    gap = (bound.expr - (b - a) / (a if by_smaller else b) ** (2 * p)).subs(p, sign * p)
    exponent = 2 * sign * p * LOG_RATIO
    scaled = sympy.simplify(gap.subs(a, b * exp(-LOG_RATIO)) / b ** (1 - 2 * sign * p))
    slope = sympy.diff(scaled, LOG_RATIO) - exp(-LOG_RATIO) * (exp(exponent) - 1)
    return [
        nowhere_violated(Bound(gap), PLACES),
        Step("the gap depends on b/a alone, up to scale", b not in scaled.free_symbols or None),
        Step("it is 0 at a = b", is_zero(scaled.subs(LOG_RATIO, 0)) or None),
        Step("its derivative in u is exp(-u) (exp(2pu) - 1)", is_zero(slope) or None),
        Step("2pu >= 0, hence exp(2pu) >= 1", is_nonnegative(exponent)),
    ]


def _at_most(found: sympy.Expr, limit: sympy.Expr) -> Decision | None:
    """Whether a step of a proof goes through: that it does not refutes nothing."""
    return at_most(found, limit) or None


@claim(
    "zou2018:fact-bernstein",
    bound=sheet.fact_bernstein.reads("normX*Max(sqrt(log(2/delta)/(c*m)), log(2/delta)/(c*m))"),
    premises="none needed: the terms of the layer's sum are independent, centred and of psi_1 norm normX",
    regime=Regime(cells=grid(m=[1, 1024], delta=[0.1, 1e-6, 1e-60]), thorough=grid(m=10**6, delta=[0.1, 1e-100])),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control(
            "no linear branch, as for sub-Gaussian terms",
            bound="4*sqrt(5*log(2/delta)/(E*m))",
            cells=grid(m=1, delta=1e-60),
        ),
        control("linear branch alone", bound="20*log(2/delta)/m", cells=grid(m=1024, delta=0.1)),
        control("variance proxy 1", bound="sqrt(2*log(2/delta)/m)", cells=grid(m=1024, delta=0.1)),
        control("terms not centred", centre=0.0, cells=grid(m=1024, delta=0.1)),
    ],
    note="normX = 4/e is the psi_1 norm sup_q (E|X|^q)^(1/q)/q of X = 2 g^2 1{g > 0} - 1, g normal; c is 1/(5e). "
    "The exact rate is about three times that of the square branch and five times that of the linear one",
    scope="part: the sum that the proof of Lemma A.1 applies it to",
)
def bernstein_for_a_layer(threshold: float, m: int, *, centre: float = 1.0) -> Tail:
    """The probability that ||x_l||^2/||x_{l-1}||^2 is off 1 by more than the threshold, in a layer of width m."""
    law = MaskedChiSquare(m)
    above = float(law.sf(centre + threshold))
    below = float(law.cdf(centre - threshold)) if threshold <= centre else 0.0
    return Tail(above + below, above + below)


@claim(
    "zou2018:fact-bernstein-count",
    title="Bernstein inequality for the number of small pre-activations",
    bound="m**(3/2)*beta_/sqrt(pi) + log(1/delta)/3 + sqrt(log(1/delta)**2/9 + 2*m**(3/2)*beta_/sqrt(pi)*log(1/delta))",
    premises="none needed: neurons are small independently of each other, each with the known chance",
    regime=Regime(
        cells=[
            *grid(m=[1024, 10**6], mean=[1.0, 20.0], delta=[0.1, 1e-6, 1e-60]),
            *grid(m=10**6, mean=10**4, delta=[0.1, 1e-60]),
        ],
        derived={"beta_": lambda m, mean: mean * math.sqrt(math.pi) / m**1.5},
    ),
    evidence=ExactLaw(rate="delta"),
    ceiling="m",
    controls=[
        control(
            "no linear branch",
            bound="m**(3/2)*beta_/sqrt(pi) + sqrt(2*m**(3/2)*beta_/sqrt(pi)*log(1/delta))",
            cells=grid(m=1024, mean=1.0, delta=1e-60),
        ),
        control(
            "half of the variance",
            bound="m**(3/2)*beta_/sqrt(pi) + sqrt(m**(3/2)*beta_/sqrt(pi)*log(1/delta))",
            cells=grid(m=10**6, mean=10**4, delta=1e-60),
        ),
        control("weight variance 3/2m", gain=1.5, cells=grid(m=10**6, mean=10**4, delta=0.1)),
    ],
    blind={"delta in log(1/delta)**2/9": "true without it as well, as for all sums that are sub-gamma with scale 1/3"},
    note="Lemmas A.7 and A.10 need this form, with the variance: from psi_1 norms alone the exponent for rare events "
    "of probability q is of order m (q log(1/q))^2, not m q",
)
def bernstein_for_a_count(threshold: float, m: int, beta_: float, *, gain: float = 2.0) -> Tail:
    """The probability that more than `threshold` pre-activations behind a unit vector are within beta_ of zero."""
    exact = math.exp(float(SmallPreactivations(m, beta_, 1.0, gain).logsf(threshold)))
    return Tail(exact, exact)


@claim(
    "zou2018:fact-bernstein-constant",
    title="Bernstein inequality for sub-exponential sums, with its constant derived",
    bound=sheet.fact_bernstein_tail.reads("2*exp(-c*Min(t**2/(normX**2*norma**2), t/(normX*maxa)))"),
    premises="none needed: its steps take all independent centred terms of psi_1 norm normX",
    measured=["t", "normX", "norma", "maxa"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="1/(5e) = 0.0736; an exponential variable allows no more than 2/e"),
    controls=[
        control("no linear branch", bound="2*exp(-t**2/(5*E*normX**2*norma**2))"),
        control("constant 4/5", bound="2*exp(-4/5*Min(t**2/(normX**2*norma**2), t/(normX*maxa)))"),
        control("largest weight for the Euclidean norm", bound="2*exp(-Min(t**2/maxa**2/normX**2, t/normX)/5/E)"),
    ],
)
def bernstein_constant(bound: Bound) -> list[Step]:
    """P(|sum a_i X_i| >= t) by moments and Chernoff, on both branches; norma is ||a||_2, maxa the largest |a_i|, normX
    the largest psi_1 norm sup_q (E|X_i|^q)^(1/q)/q."""
    t, norm, root, largest = map(symbol, ("t", "normX", "norma", "maxa"))
    share, u = Rational(2, 5), sympy.Symbol("u", nonnegative=True)
    shown = bound.expr.subs(constant_values(bound))
    rate = sympy.simplify(sympy.expand_log(log(2 / shown), force=True).subs({t: 1, norm: 1, root: 1, largest: 1}))
    form = 2 * exp(-rate * sympy.Min(t**2 / (norm * root) ** 2, t / (norm * largest)))
    found = violated_by(bound, (EXPONENTIAL_WITNESS, gaussians(1), gaussians(10**4)))
    falling = nonnegative(u - log(1 + u), u, 0, HALF)
    return [
        Step("not violated by exponential and Gaussian sums", not found),
        Step(f"k^k/(k! e^k) falls from k = 2 on{falling.where}", falling),
        Step("one rate for two branches", is_zero(shown - form) or None),
        Step("square branch within Chernoff's", _at_most(rate, (1 - share) / 8)),
        Step("linear branch within half of Chernoff's first term", _at_most(rate, share / (2 * sympy.E))),
    ]


@claim(
    "zou2018:fact-hoeffding",
    bound=sheet.fact_hoeffding.reads("normX*sqrt(log(E/delta)/c)"),
    premises="none needed: the terms of the output are independent, centred and of psi_2 norm normX",
    regime=Regime(cells=grid(m=[64, 1024, 10**6], delta=[0.5, 0.1, 1e-3, 1e-9]), least={"m": 64}),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("constant 2/5", bound="sqrt(5*log(E/delta)/(2*E))", cells=grid(m=10**6, delta=1e-9)),
        control("terms not centred: all output signs alike", balanced=False, cells=grid(m=1024, delta=0.1)),
    ],
    note="normX = exp(-1/2) is the psi_2 norm sup_q (E|X|^q)^(1/q)/sqrt(q) of X = max(g, 0) - max(g', 0), both "
    "normal; c is 1/21. The bound is 2.2 to 2.6 times the exact level",
    scope="part: the sum that the proof of Lemma A.6 applies it to",
)
def hoeffding_for_the_output(threshold: float, m: int, *, balanced: bool = True) -> Tail:
    """The probability that the output of one layer at a unit vector, sqrt(2/m) times the sum of m/2 such X, exceeds the
    threshold in size; with all signs alike it has mean sqrt(m/pi) and variance below 1, and Chebyshev brackets it."""
    if balanced:
        return balanced_tail(m, threshold)
    room = math.sqrt(m / math.pi) - threshold
    return Tail(max(0.0, 1.0 - room**-2.0) if room > 0.0 else 0.0, 1.0)


@claim(
    "zou2018:fact-hoeffding-constant",
    title="Hoeffding inequality for sub-Gaussian sums, with its constant derived",
    bound=sheet.fact_hoeffding_tail.reads("exp(1 - c*t**2/(normX**2*norma**2))"),
    premises="none needed: its steps take all independent centred terms of psi_2 norm normX",
    measured=["t", "normX", "norma"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="1/20.16 is proved; a Gaussian variable allows no more than 1/pi"),
    controls=[
        control("constant 1/3", bound="exp(1 - t**2/(3*normX**2*norma**2))"),
        control("largest weight for the Euclidean norm", bound="exp(1 - t**2/(21*normX**2))"),
        control("terms that are only sub-exponential", heavy=True),
    ],
)
def hoeffding_constant(bound: Bound, *, heavy: bool = False) -> list[Step]:
    """P(|sum a_i X_i| >= t): E[exp(y X)] has two bounds, one of them at most exp(5.04 (y ||X||)^2); norma is ||a||_2,
    normX the largest ||X_i||, psi_2 norms sup_q (E|X|^q)^(1/q)/sqrt(q)."""
    x, z = sympy.Symbol("x", real=True), sympy.Symbol("z", nonnegative=True)
    rate, turn, tilt = Rational(504, 100), Rational(131, 1000), Rational(4, 25)
    scale = {symbol("t"): symbol("norma") * sympy.sqrt(z), symbol("normX"): 1}
    claimed = sympy.simplify(
        (1 - sympy.expand_log(log(bound.expr), force=True)).subs(constant_values(bound) | scale) / z
    )
    laws = [gaussians(1), gaussians(10**4), *([EXPONENTIAL_WITNESS] if heavy else [])]
    chord = [nonnegative(exp(x**2) + x - exp(x), x, *ends) for ends in ((0, 1), (-1, 0))]
    small = nonnegative(rate * z - log(1 + 2 * z / (1 - 2 * sympy.E * z)), z, 0, turn)
    large = nonnegative((rate - 1 / (2 * tilt)) * z - log(1 + tilt / (1 - sympy.E * tilt)), z, turn, 1)
    return [
        Step("not violated by sums", not violated_by(bound, laws)),
        Step("exp(x) <= x + exp(x^2)", all_of(chord)),
        Step(f"at most B z for small z{small.where}", small),
        Step(f"at most B z beyond{large.where}", large),
        Step("exponent a multiple of t^2/(||X|| ||a||)^2", not claimed.free_symbols or None),
        Step("within Chernoff's 1/(4 B), and 2 <= e", _at_most(claimed, 1 / (4 * rate))),
    ]


@claim(
    "zou2018:fact-arccos",
    bound="C*x**(5/2)",
    constants={
        "C": (Rational(1, 25), "the remainder over x^(5/2) grows from 3 sqrt(2)/160 = 0.0265 to 0.0387 at x = 1")
    },
    premises="argument of at most 1; the paper lets x fall to 0: x <= 1",
    measured=["x"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="at x = 1 the remainder is 0.0387 x^(5/2), near 0 it is 0.0265 x^(5/2)"),
    controls=[
        control("constant 0.026", bound="13*x**(5/2)/500"),
        control("second coefficient sqrt(2)/6", second=sympy.sqrt(2) / 6),
        control("second coefficient 0.1178, that of the paper being 0.11785", second=Rational(1178, 10000)),
        control("up to x = 3/2", end=Rational(3, 2), without="x <= 1"),
    ],
)
def arccos_near_one(bound: Bound, *, second: sympy.Expr = SECOND, end: sympy.Expr = sympy.S.One) -> list[Step]:
    """The remainder arccos(1 - x) - sqrt(2 x) - sqrt(2)/12 x^(3/2), never negative; x = theta^2/2 gives theta +
    theta^3/24."""
    u, x, theta = sympy.Symbol("u", nonnegative=True), symbol("x"), symbol("theta")
    shown = sympy.sqrt(2 * x) + second * x ** Rational(3, 2)
    remainder = 2 * sympy.asin(u) - sympy.powdenest(shown.subs(x, 2 * u**2), force=True)
    allowed = sympy.powdenest(bound.expr.subs(x, 2 * u**2).subs(constant_values(bound)), force=True)
    last = sympy.sqrt(end / 2)
    positive = nonnegative(remainder, u, 0, last)
    small = nonnegative(allowed - remainder, u, 0, last)
    # 2^-3000 is about 10^-903; the terms that cancel are 2^(2 k) times the remainder.
    tiny = [_arccos_gap(bound, second, k) for k in (10, 100, 3000)]
    in_chord = shown.subs(x, theta**2 / 2) - theta - theta**3 / 24
    return [
        Step(f"the remainder is not negative{positive.where}", positive),
        Step(f"the remainder is at most the bound{small.where}", small),
        Step("also at 2^-10, 2^-100 and 2^-3000, from arccos itself", all(tiny)),
        Step("in the chord: theta + theta^3/24", is_zero(in_chord)),
    ]


def _arccos_gap(bound: Bound, second: sympy.Expr, k: int) -> bool:
    """Whether 0 <= arccos(1 - x) - ... <= bound at x = 2^-k."""
    bits = 128 + 8 * k
    with precision_of(bits):
        x = flint.arb(2) ** -k
        coefficient = Bound(second).ball(precision=bits)
        remainder = (1 - x).acos() - (2 * x).sqrt() - coefficient * x * x.sqrt()
        return bool(remainder >= 0) and bool(remainder <= bound.ball(x=x, precision=bits))


@claim(
    "zou2018:fact-min-harmonic",
    bound=">= 1/(1/a + 1/b)",
    premises="none needed: a and b are any positive numbers",
    measured=["a", "b"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none as a/b tends to 0; at a = b half of the smaller number"),
    controls=[
        control("the harmonic mean itself", bound="2/(1/a + 1/b)"),
        control("one part in a thousand more", bound="1001/1000/(1/a + 1/b)"),
        control("half of the geometric mean", bound="sqrt(a*b)/2"),
    ],
)
def smaller_number_above_half_the_harmonic_mean(bound: Bound) -> list[Step]:
    """The smaller number against the bound, by their ratio u: both orders of a and b, and the scale dropping out."""
    a, b, u = symbol("a"), symbol("b"), sympy.Symbol("u", positive=True)
    orders = [sympy.simplify(bound.expr.subs({a: u * b}) / b), sympy.simplify(bound.expr.subs({b: u * a}) / a)]
    plain = [order.subs({a: 1, b: 1}) for order in orders]
    shown = [nonnegative(u - order, u, Rational(1, 10**6), 1) for order in plain]
    # (u - bound)/u near u = 0, where both are 0.
    near = [nonnegative(sympy.simplify(1 - order / u), u, 0, Rational(1, 10)) for order in plain]
    free = all(order.free_symbols <= {u} for order in orders)
    return [
        Step(f"min(a, b) is at least the bound{shown[0].where}", all_of(shown)),
        Step(f"also as a/b falls to 0{near[0].where}", all_of(near)),
        Step("up to scale it depends on a/b alone", free),
    ]


# Losses are multiples of n/256, so that their mean is exact, and at least two are not zero: only at p = 1 do the two
# sides agree, which is then decided exactly, as alpha_0 and alpha_1 are short numbers. Samples beyond the eighth have
# the loss of the eighth.
LEVEL = st.integers(0, 2**12)
LOSSES_DRAWN = {f"loss{i}": st.one_of(LEVEL, st.just(0), st.just(1)) for i in range(8)}
ALMOST_ALONE = dict(zip(LOSSES_DRAWN, (2**12, 1, 0, 0, 0, 0, 0, 0), strict=True))


def _levels(**drawn: int) -> tuple[int, ...]:
    first, second, *others = drawn.values()
    return max(first, 1), max(second, 1), *others


LOSS_VECTORS = {"levels": (_levels, LOSSES_DRAWN)}


def _losses(levels: tuple[int, ...], n: int) -> np.ndarray:
    """The losses of n samples."""
    return n / 256.0 * np.array([levels[min(i, len(levels) - 1)] for i in range(n)])


def _sum_of_slopes(values: np.ndarray, p: float, alpha1: float, knee: float, exponent: float | None) -> Measured:
    """The squared sum of min(knee, alpha1 loss^p), or of another power of the losses."""
    power = p if exponent is None else exponent
    slopes = np.minimum(knee, alpha1 * values**power)

    def ball() -> flint.arb:
        with precision_of(128):
            total = flint.arb(0)
            for value in values:
                slope = (
                    flint.arb(alpha1) * flint.arb(float(value)) ** flint.arb(power) if value > 0.0 or power else alpha1
                )
                total += flint.arb(knee).min(slope) if math.isfinite(knee) else slope
            return total**2

    symbols = {"eps": float(values.mean())} if exponent is None else {"eps": float(values.mean()), "p": exponent}
    return Measured(float(slopes.sum()) ** 2, ball=ball, symbols=symbols)


@claim(
    "zou2018:eq-C.8-corrected",
    title="sum of loss derivatives against a power of the mean loss, with alpha1^2 once",
    bound=sheet.eq_C_8.reads("alpha1**2*n**(2*p)*eps**(2*p)"),
    premises="exponent of at most 1: p <= 1",
    sense=">=",
    regime=Regime(
        cells=grid(n=[2, 8]),
        draw={"p": st.one_of(reals(0.0, 1.0), st.just(0.5)), "alpha1": reals(0.25, 2.0), **LOSSES_DRAWN},
        built=LOSS_VECTORS,
        pinned=[{"p": p, "alpha1": alpha1, **ALMOST_ALONE} for p in (0.0, 0.5, 1.0) for alpha1 in (0.5, 2.0)],
        least={"n": 2},
    ),
    measured=["eps"],
    evidence=Search(examples=100, adversary="one loss much larger than the others, p close to 1"),
    controls=[
        control("exponent 3/2", exponent=1.5, without="p <= 1"),
        control("n^2 for n^(2p), as if all losses were equal", bound="alpha1**2*n**2*eps**(2*p)"),
        control("without alpha1", bound=sheet.eq_C_8_printed),
        control("sum over a batch of half the samples", batch=0.5),
    ],
    note="equality for a single loss that is not zero if p > 0, so that n is 2 at least here and two losses are not "
    "zero, and for all losses at p = 1; the variant proof has n = 1 too",
    scope="repaired: its last inequality, at x_0 = -inf, without the factor -eta c_0 m phi^3/(2 n^7)",
)
def slopes_against_the_mean_loss(
    n: int, p: float, levels: tuple[int, ...], alpha1: float, *, exponent: float | None = None, batch: float = 1.0
) -> Measured:
    """The squared sum of slopes that are exactly alpha1 loss^p, for n losses of mean eps."""
    losses = _losses(levels, n)
    found = _sum_of_slopes(losses, p, alpha1, math.inf, exponent)
    if batch == 1.0:
        return found
    some = _sum_of_slopes(losses[: round(batch * n)], p, alpha1, math.inf, exponent)
    return Measured(some.value, ball=some.ball, symbols=found.symbols)


@claim(
    "zou2018:eq-C.8-knee",
    title="sum of loss derivatives against a power of the mean loss, for a loss with a knee",
    bound=">= Min(alpha0, alpha1*n**p*eps**p)**2",
    premises="exponent of at most 1: p <= 1",
    regime=Regime(
        cells=grid(n=[2, 8]),
        draw={
            "p": st.one_of(reals(0.0, 1.0), st.just(0.5)),
            "alpha0": reals(0.5, 8.0),
            "alpha1": reals(0.25, 1.0),
            **LOSSES_DRAWN,
        },
        built=LOSS_VECTORS,
        pinned=[
            {"p": p, "alpha0": alpha0, "alpha1": alpha1, **ALMOST_ALONE}
            for p in (0.25, 0.5, 1.0)
            for alpha0, alpha1 in ((0.5, 1.0), (8.0, 0.25))
        ],
        least={"n": 2},
    ),
    measured=["eps"],
    evidence=Search(examples=100, adversary="one loss beyond the knee"),
    controls=[
        control("as without knee", bound=sheet.eq_C_8),
        control("all samples beyond the knee", bound="Min(n*alpha0, alpha1*n**p*eps**p)**2"),
        control("exponent 3/2", exponent=1.5, without="p <= 1"),
    ],
    note="n is 2 at least and two losses are not zero: of a single one both sides are the same number",
)
def slopes_with_a_knee(
    n: int, p: float, levels: tuple[int, ...], alpha0: float, alpha1: float, *, exponent: float | None = None
) -> Measured:
    """The squared sum of slopes that are exactly min(alpha0, alpha1 loss^p), for n losses of mean eps."""
    return _sum_of_slopes(_losses(levels, n), p, alpha1, alpha0, exponent)


@claim(
    "zou2018:eq-C.8-proof",
    title="sum of loss derivatives against a power of the mean loss, proved",
    bound=sheet.eq_C_8.reads("alpha1**2*n**(2*p)*eps**(2*p)"),
    premises="exponent of at most 1: p <= 1",
    sense=">=",
    measured=["alpha1", "n", "p", "eps"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: equality for a single loss that is not zero"),
    controls=[control("exponents from 0 to 3/2", largest=Rational(3, 2), without="p <= 1")],
)
def shares_of_the_loss(bound: Bound, *, largest: sympy.Expr = sympy.S.One) -> list[Step]:
    """The square (sum_i alpha1 loss_i^p)^2, as shares w_i = loss_i/sum have w_i^p >= w_i: w = exp(-v) and p v <= v."""
    share, v = sympy.Symbol("u", nonnegative=True, real=True), sympy.Symbol("v", nonnegative=True)
    n, total = symbol("n"), sympy.Symbol("S", positive=True)
    least = sympy.powdenest(sympy.expand_power_base(bound.expr.subs(symbol("eps"), total / n), force=True), force=True)
    single = symbol("alpha1") ** 2 * total ** (2 * symbol("p"))
    # p is the largest exponent times 1 - u: v - p v is then v u, a product of numbers that are not negative.
    room = sympy.factor(v * (1 - largest * (1 - share)))
    return [
        Step("the bound is what a single loss gives", is_zero(least / single - 1)),
        Step(
            "w^p >= w for shares",
            is_nonnegative(room) or (at_least(at_one, 0) if (at_one := room.subs({share: 0, v: 1})) < 0 else None),
        ),
    ]


@claim(
    "zou2018:eq-C.8",
    bound=sheet.eq_C_8_printed.reads("n**(2*p)*eps**(2*p)"),
    premises="none needed: exp(-x/2) meets Assumption 3.1, its limits at inf, and 3.2 with p = 1, alpha1 = 1/2, x_0 = "
    "-inf; 3.3 and 3.4, which no loss of that case meets together, do not enter the display",
    sense=">=",
    regime=Regime(cells=grid(n=1, p=1.0), draw={"margin": reals(-4.0, 4.0)}, pinned=[{"margin": 0.0}]),
    measured=["eps"],
    evidence=Search(examples=30),
    expected=Verdict.REFUTED,
    controls=[
        control("with the square of 9/10", bound="81*n**(2*p)*eps**(2*p)/100"),
        control("sum not squared", bound="n**p*eps**p", root=True),
    ],
    note="the second inequality, with alpha1^2 on both sides, says this. At every margin 1/4 stands against 1. The two "
    "ends of the display are right: see corrected",
)
def slope_of_a_slow_exponential(margin: float, *, root: bool = False) -> Measured:
    """The squared slope of exp(-x/2) at one sample of this margin, where its value is eps."""
    value = math.exp(-margin / 2.0)
    return Measured((value / 2.0) ** (1 if root else 2), symbols={"eps": value})


# A margin on this lattice is exact, and so are value and slope of the quadratic losses there.
SMOOTH_OF_THE_SUITE = [name for name, loss in LOSSES.items() if math.isfinite(loss.constants.lam)]
POWERS = {"power 0.5": 0.5, "power 0.75": 0.75, "power 0.9": 0.9}


def _loss(name: str) -> Loss:
    return power_loss(POWERS[name]) if name in POWERS else LOSSES[name]


@claim(
    "zou2018:fact-self-bounding-losses",
    title="self-bounding derivative of the smooth losses of the suite",
    bound="2*lam*eps",
    premises="none needed: every loss listed is never negative and smooth with its lam",
    regime=Regime(
        cells=grid(loss=[*SMOOTH_OF_THE_SUITE, *POWERS]),
        derived={"lam": lambda loss: 1.0 if loss == "hinge" else _loss(loss).constants.lam},
        draw={"margin": reals(-4.0, 4.0)},
        pinned=[{"margin": 0.0}, {"margin": 0.75}],
    ),
    measured=["eps"],
    evidence=Search(examples=60),
    controls=[control("the hinge with the constant of its Huberised form", cells=grid(loss="hinge"))],
    note="equality on the quadratic parts of the squared and of the Huberised hinge. A power loss has |ell'| = ell^p, "
    "p the number in its name, from margin 0 to 1, where it is 0; to the left it is its tangent",
)
def slope_of_a_loss(loss: str, margin: float) -> Measured:
    """The squared slope of a loss of the suite, where its value is eps."""
    value, slope = _loss(loss).value_and_derivative(margin)
    return Measured(float(slope) ** 2, symbols={"eps": float(value)})


FEW_STEPS = grid(k=1, eta=0.5)


@claim(
    "zou2018:eq-C.10",
    bound=sheet.eq_C_10.reads("L0*exp(-c*k*eta)"),
    premises="step small enough, not printed, else the loss would turn negative [eq. (C.10)]: c*eta <= 1",
    regime=Regime(
        cells=[*grid(k=[1, 10, 1000], eta=0.5), *grid(k=10, eta=[1e-3, 2.0])],
        draw={
            "c": st.one_of(reals(1e-8, 2.0, logarithmic=True), st.just(2.0)),
            "L0": reals(1e-3, 1e3, logarithmic=True),
        },
        pinned=[{"c": 1e-8, "L0": 1.0}, {"c": 2.0, "L0": 1.0}],
    ),
    evidence=Search(examples=60, adversary="exactly the decrease asked for, at steps down to 1e-8"),
    controls=[
        control("one step more", bound="L0*exp(-c*(k + 1)*eta)"),
        control("rate in the square of the step", bound="L0*exp(-c*k*eta*(1 + c*eta))"),
        control("decrease relative to the loss after the step", implicit=True),
        control("decrease of the power 3/4", power=1.5),
    ],
)
def geometric_decrease(
    k: int, eta: float, c: float, L0: float, *, implicit: bool = False, power: float = 1.0
) -> Measured:
    """The loss after k steps that each lower it by exactly c eta loss; c is the paper's c0 m alpha1^2 phi^3/(2 n^6)."""

    def sequence(first: flint.arb, rate: flint.arb) -> flint.arb:
        if power == 1.0:
            return first * (1 / (1 + rate) if implicit else 1 - rate) ** k
        for _ in range(k):
            first = first - rate * first ** flint.arb(power)
        return first

    def ball() -> flint.arb:
        with precision_of(256):
            return sequence(flint.arb(L0), flint.arb(c) * flint.arb(eta))

    found = ball()
    loss = float(found.mid())
    if math.isinf(loss):
        raise ValueError(f"the loss grows beyond all doubles in {k} steps, as c eta = {c * eta:g}: ask for fewer steps")
    return Measured(loss, error=float(found.rad()) + rounding(abs(loss), 2.0), ball=ball)


@claim(
    "zou2018:eq-C.9",
    bound=sheet.eq_C_9.reads("(L0**(1 - 2*p) + (2*p - 1)*c*k*eta)**(1/(1 - 2*p))"),
    premises=[
        "exponent above 1/2, as below it the losses come to an end: p > 1/2",
        "step small enough, not printed, else the loss would turn negative [eq. (C.9)]: c*eta*L0**(2*p - 1) <= 1",
    ],
    regime=Regime(
        cells=[*grid(k=[1, 10, 200], eta=0.5), *grid(k=10, eta=1e-3)],
        draw={
            "p": reals(0.55, 1.0),
            "share": reals(1e-6, 0.999, logarithmic=True),
            "L0": reals(1e-3, 1e3, logarithmic=True),
        },
        pinned=[{"p": 0.75, "share": 1e-6, "L0": 1.0}, {"p": 1.0, "share": 0.999, "L0": 2.0}],
    ),
    measured=["c"],
    evidence=Search(examples=40, adversary="exactly the decrease asked for, at steps down to a millionth of the loss"),
    controls=[
        control("one step more", bound="(L0**(1 - 2*p) + (2*p - 1)*c*(k + 1)*eta)**(1/(1 - 2*p))", cells=FEW_STEPS),
        control("rate 2p for 2p - 1", bound="(L0**(1 - 2*p) + 2*p*c*k*eta)**(1/(1 - 2*p))"),
        control("geometric, as at p = 1/2", bound="L0*exp(-c*k*eta*L0**(2*p - 1))"),
        control("decrease relative to the loss after the step", implicit=True),
    ],
    note="in the paper c is c0 m alpha1^2 phi^3/(2 n^(7-2p)). Lemma C.1 at successive losses, added up",
    blind={
        "premise L0**(2*p - 1)*c*eta <= 1": "the first step then ends at or below 0, where no power is defined",
        "premise p > 1/2": "at 1/2 the formula is none, and below it a later step ends below 0, with no power",
        "eta": "its product with c is drawn, and c shows the power of both",
    },
)
def decrease_by_a_power(k: int, eta: float, p: float, share: float, L0: float, *, implicit: bool = False) -> Measured:
    """The loss after k steps that each lower it by exactly c eta loss^(2p), in ball arithmetic.

    c is such that the first step takes this share of the loss. With `implicit` a step takes c eta times the power of
    about the loss after it.
    """
    c = share / (eta * L0 ** (2.0 * p - 1.0))

    def ball() -> flint.arb:
        with precision_of(256):
            loss, power, rate = flint.arb(L0), 2 * flint.arb(p), flint.arb(c) * flint.arb(eta)
            for _ in range(k):
                step = rate * loss**power
                loss = loss - (rate * (loss - step) ** power if implicit else step)
            return loss

    found = ball()
    size = float(found.mid())
    return Measured(size, error=float(found.rad()) + rounding(size, 2.0), ball=ball, symbols={"c": c})


@claim(
    "zou2018:eq-x0-rate",
    bound=">= k*eta",
    premises="none needed: each step takes exactly the decrease that the recursion asks for",
    regime=Regime(
        cells=grid(steps=[1, 30], p=[0.0, 0.25, 0.5, 0.75, 1.0]),
        draw={
            "log_ratio": st.floats(-6.0, 6.0),
            "log_share": st.floats(-3.0, -0.05),
            "first": reals(1e-2, 1e2, logarithmic=True),
        },
        pinned=[{"log_ratio": ratio, "log_share": -3.0, "first": 1.0} for ratio in (-6.0, 0.0, 6.0)],
    ),
    measured=["k", "eta"],
    evidence=Search(examples=40, adversary="exactly the decrease asked for, on either side of the knee and across it"),
    controls=[
        control("constant regime alone", terms=(True, False)),
        control("power regime alone", terms=(False, True)),
        control("exponent p for 2p", factor=1.0),
    ],
    note="also at p = 1/2, where the power regime is logarithmic; the paper prints p other than 1/2. There A is "
    "c0 m phi^3 alpha0^2/(2 n^7), and B is c0 m phi^3 alpha1^2/(2 n^(7-2p))",
    scope="as printed: 1 to 30 steps, which add up to any number",
)
def two_regimes(
    steps: int,
    p: float,
    log_ratio: float,
    log_share: float,
    first: float,
    *,
    terms: tuple[bool, bool] = (True, True),
    factor: float = 2.0,
) -> Measured:
    """The time (L_0 - L_k)/A + (L_0^(1-2p) - L_k^(1-2p))/((1-2p) B) of a loss of k falls of eta min(A, B loss^(2p)).

    B = 1, and A is 10^log_ratio times the decrease of the power regime at the first loss; the first step takes a share
    of the loss. Steps that would end the loss are left out.
    """
    flat = 10.0**log_ratio * first ** (2.0 * p)
    eta = 10.0**log_share * first / min(flat, first ** (2.0 * p))
    last, taken = loss_after(first, lambda loss: eta * min(flat, loss ** (2.0 * p)), steps)
    q, fall = 1.0 - factor * p, math.log(last / first)
    logarithmic = -fall if q == 0.0 else -(first**q) * math.expm1(q * fall) / q
    total = terms[0] * (first - last) / flat + terms[1] * logarithmic
    # Each step rounds the loss, and the fall is what is left of it.
    error = rounding(first / flat + first**q * (1.0 + abs(fall)), 8.0 * (taken + 4))
    return Measured(total, error=error, symbols={"k": taken, "eta": eta})

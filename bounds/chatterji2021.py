"""Formula sheet of Chatterji, Long and Bartlett (2021), gradient descent with logistic loss on smoothed ReLU networks.

Each name is a statement of the paper, as in the other sheets: `_premises` what it asks for, `_sharp` a tighter bound
of the same argument, `_printed` and `_corrected` two readings where the printed one is false.

The paper's width p is m here, its step size alpha is eta, and t - 1 steps are k. All norms but those called operator
norms are Frobenius norms, and norms of V are over all layers together. Where the loss is so small that it
underflows, take `log`, or `ball` with the loss as a ball.
"""

from sympy import E, Max, Min, Rational, exp, log, sqrt

from bounds.bound import Bound, Constant
from bounds.premise import Premise
from bounds.symbols import symbol

m, n, L, k, delta, eta, x, C, t = map(symbol, ("m", "n", "L", "k", "delta", "eta", "x", "C", "t"))
h, J, J1, g, z, Q, gamma, lip = map(symbol, ("h", "J", "J1", "g", "z", "Q", "gamma", "lip"))
normV, normV1, normG, dist, distop = map(symbol, ("normV", "normV1", "normG", "dist", "distop"))
dgate, factors, suffixes, prodW = map(symbol, ("dgate", "factors", "suffixes", "prodW"))
d, s, normX, norma, maxa = map(symbol, ("d", "s", "normX", "norma", "maxa"))

_HALF = Rational(1, 2)
_THREE_QUARTERS = Rational(3, 4)
_KEY = "chatterji2021"
_LARGE = sqrt(L + _HALF)
_AT_LEAST_3 = Premise(n >= 3, source=f"{_KEY}, Theorem 3.1")


def _at(locator: str) -> str:
    return f"{_KEY}, {locator}"


# ------------------------------------------------------------------ activations, Section 2

def_2_1_slope = Bound(1, source=_at("Definition 2.1"), note="on |phi'(z)|")
def_2_1_lipschitz = Bound(1 / h, source=_at("Definition 2.1"), note="on the Lipschitz constant of phi'")
def_2_1_gap = Bound(h / 2, source=_at("Definition 2.1"), note="on |phi'(z) z - phi(z)|")
ex_huber_gap = Bound(h / 2, source=_at("eq. (1)"), note="on the ReLU minus phi, and on phi'(z) z - phi(z)")
# z s'(z) + s(z) for the sigmoid s is largest at 2.39936, where it is 1.09984.
ex_swish_slope = Bound(
    Rational(99986, 100000), source=_at("Section 2.2, scaled Swish"), note="on |phi'|, at most 1 in the paper"
)
ex_swish_lipschitz = Bound(
    Rational(10, 11) / h, source=_at("Section 2.2, scaled Swish"), note="Lipschitz constant of phi', taken at 0"
)
ex_swish_gap = Bound(Rational(2, 10) * h, source=_at("Section 2.2, scaled Swish"), note="on |phi'(z) z - phi(z)|")

# eq. (2a), (2b): no number is claimed, the two sides agree.
eq_2 = Bound(0, source=_at("eq. (2)"), note="difference of the closed form of the gradient and the derivative")

# ------------------------------------------------------------------ thresholds and main theorem, Section 3.1

eq_3a = Bound(
    Min(L ** (L / 2 - 3) * log(1 / J1) / (24 * sqrt(m) * normV1**L), 1),
    source=_at("eq. (3a)"),
    note="h_max: on the smoothing h",
)
eq_3b_first = Bound(
    h / (1024 * (L + 1) ** 2 * m * J1 * normV1 ** (3 * L + 5)),
    source=_at("eq. (3b)"),
    note="on the step size, for smoothness",
)
eq_3b_second = Bound(
    (L + _HALF) * normV1**2 / (2 * L * (L + _THREE_QUARTERS) ** 2 * J1 * log(1 / J1) ** (2 / L)),
    source=_at("eq. (3b)"),
    note="on the step size, for the recursion: as much as Q <= 1/2",
)
eq_3b = Bound(Min(eq_3b_first.expr, eq_3b_second.expr), source=_at("eq. (3b)"), note="alpha_max: on the step size")
eq_3c = Bound(
    L * (L + _THREE_QUARTERS) ** 2 * eta * J1 * log(1 / J1) ** (2 / L) / ((L + _HALF) * normV1**2),
    source=_at("eq. (3c)"),
    note="Q tilde: on the rate Q",
)
eq_3_loss = Bound(n ** (-(1 + 24 * L)), source=_at("Theorem 3.1"), note="strictly above the loss at the first iterate")

theorem_3_1 = Bound(J1 / (Q * k + 1), source=_at("Theorem 3.1"), note="on the loss after k steps; k = t - 1")
theorem_3_1_premises = (
    _AT_LEAST_3,
    Premise(eq_3_loss.expr > J1, source=_at("Theorem 3.1")),
    Premise(h < eq_3a.expr, source=_at("Theorem 3.1")),
    Premise(eta <= eq_3b.expr, source=_at("Theorem 3.1")),
    Premise(eq_3c.expr >= Q, source=_at("Theorem 3.1")),
)
theorem_3_1_rate = Bound(
    Q, source=_at("Theorem 3.1"), note="below (J_1/J - 1)/k after k steps, which tells a rate where J_1/J is near 1"
)
theorem_3_1_halving = Bound(1 / Q, source=_at("Theorem 3.1"), note="steps after which the loss is halved at the latest")

# ------------------------------------------------------------------ random initialisation, Section 3.2

assumption_3_2 = Bound(
    sqrt(m) * gamma, source=_at("Assumption 3.2"), note="below the margins of the tangent features in one direction"
)
eq_4 = Bound(
    C / (sqrt(m) * gamma) * (sqrt(log(n / delta)) + log(6 * n ** (2 + 24 * L))),
    {"C": Constant(1, "the paper says 'large enough'; the proof of Lemma D.9 needs no less than 1")},
    source=_at("eq. (4)"),
    note="rho: radius of the ball at initialisation",
)
eq_5 = Bound(
    (1 + 24 * L) * log(n) / (6 * (6 * m) ** ((L + 1) / 2) * L**3), source=_at("eq. (5)"), note="h_NT: the smoothing"
)
eq_5_corrected = Bound(
    (1 + 24 * L) * log(n) / (10 * (6 * m) ** ((L + 1) / 2) * L**3),
    source=_at("eq. (5)"),
    note="with 10 for 6, 24/sqrt(6) = 9.80 being needed, so that it is below h_max at norm sqrt(6 m L)",
)
# h_max at norm sqrt(6 m L) and loss n^-(1+24L)
theorem_3_3_h_max = Bound(
    Min((1 + 24 * L) * log(n) * L ** (L / 2 - 3) / (24 * sqrt(m) * (6 * m * L) ** (L / 2)), 1),
    source=_at("proof of Theorem 3.3"),
    note="h_max for the second stage, which h_NT has to stay below",
)
theorem_3_3_rate = Bound(
    1 / (50 * L ** ((3 * L + 7) / 2) * (L + 1) ** 2 * (6 * m) ** (2 * L + 5)),
    source=_at("proof of Theorem 3.3"),
    note="below Q tilde of the second stage at h_NT and norm sqrt(6 m L)",
)
theorem_3_3 = Bound(
    J1 / (theorem_3_3_rate.expr * k),
    source=_at("Theorem 3.3, part 2"),
    note="on the loss k steps into the second stage, which starts at J_1; with the constant of the proof",
)
theorem_3_3_premises = (_AT_LEAST_3, Premise(eq_3_loss.expr >= J1, source=_at("Theorem 3.3, part 1")))

# ------------------------------------------------------------------ technical tools, Section 4.1

lemma_4_1 = Bound(
    J - eta * L * normG**2 / (L + _HALF), source=_at("Lemma 4.1"), note="on the loss after one gradient step"
)
lemma_4_1_premises = (
    Premise(
        eta <= 1 / ((L + _HALF) * lip),
        source=_at("Lemma 4.1"),
        note="lip bounds the local Lipschitz constants on the segment of the step",
    ),
)
lemma_4_1_decrease = Bound(
    eta * L * normG**2 / (L + _HALF),
    source=_at("Lemma 4.1"),
    note="below what one gradient step takes off the loss, where the difference of two losses is lost in rounding",
)
lemma_4_2 = Bound(
    256 * (L + 1) * sqrt(m) * normV ** (3 * L + 5) * J / h,
    source=_at("Lemma 4.2"),
    note="on the local Lipschitz constant of the gradient",
)
lemma_4_2_premises = (
    Premise(h <= 1, source=_at("Lemma 4.2")),
    Premise(normV >= _LARGE, source=_at("Lemma 4.2")),
)
lemma_4_3 = Bound(
    sqrt((L + 1) * m) * normV ** (L + 1) * Min(J, 1), source=_at("Lemma 4.3"), note="on the norm of the gradient"
)
lemma_4_3_premises = (Premise(normV >= _LARGE, source=_at("Lemma 4.3")),)
# A sample's gradient at one layer has rank one, and a norm of at most g times the product of the L other norms; the sum
# over the layers of the squared products is at most (L + 1) (||V||^2/(L + 1))^L.
lemma_4_3_sharp = Bound(
    sqrt(L + 1) * (normV**2 / (L + 1)) ** (L / 2) * Min(J, 1),
    source=_at("Lemma 4.3"),
    note="on the norm of the gradient, for all V: by Maclaurin's inequality for the products of L of L + 1 norms",
)
lemma_4_4 = Bound(lemma_4_1.expr, source=_at("Lemma 4.4"), note="on the loss after one gradient step")
lemma_4_4_decrease = Bound(
    lemma_4_1_decrease.expr, source=_at("Lemma 4.4"), note="below what one gradient step takes off the loss"
)
lemma_4_4_premises = (
    _AT_LEAST_3,
    Premise(h <= 1, source=_at("Lemma 4.4")),
    Premise(eq_3_loss.expr > J, source=_at("Lemma 4.4")),
    Premise(eta * J <= h / (1024 * (L + 1) ** 2 * sqrt(m) * normV ** (3 * L + 5)), source=_at("Lemma 4.4")),
)
lemma_4_5 = Bound(
    (L + _THREE_QUARTERS) * J * log(1 / J) / normV, source=_at("Lemma 4.5"), note="below the norm of the gradient"
)
lemma_4_5_premises = (
    Premise(n >= 3, source=_at("Lemma 4.5"), note="not said in the lemma; one sample is a counterexample"),
    Premise(h <= eq_3a.expr, source=_at("Lemma 4.5")),
    Premise(eq_3_loss.expr > J, source=_at("Lemma 4.5")),
    Premise(normV**L * log(1 / J1) <= log(1 / J) * normV1**L, source=_at("Lemma 4.5")),
)
lemma_B_6_large = Premise(
    normV >= sqrt(E * L),
    source=_at("Lemma B.6"),
    note="missing in print: from here on L factors make the largest product",
)
lemma_4_5_corrected_premises = (*lemma_4_5_premises, lemma_B_6_large)

# ------------------------------------------------------------------ induction, Section 4.2

ih_1 = Bound(theorem_3_1.expr, source=_at("(I1)"), note="on the loss after k steps")
ih_2 = Bound(log(1 / J1) / normV1**L, source=_at("(I2)"), note="below log(1/J)/||V||^L at every step")
ih_3 = Bound(
    h / (1024 * (L + 1) ** 2 * m * normV ** (3 * L + 5)),
    source=_at("(I3)"),
    note="on the step size times the loss, at every step",
)
# one step of the recursion on (7), J the loss before it
lemma_4_6 = Bound(J1 / (Q * (k + 1) + 1), source=_at("Lemma 4.6"), note="on the loss one step after (I1) at k")
lemma_4_6_step = Bound(
    J * (1 - L * (L + _THREE_QUARTERS) ** 2 * eta * J * log(1 / J1) ** (2 / L) / ((L + _HALF) * normV1**2)),
    source=_at("eq. (7)"),
    note="on the loss after one step",
)
lemma_4_7 = Bound(ih_2.expr, source=_at("Lemma 4.7"), note="below log(1/J)/||V||^L after one more step")
lemma_4_8 = Bound(ih_3.expr, source=_at("Lemma 4.8"), note="on the step size times the loss after one more step")
lemma_4_8_increasing = Bound(
    exp(-(3 * L + 5) / L),
    source=_at("Lemma 4.8"),
    note="z log(1/z)^((3L+5)/L) grows up to here, above the largest loss 3^-(1+24L)",
)
ineq_binomial_a = Bound(1 + L * x / (1 - (L - 1) * x), source=_at("proof of Lemma 4.7"), note="on (1 + x)^L, for L > 1")
ineq_binomial_a_premises = (Premise((L - 1) * x < 1, source=_at("proof of Lemma 4.7")),)
ineq_binomial_b = Bound(1 + 2 * (L + 1) * x, source=_at("proof of Lemma B.16"), note="on (1 + x)^(L + 1)")
ineq_binomial_b_premises = (Premise(x < 1 / L, source=_at("proof of Lemma B.16")),)
ineq_binomial_c = Bound(1 + (6 * L + 10) * x, source=_at("proof of Lemma B.17"), note="on (1 + x)^(3 L + 5)")
ineq_binomial_c_premises = (Premise(x < 1 / (3 * L + 5), source=_at("proof of Lemma B.17")),)

# ------------------------------------------------------------------ scalar lemmas, Appendix B.2

def_B_1 = Bound(
    1 - exp(-J), source=_at("Definition B.1"), note="the weight g of a sample of loss J; cancels where J is small"
)
lemma_B_3 = Bound(J, source=_at("Lemma B.3, part 1"), note="on the weight g = 1/(1 + exp(y f)) of a sample of loss J")
lemma_B_3_slope = Bound(g, source=_at("Lemma B.3, part 2"), note="on g (1 - g) = exp(y f)/(1 + exp(y f))^2")
lemma_B_4 = Bound(
    0,
    source=_at("Lemma B.4"),
    note="on psi(M) minus the sum of psi(z_i), psi concave with psi(0) = 0, z_i >= 0 of sum M",
)
ineq_psi = Bound(
    (J - n * J**2) * log(1 / (2 * n * J)),
    source=_at("proof of Lemma 4.5"),
    note="below (1 - exp(-n J))/n times log(1/(exp(n J) - 1))",
)
ineq_psi_log = Bound(1 / (12 * L), source=_at("proof of Lemma 4.5"), note="on log(2 n)/log(1/J)")
ineq_psi_loss = Bound(1 / (48 * L), source=_at("proof of Lemma 4.5"), note="on n J, and on the term of h_max")
ineq_psi_total = Bound(
    (1 + 1 / (4 * (L + _THREE_QUARTERS))) * (1 - 1 / (8 * L)),
    source=_at("proof of Lemma 4.5"),
    note="at least 1, which it is at L = 1",
)
ineq_psi_premises = (_AT_LEAST_3, Premise(eq_3_loss.expr > J, source=_at("Lemma 4.5")))
lemma_B_5 = Bound(sqrt(L + 1), source=_at("Lemma B.5"), note="below ||V||, strictly")
lemma_B_5_premises = (
    Premise(n >= 3, source=_at("Lemma B.5"), note="not said in the lemma; with one sample V = 0 is a counterexample"),
    Premise(2 * eq_3_loss.expr >= J, source=_at("Lemma B.5")),
)
# A loss J needs a margin of at least log(1/(exp(J) - 1)), a product of L + 1 norms, at most (||V||/sqrt(L+1))^(L+1).
# x/(exp(x) - 1) >= 1 - x/2 makes it log(1/J - 1/2), the same to second order in J and without cancellation.
lemma_B_5_sharp = Bound(
    sqrt(L + 1) * log(Max(1, 1 / J - _HALF)) ** (1 / (L + 1)),
    source=_at("proof of Lemma B.5"),
    note="below ||V||, for every loss J; reached by equal scalar layers and one margin, up to J^2/12 in the margin",
)
lemma_B_5_scale = Bound(
    sqrt(L + 1) * log((n ** (1 + 24 * L) - 1) / 2) ** (1 / (L + 1)),
    source=_at("proof of Lemma B.5"),
    note="below ||V||, at the largest loss that the lemma allows",
)

# ------------------------------------------------------------------ products of norms, Appendix B.2

lemma_B_6_1_printed = Bound(
    (normV / sqrt(L)) ** L,
    source=_at("Lemma B.6, part 1"),
    note="on the products of the norms above a layer; false from L = 2 on, as fewer factors may make a larger product",
)
lemma_B_6_1_premises = (Premise(normV > sqrt(L + 1), source=_at("Lemma B.6, part 1")),)
lemma_B_6_1_corrected = Bound(
    lemma_B_6_1_printed.expr, source=_at("Lemma B.6, part 1"), note="as printed, with a premise that makes it true"
)
lemma_B_6_1_corrected_premises = (lemma_B_6_large,)
lemma_B_6_2 = Bound(normV**L, source=_at("Lemma B.6, part 2"), note="on the products of the norms above a layer")
lemma_B_6_2_premises = (Premise(normV > 1, source=_at("Lemma B.6, part 2")),)
# (||V||/sqrt(q))^q over real q is largest at q = ||V||^2/e
lemma_B_6_sharp = Bound(
    exp(normV**2 / (2 * E)), source=_at("Lemma B.6"), note="on the product of any number of norms, for all V"
)
lemma_B_7_printed = Bound(
    Max(normV ** (L + 1) / (L + 1) ** ((L + 1) / 2), normV),
    source=_at("Lemma B.7"),
    note="on the product of some of L + 1 operator norms; false from L = 2 on; normV is ||A||",
)
lemma_B_7_corrected = Bound(
    Max(normV ** (L + 1), normV), source=_at("Lemma B.7"), note="as much as the paper uses of it; normV is ||A||"
)
lemma_B_7_sharp = Bound(
    (normV / sqrt(factors)) ** factors,
    source=_at("proof of Lemma B.7"),
    note="on the product of so many operator norms, by the inequality of means; reached by equal norms",
)
lemma_B_8 = Bound(
    3 * (normV + dist) ** (L + 1) * (dgate * normV + dist) / 2,
    source=_at("Lemma B.8"),
    note="on the operator norm of a difference of two products; normV is ||A||, dist is ||A - B||",
)
lemma_B_8_premises = (Premise(normV >= _LARGE, source=_at("Lemma B.8")),)
# L factors remain when one is exchanged, and the sum of L + 1 norms is at most sqrt(L + 1) times the whole.
lemma_B_8_sharp = Bound(
    sqrt(L + 1) * L ** (-L / 2) * (normV + dist) ** L * (dgate * normV + dist),
    source=_at("proof of Lemma B.8"),
    note="as Lemma B.8, for all A: L factors remain when one is exchanged",
)
lemma_B_9 = Bound(dist, source=_at("Lemma B.9"), note="on ||phi(v) - phi(w)||, dist being ||v - w||")

# ------------------------------------------------------------------ perturbations of one layer, Appendix B.4

_BOTH_LARGE = Premise(normV > _LARGE, source=_at("Lemma B.10"), note="of both V and W, which differ in one layer only")
lemma_B_10_norm = Bound(
    normV ** (L + 1), source=_at("Lemma B.10, parts 1 and 2"), note="on the norms of pre-activations and outputs"
)
lemma_B_10_change = Bound(
    distop * normV ** (L + 1), source=_at("Lemma B.10, parts 3 and 4"), note="on their change where one layer changes"
)
lemma_B_10_premises = (_BOTH_LARGE,)
lemma_B_10_change_sharp = Bound(
    distop * prodW, source=_at("proof of Lemma B.10"), note="prodW: operator norms of the other layers up to this one"
)
lemma_B_11 = Bound(
    distop * normV ** (L + 1) / h, source=_at("Lemma B.11"), note="on the largest change of a slope of the activation"
)
lemma_B_11_premises = (_BOTH_LARGE,)
lemma_B_12 = Bound(
    2 * J * distop * normV ** (L + 1), source=_at("Lemma B.12"), note="on the change of the weight of a sample"
)
lemma_B_12_product = Premise(
    distop * normV ** (L + 1) <= 1, source=_at("Lemma B.12"), note="missing where Lemmas B.13, B.15 and B.17 use it"
)
lemma_B_12_premises = (lemma_B_12_product, _BOTH_LARGE)
ineq_logistic_second = Bound(
    J, source=_at("proof of Lemma B.12"), note="on |g (1 - g) (1 - 2 g)|, the second derivative of the weight"
)
lemma_B_13 = Bound(
    64 * sqrt((L + 1) * m) * J * normV ** (3 * L + 5) * dist / h,
    source=_at("Lemma B.13"),
    note="on the change of the gradient of one sample where one layer changes",
)
lemma_B_13_premises = (
    Premise(h <= 1, source=_at("Lemma B.13")),
    Premise(distop <= 1, source=_at("Lemma B.13")),
    Premise(2 * (L + 1) * dist <= normV, source=_at("Lemma B.13")),
    _BOTH_LARGE,
)
lemma_B_13_corrected_premises = (*lemma_B_13_premises, lemma_B_12_product)
lemma_B_13_layer = Bound(
    64 * J * normV ** (3 * L + 5) * dist / h,
    source=_at("proof of Lemma B.13"),
    note="on the operator norm of the change at one hidden layer: the sum of the three terms below",
)
lemma_B_13_last = Bound(
    4 * J * distop * normV ** (2 * (L + 1)), source=_at("eq. (16)"), note="on the change at the output layer"
)
lemma_B_14 = Bound(4 * J * distop * normV ** (2 * (L + 1)), source=_at("Lemma B.14"), note="on Xi_1, by the features")
lemma_B_15 = Bound(4 * J * distop * normV ** (3 * (L + 1)), source=_at("Lemma B.15"), note="on Xi_2, by the weights")
lemma_B_16 = Bound(56 * J * normV ** (3 * L + 5) * dist / h, source=_at("Lemma B.16"), note="on Xi_3, by the gates")
lemma_B_14_premises = lemma_B_13_premises
lemma_B_15_premises = lemma_B_13_premises
lemma_B_15_corrected_premises = lemma_B_13_corrected_premises
lemma_B_16_premises = lemma_B_13_premises
lemma_B_16_features = Bound(2 * normV ** (L + 1), source=_at("eq. (20)"), note="on ||x^W|| at every layer")
lemma_B_16_output = Bound(2 * normV, source=_at("eq. (21)"), note="on ||W_{L+1}||")
lemma_B_17 = Bound(
    256 * (L + 1) * sqrt(m) * J * normV ** (3 * L + 5) * dist / h,
    source=_at("Lemma B.17"),
    note="on the change of the gradient of the loss where all layers change",
)
lemma_B_17_premises = (
    Premise(h <= 1, source=_at("Lemma B.17")),
    Premise((6 * L + 10) * dist <= normV, source=_at("Lemma B.17")),
    Premise(normV > _LARGE, source=_at("Lemma B.17"), note="of V and of W"),
)
lemma_B_17_corrected_premises = (
    *lemma_B_17_premises[:2],
    Premise(
        normV - dist > _LARGE, source=_at("Lemma B.17"), note="missing in print: keeps every hybrid of V and W as large"
    ),
    Premise(distop <= 1, source=_at("Lemma B.17"), note="missing in print, from Lemma B.13; at every layer"),
    Premise(
        2 * distop * normV ** (L + 1) <= 1,
        source=_at("Lemma B.17"),
        note="missing in print, from Lemma B.12, with room for (1 + 1/(6 L + 10))^(L + 1) < 2 of the hybrids",
    ),
)

# ------------------------------------------------------------------ alignment, Appendix B.7

lemma_B_18 = Bound(
    z - sqrt(m) * h * normV**L / (2 * L ** (L / 2 - 1)),
    source=_at("Lemma B.18"),
    note="below <grad_{V_l} J, -V_l> / g for one sample of margin z; false for deep networks",
)
lemma_B_18_premises = lemma_4_5_premises
lemma_B_18_corrected_premises = lemma_4_5_corrected_premises
lemma_B_18_corrected = Bound(
    z - sqrt(m) * h * suffixes / 2,
    source=_at("proof of Lemma B.18"),
    note="as Lemma B.18, for all V: suffixes is the sum over k >= l of the products of operator norms above layer k",
)

# ------------------------------------------------------------------ initialisation, Appendix E

lemma_E_12 = Bound(sqrt(5 * m * L), source=_at("Lemma E.12"), note="on ||V|| at initialisation")
fact_F_7 = Bound(
    exp(-C * m * t**2),
    {"C": Constant(_HALF, "the norm is a 1-Lipschitz function of the Gaussians, of mean at most sigma sqrt(m)")},
    source=_at("Theorem F.7"),
    note="on P(sum of m squares >= sigma^2 m (1 + t)^2)",
)

# ------------------------------------------------------------------ scalar facts whose constants are made explicit

ineq_binomial_exp = Bound(1 + 2 * x, source=_at("proof of Lemma 4.5"), note="on exp(x), 0 <= x <= 1")
ineq_binomial_exp_below = Bound(1 - x + x**2, source=_at("proof of Lemma 4.5"), note="on exp(-x), 0 <= x <= 1")
fact_F_3 = Bound(
    0, source=_at("Lemma F.3"), note="difference of the psi_1 norm of a square and the square of the psi_2 norm"
)
# With X = g(theta) - E g(theta) and an independent Gaussian xi, E exp(X^2/c^2) = E exp(sqrt(2) xi X/c), which is at
# most E exp(xi^2/c^2) = (1 - 2/c^2)^(-1/2) by Gaussian concentration; that is 2 at c^2 = 8/3.
fact_F_4 = Bound(
    sqrt(Rational(8, 3)),
    source=_at("Lemma F.4"),
    note="on the psi_2 norm of a centred 1-Lipschitz function of a standard Gaussian; the identity attains it",
)
# For norm 1 E exp(y X) <= 2^(y^2) when |y| <= 1, and at most 2 exp(y^2/4) in any case: exp(y^2) bounds both.
_HOEFFDING = {"C": Constant(Rational(1, 4), "E exp(y X) <= exp(y^2) for psi_2 norm 1; 1/(2 log 2) fails for signs")}
fact_F_5 = Bound(
    2 * exp(-C * t**2 / (normX * norma) ** 2), _HOEFFDING, source=_at("Theorem F.5"), note="on P(|sum| >= t)"
)
fact_F_5_level = Bound(
    normX * norma * sqrt(log(2 / delta) / C),
    _HOEFFDING,
    source=_at("Theorem F.5"),
    note="on |sum|, but for probability delta",
)
# x^2 exp(x/2) <= (9/4)(exp(x) - 1) makes E exp(y X) <= exp(9 y^2/8) for psi_1 norm 1 and |y| <= 1/2.
_BERNSTEIN = {"C": Constant(Rational(2, 9), "E exp(y X) <= exp(9 y^2/8) for psi_1 norm 1 and |y| <= 1/2")}
fact_F_6 = Bound(
    2 * exp(-C * Min(t**2 / (normX * norma) ** 2, t / (normX * maxa))),
    _BERNSTEIN,
    source=_at("Theorem F.6"),
    note="on P(|sum| >= t)",
)
fact_F_6_level = Bound(
    normX * Max(norma * sqrt(log(2 / delta) / C), maxa * log(2 / delta) / C),
    _BERNSTEIN,
    source=_at("Theorem F.6"),
    note="on |sum|, but for probability delta",
)
fact_F_7_level = Bound(
    m * (1 + sqrt(log(1 / delta) / (C * m))) ** 2,
    fact_F_7.constants,
    source=_at("Theorem F.7"),
    note="on the sum of m squares over sigma^2, but for probability delta",
)
fact_F_9 = Bound(9**d, source=_at("Lemma F.9"), note="on the size of a maximal 1/4-separated set of unit vectors")
fact_F_10_distance = Bound(
    Rational(1, 4), source=_at("Lemma F.10"), note="on the distance of a sparse unit vector from its point of the net"
)
fact_F_10_support = Bound(s, source=_at("Lemma F.10"), note="on the number of coordinates in which the two differ")
fact_F_10 = Bound(
    9**s, source=_at("Lemma F.10"), note="on the size of the net of s-sparse unit vectors over the number of supports"
)
ineq_check_sigma = Bound(
    1, source=_at("proof of Lemma E.14"), note="on |(phi'(b) - phi'(a)) a/(b - a)| for the Huberised ReLU"
)
ineq_check_sigma_gap_sharp = Bound(
    h / 2,
    source=_at("eq. (100)"),
    note="on |phi(b) - phi'(b) b - phi(a) + phi'(a) a|, for which the paper takes h; reached by a < 0, b > h",
)

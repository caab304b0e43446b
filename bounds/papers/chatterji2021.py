"""Formula sheet of Chatterji, Long and Bartlett (2021), gradient descent with logistic loss on smoothed ReLU networks.

Each name is a statement of the paper, as in the other sheets: `_premises` what it asks for, `_sharp` a tighter bound
of the same argument, `_printed` and `_corrected` two readings where the printed one is false.

The paper's width p is m here, its step size alpha is eta, and t - 1 steps are k. All norms but those called operator
norms are Frobenius norms, and norms of V are over all layers together. Where the loss is so small that it
underflows, take `log`, or `ball` with the loss as a ball.
"""

from sympy import E, Max, Min, Rational, exp, log, pi, sqrt

from bounds.bound import Bound, Constant
from bounds.premise import Premise
from bounds.symbols import state_meanings, symbol

m, n, L, k, delta, eta, x, C, t = map(symbol, ("m", "n", "L", "k", "delta", "eta", "x", "C", "t"))
h, J, Js, J1, g, Q, gamma, lip = map(symbol, ("h", "J", "Js", "J1", "g", "Q", "gamma", "lip"))
normV, normV1, normG, dist, distop = map(symbol, ("normV", "normV1", "normG", "dist", "distop"))
dgate, factors, suffixes = map(symbol, ("dgate", "factors", "suffixes"))
normLow, rise, singles, pairs, bends = map(symbol, ("normLow", "rise", "singles", "pairs", "bends"))
d, s = map(symbol, ("d", "s"))

state_meanings(
    "chatterji2021",
    {
        "m": "width of the hidden layers, p in the paper",
        "k": "steps that have been taken, t - 1 in the paper",
        "eta": "step size, alpha in the paper",
        "K": "number of steps in all, T in the paper",
        "eps": "loss that linearised functions are to reach",
        "t": "deviation",
        "tau": "radius of the ball around the first iterate, which limits every layer by itself",
        "r": "norm of the features that enter or leave a layer",
        "D": "norm of the difference of the pre-activations of a layer",
        "moved": "largest difference of the pre-activations of a neuron at a point and at its centre",
        "prodW": "product of the operator norms of the layers below",
        "normX": "largest psi norm of the terms of a sum, by exponential moments as in Appendix F",
        "C1": "exponent of the logarithm in the least width of Proposition C.1",
        "h": "smoothing of the activation: its slope is 1/h-Lipschitz",
        "J": "logistic loss, the mean over the samples",
        "Js": "logistic loss of one sample",
        "J1": "logistic loss at the first iterate, below 1",
        "g": "weight of a sample in the gradient of the logistic loss",
        "z": "margin of a sample: label times output",
        "normV": "Frobenius norm of all weights together",
        "normV1": "Frobenius norm of all weights at the first iterate",
        "normG": "Frobenius norm of the gradient of the loss in all weights",
        "dist": "Frobenius norm of a difference of weights",
        "distop": "operator norm of a difference at one layer",
        "dgate": "largest operator norm of a difference of two gates",
        "factors": "number of matrices in a product",
        "normLow": "least Frobenius norm among the networks compared",
        "rise": "largest loss of a sample on the way from V to W, over its loss at the start",
        "singles": "operator norms of all layers but k, times those of all but l",
        "pairs": "product of the operator norms of all layers but two",
        "bends": "products of operator norms that meet at a slope, summed over the layers with slopes",
        "suffixes": "sum over k of the products of the operator norms above layer k",
        "opfree": "largest operator norm of a gated product",
        "opright": "the same from the flipped neurons of a layer on, 1 at least",
        "opleft": "the same up to the flipped neurons of a layer",
        "opboth": "the same between the flipped neurons of two layers",
        "squares": "sum over l of the squared product of all operator norms but the l-th",
        "lip": "local Lipschitz constant of the gradient",
        "Q": "rate of the loss: its inverse grows by Q per step, in proportion to the first",
        "gamma": "margin of the tangent features at initialisation, over the root of the width",
        "eapp": "error of linearisation between two points of a ball",
        "eNT": "least loss of linearised functions of a ball",
        "Gmax": "largest norm of the gradient of an output in one layer",
        "away": "distance of the first iterate from the point compared with",
        "awayT": "distance of the last iterate from that point",
        "phi_pm": "least distance of an input from another input or its antipode",
        "spread": "largest distance of a point from the centre of its cluster",
        "plus": "number of neurons of moderate output weight that the centre activates",
        "minus": "number of those that its antipode activates",
        "count": "number of pre-activations below the threshold; in Appendix C plus + minus",
    },
)

_HALF = Rational(1, 2)
_THREE_QUARTERS = Rational(3, 4)
_KEY = "chatterji2021"
_LARGE = sqrt(L + _HALF)
theorem_3_1_samples = Premise(n >= 3, source=f"{_KEY}, Theorem 3.1", note="at least three samples")


def _at(locator: str) -> str:
    return f"{_KEY}, {locator}"


# ------------------------------------------------------------------ activations, Section 2

def_2_1_lipschitz = Bound(1 / h, source=_at("Definition 2.1"), note="on the Lipschitz constant of phi'")

def_local_lip = Bound(
    lip, source=_at("Section 2.1"), note="on the quotients of the gradient's and the weights' differences, in the limit"
)


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
eq_3_rate_max = Bound(_HALF, source=_at("eq. (3b)"), note="on Q tilde, for every step size up to alpha_max")
eq_3_loss = Bound(n ** (-(1 + 24 * L)), source=_at("Theorem 3.1"), note="strictly above the loss at the first iterate")

theorem_3_1_loss = Premise(eq_3_loss.expr > J1, source=_at("Theorem 3.1"), note="small loss at the first iterate")
theorem_3_1_smoothing = Premise(
    h < eq_3a.expr, source=_at("Theorem 3.1"), note="small smoothing of the activation, against width and weights"
)
theorem_3_1_step = Premise(eta <= eq_3b.expr, source=_at("Theorem 3.1"), note="step small enough")
theorem_3_1_constant = Premise(eq_3c.expr >= Q, source=_at("Theorem 3.1"), note="rate within what the step allows")
theorem_3_1_rate = Bound(
    Q, source=_at("Theorem 3.1"), note="below (J_1/J - 1)/k after k steps, which tells a rate where J_1/J is near 1"
)
# log^(2-2/L)(1/J_t) is bounded by 1 below in (7); with J_t <= J_1 it need not be.
theorem_3_1_rate_sharp = Bound(
    L * (L + _THREE_QUARTERS) ** 2 * eta * J1 * log(1 / J1) ** 2 / ((L + _HALF) * normV1**2),
    source=_at("proof of Theorem 3.1"),
    note="as the rate Q, with the square of the logarithm for its power 2/L: the same at L = 1",
)
theorem_3_1_halving = Bound(1 / Q, note="steps after which the loss is halved at the latest")

# ------------------------------------------------------------------ random initialisation, Section 3.2

assumption_3_2 = Bound(sqrt(m) * gamma, note="below the margins of the tangent features in one direction")
eq_4 = Bound(
    C / (sqrt(m) * gamma) * (sqrt(log(n / delta)) + log(6 * n ** (2 + 24 * L))),
    {"C": Constant(2, "the paper says 'large enough'; the one that Lemma D.9 is stated with")},
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
theorem_3_3_bend_width = Premise(
    m >= log(n),
    source=_at("proof of Theorem 3.3"),
    note="width against samples: h_NT is then at most 1; the theorem asks for a far larger width",
)
theorem_3_3_rate = Bound(
    1 / (50 * L ** ((3 * L + 7) / 2) * (L + 1) ** 2 * (6 * m) ** (2 * L + 5)),
    source=_at("proof of Theorem 3.3"),
    note="below Q tilde of the second stage at h_NT and norm sqrt(6 m L)",
)

# ------------------------------------------------------------------ technical tools, Section 4.1

lemma_4_1_step = Premise(
    eta <= 1 / ((L + _HALF) * lip),
    source=_at("Lemma 4.1"),
    note="step small enough: lip bounds the local Lipschitz constants on the segment of the step",
)
lemma_4_1_decrease = Bound(
    eta * L * normG**2 / (L + _HALF),
    note="below what one gradient step takes off the loss, where the difference of two losses is lost in rounding",
)
lemma_4_2 = Bound(
    256 * (L + 1) * sqrt(m) * normV ** (3 * L + 5) * J / h, note="on the local Lipschitz constant of the gradient"
)
lemma_4_2_smoothing = Premise(h <= 1, source=_at("Lemma 4.2"), note="smoothing of at most 1")
lemma_4_2_large = Premise(normV >= _LARGE, source=_at("Lemma 4.2"), note="weights large enough")
# Each operator norm is at most ||V|| in the sums of `lemma_4_2_sharp`, and so it is in the other ceilings.
lemma_4_2_ceiling = Bound(
    J * ((L + 1) * normV ** (2 * L) + L * normV ** (L - 1) + L * (L + 1) * normV ** (2 * L - 1) / (2 * h)),
    source=_at("Lemma 4.2"),
    note="above the local Lipschitz constant at every network of that norm and loss",
)
lemma_4_3 = Bound(sqrt((L + 1) * m) * normV ** (L + 1) * Min(J, 1), note="on the norm of the gradient")
# A sample's gradient at one layer has rank one, and a norm of at most g times the product of the L other norms; the sum
# over the layers of the squared products is at most (L + 1) (||V||^2/(L + 1))^L.
lemma_4_3_sharp = Bound(
    sqrt(L + 1) * (normV**2 / (L + 1)) ** (L / 2) * Min(J, 1),
    note="on the norm of the gradient, for all V: by Maclaurin's inequality for the products of L of L + 1 norms",
)
lemma_4_4_decrease = Bound(lemma_4_1_decrease.expr, note="below what one gradient step takes off the loss")
lemma_4_4_smoothing = Premise(h <= 1, source=_at("Lemma 4.4"), note="smoothing of at most 1")
lemma_4_4_loss = Premise(eq_3_loss.expr > J, source=_at("Lemma 4.4"), note="small loss")
lemma_4_4_step = Premise(
    eta * J <= h / (1024 * (L + 1) ** 2 * sqrt(m) * normV ** (3 * L + 5)),
    source=_at("Lemma 4.4"),
    note="step small enough for the loss",
)
lemma_4_5_constant = Bound(
    L + _THREE_QUARTERS, note="below ||grad J|| ||V||/(J log(1/J)): the same where J is no double"
)
lemma_4_5_samples = Premise(
    n >= 3,
    source=_at("Lemma 4.5"),
    note="at least three samples; not said in the lemma, and one sample is a counterexample",
)
lemma_4_5_smoothing = Premise(
    h <= eq_3a.expr, source=_at("Lemma 4.5"), note="small smoothing of the activation, against width and weights"
)
lemma_4_5_loss = Premise(eq_3_loss.expr > J, source=_at("Lemma 4.5"), note="small loss")
lemma_B_6_large = Premise(
    normV >= sqrt(E * L),
    source=_at("Lemma B.6"),
    note="weights large enough, from where on L factors make the largest product; missing in print",
)

# ------------------------------------------------------------------ induction, Section 4.2

ih_3 = Bound(
    h / (1024 * (L + 1) ** 2 * m * normV ** (3 * L + 5)),
    source=_at("(I3)"),
    note="on the step size times the loss, at every step",
)
ih_shares = Bound(1, source=_at("(I1) to (I3)"), note="on the shares taken of what the three allow since the start")
induction_corrected_large = Premise(
    normV1 >= sqrt(E * L),
    source=_at("Lemma B.6"),
    note="weights large enough at the first iterate; missing in print, for Lemma 4.5: with three samples the "
    "loss implies it up to depth 11",
)
# one step of the recursion on (7), J the loss before it
lemma_4_6 = Bound(J1 / (Q * (k + 1) + 1), note="on the loss one step after (I1) at k")
lemma_4_6_rate = Bound(
    L * (L + _THREE_QUARTERS) ** 2 * log(1 / J1) ** (2 / L) / ((L + _HALF) * normV1**2),
    source=_at("eq. (7)"),
    note="below what a step takes off the loss, over eta J^2",
)
lemma_4_7_growth = Bound(1 / L, note="on the growth of log ||V|| in a step over that of log log(1/J)")
lemma_4_8_increasing = Bound(
    exp(-(3 * L + 5) / L), note="z log(1/z)^((3L+5)/L) grows up to here, above the largest loss 3^-(1+24L)"
)
ineq_binomial_a = Bound(1 + L * x / (1 - (L - 1) * x), source=_at("proof of Lemma 4.7"), note="on (1 + x)^L, for L > 1")

# ------------------------------------------------------------------ scalar lemmas, Appendix B.2

lemma_B_3_slope = Bound(g, source=_at("Lemma B.3, part 2"), note="on g (1 - g) = exp(y f)/(1 + exp(y f))^2")
lemma_B_4 = Bound(0, note="on psi(M) minus the sum of psi(z_i), psi concave with psi(0) = 0, z_i >= 0 of sum M")
ineq_psi = Bound(
    (J - n * J**2) * log(1 / (2 * n * J)),
    source=_at("proof of Lemma 4.5"),
    note="below (1 - exp(-n J))/n times log(1/(exp(n J) - 1))",
)
ineq_psi_loss = Bound(1 / (48 * L), source=_at("proof of Lemma 4.5"), note="on n J, and on the term of h_max")
ineq_psi_total = Bound(
    (1 + 1 / (4 * (L + _THREE_QUARTERS))) * (1 - 1 / (8 * L)),
    source=_at("proof of Lemma 4.5"),
    note="at least 1, which it is at L = 1",
)
ineq_psi_small_loss = Premise(eq_3_loss.expr > J, source=_at("Lemma 4.5"), note="small loss")
lemma_B_5 = Bound(sqrt(L + 1), note="below ||V||, strictly")
lemma_B_5_loss = Premise(2 * eq_3_loss.expr >= J, source=_at("Lemma B.5"), note="small loss")
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
lemma_B_6_1_large = Premise(normV > sqrt(L + 1), source=_at("Lemma B.6, part 1"), note="weights large enough")
lemma_B_6_1_corrected = Bound(
    lemma_B_6_1_printed.expr, source=_at("Lemma B.6, part 1"), note="as printed, with a premise that makes it true"
)
lemma_B_6_2 = Bound(normV**L, source=_at("Lemma B.6, part 2"), note="on the products of the norms above a layer")
# (||V||/sqrt(q))^q over real q is largest at q = ||V||^2/e
lemma_B_6_sharp = Bound(exp(normV**2 / (2 * E)), note="on the product of any number of norms, for all V")
lemma_B_7_printed = Bound(
    Max(normV ** (L + 1) / (L + 1) ** ((L + 1) / 2), normV),
    note="on the product of some of L + 1 operator norms; false from L = 2 on; normV is ||A||",
)
lemma_B_7_corrected = Bound(
    Max(normV ** (L + 1), normV), note="as much as the paper uses of it but for Lemma B.8; normV is ||A||"
)
lemma_B_7_sharp = Bound(
    (normV / sqrt(factors)) ** factors,
    source=_at("proof of Lemma B.7"),
    note="on the product of so many operator norms, by the inequality of means; reached by equal norms",
)
lemma_B_8 = Bound(
    3 * (normV + dist) ** (L + 1) * (dgate * normV + dist) / 2,
    note="on the operator norm of a difference of two products; normV is ||A||, dist is ||A - B||",
)
lemma_B_8_large = Premise(normV >= _LARGE, source=_at("Lemma B.8"), note="weights large enough")
# Exchanging factor j changes the product by at most (kappa a_j + d_j) times the product of the L other norms, each the
# larger of two. By Cauchy-Schwarz and, as in Lemma 4.3, Maclaurin's inequality for the squared products:
lemma_B_8_sharp = Bound(
    sqrt(L + 1) * ((normV + dist) / sqrt(L + 1)) ** L * (dgate * normV + dist),
    source=_at("proof of Lemma B.8"),
    note="as Lemma B.8, for all A: L factors remain when one is exchanged; equal scalars and a small change reach it",
)

# ------------------------------------------------------------------ perturbations of one layer, Appendix B.4

lemma_B_10_large = Premise(
    normLow > _LARGE,
    source=_at("Lemma B.10"),
    note="weights large enough: both V and W, which differ in one layer only",
)
lemma_B_12_doubled = Premise(
    rise <= 2,
    source=_at("Lemma B.12"),
    note="loss that at most doubles, for each sample, on the whole segment from V to W",
)
lemma_B_12 = Bound(2 * Js * distop * normV ** (L + 1), note="on the change of the weight of a sample")
lemma_B_12_product = Premise(
    distop * normV ** (L + 1) <= 1,
    source=_at("Lemma B.12"),
    note="move of a layer small against the weights; missing where Lemmas B.13, B.15 and B.17 use it, and the "
    "mean value theorem does without",
)
# In size the slopes of log J_s in the margin and of g_s in J_s are at most 1. With r = J_s(W)/J_s(V) the margin moves
# by |log r| or more and g_s by J_s(V) |r - 1| or less, and (r - 1)/log(r) grows up to 1/log(2) at r = 2.
lemma_B_12_sharp_doubled = Premise(
    rise <= 2, source=_at("proof of Lemma B.12"), note="loss that at most doubles, at W alone"
)
lemma_B_13 = Bound(
    64 * sqrt((L + 1) * m) * Js * normV ** (3 * L + 5) * dist / h,
    note="on the change of the gradient of one sample where one layer changes",
)
lemma_B_13_smoothing = Premise(h <= 1, source=_at("Lemma B.13"), note="smoothing of at most 1")
lemma_B_13_layer_move = Premise(distop <= 1, source=_at("Lemma B.13"), note="move of a layer of at most 1")
lemma_B_13_move = Premise(2 * (L + 1) * dist <= normV, source=_at("Lemma B.13"), note="move small against the weights")
lemma_B_14 = Bound(4 * Js * distop * normV ** (2 * (L + 1)), note="on Xi_1, by the features")
lemma_B_15 = Bound(4 * Js * distop * normV ** (3 * (L + 1)), note="on Xi_2, by the weights")
lemma_B_16 = Bound(56 * Js * normV ** (3 * L + 5) * dist / h, note="on Xi_3, by the gates")
lemma_B_13_ceiling = Bound(
    Js * dist * sqrt(L + 1) * normV ** (2 * L) * (2 + 1 / log(2) + 2 * sqrt(E) * normV / h),
    source=_at("proof of Lemma B.13"),
    note="above the change of the gradient of all pairs of that norm, distance and loss; L <= ||V||^2, and each of the "
    "norms of W is at most 1 + 1/(2 L + 2) times ||V||",
)
lemma_B_14_ceiling = Bound(2 * Js * distop * normV ** (L - 1), source=_at("proof of Lemma B.14"), note="above Xi_1")
lemma_B_15_ceiling = Bound(
    Js * distop * (2 * normV ** (L - 1) + normV ** (2 * L) / log(2)),
    source=_at("proof of Lemma B.15"),
    note="above Xi_2",
)
lemma_B_16_ceiling = Bound(
    2 * Js * distop * (normV ** (L - 1) + L * sqrt(E) * normV ** (2 * L - 1) / h),
    source=_at("proof of Lemma B.16"),
    note="above Xi_3",
)
# What remains of the three terms with products of operator norms in place of powers of ||V||: `pairs` where a layer's
# change enters directly, `singles` by the weight of the sample, `bends` by the slopes. Each term has rank one: no
# root of the width is lost. They need W to have at most twice the loss, and nothing else.
lemma_B_14_sharp = Bound(2 * Js * distop * pairs, source=_at("proof of Lemma B.14"))
lemma_B_15_sharp = Bound(Js * distop * (2 * pairs + singles / log(2)), source=_at("proof of Lemma B.15"))
lemma_B_16_sharp = Bound(2 * Js * distop * (pairs + bends / h), source=_at("proof of Lemma B.16"))
lemma_B_13_sharp = Bound(
    Js * distop * (2 * pairs + singles / log(2) + 2 * bends / h),
    source=_at("proof of Lemma B.13"),
    note="for all V; pairs, singles and bends are Euclidean norms over the layers of the gradient",
)
lemma_B_17 = Bound(
    256 * (L + 1) * sqrt(m) * J * normV ** (3 * L + 5) * dist / h,
    note="on the change of the gradient of the loss where all layers change",
)
lemma_B_17_ceiling = Bound(
    J
    * dist
    * exp(Rational(1, 3))
    * ((L + 1) * normV ** (2 * L) * (2 + 1 / log(2)) + 2 * L**2 * normV ** (2 * L - 1) / h),
    source=_at("proof of Lemma B.17"),
    note="above the change of the gradient; each of the norms of W is at most 1 + 1/(6 L + 10) times ||V||",
)
lemma_B_17_smoothing = Premise(h <= 1, source=_at("Lemma B.17"), note="smoothing of at most 1")
lemma_B_17_move = Premise((6 * L + 10) * dist <= normV, source=_at("Lemma B.17"), note="move small against the weights")
lemma_B_17_large = Premise(normLow > _LARGE, source=_at("Lemma B.17"), note="weights large enough, of V and of W")
lemma_B_17_doubled = Premise(
    rise <= 2,
    source=_at("Lemma B.17"),
    note="loss that at most doubles, from each hybrid to the next and of each hybrid against V",
)
# Swapping layers one by one in the gradient of the output alone, the weights of the samples being exchanged at once.
lemma_B_17_sharp = Bound(
    J * dist * (2 * pairs + singles / log(2) + 2 * bends / h),
    source=_at("proof of Lemma B.17"),
    note="for all V; Frobenius norms over pairs of layers, of products in which a layer has the larger norm of the two",
)

# ------------------------------------------------------------------ alignment, Appendix B.7

lemma_B_18_shortfall = Bound(
    sqrt(m) * h * normV**L / (2 * L ** (L / 2 - 1)),
    note="on the mean of the margins less the alignments, samples weighted by g: Lemma B.18 divided by the mean of g",
)
lemma_B_18_shortfall_corrected = Bound(
    sqrt(m) * h * suffixes / 2,
    source=_at("proof of Lemma B.18"),
    note="the same for the difference of margins and alignments; reached where all activations lag by h/2 and no more",
)

# ------------------------------------------------------------------ clusters, Appendix C, and tangents, Appendix D

spread, moved, C1, c = map(symbol, ("spread", "moved", "C1", "c"))
eapp, Gmax, eps, tau = map(symbol, ("eapp", "Gmax", "eps", "tau"))

prop_C_1 = Bound(
    c * sqrt(m),
    {"c": Constant(Rational(1, 32), "(3/4 - 1/2)/8, the worst counts that parts (a) and (b) of the event leave")},
    note="below the margins of the tangent features in one direction, on two opposite clusters",
)
_CLUSTERS = {
    "C": Constant(1, "n m exp(-m h^2/spread^2) is then at most delta/3"),
    "C1": Constant(5, "the exact law of the counts then leaves part (a) to fail with delta/3, from n/delta = 200 on"),
}
prop_C_1_smoothing = Premise(
    h <= sqrt(pi) / (2 * m), source=_at("Proposition C.1"), note="smoothing small against the width"
)
prop_C_1_spread = Premise(spread <= Rational(1, 16), source=_at("Proposition C.1"), note="tight clusters")
prop_C_1_smoothed_spread = Premise(
    spread <= sqrt(m) * h / (C * sqrt(log(3 * m * n / delta))),
    _CLUSTERS,
    source=_at("Proposition C.1"),
    note="clusters tight against the smoothing",
)
prop_C_1_width = Premise(
    m >= log(n / delta) ** C1, _CLUSTERS, source=_at("Proposition C.1"), note="width against samples"
)
# At the least width, for one sample, a count misses a quarter with probability 0.27 delta/3 at n/delta = 150, with
# 0.03 delta/3 at 200 and with less beyond.
prop_C_1_samples = Premise(
    n >= 150 * delta,
    source=_at("Proposition C.1"),
    note="samples against chance, from where the power 5 of the logarithm is wide enough",
)
prop_C_1_counts_bend = Premise(
    2 * h >= moved,
    source=_at("event of Proposition C.1, part (c)"),
    note="pre-activations that move no further than the bend, of a point and its centre",
)
lemma_C_2 = Bound(
    1,
    note="on the largest of m/4 over a count, a count over m/2, and a change of pre-activation over 2 h; o(1) being 0",
)

# <grad J, V - V*> >= (1 - 2 eapp) J - eNT by convexity, and ||grad J||^2 <= (L + 1) Gmax^2 J
lemma_D_6_step = Premise(
    eta <= 1 / (2 * (L + 1) * Gmax**2),
    source=_at("Lemma D.6"),
    note="step small enough: the O of the lemma made explicit, so that the squared step costs at most half of a "
    "loss per step",
)
lemma_D_8_error = Premise(
    eapp <= Rational(1, 8),
    source=_at("proof of Lemma D.8"),
    note="small error of linearisation: what the width and the radius are for",
)
def_D = Bound(0, source=_at("Definitions D.1 to D.5"), note="difference of what is measured and the definition")
lemma_D_9 = Bound(eps, note="on the least loss of linearised functions in the ball")
lemma_D_9_radius = Bound(
    C * (sqrt(log(n / delta)) + log(1 / (exp(eps) - 1))) / (sqrt(m) * gamma),
    {
        "C": Constant(
            2, "outputs are Gaussian of variance near 1: below sqrt(2 log(2 n/delta)), which this is for n/delta >= 2"
        )
    },
    source=_at("Lemma D.9"),
    note="below the radius",
)

theorem_3_3_norm = Premise(
    normV1 <= sqrt(6 * m * L),
    source=_at("proof of Theorem 3.3"),
    note="weights of the norm they have at initialisation, from Lemma E.12",
)

# ------------------------------------------------------------------ initialisation, Appendix E

# The radius covers outputs up to sqrt(4 log(n/delta)). At ||x_L||^2 = exp(u) a Gaussian is beyond with the power
# 2 exp(-u) of delta/n, and u, of variance 5 L/m, is as large with the power 2 u^2 or more: with 1.65 together.
lemma_D_9_width = Premise(
    m >= C * L * log(16 * n * L / delta),
    {"C": Constant(20, "keeps the squared norm of the last features below 3, by the variance of its logarithm")},
    source=_at("Lemma D.9"),
    note="width against depth; not printed there",
)
lemma_D_9_loss = Premise(eps <= log(2), source=_at("Lemma D.9"), note="a loss below that of the zero function")
lemma_E_12 = Bound(sqrt(5 * m * L), note="on ||V|| at initialisation")
fact_F_7 = Bound(
    exp(-C * m * t**2),
    {"C": Constant(_HALF, "the norm is a 1-Lipschitz function of the Gaussians, of mean at most sigma sqrt(m)")},
    source=_at("Theorem F.7"),
    note="on P(sum of m squares >= sigma^2 m (1 + t)^2)",
)

# ------------------------------------------------------------------ gated products, Appendix E.1.3 to E.1.7

# s is the sparsity, k in the paper.
beta_ = symbol("beta_")

# Widths for the failure probability delta/8. Where a constant is said to suffice, tails were computed for one layer and
# one sample at the least delta admitted: widths from 16 to 10^5, sparsities from 1 to the largest admitted.
lemma_E_4_inputs = Premise(
    d <= m,
    source="chatterji2021, Section 2.2",
    note="inputs no wider than the layers: there points have as many entries as a layer has neurons; with more, "
    "the first layer is longer than others",
)
lemma_E_4_deep_width = Premise(
    m >= C * L * log(8 * n * L / delta),
    {"C": Constant(4, "a polynomial in the paper; the deviations of the sharp forms are then 3/4 and 3/2 at most")},
    source=_at("Lemma E.4"),
    note="width against depth",
)
lemma_E_5_width = Premise(
    m >= C * L**2 * log(8 * n * L / delta),
    {
        "C": Constant(
            6, "a polynomial in the paper; suffices by exp(-m (3/sqrt(2) - 1 - sqrt(s/m))^2/2) for each of the supports"
        )
    },
    source=_at("Lemma E.5"),
    note="width against depth: its power is that of the failure probability of Lemma E.10",
)
lemma_E_5_sparsity = Premise(
    s <= c * m / (L**2 * log(m)),
    {"c": Constant(Rational(1, 4), "small and open in the paper; at one layer beyond 1/3 the sharp form exceeds 3")},
    source=_at("Lemma E.5"),
    note="few entries against width and depth",
)
lemma_E_4 = Bound(
    C * L,
    {"C": Constant(3, "open in the paper; at one layer the norm tends to sqrt(8) = 2.83")},
    note="on the operator norm of a product of gated layers that ends in a hidden one",
)
lemma_E_4_width = Premise(
    m >= C * log(8 * n * L / delta),
    {
        "C": Constant(
            25,
            "a polynomial in the paper; one layer exceeds 3 with probability near exp(-0.057 m), by the rate of "
            "the largest eigenvalue, and at two and more the sharp form is then below 3 L",
        )
    },
    source=_at("Lemma E.4"),
    note="width, for all samples and layers at once",
)
lemma_E_4_sharp_premises = (lemma_E_4_inputs, lemma_E_4_deep_width)
lemma_E_4_output = Bound(
    C * sqrt(m) * L,
    {"C": Constant(2, "3/sqrt(2) by the proof, which has sqrt(2 m) for the sqrt(m/2) of variances 1 and 2/m")},
    source=_at("Lemma E.4"),
    note="on the norm of a product of gated layers that ends in the output layer",
)
lemma_E_5 = Bound(3, note="on the norm of a product of gated layers over unit vectors with s entries")
lemma_E_5_premises = (lemma_E_4_inputs, lemma_E_5_width, lemma_E_5_sparsity)
lemma_E_6 = Bound(
    C,
    {"C": Constant(3, "open in the paper, at least 10 by its proof; 3 as in Lemma E.5, the same law at one layer")},
    note="on the norm of unit rows with s entries times a product of gated layers",
)
lemma_E_7 = Bound(
    C * sqrt(s * log(m) / m),
    {"C": Constant(4, "open in the paper; 16/(7 c_2) by its proof. At s = 1 it is near 2 sqrt(2)")},
    note="on the entry of a product of gated layers between unit vectors with s entries each",
)
lemma_E_7_sparsity = Premise(
    s * log(m) >= C * log(16 * n * L / delta),
    {"C": Constant(1, "m^(-s) is then delta/16 for each layer; suffices by the tail of the norm of a block")},
    source=_at("Lemma E.7"),
    note="sparsity from below; in the paper s log(m) is of the order of m/L^2, and where s is smaller the bound "
    "grows too little with delta",
)
lemma_E_8 = Bound(
    C * sqrt(s * log(m)),
    {"C": Constant(2, "open in the paper, 4/(3 c_2) by its proof; sqrt(2) for the largest of m Gaussians at s = 1")},
    note="on the output functional over unit vectors with s entries: the norm of its s largest entries",
)
lemma_E_8_width = Premise(
    m >= C * L**2 * log(8 * n * L / delta),
    {"C": Constant(30, "a polynomial in the paper; suffices by the tails of a row and of its s largest entries")},
    source=_at("Lemma E.8"),
    note="width against depth",
)
lemma_E_8_sparsity = Premise(
    s * log(m) >= C * log(16 * n * L / delta),
    {"C": Constant(2, "as for Lemma E.7; 2 because the constant of the bound is smaller")},
    source=_at("Lemma E.8"),
    note="sparsity from below, for all samples and layers at once",
)

# ------------------------------------------------------------------ norms, counts, outputs, Appendix E.1.1 to E.1.9

r = symbol("r")

# The width that the norms ask for: it enters E.9 and E.11 through Lemma E.2 too. With a_l = 1/10 - l h sqrt(m)/2,
# Chernoff's bound with the exact moments of the ReLU ratios, and a union over layers, samples and both sides, stays
# below 0.3 delta/8 for this C at n from 1 to 64, L from 1 to 8 and delta from 0.8 to 1e-20.
lemma_E_2_width = Premise(
    m >= C * L * log(16 * n * L / delta),
    {"C": Constant(360, "a polynomial that the paper leaves open; suffices by Chernoff's bound with exact moments")},
    source=_at("Lemma E.2"),
    note="width against depth; the proof asks for the square of the depth, as it lets each layer err by as much "
    "as it allows",
)
lemma_E_2_bend = Bound(1 / (50 * sqrt(m) * L), source=_at("Lemma E.2"), note="above the smoothing h")
lemma_E_2_smoothing = Premise(
    h / lemma_E_2_bend.expr < 1, source=_at("Lemma E.2"), note="smoothing small against depth and width"
)
lemma_E_2 = Bound(Rational(1, 10), note="on | ||x_l|| - 1 | of every layer and sample, but for probability delta/8")
# (relu - h/2)^2 with its last term kept where the ReLU is 0, and 1/sqrt(2 pi) for E|N(0, s^2)|/s = sqrt(2/pi).
ineq_49_printed = Bound(
    r**2 - sqrt(m) * h * r / sqrt(2 * pi) + h**2 * m / 4,
    source=_at("line before (49)"),
    note="below E||x_l||^2 given ||x_{l-1}|| = r; false: the first-order term is half of what it has to be",
)
# phi^2 >= relu^2 - h relu everywhere: on [0, h] the right side is negative, beyond h it is phi^2 - h^2/4.
ineq_49_corrected = Bound(
    r**2 - sqrt(m) * h * r / sqrt(pi),
    source=_at("line before (49)"),
    note="below E||x_l||^2, for all h; exact to first order in h",
)
ineq_49 = Bound((r - h * sqrt(m) / 2) ** 2, source=_at("eq. (49)"), note="below E||x_l||^2 given ||x_{l-1}|| = r")
ineq_49_smoothing = Premise(
    h * sqrt(m) <= 2 * r,
    source=_at("eq. (49)"),
    note="smoothing small against the features; missing in print: beyond it the bound grows with h, while "
    "E||x_l||^2 falls",
)
ineq_49_upper = Bound(r**2, source=_at("after eq. (49)"), note="on E||x_l||^2 given ||x_{l-1}|| = r")

# E||V_l|| <= 2 sqrt(2) by Gordon's comparison, and the norm is a sqrt(2/m)-Lipschitz function of the Gaussians.
lemma_E_3 = Bound(
    C,
    {"C": Constant(3, "open in the paper; the norm tends to 2 sqrt(2) = 2.83")},
    note="on ||V_l|| of every hidden layer, but for probability delta/8",
)
lemma_E_3_output = Bound(
    C * sqrt(m), {"C": Constant(sqrt(2), "from the proof")}, source=_at("Lemma E.3"), note="on ||V_{L+1}||"
)
lemma_E_3_width = Premise(
    m >= C * log(16 * L / delta),
    {"C": Constant(136, "open in the paper; at least 4/(3 - 2 sqrt(2))^2 = 135.9 by the deviation of the norm")},
    source=_at("Lemma E.3"),
    note="width, for all layers at once",
)
lemma_E_3_sharp = Bound(
    2 * sqrt(2) + 2 * sqrt(log(8 * L / delta) / m),
    note="on ||V_l||, at every width: 2 sqrt(2) + t sqrt(2/m) but for probability exp(-t^2/2) a layer",
)

lemma_E_9 = Bound(
    3 * m ** Rational(3, 2) * beta_, note="on |S_l(beta)| of every layer and sample, but for probability delta/8"
)
_ORDER = {"C": Constant(1, "open in the paper; a smaller one would leave less than one neuron to expect")}
lemma_E_9_radius = Bound(
    C * log(n * L / delta) ** 2 / (m ** Rational(3, 2) * L**3),
    _ORDER,
    source=_at("Lemma E.9"),
    note="the least radius tau",
)
lemma_E_9_threshold = Bound(
    C * L**2 * tau ** Rational(2, 3) / sqrt(m),
    {"C": Constant(1, "open in the paper, which prints L^(8/3) once")},
    source=_at("Lemma E.9"),
    note="the threshold beta, which has to be of this order and not only at most: the bound is to exceed one",
)
lemma_E_9_least_radius = Premise(
    tau >= lemma_E_9_radius.expr, _ORDER, source=_at("Lemma E.9"), note="radius from below"
)
lemma_E_9_least_threshold = Premise(
    beta_ >= lemma_E_9_threshold.expr,
    lemma_E_9_threshold.constants,
    source=_at("Lemma E.9"),
    note="threshold from below, for the radius",
)

lemma_E_9_level = Premise(
    n * L >= 2 * delta,
    source=_at("Lemma E.9"),
    note="failure probability at most half the number of counts: with fewer the bound is below one neuron",
)

lemma_E_1_widths = (lemma_E_2_width, lemma_E_3_width, lemma_E_4_deep_width, lemma_E_4_width)
lemma_E_1_premises = (
    lemma_E_2_smoothing,
    *lemma_E_1_widths,
    *lemma_E_5_premises,
    lemma_E_7_sparsity,
    lemma_E_8_width,
    lemma_E_8_sparsity,
    lemma_E_9_least_radius,
    lemma_E_9_least_threshold,
    lemma_E_9_level,
)

lemma_E_10_sharp = Bound(
    sqrt(2) * Rational(53, 50) * Rational(51, 50),
    source=_at("proof of Lemma E.10"),
    note="on part (b); on part (a) it is 53/50. The limit of large width is sqrt(2)",
)

# 2 Q(u) <= exp(-u^2/2) makes it 11/10 sqrt(2 log(n/(delta/2))), with delta/8 left for the norms.
lemma_E_11 = Bound(
    C * sqrt(log(2 * n / delta)),
    {"C": Constant(Rational(11, 10) * sqrt(2), "open in the paper; 11/10 for the norm of the last features")},
    note="on |f(x_s)| of every sample",
)

# (2/m) chi2_{L m^2} + chi2_m has mean (2 L + 1) m, and its weights have the sum of squares m + 4 L.
lemma_E_12_width = Premise(
    m >= C * Max(1, log(1 / delta)),
    {"C": Constant(4, "open in the paper; suffices by the sharp form, also at L = 1")},
    source=_at("Lemma E.12"),
    note="width against the failure probability",
)
lemma_E_12_sharp = Bound(
    sqrt((2 * L + 1) * m + 2 * sqrt((m + 4 * L) * log(1 / delta)) + 2 * log(1 / delta)),
    note="on ||V||, for m >= 2: the tail of weighted chi-square variables of Laurent and Massart (2000)",
)

# ------------------------------------------------------------------ perturbations at initialisation, Appendix E.2

lemma_E_13_sparsity = Premise(
    sqrt(s * log(m) / m) <= c / L**3,
    {"c": Constant(1, "small and open in the paper; a larger one makes the statement stronger")},
    source=_at("Lemma E.13"),
    note="few entries against width and depth",
)
_CLOSE = {"c": Constant(1, "small and open in the paper; a larger one makes the statement stronger")}
lemma_E_14_least_radius = Premise(
    tau * m ** Rational(3, 2) * L**3 >= c * log(n * L / delta) ** 2,
    {"c": Constant(1, "open in the paper; from here on the band of Lemma E.9 holds more neurons than it may miss")},
    source=_at("Lemma E.1"),
    note="radius from below",
)
lemma_E_14_largest_radius = Premise(
    tau * L**12 * log(m) ** Rational(3, 2) <= c, _CLOSE, source=_at("Lemma E.14"), note="radius small against depth"
)
lemma_E_14_smoothing = Premise(h * sqrt(m) <= tau, source=_at("Lemma E.14"), note="smoothing small against the radius")
lemma_E_14_premises = (lemma_E_14_least_radius, lemma_E_14_largest_radius, lemma_E_14_smoothing)
# The s-th smallest of m pre-activations is near s sqrt(pi) m^(-3/2). At m tau^(2/3) = 10 the number of slopes that
# steps of norm tau alter is 7 % above its power law, and entries of S are whole numbers; below 2 most starts miss both.
lemma_E_14_many_slopes = Premise(
    m * tau ** Rational(2, 3) >= 10,
    source=_at("Lemma E.14, part 1"),
    note="radius within which ten neurons or more change their slopes, ours: of fewer the number is no power of it",
)
lemma_E_14_features = Bound(
    C * L**3 * tau,
    {"C": Constant(3, "open in the paper; opposite steps of one layer move its output by 2 at norm one")},
    source=_at("Lemma E.14, part 2"),
    note="on the distance of the features of two networks in the ball",
)
lemma_E_14_flips = Bound(
    C * m * L**2 * tau ** Rational(2, 3),
    {
        "C": Constant(
            3,
            "open in the paper; (6/pi)^(1/3) = 1.24 at one layer, where the two share the smallest neurons. At the "
            "least radius a start has more than 2 with chances up to delta/n, more than 3 below delta/(20 n)",
        )
    },
    source=_at("Lemma E.14, part 1"),
    note="on the number of slopes in which two networks in the ball differ",
)

# ------------------------------------------------------------------ linearisation close to the start, Appendix E.3

lemma_D_7 = Bound(
    C * sqrt(m * log(m)) * L**5 * tau ** Rational(4, 3),
    {"C": Constant.above(4, attacked=0.5, seeds="tried", why="open in the paper; the attack on one layer")},
    source=_at("Lemma D.7(a)"),
    note="on the error of linearisation in the ball",
)
lemma_D_7_gradient = Bound(
    C * sqrt(m) * L**2,
    {"C": Constant(1, "open in the paper; near sqrt(1/2), as half of the neurons of a layer are open")},
    source=_at("Lemma D.7(b)"),
    note="on the norm of the gradient of the output in one layer, in the ball",
)

# ------------------------------------------------------------------ scalar facts whose constants are made explicit

# With X = g(theta) - E g(theta) and an independent Gaussian xi, E exp(X^2/c^2) = E exp(sqrt(2) xi X/c), which is at
# most E exp(xi^2/c^2) = (1 - 2/c^2)^(-1/2) by Gaussian concentration; that is 2 at c^2 = 8/3.
fact_F_4 = Bound(
    sqrt(Rational(8, 3)),
    note="on the psi_2 norm of a centred 1-Lipschitz function of a standard Gaussian; the identity attains it",
)
fact_F_7_level = Bound(
    m * (1 + sqrt(log(1 / delta) / (C * m))) ** 2,
    fact_F_7.constants,
    note="on the sum of m squares over sigma^2, but for probability delta",
)
fact_F_9 = Bound(9**d, note="on the size of a maximal 1/4-separated set of unit vectors")

# ------------------------------------------------------------------ parameter chain of Theorem 3.3, Appendix D.3

# What a large polynomial in the depth and in logarithms is for; gamma counts apart from it.
_SMALL = {"c": Constant(1, "small and open in the paper; the exponents do not depend on it")}
theorem_3_3_radius = Bound(
    C * 3 * L * eq_4.expr.subs(C, 1).replace(log(6 * n ** (2 + 24 * L)), log(6) + (2 + 24 * L) * log(n)),
    eq_4.constants,
    source=_at("proof of Theorem 3.3"),
    note="tau = 3 L rho, the logarithm of the power written out",
)
lemma_D_8_radius = Premise(
    tau * (m * log(m)) ** Rational(3, 8) * L ** Rational(15, 4) <= c,
    _SMALL,
    source=_at("Lemma D.8"),
    note="radius small against depth and width",
)
lemma_E_14_radius = Bound(1 / (L**12 * log(m) ** Rational(3, 2)), note="order of the largest radius tau")

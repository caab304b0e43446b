"""Formula sheet of Allen-Zhu, Li and Song (2018), recurrent ReLU networks with one matrix at every time step.

Each name is a statement of the paper, as in the other sheets: `_premises` what it asks for, `_sharp` a tighter bound
of the same argument, `_printed` and `_corrected` two readings where the printed one is false.

The horizon L is the number of time steps, the dimension of the outputs d is `outputs`, and that of the inputs d_x is d.
The separation delta of the first inputs is phi, and the radius tau_0 of a perturbation, in units of 1/sqrt(m), is tau.
rho = n L outputs log(m) and varrho = n L outputs log(m/eps)/phi are written out. The loss is half of the sum over the
samples and the times 2..L of squared errors.
"""

from sympy import E, Max, Rational, exp, log, sqrt

from bounds.bound import Bound, Constant
from bounds.premise import Premise
from bounds.symbols import state_meanings, symbol

a, b = map(symbol, ("a", "b"))
m, n, L, outputs, phi, eps, eta, tau, p, x = map(
    symbol, ("m", "n", "L", "outputs", "phi", "eps", "eta", "tau", "p", "x")
)
rho, varrho, rows, depth = map(symbol, ("rho_", "varrho", "rows", "depth"))
C, D, time, delta, beta_, count = map(symbol, ("C", "D", "l", "delta", "beta_", "count"))
l, d, gamma, normW, normX = map(symbol, ("l", "d", "gamma", "normW", "normX"))  # noqa: E741
s, alpha, c = map(symbol, ("s", "alpha", "c"))
chance, exponent, inverse, deviation = map(symbol, ("chance", "exponent", "inverse", "deviation"))
changes, change, variables, mean, atypical = map(symbol, ("changes", "change", "variables", "mean", "atypical"))
columns, r = map(symbol, ("columns", "r"))
apart, factors = map(symbol, ("apart", "factors"))
dev, N4 = map(symbol, ("dev", "N4"))
betaminus, betaplus, chosen = map(symbol, ("betaminus", "betaplus", "chosen"))
k, K, B, L0, kerlow, kerhigh, away, growth = map(symbol, ("k", "K", "B", "L0", "kerlow", "kerhigh", "away", "growth"))
steep, spread, lam, lip, z = map(symbol, ("steep", "spread", "lam", "lip", "z"))
omega, worst, carried, turned = map(symbol, ("omega", "worst", "carried", "turned"))
C1, C2 = map(symbol, ("C1", "C2"))

theta = symbol("theta")

state_meanings(
    "allenzhu2018rnn",
    {
        "theta": "scale of the part of W that is drawn again in one direction (Definition E.3)",
        "L": "horizon: number of time steps",
        "depth": "horizon, where its powers count beside those of the width",
        "l": "time step",
        "d": "input dimension, d_x in the paper",
        "outputs": "dimension of the outputs, d in the paper",
        "phi": "separation: least distance between two first inputs, delta in the paper",
        "tau": "radius of the perturbation of W in operator norm, times sqrt(m); tau_0 in the paper",
        "t": "number of steps",
        "x": "share of a factor that a set of gates adds, s log(m)/m^(1/6) in the paper",
        "k": "number of entries of the vectors, less 1",
        "p": "the smaller of the probabilities of an open and a closed gate",
        "rho_": "n L d log m, d the number of outputs",
        "varrho": "n L d log(m/eps)/delta, d the number of outputs",
        "rows": "number of neurons of which one direction is drawn again, N in the paper",
        "gamma": "reciprocal of the exponent of a row norm, 1/p in the paper",
        "columns": "number of columns of an orthonormal matrix",
        "r": "size of what is fresh beside a vector",
        "normW": "Frobenius norm of a matrix",
        "normX": "norm of the hidden state before a step; with what enters it where a claim says so",
        "apart": "least separability of two first inputs: the part of one that is orthogonal to the other",
        "factors": "number of matrices W in a product of layers",
        "a": "size of the fluctuation of a step",
        "b": "root of the drift of a step",
        "s": "sparsity: number of entries of a vector, s^2 m^(2/3) in Corollaries B.15 and B.18",
        "dev": "deviation that the chance of failure is traded for, t in Lemmas B.14 and B.17",
        "betaminus": "threshold near the kink, times sqrt(m); beta_- in the paper",
        "betaplus": "threshold away from the kink, times sqrt(m); beta_+ in the paper",
        "chosen": "number of neurons of a set that earlier pre-activations choose",
        "N4": "number of neurons of a set that does not look at B",
        "tau1": "norm of the first part of the change of g~, times sqrt(m)",
        "tau2": "largest entry of the second part of the change of g~, times m",
        "tau4": "sparsity, divided by m^(2/3)",
        "tau5": "norm of a sparse vector, times sqrt(m)",
        "acts": "number of times at which W acts, L - 1",
        "normg": "norm of the pre-activations before the perturbation, at the time before",
        "D": "norm of the measured change of the pre-activations at a time",
        "alpha": "share of the coordinates of a vector that may be small",
        "chance": "probability of a large value",
        "exponent": "minus the logarithm of the bound of a tail",
        "inverse": "one over a relative deviation",
        "deviation": "distance from the mean, or from 0, in units of the standard deviation where there is one",
        "changes": "sum of the squares of the largest changes by one variable",
        "change": "largest change by one variable at a point that is no exception",
        "variables": "number of independent variables",
        "mean": "mean of a function of independent variables",
        "atypical": "probability of the points at which some variable changes a function by more",
        "L0": "loss f at the start",
        "kerlow": "least eigenvalue of the tangent kernel at the start",
        "kerhigh": "largest eigenvalue of the tangent kernel at the start",
        "away": "how far a step leaves the outputs at most from where that kernel sends them, over eta times errors",
        "growth": "||B||^2 ||h_1||^2, by which share of its error a unit step moves the output of one sequence at most",
        "steep": "sum over a batch of the squared norms of the gradients of f_i",
        "spread": "root mean square of the gradients of the f_i at the minimiser of f",
        "lam": "strong convexity of f, sigma in the paper",
        "lip": "smoothness of each f_i, L in the paper's footnote 3",
        "z": "derivative of f in one weight",
        "omega": "operator norm of the step W'",
        "turned": "number of gates of W^v and of W that are not those of W~",
        "worst": "largest norm of a residual loss_{i,l} at W^v",
        "carried": "sum over the times a of the norms of the corrected products from a + 1 on, times ||h_a||",
    },
)

_HIDDEN = Constant(1, "hidden in the paper; fitted on the calibration cells")

# ------------------------------------------------------------------ Section 2, setting

eq_2_1_frobenius = Bound(normW, note="on ||W||_{2,2}")
# Concavity or convexity of powers: equality for rows of equal norms where the exponent is at most 2, and for a single
# row beyond.
eq_2_1 = Bound(
    normW * m ** Max(gamma - Rational(1, 2), 0), note="on ||W||_{2,q}, q = 1/gamma; the paper compares with q = 2 alone"
)
def_gs = Bound(1, note="singular values of the frame, and 1 plus what it leaves of the vectors that it is made of")
setup_inputs = Bound(1 / sqrt(m), note="standard deviation of what the last coordinate of a first input adds")
definition_2_2 = Bound(1, note="1 plus the relative distance of the two sides")
definition_2_3 = Bound(sqrt(2 / m), note="standard deviation of the entries of W and A, and of B times its own")

assumption_2_4 = Bound(n * L * outputs * log(m / eps) / phi, note="on rho/phi, the number varrho")
assumption_2_4_accuracy = Premise(eps <= 1, source="allenzhu2018rnn, Assumption 2.4")
rho_at_least_one = Premise(
    rho >= 1, source="allenzhu2018rnn, Assumption 2.4", note="n, L, d and log(m) are, for m >= 3"
)

fact_2_5 = Bound(0, note="on the closed form of the gradient less the derivative of f, or less the backward pass")

# ------------------------------------------------------------------ tails of sums (Appendices A.1 to A.3)

fact_A_1 = Bound(1 - sqrt(delta), note="from below on Pr_X[Pr_Y[event] >= 1 - sqrt(delta)]")
fact_A_2 = Bound(chance / 2, note="from below on Pr_X[E_Y f >= a chance/2]")
lemma_A_3 = Bound(exp(-exponent), note="on each tail of a chi-square variable")
lemma_A_4 = Bound(
    2 * exp(-m / (8 * inverse**2)), note="on both tails of a chi-square variable with m degrees of freedom"
)
lemma_A_4_range = Premise(inverse >= 1, source="allenzhu2018rnn, Lemma A.4")
# By Chernoff's bound at 1/4: E exp(y/4) is known in closed form.
lemma_A_5 = Bound(
    c * sqrt(m),
    {"c": Constant(Rational(3, 20), "by Chernoff's bound at 1/4, where it is least, 0.1534, for a single variable")},
    note="from below on minus the logarithm of the tail",
)
lemma_A_5_mean = Bound(1 / sqrt(m), note="on the mean of one truncated square")
lemma_A_6 = Bound(exp(-(eps**2) * m / 100), note="on one tail of the norm of m rectified Gaussians")
lemma_A_8 = Bound(2 * exp(-(eps**2) * m / 100), note="on both tails of the norm of m rectified Gaussians")
lemma_A_8_sharp = Bound(
    2 * exp(-(eps**2) * m / 4), note="the same with the best exponent: far above the mean all m are active"
)
corollary_A_9 = Bound(
    10 * sqrt(log(2 / delta) / m), note="on the relative deviation eps for which 2 exp(-eps^2 m/100) = delta"
)
corollary_A_9_sharp = Bound(2 * sqrt(log(2 / delta) / m), note="the same from the best exponent")
fact_A_11 = Bound(1, note="m ||v||^2/(2 ||h||^2) is chi-square with binomially many degrees of freedom")

# ------------------------------------------------------------------ percentiles, gates, McDiarmid (A.4 to A.6)

fact_A_12 = Bound(1 - 2 * deviation / 3, note="on Pr[|x| >= deviation] for a Gaussian of variance 1")
fact_A_12_lower = Bound(1 - 4 * deviation / 5, note="from below on the same, for every mean")
fact_A_12_range = Premise(deviation <= 1, source="allenzhu2018rnn, Fact A.12")
lemma_A_13 = Bound(exp(-(alpha**2) * m / 100), note="on the chance that a Gaussian vector is not good")
lemma_A_13_corrected = Bound(2 * exp(-(alpha**2) * m / 100), note="the same, with the union over both signs")
lemma_A_13_sharp = Bound(2 * exp(-(alpha**2) * m / 4), note="the same with a better exponent")
lemma_A_13_range = Premise(2 * alpha < 1, source="allenzhu2018rnn, Lemma A.13")
corollary_A_16 = Bound(alpha, note="on the share of coordinates that both halves lack, twice the larger lack")
# A sparse part longer than the bound needs k rows whose operator norm is sqrt(bound^2 + k log(m)^2/m); union over all
# sets of k rows, and the concentration of the norm of a Gaussian matrix.
lemma_A_17_log_chance = Bound(
    c * s * log(m) ** 2,
    {"c": Constant(1, "by a union over sets of rows; it is least for one column and m = 50, 1.46")},
    note="from below on minus the logarithm of the chance that some sparse part is longer",
)
lemma_A_17_sharp = Bound(
    c * s * log(m) ** 4,
    {
        "c": Constant(
            Rational(9, 100), "by the same union; for large m a single row shows that none above 1/4 is possible"
        )
    },
    note="the same with the power of log(m) that the proof allows",
)
lemma_A_17 = Bound(sqrt(s) * log(m) ** 2 / sqrt(m), note="on the norm of the sparse part at any unit vector")
lemma_A_17_columns = Premise(d <= s, source="allenzhu2018rnn, Lemma A.17")
lemma_A_17_rows = Premise(s <= m, source="allenzhu2018rnn, Lemma A.17")
lemma_A_17_width = Premise(m >= 50, source="allenzhu2018rnn, Lemma A.17", note="for the explicit constant")
lemma_A_17_premises = (lemma_A_17_columns, lemma_A_17_rows, lemma_A_17_width)
lemma_A_18 = Bound(exp(-2 * deviation**2 / changes), note="on each tail of a function with bounded differences")
# An increment of the Doob martingale is the mean of f less f with w_k drawn again, at most change where the second
# point is typical. Its chance to be atypical is known before w_k, so that increments are at most change + sqrt(p) in
# size until that chance exceeds sqrt(p): ever, with chance sqrt(p) by Doob's inequality. Azuma's inequality at mean/2.
lemma_A_19 = Bound(
    variables**2 * sqrt(atypical) + exp(-c * mean**2 / (variables * (change**2 + atypical))),
    {"c": Constant(Rational(1, 16), "an eighth from increments of at most change + sqrt(p), halved by (a + b)^2")},
    note="on the chance of a value below half of the mean",
)
lemma_A_19_sharp = Bound(
    sqrt(atypical) + exp(-(mean**2) / (8 * variables * (change + sqrt(atypical)) ** 2)),
    note="the same as the argument gives it, with no number of variables before the root",
)
martingale_A_19 = Bound(
    exp(-(deviation**2) / (2 * variables * change**2)),
    note="on the lower tail of a martingale whose increments are at least, or at most in size, change",
)

# ------------------------------------------------------------------ norms along time, fresh randomness (B.1, B.2)

footnote_13 = Bound(sqrt(2 / m), note="standard deviation of the entries of [W U, W v, A]")
footnote_13_cosine = Bound(1, note="cosines of the answers to two directions of the frame have their law")

# All states are relu(M z) for z in the span of k = n (L - 1) + min(d, n L) columns of M = [W U, A], whose entries are
# independent N(0, 2/m) (footnote 13), and ||relu(u)|| is the maximum of <y, u> over y >= 0 of norm at most 1. So
# Chevet's and Gordon's inequalities bound the mean of the largest and of the least ||relu(M z)||/||z|| by
# sqrt(2/m) (E||relu(g)|| +- sqrt(k)), where E||relu(g)|| is at most sqrt(m/2) and, its variance being at most 1, at
# least sqrt(m/2 - 1). Both are Lipschitz in the entries with constant sqrt(2/m), so that each is off its mean by
# 2 sqrt(log(2/delta)/m) with probability at most delta/2. No net over z, and no union over samples and times.
_STEP = (sqrt(2 * (n * L + d)) + 2 * sqrt(log(2 / delta))) / sqrt(m) + 2 / m
# The inputs span at most n L dimensions.
_ROOT = sqrt(4 * n * L) + 2 * sqrt(log(2 / delta)) + 1

norms_width = Premise(
    m >= 16 * L**2 * _ROOT**2,
    source="allenzhu2018rnn, proofs of Claims B.4 and B.5",
    note="m >= Omega(L^2 (n L log L + log n)) there, and a probability of 1 - exp(-Omega(m/L^2)), solved for m",
)

lemma_B_3 = Bound((1 - 1 / (4 * L)) ** (-l), note="on 1/||h_{i,l+1}||, as printed")
lemma_B_3_corrected = Bound(
    2 * l + 4,
    note="on ||h_{i,l+1}||, on ||g_{i,l+1}||/2 and, for the lower bound, on (2 l + 4)(1 - 1/(4L))^(l+1)/||h_{i,l+1}||",
)
lemma_B_3_sharp = Bound(
    (1 + _STEP) ** l,
    note="on the norm of h_{i,l} over the root of the summed squared norms of the inputs 1..l",
)
eq_4_1 = Bound(2 * sqrt(L), note="on the norms of h and g, and on sqrt(L)/||h||")
claim_B_4 = Bound((1 + 1 / L) * (normX + 1), note="on ||h_{i,l+1}||, normX = ||h_{i,l}||")
claim_B_4_sharp = Bound(
    (1 + _STEP) * normX, note="on ||h_{i,l+1}||, normX the root of ||h_{i,l}||^2 + ||x_{i,l+1}||^2, as in the proof"
)
claim_B_4_tail = Bound(
    1 + 2 * sqrt(log(1 / delta)) / sqrt(m),
    note="on ||h_{i,1}||: its mean is at most 1, and it moves by sqrt(2/m) at most with the Gaussians it is made of",
)
claim_B_4_fresh = Bound(1, note="||relu(v W)||^2 for fresh directions v: their law")
claim_B_5 = Bound((1 - 1 / (4 * L)) * normX, note="below ||h_{i,l+1}||, normX = ||h_{i,l}||")

lemma_B_6 = Bound(1 / (2 * 10**6 * L**2 * log(m) ** 3), note="below ||(I - U_l U_l^T) h_{i,l+1}||")
lemma_B_6_sharp = Bound(3 / (4 * L), note="below the leftover; at infinite width its limit is near 6/L at zero inputs")
lemma_B_6_sharp_width = Premise(
    m >= 250 * L**2, source="allenzhu2018rnn, Lemma B.6", note="a width polynomial in L, which the lemma does not name"
)
lemma_B_6_limit = Bound(
    C * L / sqrt(m),
    {"C": Constant(1, "open; twice what most networks of 2000 to 20000 neurons need, without inputs")},
    note="distance of leftovers from their limits at infinite width, relative, root mean square",
)

lemma_B_7_level = Premise(alpha >= 1 / (100 * L**4), source="allenzhu2018rnn, Lemma B.7")
lemma_B_7_columns = Premise(m >= 4 * columns / alpha, source="allenzhu2018rnn, Lemma B.7")
lemma_B_7_noise = Premise(r <= alpha / (16 * log(m)), source="allenzhu2018rnn, Lemma B.7")
lemma_B_7_premises = (lemma_B_7_level, lemma_B_7_columns, lemma_B_7_noise)
lemma_B_7 = Bound(
    r * (1 - 2 * alpha) - alpha ** Rational(3, 2) / 4, note="below ||(I - U U^T) relu(w + r v)||, v from N(0, 2 I/m)"
)

# ------------------------------------------------------------------ separation along time (Appendix B.3)

# alpha = 16 apart log m is the share of coordinates that the induction sets aside at a step.
_ALPHA = 16 * apart * log(m)
separability_of_inputs = Bound(
    C * phi,
    {"C": Constant(sqrt(3) / 2, "attained at distance 1: phi sqrt(1 - phi^2/4) at distance phi, and phi is at most 1")},
    note="on the separability of two unit vectors with last coordinate 1/sqrt(2)",
)
separability_of_inputs_range = Premise(phi <= 1, source="allenzhu2018rnn, Assumption 2.1")
eq_4_3 = Bound(apart / 2, note="on the least separability of what is fresh in two states of a time")
eq_4_3_small = Premise(
    C * apart * L <= 1,
    {"C": Constant(1, "from here on what is fresh shrinks to the order of the separation itself")},
    source="allenzhu2018rnn, Assumption 2.4",
    note="far wider than delta <= 1/(C L^2 log(m)^3), which is printed",
)
lemma_B_9 = Bound(apart / 2, note="on the least separability of what is fresh in two states of a time")
lemma_B_9_small = Premise(10**6 * L**2 * log(m) ** 3 * apart <= 1, source="allenzhu2018rnn, Lemma B.9")
# A step multiplies the separability by a ratio whose logarithm has the variance 5/(4 m), and takes it off n more
# directions: for this width half of it is lost with probability below delta.
lemma_B_9_width = Premise(
    m >= C * n * L**2 * log(n * L / delta),
    {"C": Constant(2, "hidden in the paper; keeps a product of L ratios above 1/2")},
    source="allenzhu2018rnn, Lemma B.9",
)
lemma_B_9_premises = (lemma_B_9_small, lemma_B_9_width)
claim_B_10_printed = Bound(1 - 3 * _ALPHA, note="on the factor that a step leaves of the separability")
claim_B_10_rate = Premise(
    delta >= exp(-sqrt(m) / C),
    {"C": Constant(10, "hidden in the paper: the order Omega(sqrt(m)) of the exponent")},
    source="allenzhu2018rnn, Claim B.10",
)
claim_B_10_corrected = Bound(1 - 2 * _ALPHA - 1 / (4 * L), note="on the factor that a step leaves of the separability")
# The squared factor is at least (2/m) chi2_K with K ~ Binomial(m, 1/2) less some n L: below (1 - 1/(4 L))^2 with
# probability at most exp(-m/(40 L^2)), by the exact rate function.
claim_B_10_width = Premise(
    m >= C * L**2 * log(n**2 * L / delta),
    {"C": Constant(64, "40 by the rate function; the rest is for the directions that are taken off")},
    source="allenzhu2018rnn, Claim B.10",
    note="the printed rate exp(-Omega(sqrt(m))) is silent on L",
)
claim_B_10_premises = (lemma_B_9_small, claim_B_10_width)
scalar_B_9 = Bound(
    apart * (1 - 2 * _ALPHA - 1 / (4 * L)) ** L / L,
    note="on alpha^(3/2), where alpha = 16 apart log m: the least delta_(l-1)/L of the induction",
)
scalar_B_9_short = Premise(
    25 * log(m) >= L, source="allenzhu2018rnn, Appendix B.3", note="where the proof uses Lemma B.7"
)
scalar_B_9_floor = Bound(1 / (100 * L**4), note="on alpha = 16 apart log m: what Lemma B.7 asks of it")

# ------------------------------------------------------------------ products of layers (Appendix B.4)

# The squared singular values of k masked factors with N = m/2 open gates each have the limit law of a product of k - 1
# square Gaussian matrices and one of shape (N, 2 N), whose upper end is the least (1 + z)^k (2 + z)/z over z > 0. Every
# W that closes a product gives one factor 2 + z more. One W at all times has the same limit: a non-crossing pairing
# joins W only with the W^T of the same time.
claim_B_13 = Bound(1 + 1 / (2 * L), note="on ||1[M y + A x >= 0] M z||/||z||")
claim_B_13_width = Premise(
    m >= C * L**2 * log(1 / delta),
    {"C": Constant(11, "hidden in the paper; 10.73 by the rate function at L = 1, 10 for long horizons")},
    source="allenzhu2018rnn, Claim B.13",
    note="the printed chance exp(-Omega(m/L^2))",
)
claim_B_12 = Bound((1 + 1 / L) ** factors, note="on ||D_l W ... D_b W z||/||z|| for a fixed vector z")
claim_B_12_width = Premise(
    m >= C * L**2 * log(n * L / delta),
    {"C": Constant(4, "hidden in the paper; 2.82 by the rate function of one factor at L = 1, 2.5 for long horizons")},
    source="allenzhu2018rnn, Claim B.12",
    note="the printed chance exp(-Omega(m/L^2)), for all samples and last times",
)
_ORDER = Constant(3, "hidden in the paper; fitted where a claim calibrates it")
lemma_B_11 = Bound(C * L**3, {"C": _ORDER}, note="on the operator norm of D_l W ... D_b W")
lemma_B_11_sharp = Bound(
    C * sqrt(L),
    {"C": Constant(3, "(1 + sqrt(2)) sqrt(L) is above the limit for every L; a quarter more for finite widths")},
    note="on the operator norm of D_l W ... D_b W",
)
lemma_B_11_below = Bound(
    C * sqrt(L),
    {"C": Constant(Rational(3, 2), "sqrt(2 e) = 2.33 in the limit; the rest is for finite widths")},
    note="on the operator norm of D_l W ... D_b W, from below",
)
remark_4_1 = Bound(C, {"C": _ORDER}, note="on the operator norm of W D ... D W, conjectured")
remark_4_1_limit = Bound(
    sqrt(2 * E * L),
    note="on the limit of the operator norm of a product of L masked factors, for width to infinity",
)
eq_4_4 = Bound(C * L**3, {"C": _ORDER}, note="on the operator norm of W D ... D W")
_FINITE = {"C": Constant(Rational(11, 10), "1 in the limit; the rest is for finite widths")}
eq_4_4_W = Bound(C * 2 * sqrt(2), _FINITE, note="on the operator norm of W; 2 in print")
eq_4_4_DW = Bound(C * (1 + sqrt(2)), _FINITE, note="on the operator norm of D W; sqrt(2) in print")
eq_4_4_limit = Bound(
    2 * C * sqrt(E * (L + Rational(1, 2))),
    {"C": Constant(Rational(6, 5), "at most 1.04 in the limit, at L = 1; the rest is for finite widths")},
    note="on the operator norm of W D ... D W with L masks",
)

# ------------------------------------------------------------------ sparse and backward norms (B.5, B.6)

_NETS = "the union over nets of sparse vectors: e^(O(s log m)) against the chance of a single pair"

lemma_B_14 = Bound(5 * dev * sqrt(n * L) / sqrt(m))
lemma_B_14_net = Premise(
    n * L * dev**2 >= C * s * log(m),
    {"C": Constant(1, "hidden in the paper; attacks on pairs then reach 0.7 of the bound")},
    source="allenzhu2018rnn, Lemma B.14",
    note=_NETS,
)
sparse_width = Premise(
    m >= C * L**2 * s * log(m),
    {"C": Constant(1, "hidden in the paper")},
    source="allenzhu2018rnn, Lemmas B.14 and B.17",
    note=_NETS,
)
lemma_B_14_premises = (lemma_B_14_net, sparse_width)
corollary_B_15 = Bound(sqrt(s) * log(m) / sqrt(m), note="s log(m)/m^(1/6) in print, with s^2 m^(2/3) entries")
sparse_range = (
    Premise(s >= m ** Rational(1, 6), source="allenzhu2018rnn, Corollary B.15", note="s >= m^(-1/4) in print"),
    Premise(s <= m, source="allenzhu2018rnn, Corollary B.15", note="s <= m^(1/6) in print"),
)
corollary_B_15_corrected = Bound(
    C * sqrt(s) * log(m) / sqrt(m),
    {"C": Constant(2, "pairs that attacks find reach 2.8/sqrt(log m): 1 is enough from m = 3000 on")},
)
corollary_B_15_sparsity = Premise(
    m >= C * L**2 * s * log(m) ** 2,
    {"C": Constant(Rational(1, 4), "hidden in the paper; for the tails, which are e^(-Omega(m/L^2)) at least")},
    source="allenzhu2018rnn, Lemma B.14",
    note="s <= m^(1/6)/(L log m) in the units of the paper, up to a constant",
)
corollary_B_16 = Bound(n * L * outputs * log(m) / sqrt(m))
corollary_B_16_chance = Premise(
    (n * L * outputs * log(m)) ** 2 >= C * log(1 / delta),
    {"C": Constant(8, "hidden in the paper; a single entry of variance 2/m has the tail exp(-rho^2/4)")},
    source="allenzhu2018rnn, Corollary B.16",
)
corollary_B_16_sharp = Bound(
    C * sqrt(log(n * L * m)) / sqrt(m),
    {"C": Constant(4, "the largest of n (L m)^2/2 Gaussian entries of variance 2/m is near 2.8")},
)
lemma_B_17 = Bound(dev / sqrt(outputs))
lemma_B_17_net = Premise(
    dev**2 >= C * s * log(m),
    {"C": Constant(4, "hidden in the paper; the s largest of m Gaussian entries have squares near 2 s log m")},
    source="allenzhu2018rnn, Lemma B.17",
    note=_NETS,
)
lemma_B_17_premises = (lemma_B_17_net, sparse_width)
corollary_B_18 = Bound(sqrt(s) * log(m), note="s m^(1/3) log m in print, with s^2 m^(2/3) entries")
corollary_B_19 = Bound(n * L * outputs * log(m))
corollary_B_19_sharp = Bound(
    C * sqrt(1 + log(n * L * m) / outputs),
    {"C": Constant(2, "entries are nearly Gaussian of variance 1/d; near sqrt(1 + 2 log(m n L^2)/d)")},
)
eq_4_5 = Bound(C * sqrt(s) * log(m) / sqrt(m), {"C": _HIDDEN})
eq_4_6 = Bound(C * sqrt(s) * log(m), {"C": _HIDDEN})

# ------------------------------------------------------------------ forward stability (Appendix C.1)

tau1, tau2, tau4, tau5, normg, acts = map(symbol, ("tau1", "tau2", "tau4", "tau5", "normg", "acts"))

_PRODUCTS = Constant(1, "hidden constant of Lemma B.11; both sides are multiples of it")

eq_C_2_C_3 = Bound(0, note="g'_l less its expansion, one time back and down to the first time")
claim_C_3 = Bound(tau / sqrt(m) * (4 * time + 8 + (tau1 + tau2) / sqrt(m)))
claim_C_3_certified = Bound(
    tau / sqrt(m) * (normg + (tau1 + tau2) / sqrt(m)),
    note="from the measured norm of g~ in place of its bound 4 l + 8",
)
claim_C_3_width = Premise(
    m >= C * L**2 * log(L / delta),
    {"C": Constant(25, "hidden in the paper; one time changes a squared norm by sqrt(5/m) in standard deviation")},
    source="allenzhu2018rnn, Lemma B.3",
)
claim_C_4 = Bound(10 * (tau1 * m) ** Rational(2, 3), note="on ||D'||_0")
# The threshold of the proof, xi = tau1^(2/3)/(10^(1/3) m^(5/6)), times m.
claim_C_4_level = tau1 ** Rational(2, 3) * m ** Rational(1, 6) / 10 ** Rational(1, 3)
claim_C_4_sup = Premise(
    tau2 <= claim_C_4_level,
    source="allenzhu2018rnn, proof of Claim C.4",
    note="the second part stays below the threshold xi",
)
claim_C_4_good = Premise(
    count <= 10 * claim_C_4_level * sqrt(m),
    source="allenzhu2018rnn, Definition A.14, in the proof of Claim C.4",
    note="count of entries of size 2 xi at most",
)
claim_C_4_near = Premise(
    tau1**2 <= m / 100,
    source="allenzhu2018rnn, proof of Claim C.4",
    note="alpha is at most 1, as for Corollary A.16",
)
claim_C_4_mass = Bound(3 * tau1 / sqrt(m), note="on ||D' g||")
claim_C_4_mass_sharp = Bound(2 * tau1 / sqrt(m), note="on ||D' g||: both parts are added in the norm first")
claim_C_5 = Bound(
    3 * tau5 * sqrt(tau4) * log(m) ** 2 / m ** Rational(2, 3),
    note="on ||y_1||: what of y is beyond entries of 4 tau_5 log(m)/m",
)
claim_C_5_sharp = Bound(
    C * tau5 * sqrt(tau4) / m ** Rational(2, 3),
    {"C": Constant(6, "attacks reach 5.1 at widths from 64 on, the most at the smallest ones")},
    note="on what of y is beyond entries of 2 tau_5 sqrt(log(m))/m",
)
claim_C_6 = Bound(4 * tau5 * log(m) / m, note="on the largest entry: all of y is y_2, so that nothing is left for y_1")
sketch_5_logic = Bound(C * m ** Rational(2, 3), {"C": _HIDDEN}, note="on ||D'||_0")
sketch_5_logic_mass = Bound(C / sqrt(m), {"C": _HIDDEN}, note="on ||D' g||")

lemma_C_2 = Bound(
    C,
    {
        "C": Constant(
            Rational(1, 5), "hidden in the paper; attacks make a tenth of the orders at two times, less at more"
        )
    },
    note="on the largest share that (a), (b) and (c) take of L^6 tau/sqrt(m), L^(10/3) (tau m)^(2/3), L^5 tau/sqrt(m)",
)
lemma_C_2_drift = Bound(C * acts**2 * tau / sqrt(m), {"C": _HIDDEN}, note="on ||g'_L||")
lemma_C_2_certified = Bound(count + D**2 / beta_**2, note="on ||D'_l||_0, for every threshold beta")
lemma_C_2_mass = Bound(D, note="on ||D'_l g_l||, by the norm of g'_l")
lemma_C_2_chain = Bound(195 * C * L**6 * tau * log(m), {"C": _PRODUCTS}, note="on tau_3 = tau_1 + 12 L tau_1 log m")
lemma_C_2_chain_sparse = Bound(
    420 * C * L**6 * tau,
    {"C": _PRODUCTS},
    note="on tau_1 + 9 L tau_5: sparse vectors keep their norm up to 3, and W up to 3",
)
eq_5_1 = Bound(C * (tau * m) ** Rational(2, 3), {"C": _HIDDEN}, note="on ||D'_2||_0 at two times")
eq_5_1_mass = Bound(C * tau / sqrt(m), {"C": _HIDDEN}, note="on ||D'_3 g_3||")

# ------------------------------------------------------------------ stability of products and backward (C.2, C.3)

lemma_C_7 = Bound(
    C * L**7,
    {"C": Constant(Rational(1, 16), "hidden in the paper; attacks make half of it at two times, less at more")},
    note="on the norms of the products, with W and with W + W'",
)
claim_C_8 = Bound(
    C * L**7,
    {"C": Constant(Rational(1, 8), "hidden in the paper; attacks make half of it at two times, less at more")},
    note="on the norms of the products with gates changed at s^2 m^(2/3) places of each time",
)
lemma_C_9 = Bound(
    C,
    {"C": Constant(Rational(1, 100), "hidden in the paper; attacks make two thirds of it at two times, less at more")},
    note="on the largest share that (a) to (d) take of their orders",
)
lemma_C_9_flips = Bound(
    C * (tau * m) ** Rational(1, 3), {"C": _HIDDEN}, note="on the difference of (a) at the second of two times"
)
lemma_C_9_direct = Bound(C * tau, {"C": _HIDDEN}, note="on the difference of (c) at the second of two times")

# ------------------------------------------------------------------ rank-one perturbations (Appendix C.4)

lemma_C_10 = Bound(
    C * (n * L * outputs * log(m)) ** 8 * rows ** Rational(2, 3) * tau ** Rational(5, 6) / m ** Rational(2, 3),
    {"C": _HIDDEN},
    note="on the entries of (W~ + W') h'",
)
lemma_C_10_sharp = Bound(
    C * rows * tau * sqrt(log(m)) / m,
    {"C": Constant(4, "N weights of W~ of size 2 sqrt(log(m)/m) at most, times tau/sqrt(m); attacks reach 2.5")},
    note="on the entries of (W~ + W') h': what y passes on through one layer",
)
lemma_C_10_loop = Premise(
    tau**2 <= C * rows,
    {"C": Constant(9, "beyond it W' meets its own change: the first term, of order tau^2 sqrt(N)/m")},
    source="allenzhu2018rnn, proof of Lemma C.10, first term",
)
lemma_C_10_third = Bound(
    rho**8 * rows ** Rational(2, 3) * tau ** Rational(4, 3) / m ** Rational(2, 3),
    note="on the third term of the proof; tau^(5/6) in print",
)
lemma_C_11 = Bound(
    C * (n * L * outputs * log(m)) ** 3 * tau ** Rational(1, 3) * rows ** Rational(1, 6) / m ** Rational(1, 6),
    {"C": _HIDDEN},
    note="on what gates change in a column of B D W ... D W",
)
lemma_C_11_weights = Bound(
    C * tau * sqrt(rows) / sqrt(m),
    {"C": Constant(4, "sqrt(2) in standard deviation with one output and z along an axis; attacks reach 3")},
    note="on what W' changes in a column of B D W ... D W",
)
lemma_C_11_order = Bound(
    rho**6 * tau ** Rational(1, 3) * rows ** Rational(1, 6) / m ** Rational(1, 6),
    note="on the terms of the proof of (a); rho^3 in print",
)
eq_5_5 = Bound(C / m ** Rational(1, 6), {"C": _HIDDEN}, note="on the change of a column of B D W ... D W")
eq_5_4 = Bound(C / m ** Rational(2, 3), {"C": _HIDDEN}, note="on the entries of (W~ + W') h'")

# ------------------------------------------------------------------ indicators and backward coordinates (Appendix D)

lemma_D_2 = Bound(betaminus * rows / (64 * L), note="on |N_4|, rows = |N_1|")
lemma_D_2_rows = Premise(rows * betaminus >= n**2 * L**2, source="allenzhu2018rnn, Lemma D.2")
# A fresh part of size r keeps a neuron within betaplus of its kink with probability 0.57 betaplus/r at most; the sum
# over the sequences and times is to be 1/4 at most. Of a sequence r is phi/2 at least, of a later time 3/(4 L).
lemma_D_4_threshold = Premise(
    5 * n * betaplus <= phi, source="allenzhu2018rnn, Lemma D.4", note="betaplus = phi/rho^2 there"
)
lemma_D_5_threshold = Premise(
    4 * n * L**2 * betaplus <= 1, source="allenzhu2018rnn, Lemma D.5", note="betaplus = phi/rho^2 there"
)
lemma_D_2_premises = (lemma_D_2_rows, lemma_D_4_threshold, lemma_D_5_threshold)
lemma_D_3 = Bound(betaminus * rows / (16 * L), note="on |N_2|, rows = |N_1|")
lemma_D_3_chance = Bound(
    c * betaminus * rows / L,
    {"c": Constant(Rational(1, 200), "by the exact binomial law; 0.0061 for many neurons, more for few")},
    note="from below on minus the logarithm of the chance of fewer, for a state of norm 6 L",
)
lemma_D_3_threshold = Premise(betaminus <= 1, source="allenzhu2018rnn, Lemma D.3", note="betaminus = phi/rho^10 there")
lemma_D_4 = Bound(chosen / 2, note="on |N_3|, and on |N_4| in Lemma D.5")
lemma_D_5 = lemma_D_4
lemma_D_4_chance = Bound(
    chosen / 7, note="from below on minus the logarithm of the chance of fewer; the proof has order chosen/n"
)

lemma_D_7 = Bound(N4 / (2 * n * L), note="on the number of neurons of N_4 that are not in N_5")
lemma_D_7_size = Premise(
    C * n * L * log(1 / delta) <= N4,
    {"C": Constant(4, "3.4 by Chernoff's bound for independent coordinates, small with chance 0.133/(n L)")},
    source="allenzhu2018rnn, Lemma D.7",
    note="|N_4| >= rho^4 in print, for a chance of exp(-Omega(rho^2))",
)
lemma_D_7_many = Premise((n * L * outputs * log(m)) ** 4 <= N4, source="allenzhu2018rnn, Lemma D.7")
lemma_D_7_few = Premise(m >= N4, source="allenzhu2018rnn, Lemma D.7", note="N_4 is a set of neurons")
lemma_D_7_printed = (lemma_D_7_many, lemma_D_7_few)
eq_6_2 = Bound(
    C / (n * L * sqrt(outputs) * log(m)),
    {"C": Constant(1, "sqrt(2/pi) for a Gaussian of the variance of B^T loss, and less where later times add to it")},
    note="on the share of neurons that are smaller; o(1) in print",
)

# ------------------------------------------------------------------ randomness decomposition (Appendix E.1)

proposition_6_1 = Bound(theta**2, note="on the relative excess of the variance of g_3 over theta^2")
lemma_E_4 = Bound(
    Rational(1, 4), note="from below on the chance of an entry of u beyond theta/(2 sqrt(m)), either sign"
)
lemma_E_4_proof = Bound(Rational(6, 25), note="on the chance that an entry of theta g_2 exceeds theta/sqrt(m)")
lemma_E_4_scale = Premise(2 * rho * theta <= 1, source="allenzhu2018rnn, Lemma E.4")
lemma_E_4_premises = (lemma_E_4_scale, rho_at_least_one)
lemma_E_4_size = Bound(
    c * rho**2,
    {"c": Constant(Rational(1, 16), "by the exact law; it is least for 12 neurons and rho = log(m), 0.075")},
    note="from below on minus the logarithms of the chances of entries above rho/sqrt(m) and 3 theta rho/(2 sqrt(m))",
)
lemma_E_4_logarithm = Premise(rho >= log(m), source="allenzhu2018rnn, Lemma E.4", note="rho is n L d log m")
lemma_E_4_size_premises = (lemma_E_4_scale, lemma_E_4_logarithm)
lemma_E_4_law = Bound(sqrt(2 / m), note="standard deviation of the entries of W_2 on the frame")
lemma_E_4_cosine = Bound(1, note="cosines of vectors that are independent have their law")
lemma_E_5 = lemma_E_4_law

# ------------------------------------------------------------------ fake gradient (Appendices E.2 to E.4)

_NLD = n * L * outputs * log(m)
# In conditions on the width the logarithm counts as 1 at least: else one neuron, with log 1 = 0, would meet them.
_NLD_WIDE = n * L * outputs * Max(1, log(m))
_UNIT = {name: Constant(1, "hidden in the paper") for name in ("c", "C")}
lemma_E_2 = Bound(C * n * L**6 * sqrt(m), _UNIT, note="on the Frobenius norm, for all losses of norm 1 at most")
lemma_E_2_sharp = Bound(
    C * n * L**2 * sqrt(m / outputs),
    {"C": Constant(Rational(1, 2), "equal sequences that repeat their input make 2/5")},
    note="on the Frobenius norm, for all losses of norm 1 at most",
)
lemma_E_2_neurons = Bound(
    C * n**2 * L**4 * outputs * log(m),
    {"C": Constant(1, "hidden in the paper")},
    note="n rho L^3, on the gradient of one neuron, for all losses of norm 1 at most",
)
theorem_5 = Bound(c * phi / _NLD**14 * m, _UNIT, note="on the square, for losses of which the largest has norm 1")
theorem_5_width = Premise(
    m >= _NLD_WIDE**42 / phi**2,
    source="allenzhu2018rnn, Appendix E.4, (E.13)",
    note="the sets of rho^22/beta_-^2 neurons that the proof draws are subsets of the m there are",
)
theorem_5_sharp = Bound(
    c * phi * m / outputs,
    {"c": Constant(Rational(1, 12), "near duplicates make 0.17; half of it for widths such as are tried")},
    note="on the square, for losses of which the largest has norm 1",
)
theorem_5_sharp_width = Premise(
    m * phi >= C * outputs,
    {"C": Constant(100, "so that enough neurons tell the two nearest sequences apart")},
    source="allenzhu2018rnn, Theorem 5",
    note="of m neurons a share phi/pi has other gates at two sequences whose first inputs are phi apart",
)
theorem_5_orders = Bound(c * phi * m, {"c": Constant(Rational(1, 10), "fitted")}, note="on the same square")
theorem_5_sizes = Bound(c * m / (n * L), {"c": Constant(Rational(1, 10), "fitted")}, note="on the same square")

lemma_E_6 = Bound(
    phi / _NLD**10 * rows / (100 * L), note="on the number of neurons of N, from below, with beta_- written out"
)
lemma_E_6_width = Premise(
    m >= _NLD_WIDE**16 / phi,
    source="allenzhu2018rnn, Lemma E.6",
    note="N has at least rho^6/beta_- neurons, and there are m",
)
lemma_E_7 = Bound(
    c * phi / _NLD**12 * rows, _UNIT, note="on the sum over N of squared gradients, the largest loss of norm 1"
)
lemma_E_7_sharp = Bound(
    c * phi * rows / outputs,
    {"c": Constant(Rational(1, 12), "near duplicates make 0.17; half of it for sets such as are tried")},
    note="on the same sum",
)
lemma_E_7_sharp_rows = Premise(
    rows * phi >= C * outputs,
    {"C": Constant(100, "so that enough neurons of N tell the two nearest sequences apart")},
    source="allenzhu2018rnn, Lemma E.7",
)
eq_6_8 = Bound(c * rows / _NLD**4, _UNIT, note="the printed form, with the fourth power for the polynomial in rho")
lemma_E_8 = Bound(
    C * (_NLD**8 + _NLD**11 * theta ** Rational(1, 3) * rows / m ** Rational(1, 6)),
    _UNIT,
    note="on the sum over N, losses of norm 1",
)
lemma_E_8_orders = Bound(
    C * tau ** Rational(1, 3) * m ** Rational(5, 6),
    {"C": Constant(10, "fitted")},
    note="the second term for all m neurons, tau a multiple of theta rho",
)
claim_E_9 = Bound(C * _NLD**6, _UNIT, note="on the change of the squared gradient of each neuron, losses of norm 1")
claim_E_9_flips = Bound(
    C * (tau * m) ** Rational(2, 3), {"C": Constant(2, "fitted")}, note="on the number of neurons with a turned gate"
)
lemma_E_10 = Bound(C * _NLD**8, _UNIT, note="on the sum over N, for every neuron of N and every step of its weights")
lemma_E_10_sharp = Bound(
    C * (1 + rows / sqrt(m)) * log(m),
    {"C": Constant(4, "squares of Gaussian entries of B; of the other neurons each changes like 1/sqrt(m)")},
    note="on the same sum",
)

# ------------------------------------------------------------------ gradients near the initialisation (Appendix F)

lemma_F_1 = Bound(c * phi / _NLD**14 * m, _UNIT, note="on the square, for losses of which the largest has norm 1")
lemma_F_1_width = Premise(
    m >= _NLD_WIDE**90 * tau**2 / phi**3,
    source="allenzhu2018rnn, Appendix F, (F.1)",
    note="the square of (F.1), rho^16 (tau m)^(2/3), is at most phi/rho^14 m, with unit constants",
)
lemma_F_1_sharp = Bound(
    c * phi * m / outputs,
    {"c": Constant(Rational(1, 24), "half of what stands at the start")},
    note="on the square, for losses of which the largest has norm 1",
)
lemma_F_1_sharp_width = Premise(
    m * phi**3 >= C * tau**2,
    {"C": Constant(100, "a radius of 0.3 phi^(3/2) gives two sequences the same gates; a third of it leaves half")},
    source="allenzhu2018rnn, Lemma F.1",
    note="a step of norm 0.3 phi^(3/2) gives two sequences at distance phi the same gates",
)
lemma_F_1_premises = (theorem_5_sharp_width, lemma_F_1_sharp_width)
eq_F_1 = Bound(C * (tau * m) ** Rational(1, 3), {"C": Constant(1, "fitted")}, note="on the change of the fake gradient")
theorem_3 = Bound(
    c * phi * m / outputs,
    {"c": Constant(Rational(1, 12), "twice that of Lemma F.1, as the loss is half of the squares")},
    note="on ||grad f||_F^2/f, for all targets: what the polynomials in rho and varrho may be",
)
theorem_3_upper = Bound(
    C * n * L**3 * m / outputs,
    {"C": Constant(Rational(1, 2), "equal sequences that repeat their input make 0.15")},
    note="on ||grad f||_F^2/f, for all targets",
)
theorem_3_restated = Bound(
    c * phi / _NLD**14 * m, _UNIT, note="on the square over that of the largest loss, for all targets"
)
theorem_3_width = Premise(
    m >= _NLD_WIDE**290 / phi**3,
    source="allenzhu2018rnn, Appendix F, (F.1), at the radius of Theorem 3 (restated)",
    note="what Lemma F.1 needs at tau = rho^100, with unit constants",
)

# ------------------------------------------------------------------ semi-smoothness (Appendix G)

proposition_G_3 = Bound(0, note="relu(a) - relu(b) less (D + D'')(a - b), entry by entry")
proposition_G_3_range = Bound(1, note="on |D''_kk|, plus 1 where D'' is not 0 at gates that agree")
eq_7_1_7_2 = Bound(0, note="both sides of (7.1) and of (7.2), f and its gradient at W^v")
claim_G_2 = Bound(0, note="h_l - h^v_l less the sum (G.1)")
claim_G_2_start = Bound(turned, note="on ||D''_l||_0, by the gates of W^v and of W that are not those of W~")
claim_G_2_certified = Bound(carried * omega, note="on ||h_l - h^v_l||, from the measured products of (G.1)")
claim_G_2_norm = Bound(C * L**9 * omega, {"C": _HIDDEN}, note="on ||h_L - h^v_L||")
THEOREM_4 = {
    "C1": Constant(Rational(1, 10**9), "hidden in the paper; more than kinks reach at the sizes tested"),
    "C2": Constant.above(
        Rational(1, 2**18), attacked=1.93e-6, why="steps along the gradient at L = 2 and n = 1", seeds="0 to 3"
    ),
}
theorem_4 = Bound(
    C1 * (n * L * outputs * log(m)) ** 11 * (tau * m) ** Rational(1, 3) * worst * omega + C2 * L**18 * n * m * omega**2,
    THEOREM_4,
    note="on f(W^v + W') - f(W^v) - <grad f(W^v), W'>",
)
theorem_4_kinks = Bound(C * (tau * m) ** Rational(1, 3) * worst * omega, {"C": _HIDDEN}, note="on the excess at kinks")
theorem_4_on_kinks = Bound(carried * worst * omega, note="excess of neurons that read with the norm of B, all on kinks")
theorem_4_quadratic_order = Bound(
    depth**18 * n * m,
    note="factor of the squared step, as printed",
    source="allenzhu2018rnn, Appendix G, Theorem 4 (restated)",
)
theorem_4_quadratic_order_corrected = Bound(depth**19 * n * m)
theorem_4_kink_order = Bound(
    rho**11,
    note="factor of the term with kinks, as printed, less tau^(1/3) m^(1/3)",
    source="allenzhu2018rnn, Appendix G, Theorem 4 (restated)",
)
theorem_4_kink_order_corrected = Bound(rho**13)
claim_G_2_flips = Bound(C * (tau * m) ** Rational(2, 3), {"C": _HIDDEN}, note="on ||D''_2||_0 at two times")

# ------------------------------------------------------------------ gradient descent (Appendix H)

_OPEN = Constant(2, "open in the paper; the argument against it holds at every width")
_STARTING_LABELS = Constant(4, "labels of norm rho L at most and outputs of norm rho L: twice that, squared")

init_loss = Bound(C * n * (n * L * outputs * log(m)) ** 2 * L**3, {"C": _STARTING_LABELS}, note="on f(W^(0))")
init_loss_corrected = Bound(
    (n * L * outputs * log(m)) ** 2 / 2, note="from below on - log of the chance that some output has norm above rho L"
)
theorem_1 = Bound(eps, note="on f(W^(T))")
theorem_1_width = Premise(
    m >= C * (n * L * outputs * log(m / eps) / phi) ** C, {"C": _OPEN}, source="allenzhu2018rnn, Theorem 1 (restated)"
)
theorem_1_labels = Bound(
    (1 - Rational(1, 10**9)) * (1 - eta * growth) ** (2 * K) * L0,
    note="from below on f after K steps, for one sequence at two times",
)
theorem_1_labels_step = Premise(
    eta * growth <= 1, source="allenzhu2018rnn, Appendix H", note="a step does not pass the target"
)
theorem_1_certified = Bound((1 - eta * kerlow / 2) ** (2 * k) * L0, note="on f after k steps")
theorem_1_certified_step = Premise(eta * kerhigh <= 1, source="allenzhu2018rnn, Appendix H", note="no step overshoots")
theorem_1_certified_kinks = Premise(
    away <= kerlow / 2, source="allenzhu2018rnn, Appendix H", note="kinks and curvature take half of the fall at most"
)
theorem_1_certified_premises = (theorem_1_certified_step, theorem_1_certified_kinks)
theorem_1_wide_width = Premise(
    m >= (n * L * outputs * Max(1, log(m))) ** 186 * (n * L * outputs * Max(1, log(m / eps)) / phi) ** 100 / phi**6,
    source="allenzhu2018rnn, Appendix H",
    note="order of the width at which the term with kinks is below the quadratic one; logarithms from 1 on",
)
theorem_1_rate = Bound(C * eta * m, {"C": _HIDDEN}, note="from below on the share of f that a step takes")
theorem_1_separation = Bound(C * phi, {"C": _HIDDEN}, note="from below on the least eigenvalue of the kernel over m")
theorem_1_horizon = Bound(
    C * phi / n ** Rational(1, 4), {"C": _HIDDEN}, note="from below on the least eigenvalue of the limiting kernel"
)
theorem_1_kernel = Bound(
    C * sqrt(L) / sqrt(m),
    {"C": Constant(8, "the root of the number of times, or samples, makes 5 in the middle")},
    note="on the relative distance of outputs/m times the kernel from its limit",
)
theorem_1_movement = Bound(C / sqrt(m), {"C": _HIDDEN}, note="on ||W^(t) - W^(0)||_F")

# ------------------------------------------------------------------ stochastic descent (Appendix I)

theorem_2 = theorem_1
theorem_2_width = theorem_1_width
theorem_2_certified = Bound((1 - eta * kerlow / 2) ** k * L0, note="on the mean of f over the batches of k steps")
theorem_2_certified_step = Premise(
    eta <= B * kerlow / (n * kerhigh**2),
    source="allenzhu2018rnn, Appendix I",
    note="for the variance of a batch",
)
theorem_2_certified_kinks = Premise(
    away <= kerlow / 8, source="allenzhu2018rnn, Appendix I", note="kinks and curvature take an eighth at most"
)
theorem_2_certified_premises = (theorem_2_certified_step, theorem_2_certified_kinks)
theorem_2_mean = Bound(z, note="mean over the batches of the derivative that a step goes along")
theorem_2_whole = Bound(0, note="iterate with a batch of all samples less that of gradient descent")
eq_I_2 = Bound(
    C * eta * m, {"C": _HIDDEN}, note="from below on the share of f that a step takes in the mean; C is delta/rho^15"
)
eq_I_3 = Bound((1 + eta * (n * kerhigh / B + away)) ** 2, note="on f after a step over f before it, for every batch")
eq_I_2_batch = Bound(
    n**2 / B**2 * steep,
    note="on the squared norm of the gradient of a batch, as printed",
    source="allenzhu2018rnn, Appendix I, after eq. (I.2)",
)
eq_I_2_batch_corrected = Bound(n**2 / B * steep, note="on the squared norm of the gradient of a batch")
footnote_3 = Bound(1 + (lip / lam) ** 2 * log(1 / eps), note="on the steps to eps times the mean squared distance")
footnote_3_common = Premise(
    spread <= 0, source="allenzhu2018rnn, footnote 3", note="all f_i have the minimiser of f in common"
)
footnote_3_sharp = Bound((1 - lam / lip) ** k, note="on the mean squared distance over the first, at the step 1/lip")

# ------------------------------------------------------------------ numbers and chains of conditions

scalar_I = Bound(a**2 / b**2, note="on 2 a sqrt(t) - b^2 t: fluctuation less drift after t steps")
scalar_E_6 = Bound(p * a, note="from below on the mean of |xi a + b|, xi = 1 with probability p or 1 - p")
scalar_F = Bound(a**2 / 2 - b**2, note="from below on (a - b)^2")
scalar_binomial = Bound(L * exp((L - 1) * x), note="on the sum over j = 1..L of binom(L, j) x^(j - 1); printed O(L)")
scalar_binomial_short = Bound(2 * L, note="the same where (L - 1) x is at most log 2")
scalar_binomial_few = Premise(
    (L - 1) * x <= log(2), source="allenzhu2018rnn, Appendix C.2, proof of Claim C.8", note="x is far below 1/L"
)
scalar_binomial_short_premises = (scalar_binomial_few,)

definition_E_3_order = Bound(phi / rho**5, note="upper end rho^(-3) beta_+ of the interval of theta")
definition_E_3_premises = (rho_at_least_one,)
eq_E_12_order = Bound(rho**42 / phi**2, source="allenzhu2018rnn, Appendix E.4, eq. (E.13)")

scalar_B_3 = Bound(2 * l + 4, note="on (1 + 1/L)^l + sum_{i=1}^l (1 + 1/L)^i, for l <= L")
# With xi_0 = 1/(10^6 L^2 log(m)^3) and alpha = 1/(2 10^4 L^2 log(m)^2).
scalar_B_6 = Bound(1 / (2 * 10**6 * L**2 * log(m) ** 3), note="below xi_l for all l <= L")
lemma_E_7_order = Bound(
    rho**2,
    note="what the squared gradients of a neuron lose, beside beta_-",
    source="allenzhu2018rnn, Appendix E.2, Lemma E.7",
)
lemma_E_7_order_corrected = Bound(rho**3)
claim_E_9_order = Bound(
    rho**6,
    note="on the change of a squared gradient of the resampled neuron",
    source="allenzhu2018rnn, Appendix E.3, Claim E.9",
)
claim_E_9_order_corrected = Bound(rho**8)
lemma_F_1_width_order = Bound(rho**90 * tau**2 / phi**3, note="width from which the perturbation is absorbed")
theorem_1_step_order = Bound(phi / (rho**44 * m), source="allenzhu2018rnn, Appendix H, Theorem 1 (restated)")
theorem_1_iterations_order = Bound(rho**59 / phi**2, source="allenzhu2018rnn, Appendix H, Theorem 1 (restated)")
theorem_1_width_order = Bound(rho**186 * varrho**100 / phi**6, note="width from which the term with kinks is absorbed")
theorem_1_radius_order = Bound(varrho**50, source="allenzhu2018rnn, Appendix H, eq. (H.1)")
theorem_1_radius_order_corrected = Bound(varrho ** Rational(103, 2), note="radius that the path needs")
theorem_2_step_order = Bound(phi / (rho**12 * m), source="allenzhu2018rnn, Appendix I, Theorem 2 (restated)")
theorem_2_step_order_proof = Bound(
    phi / (rho**42 * m),
    note="as the end of the proof has it",
    source="allenzhu2018rnn, Appendix I, end of the proof of Theorem 2 (restated)",
)
theorem_2_iterations_order = Bound(rho**57 / phi**2, source="allenzhu2018rnn, Appendix I, Theorem 2 (restated)")
theorem_2_drift_order = Bound(phi / (rho**41 * m), note="steps at which the fluctuation stays below a constant")

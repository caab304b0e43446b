"""Formula sheet of Allen-Zhu, Li and Song (2018), recurrent ReLU networks with one matrix at every time step.

Each name is a statement of the paper, as in the other sheets: `_premises` what it asks for, `_sharp` a tighter bound
of the same argument, `_printed` and `_corrected` two readings where the printed one is false.

The horizon L is the number of time steps, the dimension of the outputs d is `outputs`, and that of the inputs d_x is d.
The separation delta of the first inputs is phi, and the radius tau_0 of a perturbation, in units of 1/sqrt(m), is tau.
rho = n L outputs log(m) and varrho = n L outputs log(m/eps)/phi are written out. The loss is half of the sum over the
samples and the times 2..L of squared errors.
"""

from sympy import Max, Rational, exp, log, sqrt

from bounds.bound import Bound, Constant
from bounds.premise import Premise
from bounds.symbols import state_meanings, symbol

a, b = map(symbol, ("a", "b"))
m, n, L, outputs, phi, eps, tau = map(symbol, ("m", "n", "L", "outputs", "phi", "eps", "tau"))
rho, rows = map(symbol, ("rho_", "rows"))
C, delta, count = map(symbol, ("C", "delta", "count"))
d = symbol("d")
s, alpha, c = map(symbol, ("s", "alpha", "c"))
chance, deviation = map(symbol, ("chance", "deviation"))
changes, change, variables = map(symbol, ("changes", "change", "variables"))
apart = symbol("apart")
N4 = symbol("N4")
betaminus, betaplus = map(symbol, ("betaminus", "betaplus"))
spread = symbol("spread")
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
        "k": "number of steps taken",
        "h": "largest norm of a state h_{i,l}, at the times from 2 on",
        "p": "the smaller of the probabilities of an open and a closed gate",
        "rho_": "n L d log m, d the number of outputs",
        "varrho": "n L d log(m/eps)/delta, d the number of outputs",
        "rows": "number of neurons of the set, or of which one direction is drawn again, N in the paper",
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
        "g1": "largest entry of g_1 in size, times sqrt(m)",
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
        "kerlim": "least eigenvalue of the limiting tangent kernel of the sequences, per neuron and for one output",
        "away": "how far a step leaves the outputs at most from where that kernel sends them, over eta times errors",
        "growth": "||B||^2 ||h_1||^2, by which share of its error a unit step moves the output of one sequence at most",
        "rise": "largest factor by which a step on a batch raises f, by the kernel, over batches and errors",
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


# ------------------------------------------------------------------ Section 2, setting

definition_2_2 = Bound(1, note="1 plus the relative distance of the two sides")

rho_at_least_one = Premise(
    rho >= 1,
    source="allenzhu2018rnn, Assumption 2.4",
    note="problem size of at least 1; n, L, d and log(m) are, for m >= 3",
)

fact_2_5 = Bound(0, note="on the closed form of the gradient less the derivative of f, or less the backward pass")

# ------------------------------------------------------------------ tails of sums (Appendices A.1 to A.3)

fact_A_2 = Bound(chance / 2, note="from below on Pr_X[E_Y f >= a chance/2]")
lemma_A_6 = Bound(exp(-(eps**2) * m / 100), note="on one tail of the norm of m rectified Gaussians")
lemma_A_8 = Bound(2 * exp(-(eps**2) * m / 100), note="on both tails of the norm of m rectified Gaussians")
corollary_A_9 = Bound(
    10 * sqrt(log(2 / delta) / m), note="on the relative deviation eps for which 2 exp(-eps^2 m/100) = delta"
)

# ------------------------------------------------------------------ percentiles, gates, McDiarmid (A.4 to A.6)

fact_A_12 = Bound(1 - 2 * deviation / 3, note="on Pr[|x| >= deviation] for a Gaussian of variance 1")
fact_A_12_range = Premise(
    deviation <= 1, source="allenzhu2018rnn, Fact A.12", note="at most one standard deviation from 0"
)
lemma_A_13 = Bound(exp(-(alpha**2) * m / 100), note="on the chance that a Gaussian vector is not good")
lemma_A_13_corrected = Bound(2 * exp(-(alpha**2) * m / 100), note="the same, with the union over both signs")
lemma_A_13_range = Premise(
    2 * alpha < 1, source="allenzhu2018rnn, Lemma A.13", note="less than half of the coordinates small"
)
lemma_A_17_columns = Premise(
    d <= s, source="allenzhu2018rnn, Lemma A.17", note="at least as many entries chosen as the subspace has dimensions"
)
lemma_A_17_rows = Premise(s <= m, source="allenzhu2018rnn, Lemma A.17", note="no more entries chosen than neurons")
lemma_A_17_width = Premise(
    m >= 50, source="allenzhu2018rnn, Lemma A.17", note="width from 50 on, for the explicit constant"
)
lemma_A_18 = Bound(exp(-2 * deviation**2 / changes), note="on each tail of a function with bounded differences")
martingale_A_19 = Bound(
    exp(-(deviation**2) / (2 * variables * change**2)),
    note="on the lower tail of a martingale whose increments are at least, or at most in size, change",
)

# ------------------------------------------------------------------ norms along time, fresh randomness (B.1, B.2)


# All states are relu(M z) for z in the span of k = n (L - 1) + min(d, n L) columns of M = [W U, A], whose entries are
# independent N(0, 2/m) (footnote 13), and ||relu(u)|| is the maximum of <y, u> over y >= 0 of norm at most 1. So
# Chevet's and Gordon's inequalities bound the mean of the largest and of the least ||relu(M z)||/||z|| by
# sqrt(2/m) (E||relu(g)|| +- sqrt(k)), where E||relu(g)|| is at most sqrt(m/2) and, its variance being at most 1, at
# least sqrt(m/2 - 1). Both are Lipschitz in the entries with constant sqrt(2/m), so that each is off its mean by
# 2 sqrt(log(2/delta)/m) with probability at most delta/2. No net over z, and no union over samples and times.
# The inputs span at most n L dimensions.
_ROOT = sqrt(4 * n * L) + 2 * sqrt(log(2 / delta)) + 1

norms_width = Premise(
    m >= 16 * L**2 * _ROOT**2,
    source="allenzhu2018rnn, proofs of Claims B.4 and B.5",
    note="width against horizon and samples: m >= Omega(L^2 (n L log L + log n)) there, and a probability of 1 "
    "- exp(-Omega(m/L^2)), solved for m",
)


# ------------------------------------------------------------------ separation along time (Appendix B.3)

# alpha = 16 apart log m is the share of coordinates that the induction sets aside at a step.
separability_of_inputs_range = Premise(
    phi <= 1, source="allenzhu2018rnn, Assumption 2.1", note="separation of the inputs at most 1"
)
lemma_B_9_small = Premise(
    10**6 * L**2 * log(m) ** 3 * apart <= 1,
    source="allenzhu2018rnn, Lemma B.9",
    note="separability small against horizon and width",
)

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
    note="width against horizon and level; the printed chance exp(-Omega(m/L^2))",
)
lemma_B_11_sharp = Bound(
    C * sqrt(L),
    {"C": Constant(3, "(1 + sqrt(2)) sqrt(L) is above the limit for every L; a quarter more for finite widths")},
    note="on the operator norm of D_l W ... D_b W",
)

# ------------------------------------------------------------------ sparse and backward norms (B.5, B.6)

sparse_width = Premise(
    m >= C * L**2 * (s * log(m) + log(n * L**2 / delta)),
    {"C": Constant(1, "hidden in the paper")},
    source="allenzhu2018rnn, Lemmas B.14 and B.17",
    note="width against sparsity and horizon: the union over nets of sparse vectors, e^(O(s log m)), and over samples "
    "and times, against the chance of a single pair",
)
sparse_range_least = Premise(
    s >= m ** Rational(1, 6),
    source="allenzhu2018rnn, Corollary B.15",
    note="sparsity from below; s >= m^(-1/4) in print",
)
sparse_range_most = Premise(
    s <= m, source="allenzhu2018rnn, Corollary B.15", note="no more entries than neurons; s <= m^(1/6) in print"
)
corollary_B_15_sparsity = Premise(
    m >= C * L**2 * (s * log(m) ** 2 + log(n * L**2 / delta)),
    {"C": Constant(Rational(1, 2), "hidden in the paper; for the tails, which are e^(-Omega(m/L^2)) at least")},
    source="allenzhu2018rnn, Lemma B.14",
    note="sparsity against width and horizon: s <= m^(1/6)/(L log m) in the units of the paper, up to a constant; "
    "and width against level",
)
# An entry of variance 1 is beyond log m with probability m^(-log(m)/2) at most. The half of the exponent that C leaves
# is for the union over m neurons.
corollary_B_15_chance = Premise(
    s * log(m) ** 2 >= C * log(n * L**2 / delta),
    {"C": Constant(4, "hidden in the paper; half of the exponent of a single vector is for samples, times and level")},
    source="allenzhu2018rnn, Corollary B.15",
    note="level of failure within the printed exp(-Omega(s^2 m^(2/3) log(m)^2)), for all samples and times at once",
)
corollary_B_18 = Bound(sqrt(s) * log(m), note="s m^(1/3) log m in print, with s^2 m^(2/3) entries")

# ------------------------------------------------------------------ forward stability (Appendix C.1)

tau1, tau2 = map(symbol, ("tau1", "tau2"))


claim_C_4 = Bound(10 * (tau1 * m) ** Rational(2, 3), note="on ||D'||_0")
# The threshold of the proof, xi = tau1^(2/3)/(10^(1/3) m^(5/6)), times m.
claim_C_4_level = tau1 ** Rational(2, 3) * m ** Rational(1, 6) / 10 ** Rational(1, 3)
claim_C_4_sup = Premise(
    tau2 <= claim_C_4_level,
    source="allenzhu2018rnn, proof of Claim C.4",
    note="second part of the change small in every entry: it stays below the threshold xi",
)
claim_C_4_good = Premise(
    count <= 10 * claim_C_4_level * sqrt(m),
    source="allenzhu2018rnn, Definition A.14, in the proof of Claim C.4",
    note="few entries of size 2 xi at most",
)


# ------------------------------------------------------------------ rank-one perturbations (Appendix C.4)

# Beyond it the second loop brings tau^3 N/m^(3/2).
lemma_C_10_twice = Premise(
    tau**2 <= C * sqrt(m),
    {"C": Constant(2, "beyond it the loop is passed again: tau^3 N/m^(3/2)")},
    source="allenzhu2018rnn, proof of Lemma C.10",
    note="radius against the width, so that what W' changes of its own change is less",
)
lemma_C_10_loop = Premise(
    tau**2 <= C * rows,
    {"C": Constant(9, "beyond it W' meets its own change: the first term, of order tau^2 sqrt(N)/m")},
    source="allenzhu2018rnn, proof of Lemma C.10, first term",
    note="radius against the neurons drawn again, so that W' does not meet its own change",
)

# ------------------------------------------------------------------ indicators and backward coordinates (Appendix D)

# A fresh part of size r keeps a neuron within betaplus of its kink with probability 0.57 betaplus/r at most; the sum
# over the sequences and times is to be 1/4 at most. Of a sequence r is phi/2 at least, of a later time 3/(4 L).
lemma_D_4_threshold = Premise(
    5 * n * betaplus <= phi,
    source="allenzhu2018rnn, Lemma D.4",
    note="threshold small against separation and samples; betaplus = phi/rho^2 there",
)
lemma_D_5_threshold = Premise(
    4 * n * L**2 * betaplus <= 1,
    source="allenzhu2018rnn, Lemma D.5",
    note="threshold small against horizon and samples; betaplus = phi/rho^2 there",
)
lemma_D_3_threshold = Premise(
    betaminus <= 1,
    source="allenzhu2018rnn, Lemma D.3",
    note="lower threshold of at most 1; betaminus = phi/rho^10 there",
)
lemma_D_3_sharp_rows = Premise(
    betaminus * rows >= C * sqrt(L) * log(1 / delta),
    {"C": Constant(42, "by Chernoff's bound, as the count is to be 0.71 of its mean")},
    source="allenzhu2018rnn, Lemma D.3",
    note="a set large enough for the level of failure, by the number that is near the kink in the mean",
)

# Norms of states that repeat their input have a relative standard deviation of some 0.6 L/sqrt(m).
lemma_D_3_width = Premise(
    m >= C * L**2 * log(L / delta),
    {"C": Constant(12, "norms of states stay within a fifth, as those of repeated inputs add up")},
    source="allenzhu2018rnn, Lemma B.3",
    note="width against horizon and level, so that states have their norms",
)

lemma_D_7 = Bound(N4 / (2 * n * L), note="on the number of neurons of N_4 that are not in N_5")

# ------------------------------------------------------------------ randomness decomposition (Appendix E.1)

lemma_E_4_scale = Premise(
    2 * rho * theta <= 1,
    source="allenzhu2018rnn, Lemma E.4",
    note="scale of what is drawn again small against the problem size",
)

# ------------------------------------------------------------------ fake gradient (Appendices E.2 to E.4)

# In conditions on the width the logarithm counts as 1 at least: else one neuron, with log 1 = 0, would meet them.
_NLD_WIDE = n * L * outputs * Max(1, log(m))
theorem_5_width = Premise(
    m >= _NLD_WIDE**42 / phi**2,
    source="allenzhu2018rnn, Appendix E.4, (E.13)",
    note="width against the problem size: the sets of rho^22/beta_-^2 neurons that the proof draws are subsets "
    "of the m there are",
)
theorem_5_sharp_width = Premise(
    m * phi >= C * n * L * outputs * (1 + log(1 / delta)),
    {"C": Constant(10, "so that enough neurons tell each sequence from those near it")},
    source="allenzhu2018rnn, Theorem 5",
    note="width against samples, horizon, outputs and separation: a share phi/pi of the neurons has other gates at "
    "two sequences whose first inputs are phi apart",
)

lemma_E_6_width = Premise(
    m >= _NLD_WIDE**16 / phi,
    source="allenzhu2018rnn, Lemma E.6",
    note="width against the problem size: N has at least rho^6/beta_- neurons, and there are m",
)
lemma_E_7_sharp = Bound(
    c * phi * rows / (n ** Rational(1, 4) * outputs),
    {"c": Constant(Rational(1, 16), "crowds make 0.08 without the power of n; the rest is for sets such as are tried")},
    note="on the same sum",
)
lemma_E_7_sharp_rows = Premise(
    rows * phi >= C * n * L * outputs * (1 + log(1 / delta)),
    {"C": Constant(20, "so that enough neurons of N tell each sequence from those near it")},
    source="allenzhu2018rnn, Lemma E.7",
    note="neurons of the set against samples, horizon, outputs and separation, and against the chance to fail",
)


# ------------------------------------------------------------------ gradients near the initialisation (Appendix F)

# Of two near sequences m phi/pi neurons have other gates. That so many are left, with such entries of B, that the bound
# is missed has the chance e^(-1.2 (1 + log(1/delta))) at the least width, by the rate function; -0.5 at C = 100.
lemma_F_1_sharp_width = Premise(
    m * phi**3 >= C * tau**2,
    {
        "C": Constant(
            400, "0.3 phi^(3/2) gives two sequences the same gates; a sixth of it leaves two thirds that differ"
        )
    },
    source="allenzhu2018rnn, Lemma F.1",
    note="radius small against width and separation: a step of norm 0.3 phi^(3/2) gives two sequences at "
    "distance phi the same gates",
)
eq_F_1 = Bound(C * (tau * m) ** Rational(1, 3), {"C": Constant(1, "fitted")}, note="on the change of the fake gradient")

# ------------------------------------------------------------------ semi-smoothness (Appendix G)


# ------------------------------------------------------------------ gradient descent (Appendix H)

_OPEN = Constant(2, "open in the paper; the argument against it holds at every width")

theorem_1 = Bound(eps, note="on f(W^(T))")
theorem_1_width = Premise(
    m >= C * (n * L * outputs * log(m / eps) / phi) ** C,
    {"C": _OPEN},
    source="allenzhu2018rnn, Theorem 1 (restated)",
    note="width polynomial in the problem size, the separation and the accuracy",
)

RATE = Constant(Rational(1, 16), "crowds make 0.08 without the power of n")
RATE_OF_THE_LIMIT = Constant(Rational(1, 2), "1 in the limit; at the least widths what is drawn makes it 0.6 and more")
# At two times and one output the least eigenvalue of two near sequences is a sum of squares of B over the neurons that
# tell them apart, m phi/(sqrt(2) pi) in the mean where later inputs are alike. It is less than the share x of its limit
# with a chance of exp(-(1 + x/2 - 3/2 x^(1/3)) m phi/(sqrt(2) pi)): for 1/2 that is exp(-m phi/74.6), for 0.617
# exp(-m phi/141). Of one sequence, where phi is sqrt(2) at most, it is below a half with exp(-m/47.93).
_TOLD_APART = "neurons that tell two sequences apart, against outputs and level"
kernel_at_the_start_width = Premise(
    m * phi >= C * outputs * (1 + log(1 / delta)),
    {"C": Constant(80, "by the rate function, of near sequences, later inputs alike, and one output")},
    source="allenzhu2018rnn, Theorem 5",
    note=f"{_TOLD_APART}, so that the kernel at the start is half of its limit",
)
theorem_2_limit_width = Premise(
    m * phi >= C * outputs * (1 + log(1 / delta)),
    {"C": Constant(160, "by the rate function, as the variance of the batches takes 0.117 of the limit beside c")},
    source="allenzhu2018rnn, Theorem 2",
    note=f"{_TOLD_APART}, so that the kernel at the start is two thirds of its limit",
)
theorem_1_errors = Premise(
    m * phi**4 >= C * outputs * symbol("L0"),
    {"C": Constant(400, "the path is 4 sqrt(outputs L0/(phi m)) long; a fifth of what turns gates by Lemma F.1")},
    source="allenzhu2018rnn, Appendix H, (H.1)",
    note="errors at the start bounded against width and separation, so that the path stays where gates hold",
)

# ------------------------------------------------------------------ stochastic descent (Appendix I)

theorem_2 = theorem_1
theorem_2_width = theorem_1_width
footnote_3_common = Premise(
    spread <= 0, source="allenzhu2018rnn, footnote 3", note="a common minimiser: all f_i have that of f"
)

# ------------------------------------------------------------------ numbers and chains of conditions


eq_E_12_order = Bound(rho**42 / phi**2, source="allenzhu2018rnn, Appendix E.4, eq. (E.13)")

theorem_1_step_order = Bound(phi / (rho**44 * m), source="allenzhu2018rnn, Appendix H, Theorem 1 (restated)")
theorem_1_iterations_order = Bound(rho**59 / phi**2, source="allenzhu2018rnn, Appendix H, Theorem 1 (restated)")
theorem_2_step_order = Bound(phi / (rho**12 * m), source="allenzhu2018rnn, Appendix I, Theorem 2 (restated)")
theorem_2_step_order_proof = Bound(
    phi / (rho**42 * m),
    note="as the end of the proof has it",
    source="allenzhu2018rnn, Appendix I, end of the proof of Theorem 2 (restated)",
)
theorem_2_iterations_order = Bound(rho**57 / phi**2, source="allenzhu2018rnn, Appendix I, Theorem 2 (restated)")

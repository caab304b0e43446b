"""Formula sheet of Zou, Cao, Zhou and Gu (2018), SGD for over-parameterised deep ReLU networks.

Each name is a statement of the paper: ``lemma_A_7`` is its bound, ``lemma_A_7_width`` one of its premises.
`_sharp` is a tighter bound that the same argument gives, `_printed` and `_corrected` tell two readings apart
where the printed one is false. Bounds are on the quantity that the statement names; where a loss derivative
enters, it enters with its absolute value, so that each bound is non-negative unless its note says otherwise.

m is the width that the statement speaks of (least width, width of the layer, or width of the last layer).
"""

from sympy import E, Max, Min, Rational, acos, exp, log, pi, sqrt

from bounds.bound import Bound, Constant
from bounds.premise import Premise
from bounds.symbols import declare, state_meanings, symbol

m, n, L, M, d, l, s, B, K, k = map(symbol, ("m", "n", "L", "M", "d", "l", "s", "B", "K", "k"))  # noqa: E741
delta, phi, phi_pm, tau, beta_ = map(symbol, ("delta", "phi", "phi_pm", "tau", "beta_"))
theta, alpha, eps, eta, t, clock = map(symbol, ("theta", "alpha", "eps", "eta", "t", "clock"))
rho, lam, p, alpha0, alpha1, L0, ell0 = map(symbol, ("rho", "lam", "p", "alpha0", "alpha1", "L0", "ell0"))
S1, S1abs = map(symbol, ("S1", "S1abs"))
x, a, b, r, dout, count = map(symbol, ("x", "a", "b", "r", "dout", "count"))
answers = declare("answers", "nodes that respond to all coefficients", "integer >= 0")
prodW, normsq, mean_sq, Gam_l, SumGam = map(symbol, ("prodW", "normsq", "mean_sq", "Gam_l", "SumGam"))
normW, normX, norma, maxa = map(symbol, ("normW", "normX", "norma", "maxa"))
C, C0, C1, C2, Cbar, c, c0, kappa = map(symbol, ("C", "C0", "C1", "C2", "Cbar", "c", "c0", "kappa"))

state_meanings(
    "zou2018",
    {
        "m": "width: least, of the layer named, or of the last layer, as the statement says",
        "eps": "value of the training loss, which the theorems say is reached",
        "mesh": "radius of the balls of a covering",
        "clock": "time, in which the rates of Lemmas 5.6 and 5.8 count",
        "M": "largest width",
        "z": "derivative of the training loss in one weight",
        "phi_pm": "signed separation: least distance of an input from another input or its antipode",
        "tau": "radius of the perturbation region around the initial weights, operator norm per layer",
        "theta": "chord between two unit vectors",
        "alpha": "correlation of two Gaussians",
        "rho": "Lipschitz constant of the loss",
        "lam": "smoothness constant of the loss",
        "p": "exponent of the loss: its slope is at least its p-th power, up to a factor",
        "alpha0": "least slope of the loss left of its knee",
        "alpha1": "factor of the p-th power of the loss right of its knee",
        "L0": "training loss at initialisation",
        "ell0": "loss at margin zero",
        "S1": "sum of the loss derivatives over the samples",
        "S1abs": "sum of the absolute loss derivatives over the samples",
        "SBabs": "sum of the absolute loss derivatives over a mini-batch",
        "r": "norm of a layer output",
        "D": "norm of a difference of pre-activations",
        "dinput": "norm of the difference of the inputs of a layer",
        "dout": "largest difference of an output, where the loss is expanded",
        "prodW": "product of the operator norms of the other layers",
        "normW": "largest operator norm of a layer",
        "normsq": "squared Frobenius norm of a layer gradient",
        "Gam_l": "sparse supremum of the backward vector at one layer",
        "SumGam": "weighted sum of the sparse suprema above that layer",
        "C0": "absolute constant of the flip term",
        "C1": "absolute constant of the norm threshold",
        "C2": "absolute constant of a share of the nodes",
        "Cbar": "large absolute constant of a premise",
        "c0": "absolute constant of the gradient lower bound",
        "kappa": "small absolute constant of a premise",
        "normX": "largest psi norm of the terms of a sum, by moments as in Vershynin (2010)",
    },
)

_HALF, _THIRD, _TWO_THIRDS = Rational(1, 2), Rational(1, 3), Rational(2, 3)

_HIDDEN = Constant(
    1,
    "the paper only says 'large enough'; with 1 the region is the largest one it may mean, so that what is "
    "empty or out of reach with 1 is so with every larger constant",
)

# ------------------------------------------------------------------ Section 3, setting

fact_gradient = Bound(
    0,
    source="zou2018, Section 3.4",
    note="difference of the closed form of a layer gradient and the derivative, and of <W_l, grad> and f",
)
assumption_3_7_widest = Premise(m <= M, source="zou2018, Assumption 3.7", note="no layer wider than M")
assumption_3_7_narrowest = Premise(2 * m >= M, source="zou2018, Assumption 3.7", note="layers of like widths")
assumption_3_7 = (assumption_3_7_widest, assumption_3_7_narrowest)

# ------------------------------------------------------------------ norms at initialisation

# ||x_l||^2 / ||x_{l-1}||^2 has the law of (1/m) sum of m copies of X = 2 g^2 1{g > 0}, g standard Gaussian.
# With the rates I(+-e) = sup_s s (1 +- e) - log(1/2 + (1 - 4 s)^(-1/2) / 2) Chernoff's bound gives the
# failure rate exp(-m I(e)) + exp(-m I(-e)) per layer and sample. On 0 < e <= 1 the largest e / sqrt(I(+-e))
# is 3.9336, at e = 1 on the upper side. For e = C sqrt(log(nL/delta)/m) the union over nL events therefore
# fails with probability at most 2 nL (delta/(nL))^((C/3.9336)^2), which is at most delta for (C/3.9336)^2 = 2
# and nL/delta >= 2.
lemma_A_1 = Bound(
    C * sqrt(log(n * L / delta) / m),
    {
        "C": Constant(
            Rational(557, 100),
            "at least sqrt(2) * 3.9336, from the exact rate function of a layer's squared norm ratio and a "
            "union over samples, layers and both sides; needs nL/delta >= 2",
        )
    },
    note="on | ||x_l||^2 / ||x_{l-1}||^2 - 1 |; the absolute value is missing in print",
)
lemma_A_1_width = Premise(
    m >= C**2 * log(n * L / delta),
    lemma_A_1.constants,
    source="zou2018, Lemma A.1",
    note="width against layers and samples, in the logarithm",
)
lemma_A_1_level = Premise(
    n * L >= 2 * delta,
    source="zou2018, Lemma A.1",
    note="failure probability at most half the number of norms, for the explicit constant",
)
lemma_A_1_expectation = Bound(1, note="mean of ||x_l||^2 / ||x_{l-1}||^2")

# With e the bound of Lemma A.1, (1 - e)^(l/2) <= ||x_l|| <= (1 + e)^(l/2). Let l e <= 1/2. Above, with y = l
# e / 2 <= 1/4, (1 + e)^(l/2) - 1 <= exp(y) - 1 <= 4 (exp(1/4) - 1) y < 0.569 l e. Below, Bernoulli gives 1 -
# (1 - e)^(l/2) <= l e / 2 for l >= 2, and for l = 1 1 - sqrt(1 - e) = e / (1 + sqrt(1 - e)), at most e / (1 +
# sqrt(1/2)) = (2 - sqrt(2)) e. So 2 - sqrt(2) = 0.586 serves for both sides and all l.
corollary_A_2 = Bound(
    C * l * sqrt(log(n * L / delta) / m),
    {
        "C": Constant(
            (2 - sqrt(2)) * lemma_A_1.constants["C"].value,
            "2 - sqrt(2) times the constant of Lemma A.1, from ||x_l||^2 as a product of l ratios, where l "
            "times the bound of that lemma is at most 1/2",
        )
    },
    note="on | ||x_l|| - 1 |; linear in l only where m is at least of order L^2 log(nL/delta)",
)
corollary_A_2_width = Premise(
    m >= (2 * L * C / (2 - sqrt(2))) ** 2 * log(n * L / delta),
    corollary_A_2.constants,
    source="zou2018, Corollary A.2",
    note="width against depth: L times the bound of Lemma A.1 is at most 1/2; in print the premise of that "
    "lemma stands here",
)

# The logarithms of the ratios add up like a random walk, so the deviation grows like sqrt(l). Chernoff's
# bound with the exact moments, and a union over layers, samples and both sides, stays below 0.15 delta for
# this C at n from 1 to 64, L from 1 to 256, delta from 1/2 to 1e-60 and widths from the least admitted to
# 100 times that, up to 9000.
corollary_A_2_sharp = Bound(
    C * sqrt(l * log(n * L / delta) / m),
    {"C": Constant(Rational(5, 2), "open in the paper; suffices by Chernoff's bound with exact moments")},
    note="on | ||x_l|| - 1 |; with the square root of the layer, a width linear in the depth is enough",
)
corollary_A_2_sharp_width = Premise(
    m >= C**2 * L * log(n * L / delta),
    corollary_A_2_sharp.constants,
    source="zou2018, Corollary A.2",
    note="width against depth",
)

theorem_5_1_i_norm = Bound(Rational(3, 2), note="on ||x_l||")
theorem_5_1_i = Bound(Rational(7, 2), note="on ||W_l||_2; at l = 1 it needs d <= 2.17 m")
# Norms: for the width below, Ville's inequality with the exact moments of the ratios gives
# n P(some ||x_l|| > 3/2) <= delta/2. Weights, fan-in 2 m: the largest singular value exceeds 7/2 with
# probability about exp(-0.022 m), from the upper tail of its edge law; the corollary cited asks for 543 in
# place of 50.
theorem_5_1_i_outputs_width = Premise(
    m >= Cbar * L * log(2 * n * L / delta),
    {"Cbar": Constant(16, "keeps all layer norms below 3/2 at level delta/2, by their exact law")},
    source="zou2018, Theorem 5.1(i)",
    note="width against depth; implied by (5.1) with a large constant",
)
theorem_5_1_i_layers_width = Premise(
    m >= Cbar * log(2 * L / delta),
    {"Cbar": Constant(50, "keeps the norm of a layer with fan-in 2 m below 7/2, by its edge law")},
    source="zou2018, Theorem 5.1(i)",
    note="width against the number of layers; implied by (5.1) with a large constant",
)
theorem_5_1_i_dimension = Premise(
    d <= 2 * m,
    source="zou2018, Theorem 5.1(i)",
    note="input dimension against width; missing in print: Assumption 3.7 for the input, false beyond (7/(2 "
    "sqrt(2)) - 1)^2 m = 2.175 m",
)
fact_vershynin_5_35 = Bound(
    sqrt(2 / m) * (sqrt(d) + sqrt(m) + t),
    source="zou2018, Theorem 5.1(i), citing Vershynin (2010), Corollary 5.35",
    note="on ||W_l||_2 for a layer from width d to width m, but for probability 2 exp(-t^2/2)",
)

# ------------------------------------------------------------------ separation at initialisation

# E - 1/2 + theta^2/4 over theta^3 grows in theta from 1/(6 pi) to 1/16 at theta = 2, where E = 0.
lemma_A_3 = Bound(
    _HALF - theta**2 / 4 + C * theta**3,
    {"C": Constant(Rational(1, 16), "largest value of the remainder over theta^3, taken at theta = 2")},
    note="on E[relu(Z1) relu(Z2)]",
)
eq_A_1 = Bound(
    alpha / 2
    + (1 - alpha**2) ** Rational(3, 2) / (2 * pi)
    - alpha / (2 * pi) * (acos(alpha) - alpha * sqrt(1 - alpha**2)),
    source="zou2018, eq. (A.1)",
    note="E[relu(Z1) relu(Z2)] at correlation alpha, exactly",
)
eq_A_2 = Bound(
    (a - b) ** 2 + a * b * (phi**2 - 4 * C * phi**3),
    lemma_A_3.constants,
    source="zou2018, eq. (A.2)",
    note="below E||x_{l,i} - x_{l,j}||^2; norms a, b and normalised distance phi are of one layer down",
)
lemma_A_4 = Bound((1 - log(2) / (2 * L)) ** l * phi, note="below the distance of two normalised layer outputs")
# A layer of width m shrinks a distance phi below (1 - log(2)/(2L)) phi with probability exp(-m I) to leading
# order, I the rate of `bounds.laws.shrinkage`. The union over pairs and layers asks for m I >= log(n^2 L/delta),
# and the largest phi^4/(L^4 I) over all depths and phi <= min(kappa/L, 2) is 90.4, at L = 1 and phi = 1.68.
lemma_A_4_separation = Premise(
    phi <= kappa / L,
    {
        "kappa": Constant(
            Rational(7, 3),
            "at infinite width a layer loses at most 85 percent of what the bound allows; at 2.81 it "
            "is 100, and no finite width would do",
        )
    },
    source="zou2018, Lemma A.4",
    note="separation small against depth",
)
lemma_A_4_width = Premise(
    m >= Cbar * L**4 * phi ** (-4) * log(4 * n**2 * L / delta),
    {
        "Cbar": Constant(
            91, "the largest phi^4/(L^4 I) over phi L <= 7/3, I the rate at which one layer shrinks too much"
        )
    },
    source="zou2018, Lemma A.4",
    note="width against separation and depth",
)
lemma_A_4_infinite_width_separation = Premise(
    phi <= kappa / L,
    {
        "kappa": Constant(
            Rational(14, 5), "at infinite width the bound holds up to phi L = 2.814 at L = 2, further at other depths"
        )
    },
    source="zou2018, Lemma A.4",
    note="separation small against depth, at infinite width",
)
corollary_A_5_infinite_width_separation = Premise(
    phi <= kappa / L,
    {
        "kappa": Constant(
            Rational(34, 5),
            "at infinite width half of the distance is left up to phi L = 6.888 at L = 4, further at "
            "other depths, and up to 3 pi in deep networks",
        )
    },
    source="zou2018, Corollary A.5",
    note="separation small against depth, at infinite width",
)
corollary_A_5 = Bound(
    phi / 2, source="zou2018, Corollary A.5", note="below the distance of two layer outputs (Theorem 5.1(ii))"
)
fact_A_5_scalar = Bound(exp(-x), note="below 1 - x/2")

# ------------------------------------------------------------------ output and small pre-activations

# Given the last hidden input, of norm r, the output is centred and sqrt(m) r-Lipschitz in the last weights,
# whose entries have variance 2/m: P(|f| > t) <= 2 exp(-t^2 / (4 r^2)), then a union over the samples.
lemma_A_6 = Bound(
    2 * r * sqrt(log(2 * n / delta)),
    {"r": Constant(Rational(3, 2), "Theorem 5.1(i): norm of a layer output; a measured norm may take its place")},
    source="zou2018, Lemma A.6",
    note="on |f(x_i)| (Theorem 5.1(iii)); the probability is conditional on the norm bound",
)
lemma_A_6_width = Premise(
    m >= Cbar * L**2 * log(n * L / delta),
    {
        "Cbar": Constant(
            1,
            "with the sharp form given the last hidden norm, and the exact law of that norm, the bound fails "
            "with at most a fifth of the probability allowed",
        )
    },
    source="zou2018, Lemma A.6",
    note="width against depth; missing in print, and without it the output of a deep network has heavier tails "
    "than the bound",
)
# Let D be the difference of two independent rectified standard Gaussians, and F their distribution function before
# that. E[exp(a D)] <= exp(a^2/2) comes down to 2 F(a) - 1 >= 1 - exp(-a^2/2): a Gaussian vector in the plane is
# longer than its first entry. The output is r sqrt(2/m) times the sum of m/2 such D, so that it is r-sub-Gaussian.
lemma_A_6_sharp = Bound(
    r * sqrt(2 * log(2 * n / delta)),
    source="zou2018, proof of Lemma A.6",
    note="on |f(x_i)|, with the norm r = ||x_{L-1,i}|| found; at every width and depth",
)

# The count is binomial with mean at most mu = (2/sqrt(pi)) m^(3/2) beta where ||x_{l-1}|| >= 1/2. Chernoff:
# P(count >= 2 m^(3/2) beta) <= exp(-0.27311 m^(3/2) beta), 0.27311 = log(pi) - 2 + 2/sqrt(pi), which over nL
# counts is at most delta/2 once m^(3/2) beta >= 2 log(nL/delta) / 0.27311, as log(2nL/delta) <= 2
# log(nL/delta). Norms: P(ratio <= 1 - e) <= exp(-m e^2/10), the lower side of Lemma A.1's comment, where e /
# sqrt(I(-e)) <= sqrt(10); over nL ratios it is at most delta/2 for e = sqrt(20 log(nL/delta)/m), and e <= 1/L
# keeps all norms above 1/2.
lemma_A_7 = Bound(
    2 * m ** Rational(3, 2) * beta_,
    note="on the number of pre-activations of a layer within beta of zero (Theorem 5.1(iv)); m is its width",
)
lemma_A_7_width = Premise(
    m >= Cbar * (log(n * L / delta) / beta_) ** _TWO_THIRDS,
    {
        "Cbar": Constant(
            Rational(378, 100), "at least (2/0.27311)^(2/3): Chernoff's bound on the count at norm 1/2, level delta/2"
        )
    },
    source="zou2018, Lemma A.7",
    note="width against the threshold",
)
lemma_A_7_norms_width = Premise(
    m >= Cbar * L**2 * log(n * L / delta),
    {"Cbar": Constant(20, "keeps all layer norms above 1/2 at level delta/2, by the lower rate of a norm ratio")},
    source="zou2018, Lemma A.7",
    note="width against depth, for the layer norms",
)
lemma_A_7_level = Premise(
    n * L >= 2 * delta,
    source="zou2018, Lemma A.7",
    note="failure probability at most half the number of counts, for the explicit constants",
)

# ------------------------------------------------------------------ masked products at initialisation

lemma_A_8 = Bound(
    C * L,
    {
        "C": Constant(
            4,
            "open in the paper; at equal widths the norm is near sqrt(2 e (L + 1)), below 2.1 L from L = 2: "
            "about twice what is found there",
        )
    },
    source="zou2018, Lemma A.8",
    note="on the operator norm of a masked product (Theorem 5.1(v))",
)
lemma_A_8_width = Premise(
    m >= Cbar * log(n * L**2 / delta),
    {"Cbar": _HIDDEN},
    source="zou2018, Lemma A.8",
    note="width, for a union bound over pairs of layers",
)
# ||x_L||^2/||x_0||^2, which the squared norm of the whole product exceeds, is a product of L ratios of variance 5/m
# each. It is above (4 L)^2 with probability about exp(-(2 log(4 L))^2 m/(10 L)), below delta/(n L^2) for this width,
# as 0.4 log(4 L)^2 >= 1. At a width of log(n L^2/delta) alone its tail falls like 1/t beyond some depth: for L = 64,
# n = 1, delta = 3.2e-7 and m = 24 a norm above 4 L has a chance of 5.7e-7.
lemma_A_8_ceiling = Bound(
    Rational(7, 2) ** L,
    source="zou2018, Theorem 5.1(i)",
    note="the product of the norms of the factors, whatever the masks",
)
lemma_A_9 = Bound(
    C * L * sqrt(s * log(M)),
    {
        "C": Constant.above(
            2, attacked=1.6, seeds="tried", why="open in the paper; suprema over sqrt(s log M) at depths 2 to 8"
        )
    },
    source="zou2018, Lemma A.9",
    note="on the supremum of the backward vector over unit s-sparse vectors (Theorem 5.1(vi))",
)
lemma_A_9_ceiling = Bound(
    lemma_A_8_ceiling.expr * sqrt(M),
    source="zou2018, Theorem 5.1(i)",
    note="on the norm of a backward vector, sparse or not",
)
lemma_A_9_sparsity = Premise(
    s >= Cbar * log(n * L / delta),
    {"Cbar": _HIDDEN},
    source="zou2018, Lemma A.9",
    note="sparsity from below; Theorem 5.1 has L^2 in the logarithm",
)

# ------------------------------------------------------------------ nodes that see every combination

# Flip the sign of <w, z_1>, where |a_1| is largest: one of the two sums has norm >= |a_1|/2 unless another
# gate turns. With |<w, z_1>| <= t = (sqrt(pi)/4) phi_pm/n another gate turns with probability at most n
# sqrt(2/pi) t / phi_pm = 0.354, and P(|<w, z_1>| <= t) >= 0.29 phi_pm/n: half of 0.646 times that exceeds
# 0.08.
lemma_A_11 = Bound(
    C * phi / n,
    {"C": Constant(Rational(2, 25), "open in the paper; that of the corrected form")},
    source="zou2018, Lemma A.11, quoting Li and Liang (2018), Lemma A.3",
    note="below the probability that the gated sum is at least the threshold; false for antipodal inputs",
)
lemma_A_11_threshold = Bound(
    C * a * phi / n,
    {"C": _HIDDEN},
    source="zou2018, Lemma A.11",
    note="threshold on the norm of the gated sum; a is the largest |a_i|",
)
lemma_A_11_corrected = Bound(
    c * phi_pm / n,
    {"c": Constant(Rational(2, 25), "from the flip of one gate at |<w, z_1>| <= (sqrt(pi)/4) phi_pm/n")},
    source="zou2018, Lemma A.11, corrected",
    note="with the distance to antipodes counted as well, and the threshold a/2",
)
lemma_A_10_width = Premise(
    m >= Cbar * n**2 / phi * log(4 * n**2 / phi),
    {"Cbar": _HIDDEN},
    source="zou2018, Lemma A.10",
    note="width of the last layer against samples and separation",
)
# For L >= 2, where hidden vectors are non-negative and at least phi/2 apart, so that antipodes do not matter: a node
# is good with probability 0.08 (phi/2)/n, half as many are good at once, and its sum is at least r/(2n) >= 1/(4n) >=
# phi/(8 n^2) times the largest |a_i|.
lemma_A_10 = Bound(
    C2 * m * phi / n,
    {"C2": Constant(Rational(1, 50), "half of 0.08/2: half the mean count, at separation phi/2 (Corollary A.5)")},
    source="zou2018, Lemma A.10",
    note="below the number of nodes that respond, for all coefficients; false for one hidden layer",
)
lemma_A_10_threshold = Bound(
    C1 * a * phi / n**2,
    {"C1": Constant(Rational(1, 8), "1/(4n) >= phi/(8 n^2) for phi <= 2, from the corrected Lemma A.11 at L >= 2")},
    source="zou2018, Lemma A.10",
    note="on the norm of a node's sum, over n; a is the largest |a_i|",
)
# No node tells two points apart with probability exp(-m times their angle/pi) at most, for each pair. Within phi <=
# kappa/L it keeps the layers as well: m >= 4 n L log(n/delta), where log(||x_l||^2) has a variance of 5 L/m.
lemma_B_5_nodes = Premise(
    m * phi >= C * n * log(n / delta),
    {"C": Constant(10, "a pair that no node tells apart has then a power above 1 of delta/n, at separation phi/4")},
    source="zou2018, Lemma B.5",
    note="nodes enough to tell the nearest points apart; missing in print",
)
lemma_B_5_corrected_nodes = Premise(
    lemma_B_5_nodes.relation.subs(phi, phi_pm),
    lemma_B_5_nodes.constants,
    source="zou2018, Lemma B.5, corrected",
    note="nodes enough to tell the nearest points and antipodes apart; missing in print",
)
lemma_A_10_failure = Bound(
    exp(-c * m * phi_pm / n),
    {"c": Constant(Rational(1, 100), "Chernoff's bound for half of a mean count of 0.08 m phi_pm/n: mean/8")},
    source="zou2018, Lemma A.10",
    note="failure probability; twice printed with the sign lost in the proof",
)
lemma_A_10_corrected_width = Premise(
    lemma_A_10_width.relation.subs(phi, phi_pm),
    lemma_A_10_width.constants,
    source="zou2018, Lemma A.10, corrected",
    note="width of the last layer against samples and signed separation",
)

# ------------------------------------------------------------------ Theorem 5.1 as a whole

premise_5_1_width = Premise(
    m
    >= Cbar
    * Max(
        L**4 * phi ** (-4) * log(n**2 * L / delta),
        (log(n * L / delta) / beta_) ** _TWO_THIRDS,
        n**2 / phi * log(n**2 / phi),
    ),
    {"Cbar": _HIDDEN},
    source="zou2018, eq. (5.1)",
    note="width against threshold, depth, separation and samples",
)
premise_5_1_sparsity = Premise(
    s >= Cbar * log(n * L**2 / delta), {"Cbar": _HIDDEN}, source="zou2018, eq. (5.1)", note="sparsity from below"
)
premise_5_1_separation = Premise(
    phi <= kappa / L,
    lemma_A_4_separation.constants,
    source="zou2018, Theorem 5.1",
    note="separation small against depth, as in Lemma A.4",
)

# At one layer the distance of two outputs is below phi/2 with probability exp(-0.097 m) at most, for every phi, where
# the first term of (5.1) is of order 1/phi^4; n^2 pairs at 50 log leave a power above 4 of delta. A layer of fan-in 2 m
# takes exp(-0.022 m), the power 1.1.
theorem_5_1_chance_width = Premise(
    m >= Cbar * log(4 * n**2 * L / delta),
    {"Cbar": Constant(50, "keeps the norms of layers and the distances of outputs, by their rates at one layer")},
    source="zou2018, Theorem 5.1",
    note="width against chance; missing in print, where the first term of (5.1) is small for far points",
)

# The width condition of (5.1) for the threshold 4^L tau^(2/3) / sqrt(m) that the proofs take.
remark_5_2_width = Premise(
    m >= Cbar * tau ** (-_TWO_THIRDS) * 4 ** (-L) * log(n * L / delta),
    {"Cbar": _HIDDEN},
    source="zou2018, Remark 5.2",
    note="width against the radius: a lower bound on the radius, at fixed width",
)

# ------------------------------------------------------------------ perturbation region

theorem_5_3_radius = Premise(
    tau <= _HALF,
    source="zou2018, Theorem 5.3",
    note="radius small enough: what 7/2 + tau <= 4 needs; the paper says 'small enough'",
)
theorem_5_3_i = Bound(4, note="on the operator norm of a perturbed layer")

theorem_5_3_i_norms = Premise(
    normW <= theorem_5_1_i.expr,
    source="zou2018, Theorem 5.1(i)",
    note="layers of bounded operator norm, before the perturbation",
)

lemma_B_1 = Bound(
    C * 4**L * L * (sqrt(s * log(M)) + sqrt(M) * tau),
    {
        "C": Constant(
            Rational(7, 6) * lemma_A_9.constants["C"].value,
            "7/6 times the constant of Lemma A.9: in the telescoped sum 1 + sum_t (7/2) 4^(t-l) <= (7/6) 4^L",
        )
    },
    note="on the sparse supremum of the perturbed backward vector, with at most s flips in each layer",
)
lemma_B_1_certified = Bound(
    Gam_l + SumGam + 2 * sqrt(m) * tau * (4 ** (L - l + 1) - Rational(7, 2) ** (L - l + 1)),
    source="zou2018, proof of Lemma B.1",
    note="with measured suprema: SumGam is the sum over t from l to L of (7/2) 4^(t-l) Gamma_{t+1}, and "
    "Gamma_{L+1} is sqrt(s); m is the width of the last layer",
)
lemma_B_1_response = Premise(
    Gam_l <= lemma_A_9.expr,
    lemma_A_9.constants,
    source="zou2018, Theorem 5.1(vi)",
    note="small response of the output to sparse changes, at every level, before the perturbation",
)
lemma_B_1_ceiling = Bound(
    (Rational(7, 2) + tau) ** L * sqrt(M),
    source="zou2018, Theorem 5.3(i)",
    note="what weights of norm 7/2 + tau cannot exceed, whatever the masks",
)
theorem_5_3_iv = Bound(
    C * 4**L * L * sqrt(s * log(m)) + 4**L * sqrt(m) * tau,
    {
        "C": Constant(
            lemma_A_9.constants["C"].value, "one letter in print for this constant and that of Theorem 5.1(vi)"
        )
    },
    note="as printed: nothing ties the sparsity to the number of flips",
)
# The flips and the response before them make (7/6) 4^L times the bound of Lemma A.9, as in Lemma B.1. The steps make
# sqrt(m_L) tau times the sum over t of (7/2)^(L-t) (7/2 + tau)^(t-l), which for tau <= 1/10 is below L (18/5)^(L-1) and
# that below 4^L: L/3.6 times 0.9^L is at most 0.97, at L = 9.
theorem_5_3_iv_corrected = Bound(
    C * 4**L * L * sqrt(s * log(M)) + 4**L * sqrt(M) * tau,
    lemma_B_1.constants,
    source="zou2018, Theorem 5.3(iv), corrected",
    note="for a sparsity of at least the number of flips in each layer",
)
theorem_5_3_iv_corrected_radius = Premise(
    tau <= kappa,
    {
        "kappa": Constant(
            Rational(1, 10), "keeps the coefficient of sqrt(M) tau below 4^L at every depth; at 1/2 it is 4^L up to 5"
        )
    },
    source="zou2018, Theorem 5.3",
    note="radius small enough",
)


lemma_B_2 = Bound(
    8**L * tau / 7,
    note="on the change of a layer output (Theorem 5.3(ii)); the recursion in print sums to four times this",
)
# d_1 <= tau and d_l <= (3/2) tau + 4 d_{l-1}, as the ReLU is 1-Lipschitz.
lemma_B_2_sharp = Bound((3 * 4 ** (l - 1) - 1) * tau / 2, note="at layer l; proved, and below the printed bound")
lemma_B_2_norms = Premise(
    normW <= theorem_5_3_i.expr,
    source="zou2018, proof of Lemma B.2",
    note="layers of bounded operator norm, after the perturbation",
)
lemma_B_2_outputs = Premise(
    r <= theorem_5_1_i_norm.expr,
    source="zou2018, Theorem 5.1(i)",
    note="layer outputs of bounded norm; the proof is content with 2",
)
lemma_B_2_ceiling = Bound(
    4**l + Rational(3, 2),
    source="zou2018, proof of Lemma B.2",
    note="the norms of both outputs together, however far the perturbation goes",
)
eq_B_3 = Bound(8**L * tau, source="zou2018, eq. (B.3)", note="on the change of the pre-activations of a layer")

lemma_B_3 = Bound(
    3 * 4**L * m * tau**_TWO_THIRDS, note="on the number of flips in a layer of width m (Theorem 5.3(iii))"
)
lemma_B_3_threshold = Bound(
    4**L * tau**_TWO_THIRDS / sqrt(m), source="zou2018, proof of Lemma B.3", note="the beta that the proof takes"
)
lemma_B_3_nontrivial = Premise(
    3 * 4**L * tau**_TWO_THIRDS < 1,
    source="zou2018, Lemma B.3",
    note="radius small enough for the bound to be below the number of neurons",
)
lemma_B_3_count = Premise(
    count <= 2 * m ** Rational(3, 2) * beta_,
    source="zou2018, Theorem 5.1(iv)",
    note="few small pre-activations, at the beta that the proof takes; m is the width of the layer",
)
# In the first layer the k-th smallest of m Gaussian pre-activations of variance 2/m is near k sqrt(pi) /
# m^(3/2), and flipping k of them costs the root of the sum of their squares.
lemma_B_3_exponent = Bound(
    C * m * tau**_TWO_THIRDS,
    {"C": Constant((3 / pi) ** _THIRD, "what the best step flips in the first layer, as m grows and tau falls")},
    note="on the number of flips in the first layer, with the exponents of the printed bound",
)
lemma_B_4 = Bound(
    3 * n * 4**L * m * tau**_TWO_THIRDS, note="on the number of nodes of the last layer that flip for some sample"
)
lemma_B_4_exponent = Bound(
    C * n * m * tau**_TWO_THIRDS,
    lemma_B_3_exponent.constants,
    note="on the number of nodes of the first layer that flip for some of n samples, attained by orthogonal ones",
)

# ------------------------------------------------------------------ gradients in the region

lemma_B_5_radius = Premise(
    tau
    <= Min(
        C2 ** Rational(3, 2) * phi ** Rational(3, 2) / (4 ** (Rational(3, 2) * (L + 2)) * n**3),
        Rational(7, 2) * C1 * phi / (8**L * n**2),
    ),
    {**lemma_A_10_threshold.constants, **lemma_A_10.constants},
    source="zou2018, Lemma B.5",
    note="radius small against separation and samples; the main text leaves out phi^(3/2)",
)
lemma_B_5 = Bound(
    c0 * m * phi**3 / n**7 * S1**2,
    {
        "c0": Constant(
            lemma_B_5_radius.constants["C2"].value * lemma_B_5_radius.constants["C1"].value ** 2 / 8,
            "C2 C1^2 / 8, as the proof defines it",
        )
    },
    source="zou2018, Lemma B.5",
    note="below the squared Frobenius norm of the gradient in the last layer, of width m (Theorem 5.3(v))",
)
theorem_5_3_v_radius = Premise(
    tau <= Cbar / (8**L * n**3),
    {"Cbar": _HIDDEN},
    source="zou2018, Theorem 5.3(v)",
    note="radius small against samples and depth; Lemma B.5 has phi^(3/2) besides",
)
theorem_5_3_v_responses = Premise(
    count >= lemma_A_10.expr,
    lemma_A_10.constants,
    source="zou2018, Theorem 5.1(vii)",
    note="many nodes that respond to the worst coefficients, of the same draw",
)
# For all parts at once. A sparse supremum is at most sqrt(s) times the largest entry, so that it covers every sparsity.
theorem_5_3_response = Premise(
    Gam_l <= C * L * sqrt(log(m)),
    lemma_A_9.constants,
    source="zou2018, Theorem 5.1(vi)",
    note="small response of the output to a change of one entry, at every level",
)
# With the flips of Lemma B.3 and the moves of Lemma B.2 within the radius of Lemma B.5, 13 of 16 of these nodes keep
# half of their sum: C2 C1^2/5 at least, where the bound has an eighth.
theorem_5_3_answers = Premise(
    answers >= lemma_A_10.expr,
    lemma_A_10.constants,
    source="zou2018, Theorem 5.1(vii)",
    note="many nodes that respond to the worst coefficients",
)
theorem_5_3_v_corrected_radius = Premise(
    tau <= C * phi ** Rational(3, 2),
    {"C": Constant(Rational(1, 10), "a seventh of the radius at which the gradient can vanish")},
    source="zou2018, Theorem 5.3(v), corrected",
    note="radius small against the separation",
)
# With one hidden layer z_i = x_i may have antipodes, and the corrected Lemma A.11 asks for a distance to them; its
# constants are then better than those above, as the x_i have norm 1 and keep all of their separation.
lemma_B_5_corrected = Bound(
    lemma_B_5.expr.subs(phi, phi_pm),
    lemma_B_5.constants,
    source="zou2018, Lemma B.5, corrected",
    note="also for one hidden layer, where the printed form fails",
)
lemma_B_5_corrected_radius = Premise(
    lemma_B_5_radius.relation.subs(phi, phi_pm),
    lemma_B_5_radius.constants,
    source="zou2018, Lemma B.5, corrected",
    note="radius small against signed separation and samples",
)
lemma_B_6 = Bound(
    4**L * sqrt(M) / n * S1abs, note="on the Frobenius norm of a layer gradient of the training loss (Theorem 5.3(vi))"
)
lemma_B_6_norms = Premise(
    normW <= theorem_5_3_i.expr,
    source="zou2018, Theorem 5.3(i)",
    note="layers of bounded operator norm, after the perturbation",
)

# ------------------------------------------------------------------ convergence

lemma_5_5 = Bound(
    4**L * sqrt(M) * rho * k * eta,
    source="zou2018, Lemma 5.5",
    note="on the drift of a layer after k steps, gradient descent or stochastic (Lemma 5.7)",
)
lemma_5_5_sharp = Bound(
    4 ** (L - 1) * sqrt(m) * rho * k * eta,
    source="zou2018, proof of Lemma 5.5",
    note="the layer's own factor 4 does not enter its gradient; m is the width of the last layer",
)
lemma_5_5_radius = Premise(
    4**L * sqrt(M) * rho * k * eta <= tau,
    source="zou2018, Lemma 5.5",
    note="short path against the radius, as k <= T / eta",
)

lemma_C_1 = Bound(
    (b ** (1 - 2 * p) - a ** (1 - 2 * p)) / (1 - 2 * p),
    note="above (b - a) / b^(2p), for p other than 1/2; printed with both signs turned",
)
lemma_C_1_order = Premise(a <= b, source="zou2018, Lemma C.1", note="ends in order")

lemma_C_2 = Bound(
    2 ** (5 * L) * sqrt(M) * eta / (7 * n) * S1abs,
    note="on the change of a layer output in one step; the recursion in print sums to four times this",
)
# With w_t and w'_t the norms of W_t before and after the step, R_t the largest norm of a layer output before it
# and g_t the norm of the gradient: d_l <= w'_l d_{l-1} + eta R_{l-1} g_l, as the ReLU is 1-Lipschitz, and by
# Lemma B.6 g_t <= (w_{t+1} ... w_L) R_{t-1} sqrt(m) S1abs / n.
lemma_C_2_sharp = Bound(
    prodW * sqrt(m) * eta / n * S1abs,
    source="zou2018, proof of Lemma C.2",
    note="at layer l, with measured norms: prodW is the sum over t <= l of the norms of the layers t+1..l "
    "after the step and t+1..L before it, times the largest ||x_{t-1}||^2; m is the width of the last layer",
)
lemma_C_2_radius = Premise(
    tau <= Rational(7, 2) * 8 ** (-L),
    source="zou2018, Lemma C.2",
    note="radius small against depth, which keeps the layer norms below 2",
)
lemma_C_2_norms = Premise(
    normW <= theorem_5_1_i.expr,
    source="zou2018, Theorem 5.1(i)",
    note="layers of bounded operator norm, at the region's centre",
)
lemma_C_2_outputs = Premise(
    r <= theorem_5_1_i_norm.expr,
    source="zou2018, Theorem 5.1(i)",
    note="layer outputs of bounded norm, at the region's centre",
)
lemma_C_2_premises = (lemma_C_2_radius, lemma_C_2_norms, lemma_C_2_outputs)

lemma_C_3_ceiling = Bound(
    sqrt(M), source="zou2018, proof of Lemma C.2", note="the same for an output, with the norm of the output weights"
)
lemma_C_3 = Bound(
    2 ** (5 * L) * M * eta / (7 * n) * S1abs,
    source="zou2018, eq. (C.2) in Lemma C.3",
    note="on the change of an output in one step",
)
lemma_C_3_remainder = Bound(
    (
        2 ** (9 * L + 3) * L * C0 * tau**_THIRD * M * sqrt(log(M)) * eta / n
        + 2 ** (9 * L) * L * M ** Rational(3, 2) * rho * eta**2 / (7 * n)
    )
    * S1abs,
    {
        "C0": Constant(
            sqrt(3) * lemma_B_1.constants["C"].value + 1, "sqrt(3) C + 1 with C of Lemma B.1, as the proof defines it"
        )
    },
    source="zou2018, eq. (C.3) in Lemma C.3",
    note="on how far the change of an output falls short of its linear part",
)
# Of the two terms of layer t the first is at most the norm of the backward vector on the flipped neurons times
# (D.3), the second at most (w_{t+1} ... w_L) sqrt(m) eta g_t d_{t-1}.
lemma_C_3_certified = Bound(
    SumGam + prodW * m ** Rational(3, 2) * eta**2 * S1abs**2 / n**2,
    source="zou2018, eqs. (D.3) to (D.6) in the proof of Lemma C.3",
    note="on the change of an output less its linear part, either way, with measured norms: SumGam is the sum "
    "over the layers of the norm of the backward vector on the flipped neurons times the right side of (D.3), "
    "prodW that of (w_{t+1} ... w_L)^2 R_{t-1} times the prodW of Lemma C.2 at t-1; m is the width of the last "
    "layer",
)
eq_D_4_flips = Bound(
    C0 * 2 ** (4 * L) * tau**_THIRD * sqrt(M * log(M)),
    lemma_C_3_remainder.constants,
    source="zou2018, display before eq. (D.4)",
    note="on the norm of the backward vector on the neurons that flip between two iterates",
)
eq_D_4_printed = Bound(
    2 ** (9 * L + 3) * C0 * tau**_THIRD * M * sqrt(log(M)) * eta / n * S1abs,
    lemma_C_3_remainder.constants,
    source="zou2018, eq. (D.4)",
    note="on the flip term of a layer as it reaches the output",
)
eq_C_6 = Bound(
    (
        2 ** (12 * L) * C0 * tau**_THIRD * M * sqrt(log(M)) * eta / n**2
        + 2 ** (10 * L) * M**2 * eta**2 * (rho + lam) / n**2
    )
    * S1abs**2,
    lemma_C_3_remainder.constants,
    source="zou2018, eq. (C.6)",
    note="on the change of the training loss in one step plus eta ||grad_{W_L} L_S||_F^2",
)
eq_C_6_certified = Bound(
    lemma_C_3_certified.expr * S1abs / n + lam * dout**2 / 2,
    source="zou2018, proof of eq. (C.6)",
    note="on the change of the training loss in one step plus eta times the squared norms of all gradients, with "
    "measured norms: the remainder as in (C.3), its flip term at the worst sample, and dout is the sharp form of (C.2)",
)
eq_C_7 = Bound(
    eta * c0 * m * phi**3 / (2 * n**7) * S1**2,
    lemma_B_5.constants,
    source="zou2018, eq. (C.7)",
    note="below the decrease of the training loss in one step",
)
eq_C_7_radius = Premise(
    tau <= (c0 * m * phi**3 / (2 ** (12 * L + 2) * C0 * n**5 * M * log(M))) ** 3,
    {**lemma_B_5.constants, **lemma_C_3_remainder.constants},
    source="zou2018, before eq. (C.7)",
    note="radius small against separation and samples; m is the width of the last layer",
)
eq_C_7_step = Premise(
    eta <= c0 * m * phi**3 / (2 ** (10 * L + 2) * n**5 * M**2 * (lam + rho)),
    lemma_B_5.constants,
    source="zou2018, before eq. (C.7)",
    note="step small enough; m is the width of the last layer",
)
# Without flips what (C.6) leaves is of second order; Gaussian weights have a gate so near with a chance of order
# n m^(3/2) tau. Where they are so wide that some are, the proof takes Lemma B.3 and the response of Lemma B.1.
eq_C_7_gates = Premise(
    count <= 0,
    source="zou2018, Theorem 5.1(iv)",
    note="no gate so near its kink that the largest radius that is allowed can turn it",
)
# In place of the radius and the step size, whose constants keep the errors of (C.6) to the half of the gradient.
eq_C_7_errors = Premise(
    2 * eq_C_6_certified.expr <= eta * c0 * m * phi**3 / n**7 * S1**2,
    source="zou2018, before eq. (C.7)",
    note="small errors of linearisation: those of (C.6), with measured norms, take half of the gradient at most",
)
eq_C_9 = Bound(
    (L0 ** (1 - 2 * p) + (2 * p - 1) * c * k * eta) ** (1 / (1 - 2 * p)),
    source="zou2018, eq. (C.9)",
    note="on the loss after k steps that each lower it by at least c eta loss^(2p), for p above 1/2",
)
eq_C_10 = Bound(
    L0 * exp(-c * k * eta), source="zou2018, eq. (C.10)", note="on the loss after k steps, as (C.9) at p = 1/2"
)

lemma_C_5 = Bound(
    (n - B) / (B * (n - 1)) * mean_sq,
    note="mean square of the mean of a mini-batch drawn without replacement from numbers of sum 0, exactly",
)
lemma_C_5_printed = Bound(mean_sq / B, note="the upper bound in print")
lemma_C_5_batch = Premise(n >= B, source="zou2018, Lemma C.5", note="batch no larger than the sample")
lemma_C_5_samples = Premise(n >= 2, source="zou2018, Lemma C.5", note="two samples at least, as one has no variance")

# ------------------------------------------------------------------ mini-batches

eq_C_17 = Bound(
    eta * normsq
    - (
        2 ** (9 * L + 3) * L * C0 * tau**_THIRD * M * sqrt(log(M)) * eta / n**2
        + 2 ** (10 * L) * M**2 * eta**2 * (rho + lam) / (7 * n * B)
    )
    * S1abs**2,
    lemma_C_3_remainder.constants,
    source="zou2018, eq. (C.17)",
    note="below the mean decrease of the training loss in one mini-batch step; normsq is that of all layers together",
)
eq_C_18 = Bound(
    eta * c0 * m * phi**3 / (2 * n**7) * S1abs**2,
    lemma_B_5.constants,
    source="zou2018, eq. (C.18)",
    note="below the mean decrease of the training loss in one mini-batch step",
)
eq_C_18_step = Premise(
    eta <= c0 * m * phi**3 * B / (2 ** (10 * L + 2) * n**6 * M**2 * (lam + rho)),
    lemma_B_5.constants,
    source="zou2018, before eq. (C.18)",
    note="step small enough; m is the width of the last layer",
)
eq_C_18_premises = (eq_C_7_radius, eq_C_18_step)
eq_C_18_met = Premise(
    c0 >= Rational(1, 10**9), source="zou2018, eq. (C.18)", note="steps so short that every one lowers the mean loss"
)
# The paper leaves alpha1^2 out from (C.19) on; (C.8), the same step for full batches, has it.
_MEAN_RATE = c0 * m * alpha1**2 * phi**3 / (2 * n ** (7 - 2 * p))
eq_C_19 = Bound(
    eta * _MEAN_RATE * x ** (2 * p),
    lemma_B_5.constants,
    source="zou2018, eq. (C.19)",
    note="below the decrease of the mean loss in one mini-batch step, x being the mean before it, for p from 1/2 on, "
    "with the alpha1^2 that is missing in print",
)
eq_C_20 = Bound(
    (x ** (1 - 2 * p) - L0 ** (1 - 2 * p)) / ((2 * p - 1) * _MEAN_RATE),
    lemma_B_5.constants,
    source="zou2018, eq. (C.20)",
    note="on k eta, where x is the mean loss after k mini-batch steps, for p above 1/2, with the alpha1^2 that is "
    "missing in print",
)
eq_C_21 = Bound(
    log(L0 / x) / _MEAN_RATE.subs(p, _HALF),
    lemma_B_5.constants,
    source="zou2018, eq. (C.21)",
    note="as (C.20), at p = 1/2",
)
eq_best_iterate = Bound(
    2 * n**5 * L0 / (c0 * m * phi**3 * k * eta),
    lemma_B_5.constants,
    source="zou2018, end of the proof of Lemma 5.8",
    note="on the mean squared mean derivative, on average over the iterates 0..k-1 and so at the best of them",
)
eq_best_iterate_loss = Bound(
    2 * n ** (7 - 2 * p) * L0 / (c0 * m * phi**3 * k * eta),
    lemma_B_5.constants,
    source="zou2018, end of the proof of Lemma 5.8",
    note="on the mean of 1/(n^(2p)/alpha0^2 + 1/(alpha1^2 loss^(2p))) at the best iterate",
)

# ------------------------------------------------------------------ Theorem 4.1

theorem_4_1 = Bound(eps, note="on the training loss after K steps")
# m K eta, from the rates after (C.10): the time to reach eps, for a loss with and without a knee, times m.
_STEEP = 2 * n ** (7 - 2 * p) * eps ** (1 - 2 * p) / ((2 * p - 1) * c0 * alpha1**2 * phi**3)
_FLAT = 2 * n**7 * L0 / (c0 * alpha0**2 * phi**3)
theorem_4_1_steps = Premise(
    m * K * eta >= _FLAT + _STEEP,
    source="zou2018, proof of Lemma 5.6",
    note="enough steps, for p above 1/2; c0 is any number for which each step lowers the loss as (C.7) says",
)
# Where c0 is that of the region of radius tau, and no margin there is left of the knee: L_S falls by at least
# eta c0 m alpha1^2 phi^3/(2 n^5) L_S^2 in each step, and 1/L_S grows by as much.
theorem_4_1_time = Bound(
    2 * n**5 * clock / (c0 * alpha1**2 * m * phi**3),
    source="zou2018, eq. (C.9), at p = 1",
    note="on K eta while the loss comes down as far as it does; clock is 1/L_S(W^(K)) - 1/L_S(W^(0))",
)
theorem_4_1_gradient = Premise(
    normsq >= c0 * m * phi**3 / n**7,
    source="zou2018, Lemma B.5",
    note="large gradient of the last layer in units of S1^2, least over the region, all labels and losses",
)
# What k steps of size eta move a layer by, at slopes of rho: Lemma 5.5 with the norms of the region itself.
theorem_4_1_stay = Premise(
    Gam_l * r * rho * k * eta <= tau,
    source="zou2018, proof of Lemma 5.5",
    note="short path against the radius: Gam_l and r are the largest norms, in the region, of what arrives at a "
    "layer from the output and from below",
)
# 1/tau, the radius before (C.7) with the least favourable widths: M = 2 m, and m nodes in the last layer.
_INVERSE_RADIUS = (2 ** (12 * L + 3) * C0 * n**5 * log(2 * m) / (c0 * phi**3)) ** 3

# K eta <= T = tau / (4^L sqrt(M) rho), solved for the m outside the logarithm.
theorem_4_1_width_knee = Premise(
    m >= 2 * (4**L * rho * (_FLAT + _STEEP) * _INVERSE_RADIUS) ** 2,
    {**lemma_B_5.constants, **lemma_C_3_remainder.constants},
    source="zou2018, proof of Theorem 4.1",
    note="width against separation, samples, depth and accuracy, for p above 1/2 and a loss with a knee, such "
    "as the logistic one (x0 > -infinity)",
)

# ------------------------------------------------------------------ Theorem 4.5

theorem_4_5 = Bound(eps, note="on the training loss of the best of K iterates")
corollary_4_7 = Bound(0, note="on the number of samples with a margin of 0 or less")
# From the end of the proof of Lemma 5.8; C is the confidence, 1 - 1/C, of Markov's inequality.
_EVEN_ODDS = {"C": Constant(2, "the probability 1 - 1/C is 1/2")}
lemma_5_8 = Bound(
    2 * C * L0 * (n**7 / alpha0**2 + n ** (7 - 2 * p) * eps ** (-2 * p) / alpha1**2) / (c0 * m * phi**3),
    {**lemma_B_5.constants, **_EVEN_ODDS},
    source="zou2018, end of the proof of Lemma 5.8",
    note="on k eta until an iterate has the loss eps, with probability 1 - 1/C, for a loss with a knee; c0 is any "
    "number for which each step lowers the mean loss as (C.18) says",
)
lemma_5_8_printed = Bound(
    2 * C * L0 * n ** (7 - 2 * p) * eps ** (-2 * p) / (c0 * m * phi**3 * alpha1**2),
    {**lemma_B_5.constants, **_EVEN_ODDS},
    source="zou2018, Lemma 5.8",
    note="the same with the term alone that the lemma prints",
)
theorem_4_5_width_knee = Premise(
    m >= 2 * (4**L * rho * m * lemma_5_8.expr * _INVERSE_RADIUS) ** 2,
    {**lemma_B_5.constants, **lemma_C_3_remainder.constants, **_EVEN_ODDS},
    source="zou2018, proof of Theorem 4.5",
    note="width against separation, samples, depth and accuracy, for a loss with a knee, such as the logistic "
    "one (x0 > -infinity)",
)

# At p = 1/2 the power of eps is a logarithm.
theorem_4_1_width_half = Premise(
    m >= 2 * (4**L * rho * (_FLAT + 2 * n**6 * log(L0 / eps) / (c0 * alpha1**2 * phi**3)) * _INVERSE_RADIUS) ** 2,
    {**lemma_B_5.constants, **lemma_C_3_remainder.constants},
    source="zou2018, proof of Theorem 4.1",
    note="width against separation, samples, depth and accuracy, for p = 1/2 and a loss with a knee, such as "
    "the Huberised hinge",
)
corollary_4_4 = Bound(
    ell0 / n, source="zou2018, proof of Corollary 4.4", note="below the mean loss where a margin is not positive"
)
lemma_5_6_clock = Bound(
    C * clock / m,
    {"C": Constant(40, "fitted")},
    note="order of K eta from one loss to another, as a multiple of clock, the time of the recursion behind (C.9) and "
    "(C.10), for small steps the integral of x^(-2p): linear convergence for p = 1/2, a loss of order 1/k for p = 1",
)

# ------------------------------------------------- parameter chains, without constants and logarithms

# K eta up to a factor, x0 being the knee of the loss: the time to reach eps (GD: at the last step, SGD: at the best).
lemma_5_6_order = Bound(
    (n**7 + n ** (7 - 2 * p) * eps ** (1 - 2 * p)) / (m * phi**3),
    source="zou2018, Lemma 5.6",
    note="order of K eta for a loss with a knee (x0 > -infinity), in all cases of p",
)
lemma_5_6_order_no_knee = Bound(
    n ** (7 - 2 * p) * (1 + eps ** (1 - 2 * p)) / (m * phi**3),
    source="zou2018, Lemma 5.6",
    note="order of K eta for a loss without knee, in all cases of p",
)
lemma_5_8_order = Bound(
    n ** (7 - 2 * p) * eps ** (-2 * p) / (m * phi**3),
    note="order of K eta as the lemma prints it: with a knee, and without one for p below 1/2",
)
lemma_5_8_order_derived = Bound(
    (n**7 + n ** (7 - 2 * p) * eps ** (-2 * p)) / (m * phi**3),
    source="zou2018, end of the proof of Lemma 5.8",
    note="order of K eta for a loss with a knee, as the proof derives it",
)
lemma_5_8_order_no_knee = Bound(
    n ** (7 - 2 * p) * eps ** (1 - 2 * p) / (m * phi**3),
    source="zou2018, Lemma 5.8",
    note="order of K eta for a loss without knee, for p from 1/2 on",
)
# The power of 2^L is that of the explicit radius and step size before (C.7); the paper writes e^O(L).
_DEPTH = 2 ** (76 * L)
theorem_4_1_width_order = Bound(
    (n**44 + n ** (44 - 4 * p) * eps ** (2 - 4 * p)) * _DEPTH / phi**24,
    source="zou2018, proof of Theorem 4.1",
    note="order of the width for a loss with a knee, in all cases of p",
)
theorem_4_1_width_order_no_knee = Bound(
    n ** (44 - 4 * p) * (1 + eps ** (2 - 4 * p)) * _DEPTH / phi**24,
    source="zou2018, proof of Theorem 4.1",
    note="order of the width for a loss without knee, in all cases of p",
)
theorem_4_5_width_order = Bound(
    n ** (44 - 4 * p) * eps ** (-4 * p) * _DEPTH / phi**24,
    source="zou2018, proof of Theorem 4.5",
    note="order of the width for a loss with a knee, and without one for p below 1/2",
)
theorem_4_5_width_order_no_knee = Bound(
    n ** (44 - 4 * p) * eps ** (2 - 4 * p) * _DEPTH / phi**24,
    source="zou2018, proof of Theorem 4.5",
    note="order of the width for a loss without knee, for p from 1/2 on",
)
theorem_4_1_steps_order = Bound(
    (n**12 + n ** (12 - 2 * p) * eps ** (1 - 2 * p)) * 2 ** (10 * L) / phi**6,
    note="order of K for a loss with a knee, from K eta and the step size before (C.7)",
)
theorem_4_1_steps_order_no_knee = Bound(
    n ** (12 - 2 * p) * (1 + eps ** (1 - 2 * p)) * 2 ** (10 * L) / phi**6,
    source="zou2018, Theorem 4.1",
    note="order of K for a loss without knee",
)
theorem_4_5_steps_order = Bound(
    n ** (13 - 2 * p) * eps ** (-2 * p) * 2 ** (10 * L) / (B * phi**6),
    note="order of K for a loss with a knee, and without one for p below 1/2",
)
theorem_4_5_steps_order_no_knee = Bound(
    n ** (13 - 2 * p) * eps ** (1 - 2 * p) * 2 ** (10 * L) / (B * phi**6),
    source="zou2018, Theorem 4.5",
    note="order of K for a loss without knee, for p from 1/2 on",
)
corollary_4_4_width_order = Bound(
    n**44 * _DEPTH / phi**24, source="zou2018, Corollaries 4.4 and 4.7", note="order of the width at eps = l(0)/n"
)
eq_C_7_radius_order = Bound(
    phi**9 / (n**15 * 2 ** (36 * L)), source="zou2018, before eq. (C.7)", note="order of the radius tau"
)
remark_4_6_printed = Bound(n / (B * eps**2), note="on K for mini-batches over K for full batches, in print")

# ------------------------------------------------- inequalities that the paper quotes or uses in passing

# Norms: ||X|| = sup_q E[|X|^q]^(1/q) / q for psi_1, with sqrt(q) for psi_2 (Vershynin 2010, Definitions 5.13, 5.7).
# psi_1: as k^k/k! <= 2 e^(k-2) for k >= 2, E[exp(y X)] <= 1 + 2 y^2 ||X||^2 / (1 - e y ||X||), whose logarithm is at
# most (10/3) y^2 ||X||^2 for e y ||X|| <= 2/5. Chernoff's bound, with the y that is best or the largest allowed, has
# an exponent of at least (3/40) t^2 / (||X|| ||a||)^2 or t / (5 e ||X|| max|a_i|).
fact_bernstein_tail = Bound(
    2 * exp(-c * Min(t**2 / (normX**2 * norma**2), t / (normX * maxa))),
    {"c": Constant(1 / (5 * E), "from the moments of a psi_1 variable and Chernoff's bound; at most 2/e can be meant")},
    source="zou2018, proof of Lemma A.1, citing Vershynin (2010), Proposition 5.16",
    note="on P(|sum a_i X_i| >= t) for independent centred X_i",
)
# X = 2 g^2 1{g > 0} - 1: E|X|^q is near (4 q/e)^q / sqrt(2) for large q, and E[|X|^q]^(1/q)/q below 4/e for all q.
fact_bernstein = Bound(
    normX * Max(sqrt(log(2 / delta) / (c * m)), log(2 / delta) / (c * m)),
    {
        **fact_bernstein_tail.constants,
        "normX": Constant(4 / E, "psi_1 norm of 2 g^2 1{g > 0} - 1, which high moments approach"),
    },
    source="zou2018, proof of Lemma A.1",
    note="on | ||x_l||^2 / ||x_{l-1}||^2 - 1 |, which is a mean of m such terms: the tail above, solved for t",
)
# psi_2: as exp(x) <= x + exp(x^2) and k^k/k! <= e^(k-1), log E[exp(y X)] <= log(1 + 2 z/(1 - 2 e z)) for z = y^2
# ||X||^2 < 1/(2e); and as y X <= z/(2 u) + u X^2/(2 ||X||^2), at most z/(2 u) + log(1 + u/(1 - e u)) for every z. At
# u = 4/25 one of the two is at most 5.04 z, whatever z is, and 4 * 5.04 <= 21.
fact_hoeffding_tail = Bound(
    exp(1 - c * t**2 / (normX**2 * norma**2)),
    {"c": Constant(Rational(1, 21), "from the moments of a psi_2 variable and Chernoff's bound; 1/pi is out of reach")},
    source="zou2018, proof of Lemma A.6, quoting Hoeffding's inequality",
    note="on P(|sum a_i X_i| >= t) for independent centred X_i",
)
fact_hoeffding = Bound(
    normX * sqrt(log(E / delta) / c),
    {
        **fact_hoeffding_tail.constants,
        "normX": Constant(
            exp(-_HALF), "psi_2 norm of the difference of two rectified Gaussians, which high moments approach"
        ),
    },
    source="zou2018, proof of Lemma A.6",
    note="on |f(x)| where the last layer meets a unit vector, a sum of m/2 such differences with weights sqrt(2/m)",
)
eq_C_8 = Bound(
    alpha1**2 * n ** (2 * p) * eps ** (2 * p),
    source="zou2018, eq. (C.8)",
    note="below the squared sum of the absolute loss derivatives, where the mean loss is eps",
)
eq_C_8_printed = Bound(
    n ** (2 * p) * eps ** (2 * p),
    source="zou2018, eq. (C.8)",
    note="as its second inequality has it, in which a factor alpha1^2 stands on both sides",
)
theorem_5_1 = Bound(
    1, note="on the largest quotient of a quantity of parts (i) to (vi) and its bound; (ii) with the distance below"
)

"""Formula sheet of Frei, Cao and Gu (2019), deep residual ReLU networks and what descent finds in them.

Each name is a statement of the paper, as in the other sheets: `_premises` what it asks for, `_sharp` a tighter bound
of the same argument, `_printed` and `_corrected` two readings where the printed one is false.

The network has L + 1 trained layers: a first one, L - 1 residual ones scaled by theta, and a last one; m is the
width of them all. gamma is the margin of random features, tau the radius of a ball around the first weights, Frobenius
norm of each layer. Losses are means over the n samples of log(1 + exp(-z)); the surrogate error is the mean of -l'(z).
"""

from sympy import Rational, exp, log, sqrt

from bounds.bound import Bound, Constant
from bounds.premise import Premise
from bounds.symbols import state_meanings, symbol

s = symbol("s")
m, d, eps, gamma = map(symbol, ("m", "d", "eps", "gamma"))
L, theta, tau, delta, mesh = map(symbol, ("L", "theta", "tau", "delta", "mesh"))
n, a, ES = map(symbol, ("n", "a", "ES"))
C, C0 = map(symbol, ("C", "C0"))
beta_ = symbol("beta_")
K, eta, exponent, fall = map(symbol, ("K", "eta", "exponent", "fall"))
kappa, c0 = map(symbol, ("kappa", "c0"))
dout, change, rise = map(symbol, ("dout", "change", "rise"))

eapp, complexity = map(symbol, ("eapp", "complexity"))

state_meanings(
    "frei2019",
    {
        "L": "number of layers before the last one: the first, and L - 1 residual ones",
        "theta": "scale of the residual layers",
        "tau": "radius of the ball around the initial weights, Frobenius norm of each layer",
        "gamma": "margin of random features on the whole support (Assumption 3.2)",
        "m": "width of the layers",
        "s": "number of entries that are not 0",
        "eps": "target of the error on unseen points",
        "x": "entry of a layer output",
        "r": "norm of the input of a layer",
        "mesh": "radius of the balls of the net, tau_0 in the paper",
        "C0": "bound on the operator norms of Gaussian layers",
        "C1": "largest operator norm of a residual layer",
        "C2": "largest operator norm of a layer: of the perturbed residual ones, or of all before the step",
        "norma": "norm of the vector that the product meets",
        "mean_sq": "mean of the squared changes of the outputs",
        "h": "distance of two weight tuples: norms of the steps, residual ones times theta",
        "carried": "sums of (23) over the norms of the steps that kinks are crossed with",
        "pairs": "sums over products of norms of two steps, of (21) or (23), or of the factors of I_2",
        "SumGam": "sum over the layers of what their turned neurons count times how far these moved, norms",
        "omega": "norm of the step of the first layer",
        "dist": "distance of the last states of one sample at two weight tuples",
        "a": "weight of a sample, from 0 to 1",
        "S1": "mean of the weights of the samples",
        "ES": "surrogate error on the samples: mean of -l' at the margins",
        "sumpre": "sum of the sizes of a layer's pre-activations, over sqrt(m)",
        "rms": "margin of all c of mean square 1 at most",
        "p": "half of the failure probability",
        "gated": "least product over the samples of the aligned state and the share of open gates",
        "turned": "most gates of the last layer that differ at one sample",
        "c": "share of the surrogate error that changed gates take at a neuron",
        "complexity": "mean Rademacher complexity of the functions, or of what is linear in the weights",
        "eapp": "complexity of the linearisation errors, I_1, or the half sum of their means over points and sample",
        "layersum": "sum over the layers of the root of the sum of the squared gradient norms of the samples",
        "Cflip": "constant of Lemma B.4 for the gates that change",
        "Cmove": "constant of Lemma B.4 for the states that move",
        "clow": "least norm of the vectors that enter a layer",
        "rows": "number of vectors that enter a layer",
        "netmax": "largest absolute value on the net",
        "corners": "members of the net of a circle",
        "M": "largest width of a layer",
        "exponent": "power of theta: 1 in a residual layer, 0 in the first and in the last",
        "fall": "loss at the first of two iterates less the loss at the other",
        "drop": "least fall of the loss in one of the steps of a run",
        "D": "largest distance from the start before the step, Frobenius norm of a layer",
        "normX": "largest norm of what enters the layer",
        "Gam_l": "largest norm of v^T H_(l+1)^(L+1) Sigma_l",
        "Gmax": "largest gradient of a layer over sqrt(m) times the error, and theta if it is residual",
        "c0": "share of m gamma^4 times the squared error that the squared gradient of the last layer has (Lemma 4.3)",
        "kappa": "largest constant with which (6) holds at the steps that are met",
        "dout": "root of the mean of the squared moves of the outputs in the step",
        "rise": "largest share that kinks and curvature take, in a step, of half of what the last layer gives",
        "change": "largest part of the moves of the outputs beyond first order",
        "dinput": "distance of two inputs, of the network or of a layer",
        "dfirst": "operator norm of the difference of the weights of the first layer",
        "dskips": "sum of the operator norms of the differences of the weights of the residual layers up to the one "
        "measured",
        "dlast": "operator norm of the difference of the weights of the last layer, 0 for the layers before it",
        "distop": "operator norm of the difference of the weights of a layer",
        "normW": "operator norm of the weights tilde of a layer",
        "drift": "norm of the move of the pre-activations of a layer",
        "chance": "share of the surrogate error at whose samples the gate of the neuron differs",
        "z": "margin at which the loss is taken, or a real argument",
    },
)

# ------------------------------------------------------------------ setting


# P(||W|| > sqrt(2/m) (sqrt(d) + sqrt(m) + t)) <= exp(-t^2/2), and as many layers share delta; for L >= 2 the logarithm
# of (L + 1)/delta is at most 1.585 of that of L/delta, so that m >= 4 log(L/delta) and m >= d leave t <= 0.891 sqrt(m).
_LAYER_NORM = Constant(Rational(41, 10), "sqrt(2) (2 + 0.891), from sqrt(d) + sqrt(m) + t for each of L + 1 layers")
_LOG_WIDTH = Constant(4, "makes the deviation at most 0.891 sqrt(m) when L is 2 or more")
lemma_b1 = Bound(C0, {"C0": _LAYER_NORM}, note="on all operator norms")
lemma_b1_dimension = Premise(m >= d, source="frei2019, Lemma B.1", note="width of at least the input dimension")
lemma_b1_width = Premise(
    m >= C * log(L / delta),
    {"C": _LOG_WIDTH},
    source="frei2019, Lemma B.1",
    note="width, for a union bound over the layers",
)
lemma_b1_depth = Premise(
    L >= 2, source="frei2019, Section 3: one residual layer or more", note="one residual layer at least"
)

# ------------------------------------------------------------------ norms of states and products (B.1, C.1)

lemma_b2 = Bound(exp(C0 * theta * L), {"C0": _LAYER_NORM}, note="on the norm of the product, for all such gates")
lemma_b2_scale = Premise(
    C0 * theta * L <= log(Rational(101, 100)),
    {"C0": _LAYER_NORM},
    source="frei2019, Lemma B.2: theta L is small",
    note="residual scale small against depth",
)
eq_35 = Bound(
    (C0 + tau) * exp(theta * L * (C0 + tau)), {"C0": _LAYER_NORM}, note="on the norm of the maps to the last layer"
)
a41_layer1_width = Premise(
    m >= C * d * log(m / (mesh * delta)),
    {"C": Constant(16, "makes the distance at most 1/2")},
    source="frei2019, proof of Lemma 4.1",
    note="width against dimension, for a net of inputs",
)
# Beyond 1 the logarithms of m/(mesh delta) and 3/(mesh delta) get to 0, and with them what the norms may err by.
net_radius = Premise(
    mesh <= 1,
    source="frei2019, proof of Lemma 4.1, where tau_0 is 1/m or a small constant",
    note="radius of the net of at most 1, that of the sphere",
)
eq_13_width = Premise(
    m >= C * d * log(m / (mesh * delta)),
    {"C": Constant(120000, "the deviation 0.0099 of the squared norm ratio of each of two layers, over a net")},
    source="frei2019, proof of Lemma 4.1",
    note="width against dimension, for a net of inputs",
)
lemma_41_depth = Bound(
    C, {"C": Constant(1, "fitted on small depths: no power of the depth")}, note="on the logarithm of the last norm"
)
eq_35_radius = Premise(tau <= 1, source="frei2019, Appendix B.4", note="radius of at most 1")

# ------------------------------------------------------------------ Lipschitz constants in the inputs (C.2)

lemma_b3_width = Premise(
    m >= C * d * log(m * L / delta),
    {"C": Constant(4, "as for the norms of the layers, which is all that the argument asks for")},
    source="frei2019, Lemma B.3",
    note="width against dimension, for all inputs at once",
)
lemma_b3_premises = (lemma_b3_width, lemma_b2_scale)

# ------------------------------------------------------------------ change with the weights, flips (C.3)

lemma_b4_width = Premise(
    m >= C * d * log(m * L / delta),
    {"C": Constant(4, "as for the Lipschitz constant in the input; smaller than a net gives, so that more is tested")},
    source="frei2019, Lemma B.4",
    note="width against dimension, for all inputs at once",
)
lemma_b4_radius = Premise(
    m >= C * tau ** Rational(-4, 3) * d * log(m / (tau * delta)),
    {"C": Constant(1, "hidden in the paper; d - 1 gates turn for nothing at the worst input")},
    source="frei2019, Lemma B.4",
    note="radius not too small for the width, so that gates turn by the mean",
)
lemma_b4_flips = Bound(
    C * m * tau ** Rational(2, 3),
    {"C": Constant(Rational(8, 5), "above what is met in the first layer; fitted on narrow layers")},
    note="on the gates of a layer that differ",
)

# ------------------------------------------------------------------ sparse vectors (C.3, C.4, D)

lemma_b5_width = Premise(
    m >= C * tau ** Rational(-2, 3) * log(L / delta) / log(m),
    {"C": Constant(1, "hidden in the paper")},
    source="frei2019, Lemma B.5",
    note="width against the radius",
)
sparse_logarithm = Premise(
    s * log(m) >= C * log(L / delta),
    {"C": Constant(1, "lets the union over the layers cost no more than one over the entries")},
    source="frei2019, Lemmas C.3 and C.4",
    note="sparsity from below, for a union bound over the layers",
)
# 8^2/16 = 4 is 2 for both nets and 1 for the layers, and the rest pays for the points that m^s does not count, if the
# maps have norms of at most 101/100.
lemma_c3 = Bound(
    C * sqrt(s * log(m) / m),
    {"C": Constant(8, "twice the tail over nets of m^s points each, on vectors of norm 101/100 at most")},
    note="on the bilinear form of the last layer over sparse vectors",
)
# 5^2/8 = 3.1: one for the net, one for the layers, and a third of what is left for the tail of gated sums.
lemma_c4 = Bound(
    C * sqrt(s * log(m)),
    {"C": Constant(5, "twice the tail over a net of m^s points, on vectors of norm 101/100 at most")},
    note="on the response of the output to sparse vectors, at one input",
)
lemma_c2_threshold = Premise(
    m >= C * sqrt(d * log(1 / (beta_ * delta))) / beta_,
    {"C": Constant(2, "makes the bound large beside what a union over the net adds")},
    source="frei2019, Lemma C.2",
    note="threshold not too small for the width",
)
lemma_c2_width = Premise(
    m >= C * d * log(m * L / delta),
    {"C": Constant(120, "keeps the first layer output above 4/5 on the net, a deviation of 9/25 in its square")},
    source="frei2019, Lemma C.2",
    note="width against dimension, for all inputs at once",
)

# ------------------------------------------------------------------ semi-smoothness (B.2)

lemma_42_scale = Premise(
    theta * L <= 1,
    source="frei2019, the assumption on theta, with the constant 1",
    note="residual scale small against depth",
)
# At tau = 1 steps of the other layers make states, and gradients, up to 3 times as large (5 in deep networks), and what
# kinks give with them; at 1/8 no more than some tenths larger.
lemma_42_radius = Premise(
    tau <= Rational(1, 8),
    source="frei2019, Lemma 4.2: the ball is that of Lemma B.5, and small in Theorem 3.5",
    note="radius at most 1/8, ours, so that norms in the ball are near those of the start",
)
# Else one neuron that happens to be at its kink gains the step itself, which the bound falls below as tau goes to 0.
lemma_42_kinks = Premise(
    m * tau ** Rational(2, 3) >= 4,
    source="frei2019, Lemma B.4, with a constant of our own and without the dimension",
    note="radius not too small for the width, so that gates turn by the mean",
)
# Gradients of the outputs are then at most 1.27 sqrt(m) in the ball: 4/5 of the bound on the loss in the worst case.
eq_21_scale = Premise(
    theta * L <= Rational(1, 2),
    source="frei2019, the assumption on theta, with the constant 1/2",
    note="residual scale small against depth, so that states in the ball grow by half at most",
)
lemma_42_width = Premise(
    m >= 256,
    source="frei2019, Lemma 4.2, whose width is the more where constants are those of its proof",
    note="width at which norms of layers and read-outs are near those of the limit",
)

# ------------------------------------------------------------------ margin and gradient from below (B.3, C.5)

prop_c5_width = Premise(
    m >= C * (d * log(1 / gamma) + log(L / delta)) / gamma**2,
    {"C": Constant(8, "hidden in the paper: makes the deviation on the sphere about half of the margin")},
    source="frei2019, Proposition C.5",
    note="width against dimension and the margin gamma that random features have on all the support [Assumption 3.2]",
)
# |<alpha', S W^T x>| <= ||W|| ||x||, so that C_7 is at most the norm of a layer times that of a state.
_DRIFT = Constant(Rational(21, 5), "C_7: norms of 41/10 for a layer and of 128/125 for a state")
prop_c5_scale = Premise(
    theta * L <= gamma / (4 * C),
    {"C": _DRIFT},
    source="frei2019, last line of the proof of C.5",
    note="residual scale small against depth and margin",
)
eq_40_width = Premise(
    m >= C * d * log(L / delta),
    {"C": Constant(16, "hidden in the paper")},
    source="frei2019, proof of C.5",
    note="width against dimension",
)
lemma_b6_samples = Premise(
    m >= C * log(n / delta),
    {"C": Constant(8, "hidden in the paper; less than the 5000 of (42), so that more is tested")},
    source="frei2019, Lemma B.6",
    note="width against samples",
)
eq_33 = Bound(gamma * ES / 16, note="from below on the gradient of a neuron whose gates stay")
lemma_43_radius = Premise(
    tau <= C * gamma**3,
    {"C": Constant(1, "nu, hidden in the paper; larger than its proof gives, so that more is tested")},
    source="frei2019, Lemma 4.3",
    note="radius small against the margin",
)
lemma_43_sharp_radius = Premise(
    tau <= C * gamma,
    {"C": Constant(Rational(1, 4), "leaves half of the margin")},
    source="frei2019, Lemma 4.3",
    note="radius small against the margin",
)

# At a chance of delta the mean of the last layer along what all states share is off by sqrt(2 log(1/delta)/m), at the
# width of Proposition C.5 and delta below e^(-d) by gamma/2. With labels of one kind and d large this, and a step of
# the ball, close so many of the gates that are open at antipodes that 0.96 of half of the square of the margin is left
# by the width 8 log(1/delta), and 1.01 by 16 log(1/delta).
lemma_43_sharp_level = Premise(
    m * gamma**2 >= C * log(1 / delta),
    {"C": Constant(16, "leaves the gates that are open at antipodes")},
    source="frei2019, Lemma 4.3",
    note="width against the level alone, which is felt at chances below e^(-d)",
)

# With the width of Proposition C.5 it has that of Lemma B.6 in it. Labels of one kind and as many samples as neurons,
# the worst of which count, leave 1.05 of half of the square of the margin at d = 20 and delta = e^(-d); with a step of
# the last layer 1.00 at d = 30, and one of the first takes some hundredths. Dense samples leave 0.97 without a step, at
# d = 400: among them are those near the 40 directions that the first layer lets through least.
lemma_b6_sharp_samples = Premise(
    m >= n,
    source="frei2019, Lemma B.6, which has the logarithm of n",
    note="no more samples than neurons, ours, so that none are those that the first layer lets through least",
)

# ------------------------------------------------------------------ gradient from above (A.2, B.4)

lemma_44 = Bound(
    C * theta**exponent * sqrt(m) * ES,
    {"C": Constant.above(4, attacked=2.97, why="99 of 100 starts, n = 1, m = 36; norms with tau give 27 for all W~")},
    note="on the gradient of the loss in each layer, at one W~ of the ball",
)
eq_5 = Bound(
    eta * C * sqrt(m) * ES * (2 + theta**2 * (L - 1)), dict(lemma_44.constants), note="on h of a step of descent"
)

# ------------------------------------------------------------------ descent (A.1)

eq_8_samples = Premise(
    n >= 20 * delta,
    source="frei2019, none there: the logarithm is to absorb 1",
    note="samples against the failure probability",
)
eq_8_premises = (lemma_b3_width, lemma_b2_scale, eq_8_samples)
# tau is gamma^12 log(m)^(-3/2) in the width of Lemma B.4, and K eta is tau^2 gamma^4 with eta = gamma^4/m; the hidden
# constants are 1, which asks for no more width than the proof does.
theorem_35_width = Premise(
    m >= d * log(m) ** 2 * log(m * log(m) ** Rational(3, 2) / (gamma**12 * delta)) / gamma**16,
    source="frei2019, Theorem 3.5, constant 1",
    note="width against dimension and margin",
)
theorem_35_time = Premise(
    m * gamma**24 >= K * log(m) ** 3 * sqrt(log(n / delta)),
    source="frei2019, Theorem 3.5, constants 1",
    note="width against the number of steps",
)
theorem_35_errors = Premise(
    rise <= 1,
    source="frei2019, Appendix A.1, the bracket before (6)",
    note="small errors of linearisation: at every step what kinks and curvature take is at most half of what "
    "the last layer gives",
)
eq_6_errors = Premise(
    eta * c0 * m * gamma**4 * ES**2 >= 2 * ES * change + dout**2 / 4,
    source="frei2019, Appendix A.1, the bracket before (6)",
    note="small errors of linearisation: what kinks and the curvature of the loss take is at most half of what "
    "the last layer gives",
)

# ------------------------------------------------------------------ generalisation (A.2)

# With the chance 1 - delta over the sample; a search asks for levels at which none of its samples may fail.
theorem_36_level = Premise(
    delta <= Rational(1, 10**8),
    source="frei2019, Theorem 3.6, for any level there",
    note="chance of failure over the sample, so small that no sample that is met may fail",
)
theorem_36_certified = Bound(
    2 * ES + eapp + complexity + sqrt(2 * log(1 / delta) / n),
    note="on the same, with the linearisation error that the network itself has",
)

# ------------------------------------------------------------------ Corollary 3.7, with constants of our own

# The largest step size, the number of steps by K eta = nu'' gamma^4 tau^2/sqrt(log(n/delta)), and the radius (11).
corollary_37_step = Bound(
    C * gamma**4 / m,
    {"C": Constant(100, "hidden; no step then raises the loss")},
    source="frei2019, Corollary 3.7",
    note="the step size of the run",
)
corollary_37_steps = Bound(
    C * sqrt(log(n / delta)) / (gamma**8 * eps**2),
    {"C": Constant(Rational(1, 200), "hidden; so few that the error is met early")},
    source="frei2019, Corollary 3.7",
    note="the number of steps of the run",
)
corollary_37_radius = Bound(
    C * sqrt(log(n / delta)) / (gamma**4 * eps * sqrt(m)),
    {"C": Constant(Rational(1, 36), "hidden; the run stays within")},
    source="frei2019, Corollary 3.7",
    note="the radius (11) of the ball",
)
corollary_37_samples = Premise(
    n * gamma**8 * eps**4 >= log(n / delta),
    source="frei2019, Corollary 3.7, constant 1",
    note="samples against margin and accuracy",
)
corollary_37 = Bound(eps, note="on the share of points with a negative margin")
corollary_37_certified = Bound(
    2 * sqrt(fall / (kappa * K * eta * m)) / gamma**2 + eapp + complexity + sqrt(2 * log(1 / delta) / n),
    note="on the same: Theorem 3.5 in Theorem 3.6, with what the run itself has in place of constants",
)

# ------------------------------------------------------------------ numbers and chains of conditions (A.3)


eq_11_order = Bound(1 / (gamma**4 * eps * sqrt(m)), source="frei2019, Appendix A.3, eq. (11)")
a3_rates_radius_order = Bound(1 / (gamma**32 * eps**2), note="width at which the radius is that of Theorem 3.5")

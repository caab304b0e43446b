"""Formula sheet of Frei, Cao and Gu (2019), deep residual ReLU networks and what descent finds in them.

Each name is a statement of the paper, as in the other sheets: `_premises` what it asks for, `_sharp` a tighter bound
of the same argument, `_printed` and `_corrected` two readings where the printed one is false.

The network has L + 1 trained layers: a first one, L - 1 residual ones scaled by theta, and a last one; m is the
width of them all. gamma is the margin of random features, tau the radius of a ball around the first weights, Frobenius
norm of each layer. Losses are means over the n samples of log(1 + exp(-z)); the surrogate error is the mean of -l'(z).
"""

from sympy import Rational, exp, log, pi, sqrt

from bounds.bound import Bound, Constant
from bounds.premise import Premise
from bounds.symbols import state_meanings, symbol

z, s = map(symbol, ("z", "s"))
m, d, eps, gamma = map(symbol, ("m", "d", "eps", "gamma"))
L, theta, tau, delta, mesh = map(symbol, ("L", "theta", "tau", "delta", "mesh"))
mean_sq, dist, h, carried, pairs, omega, SumGam = map(
    symbol, ("mean_sq", "dist", "h", "carried", "pairs", "omega", "SumGam")
)
n, c, a, S1, ES, sumpre, gated, turned = map(symbol, ("n", "c", "a", "S1", "ES", "sumpre", "gated", "turned"))
Cflip, Cmove, rms = map(symbol, ("Cflip", "Cmove", "rms"))
x, r, C, C0, C1, C2, norma, dinput = map(symbol, ("x", "r", "C", "C0", "C1", "C2", "norma", "dinput"))
beta_, clow, rows, netmax = map(symbol, ("beta_", "clow", "rows", "netmax"))
K, k, M, eta, exponent, fall, D = map(symbol, ("K", "k", "M", "eta", "exponent", "fall", "D"))
normX, Gam_l, Gmax, kappa, c0 = map(symbol, ("normX", "Gam_l", "Gmax", "kappa", "c0"))
dout, change, rise = map(symbol, ("dout", "change", "rise"))
dfirst, dskips, dlast, distop = map(symbol, ("dfirst", "dskips", "dlast", "distop"))
normW, drift, count, chance = map(symbol, ("normW", "drift", "count", "chance"))

layersum, eapp, complexity = map(symbol, ("layersum", "eapp", "complexity"))

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
        "r": "norm of the input of the last layer",
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
        "M": "largest width of a layer",
        "exponent": "power of theta: 1 in a residual layer, 0 in the first and in the last",
        "fall": "loss at the first of two iterates less the loss at the other",
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

def_interlayer = Bound(0, note="difference of the output, and the maps of the layers above applied to a layer output")
eq_2 = Bound(0, note="difference of the closed form and the derivative, along a direction in one layer")
eq_34 = Bound(0, note="difference of the closed form and the derivative of the loss, along a direction in one layer")
a1_variance = Bound((1 - 1 / pi) * r**2, note="variance of the output, given what enters the last layer")
claim_c1 = Bound(1, note="on the entries of both diagonals")
claim_c1_identity = Bound(0, note="difference of both sides, over the largest entry of u - y")

# P(||W|| > sqrt(2/m) (sqrt(d) + sqrt(m) + t)) <= exp(-t^2/2), and as many layers share delta; for L >= 2 the logarithm
# of (L + 1)/delta is at most 1.585 of that of L/delta, so that m >= 4 log(L/delta) and m >= d leave t <= 0.891 sqrt(m).
_LAYER_NORM = Constant(Rational(41, 10), "sqrt(2) (2 + 0.891), from sqrt(d) + sqrt(m) + t for each of L + 1 layers")
_LOG_WIDTH = Constant(4, "makes the deviation at most 0.891 sqrt(m) when L is 2 or more")
lemma_b1 = Bound(C0, {"C0": _LAYER_NORM}, note="on all operator norms")
lemma_b1_sharp = Bound(
    sqrt(2 / m) * (sqrt(d) + sqrt(m) + sqrt(2 * log((L + 1) / delta))), note="on all operator norms, from d <= m inputs"
)
lemma_b1_dimension = Premise(m >= d, source="frei2019, Lemma B.1")
lemma_b1_width = Premise(m >= C * log(L / delta), {"C": _LOG_WIDTH}, source="frei2019, Lemma B.1")
lemma_b1_depth = Premise(L >= 2, source="frei2019, Section 3: one residual layer or more")
lemma_b1_premises = (lemma_b1_dimension, lemma_b1_width, lemma_b1_depth)

# ------------------------------------------------------------------ norms of states and products (B.1, C.1)

lemma_b2_core = Bound(exp(C1 * theta * L), note="on the norm of the product, for all gates of size 1 at most")
lemma_b2 = Bound(exp(C0 * theta * L), {"C0": _LAYER_NORM}, note="on the norm of the product, for all such gates")
lemma_b2_scale = Premise(
    C0 * theta * L <= log(Rational(101, 100)), {"C0": _LAYER_NORM}, source="frei2019, Lemma B.2: theta L is small"
)
lemma_b2_premises = (*lemma_b1_premises, lemma_b2_scale)
eq_38 = Bound(exp(theta * C2 * L) * norma, note="on the norm of the product applied to a vector")
a41_monotone = Bound(x, note="on the entry of the layer before it")
eq_35 = Bound(
    (C0 + tau) * exp(theta * L * (C0 + tau)), {"C0": _LAYER_NORM}, note="on the norm of the maps to the last layer"
)
# With 2 e <= 1 the exact law gives P(| ||x_1|| - 1 | > e) <= 2 exp(-m (2 e/3.9336)^2), and a net has (3/mesh)^d points.
a41_layer1 = Bound(
    C * sqrt(d * log(m / (mesh * delta)) / m),
    {"C": Constant(2, "the Chernoff constant 3.9336 of the squared norm, halved, and a little")},
    note="on the distance of the norm from 1",
)
a41_layer1_width = Premise(
    m >= C * d * log(m / (mesh * delta)),
    {"C": Constant(16, "makes the distance at most 1/2")},
    source="frei2019, proof of Lemma 4.1",
)
eq_15 = Bound(
    C * sqrt(d * log(3 / (mesh * delta)) / m),
    {"C": Constant(Rational(7, 2), "sqrt(10) for the variance 5/m below the mean, times the square of 1.02")},
    note="on the loss of squared norm in the last layer, from norms of at most 1.02",
)
eq_13 = Bound(Rational(51, 50), note="on the norms of all layers")
eq_13_width = Premise(
    m >= C * d * log(m / (mesh * delta)),
    {"C": Constant(120000, "the deviation 0.0099 of the squared norm ratio of each of two layers, over a net")},
    source="frei2019, proof of Lemma 4.1",
)
lemma_41 = Bound(Rational(128, 125), note="on the norms of all layers, at all points of the sphere")
lemma_41_width = Premise(
    m >= C * d * log(m * L / delta),
    {"C": Constant(3000, "hidden in the paper; smaller than the union over a net gives, so that more is tested")},
    source="frei2019, Lemma 4.1",
)
lemma_41_depth = Bound(
    C, {"C": Constant(1, "fitted on small depths: no power of the depth")}, note="on the logarithm of the last norm"
)
lemma_41_scale_one = Bound(C * L, {"C": Constant(1, "fitted")}, note="on the same with the scale 1")
lemma_41_plain = Bound(
    C * sqrt(L / m), {"C": Constant(1, "fitted")}, note="on the root mean square of the same without skips"
)
eq_35_certified = Bound(
    (C2 + tau) * exp(theta * L * (C2 + tau)), note="on the norm of the maps, C2 the largest norm before the steps"
)
eq_35_radius = Premise(tau <= 1, source="frei2019, Appendix B.4")

# ------------------------------------------------------------------ Lipschitz constants in the inputs (C.2)

lemma_b3_width = Premise(
    m >= C * d * log(m * L / delta),
    {"C": Constant(4, "as for the norms of the layers, which is all that the argument asks for")},
    source="frei2019, Lemma B.3",
)
lemma_b3_premises = (lemma_b3_width, lemma_b2_scale)
lemma_b3 = Bound(
    C * dinput, {"C": Constant(17, "1.01 times the square of 41/10")}, note="on the distance of two outputs of a layer"
)

# ------------------------------------------------------------------ change with the weights, flips (C.3)

eq_36 = Bound(distop, note="on the distance of the outputs of the first layer, at inputs of norm 1")
eq_37 = Bound((1 + theta * normW) * dinput + theta * distop * normX, note="on the distance of the outputs of a layer")
eq_18 = Bound(distop * normX + normW * dinput, note="on the norm of what the neurons carry whose gates differ")
eq_18_middle = Bound(drift, note="on the norm of what the neurons carry whose gates differ: the first of both bounds")
def_neighbourhood = Bound(tau, note="on the largest Frobenius norm of the step of a layer")
# With ||W_l|| <= 41/10 and a radius of 1 at most, residual layers grow by 1.02 and the last one by 51/10; the first
# output is at most 3/2 and 1 more.
lemma_b4 = Bound(
    C * (dfirst + theta * dskips + dlast),
    {"C": Constant(14, "51/10 times 2.55 for the norms of the outputs, and the growth of the residual layers")},
    note="on the distance of two outputs of a layer",
)
lemma_b4_width = Premise(
    m >= C * d * log(m * L / delta),
    {"C": Constant(4, "as for the Lipschitz constant in the input; smaller than a net gives, so that more is tested")},
    source="frei2019, Lemma B.4",
)
lemma_b4_radius = Premise(
    m >= C * tau ** Rational(-4, 3) * d * log(m / (tau * delta)),
    {"C": Constant(1, "hidden in the paper; d - 1 gates turn for nothing at the worst input")},
    source="frei2019, Lemma B.4",
)
lemma_b4_premises = (lemma_b4_width, lemma_b4_radius, lemma_b2_scale, eq_35_radius)
lemma_b4_flips = Bound(
    C * m * tau ** Rational(2, 3),
    {"C": Constant(Rational(8, 5), "what is met where the input of the layer moves too; fitted on narrow layers")},
    note="on the gates of a layer that differ",
)
c3_split = Bound(count + drift**2 / beta_**2, note="on the gates of a layer that differ, for every threshold")
c3_split_choice = Bound(
    (C1 + C2) * m * tau ** Rational(2, 3), note="the sum of both terms at the threshold m^(-1/2) tau^(2/3)"
)
eq_30_union = Bound(Rational(19, 20) * m, note="from below on the neurons that differ at one of the samples or more")
eq_30_union_radius = Premise(
    tau * n >= 10,
    source="frei2019, eq. (32), which takes all samples",
    note="a gate turns at the nearest of n samples for some 2/(n m^(1/2)), and m of them for 2/n",
)
eq_32 = Bound(
    C * tau,
    {"C": Constant(Rational(103, 100), "the growth of the residual layers, and theta L times the norms of outputs")},
    note="on the loss of norm of the gradient of a neuron whose gate is the same at all samples, over the error",
)
eq_32_premises = (lemma_b4_width, lemma_b2_scale, eq_35_radius)
eq_32_weighted = Bound(
    dinput + chance * normX, note="on the loss of norm of the gradient of any neuron, over the surrogate error"
)

# ------------------------------------------------------------------ sparse vectors (C.3, C.4, D)

lemma_b5 = Bound(
    C * (tau * sqrt(m) + sqrt(s * log(m))),
    {"C": Constant(2, "as in the form with the dimension")},
    note="on the response of the output to sparse vectors, for all inputs",
)
lemma_b5_width = Premise(
    m >= C * tau ** Rational(-2, 3) * log(L / delta) / log(m),
    {"C": Constant(1, "hidden in the paper")},
    source="frei2019, Lemma B.5",
)
lemma_b5_corrected = Bound(
    C * (tau * sqrt(m) + sqrt((s + d) * log(m))),
    {"C": Constant(2, "of a Gaussian of variance 1, over m^(s + d) entries and gates, and L/delta: 2 of each")},
    note="on the response of the output to sparse vectors, for all inputs",
)
lemma_b5_below = Bound(sqrt(d) / 3, note="from below on the response to one entry, at some input")
lemma_b5_below_dimension = Premise(m >= 8 * d, source="frei2019, none there: the gates are m, and d numbers open them")
lemma_b5_below_chance = Premise(
    d >= 4 * log(1 / delta), source="frei2019, none there: of few numbers none may open the gate of the entry"
)
sparse_logarithm = Premise(
    s * log(m) >= C * log(L / delta),
    {"C": Constant(1, "lets the union over the layers cost no more than one over the entries")},
    source="frei2019, Lemmas C.3 and C.4",
)
b5_split = Bound(0, note="difference of the response and the sum of its four terms")
b5_split_terms = Bound(tau * sqrt(m) * norma, note="on the two terms with the step of the last layer")
# 8^2/16 = 4 is 2 for both nets and 1 for the layers, and the rest pays for the points that m^s does not count, if the
# maps have norms of at most 101/100.
lemma_c3 = Bound(
    C * sqrt(s * log(m) / m),
    {"C": Constant(8, "twice the tail over nets of m^s points each, on vectors of norm 101/100 at most")},
    note="on the bilinear form of the last layer over sparse vectors",
)
lemma_c3_sharp = Bound(
    C * sqrt(s * log(m) / m),
    {"C": Constant(4, "Gordon's inequality: the widths of both sets of sparse vectors, at most sqrt(2 s log(m)) each")},
    note="on the bilinear form of the last layer over sparse vectors",
)
# 5^2/8 = 3.1: one for the net, one for the layers, and a third of what is left for the tail of gated sums.
lemma_c4 = Bound(
    C * sqrt(s * log(m)),
    {"C": Constant(5, "twice the tail over a net of m^s points, on vectors of norm 101/100 at most")},
    note="on the response of the output to sparse vectors, at one input",
)
lemma_c4_sharp = Bound(
    C * sqrt(s * log(m)),
    {"C": Constant(2, "of a Gaussian of variance 1, over m^s choices of entries and L/delta")},
    note="on the response of the output to sparse vectors, at one input",
)
lemma_c2 = Bound(
    C * m ** Rational(3, 2) * beta_,
    {"C": Constant(2, "twice 5/(4 sqrt(pi)), the mean at norm 4/5 on the net, and what a union over it adds")},
    note="on the number of pre-activations below the threshold, for all inputs and layers",
)
lemma_c2_sharp = Bound(m ** Rational(3, 2) * beta_, note="on the same number at the worst input that is found")
lemma_c2_threshold = Premise(
    m >= C * sqrt(d * log(1 / (beta_ * delta))) / beta_,
    {"C": Constant(2, "makes the bound large beside what a union over the net adds")},
    source="frei2019, Lemma C.2",
)
lemma_c2_width = Premise(
    m >= C * d * log(m * L / delta),
    {"C": Constant(120, "keeps the first layer output above 4/5 on the net, a deviation of 9/25 in its square")},
    source="frei2019, Lemma C.2",
)
claim_d1 = Bound(
    (1 / (sqrt(pi) * clow) + 1 / sqrt(2)) * m ** Rational(3, 2) * beta_,
    note="on the number of small pre-activations: the mean, and Hoeffding's inequality over all vectors",
)
claim_d1_threshold = Premise(m >= sqrt(log(4 * rows / delta)) / beta_, source="frei2019, Claim D.1, constant 1")
d1_lift = Bound(2 * beta_, note="on the pre-activation at the point of the net, where it is at most beta at the input")
eq_44 = Bound(2 * r * sqrt(log(1 / delta) / m), note="on the bilinear form at fixed unit vectors")
eq_44_law = Bound(sqrt(2 / m), note="standard deviation of the bilinear form, over the length of the image")
d2_lift = Bound(2 * netmax, note="on the supremum over pairs of sparse vectors, from 1/4-nets")
d2_lift_sharp = Bound(netmax / (1 - mesh**2 / 2) ** 2, note="the same from the angle of two unit vectors at a distance")
d3_lift = Bound(2 * netmax, note="on the supremum over sparse vectors, from a 1/2-net")
d3_lift_sharp = Bound(netmax / (1 - mesh**2 / 2), note="the same from the angle of two unit vectors at a distance")

# ------------------------------------------------------------------ semi-smoothness (B.2)

eq_16 = Bound(0, note="difference of the outputs less (T1) + (T2) + (T3), and of both sides of the recursion before it")
eq_17 = Bound(0, note="difference of both sides, in all layers, which makes it that of (22) and of the split of (T3)")
eq_25_printed = Bound(0, note="difference of both sides with H_l, in a residual layer")
eq_25 = Bound(0, note="difference of both sides with H_{l+1}")
b2_taylor = Bound(mean_sq / 4, note="on the loss beyond first order, mean_sq the mean of all Delta_i^2")
b2_taylor_sharp = Bound(mean_sq / 8, note="on the same, as l'' is at most 1/4")
b2_taylor_outputs = Bound(m * dist**2, note="on Delta_i^2, dist the change of the last state")
lemma_42_scale = Premise(theta * L <= 1, source="frei2019, the assumption on theta, with the constant 1")
lemma_42_radius = Premise(tau <= 1, source="frei2019, Lemma 4.2: the ball is that of Lemma B.5")
lemma_42_premises = (lemma_42_scale, lemma_42_radius)
_HIDDEN = "hidden in the paper; more than kinks reach at the sizes tested"
_KINKS = Constant(1, _HIDDEN)
_SQUARE = Constant(Rational(1, 2), "hidden in the paper; more than steps of two layers reach")
eq_21 = Bound(
    C1 * tau ** Rational(1, 3) * sqrt(m) * h + C2 * sqrt(m) * pairs,
    {"C1": Constant(2, _HIDDEN), "C2": _SQUARE},
    note="on the size of (T1) less its linear part",
)
eq_23 = Bound(
    C1 * tau ** Rational(1, 3) * sqrt(m * log(m)) * carried + C2 * sqrt(m) * pairs,
    {"C1": Constant(Rational(3, 4), _HIDDEN), "C2": _SQUARE},
    note="on the size of (T2) less its linear part",
)
eq_24 = Bound(tau ** Rational(1, 3) * sqrt(m * log(m)) * omega, note="on the size of (T3) less its linear part")
eq_26 = Bound(
    C1 * tau ** Rational(1, 3) * sqrt(m * log(m)) * h + C2 * sqrt(m) * h**2,
    {"C1": _KINKS, "C2": _SQUARE},
    note="on the size of the change of the output less its linear part",
)
_FITTED = Constant(1, "fitted on the calibration cells")
eq_26_kinks = Bound(
    C * sqrt(m) * tau ** Rational(1, 3) * h, {"C": _FITTED}, note="on the excess of the output at kinks"
)
eq_26_certified = Bound(SumGam + pairs, note="on the excess of the output, by measured norms of all factors")
eq_26_quadratic = Bound(C * sqrt(m) * h**2, {"C": _FITTED}, note="on the excess of the output away from kinks")
a2_i1 = Bound(C * tau ** Rational(4, 3) * sqrt(m * log(m)), {"C": _FITTED}, note="on f_W less its linearisation")
a2_i1_sharp = Bound(C * sqrt(m) * tau ** Rational(4, 3), {"C": _FITTED}, note="on f_W less its linearisation")
lemma_42 = Bound(
    C1 * tau ** Rational(1, 3) * sqrt(m * log(m)) * h * ES + C2 * m * h**2,
    {"C1": _KINKS, "C2": Constant(Rational(1, 8), "half of the largest second derivative of the loss")},
    note="on the change of the loss less its linear part",
)

# ------------------------------------------------------------------ margin and gradient from below (B.3, C.5)

assumption_32 = Bound(gamma, note="from below on the margins of the random feature function")
assumption_32_largest = Bound(gamma, note="mean modulus of the sum of features with the best weights of the samples")
assumption_32_digits = Bound(rms / 2, note="from below on the margin of random features")
assumption_32_breast_cancer = Bound(Rational(1, 10000), note="on the margin of random features")
prop_c5 = Bound(gamma / 2, note="from below on the aligned states of all layers")
prop_c5_width = Premise(
    m >= C * (d * log(1 / gamma) + log(L / delta)) / gamma**2,
    {"C": Constant(8, "hidden in the paper: makes the deviation on the sphere about half of the margin")},
    source="frei2019, Proposition C.5",
)
# |<alpha', S W^T x>| <= ||W|| ||x||, so that C_7 is at most the norm of a layer times that of a state.
_DRIFT = Constant(Rational(21, 5), "C_7: norms of 41/10 for a layer and of 128/125 for a state")
prop_c5_scale = Premise(theta * L <= gamma / (4 * C), {"C": _DRIFT}, source="frei2019, last line of the proof of C.5")
prop_c5_premises = (prop_c5_width, prop_c5_scale)
eq_39 = Bound(0, note="difference of both sides, for all layers")
eq_40 = Bound(C, {"C": Constant(2, "C_6: the mean 2/sqrt(pi) at norms near 1, and what the sphere adds")})
eq_40_width = Premise(
    m >= C * d * log(L / delta), {"C": Constant(16, "hidden in the paper")}, source="frei2019, proof of C.5"
)
eq_40_terms = Bound(sumpre, note="on the drift of one layer along a vector of entries 1/sqrt(m) at most")
eq_40_mean = Bound(2 * r / sqrt(pi), note="mean of the sum of sizes, r the norm of what enters the layer")
eq_41 = Bound(a * gamma / 4, note="from below on the weighted aligned state")
eq_42 = Bound(
    sqrt(log(2 * n / delta) / (2 * m)), note="on the loss of open gates, as a share, by Hoeffding's inequality"
)
eq_42_printed = Bound(Rational(1, 100), note="on the same where the width suffices")
eq_42_width = Premise(m >= 5000 * log(2 * n / delta), source="frei2019, eq. (42): what the constant has to be")
lemma_b6 = Bound(m * gamma**2 * S1**2 / 67, note="from below on the sum over neurons, for all weights of the samples")
lemma_b6_sharp = Bound(
    m * gamma**2 * S1**2, note="the same: the states have the margin sqrt(2) gamma, and gates differ"
)
lemma_b6_samples = Premise(
    m >= C * log(n / delta),
    {"C": Constant(8, "hidden in the paper; less than the 5000 of (42), so that more is tested")},
    source="frei2019, Lemma B.6",
)
lemma_b6_premises = (*prop_c5_premises, lemma_b6_samples)
eq_27 = Bound(m * gamma**2 * ES**2 / 67, note="from below on the sum over neurons, with the slopes of the loss")
eq_29 = Bound(m * gamma**2 / 141, note="from below on the neurons of large gradient")
eq_31 = Bound(m * gamma**2 / 150, note="from below on those of them whose gates stay")
eq_31_flips = Premise(
    Cflip * tau ** Rational(2, 3) < gamma**2 * (Rational(1, 141) - Rational(1, 150)),
    source="frei2019, proof of Lemma 4.3, before (31)",
)
eq_33 = Bound(gamma * ES / 16, note="from below on the gradient of a neuron whose gates stay")
eq_33_printed_shift = Premise(
    Cmove * tau < 1 / sqrt(134) - Rational(1, 16), source="frei2019, proof of Lemma 4.3, before (33)"
)
eq_33_shift = Premise(
    Cmove * tau <= gamma * (1 / sqrt(134) - Rational(1, 16)), source="frei2019, before (33), with the margin"
)
lemma_43 = Bound(m * gamma**4 * ES**2 / 38400, note="from below on the squared gradient of the last layer")
lemma_43_radius = Premise(
    tau <= C * gamma**3,
    {"C": Constant(1, "nu, hidden in the paper; larger than its proof gives, so that more is tested")},
    source="frei2019, Lemma 4.3",
)
lemma_43_premises = (*lemma_b6_premises, lemma_43_radius)
lemma_43_sharp = Bound(m * gamma**2 * ES**2, note="the same for steps of order gamma, by the mean over neurons")
lemma_43_sharp_radius = Premise(
    tau <= C * gamma, {"C": Constant(Rational(1, 4), "leaves half of the margin")}, source="frei2019, Lemma 4.3"
)
lemma_43_sharp_premises = (*lemma_b6_premises, lemma_43_sharp_radius)
lemma_43_averaged = Bound(m * (ES * gated) ** 2, note="the same, for all weights and any direction of norm 1")
lemma_43_flipped = Bound(turned / c, note="on the neurons where changed gates take a share c of the weights")

# ------------------------------------------------------------------ gradient from above (A.2, B.4)

eq_10 = Bound(
    C * theta**exponent * sqrt(m),
    {"C": Constant(2, "hidden; products of the norms of Lemma B.1 give 17, and at the start sqrt(1/2) is met")},
    note="on the gradient of the output in each layer, at all points of the sphere",
)
lemma_44 = Bound(
    C * theta**exponent * sqrt(m) * ES,
    {"C": Constant(4, "hidden; products of the norms of Lemma B.1 with tau added would give 27")},
    note="on the gradient of the loss in each layer, at all weights of the ball",
)
lemma_44_certified = Bound(theta**exponent * normX * Gam_l * ES, note="on the gradient of the loss in each layer")
lemma_44_orders = Bound(
    C * sqrt(m) * theta, {"C": Constant(1, "fitted")}, note="on the gradient in a residual layer over the error"
)
assumption_33 = Bound(
    C * theta**exponent * sqrt(m),
    {"C": Constant(3, "that of (10) times sqrt(2)")},
    note="on the same, m the least of the widths",
)
assumption_33_widths = Premise(2 * m >= M, source="frei2019, Assumption 3.3", note="2 stands for any fixed factor")
eq_5 = Bound(
    eta * C * sqrt(m) * ES * (2 + theta**2 * (L - 1)), dict(lemma_44.constants), note="on h of a step of descent"
)
eq_5_certified = Bound(
    eta * Gmax * sqrt(m) * ES * (2 + theta**2 * (L - 1)), note="on the same, Gmax the one that is met"
)
eq_5_identity = Bound(0, note="difference of h of the step and of eta times the weighted sum of gradient norms")
eq_28 = Bound(Rational(51, 50), note="on the norm of the gradient of a neuron over the surrogate error")
eq_28_certified = Bound(normX, note="on the norm of the gradient of a neuron over the surrogate error")

# ------------------------------------------------------------------ descent (A.1)

# Given what enters the last layer, m/2 independent pairs give P(|f| > t) <= 2 exp(-t^2/(2 r^2)) with r its norm; r is
# at most 5/4 here, and log(2 n/delta) at most 1.24 log(n/delta) where n/delta is 20 or more.
eq_8_outputs = Bound(
    C * sqrt(log(n / delta)),
    {"C": Constant(2, "sqrt(2) times 5/4 times the root of 1.24, rounded up")},
    note="on the outputs at all samples",
)
eq_8 = Bound(
    C * sqrt(log(n / delta)),
    {"C": Constant(Rational(13, 5), "that of the outputs, and 1/sqrt(log(20)) for the 1 of the loss")},
    note="on the loss at the start",
)
eq_8_samples = Premise(n >= 20 * delta, source="frei2019, none there: the logarithm is to absorb 1")
eq_8_premises = (lemma_b3_width, lemma_b2_scale, eq_8_samples)
eq_4 = Bound(tau, note="on the distance of every layer from the start after the step")
eq_4_inside = Premise(tau >= 2 * D, source="frei2019, Appendix A.1: the iterates before are within tau/2")
eq_4_step = Premise(2 * Gmax * eta * sqrt(m) <= tau, source="frei2019, Appendix A.1, before (4)")
eq_4_premises = (eq_4_inside, eq_4_step)
# tau is gamma^12 log(m)^(-3/2) in the width of Lemma B.4, and K eta is tau^2 gamma^4 with eta = gamma^4/m; the hidden
# constants are 1, which asks for no more width than the proof does.
theorem_35_width = Premise(
    m >= d * log(m) ** 2 * log(m * log(m) ** Rational(3, 2) / (gamma**12 * delta)) / gamma**16,
    source="frei2019, Theorem 3.5, constant 1",
)
theorem_35_time = Premise(
    m * gamma**24 >= K * log(m) ** 3 * sqrt(log(n / delta)), source="frei2019, Theorem 3.5, constants 1"
)
theorem_35_premises = (theorem_35_width, theorem_35_time)
theorem_35 = Bound(
    C * (K * eta * m) ** Rational(-1, 2) * log(n / delta) ** Rational(1, 4) / gamma**2,
    {"C": Constant(Rational(1, 10), "hidden; so small that the start does not meet it")},
    note="on the least surrogate error of K steps",
)
theorem_35_errors = Premise(
    rise <= 1,
    source="frei2019, Appendix A.1, the bracket before (6)",
    note="at every step what kinks and curvature take is at most half of what the last layer gives",
)
theorem_35_length = Premise(
    tau * gamma**2 >= Gmax * sqrt(8 * K * eta * fall / c0), source="frei2019, Theorem 3.5: the condition on K eta"
)
theorem_35_distance = Bound(tau / 2, note="on the distance of every layer from the start")
theorem_35_certified = Bound(sqrt(2 * fall / (c0 * K * eta * m)) / gamma**2, note="on the least surrogate error")
eq_6 = Bound(
    C * eta * m * gamma**4 * ES**2,
    {"C": Constant(Rational(1, 76800), "half of the constant of Lemma 4.3: the other half is for the bracket")},
    note="from below on what the loss falls by in a step",
)
eq_7 = Bound(
    C * fall / (eta * m * gamma**4),
    {"C": Constant(76800, "the inverse of that of (6)")},
    note="on the squared surrogate error before the step",
)
eq_6_certified = Bound(eta * c0 * m * gamma**4 * ES**2 / 2, note="from below on what the loss falls by in a step")
eq_7_certified = Bound(2 * fall / (c0 * eta * m * gamma**4), note="on the squared surrogate error before the step")
eq_6_errors = Premise(
    eta * c0 * m * gamma**4 * ES**2 >= 2 * ES * change + dout**2 / 4,
    source="frei2019, Appendix A.1, the bracket before (6)",
    note="what kinks and the curvature of the loss take is at most half of what the last layer gives",
)
a1_displacement = Bound(
    Gmax * sqrt(k * eta * fall / kappa) / gamma**2, note="on the distance of every layer after k steps"
)
a1_telescoping = Bound(sqrt(fall / (kappa * K * eta * m)) / gamma**2, note="on the least surrogate error of K steps")

# ------------------------------------------------------------------ generalisation (A.2)

_HALF = Constant(1, "log(2/delta)/2 is at most log(1/delta) where delta is at most 1/2: one half for each side")
a2_uniform = Bound(2 * complexity + C * sqrt(log(1 / delta) / n), {"C": _HALF}, note="on the gap of E, over all W")
a2_uniform_sharp = Bound(
    complexity / 2 + sqrt(log(2 / delta) / (2 * n)), note="on the same, as l' has slopes of 1/4 at most"
)
a2_rademacher_split = Bound(eapp + complexity, note="I_1 + I_2, on the complexity of the networks in the ball")
a2_i2_jensen = Bound(layersum * tau / n, note="on the linear part I_2")
a2_i2_khintchine = Bound(layersum * tau / (n * sqrt(2)), note="from below on the linear part I_2")
a2_i2 = Bound(C * tau * sqrt(m / n), {"C": Constant(1, "fitted")}, note="on I_2, for scales of order 1/L")
theorem_36 = Bound(
    2 * ES + C * (tau ** Rational(4, 3) * sqrt(m * log(m)) / 50 + tau * sqrt(m / n) + sqrt(log(1 / delta) / n)),
    {"C": Constant(1, "hidden in the paper; smaller than its proof gives, so that more is tested")},
    note="on the share of points with a negative margin",
)
theorem_36_radius = Premise(tau <= 1, source="frei2019, Appendix A.2: Lemma 4.2 at the start")
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
corollary_37_width = Premise(
    m * gamma**32 * eps**14 >= log(n / delta) ** 4 * (1 + log(m)) ** 3, source="frei2019, Corollary 3.7, constant 1"
)
corollary_37_samples = Premise(n * gamma**8 * eps**4 >= log(n / delta), source="frei2019, Corollary 3.7, constant 1")
corollary_37 = Bound(eps, note="on the share of points with a negative margin")
corollary_37_inside = Premise(tau >= D, source="frei2019, Theorem 3.5: the iterates stay in the ball of radius (11)")
corollary_37_certified = Bound(
    2 * sqrt(fall / (kappa * K * eta * m)) / gamma**2 + eapp + complexity + sqrt(2 * log(1 / delta) / n),
    note="on the same: Theorem 3.5 in Theorem 3.6, with what the run itself has in place of constants",
)

# ------------------------------------------------------------------ numbers and chains of conditions (A.3)

a1_loss_bound = Bound(1 + abs(z), note="on the logistic loss at the margin z")
b2_sparse_signs = Bound(sqrt(s), note="on the norm of a vector of s entries of size 1 at most")
a2_markov = Bound(2 / (1 + exp(z)), note="on the indicator of a negative margin z: twice -l'(z)")
b6_arith = Bound(Rational(1, 67), note="from below on (49/100)^2/16, the share of Lemma B.6")
d2_nets_printed = Bound(m**s, note="on binom(m, s) 9^s, for every s from 15 on")
d2_nets = Bound(m**s, note="on binom(m, s) 9^s, for every s from 22 on")
d2_nets_sparsity = Premise(
    s >= 22, source="frei2019, Appendix D.2, 15 there", note="22! exceeds 9^22, and 21! is below 9^21"
)
d2_nets_premises = (d2_nets_sparsity,)

eq_11_order = Bound(1 / (gamma**4 * eps * sqrt(m)), source="frei2019, Appendix A.3, eq. (11)")
a3_rates_width_order = Bound(1 / (gamma**32 * eps**14), note="width at which the second term of the error is small")
a3_rates_samples_order = Bound(1 / (gamma**8 * eps**4), note="samples at which the third term of the error is small")
a3_rates_steps_order = Bound(1 / (gamma**8 * eps**2), note="number of steps at the largest step size")
a3_rates_radius_order = Bound(1 / (gamma**32 * eps**2), note="width at which the radius is that of Theorem 3.5")
a3_width_printed_order = Bound(d + eps**-14, note="width as it is printed in the end, at any fixed margin")
corollary_37_order = Bound(
    1 / (gamma**32 * eps**14) + gamma**16 * d**3 * eps**4, note="width at which all conditions hold"
)
a3_width_order = Bound(gamma**16 * d**3 * eps**4, note="width at which Lemma B.4 holds with the radius (11)")

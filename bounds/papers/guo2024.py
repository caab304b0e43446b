"""Formula sheet of Guo, Li and Lerman (2024), the effect of leaky ReLUs on wide deep networks.

Each name is a statement of the paper, as in the other sheets: `_premises` what it asks for, `_sharp` a tighter bound
of the same argument, `_printed` and `_corrected` two readings where the printed one is false.

The slope of the leaky ReLU is `slope` (alpha in the paper, below 1), which enters as f = (1 - slope)^2/(1 + slope^2) or
its root. The separation delta is phi, the number of outputs d is `outputs`, the batch b is B, and the input dimension p
is d, as in the other sheets. The loss is the sum over the samples of squares, without 1/2 unless a note says so.
"""

from sympy import Max, Rational, log, pi, sqrt

from bounds.bound import Bound, Constant
from bounds.premise import Premise
from bounds.symbols import state_meanings, symbol

depth, outputs, B, jump, omega, eta, p, clock, L0 = map(
    symbol, ("depth", "outputs", "B", "jump", "omega", "eta", "p", "clock", "L0")
)
slope, m, n, L, l, phi, phi_pm, delta, C, Cbar = map(  # noqa: E741
    symbol, ("slope", "m", "n", "L", "l", "phi", "phi_pm", "delta", "C", "Cbar")
)
x, a, b, c, eps = map(symbol, ("x", "a", "b", "c", "eps"))
chance = symbol("chance")
beta_, drift2 = map(symbol, ("beta_", "drift2"))
s = symbol("s")
risk = symbol("risk")
kerlow, kerhigh, normsq, gradF, gradop = map(symbol, ("kerlow", "kerhigh", "normsq", "gradF", "gradop"))
complexity, layersum = map(symbol, ("complexity", "layersum"))
steep = symbol("steep")

state_meanings(
    "guo2024",
    {
        "z": "real argument of a scalar inequality; of a tail, the threshold in standard deviations",
        "slope": "slope of the leaky ReLU below zero, alpha in the paper",
        "phi": "separation: least distance between two inputs, delta in the paper",
        "phi_pm": "signed separation: least distance of an input from another input or its antipode",
        "outputs": "number of outputs, d in the paper",
        "d": "input dimension, p in the paper",
        "L": "depth: number of trained layers, each with an activation",
        "B": "mini-batch size, b in the paper",
        "omega": "radius of the ball around the initial weights, operator norm of every layer",
        "angle": "angle between two vectors",
        "theta": "chord between two unit vectors",
        "L0": "training loss at initialisation",
        "lam": "accuracy to which initial residuals are realised by a random layer",
        "jump": "jump of the derivative of the rescaled leaky ReLU at 0: (1 - alpha)/sqrt(1 + alpha^2), kappa",
        "dead": "probability that a layer of the network passes nothing on",
        "clock": "number of steps so far, t in the paper, where its powers count",
        "p": "exponent: slack of a width (tau, or epsilon of Theorem B.12), or of an early stop (kappa of Appendix A)",
        "K": "number of steps in all, T in the paper",
        "spectral": "spectral radius: largest absolute value of an eigenvalue",
        "normW": "largest operator norm of the trained layers",
        "chance": "probability that a squared norm of the input layer exceeds its part of the level",
        "gamma": "rate: the factor by which a step multiplies the loss",
        "clow": "least squared gradient along the path, over the loss there",
        "growth": "largest factor by which a mini-batch step multiplies the loss, beta",
        "shrink": "least factor by which a mini-batch step multiplies the loss",
        "kerlow": "least eigenvalue of the tangent kernel of all outputs",
        "kerhigh": "largest eigenvalue of the tangent kernel of all outputs",
        "kerlim": "least eigenvalue of the limiting tangent kernel, per neuron and for one output",
        "normsq": "squared Frobenius norm of the gradient of the loss in all weights",
        "gradF": "Frobenius norm of the gradient of the loss in all weights",
        "gradop": "largest operator norm of the gradients of the loss in the weights",
        "gradvar": "variance, over all points, of the gradient of the loss of one of them in all weights, at the start",
        "away": "distance of the targets of two antipodes",
        "C0": "factor of the constant of the rate, chosen for each set of data: 1 and 1/2 in Figure 2",
        "fall0": "share by which the training error falls in a step at slope 0, or the least kernel eigenvalue there",
        "r": "norm of the features that reach a layer",
        "layerlow": "least eigenvalue of the Gram matrix of the gradients in the layer where it is least",
        "back_part": "sum over the samples: norm of the change of the backward vector times that of the state",
        "fore_part": "sum over the samples: norm of the backward vector times that of the change of the state",
        "c": "height of a threshold in units of sqrt(log(m)/m), or a small absolute constant",
        "prodW": "largest norm of the products of layers above a step",
        "normX": "largest norm of the pre-activations below a step",
        "drift": "norm of the change of the pre-activations of a layer",
        "drift1": "norm of the part of that change which (42) bounds in norm",
        "drift2": "largest entry of the other part of that change, in size",
        "SumGam": "sum over the layers of the norm of what arrives at flipped neurons times the norm of their moves",
        "squares": "sum over the layers of the norms of backward vector, step, and change of what enters",
        "complexity": "empirical Rademacher complexity of a class of functions, with 1/n",
        "M": "largest size of an output less its target, over the class and all points",
        "eapp": "largest error of the linearisation over a class of networks and the points",
        "layersum": "sum over the layers of the root of the summed squared gradients of an output at the samples",
        "bends": "sum over the samples of the loss derivatives times the linearisation errors of the outputs",
        "steep": "sum over the samples of the squared derivatives of the loss in the outputs",
        "risk": "training loss: half of the sum of the squared residuals",
    },
)

# A hidden constant, fitted by the claims on small sizes.
_FITTED = {"C": Constant(1, "open in the paper; fitted on the smaller sizes")}

# ------------------------------------------------------------------ Section 2, setting

slope_below_one = Premise(slope < 1, source="guo2024, Section 2", note="slope below 1, as at 1 the network is linear")


claim_reparametrisation = Bound(1, note="1 plus the relative distance of the outputs in the two forms")

# ------------------------------------------------------------------ activation and its slopes


corollary_3_3 = Bound(
    (1 - slope) ** 2 / (1 + slope**2), note="what the slope does to the rate bound: f(alpha), below 1 for alpha > 0"
)


# ------------------------------------------------------------------ norms at initialisation (Appendix B.2)

# Probability claims are solved for the deviation at a failure probability delta. Of the slopes, 0 has the heaviest
# tails: a ratio is an average of w z^2 with w = 1/(1 + alpha^2) or alpha^2/(1 + alpha^2), which in convex order is
# below that with w = 1 or 0. "Omega" in an exponent is for arguments from some number on (Appendix B.1): without it the
# probability of a norm within eps of 1 in all layers would be of order eps^(L + 1) where eps sqrt(m) is small, and the
# claimed one of order eps^2. With delta at most 1/2 a prefactor of 2 costs a factor 2 in the exponent.


claim_subgaussian = Bound(
    C * sqrt(log(1 / delta) / m),
    {
        "C": Constant(
            5,
            "the rate of the heaviest law, that of slope 0, is at least 0.0902 t^2 for |log ratio| = t <= 1/4: C^2 >= "
            "22.2 for delta <= 1/2; above that the level is below a deviation and a half, where the density decides",
        )
    },
    note="on |log ratio|, printed log|ratio|: t/m at failure probability delta = exp(-(t/m)^2 m/C^2)",
)

ext_azuma = Bound(
    C * sqrt(L * log(1 / delta) / m),
    claim_subgaussian.constants,
    note="on the sum of L log ratios less their means: b eps at failure probability delta = exp(-b eps^2 m/C^2)",
)

claim_chi2_log = Bound(4 / m, note="on E[log(m/(2 H))], H ~ chi2_K with 0.4 m <= K <= 0.6 m")

# ------------------------------------------------------------------ separation (Appendix B.2)

claim_subexp_difference = Bound(
    2 * chance, note="on P(||A x_i - A x_j||^2 > s): twice P(||A x||^2 > s/2) as printed, > s/4 in the corrected form"
)


eq_34_corrected = Bound(phi_pm / (2 * (l + 1)), note="from below on the least distance of two outputs of layer l")
lemma_B_2_width = Premise(
    m >= C * L**4 * log(n**2 * L / delta),
    {"C": Constant(Rational(1, 4), "not printed; with 1/4 the least widths tried are among the smallest that do")},
    source="guo2024, Lemma B.2",
    note="width against depth",
)

# ------------------------------------------------------------------ products and perturbed layers (Appendix B.3)

lemma_B_3_few_outputs = Premise(
    outputs * L * log(m) <= m,
    source="guo2024, Lemma B.3, item 2",
    note="few outputs against the width, with the constant 1",
)
lemma_B_3_sparse = Premise(
    8 * s * L * log(m) <= m,
    source="guo2024, Lemma B.3, item 3",
    note="few entries against width and depth, with the constant 1/8",
)
lemma_B_3_sparse_width = Premise(
    m >= 32 * L * log(1 / delta),
    source="guo2024, Lemma B.3",
    note="width against depth, for a chance that the trials may ask",
)
lemma_B_3_response_sparse = Premise(
    s * L * log(m) <= m,
    source="guo2024, Lemma B.3, item 4",
    note="few entries against width and depth, with the constant 1",
)
eq_42_large = Premise(
    beta_ > 2 * drift2,
    source="guo2024, Appendix B.3, before the sets S_1 and S_2",
    note="threshold above the second part of the change",
)
# Orders of Lemma B.4; the constants are fitted, and the powers of the depth are upper ends.
_RADIUS = Constant(20, "hidden in the paper, as are all constants of the orders that need this radius")
lemma_B_4_radius = Premise(
    omega * L ** Rational(9, 2) * log(m) ** Rational(3, 2) <= C,
    {"C": _RADIUS},
    source="guo2024, Lemma B.4",
    note="radius small against depth",
)
lemma_B_4_width = Premise(m >= L**2, source="guo2024, Lemma B.4", note="width against depth, with the constant 1")
lemma_B_5_item_1 = Bound(
    C * sqrt(L),
    {"C": Constant.above(12, attacked=9.0, why="99 of 100 starts, 16 layers of 192 neurons, gates stretch most")},
)
lemma_B_5_width = Premise(
    m >= 8 * L * log(1 / delta),
    source="guo2024, Lemma B.5",
    note="width against depth, for a chance that trials may ask; the paper has the probability 1 - exp(-Omega(m/L))",
)
eq_49 = Bound(0, note="g_l' less its expansion")
claim_h_prime = Bound(0, note="h_l' less its expansion")

# ------------------------------------------------------------------ layer gradients (Appendix B.4, Lemma 4.2)

eq_79 = Bound(1, note="mean of ||z_{l-1}||^2/||z_l||^2, z_l the gated backward vector of layer l")

_SQUARED_JUMP = (1 - slope) ** 2 / (1 + slope**2)

lemma_B_6_outputs = Premise(
    Cbar * outputs * L * Max(1, log(m)) <= m,
    {"Cbar": Constant(8, "open in the paper; the root of 2 outputs/m, which counts at slope 0, is then at most 1/2")},
    source="guo2024, Lemma B.6",
    note="few outputs against width and depth",
)
lemma_B_6_width = Premise(
    m >= Cbar * L * log(1 / delta),
    {"Cbar": Constant(128, "open in the paper; keeps the squared norm of a layer below 4/3 at level delta")},
    source="guo2024, Lemma B.6",
    note="width against depth; the paper has the probability 1 - exp(-Omega(m/L))",
)
lemma_B_6_premises = (lemma_B_6_outputs, lemma_B_6_width)

lemma_B_7_width = Premise(
    m >= Cbar * L**2 * log(n / delta) / phi_pm**2,
    {"Cbar": Constant(16, "open in the paper; leaves some fifty neurons between the two nearest points")},
    source="guo2024, Lemma B.7",
    note="width against separation; the paper has the probability 1 - exp(-Omega(m phi^2)), and in the proof a "
    "factor 1/L^2 besides",
)
lemma_4_2 = Bound(
    c * _SQUARED_JUMP * phi * m / (n * outputs),
    {
        "c": Constant(
            Rational(7, 10), "4 for the derivative of the square, a fifth as for one layer, less what steps take"
        )
    },
    note="(10), from below on ||grad L||_F^2/L for all residuals, with the loss without 1/2",
)
lemma_4_2_corrected = Bound(
    c * _SQUARED_JUMP * phi_pm * m / (n * outputs),
    lemma_4_2.constants,
    note="as the printed form, with the signed separation",
)
lemma_4_2_radius = Premise(
    omega <= C * phi_pm ** Rational(3, 2) / (n ** Rational(3, 2) * L ** Rational(15, 2) * log(m) ** Rational(3, 2)),
    {"C": Constant(1, "open in the paper; steps of this size make a fifth of the gates between two points alike")},
    source="guo2024, Lemma 4.2",
    note="radius small against the signed separation",
)
lemma_4_2_width = Premise(
    m >= Cbar * L**3 * log(n / delta) / phi_pm**2,
    lemma_B_7_width.constants,
    source="guo2024, Lemma 4.2",
    note="width against separation; the paper has the probability 1 - exp(-Omega(m phi^2/L^3))",
)
eq_14 = Bound(
    C * sqrt(1 + slope**2) / (1 - slope) * sqrt(n * outputs / (phi * m)),
    {"C": Constant(sqrt(Rational(10, 7)), "the inverse root of the constant of (10)")},
    note="on sqrt(L)/||grad L||_F",
)
eq_14_corrected = Bound(
    C * sqrt(1 + slope**2) / (1 - slope) * sqrt(n * outputs / (phi_pm * m)),
    eq_14.constants,
    note="as the printed form, with the signed separation",
)
eq_142 = Bound(
    c * _SQUARED_JUMP * phi * m / (n * outputs),
    {"c": Constant(Rational(7, 40), "a quarter of the constant of (10), as e is the derivative of the loss itself")},
    note="from below on ||grad L||_F^2 over the sum of all ||e_i||^2",
)
eq_142_corrected = Bound(
    c * _SQUARED_JUMP * phi_pm * m / (n * outputs),
    eq_142.constants,
    note="as the printed form, with the signed separation",
)

# ------------------------------------------------------------------ semi-smoothness (Appendix B.5, Lemma 4.1)

eq_105 = Bound(
    C * m / outputs,
    {"C": Constant(Rational(1, 10), "open in the paper; the quotient tends to 0 like 1/(2 sqrt(m)) for one output")},
    note="from below on - log P(||B h||^2 > sqrt(m/d) ||h||^2)",
)
eq_98 = Bound(C * n * L**2 * m * omega**2 / outputs, _FITTED, note="on (97), half of the squared changes of outputs")
lemma_4_1 = Bound(
    C * L**2 * (m * n * omega**2 / outputs + jump * omega ** Rational(4, 3) * sqrt(m * n * risk * log(m) / outputs)),
    {"C": Constant.above(Rational(2, 5), attacked=0.2902, why="gradients at slope 0.999, one layer: squares have 1/4")},
    note="on the remainder of the loss, for a step as long as the radius",
)

# ------------------------------------------------------------------ gradient descent (Section 3, Appendix B.6)

eq_109 = Bound(
    C * outputs * log(m),
    {"C": Constant(Rational(1, 20), "open in the paper; the quotient tends to 0 like 1/(2 sqrt(log m))")},
    note="from below on - log P(chi2_d > (1 + eps) d) at eps = sqrt(log m)",
)
eq_108 = Bound(
    C * n * sqrt(log(m)),
    {"C": Constant(4, "open in the paper; with any constants the statement fails from some width on")},
    note="on the loss at the start, with probability 1 - m^(-1/2)",
)
_OPEN_WIDTH = {"C": Constant(1, "open in the paper; the argument against it holds at every width")}
_STEP_CONSTANT = {
    "C": Constant(Rational(1, 2), "by half of it the step of a linear model is below 1 over its largest eigenvalue")
}


theorem_3_1_width = Premise(
    m >= C * log(m) ** 4 * n**5 * L**15 * outputs * (1 + slope**2) / (phi**4 * (1 - slope) ** 2),
    _OPEN_WIDTH,
    source="guo2024, Theorem 3.1",
    note="width against separation, samples and depth",
)
theorem_3_1_flips = Premise(
    m * phi_pm >= 80,
    source="guo2024, Theorem 3.1",
    note="neurons that tell the points apart: so many that their share is near its mean",
)
eq_16_step = Premise(
    eta <= C * outputs / (n * L**2 * m), _STEP_CONSTANT, source="guo2024, eq. (16)", note="step small enough"
)
eq_16_kinks = Premise(
    (1 - slope) * omega ** Rational(1, 3) * L**2 * sqrt(m * n * L0 * log(m))
    <= C * gradF * sqrt(outputs * (1 + slope**2)),
    {"C": Constant(1, "so that flips take up less than the step leaves over one third; 2 is too much at 64 neurons")},
    source="guo2024, eqs. (12), (15)",
    note="kinks small against the gradient: the term of (12), so that it is absorbed",
)
eq_16_width = Premise(
    m >= 64 * L * outputs,
    source="guo2024, none in eq. (16), where the theorem has more",
    note="width against depth and outputs, ours, for norms near their means",
)
eq_16_near = Premise(
    L * omega <= 1,
    source="guo2024, none in eq. (16), where the ball of Lemma 4.2 is smaller",
    note="a path near its start, so that the moves of the layers add up, and do not multiply, also where no kink bends",
)
_EXPANSION = {"C": Constant.above(2, attacked=1.01, why="steps of which residuals feel most, two outputs and slope -2")}
eq_11_13_kinks = Bound(
    C
    * gradop
    * eta
    * (1 - slope)
    * omega ** Rational(1, 3)
    * L**2
    * sqrt(m * n * L0 * log(m) / (outputs * (1 + slope**2))),
    _EXPANSION,
    note="on the change of the loss in a step beyond -eta ||grad||^2, without the term of second order",
    source="guo2024, Section 4.1, eq. (12)",
)
eq_11_13_second_order = Bound(
    C * gradop**2 * eta**2 * n * L**2 * m / outputs,
    _EXPANSION,
    note="on the change of the loss in a step beyond -eta ||grad||^2, without kinks",
    source="guo2024, Section 4.1, eq. (13)",
)
eq_11_13 = Bound(
    eq_11_13_kinks.expr + eq_11_13_second_order.expr,
    _EXPANSION,
    note="on the change of the loss in a step beyond -eta ||grad||^2",
)
eq_111_width = Premise(
    m * jump**2 * phi_pm**4 >= C * n * outputs * L0,
    {"C": Constant(200, "three times what was needed: at 65 a step of some pairs is 1.06 times as long as it may be")},
    source="guo2024, Theorem 3.1",
    note="width against separation, slope and loss at the start: the distance then leaves nearly all gates of "
    "the neurons that tell the points apart as they are",
)
lemma_B_9 = Bound(
    C * phi ** Rational(3, 2) / (n ** Rational(3, 2) * L ** Rational(15, 2) * log(m) ** Rational(3, 2)),
    {"C": Constant(2, "open in the paper; 60 starts with 2^13 neurons near antipodes go 1.2 to 2.2 times as far")},
    note="on the distance from the start at all times, operator norm of every layer",
)
lemma_B_9_width = theorem_3_1_width
lemma_B_9_width_from_below = Premise(
    theorem_3_1_width.relation,
    {"C": Constant(Rational(1, 17), "open in the paper; with 1 a path meets half a million neurons in each step")},
    source="guo2024, Lemma B.9",
    note="width against separation, samples and depth",
)
lemma_B_9_step = Premise(
    eta < phi ** Rational(3, 2) * sqrt(outputs) / (n**3 * L ** Rational(15, 2) * sqrt(m) * log(m) ** 2),
    source="guo2024, Lemma B.9",
    note="step small enough",
)
lemma_B_9_corrected_step = Premise(
    lemma_B_9_step.relation.subs(phi, phi_pm),
    source="guo2024, Lemma B.9, with the signed separation",
    note="step small enough",
)

# ------------------------------------------------------------------ stochastic gradient descent (Appendix B.7)

theorem_3_2_rate = Bound(
    C * jump**2 * eta * B * phi_pm / n, _FITTED, note="from below on 1 - gamma in the mean over batches, eta per neuron"
)
eq_113_third = Bound(eta * B * normsq / (3 * n), note="from below on the mean decrease of the loss in a step")
eq_113_step = Premise(
    eta <= C * outputs / (B * L**2 * m),
    _STEP_CONSTANT,
    source="guo2024, before eq. (113)",
    note="step small enough for the batch",
)
eq_113_kernel = Premise(
    eta <= kerlow / (2 * kerhigh**2),
    source="guo2024, before eq. (113)",
    note="step small enough: what the variance of a batch needs",
)
eq_120_late = Premise(b * sqrt(clock) > 2 * a, source="guo2024, eq. (120)", note="late enough on the path")

claim_square_completion = Bound(a**2 * x**2 / 2, note="from below on (a x + b)^2, or (a x - b)^2 as the proof needs it")
claim_square_completion_far = Premise(
    a * x > 4 * b, source="guo2024, Appendix B.7, before eq. (120)", note="argument far enough from 0"
)

# ------------------------------------------------------------------ complexity and linearisation (Appendix B.8)

lemma_4_3_radius = Premise(
    omega <= phi ** Rational(3, 2) / (n ** Rational(3, 2) * L ** Rational(15, 2) * log(m) ** Rational(3, 2)),
    source="guo2024, Section 4.1, Lemma 4.3",
    note="radius small against separation and samples, with the constant 1",
)
eq_125_bound = Bound(omega * layersum / n, note="on the linear part, on the Frobenius ball")
eq_132 = Bound(
    C * jump * omega ** Rational(4, 3) * L**2 * sqrt(m * log(m)), _FITTED, note="on the sum (129), of sign changes"
)

# ------------------------------------------------------------------ risk bounds and chains (Appendices A, B.9 to B.11)

# Orders, without constants and logarithms; `jump` squared is f(alpha). The radius that Lemma 4.2 asks for, the one that
# (15) needs with the powers it has, and the one with which (90) and (92) keep their factors n and f(alpha).
lemma_4_2_radius_order = Bound(phi ** Rational(3, 2) / (n ** Rational(3, 2) * depth ** Rational(15, 2)))
eq_15_radius_order = Bound(phi ** Rational(3, 2) / (n**3 * depth**6))
lemma_B_4_radius_order = Bound(depth ** Rational(-9, 2))
# The distance from the start by (111) with a loss of order n, and by Lemma B.10.
eq_111_order = Bound(n * sqrt(outputs / (phi * m)) / jump, source="guo2024, Appendix B.6, eq. (111)")
lemma_B_10_order = Bound(sqrt(outputs * n) * n**2 / (jump**4 * phi * depth * sqrt(m * B)))
theorem_3_1_width_order = Bound(n**5 * depth**15 * outputs / (jump**2 * phi**4))
theorem_3_1_step_order = Bound(outputs / (n * depth**2 * m), source="guo2024, Section 3, Theorem 3.1")
theorem_3_2_step_order = Bound(outputs * phi / (m * n**3 * depth**3), source="guo2024, Section 3, Theorem 3.2")
# 1 - gamma of Theorems 3.1 and 3.2, and beta - 1 of (117).
theorem_3_1_rate_order = Bound(jump**2 * eta * phi * m / (n * outputs), source="guo2024, Section 3, Theorem 3.1")
theorem_3_2_rate_order = Bound(jump**2 * eta * B * phi * m / (n**2 * outputs), source="guo2024, Section 3, Theorem 3.2")
eq_117_order = Bound(eta * m * depth * sqrt(n * B) / outputs, source="guo2024, Appendix B.7, eq. (117)")
eq_121 = Bound(n**5 * depth**2 / (jump**4 * phi**2 * B), note="steps from which the rate holds, in order")
theorem_3_1_T_printed = Bound(n * outputs / (eta * phi * m), note="steps to an accuracy, as printed, in order")
theorem_3_2_T_printed = Bound(jump**2 * eta * B * phi * m / (n**2 * outputs), note="steps to an accuracy, as printed")
appA_T_order_printed = Bound(n**2 * depth**2, note="steps to an accuracy at the largest step, as printed, in order")
appA_T_order = Bound(n**2 * depth**2 / (jump**2 * phi), note="steps to an accuracy at the largest step, in order")
# Lemma 4.3: the part that bends and the part that is linear in the radius.
lemma_4_3_bent_order = Bound(
    jump * outputs * sqrt(m) * depth**2 * omega ** Rational(4, 3), source="guo2024, Section 4.1, Lemma 4.3"
)
lemma_4_3_linear_order = Bound(outputs * sqrt(m / n) * depth * omega, source="guo2024, Section 4.1, Lemma 4.3")
theorem_3_4_width_printed = Bound(
    n ** (10 + 2 * p) * depth ** (15 + 2 * p) * outputs ** (1 + 2 * p) / phi ** (4 - 2 * p),
    source="guo2024, Section 3, Theorem 3.4",
)
theorem_3_4_width = Bound(
    n ** (5 + 2 * p) * depth ** (15 + 2 * p) * outputs ** (1 + 2 * p) / phi ** (4 - 2 * p),
    source="guo2024, Section 3, Theorem 3.4",
)
theorem_3_4_bent = Bound(
    outputs ** (Rational(3, 2) + p) * phi**p * n ** (Rational(1, 2) + p) / depth ** (Rational(1, 2) - p),
    source="guo2024, Section 3, Theorem 3.4",
)
theorem_3_4_linear_printed = Bound(
    n ** (Rational(1, 2) + p) * depth ** (2 + p) * outputs ** (Rational(1, 2) + p) / phi ** (Rational(1, 2) - p),
    source="guo2024, Section 3, Theorem 3.4",
)
theorem_3_4_early = Bound(
    jump * outputs ** Rational(1, 3) * clock ** Rational(4, 3) / (m ** Rational(1, 6) * (n * depth) ** Rational(2, 3)),
    source="guo2024, Section 3, Theorem 3.4",
)
theorem_3_4_early_linear = Bound(sqrt(outputs) * clock / (n * depth), source="guo2024, Section 3, Theorem 3.4")
# The same by Lemma 4.3, from steps as long as the gradient of a loss of order n makes them.
theorem_3_4_early_corrected = Bound(
    jump * outputs ** Rational(5, 3) * clock ** Rational(4, 3) / (m ** Rational(1, 6) * depth ** Rational(2, 3))
)
theorem_3_4_early_linear_corrected = Bound(
    outputs ** Rational(3, 2) * clock / (sqrt(n) * depth), source="guo2024, Section 3, Theorem 3.4"
)
claim_omega_small_t_printed = Bound(eta * clock * sqrt(n * m / outputs), note="distance from the start, as printed")
claim_sgd_omega_printed = Bound(outputs * n / (phi * sqrt(m * B)), note="distance from the start, as printed")
appA_final_printed = Bound(
    jump ** Rational(11, 3)
    * (outputs ** Rational(1, 3) * phi ** Rational(4, 3) / (m ** Rational(1, 6) * (n * depth) ** Rational(10, 3)))
)
theorem_B_12_width_printed = Bound(
    n ** (13 + 2 * p) * depth ** (15 + 2 * p) * outputs ** (1 + 2 * p) / (B * phi ** (5 - 2 * p)),
    source="guo2024, Appendix B.10, Theorem B.12",
)
theorem_B_12_width = Bound(
    n ** (8 + 2 * p) * depth ** (15 + 2 * p) * outputs ** (1 + 2 * p) / (B * phi ** (5 - 2 * p)),
    source="guo2024, Appendix B.10, Theorem B.12",
)
theorem_B_14_radius_order = Bound(outputs ** Rational(-3, 2) / depth**6, source="guo2024, Appendix B.13, eq. (166)")
theorem_B_15_width = Bound(
    n ** (1 + 2 * p) * depth ** (12 + 2 * p) * outputs ** (5 + 2 * p), source="guo2024, Appendix B.11, Theorem B.15"
)
theorem_B_15_bent = Bound(outputs ** (Rational(3, 2) + p) * n ** (Rational(1, 2) + p) * depth**p)
theorem_B_15_linear = Bound(n**p * depth ** (1 + p) * outputs ** (2 + p))
claim_B15_improvement_printed = Bound(1 / depth, note="what the first term is said to change by")

# ------------------------------------------------------------------ convex losses (Appendix B.12)

eq_143 = Bound(
    C * L**2 * (m * n * omega**2 / outputs + jump * omega ** Rational(4, 3) * sqrt(m * n * steep * log(m) / outputs)),
    lemma_4_1.constants,
    note="on the remainder of any convex loss, as printed: with no constant of the loss",
)

claim_convex_recursion_start = Premise(
    c * b <= 1,
    source="guo2024, Appendix B.12, end of the proof of Theorem B.16",
    note="small start, so that no excess is negative",
)
claim_convex_recursion_above = Premise(
    eps < b, source="guo2024, Appendix B.12, end of the proof of Theorem B.16", note="accuracy not yet reached"
)

state_meanings(
    "guo2024",
    {
        "normG": "norm of the derivatives of the loss of a sample in its outputs",
        "dist": "distance of outputs from a minimiser, or of two outputs; in (146) that of the weights from the start",
        "Q": "least eigenvalue of the tangent kernel of all outputs",
        "rest": "norm of what the outputs change by beyond first order, over that of the derivatives of the loss",
    },
)
Q, rest = map(symbol, ("Q", "rest"))
# Of convex losses of curvature at most H and steps eta H max eigenvalue <= 1, the decrease is at least the squared
# derivatives times eta Q/2 - 2 rest - H rest^2/2, and the last is below eta Q/338 here.
step_linear = Premise(
    13 * rest <= eta * Q,
    source="guo2024, Appendix B.12, none there but the width of the theorem",
    note="step nearly linear, so that it takes at least a third of its first order, and not a half",
)
step_small = Premise(
    a * eta * kerhigh <= 1,
    source="guo2024, Appendix B.12, none there but a bound on the step size that no loss knows",
    note="step small enough for the curvature a of the losses",
)
theorem_B_16 = Bound(
    1 - C * (1 - slope) ** 2 / (1 + slope**2) * phi * L0 / (n * L) ** 2 / (n * L),
    {"C": Constant(Rational(1, 1000), "hidden in the paper; a loss that grows is above any factor below 1")},
    note="factor by which a step multiplies the excess, at the largest step size of unit constant",
)
theorem_B_16_width = Premise(
    m >= (1 + slope**2) / (1 - slope) ** 2 * n**6 * L**16 * outputs / phi**4 * log(m) ** 4 / 17,
    source="guo2024, Theorem B.16",
    note="width against separation, samples and depth, with the constant 1/17",
)

# ------------------------------------------------------------------ a special class of data (Appendices B.11, B.13)

_PROXY = Max(1, slope**2) / (1 + slope**2)
# A mean of m copies of Z = c(u) phi(<u, h>), |Z| <= s |g|, g standard Gaussian, s^2 = max(1, slope^2)/(1 + slope^2).
# With a copy Z' and x = t s, E exp(t (Z - EZ)) <= E cosh(t (Z - Z')) <= (M(x)^2 + M(-x)^2)/2 for M(x) = E exp(x |g|) =
# 2 exp(x^2/2) N(x), N the Gaussian distribution function; as |N(x) - 1/2| <= |x|/sqrt(2 pi), that is at most
# exp((1 + 2/pi) x^2), which leaves exp(-m y^2/((4 + 8/pi) s^2)) for a deviation of y to either side.
eq_150 = Bound(
    sqrt(C * _PROXY * log(2 / delta) / m),
    {"C": Constant(4 + 8 / pi, "by symmetrisation, from the tail of one Gaussian")},
    note="on how far the average over the neurons is from its mean, at a state of norm 1",
)
lemma_B_17_corrected = Bound(
    sqrt(C * _PROXY * log(2 * n * outputs / delta) / m),
    eq_150.constants,
    note="on the same over the norm of the state, with the logarithm of all n outputs",
)
eq_155_156 = Bound(Rational(1, 10), note="from below on the chance that a sum of fair coins is so far above its mean")
eq_155_156_samples = Premise(n > 100, source="guo2024, Appendix B.13, before eq. (155)", note="many samples")

# ------------------------------------------------------------------ experiments (Section 5, Appendix C)

figure_1_synthetic = Bound(1, note="training error at slope -1 over the least at the other slopes")
figure_1_synthetic_constant = Bound(
    Rational(78, 100), note="less by 22 percent, the least reduction that Section 5.2 reports against slope 0"
)
figure_1_synthetic_percentages = Bound(
    Rational(91, 100), note="share by which the training error falls from slope 0 to -1 on the synthetic set, Table 1"
)
figure_1_fmnist_squared_loss = figure_1_synthetic_constant
figure_1_cifar = figure_1_synthetic

# C_gamma, and what the curves of Figure 2 fall below 1 by.
eq_17 = Bound(
    symbol("C0") * symbol("fall0"),
    note="the hidden constant of the rate, from the fall at slope 0",
    source="guo2024, Section 5.2, eq. (17)",
)
figure_2_shape = Bound(
    eq_17.expr * corollary_3_3.expr,
    {"C0": Constant(Rational(1, 2), "the factor taken for the table of houses; for the synthetic set it is 1")},
    note="least fall of the training error in a step",
)

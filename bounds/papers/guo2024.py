"""Formula sheet of Guo, Li and Lerman (2024), the effect of leaky ReLUs on wide deep networks.

Each name is a statement of the paper, as in the other sheets: `_premises` what it asks for, `_sharp` a tighter bound
of the same argument, `_printed` and `_corrected` two readings where the printed one is false.

The slope of the leaky ReLU is `slope` (alpha in the paper, below 1), which enters as f = (1 - slope)^2/(1 + slope^2) or
its root. The separation delta is phi, the number of outputs d is `outputs`, the batch b is B, and the input dimension p
is d, as in the other sheets. The loss is the sum over the samples of squares, without 1/2 unless a note says so.
"""

from sympy import Rational, exp, log, pi, sqrt

from bounds.bound import Bound
from bounds.premise import Premise
from bounds.symbols import state_meanings, symbol

slope, m, n, l, phi, theta = map(symbol, ("slope", "m", "n", "l", "phi", "theta"))  # noqa: E741
x, z, a, b, c, eps = map(symbol, ("x", "z", "a", "b", "c", "eps"))

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
        "kappa": "jump of the derivative of the rescaled leaky ReLU at 0: (1 - alpha)/sqrt(1 + alpha^2)",
    },
)

# ------------------------------------------------------------------ Section 2, setting

slope_below_one = Premise(slope < 1, source="guo2024, Section 2", note="at 1 the network is linear")

corollary_3_3_premises = (slope_below_one,)

# ------------------------------------------------------------------ activation and its slopes


claim_derivative_gap = Bound(sqrt(2), note="jump of the derivative of the rescaled leaky ReLU at 0")
corollary_3_3 = Bound(
    (1 - slope) ** 2 / (1 + slope**2), note="what the slope does to the rate bound: f(alpha), below 1 for alpha > 0"
)

claim_B16_corollary = Bound(
    (1 + slope**2) / (1 - slope) ** 2, note="what the slope does to the number of steps for convex losses: 1/f(alpha)"
)

# ------------------------------------------------------------------ norms at initialisation (Appendix B.2)

# ------------------------------------------------------------------ separation (Appendix B.2)

# With the angle v the ratio (sin v - v cos v) / (2 pi (2 sin(v/2))^3) rises from 1/(6 pi) for close points to 1/16 at
# antipodes, so that 1/16 is the least constant for all pairs.
claim_cubic = Bound(
    theta**3 / 16, note="on |E[Z_1 Z_2; Z_1 >= 0 > Z_2]| of two standard Gaussians whose vectors have the chord theta"
)
claim_telescoping_factor = Bound(
    l**2 / (l + 1) ** 2,
    note="from below on 1 - (C f(alpha) + 1) phi/(2 l), by which squared distances shrink at layer l",
)
claim_telescoping_factor_close = Premise(
    phi * ((1 - slope) ** 2 / (4 + 4 * slope**2) + 1) <= 1,
    source="guo2024, Appendix B.2, after eq. (39)",
    note="with C = 1/4, which the cubic term of the kernel needs",
)
claim_telescoping_factor_premises = (claim_telescoping_factor_close,)

# ------------------------------------------------------------------ products and perturbed layers (Appendix B.3)

claim_xi_optimal = Bound(
    3 * m * a ** Rational(2, 3),
    note="least value of xi m^(3/2) + 4 a^2/xi^2 over thresholds xi, a the norm of a part of the pre-activations",
)
eq_54 = Bound(exp(-(z**2) / 2) / (sqrt(2 * pi) * z), note="on P(|y| >= z sigma); it is the tail of one side alone")
eq_54_corrected = Bound(2 * exp(-(z**2) / 2) / (sqrt(2 * pi) * z), note="on P(|y| >= z sigma)")

# ------------------------------------------------------------------ layer gradients (Appendix B.4, Lemma 4.2)

# ------------------------------------------------------------------ semi-smoothness (Appendix B.5, Lemma 4.1)

# ------------------------------------------------------------------ gradient descent (Section 3, Appendix B.6)

# ------------------------------------------------------------------ stochastic gradient descent (Appendix B.7)

claim_square_completion = Bound(a**2 * x**2 / 2, note="from below on (a x + b)^2, or (a x - b)^2 as the proof needs it")
claim_square_completion_far = Premise(a * x > 4 * b, source="guo2024, Appendix B.7, before eq. (120)")
claim_square_completion_premises = (claim_square_completion_far,)
claim_log_bounds = Bound(z, note="on log(1 + z), which is at least z/(1 + z)")
claim_log_bounds_domain = Premise(z > -1, source="guo2024, Appendix B.7, before eq. (121)")
claim_log_bounds_premises = (claim_log_bounds_domain,)

# ------------------------------------------------------------------ complexity and linearisation (Appendix B.8)

# ------------------------------------------------------------------ risk bounds and chains (Appendices A, B.9 to B.11)

# ------------------------------------------------------------------ convex losses (Appendix B.12)

claim_convex_recursion = Bound(log(b / eps) / (c * eps), note="on the steps that E - c E^2 takes from b to eps")
claim_convex_recursion_sharp = Bound((1 / eps - 1 / b) / c, note="as 1/E grows by c at least in every step")
claim_convex_recursion_start = Premise(
    c * b <= 1, source="guo2024, Appendix B.12, end of the proof of Theorem B.16", note="so that no excess is negative"
)
claim_convex_recursion_above = Premise(
    eps < b, source="guo2024, Appendix B.12, end of the proof of Theorem B.16", note="the accuracy is not yet reached"
)
claim_convex_recursion_premises = (claim_convex_recursion_start, claim_convex_recursion_above)

# ------------------------------------------------------------------ a special class of data (Appendices B.11, B.13)

eq_155_156 = Bound(Rational(1, 10), note="from below on the chance that a sum of fair coins is so far above its mean")
eq_155_156_samples = Premise(n > 100, source="guo2024, Appendix B.13, before eq. (155)")
eq_155_156_premises = (eq_155_156_samples,)

# ------------------------------------------------------------------ experiments (Section 5, Appendix C)

"""Formula sheet of Guo, Li and Lerman (2024), the effect of leaky ReLUs on wide deep networks.

Each name is a statement of the paper, as in the other sheets: `_premises` what it asks for, `_sharp` a tighter bound
of the same argument, `_printed` and `_corrected` two readings where the printed one is false.

The slope of the leaky ReLU is `slope` (alpha in the paper, below 1), which enters as f = (1 - slope)^2/(1 + slope^2) or
its root. The separation delta is phi, the number of outputs d is `outputs`, the batch b is B, and the input dimension p
is d, as in the other sheets. The loss is the sum over the samples of squares, without 1/2 unless a note says so.
"""

from sympy import sqrt

from bounds.bound import Bound
from bounds.premise import Premise
from bounds.symbols import state_meanings, symbol

slope = symbol("slope")

state_meanings(
    "guo2024",
    {
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

# ------------------------------------------------------------------ norms at initialisation (Appendix B.2)

# ------------------------------------------------------------------ separation (Appendix B.2)

# ------------------------------------------------------------------ products and perturbed layers (Appendix B.3)

# ------------------------------------------------------------------ layer gradients (Appendix B.4, Lemma 4.2)

# ------------------------------------------------------------------ semi-smoothness (Appendix B.5, Lemma 4.1)

# ------------------------------------------------------------------ gradient descent (Section 3, Appendix B.6)

# ------------------------------------------------------------------ stochastic gradient descent (Appendix B.7)

# ------------------------------------------------------------------ complexity and linearisation (Appendix B.8)

# ------------------------------------------------------------------ risk bounds and chains (Appendices A, B.9 to B.11)

# ------------------------------------------------------------------ convex losses (Appendix B.12)

# ------------------------------------------------------------------ a special class of data (Appendices B.11, B.13)

# ------------------------------------------------------------------ experiments (Section 5, Appendix C)

"""Formula sheet of Frei, Cao and Gu (2019), deep residual ReLU networks and what descent finds in them.

Each name is a statement of the paper, as in the other sheets: `_premises` what it asks for, `_sharp` a tighter bound
of the same argument, `_printed` and `_corrected` two readings where the printed one is false.

The network has L + 1 trained layers: a first one, L - 1 residual ones scaled by theta, and a last one; m is the
width of them all. gamma is the margin of random features, tau the radius of a ball around the first weights, Frobenius
norm of each layer. Losses are means over the n samples of log(1 + exp(-z)); the surrogate error is the mean of -l'(z).
"""

from sympy import sqrt

from bounds.bound import Bound
from bounds.symbols import state_meanings, symbol

z, s = map(symbol, ("z", "s"))

state_meanings(
    "frei2019",
    {
        "L": "number of layers before the last one: the first, and L - 1 residual ones",
        "theta": "scale of the residual layers",
        "tau": "radius of the ball around the initial weights, Frobenius norm of each layer",
        "gamma": "margin of random features on the whole support (Assumption 3.2)",
        "z": "margin at which the loss is taken, or a real argument",
    },
)

# ------------------------------------------------------------------ setting

# ------------------------------------------------------------------ norms of states and products (B.1, C.1)

# ------------------------------------------------------------------ Lipschitz constants in the inputs (C.2)

# ------------------------------------------------------------------ change with the weights, flips (C.3)

# ------------------------------------------------------------------ sparse vectors (C.3, C.4, D)

# ------------------------------------------------------------------ semi-smoothness (B.2)

# ------------------------------------------------------------------ margin and gradient from below (B.3, C.5)

# ------------------------------------------------------------------ gradient from above (A.2, B.4)

# ------------------------------------------------------------------ descent (A.1)

# ------------------------------------------------------------------ generalisation (A.2)

# ------------------------------------------------------------------ numbers and chains of conditions (A.3)

a1_loss_bound = Bound(1 + abs(z), note="on the logistic loss at the margin z")
b2_sparse_signs = Bound(sqrt(s), note="on the norm of a vector of s entries of size 1 at most")

"""Formula sheet of Frei, Cao and Gu (2019), deep residual ReLU networks and what descent finds in them.

Each name is a statement of the paper, as in the other sheets: `_premises` what it asks for, `_sharp` a tighter bound
of the same argument, `_printed` and `_corrected` two readings where the printed one is false.

The network has L + 1 trained layers: a first one, L - 1 residual ones scaled by theta, and a last one; m is the
width of them all. gamma is the margin of random features, tau the radius of a ball around the first weights, Frobenius
norm of each layer. Losses are means over the n samples of log(1 + exp(-z)); the surrogate error is the mean of -l'(z).
"""

from sympy import Rational, exp, sqrt

from bounds.bound import Bound
from bounds.premise import Premise
from bounds.symbols import state_meanings, symbol

z, s = map(symbol, ("z", "s"))
m, d, eps, gamma = map(symbol, ("m", "d", "eps", "gamma"))

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
a3_width_order = Bound(gamma**16 * d**3 * eps**4, note="width at which Lemma B.4 holds with the radius (11)")

"""Formula sheet of Allen-Zhu, Li and Song (2018), recurrent ReLU networks with one matrix at every time step.

Each name is a statement of the paper, as in the other sheets: `_premises` what it asks for, `_sharp` a tighter bound
of the same argument, `_printed` and `_corrected` two readings where the printed one is false.

The horizon L is the number of time steps, the dimension of the outputs d is `outputs`, and that of the inputs d_x is d.
The separation delta of the first inputs is phi, and the radius tau_0 of a perturbation, in units of 1/sqrt(m), is tau.
rho = n L outputs log(m) and varrho = n L outputs log(m/eps)/phi are written out. The loss is half of the sum over the
samples and the times 2..L of squared errors.
"""

from sympy import exp, log

from bounds.bound import Bound
from bounds.premise import Premise
from bounds.symbols import state_meanings, symbol

a, b = map(symbol, ("a", "b"))
m, n, L, outputs, phi, eps, eta, tau, p, x = map(
    symbol, ("m", "n", "L", "outputs", "phi", "eps", "eta", "tau", "p", "x")
)
rho, varrho, rows, depth = map(symbol, ("rho_", "varrho", "rows", "depth"))

state_meanings(
    "allenzhu2018rnn",
    {
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
        "a": "size of the fluctuation of a step",
        "b": "root of the drift of a step",
    },
)

# ------------------------------------------------------------------ Section 2, setting

# ------------------------------------------------------------------ tails of sums (Appendices A.1 to A.3)

# ------------------------------------------------------------------ percentiles, gates, McDiarmid (A.4 to A.6)

# ------------------------------------------------------------------ norms along time, fresh randomness (B.1, B.2)

# ------------------------------------------------------------------ separation along time (Appendix B.3)

# ------------------------------------------------------------------ products of layers (Appendix B.4)

# ------------------------------------------------------------------ sparse and backward norms (B.5, B.6)

# ------------------------------------------------------------------ forward stability (Appendix C.1)

# ------------------------------------------------------------------ stability of products and backward (C.2, C.3)

# ------------------------------------------------------------------ rank-one perturbations (Appendix C.4)

# ------------------------------------------------------------------ indicators and backward coordinates (Appendix D)

# ------------------------------------------------------------------ randomness decomposition (Appendix E.1)

# ------------------------------------------------------------------ fake gradient (Appendices E.2 to E.4)

# ------------------------------------------------------------------ gradients near the initialisation (Appendix F)

# ------------------------------------------------------------------ semi-smoothness (Appendix G)

# ------------------------------------------------------------------ gradient descent (Appendix H)

# ------------------------------------------------------------------ stochastic descent (Appendix I)

# ------------------------------------------------------------------ numbers and chains of conditions

rho_at_least_one = Premise(
    rho >= 1, source="allenzhu2018rnn, Assumption 2.4", note="n, L, d and log(m) are, for m >= 3"
)

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

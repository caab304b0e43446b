"""Formula sheet of Allen-Zhu, Li and Song (2018), recurrent ReLU networks with one matrix at every time step.

Each name is a statement of the paper, as in the other sheets: `_premises` what it asks for, `_sharp` a tighter bound
of the same argument, `_printed` and `_corrected` two readings where the printed one is false.

The horizon L is the number of time steps, the dimension of the outputs d is `outputs`, and that of the inputs d_x is d.
The separation delta of the first inputs is phi, and the radius tau_0 of a perturbation, in units of 1/sqrt(m), is tau.
rho = n L outputs log(m) and varrho = n L outputs log(m/eps)/phi are written out. The loss is half of the sum over the
samples and the times 2..L of squared errors.
"""

from bounds.bound import Bound
from bounds.symbols import state_meanings, symbol

a, b = map(symbol, ("a", "b"))

state_meanings(
    "allenzhu2018rnn",
    {
        "L": "horizon: number of time steps",
        "l": "time step",
        "d": "input dimension, d_x in the paper",
        "outputs": "dimension of the outputs, d in the paper",
        "phi": "separation: least distance between two first inputs, delta in the paper",
        "tau": "radius of the perturbation of W in operator norm, times sqrt(m); tau_0 in the paper",
        "t": "number of steps",
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

scalar_I = Bound(a**2 / b**2, note="on 2 a sqrt(t) - b^2 t: fluctuation less drift after t steps")

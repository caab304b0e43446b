"""frei2019, the loss and the surrogate error that Appendix A.1 follows: which derivative the error is.

Main claim: `error_by_shifted_margins`.
"""

import numpy as np
from numpy.random import Generator

from nets.networks.losses import LOGISTIC
from properties.frei2019.training_path import surrogate_error
from theory.claims import Measured, Regime, choices, claim, control, grid, reals, rounding
from theory.evidence import Search

# Margins are shifted by so much both ways; the third derivative of the loss is at most 1/(6 sqrt(3)).
SHIFT, THIRD = 1e-4, 1.0 / (6.0 * np.sqrt(3.0))
LABELS = ("drawn", "against the outputs", "with the outputs")


@claim(
    "frei2019:def-loss",
    bound="= 0",
    premises="none needed: a definition, at all outputs and labels",
    regime=Regime(
        cells=grid(n=[1, 2, 16]),
        draw={"spread": reals(1e-3, 30.0, logarithmic=True), "labels": choices(*LABELS)},
        pinned=[{"spread": 3.0, "labels": labels} for labels in LABELS],
    ),
    evidence=Search(examples=8, adversary="outputs of one sign and of both, labels with and against them"),
    controls=[
        control("the loss itself", error="loss"),
        control("the second derivative", error="curvature"),
        control("labels left out", error="no labels"),
        control("the root of the mean square", error="root"),
        control("the share of negative margins", error="share"),
        control("sum in place of the mean", error="sum"),
    ],
    note="by a central difference of the loss of all samples, off by a third derivative times 1e-8/6 at most",
    scope="part: E_S as minus the mean of l'; loss, E_D and descent are taken as they are defined",
)
def error_by_shifted_margins(rng: Generator, n: int, spread: float, labels: str, *, error: str = "") -> Measured:
    """The sum E_S + (mean_i l(z_i + s) - mean_i l(z_i - s))/(2 s), z_i = y_i f_i the margins, s = 10^-4."""
    outputs = spread * rng.standard_normal(n)
    signs = np.where(outputs < 0.0, -1.0, 1.0)
    y = {"drawn": rng.choice((-1.0, 1.0), n), "against the outputs": -signs, "with the outputs": signs}[labels]
    margins = y * outputs
    high, low = (float(LOGISTIC.value(margins + by).mean()) for by in (SHIFT, -SHIFT))
    slopes = -LOGISTIC.derivative(margins)
    found = {
        "": lambda: surrogate_error(outputs, y),
        "loss": lambda: float(LOGISTIC.value(margins).mean()),
        "curvature": lambda: float((slopes * (1.0 - slopes)).mean()),
        "no labels": lambda: surrogate_error(outputs, np.ones(n)),
        "root": lambda: float(np.sqrt((slopes**2).mean())),
        "share": lambda: float((margins < 0.0).mean()),
        "sum": lambda: n * surrogate_error(outputs, y),
    }[error]()
    off = THIRD * SHIFT**2 / 6.0 + rounding(1.0 + float(np.abs(margins).max()), n + 8) / SHIFT
    return Measured(found + (high - low) / (2.0 * SHIFT), error=off)

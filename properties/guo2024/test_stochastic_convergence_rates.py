"""guo2024 on the rate of mini-batch descent: its exponents in all that Theorem 3.2 names.

Main claim: `mean_fall_over_batches`.
"""

import numpy as np

from bounds.papers import guo2024 as sheet
from properties.guo2024.chains import CLOSED, chain_kernel
from properties.guo2024.slopes import SLOPES, jump
from theory.claims import Regime, claim, control, grid
from theory.evidence import Scaling

FITTED = sheet.theorem_3_2_rate.constants
SAMPLES = "n >= 16"
SHORT = "8*eta*n**2 <= jump**2*phi_pm"


@claim(
    "guo2024:theorem-3.2-rate",
    title="mean rate over batches in the limit of infinite width, exponents",
    bound=sheet.theorem_3_2_rate.reads("C*jump**2*eta*B*phi_pm/n"),
    premises=[
        "neighbours on less than half a circle, in the limit of infinite width: n*phi_pm <= 3",
        "samples, ours, from which on their number no longer counts in the least eigenvalue: n >= 16",
        "steps so short that the variance of the batches takes little of the fall, ours: 8*eta*n**2 <= jump**2*phi_pm",
    ],
    sense=">=",
    regime=Regime(
        calibration=grid(slope=[-2.0, -1.0, 0.0], phi_pm=[1e-3, 1e-4], n=[16, 24], B=[1, 4], share=[0.01, 0.1]),
        cells=grid(slope=list(SLOPES), phi_pm=[1e-5, 1e-6], n=[32, 48], B=[4, 15], share=[0.001, 0.1]),
        derived={"jump": jump, "eta": lambda share, jump, phi_pm, n: share * jump**2 * phi_pm / n**2},
    ),
    evidence=Scaling(
        dict.fromkeys(("jump", "phi_pm", "n", "B", "eta"), "equal"), constant="C", replicates=2, resolution=0.02
    ),
    controls=[
        control("the printed power of the samples", bound="C*jump**2*eta*B*phi_pm/n**2"),
        control("all samples in each step", whole=True),
    ],
    blind={
        "premise n*phi_pm <= 3": CLOSED,
        f"premise {SAMPLES}": "of fewer the rate is larger, up to twice as large",
        f"premise {SHORT}": "thirty times as long they gain nothing, and a share of 0 has no power",
    },
    note="one layer and output, eta in units of 1/m; the mean over all batches in closed form. The share B/n of the "
    "batch is the only 1/n of the printed two; their variance takes 2 percent of the fall at most, at these steps",
    scope="steps: 1 of t, in the mean over the batches",
)
def mean_fall_over_batches(slope: float, phi_pm: float, n: int, B: int, eta: float, *, whole: bool = False) -> float:
    """The mean 1 - gamma over all batches, at n points phi_pm apart in a row on an arc, for residuals felt least."""
    kernel = chain_kernel(slope, phi_pm, n)
    values, vectors = np.linalg.eigh(kernel)
    residuals, size = vectors[:, 0], n if whole else B
    alone, together = size / n, size * (size - 1) / (n * (n - 1))
    # Of the square of K S r over all batches: r_i (K^2)_ij r_j counts where both are in the batch.
    pairs = np.outer(residuals, residuals) * (kernel @ kernel)
    spread = together * pairs.sum() + (alone - together) * np.trace(pairs)
    return float(4.0 * eta * (alone * values[0] - eta * spread))

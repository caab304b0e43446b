"""zou2018: what follows from the gradient lower bound that the weights themselves have, in a step and in many.

Main claim: `decrease_in_one_step` (C.7).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bounds.formula import formula
from bounds.papers import zou2018 as sheet
from nets.adversaries import worst_derivatives
from nets.arrays import Array
from nets.data import DataSource
from nets.distances import separation
from nets.forward import forward
from nets.network import Network, he_network
from nets.operators import gated_gram
from properties.zou2018.descent import certified_step
from properties.zou2018.expansion import loss_size, two_pass_operations
from properties.zou2018.gated_features import least_gradient
from properties.zou2018.gradient_step import LOSSES, SMOOTH, GradientStep, two_channels, widths
from properties.zou2018.perturbed_pass import USED
from properties.zou2018.region_constants import paired
from theory.claim import claim, control
from theory.evidence import Search
from theory.measured import Measured, rounding
from theory.regime import Regime, choices, grid, reals

# A step that the errors of (C.6) do not allow is made shorter by a tenth, so often at most.
SHORTENED = 150

# The norm of the last of several layers with two channels: what those below have of the gradient is small beside it.
WEAK = 0.1

# So short that the norms of the layers stay as they are.
SHORT = 1e-9


class AllowedStep(NamedTuple):
    """A step that lowers the loss as (C.7) says, as a search draws it.

    From `weights`, down one of the `LOSSES`, as long as the curvature of the loss allows times `size`, and shortened
    until all errors allow it.
    """

    weights: str
    loss: str
    size: float


# "Paired" weights are Gaussian but for the last layer, whose neurons come in pairs of opposite signs.
STARTS = ("Gaussian", "paired", "two channels")
ALONE = [*grid(L=1, m=[32, 128], n=1, d=8), *grid(L=[2, 3], m=64, n=1, d=8)]
THREE = grid(L=1, m=64, n=3, d=8)
ALLOWED = Regime(
    cells=[*ALONE, *THREE, *grid(L=2, m=64, n=2, d=8)],
    thorough=grid(L=[2, 3], m=128, n=[3, 4], d=16),
    draw={
        "weights": choices(*STARTS),
        "loss": choices(*SMOOTH),
        "size": reals(1e-3, 1.0, logarithmic=True),
    },
    pinned=[AllowedStep(weights, "huberised_hinge", size=1.0)._asdict() for weights in STARTS],
    built={"drawn": (AllowedStep, AllowedStep._fields)},
)


def _start(rng: np.random.Generator, X: Array, L: int, m: int, weights: str) -> Network:
    """Weights of the kind that is drawn; two channels carry one sample alone."""
    sizes = widths(X.shape[1], m, L)
    if weights == "two channels" and len(X) == 1:
        net = two_channels(X[0], sizes[1:], 1.0, 1.0)
        return net if L == 1 else net.with_weights([*net.weights[:-1], WEAK * net.weights[-1]])
    net = he_network(sizes, rng)
    return net if weights == "Gaussian" else paired(net)


@claim(
    "zou2018:eq-C.7",
    variant="measured",
    title="decrease of the loss in a step whose measured errors take half of the gradient at most",
    bound=sheet.eq_C_7.reads("eta*c0*m*phi**3/(2*n**7)*S1**2"),
    sense=">=",
    premises=sheet.eq_C_7_errors,
    regime=ALLOWED,
    measured=["eta", "c0", "phi", "S1", "S1abs", "SumGam", "prodW", "dout", "lam"],
    evidence=Search(examples=8, adversary="a loss that is a parabola, and all neurons active"),
    idle={"taken": 0.0},
    controls=[
        control("ascent", taken=-1.0),
        control("half of the step", taken=0.5),
        control("labels left out of the gradient", labels=False, cells=THREE),
        control("step that the curvature of the loss does not allow", longer=8.0, without=sheet.eq_C_7_errors),
        control("the whole gradient", bound=formula("eta*c0*m*phi**3/n**7*S1**2", sheet.lemma_B_5.constants)),
        control("n^6 for n^7", bound=formula("eta*c0*m*phi**3/(2*n**6)*S1**2", sheet.lemma_B_5.constants), cells=THREE),
    ],
    note="c0 is the largest for which Lemma B.5 holds before the step, for all labels and losses, and the labels are "
    "those that need it; the step is as long as the errors of this network allow, not the 10^(-9) for all networks",
)
def decrease_in_one_step(
    rng: np.random.Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    drawn: AllowedStep,
    *,
    taken: float = 1.0,
    longer: float = 1.0,
    labels: bool = True,
) -> Measured:
    """The decrease of the loss in one step of gradient descent, as long as the errors of (C.6) allow it to be.

    A control takes a share `taken` of the step, or one `longer` than allowed.
    """
    X, y = data.draw(n, d, rng)
    net, used = _start(rng, X, L, m, drawn.weights), LOSSES[drawn.loss]
    y = np.where(worst_derivatives(gated_gram(forward(net, X))).vector < 0.0, -1.0, 1.0)
    step, symbols = _allowed(net, X, y, drawn, longer)
    end = GradientStep.of(net, X, y if labels else np.abs(y), used, taken * step.eta).end
    start = used.value(y * step.start.output)
    error = rounding(1.0, 4 * two_pass_operations(net)) * loss_size(step, y, used)
    return Measured(float(np.mean(start - used.value(y * end.output))), error=error, symbols=symbols)


def _allowed(
    net: Network, X: Array, y: Array, drawn: AllowedStep, longer: float
) -> tuple[GradientStep, dict[str, float]]:
    """The step that is drawn, `longer` than the errors of (C.6) allow, and what (C.7) and the errors speak of."""
    used, least, phi = LOSSES[drawn.loss], least_gradient(forward(net, X)).value, min(separation(X), 2.0)
    m, n, lam = net.v.size, len(X), used.constants.lam

    def tried(eta: float) -> tuple[GradientStep, dict[str, float]]:
        step = GradientStep.of(net, X, y, used, eta)
        total = float(step.derivatives.sum())
        known = {"m": m, "n": n, "phi": phi, "c0": least * n**7 / (m * phi**3), "eta": eta, "lam": lam}
        return step, {**known, **certified_step(step), "S1": -total, "S1abs": total}

    # By the moves of the outputs alone, with the norms of the layers as a short step leaves them.
    _, short = tried(SHORT)
    moves = lam * short["dout"] ** 2
    # Where the loss is flat, any step will do.
    eta = drawn.size * USED * least * (SHORT * short["S1"]) ** 2 / moves if moves > 0.0 else 1.0
    for _ in range(SHORTENED):
        if sheet.eq_C_7_errors.holds(tried(eta)[1]):
            break
        eta *= 0.9
    return tried(longer * eta)

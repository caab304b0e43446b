"""guo2024, Theorem 3.2 as a whole: networks that are trained on mini-batches until the loss rests.

Main claim: `loss_at_all_times_in_batches`. Points are as near each other, up to signs, as stated, and labels those that
a step feels least.
"""

import math

import numpy as np
from numpy.random import Generator
from sympy import Rational

from bounds.bound import Constant
from nets.descent.training import draw_batches
from properties.guo2024.seen_networks import seen_network
from properties.guo2024.trained_paths import equidistant_up_to_signs, losses_to_rest
from theory.claims import Cell, Measured, Regime, claim, control
from theory.evidence import Trials

# A path is left after so many steps, and decides nothing if it is still on its way: of steps far below the largest. In
# the cells all fit their samples in some hundred to a thousand.
PATIENCE = 2000

# Steps on one sample, which never fit the other, that are enough to see it: beyond all k of the cells.
ENOUGH = 300

STEP = "eta <= Cbar*outputs*phi_pm/(m*n**3*L**3*log(m)**2)"
JUDGED = "k >= L**2*n**5*(slope**2 + 1)**2*log(m)**2/(8*B*phi_pm**2*(1 - slope)**4)"
ABOVE_0 = "12*B*eta*m*phi_pm*(1 - slope)**2 <= 13*n**2*outputs*(slope**2 + 1)"
WIDTH = "m >= C*log(m)**4*n**8*L**15*outputs*(1 + slope**2)**4/(B*phi_pm**5*(1 - slope)**8)"


def in_batches(m: int, slope: float, phi_pm: float = math.sqrt(2.0), **others: float) -> Cell:
    """A cell of mini-batch descent, by default with two samples, one of them a batch, and almost the largest step.

    `k` is the first step that is judged.
    """
    sizes = {"L": 1, "n": 2, "B": 1, "outputs": 1, "delta": 0.4, "times": 0.99, **others}
    cell: Cell = {**sizes, "m": m, "slope": slope, "phi_pm": phi_pm}
    n, B = cell["n"], cell["B"]
    largest = 100.0 * cell["outputs"] * phi_pm / (m * n**3 * math.log(m) ** 2)
    least = (1 + slope**2) ** 2 * n**5 * math.log(m) ** 2 / (8 * B * phi_pm**2 * (1 - slope) ** 4)
    return {**cell, "eta": cell["times"] * largest, "k": math.ceil(least)}


AT_THREE_SLOPES = [
    in_batches(2**11, -1.0),
    in_batches(2**13, -1.0, times=0.7),
    *(in_batches(2**12, slope) for slope in (0.0, -2.0)),
]
OUTSIDE = (
    control("few neurons tell the points apart", cells=[in_batches(128, -1.0, 0.05)], without=WIDTH),
    control("a step too long, the bound still above 0", cells=[in_batches(2**11, -1.0, times=5.0)], without=STEP),
    control("64 neurons at a small chance", cells=[in_batches(64, -1.0, delta=0.05)], without="m*delta >= 50*outputs"),
    control("one point", cells=[in_batches(2**12, -1.0, n=1, times=0.18)], without="n >= 2"),
    control(
        "a step with which the bound is 0, nearly, on both samples",
        cells=[in_batches(76, -1.0, B=2, delta=0.66, times=0.9995)],
        without=ABOVE_0,
    ),
)
OF_CONDITIONS = {
    "C": (Rational(1, 64), "open in the paper; 2^16 neurons at slope -1 have 1, too"),
    "Cbar": (100, "open in the paper; with 1 a path takes a hundred times as long"),
}
OTHER_STEPS = (
    control("a fifth of the step", step=0.2),
    control("ascent", step=-1.0),
    control("one sample in all batches", one=True),
)
UNSEEN = {
    f"premise {JUDGED}": "C0 takes what the first steps lose, at 34 of 36 starts",
    **dict.fromkeys(("m", "clock", "L0"), "from step k on losses are far below the bound"),
    **dict.fromkeys(("n", "B", "phi_pm"), "one value at quick effort: theorem-3.2-rate sees it"),
    "outputs": "one output",
}


@claim(
    "guo2024:theorem-3.2-corrected",
    bound="C0*L0*(1 - c*(1 - slope)**2*phi_pm*eta*B*m/((1 + slope**2)*n**2*outputs))**clock",
    premises=[
        "width against separation, samples and depth: "
        "m >= C*log(m)**4*n**8*L**15*outputs*(1 + slope**2)**4/(B*phi_pm**5*(1 - slope)**8)",
        "step small enough: eta <= Cbar*outputs*phi_pm/(m*n**3*L**3*log(m)**2)",
        "steps that are judged: k >= (1 + slope**2)**2*n**5*L**2*log(m)**2/(8*B*phi_pm**2*(1 - slope)**4)",
        "a chance of failure, of start and batches, that falls with the width, as in print, and few outputs, ours: "
        "m*delta >= 50*outputs",
        "points that have a separation: n >= 2",
        "steps, ours, of which the bound takes 13/16 of the loss at most, as few neurons scatter too far: "
        "12*B*eta*m*phi_pm*(1 - slope)**2 <= 13*n**2*outputs*(slope**2 + 1)",
    ],
    constants={
        "c": Constant.below(Rational(3, 4), attacked=0.97, why="99 of 100 starts, two points and slope -1"),
        "C0": Constant.above(2, attacked=0.38, why="99 of 100 starts: what batches take from others at first"),
        **OF_CONDITIONS,
    },
    measured=["L0", "clock"],
    regime=Regime(
        cells=AT_THREE_SLOPES,
        thorough=[
            *(in_batches(m, -1.0, phi_pm) for m, phi_pm in ((2**16, math.sqrt(2.0)), (2**13, 1.0))),
            *(in_batches(m, -1.0, n=3, B=B) for m, B in ((2**12, 2), (2**14, 1))),
        ],
    ),
    evidence=Trials(rate="delta"),
    controls=[*OTHER_STEPS, *OUTSIDE],
    idle={"step": 0.0},
    independent={"clock": "the number of the step"},
    blind=UNSEEN,
    scope="repaired: one layer, one output, batches of one, from step k on until 10^-20 of the loss is left",
    note="all t from k on, of which T and eps follow; of 64, 256, 1024 neurons 28, 4, 1 in 100 fail; C 1/64, Cbar 100",
)
def loss_at_all_times_in_batches(
    rng: Generator,
    L: int,
    m: int,
    n: int,
    B: int,
    outputs: int,
    slope: float,
    phi_pm: float,
    eta: float,
    k: int,
    *,
    step: float = 1.0,
    one: bool = False,
) -> Measured:
    """The loss of all samples after clock = k, k + 1, ... steps, each on a random batch of B of them, until 10^-20 of
    it is left; not decided if 2,000 leave more; the last one if that is before k. Points are phi_pm apart up to signs;
    labels, of norm 1 at most, lie along the eigenvector of the least eigenvalue of the tangent kernel at the start."""
    X, net = equidistant_up_to_signs(n, phi_pm, rng), seen_network(n, m, L, outputs, slope, rng)
    batches = [np.arange(B)] * (ENOUGH + 1) if one else draw_batches(n, B, PATIENCE + 1, rng)
    return losses_to_rest(net, X, step * eta, ENOUGH if one else PATIENCE, batches, first=k)

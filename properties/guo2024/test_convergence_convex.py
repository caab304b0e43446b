"""guo2024, Appendix B.12: descent on convex losses (Theorem B.16 and its proof).

Main claims: `multiple_of_the_squares`, which the printed step size makes diverge, and `distance_to_the_target`, which
no constant one brings down; `growth_of_the_inverse`, corrected for losses of bounded curvature; `decrease_by_a_step`
(144), `convexity` (145), `distant_minimiser` (147), with `moves_of_the_outputs`, `quadratic_decrease` (148).
"""

import math
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.random import Generator

from bounds.bound import Constant
from bounds.papers import guo2024 as sheet
from nets.core.arrays import Array
from nets.data.labelled import DataSource
from nets.data.points import arranged, sphere
from nets.networks.forward import forward
from nets.networks.gradients import output_gradient
from nets.networks.losses import OutputLoss
from nets.networks.network import leaky_network, shifted
from nets.tangent.linearised import tangent_features
from properties.guo2024.convex_losses import (
    CONVEX_LOSSES,
    DISTANCE,
    PSEUDO_HUBER,
    ConvexStep,
    convex_loss,
    convex_step,
    drawn_targets,
    multiple_of_squares,
)
from properties.guo2024.slopes import SLOPES
from properties.shared.quotients import quotients
from theory.claims import Measured, Regime, Verdict, choices, claim, control, grid, reals
from theory.evidence import Search, Trials


def _one_step(rng: Generator, m: int, L: int, slope: float, loss: OutputLoss, gap: float) -> Measured:
    """By what a step of size 1/(L^2 m) multiplies the loss of one sample, whose target is off by `gap`."""
    net = leaky_network(2, m, L, 1, slope, rng)
    x = sphere(1, 2, rng)
    passed = forward(net, x)
    target = passed.output + gap
    before, slopes = loss.at_outputs(passed.output, target)
    moved = shifted(net, output_gradient(net, passed, slopes), -1.0 / (L**2 * m))
    after = loss.at_outputs(forward(moved, x).output, target)[0]
    return Measured(float(after[0] / before[0]), symbols={"L0": float(before[0])})


# One sample, for which any separation below 1 may be named; at slope 1/2 the factor 1/f(alpha) of the width is 5.
SINGLE = {"n": 1, "outputs": 1, "phi": 0.99, "delta": 0.5}
ALONE = [*grid(m=64, L=1, slope=SLOPES[:-2], **SINGLE), *grid(m=8192, L=1, slope=0.5, **SINGLE)]


@claim(
    "guo2024:theorem-B.16",
    bound=sheet.theorem_B_16.reads("1 - C*(1 - slope)**2/(1 + slope**2)*phi*L0/(n*L)**3"),
    premises=[
        sheet.slope_below_one.reads("slope < 1"),
        sheet.theorem_B_16_width.reads("m >= (1 + slope**2)/(1 - slope)**2*n**6*L**16*outputs/phi**4*log(m)**4/17"),
    ],
    measured=["L0"],
    regime=Regime(cells=ALONE),
    evidence=Trials(rate="delta"),
    expected=Verdict.REFUTED,
    controls=[
        control("a multiple twice as large", factor=100.0),
        control("a loss that grows, but less than a thousandfold", bound="1000"),
    ],
    note="one sample: the first step multiplies the excess E, at first L0, in the median by 80 at slope -1, 2100 at "
    "1/2; for a smaller step constant a larger multiple does. The second width, log(log(1/eps)/eps), asks nothing at "
    "eps = 1/2; C = 1/1000; delta for exp(-Omega(log m))",
    scope="as printed: the argument against it holds for every constant",
)
def multiple_of_the_squares(rng: Generator, m: int, L: int, slope: float, *, factor: float = 50.0) -> Measured:
    """By what a step of size outputs/(n L^2 m) multiplies the loss 50 (z - y)^2 of one output z, one unit off y."""
    return _one_step(rng, m, L, slope, multiple_of_squares(factor), 1.0)


@claim(
    "guo2024:theorem-B.16-distance",
    title="first step of descent on the distance to a target, which it overshoots",
    bound=sheet.theorem_B_16.reads("1 - C*(1 - slope)**2/(1 + slope**2)*phi*L0/(n*L)**3"),
    premises=[
        sheet.slope_below_one.reads("slope < 1"),
        sheet.theorem_B_16_width.reads("m >= (1 + slope**2)/(1 - slope)**2*n**6*L**16*outputs/phi**4*log(m)**4/17"),
    ],
    measured=["L0"],
    printed=True,
    regime=Regime(cells=ALONE),
    evidence=Trials(rate="delta"),
    expected=Verdict.REFUTED,
    controls=[
        control("a target twice as near", gap=0.0005),
        control("a loss that grows, but less than a hundredfold", bound="100"),
    ],
    note="the distance, of curvature without bound: the first step moves the output by about 1/2, however near the "
    "target is. The loss is the excess E, L0 at first; C = 1/1000; delta for exp(-Omega(log m))",
    scope="as printed: the argument against it holds for every constant",
)
def distance_to_the_target(rng: Generator, m: int, L: int, slope: float, *, gap: float = 0.001) -> Measured:
    """By what a step of size outputs/(n L^2 m) multiplies the loss |z - y| of one output z, a thousandth off y."""
    return _one_step(rng, m, L, slope, DISTANCE, gap)


class DrawnDescent(NamedTuple):
    """What a search draws: the loss, the points, how far off the targets are, the step asked about and its length."""

    loss: str
    family: str
    far: float
    k: int
    share: float


LOSSES_DRAWN = {
    "loss": choices(*CONVEX_LOSSES),
    "family": choices("drawn", "near duplicates", "clusters"),
    "far": reals(0.003, 3.0, logarithmic=True),
    "k": st.integers(0, 12),
    "share": reals(0.05, 1.0),
}


def _step(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    outputs: int,
    slope: float,
    drawn: DrawnDescent,
    taken: float,
    longer: float,
) -> ConvexStep:
    """A step, after the k before it; beyond 3 the targets are off along the least eigenvector of the kernel."""
    X = arranged(data.draw(n, d, rng)[0], drawn.family, rng)
    net = leaky_network(X.shape[1], m, L, outputs, slope, rng)
    passed = forward(net, X)
    targets = drawn_targets(drawn.loss, passed.output, drawn.far, rng)
    if drawn.far > 3.0:
        least = np.linalg.eigh(tangent_features(net, passed).grams.sum(axis=0))[1][:, 0]
        targets = passed.output + drawn.far * math.sqrt(n) * least.reshape(passed.output.shape)
    for _ in range(drawn.k):
        net = convex_step(net, X, drawn.loss, targets, drawn.share)[1]
    return convex_step(net, X, drawn.loss, targets, longer * drawn.share, taken=taken)[0]


# Targets of the cross entropy give a tenth to each output but one: all of them are above 0 for ten outputs at most.
TARGETS = {"outputs": 10}
# Steps turn many gates of few neurons, and few where the slope is near 1.
FEW = grid(m=[2, 3], L=1, n=2, d=8, outputs=1, slope=[-2.0, -1.0, -0.5])
NEARLY_LINEAR = grid(m=256, L=1, n=3, d=8, outputs=2, slope=0.999)
# One sample, whose eigenvalues are nearly alike: the longest steps lose half of their first order.
ALONE_AND_LINEAR = grid(m=256, L=1, n=1, d=8, outputs=2, slope=0.999)


@claim(
    "guo2024:theorem-B.16-corrected",
    title="growth of the inverse excess in a step, for convex losses of bounded curvature",
    bound=">= eta*Q/(3*dist**2)",
    premises=[sheet.step_linear.reads("13*rest <= eta*Q"), sheet.step_small.reads("a*eta*kerhigh <= 1")],
    measured=["eta", "Q", "dist", "rest", "a", "kerhigh"],
    regime=Regime(
        cells=grid(m=256, L=[1, 2], n=3, d=8, outputs=2, slope=SLOPES),
        draw=LOSSES_DRAWN,
        pinned=[DrawnDescent("pseudo-Huber", "drawn", 30.0, 0, 0.19)._asdict()],
        built={"drawn": (DrawnDescent, DrawnDescent._fields)},
        most=TARGETS,
    ),
    evidence=Search(examples=7, adversary="residuals along the least eigenvector of the kernel, far away"),
    controls=[
        control("the distance for its square", bound="Q*eta/(3*dist)"),
        control("few neurons", cells=FEW, without=sheet.step_linear),
        control("steps forty times as long", longer=40.0, cells=NEARLY_LINEAR, without=sheet.step_small),
    ],
    idle={"taken": 0.0},
    note="E <= |e| dist: e the derivatives in all outputs, dist the distance of these from minimisers; Q the kernel's "
    "least eigenvalue, rest what outputs move beyond first order over |e|; premises ours; kerhigh: largest "
    "eigenvalue; a: second derivative, also after the step. Squares, pseudo-Huber, cross entropy, exp(squares/10)/2",
)
def growth_of_the_inverse(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    outputs: int,
    slope: float,
    drawn: DrawnDescent,
    *,
    taken: float = 1.0,
    longer: float = 1.0,
) -> Measured:
    """The growth 1/E^(k+1) - 1/E^(k) in a step, k <= 12, E the excess of the summed loss over its least value."""
    step = _step(rng, data, m, L, n, d, outputs, slope, drawn, taken, longer)
    return Measured(1.0 / step.after - 1.0 / step.before, symbols=step.symbols)


@claim(
    "guo2024:eq-148",
    bound=">= eta*Q/(3*dist**2)",
    premises=[sheet.step_linear.reads("13*rest <= eta*Q"), sheet.step_small.reads("a*eta*kerhigh <= 1")],
    measured=["eta", "Q", "dist", "rest", "a", "kerhigh"],
    regime=Regime(
        cells=grid(m=256, L=[1, 2], n=3, d=8, outputs=2, slope=SLOPES),
        draw=LOSSES_DRAWN,
        pinned=[DrawnDescent("pseudo-Huber", "drawn", 30.0, 0, 0.19)._asdict()],
        built={"drawn": (DrawnDescent, DrawnDescent._fields)},
        least={"n": 2},
        most=TARGETS,
    ),
    evidence=Search(examples=4, adversary="residuals along the least eigenvector of the kernel, far away"),
    controls=[
        control("the cube of the excess", power=3),
        control("few neurons", cells=FEW, without=sheet.step_linear),
        control("steps forty times as long", longer=40.0, cells=NEARLY_LINEAR, without=sheet.step_small),
    ],
    idle={"taken": 0.0},
    note="Q is the kernel's least eigenvalue, dist the distance of outputs from minimisers, orders in (142), (147); "
    "rest what outputs move beyond first order, over the derivatives' norm, premises ours; kerhigh: largest "
    "eigenvalue; a: second derivative, also after the step. Squares, pseudo-Huber, cross entropy, exp(squares/10)/2",
)
def quadratic_decrease(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    outputs: int,
    slope: float,
    drawn: DrawnDescent,
    *,
    taken: float = 1.0,
    longer: float = 1.0,
    power: int = 2,
) -> Measured:
    """The quotient (E^(k) - E^(k+1))/(E^(k))^2 in a step, k <= 12, E the excess of the summed loss over its least."""
    step = _step(rng, data, m, L, n, d, outputs, slope, drawn, taken, longer)
    fallen = step.before - step.after
    return Measured(fallen / step.before**power, symbols=step.symbols)


@claim(
    "guo2024:eq-145",
    bound="normG*dist",
    premises="none needed: any convex loss, outputs and any other point",
    measured=["normG", "dist"],
    regime=Regime(
        cells=grid(outputs=[2, 5]),
        draw={
            "loss": choices(*CONVEX_LOSSES),
            "far": reals(0.01, 5.0, logarithmic=True),
            "apart": reals(1e-3, 2.0, logarithmic=True),
            "along": reals(0.0, 1.0),
        },
        pinned=[{"loss": name, "far": 1.0, "apart": 1e-3, "along": 1.0} for name in CONVEX_LOSSES],
    ),
    evidence=Search(examples=40, adversary="the other point down the gradient, close by"),
    controls=[
        control("the derivatives at the other point", there=True),
        control("a concave function of the distance", concave=True),
    ],
    note="in print the second value is lost in an index; between stands <grad l(z), z - z'>; losses: squares, "
    "pseudo-Huber, cross entropy, exp(squares/10)/2",
)
def convexity(
    rng: Generator,
    outputs: int,
    loss: str,
    far: float,
    apart: float,
    along: float,
    *,
    there: bool = False,
    concave: bool = False,
) -> Measured:
    """The difference l(z) - l(z') of a convex loss l at two outputs, normG = ||grad l(z)|| and dist = ||z - z'||."""
    used = OutputLoss("root of the distance", _root_of_distance) if concave else convex_loss(loss)
    first = rng.standard_normal((1, outputs))
    targets = drawn_targets("squares" if concave else loss, first, far, rng)
    value, slope = used.at_outputs(first, targets)
    drawn = rng.standard_normal(outputs)
    # One output of a softmax is 1 whatever arrives: there the way is elsewhere alone.
    steep = np.linalg.norm(slope) or 1.0
    way = along * -slope[0] / steep + (1.0 - along) * drawn / np.linalg.norm(drawn)
    other = first + apart * far * way
    there_value, there_slope = used.at_outputs(other, targets)
    taken = there_slope if there else slope
    symbols = {"normG": float(np.linalg.norm(taken)), "dist": float(np.linalg.norm(other - first))}
    return Measured(float(value[0] - there_value[0]), symbols=symbols)


def _root_of_distance(outputs: Array, targets: Array) -> tuple[Array, Array]:
    """The root of the distance, which is not convex."""
    lengths, units = DISTANCE.at_outputs(outputs, targets)
    roots = np.sqrt(lengths)
    return roots, units / (2.0 * roots.reshape(-1, 1))


@claim(
    "guo2024:eq-147",
    bound="C*sqrt(L)*normG",
    constants={"C": (100, "hidden in the paper; whatever it is, a minimiser may be farther away")},
    premises="none needed: no distance of the minimiser from the start is asked for in print",
    measured=["normG"],
    regime=Regime(cells=grid(m=64, L=[1, 2], slope=SLOPES)),
    evidence=Search(examples=2),
    expected=Verdict.REFUTED,
    controls=[
        control("3/10 of it", bound="30*sqrt(L)*normG"),
        control("the square of the derivatives", bound="100*sqrt(L)*normG**2"),
    ],
    note="(147) at t = 0, one sample, l(z) = sqrt(1 + (z - 1000 y)^2) for a label y near 1, of a derivative below 1, "
    "least a thousand off: weights that fit it are not within sqrt(outputs/m) of the start, as (146) needs",
)
def distant_minimiser(rng: Generator, m: int, L: int, slope: float) -> Measured:
    """The excess l(z) - min l of a convex loss l at the output z of W^(0), normG = |l'(z)|, minimiser far from z."""
    output = forward(leaky_network(3, m, L, 1, slope, rng), sphere(1, 3, rng)).output
    value, found = PSEUDO_HUBER.at_outputs(output, output + 1000.0)
    return Measured(float(value[0]), symbols={"normG": float(np.abs(found[0]))})


@claim(
    "guo2024:eq-147-corrected",
    title="change of the outputs between two sets of weights",
    bound="C*dist*sqrt(m*L/outputs)",
    constants={
        "C": Constant.above(2, attacked=1.452, why="the gradients of narrow layers; of wide ones half the root of 2")
    },
    premises=[
        "near a minimiser, as the order sqrt(L) needs; not in print [Appendix B.12, eq. (146)]: dist**2*m <= outputs",
        sheet.eq_16_width.reads("m >= 64*L*outputs"),
    ],
    measured=["dist"],
    regime=Regime(
        cells=[
            *grid(m=[64, 256], L=1, outputs=1, slope=[-1.0, 0.5]),
            *grid(m=512, L=8, outputs=1, slope=[-1.0, 0.5]),
            *grid(m=512, L=2, outputs=4, slope=SLOPES),
            *grid(m=1024, L=1, outputs=8, slope=-1.0),
        ],
        draw={"share": reals(0.02, 1.0)},
        most={"m": 2048},
    ),
    evidence=Search(examples=3, adversary="along the gradient of the output that the kernel moves most"),
    controls=[control("a thousand times as far", longer=1e3, without="dist**2*m <= outputs")],
    blind={f"premise {sheet.eq_16_width.text}": "of as many outputs as neurons one draw in four is above C, if deep"},
    idle={"longer": 0.0},
    note="for any W as near; if it is a minimiser, its outputs are within 2 sqrt(L) of those at the start",
    scope="part: the distance of outputs that (147) divides by, near the start",
)
def moves_of_the_outputs(
    rng: Generator, m: int, L: int, outputs: int, slope: float, share: float, *, longer: float = 1.0
) -> Measured:
    """The change of yhat at one x from W^(0) to W, in norm, dist = ||W - W^(0)||_F over all layers.

    At all starts but for a chance exp(-Omega(log m)), of which nothing is judged: none that is drawn may fail.
    """
    net, x = leaky_network(6, m, L, outputs, slope, rng), sphere(1, 6, rng)
    passed = forward(net, x)
    most = np.linalg.eigh(tangent_features(net, passed).grams.sum(axis=0))[1][:, -1]
    way = output_gradient(net, passed, most.reshape(passed.output.shape))
    length = math.sqrt(sum(float(np.sum(part**2)) for part in way))
    dist = share * math.sqrt(outputs / m)
    moved = forward(shifted(net, way, longer * dist / length if length else 0.0), x).output
    return Measured(float(np.linalg.norm(moved - passed.output)), symbols={"dist": max(longer, 1.0) * dist})


@claim(
    "guo2024:eq-144",
    bound=">= Q/3",
    premises=[sheet.step_linear.reads("13*rest <= eta*Q"), sheet.step_small.reads("a*eta*kerhigh <= 1")],
    measured=["eta", "Q", "rest", "a", "kerhigh"],
    regime=Regime(
        cells=[*grid(m=256, L=[1, 2], n=3, d=8, outputs=2, slope=SLOPES), *ALONE_AND_LINEAR],
        draw=LOSSES_DRAWN,
        pinned=[DrawnDescent("squares", "near duplicates", 30.0, 0, 0.99)._asdict()],
        built={"drawn": (DrawnDescent, DrawnDescent._fields)},
        most=TARGETS,
    ),
    evidence=Search(examples=4, adversary="residuals along the least eigenvector of the kernel"),
    controls=[
        control("the root of the eigenvalue", bound="sqrt(Q)/3"),
        control("the squared derivatives of a sample for their sum", samples=3.0),
        control("few neurons", cells=FEW, without=sheet.step_linear),
        control("steps forty times as long", longer=40.0, cells=NEARLY_LINEAR, without=sheet.step_small),
    ],
    idle={"taken": 0.0},
    note="Q is the kernel's least eigenvalue, of the order in (142), rest what outputs move beyond first order over "
    "the norm of all e_i; premises ours; kerhigh: largest eigenvalue; a: second derivative, also after the step. "
    "Squares, pseudo-Huber, cross entropy, exp(squares/10)/2",
)
def decrease_by_a_step(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    outputs: int,
    slope: float,
    drawn: DrawnDescent,
    *,
    taken: float = 1.0,
    longer: float = 1.0,
    samples: float = 1.0,
) -> Measured:
    """The fall of the summed loss in a step over eta sum_i ||e_i||^2, e_i the derivatives of a loss in the outputs."""
    step = _step(rng, data, m, L, n, d, outputs, slope, drawn, taken, longer)
    return Measured(
        float(quotients(step.before - step.after, samples * step.eta * step.slopes**2)), symbols=step.symbols
    )

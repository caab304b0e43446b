"""zou2018, one step and a few of mini-batches: drift (Lemma 5.7), and the mean decrease, (C.16) to (C.21).

Main claims: `drift_under_an_adversary`, `output_moves_over_batches`, `mean_decrease`, `mean_loss`.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np
import sympy as sp
from hypothesis import strategies as st
from numpy.random import Generator

from bounds import Bound, Decision, all_of, at_least, is_zero, no_negative_coefficient, symbol
from bounds.papers import zou2018 as sheet
from nets.core.arrays import Array
from nets.data.distances import separation
from nets.data.labelled import DataSource
from nets.data.points import ARRANGEMENTS, arranged
from nets.descent.training import all_batches, descent_step
from nets.networks.forward import forward
from nets.networks.gradients import loss_gradient
from nets.networks.losses import LOGISTIC, Loss, power_loss
from nets.networks.network import Network, he_network
from nets.networks.operators import frobenius_norm, gated_gram, operator_norm
from nets.worst_cases.adversaries import worst_derivatives
from properties.zou2018 import mini_batches
from properties.zou2018.descent import (
    BEGINNINGS,
    BOUNDED_SLOPE,
    BY_THE_STEPS,
    TRAINING,
    DrawnTraining,
    draw_training,
    drift_of,
)
from properties.zou2018.gradient_step import (
    BLIND_TO_OUTPUTS,
    REGION_STEP,
    STEP_LOSSES,
    GradientStep,
    RegionStep,
    moved_off,
    named,
    region_symbols,
    same_points,
    standing,
    step_size,
    widths,
)
from properties.zou2018.limits import LAYER_NORM, OUTPUT_NORM
from properties.zou2018.perturbed_pass import ALLOWED_SHARE, WIDE, norm_above
from properties.zou2018.region_constants import near_kinks
from properties.zou2018.risk_slopes import loss_slopes
from properties.zou2018.worst_networks import two_channels
from theory.claims import Measured, Regime, choices, claim, control, grid, reals
from theory.evidence import Proof, Search, Step

NARROW = grid(L=[1, 2, 3], M=32, n=8, d=8)
DRIFT = Regime(
    cells=[*NARROW, *grid(L=3, M=WIDE, n=4, d=8)],
    thorough=grid(L=[2, 4], M=128, n=4, d=[8, 64]),
    nightly=grid(L=2, M=10**5, n=4, d=16),
    draw={
        "weights": choices(*BEGINNINGS),
        "loss": choices(*BOUNDED_SLOPE),
        "B": st.integers(1, 3),
        "k": st.integers(1, 32),
        "tau": reals(1e-3, 0.5, logarithmic=True),
        "share": reals(0.1, ALLOWED_SHARE),
    },
    pinned=[
        {"B": 1, **DrawnTraining("steep", "power 1/2 from -3 on", k=16, tau=0.5, share=ALLOWED_SHARE)._asdict()},
        {"B": 1, **DrawnTraining("Gaussian", "logistic", k=4, tau=0.5, share=ALLOWED_SHARE)._asdict()},
    ],
    built=TRAINING,
)
DRIFT_SEARCH = Search(
    examples=lambda M: 1 if M >= WIDE else 12,
    adversary="always the samples of the longest gradients; norms of 7/2, and no slope at the other samples",
)


def _drift(
    rng: Generator,
    data: DataSource,
    L: int,
    M: int,
    n: int,
    d: int,
    B: int,
    drawn: DrawnTraining,
    *,
    norm: float = LAYER_NORM,
    columns: bool = False,
    longer: float = 1.0,
    taken: float = 1.0,
    counted: Sequence[float] = (1.0,),
) -> Measured:
    """||W_l^(k) - W_l^(0)|| of all layers after the k steps that are drawn, of the batches of the B steepest samples.

    At steep weights as many samples as a batch holds are in the steepest part of the loss.
    """
    X, y, first = draw_training(rng, data, L, M, n, d, drawn.weights, norm, alike=B)
    used, net = BOUNDED_SLOPE[drawn.loss], first
    eta = longer * drawn.step_size(L, M, used.constants.rho)
    for _ in range(int(taken * drawn.k)):
        passed = forward(net, X)
        chosen = mini_batches.steepest_samples(net, passed, y, used, min(B, len(y)))
        net, _ = descent_step(net, passed, y, used, eta, chosen)
    norms = [np.linalg.norm(W, axis=0).max() if columns else norm_above(W) for W in first.weights]
    symbols = {"eta": eta, "rho": used.constants.rho, "normW": max(norms), "m": M}
    return Measured(drift_of(first, net) * np.array(counted), symbols=symbols)


@claim(
    "zou2018:lemma-5.7",
    bound=sheet.lemma_5_5.reads("4**L*sqrt(M)*rho*k*eta"),
    premises=[
        sheet.lemma_5_5_radius.reads("4**L*sqrt(M)*rho*k*eta <= tau"),
        sheet.theorem_5_3_radius.reads("tau <= 1/2"),
        sheet.theorem_5_3_i_norms.reads("normW <= 7/2"),
    ],
    regime=DRIFT,
    measured=["eta", "rho", "normW", "m"],
    evidence=DRIFT_SEARCH,
    controls=[
        control("steps that add up like a random walk", bound="4**L*sqrt(M)*rho*sqrt(k)*eta", cells=NARROW),
        control("a batch weighted as its share of all samples", bound="4**L*sqrt(M)*rho*k*eta*B/n"),
        control("norms of the columns for the norm of a layer", norm=13.0, columns=True, cells=NARROW),
        control("weights of norm 13", norm=13.0, cells=NARROW, without=sheet.theorem_5_3_i_norms),
        control("steps a million times too long", longer=1e6, cells=NARROW, without=sheet.lemma_5_5_radius),
    ],
    idle={"taken": 0.0},
    blind={**BY_THE_STEPS, "rho": "the bound is four times what is met: sharp sees it"},
    note="at most tau by the first premise. The proof holds for every sequence of batches, whoever chooses them; of "
    "Theorem 5.1 it uses the norms of the layers alone, normW the largest ||W_l^(0)||: the start need not be Gaussian",
)
def drift_under_an_adversary(
    rng: Generator,
    data: DataSource,
    L: int,
    M: int,
    n: int,
    d: int,
    B: int,
    drawn: DrawnTraining,
    *,
    norm: float = LAYER_NORM,
    columns: bool = False,
    longer: float = 1.0,
    taken: float = 1.0,
) -> Measured:
    """The norms ||W_l^(k) - W_l^(0)|| of all l after k steps, each on the B samples of the longest gradients."""
    return _drift(rng, data, L, M, n, d, B, drawn, norm=norm, columns=columns, longer=longer, taken=taken)


@claim(
    "zou2018:lemma-5.7-sharp",
    title="drift of the weights over mini-batches, without the layer's own norm",
    bound=sheet.lemma_5_5_sharp.reads("4**(L - 1)*sqrt(m)*rho*k*eta"),
    premises=[
        sheet.lemma_5_5_radius.reads("4**L*sqrt(M)*rho*k*eta <= tau"),
        sheet.theorem_5_3_radius.reads("tau <= 1/2"),
        sheet.theorem_5_3_i_norms.reads("normW <= 7/2"),
    ],
    regime=DRIFT,
    measured=["eta", "rho", "normW", "m"],
    evidence=DRIFT_SEARCH,
    controls=[
        control("one neuron in twelve missed", bound="4**(L-1)*sqrt(11*m/12)*rho*k*eta", cells=NARROW),
        control("Lipschitz constant taken to be 1", bound="4**(L-1)*sqrt(m)*k*eta", cells=NARROW),
        control("two layers' norms left out", bound="4**(L-2)*sqrt(m)*rho*k*eta", cells=NARROW),
        control("mean over all samples", bound="4**(L-1)*sqrt(m)*rho*k*eta*B/n"),
        control("the drift of the first of two layers five times as long", counted=(5.0, 1.0), cells=NARROW[1:2]),
        control("the drift of the last of two layers a third longer", counted=(1.0, 4 / 3), cells=NARROW[1:2]),
        control("steps that add up to a power below 1", bound="4**(L-1)*sqrt(m)*rho*k**(9/10)*eta", cells=NARROW),
        control("weights of norm 13", norm=13.0, cells=NARROW, without=sheet.theorem_5_3_i_norms),
        control("steps a million times too long", longer=1e6, cells=NARROW, without=sheet.lemma_5_5_radius),
    ],
    idle={"taken": 0.0},
    blind=BY_THE_STEPS,
    note="m is the last width, normW the largest ||W_l^(0)||. One layer comes as near to the bound as its two dead "
    "neurons let it; with more layers the bound has 4 for each norm, where 7/2 is what the premise allows",
)
def drift_without_the_layers_own_norm(
    rng: Generator,
    data: DataSource,
    L: int,
    M: int,
    n: int,
    d: int,
    B: int,
    drawn: DrawnTraining,
    *,
    norm: float = LAYER_NORM,
    longer: float = 1.0,
    taken: float = 1.0,
    counted: Sequence[float] = (1.0,),
) -> Measured:
    """The norms ||W_l^(k) - W_l^(0)|| of all l after k steps, each on the B samples of the longest gradients."""
    return _drift(rng, data, L, M, n, d, B, drawn, norm=norm, longer=longer, taken=taken, counted=counted)


def _moment(n: int, B: int) -> tuple[sp.Rational, sp.Rational]:
    """Diagonal and other entries of the quadratic form E[(mean of z over the batch)^2] in z, by listing batches."""
    batches = [set(batch) for batch in itertools.combinations(range(n), B)]
    unit = sp.Rational(1, len(batches) * B**2)
    both = unit * sum({0, 1} <= batch for batch in batches) if n > 1 else sp.Integer(0)
    return unit * sum(0 in batch for batch in batches), both


@claim(
    "zou2018:eq-C.16-moment",
    title="second moment of the mean derivative of a mini-batch",
    bound="S1abs**2/(n*B)",
    premises="none needed: its steps cover all derivatives of one sign, as Assumption 3.1 has them",
    regime=Regime(cells=grid(n=range(2, 9))),
    measured=["B", "S1abs"],
    evidence=Proof(
        margin="none: attained by a single sample that is not fitted; the printed bound is twice this",
        unasked="the sum over all batches takes seconds for each wrong bound",
    ),
    controls=[
        control("full batches", bound="S1abs**2/n**2"),
        control("means of batches independent of one another", bound="S1abs**2/(n*B**2)"),
        control("without the square, as in print", bound="S1abs/(n*B)"),
        control("derivatives of both signs", signs=True),
    ],
)
def moment_over_batches(bound: Bound, n: int, *, signs: bool = False) -> list[Step]:
    """E[(mean |ell'_i| of a batch)^2], a convex form in the n numbers |ell'_i|: at a given sum S1abs it is largest
    where all of them but one are 0, and there it is its diagonal entry times S1abs^2."""
    steps, S = [], symbol("S1abs")
    for B in range(1, n + 1):
        own, both = _moment(n, B)
        limit = bound.expr.subs({symbol("n"): n, symbol("B"): B})
        # With signs the sum may vanish: at e_1 - e_2 the form is 2 (own - both), and S = 0.
        value, at = (2 * (own - both), 0) if signs else (own * S**2, S)
        within = sp.simplify(limit.subs(S, at) - value)
        convex = all_of([at_least(own, both), at_least(own + (n - 1) * both, 0)])
        steps += [
            Step(f"the form is convex for B = {B}", convex),
            Step(f"it is at most the bound at a vertex for B = {B}", _never_negative(within)),
            Step(f"so is half of the printed bound for B = {B}", is_zero(2 * S**2 / (n * B) - 2 * own * S**2)),
        ]
    # A sample is in a share B/n of the batches, a pair in B (B - 1)/(n (n - 1)) of them.
    N, size = symbol("n"), symbol("B")
    diagonal, other = 1 / (N * size), (size - 1) / (N * (N - 1) * size)
    left = (N - size) / (N * (N - 1) * size)
    return [
        *steps,
        Step("counted, own less both is (n - B)/(n (n - 1) B)", is_zero(diagonal - other - left)),
        Step(
            "and own and n - 1 times both are 1/n: convex for all n and B", is_zero(diagonal + (N - 1) * other - 1 / N)
        ),
        Step("own is the bound at a vertex, for all n and B", is_zero(bound.expr - diagonal * S**2) or None),
    ]


def _never_negative(gap: sp.Expr) -> Decision:
    """Whether a polynomial in S1abs without constant term, of two terms at most, is >= 0 for all S1abs >= 0."""
    return no_negative_coefficient(gap, symbol("S1abs"))


C16 = Regime(
    cells=[
        *grid(L=[1, 2], M=32, n=4, d=8, B=[1, 2]),
        *grid(L=3, M=32, n=4, d=8, B=4),
        *grid(L=1, M=1024, n=8, d=8, B=8),
        *grid(L=1, M=32, n=1, d=8, B=1),
    ],
    thorough=grid(L=2, M=64, n=5, d=16, B=[1, 3]),
    draw={
        "weights": choices("Gaussian", "two channels", "one against all"),
        "loss": choices("logistic", "huberised_hinge", "power 2/3"),
        "size": reals(1e-4, 1.0, logarithmic=True),
        "moved": reals(0.0, 0.99),
    },
    pinned=[
        RegionStep("one against all", "huberised_hinge", size=1.0, moved=0.0)._asdict(),
        RegionStep("two channels", "huberised_hinge", size=1.0, moved=0.0)._asdict(),
    ],
    built=REGION_STEP,
    most={"B": "n"},
)
# The bound is attained. A change of the output is the difference of two passes: for the smallest steps here it has lost
# four digits, so that its square is known to some 1e-11; the product of norms is taken larger by more than that.
ROUNDED_UP = 1.0 + 1e-9

C16_SEARCH = Search(examples=10, adversary="equal samples on the largest norms, all of them steep or a single one")


def _batch_steps(
    rng: Generator,
    data: DataSource,
    sizes: tuple[int, int, int, int],
    B: int,
    drawn: RegionStep,
    *,
    norm: float = LAYER_NORM,
    beyond: float = 0.0,
) -> tuple[Network, list[GradientStep], float]:
    """A centre, the steps of all batches from a point of its region, none of them out of it, and sum_i |ell'_i|.

    The centre is Gaussian, or has two channels and equal samples, all alike or all but one of them with a label that
    leaves no slope.
    """
    L, M, n, d = sizes
    X, y = data.draw(n, d, rng)
    layers = widths(X.shape[1], M, L)
    centre = he_network(layers, rng)
    if drawn.weights != "Gaussian":
        X, y = same_points(X, y)
        alone = drawn.weights == "one against all"
        # Without four neurons of the positive sign the output is below -1.
        dead = (0, 1, 2, 3) if alone else (0, -1)
        centre = two_channels(X[0], layers[1:], OUTPUT_NORM * ALLOWED_SHARE, norm * ALLOWED_SHARE, dead)
        y[1:] = -1.0 if alone else 1.0
    net, left = moved_off(rng, centre, drawn.moved, beyond)
    loss, batches = STEP_LOSSES[drawn.loss], all_batches(len(y), min(B, len(y)))
    eta = min(step_size(net, X, y, loss, drawn.size * left, batch) for batch in batches)
    steps = [GradientStep.of(net, X, y, loss, eta, batch) for batch in batches]
    return centre, steps, float(np.abs(loss_slopes(loss, y * steps[0].start.output)).sum())


def _mean_square_move(steps: list[GradientStep], *, absolute: bool = False) -> Array:
    """The mean over the batches of the squared change of each output: (n,); with `absolute`, its square root taken."""
    moves = np.array([step.end.output - step.start.output for step in steps])
    return np.abs(moves).mean(axis=0) if absolute else (moves**2).mean(axis=0)


TWO_LAYERS = grid(L=2, M=32, n=4, d=8, B=1)


@claim(
    "zou2018:eq-C.16",
    bound="2**(10*L + 1)*M**2*eta**2/(49*n*B)*S1abs**2",
    ceiling="M",  # Proof of Lemma C.2
    premises=[
        sheet.lemma_C_2_radius.reads("tau <= 7/2*8**(-L)"),
        sheet.lemma_C_2_norms.reads("normW <= 7/2"),
        sheet.lemma_C_2_outputs.reads("r <= 3/2"),
    ],
    regime=C16,
    measured=["S1abs", "eta", "tau", "normW", "r"],
    evidence=C16_SEARCH,
    controls=[
        control("a batch divided by n", bound="2**(10*L+1)*M**2*eta**2/(49*n**4)*S1abs**2"),
        control(
            "the moment of full batches, of 64 samples one of which has all of the loss",
            bound="2**(10*L + 1)*M**2*eta**2/(49*n**2)*S1abs**2",
            cells=grid(L=1, M=32, n=64, d=8, B=1),
        ),
        control("mean of the sizes for that of the squares", absolute=True),
        control("layers of norm 30", norm=30.0, cells=TWO_LAYERS, without=sheet.lemma_C_2_norms),
        control("iterates further off by 100", beyond=100.0, cells=TWO_LAYERS, without=sheet.lemma_C_2_radius),
    ],
    note="normW, r: largest norms of a layer and an output at a centre, all iterates within tau of it; the display "
    "before is moment. At one layer the bound is 42 times what is met: 2 by moment, (32/7)^2 by (C.11); see sharp",
    blind={**BLIND_TO_OUTPUTS, **dict.fromkeys(("n", "B"), "42 times what is met: eq-C.16-sharp sees it")},
    idle={"move": False},
)
def output_moves_over_batches(
    rng: Generator,
    data: DataSource,
    L: int,
    M: int,
    n: int,
    d: int,
    B: int,
    drawn: RegionStep,
    *,
    absolute: bool = False,
    norm: float = LAYER_NORM,
    beyond: float = 0.0,
    move: bool = True,
) -> Measured:
    """E[Delta_i^2] over all batches, listed, i in them or not; Delta_i is y_i (f'(x_i) - f(x_i)) in one step."""
    centre, steps, slopes = _batch_steps(rng, data, (L, M, n, d), B, drawn, norm=norm, beyond=beyond)
    steps = steps if move else list(map(standing, steps))
    symbols = [region_symbols(centre, step) for step in steps]
    largest = {name: max(s[name] for s in symbols) for name in symbols[0]}
    return Measured(_mean_square_move(steps, absolute=absolute), symbols={**largest, "S1abs": slopes})


@claim(
    "zou2018:eq-C.16-sharp",
    title="second moment of the output change over batches, by measured norms",
    bound="(prodW*m*eta*S1abs)**2/(n*B)",
    premises="none needed: measured norms replace the region; the derivatives of a loss share their sign",
    regime=C16,
    measured=["S1abs", "eta", "prodW", "m"],
    evidence=C16_SEARCH,
    controls=[control("moment of full batches", bound="(prodW*m*eta*S1abs)**2/n**2")],
    note="m is the last width, prodW rounded up by 10^(-9); the worst networks lose their dead last neurons",
    idle={"move": False},
)
def output_moves_by_measured_norms(
    rng: Generator, data: DataSource, L: int, M: int, n: int, d: int, B: int, drawn: RegionStep, *, move: bool = True
) -> Measured:
    """E[Delta_i^2] over all batches, listed, i in them or not; Delta_i is y_i (f'(x_i) - f(x_i)) in one step.

    prodW is the largest, over batches, sum_t w'_{t+1} ... w'_L w_{t+1} ... w_L max_i ||x_{t-1,i}||^2, of the norms w
    before and w' after the step.
    """
    _, steps, slopes = _batch_steps(rng, data, (L, M, n, d), B, drawn)
    steps = steps if move else list(map(standing, steps))
    products = ROUNDED_UP * max(float(step.stretched(step.own_moves)[-1]) for step in steps)
    symbols = {"S1abs": slopes, "eta": steps[0].eta, "prodW": products, "m": M}
    return Measured(_mean_square_move(steps), symbols=symbols)


C18 = Regime(
    cells=[*grid(L=1, M=16, n=[2, 4], d=4, B=1), *grid(L=2, M=16, n=3, d=4, B=2), *grid(L=1, M=64, n=8, d=8, B=8)],
    thorough=[*grid(L=1, M=64, n=6, d=8, B=[2, 3]), *grid(L=3, M=16, n=3, d=8, B=1)],
    draw={"size": reals(0.01, ALLOWED_SHARE), "moved": reals(0.0, 0.9), "points": choices(*ARRANGEMENTS)},
    pinned=[{"size": ALLOWED_SHARE, "moved": 0.0, "points": "drawn", "trial": 0}],
    least=mini_batches.TWO_SAMPLES_IN_THE_PLANE,
    most={"B": "n"},
)
C18_MEASURED = ["eta", "tau", "m", "c0", "phi", "S1abs", "normsq", "rho", "lam", "normW", "r", "count"]


def _tiny_step(
    rng: Generator,
    data: DataSource,
    sizes: tuple[int, int, int, int],
    B: int,
    size: float,
    moved: float,
    points: str,
    *,
    full: bool = False,
    uphill: bool = False,
    beyond: float = 0.0,
    move: bool = True,
) -> Measured:
    """The mean decrease of the logistic loss over all batches, in a step that takes `size` of what (C.18) allows.

    The iterate is off the initial weights by `moved` of the radius, and further off by `beyond`. c0 is the largest
    number for which the last layer's gradient is as long as Lemma B.5 says for all labels and losses. The labels are
    those that come nearest.
    """
    L, M, n, d = sizes
    X, y = data.draw(n, d, rng)
    X = arranged(X, points, rng)
    n, B = len(y), min(B, len(y))
    net = he_network(widths(X.shape[1], M, L), rng)
    worst = worst_derivatives(gated_gram(forward(net, X)))
    y = np.where(worst.vector < 0.0, -1.0, 1.0)
    here = mini_batches.Branching(net, X, y, LOGISTIC, 1.0, B)
    slopes = float(np.abs(loss_slopes(LOGISTIC, y * here.passed.output)).sum())
    norms, phi = here.squared_gradients, separation(X)
    constants = {"rho": LOGISTIC.constants.rho, "lam": LOGISTIC.constants.lam}
    c0 = (1.0 - 1e-9) * max(0.0, worst.value) * n**5 / phi**3
    met = {**constants, "c0": c0, "phi": phi, "m": M, "M": M, "n": n, "B": B, "L": L}
    largest_radius, largest_step = (float(premise.larger.evaluate(met)) for premise in sheet.eq_C_18_premises)
    # The norms of all batch gradients together are at least that of each.
    gradients = [loss_gradient(net, here.passed, y, LOGISTIC, batch) for batch in all_batches(n, B)]
    longest = max(frobenius_norm(G) for steps in gradients for G in steps)
    offset = moved * largest_radius
    eta = size * min(largest_step, (largest_radius - offset) / longest) if longest > 0.0 else 0.0
    offset += beyond
    # Without a gradient in the last layer no step is allowed.
    taken = move and eta > 0.0
    decrease = (
        mini_batches.ball_decrease(net, X, -y if uphill else y, B, eta, offset, n if full else B) if taken else 0.0
    )
    symbols = {**met, "eta": eta, "tau": offset + eta * longest, "S1abs": slopes}
    # Less its rounding: with near duplicates the rest of the bound is below the last bit of it.
    symbols["normsq"] = float(norms.sum()) * (1.0 - 1e-12)
    layers = [float(np.linalg.norm(x, axis=1).max()) for x in here.passed.post[1:]]
    symbols |= {"normW": max(operator_norm(W) for W in net.weights), "r": max(layers)}
    return Measured(decrease, symbols={**symbols, "count": near_kinks(net, here.passed, 8.0**L * largest_radius)})


# What steps that the premises allow cannot show.
SHORT_STEPS = {
    f"premise {sheet.eq_C_18_step.text}": "no step that stays within the radius is long enough for curvature to count",
    **dict.fromkeys(
        (f"premise {premise.text}" for premise in (sheet.lemma_C_2_norms, sheet.lemma_C_2_outputs)),
        "it bounds what a step loses beyond the gradient, of which so short a one shows nothing",
    ),
    f"premise {sheet.eq_C_7_gates.text}": "no weights drawn have a gate so near its kink",
}


@claim(
    "zou2018:eq-C.18",
    bound=sheet.eq_C_18.reads("eta*c0*m*phi**3/(2*n**7)*S1abs**2"),
    sense=">=",
    premises=[
        sheet.eq_C_7_radius.reads("tau <= (c0*m*phi**3/(2**(12*L + 2)*C0*n**5*M*log(M)))**3"),
        sheet.eq_C_18_step.reads("eta <= c0*m*phi**3*B/(2**(10*L + 2)*n**6*M**2*(lam + rho))"),
        sheet.lemma_C_2_norms.reads("normW <= 7/2"),
        sheet.lemma_C_2_outputs.reads("r <= 3/2"),
        sheet.eq_C_7_gates.reads("count <= 0"),
    ],
    regime=C18,
    measured=C18_MEASURED,
    normalised={"c0": "phi**3/n**5"},
    evidence=Search(examples=6),
    controls=[
        control("a batch divided by n", full=True, cells=grid(L=1, M=16, n=4, d=4, B=1)),
        control("iterate further off by 100", beyond=100.0, without=sheet.eq_C_7_radius),
    ],
    note="c0 is the largest with ||grad_{W_L} L_S||_F^2 >= c0 m phi^3/n^7 S1abs^2 at the start, all labels and losses; "
    "labels come nearest. C0 = sqrt(3) 7/3 + 1; S1abs, normW, r, largest norms of layers, outputs, are of the start",
    blind={**SHORT_STEPS, "phi": mini_batches.CANCELLED["phi"]},
    idle={"move": False},
)
def mean_decrease(
    rng: Generator,
    data: DataSource,
    L: int,
    M: int,
    n: int,
    d: int,
    B: int,
    size: float,
    moved: float,
    points: str,
    *,
    full: bool = False,
    beyond: float = 0.0,
    move: bool = True,
) -> Measured:
    """L_S less the mean of L_S' over all batches, logistic loss, both ends tau < 10^(-16) from Gaussian weights, of
    whose pre-activations count are within 8^L times the largest such tau of 0."""
    return _tiny_step(rng, data, (L, M, n, d), B, size, moved, points, full=full, beyond=beyond, move=move)


@claim(
    "zou2018:eq-C.18-gradient",
    title="(C.17), the mean decrease by the gradients of all layers",
    bound=sheet.eq_C_17.reads(
        "eta*normsq - (2**(9*L + 3)*L*C0*tau**(1/3)*M*sqrt(log(M))*eta/n**2 "
        "+ 2**(10*L)*M**2*eta**2*(rho + lam)/(7*n*B))*S1abs**2"
    ),
    sense=">=",
    premises=[
        sheet.eq_C_7_radius.reads("tau <= (c0*m*phi**3/(2**(12*L + 2)*C0*n**5*M*log(M)))**3"),
        sheet.eq_C_18_step.reads("eta <= c0*m*phi**3*B/(2**(10*L + 2)*n**6*M**2*(lam + rho))"),
        sheet.lemma_C_2_norms.reads("normW <= 7/2"),
        sheet.lemma_C_2_outputs.reads("r <= 3/2"),
        sheet.eq_C_7_gates.reads("count <= 0"),
    ],
    regime=C18,
    measured=C18_MEASURED,
    evidence=Search(examples=6),
    controls=[
        control("a batch divided by n", full=True, cells=grid(L=1, M=16, n=4, d=4, B=1)),
        control("labels turned round in the step", uphill=True),
        control("a fifth more than the squared gradient", bound="6*eta*normsq/5"),
    ],
    note="c0 is the largest with ||grad_{W_L} L_S||_F^2 >= c0 m phi^3/n^7 S1abs^2 for all labels and losses; it and "
    "normsq, S1abs, normW and r, largest norms of layers and outputs, are of Gaussian weights, the step tau < 10^(-16) "
    "off. C0 = sqrt(3) 7/3 + 1",
    blind={
        **SHORT_STEPS,
        f"premise {sheet.eq_C_7_radius.text}": "the bound falls with tau, and is negative well beyond the radius",
        **dict.fromkeys(
            ("rho", "lam"), "it stands in a term of order eta^2: eq-C.18-second-moment sees lam in longer steps"
        ),
        **{
            f"term {term}": "so short a step crosses no gate and feels no curvature: eq-C.6-certified sees both"
            for term in sheet.eq_C_17.variants.without_terms()
            if "C0" in term
        },
    },
    idle={"move": False},
)
def mean_decrease_by_the_gradient(
    rng: Generator,
    data: DataSource,
    L: int,
    M: int,
    n: int,
    d: int,
    B: int,
    size: float,
    moved: float,
    points: str,
    *,
    full: bool = False,
    uphill: bool = False,
    move: bool = True,
) -> Measured:
    """L_S less the mean of L_S' over all batches, logistic loss; normsq is the sum over l of ||grad_{W_l} L_S||_F^2,
    count the pre-activations within 8^L times the largest radius of 0."""
    return _tiny_step(rng, data, (L, M, n, d), B, size, moved, points, full=full, uphill=uphill, move=move)


def _falls(loss: Loss, margins: Array, moves: Array) -> tuple[Array, Array]:
    """By how much a loss falls as margins move, and the sizes that rounding is relative to.

    Of the logistic loss without a difference of losses, of which nearly equal points with opposite labels leave little.
    """
    if loss is LOGISTIC:
        falls = -np.log1p(-loss.derivative(margins) * np.expm1(-moves))
        return falls, np.abs(falls)
    before, after = loss.value(margins), loss.value(margins + moves)
    return before - after, before + after


STEPS_OF_ANY_SIZE = {
    "loss": choices("logistic", "huberised_hinge"),
    "share": reals(0.01, 3.0, logarithmic=True),
    "gain": reals(0.1, 2.0),
    "points": choices(*ARRANGEMENTS),
}


@claim(
    "zou2018:eq-C.18-second-moment",
    title="mean decrease of the loss in a mini-batch step of any size, gates kept, by the moves that are met",
    bound=">= (1 - Rational(1, 10**9))*eta*normsq - lam*mean_sq/2",
    premises="none needed: the logistic loss and the Huberised hinge are smooth with their lam; any step size will do",
    regime=Regime(
        cells=grid(L=1, m=32, n=[2, 4], d=4, B=[1, 2]),
        thorough=grid(L=1, m=128, n=6, d=8, B=[1, 3]),
        draw=STEPS_OF_ANY_SIZE,
        pinned=[{"loss": "huberised_hinge", "share": 1.0, "gain": 0.1, "points": "drawn"}],
        most={"B": "n"},
    ),
    measured=["eta", "normsq", "mean_sq", "lam"],
    evidence=Search(examples=25, adversary="weights so small that all margins lie where the Huberised hinge is curved"),
    controls=[
        control("moves of the mean step, as if batches had no variance", mean_step=True),
        control("a batch divided by n", full=True),
        control("half of the curvature", bound="999999999*eta*normsq/10**9 - lam*mean_sq/4"),
        control("no second moment", bound="999999999*eta*normsq/10**9"),
    ],
    note="one hidden layer; an equality for a parabola, but for 10^(-9), which is room for rounding",
    idle={"move": False},
)
def decrease_by_measured_moves(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    B: int,
    loss: str,
    share: float,
    gain: float,
    points: str,
    *,
    mean_step: bool = False,
    full: bool = False,
    move: bool = True,
) -> Measured:
    """The mean decrease of L_S over all batches, listed, steps up to 3 times where curvature is felt at lam = 1.

    normsq is the squared norm of grad L_S, all layers together, mean_sq the mean over batches and samples of a squared
    change of output. Outputs move to first order in W, gates kept, as in (C.14): flips are the business of Lemma C.4.
    """
    X, y = data.draw(n, d, rng)
    X = arranged(X, points, rng)
    chosen = STEP_LOSSES[loss]
    net = he_network((X.shape[1], *[m] * L), rng, gain=gain)
    size = min(B, len(y))
    here = mini_batches.Branching(net, X, y, chosen, share * mini_batches.unit_curvature_step(net, X), size)
    moves = here.linear_moves * (size / len(y) if full else 1.0)
    falls, terms = _falls(chosen, y * here.passed.output, y * moves * (1.0 if move else 0.0))
    squares = moves.mean(axis=0) ** 2 if mean_step else moves**2
    symbols = {"eta": here.eta, "normsq": float(here.squared_gradients.sum()), "lam": chosen.constants.lam}
    symbols["mean_sq"] = float(squares.mean())
    return Measured(float(falls.mean()), error=1e-13 * float(terms.mean()), symbols=symbols)


# Where the losses without a knee have one after all, further to the left than the networks of a cell come.
FAR_LEFT = -50.0
# alpha_1 = 1 but for the first.
STRAIGHT = named(mini_batches.SLOW_EXPONENTIAL, power_loss(0.6, FAR_LEFT), power_loss(0.8, FAR_LEFT))
PARABOLA = power_loss(0.5, FAR_LEFT)
TREES = Regime(
    cells=[
        *grid(L=[1, 2], m=16, n=2, d=3, B=1, k=6),
        *grid(L=1, m=16, n=3, d=3, B=2, k=4),
        *grid(L=1, m=128, n=6, d=6, B=6, k=12),
    ],
    thorough=[*grid(L=2, m=32, n=2, d=3, B=1, k=9), *grid(L=1, m=16, n=4, d=4, B=3, k=4)],
    draw={"loss": choices(*STRAIGHT), "share": reals(0.02, 1.0, logarithmic=True), "points": choices(*ARRANGEMENTS)},
    pinned=[{"loss": "slow_exponential", "share": 0.5, "points": "drawn"}],
    least=mini_batches.TWO_SAMPLES_IN_THE_PLANE,
    most={"B": "n"},
)
ONE_STEP = grid(L=1, m=16, n=8, d=3, B=1, k=1)
RISING = {
    "premise c0 >= 1/1000000000": "where the mean rises the time that is allowed is below 0, as no time is: the step "
    "alone sees it, eq-C.20-one-step"
}
TREE_MEASURED = ["eta", "phi", "c0", "p", "alpha1", "L0", "x"]


def _tree(
    rng: Generator,
    data: DataSource,
    sizes: tuple[int, int, int, int],
    B: int,
    k: int,
    loss: Loss,
    share: float,
    points: str = "drawn",
    *,
    gain: float = 2.0,
    longer: float = 1.0,
) -> tuple[mini_batches.BatchTree, dict[str, float]]:
    """All paths of k steps, each of `share` of the one at which curvature is felt, and what the bounds speak of."""
    L, m, n, d = sizes
    X, y = data.draw(n, d, rng)
    X = arranged(X, points, rng)
    net = he_network((X.shape[1], *[m] * L), rng, gain=gain)
    root = mini_batches.Branching(
        net, X, y, loss, longer * share * mini_batches.unit_curvature_step(net, X), min(B, len(y))
    )
    tree, phi, constants = mini_batches.batch_tree(root, k), separation(X), loss.constants
    passed = [step for level in tree.levels[:-1] for step in level]
    least = min((float((step.y * step.passed.output).min()) for step in passed), default=0.0)
    if constants.x_0 == FAR_LEFT and least < FAR_LEFT:
        raise ValueError(f"a margin of {least:.3g} is left of the knee at {FAR_LEFT:g}: ask for fewer or wider layers")
    symbols = {"eta": root.eta, "phi": phi, "c0": tree.constant(m, len(y), phi), "L0": float(tree.risks(0)[0])}
    symbols |= {"p": constants.p, "alpha0": constants.alpha_0, "alpha1": constants.alpha_1, "rho": constants.rho}
    return tree, {name: value for name, value in symbols.items() if math.isfinite(value)}


@claim(
    "zou2018:eq-C.20",
    bound=sheet.eq_C_20.reads("2*n**(7 - 2*p)*(-L0**(1 - 2*p) + x**(1 - 2*p))/(alpha1**2*c0*m*phi**3*(2*p - 1))"),
    premises=sheet.eq_C_18_met.reads("c0 >= 1/10**9"),
    regime=TREES,
    measured=TREE_MEASURED,
    normalised=mini_batches.QUOTIENT,
    evidence=Search(examples=6),
    controls=[
        control(
            "alpha_1^2 left out, as in print", bound="2*n**(7-2*p)*(x**(1-2*p) - L0**(1-2*p))/((2*p-1)*c0*m*phi**3)"
        ),
        control("no half in the rate", bound="n**(7-2*p)*(x**(1-2*p) - L0**(1-2*p))/((2*p-1)*c0*m*alpha1**2*phi**3)"),
        control("linear rate", bound="2*n**6*log(L0/x)/(c0*m*alpha1**2*phi**3)"),
        control("the last two steps not taken", late=2),
    ],
    note="(C.19): one-step, (C.21): linear; alpha1^2 is not printed; eta is 1/50 to 1 of where curvature is felt at "
    "lam = 1; c0 is the largest with mean falls of at least eta c0 m phi^3/(2 n^7) S1abs^2 in each step",
    blind={**mini_batches.CANCELLED, **RISING},
    idle={"descend": False},
)
def mean_loss(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    B: int,
    k: int,
    loss: str,
    share: float,
    points: str,
    *,
    late: int = 0,
    descend: bool = True,
) -> Measured:
    """The time k eta against what x = E[L_S(W^(k))] over batches allows, 1/2 < p <= 1, no knee met."""
    tree, symbols = _tree(rng, data, (L, m, n, d), B, k, STRAIGHT[loss], share, points)
    last = k - late if descend else 0
    return Measured(k * symbols["eta"], symbols={**symbols, "x": float(tree.risks(last).mean())})


@claim(
    "zou2018:eq-C.20-linear",
    title="(C.21), linear rate of the mean loss at exponent 1/2",
    bound=sheet.eq_C_21.reads("2*n**6*log(L0/x)/(alpha1**2*c0*m*phi**3)"),
    premises=sheet.eq_C_18_met.reads("c0 >= 1/10**9"),
    regime=Regime(
        cells=TREES.cells,
        thorough=TREES.thorough,
        draw={"share": reals(0.02, 1.0, logarithmic=True), "points": choices(*ARRANGEMENTS)},
        least=mini_batches.TWO_SAMPLES_IN_THE_PLANE,
        most={"B": "n", "k": 200},  # of more steps a mean loss may be below what stands for 0
    ),
    measured=TREE_MEASURED,
    normalised=mini_batches.QUOTIENT,
    evidence=Search(examples=6),
    controls=[
        control("no half in the rate", bound="n**6*log(L0/x)/(c0*m*alpha1**2*phi**3)"),
        control("n^5 for n^6", bound="2*n**5*log(L0/x)/(c0*m*alpha1**2*phi**3)"),
    ],
    note="(C.20) as p falls to 1/2; alpha1^2 is not printed; eta is 1/50 to 1 of where curvature is felt at lam = 1; "
    "c0 is the largest for a mean fall of eta c0 m phi^3/(2 n^7) S1abs^2, (C.18), in every step; c0 >= 10^(-9) is ours",
    blind={
        **mini_batches.CANCELLED,
        **RISING,
        "alpha1": "the parabola is the one loss with exponent 1/2: eq-C.20 sees it",
    },
    idle={"descend": False},
)
def mean_loss_falls_linearly(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    B: int,
    k: int,
    share: float,
    points: str,
    *,
    descend: bool = True,
) -> Measured:
    """The time k eta against what x = E[L_S(W^(k))] over batches allows, for a parabola that ends in its vertex."""
    tree, symbols = _tree(rng, data, (L, m, n, d), B, k, PARABOLA, share, points)
    return Measured(k * symbols["eta"], symbols={**symbols, "x": float(tree.risks(k if descend else 0).mean())})


@claim(
    "zou2018:eq-C.20-one-step",
    title="(C.19), decrease of the mean loss in one step by a power of the mean loss",
    bound=sheet.eq_C_19.reads("eta*c0*m*alpha1**2*phi**3/(2*n**(7 - 2*p))*x**(2*p)"),
    sense=">=",
    premises=sheet.eq_C_18_met.reads("c0 >= 1/10**9"),
    regime=TREES,
    measured=["eta", "phi", "c0", "p", "alpha1", "x"],
    normalised=mini_batches.QUOTIENT,
    evidence=Search(examples=6),
    controls=[
        control("alpha_1^2 left out, as in print", bound="eta*c0*m*phi**3/(2*n**(7 - 2*p))*x**(2*p)"),
        control("no half in the rate", bound="eta*c0*m*alpha1**2*phi**3/n**(7 - 2*p)*x**(2*p)"),
        control("exponent p for 2p of the loss", bound="eta*c0*m*alpha1**2*phi**3/(2*n**(7 - 2*p))*x**p"),
        control("n^(6-2p) for n^(7-2p)", bound="eta*c0*m*alpha1**2*phi**3/(2*n**(6 - 2*p))*x**(2*p)"),
        control("a step so long that the mean rises", longer=100.0, cells=ONE_STEP, without=sheet.eq_C_18_met),
    ],
    note="alpha1^2 is not printed; eta is 1/50 to 1 of where curvature is felt at lam = 1; c0, at least 10^(-9), "
    "is the largest for a mean fall of eta c0 m phi^3/(2 n^7) S1abs^2, (C.18), in every step. Jensen needs p >= 1/2, "
    "sums p <= 1",
    blind=mini_batches.CANCELLED,
    idle={"descend": False},
)
def mean_decrease_by_a_power(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    B: int,
    k: int,
    loss: str,
    share: float,
    points: str,
    *,
    longer: float = 1.0,
    descend: bool = True,
) -> Measured:
    """The decrease of x = E[L_S(W^(t))] over all sequences of batches in each step t < k.

    Here 1/2 < p <= 1, as in (C.20), p = 1/2 is in (C.21); |ell'| >= alpha1 ell^p at all outputs met: no knee is.
    """
    tree, symbols = _tree(rng, data, (L, m, n, d), B, k, STRAIGHT[loss], share, points, longer=longer)
    means = np.array([float(tree.risks(t if descend else 0).mean()) for t in range(k + 1)])
    rounded = 1e-14 * (means[:-1] + means[1:])
    # Less than the largest c0 by more than rounding takes: where it is met, so is the bound.
    symbols["c0"] *= 1.0 - 1e-6
    return Measured(means[:-1] - means[1:], error=rounded, symbols={**symbols, "x": means[:-1]})


KNEE_PATHS = {"loss": choices(*mini_batches.KNEES), "share": reals(0.5, 2.0, logarithmic=True)}
NO_RATE = {"premise c0 >= 1/1000000000": "with no rate at all the bound is infinite, and nothing can break it"}


@claim(
    "zou2018:eq-best-iterate",
    bound=sheet.eq_best_iterate.reads("2*n**5*L0/(c0*m*phi**3*k*eta)"),
    ceiling="rho**2",  # Assumption 3.3
    premises=sheet.eq_C_18_met.reads("c0 >= 1/10**9"),
    regime=Regime(
        cells=[
            *TREES.cells,
            *grid(L=1, m=16, n=3, d=3, B=2, k=4, points="arc"),
            *grid(L=1, m=128, n=6, d=6, B=6, k=12, points="antipodes"),
        ],
        thorough=TREES.thorough,
        draw=KNEE_PATHS,
        pinned=[{"loss": "logistic", "share": 1.0}],
        usual={"points": "drawn"},
        least={**mini_batches.TWO_SAMPLES_IN_THE_PLANE, "k": 1},
        most={"B": "n"},
    ),
    measured=["eta", "phi", "c0", "L0", "rho"],
    normalised=mini_batches.QUOTIENT,
    evidence=Search(examples=6),
    controls=[control("sum for the mean of the iterates", add=True)],
    note="eta is 1/2 to 2 of where curvature is felt at lam = 1. Mean over t < k, hence the least; c0 is the largest "
    "for a mean fall of eta c0 m phi^3/(2 n^7) S1abs^2, (C.18), in every step; c0 >= 10^(-9) is ours",
    blind={**NO_RATE, **mini_batches.CANCELLED},
    idle={"descend": False},
)
def mean_squared_slope(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    B: int,
    k: int,
    loss: str,
    share: float,
    points: str,
    *,
    add: bool = False,
    descend: bool = True,
) -> Measured:
    """The average over t < k of E[((1/n) sum_i ell'_i)^2], the mean taken over all sequences of batches."""
    tree, symbols = _tree(rng, data, (L, m, n, d), B, k, mini_batches.KNEES[loss], share, points)
    squares = [float((tree.slopes(t if descend else 0) ** 2).mean()) for t in range(k)]
    return Measured(sum(squares) if add else float(np.mean(squares)), symbols=symbols)


# Paths must come past the knee for the bound to speak: long ones do, which full batches keep few.
PAST_THE_KNEE = [
    *grid(L=[1, 2], m=16, n=2, d=3, B=1, k=8),
    *grid(L=[1, 2], m=16, n=3, d=3, B=3, k=40),
    *grid(L=2, m=16, n=3, d=3, B=3, k=40, points="antipodes"),
]


@claim(
    "zou2018:eq-best-iterate-loss",
    title="mean of a power of the loss at the best iterate",
    bound=sheet.eq_best_iterate_loss.reads("2*n**(7 - 2*p)*L0/(c0*m*phi**3*k*eta)"),
    ceiling="alpha0**2/n**(2*p)",  # End of the proof of Lemma 5.8
    premises=sheet.eq_C_18_met.reads("c0 >= 1/10**9"),
    regime=Regime(
        cells=PAST_THE_KNEE,
        thorough=[*grid(L=2, m=32, n=2, d=3, B=1, k=9), *grid(L=1, m=16, n=4, d=4, B=4, k=60)],
        draw=KNEE_PATHS,
        pinned=[{"loss": "logistic", "share": 1.0}],
        usual={"points": "drawn"},
        least={**mini_batches.TWO_SAMPLES_IN_THE_PLANE, "k": 1},
        most={"B": "n"},
    ),
    measured=["eta", "phi", "c0", "L0", "p", "alpha0"],
    normalised=mini_batches.QUOTIENT,
    evidence=Search(examples=6),
    controls=[
        control("the knee left out, at margins far below it", knee=False, gain=400.0),
        control(
            "n^(5-2p), the sum for the mean of the derivatives",
            bound="2*n**(5-2*p)*L0/(c0*m*phi**3*k*eta)",
            cells=grid(L=1, m=16, n=4, d=4, B=4, k=6),
        ),
    ],
    note="by Assumption 3.2 and min(a, b) >= 1/(1/a + 1/b); eta is 1/2 to 2 of where curvature is felt at lam = 1; c0 "
    "is the largest for a mean fall of eta c0 m phi^3/(2 n^7) S1abs^2, (C.18), in every step; c0 >= 10^(-9) is ours",
    blind={
        **NO_RATE,
        **mini_batches.CANCELLED,
        **dict.fromkeys(("n", "k", "eta"), "what else is lost leaves too much room: eq-best-iterate sees it"),
        "p": "what else is lost leaves too much room: eq-C.8-knee sees it, in the inequality that brings it in",
    },
    idle={"descend": False},
)
def loss_at_the_best_iterate(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    B: int,
    k: int,
    loss: str,
    share: float,
    points: str,
    *,
    knee: bool = True,
    gain: float = 2.0,
    descend: bool = True,
) -> Measured:
    """E[1/(n^(2p)/alpha0^2 + 1/(alpha1^2 L_S^(2p)))] after the t < k steps that make E[(sum_i ell'_i)^2] least."""
    tree, symbols = _tree(rng, data, (L, m, n, d), B, k, mini_batches.KNEES[loss], share, points, gain=gain)
    best = min(range(k if descend else 1), key=lambda t: float((tree.slopes(t) ** 2).mean()))
    p, alpha0 = symbols["p"], mini_batches.KNEES[loss].constants.alpha_0
    flat = len(tree.levels[0][0].X) ** (2.0 * p) / alpha0**2 if knee else 0.0
    steep_part = symbols["alpha1"] ** 2 * tree.risks(best) ** (2 * p)
    return Measured(float((steep_part / (1.0 + flat * steep_part)).mean()), symbols=symbols)

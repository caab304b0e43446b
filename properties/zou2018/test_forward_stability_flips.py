"""zou2018, Lemmas B.3 and B.4 and Theorem 5.3: which activations a perturbation flips, and all its parts at once.

Main claims: `flips_of_a_layer` (Lemma B.3), `flips_at_any_sample` (Lemma B.4) and `all_parts_at_once` (Theorem 5.3).
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from numpy.random import Generator
from sympy import Rational, sqrt

from bounds.bound import Bound
from bounds.papers import zou2018 as sheet
from bounds.symbols import symbol
from nets.core.arrays import Array
from nets.data.labelled import DataSource
from nets.data.points import ARRANGEMENTS, arranged, sphere
from nets.linear_algebra.lowrank import LowRank
from nets.networks.forward import forward
from nets.networks.gradients import backward, gradient_norms, loss_coefficients
from nets.networks.losses import LOGISTIC
from nets.networks.network import Layer, Network, gaussian_network, he_network
from nets.networks.operators import (
    flip_counts,
    flipped_anywhere,
    gated_gram,
    layer_norms,
    sparse_supremum,
    threshold_counts,
)
from nets.worst_cases.adversaries import (
    flip_anywhere,
    flip_layer,
    flip_smallest,
    forward_shift,
    no_step,
    random_perturbation,
    top_pair,
)
from nets.worst_cases.worst_networks import plant, two_levels
from properties.zou2018.gated_features import (
    aligned_gradient,
    antipodal_trio,
    printed_level,
    responding,
    training_points,
)
from properties.zou2018.limits import flip_threshold, small_count
from properties.zou2018.perturbed_pass import (
    ALLOWED_SHARE,
    WIDE,
    WIDEST,
    Shift,
    instances,
    largest_layer_norm,
    orthogonal_rows,
)
from properties.zou2018.risk_slopes import loss_slopes
from theory.claims import Measured, Regime, Verdict, choices, claim, control, grid, reals
from theory.core.measured import DEFAULT_RELATIVE_ERROR
from theory.evidence import Scaling, Search

L, m, n, M, tau, phi, S1, S1abs = map(symbol, ("L", "m", "n", "M", "tau", "phi", "S1", "S1abs"))

# What the counts of flips need not see of their premises.
BLIND_TO_MOVES = {
    **dict.fromkeys(
        ("premise normW <= 4", "premise r <= 3/2"),
        "it enters by the move of the pre-activations alone, and eq-B.3-sharp sees it there",
    ),
    "premise 3*4**L*tau**(2/3) < 1": "without it the bound is more neurons than there are, which nothing can break",
}

NARROW_FLIPS = [
    {"L": 1, "layer": 1, "m": 1024, "d": 8, "tau": 0.02},
    {"L": 2, "layer": 1, "m": 256, "d": 8, "tau": 0.0025},
    {"L": 2, "layer": 2, "m": 256, "d": 8, "tau": 0.0025},
    {"L": 3, "layer": 3, "m": 256, "d": 8, "tau": 0.0003},
]
WIDE_FLIPS = [
    {"L": 3, "layer": 3, "m": WIDE, "d": 8, "tau": 0.0003},
    # In a layer of thousands so small a step flips next to nothing.
    {"L": 1, "layer": 1, "m": 10**5, "d": 8, "tau": 1e-5},
]
FLIPS = Regime(
    cells=[*NARROW_FLIPS, *WIDE_FLIPS],
    thorough=[
        {"L": 1, "layer": 1, "m": 16384, "d": 64, "tau": 0.001},
        {"L": 2, "layer": 2, "m": 512, "d": 64, "tau": 0.001},
        {"L": 3, "layer": 2, "m": 256, "d": 64, "tau": 0.0003},
        {"L": 2, "layer": 2, "m": 10**5, "d": 8, "tau": 1e-5},
        {"L": 2, "layer": 2, "m": WIDEST, "d": 8, "tau": 1e-6},
    ],
    nightly=[{"L": 3, "layer": 3, "m": 10**5, "d": 16, "tau": 1e-5}],
    derived={"beta_": flip_threshold},
    draw={"planted": st.floats(0.0, 1.0)},
    pinned=[{"planted": 1.0, "trial": 0}, {"planted": 0.0, "trial": 0}],
    least={"L": "layer"},
)
FLIPS_SEARCH = Search(
    examples=lambda m: instances(m, 8),
    adversary="the layer's input moved far, then its smallest pre-activations flipped; exact in layer one",
)


def _attacked(
    rng: Generator,
    data: DataSource,
    widths: Sequence[int],
    layer: int,
    d: int,
    tau: float,
    levels: tuple[float, float, float],
) -> Shift:
    """The attack on a layer whose weights are Gaussian but for the smallest pre-activations at one point.

    `levels` says where those lie: a threshold, how many next to zero, how many just beyond the threshold.
    """
    X, _ = data.draw(1, d, rng)
    net = gaussian_network((X.shape[1], *widths), rng)
    beta, inside, outside = levels
    net = plant(net, X, layer, two_levels(forward(net, X).pre[layer - 1], beta, int(inside), int(outside)))
    return Shift.of(net, flip_layer(net, X[0], tau, layer), X[0])


@claim(
    "zou2018:lemma-B.3",
    bound=sheet.lemma_B_3.reads("3*4**L*m*tau**(2/3)"),
    premises=[
        sheet.lemma_B_2_norms.reads("normW <= 4"),
        sheet.lemma_B_2_outputs.reads("r <= 3/2"),
        sheet.lemma_B_3_count.reads("count <= 2*m**(3/2)*beta_"),
        sheet.lemma_B_3_nontrivial.reads("3*4**L*tau**(2/3) < 1"),
    ],
    ceiling="m",
    regime=FLIPS,
    measured=["normW", "r", "count"],
    evidence=FLIPS_SEARCH,
    controls=[
        control("neurons beyond the threshold forgotten", bound="2*4**L*m*tau**(2/3)", cells=NARROW_FLIPS),
        control("exponent 3/4 of tau", bound="3*4**L*m*tau**(3/4)", cells=NARROW_FLIPS[3:]),
        control("growth 5/2 a layer", bound="3*(5/2)**L*m*tau**(2/3)", cells=NARROW_FLIPS),
        control("twice as many small pre-activations", crowd=2.0, cells=NARROW_FLIPS, without=sheet.lemma_B_3_count),
    ],
    note="weights with as many small pre-activations as the premise allows reach 2/3 of the bound, Gaussian weights "
    "(3/pi)^(1/3)/12 = 0.08 at depth one and less beyond. All widths are m; tau below 1/(3 4^L)^(3/2) is ours",
    blind=BLIND_TO_MOVES,
    idle={"reach": 0.0},
)
def flips_of_a_layer(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    layer: int,
    d: int,
    tau: float,
    beta_: float,
    planted: float,
    *,
    crowd: float = 1.0,
    reach: float = 1.0,
) -> Measured:
    """The number of flips ||Sigma~_l - Sigma_l||_0 at one point, l = layer, when all ||W~_k - W_k||_2 <= tau.

    Weights are Gaussian, or changed until count pre-activations of layer l, up to what the premise allows, are within
    beta_ = 4^L tau^(2/3)/sqrt(m) of 0, and three times as many, more than the bound has room for, or more just beyond.
    normW is max ||W~_k||, r max ||x_k||."""
    allowed = crowd * planted * small_count(m, beta_)
    shift = _attacked(rng, data, (m,) * L, layer, d, reach * tau, (beta_, allowed, 3.0 * allowed))
    count = threshold_counts(shift.before.pre[layer - 1], beta_)[0, 0]
    return Measured(
        shift.flips[layer - 1], symbols={"normW": shift.weight_norm, "r": shift.output_norm, "count": count}
    )


@claim(
    "zou2018:lemma-B.3-certified",
    title="number of activation flips, from the measured change of the pre-activations",
    bound="count + D**2/beta_**2",
    premises="none needed: the measured move D replaces the radius, at weights of any kind",
    ceiling="m",
    regime=replace(FLIPS, derived={}),
    measured=["count", "D", "beta_"],
    evidence=FLIPS_SEARCH,
    controls=[
        control("small pre-activations forgotten", bound="D**2/beta_**2", cells=NARROW_FLIPS),
        control("square 2 % smaller", bound="count + 49*D**2/(50*beta_**2)", cells=NARROW_FLIPS),
        control("norm in place of its square", bound="count + D/beta_", cells=NARROW_FLIPS),
        control("input of the layer taken as unmoved", unmoved=True, cells=NARROW_FLIPS),
    ],
    note="tested at every threshold at which its right-hand side jumps",
)
def flips_certified(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    layer: int,
    d: int,
    tau: float,
    planted: float,
    *,
    unmoved: bool = False,
) -> Measured:
    """The flips ||Sigma~_l - Sigma_l||_0 at a point against |S(beta)| + D^2/beta^2, beta > 0, D the norm of g~_l - g_l.

    g_l is W_l^T x_{l-1}, and count is |S(beta)|, that of its entries within beta of 0. Between neighbouring sizes of
    entries the right-hand side falls, so its infimum is found by letting beta rise to each size, with the count of
    those strictly below. Weights are Gaussian, or changed until up to m tau^(2/3) are next to 0, more of one size.
    """
    scale = m * tau ** (2.0 / 3.0)
    levels = (tau / scale**0.5, planted * scale, planted * 16.0 ** (layer - 1) * scale)
    shift = _attacked(rng, data, (m,) * L, layer, d, tau, levels)
    own = shift.before.post[layer - 1] @ (shift.moved.weights[layer - 1] - shift.net.weights[layer - 1])
    sizes = np.sort(np.abs(shift.before.pre[layer - 1][0]))
    sizes = sizes[sizes > 0.0]
    return Measured(
        shift.flips[layer - 1],
        symbols={
            "count": m - sizes.size + np.searchsorted(sizes, sizes),
            "beta_": sizes,
            "D": float(np.linalg.norm(own)) if unmoved else shift.pre_activations[layer - 1],
        },
    )


@claim(
    "zou2018:lemma-B.3-exponent",
    title="number of activation flips, exponents of the radius and the width",
    bound=sheet.lemma_B_3_exponent.reads("C*m*tau**(2/3)"),
    premises=["a dozen flips, as one more is counted: m*tau**(2/3) >= 12", "a step below norms: tau <= 1/5"],
    ceiling="m + 1",
    regime=Regime(
        calibration=grid(m=[256, 512], tau=[0.02, 0.06, 0.18], d=8),
        cells=grid(m=[1024, 4096, WIDE], tau=[0.02, 0.06, 0.18], d=8),
        thorough=grid(m=10**5, tau=[0.02, 0.06, 0.18], d=8),
        nightly=grid(m=10**6, tau=[0.02, 0.06, 0.18], d=8),
    ),
    evidence=Scaling(exponents={"tau": "equal", "m": "equal"}, constant="C", replicates=50, margin=1.1),
    controls=[
        control("exponent 3/4 of tau", bound="C*m*tau**(3/4)"),
        control("exponent 1/2 of tau", bound="C*m*tau**(1/2)"),
        control("each neuron moved by tau on its own", each=True),
    ],
    note="the constant tends to (3/pi)^(1/3) = 0.985 as m grows and tau falls: the k-th smallest size is near "
    "k sqrt(pi)/m^(3/2)",
)
def flips_of_the_first_layer(rng: Generator, m: int, d: int, tau: float, *, each: bool = False) -> Measured:
    """The least number of flips beyond the reach of a step of norm tau in the first layer at one point.

    The step that flips most is known. One flip more, which no step makes, is stricter than the statement, and
    follows the power law down to a dozen flips, which whole numbers rounded down do not. Random steps of that
    norm flip a multiple of m tau only. The law is the same at all unit points.
    """
    X, net = sphere(1, d, rng), he_network((d, m), rng)
    if each:
        return Measured(threshold_counts(forward(net, X).pre[0], tau)[0, 0])
    return Measured(Shift.of(net, (flip_smallest(net.weights[0], X[0], tau),), X[0]).flips[0] + 1.0)


@claim(
    "zou2018:lemma-B.3-first-layer",
    title="most activation flips that one step makes in the first layer, exactly",
    bound="= count",
    premises="none needed: an exact count but for ties, which Gaussian weights do not have, at any point and radius",
    regime=Regime(
        cells=grid(m=[64, 1024], d=8),
        thorough=grid(m=16384, d=64),
        draw={"tau": reals(0.03, 1.0, logarithmic=True)},
        pinned=[{"tau": 0.1, "trial": 0}],
    ),
    measured=["count"],
    evidence=Search(examples=12, adversary="the smallest pre-activations first, to just beyond their kinks"),
    controls=[
        control("a step a tenth shorter", part=0.9),
        control("the smallest pre-activation left out", passed_over=1),
    ],
    note="an equality, so that a count of flips that is too small is seen as well as one that is too large",
)
def most_flips_of_the_first_layer(
    rng: Generator, m: int, d: int, tau: float, *, part: float = 1.0, passed_over: int = 0
) -> Measured:
    """The flips of the first layer at one unit point under the step of norm tau that flips most. To flip a set of
    neurons takes a norm of at least the root of the sum of the squares of their pre-activations: count is the most
    neurons for which that is tau or less."""
    X, net = sphere(1, d, rng), he_network((d, m), rng)
    squares = np.sort((X[0] @ net.weights[0]) ** 2)[passed_over:]
    paid = np.searchsorted(np.cumsum(squares), tau**2, side="right")
    flips = Shift.of(net, (flip_smallest(net.weights[0], X[0], part * tau),), X[0]).flips[0]
    return Measured(float(flips), symbols={"count": float(paid)})


UNION = Regime(
    cells=[
        {"L": 1, "n": 2, "m": 1024, "d": 8, "tau": 0.005},
        {"L": 1, "n": 8, "m": 1024, "d": 8, "tau": 0.0005},
        {"L": 2, "n": 3, "m": 512, "d": 8, "tau": 0.0005},
        {"L": 1, "n": 4, "m": WIDE, "d": 8, "tau": 0.001},
    ],
    thorough=[
        {"L": 1, "n": 16, "m": 10**5, "d": 64, "tau": 1e-4},
        {"L": 2, "n": 4, "m": WIDE, "d": 16, "tau": 1e-4},
        {"L": 3, "n": 2, "m": 256, "d": 64, "tau": 1e-4},
    ],
    nightly=[{"L": 2, "n": 2, "m": 10**5, "d": 8, "tau": 1e-5}],
    derived={"beta_": flip_threshold},
    draw={"planted": st.floats(0.0, 1.0), "points": choices("orthogonal", *ARRANGEMENTS)},
    pinned=[{"planted": 1.0, "points": "orthogonal"}, {"planted": 0.0, "points": "drawn"}],
)
UNION_SEARCH = Search(
    examples=lambda m: instances(m, 8),
    adversary="each neuron of the last layer flipped at the point that is nearest to its kink, on weights with small "
    "pre-activations at other neurons for each point",
)


def _union(
    rng: Generator,
    data: DataSource,
    widths: Sequence[int],
    n: int,
    d: int,
    tau: float,
    levels: tuple[float, float, float],
    points: str,
) -> Shift:
    """The attack on the last layer at n points at once; `levels` are as in `_attacked`, for each of the points."""
    X, _ = data.draw(n, d, rng)
    X = orthogonal_rows(X) if points == "orthogonal" else arranged(X, points, rng)
    net, last = gaussian_network((X.shape[1], *widths), rng), len(widths)
    beta, inside, outside = levels
    net = plant(net, X, last, two_levels(forward(net, X).pre[-1], beta, int(inside), int(outside)))
    still = [no_step(W) for W in net.weights[:-1]]
    return Shift.of(net, [*still, flip_anywhere(net.weights[-1], forward(net, X).post[-2], tau)], X)


@claim(
    "zou2018:lemma-B.4",
    bound=sheet.lemma_B_4.reads("3*n*4**L*m*tau**(2/3)"),
    premises=[
        sheet.lemma_B_2_norms.reads("normW <= 4"),
        sheet.lemma_B_2_outputs.reads("r <= 3/2"),
        sheet.lemma_B_3_count.reads("count <= 2*m**(3/2)*beta_"),
        sheet.lemma_B_3_nontrivial.reads("3*4**L*tau**(2/3) < 1"),
    ],
    ceiling="m",
    regime=UNION,
    measured=["normW", "r", "count"],
    evidence=UNION_SEARCH,
    controls=[
        control("flips of one sample", bound=sheet.lemma_B_3, cells=UNION.cells[:2]),
        control("root of the number of samples", bound="3*sqrt(n)*4**L*m*tau**(2/3)", cells=UNION.cells[1:2]),
        control("neurons beyond the threshold forgotten", bound="2*n*4**L*m*tau**(2/3)*99/100"),
        control(
            "twice as many small pre-activations", crowd=2.0, cells=UNION.cells[1:2], without=sheet.lemma_B_3_count
        ),
    ],
    note="points whose flips share no neuron reach what one point does, 2/3: the union bound loses nothing. beta_ is "
    "4^L tau^(2/3)/sqrt(m), normW the largest ||W~_l||, r the largest ||x_l||; all widths are m",
    blind=BLIND_TO_MOVES,
    idle={"reach": 0.0},
    scope="part: steps in the last layer alone, where print lets all layers step",
)
def flips_at_any_sample(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    tau: float,
    beta_: float,
    planted: float,
    points: str,
    *,
    crowd: float = 1.0,
    reach: float = 1.0,
) -> Measured:
    """The number of neurons of the last layer that a step of norm tau in it flips at some sample. At none are more than
    count of its pre-activations within beta_ of 0; weights are Gaussian, or changed until so many are."""
    allowed = crowd * planted * small_count(m, beta_)
    shift = _union(rng, data, (m,) * L, n, d, reach * tau, (beta_, allowed, 3.0 * allowed), points)
    count = threshold_counts(shift.before.pre[-1], beta_).max()
    return Measured(
        flipped_anywhere(shift.before, shift.after)[-1],
        symbols={"normW": shift.weight_norm, "r": shift.output_norm, "count": count},
    )


@claim(
    "zou2018:lemma-B.4-certified",
    title="neurons of the last layer that flip for some sample, from the measured change of the pre-activations",
    bound="count + D**2/beta_**2",
    premises="none needed: the moves D measured at all samples replace the radius",
    ceiling="m",
    regime=replace(UNION, derived={}),
    measured=["count", "D", "beta_"],
    evidence=UNION_SEARCH,
    controls=[
        control("small pre-activations of one sample alone", alone=True, cells=UNION.cells[:2]),
        control("largest change at one sample", largest=True, cells=UNION.cells[1:2]),
        control("square 5 % smaller", bound="count + 19*D**2/(20*beta_**2)", cells=UNION.cells[:2]),
    ],
    note="tested at every threshold at which its right-hand side jumps",
)
def flips_at_any_sample_certified(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    tau: float,
    planted: float,
    points: str,
    *,
    alone: bool = False,
    largest: bool = False,
) -> Measured:
    """The number of neurons of the last layer that a step in it flips at some sample, against every threshold beta_.
    Of its pre-activations at all samples together count are below beta_ in size; D is the norm of all their moves."""
    scale = m * tau ** (2.0 / 3.0)
    shift = _union(rng, data, (m,) * L, n, d, tau, (tau / scale**0.5, planted * scale, planted * scale), points)
    pre, moves = shift.before.pre[-1], shift.after.pre[-1] - shift.before.pre[-1]
    sizes = np.sort(np.abs(pre[:1] if alone else pre), axis=None)
    changes = np.linalg.norm(moves, axis=1)
    positive = sizes[sizes > 0.0]
    return Measured(
        flipped_anywhere(shift.before, shift.after)[-1],
        symbols={
            "count": sizes.size - positive.size + np.searchsorted(positive, positive),
            "beta_": positive,
            "D": float(changes.max() if largest else np.linalg.norm(changes)),
        },
    )


@claim(
    "zou2018:lemma-B.4-exponent",
    title="neurons that flip for some sample, exponent of the number of samples",
    bound=sheet.lemma_B_4_exponent.reads("C*n*m*tau**(2/3)"),
    premises="thirty flips or more at each sample, as one more is counted: m*tau**(2/3) >= 30",
    ceiling="m + n",
    regime=Regime(
        calibration=grid(n=[1, 2, 4], m=16384, tau=6e-4), cells=grid(n=[8, 16], m=16384, tau=6e-4), least={"m": 4096}
    ),
    evidence=Scaling(exponents={"n": "at most"}, constant="C", replicates=lambda n: 96 // n, margin=1.1),
    controls=[
        control("exponent 4/5 of n", bound="C*n**(4/5)*m*tau**(2/3)"),
        control("no flip, and one more counted", cells=grid(n=8, m=16384, tau=1e-7), without="m*tau**(2/3) >= 30"),
    ],
    note="L = 1. Orthogonal samples are attacked with the full radius each, so that n of them flip n times what one "
    "does; their sets of flips begin to overlap as they fill the layer, which keeps the exponent a little below 1",
    blind=dict.fromkeys(("m", "tau"), "this row is about the number of samples: lemma-B.3-exponent sees that order"),
)
def flips_of_the_first_layer_at_any_sample(rng: Generator, n: int, m: int, tau: float) -> Measured:
    """The number of neurons of the first layer that one step of norm tau flips at one or more of n orthogonal samples.
    Of the weights only what they do to the samples matters, so these are the axes of R^n. For each sample one flip more
    is counted than there are, so that whole numbers do not bend the power law."""
    X, net = np.eye(n), he_network((n, m), rng)
    shift = Shift.of(net, [flip_anywhere(net.weights[0], X, tau)], X)
    return Measured(flipped_anywhere(shift.before, shift.after)[0] + float(n))


# Part (ii) is Lemma B.2, (iii) Lemma B.3, (v) Lemma B.5 and (vi) Lemma B.6.
PARTS = {
    "i": sheet.theorem_5_3_i,
    "ii": sheet.lemma_B_2,
    "iii": sheet.lemma_B_3,
    "iv": sheet.theorem_5_3_iv_corrected,
    "v": sheet.lemma_B_5,
    "vi": sheet.lemma_B_6,
}

# What the quantity of a part can never exceed: a bound above that has no say.
CEILINGS = {"ii": sheet.lemma_B_2_ceiling, "iii": Bound(m), "iv": sheet.lemma_B_1_ceiling}

# The radius of Lemma B.5 at n = 2, phi = 1, L = 2 is 8.6e-8; beyond it part (v) says nothing. The first cell and the
# last are inside, and of these two the last is wide enough for the bound on the flips to be above 1.
REGION = [
    {"L": 2, "n": 2, "phi": 1.0, "m": 128, "d": 8, "tau": 8e-8},
    {"L": 2, "n": 2, "phi": 1.0, "m": 128, "d": 8, "tau": 0.0025},
    {"L": 1, "n": 2, "phi": 1.0, "m": 1024, "d": 8, "tau": 0.02},
    {"L": 2, "n": 2, "phi": 1.0, "m": WIDE, "d": 8, "tau": 8e-8},
]


# One hidden layer of 64 nodes at three pairs of antipodes, within the radius of Lemma B.5.
HEXAGON = [{"L": 1, "n": 6, "phi": 1.0, "m": 64, "d": 2, "tau": 1e-9}]

# Some thousand roundings, as a share of the largest eigenvalue.
GRAM_ROUNDING = 1e-12

# Rows of single parts leave the premises one by one.
LEFT_BY_THE_PARTS = {
    f"premise {sheet.theorem_5_3_iv_corrected_radius.text}": "of part (iv): up to five layers 1/2 would do",
    f"premise {sheet.theorem_5_3_i_norms.text}": "of parts (i) and (ii): theorem-5.3-i leaves it",
    f"premise {sheet.lemma_B_2_outputs.text}": "of part (ii): lemma-B.2 leaves it",
    f"premise {sheet.lemma_B_3_count.text}": "of part (iii): lemma-B.3 leaves it",
    f"premise {sheet.theorem_5_3_response.text}": "of part (iv): theorem-5.3-iv-corrected leaves it",
}


def _five_attacks(rng: Generator, net: Network, X: Array, radius: float, part: float) -> list[Shift]:
    """What `part` of steps of that norm does: five for each layer, of which each goes for one part of the theorem.

    They stretch the weights, move the outputs, flip the last layer at one point and at all points, and are random.
    """
    last = flip_anywhere(net.weights[-1], forward(net, X).post[-2], radius)
    attacks: list[Sequence[Array | LowRank]] = [
        [_stretch(W, radius, rng) for W in net.weights],
        forward_shift(net, X[0], radius, sweeps=3),
        flip_layer(net, X[0], radius, net.depth),
        [*(no_step(W) for W in net.weights[:-1]), last],
        [random_perturbation(W, radius, rng, "rank_one") for W in net.weights],
    ]
    return [Shift.of(net, [part * step for step in steps], X) for steps in attacks]


@claim(
    "zou2018:theorem-5.3",
    bound="1",
    premises=[
        sheet.theorem_5_3_v_radius.reads("tau <= Cbar/(8**L*n**3)"),
        sheet.theorem_5_3_v_responses.reads("count >= C2*m*phi/n"),
    ],
    # Of the square there are four corners, in space.
    regime=Regime(cells=grid(L=2, phi=0.003, m=60000), derived={"n": lambda: 4, "d": lambda: 3}),
    measured=["tau", "count"],
    evidence=Search(examples=2, adversary="steps that give the corners of a small square the same gates"),
    controls=[control("phi^6 in place of phi^3", bound="1/phi**3"), control("a bound of 10^6", bound="10**6")],
    expected=Verdict.REFUTED,
    note="by part (v), at the corners of a square of side phi; (iv) fails too. tau is the norm of the longest step; "
    "count or more nodes j had ||sum_i a_i 1{j active at i} x_{L-1,i}|| >= ||a||_inf phi/(8 n) before it, for any a",
)
def bound_over_the_gradient(rng: Generator, m: int, L: int, n: int, d: int, phi: float) -> Measured:
    """The bound (v), m phi^3 S1^2/(25600 n^7), over ||grad_{W_L} L_S(W~)||_F^2 after steps that make all gates agree,
    labels in turn and |ell'_i| = 1, of sum S1."""
    gradient, symbols = aligned_gradient(rng, m, L, n, d, phi)
    bound = float(sheet.lemma_B_5.evaluate({"m": m, "n": n, "phi": phi, "S1": symbols.pop("S1")}))
    # A gradient that rounding makes zero is judged as if it were a millionth of a millionth of the bound.
    return Measured(bound / max(gradient**2, 1e-12 * bound), symbols=symbols)


ALL_PARTS = Regime(
    cells=REGION,
    thorough=[{"L": 3, "n": 3, "phi": 0.5, "m": 128, "d": 16, "tau": 2e-4}],
    nightly=[{"L": 2, "n": 2, "phi": 1.0, "m": 10**5, "d": 8, "tau": 8e-8}],
    derived={"beta_": flip_threshold},
    draw={"planted": st.floats(0.0, 1.0)},
    pinned=[{"planted": 1.0, "trial": 0}, {"planted": 0.0, "trial": 0}],
)


def _crowded(net: Network, X: Array, allowed: float, beta_: float) -> Network:
    """The network with so many pre-activations of the last layer next to 0 at the first point, half as many beyond."""
    pre = two_levels(forward(net, X[:1]).pre[-1], beta_, int(allowed), int(allowed / 2.0))
    return plant(net, X[:1], net.depth, pre)


def _before(net: Network, X: Array, beta_: float, phi: float) -> dict[str, float]:
    """What Theorem 5.1 says of a network at the start: norms, small pre-activations, responses."""
    start = forward(net, X)
    return {
        "normW": largest_layer_norm(net),
        "r": float(layer_norms(start).max()),
        "count": max(float(threshold_counts(pre, beta_).max()) for pre in start.pre),
        "Gam_l": max(float(np.abs(q).max()) for q in backward(net, start).q),
        "answers": responding(start, printed_level(len(X), phi)).low,
    }


@claim(
    "zou2018:theorem-5.3-corrected",
    title="six properties of every network in the perturbation region, (iv) and (v) as corrected",
    bound="1",
    premises=[
        sheet.theorem_5_3_iv_corrected_radius.reads("tau <= kappa"),
        sheet.theorem_5_3_i_norms.reads("normW <= 7/2"),
        sheet.lemma_B_2_outputs.reads("r <= 3/2"),
        sheet.lemma_B_3_count.reads("count <= 2*m**(3/2)*beta_"),
        sheet.theorem_5_3_response.reads("Gam_l <= C*L*sqrt(log(m))"),
        sheet.theorem_5_3_answers.reads("answers >= C2*m*phi/n"),
    ],
    regime=ALL_PARTS,
    measured=["normW", "r", "count", "Gam_l", "answers"],
    evidence=Search(examples=lambda m: instances(m, 4), adversary="five perturbations, all judged by all six parts"),
    idle={"part": 0.0},
    controls=[
        control("(i) weights of norm 5/4", wrong=("i", Bound(Rational(5, 4))), cells=REGION[1:2]),
        control("(ii) growth 3/2 a layer", wrong=("ii", Bound(Rational(3, 2) ** (L - 1) * tau)), cells=REGION[1:2]),
        control("(iii) flips linear in the radius", wrong=("iii", Bound(4**L * m * tau)), cells=REGION[1:2]),
        control("(iv) the term of the radius alone", wrong=("iv", Bound(4**L * sqrt(M) * tau)), cells=REGION[:1]),
        control("(v) linear in the separation", wrong=("v", Bound(m * phi / n**3 * S1**2)), cells=REGION[:1]),
        control("(vi) no factor of the width", wrong=("vi", Bound(4**L / n * S1abs)), cells=REGION[2:3]),
        control("three pairs of antipodes", hexagon=True, cells=HEXAGON, without=sheet.theorem_5_3_answers),
    ],
    blind=LEFT_BY_THE_PARTS,
    note="s is the most flips of a layer, 1 at least; (v) in Lemma B.5's radius, all labels and losses; kappa is 1/10, "
    "C 2, C2 1/50. True then of all weights: (iii) by Lemma B.3, (iv) by Lemma B.1, (v) by the proof of Lemma B.5",
    scope="repaired: all six, (vi) for full batches; lemma-B.6-batch has the others",
)
def all_parts_at_once(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    phi: float,
    tau: float,
    beta_: float,
    planted: float,
    *,
    wrong: tuple[str, Bound] | None = None,
    hexagon: bool = False,
    part: float = 1.0,
) -> Measured:
    """Six quantities over their bounds, largest over layers and samples, after steps of norm tau that stretch weights,
    move outputs or flip last gates at one point or all, or are random: (i) ||W~_l|| and 4, both less normW; (ii)
    ||x~_l - x_l||, 8^L tau/7; (iii) flips of a layer, 3 4^L m tau^(2/3); (iv) the s largest entries of
    v^T prod_{r>=l} Sigma~_r W~_r^T, in norm, 7/3 4^L L sqrt(s log M) + 4^L sqrt(M) tau; (v) m phi^3 S1^2/(25600 n^7),
    a lower bound of ||grad_{W_L} L_S(W~)||_F^2; (vi) ||grad_{W_l} L_S(W~)||_F, 4^L sqrt(M) S1abs/n, logistic, random
    labels. Before: normW is max ||W_l||, r max ||x_l||, Gam_l the largest entry of v^T prod_{r>=l} Sigma_r W_r^T; up to
    count pre-activations of a layer are within beta_ = 4^L tau^(2/3)/sqrt(m) of 0, Gaussian or moved there; any a has
    answers nodes j or more of ||sum_i a_i 1{j active at i} x_{L-1,i}|| >= ||a||_inf phi/(8 n). Empty parts are 0."""
    X = antipodal_trio(phi) if hexagon else training_points(data, n, d, phi, rng)
    net = _crowded(gaussian_network((X.shape[1], *[m] * L), rng), X, planted * small_count(m, beta_), beta_)
    symbols, bounds = _before(net, X, beta_, phi), PARTS | dict([wrong] if wrong else [])
    shifts = _five_attacks(rng, net, X, tau * ALLOWED_SHARE, part)
    ratios, errors = np.array([_ratios(shift, tau, phi, rng, bounds) for shift in shifts]).swapaxes(0, 1)
    return Measured(ratios, error=errors, symbols=symbols)


def _stretch(W: Layer, radius: float, rng: Generator) -> Array | LowRank:
    """A step of that norm along the top singular pair of a stored layer; a random one where it is revealed."""
    return top_pair(W, radius) if isinstance(W, np.ndarray) else random_perturbation(W, radius, rng, "rank_one")


def _ratios(
    shift: Shift, tau: float, phi: float, rng: Generator, bounds: dict[str, Bound]
) -> tuple[list[float], list[float]]:
    """For each part the quantity over its bound, and for (v) the bound over the quantity; 0 where it has no say.

    Beside them their rounding errors. For (i) it is what the norm gains over what it may gain, so that weights which
    nothing moves count for nothing.
    """
    after, n, m, depth = shift.after, shift.after.output.size, shift.net.widths[-1], shift.net.depth
    backwards = backward(shift.moved, after)
    flips = flip_counts(shift.before, after)
    labels = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    coefficients = loss_coefficients(after, labels, LOGISTIC)
    # For all labels and losses at once: S1^2 is at most n times the squared length of the derivatives.
    gram = np.linalg.eigvalsh(gated_gram(after))
    # No less than it is, so that rounding of a singular Gram matrix cannot hide it.
    least = m * (max(0.0, float(gram[0])) + GRAM_ROUNDING * float(gram[-1])) / n**3
    moves = [np.linalg.norm(a - b, axis=1) for a, b in zip(after.post[1:], shift.before.post[1:], strict=True)]
    known = {"L": depth, "m": m, "M": m, "n": n, "phi": phi, "tau": tau, "S1": 1.0}
    s = max(1, int(flips.max()))
    known |= {"s": s, "S1abs": float(np.abs(loss_slopes(LOGISTIC, labels * after.output)).sum())}
    limit = {part: float(bound.evaluate(known)) for part, bound in bounds.items()}
    inside = sheet.lemma_B_5_radius.holds(known)
    norm = largest_layer_norm(shift.net)
    room = limit["i"] - norm
    ratios = {
        "i": (shift.weight_norm - norm) / room if room > 0.0 else norm / limit["i"],
        "ii": float(np.max(moves)) / limit["ii"],
        "iii": float(flips.max()) / limit["iii"],
        "iv": max(float(sparse_supremum(q, s).max()) for q in backwards.q) / limit["iv"],
        "v": limit["v"] / least if inside else 0.0,
        "vi": float(gradient_norms(after, backwards, coefficients)[1].max()) / limit["vi"],
    }
    reach = {part: float(ceiling.evaluate({**known, "l": depth})) for part, ceiling in CEILINGS.items()}
    # What is left of two norms or of two states that are near each other; flips are counted.
    errors = {part: DEFAULT_RELATIVE_ERROR * abs(ratio) for part, ratio in ratios.items()}
    errors["i"] = DEFAULT_RELATIVE_ERROR * norm / room if room > 0.0 else errors["i"]
    errors["ii"] = float(shift.errors(shift.outputs).max()) / limit["ii"]
    errors["iii"] = 0.0
    said = [limit[part] < reach.get(part, math.inf) for part in ratios]
    return (
        [ratio if counts else 0.0 for ratio, counts in zip(ratios.values(), said, strict=True)],
        [errors[part] if counts else 0.0 for part, counts in zip(ratios, said, strict=True)],
    )

"""zou2018, proof of Lemma C.3: the displays (D.2) to (D.6), and the linear term (C.5)."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import sympy
from numpy.random import Generator
from sympy import Rational, log, pi, sqrt

from bounds import Bound, is_nonnegative, is_zero, symbol
from bounds.papers import zou2018 as sheet
from nets.core.arrays import Array
from nets.data.labelled import DataSource
from nets.networks.forward import forward
from nets.networks.gradients import backward, gradient_norms, loss_gradient, rank_one_pairs
from nets.networks.network import Network, he_network, perturbed
from nets.networks.operators import layer_norms, operator_norm
from nets.worst_cases.adversaries import flip_smallest, random_perturbation
from properties.shared.places import below_at, nowhere_violated
from properties.zou2018.expansion import (
    NETWORK_PAIRS,
    TwoNetworks,
    absolute,
    arriving,
    draw_step,
    flip_terms,
    forward_size,
    gradient_size,
    linear_size,
    linear_terms,
    passed_on,
    second_order_norms,
    telescoping_size,
    two_pass_operations,
)
from properties.zou2018.gradient_step import (
    FREE_STEP,
    LIPSCHITZ,
    REGION_STEP,
    STEP_LOSSES,
    FreeStep,
    GradientStep,
    RegionStep,
    longest_step,
    moved_off,
    region_symbols,
    same_points,
    standing,
    widths,
)
from properties.zou2018.limits import LAYER_NORM, flip_threshold
from properties.zou2018.risk_slopes import risk_slopes
from properties.zou2018.worst_networks import WEIGHTS, aligned_network, uneven_widths
from theory.claims import Measured, Regime, choices, claim, control, grid, reals, rounding
from theory.evidence import Proof, Scaling, Search, Step

WIDE_PLANE = grid(tau=1e-8, L=1, M=2**20, d=2)


@claim(
    "zou2018:eq-D.2",
    bound="= 0",
    premises="none needed: an identity of any two networks, whatever lies between them",
    regime=Regime(
        cells=grid(L=[1, 2, 4], m=12, n=3, d=5),
        thorough=grid(L=[3, 6], m=64, n=4, d=[5, 64]),
        draw={
            "pair": choices(*NETWORK_PAIRS),
            "loss": choices(*STEP_LOSSES),
            "size": reals(1e-6, 10.0, logarithmic=True),
        },
        pinned=[TwoNetworks(pair, "logistic", size=1.0)._asdict() for pair in NETWORK_PAIRS],
        built={"drawn": (TwoNetworks, TwoNetworks._fields)},
    ),
    evidence=Search(examples=60, adversary="unrelated weights, integer weights, gradient steps, rank-one steps"),
    controls=[
        control("left products at k + 1", left_after=True),
        control("right vectors at k", right_before=True),
        control("flip terms left out", flips=False),
        control("gates of k + 1 in front of the change of the weights", gates_after=True),
        control("flip terms with the weights of k", flip_before=True),
        control("first layer left out", first=1),
    ],
    note="the sum of v^T (prod_{r>l} Sigma_r W_r^T) ((Sigma' - Sigma)_l W'_l^T + Sigma_l (W' - W)_l^T) x'_{l-1}, with "
    "primes for the second network. Integer weights and inputs, whose sums float64 holds, are allowed no error",
)
def telescoped_output_change(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    drawn: TwoNetworks,
    *,
    left_after: bool = False,
    right_before: bool = False,
    flips: bool = True,
    gates_after: bool = False,
    flip_before: bool = False,
    first: int = 0,
) -> Measured:
    """The changes f'(x_i) - f(x_i) between two networks of widths m, 2 m, m, ..., less the sum (D.2) over l."""
    X, net, other = drawn.of(rng, data, L, m, n, d)
    start, end = forward(net, X), forward(other, X)
    left, right = arriving(other, end) if left_after else arriving(net, start), start if right_before else end
    weights_right = net if right_before or flip_before else other
    total = end.output - start.output
    for layer in range(first, L):
        gates = (end if gates_after else start).masks[layer]
        flipped = end.masks[layer] - start.masks[layer]
        if flips:
            total = total - np.sum(left[layer] * flipped * (right.post[layer] @ weights_right.weights[layer]), axis=1)
        moved = right.post[layer] @ (other.weights[layer] - net.weights[layer])
        total = total - np.sum(left[layer] * gates * moved, axis=1)
    scale = telescoping_size(net, other, start, end)
    exact = drawn.pair == "integer weights" and scale.max() < 2.0**53
    error = rounding(0.0 if exact else 1.0, 2 * two_pass_operations(net)) * scale
    return Measured(total, error=error, scale=float(scale.max()))


ITERATES = "neurons just before their kink, through either layer; layers that move along themselves; rank-one steps"
FROM_KINKS = {
    "weights": choices(*WEIGHTS),
    "loss": choices(*STEP_LOSSES),
    "norm": reals(1.0, 8.0),
    "size": reals(1e-3, 1.0, logarithmic=True),
}
EACH_KIND = [
    FreeStep(weights, "logistic", norm=LAYER_NORM, size=size)._asdict() for weights in WEIGHTS for size in (1e-3, 1.0)
]
BETWEEN = Regime(
    cells=grid(L=[1, 2, 3], m=32, n=2, d=8),
    thorough=grid(L=[2, 5], m=128, n=4, d=[8, 64]),
    draw={**FROM_KINKS, "step": choices("random", "gradient")},
    pinned=[{**drawn, "step": "gradient"} for drawn in EACH_KIND],
    built=FREE_STEP,
)


def _iterates(
    rng: Generator, data: DataSource, L: int, m: int, n: int, d: int, drawn: FreeStep, step: str
) -> GradientStep:
    """The gradient step that is drawn, or where `step` is "random" steps of rank one as long, from the same weights."""
    _, taken = draw_step(rng, data, L, m, n, d, drawn)
    if step == "gradient":
        return taken
    longest = drawn.size * drawn.norm
    other = perturbed(taken.before, [random_perturbation(W, longest, rng, "rank_one") for W in taken.before.weights])
    return replace(taken, after=other, end=forward(other, taken.start.post[0]))


def _flipped(step: GradientStep, layer: int, active: bool = False) -> Array:
    """+1 where a neuron turns on, -1 where it turns off; with `active`, all of layer 1 that are on after: (n, m_l)."""
    after = step.end.masks[layer]
    return after if active and layer == 0 else after - step.start.masks[layer]


OF_TWO_LAYERS = grid(L=2, m=32, n=2, d=8)


def _printed(text: str) -> str:
    """The printed (D.4) with other powers."""
    return f"C0*M*eta/n*S1abs*{text}"


def _columns(norms: Sequence[Array]) -> Array:
    """Numbers per sample, (n,) for each layer, as (n, L)."""
    return np.stack(norms, axis=1)


@claim(
    "zou2018:eq-D.3",
    bound="tau*r + normW*dinput",
    premises="none needed: measured norms and moves replace the region, between any two networks",
    ceiling="a",
    regime=BETWEEN,
    measured=["tau", "r", "normW", "dinput", "a"],
    evidence=Search(examples=20, adversary=ITERATES),
    controls=[
        control("inputs and weights both as before", before=True),
        control("moves by the two added in quadrature", bound="sqrt((tau*r)**2 + (normW*dinput)**2)"),
        control("all neurons of the first of two layers active after the step", active=True, cells=OF_TWO_LAYERS),
    ],
    note="primes after the step; at layer l tau is ||W'_l - W_l||, normW ||W_l||, r ||x'_{l-1}||, dinput ||x'_{l-1} - "
    "x_{l-1}||. The ceiling a is A = ||W'_l^T x'_{l-1}|| for the first norm, for the second itself plus 2 A",
)
def flip_term(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    drawn: FreeStep,
    step: str,
    *,
    before: bool = False,
    active: bool = False,
) -> Measured:
    """Norms ||(Sigma' - Sigma)_l W'_l^T x'_{l-1}|| and ||W'_l^T x'_{l-1} - W_l^T x_{l-1}||, all l, i, less rounding."""
    pair = _iterates(rng, data, L, m, n, d, drawn, step)
    layers = range(L)
    flips = _columns([np.linalg.norm(_flipped(pair, k, active) * pair.end.pre[k], axis=1) for k in layers])
    moves = _columns([np.linalg.norm(pair.end.pre[k] - pair.start.pre[k], axis=1) for k in layers])
    sizes = _columns([np.linalg.norm(pair.end.pre[k], axis=1) for k in layers])
    steps = [W - V for W, V in zip(pair.after.weights, pair.before.weights, strict=True)]
    return Measured(
        np.maximum(np.stack([flips, moves]) - _pre_error(pair), 0.0),
        error=0.0,
        symbols={
            "tau": np.array([operator_norm(W) for W in steps]),
            "normW": pair.norms_before,
            "r": layer_norms(pair.start if before else pair.end)[:, :-1],
            "dinput": pair.outputs[:, :-1],
            "a": np.stack([sizes, moves + 2.0 * sizes]),
        },
    )


def _pre_error(pair: GradientStep) -> Array:
    """Rounding-error bound of the norms of pre-activations and of their moves: (n, L)."""
    sizes = []
    for net, fwd in ((pair.before, pair.start), (pair.after, pair.end)):
        terms = zip(forward_size(net, fwd), net.weights, strict=False)
        sizes.append(_columns([np.linalg.norm(x @ np.abs(W), axis=1) for x, W in terms]))
    return rounding(1.0, two_pass_operations(pair.before)) * (sizes[0] + sizes[1])


@claim(
    "zou2018:eq-D.3-middle",
    title="flipped neurons between two iterates carry no more than they move",
    bound="D",
    premises="none needed: measured moves replace the region, between any two networks",
    regime=BETWEEN,
    measured=["D"],
    evidence=Search(examples=20, adversary=ITERATES),
    controls=[
        control("move of the outputs of the layer", rectified=True),
        control("largest move of a neuron", order=np.inf),
        control("all neurons of the first of two layers active after the step", active=True, cells=OF_TWO_LAYERS),
    ],
    note="primes after the step; print has the move of all neurons, which is no less than that of those that flip",
)
def flip_term_by_moves(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    drawn: FreeStep,
    step: str,
    *,
    rectified: bool = False,
    order: float = 2,
    active: bool = False,
) -> Measured:
    """All ||(Sigma' - Sigma)_l W'_l^T x'_{l-1}||; D is ||(Sigma' - Sigma)_l (W'_l^T x'_{l-1} - W_l^T x_{l-1})||."""
    pair = _iterates(rng, data, L, m, n, d, drawn, step)
    flips, moves = [], []
    for layer in range(L):
        flipped = _flipped(pair, layer, active)
        ends = [fwd.post[layer + 1] if rectified else fwd.pre[layer] for fwd in (pair.start, pair.end)]
        flips.append(np.linalg.norm(flipped * pair.end.pre[layer], axis=1))
        moves.append(np.linalg.norm(flipped * (ends[1] - ends[0]), order, axis=1))
    return Measured(np.maximum(_columns(flips) - _pre_error(pair), 0.0), error=0.0, symbols={"D": _columns(moves)})


@claim(
    "zou2018:eq-D.4",
    bound="SumGam",
    premises="none needed: measured flip terms replace the region and the constant of Lemma B.1",
    regime=Regime(
        cells=grid(L=[1, 2, 3], m=32, n=2, d=8),
        thorough=grid(L=[2, 5], m=128, n=4, d=[8, 64]),
        draw=FROM_KINKS,
        pinned=EACH_KIND,
        built=FREE_STEP,
    ),
    measured=["SumGam"],
    evidence=Search(examples=20, adversary=ITERATES),
    controls=[
        control("flips through the layer's own weights alone", lower=False),
        control("largest entry of the backward vector", order=np.inf),
        control("all neurons of the first of two layers active after the step", active=True, cells=OF_TWO_LAYERS),
    ],
    note="SumGam is ||v^T (prod_{r>l} Sigma_r W_r^T) (Sigma' - Sigma)_l|| (||W'_l - W_l|| ||x'_{l-1}|| + ||W_l|| "
    "||x'_{l-1} - x_{l-1}||) as (D.3), primes after a step of descent; print bounds the first norm: flips, constants",
    scope="part: from the flip term to measured norms",
)
def flip_term_at_the_output(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    drawn: FreeStep,
    *,
    lower: bool = True,
    order: float = 2,
    active: bool = False,
) -> Measured:
    """Terms |v^T (prod_{r>l} Sigma_r W_r^T) (Sigma' - Sigma)_l W'_l^T x'_{l-1,i}| of flips at the output, all l, i."""
    _, pair = draw_step(rng, data, L, m, n, d, drawn)
    back, lost = arriving(pair.before, pair.start), _pre_error(pair)
    found = [np.abs(np.sum(b * _flipped(pair, k, active) * pair.end.pre[k], axis=1)) for k, b in enumerate(back)]
    errors = []
    for k, b in enumerate(arriving(absolute(pair.before), pair.start)):
        # Rounding reaches the sum by the neurons in it, and by those so near their kink that it hides a flip.
        near = np.minimum(np.abs(pair.start.pre[k]), np.abs(pair.end.pre[k])) <= lost[:, k : k + 1]
        counted = (_flipped(pair, k, active) != 0.0) | (near & (pair.start.pre[k] != pair.end.pre[k]))
        errors.append(np.linalg.norm(b * counted, axis=1))
    return Measured(
        _columns(found), error=2.0 * _columns(errors) * lost, symbols={"SumGam": flip_terms(pair, lower, order)}
    )


@claim(
    "zou2018:eq-D.4-flips",
    title="backward vector on the neurons that flip between two iterates",
    bound=sheet.eq_D_4_flips.reads("C0*2**(4*L)*tau**(1/3)*sqrt(M*log(M))"),
    premises=[
        sheet.lemma_C_2_radius.reads("tau <= 7/2*8**(-L)"),
        "few small pre-activations, at the beta that the proof of Lemma B.3 takes [Theorem 5.1(iv)]: "
        "count <= 2*4**L*M*tau**(2/3)",
    ],
    ceiling="sqrt(M)",
    regime=Regime(cells=grid(tau=4e-8, L=1, M=2**18, d=2), thorough=WIDE_PLANE, most={"L": 1}),
    measured=["count"],
    evidence=Search(
        examples=4, adversary="the neurons nearest to their kink turned on by one iterate, off by the next"
    ),
    controls=[
        control(
            "order 2/3 in tau, that of the number of flips",
            bound="C0*2**(4*L)*tau**(2/3)*sqrt(M*log(M))",
            cells=WIDE_PLANE,
        ),
        control(
            "all neurons next to their kink",
            size=1e-12,
            cells=grid(tau=1e-10, L=1, M=4096, d=2),
            without="count <= 2*4**L*M*tau**(2/3)",
        ),
    ],
    note="C0 = sqrt(3) 7/3 + 1; one sample, one hidden layer: the root of the number of flips, 6 4^L M tau^(2/3) at "
    "most by Lemma B.3. At M = 2^18 the bound is below ||v|| up to tau = 4e-8; deeper only if M is above ten million",
    blind={
        "L": "deeper the bound is above its ceiling wherever a neuron flips; eq-D.4-constants proves the powers of 2",
        "M": "no other width that fits is below the ceiling: eq-D.4-exponent sees the order",
        "tau": "no other radius that flips a neuron is below the ceiling: eq-D.4-exponent sees the order",
        f"premise {sheet.lemma_C_2_radius.text}": "every radius outside of it puts the bound above its ceiling",
    },
)
def backward_vector_on_flips(
    rng: Generator, data: DataSource, L: int, M: int, d: int, tau: float, *, size: float = 1.0
) -> Measured:
    """The norm ||v^T D||, D marking the flips between two iterates tau from Gaussian weights, each flipping all it can.

    They need not be joined by a step of descent: the display speaks of any two iterates in the region. At its centre
    count pre-activations are within 4^L tau^(2/3)/sqrt(M) of 0, the threshold of Lemma B.3.
    """
    X, _ = data.draw(1, d, rng)
    net = he_network((X.shape[1], M), rng, gain=2.0 * size**2)
    count = np.count_nonzero(np.abs(forward(net, X).pre[0]) < flip_threshold(M, L, tau))
    return Measured(_on_flips(net, X, tau), symbols={"count": count})


def _on_flips(net: Network, X: Array, tau: float) -> Array:
    """The norm of v on the neurons that differ between the iterate with the most active neurons and the least: (1,)."""
    M, ends = net.v.size, []
    for wanted in (0.0, 1.0):
        masks = np.full((1, M), wanted)
        ends.append(forward(perturbed(net, [flip_smallest(net.weights[0], X, tau, masks)]), X))
    return np.asarray(np.linalg.norm(net.v * (ends[1].masks[-1] - ends[0].masks[-1]), axis=1))


@claim(
    "zou2018:eq-D.4-exponent",
    title="order of the backward vector on the neurons that flip between two iterates",
    # Each iterate flips, of the neurons on one side of their kink, the nearest: k of them, of a density of
    # m^(3/2)/(2 sqrt(pi)), at the cost of the root of the sum of their squares; tau pays for m (3 tau^2/(4 pi))^(1/3).
    bound="C*sqrt(M)*tau**(1/3)",
    constants={
        "C": (
            sqrt(2) * (3 / (4 * pi)) ** Rational(1, 6),
            "the root of what two iterates flip between them at one hidden layer, as M grows and tau falls",
        )
    },
    premises=[
        sheet.lemma_C_2_radius.reads("tau <= 7/2*8**(-L)"),
        "radius from where several neurons flip, ours: M*tau**(2/3) >= 9",
    ],
    ceiling="sqrt(M)",
    regime=Regime(
        calibration=grid(tau=[1e-3, 1e-2], L=1, M=[4096, 16384], d=2),
        cells=grid(tau=[3e-4, 3e-3, 3e-2], L=1, M=[2048, 8192, 32768], d=2),
        most={"L": 1},
    ),
    evidence=Scaling({"tau": "equal", "M": "equal"}, constant="C"),
    controls=[
        control("order 1/4 in tau", bound="C*sqrt(M)*tau**(1/4)"),
        control("order 2/3 in tau", bound="C*sqrt(M)*tau**(2/3)"),
        control("order 1/3 in the width", bound="C*M**(1/3)*tau**(1/3)"),
    ],
    note="C is fitted; the orders of the printed bound are attained but for its logarithm, which one layer does not "
    "show; what is loose is its constant",
    blind={
        f"premise {sheet.lemma_C_2_radius.text}": "the power goes on until every neuron flips, the ceiling",
        "premise M*tau**(2/3) >= 9": "of fewer most starts flip none, which is no order",
    },
)
def order_on_flips(rng: Generator, data: DataSource, L: int, M: int, d: int, tau: float) -> float:
    """Norm ||v^T D||, L = 1, D the flips between two iterates tau off Gaussian weights: most open gates, and fewest; at
    nine starts in ten."""
    X, _ = data.draw(1, d, rng)
    return float(_on_flips(he_network((X.shape[1], M), rng), X, tau)[0])


FLIP_SLACK = "a third of the printed bound is used at most: at one hidden layer and M = 2"


@claim(
    "zou2018:eq-D.4-constants",
    title="constants of the flip term with twice the flips of Lemma B.3",
    bound=sheet.eq_D_4_printed.reads("2**(9*L + 3)*C0*tau**(1/3)*M*sqrt(log(M))*eta/n*S1abs"),
    premises="none needed: its steps take every depth, widths from 2 on and radii up to 1",
    regime=Regime(cells=grid()),
    measured=["L", "M", "tau", "eta", "n", "S1abs"],
    evidence=Proof(margin=FLIP_SLACK, unasked="each wrong bound would be simplified, which takes long"),
    controls=[
        control("2^(8 L) for 2^(9 L)", bound=_printed("2**(8*L+3)*tau**(1/3)*sqrt(log(M))")),
        control("2^(9 L) without the 3", bound=_printed("2**(9*L)*tau**(1/3)*sqrt(log(M))")),
        control("square root of the radius", bound=_printed("2**(9*L+3)*tau**(1/2)*sqrt(log(M))")),
        control("without the logarithm", bound=_printed("2**(9*L+3)*tau**(1/3)")),
        control("each iterate with 16 times the flips of Lemma B.3", counts=32),
    ],
    note="two iterates may both differ from the centre in as many neurons as Lemma B.3 counts, hence from each other "
    "in twice as many; the print inserts one count. As L <= 2^(L-1), its C0 = sqrt(3) C + 1 covers two",
)
def flip_constants(bound: Bound, *, counts: int = 2) -> list[Step]:
    """Product of sqrt(6) C 8^L L sqrt(M log M) tau^(1/3) + 4^L sqrt(M) tau and (2 4^L + 4 32^L) sqrt(M) eta/n S1abs.

    That is the display before (D.4), C = 7/3 of Lemma B.1, twice the flips of Lemma B.3 (`counts`), times (D.3). Over
    the bound it falls in L and M and grows with tau, so that its value at L = 1, M = 2, tau = 1 decides.
    """
    L, M, tau, eta, n, S1abs = map(symbol, ("L", "M", "tau", "eta", "n", "S1abs"))
    per_flip = sympy.sqrt(3 * counts) * sheet.lemma_B_1.constants["C"].value
    C0 = sheet.eq_D_4_printed.constants["C0"].value
    flips = per_flip * 2 ** (3 * L) * L * sympy.sqrt(M * log(M)) * tau ** Rational(1, 3) + 4**L * sympy.sqrt(M) * tau
    carried = (2 ** (2 * L + 1) + 2 ** (5 * L + 2)) * sympy.sqrt(M) * eta / n * S1abs
    share = (flips * carried / bound.expr).subs(symbol("C0"), C0)
    first, second = per_flip * L / 2**L, tau ** Rational(2, 3) / (4**L * sympy.sqrt(log(M)))
    stated = (first + second) * (Rational(1, 2) + 1 / 2 ** (3 * L + 2)) / C0

    left = Bound(1 - share)

    def at(depth: int, width: int, radius: Rational) -> dict[str, Any]:
        return {"L": depth, "M": width, "tau": radius, "eta": 1, "n": 1, "S1abs": 1}

    places = itertools.product((1, 2, 4, 8), (2, 10**3, 10**9), (Rational(1, 10**9), Rational(1)))
    more = sympy.Symbol("more", nonnegative=True)
    return [
        nowhere_violated(left, itertools.starmap(at, places)),
        Step("the quotient is the sum of two terms in L, M and tau", is_zero(share / stated - 1) or None),
        Step("L/2^L falls: 2 L >= L + 1 for L >= 1", is_nonnegative(2 * (1 + more) - (2 + more))),
        Step(
            "at L = 1, M = 2, tau = 1 it is at most 1",
            below_at(Bound(share), Bound(sympy.S.One), at(1, 2, Rational(1))),
        ),
    ]


FOUR_ORDERS_LOOSE = {
    **dict.fromkeys(("n", "M", "eta", "S1abs"), "four orders above what is met: eq-D.6-sharp sees it"),
    "rho": "four orders above what is met: eq-D.6-sharp has the mean of |ell'| in its place",
    "L": "four orders above what is met: eq-D.6-sharp has the norms of the layers in place of their powers of 4",
    **dict.fromkeys(
        (f"premise {premise.text}" for premise in sheet.lemma_C_2_premises),
        "four orders above what is met; lemma-C.2, on the moves that enter it, sees which of them are needed",
    ),
}

SHORT_STEPS = {
    "weights": choices("Gaussian", "aligned"),
    "loss": choices(*LIPSCHITZ),
    "size": reals(1e-4, 1e-2, logarithmic=True),
    "moved": reals(0.0, 0.99),
}

SECOND_ORDER = Regime(
    cells=grid(L=[2, 3], M=32, n=8, d=8),
    thorough=grid(L=[2, 4], M=128, n=4, d=[8, 64]),
    draw=SHORT_STEPS,
    pinned=[RegionStep("aligned", "hinge", size=1e-4, moved=0.0)._asdict()],
    built=REGION_STEP,
    least={"L": 2},
)


@claim(
    "zou2018:eq-D.6",
    bound="2**(9*L)*M*rho*eta**2/(7*n)*S1abs",
    premises=[
        sheet.lemma_C_2_radius.reads("tau <= 7/2*8**(-L)"),
        sheet.lemma_C_2_norms.reads("normW <= 7/2"),
        sheet.lemma_C_2_outputs.reads("r <= 3/2"),
    ],
    ceiling="7*4**(L - 2)/8**L",  # Proof of eq. (D.6)
    regime=SECOND_ORDER,
    measured=["S1abs", "eta", "rho", "tau", "normW", "r"],
    evidence=Search(examples=12, adversary="layers that move along themselves"),
    controls=[
        control("third order in the step", bound="2**(9*L)*M*rho*eta**3/(7*n)*S1abs"),
        control("2^(3 L) for 2^(9 L), and no width", bound="2**(3*L)*rho*eta**2/(7*n)*S1abs"),
        control("first-order term in its place", inputs_move=False),
    ],
    note="normW and r are the largest norms of a layer and an output at a centre, both ends within tau of it; L >= 2, "
    "as first inputs do not move. The last of two bounds, loose by four orders: sharp is not",
    scope="part: the last of its two bounds",
    blind=FOUR_ORDERS_LOOSE,
    idle={"move": False},
)
def second_order_term(
    rng: Generator,
    data: DataSource,
    L: int,
    M: int,
    n: int,
    d: int,
    drawn: RegionStep,
    *,
    inputs_move: bool = True,
    move: bool = True,
) -> Measured:
    """The norm ||I^3_{l,i}|| of every sample and layer from the second on, for a step of descent and a Lipschitz loss.

    It is eta ||(prod_{r>l} Sigma_r W_r^T) Sigma_l (grad_{W_l} L_S)^T (x'_{l-1} - x_{l-1})||, primes after the step.
    Larger steps are left out: the bound then exceeds what a step within the region can do at all.
    """
    X, y = data.draw(n, d, rng)
    sizes = widths(X.shape[1], M, L)
    centre = he_network(sizes, rng)
    if drawn.weights == "aligned":
        X, y = same_points(X, y)
        # An output above 0 and labels -1: every loss is at its steepest.
        centre, y = aligned_network(X[0], sizes[1:], 1.0), -y
    net, left = moved_off(rng, centre, drawn.moved)
    used = STEP_LOSSES[drawn.loss]
    step = longest_step(net, X, y, used, drawn.size * left)
    step = step if move else standing(step)
    return Measured(
        _second_order(step, inputs_move)[:, 1:],
        error=_second_order_error(step)[:, 1:],
        symbols={**region_symbols(centre, step), "rho": used.constants.rho},
    )


def _second_order(step: GradientStep, inputs_move: bool = True) -> Array:
    """||I^3_{l,i}|| of (D.5), with its factor eta; or the same of the inputs themselves: (n, L)."""
    moves = []
    for before, after, gradient in zip(step.start.post, step.end.post, step.gradients, strict=False):
        moves.append(-step.eta * ((after - before if inputs_move else before) @ gradient))
    ends = passed_on(step.before, step.start, moves)
    return _columns([np.linalg.norm(end, axis=1) for end in ends])


def _second_order_error(step: GradientStep) -> Array:
    """Rounding-error bound of `_second_order`: that of the moves of the inputs, passed on by norms: (n, L)."""
    sizes = [
        _columns([np.linalg.norm(size, axis=1) for size in forward_size(net, fwd)[:-1]])
        for net, fwd in ((step.before, step.start), (step.after, step.end))
    ]
    steep = np.array([operator_norm(gradient) for gradient in step.gradients])
    return rounding(1.0, two_pass_operations(step.before)) * step.eta * step.downstream * steep * (sizes[0] + sizes[1])


@claim(
    "zou2018:eq-D.6-sharp",
    title="second-order term of one step, by measured norms",
    bound="prodW*m*(eta*S1abs/n)**2",
    premises="none needed: measured norms replace the region: steps of any size, from two layers on",
    regime=Regime(
        cells=[*grid(L=[2, 3], m=32, n=2, d=8), *grid(L=2, m=128, n=1, d=8)],
        thorough=grid(L=[2, 5], m=128, n=4, d=[8, 64]),
        draw=FROM_KINKS,
        pinned=[FreeStep("aligned", "logistic", norm, size=1e-3)._asdict() for norm in (1.0, LAYER_NORM, 8.0)],
        built=FREE_STEP,
        least={"L": 2},
    ),
    measured=["S1abs", "eta", "prodW"],
    evidence=Search(examples=25, adversary="layers that move along themselves"),
    controls=[
        control("norms of the layers above taken once", once=True),
        control("third order in the step", bound="prodW*m*(eta*S1abs/n)**3"),
        control("first-order term in its place", inputs_move=False),
    ],
    note="the first bound in (D.6), m the last width. prodW is (w_{l+1} ... w_L)^2 max_i ||x_{l-1,i}|| times the sum "
    "over t < l of w'_{t+1} ... w'_{l-1} w_{t+1} ... w_L max_i ||x_{t-1,i}||^2, w_l = ||W_l||, primes after the step",
    idle={"move": False},
)
def second_order_term_by_measured_norms(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    drawn: FreeStep,
    *,
    once: bool = False,
    inputs_move: bool = True,
    move: bool = True,
) -> Measured:
    """Norms eta ||(prod_{r>l} Sigma_r W_r^T) Sigma_l (grad_{W_l} L_S)^T (x'_{l-1,i} - x_{l-1,i})||, all i, l >= 2."""
    _, pair = draw_step(rng, data, L, m, n, d, drawn)
    pair = pair if move else standing(pair)
    norms = second_order_norms(pair) / (pair.downstream if once else 1.0)
    return Measured(
        _second_order(pair, inputs_move)[:, 1:],
        error=_second_order_error(pair)[:, 1:],
        symbols={"S1abs": pair.derivatives.sum(), "eta": pair.eta, "prodW": norms[1:]},
    )


class GaussianStep(NamedTuple):
    """A step of size `eta` at points that are "apart" or "equal", from Gaussian weights of the variance gain/m."""

    loss: str
    gain: float
    eta: float
    points: str


GAUSSIAN_STEPS = Regime(
    cells=grid(L=[1, 2, 4], m=12, n=[1, 5], d=5),
    thorough=grid(L=[3, 6], m=64, n=[4, 16], d=[5, 64]),
    draw={
        "loss": choices(*STEP_LOSSES),
        "gain": reals(0.25, 8.0, logarithmic=True),
        "eta": reals(1e-6, 10.0, logarithmic=True),
        "points": choices("apart", "equal"),
    },
    pinned=[GaussianStep("logistic", gain=2.0, eta=0.1, points="apart")._asdict()],
    built={"drawn": (GaussianStep, GaussianStep._fields)},
)


@claim(
    "zou2018:eq-C.5",
    bound="= -eta*normsq",
    premises="none needed: an identity of gradient steps of any size, at all weights",
    regime=GAUSSIAN_STEPS,
    measured=["normsq"],
    evidence=Search(examples=30),
    controls=[
        control("gradient of the next iterate in the linear term", next_gradient=True),
        control("gate of the layer itself left out", own_gate=False),
        control("gates after the step", gates_after=True),
        control("operator norm for the Frobenius norm", norm="operator"),
        control("samples stepping for themselves alone", norm="diagonal"),
        control("mean over the samples taken once instead of twice", norm="summed"),
    ],
    note="layers of widths m, 2 m, m, ..., weights N(0, g/m_l) with g from 1/4 to 8; the linear term runs forward, the "
    "gradient backward: an error in either shows",
    scope="part: the trace identity, without what (C.3) makes of it",
)
def linear_term_of_the_loss(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    drawn: GaussianStep,
    *,
    next_gradient: bool = False,
    own_gate: bool = True,
    gates_after: bool = False,
    norm: str = "Frobenius",
) -> Measured:
    """The mean over i of ell'_i y_i v^T u_{l,i}, for every l, at Gaussian weights; normsq is ||grad_{W_l} L_S||_F^2.

    u_{l,i} is what layer l does to first order, -eta (prod_{r>l} Sigma_r W_r^T) Sigma_l (grad_{W_l} L_S)^T x_{l-1,i}.
    """
    X, y = data.draw(n, d, rng)
    X = np.tile(X[0], (n, 1)) if drawn.points == "equal" else X
    used, eta = STEP_LOSSES[drawn.loss], drawn.eta
    net = he_network(uneven_widths(X.shape[1], m, L), rng, gain=drawn.gain)
    step = GradientStep.of(net, X, y, used, eta)
    coefficients = risk_slopes(used, y, step.start.output)
    gradients = loss_gradient(step.after, step.end, y, used) if next_gradient else step.gradients
    passed = replace(step.start, masks=step.end.masks) if gates_after else step.start
    terms = coefficients @ linear_terms(net, passed, gradients, eta, own_gate=own_gate)
    sizes = gradient_size(net, step.start, coefficients)
    squares = eta * np.array([np.sum(size**2) for size in sizes])
    scale = np.abs(coefficients) @ linear_size(net, step.start, sizes, eta) + squares
    counted = 3 * two_pass_operations(net) + max(W.size for W in net.weights) + 4 * n
    return Measured(
        terms,
        error=rounding(1.0, counted) * scale,
        symbols={"normsq": _squared_norms(step, coefficients, norm)},
        scale=float(scale.max()) or 1.0,
    )


def _squared_norms(step: GradientStep, coefficients: Array, kind: str) -> Array:
    """The squared norms of the layer gradients, (L,), or what a control takes for them."""
    operator, frobenius = gradient_norms(step.start, backward(step.before, step.start), coefficients)
    if kind == "operator":
        return operator**2
    if kind == "diagonal":
        pairs = rank_one_pairs(step.start, backward(step.before, step.start))
        return np.array(
            [np.sum((coefficients * np.linalg.norm(x, axis=1) * np.linalg.norm(b, axis=1)) ** 2) for x, b in pairs]
        )
    return frobenius**2 * (len(coefficients) if kind == "summed" else 1.0)

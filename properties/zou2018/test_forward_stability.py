"""zou2018, Section 3.4, Theorem 5.3(i), Lemma B.2 and (B.3): outputs of layers, and what perturbed weights do to them.

Main claims: `outputs_as_products` (Section 3.4), `perturbed_weight_norms` (Theorem 5.3(i)), `one_layer` (B.1),
`layer_outputs` (Lemma B.2) with `recursion_over_layers`, `layer_pre_activations` (B.3) and `telescoping_sum` (proof of
Lemma B.1).
"""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import sympy
from hypothesis import strategies as st
from numpy.random import Generator

from bounds import Bound, is_nonnegative, symbol
from bounds.papers import zou2018 as sheet
from nets.core.arrays import Array
from nets.data.labelled import DataSource
from nets.networks.forward import forward
from nets.networks.network import gaussian_network, he_network
from nets.networks.operators import masked_product, masked_product_operator, operator_norm
from nets.worst_cases.adversaries import forward_shift, random_perturbation, top_pair
from nets.worst_cases.worst_networks import channel_network
from properties.shared.places import below_at, met_from_the_first
from properties.zou2018.layer_gradients import output_operations
from properties.zou2018.limits import LAYER_NORM, PERTURBED_NORM
from properties.zou2018.perturbed_pass import (
    ALLOWED_SHARE,
    WIDE,
    WIDEST,
    Shift,
    instances,
    masked_factors,
    product,
    random_layers,
    telescoped,
)
from theory.claims import Measured, Regime, choices, claim, control, grid, reals, rounding
from theory.evidence import Proof, Search, Step


@claim(
    "zou2018:fact-layer-output",
    bound="= 0",
    premises="none needed: an identity, at every depth, width and weight matrix",
    # One width for all, so that no layer too few or too many is told by its shape.
    regime=Regime(cells=grid(L=[1, 2, 4], m=8, n=3, d=8), thorough=grid(L=[3, 6], m=16, n=3, d=16)),
    evidence=Search(examples=10),
    controls=[
        control("gate of the layer itself left out", gate=False),
        control("gates of another sample", gates="of another sample"),
        control("gates left open", gates="left open", cells=grid(L=[2, 4], m=8, n=3, d=8)),
    ],
    note="the outputs by the activation max(z, 0), layer after layer, beside the product of the weights at their "
    "gates, as a matrix and as an operator; f is v^T x_L by definition",
)
def outputs_as_products(
    rng: Generator, data: DataSource, m: int, L: int, n: int, d: int, *, gate: bool = True, gates: str = ""
) -> Measured:
    """The entries of (prod_{r=k}^{l} Sigma_r W_r^T) x_{k-1} less those of x_l, for all samples and all k <= l <= L."""
    X, _ = data.draw(n, d, rng)
    net = he_network((X.shape[1], *[m] * L), rng)
    fwd = forward(net, X)
    masks = fwd.masks
    if gates == "of another sample":
        masks = tuple(np.roll(mask, 1, axis=0) for mask in masks)
    elif gates == "left open":
        masks = tuple(np.ones_like(mask) for mask in masks)
    outputs, sizes = [X], [np.abs(X)]
    for W in net.weights:
        outputs.append(np.maximum(outputs[-1] @ W, 0.0))
        sizes.append(sizes[-1] @ np.abs(W))
    differences, scales = [], []
    for i, k in itertools.product(range(n), range(1, L + 1)):
        for layer in range(k, L + 1):
            for form in (masked_product, masked_product_operator):
                reached = form(net, replace(fwd, masks=masks), i, k, layer) @ outputs[k - 1][i]
                differences.append((fwd.masks[layer - 1][i] * reached if gate else reached) - outputs[layer][i])
                scales.append(sizes[layer][i])
    error = 2.0 * rounding(1.0, output_operations(net)) * np.array(scales)
    return Measured(np.array(differences), error=error, scale=float(np.max(scales)))


@claim(
    "zou2018:theorem-5.3-i",
    bound=sheet.theorem_5_3_i.reads("4"),
    premises=[sheet.theorem_5_3_radius.reads("tau <= 1/2"), sheet.theorem_5_3_i_norms.reads("normW <= 7/2")],
    regime=Regime(
        cells=grid(m=[16, 64], d=8),
        thorough=grid(m=128, d=[8, 128]),
        draw={"tau": st.floats(1e-6, 0.5), "stretch": st.floats(0.0, 1.0)},
        pinned=[{"tau": 0.5, "stretch": 1.0}, {"tau": 0.5, "stretch": 0.0}, {"tau": 1.0, "stretch": 1.0}],
    ),
    measured=["normW"],
    idle={"part": 0.0},
    evidence=Search(examples=40, adversary="a step along the top singular pair, which adds all of its norm"),
    scope="own constants: 1/2 for the open kappa of tau <= kappa",
    controls=[
        control("bound a quarter of a per cent smaller", bound="399/100"),
        control("norms added as if the step were orthogonal", bound="sqrt(49/4 + tau**2)"),
        control("radius relative to the norm of the weights", relative=True),
        control("radius for each entry in place of the norm", entrywise=True),
        control("weights of norm 5", norm=5.0, without=sheet.theorem_5_3_i_norms),
    ],
)
def perturbed_weight_norms(
    rng: Generator,
    m: int,
    d: int,
    tau: float,
    stretch: float,
    *,
    relative: bool = False,
    entrywise: bool = False,
    norm: float = LAYER_NORM,
    part: float = 1.0,
) -> Measured:
    """The norms ||W~_l||_2 after steps of norm tau along the top singular pair, which add all of it to Gaussian weights
    of widths (d, m, 2m, m) stretched towards norm 7/2; normW is the largest ||W_l||_2."""
    before, after = [], []
    for W in he_network((d, m, 2 * m, m), rng).weights:
        W = W * (1.0 - stretch + stretch * norm * ALLOWED_SHARE / operator_norm(W))
        before.append(operator_norm(W))
        step = tau * np.sign(W) if entrywise else top_pair(W, tau * (before[-1] if relative else 1.0))
        after.append(operator_norm(W + part * step))
    return Measured(np.array(after), symbols={"normW": max(before)})


def _exactly(rng: Generator, m: int, closing: float, before: int, after: int) -> tuple[Array, Array]:
    """Whole numbers (m,) up to 2^before, and others up to 2^after, a share `closing` of which go from > 0 to <= 0."""
    a, b = (rng.integers(-(2**size), 2**size, m, endpoint=True) for size in (before, after))
    closed = rng.random(m) < closing
    a, b = np.where(closed, np.maximum(1, abs(a)), a), np.where(closed, -abs(b), b)
    return a.astype(np.float64), b.astype(np.float64)


PRE_ACTIVATIONS = Regime(
    cells=grid(m=[1, 2, 8, 64]),
    draw={"closing": reals(0.0, 1.0), "before": st.integers(0, 20), "after": st.integers(0, 20)},
    pinned=[{"closing": 1.0, "before": 0, "after": 20, "trial": 0}],
)
PRE_ACTIVATIONS_SEARCH = Search(
    examples=40, adversary="neurons next to their kink that close by much, open or stay; zeros before and after"
)


def _one_layer(a: Array, b: Array, unrelated: Array | None, staying: bool) -> tuple[float, float, float, float]:
    """Norms for pre-activations a and then b: ||x~ - x||, ||(Sigma~ - Sigma) b||, ||Sigma (b - a)||, ||b - a||.

    Squares of whole numbers below 2^21 add up exactly, and rounded roots keep their order, so nothing can err
    towards a failure. `unrelated` pre-activations have their gates put for Sigma~ while a stays, where no move pays for
    the flips: any one neuron then shows it, and no search has to find pre-activations that nearly stay. `staying`
    leaves flipped neurons out of the last norm.
    """
    if unrelated is not None:
        b = a
    gates, later = a > 0.0, (b if unrelated is None else unrelated) > 0.0
    kept = (gates == later) | (not staying)
    parts = later * b - gates * a, (later ^ gates) * b, gates * (b - a), kept * (b - a)
    change, jump, stay, move = (math.sqrt(float(part @ part)) for part in parts)
    return change, jump, stay, move


@claim(
    "zou2018:eq-B.1",
    bound="2*D",
    premises="none needed: true of any two vectors of pre-activations, drawn as whole numbers",
    regime=PRE_ACTIVATIONS,
    measured=["D"],
    evidence=PRE_ACTIVATIONS_SEARCH,
    controls=[
        control("gates that do not belong to the pre-activations", unrelated=True),
        control("flipped neurons left out of the move", staying=True),
    ],
    note="the sum of the two terms comes up to 2 D where all neurons close, from next to their kink; ||x~ - x|| itself "
    "only to D, see sharp",
)
def one_layer(
    rng: Generator, m: int, closing: float, before: int, after: int, *, unrelated: bool = False, staying: bool = False
) -> Measured:
    """Both ||x~ - x|| and the ||(Sigma~ - Sigma) b|| + ||Sigma (b - a)|| above it, a and b being W^T x_{l-1} before and
    after, x = max(a, 0), x~ = max(b, 0); D is ||b - a||."""
    a, b = _exactly(rng, m, closing, before, after)
    others = rng.standard_normal(m) if unrelated else None
    change, jump, stay, move = _one_layer(a, b, others, staying)
    return Measured(np.array([change, jump + stay]), error=0.0, symbols={"D": move})


@claim(
    "zou2018:eq-B.1-sharp",
    title="one-layer stability, flip term and output against the move of the pre-activations itself",
    bound="D",
    premises="none needed: true of any two vectors of pre-activations, whatever moved them",
    regime=PRE_ACTIVATIONS,
    measured=["D"],
    evidence=PRE_ACTIVATIONS_SEARCH,
    controls=[
        control("bound 1 % smaller", bound="99/100*D"),
        control("gates that do not belong to the pre-activations", unrelated=True),
        control("flipped neurons left out of the move", staying=True),
        control("both terms together", together=True),
    ],
    note="where a gate changes |b| <= |b - a|, as the two have opposite signs or one is zero; both norms attain D, the "
    "first where neurons open from their kink",
)
def one_layer_sharply(
    rng: Generator,
    m: int,
    closing: float,
    before: int,
    after: int,
    *,
    unrelated: bool = False,
    staying: bool = False,
    together: bool = False,
) -> Measured:
    """The change ||x~ - x|| and the norm ||(Sigma~ - Sigma) b||, for pre-activations a, and then b; D is ||b - a||."""
    a, b = _exactly(rng, m, closing, before, after)
    others = rng.standard_normal(m) if unrelated else None
    change, jump, stay, move = _one_layer(a, b, others, staying)
    return Measured(np.array([change, jump + stay * together]), error=0.0, symbols={"D": move})


NARROW_OUTPUTS = grid(L=[1, 2, 3], m=32, d=8)
DEEP_OUTPUTS = NARROW_OUTPUTS[2:]
FOUR_LAYERS = grid(L=4, m=32, d=8)
OUTPUTS = Regime(
    cells=[*NARROW_OUTPUTS, *grid(L=3, m=WIDE, d=8), *grid(L=1, m=10**5, d=8)],
    thorough=[*grid(L=[4, 5], m=64, d=64), *grid(L=2, m=10**5, d=16), *grid(L=2, m=WIDEST, d=8)],
    nightly=grid(L=3, m=10**5, d=16),
    # The printed bounds of deep networks say nothing at radii near 1/2.
    draw={"tau": reals(1e-4, 0.5, logarithmic=True), "weights": choices("Gaussian", "two channels")},
    pinned=[{"tau": 1e-4, "weights": "two channels"}, {"tau": 0.1, "weights": "Gaussian"}],
)
OUTPUTS_SEARCH = Search(
    examples=lambda m: instances(m, 12),
    adversary="rank-one steps along each layer's input and backward vector, on Gaussian weights and on two "
    "channels; beside them random steps of rank one",
)


def _shifts(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    d: int,
    tau: float,
    weights: str,
    limit: float,
    length: float,
    reach: float,
) -> tuple[tuple[Shift, Shift], dict[str, float]]:
    """A point of norm `length` under two choices of the steps, and what the premises ask.

    The channels stretch as far as ||W~_l|| <= limit lets them; the first steps move the last layer most, the
    second are random. Both go as far as `reach` times tau.
    """
    X, _ = data.draw(1, d, rng)
    x, widths, radius = length * X[0], (m,) * L, reach * tau * ALLOWED_SHARE
    channels = weights == "two channels"
    net = channel_network(x, widths, limit - tau) if channels else gaussian_network((x.size, *widths), rng)
    shifts = (
        Shift.of(net, forward_shift(net, x, radius, sweeps=3), x),
        Shift.of(net, [random_perturbation(W, radius, rng, "rank_one") for W in net.weights], x),
    )
    return shifts, {"normW": max(shift.weight_norm for shift in shifts), "r": shifts[0].output_norm}


def _moved_outputs(shifts: tuple[Shift, Shift], known: dict[str, float], first: int) -> Measured:
    """||x~_l - x_l|| of the layers from `first` on."""
    return _of_layers(shifts, [shift.outputs for shift in shifts], known, first)


def _moved_pre_activations(shifts: tuple[Shift, Shift], known: dict[str, float], first: int) -> Measured:
    """||W~_l^T x~_{l-1} - W_l^T x_{l-1}|| of the layers from `first` on."""
    return _of_layers(shifts, [shift.pre_activations for shift in shifts], known, first)


def _of_layers(shifts: tuple[Shift, Shift], norms: list[Array], known: dict[str, float], first: int) -> Measured:
    errors = [shift.errors(found) for shift, found in zip(shifts, norms, strict=True)]
    return Measured(
        np.stack(norms)[:, first - 1 :],
        error=np.stack(errors)[:, first - 1 :],
        symbols={"l": np.arange(first, shifts[0].net.depth + 1), **known},
    )


@claim(
    "zou2018:lemma-B.2",
    bound=sheet.lemma_B_2.reads("8**L*tau/7"),
    ceiling=sheet.lemma_B_2_ceiling,
    premises=[sheet.lemma_B_2_norms.reads("normW <= 4"), sheet.lemma_B_2_outputs.reads("r <= 3/2")],
    regime=OUTPUTS,
    measured=["normW", "r", "l"],
    evidence=OUTPUTS_SEARCH,
    controls=[
        control("bound an eighth smaller, and a little more", bound="100*8**L*tau/801", cells=NARROW_OUTPUTS),
        control("outputs taken to have norm 1: 1/3 of 4^l - 1", bound="(4**L - 1)*tau/3", cells=NARROW_OUTPUTS),
        control("no factor 2 for the activations", bound="4**L*tau/7", cells=DEEP_OUTPUTS),
        control("weights of norm 8 allowed", limit=8.0, cells=NARROW_OUTPUTS, without=sheet.lemma_B_2_norms),
        control("inputs of norm 1.2", length=1.2, cells=NARROW_OUTPUTS),
        control("inputs of norm 1.6", length=1.6, cells=NARROW_OUTPUTS, without=sheet.lemma_B_2_outputs),
    ],
    note="7/8 of the bound can be met at L = 1, 0.60 at L = 2, 0.32 at L = 3, see sharp: by weights of two channels, "
    "one for x, one that stretches what steps add; Gaussian ones reach 0.4 at L = 2, 0.1 at L = 3",
    idle={"reach": 0.0},
)
def layer_outputs(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    d: int,
    tau: float,
    weights: str,
    *,
    limit: float = PERTURBED_NORM,
    length: float = 1.0,
    reach: float = 1.0,
) -> Measured:
    """The change ||x~_l - x_l|| in every layer, all ||W~_l - W_l||_2 <= tau; normW: max ||W~_l||_2, r: max ||x_l||."""
    return _moved_outputs(*_shifts(rng, data, m, L, d, tau, weights, limit, length, reach), first=1)


@claim(
    "zou2018:lemma-B.2-sharp",
    title="stability of the layer outputs, with the factor 1 of a 1-Lipschitz ReLU",
    bound=sheet.lemma_B_2_sharp.reads("(3*4**(l - 1) - 1)*tau/2"),
    premises=[sheet.lemma_B_2_norms.reads("normW <= 4"), sheet.lemma_B_2_outputs.reads("r <= 3/2")],
    regime=OUTPUTS,
    measured=["normW", "r", "l"],
    evidence=OUTPUTS_SEARCH,
    controls=[
        control("bound 1 % smaller", bound="99*(3*4**(l - 1) - 1)*tau/200", cells=DEEP_OUTPUTS),
        control("outputs taken to have norm 1: 1/3 of 4^l - 1", bound="(4**l - 1)*tau/3", cells=NARROW_OUTPUTS),
        control(
            "norm of W, 7/2, in place of that of W~, less 3/5",
            bound="(8*(7/2)**(l - 1) - 3)*tau/5",
            cells=NARROW_OUTPUTS,
        ),
        control("weights of norm 4.1 allowed", limit=4.1, cells=NARROW_OUTPUTS, without=sheet.lemma_B_2_norms),
        control("inputs of norm 1.2", length=1.2, cells=NARROW_OUTPUTS),
        control("inputs of norm 1.6", length=1.6, cells=NARROW_OUTPUTS, without=sheet.lemma_B_2_outputs),
    ],
    note="for d_l = ||x~_l - x_l||, d_1 <= tau, d_l <= 3 tau/2 + 4 d_(l-1); attained as tau falls by weights of two "
    "channels, one for x and one that stretches what steps add",
    idle={"reach": 0.0},
)
def layer_outputs_sharply(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    d: int,
    tau: float,
    weights: str,
    *,
    limit: float = PERTURBED_NORM,
    length: float = 1.0,
    reach: float = 1.0,
) -> Measured:
    """The change ||x~_l - x_l|| at l = L for all ||W~_k - W_k||_2 <= tau; normW = max ||W~_k||_2, r = max ||x_k||."""
    return _moved_outputs(*_shifts(rng, data, m, L, d, tau, weights, limit, length, reach), first=L)


@claim(
    "zou2018:lemma-B.2-recursion",
    title="the recursion over the layers that gives the constant of Lemma B.2",
    bound="8**l/7",
    premises="none needed: the norms 3/2 and 4 that Lemma B.2 assumes are in the recursion",
    regime=Regime(cells=grid()),
    measured=["l"],
    evidence=Proof(margin="6^(l-1) in place of 8^l/7 would do"),
    controls=[
        control("the recursion in print", own=(4, 4), carried=8),
        control("inputs of norm 1 and 3/2 in the printed recursion", own=(2, 3), carried=8),
        control("inputs of norm 2 in the first layer", own=(2, Fraction(3, 2))),
        control("5^(l-1)", bound="5**(l-1)"),
    ],
    note="the recursion in print, d_l <= 4 + 8 d_(l-1), sums to 4 (8^l - 1)/7, at least 7/2 times the 8^l/7 in print",
)
def recursion_over_layers(
    bound: Bound, *, own: tuple[Fraction | int, Fraction | int] = (1, Fraction(3, 2)), carried: int = 4
) -> list[Step]:
    """The recursion d_1 <= ||x_0|| = 1, d_l <= ||x_{l-1}|| + ||W~_l|| d_{l-1} <= 3/2 + 4 d_{l-1}, by induction. d_l is
    ||x~_l - x_l||/tau. `own` is what a layer's step adds, in the first and above; `carried` multiplies d_{l-1}."""
    first, above = own
    moves: list[Fraction] = [Fraction(first)]
    while len(moves) < 12:
        moves.append(above + carried * moves[-1])
    compared = [below_at(Bound(sympy.Rational(move)), bound, {"l": layer}) for layer, move in enumerate(moves, 1)]
    # From l = k + 1 to l + 1, with 8^k = 1 + u.
    k, u = sympy.Symbol("k", nonnegative=True, integer=True), sympy.Symbol("u", nonnegative=True)
    at = [sympy.expand(bound.expr.subs(symbol("l"), k + step)) for step in (1, 2)]
    left = sympy.expand((at[1] - carried * at[0] - sympy.Rational(above)).subs(8**k, 1 + u))
    return [
        Step("it is met at l = 1, and not violated up to l = 12", met_from_the_first(compared)),
        Step("if it is met at l then at l + 1, as 8^(l-1) >= 1", is_nonnegative(left)),
    ]


@claim(
    "zou2018:eq-B.3",
    bound=sheet.eq_B_3.reads("8**L*tau"),
    ceiling="4**l + 3*tau/2 + 6",  # Proof of eq. (B.3)
    premises=[sheet.lemma_B_2_norms.reads("normW <= 4"), sheet.lemma_B_2_outputs.reads("r <= 3/2")],
    regime=OUTPUTS,
    measured=["normW", "r", "l"],
    evidence=OUTPUTS_SEARCH,
    controls=[
        control("the bound on the outputs one layer below", bound="8**(L - 1)*tau/7", cells=NARROW_OUTPUTS),
        control("growth 5/2 a layer", bound="(5/2)**L*tau", cells=DEEP_OUTPUTS),
        control("growth linear in the depth", bound="4*L*tau", cells=DEEP_OUTPUTS),
        control("weights of norm 100 allowed", limit=100.0, cells=NARROW_OUTPUTS, without=sheet.lemma_B_2_norms),
        control("inputs of norm 9", length=9.0, cells=NARROW_OUTPUTS[:1], without=sheet.lemma_B_2_outputs),
    ],
    note="an eighth of the bound can be met at L = 1, less beyond: 8^L is above 2 + 4 * 8^L/7, B.2 loose, see sharp",
    idle={"reach": 0.0},
)
def layer_pre_activations(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    d: int,
    tau: float,
    weights: str,
    *,
    limit: float = PERTURBED_NORM,
    length: float = 1.0,
    reach: float = 1.0,
) -> Measured:
    """The change ||W~_l^T x~_{l-1} - W_l^T x_{l-1}||_2 of every layer, all ||W~_l - W_l||_2 being tau at most; normW is
    the largest ||W~_l||_2, r the largest ||x_l||_2."""
    return _moved_pre_activations(*_shifts(rng, data, m, L, d, tau, weights, limit, length, reach), first=1)


@claim(
    "zou2018:eq-B.3-sharp",
    title="stability of the pre-activations, with the norms 1 and 3/2 of the inputs and the sharp form of Lemma B.2",
    bound="tau*(3*4**(l - 1) - 1)/2",
    premises=[sheet.lemma_B_2_norms.reads("normW <= 4"), sheet.lemma_B_2_outputs.reads("r <= 3/2")],
    regime=replace(OUTPUTS, cells=[*OUTPUTS.cells, *FOUR_LAYERS]),
    measured=["normW", "r", "l"],
    evidence=OUTPUTS_SEARCH,
    controls=[
        control("bound 1 % smaller", bound="99*(3*4**(l - 1) - 1)*tau/200", cells=DEEP_OUTPUTS),
        control(
            "a parabola from 10 on that meets it at three layers",
            bound="(27*l**2 - 63*l + 40)*tau/4",
            cells=FOUR_LAYERS,
        ),
        control("moved inputs of the layer forgotten: 3/2 tau", bound="3*tau/2", cells=DEEP_OUTPUTS),
        control("outputs taken to have norm 1: 1/3 of 4^l - 1", bound="(4**l - 1)*tau/3", cells=DEEP_OUTPUTS),
        control("weights of norm 4.1 allowed", limit=4.1, cells=DEEP_OUTPUTS, without=sheet.lemma_B_2_norms),
        control("inputs of norm 1.6", length=1.6, cells=DEEP_OUTPUTS, without=sheet.lemma_B_2_outputs),
    ],
    note="attained as tau falls by weights of two channels, one for x and one that stretches what steps add",
    idle={"reach": 0.0},
)
def layer_pre_activations_sharply(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    d: int,
    tau: float,
    weights: str,
    *,
    limit: float = PERTURBED_NORM,
    length: float = 1.0,
    reach: float = 1.0,
) -> Measured:
    """The change ||W~_l^T x~_{l-1} - W_l^T x_{l-1}||_2 at l = L, all ||W~_k - W_k||_2 being tau at most; normW is the
    largest ||W~_k||_2, r the largest ||x_k||_2."""
    return _moved_pre_activations(*_shifts(rng, data, m, L, d, tau, weights, limit, length, reach), first=L)


@claim(
    "zou2018:eq-B.1-telescoping",
    bound="= 0",
    premises="none needed: an identity of all matrices and masks whose shapes fit",
    regime=Regime(cells=grid(L=[2, 3, 5], m=12), thorough=grid(L=[4, 8], m=64)),
    evidence=Search(examples=30, adversary="masks of fair coins, unrelated Gaussian weights, widths between m and 2m"),
    controls=[
        control("factors of each term in reverse order", reverse=True),
        control("last term dropped", dropped=1),
        control("perturbed factors on both sides", perturbed_left=True),
        control("perturbed weights in both parts of a change", perturbed_split=True),
    ],
)
def telescoping_sum(
    rng: Generator,
    m: int,
    L: int,
    *,
    reverse: bool = False,
    dropped: int = 0,
    perturbed_left: bool = False,
    perturbed_split: bool = False,
) -> Measured:
    """All entries of prod_{r=l}^{L} A~_r - prod_{r=l}^{L} A_r less its telescoped sum, A_r = Sigma_r W_r^T, for all l.
    The change of a factor is (Sigma~ - Sigma) W^T + Sigma~ (W~ - W)^T, with A above it and A~ below. Each entry is
    allowed the rounding error of its own sum of products, of the size of that sum with absolute values in it."""
    widths = [m] * (L + 1) if reverse else [int(k) for k in rng.integers(m, 2 * m, L + 1, endpoint=True)]
    (weights, masks), (moved, flipped) = random_layers(widths, rng), random_layers(widths, rng)
    factors, perturbed = masked_factors(weights, masks), masked_factors(moved, flipped)
    layers = list(zip(weights, moved, masks, flipped, strict=True))
    changes = [
        (after - before)[:, None] * (V if perturbed_split else W).T + after[:, None] * (V - W).T
        for W, V, before, after in layers
    ]
    sizes = [
        abs(after - before)[:, None] * abs(W).T + after[:, None] * (abs(V) + abs(W)).T for W, V, before, after in layers
    ]

    plain, sized = [abs(A) for A in factors], [abs(A) for A in perturbed]
    left = perturbed if perturbed_left else factors
    gaps, magnitudes = [], []
    for first, width in enumerate(widths[:-1]):
        both = product(perturbed[first:], width) - product(factors[first:], width)
        gaps.append(both - telescoped(left[first:], changes[first : L - dropped], perturbed[first:], reverse=reverse))
        most = product(sized[first:], width) + product(plain[first:], width)
        magnitudes.append(most + telescoped(plain[first:], sizes[first : L - dropped], sized[first:], reverse=reverse))
    magnitude = np.concatenate([part.ravel() for part in magnitudes])
    # Along one term the inner products are as long as each layer is wide, once or twice; then come the sums.
    operations = 2 * sum(widths) + L + 6
    return Measured(
        np.concatenate([part.ravel() for part in gaps]),
        error=rounding(1.0, operations) * magnitude,
        scale=float(magnitude.max()),
    )

"""zou2018, Lemma C.3 and its proof: the first-order expansion of the output in one gradient step.

Main claims: `output_moves` and `output_moves_by_measured_norms` (C.2), `expansion_remainder` and
`remainder_without_flips` (C.3), `telescoped_output_change` (D.2), `linear_term_of_the_loss` (C.5).
"""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
from hypothesis import strategies as st

from bounds import zou2018 as sheet
from bounds.formula import formula
from nets.adversaries import random_perturbation
from nets.data import DataSource
from nets.forward import forward
from nets.gradients import backward, loss_coefficients, loss_gradient, rank_one_pairs
from nets.losses import LOGISTIC
from nets.network import Network, balanced_signs, he_network, perturbed
from nets.operators import flip_counts, layer_norms, operator_norm
from properties.semi_smoothness.measurements import (
    absolute,
    aligned,
    arriving,
    forward_size,
    gradient_size,
    linear_size,
    linear_terms,
    lower_kink,
    operations,
    own_kink,
    uneven_widths,
)
from properties.smoothness.measurements import (
    BELOW,
    LOSSES,
    Array,
    GradientStep,
    region_symbols,
    same_points,
    step_in_region,
    step_size,
    two_channels,
    widths,
)
from theory.claim import claim, control
from theory.evidence import Scaling, Search
from theory.measured import Measured, rounding
from theory.regime import Regime, grid, reals

# Where a factor of the bound is seen best, and a wrong one refuted at once.
ONE_LAYER = grid(L=1, M=32, n=8, d=8)

LOSS = st.integers(0, len(LOSSES) - 1)
CHANNELS = "equal samples, all neurons active, gradients along the largest norms"


@claim(
    "zou2018:lemma-C.3",
    bound=sheet.lemma_C_3,
    premises=sheet.lemma_C_2_premises,
    regime=Regime(
        cells=grid(L=[1, 2, 3], M=32, n=8, d=8),
        thorough=grid(L=[2, 4], M=128, n=4, d=[8, 64]),
        draw={
            "worst": st.integers(0, 1),
            "loss": LOSS,
            "size": reals(1e-4, 1.0, logarithmic=True),
            "moved": reals(0.0, 0.99),
        },
        pinned=[{"worst": 1, "loss": 1, "size": 1.0, "moved": 0.0, "trial": 0}],
    ),
    measured=["S1abs", "eta", "tau", "normW", "r"],
    evidence=Search(examples=25, adversary=CHANNELS),
    controls=[
        control("a fifth of the bound", bound=formula("2**(5*L)*M*eta/(35*n)*S1abs"), cells=ONE_LAYER),
        control("mean over the samples taken twice", bound=formula("2**(5*L)*M*eta/(7*n**2)*S1abs")),
        control("output weights taken to have norm 1", bound=formula("2**(5*L)*sqrt(M)*eta/(7*n)*S1abs")),
        control("norms of the columns for the norm of a layer", norm=12.0, columns=True),
    ],
    note="the part (C.2) of the lemma, whose constants are explicit; for (C.3) see the variants remainder and exponent",
)
def output_moves(
    rng: np.random.Generator,
    data: DataSource,
    L: int,
    M: int,
    n: int,
    d: int,
    worst: int,
    loss: int,
    size: float,
    moved: float,
    *,
    norm: float = 3.5,
    columns: bool = False,
) -> Measured:
    """|Delta_i|, the change of every output, from an iterate in the region to the next one.

    At the worst centre the layers move furthest, and the last one along the output weights.
    """
    X, y = data.draw(n, d, rng)
    channels = (1.5 * BELOW, norm * BELOW) if worst else None
    centre, step = step_in_region(rng, X, y, widths(X.shape[1], M, L), LOSSES[loss], size, moved, channels)
    return Measured(
        np.abs(step.end.output - step.start.output),
        error=_output_error(step),
        symbols=region_symbols(centre, step, columns=columns),
    )


def _output_error(step: GradientStep) -> Array:
    """Rounding-error bound of the difference of the outputs: (n,)."""
    sizes = [forward_size(step.before, step.start)[-1], forward_size(step.after, step.end)[-1]]
    return rounding(1.0, operations(step.before)) * (sizes[0] + sizes[1]) @ np.abs(step.before.v)


@claim(
    "zou2018:lemma-C.3",
    variant="sharp",
    bound=sheet.lemma_C_3_sharp,
    regime=Regime(
        cells=grid(L=[1, 2, 3, 4], m=32, n=4, d=8),
        thorough=grid(L=[2, 5], m=128, n=4, d=[8, 64]),
        draw={
            "worst": st.integers(0, 1),
            "loss": LOSS,
            "norm": reals(0.25, 16.0, logarithmic=True),
            "size": reals(1e-3, 10.0, logarithmic=True),
        },
        pinned=[{"worst": 1, "loss": 1, "norm": 4.0, "size": 1e-3, "trial": 0}],
    ),
    measured=["S1abs", "eta", "prodW"],
    evidence=Search(examples=25, adversary=CHANNELS),
    controls=[
        control("half of the last neurons taken to be active", bound=formula("prodW*m/2*eta/n*S1abs")),
        control("one neuron in twelve missed", bound=formula("11/12*prodW*m*eta/n*S1abs")),
        control("norm of the output weights left out", bound=formula("prodW*sqrt(m)*eta/n*S1abs")),
    ],
    note="(C.2) without premises: weights of any norm, steps of any size, iterates anywhere",
)
def output_moves_by_measured_norms(
    rng: np.random.Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    worst: int,
    loss: int,
    norm: float,
    size: float,
) -> Measured:
    """|Delta_i| against the measured norms of all layers; the step takes the share `size` of `norm`."""
    X, y = data.draw(n, d, rng)
    sizes = widths(X.shape[1], m, L)
    if worst:
        X, y = same_points(X, y)
        net = two_channels(X[0], sizes[1:], 1.0, norm)
    else:
        net = he_network(sizes, rng, gain=norm**2 / 4.0)
    step = GradientStep.of(net, X, y, LOSSES[loss], step_size(net, X, y, LOSSES[loss], size * norm))
    return Measured(
        np.abs(step.end.output - step.start.output),
        error=_output_error(step),
        symbols={
            "S1abs": step.derivatives.sum(),
            "eta": step.eta,
            "prodW": step.stretched(step.own_moves)[-1],
        },
    )


@claim(
    "zou2018:lemma-C.3",
    variant="remainder",
    title="change of the output in one gradient step beyond first order, by measured norms",
    bound=sheet.lemma_C_3_certified,
    regime=Regime(
        cells=grid(L=[1, 2, 3], m=32, n=2, d=8),
        thorough=grid(L=[2, 4], m=128, n=4, d=[8, 64]),
        draw={
            "weights": st.integers(0, 3),
            "loss": LOSS,
            "norm": reals(1.0, 8.0),
            "size": reals(1e-4, 1.0, logarithmic=True),
        },
        pinned=[{"weights": kind, "loss": 0, "norm": 3.5, "size": 1e-3, "trial": 0} for kind in range(4)],
    ),
    measured=["S1abs", "eta", "SumGam", "prodW"],
    evidence=Search(examples=40, adversary="neurons placed just before their kink; layers that move along themselves"),
    controls=[
        control("flips left out", bound=formula("prodW*m**(3/2)*eta**2*S1abs**2/n**2")),
        control(
            "flips taken to happen halfway through the step",
            bound=formula("SumGam/2 + prodW*m**(3/2)*eta**2*S1abs**2/n**2"),
        ),
        control("second-order term left out", bound=formula("SumGam")),
        control(
            "half of the last neurons taken to be active",
            bound=formula("SumGam + prodW*(m/2)**(3/2)*eta**2*S1abs**2/n**2"),
        ),
        control("flips through the layer's own weights alone", lower=False),
        control("first-order term of the last layer alone", last_only=True),
    ],
    note="(C.3) from both sides, with measured quantities where the lemma has the constant of Lemma B.1: the "
    "flip term through (D.3) and (D.4), the second-order term through (D.6); no premise",
)
def expansion_remainder(
    rng: np.random.Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    weights: int,
    loss: int,
    norm: float,
    size: float,
    *,
    lower: bool = True,
    last_only: bool = False,
) -> Measured:
    """|Delta_i - sum_l y_i v^T u_{l,i}|, less what rounding explains.

    Besides Gaussian weights there are three in which one source of the remainder is as large as it can be:
    flips by the last layer's own step, flips by the layers below, and the second-order term without flips.
    """
    X, y = data.draw(n, d, rng)
    sizes = widths(X.shape[1], m, L)
    if weights:
        X, y = same_points(X, y)
        kinds = (partial(own_kink, longest=size * norm), lower_kink, aligned)
        net = kinds[weights - 1 if L > 1 else 0](X[0], sizes[1:], norm)
    else:
        net = he_network(sizes, rng, gain=norm**2 / 4.0)
    step = GradientStep.of(net, X, y, LOSSES[loss], step_size(net, X, y, LOSSES[loss], size * norm))
    remainder = np.abs(_beyond_first_order(step, slice(L - 1 if last_only else 0, L)))

    gradients = gradient_size(net, step.start, loss_coefficients(step.start, y, LOSSES[loss]))
    linear = linear_size(net, step.start, gradients, step.eta).sum(axis=1)
    error = 2.0 * _output_error(step) + rounding(1.0, 3 * operations(net)) * linear
    return Measured(
        np.maximum(remainder - error, 0.0),
        symbols={
            "S1abs": step.derivatives.sum(),
            "eta": step.eta,
            "SumGam": _flip_terms(step, lower).sum(axis=1),
            "prodW": _second_order_norms(step).sum(),
        },
    )


def _beyond_first_order(step: GradientStep, layers: slice) -> Array:
    """The change of the outputs less the linear terms of the given layers: (n,)."""
    terms = linear_terms(step.before, step.start, step.gradients, step.eta)
    return np.asarray(step.end.output - step.start.output - terms[:, layers].sum(axis=1))


def _flip_terms(step: GradientStep, lower: bool) -> Array:
    """The backward vector on the flipped neurons, in 2-norm, times the right side of (D.3): (n, L)."""
    terms = []
    for layer, back in enumerate(arriving(step.before, step.start)):
        flipped = step.end.masks[layer] - step.start.masks[layer]
        own = step.eta * operator_norm(step.gradients[layer]) * np.linalg.norm(step.end.post[layer], axis=1)
        below = step.norms_before[layer] * step.outputs[:, layer] if lower else 0.0
        terms.append(np.linalg.norm(back * flipped, axis=1) * (own + below))
    return np.stack(terms, axis=1)


def _second_order_norms(step: GradientStep) -> Array:
    """What layer l adds to the prodW of the bound, for l = 1..L: (L,)."""
    below = np.concatenate([[0.0], step.stretched(step.own_moves)[:-1]])
    return step.downstream**2 * layer_norms(step.start).max(axis=0)[:-1] * below


@claim(
    "zou2018:lemma-C.3",
    variant="exponent",
    title="order of the change of the output beyond first order where no activation flips",
    bound=sheet.lemma_C_3_exponent,
    regime=Regime(
        calibration=grid(eta=[3e-4, 1e-3], L=3, M=32, n=4, d=8),
        cells=grid(eta=[1e-6, 3e-6, 1e-5, 3e-5], L=3, M=32, n=4, d=8),
    ),
    evidence=Scaling({"eta": "equal"}, constant="C"),
    controls=[
        control("first order in the step", bound=formula("C*eta", sheet.lemma_C_3_exponent.constants)),
        control("order 41/20 in the step", bound=formula("C*eta**(41/20)", sheet.lemma_C_3_exponent.constants)),
        control("one layer missing from the first-order term", missing=1),
    ],
    note="where no activation flips, the flip term of (C.3) is zero; in units of the remainder of the same "
    "network at the step size 1e-4, so that the spread over networks does not blur the exponent",
)
def remainder_without_flips(
    rng: np.random.Generator,
    data: DataSource,
    eta: float,
    L: int,
    M: int,
    n: int,
    d: int,
    *,
    missing: int = 0,
) -> float:
    """The largest |Delta_i - sum_l y_i v^T u_{l,i}| at Gaussian weights, drawn until no activation flips."""
    X, y = data.draw(n, d, rng)
    while True:
        net = he_network((X.shape[1], *[M] * L), rng)
        steps = [GradientStep.of(net, X, y, LOGISTIC, size) for size in (eta, 1e-4)]
        if not any(flip_counts(step.start, step.end).any() for step in steps):
            break
    found, unit = (np.abs(_beyond_first_order(step, slice(missing, L))).max() for step in steps)
    return float(found / unit)


@claim(
    "zou2018:eq-D.2",
    sense="=",
    bound=sheet.eq_D_2,
    regime=Regime(
        cells=grid(L=[1, 2, 4], m=12, n=3, d=5),
        thorough=grid(L=[3, 6], m=64, n=4, d=[5, 64]),
        draw={"pair": st.integers(0, 3), "loss": LOSS, "size": reals(1e-6, 10.0, logarithmic=True)},
        pinned=[{"pair": pair, "loss": 0, "size": 1.0, "trial": 0} for pair in range(4)],
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
    note="with integer weights and inputs both sides are integers that float64 holds exactly, and no "
    "difference at all is allowed",
)
def telescoped_output_change(
    rng: np.random.Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    pair: int,
    loss: int,
    size: float,
    *,
    left_after: bool = False,
    right_before: bool = False,
    flips: bool = True,
    gates_after: bool = False,
    flip_before: bool = False,
    first: int = 0,
) -> Measured:
    """The change of all outputs between two networks less the sum (D.2) over the layers."""
    X, y = data.draw(n, d, rng)
    sizes = uneven_widths(X.shape[1], m, L)
    if pair == 0:
        X = rng.integers(-1, 2, X.shape).astype(np.float64)
        net, other = _integer_network(sizes, rng), _integer_network(sizes, rng)
    else:
        net = he_network(sizes, rng)
        eta = step_size(net, X, y, LOSSES[loss], size)
        other = (
            he_network(sizes, rng, gain=2.0 * size),
            GradientStep.of(net, X, y, LOSSES[loss], eta).after,
            perturbed(net, [random_perturbation(W, size, rng, "rank_one") for W in net.weights]),
        )[pair - 1]
    start, end = forward(net, X), forward(other, X)
    left = arriving(other, end) if left_after else arriving(net, start)
    right = start if right_before else end
    weights_right = net if right_before or flip_before else other
    right_size = forward_size(other, end)
    left_size = arriving(absolute(net), start)

    total = end.output - start.output
    scale = (right_size[-1] + forward_size(net, start)[-1]) @ np.abs(net.v)
    for layer in range(first, L):
        W, moved = net.weights[layer], other.weights[layer] - net.weights[layer]
        gates = (end if gates_after else start).masks[layer]
        flipped = end.masks[layer] - start.masks[layer]
        if flips:
            total = total - np.sum(left[layer] * flipped * (right.post[layer] @ weights_right.weights[layer]), axis=1)
        total = total - np.sum(left[layer] * gates * (right.post[layer] @ moved), axis=1)
        scale = scale + np.sum(left_size[layer] * (right_size[layer] @ (2.0 * np.abs(W) + np.abs(moved))), axis=1)
    exact = pair == 0 and bool(scale.max() < 2.0**53)
    error = 0.0 if exact else rounding(1.0, 2 * operations(net)) * scale
    return Measured(total, error=error, scale=float(scale.max()))


def _integer_network(sizes: tuple[int, ...], rng: np.random.Generator) -> Network:
    """Weights -2, ..., 2 and balanced signs."""
    shapes = itertools.pairwise(sizes)
    return Network(tuple(rng.integers(-2, 3, shape).astype(float) for shape in shapes), balanced_signs(sizes[-1]))


@claim(
    "zou2018:eq-C.5",
    sense="=",
    bound=sheet.eq_C_5,
    regime=Regime(
        cells=grid(L=[1, 2, 4], m=12, n=[1, 5], d=5),
        thorough=grid(L=[3, 6], m=64, n=[4, 16], d=[5, 64]),
        draw={
            "loss": LOSS,
            "gain": reals(0.25, 8.0, logarithmic=True),
            "eta": reals(1e-6, 10.0, logarithmic=True),
            "same": st.integers(0, 1),
        },
        pinned=[{"loss": 0, "gain": 2.0, "eta": 0.1, "same": 0, "trial": 0}],
    ),
    measured=["normsq"],
    evidence=Search(examples=30),
    controls=[
        control("gradient of the next iterate in the linear term", next_gradient=True),
        control("gate of the layer itself left out", own_gate=False),
        control("operator norm for the Frobenius norm", norm="operator"),
        control("samples stepping for themselves alone", norm="diagonal"),
        control("mean over the samples taken once instead of twice", norm="summed"),
    ],
    note="the linear term runs forward through the layers, the gradient backward: an error in either shows",
)
def linear_term_of_the_loss(
    rng: np.random.Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    loss: int,
    gain: float,
    eta: float,
    same: int,
    *,
    next_gradient: bool = False,
    own_gate: bool = True,
    norm: str = "Frobenius",
) -> Measured:
    """(1/n) sum_i ell'_i y_i v^T u_{l,i} of every layer, beside -eta ||grad_{W_l} L_S||_F^2."""
    X, y = data.draw(n, d, rng)
    if same:
        X = np.tile(X[0], (n, 1))
    net = he_network(uneven_widths(X.shape[1], m, L), rng, gain=gain)
    step = GradientStep.of(net, X, y, LOSSES[loss], eta)
    coefficients = loss_coefficients(step.start, y, LOSSES[loss])
    gradients = loss_gradient(step.after, step.end, y, LOSSES[loss]) if next_gradient else step.gradients
    terms = coefficients @ linear_terms(net, step.start, gradients, eta, own_gate=own_gate)

    sizes = gradient_size(net, step.start, coefficients)
    scale = np.abs(coefficients) @ linear_size(net, step.start, sizes, eta)
    scale = scale + eta * np.array([np.sum(size**2) for size in sizes])
    counted = 3 * operations(net) + max(W.size for W in net.weights) + 4 * n
    return Measured(
        terms,
        error=rounding(1.0, counted) * scale,
        symbols={"normsq": _squared_norms(step, coefficients, norm)},
        scale=float(scale.max()) or 1.0,
    )


def _squared_norms(step: GradientStep, coefficients: Array, kind: str) -> Array:
    """The squared norms of the layer gradients, (L,), or what a control takes for them."""
    if kind == "operator":
        return np.array([operator_norm(G) ** 2 for G in step.gradients])
    if kind == "diagonal":
        pairs = rank_one_pairs(step.start, backward(step.before, step.start))
        return np.array(
            [np.sum((coefficients * np.linalg.norm(x, axis=1) * np.linalg.norm(b, axis=1)) ** 2) for x, b in pairs]
        )
    frobenius = np.array([np.sum(G**2) for G in step.gradients])
    return frobenius * len(coefficients) if kind == "summed" else frobenius

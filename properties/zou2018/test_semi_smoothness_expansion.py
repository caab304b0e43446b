"""zou2018, Lemmas C.3 and C.4: the first-order expansion of the output in one step, of all samples or of a batch."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from bounds.formula import formula
from bounds.papers import zou2018 as sheet
from nets.arrays import Array
from nets.data import DataSource
from nets.gradients import loss_coefficients, output_gradient
from nets.losses import LOGISTIC, Loss
from nets.network import Network, he_network
from nets.operators import flip_counts
from properties.zou2018.expansion import (
    HINGE_NUMBER,
    LOSS_NUMBER,
    draw_start,
    flip_terms,
    forward_size,
    gradient_size,
    linear_size,
    linear_terms,
    second_order_norms,
    two_pass_operations,
)
from properties.zou2018.gradient_step import (
    LOSSES,
    GradientStep,
    moved_off,
    region_symbols,
    same_points,
    step_in_region,
    step_size,
    two_channels,
    widths,
)
from properties.zou2018.limits import LAYER_NORM, OUTPUT_NORM
from properties.zou2018.perturbed_pass import USED
from theory.claim import claim, control
from theory.evidence import Scaling, Search
from theory.measured import Measured, rounding
from theory.regime import Regime, grid, reals

# Where a factor of the bound is seen best, and a wrong one refuted at once.
ONE_LAYER = grid(L=1, M=32, n=8, d=8)
ONE_SAMPLE = grid(L=1, M=32, n=8, B=1, d=8)

CHANNELS = "equal samples, all neurons active, gradients along the largest norms"


@claim(
    "zou2018:lemma-C.3",
    bound=sheet.lemma_C_3.reads("2**(5*L)*M*eta/(7*n)*S1abs"),
    premises=sheet.lemma_C_2_premises,
    ceiling=sheet.lemma_C_3_ceiling,
    regime=Regime(
        cells=grid(L=[1, 2, 3], M=32, n=8, d=8),
        thorough=grid(L=[2, 4], M=128, n=4, d=[8, 64]),
        draw={
            "worst": st.integers(0, 1),
            "loss": LOSS_NUMBER,
            "size": reals(1e-4, 1.0, logarithmic=True),
            "moved": reals(0.0, 0.99),
        },
        pinned=[{"worst": 1, "loss": 1, "size": size, "moved": 0.0, "trial": 0} for size in (1e-3, 0.1)],
    ),
    measured=["S1abs", "eta", "tau", "normW", "r"],
    evidence=Search(examples=25, adversary=CHANNELS),
    controls=[
        control("a fifth of the bound", bound=formula("2**(5*L)*M*eta/(35*n)*S1abs"), cells=ONE_LAYER),
        control("mean over the samples taken twice", bound=formula("2**(5*L)*M*eta/(7*n**2)*S1abs")),
        control("output weights taken to have norm 1", bound=formula("2**(5*L)*sqrt(M)*eta/(7*n)*S1abs")),
        control("norms of the columns for the norm of a layer", norm=12.0, columns=True),
    ],
    note="the part (C.2) of the lemma, whose constants are explicit; for (C.3) see the variants remainder, exponent; "
    "by Lemma B.2 no output moves further than sqrt(M) in the region, and a bound above that says nothing",
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
    norm: float = LAYER_NORM,
    columns: bool = False,
) -> Measured:
    """The size |Delta_i|, the change of every output, from an iterate in the region to the next one.

    At the worst centre the layers move furthest, and the last one along the output weights.
    """
    X, y = data.draw(n, d, rng)
    channels = (OUTPUT_NORM * USED, norm * USED) if worst else None
    centre, step = step_in_region(rng, X, y, widths(X.shape[1], M, L), LOSSES[loss], size, moved, channels)
    return Measured(
        np.abs(step.end.output - step.start.output),
        error=_output_error(step),
        symbols=region_symbols(centre, step, columns=columns),
    )


def _output_error(step: GradientStep) -> Array:
    """Rounding-error bound of the difference of the outputs: (n,)."""
    sizes = [forward_size(step.before, step.start)[-1], forward_size(step.after, step.end)[-1]]
    return rounding(1.0, two_pass_operations(step.before)) * (sizes[0] + sizes[1]) @ np.abs(step.before.v)


@claim(
    "zou2018:lemma-C.3",
    variant="sharp",
    bound=sheet.lemma_C_3_sharp.reads("prodW*m*eta/n*S1abs"),
    regime=Regime(
        cells=grid(L=[1, 2, 3, 4], m=32, n=4, d=8),
        thorough=grid(L=[2, 5], m=128, n=4, d=[8, 64]),
        draw={
            "worst": st.integers(0, 1),
            "loss": LOSS_NUMBER,
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
    """The change |Delta_i| against the measured norms of all layers; the step takes the share `size` of `norm`."""
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
    bound=sheet.lemma_C_3_certified.reads("SumGam + prodW*m**(3/2)*eta**2*S1abs**2/n**2"),
    regime=Regime(
        cells=grid(L=[1, 2, 3], m=32, n=2, d=8),
        thorough=grid(L=[2, 4], m=128, n=4, d=[8, 64]),
        draw={
            "weights": st.integers(0, 3),
            "loss": LOSS_NUMBER,
            "norm": reals(1.0, 8.0),
            "size": reals(1e-4, 1.0, logarithmic=True),
        },
        pinned=[{"weights": kind, "loss": 0, "norm": LAYER_NORM, "size": 1e-3, "trial": 0} for kind in range(4)],
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
    """The remainder |Delta_i - sum_l y_i v^T u_{l,i}|, less what rounding explains.

    Besides Gaussian weights there are three in which one source of the remainder is as large as it can be:
    flips by the last layer's own step, flips by the layers below, and the second-order term without flips.
    """
    X, y, net = draw_start(rng, data, L, m, n, d, weights, norm, size)
    step = GradientStep.of(net, X, y, LOSSES[loss], step_size(net, X, y, LOSSES[loss], size * norm))
    layers = slice(L - 1 if last_only else 0, L)
    return Measured(
        _remainder(step, loss_coefficients(step.start, y, LOSSES[loss]), layers),
        symbols={"S1abs": step.derivatives.sum(), **_remainder_symbols(step, lower)},
    )


def _remainder(step: GradientStep, coefficients: Array, layers: slice) -> Array:
    """How far the outputs move beyond first order, less what rounding explains: (n,)."""
    gradients = gradient_size(step.before, step.start, coefficients)
    linear = linear_size(step.before, step.start, gradients, step.eta).sum(axis=1)
    error = 2.0 * _output_error(step) + rounding(1.0, 3 * two_pass_operations(step.before)) * linear
    return np.maximum(np.abs(_beyond_first_order(step, layers)) - error, 0.0)


def _remainder_symbols(step: GradientStep, lower: bool) -> dict[str, float | Array]:
    """What bounds the remainder, but for the derivatives of the loss."""
    return {
        "eta": step.eta,
        "SumGam": flip_terms(step, lower).sum(axis=1),
        "prodW": second_order_norms(step).sum(),
    }


def _beyond_first_order(step: GradientStep, layers: slice) -> Array:
    """The change of the outputs less the linear terms of the given layers: (n,)."""
    terms = linear_terms(step.before, step.start, step.gradients, step.eta)
    return np.asarray(step.end.output - step.start.output - terms[:, layers].sum(axis=1))


@claim(
    "zou2018:lemma-C.3",
    variant="exponent",
    title="order of the change of the output beyond first order where no activation flips",
    bound=sheet.lemma_C_3_exponent.reads("C*eta**2"),
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


# --- mini-batches (Lemma C.4)

BATCH_KINKS = [{"weights": kind, "loss": 0, "norm": LAYER_NORM, "size": 1e-3, "trial": 0} for kind in range(4)]


def _batches(n: int, B: int) -> list[npt.NDArray[np.intp]]:
    """All batches of that size."""
    return [np.array(batch) for batch in itertools.combinations(range(n), B)]


def _one_against_all(X: Array, y: Array) -> tuple[Array, Array]:
    """Equal samples, the last one labelled -1 and the others +1.

    At the weights `_tilted` the hinge loss has the derivative -1 at that one and 0 at the others, which lie beyond
    the margin, so that what moves them is a batch that holds none of them.
    """
    X, y = same_points(X, y)
    y[-1] = -1.0
    return X, y


def _tilted(x: Array, sizes: tuple[int, ...], signal: float, norm: float) -> Network:
    """`two_channels` with four neurons of sign -1 dead, so that the output is above 0."""
    return two_channels(x, sizes, signal, norm, dead=range(-4, 0))


@claim(
    "zou2018:lemma-C.4",
    bound=sheet.lemma_C_4.reads("2**(5*L)*M*eta/(7*B)*SBabs"),
    premises=sheet.lemma_C_2_premises,
    ceiling=sheet.lemma_C_3_ceiling,
    regime=Regime(
        cells=grid(L=[1, 2], M=32, n=8, B=[1, 2], d=8),
        thorough=grid(L=3, M=64, n=6, B=[1, 3, 6], d=[8, 64]),
        draw={
            "worst": st.integers(0, 1),
            "loss": LOSS_NUMBER,
            "size": reals(1e-4, 1.0, logarithmic=True),
            "moved": reals(0.0, 0.99),
        },
        pinned=[{"worst": 1, "loss": HINGE_NUMBER, "size": 1e-3, "moved": 0.0, "trial": 0}],
    ),
    measured=["S1abs", "SBabs", "eta", "tau", "normW", "r"],
    evidence=Search(examples=10, adversary=f"all batches; {CHANNELS}; one sample alone short of the margin"),
    controls=[
        control("divided by the number of samples", bound=formula("2**(5*L)*M*eta/(7*n)*SBabs"), cells=ONE_SAMPLE),
        control("mean over all samples", bound=formula("2**(5*L)*M*eta/(7*n)*S1abs"), cells=ONE_SAMPLE),
        control("a sample moved by its own derivative alone", own=True),
        control("output weights taken to have norm 1", bound=formula("2**(5*L)*sqrt(M)*eta/(7*B)*SBabs")),
    ],
    note="the part (C.11), with the absolute value that the print leaves out; for (C.12) see the variant remainder",
)
def output_moves_in_a_batch_step(
    rng: np.random.Generator,
    data: DataSource,
    L: int,
    M: int,
    n: int,
    B: int,
    d: int,
    worst: int,
    loss: int,
    size: float,
    moved: float,
    *,
    own: bool = False,
) -> Measured:
    """The changes of all outputs, of samples in the batch and outside, for every batch from one iterate in the region.

    `own` puts the derivative of each sample for the mean over the batch.
    """
    X, y = data.draw(n, d, rng)
    sizes = widths(X.shape[1], M, L)
    centre = he_network(sizes, rng)
    if worst:
        X, y = _one_against_all(X, y)
        # The two channels of the last layer are not quite orthogonal there, which adds to its norm.
        centre = _tilted(X[0], sizes[1:], OUTPUT_NORM * USED, 3.4)
    net, left = moved_off(rng, centre, moved)
    steps = _batch_steps(net, X, y, LOSSES[loss], size * left, _batches(n, B))
    slopes = np.abs(LOSSES[loss].derivative(y * steps[0].start.output))
    regions = [region_symbols(centre, step) for step in steps]
    return Measured(
        np.stack([np.abs(step.end.output - step.start.output) for step in steps]),
        error=np.stack([_output_error(step) for step in steps]),
        symbols={
            **{name: max(region[name] for region in regions) for name in ("tau", "normW", "r")},
            "eta": np.array([[step.eta] for step in steps]),
            "S1abs": float(slopes.sum()),
            "SBabs": B * slopes if own else np.array([[step.derivatives.sum()] for step in steps]),
        },
    )


def _batch_steps(
    net: Network, X: Array, y: Array, loss: Loss, longest: float, batches: Sequence[npt.NDArray[np.intp]]
) -> list[GradientStep]:
    """One step for each batch, all from the same weights, each of the given length; not where the loss is flat."""
    steps = [GradientStep.of(net, X, y, loss, step_size(net, X, y, loss, longest, b), b) for b in batches]
    return [step for step in steps if step.derivatives.any()] or steps[:1]


@claim(
    "zou2018:lemma-C.4",
    variant="sharp",
    bound=sheet.lemma_C_4_sharp.reads("prodW*m*eta/B*SBabs"),
    regime=Regime(
        cells=grid(L=[1, 2, 3], m=32, n=4, B=[1, 3], d=8),
        thorough=grid(L=[2, 4], m=128, n=6, B=[1, 3, 6], d=[8, 64]),
        draw={
            "worst": st.integers(0, 1),
            "loss": LOSS_NUMBER,
            "norm": reals(0.25, 16.0, logarithmic=True),
            "size": reals(1e-3, 1.0, logarithmic=True),
        },
        pinned=[{"worst": 1, "loss": HINGE_NUMBER, "norm": 4.0, "size": 1e-3, "trial": 0}],
    ),
    measured=["S1abs", "SBabs", "eta", "prodW"],
    evidence=Search(examples=8, adversary=f"all batches; {CHANNELS}; one sample alone short of the margin"),
    controls=[
        control("half of the last neurons taken to be active", bound=formula("prodW*m/2*eta/B*SBabs")),
        control("divided by the number of samples", bound=formula("prodW*m*eta/n*SBabs")),
        control("mean over all samples", bound=formula("prodW*m*eta/n*S1abs")),
        control("a sample moved by its own derivative alone", own=True),
    ],
    note="(C.11) without premises: weights of any norm, steps of any size, iterates anywhere",
)
def output_moves_in_a_batch_step_by_measured_norms(
    rng: np.random.Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    B: int,
    d: int,
    worst: int,
    loss: int,
    norm: float,
    size: float,
    *,
    own: bool = False,
) -> Measured:
    """The changes of all outputs for every batch from the same weights, against the measured norms of all layers."""
    X, y = data.draw(n, d, rng)
    sizes = widths(X.shape[1], m, L)
    net = he_network(sizes, rng, gain=norm**2 / 4.0)
    if worst:
        X, y = _one_against_all(X, y)
        net = _tilted(X[0], sizes[1:], OUTPUT_NORM, norm)
    steps = _batch_steps(net, X, y, LOSSES[loss], size * norm, _batches(n, B))
    slopes = np.abs(LOSSES[loss].derivative(y * steps[0].start.output))
    return Measured(
        np.stack([np.abs(step.end.output - step.start.output) for step in steps]),
        error=np.stack([_output_error(step) for step in steps]),
        symbols={
            "eta": np.array([[step.eta] for step in steps]),
            "prodW": np.array([[step.stretched(step.own_moves)[-1]] for step in steps]),
            "S1abs": float(slopes.sum()),
            "SBabs": B * slopes if own else np.array([[step.derivatives.sum()] for step in steps]),
        },
    )


@claim(
    "zou2018:lemma-C.4",
    variant="remainder",
    title="change of the output in one mini-batch step beyond first order, by measured norms",
    bound=sheet.lemma_C_4_certified.reads("SumGam + prodW*m**(3/2)*eta**2*SBabs**2/B**2"),
    regime=Regime(
        cells=grid(L=[1, 2], m=32, n=3, B=[1, 2], d=8),
        thorough=grid(L=[2, 4], m=64, n=4, B=[1, 2, 4], d=[8, 64]),
        draw={
            "weights": st.integers(0, 3),
            "loss": LOSS_NUMBER,
            "norm": reals(1.0, 8.0),
            "size": reals(1e-4, 1.0, logarithmic=True),
        },
        pinned=BATCH_KINKS,
    ),
    measured=["SBabs", "eta", "SumGam", "prodW"],
    evidence=Search(examples=6, adversary="all batches; neurons placed just before their kink; aligned layers"),
    controls=[
        control("flips left out", bound=formula("prodW*m**(3/2)*eta**2*SBabs**2/B**2")),
        control("second-order term left out", bound=formula("SumGam")),
        control("gradient of all samples in the first-order term", full=True),
        control("flips through the layer's own weights alone", lower=False),
        control("first-order term of the last layer alone", last_only=True),
    ],
    note="(C.12) from both sides, with measured quantities where the lemma has the constant of Lemma B.1; no premise",
)
def expansion_remainder_in_a_batch_step(
    rng: np.random.Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    B: int,
    d: int,
    weights: int,
    loss: int,
    norm: float,
    size: float,
    *,
    lower: bool = True,
    last_only: bool = False,
    full: bool = False,
) -> Measured:
    """The remainder |Delta_i - sum_l y_i v^T u_{l,i}| of every sample and batch, u with the gradient of the batch.

    `full` puts the gradient of all samples into u.
    """
    X, y, net = draw_start(rng, data, L, m, n, d, weights, norm, size)
    layers = slice(L - 1 if last_only else 0, L)
    found, known = [], []
    for batch in _batches(n, B):
        eta = step_size(net, X, y, LOSSES[loss], size * norm, batch)
        step = GradientStep.of(net, X, y, LOSSES[loss], eta, batch)
        coefficients = loss_coefficients(step.start, y, LOSSES[loss], None if full else batch)
        first_order = replace(step, gradients=output_gradient(net, step.start, coefficients))
        found.append(_remainder(first_order, coefficients, layers))
        known.append({"SBabs": step.derivatives.sum(), **_remainder_symbols(step, lower)})
    symbols = {name: np.stack([np.broadcast_to(k[name], found[0].shape) for k in known]) for name in known[0]}
    return Measured(np.stack(found), symbols=symbols)

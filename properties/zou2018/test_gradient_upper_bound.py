"""zou2018, Section 3.4 and Lemma B.6: the gradient of a layer in closed form, and how large it can be.

Main claims: `layer_gradients` (the closed form, Section 3.4) and `gradient_norms_of_layers` (Lemma B.6).
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.random import Generator

from bounds.papers import zou2018 as sheet
from nets.core.arrays import Array
from nets.data.labelled import DataSource
from nets.data.points import ARRANGEMENTS, arranged
from nets.descent.training import draw_batch
from nets.networks.forward import Forward, forward
from nets.networks.gradients import backward, gradient_norms, loss_coefficients, loss_gradient, output_gradient
from nets.networks.losses import HUBERISED_HINGE, LOGISTIC, SQUARED_HINGE
from nets.networks.network import Network, gaussian_network, he_network
from properties.zou2018.descent import scaled_to_norm
from properties.zou2018.gradient_step import named
from properties.zou2018.layer_gradients import Line, drawn_lines, output_operations, output_scale, saturating_network
from properties.zou2018.limits import PERTURBED_NORM
from properties.zou2018.perturbed_pass import ALLOWED_SHARE, WIDE, norm_above
from properties.zou2018.risk_slopes import loss_slopes
from theory.claims import Measured, Regime, choices, claim, control, grid, rounding
from theory.evidence import Search

# Errors are quoted against the largest slope seen, or against this where a network is silent.
ORDER = 1.0

NETWORKS = Regime(cells=grid(L=[1, 2, 3], m=12, n=3, d=5), thorough=grid(L=[2, 4], m=[8, 24], n=[2, 5], d=[5, 30]))


def _right_factors(net: Network, fwd: Forward, form: str) -> tuple[Array, ...]:
    """b_{l,i}, the factor to the right of x_{l-1,i}: L arrays (n, m_l); `form` names a slip in writing it."""
    true = backward(net, fwd)
    arriving = np.tile(net.v, (fwd.output.size, 1))
    if form == "last gate missing":
        return (*true.q[1:], arriving)
    if form == "no gates":
        return backward(net, replace(fwd, masks=tuple(map(np.ones_like, fwd.masks)))).b
    if form == "gates of another sample":
        return backward(net, replace(fwd, masks=tuple(np.roll(mask, 1, axis=0) for mask in fwd.masks))).b
    if form == "transposed":
        turned = tuple(np.ascontiguousarray(W.T) for W in net.weights[1:])
        return backward(Network((net.weights[0], *turned), net.v), fwd).b
    if form == "gate on the wrong side":
        found = [arriving]
        for W, mask in zip(net.weights[:0:-1], fwd.masks[:0:-1], strict=True):
            found.append(mask * (found[-1] @ W.T))
        return tuple(reversed(found))
    return true.b


@claim(
    "zou2018:fact-gradient",
    bound=sheet.fact_gradient.reads("0"),
    premises="none needed: differentiable off the kinks, and each line ends before the nearest one",
    sense="=",
    regime=NETWORKS,
    evidence=Search(examples=15, adversary="random directions, along which no error of an entry cancels"),
    controls=[
        control("last gate missing", form="last gate missing"),
        control("gate on the wrong side of the weights", form="gate on the wrong side"),
        control("transposed product", form="transposed"),
        control("gates of another sample", form="gates of another sample"),
    ],
    note="f is affine in one layer while no gate changes: its quotient is exact but for rounding; W is initial",
    scope="as printed: the gradient of f; that of L_S is the variant risk",
)
def layer_gradients(rng: Generator, data: DataSource, m: int, L: int, n: int, d: int, *, form: str = "") -> Measured:
    """The <x_{l-1} v^T (prod_{r>l} Sigma_r W_r^T) Sigma_l, E> less f's difference quotient on Gaussian E, each l, i."""
    X, y = data.draw(n, d, rng)
    net, lines = drawn_lines(rng, X, y, (X.shape[1], *[m] * L))
    fwd = forward(net, X)
    differences, errors, size = [], [], ORDER
    for layer, ((E, line), right) in enumerate(zip(lines, _right_factors(net, fwd, form), strict=True), start=1):
        left = fwd.post[layer - 1]
        closed = np.sum((left @ E) * right, axis=1)
        scale = np.sum((np.abs(left) @ np.abs(E)) * _absolute_right(net, fwd, layer), axis=1)
        differences.append(closed - line.output_slopes)
        errors.append(line.output_error + rounding(1.0, output_operations(net)) * scale)
        size = max(size, float(np.abs(line.output_slopes).max()))
    return Measured(np.array(differences), error=np.array(errors), scale=size)


def _absolute_right(net: Network, fwd: Forward, layer: int) -> Array:
    """Sum of the sizes of all products that make up an entry of b_l: (n, m_l)."""
    sizes = fwd.masks[-1] * np.abs(net.v)
    for W, mask in zip(net.weights[: layer - 1 : -1], fwd.masks[-2::-1], strict=False):
        sizes = mask * (sizes @ np.abs(W).T)
    return sizes


@claim(
    "zou2018:fact-gradient-risk",
    title="closed form of the layer gradients of the training loss",
    bound=sheet.fact_gradient.reads("0"),
    premises="none needed: a differentiable loss, and each line ends before the nearest kink",
    sense="=",
    regime=NETWORKS,
    evidence=Search(examples=15, adversary="random directions, along which no error of an entry cancels"),
    controls=[control("labels left out", labelled=False), control("sum in place of the mean", divided=False)],
    note="for the squared hinge: quadratic along the step, so that its difference quotient is exact too",
)
def risk_gradients(
    rng: Generator, data: DataSource, m: int, L: int, n: int, d: int, *, labelled: bool = True, divided: bool = True
) -> Measured:
    """The pairing <(1/n) sum_i ell'_i y_i grad_{W_l} f(x_i), E> less L_S's difference quotient along E, for all l."""
    X, y = data.draw(n, d, rng)
    net, lines = drawn_lines(rng, X, y, (X.shape[1], *[m] * L))
    fwd = forward(net, X)
    slopes, share = loss_slopes(SQUARED_HINGE, y * fwd.output), 1.0 if divided else float(n)
    found = loss_gradient(net, fwd, y, SQUARED_HINGE) if labelled else output_gradient(net, fwd, slopes / n)
    differences, errors, size = [], [], ORDER
    for layer, ((E, line), gradient) in enumerate(zip(lines, (share * G for G in found), strict=True), start=1):
        scale = np.sum((np.abs(fwd.post[layer - 1]) @ np.abs(E)) * _absolute_right(net, fwd, layer), axis=1)
        length = output_operations(net) + n + gradient.size
        differences.append(float(np.sum(gradient * E)) - line.risk_slope(y))
        size = max(size, abs(line.risk_slope(y)))
        # The slope itself is off by what its output is off by, as a squared hinge has curvature 2.
        errors.append(
            line.risk_error
            + rounding(1.0, length) * float(np.mean(np.abs(slopes) * scale))
            + 2.0 * float(np.mean(line.error * scale))
        )
    return Measured(np.array(differences), error=np.array(errors), scale=size)


@claim(
    "zou2018:fact-gradient-euler",
    title="homogeneity: a layer paired with its gradient gives the output",
    bound=sheet.fact_gradient.reads("0"),
    premises="none needed: an identity at all weights and inputs, kinks included",
    sense="=",
    regime=Regime(cells=grid(L=[1, 2, 4], m=64, n=4, d=8), thorough=grid(L=[2, 8], m=512, n=16, d=[8, 64])),
    evidence=Search(examples=25),
    controls=[
        control("no gates", form="no gates"),
        control("last gate missing", form="last gate missing"),
        control("all layers together", summed=True),
    ],
)
def layers_paired_with_gradients(
    rng: Generator, data: DataSource, m: int, L: int, n: int, d: int, *, form: str = "", summed: bool = False
) -> Measured:
    """The difference <W_l, grad_{W_l} f(x_i)> - f(x_i) for all layers and samples."""
    X, _ = data.draw(n, d, rng)
    net = he_network((X.shape[1], *[m] * L), rng)
    fwd = forward(net, X)
    right = _right_factors(net, fwd, form)
    pairings = np.array([np.sum(pre * b, axis=1) for pre, b in zip(fwd.pre, right, strict=True)])
    if summed:
        pairings = pairings.sum(axis=0, keepdims=True)
    scale = output_scale(net.weights, net.v, X)
    return Measured(
        pairings - fwd.output, error=2.0 * rounding(1.0, output_operations(net)) * scale, scale=float(scale.max())
    )


@claim(
    "zou2018:fact-gradient-rank-one",
    title="rank one of the gradient for one sample",
    bound=sheet.fact_gradient.reads("0"),
    premises="none needed: the gradient of one sample is one product, at all weights",
    sense="=",
    regime=Regime(cells=grid(L=[1, 2, 3], m=6, d=4), thorough=grid(L=4, m=12, d=8), least={"d": 2}),
    evidence=Search(examples=10, adversary="all entries, as difference quotients of the output"),
    controls=[control("sum over two samples", samples=2)],
    note="so its operator norm and its Frobenius norm are the same, which Lemma B.6 and Theorem 5.3(vi) use",
)
def second_singular_values(rng: Generator, data: DataSource, m: int, L: int, d: int, *, samples: int = 1) -> Measured:
    """The second singular value of the gradient of f in each layer, its entries difference quotients."""
    X, y = data.draw(samples, d, rng)
    net = he_network((X.shape[1], *[m] * L), rng)
    values, errors, largest = [], [], ORDER
    for layer, W in enumerate(net.weights, start=1):
        gradient, total = np.zeros_like(W), 0.0
        for entry in np.ndindex(*W.shape):
            unit = np.zeros_like(W)
            unit[entry] = 1.0
            line = Line.through(net, X, y, layer, unit)
            gradient[entry] = line.output_slopes.sum()
            total += float(line.output_error.sum()) ** 2
        singular = np.linalg.svd(gradient, compute_uv=False)
        values.append(singular[1])
        largest = max(largest, float(singular[0]))
        # A singular value moves by the norm of the error at most; LAPACK adds a few m roundings.
        errors.append(total**0.5 + rounding(float(singular[0]), 8 * m))
    return Measured(np.array(values), error=np.array(errors), scale=largest)


CURVED = named(LOGISTIC, SQUARED_HINGE, HUBERISED_HINGE)


class LossAtWeights(NamedTuple):
    """A loss and where its gradient is taken, as a search draws them.

    The weights are "Gaussian", and `stretch` says how far they go from their own norms to the largest allowed; or they
    are "saturating" and have that norm. The points are one of the `ARRANGEMENTS`, or "equal" and labelled +1.
    """

    weights: str
    points: str
    stretch: float
    loss: str


DRAWN = {
    "weights": choices("Gaussian", "saturating"),
    "points": choices("equal", *ARRANGEMENTS),
    "stretch": st.floats(0.0, 1.0),
    "loss": choices(*CURVED),
}
# A neuron of each sign is left silent, and the output comes back at right angles to the point.
SATURATED = {"m": 4, "d": 2}
BUILT = {"drawn": (LossAtWeights, LossAtWeights._fields)}
LARGEST = LossAtWeights("saturating", "equal", stretch=1.0, loss="logistic")._asdict()
INITIAL = LossAtWeights("Gaussian", "drawn", stretch=0.0, loss="logistic")._asdict()
ADVERSARY = "equal samples and weights that lose no factor of norm 4 on the way up or down the network"


def _stretched(rng: Generator, x: Array, m: int, L: int, drawn: LossAtWeights, limit: float) -> Network:
    """Weights whose norm is `limit` at stretch 1: saturating at x (d,), or Gaussian of widths ..., m, 2m, m."""
    if drawn.weights == "saturating":
        return saturating_network(x, m, L, limit * ALLOWED_SHARE)
    net = gaussian_network((x.size, *[m * (1 + (L - k) % 2) for k in range(1, L + 1)]), rng)
    norms = [(1.0 - drawn.stretch) * norm_above(W) + drawn.stretch * limit * ALLOWED_SHARE for W in net.weights]
    return Network(tuple(scaled_to_norm(W, norm, rng) for W, norm in zip(net.weights, norms, strict=True)), net.v)


def _loss_gradient_norms(
    rng: Generator,
    net: Network,
    X: Array,
    y: Array,
    loss: str,
    batch: int | None = None,
    *,
    first: float = 1.0,
    last: float = 1.0,
) -> Measured:
    """Frobenius norms of the loss gradients of all layers; a `batch` is drawn without replacement. Norms of layers that
    are not stored are bounded by `norm_above`. The gradient of the first layer counts `first` times, of the last `last`
    times."""
    n = len(X)
    fwd = forward(net, X)
    chosen = None if batch is None else draw_batch(n, batch, rng)
    coefficients = loss_coefficients(fwd, y, CURVED[loss], chosen)
    _, norms = gradient_norms(fwd, backward(net, fwd), coefficients)
    norms[0] *= first
    norms[-1] *= last
    weight_norms = np.array([norm_above(W) for W in net.weights])
    slopes = np.abs(loss_slopes(CURVED[loss], y * fwd.output))
    others = np.array([np.prod(np.delete(weight_norms, k)) for k in range(net.depth)])
    return Measured(
        norms,
        symbols={
            "M": max(net.widths[1:]),
            "normW": float(weight_norms.max()),
            "S1abs": float(slopes.sum()),
            "SBabs": float(slopes.sum() if chosen is None else slopes[chosen].sum()),
            "prodW": others,
        },
    )


def _samples(data: DataSource, n: int, d: int, points: str, rng: Generator) -> tuple[Array, Array]:
    """Points of a family and labels; if "equal", n times the first point, labelled +1."""
    X, y = data.draw(n, d, rng)
    return (np.tile(X[:1], (n, 1)), np.ones(n)) if points == "equal" else (arranged(X, points, rng), y)


@claim(
    "zou2018:lemma-B.6",
    bound=sheet.lemma_B_6.reads("4**L*sqrt(M)/n*S1abs"),
    premises=sheet.lemma_B_6_norms.reads("normW <= 4"),
    regime=Regime(
        cells=[
            *grid(L=[1, 2, 4], m=64, n=[1, 4], d=8),
            *grid(L=1, m=64, n=8, d=8),
            *grid(L=3, m=WIDE, n=2, d=8),
            *grid(L=2, m=10**5, n=2, d=8),
        ],
        thorough=grid(L=[3, 6], m=128, n=16, d=[8, 64]) + grid(L=3, m=[10**5, 10**6], n=2, d=8),
        draw=DRAWN,
        pinned=[LARGEST, INITIAL],
        built=BUILT,
        least=SATURATED,
    ),
    measured=["M", "normW", "S1abs"],
    evidence=Search(examples=lambda m: 1 if m >= WIDE else 25, adversary=ADVERSARY),
    controls=[
        control(
            "a quarter of the bound less 1 %",
            bound="99/100*4**(L - 1)*sqrt(M)/n*S1abs",
            cells=grid(L=3, m=WIDE, n=2, d=8),
        ),
        control(
            "a first layer of norm 24 allowed, which the gradients of the others feel",
            first=6.0,
            cells=grid(L=4, m=64, n=1, d=8),
            without=sheet.lemma_B_6_norms,
        ),
        control(
            "a last layer of norm 24 allowed, which the gradients of the others feel",
            last=6.0,
            cells=grid(L=2, m=64, n=1, d=8),
            without=sheet.lemma_B_6_norms,
        ),
        control("M^(3/8)", bound="4**L*M**(3/8)/n*S1abs", cells=grid(L=2, m=10**5, n=2, d=8)),
    ],
    note="the layer's own factor 4 is not used, so a quarter of the bound would do: see sharp. M is the largest width",
    scope="as printed: the gradient of L_S; mini-batches are the variant batch",
)
def gradient_norms_of_layers(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    drawn: LossAtWeights,
    *,
    first: float = 1.0,
    last: float = 1.0,
) -> Measured:
    """The norms ||grad_{W_l} L_S||_F of all layers, at least the operator norms of the lemma; normW is max ||W_l||."""
    X, y = _samples(data, n, d, drawn.points, rng)
    net = _stretched(rng, X[0], m, L, drawn, PERTURBED_NORM)
    if (first, last) != (1.0, 1.0):
        net = net.with_weights([first * net.weights[0], *net.weights[1:-1], last * net.weights[-1]])
    return _loss_gradient_norms(rng, net, X, y, drawn.loss)


@claim(
    "zou2018:lemma-B.6-batch",
    title="gradient upper bounds for a mini-batch",
    bound="4**L*sqrt(M)/B*SBabs",
    premises=sheet.lemma_B_6_norms.reads("normW <= 4"),
    regime=Regime(
        cells=[*grid(L=[1, 3], m=64, n=16, B=[1, 2, 16], d=8), *grid(L=1, m=2048, n=16, B=1, d=8)],
        thorough=grid(L=5, m=128, n=64, B=[1, 8], d=8),
        draw=DRAWN,
        pinned=[LARGEST],
        built=BUILT,
        least=SATURATED,
        most={"B": "n"},
    ),
    measured=["M", "normW", "SBabs"],
    evidence=Search(examples=20, adversary=ADVERSARY),
    controls=[
        control("a quarter of the bound less 3 %", bound="97/100*4**(L - 1)*sqrt(M)/B*SBabs"),
        control("divided by n in place of B", bound="4**L*sqrt(M)/n*SBabs"),
        control("the gradient of the first layer five times as long", first=5.0, cells=grid(L=3, m=64, n=16, B=1, d=8)),
        control("the gradient of the last layer five times as long", last=5.0, cells=grid(L=3, m=64, n=16, B=1, d=8)),
        control(
            "weights of norm 16 allowed",
            limit=16.0,
            cells=grid(L=3, m=64, n=16, B=1, d=8),
            without=sheet.lemma_B_6_norms,
        ),
    ],
    note="Gaussian layers have m or 2 m neurons in turn, M is the most, normW max ||W_l||; a quarter would do",
)
def stochastic_gradient_norms_of_layers(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    B: int,
    d: int,
    drawn: LossAtWeights,
    *,
    limit: float = PERTURBED_NORM,
    first: float = 1.0,
    last: float = 1.0,
) -> Measured:
    """The norms ||G_l||_F of all layers, for the risk of B samples without replacement; SBabs sums their |ell'_i|."""
    X, y = _samples(data, n, d, drawn.points, rng)
    net = _stretched(rng, X[0], m, L, drawn, limit)
    return _loss_gradient_norms(rng, net, X, y, drawn.loss, batch=min(B, n), first=first, last=last)


@claim(
    "zou2018:lemma-B.6-sharp",
    title="gradient upper bounds with the norms of the other layers",
    # Proof of Lemma B.6.
    bound="prodW*sqrt(m)/n*S1abs",
    premises="none needed: measured norms replace those that Lemma B.6 assumes; inputs have norm 1",
    regime=Regime(
        cells=[*grid(L=[1, 2, 4], m=128, n=4, d=8), *grid(L=1, m=32, n=1, d=8)],
        thorough=grid(L=[3, 6], m=256, n=16, d=8),
        draw={**DRAWN, "norm": st.floats(0.1, 10.0)},
        pinned=[{**LARGEST, "norm": 4.0}],
        built=BUILT,
        least=SATURATED,
    ),
    measured=["M", "prodW", "S1abs"],
    evidence=Search(examples=25, adversary=ADVERSARY),
    controls=[
        control("bound 1 % smaller", bound="99/100*prodW*sqrt(m)/n*S1abs"),
        control("the gradient of the first layer a tenth longer", first=1.1, cells=grid(L=4, m=128, n=4, d=8)),
        control("the gradient of the last layer a tenth longer", last=1.1, cells=grid(L=4, m=128, n=4, d=8)),
    ],
    note="attained up to sqrt(1 - 2/m), as two neurons of the last layer, of width m, stay silent",
)
def gradient_norms_against_other_layers(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    drawn: LossAtWeights,
    norm: float,
    *,
    first: float = 1.0,
    last: float = 1.0,
) -> Measured:
    """The norms ||grad_{W_l} L_S||_F of all layers against prodW, the product of the operator norms of the others."""
    X, y = _samples(data, n, d, drawn.points, rng)
    net = _stretched(rng, X[0], m, L, drawn, norm)
    return _loss_gradient_norms(rng, net, X, y, drawn.loss, first=first, last=last)

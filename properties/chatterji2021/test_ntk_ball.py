"""chatterji2021, Definitions D.1 to D.5: the ball of every layer, what is linear in it, and what is not.

Main claims: `membership`, `linear_outputs`, `least_linearised_loss`, `errors_of_linearisation`, `layer_gradients`. Each
compares the code that other claims measure with, with its definition written out.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from bounds.papers import chatterji2021 as sheet
from nets import Array, DataSource, Network, forward, gaussian_smooth_network, huberised_relu, shifted, tangent_features
from nets.tangent.linearised import best_linearised_loss, in_ball, linearisation_error, linearised
from properties.chatterji2021.written_out import outputs_and_gradients
from theory.claims import Measured, Regime, claim, control, grid, reals, rounding
from theory.evidence import Search

H = 0.5

# Roundings on the way to a number, generously.
OPERATIONS = 1e3

SMALL = Regime(
    cells=grid(L=[1, 2, 3], m=6, n=3, d=4),
    thorough=grid(L=[2, 5], m=16, n=5, d=4),
    draw={"size": reals(0.01, 2.0, logarithmic=True)},
)
FEW = Search(examples=8)

# Copies of one sample of which not all have the same label.
TORN = grid(L=2, m=6, d=4, right=3, wrong=1)


class Pair(NamedTuple):
    """Weights V1 at the start and V off it by `size` per layer, with outputs and gradients at both, written out."""

    X: Array
    y: Array
    start: Network
    moved: Network
    steps: list[Array]
    outputs: tuple[Array, Array]
    gradients: tuple[list[Array], list[Array]]

    def along(self, end: int) -> Array:
        """<grad f(x_s), V - V1> with the gradients at V1 (0) or at V (1): (n,)."""
        terms = zip(self.gradients[end], self.steps, strict=True)
        return np.asarray(sum(np.sum(G * D, axis=(1, 2)) for G, D in terms))

    @property
    def norms(self) -> Array:
        """||V_l - V1_l||, Frobenius: (L + 1,)."""
        return np.array([math.sqrt(float(np.sum(D * D))) for D in self.steps])


def _pair(rng: Generator, data: DataSource, L: int, m: int, n: int, d: int, size: float) -> Pair:
    X, y = data.draw(n, d, rng)
    start = gaussian_smooth_network((X.shape[1], *[m] * L), huberised_relu(H), rng)
    steps = [rng.standard_normal(V.shape) for V in start.weights]
    steps = [size * rng.uniform(0.5, 1.0) * D / np.linalg.norm(D) for D in steps]
    moved = shifted(start, steps)
    ends = [outputs_and_gradients(net.stored_weights(), H, X) for net in (start, moved)]
    return Pair(X, y, start, moved, steps, (ends[0][0], ends[1][0]), (ends[0][1], ends[1][1]))


def _difference(found: Array, wanted: Array) -> Measured:
    scale = 1.0 + float(np.max(np.abs(wanted), initial=0.0))
    return Measured(found - wanted, error=rounding(scale, OPERATIONS), scale=scale)


@claim(
    "chatterji2021:def-D.1",
    bound=sheet.def_D.reads("0"),
    sense="=",
    premises="none needed: the ball is defined around any weights and for any radius; weights are drawn",
    regime=SMALL,
    evidence=FEW,
    controls=[control("norm over all layers", together=True), control("the nearest layer", nearest=True)],
    note="at radii above and below the largest distance by a billionth of it",
)
def membership(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    size: float,
    *,
    together: bool = False,
    nearest: bool = False,
) -> Measured:
    """Whether V lies in B(V1, rho), 1 or 0, less whether max_l ||V_l - V1_l|| <= rho, all L + 1 layers counted."""
    pair = _pair(rng, data, L, m, n, d, size)
    radius = pair.norms.min() if nearest else np.linalg.norm(pair.norms) if together else pair.norms.max()
    radii = float(radius) * np.array([1.0 + 1e-9, 1.0 - 1e-9])
    found = np.array([in_ball(pair.moved, pair.start, r) for r in radii], dtype=np.float64)
    return Measured(found - [1.0, 0.0], error=0.0)


@claim(
    "chatterji2021:def-D.2",
    bound=sheet.def_D.reads("0"),
    sense="=",
    premises="none needed: linear functions are defined at any weights, the outputs being differentiable everywhere",
    regime=SMALL,
    evidence=FEW,
    controls=[control("first-order term left out", first=False), control("gradient at the other end", end=1)],
)
def linear_outputs(
    rng: Generator, data: DataSource, L: int, m: int, n: int, d: int, size: float, *, first: bool = True, end: int = 0
) -> Measured:
    """The linear F_{V1,V}(x_s) less (f_V1(x_s) + <grad f_V1(x_s), V - V1>); V1 = V^(1), V up to 2 away a layer.

    The class F(V1, rho) are these functions for all V of the ball B(V1, rho) of Definition D.1; here rho is up to 2.
    """
    pair = _pair(rng, data, L, m, n, d, size)
    found = linearised(pair.start, forward(pair.start, pair.X), pair.moved)
    return _difference(found, pair.outputs[0] + (pair.along(end) if first else 0.0))


@claim(
    "chatterji2021:def-D.3",
    bound=sheet.def_D.reads("0"),
    sense="=",
    premises="none needed: the minimum is defined for any weights and radius; for one sample it is explicit",
    regime=Regime(
        cells=[*grid(L=[1, 2, 3], m=6, d=4, right=1, wrong=0), *grid(L=[1, 2], m=6, d=4, right=3, wrong=[0, 1])],
        thorough=[*grid(L=[2, 5], m=16, d=4, right=1, wrong=0), *grid(L=[2, 5], m=16, d=4, right=4, wrong=[0, 3])],
        draw={"size": reals(0.01, 2.0, logarithmic=True)},
    ),
    evidence=FEW,
    controls=[
        control("radius for all layers together", together=True),
        control("output at the start left out", start=False),
        control("sum for the mean", mean=False, cells=TORN),
        control("labels left out", labelled=False, cells=TORN),
    ],
    note="there every layer moves by the radius along its gradient, short of where the outputs have the labels' odds",
    scope="part: copies of one sample, of which some may have the other label",
)
def least_linearised_loss(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    d: int,
    right: int,
    wrong: int,
    size: float,
    *,
    together: bool = False,
    start: bool = True,
    mean: bool = True,
    labelled: bool = True,
) -> Measured:
    """Both ends of the interval for eps_NT less its value for copies of a sample, `wrong` of them with the other label.

    With z the margin of those `right` it is the mean of log(1 + exp(-z)) and log(1 + exp(z)), which is least at
    z = log(right/wrong). The radius takes z a part of the way there, by radius sum_l ||grad_l f||.
    """
    pair = _pair(rng, data, L, m, 1, d, size)
    fwd = forward(pair.start, pair.X.repeat(right + wrong, axis=0))
    y = pair.y[0] * np.repeat([1.0, -1.0], [right, wrong])
    norms = np.array([np.linalg.norm(G[0]) for G in pair.gradients[0]])
    margin, reach = float(pair.y[0] * pair.outputs[0][0]), float(norms.sum())
    way = math.log(right / wrong) - margin if wrong else math.inf
    # No radius takes a network that is dead at the sample anywhere.
    radius = size / 4.0 * abs(way) / reach if wrong and reach else size
    grams, labels = tangent_features(pair.start, fwd).grams, y if labelled else np.abs(y)
    found = best_linearised_loss(grams, fwd.margins(y), labels, radius)
    gained = math.copysign(radius * (float(np.linalg.norm(norms)) if together else reach), way)
    z = gained + (margin if start else 0.0)
    wanted = float(right * np.logaddexp(0.0, -z) + wrong * np.logaddexp(0.0, z)) / (right + wrong if mean else 1)
    return _difference(np.array([found.low, found.high]), np.full(2, wanted))


@claim(
    "chatterji2021:def-D.4",
    bound=sheet.def_D.reads("0"),
    sense="=",
    premises="none needed: the error is defined at any two networks, the outputs being differentiable everywhere",
    regime=SMALL,
    evidence=FEW,
    controls=[control("first-order term left out", first=False), control("gradient at the other end", end=1)],
    scope="part: at one V, expanded at V^(1); print has the largest over samples and over both in the "
    "ball ||V_l - V_l^(1)|| <= tau in each layer (lemma-D.7)",
)
def errors_of_linearisation(
    rng: Generator, data: DataSource, L: int, m: int, n: int, d: int, size: float, *, first: bool = True, end: int = 0
) -> Measured:
    """The error of linearisation at every sample, less |f_V - f_V1 - <grad f_V1, V - V1>|, written out; V1 = V^(1)."""
    pair = _pair(rng, data, L, m, n, d, size)
    change = pair.outputs[1] - pair.outputs[0]
    wanted = np.abs(change - (pair.along(end) if first else 0.0))
    return _difference(linearisation_error(pair.moved, pair.start, pair.X), wanted)


@claim(
    "chatterji2021:def-D.5",
    bound=sheet.def_D.reads("0"),
    sense="=",
    premises="none needed: layer gradients are defined at any weights, the outputs being differentiable everywhere",
    regime=SMALL,
    evidence=FEW,
    controls=[control("all layers together", together=True), control("at the other end", end=1)],
    scope="part: at V^(1) alone; lemma-D.7-gradient looks at other points of the ball",
)
def layer_gradients(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    size: float,
    *,
    together: bool = False,
    end: int = 0,
) -> Measured:
    """The norm ||grad_l f(x_s)|| at V^(1) of every layer and sample, less those of the gradients written out."""
    pair = _pair(rng, data, L, m, n, d, size)
    found = tangent_features(pair.start, forward(pair.start, pair.X)).layer_norms
    wanted = np.array([np.sqrt(np.sum(G**2, axis=(1, 2))) for G in pair.gradients[end]])
    return _difference(found, np.linalg.norm(wanted, axis=0) if together else wanted)

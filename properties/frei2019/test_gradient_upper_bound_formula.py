"""frei2019: the gradients of the output and of the loss in closed form.

Main claims: `layer_gradients` (eq. (2)) and `loss_gradients` (eq. (34)).

Along a direction in one layer the output is piecewise affine, and each line ends before the nearest kink, so that the
difference quotient is the derivative but for rounding.
"""

import numpy as np
from numpy.random import Generator

from nets.core.arrays import Array
from nets.data.labelled import DataSource
from nets.data.points import arranged
from nets.networks.forward import Forward, forward
from nets.networks.gradients import loss_gradient
from nets.networks.losses import LOGISTIC
from nets.networks.network import Network, residual_network
from nets.networks.operators import masked_product
from theory.claims import Measured, Regime, choices, claim, control, grid, reals, rounding
from theory.evidence import Search

NETWORKS = Regime(
    cells=[*grid(m=4, L=2, n=2, d=2), *grid(m=8, L=[2, 4], n=2, d=4)],
    thorough=grid(m=12, L=4, n=2, d=4),
    draw={"theta": reals(0.05, 0.5), "points": choices("drawn", "near duplicates", "antipodes")},
)
LEAST_STEP = 1e-9


def _slopes(net: Network, fwd: Forward, layer: int, E: Array, theta: float) -> tuple[Array, float]:
    """Difference quotients of all outputs along E in a layer, and their error; NaN where a kink is too near."""
    step = 1e-2
    while step > LEAST_STEP:
        ends = [
            forward(
                net.with_weights([W + sign * step * E if k == layer else W for k, W in enumerate(net.weights, 1)]),
                fwd.post[0],
            )
            for sign in (1.0, -1.0)
        ]
        if all(np.array_equal(a, b) for end in ends for a, b in zip(end.masks, fwd.masks, strict=True)):
            sizes = np.abs(fwd.post[0]) @ (np.abs(net.weights[0]) + np.abs(E if layer == 1 else 0.0))
            for W in net.weights[1:-1]:
                sizes = sizes + theta * sizes @ (np.abs(W) + 0.02)
            scale = float((sizes @ (np.abs(net.weights[-1]) + 0.02)).sum(axis=1).max())
            error = rounding(2.0 * scale, (net.depth + 1.0) * (sum(net.widths) + 4.0)) / step
            return (ends[0].output - ends[1].output) / (2.0 * step), error
        step *= 0.5
    return np.full(len(fwd.output), np.nan), 0.0


@claim(
    "frei2019:eq-2",
    bound="= 0",
    premises="none needed: differentiable off the kinks, and each line ends before the nearest one",
    regime=NETWORKS,
    evidence=Search(examples=8, adversary="random directions, along which no error of an entry cancels"),
    controls=[
        control("scale of the layer forgotten", form="no scale"),
        control("scale of the layer squared", form="scale squared"),
        control("gate of the layer left out", form="no gate"),
        control("last gates left out", form="no last gate"),
        control("state behind the layer", form="later state"),
    ],
)
def layer_gradients(
    rng: Generator, data: DataSource, m: int, L: int, n: int, d: int, theta: float, points: str, *, form: str = ""
) -> Measured:
    """The <theta^r x_{l-1} v^T H_{l+1} Sigma_l, E> less f's difference quotient along E, r 1 if residual, or else 0."""
    X = arranged(data.draw(n, d, rng)[0], points, rng)
    net = residual_network((X.shape[1], *[m] * (L + 1)), theta, rng)
    fwd = forward(net, X)
    top = np.broadcast_to(net.v, fwd.masks[-1].shape) * (1.0 if form == "no last gate" else fwd.masks[-1])
    differences, errors = [], []
    for layer, W in enumerate(net.weights, 1):
        E = rng.standard_normal(W.shape) / np.sqrt(W.size)
        slopes, error = _slopes(net, fwd, layer, E, theta)
        scale = theta if 2 <= layer <= L else 1.0
        scale = {"no scale": 1.0, "scale squared": scale**2}.get(form, scale)
        for i in range(len(X)):
            row = top[i] if layer > L else top[i] @ masked_product(net, fwd, i, layer + 1, L + 1)
            row = row if layer > L or form == "no gate" else row * fwd.masks[layer - 1][i]
            state = fwd.post[layer if form == "later state" and layer > 1 else layer - 1][i]
            differences.append(scale * float(state @ E @ row) - slopes[i])
            errors.append(error)
    return Measured(np.array(differences), error=np.array(errors))


@claim(
    "frei2019:eq-34",
    bound="= 0",
    premises="none needed: the loss is smooth in the outputs, and each line ends before the nearest kink",
    regime=NETWORKS,
    evidence=Search(examples=8, adversary="random directions, along which no error of an entry cancels"),
    controls=[
        control("labels left out", labelled=False),
        control("sum in place of the mean", divided=False),
        control("slope of the loss at the output, not at the margin", at_margin=False),
        control("scale of the layers forgotten", scaled=False),
    ],
    scope="part: the mean of l' y times the gradients of f, whose closed form is (2)",
)
def loss_gradients(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    theta: float,
    points: str,
    *,
    labelled: bool = True,
    divided: bool = True,
    at_margin: bool = True,
    scaled: bool = True,
) -> Measured:
    """The pairing <grad_{W_l} L_S, E> less the mean of l'(y_i f_i) y_i times f_i's difference quotient along E."""
    X, y = data.draw(n, d, rng)
    X = arranged(X, points, rng)
    net = residual_network((X.shape[1], *[m] * (L + 1)), theta, rng)
    fwd = forward(net, X)
    found = loss_gradient(net, fwd, y, LOGISTIC)
    margins = y * fwd.output if at_margin else fwd.output
    coefficients = -(y if labelled else 1.0) / (1.0 + np.exp(margins)) / (len(y) if divided else 1.0)
    differences, errors = [], []
    for layer, G in enumerate(found, 1):
        E = rng.standard_normal(G.shape) / np.sqrt(G.size)
        slopes, error = _slopes(net, fwd, layer, E, theta)
        scale = 1.0 if scaled or not 2 <= layer <= L else 1.0 / theta
        differences.append(scale * float(np.sum(G * E)) - float(slopes @ coefficients))
        errors.append(error * float(np.abs(coefficients).sum()))
    return Measured(np.array(differences), error=np.array(errors))

"""chatterji2021, Definition 2.2: the losses along the path of gradient descent.

Main claim: `path_written_out`.
"""

import numpy as np
from numpy.random import Generator

from nets import ARRANGEMENTS, Array, DataSource, arranged, gaussian_smooth_network, huberised_relu, logistic_step
from nets.descent.carried_descent import CarriedDescent
from properties.chatterji2021.written_out import outputs_and_gradients
from theory.claims import Measured, Regime, choices, claim, control, grid, reals, rounding
from theory.evidence import Search

H = 0.5
STEPS = 4

# Roundings on the way to a number, generously: each step goes through all of them again.
OPERATIONS = 1e4


def _loss_and_gradient(weights: list[Array], X: Array, y: Array) -> tuple[float, list[Array]]:
    """J and its gradients, written out."""
    outputs, gradients = outputs_and_gradients(weights, H, X)
    slopes = -y / (1.0 + np.exp(y * outputs)) / len(y)
    return float(np.mean(np.log1p(np.exp(-y * outputs)))), [np.tensordot(slopes, G, axes=1) for G in gradients]


@claim(
    "chatterji2021:def-2.2",
    bound="= 0",
    premises="none needed: the path is defined from any weights, samples and step; all three are drawn",
    regime=Regime(
        cells=grid(L=[1, 2, 3], m=6, n=[1, 3], d=4),
        thorough=grid(L=[2, 5], m=16, n=5, d=4),
        draw={"eta": reals(1e-3, 0.3, logarithmic=True), "points": choices(*ARRANGEMENTS)},
    ),
    evidence=Search(examples=6),
    controls=[
        control("ascent", length=-1.0),
        control("half of the step", length=0.5),
        control("labels left out of the gradient", labelled=False),
    ],
    note="carried differences, and steps of stored weights: Gaussian, Huberised ReLU, h = 1/2; J_ts by its mean alone",
)
def path_written_out(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    eta: float,
    points: str,
    *,
    length: float = 1.0,
    labelled: bool = True,
) -> Measured:
    """J_t/J_1, ||V^(t)||^2/||V^(1)||^2, ||grad J_t||/J_1, t = 1 to 4, and V^(5), less those of descent written out."""
    X, y = data.draw(n, d, rng)
    X = arranged(X, points, rng)
    y[0] = -1.0
    net = gaussian_smooth_network((X.shape[1], *[m] * L), huberised_relu(H), rng)
    weights = [V.copy() for V in net.stored_weights()]
    first, _ = _loss_and_gradient(weights, X, y)
    begin = sum(float(np.sum(V**2)) for V in weights)
    carried = CarriedDescent(net, X, y, eta * first)
    stretch = carried.advance(STEPS)
    differences: list[float] = []
    for k in range(STEPS):
        loss, gradient = _loss_and_gradient(weights, X, y)
        size = np.sqrt(sum(float(np.sum(G**2)) for G in gradient))
        norm = sum(float(np.sum(V**2)) for V in weights)
        differences += [
            float(stretch.fall[k]) - (1.0 - loss / first),
            float(stretch.growth[k]) - (norm / begin - 1.0),
            float(stretch.gradient[k]) - size / first,
        ]
        net = logistic_step(net, X, y, eta)
        down = gradient if labelled else _loss_and_gradient(weights, X, np.abs(y))[1]
        weights = [V - length * eta * G for V, G in zip(weights, down, strict=True)]
    for V, W in zip(net.stored_weights(), weights, strict=True):
        differences += (V - W).ravel().tolist()
    scale = 1.0 + float(np.max(stretch.gradient))
    return Measured(np.array(differences), error=rounding(scale, OPERATIONS), scale=scale)

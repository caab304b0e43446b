"""What depth does to the norm after the first layer: with skips of scale 1/L, with skips of scale 1, and without skips.

Main definitions: `residual_drift` and `plain_drift`, which draw no more than what meets the layers;
`drifts_by_depth`, the figure of all three networks.
"""

import math

import numpy as np
from numpy.random import Generator

from bounds.laws.layers import MaskedChiSquare
from nets.data.points import sphere
from nets.networks.fresh import fresh_layer
from theory.reports.figures import Curve, Figure, Panel

# Plain networks in a root mean square.
ENSEMBLE = 128

# Width and depths of the figure, and its networks: a name, and the power of 1/L in the scale of the skips.
WIDTH, DEPTHS = 1000, (2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)
SKIPS = {"skips, theta = 1/L": 1.0, "skips, theta = 1/sqrt(L)": 0.5, "skips, theta = 1": 0.0}


def residual_drift(rng: Generator, m: int, L: int, theta: float) -> float:
    """|log(||x_L||/||x_1||)| of a residual network of width m at a point, its layers fresh at what enters them."""
    x = np.maximum(fresh_layer(sphere(1, 4, rng), m, rng), 0.0)
    size = 0.0
    for _ in range(L - 1):
        x = x / np.linalg.norm(x)
        x = x + theta * np.maximum(fresh_layer(x, m, rng), 0.0)
        size += math.log(float(np.linalg.norm(x)))
    return abs(size)


def plain_drift(rng: Generator, m: int, L: int, networks: int = ENSEMBLE) -> float:
    """The root mean square of log(||x_L||/||x_1||) over plain networks, by the law of a layer's squared norm."""
    squares = MaskedChiSquare(m).sample(rng, (networks, L - 1))
    return float(np.sqrt(np.mean((0.5 * np.log(squares).sum(axis=1)) ** 2)))


def drifts_by_depth(rng: Generator, effort: str) -> Figure:
    """|log(||x_L||/||x_1||)| against L for the networks of `SKIPS` and the plain one: root mean squares."""
    networks = 2 if effort == "quick" else 8
    curves = []
    for name, power in SKIPS.items():
        met = [[residual_drift(rng, WIDTH, L, L**-power) for _ in range(networks)] for L in DEPTHS]
        curves.append(Curve(name, DEPTHS, np.sqrt(np.mean(np.square(met), axis=1))))
    curves.append(Curve("no skips", DEPTHS, [plain_drift(rng, WIDTH, L) for L in DEPTHS]))
    panel = Panel("depth L", "|log(||x_L||/||x_1||)|", curves, log_x=True, log_y=True)
    return Figure(f"Growth of the norm from the first to the last state, at the width {WIDTH}", [panel])

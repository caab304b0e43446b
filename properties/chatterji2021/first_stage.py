"""The first stage of Theorem 3.3 run: gradient descent from Gaussian weights down to where the second stage starts.

Main definitions: `TARGET` and `ALL_STEPS`, two places to end; `second_start`, the network there with the longest step
that Theorem 3.1 allows; `RUN_CELLS`, the sizes that the claims on such runs take.

Steps of a size alpha of order 1/(p L^5) would be n^(2+24 L) and more, 3^26 at the least. Here they are alpha/J, so that
the loss falls by a like share in each, and `ALL_STEPS` ends where their sizes sum up to those of the theorem.
"""

import math
from typing import Any

import numpy as np
from numpy.random import Generator
from sympy import Rational

from bounds.bound import Bound
from bounds.papers import chatterji2021 as sheet
from nets import (
    Array,
    DataSource,
    Network,
    arranged,
    forward,
    gaussian_smooth_network,
    huberised_relu,
    pair_at_distance,
    shifted,
)
from nets.networks.log_loss import log_mean_loss
from nets.networks.logistic_gradients import logistic_gradient
from properties.chatterji2021.carried_paths import FirstIterate, with_longest_step
from properties.chatterji2021.tangent_features import tangent
from theory.claims import grid

STAGE_ENDS = TARGET, ALL_STEPS = "target", "all steps"

# The failure probability that the radius is chosen for.
FAILURE_PROBABILITY = 0.1

# The first stage has an end of its own, and no path has to rest. A start whose loss is still above the target after so
# many steps is left there, outside the theorem's hypothesis.
MOST_STEPS = 20_000

# Of the steps pace/(p L^5 J): with these the loss loses a tenth or so in each.
PACES = {1: 1.0, 2: 8.0}


def cells_of(m: int | list[int], L: int, end: str | list[str], n: int = 3) -> list[dict[str, Any]]:
    """Cells of networks of these widths and this depth."""
    return grid(m=m, L=L, n=n, d=8, pace=PACES[L], end=end)


# Two layers first: what is frozen there is too small at one. Of points that nearly agree with other labels the first
# stage comes to no end within its steps, so that two families are left.
RUN_CELLS = [
    *cells_of(100, 2, TARGET),
    *cells_of([50, 100, 200], 1, TARGET),
    *cells_of(100, 1, ALL_STEPS),
    *({**cell, "points": points} for points in ("antipodes", "arc") for cell in cells_of(50, 1, TARGET)),
]
LONG_RUN_CELLS = [
    *cells_of([200, 400], 1, ALL_STEPS),
    *cells_of(50, 2, list(STAGE_ENDS)),
    *cells_of(200, 1, TARGET, n=10),
]


def run_examples(m: int, L: int) -> int:
    """How many networks a search draws in such a cell."""
    return 4 if m <= 50 else 2 if m <= 100 and L == 1 else 1


def bend_of(constant: int) -> Bound:
    """h_NT with `constant` for its 6."""
    return Bound(sheet.eq_5.expr * Rational(6, constant))


def log_target(n: int, L: int) -> float:
    """The logarithm of n^-(2+24 L), the loss that the proof promises of the first stage."""
    return -(2 + 24 * L) * math.log(n)


def log_time(m: int, L: int, n: int, gamma: float) -> float:
    """The logarithm of the number of steps of the theorem times their size: 3 (L + 1) rho^2 n^(2+24 L)/2."""
    rho = float(sheet.eq_4.evaluate({"m": m, "L": L, "n": n, "gamma": gamma, "delta": FAILURE_PROBABILITY}))
    return math.log(1.5 * (L + 1) * rho**2) - log_target(n, L)


# Of points, beside the families that nets has: the second half a unit from the first, with the other label.
OPPOSED = "opposed"


def _opposed(X: Array, y: Array, rng: Generator) -> tuple[Array, Array]:
    """Points and labels in which the second is half a unit from the first and has the other label."""
    X, y = X.copy(), y.copy()
    X[:2], y[1] = pair_at_distance(0.5, X.shape[1], rng), -y[0]
    return X, y


def gaussian_start(
    rng: Generator, data: DataSource, m: int, L: int, n: int, d: int, bend: Bound, family: str = "drawn"
) -> tuple[Network, Array, Array]:
    """The network of width m with the bend h_NT in the form `bend`, points of m coordinates, d of them used, labels."""
    X, y = data.draw(n, d, rng)
    X, y = _opposed(X, y, rng) if family == OPPOSED else (arranged(X, family, rng), y)
    points = np.zeros((n, max(m, X.shape[1])))
    points[:, : X.shape[1]] = X
    h = float(bend.evaluate({"m": m, "n": n, "L": L}))
    return gaussian_smooth_network((points.shape[1], *[m] * L), huberised_relu(h), rng), points, y


def descend_by_shares(net: Network, X: Array, y: Array, alpha: float, target: float, time: float) -> Network:
    """The first iterate of steps alpha/J with log J at most `target`, or, if `time` is finite, where they sum up to it.

    `target` and `time` are logarithms, and so is the sum: -inf at the start. `MOST_STEPS` steps at most.
    """
    elapsed = -math.inf
    for _ in range(MOST_STEPS):
        fwd = forward(net, X)
        log_loss = log_mean_loss(fwd.margins(y))
        if elapsed >= time if math.isfinite(time) else log_loss <= target:
            break
        net = shifted(net, logistic_gradient(net, fwd, y, log_loss), -alpha)
        elapsed = float(np.logaddexp(elapsed, math.log(alpha) - log_loss))
    return net


def second_start(
    rng: Generator,
    data: DataSource,
    sizes: tuple[int, int, int, int],
    pace: float,
    end: str,
    bend: Bound,
    trained: bool = True,
    points: str = "drawn",
    stride: float = 1.0,
) -> FirstIterate:
    """Where the second stage starts, for m, L, n and d: by steps of size pace/(m L^5 J), or, untrained, at the start.

    Its own steps are `stride` times the longest allowed.
    The margin that the theorem's number of steps depends on is the largest of the tangent features at the start.
    """
    m, L, n, d = sizes
    net, X, y = gaussian_start(rng, data, m, L, n, d, bend, points)
    if trained:
        time = math.inf
        if end == ALL_STEPS:
            gamma = tangent(net, X, y, net.activation.h).largest_margin().low / math.sqrt(m)
            time = log_time(m, L, n, gamma)
        net = descend_by_shares(net, X, y, pace / (m * L**5), log_target(n, L), time)
    return with_longest_step(net, X, y, log_mean_loss(forward(net, X).margins(y)), stride)

"""Steps of gradient descent that carries differences, by depth and width, beside plain steps on the totals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.notes import note
from nets.descent.carried_descent import CarriedDescent
from nets.networks.activations import Activation, huberised_relu, scaled_swish
from nets.networks.logistic_gradients import logistic_step
from nets.networks.network import Network, smooth_network

pytestmark = pytest.mark.benchmark(max_time=0.3)

SAMPLES = 3
ACTIVATIONS = {"huberised_relu": huberised_relu, "scaled_swish": scaled_swish}


def _balanced(depth: int, width: int, phi: Activation) -> tuple[Network, np.ndarray, np.ndarray]:
    """Layers that add up what comes from the layer before, with outputs of 30 and a little less at three points."""
    size = 30.0 ** (1.0 / (depth + 1)) / width
    shapes = [(width, width)] * depth + [(width, 1)]
    X = np.outer(np.linspace(1.0, 0.98, SAMPLES), np.full(width, width**-0.5))
    return smooth_network([np.full(shape, size) for shape in shapes], phi), X, np.ones(SAMPLES)


@pytest.mark.parametrize("activation", sorted(ACTIVATIONS))
@pytest.mark.parametrize(("depth", "width"), [(1, 1), (1, 2), (2, 2), (3, 2), (3, 8)])
def test_carried_steps(benchmark: Any, depth: int, width: int, activation: str) -> None:
    net, X, y = _balanced(depth, width, ACTIVATIONS[activation](0.05))
    run = CarriedDescent(net, X, y, 1e-12)
    steps = 10_000
    found = benchmark(run.advance, steps)
    # Each round goes on from the last: the loss falls at every step of it.
    note(benchmark, width=width, depth=depth, steps=steps, samples=SAMPLES, fall=float(found.fall[-1]))
    assert (np.diff(found.fall) > 0.0).all()


def test_plain_steps(benchmark: Any) -> None:
    net, X, y = _balanced(3, 2, huberised_relu(0.05))
    steps = 10

    def descend() -> Network:
        last = net
        for _ in range(steps):
            last = logistic_step(last, X, y, 1.0)
        return last

    moved = [float(np.abs(V - W).max()) for V, W in zip(benchmark(descend).weights, net.weights, strict=True)]
    note(benchmark, width=2, depth=3, steps=steps, samples=SAMPLES, largest_move=max(moved))
    assert max(moved) > 0.0

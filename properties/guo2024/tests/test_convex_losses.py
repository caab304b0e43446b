"""Convex losses: derivatives, minimisers, curvature, and a step down their sum."""

import math

import numpy as np
import pytest

from nets.data.points import sphere
from nets.networks.network import leaky_network
from properties.guo2024.convex_losses import (
    CONVEX_LOSSES,
    DISTANCE,
    convex_loss,
    convex_step,
    curvature,
    drawn_targets,
    minimisers,
    multiple_of_squares,
)

LOSSES = {
    **{name: convex_loss(name) for name in CONVEX_LOSSES},
    "distance": DISTANCE,
    "fifty squares": multiple_of_squares(50.0),
}


@pytest.mark.parametrize("name", LOSSES)
def test_derivatives_are_those_of_the_values(name: str) -> None:
    rng = np.random.default_rng(0)
    outputs = rng.standard_normal((4, 3))
    targets = drawn_targets(name, outputs, 1.0, rng)
    slopes = LOSSES[name].at_outputs(outputs, targets)[1]
    for at in np.ndindex(outputs.shape):
        step = np.zeros_like(outputs)
        step[at] = 1e-6
        rise = LOSSES[name].at_outputs(outputs + step, targets)[0] - LOSSES[name].at_outputs(outputs - step, targets)[0]
        assert rise.sum() / 2e-6 == pytest.approx(slopes[at], abs=1e-6)


@pytest.mark.parametrize("name", CONVEX_LOSSES)
def test_no_derivative_is_left_at_the_minimisers(name: str) -> None:
    rng = np.random.default_rng(1)
    outputs = rng.standard_normal((4, 3))
    targets = drawn_targets(name, outputs, 2.0, rng)
    best = minimisers(name, outputs, targets)
    assert convex_loss(name).at_outputs(best, targets)[1] == pytest.approx(0.0, abs=1e-12)
    # Nearest of a line of minimisers: what is left has no part along it.
    if name == "cross entropy":
        assert (outputs - best).sum(axis=1) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("name", CONVEX_LOSSES)
def test_derivatives_change_by_the_curvature_at_most(name: str) -> None:
    rng = np.random.default_rng(2)
    outputs = rng.standard_normal((200, 3))
    targets = drawn_targets(name, outputs, 1.5, rng)
    way = 1e-4 * rng.standard_normal(outputs.shape)
    other = outputs + way * (np.sum(way * (targets - outputs), axis=1, keepdims=True) > 0.0)
    change = convex_loss(name).at_outputs(other, targets)[1] - convex_loss(name).at_outputs(outputs, targets)[1]
    limit = curvature(name, outputs, targets) * np.linalg.norm(other - outputs, axis=1)
    assert (np.linalg.norm(change, axis=1) <= 1.001 * limit).all()


@pytest.mark.parametrize("name", CONVEX_LOSSES)
def test_a_step_lowers_the_excess_and_none_leaves_it(name: str) -> None:
    rng = np.random.default_rng(3)
    X, net = sphere(3, 5, rng), leaky_network(5, 128, 2, 2, -0.5, rng)
    targets = drawn_targets(name, np.zeros((3, 1, 2)), 1.0, rng)
    step, moved = convex_step(net, X, name, targets, 0.3)
    assert 0.0 < step.after < step.before
    assert math.prod(step.symbols[name] for name in ("a", "eta", "kerhigh")) == pytest.approx(0.3)
    assert step.symbols["Q"] <= step.symbols["kerhigh"]
    assert convex_step(moved, X, name, targets, 0.3)[0].before == pytest.approx(step.after)
    assert convex_step(net, X, name, targets, 0.3, taken=0.0)[0].after == step.before


def test_a_network_without_a_gradient_stays_where_it_is() -> None:
    rng = np.random.default_rng(4)
    X, net = sphere(1, 3, rng), leaky_network(3, 4, 1, 2, 0.0, rng)
    dead = net.with_weights([-np.repeat((X @ net.frozen[0]).T, 4, axis=1)])
    step, moved = convex_step(dead, X, "squares", np.ones((1, 1, 2)), 0.5)
    assert step.eta == step.least == step.rest == 0.0
    assert step.after == step.before > 0.0
    assert np.array_equal(moved.weights[0], dead.weights[0])

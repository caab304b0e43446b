"""Paired neurons cancel, and the constants of a region hold of what random and adversarial steps make in it."""

from __future__ import annotations

import numpy as np
import pytest

from nets.adversaries import flip_smallest, random_perturbation
from nets.forward import forward
from nets.gradients import output_gradient
from nets.network import he_network, perturbed
from nets.points import sphere
from properties.zou2018.gated_features import least_gradient
from properties.zou2018.region_constants import RegionConstants, paired, region_constants


@pytest.fixture
def rng() -> np.random.Generator:
    """One generator for each test."""
    return np.random.default_rng(31)


def test_paired_neurons_leave_a_gradient_to_the_last_layer_alone(rng: np.random.Generator) -> None:
    net, X = paired(he_network((4, 6, 8), rng)), sphere(3, 4, rng)
    fwd = forward(net, X)
    assert fwd.output == pytest.approx(np.zeros(3), abs=1e-15)
    lower, last = output_gradient(net, fwd, np.ones(3))
    assert lower == pytest.approx(np.zeros((4, 6)), abs=1e-14)
    assert np.linalg.norm(last) > 0.1


def test_the_constants_hold_at_every_network_of_the_region(rng: np.random.Generator) -> None:
    """All of the gradient at the centre; less within a radius, and no more than any of its networks has."""
    net, X = he_network((4, 24, 48), rng), sphere(2, 4, rng)
    y = np.array([1.0, -1.0])
    centre = region_constants(net, X, y, 0.0)
    assert isinstance(centre, RegionConstants)
    assert centre.gradient == pytest.approx(least_gradient(forward(net, X)).value, rel=1e-9)
    assert centre.margin == pytest.approx((y * forward(net, X).output).min(), abs=1e-9)
    found = region_constants(net, X, y, tau := 2e-3)
    assert 0.1 * centre.gradient < found.gradient < 0.99 * centre.gradient
    assert found.margin < centre.margin - tau
    for trial in range(20):
        steps = [random_perturbation(W, tau, rng, "rank_one" if trial % 2 else "gaussian") for W in net.weights]
        other = perturbed(net, steps)
        fwd = forward(other, X)
        assert least_gradient(fwd).value >= found.gradient
        assert (y * fwd.output).min() >= found.margin


def test_a_region_in_which_every_gate_may_change_has_no_gradient_bound(rng: np.random.Generator) -> None:
    net, X = he_network((4, 24, 48), rng), sphere(2, 4, rng)
    assert region_constants(net, X, np.ones(2), 10.0).gradient == 0.0


def test_the_gradient_bound_of_a_region_is_at_most_what_flips_in_it_leave(rng: np.random.Generator) -> None:
    """The step that turns the most neurons off at one sample; those that stay would do it alone."""
    net, X, tau = he_network((4, 24, 48), rng), sphere(1, 4, rng), 2e-2
    last = flip_smallest(net.weights[1], forward(net, X).post[1], tau, np.ones((1, 48)))
    moved = forward(perturbed(net, [np.zeros((4, 24)), last]), X)
    assert moved.masks[1].sum() < forward(net, X).masks[1].sum()
    assert least_gradient(moved).value >= region_constants(net, X, np.ones(1), tau).gradient > 0.0

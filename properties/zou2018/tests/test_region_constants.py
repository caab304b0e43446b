"""Paired neurons cancel, and the constants of a region hold of what random and adversarial steps make in it."""

import numpy as np
import pytest
from numpy.random import Generator

from nets.data.points import sphere
from nets.networks.forward import forward
from nets.networks.gradients import output_gradient
from nets.networks.losses import LOGISTIC
from nets.networks.network import Network, he_network, perturbed
from nets.networks.operators import flip_counts, layer_norms, operator_norm
from nets.worst_cases.adversaries import flip_smallest, random_perturbation
from properties.zou2018.expansion import arriving, beyond_first_order
from properties.zou2018.gated_features import least_gradient
from properties.zou2018.gradient_step import longest_step
from properties.zou2018.region_constants import Region, RegionConstants, near_kinks, one_sided, paired


@pytest.fixture
def rng() -> Generator:
    """One generator for each test."""
    return np.random.default_rng(31)


def test_paired_neurons_leave_a_gradient_to_the_last_layer_alone(rng: Generator) -> None:
    net, X = paired(he_network((4, 6, 8), rng)), sphere(3, 4, rng)
    fwd = forward(net, X)
    assert fwd.output == pytest.approx(np.zeros(3), abs=1e-15)
    lower, last = output_gradient(net, fwd, np.ones(3))
    assert lower == pytest.approx(np.zeros((4, 6)), abs=1e-14)
    assert np.linalg.norm(last) > 0.1


def test_near_kinks_counts_all_layers_and_samples_but_no_neurons_without_weights() -> None:
    first = np.array([[0.1, 1.0, 0.0, -0.3]])
    net = Network((first, np.full((4, 2), 0.25)), np.array([1.0, -1.0]))
    passed = forward(net, np.array([[1.0], [-1.0]]))
    assert near_kinks(net, passed, 0.05) == 0
    assert near_kinks(net, passed, 0.1) == 2 + 2
    assert near_kinks(net, passed, 0.3) == 4 + 4


def test_the_constants_hold_at_every_network_of_the_region(rng: Generator) -> None:
    """All of the gradient at the centre; less within a radius, and no more than any of its networks has."""
    net, X = he_network((4, 24, 48), rng), sphere(2, 4, rng)
    y = np.array([1.0, -1.0])
    centre = Region(net, X, y).constants(0.0)
    assert isinstance(centre, RegionConstants)
    assert centre.gradient == pytest.approx(least_gradient(forward(net, X)).value, rel=1e-9)
    assert centre.margin == pytest.approx((y * forward(net, X).output).min(), abs=1e-9)
    found = Region(net, X, y).constants(tau := 2e-3)
    assert 0.1 * centre.gradient < found.gradient < 0.99 * centre.gradient
    assert found.margin < centre.margin - tau
    for trial in range(20):
        steps = [random_perturbation(W, tau, rng, "rank_one" if trial % 2 else "gaussian") for W in net.weights]
        other = perturbed(net, steps)
        fwd = forward(other, X)
        assert least_gradient(fwd).value >= found.gradient
        assert (y * fwd.output).min() >= found.margin


def test_a_region_in_which_every_gate_may_change_has_no_gradient_bound(rng: Generator) -> None:
    net, X = he_network((4, 24, 48), rng), sphere(2, 4, rng)
    assert Region(net, X, np.ones(2)).constants(10.0).gradient == 0.0


def test_the_gradient_bound_of_a_region_is_at_most_what_flips_in_it_leave(rng: Generator) -> None:
    """The step that turns the most neurons off at one sample; those that stay would do it alone."""
    net, X, tau = he_network((4, 24, 48), rng), sphere(1, 4, rng), 2e-2
    last = flip_smallest(net.weights[1], forward(net, X).post[1], tau, np.ones((1, 48)))
    moved = forward(perturbed(net, [np.zeros((4, 24)), last]), X)
    assert moved.masks[1].sum() < forward(net, X).masks[1].sum()
    assert least_gradient(moved).value >= Region(net, X, np.ones(1)).constants(tau).gradient > 0.0


def test_what_a_region_says_of_a_step_holds_between_its_networks(rng: Generator) -> None:
    """Flips, norms of outputs and of backward vectors, and (D.2) less its linear part, for steps inside the region."""
    net, X, y, tau = he_network((4, 24, 20, 48), rng), sphere(3, 4, rng), np.array([1.0, -1.0, 1.0]), 2e-3
    found = Region(net, X, y).constants(tau)
    assert max(found.flips) > 0
    met = np.zeros(3)
    for trial in range(12):
        off = [random_perturbation(W, tau / 2.0, rng, "rank_one" if trial % 2 else "gaussian") for W in net.weights]
        moved = perturbed(net, off)
        step = longest_step(moved, X, y, LOGISTIC, 0.5 * tau)
        slope = float(step.derivatives.mean())
        assert np.all(flip_counts(forward(net, X), step.end) <= np.array(found.flips))
        assert layer_norms(step.end)[:, :-1].max() <= found.output
        back = max(float(np.linalg.norm(q, axis=1).max()) for q in arriving(step.after, step.end))
        change = np.abs(step.end.output - step.start.output).max() / (step.eta * slope)
        beyond = np.abs(beyond_first_order(step, slice(None))).max()
        terms = found.step_symbols(step.eta, slope, 48)
        allowed = terms["SumGam"] + terms["prodW"] * 48**1.5 * (step.eta * slope) ** 2
        assert terms["dout"] == pytest.approx(found.move * step.eta * slope)
        met = np.maximum(met, [back / found.backward, change / found.move, beyond / allowed])
    assert np.all(met <= 1.0)
    # A random step flips and bends far less than the worst one.
    assert np.all(met > [0.1, 0.01, 1e-6])


def test_moves_in_a_region_are_what_norms_allow(rng: Generator) -> None:
    net, X, tau = he_network((4, 24, 48), rng), sphere(1, 4, rng), 0.1
    region = Region(net, X, np.ones(1))
    assert region.norms == pytest.approx([operator_norm(W) for W in net.weights])
    assert region.outputs == pytest.approx(layer_norms(region.passed)[0])
    first = tau
    second = tau * (region.outputs[1] + first) + region.norms[1] * first
    assert region.moves(tau) == pytest.approx([0.0, first, second], rel=1e-9)


def test_neurons_of_one_side_make_the_output_and_leave_no_gradient_once_they_are_off(rng: Generator) -> None:
    x, depth = sphere(1, 4, rng), 0.4
    net = one_sided(x[0], (6, 8, 10), 1.5, depth)
    fwd = forward(net, x)
    assert fwd.output == pytest.approx([-depth])
    assert [np.count_nonzero(mask) for mask in fwd.masks] == [6, 8, 5]
    assert np.linalg.norm(fwd.post[2]) == pytest.approx(1.5)
    step = -(depth / 5.0 + 1e-6) / 1.5 * np.outer(np.full(8, 8**-0.5), net.v < 0.0)
    off = forward(net.with_weights([*net.weights[:-1], net.weights[-1] + step]), x)
    assert off.output == pytest.approx([0.0], abs=0.0)
    assert not off.masks[-1].any()

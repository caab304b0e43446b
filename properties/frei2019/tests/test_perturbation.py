"""Attacks in the ball: they stay inside, reach what can be reached, and beat the naive ones."""

import itertools

import numpy as np
import pytest

from nets.core.arrays import Array
from nets.data.points import random_labels, sphere
from nets.networks.forward import forward
from nets.networks.network import Network, perturbed, residual_network
from nets.worst_cases.adversaries import flip_layer, forward_shift, no_step
from properties.frei2019.perturbation import (
    Moved,
    flips_anywhere,
    opposed_flips,
    radius,
    random_steps,
    steps_against_gradient,
)


def _network(m: int = 100, n: int = 6, theta: float = 0.1, seed: int = 0) -> tuple[Network, Array, Array]:
    rng = np.random.default_rng(seed)
    return residual_network((5, m, m, m, m + 20), theta, rng), sphere(n, 5, rng), random_labels(n, rng)


def test_radius_is_the_largest_frobenius_norm_of_a_step() -> None:
    net, _, _ = _network(m=4)
    steps = [np.full(W.shape, 0.1 * k) for k, W in enumerate(net.weights)]
    expected = max(np.sqrt(np.sum(step**2)) for step in steps)
    assert radius(net, perturbed(net, steps)) == pytest.approx(expected)
    assert radius(net, net) == 0.0


@pytest.mark.parametrize("tau", [1e-4, 0.05, 1.0])
def test_all_attacks_stay_in_the_ball(tau: float) -> None:
    net, X, y = _network()
    rng = np.random.default_rng(1)
    attacks = [random_steps(net, tau, rng), steps_against_gradient(net, X, y, tau), flips_anywhere(net, X, tau)]
    attacks += [attack(net, X[0], tau, layer) for attack in (flip_layer, forward_shift) for layer in (1, 2, 4)]
    attacks += [steps for layer in (1, 3, 4) for steps in opposed_flips(net, X[0], tau, layer)]
    reached = [radius(net, perturbed(net, steps)) for steps in attacks]
    assert max(reached) <= tau
    assert min(reached[:2]) >= 0.999 * tau


@pytest.mark.parametrize("layer", [1, 2, 4])
def test_planted_flips_are_more_than_the_naive_ones(layer: int) -> None:
    net, X, y = _network(m=400)
    rng, tau = np.random.default_rng(2), 0.03
    planted = Moved.of(net, flip_layer(net, X[0], tau, layer), None, X[0]).flips[0, layer - 1]
    for steps in (random_steps(net, tau, rng), steps_against_gradient(net, X, y, tau)):
        assert planted >= 2 * Moved.of(net, steps, None, X[0]).flips[0, layer - 1]


@pytest.mark.parametrize("layer", [1, 2, 4])
def test_two_steps_of_a_layer_make_as_many_gates_differ_as_their_norms_allow(layer: int) -> None:
    net, X, _ = _network(m=300)
    tau = 0.1
    alone = Moved.of(net, *opposed_flips(net, X[0], tau, layer, alone=True), X[0])
    arriving = alone.before.post[layer - 1][0]
    squares = np.cumsum(np.sort((arriving @ net.weights[layer - 1]) ** 2)) / float(arriving @ arriving)
    # No pair of steps makes more gates differ than the squares within twice the budget.
    most = np.searchsorted(squares, 2.0 * tau**2, side="right")
    flips = alone.flips[0, layer - 1]
    assert most - 1 <= flips <= most
    assert flips >= 1.2 * np.searchsorted(squares, tau**2, side="right")
    helped = Moved.of(net, *opposed_flips(net, X[0], tau, layer), X[0]).flips[0, layer - 1]
    assert helped >= (1.0 if layer == 1 else 1.1) * flips


def _fewest_squares(pre: Array, lengths: Array, count: int) -> float:
    """The least squared Frobenius norm of a step that flips so many neurons somewhere, by trying all choices."""
    costs = (np.abs(pre) / lengths[:, np.newaxis]) ** 2
    return min(
        sum(min(costs[i, j] for i in range(len(pre))) for j in chosen)
        for chosen in itertools.combinations(range(pre.shape[1]), count)
    )


def test_flips_anywhere_are_as_many_as_the_norm_allows() -> None:
    rng = np.random.default_rng(3)
    net, X, tau = residual_network((3, 6, 6, 8), 0.2, rng), sphere(3, 3, rng), 0.5
    moved = Moved.of(net, flips_anywhere(net, X, tau), None, X)
    count = int(moved.flips_of_any[-1])
    pre, lengths = moved.before.pre[-1], np.linalg.norm(moved.before.post[-2], axis=1)
    assert 0 < count < 8
    assert _fewest_squares(pre, lengths, count) <= tau**2 < _fewest_squares(pre, lengths, count + 1)


def test_flips_anywhere_reach_nearly_all_neurons_where_no_sample_sees_many() -> None:
    net, X, _ = _network(m=300, n=200)
    moved = Moved.of(net, flips_anywhere(net, X, 0.06), None, X)
    assert moved.flips_of_any[-1] >= 0.95 * 320
    assert moved.flips[:, -1].max() <= 0.2 * 320


def test_flips_anywhere_leave_samples_alone_of_which_nothing_arrives() -> None:
    net, X, _ = _network(m=20)
    dead = net.with_weights([np.abs(net.weights[0]) * np.sign(X[0])[:, np.newaxis], *net.weights[1:]])
    both = np.stack([X[0], -X[0]])
    assert not forward(dead, both[1:]).post[-2].any()
    alone, moved = (Moved.of(dead, flips_anywhere(dead, Z, 0.5), None, Z) for Z in (both[:1], both))
    assert moved.flips[:, -1].tolist() == [alone.flips[0, -1], 0.0]
    assert alone.flips[0, -1] > 0.0
    assert Moved.of(dead, flips_anywhere(dead, both[1:], 0.5), None, both[1:]).radius == 0.0


def test_without_steps_nothing_is_moved() -> None:
    net, X, _ = _network(m=10)
    still = Moved.of(net, [no_step(W) for W in net.weights], None, X)
    assert still.radius == 0.0
    assert not still.flips.any()
    assert not still.flips_of_any.any()
    for norms in (still.outputs, still.pre_activations):
        assert not norms.any()


def test_pairs_are_compared_with_each_other() -> None:
    net, X, _ = _network(m=20)
    rng = np.random.default_rng(4)
    first, second = random_steps(net, 0.1, rng), random_steps(net, 0.1, rng)
    moved = Moved.of(net, first, second, X)
    assert moved.outputs.shape == moved.pre_activations.shape == moved.flips.shape == (6, 4)
    again = Moved.of(perturbed(net, second), [a - b for a, b in zip(first, second, strict=True)], None, X)
    assert moved.outputs == pytest.approx(again.outputs)
    assert moved.radius == pytest.approx(0.1)


@pytest.mark.parametrize("layer", [1, 3, 4])
def test_farthest_steps_move_more_than_the_naive_ones(layer: int) -> None:
    net, X, y = _network(m=60)
    rng, tau = np.random.default_rng(5), 0.05
    far = Moved.of(net, forward_shift(net, X[0], tau, layer), None, X[0]).outputs[0, layer - 1]
    for steps in (random_steps(net, tau, rng), steps_against_gradient(net, X, y, tau)):
        assert far > Moved.of(net, steps, None, X[0]).outputs[0, layer - 1]

"""Weights in a ball whose output is far from its linear part."""

import numpy as np
import pytest
from numpy.random import Generator

from nets.data.points import sphere
from nets.networks.forward import forward
from nets.networks.network import Network, perturbed, residual_network
from nets.networks.operators import flip_counts, operator_norm
from properties.frei2019.kinks import (
    KINK_ATTACKS,
    across_kinks,
    along_the_gradient,
    at_a_kink,
    attacked_pair,
    beside_kinks,
    to_the_other_side,
    two_layers,
)
from properties.frei2019.perturbation import radius

THETA = 0.4


def _drawn(seed: int, m: int = 60) -> tuple[Network, np.ndarray, Generator]:
    rng = np.random.default_rng(seed)
    return residual_network((3, m, m, m, m), THETA, rng, stored=0), sphere(1, 3, rng), rng


@pytest.mark.parametrize("attack", KINK_ATTACKS)
@pytest.mark.parametrize("tau", [0.2, 1.0])
def test_both_weight_tuples_of_every_attack_lie_in_the_ball(attack: str, tau: float) -> None:
    net, X, rng = _drawn(0)
    pair = attacked_pair(rng, net, X, THETA, attack, tau, 1.0)
    assert radius(net, pair.tilde) <= tau
    assert radius(net, perturbed(pair.tilde, pair.steps)) <= tau
    assert pair.distance() > 0.0


def test_a_step_to_the_other_side_turns_a_sure_output_into_as_sure_an_opposite_one() -> None:
    net, X, _ = _drawn(3)
    pair = to_the_other_side(net, X, THETA, 1.0)
    assert pair.before.output[0] < -5.0
    assert pair.after.output[0] > 5.0


@pytest.mark.parametrize("layer", [1, 2, 4])
def test_a_small_step_takes_all_neurons_that_stand_beside_their_kinks_across(layer: int) -> None:
    net, X, _ = _drawn(1)
    gains = {}
    for sign in (1.0, -1.0):
        pair = beside_kinks(net, X, THETA, layer, 0.5, 1e-6, sign=sign)
        assert pair.norms[layer - 1] == pytest.approx(1e-6, rel=1e-6)
        assert flip_counts(pair.before, pair.after)[0, layer - 1] >= 5
        gains[sign] = pair.remainder[0]
    assert gains[1.0] > 0.0 > gains[-1.0]


@pytest.mark.parametrize("layer", [1, 2, 4])
def test_a_sample_of_the_plane_is_put_where_one_neuron_is_at_its_kink(layer: int) -> None:
    rng = np.random.default_rng(4)
    net, x = residual_network((2, 60, 60, 60, 60), THETA, rng, stored=0), sphere(1, 2, rng)
    met = {sign: at_a_kink(net, x, layer, sign) for sign in (1.0, -1.0)}
    for point in met.values():
        sizes = np.sort(np.abs(forward(net, point).pre[layer - 1][0]))
        assert np.linalg.norm(point) == pytest.approx(1.0)
        assert sizes[0] < 1e-14 < 1e-6 < sizes[1]
    assert not np.allclose(met[1.0], met[-1.0])


def test_where_all_gates_are_closed_a_sample_is_at_no_kink() -> None:
    net = residual_network((2, 4, 4, 4), THETA, np.random.default_rng(5))
    shut = net.with_weights([np.zeros_like(W) for W in net.weights])
    x = np.array([[1.0, 0.0]])
    assert np.array_equal(at_a_kink(shut, x, 1), x)


def test_a_step_below_and_a_moved_last_layer_also_count() -> None:
    net, X, _ = _drawn(2)
    own = beside_kinks(net, X, THETA, 3, 1.0, 1e-6)
    below = beside_kinks(net, X, THETA, 3, 1.0, 1e-6, mover=1)
    assert below.norms[0] == pytest.approx(1e-6)
    assert below.norms[2] == 0.0
    assert below.remainder[0] > 0.1 * own.remainder[0]
    amplified = beside_kinks(net, X, THETA, 3, 1.0, 1e-6, amplified=True)
    assert amplified.remainder[0] > 1.2 * own.remainder[0]


def test_no_drawn_step_of_the_last_layer_gains_more_than_the_one_across_kinks() -> None:
    net, X, rng = _drawn(3)
    best = across_kinks(net, X, THETA, 4, 0.3)
    x, z = best.before.post[-2][0], best.before.pre[-1][0]
    turned = np.flatnonzero(best.before.masks[-1][0] != best.after.masks[-1][0])
    assert radius(net, perturbed(net, best.steps)) <= 0.3
    reach = 0.3 * float(np.linalg.norm(x))
    for _ in range(300):
        some = np.argsort(np.abs(z))[: rng.integers(2, 40)]
        some = some[net.v[some] > 0.0]
        t = np.abs(z[some]) + rng.exponential(0.05, some.size)
        t *= reach / np.linalg.norm(t)
        assert np.maximum(t - np.abs(z[some]), 0.0).sum() <= best.remainder[0] * (1.0 + 1e-6)
    assert turned.size > 1


def test_two_layers_gain_the_product_of_their_steps_where_no_gate_changes() -> None:
    net, X, _ = _drawn(4)
    one, two = (two_layers(net, X, THETA, omega, np.random.default_rng(5)) for omega in (1e-7, 2e-7))
    assert not flip_counts(two.before, two.after).any()
    assert two.remainder[0] == pytest.approx(4.0 * one.remainder[0], rel=1e-4)
    residual = two_layers(net, X, THETA, 1e-7, np.random.default_rng(5), layer=3)
    assert residual.remainder[0] > 0.0
    assert operator_norm(residual.steps[-1]) == 0.0


def test_no_drawn_step_moves_the_output_more_than_the_one_along_the_gradient() -> None:
    net, X, rng = _drawn(6)
    along = along_the_gradient(net, X, THETA, 1e-6)
    assert along.norms == pytest.approx(np.full(4, 1e-6), rel=1e-9)
    gained = along.after.output[0] - along.before.output[0]
    for _ in range(20):
        drawn = two_layers(net, X, THETA, 1e-6, rng)
        assert abs(drawn.after.output[0] - drawn.before.output[0]) < gained

"""The least loss of a path on mini-batches, and the error that is said of it."""

import numpy as np
import pytest

from nets import HUBERISED_HINGE, Network, he_network, sphere, train
from properties.zou2018.mini_batches import best_loss, unit_curvature_step
from theory.claims import Measured


def _run(net: Network, seed: int) -> Measured:
    X, y = sphere(6, 4, np.random.default_rng(3)), np.resize([1.0, -1.0], 6)
    return best_loss(net, X, y, 2, 12, 0.5, np.random.default_rng(seed))


@pytest.fixture
def net() -> Network:
    return he_network((4, 32, 24), np.random.default_rng(8))


def test_it_is_the_least_of_the_path_that_these_batches_take(net: Network) -> None:
    X, y = sphere(6, 4, np.random.default_rng(3)), np.resize([1.0, -1.0], 6)
    eta = 0.5 * unit_curvature_step(net, X)
    path = train(net, X, y, HUBERISED_HINGE, eta, 12, batch_size=2, rng=np.random.default_rng(1)).loss
    assert _run(net, 1).value == path.min() < path[0]


@pytest.mark.parametrize("seed", range(3))
def test_neurons_in_another_order_lead_to_a_loss_within_its_error(net: Network, seed: int) -> None:
    first, last = net.weights
    turned = Network((np.ascontiguousarray(first[:, ::-1]), np.ascontiguousarray(last[::-1])), net.v)
    one, other = _run(net, seed), _run(turned, seed)
    assert one.error is not None
    assert other.error is not None
    assert abs(one.value - other.value) <= one.error + other.error
    # It is no excuse for everything: ten digits are left.
    assert one.error <= 1e-10 * one.value

"""Descent in place: the same path as by networks that are made anew, and what it refuses."""

import re
from collections.abc import Callable

import numpy as np
import pytest

from nets.descent.in_place import InPlaceDescent
from nets.networks.activations import huberised_relu
from nets.networks.constructors import plain_network
from nets.networks.forward import forward
from nets.networks.gradients import output_gradient
from nets.networks.network import (
    Network,
    Step,
    he_network,
    leaky_network,
    recurrent_network,
    residual_network,
    revealed_network,
    shifted,
    smooth_network,
)


def _rng() -> np.random.Generator:
    return np.random.default_rng(5)


def _smooth() -> Network:
    rng = _rng()
    return Network((rng.standard_normal((4, 6)),), rng.standard_normal((6, 1)), (Step(0, huberised_relu(0.5)),))


NETWORKS: dict[str, Callable[[], Network]] = {
    "leaky layers between frozen ones": lambda: leaky_network(4, 7, 3, 2, -0.5, _rng()),
    "one output": lambda: leaky_network(4, 7, 2, 1, 0.0, _rng()),
    "ReLU layers of several widths": lambda: he_network((4, 9, 5, 8), _rng()),
    "a smooth layer": _smooth,
    "one leaky layer of few inputs": lambda: leaky_network(4, 7, 1, 2, -0.5, _rng()),
    "one leaky layer of many inputs": lambda: leaky_network(4, 9, 1, 1, 0.5, _rng()),
}


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("n", [1, 3])
def test_the_path_is_that_of_networks_made_anew(name: str, n: int) -> None:
    net = NETWORKS[name]()
    X, rng = _rng().standard_normal((n, 4)), np.random.default_rng(n)
    run, first = InPlaceDescent(net, X), [W.copy() for W in net.weights]
    for _ in range(4):
        passed = forward(net, X)
        assert run.output.shape == passed.output.shape
        np.testing.assert_allclose(run.output, passed.output, rtol=1e-10, atol=1e-12)
        start, coefficients = net.weights, rng.standard_normal(passed.output.shape)
        net = shifted(net, output_gradient(net, passed, coefficients), -0.05)
        run.descend(coefficients, 0.05)
        for moved, wanted in zip(run.weights, net.weights, strict=True):
            np.testing.assert_allclose(moved, wanted, rtol=1e-10, atol=1e-12)
        for moved, before, wanted in zip(run.moves, start, net.weights, strict=True):
            np.testing.assert_allclose(moved, wanted - before, rtol=1e-10, atol=1e-12)
    # What it began with is as it was.
    for before, W in zip(first, NETWORKS[name]().weights, strict=True):
        np.testing.assert_array_equal(before, W)


def test_a_network_taken_on_the_way_stays_where_it_was() -> None:
    run = InPlaceDescent(leaky_network(4, 7, 2, 2, 0.5, _rng()), _rng().standard_normal((3, 4)))
    kept, ones = run.network, np.ones((3, 1, 2))
    before = [W.copy() for W in kept.weights]
    run.descend(ones, 0.1)
    for old, W, moved in zip(before, kept.weights, run.weights, strict=True):
        np.testing.assert_array_equal(old, W)
        assert not np.array_equal(W, moved)


def test_what_overflows_is_told_by_numpy_as_in_a_pass() -> None:
    run = InPlaceDescent(leaky_network(4, 7, 2, 2, 0.5, _rng()), _rng().standard_normal((3, 4)))
    coefficients = np.full((3, 1, 2), 1e300)
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        run.descend(coefficients, 1e20)


@pytest.mark.parametrize(
    "net",
    [
        residual_network((4, 6, 6, 2), 0.5, _rng()),
        recurrent_network(4, 5, 2, 3, _rng()),
        plain_network((4, 6, 3, 2), _rng(), biases="trained", bias_variance=0.5),
        smooth_network([_rng().standard_normal(shape) for shape in ((4, 6), (6, 1))], huberised_relu(0.1)),
    ],
    ids=["skips", "recurrent", "biases", "a trained read-out"],
)
def test_another_network_is_refused(net: Network) -> None:
    with pytest.raises(ValueError, match="plain network with a frozen read-out"):
        InPlaceDescent(net, np.ones((2, 4)))


def test_shared_weights_and_frozen_layers_in_between_are_refused() -> None:
    W = _rng().standard_normal((4, 4))
    for net in (Network((W,), np.ones(4), (Step(0), Step(0))), Network((W,), np.ones(4), (Step(0), Step(1)), (W,))):
        with pytest.raises(ValueError, match="a weight for each layer"):
            InPlaceDescent(net, np.ones((2, 4)))


def test_layers_that_are_not_stored_and_wrong_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="is not stored"):
        InPlaceDescent(revealed_network((4, 6, 2), _rng()), np.ones((2, 4)))
    net = he_network((4, 6, 2), _rng())
    with pytest.raises(ValueError, match=re.escape("X has 3 columns: the network takes inputs of dimension 4")):
        InPlaceDescent(net, np.ones((2, 3)))
    with pytest.raises(ValueError, match=re.escape("the coefficients have shape (3,): pass (2,)")):
        InPlaceDescent(net, np.ones((2, 4))).descend(np.ones(3), 0.1)

"""Wide networks by what inputs meet of them: the same function, steps and norms, and the same law."""

import itertools

import numpy as np
import pytest

from nets.data.points import sphere
from nets.networks.network import Network, leaky_network
from properties.guo2024.descent import fitted_targets, leaky_iterates, weight_drift
from properties.guo2024.seen_networks import seen_network

SLOPE = -0.5


@pytest.mark.parametrize("depth", [1, 3])
def test_what_inputs_meet_of_the_first_layer_has_the_path_of_the_whole_layer(depth: int) -> None:
    rng = np.random.default_rng(8)
    net, X = leaky_network(2, 40, depth, 3, SLOPE, rng), sphere(5, 2, rng)
    Q, R = np.linalg.qr(net.frozen[0].T)
    first, *others = net.stored_weights()
    seen = Network((Q.T @ first, *others), net.v, net.steps, (np.ascontiguousarray(R.T),))
    targets = fitted_targets(net, X, "drawn", 0.5, rng)
    paths = [list(itertools.islice(leaky_iterates(start, X, targets, 1e-3), 4)) for start in (net, seen)]
    for whole, part in zip(*paths, strict=True):
        np.testing.assert_allclose(part.passed.output, whole.passed.output, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(part.kernel, whole.kernel, rtol=1e-10, atol=1e-12)
        for operator in (False, True):
            expected = weight_drift(net, whole.net, operator=operator)
            assert weight_drift(seen, part.net, operator=operator) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("depth", [1, 2])
def test_all_layers_are_drawn_by_the_laws_of_the_whole_network(depth: int) -> None:
    rng = np.random.default_rng(9)
    nets = [seen_network(2, 6, depth, 2, SLOPE, rng) for _ in range(4000)]
    grams = np.array([net.frozen[0] @ net.frozen[0].T for net in nets])
    # A A^T for A (2, 6) from N(0, 1/6): Wishart, of mean I and variances 2/6 and 1/6.
    np.testing.assert_allclose(grams.mean(axis=0), np.eye(2), atol=0.05)
    np.testing.assert_allclose(grams.var(axis=0), np.array([[2.0, 1.0], [1.0, 2.0]]) / 6.0, atol=0.05)
    for layer, shape in enumerate([(2, 6), (6, 6)][:depth]):
        entries = np.array([net.stored_weights()[layer] for net in nets])
        assert entries.shape[1:] == shape
        assert np.var(entries) == pytest.approx(2.0 / 6.0, rel=0.05)
    assert np.var([net.v for net in nets]) == pytest.approx(0.5, rel=0.05)
    assert nets[0].steps == leaky_network(2, 6, depth, 2, SLOPE, rng).steps

"""Derivatives by the chain rule agree with difference quotients, and follow the gates that they are given."""

import numpy as np
import pytest

from nets import LOGISTIC, Network, forward, he_network
from properties.zou2018.chain_rule import derivatives


def _loss(net: Network, X: np.ndarray, y: np.ndarray) -> float:
    return float(LOGISTIC.value(y * forward(net, X).output).mean())


def test_they_are_the_limits_of_difference_quotients() -> None:
    rng = np.random.default_rng(0)
    X, y, net = rng.standard_normal((3, 4)), np.array([1.0, -1.0, 1.0]), he_network((4, 6, 6), rng)
    found, place, step = derivatives(net, X, y, net), 0, 1e-6
    for k, W in enumerate(net.weights):
        for entry in np.ndindex(W.shape):
            sides = []
            for sign in (1.0, -1.0):
                weights = [np.array(V) for V in net.weights]
                weights[k][entry] += sign * step
                sides.append(_loss(Network(tuple(weights), net.v), X, y))
            assert found[place] == pytest.approx((sides[0] - sides[1]) / (2.0 * step), abs=1e-8)
            place += 1
    assert place == len(found)


def test_the_gates_are_those_of_the_other_network() -> None:
    """At the weights of opposite signs all gates of a layer are turned: what was open has no derivative there."""
    rng = np.random.default_rng(1)
    X, y, net = rng.standard_normal((1, 4)), np.array([1.0]), he_network((4, 6), rng)
    other = Network(tuple(-W for W in net.weights), net.v)
    own, turned = (derivatives(net, X, y, gated).reshape(4, 6) for gated in (net, other))
    assert np.abs(own).max(axis=0).astype(bool).tolist() == (~np.abs(turned).max(axis=0).astype(bool)).tolist()

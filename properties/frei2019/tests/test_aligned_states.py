"""Descent over the support and ascent over the sphere find at least what drawn points find."""

import numpy as np
import pytest

from nets.data.points import sphere
from nets.networks.forward import forward
from nets.networks.network import perturbed, residual_network
from properties.frei2019.aligned_states import against, head, largest_drift, least_alignments, silencing
from properties.frei2019.perturbation import radius
from properties.frei2019.random_feature_margin import MarginSource, witness_direction


@pytest.mark.parametrize("law", ["rings", "wedges", "offset"])
def test_the_least_alignments_are_below_those_of_drawn_points(law: str) -> None:
    rng, source = np.random.default_rng(1), MarginSource(0.1, law)
    net = residual_network((3, 64, 64, 64, 64), 0.1, rng)
    alpha = witness_direction(source, net.weights[0])
    X, y = source.draw(20, 3, rng)
    least, tried = least_alignments(net, source, alpha, X, y)
    drawn = [(y * (x @ alpha)).min() for x in forward(head(net, 3), X).post[1:]]
    assert np.all(least <= drawn)
    assert least[0] < drawn[0] or law == "wedges"
    assert np.linalg.norm(tried, axis=1) == pytest.approx(1.0)
    signs = np.resize(y, len(tried))
    assert least == pytest.approx([(signs * (x @ alpha)).min() for x in forward(head(net, 3), tried).post[1:]])


def test_the_largest_drift_is_above_that_of_drawn_points_and_below_the_norm_of_the_layer() -> None:
    rng = np.random.default_rng(2)
    net = residual_network((3, 32, 32, 32, 32), 0.1, rng)
    found = largest_drift(net, sphere(4, 3, rng))
    states = forward(head(net, 3), sphere(200, 3, rng)).post
    for layer in (2, 3):
        drawn = np.abs(states[layer - 1] @ net.weights[layer - 1]).sum(axis=1) / np.sqrt(32)
        ceiling = np.linalg.norm(net.weights[layer - 1], 2) * 2.0
        assert drawn.max() * 0.99 <= found[layer - 2] <= ceiling


def test_the_steps_against_the_margin_lower_it_within_the_ball() -> None:
    rng, source = np.random.default_rng(3), MarginSource(0.2)
    net = residual_network((3, 64, 64, 64), 0.1, rng)
    X, y = source.draw(6, 3, rng)
    alpha = witness_direction(source, net.weights[0])
    moved = perturbed(net, against(net, alpha, X, y, 0.1))
    before, after = (y * (forward(head(each, 2), X).post[-1] @ alpha) for each in (net, moved))
    assert after.mean() < before.mean()
    assert radius(net, moved) <= 0.1 * (1.0 + 1e-12)
    assert np.any(forward(moved, X).masks[-1] != forward(net, X).masks[-1])


def test_a_long_step_silences_the_last_layer() -> None:
    rng = np.random.default_rng(4)
    net = residual_network((3, 64, 64, 64), 0.1, rng)
    X = sphere(5, 3, rng)
    moved = perturbed(net, silencing(net, X, 12.0))
    assert radius(net, moved) == pytest.approx(12.0)
    assert not forward(moved, X).masks[-1].any()

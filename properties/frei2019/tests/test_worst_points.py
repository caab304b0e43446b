"""Points chosen against a network beat drawn ones, and are no worse than where they start."""

import numpy as np
import pytest
from numpy.random import Generator

from nets.core.arrays import Array
from nets.data.points import sphere
from nets.networks.forward import forward
from nets.networks.network import Network, residual_network
from properties.frei2019.worst_points import jacobian, longest, steepest


@pytest.fixture
def rng() -> Generator:
    return np.random.default_rng(21)


def lengths(net: Network, X: Array) -> Array:
    return np.asarray(np.linalg.norm(forward(net, X).post[-1], axis=1))


def test_the_longest_state_beats_a_thousand_drawn_points(rng: Generator) -> None:
    net, x = residual_network((16, 64, 64, 64), 0.1, rng), sphere(1, 16, rng)
    found = longest(net, x, 12)
    assert np.linalg.norm(found) == pytest.approx(1.0)
    assert lengths(net, found)[0] > 1.1 * lengths(net, sphere(1000, 16, rng)).max()


def test_on_the_circle_it_comes_near_the_best_of_all_angles(rng: Generator) -> None:
    net = residual_network((2, 64, 64, 64), 0.1, rng)
    angles = np.linspace(0.0, 2.0 * np.pi, 2000)
    best = lengths(net, np.stack([np.cos(angles), np.sin(angles)], axis=1)).max()
    found = max(lengths(net, longest(net, sphere(1, 2, rng), 8))[0] for _ in range(4))
    assert 0.97 * best < found <= best * (1.0 + 1e-5)


def test_no_sweep_leaves_the_point_and_more_never_lower_it(rng: Generator) -> None:
    net, x = residual_network((5, 12, 12, 12), 0.5, rng), sphere(1, 5, rng)
    assert longest(net, x, 0) is x
    found = [lengths(net, longest(net, x, sweeps))[0] for sweeps in range(5)]
    assert found == sorted(found)
    norms = [np.linalg.norm(jacobian(net, steepest(net, x, sweeps)[0]), 2) for sweeps in range(5)]
    assert norms == sorted(norms)
    assert norms[-1] > norms[0]


def test_the_jacobian_is_that_of_small_steps_and_its_top_vector_grows_most(rng: Generator) -> None:
    net, x = residual_network((3, 10, 10, 10), 0.5, rng), sphere(1, 3, rng)
    J = jacobian(net, x)
    step = 1e-7 * rng.standard_normal((1, 3))
    moved = forward(net, x + step).post[-1] - forward(net, x).post[-1]
    assert moved[0] == pytest.approx(J @ step[0], abs=1e-13)
    point, towards = steepest(net, x)
    assert np.linalg.norm(jacobian(net, point) @ towards) == pytest.approx(np.linalg.norm(jacobian(net, point), 2))


def test_a_network_that_is_zero_keeps_the_point(rng: Generator) -> None:
    net, x = residual_network((3, 4, 4, 4), 0.5, rng), sphere(1, 3, rng)
    assert longest(net.with_weights([0.0 * W for W in net.weights]), x) is x

"""Nets of the sphere: what they cover, how far their points are apart, and what is refused."""

import numpy as np
import pytest

from nets.data.covering import is_net, maximal_separated, sphere_grid, sphere_net


def test_on_a_line_a_net_reaches_as_far_as_its_widest_gap() -> None:
    points = np.array([[0.0], [0.25], [1.0]])
    assert is_net(np.array([[0.0], [1.0]]), points, 0.25)
    assert not is_net(np.array([[0.0], [1.0]]), points, 0.249)


def test_a_set_is_a_net_of_itself_for_every_distance() -> None:
    points = np.random.default_rng(0).normal(size=(50, 3))
    assert is_net(points, points, 0.0)


def test_every_point_counts_among_many() -> None:
    rng = np.random.default_rng(1)
    points, net = rng.normal(size=(50, 2)), rng.normal(size=(900, 2))
    widest = max(min(np.hypot(*(p - q)) for q in net) for p in points)
    assert is_net(net, points, widest * (1.0 + 1e-12))
    assert not is_net(net, points, widest * (1.0 - 1e-12))


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_a_grid_on_the_sphere_reaches_every_unit_vector(d: int) -> None:
    points, reach = sphere_grid(d, 8)
    vectors = np.random.default_rng(d).normal(size=(400, d))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert np.allclose(np.linalg.norm(points, axis=1), 1.0)
    assert is_net(points, vectors, reach + 1e-12)


def test_a_separated_set_is_apart_and_maximal() -> None:
    points, _ = sphere_grid(3, 12)
    chosen = maximal_separated(points, 0.5)
    distances = np.linalg.norm(chosen[:, None] - chosen[None], axis=2)
    assert distances[~np.eye(len(chosen), dtype=bool)].min() > 0.5
    assert is_net(chosen, points, 0.5)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_a_net_of_the_sphere_covers_vectors_that_are_on_no_grid(d: int) -> None:
    vectors = np.random.default_rng(d).normal(size=(2000, d))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert is_net(sphere_net(d, 0.25, 40), vectors, 0.25)


def test_a_coarse_grid_is_refused() -> None:
    with pytest.raises(ValueError, match="take more"):
        sphere_net(3, 0.1, 10)

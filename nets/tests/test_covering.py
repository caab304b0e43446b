"""Nets of the sphere: what they cover, how far their points are apart, and what is refused."""

import numpy as np
import pytest

from nets.covering import gap, is_net, maximal_separated, sphere_grid, sphere_net


def test_on_a_line_the_gap_is_found_exactly() -> None:
    points = np.array([[0.0], [0.25], [1.0]])
    assert gap(points, np.array([[0.0], [1.0]])) == 0.25
    assert is_net(np.array([[0.0], [1.0]]), points, 0.25)
    assert not is_net(np.array([[0.0], [1.0]]), points, 0.249)


def test_a_set_is_a_net_of_itself_for_every_distance() -> None:
    points = np.random.default_rng(0).normal(size=(50, 3))
    assert is_net(points, points, 0.0)


def test_the_gap_is_the_same_in_blocks() -> None:
    rng = np.random.default_rng(1)
    points, net = rng.normal(size=(3000, 2)), rng.normal(size=(900, 2))
    naive = max(min(np.hypot(*(p - q)) for q in net) for p in points[:50])
    assert gap(points[:50], net) == pytest.approx(naive)
    assert gap(points, net) == max(gap(points[:1000], net), gap(points[1000:], net))


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_a_grid_on_the_sphere_reaches_every_unit_vector(d: int) -> None:
    points, reach = sphere_grid(d, 8)
    vectors = np.random.default_rng(d).normal(size=(400, d))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert np.allclose(np.linalg.norm(points, axis=1), 1.0)
    assert gap(vectors, points) <= reach + 1e-12


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


def test_nothing_to_compare_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one of each"):
        gap(np.empty((0, 2)), np.ones((1, 2)))

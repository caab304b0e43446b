"""Nets of the sphere: what they cover, how far their points are apart, and what is refused."""

import numpy as np
import pytest
from scipy.spatial.distance import directed_hausdorff

from nets.arrays import Array
from nets.covering import maximal_separated, sphere_grid, sphere_net


def gap(points: Array, net: Array) -> float:
    """Largest distance of a row of `points` from the nearest row of `net` (chatterji2021, Definition F.8)."""
    return float(directed_hausdorff(points, net)[0])


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
    assert gap(points, chosen) <= 0.5


@pytest.mark.parametrize("d", [1, 2, 3])
def test_a_net_of_the_sphere_covers_vectors_that_are_on_no_grid(d: int) -> None:
    vectors = np.random.default_rng(d).normal(size=(2000, d))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert gap(vectors, sphere_net(d, 0.25, 40)) <= 0.25


def test_a_coarse_grid_is_refused() -> None:
    with pytest.raises(ValueError, match="take more"):
        sphere_net(3, 0.1, 10)

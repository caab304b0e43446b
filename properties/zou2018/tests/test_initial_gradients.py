"""Points that cover a sphere, the largest hole they leave, and every quantity of Theorem 5.1 over its bound."""

import math

import numpy as np
import pytest

from bounds.papers import zou2018 as sheet
from nets.data.points import sphere
from nets.networks.forward import forward
from nets.networks.gradients import backward
from nets.networks.network import Network, he_network
from nets.networks.operators import masked_product, pairwise_distances
from properties.zou2018.initial_gradients import covering_radius, parts_over_bounds, spread


@pytest.mark.parametrize(("eps", "d"), [(1.0, 2), (0.1, 2), (1.0, 3), (0.3, 3)])
def test_spread_points_are_apart_and_leave_no_room(eps: float, d: int) -> None:
    points = spread(eps, d)
    assert np.linalg.norm(points, axis=1) == pytest.approx(np.ones(len(points)), rel=1e-9)
    apart = pairwise_distances(points)[np.triu_indices(len(points), 1)]
    assert apart.min() == pytest.approx(eps, rel=1e-6)
    assert apart.min() >= eps * (1.0 - 1e-9)
    # Covered: none of many other points is further than eps from all of them.
    others = sphere(4000, d, np.random.default_rng(1))
    nearest = np.sqrt(np.maximum(2.0 - 2.0 * (others @ points.T).max(axis=1), 0.0))
    assert nearest.max() <= covering_radius(points) * (1.0 + 1e-9) <= eps * (1.0 + 1e-6)


def test_the_fewest_and_the_most_points_on_the_circle() -> None:
    """Six at distance 1; and where the last one would come closer than eps to the first it is left out."""
    assert len(spread(1.0, 2)) == 6
    assert len(spread(0.99, 2)) == 6
    assert len(spread(2.0 * math.sin(math.pi / 7.0), 2)) == 7


def test_covering_radii_by_hand() -> None:
    """Midway between corners of the hexagon; over a face of the octahedron; and opposite to a single point."""
    angles = np.arange(6) * math.pi / 3.0
    hexagon = np.column_stack([np.cos(angles), np.sin(angles)])
    assert covering_radius(hexagon) == pytest.approx(2.0 * math.sin(math.pi / 12.0), rel=1e-12)
    octahedron = np.concatenate([np.eye(3), -np.eye(3)])
    assert covering_radius(octahedron) == pytest.approx(math.sqrt(2.0 - 2.0 / math.sqrt(3.0)), rel=1e-12)
    assert covering_radius(np.array([[1.0, 0.0]])) == pytest.approx(2.0, rel=1e-12)


def test_the_covering_radius_is_the_farthest_of_many_samples() -> None:
    rng = np.random.default_rng(2)
    points, others = sphere(12, 3, rng), sphere(100_000, 3, rng)
    farthest = float(np.sqrt(2.0 - 2.0 * (others @ points.T).max(axis=1)).max())
    assert 0.97 * covering_radius(points) <= farthest <= covering_radius(points) * (1.0 + 1e-12)


def naive_quotients(net: Network, X: np.ndarray, phi: float, beta: float, s: int, delta: float) -> list[float]:
    """All of them with loops, operator norms by singular values."""
    fwd, n, L = forward(net, X), len(X), net.depth
    found = [np.linalg.norm(x) / sheet.theorem_5_1_i_norm() for post in fwd.post[1:] for x in post]
    least = min(np.linalg.norm(post[i] - post[j]) for post in fwd.post[1:] for i in range(n) for j in range(i))
    found.append(sheet.corollary_A_5(phi=phi) / least)
    found += [abs(f) / sheet.lemma_A_6(n=n, delta=delta) for f in fwd.output]
    for pre in fwd.pre:
        found += [np.sum(np.abs(row) <= beta) / sheet.lemma_A_7(m=pre.shape[1], beta_=beta) for row in pre]
    for q in backward(net, fwd).q:
        largest = np.sqrt(np.sort(q**2, axis=1)[:, ::-1][:, :s].sum(axis=1))
        found += list(largest / sheet.lemma_A_9(L=L, s=s, M=max(net.widths[1:])))
    found += [np.linalg.norm(W, 2) / sheet.theorem_5_1_i() for W in net.weights]
    # Of the products the largest alone.
    pairs = [(i, l1, l2) for i in range(n) for l1 in range(1, L + 1) for l2 in range(l1 + 1, L + 1)]
    norms = [np.linalg.norm(masked_product(net, fwd, i, l1, l2), 2) for i, l1, l2 in pairs]
    found += [max(norms) / sheet.lemma_A_8(L=L)] if norms else []
    return [float(value) for value in found]


@pytest.mark.parametrize("depth", [1, 3])
def test_quotients_are_those_written_out(depth: int) -> None:
    rng = np.random.default_rng(3)
    net, X = he_network((5, *[16, 24, 16][:depth]), rng), sphere(3, 5, rng)
    ends = parts_over_bounds(net, X, 0.3, 0.05, 4, 0.1, rng)
    wanted = np.sort(naive_quotients(net, X, 0.3, 0.05, 4, 0.1))
    assert np.sort(ends.low) == pytest.approx(wanted, rel=1e-8)
    assert np.sort(ends.high) == pytest.approx(wanted, rel=1e-8)
    assert np.all(ends.low <= ends.high)


def test_the_bound_on_products_can_be_taken_for_another_depth() -> None:
    rng = np.random.default_rng(4)
    net, X = he_network((5, 16, 16), rng), sphere(2, 5, rng)
    own, other = (
        parts_over_bounds(net, X, 0.3, 0.05, 4, 0.1, rng),
        parts_over_bounds(net, X, 0.3, 0.05, 4, 0.1, rng, layers=8),
    )
    assert other.high[-1] / own.high[-1] == pytest.approx(sheet.lemma_A_8(L=2) / sheet.lemma_A_8(L=8))


def test_the_directions_of_part_vi_can_have_another_number_of_entries() -> None:
    """With as many as there are, each takes the whole norm of the backward vector of its bound at s."""
    rng = np.random.default_rng(4)
    net, X = he_network((5, 16, 16), rng), sphere(2, 5, rng)
    whole = parts_over_bounds(net, X, 0.3, 0.05, 4, 0.1, rng, entries=16).low
    norms = np.array([np.linalg.norm(q, axis=1) for q in backward(net, forward(net, X)).q]).ravel()
    for wanted in norms / sheet.lemma_A_9(L=2, s=4, M=16):
        assert float(np.abs(whole - wanted).min()) <= 1e-12 * wanted
    assert whole.sum() > parts_over_bounds(net, X, 0.3, 0.05, 4, 0.1, rng).low.sum()


def test_points_that_a_layer_merges_are_infinitely_close() -> None:
    net = Network((-np.ones((2, 4)),), np.array([1.0, 1.0, -1.0, -1.0]))
    ends = parts_over_bounds(net, np.eye(2), 0.3, 0.05, 2, 0.1, np.random.default_rng(0))
    assert math.isinf(float(ends.low.max()))


def test_wide_layers_have_norms_within_their_ends() -> None:
    """Beyond the width at which LAPACK finds them, by Lanczos."""
    rng = np.random.default_rng(5)
    net, X = he_network((6, 300, 300), rng), sphere(2, 6, rng)
    ends = parts_over_bounds(net, X, 0.3, 0.01, 4, 0.1, rng)
    norms = np.array([np.linalg.norm(W, 2) for W in net.weights]) / sheet.theorem_5_1_i()
    assert np.all(ends.low[-4:-2] <= norms * (1.0 + 1e-9))
    assert np.all(norms <= ends.high[-4:-2] * (1.0 + 1e-9))

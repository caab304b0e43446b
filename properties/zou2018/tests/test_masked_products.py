"""Norms of products, suprema under attack against brute force and random rivals, and chances below sampled ones."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.random import Generator

from nets.data.points import sphere
from nets.networks.forward import forward
from nets.networks.gradients import backward
from nets.networks.network import he_network, perturbed
from nets.networks.operators import masked_product, operator_norm, sparse_supremum
from properties.zou2018 import masked_products
from properties.zou2018.masked_products import (
    CLOSED,
    attacked_supremum,
    attacked_within_the_region,
    coherent_flips_chance,
    least_chance,
    least_output_chance,
    product_norms,
    sparse_channels,
    sparse_suprema,
    suprema_written_out,
    telescoped_sums,
)


@pytest.fixture
def rng() -> Generator:
    """One generator for each test."""
    return np.random.default_rng(43)


def test_norms_of_products_are_those_of_the_matrices_by_either_way(
    rng: Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    net, X = he_network((4, 12, 16, 12), rng), sphere(2, 4, rng)
    fwd = forward(net, X)
    wanted = [
        np.linalg.norm(masked_product(net, fwd, i, l1, l2), 2) for i in range(2) for l1, l2 in ((1, 2), (1, 3), (2, 3))
    ]
    exact = product_norms(net, fwd, rng)
    assert exact.low == pytest.approx([max(wanted)], rel=1e-10)
    assert np.array_equal(exact.low, exact.high)
    monkeypatch.setattr(masked_products, "DENSE_NORM", 8)
    ends = product_norms(net, fwd, rng)
    assert np.all(ends.low <= np.array(wanted) * (1.0 + 1e-9))
    assert np.all(np.array(wanted) <= ends.high * (1.0 + 1e-9))
    few = product_norms(net, fwd, rng, steps=4)
    assert np.all(np.array(wanted) <= few.high * (1.0 + 1e-9))
    assert np.sum(few.high - few.low) > np.sum(ends.high - ends.low)


def test_sparse_suprema_are_the_best_of_all_supports(rng: Generator) -> None:
    net, x = he_network((5, 6, 6), rng), sphere(1, 5, rng)
    fwd = forward(net, x)
    wanted = [
        max(np.linalg.norm(q[0][list(places)]) for places in itertools.combinations(range(q.shape[1]), 2))
        for q in backward(net, fwd).q
    ]
    assert sparse_suprema(net, fwd, 2) == pytest.approx(wanted, rel=1e-12)
    assert suprema_written_out(net, fwd, 2) == pytest.approx(wanted, rel=1e-12)


def test_telescoped_sums_by_hand() -> None:
    """With Gamma = (., 1, 10) and the last 100: 7/2 of 1 + 40 + 1600, of 10 + 400, and of 100."""
    assert telescoped_sums(np.array([5.0, 1.0, 10.0]), 100.0) == pytest.approx([5743.5, 1435.0, 350.0], rel=1e-14)


@pytest.mark.parametrize("layer", [1, 2])
def test_an_attack_on_masks_reaches_nearly_what_brute_force_does(layer: int, rng: Generator) -> None:
    """One flip a layer at most: all masks are tried. The attack is within its budget, so never above."""
    net, x = he_network((3, 4, 4), rng), sphere(1, 3, rng)
    fwd, best = forward(net, x), 0.0
    singles = [np.zeros(4), *np.eye(4)]
    for flips in itertools.product(singles, repeat=2):
        masks = tuple(np.abs(mask - flip) for mask, flip in zip(fwd.masks, flips, strict=True))
        best = max(best, float(sparse_supremum(backward(net, replace(fwd, masks=masks)).q[layer - 1], 2)[0]))
    found = attacked_supremum(net, fwd, 2, 1, 0.0, layer)
    assert 0.9 * best <= found <= best * (1.0 + 1e-9)


def test_without_budget_an_attack_finds_the_supremum_itself(rng: Generator) -> None:
    net, x = he_network((5, 8, 8), rng), sphere(1, 5, rng)
    fwd = forward(net, x)
    unmoved = [attacked_supremum(net, fwd, 3, 0, 0.0, layer) for layer in (1, 2)]
    assert unmoved == pytest.approx(sparse_suprema(net, fwd, 3), rel=1e-9)


def test_an_attack_beats_random_masks_and_steps_of_its_budget(rng: Generator) -> None:
    net, x, s, flips, tau = he_network((6, 16, 16), rng), sphere(1, 6, rng), 3, 4, 0.2
    fwd, rivals = forward(net, x), []
    for _ in range(50):
        masks = []
        for mask in fwd.masks:
            other = mask.copy()
            chosen = rng.choice(16, flips, replace=False)
            other[0, chosen] = 1.0 - other[0, chosen]
            masks.append(other)
        steps = [rng.standard_normal(W.shape) for W in net.weights]
        moved = perturbed(net, [step * (tau / operator_norm(step)) for step in steps])
        rivals.append(sparse_suprema(moved, replace(fwd, masks=tuple(masks)), s)[0])
    assert attacked_supremum(net, fwd, s, flips, tau, 1) > max(rivals)
    # More of either budget is no less.
    assert attacked_supremum(net, fwd, s, flips, tau, 1) >= attacked_supremum(net, fwd, s, flips, 0.0, 1)


def test_weights_alone_reach_the_best_first_order_step_of_one_layer(rng: Generator) -> None:
    """For one layer <q, a> is (W D v, a), and tau a v^T D/||D v|| adds tau ||D v|| to it: the dual norm."""
    net, x = he_network((4, 8), rng), sphere(1, 4, rng)
    fwd = forward(net, x)
    gain = 0.3 * np.linalg.norm(fwd.masks[0][0])
    wanted = sparse_suprema(net, fwd, 2)[0] + gain
    assert attacked_supremum(net, fwd, 2, 0, 0.3, 1) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("depth", [1, 3])
def test_an_attack_within_the_region_has_masks_of_its_own_weights_and_beats_rivals(depth: int, rng: Generator) -> None:
    net, x, s, tau = he_network((6, *[32] * depth), rng), sphere(1, 6, rng), 2, 0.3
    moved, fwd = attacked_within_the_region(net, x, s, tau)
    for W, V in zip(moved.weights, net.weights, strict=True):
        assert operator_norm(W - V) <= tau * (1.0 + 1e-9)
    own = forward(moved, x)
    assert all(np.array_equal(a, b) for a, b in zip(fwd.masks, own.masks, strict=True))
    best = sparse_suprema(moved, fwd, s)[0]
    for _ in range(50):
        steps = [rng.standard_normal(W.shape) for W in net.weights]
        rival = perturbed(net, [step * (tau / operator_norm(step)) for step in steps])
        assert sparse_suprema(rival, forward(rival, x), s)[0] < best


@pytest.mark.parametrize(("depth", "closed"), [(1, 0), (3, 0), (3, 10)])
def test_sparse_channels_are_closed_at_the_point_and_opened_by_their_steps(depth: int, closed: int) -> None:
    m, s, most, norm = 64, 4, 5.0, 3.0
    net, x, opening = sparse_channels(m, depth, s, most, norm, closed)
    assert all(operator_norm(W) <= norm * (1.0 + 1e-6) for W in net.weights)
    before, after = forward(net, x), forward(perturbed(net, opening), x)
    assert [np.linalg.norm(post) for post in before.post] == pytest.approx([1.0] * (depth + 1), rel=1e-6)
    for a, b in zip(before.masks, after.masks, strict=True):
        assert int(np.sum(a == 0.0)) == (closed or s)
        assert np.all(b == 1.0)
    assert max(operator_norm(step) for step in opening) <= 3.0 * CLOSED


def test_the_backward_channel_grows_to_its_limit_and_the_open_gates_add_paths() -> None:
    """Gamma_l/sqrt(s) is `norm`, and then `most`, less what the closed neurons do not carry; open, it is far above."""
    m, depth, s, most, norm = 256, 4, 4, 5.0, 3.0
    net, x, opening = sparse_channels(m, depth, s, most, norm)
    closed = sparse_suprema(net, forward(net, x), s) / math.sqrt(s)
    assert np.all(closed <= most)
    assert closed == pytest.approx([most, most, most, norm], rel=0.1)
    moved = perturbed(net, opening)
    opened = sparse_suprema(moved, forward(moved, x), s) / math.sqrt(s)
    assert opened[0] > 5.0 * closed[0]


def squared_paths(m: int, depth: int, draws: int, rng: Generator) -> np.ndarray:
    """||x_l||^2, l = 1..depth, of random networks of width m."""
    active = rng.binomial(m, 0.5, (draws, depth))
    ratios = np.where(active > 0, rng.chisquare(np.maximum(active, 1)), 0.0) * (2.0 / m)
    return np.asarray(np.cumprod(ratios, axis=1))


@pytest.mark.parametrize(("m", "depth", "size"), [(4, 10, 1.5), (8, 30, 1.2), (4, 60, 2.0)])
def test_the_least_chance_of_long_outputs_is_below_that_of_samples(m: int, depth: int, size: float) -> None:
    draws = 40_000
    paths = squared_paths(m, depth, draws, np.random.default_rng(47))
    share = float(np.mean(paths.max(axis=1) > size**2))
    error = 5.0 * math.sqrt(share * (1.0 - share) / draws)
    assert 0.0 < least_chance(m, depth, size) <= share + error


def test_the_least_chance_is_none_where_chebyshev_says_nothing_and_grows_with_the_depth() -> None:
    assert least_chance(10**4, 2, 3.0) == 0.0
    chances = [least_chance(8, depth, 1.5) for depth in (10, 20, 60)]
    assert chances == sorted(chances)
    assert least_chance(8, 60, 3.0) <= least_chance(8, 60, 1.5)


@pytest.mark.parametrize(("m", "depth", "size"), [(4, 30, 1.5), (8, 40, 1.0)])
def test_the_least_chance_of_large_outputs_is_below_that_of_samples(m: int, depth: int, size: float) -> None:
    """|f| = |D| ||x_{L-1}|| with D = sqrt(2/m) sum of m/2 differences, at depths from 2 on."""
    draws, rng = 20_000, np.random.default_rng(53)
    lengths = np.sqrt(squared_paths(m, depth - 1, draws, rng))
    rectified = np.maximum(rng.standard_normal((draws, depth - 1, m)), 0.0)
    D = np.abs(rectified[..., : m // 2].sum(axis=-1) - rectified[..., m // 2 :].sum(axis=-1)) * math.sqrt(2.0 / m)
    # That of each depth belongs to one network: the union is sampled with fresh last layers.
    share = float(np.mean((D * lengths).max(axis=1) > size))
    chance = least_output_chance(m, depth, size)
    assert 0.0 < chance <= share + 5.0 * math.sqrt(share * (1.0 - share) / draws)


def test_the_moments_of_the_balanced_difference_are_those_of_samples() -> None:
    """1 - 1/pi and 9/2 - 8/pi, on which the chance of large outputs rests."""
    rectified = np.maximum(np.random.default_rng(59).standard_normal((2, 400_000)), 0.0)
    difference = rectified[0] - rectified[1]
    for power, wanted in ((2, 1.0 - 1.0 / math.pi), (4, 4.5 - 8.0 / math.pi)):
        values = difference**power
        assert values.mean() == pytest.approx(wanted, abs=6.0 * values.std() / math.sqrt(values.size))


@pytest.mark.parametrize(("m", "tau", "level"), [(2**17, 0.3, 105.0), (2**17, 0.3, 108.0)])
def test_the_chance_of_coherent_flips_is_below_that_of_samples(m: int, tau: float, level: float) -> None:
    """The flips of the docstring, within tau: neurons by the size of their pre-activation, if the flip helps."""
    rng, met, draws = np.random.default_rng(61), 0, 50
    signs = np.repeat([1.0, -1.0], m // 2)
    for _ in range(draws):
        h, g = rng.standard_normal((2, m)) * math.sqrt(2.0 / m)
        on = h > 0.0
        useful = np.flatnonzero(np.where(on, -1.0, 1.0) * signs * g > 0.0)
        useful = useful[np.argsort(np.abs(h[useful]))]
        flipped = useful[np.cumsum(h[useful] ** 2) < tau**2]
        on[flipped] = ~on[flipped]
        met += bool(np.sum(signs * g * on) > level)
    chance, share = coherent_flips_chance(m, tau, level), met / draws
    assert 0.0 < chance <= share + 5.0 * math.sqrt(0.25 / draws)


def test_the_chance_of_coherent_flips_falls_with_the_level_and_needs_a_small_radius() -> None:
    chances = [coherent_flips_chance(4096, 0.05, level) for level in (4.0, 7.0, 10.0, 100.0)]
    assert chances == sorted(chances, reverse=True)
    assert chances[-1] == 0.0
    with pytest.raises(ValueError, match="the budget flips every neuron"):
        coherent_flips_chance(64, 0.9, 1.0)


@pytest.mark.parametrize(("m", "depth", "size"), [(4, 20, 1.5), (8, 30, 2.0)])
def test_the_least_chance_is_the_best_of_its_bounds_with_sampled_moments(m: int, depth: int, size: float) -> None:
    """exp(-(mu + a)) (1 - v/a^2) with a = mu - t, where log R has its mean and variance under the density R."""
    rng, draws = np.random.default_rng(79), 1_000_000
    logs = np.log(rng.chisquare(rng.binomial(m - 1, 0.5, draws) + 3) * 2.0 / m)
    mean, variance, t = logs.mean(), logs.var(), 2.0 * math.log(size)
    bounds = []
    for layers in range(1, depth + 1):
        a = layers * mean - t
        if a > 0.0:
            bounds.append(math.exp(-(layers * mean + a)) * (1.0 - layers * variance / a**2))
    assert least_chance(m, depth, size) == pytest.approx(max(0.0, *bounds), rel=0.15)

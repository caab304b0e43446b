"""Adversaries stay within their radius, reach proved optima, and beat random perturbations and plain ascent."""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nets.worst_cases.adversaries
from nets.core.arrays import Array
from nets.linear_algebra.lowrank import LowRank
from nets.networks.activations import leaky_relu
from nets.networks.forward import Forward, forward
from nets.networks.gradients import backward, output_gradient
from nets.networks.network import Network, balanced_signs, he_network, perturbed, residual_network, revealed_network
from nets.networks.operators import (
    flip_counts,
    flipped_anywhere,
    gated_gram,
    layer_norms,
    masked_product,
    masked_product_operator,
    operator_norm,
    sparse_supremum,
)
from nets.tangent.margin import largest_margin
from nets.tests.ascent import projected_ascent
from nets.tests.draws import cases, seeds
from nets.worst_cases.adversaries import (
    flip_anywhere,
    flip_layer,
    flip_smallest,
    forward_shift,
    influential_flips,
    no_step,
    random_perturbation,
    step_radius,
    top_pair,
    worst_derivatives,
    worst_direction,
)

radii = st.sampled_from([1e-6, 1e-3, 0.03, 0.3, 3.0])


def _unit(rng: np.random.Generator, *shape: int) -> Array:
    X = rng.standard_normal(shape)
    return X / np.linalg.norm(X, axis=-1, keepdims=True)


# Random rivals of each adversary, the number the promises are made for.
RIVALS = 10_000


def _random_steps(rng: np.random.Generator, shape: tuple[int, ...], tau: float, count: int = RIVALS) -> Array:
    """Random steps of operator norm tau (count, rows, cols): half of them Gaussian, half of rank one."""
    half = count // 2
    gaussian = rng.standard_normal((half, *shape))
    gaussian *= tau / np.linalg.norm(gaussian, 2, axis=(1, 2))[:, np.newaxis, np.newaxis]
    left, right = _unit(rng, count - half, shape[0]), _unit(rng, count - half, shape[1])
    return np.concatenate([gaussian, tau * left[:, :, np.newaxis] * right[:, np.newaxis, :]])


def _outputs(weights: list[Array], x: Array) -> tuple[Array, Array]:
    """Pre-activations and outputs of the last layer of many networks, weights (count, m_{l-1}, m_l), at x (d,)."""
    post = np.broadcast_to(x, (weights[0].shape[0], x.size))
    for W in weights:
        pre = np.einsum("ci,cij->cj", post, W)
        post = np.maximum(pre, 0.0)
    return pre, post


def _revealed_twin(widths: tuple[int, ...], seed: int) -> tuple[Network, Network]:
    """A network of revealed layers, and the same one stored."""
    net = revealed_network(widths, np.random.default_rng(seed))
    return net, Network(tuple(np.eye(W.shape[0]) @ W for W in net.weights), net.v)


def _norm_of_difference(W: Array, step: Array) -> float:
    """What a claim measures: the rounded sum minus the weights."""
    return operator_norm((W + step) - W)


def _flips(W: Array, x: Array, step: Array) -> int:
    return int(np.count_nonzero((x @ W > 0.0) != (x @ (W + step) > 0.0)))


def _most_flips(pre: Array, reach: float) -> int:
    """The most neurons whose joint pre-activation is within reach: by the definition, one after another."""
    count, spent = 0, 0.0
    for size in np.sort(np.abs(pre)):
        spent += size**2
        if spent > reach**2:
            break
        count += 1
    return count


@given(seeds, radii)
def test_flips_as_many_as_the_norm_allows(seed: int, tau: float) -> None:
    rng = np.random.default_rng(seed)
    W, x = he_network((9, 60), rng).weights[0], rng.standard_normal(9)
    step = flip_smallest(W, x, tau)
    assert _norm_of_difference(W, step) <= tau
    reach = tau * float(np.linalg.norm(x))
    # Overshoot and rounding cost 1e-9 of the reach at most.
    assert _most_flips(x @ W, reach * (1 - 1e-9)) <= _flips(W, x, step) <= _most_flips(x @ W, reach)
    assert np.linalg.matrix_rank(step) <= 1


@given(seeds, st.sampled_from(["gaussian", "rank_one"]), radii)
def test_no_random_step_flips_more(seed: int, kind: Literal["gaussian", "rank_one"], tau: float) -> None:
    rng = np.random.default_rng(seed)
    W, x = he_network((9, 60), rng).weights[0], rng.standard_normal(9)
    assert _flips(W, x, random_perturbation(W, tau, rng, kind)) <= _flips(W, x, flip_smallest(W, x, tau))


def test_random_step_of_a_wide_layer_flips_far_fewer() -> None:
    rng = np.random.default_rng(1)
    W, x = he_network((50, 600), rng).weights[0], _unit(rng, 50)
    random = max(_flips(W, x, random_perturbation(W, 0.05, rng)) for _ in range(5))
    assert 5 * random <= _flips(W, x, flip_smallest(W, x, 0.05))


def test_both_signs_are_flipped() -> None:
    rng = np.random.default_rng(2)
    W, x = he_network((5, 200), rng).weights[0], _unit(rng, 5)
    before, after = x @ W > 0.0, x @ (W + flip_smallest(W, x, 0.3)) > 0.0
    assert np.any(before & ~after)
    assert np.any(~before & after)


def test_pre_activations_of_the_size_of_rounding_are_flipped() -> None:
    # The second half of the sum undoes the first but for the last bit of each weight: the exact pre-activations are
    # not zero, and which sign is computed, or zero, is up to the order of the sum.
    rng = np.random.default_rng(8)
    half, A = _unit(rng, 20), he_network((20, 300), rng).weights[0]
    W, x = np.concatenate([A, np.nextafter(-A, np.inf)]), np.concatenate([half, half]) / math.sqrt(2.0)
    assert np.abs(x @ W).max() < 1e-14
    assert _flips(W, x, flip_smallest(W, x, 1e-6)) == 300


def test_exact_zeros_are_flipped_open() -> None:
    W, x = np.zeros((3, 4)), np.ones(3)
    assert _flips(W, x, flip_smallest(W, x, 1e-3)) == 4


def test_flips_reach_the_certified_bound_within_a_factor() -> None:
    rng = np.random.default_rng(3)
    W, x = he_network((20, 2000), rng).weights[0], _unit(rng, 20)
    flips = _flips(W, x, flip_smallest(W, x, 0.02))
    # |S(beta)| + tau^2/beta^2 bounds the flips for every beta; just below the size number k + 1 it is k + tau^2/beta^2.
    bound = np.min(np.arange(2000) + (0.02 / np.sort(np.abs(x @ W))) ** 2)
    assert flips <= bound <= 4.0 * flips


def test_neurons_flipped_already_cost_nothing() -> None:
    rng = np.random.default_rng(4)
    W, x = he_network((6, 40), rng).weights[0], _unit(rng, 6)
    mask = x @ W > 0.0
    mask[:10] = ~mask[:10]
    step = flip_smallest(W, x, 0.2, masks=mask)
    assert np.all((x @ (W + step) > 0.0)[:10] != mask[:10])
    assert np.count_nonzero((x @ (W + step) > 0.0) != mask) > 10


@pytest.mark.parametrize("masks", [np.full(4, 0.9), np.array([0.0, 1.0, np.nan, 1.0]), np.ones((2, 4)), np.ones(3)])
def test_masks_that_are_no_activations_at_the_points_are_refused(masks: Array) -> None:
    with pytest.raises(ValueError, match=r"pass 0 and 1 alone, of shape \(1, 4\)"):
        flip_smallest(np.eye(4), np.ones(4), 0.1, masks=masks)


def test_attacks_on_layers_refuse_other_networks() -> None:
    x, trained = np.ones(3), Network((np.ones((3, 4)), np.ones((4, 1))))
    residual = residual_network((3, 4, 4, 4), 0.5, np.random.default_rng(0))
    for attack in (
        lambda: forward_shift(trained, x, 0.1),
        lambda: flip_layer(trained, x, 0.1, 1),
        lambda: influential_flips(trained, forward(trained, x[np.newaxis]), 1),
        lambda: influential_flips(residual, forward(residual, x[np.newaxis]), 1),
    ):
        with pytest.raises(ValueError, match="layers with a fixed read-out: these attacks know no other"):
            attack()


@pytest.mark.parametrize("layer", [2, 3, 4])
def test_attacks_cross_skip_connections(layer: int) -> None:
    rng = np.random.default_rng(layer)
    net, x, tau = residual_network((3, 60, 60, 60, 80), 0.3, rng), _unit(rng, 1, 3), 0.02
    start = forward(net, x)

    def changes(steps: Sequence[Any]) -> tuple[float, int]:
        moved = forward(perturbed(net, steps), x)
        shift = float(np.linalg.norm(moved.post[layer] - start.post[layer]))
        return shift, int(flip_counts(start, moved)[0, layer - 1])

    far, many = forward_shift(net, x[0], tau, layer), flip_layer(net, x[0], tau, layer)
    for steps in (far, many):
        assert max(_norm_of_difference(W, step) for W, step in zip(net.weights, steps, strict=True)) <= tau
    alone = [no_step(W) for W in net.weights]
    alone[layer - 1] = flip_smallest(net.weights[layer - 1], start.post[layer - 1], tau)
    rivals = [
        changes([random_perturbation(W, tau, rng, kind) for W in net.weights])
        for kind in ("gaussian", "rank_one")
        for _ in range(50)
    ]
    assert changes(far)[0] > max(shift for shift, _ in rivals)
    assert changes(many)[1] > max(flips for _, flips in rivals)
    assert changes(many)[1] >= changes(alone)[1]
    # What enters the last layer is moved as far as what enters the first is.
    assert layer < 4 or changes(many)[1] >= 1.3 * changes(alone)[1]


def test_flips_that_are_influential_are_those_of_relu_alone() -> None:
    net = he_network((3, 4, 4), np.random.default_rng(0)).with_activation(leaky_relu(0.5))
    with pytest.raises(ValueError, match="not one of ReLU layers with a fixed read-out"):
        influential_flips(net, forward(net, np.ones((1, 3))), 1)


@pytest.mark.parametrize("slope", [-2.0, -0.5, 0.5])
def test_attacks_on_leaky_layers_beat_random_steps(slope: float) -> None:
    rng, tau = np.random.default_rng(3), 0.1
    net = he_network((6, 24, 24, 24), rng).with_activation(leaky_relu(slope))
    x = _unit(rng, 6)
    start = forward(net, x[np.newaxis])

    def effect(steps: Sequence[Any]) -> tuple[float, int]:
        after = forward(perturbed(net, steps), x[np.newaxis])
        flips = int(np.count_nonzero((after.pre[-1] > 0.0) != (start.pre[-1] > 0.0)))
        return float(np.linalg.norm(after.post[-1] - start.post[-1])), flips

    rivals = [effect([random_perturbation(W, tau, rng, "rank_one") for W in net.weights]) for _ in range(100)]
    shift, flips = forward_shift(net, x, tau), flip_layer(net, x, tau, 3)
    assert all(_norm_of_difference(W, step) <= tau for W, step in zip(net.weights, shift, strict=True))
    assert all(_norm_of_difference(W, step) <= tau for W, step in zip(net.weights, flips, strict=True))
    assert effect(shift)[0] > 2.0 * max(distance for distance, _ in rivals)
    assert effect(flips)[1] > max(count for _, count in rivals)


@given(seeds, st.sampled_from([0.01, 0.1, 1.0]))
def test_several_points_are_attacked_at_once(seed: int, tau: float) -> None:
    rng = np.random.default_rng(seed)
    W = he_network((30, 50), rng).weights[0]
    X = np.linalg.qr(rng.standard_normal((30, 3)))[0].T
    step = flip_smallest(W, X, tau)
    assert _norm_of_difference(W, step) <= tau
    start, moved = (forward(Network((V,), np.zeros(50)), X) for V in (W, W + step))
    single = max(_flips(W, x, flip_smallest(W, x, tau)) for x in X)
    assert flipped_anywhere(start, moved)[0] >= single


@pytest.mark.parametrize("X", [np.zeros(3), np.ones((2, 3)), np.eye(4)[:, :3]])
def test_dependent_points_are_refused(X: Array) -> None:
    with pytest.raises(ValueError, match="points are zero or linearly dependent"):
        flip_smallest(np.ones((3, 4)), X, 0.1)


def _shift(net: Network, x: Array, steps: tuple[Array, ...], layer: int) -> float:
    start, moved = (forward(which, x[np.newaxis]).post[layer][0] for which in (net, perturbed(net, steps)))
    return float(np.linalg.norm(moved - start))


@given(cases(depths=(1, 4), samples=1), radii)
def test_shift_stays_within_its_radius_and_its_layers(case: tuple[Network, Array], tau: float) -> None:
    net, X = case
    for layer in range(1, net.depth + 1):
        steps = forward_shift(net, X[0], tau, layer)
        for W, step in zip(net.weights, steps, strict=True):
            assert _norm_of_difference(W, step) <= tau
        assert not any(step.any() for step in steps[layer:])


@given(seeds)
def test_shift_of_a_shallow_network_is_the_whole_radius(seed: int) -> None:
    rng = np.random.default_rng(seed)
    net, x = he_network((5, 30), rng), _unit(rng, 5)
    # Growing active neurons loses nothing to masks, so the Lipschitz bound tau ||x|| is met.
    assert _shift(net, x, forward_shift(net, x, 0.1), 1) == pytest.approx(0.1, rel=1e-9)


def aligned_network(widths: Sequence[int], norm: float) -> Network:
    """Network (d, m_1, ..., m_L) of rank-one layers of norm `norm`, each mapping onto the input of the next.

    W_l = norm u_{l-1} u_l^T with equal entries in u_0, ..., u_{L-1}, and u_L on the neurons of positive sign. So
    ||x_l|| = norm^l for x = u_0, and f(u_0) = norm^L sqrt(m_L/2), the largest values that norms allow.
    """
    signs = balanced_signs(widths[-1])
    ends = [np.full(m, m**-0.5) for m in widths[:-1]] + [(signs > 0.0) * (2.0 / widths[-1]) ** 0.5]
    return Network(tuple(norm * np.outer(u, w) for u, w in itertools.pairwise(ends)), signs)


@given(seeds, st.integers(1, 4), st.sampled_from([1e-3, 0.1]))
def test_shift_of_aligned_layers_is_the_largest_there_is(seed: int, depth: int, tau: float) -> None:
    widths = (3, *np.random.default_rng(seed).integers(2, 8, depth - 1), 6)
    net, x = aligned_network([int(m) for m in widths], 1.5), np.full(3, 3**-0.5)
    reached = _shift(net, x, forward_shift(net, x, tau), depth)
    assert reached == pytest.approx((1.5 + tau) ** depth - 1.5**depth, rel=1e-9)


def test_shift_settles_where_last_step_and_move_are_aligned() -> None:
    rng = np.random.default_rng(0)
    net, X = he_network((8, 60, 60, 60, 60), rng), _unit(rng, 1, 8)
    steps = forward_shift(net, X[0], 0.3, sweeps=30)
    start, moved = forward(net, X), forward(perturbed(net, steps), X)
    move = (moved.post[-1] - start.post[-1])[0] * moved.masks[-1][0]
    pushed = moved.post[-2][0] @ steps[-1]
    # The cosine is 0.999 on active neurons, and 0.95 where the direction never follows the move.
    assert pushed @ move >= 0.99 * np.linalg.norm(pushed) * np.linalg.norm(move)


@given(seeds, st.sampled_from([1e-3, 0.1]))
def test_no_random_step_shifts_more(seed: int, tau: float) -> None:
    rng = np.random.default_rng(seed)
    net, x = he_network((8, 20, 20, 20), rng), _unit(rng, 8)
    reached = _shift(net, x, forward_shift(net, x, tau), 3)
    for kind in ("gaussian", "rank_one"):
        random = [random_perturbation(W, tau, rng, kind) for W in net.weights]
        assert 2.0 * _shift(net, x, tuple(random), 3) <= reached


@given(cases(depths=(1, 4), samples=1), radii)
def test_attack_on_a_layer_stays_within_its_radius(case: tuple[Network, Array], tau: float) -> None:
    net, X = case
    for layer in range(1, net.depth + 1):
        steps = flip_layer(net, X[0], tau, layer)
        for W, step in zip(net.weights, steps, strict=True):
            assert _norm_of_difference(W, step) <= tau
        assert not any(step.any() for step in steps[layer:])


def test_moving_the_input_first_flips_more() -> None:
    rng = np.random.default_rng(5)
    net, X = he_network((20, 300, 300), rng), _unit(rng, 1, 20)
    start, tau = forward(net, X), 0.05

    def flips(steps: tuple[Array, ...]) -> float:
        return float(flip_counts(start, forward(perturbed(net, steps), X))[0, 1])

    alone = (np.zeros_like(net.weights[0]), flip_smallest(net.weights[1], start.post[1][0], tau))
    assert flips(flip_layer(net, X[0], tau, 2)) >= 1.4 * flips(alone)


def test_attack_on_a_layer_that_nothing_reaches_is_no_step() -> None:
    net = Network((-np.ones((2, 2)), np.ones((2, 2))), np.array([1.0, -1.0]))
    steps = flip_layer(net, np.ones(2), 0.01, 2)
    assert not any(step.any() for step in steps)


@given(seeds, st.sampled_from([1e-6, 0.1, 10.0]))
def test_top_pair_raises_the_norm_by_its_own(seed: int, tau: float) -> None:
    W = np.random.default_rng(seed).standard_normal((4, 7))
    step = top_pair(W, tau)
    assert _norm_of_difference(W, step) <= tau
    assert operator_norm(W + step) == pytest.approx(operator_norm(W) + tau, rel=1e-12)


@given(cases(), st.integers(1, 8), st.integers(1, 4))
def test_influential_flips_are_so_many_at_most_and_never_hurt(case: tuple[Network, Array], s: int, layer: int) -> None:
    net, X = case
    fwd, layer = forward(net, X), min(layer, net.depth)
    masks = influential_flips(net, fwd, s, layer)
    for k, (mask, changed) in enumerate(zip(fwd.masks, masks, strict=True), start=1):
        assert np.all(np.abs(changed - mask).sum(axis=1) <= (s if k >= layer else 0))
        assert set(np.unique(changed)) <= {0.0, 1.0}
    before, after = (backward(net, replace(fwd, masks=which)).q[layer - 1] for which in (fwd.masks, masks))
    assert np.all(sparse_supremum(after, s) >= sparse_supremum(before, s) * (1 - 1e-12))


def test_influential_flips_raise_the_sparse_supremum() -> None:
    rng = np.random.default_rng(6)
    net = he_network((20, 100, 100), rng)
    fwd = forward(net, _unit(rng, 1, 20))
    flipped = Forward(fwd.pre, fwd.post, influential_flips(net, fwd, 10), fwd.output)
    before, after = (sparse_supremum(backward(net, which).q[1], 10)[0] for which in (fwd, flipped))
    assert after > before


@pytest.mark.parametrize("norm", [0.5, 3.5])
def test_aligned_network_reaches_the_largest_outputs(norm: float) -> None:
    net = aligned_network((3, 5, 4, 6), norm)
    fwd = forward(net, np.full((1, 3), 3**-0.5))
    np.testing.assert_allclose([operator_norm(W) for W in net.weights], norm, rtol=1e-12)
    np.testing.assert_allclose(layer_norms(fwd)[0], norm ** np.arange(4.0), rtol=1e-12)
    np.testing.assert_allclose(fwd.output, norm**3 * 3**0.5, rtol=1e-12)
    assert net.v.sum() == 0.0


@given(seeds, st.sampled_from(["gaussian", "rank_one"]), st.sampled_from([1e-6, 1.0]))
def test_random_perturbation_has_the_norm_asked(seed: int, kind: Literal["gaussian", "rank_one"], tau: float) -> None:
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((5, 8))
    step = random_perturbation(W, tau, rng, kind)
    assert tau * (1.0 - 1e-8) <= operator_norm(step) <= tau
    assert np.linalg.matrix_rank(step) == (1 if kind == "rank_one" else 5)


# --- rivals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("tau", [0.05, 0.2, 0.5])
def test_none_of_ten_thousand_steps_flips_more(tau: float) -> None:
    rng = np.random.default_rng(20)
    W, x = he_network((5, 12), rng).weights[0], _unit(rng, 5)
    flips = np.count_nonzero((x @ (W + _random_steps(rng, W.shape, tau)) > 0.0) != (x @ W > 0.0), axis=1)
    reached = _flips(W, x, flip_smallest(W, x, tau))
    assert flips.max() <= reached == _most_flips(x @ W, tau)
    assert flips.mean() < reached


@pytest.mark.parametrize("spread", [0.1, 1.0])
def test_none_of_ten_thousand_steps_flips_more_at_several_points(spread: float) -> None:
    rng = np.random.default_rng(21)
    W, X, tau = he_network((5, 12), rng).weights[0], _clustered(rng, 3, 5, spread), 0.2
    moved = np.einsum("nd,cdm->cnm", X, W + _random_steps(rng, W.shape, tau)) > 0.0
    flips = np.count_nonzero(np.any(moved != (X @ W > 0.0), axis=1), axis=1)
    assert flips.max() < _flipped_by(W, X, flip_anywhere(W, X, tau))


def test_none_of_ten_thousand_attacks_on_a_layer_flips_more() -> None:
    rng = np.random.default_rng(22)
    net, x, tau = he_network((4, 10, 10), rng), _unit(rng, 4), 0.1
    pre, _ = _outputs([W + _random_steps(rng, W.shape, tau) for W in net.weights], x)
    start = forward(net, x[np.newaxis])
    flips = np.count_nonzero((pre > 0.0) != (start.masks[1] > 0.5), axis=1)
    reached = flip_counts(start, forward(perturbed(net, flip_layer(net, x, tau, 2)), x[np.newaxis]))[0, 1]
    assert 0 < flips.max() < reached


@pytest.mark.parametrize("tau", [0.01, 0.3])
def test_none_of_ten_thousand_steps_shifts_more(tau: float) -> None:
    rng = np.random.default_rng(23)
    net, x = he_network((4, 6, 6, 6), rng), _unit(rng, 4)
    _, post = _outputs([W + _random_steps(rng, W.shape, tau) for W in net.weights], x)
    shifts = np.linalg.norm(post - forward(net, x[np.newaxis]).post[-1], axis=1)
    assert shifts.max() < _shift(net, x, forward_shift(net, x, tau), 3)


def test_none_of_ten_thousand_steps_raises_the_norm_more() -> None:
    rng = np.random.default_rng(24)
    W, tau = rng.standard_normal((4, 6)), 0.5
    norms = np.linalg.norm(W + _random_steps(rng, W.shape, tau), 2, axis=(1, 2))
    assert norms.max() < operator_norm(W + top_pair(W, tau))


def test_none_of_ten_thousand_choices_of_flips_raises_the_supremum_more() -> None:
    rng = np.random.default_rng(25)
    net = he_network((5, 8, 8), rng)
    fwd, s = forward(net, _unit(rng, 1, 5)), 2
    arriving = np.tile(net.v, (RIVALS, 1))
    for W, mask in zip(reversed(net.weights), reversed(fwd.masks), strict=True):
        switched = np.argsort(rng.random((RIVALS, W.shape[1])), axis=1) < s
        arriving = (np.where(switched, 1.0 - mask, mask) * arriving) @ W.T
    assert sparse_supremum(arriving, s).max() <= _supremum(net, fwd, influential_flips(net, fwd, s), s)


def test_none_of_ten_thousand_networks_of_the_same_norms_has_longer_outputs() -> None:
    rng = np.random.default_rng(26)
    widths, norm = (3, 4, 4), 1.5
    x = np.full(3, 3**-0.5)
    _, post = _outputs([_random_steps(rng, shape, norm) for shape in itertools.pairwise(widths)], x)
    assert np.linalg.norm(post, axis=1).max() < layer_norms(forward(aligned_network(widths, norm), x[np.newaxis]))[0, 2]


def test_none_of_ten_thousand_sparse_vectors_exceeds_the_supremum() -> None:
    rng = np.random.default_rng(27)
    q, s = rng.standard_normal(9), 3
    a = rng.standard_normal((RIVALS, 9)) * (np.argsort(rng.random((RIVALS, 9)), axis=1) < s)
    products = (a @ q) / np.linalg.norm(a, axis=1)
    assert 0.9 * sparse_supremum(q, s) < products.max() <= sparse_supremum(q, s)


def test_none_of_ten_thousand_vectors_is_stretched_more() -> None:
    rng = np.random.default_rng(28)
    net = he_network((4, 6, 8), rng)
    product = masked_product(net, forward(net, _unit(rng, 1, 4)), 0, 1, 2)
    stretched = np.linalg.norm(_unit(rng, RIVALS, 4) @ product.T, axis=1)
    worst = worst_direction(product)
    assert 0.9 * worst.value < stretched.max() <= worst.value == pytest.approx(operator_norm(product), rel=1e-12)


def test_none_of_ten_thousand_coefficients_does_worse() -> None:
    rng = np.random.default_rng(29)
    G = _gram(rng, 4)
    a = _unit(rng, RIVALS, 4)
    b = a / np.abs(a).sum(axis=1, keepdims=True)
    forms = np.einsum("ci,ij,cj->c", b, G, b)
    assert worst_derivatives(G).value <= forms.min()


# --- several points -------------------------------------------------------------------------------


def _clustered(rng: np.random.Generator, n: int, d: int, spread: float) -> Array:
    """Unit points (n, d) about one of their number."""
    X = _unit(rng, n, d)
    return _scaled(X[0] + spread * X)


def _scaled(X: Array) -> Array:
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def _flipped_by(W: Array, X: Array, step: Array) -> int:
    return int(np.count_nonzero(np.any((X @ W > 0.0) != (X @ (W + step) > 0.0), axis=0)))


@given(seeds, st.integers(1, 5), st.sampled_from([0.0, 1e-6, 0.3, 3.0]), st.sampled_from([1e-6, 0.03, 0.3, 3.0]))
def test_points_together_flip_as_many_as_any_alone(seed: int, n: int, spread: float, tau: float) -> None:
    rng = np.random.default_rng(seed)
    W = he_network((6, 40), rng).weights[0]
    X = _clustered(rng, n, 6, spread) * rng.uniform(0.5, 2.0, (n, 1))
    step = flip_anywhere(W, X, tau)
    assert _norm_of_difference(W, step) <= tau
    assert np.linalg.matrix_rank(step) <= n
    assert _flipped_by(W, X, step) >= max(_flipped_by(W, X, flip_smallest(W, x, tau)) for x in X)


@given(seeds, st.sampled_from([0.01, 0.1, 1.0]))
def test_orthogonal_points_are_attacked_with_a_full_radius_each(seed: int, tau: float) -> None:
    rng = np.random.default_rng(seed)
    W = he_network((10, 50), rng).weights[0]
    X = np.linalg.qr(rng.standard_normal((10, 3)))[0].T
    step = flip_anywhere(W, X, tau)
    sizes = np.abs(X @ W)
    alone = [_most_flips(sizes[i, np.argmin(sizes, axis=0) == i], tau * (1 - 1e-9)) for i in range(3)]
    assert sum(alone) <= _flipped_by(W, X, step)
    assert _flipped_by(W, X, step) >= _flipped_by(W, X, flip_smallest(W, X, tau))


def test_points_close_together_no_longer_hamper_the_attack() -> None:
    rng = np.random.default_rng(30)
    W, X = he_network((10, 400), rng).weights[0], _clustered(rng, 3, 10, 0.1)
    assert _flipped_by(W, X, flip_anywhere(W, X, 0.05)) >= 4 * _flipped_by(W, X, flip_smallest(W, X, 0.05))


def test_zero_points_are_refused() -> None:
    with pytest.raises(ValueError, match="1 of the 2 points are zero: leave them out"):
        flip_anywhere(np.ones((3, 4)), np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), 0.1)


# --- revealed layers ------------------------------------------------------------------------------

ATTACKS: dict[str, Callable[[Network, Array], Any]] = {
    "flip_smallest": lambda net, X: (flip_smallest(net.weights[0], X[0], 0.3),),
    "flip_smallest at all": lambda net, X: (flip_smallest(net.weights[0], X, 0.3),),
    "flip_anywhere": lambda net, X: (flip_anywhere(net.weights[0], X, 0.3),),
    "flip_layer": lambda net, X: flip_layer(net, X[0], 0.1, 2),
    "forward_shift": lambda net, X: forward_shift(net, X[0], 0.1),
    "forward_shift of the first": lambda net, X: forward_shift(net, X[0], 0.1, 1),
    "random": lambda net, X: (random_perturbation(net.weights[0], 0.1, np.random.default_rng(0), "rank_one"),),
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_steps_of_revealed_layers_are_those_of_stored_ones(attack: Callable[[Network, Array], Any]) -> None:
    net, twin = _revealed_twin((6, 10, 9, 8), 31)
    X = _unit(np.random.default_rng(31), 3, 6)
    for step, stored in zip(attack(net, X), attack(twin, X), strict=True):
        assert isinstance(step, LowRank)
        assert isinstance(stored, np.ndarray)
        np.testing.assert_allclose(step.dense(), stored, atol=1e-8)


def test_masks_of_revealed_layers_are_those_of_stored_ones() -> None:
    net, twin = _revealed_twin((6, 10, 10), 32)
    X = _unit(np.random.default_rng(32), 3, 6)
    for which in itertools.pairwise([influential_flips(which, forward(which, X), 2) for which in (net, twin)]):
        for mask, stored in zip(*which, strict=True):
            np.testing.assert_array_equal(mask, stored)


def test_wide_revealed_layer_is_flipped_as_far_as_the_norm_allows() -> None:
    rng = np.random.default_rng(33)
    net, X, tau = revealed_network((8, 20_000, 20_000), rng), _unit(rng, 3, 8), 0.002
    start, W = forward(net, X), net.weights[1]
    before = W + random_perturbation(W, 1.0, rng, "rank_one")
    # The second layer has moved already, which costs the step nothing of its radius.
    for layer in (W, before):
        x, pre = start.post[1][0], start.post[1][0] @ layer
        moved = layer + flip_smallest(layer, x, tau)
        assert operator_norm(moved - layer) <= tau
        flips = np.count_nonzero((x @ moved > 0.0) != (pre > 0.0))
        reach = tau * float(np.linalg.norm(x))
        assert 0 < _most_flips(pre, reach * (1 - 1e-6)) <= flips <= _most_flips(pre, reach)


def test_pre_activations_of_the_size_of_rounding_are_flipped_in_revealed_layers() -> None:
    rng = np.random.default_rng(8)
    (W,), x = revealed_network((40, 300), rng).weights, _unit(rng, 40)
    # Planted, as all that rounding leaves may be zero.
    planted = 1e-16 * rng.choice([-1.0, 1.0], 300)
    W = W - LowRank(x[np.newaxis], (x @ W - planted)[np.newaxis])
    assert np.abs(x @ W).max() < 1e-14
    # A revealed layer may answer for a point that is off by a few roundings, and the flips outlast that.
    nearby = x * (1.0 + 1e-14 * rng.standard_normal(40))
    assert np.all((nearby @ (W + flip_smallest(W, x, 1e-6)) > 0.0) != (x @ W > 0.0))


def test_attacks_on_wide_revealed_layers_stay_within_their_radius() -> None:
    rng = np.random.default_rng(34)
    net, X, tau = revealed_network((8, 3000, 3000), rng), _unit(rng, 2, 8), 0.01
    start = forward(net, X)
    random = perturbed(net, [random_perturbation(W, tau, rng, "rank_one") for W in net.weights])
    for steps in (forward_shift(net, X[0], tau, sweeps=3), flip_layer(net, X[0], tau, 2)):
        moved = perturbed(net, steps)
        after = forward(moved, X)
        assert all(operator_norm(a - b) <= tau for a, b in zip(moved.weights, net.weights, strict=True))
        assert np.linalg.norm((after.post[2] - start.post[2])[0]) >= 4.0 * _moved_by(random, start, X)
        assert flip_counts(start, after)[0, 1] > flip_counts(start, forward(random, X))[0, 1]


def _moved_by(net: Network, start: Forward, X: Array) -> float:
    return float(np.linalg.norm((forward(net, X).post[-1] - start.post[-1])[0]))


def test_what_a_revealed_layer_cannot_give_is_refused() -> None:
    (W,) = revealed_network((3, 4), np.random.default_rng(0)).weights
    with pytest.raises(ValueError, match="layer is revealed, and its top singular pair would take all directions"):
        top_pair(W, 0.1)
    with pytest.raises(ValueError, match="Gaussian step of a revealed layer has no low rank: pass kind='rank_one'"):
        random_perturbation(W, 0.1, np.random.default_rng(0))


# --- vectors --------------------------------------------------------------------------------------


def _gram(rng: np.random.Generator, n: int, rank: int | None = None) -> Array:
    """A random positive semidefinite matrix with nearly dependent rows, of full rank by default."""
    F = _clustered(rng, n, rank or n + 1, 0.5) * rng.choice([-1.0, 1.0], (n, 1))
    return F @ F.T


@given(seeds, st.integers(2, 4), st.integers(2, 12), st.integers(1, 9))
def test_worst_direction_of_an_operator_is_the_top_singular_pair(seed: int, depth: int, m: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    net = he_network((d, *[m] * (depth - 1), 2 * m), rng)
    fwd = forward(net, _unit(rng, 1, d))
    product = masked_product(net, fwd, 0, 1, depth)
    found = worst_direction(masked_product_operator(net, fwd, 0, 1, depth))
    assert found.value == pytest.approx(operator_norm(product), rel=1e-9)
    assert found.value == pytest.approx(np.linalg.norm(product @ found.right), rel=1e-9)
    if found.value > 0.0:
        np.testing.assert_allclose(product @ found.right, found.value * found.left, atol=1e-12 * found.value)


def test_few_products_give_a_direction_and_what_it_attains(monkeypatch: pytest.MonkeyPatch) -> None:
    net, twin = _revealed_twin((40, 60, 60), 35)
    fwd = forward(twin, _unit(np.random.default_rng(35), 1, 40))
    product = masked_product(twin, fwd, 0, 1, 2)
    values = []
    for steps in (1, 4, 8):
        monkeypatch.setattr(nets.worst_cases.adversaries, "STEPS", steps)
        found = worst_direction(masked_product_operator(net, fwd, 0, 1, 2))
        np.testing.assert_allclose(product @ found.right, found.value * found.left, atol=1e-10)
        assert np.linalg.norm(found.right) == pytest.approx(1.0, abs=1e-12)
        values.append(found.value)
    assert values[0] < values[1] < values[2] <= operator_norm(product) * (1 + 1e-12)
    assert values[2] >= 0.99 * operator_norm(product)


def _least_on_faces(G: Array, signs: Array) -> float:
    """The least b^T G b with b_i signs_i >= 0 and sum |b_i| = 1: the stationary points of all faces, one by one."""
    H, least = signs[:, np.newaxis] * G * signs, math.inf
    for size in range(1, len(G) + 1):
        for face in map(list, itertools.combinations(range(len(G)), size)):
            c = np.linalg.solve(H[np.ix_(face, face)], np.ones(size))
            if np.all(c >= 0.0):
                least = min(least, 1.0 / c.sum())
    return least


@given(seeds, st.integers(1, 6))
def test_the_margin_of_given_labels_is_the_best_of_all_faces(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    G, signs = _gram(rng, n), rng.choice([-1.0, 1.0], n)
    assert largest_margin(G, signs).high ** 2 == pytest.approx(_least_on_faces(G, signs), rel=1e-8)


@given(seeds, st.integers(1, 6))
def test_worst_derivatives_over_all_labels_are_the_best_of_each(seed: int, n: int) -> None:
    G = _gram(np.random.default_rng(seed), n)
    b, value = worst_derivatives(G)
    each = [_least_on_faces(G, np.array(labels)) for labels in itertools.product([1.0, -1.0], repeat=n)]
    assert value == pytest.approx(min(each), rel=1e-8)
    assert value == pytest.approx(_least_on_faces(G, np.where(b < 0.0, -1.0, 1.0)), rel=1e-8)
    # What the least eigenvalue says of them is true, and not the whole truth.
    assert value >= np.linalg.eigvalsh(G)[0] / n * (1 - 1e-9)


@given(seeds, st.integers(4, 8))
def test_worst_derivatives_of_many_are_worst_among_their_neighbours(seed: int, n: int) -> None:
    G = _gram(np.random.default_rng(seed), n)
    exact = worst_derivatives(G).value
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nets.worst_cases.adversaries.ENUMERATED", 3)
        b, value = worst_derivatives(G)
    labels = np.where(b < 0.0, -1.0, 1.0)
    neighbours = [largest_margin(G, np.where(np.arange(n) == i, -labels, labels)).high ** 2 for i in range(n)]
    assert exact * (1 - 1e-9) <= value <= min(neighbours) * (1 + 1e-8)


def test_worst_derivatives_of_dependent_features_vanish() -> None:
    G = _gram(np.random.default_rng(36), 5, rank=3)
    b, value = worst_derivatives(G)
    assert abs(value) <= 1e-12
    assert np.abs(b).sum() == pytest.approx(1.0)


def test_worst_derivatives_of_equal_features_spread_evenly() -> None:
    b, value = worst_derivatives(np.eye(20))
    np.testing.assert_allclose(np.abs(b), 0.05, rtol=1e-12)
    assert value == pytest.approx(0.05)


def test_worst_derivatives_are_those_of_the_smallest_gradient() -> None:
    rng = np.random.default_rng(37)
    net, X = he_network((4, 8, 16), rng), _unit(rng, 5, 4)
    fwd = forward(net, X)
    b, value = worst_derivatives(gated_gram(fwd))
    gradient = output_gradient(net, fwd, b / 5)[-1]
    assert float(np.sum(gradient**2)) == pytest.approx(16 / 5**2 * value, rel=1e-9)


# --- ascent ---------------------------------------------------------------------------------------


def _radii(net: Network, tau: float) -> list[float]:
    return [step_radius(W, tau) for W in net.weights]


def _still(net: Network) -> list[Any]:
    return [no_step(W) for W in net.weights]


@given(seeds, st.sampled_from([0.1, 2.0]))
def test_ascent_of_a_linear_function_reaches_the_nuclear_norm(seed: int, radius: float) -> None:
    rng = np.random.default_rng(seed)
    C = rng.standard_normal((3, 5))
    found = projected_ascent(
        lambda steps: float(np.sum(C * steps[0])), [np.zeros_like(C)], [radius], rng, 1, 30, lambda steps: (C,)
    )
    # Norms are dual: sup of <C, dW> over ||dW||_2 <= radius.
    assert found.value == pytest.approx(radius * np.linalg.norm(C, "nuc"), rel=1e-9)
    assert operator_norm(found.best[0]) <= radius * (1 + 1e-12)


def test_ascent_without_gradient_comes_near() -> None:
    rng = np.random.default_rng(38)
    C = rng.standard_normal((3, 5))
    found = projected_ascent(lambda steps: float(np.sum(C * steps[0])), [np.zeros_like(C)], [1.0], rng, 2, 300)
    assert 0.97 * np.linalg.norm(C, "nuc") <= found.value <= np.linalg.norm(C, "nuc")


def test_ascent_on_revealed_layers_is_that_on_stored_ones() -> None:
    net, twin = _revealed_twin((4, 6, 6), 39)
    x = _unit(np.random.default_rng(39), 4)
    reports = [
        projected_ascent(_shift_of(which, x), _still(which), _radii(net, 0.3), np.random.default_rng(1), 2, 30)
        for which in (net, twin)
    ]
    assert reports[0].value == pytest.approx(reports[1].value, rel=1e-8)
    assert reports[0].value > 0.0
    assert _shift_of(net, x)(reports[0].best) == pytest.approx(reports[0].value, rel=1e-12)
    for step, stored in zip(*(report.best for report in reports), strict=True):
        assert operator_norm(step) <= 0.3
        np.testing.assert_allclose(step.dense(), stored, atol=1e-8)


def test_ascent_spends_its_budget() -> None:
    calls = []

    def objective(steps: tuple[Array, ...]) -> float:
        calls.append(operator_norm(steps[0]))
        return float("nan") if len(calls) == 3 else float(len(calls))

    found = projected_ascent(objective, [np.zeros((2, 3))], [0.5], np.random.default_rng(0), starts=3, steps=7)
    assert len(calls) == 3 * (7 + 1)
    assert max(calls) <= 0.5 * (1 + 1e-12)
    assert found.value == len(calls)


def test_ascent_keeps_no_step_that_is_worse_or_not_a_number() -> None:
    start = np.full((2, 2), 0.1)
    for worse in (-1.0, float("nan")):
        found = projected_ascent(
            lambda steps, worse=worse: 0.0 if steps[0] is start else worse,  # type: ignore[misc]
            [start],
            [1.0],
            np.random.default_rng(0),
        )
        assert found.best[0] is start
        assert found.value == 0.0


def test_ascent_wanders_on_plateaus() -> None:
    start = np.full((2, 2), 0.1)
    found = projected_ascent(lambda steps: 0.0, [start], [1.0], np.random.default_rng(0), 1)
    assert np.linalg.norm(found.best[0] - start) > 0.1


@pytest.mark.parametrize(
    ("starts", "radii", "complaint"),
    [
        (0, [1.0], "choose starts >= 1, and one radius per step"),
        (2, [1.0, 1.0], "choose starts >= 1, and one radius per step"),
        (2, [0.5], r"have norms \[1.0\] for radii \[0.5\]: start inside the balls"),
    ],
)
def test_ascents_that_cannot_start_are_refused(starts: int, radii: list[float], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        projected_ascent(lambda steps: 0.0, [np.eye(2)], radii, np.random.default_rng(0), starts)


# --- what is heuristic, against plain ascent and against all choices ------------------------------


def _shift_of(net: Network, x: Array) -> Callable[[tuple[Any, ...]], float]:
    """How far steps move the last layer at x, as an objective."""
    start = forward(net, x[np.newaxis])
    return lambda steps: _moved_by(perturbed(net, steps), start, x[np.newaxis])


def _shift_gradient(net: Network, x: Array) -> Callable[[tuple[Any, ...]], tuple[Array, ...]]:
    start = forward(net, x[np.newaxis])

    def gradient(steps: tuple[Any, ...]) -> tuple[Array, ...]:
        current = perturbed(net, steps)
        fwd = forward(current, x[np.newaxis])
        bwd = backward(current, fwd, (fwd.post[-1] - start.post[-1])[0])
        return tuple(left.T @ right for left, right in zip(fwd.post[:-1], bwd.b, strict=True))

    return gradient


def test_ascent_flips_no_more_at_several_points() -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        W, X, tau = he_network((6, 24), rng).weights[0], _clustered(rng, 3, 6, (0.2, 1.0, 5.0)[seed % 3]), 0.1
        own = flip_anywhere(W, X, tau)
        for start in (np.zeros_like(W), own):
            climbed = projected_ascent(
                lambda steps, W=W, X=X: float(_flipped_by(W, X, steps[0])),  # type: ignore[misc]
                [start],
                [step_radius(W, tau)],
                rng,
                2,
                150,
            )
            assert climbed.value <= _flipped_by(W, X, own)


def test_ascent_flips_no_more_in_a_deeper_layer() -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        net, x, tau = he_network((4, 12, 12), rng), _unit(rng, 4), 0.05
        start = forward(net, x[np.newaxis])

        def flips(steps: tuple[Array, ...], net: Network = net, x: Array = x, start: Forward = start) -> float:
            return float(flip_counts(start, forward(perturbed(net, steps), x[np.newaxis]))[0, 1])

        own = flip_layer(net, x, tau, 2)
        for origin in (_still(net), own):
            assert projected_ascent(flips, origin, _radii(net, tau), rng, 2, 100).value <= flips(own)


@pytest.mark.parametrize("tau", [0.01, 0.3])
def test_ascent_shifts_hardly_further(tau: float) -> None:
    gains = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        net, x = he_network((4, 6, 6, 6), rng), _unit(rng, 4)
        objective, reached = _shift_of(net, x), _shift(net, x, forward_shift(net, x, tau), 3)
        blind = projected_ascent(objective, _still(net), _radii(net, tau), rng, 2, 100)
        assert blind.value <= reached
        steep = projected_ascent(objective, _still(net), _radii(net, tau), rng, 4, 40, _shift_gradient(net, x))
        if steep.value > 0.0:
            gains.append(steep.value / max(reached, math.ulp(0.0)))
    # Long steps open and close gates, so that there are many local maxima and neither finds all of them.
    assert max(gains) <= 1.05
    assert np.mean(gains) <= 1.0 + 1e-4


def test_dead_networks_are_shifted_by_opening_their_gates() -> None:
    net, x = Network((-np.ones((2, 2)), np.ones((2, 2))), np.array([1.0, -1.0])), np.array([0.6, 0.8])
    assert not forward(net, x[np.newaxis]).post[1].any()
    assert _shift(net, x, forward_shift(net, x, 2.0), 2) > 0.0


@given(seeds, st.sampled_from([0.01, 0.3, 3.0]))
def test_shift_of_the_first_layer_is_the_largest_there_is(seed: int, tau: float) -> None:
    rng = np.random.default_rng(seed)
    net, x = he_network((3, 4), rng), _unit(rng, 3)
    # A neuron that is active moves as far as the weights; one that is not loses the way to its kink.
    best = max(0.0, tau + min(0.0, float((x @ net.weights[0]).max())))
    assert _shift(net, x, forward_shift(net, x, tau), 1) == pytest.approx(best, rel=1e-9, abs=1e-12)


def _supremum(net: Network, fwd: Forward, masks: tuple[Array, ...], s: int, layer: int = 1) -> float:
    return float(sparse_supremum(backward(net, replace(fwd, masks=masks)).q[layer - 1], s)[0])


def _all_flips(mask: Array, s: int) -> list[Array]:
    """All masks that differ from a mask (1, m) in s places at most."""
    places = [p for size in range(s + 1) for p in itertools.combinations(range(mask.shape[1]), size)]
    return [np.abs(mask - np.isin(np.arange(mask.shape[1]), p)) for p in places]


@pytest.mark.parametrize("s", [1, 2])
def test_influential_flips_come_near_the_best_of_all(s: int) -> None:
    shares = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        net = he_network((5, 6, 6), rng)
        fwd = forward(net, _unit(rng, 1, 5))
        best = max(_supremum(net, fwd, masks, s) for masks in itertools.product(*(_all_flips(m, s) for m in fwd.masks)))
        shares.append(_supremum(net, fwd, influential_flips(net, fwd, s), s) / best)
    assert min(shares) >= 0.95
    assert np.median(shares) == pytest.approx(1.0)
    assert max(shares) <= 1.0 + 1e-12


@pytest.mark.parametrize(("s", "sweeps"), [(0, 4), (2, 0)])
def test_flips_of_nothing_are_refused(s: int, sweeps: int) -> None:
    net = he_network((3, 4), np.random.default_rng(0))
    with pytest.raises(ValueError, match="choose at least one of each"):
        influential_flips(net, forward(net, np.ones((1, 3))), s, sweeps=sweeps)


def test_influential_flips_of_one_layer_are_the_best_of_all() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        net = he_network((4, 6, 8), rng)
        fwd = forward(net, _unit(rng, 1, 4))
        every = [(fwd.masks[0], last) for last in _all_flips(fwd.masks[1], 2)]
        best = max(_supremum(net, fwd, masks, 2, layer=2) for masks in every)
        chosen = influential_flips(net, fwd, 2, layer=2)
        np.testing.assert_array_equal(chosen[0], fwd.masks[0])
        assert _supremum(net, fwd, chosen, 2, layer=2) == pytest.approx(best)

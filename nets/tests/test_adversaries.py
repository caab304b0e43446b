"""Adversaries stay within their radius, do what they promise, and beat random perturbations."""

from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nets.adversaries import (
    aligned_network,
    flip_layer,
    flip_smallest,
    forward_shift,
    influential_flips,
    random_perturbation,
    top_pair,
)
from nets.arrays import Array
from nets.forward import Forward, forward
from nets.gradients import backward
from nets.network import Network, he_network, perturbed
from nets.operators import (
    certified_flip_bound,
    flip_counts,
    flipped_anywhere,
    layer_norms,
    operator_norm,
    sparse_supremum,
)
from nets.tests.draws import cases, seeds

radii = st.sampled_from([1e-6, 1e-3, 0.03, 0.3, 3.0])


def _unit(rng: np.random.Generator, *shape: int) -> Array:
    X = rng.standard_normal(shape)
    return X / np.linalg.norm(X, axis=-1, keepdims=True)


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
    rng = np.random.default_rng(8)
    W, x = he_network((40, 300), rng).weights[0], _unit(rng, 40)
    W -= np.outer(x, x @ W)
    assert 0.0 < np.abs(x @ W).max() < 1e-15
    assert _flips(W, x, flip_smallest(W, x, 1e-6)) == 300


def test_exact_zeros_are_flipped_open() -> None:
    W, x = np.zeros((3, 4)), np.ones(3)
    assert _flips(W, x, flip_smallest(W, x, 1e-3)) == 4


def test_flips_reach_the_certified_bound_within_a_factor() -> None:
    rng = np.random.default_rng(3)
    W, x = he_network((20, 2000), rng).weights[0], _unit(rng, 20)
    flips, bound = _flips(W, x, flip_smallest(W, x, 0.02)), certified_flip_bound((x @ W)[np.newaxis], [0.02])
    assert flips <= bound[0] <= 4.0 * flips


def test_neurons_flipped_already_cost_nothing() -> None:
    rng = np.random.default_rng(4)
    W, x = he_network((6, 40), rng).weights[0], _unit(rng, 6)
    mask = x @ W > 0.0
    mask[:10] = ~mask[:10]
    step = flip_smallest(W, x, 0.2, masks=mask)
    assert np.all((x @ (W + step) > 0.0)[:10] != mask[:10])
    assert np.count_nonzero((x @ (W + step) > 0.0) != mask) > 10


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


@given(cases(), st.integers(1, 8))
def test_influential_flips_open_so_many_neurons(case: tuple[Network, Array], s: int) -> None:
    net, X = case
    fwd = forward(net, X)
    for mask, changed in zip(fwd.masks, influential_flips(net, fwd, s), strict=True):
        opened = np.minimum(s, (mask == 0.0).sum(axis=1))
        np.testing.assert_array_equal((changed - mask).sum(axis=1), opened)
        assert set(np.unique(changed)) <= {0.0, 1.0}
        assert np.all(changed >= mask)


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
    np.testing.assert_allclose([operator_norm(W) for W in net.weights], norm, rtol=1e-14)
    np.testing.assert_allclose(layer_norms(fwd)[0], norm ** np.arange(4.0), rtol=1e-14)
    np.testing.assert_allclose(fwd.output, norm**3 * 3**0.5, rtol=1e-14)
    assert net.v.sum() == 0.0


@given(seeds, st.sampled_from(["gaussian", "rank_one"]), st.sampled_from([1e-6, 1.0]))
def test_random_perturbation_has_the_norm_asked(seed: int, kind: Literal["gaussian", "rank_one"], tau: float) -> None:
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((5, 8))
    step = random_perturbation(W, tau, rng, kind)
    assert tau * (1.0 - 1e-8) <= operator_norm(step) <= tau
    assert np.linalg.matrix_rank(step) == (1 if kind == "rank_one" else 5)

"""The first-order part of a step, the sizes of what it sums, and networks whose kinks lie in the way of a step."""

import numpy as np
import pytest
from numpy.random import Generator

from nets.data.points import SphereSource, sphere
from nets.networks.forward import forward
from nets.networks.gradients import loss_coefficients, output_gradient
from nets.networks.losses import LOGISTIC
from nets.networks.network import Network, balanced_signs, he_network, perturbed
from nets.networks.operators import operator_norm
from properties.zou2018.expansion import (
    BEFORE_KINK,
    NETWORK_PAIRS,
    TwoNetworks,
    absolute,
    arriving,
    beyond_first_order,
    draw_outputs,
    draw_start,
    draw_step,
    flip_terms,
    forward_size,
    gradient_size,
    linear_size,
    linear_terms,
    loss_size,
    output_error,
    output_remainder,
    passed_on,
    remainder_symbols,
    second_order_norms,
    telescoping_size,
    two_pass_operations,
)
from properties.zou2018.gradient_step import FreeStep, GradientStep
from properties.zou2018.worst_networks import (
    WEIGHTS,
    aligned_network,
    integer_network,
    lower_kink,
    own_kink,
    two_channels,
)


@pytest.fixture
def rng() -> Generator:
    """One generator for each test."""
    return np.random.default_rng(41)


@pytest.fixture
def start(rng: Generator) -> tuple[np.ndarray, np.ndarray, Network]:
    """Three samples and a network of three layers."""
    return sphere(3, 4, rng), np.array([1.0, -1.0, 1.0]), he_network((4, 6, 8, 6), rng)


Start = tuple[np.ndarray, np.ndarray, Network]


def test_what_arrives_at_the_outputs_is_the_product_of_the_layers_above(start: Start) -> None:
    X, _, net = start
    fwd = forward(net, X)
    found = arriving(net, fwd)
    assert [back.shape for back in found] == [(3, 6), (3, 8), (3, 6)]
    for i in range(3):
        product = net.v
        assert found[2][i] == pytest.approx(product, rel=1e-14)
        for layer in (2, 1):
            product = net.weights[layer] @ (fwd.masks[layer][i] * product)
            assert found[layer - 1][i] == pytest.approx(product, rel=1e-12, abs=1e-12)


def test_linear_terms_are_the_slopes_of_the_outputs_along_the_step(start: Start) -> None:
    """One layer moved at a time, by a step so short that no gate changes."""
    X, y, net = start
    fwd = forward(net, X)
    gradients = output_gradient(net, fwd, loss_coefficients(fwd, y, LOGISTIC))
    terms, eta, h = linear_terms(net, fwd, gradients, 0.3), 0.3, 1e-6
    for layer in range(3):
        steps = [np.zeros_like(W) for W in net.weights]
        steps[layer] = -h * eta * gradients[layer]
        ends = [forward(perturbed(net, [sign * step for step in steps]), X).output for sign in (1.0, -1.0)]
        assert terms[:, layer] == pytest.approx((ends[0] - ends[1]) / (2.0 * h), abs=1e-7)


def test_moves_passed_on_through_an_open_gate_of_their_own(start: Start) -> None:
    """Without the own gate the move of the last layer arrives as it is, with it only on active neurons."""
    X, _, net = start
    fwd = forward(net, X)
    moves = [np.ones_like(pre) for pre in fwd.pre]
    gated, open_ = passed_on(net, fwd, moves), passed_on(net, fwd, moves, own_gate=False)
    assert np.array_equal(gated[2], fwd.masks[2])
    assert np.array_equal(open_[2], np.ones((3, 6)))
    by_hand = ((fwd.masks[0] @ net.weights[1]) * fwd.masks[1] @ net.weights[2]) * fwd.masks[2]
    assert gated[0] == pytest.approx(by_hand, rel=1e-12, abs=1e-14)


def test_sizes_bound_what_they_are_the_sizes_of(start: Start) -> None:
    X, y, net = start
    fwd = forward(net, X)
    coefficients = loss_coefficients(fwd, y, LOGISTIC)
    gradients = output_gradient(net, fwd, coefficients)
    sizes = gradient_size(net, fwd, coefficients)
    room = 1.0 + 1e-12
    assert all(np.all(post <= size * room) for post, size in zip(fwd.post[1:], forward_size(net, fwd)[1:], strict=True))
    assert all(np.all(np.abs(G) <= size * room) for G, size in zip(gradients, sizes, strict=True))
    assert np.all(np.abs(linear_terms(net, fwd, gradients, 0.1)) <= linear_size(net, fwd, sizes, 0.1) * room)


def test_sizes_are_attained_where_nothing_cancels(start: Start) -> None:
    """Positive points, weights, signs and coefficients: then the size is the thing itself."""
    X, _, net = start
    X, net = np.abs(X), absolute(net)
    assert all(np.all(W >= 0.0) for W in net.weights)
    assert np.array_equal(net.v, np.ones(6))
    fwd, coefficients = forward(net, X), np.array([1.0, 2.0, 3.0])
    gradients = output_gradient(net, fwd, coefficients)
    for post, size in zip(fwd.post, forward_size(net, fwd), strict=True):
        assert size == pytest.approx(post, rel=1e-12)
    for G, size in zip(gradients, gradient_size(net, fwd, coefficients), strict=True):
        assert size == pytest.approx(G, rel=1e-12)
    terms = linear_terms(net, fwd, gradients, 0.1)
    assert linear_size(net, fwd, gradients, 0.1) == pytest.approx(-terms, rel=1e-12)


def test_two_passes_round_in_every_width_twice() -> None:
    assert two_pass_operations(Network((np.ones((3, 4)), np.ones((4, 2))), balanced_signs(2))) == 2 * (3 + 4 + 2 + 8)


@pytest.mark.parametrize("weights", [*WEIGHTS, "two channels"])
@pytest.mark.parametrize("depth", [1, 2])
def test_each_start_is_the_one_of_its_name(weights: str, depth: int, rng: Generator) -> None:
    X, y, net = draw_start(rng, SphereSource(), depth, 16, 3, 5, FreeStep(weights, "logistic", norm=2.0, size=0.1))
    assert X.shape == (3, 5)
    assert net.widths == ((5, 16) if depth == 1 else (5, 8, 16))
    assert np.all(X[0] == X) == np.all(y == 1.0) == (weights != "Gaussian")
    if weights != "Gaussian":
        sizes = net.widths[1:]
        # A single layer has none below it, so that its kink is its own.
        own, channels = own_kink(X[0], sizes, 2.0, 0.2), two_channels(X[0], sizes, 1.0, 2.0)
        kinds = {"two channels": channels, **dict.fromkeys(("own kink", "lower kink", "aligned"), own)}
        if depth > 1:
            kinds |= {"lower kink": lower_kink(X[0], sizes, 2.0), "aligned": aligned_network(X[0], sizes, 2.0)}
        assert all(np.array_equal(W, V) for W, V in zip(net.weights, kinds[weights].weights, strict=True))


def test_a_step_that_is_drawn_is_as_long_as_its_share_of_the_norm() -> None:
    drawn = FreeStep("aligned", "logistic", norm=2.0, size=0.1)
    y, step = draw_step(np.random.default_rng(3), SphereSource(), 2, 16, 3, 5, drawn)
    assert np.array_equal(y, np.ones(3))
    assert max(step.eta * operator_norm(G) for G in step.gradients) == pytest.approx(0.2, rel=1e-9)
    label, before, after = draw_outputs(np.random.default_rng(3), SphereSource(), 2, 16, 3, 5, drawn)
    for found, wanted in ((label, y), (before, step.start.output), (after, step.end.output)):
        assert np.array_equal(found, wanted)


def test_outputs_are_unrelated_or_lie_just_before_the_kink_of_the_hinge(rng: Generator) -> None:
    drawn = FreeStep("two channels", "logistic", norm=2.0, size=1e-3)
    _, start, _ = draw_outputs(rng, SphereSource(), 2, 16, 3, 5, drawn)
    _, before, after = draw_outputs(rng, SphereSource(), 2, 16, 3, 5, drawn, before_kink=True)
    assert start == pytest.approx(np.zeros(3), abs=1e-12)
    assert np.all((before > 0.998) & (before < 1.0) & (after > 1.0))
    assert BEFORE_KINK < 1.0
    _, one, other = draw_outputs(rng, SphereSource(), 2, 16, 3, 5, drawn._replace(weights="unrelated"))
    assert np.abs(one - other).min() > 1e-3


@pytest.mark.parametrize("pair", NETWORK_PAIRS)
def test_two_networks_are_unrelated_or_a_step_apart(pair: str, rng: Generator) -> None:
    X, net, other = TwoNetworks(pair, "logistic", 0.25).of(rng, SphereSource(), 2, 6, 3, 5)
    moves = [operator_norm(V - W) for W, V in zip(net.weights, other.weights, strict=True)]
    assert X.shape == (3, 5)
    if pair == "integer weights":
        entries = np.concatenate([X.ravel(), *(W.ravel() for W in (*net.weights, *other.weights))])
        assert set(entries) == {-2.0, -1.0, 0.0, 1.0, 2.0}
    elif pair == "unrelated":
        assert min(moves) > 0.5
    else:
        assert max(moves) == pytest.approx(0.25, rel=1e-9)
        assert max(np.linalg.matrix_rank(V - W, tol=1e-9) for W, V in zip(net.weights, other.weights, strict=True)) <= (
            1 if pair == "rank-one step" else 3
        )


def test_the_size_of_the_telescoping_sum_is_that_of_its_terms_without_signs(rng: Generator) -> None:
    """With weights, points and output signs that are positive all products are, and nothing cancels."""
    X = np.abs(sphere(2, 4, rng))
    net, other = absolute(integer_network((4, 6, 8), rng)), absolute(integer_network((4, 6, 8), rng))
    start, end = forward(net, X), forward(other, X)
    wanted = start.output + end.output
    for k, (W, V) in enumerate(zip(net.weights, other.weights, strict=True)):
        wanted = wanted + np.sum(arriving(net, start)[k] * (end.post[k] @ (2.0 * W + np.abs(V - W))), axis=1)
    assert telescoping_size(net, other, start, end) == pytest.approx(wanted, rel=1e-12)
    assert np.all(wanted > 0.0)


def test_rounding_bounds_cover_what_single_precision_loses_in_its_units(start: Start) -> None:
    """A pass in single precision has 2^29 times the rounding errors, and they are within as many times the bound."""
    X, y, net = start
    step = GradientStep.of(net, X, y, LOGISTIC, 0.5)
    rough = []
    for ends in (step.before, step.after):
        x = X.astype(np.float32)
        for W in ends.weights:
            x = np.maximum(x @ W.astype(np.float32), np.float32(0.0))
        rough.append(x @ ends.v.astype(np.float32))
    error = output_error(step)
    assert np.all(np.abs(rough[1] - rough[0] - (step.end.output - step.start.output)) <= 2.0**29 * error)
    assert np.all((error > 0.0) & (error < 1e-10))
    assert loss_size(step, y, LOGISTIC) > float(np.mean(LOGISTIC.value(y * step.start.output)))


def test_the_remainder_is_of_second_order_and_below_its_symbols(rng: Generator) -> None:
    """At aligned layers and a label that they miss by far, where no activation flips."""
    X, y = np.tile(sphere(1, 4, rng), (2, 1)), -np.ones(2)
    net = aligned_network(X[0], (6, 8, 8), 2.0)
    found = []
    for eta in (1e-4, 1e-3):
        step = GradientStep.of(net, X, y, LOGISTIC, eta)
        coefficients = loss_coefficients(step.start, y, LOGISTIC)
        beyond = beyond_first_order(step, slice(0, 3))
        left = output_remainder(step, coefficients, slice(0, 3))
        assert np.all(left <= np.abs(beyond))
        assert left == pytest.approx(np.abs(beyond), rel=1e-3)
        symbols = remainder_symbols(step, lower=True)
        assert symbols["eta"] == eta
        assert np.array_equal(symbols["SumGam"], np.zeros(2))
        mean = step.derivatives.sum() / 2.0
        assert np.all(left <= float(symbols["prodW"]) * 8.0**1.5 * (eta * mean) ** 2)
        found.append(left[0])
        # Without the first layer's linear term what is left is of first order.
        assert np.all(output_remainder(step, coefficients, slice(1, 3)) > 10.0 * left)
    assert found[1] / found[0] == pytest.approx(100.0, rel=0.05)


def test_flip_terms_and_second_order_norms_are_those_written_out(start: Start) -> None:
    X, y, net = start
    step = GradientStep.of(net, X, y, LOGISTIC, 2.0)
    terms, lower_left_out = flip_terms(step), flip_terms(step, lower=False)
    infinite = flip_terms(step, order=np.inf)
    backs = arriving(net, step.start)
    assert sum(np.abs(a - b).sum() for a, b in zip(step.end.masks, step.start.masks, strict=True)) > 0
    for i in range(3):
        for layer in range(3):
            flipped = step.start.masks[layer][i] != step.end.masks[layer][i]
            back = np.linalg.norm(backs[layer][i][flipped])
            largest = np.abs(backs[layer][i][flipped]).max(initial=0.0)
            own = 2.0 * np.linalg.norm(step.gradients[layer], 2) * np.linalg.norm(step.end.post[layer][i])
            moved = np.linalg.norm(step.end.post[layer][i] - step.start.post[layer][i])
            below = np.linalg.norm(net.weights[layer], 2) * moved
            assert terms[i, layer] == pytest.approx(back * (own + below), rel=1e-9, abs=1e-12)
            assert lower_left_out[i, layer] == pytest.approx(back * own, rel=1e-9, abs=1e-12)
            assert infinite[i, layer] == pytest.approx(largest * (own + below), rel=1e-9, abs=1e-12)
    longest = np.array([np.linalg.norm(post, axis=1).max() for post in step.start.post[:-1]])
    prod_w = step.stretched(step.own_moves)
    wanted = [0.0, *(step.downstream[k] ** 2 * longest[k] * prod_w[k - 1] for k in (1, 2))]
    assert second_order_norms(step) == pytest.approx(wanted, rel=1e-12)

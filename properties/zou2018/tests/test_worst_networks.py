"""Networks that a step moves more than others of their norms, or turns on and off at their kinks."""

import numpy as np
import pytest
from numpy.random import Generator

from nets.data.points import sphere
from nets.networks.forward import forward
from nets.networks.losses import HINGE, LOGISTIC
from nets.networks.network import Network, balanced_signs, he_network
from nets.networks.operators import operator_norm
from properties.zou2018.expansion import flip_terms, linear_terms
from properties.zou2018.gradient_step import GradientStep, same_points, step_size
from properties.zou2018.worst_networks import (
    aligned_network,
    integer_network,
    lower_kink,
    own_kink,
    two_channels,
    uneven_widths,
)


@pytest.fixture
def rng() -> Generator:
    """One generator for each test."""
    return np.random.default_rng(41)


def test_uneven_widths_alternate() -> None:
    assert uneven_widths(3, 4, 1) == (3, 4)
    assert uneven_widths(3, 4, 4) == (3, 4, 8, 4, 8)


def test_two_channels_carry_the_signal_and_stretch_what_a_step_adds(rng: Generator) -> None:
    """The signal has the same norm in all layers, v returns along the second channel, and the output is zero."""
    x, signal, norm = sphere(1, 5, rng)[0], 1.5, 3.0
    net = two_channels(x, (6, 8, 10), signal, norm)
    fwd = forward(net, x[np.newaxis])
    assert [np.linalg.norm(post) for post in fwd.post[1:]] == pytest.approx([signal] * 3, rel=1e-12)
    assert [operator_norm(W) for W in net.weights] == pytest.approx([signal, norm, norm], rel=1e-12)
    assert fwd.output == pytest.approx([0.0], abs=1e-12)
    assert fwd.masks[-1].sum() == 8
    # Of one neuron more of the sign +1 than of the sign -1 the network has an output.
    assert forward(two_channels(x, (6, 8, 10), signal, norm, dead=(-1,)), x[np.newaxis]).output[0] > 0.1
    assert np.array_equal(net.v, balanced_signs(10))


def test_a_step_moves_the_output_of_two_channels_more_than_that_of_random_weights(rng: Generator) -> None:
    X, y = same_points(sphere(2, 5, rng), np.ones(2))
    norms = (1.5, 3.0, 3.0)

    def moved(net: Network) -> float:
        """How far the step, of fixed size, moves the last layer."""
        return float(GradientStep.of(net, X, y, HINGE, 1e-3).outputs[0, -1])

    best = moved(two_channels(X[0], (6, 8, 10), norms[0], norms[1]))
    for _ in range(20):
        rival = he_network((5, 6, 8, 10), rng)
        scaled = [W * (norm / operator_norm(W)) for W, norm in zip(rival.weights, norms, strict=True)]
        assert moved(Network(tuple(scaled), rival.v)) < best


@pytest.mark.parametrize("sizes", [(12,), (8, 12), (4, 8, 12)])
def test_a_step_of_the_length_stated_turns_off_every_neuron_at_its_own_kink(
    sizes: tuple[int, ...], rng: Generator
) -> None:
    """Before it those of output sign -1 are active, the others dead; a step below a hundredth of it turns none off."""
    X, y = same_points(sphere(2, 4, rng), np.ones(2))
    net = own_kink(X[0], sizes, 2.0, longest=0.1)
    before = forward(net, X).masks[-1]
    assert np.array_equal(before[0] > 0.0, net.v < 0.0)
    counts = []
    for length in (0.1, 0.0009):
        step = GradientStep.of(net, X, y, HINGE, step_size(net, X, y, HINGE, length))
        assert max(operator_norm(W - V) for W, V in zip(step.after.weights, net.weights, strict=True)) <= 0.1 + 1e-12
        counts.append(int(step.end.masks[-1][0].sum()))
    assert counts[0] == 0
    assert counts[1] == sizes[-1] // 2


def test_flips_at_the_own_kink_use_up_what_the_bound_allows_and_random_flips_do_not(rng: Generator) -> None:
    """Output change beyond first order over the sum of `flip_terms`: near 1 at the kink."""

    def attained(net: Network) -> float:
        """What the step changes beyond first order, over what its flips allow."""
        step = GradientStep.of(net, X, y, HINGE, step_size(net, X, y, HINGE, 0.1))
        first = linear_terms(net, step.start, step.gradients, step.eta).sum(axis=1)
        beyond = np.abs(step.end.output - step.start.output - first)
        allowed = flip_terms(step).sum(axis=1)
        assert np.all(beyond <= allowed * (1.0 + 1e-9) + 1e-12)
        return float((beyond / np.where(allowed > 0.0, allowed, np.inf)).max())

    X, y = same_points(sphere(2, 4, rng), np.ones(2))
    best = attained(own_kink(X[0], (12,), 2.0, longest=0.1))
    assert best > 0.97
    rivals = [attained(he_network((4, 12), rng)) for _ in range(20)]
    assert max(rivals) < best


def test_the_layers_below_turn_on_a_quarter_at_the_lower_kink(rng: Generator) -> None:
    X, y = same_points(sphere(2, 4, rng), np.ones(2))
    net = lower_kink(X[0], (8, 16), 2.0)
    before = forward(net, X)
    assert before.masks[-1][0].tolist() == [0.0] * 4 + [1.0] * 8 + [0.0] * 4
    # They start so near to zero that next to no step is needed.
    assert np.abs(before.pre[-1][0][:4]).max() < 1e-8
    step = GradientStep.of(net, X, y, HINGE, step_size(net, X, y, HINGE, 0.01))
    assert np.array_equal(step.end.masks[-1][0][:4], np.ones(4))
    # The step of the last layer alone leaves them dead: it is the move of the layer below that opens them.
    own = forward(Network((net.weights[0], step.after.weights[1]), net.v), X)
    assert np.array_equal(own.masks[-1][0][:4], np.zeros(4))


def test_aligned_layers_have_their_norms_and_the_largest_second_order_term(rng: Generator) -> None:
    """All neurons are active, and for the slope of the loss no random network of these norms bends more."""
    X, y = same_points(sphere(2, 4, rng), np.ones(2))

    def second_order(net: Network) -> float:
        """What a step changes beyond first order; its size times the slope of the loss is the same for all."""
        slope = float(LOGISTIC.derivative(forward(net, X).output)[0])
        step = GradientStep.of(net, X, y, LOGISTIC, -1e-4 / slope)
        first = linear_terms(net, step.start, step.gradients, step.eta).sum(axis=1)
        return float(np.abs(step.end.output - step.start.output - first).max())

    net = aligned_network(X[0], (6, 8, 8), 2.0)
    assert [operator_norm(W) for W in net.weights] == pytest.approx([2.0] * 3, rel=1e-12)
    assert all(np.all(mask == 1.0) for mask in forward(net, X).masks)
    best = second_order(net)
    for _ in range(20):
        rival = he_network((4, 6, 8, 8), rng)
        scaled = tuple(W * (2.0 / operator_norm(W)) for W in rival.weights)
        assert second_order(Network(scaled, rival.v)) < best


def test_integer_weights_are_whole_numbers_from_minus_two_to_two_all_equally_often(rng: Generator) -> None:
    net = integer_network((30, 40, 50), rng)
    assert [W.shape for W in net.weights] == [(30, 40), (40, 50)]
    assert np.array_equal(net.v, balanced_signs(50))
    for W in net.weights:
        values, counts = np.unique(W, return_counts=True)
        assert values.tolist() == [-2.0, -1.0, 0.0, 1.0, 2.0]
        assert counts == pytest.approx(np.full(5, W.size / 5), abs=6.0 * (0.16 * W.size) ** 0.5)

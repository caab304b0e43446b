"""Steps of leaky networks: attacks stay within their radius and do what they are for, and expansions add up."""

import numpy as np
import pytest

from nets.networks.operators import operator_norm
from properties.guo2024.layer_changes import (
    LAYER_ATTACKS,
    StepEffect,
    affordable_flips,
    attacked_layer,
    derivative,
    first_layer_flips,
    leaky_start,
    overshoot,
    trained_layers,
)
from properties.guo2024.slopes import SLOPES, jump


@pytest.mark.parametrize("slope", SLOPES)
def test_the_derivative_takes_two_values_scaled_by_their_mean_square(slope: float) -> None:
    negative, positive = derivative(np.array([-1.0, 2.0]), slope)
    assert (negative, positive) == (
        pytest.approx(slope / np.sqrt(1.0 + slope**2)),
        pytest.approx(1.0 / np.sqrt(1.0 + slope**2)),
    )


@pytest.mark.parametrize(("slope", "gap"), [(-1.0, np.sqrt(2.0)), (0.0, 1.0), (1.0, 0.0)])
def test_the_jump_is_largest_at_the_absolute_value_and_vanishes_for_linear_layers(slope: float, gap: float) -> None:
    assert jump(slope) == pytest.approx(gap)


@pytest.mark.parametrize("attack", LAYER_ATTACKS)
@pytest.mark.parametrize("slope", [-1.0, 0.5])
def test_attacks_stay_within_their_radius_and_off_the_frozen_layer(attack: str, slope: float) -> None:
    rng = np.random.default_rng(4)
    net, x = leaky_start(rng, 12, 3, slope)
    effect = attacked_layer(rng, net, x, 0.3, attack)
    assert all(operator_norm(effect.step(layer)) <= 0.3 for layer in (1, 2, 3))
    assert operator_norm(effect.step(3)) == pytest.approx(0.3) or attack == "flips"
    assert effect.moved.frozen[0] is net.frozen[0]
    assert not effect.change(0).any()


def test_an_unknown_attack_is_refused() -> None:
    rng = np.random.default_rng(0)
    net, x = leaky_start(rng, 4, 1, 0.0)
    with pytest.raises(ValueError, match="none of flips, shift, overshoot, random"):
        attacked_layer(rng, net, x, 0.1, "nothing")


def test_the_trained_layers_alone_give_the_same_outputs() -> None:
    net, x = leaky_start(np.random.default_rng(1), 9, 2, -0.5, outputs=3)
    inner, arriving = trained_layers(net, x)
    still = StepEffect.of(net, [np.zeros((9, 9))] * 2, x)
    assert np.array_equal(
        StepEffect.of(inner, [np.zeros((9, 9))] * 2, arriving[np.newaxis]).start.output, still.start.output
    )


def test_the_first_layer_is_flipped_as_far_as_its_change_allows() -> None:
    net, x = leaky_start(np.random.default_rng(2), 200, 1, 0.5)
    effect = first_layer_flips(net, x, 0.2)
    flips = effect.flips(1)
    assert flips == affordable_flips(effect.start.pre[1][0], float(np.linalg.norm(effect.change(1)))) > 10
    assert np.count_nonzero(effect.flipped_part(1)) == flips == np.count_nonzero(effect.jumps(1))


def test_flips_are_paid_for_by_their_squares() -> None:
    pre = np.array([3.0, -1.0, 2.0])
    assert [affordable_flips(pre, size) for size in (0.5, 1.0, 2.0, np.sqrt(5.0), 4.0)] == [0, 1, 1, 2, 3]


def test_overshooting_moves_one_neuron_by_the_whole_radius() -> None:
    rng = np.random.default_rng(3)
    W, h = rng.standard_normal((5, 7)), rng.standard_normal(5)
    moved = h @ overshoot(W, h, 2.0)
    nearest = np.argmin(np.abs(h @ W))
    assert np.count_nonzero(moved) == 1
    assert abs(moved[nearest]) == pytest.approx(2.0 * np.linalg.norm(h))
    assert moved[nearest] * (h @ W)[nearest] < 0.0


def test_both_sums_of_the_expansion_make_the_change() -> None:
    rng = np.random.default_rng(5)
    net, x = leaky_start(rng, 10, 3, -2.0)
    effect = attacked_layer(rng, net, x, 0.5, "flips")
    for layer in (1, 2, 3):
        both = effect.weight_part(layer) + np.sum(effect.gate_parts(layer), axis=0)
        assert np.all(np.abs(both - effect.change(layer)) <= effect.error(layer))
        assert len(effect.gate_parts(layer)) == layer
    gates = np.asarray(
        effect.end.masks[3][0] * effect.end.pre[3][0] - effect.start.masks[3][0] * effect.start.pre[3][0]
    )
    assert effect.feature_change(3) == pytest.approx(gates)
    assert effect.layers == 3


def test_what_is_carried_passes_gates_and_weights_in_turn() -> None:
    net, x = leaky_start(np.random.default_rng(6), 6, 3, 0.05)
    effect = StepEffect.of(net, [np.zeros((6, 6))] * 3, x)
    masks, (_, second, third) = effect.start.masks, net.weights
    row = np.arange(6.0)
    assert effect.carried(row, 1, 3) == pytest.approx((((row * masks[1][0]) @ second) * masks[2][0]) @ third)
    assert effect.carried(row, 2, 2) is row
    assert all(np.all(np.abs(pre[0]) <= size) for pre, size in zip(effect.start.pre, effect.sizes, strict=True))


def test_at_an_input_of_zero_there_is_nothing_to_overshoot() -> None:
    net, _ = leaky_start(np.random.default_rng(0), 4, 1, 0.0)
    assert np.array_equal(net.weights[0] + overshoot(net.weights[0], np.zeros(4), 0.5), net.weights[0])

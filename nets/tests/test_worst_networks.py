"""The hand-made worst networks do what their names say, and a random one does less."""

import math

import numpy as np
import pytest

from nets.forward import forward
from nets.lowrank import LowRank
from nets.network import STORED_ENTRIES, gaussian_network, he_network, perturbed
from nets.operators import flip_counts, operator_norm, threshold_counts
from nets.points import sphere
from nets.revealed import RevealedGaussian
from nets.worst_networks import NUDGE, channel_network, factored_layer, plant, two_levels


@pytest.fixture
def rng() -> np.random.Generator:
    """One generator for each test."""
    return np.random.default_rng(5)


def test_a_factored_layer_is_the_product_of_its_factors_at_any_width(rng: np.random.Generator) -> None:
    left, right, x = rng.standard_normal((2, 5)), rng.standard_normal((2, 7)), rng.standard_normal((3, 5))
    assert x @ factored_layer(left, right) == pytest.approx((x @ left.T) @ right, rel=1e-12)
    m = math.isqrt(STORED_ENTRIES) + 1
    wide, rows = factored_layer(np.ones((1, m)), np.ones((1, m))), rng.standard_normal((2, m))
    assert isinstance(wide, RevealedGaussian)
    assert rows @ wide == pytest.approx(np.outer(rows.sum(axis=1), np.ones(m)), rel=1e-9)


def test_channels_keep_the_signal_at_norm_three_halves_and_stretch_what_is_added(rng: np.random.Generator) -> None:
    x, widths, norm = sphere(1, 4, rng)[0], (6, 8, 10), 3.5
    net = channel_network(x, widths, norm)
    fwd = forward(net, x[np.newaxis])
    assert [np.linalg.norm(post) for post in fwd.post[1:]] == pytest.approx([1.5] * 3, rel=1e-9)
    assert [operator_norm(W) for W in net.weights[1:]] == pytest.approx([norm] * 2, rel=1e-12)
    # A step that feeds the second channel of the first layer grows by `norm` in each layer after it.
    amplifier = np.where(np.arange(6) < 3, 0.0, 1.0 / math.sqrt(3.0))
    steps = (np.outer(x, 1e-3 * amplifier), *(np.zeros(W.shape) for W in net.weights[1:]))
    moved = forward(perturbed(net, steps), x[np.newaxis])
    change = np.linalg.norm(moved.post[3] - fwd.post[3])
    assert change == pytest.approx(1e-3 * norm**2, rel=1e-6)
    usual = he_network((4, *widths), rng)
    shift = forward(perturbed(usual, steps), x[np.newaxis]).post[3] - forward(usual, x[np.newaxis]).post[3]
    assert np.linalg.norm(shift) < change


def test_two_channels_need_two_neurons() -> None:
    with pytest.raises(ValueError, match="two channels need two neurons in every layer"):
        channel_network(np.ones(2), (4, 1), 2.0)


@pytest.mark.parametrize("layer", [1, 2])
def test_planted_pre_activations_are_those_wanted(layer: int, rng: np.random.Generator) -> None:
    net, X = gaussian_network((5, 12, 12), rng), sphere(3, 5, rng)
    wanted = rng.standard_normal((3, 12))
    planted = plant(net, X, layer, wanted)
    assert forward(planted, X).pre[layer - 1] == pytest.approx(wanted, abs=1e-10)
    assert planted.weights[2 - layer] is net.weights[2 - layer]


def test_two_levels_put_so_many_neurons_next_to_zero_and_the_others_beyond(rng: np.random.Generator) -> None:
    pre, beta = rng.standard_normal((3, 40)), 0.3
    pulled = two_levels(pre, beta, inside=2, outside=3)
    assert np.array_equal(pulled > 0.0, pre > 0.0)
    assert threshold_counts(pulled, [beta])[:, 0] == pytest.approx(2.0)
    assert np.sort(np.abs(pulled), axis=1)[:, :2] == pytest.approx(NUDGE * beta)
    assert two_levels(pre, beta, inside=0, outside=3) is pre


def test_flips_of_planted_levels_cost_a_step_of_their_own_size(rng: np.random.Generator) -> None:
    """A step just longer than what the `inside` neurons need flips them all."""
    net, x = gaussian_network((6, 30), rng), sphere(1, 6, rng)
    planted = plant(net, x, 1, two_levels(forward(net, x).pre[0], 0.5, inside=4, outside=2))
    before = forward(planted, x)
    near = np.abs(before.pre[0][0]) < 0.1
    wanted = np.where(near, -2.0 * before.pre[0][0], 0.0)
    step = LowRank(x, wanted[np.newaxis])
    assert flip_counts(before, forward(perturbed(planted, [step]), x))[0, 0] == 4.0

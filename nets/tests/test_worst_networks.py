"""The hand-made worst networks do what their names say, and a random one does less."""

import math

import numpy as np
import pytest

from nets.data.points import sphere
from nets.linear_algebra.lowrank import LowRank
from nets.linear_algebra.revealed import RevealedGaussian
from nets.networks.activations import SWISH_DIVISOR, custom_activation, huberised_relu, scaled_swish
from nets.networks.curvature import local_lipschitz
from nets.networks.forward import forward
from nets.networks.network import STORED_ENTRIES, gaussian_network, gaussian_smooth_network, he_network, perturbed
from nets.networks.operators import flip_counts, operator_norm, threshold_counts
from nets.tangent.linearised import tangent_features
from nets.worst_cases.worst_networks import (
    NUDGE,
    bent_network,
    channel_network,
    factored_layer,
    neuron_chain,
    plant,
    two_levels,
)


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


SMOOTH = {"huberised_relu": (0.05, 1.0), "scaled_swish": (0.0, 1.0)}
MAKERS = {"huberised_relu": huberised_relu, "scaled_swish": scaled_swish}
smooth = pytest.mark.parametrize("name", SMOOTH)


@smooth
@pytest.mark.parametrize(("depth", "p", "margin"), [(1, 1, 0.0), (1, 3, 0.5), (2, 2, 0.0), (4, 3, 0.5)])
def test_bent_networks_have_one_neuron_in_the_bend_and_the_norm_asked_for(
    name: str, depth: int, p: int, margin: float
) -> None:
    phi, (bend, sign) = MAKERS[name](0.1), SMOOTH[name]
    net = bent_network(depth, p, phi, bend, sign, 3.0, 0.25, margin)
    fwd = forward(net, np.eye(1, p))
    assert fwd.pre[-1][0, 0] == pytest.approx(bend, rel=1e-9, abs=1e-12)
    arriving = float(np.linalg.norm(fwd.post[depth - 1]))
    assert net.norm**2 == pytest.approx(3.0**2 + (bend / arriving) ** 2, rel=1e-6)
    plain = forward(bent_network(depth, p, phi, bend, sign, 3.0, 0.25), np.eye(1, p))
    assert fwd.output[0] - plain.output[0] == pytest.approx(margin, abs=0.3 * margin)


@smooth
@pytest.mark.parametrize(("depth", "p"), [(1, 2), (2, 3), (3, 3)])
def test_bent_networks_curve_more_than_random_ones_of_their_norm(
    name: str, depth: int, p: int, rng: np.random.Generator
) -> None:
    phi, (bend, sign), x, y = MAKERS[name](0.1), SMOOTH[name], np.eye(1, p), np.ones(1)
    net = bent_network(depth, p, phi, bend, sign, 3.0, 0.25)
    reached = local_lipschitz(net, x, y, rng).low
    for _ in range(20):
        rival = gaussian_smooth_network([p] * (depth + 1), phi, rng)
        rival = rival.with_weights([net.norm / rival.norm * V for V in rival.weights])
        assert local_lipschitz(rival, x, y, rng).high < reached


@smooth
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_chains_have_the_norms_and_the_output_of_a_product(name: str, sign: float) -> None:
    norms, x = np.array([3.0, 2.0, 0.5, 4.0]), np.eye(1, 2)
    activation = MAKERS[name](1e-3)
    mirrored = custom_activation("odd", lambda z: -activation.value(-z), lambda z: activation.slope(-z), h=1e-3)
    net = neuron_chain(2, activation if sign > 0.0 else mirrored, sign, norms)
    assert [float(np.linalg.norm(V)) for V in net.weights] == norms.tolist()
    fwd = forward(net, x)
    # Swish is divided by 1.1 at each of three neurons.
    divisor = SWISH_DIVISOR**3 if name == "scaled_swish" else 1.0
    assert fwd.output[0] == pytest.approx(12.0 / divisor, rel=0.01)
    assert tangent_features(net, fwd).layer_norms[:, 0] == pytest.approx(12.0 / divisor / norms, rel=0.01)


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

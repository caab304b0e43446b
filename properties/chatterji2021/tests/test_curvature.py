"""Curved networks: of the norm asked for, as curved as they promise by hand, and never beyond the bound."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from nets.core.arrays import Array
from nets.networks.forward import forward
from properties.chatterji2021.curvature import (
    BENDS,
    LABELS,
    LEAST_CURVATURE_BOUND,
    MEMBER_NAMES,
    Instance,
    bent_instance,
    chain_instance,
    drawn_instance,
    lipschitz_bound,
    scaled,
)
from properties.chatterji2021.norm_products import Products, operator_norms
from properties.chatterji2021.smooth_members import MEMBERS
from properties.chatterji2021.tests.networks import network, output_of, random_network

H = 0.1
names = pytest.mark.parametrize("name", MEMBER_NAMES)


def _made(name: str, depth: int = 3, p: int = 3, size: float = 3.0, top: float = 0.25, margin: float = 0.0) -> Instance:
    return bent_instance(depth, p, 2, MEMBERS[name](H), size, top, margin)


def _gradient(layers: tuple[Any, ...], made: Instance) -> list[Array]:
    """The gradient of J from outer products, one sample at a time."""
    total = [np.zeros_like(V) for V in layers]
    for x, label in zip(made.X, made.y, strict=True):
        post, slopes = [x], []
        for V in layers[:-1]:
            value, slope = made.net.activation.value_and_slope(V.T @ post[-1])
            post.append(value)
            slopes.append(slope)
        g = 1.0 / (1.0 + math.exp(min(label * output_of(layers, x, made.net.activation), 700.0)))
        row = np.ones(1)
        for k in range(len(layers) - 1, -1, -1):
            total[k] -= label * g / len(made.y) * np.outer(post[k], row)
            if k:
                row = slopes[k - 1] * (layers[k] @ row)
    return total


@pytest.mark.parametrize("name", MEMBER_NAMES)
@pytest.mark.parametrize(
    ("depth", "p", "margin"), [(1, 1, 0.0), *((L, m, size) for L, m in ((1, 3), (2, 2), (4, 3)) for size in (0.0, 0.5))]
)
def test_bent_networks_have_the_norm_asked_for_beside_what_reaches_the_bend(
    name: str, depth: int, p: int, margin: float
) -> None:
    made = _made(name, depth, p, 3.0, 0.25, margin)
    arriving = float(np.linalg.norm(forward(made.net, made.X).post[depth - 1][0]))
    bend = BENDS[name][0] * H / arriving
    assert made.net.norm**2 == pytest.approx(3.0**2 + bend**2, rel=1e-6)
    assert made.net.widths == (p,) * (depth + 1)
    assert np.linalg.norm(made.X, axis=1).tolist() == [1.0, 1.0]
    assert set(made.y) == {1.0}


@names
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_one_neuron_of_the_last_hidden_layer_is_in_the_bend_and_the_others_have_slope_one(
    name: str, depth: int
) -> None:
    made = _made(name, depth)
    fwd = forward(made.net, made.X)
    place, _ = BENDS[name]
    assert fwd.pre[-1][0, 0] == pytest.approx(place * H, rel=1e-9, abs=1e-12)
    for layer in range(depth - 1):
        used = fwd.pre[layer][0] != 0.0
        if name != "scaled_swish":
            assert fwd.masks[layer][0][used] == pytest.approx([1.0] * used.sum(), rel=1e-12)
    # The output weight makes the loss curve upwards: against the sign of phi'' there, at the label 1.
    curved = float(made.net.activation.curvature(place * H))
    assert made.net.weights[-1][0, 0] * curved <= 0.0


def test_a_margin_is_carried_past_the_bend_where_the_size_allows_it() -> None:
    with_margin, without = (
        forward(made.net, made.X).output[0]
        for made in (_made("huberised_relu", margin=margin) for margin in (1.0, 0.0))
    )
    # The second row ends in phi(z) = z - h/2.
    assert with_margin - without == pytest.approx(1.0, abs=0.2)


def test_the_curvature_of_one_neuron_by_hand() -> None:
    """J = log(1 + exp(-v phi(w))) at w = h/2: f_ww = v/h, f_w = v/2, f = v h/8, all others small beside v/h."""
    made = bent_instance(1, 1, 1, MEMBERS["huberised_relu"](1e-4), 2.0, 1.0)
    (w,), (v,) = (V.ravel() for V in made.net.weights)
    assert w == pytest.approx(0.5e-4, rel=1e-12)
    assert v == pytest.approx(-2.0, rel=1e-6)
    step = 1e-9
    ends = [_gradient((np.array([[w + sign * step]]), np.array([[v]])), made)[0][0, 0] for sign in (1.0, -1.0)]
    assert (ends[0] - ends[1]) / (2.0 * step) == pytest.approx(0.5 * 2.0 / 1e-4, rel=1e-3)
    # The bound on that: mean weight times (squares + pairs + bends/h), here 1/2 (1 + 2/h) up to small terms.
    bound = Products(operator_norms(made.net.weights)).curvature(1e-4)
    assert 1e4 <= 0.5 * bound <= 1.001e4 + 3.0


@names
@pytest.mark.parametrize("label", LABELS.values())
def test_chains_have_the_norms_and_the_output_of_a_product(name: str, label: float) -> None:
    norms = np.array([3.0, 2.0, 0.5, 4.0])
    made = chain_instance(2, 3, MEMBERS[name](1e-3), norms, label)
    assert [float(np.linalg.norm(V)) for V in made.net.weights] == norms.tolist()
    output = forward(made.net, made.X).output
    assert np.all(output > 0.0)
    if name in ("huberised_relu", "identity", "odd and flat at zero"):
        assert output == pytest.approx([12.0] * 3, rel=0.01)
    assert made.y.tolist() == [label] * 3


@pytest.mark.parametrize("seed", range(12))
def test_drawn_networks_have_the_norm_asked_for_and_unit_points(seed: int) -> None:
    made = drawn_instance(np.random.default_rng(seed), 3, 4, 5, MEMBERS["huberised_relu"](H), 2.5)
    assert 2.5 <= made.net.norm <= 2.5 * (1.0 + 1e-14)
    assert np.linalg.norm(made.X, axis=1) == pytest.approx([1.0] * 5, rel=1e-14)
    assert set(made.y) <= {-1.0, 1.0}


def test_all_four_kinds_of_networks_are_drawn() -> None:
    kinds = set()
    for seed in range(40):
        net = drawn_instance(np.random.default_rng(seed), 3, 4, 2, MEMBERS["huberised_relu"](H), 2.0).net
        zero = any(not np.any(V) for V in net.weights)
        equal = all(np.ptp(V) == 0.0 for V in net.weights) and not zero
        small = float(np.abs(net.weights[0][:, 0]).max()) < 0.2 * float(np.abs(net.weights[0][:, 1:]).max())
        kinds.add("zero" if zero else "equal" if equal else "small" if small else "Gaussian")
    assert kinds == {"zero", "equal", "small", "Gaussian"}


def test_scaled_networks_keep_their_proportions_and_zero_stays_zero() -> None:
    net = random_network(0, 3, 4, 2)
    found = scaled(net, 0.7)
    assert 0.7 <= found.norm <= 0.7 * (1.0 + 1e-14)
    for V, W in zip(net.weights, found.weights, strict=True):
        assert pytest.approx(V * (0.7 / net.norm), rel=1e-13) == W
    assert scaled(network([[0.0]], [[0.0]]), 1.0).norm == 0.0


@names
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("step", [1e-3, 0.3])
def test_gradients_between_two_networks_change_no_faster_than_the_bound(name: str, seed: int, step: float) -> None:
    rng = np.random.default_rng(seed)
    made = drawn_instance(rng, 2, 3, 4, MEMBERS[name](H), 2.0)
    steps = [step * rng.standard_normal(V.shape) for V in made.net.weights]
    end = network(*(V + D for V, D in zip(made.net.weights, steps, strict=True)))
    margins = made.y * [output_of(made.net.weights, x, made.net.activation) for x in made.X]
    bound = lipschitz_bound(made.net, end, margins, H)
    length = math.sqrt(sum(float(np.sum(D**2)) for D in steps)) / 20.0
    gradients = [
        _gradient(tuple(V + t * D for V, D in zip(made.net.weights, steps, strict=True)), made)
        for t in np.linspace(0.0, 1.0, 21)
    ]
    for first, second in itertools.pairwise(gradients):
        change = math.sqrt(sum(float(np.sum((a - b) ** 2)) for a, b in zip(first, second, strict=True)))
        assert change <= bound * length * (1.0 + 1e-9)


def test_the_bound_of_a_network_that_does_not_move_is_the_mean_weight_times_the_curvature() -> None:
    net = network([[2.0]], [[3.0]])
    curvature = Products(np.array([2.0, 3.0])).curvature(0.5)
    found = lipschitz_bound(net, net, np.array([0.0, math.log(3.0)]), 0.5)
    assert found == pytest.approx(0.5 * (0.5 + 0.25) * curvature, rel=1e-9)
    assert lipschitz_bound(net, net, np.array([1e4]), 0.5) == LEAST_CURVATURE_BOUND


def test_drawn_networks_of_layers_that_are_not_stored_are_refused() -> None:
    with pytest.raises(ValueError, match="W_1 is not stored: this needs a network of arrays"):
        drawn_instance(np.random.default_rng(0), 1, 2100, 1, MEMBERS[MEMBER_NAMES[0]](H), 1.0)

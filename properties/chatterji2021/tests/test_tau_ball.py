"""Attacks in the ball: they keep to their radius and counts, reach optima solved by hand, and beat random rivals."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

from nets.core.arrays import Array
from nets.networks.activations import huberised_relu
from nets.networks.network import Network, perturbed
from properties.chatterji2021.smooth_members import MEMBERS
from properties.chatterji2021.tau_ball import (
    NearPair,
    absorbed_terms,
    admitted_radius,
    along,
    attacked_product,
    bend,
    changed_slopes,
    gated_chain,
    huberised_network,
    kinked_pair,
    linearisation_remainder,
    loud_slopes,
    norms_between_flips,
    opposite_shifts,
    output_gap,
    planted_slopes,
    slope_attack,
    still,
)
from properties.chatterji2021.tests.networks import (
    network,
    numeric_gradient,
    output_of,
    phi_of,
    random_network,
    smooth_pass,
    unit_points,
)

RIVALS = 300
WIDTHS = (6, 12, 12)
# Wide enough for some pre-activations to be within reach of a small radius.
WIDE_LAST = (6, 20, 300)
radii = pytest.mark.parametrize("tau", [0.02, 0.2])


def _start(seed: int = 0, widths: tuple[int, ...] = WIDTHS) -> tuple[Network, Array]:
    return random_network(seed, *widths), unit_points((seed, 1), 1, widths[0])


def _distances(net: Network, other: Network) -> list[float]:
    """Operator norms of what two networks differ by, layer by layer."""
    return [float(np.linalg.norm(V - W, 2)) for V, W in zip(net.weights, other.weights, strict=True)]


def _rival(net: Network, tau: float, rng: Generator) -> list[Array]:
    """Steps of operator norm tau in all layers: Gaussian or of rank one."""
    steps = []
    for V in net.weights:
        step = rng.standard_normal(V.shape)
        if rng.integers(2):
            step = np.outer(rng.standard_normal(V.shape[0]), rng.standard_normal(V.shape[1]))
        steps.append(step * (tau * (1.0 - 1e-9) / np.linalg.norm(step, 2)))
    return steps


# --- pairs and steps ----------------------------------------------------------------------------------


def test_no_step_leaves_the_network_and_a_step_is_added_to_its_layer() -> None:
    net, x = _start()
    assert _distances(perturbed(net, still(net)), net) == [0.0, 0.0, 0.0]
    steps = still(net)
    steps[1] = np.full(net.weights[1].shape, 0.5)
    assert np.array_equal(perturbed(net, steps).weights[1], net.weights[1] + 0.5)
    pair = NearPair.of(net.with_activation(huberised_relu(0.1)), still(net), steps, x)
    assert pair.features[0] == 0.0
    other = smooth_pass(pair.hat, x, huberised_relu(0.1))
    assert pair.features[1] == pytest.approx(float(np.linalg.norm(other.post[2] - pair.start.post[2])), rel=1e-12)
    assert pair.differing.tolist() == [0.0, float(np.sum(other.masks[1] != pair.start.masks[1]))]


def test_a_step_along_a_point_changes_the_pre_activations_there_by_as_much_as_asked() -> None:
    net, x = _start(1)
    change = np.random.default_rng(2).standard_normal(12)
    step = np.asarray(along(net.weights[0], 3.0 * x, change))
    assert (3.0 * x @ step)[0] == pytest.approx(change, rel=1e-12, abs=1e-14)
    assert float(np.linalg.norm(step, 2)) == pytest.approx(float(np.linalg.norm(change)) / 3.0, rel=1e-12)


class OnePoint:
    """A source of data of dimension 7, whatever is asked for, as a set of images is."""

    def draw(self, n: int, d: int, rng: Generator) -> tuple[Array, Array]:
        """The same unit point n times, with the label +1."""
        return np.full((n, 7), 7.0**-0.5), np.ones(n)


def test_a_huberised_network_has_the_dimension_of_its_point_and_gaussian_layers() -> None:
    """Variance 2/m in the hidden layers and 1 in the last; at h = 0.5 the activation by its formula."""
    m, L, h = 300, 2, 0.5
    net, x = huberised_network(np.random.default_rng(7), OnePoint(), m, L, 5, h)
    assert np.array_equal(x, np.full((1, 7), 7.0**-0.5))
    assert [V.shape for V in net.weights] == [(7, m), (m, m), (m, 1)]
    for V, variance in zip(net.weights, (2.0 / m, 2.0 / m, 1.0), strict=True):
        assert np.mean(np.asarray(V) ** 2) == pytest.approx(variance, rel=6.0 * math.sqrt(2.0 / V.size))
    z = np.array([-1.0, 0.0, 0.2, 0.5, 2.0])
    assert net.activation.value(z) == pytest.approx([float(phi_of("huberised_relu", at, h)) for at in z], rel=1e-14)


# --- slopes -------------------------------------------------------------------------------------------


def test_changed_slopes_by_hand() -> None:
    """With h = 1: 3 has to fall below 1, -0.5 to rise above 0, 0.4 is inside, and -2.5 costs too much for 2.1."""
    u = np.array([[3.0, -0.5, 0.4, -2.5]])
    change, chosen = changed_slopes(u, np.ones((1, 1)), 2.1, 1.0)
    assert chosen.tolist() == [1.0, 1.0, 1.0, 0.0]
    assert change == pytest.approx([-2.0, 0.5, 0.0, 0.0], abs=1e-5)
    change, chosen = changed_slopes(u, np.ones((1, 1)), 2.6, 1.0, taken=np.array([1.0, 0.0, 1.0, 0.0]))
    assert chosen.tolist() == [0.0, 1.0, 0.0, 1.0]
    assert change == pytest.approx([0.0, 0.5, 0.0, 2.5], abs=1e-5)


@pytest.mark.parametrize("depth", [1, 2])
def test_planted_slopes_differ_more_often_than_slopes_of_the_network_as_it_is(depth: int) -> None:
    """Of 40 neurons and tau = 0.1 eight pre-activations come near the threshold, and few are there by themselves."""
    tau, beta = 0.1, 0.1 ** (2.0 / 3.0) / math.sqrt(40.0)
    net, x = _start(3, (6, *[40] * depth))
    net = net.with_activation(huberised_relu(0.1 * beta))
    pair = planted_slopes(net, x, tau, beta, 1.0)
    near = np.abs(pair.start.pre[-1]) < 2.0 * beta
    assert near.sum() >= 8
    assert [d <= tau * (1.0 + 1e-9) for d in _distances(pair.tilde, pair.hat)] == [True] * (depth + 1)
    assert all(np.array_equal(a, b) for a, b in zip(pair.other.post, pair.start.post, strict=True))
    assert pair.differing[-1] > planted_slopes(net, x, tau, beta, 0.0).differing[-1]


@pytest.mark.parametrize("seed", range(6))
def test_changed_slopes_are_as_many_as_any_choice_of_neurons_can_alter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    h, m = 0.3, 9
    V, x = rng.standard_normal((4, m)), rng.standard_normal((1, 4))
    tau = float(rng.uniform(0.2, 1.0))
    phi = huberised_relu(h)
    change, chosen = changed_slopes(V, x, tau, h)
    room = tau * float(np.linalg.norm(x))
    assert float(np.linalg.norm(change)) <= room
    u = (x @ V)[0]
    assert np.count_nonzero(phi.slope(u + change) != phi.slope(u)) == chosen.sum()
    # The distance to a pre-activation with another slope: to 0 from below, to h from above, none in between.
    least = np.where(u < 0.0, -u, np.where(u > h, u - h, 0.0))
    possible = max(
        len(some)
        for size in range(m + 1)
        for some in itertools.combinations(range(m), size)
        if float(np.linalg.norm(least[list(some)])) < room * (1.0 - 1e-4)
    )
    assert chosen.sum() >= possible


@radii
def test_slope_attacks_alter_different_neurons_of_the_last_hidden_layer(tau: float) -> None:
    net, x = _start(3, WIDE_LAST)
    phi = huberised_relu(1e-3)
    tilde, hat = slope_attack(net.with_activation(phi), x, tau)
    pair = NearPair.of(net.with_activation(phi), tilde, hat, x)
    for one in (pair.tilde, pair.hat):
        assert _distances(one, net)[0] == _distances(one, net)[2] == 0.0
        assert 0.0 < _distances(one, net)[1] <= tau
    first = pair.one.masks[-1] != pair.start.masks[-1]
    second = pair.other.masks[-1] != pair.start.masks[-1]
    assert not np.any(first & second)
    assert pair.differing[-1] == first.sum() + second.sum()
    rng = np.random.default_rng(4)
    rivals = [
        NearPair.of(net.with_activation(phi), still(net), _last_only(net, tau, rng), x).differing[-1]
        for _ in range(RIVALS)
    ]
    assert first.sum() >= max(rivals)


def _last_only(net: Network, tau: float, rng: Generator) -> list[Any]:
    steps = still(net)
    steps[-2] = _rival(net, tau, rng)[-2]
    return steps


@radii
def test_opposite_shifts_move_features_further_than_random_steps_and_their_opposites(tau: float) -> None:
    net, x = _start(5)
    phi = huberised_relu(1e-4)
    tilde, hat = opposite_shifts(net, x, tau)
    pair = NearPair.of(net.with_activation(phi), tilde, hat, x)
    assert max(*_distances(pair.tilde, net), *_distances(pair.hat, net)) <= tau
    rng = np.random.default_rng(6)
    for _ in range(RIVALS):
        steps = _rival(net, tau, rng)
        rival = NearPair.of(net.with_activation(phi), steps, [-step for step in steps], x)
        assert rival.features[-1] <= pair.features[-1]


def test_opposite_shifts_of_open_neurons_by_hand() -> None:
    """One layer of two neurons, both wide open: features part by 2 tau."""
    net, x = network([[3.0, 3.0], [0.0, 0.0]], [[1.0], [1.0]]), np.array([[1.0, 0.0]])
    tilde, hat = opposite_shifts(net, x, 0.1)
    found = NearPair.of(net.with_activation(huberised_relu(1e-3)), tilde, hat, x)
    assert found.features[0] == pytest.approx(0.2, rel=1e-6)


# --- gated products -----------------------------------------------------------------------------------


def _layers(seed: int, *widths: int) -> tuple[list[Array], list[Array]]:
    rng = np.random.default_rng(seed)
    weights = [rng.standard_normal(shape) for shape in itertools.pairwise(widths)]
    return weights, [(rng.uniform(size=m) < 0.6).astype(float) for m in widths[1:]]


def _chain(weights: Sequence[Array], gates: Sequence[Array]) -> Array:
    product = np.eye(weights[0].shape[0])
    for V, gate in zip(weights, gates, strict=True):
        product = product @ V @ np.diag(gate)
    return product


def test_gated_chains_are_products_of_layers_and_diagonal_matrices() -> None:
    weights, gates = _layers(0, 3, 5, 4, 6)
    assert gated_chain(weights, gates) == pytest.approx(_chain(weights, gates), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_norms_between_flips_are_those_of_the_products_cut_at_the_flips(depth: int) -> None:
    weights, gates = _layers(depth, *[4, 5, 6, 5][: depth + 1])
    rng = np.random.default_rng(depth)
    flipped = [np.sort(rng.choice(gate.size, 2, replace=False)) for gate in gates]
    left, both, right = [], [1.0 if depth == 1 else 0.0], [1.0]
    for last in range(depth):
        chain = _chain(weights[:last], gates[:last]) if last else np.eye(4)
        left.append(float(np.linalg.norm((chain @ weights[last])[:, flipped[last]], 2)))
    for first in range(1, depth):
        rows = np.eye(gates[first - 1].size)[flipped[first - 1]]
        right.append(float(np.linalg.norm(rows @ _chain(weights[first:], gates[first:]), 2)))
        for last in range(first, depth):
            chain = rows @ _chain(weights[first:last], gates[first:last]) if last > first else rows
            both.append(float(np.linalg.norm((chain @ weights[last])[:, flipped[last]], 2)))
    found = norms_between_flips(weights, gates, flipped)
    assert found["opfree"] == pytest.approx(np.linalg.norm(_chain(weights, gates), 2), rel=1e-9)
    assert found["opleft"] == pytest.approx(max(left), rel=1e-9)
    assert found["opright"] == pytest.approx(max(right), rel=1e-9)
    assert found["opboth"] == pytest.approx(max(both), rel=1e-9)


@pytest.mark.parametrize("most", [1.0, 3.0])
@pytest.mark.parametrize("seed", range(4))
def test_attacked_products_keep_to_radius_and_counts_and_stretch_more_than_random_rivals(
    seed: int, most: float
) -> None:
    weights, gates = _layers(seed, 5, 8, 8, 8)
    k, tau = 2, 0.1
    layers, changed = attacked_product(weights, gates, k, most, tau)
    for V, W, gate, new in zip(weights, layers, gates, changed, strict=True):
        assert float(np.linalg.norm(V - W, 2)) <= tau
        places = np.flatnonzero(gate != new)
        assert places.size <= k
        assert np.all(np.abs(new[places]) == most)
    reached = float(np.linalg.norm(_chain(layers, changed), 2))
    rng = np.random.default_rng((seed, 1))
    for _ in range(RIVALS):
        steps = [rng.standard_normal(V.shape) for V in weights]
        rival = [V + tau / np.linalg.norm(D, 2) * D for V, D in zip(weights, steps, strict=True)]
        altered = [gate.copy() for gate in gates]
        for gate in altered:
            gate[rng.choice(gate.size, k, replace=False)] = rng.choice([-most, most], k)
        assert float(np.linalg.norm(_chain(rival, altered), 2)) <= reached


def test_attacked_products_open_the_gate_of_a_long_column_by_hand() -> None:
    """V = diag(3, 1) with the first neuron closed: open, and moved by tau, it stretches by 3 + tau."""
    layers, gates = attacked_product([np.diag([3.0, 1.0])], [np.array([0.0, 1.0])], 1, 1.0, 0.25)
    assert gates[0].tolist() in ([1.0, 1.0], [-1.0, 1.0])
    assert float(np.linalg.norm(_chain(layers, gates), 2)) == pytest.approx(3.25, rel=1e-9)


def test_attacked_products_of_two_diagonal_layers_by_hand() -> None:
    """diag(3, 1) twice, the first neuron closed in the first layer only: 3 + tau in both, once it is open."""
    weights = [np.diag([3.0, 1.0])] * 2
    layers, gates = attacked_product(weights, [np.array([0.0, 1.0]), np.ones(2)], 1, 1.0, 0.25)
    assert float(np.linalg.norm(_chain(layers, gates), 2)) == pytest.approx(3.25**2, rel=1e-6)


# --- output functionals -------------------------------------------------------------------------------


def _pair_of(seed: int, tau: float, widths: tuple[int, ...] = WIDTHS) -> NearPair:
    net, x = _start(seed, widths)
    rng = np.random.default_rng((seed, 2))
    return NearPair.of(net.with_activation(huberised_relu(0.05)), _rival(net, tau, rng), _rival(net, tau, rng), x)


def _gap(pair: NearPair, extra: Sequence[Array]) -> list[float]:
    """The gaps with these extra slopes, (m,) for each layer, from the definition."""
    gaps = []
    for first in range(pair.tilde.depth):
        rows = []
        for net, passed, more in ((pair.tilde, pair.one, extra), (pair.hat, pair.other, None)):
            product = np.eye(net.weights[first].shape[0])
            for layer in range(first, net.depth):
                slopes = passed.masks[layer][0] + (0.0 if more is None else more[layer])
                product = product @ net.weights[layer] @ np.diag(slopes)
            rows.append(product @ net.weights[-1])
        gaps.append(float(np.linalg.norm(rows[0] - rows[1])))
    return gaps


def test_without_extra_slopes_the_gap_is_that_of_the_two_functionals() -> None:
    pair = _pair_of(7, 0.1)
    assert output_gap(pair, 0) == pytest.approx(_gap(pair, [np.zeros(12)] * 2), rel=1e-12)


def test_extra_slopes_of_an_orthogonal_layer_are_the_best_by_trying_all() -> None:
    rng = np.random.default_rng(8)
    basis, _ = np.linalg.qr(rng.standard_normal((5, 5)))
    net, x = network(basis, rng.standard_normal((5, 1))), unit_points(9, 1, 5)
    # V^ differs in the output layer alone, so that the product ends with the same orthogonal layer.
    steps = still(net)
    steps[-1] = 0.3 * rng.standard_normal((5, 1))
    pair = NearPair.of(net.with_activation(huberised_relu(0.3)), still(net), steps, x)
    for s in (1, 2):
        best = 0.0
        for places in itertools.combinations(range(5), s):
            for signs in itertools.product([-1.0, 1.0], repeat=s):
                extra = np.zeros(5)
                extra[list(places)] = signs
                best = max(best, _gap(pair, [extra])[0])
        assert output_gap(pair, s)[0] == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize(("widths", "s", "choices"), [((10, 40, 40), 4, 1), (WIDTHS, 3, 4), ((3, 40), 10, 4)])
def test_extra_slopes_enlarge_the_gap_more_than_random_ones(widths: tuple[int, ...], s: int, choices: int) -> None:
    pair = _pair_of(10, 0.1, widths)
    rng = np.random.default_rng(11)
    found = output_gap(pair, s, choices)
    for _ in range(RIVALS):
        extra = [np.zeros(m) for m in widths[1:]]
        for more in extra:
            more[rng.choice(more.size, s, replace=False)] = rng.choice([-1.0, 1.0], s)
        assert _gap(pair, extra)[0] <= found[0]


def test_more_choices_find_the_extra_slopes_that_add_up_by_hand() -> None:
    """V^ differs along the first axis by 10: two neurons of weight 2 add 4 there, two of 2.1 go off at right angles."""
    first = np.eye(3)[:, [0, 1, 2, 0, 0]]
    net, x = network(first, [[2.0], [2.1], [2.1], [2.0], [0.0]]), np.array([[0.6, 0.6, 0.6]])
    steps = still(net)
    steps[-1] = np.array([[0.0], [0.0], [0.0], [0.0], [-10.0]])
    pair = NearPair.of(net.with_activation(huberised_relu(0.1)), still(net), steps, x)
    assert output_gap(pair, 2)[0] == pytest.approx(math.sqrt(100.0 + 2.0 * 2.1**2), rel=1e-12)
    assert output_gap(pair, 2, choices=2)[0] == pytest.approx(14.0, rel=1e-12)


@radii
def test_loud_slopes_keep_to_the_radius_and_alter_slopes(tau: float) -> None:
    net, x = _start(12, WIDE_LAST)
    phi = huberised_relu(1e-3)
    tilde, hat = loud_slopes(net.with_activation(phi), x, tau)
    pair = NearPair.of(net.with_activation(phi), tilde, hat, x)
    assert max(_distances(pair.tilde, net)) <= tau
    assert _distances(pair.hat, net) == [0.0] * 3
    assert float(np.linalg.norm(pair.tilde.weights[-1] - net.weights[-1])) == pytest.approx(tau, rel=1e-6)
    assert pair.differing[-1] > 0


def test_loud_slopes_take_the_neuron_with_the_large_output_weight_by_hand() -> None:
    """Two neurons as far above the bend, room for one of them: the one whose output weight is larger."""
    net, x = network([[0.5, 0.5]], [[1.0], [7.0]]), np.ones((1, 1))
    tilde, _ = loud_slopes(net.with_activation(huberised_relu(1e-3)), x, 0.6)
    changed = np.asarray(perturbed(net, tilde).weights[0])[0]
    assert changed[0] == 0.5
    assert -1e-3 < changed[1] <= 0.0


# --- linearisation ------------------------------------------------------------------------------------


def test_the_remainder_of_a_linear_network_of_one_layer_is_its_one_mixed_term() -> None:
    """f = x V v: what is left is x (V^ - V~)(v^ - v~)."""
    net, x = _start(13, (4, 5))
    rng = np.random.default_rng(14)
    pair = NearPair.of(net.with_activation(MEMBERS["identity"](1.0)), _rival(net, 0.5, rng), _rival(net, 0.5, rng), x)
    steps = [W - V for V, W in zip(pair.tilde.weights, pair.hat.weights, strict=True)]
    assert linearisation_remainder(pair) == pytest.approx(float((x @ steps[0] @ steps[1])[0, 0]), rel=1e-10)


def test_the_remainder_agrees_with_differences_of_outputs() -> None:
    pair = _pair_of(15, 0.3, (4, 5, 5))
    phi, x = huberised_relu(0.05), unit_points((15, 1), 1, 4)[0]
    gradient = numeric_gradient(pair.tilde.weights, x, phi)
    linear = sum(
        float(np.sum(G * (W - V))) for G, V, W in zip(gradient, pair.tilde.weights, pair.hat.weights, strict=True)
    )
    change = output_of(pair.hat.weights, x, phi) - output_of(pair.tilde.weights, x, phi)
    assert linearisation_remainder(pair) == pytest.approx(change - linear, abs=1e-7)


@radii
def test_kinked_pairs_keep_to_the_radius_and_are_further_from_linear_than_random_pairs(tau: float) -> None:
    net, x = _start(16, WIDE_LAST)
    phi = huberised_relu(1e-4)
    pair = NearPair.of(net.with_activation(phi), *kinked_pair(net.with_activation(phi), x, tau), x)
    assert max(*_distances(pair.tilde, net), *_distances(pair.hat, net)) <= tau
    found = abs(linearisation_remainder(pair))
    rng = np.random.default_rng(17)
    for _ in range(RIVALS):
        rival = NearPair.of(net.with_activation(phi), _rival(net, tau, rng), _rival(net, tau, rng), x)
        assert abs(linearisation_remainder(rival)) <= found


def test_a_kinked_pair_of_one_neuron_by_hand() -> None:
    """u = 1/2 and v = 1: V~ closes the neuron, V^ moves it by tau, so that all of it is beyond the linear part.

    Weights 1 -> u: from 0 to 1.1 less h/2, times v + tau; nothing of that is seen at a slope of zero.
    """
    net, x, h, tau = network([[0.5]], [[1.0]]), np.ones((1, 1)), 1e-6, 0.6
    net = net.with_activation(huberised_relu(h))
    pair = NearPair.of(net, *kinked_pair(net, x, tau), x)
    assert linearisation_remainder(pair) == pytest.approx((0.5 + tau - h / 2.0) * (1.0 + tau), rel=1e-6)


def test_absorbed_terms_of_one_neuron_by_hand() -> None:
    """From z = -1 to z = 2 with h = 1: slopes 0 and 1, so S = (1 - 0)(-1)/3, and chi = 3/2 - 2 - 0 + 0."""
    net, x = network([[-1.0]], [[4.0]]), np.ones((1, 1))
    steps = still(net)
    steps[0] = np.array([[3.0]])
    pair = NearPair.of(net.with_activation(huberised_relu(1.0)), still(net), steps, x)
    assert absorbed_terms(pair) == pytest.approx(4.0 * (1.0 - 1.0 / 3.0) * 3.0 + abs(4.0 * -0.5), rel=1e-12)
    assert absorbed_terms(NearPair.of(net.with_activation(huberised_relu(1.0)), still(net), still(net), x)) == 0.0


# --- sizes --------------------------------------------------------------------------------------------


def test_radii_go_from_one_end_to_the_other_and_bends_are_a_hundredth_of_what_is_allowed() -> None:
    low = math.log(3 * 2 / 0.1) ** 2 / (100**1.5 * 2**3)
    high = 1.0 / (2**12 * math.log(100) ** 1.5)
    assert admitted_radius(100, 2, 0.0, 3) == pytest.approx(low, rel=1e-13)
    assert admitted_radius(100, 2, 1.0, 3) == pytest.approx(high, rel=1e-13)
    assert admitted_radius(100, 2, 0.5, 3) == pytest.approx(math.sqrt(low * high), rel=1e-13)
    assert bend(100, 0.5) == pytest.approx(0.5 / 10.0 / 100.0, rel=1e-14)

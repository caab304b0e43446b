"""The networks before and after a step, and the steps that bend a layer."""

import numpy as np
import pytest
from numpy.random import Generator

from nets.data.points import SphereSource, sphere
from nets.networks.forward import forward
from nets.networks.network import leaky_network, perturbed
from nets.tangent.linearised import linearisation_error
from properties.guo2024.loss_expansion import (
    MOVES,
    Attacked,
    DrawnNetworks,
    along_gradient,
    cells_of_slopes,
    crossing_steps,
    flips_of_all_layers,
    later_vectors,
    mirrored_flips,
)
from properties.guo2024.slopes import SLOPES, jump


@pytest.fixture
def rng() -> Generator:
    return np.random.default_rng(20)


def test_a_cell_for_each_slope_takes_widths_and_depths_by_turns() -> None:
    cells = cells_of_slopes([6, 12], [1, 2, 4], n=3)
    assert [cell["slope"] for cell in cells] == list(SLOPES)
    assert [(cell["m"], cell["L"], cell["n"]) for cell in cells[:4]] == [(6, 1, 3), (12, 2, 3), (6, 4, 3), (12, 1, 3)]


def test_the_jump_is_largest_at_minus_one() -> None:
    assert jump(-1.0) == pytest.approx(2.0**0.5)
    assert jump(0.0) == 1.0
    assert max(map(jump, SLOPES)) == jump(-1.0)


@pytest.mark.parametrize("move", MOVES)
def test_every_move_gives_another_network_at_the_same_points(rng: Generator, move: str) -> None:
    pair = DrawnNetworks(move, size=0.5, points="drawn").of(rng, SphereSource(), (4, 8, 2, 2, 3), -0.5)
    assert pair.output_change.shape == pair.residuals.shape == (3, 2)
    assert np.abs(pair.output_change).max() > 0.0
    if move != "unrelated":
        assert all(np.linalg.norm(pair.step(layer), 2) <= 0.5 * (1.0 + 1e-12) for layer in pair.layers)


def test_sizes_are_above_all_features_and_outputs_of_both_networks(rng: Generator) -> None:
    pair = DrawnNetworks("unrelated", size=2.0, points="drawn").of(rng, SphereSource(), (4, 8, 2, 2, 3), -2.0)
    for size, start, end in zip(pair.feature_size, pair.start.post[1:], pair.end.post[1:], strict=True):
        assert (size >= np.maximum(np.abs(start), np.abs(end))).all()
    assert (pair.size >= np.abs(pair.output_change) / 2.0).all()


def test_mean_gates_turn_a_change_of_pre_activations_into_that_of_the_features(rng: Generator) -> None:
    pair = DrawnNetworks("unrelated", size=2.0, points="drawn").of(rng, SphereSource(), (4, 8, 2, 2, 3), -2.0)
    for layer in pair.layers:
        moved = pair.end.pre[layer] - pair.start.pre[layer]
        np.testing.assert_allclose(pair.mean_gates(layer) * moved, pair.feature_change(layer), atol=1e-13)


def test_linear_terms_are_the_first_order_of_the_features(rng: Generator) -> None:
    pair = DrawnNetworks("rank one", size=1e-7, points="drawn").of(rng, SphereSource(), (4, 8, 2, 2, 3), 0.5)
    first = sum(pair.linear_terms(layer) for layer in pair.layers)
    np.testing.assert_allclose(first, pair.feature_change(2), atol=1e-12)


@pytest.mark.parametrize("slope", SLOPES)
def test_a_mirrored_layer_differs_from_its_linearisation_by_the_jump_times_what_was_mirrored(
    rng: Generator, slope: float
) -> None:
    net, x = leaky_network(4, 40, 1, 1, slope, rng), sphere(1, 4, rng)
    h = (x @ net.frozen[0])[0]
    step = mirrored_flips(net.weights[0], h, 0.3, net.v[:, 0])
    moved = perturbed(net, [step])
    mirrored = np.abs(h @ step) > 0.0
    assert np.linalg.norm(step, 2) <= 0.3
    assert mirrored.sum() > 3
    assert (net.v[mirrored, 0] > 0.0).all()
    expected = jump(slope) * np.sum(net.v[mirrored, 0] * np.abs(h @ net.weights[0])[mirrored])
    assert linearisation_error(moved, net, x)[0] == pytest.approx(expected, rel=1e-6)


def test_without_budget_nothing_is_mirrored(rng: Generator) -> None:
    W, h = rng.standard_normal((5, 5)), rng.standard_normal(5)
    assert not np.any(mirrored_flips(W, h, 1e-9))
    assert not np.any(mirrored_flips(W, h, 1.0, favour=-np.ones(5)))


def test_flips_of_all_layers_change_signs_in_every_layer(rng: Generator) -> None:
    net, x = leaky_network(4, 20, 3, 1, -1.0, rng), sphere(1, 4, rng)
    steps = flips_of_all_layers(net, x, 0.5)
    assert all(np.any(step) and np.linalg.norm(step, 2) <= 0.5 for step in steps)


def test_steps_along_the_gradient_move_an_output_more_than_random_ones(rng: Generator) -> None:
    net, x = leaky_network(4, 20, 2, 2, -1.0, rng), sphere(1, 4, rng)
    pair = DrawnNetworks("rank one", size=0.1, points="drawn").of(rng, SphereSource(), (4, 20, 2, 2, 1), -1.0)
    steps = along_gradient(net, x, np.array([1.0, 0.0]), 0.1)
    assert all(np.linalg.norm(step, 2) == pytest.approx(0.1) for step in steps)
    gained = (forward(perturbed(net, steps), x).output - forward(net, x).output)[0, 0]
    assert gained[0] > 2.0 * np.abs(pair.output_change).max()


def test_later_vectors_are_the_derivatives_of_an_output_in_the_features(rng: Generator) -> None:
    pair = DrawnNetworks("rank one", size=1e-7, points="drawn").of(rng, SphereSource(), (4, 8, 2, 2, 3), 0.5)
    later = later_vectors(pair.net, pair.start, np.array([0.0, 1.0]))
    gates = pair.all_gates
    first = sum(np.sum((pair.start.post[k] @ pair.step(k)) * gates[k - 1] * later[k - 1], axis=1) for k in pair.layers)
    np.testing.assert_allclose(first, pair.output_change[:, 1], atol=1e-12)


def test_crossing_steps_move_a_deep_linear_network_in_second_order_alone(rng: Generator) -> None:
    net, x = leaky_network(4, 200, 2, 1, 0.999999, rng), sphere(1, 4, rng)
    errors = [
        linearisation_error(perturbed(net, crossing_steps(net, x, np.ones(1), omega)), net, x)[0]
        for omega in (1e-3, 1e-2)
    ]
    assert errors[1] == pytest.approx(100.0 * errors[0], rel=1e-3)
    assert 0.3 < errors[1] / (1e-4 * 200.0**0.5) < 0.7


@pytest.mark.parametrize("step", ["flips", "favoured flips", "gradient", "crossing"])
def test_an_attacked_network_has_unit_residuals_and_steps_within_the_radius(rng: Generator, step: str) -> None:
    pair, unit = Attacked(m=30, L=2, outputs=2, n=3, slope=0.5, omega=0.2).by(step, rng, SphereSource(), 4)
    np.testing.assert_allclose(pair.residuals, np.broadcast_to(unit, (3, 2)), atol=1e-12)
    assert np.abs(pair.output_change).max() > 0.0
    for point in range(3):
        with_gates = pair.read_back(pair.all_gates, 2, point)
        np.testing.assert_allclose(with_gates, pair.B.T * pair.gates(2)[point])
        through = with_gates @ pair.net.weights[1].T * pair.gates(1)[point]
        np.testing.assert_allclose(pair.read_back(pair.all_gates, 1, point), through)


def test_the_three_sums_of_the_outputs_add_up(rng: Generator) -> None:
    pair = DrawnNetworks("unrelated", size=1.0, points="drawn").of(rng, SphereSource(), (4, 8, 2, 2, 3), -2.0)
    parts = [pair.flip_terms, pair.crossing_terms, pair.linear_terms]
    total = sum(part(layer) for part in parts for layer in pair.layers) @ pair.B
    assert (np.abs(total - pair.output_change) <= pair.share * pair.size).all()
    assert pair.share < 1e-10


def test_a_gradient_step_where_all_neurons_are_dead_leaves_the_network() -> None:
    """One neuron of ReLU and one point: dead in half of all draws."""
    pairs = [
        DrawnNetworks("gradient", size=0.5, points="drawn").of(
            np.random.default_rng(k), SphereSource(), (4, 1, 1, 1, 1), 0.0
        )
        for k in range(12)
    ]
    dead = [not pair.start.post[-1].any() for pair in pairs]
    assert 0 < sum(dead) < 12
    assert [not pair.step(1).any() for pair in pairs] == dead

"""Cells of gates by hand, points at their distances, attacks on gates within their radius, and what is certain."""

import itertools
import math
from dataclasses import replace

import flint
import numpy as np
import pytest
from numpy.random import Generator

from bounds.arithmetic.balls import precision_of
from bounds.papers import zou2018 as sheet
from nets.data.distances import DataError
from nets.data.labelled import from_arrays
from nets.data.points import SphereSource, sphere
from nets.networks.forward import forward
from nets.networks.fresh import fresh_forward
from nets.networks.gradients import output_gradient
from nets.networks.network import Network, he_network, perturbed
from nets.networks.operators import flip_counts, frobenius_norm, gated_gram, operator_norm, pairwise_distances
from properties.zou2018.gated_features import (
    FITTED,
    AlignedLayer,
    Certificate,
    GateCells,
    align,
    aligned_forward,
    aligned_gradient,
    antipodal_trio,
    arc,
    certify,
    crossing_lines,
    draw_aligned,
    exceedance,
    fan,
    gate_cells,
    last_gradient_norm,
    least_gradient,
    nearest_pair,
    printed_level,
    responding,
    separations,
    square_balls,
    square_cap,
    star,
    training_points,
    with_antipodes,
)


@pytest.fixture
def rng() -> Generator:
    """One generator for each test."""
    return np.random.default_rng(67)


def shares_of(cells: GateCells) -> dict[tuple[float, ...], float]:
    """The probability of each pattern."""
    found: dict[tuple[float, ...], float] = {}
    for gates, share in zip(cells.gates.tolist(), cells.shares.tolist(), strict=True):
        found[tuple(gates)] = found.get(tuple(gates), 0.0) + share
    return found


@pytest.mark.parametrize("d", [2, 3])
def test_orthogonal_points_open_their_gates_independently(d: int) -> None:
    """Quadrants and octants."""
    cells = gate_cells(np.eye(d))
    wanted = dict.fromkeys(itertools.product((0.0, 1.0), repeat=d), 0.5**d)
    assert shares_of(cells) == pytest.approx(wanted, abs=cells.error)
    assert 0.0 < cells.error < 1e-12


@pytest.mark.parametrize("d", [2, 3])
def test_two_points_share_a_gate_as_often_as_their_angle_says(d: int) -> None:
    """Both open with probability (pi - angle)/(2 pi)."""
    angle = 0.4
    Z = np.zeros((2, d))
    Z[:, :2] = [[1.0, 0.0], [math.cos(angle), math.sin(angle)]]
    found = shares_of(gate_cells(Z))
    assert found[(1.0, 1.0)] == pytest.approx((math.pi - angle) / (2.0 * math.pi), rel=1e-12)
    assert found[(1.0, 0.0)] == pytest.approx(angle / (2.0 * math.pi), rel=1e-12)


@pytest.mark.parametrize("d", [2, 3])
def test_patterns_are_met_as_often_as_by_random_directions(d: int, rng: Generator) -> None:
    Z, draws = sphere(5, d, rng), 100_000
    found, samples = shares_of(gate_cells(Z)), rng.standard_normal((draws, d)) @ Z.T > 0.0
    assert sum(found.values()) == pytest.approx(1.0, abs=1e-12)
    patterns, counts = np.unique(samples.astype(float), axis=0, return_counts=True)
    assert {tuple(pattern) for pattern in patterns.tolist()} <= set(found)
    for pattern, count in zip(patterns.tolist(), counts.tolist(), strict=True):
        p = found[tuple(pattern)]
        assert count / draws == pytest.approx(p, abs=6.0 * math.sqrt(p * (1.0 - p) / draws) + 3.0 / draws)


def test_cells_are_measured_in_the_plane_and_in_space_and_not_where_three_points_share_a_circle() -> None:
    with pytest.raises(ValueError, match="dimension 4"):
        gate_cells(np.eye(4))
    angles = np.array([0.0, 0.5, 1.1])
    great = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(3)])
    assert math.isnan(gate_cells(great).error)


@pytest.mark.parametrize(("level", "probability"), [(0.5, 0.75), (1.0, 0.75), (1.2, 0.25), (1.5, 0.0)])
def test_a_gated_sum_of_two_orthogonal_points_is_long_as_often_as_by_hand(level: float, probability: float) -> None:
    """Its norm is 0, 1, 1 and sqrt(2) in the four quadrants."""
    found = exceedance(np.eye(2), np.ones(2), level)
    assert found.value == pytest.approx(probability, abs=1e-14)
    assert found.symbols == pytest.approx({"phi": math.sqrt(2.0), "phi_pm": math.sqrt(2.0), "a": 1.0})


def test_separations_are_those_of_points_and_of_points_and_antipodes() -> None:
    Z = np.array([[1.0, 0.0], [0.0, 1.0], [-math.cos(0.1), math.sin(0.1)]])
    found = separations(Z, np.array([1.0, -3.0, 2.0]))
    # From e_2 to the third point the angle is pi/2 - 0.1.
    wanted = {"phi": 2.0 * math.sin(0.25 * math.pi - 0.05), "phi_pm": 2.0 * math.sin(0.05), "a": 3.0}
    assert found == pytest.approx(wanted, rel=1e-12)


def gaps(Z: np.ndarray) -> np.ndarray:
    """All distances of two rows."""
    return np.asarray(pairwise_distances(Z)[np.triu_indices(len(Z), 1)])


@pytest.mark.parametrize("d", [2, 3, 6])
def test_a_fan_opens_by_its_tilt_to_either_side(d: int, rng: Generator) -> None:
    Z = fan(5, d, 0.1, rng)
    angles = 2.0 * np.arcsin(0.5 * np.linalg.norm(Z - Z[0], axis=1))
    assert angles == pytest.approx([0.0, 0.1, 0.1, 0.2, 0.2], abs=1e-12)
    assert np.linalg.norm(Z, axis=1) == pytest.approx(np.ones(5), rel=1e-12)
    if d == 2:
        assert Z[1] + Z[2] == pytest.approx(2.0 * math.cos(0.1) * Z[0], rel=1e-12)


def test_points_of_an_arc_a_star_a_cap_and_a_trio_have_their_distances() -> None:
    assert np.sort(gaps(arc(4, 0.2)))[:3] == pytest.approx([0.2] * 3, rel=1e-12)
    assert np.sort(gaps(arc(4, 0.2)))[3] > 0.3
    assert gaps(arc(6, 1.0)).min() == pytest.approx(1.0, rel=1e-12)
    assert separations(arc(3, 1.0, antipodes=True), np.ones(3))["phi_pm"] == pytest.approx(1.0, rel=1e-12)
    points = star(4, 5, 0.3)
    assert np.linalg.norm(points[1:] - points[0], axis=1) == pytest.approx([0.3] * 3, rel=1e-12)
    away = points[1:] - (points[1:] @ points[0])[:, np.newaxis] * points[0]
    assert np.abs(away @ away.T - np.diag(np.sum(away**2, axis=1))).max() < 1e-15
    cap = square_cap(0.2)
    assert np.array_equal(cap[0] + cap[2], cap[1] + cap[3])
    assert [np.linalg.norm(cap[k] - cap[(k + 1) % 4]) for k in range(4)] == pytest.approx([0.2] * 4, rel=1e-12)
    trio = antipodal_trio(0.4)
    assert np.array_equal(trio[3:], -trio[:3])
    assert separations(trio, np.ones(6))["phi"] == pytest.approx(0.4, rel=1e-12)
    for family in (points, cap, trio):
        assert np.linalg.norm(family, axis=1) == pytest.approx(np.ones(len(family)), rel=1e-12)


def test_no_more_points_are_apart_than_a_circle_has_room_for() -> None:
    with pytest.raises(DataError, match=r"^7 points 1 apart are asked for, of a circle: ask for at most 6$"):
        arc(7, 1.0)
    with pytest.raises(DataError, match=r"ask for at most 3$"):
        arc(4, 1.0, antipodes=True)
    with pytest.raises(DataError, match=r"^the ends of 3 lines are 0.6 off antipodes: ask for 0.518 at most$"):
        crossing_lines(6, 0.6)


def test_near_antipodes_are_at_the_gap_from_the_negatives(rng: Generator) -> None:
    Z = sphere(4, 3, rng)
    both = with_antipodes(Z, 0.01, rng)
    assert np.array_equal(both[:4], Z)
    assert np.linalg.norm(both[4:] + Z, axis=1) == pytest.approx([0.01] * 4, rel=1e-9)
    assert np.linalg.norm(both, axis=1) == pytest.approx(np.ones(8), rel=1e-12)


@pytest.mark.parametrize("n", [2, 6, 7, 8])
def test_crossing_lines_have_near_antipodes_at_the_gap_and_nothing_nearer(n: int) -> None:
    X = crossing_lines(n, 0.3)
    assert X.shape == (n, 2)
    found = separations(X, np.ones(n))
    assert found["phi_pm"] == pytest.approx(0.3, abs=1e-12)
    assert found["phi"] > 0.3


def test_training_points_are_synthetic_ones_at_their_distance_or_rows_of_the_data(rng: Generator) -> None:
    assert gaps(training_points(SphereSource(), 5, 3, 0.2, rng)).min() == pytest.approx(0.2, rel=1e-9)
    data = from_arrays(sphere(12, 3, rng), np.where(np.arange(12) % 2, 1.0, -1.0))
    rows = training_points(data, 4, 3, 0.2, rng)
    assert rows.shape == (4, 3)
    assert all(np.any(np.all(row == data.X, axis=1)) for row in rows)


def test_one_point_has_the_active_nodes_responding() -> None:
    net = Network((np.array([[1.0, 2.0, -1.0, 3.0]]),), np.array([1.0, 1.0, -1.0, -1.0]))
    fwd = forward(net, np.ones((1, 1)))
    # Only the point itself is summed, at length 1, on the three active nodes.
    assert responding(fwd, 0.5).value == 3.0
    assert responding(fwd, 1.0).value == 3.0
    assert responding(fwd, 1.01).value == 0.0


@pytest.mark.parametrize("level", [0.02, 0.2])
@pytest.mark.parametrize("n", [2, 3])
def test_the_fewest_responding_nodes_lie_between_the_proof_and_the_search(n: int, level: float, rng: Generator) -> None:
    """Random coefficients never leave fewer than the lower end, and the search leaves no more than they do.

    Half of the coefficients are next to nothing: one point alone leaves the nodes that only the others activate silent.
    """
    for _ in range(5):
        X = fan(n, 3, 0.3, rng)
        fwd = fresh_forward(X, [200], rng)
        found = responding(fwd, level)
        met = []
        for _ in range(300):
            a = rng.uniform(-1.0, 1.0, n) * rng.choice([1.0, 1e-3], n)
            a /= np.abs(a).max()
            sums = fwd.post[-2].T @ (a[:, np.newaxis] * fwd.masks[-1])
            met.append(np.count_nonzero(np.linalg.norm(sums, axis=0) >= level))
        assert found.low <= found.value
        assert found.low <= min(met)
        assert found.value <= min(met)
        assert found.symbols["r"] == pytest.approx(1.0, rel=1e-12)


def test_above_half_the_shortest_point_nothing_is_proved_of_the_nodes(rng: Generator) -> None:
    assert responding(fresh_forward(fan(2, 3, 0.3, rng), [50], rng), 0.6).low == 0.0


def test_the_least_gradient_is_the_least_over_a_grid_of_slopes(rng: Generator) -> None:
    net, X = he_network((3, 20, 20), rng), sphere(2, 3, rng)
    fwd = forward(net, X)
    found = float(least_gradient(fwd).value)
    values = []
    for share in np.linspace(0.0, 1.0, 401):
        for sign in (1.0, -1.0):
            slopes = np.array([share, sign * (1.0 - share)]) / 2.0
            values.append(frobenius_norm(output_gradient(net, fwd, slopes)[-1]) ** 2)
    assert found <= min(values) * (1.0 + 1e-9)
    assert found == pytest.approx(min(values), rel=1e-3)


def test_the_gradient_of_the_last_layer_has_the_norm_of_the_matrix_also_where_it_cancels(rng: Generator) -> None:
    net, X = he_network((3, 12, 12), rng), sphere(3, 3, rng)
    fwd, coefficients = forward(net, X), rng.standard_normal(3)
    wanted = frobenius_norm(output_gradient(net, fwd, coefficients)[-1])
    assert last_gradient_norm(fwd, coefficients) == pytest.approx(wanted, rel=1e-10)
    twice = forward(net, X[[0, 0]])
    assert last_gradient_norm(twice, np.array([1.0, -1.0])) == 0.0


def test_a_nearest_pair_made_alike_differs_in_fewer_gates_and_the_others_keep_theirs() -> None:
    """The same draws with and without steps: a third point, orthogonal to both, is where the mean does not move it."""
    X = np.concatenate([fan(2, 3, 0.3, np.random.default_rng(5)), [[0.0, 0.0, 0.0]]])
    X[2] = np.cross(X[0], X[1])
    X[2] /= np.linalg.norm(X[2])
    pair = nearest_pair(X)
    assert sorted(pair) == [0, 1]
    still, moved = (aligned_forward(X, (128,), tau, np.random.default_rng(3), pair) for tau in (0.0, 0.2))
    assert still[1] == 0.0 < moved[1] <= 0.2 * (1.0 + 1e-12)
    apart = [np.count_nonzero(fwd.masks[0][0] != fwd.masks[0][1]) for fwd, _ in (still, moved)]
    assert apart[1] < apart[0]
    assert np.array_equal(still[0].masks[0][2], moved[0].masks[0][2])


def test_the_steps_that_the_radius_of_lemma_b5_allows_turn_gates_at_large_widths() -> None:
    """At two orthogonal points and two layers of 2^16 neurons, in most draws."""
    X, tau = np.eye(2), 0.999 * float(sheet.lemma_B_5_radius.larger.evaluate({"n": 2, "L": 2, "phi": 1.4}))
    turned = 0
    for seed in range(6):
        still, moved = (aligned_forward(X, (2**16,) * 2, size, np.random.default_rng(seed))[0] for size in (0.0, tau))
        turned += any(np.any(a != b) for a, b in zip(still.masks, moved.masks, strict=True))
    assert turned >= 4


def test_with_room_for_all_moves_the_network_is_linear_on_the_points(rng: Generator) -> None:
    net, X = he_network((4, 32, 32), rng), fan(3, 4, 0.05, rng)
    assert flip_counts(forward(net, X[:1]), forward(net, X[1:2])).sum() > 0
    fwd = forward(perturbed(net, align(net, X)), X)
    for masks in fwd.masks:
        assert np.array_equal(masks, np.tile(masks[0], (3, 1)))
    # The mean of the points, run alone, has the mean of the outputs.
    alone = forward(perturbed(net, align(net, X)), X.mean(axis=0, keepdims=True))
    assert alone.output == pytest.approx([fwd.output.mean()], rel=1e-9, abs=1e-12)


def test_opposite_points_are_not_moved(rng: Generator) -> None:
    X = np.array([[0.6, 0.8], [-0.6, -0.8]])
    still, moved = (aligned_forward(X, (16,), tau, np.random.default_rng(3)) for tau in (0.0, 0.2))
    np.testing.assert_array_equal(moved[0].pre[0], still[0].pre[0])
    assert moved[1] == 0.0


def test_alignment_keeps_to_its_radius_and_takes_the_smallest_moves_first(rng: Generator) -> None:
    net, X = he_network((4, 256, 64), rng), fan(3, 4, 0.2, rng)
    whole = align(net, X)
    tau = 0.5 * operator_norm(whole[0])
    small = align(net, X, tau)
    assert all(operator_norm(step) <= tau * (1.0 + 1e-12) for step in small)
    lengths = [np.linalg.norm(step, axis=0) for step in (whole[0], small[0])]
    moved = lengths[1] > 0.0
    assert lengths[1][moved] == pytest.approx(lengths[0][moved], rel=1e-9)
    assert lengths[0][moved].max() <= lengths[0][~moved & (lengths[0] > 0.0)].min()
    assert all(not np.any(step) for step in align(net, X, 0.0))


def test_a_pass_drawn_aligned_has_the_law_of_an_aligned_network() -> None:
    """Mean of the largest norm of a step and of the output's square, drawn at the points and through weights."""
    rng, draws, tau = np.random.default_rng(71), 300, 0.3
    X, found = fan(3, 4, 0.2, rng), []
    for fresh in (True, False):
        rows = []
        for _ in range(draws):
            if fresh:
                fwd, largest = aligned_forward(X, (24, 24), tau, rng)
            else:
                net = he_network((4, 24, 24), rng)
                steps = align(net, X, tau)
                fwd, largest = forward(perturbed(net, steps), X), max(operator_norm(step) for step in steps)
            assert largest <= tau * (1.0 + 1e-12)
            rows.append([largest, fwd.output[0] ** 2, fwd.masks[-1].mean()])
        found.append(np.array(rows))
    for column in range(3):
        first, second = found[0][:, column], found[1][:, column]
        error = math.hypot(first.std(), second.std()) / math.sqrt(draws)
        assert first.mean() == pytest.approx(second.mean(), abs=6.0 * error)


def test_on_a_small_square_the_gradient_vanishes_after_steps_that_align_its_gates(rng: Generator) -> None:
    gradient, symbols = aligned_gradient(rng, 2000, 1, 4, 3, 0.05)
    assert gradient < 1e-9
    assert symbols["S1"] == pytest.approx(-4.0)
    assert 0.0 < symbols["tau"] < 0.05
    assert symbols["count"] > 0.0


def exact(X: np.ndarray) -> flint.arb_mat:
    """The points as they are."""
    return flint.arb_mat(X.tolist())


def test_what_is_certified_of_drawn_layers_is_what_floats_find(rng: Generator) -> None:
    X = fan(3, 4, 0.1, rng)
    layers = draw_aligned(X, (16, 16), rng)
    assert all(isinstance(layer, AlignedLayer) for layer in layers)
    proof = certify(exact(X), layers)
    assert isinstance(proof, Certificate)
    assert proof.gates
    arriving, moved = X, X
    for layer in layers:
        W = layer.basis @ layer.draw.T
        last = arriving
        arriving = np.maximum(arriving @ W, 0.0)
        moved = np.maximum(moved @ (W + np.outer(layer.mean, layer.moves)), 0.0)
        assert np.array_equal(arriving > 0.0, layer.before > 0.0)
        assert np.array_equal(moved > 0.0, layer.after > 0.0)
        assert np.array_equal(layer.after, np.tile(layer.after[0], (3, 1)))
    assert proof.arriving == pytest.approx(last, abs=1e-12)
    signs = np.repeat([1.0, -1.0], 8)
    assert [float(value) for value in proof.output] == pytest.approx(moved @ signs, abs=1e-10)
    norms = [np.linalg.norm(np.outer(layer.mean, layer.moves), 2) for layer in layers]
    assert float(proof.radius) == pytest.approx(max(norms), rel=1e-12)


def test_a_wrong_gate_or_points_known_too_roughly_are_not_certified(rng: Generator) -> None:
    X = fan(3, 4, 0.1, rng)
    layers = draw_aligned(X, (16,), rng)
    wrong = layers[0].after.copy()
    wrong[0, 0] = 1.0 - wrong[0, 0]
    assert not certify(exact(X), [replace(layers[0], after=wrong)]).gates
    rough = flint.arb_mat([[flint.arb(x, 10.0) for x in row] for row in X.tolist()])
    assert not certify(rough, layers).gates


def test_drawn_without_steps_the_layers_are_not_moved(rng: Generator) -> None:
    X = fan(3, 4, 0.1, rng)
    layers = draw_aligned(X, (16, 16), rng, steps=False)
    assert all(not layer.moves.any() for layer in layers)
    assert all(np.array_equal(layer.before, layer.after) for layer in layers)
    assert float(certify(exact(X), layers).radius) == 0.0


def test_the_printed_level_is_an_eighth_of_the_distance_over_the_number_of_points() -> None:
    assert printed_level(4, 0.5) == pytest.approx(0.5 / 32.0, rel=1e-14)
    assert FITTED["c"].value == 1


def test_the_gram_matrix_behind_the_least_gradient_is_positive_where_points_are_apart(rng: Generator) -> None:
    fwd = fresh_forward(star(3, 4, 1.0), [400], rng)
    assert float(least_gradient(fwd).value) > 0.0
    assert np.linalg.eigvalsh(gated_gram(fwd))[0] > 0.0
    merged = fresh_forward(star(3, 4, 1.0)[[0, 0]], [400], rng)
    assert float(least_gradient(merged).value) <= 1e-9


def test_the_square_in_balls_is_the_square_to_128_bits() -> None:
    points, balls = square_cap(0.25), square_balls(0.25)
    assert np.array([[float(balls[i, j]) for j in range(3)] for i in range(4)]) == pytest.approx(points, rel=1e-15)
    with precision_of(128):
        edge = [balls[0, j] - balls[1, j] for j in range(3)]
        side, norm = (sum((x * x for x in row), flint.arb(0)) for row in (edge, [balls[0, j] for j in range(3)]))
        for found, wanted in ((side, flint.arb(1) / 16), (norm, flint.arb(1))):
            assert found.contains(wanted)
            assert found.rad() < flint.arb(2) ** -115

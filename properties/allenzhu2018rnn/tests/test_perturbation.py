"""Perturbed recurrent networks: attacks stay within their radius, do what they are for, and the terms add up."""

import dataclasses
import math

import numpy as np
import pytest
from numpy.random import Generator

from nets.networks.network import Network, recurrent_network
from nets.networks.operators import operator_norm
from properties.allenzhu2018rnn.perturbation import (
    SEQUENCE_ATTACKS,
    RecurrentShift,
    attacked_sequences,
    cheapest,
    cheapest_flips,
    flips_at_all_times,
    opposed,
)
from properties.allenzhu2018rnn.sequences import sequences


def start(m: int, times: int, stored: float = math.inf) -> tuple[Generator, Network, np.ndarray]:
    rng = np.random.default_rng(3)
    return rng, recurrent_network(3, m, 2, times, rng, stored=stored), sequences(2, times, 3, rng)


@pytest.mark.parametrize("attack", SEQUENCE_ATTACKS)
@pytest.mark.parametrize("stored", [math.inf, 0])
def test_attacks_stay_within_their_radius_at_stored_and_revealed_matrices(attack: str, stored: float) -> None:
    rng, net, X = start(40, 3, stored)
    shift = attacked_sequences(rng, net, X, 0.5, attack)
    norm = operator_norm(shift.step)
    assert norm <= 0.5 / math.sqrt(40.0) * (1.0 + 1e-12)
    assert norm == pytest.approx(0.5 / math.sqrt(40.0), rel=1e-6) or attack == "flips"


def test_the_quantities_are_those_of_the_definition() -> None:
    rng, net, X = start(20, 3)
    shift = attacked_sequences(rng, net, X, 4.0, "flips")
    W, A = net.stored_parameters()
    states = {"before": np.zeros((2, 20)), "after": np.zeros((2, 20))}
    for time in range(1, 4):
        g = {
            name: state @ (W if name == "before" else W + shift.step) + X[:, time - 1] @ A
            for name, state in states.items()
        }
        states = {name: np.maximum(pre, 0.0) for name, pre in g.items()}
        gates = {name: (pre > 0.0).astype(float) for name, pre in g.items()}
        assert np.allclose(shift.change(time), g["after"] - g["before"])
        assert np.allclose(shift.feature_change(time), states["after"] - states["before"])
        assert np.array_equal(shift.jumps(time), gates["after"] - gates["before"])
        assert np.allclose(shift.flipped_part(time), (gates["after"] - gates["before"]) * g["after"])
        assert np.array_equal(shift.flips[:, time - 1], np.count_nonzero(shift.jumps(time), axis=1))


def test_what_the_step_and_the_flips_add_makes_the_change_within_its_error() -> None:
    rng, net, X = start(20, 2)
    shift = attacked_sequences(rng, net, X, 4.0, "flips")
    kept = shift.carried(shift.change(1), 1, 2)
    missed = shift.change(2) - shift.direct(1) - shift.turned(1) - kept
    assert np.all(np.abs(missed) <= shift.error(2))
    assert shift.error(2).max() < 1e-9
    assert np.all(np.abs(shift.before.pre[1]) <= shift.sizes[1] * (1.0 + 1e-12))


def test_at_two_times_no_perturbation_flips_more_of_the_last_gates() -> None:
    rng, net, X = start(60, 2)
    shift = attacked_sequences(rng, net, X, 1.0, "flips")
    arriving = shift.before.post[1][0]
    squares = np.sort(shift.before.pre[1][0] ** 2)
    reach = float(arriving @ arriving) / 60.0
    assert shift.flips[0, 1] == np.searchsorted(np.cumsum(squares), reach, side="right")


def test_drift_moves_the_last_time_farther_than_other_attacks() -> None:
    rng, net, X = start(60, 4)
    moved = {a: float(np.linalg.norm(attacked_sequences(rng, net, X, 0.1, a).change(4)[0])) for a in SEQUENCE_ATTACKS}
    assert moved["drift"] == max(moved.values())


def test_overshoot_passes_the_most_through_a_turned_gate() -> None:
    rng, net, X = start(60, 3)
    passed = {
        a: float(np.linalg.norm(attacked_sequences(rng, net, X, 0.1, a).flipped_part(3)[0])) for a in SEQUENCE_ATTACKS
    }
    assert passed["overshoot"] == max(passed.values())


def test_the_polar_step_attains_the_nuclear_norm() -> None:
    rng = np.random.default_rng(5)
    W = rng.standard_normal((9, 9))
    rows, columns = rng.standard_normal((3, 9)), rng.standard_normal((3, 9))
    step = opposed(W, rows, columns, 0.7)
    reached = float(np.sum((rows @ step) * columns))
    assert reached == pytest.approx(0.7 * np.linalg.svd(rows.T @ columns, compute_uv=False).sum())
    assert operator_norm(step) == pytest.approx(0.7)


def test_nothing_to_move_is_no_step() -> None:
    assert not np.any(opposed(np.ones((3, 3)), np.zeros((2, 3)), np.ones((2, 3)), 1.0))


def test_nothing_is_moved_behind_a_state_of_zero() -> None:
    rng, net, X = start(8, 2)
    closed = dataclasses.replace(net, frozen=(-np.abs(net.frozen[0]),))
    shift = attacked_sequences(rng, closed, np.abs(X), 1.0, "flips")
    assert not np.any(shift.before.post[1])
    assert not np.any(shift.step)


def test_gates_that_are_turned_already_cost_nothing() -> None:
    change = cheapest_flips(np.array([0.1, -0.2, 5.0]), np.array([0.0, 0.0, 1.0]), 0.3)
    assert change[0] == 0.0
    assert change[1] > 0.2
    assert change[2] == 0.0


@pytest.mark.parametrize("size", [1, 100, 5000])
@pytest.mark.parametrize("budget", [0.0, 0.5, 20.0, 1e3])
def test_the_cheapest_are_the_first_in_order(size: int, budget: float) -> None:
    cost = np.abs(np.random.default_rng(4).standard_normal(size))
    cost[::3] = np.inf
    chosen = cheapest(cost, budget)
    assert np.array_equal(chosen, np.argsort(cost, kind="stable")[: chosen.size])
    dearer = np.sort(cost)[: chosen.size + 1]
    assert np.linalg.norm(cost[chosen]) <= budget * (1.0 + 1e-12)
    assert dearer.size == chosen.size or np.linalg.norm(dearer) > budget


@pytest.mark.parametrize("stored", [math.inf, 0])
def test_further_steps_start_from_the_same_pass(stored: float) -> None:
    rng, net, X = start(12, 3, stored)
    still = RecurrentShift.still(net, X)
    assert not any(np.any(still.change(time)) for time in (1, 2, 3))
    assert not still.step.any()
    step = attacked_sequences(rng, net, X, 2.0, "random").step
    moved = still.by(step, X)
    assert moved.before is still.before
    assert np.allclose(moved.change(3), RecurrentShift.of(net, step, X).change(3))


def test_parts_carried_through_the_gates_before_are_products_of_the_matrix() -> None:
    rng, net, X = start(8, 3)
    shift = RecurrentShift.of(net, 0.1 * rng.standard_normal((8, 8)), X)
    row = rng.standard_normal((2, 8))
    W = net.stored_weights()[0]
    gates = shift.before.masks
    assert np.allclose(shift.carried(row, 1, 3), ((row * gates[0]) @ W * gates[1]) @ W)
    assert np.array_equal(shift.carried(row, 2, 2), row)


@pytest.mark.parametrize(("attack", "times"), [("nothing", 3), ("flips", 1)])
def test_an_unknown_attack_or_a_single_time_is_refused(attack: str, times: int) -> None:
    rng, net, X = start(5, times)
    with pytest.raises(ValueError, match="choose one of flips, drift, overshoot, random, and two times at least"):
        attacked_sequences(rng, net, X, 0.1, attack)


@pytest.mark.parametrize("stored", [math.inf, 0])
def test_gates_turn_at_all_times_within_the_radius(stored: float) -> None:
    rng = np.random.default_rng(5)
    net, X = recurrent_network(3, 400, 1, 5, rng, stored=stored), sequences(1, 5, 3, rng, "unit")
    shift, last = flips_at_all_times(net, X, 1.0), attacked_sequences(rng, net, X, 1.0, "flips")
    assert operator_norm(shift.step) <= 1.0 / 20.0 * (1.0 + 1e-12)
    assert shift.flips[0, 0] == 0
    assert shift.flips[0, 1:].min() > 10
    assert last.flips[0, 1:4].max() < 10


def test_of_two_times_no_step_turns_more_than_the_one_at_all_times() -> None:
    rng, net, X = start(60, 2)
    assert flips_at_all_times(net, X, 0.5).flips[0, 1] == attacked_sequences(rng, net, X, 0.5, "flips").flips[0, 1] > 0

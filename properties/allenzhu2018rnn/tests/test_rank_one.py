"""Perturbations are of the shape that is asked for, reach what they aim at, and changes are those written out."""

import numpy as np
import pytest

from nets.networks.network import recurrent_network
from nets.networks.operators import operator_norm
from properties.allenzhu2018rnn.rank_one import AIMS, _strongest, backward_changes, largest_entry, rank_one_shift
from properties.allenzhu2018rnn.sequences import sequences


@pytest.mark.parametrize("aim", AIMS)
def test_perturbations_have_few_rows_of_the_size_that_is_asked_for(aim: str) -> None:
    rng = np.random.default_rng(0)
    net, X = recurrent_network(3, 32, 1, 3, rng), sequences(2, 3, 3, rng)
    step = np.asarray(rank_one_shift(net, X, 4, 0.5, aim, rng).step)
    rows = np.abs(step).max(axis=0) > 1e-12
    assert np.count_nonzero(rows) <= 4
    assert operator_norm(step) <= 2.0 * 0.5 / np.sqrt(32) * (1.0 + 1e-9)
    assert operator_norm(step) == pytest.approx(np.linalg.norm(step))


@pytest.mark.parametrize("N", [1, 3, 50])
def test_the_strongest_row_is_that_of_the_largest_sum_of_so_many_entries(N: int) -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        W, kept = rng.standard_normal((60, 50)), (rng.random(50) < 0.5).astype(float)
        sums = np.sort(np.abs(W * kept), axis=1)[:, -N:].sum(axis=1)
        assert np.array_equal(_strongest(W, kept, N), (W * kept)[np.argmax(sums)])


def test_another_aim_is_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="choose one of"):
        rank_one_shift(recurrent_network(3, 8, 1, 2, rng), sequences(1, 2, 3, rng), 2, 1.0, "nothing", rng)


def test_aimed_perturbations_reach_more_than_random_ones() -> None:
    rng = np.random.default_rng(1)
    net, X = recurrent_network(3, 64, 1, 3, rng), sequences(1, 3, 3, rng)
    shifts = {aim: rank_one_shift(net, X, 4, 0.5, aim, rng) for aim in AIMS}
    assert largest_entry(shifts["entry"]) > 4.0 * largest_entry(shifts["random"])
    assert shifts["flips"].flips[0, 1] == 4.0
    again = sequences(1, 3, 3, rng, "repeated")
    both = [rank_one_shift(net, again, 1, 0.01, aim, rng) for aim in ("entry", "sum")]
    assert largest_entry(both[1]) > 1.1 * largest_entry(both[0])
    assert shifts["column"].flips[0, 1] >= 4.0
    assert backward_changes(shifts["axis"])[1] > 2.0 * backward_changes(shifts["random"])[1]


def test_a_perturbation_along_itself_is_met_again_backward() -> None:
    rng = np.random.default_rng(1)
    net, X = recurrent_network(3, 64, 1, 3, rng), sequences(1, 3, 3, rng)
    axis, again = (backward_changes(rank_one_shift(net, X, 64, 8.0, aim, rng))[1] for aim in ("axis", "again"))
    assert again > 2.0 * axis


def test_changes_are_those_written_out() -> None:
    rng = np.random.default_rng(2)
    net, X = recurrent_network(3, 12, 2, 2, rng), sequences(1, 2, 3, rng)
    shift = rank_one_shift(net, X, 3, 4.0, "flips", rng)
    W, moved, B = shift.net.weights[0].T, np.asarray(shift.moved.weights[0]).T, net.v.T
    old, new = ([np.diag(mask[0]) for mask in fwd.masks] for fwd in (shift.before, shift.after))
    change = shift.after.post[2][0] - shift.before.post[2][0]
    assert largest_entry(shift) == pytest.approx(np.abs(moved @ change).max())
    gates = [B @ (new[1] - old[1]) @ W, B @ (new[1] @ W @ new[0] - old[1] @ W @ old[0]) @ W]
    weights = [B @ new[1] @ (moved - W), B @ new[0] @ (moved - W)]
    weights.append(B @ new[1] @ (moved @ new[0] @ moved - W @ new[0] @ W))
    by_gates, by_weights = backward_changes(shift)
    assert by_gates == pytest.approx(max(np.linalg.norm(A, axis=0).max() for A in gates))
    assert by_weights == pytest.approx(max(np.linalg.norm(A, axis=0).max() for A in weights))

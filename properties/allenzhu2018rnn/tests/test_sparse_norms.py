"""Products are those written out, intervals hold suprema over all supports, and chances lie below those of samples."""

import itertools
import math

import numpy as np
import pytest

from nets.networks.operators import operator_norm
from properties.allenzhu2018rnn.sparse_norms import (
    back_product_stacks,
    doubly_sparse_norm,
    inner_products,
    log_chance_of_a_loop,
    log_chance_of_a_response,
    recurrent_back_products,
    response_norm,
    started,
)


def test_products_are_those_written_out() -> None:
    net, fwd = started(np.random.default_rng(0), 5, 3, 2, outputs=2)
    W, B = net.weights[0].T, net.v.T
    D = [[np.diag(mask[i]) for mask in fwd.masks] for i in range(2)]
    inner = [[W @ D[i][0] @ W, W @ D[i][1] @ W @ D[i][0] @ W, W @ D[i][1] @ W] for i in range(2)]
    for found, written in zip(inner_products(net, fwd), [*inner[0], *inner[1]], strict=True):
        np.testing.assert_allclose(found.T, written, rtol=1e-12, atol=1e-12)
    back = list(recurrent_back_products(net, fwd))
    assert len(back) == 12
    assert back[0] == pytest.approx(B @ D[0][2] @ W)
    assert back[2] == pytest.approx(B @ D[0][2] @ W @ D[0][1] @ W)
    assert back[3] == pytest.approx(B @ D[0][0] @ W)
    assert back[4] == pytest.approx(B @ D[0][1] @ W @ D[0][0] @ W)
    assert back[-1] == pytest.approx(B @ D[1][2] @ W @ D[1][1] @ W @ D[1][0] @ W)


def test_stacks_hold_the_products_of_all_last_times_for_one_first_one() -> None:
    net, fwd = started(np.random.default_rng(0), 5, 3, 2, outputs=2)
    stacks, back = list(back_product_stacks(net, fwd)), list(recurrent_back_products(net, fwd))
    assert [stack.shape for stack in stacks] == [(k, 2, 5) for k in (1, 2, 3, 1, 2, 3)]
    np.testing.assert_array_equal(np.concatenate(stacks), np.stack(back))
    # The last time comes first, as B D_b W alone comes from one product less.
    assert stacks[1][0] == pytest.approx(net.v.T @ np.diag(fwd.masks[1][0]) @ net.weights[0].T)


def test_the_variance_of_the_weights_is_the_one_asked_for() -> None:
    net, _ = started(np.random.default_rng(1), 200, 2, 1, gain=8.0)
    assert float(np.var(net.stored_weights()[0])) == pytest.approx(8.0 / 200, rel=0.05)


@pytest.mark.parametrize("s", [1, 2, 3])
def test_the_interval_of_pairs_holds_the_largest_block(s: int) -> None:
    A = np.random.default_rng(s).standard_normal((6, 7))
    rows, columns = (list(itertools.combinations(range(size), s)) for size in A.shape)
    exact = max(operator_norm(A[np.ix_(some, others)]) for some in rows for others in columns)
    low, high = doubly_sparse_norm(A, s)
    assert low <= exact * (1.0 + 1e-12)
    assert exact <= high * (1.0 + 1e-12)
    assert high <= 1.5 * low


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("s", [1, 2, 4])
def test_the_interval_of_responses_holds_the_largest_one(outputs: int, s: int) -> None:
    A = np.random.default_rng(10 * outputs + s).standard_normal((outputs, 8))
    exact = max(operator_norm(A[:, list(chosen)]) for chosen in itertools.combinations(range(8), s))
    low, high = response_norm(A, s)
    assert low <= exact * (1.0 + 1e-12)
    assert exact <= high * (1.0 + 1e-12)
    assert low == pytest.approx(exact, rel=0.2)
    if min(outputs, s) == 1:
        assert low == high


def test_chances_of_large_weights_lie_below_those_of_samples() -> None:
    rng, m, loops, responses = np.random.default_rng(3), 4, [], []
    for _ in range(4000):
        W, gates, B = rng.normal(0.0, math.sqrt(2.0 / m), (m, m)), rng.random(m) < 0.5, rng.standard_normal(m)
        loops.append(abs((W[0] * gates) @ W[:, 0]))
        responses.append(np.linalg.norm((B * gates) @ W))
    for level in (1.0, 2.0, 4.0):
        assert math.exp(log_chance_of_a_loop(m, level)) <= np.mean(np.array(loops) > level) + 0.01
        assert math.exp(log_chance_of_a_response(m, level)) <= np.mean(np.array(responses) > level) + 0.01
    assert log_chance_of_a_loop(10**6, 3.0) == pytest.approx(-0.25 * 3e6, rel=0.01)

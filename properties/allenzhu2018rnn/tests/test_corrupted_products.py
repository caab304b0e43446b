"""Corrupted products: norms of the matrices they stand for, and an adversary that no random change beats."""

import numpy as np
import pytest

from nets.networks.forward import forward
from nets.networks.network import recurrent_network
from properties.allenzhu2018rnn.corrupted_products import (
    diagonal_product_norm,
    largest_corrupted_norm,
    largest_span_norm,
    response,
    stretched,
)


def test_the_norm_is_that_of_the_product_in_the_order_of_the_times() -> None:
    rng = np.random.default_rng(0)
    W, gates = rng.standard_normal((6, 6)), [rng.standard_normal(6) for _ in range(3)]
    transposed = W.T
    product = np.eye(6)
    for gate in gates:
        product = np.diag(gate) @ transposed @ product
    assert diagonal_product_norm(W, gates) == pytest.approx(np.linalg.norm(product, 2))


def test_no_random_change_of_as_many_gates_gives_a_larger_norm() -> None:
    rng = np.random.default_rng(1)
    W = rng.standard_normal((16, 16)) / 4.0
    gates = [(rng.random(16) < 0.5).astype(float) for _ in range(3)]
    worst = largest_corrupted_norm(W, gates, 2)
    assert worst > diagonal_product_norm(W, gates)
    for _ in range(100):
        tried = [gate.copy() for gate in gates]
        for gate in tried:
            gate[rng.choice(16, 2, replace=False)] += rng.choice([-1.0, 1.0], 2)
        assert diagonal_product_norm(W, tried) <= worst


@pytest.mark.parametrize("scale", [0.2, 1.0, 1e30])
def test_the_largest_norm_of_spans_is_that_of_one_of_their_products(scale: float) -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        W, gates = scale * rng.standard_normal((5, 5)), [rng.standard_normal(5) for _ in range(3)]
        spans = [gates[first:last] for first in range(3) for last in range(first + 1, 4)]
        largest = max(diagonal_product_norm(W, span) for span in spans)
        assert largest_span_norm(W, gates) == pytest.approx(largest, rel=1e-12)
        assert largest_span_norm(W, gates, 2.0 * largest) == 2.0 * largest
        assert largest_span_norm(W, gates, 0.5 * largest) == pytest.approx(largest, rel=1e-12)


def test_products_of_closed_gates_have_no_norm() -> None:
    assert largest_span_norm(np.ones((3, 3)), [np.zeros(3)] * 2) == 0.0


def test_power_steps_lead_to_the_norm_and_the_rows_meet_at_every_time() -> None:
    rng = np.random.default_rng(4)
    W, gates = rng.standard_normal((12, 12)), [(rng.random(12) < 0.6).astype(float) for _ in range(3)]
    found = response(W, gates, rng.standard_normal(12), 200)
    assert found.size == pytest.approx(diagonal_product_norm(W, gates))
    # What comes before W, led on by it, meets what is behind in the size of the product, whatever the time.
    assert np.sum((found.before @ W) * found.behind, axis=1) == pytest.approx(np.full(3, found.size))
    assert response(W, gates, rng.standard_normal(12), 1).size <= found.size
    assert response(W, [np.zeros(12)] * 2, rng.standard_normal(12), 2).size == 0.0


def test_steps_along_singular_vectors_stretch_a_product_more_than_its_change_at_random() -> None:
    rng = np.random.default_rng(6)
    net, X = recurrent_network(3, 40, 1, 3, rng), rng.standard_normal((1, 3, 3)) / 3.0
    still = diagonal_product_norm(net.weights[0], [mask[0] for mask in forward(net, X).masks])
    z = rng.standard_normal(40)
    assert stretched(net, X, 0.2, z, steps=30) > 1.1 * still
    assert stretched(net, X, 1e-9, z, steps=200) == pytest.approx(still, rel=1e-6)

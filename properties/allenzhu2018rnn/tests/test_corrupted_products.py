"""Corrupted products: norms of the matrices they stand for, and an adversary that no random change beats."""

import numpy as np
import pytest

from properties.allenzhu2018rnn.corrupted_products import (
    diagonal_product_norm,
    largest_corrupted_norm,
    largest_span_norm,
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

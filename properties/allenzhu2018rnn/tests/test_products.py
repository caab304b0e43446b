"""Products of layers are those of the gates and weights, with one W at all times or a fresh one at each."""

import numpy as np
import pytest

from nets.core.arrays import Array
from nets.networks.forward import Forward, forward
from nets.networks.network import Network
from properties.allenzhu2018rnn.products import (
    VECTORS,
    back_rows,
    drawn_network,
    fixed_vector,
    gates_multiplied,
    product_norm_interval,
    product_operator,
    response,
)
from properties.allenzhu2018rnn.sequences import sequences


def naive_product(net: Network, fwd: Forward, i: int, first: int, last: int) -> Array:
    product: Array = np.eye(net.widths[0])
    for time in range(first, last + 1):
        product = np.diag(fwd.masks[time - 1][i]) @ net.parameters[net.steps[time - 1].weight].T @ product
    return product


def test_products_with_the_gates_of_one_sequence_and_time_alone_are_multiplied() -> None:
    rng = np.random.default_rng(1)
    net = drawn_network(3, 20, 3, rng)
    fwd = forward(net, sequences(2, 3, 3, rng))
    spoilt = gates_multiplied(fwd, 2, 5.0)
    for i, first, last in [(0, 1, 3), (1, 1, 1), (1, 3, 3), (1, 1, 2), (1, 2, 2)]:
        factor = 5.0 if i == 1 and first <= 2 <= last else 1.0
        expected = factor * naive_product(net, fwd, i, first, last)
        np.testing.assert_allclose(naive_product(net, spoilt, i, first, last), expected, rtol=1e-12, atol=1e-12)
    assert gates_multiplied(fwd, 2, 1.0) is fwd


@pytest.mark.parametrize("fresh", [False, True])
def test_operator_norm_and_response_are_those_of_the_dense_product(fresh: bool) -> None:
    rng = np.random.default_rng(0)
    net = drawn_network(3, 40, 4, rng, fresh=fresh)
    fwd = forward(net, sequences(2, 4, 3, rng))
    dense = naive_product(net, fwd, 1, 2, 4)
    z = rng.standard_normal(40)
    np.testing.assert_allclose(product_operator(net, fwd, 1, 2, 4) @ z, dense @ z, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(product_operator(net, fwd, 1, 2, 4).T @ z, dense.T @ z, rtol=1e-12, atol=1e-12)
    assert response(net, fwd, 1, 2, z)[-1] == pytest.approx(np.linalg.norm(dense @ z) / np.linalg.norm(z), rel=1e-12)
    found = product_norm_interval(net, fwd, 1, 2, 4, rng, steps=40)
    assert found.low <= np.linalg.norm(dense, 2) <= found.high <= 1.01 * found.low


def test_a_product_that_ends_with_weights_has_no_last_gate() -> None:
    rng = np.random.default_rng(1)
    net = drawn_network(3, 30, 2, rng)
    fwd = forward(net, sequences(1, 2, 3, rng))
    W = net.weights[0].T
    found = product_norm_interval(net, fwd, 0, 1, 2, rng, masked=False, steps=30)
    assert found.low == pytest.approx(np.linalg.norm(W @ np.diag(fwd.masks[0][0]) @ W, 2), rel=1e-6)


def test_a_gain_scales_the_variance_and_fresh_weights_differ() -> None:
    net = drawn_network(3, 200, 3, np.random.default_rng(2), gain=4.0, fresh=True)
    assert len(net.weights) == 3
    assert [W.var() * 200 for W in net.weights] == pytest.approx([4.0] * 3, rel=0.05)
    assert len(drawn_network(3, 20, 3, np.random.default_rng(2), gain=4.0).weights) == 1


def test_fixed_vectors_do_not_look_at_the_weights() -> None:
    rng = np.random.default_rng(3)
    net = drawn_network(3, 100, 2, rng)
    fwd = forward(net, sequences(1, 2, 3, rng))
    found = {name: fixed_vector(name, fwd, 0, rng) for name in VECTORS}
    assert [np.count_nonzero(found[name]) for name in ("axis", "dense", "sparse")] == [1, 100, 2]
    np.testing.assert_array_equal(found["state"], fwd.post[1][0])
    with pytest.raises(ValueError, match="choose among axis"):
        fixed_vector("worst", fwd, 0, rng)


def test_rows_go_back_through_the_transposed_product() -> None:
    rng = np.random.default_rng(2)
    W, rows = rng.standard_normal((5, 5)), rng.standard_normal((3, 5))
    gates = [rng.standard_normal(5) for _ in range(2)]
    expected = rows @ np.diag(gates[1]) @ W.T @ np.diag(gates[0]) @ W.T
    np.testing.assert_allclose(back_rows(rows, W, gates), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(back_rows(rows, W, []), rows)

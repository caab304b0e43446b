"""Products with gates of one's own."""

import itertools

import numpy as np

from nets.data.points import sphere
from nets.networks.forward import forward
from nets.networks.network import residual_network
from nets.networks.operators import operator_norm
from properties.frei2019.gated_products import gated_product, worst_gates


def test_with_the_gates_of_a_network_the_product_takes_a_state_to_the_last() -> None:
    rng = np.random.default_rng(0)
    net = residual_network((3, 6, 6, 6, 6), 0.4, rng)
    fwd = forward(net, sphere(1, 3, rng))
    product = gated_product(net.weights[1:3], [mask[0] for mask in fwd.masks[1:3]], 0.4)
    assert np.allclose(fwd.post[1] @ product, fwd.post[3], rtol=1e-13)


def test_the_gates_that_climb_come_close_to_the_best_signs() -> None:
    rng = np.random.default_rng(1)
    weights = [rng.standard_normal((3, 3)) for _ in range(2)]
    signs = list(itertools.product([-1.0, 1.0], repeat=3))
    best = max(
        operator_norm(gated_product(weights, [np.array(one), np.array(two)], 0.3)) for one in signs for two in signs
    )
    found = max(
        operator_norm(gated_product(weights, worst_gates(weights, 0.3, np.random.default_rng(k)), 0.3))
        for k in range(8)
    )
    assert 0.98 * best <= found <= best * (1.0 + 1e-12)

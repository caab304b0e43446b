"""Chains multiply as written, and their changes are as large as allowed and raise the norm."""

import numpy as np
import pytest

from nets.networks.forward import forward
from nets.networks.operators import operator_norm
from properties.guo2024.layer_changes import leaky_start
from properties.guo2024.perturbed_chains import chain, chain_product, worst_chain
from properties.guo2024.slopes import jump


def test_chains_multiply_as_written() -> None:
    net, x = leaky_start(np.random.default_rng(0), 5, 3, 0.5, outputs=2)
    fwd = forward(net, x)
    first, second, third = (W.T for W in net.weights)
    _, D1, D2, D3 = (np.diag(mask[0]) for mask in fwd.masks)
    plain = chain(net, fwd, start_gated=False, read_out=False)
    assert chain_product(plain) == pytest.approx(third @ D2 @ second @ D1 @ first)
    ended = chain(net, fwd, start_gated=True, read_out=True, layers=2)
    assert chain_product(ended) == pytest.approx(net.v.T @ D3 @ third @ D2 @ second @ D1)
    assert chain_product(ended[:1]) == pytest.approx(D1)


@pytest.mark.parametrize("last", [True, False])
def test_the_worst_changes_are_as_large_as_allowed_and_raise_the_norm(last: bool) -> None:
    net, x = leaky_start(np.random.default_rng(1), 8, 3, -0.5)
    factors = chain(net, forward(net, x), start_gated=False, read_out=False)
    changed = worst_chain(factors, 2, 0.5 / np.sqrt(1.25), 0.2, last=last)
    for number, (old, new) in enumerate(zip(factors, changed, strict=True)):
        if number == len(factors) - 1 and not last:
            assert new is old
        elif old.ndim == 1:
            flipped = np.abs(new - old)[new != old]
            assert 1 <= flipped.size <= 2
            assert flipped == pytest.approx(np.full(flipped.size, jump(-0.5)))
        else:
            assert operator_norm(new - old) == pytest.approx(0.2)
    assert operator_norm(chain_product(changed)) > 1.05 * operator_norm(chain_product(factors))


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (6, 6)])
def test_the_steps_are_along_the_top_singular_pair_of_matrices_of_any_rank(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(4)
    A = rng.standard_normal((shape[0], 2)) @ rng.standard_normal((2, shape[1]))
    left, size, right = np.linalg.svd(A)
    (moved,) = worst_chain([A], 0, 1.0, 0.5, last=True)
    np.testing.assert_allclose(moved - A, 0.5 * np.outer(left[:, 0], right[0]), atol=1e-12)
    assert np.linalg.norm(moved, 2) == pytest.approx(size[0] + 0.5)

"""Norms, masked products, counts and distances, each against its definition."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nets.core.arrays import Array
from nets.networks.forward import forward
from nets.networks.network import Network, he_network, perturbed
from nets.networks.operators import (
    flip_counts,
    flipped_anywhere,
    gated_gram,
    largest_masked_product_norm,
    layer_norms,
    masked_product,
    operator_norm,
    pairwise_distances,
    sparse_supremum,
    threshold_counts,
)
from nets.tests.draws import cases, seeds

# Sums of at most 7 terms over at most 4 layers.
RELATIVE = 1e-11


@given(cases())
def test_masked_products_give_layer_outputs(case: tuple[Network, Array]) -> None:
    net, X = case
    fwd = forward(net, X)
    for i, l1 in itertools.product(range(X.shape[0]), range(1, net.depth + 1)):
        for l2 in range(l1, net.depth + 1):
            product = masked_product(net, fwd, i, l1, l2)
            assert product.shape == (net.widths[l2], net.widths[l1 - 1])
            np.testing.assert_allclose(product @ fwd.post[l1 - 1][i], fwd.pre[l2 - 1][i], atol=RELATIVE * 1e2)
        last = fwd.masks[-1][i] * (masked_product(net, fwd, i, l1, net.depth) @ fwd.post[l1 - 1][i])
        np.testing.assert_allclose(net.v @ last, fwd.output[i], atol=RELATIVE * 1e2)


@given(cases())
def test_masked_product_follows_the_definition(case: tuple[Network, Array]) -> None:
    net, X = case
    fwd = forward(net, X)
    for l1, l2 in itertools.combinations_with_replacement(range(1, net.depth + 1), 2):
        product = np.eye(net.widths[l1 - 1])
        for r in range(l1, l2):
            product = np.diag(fwd.masks[r - 1][-1]) @ net.weights[r - 1].T @ product
        product = net.weights[l2 - 1].T @ product
        found = masked_product(net, fwd, X.shape[0] - 1, l1, l2)
        np.testing.assert_allclose(found, product, rtol=RELATIVE, atol=RELATIVE)


@given(cases())
def test_the_largest_norm_is_that_of_one_of_the_masked_products(case: tuple[Network, Array]) -> None:
    net, X = case
    fwd = forward(net, X)
    for apart in range(net.depth + 1):
        norms = [
            operator_norm(masked_product(net, fwd, i, l1, l2).T)
            for i in range(len(X))
            for l1 in range(1, net.depth + 1)
            for l2 in range(l1 + apart, net.depth + 1)
        ]
        assert largest_masked_product_norm(net, fwd, apart) == max(norms, default=0.0)


@pytest.mark.parametrize("scale", [1e-40, 1e40])
def test_the_largest_norm_is_found_where_powers_of_it_leave_the_range_of_a_float(scale: float) -> None:
    net = he_network((3, 5, 4, 6), np.random.default_rng(0))
    far = Network(tuple(scale * W for W in net.weights), net.v)
    fwd = forward(net, np.ones((2, 3)))
    assert largest_masked_product_norm(far, fwd, 2) == pytest.approx(
        scale**3 * largest_masked_product_norm(net, fwd, 2), rel=1e-12
    )


def test_the_largest_norm_with_an_entry_that_is_no_number_is_nan() -> None:
    net = he_network((3, 5, 4, 6), np.random.default_rng(0))
    fwd = forward(net, np.ones((2, 3)))
    net.weights[2][0, 0] = np.nan
    assert np.isnan(largest_masked_product_norm(net, fwd))


@pytest.mark.parametrize(("l1", "l2"), [(0, 1), (2, 1), (1, 3)])
def test_layers_out_of_order_are_refused(l1: int, l2: int) -> None:
    net = he_network((3, 5, 4), np.random.default_rng(0))
    with pytest.raises(ValueError, match="choose 1 <= l1 <= l2 <= L"):
        masked_product(net, forward(net, np.ones((1, 3))), 0, l1, l2)


def test_operator_norm_of_a_known_matrix() -> None:
    assert operator_norm(np.diag([1.0, -7.0, 3.0])) == pytest.approx(7.0, rel=1e-12)
    assert operator_norm(np.ones((3, 12))) == pytest.approx(6.0, rel=1e-12)


@pytest.mark.parametrize("size", [1e-300, 1e-170, 1.0, 1e170, 1e300])
@pytest.mark.parametrize("shape", [(1, 1), (3, 40), (40, 3), (50, 50)])
def test_operator_norm_is_the_largest_of_all_singular_values(shape: tuple[int, int], size: float) -> None:
    A = size * np.random.default_rng(5).standard_normal(shape)
    assert operator_norm(A) == pytest.approx(np.linalg.svd(A, compute_uv=False)[0], rel=1e-13)


def test_operator_norm_of_singular_values_that_are_all_but_equal() -> None:
    """A routine that looks for the largest alone gives up where eigenvalues crowd."""
    rng = np.random.default_rng(6)
    for m in (2, 9, 30):
        A = np.linalg.qr(rng.standard_normal((m, m)))[0] * np.append(1.0 - 1e-8, np.ones(m - 1))
        assert operator_norm(np.ascontiguousarray(A)) == pytest.approx(1.0, rel=1e-13)


def test_operator_norm_of_the_least_and_the_largest_numbers() -> None:
    assert operator_norm(np.zeros((3, 2))) == 0.0
    assert operator_norm(np.array([[5e-324]])) == 5e-324
    assert operator_norm(np.array([[1.7e308, 0.0]])) == 1.7e308


@pytest.mark.parametrize("entry", [np.nan, np.inf])
def test_operator_norm_of_what_is_not_finite_is_nan(entry: float) -> None:
    assert np.isnan(operator_norm(np.array([[1.0, entry]])))


@given(cases())
def test_layer_norms(case: tuple[Network, Array]) -> None:
    net, X = case
    norms = layer_norms(forward(net, X))
    assert norms.shape == (X.shape[0], net.depth + 1)
    np.testing.assert_allclose(norms[:, 0] ** 2, np.sum(X**2, axis=1), rtol=RELATIVE)


@given(seeds, st.integers(1, 7), st.integers(1, 8))
def test_sparse_supremum_is_the_best_support(seed: int, k: int, s: int) -> None:
    q = np.random.default_rng(seed).standard_normal((2, k))
    supports = itertools.combinations(range(k), min(s, k))
    best = np.max([np.linalg.norm(q[:, support], axis=1) for support in supports], axis=0)
    np.testing.assert_allclose(sparse_supremum(q, s), best, rtol=1e-14)


def test_sparse_supremum_of_one_vector_and_nan() -> None:
    assert sparse_supremum([3.0, -4.0, 1.0], 2) == pytest.approx(5.0)
    assert np.isnan(sparse_supremum([3.0, np.nan, 1.0, 0.0], 1))
    with pytest.raises(ValueError, match="s=0 non-zero entries: choose s >= 1"):
        sparse_supremum([1.0], 0)


def test_threshold_counts_include_the_threshold() -> None:
    counts = threshold_counts([[0.0, -0.5, 0.5, 2.0]], [0.0, 0.49, 0.5, 3.0])
    np.testing.assert_array_equal(counts, [[1.0, 1.0, 3.0, 4.0]])


def test_counts_of_nan_are_nan() -> None:
    assert np.isnan(threshold_counts([[np.nan, 0.0]], [1.0]))
    net = he_network((3, 4), np.random.default_rng(0))
    whole, broken = forward(net, np.ones((1, 3))), forward(net, np.full((1, 3), np.nan))
    assert np.isnan(flip_counts(whole, broken)).all()
    assert np.isnan(flipped_anywhere(whole, broken)).all()


@given(cases(), seeds)
def test_flips_and_their_union(case: tuple[Network, Array], seed: int) -> None:
    net, X = case
    rng = np.random.default_rng(seed)
    other = perturbed(net, [rng.standard_normal(W.shape) for W in net.weights])
    a, b = forward(net, X), forward(other, X)
    for layer in range(net.depth):
        flipped = a.masks[layer] != b.masks[layer]
        np.testing.assert_array_equal(flip_counts(a, b)[:, layer], flipped.sum(axis=1))
        assert flipped_anywhere(a, b)[layer] == flipped.any(axis=0).sum()


@given(seeds, st.integers(1, 5), st.integers(1, 6))
def test_pairwise_distances_follow_the_definition(seed: int, n: int, k: int) -> None:
    H = np.random.default_rng(seed).standard_normal((n, k))
    expected = [[np.linalg.norm(a - b) for b in H] for a in H]
    np.testing.assert_allclose(pairwise_distances(H), expected, rtol=RELATIVE, atol=1e-15)


def test_distance_of_near_rows_keeps_its_digits() -> None:
    H = np.ones((2, 100))
    H[1, 0] += 2.0**-40
    assert pairwise_distances(H)[0, 1] == 2.0**-40


@given(cases(), seeds)
def test_gated_gram_is_the_quadratic_form_of_the_last_gradient(case: tuple[Network, Array], seed: int) -> None:
    net, X = case
    fwd = forward(net, X)
    n, m = X.shape[0], net.widths[-1]
    b = np.random.default_rng(seed).standard_normal((n,))
    features = [[b[i] * fwd.masks[-1][i, j] * fwd.post[-2][i] for i in range(n)] for j in range(m)]
    columns = np.array([np.linalg.norm(np.sum(rows, axis=0)) / n for rows in features])
    form = m / n**2 * b @ gated_gram(fwd) @ b
    # v has entries of size 1, so the gradient of neuron j has the norm of its column.
    np.testing.assert_allclose(form, np.sum(columns**2), rtol=RELATIVE, atol=1e-14)

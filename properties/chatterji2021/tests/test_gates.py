"""Gated products: against naive products; sparse suprema against all supports, and planted ones are found."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest

from nets.core.arrays import Array
from nets.data.points import SphereSource
from nets.networks.activations import huberised_relu
from properties.chatterji2021 import gates
from properties.chatterji2021.gates import (
    chain_norms,
    chains,
    half_of_largest_smoothing,
    initial_pass,
    output_functionals,
    sparse_norm,
)
from properties.chatterji2021.tests.networks import output_of, random_network, smooth_pass, unit_points

WIDTHS = (4, 6, 5, 7)
PHI = huberised_relu(0.2)


def _products(weights: Sequence[Array], slopes: Sequence[Array], n: int) -> list[Array]:
    """V_l2 Sigma ... Sigma V_l1 of the paper's orientation; single layers once, the others for each sample."""
    found = []
    for first in range(len(weights)):
        for last in range(first, len(weights)):
            for i in range(n if last > first else 1):
                product = weights[first].T
                for layer in range(first, last):
                    product = weights[layer + 1].T @ np.diag(slopes[layer][i]) @ product
                found.append(product)
    return found


def test_chains_are_the_products_of_layers_and_diagonal_slopes() -> None:
    net, X = random_network(0, *WIDTHS), unit_points(1, 3, 4)
    fwd = smooth_pass(net, X, PHI)
    expected = _products(net.weights[:-1], fwd.masks, 3)
    found = list(chains(net, fwd))
    assert len(found) == len(expected) == 3 + 3 * 3
    for A, B in zip(found, expected, strict=True):
        assert pytest.approx(B, rel=1e-12, abs=1e-13) == A


def test_chains_of_layers_that_are_not_stored_are_refused() -> None:
    wide = initial_pass(np.random.default_rng(0), SphereSource(), 2100, 2, 1, 4, 0.1)
    with pytest.raises(ValueError, match="W_2 is not stored: this needs a network of arrays"):
        next(chains(*wide))


@pytest.mark.parametrize("largest", [4096, 1])
def test_chain_norms_enclose_the_norms_of_the_chains(largest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By LAPACK, and beyond the width for it by Lanczos, here forced."""
    monkeypatch.setattr(gates, "DENSE_NORM", largest)
    net, X = random_network(0, *WIDTHS), unit_points(1, 3, 4)
    fwd = smooth_pass(net, X, PHI)
    true = sorted(float(np.linalg.norm(A, 2)) for A in _products(net.weights[:-1], fwd.masks, 3))
    found = chain_norms(net, fwd, np.random.default_rng(2), 12)
    if largest > 1:
        assert np.array_equal(found.low, found.high)
        assert found.low == pytest.approx(true[-1:], rel=1e-12)
        return
    for low, high, norm in zip(np.sort(found.low), np.sort(found.high), true, strict=True):
        assert low <= norm * (1.0 + 1e-8)
        assert norm <= high * (1.0 + 1e-8)


def test_output_functionals_are_derivatives_of_the_output_in_the_features() -> None:
    net, X = random_network(3, *WIDTHS), unit_points(4, 2, 4)
    fwd = smooth_pass(net, X, PHI)
    rows = output_functionals(net, fwd)
    assert [row.shape for row in rows] == [(2, m) for m in WIDTHS[:-1]]
    for i in range(2):
        row = net.weights[-1][:, 0]
        for layer in reversed(range(3)):
            row = net.weights[layer] @ (fwd.masks[layer][i] * row)
            assert rows[layer][i] == pytest.approx(row, rel=1e-12, abs=1e-13)
        for k, basis in enumerate(1e-6 * np.eye(4)):
            change = output_of(net.weights, X[i] + basis, PHI) - output_of(net.weights, X[i] - basis, PHI)
            assert rows[0][i, k] == pytest.approx(change / 2e-6, abs=1e-7)


def test_initial_passes_are_of_the_widths_asked_for_with_half_the_smoothing_allowed() -> None:
    plain, passed = initial_pass(
        np.random.default_rng(0), SphereSource(), 40, 2, 3, 5, half_of_largest_smoothing(40, 2)
    )
    assert plain.widths == (5, 40, 40)
    assert passed.output.shape == (3,)
    slopes = np.concatenate([slope.ravel() for slope in passed.masks])
    assert np.all((slopes >= 0.0) & (slopes <= 1.0))
    # Half of all neurons are open, within six deviations of 240 fair coins.
    assert abs(float(slopes.mean()) - 0.5) <= 6.0 * 0.5 / math.sqrt(slopes.size)
    assert half_of_largest_smoothing(40, 2) == pytest.approx(0.5 / (50.0 * math.sqrt(40.0) * 2.0), rel=1e-14)


def test_steep_slopes_are_those_of_the_last_point_alone() -> None:
    sizes = 12, 2, 3, 5, 0.1
    plain, steep = (
        initial_pass(np.random.default_rng(0), SphereSource(), *sizes, steep=steep)[1] for steep in (1.0, 8.0)
    )
    for usual, slopes in zip(plain.masks, steep.masks, strict=True):
        np.testing.assert_array_equal(slopes[:-1], usual[:-1])
        np.testing.assert_array_equal(slopes[-1], 8.0 * usual[-1])


# --- sparse vectors -------------------------------------------------------------------------------


def _sparse_supremum(A: Array, k: int) -> float:
    supports = itertools.combinations(range(A.shape[1]), min(k, A.shape[1]))
    return max(float(np.linalg.norm(A[:, list(some)], 2)) for some in supports)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("k", [1, 2, 3, 8, 20])
def test_sparse_norms_enclose_the_supremum_over_all_supports(seed: int, k: int) -> None:
    rng = np.random.default_rng((seed, k))
    A = rng.standard_normal((5, 8)) * rng.uniform(0.2, 2.0, 8)
    low, high = sparse_norm(A, k)
    true = _sparse_supremum(A, k)
    assert low <= true <= high
    assert true * 0.9 <= low
    if k == 1:
        assert high == pytest.approx(low, rel=1e-11)
    if k >= 8:
        assert low == pytest.approx(float(np.linalg.norm(A, 2)), rel=1e-11)


def test_sparse_norms_of_orthogonal_columns_are_the_longest_by_hand() -> None:
    low, high = sparse_norm(np.diag([1.0, 7.0, 3.0, 2.0]), 2)
    assert low == pytest.approx(7.0, rel=1e-11)
    assert high == pytest.approx(7.0, rel=1e-11)


def test_a_planted_block_of_columns_is_found() -> None:
    """Three equal unit columns in noise: their norm is sqrt(3)."""
    rng = np.random.default_rng(0)
    A = 0.01 * rng.standard_normal((30, 60))
    A[3, [7, 20, 41]] = 1.0
    low, high = sparse_norm(A, 3)
    assert low == pytest.approx(math.sqrt(3.0), rel=0.01)
    assert high == pytest.approx(math.sqrt(3.0), rel=0.05)

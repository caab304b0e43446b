"""The forward pass: the definition, homogeneity, NaN, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nets.core.arrays import Array
from nets.networks.forward import forward
from nets.networks.network import Network, he_network
from nets.tests.draws import cases

# Sums of at most 7 terms over at most 4 layers, weights of order 1: far below this many units of rounding.
RELATIVE = 1e-11


@given(cases())
def test_layers_follow_the_definition(case: tuple[Network, Array]) -> None:
    net, X = case
    fwd = forward(net, X)
    for i, x in enumerate(X):
        for layer, W in enumerate(net.weights):
            z = np.array([sum(x[k] * W[k, j] for k in range(x.size)) for j in range(W.shape[1])])
            # Where a sum cancels, its sign is a matter of rounding.
            decided = np.abs(z) > 1e-12
            np.testing.assert_allclose(fwd.pre[layer][i], z, rtol=RELATIVE, atol=1e-12)
            np.testing.assert_array_equal(fwd.masks[layer][i][decided], (z > 0.0)[decided])
            x = np.maximum(z, 0.0)
            np.testing.assert_allclose(fwd.post[layer + 1][i], x, rtol=RELATIVE, atol=1e-12)
        np.testing.assert_allclose(fwd.output[i], np.sum(net.v * x), rtol=RELATIVE, atol=1e-11)


@given(cases())
def test_shapes_and_kinds(case: tuple[Network, Array]) -> None:
    net, X = case
    fwd = forward(net, X)
    n = X.shape[0]
    assert [a.shape for a in fwd.pre] == [(n, m) for m in net.widths[1:]]
    assert [a.shape for a in fwd.post] == [(n, m) for m in net.widths]
    assert [a.shape for a in fwd.masks] == [(n, m) for m in net.widths[1:]]
    assert fwd.output.shape == (n,)
    assert all(a.dtype == np.float64 and a.flags.c_contiguous for a in (*fwd.pre, *fwd.post, *fwd.masks))


@given(cases(), st.integers(-20, 20), st.integers(0, 3))
def test_output_is_homogeneous_in_input_and_in_each_layer(
    case: tuple[Network, Array], exponent: int, layer: int
) -> None:
    net, X = case
    # A power of two scales without rounding.
    scale = 2.0**exponent
    weights = list(net.weights)
    weights[layer % net.depth] = scale * weights[layer % net.depth]
    expected = scale * forward(net, X).output
    np.testing.assert_array_equal(forward(net, scale * X).output, expected)
    np.testing.assert_array_equal(forward(Network(tuple(weights), net.v), X).output, expected)


@given(cases(depths=(1, 1)))
def test_odd_part_of_a_shallow_network_is_linear(case: tuple[Network, Array]) -> None:
    net, X = case
    odd = forward(net, X).output - forward(net, -X).output
    np.testing.assert_allclose(odd, X @ net.weights[0] @ net.v, rtol=RELATIVE, atol=1e-11)


def test_zero_preactivation_is_inactive() -> None:
    net = Network((np.zeros((2, 2)),), np.array([1.0, -1.0]))
    assert not forward(net, np.ones((1, 2))).masks[0].any()


def test_nan_reaches_masks_and_output_of_its_sample_only() -> None:
    net = he_network((3, 6, 4), np.random.default_rng(0))
    X = np.ones((2, 3))
    X[0, 1] = np.nan
    fwd = forward(net, X)
    assert np.isnan(fwd.output[0])
    assert all(np.isnan(mask[0]).all() for mask in fwd.masks)
    assert np.isfinite(fwd.output[1])


@pytest.mark.parametrize("X", [np.ones((2, 3), dtype=np.float32), np.ones((3, 2)).T, np.ones((4, 3))[::2]])
def test_other_kinds_of_arrays_are_converted(X: Array) -> None:
    net = he_network((3, 4), np.random.default_rng(0))
    np.testing.assert_array_equal(forward(net, X).output, forward(net, np.ones((2, 3))).output)


def test_input_of_the_wrong_shape_is_refused() -> None:
    net = he_network((3, 4), np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"sample array X has shape \(3,\): pass .* \(samples, coordinates\)"):
        forward(net, np.ones(3))
    with pytest.raises(ValueError, match="X has 5 columns: the network takes inputs of dimension 3"):
        forward(net, np.ones((2, 5)))

"""Layers drawn at the points alone: their law is that of the dense network."""

import numpy as np
import pytest
from scipy import stats

from nets.data.points import pair_at_distance, sphere
from nets.linear_algebra.lowrank import triangle
from nets.networks.activations import huberised_relu
from nets.networks.forward import forward
from nets.networks.fresh import fresh_forward, fresh_layer, fresh_operator_norm, fresh_outputs
from nets.networks.network import gaussian_smooth_network, he_network


def test_covariance_is_that_of_a_gaussian_layer() -> None:
    rng = np.random.default_rng(0)
    X, m, gain = rng.standard_normal((4, 3)), 200_000, 3.0
    pre = fresh_layer(X, m, rng, gain)
    gram = X @ X.T
    # Entry (i, j) of pre pre^T / gain has variance (G_ii G_jj + G_ij^2) / m; six deviations.
    deviation = np.sqrt((np.outer(gram.diagonal(), gram.diagonal()) + gram**2) / m)
    assert (np.abs(pre @ pre.T / gain - gram) <= 6.0 * deviation).all()


def test_layer_is_linear_in_the_points() -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((3, 5))
    X[2] = X[0] - 2.0 * X[1]
    pre = fresh_layer(X, 50, rng)
    np.testing.assert_allclose(pre[2], pre[0] - 2.0 * pre[1], atol=1e-14)


@pytest.mark.parametrize("phi", [1e-3, 1e-9])
def test_points_close_to_each_other_keep_their_distance(phi: float) -> None:
    rng = np.random.default_rng(2)
    X, m = pair_at_distance(phi, 6, rng), 10_000
    pre = fresh_layer(X, m, rng)
    # The squared distance is 2 phi^2 chi2_m / m; six deviations sqrt(2/m) of the mean of chi2_m / m.
    assert abs(np.sum((pre[0] - pre[1]) ** 2) / (2.0 * phi**2) - 1.0) <= 6.0 * np.sqrt(2.0 / m)


@pytest.mark.parametrize(("n", "d"), [(2, 6), (5, 2)])
def test_same_law_as_the_dense_network(n: int, d: int) -> None:
    rng, trials, widths = np.random.default_rng(3), 2000, (7, 5)
    X = sphere(n, d, rng)
    dense = [forward(he_network((d, *widths, 2), rng), X).post[2] for _ in range(trials)]
    fresh = [fresh_outputs(X, widths, rng)[2] for _ in range(trials)]
    for statistic in (lambda x: x[0] @ x[1], lambda x: x[0] @ x[0], lambda x: np.sum((x[0] - x[1]) ** 2)):
        assert stats.ks_2samp([statistic(x) for x in dense], [statistic(x) for x in fresh]).pvalue > 1e-6


def test_outputs_start_at_the_points_and_have_the_widths_asked_for() -> None:
    X = sphere(3, 4, np.random.default_rng(4))
    outputs = fresh_outputs(X, (6, 2), np.random.default_rng(5))
    assert [x.shape for x in outputs] == [(3, 4), (3, 6), (3, 2)]
    np.testing.assert_array_equal(outputs[0], X)


def test_a_layer_without_neurons_is_refused() -> None:
    with pytest.raises(ValueError, match="positive width"):
        fresh_layer(np.eye(2), 0, np.random.default_rng(6))


def test_a_pass_is_consistent_and_has_the_layers_of_fresh_outputs() -> None:
    X, widths = sphere(3, 4, np.random.default_rng(7)), (6, 8)
    fwd = fresh_forward(X, widths, np.random.default_rng(8))
    for got, expected in zip(fwd.post, fresh_outputs(X, widths, np.random.default_rng(8)), strict=True):
        np.testing.assert_array_equal(got, expected)
    for pre, post, mask in zip(fwd.pre, fwd.post[1:], fwd.masks, strict=True):
        np.testing.assert_array_equal(post, np.maximum(pre, 0.0))
        np.testing.assert_array_equal(mask, pre > 0.0)
    np.testing.assert_allclose(fwd.output, fwd.post[2][:, :4].sum(axis=1) - fwd.post[2][:, 4:].sum(axis=1))


def test_the_output_has_the_law_of_the_dense_network() -> None:
    rng, trials, widths = np.random.default_rng(9), 2000, (5, 4)
    X = sphere(2, 3, rng)
    dense = np.array([forward(he_network((3, *widths), rng), X).output for _ in range(trials)])
    fresh = np.array([fresh_forward(X, widths, rng).output for _ in range(trials)])
    for statistic in (lambda f: f[:, 0], lambda f: f[:, 0] * f[:, 1], lambda f: np.abs(f).max(axis=1)):
        assert stats.ks_2samp(statistic(dense), statistic(fresh)).pvalue > 1e-6
    # Outputs that do not cancel, as without balanced signs, are told apart.
    unbalanced = [fresh_forward(X, widths, rng).post[2][0].sum() for _ in range(trials)]
    assert stats.ks_2samp(dense[:, 0], unbalanced).pvalue < 1e-6


def test_each_layer_may_have_its_own_gain() -> None:
    X, m = sphere(1, 4, np.random.default_rng(10)), 100_000
    fwd = fresh_forward(X, (m, m), np.random.default_rng(11), (1.0, 6.0))
    norms = [float(np.sum(x**2)) for x in fwd.post]
    # ||x_l||^2/||x_{l-1}||^2 has mean gain/2 and a standard deviation of gain/2 sqrt(5/m); six deviations.
    assert abs(norms[1] / norms[0] / 0.5 - 1.0) <= 6.0 * np.sqrt(5.0 / m)
    assert abs(norms[2] / norms[1] / 3.0 - 1.0) <= 6.0 * np.sqrt(5.0 / m)


def test_a_pass_needs_an_even_last_layer() -> None:
    with pytest.raises(ValueError, match="even"):
        fresh_forward(np.eye(2), (4, 3), np.random.default_rng(12))


def test_smooth_pass_has_the_law_of_the_dense_network() -> None:
    rng, trials, widths, phi = np.random.default_rng(7), 1500, (6, 5), huberised_relu(0.3)
    X = sphere(2, 4, rng)
    dense = [forward(gaussian_smooth_network((4, *widths), phi, rng, 1.5, 0.5), X) for _ in range(trials)]
    fresh = [fresh_forward(X, widths, rng, 1.5, phi, 0.5) for _ in range(trials)]
    statistics = (
        lambda f: f.output[0] - f.output[1],
        lambda f: np.linalg.norm(f.post[2][0]),
        lambda f: f.pre[1][0] @ f.pre[1][1],
        lambda f: f.masks[1].sum(),
    )
    for statistic in statistics:
        assert stats.ks_2samp([statistic(f) for f in dense], [statistic(f) for f in fresh]).pvalue > 1e-6
    assert [x.shape for x in fresh[0].post] == [(2, 4), (2, 6), (2, 5)]


@pytest.mark.parametrize(("k", "m"), [(1, 3), (3, 1), (4, 4), (7, 5)])
def test_operator_norm_has_the_law_of_the_dense_layer(k: int, m: int) -> None:
    rng, trials = np.random.default_rng(8), 2000
    dense = [np.linalg.norm(he_network((k, m, 2), rng, 3.0).weights[0], 2) for _ in range(trials)]
    fresh = [fresh_operator_norm(k, m, rng, 3.0) for _ in range(trials)]
    assert stats.ks_2samp(dense, fresh).pvalue > 1e-6


def test_operator_norm_at_large_width() -> None:
    # The norm of a square layer is 2 sqrt(2) within a few m^(-2/3), here 5e-4.
    assert fresh_operator_norm(10**5, 10**5, np.random.default_rng(9)) == pytest.approx(np.sqrt(8.0), abs=0.01)


def test_an_operator_norm_without_a_side_is_refused() -> None:
    with pytest.raises(ValueError, match="positive sides"):
        fresh_operator_norm(0, 3, np.random.default_rng(10))


EXTENDED = np.finfo(np.longdouble).eps < np.finfo(np.float64).eps


@pytest.mark.skipif(not EXTENDED, reason="no floating-point numbers of more digits")
@pytest.mark.parametrize(("depth", "width"), [(8, 100_000), (400, 4000)])
def test_states_of_deep_and_of_wide_passes_keep_thirteen_digits(depth: int, width: int) -> None:
    """Against the same normals in numbers of 64 bits: a tenth of what claims forgive a number that states no error."""
    x = np.random.default_rng(9).standard_normal((1, 16))
    exact, rng, twin = x.astype(np.longdouble), np.random.default_rng(0), np.random.default_rng(0)
    for _ in range(depth):
        # The sign of the triangular factor of one point is a convention of the factorisation.
        sign = np.sign(triangle(x)[0, 0])
        x = np.maximum(fresh_layer(x, width, rng), 0.0)
        normals = twin.standard_normal((1, width)).astype(np.longdouble)
        size = np.sqrt(np.sum(exact**2) * 2 / width)
        exact = np.maximum(sign * size * normals, 0)
    error = np.sqrt(np.sum((x - exact) ** 2) / np.sum(exact**2))
    assert float(error) <= 1e-13

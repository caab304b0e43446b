"""Smooth networks: gradients by complex steps, Hessians by 60 digits, kinks from both sides, sizes of the Hessian."""

import math
from collections.abc import Callable, Sequence

import mpmath
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nets.core.arrays import Array
from nets.linear_algebra.lanczos import ROUNDING
from nets.linear_algebra.lowrank import LowRank, frobenius_norms
from nets.linear_algebra.revealed import RevealedGaussian
from nets.networks.activations import RELU, Activation, custom_activation, huberised_relu, scaled_swish
from nets.networks.curvature import Hessian, flatten, local_lipschitz, rounding_errors, unflatten
from nets.networks.forward import Forward, forward
from nets.networks.gradients import backward, output_gradient, rank_one_pairs
from nets.networks.log_loss import log_mean_loss
from nets.networks.logistic_gradients import log_gradient_norms, logistic_gradient, logistic_step, loss_weights
from nets.networks.network import STORED_ENTRIES, Network, gaussian_smooth_network, smooth_network
from nets.tests.draws import seeds

Complex = npt.NDArray[np.complex128]
both = pytest.mark.parametrize("make", [huberised_relu, scaled_swish])
depths = pytest.mark.parametrize("depth", [1, 2, 3, 4])
every_width = pytest.mark.parametrize("p", [1, 2, 3])


def _case(depth: int, p: int, seed: int = 0, n: int = 4, size: float = 1.0) -> tuple[Network, Array, Array]:
    """A network of `depth` layers of width p, with points and labels; weights away from zero for small p."""
    rng = np.random.default_rng((depth, p, seed))
    net = gaussian_smooth_network([p] * (depth + 1), RELU, rng)
    net = smooth_network([size * (V + 0.5) for V in net.weights], RELU)
    return net, rng.standard_normal((n, p)), np.resize([1.0, -1.0], n)


# --- an independent form: complex numbers, one sample at a time, in the paper's orientation ---------


def _phi(phi: Activation, z: Complex) -> tuple[Complex, Complex]:
    """phi and phi' at complex numbers next to the real line: analytic where phi is."""
    h = phi.h
    if phi.name == "scaled_swish":
        s = 1.0 / (1.0 + np.exp(-2.0 * z / h))
        return z * s / 1.1, (s + 2.0 * z / h * s * (1.0 - s)) / 1.1
    below, above = z.real <= 0.0, z.real > h
    value = np.where(below, 0.0, np.where(above, z - h / 2.0, z**2 / (2.0 * h)))
    return value, np.where(below, 0.0, np.where(above, 1.0, z / h))


def _paper_gradients(
    layers: Sequence[Complex], X: Array, y: Array, phi: Activation
) -> tuple[complex, tuple[Complex, ...]]:
    """J and its gradients by (2a) and (2b), `layers` and gradients in the orientation of this package."""
    V = [layer.T for layer in layers]
    total, gradients = 0.0 + 0.0j, [np.zeros_like(layer) for layer in layers]
    for x, label in zip(X, y, strict=True):
        values, slopes = [x.astype(complex)], []
        for matrix in V[:-1]:
            value, slope = _phi(phi, matrix @ values[-1])
            values.append(value)
            slopes.append(np.diag(slope))
        f = (V[-1] @ values[-1])[0]
        total += np.log(1.0 + np.exp(-label * f)) / len(X)
        g = 1.0 / (1.0 + np.exp(label * f))
        for layer in range(len(V)):
            row = np.eye(1, dtype=complex)
            if layer < len(V) - 1:
                row = slopes[layer]
                for j in range(layer + 1, len(V) - 1):
                    row = row @ V[j].T @ slopes[j]
                row = row @ V[-1].T
            gradients[layer] += (-label * g / len(X)) * np.outer(row[:, 0], values[layer]).T
    return total, tuple(gradients)


def _forward(net: Network, X: Array, phi: Activation) -> Forward:
    return forward(net.with_activation(phi), X)


@both
@depths
@every_width
def test_output_and_gradient_are_those_of_the_paper(make: Callable[[float], Activation], depth: int, p: int) -> None:
    phi = make(0.4)
    net, X, y = _case(depth, p)
    fwd = _forward(net, X, phi)
    J, wanted = _paper_gradients([V.astype(complex) for V in net.weights], X, y, phi)
    assert math.exp(log_mean_loss(fwd.margins(y))) == pytest.approx(J.real, rel=1e-13)
    for found, exact in zip(logistic_gradient(net, fwd, y), wanted, strict=True):
        np.testing.assert_allclose(found, exact.real, rtol=1e-12, atol=1e-15)


@both
@depths
@every_width
def test_gradient_is_the_derivative_of_the_loss(make: Callable[[float], Activation], depth: int, p: int) -> None:
    phi, step = make(0.4), 1e-30
    net, X, y = _case(depth, p, seed=1)
    gradient = flatten(logistic_gradient(net, _forward(net, X, phi), y))
    point = flatten(net.weights).astype(complex)
    for k in range(gradient.size):
        moved = point.copy()
        moved[k] += 1j * step
        layers = [part.real + 1j * turned for part, turned in _both_parts(net, moved)]
        assert gradient[k] == pytest.approx(_paper_gradients(layers, X, y, phi)[0].imag / step, rel=1e-11, abs=1e-15)


def _both_parts(net: Network, entries: Complex) -> list[tuple[Array, Array]]:
    return list(zip(unflatten(net, entries.real), unflatten(net, entries.imag), strict=True))


@both
@depths
@every_width
def test_hessian_product_is_the_derivative_of_the_gradient(
    make: Callable[[float], Activation], depth: int, p: int
) -> None:
    phi, step = make(0.4), 1e-30
    net, X, y = _case(depth, p, seed=2)
    fwd = _forward(net, X, phi)
    rng = np.random.default_rng(3)
    for _ in range(3):
        direction = tuple(rng.standard_normal(V.shape) for V in net.weights)
        layers = [V + 1j * step * D for V, D in zip(net.weights, direction, strict=True)]
        exact = flatten([G.imag / step for G in _paper_gradients(layers, X, y, phi)[1]])
        for side in (None, -1.0, 1.0):
            found = flatten(Hessian(net.with_activation(phi), fwd, y).product(direction, side))
            np.testing.assert_allclose(found, exact, rtol=1e-11, atol=1e-12 * np.abs(exact).max())


def _exact_loss(entries: Sequence[mpmath.mpf], net: Network, X: Array, y: Array, phi: Activation) -> mpmath.mpf:
    """J in the precision of mpmath, at any weights."""
    h, total = mpmath.mpf(phi.h), mpmath.mpf(0)
    for x, label in zip(X, y, strict=True):
        values, start = [mpmath.mpf(float(t)) for t in x], 0
        for V in net.weights:
            rows, cols = V.shape
            u = [mpmath.fsum(values[i] * entries[start + i * cols + j] for i in range(rows)) for j in range(cols)]
            start += rows * cols
            if phi.name == "scaled_swish":
                values = [z / (mpmath.mpf(1.1) * (1 + mpmath.exp(-2 * z / h))) for z in u]
            else:
                values = [mpmath.mpf(0) if z <= 0 else z * z / (2 * h) if z <= h else z - h / 2 for z in u]
        total += mpmath.log1p(mpmath.exp(-int(label) * u[0]))
    return total / len(X)


@both
@pytest.mark.parametrize(("depth", "p"), [(1, 1), (2, 1), (1, 2), (2, 2), (1, 3), (2, 3)])
def test_hessian_is_the_explicit_one(make: Callable[[float], Activation], depth: int, p: int) -> None:
    phi = make(0.6)
    net, X, y = _case(depth, p, seed=4, n=2)
    fwd = _forward(net, X, phi)
    size = flatten(net.weights).size
    found = Hessian(net.with_activation(phi), fwd, y).operator().matmat(np.eye(size))
    exact = np.empty((size, size))
    with mpmath.workdps(60):
        step, point = mpmath.mpf(10) ** -18, [mpmath.mpf(float(v)) for v in flatten(net.weights)]

        def moved(*indices: int) -> mpmath.mpf:
            entries = list(point)
            for k in indices:
                entries[k] += step
            return _exact_loss(entries, net, X, y, phi)

        centre, once = moved(), [moved(k) for k in range(size)]
        for i in range(size):
            for j in range(i + 1):
                # The error is of first order in the step: 1e-17.
                exact[i, j] = exact[j, i] = float((moved(i, j) - once[i] - once[j] + centre) / step**2)
    np.testing.assert_allclose(found, exact, rtol=1e-11, atol=1e-13 * np.abs(exact).max())
    np.testing.assert_allclose(found, found.T, rtol=0.0, atol=4e-16 * np.abs(found).max())
    interval = local_lipschitz(net.with_activation(phi), X, y, np.random.default_rng(0))
    norm = float(np.linalg.norm(exact, 2))
    assert interval.kinks == 0
    assert interval.low <= norm <= interval.high
    assert interval.high <= norm * (1.0 + 4.0 * interval.rounding)


@depths
@every_width
def test_hessian_products_are_linear_and_symmetric(depth: int, p: int) -> None:
    net, X, y = _case(depth, p, seed=5)
    A = Hessian(net, _forward(net, X, huberised_relu(0.4)), y).operator()
    a, b = np.random.default_rng(6).standard_normal((2, A.shape[0]))
    scale = float(np.abs(A.matvec(a)).max() + np.abs(A.matvec(b)).max())
    np.testing.assert_allclose(A.matvec(2.0 * a - b), 2.0 * A.matvec(a) - A.matvec(b), atol=1e-13 * scale)
    assert b @ A.matvec(a) == pytest.approx(a @ A.matvec(b), rel=1e-11, abs=1e-13 * scale)


# --- kinks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("u", [0.0, 0.5])
@pytest.mark.parametrize("turn", [-1.0, 1.0])
def test_at_a_kink_the_derivative_along_a_direction_is_one_sided(u: float, turn: float) -> None:
    # f(x) = V_2 phi(V_1 x) with V_1 at a kink of phi, h = 1/2. At V_1 = 0 both samples lie there, and R u points
    # to different sides.
    phi, net = huberised_relu(0.5), smooth_network((np.array([[u]]), np.array([[2.0]])), RELU)
    direction, step = (np.array([[turn]]), np.array([[0.3]])), 1e-7
    moved = smooth_network([V + step * D for V, D in zip(net.weights, direction, strict=True)], RELU)
    for X, y in (([[1.0]], [1.0]), ([[1.0], [-3.0]], [1.0, -1.0])):
        fwd = _forward(net, np.array(X), phi)
        ends = [flatten(logistic_gradient(which, _forward(which, np.array(X), phi), y)) for which in (net, moved)]
        found = flatten(Hessian(net.with_activation(phi), fwd, y).product(direction))
        np.testing.assert_allclose(found, (ends[1] - ends[0]) / step, rtol=1e-6, atol=1e-6)
    alone = _forward(net, np.array([[1.0]]), phi)
    found, same, other = (
        flatten(Hessian(net.with_activation(phi), alone, [1.0]).product(direction, side))
        for side in (None, turn, -turn)
    )
    np.testing.assert_array_equal(found, same)
    assert np.abs(found - other).max() > 0.1


def _largest_one_sided(net: Network, X: Array, y: Array, phi: Activation) -> float:
    """For two weights: the largest one-sided derivative over 4000 directions of the circle."""
    fwd = _forward(net, X, phi)
    angles = np.linspace(0.0, 2.0 * np.pi, 4000)
    products = [
        Hessian(net.with_activation(phi), fwd, y).product(unflatten(net, [np.cos(t), np.sin(t)])) for t in angles
    ]
    return float(max(np.linalg.norm(flatten(product)) for product in products))


@pytest.mark.parametrize("a", [-2.0, 0.5, 3.0])
@pytest.mark.parametrize("u", [0.0, 0.25])
@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_at_kinks_the_interval_holds_all_one_sided_derivatives(a: float, u: float, label: float) -> None:
    phi, X, y = huberised_relu(0.25), np.array([[1.0]]), np.array([label])
    net = smooth_network((np.array([[u]]), np.array([[a]])), RELU)
    supremum = _largest_one_sided(net, X, y, phi)
    careful = local_lipschitz(net.with_activation(phi), X, y, np.random.default_rng(0))
    exact = local_lipschitz(net.with_activation(phi), X, y, np.random.default_rng(0), exact=True)
    assert careful.kinks == exact.kinks == 1
    # 4000 directions miss the largest by 1e-6 of it at most.
    assert careful.low <= exact.low <= supremum * (1.0 + 1e-5)
    assert supremum <= exact.high
    assert exact.high == pytest.approx(careful.high, rel=1e-9)
    if abs(a) > 1.0:
        # The side with the curvature dominates, and is seen.
        assert exact.low >= 0.9 * exact.high


@given(seeds, st.integers(1, 3), st.integers(1, 3))
@settings(max_examples=25)
def test_no_choice_of_sides_leaves_the_interval(seed: int, depth: int, p: int) -> None:
    rng = np.random.default_rng(seed)
    # Small integers: many pre-activations are 0 or h, exactly.
    weights = [rng.integers(-2, 3, (p, q)).astype(float) for q in [*[p] * depth, 1]]
    net, X = smooth_network(weights, RELU), rng.integers(-1, 2, (3, p)).astype(float)
    y, phi = rng.choice([-1.0, 1.0], 3), huberised_relu(1.0)
    interval = local_lipschitz(net.with_activation(phi), X, y, rng)
    fwd = _forward(net, X, phi)
    for side in (-1.0, 1.0):
        A = Hessian(net.with_activation(phi), fwd, y).operator(side)
        norm = float(np.linalg.norm(A.matmat(np.eye(A.shape[0])), 2))
        assert norm <= interval.high * (1.0 + 1e-9)
        assert interval.low <= norm * (1.0 + 1e-9) + 1e-300


def test_a_pre_activation_within_its_rounding_error_of_a_kink_counts_as_one() -> None:
    # 0.1 * 3 misses 0.3 by one unit in the last place: on which side the true product lies, no float64 tells.
    phi, X, y = huberised_relu(0.3), np.array([[0.1]]), np.array([1.0])
    net = smooth_network((np.array([[3.0]]), np.array([[2.0]])), RELU)
    fwd = _forward(net, X, phi)
    assert fwd.pre[0][0, 0] != 0.3
    assert abs(fwd.pre[0][0, 0] - 0.3) <= rounding_errors(net, fwd)[0][0, 0]
    careful = local_lipschitz(net.with_activation(phi), X, y, np.random.default_rng(0))
    exact = local_lipschitz(net.with_activation(phi), X, y, np.random.default_rng(0), exact=True)
    assert (careful.kinks, exact.kinks) == (1, 0)
    assert careful.low <= exact.low <= exact.high <= careful.high * (1.0 + 2.0 * ROUNDING)


@depths
def test_rounding_errors_are_bounded(depth: int) -> None:
    net, X, _ = _case(depth, 3, seed=7)
    fwd = _forward(net, X, huberised_relu(0.4))
    *bounds, last = rounding_errors(net, fwd)
    layers, x = [V.astype(np.longdouble) for V in net.weights], X.astype(np.longdouble)
    h = np.longdouble(0.4)
    for V, u, bound in zip(layers[:-1], fwd.pre, bounds, strict=True):
        pre = x @ V
        assert np.all(np.abs(pre - u) <= bound)
        assert np.all(bound <= 1e-12)
        x = np.where(pre <= 0, 0, np.where(pre > h, pre - h / 2, pre**2 / (2 * h)))
    assert np.all(np.abs((x @ layers[-1])[:, 0] - fwd.output) <= last)


# --- limits ---------------------------------------------------------------------------------------


@depths
@every_width
def test_with_the_identity_all_layers_have_the_same_share(depth: int, p: int) -> None:
    identity = custom_activation("identity", np.copy, np.ones_like, lambda z, side: np.zeros_like(z), smoothness=0.0)
    net, X, _ = _case(depth, p, seed=8)
    fwd = _forward(net, X, identity)
    coefficients = np.arange(1.0, 5.0)
    for V, G in zip(net.weights, output_gradient(net, fwd, coefficients), strict=True):
        assert np.sum(V * G) == pytest.approx(coefficients @ fwd.output, rel=1e-11)
    doubled = smooth_network([2.0 * V for V in net.weights], RELU)
    np.testing.assert_array_equal(_forward(doubled, X, identity).output, 2.0 ** (depth + 1) * fwd.output)


@depths
@every_width
def test_homogeneity_returns_as_h_vanishes(depth: int, p: int) -> None:
    net, X, _ = _case(depth, p, seed=9)
    doubled = smooth_network([2.0 * V for V in net.weights], RELU)
    gaps = []
    for h in (1e-3, 1e-6):
        fwd = _forward(net, X, huberised_relu(h))
        layer_shares = [np.sum(V * G) for V, G in zip(net.weights, output_gradient(net, fwd, np.ones(4)), strict=True)]
        scaled = _forward(doubled, X, huberised_relu(h)).output
        gaps.append(
            max(
                float(np.abs(np.array(layer_shares) - fwd.output.sum()).max()),
                float(np.abs(scaled - 2.0 ** (depth + 1) * fwd.output).max()),
            )
        )
    # Each layer adds at most h/2 per neuron, times the norms of the layers above.
    reach = 4.0 * depth * 2.0 ** (depth + 1) * float(np.prod([1.0 + np.abs(V).sum() for V in net.weights]))
    assert gaps[0] <= 1e-3 * reach
    assert gaps[1] <= 1e-6 * reach + 1e-12


@depths
def test_scaling_weights_and_h_together_scales_exactly(depth: int) -> None:
    net, X, _ = _case(depth, 3, seed=10)
    first = smooth_network((4.0 * net.weights[0], *net.weights[1:]), RELU)
    scaled = _forward(first, X, huberised_relu(2.0))
    np.testing.assert_array_equal(scaled.output, 4.0 * _forward(net, X, huberised_relu(0.5)).output)


# --- far below the doubles ------------------------------------------------------------------------


def _deep(depth: int, margin: float) -> Network:
    """p = 1, all weights alike, f(1) about `margin` (chatterji2021, Theorem 3.1 at its best)."""
    return smooth_network([np.array([[margin ** (1.0 / (depth + 1))]]) for _ in range(depth + 1)], RELU)


@depths
@pytest.mark.parametrize("margin", [100.0, 700.0, 1e5])
def test_gradient_norms_never_round_to_zero(depth: int, margin: float) -> None:
    net, X, y, h = _deep(depth, margin), np.ones((3, 1)), np.ones(3), 1e-3
    fwd = _forward(net, X, huberised_relu(h))
    found = log_gradient_norms(net, fwd, y)
    a = mpmath.mpf(float(net.weights[0][0, 0]))
    x = [mpmath.mpf(1)]
    for _ in range(depth):
        x.append(a * x[-1] - mpmath.mpf(h) / 2)
    f = a * x[-1]
    log_g = -f - mpmath.log1p(mpmath.exp(-f))
    exact = [float(log_g + mpmath.log(x[k]) + (depth - k) * mpmath.log(a)) for k in range(depth + 1)]
    np.testing.assert_allclose(found[:-1], exact, rtol=2e-14, atol=1e-12)
    assert found[-1] == pytest.approx(exact[0] + 0.5 * math.log(np.sum(np.exp(2.0 * (np.array(exact) - exact[0])))))


@depths
@pytest.mark.parametrize("margin", [100.0, 1e5])
def test_lipschitz_interval_never_rounds_to_zero(depth: int, margin: float) -> None:
    net, X, y = _deep(depth, margin), np.ones((3, 1)), np.ones(3)
    phi = huberised_relu(1e-3)
    fwd = _forward(net, X, phi)
    interval = local_lipschitz(net.with_activation(phi), X, y, np.random.default_rng(0))
    # f is linear in each weight here, so the Hessian of J is g ((1 - g) f' f'^T - f''), f''_{jk} for all j and k.
    scale = -float(fwd.output[0])
    A = Hessian(net.with_activation(phi), fwd, y, log_scale=scale).operator()
    slope = flatten(output_gradient(net, fwd, np.full(3, 1.0 / 3.0)))
    H = A.matmat(np.eye(A.shape[0]))
    second = np.outer(slope, slope) - H
    assert np.abs(np.diag(second)).max() <= 1e-10 * np.abs(H).max()
    log_norm = math.log(np.linalg.norm(H, 2)) + scale
    assert interval.log_low <= log_norm <= interval.log_high
    assert interval.log_high - interval.log_low <= 1e-8
    assert (interval.high == 0.0) is (margin == 1e5)


def test_a_sample_without_hessian_does_not_hide_the_others() -> None:
    # The sample -1 is dead: its loss is log 2, with zero derivatives of all orders.
    phi, net = huberised_relu(1e-3), _deep(1, 1e4)
    alone = local_lipschitz(net.with_activation(phi), [[1.0]], [1.0], np.random.default_rng(0))
    beside = local_lipschitz(net.with_activation(phi), [[1.0], [-1.0]], [1.0, 1.0], np.random.default_rng(0))
    assert beside.log_low == pytest.approx(alone.log_low - math.log(2.0), abs=1e-8)
    assert beside.log_high == pytest.approx(alone.log_high - math.log(2.0), abs=1e-8)
    dead = local_lipschitz(net.with_activation(phi), [[-1.0]], [1.0], np.random.default_rng(0))
    assert (dead.low, dead.high, dead.log_high) == (0.0, 0.0, -math.inf)


@pytest.mark.parametrize("size", [1e-160, 1e160])
def test_norms_of_huge_and_tiny_layers(size: float) -> None:
    net = smooth_network((size * np.ones((2, 3)), size * np.ones((3, 1))), RELU)
    np.testing.assert_allclose(net.layer_norms, size * np.sqrt([6.0, 3.0]), rtol=1e-15)
    assert net.norm == pytest.approx(3.0 * size, rel=1e-15)
    fwd = _forward(
        smooth_network((size * np.ones((1, 1)), np.ones((1, 1)) / size), RELU), np.ones((1, 1)), huberised_relu(size)
    )
    logs = log_gradient_norms(smooth_network((size * np.ones((1, 1)), np.ones((1, 1)) / size), RELU), fwd, [1.0])
    # f = 1/2, slopes 1: the gradients in V_1 and V_2 are g/size and g size/2.
    log_g = -math.log1p(math.exp(0.5))
    np.testing.assert_allclose(logs[:2], [log_g - math.log(size), log_g + math.log(size / 2.0)], rtol=1e-14)


def test_zero_layers_and_nan() -> None:
    net = smooth_network((np.zeros((2, 2)), np.zeros((2, 1))), RELU)
    fwd = _forward(net, np.ones((3, 2)), huberised_relu(0.5))
    np.testing.assert_array_equal(log_gradient_norms(net, fwd, [1.0, -1.0, 1.0]), -np.inf)
    assert net.norm == 0.0
    # At u = 0 and V_2 = 0 nothing bends, whatever phi'' is.
    assert (
        local_lipschitz(
            net.with_activation(huberised_relu(0.5)), np.ones((3, 2)), [1.0, -1.0, 1.0], np.random.default_rng(0)
        ).high
        == 0
    )
    broken = smooth_network((np.full((2, 2), np.nan), np.ones((2, 1))), RELU)
    interval = local_lipschitz(
        broken.with_activation(scaled_swish(0.5)), np.ones((1, 2)), [1.0], np.random.default_rng(0)
    )
    assert math.isnan(interval.log_low)
    assert math.isnan(interval.high)
    assert math.isnan(log_gradient_norms(broken, _forward(broken, np.ones((1, 2)), scaled_swish(0.5)), [1.0])[-1])


# --- norms, steps, initialisation, kinds of layers ------------------------------------------------


@both
@depths
@every_width
def test_norms_from_factors_are_those_of_the_arrays(make: Callable[[float], Activation], depth: int, p: int) -> None:
    net, X, y = _case(depth, p, seed=11)
    fwd = _forward(net, X, make(0.4))
    gradients = logistic_gradient(net, fwd, y)
    found = np.exp(log_gradient_norms(net, fwd, y))
    np.testing.assert_allclose(found[:-1], frobenius_norms(gradients), rtol=1e-12)
    assert found[-1] == pytest.approx(float(np.linalg.norm(flatten(gradients))), rel=1e-12)
    pairs = rank_one_pairs(fwd, backward(net, fwd))
    weights = loss_weights(fwd, y).first
    for G, (left, right) in zip(gradients, pairs, strict=True):
        np.testing.assert_allclose(G, left.T @ (weights[:, None] * right), rtol=1e-12, atol=1e-14)


@both
@depths
def test_scaled_gradients_and_products_differ_by_the_scale(make: Callable[[float], Activation], depth: int) -> None:
    net, X, y = _case(depth, 2, seed=12)
    fwd = _forward(net, X, make(0.4))
    scaled, plain = logistic_gradient(net, fwd, y, -50.0), logistic_gradient(net, fwd, y)
    np.testing.assert_allclose(flatten(scaled), math.exp(50.0) * flatten(plain), rtol=1e-12)
    direction = tuple(np.ones_like(V) for V in net.weights)
    a, b = (
        flatten(Hessian(net.with_activation(make(0.4)), fwd, y, log_scale=s).product(direction)) for s in (-50.0, 0.0)
    )
    np.testing.assert_allclose(a, math.exp(50.0) * b, rtol=1e-10)


@depths
@every_width
def test_a_step_goes_down_the_gradient(depth: int, p: int) -> None:
    net, X, y = _case(depth, p, seed=13)
    phi = huberised_relu(0.4)
    fwd = _forward(net, X, phi)
    moved = logistic_step(net.with_activation(phi), X, y, 1e-6)
    for V, W, G in zip(net.weights, moved.weights, logistic_gradient(net, fwd, y), strict=True):
        np.testing.assert_array_equal(W, V - 1e-6 * G)
    decrease = math.exp(log_mean_loss(fwd.margins(y))) - math.exp(log_mean_loss(_forward(moved, X, phi).margins(y)))
    square = math.exp(2.0 * log_gradient_norms(net, fwd, y)[-1])
    assert decrease == pytest.approx(1e-6 * square, rel=1e-2, abs=1e-14)


def test_a_step_at_a_loss_below_the_doubles_keeps_its_digits() -> None:
    # g = exp(-743.4) is a double without one correct digit; the step makes a visible update of it.
    net, phi = _deep(3, 743.5), huberised_relu(1e-3)
    V = float(net.weights[0][0, 0])
    f = float(_forward(net, np.ones((1, 1)), phi).output[0])
    moved = logistic_step(net.with_activation(phi), [[1.0]], [1.0], 1e308)
    update = math.exp(math.log(1e308) - f) * V**3
    assert float(moved.weights[0][0, 0]) - V == pytest.approx(update, abs=2.0 * math.ulp(V))
    assert abs(math.exp(-f) * 1e308 * V**3 - update) > 4.0 * math.ulp(V)


@pytest.mark.parametrize("step", [0.0, -1.0, math.inf, math.nan])
def test_a_step_of_no_size_is_refused(step: float) -> None:
    net, X, y = _case(1, 2)
    with pytest.raises(ValueError, match="choose a positive, finite step"):
        logistic_step(net.with_activation(huberised_relu(0.5)), X, y, step)


def test_initial_weights_have_the_variances_of_the_paper() -> None:
    p = 301
    net = gaussian_smooth_network((p, p, p), RELU, np.random.default_rng(0))
    assert net.depth == 2
    assert net.widths == (p, p, p)
    # Standard errors: sqrt(2)/p of the mean square of a hidden layer, sqrt(2/p) of the last.
    for V in net.weights[:-1]:
        assert float(np.mean(V**2)) == pytest.approx(2.0 / p, rel=5.0 * math.sqrt(2.0) / p)
    assert float(np.mean(net.weights[-1] ** 2)) == pytest.approx(1.0, rel=5.0 * math.sqrt(2.0 / p))
    assert not np.array_equal(net.weights[0], net.weights[1])


def test_hidden_layers_of_more_entries_than_are_stored_are_revealed() -> None:
    net = gaussian_smooth_network((3, 8, 16), RELU, np.random.default_rng(0), 3.0, stored=100)
    assert [type(V) for V in net.weights] == [np.ndarray, RevealedGaussian, np.ndarray]
    assert net.weights[1].std == pytest.approx(math.sqrt(3.0 / 16.0))


def test_revealed_layers_behave_as_stored_ones() -> None:
    rng, phi, y = np.random.default_rng(0), huberised_relu(0.4), np.array([1.0, -1.0])
    revealed = RevealedGaussian(3, 5, 1.0, rng)
    last, X = rng.standard_normal((5, 1)), rng.standard_normal((2, 3))
    net = smooth_network((revealed, last), RELU)
    stored = smooth_network((np.ascontiguousarray(np.eye(3) @ revealed), last), RELU)
    a, b = (logistic_gradient(which, _forward(which, X, phi), y) for which in (net, stored))
    assert isinstance(a[0], LowRank)
    np.testing.assert_allclose(a[0].dense(), b[0], rtol=1e-10, atol=1e-13)
    direction = (LowRank(rng.standard_normal((2, 3)), rng.standard_normal((2, 5))), rng.standard_normal((5, 1)))
    c = Hessian(net.with_activation(phi), _forward(net, X, phi), y).product(direction)
    d = Hessian(stored.with_activation(phi), _forward(stored, X, phi), y).product((direction[0].dense(), direction[1]))
    np.testing.assert_allclose(c[0].dense(), d[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(c[1], d[1], rtol=1e-9, atol=1e-12)
    moved, other = (logistic_step(which.with_activation(phi), X, y, 0.1) for which in (net, stored))
    np.testing.assert_allclose(_forward(moved, X, phi).output, _forward(other, X, phi).output, rtol=1e-9, atol=1e-12)
    with pytest.raises(ValueError, match="W_1 is not stored: this needs a network of arrays"):
        local_lipschitz(net.with_activation(phi), X, y, rng)
    with pytest.raises(ValueError, match="W_1 is not stored"):
        net.norm  # noqa: B018


def test_wide_layers_are_revealed() -> None:
    width = math.isqrt(STORED_ENTRIES) + 1
    net = gaussian_smooth_network((width, width), RELU, np.random.default_rng(0))
    assert isinstance(net.weights[0], RevealedGaussian)
    assert net.weights[1].shape == (width, 1)


def test_wrong_shapes_are_told() -> None:
    net, X, y = _case(1, 2)
    fwd = _forward(net, X, huberised_relu(0.5))
    with pytest.raises(ValueError, match=r"no layer: pass at least one weight matrix, and the trained"):
        smooth_network((np.ones((2, 1)),), RELU)
    with pytest.raises(ValueError, match=r"the output layer has shape \(2, 2\): pass an array \(p_L, 1\)"):
        smooth_network((np.ones((2, 2)), np.ones((2, 2))), RELU)
    with pytest.raises(ValueError, match="v has 3 entries for a last layer of 2 neurons"):
        smooth_network((np.ones((2, 2)), np.ones((3, 1))), RELU)
    with pytest.raises(ValueError, match="X has 3 columns: the network takes inputs of dimension 2"):
        forward(net, np.ones((1, 3)))
    with pytest.raises(ValueError, match=r"pass one matrix of the shape of each layer"):
        Hessian(net, fwd, y).product((np.ones((2, 2)),))
    with pytest.raises(ValueError, match="the direction has 3 entries for 6 weights"):
        unflatten(net, np.ones(3))
    with pytest.raises(ValueError, match=r"the coefficients have shape \(2,\): pass \(4,\)"):
        output_gradient(net, fwd, np.ones(2))
    with pytest.raises(ValueError, match=r"widths are \(3,\): pass \(d, m_1, ..., m_L\)"):
        gaussian_smooth_network((3,), RELU, np.random.default_rng(0))
    bare = custom_activation("bare", np.copy, np.ones_like, smoothness=0.0)
    with pytest.raises(ValueError, match="bare has no second derivative"):
        Hessian(net.with_activation(bare), _forward(net, X, bare), y).product(net.weights)


def test_curvature_grows_like_one_over_h() -> None:
    # Pre-activations at h/2: the Hessian is g V_2/h and terms without h.
    norms = []
    for h in (1e-3, 1e-7):
        net = smooth_network((np.array([[h / 2.0]]), np.array([[2.0]])), RELU)
        interval = local_lipschitz(net.with_activation(huberised_relu(h)), [[1.0]], [1.0], np.random.default_rng(0))
        assert interval.high <= interval.low * (1.0 + 1e-9)
        norms.append(interval.high)
    assert norms[1] / norms[0] == pytest.approx(1e4, rel=1e-2)


def test_the_norm_of_gaussian_weights_has_the_law_of_two_chi_squares() -> None:
    """||V||^2 is (2/p) chi2_{L p^2} + chi2_p: mean and variance, each with a false-alarm probability near 1e-6."""
    p, L, trials, rng = 50, 2, 2000, np.random.default_rng(20)
    squares = np.array([gaussian_smooth_network([p] * (L + 1), RELU, rng).norm ** 2 for _ in range(trials)])
    variance, fourth_cumulant = 8.0 * L + 2.0 * p, 48.0 * (16.0 * L / p**2 + p)
    spread = 4.9 / math.sqrt(trials)
    assert abs(squares.mean() - (2 * L + 1) * p) <= spread * math.sqrt(variance)
    assert abs(squares.var(ddof=1) - variance) <= spread * math.sqrt(fourth_cumulant + 2.0 * variance**2)

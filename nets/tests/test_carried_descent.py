"""Descent by differences: against 60 digits at depths 1 to 3, over many steps, and where plain floats stand still."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
import pytest

from nets.core.arrays import Array
from nets.descent.carried_descent import CarriedDescent, Stretch
from nets.networks.activations import RELU, Activation, custom_activation, huberised_relu, scaled_swish
from nets.networks.forward import forward
from nets.networks.log_loss import log_mean_loss
from nets.networks.logistic_gradients import logistic_step
from nets.networks.losses import SQUARE, OutputLoss
from nets.networks.network import Network, gaussian_smooth_network, smooth_network
from nets.networks.piecewise_slopes import PiecewiseRule, piecewise_quadratic

Matrix = list[list[Any]]

# Some ten roundings in each of the L p terms of a difference; no case here cancels to less than a tenth of its terms.
RELATIVE = 2e-13


def bent_down(h: float) -> Activation:
    return piecewise_quadratic("bent down", h, (0.75 * h, 1.25 * h), (1.0, 0.5))


def bent_up(h: float) -> Activation:
    """The Huberised ReLU once more, as a piecewise rule."""
    return piecewise_quadratic("bent up", h, (0.0, h), (0.0, 1.0))


def identity(h: float) -> Activation:
    return piecewise_quadratic("identity", h, (0.0,), (1.0,))


ACTIVATIONS = (huberised_relu, scaled_swish, bent_down, identity)


def _output(depth: int, excess: float = 1.02) -> float:
    """An output at which three samples have a loss below 3^-(1 + 24 L)."""
    return excess * (1 + 24 * depth) * math.log(3.0)


def one_class(depth: int) -> tuple[Network, Array, Array]:
    """Equal scalar layers, and one point three times."""
    size = _output(depth) ** (1.0 / (depth + 1))
    return smooth_network((np.full((1, 1), size),) * (depth + 1), RELU), np.ones((3, 1)), np.ones(3)


def two_classes(depth: int, noise: float = 0.0) -> tuple[Network, Array, Array]:
    """A channel for each class, and points on one axis; with noise on the weights also off it."""
    rng = np.random.default_rng(depth)
    size = _output(depth) ** (1.0 / (depth + 1))
    first = size * np.array([[1.0, -1.0], [0.0, 0.0]])
    weights = [first, *[size * np.eye(2)] * (depth - 1), size * np.array([[1.0], [-1.0]])]
    y = np.array([1.0, -1.0, 1.0])
    X = y[:, np.newaxis] * np.array([1.0, 0.0])
    if noise:
        weights = [V + noise * size * rng.standard_normal(V.shape) for V in weights]
        X = X + noise * rng.standard_normal(X.shape)
        X /= np.linalg.norm(X, axis=1, keepdims=True)
    return smooth_network([np.ascontiguousarray(V) for V in weights], RELU), X, y


# --- an independent form: totals in 60 digits --------------------------------------------------------


def _value_and_slope(phi: Activation, z: Any) -> tuple[Any, Any]:
    h = mpmath.mpf(phi.h)
    if phi.name == "scaled_swish":
        s = 1 / (1 + mpmath.exp(-2 * z / h))
        return z * s / mpmath.mpf(1.1), (s + 2 * z / h * s * (1 - s)) / mpmath.mpf(1.1)
    if phi.name == "identity":
        return z, mpmath.mpf(1)
    if phi.name == "bent down":
        first, last = mpmath.mpf(0.75 * phi.h), mpmath.mpf(1.25 * phi.h)
        share = (min(max(z, first), last) - first) / (last - first)
        inside = share * (last - first)
        return min(z, first) + inside * (1 - share / 4) + max(z - last, 0) / 2, 1 - share / 2
    inside = min(max(z, 0), h)
    return inside**2 / (2 * h) + max(z - h, 0), inside / h


def _loss_and_gradient(layers: Sequence[Any], X: Any, y: Array, phi: Activation) -> tuple[Any, list[Any]]:
    total = mpmath.mpf(0)
    gradients = [mpmath.zeros(V.rows, V.cols) for V in layers]
    for s, label in enumerate(y):
        posts, slopes = [X[s, :]], []
        for V in layers[:-1]:
            u = posts[-1] * V
            pairs = [_value_and_slope(phi, z) for z in u]
            posts.append(mpmath.matrix([[value for value, _ in pairs]]))
            slopes.append([slope for _, slope in pairs])
        margin = mpmath.mpf(float(label)) * (posts[-1] * layers[-1])[0]
        total += mpmath.log1p(mpmath.exp(-margin)) / len(y)
        b = mpmath.matrix([[-mpmath.mpf(float(label)) / (1 + mpmath.exp(margin)) / len(y)]])
        for layer in range(len(layers) - 1, -1, -1):
            gradients[layer] += posts[layer].T * b
            if layer:
                q = b * layers[layer].T
                b = mpmath.matrix([[q[j] * slopes[layer - 1][j] for j in range(q.cols)]])
    return total, gradients


def _exact(net: Network, X: Array, y: Array, phi: Activation, scaled: float, steps: int) -> tuple[Stretch, Any]:
    """What the first iterates are, from totals, and the layers after all steps less those at the start."""
    begin = [mpmath.matrix(V.tolist()) for V in net.weights]
    layers = [V.copy() for V in begin]
    points = mpmath.matrix(X.tolist())
    rows, first, norm = [], None, mpmath.fsum(v**2 for V in begin for v in V)
    for k in range(steps):
        loss, gradients = _loss_and_gradient(layers, points, y, phi)
        first = loss if first is None else first
        square = mpmath.fsum(v**2 for V in layers for v in V)
        size = mpmath.sqrt(mpmath.fsum(g**2 for G in gradients for g in G))
        rows.append([float(x) for x in (k, 1 - loss / first, square / norm - 1, size / first)])
        layers = [V - mpmath.mpf(scaled) / first * G for V, G in zip(layers, gradients, strict=True)]
    moved = [np.array((V - W).tolist(), dtype=float) for V, W in zip(layers, begin, strict=True)]
    return Stretch(*np.array(rows).T), moved


def _agree(found: Stretch, exact: Stretch, relative: float = RELATIVE) -> None:
    np.testing.assert_array_equal(found.steps, exact.steps)
    for name in ("fall", "growth", "gradient"):
        np.testing.assert_allclose(getattr(found, name), getattr(exact, name), rtol=relative, err_msg=name)


# Scaled steps of the size that the theorem on this descent allows, and some with which weights move visibly.
STEPS = {1: (3e-12, 1e-4), 2: (1e-15, 1e-5), 3: (1e-18, 1e-6)}


@pytest.mark.parametrize("make", ACTIVATIONS)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_descent_is_that_of_sixty_digits(make: Callable[[float], Activation], depth: int) -> None:
    """From a loss of 1e-12 to 1e-36 and with changes down to 1e-20, where totals have no digit left."""
    for case, scaled in itertools.product((one_class(depth), two_classes(depth, 0.05)), STEPS[depth]):
        net, X, y = case
        phi = make(0.1 / depth**3)
        with mpmath.workdps(60):
            exact, moved = _exact(net, X, y, phi, scaled, 4)
        run = CarriedDescent(net.with_activation(phi), X, y, scaled)
        _agree(run.advance(4), exact)
        assert exact.fall[1] > 0.0
        for found, wanted in zip(run.moved, moved, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=RELATIVE, atol=RELATIVE * float(np.abs(wanted).max()))


@pytest.mark.parametrize("make", ACTIVATIONS)
def test_pre_activations_may_cross_every_bend(make: Callable[[float], Activation]) -> None:
    """Long steps from weights of both signs, h as large as the pre-activations."""
    rng = np.random.default_rng(1)
    net = smooth_network(tuple(rng.normal(0.0, 0.7, shape) for shape in ((3, 3), (3, 3), (3, 1))), RELU)
    X, y = rng.normal(0.0, 1.0, (5, 3)), np.array([1.0, -1.0, 1.0, 1.0, -1.0])
    with mpmath.workdps(60):
        exact, _ = _exact(net, X, y, make(0.5), 0.6, 8)
    _agree(CarriedDescent(net.with_activation(make(0.5)), X, y, 0.6).advance(8), exact, 1e-11)


def test_sums_of_gaussian_terms_keep_the_digits() -> None:
    """Steps of 1e-18, of a network whose margins are sums of terms of both signs."""
    rng = np.random.default_rng(4)
    net, phi = gaussian_smooth_network((10, 10, 10), RELU, rng), huberised_relu(1e-3)
    X, y = rng.normal(0.0, 0.3, (3, 10)), np.array([1.0, -1.0, 1.0])
    with mpmath.workdps(60):
        exact, _ = _exact(net, X, y, phi, 1e-18, 3)
    _agree(CarriedDescent(net.with_activation(phi), X, y, 1e-18).advance(3), exact, 1e-12)


def test_upwards_the_loss_rises_by_as_much_and_at_no_step_it_stays() -> None:
    net, X, y = two_classes(2, 0.05)
    net = net.with_activation(scaled_swish(0.1))
    down, up, still = (CarriedDescent(net, X, y, scaled).advance(2) for scaled in (1e-12, -1e-12, 0.0))
    np.testing.assert_allclose(up.fall, -down.fall, rtol=1e-9)
    np.testing.assert_array_equal(still.fall, 0.0)


def test_many_steps_keep_the_digits() -> None:
    """A straight line: with the identity and one layer between, (v_1 v_2)' is known for v_1 = v_2 = v."""
    net, X, y = one_class(1)
    run = CarriedDescent(net.with_activation(identity(0.1)), X, y, 1e-13)
    last = [run.advance(50_000) for _ in range(4)][-1]
    # Steps this short follow dv/dtau = v exp(v_1^2 - v^2), hence tau = (Ei(v^2) - Ei(v_1^2)) exp(-v_1^2)/2, up to
    # the loss's weight of 1e-12 and half a step.
    v = float(net.weights[0][0, 0])
    with mpmath.workdps(40):
        fall = mpmath.mpf(float(last.fall[-1]))
        reached = mpmath.mpf(v) ** 2 - mpmath.log1p(-fall)
        time = (mpmath.ei(reached) - mpmath.ei(mpmath.mpf(v) ** 2)) * mpmath.exp(-(mpmath.mpf(v) ** 2)) / 2
    assert float(time) == pytest.approx(1e-13 * float(last.steps[-1]), rel=1e-11)
    assert (np.diff(last.fall) > 0.0).all()


def test_a_run_may_be_cut_anywhere() -> None:
    net, X, y = two_classes(2, 0.05)
    whole = CarriedDescent(net.with_activation(scaled_swish(0.1)), X, y, 1e-6).advance(30)
    run = CarriedDescent(net.with_activation(scaled_swish(0.1)), X, y, 1e-6)
    parts = [run.advance(k) for k in (1, 12, 17)]
    for name in Stretch._fields:
        np.testing.assert_array_equal(np.concatenate([getattr(p, name) for p in parts]), getattr(whole, name))
    assert run.steps == 30


def test_where_plain_floats_stand_still() -> None:
    """At depth 3 a step is below the last bit of every weight: nothing moves, while the loss falls."""
    net, X, y = one_class(3)
    phi, scaled = huberised_relu(3e-3), 2e-18
    net = net.with_activation(phi)
    run = CarriedDescent(net, X, y, scaled)
    after = logistic_step(net, X, y, scaled / math.exp(run.log_loss))
    assert all((V == W).all() for V, W in zip(after.weights, net.weights, strict=True))
    run.advance(100)
    assert 0.0 < run.distance < 1e-13
    assert (np.diff(run.advance(100).fall) > 0.0).all()


def test_where_plain_floats_do_both_agree() -> None:
    net, X, y = two_classes(2, 0.05)
    phi, scaled = scaled_swish(0.1), 1e-4
    net = net.with_activation(phi)
    run = CarriedDescent(net, X, y, scaled)
    found, plain = run.advance(20), net
    for k in range(20):
        loss = log_mean_loss(forward(plain, X).margins(y))
        assert math.log1p(-float(found.fall[k])) == pytest.approx(loss - run.log_loss, rel=1e-9, abs=1e-12)
        plain = logistic_step(plain, X, y, scaled / math.exp(run.log_loss))
    for D, V, W in zip(run.moved, plain.weights, net.weights, strict=True):
        np.testing.assert_allclose(D, V - W, rtol=1e-9, atol=1e-13)


def test_a_loss_below_the_smallest_float() -> None:
    """The descent is that of ratios: with an output of 2000 they are those of an output of 200, times known powers."""
    runs = []
    for output in (200.0, 2000.0):
        net = smooth_network((np.full((1, 1), math.sqrt(output)),) * 2, RELU)
        runs.append(CarriedDescent(net.with_activation(identity(1.0)), np.ones((3, 1)), np.ones(3), 1e-9 / output))
    assert runs[1].log_loss == pytest.approx(-2000.0, rel=1e-15)
    falls = [run.advance(3).fall for run in runs]
    # The margin grows by 2 output scaled in the first step, whatever the output.
    np.testing.assert_allclose(falls[0], falls[1], rtol=1e-8)


def test_layers_of_unequal_width_are_padded() -> None:
    rng = np.random.default_rng(3)
    net = smooth_network(tuple(rng.uniform(0.5, 1.0, shape) for shape in ((2, 4), (4, 3), (3, 1))), RELU)
    X, y = rng.uniform(0.5, 1.0, (3, 2)), np.ones(3)
    with mpmath.workdps(60):
        exact, moved = _exact(net, X, y, huberised_relu(0.1), 1e-10, 3)
    run = CarriedDescent(net.with_activation(huberised_relu(0.1)), X, y, 1e-10)
    _agree(run.advance(3), exact)
    assert [D.shape for D in run.moved] == [V.shape for V in net.weights]
    for found, wanted in zip(run.moved, moved, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=RELATIVE)


def test_on_a_corner_the_slope_is_that_of_the_left_side() -> None:
    """relu(w x) with target 0: the first step leads from w = 1 to w = 0, where nothing pulls any more."""
    run = CarriedDescent(Network((np.eye(1),), np.ones(1)), np.eye(1), np.zeros(1), 0.5, SQUARE)
    found = run.advance(3)
    np.testing.assert_array_equal(run.moved[0], -1.0)
    np.testing.assert_array_equal(found.fall, [0.0, 1.0, 1.0])
    np.testing.assert_array_equal(found.gradient, [2.0, 0.0, 0.0])


def test_a_broken_weight_is_seen() -> None:
    for make in ACTIVATIONS:
        net = smooth_network((np.array([[np.nan]]), np.ones((1, 1))), RELU)
        run = CarriedDescent(net.with_activation(make(0.1)), np.ones((3, 1)), np.ones(3), 1.0)
        assert np.isnan(run.advance(2).fall).all()


def test_piecewise_rules() -> None:
    z = np.linspace(-1.0, 1.0, 81).reshape(1, -1)
    for one, other in zip(bent_up(0.4).value_and_slope(z), huberised_relu(0.4).value_and_slope(z), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-15)
    assert bent_down(0.4).value_and_slope(np.array([0.0, 0.4, 1.0]))[0] == pytest.approx([0.0, 0.3875, 0.7])
    assert PiecewiseRule((0.0, 1.0), (0.0, 1.0))(np.array([[0.5]]))[0] == pytest.approx(0.125)
    for knots, slopes in (((), ()), ((0.0, 0.0), (1.0, 1.0)), ((0.0,), (1.0, 2.0))):
        with pytest.raises(ValueError, match="pass increasing knots, one slope for each"):
            piecewise_quadratic("wrong", 1.0, knots, slopes)


def test_refusals_say_what_to_do() -> None:
    net, X, y = one_class(1)
    other = custom_activation("sine", np.sin, np.cos, smoothness=1.0)
    with pytest.raises(
        ValueError, match="sine are not known: take scaled_swish, piecewise_quadratic or one that is linear"
    ):
        CarriedDescent(net.with_activation(other), X, y, 1.0)
    with pytest.raises(ValueError, match="choose a finite step"):
        CarriedDescent(net.with_activation(identity(0.1)), X, y, math.nan)
    with pytest.raises(ValueError, match="make at least one"):
        CarriedDescent(net.with_activation(identity(0.1)), X, y, 1.0).advance(0)
    with pytest.raises(ValueError, match="there is nothing to descend"):
        CarriedDescent(net, X, forward(net, X).output, 1.0, SQUARE)
    with pytest.raises(ValueError, match="the loss other are not known: take SQUARE"):
        CarriedDescent(net, X, y, 1.0, OutputLoss("other", SQUARE.rule))

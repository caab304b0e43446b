"""Every operation on every architecture, activation and kind of layer, against one naive twin of 50 digits.

The networks of five papers and three of a reader's own: see `ARCHITECTURES`. An architecture, an activation or an
operation that is missing here fails `test_every_constructor_and_activation_is_among_the_cases` or
`test_every_operation_is_among_the_cases`.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest

import nets.descent.carried_descent
import nets.descent.training
import nets.networks.activations
import nets.networks.curvature
import nets.networks.forward
import nets.networks.gradients
import nets.networks.logistic_gradients
import nets.networks.network
import nets.tangent.linearised
import nets.tangent.margin
from nets.core.arrays import Array
from nets.descent.carried_descent import CarriedDescent
from nets.descent.training import gradient_step, sgd_step, train
from nets.linear_algebra.lowrank import LowRank
from nets.linear_algebra.revealed import RevealedGaussian
from nets.networks.activations import (
    IDENTITY,
    RELU,
    Activation,
    custom_activation,
    huberised_relu,
    leaky_relu,
    scaled_swish,
)
from nets.networks.curvature import Hessian, flatten, local_lipschitz, rounding_errors
from nets.networks.forward import Forward, forward
from nets.networks.gradients import backward, gradient_norms, loss_coefficients, loss_gradient, output_gradient
from nets.networks.logistic_gradients import log_gradient_norms, logistic_gradient, logistic_step
from nets.networks.losses import LOGISTIC, SQUARE, OutputLoss
from nets.networks.network import (
    Network,
    Step,
    gaussian_network,
    gaussian_smooth_network,
    he_network,
    leaky_network,
    perturbed,
    recurrent_network,
    residual_network,
    revealed_network,
    shifted,
    smooth_network,
)
from nets.networks.operators import flip_counts, largest_masked_product_norm, masked_product, masked_product_operator
from nets.tangent.linearised import (
    best_linearised_loss,
    linearisation_error,
    linearised,
    tangent_features,
    tangent_kernel,
)
from nets.tangent.margin import largest_margin, margin_direction
from nets.tests.functions import elu_rules
from nets.tests.naive_network import DIGITS, STEP, Twin, exact, numbers, stored

N, D, M, TIMES = 3, 3, 4, 3
RTOL, ATOL = 1e-9, 1e-10


def _layer(rows: int, cols: int, kind: str, rng: np.random.Generator) -> Any:
    return rng.normal(0.0, 0.7, (rows, cols)) if kind == "stored" else RevealedGaussian(rows, cols, 0.7, rng)


def _plain(kind: str, rng: np.random.Generator) -> Network:
    return (he_network if kind == "stored" else revealed_network)((D, M, 3, M), rng)


def _all_trained(kind: str, rng: np.random.Generator) -> Network:
    layers = [_layer(D, M, kind, rng), _layer(M, 2, kind, rng)]
    return smooth_network([*layers, rng.standard_normal((2, 1))], huberised_relu(0.5))


def _shared(kind: str, rng: np.random.Generator) -> Network:
    """One matrix for three steps of a recurrent network, whose input matrix is trained too, read once."""
    weights = (_layer(M, M, kind, rng), _layer(D, M, kind, rng))
    return Network(weights, rng.standard_normal(M), [Step(0, input=1, carry=0.5, scale=0.7)] * TIMES)


def _read_often(kind: str, rng: np.random.Generator) -> Network:
    """A trained read-out of two outputs after every step, a shared matrix, and the input again in the second step."""
    weights = (_layer(D, M, kind, rng), _layer(M, M, kind, rng), rng.standard_normal((M, 2)))
    steps = [Step(0), Step(1, input=3, carry=1.0, scale=0.5), Step(1, carry=-0.5)]
    return Network(weights, None, steps, (_layer(D, M, kind, rng),), every_step=True)


def _biased(kind: str, rng: np.random.Generator) -> Network:
    """A bias that is trained, and one that is not beside an input of its own."""
    weights = (_layer(D, M, kind, rng), rng.standard_normal((1, M)), _layer(M, M, kind, rng))
    frozen = (rng.standard_normal((1, M)), _layer(D, M, kind, rng))
    steps = [Step(0, bias=1), Step(2, input=4, carry=0.5, scale=0.7, bias=3, bias_scale=0.6)]
    return Network(weights, rng.standard_normal(M), steps, frozen)


# Entries up to which layers are stored.
LARGEST = {"stored": math.inf, "revealed": 0}

ARCHITECTURES: dict[str, Callable[[str, np.random.Generator], Network]] = {
    "zou2018": _plain,
    "chatterji2021": _all_trained,
    "guo2024": lambda kind, rng: leaky_network(D, M, 2, 2, -0.3, rng, stored=LARGEST[kind]),
    "frei2019": lambda kind, rng: residual_network((D, M, M, M, 2), 0.3, rng, stored=LARGEST[kind]),
    "allenzhu2018rnn": lambda kind, rng: recurrent_network(D, M, 2, TIMES, rng, stored=LARGEST[kind]),
    "shared and scalar": _shared,
    "read often": _read_often,
    "biases": _biased,
}
ACTIVATIONS = {
    "relu": RELU,
    "identity": IDENTITY,
    "leaky_relu": leaky_relu(-0.4),
    "huberised_relu": huberised_relu(0.5),
    "scaled_swish": scaled_swish(0.5),
    "custom": custom_activation(
        "tanh",
        np.tanh,
        lambda z: 1.0 - np.tanh(z) ** 2,
        lambda z, _: -2.0 * np.tanh(z) * (1.0 - np.tanh(z) ** 2),
        smoothness=0.77,
    ),
    "elu": custom_activation("elu", *elu_rules(1.0), smoothness=1.0, bends=[0.0]),
}
KINDS = ("stored", "revealed")
CASES = list(itertools.product(ARCHITECTURES, ACTIVATIONS, KINDS))
cases = pytest.mark.parametrize(("architecture", "activation", "kind"), CASES)


def _case(architecture: str, activation: str, kind: str) -> tuple[Network, Array]:
    rng = np.random.default_rng(list(f"{architecture} {activation}".encode()))
    net = ARCHITECTURES[architecture](kind, rng).with_activation(ACTIVATIONS[activation])
    sequence = net.steps[0].input is not None
    return net, rng.standard_normal((N, TIMES, D) if sequence else (N, D))


def _dense(G: Any) -> Array:
    return G.dense() if isinstance(G, LowRank) else np.asarray(G)


def _risk(twin: Twin, X: Array, y: Array) -> Any:
    return sum(mpmath.log(1 + mpmath.exp(-s * twin.outputs(x)[0])) for s, x in zip(y, X, strict=True)) / N


def _squares(twin: Twin, X: Array, targets: Array) -> Any:
    rows = zip(targets, X, strict=True)
    gaps = [f - a for row, x in rows for a, f in zip(np.ravel(row), twin.outputs(x), strict=True)]
    return sum(gap**2 for gap in gaps) / (2 * N)


def _like_the_layers(net: Network, dense: list[Array]) -> list[Any]:
    """Matrices as steps of the kinds of the weights."""
    pairs = zip(dense, net.weights, strict=True)
    return [D if isinstance(W, np.ndarray) else LowRank(np.eye(len(D)), D) for D, W in pairs]


def _close(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, wanted, rtol=RTOL, atol=ATOL)


def test_every_constructor_and_activation_is_among_the_cases() -> None:
    constructors = {
        name
        for name, function in inspect.getmembers(nets.networks.network, inspect.isfunction)
        if function.__module__ == "nets.networks.network" and name.endswith("_network")
    }
    tested = {he_network, revealed_network, gaussian_network, smooth_network, gaussian_smooth_network, leaky_network}
    assert constructors == {f.__name__ for f in (*tested, recurrent_network, residual_network)}
    makers = {
        name
        for name, function in inspect.getmembers(nets.networks.activations, inspect.isfunction)
        if inspect.signature(function).return_annotation is Activation
    }
    assert makers | {"relu", "identity"} == {*ACTIVATIONS, "custom_activation"} - {"custom", "elu"}


# Modules whose operations are for every architecture, and what the operations tested here are made of.
GENERAL = (
    nets.descent.carried_descent,
    nets.networks.curvature,
    nets.networks.forward,
    nets.networks.gradients,
    nets.networks.logistic_gradients,
    nets.tangent.margin,
    nets.tangent.linearised,
    nets.descent.training,
)
PARTS = {
    *("read", "Backward", "rank_one_pairs", "weighted_pairs", "pair_products", "pair_norms", "unflatten"),
    *("loss_weights", "difference", "layer_distances", "in_ball", "Trajectory", "descent_step"),
}


def test_every_operation_is_among_the_cases() -> None:
    takes_networks = {
        name
        for module in GENERAL
        for name, what in vars(module).items()
        if getattr(what, "__module__", "") == module.__name__
        and not name.startswith("_")
        and (inspect.isfunction(what) or inspect.isclass(what))
        and any(kind in str(inspect.signature(what)) for kind in ("Network", "Forward", "Backward"))
    }
    assert takes_networks - PARTS <= set(globals())
    assert len(takes_networks - PARTS) >= 20


@cases
def test_passes_follow_the_definition(architecture: str, activation: str, kind: str) -> None:
    net, X = _case(architecture, activation, kind)
    twin, fwd = Twin(net), forward(net, X)
    with mpmath.workdps(DIGITS):
        for i, x in enumerate(X):
            pres, states = twin.states(x)
            for layer, pre in enumerate(pres):
                _close(fwd.pre[layer][i], numbers(pre)[0])
                step = net.steps[layer].activation
                np.testing.assert_array_equal(fwd.masks[layer][i], step.slope(fwd.pre[layer][i]))
            for layer, state in enumerate(states):
                _close(fwd.post[layer][i], numbers(state)[0])
            _close(fwd.output[i].ravel(), [float(f) for f in twin.outputs(x)])
    times = len(net.steps) if net.every_step else 1
    assert fwd.output.shape == ((N,) if net.scalar else (N, times, 2))


class Derivatives(NamedTuple):
    """A network, its samples and pass, and the derivatives in its weights by 50 digits, as arrays.

    Of the sum of the outputs with coefficients c, of half the mean square of their gaps to `targets`, with its value
    `risk`, and, with one output, of the logistic risk with labels y.
    """

    net: Network
    X: Array
    fwd: Forward
    c: Array
    targets: Array
    y: Array
    risk: float
    combined: list[Array]
    squares: list[Array]
    logistic: list[Array] | None


@functools.cache
def _derivatives(architecture: str, activation: str, kind: str) -> Derivatives:
    net, X = _case(architecture, activation, kind)
    fwd, rng = forward(net, X), np.random.default_rng(0)
    c = rng.standard_normal(fwd.output.shape)
    targets = rng.standard_normal(fwd.output.shape)
    y = np.array([1.0, -1.0, 1.0])
    with mpmath.workdps(DIGITS):

        def combined(twin: Twin) -> Any:
            rows = zip(c, X, strict=True)
            return sum(a * f for row, x in rows for a, f in zip(np.ravel(row), twin.outputs(x), strict=True))

        twin = Twin(net)
        of_outputs, of_squares = twin.derivative(combined), twin.derivative(lambda twin: _squares(twin, X, targets))
        of_logistic = twin.derivative(lambda twin: _risk(twin, X, y)) if net.scalar else None
        risk = float(_squares(twin, X, targets))
    return Derivatives(net, X, fwd, c, targets, y, risk, of_outputs, of_squares, of_logistic)


@cases
def test_gradients_of_outputs_and_losses_are_those_of_50_digits(architecture: str, activation: str, kind: str) -> None:
    case = _derivatives(architecture, activation, kind)
    net, fwd, c, y = case.net, case.fwd, case.c, case.y
    found = [
        (output_gradient(net, fwd, c), case.combined),
        (loss_gradient(net, fwd, case.targets, SQUARE), case.squares),
    ]
    if case.logistic is not None:
        found.append((loss_gradient(net, fwd, y, LOGISTIC), case.logistic))
        found.append((logistic_gradient(net, fwd, y), case.logistic))
        sizes = [np.linalg.norm(G) for G in case.logistic]
        _close(np.exp(log_gradient_norms(net, fwd, y)), [*sizes, np.linalg.norm(sizes)])
    for gradients, derivatives in found:
        for G, E, W in zip(gradients, derivatives, net.weights, strict=True):
            assert isinstance(G, LowRank) == isinstance(W, RevealedGaussian)
            _close(_dense(G), E)
    norms = gradient_norms(fwd, backward(net, fwd, coefficients=c), np.ones(N) if net.scalar else c)
    _close(norms[0], [np.linalg.norm(G, 2) for G in case.combined])
    _close(norms[1], [np.linalg.norm(G) for G in case.combined])


@cases
def test_backward_vectors_are_derivatives_of_any_output_in_the_states(
    architecture: str, activation: str, kind: str
) -> None:
    net, X = _case(architecture, activation, kind)
    fwd, twin, rng = forward(net, X), Twin(net), np.random.default_rng(1)
    coefficients = rng.standard_normal(fwd.output.shape)
    last = np.zeros(fwd.output.shape)
    last.reshape(N, -1)[:, -1] = 1.0
    direction = rng.standard_normal(fwd.post[0].shape)
    for c in (coefficients, last):
        slopes = []
        with mpmath.workdps(DIGITS):
            for row, x, move in zip(c, X, direction, strict=True):
                one, other = (twin.outputs(x, sign * STEP * exact(move[np.newaxis])) for sign in (1, -1))
                pairs = zip(np.ravel(row), one, other, strict=True)
                slopes.append(float(sum(a * (f - g) for a, f, g in pairs) / (2 * STEP)))
        _close(np.sum(backward(net, fwd, coefficients=c).q[0] * direction, axis=1), slopes)


@cases
def test_masked_products_are_products_of_the_steps(architecture: str, activation: str, kind: str) -> None:
    net, X = _case(architecture, activation, kind)
    fwd, twin, rng = forward(net, X), Twin(net), np.random.default_rng(2)
    largest = 0.0
    for l1, l2 in itertools.combinations_with_replacement(range(1, net.depth + 1), 2):
        with mpmath.workdps(DIGITS):
            wanted = twin.product(X[1], l1, l2)
        A = masked_product_operator(net, fwd, 1, l1, l2)
        x, u = rng.standard_normal(wanted.shape[1]), rng.standard_normal(wanted.shape[0])
        _close(A @ x, wanted @ x)
        _close(A.T @ u, wanted.T @ u)
        if kind == "stored":
            _close(masked_product(net, fwd, 1, l1, l2), wanted)
            largest = max(largest, *(float(np.linalg.norm(masked_product(net, fwd, i, l1, l2), 2)) for i in range(3)))
    if kind == "stored":
        _close(largest_masked_product_norm(net, fwd), largest)


@cases
def test_hessian_products_are_derivatives_of_gradients(architecture: str, activation: str, kind: str) -> None:
    net, X = _case(architecture, activation, kind)
    fwd, rng = forward(net, X), np.random.default_rng(3)
    targets, y = rng.standard_normal(fwd.output.shape), np.array([1.0, -1.0, 1.0])
    dense = [rng.standard_normal(W.shape) for W in net.weights]
    others = [rng.standard_normal(W.shape) for W in net.weights]
    direction, twin = _like_the_layers(net, dense), Twin(net)
    losses: list[tuple[Any, Any, Callable[[], Any]]] = [(SQUARE, targets, lambda: _squares(twin, X, targets))]
    if net.scalar:
        losses.append((None, y, lambda: _risk(twin, X, y)))
    for loss, aims, value in losses:
        wanted = []
        for k, other in enumerate(others):
            # The mixed second derivative along `dense` and a direction in the weight k alone.
            alone = [other if number == k else np.zeros_like(D) for number, D in enumerate(dense)]
            total = 0
            with mpmath.workdps(DIGITS):
                for one, two in itertools.product((1, -1), repeat=2):
                    twin.shift(dense, one * STEP)
                    twin.shift(alone, two * STEP)
                    total += one * two * value()
                    twin.shift(dense, -one * STEP)
                    twin.shift(alone, -two * STEP)
                wanted.append(float(total / (2 * STEP) ** 2))
        for side in (None, -1.0, 1.0):
            products = Hessian(net, fwd, aims, loss=loss).product(direction, side)
            _close([np.sum(_dense(H) * other) for H, other in zip(products, others, strict=True)], wanted)
        if kind == "stored":
            A = Hessian(net, fwd, aims, loss=loss).operator()
            _close(A @ flatten(dense), flatten(Hessian(net, fwd, aims, loss=loss).product(dense)))


@cases
def test_the_local_lipschitz_constant_is_the_norm_of_the_hessian(architecture: str, activation: str, kind: str) -> None:
    net, X = _case(architecture, activation, kind)
    fwd, rng = forward(net, X), np.random.default_rng(7)
    targets, y = rng.standard_normal(fwd.output.shape), np.array([1.0, -1.0, 1.0])
    for loss, aims in ((SQUARE, targets), *([(None, y)] if net.scalar else [])):
        if kind == "revealed":
            with pytest.raises(ValueError, match="is not stored: this needs a network of arrays"):
                local_lipschitz(net, X, aims, rng, loss=loss)
            continue
        A = Hessian(net, fwd, aims, loss=loss).operator()
        norm = np.linalg.norm(A @ np.eye(A.shape[0]), 2)
        found = local_lipschitz(net, X, aims, rng, loss=loss)
        assert found.kinks == 0
        assert found.rounding < 1e-9
        assert (1.0 - 1e-9) * found.low <= norm <= (1.0 + 1e-9) * found.high
        assert found.low >= 0.9 * norm


@cases
def test_carried_descent_is_that_of_50_digits(architecture: str, activation: str, kind: str) -> None:
    """Steps far below the last digit of the weights, on targets or labels: the first move, and the loss after it."""
    net, X = _case(architecture, activation, kind)
    fwd, rng, scaled = forward(net, X), np.random.default_rng(8), 1e-20
    targets, y = rng.standard_normal(fwd.output.shape), np.array([1.0, -1.0, 1.0])
    twin = Twin(net)
    losses: list[tuple[Any, Any, Callable[[Twin], Any]]] = [(SQUARE, targets, lambda twin: _squares(twin, X, targets))]
    if net.scalar:
        losses.append((None, y, lambda twin: _risk(twin, X, y)))
    for loss, aims, value in losses:
        if kind == "revealed" or activation in ("custom", "elu") or architecture == "biases":
            with pytest.raises(ValueError, match=r"is not stored|differences of (tanh|elu|networks with biases) are"):
                CarriedDescent(net, X, aims, scaled, loss)
            continue
        run = CarriedDescent(net, X, aims, scaled, loss)
        first = run.advance(1)
        with mpmath.workdps(DIGITS):
            begin = value(twin)
            wanted = [-scaled * G / float(begin) for G in twin.derivative(value)]
            for D, E in zip(run.moved, wanted, strict=True):
                np.testing.assert_allclose(D / scaled, E / scaled, rtol=RTOL, atol=ATOL)
            twin.shift(run.moved, 1)
            fall = 1 - value(twin) / begin
            growth = sum(w**2 for W in twin.weights for w in W)
            twin.shift(run.moved, -1)
            growth = growth / sum(w**2 for W in twin.weights for w in W) - 1
        second = run.advance(1)
        slope = float(first.gradient[0])
        _close(slope, np.sqrt(sum(np.sum((E / scaled) ** 2) for E in wanted)))
        assert second.fall[0] == pytest.approx(float(fall), rel=RTOL, abs=1e-12 * scaled)
        assert second.growth[0] == pytest.approx(float(growth), rel=RTOL, abs=1e-12 * scaled)
        assert second.fall[0] == pytest.approx(scaled * slope**2, rel=1e-6)
        assert run.log_loss == pytest.approx(float(mpmath.log(begin)), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("activation", [RELU, leaky_relu(0.3), leaky_relu(3.0)])
def test_where_the_slope_jumps_the_gradient_has_no_lipschitz_constant(activation: Activation) -> None:
    """One sample on the corner of the second neuron; behind a layer that is dead no pre-activation moves."""
    X, y, rng = np.eye(1, 2), np.ones(1), np.random.default_rng(0)
    net = Network((np.array([[1.0, 0.0], [1.0, 1.0]]),), np.ones(2)).with_activation(activation)
    found = local_lipschitz(net, X, y, rng)
    assert (found.low, found.high, found.kinks) == (0.0, math.inf, 1)
    least, largest = activation.curvature_range(np.array([0.0, 1.0]))
    assert np.isinf([least[0], largest[0]]).sum() == 1
    np.testing.assert_array_equal([least[1], largest[1]], 0.0)
    dead = Network((-np.eye(2), np.eye(2)), np.ones(2))
    assert local_lipschitz(dead, np.ones((1, 2)), y, rng).high == 0.0


@pytest.mark.parametrize(("architecture", "activation"), list(itertools.product(ARCHITECTURES, ACTIVATIONS)))
def test_rounding_errors_are_bounded(architecture: str, activation: str) -> None:
    net, X = _case(architecture, activation, "stored")
    fwd = forward(net, X)
    *errors, last = rounding_errors(net, fwd)
    twin = Twin(net)
    with mpmath.workdps(DIGITS):
        for i, x in enumerate(X):
            for pre, u, error in zip(twin.states(x)[0], fwd.pre, errors, strict=True):
                assert np.all(np.abs(numbers(pre - exact(u[i : i + 1]))[0]) <= error[i])
            off = [abs(float(f - g)) for f, g in zip(twin.outputs(x), fwd.output[i].ravel(), strict=True)]
            assert np.all(np.array(off) <= last[i].ravel())
    assert last.shape == fwd.output.shape
    assert last.max() <= 1e-12


@cases
def test_steps_of_descent_move_the_trained_weights_alone(architecture: str, activation: str, kind: str) -> None:
    net, X = _case(architecture, activation, kind)
    fwd, rng = forward(net, X), np.random.default_rng(4)
    targets = rng.standard_normal(fwd.output.shape)
    before, gradients = [stored(W).copy() for W in net.weights], loss_gradient(net, fwd, targets, SQUARE)
    moved = gradient_step(net, X, targets, SQUARE, 0.1)
    assert moved.frozen is net.frozen
    assert moved.readout is net.readout
    assert moved.steps == net.steps
    for V, W, G in zip(moved.weights, before, gradients, strict=True):
        _close(stored(V), W - 0.1 * _dense(G))
    assert flip_counts(fwd, forward(moved, X)).shape == (N, net.depth)
    whole = sgd_step(net, X, targets, SQUARE, 0.1, N, rng)
    for V, W in zip(whole.weights, moved.weights, strict=True):
        _close(stored(V), stored(W))
    if net.scalar:
        y = np.array([1.0, -1.0, 1.0])
        for V, W, G in zip(logistic_step(net, X, y, 0.1).weights, before, logistic_gradient(net, fwd, y), strict=True):
            _close(stored(V), W - 0.1 * _dense(G))


@cases
def test_training_descends_along_the_gradients_of_50_digits(architecture: str, activation: str, kind: str) -> None:
    net, X, fwd, _, targets, *_ = case = _derivatives(architecture, activation, kind)
    before, first = [stored(W).copy() for W in net.weights], train(net, X, targets, SQUARE, 0.1, 1)
    for V, W, G in zip(first.network.weights, before, case.squares, strict=True):
        _close(stored(V), W - 0.1 * G)
    _close(first.loss[0], case.risk)
    _close(first.gradient_norms[0], [np.linalg.norm(G) for G in case.squares])
    _close(first.drift_frobenius[1], [0.1 * np.linalg.norm(G) for G in case.squares])
    _close(first.drift_operator[1], [0.1 * np.linalg.norm(G, 2) for G in case.squares])
    _close(first.flips[1], flip_counts(fwd, forward(first.network, X)).max(axis=0))
    assert np.isnan(first.derivative_sum).all()
    # Further steps, and those on batches, are the single steps one after the other.
    for batch_size in (None, 2):
        run = train(net, X, targets, SQUARE, 0.1, 2, batch_size=batch_size, rng=np.random.default_rng(7))
        current, draws = net, np.random.default_rng(7)
        for k in range(2):
            _close(run.loss[k], SQUARE.at_outputs(forward(current, X).output, targets)[0].mean())
            if batch_size is None:
                current = gradient_step(current, X, targets, SQUARE, 0.1)
            else:
                current = sgd_step(current, X, targets, SQUARE, 0.1, batch_size, draws)
        for V, W in zip(run.network.weights, current.weights, strict=True):
            _close(stored(V), stored(W))


@cases
def test_tangent_features_are_the_gradients_of_the_outputs(architecture: str, activation: str, kind: str) -> None:
    net, X = _case(architecture, activation, kind)
    fwd, rng = forward(net, X), np.random.default_rng(5)
    units = np.eye(fwd.output.size).reshape(-1, *fwd.output.shape)
    gradients = [output_gradient(net, fwd, unit) for unit in units]
    features = tangent_features(net, fwd)
    rows = [np.array([_dense(gradient[k]).ravel() for gradient in gradients]) for k in range(len(net.weights))]
    _close(features.grams, [R @ R.T for R in rows])
    _close(tangent_kernel(net, X), sum(R @ R.T for R in rows))
    _close(features.layer_norms, [np.linalg.norm(R, axis=1).reshape(fwd.output.shape) for R in rows])
    assert 0.0 < features.gram_error < 1e-10
    dense = [rng.standard_normal(W.shape) for W in net.weights]
    slopes = sum(R @ D.ravel() for R, D in zip(rows, dense, strict=True)).reshape(fwd.output.shape)
    _close(features.along(dense), slopes)
    direction = _like_the_layers(net, dense)
    moved = shifted(net, direction, 0.5)
    _close(linearised(net, fwd, moved), fwd.output + 0.5 * slopes)
    _close(linearisation_error(moved, net, X), np.abs(forward(moved, X).output - fwd.output - 0.5 * slopes))
    _close(forward(perturbed(net, [0.5 * D for D in direction]), X).output, forward(moved, X).output)


@cases
def test_margins_and_least_losses_of_linearised_networks_are_attained(
    architecture: str, activation: str, kind: str
) -> None:
    net, X = _case(architecture, activation, kind)
    if not net.scalar:
        return
    y, fwd, rng = np.array([1.0, -1.0, 1.0]), forward(net, X), np.random.default_rng(9)
    features = tangent_features(net, fwd)
    margin = largest_margin(features.grams.sum(axis=0), y, features.gram_error)
    if margin.low > 1e-6:
        direction = [_dense(D) for D in margin_direction(net, fwd, y, margin)]
        assert np.linalg.norm(flatten(direction)) <= 1.0 + 1e-9
        assert (y * features.along(direction)).min() >= margin.low * (1.0 - 1e-9)
    best = best_linearised_loss(features.grams, fwd.margins(y), y, 0.5)
    reached = LOGISTIC.value(y * linearised(net, fwd, best.point(net, fwd, y)))
    assert np.mean(reached) == pytest.approx(best.high, rel=1e-8)
    # Where the features of a weight cancel the ends may lie apart, but both hold.
    assert best.low <= best.high
    for _ in range(5):
        dense = [rng.standard_normal(W.shape) for W in net.weights]
        rival = fwd.output + features.along([0.5 * D / np.linalg.norm(D) for D in dense])
        assert np.mean(LOGISTIC.value(y * rival)) >= best.low


def test_a_loss_of_the_outputs_has_the_shape_of_the_outputs() -> None:
    net, X = _case("allenzhu2018rnn", "relu", "stored")
    fwd = forward(net, X)
    values, slopes = SQUARE.at_outputs(fwd.output, np.zeros(1))
    _close(values, 0.5 * np.sum(fwd.output**2, axis=(1, 2)))
    np.testing.assert_array_equal(slopes, fwd.output)
    np.testing.assert_array_equal(loss_coefficients(fwd, np.zeros(1), SQUARE, np.array([1]))[[0, 2]], 0.0)
    short = OutputLoss("short", lambda outputs, _: (np.zeros(1), outputs))
    with pytest.raises(ValueError, match="the loss short gave values"):
        short.at_outputs(fwd.output, np.zeros(1))
    with pytest.raises(ValueError, match="the loss logistic is one of margins, and the outputs have shape"):
        loss_gradient(net, fwd, np.ones(N), LOGISTIC)


def test_an_output_at_a_time_needs_coefficients() -> None:
    net, X = _case("allenzhu2018rnn", "relu", "stored")
    fwd = forward(net, X)
    with pytest.raises(ValueError, match="pass coefficients of that shape, or a direction"):
        backward(net, fwd)
    with pytest.raises(ValueError, match="one per output"):
        backward(net, fwd, coefficients=np.ones(N))
    # What is read at the first time does not depend on later inputs.
    first = np.zeros(fwd.output.shape)
    first[:, 0, 1] = 1.0
    bwd = backward(net, fwd, coefficients=first)
    assert not any(b.any() for b in bwd.b[1:])
    assert bwd.b[0].any()


def test_the_initialisations_have_the_variances_of_the_papers() -> None:
    rng, m = np.random.default_rng(6), 400
    leaky = leaky_network(8, m, 2, 5, 0.1, rng)
    recurrent = recurrent_network(8, m, 5, 3, rng)
    residual = residual_network((8, m, m, m), 0.1, rng)
    variances = [
        *[(W, 2.0 / m) for net in (leaky, recurrent, residual) for W in net.weights],
        *[(leaky.frozen[0], 1.0 / m), (recurrent.frozen[0], 2.0 / m), (leaky.v, 0.2), (recurrent.v, 0.2)],
    ]
    for W, variance in variances:
        # The mean square of N entries is off by six standard deviations sqrt(2/N) at most.
        assert abs(float(np.mean(W**2)) / variance - 1.0) <= 6.0 * math.sqrt(2.0 / W.size)
    assert [step.carry for step in residual.steps] == [0.0, 1.0, 0.0]
    assert recurrent.widths == (m, m, m, m)
    assert recurrent.inputs == 8
    assert len(residual_network((8, 6), 0.1, rng).steps) == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Network((np.ones((2, 2)), np.ones((2, 2))), np.ones(2), [Step(0)]), "no step uses W_2"),
        (
            lambda: Network((np.ones((2, 3)),), np.ones(3), [Step(0, carry=1.0)]),
            "carries a state of 2 neurons into one of 3",
        ),
        (
            lambda: Network((np.ones((3, 3)),), np.ones(3), [Step(0, input=1)], (np.ones((2, 2)),)),
            "frozen parameter 1 has",
        ),
        (lambda: Network((np.ones((3, 3)),)), "and the trained read-out after it"),
        (lambda: he_network((2, 2), np.random.default_rng(0)).with_weights(()), "no layer"),
        (lambda: Network((np.ones((2, 3)), np.ones((3, 4))), np.ones(4), every_step=True), "one entry per neuron"),
        (
            lambda: Network((np.ones((1, 1)),) * 2, np.ones(1), (Step(0), Step(1, huberised_relu(1.0)))).activation,
            "several activations",
        ),
        (lambda: revealed_network((2, 2), np.random.default_rng(0)).norm, "W_1 is not stored"),
    ],
)
def test_misfits_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_inputs_of_another_number_of_times_are_refused() -> None:
    net, X = _case("allenzhu2018rnn", "relu", "stored")
    with pytest.raises(ValueError, match=r"pass \(n, 3\), or \(n, 3, 3\), an input for each step"):
        forward(net, X[:, :2])
    np.testing.assert_array_equal(forward(net, X[:, 0]).output, forward(net, np.repeat(X[:, :1], TIMES, axis=1)).output)

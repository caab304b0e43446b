"""Passes, gradients, training steps, masked products and operator norms, on stored and on revealed layers."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from benchmarks.instances import (
    DEPTH,
    DIMENSION,
    POINTS,
    SAMPLES,
    SEQUENCES,
    TIMES,
    instance,
    layer_products,
    recurrent_instance,
)
from benchmarks.notes import note, relative_error
from nets.data.points import sphere
from nets.descent.training import gradient_step
from nets.linear_algebra.lowrank import LowRank
from nets.linear_algebra.revealed import RevealedGaussian
from nets.networks.forward import forward
from nets.networks.fresh import fresh_outputs, sample_ensemble
from nets.networks.gradients import backward, gradient_norms, loss_coefficients, output_gradient
from nets.networks.losses import LOGISTIC, empirical_risk
from nets.networks.network import he_network
from nets.networks.operators import (
    largest_masked_product_norm,
    masked_product,
    masked_product_operator,
    norm_interval,
    operator_norm,
    threshold_counts,
)

pytestmark = pytest.mark.benchmark(max_time=0.3)

WIDTHS = (64, 256, 1024)
REVEALED_WIDTHS = (1024, 16384)

# Products of 10^4 terms in another order; cancellation leaves fewer digits of a gradient than of a product.
ROUNDING = 1e-9


@pytest.mark.parametrize("width", WIDTHS)
def test_forward(benchmark: Any, width: int) -> None:
    net, fwd = instance(width)
    x = fwd.post[0]
    for W in net.weights:
        x = np.maximum(np.einsum("ij,jk->ik", x, W), 0.0)
    error = relative_error(benchmark(forward, net, fwd.post[0]).post[-1], x)
    note(benchmark, layer_products(width), width=width, error_against_twin=error)
    assert error <= ROUNDING


@pytest.mark.parametrize("width", WIDTHS)
def test_backward_vectors(benchmark: Any, width: int) -> None:
    net, fwd = instance(width)
    # f is linear in x where the masks stay: f(x_i) = <q_{1,i}, x_i>.
    error = relative_error(np.sum(benchmark(backward, net, fwd).q[0] * fwd.post[0], axis=1), fwd.output)
    note(benchmark, layer_products(width), width=width, reconstruction_error=error)
    assert error <= ROUNDING


@pytest.mark.parametrize("width", WIDTHS)
def test_gradients_of_all_layers(benchmark: Any, width: int) -> None:
    net, fwd = instance(width)
    gradients = benchmark(output_gradient, net, fwd, np.ones(SAMPLES))
    # Homogeneity: <W_l, gradient_l> is the output, for every layer.
    error = relative_error(
        np.array([np.vdot(W, G) for W, G in zip(net.weights, gradients, strict=True)]), np.full(DEPTH, fwd.output.sum())
    )
    note(benchmark, 2 * layer_products(width), width=width, euler_identity_error=error)
    assert error <= ROUNDING


@pytest.mark.parametrize(("width", "revealed"), [(256, False), (1024, False), (1024, True), (16384, True)])
def test_recurrent_pass_and_gradient(benchmark: Any, width: int, revealed: bool) -> None:
    """One matrix at all times, asked forward and backward; a new network each round where it is revealed."""

    def problem() -> tuple[tuple[Any, Any], dict[str, Any]]:
        return recurrent_instance(width, revealed), {}

    def work(net: Any, X: Any) -> Any:
        fwd = forward(net, X)
        return net, fwd, output_gradient(net, fwd, fwd.output)[0]

    net, fwd, gradient = benchmark.pedantic(work, setup=problem, rounds=3, warmup_rounds=1)
    # The sum of a output times its derivative in W along any direction, by a difference of passes where no gate turns.
    u, step = np.ones((1, width)) / np.sqrt(width), 1e-7
    moved = forward(
        net.with_weights([net.weights[0] + (LowRank(step * u, u) if revealed else step * u.T @ u)]),
        np.stack(fwd.inputs, axis=1),
    )
    slope = np.sum((moved.output - fwd.output) * fwd.output) / step
    wanted = (
        float((u @ gradient @ u.T).item())
        if not revealed
        else float((u @ gradient.left.T @ (gradient.right @ u.T)).item())
    )
    note(
        benchmark,
        None if revealed else 6 * SEQUENCES * TIMES * width**2,
        width=width,
        matrix="revealed" if revealed else "stored",
        difference_over_slope=slope / wanted,
    )
    assert slope == pytest.approx(wanted, rel=1e-2)


@pytest.mark.parametrize(("width", "revealed"), [(256, False), (1024, False), (1024, True), (16384, True)])
def test_training_step(benchmark: Any, width: int, revealed: bool) -> None:
    """Each round goes on from the last, so that on revealed layers it asks for what is new."""
    net, fwd = instance(width, revealed)
    X, y = fwd.post[0], np.resize([1.0, -1.0], SAMPLES)
    eta = 1e-2 / width
    state = [net]

    def step() -> None:
        state.append(gradient_step(state.pop(), X, y, LOGISTIC, eta))

    step()
    squares = gradient_norms(fwd, backward(net, fwd), loss_coefficients(fwd, y, LOGISTIC))[1] ** 2
    before = empirical_risk(LOGISTIC, y, fwd.output)
    fall = (before - empirical_risk(LOGISTIC, y, forward(state[0], X).output)) / (eta * squares.sum())
    benchmark.pedantic(step, rounds=10)
    note(
        benchmark,
        None if revealed else 3 * layer_products(width),
        width=width,
        layers="revealed" if revealed else "stored",
        fall_over_first_order=fall,
    )
    assert 0.5 < fall < 1.5


@pytest.mark.parametrize("width", WIDTHS)
def test_operator_norm(benchmark: Any, width: int) -> None:
    net, _ = instance(width)
    norm = benchmark(operator_norm, net.weights[-1])
    # A square Gaussian matrix with entries N(0, 2/m) has norm close to 2 sqrt 2.
    note(benchmark, 8 * width**3 // 3, width=width, relative_to_limit=norm / np.sqrt(8.0))
    assert 0.8 < norm / np.sqrt(8.0) < 1.2


@pytest.mark.parametrize("width", [64, 256])
def test_largest_masked_product_norm(benchmark: Any, width: int) -> None:
    net, fwd = instance(width)
    norm = benchmark(largest_masked_product_norm, net, fwd, 1)
    pairs = list(itertools.combinations(range(1, DEPTH + 1), 2))
    reference = max(np.linalg.norm(masked_product(net, fwd, i, *pair), 2) for i in range(SAMPLES) for pair in pairs)
    # Per sample: products of 2, ..., L factors, and a ceiling of each; the first layer has d rows only.
    error = abs(norm / reference - 1.0)
    note(benchmark, SAMPLES * len(pairs) * 8 * width**3, width=width, relative_error=error)
    assert error <= ROUNDING


@pytest.mark.parametrize(
    ("width", "revealed"), [(512, False), (1024, False), *((width, True) for width in REVEALED_WIDTHS)]
)
def test_lanczos_interval(benchmark: Any, width: int, revealed: bool) -> None:
    """Twelve steps on the masked product of layers 2..L, with a new network each round where layers are revealed."""
    steps = 12

    def problem() -> tuple[tuple[Any, np.random.Generator, int], dict[str, Any]]:
        net, fwd = instance(width, revealed)
        return (masked_product_operator(net, fwd, 0, 2, DEPTH), np.random.default_rng(1), steps), {}

    interval = benchmark.pedantic(norm_interval, setup=problem, rounds=5, warmup_rounds=1)
    facts: dict[str, Any] = {"layers": "revealed"}
    if not revealed:
        net, fwd = instance(width)
        exact = operator_norm(masked_product(net, fwd, 0, 2, DEPTH))
        facts = {"layers": "stored", "low_over_exact": interval.low / exact}
        assert interval.low <= exact <= interval.high
    operations = None if revealed else 2 * steps * 2 * (DEPTH - 1) * width**2
    note(benchmark, operations, width=width, steps=steps, high_over_low=interval.high / interval.low, **facts)
    assert 0.0 < interval.low <= interval.high


@pytest.mark.parametrize("side", ["one", "both"])
@pytest.mark.parametrize("width", REVEALED_WIDTHS)
def test_revealed_queries(benchmark: Any, width: int, side: str) -> None:
    """Sixteen new directions one by one, all on one side or in turn on both; a new matrix each round."""
    count = 16
    queries = np.random.default_rng(1).standard_normal((count, width))
    last: list[tuple[RevealedGaussian, list[np.ndarray]]] = []

    def problem() -> tuple[tuple[RevealedGaussian], dict[str, Any]]:
        last.clear()
        return (RevealedGaussian(width, width, 1.0, np.random.default_rng(0)),), {}

    def ask(W: RevealedGaussian) -> None:
        transposed = [side == "both" and i % 2 == 1 for i in range(count)]
        last.append((W, [q @ (W.T if t else W) for q, t in zip(queries, transposed, strict=True)]))

    benchmark.pedantic(ask, setup=problem, rounds=10, warmup_rounds=1)
    W, answers = last[0]
    # <q_0 W, q_1> from either side.
    left, right = answers[0] @ queries[1], (queries[1] @ W.T) @ queries[0]
    error = abs(left - right) / float(np.linalg.norm(queries[0]) * np.linalg.norm(queries[1]))
    note(benchmark, normals=count * width, width=width, directions=count, two_sided_error=error)
    assert error <= ROUNDING


@pytest.mark.parametrize("width", REVEALED_WIDTHS)
def test_known_queries(benchmark: Any, width: int) -> None:
    """Sixteen directions that are known already, at once."""
    rng = np.random.default_rng(0)
    queries = rng.standard_normal((16, width))
    W = RevealedGaussian(width, width, 1.0, rng)
    first = queries @ W
    error = relative_error(benchmark(lambda: queries @ W), first)
    note(benchmark, width=width, directions=16, repeated_error=error)
    assert error <= ROUNDING


@pytest.mark.parametrize("width", [128, 1024])
def test_ensemble(benchmark: Any, width: int) -> None:
    """A block of networks at a time."""
    networks, rng = 256, np.random.default_rng(0)
    X = sphere(POINTS, DIMENSION, rng)
    norms = benchmark(sample_ensemble, X, (width,) * DEPTH, networks, rng).norms
    # ||x_l||^2 has mean 1 and variance (1 + 5/m)^l - 1.
    squares = norms[:, 0, -1] ** 2
    deviation = np.sqrt(((1.0 + 5.0 / width) ** DEPTH - 1.0) / networks)
    note(
        benchmark,
        networks=networks,
        width=width,
        points=POINTS,
        normals=networks * POINTS * DEPTH * width,
        deviations_of_mean=float(squares.mean() - 1.0) / deviation,
    )
    assert abs(squares.mean() - 1.0) <= 6.0 * deviation


@pytest.mark.parametrize("width", [1024, 16384])
def test_fresh_outputs(benchmark: Any, width: int) -> None:
    rng = np.random.default_rng(0)
    X = sphere(POINTS, DIMENSION, rng)
    last = benchmark(fresh_outputs, X, (width,) * DEPTH, rng)[-1]
    deviation = np.sqrt((1.0 + 5.0 / width) ** DEPTH - 1.0)
    error = float(np.abs(np.sum(last**2, axis=1) - 1.0).max() / deviation)
    note(benchmark, width=width, normals=POINTS * DEPTH * width, deviations_of_norm=error)
    assert error <= 6.0


@pytest.mark.parametrize("width", WIDTHS)
def test_threshold_counts(benchmark: Any, width: int) -> None:
    _, fwd = instance(width)
    betas = np.geomspace(1e-3, 1.0, 8)
    counts = benchmark(threshold_counts, fwd.pre[-1], betas)
    error = relative_error(counts, np.stack([(np.abs(fwd.pre[-1]) <= beta).sum(axis=1) for beta in betas], axis=1))
    note(benchmark, 3 * SAMPLES * width * betas.size, width=width, error_against_twin=error)
    assert error == 0.0


@pytest.mark.parametrize("width", WIDTHS)
def test_initialisation(benchmark: Any, width: int) -> None:
    rng = np.random.default_rng(0)
    net = benchmark(he_network, (DIMENSION, *[width] * DEPTH), rng)
    variance = float(net.weights[-1].var() * width / 2.0)
    normals = DIMENSION * width + (DEPTH - 1) * width**2
    note(benchmark, width=width, normals=normals, variance_over_stated=variance)
    assert 0.8 < variance < 1.2

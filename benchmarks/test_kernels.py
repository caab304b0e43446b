"""Speed of the kernels that the claims spend their time in.

`pytest benchmarks` runs them. Each is called once before the clock starts, so compilation is not timed; the problem
size, the floating-point operations per call and a measure of the result's quality stand in `extra_info`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from bounds.laws import MaskedChiSquare
from bounds.zou2018 import lemma_A_7
from nets.adversaries import flip_smallest
from nets.forward import Forward, forward
from nets.gradients import backward, output_gradient
from nets.network import Network, he_network
from nets.operators import certified_flip_bound, masked_product_norms, operator_norm, threshold_counts
from nets.points import sphere
from theory.parallel import one_thread

SAMPLES, DEPTH, DIMENSION = 8, 3, 16
WIDTHS = (64, 256, 1024)


@pytest.fixture(autouse=True)
def single_threaded() -> Iterator[None]:
    """Time one core, as the claims use it."""
    with one_thread():
        yield


def _instance(width: int) -> tuple[Network, Forward]:
    rng = np.random.default_rng(0)
    net = he_network((DIMENSION, *[width] * DEPTH), rng)
    return net, forward(net, sphere(SAMPLES, DIMENSION, rng))


def _layer_products(width: int) -> int:
    """Multiplications and additions of one product of all samples with all layers."""
    return 2 * SAMPLES * (DIMENSION * width + (DEPTH - 1) * width * width)


def _note(benchmark: Any, width: int, operations: int, quality: dict[str, float]) -> None:
    benchmark.extra_info.update(
        width=width, depth=DEPTH, samples=SAMPLES, dimension=DIMENSION, operations=operations, **quality
    )


@pytest.mark.parametrize("width", WIDTHS)
def test_forward(benchmark: Any, width: int) -> None:
    net, fwd = _instance(width)
    _note(
        benchmark,
        width,
        _layer_products(width),
        {"mean_norm": float(np.linalg.norm(fwd.post[-1], axis=1).mean())},
    )
    again = benchmark(forward, net, fwd.post[0])
    assert np.array_equal(again.output, fwd.output)


@pytest.mark.parametrize("width", WIDTHS)
def test_gradients_of_all_layers(benchmark: Any, width: int) -> None:
    net, fwd = _instance(width)
    gradients = output_gradient(net, fwd, np.ones(SAMPLES))
    # Homogeneity: <W_l, gradient_l> is the output, for every layer.
    worst = max(abs(float(np.vdot(W, G)) / fwd.output.sum() - 1.0) for W, G in zip(net.weights, gradients, strict=True))
    _note(benchmark, width, 2 * _layer_products(width), {"euler_identity_error": worst})
    benchmark(output_gradient, net, fwd, np.ones(SAMPLES))
    assert worst < 1e-9


@pytest.mark.parametrize("width", WIDTHS)
def test_backward_vectors(benchmark: Any, width: int) -> None:
    net, fwd = _instance(width)
    bwd = backward(net, fwd)
    error = float(np.abs(np.sum(bwd.q[0] * fwd.post[0], axis=1) - fwd.output).max())
    _note(benchmark, width, _layer_products(width), {"reconstruction_error": error})
    benchmark(backward, net, fwd)
    assert error < 1e-9


@pytest.mark.parametrize("width", WIDTHS)
def test_operator_norm(benchmark: Any, width: int) -> None:
    net, _ = _instance(width)
    norm = benchmark(operator_norm, net.weights[-1])
    # A square Gaussian matrix with entries N(0, 2/m) has norm close to 2 sqrt 2.
    _note(benchmark, width, 8 * width**3 // 3, {"relative_to_limit": norm / np.sqrt(8.0)})
    assert 0.8 < norm / np.sqrt(8.0) < 1.2


@pytest.mark.parametrize("width", [64, 256])
def test_masked_product_norms(benchmark: Any, width: int) -> None:
    net, fwd = _instance(width)
    norms = benchmark(masked_product_norms, net, fwd)
    _note(benchmark, width, SAMPLES * DEPTH * width**3, {"largest": float(norms.max())})
    assert np.isfinite(norms).all()


@pytest.mark.parametrize("width", WIDTHS)
def test_threshold_counts(benchmark: Any, width: int) -> None:
    _, fwd = _instance(width)
    betas = np.geomspace(1e-3, 1.0, 8)
    counts = benchmark(threshold_counts, fwd.pre[-1], betas)
    _note(
        benchmark,
        width,
        SAMPLES * width * betas.size,
        {"share_at_largest": float(counts[:, -1].mean() / width)},
    )
    assert (np.diff(counts, axis=1) >= 0).all()


@pytest.mark.parametrize("width", WIDTHS)
def test_certified_flip_bound(benchmark: Any, width: int) -> None:
    _, fwd = _instance(width)
    bound = benchmark(certified_flip_bound, fwd.pre[-1], np.full(SAMPLES, 0.01))
    _note(benchmark, width, SAMPLES * width, {"share": float(np.max(bound) / width)})
    assert (bound <= width).all()


@pytest.mark.parametrize("width", WIDTHS)
def test_flip_smallest(benchmark: Any, width: int) -> None:
    net, fwd = _instance(width)
    step = benchmark(flip_smallest, net.weights[-1], fwd.post[-2][:1], 0.01)
    _note(benchmark, width, width * width, {"norm_over_radius": operator_norm(step) / 0.01})
    assert operator_norm(step) <= 0.01


@pytest.mark.parametrize("width", WIDTHS)
def test_initialisation(benchmark: Any, width: int) -> None:
    rng = np.random.default_rng(0)
    net = benchmark(he_network, (DIMENSION, *[width] * DEPTH), rng)
    variance = float(net.weights[-1].var() * width / 2.0)
    _note(benchmark, width, DIMENSION * width + (DEPTH - 1) * width**2, {"variance_over_stated": variance})
    assert 0.8 < variance < 1.2


@pytest.mark.parametrize("width", WIDTHS)
def test_exact_tail(benchmark: Any, width: int) -> None:
    law = MaskedChiSquare(width)
    tail = float(benchmark(law.sf, 1.5))
    _note(benchmark, width, width, {"tail": tail})
    assert 0.0 < tail < 0.1


def test_formula(benchmark: Any) -> None:
    value = benchmark(lemma_A_7.evaluate, {"m": 1024, "beta_": 1e-3})
    assert value == pytest.approx(2.0 * 1024**1.5 * 1e-3)

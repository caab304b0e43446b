"""Problems of fixed seed that the benchmarks run on, and the operations their kernels take.

Main definitions: `instance`, a network with its pass; `recurrent_instance`, one with its sequences; `layer_products`;
`KERNEL_CASES`, arguments for each kernel of `nets`.

Operations are floating-point additions, multiplications, comparisons and elementary functions, each counted as one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import nets.descent.carried_kernel
import nets.networks.fresh
import nets.networks.log_loss  # noqa: F401 - the modules register their kernels
from nets.core.arrays import Array
from nets.data.points import sphere
from nets.networks.forward import Forward, forward
from nets.networks.network import Network, he_network, recurrent_network, revealed_network
from nets.tests.naive import Words
from nets.tests.naive_descent import descent_case

SAMPLES, DEPTH, DIMENSION = 8, 3, 16


def instance(width: int, revealed: bool = False) -> tuple[Network, Forward]:
    """A network of `DEPTH` hidden layers of that width, and its pass of `SAMPLES` points."""
    rng = np.random.default_rng(0)
    make = revealed_network if revealed else he_network
    net = make((DIMENSION, *[width] * DEPTH), rng)
    return net, forward(net, sphere(SAMPLES, DIMENSION, rng))


# Of the recurrent networks.
SEQUENCES, TIMES, OUTPUTS = 4, 16, 4


def recurrent_instance(width: int, revealed: bool = False) -> tuple[Network, Array]:
    """A recurrent network of that width, read at `TIMES` times, and as many unit inputs of each of its sequences."""
    rng = np.random.default_rng(0)
    net = recurrent_network(DIMENSION, width, OUTPUTS, TIMES, rng, stored=0 if revealed else np.inf)
    return net, sphere(SEQUENCES * TIMES, DIMENSION, rng).reshape(SEQUENCES, TIMES, DIMENSION)


def layer_products(width: int) -> int:
    """Operations of one product of all samples with all layers."""
    return 2 * SAMPLES * (DIMENSION * width + (DEPTH - 1) * width * width)


# What addresses are handed of has to stay.
_GENERATOR = np.random.default_rng(0)


class KernelCase(NamedTuple):
    """Arguments of a kernel for a problem of some size, and the operations of one call."""

    arguments: tuple[Any, ...]
    operations: int


def _numbers(*shape: int) -> Array:
    return np.random.default_rng(shape).standard_normal(shape)


def _masks(m: int) -> tuple[Array, Array]:
    return (_numbers(SAMPLES, m) > 0.0).astype(float), (_numbers(SAMPLES, m + 1)[:, 1:] > 0.0).astype(float)


def _elementwise(operations: int, *parameters: float, samples: int = SAMPLES) -> Callable[[int], KernelCase]:
    return lambda m: KernelCase((_numbers(samples, m), *parameters), operations * samples * m)


def _margins(operations: int, *parameters: float) -> Callable[[int], KernelCase]:
    return lambda m: KernelCase((_numbers(m), *parameters), operations * m)


def _thresholds(m: int) -> KernelCase:
    betas = np.geomspace(1e-3, 1.0, 8)
    return KernelCase((_numbers(SAMPLES, m), betas), 3 * SAMPLES * m * betas.size)


# Points of the ensembles.
POINTS = 4


def _ensemble(m: int) -> KernelCase:
    """Eight networks; each of the pairs of points, a point with itself among them, costs three passes."""
    pairs = POINTS * (POINTS + 1) // 2
    return KernelCase((np.abs(_numbers(POINTS, m, 8)), _numbers(POINTS, m, 8), 0.5), 6 * m * 8 * pairs)


def _leaky_step(m: int) -> KernelCase:
    """Four inputs and one output: each of the samples costs a product with the read-out and two with the inputs."""
    X, c, B, W = _numbers(SAMPLES, POINTS), _numbers(SAMPLES, 1), _numbers(1, m), _numbers(POINTS, m)
    gates, states = _numbers(2, SAMPLES, m)
    return KernelCase((X, c, B, W, np.empty_like(W), gates, states, -0.5, 0.9), SAMPLES * m * (4 * POINTS + 5))


def _queries(m: int) -> KernelCase:
    """As many queries as a square layer knows on either side, each with normals for its answer and two projections."""
    known = np.linalg.qr(_numbers(m, SAMPLES))[0].T
    basis, normals = np.zeros((2, 2 * SAMPLES, m))
    basis[:SAMPLES] = known
    X = _numbers(SAMPLES, m)
    operations = sum(20 + 2 * SAMPLES + 8 * (SAMPLES + i) + 8 for i in range(SAMPLES)) * m
    return KernelCase(
        (Words.of(_GENERATOR), X, np.abs(X).max(axis=1), basis, SAMPLES, normals, SAMPLES, known.copy(), SAMPLES),
        operations,
    )


# One entry per kernel; `benchmarks.tests` fails when a kernel has none.
KERNEL_CASES: dict[str, Callable[[int], KernelCase]] = {
    "write_relu": lambda m: KernelCase(tuple(_numbers(3, SAMPLES, m)), 2 * SAMPLES * m),
    "leaky_with_gate": _elementwise(3, 0.1, 1.0),
    "logistic": _margins(6),
    "exponential": _margins(2),
    "hinge": _margins(3),
    "squared_hinge": _margins(5),
    "huberised_hinge": _margins(6),
    "power": _margins(8, 0.75, 0.0),
    "huberised_relu_with_slope": _elementwise(4, 0.5),
    "huberised_relu_curvature": lambda m: KernelCase(
        (_numbers(SAMPLES, m), _numbers(SAMPLES, m), 0.5), 4 * SAMPLES * m
    ),
    "swish_with_slope": _elementwise(14, 0.5),
    "swish_curvature": lambda m: KernelCase((*_numbers(2, SAMPLES, m), 0.5), 13 * SAMPLES * m),
    "logistic_logs": _margins(13),
    "count_below": _thresholds,
    "count_flips": lambda m: KernelCase(_masks(m), 3 * SAMPLES * m),
    "row_distances": lambda m: KernelCase((_numbers(SAMPLES, m),), 3 * m * SAMPLES * (SAMPLES + 1) // 2),
    "norms_of_columns": lambda m: KernelCase((_numbers(SAMPLES, m),), 2 * SAMPLES * m),
    "correlated_relu": _ensemble,
    "step_of_leaky_layer": _leaky_step,
    "drawn_normals": lambda m: KernelCase((Words.of(_GENERATOR), np.empty(m)), 20 * m),
    "split_queries": _queries,
    # A sixteenth as many steps, of one neuron on one sample: the twin takes a millisecond for each.
    "carried_descent": lambda m: KernelCase(
        descent_case(0, 1, 1, 1, 0.125, "huberised", 1.0, 1e-4, m // 16, "plain"), 80 * m // 16
    ),
}


def without_case(kernels: dict[str, Callable[..., Any]]) -> list[str]:
    """Names of kernels that no benchmark runs."""
    return sorted(set(kernels) - set(KERNEL_CASES))

"""Products of few samples with stored layers, against a copy of the same matrices in the same run.

Where PyTorch is installed its time stands beside ours. With four samples and fewer, reading the matrix is the limit;
with sixteen it is the arithmetic wherever the matrix is in the cache, so that those have no target.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from benchmarks.notes import Target, interleaved, note, relative_error
from nets.core.arrays import Array
from nets.data.points import sphere
from nets.linear_algebra.lowrank import outer
from nets.linear_algebra.products import times, times_transposed
from nets.networks.forward import forward
from nets.networks.network import he_network
from nets.networks.operators import masked_product_operator

pytestmark = [pytest.mark.benchmark(max_time=0.1), pytest.mark.peer]

WIDTHS, SAMPLES = (64, 256, 512, 1024, 2048, 4096), (1, 4, 16)
# Samples for which a product should take 1.3 copies at most.
READING = 4
# Sums of 4096 terms in another order.
ROUNDING = 1e-11


class Product(NamedTuple):
    """A product of ours, as numpy multiplies the matrices whole, and so many matrices are read."""

    ours: Callable[[], Any]
    whole: Callable[[], Any]
    matrices: int


def product(kind: str, width: int, samples: int) -> Product:
    """The product of that kind for layers of that width."""
    rng = np.random.default_rng((width, samples))
    X, B = rng.standard_normal((2, samples, width))
    net = he_network((width, width, width), rng)
    W, V = net.weights
    if kind == "forward":
        return Product(lambda: times(X, W), lambda: X @ W, 1)
    if kind == "backward":
        return Product(lambda: times_transposed(B, W), lambda: B @ W.T, 1)
    if kind == "gradient":
        return Product(lambda: outer(W, X, B), lambda: X.T @ B, 1)
    fwd = forward(net, sphere(1, width, rng))
    operator, columns = masked_product_operator(net, fwd, 0, 1, 2), np.ascontiguousarray(X.T)
    return Product(lambda: operator.matmat(columns), lambda: (((X @ W) * fwd.masks[0][0]) @ V).T, 2)


def in_torch(kind: str, width: int, samples: int) -> Callable[[], Any] | None:
    """The same in PyTorch, with one thread, or None where that is not installed."""
    if importlib.util.find_spec("torch") is None:
        return None
    torch: Any = importlib.import_module("benchmarks.peers").torch
    torch.set_num_threads(1)
    rng = np.random.default_rng((width, samples))
    X, B, mask = (torch.from_numpy(rng.standard_normal((samples, width))) for _ in range(3))
    W, V = (torch.from_numpy(rng.standard_normal((width, width))) for _ in range(2))
    calls = {
        "forward": lambda: X @ W,
        "backward": lambda: B @ W.T,
        "gradient": lambda: X.T @ B,
        "masked": lambda: ((X @ W) * mask[0]) @ V,
    }
    return calls[kind]


@pytest.mark.parametrize("kind", ["forward", "backward", "gradient", "masked"])
@pytest.mark.parametrize("samples", SAMPLES)
@pytest.mark.parametrize("width", WIDTHS)
def test_product(benchmark: Any, targets: list[Target], width: int, samples: int, kind: str) -> None:
    ours, whole, matrices = product(kind, width, samples)
    error = relative_error(ours(), whole())
    source: Array = np.ones((width, width))
    copy = np.empty_like(source)
    peer = in_torch(kind, width, samples)
    calls = [lambda: np.copyto(copy, source), ours, whole, *([peer] if peer else [])]
    copied, *taken = (found.least for found in interleaved(8 + 2**14 // width, *calls))
    benchmark.pedantic(ours, rounds=3)
    ratios = [time / (matrices * copied) for time in taken]
    facts = dict(zip(("copies", "copies_whole", "copies_peer"), ratios, strict=False))
    note(benchmark, 2 * matrices * samples * width**2, width=width, samples=samples, error_against_whole=error, **facts)
    if samples <= READING:
        what = f"{kind}, m={width}, n={samples}: over a copy of the matrices"
        targets.append(Target(f"{what} (whole: {ratios[1]:.2f})", ratios[0], 1.3))
    if peer:
        targets.append(Target(f"{kind}, m={width}, n={samples}: over PyTorch", taken[0] / taken[2], 1.0))
    assert error <= ROUNDING

"""The same work in PyTorch, beside ours in one run: same threads, float64, calls in turn.

The table shows our time; the peer's stands in `extra_info` and, as a ratio, among the targets. Skipped when PyTorch is
not installed.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.stats import ks_2samp

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
from benchmarks.notes import Target, Times, interleaved, note, relative_error
from nets.data.points import sphere
from nets.networks.forward import forward
from nets.networks.fresh import sample_ensemble
from nets.networks.gradients import output_gradient
from nets.networks.operators import masked_product, masked_product_operator, norm_interval, operator_norm

if importlib.util.find_spec("torch") is None:
    pytest.skip("PyTorch is not installed: pip install -e .[peers]", allow_module_level=True)

from benchmarks import peers

pytestmark = pytest.mark.peer

WIDTHS = [256, 1024, 4096]

# Products of 4096 terms in another order; cancellation leaves fewer digits of a gradient than of a product.
ROUNDING = 1e-9


@pytest.fixture(autouse=True)
def same_threads() -> Iterator[None]:
    """One thread on either side."""
    with peers.threads(1):
        yield


def rounds(width: int) -> int:
    """Enough for a least and a middle time that repeat."""
    return 10 + 200 * 256 // width


def facts(ours: Times, peer: Times) -> dict[str, Any]:
    """Both times and their ratios, for the notes."""
    return {
        "peer": f"PyTorch {importlib.metadata.version('torch')}",
        "peer_least": peer.least,
        "peer_median": peer.median,
        "ours_least": ours.least,
        "ours_median": ours.median,
        "ratio_of_least": ours.least / peer.least,
        "ratio_of_medians": ours.median / peer.median,
    }


@pytest.mark.parametrize("width", WIDTHS)
def test_forward(benchmark: Any, targets: list[Target], width: int) -> None:
    net, fwd = instance(width)
    X, peer = fwd.post[0], peers.TorchNetwork(net, fwd.post[0])
    error = relative_error(fwd.output, peers.arrays([peer.forward()])[0])
    ours, theirs = interleaved(rounds(width), lambda: forward(net, X), peer.forward)
    benchmark.pedantic(forward, (net, X), rounds=5)
    note(benchmark, layer_products(width), width=width, error_against_peer=error, **facts(ours, theirs))
    targets.append(Target(f"forward pass, m={width}: fastest calls, over PyTorch", ours.least / theirs.least, 1.0))
    assert error <= ROUNDING


@pytest.mark.parametrize("width", WIDTHS)
def test_forward_and_gradients(benchmark: Any, targets: list[Target], width: int) -> None:
    net, fwd = instance(width)
    X, peer = fwd.post[0], peers.TorchNetwork(net, fwd.post[0])

    def work() -> tuple[Any, ...]:
        return output_gradient(net, forward(net, X), np.ones(SAMPLES))

    error = relative_error(work(), peers.arrays(peer.gradients()))
    ours, theirs = interleaved(rounds(width), work, peer.gradients)
    benchmark.pedantic(work, rounds=5)
    note(benchmark, 3 * layer_products(width), width=width, error_against_peer=error, **facts(ours, theirs))
    what = f"forward pass and gradients, m={width}: fastest calls, over PyTorch"
    targets.append(Target(what, ours.least / theirs.least, 1.0))
    assert error <= ROUNDING


@pytest.mark.parametrize("width", WIDTHS)
def test_recurrent_forward_and_gradient(benchmark: Any, targets: list[Target], width: int) -> None:
    """Sixteen times, four sequences: the same stored matrix on either side."""
    net, X = recurrent_instance(width)
    peer = peers.TorchRecurrent(net, X)

    def work() -> Any:
        fwd = forward(net, X)
        return output_gradient(net, fwd, fwd.output)[0]

    error = relative_error(work(), peers.arrays([peer.gradient()])[0])
    ours, theirs = interleaved(3 + 4096 // width, work, peer.gradient)
    benchmark.pedantic(work, rounds=3)
    note(benchmark, 6 * SEQUENCES * TIMES * width**2, width=width, error_against_peer=error, **facts(ours, theirs))
    what = f"recurrent, m={width}, L={TIMES}, n={SEQUENCES}: forward pass and gradient, fastest calls, over PyTorch"
    targets.append(Target(what, ours.least / theirs.least, 1.0))
    assert error <= ROUNDING


def test_revealed_recurrent_network_against_a_dense_one(benchmark: Any, targets: list[Target]) -> None:
    """Both drawn anew in each call, at a width whose dense matrix takes half a GiB; in law the losses are alike."""
    width = 8192

    def revealed() -> float:
        net, X = recurrent_instance(width, revealed=True)
        fwd = forward(net, X)
        output_gradient(net, fwd, fwd.output)
        return 0.5 * float(np.sum(fwd.output**2))

    def dense() -> float:
        net, X = recurrent_instance(width)
        peer = peers.TorchRecurrent(net, X)
        peer.gradient()
        return float(peer.loss().detach())

    ours, theirs = interleaved(1, revealed, dense, warm=False)
    losses = benchmark.pedantic(revealed, rounds=2), dense()
    note(benchmark, width=width, losses=losses, **facts(ours, theirs))
    what = f"recurrent, m={width}, L={TIMES}, n={SEQUENCES}: dense in PyTorch, over revealed, drawn in each call"
    targets.append(Target(what, theirs.least / ours.least, 5.0, " times", at_least=True))
    assert losses[0] == pytest.approx(losses[1], rel=1.0)


def test_ensemble(benchmark: Any, targets: list[Target]) -> None:
    """Layer norms of 10^4 networks of width 128."""
    networks, widths, chunk = 10_000, (128,) * DEPTH, 64
    rng = np.random.default_rng(0)
    peers.seed(0)
    X = sphere(POINTS, DIMENSION, rng)
    few = networks // 20
    looped, same, _ = interleaved(
        2,
        lambda: peers.looped_norms(X, widths, few),
        lambda: peers.same_method_norms(X, widths, networks, chunk),
        lambda: peers.batched_norms(X, widths, few, chunk),
    )
    ours, batched = interleaved(
        2,
        lambda: sample_ensemble(X, widths, networks, rng),
        lambda: peers.batched_norms(X, widths, networks, chunk),
        warm=False,
    )
    found = benchmark.pedantic(sample_ensemble, (X, widths, networks, rng), rounds=5).norms
    wanted = peers.batched_norms(X, widths, 2000, chunk)
    pvalue = ks_2samp(found[:, 0, -1], wanted[:, 0, -1]).pvalue
    note(
        benchmark,
        networks=networks,
        width=widths[0],
        points=POINTS,
        pvalue_against_peer=float(pvalue),
        peer_same_method=same.least,
        peer_one_by_one=looped.least * networks / few,
        **facts(ours, batched),
    )
    of = f"{networks} networks of width {widths[0]}"
    targets += [
        Target(f"{of}: PyTorch in batches, over ours", batched.least / ours.least, 10.0, at_least=True),
        Target(f"{of}: PyTorch one by one, over ours", networks / few * looped.least / ours.least, 10.0, at_least=True),
        Target(f"{of}: PyTorch with our method, over ours", same.least / ours.least, 1.0, at_least=True),
    ]
    assert pvalue > 1e-6


def test_masked_product_norm(benchmark: Any, targets: list[Target]) -> None:
    """Stored layers of width 1024: twelve Lanczos steps, or the product and its singular values."""
    width = 1024
    net, fwd = instance(width)
    peer, masks = peers.TorchNetwork(net, fwd.post[0]), [mask[0] for mask in fwd.masks[1:-1]]

    def lanczos() -> Any:
        return norm_interval(masked_product_operator(net, fwd, 0, 2, DEPTH), np.random.default_rng(0))

    def exact() -> float:
        return operator_norm(masked_product(net, fwd, 0, 2, DEPTH))

    norm, wanted, interval = exact(), peer.product_norm(masks), lanczos()
    ours, singular_values, theirs = interleaved(5, lanczos, exact, lambda: peer.product_norm(masks))
    benchmark.pedantic(lanczos, rounds=5)
    note(
        benchmark,
        width=width,
        error_against_peer=abs(norm / wanted - 1.0),
        low_over_exact=interval.low / wanted,
        high_over_exact=interval.high / wanted,
        ours_exact=singular_values.least,
        **facts(ours, theirs),
    )
    what = f"masked-product norm, m={width}: fastest calls, over PyTorch"
    targets.append(Target(f"{what}, interval by Lanczos", ours.least / theirs.least, 1.0))
    targets.append(Target(f"{what}, by singular values", singular_values.least / theirs.least, 1.0))
    assert norm == pytest.approx(wanted, rel=ROUNDING)
    assert interval.low <= norm <= interval.high

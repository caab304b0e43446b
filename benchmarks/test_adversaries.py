"""Adversaries: what a search within a claim's trial costs, and what it gains over a random perturbation."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from benchmarks.instances import DEPTH, SAMPLES, instance
from benchmarks.notes import note
from nets.networks.forward import forward
from nets.networks.gradients import backward
from nets.networks.network import perturbed
from nets.networks.operators import flip_counts, masked_product_operator, operator_norm, sparse_supremum
from nets.worst_cases.adversaries import (
    flip_layer,
    flip_smallest,
    forward_shift,
    influential_flips,
    random_perturbation,
    top_pair,
    worst_derivatives,
    worst_direction,
)

pytestmark = pytest.mark.benchmark(max_time=0.3)

WIDTHS = (64, 256, 1024)
TAU = 0.01


@pytest.mark.parametrize("revealed", [False, True])
@pytest.mark.parametrize("width", WIDTHS)
def test_flip_smallest(benchmark: Any, width: int, revealed: bool) -> None:
    net, fwd = instance(width, revealed)
    step = benchmark(flip_smallest, net.weights[-1], fwd.post[-2][:1], TAU)
    norm = operator_norm(step)
    note(benchmark, width=width, layers="revealed" if revealed else "stored", norm_over_radius=norm / TAU)
    assert norm <= TAU


@pytest.mark.parametrize("width", [64, 256])
def test_forward_shift(benchmark: Any, width: int) -> None:
    net, fwd = instance(width)
    x = fwd.post[0][0]
    steps = benchmark(forward_shift, net, x, TAU)
    rng = np.random.default_rng(1)

    def shift(steps: Any) -> float:
        return float(np.linalg.norm(forward(perturbed(net, steps), x[np.newaxis]).post[-1][0] - fwd.post[-1][0]))

    chance = max(shift([random_perturbation(W, TAU, rng, "rank_one") for W in net.weights]) for _ in range(10))
    note(benchmark, width=width, gain_over_random=shift(steps) / chance)
    assert shift(steps) > chance


@pytest.mark.parametrize("width", [64, 256])
def test_flip_layer(benchmark: Any, width: int) -> None:
    net, fwd = instance(width)
    x = fwd.post[0][:1]
    start = forward(net, x)
    steps = benchmark(flip_layer, net, x[0], TAU, DEPTH)
    flips = flip_counts(start, forward(perturbed(net, steps), x))[0, -1]
    alone = flip_smallest(net.weights[-1], start.post[-2], TAU)
    last = (*(0.0 * W for W in net.weights[:-1]), alone)
    own = flip_counts(start, forward(perturbed(net, last), x))[0, -1]
    note(benchmark, width=width, flips=flips, flips_of_last_layer_alone=own)
    assert flips >= own


@pytest.mark.parametrize("width", [64, 256])
def test_top_pair(benchmark: Any, width: int) -> None:
    W = instance(width)[0].weights[-1]
    raised = operator_norm(W + benchmark(top_pair, W, TAU)) - operator_norm(W)
    note(benchmark, 8 * width**3, width=width, raise_over_tau=raised / TAU)
    assert raised == pytest.approx(TAU, rel=1e-6)


@pytest.mark.parametrize("width", [1024, 16384])
def test_worst_direction(benchmark: Any, width: int) -> None:
    """Of a masked product of revealed layers; what a round asks, the next one knows."""
    net, fwd = instance(width, revealed=True)
    found = benchmark(worst_direction, masked_product_operator(net, fwd, 0, 2, DEPTH))
    note(benchmark, width=width, norm_of_right=float(np.linalg.norm(found.right)), value=found.value)
    assert found.value > 1.0


@pytest.mark.parametrize("width", WIDTHS)
def test_influential_flips(benchmark: Any, width: int) -> None:
    net, fwd = instance(width)
    masks = benchmark(influential_flips, net, fwd, 4)
    changed = np.array([np.abs(a - b).sum(axis=1) for a, b in zip(masks, fwd.masks, strict=True)])
    moved = backward(net, dataclasses.replace(fwd, masks=masks)).q[0]
    gain = float((sparse_supremum(moved, 4) / sparse_supremum(backward(net, fwd).q[0], 4)).min())
    note(benchmark, width=width, changed=float(changed.mean()), least_gain=gain)
    assert changed.max() <= 4.0
    assert gain >= 1.0


@pytest.mark.parametrize("samples", [SAMPLES, 16, 64])
def test_worst_derivatives(benchmark: Any, samples: int) -> None:
    rows = np.random.default_rng(0).standard_normal((samples, 2 * samples))
    G = rows @ rows.T
    found = benchmark(worst_derivatives, G)
    note(benchmark, samples=samples, value_over_uniform=found.value / float(G.mean()))
    assert found.value <= np.linalg.eigvalsh(G)[-1]

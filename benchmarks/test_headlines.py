"""Full-size problems, each in a process of its own, with its time and its peak memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.measure import in_process
from benchmarks.notes import Target, note

pytestmark = pytest.mark.headline

GIB = 2.0**30


# A virtual machine backs the memory of a first run page by page, which takes up to as long as the run itself: the
# fastest of some runs is the figure, and all are noted.
RUNS = 3


def _run(benchmark: Any, task: str, width: int, runs: int = 1) -> dict[str, Any]:
    found: list[dict[str, Any]] = []
    benchmark.pedantic(lambda: found.append(in_process(task, width)), rounds=runs)
    fastest = min(found, key=lambda run: run["seconds"])
    note(benchmark, **fastest, all_seconds=[run["seconds"] for run in found])
    return fastest


def test_pass_and_masked_product_norm_at_a_million(benchmark: Any, targets: list[Target]) -> None:
    found = _run(benchmark, "revealed", 10**6, RUNS)
    what = "m=10^6, L=4, n=4: forward pass and masked-product norm"
    targets += [
        Target(f"{what}, time, fastest of {RUNS}", found["seconds"], 5.0, " s"),
        Target(f"{what}, peak memory", found["peak_bytes"] / GIB, 2.0, " GiB"),
    ]
    # ||x_l||^2 has standard deviation sqrt(5 l/m); the norm of the product of three He layers is about 5.2.
    assert found["largest_layer_norm"] == pytest.approx(1.0, abs=0.01)
    assert 5.0 < found["low"] < found["high"] < 12.0


def test_training_at_a_hundred_thousand(benchmark: Any, targets: list[Target]) -> None:
    found = _run(benchmark, "training", 10**5)
    what = "m=10^5, L=3, n=4: 25 steps of gradient descent"
    targets += [
        Target(f"{what}, time", found["seconds"], 60.0, " s"),
        Target(f"{what}, peak memory", found["peak_bytes"] / GIB, 4.0, " GiB"),
    ]
    assert found["loss_decreases"]
    assert np.isfinite(found["drift_operator"]).all()


def test_recurrent_network_at_a_hundred_thousand(benchmark: Any, targets: list[Target]) -> None:
    """One revealed matrix at 16 times and four sequences, forward and backward."""
    found = _run(benchmark, "recurrent", 10**5, RUNS)
    what = "m=10^5, L=16, n=4: forward pass and gradient of a recurrent network"
    targets += [
        Target(f"{what}, time, fastest of {RUNS}", found["seconds"], 10.0, " s"),
        Target(f"{what}, peak memory", found["peak_bytes"] / GIB, 2.0, " GiB"),
    ]
    # The squared norms of the states add up those of the inputs.
    assert 3.8 < found["least_last_norm"] < found["largest_last_norm"] < 4.2


def _dense_against_revealed(benchmark: Any, targets: list[Target], task: str, width: int, how: str) -> None:
    found = [in_process("revealed", width) for _ in range(RUNS)]
    fastest = min(found, key=lambda run: run["seconds"])
    stored = _run(benchmark, task, width)
    note(benchmark, revealed_seconds=fastest["seconds"], revealed_peak_bytes=fastest["peak_bytes"])
    ratio = stored["seconds"] / fastest["seconds"]
    what = f"m={width}, L=4, n=4: pass and masked-product norm, stored layers and {how}, over revealed layers"
    targets.append(Target(what, ratio, 50.0, " times", at_least=True))
    # Different draws: the norms concentrate, within a few percent at these widths.
    assert fastest["low"] == pytest.approx(stored["low"], rel=0.1)


def test_stored_layers_and_lanczos(benchmark: Any, targets: list[Target]) -> None:
    _dense_against_revealed(benchmark, targets, "dense", 10**4, "the same Lanczos steps")


@pytest.mark.slow
def test_stored_layers_and_singular_values(benchmark: Any, targets: list[Target]) -> None:
    _dense_against_revealed(benchmark, targets, "dense-svd", 10**4, "singular values of the product")

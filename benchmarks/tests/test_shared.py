"""What the benchmarks share: no kernel is forgotten, targets are judged, processes are measured."""

import importlib
import math
import pkgutil
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nets
from benchmarks import measure
from benchmarks.instances import KERNEL_CASES, without_case
from benchmarks.measure import MeasureError, in_process, main
from benchmarks.notes import Target, interleaved, relative_error, target_lines
from nets.core.jit import KERNELS

for found in pkgutil.walk_packages(nets.__path__, "nets."):
    if not found.name.startswith("nets.tests"):
        importlib.import_module(found.name)


def test_every_kernel_has_a_benchmark() -> None:
    assert without_case(KERNELS) == []


def test_every_benchmark_has_a_kernel() -> None:
    assert set(KERNEL_CASES) <= set(KERNELS)


def test_a_forgotten_kernel_is_noticed() -> None:
    kernels: dict[str, Callable[..., Any]] = {**KERNELS, "forgotten": np.sin}
    assert without_case(kernels) == ["forgotten"]


@pytest.mark.parametrize(
    ("measured", "at_least", "met"),
    [
        (1.0, False, True),
        (1.1, False, False),
        (math.nan, False, False),
        (1.0, True, True),
        (0.9, True, False),
        (math.nan, True, False),
    ],
)
def test_targets_are_judged(measured: float, at_least: bool, met: bool) -> None:
    target = Target("time", measured, 1.0, " s", at_least)
    assert target.met is met
    assert target_lines([target])[0].startswith("met" if met else "MISSED")


def test_functions_are_called_in_turn_after_one_call_each() -> None:
    calls: list[str] = []
    one, other = interleaved(3, lambda: calls.append("a"), lambda: calls.append("b"))
    assert "".join(calls) == "ab" + "ab" + "ba" + "ab"
    assert len(one.seconds) == len(other.seconds) == 3
    assert 0.0 < one.least <= one.median


def test_errors_are_relative_to_the_largest_entry() -> None:
    assert relative_error(np.array([1.0, 9.0]), np.array([2.0, 10.0])) == pytest.approx(0.1)
    assert math.isnan(relative_error(np.array([np.nan]), np.array([1.0])))
    assert relative_error((np.ones(2), np.zeros(1)), (np.ones(2), np.zeros(1))) == 0.0


@pytest.mark.parametrize("task", sorted(measure.TASKS))
def test_a_process_reports_time_and_memory(task: str) -> None:
    found = in_process(task, 64)
    assert found["task"] == task
    assert found["width"] == 64
    assert found["seconds"] > 0.0
    # Python with numpy and numba takes some 100 MB, hardly a gigabyte.
    assert 2**24 < found["baseline_bytes"] <= found["peak_bytes"] < 2**30


def test_the_peak_is_that_of_the_process_and_not_of_its_parent() -> None:
    held = np.ones(2**27)
    assert in_process("revealed", 64)["peak_bytes"] < held.nbytes


def test_stored_and_revealed_layers_have_the_same_norm() -> None:
    found = [measure.TASKS[task](400)["low"] for task in ("dense", "dense-svd", "revealed")]
    # The first two differ by what twelve steps miss, the third is another draw.
    assert found[0] <= found[1] * (1.0 + 1e-9)
    assert found[0] == pytest.approx(found[1], rel=0.02)
    assert found[2] == pytest.approx(found[1], rel=0.15)


def test_training_makes_the_loss_fall() -> None:
    found = measure.TASKS["training"](200)
    assert found["loss_decreases"]
    assert len(found["drift_operator"]) == measure.TRAINING_DEPTH


def test_too_long_a_process_is_ended() -> None:
    with pytest.raises(MeasureError, match="revealed at m=64 took over 0 s"):
        in_process("revealed", 64, timeout=0.01)


def test_a_failing_process_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MeasureError, match=r"revealed at m=3 failed: .*choose an even, positive number"):
        in_process("revealed", 3)
    monkeypatch.setattr(sys, "executable", "false")
    with pytest.raises(MeasureError, match="revealed at m=64 failed: no message"):
        in_process("revealed", 64)


def test_odd_widths_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["revealed", "--width", "3"])
    assert "choose an even, positive number" in capsys.readouterr().err

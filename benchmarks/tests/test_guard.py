"""The guard fails what is slower beyond noise, and nothing else."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.guard import ALLOWED, GuardError, Timings, compare, main, run_benchmarks, run_in_turn

BASE = [{"a": 1.0, "b": 2.0}, {"a": 1.2, "b": 2.1}]


def runs(a: list[float], b: float = 2.0) -> list[Timings]:
    return [{"a": time, "b": b} for time in a]


@pytest.mark.parametrize("candidate", [[1.0, 1.2], [0.1, 0.2], [1.49, 9.0], [1.5, 1.5]])
def test_overlapping_or_little_slower_runs_pass(candidate: list[float]) -> None:
    # The slowest base run takes 1.2, a quarter more is 1.5.
    assert compare(BASE, runs(candidate)).slower == ()


@pytest.mark.parametrize("candidate", [[1.51, 1.6], [10.0, 1.6]])
def test_runs_all_slower_by_more_than_a_quarter_fail(candidate: list[float]) -> None:
    report = compare(BASE, runs(candidate))
    assert report.slower == ("a",)
    assert any(line.startswith("a ") and line.endswith("SLOWER") for line in report.lines())
    assert report.lines()[-1] == "1 of 2 benchmarks slower by more than 25%"


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_no_time_fails(bad: float) -> None:
    assert compare(BASE, runs([1.0, bad])).slower == ("a",)
    assert compare(runs([1.0, bad]), BASE).slower == ("a",)


def test_a_base_of_no_time_at_all_fails() -> None:
    assert compare(runs([0.0]), runs([0.0])).slower == ("a",)


def test_new_and_removed_benchmarks_are_named_and_pass() -> None:
    report = compare([{"a": 1.0, "old": 1.0}], [{"a": 1.0, "new": 9.0}])
    assert report.slower == ()
    assert report.added == ("new",)
    assert report.removed == ("old",)
    assert {"new: new", "gone: old"} <= set(report.lines())


def test_a_benchmark_missing_in_one_run_is_not_compared() -> None:
    report = compare([{"a": 1.0, "b": 1.0}], [{"a": 1.0, "b": 9.0}, {"a": 1.0}])
    assert [found.name for found in report.comparisons] == ["a"]
    assert report.removed == ("b",)


def test_renaming_all_benchmarks_passes_and_says_so() -> None:
    assert compare([{"a": 1.0}], [{"b": 1.0}]).lines()[1:] == [
        "new: b",
        "gone: a",
        "no benchmark of 0 is slower by more than 25%",
    ]


def test_runs_go_to_and_fro() -> None:
    seen: list[str] = []

    def run(checkout: Path) -> Timings:
        seen.append(checkout.name)
        return {"a": float(len(seen))}

    base, candidate = run_in_turn(Path("A"), Path("B"), 3, run)
    assert "".join(seen) == "ABBAAB"
    assert [found["a"] for found in base] == [1.0, 4.0, 5.0]
    assert [found["a"] for found in candidate] == [2.0, 3.0, 6.0]


@pytest.fixture
def checkouts(tmp_path: Path) -> list[str]:
    for name in ("base", "candidate"):
        (tmp_path / name / "benchmarks").mkdir(parents=True)
    return [str(tmp_path / "base"), str(tmp_path / "candidate")]


def slowed(factor: float) -> Callable[[Path], Timings]:
    return lambda checkout: {"a": factor if checkout.name == "candidate" else 1.0}


def test_exit_status_tells_the_verdict(checkouts: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*checkouts, "--rounds", "2"], slowed(ALLOWED)) == 0
    assert "no benchmark of 1 is slower by more than 25%" in capsys.readouterr().out
    assert main([*checkouts, "--rounds", "2"], slowed(1.01 * ALLOWED)) == 1


def test_wrong_arguments_are_told_in_one_sentence(checkouts: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([checkouts[0], "nowhere"], slowed(1.0)) == 2
    assert capsys.readouterr().err == "error: nowhere holds no folder benchmarks: pass the root of a checkout\n"
    assert main([*checkouts, "--rounds", "0"], slowed(1.0)) == 2
    assert capsys.readouterr().err == "error: --rounds 0: choose a number from 1 up\n"


def test_real_runs_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "benchmarks"
    folder.mkdir()
    (folder / "test_it.py").write_text("def test_it(benchmark):\n    benchmark.pedantic(sum, ([1],), rounds=3)\n")
    timings = run_benchmarks(tmp_path, ())
    assert [name.rpartition("::")[2] for name in timings] == ["test_it"]
    assert all(0.0 < time < 1.0 for time in timings.values())


def test_benchmarks_that_fail_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "test_it.py").write_text("def test_it(benchmark):\n    assert False\n")
    with pytest.raises(GuardError, match=r"the benchmarks of .* failed: FAILED .*test_it"):
        run_benchmarks(tmp_path, ())

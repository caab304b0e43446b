"""The sweep stops where limits say, and files appear whole or not at all."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import scaling
from benchmarks.measure import MeasureError, needed_bytes
from benchmarks.scaling import GIB, main, sweep


def fake(kind: str, width: int) -> dict[str, Any]:
    """Quadratic time for stored layers, linear for revealed ones."""
    seconds = 1e-8 * width**2 if kind == "dense" else 1e-6 * width
    memory = {"peak_bytes": 2e8 + 8.0 * width, "baseline_bytes": 1e8}
    return {"width": width, "seconds": seconds, "processor_seconds": seconds, **memory}


def test_stored_layers_stop_at_the_memory_limit() -> None:
    done, why = sweep("dense", (100, 1000, 10_000), 2.0 * GIB, 1e9, fake)
    assert [row["width"] for row in done] == [100, 1000]
    assert why == "m=10000 would store 2.24 GiB, over 2 GiB"


def test_the_sweep_stops_before_it_takes_too_long() -> None:
    done, why = sweep("dense", (1000, 2000, 4000), 1e15, 0.1, fake)
    assert [row["width"] for row in done] == [1000, 2000]
    assert why == "m=4000 would take about 0 s, over 0 s"


def test_a_process_that_dies_ends_the_sweep() -> None:
    def dies(kind: str, width: int) -> dict[str, Any]:
        if width > 100:
            raise MeasureError("it died")
        return fake(kind, width)

    assert sweep("revealed", (100, 1000), 1e15, 1e9, dies) == ([fake("revealed", 100)], "it died")


def test_revealed_layers_of_a_million_neurons_fit() -> None:
    assert needed_bytes("revealed", 10**6) < 2 * GIB < needed_bytes("dense", 10**4)


def test_both_files_are_written(tmp_path: Path) -> None:
    output = tmp_path / "new" / "folder"
    assert main(["--output", str(output), "--widths", "100,1000,100000"], fake) == 0
    assert sorted(path.name for path in output.iterdir()) == ["scaling.json", "scaling.png"]
    found = json.loads((output / "scaling.json").read_text())
    assert [row["width"] for row in found["points"]["revealed"]] == [100, 1000, 100000]
    assert [row["width"] for row in found["points"]["dense"]] == [100, 1000]
    assert found["stopped"]["revealed"] is None
    assert "m=100000 would store" in found["stopped"]["dense"]
    assert (output / "scaling.png").read_bytes().startswith(b"\x89PNG")


def test_a_plot_that_fails_leaves_the_old_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scaling.json").write_text("old")

    def fails(found: dict[str, Any], path: Path) -> None:
        path.write_bytes(b"half")
        raise RuntimeError

    monkeypatch.setattr(scaling, "draw", fails)
    with pytest.raises(RuntimeError):
        main(["--output", str(tmp_path), "--widths", "100,1000"], fake)
    assert [path.name for path in tmp_path.iterdir()] == ["scaling.json"]
    assert (tmp_path / "scaling.json").read_text() == "old"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--widths", "100,x"], "write numbers with commas between"),
        (["--widths", "1000,100"], "in rising order"),
        (["--widths", "101"], "even, positive widths"),
    ],
)
def test_wrong_widths_are_refused(
    tmp_path: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["--output", str(tmp_path), *options], fake)
    assert message in capsys.readouterr().err


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(SystemExit):
        main(["--output", str(file)], fake)
    assert "this is a file, name a folder" in capsys.readouterr().err


def test_nothing_measured_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--output", str(tmp_path / "new"), "--widths", "100", "--memory", "0"], fake) == 1
    assert "no width could be measured for stored layers" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()

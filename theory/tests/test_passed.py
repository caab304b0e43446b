"""Tests that passed are not run again until something that they can read has changed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from theory.upkeep import passed


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(passed, "FOLDER", tmp_path / "notes")
    monkeypatch.delenv("CI", raising=False)
    (tmp_path / "read" / "deep").mkdir(parents=True)
    (tmp_path / "read" / "deep" / "a.py").write_text("1")
    (tmp_path / "read" / "b.py").write_text("2")
    return tmp_path


def run(place: Path, status: int = 0, *more: str) -> tuple[int, int]:
    """The exit status, and how often the command has run so far."""
    count = place / "count"
    code = f"open({str(count)!r}, 'a').write('x'); raise SystemExit({status})"
    found = passed.main(["--of", str(place / "read"), *more, "--", sys.executable, "-c", code])
    return found, len(count.read_text())


def test_a_command_that_passed_is_run_once(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(place) == (0, 1)
    assert run(place) == (0, 1)
    assert capsys.readouterr().out.startswith("passed before, and nothing has changed since: ")


def test_a_changed_a_new_and_a_lost_file_count_and_what_runs_leave_does_not(place: Path) -> None:
    run(place)
    (place / "read" / "deep" / "a.py").write_text("3")
    assert run(place) == (0, 2)
    (place / "read" / "new.txt").write_text("")
    assert run(place) == (0, 3)
    (place / "read" / "b.py").unlink()
    assert run(place) == (0, 4)
    (place / "read" / "__pycache__").mkdir()
    (place / "read" / "__pycache__" / "a.pyc").write_text("")
    assert run(place) == (0, 4)


def test_a_change_that_is_taken_back_asks_nothing_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passed, "KEPT", 2)
    file = place / "read" / "b.py"
    counts = []
    for text in "232123":
        file.write_text(text)
        counts.append(run(place)[1])
    # Of three the first is forgotten.
    assert counts == [1, 2, 2, 3, 4, 5]


def test_what_is_left_out_does_not_count(place: Path) -> None:
    but = ("--but", str(place / "read" / "deep"))
    run(place, 0, *but)
    (place / "read" / "deep" / "a.py").write_text("3")
    assert run(place, 0, *but) == (0, 1)


def test_of_test_files_those_are_run_of_which_a_claim_file_that_they_name_has_changed(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passed, "SUITE", place / "suite")
    (place / "suite" / "toy").mkdir(parents=True)
    for name in "ab":
        (place / "suite" / "toy" / f"test_{name}.py").write_text("1")
        (place / f"test_of_{name}.py").write_text(f'@reads("toy/test_{name}.py", not "elsewhere/test_{name}.py")')
    tests = [str(place / f"test_of_{name}.py") for name in "ab"]
    code = f"import sys; open({str(place / 'run')!r}, 'a').write(repr([name[-4] for name in sys.argv[1:]]))"
    words = ["--of", str(place / "read"), "--each", *tests, "--", sys.executable, "-c", code]

    def now() -> str:
        assert passed.main(words) == 0
        return (place / "run").read_text()

    assert now() == now() == "['a', 'b']"
    (place / "suite" / "toy" / "test_b.py").write_text("2")
    assert now() == now() == "['a', 'b']['b']"
    (place / "read" / "b.py").write_text("3")
    assert now() == "['a', 'b']['b']['a', 'b']"
    (place / "suite" / "toy" / "test_a.py").unlink()
    assert passed.main(words) == 2


def test_a_command_that_failed_is_run_again(place: Path) -> None:
    assert run(place, 3) == (3, 1)
    assert run(place, 3) == (3, 2)


def test_ci_always_runs_it(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(place)
    monkeypatch.setenv("CI", "true")
    assert run(place) == (0, 2)


def test_another_version_of_a_package_counts(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(place)
    monkeypatch.setattr("importlib.metadata.distributions", list)
    assert run(place) == (0, 2)


def test_a_place_that_is_not_there_is_told(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert passed.main(["--of", str(place / "nowhere"), "--", "true"]) == 2
    assert "nowhere is not there; name what the tests can read" in capsys.readouterr().err

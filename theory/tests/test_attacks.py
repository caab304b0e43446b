"""A corpus of careless and hostile blocks, and what must come out of each, with one worker and with two.

Each file of `attacks` has one block. Those that load are judged together, so that one that loses the run loses all.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from theory.claims import registry
from theory.core.refusal import ClaimError
from theory.tests.test_plugin import PLUGIN, environment

ATTACKS = Path(__file__).parent / "attacks"

# By file: the verdict, and a part of what the row says; what is sound has no word.
JUDGED = {
    "boasting_scale": ("undecided", "less than is known"),
    "constant_steps": ("undecided", "not about the bound"),
    "emoji_title": ("holds", ""),
    "forking": ("holds", ""),
    "huge_sizes": ("holds", ""),
    "lost_bound": ("undecided", "less than is known"),
    "mixed": ("holds", ""),
    "one_trial": ("undecided", "as one trial drawn once would"),
    "own_alarm": ("error", "a claim set an alarm of its own"),
    "recursion_limit": ("holds", ""),
    "replaced_constant": ("error", "it measures C as 100"),
    "replaced_symbol": ("error", "it measures m as 1000"),
    "wrong_ball": ("error", "contradicts its value"),
}
REFUSED = {
    "half_a_letter": "its title has the character '\\ud800'",
    "named_e": "it has a symbol 'E'",
    "no_size": "is not finite",
    "terminal": "its title has the character '\\x1b'",
}


def test_every_attack_has_its_outcome() -> None:
    assert {file.stem for file in ATTACKS.glob("*.py")} - {"__init__"} == {*JUDGED, *REFUSED}


@pytest.fixture(scope="module", params=["1", "2"], ids=["one worker", "two workers"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The rows by file, the exit code and the last words of a run of all that load, repeated in the same folder."""
    folder = tmp_path_factory.mktemp("attacks")
    for name in JUDGED:
        (folder / f"test_{name}.py").write_bytes((ATTACKS / f"{name}.py").read_bytes())
    asked = ["-q", "--timeout=60", "--ledger=out", "--plot=pictures", f"--jobs={request.param}", "-W", "error"]
    command = [sys.executable, "-m", "pytest", *PLUGIN, *asked, "."]
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=500)
    # A file with a test beside its claim is known from now on without being loaded.
    again = subprocess.run(
        [sys.executable, "-m", "pytest", *PLUGIN, "-q", "test_mixed.py"],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=200,
    )
    ledger = json.loads((folder / "out" / "ledger.json").read_text())
    rows = {row["id"].removeprefix("toy:").replace("-", "_"): row for row in ledger["claims"]}
    return {"rows": rows, "rc": done.returncode, "said": done.stdout, "err": done.stderr, "again": again, "at": folder}


def test_each_comes_out_as_it_must_and_none_loses_the_others(run: dict[str, Any]) -> None:
    assert {name: row["verdict"] for name, row in run["rows"].items()} == {name: v for name, (v, _) in JUDGED.items()}
    for name, (verdict, word) in JUDGED.items():
        row = run["rows"][name]
        assert word in " ".join([row["error"], *(cell["remark"] for cell in row["cells"])])
        assert row["ok"] is (verdict == "holds"), row
    assert run["rc"] == 1
    assert "Traceback" not in run["said"] + run["err"]
    assert f"{len(JUDGED)} claims: " in run["said"]


def test_pages_and_pictures_are_there(run: dict[str, Any]) -> None:
    assert (run["at"] / "out" / "index.html").exists()
    assert (run["at"] / "pictures" / "toy-emoji-title.png").exists()


def test_a_file_with_a_test_beside_its_claim_is_judged_again(run: dict[str, Any]) -> None:
    assert run["again"].returncode == 0, run["again"].stdout
    assert "2 passed" in run["again"].stdout


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_meant_is_refused_when_it_loads(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / f"test_{name}.py"
    file.write_bytes((ATTACKS / f"{name}.py").read_bytes())
    monkeypatch.setattr(sys, "path", [*sys.path])
    with pytest.raises(ClaimError) as refused:
        registry.load_file(file)
    assert REFUSED[name] in str(refused.value)
    assert str(refused.value).isprintable()

"""Verdicts alone at many seeds: which claims are asked, what a seed that refutes leaves, and how a run goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from theory.claims import registry
from theory.claims.block import Claim
from theory.claims.selection import SelectionError
from theory.core.guard import SessionError
from theory.core.verdict import Verdict
from theory.judging.judge import decide, decide_alone
from theory.running.config import RunConfig
from theory.tests.fakes import ALPHA, for_workers
from theory.upkeep import verdicts

MODULE = """
import os, signal
from theory.claims import claim, control
from theory.claims.regime import Regime, grid
from theory.core.verdict import Verdict
from theory.evidence import Proof, Search, Step

COMMON = dict(title="t", kind="deterministic", theme="activation", source="S", evidence=Search(examples=3),
              controls=[control("C*m/1000", bound="C*m/1000")], regime=Regime(cells=grid(m=[64])))
OWN = {"C": (1, "above what was seen")}


@claim("toy:safe", bound="C*m", constants=OWN, **COMMON)
def safe(rng, m):
    return rng.random()


@claim("toy:close", bound="C*m", constants=OWN, **COMMON)
def close(rng, m):
    return 71.0 * rng.random()


@claim("toy:killing", bound="C*m", constants=OWN, **COMMON)
def killing(rng, m):
    os.kill(os.getpid(), signal.SIGKILL)


@claim("toy:printed", bound="m", **{**COMMON, "controls": [control("m/1000", bound="m/1000")]})
def printed(rng, m):
    return rng.random()


@claim("toy:false", bound="C*m", constants=OWN, expected=Verdict.REFUTED, note="it is", **COMMON)
def false(rng, m):
    return 1000.0


@claim("toy:proved", bound="C*m", constants=OWN, **{**COMMON, "evidence": Proof()})
def proved(bound, m):
    return [Step("a step", m > 0)]
"""


@pytest.fixture
def claims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Claim]]:
    with for_workers(tmp_path, monkeypatch, MODULE) as found:
        yield {claim.id: claim for claim in found}


def run(claims: list[Claim], output: Path, *options: str) -> int:
    """The exit code of a run of these claims."""
    return verdicts.run(verdicts._options(["--output", str(output), *options]), claims)


def test_asked_are_claims_with_a_constant_that_draw_and_are_expected_to_pass(claims: dict[str, Claim]) -> None:
    found = [claim.id for claim in verdicts.drawing(list(claims.values()))]
    assert found == ["toy:close", "toy:killing", "toy:safe"]


def test_a_verdict_alone_is_that_of_the_whole_row(claims: dict[str, Claim]) -> None:
    met = set()
    for seed in range(12):
        for name in ("toy:safe", "toy:close"):
            config = RunConfig(seed=seed)
            whole, alone = decide(claims[name], config, ALPHA), decide_alone(claims[name], config, ALPHA)
            assert whole.verdict is alone.verdict
            assert whole.evidence.worst is not None
            assert alone.evidence.worst is not None
            assert whole.evidence.worst.ratio == alone.evidence.worst.ratio
            assert whole.controls
            assert not alone.controls
            met.add((name, alone.verdict))
    assert met == {("toy:safe", Verdict.HOLDS), ("toy:close", Verdict.HOLDS), ("toy:close", Verdict.REFUTED)}


def test_a_seed_that_refutes_is_found_and_named_and_the_run_goes_on(
    claims: dict[str, Claim], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = [claims["toy:safe"], claims["toy:close"]]
    assert run(both, tmp_path / "whole", "--seeds", "0-11") == 1
    told = capsys.readouterr().out
    whole = json.loads((tmp_path / "whole" / verdicts.TABLE).read_text())
    assert {row["id"]: bool(row["other"]) for row in whole} == {"toy:close": True, "toy:safe": False}
    assert whole[0]["id"] == "toy:close"
    assert whole[0]["ratio"] > 1.0
    seed = next(iter(whole[0]["other"]))
    assert f"pytest --claim toy:close --seed {seed}" in told
    assert f"{len(whole[0]['other'])} refuted, 0 neither" in told
    run(both, tmp_path / "parts", "--seeds", "0-5")
    run(both, tmp_path / "parts", "--seeds", "0-11", "--resume")
    assert json.loads((tmp_path / "parts" / verdicts.TABLE).read_text()) == whole
    lines = (tmp_path / "parts" / verdicts.JOURNAL).read_text().splitlines()
    assert sum('"block"' in line for line in lines) == 24


def test_a_lost_worker_is_an_error_at_its_seed(claims: dict[str, Claim], tmp_path: Path) -> None:
    assert run([claims["toy:killing"]], tmp_path / "out", "--seeds", "3", "--jobs", "2") == 1
    (row,) = json.loads((tmp_path / "out" / verdicts.TABLE).read_text())
    assert row["other"]["3"].startswith("error: ")
    assert row["seeds"] == 1


@pytest.mark.parametrize(("options", "said"), [(["--jobs", "0"], "--jobs: 0 is too small"), (["--seeds", "x"], "'x'")])
def test_options_that_make_no_sense_are_refused(options: list[str], said: str, tmp_path: Path) -> None:
    with pytest.raises((SelectionError, SessionError), match=said):
        run([], tmp_path, *options)


def test_a_selection_without_a_constant_is_refused(claims: dict[str, Claim], tmp_path: Path) -> None:
    with pytest.raises(SelectionError, match="no selected claim has a constant"):
        run([claims["toy:printed"]], tmp_path)


def test_words_are_read_and_a_refusal_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(registry, "load_claims", list)
    assert verdicts.main(["--seeds", "9-1"]) == 2
    assert capsys.readouterr().err.startswith("error: --seeds: the range '9-1' ends before it begins")

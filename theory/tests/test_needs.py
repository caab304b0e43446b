"""The planner: widths, step sizes and steps that premises ask for, found without a trial."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from theory import needs
from theory.block import Claim
from theory.case import RunConfig
from theory.needs import Plan, Solvers, need_of, plan
from theory.refusal import ROOT
from theory.regime import Regime
from theory.selection import SelectionError, parse_at
from theory.statements import ByClaim, Paper, Statement
from theory.surface import rooms
from theory.tests.fakes import declared

SOLVERS = Solvers(rooms.smallest(), rooms.largest(), rooms.domains())


def measured(m: int, n: int, eta: float = 0.0, K: int = 0) -> float:
    """Never called: the planner runs no trial."""
    raise AssertionError("the planner measured something")


@pytest.fixture
def wide() -> Any:
    """A claim that asks for m >= C n^2, a step of at most 1/m and at least m steps of this size."""
    fields: dict[str, Any] = {
        "statement": "toy:wide",
        "premises": ["m >= C*n**2", "m >= 3*n", "eta <= 1/m", "K >= 2*n/eta"],
        "constants": {"C": (10, "of a test")},
        "regime": Regime(cells=[{"m": 5, "n": 4, "eta": 0.5, "K": 1}]),
    }
    with declared(measured, **fields) as made:
        yield made


def test_the_least_width_and_then_the_step_and_the_steps(wide: Claim) -> None:
    need = need_of(wide, RunConfig(), SOLVERS)
    assert need.width == 160
    assert need.costliest == "m >= C*n**2"
    assert need.sizes["eta"] == pytest.approx(1 / 160, rel=1e-9)
    assert need.sizes["K"] == pytest.approx(8 * 160, abs=1)


def test_sizes_constants_and_a_width_of_the_user(wide: Claim) -> None:
    at = parse_at("m=2**10,C=64,n=2", [wide], planned=True)
    assert at == {"m": 1024, "C": 64, "n": 2}
    need = need_of(wide, RunConfig(at=at), SOLVERS)
    assert (need.width, need.within) == (256, True)
    assert need.sizes["eta"] == pytest.approx(1 / 1024, rel=1e-11)
    assert need_of(wide, RunConfig(at={**at, "m": 255}), SOLVERS).within is False


def test_a_width_beyond_doubles_and_what_runs_refuse(wide: Claim) -> None:
    assert parse_at("m=10**400", [wide], planned=True)["m"] == 10**400
    with pytest.raises(SelectionError, match="longer than any number"):
        parse_at("m=10**40000", [wide], planned=True)
    with pytest.raises(SelectionError, match="larger than what is built"):
        parse_at("m=10**400", [wide], domains=SOLVERS.domains)


def test_a_theorem_needs_what_its_lemmas_need(wide: Claim, tmp_path: Path) -> None:
    def statement(name: str, label: str, *uses: str) -> Statement:
        return Statement(f"toy:{name}", label, "a title", "deterministic", "ntk", "page 1", ByClaim(), uses)

    paper = Paper("toy", "T", ("A",), 2020, (statement("wide", "Lemma 1"), statement("main", "Theorem 2", "toy:wide")))
    found = plan([wide], RunConfig(at={"m": 100}), {"toy": paper}, SOLVERS)
    (theorem,) = found.theorems
    assert (theorem.id, theorem.width, theorem.costliest, theorem.within) == ("toy:main", 160, "toy:wide", False)
    assert any("toy:main" in line and "out of reach" in line for line in needs.table(found))
    as_json, as_page = needs.write(tmp_path, found)
    assert json.loads(as_json.read_text())["theorems"][0]["width"] == 160
    assert "toy:main" in as_page.read_text()


def test_long_widths_are_rounded_up() -> None:
    assert needs.readable(10**30 + 1) == "1.01e30"
    assert needs.table(Plan(None, (), ())) == []


def test_the_premises_of_the_suite_are_planned_without_a_trial(tmp_path: Path) -> None:
    asked = ["--needs", "--claim", "zou2018:lemma-A.1", "--at", "m=10**5", f"--ledger={tmp_path}"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *asked]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "zou2018:lemma-A.1: m >= 72" in done.stdout
    assert json.loads((tmp_path / "needs.json").read_text())["asked"] == 10**5
    assert not (tmp_path / "ledger.json").exists()


def test_an_upper_bound_on_a_radius_asks_for_no_width_and_a_lower_one_does() -> None:
    def moved(m: int, eta: float) -> float:
        raise AssertionError("the planner measured something")

    fields: dict[str, Any] = {"statement": "toy:moved", "regime": Regime(cells=[{"m": 5, "eta": 0.25}])}
    with declared(moved, premises=["eta <= 1/m**2", "m >= 7"], **fields) as made:
        need = need_of(made, RunConfig(at={"m": 100}), SOLVERS)
        assert (need.width, need.within) == (7, True)
        assert need.sizes["eta"] == pytest.approx(1e-4)
    with declared(moved, premises=["eta >= 1/sqrt(m)"], **fields) as made:
        assert need_of(made, RunConfig(), SOLVERS).width == 16

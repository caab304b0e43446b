"""A plan of a reader's own, which says nothing of itself but how it decides: every report takes it as any other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from theory.claims import Plan, Regime, Verdict, control, grid
from theory.claims.block import Claim
from theory.claims.results import CellResult, Evidence, Power, summarise
from theory.claims.wrong_bounds import Answer, Retrial, WrongBound
from theory.core.measured import Outcome
from theory.core.refusal import ClaimError
from theory.evidence import of_method
from theory.judging.judge import Row, judge
from theory.reports import ledger, pictures, report
from theory.reports.hidden_constants import constants_table
from theory.reports.looseness import loose_claims
from theory.reports.page import page
from theory.reports.solving import Solvers, need_of
from theory.reports.two_ledgers import is_compared
from theory.running.case import Case
from theory.running.config import RunConfig
from theory.tests.fakes import ALPHA, declared
from theory.upkeep import replay, reserves
from theory.upkeep.variations import movable, variations

SUITE = ledger.Suite("0.1.0", "abc", "quick", 3, started="2020-01-01T00:00:00", seconds=1.5)

VERDICTS = {Outcome.PASS: Verdict.HOLDS, Outcome.FAIL: Verdict.REFUTED}


@dataclass(frozen=True)
class Once(Plan):
    """Measures every cell once and leaves open what is too close to decide, without a word."""

    def check(self, claim: Claim) -> str:
        """Any claim will do."""
        return ""

    def run(self, case: Case) -> Evidence:
        """One instance a cell."""
        cells = [self._cell(case, cell) for cell in case.cells]
        verdict, status = summarise(cells)
        return Evidence(self.method, verdict, status, tuple(cells), Power("bound factor", max(c.ratio for c in cells)))

    def retrial(self, case: Case, evidence: Evidence) -> Retrial | str:
        """By the numbers measured."""

        def ask(wrong: WrongBound) -> Answer:
            ratios = [cell.measured / float(wrong.limits(cell.at, cell.bound)) for cell in evidence.cells]
            return Answer(max(ratios) > 1.0, max(ratios))

        return Retrial(lambda name: [cell.at[name] for cell in evidence.cells], ask, lambda wrong: True)

    def _cell(self, case: Case, cell: dict[str, Any]) -> CellResult:
        _, found = case.judge(cell, cell, 0)
        return CellResult(
            at=cell,
            premises=case.standing.of_cell(cell),
            verdict=VERDICTS.get(found.outcome, Verdict.UNDECIDED),
            measured=found.measured,
            bound=found.bound,
            ratio=found.ratio,
            trials=1,
            failures=int(found.outcome is Outcome.FAIL),
            seconds=0.0,
            worst=cell,
        )


def half(m: int) -> float:
    """m/2."""
    return m / 2.0


def attained(m: int) -> float:
    """m."""
    return float(m)


BLOCK: dict[str, Any] = {
    "bound": "m",
    "regime": Regime(cells=grid(m=[4, 8, 16])),
    "evidence": Once(),
    "controls": [control("a quarter", bound="m/4")],
}


@pytest.mark.parametrize("effort", ["quick", "thorough"])
@pytest.mark.parametrize(("measure", "verdict"), [(half, Verdict.HOLDS), (attained, Verdict.UNDECIDED)])
def test_it_is_judged_and_reported_as_any_other(tmp_path: Path, measure: Any, verdict: Verdict, effort: str) -> None:
    with declared(measure, **BLOCK) as claim:
        row = judge(claim, RunConfig(effort=effort), ALPHA)
        found = ledger.to_json([row], SUITE)
        (entry,) = found["claims"]
        assert row.verdict is verdict
        assert row.controls[0].refuted
        assert all(cell["remark"] for cell in entry["cells"] if cell["verdict"] == "undecided")
        assert entry["evidence"]["method"] == Plan.method
        ledger.write(tmp_path, [row], SUITE)
        assert claim.id in ledger.to_markdown([row], SUITE)
        assert claim.id in page(found, {})
        assert report.table([row], 120)
        assert report.story(row)
        assert report.summary([row])
        assert pictures.along(row)
        assert loose_claims([row]) == set()
        assert constants_table([row]) == []
        assert is_compared(entry)
        assert need_of(claim, RunConfig(), Solvers()).width == 1
        (standing,) = reserves.standings([found])
        assert standing.reserve is None
        assert replay.unlike(entry, claim) == ""
        assert movable(claim) == ["m"]
        assert not any(isinstance(moved, str) for moved in variations(claim, 2, RunConfig(), ALPHA))
    assert of_method(Plan.method) is Plan


def test_what_it_sees_is_found_by_its_own_retrial() -> None:
    with declared(half, **BLOCK) as claim:
        row = judge(claim, RunConfig(), ALPHA)
    assert "m" in row.sight.sees


def test_an_attained_bound_is_left_open_with_a_word() -> None:
    with declared(attained, **BLOCK) as claim:
        row: Row = judge(claim, RunConfig(), ALPHA)
    assert {cell.remark for cell in row.evidence.cells} == {
        "the bound is attained up to rounding, which is too close to decide"
    }


def test_what_does_not_derive_from_a_plan_is_refused() -> None:
    class Other:
        method = "other"

    with (
        pytest.raises(ClaimError, match=r"is no plan; derive its class from lemmata.Plan"),
        declared(half, **{**BLOCK, "evidence": Other()}),
    ):
        pass

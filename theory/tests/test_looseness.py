"""A bound that is met by any factor is called loose, in the table and in both ledgers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from theory.claims.regime import Regime, grid
from theory.core.measured import Measured
from theory.core.verdict import Verdict
from theory.evidence import Proof, Step, Trials
from theory.judging.judge import Row
from theory.reports import ledger
from theory.reports.ledger import Suite, to_json, to_markdown
from theory.reports.looseness import LOOSE, loose_claims
from theory.reports.report import summary, table
from theory.running.config import RunConfig
from theory.tests.fakes import FakePremise, formula, row


def measuring(value: float, variant: str = "", **block: Any) -> Row:
    return row(lambda m: value, variant=variant, **block)


LOW: dict[str, Any] = {"sense": ">=", "bound": formula(lambda: 1e-4)}


@pytest.mark.parametrize(
    ("judged", "loose"),
    [
        (measuring(0.5 * LOOSE), True),
        (measuring(2.0 * LOOSE), False),
        (measuring(0.0), True),
        (measuring(1.0, **LOW), True),
        (measuring(0.05, **LOW), False),
        # Nothing above 0 could be forgiven, so a quotient of 0 is no factor.
        (measuring(0.0, bound=formula(lambda: 0.0)), False),
        (measuring(2.0, sense=">=", bound=formula(lambda: 0.0)), False),
        (measuring(0.0, regime=Regime(cells=grid(m=[4, 0])), bound=formula(lambda m: m)), False),
        (row(lambda m: Measured(1.0, error=1e-9), sense="="), False),
        (row(lambda bound, m: [Step("first", True)], evidence=Proof()), False),
        (row(lambda rng, m: 1e-6 * rng.random(), evidence=Trials(rate=0.1)), True),
        # What did not pass is not loose but worse.
        (measuring(1e-6, premises=[FakePremise(lambda m: False)]), False),
        (row(lambda m: np.array([1e-6, np.nan])), False),
    ],
    ids=str,
)
def test_a_pass_by_any_factor_is_loose(judged: Row, loose: bool) -> None:
    assert (judged.claim.id in loose_claims([judged])) is loose


@pytest.mark.parametrize(
    ("other", "loose"),
    [
        (measuring(0.9, "sharp"), False),
        (measuring(1e-5, "corrected"), True),
        (measuring(2.0, "printed", expected=Verdict.REFUTED), True),
        (row(lambda m: Measured(1.0 + 5e-10, error=1e-9), variant="identity", sense="="), True),
        (row(lambda m: 0.9, statement="toy:other"), True),
    ],
    ids=lambda entry: str(entry.claim.id) if isinstance(entry, Row) else "",
)
def test_a_sharper_row_of_the_same_statement_excuses_it(other: Row, loose: bool) -> None:
    found = loose_claims([measuring(1e-6), other])
    assert ("toy:statement" in found) is loose


def test_nothing_is_said_where_a_form_that_was_not_run_may_be_sharper() -> None:
    alone = RunConfig(forms={"toy:statement": ("toy:statement",)})
    assert loose_claims([measuring(1e-6, config=alone)]) == {"toy:statement"}
    beside = RunConfig(forms={"toy:statement": ("toy:statement", "toy:statement-sharp")})
    assert loose_claims([measuring(1e-6, config=beside)]) == frozenset()
    both = [measuring(1e-6, config=beside), measuring(1e-5, "sharp", config=beside)]
    assert loose_claims(both) == {"toy:statement", "toy:statement-sharp"}


def test_a_ledger_looks_for_loose_rows_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not for each of its rows: it takes a look at all of them."""
    looks: list[int] = []

    def counted(rows: Sequence[Row]) -> frozenset[str]:
        looks.append(len(rows))
        return loose_claims(rows)

    monkeypatch.setattr(ledger, "loose_claims", counted)
    to_json([measuring(1e-6), measuring(0.5, "sharp")], Suite("0", "0", "quick", 0))
    assert looks == [2]


def test_it_is_told_in_the_table_the_summary_and_both_ledgers() -> None:
    rows = [measuring(1e-6), row(lambda m: 0.5, statement="toy:tight")]
    loose, tight = table(rows, 120)[2:]
    assert "1e-06 loose  " in loose
    assert "loose" not in tight
    assert any(
        "toy:statement is loose: its bound is met by more than a factor of 1000" in line for line in summary(rows)
    )
    suite = Suite("0", "abc", "quick", 0)
    assert [claim["loose"] for claim in to_json(rows, suite)["claims"]] == [True, False]
    assert "| 1e-06 (loose) |" in to_markdown(rows, suite)

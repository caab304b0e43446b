"""What a measurement reports takes the place of nothing that the block gives, unless the block says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from theory.claims import Measured, Regime, control, reals
from theory.core.verdict import Verdict
from theory.evidence import Search, Trials
from theory.reports.report import story
from theory.tests.fakes import chosen, row


@pytest.mark.parametrize(
    ("symbols", "block"),
    [
        ({"m": 1000}, {"bound": "m"}),
        ({"m": np.array([4.0, 1000.0])}, {"bound": "m"}),
        ({"C": 100}, {"bound": "C*m", "constants": {"C": chosen(2)}}),
        ({"C": 100}, {"bound": "30*m", "premises": "m >= C", "constants": {"C": chosen(2)}}),
        ({"phi": 2.0}, {"bound": "100*phi", "regime": Regime(cells=[{"m": 4}], draw={"phi": reals(0.5, 1.0)})}),
    ],
)
@pytest.mark.parametrize("plan", [Search(examples=5), Trials(rate=0.1)])
def test_a_symbol_that_the_block_gives_is_not_measured_otherwise(
    symbols: dict[str, Any], block: dict[str, Any], plan: Any
) -> None:
    if isinstance(plan, Trials) and "regime" in block:
        return

    def measured(rng: np.random.Generator, m: int) -> Measured:
        return Measured(99.0 + rng.random(), symbols=symbols)

    found = row(measured, evidence=plan, **block)
    (name,) = symbols
    assert found.verdict is Verdict.ERROR
    assert f"it measures {name} as" in found.error
    assert not found.ok


def test_what_is_measured_again_as_it_is_given_is_the_same() -> None:
    found = row(lambda m: Measured(3.0, symbols={"m": m * (1.0 + 1e-12)}), bound="m")
    assert found.verdict is Verdict.HOLDS


def test_a_symbol_that_is_said_to_be_measured_counts_as_measured_and_the_row_says_so() -> None:
    block: dict[str, Any] = {"bound": "m", "measured": ["m"], "controls": [control("half", bound="m/2")]}
    found = row(lambda m: Measured(np.array([1.0, 5.0]), symbols={"m": np.array([4.0, 6.0])}), **block)
    assert found.verdict is Verdict.HOLDS
    assert found.worst is not None
    assert found.worst.reported == {"m": 6.0}
    assert "judged at m=6, as measured" in found.worst.remark
    assert any(line.startswith("numbers    6 = 6") for line in story(found))


def test_a_control_that_turns_a_knob_may_measure_other_symbols() -> None:
    def measured(m: int, *, twice: bool = False) -> Measured:
        return Measured(100.0 if twice else 3.0, symbols={"m": 2 * m if twice else m})

    assert row(measured, bound="m", controls=[control("at twice the size", twice=True)]).ok

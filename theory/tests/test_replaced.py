"""What a measurement reports takes the place of nothing that the block gives, unless the block says so."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np
import pytest

from theory.claims import Measured, Regime, control, reals
from theory.core.refusal import ClaimError
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


def test_a_bound_and_a_number_that_doubles_both_lose_decide_nothing() -> None:
    """exp(1 - m) is above exp(-m), and both are 0 as doubles."""
    regime = Regime(cells=[{"m": 800}])
    lost = row(lambda m: float(np.exp(1.0 - m)), bound="exp(-m)", regime=regime)
    assert lost.verdict is Verdict.UNDECIDED
    counted = row(lambda m: Measured(0, error=0), bound="exp(-m)", regime=regime)
    assert counted.verdict is Verdict.HOLDS


def test_one_draw_with_a_last_digit_that_moves_is_one_trial() -> None:
    def measured(rng: np.random.Generator, m: int) -> float:
        return 0.6 + 1e-15 * float(rng.random())

    found = row(measured, kind="probability", bound="m", evidence=Trials(rate=0.1))
    assert found.verdict is Verdict.UNDECIDED


def test_a_derived_symbol_without_a_value_is_refused_when_the_block_loads() -> None:
    with pytest.raises(ClaimError, match="its derived symbols have no value at m=4"):
        row(lambda m: 0.5, bound="m", regime=Regime(cells=[{"m": 4}], derived={"k": lambda m: m // 0}))


def test_a_claim_leaves_the_process_as_it_was() -> None:
    def measured(m: int) -> float:
        os.environ.clear()
        sys.path.clear()
        os.chdir("/")
        return 0.5

    before = os.getcwd(), dict(os.environ), list(sys.path)
    assert row(measured, bound="m").verdict is Verdict.HOLDS
    assert (os.getcwd(), dict(os.environ), list(sys.path)) == before


@pytest.mark.parametrize("text", ["a\x1b[31m", "a\x00", "\u202eabc"])
def test_letters_that_a_terminal_obeys_are_refused_and_spelled_out(text: str) -> None:
    blocks: list[dict[str, Any]] = [{"note": text}, {"statement": f"toy:{text}"}, {"title": text}]
    for words in blocks:
        with pytest.raises(ClaimError, match="cannot be printed") as refused:
            row(lambda m: 0.5, bound="m", **words)
        assert str(refused.value).isprintable()

"""Formulas that a block writes as text: read with the constants stated for them, or refused with a piece underlined."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from bounds.bound import Bound
from bounds.premise import Premise
from theory.claims import control
from theory.claims.regime import Regime, grid
from theory.core.refusal import ClaimError
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence import Scaling, Search
from theory.tests.fakes import declared, row

BLOCK: dict[str, Any] = {
    "bound": "C*n/m",
    "premises": ["m >= C1*n"],
    "ceiling": "n",
    "constants": {"C": (2, "for the test"), "C1": (4, "a quarter")},
    "regime": Regime(cells=grid(m=[8, 16], n=2)),
    "evidence": Search(examples=1),
    "controls": [control("a bound too small", bound="n/m/2")],
}


def measured(m: int, n: int) -> float:
    return n / m


def test_text_serves_wherever_a_formula_or_a_premise_is_wanted() -> None:
    with declared(measured, **BLOCK) as made:
        assert isinstance(made.bound, Bound)
        assert made.bound.evaluate({"m": 8, "n": 2}) == 0.5
        assert [isinstance(p, Premise) and p.holds({"m": 8, "n": 2}) for p in made.premises] == [True]
        assert not made.premises[0].holds({"m": 7, "n": 2})
        assert made.ceiling is not None
        assert made.ceiling.evaluate({"n": 2}) == 2.0
        assert made.controls[0].bound is not None
        assert made.controls[0].bound.evaluate({"m": 8, "n": 2}) == 0.125
        assert {name: float(value) for name, value in made.bound.constants.items()} == {"C": 2.0}
        assert made.names == {"m", "n", "C"}


def test_a_claim_in_text_is_judged_with_its_controls() -> None:
    found = row(measured, **BLOCK)
    assert (found.verdict, found.premise_status, found.ok) == (Verdict.HOLDS, PremiseStatus.INSIDE, True)


def test_one_premise_needs_no_list() -> None:
    with declared(measured, **{**BLOCK, "premises": "m >= C1*n"}) as made:
        assert [premise.text for premise in made.premises] == ["m >= C1*n"]


def test_a_fitted_constant_needs_no_value() -> None:
    def noisy(rng: np.random.Generator, m: int) -> float:
        return float(3.0 * m * rng.uniform(0.9, 1.0))

    block: dict[str, Any] = {
        "bound": "C*m",
        "regime": Regime(calibration=grid(m=[4, 8, 16]), cells=grid(m=[32, 64])),
        "evidence": Scaling(exponents={"m": "equal"}, constant="C"),
        "controls": [control("square", bound="C*m**2")],
    }
    found = row(noisy, **block)
    assert (found.verdict, found.ok) == (Verdict.CONSISTENT, True)
    assert found.evidence.details["constant"] == pytest.approx(6.0, rel=0.05)


@pytest.mark.parametrize(
    ("change", "what", "underlined"),
    [
        (
            {"bound": "C*n/widthlike"},
            r"its bound: unknown symbol 'widthlike' .* declare it beside your claims",
            "widthlike",
        ),
        ({"premises": ["m >= C1*n", "m => 2"]}, "its premise: a premise is written with one of", "=>"),
        ({"ceiling": "n.real"}, "its ceiling: an attribute has no place", "n.real"),
        ({"controls": [control("wrong", bound="n^2")]}, r"its control 'wrong': \^ is no operator", "^"),
    ],
)
def test_wrong_text_is_refused_with_file_line_and_the_piece_underlined(
    change: dict[str, Any], what: str, underlined: str
) -> None:
    with pytest.raises(ClaimError) as caught, declared(measured, **{**BLOCK, **change}):
        pass
    reason, text, carets = str(caught.value).splitlines()
    assert re.match(rf"theory/tests/\w+\.py:\d+: claim toy:statement: {what}", reason)
    assert text[carets.index("^") : len(carets)] == underlined


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bound": 0.5}, "its bound is of kind float; write a formula, as a text"),
        ({"premises": [("m >= 2",)]}, "its premises has an item of kind tuple; write inequalities, as texts in a list"),
        ({"constants": {"C": 2}}, "its bound: the constant C is given as 2; write its value and the reason for it"),
        (
            {"constants": {**BLOCK["constants"], "C2": (1, "for nothing")}},
            "its constant 'C2' occurs in none of its formulas that are text; leave it out",
        ),
        ({"constants": {"C1": (4, "a quarter")}}, "unknown symbol 'C' in its bound; give it in the regime"),
    ],
)
def test_what_is_no_formula_is_refused_in_one_line(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ClaimError) as caught, declared(measured, **{**BLOCK, **change}):
        pass
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
